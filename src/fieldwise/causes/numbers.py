"""Causes in how numbers are written, typed, rounded, scaled or signed."""

from rapidfuzz.distance import Levenshtein

from fieldwise.causes._text_forms import PRICE_DIGITS, are_price_endings, find_changes, has_misread_currency, is_letter_code
from fieldwise.kernels.amounts import Figure, read_figure_once
from fieldwise.kernels.dates import parse_date_readings
from fieldwise.kernels.numbers import NumberReadings, align_digits, count_decimals, format_number, parse_number_readings, to_number
from fieldwise.kernels.numerals import MAX_FLOAT_DIGITS
from fieldwise.kernels.tolerance import is_close
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.pattern import compile_on_use
from fieldwise.registry import cause
from fieldwise.specs import CauseExample

_TRUTH_WORDS = {"true": True, "yes": True, "y": True, "false": False, "no": False, "n": False}
_FLOAT_SLACK = 1 + 1e-9
_COMPUTATION_NOISE = 1e-12
"""Numbers that agree to twelve digits differ by how they were computed."""
_STORAGE_NOISE = 1e-6
"""Numbers that agree to six digits, of which the longer has at least three decimals more, differ by how they were stored."""
_MIN_NOISE_DECIMALS = 3
_USUAL_DECIMALS = 2
"""Decimals of most amounts: a number that is 0 when rounded to them may have been rounded to 0."""
_SCALE_FACTORS = (10, 100, 1000, 1_000_000)
_MIN_ROUNDED_DIGITS = 3
"""Digits that a number with one decimal less must keep to be a rounded one."""
_DECIMALS = compile_on_use(r"(?<=[.,])\d{1,2}(?!\d)")
"""The decimals of an amount in text."""
_NUMERAL_CHARACTERS = frozenset("0123456789.,'+-() ")
_YEARS = frozenset(range(1900, 2100))  # a range would be searched number by number for a float
_LETTER_AND_DIGITS = compile_on_use(r"[^\W\d_] ?\d+|\d+ ?[^\W\d_]")
"""A code such as `P5`, whose letter is also the symbol of a currency."""
_DIGITS_AND_CAPITAL = compile_on_use(r"\d{1,2}[A-Z]")
_MIN_DIGITS_AT_ANOTHER_SCALE = 3
"""Digits a rounded number must keep to be recognized at another scale."""


@cause(
    rank=30,
    label="right value, wrong type",
    advice="Give the field its type in the output schema, e.g. `type: number`.",
    kinds="mixed",
    examples=[
        CauseExample(expected=100, actual="100"),
        CauseExample(expected="100", actual=100),
        CauseExample(expected=True, actual="true"),
        CauseExample(expected=False, actual="No"),
        CauseExample(expected=100, actual="1,00", holds=False),
        CauseExample(expected=100, actual="101", holds=False),
        CauseExample(expected=True, actual="maybe", holds=False),
    ],
)
def type_as_text(expected: Json, actual: Json, _context: Context) -> bool:
    """A number or a truth value given as its plain text, or the other way round."""
    if isinstance(actual, str):
        return _is_text_of(actual, expected)
    return isinstance(expected, str) and _is_text_of(expected, actual)


def _is_text_of(text: str, value: Json) -> bool:
    text = text.strip()
    if isinstance(value, float):
        return text == repr(value) or text == format_number(value)
    if isinstance(value, bool):
        return _TRUTH_WORDS.get(text.lower()) is value
    return isinstance(value, int) and text == format_number(value)


def _read_figure(value: Json) -> Figure | None:
    if isinstance(value, str):
        return read_figure_once(value)
    number = to_number(value)
    return None if number is None else Figure(number)


def _read_numbers_alike(expected: Json, actual: Json) -> tuple[int | float | None, int | float | None]:
    """Two numbers, or those of two texts with the same unit: `12.57 kg` and `12.6 kg`."""
    left, right = to_number(expected), to_number(actual)
    if left is not None or right is not None or not (isinstance(expected, str) and isinstance(actual, str)):
        return left, right
    first, second = read_figure_once(expected), read_figure_once(actual)
    if first is None or second is None or first.units.isdisjoint(second.units):
        return None, None
    return first.value, second.value


