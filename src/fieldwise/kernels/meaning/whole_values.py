"""Whole values that an embedding must not judge: dates, amounts, quantities, terms of closed vocabularies, codes, addresses.

Where both texts are, as a whole, values of one such type, they mean the same only if they denote the same thing.

>>> compare_whole_values("Slovakia", "Slovenia")
ValueVerdict(same=False, what='countries differ: Slovakia / Slovenia')
>>> compare_whole_values("12 Main Street", "12 Main St.").same, compare_whole_values("12 Main Street", "12 Main Avenue").same
(True, False)
>>> compare_whole_values("The term is 24 months", "It runs for two years") is None
True
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from fieldwise.kernels.amounts import Figure, read_figure
from fieldwise.kernels.bounds_in_text import split_bound
from fieldwise.kernels.calendar_moment import AmbiguousMoment, Moment, same_time_of_day
from fieldwise.kernels.languages import agree_on_language, languages_called
from fieldwise.kernels.locale_tables import currency_codes, day_names, fold_name, major_languages, month_names
from fieldwise.kernels.meaning.guards import find_symbol_differences
from fieldwise.kernels.meaning.legal_forms import same_legal_form
from fieldwise.kernels.meaning.lexicon import MAKES, TOWNS, parse_groups
from fieldwise.kernels.meaning.places import is_region_code, nationalities_called, regions_called
from fieldwise.kernels.meaning.text_reading import read_text, spell_comparators
from fieldwise.kernels.meaning.text_units import is_unit_name
from fieldwise.kernels.measures import QuantityReading, read_duration, read_quantity
from fieldwise.kernels.moments import DateReading, read_moment
from fieldwise.kernels.short_forms import find_street_names, find_street_words, shorten
from fieldwise.kernels.terms import countries_called, currencies_called
from fieldwise.kernels.units import units_called

_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "æ": "ae", "å": "aa"})
MAX_LENGTH: Final = 80
"""Longer texts are never values of these types."""
_ROUNDING: Final = 1e-9
_MIN_SLIP_RATIO: Final = 0.7
"""Words less alike than this are other words, not misspelt ones."""
_CODE: Final = re.compile(r"(?=.*\d)[^\W_]+(?:[-_./#:+()]+[^\W_]+)*|\+?\(?\d[\d ()./+-]*\d", re.ASCII)
"""An identifier: letters and digits without spaces, or digits with spaces and marks."""
_GROUPED_CODE: Final = re.compile(r"(?=.*\d)(?:[A-Z]{1,4}|[A-Z]*\d+[A-Z]*)(?:[ ./-]+(?:[A-Z]{1,4}|[A-Z]*\d+[A-Z]*))*", re.ASCII)
_RANGE: Final = re.compile(r"\d+[-\u2013]\d+ ?([A-Z]{2,4})|([A-Z]{3}) ?\d+[-\u2013]\d+")
_POINTED_CODE: Final = re.compile(
    r"(?:v|ver|version|rev|release|f/) ?\d+(?:\.\d+)+|(?=(?:\D*\d){2,4}\D*$)\d+(?:\.\d+)+|\d{1,3}(?:\.\d{1,3}){3}", re.I
)
"""Versions, apertures, short numbers in parts, and addresses of machines: their points are a part of their value."""
_CLOCK: Final = re.compile(r"\d{1,2}(?:[:.h]\d{2})?(?::\d{2})?\s*(?:[ap]\.?m\.?|uhr|h)?", re.I)
_ORDINAL: Final = re.compile(r"\d+(?:st|nd|rd|th)", re.I)
_SIGN: Final = re.compile(r"(?<![^\W_])(?:[A-Z][A-Za-z]{0,3}\d?([-\u2212\u2013]|#)|[A-Za-z]{1,4}\d?(\+{1,2}))(?=[\s,;.)]|$)")
_SHORT_START: Final = re.compile(r"[A-Za-z]{1,2}(?![A-Za-z])")
_SHORT_WORD: Final = re.compile(r"[a-z]{1,3}")
_SHORT_NAME: Final = re.compile(r"[A-Za-z][a-z]{0,2}")
_MAX_FIRST_NAME: Final = 5
"""Letters of names of people that are days and languages somewhere: `Ben` and `Sal` are Tuesday, `Dana` and `Denis` are Danish."""
_MAX_UNIT_LENGTH: Final = 20
_MAX_INITIALS: Final = 6
_UNCOUNTED_WORDS: Final = frozenset({"and", "of", "for", "the", "&", "und", "für", "et", "de", "des", "du"})
"""Words that have no letter in an abbreviation."""

TITLES: Final = """mr mister herr monsieur m señor senor sr signor sig senhor |
mrs frau madame mme señora senora sra signora senhora mevrouw | ms frau madame mme mevrouw |
miss fräulein mademoiselle mlle señorita | dr doctor doktor docteur | prof professor professeur professore |
sir | madam dame lady | lord | rev reverend | hon honourable honorable ;"""
_OTHER_TERMS: Final = {
    "seasons": """spring frühling frühjahr printemps primavera | summer sommer été verano estate verão |
