"""One stored run, in a screenful: what it was, what it came to, where it is, and what to do with it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import RenderableType
from rich.text import Text

from fieldwise.report.changes_view import changes_section
from fieldwise.report.page import verdict
from fieldwise.report.parts import BAD, COMMAND, DIM, NOTE, OK, TITLE, grid, interval, mark, number, plural, section, stack, text

if TYPE_CHECKING:
    from fieldwise.model.summary import EvaluatorSummary
    from fieldwise.store.run import Run

_STYLES: Final = {"good": OK, "bad": BAD, "unsure": NOTE}
_METRICS: Final = 8
"""How many metrics of an evaluator are shown unless all are wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What the run's folder tells that the run itself does not."""

    bytes: int
    baselines: tuple[Path, ...] = ()
    """The baseline files that were made from it."""


def facts_report(run: "Run", kept: Kept, *, everything: bool = False, command: str = "fieldwise") -> RenderableType:
    """What a run was and came to."""
    kind, word, why = verdict(run.exit_code, bool(run.gates))
    if run.running:
        word, why = "running", "another process is writing it"
    head = text((run.name or "unnamed suite", TITLE), (f"  run {run.id}", DIM))
    return stack(
        head,
        text((word, _STYLES[kind]), (f": {why}", DIM)),
        section("Run", _pairs(_facts(run, kept))),
        _gates(run),
        section("Metrics", _metrics(run, everything)) if run.full.evaluators else None,
        None if run.changes is None else changes_section(run.changes),
        section("Fingerprints", _pairs(_fingerprints(run, everything))),
        Text(),
        *_next(run, command),
    )


def facts_json(run: "Run", kept: Kept) -> dict[str, Any]:
    """The same for programs."""
    return {
        "id": run.id,
        "name": run.name,
        "state": "running" if run.running else run.state,
        "started": run.started.isoformat(),
        "finished": None if run.finished is None else run.finished.isoformat(),
        "exit_code": run.exit_code,
        "cases": _cases(run),
        "tags": list(run.tags),
        "gates": [asdict(gate) for gate in run.gates],
        "metrics": run.summary,
        "path": str(run.path),
        "bytes": kept.bytes,
        "baselines": [str(path) for path in kept.baselines],
        "baseline": None if run.changes is None else run.changes.base,
        "suite": run.manifest.suite_file,
        "package": run.manifest.package,
        "fingerprints": dict(run.manifest.fingerprints),
        "environment": dict(run.manifest.environment),
    }


def _cases(run: "Run") -> int:
    return run.full.cases if run.finished else sum(part.cases for part in run.parts)


def _facts(run: "Run", kept: Kept) -> Iterator[tuple[str, str]]:
    took = "" if run.finished is None else f", took {(run.finished - run.started).total_seconds():,.1f} s"
    yield "started", f"{run.started:%Y-%m-%d %H:%M:%S} UTC{took}"
    yield "cases", f"{_cases(run):,}" if run.finished else f"{_cases(run):,} stored so far"
    yield "suite", run.manifest.suite_file or "given by a program"
    yield "exit code", "none yet" if run.exit_code is None else str(run.exit_code)
    if run.tags:
        yield "tags", ", ".join(run.tags)
    yield "stored", f"{kept.bytes / 1e6:,.1f} MB in {plural(len(run.parts), 'part')}: {run.path}"
    for path in kept.baselines:
        yield "baseline", f"{path} was made from it"
    errors = sum(one.level == "error" for one in run.diagnostics)
    warnings = sum(one.level == "warning" for one in run.diagnostics)
    if errors or warnings:
        yield "diagnostics", f"{plural(errors, 'error')}, {plural(warnings, 'warning')}"


def _pairs(pairs: Iterator[tuple[str, str]]) -> RenderableType:
    table = grid({}, {"overflow": "fold", "no_wrap": False})
    for name, told in pairs:
        table.add_row(text((name, DIM)), text(told))
    return table


def _gates(run: "Run") -> RenderableType | None:
    if not run.gates:
        return None
    table = grid({}, {}, {})
    for gate in run.gates:
        table.add_row(mark(gate.passed), text(gate.gate), text("not measured" if gate.value is None else f"is {gate.value:.4g}"))
    return section("Gates", table)


def _metrics(run: "Run", everything: bool) -> RenderableType:
    """Every metric under the name that gates, `runs trend` and `run.summary` know it by."""
    right = {"justify": "right"}
    table = grid({"header": "metric"}, {"header": "value", **right}, {"header": "95 % interval"}, {"header": "cases", **right}, heads=True)
    left = 0
    for one in run.full.evaluators.values():
        shown = list(one.metrics) if everything else _main(one)
        left += len(one.metrics) - len(shown)
        for name in shown:
            metric = one.metrics[name]
            table.add_row(
                text(f"{one.name}.{name}"), text((number(metric.value), TITLE)), text((interval(metric), DIM)), text(f"{metric.n:,}")
            )
        if not one.metrics:
            table.add_row(text(one.name), text(("not measured", NOTE)))
    return stack(table, text((f"and {plural(left, 'more metric')}: --all", DIM)) if left else None)


def _main(one: "EvaluatorSummary") -> list[str]:
    """The score, the share that passed, macro and micro rates, then others; means that macro rates repeat are left out."""
    first = [name for name in ("score", "pass_rate") if name in one.metrics]
    rates = [name for name in one.metrics if name.startswith(("macro_", "micro_")) and "_fp" not in name]
    rest = [name for name in one.metrics if name not in (*first, *rates) and f"macro_{name}" not in one.metrics]
    return [*first, *rates, *rest][:_METRICS]


def _fingerprints(run: "Run", everything: bool) -> Iterator[tuple[str, str]]:
    for name, told in run.manifest.fingerprints.items():
        yield name, told if everything else _short(told)
    yield "fieldwise", run.manifest.package
    for name, told in run.manifest.environment.items():
        if everything or name == "python":
            yield name, told


def _short(told: str) -> str:
    """The beginning of a fingerprint.

    >>> _short("sha256:" + "a" * 64)
    'sha256:aaaaaaaaaaaa…'
    """
    kind, mark, digits = told.rpartition(":")
    return f"{kind}{mark}{digits[:12]}…" if len(digits) > 16 and digits.isalnum() else told


def _next(run: "Run", command: str) -> list[RenderableType]:
    """What to do next, with how fieldwise is called to find the same runs."""
    if run.running:
        return []
    if run.finished is None:
        return [text(("next: ", DIM), (f"{command} run {run.manifest.suite_file or 'SUITE'} --resume", COMMAND))]
    return [
        text(("next: ", DIM), (f"{command} report {run.id}", COMMAND)),
        text(("   or ", DIM), (f"{command} compare BASE {run.id}", COMMAND)),
    ]
