"""Take a time of day out of a text, with its offset and what people write around it, in every CLDR language.

`moments` reads the date from the rest. The text is folded, with ASCII digits and one kind of dash.

>>> split_clock("march 15, 2024 at 10:45 p.m. utc")
[ClockSplit(rest='march 15, 2024', clock=datetime.time(22, 45), offset=datetime.timedelta(0), zone='', later=0)]
"""

import re
from datetime import time, timedelta
from functools import cache
from typing import Final, NamedTuple

from fieldwise.kernels import locale_tables
from fieldwise.kernels.locale_tables import fold_name
from fieldwise.pattern import compile_on_use

SECOND_IN_NANOSECONDS: Final = 1_000_000_000
DAY_IN_NANOSECONDS: Final = 86_400 * SECOND_IN_NANOSECONDS
_SECONDS = r"(?:(?:[:.m]| ?min ?)(?P<second>[0-5]?\d|60)(?:[.,](?P<fraction>\d{1,9}))?)?(?: ?(?:s|min)(?![^\W\d_]))?(?![.:]?\d)"
_ALONE = r"(?<![\d.:/-])(?<!\d,)"
"""What may not stand before a time of day: it would be a part of the date or of the offset."""
_HOUR_ALONE: Final = compile_on_use(rf"{_ALONE}(?P<hour>[01]?\d|2[0-3])(?!\d|[.:/-]\d)(?P<minute>)(?P<second>)(?P<fraction>)")
_CLOCKS: Final = (
    compile_on_use(rf"{_ALONE}(?P<hour>[01]?\d|2[0-4])(?:[:.u]| ?h ?)(?P<minute>[0-5]\d){_SECONDS}"),
    compile_on_use(
        r"(?<!\d)(?P<hour>[01]?\d|2[0-4]) ?(?:[時时点點시]|ໂມງ|นาฬิกา) ?(?:(?P<minute>[0-5]?\d) ?(?:[分분]|ນາທີ|นาที))? ?"
        r"(?:(?P<second>[0-5]?\d) ?(?:[秒초]|ວິນາທີ|วินาที))?(?P<fraction>)"
    ),
    _HOUR_ALONE,
    compile_on_use(r"(?<=\d )(?P<hour>[01]?\d|2[0-3]):(?P<minute>\d)(?::(?P<second>\d))?$(?P<fraction>)"),
)
"""Hour and minute, the same in words of East and South-East Asia, an hour alone (that needs a marker), single digits."""
_ZONES: Final = {
    "z": 0, "utc": 0, "gmt": 0, "wet": 0, "cet": 60, "cest": 120, "mez": 60, "mesz": 120, "bst": 60, "ist": 330, "eet": 120,
    "eest": 180, "msk": 180, "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420,
    "jst": 540, "kst": 540, "hkt": 480, "sgt": 480, "aest": 600, "aedt": 660, "мск": 180, "wib": 420, "wita": 480, "wit": 540, "tu": 0,
    "brt": -180, "art": -180, "nzst": 720, "nzdt": 780, "akst": -540, "akdt": -480, "hst": -600, "sast": 120, "pkt": 300, "trt": 180,
    "coordinated universal time": 0, "greenwich mean time": 0,
}  # fmt: skip
_ZONE = (
    r"(?:(?:utc|gmt)?(?P<sign>[-+])(?P<zone_hour>\d\d?)(?::?(?P<zone_minute>[0-5]\d))?|"
    rf"(?<![^\W\d_])(?P<zone_name>{'|'.join(sorted(_ZONES, key=len, reverse=True))})(?![^\W\d_]))(?: ?[\[(][\w/+ -]+[\])])?"
)
_ZONE_BEHIND: Final = compile_on_use(rf"[ ,]*[(\[]? ?{_ZONE}[)\]]?")
_ZONE_BEFORE: Final = compile_on_use(rf"[(\[]?{_ZONE}[)\]]?[ ,]*$")
_RANGE_END: Final = compile_on_use(r" ?- ?(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?![\d:])")
"""A second time of day, or an offset from UTC."""
_NAMED_ZONE: Final = compile_on_use(r"[ ,]*[(\[]? ?(?P<name>[a-z]+(?:/[a-z\d_+-]+){1,2})[)\]]?(?![^\s,)\]])")
"""A zone of the IANA database: `Europe/Paris`."""
_BEFORE_NOON: Final = frozenset({"am", "a m", "vormittags", "午前", "上午", "오전"})
"""Markers that no hour above 12 can have; other parts of the day may begin before midnight: `23:00 nachts`."""
_GERMAN_PREPOSITION: Final = compile_on_use(r" ?(?:uhr)? *am +(?:(?P<word>[^\W\d_]+),? +(?:den +)?)?\d")
"""`13:00 am 15. März`, `13:00 Uhr am Freitag, den 15. März`: `am` belongs to the date."""
_MORE_CLOCK_WORDS = (
    "at um gegen à às as a las alle ore klo kl kell o в о om u у saat pukul lúc la ve v godz hod ob στις στη בשעה को t uhr hrs hr hours "
    "horas heures h ч uur น बजे o'clock - @ 'ora ora en الساعة الساعه"
)
"""What people write around times of day and the patterns of CLDR do not hold."""
_SHORT_HOUR_MARKERS: Final = frozenset({"am", "a m", "pm", "p m", "vm", "nm", "ap", "ip"})
_MIN_HOUR_MARKER_LETTERS: Final = 4
_HOUR_WORDS: Final = frozenset("uhr h heures o'clock hrs hours horas uur ч น बजे".split())  # noqa: SIM905
"""Words that make a number an hour."""
_LAST_WORD: Final = compile_on_use(r"[^\s,(\[]+[ ,(\[]*$")
_FIRST_WORD: Final = compile_on_use(r"[ ,(\[]*[^\s,)\]]+")
_MAX_MARKER_WORDS: Final = 4
_MORE_PERIODS: Final = {
    **dict.fromkeys(("am", "a m", "ap", "صباحا", "صباحًا", "صباحاً"), "am"),
    **dict.fromkeys(("pm", "p m", "ip", "مساء", "مساءً"), "pm"),
}
_FIRST_CJK_CHARACTER: Final = "\u2e80"
_HALF_PAST: Final = compile_on_use(r"(?<=[時时点點시]) ?[半반]")
_TIME_ALONE: Final = compile_on_use(
    r"(?P<before>[^\d:]*)(?P<hour>[01]?\d|2[0-4])(?:(?P<mark>[:.u]| ?h ?)(?P<minute>[0-5]\d)"
    r"(?::(?P<second>[0-5]\d|60)(?:[.,](?P<fraction>\d{1,9}))?)?)?(?P<behind>(?: ?[^\W\d_][^\d+/-]*?)??)"
    rf"(?P<zone>(?: ?{_ZONE})?)"
)
_CJK_TIME_ALONE: Final = compile_on_use(
    r"(?P<before>[^\d:]*)(?P<hour>[01]?\d|2[0-4]) ?(?P<mark>[時时点點시]) ?(?:(?P<minute>[0-5]?\d) ?[分분])? ?"
    r"(?:(?P<second>[0-5]?\d) ?[秒초])?(?P<fraction>)(?P<behind>)(?P<zone>)"
)
_TIME_PREPOSITIONS: Final = frozenset(
    map(fold_name, "at um à às alle ore klo kl kell в om saat pukul lúc las godz στις בשעה الساعة t".split()),  # noqa: SIM905
)
_TIME_BY_POINT: Final = frozenset({"klo", "kl", "um", "at", "ore"})
"""Words that make `14.30` a time of day."""
_HOUR_WORDS_ALONE: Final = frozenset({"uhr", "o'clock", "बजे"})
"""Words that make a number a time of day: `2 hours` and `2 uur` may be a length of time."""
_ISO_CLOCK = rf"(?P<hour>[01]\d|2[0-4])(?:(?P<minute>[0-5]\d)(?:(?P<second>[0-5]\d|60)(?:[.,](?P<fraction>\d{{1,9}}))?)?)?(?: ?{_ZONE})?"
_ISO_BASIC_TIME: Final = compile_on_use(rf"(?P<date>\d{{4}}-?\d\d-?\d\d)t{_ISO_CLOCK}", re.ASCII)


