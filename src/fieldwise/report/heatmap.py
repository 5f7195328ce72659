"""Fields against cases: what became of each field of each case, worst cases first."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fieldwise.model.comparison import Comparison
from fieldwise.model.summary import EvaluatorSummary
from fieldwise.report.lowest import Ranked
from fieldwise.report.safe import cut, safe, value_text

if TYPE_CHECKING:
    from fieldwise.store.run import Run

CELLS: Final = 6_000
CASES: Final = 200
FIELDS: Final = 60
_VALUE: Final = 90


@dataclass(frozen=True, slots=True)
class State:
    """What may become of a field: its sign, its word, and the name of its colour."""

    name: str
    sign: str
    word: str


STATES: Final = {
    state.name: state
    for state in (
        State("match", "·", "match"),
        State("close", "≈", "match, not identical"),
        State("partly", "◐", "some items match"),
        State("wrong_value", "≠", "wrong value"),
        State("format_error", "T", "wrong type"),
        State("omission", "−", "omission"),
        State("hallucination", "+", "hallucination"),
        State("fault", "!", "not compared"),
        State("both_absent", "", "absent on both sides"),
        State("ignored", "/", "ignored"),
        State("nothing", "", "not in this case"),
    )
}
ERRORS: Final = ("wrong_value", "format_error", "omission", "hallucination", "fault")


@dataclass(frozen=True, slots=True)
class Cell:
    """One field of one case."""

    state: State
    hint: str = ""
    """The share of items that match, where a field has several."""
    example: Comparison | None = None
    """The first comparison that did not match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heatmap:
    """Rows of cells, one for each field, one cell for each case."""

    evaluator: str
    cases: tuple[Ranked, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    states: tuple[State, ...]
    """Those that occur."""
    more_cases: int
    more_fields: int

    def details(self) -> dict[str, list[str]]:
        """What a reader sees who stands on a cell that is no match: cell number → similarity, expected, actual, cause."""
        cells = (cell for _, row in self.rows for cell in row)
        return {str(number): _told(cell.example) for number, cell in enumerate(cells) if cell.example is not None}


def _told(one: Comparison) -> list[str]:
    similarity = "" if one.similarity is None else f"{one.similarity:.2f}"
    expected = None if one.expected_presence == "missing" else one.expected
    return [
        similarity,
        "" if one.expected_presence == "missing" else cut(safe(value_text(expected)), _VALUE),
        "" if one.actual_presence == "missing" else cut(safe(value_text(one.actual)), _VALUE),
        one.cause or "",
    ]


Read = Callable[[Sequence[int]], Mapping[int, Sequence[Comparison]]]
"""Gives the comparisons of the cases at some positions; values that are equal on both sides need not be there."""


def heatmap(run: "Run", one: EvaluatorSummary, lowest: Sequence[Ranked], *, cells: int = CELLS, read: Read | None = None) -> Heatmap | None:
    """The heatmap of an evaluator for its lowest cases, as many as there is room for; None where it compares no fields."""
    fields = _weakest(one)
    if not fields or not lowest:
        return None
    chosen = tuple(lowest[: min(CASES, max(cells // len(fields), 10))])
    positions = [case.position for case in chosen]
    compared = read(positions) if read else {found.position: found.result.comparisons for found in run.results_at(positions, one.name)}
    by_case = {position: _by_field(comparisons) for position, comparisons in compared.items()}
    rows = tuple((field, tuple(cell_of(by_case.get(case.position, {}).get(field, ())) for case in chosen)) for field in fields)
    seen = {cell.state.name for _, row in rows for cell in row}
    return Heatmap(
        evaluator=one.name,
        cases=chosen,
        rows=rows,
        states=tuple(state for name, state in STATES.items() if name in seen and name != "nothing"),
        more_cases=one.counts.scored + one.counts.failures - len(chosen),
        more_fields=len({field.field for field in one.fields}) - len(fields),
    )


def _weakest(one: EvaluatorSummary) -> list[str]:
    """The fields in their order; of very many those that score lowest."""
    names = list(dict.fromkeys(field.field for field in one.fields))
    if len(names) <= FIELDS:
        return names
    weakest = {field.field for field in sorted(one.fields, key=lambda field: field.score.value)[:FIELDS]}
    return [name for name in names if name in weakest]


def _by_field(comparisons: Iterable[Comparison]) -> Mapping[str, list[Comparison]]:
    found: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        found.setdefault(comparison.field, []).append(comparison)
    return found


def cell_of(comparisons: Sequence[Comparison]) -> Cell:
    """What became of a field that was compared once in a case, or once for each item of a list."""
    states = Counter(state_of(comparison) for comparison in comparisons)
    if not states:
        return Cell(STATES["nothing"])
    good = states["match"] + states["close"]
    bad = {name: states[name] for name in ERRORS if states[name]}
    if not bad:
        name = "close" if states["close"] else "match" if good else next(iter(states))
        return Cell(STATES[name], example=next((one for one in comparisons if name == "close" and state_of(one) == name), None))
    example = next(one for one in comparisons if state_of(one) in bad)
    if good:
        return Cell(STATES["partly"], f"{good} of {good + sum(bad.values())}", example)
    return Cell(STATES[max(bad, key=lambda name: bad[name])], example=example)


def state_of(comparison: Comparison) -> str:
    """The name of what became of one comparison."""
    if comparison.outcome != "match":
        return comparison.outcome
    return "match" if comparison.similarity is None or comparison.similarity >= 1 else "close"
