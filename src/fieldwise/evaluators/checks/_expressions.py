"""A small language for rules over one record: `invoice.total == invoice.net + invoice.tax`. Read here, computed in `_values`.

Paths, numbers, 'text', true, false, null; `+ - * /`; `== != < <= > >=`, also in chains; `in (…)`, `not in (…)`; `and`, `or`, `not`;
functions. Nothing else: no names but paths, no calls but to the functions, no way to reach Python.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NoReturn, TypeAlias

from fieldwise.model.path import MalformedPath, Path
from fieldwise.registry import nearest

FUNCTIONS: Final = {"sum": 1, "avg": 1, "count": 1, "min": 0, "max": 0, "abs": 1, "present": 1, "date": 1}
"""How many arguments each takes; 0: one or more."""
COMPARISONS: Final = ("==", "!=", "<=", ">=", "<", ">")
MOST_PARTS: Final = 100


class ExpressionError(ValueError):
    """An expression that cannot be read; the message says where, `fix` what to write."""

    def __init__(self, what: str, fix: str | None = None) -> None:
        self.fix = fix
        super().__init__(what)


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, a text, true, false or null."""

    value: Fraction | str | bool | None


@dataclass(frozen=True, slots=True)
class Field:
    """The value at a path."""

    path: Path


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator or a function with what it is applied to."""

    name: str
    of: "tuple[Node, ...]"


Node: TypeAlias = Constant | Field | Operation

_BRACKET = r"""\[(?:-?\d+|\*|"(?:[^"\\]|\\.)*")\]"""
_TOKEN = re.compile(
    rf"""(?P<space>\s+)
    |(?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{{1,3}})?(?!\w))
    |(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    |(?P<path>(?:[^\W\d]\w*|{_BRACKET})(?:\.\w+|{_BRACKET})*)
    |(?P<sign>==|!=|<=|>=|[-+*/<>(),])""",
    re.VERBOSE,
)
_OTHER_LANGUAGES: Final = {"=": "==", "&": "and", "|": "or", "!": "not", "$": "a path without `$.`, such as `invoice.total`"}
_WORDS: Final = ("and", "or", "not", "in")
_VALUES: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int


def parse(text: str) -> Node:
    """An expression that has been read.

    >>> parse("total = 3")
    Traceback (most recent call last):
        ...
    fieldwise.evaluators.checks._expressions.ExpressionError: `total = 3` cannot be read at position 7: `=`
    """
    reader = _Reader(text, _tokens(text))
    node = reader.any_of()
    if reader.next.kind != "end":
        reader.fail("`and`, `or` or an operator is missing here" if reader.next.text != ")" else "a `)` closes nothing")
    return node


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            instead = _OTHER_LANGUAGES.get(text[at])
            raise ExpressionError(f"`{text}` cannot be read at position {at + 1}: `{text[at]}`", f"write {instead}" if instead else None)
        kind = str(match.lastgroup)
        if kind == "path" and match.group() in _WORDS:
            kind = "word"
        if kind != "space":
            found.append(_Token(kind, match.group(), at))
        at = match.end()
    if len(found) > 2 * MOST_PARTS:
        raise ExpressionError(f"an expression of {len(found)} parts is too long", "make it several rules")
    return [*found, _Token("end", "the end", len(text))]