def _names_nothing(value: Json) -> bool:
    """True for a number, and for a text of digits and marks alone."""
    return not isinstance(value, str) or _NUMERAL_CHARACTERS.issuperset(value)


def _name_other_things(expected: Json, actual: Json) -> bool:
    """True for `GBP 1000` and `USD 10`, `12.5 kg` and `1250 g`: neither the number nor what it counts agrees, so how the numbers relate
    explains nothing.
    """
    if not (isinstance(expected, str) and isinstance(actual, str)):
        return False
    left, right = read_figure_once(expected), read_figure_once(actual)
    if left is None or right is None:
        return False
    return _exclude_each_other(left.currencies, right.currencies) or _exclude_each_other(left.units, right.units)


def _exclude_each_other(expected: frozenset[str], actual: frozenset[str]) -> bool:
    """True if both sides name something and cannot mean the same."""
    return bool(expected) and bool(actual) and expected.isdisjoint(actual)


def _are_digits_only(expected: Json, actual: Json) -> bool:
    """True for `100217` and `100200`: texts of digits alone are identifiers more often than amounts."""
    return isinstance(expected, str) and isinstance(actual, str) and expected.strip().isdecimal() and actual.strip().isdecimal()


def _read_value(value: Json) -> int | float | None:
    if not isinstance(value, str):
        return to_number(value)
    figure = read_figure_once(value)
    return None if figure is None else figure.value


@cause(
    rank=32,
    label="other currency",
    advice="Ask for the currency as printed; compare amount and currency together with `match: money`.",
    advised=("money",),
    advice_if_followed="Ask for the currency as printed, as a code such as EUR.",
    kinds="text",
    reads="figures",
    examples=[
        CauseExample(expected="EUR 100.00", actual="USD 100.00"),
        CauseExample(expected="$5", actual="€5"),
        CauseExample(expected="1.234,50 €", actual="CHF 1'234.50"),
        CauseExample(expected="$5", actual="CAD 5", holds=False),
        CauseExample(expected="EUR 100.00", actual="USD 90.00", holds=False),
        CauseExample(expected="EUR 100.00", actual="100.00", holds=False),
        CauseExample(expected="$400.00", actual="S400.00", holds=False),
    ],
)
def other_currency(expected: str, actual: str, _context: Context) -> bool:
    """The same amount in another currency: `EUR 100.00` and `USD 100.00`."""
    left, right = _read_figure(expected), _read_figure(actual)
    if left is None or right is None or left.value != right.value:
        return False
    return _exclude_each_other(left.currencies, right.currencies) and not has_misread_currency(expected, actual)


@cause(
    rank=34,
    label="currency on one side only",
    advice="Compare amounts with `match: money`, or give the currency a field of its own.",
    advised=("money",),
    advice_if_followed="Set `default_currency`, or ask for the currency beside every amount.",
    kinds="written",
    reads="figures",
    examples=[
        CauseExample(expected="RM7.42", actual="7.42"),
        CauseExample(expected=1234.5, actual="$1,234.50"),
        CauseExample(expected="5", actual="5 EUR"),
        CauseExample(expected="R1,500.00", actual="1500"),
        CauseExample(expected="P5", actual="5", holds=False),
        CauseExample(expected="3E", actual="3", holds=False),
        CauseExample(expected="$5", actual="€5", holds=False),
        CauseExample(expected="RM7.42", actual="7.43", holds=False),
        CauseExample(expected="5", actual="5 kg", holds=False),
    ],
)
def currency_on_one_side(expected: Json, actual: Json, _context: Context) -> bool:
    """The same amount, with a currency on one side only: `RM7.42` and `7.42`.

    One letter beside a whole number is a code more often than a currency: `P5`, `3E`.
    """
    if _names_nothing(expected) and _names_nothing(actual):
        return False
    left, right = _read_figure(expected), _read_figure(actual)
    if left is None or right is None or left.value != right.value:
        return False
    if bool(left.currencies) == bool(right.currencies) or left.units or right.units:
        return False
    named = expected if left.currencies else actual
    return not (isinstance(named, str) and _LETTER_AND_DIGITS.fullmatch(named.strip()))