_LENGTH_OF_ISO_DATE: Final = 10
_DATE_BESIDE_CLOCK: Final = compile_on_use(r"^(\d{4}[-/.]\d\d[-/.]\d\d)(?:_| ?[/|] ?)(?=\d\d?:\d\d)", re.ASCII)
_NAMED_TIME: Final = compile_on_use(
    r"\b(?:12(?:[:.]00)? ?)?(?:(?P<noon>noon|midday|mittags?|midi|mediodía|mezzogiorno|meio[- ]dia|południe|w południe|poledne|полдень"
    r"|正午|정오)|midnight|mitternachts?|minuit|medianoche|mezzanotte|meia[- ]noite|północ|o północy|půlnoc|полночь|자정)(?![^\W\d_])"
)
_MILITARY_TIME: Final = compile_on_use(r"(?<![\d.:/-])([01]\d|2[0-3])([0-5]\d) ?(?:hrs?\.?|hours|uhr)(?![^\W\d_])")
_HOURS_IN_WORDS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_HOUR_IN_WORDS: Final = compile_on_use(rf"\b({'|'.join(_HOURS_IN_WORDS)}|(?<![\d:.])\d\d?(?= o))(?: o'clock)?(?= ?[ap]\.? ?m\b| in the )")
_PART_OF_HOUR: Final = compile_on_use(
    rf"\b(?:a )?(half past|quarter past|quarter to) ({'|'.join(_HOURS_IN_WORDS)}|1[0-2]|[1-9])(?: o'clock)?(?![\w:])(?! noon| midnight)"
)
_NAMED_MINUTES: Final = {"half past": 30, "quarter past": 15, "quarter to": -15}
_SHORT_PERIOD: Final = compile_on_use(r"(?<![\d:])(\d\d?:\d\d(?::\d\d)?) ?([ap])(?![^\W_]|\.? ?m)")


