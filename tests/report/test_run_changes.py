"""A run against its baseline, in every report that tells of it."""

from pathlib import Path
from typing import Any

from accessibility import LAYOUT_RULES, list_violations, remove_repeated_rows, run_axe

from fieldwise.report.html import render_html
from fieldwise.report.markdown import render_markdown
from fieldwise.report.run_changes import describe_changes, list_change_warnings
from fieldwise.report.run_view import build_run_view
from fieldwise.report.terminal import build_run_report
from fieldwise.report.terminal_layout import DisplayOptions, render_text
from fieldwise.store.run import Run


def test_a_comparison_has_words_power_and_the_fields_that_moved(against: Run) -> None:
    [comparison] = describe_changes(against.changes)
    assert comparison.verdict == "better"
    assert "significantly better. 12 fixed, 1 broken, 5 still broken." in comparison.words
    assert "With 24 cases, a change of" in comparison.power
    moved, still = comparison.parts["field"]
    assert [change.name for change in moved] == ["<i>x"]
    assert [change.name for change in still] == ["y"]


def test_a_run_without_a_baseline_has_no_comparison(demo: Run) -> None:
    assert describe_changes(demo.changes) == ()
    assert "Against the baseline" not in render_html(demo)
    assert "Against the baseline" not in render_markdown(demo)


def test_cases_that_only_one_run_has_are_a_warning(against: Run) -> None:
    assert against.changes is not None
    assert list_change_warnings(against.changes) == ["1 case only in the base", "1 case only in the new run"]


def test_the_html_report_shows_the_comparison_and_escapes_everything(against: Run) -> None:
    page = render_html(against)
    part = page[page.index('<section id="comparison"') : page.index('<section id="fields"')]
    assert 'href="#comparison"' in page
    assert ">better</span>" in part
    assert "1 case only in the base" in part
    assert "McNemar" in part
    for word, count in (("Fixed", "12 cases"), ("Broken", "1 case"), ("Still broken", "5 cases")):
        assert f'{word} <span class="note">{count}</span>' in part
    assert "&lt;i&gt;x" in part
    for text in ("<i>x", "<script>alert", "<img"):
        assert text not in part
    assert "{{ 7 * 7 }}" in part


def test_the_markdown_report_shows_the_comparison(against: Run) -> None:
    text = render_markdown(against)
    assert "### Against the baseline" in text
    assert "| `field_prf` | ✅ better |" in text
    assert "* broken for `field_prf`: ``20 `" in text
    assert "* With 24 cases, a change of" in text


def test_the_terminal_report_shows_the_comparison(against: Run) -> None:
    text = render_text(build_run_report(build_run_view(against), DisplayOptions()))
    assert "▲  field_prf" in text
    assert "12 fixed, 1 broken, 5 still broken" in text
    assert "! 1 case only in the base" in text


def test_the_comparison_fits_any_screen_and_is_accessible(open_page: Any, against: Run, tmp_path: Path) -> None:
    path = tmp_path / "against.html"
    path.write_text(render_html(against), encoding="utf-8")
    for width in (1280, 390):
        watched = open_page(path, width=width)
        assert watched.complaints == []
        assert watched.requests == [path.resolve().as_uri()]
        assert watched.page.evaluate("document.documentElement.scrollWidth") == width
    page = open_page(path, width=390, bypass_csp=True).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    remove_repeated_rows(page)
    assert list_violations(page) == []
    page.set_viewport_size({"width": 1280, "height": 900})
    assert run_axe(page, LAYOUT_RULES) == []
