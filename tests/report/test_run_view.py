"""The page model of a run."""

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from report_factory import evaluator, view

from fieldwise.model.summary import Counts, Summary
from fieldwise.report.evaluator_tables import NO_CAUSE
from fieldwise.report.run_view import build_run_view, describe_exit
from fieldwise.store.run import Run


def test_without_options_no_scores_and_no_cases_are_read(demo: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("scores", "results", "results_at", "case"):
        monkeypatch.setattr(Run, name, lambda *_, name=name: pytest.fail(f"Run.{name} was called"))
    run_view = build_run_view(demo)
    assert [card.name for card in run_view.cards] == ["fields", "field_prf", "json_quality"]
    assert (run_view.worst, run_view.heatmaps, run_view.spreads, run_view.examples) == ((), (), {}, {})


def test_worst_cases_are_the_lowest_of_the_leading_evaluator(demo: Run) -> None:
    run_view = build_run_view(demo, worst=3)
    assert run_view.leader_name == "fields"
    assert list(run_view.spreads) == ["fields"]
    assert [case.id for case in run_view.worst] == [case.id for case in run_view.spreads["fields"].lowest]
    assert [case.score for case in run_view.worst] == sorted(case.score for case in run_view.worst)


def test_heatmaps_read_the_scores_of_every_evaluator(demo: Run) -> None:
    run_view = build_run_view(demo, heatmaps=True)
    assert set(run_view.spreads) == set(demo.full.evaluators)
    assert sum(run_view.cards[0].score_bins) == 26
    assert len(run_view.heatmaps[0].cases) == 26


def test_every_cause_of_the_summary_has_an_example_with_that_cause(demo: Run) -> None:
    run_view = build_run_view(demo, examples=True)
    assert {cause.name for cause in run_view.causes} >= set(run_view.examples)
    assert run_view.examples
    assert all(example.comparison.cause == cause for cause, example in run_view.examples.items())


def test_causes_are_labelled_and_counted_over_fields() -> None:
    [first, *_] = view().causes
    assert (first.name, first.label, first.count, first.fields) == ("scale", "scale", 12, (("items[*].amount", 12),))
    assert [cause.label for cause in view().causes][1:] == ["value of a neighbouring item", "look-alike characters"]


def test_the_pareto_of_causes_adds_up_to_all_mismatches() -> None:
    rows = view().pareto
    assert sum(row.cause.count for row in rows) == view().mismatches == 20
    assert [row.cause.label for row in rows][-1] == NO_CAUSE
    assert rows[0].cumulative == rows[0].share == 12 / 20
    assert rows[-1].cumulative == 1.0


def test_a_run_without_evaluators_can_be_shown() -> None:
    empty = view(summary=Summary(cases=0, evaluators={}), exit_code=4)
    assert (empty.leader, empty.leader_name, empty.cards, empty.causes, empty.slices) == (None, "", (), (), None)
    assert empty.verdict.word == "nothing"


def test_splits_come_before_tags() -> None:
    table = view().slices
    assert table is not None
    assert [(row.kind, row.name) for row in table.rows] == [("split", "test"), ("tag", "german")]


@pytest.mark.parametrize(
    ("code", "has_gates", "word", "reason"),
    [
        (0, True, "passed", "every gate passed"),
        (0, False, "no gate", "everything was measured"),
        (1, True, "failed", "a gate failed"),
        (1, False, "failed", "a case is below its evaluator's pass_at"),
        (3, True, "incomplete", "incomplete: not everything could be measured"),
        (None, True, "unfinished", "unfinished"),
    ],
)
def test_verdict_and_reason_follow_the_exit_code(code: int | None, has_gates: bool, word: str, reason: str) -> None:
    gates = view().gates if has_gates else ()
    assert describe_exit(code, has_gates).word == word
    assert view(exit_code=code, gates=gates).exit_reason == reason


def test_tolerated_results_without_a_measurement_are_named() -> None:
    counts = Counts(cases=20, scored=17, skipped=2, faults=1)
    summary = Summary(cases=20, evaluators={"fields": evaluator(counts=counts)})
    tolerated = "3 results without a measurement tolerated"
    assert view(exit_code=0, gates=(), summary=summary).exit_reason == f"everything else was measured; {tolerated}"
    assert view(exit_code=0, summary=summary).exit_reason == f"every gate passed; {tolerated}"
    assert view(exit_code=0, gates=(), summary=summary).verdict.reason.startswith("everything else was measured")


def test_the_suite_file_is_shown_relative_to_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_view = view(suite_file=str(tmp_path / "suites" / "s.eval.yaml"))
    assert run_view.shown_suite_file == "suites/s.eval.yaml"
    assert dict(run_view.facts)["suite"] == "suites/s.eval.yaml"
    assert view(suite_file=None).shown_suite_file == ""


def test_a_view_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        view().name = "other"  # type: ignore[misc]
