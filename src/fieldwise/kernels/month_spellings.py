"""Names of months as people write them: those of CLDR, other cases, without accents, cut short.

>>> sorted(months_called("märz")), sorted(months_called("кві")), sorted(months_called("soon"))
([3], [4], [])
"""

from collections.abc import Iterator
from typing import Final

from fieldwise.kernels import locale_tables
from fieldwise.kernels.locale_tables import fold_name, strip_accents

_VIETNAMESE_NUMBERS: Final = ("một", "hai", "ba", "tư", "năm", "sáu", "bảy", "tám", "chín", "mười", "mười một", "mười hai")
MORE_MONTHS: Final[dict[str, dict[int, frozenset[str]]]] = (
    {  # the genitive that Slovenian writes in dates, and CLDR does not
        name: {month: frozenset({"sl"})}
        for month, name in enumerate(
            "januarja februarja marca aprila maja junija julija avgusta septembra oktobra novembra decembra".split(),  # noqa: SIM905
            start=1,
        )
    }
    | {  # the genitive that Serbian and Bosnian write in dates, in both scripts
        name: {month: frozenset({"sr", "bs"})}
        for names in (
            "januara februara marta aprila maja juna jula avgusta septembra oktobra novembra decembra",
            "јануара фебруара марта априла маја јуна јула августа септембра октобра новембра децембра",
        )
        for month, name in enumerate(names.split(), start=1)
    }
    | {fold_name("জানুয়ারি"): {1: frozenset({"bn"})}, fold_name("ফেব্রুয়ারি"): {2: frozenset({"bn"})}}
    | {
        "feber": {2: frozenset({"de"})},
        "hornung": {2: frozenset({"de"})},
        "mrz": {3: frozenset({"de"})},
        "studenog": {11: frozenset({"hr"})},
    }
    | {fold_name(name): {month: frozenset({"hi"})} for name, month in (("सितम्बर", 9), ("नवम्बर", 11), ("दिसम्बर", 12))}
    | {fold_name(f"tháng {name}"): {month: frozenset({"vi"})} for month, name in enumerate(_VIETNAMESE_NUMBERS, start=1)}
    | {
        f"m{month:02}": {month: frozenset({"root"})}  # what CLDR prints without a language
        for month in range(1, 13)
    }
)
"""Names that CLDR does not print, folded → month → languages."""


def months_called(name: str) -> dict[int, frozenset[str]]:
    """Months of that name in any language; spelling without accents and the Hebrew prefix `ב` count."""
    key = name.strip(".'")
    months = locale_tables.month_names()
    return (
        months.get(key)
        or (months.get(key[1:]) if key.startswith("ב") else None)
        or locale_tables.month_names_without_accents().get(strip_accents(key))
        or MORE_MONTHS.get(key)
        or (locale_tables.cut_month_names().get(key) if not key.isascii() else None)
        or {}
    )


def list_month_names() -> Iterator[str]:
    """Every name that `months_called` knows, folded."""
    yield from locale_tables.month_names()
    yield from locale_tables.month_names_without_accents()
    yield from MORE_MONTHS
    yield from locale_tables.cut_month_names()
