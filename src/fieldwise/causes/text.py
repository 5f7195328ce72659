"""Causes in how a text is written: letter case, spaces, punctuation, accents, and placeholders instead of a value."""

from fieldwise.causes._text_forms import is_letter_code
from fieldwise.kernels.amounts import read_figure_once
from fieldwise.kernels.numbers import parse_number_readings
from fieldwise.kernels.text_normalize import (
    fold_accents,
    fold_case,
    fold_punctuation,
    fold_whitespace,
    keep_letters_and_digits,
    spell_out_umlauts,
)
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import cause
from fieldwise.specs import CauseExample

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
        "non applicable",
        "sans objet",
        "no aplica",
        "não se aplica",
        "non applicabile",
        "nie dotyczy",
        "brak",
        "n.v.t.",
        "niet van toepassing",
        "k.A.",
        "keine Angabe",
        "entfällt",
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
_MAX_FIGURE_LENGTH = 30
"""Longer texts are hardly ever a number with its unit."""
_PLACEHOLDER_SYMBOLS = frozenset("-–—_?.…/*()[]<>")


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
        CauseExample(expected="1 MW", actual="1 mW", holds=False),
        CauseExample(expected="5 KG", actual="5 kg"),
    ],
)
def letter_case(expected: str, actual: str, _context: Context) -> bool:
    """Text that differs only in upper and lower case. In symbols of units, case has a meaning."""
    return fold_case(expected) == fold_case(actual) and not _are_other_figures(expected, actual)


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
    return text != "" and text == fold_whitespace(actual) and not _are_other_figures(expected, actual)


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
        CauseExample(expected="M00098", actual="—M00098"),
        CauseExample(expected="1.5", actual="15", holds=False),
        CauseExample(expected="5", actual="-5", holds=False),
        CauseExample(expected="-5 °C", actual="5 °C", holds=False),
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
        return not _are_other_figures(expected, actual)
    return (expected_number is None or actual_number is None) and expected.strip().startswith("-") == actual.strip().startswith("-")


def _are_other_figures(expected: str, actual: str) -> bool:
    """True for `-5 °C` and `5 °C`, `1 MW` and `1 mW`: two numbers with a unit that differ."""
    if len(expected) > _MAX_FIGURE_LENGTH or expected.strip() == actual.strip() or not any(map(str.isdigit, expected)):
        return False
    if is_letter_code(expected) or is_letter_code(actual):
        return False
    left, right = read_figure_once(expected), read_figure_once(actual)
    if left is None or right is None:
        return False
    return left.value != right.value or (bool(left.units) and left.units.isdisjoint(right.units))


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
        CauseExample(expected="Acme", actual="no aplica"),
        CauseExample(expected=None, actual="null"),
        CauseExample(expected="N/A", actual="null", holds=False),
        CauseExample(expected="Acme", actual="Nonesuch", holds=False),
        CauseExample(expected="Acme", actual="Acme", holds=False),
    ],
)
def null_text(expected: Json, actual: Json, context: Context) -> bool:
    """A placeholder such as `N/A` where a value or null was expected."""
    if not isinstance(actual, str):
        return False
    letters = keep_letters_and_digits(actual) if context.forms is None else context.forms[1]
    if letters and letters not in _PLACEHOLDERS:
        return False
    return _is_placeholder(actual) and not (isinstance(expected, str) and _is_placeholder(expected))


def _is_placeholder(text: str) -> bool:
    letters = keep_letters_and_digits(text)
    return letters in _PLACEHOLDERS or (not letters and _PLACEHOLDER_SYMBOLS.issuperset(text.strip()))
