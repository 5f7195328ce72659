"""The likely cause of each mismatch of a batch."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fieldwise.model.case import Case, Cases
from fieldwise.model.comparison import Comparisons, Outcome
from fieldwise.model.context import Context, Contexts
from fieldwise.model.path import Path
from fieldwise.model.rule import CompareSpec, FieldRule
from fieldwise.registry import CAUSES
from fieldwise.score import causes
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.causes import Known, describe, explain, likely_causes
from fieldwise.score.walk import compare_records


def cause(expected: Any, actual: Any, record: Any = None, path: str = "field") -> str | None:
    return likely_causes([expected], [actual], Contexts([0], [path], [path], [record], [None]))[0] or None


def asked_one_by_one(expected: Any, actual: Any) -> str | None:
    kind = "text" if isinstance(expected, str) and isinstance(actual, str) else "mixed"
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (expected, actual))
    kinds = ("any", "number" if numbers else kind)
    entries = sorted((CAUSES.find(name) for name in CAUSES.names()), key=lambda entry: entry.rank)
    held = (entry.name for entry in entries if entry.kinds in kinds and entry.function(expected, actual, Context("", "")))
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
        (1, True, None),
        (True, False, None),
        ([5], "n/a", "null_text"),
        ("5", "US$5", "number_format"),
        ("13", "٣", None),
        ("3", "٣", "number_format"),
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


def test_a_batch_without_mismatches_has_no_causes() -> None:
    assert likely_causes([], [], Contexts([], [], [], [], [])) == []


def comparisons_of(expected: list[Any], actual: list[Any]) -> Comparisons:
    return Comparisons(
        cases=2,
        case=np.array([0, 0, 1], dtype=np.int32),
        field=np.zeros(3, dtype=np.int32),
        path=np.array([0, 1, 1], dtype=np.int32),
        outcome=np.array([0, 1, 1], dtype=np.uint8),
        similarity=np.zeros(3),
        passed=np.zeros(3, dtype=np.bool_),
        expected=expected,
        actual=actual,
        fields=["items[*].id"],
        rules=[FieldRule(path=None, text="items[*].id")],
        paths=["items[0].id", "items[1].id"],
    )


RECORDS: list[Any] = [{"items": [{"id": "p1"}, {"id": "p2"}]}, {"x": "p9"}]


def test_rows_are_explained_by_what_stands_around_them() -> None:
    comparisons = comparisons_of(["p0", "p2", "p2"], ["p0", "p1", "p9"])
    explain(comparisons, np.array([1, 2]), RECORDS, [None, None])
    assert comparisons.cause == {1: "item_shifted", 2: "value_of_another_field"}


def test_rows_without_a_cause_are_left_out() -> None:
    comparisons = comparisons_of(["p0", "Acme", "Acme"], ["p0", "Northwind", "ACME"])
    explain(comparisons, np.array([1, 2]), RECORDS, [None, None])
    explain(comparisons, np.array([], dtype=np.int64), RECORDS, [None, None])
    assert comparisons.cause == {2: "letter_case"}


def test_what_is_known_is_not_looked_for_again() -> None:
    expected, actual = ["p0", "Acme", "Beta"], ["p0", "ACME", "BETA"]
    known: Known = []
    first = comparisons_of(expected, actual)
    explain(first, np.array([1, 2]), RECORDS, [None, None], known)
    assert known == [(first, known[0][1], {1: "letter_case", 2: "letter_case"})]
    known[0] = (first, known[0][1], {1: "taken from what is known", 2: "nor is this"})
    again = comparisons_of(expected, ["p0", actual[1], " Beta"])
    explain(again, np.array([1, 2]), RECORDS, [None, None], known)
    assert again.cause == {1: "taken from what is known", 2: "whitespace"}


def test_a_cause_that_was_taken_back_is_still_known_to_others() -> None:
    """json_quality takes causes back where a judge has said that two texts are alike."""
    expected, actual = ["p0", "Acme", "Beta"], ["p0", "ACME", "BETA"]
    known: Known = []
    first, second = comparisons_of(expected, actual), comparisons_of(expected, actual)
    explain(first, np.array([1, 2]), RECORDS, [None, None], known)
    first.cause.clear()
    explain(second, np.array([1, 2]), RECORDS, [None, None], known)
    assert second.cause == {1: "letter_case", 2: "letter_case"}


def test_nothing_is_asked_of_two_lists_or_objects_unless_a_cause_has_no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def ask(expected: Sequence[Any], *_: Any) -> list[str]:
        asked.extend(expected)
        return [""] * len(expected)

    monkeypatch.setattr(causes, "likely_causes", ask)
    explain(comparisons_of([{"a": 1}, [1], {"a": 1}], [{"a": 2}, {"a": 1}, "text"]), np.array([0, 1, 2]), RECORDS, [None, None])
    assert asked == [{"a": 1}]


@pytest.fixture
def foreign_causes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two causes of another package, without screens: one fails, one looks at the path."""

    def failing(expected: Any, actual: Any, context: Context) -> bool:
        raise RuntimeError("a fault of another package")

    def at_home(expected: Any, actual: Any, context: Context) -> bool:
        return context.path == "home"

    own = causes._causes()
    foreign = [causes._Cause((1, "failing"), failing, "any", frozenset()), causes._Cause((2, "at_home"), at_home, "any", frozenset())]
    monkeypatch.setattr(causes, "_causes", lambda: (*foreign, *own))
    causes._without_screen.cache_clear()
    yield
    causes._without_screen.cache_clear()


