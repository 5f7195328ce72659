"""Improve a prompt from improvement packs, as reflective optimisers such as GEPA do.

Each round runs the train split, packs it, lets a model rewrite the prompt from `summary.md`, and keeps the new prompt only if the score
rose. The test split is measured before and after, and no file that the model reads has anything of it.

The two models are scripted, so that the example runs offline: replace `extract` and `reflect` by calls of your own. The same loop works
with DSPy: `fieldwise.integrations` has a metric that returns score and feedback.

    python examples/optimiser/optimise.py
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import fieldwise as fw

SUITE: dict[str, Any] = {
    "name": "orders",
    "evaluators": [
        {"type": "field_accuracy", "name": "fields", "fields": ["number", {"path": "date", "match": "exact"}, "total"]},
    ],
}
DOCUMENTS = [
    {
        "id": f"order-{number}",
        "input": f"Order A-{number}\nDate {number % 9 + 1:02}/12/2024\nTotal {number},50 EUR",
        "expected": {"number": f"A-{number}", "date": f"2024-12-{number % 9 + 1:02}", "total": number + 0.5},
        "split": "test" if number % 3 == 0 else "train",
    }
    for number in range(1, 31)
]
FIRST_PROMPT = "Return number, date and total of the order as JSON."


def extract(prompt: str, text: str) -> dict[str, Any]:
    """The scripted extraction model: it does what the prompt says, and makes the usual mistakes where the prompt says nothing."""
    number, day, total = re.search(r"(A-\d+)\nDate (\d\d)/12/2024\nTotal (\S+)", text).groups()  # type: ignore[union-attr]
    return {
        "number": number,
        "date": f"2024-12-{day}" if "ISO" in prompt else f"{day} December 2024",
        "total": float(total.replace(",", ".")) if "plain numbers" in prompt else total,
    }


def reflect(prompt: str, summary: str) -> str:
    """The scripted reflection model: it adds one instruction for the first cause of the summary that the prompt does not address."""
    for cause, instruction in (("date format", "Write dates as ISO dates."), ("number format", "Write amounts as plain numbers.")):
        if cause in summary and instruction not in prompt:
            return f"{prompt} {instruction}"
    return prompt


def score(prompt: str, split: str, root: Path) -> fw.Run:
    """Extract the documents of a split and run the suite on them."""
    cases = [case | {"actual": extract(prompt, str(case["input"]))} for case in DOCUMENTS if case["split"] == split]
    return fw.run(SUITE, cases=cases, root=root)


def pack(run: fw.Run, folder: Path, root: Path) -> str:
    """Write the pack of a run and return its summary."""
    command = [sys.executable, "-m", "fieldwise", "pack", run.id, "--split", "train", "-o", str(folder), "--root", str(root)]
    subprocess.run(command, check=True, capture_output=True)
    return (folder / "summary.md").read_text(encoding="utf-8")


def optimise(root: Path, rounds: int = 4) -> tuple[str, float, float]:
    """The best prompt, and the score of the test split with the first and with the best prompt."""
    prompt = FIRST_PROMPT
    run = score(prompt, "train", root)
    for number in range(rounds):
        candidate = reflect(prompt, pack(run, root / f"pack-{number}", root))
        if candidate == prompt:
            break
        new_run = score(candidate, "train", root)
        print(f"round {number + 1}: {run.summary['fields.score']:.3f} → {new_run.summary['fields.score']:.3f}  {candidate}")
        if new_run.summary["fields.score"] > run.summary["fields.score"]:
            prompt, run = candidate, new_run
    before, after = (score(tested, "test", root).summary["fields.score"] for tested in (FIRST_PROMPT, prompt))
    return prompt, before, after


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        best, before, after = optimise(Path(folder))
        print(f"test split: {before:.3f} → {after:.3f} with: {best}")
