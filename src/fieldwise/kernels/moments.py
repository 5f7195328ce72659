"""Read dates and times of day as people write them, in every CLDR language, in the Gregorian calendar.

A text is read as a whole or not at all. Nothing is guessed: what can be read in two ways is an `AmbiguousMoment` that says so.

>>> read_moment("9 stycznia 2017").date, read_moment("2017年1月9日").date, read_moment("14/03/18").date
(datetime.date(2017, 1, 9), datetime.date(2017, 1, 9), datetime.date(2018, 3, 14))
>>> read_moment("March 15, 2024 10:45 p.m.").clock, read_moment("15.03.2024 14.30 Uhr").clock
(datetime.time(22, 45), datetime.time(14, 30))
>>> str(read_moment("03/04/2025")), str(read_moment("5 listopad 2024"))
('3 April or March 4', '`listopad` is month 10 or 11')
"""

import re
import unicodedata
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import Final, NamedTuple

from fieldwise.kernels import locale_tables
from fieldwise.kernels.calendar_moment import AmbiguousMoment, Moment, TimeOfDay, is_weekday_of
from fieldwise.kernels.clock_times import ClockSplit, read_clock, spell_times, split_clock
from fieldwise.kernels.locale_tables import fold_name, strip_accents
from fieldwise.kernels.month_spellings import MORE_MONTHS, list_month_names, months_called
from fieldwise.kernels.number_words import ENGLISH_NUMBERS, ORDINALS, read_number_words
from fieldwise.pattern import compile_on_use

ENGLISH_MONTHS: Final = tuple("January February March April May June July August September October November December".split())  # noqa: SIM905
DEFAULT_PIVOT: Final = 69
LONGEST: Final = 80
"""Longer texts are no dates."""


class DateReading(NamedTuple):
    """How to decide what a text alone leaves open."""

    day_first: bool | None = None
    languages: frozenset[str] = frozenset()
    """As `calendar_languages_of` gives them."""
    year_pivot: int | None = DEFAULT_PIVOT
    """Two-digit years from the pivot on are 1900 + year, below it 2000 + year; None refuses them."""


@lru_cache(maxsize=1 << 8)  # few languages are asked for
def calendar_languages_of(code: str) -> frozenset[str]:
    """The languages, as the tables of month names call them, of a code with or without script and region; empty if it is no code.

    >>> calendar_languages_of("PL"), calendar_languages_of("pt-BR"), calendar_languages_of("polish")
    (frozenset({'pl'}), frozenset({'pt'}), frozenset())
    >>> sorted(calendar_languages_of("sr_Latn_RS"))
    ['sr', 'sr_latn']
    """
    tag = _LANGUAGE_TAG.fullmatch(code.strip().casefold().replace("-", "_"))
    if tag is None:
        return frozenset()
    named = locale_tables.calendar_languages()
    language = locale_tables.language_codes().get(tag[1]) or (tag[1] if tag[1] in named else None)
    if language is None:
        return frozenset()
    with_script = f"{language}_{tag[2]}"
    return frozenset({language, with_script} if with_script in named else {language})


