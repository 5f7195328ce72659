"""Read one JSON value out of a text, step by step: slower than a C decoder, but it knows where it is and never recurses.

Syntax errors stop it. Duplicate keys, lone surrogates, bytes that are not UTF-8, values nested too deep and numbers too long do not: each
becomes a `Problem` with the path to it, so that a reader can tell which part of a record is unusable.

>>> scan('{"a": [1, {"b": 1, "b": 2}]}').problems[0].steps
('a', 1, 'b')
"""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final
from unicodedata import normalize

from fieldwise.model.diagnostic import Diagnostic, Level, Where
from fieldwise.model.path import render
from fieldwise.model.values import MISSING, Value

MAX_DEPTH: Final = 1000
"""Lists and objects inside each other; what goes deeper is unreadable."""
MAX_DIGITS: Final = 4300
"""Digits of an integer: the most that Python turns into text again."""
_MAX_PROBLEMS: Final = 20
_MAX_STEPS: Final = 20

_CONTENT = r'[^"\\\x00-\x1f]*+'
_TOKEN = re.compile(
    r"[ \t\r\n]*+(?:(?P<punctuation>[{}\[\]:,])"
    rf'|(?P<string>"{_CONTENT}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}){_CONTENT})*+")'
    r"|(?P<integer>-?(?:0|[1-9][0-9]*+)(?![0-9.eE]))"
    r"|(?P<float>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)"
    r"|(?P<word>true|false|null|NaN|-?Infinity))"
)
_SPACE = re.compile(r"[ \t\r\n]*+")
_BROKEN_OFF = re.compile(rf'(?:"{_CONTENT}(?:\\.{_CONTENT})*+\\?|[-0-9.a-zA-Z+]*+)\Z')
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
_WORDS: Final[dict[str, Any]] = {
    "true": True,
    "false": False,
    "null": None,
    "NaN": math.nan,
    "Infinity": math.inf,
    "-Infinity": -math.inf,
}

_TOO_DEEP: Final[dict[type, Any]] = {list: [], dict: {}}
"""Stand for lists and objects that are too deep to be kept, so that hostile depth costs no memory."""

