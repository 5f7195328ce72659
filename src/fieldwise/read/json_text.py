"""Decode JSON without losing anything: every digit, every key, and a reason where that is not possible.

>>> decode_json(b'{"id": 123456789012345678901234567890}').value
{'id': 123456789012345678901234567890}
>>> decode_json(b'{"a": 1, "a": 2}').diagnostics[0].what
'the key `a` is there twice'

orjson decodes the text where its result is proven to be right. It is silently wrong in three ways, each with a cheap test:

* It keeps the last of two equal keys. Every key has a colon, and colons inside strings stay, so a dropped key shows as a missing colon
  when the value is encoded again. Only an escaped colon (`\\u003a`) could hide that.
* It turns integers beyond 64 bits into floats. Those have 19 digits or more in a row, so every fourth character finds four of them.
* It leaves keys as they are written, while text compares after NFC. The encoded value shows whether anything is not composed.

All other errors make it fail. Then `scan_json` reads the text again: slower, but without recursion and with the path of each problem.
Syntax errors stop the scan. Duplicate keys, lone surrogates, bytes that are not UTF-8, excessive nesting and numbers that are too long do
not: each becomes a `JsonProblem`, so that a reader can tell which part of a record is unusable.

>>> scan_json('{"a": [1, {"b": 1, "b": 2}]}').problems[0].steps
('a', 1, 'b')
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, Final
from unicodedata import is_normalized, normalize

import orjson

from fieldwise.dataclass import dataclass
from fieldwise.kernels.json_conversion import DIGITS_AS_ZERO, is_json_record, may_hold_long_number
from fieldwise.model.diagnostic import Diagnostic, Level, Where
from fieldwise.model.path import render_path
from fieldwise.model.values import MISSING, Value
from fieldwise.numpy_on_use import np
from fieldwise.pattern import compile_on_use

MAX_DEPTH: Final = 1000
"""Maximum nesting of lists and objects; deeper values are unreadable."""
MAX_DIGITS: Final = 4300
"""Maximum number of digits of an integer: the limit of Python's conversion to text."""
_MAX_PROBLEMS: Final = 20
_MAX_STEPS: Final = 20
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

_BIG_INTEGER: Final = compile_on_use(rb"(?<![^:,\[\s])(?:-[0-9]{19}|[0-9]{20})")
"""A number (not digits inside a string) that may not fit into 64 bits."""
_FEWEST_DIGITS: Final = b"0" * 19
"""The digits of the shortest of them, each as 0."""
_SHORT: Final = 1 << 14
"""Number of characters up to which searching text is faster than NumPy."""

_CONTENT = r'[^"\\\x00-\x1f]*+'
_TOKEN = compile_on_use(
    r"[ \t\r\n]*+(?:(?P<punctuation>[{}\[\]:,])"
    rf'|(?P<string>"{_CONTENT}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}){_CONTENT})*+")'
    r"|(?P<integer>-?(?:0|[1-9][0-9]*+)(?![0-9.eE]))"
    r"|(?P<float>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)"
    r"|(?P<word>true|false|null|NaN|-?Infinity))"
)
_SPACE = compile_on_use(r"[ \t\r\n]*+")
_TRUNCATED = compile_on_use(rf'(?:"{_CONTENT}(?:\\.{_CONTENT})*+\\?|[-0-9.a-zA-Z+]*+)\Z')
_SURROGATE = compile_on_use("[\ud800-\udfff]")
_ESCAPED_BYTE = compile_on_use("[\udc80-\udcff]")
_WORDS: Final[dict[str, Any]] = {
    "true": True,
    "false": False,
    "null": None,
    "NaN": math.nan,
    "Infinity": math.inf,
    "-Infinity": -math.inf,
}
_PLACEHOLDERS: Final[dict[type, Any]] = {list: [], dict: {}}
"""Shared empty values for lists and objects beyond MAX_DEPTH, so that hostile nesting costs no memory."""

_VALUE, _ITEM_OR_END, _KEY_OR_END, _KEY, _COLON, _COMMA_OR_END, _DONE = range(7)
_STATE_NAMES = (
    "a value",
    "a value or `]`",
    "a key in double quotes or `}`",
    "a key in double quotes",
    "`:`",
    "`,` or the end of it",
    "nothing more",
)