autumn fall herbst automne otoño autunno outono | winter hiver invierno inverno ;""",
    "directions": """north northern nord norte norden | south southern süd sud sur süden | east eastern ost est este osten |
west western ouest oeste ovest westen ;""",
    "legal forms": """ltd limited | inc incorporated | llc | llp | plc | corp corporation | gmbh | ag | kg | ug | sa | sarl | sas |
srl | spa | bv | nv | oy | oyj | ab | aps | kft | zrt | sro | pty | sl | lda | ltda ;""",
    "ordinals": "first | second | third | fourth | fifth | sixth | seventh | eighth | ninth | tenth | last final ;",
}
"""Further closed vocabularies, in the form of `TITLES`, by what is said of two terms that differ."""


class ValueVerdict(NamedTuple):
    """Whether two values denote the same thing, and why not."""

    same: bool
    what: str = ""


def compare_whole_values(expected: str, actual: str) -> ValueVerdict | None:
    """The verdict on two texts that are values of one type; None if they are not, so that their wording decides."""
    if max(len(expected), len(actual)) > MAX_LENGTH:
        return None
    if not expected.isascii() or not actual.isascii():
        spelled_out = _spell_umlauts(expected) == _spell_umlauts(actual)
        if spelled_out and expected.casefold() != actual.casefold():
            return ValueVerdict(True)  # `Müller` and `Mueller`
    for compare in (
        _compare_bounds,
        _compare_dates,
        _compare_quantities,
        _compare_figures,
        _compare_terms,
        _compare_initials,
        _compare_companies,
        _compare_differing_words,
        _compare_variants,
        _compare_codes,
        _compare_addresses,
    ):
        verdict = compare(expected, actual)
        if verdict is not None:
            return verdict
    return None


def _spell_umlauts(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold().translate(_UMLAUTS)


def _judge(same: bool, noun: str, expected: str, actual: str) -> ValueVerdict:
    return ValueVerdict(True) if same else ValueVerdict(False, f"{noun} differ: {expected} / {actual}")


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _compare_bounds(expected: str, actual: str) -> ValueVerdict | None:
    """Compare a bound or an estimate with a value, or two of them: `~12 January 2017`, `up to 5 kg`, `until 12 January 2017`."""
    left, right = _split_bound(expected), _split_bound(actual)
    if left is None and right is None:
        return None
    values = expected if left is None else left[1], actual if right is None else right[1]
    verdict = next((verdict for compare in _MEASURED if (verdict := compare(*values)) is not None), None)
    if verdict is None or (left is not None and right is not None and (not left[0] or not right[0])):
        return None
    signs = ("" if left is None else left[0]), ("" if right is None else right[0])
    if left is None or right is None or signs[0] != signs[1]:
        return ValueVerdict(False, f"only one side is a bound or an estimate: {expected} / {actual}")
    return verdict


def _split_bound(text: str) -> tuple[str, str] | None:
    """The sign of a bound and its value, as `split_bound` finds them; for the words of dates alone, no sign."""
    bound = split_bound(text)
    if bound is not None:
        return bound if _has_digit(bound[1]) else None
    word = _DATE_BOUND.match(text)
    return None if word is None or read_moment(text[word.end() :]) is None else ("", text[word.end() :])


def _compare_variants(expected: str, actual: str) -> ValueVerdict | None:
    """Tell variants of a model apart: `iPhone 12`, `iPhone 12 Pro`."""
    shorter, longer = sorted((expected.casefold().split(), actual.casefold().split()), key=len)
    if len(shorter) == len(longer) or longer[: len(shorter)] != shorter or not _has_digit("".join(shorter)):
        return None
    is_variant = _VARIANTS.issuperset(longer[len(shorter) :])
    return ValueVerdict(False, f"variants differ: {expected} / {actual}") if is_variant else None


def _compare_dates(expected: str, actual: str) -> ValueVerdict | None:
    if not (_has_digit(expected) and _has_digit(actual)):
        return None
    left, right = read_moment(expected), read_moment(actual)
    if left is None or right is None:
        return None
    orders = (True,) if isinstance(left, AmbiguousMoment) and isinstance(right, AmbiguousMoment) else (True, False)
    verdicts: list[bool] = []
    for order in orders:
        expected_moment, actual_moment = read_moment(expected, DateReading(order)), read_moment(actual, DateReading(order))
        if isinstance(expected_moment, Moment) and isinstance(actual_moment, Moment):
            verdicts.append(_are_same_moment(expected_moment, actual_moment))
    if not any(verdicts) and _SHORT_START.match(expected) and _alnum_key(expected) == _alnum_key(actual):
        return None  # `AB-12-34` and `AB1234`: `ab` is a month in a few languages
    return _judge(any(verdicts), "dates", expected, actual) if verdicts else None


def _are_same_moment(left: Moment, right: Moment) -> bool:
    """True for the same date, and the same time of day where both have one."""
    if left.offset is not None and right.offset is not None and left.clock is not None and right.clock is not None:
        return same_time_of_day(left, right)
    same_day = (left.year, left.month) == (right.year, right.month) and (left.day == right.day or None in (left.day, right.day))
    return same_day and same_time_of_day(left, right)


def _compare_quantities(expected: str, actual: str) -> ValueVerdict | None:
    left, right = read_quantity(expected), read_quantity(actual)
    if left is not None and right is not None and left.units and right.units and not _name_currencies(expected, actual):
        return _judge(_are_same_quantity(left, right), "quantities", expected, actual)
    if ":" in expected + actual or not (left is None or left.units) or not (right is None or right.units):
        return None
    first, second = read_duration(expected), read_duration(actual)
    if first is None or second is None:
        return None
    return _judge(
        abs(first.seconds - second.seconds) <= _ROUNDING * max(abs(first.seconds), abs(second.seconds)), "durations", expected, actual
    )


def _name_currencies(expected: str, actual: str) -> bool:
    """True if both texts also read as amounts of money: `100 Ft` are forints beside `200 HUF`."""
    figures = (read_figure(expected), read_figure(actual))
    return all(figure is not None and figure.currencies for figure in figures)


def _are_same_quantity(left: QuantityReading, right: QuantityReading) -> bool:
    if left.units & right.units:
        return left.value == right.value
    pairs = [(first, second) for first in left.to_base() for second in right.to_base() if first.dimension == second.dimension]
    return any(abs(first.value - second.value) <= _ROUNDING * max(abs(first.value), abs(second.value)) for first, second in pairs)


def _compare_figures(expected: str, actual: str) -> ValueVerdict | None:
    if not (_has_digit(expected) and _has_digit(actual)):
        return None
    left, right = read_figure(expected), read_figure(actual)
    if left is None or right is None or left.percent != right.percent or left.units or right.units:
        return None
    if not (left.currencies or right.currencies or left.percent):  # bare numbers may be codes: 007 is not 7
        return _judge(left.value == right.value and _alnum_key(expected) == _alnum_key(actual), "numbers", expected, actual)
    same_tax = not left.tax or not right.tax or left.tax == right.tax
    return _judge(left.value == right.value and same_tax and _share_currency(left, right), "amounts", expected, actual)


_MEASURED: Final = (_compare_dates, _compare_quantities, _compare_figures)
"""Comparisons of values that may be bounded."""
_DATE_BOUND: Final = re.compile(
    r"(?:until|till|before|by|after|since|from|not later than|no later than|bis(?: zum)?|vor(?: dem)?|nach(?: dem)?|seit(?: dem)?"
    r"|ab(?: dem)?|jusqu'au|avant le|après le|depuis le|à partir du|hasta(?: el)?|antes del?|desde(?: el)?|después del?|até|fino al"
    r"|entro il|dal|dopo il|tot(?: en met)?|vanaf|vóór|na|do|od|po|przed|до|с|после|от) ",
    re.IGNORECASE,
)
_VARIANTS: Final = frozenset("pro max plus mini ultra lite air se xl xs fe ti super".split())  # noqa: SIM905
"""Words behind the number of a model."""


def _share_currency(left: Figure, right: Figure) -> bool:
    return not left.currencies or not right.currencies or bool(left.currencies & right.currencies)


def _term_reader(table: str) -> Callable[[str], frozenset[str]]:
    """A reader of one vocabulary: the numbers of the groups that a text is in."""

    @lru_cache(maxsize=1)  # parsed once, when the first pair needs it
    def meanings() -> dict[str, frozenset[str]]:
        groups_of: dict[str, set[str]] = {}
        for group, words in enumerate(chain.from_iterable(parse_groups(table))):
            for word in words:
                groups_of.setdefault(word, set()).add(str(group))
        return {word: frozenset(groups) for word, groups in groups_of.items()}

    return lambda text: meanings().get(text.casefold().replace(".", "").strip(), frozenset())


def _calendar_reader(names: Callable[[], Mapping[str, dict[int, frozenset[str]]]]) -> Callable[[str], frozenset[str]]:
    """A reader of months or days of the week in any language; where a name is English too, it is the English one."""

    def meanings_of(text: str) -> frozenset[str]:
        if " " in text:  # no need to fold the words of a sentence
            return frozenset()
        numbers = names().get(fold_name(text).rstrip("."), {})
        english = [number for number, languages in numbers.items() if "en" in languages]
        spoken = [number for number, languages in numbers.items() if languages & major_languages()]  # `Acer` is a Saturday elsewhere
        return frozenset(map(str, english or spoken))

    return meanings_of


def _compare_terms(expected: str, actual: str) -> ValueVerdict | None:
    """Compare terms of one vocabulary. A text may be in several, and a name may mean several things: one shared meaning is enough."""
    if max(len(expected), len(actual)) > 60 or _has_digit(expected) or _has_digit(actual):
        return None
    differing = ""
    for noun, meanings_of in _VOCABULARIES:
        left = meanings_of(expected)
        right = meanings_of(actual) if left else left
        if left & right and (meanings_of is not languages_called or agree_on_language(expected, actual)):
            return None if _may_be_first_names(noun, expected, actual) else ValueVerdict(True)
        if left and right:
            differing = differing or noun
    if differing:
        return ValueVerdict(False, f"{differing} differ: {expected} / {actual}")
    return _compare_places(expected, actual, expected, actual)  # a state and a country: New Mexico and Mexico


def _compare_initials(expected: str, actual: str) -> ValueVerdict | None:
    """An abbreviation is the same as the words it is made of: `VAT`, `value added tax`. Two letters may be those of a person's name."""
    short, full = sorted((expected.strip(), actual.strip()), key=len)
    if not (short.isupper() and short.isalpha() and 1 < len(short) <= _MAX_INITIALS):
        return None
    words = [word for word in full.split() if word.casefold() not in _UNCOUNTED_WORDS]
    if "".join(word[0] for word in words).casefold() != short.casefold() or (len(short) == 2 and full != full.lower()):
        return None
    return None if read_text(short).alternatives else ValueVerdict(True)


