"""The answer cache is `answers.sqlite` in the root of the runs for every entry point."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, model_server
from typer.testing import CliRunner

import fieldwise as fw
from fieldwise.cli.app import app
from fieldwise.model.ask import Asking
from fieldwise.pytest_plugin import CaseChecker

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
    return CaseChecker(folder)("judged.eval.yaml", **CASE)  # pyright: ignore[reportArgumentType]


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