@dataclass(frozen=True, slots=True)
class JsonProblem:
    """A problem inside a JSON text, and the path to it."""

    code: str
    what: str
    steps: tuple[str | int, ...] = ()
    fix: str | None = None
    level: Level = "error"
    at: int | None = None
    """The position in the text, if one character is wrong."""

    def to_diagnostic(self, where: Where | None = None) -> Diagnostic:
        """A diagnostic with the path as `field`, unless `where` names a field."""
        where = where or Where()
        path = _make_printable(render_path(self.steps)) if self.steps else None
        where = Where(file=where.file, line=where.line, case=where.case, field=where.field or path)
        return Diagnostic(code=self.code, what=_make_printable(self.what), where=where, fix=self.fix, level=self.level)


@dataclass(slots=True)
class ScanResult:
    """The value read from a text, beginning at one position."""

    value: Value = MISSING
    end: int = 0
    """The end of the value, or the position of the syntax error."""
    problems: list[JsonProblem] = field(default_factory=list)
    failure: JsonProblem | None = None
    """The syntax error that stopped the scan."""
    trailing_commas: int = 0
    resume_at: int = 0
    """After a failure: where another value could begin. A quote that was read as the start of a string may have been its end."""
    parts: int = 0
    """Number of keys and plain values read."""


@dataclass(frozen=True, slots=True)
class DecodedJson:
    """A value, or MISSING with the reasons."""

    value: Value
    diagnostics: tuple[Diagnostic, ...] = ()


def decode_json(line: bytes) -> DecodedJson:
    """The JSON value in these bytes. NaN and infinities are accepted with a note; any error leaves no value."""
    value = decode_fast(line)
    if value is not MISSING:
        return DecodedJson(value)
    result = decode_with_problems(line)
    problems = [*result.problems, result.failure] if result.failure else result.problems
    has_error = any(problem.level == "error" for problem in problems)
    return DecodedJson(MISSING if has_error else result.value, tuple(problem.to_diagnostic() for problem in problems))


def decode_fast(line: bytes) -> Value:
    """The value decoded by orjson, or MISSING if orjson fails or may be wrong."""
    try:
        value: Any = orjson.loads(line)
        encoded = orjson.dumps(value)
    except (orjson.JSONDecodeError, TypeError):  # TypeError: nested too deep to be encoded
        return MISSING
    if not _is_composed(encoded) and not is_json_record(value):
        return MISSING
    if encoded == line:
        return value
    return value if _keeps_all(line, encoded) else MISSING


def _keeps_all(text: bytes, encoded: bytes) -> bool:
    """Whether the values decoded from a short text, encoded again here, have all its keys and digits."""
    if text.count(b":") != encoded.count(b":") or _has_escaped_colon(text):
        return False
    return not may_hold_long_number(text) or not _has_big_integer(text)


def decode_lines(lines: Sequence[bytes]) -> list[Value]:
    """The result of `decode_fast` for each line, with the checks made once for all lines.

    Dropped keys only ever lower the number of colons, so one count shows that no line lost any.
    """
    loads = orjson.loads
    values: list[Value] = []
    append = values.append
    valid_lines: list[bytes] | None = None  # a copy of `lines` without the invalid ones, if there are any
    for row, line in enumerate(lines):
        try:
            append(loads(line))
        except orjson.JSONDecodeError:
            append(MISSING)
            valid_lines = valid_lines if valid_lines is not None else list(lines)
            valid_lines[row] = b""
    if valid_lines is None:
        is_right = _is_decoded_right(b"\n".join(lines), values)
    else:
        is_right = _is_decoded_right(b"\n".join(valid_lines), [value for value in values if value is not MISSING])
    if is_right:
        return values
    return [value if value is MISSING else decode_fast(line) for line, value in zip(lines, values, strict=True)]


def _is_decoded_right(block: bytes, values: list[Value]) -> bool:
    """Whether none of the three silent errors of orjson can be in these values, decoded from this block of lines."""
    try:
        encoded = orjson.dumps(values)
    except TypeError:
        return False
    if not _is_composed(encoded):
        return False
    if len(block) < _SHORT:
        return _keeps_all(block, encoded)
    characters = np.frombuffer(block, np.uint8)
    colons = np.count_nonzero(characters == 0x3A)
    if colons != np.count_nonzero(np.frombuffer(encoded, np.uint8) == 0x3A) or _has_escaped_colon(block):
        return False
    digits = (characters[::4] - np.uint8(0x30)) < 10  # characters below `0` wrap around to a large number
    pairs = digits[1:] & digits[:-1]
    return not np.any(pairs[2:] & pairs[:-2]) or not _has_big_integer(block)


