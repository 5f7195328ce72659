"""Currencies and their small units: which codes a symbol, an abbreviation or a name may stand for.

>>> sorted(currencies_of("kr")), main_currency("Kč")
(['DKK', 'ISK', 'NOK', 'SEK'], 'CZK')
"""

from functools import cache, lru_cache
from typing import Final

from fieldwise.kernels import locale_tables
from fieldwise.kernels.locale_tables import fold_name
from fieldwise.kernels.meaning.places import nationalities_called
from fieldwise.kernels.numerals import normalize_characters

NO_CODES: Final[frozenset[str]] = frozenset()
MORE_CURRENCIES: Final = {
    "soles": "PEN", "colones": "CRC", "bolivianos": "BOB", "quetzales": "GTQ", "lempiras": "HNL", "guaraníes": "PYG", "bolívares": "VES",
    "balboas": "PAB",
    "руб": "RUB BYN", "р": "RUB BYN", "рублёў": "BYN", "rub": "RUB", "tl": "TRY", "fr": "CHF RWF", "sfr": "CHF",
    "rs": "INR PKR LKR NPR MUR SCR", "re": "INR",
    "ksh": "KES", "kshs": "KES", "sh": "KES TZS UGX SOS", "tsh": "TZS", "ush": "UGX", "us$": "USD", "usd$": "USD", "a$": "AUD",
    "au$": "AUD", "c$": "CAD NIO", "cdn$": "CAD", "ca$": "CAD", "can$": "CAD", "s$": "SGD SBD", "hk$": "HKD", "nt$": "TWD", "nz$": "NZD",
    "r$": "BRL",
    "mx$": "MXN", "mex$": "MXN", "j$": "JMD", "rmb": "CNY", "元": "CNY TWD HKD", "圆": "CNY", "块": "CNY", "人民币": "CNY",
    "人民幣": "CNY",
    "円": "JPY", "圓": "TWD HKD JPY", "원": "KRW", "zl": "PLN", "zł": "PLN", "lei": "RON MDL", "leu": "RON MDL", "ron": "RON",
    "din": "RSD", "дин": "RSD", "грн": "UAH", "лв": "BGN", "kc": "CZK", "kč": "CZK", "ft": "HUF", "đ": "VND", "vnđ": "VND",
    "đồng": "VND", "บาท": "THB", "baht": "THB", "rp": "IDR", "rupiah": "IDR", "ringgit": "MYR", "euro": "EUR", "euros": "EUR",
    "eur": "EUR", "ευρώ": "EUR", "dollar": "dollar", "dollars": "dollar", "bucks": "USD", "pound": "£ LBP SDG", "pounds": "£ LBP SDG",
    "quid": "GBP",
    "yen": "JPY", "yuan": "CNY", "won": "KRW KPW", "rupee": "INR PKR LKR NPR MUR SCR", "rupees": "INR PKR LKR NPR MUR SCR",
    "peso": "MXN ARS CLP COP CUP DOP PHP UYU", "pesos": "MXN ARS CLP COP CUP DOP PHP UYU", "real": "BRL", "reais": "BRL",
    "franc": "CHF XAF XOF XPF RWF CDF DJF GNF KMF BIF", "francs": "CHF XAF XOF XPF RWF CDF DJF GNF KMF BIF", "franken": "CHF",
    "zloty": "PLN", "złoty": "PLN", "złotych": "PLN", "złote": "PLN", "злотых": "PLN", "злотый": "PLN",
    **dict.fromkeys(("krona", "kronor", "krone", "kroner", "króna", "krónur"), "SEK NOK DKK ISK"), "crown": "CZK SEK NOK DKK ISK",
    **dict.fromkeys(("koruna", "koruny", "korun", "korunu", "korún", "korunou"), "CZK SKK"), "rand": "ZAR", "rubel": "RUB",
    "rubles": "RUB",
    "roubles": "RUB", "рублей": "RUB", "рубля": "RUB", "рубль": "RUB", "lira": "TRY", "shekel": "ILS", "shekels": "ILS",
    "nis": "ILS", "ش.ح": "ILS",
    'ש"ח': "ILS", "r": "ZAR", "p": "BWP", "₱": "PHP", "сом": "KGS", "bs": "BOB VES", "gh¢": "GHS",
    "dirham": "AED MAD", "dirhams": "AED MAD", "riyal": "SAR QAR YER OMR",
    "dinar": "KWD BHD JOD IQD LYD TND RSD DZD", "د.إ": "AED", "ر.س": "SAR", "ج.م": "EGP", "د.ك": "KWD", "ر.ق": "QAR", "د.م": "MAD",
    "ريال": "SAR IRR QAR YER OMR", "تومان": "IRR", "ریال": "IRR", "£": "£", "ntd": "TWD", "hkd": "HKD", "stg": "GBP",
    "درهم": "AED MAD", "دراهم": "AED MAD", "دينار": "KWD BHD JOD IQD LYD TND DZD", "جنيه": "EGP SDG GBP LBP SYP SSP",
    "dh": "AED MAD", "dhs": "AED MAD", "m.n": "MXN", "тг": "KZT", "тенге": "KZT", "сум": "UZS", "so'm": "UZS",
    "usdollar": "USD", "usdollars": "USD", "unitedstatesdollar": "USD", "unitedstatesdollars": "USD", "dollaraméricain": "USD",
    "dollarsaméricains": "USD", "dólaramericano": "USD", "dólaresamericanos": "USD", "polishzłoty": "PLN", "rouble": "RUB BYN",
    "ruble": "RUB BYN", "russianrouble": "RUB", "russianroubles": "RUB", "гривня": "UAH", "гривень": "UAH", "гривні": "UAH",
    "гривен": "UAH",
    "renminbi": "CNY", "yuanrenminbi": "CNY", "chineserenminbi": "CNY", "rmbyuan": "CNY", "forint": "HUF", "zlotys": "PLN",
    "zlotych": "PLN", "zlote": "PLN", "liras": "TRY",
    "лева": "BGN", "лев": "BGN", "драм": "AMD", "դրամ": "AMD", "ლარი": "GEL", "теңге": "KZT", "manat": "AZN TMT",
    "tugrik": "MNT", "төг": "MNT",
    "денари": "MKD",
    "денар": "MKD",
    "שקל": "ILS", "שקלים": "ILS", "रुपये": "INR NPR", "रुपया": "INR NPR", "रुपए": "INR NPR", "रु": "INR NPR", "ரூபாய்": "INR LKR",
    "টাকা": "BDT INR",
    "රු": "LKR", "රුපියල්": "LKR", "ກີບ": "LAK", "រៀល": "KHR", "ကျပ်": "MMK", "u$s": "USD", "u$d": "USD", "₿": "BTC", "btc": "BTC",
    "bitcoin": "BTC",
    "€uro": "EUR", "poundsterling": "GBP", "poundssterling": "GBP", "sterling": "GBP",
    **dict.fromkeys(("cfa", "cfafranc", "cfafrancs", "franccfa", "francscfa"), "XAF XOF"),
    **dict.fromkeys(("ドル", "달러", "دولار", "डॉलर", "دلار"), "dollar"), "美金": "USD", "엔": "JPY", "위안": "CNY", "ウォン": "KRW",
    "元人民币": "CNY",
    "cedi": "GHS", "naira": "NGN", "taka": "BDT", "birr": "ETB", "kwacha": "ZMW MWK", "pula": "BWP", "hryvnia": "UAH", "tenge": "KZT",
    "lari": "GEL", "lempira": "HNL", "quetzal": "GTQ", "boliviano": "BOB", "guarani": "PYG", "bolivar": "VES",
    "kn": "HRK", "kuna": "HRK", "kune": "HRK", "croatiankuna": "HRK", "deutschemark": "DEM", "germanmark": "DEM", "dm": "DEM",
    "d-mark": "DEM", "dmark": "DEM", "frenchfranc": "FRF",
    "frenchfrancs": "FRF", "lire": "ITL", "italianlira": "ITL", "italianlire": "ITL", "peseta": "ESP", "pesetas": "ESP", "litas": "LTL",
    "lats": "LVL", "kroon": "EEK SEK NOK DKK ISK CZK", "tolar": "SIT", "drachma": "GRD", "drachmas": "GRD", "markka": "FIM",
    "guilder": "NLG ANG XCG",
    "guilders": "NLG ANG XCG", "schilling": "ATS KES SOS TZS UGX",
    "bd": "BHD", "kd": "KWD", "jd": "JOD", "qr": "QAR", "sr": "SAR SCR", "r.o": "OMR", "col$": "COP", "cop$": "COP", "clp$": "CLP",
    "u.s.$": "USD", "₤": "GBP ITL TRY", "₣": "CHF FRF XPF", "ƒ": "ANG AWG XCG NLG", "cuc$": "CUC", "z$": "ZWL ZWG", "$b": "BOB",
    "ir£": "IEP",
    "nrs": "NPR", "slrs": "LKR", "mrf": "MVR", "bs.f": "VEF", "skr": "SEK", "hrn": "UAH", "ƀ": "BTC", "ös": "ATS",
    "ptas": "ESP", "pta": "ESP", "δρχ": "GRD", "долл": "dollar", "рупий": "INR", "рупии": "INR", "рупия": "INR",
    "دج": "DZD", "د.ا": "JOD", "ع.د": "IQD", "ل.د": "LYD", "ש'ח": "ILS", "שח": "ILS", "ரூ": "INR LKR", "र": "INR NPR", "येन": "JPY",
    **dict.fromkeys(("台币", "台幣", "臺幣", "新台币", "新臺幣", "台湾ドル", "ニュー台湾ドル"), "TWD"),
    **dict.fromkeys(("美圆", "美圓"), "USD"), "人民元": "CNY", **dict.fromkeys(("スイスフラン", "スイス・フラン"), "CHF"),
    **dict.fromkeys(("yenes", "ienes", "iene", "yens"), "JPY"),
    **dict.fromkeys(("rupias", "roupies", "roupie", "rupie", "rupien"), "INR PKR LKR NPR MUR SCR"),
    "ars$": "ARS", "mxn$": "MXN", "aud$": "AUD", "cad$": "CAD", "nzd$": "NZD", "sgd$": "SGD", "hkd$": "HKD", "uyu$": "UYU", "brl$": "BRL",
}  # fmt: skip
"""Spellings that CLDR does not list, or gives meanings that no document has in mind (`R` is a Belarusian rouble in one of its languages) →
codes, `$` and `£` for all currencies of the symbol, `dollar` for those of that name. Keys are as `symbol_key` makes them."""
SUBUNITS: Final = {
    "cent": "dollar EUR", "cents": "dollar EUR", **dict.fromkeys(("eurocent", "eurocents", "euro cent", "euro cents"), "EUR"),
    "¢": "$", "ct": "EUR dollar", "cts": "EUR dollar", "pence": "GBP", "penny": "GBP",
    "p": "GBP",
    "øre": "DKK NOK",
    "öre": "SEK", "centimes": "EUR CHF", "centime": "EUR CHF", "rappen": "CHF", "céntimos": "EUR",
    "centavos": "MXN BRL PHP ARS COP", "centesimi": "EUR", "grosz": "PLN", "groszy": "PLN", "grosze": "PLN",
    "sen": "MYR", "角": "CNY", "bani": "RON MDL", "stotinki": "BGN", "kopecks": "RUB", "коп": "RUB UAH",
    "копеек": "RUB", "копійок": "UAH", "копійки": "UAH", "копійка": "UAH",
    "paise": "INR", "paisa": "INR", "haléřů": "CZK", "kuruş": "TRY", "분": "KRW", "分": "CNY",
    "銭": "JPY", **dict.fromkeys(("セント", "센트", "цент", "цента", "центов", "центів", "سنت"), "dollar EUR"), "美分": "USD",
}  # fmt: skip
"""Names of the hundredth part of a currency → its codes, in the form of `MORE_CURRENCIES`."""
SECOND_UNITS: Final = {"gr": "PLN", "ст": "BGN", "ore": "SEK NOK DKK", "c": "dollar EUR"}
"""Small units that mean something else alone: `250 gr` is a weight, `12 zł 30 gr` an amount."""
_WITHOUT_MINOR_UNIT: Final = frozenset("BIF CLP DJF GNF HUF IDR ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF COP IRR LAK".split())  # noqa: SIM905
"""Currencies whose amounts have no decimals in practice."""
_MOST_TRADED: Final = ("USD", "EUR", "JPY", "GBP", "CNY", "AUD", "CAD", "CHF", "INR", "SEK", "XAF")
_MAX_LISTED: Final = 4
_MIN_PLURAL: Final = 4
"""Letters of the singular of an English plural: shorter words are abbreviations."""
_MIN_OF_KIND: Final = 3
"""Currencies that a noun must have in CLDR to stand for all of its kind."""