class ClockSplit(NamedTuple):
    """A time of day and what is left of its text."""

    rest: str
    clock: time | None
    """None for a time that there is not, and for two times: `13:00 AM`, `10:00-11:00`."""
    offset: timedelta | None
    zone: str = ""
    """The zone of the IANA database that gives the offset, as it is spelled there."""
    later: int = 0
    """Nanoseconds to add to `clock`: digits behind the microseconds, a leap second, or the day of `24:00`."""


def spell_times(text: str) -> str:
    """A folded text with digits for noon, midnight and English words for a time, with a colon in `1430 hrs` and `pm` for `2:30p`.

    >>> spell_times("15 march 2024, 12 noon"), spell_times("midnight"), spell_times("2245 hrs"), spell_times("2024-03-15_22:45")
    ('15 march 2024, 12:00', '00:00', '22:45', '2024-03-15 22:45')
    >>> spell_times("half past two pm"), spell_times("quarter to one"), spell_times("two o'clock in the morning")
    ('2:30 pm', '12:45', '2 in the morning')
    """
    if text[:4].isdigit() and len(text) > _LENGTH_OF_ISO_DATE:
        text = _DATE_BESIDE_CLOCK.sub(r"\1 ", text)
    if text.isascii() and not any(map(str.isalpha, text)):
        return text
    text = _NAMED_TIME.sub(lambda named: "12:00" if named["noon"] else "00:00", text)
    text = _MILITARY_TIME.sub(r"\1:\2", text)
    text = _PART_OF_HOUR.sub(_spell_part_of_hour, text)
    text = _HOUR_IN_WORDS.sub(lambda hour: str(_read_hour(hour[1])), text)
    return _SHORT_PERIOD.sub(r"\1 \2m", text)


def _read_hour(word: str) -> int:
    return int(word) if word.isdigit() else _HOURS_IN_WORDS.index(word) + 1


