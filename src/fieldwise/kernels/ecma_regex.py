r"""Regular expressions of JSON Schema (ECMA-262) on RE2, whose search takes time proportional to the text, whatever the pattern.

Escapes and classes that RE2 reads otherwise are translated: `\uXXXX`, `\cX`, `\s` with all Unicode spaces, `.` without any line
separator, `\p{Letter}`. Look-around and back-references do not exist in RE2 and are refused.

>>> bool(compile_ecma(r"^\p{Letter}+$")("héllo")), bool(compile_ecma("a.b")("a\u2028b"))
(True, False)
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import re2

_SPACES: Final = r"\s\v\p{Z}\x{feff}"
_TOKEN: Final = re.compile(
    r"\\u\{(?P<code_point>[0-9A-Fa-f]+)\}"
    r"|\\u[dD](?P<high>[89abAB][0-9A-Fa-f]{2})\\u[dD](?P<low>[c-fC-F][0-9A-Fa-f]{2})"
    r"|\\u(?P<unit>[0-9A-Fa-f]{4})"
    r"|\\c(?P<control>[A-Za-z])"
    r"|\\(?P<negated>[pP])\{(?:General_Category=|gc=|Script=|sc=)?(?P<property>\w+)\}"
    r"|\\(?P<escaped>.)"
    r"|(?P<plain>.)",
    re.DOTALL,
)
"""One element of a pattern; every character belongs to exactly one, so the scan is linear."""
_CATEGORIES: Final = {
    "Letter": "L",
    "Cased_Letter": "LC",
    "Uppercase_Letter": "Lu",
    "Lowercase_Letter": "Ll",
    "Titlecase_Letter": "Lt",
    "Modifier_Letter": "Lm",
    "Other_Letter": "Lo",
    "Mark": "M",
    "Nonspacing_Mark": "Mn",
    "Spacing_Mark": "Mc",
    "Enclosing_Mark": "Me",
    "Number": "N",
    "Decimal_Number": "Nd",
    "digit": "Nd",
    "Letter_Number": "Nl",
    "Other_Number": "No",
    "Punctuation": "P",
    "punct": "P",
    "Symbol": "S",
    "Math_Symbol": "Sm",
    "Currency_Symbol": "Sc",
    "Separator": "Z",
    "Space_Separator": "Zs",
    "Other": "C",
    "Control": "Cc",
    "Format": "Cf",
}
"""Long names of Unicode categories, as RE2 calls them."""


@lru_cache(maxsize=256)  # compiled once for all cases; bounded, because patterns come from requests too
def compile_ecma(pattern: str) -> Callable[[str], bool]:
    """A function that tells whether the pattern matches anywhere in a text; ValueError with the reason if RE2 cannot express it."""
    options = re2.Options()
    options.log_errors = False
    try:
        compiled: Any = re2.compile(translate_ecma(pattern), options)
    except re2.error as error:
        message = error.args[0] if error.args else ""
        raise ValueError(message.decode(errors="replace") if isinstance(message, bytes) else str(message)) from None
    except UnicodeEncodeError:
        raise ValueError("it contains half of a surrogate pair, which no text has") from None

    def search(text: str) -> bool:
        encodable = text if text.isascii() else text.encode("utf-8", "replace").decode()
        return compiled.search(encodable) is not None

    return search


def translate_ecma(pattern: str) -> str:
    r"""The same pattern in RE2's syntax.

    >>> translate_ecma(r"^\u00e9[\s.]\cJ$")
    '^\\x{00e9}[\\s\\v\\p{Z}\\x{feff}.]\\x{a}$'
    """
    parts: list[str] = []
    in_class = False
    for match in _TOKEN.finditer(pattern):
        plain = match["plain"]
        if plain is None:
            parts.append(_translate_escape(match, in_class))
            continue
        if plain == "[" and in_class:
            plain = r"\["  # RE2 reads `[:alpha:]` inside a class, which ECMA-262 does not have
        elif plain == "." and not in_class:
            plain = r"[^\n\r\x{2028}\x{2029}]"
        elif plain in "[]":
            in_class = plain == "["
        parts.append(plain)
    return "".join(parts)


_ESCAPES: Final = {"s": f"[{_SPACES}]", "S": f"[^{_SPACES}]", "0": r"\x{0}"}
_ESCAPES_IN_CLASS: Final = {"s": _SPACES, "0": r"\x{0}", "b": r"\x{8}"}
_RE2_ONLY_ESCAPES: Final = "AzQECGX"
"""Letters whose escape has a meaning in RE2 alone; in ECMA-262 it is the letter."""


def _translate_escape(match: re.Match[str], in_class: bool) -> str:
    if match["property"]:
        return rf"\{match['negated']}{{{_CATEGORIES.get(match['property'], match['property'])}}}"
    code_point = match["code_point"] or match["unit"]
    if match["high"]:
        code_point = f"{0x10000 + ((int(match['high'], 16) & 0x3FF) << 10) + (int(match['low'], 16) & 0x3FF):x}"
    elif match["control"]:
        code_point = f"{ord(match['control']) % 32:x}"
    if code_point:
        return rf"\x{{{code_point}}}"
    escaped = match["escaped"]
    if escaped in _RE2_ONLY_ESCAPES:
        return escaped
    return (_ESCAPES_IN_CLASS if in_class else _ESCAPES).get(escaped, match[0])
