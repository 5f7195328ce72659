"""A file of invoices that gives many shards, once shards are small."""

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

import fieldwise.engines.executors
from fieldwise.read import shards

sys.path.insert(0, str(Path(__file__).parent.parent / "ask"))  # for the model server of the tests there

FIELDS = [{"path": "vendor", "match": "fuzzy"}, "total", "lines[*].sku", {"path": "lines[*].price", "match": "numeric_tolerance"}]
LISTS = {"lines": {"align": "best"}}
EVALUATORS: list[dict[str, Any]] = [
    {"type": "field_accuracy", "fields": FIELDS, "lists": LISTS},
    {"type": "field_prf", "fields": FIELDS, "lists": LISTS},
    {"type": "json_quality", "default_text": "FUZZY"},
]


def record(rng: random.Random) -> dict[str, Any]:
    lines = [{"sku": f"{rng.choice('AB')}-{rng.randrange(50)}", "price": round(rng.uniform(1, 99), 2)} for _ in range(rng.randrange(1, 4))]
    return {"vendor": rng.choice(["Acme Corp", "Globex", "Initech"]), "total": rng.randrange(1000), "lines": lines}


def altered(rng: random.Random, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: altered(rng, inner) for key, inner in value.items() if rng.random() < 0.97}
    if isinstance(value, list):
        return rng.sample([altered(rng, inner) for inner in value], len(value))
    return None if rng.random() < 0.05 else value if rng.random() < 0.8 else f"{value}?"


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite over 600 cases in about 15 shards; some lines are unreadable."""
    monkeypatch.setattr(shards, "SHARD_BYTES", 12_000)
    monkeypatch.setattr(fieldwise.engines.executors, "SHARD_BYTES", 1)
    rng = random.Random(7)
    lines: list[str] = []
    for at in range(600):
        expected = record(rng)
        case = {"id": f"c{at}", "expected": expected, "actual": altered(rng, expected), "tags": [f"t{at % 3}"], "split": rng.choice("ab")}
        lines.append("{torn" if at % 97 == 50 else json.dumps(case))
    (tmp_path / "cases.jsonl").write_text("\n".join(lines) + "\n")
    suite = tmp_path / "suite.yaml"
    suite.write_text(json.dumps({"name": "many", "cases": "cases.jsonl", "evaluators": EVALUATORS}))
    return suite
