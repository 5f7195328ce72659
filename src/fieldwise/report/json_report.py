"""A run as JSON: `{run, summary, gates, results, diagnostics}`, and the JSON Schema of that document."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.report.run_view import RunView
from fieldwise.report.text_format import dump_json

RUN_SCHEMA_VERSION: Final = 2
"""Incremented when a key is removed or changes its meaning."""


def iterate_run_json(view: RunView, results: Iterable[bytes]) -> Iterator[str]:
    """Yield the document in chunks: a run may be larger than memory. `results` are JSON texts, as `Run.result_texts` gives them."""
    gates = dump_json([asdict(gate) for gate in view.gates])
    diagnostics = dump_json([diagnostic.to_json() for diagnostic in view.diagnostics])
    yield f'{{"run":{dump_json(run_facts_to_json(view))},\n"summary":{dump_json(run_summary_to_json(view))},\n"gates":{gates},\n'
    yield f'"diagnostics":{diagnostics},\n"results":['
    for number, result in enumerate(results):
        yield (",\n" if number else "\n") + result.decode()
    yield "\n]}\n"


def render_error_json(diagnostics: Iterable[Diagnostic]) -> str:
    """The document of a suite that did not run: `run` is null, and everything but the diagnostics is empty."""
    summary = {"cases": 0, "groups": None, "metrics": {}, "evaluators": {}, "interpretation": []}
    problems = [diagnostic.to_json() for diagnostic in diagnostics]
    return dump_json({"run": None, "summary": summary, "gates": [], "diagnostics": problems, "results": []}) + "\n"


def iterate_results_jsonl(results: Iterable[bytes]) -> Iterator[str]:
    """Yield one result a line."""
    return (result.decode() + "\n" for result in results)


def run_facts_to_json(view: RunView) -> dict[str, Any]:
    """The `run` object of a run's JSON document."""
    return {
        "id": view.id,
        "name": view.name,
        "label": view.label,
        "sources": [asdict(source) for source in view.sources],
        "corrections": None if view.corrections is None else asdict(view.corrections),
        "suite": view.suite_file,
        "started": view.started.isoformat(),
        "finished": None if view.finished is None else view.finished.isoformat(),
        "path": view.path,
        "fieldwise": view.package,
        "exit_code": view.exit_code,
        "fingerprints": dict(view.fingerprints),
        "environment": dict(view.environment),
    }


def run_summary_to_json(view: RunView) -> dict[str, Any]:
    """The `summary` object of a run's JSON document."""
    return {
        "cases": view.cases,
        "groups": view.summary.groups,
        "metrics": view.summary.flatten(),
        "evaluators": {name: asdict(evaluator) for name, evaluator in view.summary.evaluators.items()},
        "interpretation": [asdict(finding) for finding in view.findings],
    }


_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "number"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_OPTIONAL_COUNT: Final = {"type": ["integer", "null"], "minimum": 0}
_OPTIONAL_TEXT: Final = {"type": ["string", "null"]}
_SHARE: Final = {"type": "number", "minimum": 0, "maximum": 1}
_OPTIONAL_NUMBER: Final = {"type": ["number", "null"]}
_TEXTS: Final = {"type": "array", "items": _TEXT}


def _object_schema(properties: Mapping[str, Any], optional: Iterable[str] = ()) -> dict[str, Any]:
    required = [name for name in properties if name not in set(optional)]
    return {"type": "object", "properties": dict(properties), "required": required, "additionalProperties": False}


def _mapping_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": dict(schema)}


def build_run_schema() -> dict[str, Any]:
    """Build the JSON Schema (2020-12) of what `run --format json` prints."""
    top = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:fieldwise:run:{RUN_SCHEMA_VERSION}",
        "title": "fieldwise run",
    }
    parts = {
        "run": {"anyOf": [_run_schema(), {"type": "null"}], "description": "null if the suite did not run"},
        "summary": _summary_schema(),
        "gates": {"type": "array", "items": _gate_schema()},
        "diagnostics": {"type": "array", "items": _diagnostic_schema()},
        "results": {"type": "array", "items": _result_schema()},
    }
    return {**top, **_object_schema(parts)}


def _run_schema() -> dict[str, Any]:
    return _object_schema(
        {
            "id": _TEXT,
            "name": _TEXT,
            "label": _TEXT,
            "sources": {"type": "array", "items": _source_schema()},
            "corrections": {"anyOf": [_corrections_schema(), {"type": "null"}]},
            "suite": _OPTIONAL_TEXT,
            "started": {**_TEXT, "format": "date-time"},
            "finished": _OPTIONAL_TEXT,
            "path": _TEXT,
            "fieldwise": _TEXT,
            "exit_code": {"type": ["integer", "null"]},
            "fingerprints": _mapping_schema(_TEXT),
            "environment": _mapping_schema(_TEXT),
        }
    )


