"""What a pattern of scores suggests."""

import pytest

from fieldwise.model.summary import Counts, EvaluatorSummary, Metric, Summary
from fieldwise.summarize.findings import find_patterns

HIGH = {"exact_match": 0.9, "keyword_coverage": 0.95, "number_match": 0.9, "answer_completeness": 0.9, "source_citation": 0.9}


def summary(metrics: dict[str, float], ragas: dict[str, float] | None = None, n: int = 20) -> Summary:
    def evaluator_summary(type_: str, values: dict[str, float]) -> EvaluatorSummary:
        return EvaluatorSummary(
            name=type_, type=type_, counts=Counts(), metrics={name: Metric(value=value, n=n) for name, value in values.items()}
        )

    evaluators = {"answer_quality": evaluator_summary("answer_quality", metrics)} | (
        {"ragas": evaluator_summary("ragas", ragas)} if ragas else {}
    )
    return Summary(cases=n, evaluators=evaluators)


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({}, ["all-high"]),
        ({"keyword_coverage": 0.3, "answer_completeness": 0.6}, ["missing-details"]),
        ({"exact_match": 0.1}, ["other-words"]),
        ({"number_match": 0.2}, ["wrong-numbers"]),
        ({"source_citation": 0.1}, ["no-sources"]),
        ({"exact_match": 0.1, "number_match": 0.2, "source_citation": 0.0}, ["other-words", "wrong-numbers", "no-sources"]),
        ({"exact_match": 0.65}, []),
    ],
)
def test_each_pattern_of_the_answer_metrics_is_read(changes: dict[str, float], codes: list[str]) -> None:
    """Answer metrics, interpreting results: all high; exact match against keyword coverage; low number match; low citation."""
    assert [finding.code for finding in find_patterns(summary(HIGH | changes))] == codes


def test_high_answer_metrics_beside_low_ragas_metrics_may_not_be_grounded() -> None:
    """Answer metrics, interpreting results: high custom metrics, low RAGAS metrics."""
    findings = find_patterns(summary(HIGH, {"faithfulness": 0.2, "context_recall": 0.9}))
    assert [finding.code for finding in findings] == ["all-high", "not-grounded"]
    assert findings[1].metrics["faithfulness"] == 0.2
    assert "context_recall" not in findings[1].metrics


def test_a_finding_names_its_figures() -> None:
    assert str(find_patterns(summary(HIGH | {"number_match": 0.2}))[0]) == (
        "answer_quality: answers speak of the right things with wrong numbers, which is critical for calculations "
        "(keyword_coverage 0.95, number_match 0.20)"
    )


def test_nothing_is_said_without_figures() -> None:
    assert find_patterns(summary(HIGH, n=0)) == []
    assert find_patterns(Summary(cases=0, evaluators={})) == []


def test_nothing_is_said_where_the_interval_reaches_the_other_side() -> None:
    wide = Metric(value=0.4, n=3, low=0.0, high=0.95)
    metrics = {name: Metric(value=value, n=3) for name, value in HIGH.items()} | {"source_citation": wide}
    answers = EvaluatorSummary(name="answers", type="answer_quality", counts=Counts(), metrics=metrics)
    assert find_patterns(Summary(cases=3, evaluators={"answers": answers})) == []