def currencies_of(text: str) -> frozenset[str]:
    """Codes of the currencies that a symbol, code or name denotes; empty if it denotes none.

    >>> currencies_of("€"), currencies_of("Kč"), sorted(currencies_of("kr"))
    (frozenset({'EUR'}), frozenset({'CZK'}), ['DKK', 'ISK', 'NOK', 'SEK'])
    """
    return lookup_currencies(normalize_characters(text).strip()) or NO_CODES


@lru_cache(maxsize=256)  # a few names in every value of a column
def main_currency(name: str) -> str:
    """The code of the most traded currency that a symbol, code or name denotes; empty if it denotes none.

    >>> main_currency("$"), main_currency("Kč"), main_currency("eur"), main_currency("abc")
    ('USD', 'CZK', 'EUR', '')
    """
    codes = currencies_of(name)
    return next((code for code in _MOST_TRADED if code in codes), min(codes, default=""))


def describe_currencies(codes: frozenset[str]) -> str:
    """The currencies that a symbol may stand for, the most traded first where there are many.

    >>> describe_currencies(currencies_of("€")), describe_currencies(currencies_of("kr")), describe_currencies(currencies_of("$"))
    ('EUR', 'DKK, ISK, NOK or SEK', 'USD or 28 others')
    """
    listed = sorted(codes)
    if len(listed) > _MAX_LISTED:
        first = next((code for code in _MOST_TRADED if code in codes), listed[0])
        return f"{first} or {len(listed) - 1} others"
    return " or ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))


