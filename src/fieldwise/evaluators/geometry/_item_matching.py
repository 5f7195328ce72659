"""Shared by the evaluators of boxes and points: read the items of both sides, pair them, judge the pairs, build the results."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache, partial
from itertools import chain
from math import isnan
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.evaluators.geometry._accepted_items import choose_accepted, has_choice
from fieldwise.kernels.assignment import assign_pairs, assign_sparse
from fieldwise.kernels.geometry import Floats
from fieldwise.kernels.statistics import f1_of_counts
from fieldwise.model.batch import Batch
from fieldwise.model.options import OptionProblem
from fieldwise.model.path import EACH, ROOT, MalformedPath, Path, Step, render_path, render_step, value_at
from fieldwise.model.result import MALFORMED_EXPECTED, Result, Results
from fieldwise.model.values import MISSING, Value, json_kind

Pairing = Literal["index", "best"]
RowNumbers = NDArray[np.int64]
"""Rows of items; they count through the whole batch."""
ItemGroup = tuple[RowNumbers, RowNumbers]
"""The rows of expected and of actual items that may be paired with each other."""
_MAX_GRID_CELLS = 1_000_000
"""Cells of the largest grid that is computed at once."""
_MAX_KEYS = 6
"""Keys of an item that a message lists."""
COUNT_METRICS = ("true_positives", "false_positives", "false_negatives")


@dataclass(frozen=True, slots=True)
class PairScores:
    """The score of each pair of items."""

    similarity: Floats
    passed: NDArray[np.bool_]
    reported: Floats
    """The number that reports show for the pair: its IoU, or its distance (NaN if there is none)."""
    notes: Mapping[int, str] = field(default_factory=dict)
    """For some pairs, why they failed."""


class ItemMeasure(Protocol):
    """All items of a batch, ready to be compared."""

    @property
    def expected_problems(self) -> Mapping[int, str]:
        """What is wrong with expected items that cannot be compared, by row."""
        ...

    @property
    def actual_problems(self) -> Mapping[int, str]:
        """The same for actual items."""
        ...

    def build_grids(self, groups: Sequence[ItemGroup]) -> Iterator[Floats]:
        """For each group, the value that an optimal pairing maximizes, for every expected with every actual item; 0 for no match at all."""
        ...

    @property
    def is_mostly_zero(self) -> bool:
        """True if the grid is 0 for most pairs, and each of its cells depends on its pair alone."""
        ...

    def score_pairs(self, expected: RowNumbers, actual: RowNumbers) -> PairScores:
        """Score each expected item against the actual one at the same position."""
        ...


MeasureT = TypeVar("MeasureT", bound=ItemMeasure)


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemLayout:
    """Where the items are in a record, and how they are paired."""

    path: str
    is_item: Callable[[Any, bool], bool]
    """`is_item(value, actual)`: True if a list is one item rather than a list of items; `actual` says on which side it is."""
    value_key: str | None = None
    """The key of an item's box or point; None if the item is the box or point itself."""
    label_key: str | None = None
    """The key of an item's label; only items with the same label are paired."""
    pairing: Pairing = "index"
    reported: str = "similarity"
    """The name of `PairScores.reported` in the details."""


def parse_item_path(path: str) -> tuple[Step, ...] | None:
    """The steps of a path, empty for the record itself; None if the path is malformed."""
    try:
        return Path.parse(path).steps if path and path != ROOT else ()
    except MalformedPath:
        return None


def find_path_problems(path: str) -> Iterator[OptionProblem]:
    """What is wrong with the option `path`."""
    try:
        steps = Path.parse(path).steps if path and path != ROOT else ()
    except MalformedPath as error:
        yield "path", str(error), error.fix
        return
    if steps.count(EACH) > 1:
        yield "path", f"`{path}` has more than one `[*]`", "name the inner list by its index, or give each list an evaluator of its own"


@dataclass(frozen=True, slots=True)
class ItemNames:
    """Names items by their paths.

    >>> names = ItemNames(("a", "boxes"))
    >>> names.expected_item(2), names.extra_item(3), names.whole
    ('a.boxes[2]', 'a.boxes[+3]', 'a.boxes')
    >>> ItemNames(Path.parse("pages[*].box").steps).expected_item(1)
    'pages[1].box'
    """

    steps: tuple[Step, ...]

    @property
    def whole(self) -> str:
        """The path itself."""
        return _split_item_path(self.steps)[0]

    def expected_item(self, index: int, single: bool = False) -> str:
        """An expected item by its index."""
        whole, prefix, suffix = _split_item_path(self.steps)
        return whole if single else f"{prefix}[{index}]{suffix}"

    def extra_item(self, index: int, single: bool = False) -> str:
        """An actual item without an expected counterpart, by its own index."""
        whole, prefix, suffix = _split_item_path(self.steps)
        return whole if single else f"{prefix}[+{index}]{suffix}"


