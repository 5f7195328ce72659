"""One HTML file with everything in it."""

import itertools
import json
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import lxml.html
import pytest
from report_factory import evaluator as make_evaluator
from report_factory import field, view

import fieldwise as fw
from fieldwise.model.diagnostic import UNREAD_VALUES, Diagnostic, Where
from fieldwise.model.summary import Summary
from fieldwise.report.html import make_content_policy, read_static, render_html, render_html_view
from fieldwise.report.run_view import build_run_view
from fieldwise.store.run import Run


def _read(text: str) -> Any:
    return lxml.html.document_fromstring(text)


def _shown(text: str) -> str:
    return " ".join(_read(text).text_content().split())


def test_the_headline_has_suite_cases_verdict_and_gates(demo: Run) -> None:
    page = _read(render_html(demo))
    assert page.xpath("//h1")[0].text_content() == "invoices"
    head = " ".join(page.xpath("//header")[0].text_content().split())
    assert "26 cases" in head
    assert "passed every gate holds" in head
    assert "fields.score >= 0.85" in head


def test_macro_and_micro_are_side_by_side_with_their_intervals(demo: Run) -> None:
    row = _read(render_html(demo)).xpath("//section[@id='rates']//tr[normalize-space(th)='F1']")[0]
    metrics = demo.full.evaluators["field_prf"].metrics
    for side in ("macro_f1", "micro_f1"):
        assert f"{metrics[side].value:.3f}" in row.text_content()
        assert f"{metrics[side].low:.2f}–{metrics[side].high:.2f}" in row.text_content()


def test_every_field_has_a_row_with_rule_and_counts(demo: Run) -> None:
    tables = _read(render_html(demo)).xpath("//section[@id='fields']//table")
    for table, evaluator in zip(tables, demo.full.evaluators.values(), strict=True):
        rows = [[" ".join(cell.text_content().split()) for cell in row] for row in table.xpath(".//tbody/tr")]
        worst_first = sorted(evaluator.fields, key=lambda field: (not field.score.n, field.score.value))
        assert [[row[0], *row[4:6]] for row in rows] == [[field.field, str(field.n), str(field.matched)] for field in worst_first]
        assert all(row[9].endswith(field.rule) for row, field in zip(rows, worst_first, strict=True))


def test_the_heatmap_has_a_cell_for_each_field_and_case_with_a_sign(demo: Run) -> None:
    grid = _read(render_html(demo)).xpath("//table[@data-heatmap='1']")[0]
    rows = grid.xpath("./tbody/tr")
    assert len(rows) == 19
    assert all(len(row.xpath("./td")) == 26 for row in rows)
    assert grid.xpath("./thead//th")[0].text_content() == "acme-10066"  # no output at all, so worst
    wrong = grid.xpath(".//td[@class='k-wrong_value']")
    assert wrong
    assert {cell.text for cell in wrong} == {"≠"}


def test_a_changed_character_is_marked_on_both_sides(demo: Run) -> None:
    case = next(
        case for case in _read(render_html(demo)).xpath("//details[contains(@class,'case')]") if "rheintal-0305" in case.text_content()
    )
    row = case.xpath(".//tr[contains(th, 'invoice_number')]")[0]
    assert [mark.text for mark in row.xpath(".//del")] == ["0", "0", "0"]
    assert [mark.text for mark in row.xpath(".//ins")] == ["O", "O", "O"]
    assert "look-alike characters" in row.text_content()


def test_it_says_what_was_run(demo: Run) -> None:
    text = _shown(render_html(demo))
    assert demo.manifest.fingerprints["suite"] in text
    assert "match: numeric_tolerance, tolerance: 0.005" in text


def test_data_never_becomes_markup(hostile: Run) -> None:
    page = _read(render_html(hostile))
    assert len(page.xpath("//script[not(@type)]")) == 1
    assert page.xpath("//img") == []
    assert page.xpath("//b[text()='hostile']") == []
    assert page.xpath("//a[contains(@href, 'evil')]") == []
    assert page.xpath("//h1")[0].text_content() == "<b>hostile</b> =1+1"
    assert "{{ 7 * 7 }}" in page.text_content()
    assert [key for element in page.iter() for key in element.attrib if key.startswith("on")] == []