def _compare_companies(expected: str, actual: str) -> ValueVerdict | None:
    """Compare companies of one name by their legal forms."""
    same = same_legal_form(expected, actual)
    return None if same is None else _judge(same, "legal forms", expected, actual)


def _may_be_first_names(noun: str, expected: str, actual: str) -> bool:
    """True for two short words that are terms in some languages and not in English, and more often names."""
    if noun not in ("months", "days", "languages") or max(len(expected), len(actual)) > _MAX_FIRST_NAME:
        return False
    is_name = expected.istitle() and actual.istitle() and expected.isascii() and actual.isascii()
    return is_name and not any(_is_english_term(noun, text) for text in (expected, actual))


def _is_english_term(noun: str, text: str) -> bool:
    if noun == "languages":
        return False  # English names of languages that are this short are rare: `Dutch` and `Welsh` have one spelling
    names = month_names() if noun == "months" else day_names()
    return any("en" in languages for languages in names.get(fold_name(text).rstrip("."), {}).values())


def _unless_short_name(meanings_of: Callable[[str], frozenset[str]]) -> Callable[[str], frozenset[str]]:
    """A reader that takes no short name for a code either: `Ken` is not Kenya."""
    return lambda text: frozenset() if _SHORT_NAME.fullmatch(text) else meanings_of(text)


