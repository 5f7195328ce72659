"""Build the tables in `src/fieldwise/kernels/data/locale/` from Unicode CLDR, one compressed JSON file each.

    pip install babel num2words orjson zstandard
    npm install cldr-core cldr-misc-full cldr-numbers-full
    python scripts/build_locale_tables.py node_modules

Babel supplies names of currencies, territories, languages, months, days and units; the npm packages supply what Babel does not carry:
yes/no words (`posix`), narrow currency symbols, unit conversions, ISO code mappings; num2words supplies number words. The output is data
under the Unicode licence (`kernels/data/locale/LICENSE.txt`). Nothing of this is needed at run time.
"""

import json
import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import babel
import orjson
import zstandard
from babel import Locale, localedata
from babel.core import get_global
from num2words import num2words

from fieldwise.kernels.locale_tables import WITHDRAWN_CURRENCIES, strip_accents
from fieldwise.kernels.name_table import group_names

FOLDER = Path(__file__).parents[1] / "src" / "fieldwise" / "kernels" / "data" / "locale"
ROOT_NAME = re.compile(r"M\d\d|Mon|Tue|Wed|Thu|Fri|Sat|Sun")
"""What CLDR prints where a language has no name for a month or a day."""
POWER = re.compile(r"(?<=[^\W\d_])[23]$|(?<=[\u0900-\u0dff\u0eb1-\u0ece])[23]$")
"""A square or cube at the end of a folded symbol: `m2`."""
CUT_SCRIPTS = ("\u0370", "\u052f")
"""The first and the last character of Greek and Cyrillic."""
MIN_CUT = 3
MIN_SHARED_NAMES = 3
MIN_OLD_NAME = 5
OLD_CURRENCIES = [*WITHDRAWN_CURRENCIES.split(" "), "XDR", "XEU"]
COUNTED = ("zero", "one", "two", "few", "many", "other")
WORD_NUMBERS = (*range(61), 70, 80, 90, 100)
WORD_LANGUAGES = [
    "ar",
    "cs",
    "cy",
    "da",
    "de",
    "en",
    "eo",
    "es",
    "fa",
    "fi",
    "fr",
    "he",
    "hu",
    "id",
    "is",
    "it",
    "ja",
    "kn",
    "ko",
    "kz",
    "lt",
    "lv",
    "nl",
    "no",
    "pl",
    "pt",
    "ro",
    "ru",
    "sk",
    "sl",
    "sr",
    "sv",
    "te",
    "tg",
    "th",
    "tr",
    "uk",
    "vi",
]


