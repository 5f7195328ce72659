"""`fieldwise power`: the number of cases that detect a drop."""

from typing import TYPE_CHECKING

import click

from fieldwise.cli._completion import complete_runs
from fieldwise.cli._options import DocumentedCommand, NumberRange, TextFormat, argument, program_of, root_option, text_format_option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fieldwise.store.run import Run
    from fieldwise.summarize.compare import EvaluatorMeasurements
    from fieldwise.summarize.sample_size import ChangeSpread


@click.command(cls=DocumentedCommand)
@argument(
    "run",
    required=False,
    help="A run whose variance is used. [default: latest, unless --deviation is given]",
    shell_complete=complete_runs,
)
@click.option("--drop", type=NumberRange(min=1e-6, max=1e12), default=0.02, help="The drop to detect; of costs and distances, the rise.")
@click.option("--against", metavar="RUN", help="A second run of the same cases: the variance of the differences is measured, not assumed.")
@click.option("--metric", metavar="METRIC", help="Such as fields.score or fields.pass_rate. [default: the first evaluator's primary]")
@click.option("--deviation", type=NumberRange(min=1e-6), help="Without a run: assumed standard deviation of the metric over cases.")
@click.option(
    "--correlation",
    type=NumberRange(min=-0.99, max=0.99),
    help="Assumed correlation of a case's values in two runs. [default: 0.5]",
)
@click.option("--group-size", type=NumberRange(min=1), help="With --deviation: cases in a group. [default: 1]")
@click.option("--icc", type=NumberRange(min=0, max=1), help="With --group-size: correlation of two cases of one group. [default: 0]")
@click.option(
    "--power", "target", type=NumberRange(min=0.05, max=0.999), default=0.8, help="Probability of detecting the drop if it is real."
)
@click.option("--confidence", type=NumberRange(min=0.5, max=0.9999), default=0.95, help="Confidence of the test.")
@text_format_option
@root_option
@click.pass_context
def power(
    context: click.Context,
    run: str | None,
    drop: float,
    against: str | None,
    metric: str | None,
    deviation: float | None,
    correlation: float | None,
    group_size: float | None,
    icc: float | None,
    target: float,
    confidence: float,
    form: TextFormat,
    root: str | None,
) -> None:
    """State how many cases, and groups, are needed to detect a drop of a metric.

    The variance comes from a stored run, with an assumed correlation between runs, or from two runs; or it is assumed with --deviation.
    """
    from fieldwise.cli._console import print_page
    from fieldwise.cli._lookup import open_measured_run
    from fieldwise.report.power_view import build_power_report
    from fieldwise.report.text_format import dump_json
    from fieldwise.summarize.sample_size import DEFAULT_CORRELATION, assume_spread, plan_sample_size

    _check_usage(run, against, deviation, correlation, group_size, icc)
    assumed_correlation = DEFAULT_CORRELATION if correlation is None else correlation
    program = program_of(context, root)
    stored: Run | None = None
    is_share = drop <= 1
    if deviation is not None:
        spread = assume_spread(deviation, assumed_correlation, group_size=group_size or 1.0, intraclass=icc or 0.0)
        name = metric or "the metric"
    else:
        stored = open_measured_run(run or "latest", program.root)
        compared_run = None if against is None else open_measured_run(against, program.root)
        name, values, differences, groups = _measure(stored, compared_run, metric)
        is_share = _check_drop(stored, name, drop)
        spread = _find_spread(name, values, differences, groups, assumed_correlation, is_share=is_share)
        _require_possible_drop(name, drop, spread)
    if spread is None:
        content = {"run": None if stored is None else stored.id, "metric": name, "drop": drop, "cases": None, "groups": None}
        message = f"{name}: not enough. Fewer than two cases or groups were measured, or all their values are equal; use --deviation."
        click.echo(dump_json(content | {"note": message}) if form == "json" else message)
        return
    plan = plan_sample_size(spread, drop, power=target, confidence=confidence, is_share=is_share)
    if form == "json":
        click.echo(dump_json({"run": None if stored is None else stored.id, "metric": name, **plan.to_json()}))
    else:
        print_page(build_power_report(plan, name if stored is None else f"{name} of run {stored.id}"), form)


def _find_spread(
    metric: str,
    values: "NDArray[np.float64]",
    differences: "NDArray[np.float64] | None",
    groups: "NDArray[np.int64] | None",
    correlation: float,
    *,
    is_share: bool,
) -> "ChangeSpread | None":
    """The spread of a run, or of the differences of two runs. `is_share`: the metric lies between 0 and 1, as far as is known."""
    from fieldwise.model.change import lower_is_better
    from fieldwise.summarize.sample_size import measure_spread

    is_share = is_share and values.size > 0 and bool(values.min() >= 0 and values.max() <= 1)
    is_flipped = is_share and lower_is_better(metric)  # a rise of what is wrong is a drop of what is right
    values = 1 - values if is_flipped else values
    if differences is None:
        return measure_spread(values, groups, correlation, is_share=is_share)
    return measure_spread(-differences if is_flipped else differences, groups, None, is_share=is_share, baseline=values)


