"""The likely cause of each mismatch of a batch."""

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fieldwise.model.comparison import Comparisons
from fieldwise.model.context import Context, Contexts
from fieldwise.model.rule import FieldRule
from fieldwise.registry import find, names
from fieldwise.score.causes import contexts_of, describe, likely_causes


def cause(expected: Any, actual: Any, record: Any = None, path: str = "field") -> str | None:
    contexts = Contexts([0], lambda row: (path, path), [record], [None])
    return likely_causes([0], [expected], [actual], contexts).get(0)


def asked_one_by_one(expected: Any, actual: Any) -> str | None:
    kind = "text" if isinstance(expected, str) and isinstance(actual, str) else "mixed"
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (expected, actual))
    kinds = ("any", "number" if numbers else kind)
    entries = sorted((find("causes", name) for name in names("causes")), key=lambda entry: entry.extras["rank"])
    held = (entry.name for entry in entries if entry.extras["kinds"] in kinds and entry.function(expected, actual, Context("", "")))
    return next(held, None)


@pytest.mark.parametrize(
    ("expected", "actual", "found"),
    [
        ("Acme Corp", "ACME CORP", "letter_case"),
        ("Acme Corp", "Acme\u00a0Corp", "whitespace"),
        ("Acme Inc", "ACME, Inc.", "punctuation"),
        ("José", "JOSE", "accents"),
        ("1234.50", "1,234.50", "number_format"),
        (1234.5, "1,234.50", "number_format"),
        (100, "100", "type_as_text"),
        (12.346, 12.35, "rounding"),
        (5, 5000, "scale"),
        ("1.5", "15", "scale"),
        (5, -5, "sign"),
        ("5", "-5", "sign"),
        ("2025-03-04", "2025-04-03", "day_month_swapped"),
        ("2025-03-25", "2025-25-03", "day_month_swapped"),
        ("2025-03-04", "4 March 2025", "date_format"),
        ("Acme Corporation of Ohio", "Acme Corporation", "truncated"),
        ("Acme Corp", "the Acme Corp", "extra_text"),
        ("the Acme Corp", "Acme Corp", "missing_text"),
        ("INV-100", "INV-1O0", "ocr"),
        ("receive", "recieve", "transposed"),
        ("Springfield", "Springfeld", "typo"),
        ("John Smith", "Smith, John", "word_order"),
        ("Acme Corporation", "Acme Corp.", "abbreviation"),
        ("Acme", "N/A", "null_text"),
        ("Acme Corp", "Northwind", None),
        (120, 345, None),
        ("2025-03-04", "2025-03-05", None),
        (5, [5], None),
        ({"a": 1}, "x", None),
        (float("nan"), 1.0, None),
        (10**400, 1.0, None),
    ],
)
def test_the_first_cause_that_holds_is_named(expected: Any, actual: Any, found: str | None) -> None:
    assert cause(expected, actual) == found


RECORD = {"bill_to": "Acme Corporation", "ship_to": "Beta Works", "items": [{"amount": 120.0}, {"amount": 1200.0}, {"amount": 37.5}]}


def test_the_value_of_another_field_is_recognised() -> None:
    assert cause("Beta Works", "Acme Corporation", RECORD, "ship_to") == "value_of_another_field"


def test_the_value_of_a_neighbouring_item_is_more_likely_than_a_scale() -> None:
    assert cause(120.0, 1200.0, RECORD, "items[0].amount") == "item_shifted"
    assert cause(120.0, 12.0, RECORD, "items[0].amount") == "scale"


def test_the_same_value_otherwise_written_is_more_likely_than_another_field() -> None:
    record = {"name": "Acme", "brand": "ACME"}
    assert cause("Acme", "ACME", record, "name") == "letter_case"


def test_rows_without_a_cause_are_left_out_and_the_others_keep_their_number() -> None:
    contexts = Contexts([0] * 10, lambda row: ("a", "a"), [{}], [{}])
    assert likely_causes([9, 4, 7], ["Acme", "x", 5], ["ACME", "y", -5], contexts) == {9: "letter_case", 7: "sign"}


def test_a_batch_without_mismatches_has_no_causes() -> None:
    assert likely_causes([], [], [], Contexts([], lambda row: ("", ""), [], [])) == {}


def test_contexts_know_the_case_path_and_field_of_a_row() -> None:
    comparisons = Comparisons(
        cases=2,
        case=np.array([0, 1], dtype=np.int32),
        field=np.array([0, 0], dtype=np.int32),
        path=np.array([0, 1], dtype=np.int32),
        outcome=np.array([1, 1], dtype=np.uint8),
        similarity=np.zeros(2),
        passed=np.zeros(2, dtype=np.bool_),
        expected=["p1", "p2"],
        actual=["p2", "p9"],
        fields=["items[*].id"],
        rules=[FieldRule(path=None, text="items[*].id")],
        paths=["items[0].id", "items[1].id"],
    )
    contexts = contexts_of(comparisons, [{"items": [{"id": "p1"}, {"id": "p2"}]}, {"x": "p9"}], [None, None])
    assert (contexts(1).path, contexts(1).field, contexts(1).expected_record) == ("items[1].id", "items[*].id", {"x": "p9"})
    assert likely_causes([0, 1], ["p1", "p2"], ["p2", "p9"], contexts) == {0: "item_shifted", 1: "value_of_another_field"}


def test_a_cause_is_described_in_words() -> None:
    label, advice = describe("scale")
    assert label == "scale"
    assert "unit" in advice


SEEDS = st.sampled_from(
    [
        "Acme Corp",
        "Main Street 12",
        "1,234.50",
        "2025-03-04",
        "4 March 2025",
        "03/04/2025",
        "INV-100",
        "Müller",
        "n/a",
        "-5",
        "12 %",
        "IBM",
        "",
    ]
)
TEXTS = st.one_of(SEEDS, st.text("aAoO01lLiI5sSmrnéü .-,$%(/", max_size=9), st.text(max_size=9))
NUMBERS = st.one_of(st.integers(-2000, 2000), st.floats(-1e4, 1e4), st.sampled_from([12.5, 12.05, 1234567, 0.12, 1e-7, 1e22]))


@st.composite
def changed(draw: st.DrawFn) -> tuple[str, str]:
    text = draw(TEXTS)
    at, end = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
    return text, text[:at] + draw(st.text("aA0oé .-,1", max_size=2)) + text[end:]


@settings(max_examples=300, deadline=None)
@given(st.one_of(changed(), st.tuples(TEXTS, TEXTS), st.tuples(NUMBERS, NUMBERS), st.tuples(NUMBERS, TEXTS), st.tuples(TEXTS, NUMBERS)))
@example(("4 de marzo de 2025", "2025-03-04"))
@example(("4th of March, 2025", "2025-03-04"))
@example(("USD 5 million", "5000000"))
@example((12.0, 10.2))
@example(("", "—"))
def test_screens_change_nothing_but_the_time(pair: tuple[Any, Any]) -> None:
    assert cause(*pair) == asked_one_by_one(*pair)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(changed(), st.tuples(NUMBERS, NUMBERS), st.tuples(NUMBERS, TEXTS)), max_size=8))
def test_a_batch_is_judged_as_its_rows_are_one_by_one(pairs: list[tuple[Any, Any]]) -> None:
    contexts = Contexts([0] * len(pairs), lambda row: ("", ""), [None], [None])
    found = likely_causes(range(len(pairs)), [pair[0] for pair in pairs], [pair[1] for pair in pairs], contexts)
    assert [found.get(row) for row in range(len(pairs))] == [cause(*pair) for pair in pairs]
