"""The report as a browser opens it from disk."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from accessibility import list_violations

import fieldwise as fw
from fieldwise.report.html import render_html, render_html_view
from fieldwise.report.run_view import build_run_view
from fieldwise.store.run import Run


@pytest.fixture(scope="module")
def report(demo: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's report, written to disk."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_html(demo), encoding="utf-8")
    return path


def _background(page: Any) -> str:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_it_opens_without_an_error_or_a_request(open_page: Any, report: Path) -> None:
    watched = open_page(report)
    assert watched.complaints == []
    assert watched.requests == [report.resolve().as_uri()]


def test_a_very_long_suite_path_fits_a_phone(open_page: Any, demo: Run, tmp_path: Path) -> None:
    long_path = "/" + "/".join(["a_folder_with_a_rather_long_name_without_any_space"] * 6) + "/invoices.eval.yaml"
    path = tmp_path / "long.html"
    path.write_text(render_html_view(replace(build_run_view(demo), suite_file=long_path)), encoding="utf-8")
    page = open_page(path, width=390).page
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    assert long_path in page.locator("#run").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_hostile_data_runs_nothing(open_page: Any, hostile: Run, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(render_html(hostile), encoding="utf-8")
    watched = open_page(path)
    assert watched.complaints == []
    assert len(watched.requests) == 1
    assert watched.page.locator("img").count() == 0


def test_axe_finds_no_violation_in_a_report_of_faults(open_page: Any, states: Run, tmp_path: Path) -> None:
    path = tmp_path / "states.html"
    path.write_text(render_html(states), encoding="utf-8")
    page = open_page(path, bypass_csp=True).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert list_violations(page) == []


def test_the_theme_follows_the_system_until_it_is_chosen(open_page: Any, report: Path) -> None:
    page = open_page(report, scheme="dark").page
    dark = _background(page)
    button = page.get_by_role("button", name="Theme: system")
    button.click()
    light = _background(page)
    assert light != dark
    page.get_by_role("button", name="Theme: light").click()
    assert _background(page) == dark
    assert page.get_by_role("button", name="Theme: dark").is_visible()


def test_arrow_keys_walk_in_the_heatmap_and_enter_opens_the_case(open_page: Any, report: Path) -> None:
    page = open_page(report).page
    grid = page.get_by_role("grid").first
    assert grid.locator("td[tabindex='0']").count() == 1
    grid.locator("td[tabindex='0']").focus()
    place = "[document.activeElement.parentElement.sectionRowIndex, document.activeElement.cellIndex]"
    assert page.evaluate(place) == [0, 1]
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    assert page.evaluate(place) == [0, 3]
    page.keyboard.press("End")
    assert page.evaluate(place) == [0, 26]
    page.keyboard.press("ArrowRight")
    assert page.evaluate(place) == [0, 26]
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('details').querySelector('h3').textContent") == "acme-10066"


def test_pointing_at_a_cell_shows_expected_and_actual(open_page: Any, report: Path) -> None:
    page = open_page(report).page
    cell = page.locator("table[data-heatmap='1'] td[title^='rheintal-0305: wrong value']").first
    cell.hover()
    readout = page.locator("#readout-1")
    assert "expected RB-2024-0305 actual RB-2O24-O3O5" in readout.inner_text()
    assert "likely cause: look-alike characters" in readout.inner_text()


def test_a_column_of_the_field_table_sorts_both_ways(open_page: Any, report: Path) -> None:
    page = open_page(report).page
    table = page.locator("table.fields").first
    first = table.locator("tbody tr:first-child th")
    table.get_by_role("button", name="matched").click()
    assert first.inner_text() == "notes"  # given in few cases only
    table.get_by_role("button", name="matched").click()
    assert first.inner_text() == "line_items[*].quantity"  # 61 of 67
    assert table.locator("th[aria-sort='descending']").count() == 1


def test_without_scripts_everything_is_still_there(open_page: Any, report: Path) -> None:
    page = open_page(report, java_script_enabled=False).page
    assert page.locator("table[data-heatmap='1'] tbody td").count() == 19 * 26
    assert page.locator("svg.pygal-chart").count() >= 6
    assert not page.locator("#theme").is_visible()


def test_it_prints_with_what_was_folded(open_page: Any, report: Path) -> None:
    page = open_page(report).page
    assert page.locator("details.case:not([open])").count() > 0
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.case:not([open])").count() == 0


def test_the_palette_finds_a_field_and_a_case(open_page: Any, report: Path) -> None:
    page = open_page(report).page
    page.keyboard.press("Control+k")
    page.keyboard.type("field notes")
    page.keyboard.press("Enter")
    assert page.locator("tr.found th").inner_text() == "notes"
    page.keyboard.press("Control+k")
    page.keyboard.type("case acme-10021")
    page.keyboard.press("Enter")
    assert page.locator("details.case[open] summary:focus").inner_text().startswith("acme-10021")


def test_j_and_k_step_through_the_cases(open_page: Any, report: Path) -> None:
    page = open_page(report).page
    for key in "jjk":
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.closest('details').id") == page.locator("details.case").first.get_attribute("id")


def test_a_link_opens_its_folded_section(open_page: Any, report: Path) -> None:
    page = open_page(report).page
    assert not page.locator("#run dl").is_visible()
    page.locator("nav.parts >> text=What was run").click()
    page.locator("#run dl").wait_for(state="visible")


def test_a_column_can_be_hidden(open_page: Any, report: Path) -> None:
    page = open_page(report).page
    page.locator("#fields .choose-columns summary").first.click()
    page.locator("#fields .choose-columns label:has-text('rule')").first.click()
    assert not page.locator("#fields th:has-text('rule')").first.is_visible()


LONG_FIELDS = [
    f"{group}.{name}"
    for group in ("broker_correspondence_metadata", "coverage_and_limits_of_liability")
    for name in ("aggregate_limit_per_policy_period", "number_of_claims_reported", "address.country.iso_code")
]


@pytest.fixture(scope="module")
def wide_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of 1,200 cases with long paths and many wrong values."""
    cases = []
    for number in range(1_200):
        expected = {name.replace(".", "_"): number + 10 for name in LONG_FIELDS}
        actual = {name: value * (10 if number % 7 == 0 else 1) for name, value in expected.items()}
        actual = {name: str(value) if number % 5 == 0 else value for name, value in actual.items()}
        cases.append({"id": f"case-{number:04d}", "expected": expected, "actual": actual})
    folder = tmp_path_factory.mktemp("wide")
    path = folder / "wide.html"
    path.write_text(render_html(fw.run({"evaluators": [{"type": "field_accuracy"}]}, cases=cases, root=folder)), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [1265, 1400])
def test_tables_of_a_wide_window_do_not_scroll_sideways(open_page: Any, wide_report: Path, width: int) -> None:
    """1,265 px is the inside of a window of 1,280 px with a scroll bar."""
    page = open_page(wide_report, width=width).page
    scrolling = "[...document.querySelectorAll('.scroll:not(.heat)')].filter((box) => box.scrollWidth > box.clientWidth).length"
    assert page.evaluate(scrolling) == 0


@pytest.mark.parametrize("width", [1265, 390])
def test_the_count_beside_a_long_path_stays_in_its_column(open_page: Any, wide_report: Path, width: int) -> None:
    page = open_page(wide_report, width=width).page
    beyond = """[...document.querySelectorAll('.pareto .where b')].filter((count) => {
        const cell = count.closest('td').getBoundingClientRect();
        return count.getBoundingClientRect().right > cell.right;
    }).length"""
    assert page.locator(".pareto .where b").count() > 0
    assert page.evaluate(beyond) == 0
