"""Languages by code, locale or name in every CLDR language, with the script, region and variant that a text names.

>>> languages_called("ger") == languages_called("Deutsch") == languages_called("de-AT")
True
>>> agree_on_language("pt-BR", "pt-PT"), agree_on_language("pt-BR", "Portuguese"), agree_on_language("zh-CN", "Simplified Chinese")
(False, True, True)
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from fieldwise.kernels import locale_tables
from fieldwise.kernels.locale_tables import fold_name, strip_accents
from fieldwise.kernels.terms import countries_called, whole_countries
from fieldwise.pattern import compile_on_use


class LanguageVariety(NamedTuple):
    """A language and what else was named; empty where it was not."""

    language: str
    script: str = ""
    region: str = ""
    variant: str = ""
    is_script_implied: bool = False
    """Whether the script follows from the region: `zh-TW` is written in traditional characters."""


Varieties = frozenset[LanguageVariety]

NO_VARIETY: Final[Varieties] = frozenset()
_NORWEGIAN: Final = ("no", "nb", "nn")
"""`no` stands for both written languages."""
_MAX_NAME_LENGTH: Final = 80
_WHOLE_WORLD: Final = "001"
_TAG: Final = compile_on_use(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})+")
_ENCODING: Final = compile_on_use(r"(?<=[A-Za-z])\.[A-Za-z0-9-]+$")
"""Behind the name of a POSIX locale: `en_US.UTF-8`."""
_QUALIFIED: Final = compile_on_use(r"(.+?) ?[(（\[]([^()（）\[\]]+)[)）\]]|(.+?) [-–—/] (.+)|([^,]+), (.+)")
"""`English (US)`, `Portuguese - Brazil`, `Chinese, Simplified`."""
_QUALIFIER_SEPARATOR: Final = compile_on_use(r" ?[,;/，、] ?")
_LANGUAGE_WORDS: Final = compile_on_use(
    r"^(?:the |język |jazyk |langue |lengua |idioma |lingua |limba |bahasa |tiếng |мова )|"
    r"(?: language| язык| мова| jazyk| nyelv| dili| kieli| keel| sprache| språk| kalba| valoda| jezik| език| говор| γλώσσα)$"
)
_SCRIPTS: Final = (
    "Adlm Arab Armn Beng Bopo Cans Cher Cyrl Deva Ethi Geor Grek Gujr Guru Hanb Hang Hani Hans Hant Hebr Hira Jpan Kana Khmr Knda Kore "
    "Laoo Latn Mlym Mong Mymr Nkoo Olck Orya Sinh Syrc Taml Telu Tfng Thaa Thai Tibt Vaii Yiii"
)
_VARIANTS: Final = (
    "1901 1996 1606nict 1694acad 1959acad 1994 abl1943 alalc97 ao1990 arevela arevmda bauddha colb1945 cornu emodeng fonipa fonxsamp "
    "hepburn ijekavsk ekavsk jyutping kkcor luna1918 monoton polyton nedis oxendict petr1708 pinyin rozaj scotland scouse solba tarask "
    "uccor ucrcor ulster valencia wadegile"
)
_IMPLIED_SCRIPTS: Final = {
    "az": "Latn IQ=Arab IR=Arab RU=Cyrl", "ha": "Latn CM=Arab SD=Arab", "kk": "Cyrl AF=Arab CN=Arab IR=Arab MN=Arab", "ku": "Latn LB=Arab",
    "ky": "Cyrl CN=Arab TR=Latn", "mn": "Cyrl CN=Mong", "ms": "Latn CC=Arab", "pa": "Guru PK=Arab", "sd": "Arab IN=Deva",
    "sr": "Cyrl ME=Latn RO=Latn TR=Latn", "tg": "Cyrl PK=Arab", "ug": "Arab KZ=Cyrl MN=Cyrl", "uz": "Latn AF=Arab CN=Cyrl",
    "yue": "Hant CN=Hans",
    "zh": "Hans AU=Hant BN=Hant GB=Hant GF=Hant HK=Hant ID=Hant MO=Hant PA=Hant PF=Hant PH=Hant SR=Hant TH=Hant TW=Hant US=Hant VN=Hant",
}  # fmt: skip
"""The script of a language, and by region where it differs: CLDR's likely subtags, for languages whose regions write different scripts."""
_WRITTEN_IN_SEVERAL: Final = frozenset({*_IMPLIED_SCRIPTS, "bs", "hi", "cmn", "hak", "nan", "shi", "vai", "ks", "ff"})
_SCRIPT_WORDS: Final = {
    word: script
    for script, words in {
        "Hans": "simplified,simplified han,simplified characters,vereinfacht,simplifié,simplificado,semplificato,vereenvoudigd,uproszczony,"
        "упрощенный,упрощённый,简体,简体字,簡體,简化字,簡体字",
        "Hant": "traditional,traditional han,traditional characters,traditionell,traditionnel,tradicional,tradizionale,traditioneel,"
        "tradycyjny,традиционный,繁体,繁體,繁體字,正體",
        "Latn": "latin,latin script,roman,lateinisch,latein,latinica,latina,latino,alfabet łaciński,латиница,латинка",
        "Cyrl": "cyrillic,cyrillic script,kyrillisch,cyrillique,cirílico,cirillico,ćirilica,cyrylica,кириллица,ћирилица",
        "Arab": "arabic,arabic script,perso-arabic,arabisch,arabe,shahmukhi",
        "Deva": "devanagari",
        "Guru": "gurmukhi",
    }.items()
    for word in words.split(",")
}
_MORE_LANGUAGES: Final = {
    "mandarin": "zh cmn", "mandarin chinese": "zh cmn",
    "farsi": "fa", "castilian": "es", "flemish": "nl-BE", "valencian": "ca-valencia", "tagalog": "fil tl", "moldovan": "ro-MD",
    "bokmål": "nb", "norwegian": "no nb nn", "american english": "en-US", "us english": "en-US", "british english": "en-GB",
    "uk english": "en-GB", "canadian english": "en-CA", "australian english": "en-AU", "brazilian portuguese": "pt-BR",
    "european portuguese": "pt-PT", "mexican spanish": "es-MX", "latin american spanish": "es-419", "european spanish": "es-ES",
    "canadian french": "fr-CA", "swiss french": "fr-CH", "austrian german": "de-AT",
    "castellano": "es", "español castellano": "es", "汉语": "zh", "漢語": "zh", "华语": "zh", "普通话": "zh", "國語": "zh", "国语": "zh",
    "繁體中文": "zh-Hant", "簡體中文": "zh-Hans", "português do brasil": "pt-BR", "português brasileiro": "pt-BR",
    "português de portugal": "pt-PT",
    "cantonese": "yue", "bahasa indonesia": "id", "bahasa melayu": "ms", "bahasa malaysia": "ms", "bahasa": "id ms", "gaelic": "ga gd",
    "hochdeutsch": "de", "schweizerdeutsch": "gsw de-CH", "serbo-croatian": "sh sr hr bs", "nynorsk": "nn", "pushto": "ps",
    "sinhalese": "si",
}  # fmt: skip


