"""The pages in a browser: what a person does on each, and that nobody is shut out or asked elsewhere."""

import json
from collections.abc import Callable, Iterator
from importlib.resources import as_file, files
from pathlib import Path
from shutil import copyfile
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

import fieldwise as fw
from fieldwise.web.settings import Settings

TOKEN = "a-launch-token-for-tests"
HOSTILE = ["</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a\u202eb\u200bc\x00d\x1b[31m", "{{ 7 * 7 }}"]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def site(serve: Callable[[Settings], str], tmp_path_factory: pytest.TempPathFactory) -> "Site":
    """A server with two runs of the demo, one of detections and one of hostile data."""
    folder = tmp_path_factory.mktemp("site")
    root = folder / ".fieldwise"
    with as_file(files("fieldwise") / "demo") as demo:
        for name in ("invoices.jsonl", "strategies.json", "invoices.eval.yaml"):
            copyfile(demo / name, folder / name)
    first = fw.run(folder / "invoices.eval.yaml", root=root)
    rows = [json.loads(line) for line in (folder / "invoices.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rows:
        if isinstance(row.get("actual"), dict):
            row["actual"]["currency"] = "XXX"
    (folder / "invoices.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    second = fw.run(folder / "invoices.eval.yaml", root=root)
    boxes = fw.run(Path(__file__).parents[2] / "examples" / "detection" / "detection.eval.yaml", root=root)
    cases = [
        {
            "id": f"{text}{n}",
            "input": text,
            "expected": {text: text, "k": "v"},
            "actual": {text: "x", "k": text},
            "contexts": [text],
            "tags": [text],
        }
        for n, text in enumerate(HOSTILE)
    ]
    (folder / "hostile.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    hostile = fw.run({"name": HOSTILE[0], "cases": str(folder / "hostile.jsonl"), "evaluators": [{"type": "field_prf"}]}, root=root)
    address = serve(Settings(root=root, workspace=folder, token=TOKEN, port=1))
    return Site(address, folder, {"first": first.id, "second": second.id, "boxes": boxes.id, "hostile": hostile.id})


class Site:
    """A server and what is in it."""

    def __init__(self, address: str, folder: Path, runs: dict[str, str]) -> None:
        self.address = address
        self.folder = folder
        self.runs = runs

    def pages(self) -> dict[str, str]:
        first, hostile = self.runs["first"], self.runs["hostile"]
        return {
            "runs": "/runs",
            "run": f"/runs/{first}",
            "case": f"/runs/{first}/case?id=rheintal-0131",
            "compare": f"/compare?base={first}&new={self.runs['second']}",
            "configuration": "/configuration",
            "test": "/test",
            "boxes": f"/runs/{self.runs['boxes']}/case?id=1",
            "hostile": f"/runs/{hostile}",
            "hostile case": f"/runs/{hostile}/case?" + urlencode({"id": f"{HOSTILE[2]}2"}),
        }


class Visitor:
    """A window, and everything it complained about or asked for."""

    def __init__(self, browser: Any, site: Site, width: int = 1280, scheme: str = "light") -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.page.set_default_timeout(8_000)
        self.site = site
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(f"{site.address}/?token={TOKEN}")

    def go(self, path: str) -> Any:
        self.page.goto(self.site.address + path)
        return self.page

    def foreign(self) -> list[str]:
        return [url for url in self.requests if not url.startswith((self.site.address, "data:", "blob:"))]


@pytest.fixture
def visit(browser: Any, site: Site) -> Iterator[Callable[..., Visitor]]:
    """`visit(width=, scheme=)`."""
    visitors: list[Visitor] = []

    def visiting(**options: Any) -> Visitor:
        visitors.append(Visitor(browser, site, **options))
        return visitors[-1]

    yield visiting
    for visitor in visitors:
        visitor.context.close()
        assert visitor.complaints == []
        assert visitor.foreign() == []


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_for_everybody_and_fits(visit: Any, site: Site, width: int, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    visitor = visit(width=width, scheme=scheme)
    for name, path in site.pages().items():
        page = visitor.go(path)
        found = Axe().run(page, options={"runOnly": RULES}).response["violations"]
        assert [(name, one["id"], one["nodes"][0]["html"]) for one in found] == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name


def test_the_launch_token_leaves_the_address_bar(visit: Any, site: Site) -> None:
    assert visit().page.url == f"{site.address}/runs"


def test_a_person_filters_runs_and_the_filter_is_in_the_address(visit: Any) -> None:
    page = visit().go("/runs")
    page.select_option("select[name=name]", "detection")
    page.wait_for_url("**name=detection**")
    expect(page.locator(".runs tbody tr")).to_have_count(1)
    page.reload()
    assert page.locator(".runs tbody tr").count() == 1


def test_a_person_compares_two_runs_from_the_list(visit: Any, site: Site) -> None:
    page = visit().go("/runs")
    page.check(f"input[name=base][value='{site.runs['first']}']")
    page.check(f"input[name=new][value='{site.runs['second']}']")
    page.click("text=Compare the two")
    page.wait_for_selector("h2:has-text('fields')")
    assert "worse" in page.locator("section", has=page.locator("h2:has-text('fields')")).first.inner_text()
    page.locator("h3:has-text('Broken') + ul a").first.click()
    page.wait_for_url("**/case?id=**")


def test_a_person_walks_the_heatmap_with_the_keyboard_and_opens_a_case(visit: Any, site: Site) -> None:
    page = visit().go(f"/runs/{site.runs['first']}")
    page.locator("table[data-heatmap] tbody td").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.cellIndex") == 2
    assert "issue_date" in page.locator(".readout").inner_text()
    assert page.locator("table[data-heatmap] td[tabindex='0']").count() == 1
    page.keyboard.press("Enter")
    page.wait_for_url("**/case?id=**")


def test_another_evaluators_heatmap_comes_without_the_rest_of_the_page(visit: Any, site: Site) -> None:
    page = visit().go(f"/runs/{site.runs['first']}")
    page.click("#map .pages a:has-text('json_quality')")
    page.wait_for_selector("table[aria-label^='json_quality']")
    page.locator("table[data-heatmap] tbody td").first.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.cellIndex") == 2


def test_a_person_narrows_cases_down_to_a_wrong_field(visit: Any, site: Site) -> None:
    page = visit().go(f"/runs/{site.runs['first']}")
    page.click("table.confusion a[href*='field=iban'][href*='outcome=omission']")
    page.wait_for_selector("#found tbody tr")
    assert "iban (required, missing)" in page.locator("#found").inner_text()
    page.select_option("form[aria-label='Filter cases'] select[name=verdict]", "fail")
    expect(page.locator("#found [role=status]")).to_contain_text("1 case")


def test_a_case_shows_both_sides_with_what_differs_and_what_cannot_be_seen(visit: Any, site: Site) -> None:
    visitor = visit()
    page = visitor.go(f"/runs/{site.runs['first']}/case?id=rheintal-0131")
    assert page.locator("table.diff del, table.diff ins").count() > 0
    page = visitor.go(site.pages()["hostile case"])
    assert page.locator(".token[title='U+202E right-to-left override']").count() > 0
    page = visitor.go(site.pages()["boxes"])
    assert page.locator("img.picture").evaluate("image => image.naturalWidth") > 0


def test_html_in_data_is_text_on_every_page(visit: Any, site: Site) -> None:
    visitor = visit()
    for path in ("/runs", site.pages()["hostile"], site.pages()["hostile case"], "/compare"):
        page = visitor.go(path)
        assert page.locator("main script:not([type='application/json']), main img[src=x]").count() == 0
        assert "49" not in page.title()


def test_a_person_edits_checks_and_saves_the_configuration(visit: Any, site: Site) -> None:
    """Response quality plan: Field Strategy Config section (add/remove/import/export)."""
    visitor = visit()
    page = visitor.go("/configuration")
    page.click("text=Add a field")
    page.fill(".strategy input", "customer_name")
    page.select_option(".strategy select", "FUZZY")
    page.fill("input[name=fuzzy_threshold]", "1.5")
    page.wait_for_selector("#checked >> text=must be a number ≥ 0 and ≤ 1")
    page.fill("input[name=fuzzy_threshold]", "0.9")
    page.wait_for_selector("#checked >> text=can be used")
    page.click("button:has-text('Save')")
    page.wait_for_selector("text=Saved.")
    assert json.loads((site.folder / "fieldwise.strategies.json").read_text()) == {"customer_name": "FUZZY"}
    with page.expect_download() as given:
        page.click("text=Export strategies")
    assert json.loads(Path(given.value.path()).read_text()) == {"customer_name": "FUZZY"}
    page.set_input_files(
        "form.import input", files=[{"name": "s.json", "mimeType": "application/json", "buffer": b'{"a": "IGNORE", "b": "EXACT"}'}]
    )
    expect(page.locator(".strategy")).to_have_count(2)
    page.click("[aria-label='Remove a']")
    with page.expect_navigation():
        page.click("button:has-text('Save')")
    assert json.loads((site.folder / "fieldwise.strategies.json").read_text()) == {"b": "EXACT"}


def test_a_file_that_is_no_list_of_strategies_is_refused_and_nothing_is_lost(visit: Any) -> None:
    page = visit().go("/configuration")
    page.set_input_files("form.import input", files=[{"name": "s.json", "mimeType": "application/json", "buffer": b'{"a": "MAYBE"}'}])
    page.wait_for_selector("#strategies >> text=must be one of")


def test_a_person_tests_an_evaluation_and_keeps_it(visit: Any, site: Site) -> None:
    """Response quality plan: Walkthrough Example, on the page for test evaluations."""
    page = visit().go("/test")
    page.click("text=fill in an example")
    page.click("text=open to change it")
    page.click("text=Add a field")
    page.locator(".strategy input").last.fill("name")
    page.locator(".strategy select").last.select_option("FUZZY")
    page.fill("input[name=fuzzy_threshold]", "0.85")
    page.click("text=Evaluate and keep as a run")
    page.wait_for_selector(".arithmetic")
    told = page.locator("#outcome").inner_text()
    assert "0.7375" in told
    assert "3 of 4 expected values are there" in told
    assert "(1 extra + 1 expected null) of 6 keys = 2 / 6" in told
    assert "0.45 × 1.0000 + 0.25 × 0.7500 + 0.15 × 1.0000 − 0.15 × 0.3333" in told
    page.click("#outcome .saved a")
    page.wait_for_selector("h1:has-text('test')")
    assert "name: FUZZY" in page.locator("#run pre").inner_text(timeout=2000) or page.locator("#run pre").text_content().count(
        "name: FUZZY"
    )


def test_json_that_cannot_be_read_is_told_where_it_is(visit: Any) -> None:
    page = visit().go("/test")
    page.fill("#expected", '{"a": 1, "a": 2}')
    page.click("button.primary")
    page.wait_for_selector("#outcome >> text=the key a is there twice")
    assert "there is nothing under actual" in page.locator("#outcome").inner_text()


def test_the_theme_is_kept(visit: Any) -> None:
    page = visit().go("/runs")
    page.click("#theme")
    page.click("#theme")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.locator("#theme").inner_text() == "theme: dark"


def test_without_the_token_a_page_says_how_to_get_in(browser: Any, site: Site) -> None:
    context = browser.new_context()
    page = context.new_page()
    assert page.goto(f"{site.address}/runs").status == 401
    assert "launch token" in page.locator("h1").inner_text()
    context.close()


def test_a_job_shows_how_far_it_is_and_then_its_run(visit: Any) -> None:
    page = visit().go("/runs")
    cases = [{"expected": {"a": n, "b": "x"}, "actual": {"a": n, "b": "y"}} for n in range(30_000)]
    started = page.request.post("/api/v1/jobs".join((page.url.removesuffix("/runs"), "")), data={"cases": cases, "name": "by night"})
    assert started.status == 202
    page.wait_for_selector(".job:has-text('by night') progress")
    expect(page.locator(".job")).to_have_count(0, timeout=60_000)
    expect(page.locator(".runs th:has-text('by night')")).to_have_count(1)
