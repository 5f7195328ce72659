"""Causes in the words of a text: shortened, in another order, cut off, missing, added, or with a label."""

import re

from fieldwise.causes._text_forms import letters_of, name_different_countries, words_of
from fieldwise.kernels.amounts import read_figure_once
from fieldwise.kernels.numbers import format_number, parse_number_readings, to_number
from fieldwise.kernels.short_forms import SHORT_FORMS, may_be_same_word, shorten
from fieldwise.kernels.text_shapes import find_possible_readings
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import cause
from fieldwise.specs import CauseExample

_WORDS_WITHOUT_INITIAL = frozenset({"and", "of", "the", "for", "und", "et", "de", "y"})
"""Words that initials leave out."""
_WORDS_LIKE_INITIALS = frozenset(
    {"am", "an", "as", "at", "be", "by", "do", "go", "he", "in", "is", "it", "of", "on", "or", "so", "to", "up"}
)
"""Words of two letters that are initials only in capitals."""
_ELLIPSES = ("…", "...", "[…]", "[...]")
_MIN_PREFIX, _MIN_PREFIX_BEFORE_ELLIPSIS, _MIN_DIGIT_PREFIX = 4, 2, 6
"""Shorter beginnings of a text are too likely by chance to count as cut off."""
_MAX_LABELLED_LENGTH, _MAX_LABEL_WORDS = 200, 4
_MAX_FIGURE_LENGTH = 30
"""Longer texts are hardly ever a number with its unit."""
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
        CauseExample(expected="Hauptstraße 5", actual="Hauptstr. 5"),
        CauseExample(expected="12 Avenida Central", actual="12 Avda. Central"),
        CauseExample(expected="12 Avenida Central", actual="12 Avenue Central", holds=False),
        CauseExample(expected="Main Street", actual="Main Road", holds=False),
        CauseExample(expected="John Smith", actual="John S", holds=False),
        CauseExample(expected="John Smith", actual="K. Smith", holds=False),
        CauseExample(expected="7.5", actual="7.51", holds=False),
        CauseExample(expected="No", actual="None observed", holds=False),
    ],
)
def abbreviation(expected: str, actual: str, _context: Context) -> bool:
    """Text with shortened words or initials: `St.` for `Street`, `IBM`, `J. Smith` for `John Smith`."""
    expected_words, actual_words = words_of(expected), words_of(actual)
    if not expected_words or not actual_words or expected_words[0][0] != actual_words[0][0]:
        return False
    if len(expected_words) != len(actual_words):
        is_actual_short = len(expected_words) > len(actual_words)
        short, long = (actual_words, expected_words) if is_actual_short else (expected_words, actual_words)
        written_short = actual if is_actual_short else expected
        is_abbreviated = (_are_initials(short, long) and not _is_plain_word(written_short)) or _have_same_short_forms(short, long)
    else:
        is_abbreviated = _may_be_short_forms(expected_words, actual_words) and (
            _are_initials(expected_words, actual_words)
            or _are_initials(actual_words, expected_words)
            or shorten(expected) == shorten(actual)
            or (_differ_by_initials(expected_words, actual_words) and not _is_cut_off(expected, actual))
        )
    return is_abbreviated and sum(map(len, expected_words)) != sum(map(len, actual_words))


def _may_be_short_forms(expected: list[str], actual: list[str]) -> bool:
    """Quick check that rejects most texts: words that differ start with the same letter, and one is a letter or a short form."""
    for left, right in zip(expected, actual, strict=True):
        if left == right:
            continue
        if left[0] != right[0]:
            return False
        short, long = (left, right) if len(left) < len(right) else (right, left)
        if len(short) > 1 and not _is_short_form(short, long):
            return False
    return True


def _is_short_form(short: str, long: str) -> bool:
    """True for `blvd` and `boulevard`, but not for `avenue` and `avenida`, whose letters are not in the longer word in order."""
    remaining = iter(long)
    return may_be_same_word(short, long) and all(letter in remaining for letter in short)


def _have_same_short_forms(short: list[str], long: list[str]) -> bool:
    """True for `Bed & Breakfast Co.` and `Bed and Breakfast Company`, where one text has a word more."""
    return ("and" in short or "and" in long) and _short_forms(short) == _short_forms(long)


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


