"""Shell completion knows the stored runs."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from typer.testing import Result

import fieldwise as fw
from fieldwise.cli._completion import complete_cases, complete_fields, complete_runs, complete_tags

Call = Callable[..., Result]


def context_of(**params: object) -> Any:
    return SimpleNamespace(params=params, parent=SimpleNamespace(params={"root": None}, parent=None))


def test_runs_tags_cases_and_fields_are_completed(folder: Path, fieldwise: Call) -> None:
    fieldwise("run", "small.eval.yaml")
    fieldwise("runs", "tag", "latest", "release")
    run_id = fw.open_run("latest").id
    assert [name for name, _ in complete_runs(context_of(), "")] == ["latest", run_id, "release"]
    assert complete_runs(context_of(), run_id[:9]) == [(run_id, "small")]
    assert complete_tags(context_of(), "rel") == [("release", "")]
    assert [name for name, _ in complete_cases(context_of(run="latest"), "")] == ["a", "b", "c"]
    assert complete_fields(context_of(run=run_id), "tot")[0][0] == "total"


def test_without_runs_nothing_is_completed_and_nothing_is_raised(folder: Path) -> None:
    for complete in (complete_runs, complete_tags, complete_cases, complete_fields):
        assert complete(context_of(root=str(folder / "none")), "") == []
