"""Runs to report on: stored ones, and views made by hand so that their numbers are defaults."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fieldwise as fw
from fieldwise.model.comparison import Comparison
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.summary import Counts, EvaluatorSummary, FieldSummary, GateResult, Metric, Summary
from fieldwise.report.case_view import MismatchExample
from fieldwise.report.run_view import RunView
from fieldwise.store.run import Run


def stored(folder: Path, cases: list[dict[str, Any]], suite: str) -> Run:
    """The run of a suite over these cases."""
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    (folder / "suite.eval.yaml").write_text(suite)
    return fw.run(folder / "suite.eval.yaml", root=folder / "stored")


def metric(value: float, n: int = 20, low: float | None = None, high: float | None = None) -> Metric:
    return Metric(value=value, n=n, low=low, high=high)


def field(name: str, rule: str = "exact", value: float = 0.9, **more: object) -> FieldSummary:
    defaults = {"n": 20, "expected": 20, "given": 19, "matched": 18, "precision": 0.9, "recall": 0.9, "f1": 0.9, "outcomes": {"match": 18}}
    return FieldSummary(field=name, rule=rule, score=metric(value, 20, value - 0.1, min(value + 0.08, 1.0)), **{**defaults, **more})


def evaluator(name: str = "fields", kind: str = "field_accuracy", **more: object) -> EvaluatorSummary:
    defaults = {
        "counts": Counts(cases=20, scored=19, failures=1, passed=12, partial=7, failed=1),
        "metrics": {"score": metric(0.91, 20, 0.84, 0.96), "pass_rate": metric(0.6, 20, 0.4, 0.8)},
        "fields": (
            field("number", causes=(("ocr", 1),), outcomes={"match": 18, "wrong_value": 1, "omission": 1}, worst=("b-2", "a-1")),
            field("vendor.name", "fuzzy ≥ 0.85 (levenshtein)", 0.97, matched=20, outcomes={"match": 20}),
            field("items[*].amount", "numeric ± 0.01", 0.7, n=60, matched=42, causes=(("scale", 12), ("item_shifted", 3)), worst=("a-1",),
                  outcomes={"match": 42, "wrong_value": 16, "hallucination": 2}),
        ),
        "worst": (("a-1", 0.0), ("b-2", 0.5), ("c-3", 0.75)),
        "slices": {"tag:german": {"score": metric(0.88, 8)}, "split:test": {"score": metric(0.9, 10)}},
    }  # fmt: skip
    return EvaluatorSummary(name=name, type=kind, **{**defaults, **more})


def comparison(path: str = "number", expected: object = "A-1002", actual: object = "A-1O02", **more: object) -> Comparison:
    defaults = {"field": path, "outcome": "wrong_value", "expected_presence": "present", "actual_presence": "present"}
    return Comparison(path=path, expected=expected, actual=actual, **{"similarity": 0.0, "passed": False, **defaults, **more})


def view(**more: object) -> RunView:
    defaults = {
        "id": "20260102-030405-abcdef",
        "name": "invoices",
        "summary": Summary(cases=20, evaluators={"fields": evaluator(), "field_prf": prf()}),
        "started": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        "finished": datetime(2026, 1, 2, 3, 4, 7, tzinfo=UTC),
        "suite_file": "invoices.eval.yaml",
        "path": ".fieldwise/runs/20260102-030405-abcdef",
        "package": "0.1.0",
        "gates": (
            GateResult(gate="fields.score >= 0.9", passed=True, value=0.91, message="fields.score is 0.91: fields.score >= 0.9 holds"),
            GateResult(gate="field_prf.macro_f1 >= 0.9", passed=False, value=0.8, message="field_prf.macro_f1 is 0.8: it does not hold"),
        ),
        "diagnostics": (
            *(
                Diagnostic(code="column", what="the column `gold` is read as expected", where=Where(file=f"{n}.jsonl"), level="info")
                for n in range(6)
            ),
            Diagnostic(code="no-expected", what="`z` has no expected record", where=Where(case="z"), fix="add it", level="warning"),
        ),
        "exit_code": 1,
        "examples": {"ocr": MismatchExample("b-2", comparison())},
    }
    return RunView(**{**defaults, **more})


def prf() -> EvaluatorSummary:
    metrics = {"score": metric(0.8, 20, 0.7, 0.88), "macro_precision": metric(0.82), "macro_recall": metric(0.78), "omission": metric(0.5)}
    return evaluator("field_prf", "field_prf", metrics=metrics)
