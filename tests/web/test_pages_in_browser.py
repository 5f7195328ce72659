"""The pages in a browser: accessibility, layout and requests at both widths and in both schemes, and what holds for every page."""

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import fieldwise as fw
from fieldwise.report.confidence_view import render_confidence_html
from fieldwise.report.mutation_view import render_mutation_html
from fieldwise.report.policy_view import render_certificate
from fieldwise.report.trend import build_trend, render_trend_html
from fieldwise.store.run import list_runs, open_run
from fieldwise.study.confidence import study_confidence
from fieldwise.study.html_report import render_studied_html
from fieldwise.study.mutation import mutate_suite
from fieldwise.study.policy import make_policy
from fieldwise.web import pages_runs

TOKEN = "a-launch-token-for-tests"

MAX_SHIFT = 0.05
"""Cumulative layout shift; below 0.1 counts as good."""


def test_every_page_and_report_is_accessible_fits_and_stays_in_place(
    browser: Any, site: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """At 390 and 1,265 px, light and dark, with long ids and paths, text from right to left and 300 fields.

    FIELDWISE_PICTURES=FOLDER keeps a picture of each.
    """
    from page_walk import walk_pages

    monkeypatch.setattr(pages_runs, "_start_comparison", lambda *_: None)  # the progress of a comparison stays in view
    monkeypatch.setattr(pages_runs, "LARGE_CASES", 3_000)
    extra = store_more_runs(site)
    pages = {name: site.address + path for name, path in {**site.pages(), **extra}.items()}
    reports = {name: path.as_uri() for name, path in write_reports(site, extra, tmp_path).items()}
    folder = os.environ.get("FIELDWISE_PICTURES")
    findings = walk_pages(
        browser, {**pages, **reports}, cookie=("fieldwise_1", TOKEN, site.address), pictures=Path(folder) if folder else None
    )
    assert findings.problems == []
    assert {name: shift for name, shift in findings.shifts.items() if shift > MAX_SHIFT} == {}


@pytest.mark.parametrize("name", ["runs", "run", "long"])
def test_nothing_moves_on_a_slow_machine(browser: Any, site: Any, name: str) -> None:
    """Tables and cards arrive in pieces there, and scripts run after the first paint."""
    from page_walk import OBSERVE_SHIFTS

    context = browser.new_context(viewport={"width": 1400, "height": 900}, bypass_csp=True)
    context.add_cookies([{"name": "fieldwise_1", "value": TOKEN, "url": site.address}])
    context.add_init_script(OBSERVE_SHIFTS)
    page = context.new_page()
    page.set_default_timeout(120_000)
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 6})
    page.goto(site.address + site.pages()[name])
    page.wait_for_function("!document.querySelector('.htmx-request')")
    assert page.evaluate("window.shifts") <= 0.02
    context.close()


def store_more_runs(site: Any) -> dict[str, str]:
    """Pages of further runs: 300 fields with text from right to left, confidences, a large comparison, several runs."""
    wide = {f"حقل_{number}_with_a_long_name_{number}": f"قيمة رقم {number} — value" for number in range(300)}
    wrong = {name: (value[::-1] if place % 7 == 0 else value) for place, (name, value) in enumerate(wide.items())}
    rows = [{"id": f"{'documents/' * 12}{number}.pdf", "expected": wide, "actual": wrong if number % 2 else wide} for number in range(12)]
    prf = {"evaluators": [{"type": "field_prf"}]}
    many = fw.run({"name": "wide", **prf}, cases=rows, root=site.root, name="مصدر " + "x" * 80).id
    sure = [
        {
            "id": str(number),
            "expected": {"total": number, "status": "ab"[number % 2]},
            "actual": {
                "total": {"value": number if number % 5 else -1, "confidence": 0.4 + number % 5 / 9},
                "status": {"value": "ab"[number % 2] if number % 7 else "c", "confidence": 0.9},
            },
        }
        for number in range(90)
    ]
    fields = [{"path": "total", "match": "numeric_tolerance", "tolerance": 0.5}, {"path": "status", "match": "fuzzy", "threshold": 0.8}]
    confident = fw.run({"name": "sure", "evaluators": [{"type": "field_accuracy", "fields": fields}]}, cases=sure, root=site.root).id
    small = [{"id": str(number), "expected": {"a": 1}, "actual": {"a": 1}} for number in range(3_000)]
    large = [fw.run({"name": "large", **prf}, cases=small, root=site.root).id for _ in range(2)]
    first, second = site.runs["first"], site.runs["second"]
    return {
        "wide": f"/runs/{many}",
        "wide case": f"/runs/{many}/case?id={'documents%2F' * 12}1.pdf",
        "confidence": f"/runs/{confident}/confidence",
        "run with confidences": f"/runs/{confident}",
        "what if": f"/runs/{confident}/what-if",
        "comparing": f"/compare?base={large[0]}&new={large[1]}",
        "compare several": f"/compare?base={first}&new={second}&new={confident}",
        "test a suite": "/test?with=suite",
        "edit a suite": "/configuration?suite=invoices.eval.yaml",
        "no such page": "/no/such/page",
    }


def write_reports(site: Any, extra: dict[str, str], folder: Path) -> dict[str, Path]:
    """Every self-contained HTML file, by a name."""
    opened = {name: open_run(site.root, site.runs[name]) for name in ("first", "hostile", "long", "boxes", "answers")}
    opened |= {name: open_run(site.root, extra[name].split("/")[2].split("#")[0]) for name in ("wide", "confidence")}
    trend = build_trend([run for run in list_runs(site.root) if run.name == "invoices"], "fields.score")
    contents = {
        **{f"report {name}": render_studied_html(run) for name, run in opened.items()},
        "report trend": render_trend_html(trend, opened["first"].gates),
        "report confidence": render_confidence_html(study_confidence(opened["confidence"])),
        "report policy": render_certificate(make_policy(opened["confidence"], max_error=0.2)),
        "report mutation": render_mutation_html(mutate_suite(fw.check(site.folder / "invoices.eval.yaml"), limit=4)),
    }
    paths: dict[str, Path] = {}
    for name, content in contents.items():
        paths[name] = folder / f"{name.replace(' ', '-')}.html"
        paths[name].write_text(content, encoding="utf-8")
    return paths


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
