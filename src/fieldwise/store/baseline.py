"""A baseline: what a run measured, in a file small enough to keep under version control.

It holds the numbers of every case but mere counts, so that a later run is compared case by case without the run itself. Beyond `LIMIT`
cases a sample of them is kept, chosen by a hash of their ids, so that the same cases are kept every time.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from fieldwise.kernels.statistics import hash_texts
from fieldwise.model.change import Changes
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.registry import EVALUATORS
from fieldwise.store.atomic import write_atomically
from fieldwise.store.run import Run
from fieldwise.store.run_metrics import compare_metrics, list_case_ids, load_metrics
from fieldwise.summarize.compare import Adjust, Measured

FORMAT: Final = 1
LIMIT: Final = 5000
"""How many cases a baseline keeps: about 60 bytes each for every evaluator."""
DIGITS: Final = 6


def save_baseline(run: Run, path: str | Path) -> Path:
    """Keep a run as a baseline; the file is replaced whole or not at all."""
    if run.state != "finished":
        what, fix = f"run {run.id} did not finish, so it cannot be a baseline", "finish it: fieldwise run SUITE --resume"
        raise ConfigError([Diagnostic(code="unfinished-run", what=what, fix=fix)])
    path = Path(path)
    ids = list_case_ids(run)
    kept = _sample_rows(ids)
    content = {
        "format": FORMAT,
        "run": run.id,
        "name": run.name,
        "finished": run.finished.isoformat() if run.finished else None,
        "suite": run.manifest.fingerprints.get("suite"),
        "cases": [ids[row] for row in kept],
        "of": len(ids),
        "summary": {name: round(value, DIGITS) for name, value in run.summary.items()},
        "evaluators": [_encode_evaluator(load_metrics(run, str(one["name"]), ids), one, kept) for one in run.manifest.evaluators],
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, lambda file: _write(file, text))
    return path


def _write(file: Path, text: str) -> None:
    file.write_text(text.replace('],"', '],\n"') + "\n", encoding="utf-8")  # a line for each column, so that changes can be read


def _sample_rows(ids: list[str]) -> list[int]:
    if len(ids) <= LIMIT:
        return list(range(len(ids)))
    order = np.argsort(hash_texts(ids), kind="stable")[:LIMIT]
    return sorted(order.tolist())


def _encode_evaluator(found: Measured, evaluator: Mapping[str, Any], kept: list[int]) -> dict[str, Any]:
    def column(values: Any) -> list[float | None]:
        return [None if np.isnan(values[row]) else round(float(values[row]), DIGITS) for row in kept]

    return {
        "name": evaluator["name"],
        "type": evaluator.get("type"),
        "version": evaluator.get("version"),
        "verdict": [int(found.verdict[row]) for row in kept],
        "metrics": {
            name: column(values) for name, values in found.metrics.items() if name not in _count_metrics(str(evaluator.get("type")))
        },
        "fields": {name: column(values) for name, values in found.fields.items()},
    }


def _count_metrics(kind: str) -> Sequence[str]:
    """The metrics of an evaluator that only count: what they come to is in others, and in the summary."""
    try:
        return EVALUATORS.find(kind).counts
    except KeyError:  # an evaluator that is not installed any more
        return ()


def load_baseline(path: str | Path) -> dict[str, Any]:
    """A baseline file; ConfigError if it cannot be used."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise _bad_baseline(path, f"the baseline cannot be read: {error.strerror or error}", "make one: fieldwise baseline set") from error
    except ValueError as error:
        raise _bad_baseline(
            path, f"the baseline is not JSON: {error}", "restore the file, or make it again: fieldwise baseline set"
        ) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise _bad_baseline(path, "this is not a baseline of this version of fieldwise", "make it again: fieldwise baseline set")
    if not _is_complete(content):
        raise _bad_baseline(path, "the baseline lacks some of its columns", "restore the file, or make it again: fieldwise baseline set")
    return content


def _is_complete(content: dict[str, Any]) -> bool:
    """Whether everything is there, with a number for each case in every column."""
    try:
        size = len(content["cases"])
        columns = [[one["verdict"], *one["metrics"].values(), *one["fields"].values()] for one in content["evaluators"]]
        named = all(isinstance(one["name"], str) for one in content["evaluators"])
        return named and {"run", "of"} <= content.keys() and all(len(column) == size for some in columns for column in some)
    except (KeyError, TypeError, AttributeError):
        return False


def _bad_baseline(path: str | Path, what: str, fix: str) -> ConfigError:
    return ConfigError([Diagnostic(code="bad-baseline", what=what, where=Where(file=str(path)), fix=fix)])


def compare_with_baseline(path: str | Path, run: Run, *, adjust: Adjust = "holm") -> Changes:
    """A run compared with a baseline file, case by case."""
    content = load_baseline(path)
    ids: list[str] = content["cases"]
    base = {one["name"]: _decode_evaluator(one, ids) for one in content["evaluators"]}
    notes: list[str] = []
    if content["of"] > len(ids):
        notes.append(f"the baseline keeps {len(ids)} of {content['of']} cases")
    versions = {one["name"]: one.get("version") for one in content["evaluators"]}
    if content.get("suite") != run.manifest.fingerprints.get("suite"):
        notes.append("the suite has changed since the baseline")
    return compare_metrics(str(content["run"]), base, versions, ids, run, notes=notes, adjust=adjust)


def _decode_evaluator(content: dict[str, Any], ids: list[str]) -> Measured:
    def columns(given: dict[str, list[float | None]]) -> dict[str, Any]:
        return {name: np.array([np.nan if value is None else value for value in values]) for name, values in given.items()}

    verdict = np.array(content["verdict"], dtype=np.int8)
    return Measured(ids=ids, verdict=verdict, metrics=columns(content["metrics"]), fields=columns(content["fields"]))