@pytest.mark.usefixtures("foreign_causes")
@pytest.mark.parametrize("pair", [("Acme", "ACME"), (5, -5), (5, "x"), (True, False)])
def test_a_cause_without_a_screen_is_asked_every_time_and_one_that_fails_breaks_nothing(pair: tuple[Any, Any]) -> None:
    assert cause(*pair, path="home") == "at_home"
    assert cause(*pair, path="elsewhere") == asked_one_by_one(*pair)


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
@example(("US$5", "5"))
@example(("20250325", "20252503"))
@example(("DE179389843", "DE179389i43"))
@example((12345.5, 12354.5))
@example((0.04, 0.0))
@example((1234567, 1235000))
def test_screens_change_nothing_but_the_time(pair: tuple[Any, Any]) -> None:
    assert cause(*pair) == asked_one_by_one(*pair)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(changed(), st.tuples(NUMBERS, NUMBERS), st.tuples(NUMBERS, TEXTS)), max_size=8))
def test_a_batch_is_judged_as_its_rows_are_one_by_one(pairs: list[tuple[Any, Any]]) -> None:
    contexts = Contexts([0] * len(pairs), [""] * len(pairs), [""] * len(pairs), [None], [None])
    found = likely_causes([pair[0] for pair in pairs], [pair[1] for pair in pairs], contexts)
    assert [name or None for name in found] == [cause(*pair) for pair in pairs]


values = st.sampled_from(["Acme", "Berlin", "EUR", 1200, 1200.0, 12.5, True, None, "Acme Corp", "", 7])
things = st.recursive(
    values, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3), max_leaves=6
)
records = st.fixed_dictionaries({"a": things, "b": things, "c": things})
RULED = {
    "every leaf": CompareSpec(open="leaves"),
    "every key": CompareSpec(open="keys"),
    "three rules": CompareSpec(rules=tuple(FieldRule(path=Path((key,)), text=key) for key in "abc")),
    "one rule": CompareSpec(rules=(FieldRule(path=Path(("a",)), text="a"),)),
}


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(records, records), min_size=1, max_size=4), st.sampled_from(list(RULED)))
def test_causes_do_not_depend_on_whether_all_leaves_are_at_hand(pairs: list[tuple[Any, Any]], ruled: str) -> None:
    spec = RULED[ruled]
    found = ScoringBatch(Cases.of([Case(id=str(at), expected=one, actual=other) for at, (one, other) in enumerate(pairs)])).compare(spec)
    alone = compare_records(spec, *map(list, zip(*pairs, strict=True)))
    wrong = np.flatnonzero((alone.outcome == Outcome.WRONG_VALUE) | (alone.outcome == Outcome.FORMAT_ERROR))
    explain(alone, wrong, *map(list, zip(*pairs, strict=True)))
    assert found.cause == alone.cause
