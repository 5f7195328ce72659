"""Every write, fsync, rename and read of a run fails once, in turn; so does every allocation: nothing is lost, the message is clear,
and the resumed run has the figures of an undisturbed one."""

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import fieldwise as fw
import fieldwise.store.load_part
import fieldwise.store.part_reader
import fieldwise.store.writer
from fieldwise import api
from fieldwise.store.errors import StoreError
from fieldwise.store.run import Run, open_run

CASES = 20
SUITE = {"name": "s", "evaluators": [{"type": "field_accuracy", "fields": ["number", "total"]}, {"type": "field_prf"}]}
Step = tuple[Any, str]
STEPS: dict[str, Step] = {
    "write": (Path, "write_bytes"),
    "fsync": (os, "fsync"),
    "rename": (os, "replace"),
    "read": (Path, "read_bytes"),
    "open Parquet": (pq, "ParquetFile"),
    "hash": (hashlib, "file_digest"),
    "create a folder": (Path, "mkdir"),
    "list a folder": (Path, "iterdir"),
}
ALLOCATIONS: dict[str, Step] = {
    "score": (api, "score_batch"),
    "convert": (fieldwise.store.writer, "build_batch_tables"),
    "encode": (pq, "write_table"),
    "decode": (fieldwise.store.part_reader, "read_row_groups"),
    "load": (fieldwise.store.load_part, "read_table"),
    "write": (Path, "write_bytes"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(fieldwise.store.writer, "PART_CASES", 10)
    cases = [{"id": f"c{at}", "expected": {"number": at, "total": 1.5}, "actual": {"number": at % 4, "total": 1.5}} for at in range(CASES)]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    return tmp_path


def run(folder: Path, root: str, **options: Any) -> Run:
    return fw.run(SUITE, cases=str(folder / "data.jsonl"), root=folder / root, chunk=5, **options)


def figures(run: Run) -> str:
    """Everything that a run measured."""
    results = [(stored.case, stored.evaluator, stored.result.to_json()) for stored in run.results()]
    return json.dumps([run.summary, run.exit_code, results], default=str)


@contextmanager
def failing(step: Step, at: int | None, error: Callable[[], BaseException]) -> Iterator[list[int]]:
    """Raise an error at the call with this number, of those in the store; yield the number of calls so far."""
    owner, name = step
    function = getattr(owner, name)
    calls = [0]

    def counted(*arguments: Any, **options: Any) -> Any:
        calls[0] += 1
        if calls[0] == at:
            raise error()
        return function(*arguments, **options)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(owner, name, counted)
        yield calls


def count_calls(folder: Path, step: Step, name: str) -> int:
    with failing(step, None, RuntimeError) as calls:
        run(folder, f"counted-{name}")
    return calls[0]


@pytest.mark.parametrize("name", STEPS)
def test_every_error_of_the_disk_is_said_and_the_run_goes_on(folder: Path, name: str) -> None:
    whole = figures(run(folder, "whole"))
    step = STEPS[name]
    failures = 0
    for at in range(1, count_calls(folder, step, name) + 1):
        root = f"{name}-{at}"
        with failing(step, at, lambda: OSError(errno.EIO, "Input/output error")):
            try:
                assert figures(run(folder, root)) == whole  # an error that does not matter
                continue
            except (StoreError, fw.ConfigError) as error:
                message = str(error)
        failures += 1
        assert "Input/output error" in message
        assert "\n  " in message  # what to do
        resumed = run(folder, root, resume=True)
        assert figures(resumed) == whole
        assert figures(open_run(folder / root, resumed.id)) == whole
    assert failures or name in ("list a folder", "read")  # a new run reads none of its own JSON files


@pytest.mark.parametrize("name", ALLOCATIONS)
def test_after_any_failed_allocation_the_run_goes_on(folder: Path, name: str) -> None:
    whole = figures(run(folder, "whole"))
    step = ALLOCATIONS[name]
    for at in range(1, count_calls(folder, step, name) + 1):
        root = f"{name}-{at}"
        with failing(step, at, MemoryError), pytest.raises((MemoryError, StoreError)):
            run(folder, root)
        resumed = run(folder, root, resume=True)
        assert figures(resumed) == whole
        assert figures(open_run(folder / root, resumed.id)) == whole


@pytest.mark.parametrize("name", ["read", "open Parquet", "hash", "list a folder", "write", "rename"])
def test_every_error_of_the_disk_while_a_run_is_resumed_is_said_and_it_can_be_resumed_again(folder: Path, name: str) -> None:
    whole = figures(run(folder, "whole"))

    def stop(done: int, share: float | None) -> None:
        if done >= 15:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(folder, "interrupted", progress=stop)

    def resume(root: str) -> Run:
        return run(folder, root, resume=True)

    shutil.copytree(folder / "interrupted", folder / "counted")
    with failing(STEPS[name], None, RuntimeError) as calls:
        resume("counted")
    for at in range(1, calls[0] + 1):
        root = f"{name}-{at}"
        shutil.copytree(folder / "interrupted", folder / root)
        with failing(STEPS[name], at, lambda: OSError(errno.EIO, "Input/output error")):
            try:
                assert figures(resume(root)) == whole
                continue
            except (StoreError, fw.ConfigError) as error:
                message = str(error)
        assert "Input/output error" in message
        assert figures(resume(root)) == whole
