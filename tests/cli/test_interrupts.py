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
        while not list(tmp_path.rglob("asked")) and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=300)[1]
    assert process.returncode == 130
    assert "0 cases are scored and stored" in output
    assert "go on: the same command with --resume" in output
    assert "Traceback" not in output
