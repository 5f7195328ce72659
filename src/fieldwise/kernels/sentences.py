"""Sentences of a text, whether they deny something, and the ways a date is written.

>>> sentences("The factor is 2.061, e.g. for Mr. Smith. See Rule C-1!\\n- Rounded")
['The factor is 2.061, e.g. for Mr. Smith.', 'See Rule C-1!', 'Rounded']
"""

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

_END = re.compile(r"(?<=[.!?…])[\"'”’)\]*_]{0,3}(?=\s)|(?<=[。！？])")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-Za-z]|e\.g|i\.e|etc|cf|vs|no|nr|mr|mrs|ms|dr|prof|st|inc|ltd|co|approx|fig|sec|art|p|pp|z\.b|d\.h|bzw|ca|inkl)\.$",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^[\s>#*+•‣◦▪·|–—-]*(?:\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?")
_NEGATION = re.compile(
    r"(?<!\w)(?:not|no|never|none|nothing|cannot|without|neither|nor|\w+n['’]t|nicht|kein\w{0,2}|nie|ohne|ne|pas|jamais|sans|nunca|sin|ni|لا|لم|لن|ليس|غير)(?!\w)|[不没無无未]",
    re.IGNORECASE,
)
_ANSWERING = re.compile(r"^(?:yes|no|ja|nein|oui|non|sí|نعم|لا|是的|不是)\s?[,.:;!،，–—-]+", re.IGNORECASE)
_ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T ].*)?")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, without bullets and numbers of lists; an abbreviation or a decimal point ends none."""
    found = (sentence for line in text.splitlines() for sentence in _of_line(_LEADING.sub("", line, count=1)))
    return [cleaned for sentence in found if (cleaned := sentence.strip(" \t*_`|"))]


def _of_line(line: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(line):
        if not _ABBREVIATION.search(line[max(start, end.start() - 12) : end.start()]):
            yield line[start : end.end()]
            start = end.end()
    yield line[start:]


def denies(sentence: str) -> bool:
    """Whether a sentence has a word of negation, other than the No that answers a question.

    >>> denies("It is not covered"), denies("No, it is covered")
    (True, False)
    """
    return _NEGATION.search(_ANSWERING.sub("", sentence, count=1)) is not None


def ways_to_write(text: str) -> list[str]:
    """An ISO date in the forms that documents use; nothing for any other text.

    >>> ways_to_write("2025-01-31")[:4]
    ['2025-01-31', '31 January 2025', '31 Jan 2025', 'January 31 2025']
    """
    found = _ISO_DATE.fullmatch(text.strip())
    if found is None:
        return []
    try:
        day = date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return []
    y, m, d, name = day.year, day.month, day.day, _MONTHS[day.month - 1]
    numeric = [
        sep.join(parts)
        for sep in "/.-"
        for parts in ((f"{d:02}", f"{m:02}", str(y)), (f"{m:02}", f"{d:02}", str(y)), (str(y), f"{m:02}", f"{d:02}"))
    ]
    short = [f"{d}{sep}{m}{sep}{y}" for sep in "/."] + [f"{m}{sep}{d}{sep}{y}" for sep in "/."]
    words = [f"{d} {name} {y}", f"{d} {name[:3]} {y}", f"{name} {d} {y}", f"{name[:3]} {d} {y}", f"{d} of {name} {y}"]
    return list(dict.fromkeys([day.isoformat(), *words, *numeric, *short, f"{y}年{m}月{d}日"]))
