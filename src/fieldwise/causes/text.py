"""Causes in how text is written: letters, spaces, punctuation, words, placeholders, slips of typing and reading."""

import re
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from fieldwise.kernels.dates import parse_date_readings
from fieldwise.kernels.numbers import align_digits, format_number, parse_number_readings, to_number
from fieldwise.kernels.short_forms import SHORT_FORMS
from fieldwise.kernels.text_normalize import (
    fold_accents,
    fold_case,
    fold_punctuation,
    fold_whitespace,
    keep_digits,
    keep_letters_and_digits,
    normalize_lookalikes,
    spell_out_umlauts,
    split_words,
)
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CauseExample, cause

_words = lru_cache(maxsize=512)(split_words)
"""The causes of a mismatch read the same two texts again and again. Callers do not change the words they get."""
_WORDS_WITHOUT_INITIAL = frozenset({"and", "of", "the", "for", "und", "et", "de", "y"})
"""Words that initials leave out."""
_MAX_UMLAUT_LETTERS = 2
"""Umlauts written out may add this many letters; longer differences are not tried."""
_PLACEHOLDERS = frozenset(
    keep_letters_and_digits(text)
    for text in (
        "n/a",
        "null",
        "none",
        "nil",
        "NaN",
        "undefined",
        "unknown",
        "not found",
        "not available",
        "not applicable",
        "missing",
        "tbd",
        "tba",
        "not provided",
        "not specified",
        "not stated",
        "not given",
        "not mentioned",
        "not known",
        "k.A.",
        "keine Angabe",
        "nicht angegeben",
        "nicht vorhanden",
        "unbekannt",
        "non disponible",
        "non renseigné",
        "inconnu",
        "sin datos",
        "no disponible",
        "desconocido",
        "não disponível",
        "brak danych",
        "нет данных",
        "不明",
        "未知",
        "なし",
    )
)
_PLACEHOLDER_SYMBOLS = frozenset("-–—_?.…/*()[]<>")
_ELLIPSES = ("…", "...", "[…]", "[...]")
_MIN_PREFIX, _MIN_PREFIX_BEFORE_ELLIPSIS = 4, 2
"""Shorter beginnings of a text are too likely by chance to count as cut off."""
_MIN_LENGTH_FOR_ONE_EDIT, _MIN_LENGTH_FOR_TWO_EDITS = 4, 9
_MIN_DIGITS_OF_NUMBER, _MIN_DIGITS_OF_TEXT = 5, 10
"""Shorter numbers that share digits are simply different numbers."""
_MIN_LETTERS_AROUND_A_DIGIT = 20
"""In a text with this many letters, one digit more, less or other is a slip."""
_MIN_MISREAD_LENGTH, _MAX_MISREAD_SHARE, _MIN_WORD_SIMILARITY, _SHORT_WORD = 15, 0.18, 0.5, 3
_MIN_SWAPPED_LENGTH = 3
_MIN_PRINTED_LENGTH, _MAX_PRINTED_LENGTH, _MAX_PRINTED_SHARE = 3, 40, 0.4
_MAX_LABELLED_LENGTH, _MAX_LABEL_WORDS = 200, 4
_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])|[_-]")
_LABEL_WORDS = frozenset({
    "account", "address", "adresse", "amount", "bank", "bezeichnung", "betrag", "bic", "bill", "buyer", "client", "code", "company",
    "contact", "country", "currency", "customer", "date", "datum", "delivery", "description", "due", "email", "fax", "from", "gst",
    "heading", "iban", "id", "invoice", "issued", "item", "kunde", "name", "nr", "no", "number", "order", "payment", "phone", "po",
    "price", "qty", "quantity", "rate", "receipt", "rechnung", "rechnungsnummer", "ref", "reference", "sales", "seller", "ship", "sku",
    "street", "subtotal", "sum", "supplier", "swift", "tax", "tel", "telephone", "time", "title", "to", "total", "unit", "vat", "vendor",
})  # fmt: skip
"""Words of labels in documents."""


