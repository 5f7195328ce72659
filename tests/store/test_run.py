"""Runs on disk: what is written is what is read."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from outcome_factory import EVALUATORS, PRF, build, cut, rule

import fieldwise as fw
from fieldwise.engines.run_totals import RunTotals
from fieldwise.model.batch import BatchOutcome, EvaluatorOutcome
from fieldwise.model.case import Case, Cases
from fieldwise.model.comparison import ComparisonTable, Outcome
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.plan import Plan
from fieldwise.model.result import Result, Results, Status
from fieldwise.model.summary import GateResult, Summary
from fieldwise.model.values import MISSING
from fieldwise.store import writer
from fieldwise.store.checksums import dump_sealed, load_sealed
from fieldwise.store.errors import StoreError
from fieldwise.store.part_reader import list_part_files, read_table
from fieldwise.store.run import list_runs, open_run
from fieldwise.store.run_names import RunNotFound
from fieldwise.store.writer import RunWriter
from fieldwise.summarize.state import SummaryState

PLAN = Plan(name="invoices", source=None, evaluators=EVALUATORS, file="invoices.eval.yaml", text="name: invoices\n")


def stored(root, *batches, part_cases=20_000, plan=PLAN, **finish):
    state = SummaryState(plan.evaluators)
    with RunWriter(root, plan, fingerprints={"data.jsonl": "sha256:0"}, part_cases=part_cases) as writer:
        for batch in batches:
            state.add(batch)
            writer.write(batch)
        return writer.finish(state.finish({}), **finish)


def as_given(batch):
    """The results of a batch as they would be read: by case, then by evaluator."""
    rows_read = []
    for row, name in enumerate(batch.cases.id):
        for evaluated in batch.evaluated:
            for position in np.flatnonzero(evaluated.rows == row).tolist():
                results = evaluated.results
                metrics = {key: column[position].item() for key, column in results.metrics.items()}
                result = Result(
                    score=float(results.score[position]),
                    verdict={2: "pass", 1: "partial", 0: "fail", -1: None}[int(results.verdict[position])],
                    hits=results.hits.at(position),
                    misses=results.misses.at(position),
                    reasoning=results.reasoning[position],
                    status=Status(results.status[position]).label,
                    metrics={key: value for key, value in metrics.items() if not np.isnan(value)},
                    details=results.details(position),
                    comparisons=[] if results.comparisons is None else list(results.comparisons.of_case(position)),
                )
                rows_read.append((name, evaluated.evaluator.name, result))
    return rows_read


def as_read(run, **which):
    return [(row.case, row.evaluator, row.result) for row in run.results(**which)]


def test_results_are_read_as_they_were_written(tmp_path):
    batch = build(40)
    stored(tmp_path, batch)
    assert as_read(open_run(tmp_path)) == as_given(batch)


@pytest.mark.parametrize("size", [1, 7, 16, 100])
def test_parts_of_any_size_hold_the_same_results(tmp_path, size):
    batch = build(40)
    run = stored(tmp_path, *(cut(batch, start, min(start + 5, 40)) for start in range(0, 40, 5)), part_cases=size)
    assert as_read(run) == as_given(batch)
    assert sum(part.cases for part in run.parts) == 40


def test_many_cases_are_read_in_blocks_without_a_seam(tmp_path):
    batch = build(1203, fields=2)
    assert as_read(stored(tmp_path, batch)) == as_given(batch)


def test_a_part_of_several_row_groups_is_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr("fieldwise.store.writer._ROW_GROUP_SIZES", dict.fromkeys(("cases", "results", "comparisons", "pool"), 7))
    run = stored(tmp_path, build(40))
    totals = RunTotals(EVALUATORS)
    totals.add_stored_parts(run.path, run.parts)
    assert totals.build_summary() == run.manifest.summary


def test_cases_that_stand_in_several_row_groups_are_read_together(tmp_path, monkeypatch):
    monkeypatch.setattr("fieldwise.store.writer._ROW_GROUP_SIZES", dict.fromkeys(("cases", "results", "comparisons", "pool"), 7))
    batch = build(40)
    run = stored(tmp_path, batch)
    [file] = list_part_files(run.parts[0], "results", PRF.name)
    table = read_table(run.path, file, case=[0, 8, 39], columns=["case", "hits"])
    results = next(evaluated.results for evaluated in batch.evaluated if evaluated.evaluator.name == PRF.name)
    assert table.column("case").to_pylist() == [0, 8, 39]
    assert table.column("hits").to_pylist() == [results.hits.at(row) for row in (0, 8, 39)]
    assert read_table(run.path, file, case=[], columns=["hits"]).num_rows == 0


def test_batches_may_come_in_any_order(tmp_path):
    batch = build(40)
    run = stored(tmp_path, *(cut(batch, start, start + 10) for start in (30, 0, 20, 10)), part_cases=10)
    assert as_read(run) == as_given(batch)


def test_one_evaluator_or_one_case_can_be_asked_for(tmp_path):
    batch = build(40)
    run = stored(tmp_path, batch, part_cases=10)
    rows = as_given(batch)
    assert as_read(run, evaluator="answers") == [row for row in rows if row[1] == "answers"]
    assert as_read(run, case="case-26") == [row for row in rows if row[0] == "case-26"]
    assert as_read(run, evaluator="answers", case="case-27") == []


def test_an_unknown_evaluator_or_case_says_what_there_is(tmp_path):
    run = stored(tmp_path, build(3))
    with pytest.raises(KeyError, match="it has field_prf, answers"):
        list(run.results(evaluator="field"))
    with pytest.raises(KeyError, match="no case `nobody`"):
        run.case("nobody")


def test_a_case_is_read_as_it_was_given(tmp_path):
    cases = [
        Case(id="a", input={"q": 1}, expected={"n": 2**70}, actual=MISSING, contexts=["c", {"d": 1}], metadata={"k": 1}, tags=("x", "y")),
        Case(id="b", input=None, expected=None, actual="text", split="test", actuals=[1, 2]),
    ]
    batch = BatchOutcome(first=0, cases=Cases.of(cases), evaluated=[])
    run = stored(tmp_path, batch)
    assert [run.case("a"), run.case("b")] == cases


def test_the_summary_survives_the_disk(tmp_path):
    batch = build(60)
    stored(tmp_path, batch)
    state = SummaryState(EVALUATORS)
    state.add(batch)
    run = open_run(tmp_path)
    assert run.full == state.finish({})
    assert run.summary["field_prf.macro_f1"] == run.full.evaluators["field_prf"].metrics["f1"].value
    assert [field.field for field in run.fields("field_prf")] == ["f0", "f1", "f2", "f3"]


def test_the_manifest_says_what_ran_and_how_it_went(tmp_path):
    gates = [GateResult(gate="field_prf.score >= 0.9", passed=False, value=0.5, message="…")]
    problems = [Diagnostic(code="odd", what="odd <thing>", where=Where(case="a", line=3), fix="mend it", level="warning")]
    run = stored(tmp_path, build(4), gates=gates, diagnostics=problems, exit_code=1)
    read = open_run(tmp_path, run.id)
    assert (list(read.gates), list(read.diagnostics), read.exit_code, read.name) == (gates, problems, 1, "invoices")
    raw = json.loads((run.path / "manifest.json").read_text())
    assert raw["fingerprints"]["data.jsonl"] == "sha256:0"
    assert raw["fingerprints"]["suite"].startswith("sha256:")
    assert raw["suite"] == "name: invoices\n"
    assert [(evaluator["name"], evaluator["type"]) for evaluator in raw["evaluators"]] == [
        ("field_prf", "field_prf"),
        ("answers", "answer_quality"),
    ]
    assert raw["environment"]["numpy"] == np.__version__
    for part in raw["parts"]:
        for file in part["files"]:
            assert (run.path / "parts" / file["file"]).stat().st_size == file["bytes"]


def test_a_run_that_was_interrupted_is_unfinished_and_keeps_what_it_had(tmp_path):
    batch = build(30)

    def interrupted():
        with RunWriter(tmp_path, PLAN, part_cases=10) as writer:
            writer.write(cut(batch, 0, 10))
            writer.write(cut(batch, 10, 15))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    run = open_run(tmp_path)
    assert (run.state, run.finished, run.exit_code, run.name) == ("unfinished", None, None, "invoices")
    assert as_read(run) == as_given(cut(batch, 0, 15))


def test_a_part_without_its_record_does_not_count(tmp_path):
    batch = build(20)
    writer = RunWriter(tmp_path, PLAN, part_cases=10)
    writer.write(cut(batch, 0, 10))
    writer.write(cut(batch, 10, 20))
    writer.close()
    (writer.path / "parts" / "00001.json").unlink()
    assert as_read(open_run(tmp_path)) == as_given(cut(batch, 0, 10))


def test_no_temporary_file_is_left_behind(tmp_path):
    run = stored(tmp_path, build(20), part_cases=5)
    assert not list(run.path.rglob("*.tmp"))


def test_a_part_that_cannot_be_written_is_an_error_not_a_gap(tmp_path):
    writer = RunWriter(tmp_path, PLAN, part_cases=5)
    for file in (writer.path / "parts").iterdir():
        file.unlink()
    (writer.path / "parts").rmdir()
    writer.write(build(5))
    with pytest.raises(OSError, match="parts"):
        writer.finish(Summary(cases=5, evaluators={}))
    assert open_run(tmp_path).state == "unfinished"


def test_a_folder_that_never_got_a_manifest_is_unfinished(tmp_path):
    run = stored(tmp_path, build(2))
    (run.path / "manifest.json").unlink()
    assert (open_run(tmp_path).state, open_run(tmp_path).id) == ("unfinished", run.id)


def test_ids_sort_by_time_and_prefixes_find_runs(tmp_path):
    first, second = stored(tmp_path, build(2)), stored(tmp_path, build(3))
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{7}", first.id)
    assert open_run(tmp_path, first.id).full.cases == 2
    unique = next(second.id[:k] for k in range(1, 23) if not first.id.startswith(second.id[:k]))
    assert open_run(tmp_path, unique).id == second.id
    assert {run.id for run in list_runs(tmp_path)} == {first.id, second.id}
    with pytest.raises(RunNotFound, match="may be any of"):
        open_run(tmp_path, first.id[:4])
    with pytest.raises(RunNotFound, match="there is no run `x`, neither by id nor by tag or name; the latest:"):
        open_run(tmp_path, "x")


def test_no_runs_is_said_so(tmp_path):
    assert list_runs(tmp_path) == []
    with pytest.raises(RunNotFound, match="there are no runs in"):
        open_run(tmp_path)


def test_a_run_of_another_format_is_refused(tmp_path):
    run = stored(tmp_path, build(2))
    raw = load_sealed((run.path / "manifest.json").read_bytes())
    (run.path / "manifest.json").write_bytes(dump_sealed(raw | {"format": 99}))
    with pytest.raises(StoreError, match="stored in format 99"):
        open_run(tmp_path)


def test_no_cases_is_a_run_too(tmp_path):
    run = stored(tmp_path)
    assert (list(run.results()), run.to_arrow().num_rows, run.full.cases) == ([], 0, 0)


def test_arrow_has_a_row_for_each_case_and_evaluator(tmp_path):
    batch = build(40)
    table = stored(tmp_path, batch, part_cases=10).to_arrow()
    assert table.num_rows == 60
    rows = {(row["case"], row["evaluator"]): row for row in table.to_pylist()}
    for case, evaluator, result in as_given(batch):
        row = rows[case, evaluator]
        assert (row["score"], row["verdict"], row["status"]) == (result.score, result.verdict, result.status)
        assert row["f1"] == result.metrics.get("f1")
    assert {row["fault"] for row in rows.values()} == {None, "system", "ours"}


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_package_that_is_not_there_is_named(tmp_path, monkeypatch, package):
    run = stored(tmp_path, build(2))
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"pip install {package}"):
        getattr(run, f"to_{package}")()


def test_html_escapes_what_people_wrote(tmp_path):
    plan = replace(PLAN, name="<script>alert(1)</script>")
    page = stored(tmp_path, build(4), plan=plan)._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "macro_f1" in page


def results_of(rows, *, expected, actual, paths, rules=None):
    """A batch of one case per entry of expected, with comparisons (case, path, outcome, expected, actual)."""
    n = len(expected)
    column = {name: [row[k] for row in rows] for k, name in enumerate(("case", "path", "outcome", "expected", "actual"))}
    results = Results.from_results([Result(score=0.5)] * n)
    results.comparisons = ComparisonTable(
        cases=n,
        case=np.array(column["case"], dtype=np.int32),
        field=np.array(column["path"], dtype=np.int32),
        path=np.array(column["path"], dtype=np.int32),
        outcome=np.array(column["outcome"], dtype=np.uint8),
        similarity=np.ones(len(rows)),
        passed=np.ones(len(rows), dtype=np.bool_),
        expected=column["expected"],
        actual=column["actual"],
        fields=paths,
        rules=[rule("a")] * len(paths),
        paths=paths,
    )
    cases = Cases.of([Case(id=f"case-{k}", expected=expected[k], actual=actual[k]) for k in range(n)])
    return BatchOutcome(first=0, cases=cases, evaluated=[EvaluatorOutcome(evaluator=PRF, rows=np.arange(n), results=results)])


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1, 1.0),
        (1, 1),
        ("a", "a"),
        ("a", "A"),
        (True, True),
        (2**70, 2**70),
        ([1, 2], [1.0, 2]),
        ({}, {}),
        (0.1, 0.1),
        ("\ud800", "\ud800"),
    ],
)
def test_both_sides_of_a_match_keep_their_kind(tmp_path, expected, actual):
    batch = results_of([(0, 0, Outcome.MATCH, expected, actual)], expected=[{"a": expected}], actual=[{"a": actual}], paths=["a"])
    [[comparison]] = [row.result.comparisons for row in stored(tmp_path, batch).results()]
    assert (repr(comparison.expected), repr(comparison.actual)) == (repr(expected), repr(actual))


def test_no_value_null_and_nan_are_told_apart(tmp_path):
    nan = float("nan")
    rows = [
        (0, 0, Outcome.BOTH_ABSENT, None, MISSING),
        (0, 1, Outcome.OMISSION, nan, None),
        (0, 2, Outcome.HALLUCINATION, MISSING, [nan, None]),
    ]
    batch = results_of(rows, expected=[{"a": None, "b": nan}], actual=[{"b": None, "c": [nan, None]}], paths=["a", "b", "c"])
    [stored_result] = stored(tmp_path, batch).results()
    sides = [
        (comparison.expected_presence, comparison.actual_presence, repr(comparison.expected), repr(comparison.actual))
        for comparison in stored_result.result.comparisons
    ]
    assert sides == [
        ("null", "missing", "None", "None"),
        ("present", "null", "nan", "None"),
        ("missing", "present", "None", "[nan, None]"),
    ]


def test_values_that_the_record_does_not_show_are_kept(tmp_path):
    """Expected may be text with JSON inside, and a path may not lead to the value that was compared."""
    rows = [(0, 0, Outcome.MATCH, "x", "x"), (1, 0, Outcome.MATCH, "y", "y"), (1, 1, Outcome.MATCH, "z", "z")]
    batch = results_of(rows, expected=['{"a": "x"}', {"a": "y", "b": "Z"}], actual=[{}, {}], paths=["a", "b"])
    actual_values = [
        [comparison.actual for comparison in stored_result.result.comparisons] for stored_result in stored(tmp_path, batch).results()
    ]
    assert actual_values == [["x"], ["y", "z"]]


def test_odd_keys_and_list_items_are_found_again(tmp_path):
    record = {"odd.key": [{"x": "deep"}], "0": "zero"}
    rows = [(0, 0, Outcome.MATCH, "deep", "deep"), (0, 1, Outcome.MATCH, "zero", "zero")]
    batch = results_of(rows, expected=[record], actual=[record], paths=['["odd.key"][0].x', '["0"]'])
    [row] = stored(tmp_path, batch).results()
    assert [comparison.expected for comparison in row.result.comparisons] == ["deep", "zero"]


def test_shared_comparisons_are_stored_once(tmp_path):
    batch = build(10)
    [first, _] = batch.evaluated
    twin = replace(PRF, name="twin")
    shared = replace(batch, evaluated=[first, EvaluatorOutcome(evaluator=twin, rows=first.rows, results=first.results)])
    run = stored(tmp_path, shared, plan=replace(PLAN, evaluators=(PRF, twin)))
    assert [file.evaluators for file in run.parts[0].files if file.table == "comparisons"] == [("field_prf", "twin")]
    by_evaluator = {name: [row.result.comparisons for row in run.results(name)] for name in ("field_prf", "twin")}
    assert by_evaluator["field_prf"] == by_evaluator["twin"]
    assert by_evaluator["twin"][0]


def test_pooled_columns_are_kept(tmp_path):
    run = stored(tmp_path, build(10))
    [file] = [file for file in run.parts[0].files if file.table == "pool"]
    assert (file.evaluators, file.rows) == (("field_prf",), 20)


def test_a_metric_may_be_a_bool_in_one_batch_and_a_number_in_the_next(tmp_path):
    def batch(first, *metrics):
        results = Results.from_results([Result(score=0.5, metrics=values) for values in metrics])
        cases = Cases.of([Case(id=f"case-{first + k}") for k in range(len(metrics))])
        return BatchOutcome(
            first=first, cases=cases, evaluated=[EvaluatorOutcome(evaluator=PRF, rows=np.arange(len(metrics)), results=results)]
        )

    batches = [batch(0, {"right": True}), batch(1, {"right": False}, {}), batch(3, {"other": 1.5})]
    for size in (1, 100):
        run = stored(tmp_path, *batches, part_cases=size)
        assert [row.result.metrics for row in run.results()] == [{"right": True}, {"right": False}, {}, {"other": 1.5}]
        assert run.to_arrow().column("right").to_pylist() == [1.0, 0.0, None, None]


def test_text_that_is_no_valid_unicode_does_not_stop_a_run(tmp_path):
    results = Results.from_results([Result(score=0.0, misses=["a\ud800"], reasoning="b\ud800", details={"c": "\ud800"})])
    cases = Cases.of([Case(id="id\ud800", input="\ud800", expected={"k\ud800": 1}, actual="\ud800", tags=("t\ud800",))])
    run = stored(
        tmp_path, BatchOutcome(first=0, cases=cases, evaluated=[EvaluatorOutcome(evaluator=PRF, rows=np.arange(1), results=results)])
    )
    [row] = run.results()
    assert (row.case, row.result.misses, row.result.details) == ("id\\ud800", ["a\\ud800"], {"c": "\ud800"})
    assert run.case("id\\ud800").expected == {"k\ud800": 1}


def test_a_stored_result_has_what_a_result_has(tmp_path):
    stored(tmp_path, build(3))
    for row in open_run(tmp_path).results():
        said = (row.score, row.verdict, row.status, row.hits, row.misses, row.metrics)
        assert said == (row.result.score, row.result.verdict, row.result.status, row.result.hits, row.result.misses, row.result.metrics)
        with pytest.raises(AttributeError, match="a stored result has no `scores`"):
            row.scores  # noqa: B018


@pytest.mark.parametrize("step", ["write_manifest", "sync_folder"])
def test_an_interruption_before_a_run_has_its_manifest_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(writer, step, interrupt)
    with pytest.raises(KeyboardInterrupt):
        fw.run({"evaluators": [{"type": "field_prf"}]}, cases=[{"id": "a", "expected": {"a": 1}, "actual": {"a": 1}}], root=tmp_path)
    assert list((tmp_path / "runs").iterdir()) == []
