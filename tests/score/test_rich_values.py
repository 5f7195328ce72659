"""Values with a confidence beside them, and parallel records of confidences."""

import json
from pathlib import Path

import pytest

import fieldwise as fw
from fieldwise.model.case import Case, Cases
from fieldwise.model.evidence import Evidence
from fieldwise.model.rule import CompareSpec
from fieldwise.model.values import MISSING
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.rich_values import UnwrapTotals, find_rich_records, unwrap_record
from fieldwise.score.services import local_services


def unwrap(expected, actual):
    return unwrap_record(expected, actual, UnwrapTotals())


def comparisons_of(expected, actual, **more):
    [cases] = [Cases.of([Case(id="1", expected=expected, actual=actual, **more)])]
    comparisons = ScoringBatch(cases).compare(CompareSpec(open="leaves"))
    return {comparison.path: comparison for comparison in comparisons.of_case(0)}


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (107, {"value": 107, "confidence": 0.9}),
        (107, {"value": 107, "score": 0.9}),
        (107, {"value": 107, "confidence": 0.9, "source": "ocr", "raw": "107"}),
        (None, {"value": 107, "confidence": 0.9, "page": 1}),
        ({"$any": [107, 108]}, {"value": 107, "confidence": 0.9}),
    ],
)
def test_an_object_with_value_and_confidence_is_unwrapped(expected, actual):
    record, evidence = unwrap({"total": expected}, {"total": actual})
    assert record == {"total": 107}
    assert evidence["total"].confidence == 0.9


@pytest.mark.parametrize(
    "expected",
    [{"value": 1, "confidence": 2}, {"value": 1}, {"amount": 3}],
    ids=["the same fields", "a field named value", "an object"],
)
def test_an_object_of_the_data_is_left_alone(expected):
    actual = {"total": {"value": 107, "score": 0.9}}
    assert unwrap({"total": expected}, actual) == (actual, None)


def test_where_nothing_is_expected_an_object_that_may_be_data_is_left_alone():
    actual = {"survey": [{"value": 4, "score": 7}, {"value": 1, "score": 0.5, "name": "x"}]}
    assert unwrap({}, actual) == (actual, None)


def test_an_extra_item_of_a_list_of_data_is_left_alone():
    actual = {"rows": [{"value": 1, "score": 0.5}, {"value": 2, "score": 0.5}]}
    assert unwrap({"rows": [{"value": 1, "score": 0.5}]}, actual) == (actual, None)


def test_an_object_with_a_confidence_for_all_its_fields_is_unwrapped():
    record, evidence = unwrap({"vendor": {"name": "A"}}, {"vendor": {"value": {"name": "B"}, "confidence": 0.4}})
    assert record == {"vendor": {"name": "B"}}
    assert evidence == {"vendor": Evidence(0.4)}
    comparisons = comparisons_of({"vendor": {"name": "A"}}, {"vendor": {"value": {"name": "B"}, "confidence": 0.4}})
    assert comparisons["vendor.name"].confidence == 0.4


def test_a_confidence_that_is_no_share_is_left_out_and_reported():
    reports = []
    cases = Cases.of([Case(id="1", expected={"a": 1, "b": 2}, actual={"a": {"value": 1, "confidence": 98.5}, "b": 2})])
    batch = ScoringBatch(cases, local_services(None, reports.append))
    comparisons = batch.compare(CompareSpec(open="leaves"))
    assert [comparison.passed for comparison in comparisons.of_case(0)] == [True, True]
    assert [comparison.confidence for comparison in comparisons.of_case(0)] == [None, None]
    assert {report.code for report in reports} == {"unwrapped-values", "bad-confidence"}


def test_a_batch_without_confidences_has_no_column_for_them():
    cases = Cases.of([Case(id="1", expected={"a": 1}, actual={"a": 1}, metadata={"document": "x"})])
    assert len(ScoringBatch(cases).compare(CompareSpec(open="leaves")).confidence) == 0


