"""The report of a run, as text."""

from dataclasses import replace

import pytest
from report_factory import evaluator, field, metric, view
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.summary import Counts, EvaluatorSummary, Summary
from fieldwise.report.terminal import build_fields_section, build_run_report, build_slices_section
from fieldwise.report.terminal_layout import DisplayOptions, render_text

HOSTILE = "[bold red]x[/] \x1b[31m\u202egnp.exe\x07\n::error::"


def shown(width: int = 120, *, plain: bool = True, **more: object) -> str:
    return render_text(build_run_report(view(**more), DisplayOptions(width=width, plain=plain)), width=width)


def test_the_plain_report_at_120_columns_equals_the_snapshot(snapshot: SnapshotAssertion) -> None:
    assert shown() == snapshot


def test_the_plain_report_at_80_columns_equals_the_snapshot(snapshot: SnapshotAssertion) -> None:
    assert shown(80) == snapshot


def test_what_did_not_fit_is_counted_with_a_legend_and_shown_by_all() -> None:
    causes = (("scale", 3), ("ocr", 2), ("accents", 1))
    row = field("a_rather_long_name_of_a_field.with.parts", rule="fuzzy ≥ 0.85 (levenshtein)", causes=causes)
    short = render_text(build_fields_section(evaluator(fields=(row,)), DisplayOptions(width=80)), width=80)
    assert "+n: n more, shown by --all" in short
    whole = " ".join(
        render_text(build_fields_section(evaluator(fields=(row,)), DisplayOptions(width=80, everything=True)), width=80).split()
    )
    assert "+n:" not in whole
    assert "accents" in whole
    assert "(levenshtein" in whole


@pytest.mark.parametrize("width", [60, 80, 100, 120, 160])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(map(len, shown(width, plain=False).split("\n"))) <= width


def test_plain_has_no_escape_and_no_trailing_space() -> None:
    text = shown()
    assert "\x1b" not in text
    assert not any(line != line.rstrip() for line in text.split("\n"))


def test_gates_have_a_sign_and_a_word_besides_colour() -> None:
    text = shown()
    assert "✓  fields.score >= 0.9" in text
    assert "passed" in text.split("fields.score >= 0.9")[1].split("\n")[0]
    assert "✗  field_prf.macro_f1 >= 0.9" in text


def test_colour_is_there_where_a_terminal_is() -> None:
    assert "\x1b[32m" in render_text(build_run_report(view(), DisplayOptions()), colour=True)


def test_without_a_gate_the_report_says_that_none_was_set() -> None:
    assert "no gate was set" in shown(gates=(), exit_code=0)


def test_what_to_type_next_names_the_lowest_case_as_a_shell_takes_it() -> None:
    assert "fieldwise explain latest a-1" in shown()
    odd = evaluator(worst=(("a b; rm -rf", 0.0),))
    assert "fieldwise explain latest 'a b; rm -rf'" in shown(summary=Summary(cases=1, evaluators={"fields": odd}))


def test_the_same_diagnostic_at_many_places_takes_one_line_and_says_how_many_more() -> None:
    text = shown()
    assert text.count("the column `gold` is read as expected") == 1
    assert "0.jsonl, 1.jsonl, 2.jsonl and 3 more" in text


def test_of_many_diagnostics_some_are_shown_and_the_rest_counted() -> None:
    many = tuple(Diagnostic(code="x", what=f"problem {n}", where=Where(line=n)) for n in range(20))
    text = shown(diagnostics=many)
    assert "Problems" in text
    assert "and 12 more (--all)" in text


@pytest.mark.parametrize("part", ["field", "case", "name", "diagnostic", "tag"])
def test_markup_and_escapes_in_data_are_shown_as_text(part: str) -> None:
    """Rich markup, terminal escapes and direction marks in data stay text."""
    whole = evaluator()
    if part == "field":
        whole = replace(whole, fields=(field(HOSTILE, worst=(HOSTILE,)),))
    if part == "case":
        whole = replace(whole, worst=((HOSTILE, 0.0),))
    if part == "tag":
        whole = replace(whole, slices={f"tag:{HOSTILE}": {"score": whole.metrics["score"]}})
    more: dict[str, object] = {"summary": Summary(cases=1, evaluators={"fields": whole})}
    if part == "name":
        more["name"] = HOSTILE
    if part == "diagnostic":
        more["diagnostics"] = (Diagnostic(code="x", what=HOSTILE, where=Where(case=HOSTILE), fix=HOSTILE),)
    report = build_run_report(view(**more), DisplayOptions(width=160))
    console = Console(width=160, force_terminal=True, record=True, markup=False, emoji=False)
    with console.capture() as capture:
        console.print(report)
    text = capture.get()
    assert "\u202e" not in text
    assert "\x07" not in text
    assert "\x1b[31m\\u202e" not in text
    assert "[bold red]x" in text
    assert "\n::error::" not in text


