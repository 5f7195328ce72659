"""Two runs over the same cases: what changed, and whether chance could have done it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.paired import (
    benjamini_hochberg,
    effect_size,
    holm,
    mcnemar_exact,
    mean_interval,
    normalised_gain,
    sign_flip_test,
    smallest_shown,
)
from fieldwise.model.change import Change, Changes, EvaluatorChange, Judgement, lower_is_better

Numbers = NDArray[np.float64]
Adjust = Literal["holm", "bh"]
ADJUST: Final[Mapping[Adjust, Callable[[Sequence[float]], list[float]]]] = {"holm": holm, "bh": benjamini_hochberg}
LEVEL: Final = 0.05
FEW: Final = 10
"""With fewer cases than this nothing can be shown."""
COARSE: Final = 0.10
"""If only changes larger than this would be shown, a quiet comparison means little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one evaluator measured in one run, case by case."""

    ids: Sequence[str]
    verdict: NDArray[np.int8]
    """2 pass, 1 partial, 0 fail, -1 none."""
    metrics: Mapping[str, Numbers]
    """`score` among them; NaN where a case has no such number."""
    fields: Mapping[str, Numbers]
    """For each field its mean similarity, NaN where a case does not have it."""


def compare_evaluator(name: str, base: Measured, new: Measured, adjust: Adjust = "holm") -> EvaluatorChange:
    """What changed for one evaluator, over the cases that both runs have."""
    places = {case: at for at, case in enumerate(new.ids)}
    ids = [case for case in base.ids if case in places]
    ours = np.array([at for at, case in enumerate(base.ids) if case in places], dtype=np.int64)
    theirs = np.array([places[case] for case in ids], dtype=np.int64)
    was, now = base.verdict[ours], new.verdict[theirs]
    judged = (was >= 0) & (now >= 0)
    metrics = [
        change
        for metric in base.metrics
        if metric in new.metrics
        if (change := compare_metric(f"{name}.{metric}", base.metrics[metric][ours], new.metrics[metric][theirs]))
    ]
    if judged.any():
        metrics.insert(1, _pass_rate(f"{name}.pass_rate", was[judged] == 2, now[judged] == 2))
    fields = [
        change
        for field in base.fields
        if field in new.fields
        if (change := compare_numbers(field, base.fields[field][ours], new.fields[field][theirs]))
    ]

    def cases(rows: NDArray[np.bool_]) -> list[str]:
        return [ids[row] for row in np.flatnonzero(rows).tolist()]

    return EvaluatorChange(
        evaluator=name,
        n=int(judged.sum()),
        metrics=metrics,
        fields=_adjusted(fields, adjust),
        fixed=cases(judged & (was < 2) & (now == 2)),
        broken=cases(judged & (was == 2) & (now < 2)),
        still_broken=cases(judged & (was < 2) & (now < 2)),
        unmeasured=cases(~judged),
    )


def compare_metric(name: str, base: Numbers, new: Numbers) -> Change | None:
    """The same for a metric as gates name it, of which less may be better."""
    return compare_numbers(name, base, new, lower=lower_is_better(name))


def compare_numbers(name: str, base: Numbers, new: Numbers, *, lower: bool = False) -> Change | None:
    """The change of a number, of which `lower` may be better, over the cases in which both runs have it; None if there is no such case."""
    both = ~np.isnan(base) & ~np.isnan(new)
    ours, theirs = base[both].astype(np.float64), new[both].astype(np.float64)
    if not len(ours):
        return None
    differences = theirs - ours
    found = _change(name, ours, theirs, sign_flip_test(differences), "permutation")
    return _turned(found) if lower else found


def _pass_rate(name: str, was: NDArray[np.bool_], now: NDArray[np.bool_]) -> Change:
    ours, theirs = was.astype(np.float64), now.astype(np.float64)
    p = mcnemar_exact(int((was & ~now).sum()), int((~was & now).sum()))
    return _change(name, ours, theirs, p, "McNemar")


def _change(name: str, base: Numbers, new: Numbers, p: float, test: str) -> Change:
    differences = new - base
    interval = mean_interval(differences)
    shown, effect = smallest_shown(differences), effect_size(differences)
    before, after = float(base.mean()), float(new.mean())
    shares = min(base.min(), new.min()) >= 0 and max(base.max(), new.max()) <= 1
    found = Change(
        name=name,
        n=len(base),
        base=before,
        new=after,
        low=interval[0] if np.isfinite(interval[0]) else None,
        high=interval[1] if np.isfinite(interval[1]) else None,
        p=p,
        p_adjusted=p,
        test=test,
        effect=effect if np.isfinite(effect) else None,
        gain=normalised_gain(before, after) if shares else None,
        smallest_shown=shown if np.isfinite(shown) else None,
        verdict="no difference shown",
    )
    return replace(found, verdict=judge(found))


def _turned(change: Change) -> Change:
    """The change of a number of which less is better: what is missing is then how far it is from 0."""
    gain = None if change.gain is None else normalised_gain(1 - change.base, 1 - change.new)
    turned = replace(change, lower_is_better=True, gain=gain)
    return replace(turned, verdict=judge(turned))


def judge(change: Change) -> Judgement:
    """The change in words. Something is shown if chance alone would rarely do it and the interval leaves 0 out."""
    clear = change.p_adjusted <= LEVEL and change.low is not None and change.high is not None and not change.low <= 0 <= change.high
    if clear:
        return "better" if change.loss < 0 else "worse"
    if change.n < FEW or (change.smallest_shown is not None and change.smallest_shown > COARSE):
        return "not enough cases"
    return "no difference shown"


def adjust_together(found: Sequence[Changes], adjust: Adjust = "holm") -> list[Changes]:
    """Several runs compared with one base, adjusted for their number too: each metric over the runs, fields over runs and fields."""
    told = [dict(changes.evaluators) for changes in found]
    for name in dict.fromkeys(name for evaluators in told for name in evaluators):
        having = [evaluators for evaluators in told if name in evaluators]
        fields = iter(_adjusted([change for evaluators in having for change in evaluators[name].fields], adjust))
        by_metric: dict[str, list[Change]] = {}
        for evaluators in having:
            for change in evaluators[name].metrics:
                by_metric.setdefault(change.name, []).append(change)
        metrics = {metric: iter(_adjusted(changes, adjust)) for metric, changes in by_metric.items()}
        for evaluators in having:
            one = evaluators[name]
            evaluators[name] = replace(
                one, metrics=[next(metrics[change.name]) for change in one.metrics], fields=[next(fields) for _ in one.fields]
            )
    return [replace(changes, evaluators=evaluators) for changes, evaluators in zip(found, told, strict=True)]


def _adjusted(changes: Sequence[Change], adjust: Adjust) -> list[Change]:
    p_values = ADJUST[adjust]([change.p for change in changes])
    adjusted = [replace(change, p_adjusted=p) for change, p in zip(changes, p_values, strict=True)]
    return [replace(change, verdict=judge(change)) for change in adjusted]