def fold(text: str) -> str:
    """The key of a name: must equal `fieldwise.kernels.locale_tables.fold_name`."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u0307", "")
    folded = "".join(character for character in folded if unicodedata.category(character) != "Cf")
    return " ".join(folded.replace("\u2019", "'").split())


def main(node_modules: Path) -> None:
    """Write the tables and print the size of each."""
    languages = sorted(name for name in localedata.locale_identifiers() if is_language(name))
    locales = sorted(localedata.locale_identifiers())
    currencies, units = currency_names(locales), unit_names(languages)
    territories = names_by_key(locales, "territories", r"[A-Z]{2}")
    language_names = names_by_key(locales, "languages", r"[a-z]{2,3}")
    major, months, answers = major_languages(node_modules), calendar_names(locales, "months", 12), yes_no(node_modules)
    month_names = calendar_index(months, 1)
    month_tables = {
        "month_names": calendar_text(month_names),
        "month_names_without_accents": calendar_text(months_without_accents(month_names)),
        "cut_month_names": calendar_text(cut_months(month_names, major)),
    }
    tables: dict[str, Any] = {
        "versions": {"babel": babel.__version__, "cldr": read_json(node_modules / "cldr-core" / "package.json")["version"]},
        "major_languages": major,
        "currency_codes": sorted({code for codes in currencies.values() for code in codes.split(" ")}),
        "territory_codes": territory_codes(node_modules),
        "language_codes": language_codes(),
        "calendar_languages": sorted(months),
        "month_words": sorted({word.strip(".'") for table in month_tables.values() for name in table for word in name.split()}),
        "day_periods": day_periods(languages),
        "date_words": date_words(locales),
        "number_symbols": number_symbols(locales),
        "compact_suffixes": compact_suffixes(languages),
        "units": unit_factors(node_modules),
        "number_words": number_words(),
    }
    name_tables = {
        "currency_symbols": currency_symbols(locales, node_modules),
        "currency_names": currencies,
        "old_currency_names": old_currency_names(locales),
        "territory_names": territories,
        "territory_names_without_accents": without_accents(territories),
        "language_names": language_names,
        "language_names_without_accents": without_accents(language_names),
        "language_varieties": names_by_key(locales, "languages", r"[a-z]{2,3}_(?:[A-Z][a-z]{3}|[A-Z]{2}|\d{3})"),
        **month_tables,
        "day_names": calendar_text(calendar_index(calendar_names(locales, "days", 7), 0)),
        "unit_names": units,
        "rate_names": {name: codes for name, codes in unit_names(languages, rates=True).items() if name not in units},
        "unit_names_without_points": {name.replace(".", ""): codes for name, codes in sorted(units.items()) if "." in name},
        "yes_no": answers,
        "yes_no_without_accents": without_accents(answers),
    }
    tables |= {name: group_names(table) for name, table in name_tables.items()}
    FOLDER.mkdir(parents=True, exist_ok=True)
    size = 0
    for name, table in tables.items():
        size += (FOLDER / f"{name}.json.zst").write_bytes(compress(table))
        print(f"{name:32} {len(table):6} entries {(FOLDER / f'{name}.json.zst').stat().st_size:8} bytes")
    print(f"{size:,} bytes in all, {len(languages)} languages")


def is_language(name: str) -> bool:
    """Keep languages and their scripts, not the variants for territories."""
    return all(len(part) == 4 for part in name.split("_")[1:]) and name != "root"


def major_languages(node_modules: Path) -> list[str]:
    """Languages with modern coverage in CLDR: their names win over those of the others."""
    levels = read_json(node_modules / "cldr-core" / "coverageLevels.json")["effectiveCoverageLevels"]
    return sorted({name.split("-")[0] for name, level in levels.items() if level == "modern"})


def compress(table: Any) -> bytes:
    return zstandard.ZstdCompressor(level=22).compress(orjson.dumps(table, option=orjson.OPT_SORT_KEYS))


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def joined(index: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {name: " ".join(sorted(codes)) for name, codes in index.items() if name}


def without_accents(codes_by_name: Mapping[str, str]) -> dict[str, str]:
    """The names that have accents, without them → codes."""
    index: dict[str, set[str]] = defaultdict(set)
    for name, codes in codes_by_name.items():
        if strip_accents(name) != name:
            index[strip_accents(name)].update(codes.split(" "))
    return joined(index)


def currency_symbols(locales: Iterable[str], node_modules: Path) -> dict[str, str]:
    """Symbol → codes of every currency that some locale writes with it. A symbol that is a code stands for that code alone."""
    current = currencies_in_use()
    index: dict[str, set[str]] = defaultdict(set)
    for name in locales:
        for code, symbol in localedata.load(name).get("currency_symbols", {}).items():
            if code in current and symbol != code:
                index[symbol.strip()].add(code)
    for path in sorted((node_modules / "cldr-numbers-full" / "main").glob("*/currencies.json")):
        for entry in read_json(path)["main"].values():
            for code, currency in entry["numbers"]["currencies"].items():
                narrow = currency.get("symbol-alt-narrow")
                if narrow and code in current and narrow != code:
                    index[narrow.strip()].add(code)
    return joined(index)


def currencies_in_use() -> set[str]:
    """Codes that a territory uses today, and the codes of CLDR's list that are no test codes."""
    codes = {
        code for entries in get_global("territory_currencies").values() for code, _start, end, tender in entries if end is None and tender
    }
    return codes | {"EUR", "USD", "BTC", "XAF", "XOF", "XPF", "XCD", "CLF", "UYI", "CNH"}


