"""A metric over the runs of a suite."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from fieldwise.model.change import lower_is_better
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.summary import Metric
from fieldwise.registry import nearest

if TYPE_CHECKING:
    from fieldwise.store.run import Run

SAME: Final = 0.0005
"""Changes that are not seen in three decimals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The metric in one run."""

    run: str
    started: datetime
    cases: int
    metric: Metric
    exit_code: int | None
    tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What else is not as in the run before, so that the change may not be the system's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """A metric over runs, oldest first."""

    metric: str
    suite: str
    points: tuple[Point, ...]
    without: int = 0
    """How many finished runs of the suite did not measure it."""
    others: tuple[str, ...] = ()
    """Other suites that have a metric of this name."""

    @property
    def values(self) -> list[float]:
        """The numbers, oldest first."""
        return [point.metric.value for point in self.points]

    def delta(self, place: int) -> float | None:
        """The change from the run before; None for the first."""
        return self.values[place] - self.values[place - 1] if place else None

    def news(self, place: int) -> str:
        """Whether the change from the run before is `good` or `bad` news; nothing where it is neither."""
        delta = self.delta(place)
        if delta is None or abs(delta) < SAME:
            return ""
        return "good" if (delta > 0) != lower_is_better(self.metric) else "bad"

    def to_json(self) -> dict[str, Any]:
        """A JSON-able form."""
        return {"metric": self.metric, "suite": self.suite, "runs": [_point_json(point) for point in self.points]}


def _point_json(point: Point) -> dict[str, Any]:
    metric = point.metric
    return {
        "run": point.run,
        "started": point.started.isoformat(),
        "cases": point.cases,
        "value": metric.value,
        "n": metric.n,
        "low": metric.low,
        "high": metric.high,
        "exit_code": point.exit_code,
        "tags": list(point.tags),
        "notes": list(point.notes),
    }


def trend_of(runs: Sequence["Run"], metric: str, *, suite: str | None = None, limit: int | None = None) -> Trend:
    """A metric, as gates name it, over the finished runs of a suite: of the one that measured it last, unless one is named.

    ConfigError with the nearest name where no run has such a metric.
    """
    finished = sorted((run for run in runs if run.finished is not None), key=lambda run: run.started)
    if not finished:
        raise _problem("no-run", "there is no finished run to tell of", "fieldwise run SUITE; `fieldwise demo` makes one")
    of_suite = [run for run in finished if suite in (None, run.name)]
    if not of_suite:
        names = list(dict.fromkeys(run.name for run in reversed(finished)))
        raise _problem("no-run", f"there is no finished run of a suite `{suite}`", _fix(suite or "", names))
    having = [run for run in of_suite if metric in run.summary]
    if not having:
        known = list(dict.fromkeys(name for run in reversed(of_suite) for name in run.summary))
        raise _problem("unknown-metric", f"no run has a metric `{metric}`", _fix(metric, known))
    name = having[-1].name
    chosen = [run for run in having if run.name == name]
    points = tuple(_point(run, chosen[place - 1] if place else None, metric) for place, run in enumerate(chosen))
    return Trend(
        metric=metric,
        suite=name,
        points=points if limit is None else points[-limit:],
        without=sum(run.name == name for run in finished) - len(chosen),
        others=tuple(sorted({run.name for run in having} - {name})),
    )


def _point(run: "Run", before: "Run | None", name: str) -> Point:
    return Point(
        run=run.id,
        started=run.started,
        cases=run.full.cases,
        metric=_metrics(run)[name],
        exit_code=run.exit_code,
        tags=run.tags,
        notes=() if before is None else tuple(_differences(before, run, name)),
    )


def _metrics(run: "Run") -> dict[str, Metric]:
    return {f"{one.name}.{name}": metric for one in run.full.evaluators.values() for name, metric in one.metrics.items()}


def _differences(before: "Run", run: "Run", metric: str) -> Iterator[str]:
    """What else differs. A file that holds expected and actual values together tells nothing: it changes with every output."""
    was, now = (_evaluator(one, metric) for one in (before, run))
    if was.get("version") != now.get("version"):
        yield "measures something else"
    elif was.get("rules") != now.get("rules"):
        yield "other rules"
    if before.manifest.fingerprints.get("expected") != run.manifest.fingerprints.get("expected"):
        yield "other expected data"
    if before.manifest.package != run.manifest.package:
        yield f"fieldwise {run.manifest.package}"


def _evaluator(run: "Run", metric: str) -> Mapping[str, Any]:
    """What the manifest says of the evaluator that a metric belongs to."""
    return next((one for one in run.manifest.evaluators if metric.startswith(f"{one['name']}.")), {})


def _fix(name: str, known: list[str]) -> str:
    like = nearest(name, known)
    shown = ", ".join(known[:12]) + (f" and {len(known) - 12} more" if len(known) > 12 else "")
    return f"did you mean `{like}`? there are: {shown}" if like else f"there are: {shown}"


def _problem(code: str, what: str, fix: str) -> ConfigError:
    return ConfigError([Diagnostic(code=code, what=what, fix=fix)])