# cached because every item of a run is named by one of a few paths
@lru_cache(maxsize=256)
def _split_item_path(steps: tuple[Step, ...]) -> tuple[str, str, str]:
    """The path, and its parts before and after the index of an item."""
    at = steps.index(EACH) if EACH in steps else len(steps)
    prefix = "".join(map(render_step, steps[:at]))
    suffix = "".join(map(render_step, steps[at + 1 :]))
    return render_path(steps), prefix.removeprefix("."), suffix


@dataclass(frozen=True, slots=True)
class ItemColumn:
    """The items of one side of a batch, case by case."""

    items: list[Value]
    values: list[Value]
    """The box or point of each item; MISSING where it has none."""
    labels: list[Any]
    """MISSING where an item has none."""
    offsets: list[int]
    is_single: list[bool]
    """By case: True if the record has one item, not a list."""

    def rows_of(self, case: int) -> range:
        """The rows of one case."""
        return range(self.offsets[case], self.offsets[case + 1])


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedCase:
    """The pairs of one case and how they scored."""

    score: float
    hits: list[str]
    misses: list[str]
    passed: int
    expected: int
    actual: int
    pairs: list[dict[str, Any]]
    malformed_expected: int
    first_expected_problem: str
    """What is wrong with the first malformed expected item; empty if there is none."""
    expected_rows: range
    actual_rows: range


def evaluate_items(
    batch: Batch,
    layout: ItemLayout,
    build_measure: Callable[[ItemColumn, ItemColumn], MeasureT],
    finish: Callable[[MatchedCase, MeasureT | None], Result],
) -> Results:
    """Read, pair and judge the items of every case; `finish` turns a judged case into a result."""
    steps = parse_item_path(layout.path)
    if steps is None:
        return Results.from_results([Result(misses=[f"{layout.path} (malformed path)"], reasoning="the path cannot be read")] * len(batch))
    names = ItemNames(steps)
    expected = [value_at(record, steps) for record in batch.records.expected]
    actual = [value_at(record, steps) for record in batch.records.actual]
    for case, value in enumerate(expected):
        if has_choice(value, layout.value_key):
            score = partial(_score_value, actual=actual[case], layout=layout, build_measure=build_measure)
            expected[case] = choose_accepted(value, layout.value_key, score)
    results: dict[int, Result] = {}
    for case, (expected_value, actual_value) in enumerate(zip(expected, actual, strict=True)):
        if expected_value is MISSING:
            results[case] = Result(status="skipped", reasoning=f"expected has nothing at {names.whole}")
        elif expected_value is None or actual_value is None or actual_value is MISSING:
            judged = _judge_absence(expected_value, actual_value, names.whole, layout)
            reasoning = (
                "no value expected, none given" if judged.hits else f"{_describe_absence(expected_value, actual_value)} at {names.whole}"
            )
            results[case] = replace(finish(judged, None), reasoning=reasoning)
    cases = [case for case in range(len(batch)) if case not in results]
    expected_column = _build_column([expected[case] for case in cases], layout, actual=False)
    actual_column = _build_column([actual[case] for case in cases], layout, actual=True)
    measure = build_measure(expected_column, actual_column)
    for case, judged in zip(cases, _judge_cases(expected_column, actual_column, measure, layout, names), strict=True):
        results[case] = finish(judged, measure)
    return Results.from_results([results[case] for case in range(len(batch))])


def _score_value(
    expected: Any, *, actual: Any, layout: ItemLayout, build_measure: Callable[[ItemColumn, ItemColumn], ItemMeasure]
) -> float:
    """The score of one actual value against one of several accepted ones."""
    if expected is None or actual is None or actual is MISSING:
        return float(expected is None and (actual is None or actual is MISSING))
    columns = _build_column([expected], layout, actual=False), _build_column([actual], layout, actual=True)
    return _judge_cases(*columns, build_measure(*columns), layout, ItemNames(()))[0].score