@cause(
    rank=36,
    label="other unit",
    advice="State the unit in the schema; compare number and unit together with `match: quantity`.",
    advised=("quantity",),
    advice_if_followed="State the unit in the schema, and check how the source abbreviates it.",
    kinds="text",
    reads="figures",
    examples=[
        CauseExample(expected="5 kg", actual="5 g"),
        CauseExample(expected="250 ml", actual="250 l"),
        CauseExample(expected="5 kg", actual="5 kilograms", holds=False),
        CauseExample(expected="5 kg", actual="6 g", holds=False),
        CauseExample(expected="5 kg", actual="5", holds=False),
        CauseExample(expected="7C", actual="7A", holds=False),
    ],
)
def other_unit(expected: str, actual: str, _context: Context) -> bool:
    """The same number with another unit: `5 kg` and `5 g`. A capital joined to digits is a code: `7C`, `12A`."""
    left, right = _read_figure(expected), _read_figure(actual)
    if left is None or right is None or left.value != right.value:
        return False
    if _DIGITS_AND_CAPITAL.fullmatch(expected.strip()) and _DIGITS_AND_CAPITAL.fullmatch(actual.strip()):
        return False
    return _exclude_each_other(left.units, right.units)


@cause(
    rank=40,
    label="number format",
    advice="Read numbers out of text, e.g. `match: money` or `match: numeric_tolerance` with `parse: true`, or ask for plain numbers.",
    advised=("numeric_tolerance", "money"),
    advice_if_followed="Add `parse: true` if it is not there; say in the schema how numbers are written, or ask for plain numbers.",
    advice_if_typed="Ask for the value as printed: in codes leading zeros count.",
    kinds="written",
    reads="numbers",
    examples=[
        CauseExample(expected=1234.5, actual="1,234.50"),
        CauseExample(expected="1234.50", actual="$1,234.50"),
        CauseExample(expected=-5, actual="(5)"),
        CauseExample(expected=0.12, actual="12%"),
        CauseExample(expected=1234.5, actual="1,234.60", holds=False),
        CauseExample(expected="1234567890123456.78", actual="1234567890123456.79", holds=False),
        CauseExample(expected="-0.48350000381469727", actual="-0.4835000038146972", holds=False),
        CauseExample(expected="$5", actual="€5", holds=False),
        CauseExample(expected="5", actual="-5", holds=False),
        CauseExample(expected="12%", actual="0.12%", holds=False),
    ],
)
def number_format(expected: Json, actual: Json, _context: Context) -> bool:
    """The same number written differently: separators, currency, percent, brackets for a negative, leading zeros."""
    if not (isinstance(expected, str) or isinstance(actual, str)):
        return False
    left, right = _read_number(expected), _read_number(actual)
    if left is None or right is None or (left.currency and right.currency and left.currency != right.currency):
        return False
    if _differ_in_long_decimals(expected, actual):
        return False
    if left.values[0] == right.values[0]:
        return True
    if left.percent == right.percent:
        return not set(left.values).isdisjoint(right.values)
    right_meanings = _meanings(right)
    return any(_are_same_number(value, meaning) for value in _meanings(left) for meaning in right_meanings)


def _differ_in_long_decimals(expected: Json, actual: Json) -> bool:
    """True for texts with more digits than floats keep, which differ in the last of them."""
    if not (isinstance(expected, str) and isinstance(actual, str)) or len(expected) <= MAX_FLOAT_DIGITS or len(actual) <= MAX_FLOAT_DIGITS:
        return False
    left, right = _read_value(expected), _read_value(actual)
    return left is not None and right is not None and float(left) == float(right) and not is_close(left, right)


def _read_number(value: Json) -> NumberReadings | None:
    if isinstance(value, str):
        return parse_number_readings(value)
    number = to_number(value)
    return None if number is None else NumberReadings((number,))


def _meanings(number: NumberReadings) -> tuple[int | float, ...]:
    """The numbers a text may mean: `12 %` is 12 or 0.12."""
    if not number.percent:
        return number.values
    return (*number.values, *(value / 100 for value in number.values))