def _has_big_integer(text: bytes) -> bool:
    """Whether a text has a number that may not fit into 64 bits. Decimals of floats are passed over 30 times faster than by the pattern."""
    digits = text.translate(DIGITS_AS_ZERO)
    at = digits.find(_FEWEST_DIGITS)
    while at >= 0:
        if _BIG_INTEGER.search(text, max(0, at - 20), at + 40):
            return True
        at = digits.find(_FEWEST_DIGITS, at + len(_FEWEST_DIGITS))
    return False


def _is_composed(encoded: bytes) -> bool:
    return encoded.isascii() or is_normalized("NFC", encoded.decode())


def _has_escaped_colon(text: bytes) -> bool:
    return b"\\" in text and b"\\u003" in text and (b"\\u003a" in text or b"\\u003A" in text)


def decode_with_problems(line: bytes) -> ScanResult:
    """The value with every problem in it and the path to each; only a syntax error leaves no value."""
    line = line.removeprefix(BYTE_ORDER_MARK)
    try:
        text, bytes_escaped = line.decode(), False
    except UnicodeDecodeError:
        text, bytes_escaped = line.decode(errors="surrogateescape"), True
    result = scan_json(text, bytes_escaped=bytes_escaped)
    if result.failure is None and text[result.end :].strip(" \t\r\n"):
        what = f"something follows the JSON value, from character {result.end + 1} on"
        result.failure, result.value = JsonProblem("invalid-json", what, at=result.end), MISSING
    return result


def scan_json(text: str, start: int = 0, *, trailing_commas: bool = False, bytes_escaped: bool = False) -> ScanResult:
    """The value that begins at `start`.

    `bytes_escaped`: the text was decoded with `surrogateescape`, so surrogates in it are bytes that are not UTF-8.
    """
    scanner = _Scanner(text, start, trailing_commas, bytes_escaped)
    scanner.run()
    return scanner.result


