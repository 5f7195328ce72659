"""`what-if` equals a real run with the changed suite, and refuses what it cannot recompute."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise.model.diagnostic import ConfigError
from fieldwise.study.stored_batch import StoredPart
from fieldwise.study.what_if import WhatIf, what_if

FIELDS = [
    {"path": "name", "match": "fuzzy", "threshold": 0.8},
    {"path": "total", "match": "numeric_tolerance", "tolerance": 0.5},
    {"path": "share", "match": "numeric_tolerance", "tolerance": 0.1, "relative": True},
    {"path": "both", "match": "numeric_tolerance", "tolerance": 0.1, "relative_tolerance": 0.05, "parse": True},
    {"path": "price", "match": "money", "tolerance": 0.1},
    {"path": "at", "match": "datetime", "tolerance": "60s"},
    {"path": "items[*].n", "match": "numeric_tolerance", "tolerance": 1},
    {"path": "items[*].t", "match": "fuzzy"},
    "plain",
]
NAMES = st.sampled_from(["Acme Corp", "ACME corp.", "Acme", "Globex", "", "glbex", 5, None, ["Acme"], "naïve", 3.5, True])
NUMBERS = st.one_of(
    st.integers(-5, 5),
    st.sampled_from(
        [
            0.1,
            0.3,
            1.1,
            1.0,
            100,
            100.1,
            2**53 + 1,
            1e300,
            "1.5",
            "$5",
            "5 EUR",
            "x",
            True,
            None,
            {"$any": [1, 2.5, "x"]},
            {"$any": [3, None]},
        ]
    ),
)
MONEY = st.sampled_from([5, 5.1, "5.05", "$5", "EUR 5", "EUR 5.10", "(3.20)", "five", None])
MOMENTS = st.sampled_from(["2024-03-01 10:00", "2024-03-01 10:00:59", "2024-03-01 10:01", "2024-03-01", "soon", None, "2023-01-01 10:00Z"])
ITEMS = st.lists(st.fixed_dictionaries({}, optional={"n": NUMBERS, "t": NAMES}), max_size=3)
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "name": NAMES,
        "total": NUMBERS,
        "share": NUMBERS,
        "both": NUMBERS,
        "price": MONEY,
        "at": MOMENTS,
        "items": st.one_of(ITEMS, st.none()),
        "plain": NAMES,
    },
)
PATHS = [rule if isinstance(rule, str) else rule["path"] for rule in FIELDS]
LIMITS = st.sampled_from([0, 0.05, 0.1, 0.3, 0.5, 0.75, 0.85, 0.9, 1, 1.0])
SETTINGS = st.one_of(
    st.tuples(st.sampled_from(["name", "items[*].t"]), st.just("threshold"), LIMITS),
    st.tuples(
        st.sampled_from(["total", "share", "both", "price", "at", "items[*].n"]),
        st.just("tolerance"),
        st.one_of(LIMITS, st.sampled_from([2, 10, 100])),
    ),
    st.tuples(st.just("both"), st.just("relative_tolerance"), LIMITS),
    st.tuples(st.sampled_from(PATHS), st.just("weight"), st.sampled_from([0, 0.5, 1, 3])),
    st.tuples(st.sampled_from(PATHS), st.just("required"), st.booleans()),
    st.tuples(st.sampled_from(PATHS), st.just("unexpected"), st.sampled_from(["ignore", "miss"])),
    st.tuples(st.none(), st.just("aggregation"), st.sampled_from(["all_or_nothing", "weighted_average"])),
    st.tuples(st.none(), st.just("unexpected"), st.sampled_from(["ignore", "miss"])),
    st.tuples(st.none(), st.just("pass_at"), st.sampled_from([0.1, 0.5, 0.9])),
)


def write_suite(folder: Path, cases: list[dict[str, Any]], evaluators: list[dict[str, Any]], **more: Any) -> Path:
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    suite = folder / "suite.eval.yaml"
    suite.write_text(json.dumps({"cases": "cases.jsonl", "evaluators": evaluators, **more}))
    return suite


def run_suite(suite: Path) -> fw.Run:
    return fw.run(suite, root=suite.parent / "runs")


def as_text(name: str, choices: list[tuple[str | None, str, Any]]) -> list[str]:
    return [".".join(filter(None, (name, path, option))) + f"={json.dumps(value)}" for path, option, value in choices]


def assert_equal_to_real_run(answer: WhatIf, real: fw.Run, evaluator: str) -> None:
    recomputed, measured = answer.after.evaluators[evaluator], real.full.evaluators[evaluator]
    assert {name: (metric.value, metric.n) for name, metric in recomputed.metrics.items()} == {
        name: (metric.value, metric.n) for name, metric in measured.metrics.items()
    }
    assert recomputed.counts == measured.counts
    assert dict(recomputed.flags) == dict(measured.flags)
    for field, real_field in zip(recomputed.fields, measured.fields, strict=True):
        assert (field.field, field.rule, field.n, field.matched, field.score.value) == (
            real_field.field,
            real_field.rule,
            real_field.n,
            real_field.matched,
            real_field.score.value,
        )
        assert dict(field.outcomes) == dict(real_field.outcomes)
    assert [(gate.after.gate, gate.after.passed, gate.after.value) for gate in answer.gates] == [
        (gate.gate, gate.passed, gate.value) for gate in real.gates
    ]


def cases_of(records: list[tuple[Any, Any]]) -> list[dict[str, Any]]:
    return [{"id": str(number), "expected": expected, "actual": actual} for number, (expected, actual) in enumerate(records)]


COMPLETE = {
    "name": "a",
    "total": 1,
    "share": 1,
    "both": 1,
    "price": 5,
    "at": "2024-03-01 10:00",
    "items": [{"n": 1, "t": "x"}],
    "plain": "p",
}


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    records=st.lists(st.tuples(RECORDS, st.one_of(RECORDS, st.none())), min_size=1, max_size=12),
    choices=st.lists(SETTINGS, min_size=1, max_size=4, unique_by=lambda choice: choice[:2]),
)
def test_what_if_equals_a_real_run_to_the_bit(tmp_path_factory, records, choices):
    folder = tmp_path_factory.mktemp("whatif")
    cases = cases_of([(COMPLETE, COMPLETE), *records])
    evaluator = {"type": "field_accuracy", "name": "f", "fields": FIELDS, "unexpected": "miss"}
    suite = write_suite(folder, cases, [evaluator], gate={"f.score": ">= 0.5"})
    stored = run_suite(suite)
    answer = what_if(stored, as_text("f", choices))
    suite.write_text(json.dumps(answer.document.value))
    real = run_suite(suite)
    assert_equal_to_real_run(answer, real, "f")
    passed = {(stored.case, stored.path): stored.passed for stored in real.comparisons()}
    was_passed = {(stored.case, stored.path): stored.passed for stored in stored.comparisons()}
    flipped = {(flip.case, flip.comparison.path): flip.comparison.passed for flip in answer.flips}
    assert flipped == {key: value for key, value in passed.items() if value != was_passed[key]}


RECORDS_OF_TWO = [
    ({"name": "Acme Corp", "total": 10.0, "extra": None}, {"name": "Acme Corp.", "total": 10.4}),
    ({"name": "Globex", "total": 7}, {"name": "Glob", "total": "7", "more": 1}),
    ({"name": "Initech", "total": 3}, None),
    ({"name": None, "total": 1}, {"name": "x", "total": 1}),
    ({"name": "a free text", "total": 2}, {"name": "a freer text", "total": 2}),
]
FUZZY_NAME = {"name": "FUZZY"}
BOXES = [({"b": [[0, 0, 10, 10], [20, 20, 30, 30]]}, {"b": [[0, 0, 10, 6], [20, 20, 30, 29]]}), ({"b": [[0, 0, 4, 4]]}, {"b": []})]


@pytest.mark.parametrize(
    ("evaluator", "records", "choices"),
    [
        ({"type": "field_prf", "fields": [{"path": "name", "match": "fuzzy"}]}, RECORDS_OF_TWO, [("name", "threshold", 0.95)]),
        ({"type": "field_prf", "fields": [{"path": "total", "match": "numeric_tolerance"}]}, RECORDS_OF_TWO, [("total", "tolerance", 0.5)]),
        ({"type": "field_prf"}, RECORDS_OF_TWO, [(None, "substitution_counts", "fp"), (None, "pass_at", 0.4)]),
        ({"type": "field_accuracy"}, RECORDS_OF_TWO, [(None, "aggregation", "all_or_nothing")]),
        ({"type": "json_quality", "default_text": "FUZZY"}, RECORDS_OF_TWO, [(None, "fuzzy_threshold", 0.95)]),
        (
            {"type": "json_quality", "strategies": {"name": "FUZZY"}, "default_text": "EXACT"},
            RECORDS_OF_TWO,
            [(None, "fuzzy_threshold", 0.6)],
        ),
        ({"type": "json_quality", "default_text": "EXACT"}, RECORDS_OF_TWO, [("weights", "w_accuracy", 0.9), (None, "clamp", False)]),
        ({"type": "iou_score", "path": "b", "threshold": 0.5}, BOXES, [(None, "threshold", 0.7)]),
        ({"type": "coordinate_distance", "path": "b", "threshold": 0.5}, [({"b": [[0, 0]]}, {"b": [[0, 1]]})], [(None, "threshold", 2)]),
    ],
)
def test_every_evaluator_that_recomputes_equals_a_real_run(tmp_path, evaluator, records, choices):
    suite = write_suite(tmp_path, cases_of(records), [{"name": "f", **evaluator}], gate={"f.score": ">= 0.5"})
    answer = what_if(run_suite(suite), as_text("f", choices))
    suite.write_text(json.dumps(answer.document.value))
    assert_equal_to_real_run(answer, run_suite(suite), "f")


@pytest.fixture(scope="module")
def stored_run(tmp_path_factory):
    rules = [
        {"path": "name", "match": "fuzzy"},
        {"path": "binary", "match": "fuzzy", "score": "binary", "required": False},
        {"path": "total", "match": "numeric_tolerance", "tolerance": 0.1},
        {"path": "length", "match": "duration", "required": False},
        {"path": "items[*].n", "match": "numeric_tolerance"},
        {"path": '["odd.key = 1"]'},
    ]
    evaluators = [
        {"type": "field_accuracy", "name": "my-fields", "fields": rules, "lists": {"items": "best"}},
        {"type": "field_prf"},
        {"type": "composite", "name": "both", "evaluators": ["field_prf"]},
        {"type": "field_accuracy", "name": "inferred"},
    ]
    record = {"name": "Acme", "binary": "a", "total": 10.0, "length": "5 min", "items": [{"n": 1}], "odd.key = 1": "x"}
    cases = cases_of([(record, {**record, "name": "Acne", "total": 10.3}), (record, record)])
    return run_suite(write_suite(tmp_path_factory.mktemp("stored"), cases, evaluators, gate={"my-fields.score": ">= 0.9"}))


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("my-fields.name.normalize=false", "only similarities and distances are stored"),
        ("my-fields.name.algorithm=token_set", "only similarities and distances are stored"),
        ("my-fields.name.match=exact", "compared in another way"),
        ("my-fields.binary.threshold=0.5", "score: binary"),
        ("my-fields.length.tolerance=60", "stores no distance"),
        ("my-fields.total.relative=true", "only similarities and distances"),
        ("my-fields.total.relative_tolerance=0.1", "no relative distances"),
        ("my-fields.items[*].n.tolerance=2", "align: best"),
        ("my-fields.items[*].n.weight=2", "align: best"),
        ("my-fields.weight=2", "composite"),
        ("my-fields.when={}", "`when`"),
        ("field_prf.empty=absent", "comparisons themselves depend on it"),
        ("inferred.nme.threshold=0.5", "did you mean `name`"),
        ("my-fields.nme.weight=2", "no rule for the field"),
        ("my-fields.name.treshold=0.5", "treshold"),
        ("my-fields.name.threshold=1.5", "threshold"),
        ("other.name.weight=2", "names no evaluator"),
        ("gate.my-fields.scroe=>= 0.5", "scroe"),
        ("my-fields.name.weight", "is no setting"),
    ],
)
def test_what_cannot_be_recomputed_is_refused_with_the_reason(stored_run, setting, reason):
    with pytest.raises(ConfigError, match=re.escape(reason)):
        what_if(stored_run, [setting])


def test_names_with_dots_and_odd_keys_are_found(stored_run):
    answer = what_if(stored_run, ['my-fields.["odd.key = 1"].weight=3', "my-fields.total.tolerance=0.5", "gate.my-fields.score=>= 0.95"])
    assert [(setting.field, setting.option, setting.after) for setting in answer.settings] == [
        ('["odd.key = 1"]', "weight", 3),
        ("total", "tolerance", 0.5),
        (None, "my-fields.score", ">= 0.95"),
    ]
    [flip] = answer.flips
    assert (flip.case, flip.comparison.path, flip.comparison.passed) == ("0", "total", True)
    assert flip.distance == pytest.approx(0.3)
    [gate] = answer.gates
    assert gate.gate == "my-fields.score >= 0.95"
    assert gate.before is not None
    assert gate.before.gate == "my-fields.score >= 0.9"


def test_an_evaluator_that_depends_on_a_changed_one_is_said_not_to_be_recomputed(stored_run):
    answer = what_if(stored_run, ["field_prf.pass_at=0.5"])
    assert answer.not_recomputed == ["`both`: it depends on an evaluator that changes; run the suite again to see it"]
    assert answer.after.evaluators["both"] == answer.before.evaluators["both"]


def test_a_run_without_stored_distances_refuses_a_tolerance_and_accepts_a_threshold(tmp_path, monkeypatch):
    rules = [{"path": "a", "match": "numeric_tolerance"}, {"path": "b", "match": "fuzzy"}]
    cases = cases_of([({"a": 1.0, "b": "x"}, {"a": 1.2, "b": "y"})])
    stored = run_suite(write_suite(tmp_path, cases, [{"type": "field_accuracy", "fields": rules}]))
    monkeypatch.setattr(StoredPart, "lacks", lambda self, column: column in ("distance", "relative_distance", "unpaired"))
    with pytest.raises(ConfigError, match="earlier version, without distances"):
        what_if(stored, ["field_accuracy.a.tolerance=0.5"])
    assert len(what_if(stored, ["field_accuracy.b.threshold=0"]).flips) == 1
