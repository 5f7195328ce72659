"""Deleting runs."""

import json
import os
from pathlib import Path

import pytest

import fieldwise as fw
from fieldwise.model.diagnostic import ConfigError
from fieldwise.store.baseline import save_baseline
from fieldwise.store.delete import baseline_files, check_deletable, delete_runs, find_baselines_of
from fieldwise.store.lock import RunLock, is_locked
from fieldwise.store.run import Run, list_runs, open_run
from fieldwise.store.run_names import add_tags


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    """Three runs, oldest first."""
    case = {"id": "a", "expected": {"x": 1}, "actual": {"x": 1}}
    (tmp_path / "cases.jsonl").write_text(json.dumps(case))
    suite = {"name": "s", "cases": str(tmp_path / "cases.jsonl"), "evaluators": [{"type": "field_prf"}]}
    return [fw.run(suite, root=tmp_path / "root") for _ in range(3)]


def left(runs: list[Run]) -> list[str]:
    return [run.id for run in list_runs(runs[0].path.parents[1])]


def reasons(caught: pytest.ExceptionInfo[ConfigError]) -> str:
    return "\n".join(problem.what for problem in caught.value.diagnostics)


def test_a_deleted_run_leaves_nothing_and_the_others_stay(runs: list[Run]) -> None:
    assert delete_runs(runs[:2]) > 1000
    assert left(runs) == [runs[2].id]
    assert [path.name for path in runs[2].path.parent.iterdir()] == [runs[2].id]


def test_a_run_that_is_being_written_is_kept_whatever_is_said(runs: list[Run]) -> None:
    lock = RunLock(runs[1].path)
    try:
        assert is_locked(runs[1].path)
        with pytest.raises(ConfigError) as caught:
            delete_runs(runs, force=True)
    finally:
        lock.release()
    assert "another process is writing it" in reasons(caught)
    assert len(left(runs)) == 3
    assert not is_locked(runs[1].path)


def test_tags_and_baselines_keep_a_run_until_it_is_forced(runs: list[Run], tmp_path: Path) -> None:
    add_tags(runs[0].path, ["release"])
    save_baseline(runs[1], tmp_path / "s.baseline.json")
    files = baseline_files(tmp_path, tmp_path)
    assert files == [tmp_path / "s.baseline.json"]
    assert find_baselines_of(runs[1].id, files) == files
    assert find_baselines_of(runs[2].id, files) == []
    with pytest.raises(ConfigError) as caught:
        delete_runs(runs, baselines=files)
    assert "the tag release" in reasons(caught)
    assert "s.baseline.json was made from it" in reasons(caught)
    assert len(left(runs)) == 3
    delete_runs(runs[:2], baselines=files, force=True)
    assert left(runs) == [runs[2].id]


def test_asking_whether_runs_can_be_deleted_deletes_none(runs: list[Run]) -> None:
    check_deletable(runs)
    assert len(left(runs)) == 3
    assert not any(is_locked(run.path) for run in runs)


def test_links_are_not_followed(runs: list[Run], tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")
    (runs[0].path / "parts" / "link").symlink_to(precious)
    delete_runs(runs[:1])
    assert (precious / "file").read_text() == "x"
    moved = tmp_path / "elsewhere"
    runs[1].path.rename(moved)
    runs[1].path.symlink_to(moved)
    with pytest.raises(ConfigError) as caught:
        delete_runs([open_run(tmp_path / "root", runs[1].id)], force=True)
    assert "link" in reasons(caught)
    assert (moved / "manifest.json").is_file()


def test_what_an_interrupted_deletion_left_is_no_run_and_goes_with_the_next(runs: list[Run]) -> None:
    aside = runs[0].path.with_name(f".deleted-{runs[0].id}-0000")
    os.rename(runs[0].path, aside)  # noqa: PTH104 - as a process that was killed after this step left it
    assert left(runs) == [runs[2].id, runs[1].id]
    delete_runs(runs[1:2])
    assert not aside.exists()
