"""Causes in single characters: misread by OCR, swapped or mistyped, in texts and in the digits of numbers."""

from rapidfuzz.distance import Hamming, Levenshtein

from fieldwise.causes._text_forms import (
    are_price_endings,
    find_changes,
    has_misread_currency,
    letters_of,
    look_alike,
    name_different_countries,
    words_of,
)
from fieldwise.kernels.amounts import read_figure_once
from fieldwise.kernels.dates import parse_date_readings
from fieldwise.kernels.numbers import align_digits, format_number, to_number
from fieldwise.kernels.text_normalize import keep_digits, keep_letters_and_digits, normalize_lookalikes
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import cause
from fieldwise.specs import CauseExample

_MIN_LENGTH_FOR_ONE_EDIT, _MIN_LENGTH_FOR_TWO_EDITS = 4, 9
"""Shorter texts that differ by one or two characters are simply different texts."""
_MIN_DIGITS_OF_NUMBER, _MIN_DIGITS_OF_TEXT, _MIN_DIGITS_OF_CODE = 5, 10, 16
"""Shorter numbers that share digits are simply different numbers; codes of as many digits mostly count up."""
_MIN_LETTERS_AROUND_A_DIGIT = 20
"""In a text with this many letters, one digit more, less or other is a slip."""
_MIN_MISREAD_LENGTH = 15
_MAX_MISREAD_SHARE = 0.18
"""Largest number of edits in a misread text, as a share of its length."""
_MIN_WORD_SIMILARITY = 0.5
_SHORT_WORD = 3
"""Words of at most this length are not compared one by one: a single edit changes too much of them."""
_MIN_SWAPPED_LENGTH = 3
_MIN_PRINTED_LENGTH, _MAX_PRINTED_LENGTH = 3, 40
"""Lengths of texts in which signs are looked for in the place of digits."""
_MAX_PRINTED_SHARE = 0.4
"""Largest share of characters that may have changed between digit and sign."""


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
        CauseExample(expected="$400.00", actual="S400.00"),
        CauseExample(expected="A12", actual="12A", holds=False),
        CauseExample(expected="50", actual="60", holds=False),
        CauseExample(expected="Acme", actual="Acme", holds=False),
        CauseExample(expected="Acme", actual="acme", holds=False),
    ],
)
def ocr(expected: Json, actual: Json, context: Context) -> bool:
    """Characters that look alike in print: 0 and O, 1 and l and I, 5 and S, 8 and B, 2 and Z, rn and m, cl and d, vv and w, $ and S.

    Also a letter or sign in the place of a digit, in texts that agree otherwise.
    """
    if not isinstance(expected, str) or not isinstance(actual, str):
        expected_text, actual_text = _printed_characters(expected), _printed_characters(actual)
        return expected_text not in ("", actual_text) and normalize_lookalikes(expected_text) == normalize_lookalikes(actual_text)
    expected_text, actual_text = letters_of(expected, actual, context)
    if not expected_text or expected_text == actual_text:
        return False
    if look_alike(expected, actual, context) or has_misread_currency(expected, actual):
        return True
    if expected_text.isalpha() or actual_text.isalpha():  # no digits
        return False
    return _has_signs_for_digits(expected.strip(), actual.strip())


def _has_signs_for_digits(expected: str, actual: str) -> bool:
    """True for texts of one length in which every difference is a digit or decimal mark on one side only: `148.00` and `148.OC`."""
    if len(expected) != len(actual) or not _MIN_PRINTED_LENGTH <= len(expected) <= _MAX_PRINTED_LENGTH:
        return False
    positions = find_changes(expected, actual, most=int(_MAX_PRINTED_SHARE * len(expected)))
    if not positions:
        return False
    changed = [(expected[at], actual[at]) for at in positions]
    if any(left.isdecimal() == right.isdecimal() or left in " -" or right in " -" for left, right in changed):
        return False
    changed_digits = sum(left.isdecimal() for left, _ in changed)
    return sum(map(str.isdecimal, expected)) - changed_digits >= _MIN_PRINTED_LENGTH - 1


def _printed_characters(value: Json) -> str:
    if isinstance(value, str):
        return keep_letters_and_digits(value)
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
        CauseExample(expected="31 °C", actual="-13 °C", holds=False),
    ],
)
def transposed(expected: Json, actual: Json, context: Context) -> bool:
    """Two neighbouring characters or digits that changed places. Two dates are never transposed: they are different days."""
    if isinstance(expected, str) and isinstance(actual, str):
        if not _is_one_swap(*letters_of(expected, actual, context)) or _have_opposite_signs(expected, actual):
            return False
        return parse_date_readings(expected) is None or parse_date_readings(actual) is None
    number_digits = _digits_of_same_sign(expected, actual)
    return number_digits is not None and _is_one_swap(*number_digits)


