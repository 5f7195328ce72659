"""Stored runs in the terminal: the list of runs, and the details of one run."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from rich.console import RenderableType
from rich.text import Text

from fieldwise.model.provenance import name_data
from fieldwise.report.run_changes import build_baseline_section
from fieldwise.report.run_view import RunView, build_run_view
from fieldwise.report.terminal_layout import (
    BAD,
    DIM,
    NOTE,
    OK,
    TITLE,
    WRAPPED,
    build_command_line,
    make_grid,
    make_section,
    pass_mark,
    score_style,
    stack_parts,
    styled_text,
)
from fieldwise.report.text_format import dump_json, format_count, format_interval, format_number, make_visible, truncate, truncate_middle

if TYPE_CHECKING:
    from fieldwise.model.summary import EvaluatorSummary
    from fieldwise.store.run import Run


# List of runs --------------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """One run in the list."""

    id: str
    name: str
    started: datetime
    cases: int
    scores: Mapping[str, float]
    """By evaluator."""
    exit_code: int | None
    """None for a run that has not finished."""
    state: str = "finished"
    """`finished`, `unfinished`, or `running` for one that is being written."""
    gates: tuple[int, int] = (0, 0)
    """Number of gates that hold, and of all gates."""
    tags: tuple[str, ...] = ()
    label: str = ""
    """The name that the user gave to the run."""
    data: str = ""
    """The file that the outputs came from."""


def make_run_line(run: "Run") -> RunLine:
    """Summarize a stored run for the list."""
    return RunLine(
        id=run.id,
        name=run.name,
        started=run.started,
        cases=_count_cases(run),
        scores={name.removesuffix(".score"): value for name, value in run.summary.items() if name.endswith(".score")},
        exit_code=run.exit_code,
        state=_name_state(run),
        gates=(sum(gate.passed for gate in run.gates), len(run.gates)),
        tags=run.tags,
        label=run.label,
        data=name_data(run.sources),
    )


def _count_cases(run: "Run") -> int:
    return run.full.cases if run.finished else sum(part.cases for part in run.parts)


def _name_state(run: "Run") -> str:
    return "running" if run.running else run.state


CellBuilder: TypeAlias = Callable[[RunLine], Text]
_SCORES_WIDTH: Final = 30
_DATA_WIDTH: Final = 24
_MIN_SCORES_WIDTH: Final = 18
"""Room for one score with its name, such as `field_prf 0.877  …`."""
_RIGHT_ALIGNED: Final = ("cases", "exit", "gates")


def build_runs_table(lines: Sequence[RunLine], *, width: int = 100) -> RenderableType:
    """Build a row for each run. Columns that would be empty are left out; if room is short, others make way for scores."""
    columns, room = _choose_columns(lines, width)
    scores_width = max(room, 12)
    heads: list[dict[str, Any]] = []
    for name, build_cell in columns.items():
        head: dict[str, Any] = {"header": name, "min_width": _measure_column(name, build_cell, lines)}
        heads.append(head | {"justify": "right"} if name in _RIGHT_ALIGNED else head)
    table = make_grid(*heads, {"header": "scores", "max_width": scores_width}, heads=True)
    for line in lines:
        table.add_row(*(build_cell(line) for build_cell in columns.values()), _build_scores(line, scores_width))
    return table


def _choose_columns(lines: Sequence[RunLine], width: int) -> tuple[dict[str, CellBuilder], int]:
    """Choose the columns that fit, and return the room left for scores.

    Columns are dropped or shortened in an order that loses least: the id contains the time, the sign shows the exit code and the gates.
    """
    columns: dict[str, CellBuilder] = {
        "": _build_sign,
        "run": _build_id,
        "suite": _suite_builder(20),
        "data": _build_data,
        "started": _build_started,
        "cases": _build_cases,
        "exit": _build_exit,
    }
    if any(line.gates[1] for line in lines):
        columns["gates"] = _build_gates
    has_names = any(line.label for line in lines)
    if len({line.label or line.data for line in lines}) <= 1 and not has_names:
        del columns["data"]
    if any(line.tags for line in lines):
        columns["tags"] = _tags_builder(24)
    shorter: dict[str, CellBuilder] = {"suite": _suite_builder(14), "tags": _tags_builder(12)}
    steps = (
        ("started", _SCORES_WIDTH),
        ("data", _MIN_SCORES_WIDTH if has_names else _SCORES_WIDTH),
        *((name, _MIN_SCORES_WIDTH) for name in ("gates", "exit", "suite", "tags")),
    )
    for name, needed in steps:
        if name not in columns or _measure_room(columns, lines, width) >= needed:
            continue
        if name in shorter:
            columns[name] = shorter[name]
        else:
            del columns[name]
    return columns, _measure_room(columns, lines, width)


def _measure_room(columns: Mapping[str, CellBuilder], lines: Sequence[RunLine], width: int) -> int:
    return width - sum(_measure_column(name, build_cell, lines) + 2 for name, build_cell in columns.items())


def _measure_column(name: str, build_cell: CellBuilder, lines: Sequence[RunLine]) -> int:
    return max(len(name), *(len(build_cell(line)) for line in lines))


def _build_data(line: RunLine) -> Text:
    return styled_text((truncate_middle(make_visible(line.label or line.data), _DATA_WIDTH), DIM))


def _build_sign(line: RunLine) -> Text:
    if line.exit_code is None:
        return styled_text(("…", NOTE))
    return pass_mark(line.exit_code == 0)


def _build_id(line: RunLine) -> Text:
    return styled_text(line.id)


def _suite_builder(limit: int) -> CellBuilder:
    return lambda line: styled_text(truncate(line.name, limit))


def _build_started(line: RunLine) -> Text:
    return styled_text((f"{line.started:%Y-%m-%d %H:%M}", DIM))


def _build_cases(line: RunLine) -> Text:
    return styled_text(f"{line.cases:,}")


def _build_exit(line: RunLine) -> Text:
    return styled_text(line.state if line.exit_code is None else str(line.exit_code))


def _tags_builder(limit: int) -> CellBuilder:
    return lambda line: styled_text((truncate(" ".join(line.tags), limit), OK))


def _build_gates(line: RunLine) -> Text:
    held, total = line.gates
    if not total:
        return styled_text(("–", DIM))
    return styled_text((f"{held}/{total}", OK if held == total else BAD))


def _build_scores(line: RunLine, width: int) -> Text:
    """Show as many scores as fit, none of them cut."""
    cell = Text()
    for place, (name, score) in enumerate(line.scores.items()):
        value = styled_text((format_number(score), score_style(score)))
        entry = styled_text((f"{name} ", DIM), value)
        is_last = place == len(line.scores) - 1
        separator = 2 if place else 0
        ellipsis = 0 if is_last else 3
        if len(cell) + len(entry) + separator + ellipsis > width:
            if place == 0:  # not even the first fits with its name
                return styled_text(value, "" if is_last else "  …")
            return styled_text(cell, "  …")
        cell = styled_text(cell, "  ", entry) if place else entry
    return cell


def render_runs_json(lines: Sequence[RunLine]) -> str:
    """Render the runs as a JSON list."""
    return dump_json([_line_to_json(line) for line in lines])


def _line_to_json(line: RunLine) -> dict[str, Any]:
    held, total = line.gates
    plain: dict[str, Any] = {"started": line.started.isoformat(), "scores": dict(line.scores), "tags": list(line.tags)}
    return asdict(line) | plain | {"gates": {"held": held, "of": total}}


# Details of one run --------------------------------------------------------------------------------------------------------------------

MAX_METRICS: Final = 8
"""Metrics of an evaluator shown without `--all`."""
_VERDICT_STYLES: Final = {"good": OK, "bad": BAD, "unsure": NOTE}


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageFacts:
    """What the run's folder shows beside the run itself."""

    bytes: int
    baselines: tuple[Path, ...] = ()
    """Baseline files made from the run."""


