"""A column of data that identifies the rows of both sides, where no column is named like an id and the order or number of rows differs.

Called where two tables are paired, before they would be paired by the number of their rows.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from operator import eq
from typing import Any, Final

from fieldwise.kernels.values import to_nfc
from fieldwise.pattern import compile_on_use
from fieldwise.read.columns import fold_name

OTHER_IDS: Final = "other-ids"
"""Code of the warning that rows of the same number have different ids."""
MAX_COMPARED_ROWS: Final = 20_000
"""Number of rows of each side that decide."""
_MIN_SHARED: Final = 0.9
"""Share of the values of each side that the other must have."""
_MIN_MOVED: Final = 2
_MIN_MOVED_SHARE: Final = 0.1
"""Number and share of rows that must be at another place on the other side: one swapped value may be an error of the system."""

_MIN_SHARED_VALUES: Final = 0.5
_EVIDENT_DEVIATIONS: Final = 5.0
"""Share of a column's values that the other side must have, and how many standard deviations above chance they would be at the same place
in rows of the same order, for the column to be evidence of the order."""
_CHANCE_DEVIATIONS: Final = 2.0
"""Standard deviations above the mean up to which values are equal by chance."""

_ID_ENDING: Final = re.compile(r"(?:[_\- ]|^)(?i:id|uuid)$|(?<=[a-z])I[dD]$")
_MIN_ID_ROWS: Final = 10
_MIN_OTHER_IDS: Final = 0.9
"""Number of rows with an id on both sides, and the share of them with different ones, that show that rows do not belong together."""

_WORDS: Final = compile_on_use(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_EXPECTED_WORDS: Final = frozenset(("expected", "gold", "golden", "truth", "groundtruth"))
_OUTPUT_WORDS: Final = frozenset(
    ("answer", "answers", "output", "outputs", "prediction", "predictions", "predicted", "response", "completion")
)

_Row = Mapping[str, Any]


def find_shared_column(expected: Sequence[_Row], actual: Sequence[_Row]) -> tuple[str, str] | None:
    """The column by which rows pair, as each side names it; None if they are in the same order, or if no column identifies them.

    Its name, apart from case and separators, and, nearly, its values are the same on both sides, no value repeats, and no other pairing
    makes more of the other columns agree. Rows in the same order and of the same number pair by their number.

    >>> rows = [{"file": "a.pdf", "total": 1}, {"file": "b.pdf", "total": 2}, {"file": "c.pdf", "total": 2}]
    >>> find_shared_column(rows, rows[::-1]), find_shared_column(rows, rows)
    (('file', 'file'), None)
    """
    columns = _pair_columns(_list_columns(expected), _list_columns(actual))
    identifying = [names for names in columns if not any(map(_names_result, names))]
    by_position = list(zip(expected, actual, strict=False))
    has_other_count = len(expected) != len(actual)  # from the first row that one side lacks, numbers pair the wrong rows
    best: tuple[int, float] = (-1, 0.0)
    chosen: tuple[str, str] | None = None
    for names in identifying:
        expected_rows, actual_rows = _index_rows(expected, names[0]), _index_rows(actual, names[1])
        if expected_rows is None or actual_rows is None or not _have_other_columns(expected, actual, names):
            continue
        shared = expected_rows.keys() & actual_rows.keys()
        share = len(shared) / max(len(expected_rows), len(actual_rows))
        moved = sum(expected_rows[value] != actual_rows[value] for value in shared)
        is_moved = moved >= max(_MIN_MOVED, _MIN_MOVED_SHARE * len(shared))
        if share < _MIN_SHARED or not (is_moved or (has_other_count and moved)):
            continue
        pairs = [(expected[expected_rows[value]], actual[actual_rows[value]]) for value in shared]
        others = [pair for pair in columns if pair != names]  # the column itself agrees in each of its own pairs
        agreeing = count_agreeing(pairs, others)
        if agreeing >= count_agreeing(by_position, others) and (agreeing, share) > best:
            best, chosen = (agreeing, share), names
    return chosen


def _names_result(name: str) -> bool:
    """True for a column of expected values or of outputs: pairing by it would hide what differs.

    >>> [_names_result(name) for name in ("TRUTH_answer", "goldLabel", "answer", "Invoice Reference", "output_file")]
    [True, True, True, False, False]
    """
    words = [word.casefold() for word in _WORDS.findall(name)]
    return bool(words) and (words[0] in _EXPECTED_WORDS or words[-1] in _EXPECTED_WORDS | _OUTPUT_WORDS)


def are_in_other_order(expected: Sequence[_Row], actual: Sequence[_Row]) -> bool:
    """True if the sides have the same values in a column, but no more of them at the same place than chance would put there.

    Then rows of the same number are probably not the same case. Rows whose values are never equal, such as free text, say nothing.

    >>> rows = [{"kind": "abcd"[number % 4], "total": number // 2} for number in range(40)]
    >>> are_in_other_order(rows, rows[::-1]), are_in_other_order(rows, rows)
    (True, False)
    """
    count = min(len(expected), len(actual))
    has_evidence = False
    for left, right in _pair_columns(_list_names(expected), _list_names(actual)):
        expected_values = [to_comparable(row.get(left)) for row in expected[:count]]
        actual_values = [to_comparable(row.get(right)) for row in actual[:count]]
        expected_counts, actual_counts = Counter(expected_values), Counter(actual_values)
        chance = sum(number * actual_counts[value] for value, number in expected_counts.items()) / count
        deviation = (chance * (1 - chance / count)) ** 0.5
        shared = (expected_counts & actual_counts).total()
        if sum(map(eq, expected_values, actual_values)) > chance + _CHANCE_DEVIATIONS * deviation:
            return False
        is_evidence = shared >= _MIN_SHARED_VALUES * count and shared > chance + _EVIDENT_DEVIATIONS * deviation
        has_evidence = has_evidence or is_evidence
    return has_evidence


def describe_other_ids(expected: Sequence[_Row], actual: Sequence[_Row]) -> str | None:
    """That nearly all rows of the same number differ in a column that is named like an id, in words; None if there is no such column.

    >>> rows = [{"EntityID": f"Q{number}", "kind": "a"} for number in range(20)]
    >>> describe_other_ids(rows[:10], rows[10:])
    'rows of the same number have another `EntityID` in 10 of 10 cases: they may not belong together'
    >>> describe_other_ids(rows, rows)
    """
    for left, right in _pair_columns(_list_columns(expected), _list_columns(actual)):
        if not _ID_ENDING.search(left):
            continue
        pairs = [(row.get(left), other_row.get(right)) for row, other_row in zip(expected, actual, strict=False)]
        present = [pair for pair in pairs if all(value not in (None, "") for value in pair)]
        differing = sum(to_comparable(value) != to_comparable(other_value) for value, other_value in present)
        if len(present) >= _MIN_ID_ROWS and differing >= _MIN_OTHER_IDS * len(present):
            return f"rows of the same number have another `{left}` in {differing:,} of {len(present):,} cases: they may not belong together"
    return None


def _pair_columns(expected: Sequence[str], actual: Sequence[str]) -> list[tuple[str, str]]:
    """The columns that both sides have: of the same name, else of the only one that differs in case and separators alone."""
    pairs: list[tuple[str, str]] = []
    for name in expected:
        folded = [actual_name for actual_name in actual if fold_name(actual_name) == fold_name(name)]
        if name in actual:
            pairs.append((name, name))
        elif len(folded) == 1 and folded[0] not in expected:
            pairs.append((name, folded[0]))
    return pairs


def _list_names(rows: Sequence[_Row]) -> list[str]:
    return [*rows[0]] if rows else []


def _list_columns(rows: Sequence[_Row]) -> list[str]:
    return [name for name, value in rows[0].items() if not isinstance(value, dict | list)] if rows else []


def _have_other_columns(expected: Sequence[_Row], actual: Sequence[_Row], names: tuple[str, str]) -> bool:
    """False if the column is all that a side has: pairing by it would leave nothing to compare."""
    return all(any(column != name for column in rows[0]) for rows, name in zip((expected, actual), names, strict=True))


def _index_rows(rows: Sequence[_Row], name: str) -> dict[str, int] | None:
    """Value → number of its row; None if a value is no text or code, or repeats. Numbers that follow one another identify nothing."""
    numbers: dict[str, int] = {}
    for number, row in enumerate(rows):
        value = row.get(name)
        if isinstance(value, bool) or not isinstance(value, str | int) or value == "" or to_nfc(str(value)) in numbers:
            return None
        numbers[to_nfc(str(value))] = number
    return None if counts_up(set(numbers)) else numbers


def count_agreeing(pairs: Sequence[tuple[_Row, _Row]], columns: Sequence[tuple[str, str]]) -> int:
    """The number of values in these columns that are equal in their pair."""
    return sum(to_comparable(row.get(left)) == to_comparable(other_row.get(right)) for row, other_row in pairs for left, right in columns)


_MAX_COUNT_DIGITS: Final = 9
_MAX_COUNT_SPREAD: Final = 2
"""Numbers count up if they spread over at most this many times their number, and begin that low."""


def counts_up(values: set[str]) -> bool:
    """True for whole numbers that follow one another, or nearly: any two such columns share values.

    >>> counts_up({"1", "2", "3"}), counts_up({"7", "14", "21"}), counts_up({"A1", "A2"})
    (True, False, False)
    """
    if not values or not all(value.isascii() and value.isdigit() and len(value) < _MAX_COUNT_DIGITS for value in values):
        return False
    numbers = [int(value) for value in values]
    return max(numbers) - min(numbers) < _MAX_COUNT_SPREAD * len(numbers) and min(numbers) <= _MAX_COUNT_SPREAD * len(numbers)


def to_comparable(value: Any) -> str:
    """A value as text that is equal for values that only differ in writing."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return " ".join(value.split()).casefold() if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
