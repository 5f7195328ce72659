"""`what-if` equals a real run with the changed suite, and refuses what it cannot recompute."""

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fieldwise as fw
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
    st.sampled_from([0.1, 0.3, 1.1, 1.0, 100, 100.1, 2**53 + 1, 1e300, "1.5", "$5", "5 EUR", "x", True, None, float("nan")]),
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
    assert dict(recomputed.metrics) == dict(measured.metrics)
    assert recomputed.counts == measured.counts
    assert dict(recomputed.flags) == dict(measured.flags)
    for field, real_field in zip(recomputed.fields, measured.fields, strict=True):
        assert (field.field, field.rule, field.n, field.matched, field.score) == (
            real_field.field,
            real_field.rule,
            real_field.n,
            real_field.matched,
            real_field.score,
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


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    records=st.lists(st.tuples(RECORDS, st.one_of(RECORDS, st.none())), min_size=1, max_size=12),
    choices=st.lists(SETTINGS, min_size=1, max_size=4),
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
