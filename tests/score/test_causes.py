"""The likely cause of each mismatch of a batch."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise.model.case import Case, Cases
from fieldwise.model.comparison import ComparisonTable
from fieldwise.model.context import Context, MismatchContexts
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.path import Path as FieldPath
from fieldwise.model.rule import CompareSpec, FieldRule
from fieldwise.registry import CAUSES
from fieldwise.score import causes
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.causes import NO_CAUSE, describe_cause, find_causes, likely_causes
from fieldwise.score.services import local_services
from fieldwise.specs import CauseSpec


def cause(expected: Any, actual: Any, record: Any = None, path: str = "field") -> str | None:
    return likely_causes([expected], [actual], MismatchContexts([0], [path], [path], [record], [None]))[0] or None


@pytest.mark.parametrize(
    ("expected", "actual", "name"),
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
        ("5", "US$5", "currency_on_one_side"),
        ("13", "٣", None),
        ("3", "٣", "number_format"),
        ({"a": 1}, "x", None),
        (float("nan"), 1.0, None),
        (10**400, 1.0, None),
    ],
)
def test_the_first_cause_that_holds_is_named(expected: Any, actual: Any, name: str | None) -> None:
    assert cause(expected, actual) == name


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
    assert likely_causes([], [], MismatchContexts([], [], [], [], [])) == []


def comparisons_of(expected: list[Any], actual: list[Any]) -> ComparisonTable:
    return ComparisonTable(
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


def test_rows_are_explained_by_the_records_around_them() -> None:
    comparisons = comparisons_of(["p0", "p2", "p2"], ["p0", "p1", "p9"])
    assert find_causes(comparisons, RECORDS, [None, None]) == {1: "item_shifted", 2: "value_of_another_field"}


def test_leaves_that_are_known_replace_a_search_of_the_records_unless_values_have_leaves_inside() -> None:
    contexts = MismatchContexts([0], ["a"], ["a"], [{"a": "Acme", "b": ["Globex"]}], [None])
    assert contexts.find_copied(["Globex"]) == contexts.find_copied(["Globex"], ["Acme", ["Globex"]]) == {0}
    assert contexts.find_copied(["Globex"], ["Acme"]) == set()


@pytest.mark.parametrize("value", [["p9", "p8"], {"x": "p9"}])
def test_a_value_inside_another_one_is_found_in_large_batches_too(value: Any) -> None:
    expected: list[Any] = [{"a": "p1", "b": value}] * 40
    cases = [Case(id=str(at), expected=record, actual={"a": "p9", "b": "x"}) for at, record in enumerate(expected)]
    rules = tuple(FieldRule(path=FieldPath.parse(name), text=name) for name in ("a", "b"))
    comparisons = ScoringBatch(Cases.of(cases)).compare(CompareSpec(rules=rules))
    assert comparisons.cause[0] == "value_of_another_field"


def test_rows_without_a_cause_are_left_out() -> None:
    comparisons = comparisons_of(["p0", "Acme", "Acme"], ["p0", "Northwind", "ACME"])
    assert find_causes(comparisons, RECORDS, [None, None]) == {2: "letter_case"}


def test_a_batch_without_mismatches_asks_no_cause() -> None:
    comparisons = replace(comparisons_of(["a"] * 3, ["a"] * 3), outcome=np.zeros(3, dtype=np.uint8))
    assert find_causes(comparisons, RECORDS, [None, None]) == {}


@pytest.mark.parametrize(("expected", "actual"), [({"a": 1}, {"a": 2}), ([1], {"a": 1}), ([1, 2], [2, 1]), ([], {})])
def test_no_cause_explains_two_containers(expected: Any, actual: Any) -> None:
    assert cause(expected, actual) is None


def altered(rng: random.Random, text: str) -> str:
    """A text as a model or a reader might have changed it."""
    words, at = text.split(), rng.randrange(len(text) + 1)
    changes = [
        text.upper(), text.replace(" ", ""), text[:at], text[:at] + text[at + 1 :], text[:at] + rng.choice("07é.-oX ") + text[at + 1 :],
        text[:at] + text[at : at + 2][::-1] + text[at + 2 :], " ".join(rng.sample(words, len(words))), " ".join(words[1:]),
        f"Total: {text}", f"{text} EUR", text.replace("0", "O").replace("m", "rn"), text.replace("ü", "ue").replace("é", "e"),
    ]  # fmt: skip
    return rng.choice(changes)


def test_causes_that_are_not_tried_would_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(5)
    examples = [(example.expected, example.actual) for spec in CAUSES.all() for example in spec.examples]
    values = [value for example in examples for value in example]
    pairs = [*examples, *zip(values, rng.sample(values, len(values)), strict=True)]
    for text in 5 * [value for value in values if isinstance(value, str)]:
        pairs.append((text, altered(rng, text)))
        pairs.append((text, altered(rng, altered(rng, text))))
    records = [{"a": value, "b": [{"c": rng.choice(values)} for _ in range(3)]} for value in values]
    cases = [rng.randrange(len(records)) for _ in pairs]
    pairs = [pair if rng.random() < 0.9 else (pair[0], records[case]["b"][1]["c"]) for pair, case in zip(pairs, cases, strict=True)]
    expected, actual = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    contexts = MismatchContexts(cases, ["b[0].c"] * len(pairs), ["b[*].c"] * len(pairs), records, records)
    names = likely_causes(expected, actual, contexts)
    monkeypatch.setattr(causes, "_may_hold", lambda *_: True)
    assert len(pairs) > 3000
    assert likely_causes(expected, actual, contexts) == names


@pytest.fixture
def foreign_causes() -> Iterator[None]:
    """Two causes of another package: one crashes, one looks at the path."""

    def failing(expected: Any, actual: Any, context: Context) -> bool:
        raise RuntimeError("a fault of another package")

    def at_home(expected: Any, actual: Any, context: Context) -> bool:
        return context.path == "home"

    for rank, function in enumerate((failing, at_home)):
        name = function.__name__
        CAUSES.register(CauseSpec(name=name, function=function, rank=rank, label=name, advice=""))
    yield
    for name in ("failing", "at_home"):
        CAUSES.specs.pop(name)
    CAUSES.revision += 1  # else the list of all causes still has them in later tests


@pytest.mark.usefixtures("foreign_causes")
@pytest.mark.parametrize(("pair", "name"), [(("Acme", "ACME"), "letter_case"), ((5, -5), "sign"), ((5, "x"), None), ((True, False), None)])
def test_a_cause_that_crashes_is_reported_and_skipped(pair: tuple[Any, Any], name: str | None) -> None:
    for path, cause_there in (("home", "at_home"), ("elsewhere", name)):
        reported: list[Diagnostic] = []
        contexts = MismatchContexts([0], [path], [path], [None], [None])
        names = likely_causes([pair[0]], [pair[1]], contexts, local_services(report=reported.append))
        assert names == [cause_there or NO_CAUSE]
        assert [(diagnostic.code, diagnostic.level) for diagnostic in reported] == [("cause-crashed", "warning")]
        assert "`failing` crashed and was skipped: a fault of another package" in reported[0].what


@pytest.mark.usefixtures("foreign_causes")
def test_a_crash_of_a_cause_is_a_warning_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text('{"id": "1", "expected": {"a": "Acme"}, "actual": {"a": "ACME"}}\n' * 2)
    run = fw.run({"cases": str(tmp_path / "cases.jsonl"), "evaluators": [{"type": "field_prf"}]}, root=tmp_path)
    assert [diagnostic.code for diagnostic in run.diagnostics].count("cause-crashed") == 1


def test_a_cause_is_described_in_words() -> None:
    label, advice = describe_cause("scale")
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


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(changed(), st.tuples(NUMBERS, NUMBERS), st.tuples(NUMBERS, TEXTS)), max_size=8))
def test_a_batch_is_judged_as_its_rows_are_one_by_one(pairs: list[tuple[Any, Any]]) -> None:
    contexts = MismatchContexts([0] * len(pairs), [""] * len(pairs), [""] * len(pairs), [None], [None])
    names = likely_causes([pair[0] for pair in pairs], [pair[1] for pair in pairs], contexts)
    assert [name or None for name in names] == [cause(*pair) for pair in pairs]


@pytest.mark.parametrize(
    ("expected", "actual", "name"),
    [
        (100217, 100200, None),
        (100217, 100417, None),
        ("RM7", "7", None),
        ("4711", "47110", None),
        ("4.711", "47.11", None),
        ("0012345", "12345", "number_format"),
        ("AB123456", "AB123465", "transposed"),
    ],
)
def test_codes_are_no_amounts(expected: Any, actual: Any, name: str | None) -> None:
    field = {"path": "code", "match": "code"}
    result = fw.evaluate({"type": "field_accuracy", "fields": [field]}, expected={"code": expected}, actual={"code": actual})
    assert [comparison.cause for comparison in result.comparisons] == [name]


@pytest.mark.parametrize(
    ("match", "expected", "actual"),
    [
        ("quantity", "-5 °C", "5 °C"),
        ("numeric_tolerance", "-5 °C", "5 °C"),
        ("money", "12.50 CR", "12.50"),
        ("money", "13.00 DR", "-13.00"),
        ("money", "(5.00)", "5.00"),
        ("exact", "5 kg", "-5 kg"),
    ],
)
def test_another_sign_is_found_in_whatever_notation(match: str, expected: str, actual: str) -> None:
    field = {"path": "v", "match": match, **({"parse": True} if match == "numeric_tolerance" else {})}
    result = fw.evaluate({"type": "field_accuracy", "fields": [field]}, expected={"v": expected}, actual={"v": actual})
    assert [comparison.cause for comparison in result.comparisons] == ["sign"]
