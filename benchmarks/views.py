"""What further views of the same comparisons cost: field accuracy alone, then with precision and recall and response quality beside it.

    python benchmarks/views.py

Reading, scoring and summarizing 5,000 invoices from a JSONL file, in CPU microseconds for each record, the best of several repeats that
take turns. `field_prf` compares by the same rules, as a suite that wants both would say; `json_quality` compares top-level keys by text.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

import orjson
from invoices import RULES, pairs

from fieldwise.model.plan import Plan
from fieldwise.read.cases import read_cases
from fieldwise.score.evaluate import score_batch
from fieldwise.suite_plan import compile_suite
from fieldwise.summarize.state import SummaryState

RECORDS, REPEATS = 5000, 5
LISTS = {"line_items": {"align": "best"}}
ACCURACY: dict[str, Any] = {"type": "field_accuracy", "fields": RULES, "lists": LISTS}
PRF: dict[str, Any] = {"type": "field_prf", "fields": RULES, "lists": LISTS}
QUALITY: dict[str, Any] = {"type": "json_quality", "default_text": "FUZZY"}
SUITES = {
    "field_accuracy": [ACCURACY],
    "+ field_prf": [ACCURACY, PRF],
    "+ field_prf + json_quality": [ACCURACY, PRF, QUALITY],
}


def measure(plan: Plan) -> float:
    """CPU seconds for all cases of the plan."""
    assert plan.source is not None
    start = time.process_time()
    state, done = SummaryState(plan.evaluators), 0
    for cases in read_cases(plan.source, chunk=256):
        state.add(score_batch(plan, cases, done))
        done += len(cases)
    state.finish()
    return time.process_time() - start


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "invoices.jsonl")
        lines = (orjson.dumps({"id": str(at), "expected": one, "actual": other}) for at, (one, other) in enumerate(pairs(RECORDS, 5)))
        data.write_bytes(b"\n".join(lines))
        plans = {name: compile_suite({"name": "views", "cases": str(data), "evaluators": some}) for name, some in SUITES.items()}
        best = dict.fromkeys(plans, float("inf"))
        for _ in range(REPEATS):
            for name, plan in plans.items():
                best[name] = min(best[name], measure(plan))
    print("| suite | CPU µs for each record | × field_accuracy alone |\n| --- | ---: | ---: |")
    for name, seconds in best.items():
        print(f"| {name} | {seconds / RECORDS * 1e6:,.0f} | {seconds / best['field_accuracy']:.2f} |")


if __name__ == "__main__":
    main()
