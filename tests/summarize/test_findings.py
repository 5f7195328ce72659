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
        ({"exact_match": 0.1, "number_match": 0.2, "source_citation": 0.0}, ["wrong-numbers", "no-sources"]),
        ({"exact_match": 0.1, "number_match": 0.7}, []),
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
        "answer_quality: answers cover the right topics with wrong numbers, which is critical for calculations "
        "(keyword_coverage 0.95, number_match 0.20; n = 20)"
    )


def test_nothing_is_said_without_figures() -> None:
    assert find_patterns(summary(HIGH, n=0)) == []
    assert find_patterns(Summary(cases=0, evaluators={})) == []


@pytest.mark.parametrize("n", [1, 3, 4, 1000])
def test_the_same_is_said_for_one_case_as_for_a_thousand(n: int) -> None:
    metrics = {"keyword_coverage": 1.0, "exact_match": 0.0}
    assert [str(finding) for finding in find_patterns(summary(metrics, n=n))] == [
        "answer_quality: answers have the right information, but are phrased differently or say more than expected "
        f"(keyword_coverage 1.00, exact_match 0.00; n = {n:,})"
    ]
    assert [finding.code for finding in find_patterns(summary(dict.fromkeys(HIGH, 1.0), n=n))] == ["all-high"]


def test_each_metric_has_its_number_of_cases_where_they_differ() -> None:
    metrics = {"keyword_coverage": Metric(value=0.9, n=5), "exact_match": Metric(value=0.0, n=7)}
    answers = EvaluatorSummary(name="answers", type="answer_quality", counts=Counts(), metrics=metrics)
    [finding] = find_patterns(Summary(cases=7, evaluators={"answers": answers}))
    assert str(finding).endswith("(keyword_coverage 0.90 (n = 5), exact_match 0.00 (n = 7))")


def test_a_metric_that_had_nothing_to_measure_does_not_silence_the_others() -> None:
    without_numbers = {name: value for name, value in HIGH.items() if name != "number_match"}
    findings = find_patterns(summary(without_numbers, {"faithfulness": 0.2}))
    assert [finding.code for finding in findings] == ["all-high", "not-grounded"]
