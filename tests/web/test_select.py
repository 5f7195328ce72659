"""Which cases are wanted: the index in memory finds what a walk over every result finds."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.store.reading import StoredResult
from fieldwise.store.run import Run
from fieldwise.web.select import Index, Wanted, chosen

RECORD = {"a": 1, "b": "x", "items": [{"n": 1}, {"n": 2}]}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Forty cases with everything that may become of them, in parts of their own."""
    folder = tmp_path_factory.mktemp("select")
    actuals: list[Any] = [RECORD, {**RECORD, "a": 2}, {**RECORD, "b": "X"}, {"a": 1}, {**RECORD, "c": 3}, None, {**RECORD, "a": "1"}]
    cases = [
        {"id": f"Case {n}", "expected": RECORD, "actual": actuals[n % 7], "tags": [f"t{n % 3}"], "split": "test" if n % 2 else "train"}
        for n in range(40)
    ]
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    suite = {
        "name": "all",
        "cases": str(folder / "cases.jsonl"),
        "evaluators": [{"type": "field_prf"}, {"type": "json_quality", "when": {"tag": "t1"}}],
    }
    return fw.run(suite, root=folder, chunk=16)


Test = Callable[[StoredResult], bool]
WRONG = ("wrong_value", "format_error", "omission", "hallucination", "fault")


def has(test: Callable[[Any], bool]) -> Test:
    return lambda one: any(test(comparison) for comparison in one.result.comparisons)


@pytest.mark.parametrize(
    ("asked", "test"),
    [
        ({}, lambda one: True),
        ({"verdict": "fail"}, lambda one: one.result.verdict == "fail"),
        ({"status": "error"}, lambda one: one.result.status == "error"),
        ({"low": 0.5, "high": 0.9}, lambda one: 0.5 <= one.result.score <= 0.9),
        ({"text": "case 1"}, lambda one: "case 1" in one.case.lower()),
        ({"outcome": "wrong"}, has(lambda each: each.outcome in WRONG)),
        ({"outcome": "match"}, has(lambda each: each.outcome == "match")),
        ({"field": "a"}, has(lambda each: each.field == "a")),
        ({"field": "a", "outcome": "match"}, has(lambda each: (each.field, each.outcome) == ("a", "match"))),
        ({"field": "a", "outcome": "format_error"}, has(lambda each: (each.field, each.outcome) == ("a", "format_error"))),
        ({"field": "nowhere", "outcome": "wrong"}, lambda one: False),
        ({"cause": "letter_case"}, has(lambda each: each.cause == "letter_case")),
        ({"cause": "letter_case", "outcome": "match"}, has(lambda each: (each.cause, each.outcome) == ("letter_case", "match"))),
        ({"tag": "t1"}, lambda one: one.position % 3 == 1),
        ({"split": "test", "verdict": "pass"}, lambda one: one.position % 2 == 1 and one.result.verdict == "pass"),
        ({"tag": "none"}, lambda one: False),
        ({"verdict": "perhaps"}, lambda one: False),
    ],
)
@pytest.mark.parametrize("evaluator", ["field_prf", "json_quality"])
def test_the_index_finds_what_a_walk_over_every_result_finds(run: Run, evaluator: str, asked: dict[str, Any], test: Test) -> None:
    every = [one for one in run.results(evaluator) if test(one)]
    for order, key in (("case", None), ("score", lambda one: one.result.score), ("-score", lambda one: -one.result.score)):
        found = chosen(Index(), run, Wanted(evaluator=evaluator, order=order, **asked))
        wanted = every if key is None else sorted(every, key=key)
        assert [(one.position, one.id) for one in found.page(0, 100)] == [(one.position, one.case) for one in wanted]
        assert len(found) == len(every)


def test_neighbours_are_those_beside_it_in_order(run: Run) -> None:
    found = chosen(Index(), run, Wanted(evaluator="json_quality", order="score"))
    ids = [one.id for one in found.page(0, 100)]
    [second] = found.page(1, 1)
    assert found.near(second.position) == (ids[0], ids[2])
    assert found.near(found.page(0, 1)[0].position) == (None, ids[1])
    assert found.near(0) == (None, None)  # a case that the evaluator is not for


def test_how_scores_are_spread_is_what_the_report_says(run: Run) -> None:
    from fieldwise.report.lowest import spread

    for name in run.evaluators:
        mine, report = Index().spread(run, name), spread(run, name, 5)
        assert (mine.bins, mine.measured) == (report.bins, report.measured)
