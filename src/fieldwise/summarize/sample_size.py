"""How many cases are needed to detect a drop of a metric, from measured or assumed variance."""

from dataclasses import asdict, dataclass
from math import ceil, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.paired import standard_error
from fieldwise.kernels.power import cases_needed, detectable_effect, detection_power
from fieldwise.kernels.statistics import degrees_of_freedom

DEFAULT_CORRELATION: Final = 0.5
"""Assumed correlation of the scores of one case in two runs."""
_TABLE_FACTORS: Final = (0.25, 0.5, 1.0, 2.0, 4.0)
_CURVE_FACTORS: Final = (0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSpread:
    """The spread of the change of a metric from run to run, over independent units: cases, or groups of cases."""

    deviation: float
    """Standard deviation of the change, scaled so that `n` units have a standard error of `deviation / sqrt(n)`."""
    cases_per_unit: float = 1.0
    """Cases in a group; 1 if the cases are independent."""
    is_grouped: bool = False
    cases: int | None = None
    """Number of measured cases; None if the spread is assumed."""
    units: int | None = None
    """Number of measured cases or groups; None if the spread is assumed."""
    equal_share: float = 1.0
    """Groups of equal size that vary alike, and are as good to estimate the variance, as a share of these groups. `compare` takes their
    number for its degrees of freedom."""
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSize:
    """Cases needed to detect one drop."""

    drop: float
    cases: int | None
    """None if no affordable number of cases is enough."""
    groups: int | None
    """None if the cases are independent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerPoint:
    """The power to detect the drop with some cases."""

    cases: int
    groups: int | None
    power: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerPlan:
    """Cases needed to detect a drop, with a table of other drops and a curve of other numbers of cases."""

    drop: float
    power: float
    confidence: float
    cases: int | None
    groups: int | None
    deviation: float
    """Standard deviation of the change over cases or groups."""
    measured_cases: int | None
    measured_groups: int | None
    detectable: float | None
    """The smallest drop that the measured cases detect with this power; None if the spread is assumed."""
    assumptions: tuple[str, ...]
    table: tuple[SampleSize, ...]
    curve: tuple[PowerPoint, ...]

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict."""
        return asdict(self)


def assume_spread(deviation: float, correlation: float, *, group_size: float = 1.0, intraclass: float = 0.0) -> ChangeSpread:
    """The spread for an assumed standard deviation of the metric over cases, its correlation in two runs, and groups.

    `intraclass` is the correlation of two cases of one group: a group of `group_size` cases is worth `group_size / design_effect` cases.
    """
    design_effect = 1 + (group_size - 1) * intraclass
    change = deviation * sqrt(2 * (1 - correlation))
    assumptions = [f"a standard deviation of {deviation:g} over cases", f"a correlation of {correlation:g} between the runs of one case"]
    is_grouped = group_size > 1
    if is_grouped:
        assumptions.append(f"groups of {group_size:g} cases with an intraclass correlation of {intraclass:g}")
    return ChangeSpread(
        deviation=change * sqrt(design_effect / group_size),
        cases_per_unit=group_size,
        is_grouped=is_grouped,
        assumptions=tuple(assumptions),
    )


def measure_spread(values: NDArray[np.float64], groups: NDArray[np.int64] | None, correlation: float | None) -> ChangeSpread | None:
    """The spread from the values of one run, with an assumed correlation, or from the differences of two runs (`correlation` None).

    None for fewer than two cases or groups, or if all values are equal.
    """
    sizes = None
    sums = values
    if groups is not None:
        all_sizes = np.bincount(groups)
        sizes = all_sizes[all_sizes > 0].astype(np.float64)
        sums = np.bincount(groups, weights=values).astype(np.float64)[all_sizes > 0]
    units = len(sums)
    error = standard_error(sums, sizes)
    if units < 2 or error <= 0:
        return None
    scale = 1.0 if correlation is None else sqrt(2 * (1 - correlation))
    assumption = () if correlation is None else (f"a correlation of {correlation:g} between the runs of one case",)
    return ChangeSpread(
        deviation=error * sqrt(units) * scale,
        cases_per_unit=len(values) / units,
        is_grouped=groups is not None,
        cases=len(values),
        units=units,
        equal_share=1.0 if sizes is None else _share_of_equal_groups(sums, sizes),
        assumptions=assumption,
    )


def _share_of_equal_groups(sums: NDArray[np.float64], sizes: NDArray[np.float64]) -> float:
    """The number of equal groups with as many degrees of freedom, as a share of these groups."""
    groups = len(sizes)
    degrees = degrees_of_freedom(sums, sizes, float(sums.sum()) / float(sizes.sum()))
    return min(1.0, (degrees + 1) / groups)


def plan_sample_size(
    spread: ChangeSpread, drop: float, *, power: float = 0.8, confidence: float = 0.95, is_share: bool = True
) -> PowerPlan:
    """The number of cases, and of groups, that detect a drop of the metric; `is_share`: no drop of 1 or more is of interest."""

    share = spread.equal_share
    deviation = spread.deviation * sqrt(share)  # this number of equal groups has the standard error of all groups

    def needed_for(change: float) -> SampleSize:
        equal_units = cases_needed(change, deviation, power=power, confidence=confidence)
        units = None if equal_units is None else ceil(equal_units / share - 1e-9)
        cases = None if units is None else ceil(units * spread.cases_per_unit - 1e-9)
        return SampleSize(drop=change, cases=cases, groups=units if spread.is_grouped else None)

    needed = needed_for(drop)
    needed_units = needed.groups if spread.is_grouped else needed.cases
    curve: list[PowerPoint] = []
    for units in sorted({max(2, round((needed_units or 0) * factor)) for factor in _CURVE_FACTORS} if needed_units else ()):
        cases = ceil(units * spread.cases_per_unit - 1e-9)
        reached = detection_power(drop, deviation, max(2, round(units * share)), confidence)
        curve.append(PowerPoint(cases=cases, groups=units if spread.is_grouped else None, power=reached))
    detectable = None
    if spread.units is not None:
        effect = detectable_effect(spread.units, power=power, confidence=confidence, degrees=spread.units * share - 1)
        detectable = effect * spread.deviation / sqrt(spread.units)
    return PowerPlan(
        drop=drop,
        power=power,
        confidence=confidence,
        cases=needed.cases,
        groups=needed.groups,
        deviation=spread.deviation,
        measured_cases=spread.cases,
        measured_groups=spread.units if spread.is_grouped else None,
        detectable=detectable,
        assumptions=spread.assumptions,
        table=tuple(needed_for(drop * factor) for factor in _TABLE_FACTORS if drop * factor < 1 or not is_share),
        curve=tuple(curve),
    )
