"""`run --watch`: what is watched, and what makes it run again. Changes are made by the test, never waited for."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from fieldwise.cli import _watch
from fieldwise.cli._watch import find_watched_files, watch_files

Call = Callable[..., Result]


def watch_with(changes: list[Callable[[], object]], files: list[Path]) -> list[str]:
    """What happened: a run, or a pause during which the next change is made; after the last one it is interrupted."""
    events: list[str] = []
    steps: Iterator[Callable[[], object]] = iter(changes)

    def pause() -> None:
        step = next(steps, None)
        if step is None:
            raise KeyboardInterrupt
        events.append("pause")
        step()

    def run_once() -> int:
        events.append("run")
        return 0

    with pytest.raises(KeyboardInterrupt):
        watch_files(run_once, lambda: files, lambda code, watched: None, pause)
    return events


def test_it_runs_once_and_then_only_after_a_change(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("a")
    nothing = lambda: None  # noqa: E731
    assert watch_with([nothing, nothing], [file]) == ["run", "pause", "pause"]
    assert watch_with([nothing, lambda: file.write_text("ab"), nothing], [file]) == ["run", "pause", "pause", "pause", "run"]


def test_a_file_that_is_still_being_written_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("a")
    grow = [lambda: file.write_text("ab"), lambda: file.write_text("abc"), lambda: file.write_text("abcd"), lambda: None]
    assert watch_with(grow, [file]) == ["run", *["pause"] * 4, "run"]


def test_a_file_that_appears_or_disappears_is_a_change(tmp_path: Path) -> None:
    file = tmp_path / "new.jsonl"
    assert watch_with([lambda: file.write_text("a"), lambda: None], [file]) == ["run", "pause", "pause", "run"]
    assert watch_with([file.unlink, lambda: None], [file]) == ["run", "pause", "pause", "run"]


def test_the_suite_its_data_and_every_file_it_names_are_watched(tmp_path: Path) -> None:
    for name in ("gold/a.json", "gold/b.json", "out/a.json", "strategies.json", "other.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    suite = tmp_path / "s.eval.yaml"
    suite.write_text("cases: {expected: gold/*.json, actual: out}\nevaluators:\n  - {type: json_quality, strategies: strategies.json}\n")
    watched = {file.relative_to(tmp_path).as_posix() for file in find_watched_files(suite)}
    assert watched == {"s.eval.yaml", "gold/a.json", "gold/b.json", "out/a.json", "strategies.json"}
    assert tmp_path / "other.json" in find_watched_files(suite, [str(tmp_path / "other.json")])
    suite.write_text("cases: {expected: [")
    assert find_watched_files(suite) == [suite]


def test_the_command_reports_errors_and_goes_on(folder: Path, fieldwise: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = folder / "small.eval.yaml"
    right = suite.read_text()
    steps = iter([lambda: suite.write_text("evaluators: ["), lambda: None, lambda: suite.write_text(right), lambda: None])

    def sleep(seconds: float) -> None:
        step = next(steps, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    monkeypatch.setattr(_watch.time, "sleep", sleep)
    done = fieldwise("run", "small.eval.yaml", "--watch", "--workers", "1", "--format", "plain")
    assert done.exit_code == 130
    assert done.stdout.count("Fields (fields)") == 2
    assert "not YAML" in done.stderr
    assert done.stderr.count("watching 2 files") == 2
    assert "exit code 2; watching 1 file," in done.stderr


def test_standard_input_cannot_be_watched(folder: Path, fieldwise: Call) -> None:
    done = fieldwise("run", "small.eval.yaml", "--watch", "--cases", "-")
    assert done.exit_code == 2
    assert "standard input cannot be read again" in done.stderr
