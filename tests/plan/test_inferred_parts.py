"""No inferred rule drops a part that the column uses: a planted wrong currency, time, unit or digit is never equal."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.model.pairs import Pairs
from fieldwise.plan.choose_match import choose_match
from fieldwise.registry import MATCHERS

CURRENCIES = ("EUR", "USD", "GBP", "JPY", "€", "$", "£", "RM", "Kč", "zł", "₹", "CHF")
UNITS = ("kg", "g", "mg", "km", "cm", "ml", "h", "kWh")
OTHER_UNIT = {"kg": "g", "g": "kg", "mg": "g", "km": "m", "cm": "mm", "ml": "l", "h": "min", "kWh": "Wh"}
amounts = st.decimals(min_value=1, max_value=99_999, places=2)
clocks = st.times().map(lambda clock: clock.replace(microsecond=0))
days = st.dates(min_value=date(1990, 1, 1), max_value=date(2060, 12, 31))
codes = st.from_regex(r"[A-Z]{2,4}-\d{3,6}", fullmatch=True)


def is_equal(column: list[str], expected: Any, actual: Any) -> bool:
    """Whether two values count as equal under the rule that is inferred for a column which holds both."""
    match, _ = choose_match([*column, expected], [*column, actual])
    scores = MATCHERS.find(match.name).function(Pairs([expected], [actual]), match.options)
    return bool(scores.passed[0])


@settings(max_examples=60, deadline=None)
@given(st.lists(amounts, min_size=1, max_size=8), st.sampled_from(CURRENCIES), amounts, st.sampled_from(["{c} {a}", "{a} {c}"]))
def test_another_currency_is_never_equal(column: list[Any], currency: str, amount: Any, form: str) -> None:
    other_currency = "AUD" if currency != "$" else "EUR"
    written = [form.format(c=currency, a=value) for value in column]
    assert not is_equal(written, form.format(c=currency, a=amount), form.format(c=other_currency, a=amount))
    assert not is_equal(written, form.format(c=currency, a=amount), form.format(c=currency, a=amount + 1))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(days, clocks), min_size=1, max_size=8), days, clocks, st.sampled_from(["{d}T{t}Z", "{d} {t}", "{d}T{t}+02:00"]))
def test_another_time_of_day_is_never_equal(column: list[Any], day: Any, clock: Any, form: str) -> None:
    written = [form.format(d=each_day.isoformat(), t=each_clock.isoformat()) for each_day, each_clock in column]
    expected = form.format(d=day.isoformat(), t=clock.isoformat())
    actual = form.format(d=day.isoformat(), t=clock.replace(hour=(clock.hour + 7) % 24).isoformat())
    assert not is_equal(written, expected, actual)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 5000), min_size=1, max_size=8), st.sampled_from(UNITS), st.integers(1, 5000), st.sampled_from([" ", ""]))
def test_another_unit_is_never_equal(column: list[int], unit: str, number: int, space: str) -> None:
    written = [f"{value}{space}{unit}" for value in column]
    assert not is_equal(written, f"{number}{space}{unit}", f"{number}{space}{OTHER_UNIT[unit]}")


@settings(max_examples=60, deadline=None)
@given(st.lists(codes, min_size=1, max_size=8), codes, st.integers(0, 8))
def test_another_digit_or_letter_of_a_code_is_never_equal(column: list[str], code: str, place: int) -> None:
    place %= len(code)
    character = code[place]
    if character == "-":
        return
    changed = "7" if character != "7" else "1"
    if character.isalpha():
        changed = "Q" if character != "Q" else "O"
    assert not is_equal(column, code, code[:place] + changed + code[place + 1 :])


@settings(max_examples=60, deadline=None)
@given(
    st.from_regex(r"[A-Z]{2,3}[-./ ]?", fullmatch=True), st.lists(st.integers(1000, 9999), min_size=1, max_size=8), st.integers(1000, 9999)
)
def test_an_identifier_without_its_letters_is_never_equal(prefix: str, column: list[int], number: int) -> None:
    written = [f"{prefix.strip()}{value}" for value in column]
    for actual in (f"{number}", f"{number} {prefix.strip(' -./')}", f"{prefix.strip(' -./')} {number:,}.00", f"{number / 1000:.3f}"):
        assert not is_equal(written, f"{prefix.strip()}{number}", actual)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(days, min_size=3, max_size=8), days, st.sampled_from(["%Y-%m-%d", "%d/%m/%Y", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y", "%d/%m/%y"])
)
def test_another_day_is_never_equal(column: list[Any], day: Any, form: str) -> None:
    other_day = day.replace(day=day.day % 28 + 1)
    assert not is_equal([each.strftime(form) for each in column], day.strftime(form), other_day.strftime(form))


@settings(max_examples=80, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(), min_size=2, max_size=10, unique=True))
def test_two_different_expected_numbers_are_never_equal(numbers: list[Any]) -> None:
    assert_all_stay_apart(numbers)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.floats(-1e12, 1e12, allow_subnormal=False), min_size=2, max_size=10, unique=True))
def test_two_different_expected_numbers_in_text_are_never_equal(numbers: list[float]) -> None:
    assert_all_stay_apart([repr(number) for number in numbers])


def assert_all_stay_apart(column: list[Any]) -> None:
    """No value of a column counts as equal to another under the rule that is inferred for it."""
    match, _ = choose_match(column)
    matcher = MATCHERS.find(match.name).function
    expected = [first for first in column for _ in column]
    actual = [second for _ in column for second in column]
    scores = matcher(Pairs(expected, actual), match.options)
    assert [bool(passed) for passed in scores.passed] == [first == second for first, second in zip(expected, actual, strict=True)]


@pytest.mark.parametrize("values", [["007", "7"], ["RE0012", "RE12"], ["1.15", "11.5"], ["v1.15", "v11.5"], ["-5", "5"], ["01:30", "13:0"]])
def test_texts_that_differ_in_a_part_stay_apart(values: list[str]) -> None:
    assert not is_equal(values, *values)


def same(value: str) -> str:
    return value


@pytest.mark.parametrize("change", [same, str.strip, str.upper])
def test_the_same_code_is_equal(change: Callable[[str], str]) -> None:
    assert is_equal(["INV-001", "INV-002"], "INV-001", change("INV-001"))


@pytest.mark.parametrize("letters", ["FR", "LE", "RM"])
def test_two_capitals_behind_an_integer_are_part_of_a_code(letters: str) -> None:
    column = [f"{number}{letters}" for number in (1012, 1013, 2014, 3015)]

    assert choose_match(column, column)[0].name == "code"
    assert not is_equal(column, f"1012{letters}", f"1012.00 {letters}")


def test_a_size_of_shoes_is_no_length_of_time() -> None:
    column = ["10 US", "9 US", "8.5 US"]

    assert choose_match(column, column)[0].name not in ("duration", "quantity")