def _spell_part_of_hour(spoken: re.Match[str]) -> str:
    """`2:30` for `half past two`. A quarter to twelve stays in words: before noon or after it, it is on the other side of `am` or `pm`."""
    hour, minute = _read_hour(spoken[2]), _NAMED_MINUTES[spoken[1]]
    if minute > 0:
        return f"{hour}:{minute}"
    return spoken[0] if hour == 12 else f"{hour - 1 or 12}:{60 + minute}"


def split_clock(text: str) -> list[ClockSplit]:
    """Every way to take a time of day out of a text."""
    basic = _ISO_BASIC_TIME.fullmatch(text)
    if basic is not None:
        clock, offset = _clock_time(basic, None), _offset_of(basic)
        if clock is None or isinstance(offset, bool):
            return []
        return [ClockSplit(basic["date"], clock, offset, later=_later_nanoseconds(basic))]
    if not text.isascii():
        text = _HALF_PAST.sub("30分", text)
    splits: list[ClockSplit] = []
    for pattern in _CLOCKS:
        for match in pattern.finditer(text):
            split = _split_at_clock(text, match, needs_marker=pattern is _HOUR_ALONE)
            if split is not None:
                splits.append(split)
        if splits:
            break
    return splits


def read_clock(text: str) -> ClockSplit | None:
    """The time of day that is all of a text; None if there is more, or if the text may be a length or a range of time.

    >>> [read_clock(text) is not None for text in ("14:30", "2:30 p.m.", "um 14.30 uhr", "14:30+02:00", "14.30", "2 hours", "10:00-12:00")]
    [True, True, True, True, False, False, False]
    """
    text = text if text.isascii() else _HALF_PAST.sub("30分", text)
    match = _TIME_ALONE.fullmatch(text) or _CJK_TIME_ALONE.fullmatch(text)
    if match is None:
        return None
    before, behind = match["before"].replace(".", "").strip(), match["behind"].replace(".", "").strip(" ,")
    marker = next((word for word in (behind, before) if word in _day_periods() and _makes_hour(word)), "")
    if not marker and match["mark"] and behind in _day_periods() and not behind.isascii():
        marker = behind  # the `م` of Arabic, a single letter
    if (behind not in ("", marker) and behind not in _HOUR_WORDS) or (before not in ("", marker) and before not in _TIME_PREPOSITIONS):
        return None
    if match["mark"] is None and not (marker or behind in _HOUR_WORDS_ALONE):
        return None
    if match["mark"] == "." and not (marker or behind in _HOUR_WORDS or before in _TIME_BY_POINT):
        return None
    clock = _clock_time(match, _day_periods()[marker] if marker else None)
    offset = _offset_of_time(match) if match["zone"] else None
    if clock is None or isinstance(offset, bool) or (int(match["hour"]) > 12 and marker in _BEFORE_NOON):
        return None
    return ClockSplit("", clock, offset, later=_later_nanoseconds(match))


def _offset_of_time(match: re.Match[str]) -> timedelta | bool | None:
    """The offset of a time without a date; False for what may be the end of a range (`10:00-12:00`) or a later day (`00:30 +1`)."""
    is_bare = match["sign"] and not match["zone"].strip().startswith(("utc", "gmt"))
    if is_bare and (match["zone_minute"] is None or (match["sign"] == "-" and match["second"] is None)):
        return False
    return _offset_of(match)


class _ClockSide(NamedTuple):
    """What is left of one side of a time of day without the words, marker and offset that belong to the time."""

    rest: str
    period: str | None = None
    marker: str = ""
    """The text that gives the period."""
    zone: str = ""
    offset: timedelta | bool | None = None
    hour_word: bool = False


def _find_range_end(text: str, match: re.Match[str]) -> re.Match[str] | None:
    """The 11:00 of `2024-03-15 10:00-11:00`, which may be an offset too. Programs write seconds or a `T` before an offset."""
    end = None if match["second"] or text[: match.start()].endswith("t") else _RANGE_END.match(text, match.end())
    if end is None or match["minute"] is None:
        return None
    return end if (int(end["hour"]), end["minute"]) > (int(match["hour"]), match["minute"]) else None


