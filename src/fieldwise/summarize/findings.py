"""Interpretations of score patterns of answer metrics, from their values, with the number of cases beside them.

For example, low exact match with high keyword coverage means: right information in other words.
"""

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from fieldwise.dataclass import dataclass
from fieldwise.model.summary import EvaluatorSummary, Metric, Summary

HIGH: Final = 0.8
LOW: Final = 0.5
_ANSWER: Final = ("exact_match", "keyword_coverage", "number_match", "answer_completeness", "source_citation")
_ANSWER_CONTENT: Final = ("keyword_coverage", "number_match", "answer_completeness")
_RAGAS: Final = ("faithfulness", "answer_relevancy", "context_precision", "context_recall")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One interpretation, with the metrics that support it."""

    code: str
    level: Literal["good", "look"]
    text: str
    evaluators: tuple[str, ...]
    metrics: Mapping[str, float]
    counts: Mapping[str, int]
    """Metric → number of cases it was measured in."""

    def __str__(self) -> str:
        counts = set(self.counts.values())
        if len(counts) == 1:
            figures = ", ".join(f"{name} {value:.2f}" for name, value in self.metrics.items()) + f"; n = {counts.pop():,}"
        else:
            figures = ", ".join(f"{name} {value:.2f} (n = {self.counts[name]:,})" for name, value in self.metrics.items())
        return f"{'/'.join(self.evaluators)}: {self.text} ({figures})"


@dataclass(frozen=True, slots=True)
class _ScorePattern:
    """Metrics that are high, metrics that are low, and their interpretation."""

    code: str
    high: tuple[str, ...]
    low: tuple[str, ...]
    text: str
    unless_below: tuple[str, ...] = ()
    """Metrics that must be high where they were measured."""
    unless_measured: tuple[str, ...] = ()
    """Metrics that must not be measured."""


_PATTERNS: Final = (
    _ScorePattern("missing-details", ("exact_match",), ("keyword_coverage",), "answers are correct, but miss important details or context"),
    _ScorePattern(
        "other-words",
        ("keyword_coverage",),
        ("exact_match",),
        "answers have the right information, but are phrased differently or say more than expected",
        unless_below=("number_match",),
    ),
    _ScorePattern(
        "wrong-numbers",
        ("keyword_coverage",),
        ("number_match",),
        "answers cover the right topics with wrong numbers, which is critical for calculations",
    ),
    _ScorePattern(
        "no-sources",
        (),
        ("source_citation",),
        "answers do not cite their sources, so they are hard to verify or debug",
        unless_measured=("token_f1",),  # asked for where answers are short and cite nothing
    ),
)


def find_patterns(summary: Summary) -> list[Finding]:
    """Every interpretation that the metrics of a run support."""
    findings: list[Finding] = []
    for evaluator in summary.evaluators.values():
        if evaluator.type == "answer_quality":
            findings += _find_answer_patterns(evaluator)
    return findings + list(_compare_with_ragas(summary))


def _find_answer_patterns(evaluator: EvaluatorSummary) -> Iterator[Finding]:
    metrics = _measured_metrics(evaluator.metrics, _ANSWER)
    if metrics and all(map(_is_high, metrics.values())):  # a metric that had nothing to measure says nothing against it
        text = "all answer metrics are high: the system does well in every respect measured"
        yield _build_finding("all-high", "good", text, (evaluator,), metrics)
    for pattern in _PATTERNS:
        names = pattern.high + pattern.low
        if not all(name in metrics for name in names):
            continue
        if any(name in evaluator.metrics for name in pattern.unless_measured):
            continue
        if any(name in metrics and not _is_high(metrics[name]) for name in pattern.unless_below):
            continue
        if all(_is_high(metrics[name]) for name in pattern.high) and all(_is_low(metrics[name]) for name in pattern.low):
            yield _build_finding(pattern.code, "look", pattern.text, (evaluator,), {name: metrics[name] for name in names})


def _compare_with_ragas(summary: Summary) -> Iterator[Finding]:
    """High answer metrics beside low ragas metrics."""
    answer_evaluators = [evaluator for evaluator in summary.evaluators.values() if evaluator.type == "answer_quality"]
    ragas_evaluators = [evaluator for evaluator in summary.evaluators.values() if evaluator.type == "ragas"]
    for answers in answer_evaluators:
        answer_metrics = _measured_metrics(answers.metrics, _ANSWER_CONTENT)
        if not answer_metrics or not all(map(_is_high, answer_metrics.values())):
            continue
        for ragas in ragas_evaluators:
            low = {name: metric for name, metric in _measured_metrics(ragas.metrics, _RAGAS).items() if _is_low(metric)}
            if low:
                text = "answers match the expected ones, but may not be grounded in the retrieved contexts (they may only fit the form)"
                yield _build_finding("not-grounded", "look", text, (answers, ragas), answer_metrics | low)


def _measured_metrics(metrics: Mapping[str, Metric], names: tuple[str, ...]) -> dict[str, Metric]:
    return {name: metrics[name] for name in names if name in metrics and metrics[name].n}


def _is_high(metric: Metric) -> bool:
    return metric.value >= HIGH


def _is_low(metric: Metric) -> bool:
    return metric.value < LOW


def _build_finding(
    code: str, level: Literal["good", "look"], text: str, evaluators: tuple[EvaluatorSummary, ...], metrics: Mapping[str, Metric]
) -> Finding:
    names = tuple(evaluator.name for evaluator in evaluators)
    values = {name: metric.value for name, metric in metrics.items()}
    counts = {name: metric.n for name, metric in metrics.items()}
    return Finding(code=code, level=level, text=text, evaluators=names, metrics=values, counts=counts)
