"""What a page tells of evaluators, fields, causes and slices."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from fieldwise.model.summary import Counts, EvaluatorSummary, FieldSummary, Metric, Summary
from fieldwise.report import charts
from fieldwise.report.heatmap import ERRORS, STATES, State
from fieldwise.report.lowest import Spread
from fieldwise.report.worst import cause_words

FIELDS: Final = 120
SLICES: Final = 60
_CHOSEN: Final = {
    "field_prf": ("score", "pass_rate", "macro_f1", "micro_f1", "macro_precision", "macro_recall"),
    "json_quality": ("score", "pass_rate", "completeness", "hallucination", "accuracy", "safety", "rqs_normalized"),
}
"""The metrics worth a bar; of other evaluators the first few that are shares."""
_BARS: Final = 7
_RATES: Final = ("precision", "recall", "f1")
_BECAME: Final = (
    ("passed", "passed", "✓"),
    ("partial", "partial", "◐"),
    ("failed", "failed", "✗"),
    ("faults", "faults", "!"),
    ("unavailable", "unavailable", "?"),
    ("skipped", "skipped", "/"),
    ("not_applicable", "not applicable", "–"),
)


@dataclass(frozen=True, slots=True)
class Part:
    """A share of a bar."""

    kind: str
    word: str
    sign: str
    count: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One evaluator."""

    name: str
    type: str
    score: Metric | None
    counts: Counts
    became: tuple[Part, ...]
    metrics: Mapping[str, Metric]
    bars: str
    """A chart of its main metrics with their intervals."""
    histogram: str
    lowest: tuple[tuple[str, float], ...]
    flags: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Precision, recall and F1 of one evaluator: the mean over cases, and over all values pooled."""

    evaluator: str
    rows: tuple[tuple[str, Metric | None, Metric | None], ...]
    totals: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldView:
    """One field with what went wrong in it."""

    field: FieldSummary
    outcomes: tuple[Part, ...]
    causes: tuple[tuple[str, str, int], ...]
    """Label, advice, count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldTable:
    """The fields of one evaluator."""

    evaluator: str
    rows: tuple[FieldView, ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseView:
    """A cause over the whole run."""

    label: str
    advice: str
    count: int
    fields: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Part of the cases."""

    kind: str
    """`tag` or `split`."""
    name: str
    n: int
    scores: tuple[Metric | None, ...]
    """One for each evaluator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slices:
    """The scores of parts of the cases."""

    evaluators: tuple[str, ...]
    rows: tuple[Slice, ...]
    more: int


def card_of(one: EvaluatorSummary, scores: Spread) -> Card:
    """An evaluator as a card."""
    main = main_metrics(one)
    return Card(
        name=one.name,
        type=one.type,
        score=one.metrics.get("score"),
        counts=one.counts,
        became=became_of(one.counts),
        metrics=one.metrics,
        bars=charts.intervals([charts.bar_of(*item) for item in main.items()], title=f"{one.name}: metrics with 95 % intervals")
        if main
        else "",
        histogram=charts.histogram(scores.bins, title=f"{one.name}: how many cases have which score") if scores.measured else "",
        lowest=one.worst,
        flags=one.flags,
    )


def became_of(counts: Counts) -> tuple[Part, ...]:
    """What became of the cases of an evaluator."""
    words = {"faults": "fault"} if counts.faults == 1 else {}
    return _parts((kind, words.get(word, word), sign, getattr(counts, kind)) for kind, word, sign in _BECAME)


def main_metrics(one: EvaluatorSummary) -> dict[str, Metric]:
    """The metrics worth a bar."""
    names = _CHOSEN.get(one.type) or tuple(name for name in one.metrics if not name.startswith(("macro_", "micro_", "total_")))
    known = {name: one.metrics[name] for name in names if name in one.metrics}
    shares = {name: metric for name, metric in known.items() if 0 <= metric.value <= 1 and (metric.high or 0) <= 1}
    return dict(list(shares.items())[:_BARS])


def _parts(counted: Iterator[tuple[str, str, str, int]]) -> tuple[Part, ...]:
    known = [part for part in counted if part[3]]
    whole = sum(part[3] for part in known)
    return tuple(Part(kind, word, sign, count, count / whole) for kind, word, sign, count in known)


def has_rates(one: EvaluatorSummary) -> bool:
    """Whether it measures precision, recall and F1."""
    return any(f"macro_{rate}" in one.metrics for rate in _RATES)


def rates_of(one: EvaluatorSummary) -> Rates:
    """Its rates, by case and pooled."""
    names = [name for name in one.metrics if name.startswith("macro_")]
    rows = tuple(
        (name.removeprefix("macro_"), one.metrics.get(name), one.metrics.get(name.replace("macro_", "micro_", 1))) for name in names
    )
    totals = tuple((name.removeprefix("total_"), round(one.metrics[name].value)) for name in one.metrics if name.startswith("total_"))
    return Rates(evaluator=one.name, rows=rows, totals=tuple(total for total in totals if not total[0].endswith("fields")))


def table_of(one: EvaluatorSummary) -> FieldTable:
    """Its fields; of very many those that score lowest."""
    chosen = list(one.fields)
    if len(chosen) > FIELDS:
        chosen = sorted(chosen, key=lambda field: field.score.value)[:FIELDS]
    rows = tuple(
        FieldView(
            field=field,
            outcomes=outcome_parts(field.outcomes),
            causes=tuple((*cause_words(cause), count) for cause, count in field.causes),
        )
        for field in chosen
    )
    return FieldTable(evaluator=one.name, rows=rows, more=len(one.fields) - len(chosen))


def outcome_parts(outcomes: Mapping[str, int]) -> tuple[Part, ...]:
    """Counts of outcomes as parts of a bar."""
    return _parts((name, state.word, state.sign, outcomes.get(name, 0)) for name, state in STATES.items())


def total_outcomes(one: EvaluatorSummary) -> Counter[str]:
    """What became of all its comparisons."""
    total: Counter[str] = Counter()
    for field in one.fields:
        total.update(field.outcomes)
    return total


def error_states() -> tuple[State, ...]:
    """The kinds of errors, as the charts colour them."""
    return tuple(STATES[name] for name in ERRORS)


_CHART_ROWS: Final = 18


def errors_chart(leader: EvaluatorSummary | None) -> str:
    """The fields with most errors, and of which type they are."""
    if leader is None:
        return ""
    chosen = sorted((field for field in leader.fields if _wrong(field)), key=lambda field: -_wrong(field))[:_CHART_ROWS]
    if not chosen:
        return ""
    series = {name: [field.outcomes.get(name, 0) for field in chosen] for name in ERRORS}
    known = {name: values for name, values in series.items() if any(values)}
    return charts.stacked([field.field for field in chosen], known, title=f"{leader.name}: errors by field and type")


def _wrong(field: FieldSummary) -> int:
    return sum(field.outcomes.get(name, 0) for name in ERRORS)


def causes_of(leader: EvaluatorSummary | None) -> tuple[CauseView, ...]:
    """Causes by frequency, with the fields they were met in."""
    where: dict[str, Counter[str]] = {}
    for field in leader.fields if leader else ():
        for cause, count in field.causes:
            where.setdefault(cause, Counter())[field.field] += count
    views = (
        CauseView(label=label, advice=advice, count=found.total(), fields=tuple(found.most_common(4)))
        for (label, advice), found in ((cause_words(cause), found) for cause, found in where.items())
    )
    return tuple(sorted(views, key=lambda view: (-view.count, view.label)))


def causes_chart(causes: Sequence[CauseView]) -> str:
    """How often each cause was met."""
    bars = [charts.Bar(cause.label, cause.count) for cause in causes[:_CHART_ROWS]]
    return charts.counts(bars, title="likely causes by how often they were met") if bars else ""


def slices_of(summary: Summary) -> Slices | None:
    """Splits, then tags from the lowest score up."""
    sliced = [one for one in summary.evaluators.values() if one.slices]
    if not sliced:
        return None
    names = {name: [one.slices.get(name, {}).get("score") for one in sliced] for one in sliced for name in one.slices}
    rows = [_slice(name, metrics) for name, metrics in names.items()]
    rows.sort(key=lambda row: (row.kind != "split", row.scores[0].value if row.scores[0] else 1.0, row.name))
    return Slices(evaluators=tuple(one.name for one in sliced), rows=tuple(rows[:SLICES]), more=max(len(rows) - SLICES, 0))


def _slice(name: str, scores: Sequence[Metric | None]) -> Slice:
    kind, _, rest = name.partition(":")
    return Slice(kind=kind, name=rest, n=max((metric.n for metric in scores if metric), default=0), scores=tuple(scores))
