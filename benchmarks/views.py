"""Cost of further evaluators on the same comparisons: field_accuracy alone, with field_prf, and with field_prf and json_quality.

    python benchmarks/views.py

5,000 invoices are read from a JSONL file, scored and summarized. Times are CPU microseconds per record, the best of several repeats in
turns. `field_prf` has the same rules as `field_accuracy`; `json_quality` compares top-level keys by text.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

import orjson
from invoices import RULES, generate_pairs

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
EVALUATORS_BY_SUITE = {
    "field_accuracy": [ACCURACY],
    "+ field_prf": [ACCURACY, PRF],
    "+ field_prf + json_quality": [ACCURACY, PRF, QUALITY],
}


def write_cases(file: Path, records: int) -> None:
    """Write this many invoices to a JSONL file."""
    lines: list[bytes] = []
    for number, (expected, actual) in enumerate(generate_pairs(records, 5)):
        lines.append(orjson.dumps({"id": str(number), "expected": expected, "actual": actual}))
    file.write_bytes(b"\n".join(lines))


def measure_cpu(plan: Plan) -> float:
    """CPU seconds for all cases of a plan."""
    assert plan.source is not None
    start = time.process_time()
    state, position = SummaryState(plan.evaluators), 0
    for cases in read_cases(plan.source, chunk=256):
        state.add(score_batch(plan, cases, position))
        position += len(cases)
    state.finish()
    return time.process_time() - start


def main() -> None:
    """Measure the suites in turns, and print a row for each."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "invoices.jsonl")
        write_cases(data, RECORDS)
        plans: dict[str, Plan] = {}
        for name, evaluators in EVALUATORS_BY_SUITE.items():
            plans[name] = compile_suite({"name": "views", "cases": str(data), "evaluators": evaluators})
        best_times = dict.fromkeys(plans, float("inf"))
        for _ in range(REPEATS):
            for name, plan in plans.items():
                best_times[name] = min(best_times[name], measure_cpu(plan))
    print("| suite | CPU µs per record | × field_accuracy alone |\n| --- | ---: | ---: |")
    for name, seconds in best_times.items():
        print(f"| {name} | {seconds / RECORDS * 1e6:,.0f} | {seconds / best_times['field_accuracy']:.2f} |")


if __name__ == "__main__":
    main()
