"""Text beside a number that changes its meaning: a minus sign, a currency, a limit such as `up to`.

All functions take text in small letters.

>>> read_limit("valid until ", is_date=True), read_limit("not less than ", is_date=False), read_limit("sent by ", is_date=False)
('upper', 'lower', '')
>>> is_negated("balance: -$", ""), is_negated("balance (", ")"), is_negated("thirty (", ") days")
(True, True, False)
"""

import re
from functools import lru_cache
from typing import Final

from fieldwise.kernels.currencies import currencies_of
from fieldwise.kernels.locale_tables import currency_codes
from fieldwise.pattern import compile_on_use

_SYMBOLS: Final = "$€£¥₹₩₽₺₴₦₱₫₪₡₲₵₸₭₮฿₿"
_MAX_BEFORE: Final = 48
"""Characters before a number that may say something about it."""

# Currencies

_CURRENCY_BEFORE: Final = compile_on_use(rf"(?:(?<![^\W\d_])([^\W\d_]{{0,3}}[{_SYMBOLS}])|\b([a-z]{{2,4}})\.?) ?[-−–+(]?$")
_CURRENCY_BEHIND: Final = compile_on_use(rf" ?(?:([{_SYMBOLS}元円]|[^\W\d_]{{1,2}}\$)|([^\W\d_]+)(?: ([^\W\d_]+))?)")
_CURRENCY_CODE: Final = compile_on_use(r"(?<![^\W_])[A-Z]{3}(?![^\W_])")
_USUAL_CODES: Final = frozenset(str.split("eur usd gbp chf jpy cny sek nok dkk pln czk huf inr cad aud"))
"""Codes that are read in small letters too."""
_WORDS_NOT_CODES: Final = frozenset(str.split("ALL TOP CUP MOP PEN"))
_SHORT_NAMES: Final = frozenset(str.split("yen rmb kr zł kč"))
_MIN_NAME_LENGTH: Final = 4


def find_currency_codes(text: str) -> frozenset[str]:
    """The codes of currencies that a text writes in capitals, in small letters: `TRY` is a currency and `try` is none.

    >>> sorted(find_currency_codes("TRY 5 or SEK 6, not ABC")), sorted(find_currency_codes("try 5"))
    (['sek', 'try'], [])
    """
    written_codes = {code for code in _CURRENCY_CODE.findall(text) if code in currency_codes() and code not in _WORDS_NOT_CODES}
    return frozenset(code.lower() for code in written_codes)


def read_currencies(before: str, behind: str, codes: frozenset[str]) -> frozenset[str]:
    """Codes of the currencies that the text beside a number may mean; empty where it names none.

    >>> sorted(read_currencies("a fee of €", " is due", frozenset())), sorted(read_currencies("", " us dollars", frozenset()))
    (['EUR'], ['USD'])
    """
    match = _CURRENCY_BEFORE.search(before, max(0, len(before) - 8))
    named_before = _currencies_called(match[1] or match[2], codes) if match else frozenset[str]()
    match = _CURRENCY_BEHIND.match(behind)
    if match is None:
        return named_before
    named_behind = _currencies_called(match[1] or match[2], codes)
    if not named_behind and match[3]:
        named_behind = _currencies_called(f"{match[2]} {match[3]}", codes)
    return (named_before & named_behind) or named_before or named_behind


def _currencies_called(name: str, codes: frozenset[str]) -> frozenset[str]:
    is_symbol = name[-1] in _SYMBOLS or name in ("元", "円")
    is_code = name in codes or name in _USUAL_CODES
    if is_symbol or is_code or len(name) >= _MIN_NAME_LENGTH or name in _SHORT_NAMES:
        return _lookup(name)
    return frozenset()


@lru_cache(maxsize=1 << 12)  # few words stand beside numbers
def _lookup(name: str) -> frozenset[str]:
    return currencies_of(name)


# Signs

