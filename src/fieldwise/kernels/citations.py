"""Signs in an answer that it says where it has something from.

>>> cited("According to the manual.pdf, page 3, homepage", signs()), cited_v1("homepage", signs())
(['page', 'pdf', 'according to'], ['page'])
"""

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

INDICATORS: Final = ("source:", "table:", "page", "document", "pdf", "according to", "based on", "from")


Signs: TypeAlias = tuple[tuple[str, str, re.Pattern[str]], ...]
"""Indicators made ready: as written, a part that must be there (quicker to look for), and the whole."""


def signs(indicators: Sequence[str] = INDICATORS) -> Signs:
    """Make indicators ready for `cited`."""
    return tuple((indicator, indicator.casefold().rstrip(":").split()[0], _pattern(indicator)) for indicator in indicators)


def cited(text: str, signs: Signs) -> list[str]:
    """The indicators that stand in a text as words, in singular or plural, each once."""
    folded = text.casefold()
    return [indicator for indicator, first, pattern in signs if first in folded and stands(pattern, first, folded)]


def stands(pattern: re.Pattern[str], first: str, folded: str) -> bool:
    """Whether a pattern is found, looking only where its first word is."""
    at = folded.find(first)
    while at >= 0:
        if pattern.match(folded, at):
            return True
        at = folded.find(first, at + 1)
    return False


def cited_v1(text: str, signs: Signs) -> list[str]:
    """The indicators that occur anywhere, also inside other words, as the first framework counted them."""
    lowered = text.lower()
    return [indicator for indicator, _, _ in signs if indicator in lowered]


def _pattern(indicator: str) -> re.Pattern[str]:
    """The words of an indicator, markdown around them allowed: `**Source**:`."""
    words = r"\s++".join(map(re.escape, indicator.casefold().rstrip(":").split()))
    end = r"[*_`]{0,3}\s?:" if indicator.endswith(":") else r"(?![^\W_])"
    return re.compile(rf"(?<![^\W_]){words}s?{end}")
