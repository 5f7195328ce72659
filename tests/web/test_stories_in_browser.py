"""What people do on the pages, driven in a browser, on a wide light screen and on a narrow dark one.

Every visit ends without a complaint in the console and without a request to anybody else (`visit` sees to it).

* Runs: status, gates and tags; filters stand in the address; a line for every metric; a run that another process writes is seen as it
  goes, a killed one says how to go on, and does; a job of the API shows how far it is, and can be cancelled.
* Run: cards with intervals; outcomes by field lead to cases; the heatmap by keyboard, page by page and by evaluator; causes; slices
  as filters; the report as one file.
* Case: both sides as they were aligned, moved items with what they were paired with; characters that differ or cannot be seen; similarity,
  rule, cause and reason; boxes over their image; an answer with what its contexts support; from case to case.
* Compare: two runs from the list: the verdict in words, deltas with intervals, what is fixed and what is broken.
* Configuration: strategies added, edited, removed, imported and exported; checked while typing; saved as files; kept with a run.
* Test: pasted, dropped or chosen, under the saved configuration or one edited in place; buckets, arithmetic and fields; kept as a run.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from accessibility import run_axe
from playwright.sync_api import expect

from fieldwise.web.configuration import STRATEGIES_FILE

WCAG = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]
SLOW = 120_000
"""Milliseconds for what another process does on a busy machine."""
expect.set_options(timeout=SLOW)


@pytest.fixture(params=[(1280, "light"), (390, "dark")], ids=["wide light", "narrow dark"])
def go(request: pytest.FixtureRequest, visit: Any) -> Callable[[str], Any]:
    """`go(path)`: the page there, in a window of its own."""
    width, scheme = request.param
    return lambda path: visit(width=width, scheme=scheme).go(path)


def test_the_list_of_runs_tells_what_each_came_to_and_filters_stand_in_the_address(go: Any) -> None:
    page = go("/runs")
    output = page.locator(".runs").inner_text()
    for word in ("passed", "interrupted", "no gate", "3 of 3 hold", "release-1.2"):
        assert word in output
    page.select_option("select[name=name]", "detection")
    page.wait_for_url("**name=detection**")
    expect(page.locator(".runs tbody tr")).to_have_count(1)
    page.reload()
    expect(page.locator(".runs tbody tr")).to_have_count(1)
    page.select_option("select[name=name]", "")
    page.select_option("select[name=tag]", "release-1.2")
    page.wait_for_url("**tag=release-1.2**")
    expect(page.locator(".runs tbody tr")).to_have_count(1)
    assert "invoices" in page.locator(".runs tbody").inner_text()


def test_every_metric_has_its_line(go: Any) -> None:
    page = go("/runs?name=invoices")
    page.locator(".all-metrics summary").first.click()
    expect(page.locator(".metric-lines tbody tr")).not_to_have_count(0)
    assert page.locator(".metric-lines svg.spark").count() == page.locator(".metric-lines tbody tr").count() > 20
    page.locator(".metric-lines a:text-is('field_prf.macro_f1')").click()
    page.wait_for_url("**metric=field_prf.macro_f1**")
    expect(page.locator(".runs tbody tr")).to_have_count(2)
    assert page.locator("svg.spark[aria-label='field_prf.macro_f1 in the last 2 runs of this suite'] polyline").count() == 1


def test_a_run_of_another_process_is_seen_as_it_goes_is_killed_goes_on_and_ends(visit: Any, site: Any) -> None:
    with (site.folder / "live.jsonl").open("w") as file:
        file.writelines(
            json.dumps({"id": str(n), "expected": {"a": n, "b": "x"}, "actual": {"a": n, "b": "y"}}) + "\n" for n in range(80_000)
        )
    (site.folder / "live.eval.yaml").write_text(
        "name: live\ncases: live.jsonl\nevaluators: [{type: field_prf}, {type: json_quality, default_text: EXACT}]\n"
    )
    page = visit().go("/runs")
    before = {*(site.folder / ".fieldwise" / "runs").iterdir()}
    started = terminal(site.folder, "run", "live.eval.yaml")
    hold(started, lambda: {*(site.folder / ".fieldwise" / "runs").iterdir()} - before)
    expect(page.locator(".job:has-text('live') .chip:has-text('running')")).to_be_visible(timeout=SLOW)
    expect(page.locator(".job:has-text('live')")).to_contain_text("cases stored so far", timeout=SLOW)
    expect(page.locator(".runs tr:has-text('live') .chip:has-text('running')")).to_have_count(1)
    assert run_axe(page, WCAG) == []
    page.click(".job:has-text('live') a")
    expect(page.locator(".verdict")).to_contain_text("running")
    expect(page.locator(".state h2")).to_contain_text("So far: ", timeout=SLOW)
    expect(page.locator(".interim")).to_contain_text("0.500")
    os.kill(started.pid, signal.SIGKILL)
    started.wait()
    expect(page.locator(".verdict")).to_contain_text("interrupted", timeout=SLOW)
    assert page.locator(".state .command").inner_text() == "fieldwise run live.eval.yaml --resume"
    assert "are stored" in page.locator(".state").inner_text()
    expect(page.locator(".state h2")).to_contain_text("So far: ", timeout=SLOW)
    assert run_axe(page, WCAG) == []
    again = terminal(site.folder, "run", "live.eval.yaml", "--resume")
    assert again.wait(120) == 0
    page.reload()
    expect(page.locator(".verdict")).to_contain_text("no gate")
    assert "80,000 cases" in page.locator(".facts").inner_text()
    assert "resumed:" in page.locator("main").text_content()


def terminal(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """The command line, in a process of its own."""
    return subprocess.Popen([sys.executable, "-m", "fieldwise", *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def hold(process: subprocess.Popen[bytes], begun: Callable[[], set[Path]]) -> None:
    """Stop a process that writes a run once two parts are there, so that the run goes on for as long as somebody looks at it."""
    while sum(len([*run.glob("parts/*.json")]) for run in begun()) < 2:
        assert process.poll() is None
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGSTOP)
    assert process.poll() is None


def start_job(page: Any, name: str, count: int, *, distinct_texts: bool = False) -> None:
    cases: list[dict[str, Any]] = [{"expected": {"a": n, "b": "x"}, "actual": {"a": n, "b": "y"}} for n in range(count)]
    if distinct_texts:  # each is embedded on its own: the job takes minutes
        for n, case in enumerate(cases):
            case["actual"]["b"] = f"the delivery number {n} came late and without its papers"
    assert page.request.post(page.url.split("/runs")[0] + "/api/v1/jobs", data={"cases": cases, "name": name}).status == 202


def test_a_person_tags_a_run_and_takes_the_tag_away(go: Any, site: Any) -> None:
    page = go(f"/runs/{site.runs['orders']}")
    page.click(".tags summary")
    page.fill("input[name=add]", "prompt-v2")
    page.click(".tags .button")
    expect(page.locator(".tags .tag")).to_have_text(["prompt-v2×"])
    page.click(".tags summary")
    page.fill("input[name=add]", "latest")
    page.click(".tags .button")
    expect(page.locator(".tags [role=alert]")).to_contain_text("latest cannot be a tag")
    page.click("text=prompt-v2")
    expect(page.locator(".runs tbody tr")).to_have_count(1)
    page.go_back()
    page.get_by_role("button", name="Remove the tag prompt-v2").click()
    expect(page.locator(".tags .tag")).to_have_count(0)
    page.reload()
    expect(page.locator(".tags .tag")).to_have_count(0)


def test_a_job_shows_how_far_it_is_and_then_its_run(visit: Any) -> None:
    page = visit().go("/runs")
    start_job(page, "by night", 15_000)
    page.wait_for_selector(".job:has-text('by night') progress")
    expect(page.locator(".job")).to_have_count(0, timeout=SLOW)
    expect(page.locator(".runs th:has-text('by night')")).to_have_count(1)


def test_a_person_cancels_a_job_and_no_run_is_left_of_it(visit: Any) -> None:
    page = visit(width=390, scheme="dark").go("/runs")
    start_job(page, "in vain", 60_000, distinct_texts=True)
    page.click("[aria-label='Cancel in vain']")
    expect(page.locator(".job")).to_have_count(0, timeout=SLOW)
    page.reload()
    assert page.locator(".runs th:has-text('in vain')").count() == 0


def test_a_run_has_cards_with_intervals_causes_slices_and_its_report_as_one_file(go: Any, site: Any) -> None:
    page = go(f"/runs/{site.runs['first']}")
    assert page.locator("#summary .card").count() == 3
    assert "95 % interval" in page.locator("#summary .card").first.inner_text()
    assert "cut off" in page.locator("#causes").inner_text()
    assert "tag" in page.locator("#slices").inner_text()
    page.select_option("form[aria-label='Filter cases'] select[name=slice]", "split:test")
    expect(page.locator("#case-list [role=status]")).not_to_contain_text("26 cases")
    with page.expect_download() as options:
        page.click("text=HTML report")
    assert "<!doctype html>" in Path(options.value.path()).read_text(encoding="utf-8")[:200].lower()


def test_a_person_narrows_cases_down_to_a_wrong_field(go: Any, site: Any) -> None:
    page = go(f"/runs/{site.runs['first']}")
    page.click("table.confusion a[href*='field=iban'][href*='outcome=omission']")
    page.wait_for_selector("#case-list tbody tr")
    assert "missing" in page.locator("#case-list .mismatch:has-text('iban')").first.inner_text()
    page.select_option("form[aria-label='Filter cases'] select[name=verdict]", "fail")
    expect(page.locator("#case-list [role=status]")).to_contain_text("1 case")
    page.wait_for_url("**/runs/**verdict=fail**")
    page.reload()
    expect(page.locator("#case-list [role=status]")).to_contain_text("1 case")
    page.locator("#case-list tbody a").first.click()
    page.wait_for_url("**/case?id=**")


def test_a_person_walks_the_heatmap_with_the_keyboard_and_opens_a_case(go: Any, site: Any) -> None:
    page = go(f"/runs/{site.runs['first']}")
    page.locator("table[data-heatmap] tbody td").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.cellIndex") == 2
    assert "issue_date" in page.locator(".readout").inner_text()
    assert page.locator("table[data-heatmap] td[tabindex='0']").count() == 1
    page.keyboard.press("Enter")
    page.wait_for_url("**/case?id=**")


def test_the_heatmap_goes_on_page_by_page_and_by_evaluator(go: Any, site: Any) -> None:
    page = go(f"/runs/{site.runs['orders']}")
    assert "1 to 60 of 130" in page.locator("#map").inner_text()
    assert "≠" in page.locator("table[data-heatmap] td").all_inner_texts()
    page.click("#map >> text=better cases →")
    expect(page.locator("#map")).to_contain_text("61 to 120 of 130")
    page.click("#map >> text=better cases →")
    expect(page.locator("#map")).to_contain_text("121 to 130 of 130")
    page.goto(page.url.split("?")[0].replace(site.runs["orders"], site.runs["first"]))
    page.click("#map .pages a:has-text('json_quality')")
    page.wait_for_selector("table[aria-label^='json_quality']")
    page.locator("table[data-heatmap] tbody td").first.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.cellIndex") == 2


def test_a_case_shows_both_sides_with_what_differs_and_why_and_what_cannot_be_seen(go: Any, site: Any) -> None:
    page = go(site.pages()["case"])
    assert page.locator("table.diff del, table.diff ins").count() > 0
    output = page.locator("main").inner_text()
    for word in ("number format", "numeric ± 0.005", "not a number", "0.00"):
        assert word in output
    page.click("text=next higher score →")
    page.wait_for_url(lambda url: "rheintal-0131" not in url)
    page.goto(site.address + site.pages()["hostile case"])
    assert page.locator(".token[title='U+202E right-to-left override']").count() > 0


def test_an_item_that_moved_says_what_it_was_paired_with(go: Any, site: Any) -> None:
    page = go(site.pages()["moved"])
    page.click("text=values as expected")
    row = page.locator("tr", has=page.locator("th code.path:text-is('lines[0].sku')"))
    assert "actual item lines[2]" in row.inner_text()
    assert "actual item" not in page.locator("tr", has=page.locator("th code.path:text-is('lines[1].sku')")).inner_text()


def test_boxes_stand_over_their_image(go: Any, site: Any) -> None:
    page = go(site.pages()["boxes"])
    assert page.locator(".canvas svg polygon").count() >= 6
    href = page.locator(".canvas svg image").get_attribute("href")
    assert page.evaluate("href => fetch(href).then(answer => answer.headers.get('content-type'))", href) == "image/svg+xml"
    loads = "href => new Promise(done => Object.assign(new Image(), { onload: () => done(true), onerror: () => done(false), src: href }))"
    assert page.evaluate(loads, href)


def test_an_answer_shows_what_its_contexts_support_and_what_they_do_not(go: Any, site: Any) -> None:
    page = go(site.pages()["answer"])
    assert page.locator(".answer li.held").count() == 1
    assert page.locator(".answer li.loose mark").all_inner_texts() == ["Acme Insurance", "250"]
    assert "The deductible in Ohio is 500 dollars." in page.locator(".contexts mark").all_inner_texts()
    page.locator(".answer li.held a").click()
    assert page.url.endswith("#context-1")
    assert page.evaluate("document.querySelector('#context-1').getBoundingClientRect().top < innerHeight")


def test_a_person_compares_two_runs_from_the_list(go: Any, site: Any) -> None:
    page = go("/runs")
    page.check(f"input[name=base][value='{site.runs['first']}']")
    page.check(f"input[name=new][value='{site.runs['second']}']")
    page.click('form[action="/compare"] button')
    page.wait_for_selector("h2:has-text('fields')")
    section = page.locator("section", has=page.locator("h2:has-text('fields')")).first.inner_text()
    assert "significantly worse" in section
    assert "currency" in section
    page.locator("h3:has-text('Broken') + ul a").first.click()
    page.wait_for_url("**/case?id=**")


def test_a_person_edits_checks_and_saves_the_configuration(go: Any, site: Any) -> None:
    """Response quality plan: Field Strategy Config section (add/remove/import/export)."""
    (site.folder / STRATEGIES_FILE).unlink(missing_ok=True)
    page = go("/configuration")
    page.click("text=Add a field")
    page.fill(".strategy input", "customer_name")
    page.select_option(".strategy select", "FUZZY")
    page.fill("input[name=fuzzy_threshold]", "1.5")
    page.wait_for_selector("#checked >> text=must be a number ≥ 0 and ≤ 1")
    page.fill("input[name=fuzzy_threshold]", "0.9")
    page.wait_for_selector("#checked >> text=is valid")
    page.click("#configuration button:has-text('Save')")
    page.wait_for_selector("text=Saved.")
    assert json.loads((site.folder / STRATEGIES_FILE).read_text()) == {"customer_name": "FUZZY"}
    with page.expect_download() as options:
        page.click("text=Export strategies")
    assert json.loads(Path(options.value.path()).read_text()) == {"customer_name": "FUZZY"}
    page.set_input_files(
        "form.import input", files=[{"name": "s.json", "mimeType": "application/json", "buffer": b'{"a": "IGNORE", "b": "EXACT"}'}]
    )
    expect(page.locator(".strategy")).to_have_count(2)
    page.click("[aria-label='Remove a']")
    with page.expect_navigation():
        page.click("#configuration button:has-text('Save')")
    assert json.loads((site.folder / STRATEGIES_FILE).read_text()) == {"b": "EXACT"}


def test_a_person_tests_an_evaluation_and_keeps_it(go: Any, site: Any) -> None:
    """Response quality plan: Walkthrough Example, on the page for test evaluations."""
    page = go("/test")
    page.click("text=fill in an example")
    page.click("text=open to change it")
    page.click("text=Add a field")
    page.locator(".strategy input").last.fill("name")
    page.locator(".strategy select").last.select_option("FUZZY")
    page.fill("input[name=fuzzy_threshold]", "0.85")
    page.click("text=Evaluate and store as a run")
    page.wait_for_selector(".arithmetic")
    output = page.locator("#outcome").inner_text()
    assert "0.7375" in output
    assert "3 of 4 expected values are present" in output
    assert "(1 extra + 1 expected null) of 6 keys = 2 / 6" in output
    assert "0.45 × 1.0000 + 0.25 × 0.7500 + 0.15 × 1.0000 − 0.15 × 0.3333" in output
    page.click("#outcome .saved a")
    page.wait_for_selector("h1:has-text('test')")
    assert "name: FUZZY" in page.locator("#run pre").text_content()


def test_expected_and_actual_may_be_chosen_or_dropped_as_files(go: Any) -> None:
    page = go("/test")
    page.set_input_files("input[data-into=expected]", files=[{"name": "e.json", "mimeType": "application/json", "buffer": b'{"a": 1}'}])
    expect(page.locator("#expected")).to_have_value('{"a": 1}')
    drop = """() => {
        const data = new DataTransfer();
        data.items.add(new File(['{"a": 2}'], "a.json", { type: "application/json" }));
        const zone = document.querySelector("#actual").closest("[data-drop]");
        zone.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }"""
    page.evaluate(drop)
    expect(page.locator("#actual")).to_have_value('{"a": 2}')
    page.click("button.primary")
    page.wait_for_selector(".arithmetic")
    assert "gt_non_null" in page.locator("#outcome").inner_text()


def test_a_person_writes_a_suite_with_the_keyboard_and_tests_it(visit: Any) -> None:
    page = visit().go("/test?with=suite")
    page.fill("#expected", '{"issued": "2024-03-04", "total": 10}')
    page.fill("#actual", '{"issued": "2024-04-03", "total": 10}')
    page.fill("#suite", "")
    page.focus("#suite")
    page.keyboard.press("Control+Space")
    page.wait_for_selector(".completions li:has-text('evaluators')")
    for key in ("ArrowDown", "Enter", "Enter"):
        page.keyboard.press(key)
    page.wait_for_selector(".completions li:has-text('- type')")
    page.keyboard.press("Tab")
    page.wait_for_selector(".completions li:has-text('field_accuracy')")
    page.keyboard.type("field_acc")
    expect(page.locator(".completions li")).to_have_count(1)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.type("fields: [{path: iss")
    page.wait_for_selector(".completions li:has-text('issued')")
    page.keyboard.press("Tab")
    page.keyboard.type(", match: dat}]\n")
    page.wait_for_selector("#suite-checked >> text=Invalid match type")
    assert "✗ 3" in page.locator(".gutter").inner_text()
    page.click("[data-go-to-line='3']")
    page.keyboard.type("    fields: [{path: issued, match: date}]")
    page.wait_for_selector("#suite-checked >> text=This suite is valid")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#outcome >> text=day and month swapped")
    assert page.input_value("#suite").startswith("evaluators:\n  - type: field_accuracy\n    fields: [")
    page.keyboard.press("Tab")  # the editor does not keep the focus
    assert page.evaluate("document.activeElement.id") != "suite"


def test_suggestions_follow_what_is_typed_while_the_server_is_slow(visit: Any) -> None:
    page = visit().go("/test?with=suite")
    page.fill("#expected", '{"issued": "2024-03-04", "total": 10}')
    page.fill("#suite", "evaluators:\n  - type: field_accuracy\n    fields: [{path: ")
    page.focus("#suite")
    page.keyboard.press("Control+End")
    page.keyboard.press("Control+Space")
    page.wait_for_selector(".completions li:has-text('issued')")
    page.route("**/suite/complete", lambda route: None)  # no further answer
    page.keyboard.type("to")
    expect(page.locator(".completions li")).to_have_count(1)
    page.keyboard.press("Tab")
    assert page.input_value("#suite").endswith("fields: [{path: total")


def test_a_person_tries_the_example_of_an_evaluator(visit: Any) -> None:
    page = visit().go("/test")
    page.check("input[value=suite]")
    page.select_option("[data-example-of]", "iou_score")
    expect(page.locator("#suite")).to_have_value(re.compile("iou_score"))  # no wait_for_function: the page forbids eval
    page.wait_for_selector("#suite-checked >> text=This suite is valid")
    with page.expect_download() as exported:
        page.click("text=Export suite")
    assert "iou_score" in Path(exported.value.path()).read_text()
    page.click("#test .primary")
    page.wait_for_selector("#outcome >> text=Scores")


def test_a_person_edits_a_suite_of_the_server(visit: Any, site: Any) -> None:
    (site.folder / "edited.eval.yaml").write_text("cases: invoices.jsonl\nevaluators: [{type: field_prf}]\n")
    page = visit().go("/configuration")
    page.select_option("select[name=suite]", "edited.eval.yaml")
    page.click("text=Open")
    page.wait_for_selector("#suite-checked >> text=This suite is valid")
    page.fill("#suite", page.input_value("#suite") + "gate: {field_prf.score: '>= 0.5'}\n")
    page.click("text=Save suite")
    page.wait_for_selector("text=Saved as")
    assert "gate:" in (site.folder / "edited.eval.yaml").read_text()
