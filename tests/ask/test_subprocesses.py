"""Programs as judges: output, limits, concurrency, interruption."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event

import pytest

from fieldwise.ask.asker import open_asker
from fieldwise.ask.subprocesses import measure_processes, run_once
from fieldwise.model.ask import Asking, Asks, Command, ProcessLimits, Replies, Reply


def python(code: str, **options: object) -> Command:
    return Command(argv=(sys.executable, "-c", code), stdin="", **options)  # type: ignore[arg-type]


def test_output_exit_code_and_stderr_are_returned() -> None:
    reply = run_once(python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"), Event())
    assert (reply.text, reply.stderr, reply.exit_code, reply.problem) == ("out\n", "err", 3, None)


def test_invalid_utf8_is_replaced() -> None:
    assert run_once(python("import sys; sys.stdout.buffer.write(b'\\xff{}')"), Event()).text == "\ufffd{}"


def test_children_in_their_own_sessions_count() -> None:
    code = "import subprocess, time\nfor n in range(12): subprocess.Popen(['sleep', '987'], start_new_session=True)\ntime.sleep(987)"
    reply = run_once(python(code, limits=ProcessLimits(processes=5), timeout=20), Event())
    assert reply.problem == "it started more than 5 processes"


def test_children_that_outlive_their_parent_count() -> None:
    code = (
        "import os, time\nfor n in range(20):\n    if os.fork() == 0:\n        os.closerange(0, 3)\n        time.sleep(60)\nprint('done')"
    )
    reply = run_once(python(code, limits=ProcessLimits(processes=5), timeout=20), Event())
    assert reply.problem == "it started more than 5 processes"


def test_usage_covers_one_session() -> None:
    child = subprocess.Popen(["sleep", "987"], start_new_session=True)
    try:
        usage = measure_processes(child.pid)
        assert (usage.processes, 0 < usage.memory < 2**30) == (1, True)
    finally:
        child.kill()
        child.wait()


def test_at_most_the_configured_number_of_programs_runs_at_a_time(tmp_path: Path) -> None:
    code = (
        f"import os, time; from pathlib import Path; here = Path({str(tmp_path)!r}); own = here / str(os.getpid())\n"
        "own.touch(); print(len(list(here.iterdir()))); time.sleep(0.2); own.unlink()"
    )
    replies: list[Reply] = []

    def follow(judge: int, new_replies: Replies) -> Asks:
        replies.extend(new_replies)
        return ()

    with open_asker(Asking(cache=None, processes=2)) as asker:
        asker.answer({judge: (python(code),) for judge in range(6)}, follow)
    assert max(int(reply.text) for reply in replies) == 2


def test_an_interrupted_run_kills_its_programs(tmp_path: Path) -> None:
    judge = f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(987)"
    config = {"type": "code_judge", "script": [sys.executable, "-c", judge], "timeout": 900}
    program = f"import fieldwise as fw; fw.evaluate({config!r}, expected='a', actual='a')"
    run = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=60)
    assert b"KeyboardInterrupt" in errors
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
