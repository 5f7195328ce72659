"""Builds the comparisons of a batch: equal values first, then presence, then matchers for the values that differ."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import field
from itertools import accumulate, chain, compress
from math import inf
from operator import ne, not_
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.values import canonical_json
from fieldwise.model.accepted_values import ANY, accepted_values, has_empty_choice, list_accepted, resolve_inner_choices
from fieldwise.model.comparison import ComparisonTable, UnreadValues
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.evidence import Evidence
from fieldwise.model.rule import CompareSpec, FieldRule, Match
from fieldwise.model.services import Services
from fieldwise.model.values import MISSING, Missing, json_kind
from fieldwise.registry import MATCHERS
from fieldwise.score.columns import ColumnCache, Frame, Misfit, ValueColumn, item_sort_key
from fieldwise.score.matching import choose_accepted, score_pairs
from fieldwise.score.unread_values import count_unread

_SCALARS = frozenset((str, int, bool, float))
_SCALARS_OR_ABSENT = _SCALARS | {type(None), Missing}
_ABSENT = frozenset((type(None), Missing))
_TEXT_OR_ABSENT = _ABSENT | {str}
_NUMBERS = frozenset((int, bool, float))
_NEVER_NULL = frozenset((int, bool, float, dict, list))
"""Types of which no value counts as null; text may."""
_INFINITE = (inf, -inf)
_NO_ROWS: Final = frozenset[int]()
_CONTAINERS = (dict, list)
_CONTAINER_TYPES = frozenset(_CONTAINERS)
_ANY_KEY = b'{"$any":['
# the values of `Outcome` as plain integers: looking up an enum member costs as much as comparing two values
_WRONG_VALUE, _FORMAT_ERROR, _OMISSION, _HALLUCINATION, _BOTH_ABSENT, _IGNORED, _FAULT = range(1, 8)
_MAY_BE_MISFIT = np.isin(np.arange(8), (_FORMAT_ERROR, _OMISSION, _BOTH_ABSENT, _IGNORED))
"""Whether the actual value of a comparison may be a misfit, by its outcome."""

IsNull = Callable[[Any], bool]
"""True for values other than null that count as null."""


@dataclass(slots=True)
class FieldBlock:
    """The values of one field in some rows."""

    field: int
    expected: ValueColumn
    actual: ValueColumn
    frame: Frame
    first_path: int
    """Position of the block's first path in the table of paths."""
    unequal: Sequence[int]
    """Rows that are not plainly equal, so that presence or a matcher decides."""
    suffix: str
    """The path of the block's values below that of its frame."""
    resolved: ValueColumn
    """`expected` with the most similar of several accepted values in their place; the same list if there are none."""
    dropped: frozenset[int]
    """Rows without any accepted value, which are left out of the score."""


@dataclass(slots=True)
class _RowVerdicts:
    """Outcome, similarity and pass of every row, filled in while the comparisons are built. Rows start as matches."""

    outcome: NDArray[np.uint8]
    similarity: NDArray[np.float64]
    passed: NDArray[np.bool_]
    notes: dict[int, str] = field(default_factory=dict)
    faults: dict[int, Diagnostic] = field(default_factory=dict)
    distance: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """As in `ComparisonTable`; empty until a row has one."""
    relative_distance: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def set_distances(self, at: NDArray[np.int64], distance: NDArray[np.float64] | float | None) -> None:
        """Set the distance of these rows."""
        if distance is not None:
            if not len(self.distance):
                self.distance = np.full(len(self.outcome), np.nan)
            self.distance[at] = distance

    def set_relative_distances(self, at: NDArray[np.int64], distance: NDArray[np.float64] | None) -> None:
        """Set the relative distance of these rows."""
        if distance is not None:
            if not len(self.relative_distance):
                self.relative_distance = np.full(len(self.outcome), np.nan)
            self.relative_distance[at] = distance


