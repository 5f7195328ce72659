"""Kill runs at many points, resume them, and compare the results with those of an undisturbed run.

    python scripts/crashtest.py                 20 points, 10 times each
    python scripts/crashtest.py --points 5 --times 1

A point is a place in the sequence of a run's steps on disk: before or after a file is written to the disk, gets its name or loses it, or
in the middle of writing it; or a moment in time. Every other resumed run is killed once more before it may finish. Whatever happens, the
run must end as the undisturbed one: the same cases, each once, the same results, the same summary, the same verdict.

Nothing of this is in fieldwise itself: the process to be killed replaces the functions of `os` by ones that count.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import fieldwise.store.load_part
import fieldwise.store.resume
import fieldwise.store.writer
from fieldwise import api
from fieldwise.store.run import Run, open_run
from fieldwise.summarize.exit_code import Limits

CASES, CHUNK, PART = 60, 5, 10
STEPS = ("fsync", "replace", "unlink")
SUITE = """name: crash
cases: cases.jsonl
evaluators:
  - {type: field_accuracy, name: fields, fields: [number, total, lines], pass_at: 0.5}
  - {type: field_prf}
  - {type: iou_score, path: box}
gate: {fields.score: ">= 0.5"}
"""


def write_suite(folder: Path, seed: int) -> Path:
    """A suite with cases of many kinds: right, wrong, without output, unreadable."""
    rng = random.Random(seed)
    lines: list[str] = []
    for at in range(CASES):
        expected: dict[str, Any] = {"number": f"N-{at}", "total": at + 0.5, "lines": [{"n": k} for k in range(at % 3)], "box": [0, 0, 9, 9]}
        actual: Any = dict(expected)
        fate = rng.random()
        if fate < 0.3:
            actual["total"] = rng.randrange(99)
        elif fate < 0.4:
            actual = None
        elif fate < 0.5:
            actual["box"] = [0, 0, rng.randrange(1, 9), 9]
        line = json.dumps({"id": f"c{at}", "expected": expected, "actual": actual, "tags": [f"t{at % 2}"]})
        lines.append(line[:-9] if fate > 0.97 else line)
    (folder / "cases.jsonl").write_text("\n".join(lines) + "\n")
    suite = folder / "crash.eval.yaml"
    suite.write_text(SUITE)
    return suite


def score(suite: Path, root: Path, *, resume: bool = False) -> Run:
    """The run under test, in small parts so that there are many steps."""
    fieldwise.store.writer.PART_CASES = PART  # type: ignore[misc]
    return api.run(suite, root=root, resume=resume, chunk=CHUNK, limits=Limits(max_errors=1000))


def die() -> None:
    """End as `kill -9` or a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


def watch_steps(at: Callable[[int, str], None]) -> None:
    """Have `at(number, when)` called around every step on disk, and in the middle of every file that is written."""
    steps = 0

    def around(function: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **options: Any) -> Any:
            nonlocal steps
            steps, number = steps + 1, steps + 1
            at(number, "before")
            done = function(*arguments, **options)
            at(number, "after")
            return done

        return step

    def torn(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[: len(content) // 2])
            file.flush()
            at(steps + 1, "within")
            file.write(content[len(content) // 2 :])
        return len(content)

    for name in STEPS:
        setattr(os, name, around(getattr(os, name)))
    Path.write_bytes = torn  # type: ignore[method-assign, assignment]


def in_child(work: Callable[[], Any], kill_after: float | None = None) -> bool:
    """Do some work in a process of its own; whether it came to its end."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise AssertionError("the run failed by itself")
    return os.WIFEXITED(status)


def moments(suite: Path, root: Path) -> tuple[list[tuple[int, str]], float]:
    """Every moment of an undisturbed run at which it can be killed, and how many seconds it took."""
    told = root.with_suffix(".json")

    def work() -> None:
        seen: list[tuple[int, str]] = []
        watch_steps(lambda number, when: seen.append((number, when)))
        begun = time.monotonic()
        score(suite, root)
        told.write_text(json.dumps([seen, time.monotonic() - begun]))

    assert in_child(work)
    seen, seconds = json.loads(told.read_text())
    return [(number, when) for number, when in seen], seconds


def killed(suite: Path, root: Path, number: int, when: str, *, resume: bool = False) -> bool:
    """Kill a run at a step; whether it got there."""

    def work() -> None:
        watch_steps(lambda step, moment: die() if (step, moment) == (number, when) else None)
        score(suite, root, resume=resume)

    return not in_child(work)


def comparable(run: Run) -> dict[str, Any]:
    """Everything that a run says, but when it was and under which name."""
    manifest = run.manifest.to_json()
    kept = ("name", "package", "suite", "fingerprints", "evaluators", "summary", "gates", "exit_code")
    told = [one for one in manifest["diagnostics"] if one["code"] not in ("resumed", "not-resumed")]
    results = [[one.case, one.position, one.evaluator, one.result.to_json()] for one in run.results()]
    return json.loads(json.dumps({**{name: manifest[name] for name in kept}, "diagnostics": told, "results": results}))


def check(suite: Path, root: Path, undisturbed: dict[str, Any]) -> None:
    """Resume what did not finish, and compare."""
    if not any((root / "runs").glob("*")) or open_run(root).state == "unfinished":
        assert in_child(lambda: score(suite, root, resume=True)), "the resumed run did not finish"
    run = open_run(root)
    assert run.state == "finished"
    found = comparable(run)
    seen = [(case, evaluator) for case, _, evaluator, _ in found["results"]]
    assert len(seen) == len(set(seen)), "a case was counted twice"
    for name, value in undisturbed.items():
        assert found[name] == value, f"{name} differs:\n{found[name]}\n{value}"
    names = {file.file for part in run.parts for file in part.files} | {f"{part.number:05d}.json" for part in run.parts}
    assert {path.name for path in (run.path / "parts").iterdir()} == names, "files are left over"


def crashtest(folder: Path, points: int, times: int, seed: int = 0) -> int:
    """Kill, resume and compare so often; how many runs were killed. AssertionError where a resumed run differs."""
    kills = 0
    for turn in range(times):
        rng = random.Random(seed + turn)
        base = folder / str(turn)
        base.mkdir(parents=True)
        suite = write_suite(base, seed + turn)
        every, seconds = moments(suite, base / "undisturbed")
        undisturbed = comparable(open_run(base / "undisturbed"))
        for point in range(points):
            number, when = every[min((point * len(every) + rng.randrange(len(every))) // points, len(every) - 1)]
            root = base / f"{point}-{number}-{when}"
            kills += killed(suite, root, number, when)
            if point % 2:
                kills += killed(suite, root, *rng.choice(every), resume=True)
            if point % 5 == 4:
                kills += not in_child(partial(score, suite, root, resume=True), kill_after=rng.random() * seconds)
            check(suite, root, undisturbed)
    return kills


def main() -> None:
    """Crash, resume, compare, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=20)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kills = crashtest(Path(folder), options.points, options.times, options.seed)
    print(f"{options.points} points, {options.times} times each: {kills} kills, 0 lost, 0 duplicated, the same verdict every time")


if __name__ == "__main__":
    main()
