"""Metrics that had nothing to measure in a case: the case keeps the value and its flag, and means leave it out."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.result import Labels
from fieldwise.specs import EvaluatorSpec


def leave_out_vacuous(
    columns: Mapping[str, NDArray[np.float64]], flags: Labels | None, scored: NDArray[np.bool_], spec: EvaluatorSpec
) -> dict[str, NDArray[np.float64]]:
    """The metric columns with NaN where a metric had nothing to measure, or could not be measured.

    `scored` marks the cases that this may concern: where the system gave no output, every metric is 0 and counts.
    """
    remaining = dict(columns)
    if flags is None or not len(flags.codes):
        return remaining
    for name, needed_flags in (*spec.vacuous.items(), *((name, (flag,)) for name, flag in spec.unscored.items())):
        if name in remaining:
            is_left_out = scored.copy()
            for flag in needed_flags:
                is_left_out &= has_flag(flags, flag)
            remaining[name] = np.where(is_left_out, np.nan, remaining[name])
    return remaining


def count_unscored(
    columns: Mapping[str, NDArray[Any]], flags: Labels | None, scored: NDArray[np.bool_], spec: EvaluatorSpec
) -> dict[str, int]:
    """By metric, the number of cases in which it could not be measured though something was expected.

    Where the system gave no output, most metrics are 0 and measured; some, such as a distance, have no number then.
    """
    if flags is None or not len(flags.codes):
        return {}
    counts: dict[str, int] = {}
    for name, flag in spec.unscored.items():
        has_no_number = np.isnan(columns[name]) if name in columns else np.ones(len(scored), dtype=np.bool_)
        counts[name] = int((has_flag(flags, flag) & (scored | has_no_number)).sum())
    return counts


def has_flag(flags: Labels, flag: str) -> NDArray[np.bool_]:
    """By case, whether it has this flag.

    >>> has_flag(Labels.of([["a"], [], ["b", "a"]]), "a").tolist()
    [True, False, True]
    """
    cases = len(flags.offsets) - 1
    if flag not in flags.texts:
        return np.zeros(cases, dtype=np.bool_)
    case_of_code = np.repeat(np.arange(cases), flags.counts())
    has = np.zeros(cases, dtype=np.bool_)
    has[case_of_code[flags.codes == list(flags.texts).index(flag)]] = True
    return has