def _check_usage(
    run: str | None, against: str | None, deviation: float | None, correlation: float | None, group_size: float | None, icc: float | None
) -> None:
    """Raise ConfigError for options that would do nothing together, all of them at once."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    problems: list[Diagnostic] = []
    if deviation is not None and (run is not None or against is not None):
        what = "--deviation assumes the variance, which a run measures"
        problems.append(Diagnostic(code="bad-usage", what=what, fix="give either a run or --deviation"))
    if deviation is None:
        for option, value in (("--group-size", group_size), ("--icc", icc)):
            if value is not None:
                what = f"{option} does nothing for a run: its groups are measured"
                problems.append(Diagnostic(code="bad-usage", what=what, fix=f"omit {option}, or assume the variance too: --deviation 0.3"))
    elif icc is not None and group_size is None:
        what = "--icc does nothing without --group-size: each case is a group of its own"
        problems.append(Diagnostic(code="bad-usage", what=what, fix="add --group-size 10"))
    if against is not None and correlation is not None:
        what = "--correlation does nothing with --against: two runs measure it"
        problems.append(Diagnostic(code="bad-usage", what=what, fix="give either --against or --correlation"))
    if problems:
        raise ConfigError(problems)


def _check_drop(stored: "Run", metric: str, drop: float) -> bool:
    """True if the metric lies between 0 and 1, as far as is known; ConfigError for a larger drop of such a metric."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic
    from fieldwise.plan.gates import list_fixed_metrics

    evaluator, _, name = metric.partition(".")
    types = [entry.get("type") for entry in stored.manifest.evaluators if entry["name"] == evaluator]
    value_range = list_fixed_metrics(types[0]).find_range(name)
    if value_range == (0.0, 1.0) and drop > 1:
        what = f"--drop {drop:g} is impossible: `{metric}` lies between 0 and 1"
        raise ConfigError([Diagnostic(code="bad-usage", what=what, fix="give a drop of at most 1, or another --metric")])
    return value_range == (0.0, 1.0) or (value_range is None and drop <= 1)


def _require_possible_drop(metric: str, drop: float, spread: "ChangeSpread | None") -> None:
    """ConfigError if the metric cannot drop so far."""
    from fieldwise.model.change import lower_is_better
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    limit = None if spread is None else spread.largest_drop
    if limit is not None and drop > limit:
        verb = "rise" if lower_is_better(metric) else "drop"
        what = f"`{metric}` can {verb} by {limit:.3g} at most, not by {drop:g}"
        raise ConfigError([Diagnostic(code="bad-usage", what=what, fix="give a smaller --drop")])


def _measure(
    stored: "Run", new_run: "Run | None", metric: str | None
) -> "tuple[str, NDArray[np.float64], NDArray[np.float64] | None, NDArray[np.int64] | None]":
    """The full name of the metric, its values in a run, their differences to another run, and the groups of the cases."""
    import numpy as np

    from fieldwise.store.run_metrics import list_case_ids, load_metrics
    from fieldwise.summarize.compare import encode_groups

    ids = list_case_ids(stored)
    evaluator, name = _split_metric(stored, metric)
    measurements = load_metrics(stored, evaluator, ids)
    name = name or measurements.primary
    values = _metric_values(measurements, evaluator, name)
    differences: NDArray[np.float64] | None = None
    if new_run is not None:
        new_ids = list_case_ids(new_run)
        if evaluator not in new_run.evaluators:
            raise _unknown_metric(f"{evaluator}.{name}", f"run {new_run.id} has no evaluator `{evaluator}`")
        new_values = _metric_values(load_metrics(new_run, evaluator, new_ids), evaluator, name)
        value_of = dict(zip(new_ids, new_values.tolist(), strict=True))
        if value_of.keys().isdisjoint(ids):
            raise _no_common_case(stored, new_run)
        differences = np.array([value_of.get(case, np.nan) for case in ids]) - values
    rows = np.flatnonzero(~np.isnan(values if differences is None else differences))
    groups = encode_groups(measurements.groups, rows)
    return f"{evaluator}.{name}", values[rows], None if differences is None else differences[rows], groups


def _split_metric(stored: "Run", metric: str | None) -> tuple[str, str | None]:
    if metric is None:
        if not stored.evaluators:
            raise _unknown_metric("score", f"run {stored.id} has no evaluators")
        return stored.evaluators[0], None
    evaluator, _, name = metric.partition(".")
    if evaluator not in stored.evaluators:
        raise _unknown_metric(metric, f"it has the evaluators {', '.join(stored.evaluators)}; write EVALUATOR.METRIC")
    return evaluator, name or None


def _metric_values(measurements: "EvaluatorMeasurements", evaluator: str, metric: str) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    import numpy as np

    if metric == "pass_rate":
        return np.where(measurements.verdict >= 0, measurements.verdict == 2, np.nan)
    name = metric.removeprefix("macro_")
    if name not in measurements.metrics:
        raise _unknown_metric(f"{evaluator}.{metric}", f"there are {', '.join(['pass_rate', *measurements.metrics])}")
    return np.asarray(measurements.metrics[name], dtype=np.float64)


def _no_common_case(stored: "Run", new_run: "Run") -> Exception:
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    what = f"runs {stored.id} and {new_run.id} have no case in common"
    return ConfigError([Diagnostic(code="no-common-case", what=what, fix="give --against a run of the same cases, or leave it out")])


def _unknown_metric(metric: str, fix: str) -> Exception:
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    return ConfigError([Diagnostic(code="no-metric", what=f"the run has no metric `{metric}` of single cases", fix=fix)])