@dataclass(slots=True)
class ComparisonBuilder:
    """Collects field blocks and builds the `ComparisonTable` of a batch."""

    spec: CompareSpec
    cases: int
    cache: ColumnCache
    services: Services
    finite: bool = False
    """True if no value holds a NaN or an Infinity."""
    rules: list[FieldRule] = field(init=False)
    """The rules of the spec, then one for every further leaf of an open comparison."""
    fields: list[str] = field(init=False)
    blocks: list[FieldBlock] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    is_null: IsNull | None = field(init=False)

    def __post_init__(self) -> None:
        self.rules = list(self.spec.rules)
        self.fields = [rule.text for rule in self.rules]
        self.is_null = self.spec.nulls.make_test()

    def add(self, position: int, suffix: str, expected: ValueColumn, actual: ValueColumn, frame: Frame) -> None:
        """Add the columns of the rule at `position`. A row's path is its prefix in the frame followed by `suffix`."""
        if not expected:
            return
        unequal = self._needs_matcher(self.rules[position].match, expected, actual)
        first_path = len(self.paths)
        self.paths.extend(f"{prefix}{suffix}".removeprefix(".") or "(root)" for prefix in frame.prefixes)
        choices = _find_choices(expected, unequal)
        resolved, dropped = expected, _NO_ROWS
        if choices:
            resolved = self._resolve_choices(position, choices, expected, actual)
            dropped = frozenset(row for row in choices if not list_accepted(expected[row]))
            if dropped:
                self.services.report(_describe_dropped(self.rules[position]))
            if any(row not in dropped and has_empty_choice(expected[row]) for row in choices):
                self.services.report(_describe_dropped_parts(self.rules[position]))
        self.blocks.append(FieldBlock(position, expected, actual, frame, first_path, unequal, suffix, resolved, dropped))

    def _resolve_choices(self, position: int, rows: Sequence[int], expected: ValueColumn, actual: ValueColumn) -> ValueColumn:
        """The expected column with one of the accepted values in each of these rows: the most similar one, or null where that is absent."""
        resolved = list(expected)
        match, choose, is_null = self.rules[position].match, self.spec.default, self.is_null
        by_match: dict[Match, list[int]] = {}
        for row in rows:
            values = [resolve_inner_choices(value, actual[row]) for value in list_accepted(expected[row])]
            if is_null is not None:
                values = [None if is_null(value) else value for value in values]
            has_no_actual = actual[row] is None or actual[row] is MISSING or actual[row].__class__ is Misfit
            resolved[row] = {ANY: values}
            if has_no_actual or (is_null is not None and is_null(actual[row])):
                [resolved[row]] = choose_accepted(match, [{ANY: values}], [None], self.services)
            elif match.name == "auto" and callable(choose):
                present = next((value for value in values if value is not None), None)
                by_match.setdefault(choose(present), []).append(row)
            else:
                by_match.setdefault(match, []).append(row)
        for own_match, own_rows in by_match.items():
            chosen = choose_accepted(own_match, [resolved[row] for row in own_rows], [actual[row] for row in own_rows], self.services)
            for row, value in zip(own_rows, chosen, strict=True):
                resolved[row] = value
        return resolved

    def _needs_matcher(self, match: Match, expected: ValueColumn, actual: ValueColumn) -> Sequence[int]:
        """Rows that are not plainly equal, and equal rows that may not be a match even so."""
        if match.name == "ignore" or (match.name not in ("exact", "auto") and not MATCHERS.find(match.name).reflexive):
            return range(len(expected))
        # of two equal dates, one may be the 3rd of April, the other the 4th of March; an amount may lack the currency that is required
        if getattr(match.options, "reads_sides_apart", False) or getattr(match.options, "may_reject_equal_values", False):
            return range(len(expected))
        unequal = unequal_rows(expected, actual)
        if self.is_null is None:
            return unequal
        if str not in {*map(type, expected)}:
            return unequal
        null_texts = [row for row, value in enumerate(expected) if value.__class__ is str and self.is_null(value)]
        return sorted({*unequal, *null_texts}) if null_texts else unequal

    def build(self) -> ComparisonTable:
        """All comparisons of the batch, without causes."""
        self._sort_unruled_fields()
        blocks = sorted(self.blocks, key=lambda block: block.field)
        sizes = [len(block.expected) for block in blocks]
        *starts, total = accumulate(sizes, initial=0)
        expected = list(chain.from_iterable(block.expected for block in blocks))
        actual = list(chain.from_iterable(block.actual for block in blocks))
        confidence, page, box = _collect_evidence(blocks, total)
        has_choices = any(block.resolved is not block.expected for block in blocks)
        resolved = list(chain.from_iterable(block.resolved for block in blocks)) if has_choices else expected
        verdicts = self._decide_rows(list(zip(starts, blocks, strict=True)), resolved, actual)
        comparisons = ComparisonTable(
            cases=self.cases,
            case=_concatenate([block.frame.case for block in blocks], np.int32),
            field=np.repeat(np.array([block.field for block in blocks], dtype=np.int32), sizes),
            path=_concatenate([block.frame.prefix for block in blocks], np.int32)
            + np.repeat(np.array([block.first_path for block in blocks], dtype=np.int32), sizes),
            outcome=verdicts.outcome,
            similarity=verdicts.similarity,
            passed=verdicts.passed,
            expected=expected,
            actual=_unwrap_misfits(actual, verdicts.outcome),
            fields=self.fields,
            rules=self.rules,
            paths=self.paths,
            note=verdicts.notes,
            faults=verdicts.faults,
            unmatched_actual=_concatenate([block.frame.unmatched_actual for block in blocks], np.bool_),
            unmatched_expected=_concatenate([block.frame.unmatched_expected for block in blocks], np.bool_),
            identical=_find_identical(starts, blocks, total),
            distance=verdicts.distance,
            relative_distance=verdicts.relative_distance,
            unread=self._count_unread(blocks),
            confidence=confidence,
            page=page,
            box=box,
            chosen={row: value for row, value in enumerate(resolved) if value is not expected[row]} if has_choices else {},
        )
        self._report_blank_values(comparisons)
        return _sort_rows_by_item(comparisons, blocks)

    def _report_blank_values(self, comparisons: ComparisonTable) -> None:
        """Report fields in which expected is blank text and the output has no value: most data means the same by both."""
        omitted = np.flatnonzero((comparisons.outcome == _OMISSION) & ~comparisons.unmatched_expected)
        blank_fields: set[int] = set()
        for row in omitted.tolist():
            value = comparisons.compared_value(row)
            if isinstance(value, str) and not value.strip():
                blank_fields.add(int(comparisons.field[row]))
        for position in sorted(blank_fields):
            self.services.report(_describe_blank(self.rules[position]))

    def _count_unread(self, blocks: Sequence[FieldBlock]) -> dict[int, UnreadValues]:
        """By field, the expected values that the match of its rule cannot read."""
        counts: dict[int, UnreadValues] = {}
        for block in blocks:
            unread = count_unread(self.rules[block.field].match, block.resolved, self.is_null)
            if unread is not None:
                counts[block.field] = counts[block.field] + unread if block.field in counts else unread
        return counts

    def _sort_unruled_fields(self) -> None:
        """Sort the fields without a rule by path, so that their order does not depend on which cases share a batch."""
        ruled = len(self.spec.rules)
        if len(self.fields) == ruled:
            return
        order = [*range(ruled), *sorted(range(ruled, len(self.fields)), key=self.fields.__getitem__)]
        self.fields = [self.fields[old] for old in order]
        self.rules = [self.rules[old] for old in order]
        new_position = {old: new for new, old in enumerate(order)}
        for block in self.blocks:
            block.field = new_position[block.field]

    def _decide_rows(self, blocks: Sequence[tuple[int, FieldBlock]], expected: ValueColumn, actual: ValueColumn) -> _RowVerdicts:
        """Decide every row: plainly equal rows match, absence is decided by presence, the remaining rows by their matcher."""
        total = len(expected)
        verdicts = _RowVerdicts(np.zeros(total, dtype=np.uint8), np.ones(total), np.ones(total, dtype=np.bool_))
        rows_by_match: dict[Match, list[int]] = {}
        decided: list[tuple[int, int, float, bool]] = []
        for start, block in blocks:
            rule = self.rules[block.field]
            rows = [start + row for row in block.unequal]
            decided += [(start + row, _IGNORED, np.nan, True) for row in block.dropped]
            if rule.path is None:
                decided += [(row, _FAULT, 0.0, False) for row in rows]
                verdicts.notes.update(dict.fromkeys(rows, "malformed path"))
            elif rule.match.name == "ignore":
                decided += [(row, _IGNORED, np.nan, True) for row in rows]
            else:
                present = _decide_by_presence(block, start, rule.required, self.is_null, decided)
                self._group_by_match(rule.match, present, expected, rows_by_match)
        if decided:
            rows, outcomes, similarities, passed = zip(*decided, strict=True)
            at = np.array(rows, dtype=np.int64)
            verdicts.outcome[at], verdicts.similarity[at], verdicts.passed[at] = outcomes, similarities, passed
            misfits = at[verdicts.outcome[at] == _FORMAT_ERROR]
            if len(misfits):
                verdicts.set_distances(misfits, np.inf)
        for match, rows in rows_by_match.items():
            self._decide_by_matcher(match, rows, expected, actual, verdicts)
        return verdicts

    def _group_by_match(self, match: Match, rows: list[int], expected: ValueColumn, rows_by_match: dict[Match, list[int]]) -> None:
        """Add the rows of a rule to those of its match; `auto` chooses a match for each expected value."""
        if not rows:
            return
        choose = self.spec.default
        if match.name != "auto" or not callable(choose):
            rows_by_match.setdefault(match, []).extend(rows)
            return
        # grouped by identity first: hashing a match takes longer than choosing it, and `chosen` keeps each match alive
        chosen: dict[int, tuple[Match, list[int]]] = {}
        for row in rows:
            chosen_match = choose(expected[row])
            group = chosen.get(id(chosen_match))
            if group is None:
                group = chosen[id(chosen_match)] = (chosen_match, [])
            group[1].append(row)
        for chosen_match, chosen_rows in chosen.values():
            rows_by_match.setdefault(chosen_match, []).extend(chosen_rows)

    def _decide_by_matcher(self, match: Match, rows: list[int], expected: ValueColumn, actual: ValueColumn, verdicts: _RowVerdicts) -> None:
        scores = score_pairs(match, [expected[row] for row in rows], [actual[row] for row in rows], self.services, finite=self.finite)
        at = np.array(rows, dtype=np.int64)
        verdicts.similarity[at] = scores.value
        verdicts.passed[at] = scores.passed
        verdicts.set_distances(at, scores.distance)
        verdicts.set_relative_distances(at, scores.relative_distance)
        failed = at[~scores.passed]
        is_format_error = differ_in_type_only if compares_readings(match) else differ_in_kind
        has_format_error = [is_format_error(expected[row], actual[row]) for row in failed.tolist()]
        verdicts.outcome[failed] = np.where(has_format_error, _FORMAT_ERROR, _WRONG_VALUE)
        for position, note in scores.notes.items():
            verdicts.notes[rows[position]] = note
        for position, fault in scores.faults.items():
            row = rows[position]
            verdicts.outcome[row] = _FAULT
            verdicts.similarity[row] = np.nan
            verdicts.passed[row] = False
            verdicts.faults[row] = fault


