"""Feed random values and random configurations to evaluate, match, diff, check, runs with their studies, and the HTTP API.

    python scripts/fuzz.py 100000 --seed 1 [--only evaluate,match]

An input fails if anything but ConfigError is raised, a score is outside [0, 1], an evaluator, a matcher or a cause crashes inside, or an
answer of the HTTP API is a server error other than 503. Every failing input is printed with its number; `--seed S --first N` repeats it.
"""

import argparse
import json
import math
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import fieldwise as fw
from fieldwise import registry
from fieldwise.model.correction import hash_value
from fieldwise.score import causes, evaluate, judges, matching
from fieldwise.score.guard import Crash, Success
from fieldwise.study.confidence import study_confidence
from fieldwise.study.mutation import mutate_suite
from fieldwise.study.pack import PackOptions, build_pack
from fieldwise.study.policy import make_policy
from fieldwise.study.what_if import what_if

SLOW_SECONDS = 2.0
KEYS = ["a", "b", "c", "id", "total", "date", "name", "items", "é", "0", "odd.key", "", "x" * 60]
TEXTS = [
    "", " ", "x", "Acme Corp", "ACME CORP.", "2025-01-31", "31/01/2025", "01/02/2025", "12:30", "2025-01-31T12:30:00+02:00", "1,234.50",
    "1.234,50 €", "USD 12", "RM 7.00", "(12)", "-0", "1e400", "NaN", "null", "true", "yes", "no", "DE89 3704 0044 0532 0130 00", "007",
    "INV-2024-031", '{"a": 1}', "[1, 2]", "```json\n{\"a\": 1}\n```", "<b>x</b>", "\ud800", "\x00", "a\u0301", "İ", "ﬁ", "100%", "3 kg",
    "3000 g", "1h 30min", "Germany", "DE", "deutsch", "not x", "604", "a@b.org", "http://x.y", "((((((", "'; drop table", "\u202e",
    "9" * 400,
]  # fmt: skip
NUMBERS = [
    0,
    1,
    -1,
    2,
    0.1,
    0.5,
    1e-9,
    1e308,
    -1e308,
    5e-324,
    2**53,
    2**53 + 1,
    2**63,
    2**64,
    10**400,
    -(10**400),
    1e16,
    math.nan,
    math.inf,
    -math.inf,
]


class Failure(NamedTuple):
    """One input that failed."""

    target: str
    number: int
    kind: str
    text: str


def random_value(rng: random.Random, depth: int = 0) -> Any:
    """Any JSON value, and what Python adds to JSON."""
    kind = rng.random()
    if depth < 4 and kind < 0.25:
        return {rng.choice(KEYS): random_value(rng, depth + 1) for _ in range(rng.randrange(5))}
    if depth < 4 and kind < 0.45:
        items = [random_value(rng, depth + 1) for _ in range(rng.randrange(5))]
        return items * rng.choice([1, 1, 1, 2, 7])
    if kind < 0.6:
        return rng.choice(NUMBERS)
    if kind < 0.65:
        return rng.uniform(-1e4, 1e4)
    if kind < 0.72:
        return rng.choice([None, True, False])
    if kind < 0.76:
        return "".join(
            chr(rng.choice([rng.randrange(32, 127), rng.randrange(0x300), rng.randrange(0x10FFFF)])) for _ in range(rng.randrange(12))
        )
    return rng.choice(TEXTS) * rng.choice([1, 1, 1, 1, 3])