def languages_called(text: str) -> frozenset[str]:
    """Codes of the languages a code, locale or name may denote; empty if it denotes none."""
    return frozenset(variety.language for variety in varieties_called(text))


# Terms repeat within a column; the text alone decides the result.
@lru_cache(maxsize=1 << 14)
def varieties_called(text: str) -> Varieties:
    """The languages a text may denote, each with the script, region and variant that it names; empty if it denotes none.

    >>> sorted(varieties_called("zh-TW"))
    [LanguageVariety(language='zh', script='Hant', region='TW', variant='', is_script_implied=True)]
    """
    name = " ".join(text.split())
    if not name or len(name) > _MAX_NAME_LENGTH:
        return NO_VARIETY
    return _read_tag(name) or _read_name(name) or _read_qualified_name(name) or _read_name_with_script(name)


def agree_on_language(expected: str, actual: str) -> bool:
    """True if two texts can denote one language, and one script, region and variant where both name them."""
    return find_shared_variety(varieties_called(expected), varieties_called(actual)) is not None


def find_shared_variety(expected: Varieties, actual: Varieties) -> tuple[LanguageVariety, LanguageVariety] | None:
    """The first two that agree, one of each side; None if none do."""
    for left in sorted(expected):
        for right in sorted(actual):
            if _agree(left, right):
                return left, right
    return None


def _agree(left: LanguageVariety, right: LanguageVariety) -> bool:
    if left.language != right.language:
        return False
    parts = ((left.script, right.script), (left.region, right.region), (left.variant, right.variant))
    return all(first == second or not first or not second for first, second in parts)


def name_differing_parts(left: LanguageVariety, right: LanguageVariety) -> list[str]:
    """The parts that one of two varieties which agree names, and the other does not.

    A region that only says which script is meant is not one of them: `zh-CN` and `zh-Hans`.
    """
    is_script_decided = bool(left.script and right.script and left.is_script_implied != right.is_script_implied)
    parts = {
        "script": (left.script and not left.is_script_implied, right.script and not right.is_script_implied),
        "region": (left.region, right.region),
        "variant": (left.variant, right.variant),
    }
    if is_script_decided:
        del parts["script"], parts["region"]
    return [part for part, (first, second) in parts.items() if bool(first) != bool(second)]


def name_disagreeing_parts(expected: Varieties, actual: Varieties) -> list[str]:
    """The parts in which two varieties of one language differ; empty if no language is on both sides.

    >>> name_disagreeing_parts(varieties_called("zh-CN"), varieties_called("zh-TW"))
    ['script', 'region']
    """
    for left in sorted(expected):
        for right in sorted(actual):
            if left.language == right.language:
                parts = {
                    "script": (left.script, right.script),
                    "region": (left.region, right.region),
                    "variant": (left.variant, right.variant),
                }
                return [part for part, (first, second) in parts.items() if first and second and first != second]
    return []


