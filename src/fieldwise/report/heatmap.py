"""Heatmap of fields by cases: the state of each field in each of the lowest cases."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from fieldwise.dataclass import dataclass
from fieldwise.model.comparison import Comparison
from fieldwise.model.summary import EvaluatorSummary
from fieldwise.report.case_view import RankedCase
from fieldwise.report.result_text import ERROR_OUTCOMES, FIELD_STATES, FieldState, describe_mismatch, field_state_name
from fieldwise.report.text_format import choose_shortener, make_visible

if TYPE_CHECKING:
    from fieldwise.store.run import Run

CELLS: Final = 6_000
CASES: Final = 200
FIELDS: Final = 60
MIN_CASES: Final = 10
"""Cases shown at least, however many fields there are."""
_VALUE_LENGTH: Final = 90
_FIELD_LENGTH, _CASE_LENGTH = 31, 20
"""Characters of a row's and of a column's name that fit."""


@dataclass(frozen=True, slots=True)
class HeatmapCell:
    """One field of one case."""

    state: FieldState
    hint: str = ""
    """How many items match, for a field with several."""
    example: Comparison | None = None
    """The first comparison that does not match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heatmap:
    """A row for each field, a cell for each case."""

    evaluator: str
    cases: tuple[RankedCase, ...]
    rows: tuple[tuple[str, tuple[HeatmapCell, ...]], ...]
    """Field and cells."""
    states: tuple[FieldState, ...]
    """The states that occur."""
    more_cases: int
    more_fields: int

    def field_labels(self) -> list[str]:
        """Name the rows, shortened so that they stay distinct."""
        return _shorten_all([field for field, _ in self.rows], _FIELD_LENGTH)

    def case_labels(self) -> list[str]:
        """Name the columns, shortened so that they stay distinct."""
        return _shorten_all([case.id for case in self.cases], _CASE_LENGTH)

    def details(self) -> dict[str, list[str]]:
        """Return cell number → similarity, expected, actual and cause label, for the cells that have an example."""
        cells = (cell for _, row in self.rows for cell in row)
        return {str(number): _describe_example(cell.example) for number, cell in enumerate(cells) if cell.example is not None}


def _shorten_all(names: Sequence[str], limit: int) -> list[str]:
    visible = [make_visible(name) for name in names]
    shorten = choose_shortener(visible, limit)
    return [shorten(name, limit) for name in visible]


def _describe_example(comparison: Comparison) -> list[str]:
    text = describe_mismatch(comparison, _VALUE_LENGTH)
    return [
        "" if comparison.similarity is None else f"{comparison.similarity:.2f}",
        make_visible(text.expected),
        make_visible(text.actual),
        text.cause,
    ]


ComparisonReader: TypeAlias = Callable[[Sequence[int]], Mapping[int, Sequence[Comparison]]]
"""Reads the comparisons of the cases at these positions; pairs of equal values may be left out."""


def build_heatmap(
    run: "Run", evaluator: EvaluatorSummary, lowest: Sequence[RankedCase], *, cells: int = CELLS, read: ComparisonReader | None = None
) -> Heatmap | None:
    """Build the heatmap of an evaluator for its lowest cases, at most about `cells` cells; None if it compares no fields."""
    fields = _choose_fields(evaluator)
    if not fields or not lowest:
        return None
    cases = tuple(lowest[: min(CASES, max(cells // len(fields), MIN_CASES))])
    positions = [case.position for case in cases]
    if read is None:
        comparisons = {stored.position: stored.result.comparisons for stored in run.results_at(positions, evaluator.name)}
    else:
        comparisons = read(positions)
    by_case = {position: _group_by_field(of_case) for position, of_case in comparisons.items()}
    rows = tuple((field, tuple(summarize_cell(by_case.get(case.position, {}).get(field, ())) for case in cases)) for field in fields)
    occurring = {cell.state.name for _, row in rows for cell in row}
    return Heatmap(
        evaluator=evaluator.name,
        cases=cases,
        rows=rows,
        states=tuple(state for name, state in FIELD_STATES.items() if name in occurring and name != "nothing"),
        more_cases=evaluator.counts.scored + evaluator.counts.failures - len(cases),
        more_fields=len({field.field for field in evaluator.fields}) - len(fields),
    )


def _choose_fields(evaluator: EvaluatorSummary) -> list[str]:
    """List the fields in their order; if there are too many, those that score lowest."""
    names = list(dict.fromkeys(field.field for field in evaluator.fields))
    if len(names) <= FIELDS:
        return names
    weakest = {field.field for field in sorted(evaluator.fields, key=lambda field: field.score.value)[:FIELDS]}
    return [name for name in names if name in weakest]


def _group_by_field(comparisons: Iterable[Comparison]) -> Mapping[str, list[Comparison]]:
    by_field: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        by_field.setdefault(comparison.field, []).append(comparison)
    return by_field


def summarize_cell(comparisons: Sequence[Comparison]) -> HeatmapCell:
    """Combine the comparisons of a field in a case: one, or one for each item of a list."""
    states = Counter(field_state_name(comparison) for comparison in comparisons)
    if not states:
        return HeatmapCell(FIELD_STATES["nothing"])
    matched = states["match"] + states["close"]
    errors = {name: states[name] for name in ERROR_OUTCOMES if states[name]}
    if errors:
        example = next(comparison for comparison in comparisons if field_state_name(comparison) in errors)
        if matched:
            return HeatmapCell(FIELD_STATES["partly"], f"{matched} of {matched + sum(errors.values())}", example)
        return HeatmapCell(FIELD_STATES[max(errors, key=lambda name: errors[name])], example=example)
    if states["close"]:
        example = next(comparison for comparison in comparisons if field_state_name(comparison) == "close")
        return HeatmapCell(FIELD_STATES["close"], example=example)
    return HeatmapCell(FIELD_STATES["match" if matched else next(iter(states))])