def _describe_dropped(rule: FieldRule) -> Diagnostic:
    what = f'some expected values of this field accept no value, `{{"{ANY}": []}}`: they are left out of the score'
    return Diagnostic(code="dropped-values", what=what, where=Where(field=rule.text), level="info")


def _describe_blank(rule: FieldRule) -> Diagnostic:
    what = "some expected values of this field are empty text where the output has no value: they count as omissions"
    fix = 'if empty text means that there is no value, set `null_values: [""]` on the evaluator'
    return Diagnostic(code="blank-expected", what=what, where=Where(field=rule.text), fix=fix, level="warning")


def _describe_dropped_parts(rule: FieldRule) -> Diagnostic:
    what = f'some expected values of this field have parts that accept no value, `{{"{ANY}": []}}`: any value passes there'
    return Diagnostic(code="dropped-values", what=what, where=Where(field=rule.text), level="info")


def _find_choices(expected: ValueColumn, rows: Sequence[int]) -> list[int]:
    """Of these rows, those whose expected value is, or has anywhere inside, several accepted values."""
    containers = [row for row in rows if expected[row].__class__ in _CONTAINERS]
    try:
        if not containers or _ANY_KEY not in orjson.dumps([expected[row] for row in containers]):
            return []
    except TypeError:  # JSON does not have one of them
        pass
    return [row for row in containers if _has_choice(expected[row])]