def _split_at_clock(text: str, match: re.Match[str], needs_marker: bool) -> ClockSplit | None:
    range_end = _find_range_end(text, match)
    behind = _read_behind_clock(text[(range_end or match).end() :])
    before = _read_before_clock(text[: match.start()])
    period = behind.period or before.period
    if needs_marker and not (behind.hour_word or _makes_hour(behind.marker or before.marker)):
        return None
    if needs_marker and before.rest and behind.rest and not before.rest[-1].isdigit():
        return None  # `9 to 12 pm January 2017`: a word joins the hour to another number
    clock = _clock_time(match, period)
    offset = behind.offset if behind.offset is not None else before.offset
    if clock is None or isinstance(offset, bool):
        return None
    rest = f"{before.rest} {behind.rest}".strip(" ,()[]-") if before.rest and behind.rest else (before.rest or behind.rest).strip(" ,")
    if range_end is not None or (int(match["hour"]) > 12 and _is_before_noon(behind, before, text[match.end() :])):
        clock = None
    return ClockSplit(rest, clock, offset, behind.zone, _later_nanoseconds(match)) if rest else None


def _makes_hour(marker: str) -> bool:
    """True if a marker makes a number without minutes an hour.

    Short markers of one language are prepositions of another: `12 de` and `9 to` are hours only in Hungarian and Tongan, and nearly always
    parts of a date or of a range of dates (`9 to 12 de enero`).
    """
    if not marker.isascii():
        return len(marker) > 1
    return marker in _SHORT_HOUR_MARKERS or any(len(word) >= _MIN_HOUR_MARKER_LETTERS for word in marker.split())


def _is_before_noon(behind: _ClockSide, before: _ClockSide, text_behind: str) -> bool:
    """True if a marker says that a time is before noon."""
    if (behind.marker or before.marker) not in _BEFORE_NOON:
        return False
    preposition = _GERMAN_PREPOSITION.match(text_behind) if behind.marker == "am" else None
    return preposition is None or (preposition["word"] is not None and preposition["word"] not in locale_tables.day_names())


def _read_behind_clock(text: str) -> _ClockSide:
    """Read `p.m.`, `Uhr`, an offset and so on from the start of what follows a time."""
    side = _ClockSide(text)
    while side.rest:
        zone = _ZONE_BEHIND.match(side.rest) if side.offset is None else None
        if zone is not None:
            side = side._replace(rest=side.rest[zone.end() :], offset=_offset_of(zone))
            continue
        named_zone = _NAMED_ZONE.match(side.rest) if "/" in side.rest and not side.zone else None
        if named_zone is not None and named_zone["name"] in _zone_names():
            side = side._replace(rest=side.rest[named_zone.end() :], zone=_zone_names()[named_zone["name"]])
            continue
        words = _take_words(side.rest, from_end=False)
        marker = next((words[count] for count in sorted(words, reverse=True) if words[count][0] in _day_periods()), None)
        if marker is not None and side.period is None:
            side = side._replace(rest=marker[1], period=_day_periods()[marker[0]], marker=marker[0])
        elif words and words[1][0] in _clock_words():
            side = side._replace(rest=words[1][1], hour_word=side.hour_word or words[1][0] in _HOUR_WORDS)
        else:
            break
    return side._replace(rest=side.rest.strip(" ,)].").removeprefix("on "))


def _read_before_clock(text: str) -> _ClockSide:
    """Read `at`, `下午`, an offset and so on from the end of what precedes a time."""
    if text.endswith("t") and text[-2:-1].isdigit():
        return _ClockSide(text[:-1])
    side = _ClockSide(text)
    while side.rest:
        zone = _ZONE_BEFORE.search(side.rest) if side.offset is None and side.rest[-1:] in " )]" else None
        if zone is not None and zone["zone_name"]:
            side = side._replace(rest=side.rest[: zone.start()], offset=_offset_of(zone))
            continue
        joined = _cjk_period_before(side.rest) if side.period is None else None
        if joined is not None:
            side = side._replace(rest=joined[1], period=joined[0], marker=side.rest.rstrip()[-2:])
            continue
        words = _take_words(side.rest, from_end=True)
        marker = next((words[count] for count in sorted(words, reverse=True) if words[count][0] in _day_periods()), None)
        if marker is not None and side.period is None and (marker[0] in ("am", "pm") or not marker[0].isascii()):
            side = side._replace(rest=marker[1], period=_day_periods()[marker[0]], marker=marker[0])
        elif words and words[1][0] in _clock_words():
            side = side._replace(rest=words[1][1])
        else:
            break
    return side._replace(rest=side.rest.strip(" ,(["))