class _Reader:
    """Reads tokens from left to right; each method reads one level of binding."""

    def __init__(self, text: str, tokens: Sequence[_Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def fail(self, why: str, fix: str | None = None) -> NoReturn:
        raise ExpressionError(f"`{self.text}` cannot be read at position {self.next.at + 1} (`{self.next.text}`): {why}", fix)

    def take(self, *texts: str) -> str | None:
        """The next token if it is one of these signs or words."""
        token = self.next
        if token.text not in texts or token.kind not in ("sign", "word"):
            return None
        self.at += 1
        return token.text

    def close(self) -> None:
        if not self.take(")"):
            self.fail("a `)` is missing")

    def any_of(self) -> Node:
        self.depth += 1
        if self.depth > MOST_PARTS // 4:
            self.fail("brackets are nested too deep")
        node = self._chain(self._all_of, "or")
        self.depth -= 1
        return node

    def _all_of(self) -> Node:
        return self._chain(self._negation, "and")

    def _chain(self, part: Callable[[], Node], *signs: str) -> Node:
        node = part()
        while sign := self.take(*signs):
            node = Operation(sign, (node, part()))
        return node

    def _negation(self) -> Node:
        negated = False
        while self.take("not"):
            negated = not negated
        node = self._comparison()
        return Operation("not", (node,)) if negated else node

    def _comparison(self) -> Node:
        left = self._total()
        if self.next.text in ("in", "not") and self.next.kind == "word":
            return self._membership(left)
        compared: list[Node] = []
        while sign := self.take(*COMPARISONS):
            right = self._total()
            compared.append(self._compared(sign, left, right))
            left = right
        if not compared:
            return left
        node = compared[0]
        for other in compared[1:]:
            node = Operation("and", (node, other))
        return node

    def _compared(self, sign: str, left: Node, right: Node) -> Node:
        """A comparison; one with null asks whether the field has a value."""
        nothing = Constant(None)
        if nothing not in (left, right):
            return Operation(sign, (left, right))
        field = right if left == nothing else left
        if not isinstance(field, Field) or sign not in ("==", "!="):
            self.fail("only a field can be compared with null, by `==` or `!=`")
        present = Operation("present", (field,))
        return present if sign == "!=" else Operation("not", (present,))

    def _membership(self, left: Node) -> Node:
        negated = self.take("not") is not None
        if not self.take("in") or not self.take("("):
            self.fail("`in (…)` is missing", "write `currency in ('EUR', 'USD')`")
        options = [self._total()]
        while self.take(","):
            options.append(self._total())
        self.close()
        node = Operation("in", (left, *options))
        return Operation("not", (node,)) if negated else node

    def _total(self) -> Node:
        return self._chain(self._product, "+", "-")

    def _product(self) -> Node:
        return self._chain(self._signed, "*", "/")

    def _signed(self) -> Node:
        negative = False
        while self.take("-"):
            negative = not negative
        node = self._single()
        return Operation("-", (Constant(Fraction(0)), node)) if negative else node

    def _single(self) -> Node:
        token = self.next
        if self.take("("):
            node = self.any_of()
            self.close()
            return node
        if token.kind not in ("number", "text", "path"):
            self.fail("a field, a number or a text is missing")
        self.at += 1
        if token.kind == "number":
            return Constant(Fraction(token.text))
        if token.kind == "text":
            return Constant(re.sub(r"\\(.)", r"\1", token.text[1:-1]))
        if self.next.text == "(" and self.next.kind == "sign":
            return self._function(token)
        return Constant(_VALUES[token.text]) if token.text in _VALUES else _field(token)

    def _function(self, token: _Token) -> Node:
        if token.text not in FUNCTIONS:
            self.at -= 1
            near = nearest(token.text, tuple(FUNCTIONS))
            self.fail("there is no such function", f"did you mean `{near}`?" if near else f"there are {', '.join(FUNCTIONS)}")
        self.take("(")
        arguments = [self.any_of()]
        while self.take(","):
            arguments.append(self.any_of())
        self.close()
        if FUNCTIONS[token.text] not in (0, len(arguments)):
            self.fail(f"`{token.text}` takes one value")
        if token.text == "present" and not isinstance(arguments[0], Field):
            self.fail("`present` is about a field", "write `present(invoice.total)`")
        return Operation(token.text, tuple(arguments))


def _field(token: _Token) -> Field:
    try:
        return Field(Path.parse(token.text))
    except MalformedPath as error:
        raise ExpressionError(f"position {token.at + 1}: {error}", error.fix) from None
