"""How long the pages of a large run take, from a server with nothing in its caches and with.

    python benchmarks/pages.py [cases]

Prints milliseconds for each address: the first time, and the median of five more.
"""

import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

import fieldwise as fw
from fieldwise.store.run import Run
from fieldwise.web.app import create_app
from fieldwise.web.settings import Settings

FIELDS = ("number", "date", "vendor", "city", "currency", "subtotal", "tax", "total", "iban", "terms", "contact", "notes")


def cases(count: int) -> Iterator[dict[str, Any]]:
    """Records of twelve fields; about one field in forty is wrong."""
    chance = random.Random(7)
    for number in range(count):
        expected = {field: f"{field} {number}" for field in FIELDS}
        actual = {field: (value + "x" if chance.random() < 0.025 else value) for field, value in expected.items()}
        yield {"id": f"case-{number:06d}", "expected": expected, "actual": actual, "tags": [f"tag{number % 8}"]}


def stored(folder: Path, count: int) -> Run:
    """A run over so many cases."""
    path = folder / "cases.jsonl"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(case) + "\n" for case in cases(count))
    fields = [{"path": field, "match": "fuzzy" if field in ("vendor", "notes") else "exact"} for field in FIELDS]
    suite = {"name": "large", "cases": str(path), "evaluators": [{"type": "field_accuracy", "fields": fields}, {"type": "field_prf"}]}
    return fw.run(suite, root=folder / ".fieldwise")


def main() -> None:
    """Make the run, ask for its pages."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        started = time.perf_counter()
        run = stored(folder, count)
        print(f"{count:,} cases, {len(FIELDS)} fields, two evaluators: run in {time.perf_counter() - started:.1f} s")
        client = TestClient(create_app(Settings(root=folder / ".fieldwise", workspace=folder)), base_url="http://127.0.0.1")
        at = f"/runs/{run.id}"
        addresses = {
            "runs": "/runs",
            "run": at,
            "heatmap, first columns": f"{at}/heatmap",
            "heatmap, from the middle": f"{at}/heatmap?from={count // 2}",
            "cases, one field wrong": f"{at}/cases?field=iban&outcome=wrong_value",
            "cases, by tag": f"{at}/cases?slice=tag:tag3",
            "case": f"{at}/case?id=case-{count // 2:06d}",
            "API results, page of 50": f"/api/v1{at}/results?order=score",
        }
        for word, address in addresses.items():
            first, *rest = (_milliseconds(client, address) for _ in range(6))
            print(f"{word:26} {first:8.0f} ms first {statistics.median(rest):8.0f} ms after")


def _milliseconds(client: TestClient, address: str) -> float:
    started = time.perf_counter()
    answer = client.get(address)
    assert answer.status_code == 200, answer.text[:500]
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main()
