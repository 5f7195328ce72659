"""Records compared field by field: fieldwise beside its peers and the floor, in one run.

    python benchmarks/fields.py [--quick] [--structured-eval PYTHON]

The floor is what nobody can do without: decoding both sides with orjson, one RapidFuzz call for the strings, and one cost matrix with an
optimal assignment for each list. Every contestant starts from the same JSON text; fieldwise also finds the cause of every mismatch. It is
measured twice: scoring alone, and a whole run, which also reads a file, stores everything and summarizes it. Peers that are not installed
are named as such. fieldwise and the floor run in turns. A cell shows the smallest CPU time of all rounds, in
microseconds for each record, and in brackets the median of the ratios to the floor of the same round. Peers are slow and run once.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import orjson
from invoices import RULES, pairs
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist, cpdist
from scipy.optimize import linear_sum_assignment

import fieldwise as fw
from fieldwise.kernels.runtime import throughput_settings
from fieldwise.model.case import Cases
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.plan.evaluators import plan_config
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.evaluate import evaluate

sys.path.insert(0, str(Path(__file__).parent))
Lines = list[tuple[bytes, bytes]]
Contestant = Callable[[Lines], Any]
EVALUATOR: dict[str, Any] = {"type": "field_accuracy", "fields": RULES, "lists": {"line_items": {"align": "best"}}}
BATCH = 1024
"""As many as a run scores together."""
ROUNDS = 9
PEER_RECORDS = {5: 30, 50: 3, 200: 1}
"""Records that a slow peer is given, by the number of items."""


def decode(lines: Lines) -> None:
    for expected, actual in lines:
        orjson.loads(expected)
        orjson.loads(actual)


def floor(lines: Lines) -> None:
    for one, other in lines:
        expected, actual = orjson.loads(one), orjson.loads(other)
        ours = [expected[party][field] for party in ("vendor", "buyer") for field in ("name", "street", "city")]
        theirs = [actual[party][field] or "" for party in ("vendor", "buyer") for field in ("name", "street", "city")]
        cpdist(ours, theirs, scorer=Levenshtein.normalized_similarity)
        items = [item["description"] for item in expected["line_items"]]
        others = [item["description"] or "" for item in actual["line_items"]]
        linear_sum_assignment(cdist(items, others, scorer=Levenshtein.normalized_similarity), maximize=True)


def fieldwise() -> Contestant:
    planned: PlannedEvaluator = plan_config(EVALUATOR)

    def score(lines: Lines) -> None:
        for start in range(0, len(lines), BATCH):
            evaluate(planned, ScoringBatch(columns_of(lines[start : start + BATCH])))

    return score


def stored_run(folder: Path) -> Contestant:
    """A whole run: reading JSONL, scoring, storing every comparison, and the summary; by one process."""
    files: dict[int, Path] = {}

    def score(lines: Lines) -> None:
        if id(lines) not in files:
            files[id(lines)] = file = folder / f"cases{len(files)}.jsonl"
            rows = (b'{"id":"%d","expected":%b,"actual":%b}\n' % (row, expected, actual) for row, (expected, actual) in enumerate(lines))
            file.write_bytes(b"".join(rows))
        fw.run({"name": "fields", "cases": str(files[id(lines)]), "evaluators": [EVALUATOR]}, root=folder / "runs")

    return score


def columns_of(lines: Lines) -> Cases:
    """Cases as the reader of files hands them on: in columns."""
    n = len(lines)
    return Cases(
        id=[str(at) for at in range(n)],
        expected=[orjson.loads(one) for one, _ in lines],
        actual=[orjson.loads(other) for _, other in lines],
        metadata=[{}] * n,
        tags=[()] * n,
        input=[None] * n,
        contexts=[None] * n,
        split=[None] * n,
        actuals=[None] * n,
    )


def stickler() -> Contestant:

    from stickler import ComparableField, ExactComparator, LevenshteinComparator, NumericComparator, StructuredModel

    def as_text(threshold: float = 0.85) -> Any:
        return ComparableField(comparator=LevenshteinComparator(), threshold=threshold, default=None)

    def as_is() -> Any:
        return ComparableField(comparator=ExactComparator(), threshold=1.0, default=None)

    def as_number() -> Any:
        return ComparableField(comparator=NumericComparator(), threshold=1.0, default=None)

    class Party(StructuredModel):
        name: Any = as_text()
        street: Any = as_text()
        city: Any = as_text()
        zip: Any = as_is()
        vat: Any = as_is()

    class Head(StructuredModel):
        number: Any = as_is()
        date: Any = as_is()
        due: Any = as_is()
        currency: Any = as_is()
        net: Any = as_number()
        tax: Any = as_number()
        total: Any = as_number()
        paid: Any = as_is()

    class Order(StructuredModel):
        number: Any = as_is()
        terms: Any = as_text()

    class Item(StructuredModel):
        sku: Any = as_is()
        description: Any = as_text()
        quantity: Any = as_is()
        amount: Any = as_number()

    class Invoice(StructuredModel):
        invoice: Head
        vendor: Party
        buyer: Party
        order: Order
        notes: Any = as_text()
        line_items: list[Item] = ComparableField(weight=1.0)

    def score(lines: Lines) -> None:
        for one, other in lines:
            Invoice.from_json(orjson.loads(one)).compare_with(Invoice.from_json(orjson.loads(other)), include_confusion_matrix=True)

    return score


def anls_star() -> Contestant:
    from anls_star import anls_score

    def score(lines: Lines) -> None:
        for one, other in lines:
            anls_score(orjson.loads(one), orjson.loads(other))

    return score


def autoevals() -> Contestant:
    from autoevals.json import JSONDiff

    judge = JSONDiff()

    def score(lines: Lines) -> None:
        for one, other in lines:
            judge(orjson.loads(other), orjson.loads(one))

    return score


def deepdiff() -> Contestant:
    from deepdiff import DeepDiff

    def score(lines: Lines) -> None:
        for one, other in lines:
            DeepDiff(orjson.loads(one), orjson.loads(other), ignore_order=True)

    return score


PEERS: dict[str, Callable[[], Contestant]] = {
    "stickler-eval": stickler,
    "anls_star": anls_star,
    "autoevals JSONDiff": autoevals,
    "deepdiff (unordered)": deepdiff,
}


def cpu_time(contestant: Contestant, lines: Lines) -> float:
    """CPU microseconds for each record of one pass, under the conditions of a run."""
    with throughput_settings():
        start = time.process_time()
        contestant(lines)
        return (time.process_time() - start) / len(lines) * 1e6


def measure_in_turns(contestants: dict[str, Contestant], lines: Lines, rounds: int) -> dict[str, list[float]]:
    """The times of each contestant, one pass of each in every round, so that all of them meet the same noise."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for contestant in contestants.values():
        contestant(lines)  # caches are filled in a pass that is not counted
    for _ in range(rounds):
        for name, contestant in contestants.items():
            times[name].append(cpu_time(contestant, lines))
    return times


