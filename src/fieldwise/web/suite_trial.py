"""Run a suite on pasted records: one case, or several as JSON lines, with any evaluator that needs no model."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from fieldwise import api
from fieldwise.model.ask import DisabledAsker
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.result import Result
from fieldwise.model.summary import GateResult, Metric
from fieldwise.model.values import MISSING
from fieldwise.read.json_text import decode_json
from fieldwise.web.evaluation import NO_MODELS, RequestedSuite
from fieldwise.web.suite_text import CheckedSuite

MAX_TRIAL_CASES: Final = 500
"""More cases belong in a file."""
SIDES: Final = ("expected", "actual")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteTrial:
    """What a suite gave on pasted records."""

    evaluators: Mapping[str, str]
    """Name → type."""
    scores: Mapping[str, Metric]
    """Evaluator → mean score; those that measured nothing are not in it."""
    results: Sequence[tuple[str, str, Result]]
    """Case, evaluator, result."""
    rules: Mapping[str, Mapping[str, str]]
    """Evaluator → field → rule."""
    gates: Sequence[GateResult]
    diagnostics: Sequence[Diagnostic]
    actuals: Mapping[str, Any]
    """Case → its actual record."""
    run: str | None
    """The id of the run that it was stored as."""


def read_pasted_cases(texts: Mapping[str, str]) -> tuple[list[dict[str, Any]], list[Diagnostic]]:
    """The cases in the text boxes `expected`, `actual`, `input` and `contexts`, and what could not be read.

    A box holds one value, which may be a list, or several records as JSON lines; those are paired by position.
    """
    diagnostics: list[Diagnostic] = []
    sides: dict[str, list[Any]] = {}
    for side in SIDES:
        values, notes = _read_values(texts.get(side, ""), side)
        diagnostics += notes
        if values:
            sides[side] = values
    if not sides:
        what, fix = "both records are empty", "paste a record, or choose a file"
        return [], [Diagnostic(code="nothing-given", what=what, fix=fix)]
    counts = {side: len(values) for side, values in sides.items()}
    if len(set(counts.values())) > 1:
        what = f"there are {counts['expected']} expected and {counts['actual']} actual records"
        return [], [*diagnostics, Diagnostic(code="unequal-sides", what=what, fix="paste as many on one side as on the other")]
    number = next(iter(counts.values()))
    if number > MAX_TRIAL_CASES:
        what = f"there are {number:,} records, and this page takes {MAX_TRIAL_CASES}"
        return [], [*diagnostics, Diagnostic(code="too-many", what=what, fix="store them in a file, and use `fieldwise run`")]
    shared, notes = _read_shared(texts)
    diagnostics += notes
    cases = [{"id": str(place + 1), **shared, **{side: values[place] for side, values in sides.items()}} for place in range(number)]
    return cases, diagnostics


def _read_values(text: str, side: str) -> tuple[list[Any], list[Diagnostic]]:
    """The values in a box: several as JSON lines, else one. Text that is not JSON stays text."""
    text = text.strip()
    if not text:
        return [], []
    decoded = decode_json(text.encode("utf-8", "surrogatepass"))
    if decoded.value is not MISSING:
        return [decoded.value], []
    lines = [line for line in text.splitlines() if line.strip()]
    rows = [decode_json(line.encode("utf-8", "surrogatepass")).value for line in lines]
    if len(lines) > 1 and all(row is not MISSING and isinstance(row, dict) for row in rows):
        return rows, []
    if text[:1] in ("{", "["):
        where = Where(field=side)
        return [text], [replace(diagnostic, where=replace(where, line=diagnostic.where.line)) for diagnostic in decoded.diagnostics]
    return [text], []


def _read_shared(texts: Mapping[str, str]) -> tuple[dict[str, Any], list[Diagnostic]]:
    """The input and the contexts, which every case gets. Contexts are a JSON list, or texts with an empty line between them."""
    shared: dict[str, Any] = {}
    if texts.get("input", "").strip():
        shared["input"] = texts["input"].strip()
    contexts = texts.get("contexts", "").strip()
    if not contexts:
        return shared, []
    decoded = decode_json(contexts.encode("utf-8", "surrogatepass"))
    if isinstance(decoded.value, list):
        return {**shared, "contexts": decoded.value}, []
    return {**shared, "contexts": [part.strip() for part in contexts.split("\n\n") if part.strip()]}, []


def try_suite(checked: CheckedSuite, cases: Sequence[Mapping[str, Any]], root: str | Path | None) -> SuiteTrial:
    """Run a checked suite on cases; stored if there is a root. Called in a worker process."""
    if root is not None:
        return _try_suite(checked, cases, root, is_stored=True)
    with tempfile.TemporaryDirectory(prefix="fieldwise-") as folder:
        return _try_suite(checked, cases, Path(folder) / "runs", is_stored=False)


def _try_suite(checked: CheckedSuite, cases: Sequence[Mapping[str, Any]], root: str | Path, *, is_stored: bool) -> SuiteTrial:
    suite = RequestedSuite({"name": "test", **checked.value})
    run = api.run(suite, cases=[dict(case) for case in cases], root=root, asking=NO_MODELS)
    if run.manifest.invalid:  # a few pasted records need not have every field of the suite: the problem is shown with the results
        return _evaluate_each(checked, cases, run.diagnostics)
    summaries = run.full.evaluators
    return SuiteTrial(
        evaluators={name: summary.type for name, summary in summaries.items()},
        scores={name: summary.metrics["score"] for name, summary in summaries.items() if "score" in summary.metrics},
        results=[(stored.case, stored.evaluator, stored.result) for stored in run.results()],
        rules={name: {field.field: field.rule for field in summary.fields} for name, summary in summaries.items()},
        gates=run.gates,
        diagnostics=run.diagnostics,
        actuals={str(case["id"]): case.get("actual") for case in cases},
        run=run.id if is_stored else None,
    )


def _evaluate_each(checked: CheckedSuite, cases: Sequence[Mapping[str, Any]], diagnostics: Sequence[Diagnostic]) -> SuiteTrial:
    """The results case by case, where a run as a whole is not valid."""
    evaluators = {str(config.get("name", config["type"])): config for config in checked.value.get("evaluators", ())}
    results: list[tuple[str, str, Result]] = []
    for case in cases:
        values = {part: case.get(part, MISSING if part in SIDES else None) for part in (*SIDES, "input", "contexts", "id")}
        for name, config in evaluators.items():
            results.append((str(case["id"]), name, api.evaluate(config, **values, asker=DisabledAsker())))
    return SuiteTrial(
        evaluators={name: str(config["type"]) for name, config in evaluators.items()},
        scores={},
        results=results,
        rules={},
        gates=(),
        diagnostics=diagnostics,
        actuals={str(case["id"]): case.get("actual") for case in cases},
        run=None,
    )
