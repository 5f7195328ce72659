"""Terms of closed vocabularies: countries, currencies, and words for yes and no, in every CLDR language. Languages are in `languages`.

>>> countries_called("Allemagne") == countries_called("DEU") == countries_called("Germany")
True
>>> sorted(countries_called("Kongo")), countries_called("Slovakia") & countries_called("Slovenia")
(['CD', 'CG'], frozenset())
>>> countries_called("England") & countries_called("UK"), countries_called("England") & countries_called("Schottland")
(frozenset({'GB-ENG'}), frozenset())
>>> countries_called("🇩🇪"), countries_called("🇩🇪 Germany"), countries_called("🇩🇪 France")
(frozenset({'DE'}), frozenset({'DE'}), frozenset())
>>> boolean_called("oui"), boolean_called("☐"), boolean_called("maybe")
(True, False, None)
"""

from functools import cache, lru_cache
from typing import Final

from fieldwise.kernels import currencies, locale_tables
from fieldwise.kernels.locale_tables import fold_name, strip_accents
from fieldwise.pattern import compile_on_use

NONE: Final[frozenset[str]] = frozenset()
_VARIATION_SELECTORS: Final = str.maketrans("", "", "\ufe0e\ufe0f")

# Names in use that CLDR does not print; several codes where a name means several countries.
_MORE_COUNTRIES: Final = {
    "usa": "US", "united states of america": "US", "america": "US", "the states": "US", "uk": "GB", "great britain": "GB",
    "britain": "GB", "holland": "NL", "the netherlands": "NL", "czech republic": "CZ", "ivory coast": "CI", "burma": "MM",
    "swaziland": "SZ", "macedonia": "MK",
    "korea": "KR KP", "republic of korea": "KR", "democratic people's republic of korea": "KP", "russian federation": "RU",
    "viet nam": "VN", "syrian arab republic": "SY", "lao people's democratic republic": "LA", "laos": "LA",
    "iran (islamic republic of)": "IR", "islamic republic of iran": "IR", "moldova, republic of": "MD", "republic of moldova": "MD",
    "tanzania, united republic of": "TZ", "united republic of tanzania": "TZ", "venezuela (bolivarian republic of)": "VE",
    "bolivarian republic of venezuela": "VE", "bolivia (plurinational state of)": "BO", "plurinational state of bolivia": "BO",
    "cape verde": "CV", "east timor": "TL", "vatican": "VA", "holy see": "VA", "palestine": "PS", "taiwan, province of china": "TW",
    "republic of china": "TW", "people's republic of china": "CN", "pr china": "CN", "prc": "CN", "uae": "AE", "ksa": "SA",
    "drc": "CD", "dprk": "KP", "rok": "KR",
    "dr congo": "CD", "democratic republic of the congo": "CD", "congo, democratic republic of the": "CD",
    "republic of the congo": "CG", "congo": "CD CG", "zaire": "CD", "guinea-bissau": "GW", "brunei darussalam": "BN",
    "micronesia": "FM", "federated states of micronesia": "FM", "hong kong": "HK", "macau": "MO", "macao": "MO", "türkiye": "TR",
    "turkiye": "TR", "eswatini": "SZ", "czechia": "CZ", "georgia": "GE", "república checa": "CZ", "estados unidos": "US", "eeuu": "US",
    "ee uu": "US", "brd": "DE", "frg": "DE", "royaume uni": "GB", "suisse": "CH",
    "schweiz": "CH", "svizzera": "CH", "deutschland": "DE", "french republic": "FR", "slovak republic": "SK", "swiss confederation": "CH",
    "argentine republic": "AR", "italian republic": "IT", "portuguese republic": "PT", "hellenic republic": "GR", "kyrgyz republic": "KG",
    "dominican republic": "DO", "gabonese republic": "GA", "lebanese republic": "LB", "togolese republic": "TG", "swiss": "CH",
    "korea, republic of": "KR", "korea (republic of)": "KR", "korea, democratic people's republic of": "KP", "rep. of korea": "KR",
    "korea, south": "KR", "korea, north": "KP", "iran, islamic republic of": "IR", "venezuela, bolivarian republic of": "VE",
    "bolivia, plurinational state of": "BO", "micronesia, federated states of": "FM", "palestine, state of": "PS",
    "congo, the democratic republic of the": "CD", "congo, republic of the": "CG", "macedonia, the former yugoslav republic of": "MK",
    "virgin islands, british": "VG", "virgin islands, u.s.": "VI", "holy see (vatican city state)": "VA",
    "falkland islands (malvinas)": "FK",
    "saint martin (french part)": "MF", "sint maarten (dutch part)": "SX", "netherlands, kingdom of the": "NL", "gambia, the": "GM",
    "bahamas, the": "BS", "united kingdom of great britain and northern ireland": "GB", "сша": "US", "république tchèque": "CZ",
    "repubblica ceca": "CZ", "tschechische republik": "CZ", "česká republika": "CZ", "czeska republika": "CZ", "republika czeska": "CZ",
    "한국": "KR", "남한": "KR", "北朝鮮": "KP", "韓国": "KR", "中國": "CN", "السعودية": "SA", "الإمارات": "AE", "elfenbeinküste": "CI",
    "s. korea": "KR", "s korea": "KR", "n. korea": "KP", "n korea": "KP", "el": "GR", "臺灣": "TW", "hong kong, china": "HK",
    "macao, china": "MO", "hong kong sar, china": "HK", "macao sar, china": "MO", "venezuela, rb": "VE", "virgin islands (u.s.)": "VI",
    "virgin islands (us)": "VI", "virgin islands (british)": "VG",
    "российская федерация": "RU", "bosnien-herzegowina": "BA", "bosnien und herzegowina": "BA", "bosnia": "BA", "bosnia-herzegovina": "BA",
    "weißrussland": "BY", "weissrussland": "BY", "белоруссия": "BY", "biélorussie": "BY", "bielorrusia": "BY",
    "mazedonien": "MK", "holanda": "NL", "olanda": "NL", "hollande": "NL",
    "birmania": "MM", "birmanie": "MM", "swasiland": "SZ", "kapverden": "CV", "türkei": "TR", "moldawien": "MD",
    "lao pdr": "LA", "rsa": "ZA", "roc": "TW", "chinese taipei": "TW", "fyrom": "MK", "viet-nam": "VN", "trinidad": "TT", "antigua": "AG",
    "libyan arab jamahiriya": "LY",
    "estados unidos de américa": "US", "états-unis d'amérique": "US", "vereinigte staaten von amerika": "US", "stati uniti d'america": "US",
    "アメリカ": "US", "abd": "US", "russische föderation": "RU", "fédération de russie": "RU", "federación de rusia": "RU",
    "federación rusa": "RU", "federazione russa": "RU", "federação russa": "RU", "federação da rússia": "RU", "russische federatie": "RU",
    "federacja rosyjska": "RU", "ruská federace": "RU", "ruská federácia": "RU", "rusya federasyonu": "RU", "російська федерація": "RU",
    "俄罗斯联邦": "RU", "ロシア連邦": "RU", "рф": "RU", "кнр": "CN", "日本国": "JP", "vae": "AE", "virgin islands": "VG VI",
}  # fmt: skip
_GREAT_BRITAIN: Final = """großbritannien | grande-bretagne | grande bretagne | gran bretagna | grã-bretanha | grã bretanha |
groot-brittannië | groot brittannië |
velká británie | veľká británia | nagy-britannia | marea britanie | büyük britanya | velika britanija | gran bretanya |
didžioji britanija | lielbritānija | suurbritannia | μεγάλη βρετανία | великобритания | велика британия | بريطانيا | بريطانيا العظمى |
グレートブリテン | 大不列颠 | 大不列顛 | gb-gbn | gb-ukm"""
_NATIONS: Final = {
    "GB-ENG": """england | inglaterra | angleterre | inghilterra | engeland | anglia | anglie | anglicko | engleska | anglija | inglismaa |
englanti | ingiltere | anglaterra | ingalaterra | inggris | lloegr | αγγλία | англия | англія | енглеска | イングランド | 英格兰 | 英格蘭 |
잉글랜드 | إنجلترا | انجلترا | אנגליה | इंग्लैंड | इंग्लैण्ड | อังกฤษ""",
    "GB-SCT": """scotland | schottland | écosse | escocia | escócia | scozia | schotland | szkocja | skotsko | škótsko | skócia | scoția |
škotska | škotija | skotija | šotimaa | skotlanti | skottland | skotland | iskoçya | escòcia | eskozia | skotlandia | yr alban | σκωτία |
шотландия | шотландія | шкотска | スコットランド | 苏格兰 | 蘇格蘭 | 스코틀랜드 | اسكتلندا | סקוטלנד | स्कॉटलैंड | स्कॉटलैण्ड | สกอตแลนด์""",
    "GB-WLS": """wales | pays de galles | gales | país de gales | galles | walia | țara galilor | galler | vels | velsas | velsa | cymru |
gal·les | ουαλία | уэльс | вельс | уельс | велс | уелс | ウェールズ | 威尔士 | 威爾士 | 웨일스 | ويلز | ויילס | וויילס | वेल्स | เวลส์""",
    "GB-NIR": """northern ireland | nordirland | nord-irland | irlande du nord | irlanda del norte | irlanda del nord | irlanda do norte |
irlanda de nord | noord-ierland | irlandia północna | severní irsko | severné írsko | észak-írország | sjeverna irska | severna irska |
šiaurės airija | ziemeļīrija | põhja-iirimaa | pohjois-irlanti | kuzey irlanda | irlandia utara | gogledd iwerddon | n. ireland |
n ireland | tuaisceart éireann | βόρεια ιρλανδία | северная ирландия | північна ірландія | северна ирландия | северна ирска |
北アイルランド | 北爱尔兰 | 北愛爾蘭 | 북아일랜드 | أيرلندا الشمالية | צפון אירלנד | उत्तरी आयरलैंड | ไอร์แลนด์เหนือ""",
    "GB-ENG GB-WLS": "england and wales | england und wales | angleterre et pays de galles | inglaterra y gales | gb-eaw",
}
"""Codes of ISO 3166-2 with the names of the nations of the United Kingdom."""
_UNITED_KINGDOM: Final = frozenset({"GB", "GB-ENG", "GB-SCT", "GB-WLS", "GB-NIR"})
"""The country with its nations, so that it shares a code with each of them and they share none with each other."""
_GENERIC: Final = compile_on_use(
    r"^(?:the )?(?:(?:federal|federative|people's|democratic|socialist|islamic|arab|hellenic|oriental|co-operative|independent|sovereign|"
    r"grand|plurinational) )*"
    r"(?:republic|kingdom|state|states|commonwealth|principality|duchy|sultanate|union|federation|emirate) of (?:the )?"
)
_STATE_WORDS: Final = compile_on_use(
    r"^(?:bundesrepublik|republik|königreich|république|royaume|república|reino|repubblica|regno|koninkrijk|republiek|republika|rzeczpospolita|"
    r"královstvo|království|республика|королевство|republiken|konungariket|kongeriket|ประเทศ|ราชอาณาจักร) ?"
    r"(?:der |des |de la |de las |de los |du |de |del |della |do |da |dos |das |di |d'|von |van |af )?"
)
"""What precedes the name of a country in its official name."""
_COUNTRY_WORDS_BEHIND: Final = compile_on_use(r"(?: cumhuriyeti|共和国|共和國|王国| republika| köztársaság)$")
_SHORT_WORDS: Final = {"sts.": "states", "rep.": "republic", "fed.": "federation", "dem.": "democratic", "n.": "north", "s.": "south"}
_SHORT_PHRASES: Final = (("fed. sts.", "federated states"), ("fed. rep.", "federal republic"))
_KIND_BEHIND: Final = compile_on_use(r"(?P<name>[^,]+), (?P<kind>(?:[^,]+ )?(?:republic|states))")
"""`congo, democratic republic`."""
_FORMER_CODES: Final = {
    "BU": "MM", "BUR": "MM", "DD": "DE", "DDR": "DE", "FX": "FR", "ROM": "RO", "TMP": "TL", "TP": "TL", "YD": "YE", "ZR": "CD",
}  # fmt: skip
"""Codes that ISO 3166 has withdrawn, of countries with one successor."""
_TWO_FORMS: Final = compile_on_use(r"(.+?) ?[(\[](.+)[)\]]|(.+?) [-–/] (.+)")
"""`Germany (DE)`, `DE - Germany`."""
_FLAG: Final = compile_on_use(r"([\U0001f1e6-\U0001f1ff]{2}) *(.*)")
"""Two regional indicators, which are shown as a flag, and what follows them."""
_FIRST_INDICATOR: Final = 0x1F1E6
_CHECKED_MARKS: Final = ("[x]", "(x)", "[✓]", "[✔]", *"☑☒✓✔✅⊠■●")
_MARKS_OF_TWO_FORMS: Final = frozenset("([-–/")
_MAX_COUNTRY_NAME: Final = 80
"""Longer texts are not taken apart: a name has few parts, and each part is read again."""
_UMLAUTS: Final = (("ae", "ä"), ("oe", "ö"), ("ue", "ü"), ("ss", "ß"))
_NUMBERED_CURRENCIES: Final = """
AED784 AFN971 ALL008 AMD051 AOA973 ARS032 AUD036 AWG533 AZN944 BAM977 BBD052 BDT050 BGN975 BHD048 BIF108 BMD060 BND096 BOB068 BRL986
BSD044 BTN064 BWP072 BYN933 BZD084 CAD124 CDF976 CHF756 CLF990 CLP152 CNY156 COP170 CRC188 CUP192 CVE132 CZK203 DJF262 DKK208 DOP214
DZD012 EGP818 ERN232 ETB230 EUR978 FJD242 FKP238 GBP826 GEL981 GHS936 GIP292 GMD270 GNF324 GTQ320 GYD328 HKD344 HNL340 HTG332 HUF348
IDR360 ILS376 INR356 IQD368 IRR364 ISK352 JMD388 JOD400 JPY392 KES404 KGS417 KHR116 KMF174 KPW408 KRW410 KWD414 KYD136 KZT398 LAK418
LBP422 LKR144 LRD430 LSL426 LYD434 MAD504 MDL498 MGA969 MKD807 MMK104 MNT496 MOP446 MRU929 MUR480 MVR462 MWK454 MXN484 MYR458 MZN943
NAD516 NGN566 NIO558 NOK578 NPR524 NZD554 OMR512 PAB590 PEN604 PGK598 PHP608 PKR586 PLN985 PYG600 QAR634 RON946 RSD941 RUB643 RWF646
SAR682 SBD090 SCR690 SDG938 SEK752 SGD702 SHP654 SLE925 SOS706 SRD968 SSP728 STN930 SYP760 SZL748 THB764 TJS972 TMT934 TND788 TOP776
TRY949 TTD780 TWD901 TZS834 UAH980 UGX800 USD840 UYI940 UYU858 UZS860 VES928 VND704 VUV548 WST882 XAF950 XCD951 XCG532 XOF952 XPF953
YER886 ZAR710 ZMW967 ZWG924
"""
"""Codes of ISO 4217 for the currencies in use, each with its number."""
_TRUE_WORDS = (
    "true yes y t 1 on x ok checked ticked selected set marked ja j oui sí si sim da да tak ano áno igen kyllä evet はい 是 对 예 네 有 "
    "wahr richtig vrai verdadero vero verdadeiro waar sant sand tosi prawda pravda igaz adevărat истина doğru đúng 真 참 "
    "enabled დიახ 是的 對 對的 对的"
)
_FALSE_WORDS = (
    "false no n f 0 off unchecked unticked unselected unmarked nein non não nej nei ei ne нет nie hayır hayir いいえ 否 不 아니요 無 无 "
    "falsch faux falso onwaar falskt falsk epätosi fałsz nepravda hamis fals ложь yanlış sai 偽 假 거짓 "
    "disabled 不是 不是的 아니오 ไม่"
)
_TRUE: Final = frozenset([*_TRUE_WORDS.split(), *"☑☒✓✔✅⊠■●", "1.0", "[x]", "(x)", "[✓]", "[✔]", ":selected:"])
_FALSE: Final = frozenset(
    [*_FALSE_WORDS.split(), *"☐✗✘❌□○", "0.0", "not selected", "not_selected", "not checked", "not ticked", "[]", "()", ":unselected:"]
)


