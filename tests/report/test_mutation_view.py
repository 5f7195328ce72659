"""The result of mutation testing in the terminal and as a page."""

from dataclasses import replace

import pytest
from lxml import html

from fieldwise.model.mutation import MutantCount, MutationReport, RuleSuggestion, Survivor
from fieldwise.model.values import MISSING
from fieldwise.report.mutation_view import build_mutation_report, render_mutation_html
from fieldwise.report.terminal_layout import DisplayOptions, render_text

_LONG = "A description of the goods that goes on for quite a while and ends in lot 17"


@pytest.fixture(scope="module")
def report() -> MutationReport:
    survivors = [
        Survivor(case="c1", path="note", field="note", corruption="digit_changed", expected=_LONG, mutant=_LONG.replace("17", "19")),
        Survivor(case="c2", path="total", field="total", corruption="dropped", expected=5, mutant=MISSING),
    ]
    rule = {"path": "items[*].note", "match": "exact"}
    return MutationReport(
        suite="<invoices>",
        cases=2,
        all_cases=2,
        seed=0,
        total=MutantCount(1999, 1997),
        generated=1999,
        equivalent=3,
        by_field={"note": MutantCount(999, 998), "total": MutantCount(1000, 999), "id": MutantCount()},
        by_corruption={"digit_changed": MutantCount(999, 998), "dropped": MutantCount(1000, 999)},
        by_evaluator={"fields": MutantCount(1999, 1997)},
        cells={("note", "digit_changed"): MutantCount(999, 998), ("total", "dropped"): MutantCount(1000, 999)},
        survivors=survivors,
        suggestions=[RuleSuggestion(rule=rule, kills=1, survivors=1, newly_failing=2, replaces="fuzzy")],
        labels={"digit_changed": "one digit differs", "dropped": "dropped"},
    )


def test_the_terminal_shows_shares_survivors_and_suggestions(report: MutationReport) -> None:
    text = render_text(build_mutation_report(report, DisplayOptions(width=120, plain=True)), width=120)
    assert "99.8 % killed   1,997 of 1,999 mutants" in text
    assert "in lot 17" in text
    assert "in lot 19" in text
    assert "(absent)" in text
    assert '{path: "items[*].note", match: exact}' in text
    assert "2 cases of the real data would newly fail; in place of `fuzzy`" in text


@pytest.mark.parametrize("width", [80, 100, 120])
def test_a_survivor_shows_where_its_values_differ_in_any_window(report: MutationReport, width: int) -> None:
    text = render_text(build_mutation_report(report, DisplayOptions(width=width)), width=width)
    [line] = [line for line in text.split("Survivors")[1].splitlines() if "one digit differs" in line]
    expected, mutant = line.split("→")
    assert "lot 17" in expected
    assert "lot 19" in mutant
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("width", [80, 120])
def test_long_names_of_fields_stay_distinct(report: MutationReport, width: int) -> None:
    names = [f"applicant_declared_household_income_as_of_statement_date_{number}" for number in range(3)]
    counts = dict.fromkeys(names, MutantCount(10, 5))
    cells = {(name, "dropped"): MutantCount(10, 5) for name in names}
    text = render_text(
        build_mutation_report(replace(report, by_field=counts, cells=cells, survivors=[]), DisplayOptions(width=width)), width=width
    )
    shown = [line.split()[0] for line in text.splitlines() if line.startswith("  applicant")]
    assert len(set(shown)) == 3


def test_the_page_has_a_cell_for_each_field_and_corruption(report: MutationReport) -> None:
    page = html.fromstring(render_mutation_html(report))
    rows = page.xpath("//section[@id='heatmap']//tbody/tr")
    assert [row.xpath("string(th)") for row in rows] == ["note", "total", "id"]
    assert [[cell.text_content().strip() for cell in row.xpath("td")] for row in rows] == [["1", ""], ["", "1"], ["", ""]]
    assert page.xpath("string(//h1)") == "<invoices>"
    assert not page.xpath("//script[@src] | //link | //img")
