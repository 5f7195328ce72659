"""Units of measurement: what a name, an abbreviation or a symbol stands for, and how units convert.

>>> sorted(units_called("kg")), sorted(units_called("Stunden"))
(['kilogram'], ['hour'])
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Set
from functools import cache, lru_cache
from math import pi
from typing import Any, Final

from fieldwise.kernels import locale_tables
from fieldwise.kernels.locale_tables import fold_name, strip_accents
from fieldwise.kernels.name_table import GROUP_CHARACTERS
from fieldwise.kernels.spoken_durations import BUSINESS_DAYS, WEEKDAYS
from fieldwise.kernels.unit_products import UnitFactorName, split_unit_product
from fieldwise.kernels.unit_symbols import PREFIX_FACTORS, symbol_called, symbol_in_ratio

_MULTIPLES: Final = {
    "are": ("square-meter", 100.0), "square-millimeter": ("square-meter", 1e-6), "watt-hour": ("joule", 3600.0),
    "kilowatt-hour": ("joule", 3.6e6), "megawatt-hour": ("joule", 3.6e9), "gigawatt-hour": ("joule", 3.6e12),
    "liter-per-100-kilometer": ("liter-per-kilometer", 0.01), "kilonewton": ("newton", 1000.0),
    "quarter-hour": ("minute", 15.0), "decagram": ("gram", 10.0), "catty": ("gram", 500.0), "millivolt": ("volt", 0.001),
    "kilovolt": ("volt", 1000.0), "permillion": ("percent", 1e-4), "portion-per-1e9": ("percent", 1e-7), "angstrom": ("meter", 1e-10),
    "pound-force-foot": ("newton-meter", 1.3558179483314004), "rem": ("sievert", 0.01),
    "millimeter-ofhg": ("pascal", 101325 / 760), "inch-ofhg": ("pascal", 25.4 * 101325 / 760), "acre-foot": ("cubic-foot", 43560.0),
    "long-ton": ("pound", 2240.0), "ampere-hour": ("coulomb", 3600.0), "torr": ("pascal", 101325 / 760),
    "metric-horsepower": ("watt", 735.49875),
    "curie": ("becquerel", 3.7e10), "kilogram-force": ("newton", 9.80665), "portion-per-1e12": ("percent", 1e-10),
    "poise": ("product:pascal second", 0.1), "stokes": ("square-meter-per-second", 1e-4),
}  # fmt: skip
"""Units without a factor in CLDR, as a multiple of one with a factor."""
_BASE_UNITS: Final = {
    "newton-meter": "newton-meter", "sievert": "sievert", "gray": "meter^2 second^-2", "becquerel": "count second^-1",
    "siemens": "ampere^2 kilogram^-1 meter^-2 second^3", "volt-ampere": "volt-ampere", "volt-ampere-reactive": "volt-ampere-reactive",
    "farad": "ampere^2 kilogram^-1 meter^-2 second^4", "henry": "ampere^-2 kilogram meter^2 second^-2", "coulomb": "ampere second",
    "osmole": "osmole",
    "tesla": "ampere^-1 kilogram second^-2", "weber": "ampere^-1 kilogram meter^2 second^-2", "international-unit": "international-unit",
}  # fmt: skip
"""Units without a factor in CLDR that are the base unit of their dimension. Torque is no energy, an equivalent dose is no absorbed one,
and apparent power (kVA) is no power that does work (kW)."""
_ENGLISH_WORDS: Final = frozenset("any as ale cat dig din dis dos far for is it men my net nit not on or sag sum vet vol".split())  # noqa: SIM905
"""English words that CLDR has as abbreviations of units in languages of few speakers: `4 men` are no minutes."""
_NO_SYMBOLS: Final = frozenset({"US", "Us"})
"""Symbols of units in other letters: `10 US` is a size of shoes."""
_NO_UNITS: Final[frozenset[str]] = frozenset()
_FROM_PINT: Final = "pint:"
_FROM_PINT_BASE: Final = {"mole": ("item", 6.02214076e23), "radian": ("revolution", 1 / (2 * pi))}
"""Base units of pint that CLDR does not have, as a multiple of the one it has."""
_PER: Final = "-per-"
_PRODUCT: Final = "product:"
"""Before a compound unit: `product:milligram 5 milliliter^-1`."""
_HORSEPOWER: Final = "horsepower"
_METRIC_HORSEPOWER: Final = "metric-horsepower"
_ENGLISH_HORSEPOWER: Final = frozenset({"hp", "horsepower"})
_FIRST_ARMENIAN: Final = "\u0530"
"""The first letter behind the Latin, Greek and Cyrillic ones."""
_POWERS: Final = {"square-": 2, "cubic-": 3}
_POWER_NAME: Final = re.compile(r"(?P<word>sq|square|cu|cubic)\b\.? ?(?P<length>[^\W\d_]+)|(?P<base>[^\W\d_]+)(?P<power>[23])")
"""A unit of area or volume by its unit of length: `sq in`, `cu. ft.`, `mm3`."""
_GLUCOSE: Final = "milligram-ofglucose-per-deciliter"
"""CLDR prints it as mg/dL."""
_PIECES: Final = frozenset(
    """pc pcs pce pces piece pieces ea each item items unit units x nos qty stk stck stück st stuk stuks stycken styk stykker kpl kappale
    kappaletta tk tükki szt sztuk sztuki sztuka ks kus kusy kusů kusov db darab buc bucată bucăți bucati pza pzas pieza piezas ud uds unidad
    unidades un und unid unidade pz pezzo pezzi pce pièce pièces unité unités τεμ τεμάχιο τεμάχια adet ad шт штук штука штуки бр броя kom
    komad
    komada vnt gab dona хувь ширхэг יח יחידות قطعة قطع حبة عدد नग पीस ชิ้น อัน cái chiếc buah biji keping 個 个 件 箇 只 개""".split()  # noqa: SIM905
)
"""Words for one of a thing, by language: what people write where CLDR has `item`."""
_PACKINGS: Final = (
    "box bottle pack package packet bag case carton roll sheet set pair can tin jar tube pallet container drum sack bundle kit tablet "
    "capsule pill person page slice crate bucket barrel tray reel spool ream"
)
"""What things are counted in: units that convert into nothing else."""
# What people write and CLDR does not print.
_MORE_UNITS: Final = {
    **{word: packing for packing in _PACKINGS.split(" ") for word in (packing, packing + "s", packing + "es")},
    **dict.fromkeys(_PIECES, "piece"), "st": "stone piece", "db": "decibel piece",
    **dict.fromkeys(tuple("flasche flaschen bouteille bouteilles botella botellas bottiglia bottiglie garrafa garrafas".split()), "bottle"),  # noqa: SIM905
    **dict.fromkeys(("karton", "kartons", "schachtel", "caja", "cajas", "boîte", "boîtes", "scatola", "scatole", "caixa", "caixas"), "box"),
    **dict.fromkeys(("palette", "paletten", "palettes", "palé", "palés", "pallets", "pallet"), "pallet"),
    **dict.fromkeys(("rolle", "rollen", "rouleau", "rouleaux", "rollo", "rollos"), "roll"), **dict.fromkeys(("amp", "amps"), "ampere"),
    **dict.fromkeys(("dkg", "deka"), "decagram"), **dict.fromkeys(("斤", "市斤"), "catty"), **dict.fromkeys(("etto", "etti"), "hectogram"),
    **dict.fromkeys(("quilo", "quilos", "килограммов", "килограмма", "كجم", "كغم", 'ק"ג', "קג"), "kilogram"),
    **dict.fromkeys(('ק"מ', "קמ"), "kilometer"), **dict.fromkeys(("м2", "кв м", "кв. м", "кв.м"), "square-meter"), "м3": "cubic-meter",
    "куб. м": "cubic-meter", "吨": "tonne", "噸": "tonne", "トン": "tonne", "톤": "tonne", "l/100km": "liter-per-100-kilometer",
    "l/100 km": "liter-per-100-kilometer", "kcal": "kilocalorie", "dager": "day", "fortnight": "fortnight", "fortnights": "fortnight",
    "kgs": "kilogram", "kilo": "kilogram", "kilos": "kilogram", "gm": "gram", "gms": "gram", "gr": "gram", "grs": "gram",
    "lbs": "pound", "mtr": "meter", "mtrs": "meter", "kms": "kilometer", "cms": "centimeter", "mms": "millimeter", "ltr": "liter",
    "ltrs": "liter", "lt": "liter", "ml": "milliliter", "cc": "cubic-centimeter", "sqm": "square-meter", "sqft": "square-foot",
    "sq ft": "square-foot", "sq m": "square-meter", "m2": "square-meter", "m3": "cubic-meter", "qm": "square-meter",
    "cbm": "cubic-meter", "mm2": "square-millimeter", "rpm": "revolution-per-minute",
 "ft2": "square-foot", "km2": "square-kilometer", "cm2": "square-centimeter", "cm3": "cubic-centimeter",
    "l": "liter", "dm3": "liter", "us": "microsecond", "ps": "metric-horsepower parsec", "pct": "percent", "hod": "hour",
    **dict.fromkeys(("msec", "msecs"), "millisecond"), **dict.fromkeys(("usec", "usecs", "μsec"), "microsecond"), "nsec": "nanosecond",
    **dict.fromkeys(BUSINESS_DAYS, "business-day"), **dict.fromkeys(WEEKDAYS, "weekday"),
    "kt": "karat knot", "rem": "rem",
    **dict.fromkeys(("angstrom", "angstroms", "ångstrom", "ångström", "ångströms", "ångstroms"), "angstrom"),
    **dict.fromkeys(("sievert", "sieverts"), "sievert"), **dict.fromkeys(("becquerel", "becquerels"), "becquerel"),
    "siemens": "siemens", **dict.fromkeys(("gray", "grays"), "gray"), **dict.fromkeys(("newton meter", "newton meters"), "newton-meter"),
    **dict.fromkeys(("celsius", "deg c", "degree c", "degrees c", "degrees celsius", "° c"), "celsius"),
    **dict.fromkeys(("fahrenheit", "deg f", "degree f", "degrees f", "degrees fahrenheit", "° f"), "fahrenheit"), "kelvin": "kelvin",
    **dict.fromkeys(("us gal", "us gals", "us gallon", "us gallons"), "gallon"), **dict.fromkeys(("decibel", "decibels"), "decibel"),
    **dict.fromkeys(("uk gal", "imp gal", "uk gallon", "uk gallons", "imperial gallon", "imperial gallons"), "gallon-imperial"),
    # CLDR calls its ton of 2,000 pounds `long ton` in some English locales, and 英吨 in Chinese.
    **{f"{kind} ton{plural}": "long-ton" for kind in ("long", "imperial", "uk", "british") for plural in ("", "s")},
    **dict.fromkeys(("英吨", "英噸", "英トン", "tonne longue", "tonnes longues", "tonelada larga", "toneladas largas"), "long-ton"),
    "us ton": "ton", "us tons": "ton", "tonne": "tonne", "tonnes": "tonne",
    **{f"calendar {unit}{plural}": unit for unit in ("day", "week", "month", "year") for plural in ("", "s")},
    **dict.fromkeys(("kalendertag", "kalendertage", "kalendertagen", "jours calendaires", "días naturales", "días calendario"), "day"),
    **dict.fromkeys(("giorni di calendario", "dias corridos", "календарных дней", "календарный день", "календарних днів"), "day"),
    **dict.fromkeys(("viertelstunde", "viertelstunden", "quarter hour", "quarter hours", "quart d heure"), "quarter-hour"),
    **dict.fromkeys(("cuarto de hora", "cuartos de hora", "quarto d ora", "kwartier", "kwadrans"), "quarter-hour"),
    '"': "inch", "''": "inch", "'": "foot", "in": "inch", "kph": "kilometer-per-hour", "kmh": "kilometer-per-hour", "ha": "hectare",
    "a": "are", "µg": "microgram", "mcg": "microgram", "ug": "microgram", "t": "tonne", "hr": "hour", "hrs": "hour", "h": "hour",
    "min": "minute", "mins": "minute", "m": "meter", "sec": "second", "secs": "second", "s": "second", "d": "day", "wk": "week",
    "wks": "week", "mo": "month", "mos": "month", "yr": "year", "yrs": "year", "y": "year", "°c": "celsius", "c": "celsius",
    "degc": "celsius", "°f": "fahrenheit", "f": "fahrenheit", "degf": "fahrenheit", "k": "kelvin", "kb": "kilobit kilobyte",
    "mb": "megabit megabyte millibar", "gb": "gigabit gigabyte", "tb": "terabit terabyte", "nm": "nautical-mile newton-meter",
    "va": "volt-ampere", "kva": "kilovolt-ampere", "mva": "megavolt-ampere", "kmph": "kilometer-per-hour",
    **dict.fromkeys(("r/min", "u/min", "tr/min", "об/мин", "rev/min", "giri/min", "obr/min"), "revolution-per-minute"),
    **dict.fromkeys(("bpm", "beats/min", "beats per minute"), "beat-per-minute"), "gpm": "gallon-per-minute",
    **dict.fromkeys(("u/l", "iu/l", "ui/l"), "international-unit-per-liter"),
    **dict.fromkeys(("iu", "ui", "i.u", "u.i", "ie", "i.e", "ме"), "international-unit"),
    **dict.fromkeys(("meq", "mmol(eq)"), "milliequivalent"), "meq/l": "milliequivalent-per-liter",
    **dict.fromkeys(("fps", "frames/s", "frames per second"), "frame-per-second"),
    **dict.fromkeys(("people", "personen", "personnes", "personas", "pessoas", "persone", "osób", "kişi", "pax"), "person"),
    "gsm": "gram-per-square-meter", **dict.fromkeys(("mq", "kvm", "m kw"), "square-meter"), "mc": "cubic-meter",
    "ccm": "cubic-centimeter", "sf": "square-foot", "cf": "cubic-foot", "cfm": "cubic-foot-per-minute",
    **dict.fromkeys(("micron", "microns"), "micrometer"), **dict.fromkeys(("ar", "are", "ares"), "are"), "torr": "torr",
    "bhp": "horsepower", "cp": "centipoise metric-horsepower", "poise": "poise", "centipoise": "centipoise",
    **dict.fromkeys(("stokes", "stoke"), "stokes"), **dict.fromkeys(("centistokes", "centistoke"), "centistokes"),
    **dict.fromkeys(("troy oz", "troy ounce", "troy ounces", "oz t", "t oz"), "ounce-troy"), "ppt": "permille portion-per-1e12",
    **dict.fromkeys(("tab", "tabs", "tbl"), "tablet"), **dict.fromkeys(("cap", "caps"), "capsule"),
    **dict.fromkeys(("btl", "btls"), "bottle"), **dict.fromkeys(("ctn", "ctns"), "carton"),
    **dict.fromkeys(("pkg", "pkgs"), "package"), **dict.fromkeys(("pr", "prs"), "pair"),
    **dict.fromkeys(("kgf", "kp"), "kilogram-force"), **dict.fromkeys(("л.с", "лс", "к.с"), "metric-horsepower"),
    **dict.fromkeys(("ft-lb", "ft-lbs", "ft lb", "ft lbs", "lb-ft", "lb ft"), "pound-force-foot"),
    **dict.fromkeys(("摄氏度", "攝氏度", "摄氏°", "攝氏°"), "celsius"),
    **dict.fromkeys(("华氏度", "華氏度", "华氏°", "華氏°"), "fahrenheit"),
    **dict.fromkeys(("جرام", "جم", "غم"), "gram"), **dict.fromkeys(("كيلوجرام", "كيلو"), "kilogram"), "مل": "milliliter",
    **dict.fromkeys(("ملج", "ملغ", "مجم"), "milligram"), **dict.fromkeys(("센티", "센치", "센치미터"), "centimeter"), "ミリ": "millimeter",
    "jaren": "year", "uren": "hour", "घंटों": "hour", "महीनों": "month", "सेकेंड": "second", "दिनों": "day",
    **dict.fromkeys(("个小时", "個小時", "小時"), "hour"),
    **dict.fromkeys(("个星期", "個星期", "星期", "礼拜", "禮拜"), "week"), "個月": "month",
    "кг": "kilogram", "г": "gram", "公里": "kilometer", "公斤": "kilogram", "千克": "kilogram",
    "克": "gram", "米": "meter", "厘米": "centimeter",
    "毫米": "millimeter", "升": "liter", "毫升": "milliliter", "キログラム": "kilogram",
    "グラム": "gram", **dict.fromkeys(("キロ", "킬로", "키로"), "kilogram kilometer"), "メートル": "meter", "センチ": "centimeter",
    "分钟": "minute", "小时": "hour", "時間": "hour", "分": "minute",
    "分間": "minute", "秒": "second", "日": "day", "日間": "day",
    "天": "day", "시간": "hour", "분": "minute", "초": "second", "일": "day",
    "주": "week", "週間": "week", "周": "week", "个月": "month", "か月": "month",
    "ヶ月": "month", "ヵ月": "month", "カ月": "month", "ケ月": "month", "箇月": "month",
    "か月間": "month", "ヶ月間": "month", "年間": "year", "秒間": "second", "년": "year", "年": "year",
}  # fmt: skip
_OWN_DIMENSIONS: Final = {
    "lumen": "lumen", "lux": "lumen meter^-2", "liter-per-kilometer": "liter-per-kilometer", "karat": "karat",
    "gasoline-energy-density": "gasoline-energy-density",
}  # fmt: skip
"""Units that measure something else than others of the same base units: luminous flux and intensity, consumption and area."""
_DEGREE_WORDS: Final = frozenset(
    """° deg degs degree degrees grad grade graden grader gradi grados graus degré degrés degrès degres gr stopni stopnie fok
    derece stupnjeva stupanj stopinj stupňů stupnov céimeanna درجة درجه डिग्री градусов градуса""".split()  # noqa: SIM905
)
_CELSIUS = (
    "c celsius celcius centigrade centigrades centigradi centigrado centigrados centígrado centígrados centígrads celzija celsia santigrat "
    "santigrad цельсия سلزيوس مئوية सेल्सियस सेल्सीयस"
)
_FAHRENHEIT = "f fahrenheit farenheit fahreneit fahrenheits fahrenhayt fahrenayt фаренгейта فهرنهايت फ़ारेनहाइट फारेनहाइट"
_DEGREE_SCALES: Final = dict.fromkeys(_CELSIUS.split(), "celsius") | dict.fromkeys(_FAHRENHEIT.split(), "fahrenheit")
"""What a temperature is called, with a word for degrees before it or alone where it is a word."""
_PER_WORD: Final = re.compile(r"(?<=\w) (?:per|an?|pro|par|por|al|all'|à l'|je) ?(?=\w)", re.IGNORECASE)
"""Between two units: `miles an hour`."""
_RATE: Final = re.compile(
    r"/ ?|(?:per|pro|par|por|je|al|alla|alle|pe|pr\.?|à|kada|na|za|po|u|в|на|за|по|у|во|ανά|mỗi|kwa|kwa kila) (?:l')?"
    r"|(?:प्रति|दर|প্রতি|در|لكل|كل|في) |all'|每|毎|ต่อ"
)
"""What makes a unit the unit of a rate."""
_RATE_STARTS: Final = frozenset("/pjaàknzuвнзпуαपदপدلكفm每毎ต")
"""First letters of `_RATE`: other names are not searched."""
_KOREAN_PER: Final = "당"
_NOT_PER: Final = frozenset(f"na {unit}" for unit in ("oras", "araw", "linggo", "buwan", "taon"))
"""Filipino joins a number to its unit so: `5 na oras` are five hours."""
_MIN_DATIVE: Final = 5
"""Letters of a German unit in the dative plural: `14 Tagen`."""
_LONGEST_START: Final = 3 * GROUP_CHARACTERS
_MIN_WITHOUT_ACCENTS: Final = 4
"""Letters of a word that is also known without its accents."""
_YEARS_AND_LITERS: Final = frozenset({"l."})
"""Years in Czech and Slovak with the point, litres in other languages."""


@cache  # the tables of units never change
def unit_factor(unit: str) -> locale_tables.UnitFactor | None:
    """How a unit converts; None for an unknown one.

    >>> unit_factor("megajoule").factor, unit_factor("bar").dimension == unit_factor("pound-force-per-square-inch").dimension
    (1000000.0, True)
    """
    if unit in _MULTIPLES:
        base_unit, multiple = _MULTIPLES[unit]
        return _multiple_of(base_unit, multiple)
    if unit in _BASE_UNITS:
        return locale_tables.UnitFactor(_BASE_UNITS[unit], 1.0, 0.0)
    factor = locale_tables.unit_factors().get(unit)
    if factor is not None:
        return factor._replace(dimension=_OWN_DIMENSIONS.get(unit) or _sorted_dimension(factor.dimension))
    if unit.startswith(_PRODUCT):
        return _product_factor(unit.removeprefix(_PRODUCT))
    for prefix, multiple in PREFIX_FACTORS.items():
        if unit.startswith(prefix) and _PER not in unit:
            return _multiple_of(unit.removeprefix(prefix), multiple)
    for word, power in _POWERS.items():
        if unit.startswith(word) and _PER not in unit:
            return _power_factor(unit.removeprefix(word), power)
    if _PER in unit:
        return _ratio_factor(*unit.split(_PER, 1))
    return _wider_factor(unit.removeprefix(_FROM_PINT)) if unit.startswith(_FROM_PINT) else None


def _ratio_factor(numerator: str, denominator: str) -> locale_tables.UnitFactor | None:
    above, below = unit_factor(numerator), unit_factor(denominator)
    if above is None or below is None or above.offset or below.offset:
        return None
    powers = _dimension_powers(above.dimension)
    for name, power in _dimension_powers(below.dimension).items():
        powers[name] = powers.get(name, 0) - power
    return locale_tables.UnitFactor(_dimension_name(powers), above.factor / below.factor, 0.0)


def _product_factor(product: str) -> locale_tables.UnitFactor | None:
    """How a compound unit converts, from the text that `_product_called` writes."""
    total, powers = 1.0, dict[str, int]()
    for part in product.split(" "):
        name, _, power_text = part.partition("^")
        power = int(power_text or 1)
        if name[0].isdigit():
            total *= float(name) ** power
            continue
        factor = unit_factor(name)
        if factor is None or factor.offset:
            return None
        total *= factor.factor**power
        for base, exponent in _dimension_powers(factor.dimension).items():
            powers[base] = powers.get(base, 0) + exponent * power
    return locale_tables.UnitFactor(_dimension_name(powers), total, 0.0) if any(powers.values()) else None


def _power_factor(unit: str, power: int) -> locale_tables.UnitFactor | None:
    base = unit_factor(unit)
    if base is None or base.offset:
        return None
    powers = {name: exponent * power for name, exponent in _dimension_powers(base.dimension).items()}
    return locale_tables.UnitFactor(_dimension_name(powers), base.factor**power, 0.0)


def describe_units(units: Iterable[str]) -> str:
    """The units as a reader knows them.

    >>> describe_units({"pint:furlong", "mole"})
    'furlong or mole'
    """
    return " or ".join(sorted(unit.removeprefix(_FROM_PINT).removeprefix(_PRODUCT) for unit in units))


def _dimension_powers(name: str) -> dict[str, int]:
    """The powers that `_dimension_name` wrote.

    >>> _dimension_powers("kilogram meter^-3")
    {'kilogram': 1, 'meter': -3}
    """
    parts = (part.partition("^") for part in name.split(" "))
    return {unit: int(power or 1) for unit, _, power in parts}


def _multiple_of(unit: str, multiple: float) -> locale_tables.UnitFactor | None:
    base = unit_factor(unit)
    return None if base is None else base._replace(factor=base.factor * multiple)


def _sorted_dimension(dimension: str) -> str:
    """One spelling for a dimension: CLDR writes pressure as kg/(m·s²) and as kg·m/s²/m².

    >>> _sorted_dimension("kilogram-meter-per-square-second-per-square-meter") == _sorted_dimension("kilogram-per-meter-square-second")
    True
    """
    powers: dict[str, int] = {}
    for place, product in enumerate(dimension.split("-per-")):
        power = 1
        for word in product.split("-"):
            if word in {"square", "cubic"}:
                power = 2 if word == "square" else 3
                continue
            powers[word] = powers.get(word, 0) + (power if place == 0 else -power)
            power = 1
    return _dimension_name(powers)


def _dimension_name(powers: Mapping[str, int]) -> str:
    named = sorted((unit, power) for unit, power in powers.items() if power)
    return " ".join(unit if power == 1 else f"{unit}^{power}" for unit, power in named)


# The same few names in every value of a column; the name alone decides the result.
@lru_cache(maxsize=1 << 12)
def units_called(name: str) -> frozenset[str]:
    """Units of that name, abbreviation or symbol; English usage wins.

    >>> units_called("lbs"), units_called("stunden")
    (frozenset({'pound'}), frozenset({'hour'}))
    """
    if name.strip() in _NO_SYMBOLS:
        return _NO_UNITS
    symbol = unicodedata.normalize("NFKC", name.strip())
    unit = symbol_called(symbol)
    if unit is not None:
        return frozenset({unit})
    key = fold_name(name.replace("º", "°")).replace("²", "2").replace("³", "3").replace("^", "")
    plain = key.strip(".")
    if plain in _MORE_UNITS:
        listed = frozenset(_MORE_UNITS[plain].split(" "))
        return listed | locale_tables.unit_names()[key] if key in _YEARS_AND_LITERS else listed
    if plain.count(".") and plain.replace(".", "") in _MORE_UNITS:  # `sq. m.`
        return frozenset({_MORE_UNITS[plain.replace(".", "")]})
    by_symbols = _symbols_called(symbol) or _rate_called(key)
    if by_symbols or plain in _ENGLISH_WORDS:
        return by_symbols
    return _named_units(name, key, symbol)


def _named_units(name: str, key: str, symbol: str) -> frozenset[str]:
    """Units by their names in the tables, then by what names are made of."""
    plain = key.strip(".")
    # with a point and without it, an abbreviation may mean other units in other languages
    named = locale_tables.unit_names().get(key, _NO_UNITS) | locale_tables.unit_names().get(plain, _NO_UNITS)
    named = named or locale_tables.unit_names_without_points().get(plain.replace(".", ""), _NO_UNITS)
    if not named and "·" in plain:
        named = locale_tables.unit_names().get(plain.replace("·", "⋅"), _NO_UNITS)
    if "item" in named:
        return named - {"item"} | {"piece"}
    if _HORSEPOWER in named:
        return _tell_horsepower(named, plain)
    if (not named or _GLUCOSE in named) and name.count("/") == 1:
        return _ratio_called(*name.split("/")) or named or _product_called(symbol)
    return (
        named
        or _temperature_called(plain)
        or _power_called(plain)
        or _symbol_in_capitals(name)
        or _inflected_unit(plain)
        or _product_called(symbol)
        or _unit_without_accents(plain)
    )


@cache  # derived from a table that never changes
def _accented_starts() -> dict[str, list[str]]:
    """Beginnings of unit names that are not ASCII, by what they are without accents."""
    starts: dict[str, list[str]] = {}
    for start in locale_tables.unit_names().starts():
        if not start.isascii():
            starts.setdefault(strip_accents(start), []).append(start)
    return starts


@lru_cache(maxsize=4096)  # derived from a table that never changes, of which reading all names takes a quarter of a second
def _names_without_accents(start: str) -> dict[str, frozenset[str]]:
    """Words for units that have accents, without them → their units; those of groups that begin so without accents.

    A character may be up to three without its accents, as syllables of Korean are.
    """
    table = locale_tables.unit_names()
    names: dict[str, frozenset[str]] = {}
    for stored_start in (start, *(accented for length in range(len(start) + 1) for accented in _accented_starts().get(start[:length], ()))):
        for name, units in table.entries_with_start(stored_start).items():
            plain = "" if name.isascii() or len(name) < _MIN_WITHOUT_ACCENTS else strip_accents(name)
            if plain and plain != name:
                names[plain] = names.get(plain, _NO_UNITS) | units
    return names


def _unit_without_accents(name: str) -> frozenset[str]:
    """The unit of a word without its accents, as capitals are often written: `ANNEES`, `ΩΡΕΣ`."""
    if len(name) < _MIN_WITHOUT_ACCENTS or not name.isalpha():
        return _NO_UNITS
    plain = strip_accents(name)
    units = _names_without_accents(plain[:_LONGEST_START]).get(plain, _NO_UNITS)
    return units if len(units) == 1 else _NO_UNITS


def _tell_horsepower(units: frozenset[str], name: str) -> frozenset[str]:
    """Metric horsepower (735.5 W) where a language calls it so (`ch`, `CV`, `л.с.`); both kinds in languages that have one word for them.

    >>> sorted(_tell_horsepower(frozenset({"horsepower"}), "ch")), sorted(_tell_horsepower(frozenset({"horsepower"}), "馬力"))
    (['metric-horsepower'], ['horsepower', 'metric-horsepower'])
    """
    if name in _ENGLISH_HORSEPOWER:
        return units
    is_metric = name[:1] < _FIRST_ARMENIAN
    return (units - {_HORSEPOWER} if is_metric else units) | {_METRIC_HORSEPOWER}


def _product_called(name: str) -> frozenset[str]:
    """A compound unit of units that convert: `m·s⁻¹`, `mg/kg/day`; empty for any other name.

    >>> unit_factor(*_product_called("kg·m⁻³")) == unit_factor("kilogram-per-cubic-meter"), _product_called("kg/box")
    (True, frozenset())
    """
    factors = split_unit_product(name)
    parts = [_product_part(factor) for factor in factors]
    if not parts or not all(parts):
        return _NO_UNITS
    product = _PRODUCT + " ".join(sorted(parts))
    return frozenset({product}) if unit_factor(product) is not None else _NO_UNITS


def _product_part(factor: UnitFactorName) -> str:
    """A factor of a compound unit by the name of its unit; empty if it has none or several."""
    symbol = symbol_in_ratio(factor.name)
    units = [unit for unit in ({symbol} if symbol else units_called(factor.name)) if not unit.startswith(_PRODUCT)]
    units = [unit for unit in units if (converted := unit_factor(unit)) is not None and not converted.offset]
    if len(units) != 1:
        return ""
    part = units[0] if factor.power == 1 else f"{units[0]}^{factor.power}"
    return part if factor.number == "1" else f"{factor.number}^{-1 if factor.power < 0 else 1} {part}"


def _temperature_called(name: str) -> frozenset[str]:
    """The scale of a temperature: `degrés c`, `grados centígrados`, `celcius`; empty for any other name."""
    degree, _, scale = name.rpartition(" ")
    if not degree and name.startswith("°"):
        degree, scale = "°", name[1:]
    is_degree = degree.strip(".") in _DEGREE_WORDS or (not degree and len(scale) > 1)
    return frozenset({_DEGREE_SCALES[scale]}) if is_degree and scale in _DEGREE_SCALES else _NO_UNITS


def _inflected_unit(name: str) -> frozenset[str]:
    """The unit of a German dative plural (`Tagen`, `Metern`), or of two units with a word between them (`miles an hour`)."""
    if name.endswith("n") and len(name) >= _MIN_DATIVE:
        units = locale_tables.unit_names().get(name[:-1], _NO_UNITS)
        if units:
            return units
    ratio = _PER_WORD.sub("/", name, count=1) if " " in name else name
    return _ratio_called(*ratio.split("/")) if ratio.count("/") == 1 and ratio != name else _NO_UNITS


def _power_called(name: str) -> frozenset[str]:
    """The area or volume of a unit of length: `cu ft`, `sq. in`, `mm3`; empty for any other name.

    >>> _power_called("cu ft"), _power_called("mm3"), _power_called("kg2")
    (frozenset({'cubic-foot'}), frozenset({'cubic-millimeter'}), frozenset())
    """
    match = _POWER_NAME.fullmatch(name)
    if match is None:
        return _NO_UNITS
    word = "square-" if match["power"] == "2" or (match["word"] or "").startswith("sq") else "cubic-"
    lengths = [unit for unit in units_called(match["length"] or match["base"]) if _is_length(unit)]
    return frozenset({word + lengths[0]}) if len(lengths) == 1 else _NO_UNITS


def _is_length(unit: str) -> bool:
    factor = unit_factor(unit)
    return factor is not None and factor.dimension == "meter"


def _symbols_called(name: str) -> frozenset[str]:
    """One symbol of the SI per another, which other languages may print for something else, or one in capitals; empty for any other name.

    >>> _symbols_called("km/s"), _symbols_called("PG"), _symbols_called("soon")
    (frozenset({'kilometer-per-second'}), frozenset({'picogram'}), frozenset())
    """
    numerator, slash, denominator = name.partition("/")
    if slash:
        is_ratio = symbol_in_ratio(numerator) is not None and symbol_in_ratio(denominator) is not None
        return _ratio_called(numerator, denominator) if is_ratio else _NO_UNITS
    return _symbol_in_capitals(name) if len(name) == 2 else _NO_UNITS


def _rate_called(name: str) -> frozenset[str]:
    """How often in a unit: `/min`, `per hour`, `na godzinę`; empty for any other name.

    >>> sorted(_rate_called("/min")), _rate_called("per mile"), _rate_called("pro")
    (['beat-per-minute', 'item-per-minute', 'revolution-per-minute'], frozenset({'item-per-mile'}), frozenset())
    """
    if name in _NOT_PER:
        return _NO_UNITS
    units = _units_behind_per(name) or locale_tables.rate_names().get(name, _NO_UNITS)
    rates = {f"item{_PER}{unit}" for unit in units if _PER not in unit}
    return frozenset(rates | {"beat-per-minute", "revolution-per-minute"} if units == {"minute"} else rates)


def _units_behind_per(name: str) -> Set[str]:
    """The units behind a slash or a word for `per`; empty for any other name."""
    if name[-1:] == _KOREAN_PER:
        return units_called(name.removesuffix(_KOREAN_PER))
    rate = _RATE.match(name) if name[:1] in _RATE_STARTS else None
    if rate is None:
        return _NO_UNITS
    symbol = symbol_in_ratio(name[rate.end() :])
    return units_called(name[rate.end() :]) if symbol is None else {symbol}


def _symbol_in_capitals(name: str) -> frozenset[str]:
    """The unit of a symbol that is otherwise in small letters: `MMOL`."""
    symbol = symbol_called(name.strip().lower()) if name.isupper() else None
    return _NO_UNITS if symbol is None else frozenset({symbol})


def _ratio_called(numerator: str, denominator: str) -> frozenset[str]:
    """One unit per another, where each name means one unit that converts: `mg/L`, `g/cm³`.

    >>> round(unit_factor(*_ratio_called("mg", "dL")).factor, 12), unit_factor(*_ratio_called("mg", "L")).factor
    (0.01, 0.001)
    """
    symbols = (symbol_in_ratio(numerator.strip()), symbol_in_ratio(denominator.strip()))
    above = units_called(numerator) if symbols[0] is None else {symbols[0]}
    below = units_called(denominator) if symbols[1] is None else {symbols[1]}
    above, below = ({unit for unit in units if unit_factor(unit) is not None} for units in (above, below))
    if len(above) != 1 or len(below) != 1:
        return frozenset()
    ratio = f"{next(iter(above))}{_PER}{next(iter(below))}"
    return frozenset({ratio}) if unit_factor(ratio) is not None else frozenset()


@cache  # making it takes a third of a second
def _pint_registry() -> Any:
    """The units of pint; None where the extra `domain` is not installed."""
    try:
        import pint
    except ImportError:
        return None
    return pint.UnitRegistry()


def wider_units(name: str) -> frozenset[str]:
    """The unit of that name in pint; empty where it knows none."""
    if not re.fullmatch(r"[^\W\d_][\w/*^·° -]{0,30}", name):
        return frozenset()
    return frozenset({_FROM_PINT + name}) if _wider_factor(name) is not None else frozenset()


@cache  # units repeat within a column; the name alone decides the result
def _wider_factor(name: str) -> locale_tables.UnitFactor | None:
    """How a unit of pint converts, in CLDR's dimensions."""
    registry = _pint_registry()
    if registry is None:
        return None
    try:
        base = registry.Quantity(1, name.replace("·", "*")).to_base_units()
    except Exception:  # pint raises what its parser meets: syntax errors, tokens, undefined units
        return None
    factor = float(base.magnitude)
    powers: dict[str, int] = {}
    for unit, power in dict(base.unit_items()).items():
        if power != int(power):
            continue
        name_in_cldr, multiple = _FROM_PINT_BASE.get(str(unit), (str(unit), 1.0))
        powers[name_in_cldr] = int(power)
        factor *= multiple ** int(power)
    return locale_tables.UnitFactor(_dimension_name(powers), factor, 0.0)