def build_run_details(run: "Run", storage: StorageFacts, *, everything: bool = False, command: str = "fieldwise") -> RenderableType:
    """Show what was run, the result, where it is stored, and the next commands."""
    view = build_run_view(run)
    verdict = view.verdict
    word, reason = ("running", "another process is writing it") if run.running else (verdict.word, verdict.reason)
    return stack_parts(
        styled_text((view.name or "unnamed suite", TITLE), (f"  run {view.id}", DIM)),
        styled_text((word, _VERDICT_STYLES[verdict.kind]), (f": {reason}", DIM)),
        make_section("Run", _build_pairs(_list_facts(run, view, storage))),
        _build_gate_list(view),
        make_section("Metrics", _build_metrics(view, everything)) if view.evaluators else None,
        None if view.changes is None else build_baseline_section(view.changes),
        make_section("Fingerprints", _build_pairs(_list_fingerprints(view, everything))),
        Text(),
        *_build_next_commands(run, command),
    )


def run_details_to_json(run: "Run", storage: StorageFacts) -> dict[str, Any]:
    """Convert the details of a run to JSON-able values."""
    view = build_run_view(run)
    return {
        "id": view.id,
        "name": view.name,
        "state": _name_state(run),
        "started": view.started.isoformat(),
        "finished": None if view.finished is None else view.finished.isoformat(),
        "exit_code": view.exit_code,
        "cases": _count_cases(run),
        "tags": list(run.tags),
        "gates": [asdict(gate) for gate in view.gates],
        "metrics": run.summary,
        "path": view.path,
        "bytes": storage.bytes,
        "baselines": [str(path) for path in storage.baselines],
        "baseline": None if view.changes is None else view.changes.base,
        "label": view.label,
        "sources": [asdict(source) for source in view.sources],
        "corrections": None if view.corrections is None else asdict(view.corrections),
        "suite": view.suite_file,
        "package": view.package,
        "fingerprints": dict(view.fingerprints),
        "environment": dict(view.environment),
    }