def _are_same_number(left: float, right: float) -> bool:
    """True for 0.07 and 7 / 100, whatever the last digits of the division."""
    return left == right or (isinstance(left, float) and abs(left - right) <= 1e-12 * abs(left))


@cause(
    rank=130,
    label="sign",
    advice="Say whether credits and outflows are negative; brackets and a trailing minus are easily lost.",
    reads="figures",
    numbers="opposite",
    examples=[
        CauseExample(expected=5, actual=-5),
        CauseExample(expected=-12.5, actual=12.5),
        CauseExample(expected="5", actual="-5"),
        CauseExample(expected="(5)", actual="5"),
        CauseExample(expected="-5 °C", actual="5 °C"),
        CauseExample(expected="12.50 CR", actual="12.50"),
        CauseExample(expected="13.00 DR", actual="-13.00"),
        CauseExample(expected="-5 kg", actual="5 g", holds=False),
        CauseExample(expected="-5 EUR", actual="5 USD", holds=False),
        CauseExample(expected=0, actual=0, holds=False),
        CauseExample(expected=0, actual=-0.0, holds=False),
        CauseExample(expected=5, actual=-6, holds=False),
        CauseExample(expected="S-5601", actual="5601", holds=False),
        CauseExample(expected="M00098", actual="—M00098", holds=False),
    ],
)
def sign(expected: Json, actual: Json, _context: Context) -> bool:
    """The same number with the opposite sign, in the same currency and unit. The hyphen of a code such as `S-5601` is no sign."""
    left, right = _read_figure(expected), _read_figure(actual)
    if left is None or right is None or left.value != -right.value or left.value == 0:
        return False
    if any(isinstance(value, str) and is_letter_code(value) for value in (expected, actual)):
        return False
    return not _exclude_each_other(left.currencies, right.currencies) and not _exclude_each_other(left.units, right.units)


@cause(
    rank=150,
    label="rounding",
    advice="Allow for it with `match: numeric_tolerance`, or ask for all decimals as printed.",
    advised=("numeric_tolerance", "money"),
    advice_if_followed="Ask for all decimals as printed, or raise `tolerance` if the difference does not matter.",
    reads="figures",
    numbers="close",
    examples=[
        CauseExample(expected=1234.5, actual=1234.50001),
        CauseExample(expected=12.35, actual=12.3),
        CauseExample(expected=12.346, actual=12.35),
        CauseExample(expected=1234.5, actual=1234),
        CauseExample(expected="39.99", actual="40.00"),
        CauseExample(expected=12.3, actual=12.9, holds=False),
        CauseExample(expected="59.00", actual="59.99", holds=False),
        CauseExample(expected="59.99", actual="59.00", holds=False),
        CauseExample(expected="20.95", actual="20.90", holds=False),
        CauseExample(expected=1235000, actual=1234567, holds=False),
        CauseExample(expected="100417", actual="100400", holds=False),
        CauseExample(expected=43.5, actual=44, holds=False),
        CauseExample(expected=15, actual=20, holds=False),
        CauseExample(expected=125, actual=130, holds=False),
        CauseExample(expected=40500, actual=41000, holds=False),
        CauseExample(expected="-0.48350000381469727", actual="-0.4835000038146972"),
        CauseExample(expected="419,136.58", actual="419,136.88", holds=False),
        CauseExample(expected=102495.0, actual=102495.09, holds=False),
        CauseExample(expected=-0.4835, actual=0.0, holds=False),
        CauseExample(expected="12.57 kg", actual="12.6 kg"),
        CauseExample(expected="12.57 kg", actual="12.6 lb", holds=False),
    ],
)
def rounding(expected: Json, actual: Json, _context: Context) -> bool:
    """A number with some of its last digits rounded or cut off: the actual one is the rounder of the two, unless it was stored inexactly.

    Texts of digits alone are identifiers, which are not rounded. Texts with as many decimals, and 59.0,
    were rounded to the nearest, not cut off.
    """
    left, right = _read_numbers_alike(expected, actual)
    if left is None or right is None or left == right or _are_digits_only(expected, actual):
        return False
    if right == 0 and not _may_be_rounded_to_zero(left, actual):
        return False
    may_be_cut_off = not _have_as_many_decimals(expected, actual) and not (isinstance(actual, float) and right % 1 == 0)
    return _is_rounded(left, right, may_be_cut_off=may_be_cut_off) and not _name_other_things(expected, actual)


