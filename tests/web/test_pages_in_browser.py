"""The pages in a browser: that nobody is shut out or asked elsewhere, at both widths and in both schemes, and what holds for every page."""

import json
from typing import Any

import pytest

import fieldwise as fw

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_is_for_everybody_and_fits(visit: Any, site: Any, width: int) -> None:
    from accessibility import list_violations

    visitor = visit(width=width)
    for name, path in site.pages().items():
        page = visitor.go(path)
        assert list_violations(page, RULES) == [], name
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name
    visitor.complaints.clear()  # the browser tells of the page that is not there


def test_the_whole_table_of_runs_is_in_view_on_a_wide_window(visit: Any) -> None:
    page = visit(width=1280).go("/runs")
    assert page.evaluate("(box => box.scrollWidth - box.clientWidth)(document.querySelector('#runs .scroll'))") <= 0


@pytest.mark.parametrize("width", [390, 360])
def test_the_navigation_is_one_row_on_a_phone(visit: Any, width: int) -> None:
    page = visit(width=width).go("/runs")
    tops = page.evaluate(
        "[...document.querySelectorAll('.site nav > *')].map(one => one.getBoundingClientRect()).map(box => (box.top + box.bottom) / 2)"
    )
    assert max(tops) - min(tops) < 3
    assert page.evaluate("(bar => bar.scrollWidth - bar.clientWidth)(document.querySelector('.site nav'))") <= 0
    assert page.get_by_role("button", name="Theme: system").is_visible()
    assert page.get_by_role("link", name="fieldwise", exact=True).is_visible()


def test_names_of_fields_are_not_broken_into_letters_on_a_phone(visit: Any, site: Any) -> None:
    page = visit(width=390).go(site.pages()["run"])
    assert (
        page.evaluate(
            "Math.min(...[...document.querySelectorAll('.confusion tbody th')].filter(one => one.offsetParent).map(one => one.clientWidth))"
        )
        >= 120
    )


def test_json_reads_from_left_to_right_whatever_its_letters(visit: Any, site: Any) -> None:
    row = {"id": "rtl", "expected": {"العميل": "شركة النور"}, "actual": {"العميل": "القاهرة"}}
    (site.folder / "rtl.jsonl").write_text(json.dumps(row) + "\n")
    run = fw.run({"name": "rtl", "cases": str(site.folder / "rtl.jsonl"), "evaluators": [{"type": "field_prf"}]}, root=site.root)
    page = visit().go(f"/runs/{run.id}/case?id=rtl")
    assert page.evaluate("[...document.querySelectorAll('pre.json bdi')].map(one => getComputedStyle(one).direction)") == ["ltr", "ltr"]


def test_the_launch_token_leaves_the_address_bar(visit: Any, site: Any) -> None:
    assert visit().page.url == f"{site.address}/runs"


def test_html_in_data_is_text_on_every_page(visit: Any, site: Any) -> None:
    visitor = visit()
    for path in ("/runs", site.pages()["hostile"], site.pages()["hostile case"], "/compare"):
        page = visitor.go(path)
        assert page.locator("main script:not([type='application/json']), main img[src=x]").count() == 0
        assert "49" not in page.title()


def test_a_file_that_is_no_list_of_strategies_is_refused_and_nothing_is_lost(visit: Any) -> None:
    page = visit().go("/configuration")
    page.set_input_files("form.import input", files=[{"name": "s.json", "mimeType": "application/json", "buffer": b'{"a": "MAYBE"}'}])
    page.wait_for_selector("#strategies >> text=must be one of")


def test_json_that_cannot_be_read_is_told_where_it_is(visit: Any) -> None:
    page = visit().go("/test")
    page.fill("#expected", '{"a": 1, "a": 2}')
    page.click("button.primary")
    page.wait_for_selector("#outcome >> text=the key a is there twice")
    assert "actual is empty" in page.locator("#outcome").inner_text()


def test_the_theme_is_kept(visit: Any) -> None:
    page = visit().go("/runs")
    page.click("#theme")
    page.click("#theme")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.locator("#theme").inner_text() == "Theme: dark"


def test_without_the_token_a_page_says_how_to_get_in(browser: Any, site: Any) -> None:
    context = browser.new_context()
    page = context.new_page()
    assert page.goto(f"{site.address}/runs").status == 401
    assert "launch token" in page.locator("h1").inner_text()
    context.close()
