"""How many cases are needed to detect a drop of a metric, from measured or assumed variance."""

from dataclasses import asdict, dataclass, replace
from math import ceil, inf, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.paired import standard_error
from fieldwise.kernels.power import detectable_effect, detection_power, discordant_power, fewest_differences, find_smallest_number
from fieldwise.kernels.statistics import degrees_of_freedom

DEFAULT_CORRELATION: Final = 0.5
"""Assumed correlation of the scores of one case in two runs."""
_TABLE_FACTORS: Final = (0.25, 0.5, 1.0, 2.0, 4.0)
_DROP_PRECISION: Final = 1e-6
_CURVE_FACTORS: Final = (0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareSpread:
    """How the change of a metric between 0 and 1 varies: near 1, its values vary more after a drop than before."""

    variance: float
    """Variance of the values of one run over cases."""
    mean: float
    """Mean of these values."""
    correlation: float
    is_binary: bool
    """Every value is 0 or 1."""

    @property
    def largest_drop(self) -> float:
        """The metric cannot drop further."""
        return self.mean

    def variance_of_change(self, drop: float) -> float:
        """Variance of the change of a case. The variance of the values changes with their mean as that of a share does."""
        mean = max(0.0, self.mean - drop)
        new_variance = self.variance * mean * (1 - mean) / (self.mean * (1 - self.mean))
        variance = self.variance + new_variance - 2 * self.correlation * sqrt(self.variance * new_variance)
        return max(variance, drop * (1 - drop)) if self.is_binary else variance  # as many cases as the drop says must change


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedSpread:
    """Spread of the change of a metric in [0, 1], measured from two runs: their usual differences, plus those of the cases that drop."""

    variance: float
    """Variance of the values of the first run over cases."""
    mean: float
    """Mean of these values."""
    noise: float
    """Mean square of the differences of the runs, less what their change of the mean explains."""
    measured_variance: float
    """Variance of the differences of the runs."""
    is_binary: bool
    """Every value is 0 or 1."""

    @property
    def largest_drop(self) -> float:
        """The metric cannot drop further."""
        return self.mean

    def variance_of_change(self, drop: float) -> float:
        """Variance of the change of a case: the loss by the drop is added to the usual differences of two runs."""
        if drop == 0:
            return self.measured_variance
        return max(self.measured_variance * 1e-6, min(1.0, self.noise + self.mean_square_of(drop)) - drop**2)

    def mean_square_of(self, drop: float) -> float:
        """Largest mean square of the changes if no case rises; for binary values it is the drop itself.

        The squares of what is lost sum up to at most the change of the sum of squares, of the values and of what they lack to 1. The
        variance of the values changes with their mean as that of a share does.
        """
        mean = self.mean - drop
        new_variance = self.variance * mean * (1 - mean) / (self.mean * (1 - self.mean))
        by_values = self.variance + self.mean**2 - new_variance - mean**2
        by_lacks = new_variance + (1 - mean) ** 2 - self.variance - (1 - self.mean) ** 2
        return max(drop**2, min(by_values, by_lacks))


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
    share: ShareSpread | PairedSpread | None = None
    """How the deviation depends on the drop; None if it does not, as far as is known."""
    assumptions: tuple[str, ...] = ()

    @property
    def largest_drop(self) -> float | None:
        """The metric cannot drop further; None if that is not known."""
        return None if self.share is None else self.share.largest_drop

    def deviation_after(self, drop: float) -> float:
        """Standard deviation of the change if the metric drops so far."""
        if self.share is None:
            return self.deviation
        return self.deviation * sqrt(self.share.variance_of_change(drop) / self.share.variance_of_change(0.0))

    def power_of(self, drop: float, units: int, confidence: float) -> float:
        """The probability that this number of cases or groups detects the drop."""
        if self.share is not None and self.share.is_binary and not self.is_grouped:
            return discordant_power(drop, self.share.variance_of_change(drop) + drop**2, units, confidence)
        if units < fewest_differences(confidence):
            return 0.0
        equal_units = max(2, int(units * self.equal_share + 1e-9))
        deviation = self.deviation_after(drop) * sqrt(self.equal_share)  # of as many equal groups as have the standard error of all groups
        return detection_power(drop, deviation, equal_units, confidence)


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
    """The smallest drop that the measured cases detect with this power; None if the spread is assumed, or they detect none."""
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


def measure_spread(
    values: NDArray[np.float64],
    groups: NDArray[np.int64] | None,
    correlation: float | None,
    *,
    is_share: bool = False,
    baseline: NDArray[np.float64] | None = None,
) -> ChangeSpread | None:
    """The spread from the values of one run, with an assumed correlation, or from the differences of two runs (`correlation` None).

    `is_share`: the metric lies between 0 and 1, and higher is better; of differences, `baseline` has the values of the first run. None for
    fewer than two cases or groups, or if all values are equal.
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
    share = None
    assumptions = [] if correlation is None else [f"a correlation of {correlation:g} between the runs of one case"]
    if is_share and correlation is not None:
        share = _describe_share(values, correlation)
        assumptions.append("a variance that changes with the mean as that of a share does")
    elif is_share and baseline is not None and 0 < baseline.mean() < 1:
        share = _describe_pairs(baseline, values)
        assumptions.append("cases that the drop makes worse, besides those that differ anyway")
    return ChangeSpread(
        deviation=error * sqrt(units) * scale,
        cases_per_unit=len(values) / units,
        is_grouped=groups is not None,
        cases=len(values),
        units=units,
        equal_share=1.0 if sizes is None else _share_of_equal_groups(sums, sizes),
        share=share,
        assumptions=tuple(assumptions),
    )


def _describe_share(values: NDArray[np.float64], correlation: float) -> ShareSpread:
    is_binary = bool(np.isin(values, (0.0, 1.0)).all())
    return ShareSpread(mean=float(values.mean()), variance=float(values.var()), correlation=correlation, is_binary=is_binary)


def _describe_pairs(baseline: NDArray[np.float64], differences: NDArray[np.float64]) -> PairedSpread:
    """How the change of a metric between 0 and 1 varies, from the values of one run and their differences to those of another."""
    spread = PairedSpread(
        variance=float(baseline.var()),
        mean=float(baseline.mean()),
        noise=float(np.mean(differences**2)),
        measured_variance=float(differences.var()),
        is_binary=bool(np.isin(baseline, (0.0, 1.0)).all() and np.isin(differences, (-1.0, 0.0, 1.0)).all()),
    )
    change = float(differences.mean())
    explained = abs(change) if spread.is_binary else change**2
    return replace(spread, noise=max(0.0, spread.noise - explained))


def _share_of_equal_groups(sums: NDArray[np.float64], sizes: NDArray[np.float64]) -> float:
    """The number of equal groups with as many degrees of freedom, as a share of these groups."""
    groups = len(sizes)
    degrees = degrees_of_freedom(sums, sizes, float(sums.sum()) / float(sizes.sum()))
    return min(1.0, (degrees + 1) / groups)


def plan_sample_size(
    spread: ChangeSpread, drop: float, *, power: float = 0.8, confidence: float = 0.95, is_share: bool = True
) -> PowerPlan:
    """The number of cases, and of groups, that detect a drop of the metric; `is_share`: no drop of 1 or more is of interest."""

    def needed_for(change: float) -> SampleSize:
        units = find_smallest_number(lambda n: spread.power_of(change, n, confidence), power)
        cases = None if units is None else ceil(units * spread.cases_per_unit - 1e-9)
        return SampleSize(drop=change, cases=cases, groups=units if spread.is_grouped else None)

    needed = needed_for(drop)
    needed_units = needed.groups if spread.is_grouped else needed.cases
    curve: list[PowerPoint] = []
    for units in sorted({max(2, round((needed_units or 0) * factor)) for factor in _CURVE_FACTORS} if needed_units else ()):
        cases = ceil(units * spread.cases_per_unit - 1e-9)
        reached = spread.power_of(drop, units, confidence)
        curve.append(PowerPoint(cases=cases, groups=units if spread.is_grouped else None, power=reached))
    largest_drop = spread.largest_drop or (1.0 if is_share else inf)
    other_drops = [
        change for change in (drop * factor for factor in _TABLE_FACTORS) if change <= largest_drop and (change < 1 or not is_share)
    ]
    return PowerPlan(
        drop=drop,
        power=power,
        confidence=confidence,
        cases=needed.cases,
        groups=needed.groups,
        deviation=spread.deviation_after(drop),
        measured_cases=spread.cases,
        measured_groups=spread.units if spread.is_grouped else None,
        detectable=_find_detectable_drop(spread, power, confidence),
        assumptions=spread.assumptions,
        table=tuple(needed_for(change) for change in other_drops),
        curve=tuple(curve),
    )


def _find_detectable_drop(spread: ChangeSpread, power: float, confidence: float) -> float | None:
    """The smallest drop that the measured cases detect; None if the spread is assumed, or they detect none."""
    if spread.units is None or spread.units < fewest_differences(confidence):
        return None
    if spread.share is None:
        effect = detectable_effect(spread.units, power=power, confidence=confidence, degrees=spread.units * spread.equal_share - 1)
        return effect * spread.deviation / sqrt(spread.units)
    low, high = 0.0, spread.share.largest_drop
    if spread.power_of(high, spread.units, confidence) < power:
        return None
    while high - low > _DROP_PRECISION:
        middle = (low + high) / 2
        if spread.power_of(middle, spread.units, confidence) >= power:
            high = middle
        else:
            low = middle
    return high
