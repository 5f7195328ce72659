"""The syntax of expressions over one record, such as `invoice.total == invoice.net + invoice.tax`.

Paths, numbers, 'text', true, false, null; `+ - * /`; `== != < <= > >=`, also in chains; `in (…)`, `not in (…)`; `and`, `or`, `not`;
functions. There are no names but paths and no calls but those of the functions, so an expression cannot reach Python.
"""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, NoReturn, TypeAlias

from fieldwise.dataclass import dataclass
from fieldwise.model.path import MalformedPath, Path
from fieldwise.registry import nearest

ARGUMENT_COUNTS: Final = {"sum": 1, "avg": 1, "count": 1, "min": 0, "max": 0, "abs": 1, "present": 1, "date": 1}
"""Number of arguments of each function; 0: one or more."""
COMPARISON_SIGNS: Final = ("==", "!=", "<=", ">=", "<", ">")
MAX_PARTS: Final = 100


class ExpressionError(ValueError):
    """An expression that cannot be parsed, with its position and a fix."""

    def __init__(self, what: str, fix: str | None = None) -> None:
        self.fix = fix
        super().__init__(what)


@dataclass(frozen=True, slots=True)
class ConstantNode:
    """A number, a text, true, false or null."""

    value: Fraction | str | bool | None


@dataclass(frozen=True, slots=True)
class FieldNode:
    """The value at a path."""

    path: Path


@dataclass(frozen=True, slots=True)
class OperationNode:
    """An operator or a function with its operands."""

    name: str
    operands: "tuple[ExpressionNode, ...]"


ExpressionNode: TypeAlias = ConstantNode | FieldNode | OperationNode

_BRACKET = r"""\[(?:-?\d+|\*|"(?:[^"\\]|\\.)*")\]"""
_TOKEN = re.compile(
    rf"""(?P<space>\s+)
    |(?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{{1,3}})?(?!\w))
    |(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    |(?P<path>(?:[^\W\d]\w*|{_BRACKET})(?:\.\w+|{_BRACKET})*)
    |(?P<sign>==|!=|<=|>=|[-+*/<>(),])""",
    re.VERBOSE,
)
_FOREIGN_SIGNS: Final = {"=": "==", "&": "and", "|": "or", "!": "not", "$": "a path without `$.`, such as `invoice.total`"}
_OPERATOR_WORDS: Final = ("and", "or", "not", "in")
_LITERALS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int


def parse_expression(text: str) -> ExpressionNode:
    """Parse an expression.

    >>> parse_expression("total = 3")
    Traceback (most recent call last):
        ...
    fieldwise.evaluators.checks._expression_syntax.ExpressionError: `total = 3` cannot be read at position 7: `=`
    """
    parser = _Parser(text, _tokenize(text))
    node = parser.parse_disjunction()
    if parser.next.kind != "end":
        parser.fail("`and`, `or` or an operator is missing here" if parser.next.text != ")" else "a `)` closes nothing")
    return node


