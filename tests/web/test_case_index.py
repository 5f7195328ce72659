"""Which cases are wanted: the index in memory finds what a walk over every result finds."""

import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.store.part_reader import StoredResult
from fieldwise.store.run import Run
from fieldwise.web.case_index import Cache, CaseIndex, CaseQuery, select_cases

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
    return lambda row: any(test(comparison) for comparison in row.result.comparisons)


@pytest.mark.parametrize(
    ("asked", "test"),
    [
        ({}, lambda row: True),
        ({"verdict": "fail"}, lambda row: row.result.verdict == "fail"),
        ({"status": "error"}, lambda row: row.result.status == "error"),
        ({"low": 0.5, "high": 0.9}, lambda row: 0.5 <= row.result.score <= 0.9),
        ({"text": "case 1"}, lambda row: "case 1" in row.case.lower()),
        ({"outcome": "wrong"}, has(lambda each: each.outcome in WRONG)),
        ({"outcome": "match"}, has(lambda each: each.outcome == "match")),
        ({"field": "a"}, has(lambda each: each.field == "a")),
        ({"field": "a", "outcome": "match"}, has(lambda each: (each.field, each.outcome) == ("a", "match"))),
        ({"field": "a", "outcome": "format_error"}, has(lambda each: (each.field, each.outcome) == ("a", "format_error"))),
        ({"field": "nowhere", "outcome": "wrong"}, lambda row: False),
        ({"cause": "letter_case"}, has(lambda each: each.cause == "letter_case")),
        ({"cause": "letter_case", "outcome": "match"}, has(lambda each: (each.cause, each.outcome) == ("letter_case", "match"))),
        ({"tag": "t1"}, lambda row: row.position % 3 == 1),
        ({"split": "test", "verdict": "pass"}, lambda row: row.position % 2 == 1 and row.result.verdict == "pass"),
        ({"tag": "none"}, lambda row: False),
        ({"verdict": "perhaps"}, lambda row: False),
    ],
)
@pytest.mark.parametrize("evaluator", ["field_prf", "json_quality"])
def test_the_index_finds_what_a_walk_over_every_result_finds(run: Run, evaluator: str, asked: dict[str, Any], test: Test) -> None:
    every = [row for row in run.results(evaluator) if test(row)]
    for order, key in (("case", None), ("score", lambda row: row.result.score), ("-score", lambda row: -row.result.score)):
        actual = select_cases(CaseIndex(), run, CaseQuery(evaluator=evaluator, order=order, **asked))
        expected = every if key is None else sorted(every, key=key)
        assert [(row.position, row.id) for row in actual.page(0, 100)] == [(row.position, row.case) for row in expected]
        assert len(actual) == len(every)


def test_neighbours_are_those_beside_it_in_order(run: Run) -> None:
    actual = select_cases(CaseIndex(), run, CaseQuery(evaluator="json_quality", order="score"))
    ids = [entry.id for entry in actual.page(0, 100)]
    [second] = actual.page(1, 1)
    assert actual.neighbours(second.position) == (ids[0], ids[2])
    assert actual.neighbours(actual.page(0, 1)[0].position) == (None, ids[1])
    assert actual.neighbours(0) == (None, None)  # a case that the evaluator is not for


def test_how_scores_are_spread_is_what_the_report_says(run: Run) -> None:
    from fieldwise.report.case_view import read_score_spread

    for name in run.evaluators:
        mine, report = CaseIndex().score_spread(run, name), read_score_spread(run, name, 5)
        assert (mine.bins, mine.measured) == (report.bins, report.measured)


def test_what_many_ask_for_at_the_same_time_is_made_once() -> None:
    cache, made = Cache[int](4), list[int]()

    def make() -> int:
        time.sleep(0.05)
        made.append(1)
        return 7

    actual: list[int] = []
    threads = [threading.Thread(target=lambda: actual.append(cache.get("a", make))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (actual, made) == ([7] * 8, [1])


def test_only_the_last_are_kept() -> None:
    cache = Cache[str](2)
    for key in "abac":
        cache.get(key, lambda key=key: key)
    assert cache.get("a", lambda: "new") == "a"
    assert cache.get("b", lambda: "new") == "new"


def test_what_could_not_be_made_is_tried_again() -> None:
    cache = Cache[int](2)
    with pytest.raises(ZeroDivisionError):
        cache.get("a", lambda: 1 // 0)
    assert cache.get("a", lambda: 5) == 5
