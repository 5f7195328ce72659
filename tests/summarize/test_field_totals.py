"""What became of each field."""

from types import SimpleNamespace

import numpy as np
import pytest
from outcome_factory import EVALUATORS, PRF, build, rule

from fieldwise.kernels.statistics import wilson_interval
from fieldwise.model.batch import BatchOutcome, EvaluatorOutcome
from fieldwise.model.case import Case, Cases
from fieldwise.model.comparison import ComparisonTable, Outcome
from fieldwise.model.result import Result, Results
from fieldwise.model.rule import FieldRule, Match
from fieldwise.model.values import MISSING
from fieldwise.summarize.rule_text import rule_text
from fieldwise.summarize.state import SummaryState


def field_of(rows, *, status="scored", fields=("total",)):
    """The summary of fields whose comparisons are (case, outcome, similarity, passed[, field])."""
    cases = max(row[0] for row in rows) + 1
    column = [row[4] if len(row) > 4 else 0 for row in rows]
    comparisons = ComparisonTable(
        cases=cases,
        case=np.array([row[0] for row in rows], dtype=np.int32),
        field=np.array(column, dtype=np.int32),
        path=np.array(column, dtype=np.int32),
        outcome=np.array([row[1] for row in rows], dtype=np.uint8),
        similarity=np.array([row[2] for row in rows], dtype=np.float64),
        passed=np.array([row[3] for row in rows], dtype=np.bool_),
        expected=[None if row[1] == Outcome.BOTH_ABSENT else 1 for row in rows],
        actual=[MISSING if row[1] in (Outcome.BOTH_ABSENT, Outcome.FAULT) else 2 for row in rows],
        fields=list(fields),
        rules=[rule(name) for name in fields],
        paths=list(fields),
    )
    results = Results.from_results([Result(score=0.5, status=status, details={"fault": "ours"})] * cases)
    results.comparisons = comparisons
    state = SummaryState(EVALUATORS)
    batch = Cases.of([Case(id=f"case-{number}") for number in range(cases)])
    state.add(BatchOutcome(first=0, cases=batch, evaluated=[EvaluatorOutcome(evaluator=PRF, rows=np.arange(cases), results=results)]))
    return state.finish({}).evaluators["field_prf"].fields


def test_error_types_count_as_the_guides_table_says():
    """Metric guide: omission is FN, hallucination FP, format_error and wrong_value both."""
    [field] = field_of(
        [
            (0, Outcome.MATCH, 1.0, True),
            (1, Outcome.WRONG_VALUE, 0.5, False),
            (2, Outcome.FORMAT_ERROR, np.nan, False),
            (3, Outcome.OMISSION, np.nan, False),
            (4, Outcome.HALLUCINATION, np.nan, False),
            (5, Outcome.HALLUCINATION, np.nan, False),
        ]
    )
    assert (field.n, field.expected, field.given, field.matched) == (6, 4, 5, 1)
    assert (field.precision, field.recall) == (1 / 5, 1 / 4)
    assert field.f1 == pytest.approx(2 * 0.2 * 0.25 / 0.45)
    assert field.score.value == 1.5 / 6
    assert field.outcomes == {"match": 1, "wrong_value": 1, "format_error": 1, "omission": 1, "hallucination": 2}


def test_agreement_on_no_value_counts_only_where_it_passed():
    [field] = field_of(
        [(0, Outcome.BOTH_ABSENT, np.nan, True), (1, Outcome.BOTH_ABSENT, np.nan, False), (2, Outcome.IGNORED, np.nan, False)]
    )
    assert (field.score.value, field.score.n, field.matched, field.n) == (1.0, 1, 1, 1)
    assert (field.expected, field.given, field.f1) == (0, 0, 0.0)


def test_a_field_with_nothing_scored_has_no_measured_score():
    [field] = field_of([(0, Outcome.IGNORED, np.nan, False)])
    assert (field.score.n, field.score.low) == (0, None)


def test_a_comparison_that_could_not_be_made_counts_zero():
    [field] = field_of([(0, Outcome.MATCH, 1.0, True), (1, Outcome.FAULT, np.nan, False)])
    assert (field.score.value, field.expected, field.given) == (0.5, 2, 1)


def test_the_interval_counts_cases_not_items_of_their_lists():
    [items] = field_of([(0, Outcome.MATCH, 1.0, True)] * 50 + [(1, Outcome.WRONG_VALUE, 0.0, False)] * 50)
    [cases] = field_of([(0, Outcome.MATCH, 1.0, True), (1, Outcome.WRONG_VALUE, 0.0, False)])
    assert (items.score.low, items.score.high, items.score.n) == (cases.score.low, cases.score.high, 2)


