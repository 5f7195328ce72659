"""Baselines: the metrics of a run in a file small enough for version control.

A baseline holds the metrics of every case, except counts, so that a later run can be compared case by case without the original run. Of
more than `MAX_CASES` cases it holds a sample, chosen by a hash of their ids, so that every baseline of a dataset has the same sample.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

from fieldwise.kernels.statistics import hash_texts
from fieldwise.model.change import Changes
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.store.atomic import write_atomically
from fieldwise.store.expected_changes import hash_expected_values, note_edited_since, shorten_hash
from fieldwise.store.run import Run
from fieldwise.store.run_metrics import (
    ComparisonBase,
    compare_metrics,
    count_metrics,
    list_case_groups,
    list_case_ids,
    load_metrics,
    note_changed_rules,
    primary_metric,
)
from fieldwise.summarize.compare import Adjust, EvaluatorMeasurements, find_common_rows

FORMAT: Final = 1
MAX_CASES: Final = 5000
"""Maximum number of cases in a baseline; each takes about 60 bytes for every evaluator, twice that if the values have many decimals."""
DIGITS: Final = 6
"""Digits of the summary; in files without `exact`, of the metrics too."""


def save_baseline(run: Run, path: str | Path) -> Path:
    """Write a run as a baseline; an existing file is replaced atomically."""
    if run.state == "invalid":
        what = f"run {run.id} is invalid, so it cannot be a baseline"
        raise ConfigError([Diagnostic(code="invalid-run", what=what, fix="see its problems, correct the suite, and run it again")])
    if run.state != "finished":
        what, fix = f"run {run.id} did not finish, so it cannot be a baseline", "finish it: fieldwise run SUITE --resume"
        raise ConfigError([Diagnostic(code="unfinished-run", what=what, fix=fix)])
    path = Path(path)
    ids = list_case_ids(run)
    groups = list_case_groups(run)
    rows = _sample_rows(groups or ids)
    evaluators: list[dict[str, Any]] = []
    for evaluator in run.manifest.evaluators:
        measurements = load_metrics(run, str(evaluator["name"]), ids)
        evaluators.append(_encode_evaluator(measurements, evaluator, rows))
    content = {
        "format": FORMAT,
        "run": run.id,
        "name": run.name,
        "package": run.manifest.package,
        "finished": run.finished.isoformat() if run.finished else None,
        "exact": True,
        "suite": run.manifest.fingerprints.get("suite"),
        "cases": [ids[row] for row in rows],
        "of": len(ids),
        "expected": [shorten_hash(text) for text in hash_expected_values(run, [ids[row] for row in rows]).values()],
        **({"groups": [groups[row] for row in rows]} if groups else {}),
        "summary": {name: round(value, DIGITS) for name, value in run.summary.items()},
        "evaluators": evaluators,
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    text = text.replace('],"', '],\n"') + "\n"  # one line for each column, so that diffs are readable
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, lambda file: _write_text(file, text))
    return path


def _write_text(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def _sample_rows(units: list[str]) -> list[int]:
    """Positions of the cases that a baseline holds: all, or those whose ids, or groups, have the smallest hashes. Groups are not cut."""
    if len(units) <= MAX_CASES:
        return list(range(len(units)))
    hashes = hash_texts(units)
    order = np.argsort(hashes, kind="stable")
    first_left_out = hashes[order[MAX_CASES]]
    whole = [row for row in order[:MAX_CASES].tolist() if hashes[row] != first_left_out]
    return sorted(whole or order[:MAX_CASES].tolist())


def _encode_evaluator(measurements: EvaluatorMeasurements, evaluator: Mapping[str, Any], rows: list[int]) -> dict[str, Any]:
    counts = count_metrics(str(evaluator.get("type")))  # other metrics and the summary contain what they amount to
    return {
        "name": evaluator["name"],
        "type": evaluator.get("type"),
        "version": evaluator.get("version"),
        "rules": evaluator.get("rules"),
        "verdict": [int(measurements.verdict[row]) for row in rows],
        "metrics": {name: _encode_column(values, rows) for name, values in measurements.metrics.items() if name not in counts},
        "fields": {name: _encode_column(values, rows) for name, values in measurements.fields.items()},
    }


def _encode_column(values: Any, rows: list[int]) -> list[float | None]:
    """The values as JSON, in full: a rounded value would differ from that of an equal run, always in the same direction."""
    return [None if np.isnan(values[row]) else float(values[row]) for row in rows]


def load_baseline(path: str | Path) -> dict[str, Any]:
    """Read a baseline file; ConfigError if it cannot be used."""
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
    problem = _find_problem(content)
    if problem:
        raise _bad_baseline(path, problem, "restore the file, or make it again: fieldwise baseline set")
    return content


def _find_problem(content: dict[str, Any]) -> str:
    """What is wrong with the columns; empty if each of them is there and has a value of its type for each case."""
    try:
        size = len(content["cases"])
        columns: list[tuple[str, Any, Callable[[Any], bool]]] = [("cases", content["cases"], _is_text)]
        columns.append(("expected", content.get("expected", content["cases"]), _is_text_or_null))
        columns.append(("groups", content.get("groups", content["cases"]), _is_text))
        for evaluator in content["evaluators"]:
            name = evaluator["name"]
            if not isinstance(name, str):
                return "the baseline has an evaluator without a name"
            columns.append((f"{name}.verdict", evaluator["verdict"], _is_verdict))
            for part in ("metrics", "fields"):
                columns += [(f"{name}.{part}.{column}", values, _is_number_or_null) for column, values in evaluator[part].items()]
        if any(len(values) != size for _, values, _ in columns) or "run" not in content:
            return "the baseline lacks some of its columns"
        if not (isinstance(content["of"], int) and content["of"] >= 0):
            return "the baseline has no number of cases in `of`"
    except (KeyError, TypeError, AttributeError):
        return "the baseline lacks some of its columns"
    for place, values, is_valid in columns:
        if not isinstance(values, list) or not all(map(is_valid, cast("list[Any]", values))):
            return f"the baseline has a value of a wrong type in `{place}`"
    return ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_text_or_null(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_number_or_null(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _is_verdict(value: Any) -> bool:
    """-1 for none, 0 failed, 1 partial, 2 passed."""
    return type(value) is int and -1 <= value <= 2


def _bad_baseline(path: str | Path, what: str, fix: str) -> ConfigError:
    return ConfigError([Diagnostic(code="bad-baseline", what=what, where=Where(file=str(path)), fix=fix)])


def compare_with_baseline(path: str | Path, run: Run, *, adjust: Adjust = "holm") -> Changes:
    """Compare a run with a baseline file, case by case."""
    content = load_baseline(path)
    ids: list[str] = content["cases"]
    measurements = {evaluator["name"]: _decode_evaluator(evaluator, ids, content.get("groups")) for evaluator in content["evaluators"]}
    notes: list[str] = []
    if content["of"] > len(ids):
        notes.append(f"the baseline holds {len(ids)} of {content['of']} cases")
    versions = {evaluator["name"]: evaluator.get("version") for evaluator in content["evaluators"]}
    if content.get("suite") != run.manifest.fingerprints.get("suite"):
        notes.append("the suite has changed since the baseline")
    rules = {evaluator["name"]: evaluator.get("rules") for evaluator in content["evaluators"]}
    notes += note_changed_rules(rules, content.get("package"), run)
    if "expected" in content:
        notes += note_edited_since(dict(zip(ids, content["expected"], strict=True)), run)
    new_ids = list_case_ids(run)

    def load_base(name: str) -> EvaluatorMeasurements:
        if content.get("exact") is True:
            return measurements[name]
        return _undo_rounding(measurements[name], load_metrics(run, name, new_ids))

    is_sample = content["of"] > len(ids)
    base = ComparisonBase(id=str(content["run"]), cases=ids, versions=versions, load=load_base, is_sample=is_sample)
    changes = compare_metrics(base, run, new_ids, notes=notes, adjust=adjust)
    if not is_sample:
        return changes
    return replace(changes, common_share=1 - len(changes.only_in_base) / len(ids))  # the run has cases that the sample left out


def _decode_evaluator(content: dict[str, Any], ids: list[str], groups: list[str] | None) -> EvaluatorMeasurements:
    return EvaluatorMeasurements(
        ids=ids,
        verdict=np.array(content["verdict"], dtype=np.int8),
        metrics=_decode_columns(content["metrics"]),
        fields=_decode_columns(content["fields"]),
        groups=groups,
        primary=primary_metric(str(content.get("type"))),
    )


def _decode_columns(columns: dict[str, list[float | None]]) -> dict[str, Any]:
    return {name: np.array([np.nan if value is None else value for value in values]) for name, values in columns.items()}


def _undo_rounding(base: EvaluatorMeasurements, new: EvaluatorMeasurements) -> EvaluatorMeasurements:
    """The measurements of a file of an earlier version, which rounded them; those that agree with a run within rounding are the run's."""
    base_rows, new_rows = find_common_rows(base.ids, new.ids)

    def restore(rounded: Mapping[str, Any], exact: Mapping[str, Any]) -> dict[str, Any]:
        return {name: restore_column(values, exact[name]) if name in exact else values for name, values in rounded.items()}

    def restore_column(rounded: Any, exact: Any) -> Any:
        column, of_run = rounded.copy(), exact[new_rows]
        is_equal = np.isclose(column[base_rows], of_run, rtol=0, atol=10.0**-DIGITS)
        column[base_rows] = np.where(is_equal, of_run, column[base_rows])
        return column

    return replace(base, metrics=restore(base.metrics, new.metrics), fields=restore(base.fields, new.fields))