@cause(
    rank=10,
    label="letter case",
    advice="Fold case where it carries no meaning, e.g. `match: fuzzy`, or ask for the case as printed.",
    advised=("fuzzy",),
    advice_if_followed="Leave `normalize` at true, which folds case, or ask for the case as printed.",
    advice_if_typed="Ask for the case as printed.",
    kinds="text",
    letters=("same",),
    examples=[
        CauseExample(expected="Acme Corp", actual="ACME CORP"),
        CauseExample(expected="straße", actual="STRASSE"),
        CauseExample(expected="Élan", actual="éLAN"),
        CauseExample(expected="Acme", actual="Acne", holds=False),
        CauseExample(expected="Acme Corp", actual="AcmeCorp", holds=False),
        CauseExample(expected="café", actual="CAFE", holds=False),
    ],
)
def letter_case(expected: str, actual: str, _context: Context) -> bool:
    """Text that differs only in upper and lower case."""
    return fold_case(expected) == fold_case(actual)


@cause(
    rank=20,
    label="white space",
    advice="Trim and collapse spaces before comparing; look for line breaks and non-breaking spaces in the output.",
    kinds="text",
    letters=("same",),
    examples=[
        CauseExample(expected="Net 30 days", actual="Net  30 days"),
        CauseExample(expected="Net 30", actual="Net\xa030"),
        CauseExample(expected="Invoice", actual="Inv\u200boice"),
        CauseExample(expected="a b", actual="a\nb"),
        CauseExample(expected="a b", actual="a c", holds=False),
        CauseExample(expected="a-b", actual="a b", holds=False),
        CauseExample(expected=" ", actual="\u200b", holds=False),
    ],
)
def whitespace(expected: str, actual: str, _context: Context) -> bool:
    """Text that differs only in white space and perhaps letter case, zero-width and non-breaking spaces included."""
    text = fold_whitespace(expected)
    return text != "" and text == fold_whitespace(actual)


@cause(
    rank=60,
    label="punctuation",
    advice="Compare words, e.g. `match: fuzzy` with `algorithm: token_sort`, or normalize dashes and quotes before comparing.",
    advised=("fuzzy",),
    advice_if_followed="Compare words with `algorithm: token_sort`, or normalize dashes and quotes before comparing.",
    advice_if_typed="Ask for the value as printed; look at its dashes, points and quotes.",
    kinds="text",
    letters=("same",),
    examples=[
        CauseExample(expected="Acme Inc", actual="Acme Inc."),
        CauseExample(expected="Smith-Jones", actual="Smith–Jones"),
        CauseExample(expected='"x y"', actual="“x y”"),
        CauseExample(expected="co-operate", actual="cooperate"),
        CauseExample(expected="1.5", actual="15", holds=False),
        CauseExample(expected="5", actual="-5", holds=False),
        CauseExample(expected="a<b", actual="a>b", holds=False),
    ],
)
def punctuation(expected: str, actual: str, _context: Context) -> bool:
    """Text that differs only in punctuation and perhaps spaces and letter case: dashes, quotes, commas, hyphens, a final period."""
    text = fold_punctuation(expected)
    if text == "" or text != fold_punctuation(actual):
        return False
    # in numbers, punctuation has a meaning: 1.5 is not 15, and -00 is not *00
    expected_number, actual_number = parse_number_readings(expected), parse_number_readings(actual)
    if expected_number is None and actual_number is None:
        return True
    return (expected_number is None or actual_number is None) and expected.strip().startswith("-") == actual.strip().startswith("-")


@cause(
    rank=70,
    label="accents",
    advice="Check the encoding of the source, or allow for accents with `match: fuzzy`.",
    advised=("fuzzy",),
    advice_if_followed="Check the encoding of the source, or lower `threshold` for short texts.",
    advice_if_typed="Check the encoding of the source.",
    kinds="text",
    letters=(),
    examples=[
        CauseExample(expected="José", actual="Jose"),
        CauseExample(expected="Müller", actual="Mueller"),
        CauseExample(expected="Müller", actual="Muller"),
        CauseExample(expected="ﬁn", actual="fin"),
        CauseExample(expected="Jose", actual="Josa", holds=False),
        CauseExample(expected="José", actual="Josáx", holds=False),
        CauseExample(expected="Jose", actual="jose", holds=False),
        CauseExample(expected="$9,995.00", actual="§9,995.00", holds=False),
    ],
)
def accents(expected: str, actual: str, _context: Context) -> bool:
    """Text that differs only in accents, umlauts or ligatures and perhaps punctuation, spaces and letter case."""
    if not (_has_accents(expected) or _has_accents(actual)):
        return False
    if fold_accents(expected) == fold_accents(actual):
        return True
    if abs(len(expected) - len(actual)) > _MAX_UMLAUT_LETTERS:
        return False
    return spell_out_umlauts(expected) == spell_out_umlauts(actual)


