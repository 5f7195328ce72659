"""Comparisons are decided by equality first, then by presence, then by matchers."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise.kernels.values import find_non_finite, values_equal
from fieldwise.model.path import Path
from fieldwise.model.rule import CompareSpec, FieldRule, Match, Nulls
from fieldwise.model.values import MISSING, json_kind
from fieldwise.score.comparison_builder import unequal_rows
from fieldwise.score.walk import compare_records

scalars = st.sampled_from([None, True, False, 0, 1, 1.0, 0.5, "a", "A", "", "caf\u00e9", "cafe\u0301", math.nan, math.inf, 2**70, MISSING])
values = scalars | st.lists(scalars.filter(lambda value: value is not MISSING), max_size=2) | st.just({"x": 1}) | st.just({"x": 1.0})
columns = st.lists(st.tuples(values, values), min_size=1, max_size=8)


@given(pairs=columns)
@settings(max_examples=200, deadline=None)
def test_what_is_called_plainly_equal_is_the_same(pairs: list[tuple[Any, Any]]) -> None:
    unequal = set(unequal_rows([expected for expected, _ in pairs], [actual for _, actual in pairs]))
    for row, (expected, actual) in enumerate(pairs):
        if row not in unequal:
            assert values_equal(expected, actual)
            assert json_kind(expected) == json_kind(actual) not in ("null", "missing")


@given(pairs=columns)
@settings(max_examples=200, deadline=None)
def test_every_row_has_the_outcome_that_exact_and_presence_give(pairs: list[tuple[Any, Any]]) -> None:
    records = [[{} if value is MISSING else {"a": value} for value in side] for side in zip(*pairs, strict=True)]
    rule = FieldRule(path=Path(("a",)), text="a")
    comparisons = compare_records(CompareSpec(rules=(rule,)), records[0], records[1])
    assert comparisons.case.tolist() == list(range(len(pairs)))
    for comparison, (expected, actual) in zip((comparisons.at(row) for row in range(len(comparisons))), pairs, strict=True):
        assert comparison.outcome == _outcome(expected, actual)
        assert comparison.passed == (comparison.outcome == "match" or (comparison.outcome == "both_absent" and expected is None))
        if comparison.outcome in ("wrong_value", "format_error") and (name := find_non_finite(expected) or find_non_finite(actual)):
            assert comparison.note == f"{name} is not a number"


def _outcome(expected: Any, actual: Any) -> str:
    no_expected, no_actual = expected is None or expected is MISSING, actual is None or actual is MISSING
    if no_expected:
        return "both_absent" if no_actual else "hallucination"
    if no_actual:
        return "omission"
    if values_equal(expected, actual):
        return "match"
    return "format_error" if json_kind(expected) != json_kind(actual) else "wrong_value"


@pytest.mark.parametrize("match", [Match("regex"), Match("contains"), Match("one_of")])
def test_a_match_that_an_equal_value_may_fail_sees_equal_pairs(match: Match) -> None:
    from fieldwise.plan.rules import plan_match

    options = {"regex": {"pattern": "^b$"}, "contains": {"value": "b"}, "one_of": {"values": ["b"]}}[match.name]
    rule = FieldRule(path=Path(("a",)), text="a", match=plan_match(match.name, options))
    comparisons = compare_records(CompareSpec(rules=(rule,)), [{"a": "a"}, {"a": "b"}], [{"a": "a"}, {"a": "b"}])
    assert comparisons.passed.tolist() == [False, True]


def test_an_ignored_field_is_ignored_whatever_it_holds() -> None:
    rule = FieldRule(path=Path(("a",)), text="a", match=Match("ignore"))
    comparisons = compare_records(CompareSpec(rules=(rule,)), [{"a": 1}, {"a": 1}, {}, {"a": None}], [{"a": 1}, {"a": 2}, {"a": 1}, {}])
    assert [comparisons.at(row).outcome for row in range(4)] == ["ignored"] * 4


def test_rows_are_grouped_by_field_and_come_back_by_case() -> None:
    rules = tuple(FieldRule(path=Path.parse(text), text=text) for text in ("b", "l[*]", "a"))
    comparisons = compare_records(CompareSpec(rules=rules), [{"a": 1, "b": 2, "l": [1, 2]}] * 2, [{"a": 1, "b": 2, "l": [1, 3]}] * 2)
    assert comparisons.field.tolist() == sorted(comparisons.field.tolist())
    assert [comparison.path for comparison in comparisons.of_case(1)] == ["b", "l[0]", "l[1]", "a"]
    assert [comparison.field for comparison in comparisons.of_case(1)] == ["b", "l[*]", "l[*]", "a"]


def test_one_record_with_accepted_values_among_records_that_cannot_be_written_is_found() -> None:
    expected = [{"a": {"x": 2**70}}, {"a": {"x": {"$any": [1, 2]}}}, {"a": {"x": 1}}]
    actual = [{"a": {"x": 1}}, {"a": {"x": 2}}, {"a": {"x": 2}}]
    rule = FieldRule(path=Path(("a",)), text="a")
    comparisons = compare_records(CompareSpec(rules=(rule,)), expected, actual)
    assert comparisons.passed.tolist() == [False, True, False]


def test_text_that_counts_as_null_is_null_beside_values_of_other_types() -> None:
    spec = CompareSpec(rules=(FieldRule(path=Path(("a",)), text="a"),), nulls=Nulls(blank=True))
    expected, actual = [{"a": 1}, {"a": {"x": 1}}, {"a": " "}], [{"a": ""}, {"a": {"x": 2}}, {"a": 3}]
    comparisons = compare_records(spec, expected, actual)
    assert [comparisons.at(row).outcome for row in range(3)] == ["omission", "wrong_value", "hallucination"]


def test_blank_text_where_the_output_has_no_value_is_reported_with_the_option_that_makes_it_null(tmp_path: Any) -> None:
    expected = [{"id": str(at), "tax": "" if at % 2 else "5.50", "items": [{"note": ""}]} for at in range(10)]
    actual = [{"id": str(at), "tax": None if at % 2 else "5.50", "items": []} for at in range(10)]
    rules = ["tax", {"path": "items[*].note", "sparse": True}]

    def run(**options: Any) -> fw.Run:
        evaluators = [{"type": "field_accuracy", "name": "fields", "fields": rules, **options}]
        return fw.run({"evaluators": evaluators}, expected=expected, actual=actual, on="id", root=tmp_path)

    [note] = [note for note in run().diagnostics if note.code == "blank-expected"]
    assert (note.where.field, note.level) == ("tax", "warning")
    assert '`null_values: [""]`' in (note.fix or "")
    with_nulls = run(null_values=[""])
    assert [note for note in with_nulls.diagnostics if note.code == "blank-expected"] == []
    assert with_nulls.full.evaluators["fields"].fields[0].score.value == 1.0