def _may_be_rounded_to_zero(expected: float, actual: Json) -> bool:
    """True for 0.004 and 0, which are the same with two decimals or as many as a text has.

    A number that loses all its digits leaves no trace of rounding, and 0 often means that no value was found.
    """
    decimals = _USUAL_DECIMALS
    if isinstance(actual, str):
        zeros_at_end = actual.replace(",", ".").rpartition(".")[2].count("0")  # all digits of such a text are zeros
        decimals = max(decimals, zeros_at_end)
    return abs(expected) < 0.5 * 10.0**-decimals


def _is_rounded(expected: float, actual: float, *, may_be_cut_off: bool) -> bool:
    distance, magnitude = abs(expected - actual), max(abs(expected), abs(actual))
    if distance > 1 and distance > 0.05 * magnitude:
        return False
    if expected % 1 == 0 and actual % 1 == 0:
        return _is_rounded_integer(int(expected), int(actual))
    if distance <= _COMPUTATION_NOISE * magnitude or _is_stored_inexactly(expected, actual):
        return True
    return _has_fewer_decimals(expected, actual, may_be_cut_off=may_be_cut_off)


def _is_stored_inexactly(expected: float, actual: float) -> bool:
    """True for 1234.5 and 1234.50001: the expected number is the actual one without a long tail of decimals."""
    decimals = count_decimals(expected)
    if count_decimals(actual) - decimals < _MIN_NOISE_DECIMALS:
        return False
    distance = abs(expected - actual)
    return distance <= _STORAGE_NOISE * abs(expected) and distance < 10.0**-decimals


def _have_as_many_decimals(expected: Json, actual: Json) -> bool:
    """True for `59.99` and `59.00`: what cuts decimals off leaves fewer of them in a text."""
    if not (isinstance(expected, str) and isinstance(actual, str)):
        return False
    expected_decimals, actual_decimals = _DECIMALS.search(expected), _DECIMALS.search(actual)
    return expected_decimals is not None and actual_decimals is not None and len(expected_decimals[0]) == len(actual_decimals[0])


def _has_fewer_decimals(expected: float, actual: float, *, may_be_cut_off: bool) -> bool:
    """True for 12.346 and 12.35, or 12.3 cut off; also for 12.34 and 12.35, where the last of several decimals is off by one.

    An amount may be a cent off whatever zeros it ends in: 20500 and 20500.01.
    """
    distance, magnitude = abs(expected - actual), max(abs(expected), abs(actual))
    expected_decimals = len(format_number(abs(expected)).partition(".")[2])
    whole, _, fraction = format_number(abs(actual)).partition(".")
    if expected_decimals == len(fraction) or expected_decimals < len(fraction) == _USUAL_DECIMALS:
        off_by_one = 10.0 ** -len(fraction) * _FLOAT_SLACK + _COMPUTATION_NOISE * magnitude
        return len(fraction) >= 2 and distance <= off_by_one and distance <= 1e-3 * magnitude
    if expected_decimals < len(fraction):
        return False
    unit = 10.0 ** -len(fraction)
    if expected_decimals - len(fraction) == 1 and len((whole + fraction).lstrip("0")) < _MIN_ROUNDED_DIGITS:
        return False  # of 44 and 43.5, read in one column, many are as close by chance
    # close to 0 only rounding to the nearest is allowed: 0.9 is not a rounded 0; and what is cut off makes a number smaller: 2.02 is not 3
    is_nearest = 0 in (expected, actual) or magnitude < unit * 2 or abs(actual) > abs(expected)
    if not may_be_cut_off:
        return distance * _FLOAT_SLACK < unit / 2
    tolerance = unit / 2 * _FLOAT_SLACK if is_nearest else max(unit / 2, min(unit, 0.05 * magnitude)) * _FLOAT_SLACK
    return distance <= tolerance and distance < unit


