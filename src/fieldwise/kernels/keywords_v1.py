"""Keywords and numbers exactly as the first framework found them, for figures that must stay comparable.

>>> sorted(keywords_v1("Rate Order for Territory 118: 0.305%"))
['0.305%', '118', 'Rate Order', 'order', 'rate', 'territory']
"""

import re
from typing import Final

_PHRASE = re.compile(r"\b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)+\b")
_NUMBER = re.compile(r"\d+\.?\d*%?")
_WORD = re.compile(r"\b[a-z]{4,}\b")
_STOPWORDS: Final = frozenset({"this", "that", "the", "and", "for", "with", "from", "are", "was", "were"})
_DIGITS = re.compile(r"[\$]?(\d+\.?\d*)%?")


def keywords_v1(text: str) -> set[str]:
    """Unfolded phrases without numbers, digits as text, and ASCII words."""
    words = (word for word in _WORD.findall(text.lower()) if word not in _STOPWORDS)
    return {*_PHRASE.findall(text), *_NUMBER.findall(text), *words}


def digits_v1(text: str) -> set[str]:
    """Runs of digits as text.

    >>> sorted(digits_v1("$604, -0.133% and 750,000"))
    ['0.133', '000', '604', '750']
    """
    return set(_DIGITS.findall(text))
