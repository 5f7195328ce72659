"""Exit codes and messages of the command line as a whole, some of them as a shell sees them."""

import fcntl
import json
import os
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest
from cli_cases import write_jsonl
from jsonschema import Draft202012Validator

from fieldwise import __version__

Run = Callable[..., Any]
COMMAND = [sys.executable, "-c", "from fieldwise.cli import main; main()"]


def shell(*arguments: str, cwd: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], cwd=cwd, capture_output=True, text=True, timeout=60, check=False, **more)


def test_help_names_every_command_and_loads_nothing_heavy(tmp_path: Path) -> None:
    code = "import sys, atexit; sys.argv[1:] = ['--help']; atexit.register(lambda: print(sorted(sys.modules)))\n"
    code += "from fieldwise.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    for command in ("demo", "init", "run", "check", "diff", "explain", "runs", "schema"):
        assert f"\n  {command} " in result.stdout
    for heavy in ("numpy", "scipy", "pyarrow", "pydantic", "rapidfuzz", "fieldwise.api"):
        assert f"'{heavy}'" not in result.stdout


def test_the_shell_sees_the_exit_codes(folder: Path) -> None:
    assert shell("run", "small.eval.yaml", cwd=folder).returncode == 0
    assert shell("run", "small.eval.yaml", "--gate", "fields.score >= 0.99", cwd=folder).returncode == 1
    assert shell("run", "nowhere.yaml", cwd=folder).returncode == 2


def test_where_no_terminal_looks_no_message_is_broken_into_lines(folder: Path) -> None:
    name = f"{'a_long_name_' * 12}.eval.yaml"
    (folder / name).write_text("cases: cases.jsonl\nevaluators: [{type: field_accuracy, fields: [{path: a, match: invalid_type}]}]\n")
    result = shell("check", name, cwd=folder)
    assert (result.returncode, f"{name}:2: field a: Invalid match type: invalid_type (valid: exact, fuzzy," in result.stderr) == (2, True)
    assert all(line == line.rstrip() for line in result.stderr.splitlines())


def test_output_that_is_no_terminal_has_no_escapes(folder: Path) -> None:
    result = shell("run", "small.eval.yaml", cwd=folder)
    assert "\x1b" not in result.stdout + result.stderr


