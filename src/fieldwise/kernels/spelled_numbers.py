"""Numbers spelled out in languages other than English, as cheques and contracts have them: `zweihundertfünf`, `quatre-vingt-dix`, `двести`.

A number is a row of parts, written together or apart, each of one language.

>>> [read_spelled_number(text) for text in ("einhundertdreiundzwanzig", "quatre-vingt-dix-neuf", "mil doscientos", "двести пять")]
[123, 99, 1200, 205]
>>> read_spelled_number("zwei drei"), read_spelled_number("einmal")
(None, None)
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

from fieldwise.kernels.locale_tables import fold_name, strip_accents

_PARTS: Final = {
    "de": """0 null 1 ein eins eine 2 zwei zwo 3 drei 4 vier 5 fünf fuenf 6 sechs 7 sieben 8 acht 9 neun 10 zehn 11 elf 12 zwölf zwoelf
13 dreizehn 14 vierzehn 15 fünfzehn fuenfzehn 16 sechzehn 17 siebzehn 18 achtzehn 19 neunzehn 20 zwanzig 30 dreißig 40 vierzig
50 fünfzig fuenfzig 60 sechzig 70 siebzig 80 achtzig 90 neunzig 100 hundert 1000 tausend 1000000 million millionen
1000000000 milliarde milliarden + und""",
    "nl": """0 nul 1 een 2 twee 3 drie 4 vier 5 vijf 6 zes 7 zeven 8 acht 9 negen 10 tien 11 elf 12 twaalf 13 dertien 14 veertien
15 vijftien
16 zestien 17 zeventien 18 achttien 19 negentien 20 twintig 30 dertig 40 veertig 50 vijftig 60 zestig 70 zeventig 80 tachtig 90 negentig
100 honderd 1000 duizend 1000000 miljoen 1000000000 miljard + en""",
    "fr": """0 zéro 1 un une 2 deux 3 trois 4 quatre 5 cinq 6 six 7 sept 8 huit 9 neuf 10 dix 11 onze 12 douze 13 treize 14 quatorze
15 quinze 16 seize 20 vingt 30 trente 40 quarante 50 cinquante 60 soixante 70 septante 80 huitante octante quatrevingt quatrevingts
90 nonante 100 cent cents 1000 mille 1000000 million millions 1000000000 milliard milliards + et""",
    "es": """0 cero 1 un uno una 2 dos 3 tres 4 cuatro 5 cinco 6 seis 7 siete 8 ocho 9 nueve 10 diez dieci 11 once 12 doce 13 trece
14 catorce 15 quince 20 veinte veinti 30 treinta 40 cuarenta 50 cincuenta 60 sesenta 70 setenta 80 ochenta 90 noventa 100 cien ciento
200 doscientos doscientas 300 trescientos trescientas 400 cuatrocientos cuatrocientas 500 quinientos quinientas
600 seiscientos seiscientas 700 setecientos setecientas 800 ochocientos ochocientas 900 novecientos novecientas
1000 mil 1000000 millón millones + y""",
    "it": """0 zero 1 un uno una 2 due 3 tre 4 quattro 5 cinque 6 sei 7 sette 8 otto 9 nove 10 dieci 11 undici 12 dodici 13 tredici
14 quattordici 15 quindici 16 sedici 17 diciassette 18 diciotto 19 diciannove 20 venti vent 30 trenta trent 40 quaranta quarant
50 cinquanta cinquant 60 sessanta sessant 70 settanta settant 80 ottanta ottant 90 novanta novant 100 cento cent 1000 mille mila
1000000 milione milioni 1000000000 miliardo miliardi + e""",
    "pt": """0 zero 1 um uma 2 dois duas 3 três 4 quatro 5 cinco 6 seis 7 sete 8 oito 9 nove 10 dez 11 onze 12 doze 13 treze
14 catorze quatorze 15 quinze 16 dezesseis dezasseis 17 dezessete dezassete 18 dezoito 19 dezenove dezanove 20 vinte 30 trinta
40 quarenta 50 cinquenta 60 sessenta 70 setenta 80 oitenta 90 noventa 100 cem cento 200 duzentos duzentas 300 trezentos trezentas
400 quatrocentos quatrocentas 500 quinhentos quinhentas 600 seiscentos seiscentas 700 setecentos setecentas 800 oitocentos oitocentas
900 novecentos novecentas 1000 mil 1000000 milhão milhões + e""",
    "pl": """0 zero 1 jeden jedna 2 dwa dwie 3 trzy 4 cztery 5 pięć 6 sześć 7 siedem 8 osiem 9 dziewięć 10 dziesięć 11 jedenaście
