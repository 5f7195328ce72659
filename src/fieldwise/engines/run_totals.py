"""Totals of a run: the summary in progress, from complete parts only, and the problems of single cases."""

from collections.abc import Iterable, Sequence
from typing import Final

from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic
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
        self._case_problems: list[Diagnostic] = []
        self._unlisted_problems = 0
        self._reported: dict[Diagnostic, None] = {}

    def count_cases(self, cases: Cases) -> None:
        """Count cases that were read, scored now or before, and keep their problems."""
        self.cases += len(cases)
        self.preset_questions |= _PRESET_IDS.intersection(cases.id)
        if cases.diagnostics:
            self._add_case_problems([problem for problems in cases.diagnostics.values() for problem in problems], 0)

    def _add_case_problems(self, problems: Sequence[Diagnostic], unlisted: int) -> None:
        room = max(MAX_CASE_PROBLEMS - len(self._case_problems), 0)
        self._case_problems += problems[:room]
        self._unlisted_problems += unlisted + len(problems[room:])

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
        self._add_case_problems(later._case_problems, later._unlisted_problems)
        for diagnostic in later._reported:
            self.report(diagnostic)

    def build_summary(self) -> Summary:
        """The summary of everything that was added."""
        return self._state.finish()

    def list_problems(self) -> list[Diagnostic]:
        """Reported problems, then those of single cases up to a limit; the stored run has all of them with their cases."""
        problems = [*self._reported, *self._case_problems]
        if self._unlisted_problems:
            what = f"{self._unlisted_problems} more problems with single cases"
            fix = "see each problem with its case in the stored run"
            problems.append(Diagnostic(code="more-problems", level="warning", what=what, fix=fix))
        return problems
