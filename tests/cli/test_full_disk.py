"""A disk that takes no more: exit 3 with the reason, no part of a report left, and a run that goes on when there is room.

The limit of the size of a file (`RLIMIT_FSIZE`) stands for a full disk: the kernel refuses what is beyond it, in the middle of a
write. Where this process may mount one, a really full disk is used too.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

import fieldwise as fw
from fieldwise.cli.app import app

INCOMPLETE = 3
OUTPUTS = ["r.html", "r.md", "r.json", "r.jsonl", "r.csv", "r.xlsx", "r.parquet", "r.junit.xml"]


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Files of this process may not grow beyond this size."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write fails instead
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


def write_suite(folder: Path, count: int) -> None:
    cases = [{"id": f"c{at}", "expected": {"x": at}, "actual": {"x": at % 7, "note": f"text {at * 7919}"}} for at in range(count)]
    (folder / "c.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    evaluator = {"type": "field_accuracy", "fields": ["x"]}
    (folder / "s.eval.yaml").write_text(json.dumps({"name": "s", "cases": str(folder / "c.jsonl"), "evaluators": [evaluator]}))


def ask(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "300"})
    return result.exit_code, " ".join((result.stdout + result.stderr).split())


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a stored run."""
    folder = tmp_path_factory.mktemp("full")
    write_suite(folder, 60)
    fw.run(folder / "s.eval.yaml", root=folder / ".fieldwise")
    return folder


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_report_that_does_not_fit_is_not_there_in_part(name: str, stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(stored)
    with file_size_limit(100):
        code, output = ask("report", "latest", "-o", name)
    assert (code, "not everything could be written: File too large" in output) == (INCOMPLETE, True), output
    assert not (stored / name).exists()


@pytest.mark.parametrize(
    "command",
    [
        ("baseline", "set", "latest"),
        ("pack", "latest", "-o", "pack"),
        ("mismatches", "latest", "-o", "m.csv"),
        ("what-if", "latest", "--set", "field_accuracy.x.weight=2", "--write"),
    ],
)
def test_what_other_commands_write_is_whole_or_not_there(command: tuple[str, ...], stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(stored)
    suite = (stored / "s.eval.yaml").read_text()
    with file_size_limit(50):
        code, output = ask(*command)
    assert (code, "not everything could be written" in output) == (INCOMPLETE, True), output
    assert (stored / "s.eval.yaml").read_text() == suite
    assert [path.name for path in stored.rglob("*") if path.suffix in (".tmp", ".md", ".csv") or "baseline" in path.name] == []


def test_a_run_that_found_no_room_goes_on_when_there_is_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_suite(tmp_path, 400)
    with file_size_limit(2_000):
        code, output = ask("run", "s.eval.yaml", "--format", "plain", "--workers", "1")
    assert (code, "File too large" in output) == (INCOMPLETE, True), output
    assert ask("run", "s.eval.yaml", "--format", "plain", "--resume")[0] == 0
    assert fw.open_run().summary == fw.run("s.eval.yaml", root=tmp_path / "other").summary


def test_a_disk_that_is_really_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("needs the right to mount")
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run([mount, "-t", "tmpfs", "-o", "size=24k", "tmpfs", str(disk)], capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    try:
        monkeypatch.chdir(tmp_path)
        write_suite(tmp_path, 2_000)
        code, output = ask("run", "s.eval.yaml", "--format", "plain", "--root", str(disk), "--workers", "1")
        assert (code, "No space left on device" in output) == (INCOMPLETE, True), output
        subprocess.run([mount, "-o", "remount,size=4m", str(disk)], check=True)
        assert ask("run", "s.eval.yaml", "--format", "plain", "--root", str(disk), "--resume")[0] == 0
        assert fw.open_run("latest", root=disk).summary == fw.run("s.eval.yaml", root=tmp_path / "other").summary
    finally:
        subprocess.run(["umount", str(disk)], check=True)
