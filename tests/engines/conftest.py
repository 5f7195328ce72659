"""A file of invoices that gives many shards, once shards are small, and an S3 server on this machine."""

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fieldwise.engines.executors
from fieldwise.model.remote_path import RemotePath
from fieldwise.read import shards

sys.path.insert(0, str(Path(__file__).parent.parent / "ask"))  # for the model server of the tests there

FIELDS = [{"path": "vendor", "match": "fuzzy"}, "total", "lines[*].sku", {"path": "lines[*].price", "match": "numeric_tolerance"}]
LISTS = {"lines": {"align": "best"}}
EVALUATORS: list[dict[str, Any]] = [
    {"type": "field_accuracy", "fields": FIELDS, "lists": LISTS},
    {"type": "field_prf", "fields": FIELDS, "lists": LISTS},
    {"type": "json_quality", "default_text": "FUZZY"},
]


KEYS = {
    "AWS_ACCESS_KEY_ID": "key",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",  # no requests but to the server of this test
}


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


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of an S3 server, which everything that is started from here uses too."""
    from moto.server import ThreadedMotoServer
    from s3fs import S3FileSystem

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**KEYS, "AWS_ENDPOINT_URL": f"http://{host}:{port}"}.items():
            patch.setenv(name, value)
        S3FileSystem.clear_instance_cache()
        S3FileSystem().makedirs("evals", exist_ok=True)  # in one process, the servers of all modules share their buckets
        yield f"http://{host}:{port}"
        S3FileSystem.clear_instance_cache()
    server.stop()


@pytest.fixture
def bucket(server: str, request: pytest.FixtureRequest) -> RemotePath:
    """A place of its own for each test."""
    return RemotePath(f"s3://evals/{request.node.name.partition('[')[0]}")


@pytest.fixture
def remote(many: Path, bucket: RemotePath, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The same suite with its cases in the bucket, fewer and in fewer shards: each takes some requests."""
    monkeypatch.setattr(shards, "SHARD_BYTES", 12_000)
    cases = many.parent / "cases.jsonl"
    cases.write_text("".join(cases.read_text().splitlines(keepends=True)[:200]))
    (bucket / "cases.jsonl").upload(cases)
    return json.loads(many.read_text()) | {"cases": f"{bucket}/cases.jsonl"}