def test_an_evaluator_that_measured_nothing_says_so() -> None:
    nothing = EvaluatorSummary(name="judge", type="llm_judge", counts=Counts(cases=3, unavailable=3), metrics={})
    text = shown(summary=Summary(cases=3, evaluators={"judge": nothing}), gates=(), exit_code=3)
    assert "not measured" in text
    assert "3 unavailable" in text
    assert "exit 3: incomplete" in text


def test_a_score_that_leaves_vacuous_cases_out_says_over_how_many_it_is_the_mean() -> None:
    counts = Counts(cases=20, scored=20, passed=12, partial=7, failed=1)
    partly = evaluator("calls", "tool_trajectory", counts=counts, metrics={"score": metric(0.5, 17, 0.3, 0.7)}, fields=(), slices={})
    text = shown(summary=Summary(cases=20, evaluators={"calls": partly}), gates=())
    assert "0.500  [0.30–0.70]  (n 17)  12 passed · 7 partial · 1 failed" in text


def test_a_metric_that_only_missing_outputs_count_in_is_not_shown() -> None:
    metrics = {"score": metric(0.7, 20), "accuracy": metric(0.8, 20), "safety": metric(0.0, 1)}
    quality = evaluator("quality", "json_quality", metrics=metrics, fields=(), slices={})
    text = shown(summary=Summary(cases=20, evaluators={"quality": quality}), gates=())
    assert "accuracy 0.800" in text
    assert "safety" not in text


def test_a_field_has_the_counts_of_its_score_with_agreed_nulls() -> None:
    agreed = field("note", value=1.0, n=20, matched=20, outcomes={"match": 12, "both_absent": 8})
    text = render_text(build_fields_section(evaluator(fields=(agreed,)), DisplayOptions(width=120, plain=True)), width=120)
    [row] = [line.split() for line in text.splitlines() if line.strip().startswith("note")]
    assert row[2:5] == ["20", "20", "1.000"]


def test_more_fields_than_fit_a_page_are_cut_to_the_lowest() -> None:
    many = evaluator(fields=tuple(field(f"f{n}", value=1 - n / 1000) for n in range(60)))
    summary = Summary(cases=20, evaluators={"fields": many})
    text = shown(summary=summary)
    assert "and 20 more that score higher" in text
    assert "f59 " in text
    assert "\n  f0 " not in text
    everything = render_text(build_run_report(view(summary=summary), DisplayOptions(width=120, plain=True, everything=True)), width=120)
    assert "\n  f0 " in everything


def test_response_quality_is_coloured_by_what_is_possible() -> None:
    """RQS cannot exceed 0.85 by default, so 0.84 is nearly faultless."""
    whole = evaluator("json_quality", "json_quality", fields=(), slices={})
    metrics = dict(whole.metrics) | {"score": replace(whole.metrics["score"], value=0.84), "rqs_normalized": whole.metrics["score"]}
    metrics["rqs_normalized"] = replace(metrics["score"], value=0.84 / 0.85)
    summary = Summary(cases=1, evaluators={"json_quality": replace(whole, metrics=metrics)})
    assert "\x1b[1;32m0.840" in render_text(build_run_report(view(summary=summary), DisplayOptions(plain=True)), colour=True)


def test_a_pattern_of_answer_scores_is_put_into_words() -> None:
    metrics = {
        "score": metric(0.5, 40, 0.45, 0.55),
        "exact_match": metric(0.1, 40, 0.05, 0.2),
        "keyword_coverage": metric(0.9, 40, 0.85, 0.95),
    }
    answers = evaluator("answers", "answer_quality", fields=(), slices={}, metrics=metrics)
    text = shown(summary=Summary(cases=40, evaluators={"answers": answers}))
    assert "What the figures suggest" in text
    assert "phrased differently" in text


def test_slices_show_every_evaluator_that_fits_and_name_the_others() -> None:
    names = [f"evaluator_{letter}" for letter in "abcdefg"]
    sliced = [replace(evaluator(name), slices={"tag:german": {"score": metric(0.5)}}) for name in names]
    for width, fits in ((80, 4), (160, 7)):
        lines = render_text(build_slices_section(sliced, DisplayOptions(width=width)) or "", width=width).split("\n")
        heads = next(line.split() for line in lines if line.split()[:1] == ["n"])
        assert heads == ["n", *names[:fits]]
        assert any("no room for evaluator_e, evaluator_f, evaluator_g" in line for line in lines) == (fits < 7)


