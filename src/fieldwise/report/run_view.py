"""The page model: one run as terminal, Markdown, HTML, JUnit, GitHub and web pages show it.

`build_run_view` makes it from a stored run. Identity and numbers come from the manifest and the summary; what needs reading of scores or
cases (spreads, heatmaps, worst cases, examples of causes) is read only on request, and is empty otherwise.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from fieldwise.dataclass import dataclass
from fieldwise.model.change import Changes
from fieldwise.model.correction import AppliedCorrections
from fieldwise.model.diagnostic import UNREAD_VALUES, Diagnostic
from fieldwise.model.provenance import DataSource
from fieldwise.model.summary import EvaluatorSummary, GateResult, Summary
from fieldwise.report.case_view import (
    CaseView,
    MismatchExample,
    ScoreSpread,
    build_case_views,
    find_cause_examples,
    find_leading_evaluator,
    read_score_spread,
)
from fieldwise.report.diagnostic_groups import DiagnosticGroup, group_diagnostics
from fieldwise.report.evaluator_tables import (
    NO_CAUSE,
    CauseSummary,
    EvaluatorCard,
    FieldTable,
    MacroMicroRates,
    ParetoRow,
    SliceTable,
    count_outcomes,
    has_rates,
    make_card,
    make_field_table,
    make_rates,
    make_slice_table,
    summarize_causes,
)
from fieldwise.report.heatmap import CASES, CELLS, Heatmap, build_heatmap
from fieldwise.report.limit_hints import remove_useless_hints
from fieldwise.report.result_text import ERROR_OUTCOMES, FIELD_STATES, FieldState
from fieldwise.report.run_changes import EvaluatorComparison, describe_changes, describe_tests, list_change_warnings
from fieldwise.report.text_format import format_count, shorten_path
from fieldwise.report.value_confusion import ValueConfusions, read_value_confusions
from fieldwise.summarize.findings import Finding, find_patterns

if TYPE_CHECKING:
    from fieldwise.store.run import Run

UNREAD_TITLE: Final = "Expected values that cannot be read"
_EXIT_REASONS: Final = {
    0: "everything was measured",
    1: "a gate failed",
    2: "something is wrong with the configuration",
    3: "incomplete: not everything could be measured",
    4: "nothing was evaluated",
    70: "internal error",
    130: "interrupted",
}
_BELOW_PASS_AT: Final = "a case is below its evaluator's pass_at"


class RunVerdict(NamedTuple):
    """The verdict of a run: `kind` is `good`, `bad` or `unsure`."""

    kind: str
    word: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class RunView:
    """One run, ready to be shown.

    Has no slots because derived parts are cached properties: templates read them several times, and the view never changes.
    """

    id: str
    name: str
    summary: Summary
    started: datetime
    finished: datetime | None = None
    """None for a run that has not finished."""
    exit_code: int | None = None
    is_invalid: bool = False
    """True if the data showed that the suite is wrong: there are problems and no scores."""
    gates: Sequence[GateResult] = ()
    diagnostics: Sequence[Diagnostic] = ()
    changes: Changes | None = None
    """Changes from the baseline, if the run was compared with one."""
    label: str = ""
    """The name that the user gave to the run."""
    sources: Sequence[DataSource] = ()
    """Where the data came from."""
    corrections: AppliedCorrections | None = None
    """The corrections of expected values that the run applied."""
    suite_file: str | None = None
    suite_text: str = ""
    path: str = ""
    """Folder of the stored run."""
    package: str = ""
    """Version of fieldwise that made the run."""
    definitions: tuple[tuple[str, str], ...] = ()
    """Evaluator and its type with the version of its definition."""
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    spreads: Mapping[str, ScoreSpread] = field(default_factory=dict)
    """Evaluator → distribution of its scores. Empty unless read."""
    heatmaps: tuple[Heatmap, ...] = ()
    """Empty unless read."""
    worst: tuple[CaseView, ...] = ()
    """The lowest cases by the leading evaluator. Empty unless read."""
    examples: Mapping[str, MismatchExample] = field(default_factory=dict)
    """Cause → a mismatch that it explains. Empty unless read."""
    confusions: ValueConfusions | None = None
    """Which expected values were given as which others, by the leading evaluator. None unless read."""

    @property
    def cases(self) -> int:
        """Number of cases."""
        return self.summary.cases

    @property
    def size(self) -> str:
        """The number of cases, and of groups if there are any: `120 cases in 12 groups`."""
        cases, groups = format_count(self.cases, "case"), self.summary.groups
        return cases if groups is None else f"{cases} in {format_count(groups, 'group')}"

    @property
    def evaluators(self) -> list[EvaluatorSummary]:
        """The evaluators in the order of the suite."""
        return list(self.summary.evaluators.values())

    @property
    def leader(self) -> EvaluatorSummary | None:
        """The evaluator whose causes and cases are shown; None for a run without evaluators."""
        return find_leading_evaluator(self.evaluators)

    @property
    def leader_name(self) -> str:
        """Name of the leading evaluator; empty if there is none."""
        return "" if self.leader is None else self.leader.name

    @property
    def seconds(self) -> float | None:
        """Duration; None if the run has not finished."""
        return None if self.finished is None else (self.finished - self.started).total_seconds()

    @property
    def shown_suite_file(self) -> str:
        """The suite's path, relative to the current folder where possible; empty if the suite was not a file."""
        return shorten_path(self.suite_file) if self.suite_file else ""

    @property
    def verdict(self) -> RunVerdict:
        """The verdict with a word and a reason."""
        verdict = describe_exit(self.exit_code, bool(self.gates))
        return verdict._replace(reason=f"{self.exit_reason}, and no gate was set") if verdict.word == "no gate" else verdict

    @property
    def unmeasured(self) -> int:
        """Number of results without a measurement: evaluation faults, skipped and unavailable results."""
        counts = [evaluator.counts for evaluator in self.evaluators]
        return sum(count.faults + count.skipped + count.unavailable for count in counts)

    @property
    def lacks_measurements(self) -> bool:
        """True if too little was measured for a verdict, so that warnings say why."""
        return self.exit_code in (3, 4)

    @property
    def exit_reason(self) -> str:
        """Why the run has its exit code, in a few words."""
        if self.exit_code is None:
            return "unfinished"
        if self.exit_code == 0 and (self.gates or self.unmeasured):
            reason = "every gate passed" if self.gates else "everything else was measured"
            return f"{reason}; {format_count(self.unmeasured, 'result')} without a measurement tolerated" if self.unmeasured else reason
        if self.exit_code == 1 and not self.gates:
            return _BELOW_PASS_AT
        return _EXIT_REASONS.get(self.exit_code, "")

    # Tables and lists below are cached: the view is immutable, and a page reads most of them several times.
    @cached_property
    def cards(self) -> tuple[EvaluatorCard, ...]:
        """A card for each evaluator."""
        return tuple(make_card(evaluator, self.spreads.get(evaluator.name)) for evaluator in self.evaluators)

    @cached_property
    def rates(self) -> tuple[MacroMicroRates, ...]:
        """Macro and micro rates of the evaluators that measure precision, recall or F1."""
        return tuple(make_rates(evaluator) for evaluator in self.evaluators if has_rates(evaluator))

    @cached_property
    def tables(self) -> tuple[FieldTable, ...]:
        """A table of fields for each evaluator that compares fields."""
        return tuple(make_field_table(evaluator) for evaluator in self.evaluators if evaluator.fields)

    @cached_property
    def field_states(self) -> tuple[FieldState, ...]:
        """The outcomes that occur in the tables of fields."""
        occurring = {share.kind for table in self.tables for row in table.rows for share in row.outcomes}
        return tuple(state for name, state in FIELD_STATES.items() if name in occurring)

    @cached_property
    def causes(self) -> tuple[CauseSummary, ...]:
        """Causes of the leading evaluator's mismatches, most frequent first."""
        return summarize_causes(self.leader) if self.leader else ()

    @cached_property
    def mismatches(self) -> int:
        """Number of mismatches of the leading evaluator, with or without a known cause."""
        totals = count_outcomes(self.leader) if self.leader else Counter[str]()
        return sum(totals[outcome] for outcome in ERROR_OUTCOMES)

    @cached_property
    def pareto(self) -> tuple[ParetoRow, ...]:
        """Causes with their cumulative share of the mismatches; the last row has those without a known cause."""
        causes = list(self.causes)
        unexplained = self.mismatches - sum(cause.count for cause in causes)
        if unexplained > 0:
            causes.append(CauseSummary(name="", label=NO_CAUSE, advice=self._count_without_values(), count=unexplained, fields=()))
        total = sum(cause.count for cause in causes)
        rows: list[ParetoRow] = []
        explained = 0
        for cause in causes:
            explained += cause.count
            rows.append(ParetoRow(cause=cause, share=cause.count / total, cumulative=explained / total))
        return tuple(rows)

    def _count_without_values(self) -> str:
        """State how many mismatches lack a value on one side, where two values cannot show a cause; empty if there are none."""
        totals = count_outcomes(self.leader) if self.leader else Counter[str]()
        counts = [format_count(totals[outcome], outcome) for outcome in ("omission", "hallucination") if totals[outcome]]
        return f"A value that is missing or extra often has none: {' and '.join(counts)}." if counts else ""

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Patterns in the scores."""
        return tuple(find_patterns(self.summary))

    @cached_property
    def slices(self) -> SliceTable | None:
        """Scores by split and tag; None if cases have neither."""
        return make_slice_table(self.evaluators)

    @cached_property
    def compared(self) -> tuple[EvaluatorComparison, ...]:
        """Changes from the baseline, evaluator by evaluator."""
        return describe_changes(self.changes)

    @cached_property
    def unread_values(self) -> tuple[Diagnostic, ...]:
        """Diagnostics of expected values that their match could not read; shown first, because they explain low scores."""
        return tuple(diagnostic for diagnostic in self.diagnostics if diagnostic.code == UNREAD_VALUES)

    @cached_property
    def other_diagnostics(self) -> tuple[Diagnostic, ...]:
        """The diagnostics except those of `unread_values`."""
        return tuple(diagnostic for diagnostic in self.diagnostics if diagnostic.code != UNREAD_VALUES)

    @property
    def diagnostic_groups(self) -> list[DiagnosticGroup]:
        """`other_diagnostics`, with those that say the same about several places as one."""
        return group_diagnostics(self.other_diagnostics)

    @cached_property
    def change_notes(self) -> Sequence[str]:
        """Limits of the comparison with the baseline."""
        return list_change_warnings(self.changes) if self.changes else ()

    @cached_property
    def change_tests(self) -> str:
        """How many metrics and fields were tested in the comparison with the baseline; empty without a comparison."""
        return describe_tests(self.changes) if self.changes else ""

    @cached_property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Name and text of what was run: versions, fingerprints, environment."""
        return tuple(_list_facts(self))


