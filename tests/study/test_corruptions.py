"""Corruptions: every cause of a mismatch run backwards."""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldwise.model.context import Context
from fieldwise.registry import CAUSES
from fieldwise.specs import CauseExample, CauseSpec
from fieldwise.study.corruptions import CORRUPTIONS, UNCHANGED, ValueContext, corrupt_value, corruption_label
from fieldwise.study.value_equality import are_same_value, kind_of

_CAUSES = [cause for cause in CAUSES.all() if cause.function.__module__.startswith("fieldwise.")]
_PLACED = {"item_shifted", "value_of_another_field"}
"""Causes that need a record."""
_FURTHER_EXAMPLES = {
    "ocr": [CauseExample(expected="INV-1005 Bill", actual="")],
    "misread": [CauseExample(expected="Lot one, Seri Kembangan, Selangor Darul Ehsan", actual="")],
    "date_part": [CauseExample(expected="2017-04-16", actual="")],
    "day_month_swapped": [CauseExample(expected="5 March 2024", actual=""), CauseExample(expected="05.03.2024", actual="")],
    "other_currency": [CauseExample(expected="1.234,50 €", actual=""), CauseExample(expected="USD 5", actual="")],
    "digit_changed": [CauseExample(expected=1234.56, actual=None), CauseExample(expected="DE89370400440532013000", actual="")],
}


def _corrupt(name: str, value: object, pick: int = 0) -> list[object]:
    applicable = [corruption for corruption in CORRUPTIONS if corruption.name == name and kind_of(value) in corruption.kinds]
    mutants = [corrupt_value(corruption, value, ValueContext(name="number", pick=pick, decimals=2)) for corruption in applicable]
    return [mutant for mutant in mutants if mutant is not UNCHANGED]


@pytest.mark.parametrize("cause", _CAUSES, ids=lambda cause: cause.name)
def test_every_cause_explains_the_mutants_of_the_corruption_with_its_name(cause: CauseSpec) -> None:
    if cause.name in _PLACED:
        _check_placed_cause(cause)
        return
    explained = 0
    for example in (*cause.examples, *_FURTHER_EXAMPLES.get(cause.name, ())):
        for pick in range(3):
            for mutant in _corrupt(cause.name, example.expected, pick):
                is_text_pair = isinstance(example.expected, str) and isinstance(mutant, str)
                explained += (cause.kinds != "text" or is_text_pair) and bool(cause.function(example.expected, mutant, Context("n", "n")))
    assert explained > 0


def _check_placed_cause(cause: CauseSpec) -> None:
    corruption = next(corruption for corruption in CORRUPTIONS if corruption.name == cause.name)
    record = {"vendor": "Acme Works", "items": [{"name": "Paper", "to": "Bonn"}, {"name": "Toner", "to": "Lyon"}]}
    context = ValueContext(neighbours=["Toner"], siblings=["Acme Works"])
    mutant = corrupt_value(corruption, "Paper", context)
    assert cause.function("Paper", mutant, Context("items[0].name", "items[*].name", record))


def test_every_corruption_has_a_label() -> None:
    assert all(corruption_label(corruption.name) for corruption in CORRUPTIONS)


@pytest.mark.parametrize(
    ("name", "value", "mutant"),
    [
        ("day_month_swapped", "2025-03-04", "2025-04-03"),
        ("day_month_swapped", "5 March 2024", "3 May 2024"),
        ("day_month_swapped", "2024-03-25", None),
        ("year_shifted", "14.03.24", "14.03.25"),
        ("month_shifted", "31 Jan 2024", None),
        ("day_shifted", "2024-02-28", "2024-02-27"),
        ("time_shifted", "2024-03-05T09:30:00Z", "2024-03-05T10:30:00Z"),
        ("two_digit_year", "2018-03-14", "1918-03-14"),
        ("scale", "1.234,50 €", "12345,00 €"),
        ("scale", -7, -70),
        ("decimal_point_lost", 24.9, 2490.0),
        ("decimal_point_lost", 5, None),
        ("last_digit", 24.9, 24.91),
        ("last_digit", "EUR 24,90", "EUR 24,91"),
        ("sign", "(5.00)", "5.00"),
        ("rounding", 12.35, 12.4),
        ("rounding", 1234567, 1230000),
        ("other_currency", "EUR", "USD"),
        ("other_currency", "$5", "€5"),
        ("other_currency", "five", None),
        ("other_unit", "5 kg", "5 m"),
        ("negation", True, False),
        ("negation", "do not ship on Fridays", "do ship on Fridays"),
        ("negation", "Acme Works", None),
        ("null_text", 5, "N/A"),
        ("null", "x", None),
    ],
)
def test_a_corruption_changes_what_it_names(name: str, value: object, mutant: object) -> None:
    expected = [] if mutant is None and name != "null" else [mutant]
    assert _corrupt(name, value) == expected


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("RM 7.00", "7.00", True),
        ("EUR 7.00", "USD 7.00", False),
        ("5 kg", "5 g", False),
        ("12 %", "12", False),
        (100, "100.00", True),
        ("14/03/18", "14/03/2018", True),
        ("03/04/2025", "04/03/2025", False),
        ("2025-03-04T10:00", "2025-03-04T11:00", False),
        ("INV-007", "inv 007", True),
        ("INV-007", "INV-008", False),
        ("Acme  Works", "Acme Works", True),
        ("Acme Works", "ACME Works", False),
        ("José", "Jose", False),
        (True, "yes", True),
        (True, 1, False),
        (None, [], True),
        (None, "x", False),
        ({"a": 1}, {"a": 1.0}, True),
    ],
)
def test_values_are_the_same_by_their_own_reader(left: object, right: object, same: bool) -> None:
    assert are_same_value(left, right) is same


_values = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=40),
    st.dates().map(str), st.decimals(0, 10**6, places=2).map(lambda number: f"EUR {number}"),
)  # fmt: skip


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_values, st.integers(0, 2**32 - 1), st.lists(_values, max_size=3))
def test_corruptions_never_crash_and_never_return_the_value_itself(value: object, pick: int, others: list[object]) -> None:
    context = ValueContext(name="n", pick=pick, decimals=2, neighbours=others, siblings=others, others=others)
    for corruption in CORRUPTIONS:
        if kind_of(value) in corruption.kinds:
            mutant = corrupt_value(corruption, value, context)
            assert mutant is UNCHANGED or type(mutant) is not type(value) or mutant != value
            if mutant is not UNCHANGED:
                are_same_value(value, mutant)
            assert corrupt_value(corruption, value, context) == mutant


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, -(10**400), 1e308, 5e-324])
def test_no_corruption_crashes_on_a_number_beyond_reason(value: float) -> None:
    for corruption in CORRUPTIONS:
        if kind_of(value) in corruption.kinds:
            corrupt_value(corruption, value, ValueContext(name="number", pick=0, decimals=2))
