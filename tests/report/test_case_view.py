"""Cases ranked by score, and the lowest field by field."""

from pathlib import Path

from report_factory import comparison, evaluator

import fieldwise as fw
from fieldwise.model.summary import Counts, EvaluatorSummary
from fieldwise.report.case_view import build_case_views, count_causes, find_leading_evaluator, read_score_spread
from fieldwise.report.heatmap import summarize_cell
from fieldwise.report.html import render_html
from fieldwise.store.run import Run


def test_only_measured_cases_are_ranked_lowest_first(states: Run) -> None:
    spread = read_score_spread(states, "fields", 10)
    assert [(case.id, case.score) for case in spread.lowest] == [("wrong", 0.0), ("no output", 0.0), ("partly", 0.5), ("right", 1.0)]
    assert spread.measured == 4
    assert spread.bins == (2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)


def test_an_evaluator_without_scores_has_an_empty_spread(states: Run) -> None:
    assert read_score_spread(states, "fields", 0).lowest == ()


def test_the_first_evaluator_with_fields_leads() -> None:
    judge = EvaluatorSummary(name="judge", type="llm_judge", counts=Counts(), metrics={})
    fields = evaluator()
    assert find_leading_evaluator([judge, fields]) is fields
    assert find_leading_evaluator([judge]) is judge
    assert find_leading_evaluator([]) is None


def test_a_case_shows_its_mismatches_and_the_verdict_of_every_evaluator(states: Run) -> None:
    spread = read_score_spread(states, "fields", 3)
    wrong, no_output, partly = build_case_views(states, states.full.evaluators["fields"], spread.lowest)
    assert [row.path for row in wrong.rows] == ["a", "b"]
    assert (no_output.no_output, no_output.scores[0].verdict) == (True, "fail")
    assert (partly.matched, [row.path for row in partly.rows], partly.scores[0].verdict) == (1, ["b"], "partial")


def test_causes_are_counted_over_all_fields() -> None:
    assert count_causes(evaluator()) == {"scale": 12, "item_shifted": 3, "ocr": 1}


def test_a_heatmap_cell_combines_the_items_of_a_list() -> None:
    match, wrong = comparison(outcome="match", passed=True, similarity=1.0), comparison()
    close = comparison(outcome="match", passed=True, similarity=0.9)
    assert summarize_cell([]).state.name == "nothing"
    assert summarize_cell([match]).state.name == "match"
    assert (summarize_cell([match, close]).state.name, summarize_cell([match, close]).example) == ("close", close)
    assert summarize_cell([wrong]).state.name == "wrong_value"
    partly = summarize_cell([match, close, wrong])
    assert (partly.state.name, partly.hint, partly.example) == ("partly", "2 of 3", wrong)


def test_tool_calls_show_the_arguments_that_differ_and_leave_the_whole_sides_unmarked(tmp_path: Path) -> None:
    expected = [{"tool": "search"}, {"tool": "book", "args": {"bags": 1}}, {"tool": "send"}]
    case = {"id": "c", "expected": expected, "actual": [{"tool": "book", "args": {"bags": 0}}]}
    run = fw.run({"evaluators": [{"type": "tool_trajectory"}]}, cases=[case], root=tmp_path)
    spread = read_score_spread(run, "tool_trajectory", 1)
    [view] = build_case_views(run, run.full.evaluators["tool_trajectory"], spread.lowest)
    assert [(row.path, row.comparison.expected, row.comparison.actual) for row in view.rows] == [("book: bags", 1, 0)]
    assert view.texts is not None
    assert not any(piece.differs for piece in (*(view.texts.expected or ()), *(view.texts.actual or ())))
    assert "missing: send" in render_html(run)
