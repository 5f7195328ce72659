"""Time five stories of a new user by driving the real commands, and a browser where the story is about pages.

    python scripts/stories.py

A wrong expected value is corrected on the page /review, which needs playwright and Chromium (its path: FIELDWISE_CHROMIUM).

Prints one line per story: seconds of waiting, and the line of output that answers the question.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import fieldwise as fw

SUITE = "gold.eval.yaml"


def main() -> int:
    """Run the stories in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="fieldwise-stories-") as name:
        folder = Path(name)
        _write_data(folder)
        stories: dict[str, Callable[[Path], str]] = {
            "own two files to the first number": tell_first_number,
            "which field is wrong, and why": tell_field_and_cause,
            "two systems compared": tell_comparison,
            "a gate in CI": tell_gate,
            "a wrong expected value corrected": tell_correction,
        }
        for title, tell in stories.items():
            start = time.perf_counter()
            answer = tell(folder)
            print(f"{time.perf_counter() - start:6.1f} s  {title}: {answer}")
    return 0


def tell_first_number(folder: Path) -> str:
    """Two files with different names of ids and fields: a suite, and its first score."""
    _fieldwise(folder, "init", ".", "--expected", "gold.jsonl", "--actual", "a.jsonl")
    [suite] = folder.glob("*.eval.yaml")
    suite.rename(folder / SUITE)
    return _find_line(_fieldwise(folder, "run", SUITE, "--format", "plain"), "[")


def tell_field_and_cause(folder: Path) -> str:
    """The list of wrong values."""
    answer = json.loads(_fieldwise(folder, "run", SUITE, "--format", "agent"))
    worst = next(iter(answer.get("worst_fields") or answer.get("fields") or [{}]))
    return json.dumps(worst, ensure_ascii=False)[:120]


def tell_comparison(folder: Path) -> str:
    """Another system over the same cases."""
    base = fw.open_run("latest", root=folder / ".fieldwise").id
    text = (folder / SUITE).read_text(encoding="utf-8").replace("a.jsonl", "b.jsonl")
    (folder / "b.eval.yaml").write_text(text, encoding="utf-8")
    _fieldwise(folder, "run", "b.eval.yaml", "--format", "plain")
    return _find_line(_fieldwise(folder, "compare", base, "latest", "--format", "plain"), "→", "better", "worse")


def tell_gate(folder: Path) -> str:
    """A gate that fails sets exit code 1."""
    name = next(iter(fw.open_run("latest", root=folder / ".fieldwise").evaluators))
    done = _call(folder, "run", SUITE, "--gate", f"{name}.score >= 0.99", "--format", "github")
    if done.returncode != 1:
        raise RuntimeError(f"the gate should fail: {done.stdout}{done.stderr}")
    return _find_line(done.stdout, "::error")


def tell_correction(folder: Path) -> str:
    """The expected total of a document is wrong: one key on the page /review corrects it, and the next run applies the correction."""
    run = _fieldwise_run_id(folder)
    with _serve_pages(folder) as address:
        case = _correct_first_value(f"{address}/review?run={run}&source=disagreements&by=ann")
    [correction] = [json.loads(line) for line in (folder / "corrections.jsonl").read_text(encoding="utf-8").splitlines()]
    if (correction["case"], correction["path"], correction["action"]) != (case, "total", "replace"):
        raise RuntimeError(f"the page corrected something else: {correction}")
    text = (folder / SUITE).read_text(encoding="utf-8").replace("  expected:\n", "  corrections: corrections.jsonl\n  expected:\n", 1)
    (folder / SUITE).write_text(text, encoding="utf-8")
    return _find_line(_fieldwise(folder, "run", SUITE, "--format", "plain"), "correction")


def _fieldwise_run_id(folder: Path) -> str:
    """A new run of the first suite, whose outputs are those of system a."""
    _fieldwise(folder, "run", SUITE, "--format", "plain")
    return fw.open_run("latest", root=folder / ".fieldwise").id


@contextmanager
def _serve_pages(folder: Path) -> Iterator[str]:
    """`fieldwise view` in a process of its own, until the pages were looked at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "fieldwise", "view", "--no-token", "--port", str(port)], cwd=folder, stdout=subprocess.DEVNULL
    )
    try:
        for _ in range(600):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(10)


def _correct_first_value(address: str) -> str:
    """Press `e`, for "expected is wrong", on the first comparison of the queue; the id of its case."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("FIELDWISE_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(60_000)
        page.goto(address)
        item = page.locator("#review-item")
        before = item.inner_text()
        case = re.search(r"doc-\d+", before)
        page.keyboard.press("e")
        page.wait_for_function("before => document.querySelector('#review-item').innerText !== before", arg=before)
        browser.close()
    if case is None:
        raise RuntimeError(f"the page names no document: {before}")
    return case.group()


def _write_data(folder: Path) -> None:
    """40 documents of two systems, with other names of ids on the two sides."""
    gold = [{"key": f"doc-{n}", "vendor": f"Acme {n} GmbH", "total": 10.5 * n + 3, "date": f"2024-02-{n % 27 + 1:02}"} for n in range(40)]
    for name, errors in (("a", 4), ("b", 12)):
        rows = [{"doc_id": row["key"], **{field: row[field] for field in ("vendor", "total", "date")}} for row in gold]
        for n in range(errors):
            rows[n]["total"] = float(str(rows[n]["total"])) * 1000
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold), encoding="utf-8")


def _call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "fieldwise", *arguments], cwd=folder, capture_output=True, text=True, check=False)


def _fieldwise(folder: Path, *arguments: str) -> str:
    done = _call(folder, *arguments)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"fieldwise {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def _find_line(text: str, *words: str) -> str:
    """The first line with one of the words."""
    for line in text.splitlines():
        if any(word in line for word in words):
            return line.strip()[:120]
    raise RuntimeError(f"no line with {' or '.join(words)} in:\n{text}")


if __name__ == "__main__":
    sys.exit(main())