def _list_facts(run: "Run", view: RunView, storage: StorageFacts) -> Iterator[tuple[str, str]]:
    duration = "" if view.seconds is None else f", took {view.seconds:,.1f} s"
    yield "started", f"{view.started:%Y-%m-%d %H:%M:%S} UTC{duration}"
    yield "cases", f"{_count_cases(run):,}" if view.finished else f"{_count_cases(run):,} stored so far"
    if view.label:
        yield "name", view.label
    yield "suite", view.shown_suite_file or "given by a program"
    for source in view.sources:
        yield source.role, source.describe()
    if view.corrections is not None:
        yield "corrections", view.corrections.describe()
    yield "exit code", "none yet" if view.exit_code is None else str(view.exit_code)
    if run.tags:
        yield "tags", ", ".join(run.tags)
    yield "stored", f"{storage.bytes / 1e6:,.1f} MB in {format_count(len(run.parts), 'part')}: {view.path}"
    for path in storage.baselines:
        yield "baseline", f"{path} was made from it"
    errors = sum(diagnostic.level == "error" for diagnostic in view.diagnostics)
    warnings = sum(diagnostic.level == "warning" for diagnostic in view.diagnostics)
    if errors or warnings:
        yield "diagnostics", f"{format_count(errors, 'error')}, {format_count(warnings, 'warning')}"


def _build_pairs(pairs: Iterable[tuple[str, str]]) -> RenderableType:
    table = make_grid({}, {"overflow": "fold", "no_wrap": False})
    for name, value in pairs:
        table.add_row(styled_text((name, DIM)), styled_text(value))
    return table


def _build_gate_list(view: RunView) -> RenderableType | None:
    if not view.gates:
        return None
    table = make_grid({}, {}, {})
    for gate in view.gates:
        value = "not measured" if gate.value is None else f"is {gate.value:.4g}"
        table.add_row(pass_mark(gate.passed), styled_text(gate.gate), styled_text(value))
    return make_section("Gates", table)


def _build_metrics(view: RunView, everything: bool) -> RenderableType:
    """List metrics under the names that gates, `runs trend` and `run.summary` use."""
    right = {"justify": "right"}
    heads: list[dict[str, Any]] = [{"header": "metric", **WRAPPED}, {"header": "value", **right}]
    heads += [{"header": "95 % interval"}, {"header": "cases", **right}]
    table = make_grid(*heads, heads=True)
    left_out = 0
    for evaluator in view.evaluators:
        names = list(evaluator.metrics) if everything else _choose_metrics(evaluator)
        left_out += len(evaluator.metrics) - len(names)
        for name in names:
            metric = evaluator.metrics[name]
            value, interval = styled_text((format_number(metric.value), TITLE)), styled_text((format_interval(metric), DIM))
            table.add_row(styled_text(f"{evaluator.name}.{name}"), value, interval, styled_text(f"{metric.n:,}"))
        if not evaluator.metrics:
            table.add_row(styled_text(evaluator.name), styled_text(("not measured", NOTE)))
    more = styled_text((f"and {format_count(left_out, 'more metric')}: --all", DIM)) if left_out else None
    return stack_parts(table, more)


def _choose_metrics(evaluator: "EvaluatorSummary") -> list[str]:
    """Choose score, pass rate, macro and micro rates, then others; means that a macro rate repeats are left out."""
    metrics = evaluator.metrics
    first = [name for name in ("score", "pass_rate") if name in metrics]
    rates = [name for name in metrics if name.startswith(("macro_", "micro_")) and "_fp" not in name]
    rest = [name for name in metrics if name not in (*first, *rates) and f"macro_{name}" not in metrics]
    return [*first, *rates, *rest][:MAX_METRICS]


def _list_fingerprints(view: RunView, everything: bool) -> Iterator[tuple[str, str]]:
    for name, fingerprint in view.fingerprints.items():
        yield name, fingerprint if everything else _shorten_fingerprint(fingerprint)
    yield "fieldwise", view.package
    for name, value in view.environment.items():
        if everything or name == "python":
            yield name, value


def _shorten_fingerprint(fingerprint: str) -> str:
    """Shorten a long hexadecimal fingerprint to its beginning.

    >>> _shorten_fingerprint("sha256:" + "a" * 64)
    'sha256:aaaaaaaaaaaa…'
    """
    kind, separator, digits = fingerprint.rpartition(":")
    if len(digits) <= 16 or not digits.isalnum():
        return fingerprint
    return f"{kind}{separator}{digits[:12]}…"


def _build_next_commands(run: "Run", command: str) -> list[RenderableType]:
    if run.running:
        return []
    if run.finished is None:
        return [build_command_line("next: ", f"{command} run {quote(run.manifest.suite_file or 'SUITE')} --resume")]
    return [
        build_command_line("next: ", f"{command} report {run.id}"),
        build_command_line("   or ", f"{command} compare BASE {run.id}"),
    ]