_MINUS_BEFORE: Final = compile_on_use(
    rf"(?<![\w)])(?<!\d )[-−–](?:[a-z]{{3}} ?|[a-z]{{0,2}}[{_SYMBOLS}] ?)$|(?<!or )(?<!the )\b(?:minus|moins|menos|meno) [{_SYMBOLS}]?$"
)
_ACCOUNT_BEFORE: Final = compile_on_use(
    r"\b(?:balance|saldo|solde|income|profit|earnings|result|ergebnis|résultat|resultado|risultato|cash ?flow|ebitda?|variance|equity"
    rf"|amount|total|betrag|summe|subtotal|change|difference|gewinn)(?: (?:of|von|de|is|was))?:? ?(?:[a-z]{{3}} )?\( ?[{_SYMBOLS}]? ?$"
)
_PARENTHESIS_BEHIND: Final = compile_on_use(rf" ?[{_SYMBOLS}%]? ?\)")


def is_negated(before: str, behind: str) -> bool:
    """True if the text before a number without a sign makes it negative: `-$`, `minus`, or the parentheses of an account.

    Other parentheses repeat a number (`thirty (30) days`) or count (`Section 5(2)`).
    """
    start = max(0, len(before) - _MAX_BEFORE)
    if _MINUS_BEFORE.search(before, start):
        return True
    if "(" not in before[-4:] or not _PARENTHESIS_BEHIND.match(behind):
        return False
    return _ACCOUNT_BEFORE.search(before, start) is not None


# Limits

_UPPER_LIMITS: Final = """up to|until|till|at most|max|maximum|maximum of|less than|fewer than|lower than|smaller than|below|under|within
|not exceeding|not to exceed|before|prior to|no later than|not later than|through|bis|bis zu|bis zum|höchstens|maximal|weniger als|unter
|vor|vor dem|spätestens|jusqu'à|jusqu'au|au plus|moins de|avant|hasta|como máximo|menos de|antes de|antes del|fino a|fino al|entro
|al massimo|meno di|até|tot|hoogstens"""
_LOWER_LIMITS: Final = """from|at least|min|minimum|minimum of|more than|greater than|higher than|larger than|over|above|exceeding|exceeds
|since|after|as of|as from|starting|starting from|starting on|starting at|beginning|beginning on|onwards from|earliest|ab|ab dem|vom|seit
|mindestens|mehr als|über|nach|nach dem|frühestens|à partir de|à partir du|dès|au moins|plus de|depuis|après|desde|a partir de|a partir del
|al menos|más de|después de|a partire da|a partire dal|dal|almeno|più di|oltre|a partir|pelo menos|mais de|vanaf|minstens"""
_DATE_LIMITS: Final = {"by": "upper", "to": "upper", "on or before": "upper", "by no later than": "upper"}
"""Limits before dates that mean something else before other numbers: `a rise by 5`, `a rise to 5`."""
_LIMITS: Final = {
    **{phrase.strip(): "upper" for phrase in _UPPER_LIMITS.split("|")},
    **{phrase.strip(): "lower" for phrase in _LOWER_LIMITS.split("|")},
}
_LIMIT_ENDS: Final = frozenset(phrase.rsplit(" ", 1)[-1] for phrase in (*_LIMITS, *_DATE_LIMITS))
_NEGATORS: Final = frozenset(str.split("not no nicht kein keine pas non never"))
_MAX_WORDS: Final = 3
_SKIPPED_WORDS: Final = frozenset(str.split("the le el il den dem der about approximately ca circa approx"))


def read_limit(before: str, *, is_date: bool) -> str:
    """`upper` or `lower` where the words before a number make it a limit, else an empty text."""
    words = before[-_MAX_BEFORE:].rstrip(f" :({_SYMBOLS}-").split()
    while words and (words[-1] in _SKIPPED_WORDS or words[-1] in _USUAL_CODES):
        words.pop()
    if not words or words[-1].rstrip(".:") not in _LIMIT_ENDS:
        return ""
    words = [re.sub(r"^\W+|[.:]+$", "", word) for word in words[-_MAX_WORDS - 1 :]]
    for length in range(min(_MAX_WORDS, len(words)), 0, -1):
        phrase = " ".join(words[-length:])
        limit = _LIMITS.get(phrase) or (_DATE_LIMITS.get(phrase, "") if is_date else "")
        if limit:
            negated = len(words) > length and words[-length - 1] in _NEGATORS
            return _flip(limit) if negated else limit
    return ""


def _flip(limit: str) -> str:
    return "lower" if limit == "upper" else "upper"


def is_same_limit(expected: str, actual: str) -> bool:
    """True for words that make the same limit of a date or number: `until` and `till`."""
    limit = read_limit(expected, is_date=True)
    return bool(limit) and limit == read_limit(actual, is_date=True)