def test_a_deep_record_without_confidences_is_searched_to_the_end():
    record: object = 1
    for _ in range(5000):
        record = {"a": [record]}
    assert not find_rich_records([record])


def test_confidences_follow_their_items_when_lists_are_paired_by_content():
    config = {"type": "field_accuracy", "fields": ["rows[*].sku", "rows[*].n"], "lists": {"rows": {"align": "best"}}}
    expected = {"rows": [{"sku": "A", "n": 1}, {"sku": "B", "n": 2}]}
    confidences = {"rows": [{"sku": 0.1, "n": 0.2}, {"sku": 0.3}, {"sku": 0.5, "n": 0.6}]}
    actual = {"rows": [{"sku": "B", "n": 2}, {"sku": "A", "n": 1}, {"sku": "C", "n": 9}]}
    result = fw.evaluate(config, expected=expected, actual=actual, metadata={"confidences": confidences})
    by_path = {comparison.path: comparison.confidence for comparison in result.comparisons}
    assert by_path == {
        "rows[0].sku": 0.3,
        "rows[0].n": None,
        "rows[1].sku": 0.1,
        "rows[1].n": 0.2,
        "rows[+2].sku": 0.5,
        "rows[+2].n": 0.6,
    }


@pytest.mark.parametrize(
    "confidences",
    [
        {"vendor": {"name": 0.4}, "rows": [{"n": 0.7}]},
        {"vendor.name": 0.4, "rows[0].n": 0.7},
        {"vendor": {"name": {"confidence": 0.4}}, "rows.0.n": {"score": 0.7}},
        {"vendor": 0.4, "rows": [0.7]},
        json.dumps({"vendor.name": 0.4, "rows": [{"n": 0.7}]}),
    ],
    ids=["parallel", "by path", "objects", "of containers", "as text"],
)
def test_a_parallel_record_may_have_several_shapes(confidences):
    record = {"vendor": {"name": "A"}, "rows": [{"n": 1}]}
    comparisons = comparisons_of(record, record, metadata={"confidences": confidences})
    assert {path: comparison.confidence for path, comparison in comparisons.items()} == {"vendor.name": 0.4, "rows[0].n": 0.7}


def test_a_confidence_beside_the_value_wins_over_a_parallel_record():
    actual = {"a": {"value": 1, "confidence": 0.9}, "b": 2}
    comparisons = comparisons_of({"a": 1, "b": 2}, actual, metadata={"confidences": {"a": 0.1, "b": 0.2}})
    assert (comparisons["a"].confidence, comparisons["b"].confidence) == (0.9, 0.2)


def test_page_and_box_are_kept_beside_the_value_and_in_parallel():
    actual = {"a": {"value": 1, "confidence": 0.9, "page": 2, "box": [0, 0, 0.5, 1]}, "b": 2}
    metadata = {"confidences": {"b": 0.2}, "pages": {"b": 3}, "boxes": {"b": [0.1, 0.1, 0.2, 0.2]}}
    comparisons = comparisons_of({"a": 1, "b": 2}, actual, metadata=metadata)
    assert (comparisons["a"].page, comparisons["a"].box) == (2, (0.0, 0.0, 0.5, 1.0))
    assert comparisons["b"].to_json()["page"] == 3
    assert comparisons["b"].to_json()["box"] == [0.1, 0.1, 0.2, 0.2]


def test_a_missing_value_has_no_confidence_and_a_null_may_have_one():
    comparisons = comparisons_of({"a": 1, "b": 2}, {"b": {"value": None, "confidence": 0.8}}, metadata={"confidences": {"a": 0.5}})
    assert (comparisons["a"].confidence, comparisons["b"].confidence) == (None, 0.8)
    assert comparisons["b"].outcome == "omission"