# Terms repeat within a column; the text alone decides the result.
@lru_cache(maxsize=1 << 14)
def countries_called(text: str) -> frozenset[str]:
    """Codes of the countries a code or name may denote; empty if it denotes none. Two names agree if they share a code.

    The codes are alpha-2 codes. A nation of the United Kingdom is its code of ISO 3166-2, and the United Kingdom is `GB` with the codes of
    its nations; `whole_countries` gives the alpha-2 codes alone.
    """
    codes = _find_countries(text)
    return codes | _UNITED_KINGDOM if "GB" in codes else codes


def whole_countries(codes: frozenset[str]) -> frozenset[str]:
    """Alpha-2 codes of the countries, or of the countries of the nations, that `countries_called` gave.

    >>> whole_countries(countries_called("UK")), whole_countries(countries_called("Wales"))
    (frozenset({'GB'}), frozenset({'GB'}))
    """
    return frozenset(code.partition("-")[0] for code in codes)


def _find_countries(text: str) -> frozenset[str]:
    name = " ".join(text.split())
    flag = None if name.isascii() else _FLAG.fullmatch(name)
    if flag is not None:
        letters = "".join(chr(ord(indicator) - _FIRST_INDICATOR + ord("A")) for indicator in flag[1])
        countries = _find_countries(letters)
        return countries & _find_countries(flag[2]) if flag[2] else countries
    codes, names, more_names = locale_tables.territory_codes(), locale_tables.territory_names(), _more_countries()
    code = name.replace(".", "").upper()
    if code in codes:
        return frozenset({codes[code]})
    if name in _FORMER_CODES:
        return frozenset({_FORMER_CODES[name]})
    key = fold_name(name)
    for form in (key,) if key.isalpha() else _forms_of_words(key):
        if form in more_names:
            return more_names[form]
        if form in names:
            return names[form]
    plain = (
        locale_tables.territory_names_without_accents().get(strip_accents(key)) or _country_without_state(key) or _country_with_umlaut(key)
    )
    if plain or len(name) > _MAX_COUNTRY_NAME:
        return plain
    return _country_with_short_words(key) or _country_in_two_forms(name)