def _tokenize(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            replacement = _FOREIGN_SIGNS.get(text[at])
            fix = f"write {replacement}" if replacement else None
            raise ExpressionError(f"`{text}` cannot be read at position {at + 1}: `{text[at]}`", fix)
        kind = str(match.lastgroup)
        if kind == "path" and match.group() in _OPERATOR_WORDS:
            kind = "word"
        if kind != "space":
            tokens.append(_Token(kind, match.group(), at))
        at = match.end()
    if len(tokens) > 2 * MAX_PARTS:
        raise ExpressionError(f"an expression of {len(tokens)} parts is too long", "split it into several rules")
    return [*tokens, _Token("end", "the end", len(text))]


class _Parser:
    """A recursive-descent parser; each method parses one level of precedence."""

    def __init__(self, text: str, tokens: Sequence[_Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def fail(self, reason: str, fix: str | None = None) -> NoReturn:
        raise ExpressionError(f"`{self.text}` cannot be read at position {self.next.at + 1} (`{self.next.text}`): {reason}", fix)

    def take(self, *texts: str) -> str | None:
        """Consume the next token if it is one of these signs or words."""
        token = self.next
        if token.text not in texts or token.kind not in ("sign", "word"):
            return None
        self.at += 1
        return token.text

    def expect_close(self) -> None:
        if not self.take(")"):
            self.fail("a `)` is missing")

    def parse_disjunction(self) -> ExpressionNode:
        self.depth += 1
        if self.depth > MAX_PARTS // 4:
            self.fail("brackets are nested too deep")
        node = self._parse_left_associative(self._parse_conjunction, "or")
        self.depth -= 1
        return node

    def _parse_conjunction(self) -> ExpressionNode:
        return self._parse_left_associative(self._parse_negation, "and")

    def _parse_left_associative(self, parse_operand: Callable[[], ExpressionNode], *signs: str) -> ExpressionNode:
        node = parse_operand()
        while sign := self.take(*signs):
            node = OperationNode(sign, (node, parse_operand()))
        return node

    def _parse_negation(self) -> ExpressionNode:
        negated = False
        while self.take("not"):
            negated = not negated
        node = self._parse_comparison()
        return OperationNode("not", (node,)) if negated else node

    def _parse_comparison(self) -> ExpressionNode:
        left = self._parse_sum()
        if self.next.text in ("in", "not") and self.next.kind == "word":
            return self._parse_membership(left)
        comparisons: list[ExpressionNode] = []
        while sign := self.take(*COMPARISON_SIGNS):
            right = self._parse_sum()
            comparisons.append(self._compare_nodes(sign, left, right))
            left = right
        if not comparisons:
            return left
        node = comparisons[0]
        for comparison in comparisons[1:]:
            node = OperationNode("and", (node, comparison))
        return node

    def _compare_nodes(self, sign: str, left: ExpressionNode, right: ExpressionNode) -> ExpressionNode:
        """A comparison; a comparison with null tests whether the field has a value."""
        nothing = ConstantNode(None)
        if nothing not in (left, right):
            return OperationNode(sign, (left, right))
        field = right if left == nothing else left
        if not isinstance(field, FieldNode) or sign not in ("==", "!="):
            self.fail("only a field can be compared with null, by `==` or `!=`")
        present = OperationNode("present", (field,))
        return present if sign == "!=" else OperationNode("not", (present,))

    def _parse_membership(self, left: ExpressionNode) -> ExpressionNode:
        negated = self.take("not") is not None
        if not self.take("in") or not self.take("("):
            self.fail("`in (…)` is missing", "write `currency in ('EUR', 'USD')`")
        options = [self._parse_sum()]
        while self.take(","):
            options.append(self._parse_sum())
        self.expect_close()
        node = OperationNode("in", (left, *options))
        return OperationNode("not", (node,)) if negated else node

    def _parse_sum(self) -> ExpressionNode:
        return self._parse_left_associative(self._parse_product, "+", "-")

    def _parse_product(self) -> ExpressionNode:
        return self._parse_left_associative(self._parse_signed, "*", "/")

    def _parse_signed(self) -> ExpressionNode:
        negative = False
        while self.take("-"):
            negative = not negative
        node = self._parse_operand()
        return OperationNode("-", (ConstantNode(Fraction(0)), node)) if negative else node

    def _parse_operand(self) -> ExpressionNode:
        token = self.next
        if self.take("("):
            node = self.parse_disjunction()
            self.expect_close()
            return node
        if token.kind not in ("number", "text", "path"):
            self.fail("a field, a number or a text is missing")
        self.at += 1
        if token.kind == "number":
            return ConstantNode(Fraction(token.text))
        if token.kind == "text":
            return ConstantNode(re.sub(r"\\(.)", r"\1", token.text[1:-1]))
        if self.next.text == "(" and self.next.kind == "sign":
            return self._parse_function(token)
        return ConstantNode(_LITERALS[token.text]) if token.text in _LITERALS else _parse_field(token)

    def _parse_function(self, token: _Token) -> ExpressionNode:
        if token.text not in ARGUMENT_COUNTS:
            self.at -= 1
            near = nearest(token.text, tuple(ARGUMENT_COUNTS))
            self.fail("there is no such function", f"did you mean `{near}`?" if near else f"there are {', '.join(ARGUMENT_COUNTS)}")
        self.take("(")
        arguments = [self.parse_disjunction()]
        while self.take(","):
            arguments.append(self.parse_disjunction())
        self.expect_close()
        if ARGUMENT_COUNTS[token.text] not in (0, len(arguments)):
            self.fail(f"`{token.text}` takes one value")
        if token.text == "present" and not isinstance(arguments[0], FieldNode):
            self.fail("`present` is about a field", "write `present(invoice.total)`")
        return OperationNode(token.text, tuple(arguments))


def _parse_field(token: _Token) -> FieldNode:
    try:
        return FieldNode(Path.parse(token.text))
    except MalformedPath as error:
        raise ExpressionError(f"position {token.at + 1}: {error}", error.fix) from None
