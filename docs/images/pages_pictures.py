"""Takes the pictures in docs/pages.md: python docs/images/pages_pictures.py (needs Chromium and playwright)"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

import fieldwise as fw
from fieldwise.store.run_names import add_tags

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CONTEXTS = [
    {
        "id": "manual-p2",
        "text": "The deductible in Ohio is 500 dollars. It applies once per policy year.\nGlass claims have no deductible.",
    },
    {"id": "rates-p9", "text": "Premiums are rounded to the nearest dollar. Territory 118 has a factor of 1.133."},
]
ANSWER = (
    "The deductible in Ohio is 500 dollars. It applies once per policy year. According to Acme Insurance, glass claims cost 250 dollars."
)


def stored(folder: Path) -> dict[str, str]:
    """Runs to look at, in a folder of their own: the address of a page by the name of its picture."""
    shutil.copytree(ROOT / "src/fieldwise/demo", folder / "demo", ignore=shutil.ignore_patterns("*.py"))
    shutil.copytree(ROOT / "examples/detection", folder / "detection")
    rows = [json.loads(line) for line in (folder / "demo/invoices.jsonl").read_text(encoding="utf-8").splitlines()]
    root, runs = folder / ".fieldwise", list[Any]()
    for wrong in (12, 9, 10, 5, 2, 0):
        changed = [
            {**row, "actual": {**row["actual"], "currency": "XXX"}} if n < wrong and isinstance(row.get("actual"), dict) else row
            for n, row in enumerate(rows)
        ]
        (folder / "demo/invoices.jsonl").write_text("".join(json.dumps(row) + "\n" for row in changed))
        runs.append(fw.run(folder / "demo/invoices.eval.yaml", root=root))
    add_tags(runs[2].path, ["release-1.2"])
    add_tags(runs[-1].path, ["candidate"])
    boxes = fw.run(folder / "detection/detection.eval.yaml", root=root)
    case = {"id": "ohio", "input": "What is the deductible in Ohio?", "expected": "500 dollars", "actual": ANSWER, "contexts": CONTEXTS}
    (folder / "answers.jsonl").write_text(json.dumps(case) + "\n")
    suite = {"name": "answers", "cases": str(folder / "answers.jsonl"), "evaluators": [{"type": "grounding"}, {"type": "answer_quality"}]}
    answers = fw.run(suite, root=root)
    subprocess.run([sys.executable, "-m", "fieldwise", "demo", "review"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    reviewed = next(run.id for run in fw.runs(root) if "alpha" in run.sources[0].file)
    return {
        "review": f"/review?run={reviewed}&source=doubts&at=1&by=ann",
        "runs": "/runs?name=invoices&metric=fields.score",
        "run": f"/runs/{runs[-1].id}#heatmap",
        "case": f"/runs/{runs[-1].id}/case?id=rheintal-0131",
        "boxes": f"/runs/{boxes.id}/case?id=1#picture-title",
        "answer": f"/runs/{answers.id}/case?id=ohio",
        "compare": f"/compare?base={runs[0].id}&new={runs[-1].id}",
    }


def take_suite_picture(page: Any, address: str) -> None:
    """The test page with a suite that is being written: suggestions, and a problem with its line."""
    page.goto(address)
    page.fill("#expected", '{"invoice": "INV-2024-031", "issued": "2024-03-04", "total": 119.0}')
    page.fill("#actual", '{"invoice": "INV-2024-031", "issued": "2024-04-03", "total": "119,00"}')
    page.fill(
        "#suite", "evaluators:\n  - type: field_accuracy\n    fields:\n      - {path: invoice, match: code}\n      - {path: total, match: "
    )
    page.focus("#suite")
    page.keyboard.press("Control+End")
    page.keyboard.type("n")
    page.wait_for_selector(".completions li", timeout=60_000)
    page.keyboard.press("ArrowDown")
    page.locator(".suite-editor").scroll_into_view_if_needed()
    page.mouse.wheel(0, 500)
    page.wait_for_selector("#suite-checked .diagnostics")
    page.screenshot(path=HERE / "page-suite.png")


def wait_for(port: int) -> None:
    """Wait until the server answers."""
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.2)


def main() -> None:
    """Start a server, take the pictures."""
    chromium = os.environ.get("FIELDWISE_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as name, socket.socket() as free:
        pages = stored(Path(name))
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        server = subprocess.Popen([sys.executable, "-m", "fieldwise", "view", "--no-token", "--port", str(port)], cwd=name)
        try:
            wait_for(port)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": 1180, "height": 760})
                for name, address in pages.items():
                    page.goto(f"http://127.0.0.1:{port}{address}")
                    page.wait_for_function("!document.querySelector('.htmx-request')")
                    page.wait_for_timeout(300)
                    page.screenshot(path=HERE / f"page-{name}.png")
                take_suite_picture(page, f"http://127.0.0.1:{port}/test?with=suite")
                browser.close()
        finally:
            server.terminate()
            server.wait(10)


if __name__ == "__main__":
    main()