def _unless_short_word(meanings_of: Callable[[str], frozenset[str]]) -> Callable[[str], frozenset[str]]:
    """A reader that takes no short word in small letters for a code: `can` is not Canada."""
    return lambda text: frozenset() if _SHORT_WORD.fullmatch(text) else meanings_of(text)


def _unit_called(text: str) -> frozenset[str]:
    """The unit of measurement that a text names; none for a letter, a word with several such meanings and a short name of people."""
    if not text or len(text) > _MAX_UNIT_LENGTH or text.count(" ") > 1 or (len(text) == 1 and text.isalpha()):
        return frozenset()
    if len(text) <= _MAX_FIRST_NAME and text.istitle() and text.isascii() and not is_unit_name(text.lower()):
        return frozenset()
    units = units_called(text)
    return units if len(units) == 1 else frozenset()


_VOCABULARIES: Final[tuple[tuple[str, Callable[[str], frozenset[str]]], ...]] = (
    ("titles", _term_reader(TITLES)),
    ("countries", _unless_short_name(countries_called)),
    ("currencies", _unless_short_word(currencies_called)),
    ("units", _unit_called),
    ("states", regions_called),
    ("nationalities", nationalities_called),
    ("towns", _term_reader(TOWNS)),
    ("makes", _term_reader(MAKES)),
    ("languages", languages_called),
    ("months", _unless_short_word(_calendar_reader(month_names))),
    ("days", _unless_short_word(_calendar_reader(day_names))),
    *((noun, _term_reader(table)) for noun, table in _OTHER_TERMS.items()),
)


