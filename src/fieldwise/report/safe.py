"""Text that came from data, made safe to show.

Whoever wrote the data does not write to the terminal: control characters, marks that turn the direction of writing and characters without
a width are shown as escapes, and every text goes into a `rich` text as it is, never as markup.
"""

import json
import math
import unicodedata
from typing import Any, Final

_SHOWN: Final = {"\n": "⏎", "\r": "\\r", "\t": "⇥", "\u00a0": "⍽"}
_UNSEEN: Final = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Unicode categories that draw nothing or steer the terminal."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def safe(text: str) -> str:
    """The text on one line, with everything that cannot be seen made visible.

    >>> safe("a\\x1b[31mb\\n\\u202ec")
    'a\\\\x1b[31mb⏎\\\\u202ec'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_character(character) for character in text)


def _character(character: str) -> str:
    if character in _SHOWN:
        return _SHOWN[character]
    if unicodedata.category(character) in _UNSEEN:
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return character


def safe_lines(text: str) -> str:
    """The same for text that may have several lines of its own.

    >>> safe_lines("a\\n  fix: \\x07b")
    'a\\n  fix: \\\\x07b'
    """
    return "\n".join(safe(line) for line in text.split("\n"))


def value_text(value: Any) -> str:
    """A value as people write it in JSON; text without quotes unless they matter.

    >>> value_text("Acme"), value_text(""), value_text("12"), value_text(12), value_text(None), value_text([1, "a"])
    ('Acme', '""', '"12"', '12', 'null', '[1, "a"]')
    """
    if isinstance(value, str):
        return value if _is_plainly_text(value) else json.dumps(value, ensure_ascii=False)
    return json_text(value, spaced=True)


def _is_plainly_text(text: str) -> bool:
    """Whether nobody could take the text for another kind of value."""
    if not text or text != text.strip():
        return False
    if text in ("null", "true", "false", "missing"):
        return False
    return not (text[0] in "-0123456789[{" and _is_json(text))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def json_text(value: Any, *, spaced: bool = False) -> str:
    """JSON that every reader takes: NaN and infinities, which JSON does not have, become text.

    >>> json_text({"a": [1.0, float("nan")]})
    '{"a":[1.0,"NaN"]}'
    """
    separators = (", ", ": ") if spaced else (",", ":")
    try:
        text = json.dumps(value, ensure_ascii=False, separators=separators, allow_nan=False, default=str)
    except ValueError:
        text = json.dumps(_without_nan(value), ensure_ascii=False, separators=separators, default=str)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        text = json.dumps(_without_nan(value), separators=separators, default=str)
    return text


def _without_nan(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value).replace("nan", "NaN").replace("inf", "Infinity")
    if isinstance(value, dict):
        return {key: _without_nan(inner) for key, inner in value.items()}
    return [_without_nan(inner) for inner in value] if isinstance(value, list | tuple) else value


def csv_cell(value: Any) -> str:
    """A cell that no spreadsheet takes for a formula.

    >>> csv_cell("=1+1"), csv_cell(-2.5), csv_cell(None), csv_cell(["a"])
    ("'=1+1", '-2.5', '', '["a"]')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    text = value if isinstance(value, str) else json_text(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def cut(text: str, limit: int) -> str:
    """At most so many characters, the last of them an ellipsis.

    >>> cut("Acme Corporation", 8)
    'Acme Co…'
    """
    return text if len(text) <= limit else f"{text[: max(limit - 1, 0)]}…"


def tail(text: str, limit: int) -> str:
    """At most so many characters, the first of them an ellipsis.

    >>> tail("balance_sheet.goodwill[*].value", 20)
    '…t.goodwill[*].value'
    """
    return text if len(text) <= limit else f"…{text[-max(limit - 1, 1) :]}"


def middle(text: str, limit: int) -> str:
    """At most so many characters, the middle left out: the end of a path says most.

    >>> middle("invoice.line_items[*].amount", 16)
    'invoice…].amount'
    """
    if len(text) <= limit:
        return text
    end = limit // 2
    return f"{text[: limit - end - 1]}…{text[-end:]}"