def build_run_view(
    run: "Run",
    *,
    spreads: Mapping[str, ScoreSpread] | None = None,
    heatmaps: bool = False,
    worst: int = 0,
    examples: bool = False,
    confusions: bool = False,
) -> RunView:
    """Build the view of a stored run.

    `worst` is the number of lowest cases to read. `spreads` are distributions of scores that the caller has read already; without them,
    heatmaps read the scores of every evaluator and worst cases those of the leading one.
    """
    manifest = run.manifest
    view = RunView(
        id=run.id,
        name=run.name,
        summary=run.full,
        started=run.started,
        finished=run.finished,
        exit_code=run.exit_code,
        is_invalid=manifest.invalid,
        gates=run.gates,
        diagnostics=remove_useless_hints(run.diagnostics, run.exit_code),
        changes=run.changes,
        label=manifest.label,
        sources=manifest.sources,
        corrections=manifest.corrections,
        suite_file=manifest.suite_file,
        suite_text=manifest.suite,
        path=str(run.path),
        package=manifest.package,
        definitions=tuple((str(entry["name"]), f"{entry['type']}, definition {entry['version']}") for entry in manifest.evaluators),
        fingerprints=manifest.fingerprints,
        environment=manifest.environment,
    )
    leader = view.leader
    if leader is None:
        return view
    if spreads is None:
        with_scores = view.evaluators
        if not heatmaps:
            with_scores = [leader] if worst else []
        limit = CASES if heatmaps else worst
        spreads = {evaluator.name: read_score_spread(run, evaluator.name, limit) for evaluator in with_scores}
    imperfect = [case for case in spreads[leader.name].lowest if case.score < 1] if worst else []
    return replace(
        view,
        spreads=spreads,
        heatmaps=tuple(_build_heatmaps(run, view.evaluators, spreads)) if heatmaps else (),
        worst=tuple(build_case_views(run, leader, imperfect[:worst])) if worst else (),
        examples=find_cause_examples(run, leader) if examples else {},
        confusions=read_value_confusions(run, leader) if confusions else None,
    )