def currency_names(languages: Iterable[str]) -> dict[str, str]:
    """Folded name, singular or plural → codes."""
    index: dict[str, set[str]] = defaultdict(set)
    current = currencies_in_use()
    for name in languages:
        data = localedata.load(name)
        for code, label in data.get("currency_names", {}).items():
            if code in current:
                index[fold(label)].add(code)
        for code, forms in data.get("currency_names_plural", {}).items():
            if code in current:
                for label in forms.values():
                    index[fold(label)].add(code)
        for noun, codes in currency_nouns(data, current).items():
            index[noun] |= codes
    return joined(index)


def old_currency_names(languages: Iterable[str]) -> dict[str, str]:
    """Folded name, singular or plural → codes of `OLD_CURRENCIES`; names of a currency in use and short words (`slot`) are left out."""
    index: dict[str, set[str]] = defaultdict(set)
    current_names = currency_names(languages)
    for name in languages:
        data = localedata.load(name)
        for code in OLD_CURRENCIES:
            labels = [data.get("currency_names", {}).get(code, ""), *data.get("currency_names_plural", {}).get(code, {}).values()]
            for key in map(fold, labels):
                if key not in current_names and len(key) >= MIN_OLD_NAME:
                    index[key].add(code)
    return joined(index)


def currency_nouns(data: Mapping[str, Any], current: set[str]) -> dict[str, set[str]]:
    """Words that at least three names of a language share and that mean one kind of currency: the `dolarów` of `dolarów kanadyjskich`."""
    codes_by_word: dict[str, set[str]] = defaultdict(set)
    names = [(code, label) for code, label in data.get("currency_names", {}).items()]
    names += [(code, label) for code, forms in data.get("currency_names_plural", {}).items() for label in forms.values()]
    for code, label in names:
        words = fold(label).split(" ")
        if code in current and len(words) > 1:
            for word in words:
                codes_by_word[word].add(code)
    return {
        word: codes
        for word, codes in codes_by_word.items()
        if len(codes) >= MIN_SHARED_NAMES and len(word) >= 3 and word.isalpha() and len({kind_of_currency(code) for code in codes}) == 1
    }


def kind_of_currency(code: str) -> str:
    """The English noun of a currency; crowns of all countries are one kind."""
    words = localedata.load("en")["currency_names"].get(code, code).lower().split(" ")
    noun = next((word for word in words if word in ("dollar", "franc", "pound", "peso", "rupee", "dinar", "shilling")), words[-1])
    return "crown" if noun in ("krona", "krone", "króna", "koruna") else noun


def names_by_key(languages: Iterable[str], key: str, pattern: str) -> dict[str, str]:
    """Folded name → codes, over all languages."""
    index: dict[str, set[str]] = defaultdict(set)
    for name in languages:
        for code, label in localedata.load(name).get(key, {}).items():
            if re.fullmatch(pattern, code):
                index[fold(label)].add(code)
    return joined(index)


def territory_codes(node_modules: Path) -> dict[str, str]:
    """Alpha-3 and numeric code → alpha-2 code; alpha-2 codes stand for themselves."""
    mapping = read_json(node_modules / "cldr-core" / "supplemental" / "codeMappings.json")["supplemental"]["codeMappings"]
    named = localedata.load("en")["territories"]
    codes: dict[str, str] = {}
    for alpha2, others in mapping.items():
        if re.fullmatch("[A-Z]{2}", alpha2) and alpha2 in named and alpha2 not in ("EU", "EZ", "UN", "ZZ", "XA", "XB", "QO"):
            codes[alpha2] = alpha2
            for kind in ("_alpha3", "_numeric"):
                if others.get(kind):
                    codes[others[kind]] = alpha2
    return codes | {"UK": "GB"}


