"""Totals of a run: the summary in progress, from complete parts only, and the problems of single cases."""

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from typing import Final

from fieldwise.dataclass import dataclass
from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.locations import Location
from fieldwise.model.plan import PRESET_EVALUATORS, PlannedEvaluator
from fieldwise.model.summary import Summary
from fieldwise.store.comparison_table import UnreadByRule, add_unread
from fieldwise.store.load_part import FieldsSeen, TableLoader, load_part, stored_tables
from fieldwise.store.manifest import Part
from fieldwise.store.writer import WrittenPart
from fieldwise.summarize.state import SummaryState

_PRESET_IDS: Final = frozenset(case_id for preset in PRESET_EVALUATORS for case_id in (preset, preset.upper()))
MAX_CASE_PROBLEMS: Final = 1000
"""Maximum number of problems of single cases that are listed with a run."""
MAX_EXAMPLES: Final = 3
"""Cases that a warning about many cases names."""


@dataclass(slots=True)
class RepeatedWarning:
    """A warning that applies to one case or to many."""

    examples: list[Diagnostic] = field(default_factory=list)
    """The first of them."""
    count: int = 0

    def add(self, examples: Sequence[Diagnostic], count: int) -> None:
        """Add the same warning about further cases."""
        self.examples += examples[: MAX_EXAMPLES - len(self.examples)]
        self.count += count

    def describe(self, key: Diagnostic) -> list[Diagnostic]:
        """The warnings themselves if they are few, else one with their number and the first cases; `key` names no case."""
        if self.count <= MAX_EXAMPLES:
            return self.examples
        cases = ", ".join(str(example.where.case) for example in self.examples)
        return [replace(key, what=f"{key.what} ({self.count:,} cases: {cases} and {self.count - MAX_EXAMPLES:,} more)")]


def _without_case(problem: Diagnostic) -> Diagnostic:
    return replace(problem, where=Where(file=problem.where.file, field=problem.where.field))


class RunTotals:
    """Adds parts and merges the totals of later cases; the outcome does not depend on how the cases were divided."""

    def __init__(self, evaluators: Sequence[PlannedEvaluator]) -> None:
        self._evaluators = tuple(evaluators)
        self._state = SummaryState(evaluators)
        self.fields = FieldsSeen()
        """Which fields the cases have."""
        self.unread: dict[str, UnreadByRule] = {}
        """What matches could not read of the expected values, by evaluator, field and rule."""
        self.cases = 0
        """Number of cases read."""
        self.preset_questions = set[str]()
        """Ids of cases that are questions of a preset."""
        self._several_outputs = 0
        self._case_problems: list[Diagnostic] = []
        self._case_warnings: dict[Diagnostic, RepeatedWarning] = {}
        self._unlisted_problems = 0
        self._reported: dict[Diagnostic, None] = {}

    def count_cases(self, cases: Cases) -> None:
        """Count cases that were read, scored now or before, and keep their problems."""
        self.cases += len(cases)
        self.preset_questions |= _PRESET_IDS.intersection(cases.id)
        self._several_outputs += sum(len(outputs) > 1 for outputs in cases.actuals if outputs is not None)
        if cases.diagnostics:
            self._add_case_problems([problem for problems in cases.diagnostics.values() for problem in problems], 0)

    def _add_case_problems(self, problems: Sequence[Diagnostic], unlisted: int) -> None:
        """Keep errors one by one, up to a limit; warnings that say the same of many cases are counted."""
        for problem in problems:
            if problem.level != "error":
                self._add_case_warning(_without_case(problem), [problem], 1)
        problems = [problem for problem in problems if problem.level == "error"]
        room = max(MAX_CASE_PROBLEMS - len(self._case_problems), 0)
        self._case_problems += problems[:room]
        self._unlisted_problems += unlisted + len(problems[room:])

    def _add_case_warning(self, key: Diagnostic, examples: Sequence[Diagnostic], count: int) -> None:
        if key in self._case_warnings or len(self._case_warnings) < MAX_CASE_PROBLEMS:
            self._case_warnings.setdefault(key, RepeatedWarning()).add(examples, count)
        else:
            self._unlisted_problems += count

    def report(self, diagnostic: Diagnostic) -> None:
        """Record a problem of the measurement that belongs to no single case; equal ones are listed once."""
        if len(self._reported) < MAX_CASE_PROBLEMS:
            self._reported[diagnostic] = None

    def add_stored_parts(self, folder: Location, parts: Iterable[Part]) -> None:
        """Add complete parts of the run, read from storage."""
        for part in parts:
            self._add(part, stored_tables(folder))

    def add_written_part(self, written: WrittenPart) -> None:
        """Add a part that this process has just written, from its tables in memory, which equal the stored ones."""
        self._add(written.part, written.table)

    def _add(self, part: Part, tables: TableLoader) -> None:
        self._state.add(load_part(tables, part, self._evaluators, self.fields, self.unread))

    def merge(self, later: "RunTotals") -> None:
        """Add the totals of the cases that follow these."""
        self._state.merge(later._state)
        self.fields.merge(later.fields)
        for evaluator, unread in later.unread.items():
            add_unread(self.unread.setdefault(evaluator, {}), unread)
        self.cases += later.cases
        self.preset_questions |= later.preset_questions
        self._several_outputs += later._several_outputs
        self._add_case_problems(later._case_problems, later._unlisted_problems)
        for key, warning in later._case_warnings.items():
            self._add_case_warning(key, warning.examples, warning.count)
        for diagnostic in later._reported:
            self.report(diagnostic)

    def build_summary(self) -> Summary:
        """The summary of everything that was added."""
        return self._state.finish()

    def list_problems(self) -> list[Diagnostic]:
        """Reported problems, then those of single cases up to a limit; the stored run has all of them with their cases."""
        problems = [*self._reported, *self._case_problems]
        if self._several_outputs:
            what = (
                f"{self._several_outputs:,} of {self.cases:,} cases have several outputs: scores are those of `actual`, else of the first"
            )
            fix = "`consistency` of json_quality and `fieldwise doubt RUN` compare all of them"
            problems.append(Diagnostic(code="several-outputs", level="info", what=what, fix=fix))
        for key, warning in self._case_warnings.items():
            problems += warning.describe(key)
        if self._unlisted_problems:
            what = f"{self._unlisted_problems} more problems with single cases"
            fix = "see each problem with its case in the stored run"
            problems.append(Diagnostic(code="more-problems", level="warning", what=what, fix=fix))
        return problems