def _has_accents(text: str) -> bool:
    """True if a letter is not ASCII: a paragraph sign is no accent."""
    return not text.isascii() and any(character.isalpha() and not character.isascii() for character in text)


@cause(
    rank=80,
    label="abbreviation",
    advice="List the short forms you accept, e.g. `match: one_of`, or ask for names written out.",
    advised=("one_of",),
    advice_if_followed="Add the short form to the values you accept, or ask for names written out.",
    advice_if_typed="Ask for names written out, or for codes.",
    kinds="text",
    letters=("fewer", "more"),
    examples=[
        CauseExample(expected="Main Street", actual="Main St."),
        CauseExample(expected="Acme Corporation", actual="Acme Corp"),
        CauseExample(expected="International Paper", actual="Intl Paper"),
        CauseExample(expected="Acme Limited", actual="Acme Ltd."),
        CauseExample(expected="Main Street", actual="Main Road", holds=False),
        CauseExample(expected="John Smith", actual="John S", holds=False),
        CauseExample(expected="John Smith", actual="K. Smith", holds=False),
        CauseExample(expected="7.5", actual="7.51", holds=False),
    ],
)
def abbreviation(expected: str, actual: str, _context: Context) -> bool:
    """Text with shortened words or initials: `St.` for `Street`, `IBM`, `J. Smith` for `John Smith`."""
    expected_words, actual_words = _words(expected), _words(actual)
    if not expected_words or not actual_words or expected_words[0][0] != actual_words[0][0]:
        return False
    same_count = len(expected_words) == len(actual_words)
    if same_count and not _may_be_short_forms(expected_words, actual_words):
        return False
    is_abbreviated = (
        _are_initials(expected_words, actual_words)
        or _are_initials(actual_words, expected_words)
        or _have_same_short_forms(expected_words, actual_words)
        or (same_count and _differ_by_initials(expected_words, actual_words) and not _is_cut_off(expected, actual))
    )
    return is_abbreviated and sum(map(len, expected_words)) != sum(map(len, actual_words))


def _may_be_short_forms(expected: list[str], actual: list[str]) -> bool:
    """Quick check that rejects most texts: words that differ start with the same letter, and one has a short form or is one letter."""
    for left, right in zip(expected, actual, strict=True):
        if left == right:
            continue
        if left[0] != right[0]:
            return False
        if left not in SHORT_FORMS and right not in SHORT_FORMS and len(left) != 1 and len(right) != 1:
            return False
    return True


def _have_same_short_forms(expected: list[str], actual: list[str]) -> bool:
    """True for `Bed & Breakfast Co.` and `Bed and Breakfast Company`."""
    comparable = len(expected) == len(actual) or "and" in expected or "and" in actual
    return comparable and _short_forms(expected) == _short_forms(actual)


def _short_forms(text_words: list[str]) -> list[str]:
    return [SHORT_FORMS.get(word, word) for word in text_words if word != "and"]


def _are_initials(short: list[str], long: list[str]) -> bool:
    """True for `IBM` or `I.B.M.` and `International Business Machines`."""
    if len(short[0]) > 1 and (len(short) > 1 or len(short[0]) > len(long)):
        return False
    initials = "".join(short)
    if not initials.isalpha():  # `7.5` is no short form of `7.51`
        return False
    if not 2 <= len(initials) <= 8 or len(long) < 2 or max(map(len, short)) not in (1, len(initials)):
        return False
    all_initials = "".join(word[0] for word in long)
    main_initials = "".join(word[0] for word in long if word not in _WORDS_WITHOUT_INITIAL)
    return initials in (all_initials, main_initials)


def _differ_by_initials(expected: list[str], actual: list[str]) -> bool:
    """True for `J. Smith` and `John Smith`: every word agrees in full or by its initial, and at least one name agrees in full."""
    has_full_name = False
    for left, right in zip(expected, actual, strict=True):
        if left == right:
            has_full_name = has_full_name or (len(left) > 2 and left.isalpha())
        elif left[0] != right[0] or not left.isalpha() or not right.isalpha() or 1 not in (len(left), len(right)):
            return False
    return has_full_name