def _is_rounded_integer(expected: int, actual: int) -> bool:
    """True for 1,234,567 and 1,235,000: at least three digits stay, or two where several are dropped."""
    if (-1000 < expected < 1000 and -1000 < actual < 1000) or (expected in _YEARS and actual in _YEARS):
        return False
    digits = format_number(abs(actual))
    significant = len(digits.rstrip("0"))
    dropped = len(digits) - significant
    expected_significant = len(format_number(abs(expected)).rstrip("0"))
    if expected_significant == significant + 1 and significant < _MIN_ROUNDED_DIGITS:
        return False  # of 40500 and 41000, read in one column, many are as close by chance
    return significant >= 2 and significant + min(dropped, 2) >= 4 and abs(expected - actual) * 2 <= 10**dropped


@cause(
    rank=155,
    label="decimal point lost",
    advice="Look at how the source prints decimals: a faint point or a comma is easily lost; check amounts against a sum.",
    reads="figures",
    numbers="apart",
    examples=[
        CauseExample(expected="7.42", actual=742),
        CauseExample(expected="RM7.42", actual=742.0),
        CauseExample(expected=1234.56, actual=123456),
        CauseExample(expected=12.5, actual="1250"),
        CauseExample(expected=7.42, actual=743, holds=False),
        CauseExample(expected=5, actual=500, holds=False),
        CauseExample(expected=0.5, actual=5, holds=False),
        CauseExample(expected="1.25 kg", actual="125 kg"),
        CauseExample(expected="12.5 kg", actual="1250 g", holds=False),
    ],
)
def decimal_point_lost(expected: Json, actual: Json, _context: Context) -> bool:
    """The digits of a number with decimals, read as a whole number: `7.42` and `742`. At least three digits."""
    expected_value, actual_value = _read_value(expected), _read_value(actual)
    if expected_value is None or actual_value is None:
        return False
    number, whole = abs(expected_value), abs(actual_value)
    if number % 1 == 0 or whole % 1 != 0 or whole < 10 ** (_MIN_DIGITS_AT_ANOTHER_SCALE - 1):
        return False
    written = format_number(number).replace(".", "").lstrip("0")
    cents = f"{number:.2f}".replace(".", "").lstrip("0")
    return format_number(int(whole)) in (written, cents) and not _name_other_things(expected, actual)


@cause(
    rank=160,
    label="scale",
    advice="State the unit in the schema: percent or share, thousands or units, cents or whole currency.",
    reads="figures",
    numbers="apart",
    examples=[
        CauseExample(expected=12, actual=120),
        CauseExample(expected=1.5, actual=150),
        CauseExample(expected=5, actual=5000),
        CauseExample(expected=5, actual=5000000),
        CauseExample(expected="GBP 1000", actual="USD 10", holds=False),
        CauseExample(expected=0, actual=0, holds=False),
        CauseExample(expected=5, actual=-50, holds=False),
        CauseExample(expected=5, actual=20, holds=False),
        CauseExample(expected=5, actual=50, holds=False),
        CauseExample(expected="1500 ml", actual="1.5 ml"),
        CauseExample(expected="1500 ml", actual="1.5 l", holds=False),
    ],
)
def scale(expected: Json, actual: Json, _context: Context) -> bool:
    """A number that is 10, 100, 1,000 or 1,000,000 times the other, rounded or not: cents for euros, percent for shares."""
    expected_number, actual_number = _read_numbers_alike(expected, actual)
    if expected_number is None or actual_number is None or not expected_number or not actual_number:
        return False
    if (expected_number < 0) != (actual_number < 0):
        return False
    small, large = abs(expected_number), abs(actual_number)
    if small > large:
        small, large = large, small
    ratio = large / small
    for factor in _SCALE_FACTORS:
        if 0.99 < ratio / factor < 1.01:
            return _is_multiple(small, large, factor) and not _name_other_things(expected, actual)
    return False


