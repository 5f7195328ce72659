r"""Text that a pattern is found in. The expected value plays no part.

The pattern may match anywhere in the actual text: write `^` and `$` (or `\A` and `\z`) for the whole of it. The syntax is RE2's:
no back-references and no look-around, and in return a search takes time proportional to the text, whatever the pattern.
Numbers and booleans are searched as JSON writes them; lists and objects hold no text and fail.

>>> regex(Pairs(["", ""], ["INV-0042", "invoice 42"]), Regex(pattern=r"^INV-\d{4}$")).value.tolist()
[1.0, 0.0]
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import re2
from annotated_types import MinLen

from fieldwise.kernels.values import canonical, nfc
from fieldwise.matchers._keys import non_finite_notes
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.values import kind
from fieldwise.registry import matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Regex:
    """What to look for."""

    pattern: Annotated[str, MinLen(1)]
    """Found anywhere in the actual value, unless anchored. `(?i)` in front ignores letter case."""

    def __post_init__(self) -> None:
        _compile(self.pattern)


@matcher(reflexive=False)
def regex(pairs: Pairs, config: Regex) -> Scores:
    """1 where the pattern is found in the actual value, else 0."""
    search = _compile(config.pattern)
    matched, notes = list[bool](), dict[int, str]()
    for row, value in enumerate(pairs.actual):
        family = kind(value)
        if family in {"list", "object"}:
            matched.append(False)
            notes[row] = f"a pattern cannot be searched in a value of kind {family}"
            continue
        text = nfc(value) if isinstance(value, str) else canonical(value)
        matched.append(text is not None and search(text) is not None)
    failed = (row for row, good in enumerate(matched) if not good and row not in notes)
    return Scores.of(matched, notes={**notes, **non_finite_notes([None] * len(pairs), pairs.actual, failed)})


def _compile(pattern: str) -> Callable[[str], object]:
    """A search for the pattern; ValueError if there is something wrong with it."""
    options = re2.Options()
    options.log_errors = False
    try:
        search: Any = re2.compile(nfc(pattern), options).search
    except re2.error as error:
        said = error.args[0] if error.args else ""
        text = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
        raise ValueError(f"bad pattern `{pattern}`: {text}; see the RE2 syntax, which has no look-around or back-references") from None
    except UnicodeEncodeError:
        raise ValueError("bad pattern: it holds half of a surrogate pair, which no text has") from None
    return lambda text: search(text if text.isascii() else _encodable(text))


def _encodable(text: str) -> str:
    """The text with stray halves of surrogate pairs replaced: UTF-8 has no place for them."""
    return text.encode("utf-8", "replace").decode()