def _is_cut_off(expected: str, actual: str) -> bool:
    """True for `John S`, which is more likely a part of `John Smith` than an abbreviation; False for `John S.`."""
    return expected.startswith(actual) and actual[-1:].isalpha()


@cause(
    rank=90,
    label="word order",
    advice="Compare words in any order: `match: fuzzy` with `algorithm: token_sort`.",
    advised=("fuzzy",),
    advice_if_followed="Compare words in any order: `algorithm: token_sort`.",
    advice_if_typed="Ask for the words in the order of the source.",
    kinds="text",
    letters=("as_many", "same"),
    edits="moves",
    examples=[
        CauseExample(expected="John Smith", actual="Smith, John"),
        CauseExample(expected="Paper International", actual="International Paper"),
        CauseExample(expected="John Smith", actual="John Smyth", holds=False),
        CauseExample(expected="12 34", actual="34 12", holds=False),
        CauseExample(expected="John Smith", actual="john smith", holds=False),
    ],
)
def word_order(expected: str, actual: str, _context: Context) -> bool:
    """The same words in another order. Digits alone are not words: `12 34` is not `34 12`."""
    expected_words, actual_words = _words(expected), _words(actual)
    if len(expected_words) < 2 or expected_words == actual_words or sorted(expected_words) != sorted(actual_words):
        return False
    return any(word.isalpha() for word in expected_words)


@cause(
    rank=100,
    label="placeholder instead of a value",
    advice="The value was not found: ask for null, or read such text as null with `null_values`, so that it counts as an omission.",
    kinds="written",
    examples=[
        CauseExample(expected="Acme", actual="N/A"),
        CauseExample(expected=12, actual="null"),
        CauseExample(expected="Acme", actual="none"),
        CauseExample(expected="Acme", actual="-"),
        CauseExample(expected="12.00", actual="k.A."),
        CauseExample(expected=None, actual="null"),
        CauseExample(expected="N/A", actual="null", holds=False),
        CauseExample(expected="Acme", actual="Nonesuch", holds=False),
        CauseExample(expected="Acme", actual="Acme", holds=False),
    ],
)
def null_text(expected: Json, actual: Json, context: Context) -> bool:
    """A placeholder such as `N/A` where a value or null was expected."""
    if not isinstance(actual, str) or not _is_placeholder(actual, context):
        return False
    return not (isinstance(expected, str) and _is_placeholder(expected, context))


def _letters(text: str, context: Context) -> str:
    """The letters and digits of a text."""
    letters = context.letters.get(text)
    return keep_letters_and_digits(text) if letters is None else letters


def _is_placeholder(text: str, context: Context) -> bool:
    letters = _letters(text, context)
    return letters in _PLACEHOLDERS or (not letters and _PLACEHOLDER_SYMBOLS.issuperset(text.strip()))


@cause(
    rank=170,
    label="cut off",
    advice="Check output limits and column widths; for prose compare with `match: contains` or `algorithm: token_set`.",
    advised=("contains",),
    advice_if_followed="Check output limits and column widths.",
    advice_if_typed="Check output limits and column widths.",
    kinds="text",
    letters=("fewer",),
    examples=[
        CauseExample(expected="Acme Corporation of Ohio", actual="Acme Corporation o"),
        CauseExample(expected="Apple Inc", actual="Apple"),
        CauseExample(expected="A long description", actual="A long des…"),
        CauseExample(expected="A long description", actual="A l..."),
        CauseExample(expected="Apple", actual="A", holds=False),
        CauseExample(expected="Apple", actual="App", holds=False),
        CauseExample(expected="Apple", actual="Apple", holds=False),
    ],
)
def truncated(expected: str, actual: str, context: Context) -> bool:
    """Text that breaks off: actual is a proper beginning of expected, and long enough to be more than chance."""
    full, prefix = _letters(expected, context), _letters(actual, context)
    if not full.startswith(prefix):
        return False
    shortest = _MIN_PREFIX_BEFORE_ELLIPSIS if actual.rstrip().endswith(_ELLIPSES) else _MIN_PREFIX
    return shortest <= len(prefix) < len(full) and not full.isdecimal()


