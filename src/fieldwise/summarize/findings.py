"""What a pattern of scores suggests, in words, where the figures support it.

The readings are those of the answer metrics: "low exact match with high keyword coverage" means right information, other words.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from fieldwise.model.summary import EvaluatorSummary, Metric, Summary

HIGH: Final = 0.8
LOW: Final = 0.5
_ANSWER: Final = ("exact_match", "keyword_coverage", "number_match", "answer_completeness", "source_citation")
_RAGAS: Final = ("faithfulness", "answer_relevancy", "context_precision", "context_recall")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One reading of the figures, with the figures it rests on."""

    code: str
    level: Literal["good", "look"]
    text: str
    evaluators: tuple[str, ...]
    metrics: Mapping[str, float]

    def __str__(self) -> str:
        figures = ", ".join(f"{name} {value:.2f}" for name, value in self.metrics.items())
        return f"{'/'.join(self.evaluators)}: {self.text} ({figures})"


@dataclass(frozen=True, slots=True)
class _Pattern:
    """Metrics that are high and metrics that are low, and what they mean together."""

    code: str
    high: tuple[str, ...]
    low: tuple[str, ...]
    text: str


_PATTERNS: Final = (
    _Pattern("missing-details", ("exact_match",), ("keyword_coverage",), "answers are correct, but miss important details or context"),
    _Pattern(
        "other-words",
        ("keyword_coverage",),
        ("exact_match",),
        "answers have the right information, but are phrased differently or say more than expected",
    ),
    _Pattern(
        "wrong-numbers",
        ("keyword_coverage",),
        ("number_match",),
        "answers speak of the right things with wrong numbers, which is critical for calculations",
    ),
    _Pattern("no-sources", (), ("source_citation",), "answers do not say where they have it from, so they are hard to verify or debug"),
)


def findings(summary: Summary) -> list[Finding]:
    """Every reading that the figures of a run support."""
    found = [
        finding for evaluator in summary.evaluators.values() if evaluator.type == "answer_quality" for finding in _of_answers(evaluator)
    ]
    return found + list(_against_ragas(summary))


def _of_answers(evaluator: EvaluatorSummary) -> Iterator[Finding]:
    known = _known(evaluator.metrics, _ANSWER)
    if len(known) == len(_ANSWER) and all(map(_is_high, known.values())):
        text = "all answer metrics are high: the system does well in every respect measured"
        yield _finding("all-high", "good", text, (evaluator,), known)
    for pattern in _PATTERNS:
        named = pattern.high + pattern.low
        if (
            all(name in known for name in named)
            and all(map(_is_high, _pick(known, pattern.high)))
            and all(map(_is_low, _pick(known, pattern.low)))
        ):
            yield _finding(pattern.code, "look", pattern.text, (evaluator,), {name: known[name] for name in named})


def _against_ragas(summary: Summary) -> Iterator[Finding]:
    """High answer metrics beside low ragas metrics."""
    for answers in (one for one in summary.evaluators.values() if one.type == "answer_quality"):
        own = _known(answers.metrics, ("keyword_coverage", "number_match", "answer_completeness"))
        for ragas in (one for one in summary.evaluators.values() if one.type == "ragas"):
            low = {name: metric for name, metric in _known(ragas.metrics, _RAGAS).items() if _is_low(metric)}
            if len(own) == 3 and all(map(_is_high, own.values())) and low:
                text = (
                    "answers match what was expected, but may not rest on the retrieved contexts (they may be fitted to the expected form)"
                )
                yield _finding("not-grounded", "look", text, (answers, ragas), own | low)


def _known(metrics: Mapping[str, Metric], names: tuple[str, ...]) -> dict[str, Metric]:
    return {name: metrics[name] for name in names if name in metrics and metrics[name].n}


def _pick(known: Mapping[str, Metric], names: tuple[str, ...]) -> list[Metric]:
    return [known[name] for name in names]


def _is_high(metric: Metric) -> bool:
    """High for sure: where there is an interval, its middle is high and its lower end is not low."""
    return metric.value >= HIGH and (metric.low is None or metric.low > LOW)


def _is_low(metric: Metric) -> bool:
    return metric.value < LOW and (metric.high is None or metric.high < HIGH)


def _finding(
    code: str, level: Literal["good", "look"], text: str, evaluators: tuple[EvaluatorSummary, ...], metrics: Mapping[str, Metric]
) -> Finding:
    values = {name: metric.value for name, metric in metrics.items()}
    return Finding(code=code, level=level, text=text, evaluators=tuple(one.name for one in evaluators), metrics=values)
