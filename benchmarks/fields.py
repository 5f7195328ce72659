"""Compare records field by field: CPU time of fieldwise, its peers and the floor, in one run.

    python benchmarks/fields.py [--quick] [--structured-eval PYTHON]

The floor is the minimum work of any tool: decoding both sides with orjson, one RapidFuzz call for the strings, and one cost matrix with an
optimal assignment for each list. All workloads start from the same JSON text. fieldwise also finds the cause of every mismatch, and is
measured twice: scoring alone, and a whole run, which also reads a file, stores every comparison and summarizes them.

fieldwise and the floor run in turns. A cell shows the smallest CPU time of all rounds, in microseconds per record, and in brackets the
median ratio to the floor of the same round. Peers are slow and run once; peers that are not installed are listed as such.
"""

import argparse
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import orjson
from invoices import RULES, generate_pairs
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

Lines = list[tuple[bytes, bytes]]
"""Expected and actual records as JSON text."""
Workload = Callable[[Lines], Any]
"""Processes all records once."""
EVALUATOR: dict[str, Any] = {"type": "field_accuracy", "fields": RULES, "lists": {"line_items": {"align": "best"}}}
BATCH = 1024
"""Records that are scored together, as in a run."""
ROUNDS = 9
RECORDS_BY_ITEMS = {5: 4096, 50: 512, 200: 128}
QUICK_RECORDS_BY_ITEMS = {5: 1024, 50: 128, 200: 32}
PEER_RECORDS_BY_ITEMS = {5: 30, 50: 3, 200: 1}


def decode(lines: Lines) -> None:
    """Decode both sides, and nothing else."""
    for expected, actual in lines:
        orjson.loads(expected)
        orjson.loads(actual)


def run_floor(lines: Lines) -> None:
    """Decode both sides, compare the strings, and assign the list items."""
    for expected_json, actual_json in lines:
        expected, actual = orjson.loads(expected_json), orjson.loads(actual_json)
        expected_texts = [expected[party][field] for party in ("vendor", "buyer") for field in ("name", "street", "city")]
        actual_texts = [actual[party][field] or "" for party in ("vendor", "buyer") for field in ("name", "street", "city")]
        cpdist(expected_texts, actual_texts, scorer=Levenshtein.normalized_similarity)
        expected_items = [item["description"] for item in expected["line_items"]]
        actual_items = [item["description"] or "" for item in actual["line_items"]]
        linear_sum_assignment(cdist(expected_items, actual_items, scorer=Levenshtein.normalized_similarity), maximize=True)


def build_fieldwise() -> Workload:
    """Decoding and scoring, in batches."""
    planned: PlannedEvaluator = plan_config(EVALUATOR)

    def score(lines: Lines) -> None:
        for start in range(0, len(lines), BATCH):
            evaluate(planned, ScoringBatch(decode_cases(lines[start : start + BATCH])))

    return score


def build_stored_run(folder: Path) -> Workload:
    """A whole run in one process: reading JSONL, scoring, storing every comparison, and the summary."""
    # By the id of the lines, which live longer than this workload. The pass before the measured rounds writes the file.
    files: dict[int, Path] = {}

    def score(lines: Lines) -> None:
        if id(lines) not in files:
            file = folder / f"cases{len(files)}.jsonl"
            write_cases(file, lines)
            files[id(lines)] = file
        fw.run({"name": "fields", "cases": str(files[id(lines)]), "evaluators": [EVALUATOR]}, root=folder / "runs")

    return score


def write_cases(file: Path, lines: Lines) -> None:
    """Write records as cases of a JSONL file."""
    with file.open("wb") as output:
        for number, (expected, actual) in enumerate(lines):
            output.write(b'{"id":"%d","expected":%b,"actual":%b}\n' % (number, expected, actual))


