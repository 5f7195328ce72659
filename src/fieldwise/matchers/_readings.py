"""Shared by matchers that read both values into a typed reading (an amount, a moment, a quantity) and compare the readings.

A range (`10–20 kg`), a tolerance (`10 ± 1 kg`) and a product of sizes (`3 m x 4 m`) are several readings: they agree with the same kind if
every part agrees, and with no single value. A bound or an estimate (`<5 mg`, `approx. 5 mg`) agrees with the same one only.
"""

import re
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.bounds_in_text import spell_range, split_bound
from fieldwise.kernels.numerals import LongDecimal
from fieldwise.kernels.values import canonical_json, to_nfc
from fieldwise.matchers._keys import is_absent, quote_value
from fieldwise.model.pairs import Pairs, Scores

R = TypeVar("R")
_SEVERAL: Final = (
    ("a range", re.compile(r"\s+(?:-|–|—|to|bis|until|till|through|à|au|al|hasta|até|tot|til|do|до|~|〜|～)\s+|\s*(?:\.\.\.?|…|〜|～)\s*")),
    ("a range", re.compile(r"(?<=[\w%€£$¥])[-–—~](?=[\w€£$¥])")),
    ("a tolerance", re.compile(r"\s*(?:±|\+/[-−–]|\+[-−])\s*")),
    ("a product", re.compile(r"\s*×\s*|(?<=[\d\s])[xX*](?=[\s\d])|\s+(?:by|mal|por)\s+")),
)
_MAX_SEVERAL_LENGTH: Final = 80
_UNIT_BEHIND: Final = re.compile(r"\s*[^\d\s][^\d]*$|(?<=\d)\s+[^\d\s].*$")
_ENDS_IN_DIGIT: Final = re.compile(r"\d\.?$")


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


class SeveralReadings(NamedTuple, Generic[R]):
    """A range or a product: two or more readings in order."""

    kind: str
    parts: tuple[R, ...]


class BoundReading(NamedTuple, Generic[R]):
    """A bound or an estimate: its sign and the reading that it bounds."""

    sign: str
    reading: R


