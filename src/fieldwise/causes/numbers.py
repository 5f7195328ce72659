"""Causes in how numbers are written, typed, rounded, scaled or signed."""

from fieldwise.kernels.numbers import NumberReadings, count_decimals, format_number, parse_number_readings, to_number
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CauseExample, cause

_TRUTH_WORDS = {"true": True, "yes": True, "y": True, "false": False, "no": False, "n": False}
_FLOAT_SLACK = 1 + 1e-9
_COMPUTATION_NOISE = 1e-6
"""Numbers that agree to six digits differ by how they were computed or stored."""
_SCALE_FACTORS = (10, 100, 1000, 1_000_000)
_MIN_DIGITS_AT_ANOTHER_SCALE = 3
"""Digits a rounded number must keep to be recognized at another scale."""


@cause(
    rank=30,
    label="right value, wrong type",
    advice="Give the field its type in the output schema, e.g. `type: number`.",
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
    if isinstance(value, bool):
        return _TRUTH_WORDS.get(text.lower()) is value
    if isinstance(value, float):
        return text == repr(value) or text == format_number(value)
    return isinstance(value, int) and text == format_number(value)


@cause(
    rank=40,
    label="number format",
    advice="Read numbers out of text, e.g. `match: numeric_tolerance` with `parse: true`, or ask for plain numbers.",
    examples=[
        CauseExample(expected=1234.5, actual="1,234.50"),
        CauseExample(expected="1234.50", actual="$1,234.50"),
        CauseExample(expected=-5, actual="(5)"),
        CauseExample(expected=0.12, actual="12%"),
        CauseExample(expected=1234.5, actual="1,234.60", holds=False),
        CauseExample(expected="$5", actual="€5", holds=False),
        CauseExample(expected="5", actual="-5", holds=False),
    ],
)
def number_format(expected: Json, actual: Json, _context: Context) -> bool:
    """The same number written differently: separators, currency, percent, brackets for a negative, leading zeros."""
    if not (isinstance(expected, str) or isinstance(actual, str)):
        return False
    left, right = _read_number(expected), _read_number(actual)
    if left is None or right is None or (left.currency and right.currency and left.currency != right.currency):
        return False
    if left.values[0] == right.values[0]:
        return True
    right_meanings = _meanings(right)
    return any(_are_same_number(value, meaning) for value in _meanings(left) for meaning in right_meanings)


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
    return left == right or (isinstance(left, float) and abs(left - right) <= 1e-12 * abs(left))


@cause(
    rank=130,
    label="sign",
    advice="Say whether credits and outflows are negative; brackets and a trailing minus are easily lost.",
    examples=[
        CauseExample(expected=5, actual=-5),
        CauseExample(expected=-12.5, actual=12.5),
        CauseExample(expected="5", actual="-5"),
        CauseExample(expected="(5)", actual="5"),
        CauseExample(expected=0, actual=0, holds=False),
        CauseExample(expected=0, actual=-0.0, holds=False),
        CauseExample(expected=5, actual=-6, holds=False),
    ],
)
def sign(expected: Json, actual: Json, _context: Context) -> bool:
    """The same number with the opposite sign."""
    expected_number, actual_number = to_number(expected), to_number(actual)
    if expected_number is None or actual_number is None:
        return False
    return expected_number == -actual_number and expected_number != 0


@cause(
    rank=150,
    label="rounding",
    advice="Allow for it with `match: numeric_tolerance`, or ask for all decimals as printed.",
    examples=[
        CauseExample(expected=1234.5, actual=1234.50001),
        CauseExample(expected=12.35, actual=12.3),
        CauseExample(expected=12.346, actual=12.35),
        CauseExample(expected=1234.5, actual=1234),
        CauseExample(expected=12.3, actual=12.9, holds=False),
        CauseExample(expected=15, actual=20, holds=False),
        CauseExample(expected=125, actual=130, holds=False),
    ],
)
def rounding(expected: Json, actual: Json, _context: Context) -> bool:
    """A number with some of its last digits rounded or cut off."""
    left, right = to_number(expected), to_number(actual)
    if left is None or right is None or left == right:
        return False
    distance, magnitude = abs(left - right), max(abs(left), abs(right))
    if distance > 1 and distance > 0.05 * magnitude:
        return False
    if left % 1 == 0 and right % 1 == 0:
        return _is_rounded_integer(int(left), int(right))
    return distance <= _COMPUTATION_NOISE * magnitude or _has_fewer_decimals(left, right, distance, magnitude)


def _has_fewer_decimals(left: float, right: float, distance: float, magnitude: float) -> bool:
    """True for 12.346 and 12.35, or 12.3 cut off; also for 12.34 and 12.35, where the last of several decimals is off by one."""
    left_decimals, right_decimals = count_decimals(left), count_decimals(right)
    if left_decimals == right_decimals:
        return left_decimals >= 2 and distance <= 10.0**-left_decimals * _FLOAT_SLACK and distance <= 1e-3 * magnitude
    unit = 10.0 ** -min(left_decimals, right_decimals)
    # close to 0 only rounding to the nearest is allowed: 0.9 is not a rounded 0
    tolerance = unit / 2 * _FLOAT_SLACK if 0 in (left, right) or magnitude < unit * 2 else unit
    return distance <= tolerance and distance < unit


def _is_rounded_integer(left: int, right: int) -> bool:
    """True for 1,234,567 and 1,235,000: at least three digits stay, or two where several are dropped."""
    digits = min(format_number(abs(left)), format_number(abs(right)), key=lambda text: len(text.rstrip("0")))
    significant = len(digits.rstrip("0"))
    dropped = len(digits) - significant
    return significant >= 2 and significant + min(dropped, 2) >= 4 and abs(left - right) * 2 <= 10**dropped


@cause(
    rank=160,
    label="scale",
    advice="State the unit in the schema: percent or share, thousands or units, cents or whole currency.",
    examples=[
        CauseExample(expected=12, actual=120),
        CauseExample(expected=1.5, actual=150),
        CauseExample(expected=5, actual=5000),
        CauseExample(expected=5, actual=5000000),
        CauseExample(expected=0, actual=0, holds=False),
        CauseExample(expected=5, actual=-50, holds=False),
        CauseExample(expected=5, actual=20, holds=False),
    ],
)
def scale(expected: Json, actual: Json, _context: Context) -> bool:
    """A number that is 10, 100, 1,000 or 1,000,000 times the other, rounded or not: cents for euros, percent for shares."""
    expected_number, actual_number = to_number(expected), to_number(actual)
    if expected_number is None or actual_number is None or not expected_number or not actual_number:
        return False
    if (expected_number < 0) != (actual_number < 0):
        return False
    small, large = sorted((abs(expected_number), abs(actual_number)))
    ratio = large / small
    for factor in _SCALE_FACTORS:
        if 0.99 < ratio / factor < 1.01:
            return _is_multiple(small, large, factor)
    return False


def _is_multiple(small: float, large: float, factor: int) -> bool:
    are_integers = isinstance(small, int) and isinstance(large, int)
    distance = abs(small * factor - large) if are_integers else abs(float(small) - large / factor)
    if distance <= 1e-12 * small:
        return True
    if factor < 1000 or distance > 0.5 * 10.0 ** -count_decimals(small):
        return False
    return len(format_number(small).replace(".", "").strip("0")) >= _MIN_DIGITS_AT_ANOTHER_SCALE