# Symbols repeat in every value of a column.
@lru_cache(maxsize=1 << 12)
def lookup_currencies(text: str) -> frozenset[str] | None:
    """`currencies_of` for a text with normalized characters; None if it denotes no currency."""
    key = symbol_key(text)
    if not key:
        return None
    if len(key) == 3 and key.upper() in locale_tables.currency_codes():
        return frozenset({key.upper()})
    listed = MORE_CURRENCIES.get(key) or MORE_CURRENCIES.get(key.replace(".", "")) or _singular_codes(key)
    if listed:
        return expand_codes(listed)
    codes = _symbols_by_key().get(key) or _symbols_by_key().get(key.replace(".", "")) or NO_CODES
    name = fold_name(text)
    names = locale_tables.currency_names()
    codes |= _complete_kind(names.get(name) or names.get(locale_tables.with_letter_apostrophe(name)) or NO_CODES)
    if codes:
        return codes
    # a symbol and a code together: "$ MXN", "EUR €"
    words = text.split(" ")
    if len(words) == 2:
        left, right = (lookup_currencies(word) for word in words)
        if left and right and left & right:
            return left & right
        reversed_name = locale_tables.currency_names().get(fold_name(f"{words[1]} {words[0]}"))  # `koruna česká`
        return reversed_name or _currencies_of_people(words[0], right)
    return None