_MIN_NAME_LENGTH: Final = 4
"""Shorter names inside a text are codes or other words."""
_NAMES_INSIDE: Final[tuple[tuple[str, Callable[[str], frozenset[str]]], ...]] = (
    ("states", regions_called),
    ("nationalities", nationalities_called),
    ("countries", countries_called),
)
"""Vocabularies whose terms are compared where they are all that differs in two texts."""


def _compare_differing_words(expected: str, actual: str) -> ValueVerdict | None:
    """Compare texts that are the same but for the name of a place or a people: `Portland, OR` and `Portland, ME`."""
    left, right = expected.split(), actual.split()
    shared_before = _count_shared(left, right)
    shared_behind = _count_shared(left[shared_before:][::-1], right[shared_before:][::-1])
    if not shared_before and not shared_behind:
        return None
    if shared_behind and len(left) != len(right) and shared_before + shared_behind >= min(len(left), len(right)):
        shared_behind -= 1  # of `Virginia` and `West Virginia`, the name is more than what differs
    first, second = (_strip_marks(words[shared_before : len(words) - shared_behind]) for words in (left, right))
    follows_town = shared_before > 0 and left[shared_before - 1].endswith(",")
    if follows_town:
        verdict = _compare_places(first, second, expected, actual)
        if verdict is not None:
            return verdict
    for noun, meanings_of in _NAMES_INSIDE:
        meanings = [meanings_of(name) if len(name) >= _MIN_NAME_LENGTH else frozenset[str]() for name in (first, second)]
        if all(meanings) and meanings[0].isdisjoint(meanings[1]):
            return ValueVerdict(False, f"{noun} differ: {expected} / {actual}")
    return None


def _count_shared(expected: list[str], actual: list[str]) -> int:
    """How many words two texts begin with, letter case aside."""
    count = 0
    for left, right in zip(expected, actual, strict=False):
        if left.casefold() != right.casefold():
            break
        count += 1
    return count


def _strip_marks(words: list[str]) -> str:
    name = " ".join(words).rstrip(",;:")
    return name if is_region_code(name) else name.rstrip(".")


def _compare_places(first: str, second: str, expected: str, actual: str) -> ValueVerdict | None:
    """Compare two names of states or countries; None where one may be in the other: Oregon and USA."""
    if not all(is_region_code(name) or len(name) >= _MIN_NAME_LENGTH for name in (first, second)):
        return None
    left, right = (regions_called(name) | countries_called(name) for name in (first, second))
    if left & right:
        return ValueVerdict(True)
    may_contain = any(_contains_place(left, place) for place in right) or any(_contains_place(right, place) for place in left)
    return None if may_contain or not left or not right else ValueVerdict(False, f"places differ: {expected} / {actual}")


def _contains_place(places: frozenset[str], place: str) -> bool:
    """True if one of the places is the country of a region."""
    return "-" in place and place.partition("-")[0] in places