def measure_structured_eval(python: Path, lines: Lines) -> float:
    """CPU microseconds for each record in a process of its own: the package needs a newer Python than this one may be."""
    script = Path(__file__).with_name("structured_eval_peer.py")
    text = b"\n".join(line for pair in lines for line in pair)
    return float(subprocess.run([python, script], input=text, capture_output=True, check=True).stdout)


def lines_of(records: int, items: int, every: bool) -> Lines:
    return [(orjson.dumps(expected), orjson.dumps(actual)) for expected, actual in pairs(records, items, every=every)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer records and no slow peers")
    parser.add_argument("--structured-eval", type=Path, metavar="PYTHON", help="a Python 3.12 or newer with structured-eval[align,fuzzy]")
    arguments = parser.parse_args()
    sizes = {5: 1024, 50: 128, 200: 32} if arguments.quick else {5: 4096, 50: 512, 200: 128}
    for every in (False, True):
        print(f"\n{'Every list item altered' if every else 'About one leaf in eight altered'}: CPU µs for each record (× the floor)\n")
        print(f"| {'':22} | {'5 items':>20} | {'50 items':>20} | {'200 items':>20} |")
        print(f"| {'-' * 22} | {'-' * 19}: | {'-' * 19}: | {'-' * 19}: |")
        lines = {items: lines_of(records, items, every) for items, records in sizes.items()}
        contestants: dict[str, Contestant] = {"decoding alone": decode, "floor": floor, "fieldwise, in memory": fieldwise()}
        with tempfile.TemporaryDirectory() as folder:
            contestants["fieldwise, stored run"] = stored_run(Path(folder))
            times = {items: measure_in_turns(contestants, lines[items], ROUNDS) for items in lines}
        floors = {items: times[items]["floor"] for items in lines}
        for name in contestants:
            print_row(name, {items: times[items][name] for items in lines}, floors)
        measured_sizes = [5] if arguments.quick else [*sizes]
        few_lines = {items: lines[items][: PEER_RECORDS[items]] for items in measured_sizes}
        for name, build in PEERS.items():
            print_peer(name, build, few_lines, floors)
        if arguments.structured_eval is None:
            print(f"| {'structured-eval':22} | not measured: name a Python that has it by --structured-eval", flush=True)
        else:
            python: Path = arguments.structured_eval
            print_row("structured-eval", {items: [measure_structured_eval(python, few)] for items, few in few_lines.items()}, floors)


def print_row(name: str, times: dict[int, list[float]], floors: dict[int, list[float]]) -> None:
    """The smallest time, and in brackets the median of the ratios to the floor of the same round."""
    cells: list[str] = []
    for items, floor_times in floors.items():
        own_times = times.get(items)
        if own_times is None:
            cells.append("–")
            continue
        if len(own_times) < len(floor_times):  # a peer that ran once
            floor_times = [median(floor_times)]
        ratio = median(own / minimum for own, minimum in zip(own_times, floor_times, strict=True))
        cells.append(f"{min(own_times):,.0f} ({ratio:,.1f})")
    print(f"| {name:22} | " + " | ".join(f"{cell:>20}" for cell in cells) + " |", flush=True)


def print_peer(name: str, build: Callable[[], Contestant], lines: dict[int, Lines], floors: dict[int, list[float]]) -> None:
    try:
        contestant = build()
    except ImportError:
        print(f"| {name:22} | not installed", flush=True)
        return
    print_row(name, {items: [cpu_time(contestant, few)] for items, few in lines.items()}, floors)


if __name__ == "__main__":
    main()