def _is_plain_word(text: str) -> bool:
    """True for `No`, a word by itself, and not the initials of `None observed`; False for `IBM`, `n.o.` and `IT`."""
    word = text.strip()
    return word.lower() == "no" or (not word.isupper() and word.lower() in _WORDS_LIKE_INITIALS)


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
    expected_words, actual_words = words_of(expected), words_of(actual)
    if len(expected_words) < 2 or expected_words == actual_words or sorted(expected_words) != sorted(actual_words):
        return False
    return any(word.isalpha() for word in expected_words)


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
        CauseExample(expected="1234567890", actual="1234567"),
        CauseExample(expected="12345", actual="1234", holds=False),
        CauseExample(expected="USD 100", actual="USD 10", holds=False),
        CauseExample(expected="Apple", actual="A", holds=False),
        CauseExample(expected="Apple", actual="App", holds=False),
        CauseExample(expected="Nigeria", actual="Niger", holds=False),
        CauseExample(expected="Apple", actual="Apple", holds=False),
    ],
)
def truncated(expected: str, actual: str, context: Context) -> bool:
    """Text that breaks off: actual is a proper beginning of expected, and long enough to be more than chance."""
    full, prefix = letters_of(expected, actual, context)
    if not full.startswith(prefix):
        return False
    shortest = _MIN_PREFIX_BEFORE_ELLIPSIS if actual.rstrip().endswith(_ELLIPSES) else _MIN_PREFIX
    if full.isdecimal():
        shortest = _MIN_DIGIT_PREFIX
    elif find_possible_readings(expected).figure and read_figure_once(expected) is not None and read_figure_once(actual) is not None:
        shortest = _MIN_DIGIT_PREFIX + sum(map(str.isalpha, prefix))
    return shortest <= len(prefix) < len(full) and not name_different_countries(expected, actual)


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
        CauseExample(expected="0.5 mg", actual="5 mg", holds=False),
    ],
)
def missing_text(expected: str, actual: str, _context: Context) -> bool:
    """Only some of the expected words, in one piece: `Springfield` for `12 Main St, Springfield`."""
    if not _contains_words(words_of(expected), words_of(actual)):
        return False
    return (parse_number_readings(expected) is None or parse_number_readings(actual) is None) and not _are_figures(expected, actual)


def _are_figures(expected: str, actual: str) -> bool:
    """True for `0.5 mg` and `5 mg`: numbers with their units, whose digits are no words."""
    if not (expected[:1].isdigit() and actual[:1].isdigit()) or max(len(expected), len(actual)) > _MAX_FIGURE_LENGTH:
        return False
    return read_figure_once(expected) is not None and read_figure_once(actual) is not None


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
    label_words = words_of(label)
    if label.rstrip().endswith((":", "#", "=")):
        return len(label_words) <= _MAX_LABEL_WORDS
    own_words = words_of(_CAMEL_CASE.sub(" ", context.field.rpartition(".")[2]))
    return bool(label_words) and all(word in own_words or word in _LABEL_WORDS for word in label_words)


def _text_before_value(expected: Json, actual: str) -> str | None:
    """The text before the expected value; None if the actual text does not end with that value."""
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
        return _contains_words(words_of(actual), words_of(expected)) and not _are_other_numbers(expected, actual)
    if isinstance(expected, int | float) and not isinstance(expected, bool):
        number = format_number(expected)
        return len(actual) > len(number) and number in actual.replace(",", "").split()
    return False


def _are_other_numbers(expected: str, actual: str) -> bool:
    """True for `12` and `12.50`: two numbers of which the one contains the digits of the other."""
    left = to_number(expected)
    right = None if left is None else to_number(actual)
    return right is not None and left != right


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
    return _lacks_words(words_of(expected), words_of(actual)) and not _are_figures(expected, actual)


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
    return _lacks_words(words_of(actual), words_of(expected)) and not _are_figures(expected, actual)


def _lacks_words(long: list[str], short: list[str]) -> bool:
    """True if `short` is `long` without some words: at least two words and half of the letters are left."""
    if not 2 <= len(short) < len(long) or 2 * sum(map(len, short)) < sum(map(len, long)):
        return False
    remaining = iter(long)
    return all(word in remaining for word in short)  # each search goes on where the one before ended
