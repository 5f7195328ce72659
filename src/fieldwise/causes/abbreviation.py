"""One side is shortened: `St.` for `Street`, `IBM` for `International Business Machines`, `J. Smith` for `John Smith`."""

from fieldwise.kernels.text_normalize import words
from fieldwise.model.context import Context
from fieldwise.registry import cause

LABEL = "abbreviation"
ADVICE = "List the short forms you accept, e.g. `match: one_of`, or ask for names written out."
SCREEN = "shortened"
_SHORT = {
    "corporation": "corp", "incorporated": "inc", "limited": "ltd", "company": "co", "companies": "cos", "international": "intl",
    "association": "assn", "brothers": "bros", "manufacturing": "mfg", "department": "dept", "division": "div", "government": "govt",
    "university": "univ", "institute": "inst", "national": "natl", "technology": "tech", "technologies": "tech", "laboratory": "lab",
    "laboratories": "labs", "services": "svcs", "service": "svc", "management": "mgmt", "center": "ctr", "centre": "ctr",
    "street": "st", "saint": "st", "avenue": "ave", "av": "ave", "road": "rd", "boulevard": "blvd", "drive": "dr", "doctor": "dr",
    "lane": "ln", "court": "ct", "place": "pl", "square": "sq", "highway": "hwy", "parkway": "pkwy", "building": "bldg",
    "floor": "fl", "suite": "ste", "apartment": "apt", "room": "rm", "mount": "mt", "fort": "ft", "strasse": "str", "number": "no",
    "north": "n", "south": "s", "east": "e", "west": "w", "northeast": "ne", "northwest": "nw", "southeast": "se", "southwest": "sw",
    "junior": "jr", "senior": "sr", "professor": "prof", "mister": "mr", "president": "pres", "director": "dir", "manager": "mgr",
    "assistant": "asst", "engineer": "eng", "engineering": "eng", "approximately": "approx", "versus": "vs", "volume": "vol",
    "pages": "pp", "edition": "ed", "january": "jan", "february": "feb", "march": "mar", "april": "apr", "june": "jun", "july": "jul",
    "august": "aug", "sept": "sep", "september": "sep", "october": "oct", "november": "nov", "december": "dec",
    "pieces": "pcs", "piece": "pc", "quantity": "qty", "kilogram": "kg", "kilograms": "kg", "hours": "hrs", "hour": "hr", "minutes": "min",
}  # fmt: skip
_SKIPPED = frozenset({"and", "of", "the", "for", "und", "et", "de", "y"})
"""Words that initials leave out."""


@cause(rank=80, kinds="text", label=LABEL, advice=ADVICE, screens=SCREEN)
def abbreviation(expected: str, actual: str, _context: Context) -> bool:
    """Whether both are the same words with some of them shortened, or one is the initials of the other."""
    one, other = words(expected), words(actual)
    if not one or not other or one[0][0] != other[0][0]:
        return False
    if len(one) == len(other) and not _may_agree(one, other):
        return False
    found = _is_initials_of(one, other) or _is_initials_of(other, one) or _are_shortened(one, other)
    found = found or (len(one) == len(other) and _has_initials(one, other) and not _is_cut_off(expected, actual))
    return found and sum(map(len, one)) != sum(map(len, other))


def _may_agree(one: list[str], other: list[str]) -> bool:
    """Whether words that differ begin alike and one of them has a short form or is one letter: most texts are told apart by that."""
    for a, b in zip(one, other, strict=True):
        if a != b and not (a[0] == b[0] and (a in _SHORT or b in _SHORT or len(a) == 1 or len(b) == 1)):
            return False
    return True


def _are_shortened(one: list[str], other: list[str]) -> bool:
    """`Bed & Breakfast Co.` and `Bed and Breakfast Company`."""
    return (len(one) == len(other) or "and" in one or "and" in other) and _shortened(one) == _shortened(other)


def _shortened(text: list[str]) -> list[str]:
    return [_SHORT.get(word, word) for word in text if word != "and"]


def _is_initials_of(short: list[str], long: list[str]) -> bool:
    """`IBM` or `I.B.M.` of `International Business Machines`."""
    if len(short[0]) > 1 and (len(short) > 1 or len(short[0]) > len(long)):
        return False
    initials = "".join(short)
    if not 2 <= len(initials) <= 8 or len(long) < 2 or max(map(len, short)) not in (1, len(initials)):
        return False
    return initials in {"".join(word[0] for word in long), "".join(word[0] for word in long if word not in _SKIPPED)}


def _has_initials(one: list[str], other: list[str]) -> bool:
    """`J. Smith` and `John Smith`: every word agrees, in full or by its initial, and a name agrees in full."""
    full = any(a == b and len(a) > 2 and a.isalpha() for a, b in zip(one, other, strict=True))
    return full and all(
        a == b or (a[0] == b[0] and a.isalpha() and b.isalpha() and 1 in (len(a), len(b))) for a, b in zip(one, other, strict=True)
    )


def _is_cut_off(expected: str, actual: str) -> bool:
    """`John S` is more likely a part of `John Smith` than an abbreviation; `John S.` is not."""
    return expected.startswith(actual) and actual[-1:].isalpha()