@cause(
    rank=180,
    label="part of the text is missing",
    advice="Ask for the whole text; to accept a part, use `match: fuzzy` with `algorithm: token_set`.",
    advised=("fuzzy",),
    advice_if_followed="Ask for the whole text; to accept a part, use `algorithm: token_set`.",
    advice_if_typed="Ask for the whole value.",
    kinds="text",
    letters=("fewer",),
    examples=[
        CauseExample(expected="12 Main St, Springfield", actual="Springfield"),
        CauseExample(expected="Dr. John Smith", actual="John Smith"),
        CauseExample(expected="Springfield", actual="12 Main St, Springfield", holds=False),
        CauseExample(expected="Springfield", actual="field", holds=False),
        CauseExample(expected="a b", actual="b", holds=False),
        CauseExample(expected="38.00", actual="00", holds=False),
    ],
)
def missing_text(expected: str, actual: str, _context: Context) -> bool:
    """Only some of the expected words, in one piece: `Springfield` for `12 Main St, Springfield`."""
    if not _contains_words(_words(expected), _words(actual)):
        return False
    return parse_number_readings(expected) is None or parse_number_readings(actual) is None


@cause(
    rank=185,
    label="label or heading included",
    advice="Ask for the value alone, without its label or the heading above it.",
    kinds="written",
    letters=("more",),
    examples=[
        CauseExample(expected="INV-7", actual="Invoice No: INV-7"),
        CauseExample(expected=12.5, actual="Total 12.50"),
        CauseExample(expected="12 Main St", actual="Address\n12 Main St"),
        CauseExample(expected="Acme Corp", actual="the seller Acme Corp", holds=False),
        CauseExample(expected="INV-7", actual="Invoice No: INV-8", holds=False),
        CauseExample(expected="Invoice No: INV-7", actual="INV-7", holds=False),
    ],
)
def label_included(expected: Json, actual: Json, context: Context) -> bool:
    """The expected value after its label: `Invoice No: INV-7`. A label ends in a colon, or is the field's name or a usual one."""
    if not isinstance(actual, str) or len(actual) > _MAX_LABELLED_LENGTH:
        return False
    label = _text_before_value(expected, actual)
    if label is None or not any(map(str.isalpha, label)):
        return False
    label_words = _words(label)
    if label.rstrip().endswith((":", "#", "=")):
        return len(label_words) <= _MAX_LABEL_WORDS
    own_words = _words(_CAMEL_CASE.sub(" ", context.field.rpartition(".")[2]))
    return bool(label_words) and all(word in own_words or word in _LABEL_WORDS for word in label_words)


def _text_before_value(expected: Json, actual: str) -> str | None:
    """What stands before the expected value at the end of a text; None if the text does not end with the value."""
    if isinstance(expected, str):
        value = expected.strip()
        head = actual.strip()[: -len(value)] if value else ""
        is_end = bool(value) and actual.strip().casefold().endswith(value.casefold())
        return head if is_end and head and not head[-1].isalnum() else None
    number = to_number(expected)
    words = actual.rsplit(maxsplit=1)
    if number is None or len(words) < 2 or to_number(words[1]) != number:
        return None
    return words[0]


@cause(
    rank=190,
    label="extra text around the value",
    advice="Ask for the value alone, without labels, units or explanations; to accept it, use `match: contains`.",
    advised=("contains",),
    advice_if_followed="Ask for the value alone, without labels, units or explanations.",
    advice_if_typed="Ask for the value alone, without labels or explanations.",
    kinds="written",
    letters=("more",),
    examples=[
        CauseExample(expected="Acme Corp", actual="Acme Corp (the seller)"),
        CauseExample(expected=12, actual="12 months"),
        CauseExample(expected="12", actual="12 months"),
        CauseExample(expected=1200, actual="about 1,200 EUR"),
        CauseExample(expected="Acme Corp (the seller)", actual="Acme Corp", holds=False),
        CauseExample(expected="field", actual="Springfield", holds=False),
        CauseExample(expected="A", actual="A plan", holds=False),
        CauseExample(expected="12", actual="12.50", holds=False),
    ],
)
def extra_text(expected: Json, actual: Json, _context: Context) -> bool:
    """The expected value, as whole words, inside a longer text: `Acme Corp (the seller)`, `12 months` for 12."""
    if not isinstance(actual, str):
        return False
    if isinstance(expected, str):
        return _contains_words(_words(actual), _words(expected)) and not _are_other_numbers(expected, actual)
    if isinstance(expected, int | float) and not isinstance(expected, bool):
        number = format_number(expected)
        return len(actual) > len(number) and number in actual.replace(",", "").split()
    return False