def test_invisible_characters_are_shown_as_tokens(hostile: Run) -> None:
    html = render_html(hostile)
    assert not re.search("[\u202e\u200b\x00\x1b]", html)
    tokens = _read(html).xpath("//span[@class='token']/@title")
    assert {"U+202E right-to-left override", "U+200B zero width space"} <= set(tokens)


def test_the_policy_lets_only_the_own_script_run(demo: Run) -> None:
    page = _read(render_html(demo))
    written = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    script = page.xpath("//script[not(@type)]")[0].text
    assert written == make_content_policy(script)
    assert "default-src 'none'" in written
    assert f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in written
    assert "unsafe-eval" not in written


def test_it_refers_to_no_other_file_or_address(demo: Run, boxes: Run) -> None:
    for run in (demo, boxes):
        page = _read(render_html(run))
        addresses = [*page.xpath("//@href"), *page.xpath("//@src")]
        assert [address for address in addresses if not address.startswith(("#", "data:"))] == []
        assert "@import" not in read_static("report.css")
        assert "url(" not in read_static("report.css")


def test_a_thousand_cases_stay_under_two_megabytes(large: Run) -> None:
    html = render_html(large)
    assert len(html.encode()) < 2_000_000
    assert "the 200 lowest of 1,000 cases" in _shown(html)
    assert len(_read(html).xpath("//details[contains(@class,'case')]")) == 25


def test_boxes_are_drawn_without_a_request_for_the_image(boxes: Run) -> None:
    pictures = _read(render_html(boxes)).xpath("//img/@src")
    assert pictures
    assert all(picture.startswith("data:image/svg+xml;base64,") for picture in pictures)


def test_answers_in_words_show_both_texts_and_what_was_missed(answers: Run) -> None:
    case = _read(render_html(answers)).xpath("//details[contains(@class,'case')]")[0]
    assert [term.text for term in case.xpath(".//dt")] == ["expected", "actual"]
    assert "answers missed" in case.text_content()


def test_a_case_without_output_is_summarized_in_one_line(states: Run) -> None:
    case = next(
        case
        for case in _read(render_html(states)).xpath("//details[contains(@class,'case')]")
        if case.xpath(".//h3")[0].text == "no output"
    )
    assert "Every expected value counts as an omission: 2 values" in case.text_content()