def language_codes() -> dict[str, str]:
    """Code of two or three letters → the code that CLDR uses."""
    codes = {code: code for code in localedata.load("en")["languages"] if re.fullmatch("[a-z]{2,3}", code)}
    for alias, code in get_global("language_aliases").items():
        if re.fullmatch("[a-z]{2,3}", alias) and re.fullmatch("[a-z]{2,3}", code) and code in codes:
            codes[alias] = code
    return codes


def calendar_names(locales: Iterable[str], key: str, count: int) -> dict[str, list[list[str]]]:
    """By language, the wide and abbreviated names of each month or day, folded, in order (days start with Monday), over its territories.

    Names with what date patterns attach to them count as well: the Basque `urtarrila` is `urtarrilaren` in a date.
    """
    tables: dict[str, list[set[str]]] = {}
    letters = "ML" if key == "months" else "Ec"
    numbers = range(1, 13) if key == "months" else range(7)
    for name in locales:
        contexts = Locale.parse(name)._data[key] if name != "root" else {}
        forms: list[set[str]] = [set() for _ in range(count)]
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                labels = contexts.get(context, {}).get(width, {})
                for place, number in enumerate(numbers):
                    if number in labels and (name.startswith("en") or not ROOT_NAME.fullmatch(labels[number])):
                        forms[place].add(fold(labels[number]).strip("."))
        for prefix, suffix in sorted(attached_letters(name, letters)) if name != "root" else ():
            for labels in forms:
                labels.update([f"{prefix}{label}{suffix}" for label in labels])
        if all(forms) and not all(re.fullmatch(r"m?\d+|.*월|.*月", label) for labels in forms for label in labels):
            language = "_".join(part for part in name.split("_") if part.islower() or len(part) == 4).lower()
            collected = tables.setdefault(language, [set() for _ in range(count)])
            for place, labels in enumerate(forms):
                collected[place] |= labels
    return {language: [sorted(labels) for labels in forms] for language, forms in tables.items()}


CalendarIndex = dict[str, dict[int, set[str]]]
"""Folded name → number of the month or day → languages that call it so."""


def calendar_index(names_by_language: Mapping[str, Sequence[Sequence[str]]], first: int) -> CalendarIndex:
    index: CalendarIndex = {}
    for language, names_by_number in names_by_language.items():
        for number, names in enumerate(names_by_number, start=first):
            for name in names:
                index.setdefault(name, {}).setdefault(number, set()).add(language)
    return index


def months_without_accents(months_by_name: CalendarIndex) -> CalendarIndex:
    """The names of months that have accents, without them."""
    index: CalendarIndex = {}
    for name, months in months_by_name.items():
        for month, languages in months.items() if strip_accents(name) != name else ():
            index.setdefault(strip_accents(name), {}).setdefault(month, set()).update(languages)
    return index


def cut_months(months_by_name: CalendarIndex, major: Iterable[str]) -> CalendarIndex:
    """Months in Cyrillic and Greek cut to three letters or more, where CLDR cuts them elsewhere: `кві` for `квітня`."""
    index: CalendarIndex = {}
    for name, months in months_by_name.items():
        if not CUT_SCRIPTS[0] <= name[0] <= CUT_SCRIPTS[1]:
            continue
        for month, languages in months.items():
            spoken = languages.intersection(major)
            for length in range(MIN_CUT, len(name)) if spoken else ():
                index.setdefault(name[:length], {}).setdefault(month, set()).update(spoken)
    return index


def calendar_text(index: CalendarIndex) -> dict[str, str]:
    """The text of each entry, such as `10 hr|11 cs pl`."""
    texts: dict[str, str] = {}
    for name, numbers in index.items():
        texts[name] = "|".join(" ".join((str(number), *sorted(languages))) for number, languages in sorted(numbers.items()))
    return texts


