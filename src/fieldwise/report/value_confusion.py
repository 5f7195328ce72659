"""Confusion of values: for fields with few different values, how often each expected value was given as which other one.

Read from the stored comparisons of an evaluator: of all cases, or of some evenly spread ones where there are many.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from fieldwise.dataclass import dataclass
from fieldwise.model.comparison import Comparison
from fieldwise.model.summary import EvaluatorSummary
from fieldwise.report.text_format import format_value

if TYPE_CHECKING:
    from fieldwise.store.run import Run

MAX_VALUES: Final = 12
"""A field with more expected values is not enumerated."""
MAX_OTHERS: Final = 6
"""Columns for actual values that are never expected; further ones are counted as `OTHER`."""
MIN_REPEATS: Final = 3
"""Each expected value of an enumerated field occurs this many times on average."""
MAX_LENGTH: Final = 40
MAX_MATRICES: Final = 8
MAX_CASES_READ: Final = 2_000
_BLOCKS: Final = 4
_PROBED: Final = 200
ABSENT: Final = "absent"
OTHER: Final = "other"
_COMPARED: Final = ("match", "wrong_value", "format_error", "omission", "hallucination")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionMatrix:
    """The values of one field: rows are expected values, columns actual ones."""

    field: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    """By row and column. A value that passes counts under its expected value, however it is written."""

    @property
    def n(self) -> int:
        """Number of comparisons."""
        return sum(map(sum, self.counts))

    @property
    def wrong(self) -> int:
        """Number of comparisons off the diagonal."""
        return self.n - sum(row[self.columns.index(name)] for name, row in zip(self.rows, self.counts, strict=True) if name in self.columns)

    @property
    def most_frequent(self) -> tuple[str, str, int] | None:
        """The most frequent confusion: expected, actual, count; None if there is none."""
        pairs = [
            (count, expected, actual)
            for expected, row in zip(self.rows, self.counts, strict=True)
            for actual, count in zip(self.columns, row, strict=True)
            if count and expected != actual
        ]
        if not pairs:
            return None
        count, expected, actual = max(pairs, key=lambda pair: pair[0])
        return expected, actual, count


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueConfusions:
    """The confusion matrices of an evaluator."""

    evaluator: str
    matrices: tuple[ConfusionMatrix, ...]
    """Most wrong values first."""
    cases_read: int
    cases: int


def read_value_confusions(run: "Run", evaluator: EvaluatorSummary) -> ValueConfusions:
    """Read the confusion matrices of the enumerated fields that have a wrong value."""
    candidates = [field.field for field in evaluator.fields if _has_wrong_values(field.outcomes)]
    positions = _choose_positions(run.full.cases)
    nothing = ValueConfusions(evaluator=evaluator.name, matrices=(), cases_read=0, cases=run.full.cases)
    if not candidates:
        return nothing
    probed = _read_pairs(run, evaluator.name, positions[:_PROBED], candidates)
    enumerated = [field for field, pairs in probed.items() if _is_enumerated(pairs, is_probe=len(positions) > _PROBED)]
    if not enumerated:
        return nothing
    pairs_by_field = probed if len(positions) <= _PROBED else _read_pairs(run, evaluator.name, positions, enumerated)
    matrices = [_build_matrix(field, pairs_by_field[field]) for field in enumerated if _is_enumerated(pairs_by_field[field])]
    shown = sorted((matrix for matrix in matrices if matrix.wrong), key=lambda matrix: -matrix.wrong)[:MAX_MATRICES]
    return ValueConfusions(evaluator=evaluator.name, matrices=tuple(shown), cases_read=len(positions), cases=run.full.cases)


def _has_wrong_values(outcomes: Any) -> bool:
    return any(outcomes.get(name, 0) for name in ("wrong_value", "format_error")) and bool(outcomes.get("match", 0))


def _choose_positions(cases: int) -> list[int]:
    """All positions, or blocks of them spread over the run: neighbours are stored together."""
    if cases <= MAX_CASES_READ:
        return list(range(cases))
    size = MAX_CASES_READ // _BLOCKS
    starts = [round(block * (cases - size) / (_BLOCKS - 1)) for block in range(_BLOCKS)]
    return [position for start in starts for position in range(start, start + size)]


def _read_pairs(run: "Run", evaluator: str, positions: Sequence[int], fields: Iterable[str]) -> dict[str, Counter[tuple[str, str]]]:
    """Field → (expected, actual) → count. A pair with a value that is no short scalar has an empty text."""
    pairs: dict[str, Counter[tuple[str, str]]] = {field: Counter() for field in fields}
    for stored in run.results_at(positions, evaluator):
        for comparison in stored.result.comparisons:
            if comparison.field in pairs and comparison.outcome in _COMPARED:
                pairs[comparison.field][_name_pair(comparison)] += 1
    return pairs


def _name_pair(comparison: Comparison) -> tuple[str, str]:
    expected = _name_value(comparison.expected, comparison.expected_presence)
    return expected, expected if comparison.passed else _name_value(comparison.actual, comparison.actual_presence)


def _name_value(value: Any, presence: str) -> str:
    if presence != "present":
        return ABSENT
    if isinstance(value, bool | int) or (isinstance(value, str) and len(value) <= MAX_LENGTH):
        return format_value(value)
    return "" if isinstance(value, float | list | dict) else f"{str(value)[:MAX_LENGTH]}…"


def _is_enumerated(pairs: Counter[tuple[str, str]], *, is_probe: bool = False) -> bool:
    expected: Counter[str] = Counter()
    for (value, _), count in pairs.items():
        expected[value] += count
    expected.pop(ABSENT, None)
    repeats = 1 if is_probe else MIN_REPEATS
    return "" not in expected and 2 <= len(expected) <= MAX_VALUES and sum(expected.values()) >= repeats * len(expected)


def _build_matrix(field: str, pairs: Counter[tuple[str, str]]) -> ConfusionMatrix:
    expected: Counter[str] = Counter()
    actual: Counter[str] = Counter()
    for (expected_value, actual_value), count in pairs.items():
        expected[expected_value] += count
        actual[actual_value] += count
    rows = sorted(expected, key=lambda value: (value == ABSENT, -expected[value], value))
    others = [value for value, _ in actual.most_common() if value and value not in expected and value != ABSENT]
    columns = [*(value for value in rows if value != ABSENT), *others[:MAX_OTHERS]]
    has_rest = any(value not in (*columns, ABSENT) for value in actual)
    columns += [*([OTHER] if has_rest else []), *([ABSENT] if ABSENT in actual or ABSENT in expected else [])]
    counts = {value: dict.fromkeys(columns, 0) for value in rows}
    for (expected_value, actual_value), count in pairs.items():
        counts[expected_value][actual_value if actual_value in counts[expected_value] else OTHER] += count
    return ConfusionMatrix(
        field=field, rows=tuple(rows), columns=tuple(columns), counts=tuple(tuple(counts[value].values()) for value in rows)
    )
