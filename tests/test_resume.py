"""Runs that stop and go on: nothing lost, nothing counted twice, and nothing stands that is no longer true."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
import fieldwise.store.manifest
import fieldwise.store.writer
from fieldwise import api
from fieldwise.model.plan import When
from fieldwise.registry import EVALUATORS
from fieldwise.score.evaluate import score_batch
from fieldwise.store.errors import Interrupted, StoreError
from fieldwise.store.lock import RunLock
from fieldwise.store.run import Run, list_runs, open_run
from fieldwise.suite_plan import compile_suite
from fieldwise.summarize.state import SummaryState

HERE = Path(__file__).parents[1]
FIELDS = {"type": "field_accuracy", "name": "fields", "fields": ["number", "total"]}


def case(at: int, **changed: Any) -> dict[str, Any]:
    expected = {"number": f"N-{at}", "total": at + 0.5}
    actual = expected if at % 3 else {**expected, "total": 0}
    return {"id": f"c{at}", "expected": expected, "actual": actual, "tags": [f"t{at % 2}"], **changed}


class Suite:
    """A suite in a folder of its own, in batches of 5 cases and parts of 10."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.root = folder, folder / "store"
        self.evaluators: list[Any] = [FIELDS, {"type": "field_prf"}]
        self.write([case(at) for at in range(40)])
        self.scored: list[str] = []

    def write(self, cases: list[dict[str, Any]]) -> None:
        self.cases = cases
        (self.folder / "data.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))

    def run(self, *, stop_at: int | None = None, **options: Any) -> Run:
        """Run the suite; interrupt it after `stop_at` cases."""

        def progress(done: int, share: float | None) -> None:
            if done == stop_at:
                raise KeyboardInterrupt

        self.scored.clear()
        suite = {"name": "s", "cases": str(self.folder / "data.jsonl"), "evaluators": self.evaluators}
        return fw.run(suite, **{"root": self.root, "chunk": 5, "progress": progress, **options})

    def interrupted(self, at: int = 25, **options: Any) -> str:
        with pytest.raises(Interrupted) as stop:
            self.run(stop_at=at, **options)
        return stop.value.run

    def undisturbed(self) -> Run:
        return self.run(root=self.folder / "other")


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    suite = Suite(tmp_path)
    monkeypatch.setattr(fieldwise.store.writer, "PART_CASES", 10)

    def watched(plan: Any, cases: Any, *rest: Any) -> Any:
        suite.scored += cases.id
        return score_batch(plan, cases, *rest)

    monkeypatch.setattr(api, "score_batch", watched)
    return suite


def figures_of(run: Run) -> dict[str, Any]:
    """Everything that a run reports except its id and times."""
    notes = [diagnostic.to_json() for diagnostic in run.diagnostics if diagnostic.code not in ("resumed", "not-resumed")]
    results = [(stored.case, stored.position, stored.evaluator, stored.result.to_json()) for stored in run.results()]
    return {"summary": run.full, "gates": run.gates, "code": run.exit_code, "notes": notes, "results": results}


def resume_note(run: Run) -> str:
    [note] = [diagnostic.what for diagnostic in run.diagnostics if diagnostic.code in ("resumed", "not-resumed")]
    return note


def names(*numbers: range) -> list[str]:
    return [f"c{at}" for numbers_of_part in numbers for at in numbers_of_part]


class TestGoingOn:
    def test_an_interrupted_run_keeps_every_batch_it_had_and_the_rest_is_scored_when_it_goes_on(self, suite: Suite) -> None:
        stopped = suite.interrupted(25)
        assert open_run(suite.root).state == "unfinished"
        assert len(list(open_run(suite.root).results("fields"))) == 25
        run = suite.run(resume=True)
        assert suite.scored == names(range(25, 40))
        assert (run.id, run.state, resume_note(run)) == (stopped, "finished", "resumed: 25 cases were already stored")
        assert figures_of(run) == figures_of(suite.undisturbed())

    def test_it_may_be_interrupted_again_and_again(self, suite: Suite) -> None:
        first = suite.interrupted(5)
        assert [suite.interrupted(at, resume=True) for at in (10, 25, 30, 40)] == [first] * 4
        assert figures_of(suite.run(resume=True)) == figures_of(suite.undisturbed())
        assert suite.scored == names(range(40))

    def test_a_run_that_was_stopped_before_its_first_part_begins_again(self, suite: Suite) -> None:
        first = suite.interrupted(5)
        for part in (open_run(suite.root).path / "parts").iterdir():
            part.unlink()
        run = suite.run(resume=True)
        assert (run.id, suite.scored) == (first, names(range(40)))

    def test_without_an_unfinished_run_a_new_one_begins_and_says_so(self, suite: Suite) -> None:
        done = suite.run()
        run = suite.run(resume=True)
        assert run.id != done.id
        assert "no unfinished run" in resume_note(run)
        assert figures_of(run) == figures_of(done)

    def test_the_unfinished_run_of_another_suite_is_left_alone(self, suite: Suite) -> None:
        stopped = suite.interrupted()
        other_run = fw.run(
            {"name": "other", "cases": str(suite.folder / "data.jsonl"), "evaluators": [FIELDS]}, root=suite.root, resume=True
        )
        assert other_run.id != stopped
        assert open_run(suite.root, stopped).state == "unfinished"

    def test_a_run_can_be_named(self, suite: Suite) -> None:
        first, second = suite.interrupted(10), suite.interrupted(20)
        assert suite.run(resume=first).id == first
        assert suite.run(resume=True).id == second

    def test_a_run_that_is_finished_or_unknown_cannot_be_resumed(self, suite: Suite) -> None:
        done = suite.run()
        with pytest.raises(fw.ConfigError, match="is finished"):
            suite.run(resume=done.id)
        with pytest.raises(fw.ConfigError, match="there is no run `nobody`"):
            suite.run(resume="nobody")

    def test_a_run_that_another_process_is_writing_is_not_touched(self, suite: Suite) -> None:
        stopped = suite.interrupted()
        lock = RunLock(suite.root / "runs" / stopped)
        with pytest.raises(fw.ConfigError, match="another process is writing"):
            suite.run(resume=stopped)
        assert suite.run(resume=True).id != stopped
        lock.release()
        assert suite.run(resume=stopped).id == stopped

    def test_standard_input_cannot_be_read_again(self, suite: Suite) -> None:
        with pytest.raises(fw.ConfigError, match="standard input cannot be read again"):
            suite.run(cases="-", resume=True)

    def test_other_batches_than_before_make_no_difference(self, suite: Suite) -> None:
        suite.interrupted(25)
        run = suite.run(resume=True, chunk=7)
        assert suite.scored == names(range(25, 40))
        assert figures_of(run) == figures_of(suite.undisturbed())

    def test_parts_end_after_a_while_so_that_slow_judges_lose_little(self, suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(fieldwise.store.writer, "PART_SECONDS", 0.0)
        assert [part.cases for part in suite.run().parts] == [5] * 8


class TestWhatChanged:
    def test_a_case_whose_data_changed_is_scored_again_with_its_part(self, suite: Suite) -> None:
        suite.interrupted(30)
        suite.write([*suite.cases[:12], case(12, actual={"number": "wrong"}), *suite.cases[13:]])
        run = suite.run(resume=True)
        assert suite.scored == names(range(10, 20), range(30, 40))
        assert "20 cases were already stored; 10 were scored again" in resume_note(run)
        assert figures_of(run) == figures_of(suite.undisturbed())
        assert [part.cases for part in run.parts] == [10, 10, 10, 10]

    @pytest.mark.parametrize(
        "changed",
        [
            {"input": "another question"},
            {"contexts": ["new"]},
            {"tags": ["t9"]},
            {"split": "test"},
            {"metadata": {"k": 1}},
            {"expected": {"number": "N-3", "total": 3}},
            {"id": "renamed"},
        ],
    )
    def test_whatever_of_a_case_changed_it_is_scored_again(self, suite: Suite, changed: dict[str, Any]) -> None:
        suite.interrupted(30)
        suite.write([*suite.cases[:3], {**suite.cases[3], **changed}, *suite.cases[4:]])
        run = suite.run(resume=True)
        assert len(suite.scored) == 20
        assert figures_of(run) == figures_of(suite.undisturbed())

    def test_a_case_that_was_taken_out_moves_all_that_follow(self, suite: Suite) -> None:
        suite.interrupted(30)
        suite.write(suite.cases[:15] + suite.cases[16:])
        run = suite.run(resume=True)
        assert run.full.cases == 39
        assert figures_of(run) == figures_of(suite.undisturbed())

    def test_a_file_that_grew_or_shrank_is_followed(self, suite: Suite) -> None:
        suite.interrupted(40)
        suite.write([case(at) for at in range(47)])
        assert suite.interrupted(45, resume=True)
        suite.write([case(at) for at in range(33)])
        run = suite.run(resume=True)
        assert run.full.cases == 33
        assert figures_of(run) == figures_of(suite.undisturbed())

    def test_fewer_or_other_cases_can_be_asked_for(self, suite: Suite) -> None:
        suite.interrupted(30)
        assert suite.run(resume=True, limit=12).full.cases == 12
        suite.interrupted(30)
        run = suite.run(resume=True, only=When(tag=("t1",)))
        assert {row.case for row in run.results()} == {f"c{at}" for at in range(1, 40, 2)}

    def test_changed_rules_begin_a_new_run_that_says_why(self, suite: Suite) -> None:
        stopped = suite.interrupted()
        suite.evaluators = [
            {**FIELDS, "fields": ["number", {"path": "total", "match": "numeric_tolerance", "tolerance": 1000}]},
            {"type": "field_prf"},
        ]
        run = suite.run(resume=True)
        assert run.id != stopped
        assert suite.scored == names(range(40))
        assert f"run {stopped} was not resumed: the rules of `fields` changed" in resume_note(run)
        assert run.summary["fields.score"] == 1.0

    @pytest.mark.parametrize(
        ("evaluators", "why"),
        [
            ([FIELDS], "the evaluator `field_prf` is gone"),
            ([FIELDS, {"type": "field_prf"}, {"type": "json_quality"}], "the evaluator `json_quality` was added"),
            ([{**FIELDS, "pass_at": 0.9}, {"type": "field_prf"}], "the rules of `fields` changed"),
            ([{**FIELDS, "when": {"tag": "t1"}}, {"type": "field_prf"}], "the rules of `fields` changed"),
        ],
    )
    def test_other_evaluators_begin_a_new_run(self, suite: Suite, evaluators: list[Any], why: str) -> None:
        suite.interrupted()
        suite.evaluators = evaluators
        assert why in resume_note(suite.run(resume=True))

    def test_gates_may_change_because_they_are_judged_at_the_end(self, suite: Suite) -> None:
        stopped = suite.interrupted()
        run = suite.run(resume=True, gates=["fields.score >= 0.99"])
        assert (run.id, run.exit_code) == (stopped, 1)

    def test_rules_that_are_inferred_from_other_data_are_other_rules(self, suite: Suite) -> None:
        suite.evaluators = [{"type": "field_accuracy", "name": "fields"}]
        suite.interrupted()
        suite.write([case(0, expected={"number": "N-0", "total": 1, "more": "x"}), *suite.cases[1:]])
        assert "the rules of `fields` changed" in resume_note(suite.run(resume=True))

    def test_a_file_of_rules_that_changed_is_noticed(self, suite: Suite) -> None:
        strategies = suite.folder / "strategies.json"
        strategies.write_text('{"number": "EXACT", "total": "EXACT"}')
        suite.evaluators = [{"type": "json_quality", "strategies": str(strategies)}]
        suite.interrupted()
        strategies.write_text('{"number": "IGNORE", "total": "EXACT"}')
        assert "the rules of `json_quality` changed" in resume_note(suite.run(resume=True))

    def test_a_judge_whose_script_changed_is_asked_again(self, suite: Suite) -> None:
        script = suite.folder / "judge.py"
        script.write_text("print('{\"score\": 1}')")
        suite.write([case(at) for at in range(2)])
        suite.evaluators = [{"type": "code_judge", "script": [sys.executable, str(script)]}]
        suite.interrupted(1, chunk=1)
        script.write_text("print('{\"score\": 0}')")
        run = suite.run(resume=True, chunk=1)
        assert "the rules of `code_judge` changed" in resume_note(run)
        assert run.summary["code_judge.score"] == 0.0

    def test_a_new_version_of_an_evaluator_or_the_package_scores_everything_again(
        self, suite: Suite, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        suite.interrupted()
        monkeypatch.setitem(EVALUATORS.specs, "field_prf", replace(EVALUATORS.find("field_prf"), version=99))
        assert "`field_prf` is version 99 instead of" in resume_note(suite.run(resume=True))
        suite.interrupted()
        environment = fieldwise.store.manifest.describe_environment()
        monkeypatch.setattr(fieldwise.store.manifest, "describe_environment", lambda: {**environment, "rapidfuzz": "0.1"})
        assert "became 0.1" in resume_note(suite.run(resume=True))


class TestTornFiles:
    @pytest.mark.parametrize("table", ["cases", "results", "comparisons"])
    def test_a_part_with_a_torn_file_is_scored_again(self, suite: Suite, table: str) -> None:
        run = open_run(suite.root, suite.interrupted(30))
        file = run.path / "parts" / next(file.file for file in run.parts[1].files if file.table == table)
        file.write_bytes(file.read_bytes()[:-50])
        resumed = suite.run(resume=True)
        assert suite.scored == names(range(10, 20), range(30, 40))
        assert figures_of(resumed) == figures_of(suite.undisturbed())

    def test_a_byte_that_changed_on_disk_is_noticed_and_scored_again(self, suite: Suite) -> None:
        run = open_run(suite.root, suite.interrupted(30))
        file = run.path / "parts" / next(file.file for file in run.parts[0].files if file.table == "results")
        content = bytearray(file.read_bytes())
        content[80] ^= 0xFF
        file.write_bytes(content)
        resumed = suite.run(resume=True)
        assert suite.scored[:10] == names(range(10))
        assert figures_of(resumed) == figures_of(suite.undisturbed())

    def test_a_part_whose_record_is_torn_or_gone_is_scored_again(self, suite: Suite) -> None:
        run = open_run(suite.root, suite.interrupted(30))
        (run.path / "parts" / "00000.json").write_text('{"number": 0, "fir')
        (run.path / "parts" / "00001.json").unlink()
        resumed = suite.run(resume=True)
        assert suite.scored == names(range(20), range(30, 40))
        assert figures_of(resumed) == figures_of(suite.undisturbed())

    def test_reading_a_torn_run_says_which_file(self, suite: Suite) -> None:
        run = suite.run()
        file = run.path / "parts" / run.parts[0].files[0].file
        file.write_bytes(b"PAR1")
        with pytest.raises(StoreError, match=f"{file.name}: the stored file cannot be read"):
            list(run.results())

    def test_a_torn_manifest_is_told_where_it_matters_and_hides_no_other_run(self, suite: Suite) -> None:
        good, bad = suite.run(), suite.run()
        (bad.path / "manifest.json").write_text('{"format": 1')
        with pytest.raises(StoreError, match=r"manifest\.json"):
            open_run(suite.root)
        assert [(run.id, run.state) for run in list_runs(suite.root)] == [(bad.id, "unreadable"), (good.id, "finished")]


class TestDisk:
    def test_a_full_disk_is_said_and_the_run_goes_on_when_there_is_room(self, suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
        write, full = Path.write_bytes, [False]

        def until_full(path: Path, content: Any) -> int:
            if full[0]:
                write(path, b"half")
                raise OSError(errno.ENOSPC, "No space left on device", str(path))
            return write(path, content)

        monkeypatch.setattr(Path, "write_bytes", until_full)
        with pytest.raises(StoreError, match="No space left on device") as error:
            suite.run(progress=lambda done, share: full.__setitem__(0, done >= 20))
        assert "--resume" in str(error.value)
        assert open_run(suite.root).state == "unfinished"
        full[0] = False
        assert figures_of(suite.run(resume=True)) == figures_of(suite.undisturbed())

    def test_a_manifest_that_cannot_be_written_leaves_the_run_to_be_resumed(self, suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
        replace = os.replace

        def refuse(source: Any, target: Any) -> None:
            if Path(target).name == "manifest.json" and Path(target).exists():
                raise OSError(errno.ENOSPC, "No space left on device")
            replace(source, target)

        with monkeypatch.context() as patched:
            patched.setattr(os, "replace", refuse)
            with pytest.raises(StoreError, match="40 cases are scored and stored"):
                suite.run()
        run = suite.run(resume=True)
        assert suite.scored == []
        assert figures_of(run) == figures_of(suite.undisturbed())

    def test_a_root_that_cannot_be_written_is_refused(self, suite: Suite) -> None:
        (suite.folder / "file").write_text("")
        with pytest.raises(StoreError, match="no run can be stored in"):
            suite.run(root=suite.folder / "file")


class TestSummary:
    @pytest.mark.parametrize(
        "evaluators",
        [
            [
                {"type": "field_accuracy", "fields": ["number", "total", "lines[*].n", {"path": "nowhere", "sparse": True}]},
                {"type": "field_prf"},
            ],
            [{"type": "field_accuracy", "when": {"tag": "t1"}, "fields": ["number"]}, {"type": "field_prf", "fields": ["number"]}],
            [{"type": "json_quality", "default_text": "FUZZY"}, {"type": "is_json"}],
            [{"type": "detection", "path": "boxes"}, {"type": "iou_score", "path": "boxes", "box": "bbox"}],
        ],
    )
    def test_the_summary_of_the_parts_is_that_of_the_results_to_the_bit(self, suite: Suite, evaluators: list[Any]) -> None:
        cases = [case(at) for at in range(40)]
        for at, row in enumerate(cases):
            row["expected"] = {
                **row["expected"],
                "lines": [{"n": k} for k in range(at % 3)],
                "boxes": [{"bbox": [0, 0, 9, 9], "label": "a"}],
            }
            row["actual"] = {
                **row["actual"],
                "lines": [{"n": 0}],
                "boxes": [{"bbox": [0, 0, at % 9 + 1, 9], "label": "a", "score": at / 40}],
            }
        cases[3]["actual"], cases[5]["expected"], cases[7]["actual"] = None, "no record", "[1,"
        suite.write(cases)
        suite.evaluators = evaluators
        plan = compile_suite({"cases": str(suite.folder / "data.jsonl"), "evaluators": evaluators})
        run = suite.run()
        state = SummaryState(plan.evaluators)
        assert plan.source is not None
        for at, batch in enumerate(api.read_cases(plan.source, chunk=5)):
            state.add(score_batch(plan, batch, at * 5))
        assert run.full == state.finish()
        assert len(run.parts) == 4


def test_killed_anywhere_and_resumed_a_run_is_as_if_nothing_had_happened(tmp_path: Path) -> None:
    """A handful of points, once each; `make crashtest` kills at 20 points, 10 times each."""
    command = [sys.executable, str(HERE / "scripts" / "crashtest.py"), "--points", "4", "--times", "1"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert "0 lost, 0 duplicated, the same verdict" in done.stdout


def slow_suite(folder: Path, judge: str) -> None:
    (folder / "judge.py").write_text(judge)
    (folder / "data.jsonl").write_text("".join(json.dumps(case(at)) + "\n" for at in range(600)))
    suite = {"name": "slow", "cases": "data.jsonl", "evaluators": [{"type": "code_judge", "script": "judge.py", "timeout": 600}, FIELDS]}
    (folder / "slow.eval.yaml").write_text(json.dumps(suite))


def wait_until(process: subprocess.Popen[str], there: Callable[[], Any]) -> None:
    """Wait until the condition holds or the process ends; without a deadline, because a loaded machine may take minutes."""
    while not there() and process.poll() is None:
        time.sleep(0.05)


def test_ctrl_c_exits_130_without_waiting_for_judges_and_says_how_to_go_on(tmp_path: Path) -> None:
    slow_suite(tmp_path, "import time, pathlib; pathlib.Path('begun').touch(); time.sleep(600); print('{\"score\": 1}')")
    command = [sys.executable, "-c", "from fieldwise.cli import main; main()", "run", "slow.eval.yaml"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(process, (tmp_path / "begun").exists)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)  # the judge would take ten minutes
    assert process.returncode == 130, errors
    assert "the same command with --resume" in errors
    assert open_run(tmp_path / ".fieldwise").state == "unfinished"