def _judge_absence(expected: Any, actual: Any, name: str, layout: ItemLayout) -> MatchedCase:
    """Judge a case in which a side is null, or actual is missing."""
    expected_count = 0 if expected is None else len(_split_items(expected, layout, actual=False)[0])
    actual_count = 0 if actual is None or actual is MISSING else len(_split_items(actual, layout, actual=True)[0])
    agrees = expected is None and not actual_count and (actual is None or actual is MISSING)
    return MatchedCase(
        score=float(agrees),
        hits=[name] if agrees else [],
        misses=[] if agrees else [f"{name} ({_describe_absence(expected, actual)})"],
        passed=0,
        expected=expected_count,
        actual=actual_count,
        pairs=[],
        malformed_expected=0,
        first_expected_problem="",
        expected_rows=range(0),
        actual_rows=range(0),
    )


def _describe_absence(expected: Any, actual: Any) -> str:
    if expected is None:
        return "unexpected value"
    return "null value" if actual is None else "required, missing"


def _split_items(value: Any, layout: ItemLayout, actual: bool) -> tuple[Sequence[Value], bool]:
    """The items of a value, and True if the value is itself the only item."""
    if json_kind(value) != "list" or layout.is_item(value, actual):
        return [value], True
    return value, False


def _build_column(values: Sequence[Any], layout: ItemLayout, actual: bool) -> ItemColumn:
    items: list[Any] = []
    offsets = [0]
    is_single: list[bool] = []
    for value in values:
        case_items, single = _split_items(value, layout, actual)
        items.extend(case_items)
        offsets.append(len(items))
        is_single.append(single)
    compared = items if layout.value_key is None else [_read_key(item, layout.value_key) for item in items]
    labels = [MISSING] * len(items) if layout.label_key is None else [_read_key(item, layout.label_key) for item in items]
    return ItemColumn(items, compared, labels, offsets, is_single)


def _read_key(item: Any, key: str) -> Any:
    if json_kind(item) == "object":
        return item.get(key, MISSING)
    return None if item is None else MISSING


@dataclass(frozen=True, slots=True)
class _CasePairs:
    """The pairs of one case, as rows, and the scores of each."""

    case: int
    pairs: list[tuple[int, int]]
    slots: int
    """Number of items over which the score is the mean."""
    similarity: list[float]
    passed: list[bool]
    reported: list[float]
    notes: Mapping[int, str]


def _judge_cases(expected: ItemColumn, actual: ItemColumn, measure: ItemMeasure, layout: ItemLayout, names: ItemNames) -> list[MatchedCase]:
    """Pair the items of every case and score the pairs of all cases in one call."""
    paired = _pair_cases(expected, actual, measure, layout)
    all_pairs = np.array(list(chain.from_iterable(paired)), dtype=np.int64).reshape(-1, 2)
    scores = measure.score_pairs(all_pairs[:, 0], all_pairs[:, 1])
    # lists, because reading single items of arrays is slow
    similarity, passed, reported = scores.similarity.tolist(), scores.passed.tolist(), scores.reported.tolist()
    judged: list[MatchedCase] = []
    start = 0
    for case, pairs in enumerate(paired):
        end = start + len(pairs)
        slots = max(len(expected.rows_of(case)), len(actual.rows_of(case)))
        notes = {at - start: scores.notes[at] for at in range(start, end) if at in scores.notes} if scores.notes else {}
        case_pairs = _CasePairs(case, pairs, slots, similarity[start:end], passed[start:end], reported[start:end], notes)
        judged.append(_judge_case(expected, actual, measure, names, case_pairs, layout.reported))
        start = end
    return judged


