"""Cards and tables of the evaluators of a run: cases by status, main metrics, rates, fields, causes and slices.

Called by `run_view`; made from summaries alone.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from fieldwise.dataclass import dataclass
from fieldwise.model.summary import Counts, EvaluatorSummary, FieldSummary, Metric
from fieldwise.report.case_view import ScoreSpread
from fieldwise.report.result_text import FIELD_STATES, describe_cause, describe_maximum

NO_CAUSE: Final = "no cause found"
_OUTCOME_WORDS: Final = {"omission": "omission", "hallucination": "hallucination", "fault": "not compared"}
MAX_FIELDS: Final = 300
MAX_SLICES: Final = 60
MAX_MAIN_METRICS: Final = 7
_MAIN_METRICS: Final = {
    "field_prf": ("score", "pass_rate", "macro_f1", "micro_f1", "macro_precision", "macro_recall"),
    "json_quality": ("score", "pass_rate", "completeness", "hallucination", "accuracy", "safety", "rqs_normalized"),
}
"""Metrics drawn as bars, by evaluator type; other types use their first metrics between 0 and 1."""
_RATES: Final = ("precision", "recall", "f1")
_CASE_STATES: Final = (
    ("passed", "passed", "✓"),
    ("partial", "partial", "◐"),
    ("failed", "failed", "✗"),
    ("faults", "faults", "!"),
    ("unavailable", "unavailable", "?"),
    ("skipped", "skipped", "/"),
    ("not_applicable", "not applicable", "–"),
)
"""Attribute of `Counts`, word and sign."""


@dataclass(frozen=True, slots=True)
class BarShare:
    """One coloured part of a stacked bar."""

    kind: str
    """Name of its colour."""
    word: str
    sign: str
    count: int
    share: float
    """Part of the whole bar, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorCard:
    """The result of one evaluator in short."""

    name: str
    type: str
    score: Metric | None
    counts: Counts
    case_shares: tuple[BarShare, ...]
    """Cases by verdict or status."""
    metrics: Mapping[str, Metric]
    main_metrics: Mapping[str, Metric]
    """The metrics drawn as bars, all from 0 to 1."""
    score_bins: tuple[int, ...]
    """Number of cases by tenth of the score (see `ScoreSpread.bins`); empty if no scores were read."""
    flags: Mapping[str, int]
    remark: str
    """The score of a perfect output where it is below 1, else empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MacroMicroRates:
    """Precision, recall and F1 of one evaluator: as mean over cases (macro) and over all values pooled (micro)."""

    evaluator: str
    rows: tuple[tuple[str, Metric | None, Metric | None], ...]
    """Rate, macro, micro."""
    totals: tuple[tuple[str, int], ...]
    """Pooled counts by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldTableRow:
    """One field with its outcomes and causes."""

    field: FieldSummary
    outcomes: tuple[BarShare, ...]
    causes: tuple[tuple[str, str, int], ...]
    """Label, advice, count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldTable:
    """The fields of one evaluator."""

    evaluator: str
    rows: tuple[FieldTableRow, ...]
    more: int
    """Number of fields left out, all of which score higher."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseSummary:
    """A cause over the whole run."""

    name: str
    label: str
    advice: str
    count: int
    fields: tuple[tuple[str, int], ...]
    """The fields that have it most often, with counts."""
    more_fields: int = 0
    """Number of further fields that have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParetoRow:
    """A cause with its share of all mismatches."""

    cause: CauseSummary
    share: float
    cumulative: float
    """Share of this cause and of all more frequent ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceRow:
    """The scores of a part of the cases."""

    kind: str
    """`tag` or `split`."""
    name: str
    n: int
    groups: int | None
    """Number of groups of these cases; None if the cases are independent."""
    scores: tuple[Metric | None, ...]
    """One for each evaluator of the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceTable:
    """Scores by split and tag."""

    evaluators: tuple[str, ...]
    rows: tuple[SliceRow, ...]
    more: int
    """Number of slices left out."""


def make_card(evaluator: EvaluatorSummary, spread: ScoreSpread | None) -> EvaluatorCard:
    """The card of one evaluator."""
    return EvaluatorCard(
        name=evaluator.name,
        type=evaluator.type,
        score=evaluator.metrics.get("score"),
        counts=evaluator.counts,
        case_shares=share_cases_by_status(evaluator.counts),
        metrics=evaluator.metrics,
        main_metrics=_choose_main_metrics(evaluator),
        score_bins=spread.bins if spread is not None and spread.measured else (),
        flags=evaluator.flags,
        remark=describe_maximum(evaluator),
    )


def share_cases_by_status(counts: Counts) -> tuple[BarShare, ...]:
    """Split the cases of an evaluator by verdict, or by status for those without a verdict."""
    rows: list[tuple[str, str, str, int]] = []
    for attribute, word, sign in _CASE_STATES:
        singular = "fault" if attribute == "faults" and counts.faults == 1 else word
        rows.append((attribute, singular, sign, getattr(counts, attribute)))
    return _make_shares(rows)


def share_outcomes(outcomes: Mapping[str, int]) -> tuple[BarShare, ...]:
    """Split comparisons by outcome."""
    return _make_shares((name, state.word, state.sign, outcomes.get(name, 0)) for name, state in FIELD_STATES.items())


def _make_shares(rows: Iterable[tuple[str, str, str, int]]) -> tuple[BarShare, ...]:
    counted = [row for row in rows if row[3]]
    total = sum(row[3] for row in counted)
    return tuple(BarShare(kind, word, sign, count, count / total) for kind, word, sign, count in counted)


def _choose_main_metrics(evaluator: EvaluatorSummary) -> dict[str, Metric]:
    names = _MAIN_METRICS.get(evaluator.type)
    if names is None:
        names = tuple(name for name in evaluator.metrics if not name.startswith(("macro_", "micro_", "total_")))
    chosen: dict[str, Metric] = {}
    for name in names:
        metric = evaluator.metrics.get(name)
        if metric is not None and 0 <= metric.value <= 1 and (metric.high or 0) <= 1:
            chosen[name] = metric
    return dict(list(chosen.items())[:MAX_MAIN_METRICS])


def has_rates(evaluator: EvaluatorSummary) -> bool:
    """True if an evaluator reports precision, recall or F1."""
    return any(f"macro_{rate}" in evaluator.metrics for rate in _RATES)


def make_rates(evaluator: EvaluatorSummary) -> MacroMicroRates:
    """Precision, recall and F1 of one evaluator."""
    metrics = evaluator.metrics
    rates = [name.removeprefix("macro_") for name in metrics if name.startswith("macro_")]
    counts = [name.removeprefix("total_") for name in metrics if name.startswith("total_") and not name.endswith("fields")]
    return MacroMicroRates(
        evaluator=evaluator.name,
        rows=tuple((rate, metrics.get(f"macro_{rate}"), metrics.get(f"micro_{rate}")) for rate in rates),
        totals=tuple((name, round(metrics[f"total_{name}"].value)) for name in counts),
    )


def make_field_table(evaluator: EvaluatorSummary) -> FieldTable:
    """Worst fields first; fields without a score last."""
    fields = sorted(evaluator.fields, key=lambda summary: (not summary.score.n, summary.score.value))[:MAX_FIELDS]
    return FieldTable(
        evaluator=evaluator.name, rows=tuple(_make_field_row(summary) for summary in fields), more=len(evaluator.fields) - len(fields)
    )


def _make_field_row(summary: FieldSummary) -> FieldTableRow:
    causes: list[tuple[str, str, int]] = []
    for cause, count in summary.causes:
        label, advice = describe_cause(cause, summary.rule)
        causes.append((label, advice, count))
    return FieldTableRow(field=summary, outcomes=share_outcomes(summary.outcomes), causes=tuple(causes))


def count_outcomes(evaluator: EvaluatorSummary) -> Counter[str]:
    """The comparisons of all fields of an evaluator, by outcome."""
    total: Counter[str] = Counter()
    for summary in evaluator.fields:
        total.update(summary.outcomes)
    return total


def summarize_causes(evaluator: EvaluatorSummary) -> tuple[CauseSummary, ...]:
    """Count the causes of an evaluator's mismatches, most frequent first, with the fields that have them."""
    fields_by_cause: dict[str, Counter[str]] = {}
    rules = {summary.field: summary.rule for summary in evaluator.fields}
    for summary in evaluator.fields:
        for cause, count in summary.causes:
            fields_by_cause.setdefault(cause, Counter())[summary.field] += count
    causes: list[CauseSummary] = []
    for name, counts in fields_by_cause.items():
        fields = tuple(counts.most_common(4))
        text = describe_cause(name, rules[fields[0][0]])
        more = len(counts) - len(fields)
        causes.append(CauseSummary(name=name, label=text.label, advice=text.advice, count=counts.total(), fields=fields, more_fields=more))
    return tuple(sorted(causes, key=lambda cause: (-cause.count, cause.label)))