def _has_choice(value: Any) -> bool:
    """True if a container is, or has anywhere inside, several accepted values."""
    try:
        return _ANY_KEY in orjson.dumps(value)
    except TypeError:  # nested too deep, or a number that JSON does not have
        return accepted_values(value) is not None


def differ_in_kind(expected: Any, actual: Any) -> bool:
    return expected.__class__ is not actual.__class__ and json_kind(expected) != json_kind(actual)


def compares_readings(match: Match) -> bool:
    """True if the matcher reads both values, so that "169.80" against 189.8 is a wrong value and not a wrong type."""
    matcher = MATCHERS.find(match.name)
    return matcher.compares_readings(matcher.options() if match.options is None else match.options)


def differ_in_type_only(expected: Any, actual: Any) -> bool:
    """True for a value that is right but for its type: 20250403 against "20250403"."""
    return differ_in_kind(expected, actual) and _plain_text(expected) == _plain_text(actual)


def _plain_text(value: Any) -> str | None:
    return value.strip() if isinstance(value, str) else canonical_json(value)


def _decide_by_presence(
    block: FieldBlock, start: int, required: bool | None, is_null: IsNull | None, decided: list[tuple[int, int, float, bool]]
) -> list[int]:
    """Add the rows in which a side has no value to `decided`, and return the others."""
    # a test of the types, where `is_null` would be called for every value; without `is_null` it costs more than it saves
    if is_null is not None and not block.dropped and _NEVER_NULL.issuperset(map(type, chain(block.resolved, block.actual))):
        return [start + row for row in block.unequal]
    present: list[int] = []
    for row in block.unequal:
        if row in block.dropped:
            continue
        expected, actual = block.resolved[row], block.actual[row]
        no_expected = expected is None or expected is MISSING or (is_null is not None and is_null(expected))
        no_actual = actual is None or actual is MISSING or (is_null is not None and is_null(actual))
        if no_expected and actual.__class__ is Misfit:
            actual, no_actual = MISSING, True  # a misfit counts only where a value is expected
        if no_expected or no_actual:
            decided.append((start + row, *outcome_by_presence(no_expected, no_actual, expected is MISSING, actual is MISSING, required)))
        elif actual.__class__ is Misfit:
            decided.append((start + row, _FORMAT_ERROR, 0.0, False))
        else:
            present.append(start + row)
    return present


