"""Answers are kept in one place, whoever asks: `answers.sqlite` in the root of the runs."""

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
from fieldwise.pytest_plugin import Checker

JUDGE = {"type": "llm_judge", "prompt": "Is it right?"}
CASE = {"id": "1", "input": "question", "expected": "a", "actual": "answer"}
Way = Callable[[Path], object]


def by_command(*options: str) -> Way:
    def run(folder: Path) -> object:
        result = CliRunner().invoke(app, ["run", "judged.eval.yaml", *options])
        assert result.exit_code == 0, result.output
        return result

    return run


def by_python(**options: Any) -> Way:
    return lambda folder: fw.run("judged.eval.yaml", **options)


def evaluated(folder: Path) -> object:
    return fw.evaluate(JUDGE, **{name: value for name, value in CASE.items() if name != "id"})


def by_fixture(folder: Path) -> object:
    return Checker(folder)("judged.eval.yaml", **CASE)  # pyright: ignore[reportArgumentType]


WAYS: dict[str, Way] = {
    "fieldwise run": by_command(),
    "fieldwise run --max-calls": by_command("--max-calls", "5"),
    "fieldwise run --limit": by_command("--limit", "1"),
    "fw.run": by_python(),
    "fw.run with a root": by_python(root=".fieldwise"),
    "fw.run with a limit of calls": by_python(asking=Asking(max_calls=5)),
    "fw.run with both": by_python(root=".fieldwise", asking=Asking(max_calls=5)),
    "fw.evaluate": evaluated,
    "the fixture of pytest": by_fixture,
}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model that the environment names, and a suite in the current folder that asks it one question."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases.jsonl").write_text(json.dumps(CASE))
    (tmp_path / "judged.eval.yaml").write_text(f"cases: cases.jsonl\nevaluators: [{json.dumps(JUDGE)}]\n")
    with model_server() as found:
        monkeypatch.setenv("FIELDWISE_MODEL_URL", found.url)
        monkeypatch.setenv("FIELDWISE_MODEL", "judge-1")
        yield found


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_whoever_asks_keeps_answers_beside_the_runs(way: Way, server: ModelServer, tmp_path: Path) -> None:
    way(tmp_path)
    assert [file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*.sqlite")] == [".fieldwise/answers.sqlite"]


def test_an_answer_to_one_is_an_answer_to_all(server: ModelServer, tmp_path: Path) -> None:
    for way in WAYS.values():
        way(tmp_path)
    assert len(server.requests) == 1


@pytest.mark.parametrize("asking", [None, Asking(max_calls=5)], ids=["as usual", "with a limit"])
def test_a_run_in_another_root_keeps_its_answers_there(asking: Asking | None, server: ModelServer, tmp_path: Path) -> None:
    fw.run("judged.eval.yaml", root="elsewhere", asking=asking)
    assert [file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*.sqlite")] == ["elsewhere/answers.sqlite"]


def test_a_file_of_ones_own_and_none_at_all(server: ModelServer, tmp_path: Path) -> None:
    fw.run("judged.eval.yaml", asking=Asking(cache="mine.sqlite"))
    fw.run("judged.eval.yaml", asking=Asking(cache=None))
    assert [file.name for file in tmp_path.rglob("*.sqlite")] == ["mine.sqlite"]
    assert len(server.requests) == 2