def day_periods(languages: Iterable[str]) -> dict[str, str]:
    """Folded am/pm marker → "am" or "pm"; markers that mean both somewhere are left out.

    Parts of the day count where they lie in one half of it (`nachmittags`, `de la tarde`) and are no marker of am or pm.
    """
    index: dict[str, set[str]] = defaultdict(set)
    parts_of_day: dict[str, set[str]] = defaultdict(set)
    for name in languages:
        locale = Locale.parse(name)
        rules = locale._data.get("day_period_rules", {}).get(None, {})
        halves = {part: half_of_day(ranges) for part, ranges in rules.items()}
        for kind, context in locale._data["day_periods"].items():
            for labels in context.values():
                for period, label in labels.items():
                    if period in ("am", "pm"):
                        index[fold(label).replace(".", "")].add(period)
                    elif kind == "format":
                        parts_of_day[fold(label).replace(".", "")].add(halves.get(period) or "both")
    parts_of_day |= index
    return {label: periods.pop() for label, periods in parts_of_day.items() if label and len(periods) == 1 and "both" not in periods}


def half_of_day(ranges: Iterable[Mapping[str, int]]) -> str | None:
    """The half of the day in which all ranges of a part of the day lie; None if they lie in both or are a moment."""
    noon = 12 * 3600
    halves: set[str | None] = set()
    for span in ranges:
        if "at" in span or span["before"] <= span["from"]:
            return None
        halves.add("am" if span["before"] <= noon else "pm" if span["from"] >= noon else None)
    return halves.pop() if len(halves) == 1 else None


def pattern_parts(pattern: str) -> list[tuple[str, str]]:
    """A date pattern as (field, "") and ("", literal) in order."""
    parts: list[tuple[str, str]] = []
    for quoted, field, other in re.findall(r"'([^']*)'|([A-Za-z]+)|([^A-Za-z']+)", pattern):
        if field:
            parts.append((field, ""))
        elif parts and not parts[-1][0]:
            parts[-1] = ("", parts[-1][1] + (quoted or other))
        else:
            parts.append(("", quoted or other))
    return parts


def date_patterns(name: str) -> list[str]:
    """Patterns of dates of a locale in which the month or the day of the week is a name, or the year is written."""
    locale = Locale.parse(name)
    patterns = [pattern.pattern for pattern in locale.date_formats.values()]
    return patterns + [pattern.pattern for key, pattern in locale.datetime_skeletons.items() if re.fullmatch("y[MdE]*", key)]


def attached_letters(name: str, letters: str) -> set[tuple[str, str]]:
    """What date patterns write before and behind the name of a month or day without a space."""
    attached: set[tuple[str, str]] = set()
    for pattern in date_patterns(name):
        parts = pattern_parts(pattern)
        for place, (field, _) in enumerate(parts):
            if len(field) >= 3 and field[0] in letters:
                before = parts[place - 1][1] if place else ""
                behind = parts[place + 1][1] if place + 1 < len(parts) else ""
                prefix = re.search(r"[^\s\d,.·()/년월일年月日-]+$", before)
                suffix = re.match(r"[^\W\d_][^\s\d,.·()/-]*", behind)
                attached.add((fold(prefix[0]) if prefix else "", fold(suffix[0]) if suffix else ""))
    return attached - {("", "")}


def date_words(locales: Iterable[str]) -> dict[str, list[str]]:
    """Folded words that patterns write inside dates (`date`) and around times of day (`clock`), the era of today among them."""
    words: dict[str, set[str]] = {"date": set(), "clock": set()}
    for name in locales:
        if name == "root":
            continue
        locale = Locale.parse(name)
        joining = [str(getattr(pattern, "pattern", pattern)) for pattern in locale.datetime_formats.values()]
        times = [pattern.pattern for pattern in locale.time_formats.values()]
        for kind, patterns in (("date", date_patterns(name)), ("clock", [*joining, *times])):
            for pattern in patterns:
                for field, literal in pattern_parts(re.sub(r"\{[01]\}", " ", pattern)):
                    text = str(locale.eras["abbreviated"][1]) if field == "G" else literal
                    words[kind].update(word.strip(".'") for word in re.findall(r"[^\W\d_][^\d\s,،()]*", fold(text)))
    return {kind: sorted(filter(None, collected)) for kind, collected in words.items()}