def test_a_terminal_without_unicode_is_no_reason_to_stop(folder: Path) -> None:
    result = shell("run", "small.eval.yaml", cwd=folder, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert result.returncode == 0, result.stderr


def _unread_bytes(pipe: IO[bytes]) -> int:
    """Number of bytes in a pipe that its reader has not read yet."""
    count = fcntl.ioctl(pipe, termios.FIONREAD, struct.pack("i", 0))
    return struct.unpack("i", count)[0]


def test_ctrl_c_exits_130(folder: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "run", "small.eval.yaml", "--cases", "-"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(b'{"id": "a", "expected": {}, "actual": {}}\n')
    process.stdin.flush()
    while _unread_bytes(process.stdin) and process.poll() is None:  # no deadline: a loaded machine may take minutes
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=300)
    assert process.returncode == 130
    assert b"interrupted" in error
    assert b"Traceback" not in error


def test_an_internal_error_exits_70_and_says_where_the_traceback_is(folder: Path, fieldwise: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("boom [red]\x1b[2J")

    monkeypatch.setattr("fieldwise.api.run", broken)
    result = fieldwise("run", "small.eval.yaml")
    assert result.exit_code == 70
    assert "internal error: RuntimeError: boom [red]\\x1b[2J" in result.stderr
    assert "Traceback" not in result.stderr
    stored = Path(result.stderr.split("the traceback is in ")[1].split(";")[0])
    assert "in broken" in stored.read_text()
    stored.unlink()
    debugged = fieldwise("--debug", "run", "small.eval.yaml")
    assert debugged.exit_code == 70
    assert "Traceback" in debugged.stderr


def test_a_call_of_sys_exit_below_a_command_never_exits_0(folder: Path, fieldwise: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def exiting(*_: object, **__: object) -> None:
        sys.exit(0)

    monkeypatch.setattr("fieldwise.api.run", exiting)
    result = fieldwise("--debug", "run", "small.eval.yaml")
    assert result.exit_code == 70
    assert "called sys.exit()" in result.stderr


def test_runs_lists_what_was_run_newest_first(folder: Path, fieldwise: Run) -> None:
    assert "there are no runs" in fieldwise("runs").stdout
    fieldwise("run", "small.eval.yaml")
    fieldwise("run", "small.eval.yaml", "--gate", "fields.score >= 0.99")
    listed = fieldwise("runs", "--format", "plain").stdout.splitlines()
    assert listed[0].split() == ["run", "suite", "started", "cases", "exit", "gates", "scores"]
    assert len(listed) == 3
    actual = json.loads(fieldwise("runs", "--format", "json").stdout)
    assert sorted(entry["exit_code"] for entry in actual) == [0, 1]
    assert "and 1 older ones" in fieldwise("runs", "--limit", "1").stdout


def test_schemas_are_schemas(fieldwise: Run) -> None:
    for of in ("suite", "run"):
        schema = json.loads(fieldwise("schema", "--of", of).stdout)
        Draft202012Validator.check_schema(schema)
        assert schema["title"] == f"fieldwise {of}"
    assert json.loads(fieldwise("schema").stdout)["title"] == "fieldwise suite"


def test_the_version_is_told(fieldwise: Run) -> None:
    assert fieldwise("--version").stdout.strip() == __version__


def test_completion_can_be_shown(tmp_path: Path) -> None:
    result = shell("--show-completion", "bash", cwd=tmp_path)
    assert result.returncode == 0


def test_a_place_that_cannot_be_written_is_no_internal_error(folder: Path, fieldwise: Run) -> None:
    fieldwise("run", "small.eval.yaml")
    (folder / "file").write_text("")
    (folder / "folder.html").mkdir()
    for place, output in (("file/report.html", "a file is where a folder should be"), ("folder.html", "name a file, not a folder")):
        result = fieldwise("report", "-o", place)
        assert result.exit_code == 2, place
        assert output in result.stderr
        assert "Traceback" not in result.stderr


def test_a_filter_that_no_case_fits_says_so(folder: Path, fieldwise: Run) -> None:
    result = fieldwise("run", "small.eval.yaml", "--filter", "tag:DE", "--format", "plain")
    assert result.exit_code == 4
    assert "no case matches the filter `tag:DE`" in result.stdout


@pytest.mark.parametrize(
    ("written", "fix"),
    [
        ("tag:gremany", "did you mean `tag:germany`?"),
        ("tag:x", "there are `tag:germany`, `tag:DE`"),
        ("split:tarin", "did you mean `split:train`?"),
        ("a", "check the spelling"),
    ],
)
def test_a_filter_that_no_case_matches_names_the_tags_and_splits_that_there_are(
    folder: Path, fieldwise: Run, written: str, fix: str
) -> None:
    record = {"expected": {"number": "A", "total": 1}, "actual": {"number": "A", "total": 1}}
    write_jsonl(folder / "cases.jsonl", [{"id": "1", **record, "tags": ["germany", "DE"]}, {"id": "2", **record, "split": "train"}])
    result = fieldwise("run", "small.eval.yaml", "--filter", written, "--format", "plain")
    assert result.exit_code == 4
    assert fix in result.stdout


def test_a_filter_by_tag_of_cases_without_tags_says_that_they_have_none(folder: Path, fieldwise: Run) -> None:
    record = {"expected": {"number": "A", "total": 1}, "actual": {"number": "A", "total": 1}}
    write_jsonl(folder / "cases.jsonl", [{"id": "1", **record}])
    assert "no case has a tag" in fieldwise("run", "small.eval.yaml", "--filter", "tag:x", "--format", "plain").stdout


def test_a_run_without_cases_has_none_to_explain(folder: Path, fieldwise: Run) -> None:
    fieldwise("run", "small.eval.yaml", "--filter", "tag:DE")
    assert "it has none: nothing was evaluated" in fieldwise("explain", "latest", "a").stderr


def test_every_command_is_told_in_one_line_of_80_columns(fieldwise: Run) -> None:
    for words in ((), ("runs",), ("baseline",)):
        lines = fieldwise(*words, "--help").stdout.split("Commands:\n")[1].rstrip().split("\n")
        assert all(len(line) <= 80 and line.startswith("  ") and not line.startswith("   ") and "..." not in line for line in lines), lines