12 dwanaście 13 trzynaście 14 czternaście 15 piętnaście 16 szesnaście 17 siedemnaście 18 osiemnaście 19 dziewiętnaście 20 dwadzieścia
30 trzydzieści 40 czterdzieści 50 pięćdziesiąt 60 sześćdziesiąt 70 siedemdziesiąt 80 osiemdziesiąt 90 dziewięćdziesiąt 100 sto
200 dwieście 300 trzysta 400 czterysta 500 pięćset 600 sześćset 700 siedemset 800 osiemset 900 dziewięćset
1000 tysiąc tysiące tysięcy 1000000 milion miliony milionów + i""",
    "cs": """0 nula 1 jeden jedna jedno 2 dva dvě 3 tři 4 čtyři 5 pět 6 šest 7 sedm 8 osm 9 devět 10 deset 11 jedenáct 12 dvanáct
13 třináct 14 čtrnáct 15 patnáct 16 šestnáct 17 sedmnáct 18 osmnáct 19 devatenáct 20 dvacet 30 třicet 40 čtyřicet 50 padesát 60 šedesát
70 sedmdesát 80 osmdesát 90 devadesát 100 sto stě sta set 1000 tisíc tisíce 1000000 milion miliony milionů + a""",
    "ru": """0 ноль 1 один одна одно 2 два две 3 три 4 четыре 5 пять 6 шесть 7 семь 8 восемь 9 девять 10 десять 11 одиннадцать
12 двенадцать 13 тринадцать 14 четырнадцать 15 пятнадцать 16 шестнадцать 17 семнадцать 18 восемнадцать 19 девятнадцать 20 двадцать
30 тридцать 40 сорок 50 пятьдесят 60 шестьдесят 70 семьдесят 80 восемьдесят 90 девяносто 100 сто 200 двести 300 триста 400 четыреста
500 пятьсот 600 шестьсот 700 семьсот 800 восемьсот 900 девятьсот 1000 тысяча тысячи тысяч 1000000 миллион миллиона миллионов + и""",
    "uk": """0 нуль 1 один одна одне 2 два дві 3 три 4 чотири 5 п'ять 6 шість 7 сім 8 вісім 9 дев'ять 10 десять 11 одинадцять
12 дванадцять 13 тринадцять 14 чотирнадцять 15 п'ятнадцять 16 шістнадцять 17 сімнадцять 18 вісімнадцять 19 дев'ятнадцять 20 двадцять
30 тридцять 40 сорок 50 п'ятдесят 60 шістдесят 70 сімдесят 80 вісімдесят 90 дев'яносто 100 сто 200 двісті 300 триста 400 чотириста
500 п'ятсот 600 шістсот 700 сімсот 800 вісімсот 900 дев'ятсот 1000 тисяча тисячі тисяч 1000000 мільйон мільйони мільйонів""",
    "sv": """0 noll 1 ett en 2 två 3 tre 4 fyra 5 fem 6 sex 7 sju 8 åtta 9 nio 10 tio 11 elva 12 tolv 13 tretton 14 fjorton 15 femton
16 sexton 17 sjutton 18 arton 19 nitton 20 tjugo 30 trettio 40 fyrtio förtio 50 femtio 60 sextio 70 sjuttio 80 åttio 90 nittio 100 hundra
1000 tusen 1000000 miljon miljoner + och""",
    "tr": """0 sıfır 1 bir 2 iki 3 üç 4 dört 5 beş 6 altı 7 yedi 8 sekiz 9 dokuz 10 on 20 yirmi 30 otuz 40 kırk 50 elli 60 altmış
70 yetmiş 80 seksen 90 doksan 100 yüz 1000 bin 1000000 milyon 1000000000 milyar""",
    "hu": """0 nulla 1 egy 2 kettő két 3 három 4 négy 5 öt 6 hat 7 hét 8 nyolc 9 kilenc 10 tíz tizen 20 húsz huszon 30 harminc