_VALUE, _ITEM_OR_END, _KEY_OR_END, _KEY, _COLON, _COMMA_OR_END, _DONE = range(7)
_WANTED = (
    "a value",
    "a value or `]`",
    "a key in double quotes or `}`",
    "a key in double quotes",
    "`:`",
    "`,` or the end of it",
    "nothing more",
)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong inside a JSON text, and the way to it."""

    code: str
    what: str
    steps: tuple[str | int, ...] = ()
    fix: str | None = None
    level: Level = "error"
    at: int | None = None
    """The position in the text, where one character is to blame."""

    def diagnostic(self, where: Where | None = None) -> Diagnostic:
        """The same for people: with the path as `field`, unless the place says more."""
        where = where or Where()
        path = _printable(render(self.steps)) if self.steps else None
        where = Where(file=where.file, line=where.line, case=where.case, field=where.field or path)
        return Diagnostic(code=self.code, what=_printable(self.what), where=where, fix=self.fix, level=self.level)


@dataclass(slots=True)
class Scan:
    """What was read from a text, beginning at one position."""

    value: Value = MISSING
    end: int = 0
    """Where the value ends, or where it could not be read any further."""
    problems: list[Problem] = field(default_factory=list[Problem])
    failure: Problem | None = None
    trailing_commas: int = 0
    read_on_from: int = 0
    """After a failure: where another value could begin. A quote that was read as the start of a string may have been its end."""
    parts: int = 0
    """How many keys and plain values were read."""


def scan(text: str, start: int = 0, *, trailing_commas: bool = False, bytes_escaped: bool = False) -> Scan:
    """The value that begins at `start`.

    `bytes_escaped` says that the text was decoded with `surrogateescape`: surrogates in it are bytes that are not UTF-8.
    """
    scanner = _Scanner(text, start, trailing_commas, bytes_escaped)
    scanner.run()
    return scanner.result


class _Scanner:
    """The state of one scan: the open lists and objects, the step into each, and what may come next."""

    __slots__ = ("at", "bytes_escaped", "key", "last", "result", "stack", "steps", "text", "trailing_commas", "wanted")

    def __init__(self, text: str, start: int, trailing_commas: bool, bytes_escaped: bool) -> None:
        self.text = text
        self.at = self.last = start
        self.trailing_commas = trailing_commas
        self.bytes_escaped = bytes_escaped
        self.stack: list[Any] = []
        self.steps: list[str | int] = []
        self.wanted = _VALUE
        self.result = Scan()

    def run(self) -> None:
        text, match = self.text, _TOKEN.match
        readers: dict[str, Callable[[_Scanner, str], bool]] = _READERS
        while self.wanted != _DONE:
            token = match(text, self.at)
            kind = token.lastgroup if token else None
            if token is None or kind is None or not readers[kind](self, token[kind]):
                self.fail(token.start(kind) if token and kind else self.at)
                return
            self.last = token.start(kind)
            self.at = token.end()
        self.result.end = self.at

    def open(self, container: Any, wanted: int) -> bool:
        if self.wanted not in (_VALUE, _ITEM_OR_END):
            return False
        if len(self.stack) == MAX_DEPTH:
            self.note("too-deep", f"lists and objects are nested deeper than {MAX_DEPTH}")
        deep = len(self.stack) >= MAX_DEPTH
        if not deep:
            self.put(container)
        self.stack.append(_TOO_DEEP[type(container)] if deep else container)
        self.steps.append(0)
        self.wanted = wanted
        return True

    def close(self, kind: type, empty: int) -> bool:
        if not self.stack or type(self.stack[-1]) is not kind:
            return False
        if self.wanted not in (_COMMA_OR_END, empty):
            after_comma = _VALUE if kind is list else _KEY
            if not self.trailing_commas or self.wanted != after_comma:
                return False
            self.result.trailing_commas += 1
        self.stack.pop()
        self.steps.pop()
        self.wanted = _COMMA_OR_END if self.stack else _DONE
        return True

    def punctuation(self, sign: str) -> bool:
        if sign == "{":
            return self.open({}, _KEY_OR_END)
        if sign == "[":
            return self.open([], _ITEM_OR_END)
        if sign == "}":
            return self.close(dict, _KEY_OR_END)
        if sign == "]":
            return self.close(list, _ITEM_OR_END)
        if sign == ":":
            if self.wanted != _COLON:
                return False
            self.wanted = _VALUE
            return True
        if self.wanted != _COMMA_OR_END:
            return False
        self.wanted = _VALUE if type(self.stack[-1]) is list else _KEY
        return True

    def string(self, token: str) -> bool:
        value: str = json.loads(token) if "\\" in token else token[1:-1]
        if self.wanted in (_KEY, _KEY_OR_END):
            self.result.parts += 1
            self.steps[-1] = value = normalize("NFC", value)
            if value in self.stack[-1]:
                self.note(
                    "duplicate-key", f"the key `{_short(value)}` is there twice", "keep one of them: which one counts would be a guess"
                )
            self.wanted = _COLON
        elif not self.plain(value):
            return False
        if not value.isascii() and _SURROGATE.search(value):
            self.note_surrogate(token)
        return True

    def note_surrogate(self, token: str) -> None:
        if self.bytes_escaped and _ESCAPED_BYTE.search(token):
            self.note("invalid-utf8", "the text has bytes that are not UTF-8", "save the file as UTF-8")
        else:
            self.note(
                "lone-surrogate",
                "the text has half of a surrogate pair, which is no character",
                "write the whole pair or the character itself",
            )

    def integer(self, token: str) -> bool:
        if len(token) > MAX_DIGITS:
            if self.plain(None):
                self.note("number-too-long", f"an integer has more than {MAX_DIGITS} digits", "write it as text")
                return True
            return False
        return self.plain(int(token))

    def float(self, token: str) -> bool:
        value = float(token)
        if not self.plain(value):
            return False
        if math.isinf(value):
            self.note_not_finite(_short(token))
        return True

    def word(self, token: str) -> bool:
        if not self.plain(_WORDS[token]):
            return False
        if token[0] not in "tfn":
            self.note_not_finite(token)
        return True

    def note_not_finite(self, token: str) -> None:
        self.note("non-finite-number", f"{token} is not a number that can be compared", "write null where there is no value", "info")

    def plain(self, value: Any) -> bool:
        if self.wanted not in (_VALUE, _ITEM_OR_END):
            return False
        self.result.parts += 1
        self.put(value)
        self.wanted = _COMMA_OR_END if self.stack else _DONE
        return True

    def put(self, value: Any) -> None:
        if not self.stack:
            self.result.value = value
            return
        container: Any = self.stack[-1]
        if len(self.stack) > MAX_DEPTH:
            return
        if type(container) is list:
            self.steps[-1] = len(container)  # pyright: ignore[reportUnknownArgumentType]
            container.append(value)
        else:
            container[self.steps[-1]] = value

    def note(self, code: str, what: str, fix: str | None = None, level: Level = "error") -> None:
        """Record a problem at the current steps, but not without end."""
        if len(self.result.problems) < _MAX_PROBLEMS:
            self.result.problems.append(Problem(code, what, tuple(self.steps[:_MAX_STEPS]), fix, level, self.at))

    def fail(self, at: int) -> None:
        """Say what was wanted and what was found at this position, and where to look for another value."""
        at = found.end() if (found := _SPACE.match(self.text, at)) else at
        rest = _BROKEN_OFF.match(self.text, at)
        result = self.result
        result.value, result.end = MISSING, at
        after_string = self.text.startswith('"', self.last) and self.last < at
        result.read_on_from = self.last + 1 if after_string else at
        before_key = bool(self.stack) and type(self.stack[-1]) is dict and self.wanted in (_KEY, _KEY_OR_END)
        steps = tuple(self.steps[:-1] if before_key else self.steps)[:_MAX_STEPS]
        if rest:
            what, fix = "the JSON breaks off before its end", "write the whole value; was the text cut short?"
            result.failure = Problem("truncated-json", what, steps, fix, at=at)
        else:
            found_text = self.text[at : at + 20].split("\n", 1)[0]
            what = f"not JSON at character {at + 1}: {_WANTED[self.wanted]} should stand where `{found_text}` stands"
            result.failure = Problem("invalid-json", what, steps, None, at=at)


def _printable(text: str) -> str:
    return text if text.isascii() else text.encode(errors="replace").decode()


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."


_READERS: Final[dict[str, Callable[[_Scanner, str], bool]]] = {
    "punctuation": _Scanner.punctuation,
    "string": _Scanner.string,
    "integer": _Scanner.integer,
    "float": _Scanner.float,
    "word": _Scanner.word,
}
