"""A batch of value pairs, and the score of each pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.services import NO_SERVICES, Services
from fieldwise.model.values import Json
from fieldwise.numpy_on_use import np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Pairs:
    """Values to compare, row by row. Both sides of every row are present and not null."""

    expected: Sequence[Json]
    actual: Sequence[Json]
    services: Services = field(default=NO_SERVICES, repr=False, compare=False)
    """For matchers that ask a model or embed texts."""
    needs_distance: bool = field(default=True, repr=False, compare=False)
    """Whether distances and notes are used; list alignment uses the scores alone, and a matcher may leave the others out then."""

    def __len__(self) -> int:
        return len(self.expected)


@dataclass(frozen=True, slots=True)
class Measurements:
    """What is stored about pairs that were compared; enough to decide them again under another threshold or tolerance."""

    similarity: NDArray[np.float64]
    distance: NDArray[np.float64]
    """As in `Scores`; NaN where no tolerance decides the pair."""
    relative_distance: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scores:
    """The score of each pair of a batch."""

    value: NDArray[np.float64]
    """In [0, 1], row by row; NaN where it could not be measured, with the reason in `faults`."""
    passed: NDArray[np.bool_]
    """True where the pair matches."""
    notes: Mapping[int, str] = field(default_factory=dict)
    """Remarks by row, such as `ambiguous date` or `NaN is not a number`."""
    faults: Mapping[int, Diagnostic] = field(default_factory=dict)
    distance: NDArray[np.float64] | None = None
    """The smallest `tolerance` at which the pair matches; infinite if no option value makes it match; NaN if no tolerance decides it."""
    relative_distance: NDArray[np.float64] | None = None
    """The same for a tolerance that is a share of the expected value."""

    @classmethod
    def of(
        cls,
        value: ArrayLike,
        *,
        passed: ArrayLike | None = None,
        notes: Mapping[int, str] | None = None,
        faults: Mapping[int, Diagnostic] | None = None,
        distance: NDArray[np.float64] | None = None,
        relative_distance: NDArray[np.float64] | None = None,
    ) -> Scores:
        """Build scores from anything array-like; without `passed`, a pair passes at 1.0.

        >>> Scores.of([True, False]).value.tolist()
        [1.0, 0.0]
        """
        values = np.asarray(value, dtype=np.float64)
        decided = values >= 1.0 if passed is None else np.asarray(passed, dtype=np.bool_)
        return cls(values, decided, notes or {}, faults or {}, distance, relative_distance)

    def __len__(self) -> int:
        return len(self.value)