class _Scanner:
    """The state of one scan: the open lists and objects, the step into each, and the state of the parser."""

    __slots__ = ("at", "bytes_escaped", "last", "result", "stack", "state", "steps", "text", "trailing_commas")

    def __init__(self, text: str, start: int, trailing_commas: bool, bytes_escaped: bool) -> None:
        self.text = text
        self.at = self.last = start
        self.trailing_commas = trailing_commas
        self.bytes_escaped = bytes_escaped
        self.stack: list[Any] = []
        self.steps: list[str | int] = []
        self.state = _VALUE
        self.result = ScanResult()

    def run(self) -> None:
        """Read tokens until the value is complete or a syntax error stops the scan."""
        text, match = self.text, _TOKEN.match
        while self.state != _DONE:
            token = match(text, self.at)
            kind = token.lastgroup if token else None
            if token is None or kind is None or not _TOKEN_READERS[kind](self, token[kind]):
                self.fail(token.start(kind) if token and kind else self.at)
                return
            self.last = token.start(kind)
            self.at = token.end()
        self.result.end = self.at

    def open_container(self, container: Any, next_state: int) -> bool:
        if self.state not in (_VALUE, _ITEM_OR_END):
            return False
        if len(self.stack) == MAX_DEPTH:
            self.add_problem("too-deep", f"lists and objects are nested deeper than {MAX_DEPTH}")
        is_too_deep = len(self.stack) >= MAX_DEPTH
        if not is_too_deep:
            self.store(container)
        self.stack.append(_PLACEHOLDERS[type(container)] if is_too_deep else container)
        self.steps.append(0)
        self.state = next_state
        return True

    def close_container(self, container_type: type, empty_state: int) -> bool:
        if not self.stack or type(self.stack[-1]) is not container_type:
            return False
        if self.state not in (_COMMA_OR_END, empty_state):
            after_comma = _VALUE if container_type is list else _KEY
            if not self.trailing_commas or self.state != after_comma:
                return False
            self.result.trailing_commas += 1
        self.stack.pop()
        self.steps.pop()
        self.state = _COMMA_OR_END if self.stack else _DONE
        return True

    def read_punctuation(self, sign: str) -> bool:
        if sign == "{":
            return self.open_container({}, _KEY_OR_END)
        if sign == "[":
            return self.open_container([], _ITEM_OR_END)
        if sign == "}":
            return self.close_container(dict, _KEY_OR_END)
        if sign == "]":
            return self.close_container(list, _ITEM_OR_END)
        if sign == ":":
            if self.state != _COLON:
                return False
            self.state = _VALUE
            return True
        if self.state != _COMMA_OR_END:
            return False
        self.state = _VALUE if type(self.stack[-1]) is list else _KEY
        return True

    def read_string(self, token: str) -> bool:
        value: str = json.loads(token) if "\\" in token else token[1:-1]
        if self.state in (_KEY, _KEY_OR_END):
            value = self.read_key(value)
        elif not self.read_scalar(value):
            return False
        if not value.isascii() and _SURROGATE.search(value):
            self.report_surrogate(token)
        return True

    def read_key(self, key: str) -> str:
        self.result.parts += 1
        self.steps[-1] = key = normalize("NFC", key)
        if key in self.stack[-1]:
            fix = "keep one of them: which one counts would be a guess"
            self.add_problem("duplicate-key", f"the key `{_shorten(key)}` is there twice", fix)
        self.state = _COLON
        return key

    def report_surrogate(self, token: str) -> None:
        if self.bytes_escaped and _ESCAPED_BYTE.search(token):
            self.add_problem("invalid-utf8", "the text has bytes that are not UTF-8", "save the file as UTF-8")
        else:
            what = "the text has half of a surrogate pair, which is no character"
            self.add_problem("lone-surrogate", what, "write the whole pair or the character itself")

    def read_integer(self, token: str) -> bool:
        if len(token) <= MAX_DIGITS:
            return self.read_scalar(int(token))
        if not self.read_scalar(None):
            return False
        self.add_problem("number-too-long", f"an integer has more than {MAX_DIGITS} digits", "write it as text")
        return True

    def read_float(self, token: str) -> bool:
        value = float(token)
        if not self.read_scalar(value):
            return False
        if math.isinf(value):
            self.report_non_finite(_shorten(token))
        return True

    def read_word(self, token: str) -> bool:
        if not self.read_scalar(_WORDS[token]):
            return False
        if token[0] not in "tfn":
            self.report_non_finite(token)
        return True

    def report_non_finite(self, token: str) -> None:
        self.add_problem("non-finite-number", f"{token} is not a number that can be compared", "write null where there is no value", "info")

    def read_scalar(self, value: Any) -> bool:
        if self.state not in (_VALUE, _ITEM_OR_END):
            return False
        self.result.parts += 1
        self.store(value)
        self.state = _COMMA_OR_END if self.stack else _DONE
        return True

    def store(self, value: Any) -> None:
        """Put a value into the innermost open container."""
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

    def add_problem(self, code: str, what: str, fix: str | None = None, level: Level = "error") -> None:
        """Record a problem at the current path, up to a limit."""
        if len(self.result.problems) < _MAX_PROBLEMS:
            self.result.problems.append(JsonProblem(code, what, tuple(self.steps[:_MAX_STEPS]), fix, level, self.at))

    def fail(self, at: int) -> None:
        """Record a syntax error at this position, and where to look for another value."""
        space = _SPACE.match(self.text, at)
        at = space.end() if space else at
        result = self.result
        result.value, result.end = MISSING, at
        is_after_string = self.text.startswith('"', self.last) and self.last < at
        result.resume_at = self.last + 1 if is_after_string else at
        is_before_key = bool(self.stack) and type(self.stack[-1]) is dict and self.state in (_KEY, _KEY_OR_END)
        steps = tuple(self.steps[:-1] if is_before_key else self.steps)[:_MAX_STEPS]
        if _TRUNCATED.match(self.text, at):
            what, fix = "the JSON breaks off before its end", "write the whole value; was the text cut short?"
            result.failure = JsonProblem("truncated-json", what, steps, fix, at=at)
        else:
            actual = self.text[at : at + 20].split("\n", 1)[0]
            what = f"not JSON at character {at + 1}: expected {_STATE_NAMES[self.state]}, got `{actual}`"
            result.failure = JsonProblem("invalid-json", what, steps, None, at=at)


_TOKEN_READERS: Final[dict[str, Callable[[_Scanner, str], bool]]] = {
    "punctuation": _Scanner.read_punctuation,
    "string": _Scanner.read_string,
    "integer": _Scanner.read_integer,
    "float": _Scanner.read_float,
    "word": _Scanner.read_word,
}
"""By group of _TOKEN. Each returns False if the token is a syntax error in the current state."""


def _make_printable(text: str) -> str:
    """Replace surrogates, which cannot be encoded."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _shorten(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."
