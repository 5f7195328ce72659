"""A run as JSON: `{run, summary, gates, results, diagnostics}`. `run_schema` says what is in it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from fieldwise.model.result import Result
from fieldwise.report.safe import json_text
from fieldwise.report.view import RunView

Found = tuple[str, str, Result]
"""A case, an evaluator, and what it said."""


def run_json(view: RunView, results: Iterable[Found]) -> Iterator[str]:
    """The text of the document, piece by piece: a run may be larger than memory."""
    gates = json_text([asdict(gate) for gate in view.gates])
    yield f'{{"run":{json_text(_run(view))},\n"summary":{json_text(_summary(view))},\n"gates":{gates},\n'
    yield f'"diagnostics":{json_text([one.to_json() for one in view.diagnostics])},\n"results":['
    for number, found in enumerate(results):
        yield ("," if number else "") + "\n" + json_text(result_json(*found))
    yield "\n]}\n"


def result_json(case: str, evaluator: str, result: Result) -> dict[str, Any]:
    """One result with the case and the evaluator it belongs to."""
    return {"case": case, "evaluator": evaluator, **result.to_json()}


def results_jsonl(results: Iterable[Found]) -> Iterator[str]:
    """One result a line."""
    return (json_text(result_json(*found)) + "\n" for found in results)


def _run(view: RunView) -> dict[str, Any]:
    return {
        "id": view.id,
        "name": view.name,
        "suite": view.suite_file,
        "started": view.started.isoformat(),
        "finished": None if view.finished is None else view.finished.isoformat(),
        "path": view.path,
        "fieldwise": view.package,
        "exit_code": view.exit_code,
        "fingerprints": dict(view.fingerprints),
        "environment": dict(view.environment),
    }


def _summary(view: RunView) -> dict[str, Any]:
    return {
        "cases": view.summary.cases,
        "metrics": view.summary.flat(),
        "evaluators": {name: asdict(one) for name, one in view.summary.evaluators.items()},
    }


_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "number"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_MAYBE_TEXT: Final = {"type": ["string", "null"]}
_TEXTS: Final = {"type": "array", "items": _TEXT}


def _object(properties: Mapping[str, Any], optional: Iterable[str] = ()) -> dict[str, Any]:
    needed = [name for name in properties if name not in set(optional)]
    return {"type": "object", "properties": dict(properties), "required": needed, "additionalProperties": False}


def _each(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": dict(schema)}


def run_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of what `run --format json` prints."""
    top = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "fieldwise run"}
    parts = {
        "run": _run_schema(),
        "summary": _summary_schema(),
        "gates": {"type": "array", "items": _gate_schema()},
        "diagnostics": {"type": "array", "items": _diagnostic_schema()},
        "results": {"type": "array", "items": _result_schema()},
    }
    return {**top, **_object(parts)}


def _run_schema() -> dict[str, Any]:
    known = {"id": _TEXT, "name": _TEXT, "suite": _MAYBE_TEXT, "started": {**_TEXT, "format": "date-time"}, "finished": _MAYBE_TEXT}
    where = {"path": _TEXT, "fieldwise": _TEXT, "exit_code": {"type": ["integer", "null"]}}
    return _object({**known, **where, "fingerprints": _each(_TEXT), "environment": _each(_TEXT)})


def _summary_schema() -> dict[str, Any]:
    metric = _object({"value": _NUMBER, "n": _COUNT, "low": {"type": ["number", "null"]}, "high": {"type": ["number", "null"]}})
    counted = ("cases", "not_applicable", "scored", "failures", "faults", "skipped", "unavailable", "passed", "partial", "failed")
    pair = {"type": "array", "prefixItems": [_TEXT, _NUMBER], "minItems": 2, "maxItems": 2}
    field = _object(
        {
            **{
                "field": _TEXT,
                "rule": _TEXT,
                "n": _COUNT,
                "expected": _COUNT,
                "given": _COUNT,
                "matched": _COUNT,
                "outcomes": _each(_COUNT),
            },
            **{"score": metric, "precision": _NUMBER, "recall": _NUMBER, "f1": _NUMBER},
            **{"causes": {"type": "array", "items": pair}, "worst": _TEXTS},
        }
    )
    evaluator = _object(
        {
            **{"name": _TEXT, "type": _TEXT, "counts": _object(dict.fromkeys(counted, _COUNT)), "metrics": _each(metric)},
            **{"fields": {"type": "array", "items": field}, "worst": {"type": "array", "items": pair}},
            **{"flags": _each(_COUNT), "slices": _each(_each(metric))},
        }
    )
    return _object({"cases": _COUNT, "metrics": _each(_NUMBER), "evaluators": _each(evaluator)})


def _gate_schema() -> dict[str, Any]:
    return _object({"gate": _TEXT, "passed": {"type": "boolean"}, "value": {"type": ["number", "null"]}, "message": _TEXT})


def _diagnostic_schema() -> dict[str, Any]:
    place = {"file": _TEXT, "line": _COUNT, "case": _TEXT, "field": _TEXT, "fix": _TEXT}
    return _object({"level": {"enum": ["error", "warning", "info"]}, "code": _TEXT, "what": _TEXT, **place}, optional=place)


def _result_schema() -> dict[str, Any]:
    outcomes = ["match", "wrong_value", "format_error", "omission", "hallucination", "both_absent", "ignored", "fault"]
    shown = {"expected": True, "actual": True, "note": _TEXT}
    known = {"path": _TEXT, "field": _TEXT, "outcome": {"enum": outcomes}, "similarity": {"type": ["number", "null"]}}
    comparison = _object({**known, "passed": {"type": "boolean"}, "cause": _MAYBE_TEXT, **shown}, optional=shown)
    return _object(
        {
            **{"case": _TEXT, "evaluator": _TEXT, "score": {"type": "number", "minimum": 0, "maximum": 1}},
            **{"verdict": {"enum": ["pass", "partial", "fail", None]}, "status": {"enum": ["scored", "error", "skipped", "unavailable"]}},
            **{"hits": _TEXTS, "misses": _TEXTS, "reasoning": _TEXT, "metrics": _each({"type": ["number", "boolean"]})},
            **{"details": {"type": "object"}, "comparisons": {"type": "array", "items": comparison}},
        }
    )