def _forms_of_words(key: str) -> dict[str, None]:
    """The spellings of a folded name of several words, each once, the name itself first."""
    joined = key.replace("&", "and")
    forms = (key, key.replace(".", ""), key.removeprefix("the "), _GENERIC.sub("", key), joined, joined.replace(" and ", " & "))
    return dict.fromkeys((*forms, *map(_saint, forms)))


@cache  # derived from tables that never change
def _more_countries() -> dict[str, frozenset[str]]:
    """Folded names that CLDR does not print, with their accents and without → codes."""
    codes_by_name = {**_MORE_COUNTRIES, **dict.fromkeys(_GREAT_BRITAIN.replace("\n", " ").split(" | "), "GB")}
    for codes, names in _NATIONS.items():
        codes_by_name.update(dict.fromkeys((codes, *names.replace("\n", " ").split(" | ")), codes))
    index = {fold_name(name): frozenset(codes.split(" ")) for name, codes in codes_by_name.items()}
    for name, codes in tuple(index.items()):
        plain = strip_accents(name)
        if plain != name and plain not in locale_tables.territory_names():
            index.setdefault(plain, codes)
    return index


def _country_with_short_words(key: str) -> frozenset[str]:
    """The country of a name with shortened words: `dominican rep.`."""
    if "." not in key:
        return NONE
    for short, phrase in _SHORT_PHRASES:
        key = key.replace(short, phrase)
    spelled_out = " ".join(_SHORT_WORDS.get(word, word) for word in key.split(" "))
    countries = countries_called(spelled_out) if "." not in spelled_out else NONE
    return countries or _country_before_its_kind(spelled_out)


