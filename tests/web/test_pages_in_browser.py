"""The pages in a browser: that nobody is shut out or asked elsewhere, at both widths and in both schemes, and what holds for every page."""

import json
from typing import Any
from urllib.parse import urlencode

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


MARKUP = "\"'><img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>"


def store_hostile_runs(site: Any) -> list[str]:
    """Two runs with markup in the names of run, suite, file and confidence, in ids, tags, splits, metadata, paths, values and gates."""
    folder = site.folder / "markup"
    folder.mkdir()
    file = folder / (MARKUP.replace("/", "") + ".jsonl")
    rows: list[dict[str, Any]] = []
    for at in range(6):
        record = {"value": f"{MARKUP}{at}", "confidence": 0.4, "page": 1, "box": [0, 0, 1, 1]}
        row = {"id": f"{MARKUP}{at}", "input": MARKUP, "contexts": [MARKUP], "tags": [MARKUP], "split": MARKUP}
        row |= {
            "metadata": {"document": MARKUP, MARKUP: MARKUP},
            "expected": {MARKUP: MARKUP, "total": "1,5"},
            "actual": {MARKUP: record, "total": 1.5},
        }
        rows.append(row)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    suite = {
        "name": MARKUP,
        "cases": str(file),
        "group": "metadata.document",
        "evaluators": [{"type": "field_accuracy"}, {"type": "field_prf"}],
    }
    suite["gate"] = {"field_prf.score": ">= 0.9"}
    first = fw.run(suite, root=site.root, name=MARKUP)
    second = fw.run(suite, root=site.root, name=MARKUP, baseline=first.id)
    return [first.id, second.id]


def test_markup_in_every_field_runs_on_no_page(visit: Any, site: Any) -> None:
    first, second = store_hostile_runs(site)
    case = urlencode({"id": f"{MARKUP}1"})
    name = urlencode({"name": MARKUP, "metric": "field_prf.score"})
    visitor = visit()
    paths = ["/runs", f"/runs?{name}", f"/compare?base={first}&new={second}", f"/review?run={first}"]
    paths += [f"/runs/{second}", f"/runs/{second}?{urlencode({'tag': MARKUP})}", f"/runs/{second}/case?{case}"]
    for path in paths:
        page = visitor.go(path)
        page.wait_for_timeout(50)
        assert page.title() != "run", path
        assert page.locator("img[src=x], main script:not([type='application/json'])").count() == 0, path
    assert "onerror" in visitor.go("/runs").inner_text("main")  # it is there, as text


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
