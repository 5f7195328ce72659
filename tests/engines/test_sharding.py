"""Runs by several workers end only if their files are what was written."""

from pathlib import Path

import pytest

import fieldwise as fw
from fieldwise.engines import executors
from fieldwise.store.errors import StoreError


def test_a_part_that_is_damaged_while_workers_score_ends_the_run(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executor = executors.ProcessExecutor(2)
    executor.min_bytes = 0
    monkeypatch.setattr(executors, "choose_executor", lambda *_: executor)
    root = many.parent / "damaged"

    def damage_a_file(done: int, share: float | None) -> None:
        for path in sorted(root.glob("runs/*/parts/*-results.parquet"))[: 1 - len(damaged)]:
            content = bytearray(path.read_bytes())
            content[len(content) // 2] = 255 - content[len(content) // 2]
            path.write_bytes(content)
            damaged.append(path)

    damaged: list[Path] = []
    with pytest.raises(StoreError, match=r"results\.parquet"):
        fw.run(many, root=root, chunk=1000, progress=damage_a_file)
    assert damaged
