"""Key classification of response quality: by which side has a key, and which side has a value for it."""

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.comparison import Comparisons, Outcome
from fieldwise.model.rule import Nulls
from fieldwise.model.values import MISSING, Value

EXTRA, NULL_HAS_VALUE, LOST, BOTH, NEITHER = range(5)
BUCKETS = ("extra_keys", "gt_null_aio_has_value", "aio_missing_or_null", "both_non_null", "both_null")


def buckets_of(comparisons: Comparisons, nulls: Nulls) -> NDArray[np.uint8]:
    """The bucket of each row, by which side has the key and which side has a value."""
    outcome = comparisons.outcome
    bucket = np.full(len(outcome), BOTH, dtype=np.uint8)
    bucket[outcome == Outcome.OMISSION] = LOST
    bucket[outcome == Outcome.HALLUCINATION] = NULL_HAS_VALUE
    bucket[outcome == Outcome.BOTH_ABSENT] = NEITHER
    absent = (outcome == Outcome.HALLUCINATION) | (outcome == Outcome.BOTH_ABSENT)
    for row in np.flatnonzero(absent).tolist():
        if comparisons.expected[row] is MISSING:
            bucket[row] = EXTRA
    is_null = nulls.test()
    for row in np.flatnonzero(outcome == Outcome.IGNORED).tolist():  # nobody has looked at those yet
        expected, actual = comparisons.expected[row], comparisons.actual[row]
        bucket[row] = _bucket(expected, actual, *(value is None or bool(is_null and is_null(value)) for value in (expected, actual)))
    return bucket


def _bucket(expected: Value, actual: Value, expected_null: bool, actual_null: bool) -> int:
    """The bucket of one key."""
    if expected is MISSING:
        return EXTRA
    nothing = actual is MISSING or actual_null
    if expected_null:
        return NEITHER if nothing else NULL_HAS_VALUE
    return LOST if nothing else BOTH