def _source_schema() -> dict[str, Any]:
    return _object_schema(
        {"role": _TEXT, "file": _TEXT, "files": _COUNT, "bytes": _OPTIONAL_COUNT, "hash": _OPTIONAL_TEXT, "mapping": {"type": "object"}}
    )


def _corrections_schema() -> dict[str, Any]:
    scores = _mapping_schema(_object_schema({"before": _OPTIONAL_NUMBER, "after": _OPTIONAL_NUMBER}))
    return _object_schema({"file": _TEXT, "applied": _COUNT, "cases": _COUNT, "actions": _mapping_schema(_COUNT), "scores": scores})


def _summary_schema() -> dict[str, Any]:
    metric = _object_schema({"value": _NUMBER, "n": _COUNT, "low": _OPTIONAL_NUMBER, "high": _OPTIONAL_NUMBER, "groups": _OPTIONAL_COUNT})
    counts = ("cases", "not_applicable", "scored", "failures", "faults", "skipped", "unavailable", "passed", "partial", "failed")
    pair = {"type": "array", "prefixItems": [_TEXT, _NUMBER], "minItems": 2, "maxItems": 2}
    field = _object_schema(
        {
            "field": _TEXT,
            "rule": _TEXT,
            "n": _COUNT,
            "expected": _COUNT,
            "given": _COUNT,
            "matched": _COUNT,
            "outcomes": _mapping_schema(_COUNT),
            "score": metric,
            "precision": _NUMBER,
            "recall": _NUMBER,
            "f1": _NUMBER,
            "causes": {"type": "array", "items": pair},
            "worst": _TEXTS,
        }
    )
    evaluator = _object_schema(
        {
            "name": _TEXT,
            "type": _TEXT,
            "counts": _object_schema(dict.fromkeys(counts, _COUNT)),
            "metrics": _mapping_schema(metric),
            "fields": {"type": "array", "items": field},
            "worst": {"type": "array", "items": pair},
            "flags": _mapping_schema(_COUNT),
            "unscored": _mapping_schema(_COUNT),
            "slices": _mapping_schema(_mapping_schema(metric)),
        }
    )
    interpretation = _object_schema(
        {
            "code": _TEXT,
            "level": {"enum": ["good", "look"]},
            "text": _TEXT,
            "evaluators": _TEXTS,
            "metrics": _mapping_schema(_NUMBER),
            "counts": _mapping_schema(_COUNT),
        }
    )
    return _object_schema(
        {
            "cases": _COUNT,
            "groups": _OPTIONAL_COUNT,
            "metrics": _mapping_schema(_NUMBER),
            "evaluators": _mapping_schema(evaluator),
            "interpretation": {"type": "array", "items": interpretation},
        }
    )


def _gate_schema() -> dict[str, Any]:
    return _object_schema({"gate": _TEXT, "passed": {"type": "boolean"}, "value": _OPTIONAL_NUMBER, "message": _TEXT})


def _diagnostic_schema() -> dict[str, Any]:
    optional = {"file": _TEXT, "line": _COUNT, "case": _TEXT, "field": _TEXT, "fix": _TEXT}
    return _object_schema({"level": {"enum": ["error", "warning", "info"]}, "code": _TEXT, "what": _TEXT, **optional}, optional=optional)


def _result_schema() -> dict[str, Any]:
    outcomes = ["match", "wrong_value", "format_error", "omission", "hallucination", "both_absent", "ignored", "fault"]
    evidence = {"confidence": _SHARE, "page": {"type": "integer"}, "box": {"type": "array", "items": _NUMBER}}
    optional = {"expected": True, "actual": True, "note": _TEXT, **evidence}
    comparison = _object_schema(
        {
            "path": _TEXT,
            "field": _TEXT,
            "outcome": {"enum": outcomes},
            "similarity": _OPTIONAL_NUMBER,
            "passed": {"type": "boolean"},
            "cause": _OPTIONAL_TEXT,
            **optional,
        },
        optional=optional,
    )
    return _object_schema(
        {
            "case": _TEXT,
            "evaluator": _TEXT,
            "score": _SHARE,
            "verdict": {"enum": ["pass", "partial", "fail", None]},
            "status": {"enum": ["scored", "error", "skipped", "unavailable"]},
            "hits": _TEXTS,
            "misses": _TEXTS,
            "reasoning": _TEXT,
            "metrics": _mapping_schema({"type": ["number", "boolean"]}),
            "details": {"type": "object"},
            "comparisons": {"type": "array", "items": comparison},
        }
    )
