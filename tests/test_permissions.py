"""Files that another user owns: what may not be read or written is an error that names it, never a run over the rest."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw

COMMANDS = """
import json, os, sys
from click.testing import CliRunner
from fieldwise.cli.app import app
def ask(folder):
    os.chdir(folder)
    for arguments in json.loads(sys.argv[3]):
        arguments = [f"{folder}-written" if word == "WRITABLE" else word for word in arguments]
        result = CliRunner().invoke(app, arguments, env={"COLUMNS": "400"})
        yield json.dumps([result.exit_code, " ".join((result.stdout + result.stderr).split())])
if os.geteuid() == 0:  # a copy is asked first, to load every module: the other user may not be allowed to read those of this Python
    list(ask(sys.argv[2]))
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
for answer in ask(sys.argv[1]):
    print(answer, flush=True)
"""
FIELDS = {"type": "field_accuracy", "fields": ["x"]}
CASES = "".join(json.dumps({"id": name, "expected": {"x": 1}, "actual": {"x": 1}}) + "\n" for name in "ab")
CONFIG, INCOMPLETE = 2, 3
RUN = ("run", "s.json", "--root", "WRITABLE")
SITUATIONS: dict[str, tuple[tuple[str, ...], int, str]] = {
    # command, exit code, text of the output; WRITABLE, TORN and WHOLE stand for a folder and two stored runs
    "no run may be stored": (("run", "s.json"), INCOMPLETE, "no run can be stored in .fieldwise/runs: Permission denied"),
    "a run may not be resumed": (("run", "s.json", "--resume"), INCOMPLETE, "no run can be stored"),
    "cases": (("run", "closed_cases.json", "--root", "WRITABLE"), CONFIG, "closed.jsonl: the file cannot be read: Permission denied"),
    "one of several files": (("run", "one_file.json", "--root", "WRITABLE"), INCOMPLETE, "files/b.json: case b: the file cannot be read"),
    "a folder": (("run", "closed_folder.json", "--root", "WRITABLE"), CONFIG, "permission denied"),
    "a folder that a pattern goes through": (
        ("run", "pattern.json", "--root", "WRITABLE"),
        CONFIG,
        "folders/b: the folder cannot be listed: permission denied",
    ),
    "a folder that a recursive pattern goes through": (("check", "recursive.json"), CONFIG, "folders/b: the folder cannot be listed"),
    "a program that judges": (("run", "judged.json", "--root", "WRITABLE"), CONFIG, "closed.jsonl is not executable"),
    "corrections": (("run", "corrected.json", "--root", "WRITABLE"), CONFIG, "closed.jsonl: the file cannot be read: Permission denied"),
    "a policy": (("run", "policy.json", "--root", "WRITABLE"), CONFIG, "the policy cannot be read"),
    "a baseline": ((*RUN, "--baseline", "closed.jsonl"), CONFIG, "the baseline cannot be read: Permission denied"),
    "a report may not be written": ((*RUN, "--output", "r.md"), CONFIG, "r.md: permission denied"),
    "a part, shown": (("runs", "show", "TORN"), INCOMPLETE, "results.parquet: the stored file cannot be read"),
    "a part, reported": (("report", "TORN", "-o", "-"), INCOMPLETE, "results.parquet: the stored file cannot be read"),
    "a part, compared": (("compare", "TORN", "WHOLE"), INCOMPLETE, "results.parquet: the stored file cannot be read"),
    "a run may not be deleted": (("runs", "delete", "WHOLE"), CONFIG, "its folder cannot be written to: Permission denied"),
    "a baseline may not be set": (("baseline", "set", "WHOLE"), CONFIG, "permission denied"),
    "a suite may not be changed": (("what-if", "WHOLE", "--set", "field_accuracy.x.weight=2", "--write"), CONFIG, "permission denied"),
    "a file that differs": (("diff", "files", "others"), 1, "files/b.json: case b: the file cannot be read"),
}


@pytest.fixture(scope="module")
def answers() -> Iterator[dict[str, tuple[int, str]]]:
    """Exit code and output of every command, asked by another user in a folder that this user may not write."""
    base = Path(tempfile.mkdtemp(prefix="fieldwise-permissions-"))  # other users may not enter the temporary folders of pytest
    folder, writable = base / "folder", base / "folder-written"
    writable.mkdir()
    writable.chmod(0o777)
    base.chmod(0o755)
    try:
        names = _prepare(folder)
        commands = [[names.get(word, word) for word in command] for command, _, _ in SITUATIONS.values()]
        yield dict(zip(SITUATIONS, _ask(folder, writable, commands), strict=True))
    finally:
        for parent, folders, files in os.walk(base):
            for name in (*folders, *files):
                (Path(parent) / name).chmod(0o755)
        shutil.rmtree(base)


def _ask(folder: Path, writable: Path, commands: list[list[str]]) -> list[tuple[int, str]]:
    copy = shutil.copytree(folder, folder.parent / "copy", copy_function=shutil.copy)
    program = [sys.executable, "-c", COMMANDS, str(folder), str(copy), json.dumps(commands)]
    environment = {**os.environ, "HOME": str(writable)}
    process = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=120, check=True)
    return [(code, output) for code, output in map(json.loads, process.stdout.splitlines())]


def _prepare(folder: Path) -> dict[str, str]:
    """A folder with suites, data and two stored runs, parts of which may not be read and none of which may be written."""
    (folder / "folders").mkdir(parents=True)
    suites: dict[str, dict[str, Any]] = {
        "s": {"cases": "c.jsonl"},
        "closed_cases": {"cases": "closed.jsonl"},
        "one_file": {"cases": {"expected": "files", "actual": "others"}},
        "closed_folder": {"cases": {"expected": "folders/b", "actual": "others"}},
        "pattern": {"cases": {"expected": "folders/*/*.json", "actual": "others"}},
        "recursive": {"cases": {"expected": "folders/**/*.json", "actual": "others"}},
        "judged": {"cases": "c.jsonl", "evaluators": [{"type": "code_judge", "script": "closed.jsonl"}]},
        "corrected": {"cases": {"file": "c.jsonl", "corrections": "closed.jsonl"}},
        "policy": {"cases": "c.jsonl", "policy": "closed.jsonl"},
    }
    for name, suite in suites.items():
        (folder / f"{name}.json").write_text(json.dumps({"name": "s", "evaluators": [FIELDS], **suite}))
    for name in ("c.jsonl", "closed.jsonl"):
        (folder / name).write_text(CASES)
    for place in ("files", "others", "folders/a", "folders/b"):
        (folder / place).mkdir()
        for name in "ab":
            (folder / place / f"{name}.json").write_text('{"x": 1}')
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        torn, whole = fw.run("s.json"), fw.run("s.json")
        closed = next(file.file for file in torn.parts[0].files if file.table == "results")
    for path in sorted(folder.rglob("*"), reverse=True):
        path.chmod(0o555 if path.is_dir() else 0o444)
    folder.chmod(0o555)
    for name in ("closed.jsonl", "files/b.json", "folders/b", f".fieldwise/runs/{torn.id}/parts/{closed}"):
        (folder / name).chmod(0)
    return {"TORN": torn.id, "WHOLE": whole.id}


@pytest.mark.parametrize("name", SITUATIONS)
def test_what_another_user_may_not_touch_is_named(name: str, answers: dict[str, tuple[int, str]]) -> None:
    _, code, says = SITUATIONS[name]
    actual_code, output = answers[name]
    assert (actual_code, says in output) == (code, True), output