class ReadingMatcher(Generic[R]):
    """A matcher made of a reader and a comparison of two readings."""

    def __init__(
        self,
        noun: str,
        read: Callable[[Any], R | str | None],
        compare: Callable[[R, R], Agreement],
        *,
        reads_ranges: bool = True,
        of_actual: "ReadingMatcher[R] | None" = None,
        unread_key: "Callable[[Any], str | None] | None" = None,
    ) -> None:
        """`read` gives a reading, None for a value that is not a `noun`, or a text that says why it cannot be read.

        `of_actual` reads the actual values, where they are read otherwise than the expected ones. Values that cannot be read agree if
        their `unread_key` is the same and not None; by default it is the value itself.
        """
        self._of_actual = of_actual or self
        self._unread_key = unread_key or plain_key
        self._reads_ranges = reads_ranges
        self._noun = noun
        self._read = read
        self._compare = compare

    def score_pairs(self, pairs: Pairs) -> Scores:
        """1 where both readings agree, else 0."""
        agreements = [
            self._agreement(self._reading(expected), self._of_actual._reading(actual))
            for expected, actual in zip(pairs.expected, pairs.actual, strict=True)
        ]
        notes = {row: agreement.note for row, agreement in enumerate(agreements) if agreement.note is not None}
        distance = None
        if any(agreement.distance is not None for agreement in agreements):
            distance = np.array([np.nan if agreement.distance is None else agreement.distance for agreement in agreements])
        return Scores.of([agreement.agrees for agreement in agreements], notes=notes, distance=distance)

    def score_grid(self, expected: Sequence[object], actual: Sequence[object]) -> NDArray[np.float64]:
        """1 where an expected value agrees with an actual one, else 0; each value is read once."""
        rows = [self._grid_reading(value) for value in expected]
        columns = [self._of_actual._grid_reading(value) for value in actual]
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

    def _grid_reading(self, value: object) -> "_Reading[R] | None":
        return None if is_absent(value) else self._reading(value)

    def _reading(self, value: Any) -> "_Reading[R]":
        reading = self._read(value)
        if reading is None and self._reads_ranges and isinstance(value, str) and len(value) <= _MAX_SEVERAL_LENGTH:
            special = self._read_several(value) or self._read_bound(value)
            if special is not None:
                return special
        if isinstance(reading, str):
            return Unread(self._unread_key(value), reading)
        return Unread(self._unread_key(value), f"not {self._noun}: {quote_value(value)}") if reading is None else reading

    def _read_several(self, text: str) -> SeveralReadings[R] | None:
        """A range or a product; None if the text is neither."""
        text = spell_range(text)
        for kind, separator in _SEVERAL:
            texts = [part.strip() for part in separator.split(text.strip())]
            if len(texts) != 2 and not (kind == "a product" and len(texts) == 3):
                continue
            unit = _UNIT_BEHIND.search(texts[-1])
            readings = [self._read_part(part, unit[0] if unit is not None else "") for part in texts[:-1]]
            readings.append(self._read_part(texts[-1], ""))
            parts = tuple(reading for reading in readings if reading is not None)
            if len(parts) == len(texts):
                return SeveralReadings(kind, parts)
        return None

    def _read_bound(self, text: str) -> BoundReading[R] | None:
        """A bound or an estimate; None if the text is neither."""
        bound = split_bound(text)
        reading = None if bound is None or not any(map(str.isdigit, bound[1])) else self._read(bound[1])
        return None if bound is None or reading is None or isinstance(reading, str) else BoundReading(bound[0], reading)

    def _read_part(self, text: str, unit: str) -> R | None:
        """One part, with the unit of the last part where it has none: the 10 of `10–20 kg`."""
        if unit and _ENDS_IN_DIGIT.search(text):
            with_unit = self._read(text + unit)
            if with_unit is not None and not isinstance(with_unit, str):
                return with_unit
        reading = self._read(text) if any(map(str.isdigit, text)) else None
        return None if isinstance(reading, str) else reading

    def _agreement(self, expected: "_Reading[R]", actual: "_Reading[R]") -> Agreement:
        if isinstance(expected, BoundReading) or isinstance(actual, BoundReading):
            return self._agreement_of_bounds(expected, actual)
        if isinstance(expected, SeveralReadings) or isinstance(actual, SeveralReadings):
            return self._agreement_of_several(expected, actual)
        if isinstance(expected, Unread) or isinstance(actual, Unread):
            if isinstance(expected, Unread) and isinstance(actual, Unread):
                if expected.key is not None and expected.key == actual.key:
                    return Agreement(True)
                return Agreement(False, "; ".join(dict.fromkeys((expected.note, actual.note))))
            return Agreement(False, expected.note if isinstance(expected, Unread) else actual.note)  # pyright: ignore[reportAttributeAccessIssue]
        return self._compare(expected, actual)

    def _agreement_of_bounds(self, expected: "_Reading[R]", actual: "_Reading[R]") -> Agreement:
        if isinstance(expected, BoundReading) and isinstance(actual, BoundReading):
            if expected.sign != actual.sign:
                return Agreement(False, f"bounds differ: {expected.sign} and {actual.sign}", inf)
            return self._compare(expected.reading, actual.reading)
        for reading in (expected, actual):
            if isinstance(reading, Unread):
                return Agreement(False, reading.note)
        sign = expected.sign if isinstance(expected, BoundReading) else actual.sign  # pyright: ignore[reportAttributeAccessIssue]
        return Agreement(False, f"only one side is a bound or an estimate: {sign}", inf)

    def _agreement_of_several(self, expected: R | SeveralReadings[R] | Unread, actual: R | SeveralReadings[R] | Unread) -> Agreement:
        for reading in (expected, actual):
            if isinstance(reading, Unread):
                return Agreement(False, reading.note)
        if not isinstance(expected, SeveralReadings) or not isinstance(actual, SeveralReadings) or expected.kind != actual.kind:
            kind = expected.kind if isinstance(expected, SeveralReadings) else actual.kind  # pyright: ignore[reportAttributeAccessIssue]
            return Agreement(False, f"only one side is {kind}")
        if len(expected.parts) != len(actual.parts):
            return Agreement(False)
        agreements = [self._compare(left, right) for left, right in zip(expected.parts, actual.parts, strict=True)]
        distances = [agreement.distance for agreement in agreements if agreement.distance is not None]
        return Agreement(
            all(agreement.agrees for agreement in agreements),
            join_notes(*(agreement.note for agreement in agreements)),
            max(distances) if len(distances) == len(agreements) else None,
        )


_Reading: TypeAlias = R | SeveralReadings[R] | BoundReading[R] | Unread


def plain_key(value: Any) -> str | None:
    """A text that is the same for equal values; None for a value that has none."""
    return canonical_json(to_nfc(value).strip() if isinstance(value, str) else value)


def no_key(value: Any) -> None:
    """The key of values that never pass where they cannot be read."""


def join_notes(*notes: str | None) -> str | None:
    """The notes that there are, each once, as one text."""
    return "; ".join(dict.fromkeys(note for note in notes if note)) or None


def plain_number(value: Any) -> int | float | None:
    """A number as Python's own int or float; None for anything else, a boolean too. NumPy's floats fail on large integers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, LongDecimal):
        return value
    return int(value) if isinstance(value, int) else float(value)