def number_symbols(locales: Iterable[str]) -> dict[str, list[str]]:
    """Decimal, group, minus and percent signs of all locales and numbering systems."""
    signs: dict[str, set[str]] = defaultdict(set)
    for name in locales:
        for system in localedata.load(name).get("number_symbols", {}).values():
            for key in ("decimal", "group", "minusSign", "percentSign"):
                if system.get(key):
                    signs[key].add("".join(character for character in system[key] if unicodedata.category(character) != "Cf"))
    return {key: sorted(values) for key, values in signs.items()}


def compact_suffixes(languages: Iterable[str]) -> dict[str, str]:
    """Folded suffix such as "m", "mio." or "lakh" → powers of ten that languages mean by it; English wins."""
    index: dict[str, set[int]] = defaultdict(set)
    english: dict[str, int] = {}
    for name in [*languages, "en_IN", "hi_IN"]:
        for width in ("short", "long"):
            for forms in Locale.parse(name)._data["compact_decimal_formats"].get(width, {}).values():
                for power_text, pattern in forms.items():
                    text = getattr(pattern, "pattern", str(pattern)).split(";")[0]
                    suffix = fold(re.sub(r"[0'\u00a0\u202f]", "", text)).strip()
                    power = len(str(power_text)) - 1 - (text.count("0") - 1)
                    if suffix and power >= 3:
                        index[suffix].add(power)
                        if name.startswith("en"):
                            english[suffix] = power
    return {suffix: " ".join(map(str, sorted(powers))) for suffix, powers in index.items() if suffix not in english} | {
        suffix: str(power) for suffix, power in english.items()
    }


def unit_factors(node_modules: Path) -> dict[str, list[Any]]:
    """Unit → [dimension, factor to the dimension's base unit as a fraction, offset]."""
    data = read_json(node_modules / "cldr-core" / "supplemental" / "units.json")["supplemental"]
    constants: dict[str, Fraction] = {}
    unresolved = {name: constant["_value"] for name, constant in data["unitConstants"].items()}
    while unresolved:
        for name, expression in list(unresolved.items()):
            parts = re.split(r"[*/ ]+", expression)
            if not any(part in unresolved for part in parts):
                constants[name] = factor_of(unresolved.pop(name), constants)
    prefixes = {name: Fraction(10) ** int(prefix["_power10"]) for name, prefix in data["unitPrefixes"].items() if "_power10" in prefix}
    prefixes |= {name: Fraction(2) ** int(prefix["_power2"]) for name, prefix in data["unitPrefixes"].items() if "_power2" in prefix}
    units: dict[str, list[Any]] = {}
    for name in {key.split("-", 1)[1] for key in Locale("en")._data["unit_patterns"]}:
        parts = dimension_of(name, data["convertUnits"], prefixes, constants)
        if parts is not None:
            base, factor, offset = parts
            units[name] = [base, f"{factor.numerator}/{factor.denominator}", f"{offset.numerator}/{offset.denominator}"]
    return units


def factor_of(expression: str, constants: Mapping[str, Fraction]) -> Fraction:
    """A CLDR factor: products, where everything behind the one slash divides."""
    numerator, _, denominator = expression.replace(" ", "").partition("/")

    def product(text: str) -> Fraction:
        result = Fraction(1)
        for part in filter(None, text.split("*")):
            result *= constants[part] if part in constants else Fraction(part)
        return result

    return product(numerator) / product(denominator)