def outcome_by_presence(
    no_expected: bool, no_actual: bool, expected_missing: bool, actual_missing: bool, required: bool | None
) -> tuple[int, float, bool]:
    """Outcome, similarity and pass of a row in which at least one side has no value."""
    if not no_expected:
        return _OMISSION, 0.0, False
    if not no_actual:
        return _HALLUCINATION, 0.0, False
    if required and actual_missing:
        return _OMISSION, 0.0, False
    return (_BOTH_ABSENT, np.nan, False) if expected_missing else (_BOTH_ABSENT, 1.0, True)


def _unwrap_misfits(actual: ValueColumn, outcome: NDArray[np.uint8]) -> ValueColumn:
    """Replace each misfit by the value it marks, or by MISSING where nothing is expected."""
    for row in _MAY_BE_MISFIT[outcome].nonzero()[0].tolist():
        value = actual[row]
        if value.__class__ is Misfit:
            actual[row] = MISSING if outcome[row] in (_OMISSION, _BOTH_ABSENT) else value.value
    return actual


def _collect_evidence(blocks: Sequence[FieldBlock], total: int) -> tuple[NDArray[np.float64], dict[int, int], dict[int, tuple[float, ...]]]:
    """Confidence (NaN where there is none; empty without any evidence), page and box of each row that has an actual value or a null."""
    page: dict[int, int] = {}
    box: dict[int, tuple[float, ...]] = {}
    if all(block.frame.evidence is None for block in blocks):
        return np.zeros(0), page, box
    confidence = np.full(total, np.nan)
    row = -1
    for block in blocks:
        nodes = block.frame.evidence_at(block.suffix) if block.frame.evidence is not None else [None] * len(block.expected)
        for node, actual in zip(nodes, block.actual, strict=True):
            row += 1
            if not isinstance(node, Evidence) or actual is MISSING:
                continue
            if node.confidence is not None:
                confidence[row] = node.confidence
            if node.page is not None:
                page[row] = node.page
            if node.box is not None:
                box[row] = node.box
    return confidence, page, box


def _find_identical(starts: Sequence[int], blocks: Sequence[FieldBlock], total: int) -> NDArray[np.bool_]:
    """True in the rows whose values are plainly equal."""
    identical = np.ones(total, dtype=np.bool_)
    for start, block in zip(starts, blocks, strict=True):
        if block.unequal:
            identical[start + np.asarray(block.unequal, dtype=np.int64)] = False
    return identical


def _concatenate(arrays: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=dtype)