def _is_multiple(small: float, large: float, factor: int) -> bool:
    if large / small == _SCALE_FACTORS[0] and len(format_number(small).replace(".", "").strip("0")) == 1:
        return False  # 5 and 50 are usual numbers of one column
    are_integers = isinstance(small, int) and isinstance(large, int)
    distance = abs(small * factor - large) if are_integers else abs(float(small) - large / factor)
    if distance <= 1e-12 * small:
        return True
    if factor < 1000 or distance > 0.5 * 10.0 ** -count_decimals(small):
        return False
    return len(format_number(small).replace(".", "").strip("0")) >= _MIN_DIGITS_AT_ANOTHER_SCALE


@cause(
    rank=205,
    label="one digit differs",
    advice="A digit was misread or mistyped: improve the scan, and check such values against a sum, a list or a check digit.",
    reads="digits",
    numbers="long",
    examples=[
        CauseExample(expected="169.80", actual=189.8),
        CauseExample(expected=123456, actual=123956),
        CauseExample(expected=1234567, actual=123467),
        CauseExample(expected="DE89370400440532013000", actual="DE89370400440532013001"),
        CauseExample(expected="8 Jalan 7/118B, Desa Tun Razak, Kuala Lumpur", actual="8 Jalan 7/113B, Desa Tun Razak, Kuala Lumpur"),
        CauseExample(expected=5, actual=7, holds=False),
        CauseExample(expected=2017, actual=2010, holds=False),
        CauseExample(expected="29.00", actual="39.00", holds=False),
        CauseExample(expected="1250.90", actual="1250.95", holds=False),
        CauseExample(expected="100217", actual="100417", holds=False),
        CauseExample(expected="EUR 169.80", actual="USD 189.80", holds=False),
        CauseExample(expected="INV-2024-0123", actual="INV-2024-0127", holds=False),
        CauseExample(expected="2024-03-05", actual="2024-03-06", holds=False),
    ],
)
def digit_changed(expected: Json, actual: Json, _context: Context) -> bool:
    """One digit changed, missing or added.

    In numbers of at least four digits without endings such as 00 and 95 (five for a digit more or less); in codes of 16 digits, or of six
    outside the last four, which mostly count up; in texts of at least 25 letters. Texts of digits alone are codes.
    """
    expected_number, actual_number = to_number(expected), to_number(actual)
    if expected_number is not None and actual_number is not None and not _are_digits_only(expected, actual):
        if expected_number in _YEARS and actual_number in _YEARS:
            return False
        if (expected_number < 0) != (actual_number < 0) or not _is_one_digit_changed(*align_digits(expected_number, actual_number)):
            return False
        return not _name_other_things(expected, actual)
    if not (isinstance(expected, str) and isinstance(actual, str)) or len(expected) != len(actual):
        return False
    changed = find_changes(expected, actual, most=1)
    if not changed or not (expected[changed[0]].isdecimal() and actual[changed[0]].isdecimal()):
        return False
    if parse_date_readings(expected) is not None:
        return False
    digits = sum(map(str.isdecimal, expected))
    digits_after = sum(map(str.isdecimal, expected[changed[0] + 1 :]))
    letters = sum(map(str.isalpha, expected))
    return letters >= _MIN_LETTERS_OF_TEXT or digits >= _MIN_DIGITS_OF_CODE or (digits >= 6 and digits_after >= _COUNTING_DIGITS)


def _is_one_digit_changed(expected: str, actual: str) -> bool:
    if min(len(expected), len(actual)) < 4:
        return False
    if are_price_endings(expected, actual):
        return False
    uninformative = 0  # prices end in 00, 50, 95 and 99 more often than chance
    while (
        uninformative < min(2, len(expected), len(actual))
        and expected[-1 - uninformative :] == actual[-1 - uninformative :]
        and expected[-1 - uninformative] in PRICE_DIGITS
    ):
        uninformative += 1
    significant = min(len(expected), len(actual)) - uninformative
    min_significant = 4 if len(expected) == len(actual) else 5
    return significant >= min_significant and Levenshtein.distance(expected, actual, score_cutoff=1) == 1


_MIN_LETTERS_OF_TEXT, _MIN_DIGITS_OF_CODE, _COUNTING_DIGITS = 25, 16, 4
