"""Cards and tables of evaluators."""

from report_factory import evaluator, view

from fieldwise.model.summary import Counts, Summary
from fieldwise.report.evaluator_tables import share_cases_by_status


def test_the_table_of_fields_begins_with_the_worst() -> None:
    scores = [row.field.score.value for row in view().tables[0].rows]
    assert scores == sorted(scores)


def test_shares_of_a_bar_add_up_and_name_a_single_fault() -> None:
    shares = share_cases_by_status(Counts(cases=4, passed=3, faults=1))
    assert [(share.word, share.count) for share in shares] == [("passed", 3), ("fault", 1)]
    assert sum(share.share for share in shares) == 1


def test_metrics_beyond_one_are_not_drawn_as_bars() -> None:
    metrics = evaluator().metrics | {"latency_ms": evaluator().metrics["score"].__class__(value=120.0, n=20)}
    card = view(summary=Summary(cases=1, evaluators={"e": evaluator("e", "my_evaluator", metrics=metrics)})).cards[0]
    assert list(card.main_metrics) == ["score", "pass_rate"]
