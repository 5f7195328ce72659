"""A run as Markdown, short enough for a pull request.

Everything from data stands in code spans: there it is neither markup, nor a link, nor a mention of somebody.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from fieldwise.model.change import Change, Changes
from fieldwise.model.comparison import Comparison
from fieldwise.model.summary import EvaluatorSummary, FieldSummary, Metric
from fieldwise.report.compared import Compared, compared, score_of, warnings_of
from fieldwise.report.lowest import Ranked, leading, spread
from fieldwise.report.page import verdict
from fieldwise.report.page_parts import causes_of
from fieldwise.report.parts import interval, number, plural, signed
from fieldwise.report.safe import cut, safe, value_text
from fieldwise.report.worst import cause_words

if TYPE_CHECKING:
    from fieldwise.store.run import Run

FIELDS: Final = 12
CASES: Final = 5
BROKEN: Final = 10
ROWS: Final = 8
_SIGNS: Final = {"good": "✅", "bad": "❌", "unsure": "⚠️"}
_TICKS: Final = re.compile(r"`+")
_MARKUP: Final = re.compile(r"([\\*_\[\]<>|~#`])")


def markdown(run: "Run") -> str:
    """The verdict, gates, scores, weakest fields, causes and the worst cases."""
    evaluators = list(run.full.evaluators.values())
    leader = leading(evaluators)
    parts = [*_head(run), *_gates(run), *_scores(evaluators), *_rates(evaluators), *_changes(run.changes)]
    if leader is not None:
        parts += [*_fields(leader), *_causes(leader), *_cases(run, leader)]
    return "\n".join([*parts, *_foot(run)]) + "\n"


def code(text: str) -> str:
    """Text from data as a code span that may stand in a table.

    >>> code("a`b|c"), code("@someone"), code("")
    ('``a`b\\\\|c``', '`@someone`', '` `')
    """
    shown = safe(text).replace("|", "\\|") or " "
    fence = "`" * (max((len(ticks) for ticks in _TICKS.findall(shown)), default=0) + 1)
    padding = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{padding}{shown}{padding}{fence}"


def prose(text: str) -> str:
    """A sentence of ours, which may name things in backticks; the rest of it is no markup and mentions nobody.

    >>> prose("use `a|b`, <b> and @x")
    'use `a\\\\|b`, \\\\<b\\\\> and @\\u200bx'
    """
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return _plain(text)
    return "".join(code(part) if place % 2 else _plain(part) for place, part in enumerate(parts))


def _plain(text: str) -> str:
    return _MARKUP.sub(r"\\\1", safe(text)).replace("@", "@\u200b")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> Iterator[str]:
    """Lines of a table; the last `numbers` columns are set to the right."""
    lines = ["---"] * (len(heads) - numbers) + ["---:"] * numbers
    yield "| " + " | ".join(heads) + " |"
    yield "| " + " | ".join(lines) + " |"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def _head(run: "Run") -> Iterator[str]:
    kind, word, why = verdict(run.exit_code, bool(run.gates))
    yield f"## {_SIGNS[kind]} {code(run.name)} {word}"
    yield ""
    yield f"{plural(run.full.cases, 'case')}, {plural(len(run.full.evaluators), 'evaluator')}: {why}."
    yield ""


def _gates(run: "Run") -> Iterator[str]:
    if run.gates:
        rows = [
            (
                "✅ holds" if gate.passed else "❌ does not hold",
                code(gate.gate),
                "not measured" if gate.value is None else f"{gate.value:.4g}",
            )
            for gate in run.gates
        ]
        yield from table(("gate", "condition", "value"), rows, numbers=1)
        failed = [f"* {code(gate.more)}" for gate in run.gates if gate.more and not gate.passed]
        yield from [*failed, ""] if failed else []


def _scores(evaluators: Sequence[EvaluatorSummary]) -> Iterator[str]:
    rows = [(code(one.name), _value(one.metrics.get("score")), *(str(count) for count in _counts(one))) for one in evaluators]
    yield from table(("evaluator", "score (95 % interval)", "passed", "partial", "failed", "faults", "not scored"), rows, numbers=6)


def _counts(one: EvaluatorSummary) -> tuple[int, ...]:
    counts = one.counts
    return counts.passed, counts.partial, counts.failed, counts.faults, counts.skipped + counts.unavailable


def _value(metric: Metric | None) -> str:
    if metric is None:
        return "not measured"
    return f"{number(metric.value)} ({interval(metric)})" if interval(metric) else number(metric.value)


def _rates(evaluators: Sequence[EvaluatorSummary]) -> Iterator[str]:
    rows = [
        (code(one.name), side, *(_value(one.metrics.get(f"{side}_{rate}")) for rate in ("precision", "recall", "f1")))
        for one in evaluators
        for side in ("macro", "micro")
        if f"{side}_f1" in one.metrics
    ]
    if rows:
        yield from table(("evaluator", "", "precision", "recall", "F1"), rows, numbers=3)


def _changes(changes: Changes | None) -> Iterator[str]:
    """What changed from the baseline: every score, the fields that moved for sure, and the cases that turned."""
    if changes is None:
        return
    yield f"### Against the baseline (run {code(changes.base)})"
    yield ""
    found = compared(changes)
    rows = [(code(one.change.evaluator), _SIGNS[_NEWS[one.verdict]] + " " + one.verdict, *_moved(one)) for one in found]
    yield from table(("evaluator", "verdict", "base → new", "change (95 % interval)", "fixed", "broken", "still broken"), rows, numbers=5)
    sure = [
        (code(one.change.evaluator), *_change(field))
        for one in found
        for field in one.change.fields
        if field.verdict in ("better", "worse")
    ]
    if sure:
        yield from table(("evaluator", "field", "verdict", "base → new", "change (95 % interval)"), sure[:FIELDS], numbers=2)
    for one in found:
        if one.change.broken:
            yield f"* broken for {code(one.change.evaluator)}: {_some(one.change.broken)}"
    for told in [*warnings_of(changes), *(one.power for one in found[:1])]:
        if told:
            yield f"* {prose(told)}"
    yield ""


_NEWS: Final = {"better": "good", "worse": "bad", "no difference shown": "unsure", "not enough cases": "unsure"}


def _moved(one: Compared) -> tuple[str, ...]:
    score = score_of(one.change)
    counts = (str(len(cases)) for cases in (one.change.fixed, one.change.broken, one.change.still_broken))
    return ("not measured", "", *counts) if score is None else (*_change(score)[2:], *counts)


def _change(one: Change) -> tuple[str, ...]:
    between = "" if one.low is None or one.high is None else f" ({signed(one.low)} to {signed(one.high)})"
    return code(one.name), one.verdict, f"{number(one.base)} → {number(one.new)}", f"{signed(one.delta)}{between}"


def _some(cases: Sequence[str]) -> str:
    more = f" and {len(cases) - BROKEN:,} more" if len(cases) > BROKEN else ""
    return ", ".join(code(cut(case, 80)) for case in cases[:BROKEN]) + more


def _fields(leader: EvaluatorSummary) -> Iterator[str]:
    wrong = sorted((field for field in leader.fields if field.score.n and field.matched < field.n), key=lambda field: field.score.value)
    if not wrong:
        return
    yield f"### Weakest fields ({code(leader.name)})"
    yield ""
    yield from table(("field", "what went wrong", "n", "matched", "score (95 % interval)"), [_field(field) for field in wrong[:FIELDS]], 3)
    if len(wrong) > FIELDS:
        yield f"and {plural(len(wrong) - FIELDS, 'more field')} with mistakes."
        yield ""


def _field(field: FieldSummary) -> tuple[str, ...]:
    causes = [f"{prose(cause_words(cause)[0])} {count}" for cause, count in field.causes[:3]]
    outcomes = [
        f"{name.replace('_', ' ')} {count}" for name, count in field.outcomes.items() if name not in ("match", "both_absent", "ignored")
    ]
    return code(field.field), ", ".join(causes or outcomes), str(field.n), str(field.matched), _value(field.score)


def _causes(leader: EvaluatorSummary) -> Iterator[str]:
    causes = causes_of(leader)
    if causes:
        yield "<details><summary>Likely causes and what to do</summary>"
        yield ""
        yield from table(
            ("cause", "what to do", "times"), [(prose(one.label), prose(one.advice), str(one.count)) for one in causes], numbers=1
        )
        yield "</details>"
        yield ""


def _cases(run: "Run", leader: EvaluatorSummary) -> Iterator[str]:
    lowest = [case for case in spread(run, leader.name, CASES).lowest if case.score < 1]
    if not lowest:
        return
    results = {stored.position: stored.result for stored in run.results_at([case.position for case in lowest], leader.name)}
    yield f"<details><summary>The {plural(len(lowest), 'case')} that score lowest</summary>"
    yield ""
    for case in lowest:
        result = results[case.position]
        yield from _case(case, [one for one in result.comparisons if not one.passed and one.outcome != "ignored"], result.misses)
    yield "</details>"
    yield ""


def _case(case: Ranked, differing: Sequence[Comparison], misses: Sequence[str]) -> Iterator[str]:
    yield f"**{code(case.id)}** {number(case.score)}"
    yield ""
    if differing:
        yield from table(("field", "expected", "actual", "likely cause"), [_row(one) for one in differing[:ROWS]])
    elif misses:
        yield ", ".join(code(cut(miss, 200)) for miss in misses[:ROWS])
        yield ""
    left = max(len(differing), 0 if differing else len(misses)) - ROWS
    if left > 0:
        yield f"and {left} more."
        yield ""


def _row(one: Comparison) -> tuple[str, ...]:
    expected = "missing" if one.expected_presence == "missing" else code(cut(value_text(one.expected), 120))
    actual = "missing" if one.actual_presence == "missing" else code(cut(value_text(one.actual), 120))
    return code(one.path), expected, actual, prose(cause_words(one.cause)[0]) if one.cause else one.outcome.replace("_", " ")


def _foot(run: "Run") -> Iterator[str]:
    errors = sum(diagnostic.level == "error" for diagnostic in run.diagnostics)
    warnings = sum(diagnostic.level == "warning" for diagnostic in run.diagnostics)
    told = ", ".join(plural(count, word) for count, word in ((errors, "error"), (warnings, "warning")) if count)
    yield f"<sub>fieldwise {prose(run.manifest.package)}, run {code(run.id)}{', ' + told if told else ''}</sub>"
