"""What differs between expected and actual where nobody wrote rules, and by which rules that was found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fieldwise.model.comparison import Comparison
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.result import Result
from fieldwise.model.rule import FieldRule, ListRule


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """Differences of one record or of many, with the rules that were inferred to find them."""

    rules: Sequence[FieldRule]
    lists: Sequence[ListRule]
    reasons: Mapping[str, str]
    """Path → why its rule was chosen."""
    results: Mapping[str, Result]
    """Case id → the comparison of its fields."""
    diagnostics: Sequence[Diagnostic] = field(default_factory=list[Diagnostic])

    @property
    def same(self) -> bool:
        """Whether nothing differs, by the inferred rules, and everything could be compared."""
        return not self.differences and all(result.status == "scored" for result in self.results.values()) and not self.problems

    @property
    def problems(self) -> list[Diagnostic]:
        """What could not be read or has no counterpart."""
        return [diagnostic for diagnostic in self.diagnostics if diagnostic.level != "info"]

    @property
    def differences(self) -> list[tuple[str, Comparison]]:
        """Every field that differs, with the case it belongs to."""
        return [
            (case, comparison)
            for case, result in self.results.items()
            for comparison in result.comparisons
            if not comparison.passed and comparison.outcome not in ("both_absent", "ignored")
        ]

    def __str__(self) -> str:
        named = len(self.results) > 1
        lines = [_describe_difference(comparison, case if named else "") for case, comparison in self.differences]
        lines += [
            f"{case + ': ' if named else ''}not compared: {result.reasoning}"
            for case, result in self.results.items()
            if result.status != "scored"
        ]
        lines += [problem.what for problem in self.problems]
        return "\n".join(lines) if lines else "nothing differs"


def _describe_difference(comparison: Comparison, case: str) -> str:
    place = f"{case}: {comparison.path}" if case else comparison.path
    cause = f" ({comparison.cause.replace('_', ' ')})" if comparison.cause else ""
    if comparison.outcome == "omission":
        return f"{place}: {comparison.expected!r} is not there"
    if comparison.outcome == "hallucination":
        return f"{place}: {comparison.actual!r} should not be there"
    return f"{place}: {comparison.expected!r} became {comparison.actual!r}{cause}"