def _are_other_numbers(expected: str, actual: str) -> bool:
    """True for `12` and `12.50`: two numbers of which the one contains the digits of the other."""
    left, right = to_number(expected), to_number(actual)
    return left is not None and right is not None and left != right


def _contains_words(long: list[str], short: list[str]) -> bool:
    """True if the words of `short`, at least two characters, are a part of those of `long`."""
    long_text, short_text = " ".join(long), " ".join(short)
    return len(short_text) >= 2 and short_text != long_text and f" {short_text} " in f" {long_text} "


@cause(
    rank=192,
    label="words missing inside",
    advice="Ask for the whole text; look for line breaks and columns that the reader skipped.",
    kinds="text",
    letters=("fewer",),
    examples=[
        CauseExample(expected="12 Jalan Setia Indah, U13, 40170 Setia Alam", actual="12 Jalan Setia Indah, 40170 Setia Alam"),
        CauseExample(expected="John A. Smith", actual="John Smith"),
        CauseExample(expected="ACME TRADING SDN BHD", actual="ACME TRADING BHD"),
        CauseExample(expected="John Smith", actual="John Adam Smith", holds=False),
        CauseExample(expected="John Adam Edward Smith", actual="J Smith", holds=False),
        CauseExample(expected="one of many words here", actual="one here", holds=False),
    ],
)
def word_missing(expected: str, actual: str, _context: Context) -> bool:
    """Some words of the expected text are missing, the others are there in order. At least two words and half of the letters stay."""
    return _lacks_words(_words(expected), _words(actual))


@cause(
    rank=194,
    label="words added inside",
    advice="Ask for the text as printed; look for neighbouring lines and columns that were read into it.",
    kinds="text",
    letters=("more",),
    examples=[
        CauseExample(expected="John Smith", actual="John Adam Smith"),
        CauseExample(expected="12 Jalan Tampoi, 81200 Johor Bahru", actual="12 Jalan Tampoi, 8 81200 Johor Bahru"),
        CauseExample(expected="John Adam Smith", actual="John Smith", holds=False),
        CauseExample(expected="one here", actual="one of many words here", holds=False),
    ],
)
def word_added(expected: str, actual: str, _context: Context) -> bool:
    """Words between those of the expected text, which are all there in order. They are at most half of the letters."""
    return _lacks_words(_words(actual), _words(expected))


def _lacks_words(long: list[str], short: list[str]) -> bool:
    """True if `short` is `long` without some words: at least two words and half of the letters are left."""
    if not 2 <= len(short) < len(long) or 2 * sum(map(len, short)) < sum(map(len, long)):
        return False
    remaining = iter(long)
    return all(word in remaining for word in short)  # each search goes on where the one before ended


@cause(
    rank=200,
    label="look-alike characters",
    advice="The source was misread: improve the scan or the OCR, or check such codes against a list or a checksum.",
    kinds="written",
    letters=("as_many", "fewer", "more"),
    examples=[
        CauseExample(expected="INV-100", actual="INV-1OO"),
        CauseExample(expected="Bill", actual="Bi11"),
        CauseExample(expected="S5", actual="55"),
        CauseExample(expected="B8", actual="88"),
        CauseExample(expected="148.00", actual="148.OC"),
        CauseExample(expected="3697", actual="3^97"),
        CauseExample(expected="5918.00", actual="$918.00"),
        CauseExample(expected="A12", actual="12A", holds=False),
        CauseExample(expected="50", actual="60", holds=False),
        CauseExample(expected="Acme", actual="Acme", holds=False),
        CauseExample(expected="Acme", actual="acme", holds=False),
    ],
)
def ocr(expected: Json, actual: Json, context: Context) -> bool:
    """Characters that look alike in print: 0 and O, 1 and l and I, 5 and S, 8 and B, 2 and Z, rn and m, cl and d, vv and w.

    Also a letter or sign in the place of a digit, in texts that agree otherwise.
    """
    expected_text, actual_text = _printed_characters(expected, context), _printed_characters(actual, context)
    if expected_text not in ("", actual_text) and normalize_lookalikes(expected_text) == normalize_lookalikes(actual_text):
        return True
    if not isinstance(expected, str) or not isinstance(actual, str) or expected_text == actual_text:
        return False
    return _has_signs_for_digits(expected.strip(), actual.strip())


