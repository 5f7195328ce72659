"""A run for coding agents: less than 4 KB of JSON with the verdict, gates, worst fields and the next command."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.summary import EvaluatorSummary, FieldSummary
from fieldwise.report.result_text import describe_cause, describe_mismatch
from fieldwise.report.run_view import build_run_view
from fieldwise.report.text_format import dump_json, format_count, truncate

if TYPE_CHECKING:
    from fieldwise.store.run import Run

MAX_BYTES: Final = 4_000
MAX_FIELDS: Final = 8
MAX_GATES: Final = 10
MAX_PROBLEMS: Final = 6
_TEXT_LENGTH: Final = 160
_VALUE_LENGTH: Final = 60


def render_agent(run: "Run", command: str = "fieldwise") -> str:
    """Render a run in less than `MAX_BYTES` bytes; `command` is the beginning of a command that finds the run."""
    view = build_run_view(run)
    fields = _rank_fields(view.evaluators)
    problems = [*_note_failures(view.evaluators), *(diagnostic for diagnostic in view.diagnostics if diagnostic.level != "info")]
    failed = [gate for gate in view.gates if not gate.passed]
    gates = [*failed, *(gate for gate in view.gates if gate.passed)]
    document: dict[str, Any] = {
        "verdict": view.verdict.word,
        "reason": view.exit_reason or view.verdict.reason,
        "exit_code": view.exit_code,
        "run": view.id,
        "suite": truncate(view.name, _VALUE_LENGTH),
        "cases": view.cases,
        "scores": {truncate(entry.name, _VALUE_LENGTH): _round(entry) for entry in view.evaluators[:MAX_FIELDS]},
        "gates": [
            {
                "gate": truncate(gate.gate, _TEXT_LENGTH),
                "passed": gate.passed,
                "value": None if gate.value is None else round(gate.value, 4),
            }
            for gate in gates[:MAX_GATES]
        ],
        **({} if view.corrections is None else {"corrections": truncate(view.corrections.describe(), _TEXT_LENGTH)}),
        "problems": describe_problems(problems),
        "worst_fields": [_describe_field(run, name, field) for name, field in fields[:MAX_FIELDS]],
        "next": _choose_next(run, fields, problems, command),
    }
    left_out = {"more_gates": len(gates) - MAX_GATES, "more_problems": len(problems) - MAX_PROBLEMS}
    return shrink_to_fit({**document, **{name: count for name, count in left_out.items() if count > 0}})


def render_agent_errors(diagnostics: Iterable[Diagnostic], exit_code: int) -> str:
    """Render the problems of a suite that did not run."""
    problems = list(diagnostics)
    next_step = "fix the suite, then run `fieldwise check SUITE`"
    document = {"verdict": "not valid", "exit_code": exit_code, "problems": describe_problems(problems), "next": next_step}
    return shrink_to_fit({**document, "more_problems": max(len(problems) - MAX_PROBLEMS, 0)})


def describe_problems(diagnostics: Sequence[Diagnostic]) -> list[dict[str, Any]]:
    """The first problems, errors first, with where and fix."""
    ordered = sorted(diagnostics, key=lambda diagnostic: diagnostic.level != "error")
    problems: list[dict[str, Any]] = []
    for diagnostic in ordered[:MAX_PROBLEMS]:
        entry = {"level": diagnostic.level, "what": diagnostic.what, "where": str(diagnostic.where), "fix": diagnostic.fix or ""}
        problems.append({name: truncate(text, _TEXT_LENGTH) for name, text in entry.items() if text})
    return problems


def shrink_to_fit(document: dict[str, Any]) -> str:
    """The document as JSON in at most `MAX_BYTES` bytes: the last entries of its longest lists are dropped first, never the verdict."""
    lists = [name for name in ("worst_fields", "problems", "gates") if name in document]
    text = dump_json(document, spaced=True)
    while len(text.encode()) > MAX_BYTES:
        longest = max(lists, key=lambda name: len(dump_json(document[name])) if document[name] else 0)
        if not document[longest]:
            document["scores"] = {}
            return dump_json(document, spaced=True) + "\n"
        document = {**document, longest: document[longest][:-1], "shortened": True}
        text = dump_json(document, spaced=True)
    return text + "\n"


def _note_failures(evaluators: Sequence[EvaluatorSummary]) -> list[Diagnostic]:
    """A problem for outputs that could not be read, which the fields show only as omissions."""
    failures = max((evaluator.counts.failures for evaluator in evaluators), default=0)
    if not failures:
        return []
    what = f"{format_count(failures, 'case')} without a readable output, counted as 0"
    return [Diagnostic(code="unreadable-actual", level="warning", what=what, fix="explain such a case: its reason says what is wrong")]


def _round(evaluator: EvaluatorSummary) -> float | None:
    score = evaluator.metrics.get("score")
    return None if score is None else round(score.value, 4)


def _rank_fields(evaluators: Sequence[EvaluatorSummary]) -> list[tuple[str, FieldSummary]]:
    """Fields with mismatches, most mismatches first; of several evaluators that compare a field, the first counts."""
    by_field: dict[str, tuple[str, FieldSummary]] = {}
    for evaluator in evaluators:
        for field in evaluator.fields:
            if field.matched < field.n:
                by_field.setdefault(field.field, (evaluator.name, field))
    return sorted(by_field.values(), key=lambda entry: entry[1].matched - entry[1].n)


def _describe_field(run: "Run", evaluator: str, field: FieldSummary) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "field": truncate(field.field, _TEXT_LENGTH),
        "evaluator": evaluator,
        "wrong": field.n - field.matched,
        "n": field.n,
        "score": round(field.score.value, 4),
    }
    entry |= {"cause": None, "advice": None}
    if field.causes:
        name, count = field.causes[0]
        text = describe_cause(name, field.rule)
        entry |= {"cause": text.label, "cause_count": count, "advice": truncate(text.advice, _TEXT_LENGTH)}
    entry |= _find_example(run, evaluator, field)
    return entry


def _find_example(run: "Run", evaluator: str, field: FieldSummary) -> dict[str, Any]:
    """A mismatch of the field with its most frequent cause: in its lowest case, else the first one."""
    cause = field.causes[0][0] if field.causes else None
    in_lowest_case = {"case": field.worst[0]} if field.worst else {}
    for selection in ({**in_lowest_case, "cause": cause}, {"cause": cause}):
        mismatches = run.mismatches(evaluator=evaluator, field=field.field, **selection)
        stored = next((stored for stored in mismatches if stored.comparison.field == field.field), None)
        if stored is not None:
            break
    else:
        return {}
    text = describe_mismatch(stored.comparison, _VALUE_LENGTH)
    return {"example": {"case": truncate(stored.case, _VALUE_LENGTH), "expected": text.expected, "actual": text.actual}}


def _quote(text: str) -> str:
    """The text in quotes of the shell, also where it needs none."""
    escaped = text.replace("'", "'\\''")
    return f"'{escaped}'"


def _choose_next(run: "Run", fields: Sequence[tuple[str, FieldSummary]], problems: Sequence[Diagnostic], command: str) -> str:
    if run.exit_code in (2, 3, 4) and problems:
        return f"fix the problems above, then run the suite again; `{command} runs show {run.id}` shows all of them"
    if fields:
        return f"{command} mismatches {run.id} --field {_quote(truncate(fields[0][1].field, _TEXT_LENGTH))} --format json"
    worst = [evaluator.worst[0][0] for evaluator in run.full.evaluators.values() if evaluator.worst and evaluator.worst[0][1] < 1]
    if worst:
        return f"{command} explain {run.id} {_quote(truncate(worst[0], _VALUE_LENGTH))} --format json"
    return f"{command} baseline set {run.id}"