def mutate_value(rng: random.Random, value: Any) -> Any:
    """A value that resembles another one."""
    if rng.random() < 0.1:
        return random_value(rng)
    if isinstance(value, dict):
        changed = {key: mutate_value(rng, inner) if rng.random() < 0.4 else inner for key, inner in value.items() if rng.random() < 0.9}
        return changed if rng.random() < 0.8 else {**changed, rng.choice(KEYS): random_value(rng, 3)}
    if isinstance(value, list):
        changed = [mutate_value(rng, inner) if rng.random() < 0.3 else inner for inner in value if rng.random() < 0.9]
        if rng.random() < 0.3:
            rng.shuffle(changed)
        return changed
    if isinstance(value, str) and value and rng.random() < 0.7:
        at = rng.randrange(len(value))
        return value[:at] + rng.choice(["", "x", " ", "É"]) + value[at + rng.randrange(2) :]
    if isinstance(value, float | int) and rng.random() < 0.7:
        return rng.choice([value, -value, str(value) if abs(value) < 1e300 else "1", [value]])
    return rng.choice([value, None, str(value)[:50] if not isinstance(value, int) else "0"])


def mutate_options(rng: random.Random, options: Any) -> Any:
    """Options with a part of them changed, dropped or added; most stay valid."""
    if isinstance(options, Mapping):
        return {key: mutate_options(rng, inner) if rng.random() < 0.15 else inner for key, inner in options.items() if rng.random() < 0.95}
    if isinstance(options, list | tuple):
        return [mutate_options(rng, inner) if rng.random() < 0.2 else inner for inner in options]
    return random_value(rng, 2)


def list_evaluators() -> list[tuple[str, Mapping[str, Any], list[Any]]]:
    """Name, options and example values of every evaluator that runs offline."""
    configurations: list[tuple[str, Mapping[str, Any], list[Any]]] = []
    for spec in registry.EVALUATORS.all():
        if spec.is_judge or spec.name == "ragas":
            continue
        configurations.append((spec.name, {}, []))
        for example in spec.examples:
            samples = [value for value in (example.expected, example.actual, example.perfect) if value is not None]
            configurations.append((spec.name, example.options, samples))
    return configurations


def random_sides(rng: random.Random, samples: list[Any]) -> dict[str, Any]:
    """Expected and actual; sometimes one of them is missing."""
    expected = mutate_value(rng, rng.choice(samples)) if samples and rng.random() < 0.5 else random_value(rng)
    actual = mutate_value(rng, expected) if rng.random() < 0.8 else random_value(rng)
    if rng.random() < 0.1:
        expected = accept_several(rng, expected)
    if rng.random() < 0.1:
        actual = add_confidences(rng, actual)
    sides = {"expected": expected, "actual": actual}
    if rng.random() < 0.03:
        del sides[rng.choice(["expected", "actual"])]
    return sides


def accept_several(rng: random.Random, value: Any) -> Any:
    """A value in which some parts are choices: `{"$any": [...]}`."""
    if isinstance(value, dict) and rng.random() < 0.8:
        return {key: accept_several(rng, inner) for key, inner in value.items()}
    return {"$any": [value, random_value(rng, 3), None][: rng.randrange(4)]} if rng.random() < 0.5 else value