def _has_signs_for_digits(expected: str, actual: str) -> bool:
    """True for texts of one length in which every difference is a digit or decimal mark on one side only: `148.00` and `148.OC`."""
    if len(expected) != len(actual) or not _MIN_PRINTED_LENGTH <= len(expected) <= _MAX_PRINTED_LENGTH:
        return False
    changed = same_digits = 0
    for left, right in zip(_fold_characters(expected), _fold_characters(actual), strict=True):
        if left == right:
            same_digits += left.isdecimal()
        elif left.isdecimal() == right.isdecimal() or left in " -" or right in " -":
            return False
        else:
            changed += 1
    return 0 < changed <= _MAX_PRINTED_SHARE * len(expected) and same_digits >= _MIN_PRINTED_LENGTH - 1


def _fold_characters(text: str) -> Sequence[str]:
    return text.lower() if text.isascii() else [*map(str.casefold, text)]


def _printed_characters(value: Json, context: Context) -> str:
    if isinstance(value, str):
        return _letters(value, context)
    number = to_number(value)
    return "" if number is None else format_number(number).replace(".", "")


@cause(
    rank=210,
    label="neighbouring characters swapped",
    advice="A slip of typing or reading: check such values against a list, a sum or a checksum.",
    letters=("as_many",),
    edits="moves",
    numbers="moves",
    examples=[
        CauseExample(expected="receive", actual="recieve"),
        CauseExample(expected="1234", actual="1324"),
        CauseExample(expected=1234, actual=1324),
        CauseExample(expected=12.5, actual=12.05),
        CauseExample(expected=1234, actual=4231, holds=False),
        CauseExample(expected="receive", actual="receive", holds=False),
        CauseExample(expected="abc", actual="acbd", holds=False),
    ],
)
def transposed(expected: Json, actual: Json, context: Context) -> bool:
    """Two neighbouring characters or digits that changed places. Two dates are never transposed: they are different days."""
    if isinstance(expected, str) and isinstance(actual, str):
        if not _is_one_swap(_letters(expected, context), _letters(actual, context)):
            return False
        return parse_date_readings(expected) is None or parse_date_readings(actual) is None
    number_digits = _digits_of_same_sign(expected, actual)
    return number_digits is not None and _is_one_swap(*number_digits)


def _is_one_swap(expected: str, actual: str) -> bool:
    """True if exchanging two neighbouring characters makes both texts the same.

    >>> _is_one_swap("recieve", "receive"), _is_one_swap("1234", "1324"), _is_one_swap("1234", "4231"), _is_one_swap("aa", "aa")
    (True, True, False, False)
    """
    if len(expected) != len(actual) or len(expected) < _MIN_SWAPPED_LENGTH:
        return False
    for at, character in enumerate(expected):
        if character != actual[at]:
            return expected[at : at + 2] == actual[at : at + 2][::-1] and expected[at + 2 :] == actual[at + 2 :]
    return False


@cause(
    rank=220,
    label="one or two characters off",
    advice="Allow for small slips with `match: fuzzy` where they do not matter; check codes against a list or a checksum.",
    advised=("fuzzy",),
    advice_if_followed="Lower `threshold` if such slips do not matter; check codes against a list or a checksum.",
    advice_if_typed="Check such values against a list, a sum or a checksum.",
    letters=("as_many", "fewer", "more"),
    edits="few",
    numbers="long",
    examples=[
        CauseExample(expected="Springfield", actual="Springfeld"),
        CauseExample(expected="Acme", actual="Acne"),
        CauseExample(expected="Internationale", actual="Internatinale"),
        CauseExample(expected="DE89370400440532013000", actual="DE89370400440532013001"),
        CauseExample(expected="cat", actual="car", holds=False),
        CauseExample(expected="2024", actual="2025", holds=False),
        CauseExample(expected="Q1 2025", actual="Q2 2025", holds=False),
    ],
)
def typo(expected: Json, actual: Json, context: Context) -> bool:
    """One or two characters off in a text long enough to be recognized, or one digit of a long number."""
    if isinstance(expected, str) and isinstance(actual, str):
        return _is_typo_in_text(expected, actual, context)
    number_digits = _digits_of_same_sign(expected, actual)
    return number_digits is not None and _is_one_digit_off(*number_digits)