def _sort_rows_by_item(comparisons: ComparisonTable, blocks: Sequence[FieldBlock]) -> ComparisonTable:
    """Sort the rows of a field by item where they came in several blocks, such as unmatched items after the others."""
    if len({block.field for block in blocks}) == len(blocks):
        return comparisons
    blocks_by_field = Counter([block.field for block in blocks])
    split_fields = [field for field, count in blocks_by_field.items() if count > 1]
    rows = np.flatnonzero(np.isin(comparisons.field, split_fields))
    distinct_paths, codes = np.unique(comparisons.path[rows], return_inverse=True)
    path_numbers: list[int] = distinct_paths.tolist()
    sort_keys = [item_sort_key(comparisons.paths[number]) for number in path_numbers]
    rank_of_key = {sort_key: rank for rank, sort_key in enumerate(sorted({*sort_keys}))}
    ranks = np.array([rank_of_key[sort_key] for sort_key in sort_keys], dtype=np.int64)[codes]
    order = np.arange(len(comparisons))
    order[rows] = rows[np.lexsort((ranks, comparisons.case[rows], comparisons.field[rows]))]
    is_sorted = (order[1:] > order[:-1]).all()
    return comparisons if is_sorted else comparisons.take(order)


def unequal_rows(expected: ValueColumn, actual: ValueColumn) -> Sequence[int]:
    """Rows that are not plainly equal: another kind, another value, a container, null, missing, not finite.

    Python finds True and 1 equal, and 1 and 1.0; so equal values of different types are listed too.

    >>> list(unequal_rows([1, True, "a", None], [1, 1, "b", None]))
    [1, 2, 3]
    """
    if len(expected) == 1:  # the usual evaluation of a single case
        return () if _is_plainly_equal(expected[0], actual[0]) else (0,)
    expected_types = set(map(type, expected))
    if expected_types <= _TEXT_OR_ABSENT:  # only text equals text, so the types of the other side do not matter
        return _list_unequal(expected, actual, has_absent=len(expected_types) > 1 or str not in expected_types)
    actual_types = set(map(type, actual))
    shared = expected_types & actual_types
    number_types = (expected_types | actual_types) & _NUMBERS
    has_infinite = float in shared and (inf in expected or -inf in expected)
    if shared <= _SCALARS_OR_ABSENT and len(number_types) <= 1 and not has_infinite:
        return _list_unequal(expected, actual, has_absent=not shared <= _SCALARS)  # no two values of different types are equal here
    if expected_types <= _CONTAINER_TYPES:
        return _list_unequal_containers(expected, actual)
    return [row for row, (left, right) in enumerate(zip(expected, actual, strict=True)) if not _is_plainly_equal(left, right)]


def _list_unequal_containers(expected: ValueColumn, actual: ValueColumn) -> list[int]:
    """Rows whose lists or objects do not have the same JSON text; one text is written for all rows that Python finds equal."""
    try:
        differs = [*map(ne, expected, actual)]
    except RecursionError:
        differs = [False] * len(expected)
    unequal = [*compress(range(len(expected)), differs)]
    equal = [*compress(range(len(expected)), map(not_, differs))]
    if _has_same_json([expected[row] for row in equal], [actual[row] for row in equal]):
        return unequal
    return sorted(unequal + [row for row in equal if not _is_plainly_equal(expected[row], actual[row])])


def _list_unequal(expected: ValueColumn, actual: ValueColumn, *, has_absent: bool) -> list[int]:
    """Rows whose values differ, compared at C speed, and rows without an expected value."""
    unequal = list(compress(range(len(expected)), map(ne, expected, actual)))
    if not has_absent:
        return unequal
    absent = list(compress(range(len(expected)), map(_ABSENT.__contains__, map(type, expected))))
    return sorted({*unequal, *absent})


def _is_plainly_equal(expected: Any, actual: Any) -> bool:
    if expected.__class__ is not actual.__class__:
        return False
    if expected.__class__ in _SCALARS:
        return expected == actual and not (expected.__class__ is float and expected in _INFINITE)
    return expected.__class__ in (list, dict) and _are_equal(expected, actual) and _has_same_json(expected, actual)


def _are_equal(expected: Any, actual: Any) -> bool:
    """Whether Python finds two containers equal, which stops at the first difference, before anything is serialized."""
    try:
        return expected == actual
    except RecursionError:
        return False


def _has_same_json(expected: Any, actual: Any) -> bool:
    """True if two containers that Python finds equal have the same JSON text. False if that is not certain: `null` may stand for NaN."""
    try:
        text = orjson.dumps(expected)
        return text == orjson.dumps(actual) and b"null" not in text
    except (TypeError, RecursionError):
        return False
