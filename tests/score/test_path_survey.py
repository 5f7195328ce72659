"""Rules whose fields expected records do not have."""

from collections import Counter

import pytest

from fieldwise.model.case import Case, Cases
from fieldwise.model.path import Path
from fieldwise.model.plan import Plan
from fieldwise.model.rule import FieldRule, Match
from fieldwise.model.values import MISSING
from fieldwise.score.path_survey import PathSurvey, is_present, report_missing_fields


@pytest.mark.parametrize(("present", "sparse", "reported"), [(3, False, False), (1, False, True), (0, False, False), (1, True, False)])
def test_fields_that_some_expected_records_lack_are_counted(present: int, sparse: bool, reported: bool) -> None:
    rule = FieldRule(path=Path(("total",)), text="total", match=Match("exact"), sparse=sparse)
    warnings = report_missing_fields(Plan(name="suite", source=None, evaluators=()), [rule, rule], Counter({"total": present}), 3)
    assert [warning.what for warning in warnings] == ["2 of 3 expected records do not have this field"] * reported


@pytest.mark.parametrize(
    ("actual", "words"),
    [({"sum_total": 5}, "actual has it, so the two sides may use different names: expected has `x`"), ({"y": 5}, "expected has `x`;")],
)
def test_a_path_that_only_actual_has_may_be_a_different_name(actual: dict[str, int], words: str) -> None:
    survey = PathSurvey([FieldRule(path=Path(("sum_total",)), text="sum_total", match=Match("exact"))])
    survey.add(Cases.of([Case(id="1", expected={"x": 1}, actual=actual)]))
    assert survey.suggest_path("sum_total").startswith(words)


@pytest.mark.parametrize(("value", "expected"), [([], True), ([MISSING], False), ([MISSING, None], True), (None, True), (MISSING, False)])
def test_a_list_is_present_if_it_is_empty_or_has_an_item_that_is(value: object, expected: bool) -> None:
    assert is_present(value) is expected