def _is_typo_in_text(expected: str, actual: str, context: Context) -> bool:
    expected_text, actual_text = _letters(expected, context), _letters(actual, context)
    edits = Levenshtein.distance(expected_text, actual_text, score_cutoff=2)
    length = min(len(expected_text), len(actual_text))
    max_edits = 2 if length >= _MIN_LENGTH_FOR_TWO_EDITS else 1
    if edits == 0 or edits > max_edits or length < _MIN_LENGTH_FOR_ONE_EDIT:
        return False
    if expected_text.isalpha() and actual_text.isalpha():
        return True
    expected_digits, actual_digits = keep_digits(expected_text), keep_digits(actual_text)
    if expected_digits == actual_digits:
        return length - len(expected_digits) >= _MIN_LENGTH_FOR_ONE_EDIT
    letters = length - max(len(expected_digits), len(actual_digits))
    if edits == 1 and letters >= _MIN_LETTERS_AROUND_A_DIGIT and abs(len(expected_digits) - len(actual_digits)) <= 1:
        return True
    if min(len(expected_digits), len(actual_digits)) < _MIN_DIGITS_OF_TEXT:
        return False
    return _is_one_digit_off(expected_digits, actual_digits) and (
        parse_date_readings(expected) is None or parse_date_readings(actual) is None
    )


def _is_one_digit_off(expected: str, actual: str) -> bool:
    """True if two long rows of digits differ by one edit."""
    if min(len(expected), len(actual)) < _MIN_DIGITS_OF_NUMBER:
        return False
    shortest = min(len(expected.strip("0")), len(actual.strip("0")))
    return shortest >= _MIN_DIGITS_OF_NUMBER and Levenshtein.distance(expected, actual, score_cutoff=1) == 1


def _digits_of_same_sign(expected: Json, actual: Json) -> tuple[str, str] | None:
    """The aligned digits of two numbers, at most one of them in text; None if one is not a number or their signs differ."""
    expected_number, actual_number = to_number(expected), to_number(actual)
    if expected_number is None or actual_number is None or (expected_number < 0) != (actual_number < 0):
        return None
    return align_digits(expected_number, actual_number)


@cause(
    rank=230,
    label="several characters misread",
    advice="The source was misread in several places: improve the scan or the OCR.",
    kinds="text",
    letters=("as_many", "fewer", "more"),
    edits="few",
    examples=[
        CauseExample(expected="49 Jalan Dinar, Subang Perdana, Shah Alam", actual="49 Jalan Dimor, Subanq Perdana, Shah Alan"),
        CauseExample(expected="Lot 1851-B, Seri Kembangan, Selangor", actual="Lot 1851-R, Seri Kenangan, Selangor"),
        CauseExample(expected="Monthly service fee January", actual="Monthly service fee October", holds=False),
        CauseExample(expected="John Smith", actual="Jane Smyth", holds=False),
        CauseExample(expected="12 Main Street, Springfield", actual="48 Lake Avenue, Springfield", holds=False),
    ],
)
def misread(expected: str, actual: str, context: Context) -> bool:
    """More than two characters off, at most 18 % of a text of at least 15; every word that differs is still like its counterpart."""
    expected_text, actual_text = _letters(expected, context), _letters(actual, context)
    length = min(len(expected_text), len(actual_text))
    max_edits = int(_MAX_MISREAD_SHARE * length)
    if length < _MIN_MISREAD_LENGTH or abs(len(expected_text) - len(actual_text)) > max_edits:
        return False
    if 2 * sum(map(str.isalpha, expected_text)) < len(expected_text):
        return False
    if not 0 < Levenshtein.distance(expected_text, actual_text, score_cutoff=max_edits) <= max_edits:
        return False
    expected_words, actual_words = _words(expected), _words(actual)
    if len(expected_words) != len(actual_words):
        return True
    return all(map(_is_misread_word, expected_words, actual_words))


def _is_misread_word(expected: str, actual: str) -> bool:
    if expected == actual or max(len(expected), len(actual)) <= _SHORT_WORD:
        return True
    return Levenshtein.normalized_similarity(expected, actual) >= _MIN_WORD_SIMILARITY