def decode_cases(lines: Lines) -> Cases:
    """Decode records into columns, as the reader of files does."""
    count = len(lines)
    return Cases(
        id=[str(number) for number in range(count)],
        expected=[orjson.loads(expected) for expected, _ in lines],
        actual=[orjson.loads(actual) for _, actual in lines],
        metadata=[{}] * count,
        tags=[()] * count,
        input=[None] * count,
        contexts=[None] * count,
        split=[None] * count,
        actuals=[None] * count,
    )


def build_stickler() -> Workload:
    """stickler-eval with a model of the invoices."""
    from stickler import ComparableField, ExactComparator, LevenshteinComparator, NumericComparator, StructuredModel

    def compare_text() -> Any:
        return ComparableField(comparator=LevenshteinComparator(), threshold=0.85, default=None)

    def compare_exactly() -> Any:
        return ComparableField(comparator=ExactComparator(), threshold=1.0, default=None)

    def compare_number() -> Any:
        return ComparableField(comparator=NumericComparator(), threshold=1.0, default=None)

    class Party(StructuredModel):
        name: Any = compare_text()
        street: Any = compare_text()
        city: Any = compare_text()
        zip: Any = compare_exactly()
        vat: Any = compare_exactly()

    class InvoiceHead(StructuredModel):
        number: Any = compare_exactly()
        date: Any = compare_exactly()
        due: Any = compare_exactly()
        currency: Any = compare_exactly()
        net: Any = compare_number()
        tax: Any = compare_number()
        total: Any = compare_number()
        paid: Any = compare_exactly()

    class Order(StructuredModel):
        number: Any = compare_exactly()
        terms: Any = compare_text()

    class LineItem(StructuredModel):
        sku: Any = compare_exactly()
        description: Any = compare_text()
        quantity: Any = compare_exactly()
        amount: Any = compare_number()

    class Invoice(StructuredModel):
        invoice: InvoiceHead
        vendor: Party
        buyer: Party
        order: Order
        notes: Any = compare_text()
        line_items: list[LineItem] = ComparableField(weight=1.0)

    def score(lines: Lines) -> None:
        for expected_json, actual_json in lines:
            expected, actual = Invoice.from_json(orjson.loads(expected_json)), Invoice.from_json(orjson.loads(actual_json))
            expected.compare_with(actual, include_confusion_matrix=True)

    return score


def build_anls_star() -> Workload:
    from anls_star import anls_score

    def score(lines: Lines) -> None:
        for expected, actual in lines:
            anls_score(orjson.loads(expected), orjson.loads(actual))

    return score


def build_autoevals() -> Workload:
    from autoevals.json import JSONDiff

    scorer = JSONDiff()

    def score(lines: Lines) -> None:
        for expected, actual in lines:
            scorer(orjson.loads(actual), orjson.loads(expected))

    return score


def build_deepdiff() -> Workload:
    from deepdiff import DeepDiff

    def score(lines: Lines) -> None:
        for expected, actual in lines:
            DeepDiff(orjson.loads(expected), orjson.loads(actual), ignore_order=True)

    return score


PEERS: dict[str, Callable[[], Workload]] = {
    "stickler-eval": build_stickler,
    "anls_star": build_anls_star,
    "autoevals JSONDiff": build_autoevals,
    "deepdiff (unordered)": build_deepdiff,
}


def measure_cpu(workload: Workload, lines: Lines) -> float:
    """CPU microseconds per record of one pass, with the runtime settings of a run."""
    with throughput_settings():
        start = time.process_time()
        workload(lines)
        return (time.process_time() - start) / len(lines) * 1e6


def measure_in_turns(workloads: dict[str, Workload], lines: Lines, rounds: int) -> dict[str, list[float]]:
    """CPU microseconds per record of each workload and round. Each round has one pass of every workload, so noise affects all alike."""
    times: dict[str, list[float]] = {name: [] for name in workloads}
    for workload in workloads.values():
        workload(lines)  # fills the caches; not counted
    for _ in range(rounds):
        for name, workload in workloads.items():
            times[name].append(measure_cpu(workload, lines))
    return times