def dimension_of(
    name: str, convert: Mapping[str, Any], prefixes: Mapping[str, Fraction], constants: Mapping[str, Fraction]
) -> tuple[str, Fraction, Fraction] | None:
    if name in convert:
        entry = convert[name]
        if "_special" in entry or (entry.get("_systems") is None and "_baseUnit" not in entry):
            return None
        return entry["_baseUnit"], factor_of(entry.get("_factor", "1"), constants), factor_of(entry.get("_offset", "0"), constants)
    above, _, below = name.partition("-per-")
    if below:
        top, bottom = (dimension_of(part, convert, prefixes, constants) for part in (above, below))
        return None if top is None or bottom is None else (f"{top[0]}-per-{bottom[0]}", top[1] / bottom[1], Fraction(0))
    for power_name, power in (("square-", 2), ("cubic-", 3)):
        if name.startswith(power_name):
            inner = dimension_of(name.removeprefix(power_name), convert, prefixes, constants)
            return None if inner is None else (f"{power_name}{inner[0]}", inner[1] ** power, Fraction(0))
    for prefix, scale in sorted(prefixes.items(), key=lambda item: -len(item[0])):
        if name.startswith(prefix) and name.removeprefix(prefix) in convert:
            inner = dimension_of(name.removeprefix(prefix), convert, prefixes, constants)
            return None if inner is None else (inner[0], inner[1] * scale, Fraction(0))
    return None


def unit_names(languages: Iterable[str], *, rates: bool = False) -> dict[str, str]:
    """Folded name, abbreviation or symbol → units; English wins where it has the name. `rates`: how often in a unit, as `per hour`."""
    index: dict[str, set[str]] = defaultdict(set)
    english: dict[str, set[str]] = defaultdict(set)
    for name in languages:
        for key, widths in Locale.parse(name)._data["unit_patterns"].items():
            unit = key.split("-", 1)[1]
            for width in ("long", "short", "narrow"):
                patterns = widths.get(width, {}) if isinstance(widths, Mapping) else {}
                for label in pattern_labels({"per": patterns.get("per")} if rates else patterns, rates=rates):
                    index[label].add(unit)
                    if name == "en":
                        english[label].add(unit)
    return joined({label: english.get(label, units) for label, units in index.items() if len(label) < 40})


def pattern_labels(patterns: Any, *, rates: bool = False) -> set[str]:
    """The names in the patterns of a unit, or those of rates, such as `{0} per hour`."""
    labels: set[str] = set()
    values: list[Any] = [patterns]
    while values:
        value = values.pop()
        if isinstance(value, str):
            if value.count("{0}") == 1 and "{1}" not in value:
                labels.add(fold(value.replace("{0}", " ")).strip())
        elif isinstance(value, Mapping):
            values.extend(pattern for key, pattern in value.items() if rates or key != "per")
    return {label for label in labels if label and not any(map(str.isdigit, POWER.sub("", label)))}


def yes_no(node_modules: Path) -> dict[str, str]:
    """Folded word → "yes", "no", or both where languages disagree."""
    index: dict[str, set[str]] = defaultdict(set)
    for path in sorted((node_modules / "cldr-misc-full" / "main").glob("*/posix.json")):
        for entry in read_json(path)["main"].values():
            messages = entry["posix"]["messages"]
            for key, answer in (("yesstr", "yes"), ("nostr", "no")):
                for word in messages.get(key, "").split(":"):
                    index[fold(word)].add(answer)
    return joined(index)


def number_words() -> dict[str, str]:
    """Folded number word → numbers (0 to 60, tens to 100), by num2words."""
    index: dict[str, set[str]] = defaultdict(set)
    for language in WORD_LANGUAGES:
        for number in WORD_NUMBERS:
            try:
                index[fold(num2words(number, lang=language))].add(str(number))
            except (NotImplementedError, OverflowError, ValueError, KeyError, IndexError):
                continue
    return {word: numbers.pop() for word, numbers in index.items() if len(numbers) == 1 and word}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
