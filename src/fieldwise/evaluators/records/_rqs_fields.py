"""Parts of response quality that concern single keys: strategies, buckets, and agreement between several outputs."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import combinations
from math import fsum
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.calendar_moment import AmbiguousMoment
from fieldwise.kernels.moments import read_moment
from fieldwise.model.batch import Batch
from fieldwise.model.comparison import ComparisonTable, Outcome
from fieldwise.model.rule import CompareSpec, Nulls
from fieldwise.model.values import MISSING, Value, json_kind

Strategy = Literal["EXACT", "FUZZY", "SEMANTIC", "IGNORE"]
STRATEGIES: Final[tuple[Strategy, ...]] = get_args(Strategy)

# a whole address and nothing else; the local part and the domain may contain anything but spaces and a second @
_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)+")
_IDENTIFIER: Final = re.compile(r"(?=\D*\d)[\w\-./#:+]+")
"""Text without spaces of letters, digits and these marks, with at least one digit."""
EXACT_TYPES: Final = frozenset((type(None), bool, int, float, list, dict))
"""Types whose values always get EXACT, whatever the default for text."""


def detect_strategy(value: Any, default_text: Strategy) -> Strategy:
    """The strategy for a value by its type: text is EXACT if it is an email address, a date in any form or an identifier.

    >>> [detect_strategy(v, "SEMANTIC") for v in (5, True, "31/01/2024", "Jan 31, 2024", "a@b.org", "007", "INV-001", [1], {"a": 1})]
    ['EXACT', 'EXACT', 'EXACT', 'EXACT', 'EXACT', 'EXACT', 'EXACT', 'EXACT', 'EXACT']
    >>> [detect_strategy(v, "SEMANTIC") for v in ("free text", "12 %", "EUR 100")]
    ['SEMANTIC', 'SEMANTIC', 'SEMANTIC']
    """
    if type(value) in EXACT_TYPES or (type(value) is not str and json_kind(value) != "string"):
        return "EXACT"
    text = str(value).strip()
    if text.isascii() and text.replace(" ", "").isalpha():  # most text is words, and this is cheap
        return default_text
    is_exact = ("@" in text and _EMAIL.fullmatch(text)) or _is_identifier(text) or _is_date(text)
    return "EXACT" if is_exact else default_text


def _is_identifier(text: str) -> bool:
    """True for an identifier; fractions and powers (`12½`, `m²`) are no digits."""
    if _IDENTIFIER.fullmatch(text) is None:
        return False
    return text.isascii() or not any(unicodedata.category(character) == "No" for character in text)


def _is_date(text: str) -> bool:
    """True for a calendar date with or without a time of day, also where the order of day and month is open."""
    if text.isascii() and not any(map(str.isdigit, text)):
        return False
    moment = read_moment(text)
    return moment is not None and (isinstance(moment, AmbiguousMoment) or moment.day is not None)


EXTRA, NULL_HAS_VALUE, LOST, BOTH, NEITHER = range(5)
BUCKETS: Final = ("extra_keys", "gt_null_aio_has_value", "aio_missing_or_null", "both_non_null", "both_null")


def assign_buckets(comparisons: ComparisonTable, nulls: Nulls) -> NDArray[np.uint8]:
    """The bucket of each row, by which side has the key and which side has a value."""
    outcome = comparisons.outcome
    bucket = np.full(len(outcome), BOTH, dtype=np.uint8)
    bucket[outcome == Outcome.OMISSION] = LOST
    bucket[outcome == Outcome.HALLUCINATION] = NULL_HAS_VALUE
    bucket[outcome == Outcome.BOTH_ABSENT] = NEITHER
    has_no_expected = (outcome == Outcome.HALLUCINATION) | (outcome == Outcome.BOTH_ABSENT)
    for row in np.flatnonzero(has_no_expected).tolist():
        if comparisons.expected[row] is MISSING:
            bucket[row] = EXTRA
    is_null = nulls.make_test()
    for row in np.flatnonzero(outcome == Outcome.IGNORED).tolist():  # the outcome of an ignored row says nothing about presence
        expected, actual = comparisons.compared_value(row), comparisons.actual[row]
        expected_is_null = expected is None or bool(is_null and is_null(expected))
        actual_is_null = actual is None or bool(is_null and is_null(actual))
        bucket[row] = _bucket_of_key(expected, actual, expected_is_null, actual_is_null)
    return bucket


def _bucket_of_key(expected: Value, actual: Value, expected_is_null: bool, actual_is_null: bool) -> int:
    if expected is MISSING:
        return EXTRA
    has_no_actual = actual is MISSING or actual_is_null
    if expected_is_null:
        return NEITHER if has_no_actual else NULL_HAS_VALUE
    return LOST if has_no_actual else BOTH


@dataclass(frozen=True, slots=True)
class OutputAgreement:
    """Agreement between several outputs for one case."""

    fields: dict[str, float]
    """By field, the share of pairs of outputs that agree."""
    pairs: int

    @property
    def mean(self) -> float:
        """Mean over the fields; 1 if no output has any field."""
        return fsum(self.fields.values()) / len(self.fields) if self.fields else 1.0  # fsum: independent of the order of fields

    def to_json(self) -> dict[str, Any]:
        """The agreement of each field; stable fields agree in every pair, drifting ones are sorted by agreement."""
        stable = [field for field, share in self.fields.items() if share == 1.0]
        drifting = sorted((field for field, share in self.fields.items() if share < 1.0), key=lambda field: self.fields[field])
        return {"fields": self.fields, "pairs": self.pairs, "stable": stable, "drifting": drifting}


def measure_agreement(batch: Batch, spec: CompareSpec) -> list[OutputAgreement | None]:
    """The agreement of each case with two outputs or more, None for other cases; empty if no case has several outputs."""
    if not any(actuals and len(actuals) > 1 for actuals in batch.cases.actuals):
        return []
    return [_agreement_of_case(batch, spec, actuals) if actuals and len(actuals) > 1 else None for actuals in batch.cases.actuals]


def _agreement_of_case(batch: Batch, spec: CompareSpec, actuals: Sequence[Value]) -> OutputAgreement:
    pairs = list(combinations(actuals, 2))
    comparisons = batch.compare_records(spec, [left for left, _ in pairs], [right for _, right in pairs])
    agrees = comparisons.passed | (comparisons.outcome == Outcome.BOTH_ABSENT)
    is_compared = comparisons.outcome != Outcome.IGNORED
    compared = np.bincount(comparisons.path[is_compared], minlength=len(comparisons.paths))
    agreeing = np.bincount(comparisons.path[is_compared & agrees], minlength=len(comparisons.paths))
    shares: dict[str, float] = {}
    for path, compared_pairs, agreeing_pairs in zip(comparisons.paths, compared, agreeing, strict=True):
        if compared_pairs:
            # a pair in which neither output has the field is not compared, and agrees
            shares[path] = (len(pairs) - int(compared_pairs - agreeing_pairs)) / len(pairs)
    return OutputAgreement(shares, len(pairs))