def test_equal_similarities_other_than_0_and_1_have_no_interval():
    [field] = field_of([(case, Outcome.WRONG_VALUE, 10 / 11, False) for case in range(20)])
    assert (field.score.value, field.score.low, field.score.high) == (pytest.approx(10 / 11), None, None)
    [items] = field_of([(case, Outcome.WRONG_VALUE, similarity, False) for case in range(20) for similarity in (0.3, 0.1, 1 / 3)])
    assert items.score.low is None
    [differing] = field_of([(case, Outcome.WRONG_VALUE, 10 / 11 + 0.01 * (case == 7), False) for case in range(20)])
    assert differing.score.low is not None
    for outcome, similarity in ((Outcome.MATCH, 1.0), (Outcome.OMISSION, np.nan)):
        [equal] = field_of([(case, outcome, similarity, similarity == 1.0) for case in range(20) for _ in range(2)])
        assert (equal.score.low, equal.score.high) == wilson_interval(20 * equal.score.value, 20)


def test_a_batch_with_other_similarities_gives_the_interval_back():
    results = [build(6, right=right, first=first) for right, first in ((1.0, 0), (0.3, 6))]
    state, other = SummaryState(EVALUATORS), SummaryState(EVALUATORS)
    state.add(results[0])
    other.add(results[1])
    state.merge(other)
    assert all(field.score.low is not None for field in state.finish({}).evaluators["field_prf"].fields)


def test_results_that_are_no_measurement_leave_the_fields_alone():
    [field] = field_of([(0, Outcome.MATCH, 1.0, True)], status="error")
    assert (field.n, field.score.n) == (0, 0)


def test_the_worst_cases_of_a_field_are_five_and_each_named_once():
    rows = [(0, Outcome.WRONG_VALUE, 0.5, False), (0, Outcome.WRONG_VALUE, 0.1, False)]
    rows += [(case, Outcome.WRONG_VALUE, 0.2, False) for case in range(1, 8)]
    rows += [(8, Outcome.MATCH, 0.0, True)]
    [field] = field_of(rows)
    assert field.worst == ("case-0", "case-1", "case-2", "case-3", "case-4")


def test_two_rules_for_one_path_are_two_fields():
    first, second = field_of([(0, Outcome.MATCH, 1.0, True, 0), (0, Outcome.WRONG_VALUE, 0.0, False, 1)], fields=("total", "total"))
    assert (first.score.value, second.score.value) == (1.0, 0.0)


def test_causes_come_most_frequent_first():
    state = SummaryState(EVALUATORS)
    batch = build(200, right=0.5)
    state.add(batch)
    for field in state.finish({}).evaluators["field_prf"].fields:
        counts = [count for _, count in field.causes]
        assert counts == sorted(counts, reverse=True)
        assert {name for name, _ in field.causes} == {"case", "whitespace"}
        assert sum(counts) == field.outcomes["wrong_value"]


@pytest.mark.parametrize(
    ("match", "options", "words"),
    [
        ("exact", {}, "exact"),
        ("fuzzy", {"threshold": 0.85, "algorithm": "jaro_winkler"}, "fuzzy ≥ 0.85 (jaro_winkler)"),
        ("numeric_tolerance", {"tolerance": 0.01, "relative": False}, "numeric ± 0.01"),
        ("numeric_tolerance", {"tolerance": 0.02, "relative": True}, "numeric ± 2 %"),
        ("numeric_tolerance", {"tolerance": 0.0}, "numeric"),
        ("date", {"formats": ()}, "date"),
        ("date", {"formats": ("%d/%m/%Y",)}, "date (%d/%m/%Y)"),
        ("semantic", {"threshold": 0.8, "by": "embedding"}, "semantic ≥ 0.8 (embedding)"),
    ],
)
def test_a_rule_reads_as_words(match, options, words):
    assert rule_text(FieldRule(path=None, text="a", match=Match(match, SimpleNamespace(**options)))) == words


def test_similarities_of_0_and_1_have_the_interval_of_a_share():
    """Graded similarities with the same mean have an interval of their own."""
    right_or_wrong = [(case, Outcome.MATCH if case < 15 else Outcome.WRONG_VALUE, float(case < 15), case < 15) for case in range(20)]
    graded = [(case, Outcome.WRONG_VALUE, 0.7 + 0.1 * (case % 2), False) for case in range(20)]
    [shares], [means] = field_of(right_or_wrong), field_of(graded)
    assert (shares.score.low, shares.score.high) == pytest.approx(wilson_interval(15, 20))
    assert means.score.high - means.score.low < 0.1
