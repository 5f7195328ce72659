"""Display text of values, numbers and strings that come from data.

Strings from data must not control the terminal or the page: control characters, direction marks and characters without a width are shown
as escapes. `rich` gets every string as text, never as markup.
"""

import json
import math
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.summary import Metric

INVISIBLE_CATEGORIES: Final = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Unicode categories of characters that draw nothing or control the terminal."""
_SYMBOLS: Final = {"\n": "⏎", "\r": "\\r", "\t": "⇥", "\u00a0": "⍽"}
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
_RESERVED_WORDS: Final = ("null", "true", "false", "missing")
"""Texts that would read as another JSON value, or as an absent one (shown as `missing`)."""


def make_visible(text: str) -> str:
    """Put text on one line and show its invisible characters as escapes.

    >>> make_visible("a\\x1b[31mb\\n\\u202ec")
    'a\\\\x1b[31mb⏎\\\\u202ec'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_show_character(character) for character in text)


def _show_character(character: str) -> str:
    if character in _SYMBOLS:
        return _SYMBOLS[character]
    if unicodedata.category(character) not in INVISIBLE_CATEGORIES:
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def make_lines_visible(text: str) -> str:
    """Show the invisible characters of text that may have several lines.

    >>> make_lines_visible("a\\n  fix: \\x07b")
    'a\\n  fix: \\\\x07b'
    """
    return "\n".join(make_visible(line) for line in text.split("\n"))


def format_value(value: Any) -> str:
    """Format a value as JSON; a string without quotes unless it would read as another value.

    >>> format_value("Acme"), format_value(""), format_value("12"), format_value(12), format_value(None), format_value([1, "a"])
    ('Acme', '""', '"12"', '12', 'null', '[1, "a"]')
    >>> format_value({"$any": ["Acme", None]})
    'Acme or null'
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if _needs_quotes(value) else value
    accepted = accepted_values(value)
    if accepted is not None:
        return " or ".join(map(format_value, accepted)) or "(dropped)"
    return dump_json(value, spaced=True)


def _needs_quotes(text: str) -> bool:
    """True if the text without quotes could be taken for another kind of value."""
    if not text or text != text.strip() or text in _RESERVED_WORDS:
        return True
    return text[0] in "-0123456789[{" and _is_json(text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def dump_json(value: Any, *, spaced: bool = False) -> str:
    """Serialize to JSON that every parser accepts: NaN and infinities, which JSON does not have, become strings.

    >>> dump_json({"a": [1.0, float("nan")]})
    '{"a":[1.0,"NaN"]}'
    """
    separators = (", ", ": ") if spaced else (",", ":")
    try:
        text = json.dumps(value, ensure_ascii=False, separators=separators, allow_nan=False, default=str)
    except ValueError:
        text = json.dumps(_replace_nan(value), ensure_ascii=False, separators=separators, default=str)
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        text = json.dumps(_replace_nan(value), separators=separators, default=str)
    return text


def _replace_nan(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value).replace("nan", "NaN").replace("inf", "Infinity")
    if isinstance(value, dict):
        return {key: _replace_nan(inner) for key, inner in value.items()}
    return [_replace_nan(inner) for inner in value] if isinstance(value, list | tuple) else value


def format_csv_cell(value: Any) -> str:
    """Format a CSV cell that no spreadsheet reads as a formula.

    >>> format_csv_cell("=1+1"), format_csv_cell(-2.5), format_csv_cell(None), format_csv_cell(["a"])
    ("'=1+1", '-2.5', '', '["a"]')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    text = value if isinstance(value, str) else dump_json(value)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def make_encodable(text: str) -> str:
    """Escape NUL characters, which CSV readers reject, and lone surrogates, which UTF-8 does not have."""
    if "\0" not in text and text.isascii():
        return text
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


def truncate(text: str, limit: int) -> str:
    """Shorten text to `limit` characters, the last of them an ellipsis.

    >>> truncate("Acme Corporation", 8)
    'Acme Co…'
    """
    return text if len(text) <= limit else f"{text[: max(limit - 1, 0)]}…"


def truncate_start(text: str, limit: int) -> str:
    """Shorten text to its last `limit` characters, the first of them an ellipsis.

    >>> truncate_start("balance_sheet.goodwill[*].value", 20)
    '…t.goodwill[*].value'
    """
    return text if len(text) <= limit else f"…{text[-max(limit - 1, 1) :]}"


def truncate_middle(text: str, limit: int) -> str:
    """Shorten text to `limit` characters by dropping its middle; the end of a path is its most specific part.

    >>> truncate_middle("invoice.line_items[*].amount", 16)
    'invoice…].amount'
    """
    if len(text) <= limit:
        return text
    end = limit // 2
    return f"{text[: limit - end - 1]}…{text[-end:]}"


def choose_shortener(names: Sequence[str], limit: int) -> Callable[[str, int], str]:
    """Choose how to shorten names so that they stay distinct: most lose their middle, else their beginning, else the ends they share.

    >>> names = ["balance.cash[*].value", "balance.debt[*].value"]
    >>> [choose_shortener(names, 16)(name, 16) for name in names]
    ['…e.cash[*].value', '…e.debt[*].value']
    >>> ids = ["scan-of-2024-0017-page-1-of-3.pdf", "scan-of-2024-0023-page-1-of-3.pdf"]
    >>> [choose_shortener(ids, 16)(name, 16) for name in ids]
    ['…024-0017-page-…', '…024-0023-page-…']
    """
    for shorten in (truncate_middle, truncate_start, _drop_shared_ends(names)):
        if len({shorten(name, limit) for name in names}) == len(set(names)):
            return shorten
    return truncate_start