def _currencies_of_people(people: str, named: frozenset[str] | None) -> frozenset[str] | None:
    """Those of the named currencies that are of one people: `American dollars`, `Korean won`. A code begins with that of the country."""
    countries = nationalities_called(people) if named else frozenset[str]()
    return frozenset(code for code in named or () if code[:2] in countries) or None


def _singular_codes(key: str) -> str:
    """The codes of an English plural: `riyals`, `cedis`."""
    return MORE_CURRENCIES.get(key.removesuffix("s"), "") if len(key) > _MIN_PLURAL and key.isascii() and key.endswith("s") else ""


def _complete_kind(codes: frozenset[str]) -> frozenset[str]:
    """All currencies of a kind for a noun that CLDR prints for most of them: the `dollár` of Hungary is the American one too."""
    if len(codes) < _MIN_OF_KIND:
        return codes
    return next((kind for kind in _kinds() if codes <= kind), codes)


@cache  # derived from tables that never change
def _kinds() -> tuple[frozenset[str], ...]:
    """Currencies that share a noun. Crowns are none: `koruna` and `krona` differ."""
    return tuple(expand_codes(MORE_CURRENCIES[noun]) for noun in ("dollar", "pound", "peso", "franc", "rupee", "dinar", "sh"))


@cache  # derived from a table that never changes
def _symbols_by_key() -> dict[str, frozenset[str]]:
    """Codes by symbol or abbreviation, from CLDR."""
    index: dict[str, set[str]] = {}
    for symbol, codes in locale_tables.currency_symbols().items():
        key = symbol_key(normalize_characters(symbol))
        if key and not key.isdigit():
            index.setdefault(key, set()).update(codes)
    return {key: frozenset(codes) for key, codes in index.items()}


def has_minor_unit(codes: frozenset[str]) -> bool:
    """False if every currency is one whose amounts have no decimals; True if none is named."""
    return not codes or not codes <= _WITHOUT_MINOR_UNIT


def expand_codes(codes: str) -> frozenset[str]:
    """Codes from a list that may hold `$`, `£` or `dollar` for several of them."""
    expanded: set[str] = set()
    for code in codes.split(" "):
        if code == "dollar":
            expanded |= locale_tables.currency_names()[code]
        else:
            expanded |= locale_tables.currency_symbols()[code] if code in "$£" else {code}
    return frozenset(expanded)


def symbol_key(text: str) -> str:
    """The form in which symbols and abbreviations are looked up: folded, without spaces and final points."""
    return fold_name(text).replace(" ", "").strip(".")
