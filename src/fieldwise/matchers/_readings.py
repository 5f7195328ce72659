"""Shared by matchers that read both values into a typed reading (an amount, a moment, a quantity) and compare the readings."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.values import canonical_json, to_nfc
from fieldwise.matchers._keys import is_absent, quote_value
from fieldwise.model.pairs import Pairs, Scores

R = TypeVar("R")


class Agreement(NamedTuple):
    """Whether two readings agree, and what a person should know about it."""

    agrees: bool
    note: str | None = None
    distance: float | None = None
    """The smallest tolerance at which they agree; infinite if no tolerance makes them agree; None if this is not measured."""


class Unread(NamedTuple):
    """A value that is not of the type, with the note that says so. Two of them match only if they are the same value."""

    key: str | None
    note: str


class ReadingMatcher(Generic[R]):
    """A matcher made of a reader and a comparison of two readings."""

    def __init__(self, noun: str, read: Callable[[Any], R | str | None], compare: Callable[[R, R], Agreement]) -> None:
        """`read` gives a reading, None for a value that is not a `noun`, or a text that says why it cannot be read."""
        self._noun = noun
        self._read = read
        self._compare = compare

    def score_pairs(self, pairs: Pairs) -> Scores:
        """1 where both readings agree, else 0."""
        agreements = [
            self._agreement(self._reading(expected), self._reading(actual))
            for expected, actual in zip(pairs.expected, pairs.actual, strict=True)
        ]
        notes = {row: agreement.note for row, agreement in enumerate(agreements) if agreement.note is not None}
        distance = None
        if any(agreement.distance is not None for agreement in agreements):
            distance = np.array([np.nan if agreement.distance is None else agreement.distance for agreement in agreements])
        return Scores.of([agreement.agrees for agreement in agreements], notes=notes, distance=distance)

    def score_grid(self, expected: Sequence[object], actual: Sequence[object]) -> NDArray[np.float64]:
        """1 where an expected value agrees with an actual one, else 0; each value is read once."""
        rows, columns = [self._grid_reading(value) for value in expected], [self._grid_reading(value) for value in actual]
        grid = np.zeros((len(rows), len(columns)), dtype=np.float64)
        for row, left in enumerate(rows):
            for column, right in enumerate(columns):
                if left is None or right is None:
                    grid[row, column] = left is right
                else:
                    grid[row, column] = self._agreement(left, right).agrees
        return grid

    def unread_note(self, value: Any) -> str | None:
        """Why a value cannot be read; None if it can."""
        reading = self._reading(value)
        return reading.note if isinstance(reading, Unread) else None

    def _grid_reading(self, value: object) -> R | Unread | None:
        return None if is_absent(value) else self._reading(value)

    def _reading(self, value: Any) -> R | Unread:
        reading = self._read(value)
        if isinstance(reading, str):
            return Unread(_plain_key(value), reading)
        return Unread(_plain_key(value), f"not {self._noun}: {quote_value(value)}") if reading is None else reading

    def _agreement(self, expected: R | Unread, actual: R | Unread) -> Agreement:
        if isinstance(expected, Unread) or isinstance(actual, Unread):
            if isinstance(expected, Unread) and isinstance(actual, Unread):
                if expected.key is not None and expected.key == actual.key:
                    return Agreement(True)
                return Agreement(False, "; ".join(dict.fromkeys((expected.note, actual.note))))
            return Agreement(False, expected.note if isinstance(expected, Unread) else actual.note)  # pyright: ignore[reportAttributeAccessIssue]
        return self._compare(expected, actual)


def _plain_key(value: Any) -> str | None:
    return canonical_json(to_nfc(value).strip() if isinstance(value, str) else value)


def join_notes(*notes: str | None) -> str | None:
    """The notes that there are, each once, as one text."""
    return "; ".join(dict.fromkeys(note for note in notes if note)) or None


def plain_number(value: Any) -> int | float | None:
    """A number as Python's own int or float; None for anything else, a boolean too. NumPy's floats fail on large integers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if isinstance(value, int) else float(value)