def _country_before_its_kind(key: str) -> frozenset[str]:
    """The country of a name in the order of lists: `egypt, arab republic`; none where that means several."""
    parts = _KIND_BEHIND.fullmatch(key)
    if parts is None:
        return NONE
    for joint in ("of", "of the"):
        countries = countries_called(f"{parts['kind']} {joint} {parts['name']}")
        if len(whole_countries(countries)) == 1:
            return countries
    return NONE


def _country_in_two_forms(name: str) -> frozenset[str]:
    """The country that both parts denote: `Germany (DE)`, `DE - Germany`."""
    parts = None if _MARKS_OF_TWO_FORMS.isdisjoint(name) else _TWO_FORMS.fullmatch(name)
    if parts is None:
        return NONE
    first, second = (part for part in parts.groups() if part is not None)
    return countries_called(first) & countries_called(second)


def _saint(name: str) -> str:
    """The name with the other spelling of Saint."""
    return name.replace("st. ", "saint ") if name.startswith("st. ") else name.replace("saint ", "st. ", 1)


def _country_without_state(key: str) -> frozenset[str]:
    """The country of an official name such as `bundesrepublik deutschland`; none where the short name means several (Korea, Congo)."""
    short = _COUNTRY_WORDS_BEHIND.sub("", _STATE_WORDS.sub("", key))
    countries = countries_called(short) if short and short != key else NONE
    return countries if len(whole_countries(countries)) == 1 else NONE