def _compare_codes(expected: str, actual: str) -> ValueVerdict | None:
    if not (_is_code(expected) and _is_code(actual)):
        return None
    same = _alnum_key(expected) == _alnum_key(actual) and _have_same_separators(expected, actual)
    return _judge(same, "codes", expected, actual)


def _is_code(text: str) -> bool:
    if _CLOCK.fullmatch(text) or _ORDINAL.fullmatch(text) or _is_range(text):
        return False
    return _CODE.fullmatch(text) is not None or _GROUPED_CODE.fullmatch(text) is not None


def _is_range(text: str) -> bool:
    """True for a range of amounts or quantities, whose hyphen is a part of its value: `10-20 EUR`."""
    match = _RANGE.fullmatch(text)
    if match is None:
        return False
    unit = match[1] or match[2]
    return unit in currency_codes() or is_unit_name(unit.lower())


def _have_same_separators(expected: str, actual: str) -> bool:
    """True unless `+` is where the other code has `-`, or points that part its numbers are elsewhere.

    >>> _have_same_separators("T+1", "T-1"), _have_same_separators("10.0.0.1", "100.0.1"), _have_same_separators("555.1234", "5551234")
    (False, False, True)
    """
    left, right = _find_separators(expected), _find_separators(actual)
    if any({left[place], right[place]} == {"+", "-"} for place in left.keys() & right.keys()):
        return False
    left_points, right_points = ({place for place, mark in marks.items() if mark == "."} for marks in (left, right))
    parts_differ = not left_points <= right.keys() or not right_points <= left.keys()
    has_parts = (left_points and right_points) or _POINTED_CODE.fullmatch(expected) or _POINTED_CODE.fullmatch(actual)
    return not (parts_differ and has_parts)


def _find_separators(text: str) -> dict[int, str]:
    """The last mark before each letter or digit, by the number of letters and digits before it; minus signs and dashes as `-`."""
    marks: dict[int, str] = {}
    count = 0
    for character in text:
        if character.isalnum():
            count += 1
        elif count:
            marks[count] = "-" if character in "-\u2212\u2013" else character
    return marks


def _alnum_key(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _find_signs(text: str) -> list[str]:
    """The signs at the end of short words, which are a part of them: `A+`, `Rh-`, `BBB+`, `C++`, `C#`.

    >>> _find_signs("grade A+"), _find_signs("Acme - Corp."), _find_signs("Rh-")
    (['+'], [], ['-'])
    """
    return [sign.replace("\u2212", "-").replace("\u2013", "-") for sign in map("".join, _SIGN.findall(text))]


def _compare_addresses(expected: str, actual: str) -> ValueVerdict | None:
    """Equal but for short forms; or addresses with another kind of street or, of the same length, with a street of another name."""
    left, right = shorten(spell_comparators(expected)), shorten(spell_comparators(actual))
    if left == right and left:
        if _find_signs(expected) != _find_signs(actual):
            return ValueVerdict(False, f"signs differ: {expected} / {actual}")
        differences = find_symbol_differences(expected, actual)
        return ValueVerdict(not differences, "; ".join(map(str, differences)))
    if shorten(expected) == shorten(actual) != ():
        return ValueVerdict(False, f"signs differ: {expected} / {actual}")
    first, second = find_street_words(left), find_street_words(right)
    if not first or not second:
        return None
    if not first & second:
        return ValueVerdict(False, f"streets differ: {expected} / {actual}")
    if len(left) != len(right):
        return None
    if find_street_names(left).isdisjoint(find_street_names(right)):
        return ValueVerdict(False, f"streets differ: {expected} / {actual}")
    differing = [pair for pair in zip(left, right, strict=True) if pair[0] != pair[1]]
    same = all(_are_same_region(*pair) for pair in differing)
    is_decided = _has_house_number(left) and (same or _is_other_word(differing))
    return _judge(same, "addresses", expected, actual) if is_decided else None


def _are_same_region(left: str, right: str) -> bool:
    """True for the code and the name of one state in lower case: `il`, `illinois`."""
    codes = [regions_called(word.upper() if len(word) <= 3 else word) for word in (left, right)]
    return not codes[0].isdisjoint(codes[1])


def _has_house_number(words: tuple[str, ...]) -> bool:
    return any(_has_digit(word) for word in words)


def _is_other_word(differing: list[tuple[str, str]]) -> bool:
    """True if words differ in one place only, by more than a slip: another town."""
    return len(differing) == 1 and SequenceMatcher(None, *differing[0]).ratio() < _MIN_SLIP_RATIO