40 negyven 50 ötven 60 hatvan 70 hetven 80 nyolcvan 90 kilencven 100 száz 1000 ezer 1000000 millió""",
}
"""By language, each number with its words; `+` is what joins them."""
_ONES_BEFORE_TENS: Final = frozenset({"de", "nl"})
_JOINS_TEEN: Final = frozenset({"fr", "es", "tr", "hu"})
"""Languages that say 17 as ten and seven."""
_JOINER: Final = -1
_BETWEEN_PARTS: Final = str.maketrans(dict.fromkeys(" -'’\u02bc,"))
_START_LETTERS: Final = 3
_MAX_LENGTH: Final = 90
_MAX_SPLITS: Final = 16
"""Ways to split a text that are tried; a number has few."""


@cache  # derived from a constant
def _parts_of(language: str) -> dict[str, tuple[tuple[str, int], ...]]:
    """First letter → parts with their values, the longest first."""
    parts: dict[str, int] = {}
    value = 0
    for word in _PARTS[language].split():
        if word == "+" or word.isdecimal():
            value = _JOINER if word == "+" else int(word)
        else:
            parts[_squeeze(word)] = value
    by_letter: dict[str, list[tuple[str, int]]] = {}
    for part in sorted(parts, key=len, reverse=True):
        by_letter.setdefault(part[0], []).append((part, parts[part]))
    return {letter: tuple(same_letter) for letter, same_letter in by_letter.items()}


@cache  # derived from a constant
def _languages_by_start() -> dict[str, tuple[str, ...]]:
    """The first letters of a part, up to three → languages that have such a part. Most words start otherwise."""
    languages: dict[str, dict[str, None]] = {}
    for language in _PARTS:
        for parts in _parts_of(language).values():
            for part, value in parts:
                if value != _JOINER:
                    languages.setdefault(part[:_START_LETTERS], {})[language] = None
    return {start: tuple(named) for start, named in languages.items()}


def _squeeze(text: str) -> str:
    plain = text.casefold() if text.isascii() else strip_accents(fold_name(text))
    return plain.translate(_BETWEEN_PARTS)


@lru_cache(maxsize=1 << 13)  # first words of a column repeat; the text alone decides the result
def read_spelled_number(text: str) -> int | None:
    """The number that a text spells out; None if it is none, or another one in another language."""
    letters = _squeeze(text)
    by_start = _languages_by_start()
    languages = by_start.get(letters[:_START_LETTERS], ()) + by_start.get(letters[:2], ())  # no part has one letter
    if not languages or not letters.isalpha() or len(letters) > _MAX_LENGTH:
        return None
    values = {value for language in languages if (value := _read_in_language(letters, language)) is not None}
    return values.pop() if len(values) == 1 else None


def _read_in_language(letters: str, language: str) -> int | None:
    parts_by_letter = _parts_of(language)
    for count, values in enumerate(_split(letters, 0, parts_by_letter)):
        number = _add_up(values, language)
        if number is not None or count >= _MAX_SPLITS:
            return number
    return None


def _split(letters: str, start: int, parts_by_letter: dict[str, tuple[tuple[str, int], ...]]) -> Iterator[list[int]]:
    """Every way to split letters into parts, as the values of these, the longest parts first."""
    if start == len(letters):
        yield []
        return
    for part, value in parts_by_letter.get(letters[start], ()):
        if letters.startswith(part, start):
            for rest in _split(letters, start + len(part), parts_by_letter):
                yield [value, *rest]


def _add_up(values: list[int], language: str) -> int | None:
    """The number of a row of parts; None if they are in no order of a number."""
    if _JOINER in (values[0], values[-1]):
        return None
    if 0 in values:
        return 0 if values == [0] else None
    total, section, last_scale = 0, 0, 10**12
    for value in values:
        if value == _JOINER:
            continue
        if value >= 1000:
            if value >= last_scale:
                return None
            total, section, last_scale = total + (section or 1) * value, 0, value
        elif value == 100:
            if section >= 100:
                return None
            section = (section or 1) * 100
        elif not _may_follow(section, value, language):
            return None
        else:
            section += value
    return total + section


def _may_follow(section: int, value: int, language: str) -> bool:
    """Whether a number below 1,000 may be added to what precedes it: 5 to 20 and to 100, never to 6."""
    low = section % 100
    if value > 100:
        return section == 0
    if low == 0:
        return True
    if value < 10:
        return (low >= 20 and low % 10 == 0) or (low == 10 and language in _JOINS_TEEN)
    if value % 10 == 0 and value >= 20:
        return low < 10 and language in _ONES_BEFORE_TENS
    return language == "fr" and low in (60, 80)