def _build_heatmaps(run: "Run", evaluators: Sequence[EvaluatorSummary], spreads: Mapping[str, ScoreSpread]) -> Iterator[Heatmap]:
    """Build a heatmap for each evaluator with fields. The first may have most of the cells, so that the page stays small."""
    cells = CELLS
    for evaluator in evaluators:
        if not (evaluator.fields and cells):
            continue
        heatmap = build_heatmap(run, evaluator, spreads[evaluator.name].lowest, cells=cells)
        if heatmap is None:
            continue
        yield heatmap
        if cells == CELLS:
            cells = CELLS // 4
        elif len(heatmap.cases) < 10:
            cells = 0


def describe_exit(code: int | None, has_gates: bool) -> RunVerdict:
    """Describe an exit code; None is a run that has not finished."""
    if code == 0 and has_gates:
        return RunVerdict("good", "passed", "every gate holds")
    verdicts = {
        None: RunVerdict("unsure", "unfinished", "the run did not end"),
        0: RunVerdict("unsure", "no gate", "everything was measured, and no gate was set"),
        1: RunVerdict("bad", "failed", "a gate does not hold" if has_gates else _BELOW_PASS_AT),
        2: RunVerdict("bad", "not valid", "something is wrong with the configuration"),
        3: RunVerdict("unsure", "incomplete", "not everything could be measured"),
        4: RunVerdict("bad", "nothing", "nothing was evaluated"),
        130: RunVerdict("unsure", "interrupted", "the run was stopped"),
    }
    return verdicts.get(code, RunVerdict("bad", "error", f"exit code {code}"))


def _list_facts(view: RunView) -> Iterator[tuple[str, str]]:
    yield "run", view.id
    if view.label:
        yield "name", view.label
    yield "suite", view.shown_suite_file or "given by a program"
    for source in view.sources:
        yield source.role, source.describe()
    yield "started", view.started.isoformat(timespec="seconds")
    if view.finished is not None:
        yield "finished", view.finished.isoformat(timespec="seconds")
    yield "exit code", "none" if view.exit_code is None else str(view.exit_code)
    yield "fieldwise", view.package
    for evaluator, definition in view.definitions:
        yield f"evaluator {evaluator}", definition
    for name, fingerprint in view.fingerprints.items():
        yield f"fingerprint of {name}", fingerprint
    yield from view.environment.items()