def add_confidences(rng: random.Random, value: Any) -> Any:
    """A value with confidences beside its leaves, most of them valid."""
    if isinstance(value, dict):
        return {key: add_confidences(rng, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [add_confidences(rng, inner) for inner in value]
    confidence = rng.random() if rng.random() < 0.9 else random_value(rng, 3)
    return {"value": value, "confidence": confidence, **({"page": 1, "box": [0, 0, 1, 1]} if rng.random() < 0.2 else {})}


def random_fields(rng: random.Random, value: Any) -> list[dict[str, Any]]:
    """Rules for some paths of a record, with random matches."""
    paths = [str(key) for key in value] if isinstance(value, dict) else ["a"]
    fields: list[dict[str, Any]] = []
    for path in [*paths, "items[*].a", "a[0]", "b..c", "[*]"]:
        if rng.random() < 0.5:
            spec = rng.choice(OFFLINE_MATCHERS)
            options = rng.choice([example.options for example in spec.examples] or [{}])
            fields.append({"path": path, "match": spec.name, **(options if rng.random() < 0.8 else mutate_options(rng, options))})
    return fields


OFFLINE_MATCHERS = [spec for spec in registry.MATCHERS.all() if spec.name != "semantic"]
CONFIGURATIONS = list_evaluators()
CRASHES: list[str] = []


def record_crash(function: Callable[[], Any]) -> Any:
    """`call_guarded` that also keeps the traceback of what it caught."""
    try:
        return Success(function())
    except Exception as error:
        CRASHES.append("".join(traceback.format_exception(error, limit=-4)))
        return Crash(str(error) or type(error).__name__)


def check_score(score: float) -> None:
    if not 0.0 <= score <= 1.0:
        raise AssertionError(f"the score is {score}")


def fuzz_evaluate(rng: random.Random) -> None:
    """One case with one evaluator."""
    name, options, samples = rng.choice(CONFIGURATIONS)
    sides = random_sides(rng, samples)
    config = {"type": name, **(options if rng.random() < 0.6 else mutate_options(rng, options))}
    if name == "field_accuracy" and rng.random() < 0.5:
        config["fields"] = random_fields(rng, sides.get("expected"))
    if rng.random() < 0.05:
        config[rng.choice(["pass_at", "weight", "name", "threshold", "when", "nonsense"])] = random_value(rng, 3)
    extra = {"contexts": [random_value(rng, 3)], "input": random_value(rng, 3)} if rng.random() < 0.2 else {}
    result = fw.evaluate(config, **sides, **extra)
    check_score(result.score)
    json.dumps(result.to_json(), default=str)


def fuzz_match(rng: random.Random) -> None:
    """Some pairs with one matcher."""
    spec = rng.choice(OFFLINE_MATCHERS)
    options = rng.choice([{}, *(example.options for example in spec.examples)])
    if rng.random() < 0.3:
        options = mutate_options(rng, options)
    expected = [random_value(rng, 3) for _ in range(rng.randrange(1, 5))]
    scores = fw.match(spec.name, expected=expected, actual=[mutate_value(rng, value) for value in expected], **options)
    for value, row in zip(scores.value.tolist(), range(len(expected)), strict=True):
        if not (row in scores.faults or 0.0 <= value <= 1.0):
            raise AssertionError(f"the score is {value}")


def fuzz_diff(rng: random.Random) -> None:
    """Two values without rules."""
    expected = random_value(rng)
    difference = fw.diff(expected, mutate_value(rng, expected))
    str(difference)
    for result in difference.results.values():
        check_score(result.score)


def fuzz_check(rng: random.Random) -> None:
    """A suite that is checked and not run."""
    evaluators: list[Any] = []
    for _ in range(rng.randrange(1, 4)):
        name, options, _ = rng.choice(CONFIGURATIONS)
        evaluators.append({"type": name, **(options if rng.random() < 0.5 else mutate_options(rng, options))})
    suite: dict[str, Any] = {"name": "s", "cases": "c.jsonl", "evaluators": evaluators}
    if rng.random() < 0.5:
        gate = f"{evaluators[0].get('name', evaluators[0].get('type'))}.{rng.choice(['score', 'pass_rate', 'nonsense'])}"
        suite["gate"] = {gate: rng.choice([">= 0.5", "> 2", "x", "", 3, None])}
    if rng.random() < 0.2:
        suite[rng.choice(["columns", "group", "cases", "gate", "evaluators", "name", "nonsense"])] = random_value(rng, 2)
    fw.check(suite)


class StudyTarget:
    """A stored run over a few random records, and every study of it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fieldwise-fuzz-")
        self._root = Path(self._folder.name)

    def __call__(self, rng: random.Random) -> None:
        """One run, its studies, its mutants and corrections of it."""
        record = {rng.choice(KEYS): random_value(rng, 3) for _ in range(rng.randrange(1, 5))}
        cases: list[dict[str, Any]] = []
        for number in range(rng.randrange(1, 6)):
            expected = mutate_value(rng, record)
            actual = add_confidences(rng, mutate_value(rng, expected))
            cases.append({"id": str(number), "expected": accept_several(rng, expected), "actual": actual})
        evaluator: dict[str, Any] = {"type": rng.choice(["field_accuracy", "field_prf", "json_quality"]), "name": "fields"}
        if rng.random() < 0.5 and evaluator["type"] != "json_quality":
            evaluator["fields"] = [{"path": key} for key in record if key.isalnum()] or ["a"]
        suite: dict[str, Any] = {"name": "s", "evaluators": [evaluator]}
        root = self._root / "runs"
        shutil.rmtree(root, ignore_errors=True)
        run = fw.run(suite, cases=cases, root=root)
        run.mismatches().to_arrow()
        names = [field["path"] for field in evaluator.get("fields", ()) if isinstance(field, dict)] or ["a"]
        setting = (
            f"fields.{rng.choice(names)}.{rng.choice(['weight', 'threshold', 'required'])}={rng.choice(['2', '0', 'x', '0.5', 'false'])}"
        )
        studies: list[Callable[[], Any]] = [
            lambda: study_confidence(run).to_json(),
            lambda: make_policy(run, rng.choice([0.02, 0.5])).to_json(),
            lambda: what_if(run, [setting]).to_json(),
            lambda: build_pack(run, PackOptions(splits=(), redact=(), evaluator=None, max_cases=5)).write_files(),
            lambda: fw.route(cases[0]["actual"], make_policy(run, 0.5).to_json()),
        ]
        for study in studies:
            with suppress(fw.ConfigError):
                study()
        self._mutate_and_correct(rng, suite, cases, root)

    def _mutate_and_correct(self, rng: random.Random, suite: dict[str, Any], cases: list[dict[str, Any]], root: Path) -> None:
        file, corrections = self._root / "c.jsonl", self._root / "k.jsonl"
        file.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8", errors="surrogatepass")
        value = cases[0]["expected"].get("a") if isinstance(cases[0]["expected"], dict) else None
        line = {"case": rng.choice(["0", "9"]), "path": rng.choice(["a", "b", "a..b", "$", ""]), "value": random_value(rng, 3)}
        line |= {"expected_hash": hash_value(value), "action": rng.choice(["replace", "accept_also", "drop", "forget"])}
        corrections.write_text(json.dumps(line) + "\n", encoding="utf-8", errors="surrogatepass")
        stored = {**suite, "cases": {"file": str(file), "corrections": str(corrections)}}
        for call in (
            lambda: mutate_suite(fw.check({**suite, "cases": str(file)}), limit=3, seed=0, only=()).to_json(),
            lambda: fw.run(stored, root=root),
        ):
            with suppress(fw.ConfigError):
                call()


class HttpTarget:
    """Requests to the application in this process."""

    def __init__(self) -> None:
        from starlette.testclient import TestClient

        from fieldwise.web.app import create_app
        from fieldwise.web.settings import Settings

        self._folder = tempfile.TemporaryDirectory(prefix="fieldwise-fuzz-")
        root = Path(self._folder.name)
        settings = Settings(root=root / ".fieldwise", workspace=root, data=root, token="fuzz-token-of-some-length")
        self._client = TestClient(create_app(settings), base_url="http://127.0.0.1:8787", raise_server_exceptions=True)
        self._client.headers["authorization"] = "Bearer fuzz-token-of-some-length"
        self._client.post("/api/v1/evaluate", json={"expected": {}, "actual": {}})  # starts the worker process

    def __call__(self, rng: random.Random) -> None:
        """One request with random content."""
        name, options, samples = rng.choice(CONFIGURATIONS)
        sides = random_sides(rng, samples)
        evaluators = [{"type": name, **mutate_options(rng, options)}]
        address, body = rng.choice(
            [
                ("/api/v1/evaluate", {**sides, "evaluators": evaluators}),
                ("/api/v1/evaluate", {**sides, **({} if rng.random() < 0.5 else {rng.choice(KEYS): random_value(rng)})}),
                ("/api/v1/evaluate/batch", {"cases": [sides, random_value(rng)], "evaluators": evaluators}),
                ("/api/v1/evaluate/path", {"cases": rng.choice(TEXTS), "evaluators": evaluators}),
                ("/api/v1/configuration", random_value(rng)),
            ]
        )
        content = json.dumps(body).encode("utf-8", "surrogatepass")
        if rng.random() < 0.05:
            content = content[: rng.randrange(len(content) + 1)]
        method = "PUT" if address.endswith("configuration") else "POST"
        answer = self._client.request(method, address, content=content, headers={"content-type": "application/json"})
        if answer.status_code >= 500 and answer.status_code != 503:
            raise AssertionError(f"{answer.status_code} {answer.text[:300]}")
        if answer.status_code == 200 and "results" in answer.json():
            for result in answer.json()["results"]:
                check_score(result["score"])


TARGETS: dict[str, Callable[[], Callable[[random.Random], None]]] = {
    "evaluate": lambda: fuzz_evaluate,
    "match": lambda: fuzz_match,
    "diff": lambda: fuzz_diff,
    "check": lambda: fuzz_check,
    "study": StudyTarget,
    "http": HttpTarget,
}
SHARES = {"evaluate": 0.42, "match": 0.295, "diff": 0.15, "check": 0.12, "study": 0.005, "http": 0.01}
"""How many of the inputs each target gets. A request costs fifty times an evaluation, a stored run with its studies a hundred times."""


def fuzz_range(target: str, seed: int, numbers: range) -> tuple[int, int, list[Failure]]:
    """Run the inputs with these numbers; the number of inputs, of those refused by ConfigError, and the failures."""
    for module in (causes, evaluate, judges, matching):
        module.call_guarded = record_crash  # type: ignore[attr-defined]
    call = TARGETS[target]()
    refused = 0
    failures: list[Failure] = []
    for number in numbers:
        CRASHES.clear()
        started = time.process_time()
        try:
            call(random.Random(f"{seed} {target} {number}"))
        except fw.ConfigError:
            refused += 1
        except Exception as error:
            failures.append(Failure(target, number, "exception", "".join(traceback.format_exception(error, limit=-4))))
        failures += [Failure(target, number, "internal crash", text) for text in CRASHES[:1]]
        seconds = time.process_time() - started
        if seconds > SLOW_SECONDS:
            failures.append(Failure(target, number, "slow", f"{seconds:.1f} s of CPU time"))
    return len(numbers), refused, failures


def split_work(count: int, first: int, targets: list[str]) -> Iterator[tuple[str, range]]:
    total = sum(SHARES[target] for target in targets)
    for target in targets:
        numbers = range(first, first + max(1, round(count * SHARES[target] / total)))
        for start in range(numbers.start, numbers.stop, 2_000):
            yield target, range(start, min(start + 2_000, numbers.stop))


def main() -> None:
    """Fuzz, print the counts and the failures, and exit 1 if there were any."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, nargs="?", default=100_000, help="number of inputs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first input of each target")
    parser.add_argument("--only", default=",".join(TARGETS), help="targets, separated by commas")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    inputs: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    with ProcessPoolExecutor(options.workers) as pool:
        work = [
            (target, pool.submit(fuzz_range, target, options.seed, numbers))
            for target, numbers in split_work(options.count, options.first, options.only.split(","))
        ]
        for target, pending in work:
            count, refused, failures = pending.result()
            inputs[target] += count
            refusals[target] += refused
            for failure in failures:
                kinds[f"{failure.target}: {failure.kind}: {failure.text.strip().splitlines()[-1][:150]}"] += 1
                if kinds.total() <= 50:
                    print(f"--- {failure.target} {failure.number}: {failure.kind}\n{failure.text}", file=sys.stderr, flush=True)
    for target, count in inputs.items():
        print(f"{target}: {count:,} inputs, {refusals[target]:,} refused by ConfigError")
    for kind, count in kinds.most_common():
        print(f"FAILED {count} × {kind}")
    print(f"{inputs.total():,} inputs, {kinds.total():,} failures, seed {options.seed}")
    sys.exit(1 if kinds else 0)


if __name__ == "__main__":
    main()
