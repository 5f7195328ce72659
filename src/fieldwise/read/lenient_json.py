"""Rewrite almost-JSON, as language models write it, as strict JSON.

>>> rewritten = rewrite_json("{'a': True, b: “x”, // note\\n 'c': 'cut of")
>>> rewritten.text, rewritten.is_cut_off
('{"a":true,"b":"x"}', True)
>>> rewritten.repairs
('single quotes replaced', 'Python literals replaced', 'unquoted keys quoted', 'curly quotes replaced', 'comments removed')

The text is read token by token and every token is written as JSON has it; values are not interpreted here. Where the text ends before
the value does, what is complete stays: a string with its closing quote, a number with something after it, a list or object with at least
one complete part.
"""

import json
import re
from dataclasses import field
from typing import Final

from fieldwise.dataclass import dataclass
from fieldwise.pattern import compile_on_use

_SKIPPED: Final = compile_on_use(r"(?:\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|\#[^\n]*+)*+")
_NUMBER: Final = compile_on_use(r"[-+]?(?:\d++(?:_\d++)*+(?:\.\d*+)?+|\.\d++)(?:[eE][-+]?\d++)?+(?![\w.])", re.ASCII)
_CUT_NUMBER: Final = compile_on_use(r"[-+]?[\d_]*+\.?\d*+(?:[eE][-+]?\d*+)?\Z", re.ASCII)
"""The beginning of a number at the end of the text: `-`, `12.`, `1e-`."""
_WORD: Final = compile_on_use(r"[^\W\d][\w$-]*+|\$[\w$-]++")
_CLOSING_QUOTES: Final = {'"': '"', "'": "'", "“": '”“"', "”": '”"', "„": '“”"', "‘": "’‘'", "’": "’'"}
"""Opening quote → the quotes that may close it."""
_CURLY: Final = frozenset("“”„‘’")
_AFTER_STRING: Final = compile_on_use(
    r"(?:[ \t\r\n]|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*(?:[,:}\])]|\Z)|[ \t\r]*\n\s*[\"'“][^\"'“”\n]{1,60}[\"'”][ \t]*:"
)
"""What follows a text: a mark of JSON, or on the next line a key, where the comma is missing."""
_ELLIPSIS: Final = compile_on_use(r"(?:\.\.\.|…)\s*,?\s*(?=[}\])])")
_ESCAPE: Final = compile_on_use(r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_JSON_ESCAPE: Final = compile_on_use(r"\\(?:u[0-9a-fA-F]{4}|[\"\\/bfnrt'])")
"""What JSON has, and the single quote, whose repair is that of the quotes around the text."""
_SIMPLE_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_LITERALS: Final = {"true": "true", "false": "false", "null": "null", "NaN": "NaN", "Infinity": "Infinity"}
_PYTHON_LITERALS: Final = {
    **{"True": "true", "False": "false", "None": "null", "undefined": "null", "nan": "NaN", "inf": "Infinity"},
    **{"TRUE": "true", "FALSE": "false", "NULL": "null"},
}
_OPENING: Final = {"{": "}", "[": "]", "(": ")"}
_MAX_STRING_LOOKAHEAD: Final = 200
"""Characters after a quote that are looked at to decide whether it closes the text."""


@dataclass(frozen=True, slots=True)
class RewrittenJson:
    """A text as strict JSON, or the position where that failed."""

    text: str
    """Strict JSON; empty after a failure."""
    end: int
    """The end of the value, or the position of the failure."""
    repairs: tuple[str, ...] = ()
    is_cut_off: bool = False
    """True if the text ended before the value did."""
    parts: int = 0
    """Number of complete values read."""


@dataclass(slots=True)
class _Container:
    """An open list or object and what of it is complete."""

    closing: str
    parts: list[str] = field(default_factory=list)
    key: str | None = None
    """The key whose value comes next."""


class _CutOffError(Exception):
    """The text ended inside a value."""


class _SyntaxError(Exception):
    """The text is not JSON at this position, however it is read."""


def rewrite_json(text: str, start: int = 0) -> RewrittenJson:
    """Rewrite the object or list that begins at `start`."""
    rewriter = _Rewriter(text, start)
    try:
        rewriter.run()
    except _CutOffError:
        end = rewriter.at if text.startswith("```", rewriter.at) else len(text)
        rewriter.close_complete_parts()
        return RewrittenJson(rewriter.result, end, tuple(rewriter.repairs), is_cut_off=True, parts=rewriter.parts)
    except _SyntaxError:
        return RewrittenJson("", rewriter.at, parts=rewriter.parts)
    return RewrittenJson(rewriter.result, rewriter.at, tuple(rewriter.repairs), parts=rewriter.parts)


class _Rewriter:
    """The state of one rewriting: the open containers, innermost last."""

    __slots__ = ("at", "has_unquoted_keys", "parts", "repairs", "result", "stack", "text")

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.at = start
        self.stack: list[_Container] = []
        self.repairs: dict[str, None] = {}
        self.parts = 0
        self.result = ""
        self.has_unquoted_keys = False

    def run(self) -> None:
        self.open_container()
        while self.stack:
            self.read_part()

    def read_part(self) -> None:
        """Read a key and value, a value, or the end of the innermost container."""
        container = self.stack[-1]
        if self.peek() in ".…":
            self.skip_ellipsis()
        if self.peek() == container.closing:
            self.close_container()
            return
        if container.closing == "}":
            container.key = self.read_key()
            if self.peek() != ":":
                raise _SyntaxError
            self.at += 1
        if self.peek() in _OPENING:
            self.open_container()
            return
        self.add_part(self.read_scalar())

    def peek(self) -> str:
        """The next character outside white space and comments."""
        skipped = _SKIPPED.match(self.text, self.at)
        if skipped is not None:
            if skipped[0].strip():
                self.repairs["comments removed"] = None
            self.at = skipped.end()
        if self.at >= len(self.text) or self.text.startswith("```", self.at):
            raise _CutOffError
        return self.text[self.at]

    def skip_ellipsis(self) -> None:
        """Skip dots that stand for parts left out, before a closing bracket."""
        ellipsis = _ELLIPSIS.match(self.text, self.at)
        if ellipsis is not None:
            self.at = ellipsis.end()
            self.repairs["dots for further parts removed"] = None

    def open_container(self) -> None:
        self.stack.append(_Container(_OPENING[self.text[self.at]]))
        self.at += 1

    def close_container(self) -> None:
        self.at += 1
        self.add_to_parent(self.stack.pop())

    def add_to_parent(self, container: _Container) -> None:
        opening, closing = ("{", "}") if container.closing == "}" else ("[", "]")
        if container.closing == ")":
            self.repairs["Python literals replaced"] = None
        text = f"{opening}{','.join(container.parts)}{closing}"
        if not self.stack:
            self.result = text
            return
        if len(self.text) > self.at:
            self.add_part(text)
        else:  # the last one of a text that is cut off, if nothing follows
            self.store_part(text)

    def add_part(self, text: str) -> None:
        """Store a complete value and read the comma or bracket after it."""
        self.store_part(text)
        value_end = self.at
        following = self.peek()
        if following == ",":
            self.at += 1
            if self.peek() == self.stack[-1].closing:
                self.repairs["trailing comma removed"] = None
        elif following in _CLOSING_QUOTES and self.stack[-1].closing == "}" and "\n" in self.text[value_end : self.at]:
            self.repairs["missing commas added"] = None
        elif following != self.stack[-1].closing:
            raise _SyntaxError

    def store_part(self, text: str) -> None:
        container = self.stack[-1]
        self.parts += 1
        container.parts.append(text if container.key is None else f"{container.key}:{text}")
        container.key = None

    def close_complete_parts(self) -> None:
        """Close the open containers of a text that is cut off; one without a complete part is left out."""
        self.at = len(self.text)
        while self.stack:
            container = self.stack.pop()
            if container.parts or not self.stack:
                self.add_to_parent(container)

    def read_key(self) -> str:
        if self.peek() in _CLOSING_QUOTES:
            return self.read_string(is_key=True)
        word = _WORD.match(self.text, self.at) or _NUMBER.match(self.text, self.at)
        if word is None:
            raise _SyntaxError
        if word.end() == len(self.text) and not self.has_unquoted_keys:
            raise _SyntaxError  # a bare word after quoted keys is prose, not the start of a key
        self.at = word.end()
        self.has_unquoted_keys = True
        self.repairs["unquoted keys quoted"] = None
        return json.dumps(word[0])

    def read_scalar(self) -> str:
        if self.peek() in _CLOSING_QUOTES:
            return self.read_string()
        number = _NUMBER.match(self.text, self.at)
        if number is not None:
            return self.read_number(number)
        if _CUT_NUMBER.match(self.text, self.at):
            raise _CutOffError
        return self.read_word()

    def read_number(self, number: re.Match[str]) -> str:
        if number.end() == len(self.text):
            raise _CutOffError  # more digits may have followed
        self.at = number.end()
        mantissa, mark, exponent = number[0].lstrip("+").replace("E", "e").replace("_", "").partition("e")
        sign = "-" if mantissa.startswith("-") else ""
        whole, point, decimals = mantissa.lstrip("-").partition(".")
        plain_whole = whole.lstrip("0") or "0"
        if plain_whole != whole and whole:  # 007 is a code, not the number 7
            self.repairs["numbers with leading zeros read as text"] = None
            return json.dumps(number[0])
        plain = f"{sign}{plain_whole}{point}{decimals or ('0' if point else '')}{mark}{exponent}"
        if plain != number[0].replace("E", "e"):
            self.repairs["numbers rewritten"] = None
        return plain

    def read_word(self) -> str:
        sign = "-" if self.text.startswith("-", self.at) else ""
        word = _WORD.match(self.text, self.at + len(sign))
        if word is None:
            raise _SyntaxError
        is_last = word.end() == len(self.text)
        if is_last and any(name.startswith(word[0]) and name != word[0] for name in (*_LITERALS, *_PYTHON_LITERALS)):
            raise _CutOffError
        if word[0] in _LITERALS:
            literal = _LITERALS[word[0]]
        elif word[0] in _PYTHON_LITERALS:
            literal = _PYTHON_LITERALS[word[0]]
            self.repairs["Python literals replaced"] = None
        else:
            raise _SyntaxError
        if sign and literal != "Infinity":
            raise _SyntaxError
        self.at = word.end()
        return sign + literal

    def read_string(self, *, is_key: bool = False) -> str:
        """Read a text in any kind of quotes. A quote that no comma, colon or bracket follows belongs to the text.

        A key ends at its first quote: without a colon after it the text is broken, and the value must not become a part of the key.
        """
        opening = self.text[self.at]
        closing = _CLOSING_QUOTES[opening]
        pieces: list[str] = []
        at = self.at + 1
        while True:
            if at >= len(self.text):
                raise _CutOffError
            character = self.text[at]
            if character == "\\":
                escape = self.find_escape(at)
                pieces.append(_read_escape(escape))
                at += len(escape)
            elif character in closing and (is_key or _AFTER_STRING.match(self.text[at + 1 : at + 1 + _MAX_STRING_LOOKAHEAD])):
                break
            else:
                if character in closing:
                    self.repairs["quotes inside text kept"] = None
                elif character < " ":
                    self.repairs["line breaks inside text kept"] = None
                pieces.append(character)
                at += 1
        self.at = at + 1
        if opening in _CURLY:
            self.repairs["curly quotes replaced"] = None
        elif opening != '"':
            self.repairs["single quotes replaced"] = None
        return json.dumps("".join(pieces))  # escaped, so that two halves of a surrogate pair become one character again

    def find_escape(self, at: int) -> str:
        """The escape sequence at a position."""
        escape = _ESCAPE.match(self.text, at)
        if escape is None:
            raise _CutOffError
        if _JSON_ESCAPE.fullmatch(escape[0]) is None:
            self.repairs["escapes that JSON does not have rewritten"] = None
        return escape[0]


def _read_escape(escape: str) -> str:
    """The character of an escape sequence of JSON, Python or JavaScript; before another letter, the backslash belongs to the text.

    >>> [_read_escape(escape) for escape in (r"\\n", r"\\u00e9", r"\\xe9", r"\\'", r"\\%")]
    ['\\n', 'é', 'é', "'", '%']
    >>> print("C:" + _read_escape(r"\\d"))
    C:\\d
    """
    if escape[1] in "ux" and len(escape) > 2:
        return chr(int(escape[2:], 16))
    return _SIMPLE_ESCAPES.get(escape[1], escape if escape[1].isalnum() else escape[1])