def _pair_cases(expected: ItemColumn, actual: ItemColumn, measure: ItemMeasure, layout: ItemLayout) -> list[list[tuple[int, int]]]:
    """The pairs of each case, by expected row. Measures get the groups of all cases at once, to build the grids of many together."""
    paired: list[list[tuple[int, int]]] = []
    unassigned: list[tuple[int, list[int], list[int]]] = []
    for case in range(len(expected.is_single)):
        expected_rows, actual_rows = expected.rows_of(case), actual.rows_of(case)
        pairs: list[tuple[int, int]] = []
        paired.append(pairs)
        if expected.is_single[case] and actual.is_single[case]:
            pairs.append((expected_rows[0], actual_rows[0]))
            continue
        groups = [(list(expected_rows), list(actual_rows))]
        if layout.label_key is not None:
            groups = _group_by_label(expected, actual, expected_rows, actual_rows)
        for expected_group, actual_group in groups:
            if layout.pairing == "best":
                if expected_group and actual_group:
                    unassigned.append((case, expected_group, actual_group))
            elif layout.label_key is None:
                pairs.extend(zip(expected_group, actual_group, strict=False))
            else:
                pairs.extend(_pair_by_index(expected_group, actual_group, actual_rows.start - expected_rows.start))
    assigned = _assign_best(measure, [(np.array(expected_group), np.array(actual_group)) for _, expected_group, actual_group in unassigned])
    for (case, expected_group, actual_group), positions in zip(unassigned, assigned, strict=True):
        paired[case].extend((expected_group[i], actual_group[j]) for i, j in positions)
    return [sorted(pairs) for pairs in paired]


def _assign_best(measure: ItemMeasure, groups: Sequence[ItemGroup]) -> Iterator[list[tuple[int, int]]]:
    """For each group, the pairs with the largest total, without those that do not match at all; by positions in the group."""
    is_small = [len(expected) * len(actual) <= _MAX_GRID_CELLS or not measure.is_mostly_zero for expected, actual in groups]
    grids = measure.build_grids([group for group, small in zip(groups, is_small, strict=True) if small])
    for (expected, actual), small in zip(groups, is_small, strict=True):
        if small:
            grid = next(grids)
            yield [(i, j) for i, j in assign_pairs(grid) if grid[i, j] > 0]
        else:
            yield _assign_large(measure, expected, actual)


