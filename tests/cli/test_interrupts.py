"""Ctrl-C ends a run soon, keeps what is scored, and says how to go on."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from fieldwise.cli._exits import watch_interrupts

JUDGE = "import pathlib, time\npathlib.Path('asked').touch()\ntime.sleep(600)\n"
SLOW = """import pathlib, sys, time
for line in sys.stdin:
    pathlib.Path('asked').touch()
    time.sleep(0.05)
    print('{"score": 1}', flush=True)
"""


def test_an_interrupt_that_a_library_overlooked_is_raised_at_the_next_check() -> None:
    with watch_interrupts() as check:
        check()
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        except KeyboardInterrupt:
            pass  # as a library does that clears the errors of what it calls
        with pytest.raises(KeyboardInterrupt):
            check()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_in_another_thread_nothing_is_taken_over() -> None:
    actual: list[object] = []

    def work() -> None:
        with watch_interrupts() as check:
            check()
            actual.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert actual == [signal.default_int_handler]


def test_a_run_that_is_stopped_exits_130_and_says_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text(JUDGE)
    (tmp_path / "cases.jsonl").write_text('{"id": "a", "expected": "x", "actual": "y"}\n')
    judge = f"{{type: code_judge, script: [{sys.executable}, judge.py], timeout: 600}}"
    (tmp_path / "slow.eval.yaml").write_text(f"name: slow\ncases: cases.jsonl\nevaluators: [{judge}]\n")
    command = [sys.executable, "-c", "from fieldwise.cli import main; main()", "run", "slow.eval.yaml"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        wait_until_it_scores(process, tmp_path)
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=300)[1]
    assert process.returncode == 130
    assert "0 cases are scored and stored" in output
    assert "go on: the same command with --resume" in output
    assert "Traceback" not in output


def start_slow_run(folder: Path, count: int, *options: str) -> "subprocess.Popen[str]":
    """A run that takes about count / 20 seconds, in a process of its own."""
    (folder / "judge.py").write_text(SLOW)
    (folder / "cases.jsonl").write_text("".join(f'{{"id": "c{n}", "expected": "x", "actual": "y"}}\n' for n in range(count)))
    judge = f"{{type: code_judge, script: [{sys.executable}, judge.py], workers: 1}}"
    (folder / "slow.eval.yaml").write_text(f"name: slow\ncases: cases.jsonl\nevaluators: [{judge}]\n")
    command = [sys.executable, "-c", "from fieldwise.cli import main; main()", "run", "slow.eval.yaml", "--format", "plain", *options]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def wait_until_it_scores(process: "subprocess.Popen[str]", folder: Path) -> None:
    """Wait for the first question to the judge: the run is stored by then, and can be resumed."""
    while not list(folder.rglob("asked")):
        assert process.poll() is None, "the run ended before its first question"
        time.sleep(0.05)


def test_a_run_that_is_told_to_end_exits_130_and_goes_on(tmp_path: Path) -> None:
    with start_slow_run(tmp_path, 400) as process:
        wait_until_it_scores(process, tmp_path)
        process.send_signal(signal.SIGTERM)
        output = process.communicate(timeout=120)[1]
    assert process.returncode == 130
    assert "go on: the same command with --resume" in output
    with start_slow_run(tmp_path, 20, "--resume") as process:
        output = process.communicate(timeout=120)[0]
    assert process.returncode == 0
    assert "20" in output


def test_a_second_ctrl_c_ends_it_at_once_and_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    with start_slow_run(tmp_path, 400) as process:
        wait_until_it_scores(process, tmp_path)
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=120)[1]
    assert process.returncode in (130, -signal.SIGINT)
    assert "internal error" not in output
    with start_slow_run(tmp_path, 20, "--resume") as process:
        process.communicate(timeout=120)
    assert process.returncode == 0


def test_a_run_that_is_suspended_and_continued_ends_as_usual(tmp_path: Path) -> None:
    with start_slow_run(tmp_path, 20) as process:
        wait_until_it_scores(process, tmp_path)
        process.send_signal(signal.SIGSTOP)
        time.sleep(1)
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=120)
    assert process.returncode == 0