def test_a_schema_sees_the_output_as_it_is():
    schema = {"properties": {"a": {"type": "object", "required": ["value"]}}}
    result = fw.evaluate({"type": "json_schema", "schema": schema}, expected={"a": 1}, actual={"a": {"value": 1, "confidence": 0.9}})
    assert result.score == 1.0


def test_diff_compares_unwrapped_values():
    assert fw.diff({"total": 107}, {"total": {"value": 107, "confidence": 0.9}}).same


def test_pages_are_read_without_confidences_and_boxes():
    comparisons = comparisons_of({"a": 1}, {"a": 1}, metadata={"pages": {"a": 2}})
    assert (comparisons["a"].page, comparisons["a"].confidence, comparisons["a"].box) == (2, None, None)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1200, {"value": 1200, "status": "stated", "evidence": ["1,200"]}),
        (["a", "b"], {"value": ["a", "b"], "source": "page 2"}),
        ("x", {"value": "x", "page": 3}),
    ],
)
def test_a_value_with_nothing_but_evidence_beside_it_is_unwrapped(expected, actual):
    assert unwrap({"f": expected}, {"f": actual})[0] == {"f": expected}


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (5, {"value": 5, "unit": "kg"}),
        (5, {"value": 5, "currency": "EUR", "source": "p"}),
        (5, {"value": 5}),
        ({"value": 5, "source": "p"}, {"value": 5, "source": "p"}),
        ({"source": "p"}, {"value": 5, "source": "p"}),
    ],
)
def test_an_object_with_more_than_evidence_beside_the_value_stays(expected, actual):
    assert unwrap({"f": expected}, {"f": actual})[0] == {"f": actual}


def test_a_run_says_that_values_were_taken_from_beside_their_evidence():
    reports = []
    cases = Cases.of([Case(id="1", expected={"f": 5}, actual={"f": {"value": 5, "evidence": ["5"]}})])
    comparisons = ScoringBatch(cases, local_services(None, reports.append)).compare(CompareSpec(open="leaves"))
    assert [comparison.passed for comparison in comparisons.of_case(0)] == [True]
    assert [report.code for report in reports] == ["unwrapped-evidence"]


def test_a_record_with_confidences_is_found_among_missing_outputs_and_values_that_json_does_not_have():
    plain, rich = {"a": 1}, {"a": [{"value": 1, "confidence": 0.5}]}
    assert find_rich_records([plain, MISSING, rich, None, "value"]) == [2]
    assert find_rich_records([{"a": 2**70}, rich]) == [1]


@pytest.mark.parametrize("path", ["actual.confidences", "actual.meta.confidences"])
def test_a_record_of_confidences_inside_the_output_is_no_field_of_it(tmp_path: Path, path: str) -> None:
    confidences = {"total": 0.9, "vendor": 0.4}
    outside = {"confidences": confidences} if path == "actual.confidences" else {"meta": {"confidences": confidences}}
    cases = [{"id": "1", "expected": {"total": 5, "vendor": "a"}, "actual": {"total": 5, "vendor": "a", **outside}}]
    evaluators = [{"type": "field_prf"}, {"type": "json_quality", "default_text": "FUZZY", "flatten": True}]
    run = fw.run({"evaluators": evaluators, "confidence": path}, cases=cases, root=tmp_path)
    assert run.summary["field_prf.macro_f1"] == 1
    assert run.summary["json_quality.hallucination"] == 0
    compared = {comparison.comparison.path: comparison.comparison.confidence for comparison in run.comparisons()}
    assert compared == {"total": 0.9, "vendor": 0.4}


def test_a_field_of_the_data_that_also_holds_confidences_is_compared() -> None:
    cases = [{"id": "1", "expected": {"total": 5, "confidences": {"total": 1}}, "actual": {"total": 5, "confidences": {"total": 0.9}}}]
    batch = ScoringBatch(Cases.of([Case(**case) for case in cases]), confidence="actual.confidences")
    assert batch.records.actual == [{"total": 5, "confidences": {"total": 0.9}}]
