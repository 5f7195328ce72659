"""Whole words in text."""

import re
import unicodedata
from collections.abc import Iterable


def word_finder(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern that finds any of these words or phrases as a whole, whatever the letter case.

    >>> word_finder(["hate"]).findall("Hate it, whatever")
    ['Hate']
    """
    folded = sorted({unicodedata.normalize("NFC", word).strip() for word in words} - {""}, key=len, reverse=True)
    body = "|".join(r"\s+".join(map(re.escape, word.split())) for word in folded)
    return re.compile(rf"(?<!\w)(?:{body})(?!\w)" if body else r"(?!)", re.IGNORECASE)
