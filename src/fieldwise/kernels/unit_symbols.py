"""Symbols of units in which letter case counts: `MJ`, `ng`, `µIU`, `kΩ`. They win over abbreviations that other languages print.

>>> symbol_called("MJ"), symbol_called("mJ"), symbol_called("ng"), symbol_called("soon")
('megajoule', 'millijoule', 'nanogram', None)
"""

from functools import lru_cache
from typing import Final

_SYMBOLS: Final = {
    "W": "watt", "mW": "milliwatt", "MW": "megawatt", "nm": "nanometer", "Nm": "newton-meter", "N": "newton", "kN": "kilonewton",
    "kn": "knot", "mV": "millivolt", "kV": "kilovolt", "dB": "decibel", "mA": "milliampere", "A": "ampere", "Pa": "pascal",
    "hPa": "hectopascal", "kPa": "kilopascal", "MPa": "megapascal", "Mb": "megabit", "MB": "megabyte", "Gb": "gigabit", "GB": "gigabyte",
    "Kb": "kilobit", "kB": "kilobyte", "KB": "kilobyte",
    "Wh": "watt-hour", "kWh": "kilowatt-hour", "MWh": "megawatt-hour", "GWh": "gigawatt-hour",
    "Ko": "kilobyte", "Mo": "megabyte", "Go": "gigabyte", "To": "terabyte", "MHz": "megahertz", "K": "kelvin",
    "cal": "calorie", "Cal": "foodcalorie", "PS": "metric-horsepower", "M": "mole-per-liter",
    "Å": "angstrom", "S": "siemens", "Mg": "megagram", "N*m": "newton-meter",
    "N m": "newton-meter", "mM": "millimole-per-liter", "μM": "micromole-per-liter", "uM": "micromole-per-liter",
    "nM": "nanomole-per-liter", "pM": "picomole-per-liter", "U": "international-unit",
    "cP": "centipoise", "mPas": "centipoise", "mPa.s": "centipoise", "cSt": "centistokes",
}  # fmt: skip
"""Symbols without a rule, in NFKC. Not listed: `MG`, `ML` and `MS`, which are labels in capitals, `Ml` and `Mm`, which are titles, and
`kb`, `mb`, `gb` and `NM`, which people write for several units: they agree with each, as `$` does with its currencies."""
_PREFIXES: Final = {
    "f": ("femto", 1e-15), "p": ("pico", 1e-12), "n": ("nano", 1e-9), "μ": ("micro", 1e-6), "u": ("micro", 1e-6), "m": ("milli", 1e-3),
    "c": ("centi", 1e-2), "d": ("deci", 0.1),
    "h": ("hecto", 100.0), "k": ("kilo", 1e3), "M": ("mega", 1e6), "G": ("giga", 1e9), "T": ("tera", 1e12), "P": ("peta", 1e15),
    "Ki": ("kibi", 2.0**10), "Mi": ("mebi", 2.0**20), "Gi": ("gibi", 2.0**30), "Ti": ("tebi", 2.0**40),
}  # fmt: skip
PREFIX_FACTORS: Final = dict(_PREFIXES.values())
"""Names of prefixes → their factors."""
_PREFIXED: Final = {
    "J": "joule", "W": "watt", "Wh": "watt-hour", "V": "volt", "A": "ampere", "Hz": "hertz", "Pa": "pascal", "N": "newton", "Ω": "ohm",
    "eV": "electronvolt", "cal": "calorie", "B": "byte", "bit": "bit", "mol": "mole", "lx": "lux", "lm": "lumen", "cd": "candela",
    "Nm": "newton-meter", "N·m": "newton-meter", "Sv": "sievert", "Gy": "gray", "Bq": "becquerel", "bar": "bar", "VA": "volt-ampere",
    "Ah": "ampere-hour", "Ci": "curie", "IU": "international-unit", "Wb": "weber", "ohm": "ohm", "Ohm": "ohm",
    "var": "volt-ampere-reactive", "Osm": "osmole", "osm": "osmole", "Osmol": "osmole", "osmol": "osmole",
}  # fmt: skip
"""Symbols that take every prefix of the SI, letter case counting."""
_LIMITED: Final = {
    "g": ("gram", "fpnμumcdhk"), "m": ("meter", "fpnμumcdhk"), "l": ("liter", "fpnμumcdhk"), "L": ("liter", "fpnμumcdhk"),
    "s": ("second", "fpnμum"), "S": ("siemens", "pnμum"), "F": ("farad", "pnμum"), "H": ("henry", "nμum"), "T": ("tesla", "nμum"),
    "C": ("coulomb", "pnμum"), "K": ("kelvin", "nμum"), "U": ("international-unit", "μumk"),
    "bps": ("bit-per-second", "kMGT"),
}  # fmt: skip
"""Symbols that take some prefixes; with others they are something else: `Mm` a title, `ks` pieces in Czech, `pH` no
henries, and `bps` alone may be basis points."""
_WHOLE_UNITS: Final = frozenset({"bit", "byte"})
"""Units that are never divided: `mbit` is a sloppy `Mbit`."""
_PLAIN: Final = {"g": "gram", "m": "meter", "l": "liter", "L": "liter", "s": "second", "h": "hour", "min": "minute", "d": "day"}
"""Symbols that other units have too where they are alone: `g` is also the acceleration of free fall."""


def symbol_called(name: str) -> str | None:
    """The unit of a symbol in which letter case counts; None if it is none."""
    if name in _SYMBOLS:
        return _SYMBOLS[name]
    if name in _PREFIXED:
        return _PREFIXED[name]
    for length in (1, 2):
        prefix, symbol = name[:length], name[length:]
        if prefix not in _PREFIXES:
            continue
        factor_name, factor = _PREFIXES[prefix]
        base = _PREFIXED.get(symbol)
        if base is not None and (factor > 1 or base not in _WHOLE_UNITS):
            return factor_name + base
        limited = _LIMITED.get(symbol)
        if limited is not None and prefix in limited[1]:
            return factor_name + limited[0]
    return None


@lru_cache(maxsize=1 << 10)  # the same few units in every value of a column
def symbol_in_ratio(name: str) -> str | None:
    """The unit of a symbol above or below a slash: `g`, `L`; None if it is none.

    >>> symbol_in_ratio("g"), symbol_in_ratio("DL"), symbol_in_ratio("day")
    ('gram', 'deciliter', None)
    """
    for spelling in (name, name.lower()) if name.isupper() else (name,):
        unit = _PLAIN.get(spelling) or symbol_called(spelling)
        if unit is not None:
            return unit
    return None
