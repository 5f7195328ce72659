"""A run as annotations that GitHub shows beside the files they speak of, and a short summary."""

from collections.abc import Iterator
from typing import Final

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.summary import GateResult
from fieldwise.report.parts import interval, number, plural
from fieldwise.report.safe import safe, safe_lines
from fieldwise.report.terminal import EXIT
from fieldwise.report.view import RunView

MOST: Final = 10
"""GitHub shows no more annotations of one kind for each step."""
_COMMANDS: Final = {"error": "error", "warning": "warning", "info": "notice"}


def github_report(view: RunView) -> str:
    """Annotations for what failed, then the scores as plain lines."""
    lines = [*_annotations(view), *_summary(view)]
    return "\n".join(lines) + "\n"


def annotation(command: str, message: str, *, title: str = "", file: str | None = None, line: int | None = None) -> str:
    """One workflow command.

    >>> annotation("error", "50% off\\nfix: look", file="a,b.yaml", line=3)
    '::error file=a%2Cb.yaml,line=3::50%25 off%0Afix: look'
    """
    known = {"file": file, "line": None if line is None else str(line), "title": title}
    properties = ",".join(f"{name}={_property(value)}" for name, value in known.items() if value)
    return f"::{command} {properties}::{_data(message)}" if properties else f"::{command}::{_data(message)}"


def diagnostic_annotation(diagnostic: Diagnostic) -> str:
    """A diagnostic, at its place."""
    where = diagnostic.where
    place = [f"case {where.case}" if where.case else "", f"field {where.field}" if where.field else ""]
    first = ": ".join([*(part for part in place if part), diagnostic.what])
    message = f"{first}\nfix: {diagnostic.fix}" if diagnostic.fix else first
    command = _COMMANDS[diagnostic.level]
    return annotation(command, message, title=diagnostic.code, file=where.file, line=where.line)


def _property(text: str) -> str:
    return _data(safe(text)).replace(":", "%3A").replace(",", "%2C")


def _data(text: str) -> str:
    return safe_lines(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _annotations(view: RunView) -> Iterator[str]:
    for gate in view.gates:
        if not gate.passed:
            yield annotation("error", _gate(gate), title="gate failed", file=view.suite_file)
    by_level: dict[str, int] = {}
    for diagnostic in view.diagnostics:
        by_level[diagnostic.level] = by_level.get(diagnostic.level, 0) + 1
        if by_level[diagnostic.level] <= MOST:
            yield diagnostic_annotation(diagnostic)
    for one in view.summary.evaluators.values():
        for case, score in one.worst[: min(one.counts.failed, MOST)]:
            yield annotation("warning", f"{one.name}: case {case} failed with {number(score)}", title="case failed", file=view.suite_file)


def _gate(gate: GateResult) -> str:
    return gate.message if gate.value is not None else f"{gate.gate}: {gate.message}"


def _summary(view: RunView) -> Iterator[str]:
    yield f"{safe(view.name)}: {plural(view.summary.cases, 'case')}"
    for one in view.summary.evaluators.values():
        score = one.metrics.get("score")
        told = "not measured" if score is None else f"{number(score.value)} [{interval(score)}]" if interval(score) else number(score.value)
        yield f"  {safe(one.name)} {told}"
    for gate in view.gates:
        yield f"  {'✓' if gate.passed else '✗'} {safe(gate.message)}"
    if not view.gates:
        yield "  no gate was set"
    code = view.exit_code
    reason = "every gate passed" if code == 0 and view.gates else EXIT.get(code, "") if code is not None else "unfinished"
    yield f"exit {code}: {reason}"
