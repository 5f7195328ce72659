"""The answer cache is `answers.sqlite` in the root of the runs for every entry point."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from model_server import ModelServer, model_server

import fieldwise as fw
from fieldwise.cli.app import app
from fieldwise.model.ask import Asking
from fieldwise.pytest_plugin import CaseChecker, RunLocation

JUDGE = {"type": "llm_judge", "prompt": "Is it right?"}
CASE = {"id": "1", "input": "question", "expected": "a", "actual": "answer"}
EntryPoint = Callable[[Path], object]


def by_command(*options: str) -> EntryPoint:
    def run(folder: Path) -> object:
        result = CliRunner().invoke(app, ["run", "judged.eval.yaml", *options])
        assert result.exit_code == 0, result.output
        return result

    return run


def by_python(**options: Any) -> EntryPoint:
    return lambda folder: fw.run("judged.eval.yaml", **options)


def by_evaluate(folder: Path) -> object:
    return fw.evaluate(JUDGE, **{name: value for name, value in CASE.items() if name != "id"})


def by_fixture(folder: Path) -> object:
    return CaseChecker(RunLocation(folder / ".fieldwise", "fieldwise"))("judged.eval.yaml", **CASE)  # pyright: ignore[reportArgumentType]


ENTRY_POINTS: dict[str, EntryPoint] = {
    "fieldwise run": by_command(),
    "fieldwise run --max-calls": by_command("--max-calls", "5"),
    "fieldwise run --limit": by_command("--limit", "1"),
    "fw.run": by_python(),
    "fw.run with a root": by_python(root=".fieldwise"),
    "fw.run with a limit of calls": by_python(asking=Asking(max_calls=5)),
    "fw.run with both": by_python(root=".fieldwise", asking=Asking(max_calls=5)),
    "fw.evaluate": by_evaluate,
    "the fixture of pytest": by_fixture,
}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model server set in the environment, and a suite in the current folder with one question."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases.jsonl").write_text(json.dumps(CASE))
    (tmp_path / "judged.eval.yaml").write_text(f"cases: cases.jsonl\nevaluators: [{json.dumps(JUDGE)}]\n")
    with model_server() as running_server:
        monkeypatch.setenv("FIELDWISE_MODEL_URL", running_server.url)
        monkeypatch.setenv("FIELDWISE_MODEL", "judge-1")
        yield running_server


@pytest.mark.parametrize("entry_point", ENTRY_POINTS.values(), ids=ENTRY_POINTS)
def test_every_entry_point_caches_answers_in_the_root_of_the_runs(entry_point: EntryPoint, server: ModelServer, tmp_path: Path) -> None:
    entry_point(tmp_path)
    assert [file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*.sqlite")] == [".fieldwise/answers.sqlite"]


def test_all_entry_points_share_the_cache(server: ModelServer, tmp_path: Path) -> None:
    for entry_point in ENTRY_POINTS.values():
        entry_point(tmp_path)
    assert len(server.requests) == 1


@pytest.mark.parametrize("asking", [None, Asking(max_calls=5)], ids=["as usual", "with a limit"])
def test_a_run_in_another_root_has_its_own_cache(asking: Asking | None, server: ModelServer, tmp_path: Path) -> None:
    fw.run("judged.eval.yaml", root="elsewhere", asking=asking)
    assert [file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*.sqlite")] == ["elsewhere/answers.sqlite"]


def test_the_cache_file_can_be_chosen_or_disabled(server: ModelServer, tmp_path: Path) -> None:
    fw.run("judged.eval.yaml", asking=Asking(cache="mine.sqlite"))
    fw.run("judged.eval.yaml", asking=Asking(cache=None))
    assert [file.name for file in tmp_path.rglob("*.sqlite")] == ["mine.sqlite"]
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "option",
    [
        {"prompt": "Is it wrong?"},
        {"pass_at": 0.5},
        {"model": {"name": "judge-2"}},
        {"model": {"temperature": 0.7}},
        {"model": {"seed": 5}},
        {"rubric": ["it is short"]},
    ],
    ids=json.dumps,
)
def test_two_suites_share_an_answer_only_if_they_ask_the_same(option: dict[str, Any], server: ModelServer) -> None:
    first = {"name": "first", "cases": "cases.jsonl", "evaluators": [JUDGE]}
    judge = {name: value for name, value in (JUDGE | option).items() if name != "prompt" or "rubric" not in option}
    fw.run(first)
    asked_by_first = [json.dumps(request, sort_keys=True) for request in server.requests]
    fw.run({"name": "second", "cases": "cases.jsonl", "evaluators": [judge]})
    asked_by_second = [json.dumps(request, sort_keys=True) for request in server.requests[len(asked_by_first) :]]
    if "pass_at" in option:
        assert asked_by_second == []
    else:
        assert asked_by_second
        assert not set(asked_by_first) & set(asked_by_second)


def test_two_processes_that_share_a_cache_lose_and_mix_up_nothing(server: ModelServer, tmp_path: Path) -> None:
    cases = [{**CASE, "id": str(at), "actual": f"answer {at}"} for at in range(12)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    program = "import fieldwise as fw; print(sorted((row.case, row.result.reasoning) for row in fw.run('judged.eval.yaml').results()))"
    processes = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    first, second = (process.communicate(timeout=120)[0] for process in processes)
    assert [process.returncode for process in processes] == [0, 0]
    assert first == second
    asked = len(server.requests)
    assert 12 <= asked <= 24
    run = fw.run("judged.eval.yaml")
    assert len(server.requests) == asked
    assert str(sorted((row.case, row.result.reasoning) for row in run.results())) == first.strip()


def test_a_damaged_cache_is_named_and_gives_no_answer(server: ModelServer, tmp_path: Path) -> None:
    (tmp_path / ".fieldwise").mkdir()
    (tmp_path / ".fieldwise/answers.sqlite").write_bytes(b"no database at all" * 100)
    result = CliRunner().invoke(app, ["run", "judged.eval.yaml", "--format", "plain"], env={"COLUMNS": "300"})
    told = "answers.sqlite cannot be used (file is not a database)"
    assert (result.exit_code, told in " ".join(result.output.split()), server.requests) == (4, True, [])
