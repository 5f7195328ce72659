"""Compile a suite document into a plan, or report every problem in it."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, get_args

from annotated_types import MinLen

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.locations import is_url
from fieldwise.model.plan import Document, KeyPath, Plan, PlannedEvaluator, Role, Source
from fieldwise.model.values import Json
from fieldwise.plan.declared_options import describe_value, is_list_value, is_mapping_value
from fieldwise.plan.evaluators import OPTION_READERS, get_evaluator_name, plan_evaluator
from fieldwise.plan.gates import EvaluatorMetrics, GateMetrics, list_gate_metrics, read_gates, read_regressions
from fieldwise.plan.options import read_value
from fieldwise.plan.review import INVALID, Invalid, Review, quote_names, report_unknown_keys, suggest_name

SUITE_KEYS = ("name", "cases", "columns", "evaluators", "gate")
CASES_KEYS = ("expected", "actual", "join", "format")
ROLES: tuple[str, ...] = get_args(Role)
NON_EMPTY_TEXT = Annotated[str, MinLen(1)]
COLUMN_TYPES: dict[str, Any] = dict.fromkeys(ROLES, NON_EMPTY_TEXT) | {
    "actuals": NON_EMPTY_TEXT | Annotated[tuple[NON_EMPTY_TEXT, ...], MinLen(1)]
}
"""The type of each entry of `columns`: one column, or several for the outputs of several trials."""


def build_plan(document: Document, *, load: Callable[[str], Json], resolve: Callable[[str], str]) -> Plan:
    """The plan of a suite; ConfigError with every problem at once, in the order of lines.

    `load` reads a JSON file relative to the suite, `resolve` makes a path absolute relative to the suite's folder.
    """
    review = Review(document=document, load=load, resolve=resolve, readers=OPTION_READERS)
    suite = document.value
    if not is_mapping_value(suite):
        actual = "an empty file" if suite is None else describe_value(suite)
        what = f"a suite must be a mapping with `cases` and `evaluators`, not {actual}"
        review.add_error((), "bad-suite", what, "write `cases:` and `evaluators:`")
        raise ConfigError(review.diagnostics)
    report_unknown_keys(review, suite, SUITE_KEYS, (), "a suite")
    name = _read_text(review, suite, "name")
    source = _read_source(review, suite)
    evaluators = _read_evaluators(review, suite)
    metrics = _collect_gate_metrics(suite.get("evaluators"), evaluators)
    gates = read_gates(review, suite["gate"], ("gate",), metrics) if "gate" in suite else ()
    regressions = read_regressions(review, suite["gate"], ("gate",), metrics) if "gate" in suite else ()
    diagnostics = _sort_by_line(review.diagnostics)
    if review.has_errors():
        raise ConfigError(diagnostics)
    return Plan(
        name=name or get_default_name(document.file),
        source=source,
        evaluators=tuple(planned for planned in evaluators if isinstance(planned, PlannedEvaluator)),
        gates=gates,
        regressions=regressions,
        file=document.file,
        text=document.text,
        diagnostics=diagnostics,
    )


def get_default_name(file: str | None) -> str:
    """The name of a suite that does not state one: its file name without extensions.

    >>> get_default_name("evals/invoices.eval.yaml"), get_default_name("a.yml"), get_default_name(None)
    ('invoices', 'a', 'suite')
    """
    file_name = re.split(r"[/\\]", file)[-1] if file else ""
    return re.sub(r"(\.eval)?(\.ya?ml|\.json)?$", "", file_name) or "suite"


def _sort_by_line(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(sorted(diagnostics, key=lambda diagnostic: diagnostic.where.line or 0))


def _read_text(review: Review, mapping: Any, key: str, place: KeyPath = ()) -> str | None:
    text = read_value(review, NON_EMPTY_TEXT, mapping[key], (*place, key)) if key in mapping else None
    return text if isinstance(text, str) else None


def _read_source(review: Review, suite: Any) -> Source | None:
    columns = _read_columns(review, suite["columns"], ("columns",)) if "columns" in suite else {}
    if "cases" not in suite:
        return Source(columns=columns) if columns else None
    cases, place = suite["cases"], ("cases",)
    if isinstance(cases, str) and cases:
        return Source(cases=_resolve_data_path(review, cases), columns=columns)
    if not is_mapping_value(cases):
        fix = "write a path, a pattern such as `data/*.jsonl`, or `{expected: gold/*.json, actual: predictions/*.json}`"
        review.add_error(place, "bad-cases", f"`cases` must be a path or a mapping, not {describe_value(cases)}", fix)
        return None
    report_unknown_keys(review, cases, CASES_KEYS, place, "`cases`")
    for side in ("expected", "actual"):
        if side not in cases:
            review.add_error(place, "missing-option", f"`cases` needs `{side}`", f"add `{side}:` with a path or a pattern")
    texts = {key: _read_text(review, cases, key, place) for key in CASES_KEYS}
    return Source(
        expected=_resolve_data_path(review, texts["expected"] or ""),
        actual=_resolve_data_path(review, texts["actual"] or ""),
        join=texts["join"],
        format=texts["format"],
        columns=columns,
    )


def _resolve_data_path(review: Review, path: str) -> str:
    """A path relative to the suite; standard input, stored runs and URLs stay as they are."""
    return path if path == "-" or path.startswith("run:") or is_url(path) else review.resolve(path)


def _read_columns(review: Review, value: Any, place: KeyPath) -> dict[str, Any]:
    if not is_mapping_value(value):
        fix = "write `columns: {expected: ground_truth, actual: output}`"
        review.add_error(place, "bad-columns", f"`columns` must be a mapping of roles to column names, not {describe_value(value)}", fix)
        return {}
    columns: dict[str, Any] = {}
    for role, written in value.items():
        if role not in ROLES:
            fix = suggest_name(str(role), ROLES, f"the roles are {quote_names(ROLES)}; write `role: column`")
            review.add_error((*place, role), "unknown-role", f"there is no role `{role}`", fix)
            continue
        column = read_value(review, COLUMN_TYPES[role], written, (*place, role))
        if column is not INVALID:
            columns[role] = column
    return columns


def _read_evaluators(review: Review, suite: Any) -> list[PlannedEvaluator | Invalid]:
    """One entry for each written evaluator."""
    written = suite.get("evaluators")
    if not is_list_value(written) or not written:
        actual = describe_value(written) if "evaluators" in suite else "nothing"
        what = f"a suite needs a list of `evaluators`, not {actual}"
        review.add_error(("evaluators",), "missing-evaluators", what, "write `evaluators: [{type: field_accuracy}]`")
        return []
    evaluators = [plan_evaluator(review, ("evaluators", index)) for index in range(len(written))]
    _report_repeated_names(review, written)
    return evaluators


def _report_repeated_names(review: Review, written: Sequence[Any]) -> None:
    first_index: dict[str, int] = {}
    for index, evaluator in enumerate(written):
        name = get_evaluator_name(evaluator)
        first = index if name is None else first_index.setdefault(name, index)
        if first == index:
            continue
        place: KeyPath = ("evaluators", index)
        what = f"two evaluators are called `{name}` ({review.describe_two_places(('evaluators', first), place)})"
        if "name" in evaluator:
            review.add_error((*place, "name"), "repeated-name", what, "give one of them another `name`")
        else:
            review.add_error(place, "repeated-name", what, f"give them a `name` each, such as `name: {name}_{index + 1}`")


def _collect_gate_metrics(written: Any, evaluators: Sequence[PlannedEvaluator | Invalid]) -> GateMetrics:
    """The metrics a gate may name, by evaluator; evaluators with problems count too, with any metric."""
    metrics: dict[str, EvaluatorMetrics] = {}
    for evaluator, planned in zip(written if evaluators else (), evaluators, strict=True):
        if not is_mapping_value(evaluator) or "type" not in evaluator:
            continue
        name = get_evaluator_name(evaluator) or ""
        metrics[name] = list_gate_metrics(planned) if isinstance(planned, PlannedEvaluator) else EvaluatorMetrics()
    return metrics
