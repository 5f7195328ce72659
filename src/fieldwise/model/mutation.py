"""The result of mutation testing: which corruptions of expected values a suite detects."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.summary import GateResult
from fieldwise.model.values import MISSING, Json, Value


@dataclass(slots=True)
class MutantCount:
    """Mutants, and how many of them were killed."""

    mutants: int = 0
    killed: int = 0

    @property
    def survived(self) -> int:
        """Mutants that no evaluator noticed."""
        return self.mutants - self.killed

    @property
    def share(self) -> float:
        """The share of mutants that were killed; NaN without mutants."""
        return self.killed / self.mutants if self.mutants else float("nan")

    def add(self, killed: bool) -> None:
        """Count one mutant."""
        self.mutants += 1
        self.killed += killed

    def to_json(self) -> dict[str, int]:
        """Both counts."""
        return {"mutants": self.mutants, "killed": self.killed}


@dataclass(frozen=True, slots=True, kw_only=True)
class Survivor:
    """A mutant that no evaluator noticed."""

    case: str
    path: str
    """The concrete path, such as `line_items[2].amount`."""
    field: str
    """The same with `[*]` for every index."""
    corruption: str
    expected: Value
    mutant: Value
    """The corrupted value; MISSING if it was dropped."""

    def to_json(self) -> dict[str, Json]:
        """A JSON-serializable dict; a value that is absent is null."""
        return {
            "case": self.case,
            "path": self.path,
            "corruption": self.corruption,
            "expected": None if self.expected is MISSING else self.expected,
            "mutant": None if self.mutant is MISSING else self.mutant,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSuggestion:
    """A change of one rule that would kill survivors."""

    rule: dict[str, Any]
    """The rule as in `fields` of a suite; `{path, align}` for an entry of `lists`."""
    kills: int
    """Rise of the number of killed mutants if it is made: survivors that it kills, minus mutants that it stops killing."""
    survivors: int
    """Survivors of the field, or of the whole list that contains it."""
    newly_failing: int | None
    """Cases of the real data that would newly have a miss; None if no case has an output."""
    replaces: str = ""
    """The present rule in words; empty if there is none."""

    def to_json(self) -> dict[str, Json]:
        """The rule, what it kills and what it costs."""
        return {"rule": self.rule, "kills": self.kills, "newly_failing": self.newly_failing}


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationReport:
    """What a suite detects of the corruptions of its own expected values."""

    suite: str
    cases: int
    """Cases whose values were corrupted."""
    all_cases: int
    """Cases of the data."""
    seed: int
    total: MutantCount
    generated: int
    """Mutants before sampling, without equivalent ones."""
    equivalent: int
    """Corruptions that gave an equal value; they are not counted as mutants."""
    by_field: dict[str, MutantCount]
    by_corruption: dict[str, MutantCount]
    by_evaluator: dict[str, MutantCount]
    """Mutants that each evaluator saw, in the order of the suite: an evaluator sees what the ones before it did not kill."""
    cells: dict[tuple[str, str], MutantCount]
    """By field and corruption."""
    survivors: Sequence[Survivor]
    suggestions: Sequence[RuleSuggestion] = ()
    labels: dict[str, str] = field(default_factory=dict)
    """Corruption → its name in words."""
    gates: Sequence[GateResult] = ()
    diagnostics: Sequence[Diagnostic] = ()
    exit_code: int = 0
    """0 gates passed, 1 a gate failed, 3 an evaluator measured nothing, 4 there is no mutant."""

    @property
    def is_sampled(self) -> bool:
        """True if not every mutant of every case was scored."""
        return self.cases < self.all_cases or self.total.mutants < self.generated

    def to_json(self) -> dict[str, Any]:
        """The content of `--format json`."""
        return {
            "suite": self.suite,
            "cases": self.cases,
            "seed": self.seed,
            "sampled": self.is_sampled,
            **self.total.to_json(),
            "survived": self.total.survived,
            "equivalent": self.equivalent,
            "by_field": {name: count.to_json() for name, count in self.by_field.items()},
            "by_corruption": {name: count.to_json() for name, count in self.by_corruption.items()},
            "by_evaluator": {name: count.to_json() for name, count in self.by_evaluator.items()},
            "survivors": [survivor.to_json() for survivor in self.survivors],
            "suggestions": [suggestion.to_json() for suggestion in self.suggestions],
            "gates": [{"gate": gate.gate, "passed": gate.passed, "value": gate.value, "message": gate.message} for gate in self.gates],
            "diagnostics": [str(diagnostic) for diagnostic in self.diagnostics],
        }