def _assign_large(measure: ItemMeasure, expected: RowNumbers, actual: RowNumbers) -> list[tuple[int, int]]:
    """The pairs with the largest total of a group whose grid is too large to be computed at once."""
    step = max(1, _MAX_GRID_CELLS // len(actual))
    rows: list[RowNumbers] = []
    columns: list[RowNumbers] = []
    values: list[Floats] = []
    for start in range(0, len(expected), step):
        grid = next(measure.build_grids([(expected[start : start + step], actual)]))
        block_rows, block_columns = np.nonzero(grid > 0)
        rows.append(block_rows + start)
        columns.append(block_columns)
        values.append(grid[block_rows, block_columns])
    return assign_sparse((np.concatenate(rows), np.concatenate(columns), np.concatenate(values)), len(expected), len(actual))


def _pair_by_index(expected: list[int], actual: list[int], shift: int) -> list[tuple[int, int]]:
    """Pair rows of one label: those at the same index of both lists, then the others in order.

    >>> _pair_by_index([0, 2], [11, 12, 13], 10)
    [(2, 12), (0, 11)]
    """
    actual_set = set(actual)
    pairs = [(row, row + shift) for row in expected if row + shift in actual_set]
    paired_expected, paired_actual = {row for row, _ in pairs}, {row for _, row in pairs}
    left_expected = [row for row in expected if row not in paired_expected]
    left_actual = [row for row in actual if row not in paired_actual]
    return pairs + list(zip(left_expected, left_actual, strict=False))


def _group_by_label(
    expected: ItemColumn, actual: ItemColumn, expected_rows: range, actual_rows: range
) -> list[tuple[list[int], list[int]]]:
    groups: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
    for row in expected_rows:
        groups.setdefault(label_key(expected.labels[row]), ([], []))[0].append(row)
    for row in actual_rows:
        groups.setdefault(label_key(actual.labels[row]), ([], []))[1].append(row)
    return list(groups.values())


def describe_missing_key(what: str, key: str, item: Any) -> str:
    """Why an item lacks a box, a category or a label, with the keys that it has.

    >>> describe_missing_key("label", "kind", {"class": "dog", "bbox": [0, 0, 1, 1]})
    'no label: the key `kind` is missing; there are `bbox`, `class`'
    """
    present = [f"`{name}`" for name in sorted(item)] if json_kind(item) == "object" else []
    keys = ", ".join(present[:_MAX_KEYS]) + (" …" if len(present) > _MAX_KEYS else "")
    return f"no {what}: the key `{key}` is missing" + (f"; there are {keys}" if keys else "")


def label_key(label: Any) -> tuple[str, str]:
    """A label as a dictionary key; `1`, `true` and `"1"` are three labels."""
    kind = json_kind(label)
    return kind, f"{label:g}" if kind == "number" and abs(label) < 1e15 else str(label)


def _judge_case(
    expected: ItemColumn, actual: ItemColumn, measure: ItemMeasure, names: ItemNames, scored: _CasePairs, reported: str
) -> MatchedCase:
    expected_rows, actual_rows = expected.rows_of(scored.case), actual.rows_of(scored.case)
    position_of = {expected_row: position for position, (expected_row, _) in enumerate(scored.pairs)}
    hits: list[str] = []
    misses: list[str] = []
    for row in expected_rows:
        name = names.expected_item(row - expected_rows.start, expected.is_single[scored.case])
        position = position_of.get(row)
        if position is None:
            misses.append(_add_reason(name, _expected_problem(measure, row) or "required, missing"))
        elif scored.passed[position]:
            hits.append(name)
        else:
            actual_problem = measure.actual_problems.get(scored.pairs[position][1])
            misses.append(_add_reason(name, _expected_problem(measure, row) or actual_problem or scored.notes.get(position)))
    if len(scored.pairs) < len(actual_rows):
        paired_actual = {actual_row for _, actual_row in scored.pairs}
        for row in actual_rows:
            if row not in paired_actual:
                name = names.extra_item(row - actual_rows.start, actual.is_single[scored.case])
                misses.append(_add_reason(name, measure.actual_problems.get(row, "extra")))
    problems = [problem for row in expected_rows if (problem := measure.expected_problems.get(row)) is not None]
    pair_details: list[dict[str, Any]] = []
    for (expected_row, actual_row), number in zip(scored.pairs, scored.reported, strict=True):
        indices = {"expected": expected_row - expected_rows.start, "actual": actual_row - actual_rows.start}
        pair_details.append({**indices, reported: None if isnan(number) else number})
    return MatchedCase(
        score=sum(scored.similarity) / scored.slots if scored.slots else 1.0,
        hits=hits if scored.slots else [names.whole],
        misses=misses,
        passed=sum(scored.passed),
        expected=len(expected_rows),
        actual=len(actual_rows),
        pairs=pair_details,
        malformed_expected=len(problems),
        first_expected_problem=problems[0] if problems else "",
        expected_rows=expected_rows,
        actual_rows=actual_rows,
    )


def _expected_problem(measure: ItemMeasure, row: int) -> str | None:
    problem = measure.expected_problems.get(row)
    return None if problem is None else f"expected: {problem}"


def _add_reason(name: str, reason: str | None) -> str:
    return f"{name} ({reason})" if reason else name


def compute_rates(judged: MatchedCase) -> dict[str, float]:
    """Precision, recall and F1 of a case with their counts; 1.0 if nothing was expected and nothing given."""
    true_positives = judged.passed
    false_positives, false_negatives = judged.actual - judged.passed, judged.expected - judged.passed
    rates = {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    if judged.expected or judged.actual:
        rates = {
            "precision": true_positives / judged.actual if true_positives else 0.0,
            "recall": true_positives / judged.expected if true_positives else 0.0,
            "f1": float(f1_of_counts(true_positives, false_positives, false_negatives)),
        }
    return rates | {
        "true_positives": float(true_positives),
        "false_positives": float(false_positives),
        "false_negatives": float(false_negatives),
    }


RATE_METRICS = ("precision", "recall", "f1", *COUNT_METRICS)


def describe_unreadable_items(problem: str) -> str:
    """Reasoning of a fault: every expected item of the case is malformed."""
    return f"no expected item can be read: {problem}"


def build_result(judged: MatchedCase, metrics: Mapping[str, float], reasoning: str, flags: Sequence[str] = ()) -> Result:
    """The result of a judged case; an error if not one expected item can be read, which is a fault of the data."""
    all_flags = [*flags, *([MALFORMED_EXPECTED] if judged.malformed_expected else [])]
    details: dict[str, Any] = {"pairs": judged.pairs} | ({"flags": all_flags} if all_flags else {})
    if judged.expected and judged.malformed_expected == judged.expected:
        details["fault"] = "ours"
        reasoning = describe_unreadable_items(judged.first_expected_problem)
        return Result(status="error", misses=judged.misses, reasoning=reasoning, details=details)
    score = min(1.0, max(0.0, judged.score))
    return Result(score=score, hits=judged.hits, misses=judged.misses, reasoning=reasoning, metrics=metrics, details=details)
