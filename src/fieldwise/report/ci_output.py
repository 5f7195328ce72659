"""Runs in the formats of CI systems: JUnit XML, and GitHub workflow commands.

JUnit has a test suite for the gates and one for each evaluator, with a test case for each case. It has failures or errors exactly if
the exit code is not 0: a case fails only below the `pass_at` of its evaluator, and gates decide the rest; a fault and an unavailable
measurement are errors; a case with nothing to score is skipped. A case that passes lists its misses. A run that did not finish, or did not
measure everything, is an error.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape, quoteattr

from fieldwise.model.comparison import Comparison
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.summary import GateResult
from fieldwise.report.result_text import describe_cause, describe_mismatch
from fieldwise.report.run_view import RunView, build_run_view
from fieldwise.report.text_format import format_interval, format_number, make_lines_visible, make_visible
from fieldwise.summarize.exit_code import CaseTest, judge_case

if TYPE_CHECKING:
    from fieldwise.store.run import Run

MAX_MISSES: Final = 100
BELOW_PASS_AT: Final = "below pass_at, but every gate of the run holds"
_VALUE_LENGTH: Final = 300
_JUNIT_COUNTS: Final = {"failures": "failure", "errors": "error", "skipped": "skipped"}
"""Attribute of a test suite → status it counts."""


@dataclass(frozen=True, slots=True)
class JUnitTestCase:
    """One test case: its status (`failure`, `error`, `skipped` or empty) and its XML."""

    status: str
    xml: str


def render_junit(run: "Run") -> str:
    """Render a run as a JUnit document."""
    view = build_run_view(run)
    suites: list[str] = []
    if view.exit_code not in (0, 1):  # its cases may all have passed, but the run as a whole has not
        suites.append(_render_suite(view, "run", [_make_run_test(view)]))
    if view.gates:
        suites.append(_render_suite(view, "gates", [_make_gate_test(view, gate) for gate in view.gates]))
    suites += [_render_suite(view, name, list(_make_case_tests(run, view, name))) for name in run.evaluators]
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name={_quote_attribute(view.name)}>\n{"".join(suites)}</testsuites>\n'


def _render_suite(view: RunView, name: str, tests: Sequence[JUnitTestCase]) -> str:
    statuses = Counter(test.status for test in tests)
    counts = " ".join(f'{attribute}="{statuses[status]}"' for attribute, status in _JUNIT_COUNTS.items())
    seconds = "" if view.seconds is None else f' time="{view.seconds:.3f}"'
    timestamp = f'timestamp="{view.started:%Y-%m-%dT%H:%M:%S}"'
    head = f'<testsuite name={_quote_attribute(name)} tests="{len(tests)}" {counts} {timestamp}{seconds}>'
    return f"{head}\n{_render_properties(view)}{''.join(test.xml for test in tests)}</testsuite>\n"


def _render_properties(view: RunView) -> str:
    """Facts about the run that change how its results are to be read."""
    if view.corrections is None:
        return ""
    return f'<properties><property name="corrections" value={_quote_attribute(view.corrections.describe())}/></properties>\n'


def _make_run_test(view: RunView) -> JUnitTestCase:
    message = "the run did not finish" if view.exit_code is None else f"exit code {view.exit_code}: not everything could be measured"
    errors = "\n".join(str(diagnostic) for diagnostic in view.diagnostics if diagnostic.level == "error")
    return _make_test(view.name, "the run as a whole", "error", _render_element("error", message, "incomplete", errors))


def _make_gate_test(view: RunView, gate: GateResult) -> JUnitTestCase:
    if gate.passed:
        return _make_test(f"{view.name}.gates", gate.gate, "", "")
    return _make_test(f"{view.name}.gates", gate.gate, "failure", _render_element("failure", gate.message, "gate", gate.message))


def _make_case_tests(run: "Run", view: RunView, evaluator: str) -> Iterator[JUnitTestCase]:
    """Yield a test for each case; results are read only for cases that did not pass, in the order of the run."""
    pass_at = find_pass_at(run, evaluator)
    rows = run.scores(evaluator).to_pylist()
    not_passed = [row["case"] for row in rows if row["verdict"] != "pass"]
    results = run.results_at(not_passed, evaluator)
    stored = next(results, None)
    suite = f"{view.name}.{evaluator}"
    for row in rows:
        if stored is None or stored.position != row["case"]:
            yield _make_test(suite, row["id"], "", "")
            continue
        result, stored = stored.result, next(results, None)
        status, verdict, fault = row["status"], row["verdict"], row["fault"]
        has_gates = bool(view.gates)
        test = judge_case(status=status, verdict=verdict, fault=fault, pass_at=pass_at, exit_code=view.exit_code, has_gates=has_gates)
        yield _make_case_test(suite, row, test, _describe_misses(result.misses, result.comparisons), result.reasoning)


def find_pass_at(run: "Run", evaluator: str) -> float | None:
    """The `pass_at` of an evaluator; None if it has none."""
    return next((entry.get("pass_at") for entry in run.manifest.evaluators if entry["name"] == evaluator), None)


def _make_case_test(suite: str, row: Mapping[str, Any], test: CaseTest, misses: Sequence[str], reasoning: str) -> JUnitTestCase:
    case, status, text = row["id"], row["status"], "\n".join(misses)
    message = f"score {row['score']:.4g}: {reasoning or status}"
    if test == "error":
        word = "unavailable" if status == "unavailable" else "fault"
        return _make_test(suite, case, "error", _render_element("error", reasoning or word, word, text))
    if test == "skipped":
        return _make_test(suite, case, "skipped", f"<skipped message={_quote_attribute(reasoning or 'nothing to score')}/>")
    if test == "tolerated":
        return _make_test(suite, case, "skipped", f"<skipped message={_quote_attribute(f'{BELOW_PASS_AT}: {message}')}/>")
    if test == "failed":
        kind = "no output" if status == "error" else "fail"
        return _make_test(suite, case, "failure", _render_element("failure", message, kind, text))
    output = "\n".join([message, *misses])
    return _make_test(suite, case, "", f"<system-out>{_escape_text(output)}</system-out>" if misses else "")


def _describe_misses(misses: Sequence[str], comparisons: Sequence[Comparison]) -> list[str]:
    """Describe each miss with expected, actual and the likely cause, if it is a compared path."""
    mismatches = {comparison.path: comparison for comparison in comparisons if not comparison.passed}
    lines: list[str] = []
    for miss in misses[:MAX_MISSES]:
        path = miss if miss in mismatches else miss.rsplit(" (", 1)[0]
        lines.append(_describe_miss(miss, mismatches.get(path)))
    if len(misses) > MAX_MISSES:
        lines.append(f"and {len(misses) - MAX_MISSES} more")
    return lines


def _describe_miss(miss: str, comparison: Comparison | None) -> str:
    if comparison is None:
        return make_visible(miss)
    text = describe_mismatch(comparison, _VALUE_LENGTH)
    cause = f" (likely cause: {text.cause})" if text.cause else ""
    return make_visible(f"{miss}: expected {text.expected}, got {text.actual}{cause}")


def _make_test(suite: str, name: str, status: str, content: str) -> JUnitTestCase:
    head = f"<testcase classname={_quote_attribute(suite)} name={_quote_attribute(name)}"
    return JUnitTestCase(status, f"{head}>{content}</testcase>\n" if content else f"{head}/>\n")


def _render_element(tag: str, message: str, kind: str, text: str) -> str:
    return f"<{tag} message={_quote_attribute(message)} type={_quote_attribute(kind)}>{_escape_text(text)}</{tag}>"


def _quote_attribute(text: str) -> str:
    """Quote an attribute value, without characters that XML does not allow."""
    return quoteattr(make_visible(text))


def _escape_text(text: str) -> str:
    return escape(make_lines_visible(text))


MAX_ANNOTATIONS: Final = 10
"""GitHub shows at most this many annotations of one kind for each step."""
_COMMANDS: Final = {"error": "error", "warning": "warning", "info": "notice"}


def render_github(view: RunView) -> str:
    """Render annotations for what failed, then the scores as plain lines."""
    return "\n".join([*_list_annotations(view), *_list_scores(view)]) + "\n"


def format_annotation(command: str, message: str, *, title: str = "", file: str | None = None, line: int | None = None) -> str:
    """Format one workflow command.

    >>> format_annotation("error", "50% off\\nfix: look", file="a,b.yaml", line=3)
    '::error file=a%2Cb.yaml,line=3::50%25 off%0Afix: look'
    """
    values = {"file": file, "line": None if line is None else str(line), "title": title}
    properties = ",".join(f"{name}={_escape_property(value)}" for name, value in values.items() if value)
    return f"::{command} {properties}::{_escape_data(message)}" if properties else f"::{command}::{_escape_data(message)}"


def format_diagnostic_annotation(diagnostic: Diagnostic) -> str:
    """Format a diagnostic as an annotation at its location."""
    where = diagnostic.where
    location = [f"case {where.case}" if where.case else "", f"field {where.field}" if where.field else ""]
    what = ": ".join([*(part for part in location if part), diagnostic.what])
    message = f"{what}\nfix: {diagnostic.fix}" if diagnostic.fix else what
    return format_annotation(_COMMANDS[diagnostic.level], message, title=diagnostic.code, file=where.file, line=where.line)


def _escape_property(text: str) -> str:
    return _escape_data(make_visible(text)).replace(":", "%3A").replace(",", "%2C")


def _escape_data(text: str) -> str:
    return make_lines_visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _list_annotations(view: RunView) -> Iterator[str]:
    has_failed_gate = any(not gate.passed for gate in view.gates)
    has_error = any(diagnostic.level == "error" and diagnostic.where.case is None for diagnostic in view.diagnostics)
    if view.exit_code and not has_failed_gate and not has_error:  # a step that fails has an error that says why
        yield format_annotation("error", view.exit_reason, title=f"exit {view.exit_code}", file=view.shown_suite_file)
    for gate in view.gates:
        if not gate.passed:
            message = gate.message if gate.value is not None else f"{gate.gate}: {gate.message}"
            line = find_line(view.suite_text, gate.gate.split(" ", 1)[0]) or find_line(view.suite_text, "gate")
            yield format_annotation("error", message, title="gate failed", file=view.shown_suite_file, line=line)
    by_level: Counter[str] = Counter()
    for diagnostic in view.diagnostics:
        by_level[diagnostic.level] += 1
        if by_level[diagnostic.level] <= MAX_ANNOTATIONS:
            yield format_diagnostic_annotation(diagnostic)
    yield from list(_annotate_fields(view))[: max(MAX_ANNOTATIONS - by_level["warning"], 0)]


def _annotate_fields(view: RunView) -> Iterator[str]:
    """A warning for each field of the leading evaluator that has mismatches, most of them first, at the line of its rule."""
    leader = view.leader
    weakest = sorted(leader.fields, key=lambda field: field.matched - field.n) if leader else []
    for field in weakest:
        if field.matched < field.n and leader is not None:
            causes = ", ".join(f"{describe_cause(cause).label} {count}" for cause, count in field.causes[:3])
            advice = describe_cause(field.causes[0][0], field.rule).advice if field.causes else ""
            lines = [
                f"{leader.name}: field {field.field}: {field.n - field.matched} of {field.n} wrong",
                f"causes: {causes}" if causes else "",
            ]
            lines += [f"fix: {advice}" if advice else "", f"lowest cases: {', '.join(field.worst[:3])}" if field.worst else ""]
            message = "\n".join(line for line in lines if line)
            line = find_line(view.suite_text, field.field)
            yield format_annotation("warning", message, title=f"field {field.field}", file=view.shown_suite_file, line=line)
    for evaluator in view.evaluators:
        if not evaluator.fields:
            for case, score in evaluator.worst[: min(evaluator.counts.failed, MAX_ANNOTATIONS)]:
                message = f"{evaluator.name}: case {case} failed with {format_number(score)}"
                yield format_annotation("warning", message, title="case failed", file=view.shown_suite_file)


def find_line(suite: str, name: str) -> int | None:
    """The first line of a suite's text that has a name as a whole word; None if there is none.

    >>> find_line("fields:\\n  - {path: subtotal}\\n  - {path: total}", "total")
    3
    """
    pattern = re.compile(rf"(?<![\w.\[\]]){re.escape(name)}(?![\w.\[])")
    return next((number for number, line in enumerate(suite.splitlines(), 1) if pattern.search(line)), None)


def _list_scores(view: RunView) -> Iterator[str]:
    yield f"{make_visible(view.name)}: {view.size}"
    if view.corrections is not None:
        yield f"  {make_visible(view.corrections.describe())}"
    for evaluator in view.evaluators:
        score = evaluator.metrics.get("score")
        interval = "" if score is None else format_interval(score)
        value = "not measured" if score is None else format_number(score.value)
        yield f"  {make_visible(evaluator.name)} {value}" + (f" [{interval}]" if interval else "")
    for gate in view.gates:
        yield f"  {'✓' if gate.passed else '✗'} {make_visible(gate.message)}"
    if not view.gates:
        yield "  no gate was set"
    yield f"exit {view.exit_code}: {view.exit_reason}"
