"""The threshold or tolerance of a field that agrees best with the decisions of a review."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.statistics import wilson_interval
from fieldwise.model.correction import hash_value
from fieldwise.model.diagnostic import ConfigError
from fieldwise.store.run import Run
from fieldwise.store.run_metrics import list_ids_by_position
from fieldwise.study.review_log import Place, ReviewDecision, read_review
from fieldwise.study.review_session import find_review_files
from fieldwise.study.stored_batch import StoredPart, find_compared_rows

MIN_DECISIONS: Final = 10
_RESAMPLES: Final = 400
_LABELS: Final = {"both_right": True, "actual_wrong": False}
"""Decision → whether the comparison should pass. A wrong expected value says nothing about the rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreedLimit:
    """What the decisions of people say about the limit of one field."""

    evaluator: str
    field: str
    option: str
    """`threshold` or `tolerance`."""
    decisions: int
    """Decisions about comparisons of this field that a limit can decide."""
    current_agreement: float | None = None
    """Share of the decisions that the run agrees with."""
    value: float | None = None
    """The limit with the highest agreement; None if there are not enough decisions, or all are alike."""
    low: float | None = None
    """Lower end of the 95 % bootstrap interval of the limit."""
    high: float | None = None
    agreement: float | None = None
    """Share of the decisions that this limit agrees with."""
    agreement_low: float | None = None
    """Lower end of the 95 % Wilson interval of the agreement."""
    agreement_high: float | None = None
    note: str = ""
    """Why there is no limit."""

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict."""
        return asdict(self)


def find_agreed_limits(run: Run, fields: Sequence[tuple[str, str, str]]) -> list[AgreedLimit]:
    """For each evaluator, field and option, what the review beside the data says; empty if there is no review."""
    try:
        log = read_review(find_review_files(run).review)
    except (ConfigError, OSError):
        return []
    labels = _collect_labels(log.in_force)
    if not labels:
        return []
    ids = list_ids_by_position(run)
    limits: list[AgreedLimit] = []
    for evaluator, field, option in dict.fromkeys(fields):
        measured = _collect_measurements(run, ids, evaluator, field, option, labels)
        limits.append(_fit_limit(evaluator, field, option, *measured))
    return limits


def _collect_labels(in_force: Mapping[Place, Sequence[ReviewDecision]]) -> dict[Place, ReviewDecision]:
    """By case and path, the decision that says whether the values agree; the last one counts."""
    return {place: decisions[-1] for place, decisions in in_force.items() if decisions and decisions[-1].decision in _LABELS}


def _holds_for(decision: ReviewDecision, stored: StoredPart, row: int) -> bool:
    """Whether the comparison has the two values that were judged; a decision without hashes holds for every value."""
    hashes = (decision.expected_hash, decision.actual_hash)
    if hashes == (None, None):
        return True
    return hashes == (hash_value(stored.load_value("expected", row)), hash_value(stored.load_value("actual", row)))


def _collect_measurements(
    run: Run, ids: Sequence[str], evaluator: str, field: str, option: str, labels: Mapping[Place, ReviewDecision]
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
    """The measurement of each reviewed comparison of a field, what people say, and what the run says.

    A measurement grows with likeness: the similarity, or the negative distance.
    """
    measurements: list[float] = []
    should_pass: list[bool] = []
    passed: list[bool] = []
    for part in run.parts:
        stored = StoredPart(run.path, part, evaluator)
        if field not in stored.fields:
            continue
        likeness = stored.similarity if option == "threshold" else -_pick_distance(stored)
        for row in find_compared_rows(stored, stored.fields.index(field)).tolist():
            decision = labels.get((ids[int(stored.positions[row])], stored.path_of(row)))
            if decision is not None and np.isfinite(likeness[row]) and _holds_for(decision, stored, row):
                measurements.append(float(likeness[row]))
                should_pass.append(_LABELS[decision.decision])
                passed.append(bool(stored.passed[row]))
    return np.array(measurements), np.array(should_pass, dtype=np.bool_), np.array(passed, dtype=np.bool_)


def _pick_distance(stored: StoredPart) -> NDArray[np.float64]:
    return np.where(np.isnan(stored.distance), stored.relative_distance, stored.distance)


def _fit_limit(
    evaluator: str, field: str, option: str, likeness: NDArray[np.float64], should_pass: NDArray[np.bool_], passed: NDArray[np.bool_]
) -> AgreedLimit:
    n = len(likeness)
    base: dict[str, Any] = {"evaluator": evaluator, "field": field, "option": option, "decisions": n}
    if n:
        base["current_agreement"] = float((passed == should_pass).mean())
    if n < MIN_DECISIONS:
        return AgreedLimit(**base, note=f"not enough: {n} decisions, {MIN_DECISIONS} are needed")
    if should_pass.all() or not should_pass.any():
        return AgreedLimit(**base, note="not enough: all decisions are alike")
    cut, agreed = find_best_cut(likeness, should_pass)
    low, high = _resample_cuts(likeness, should_pass)
    sign = 1.0 if option == "threshold" else -1.0
    ends = sorted((sign * low, sign * high))
    interval = wilson_interval(agreed, n)
    return AgreedLimit(
        **base,
        value=sign * cut,
        low=ends[0],
        high=ends[1],
        agreement=agreed / n,
        agreement_low=interval[0],
        agreement_high=interval[1],
    )


def find_best_cut(likeness: NDArray[np.float64], should_pass: NDArray[np.bool_]) -> tuple[float, int]:
    """The cut that agrees with most decisions, where what is at least the cut passes; and with how many it agrees.

    Among equally good cuts the middle of the widest gap between two measurements is taken.

    >>> find_best_cut(np.array([0.2, 0.5, 0.8, 0.9]), np.array([False, False, True, True]))
    (0.65, 4)
    """
    order = np.argsort(likeness, kind="stable")
    values, labels = likeness[order], should_pass[order]
    # with the cut before position k, the first k fail and the others pass
    agreements = np.concatenate([[0], np.cumsum(~labels)]) + np.concatenate([np.cumsum(labels[::-1])[::-1], [0]])
    is_gap = np.concatenate([[True], values[1:] > values[:-1], [True]])
    agreements = np.where(is_gap, agreements, -1)
    best = np.flatnonzero(agreements == agreements.max())
    lower = np.concatenate([[values[0]], values])[best]
    upper = np.concatenate([values, [np.nextafter(values[-1], np.inf)]])[best]
    widest = int(np.argmax(upper - lower))
    return float((lower[widest] + upper[widest]) / 2), int(agreements.max())


def _resample_cuts(likeness: NDArray[np.float64], should_pass: NDArray[np.bool_]) -> tuple[float, float]:
    """The 2.5 and 97.5 percentiles of the best cut over resampled decisions."""
    generator = np.random.default_rng(0)
    cuts: list[float] = []
    for _ in range(_RESAMPLES):
        rows = generator.integers(0, len(likeness), len(likeness))
        if should_pass[rows].any() and not should_pass[rows].all():
            cuts.append(find_best_cut(likeness[rows], should_pass[rows])[0])
    low, high = np.percentile(cuts, [2.5, 97.5])
    return float(low), float(high)
