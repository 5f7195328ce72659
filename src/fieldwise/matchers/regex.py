r"""Text that contains a match of a pattern. The expected value is not used.

The pattern may match anywhere in the actual text: write `^` and `$` (or `\A` and `\z`) to match the whole text. The syntax is RE2's:
no back-references and no look-around, and in return a search takes time proportional to the text, whatever the pattern.
Numbers and booleans are searched as JSON text; lists and objects always fail.

>>> regex(Pairs(["", ""], ["INV-0042", "invoice 42"]), Regex(pattern=r"^INV-\d{4}$")).value.tolist()
[1.0, 0.0]
"""

from collections.abc import Callable
from typing import Annotated, Any

import re2

from fieldwise.dataclass import dataclass
from fieldwise.kernels.values import canonical_json, to_nfc
from fieldwise.model.bounds import MinLen
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.values import json_kind
from fieldwise.registry import matcher
from fieldwise.specs import Example


@dataclass(frozen=True, slots=True, kw_only=True)
class Regex:
    """The pattern to search for."""

    pattern: Annotated[str, MinLen(1)]
    """Matches anywhere in the actual value, unless anchored. Start it with `(?i)` to ignore letter case."""

    def __post_init__(self) -> None:
        _compile_search(self.pattern)


@matcher(
    reflexive=False,
    examples=[
        Example(expected="anything", actual="INV-0042", options={"pattern": r"^INV-\d{4}$"}, score=1),
        Example(expected="anything", actual="invoice 42", options={"pattern": r"^INV-\d{4}$"}, score=0),
    ],
)
def regex(pairs: Pairs, config: Regex) -> Scores:
    """1 where the pattern matches in the actual value, else 0."""
    search = _compile_search(config.pattern)
    matched: list[bool] = []
    notes: dict[int, str] = {}
    for row, value in enumerate(pairs.actual):
        family = json_kind(value)
        if family in {"list", "object"}:
            matched.append(False)
            notes[row] = f"a pattern cannot be searched in a value of kind {family}"
            continue
        text = to_nfc(value) if isinstance(value, str) else canonical_json(value)
        matched.append(text is not None and search(text) is not None)
    return Scores.of(matched, notes=notes)


def _compile_search(pattern: str) -> Callable[[str], object]:
    """A function that searches a text for the pattern; ValueError if the pattern is invalid."""
    options = re2.Options()
    options.log_errors = False
    try:
        search: Any = re2.compile(to_nfc(pattern), options).search
    except re2.error as error:
        message = error.args[0] if error.args else ""
        text = message.decode(errors="replace") if isinstance(message, bytes) else str(message)
        raise ValueError(f"bad pattern `{pattern}`: {text}; see the RE2 syntax, which has no look-around or back-references") from None
    except UnicodeEncodeError:
        raise ValueError("bad pattern: it contains half of a surrogate pair, which no text has") from None
    return lambda text: search(text if text.isascii() else _replace_surrogates(text))


def _replace_surrogates(text: str) -> str:
    """The text with stray halves of surrogate pairs replaced, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()