def _have_opposite_signs(expected: str, actual: str) -> bool:
    """True for `31 °C` and `-13 °C`: two numbers on either side of 0."""
    left, right = read_figure_once(expected), read_figure_once(actual)
    return left is not None and right is not None and (left.value < 0) != (right.value < 0)


def _is_one_swap(expected: str, actual: str) -> bool:
    """True if exchanging two neighbouring characters makes both texts the same.

    >>> _is_one_swap("recieve", "receive"), _is_one_swap("1234", "1324"), _is_one_swap("1234", "4231"), _is_one_swap("aa", "aa")
    (True, True, False, False)
    """
    if len(expected) != len(actual) or len(expected) < _MIN_SWAPPED_LENGTH:
        return False
    changed = [edit.src_pos for edit in Hamming.editops(expected, actual)]
    if len(changed) != 2:
        return False
    at = changed[0]
    return expected[at : at + 2] == actual[at : at + 2][::-1] and expected[at + 2 :] == actual[at + 2 :]


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
        CauseExample(expected="Iraq", actual="Iran", holds=False),
        CauseExample(expected="http://example.com", actual="https://example.com", holds=False),
        CauseExample(expected="2024", actual="2025", holds=False),
        CauseExample(expected="Q1 2025", actual="Q2 2025", holds=False),
    ],
)
def typo(expected: Json, actual: Json, context: Context) -> bool:
    """One or two characters off in a text long enough to be recognized, or one digit of a long number."""
    if isinstance(expected, str) and isinstance(actual, str):
        return _is_typo_in_text(expected, actual, context)
    number_digits = _digits_of_same_sign(expected, actual)
    return number_digits is not None and _is_one_digit_off(*number_digits) and not are_price_endings(*number_digits)


def _is_typo_in_text(expected: str, actual: str, context: Context) -> bool:
    expected_text, actual_text = letters_of(expected, actual, context)
    edits = Levenshtein.distance(expected_text, actual_text, score_cutoff=2)
    length = min(len(expected_text), len(actual_text))
    max_edits = 2 if length >= _MIN_LENGTH_FOR_TWO_EDITS else 1
    if edits == 0 or edits > max_edits or length < _MIN_LENGTH_FOR_ONE_EDIT:
        return False
    if _have_other_schemes(expected, actual):
        return False
    if expected_text.isalpha() and actual_text.isalpha():
        return not name_different_countries(expected, actual)
    expected_digits, actual_digits = keep_digits(expected_text), keep_digits(actual_text)
    if expected_digits == actual_digits:
        return length - len(expected_digits) >= _MIN_LENGTH_FOR_ONE_EDIT
    letters = length - max(len(expected_digits), len(actual_digits))
    if edits == 1 and letters >= _MIN_LETTERS_AROUND_A_DIGIT and abs(len(expected_digits) - len(actual_digits)) <= 1:
        return True
    min_digits = _MIN_DIGITS_OF_CODE if len(expected_digits) == len(actual_digits) else _MIN_DIGITS_OF_TEXT
    if min(len(expected_digits), len(actual_digits)) < min_digits:
        return False
    return _is_one_digit_off(expected_digits, actual_digits) and (
        parse_date_readings(expected) is None or parse_date_readings(actual) is None
    )


def _have_other_schemes(expected: str, actual: str) -> bool:
    """True for `http://a.com` and `https://a.com`: two addresses, not one misspelt."""
    expected_scheme, mark, _ = expected.partition("://")
    return mark != "" and "://" in actual and expected_scheme.strip().casefold() != actual.partition("://")[0].strip().casefold()


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
        CauseExample(expected="450 Fifth Avenue, Apt 3", actual="450 Fifth Avenue, Apt 4", holds=False),
    ],
)
def misread(expected: str, actual: str, context: Context) -> bool:
    """Several characters off, at most 18 % of a text of at least 15; every word that differs is still like its counterpart.

    Where only digits differ, the texts name different things (`Apt 3`, `Apt 4`).
    """
    expected_text, actual_text = letters_of(expected, actual, context)
    length = min(len(expected_text), len(actual_text))
    if length < _MIN_MISREAD_LENGTH:
        return False
    max_edits = int(_MAX_MISREAD_SHARE * length)
    if not 0 < Levenshtein.distance(expected_text, actual_text, score_cutoff=max_edits) <= max_edits:
        return False
    if _without_digits(expected_text) == _without_digits(actual_text) or 2 * sum(map(str.isalpha, expected_text)) < len(expected_text):
        return False
    expected_words, actual_words = words_of(expected), words_of(actual)
    if len(expected_words) != len(actual_words):
        return True
    return all(map(_is_misread_word, expected_words, actual_words))


def _without_digits(text: str) -> str:
    return "".join(character for character in text if not character.isdecimal())


def _is_misread_word(expected: str, actual: str) -> bool:
    if expected == actual or max(len(expected), len(actual)) <= _SHORT_WORD:
        return True
    return Levenshtein.normalized_similarity(expected, actual) >= _MIN_WORD_SIMILARITY