def test_a_long_name_of_an_evaluator_leaves_room_for_the_counts() -> None:
    summary = replace(evaluator("an_evaluator_with_a_long_name_" * 3), slices={"tag:german": {"score": metric(0.5)}})
    lines = render_text(build_slices_section([summary], DisplayOptions(width=80)) or "", width=80).split("\n")
    assert any(line.split()[:1] == ["n"] for line in lines)


def test_fields_that_share_their_ends_stay_distinct() -> None:
    names = [f"balance_sheet.{name}[*].data_period" for name in ("inventories", "goodwill", "retained_earnings", "shareholders_equity")]
    summary = replace(evaluator("fields"), fields=tuple(replace(field("a"), field=name) for name in names))
    lines = render_text(build_fields_section(summary, DisplayOptions(width=80)), width=80).split("\n")
    shown_names = [line.split()[0] for line in lines if "data_period" in line]
    assert len(set(shown_names)) == 4
    assert all(len(line) <= 80 for line in lines)


def test_repaired_outputs_are_counted() -> None:
    repaired = evaluator(fields=(), slices={}, flags={"repaired_json": 3, "cut_off_output": 1})
    assert "3 cases with JSON that was read after repair, 1 of them cut off" in shown(
        summary=Summary(cases=20, evaluators={"fields": repaired})
    )
    assert "after repair" not in shown()


def test_counts_of_causes_are_aligned() -> None:
    causes = (("scale", 1_633), ("ocr", 174), ("item_shifted", 9))
    rows = (field("total", n=2_000, matched=184, causes=causes, outcomes={"match": 184, "wrong_value": 1_816}),)
    text = shown(summary=Summary(cases=2_000, evaluators={"fields": evaluator(fields=rows)}))
    lines = text.split("Likely causes (fields)\n")[1].split("\n")
    starts = {label: line.index(label) for line in lines for label in ("scale", "look-alike", "value of a neigh") if label in line}
    assert len(set(starts.values())) == 1
    assert "1,633  scale" in text


def test_a_cause_without_an_example_names_its_field() -> None:
    assert "scale  items[*].amount" in shown(examples={})


def test_what_made_a_run_incomplete_is_listed_as_a_problem() -> None:
    fault = Diagnostic(code="fault", what="`tone` could not measure 3 of 12 cases", level="warning")
    assert "\nProblems\n  ! `tone` could not" in shown(exit_code=3, diagnostics=(fault,))
    assert "\nGood to know\n  ! `tone` could not" in shown(exit_code=1, diagnostics=(fault,))


def test_the_next_command_of_a_log_is_one_line_however_long_the_id_is() -> None:
    case = "contracts/2024/" + "a-long-folder-name/" * 8 + "document.pdf"
    text = shown(80, summary=Summary(cases=20, evaluators={"fields": evaluator(worst=((case, 0.0),))}))
    assert f"next: fieldwise explain latest {case}\n" in text


def test_fields_without_a_mistake_are_counted_instead_of_listed_as_the_lowest() -> None:
    perfect = evaluator("field_prf", "field_prf", fields=(field("a", value=1.0),))
    text = shown(summary=Summary(cases=1, evaluators={"fields": evaluator(), "field_prf": perfect}))
    assert "field_prf: 1 field, none below 1" in text
    assert "--all shows all of them" not in text


def test_the_lowest_cases_are_left_out_where_every_case_has_the_highest_score() -> None:
    best = {"score": metric(0.85), "rqs_normalized": metric(1.0)}
    quality = evaluator("quality", "json_quality", metrics=best, worst=(("a-1", 0.85), ("b-2", 0.85)))
    assert "Lowest cases" not in shown(summary=Summary(cases=2, evaluators={"quality": quality}))
    lower = replace(quality, worst=(("a-1", 0.84), ("b-2", 0.85)))
    assert "Lowest cases (quality)" in shown(summary=Summary(cases=2, evaluators={"quality": lower}))


def test_ids_that_are_too_long_for_their_column_leave_their_room_to_the_causes() -> None:
    ids = tuple(f"document-scan-batch-2024-03-{number:04d}-page-1-of-3.pdf" for number in range(3))
    causes = (("scale", 12), ("item_shifted", 3))
    row = field("total", causes=causes, outcomes={"match": 5, "wrong_value": 15}, matched=5, worst=ids)
    text = render_text(build_fields_section(evaluator(fields=(row,)), DisplayOptions(width=120)), width=120)
    assert "worst cases" not in text
    assert "scale 12, value of a neighbouring item 3" in text
    whole = render_text(build_fields_section(evaluator(fields=(row,)), DisplayOptions(width=120, everything=True)), width=120)
    assert "worst cases" in whole