def _take_words(text: str, *, from_end: bool) -> dict[int, tuple[str, str]]:
    """One to four words at an end of a text, without points and outer marks, and the rest of the text."""
    pattern = _LAST_WORD if from_end else _FIRST_WORD
    taken: dict[int, tuple[str, str]] = {}
    rest = text
    collected: list[str] = []
    for count in range(1, _MAX_MARKER_WORDS + 1):
        match = pattern.search(rest) if from_end else pattern.match(rest)
        if match is None:
            break
        word = match[0].strip(" ,()[]").replace(".", "")
        if not word or any(map(str.isdigit, word)):
            break
        rest = rest[: match.start()] if from_end else rest[match.end() :]
        collected.insert(0 if from_end else count, word)
        taken[count] = (" ".join(collected), rest)
    return taken


def _cjk_period_before(text: str) -> tuple[str, str] | None:
    """A marker of two characters that follows the date without a space: the 下午 of `4月13日下午3:05`; with what precedes it."""
    tail = text.rstrip()[-2:]
    period = _day_periods().get(tail) if tail[:1] >= _FIRST_CJK_CHARACTER else None  # not the end of a word: Serbian `уто`
    return None if period is None else (period, text.rstrip()[:-2])


@cache  # derived from a table that never changes
def _day_periods() -> dict[str, str]:
    return locale_tables.day_periods() | _MORE_PERIODS


@cache  # the zones of the system do not change while a process runs
def _zone_names() -> dict[str, str]:
    """Folded name of a zone → its name in the IANA database; empty where the system has no such database."""
    from zoneinfo import available_timezones

    return {name.casefold(): name for name in available_timezones()}


@cache  # derived from a table that never changes
def _clock_words() -> frozenset[str]:
    return locale_tables.clock_words() | frozenset(map(fold_name, _MORE_CLOCK_WORDS.split(" ")))


def _clock_time(match: re.Match[str], period: str | None) -> time | None:
    hour, minute, second = int(match["hour"]), int(match["minute"] or 0), int(match["second"] or 0)
    if period is not None and hour <= 12:
        hour = hour % 12 + (12 if period == "pm" else 0)
    microsecond = int((match["fraction"] or "0").ljust(6, "0")[:6])
    if hour == 24:
        return time() if minute == second == 0 and not (match["fraction"] or "").strip("0") else None
    if second == 60:
        return time(hour, minute, 59, microsecond) if minute % 15 == 14 else None  # zones differ by quarters of an hour
    return time(hour, minute, second, microsecond)


def _later_nanoseconds(match: re.Match[str]) -> int:
    """What a time of day has beyond `_clock_time`: see `ClockSplit.later`."""
    if match["hour"] == "24":
        return DAY_IN_NANOSECONDS
    fraction = match["fraction"]
    nanoseconds = int(fraction[6:].ljust(3, "0")) if fraction and len(fraction) > 6 else 0
    return nanoseconds + (SECOND_IN_NANOSECONDS if match["second"] == "60" else 0)


def _offset_of(match: re.Match[str]) -> timedelta | bool | None:
    """The offset of a time; None if there is none, False if it is out of range."""
    if match["sign"]:
        minutes = int(match["zone_hour"]) * 60 + int(match["zone_minute"] or 0)
        if minutes > (14 if match["sign"] == "+" else 12) * 60:
            return False
        return timedelta(minutes=minutes if match["sign"] == "+" else -minutes)
    if match["zone_name"]:
        return timedelta(minutes=_ZONES[match["zone_name"]])
    return None