def _drop_shared_ends(names: Sequence[str]) -> Callable[[str, int], str]:
    """A function that shortens these names around the part in which they differ."""
    start = _count_shared_start(names)
    shared_end = _count_shared_start([name[start:][::-1] for name in names])

    def shorten(name: str, limit: int) -> str:
        if len(name) <= limit:
            return name
        end = len(name) - shared_end
        spare = max(limit - (end - start) - 2, 0)
        first = max(start - spare // 2, 0)
        last = min(first + limit - 2, len(name))
        return f"…{name[first:last]}…"

    return shorten


def _count_shared_start(names: Sequence[str]) -> int:
    """Number of characters with which all names begin: those that the first and the last in order share."""
    first, last = min(names, default=""), max(names, default="")
    for position, (left, right) in enumerate(zip(first, last, strict=False)):
        if left != right:
            return position
    return len(first)


def fit_parts(parts: Sequence[str], width: int) -> str:
    """Join as many parts as fit, then the number of parts left out; the first part is shortened if it alone does not fit.

    >>> fit_parts(["scale 2", "omitted 1", "other 1"], 16), fit_parts(["value of another field 3", "other 1"], 20)
    ('scale 2 +2', 'value of… field 3 +1')
    """
    for count in range(len(parts), 0, -1):
        joined = ", ".join(make_visible(part) for part in parts[:count])
        left_out = f" +{len(parts) - count}" if count < len(parts) else ""
        if len(joined) + len(left_out) <= width:
            return joined + left_out
    if not parts:
        return ""
    left_out = f" +{len(parts) - 1}" if len(parts) > 1 else ""
    return truncate_middle(make_visible(parts[0]), max(width - len(left_out), 1)) + left_out


def list_cases(cases: Sequence[str], limit: int | None) -> str:
    """Join case ids, at most `limit` of them, then the number of ids left out.

    >>> list_cases(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    shown = cases[:limit]
    left_out = len(cases) - len(shown)
    return ", ".join(shown) + (f" and {left_out:,} more" if left_out else "")


def join_nonempty(parts: Iterable[str], separator: str = " · ") -> str:
    """Join the parts that are not empty."""
    return separator.join(part for part in parts if part)


def shorten_path(path: str) -> str:
    """Make a local path relative to the current folder if it lies below it; other paths and addresses stay as they are.

    >>> shorten_path("suite.eval.yaml"), shorten_path(str(Path.cwd() / "a" / "b.yaml")), shorten_path("s3://bucket/b.yaml")
    ('suite.eval.yaml', 'a/b.yaml', 's3://bucket/b.yaml')
    """
    local = Path(path)
    return str(local.relative_to(Path.cwd())) if local.is_absolute() and local.is_relative_to(Path.cwd()) else path


def format_number(value: float) -> str:
    """Format a score with three decimals, a count as an integer, and a tiny number, such as the cost of an answer, with two digits.

    >>> format_number(0.8461), format_number(1.0), format_number(553.0), format_number(14.0769), format_number(0.0), format_number(0.00014)
    ('0.846', '1.000', '553', '14.08', '0.000', '0.00014')
    """
    if value > 1 or value < 0:
        return f"{value:.0f}" if value == int(value) else f"{value:.2f}"
    return f"{value:.2g}" if 0 < value < 0.0005 else f"{value:.3f}"


def format_change(value: float, digits: int = 3) -> str:
    """Format a difference with its sign; without a sign if it rounds to 0.

    >>> format_change(0.0312), format_change(-0.0312), format_change(-0.0001), format_change(-0.4, 0)
    ('+0.031', '-0.031', '0.000', '0')
    """
    rounded = f"{value:+.{digits}f}"
    return rounded if float(rounded) else rounded[1:]


def format_interval(metric: Metric) -> str:
    """Format the 95 % interval of a metric, a narrow one with one decimal more; empty if there is none.

    >>> format_interval(Metric(value=0.5, n=9, low=0.26, high=0.744)), format_interval(Metric(value=0.5, n=9, low=0.5021, high=0.5083))
    ('0.26–0.74', '0.502–0.508')
    """
    if metric.low is None or metric.high is None:
        return ""
    digits = 2 if -1 <= metric.low <= metric.high <= 1 else 1
    if 0 < metric.high - metric.low < 2 * 10**-digits:
        digits += 1
    return f"{metric.low:.{digits}f}–{metric.high:.{digits}f}"


def format_count(count: int, singular: str, plural: str | None = None) -> str:
    """Format a count with its noun.

    >>> format_count(1, "case"), format_count(1200, "case")
    ('1 case', '1,200 cases')
    """
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def describe_repairs(flags: Mapping[str, int]) -> str:
    """Say in how many cases the JSON in a text was read after repair; nothing if in none.

    >>> describe_repairs({"repaired_json": 3, "cut_off_output": 1}), describe_repairs({})
    ('3 cases with JSON that was read after repair, 1 of them cut off', '')
    """
    repaired, cut_off = flags.get("repaired_json", 0), flags.get("cut_off_output", 0)
    if not repaired:
        return ""
    return f"{format_count(repaired, 'case')} with JSON that was read after repair" + (f", {cut_off:,} of them cut off" if cut_off else "")