def _country_with_umlaut(key: str) -> frozenset[str]:
    """The country of a name with its umlauts spelled out: `oesterreich`."""
    for letters, umlaut in _UMLAUTS:
        named = locale_tables.territory_names().get(key.replace(letters, umlaut)) if letters in key else None
        if named:
            return named
    return NONE


def currencies_called(text: str) -> frozenset[str]:
    """Codes of the currencies a code, symbol or name may denote; empty if it denotes none.

    A name of a currency in use never means one that is no longer in use.

    >>> currencies_called("Spanish peseta"), currencies_called("Euro (€)"), currencies_called("EUR ($)")
    (frozenset({'ESP'}), frozenset({'EUR'}), frozenset())
    """
    codes = currencies.currencies_of(text)
    if codes:
        return codes
    parts = _TWO_FORMS.fullmatch(text.strip()) if text.rstrip().endswith((")", "]")) and len(text) <= _MAX_COUNTRY_NAME else None
    if parts is not None and parts[1]:
        return currencies_called(parts[1]) & currencies_called(parts[2])
    key = fold_name(text)
    names = locale_tables.old_currency_names()
    return names.get(key) or names.get(locale_tables.with_letter_apostrophe(key.replace("\u02bc", "'")), NONE)


def currencies_numbered(text: str) -> frozenset[str]:
    """The currency with a numeric code of ISO 4217, as text of three digits.

    >>> currencies_numbered("978"), currencies_numbered("97")
    (frozenset({'EUR'}), frozenset())
    """
    return _currencies_by_number().get(text.strip(), NONE)


@cache  # derived from a constant
def _currencies_by_number() -> dict[str, frozenset[str]]:
    """Numeric codes of ISO 4217 → codes in letters."""
    return {code[3:]: frozenset({code[:3]}) for code in _NUMBERED_CURRENCIES.split()}


def boolean_called(text: str) -> bool | None:
    """True or False for a word, mark or digit that means yes or no, or for a word behind a checked mark; None for anything else.

    >>> boolean_called("☑ No"), boolean_called("[x] Ja"), boolean_called("☐ Yes")
    (False, True, None)
    """
    key = fold_name(text).translate(_VARIATION_SELECTORS).strip(".!")
    if key.startswith(_CHECKED_MARKS):
        word = key.removeprefix(next(mark for mark in _CHECKED_MARKS if key.startswith(mark))).strip()
        if word.isalpha():
            return boolean_called(word)
    squeezed = key.replace(" ", "")
    if key in _TRUE or squeezed in _TRUE:
        return True
    if key in _FALSE or squeezed in _FALSE:
        return False
    meant = locale_tables.yes_no_words().get(key) or locale_tables.yes_no_words_without_accents().get(strip_accents(key), NONE)
    return None if len(meant) != 1 else "yes" in meant
