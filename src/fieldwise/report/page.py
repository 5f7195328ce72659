"""Everything a page tells of a run, ready for the templates."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from fieldwise.model.change import Changes
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.summary import EvaluatorSummary, GateResult
from fieldwise.report.compared import Compared, compared, warnings_of
from fieldwise.report.heatmap import CASES, CELLS, Heatmap, heatmap
from fieldwise.report.lowest import Ranked, Spread, leading, spread
from fieldwise.report.page_parts import (
    Card,
    CauseView,
    FieldTable,
    Part,
    Rates,
    Slices,
    card_of,
    causes_chart,
    causes_of,
    errors_chart,
    has_rates,
    outcome_parts,
    rates_of,
    slices_of,
    table_of,
    total_outcomes,
)
from fieldwise.report.worst import CaseView, worst_cases
from fieldwise.summarize.findings import Finding, findings

if TYPE_CHECKING:
    from fieldwise.store.run import Run

WORST: Final = 25
DIAGNOSTICS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A run."""

    id: str
    name: str
    started: datetime
    finished: datetime | None
    exit_code: int | None
    verdict: tuple[str, str, str]
    """`good`, `bad` or `unsure`; the word; the reason."""
    cases: int
    gates: Sequence[GateResult]
    cards: tuple[Card, ...]
    rates: tuple[Rates, ...]
    tables: tuple[FieldTable, ...]
    heatmaps: tuple[Heatmap, ...]
    outcomes: tuple[tuple[str, tuple[Part, ...]], ...]
    """Evaluator → what became of all its comparisons."""
    errors: str
    """A chart of the error types by field."""
    causes: tuple[CauseView, ...]
    causes_chart: str
    findings: tuple[Finding, ...]
    slices: Slices | None
    leader: str
    worst: tuple[CaseView, ...]
    diagnostics: tuple[Diagnostic, ...]
    more_diagnostics: int
    suite: str
    suite_file: str
    facts: tuple[tuple[str, str], ...]
    """What was run: versions, fingerprints, the machine."""
    changes: Changes | None = None
    """What changed from the baseline, where the run was compared with one."""
    compared: tuple[Compared, ...] = ()
    change_notes: Sequence[str] = ()

    @property
    def seconds(self) -> float | None:
        """How long it took."""
        return None if self.finished is None else (self.finished - self.started).total_seconds()


def page_of(run: "Run", *, worst: int = WORST, heatmaps: bool = True, spreads: Mapping[str, Spread] | None = None) -> Page:
    """What a page tells of a run. Of a large run only the scores and the cases that are shown are read.

    Who knows the spread of the scores already gives it, and nothing is read for it.
    """
    summary = run.full
    evaluators = list(summary.evaluators.values())
    spreads = spreads or {one.name: spread(run, one.name, CASES) for one in evaluators}
    leader = leading(evaluators)
    shown = [] if leader is None else _not_perfect(spreads[leader.name].lowest)[:worst]
    manifest = run.manifest
    return Page(
        id=run.id,
        name=run.name,
        started=run.started,
        finished=run.finished,
        exit_code=run.exit_code,
        verdict=verdict(run.exit_code, bool(run.gates)),
        cases=summary.cases,
        gates=run.gates,
        cards=tuple(card_of(one, spreads[one.name]) for one in evaluators),
        rates=tuple(rates_of(one) for one in evaluators if has_rates(one)),
        tables=tuple(table_of(one) for one in evaluators if one.fields),
        heatmaps=tuple(_heatmaps(run, evaluators, spreads)) if heatmaps else (),
        outcomes=tuple((one.name, outcome_parts(total_outcomes(one))) for one in evaluators if one.fields),
        errors=errors_chart(leader),
        causes=causes_of(leader),
        causes_chart=causes_chart(causes_of(leader)),
        findings=tuple(findings(summary)),
        slices=slices_of(summary),
        leader="" if leader is None else leader.name,
        worst=() if leader is None else tuple(worst_cases(run, leader, shown)),
        diagnostics=run.diagnostics[:DIAGNOSTICS],
        more_diagnostics=max(len(run.diagnostics) - DIAGNOSTICS, 0),
        suite=manifest.suite,
        suite_file=manifest.suite_file or "",
        facts=tuple(_facts(run)),
        changes=run.changes,
        compared=compared(run.changes),
        change_notes=warnings_of(run.changes) if run.changes else (),
    )


def verdict(code: int | None, gated: bool) -> tuple[str, str, str]:
    """What the run came to: the kind of news, a word, and why."""
    if code == 0:
        return ("good", "passed", "every gate holds") if gated else ("unsure", "no gate", "everything was measured, and no gate was set")
    told = {
        None: ("unsure", "unfinished", "the run did not end"),
        1: ("bad", "failed", "a gate does not hold" if gated else "a case is below its evaluator's pass_at"),
        2: ("bad", "not valid", "something is wrong with the configuration"),
        3: ("unsure", "incomplete", "not everything could be measured"),
        4: ("bad", "nothing", "nothing was evaluated"),
        130: ("unsure", "interrupted", "the run was stopped"),
    }
    return told.get(code, ("bad", "error", f"exit code {code}"))


def _not_perfect(lowest: Sequence[Ranked]) -> list[Ranked]:
    return [case for case in lowest if case.score < 1]


def _heatmaps(run: "Run", evaluators: Sequence[EvaluatorSummary], spreads: Mapping[str, Spread]) -> Iterator[Heatmap]:
    """One for each evaluator with fields; the first has most of the room."""
    room = CELLS
    for one in evaluators:
        found = heatmap(run, one, spreads[one.name].lowest, cells=room) if one.fields and room else None
        if found is not None:
            yield found
            room = CELLS // 4 if room == CELLS else 0 if len(found.cases) < 10 else room


def _facts(run: "Run") -> Iterator[tuple[str, str]]:
    manifest = run.manifest
    yield "run", run.id
    yield "suite", manifest.suite_file or "given by a program"
    yield "started", run.started.isoformat(timespec="seconds")
    if run.finished is not None:
        yield "finished", run.finished.isoformat(timespec="seconds")
    yield "exit code", "none" if run.exit_code is None else str(run.exit_code)
    yield "fieldwise", manifest.package
    for one in manifest.evaluators:
        yield f"evaluator {one['name']}", f"{one['type']}, definition {one['version']}"
    for name, text in manifest.fingerprints.items():
        yield f"fingerprint of {name}", text
    yield from manifest.environment.items()
