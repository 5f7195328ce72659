"""What the cases of a run come to: its summary in the making, from nothing but complete parts, and what else there is to say at its end."""

from collections.abc import Iterable, Sequence

from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.locations import Place
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.summary import Summary
from fieldwise.store.load_part import Tables, on_disk, outcome_of
from fieldwise.store.manifest import Part
from fieldwise.store.writer import Written
from fieldwise.summarize.state import SummaryState

TROUBLES = 1000
"""How many problems of single cases are told with a run."""


class Tally:
    """Parts are added, and tallies of later cases merged; what comes of it is the same whatever the pieces."""

    def __init__(self, evaluators: Sequence[PlannedEvaluator]) -> None:
        self._evaluators = tuple(evaluators)
        self._state = SummaryState(evaluators)
        self.fields = set[str]()
        """The fields that some case has a value or a null for, on either side."""
        self.cases = 0
        """How many cases were read."""
        self._troubles: list[Diagnostic] = []
        self._more = 0

    def read(self, cases: Cases) -> None:
        """Count cases that were read, scored now or before, and keep what is wrong with single ones."""
        self.cases += len(cases)
        if cases.diagnostics:
            self._trouble([problem for problems in cases.diagnostics.values() for problem in problems], 0)

    def _trouble(self, found: Sequence[Diagnostic], more: int) -> None:
        room = max(TROUBLES - len(self._troubles), 0)
        self._troubles += found[:room]
        self._more += more + len(found[room:])

    def add(self, folder: Place, parts: Iterable[Part]) -> None:
        """Take in complete parts of the run, read back from where they are stored."""
        for part in parts:
            self._add(part, on_disk(folder))

    def add_written(self, written: Written) -> None:
        """Take in a part that this process has just completed; reading it back would give the same tables."""
        self._add(written.part, written.table)

    def _add(self, part: Part, tables: Tables) -> None:
        self._state.add(outcome_of(tables, part, self._evaluators, self.fields))

    def merge(self, other: "Tally") -> None:
        """Take in the tally of cases that come after these."""
        self._state.merge(other._state)
        self.fields |= other.fields
        self.cases += other.cases
        self._trouble(other._troubles, other._more)

    def summary(self) -> Summary:
        """The summary of everything that was taken in."""
        return self._state.finish()

    def troubles(self) -> list[Diagnostic]:
        """What was wrong with single cases, up to a limit; every case keeps its own in the stored run."""
        if not self._more:
            return list(self._troubles)
        what = f"{self._more} more problems with single cases"
        more = Diagnostic(code="more-problems", level="warning", what=what, fix="each stands with its case in the stored run")
        return [*self._troubles, more]