def measure_structured_eval(python: Path, lines: Lines) -> float:
    """CPU microseconds per record in another interpreter, because the package may need a newer Python than this one."""
    script = Path(__file__).with_name("structured_eval_peer.py")
    text = b"\n".join(line for pair in lines for line in pair)
    return float(subprocess.run([python, script], input=text, capture_output=True, check=True).stdout)


def generate_lines(records: int, items: int, alter_every_item: bool) -> Lines:
    pairs = generate_pairs(records, items, alter_every_item=alter_every_item)
    return [(orjson.dumps(expected), orjson.dumps(actual)) for expected, actual in pairs]


def main() -> None:
    """Print a table for records with usual noise, and one for lists in which every item is altered."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer records, and peers with 5 items only")
    parser.add_argument("--structured-eval", type=Path, metavar="PYTHON", help="a Python 3.12 or newer with structured-eval[align,fuzzy]")
    arguments = parser.parse_args()
    for alter_every_item in (False, True):
        print_table(alter_every_item, arguments.quick, arguments.structured_eval)


def print_table(alter_every_item: bool, quick: bool, structured_eval: Path | None) -> None:
    """Measure all workloads on one kind of data, and print a row for each."""
    title = "Every list item altered" if alter_every_item else "About one leaf in eight altered"
    print(f"\n{title}: CPU µs per record (× the floor)\n")
    print(f"| {'':22} | {'5 items':>20} | {'50 items':>20} | {'200 items':>20} |")
    print(f"| {'-' * 22} | {'-' * 19}: | {'-' * 19}: | {'-' * 19}: |")
    lines: dict[int, Lines] = {}
    for items, records in (QUICK_RECORDS_BY_ITEMS if quick else RECORDS_BY_ITEMS).items():
        lines[items] = generate_lines(records, items, alter_every_item)
    workloads: dict[str, Workload] = {"decoding alone": decode, "floor": run_floor, "fieldwise, in memory": build_fieldwise()}
    with tempfile.TemporaryDirectory() as folder:
        workloads["fieldwise, stored run"] = build_stored_run(Path(folder))
        times = {items: measure_in_turns(workloads, lines[items], ROUNDS) for items in lines}
    floor_times = {items: times[items]["floor"] for items in lines}
    for name in workloads:
        print_row(name, {items: times[items][name] for items in lines}, floor_times)
    peer_items = [5] if quick else list(lines)
    peer_lines = {items: lines[items][: PEER_RECORDS_BY_ITEMS[items]] for items in peer_items}
    for name, build in PEERS.items():
        print_peer(name, build, peer_lines, floor_times)
    if structured_eval is None:
        print(f"| {'structured-eval':22} | not measured: pass --structured-eval PYTHON", flush=True)
    else:
        peer_times = {items: [measure_structured_eval(structured_eval, sample)] for items, sample in peer_lines.items()}
        print_row("structured-eval", peer_times, floor_times)


def print_row(name: str, times: dict[int, list[float]], floor_times: dict[int, list[float]]) -> None:
    """Print for each number of items the smallest time, and in brackets the median ratio to the floor of the same round."""
    cells: list[str] = []
    for items, floor_rounds in floor_times.items():
        rounds = times.get(items)
        if rounds is None:
            cells.append("–")
            continue
        if len(rounds) < len(floor_rounds):  # a peer, which ran once
            floor_rounds = [median(floor_rounds)]
        ratio = median(own_time / floor_time for own_time, floor_time in zip(rounds, floor_rounds, strict=True))
        cells.append(f"{min(rounds):,.0f} ({ratio:,.1f})")
    print(f"| {name:22} | " + " | ".join(f"{cell:>20}" for cell in cells) + " |", flush=True)


def print_peer(name: str, build: Callable[[], Workload], lines: dict[int, Lines], floor_times: dict[int, list[float]]) -> None:
    """Measure a peer and print its row, or that it is not installed."""
    try:
        workload = build()
    except ImportError:
        print(f"| {name:22} | not installed", flush=True)
        return
    times = {items: [measure_cpu(workload, sample)] for items, sample in lines.items()}
    print_row(name, times, floor_times)


if __name__ == "__main__":
    main()