def _read_tag(name: str) -> Varieties:
    """A code such as `deu`, or a locale such as `zh_Hans_CN`; capitals are read beside a region or script (`PT-BR`)."""
    codes = locale_tables.language_codes()
    if name.lower() in codes:
        return _of_language(name.lower())
    tag = _ENCODING.sub("", name)
    if not _TAG.fullmatch(tag):
        return NO_VARIETY
    language, *subtags = re.split("[-_]", tag)
    if language.lower() not in codes or not (language.islower() or language.isupper()):
        return NO_VARIETY
    script = region = variant = ""
    language = language.lower()
    for subtag in subtags:
        if len(subtag) == 1:  # an extension or private use follows
            break
        if subtag.title() in _SCRIPTS.split(" ") and not script:
            script = subtag.title()
        elif not region and (subtag.upper() in locale_tables.territory_codes() or re.fullmatch(r"\d{3}", subtag)) and len(subtag) <= 3:
            region = _region_of(subtag)
        elif subtag.lower() in _VARIANTS.split(" "):
            variant = subtag.lower()
        elif language == "zh" and subtag.lower() in codes:  # zh-yue
            language = subtag.lower()
        else:
            return NO_VARIETY
    return _of_language(language, script, region, variant)


def _region_of(subtag: str) -> str:
    """The code of a region; empty for the whole world."""
    return "" if subtag == _WHOLE_WORLD else locale_tables.territory_codes().get(subtag.upper(), subtag.upper())


def _of_language(code: str, script: str = "", region: str = "", variant: str = "") -> Varieties:
    languages = _NORWEGIAN if code == "no" else (locale_tables.language_codes().get(code, code),)
    return frozenset(_variety(language, script, region, variant) for language in languages)


def _variety(language: str, script: str, region: str, variant: str = "") -> LanguageVariety:
    if script or not region or language not in _IMPLIED_SCRIPTS:
        return LanguageVariety(language, script, region, variant)
    default, *exceptions = _IMPLIED_SCRIPTS[language].split(" ")
    by_region = dict(exception.split("=") for exception in exceptions)
    return LanguageVariety(language, by_region.get(region, default), region, variant, is_script_implied=True)


def _read_name(name: str) -> Varieties:
    key = fold_name(name)
    plain = _LANGUAGE_WORDS.sub("", _LANGUAGE_WORDS.sub("", key))
    for form in dict.fromkeys((key, plain)):
        if form in _MORE_LANGUAGES:
            return frozenset().union(
                *(_read_tag(tag) if tag != "no" else {LanguageVariety("no")} for tag in _MORE_LANGUAGES[form].split(" "))
            )
        languages = locale_tables.language_names().get(form)
        if languages is None and form in locale_tables.language_varieties():
            return frozenset().union(*map(_read_tag, locale_tables.language_varieties()[form]))
        languages = languages or locale_tables.language_names_without_accents().get(strip_accents(form))
        if languages:
            return frozenset(map(LanguageVariety, languages))
    return NO_VARIETY


def _read_qualified_name(name: str) -> Varieties:
    """`English (US)`, `Chinese (Traditional, Taiwan)`, `Portuguese - Brazil`."""
    parts = _QUALIFIED.fullmatch(name)
    if parts is None:
        return NO_VARIETY
    base, qualifiers = (part for part in parts.groups() if part is not None)
    script = region = ""
    for qualifier in _QUALIFIER_SEPARATOR.split(qualifiers):
        regions = whole_countries(countries_called(qualifier))
        if fold_name(qualifier) in _SCRIPT_WORDS:
            script = _SCRIPT_WORDS[fold_name(qualifier)]
        elif len(regions) == 1:
            region = next(iter(regions))
        elif not regions:
            return NO_VARIETY
    return _qualify(_read_tag(base) or _read_name(base), script, region)


def _read_name_with_script(name: str) -> Varieties:
    """`Serbian Cyrillic`, `Chinese Simplified`, `simplified Mandarin`."""
    words = fold_name(name).split(" ")
    if len(words) < 2:
        return NO_VARIETY
    for word, base in ((words[-1], words[:-1]), (words[0], words[1:])):
        varieties = _read_name(" ".join(base)) if word in _SCRIPT_WORDS else NO_VARIETY
        if varieties and all(variety.language in _WRITTEN_IN_SEVERAL for variety in varieties):
            return _qualify(varieties, _SCRIPT_WORDS[word], "")
    return NO_VARIETY


def _qualify(varieties: Varieties, script: str, region: str) -> Varieties:
    """The varieties with a script and a region, unless they name others."""
    return frozenset(
        _variety(
            variety.language, script or ("" if variety.is_script_implied else variety.script), region or variety.region, variety.variant
        )
        for variety in varieties
    )
