"""Lengths of time that people write without a number before a unit: `半小时`, `ساعتان`, `hora y media`, `6 years old`.

`rewrite_duration` gives them a number and a unit, which `measures` reads.

>>> rewrite_duration("半小时"), rewrite_duration("ساعتان"), rewrite_duration("полчаса"), rewrite_duration("6 y/o")
('0.5 小时', '2 hours', '0.5 hours', '6 years')
>>> rewrite_duration("two hours")
'two hours'
"""

import re
import unicodedata
from functools import cache
from typing import Final

from fieldwise.kernels.locale_tables import fold_name
from fieldwise.pattern import compile_on_use

BUSINESS_DAYS: Final = tuple(
    name.strip()
    for name in """business day, business days, working day, working days, work day, work days, workday, workdays, banking day,
    banking days, bank working days, arbeitstag, arbeitstage, arbeitstagen, bankarbeitstag, bankarbeitstage, bankarbeitstagen, geschäftstag,
    geschäftstage, geschäftstagen, jour ouvré, jours ouvrés, día hábil, días hábiles, día laborable, días laborables, giorno lavorativo,
    giorni lavorativi,
    dia útil, dias úteis, werkdag, werkdagen, dzień roboczy, dni robocze, dni roboczych, pracovní den, pracovní dny, pracovních dnů,
    pracovních dní, arbetsdag, arbetsdagar, arbejdsdag, arbejdsdage, arbeidsdag, arbeidsdager, arkipäivä, arkipäivää, munkanap,
    рабочий день, рабочих дня, рабочих дней, робочий день, робочих дні, робочих днів, работни дни, iş günü, zi lucrătoare, zile lucrătoare,
    hari kerja, ngày làm việc, 工作日, 个工作日, 個工作日, 営業日, 영업일, วันทำการ, أيام عمل, يوم عمل, ימי עסקים""".replace(
        "\n", " "
    ).split(",")
)
"""Days without weekends and holidays, folded as `fold_name` does."""
WEEKDAYS: Final = ("werktag", "werktage", "werktagen", "jour ouvrable", "jours ouvrables")
"""Days without Sundays and holidays."""
_DUALS: Final = {
    "seconds": "ثانيتان ثانيتين", "minutes": "دقيقتان دقيقتين", "hours": "ساعتان ساعتين שעתיים", "days": "يومان يومين יומיים",
    "weeks": "أسبوعان أسبوعين اسبوعان اسبوعين שבועיים", "months": "شهران شهرين חודשיים",
    "years": "سنتان سنتين عامان عامين שנתיים",
}  # fmt: skip
"""Two of a unit as one word, in Arabic and Hebrew."""
_SINGLES: Final = {
    "seconds": "ثانية שנייה שניה", "minutes": "دقيقة דקה", "hours": "ساعة שעה", "days": "يوم יום", "weeks": "أسبوع اسبوع שבוע",
    "months": "شهر חודש", "years": "سنة عام שנה",
}  # fmt: skip
"""One of a unit, in languages without an article for it."""
_HALVES: Final = {
    "hours": "полчаса півгодини mezzora mezz'ora mezz’ora halbstunde půlhodina půlhodiny",
    "years": "полгода півроку halbjahr půlrok",
}
_SPELLED: Final = {
    "fortnight": "14 days", "a fortnight": "14 days", "halbes jahr": "6 months", "vierteljahr": "3 months", "fél óra": "0.5 hours",
    "نصف ساعة": "0.5 hours", "ربع ساعة": "0.25 hours", "חצי שעה": "0.5 hours", "רבע שעה": "0.25 hours",
    "반 시간": "0.5 hours", "반시간": "0.5 hours", "半時間": "0.5 hours", "一刻钟": "15 minutes", "一刻鐘": "15 minutes",
    "نصف يوم": "0.5 days", "نصف سنة": "6 months", "חצי שנה": "6 months",
}  # fmt: skip
_CJK_HALF: Final = compile_on_use(r"半([个個])?(小时|小時|钟头|鐘頭|年|月|天|日)")
_CJK_HALF_UNITS: Final = {"钟头": "小时", "鐘頭": "小時", "月": "months", "日": "days"}
_AND_A_HALF: Final = compile_on_use(r"(?:y medi[ao]|e mei[ao]|e mezz[ao]|et demie?|ونصف|و نصف|וחצי|i pół|a půl|with a half)$")
_AGE: Final = compile_on_use(r"(\d+(?:[.,]\d+)?)[ -]?(?:(years?|yrs?|months?|weeks?|days?)[ -]old|y/o|yo|y\.o\.?)", re.IGNORECASE)
_SECONDS_WITHOUT_UNIT: Final = compile_on_use(
    r"(\d{1,3}) ?(?:min(?:ut(?:e[ns]?|os?|i|y))?\.?|mins|mn|m|мин\.?|хв\.?|dk\.?|分|分钟|분) ?([0-5]\d)", re.IGNORECASE
)
"""`1 min 30`: seconds without a unit."""
_MAX_LENGTH: Final = 40


@cache  # derived from constants
def _spelled() -> dict[str, str]:
    spelled = {fold_name(name): text for name, text in _SPELLED.items()}
    for table, number in ((_DUALS, "2"), (_SINGLES, "1"), (_HALVES, "0.5")):
        for unit, names in table.items():
            spelled |= {fold_name(name): f"{number} {unit}" for name in names.split(" ")}
    return spelled


def rewrite_duration(text: str) -> str:
    """The text with a number and a unit where it is a length of time without them; any other text as it is."""
    if len(text) > _MAX_LENGTH:
        return text
    if text[:1].isdigit() and text.isascii():
        return _rewrite_number(text)
    spelled = _spelled().get(fold_name(text))
    if spelled is not None:
        return spelled
    half = _CJK_HALF.fullmatch(text)
    if half is not None:
        return f"0.5 {_CJK_HALF_UNITS.get(half[2], half[2])}"
    folded = fold_name(unicodedata.normalize("NFC", text))
    and_a_half = _AND_A_HALF.search(folded)
    if and_a_half is None or any(map(str.isdigit, text)):
        return _rewrite_number(text)
    unit = folded[: and_a_half.start()].strip()
    single = _spelled().get(unit, "")
    if single.startswith("1 "):
        return f"1.5 {single[2:]}"
    return f"1.5 {unit}" if unit.isalpha() else text


def _rewrite_number(text: str) -> str:
    """`1 min 30` as `1 min 30 s`, and an age as a length of time."""
    seconds = _SECONDS_WITHOUT_UNIT.fullmatch(text)
    if seconds is not None:
        return f"{seconds[1]} min {seconds[2]} s"
    age = _AGE.fullmatch(text)
    return text if age is None else f"{age[1]} {age[2] or 'years'}"