_ENDS_IN_HOUR: Final = compile_on_use(r"\d ?[ap]\.? ?m\.?$")
"""`10am`: an hour, although `am` may stand in a German date."""
_FILLER_WORDS = "of de del d le la el the den der dem am on dne dnia dia día i y rok roku r g р г року рік года год gada e a à στις στη"
_MORE_FILLERS: Final = frozenset(f"{_FILLER_WORDS} ngày ngay năm nam il lì li s in m d ta day this dated წ წლის সাল بتاريخ".split())
"""What people write inside dates and the patterns of CLDR do not hold."""
_ORDINALS: Final = compile_on_use(
    r"(?<=\d)(?:st|nd|rd|th|er|ère|re|e|è|ème|º|°|ª|\.?o|\.?a|ste|de|:e|:a|-го|-е|ого|ος|η|লা|রা|ঠা|ই|শে|\.)(?![^\W\d_])"
)
_CJK_DATE: Final = compile_on_use(r"(\d{2,4}) ?[年년][ ,]*(\d{1,2}) ?[月월](?:[ ,]*(\d{1,2}) ?(?:[日号號일]|$))?")
_CJK_DIGITS: Final = str.maketrans("〇零一二三四五六七八九", "00123456789")
_WEEKDAY_MARK: Final = compile_on_use(r"[（(]?(?:星期|週|周|礼拜)?[日一二三四五六月火水木金土월화수목금토일](?:曜日?|요일)?[)）]?$")
_ISO: Final = compile_on_use(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_MISREAD_ISO: Final = compile_on_use(
    r"(?=[^a-z]*[a-ln-z][^a-z]*$)[0-9a-z]{4}[-a-z][0-9a-z]{2}[-a-z][0-9a-z]{2}|(?=.*[oil])[0-9oil]{4}-[0-9oil]{2}-[0-9oil]{2}",
    re.ASCII | re.IGNORECASE,
)
"""An ISO date with one letter in it, or with `O`, `l` and `I` for digits: no date, which the general reader takes 40 µs to find out.

`m` is left out, because `m1` names a month.
"""
_USUAL: Final = compile_on_use(r"(\d\d?)([-/.])(\d\d?)\2(\d{4})", re.ASCII)
_ENGLISH: Final = compile_on_use(
    r"(?P<day>\d\d?)[ -](?P<month>[A-Za-z]{3,9})[ -](?P<year>\d{4})|(?P<month2>[A-Za-z]{3,9}) (?P<day2>\d\d?),? (?P<year2>\d{4})", re.ASCII
)
"""The most frequent spellings with a month name: 8 times as fast as the general reader where the name is English."""
_NAMED: Final = compile_on_use(r"([0-9]{1,2})\.? ([^\W\d_]{3,})\.? ([0-9]{4})")
"""The same in other languages: `5. März 2024`."""
_LANGUAGE_TAG: Final = compile_on_use(r"([a-z]{2,3})(?:_([a-z]{4}))?(?:_(?:[a-z]{2}|\d{3}))?(?:_[a-z\d]{4,8})*")
_ZONED_DATE: Final = compile_on_use(r"(\d{4}-\d\d-\d\d)(?:z|\+(\d\d):([0-5]\d))", re.ASCII)
"""A date of XML Schema: `2025-04-03Z`, `2025-04-03+02:00`. The 05:00 of `2025-04-03-05:00` may be a time of day, so that is no date."""
_PROGRAM_DATE: Final = compile_on_use(r"^(?:(\d{4}):(\d\d):(\d\d)(?= \d|$)|(\d\d/[a-z]{3}/\d{4}):(?=\d\d:\d\d:\d\d))", re.ASCII)
"""Dates of cameras and of web servers: `2024:03:05 10:22:33`, `05/Mar/2024:10:22:33 +0000`."""
_MAX_OFFSET: Final = timedelta(hours=14)
_COMPACT: Final = compile_on_use(r"(\d{4})(\d\d)(\d\d)", re.ASCII)
_WEEK: Final = compile_on_use(r"(\d{4})-?w(\d\d)-?(\d)")
_DAY_OF_YEAR: Final = compile_on_use(r"(\d{4})-(\d{3})")
_COMPACT_YEAR_LAST: Final = compile_on_use(r"(\d\d)(\d\d)((?:19|20)\d\d)", re.ASCII)
_NUMERIC: Final = compile_on_use(r"(\d{1,4})( ?[-/.] ?| )(\d{1,2})\2'?(\d{1,4})\.?")
_NUMERIC_WITH_FULL_YEAR: Final = compile_on_use(r"(\d\d?)( ?[·•|\\,_] ?)(\d\d?)\2(\d{4})\.?|(\d{4})( ?[·•|\\,_] ?)(\d\d?)\6(\d\d?)\.?")
"""Dates with separators that are rare, or that scanners read: `31·12·2023`, `31|12|2023`, `31,12,2023`."""
_NORDIC: Final = compile_on_use(r"(\d{1,2})(/)(\d{1,2})[- ](\d{4}|\d\d)")
"""Dates of Scandinavia: `22/1 2016`, `22/1-16`."""
_NUMERIC_YEAR_WORD: Final = compile_on_use(r"(\d{1,2})( ?[-/.] ?)(\d{1,2})\2(\d{4}|\d\d) ?(?:г|р|год|года|року|r|g)\.?")
_WEEKDAY_BESIDE_NUMBERS: Final = compile_on_use(
    r"(?P<before>[^\W\d_]+)\.?,? +(?P<numbers>\d[\d./ -]+(?:[гр]\.?)?)|"
    r"(?P<numbers_first>\d[\d./ -]+\d\.?)(?:,? +\(?|\()(?P<behind>[^\W\d_]+)\.?\)?"
)
_ROMAN_MONTH: Final = compile_on_use(r"(\d{1,2})[-/. ]+([ivx]{1,4})[-/. ]+(\d{4}|\d\d)(?: ?[rгр]\.?)?")
_ROMAN_MONTHS: Final = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_BASQUE_ENDINGS: Final = compile_on_use(r"(?<=\d)\((?:e\)ko|a\))")
_ORDINAL_WORD: Final = compile_on_use(rf"\b(?:(twenty|thirty)[- ])?({'|'.join(sorted(ORDINALS, key=len, reverse=True))})\b")
_WORDED_YEAR: Final = compile_on_use(r"\btwo thousand(?:(?: and)? [a-z]+(?:[- ][a-z]+)?)?$")
_YEAR_MONTH: Final = compile_on_use(r"(\d{4})[-/.](\d{1,2})|(\d{1,2})[-/.](\d{4})")
_TOKEN: Final = compile_on_use(r"\d+|[^\W\d_][^\d\s,./()-]*")
_GUESSES: Final = frozenset({"c", "est"})
"""`c. 12 January 2017`, `est. 12 January 2017`: a guess, although a language abbreviates a day of the week so."""
_BOUND_WORDS: Final = frozenset("to do dal al na po um fra kuni từ tu ig t k od".split())  # noqa: SIM905
"""Words for until, from, after and around that are fillers or days of the week in other languages: `do 12 stycznia`, `to 12 January`."""
_MEANINGFUL_SIGN: Final = compile_on_use(r"[^\w\s,.;:|'\"/()\[\]º°ª·•*!-]|^\s*-|-\s*$|[^*]\*+[^*]")
"""A sign that makes a date a bound, a guess or an amount: `< 12 January`, `12 January?`, `12 January -`. `*` at an end is Markdown."""


def is_iso_date(text: str) -> bool:
    """True for a text such as `2025-04-03`, which reads one way or is no date."""
    return _ISO.fullmatch(text) is not None


def is_calendar_date(text: str) -> bool:
    """True for a day of the calendar in the form `2025-04-03`.

    >>> is_calendar_date("2025-04-03"), is_calendar_date("2025-02-30"), is_calendar_date("2025-W14-4")
    (True, False, False)
    """
    if len(text) != 10 or text[4] != "-" or text[7] != "-":
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def read_moment(text: str, reading: DateReading | None = None) -> Moment | AmbiguousMoment | None:
    """The date and time of day a text gives; None if it gives no date."""
    iso = _ISO.fullmatch(text)
    if iso is not None:
        return _checked(int(iso[1]), int(iso[2]), int(iso[3]))
    usual = _USUAL.fullmatch(text)
    if usual is not None:
        return _numeric_date(usual[1], usual[3], usual[4], reading or DateReading())
    english = _ENGLISH.fullmatch(text)
    if english is not None:
        month = _english_month(english["month"] or english["month2"])
        day, year = int(english["day"] or english["day2"]), int(english["year"] or english["year2"])
        if month is not None and _checked(year, month[0], day) is not None:
            return Moment(year, month[0], day, month_languages=month[1])
    named = _NAMED.fullmatch(text)
    if named is not None:
        month = _month_of_word(named[2], frozenset() if reading is None else reading.languages)
        if month is not None and _checked(int(named[3]), month[0], int(named[1])) is not None:
            return Moment(int(named[3]), month[0], int(named[1]), month_languages=month[1])
    return None if _MISREAD_ISO.fullmatch(text) else _read_moment(text, reading or DateReading())


# Dates repeat within a column, and reading one takes 20 to 100 µs: the cache is keyed by all that decides the result.
@lru_cache(maxsize=1 << 16)
def _read_moment(text: str, reading: DateReading) -> Moment | AmbiguousMoment | None:
    if len(text) > LONGEST or not any(character.isdigit() or character in "一二三四五六七八九" for character in text):
        return None
    clean = spell_times(_normalize(text))
    if clean[4:5] == ":" or clean[11:12] == ":":
        clean = _PROGRAM_DATE.sub(_spell_program_date, clean)
    if clean.endswith("-") or clean.startswith("-"):  # `12 January 2017 10:00 -` is a start without an end
        return None
    whole = None if _ENDS_IN_HOUR.search(clean) else _read_date(clean, reading)
    if whole is not None:
        return whole
    for split in split_clock(clean):
        moment = _read_date(split.rest, reading)
        if isinstance(moment, AmbiguousMoment):
            return moment
        if moment is not None and moment.day is not None:
            return _with_time(moment, split)
    return _read_zoned_date(clean)


def read_time_of_day(text: str) -> TimeOfDay | None:
    """The time of day that a text without a date gives.

    >>> read_time_of_day("2:30 PM").clock, read_time_of_day("2024-03-15 14:30")
    (datetime.time(14, 30), None)
    """
    split = read_clock(spell_times(_normalize(text))) if len(text) <= LONGEST else None
    return None if split is None or split.clock is None else TimeOfDay(split.clock, split.offset, split.later)


def _spell_program_date(match: re.Match[str]) -> str:
    return f"{match[1]}-{match[2]}-{match[3]}" if match[1] else f"{match[4]} "


def _read_zoned_date(text: str) -> Moment | None:
    """A date of XML Schema with its offset."""
    zoned = _ZONED_DATE.fullmatch(text)
    moment = None if zoned is None else read_moment(zoned[1])
    if zoned is None or not isinstance(moment, Moment):
        return None
    offset = timedelta(hours=int(zoned[2] or 0), minutes=int(zoned[3] or 0))
    return None if offset > _MAX_OFFSET else moment._replace(offset=offset)


def _normalize(text: str) -> str:
    """Folded text with ASCII digits, one kind of space and dash, and no brackets around all of it."""
    folded = fold_name(text)
    enclosed = _ENCLOSED.fullmatch(folded) if folded[:1] in ("(", "[") else None
    if enclosed is not None:
        folded = enclosed[1] or enclosed[2]
    if not folded.isascii():
        folded = "".join(
            str(unicodedata.decimal(character)) if unicodedata.category(character) == "Nd" else character for character in folded
        )
        if "年" in folded or "月" in folded:
            folded = _arabic_cjk(folded.replace("の", ""))
    return folded.translate(_DASHES)


_ENCLOSED: Final = compile_on_use(r"\( *([^()]+?) *\)|\[ *([^\[\]]+?) *\]")
_DASHES: Final = str.maketrans({
    "–": "-", "—": "-", "‐": "-", "−": "-", "、": ",", "，": ",", "،": ",", "፣": ",", "፡": ":", "’": "'", "«": " ", "»": " ", "“": " ",
    "”": " ",
})  # fmt: skip


def _arabic_cjk(text: str) -> str:
    """Chinese numerals of a date as digits: 二〇二四年十月一日 → 2024年10月1日."""

    def digits(match: re.Match[str]) -> str:
        numeral = match[1]
        if "十" in numeral:
            tens, _, ones = numeral.partition("十")
            numeral = (tens or "一").translate(_CJK_DIGITS) + (ones or "〇").translate(_CJK_DIGITS)
        else:
            numeral = numeral.translate(_CJK_DIGITS)
        return numeral + match[2]

    return re.sub(r"([〇零一二三四五六七八九十]+)([年月日号號时時点點分秒])", digits, text)


@cache  # derived from a table that never changes
def _fillers() -> frozenset[str]:
    return locale_tables.date_words() | frozenset(map(fold_name, _MORE_FILLERS))


@cache  # derived from a table that never changes
def _dotted_fillers() -> tuple[str, ...]:
    """Words with points inside, longest first: the tokens of a date hold none."""
    return tuple(sorted((word for word in locale_tables.date_words() if "." in word), key=len, reverse=True))


def _with_time(moment: Moment, split: ClockSplit) -> Moment:
    timed = moment._replace(clock=split.clock, offset=split.offset, has_impossible_time=split.clock is None, later=split.later)
    if split.zone and split.offset is None:
        from zoneinfo import ZoneInfo

        return timed._replace(offset=timed.offset_in(ZoneInfo(split.zone)))
    return timed


def _read_date(text: str, reading: DateReading) -> Moment | AmbiguousMoment | None:
    """A date without a time of day."""
    is_numeric, moment = _read_numbers(text, reading)
    if is_numeric:
        return moment
    partial = _YEAR_MONTH.fullmatch(text)
    if partial is not None:
        year, month = int(partial[1] or partial[4]), int(partial[2] or partial[3])
        return Moment(year, month, None) if 1 <= month <= 12 else None
    by_calendar = _week_or_ordinal_date(text)
    if by_calendar is not None:
        return Moment(by_calendar.year, by_calendar.month, by_calendar.day)
    if "年" in text or "년" in text:
        return _cjk_date(text, reading)
    weekday = _WEEKDAY_BESIDE_NUMBERS.fullmatch(text)
    if weekday is not None and (
        weekday["before"] in _fillers()
        or is_weekday(weekday["before"] or weekday["behind"])
        or _WEEKDAY_MARK.fullmatch(weekday["behind"] or "")
    ):
        numeric_date = _read_date(weekday["numbers"] or weekday["numbers_first"], reading)
        if numeric_date is not None:  # else it may be a month: `mar` is Tuesday in Spanish
            return None if _is_bound(text, numeric_date) else numeric_date
    roman = _ROMAN_MONTH.fullmatch(text)
    if roman is not None and roman[2] in _ROMAN_MONTHS:
        year = expand_year(roman[3], reading)
        return None if year is None else _checked(year, _ROMAN_MONTHS.index(roman[2]) + 1, int(roman[1]))
    named_date = _named_date(_BASQUE_ENDINGS.sub(" ", text) if "(" in text else text, reading)
    return None if named_date is not None and _is_bound(text, named_date) else named_date


def _read_numbers(text: str, reading: DateReading) -> tuple[bool, Moment | AmbiguousMoment | None]:
    """Whether a text has the form of a date in three numbers, with or without separators; and the date."""
    numeric = None
    if text.isascii() or text[0].isdigit():
        numeric = _NUMERIC.fullmatch(text) or _NUMERIC_YEAR_WORD.fullmatch(text) or _NORDIC.fullmatch(text)
        if numeric is None and (wide := _NUMERIC_WITH_FULL_YEAR.fullmatch(text)) is not None:
            return True, _numeric_date(wide[1] or wide[5], wide[3] or wide[7], wide[4] or wide[8], reading)
    if numeric is not None:
        return True, _numeric_date(numeric[1], numeric[3], numeric[4], reading)
    compact = _COMPACT.fullmatch(text)
    if compact is None:
        return False, None
    year_first = _checked(int(compact[1]), int(compact[2]), int(compact[3]))
    year_last = _COMPACT_YEAR_LAST.fullmatch(text) if year_first is None else None
    return True, year_first if year_last is None else _numeric_date(year_last[1], year_last[2], year_last[3], reading)


def _is_bound(text: str, moment: Moment | AmbiguousMoment) -> bool:
    """True if the first or last word of a text makes its date a bound: it is no day of the week, or not the one of the date."""
    tokens = _TOKEN.findall(text)
    for word in (tokens[0].strip(".'"), tokens[-1].strip(".'")):
        if word in _BOUND_WORDS and not (isinstance(moment, Moment) and is_weekday_of(word, moment)):
            return True
    return False


def _numeric_date(first: str, second: str, third: str, reading: DateReading) -> Moment | AmbiguousMoment | None:
    if len(first) == 4:
        return _checked(int(first), int(second), int(third)) if len(third) <= 2 else None
    year = expand_year(third, reading)
    if len(first) > 2 or year is None:
        return None
    day_first, month_first = _checked(year, int(second), int(first)), _checked(year, int(first), int(second))
    if day_first and month_first and int(first) != int(second):
        if reading.day_first is None:
            day, month = int(first), int(second)
            return AmbiguousMoment(f"{day} {ENGLISH_MONTHS[month - 1]} or {ENGLISH_MONTHS[day - 1]} {month}")
        return day_first if reading.day_first else month_first
    moment = day_first or month_first
    if moment is None or int(first) == int(second):
        return moment
    return Moment(moment.year, moment.month, moment.day, numeric_order="day first" if day_first else "month first")


def expand_year(digits: str, reading: DateReading) -> int | None:
    """The year of four or two digits; None for two where they are refused.

    >>> expand_year("69", DateReading()), expand_year("68", DateReading()), expand_year("30", DateReading(year_pivot=None))
    (1969, 2068, None)
    """
    if len(digits) == 4:
        return int(digits)
    if len(digits) != 2 or reading.year_pivot is None:
        return None
    short = int(digits)
    return short + (1900 if short >= reading.year_pivot else 2000)


def _checked(year: int, month: int, day: int) -> Moment | None:
    try:
        date(year, month, day)
    except ValueError:
        return None
    return Moment(year, month, day)


def _week_or_ordinal_date(text: str) -> date | None:
    week, nth = _WEEK.fullmatch(text), _DAY_OF_YEAR.fullmatch(text)
    try:
        if week is not None:
            return date.fromisocalendar(int(week[1]), int(week[2]), int(week[3]))
        if nth is not None and int(nth[2]) > 0:
            counted = date(int(nth[1]), 1, 1) + timedelta(days=int(nth[2]) - 1)
            return counted if counted.year == int(nth[1]) else None
    except (ValueError, OverflowError):
        return None
    return None


def _cjk_date(text: str, reading: DateReading) -> Moment | None:
    match = _CJK_DATE.match(text)
    if match is None:
        return None
    rest = text[match.end() :].strip(" ,")
    if rest and not _WEEKDAY_MARK.fullmatch(rest) and fold_name(rest) not in locale_tables.day_names():
        return None
    year = expand_year(match[1], reading)
    if year is None:
        return None
    if match[3] is None:
        return Moment(year, int(match[2]), None) if 1 <= int(match[2]) <= 12 else None
    return _checked(year, int(match[2]), int(match[3]))


def _named_date(text: str, reading: DateReading) -> Moment | AmbiguousMoment | None:
    """A date with the month by name: every other word must be a day of the week, an ordinal ending or a filler."""
    if "th" in text or "st" in text or "nd" in text or "rd" in text:
        text = _ORDINAL_WORD.sub(_ordinal_digits, text)
    if "thousand" in text:
        text = _WORDED_YEAR.sub(_year_digits, text)
    if not text.isascii():
        for word in _dotted_fillers():
            text = text.replace(word, " ")
    text = _ORDINALS.sub(" ", text)
    for before, name, after in _months_in(text):
        leading, trailing = _numbers_of(before), _numbers_of(after)
        parts = None if leading is None or trailing is None else _day_and_year(leading, trailing, reading)
        if parts is None:
            continue
        if _MEANINGFUL_SIGN.search(_TOKEN.sub("0", text)):
            return None
        month = _month_number(name, reading)
        if not isinstance(month, tuple):
            return month
        (day, year), (number, languages) = parts, month
        if day is None:
            return Moment(year, number, None, month_languages=languages)
        return None if _checked(year, number, day) is None else Moment(year, number, day, month_languages=languages)
    return None


def _ordinal_digits(match: re.Match[str]) -> str:
    """`twenty-first` as 21."""
    return str(ORDINALS[match[2]] + (ENGLISH_NUMBERS[match[1]] if match[1] else 0))


def _year_digits(match: re.Match[str]) -> str:
    """`two thousand and seventeen` as 2017."""
    number = read_number_words(match[0])
    return match[0] if number is None else str(int(number))


def _months_in(text: str) -> list[tuple[str, str, str]]:
    """Every month name in a text with what is before and behind it: names of larger languages first, then longer names."""
    tokens = list(_TOKEN.finditer(text))
    candidates: list[tuple[int, int, tuple[str, str, str]]] = []
    is_ascii = text.isascii()
    for start, first in enumerate(tokens):
        if is_ascii and first[0].strip("'") not in _first_month_tokens():
            continue  # three times as fast for a text that names no month, such as a misread ISO date
        for last in tokens[start : start + 3]:
            name = text[first.start() : last.end()]
            languages = frozenset().union(*months_called(name).values()) if not name.isdigit() else frozenset()
            if languages and (name not in _fillers() or languages & locale_tables.major_languages()):
                candidates.append((_rank_languages(languages), -len(name), (text[: first.start()], name, text[last.end() :])))
    return [parts for _, _, parts in sorted(candidates)]


@cache  # derived from a table that never changes
def _first_month_tokens() -> frozenset[str]:
    """The first token of every name of a month in ASCII."""
    names = filter(str.isascii, list_month_names())
    return frozenset(token[0].strip("'") for name in names if (token := _TOKEN.match(name)))


def _rank_languages(languages: frozenset[str]) -> int:
    """The order in which readings of a name are tried: English first, then other languages with modern coverage in CLDR."""
    if "en" in languages:
        return 0
    return 1 if languages & locale_tables.major_languages() else 2


def _month_number(name: str, reading: DateReading) -> tuple[int, frozenset[str]] | AmbiguousMoment | None:
    """The month of that name: English wins, then the asked languages, then the major ones; else it must be unambiguous."""
    months = months_called(name)
    for languages in (frozenset({"en"}), reading.languages, locale_tables.major_languages()):
        called = {month: spoken & languages for month, spoken in months.items() if spoken & languages}
        if len(called) == 1:
            month = next(iter(called))
            return month, months[month]
        if called:
            months = called
            break
    if len(months) == 1:
        return next(iter(months.items()))
    numbers = " or ".join(str(month) for month in sorted(months))
    return AmbiguousMoment(f"`{name}` is month {numbers}", "languages") if months else None


@lru_cache(maxsize=64)  # few words are asked for
def _english_month(word: str) -> tuple[int, frozenset[str]] | None:
    """The month that an English name means, and the languages that call it so; None for other words. English names always win."""
    months = months_called(word.lower())
    english = [month for month, languages in months.items() if "en" in languages]
    return (english[0], months[english[0]]) if len(english) == 1 else None


@lru_cache(maxsize=1 << 10)  # few words are asked for
def _month_of_word(word: str, languages: frozenset[str]) -> tuple[int, frozenset[str]] | None:
    """The month of a word between a day and a year, as `_named_date` reads it; None where that finds none or several."""
    name = fold_name(word)
    if not name.isalpha() or not _months_in(name):
        return None
    month = _month_number(name, DateReading(languages=languages))
    return month if isinstance(month, tuple) else None


def _numbers_of(text: str) -> list[str] | None:
    """The numbers of a text whose words all may stand in a date; None if a word may not."""
    numbers: list[str] = []
    weekday: list[str] = []
    for token in _TOKEN.findall(text):
        word = token.strip(".'")
        if token.isdigit():
            numbers.append(token)
        elif word not in _fillers():
            weekday.append(word)
    return numbers if not weekday or _is_weekday_name(weekday) else None


def _is_weekday_name(words: list[str]) -> bool:
    """True for one day of the week: short words mean days in some language, so several words must be the name of one together."""
    name = " ".join(words)
    if name in _GUESSES:
        return False
    if name in locale_tables.day_names() or name in _days_with_spaces():
        return True
    return _is_weekday(name) or (len(words) == 2 and all(map(_is_weekday, words)) and len(name) > 6)


@cache  # derived from a table that never changes
def month_words() -> frozenset[str]:
    """Every word of the names of months in all languages, also without accents: a text with none of them names no month."""
    return locale_tables.month_words().union(word.strip(".'") for name in MORE_MONTHS for word in name.split())


def is_weekday(name: str) -> bool:
    """True for a day of the week in any language, in full or in short."""
    key = fold_name(name).strip(".'")
    return key not in _GUESSES and (key in locale_tables.day_names() or _is_weekday(key))


def read_month_name(name: str, reading: DateReading) -> int | AmbiguousMoment | None:
    """The month of that name, 1 to 12; None if it is no month.

    >>> read_month_name("JAN", DateReading()), read_month_name("stycznia", DateReading()), read_month_name("soon", DateReading())
    (1, 1, None)
    """
    month = _month_number(fold_name(name).strip(".'"), reading)
    return month[0] if isinstance(month, tuple) else month


def _is_weekday(token: str) -> bool:
    return strip_accents(token) in _days_without_accents()


@cache  # derived from a table that never changes
def _days_with_spaces() -> frozenset[str]:
    """Names of days with spaces in place of their hyphens and without fillers (the `il` of `il-ħadd`): the tokens of a date hold none."""
    names = [name.split("-") for name in locale_tables.day_names() if "-" in name]
    return frozenset(" ".join(word for word in words if word not in _fillers()) for words in names)


@cache  # derived from a table that never changes
def _days_without_accents() -> frozenset[str]:
    more = {"tues", "weds", "thur", "thurs", "пнд", "втр", "срд", "чтв", "птн", "сбт", "суб", "вск", "ctv"}
    return frozenset(strip_accents(part) for name in locale_tables.day_names() for part in name.split(" ")) | more


def _day_and_year(leading: list[str], trailing: list[str], reading: DateReading) -> tuple[int | None, int] | None:
    """Day and year from the numbers before and behind the month name."""
    numbers = [*leading, *trailing]
    if len(numbers) == 1 and len(numbers[0]) == 4:
        return None, int(numbers[0])
    if len(numbers) != 2:
        return None
    years = [number for number in numbers if len(number) == 4]
    if len(years) == 1:
        day = numbers[0] if numbers[1] == years[0] else numbers[1]
        return (int(day), int(years[0])) if len(day) <= 2 else None
    if years or len(leading) == 2:
        return None
    year = expand_year(numbers[1], reading)
    return None if year is None or len(numbers[0]) > 2 else (int(numbers[0]), year)