def make_slice_table(evaluators: Sequence[EvaluatorSummary]) -> SliceTable | None:
    """Splits first, then tags from the lowest score up."""
    sliced = [evaluator for evaluator in evaluators if evaluator.slices]
    if not sliced:
        return None
    names = dict.fromkeys(name for evaluator in sliced for name in evaluator.slices)
    rows = [_make_slice_row(name, [evaluator.slices.get(name, {}).get("score") for evaluator in sliced]) for name in names]
    rows.sort(key=lambda row: (row.kind != "split", row.scores[0].value if row.scores[0] else 1.0, row.name))
    return SliceTable(
        evaluators=tuple(evaluator.name for evaluator in sliced), rows=tuple(rows[:MAX_SLICES]), more=max(len(rows) - MAX_SLICES, 0)
    )


def _make_slice_row(slice_name: str, scores: Sequence[Metric | None]) -> SliceRow:
    kind, _, name = slice_name.partition(":")
    n = max((metric.n for metric in scores if metric), default=0)
    groups = max((metric.groups for metric in scores if metric and metric.groups is not None), default=None)
    return SliceRow(kind=kind, name=name, n=n, groups=groups, scores=tuple(scores))


def list_errors(field: FieldSummary) -> list[str]:
    """List the causes of a field's mismatches and its other errors with counts, most frequent first.

    >>> from fieldwise.model.summary import Metric
    >>> whole = {"n": 9, "expected": 9, "given": 8, "score": Metric(value=0.5, n=9), "precision": 0, "recall": 0, "f1": 0, "matched": 5}
    >>> list_errors(FieldSummary(field="a", rule="exact", outcomes={"omission": 1, "wrong_value": 3}, causes=(("ocr", 2),), **whole))
    ['look-alike characters 2', 'omission 1', 'no cause found 1']
    """
    errors = [(describe_cause(cause).label, count) for cause, count in field.causes]
    errors += [(word, field.outcomes[outcome]) for outcome, word in _OUTCOME_WORDS.items() if outcome in field.outcomes]
    errors.sort(key=lambda error: -error[1])
    explained = sum(count for _, count in field.causes)
    unexplained = field.outcomes.get("wrong_value", 0) + field.outcomes.get("format_error", 0) - explained
    if unexplained > 0:
        errors.append((NO_CAUSE, unexplained))
    return [f"{word} {count}" for word, count in errors]
