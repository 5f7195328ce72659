"""Differences between expected and actual without a suite, and the rules that were inferred to find them."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from html import escape

from fieldwise.dataclass import dataclass
from fieldwise.model.accepted_values import list_accepted
from fieldwise.model.comparison import Comparison
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.notebook_html import COMPARISON_TITLES, MAX_ROWS, comparison_cells, render_table
from fieldwise.model.result import Result
from fieldwise.model.rule import FieldRule, ListRule


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """Differences of one record or of many, as returned by `fieldwise.diff`."""

    rules: Sequence[FieldRule]
    """The inferred rule of each field."""
    lists: Sequence[ListRule]
    """How the items of each list were paired."""
    reasons: Mapping[str, str]
    """Path → why its rule was chosen."""
    results: Mapping[str, Result]
    """Case id → the comparison of its fields."""
    diagnostics: Sequence[Diagnostic] = field(default_factory=list)
    """Problems with the data, and remarks."""
    pairing: Sequence[str] = ()
    """How the rows of two files were paired, and what that leaves open, in words."""
    has_common_field: bool = True
    """False if expected and actual have no field in common, so that nothing can be compared."""

    @property
    def same(self) -> bool:
        """True if everything could be compared and nothing differs."""
        all_scored = all(result.status == "scored" for result in self.results.values())
        return not self.differences and all_scored and not self.problems

    @property
    def problems(self) -> list[Diagnostic]:
        """Errors and warnings: data that could not be read or has no counterpart."""
        return [diagnostic for diagnostic in self.diagnostics if diagnostic.level != "info"]

    @property
    def differences(self) -> list[tuple[str, Comparison]]:
        """Every field that differs, as (case id, comparison)."""
        return [
            (case, comparison)
            for case, result in self.results.items()
            for comparison in result.comparisons
            if not comparison.passed and comparison.outcome not in ("both_absent", "ignored")
        ]

    def __str__(self) -> str:
        has_many_cases = len(self.results) > 1
        lines = [_describe_difference(comparison, case if has_many_cases else "") for case, comparison in self.differences]
        for case, result in self.results.items():
            if result.status != "scored":
                prefix = f"{case}: " if has_many_cases else ""
                lines.append(f"{prefix}not compared: {result.reasoning}")
        lines += [problem.what for problem in self.problems]
        return "\n".join(lines) if lines else "nothing differs"

    def _repr_html_(self) -> str:
        """HTML for notebooks: the number of differences, a table of them, and the problems."""
        return render_diff_html(self)


def _describe_difference(comparison: Comparison, case: str) -> str:
    location = f"{case}: {comparison.path}" if case else comparison.path
    cause = f" ({comparison.cause.replace('_', ' ')})" if comparison.cause else ""
    if comparison.outcome == "omission":
        return f"{location}: {_describe_expected(comparison)} is not there"
    if comparison.outcome == "hallucination":
        return f"{location}: {comparison.actual!r} should not be there"
    return f"{location}: {_describe_expected(comparison)} became {comparison.actual!r}{cause}"


def _describe_expected(comparison: Comparison) -> str:
    return " or ".join(map(repr, list_accepted(comparison.expected)))


def render_diff_html(diff: Diff) -> str:
    """The number of differences, a table of them, and the problems."""
    differences = diff.differences
    count = "nothing differs" if diff.same else f"{len(differences)} {'difference' if len(differences) == 1 else 'differences'}"
    head = f"<p><strong>{count}</strong> in {len(diff.results)} {'record' if len(diff.results) == 1 else 'records'}</p>"
    problems = "".join(f"<li>{escape(problem.what)}</li>" for problem in diff.problems[:MAX_ROWS])
    notes = f"<ul>{problems}</ul>" if problems else ""
    if not differences:
        return head + notes
    rows = ((case, *comparison_cells(comparison)) for case, comparison in differences)
    return head + render_table(("case", *COMPARISON_TITLES), rows, len(differences)) + notes