def test_headings_go_down_one_step_at_a_time(demo: Run, answers: Run) -> None:
    for run in (demo, answers):
        levels = [int(heading.tag[1]) for heading in _read(render_html(run)).xpath("//h1|//h2|//h3|//h4")]
        assert levels[0] == 1
        assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_only_the_cases_that_are_shown_are_read(large: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    plainly = Run.results_at
    monkeypatch.setattr(
        Run, "results_at", lambda run, positions, evaluator=None: asked.extend(positions) or plainly(run, positions, evaluator)
    )
    monkeypatch.setattr(Run, "results", lambda *_: pytest.fail("all results were read"))
    monkeypatch.setattr(Run, "to_arrow", lambda *_: pytest.fail("all results were read"))
    render_html_view(build_run_view(large, heatmaps=True, worst=25))
    assert len(set(asked)) <= 600


def test_an_unavailable_evaluator_has_no_score_among_the_worst_cases(tmp_path: Path) -> None:
    rows = [{"id": f"c{n}", "expected": {"a": 1}, "actual": {"a": n}} for n in range(3)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    suite = {"name": "judged", "evaluators": [{"type": "field_prf"}, {"type": "llm_judge", "name": "tone", "prompt": "Is it `kind`?"}]}
    run = fw.run(suite, cases=str(tmp_path / "cases.jsonl"), root=tmp_path / ".fieldwise")
    chips = [
        " ".join(chip.text_content().split()) for chip in _read(render_html(run)).xpath("//details[@class='case']//*[@class='chips']/span")
    ]
    assert chips == ["field_prf 0.000", "tone unavailable"] * 2


def test_large_counts_have_separators_and_narrow_intervals_three_decimals(tmp_path: Path) -> None:
    rows = [{"id": f"c{n}", "expected": {"a": 1}, "actual": {"a": 1 if n % 10 else 2}} for n in range(12_000)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = fw.run(
        {"name": "large", "evaluators": [{"type": "field_prf"}]}, cases=str(tmp_path / "cases.jsonl"), root=tmp_path / ".fieldwise"
    )
    shown = _shown(render_html(run))
    assert "10,800" in shown
    assert "1,200" in shown
    assert re.search(r"95 % interval 0\.89\d–0\.90\d", shown)


def test_many_remarks_are_folded_and_problems_are_not() -> None:
    remarks = tuple(Diagnostic(code="inferred", what=f"remark {number}", level="info") for number in range(6))
    warning = Diagnostic(code="no-expected", what="a problem", level="warning")
    with_problem = _read(render_html_view(view(diagnostics=(warning, *remarks)))).xpath("//section[@id='diagnostics']/details")[0]
    assert "open" in with_problem.attrib
    assert [" ".join(item.text_content().split()) for item in with_problem.xpath("./ul/li")] == ["warning a problem"]
    assert len(with_problem.xpath("./details[not(@open)]/ul/li")) == 6
    only_remarks = _read(render_html_view(view(diagnostics=remarks))).xpath("//section[@id='diagnostics']/details")[0]
    assert "open" not in only_remarks.attrib
    few = _read(render_html_view(view(diagnostics=remarks[:5]))).xpath("//section[@id='diagnostics']/details")[0]
    assert "open" in few.attrib


def test_a_remark_on_many_fields_is_one_message_with_the_first_of_them() -> None:
    remarks = tuple(
        Diagnostic(code="inferred", what="exact, because it is a number", where=Where(field=f"f{number}"), level="info")
        for number in range(10_000)
    )
    [line] = _read(render_html_view(view(diagnostics=remarks))).xpath("//section[@id='diagnostics']//li")
    text = " ".join(line.text_content().split())
    assert text == "info field f0, field f1, field f2 and 9,997 more: exact, because it is a number"


def test_a_field_of_similar_values_that_did_not_pass_has_no_good_bar() -> None:
    similar = make_evaluator(fields=(field("title", value=0.97, n=20, matched=2), field("total", value=0.97, n=20, matched=20)))
    page = _read(render_html_view(view(summary=Summary(cases=20, evaluators={"fields": similar}))))
    bars = page.xpath("//section[@id='fields']//td/span[starts-with(@class, 'bar')]/@class")
    assert bars[:2] == ["bar poor", "bar good"]


def test_values_that_cannot_be_read_are_listed_once_with_their_place() -> None:
    where = Where(file="a.eval.yaml", line=6, field="due")
    unread = Diagnostic(code=UNREAD_VALUES, what="`date` can read none of the 12 expected values", where=where)
    page = _read(render_html_view(view(diagnostics=(unread,))))
    [line] = page.xpath("//ul[@class='diagnostics']/li")
    assert " ".join(line.text_content().split()).startswith("error a.eval.yaml:6: field due: date can read none")
    assert page.xpath("//section[@id='diagnostics']") == []
    assert page.xpath("//nav//a[@href='#unread']")


def test_names_that_begin_alike_stay_distinct_in_the_heatmap(tmp_path: Path) -> None:
    fields = [f"coverage_and_limits_of_liability.of_the_policy_period_{number}" for number in range(4)]
    cases = [
        {"id": f"contracts/2024/a-very-long-folder-name/document-{number}.pdf", "expected": dict.fromkeys(fields, 1), "actual": {}}
        for number in range(4)
    ]
    run = fw.run({"evaluators": [{"type": "field_prf"}]}, cases=cases, root=tmp_path)
    table = _read(render_html(run)).xpath("//table[@data-heatmap]")[0]
    rows, columns = table.xpath("./tbody/tr/th"), table.xpath("./thead/tr/th/span")
    assert len({row.text_content() for row in rows}) == len({column.text_content() for column in columns}) == 4
    assert [row.attrib["title"] for row in rows] == [f'["{field}"]' for field in fields]
