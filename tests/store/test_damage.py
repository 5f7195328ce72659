"""Damaged stores: whatever byte is flipped or cut, a clear message and exit 3, never another number."""

import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.store.checksums import ChecksumMismatch, dump_sealed, load_sealed
from fieldwise.store.errors import StoreError
from fieldwise.store.part_reader import verify_parts
from fieldwise.store.run import Run, open_run

SUITE = {
    "name": "damage",
    "evaluators": [{"type": "field_accuracy", "fields": [{"path": "a"}, {"path": "b", "match": "fuzzy"}]}, {"type": "field_prf"}],
}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of one finished run of 40 cases."""
    folder = tmp_path_factory.mktemp("damage")
    cases = [
        {"id": f"c{number}", "expected": {"a": number, "b": f"name {number}"}, "actual": {"a": number % 7, "b": "name"}}
        for number in range(40)
    ]
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    fw.run(SUITE, cases=str(folder / "cases.jsonl"), root=folder / "root")
    return folder / "root"


def read_everything(root: Path) -> str:
    """Every number that a run reports, as text."""
    run = open_run(root, "latest")
    results = [(stored.case, stored.evaluator, stored.result.to_json()) for stored in run.results()]
    some_case = [stored.result.to_json() for stored in run.results(case="c7")]
    return json.dumps([run.summary, results, some_case, run.to_arrow().to_pylist(), run.exit_code], default=str)


def read_damaged(root: Path) -> tuple[str | None, str]:
    """Every number, or the message of the store."""
    try:
        return read_everything(root), ""
    except StoreError as error:
        return None, str(error)


def regions(size: int, seed: int) -> Iterator[int]:
    """Offsets in every region of a file: its head, its tail, and one in each of 25 equal stretches."""
    chosen = random.Random(seed)
    yield from range(min(12, size))
    yield from range(max(size - 12, 0), size)
    for start in range(0, size, max(size // 25, 1)):
        yield min(start + chosen.randrange(max(size // 25, 1)), size - 1)


def stored_files(root: Path) -> list[Path]:
    [run] = (root / "runs").iterdir()
    return [run / "manifest.json", *sorted((run / "parts").glob("*.parquet"))]


def damage(content: bytes, offset: int, kind: str) -> bytes:
    if kind == "flip":
        return content[:offset] + bytes([content[offset] ^ (1 << (offset % 8))]) + content[offset + 1 :]
    if kind == "zero":
        return content[:offset] + b"\0" * min(64, len(content) - offset) + content[offset + 64 :]
    return content[:offset]


@pytest.mark.parametrize("kind", ["flip", "zero", "cut"])
def test_no_damage_of_any_file_changes_a_number(original: Path, tmp_path: Path, kind: str) -> None:
    whole = read_everything(original)
    root = tmp_path / "root"
    shutil.copytree(original, root)
    tried = 0
    for path in stored_files(root):
        content = path.read_bytes()
        for offset in sorted(set(regions(len(content), seed=len(path.name)))):
            damaged = damage(content, offset, kind)
            if damaged == content:
                continue
            path.write_bytes(damaged)
            tried += 1
            numbers, message = read_damaged(root)
            assert numbers in (None, whole), f"{path.name} {kind} at {offset}"
            assert numbers or path.name in message
        path.write_bytes(content)
    assert tried > 200
    assert read_everything(root) == whole


def test_every_flipped_byte_of_a_manifest_is_found(original: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(original, root)
    [manifest, *_] = stored_files(root)
    content = manifest.read_bytes()
    for offset in range(0, len(content), 7):
        manifest.write_bytes(damage(content, offset, "flip"))
        with pytest.raises(StoreError, match=r"manifest\.json"):
            open_run(root, "latest")


def test_a_damaged_file_is_named_when_all_parts_are_verified(original: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(original, root)
    run = open_run(root, "latest")
    verify_parts(run.path, run.parts)
    for path in stored_files(root)[1:]:
        content = path.read_bytes()
        path.write_bytes(damage(content, len(content) // 2, "flip"))
        with pytest.raises(StoreError, match=path.name):
            verify_parts(run.path, run.parts)
        path.unlink()
        with pytest.raises(StoreError, match=path.name):
            verify_parts(run.path, run.parts)
        path.write_bytes(content)
    verify_parts(run.path, run.parts)


def test_a_part_is_read_once_until_its_file_changes(original: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run: Run = open_run(original, "latest")
    verify_parts(run.path, run.parts)
    monkeypatch.setattr("hashlib.file_digest", lambda *_: pytest.fail("the file was read again"))
    assert len(list(run.results())) == 80


def test_a_damaged_part_of_an_unfinished_run_does_not_count(original: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(original, root)
    [run] = (root / "runs").iterdir()
    [part] = sorted((run / "parts").glob("*.json"))
    manifest = load_sealed((run / "manifest.json").read_bytes())
    (run / "manifest.json").write_bytes(dump_sealed({**manifest, "finished": None, "parts": []}))
    assert len(open_run(root, "latest").parts) == 1
    content = part.read_bytes()
    for offset in range(90, len(content)):
        part.write_bytes(damage(content, offset, "flip"))
        assert open_run(root, "latest").parts == ()


@pytest.mark.parametrize("value", [{"a": 1}, {"b": "é", "c": [1.5, None, 2**70]}])
def test_a_sealed_object_is_read_back_and_any_change_is_found(value: dict[str, Any]) -> None:
    content = dump_sealed(value)
    assert load_sealed(content) == value
    assert json.loads(content)["checksum"].startswith("sha256:")
    with pytest.raises(ChecksumMismatch):
        load_sealed(content.replace(b'"a":1', b'"a":2').replace(b"1.5", b"1.6"))


@pytest.mark.parametrize("kind", ["flip", "zero", "cut"])
@pytest.mark.parametrize("table", ["cases", "results", "comparisons"])
def test_a_part_that_is_damaged_while_a_run_is_scored_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str, kind: str
) -> None:
    replace_file = os.replace

    def replace_and_damage(source: Any, target: Any) -> None:
        replace_file(source, target)
        if str(target).endswith(f"-{table}.parquet"):
            content = Path(target).read_bytes()
            Path(target).write_bytes(damage(content, len(content) // 2, kind))

    monkeypatch.setattr(os, "replace", replace_and_damage)
    cases = [{"id": str(number), "expected": {"a": number, "b": "x"}, "actual": {"a": number % 3, "b": "y"}} for number in range(20)]
    with pytest.raises(StoreError, match=f"{table}.parquet"):
        fw.run(SUITE, cases=cases, root=tmp_path)
    [folder] = (tmp_path / "runs").iterdir()
    assert json.loads((folder / "manifest.json").read_text())["finished"] is None
