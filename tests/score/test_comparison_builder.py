"""Rows of comparisons: equal first, then presence, then the matchers."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.values import non_finite, same
from fieldwise.model.path import Path
from fieldwise.model.rule import CompareSpec, FieldRule, Match
from fieldwise.model.values import MISSING, kind
from fieldwise.score.comparison_builder import differences
from fieldwise.score.walk import compare_records

scalars = st.sampled_from([None, True, False, 0, 1, 1.0, 0.5, "a", "A", "", "caf\u00e9", "cafe\u0301", math.nan, math.inf, 2**70, MISSING])
values = scalars | st.lists(scalars.filter(lambda value: value is not MISSING), max_size=2) | st.just({"x": 1}) | st.just({"x": 1.0})
columns = st.lists(st.tuples(values, values), min_size=1, max_size=8)


@given(pairs=columns)
@settings(max_examples=200, deadline=None)
def test_what_is_called_plainly_equal_is_the_same(pairs: list[tuple[Any, Any]]) -> None:
    doubtful = set(differences([one for one, _ in pairs], [other for _, other in pairs]))
    for row, (one, other) in enumerate(pairs):
        if row not in doubtful:
            assert same(one, other)
            assert kind(one) == kind(other) not in ("null", "missing")


@given(pairs=columns)
@settings(max_examples=200, deadline=None)
def test_every_row_has_the_outcome_that_exact_and_presence_give(pairs: list[tuple[Any, Any]]) -> None:
    records = [[{} if value is MISSING else {"a": value} for value in side] for side in zip(*pairs, strict=True)]
    rule = FieldRule(path=Path(("a",)), text="a")
    found = compare_records(CompareSpec(rules=(rule,)), records[0], records[1])
    assert found.case.tolist() == list(range(len(pairs)))
    for comparison, (one, other) in zip((found.at(row) for row in range(len(found))), pairs, strict=True):
        assert comparison.outcome == _outcome(one, other)
        assert comparison.passed == (comparison.outcome == "match" or (comparison.outcome == "both_absent" and one is None))
        if comparison.outcome in ("wrong_value", "format_error") and (name := non_finite(one) or non_finite(other)):
            assert comparison.note == f"{name} is not a number"


def _outcome(one: Any, other: Any) -> str:
    no_expected, no_actual = one is None or one is MISSING, other is None or other is MISSING
    if no_expected:
        return "both_absent" if no_actual else "hallucination"
    if no_actual:
        return "omission"
    if same(one, other):
        return "match"
    return "format_error" if kind(one) != kind(other) else "wrong_value"


@pytest.mark.parametrize("match", [Match("regex"), Match("contains"), Match("one_of")])
def test_a_match_that_an_equal_value_may_fail_sees_equal_pairs(match: Match) -> None:
    from fieldwise.plan.matches import plan_match

    options = {"regex": {"pattern": "^b$"}, "contains": {"value": "b"}, "one_of": {"values": ["b"]}}[match.name]
    rule = FieldRule(path=Path(("a",)), text="a", match=plan_match(match.name, options))
    found = compare_records(CompareSpec(rules=(rule,)), [{"a": "a"}, {"a": "b"}], [{"a": "a"}, {"a": "b"}])
    assert found.passed.tolist() == [False, True]


def test_an_ignored_field_is_ignored_whatever_it_holds() -> None:
    rule = FieldRule(path=Path(("a",)), text="a", match=Match("ignore"))
    found = compare_records(CompareSpec(rules=(rule,)), [{"a": 1}, {"a": 1}, {}, {"a": None}], [{"a": 1}, {"a": 2}, {"a": 1}, {}])
    assert [found.at(row).outcome for row in range(4)] == ["ignored"] * 4


def test_rows_are_grouped_by_field_and_come_back_by_case() -> None:
    rules = tuple(FieldRule(path=Path.parse(text), text=text) for text in ("b", "l[*]", "a"))
    found = compare_records(CompareSpec(rules=rules), [{"a": 1, "b": 2, "l": [1, 2]}] * 2, [{"a": 1, "b": 2, "l": [1, 3]}] * 2)
    assert found.field.tolist() == sorted(found.field.tolist())
    assert [one.path for one in found.of_case(1)] == ["b", "l[0]", "l[1]", "a"]
    assert [one.field for one in found.of_case(1)] == ["b", "l[*]", "l[*]", "a"]
