"""An unmatched actual item is one place, whatever an evaluator calls it."""

from typing import Any

import numpy as np
import pytest

import fieldwise as fw
from fieldwise.report.mismatch_list import merge_evaluators, summarize_field
from fieldwise.study.item_places import name_places
from fieldwise.study.profiles import compare_profiles, plan_of_run, sample_run
from fieldwise.study.review_queue import QueueSelection, build_queue

SUITE: dict[str, Any] = {
    "name": "s",
    "evaluators": [{"type": "field_accuracy", "name": "fields", "fields": ["l[*].x"]}, {"type": "field_prf"}],
}
CASES = [
    {"id": "a", "expected": {"l": [{"x": 1}]}, "actual": {"l": [{"x": 1}, {"x": 2}, {"x": 2}]}},
    {"id": "b", "expected": {"l": [{"x": 1}, {"x": 5}]}, "actual": {"l": [{"x": 7}, {"x": 1}, {"x": 2}]}},
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return fw.run(SUITE, cases=CASES, root=tmp_path_factory.mktemp("runs"))


def test_an_item_is_renamed_only_where_expected_has_no_item_of_that_index():
    case = np.array([0, 0, 1, 1, 1])
    paths = ["l[0].x", "l[+1].x", "l[1].x"]
    place, names = name_places(case, np.array([0, 1, 0, 2, 1]), paths)
    assert [names[code] for code in place] == ["l[0].x", "l[1].x", "l[0].x", "l[1].x", "l[+1].x"]
    place, names = name_places(case[:2], np.array([0, -1]), ["l[+0].x"])
    assert (names[place[0]], place[1]) == ("l[0].x", -1)


def test_a_list_of_mismatches_has_an_extra_item_once(run):
    rows = merge_evaluators(run.mismatches())
    assert [(stored.case, stored.path, names) for stored, names in rows] == [
        ("a", "l[+1].x", "fields, field_prf"),
        ("a", "l[+2].x", "fields, field_prf"),
        ("b", "l[0].x", "fields, field_prf"),
        ("b", "l[1].x", "fields, field_prf"),
        ("b", "l[+2].x", "fields, field_prf"),
    ]


def test_a_field_counts_an_extra_item_once(run):
    summary = summarize_field(run, "l[*].x", run.comparisons(field="l[*].x"))
    assert (summary["n"], summary["matched"], summary["outcomes"]["hallucination"]) == (6, 1, 3)


def test_two_items_of_one_evaluator_stay_apart(tmp_path):
    """The item at 1 is paired with an expected item without the field; the actual item 1 with none."""
    suite = {
        "name": "s",
        "evaluators": [
            {"type": "field_accuracy", "fields": [{"path": "l[*].id"}, {"path": "l[*].x"}], "lists": {"l": {"align": "key", "key": "id"}}},
            {"type": "field_prf"},
        ],
    }
    expected = {"l": [{"id": "p", "x": 1}, {"id": "q"}]}
    actual = {"l": [{"id": "q", "x": 2}, {"id": "z", "x": 2}]}
    run = fw.run(suite, cases=[{"id": "a", "expected": expected, "actual": actual}], root=tmp_path)
    own = [stored.path for stored in run.mismatches(evaluator="field_accuracy") if stored.path.endswith("x")]
    merged = [stored.path for stored, _ in merge_evaluators(run.mismatches(evaluator="field_accuracy")) if stored.path.endswith("x")]
    assert sorted(own) == sorted(merged)
    assert {"l[1].x", "l[+1].x"} <= set(own)


def test_the_review_queue_asks_once(run):
    queue = build_queue(run, QueueSelection(sample=1.0))
    places = [item.place for item in queue.items]
    assert sorted(places) == [("a", "l[+1].x"), ("a", "l[+2].x"), ("a", "l[0].x"), ("b", "l[+2].x"), ("b", "l[0].x"), ("b", "l[1].x")]
    assert queue.agreed == 1


def test_profiles_find_no_difference_in_the_name_of_an_item(tmp_path):
    suite = {"name": "s", "evaluators": [{"type": "field_accuracy", "name": "fields", "fields": ["l[*].x"]}]}
    run = fw.run(suite, cases=CASES, root=tmp_path)
    report = compare_profiles(plan_of_run(run), sample_run(run, None), names=["strict"])
    [strict] = [profile for profile in report.profiles if profile.profile.name == "strict"]
    assert strict.differing == 0
