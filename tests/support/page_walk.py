"""A walk through pages in one browser: layout, layout shifts, requests and accessibility of each, at two widths and in both schemes."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accessibility import COLOUR_RULES, LAYOUT_RULES, remove_repeated_rows, run_axe

SCHEMES = ("light", "dark")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RULES = {390: {"light": TAGS, "dark": COLOUR_RULES}, 1265: {"light": LAYOUT_RULES}}
"""Width → scheme → rules of axe. 1,265 px is the inside of a window of 1,280 px with a scroll bar."""
SCROLLING_TABLES = """[...document.querySelectorAll(".scroll:has(> table):not(.heat)")]
  .filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.getAttribute("aria-label"))"""
OBSERVE_SHIFTS = """
window.shifts = 0;
new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value; })
  .observe({ type: "layout-shift", buffered: true });
"""


@dataclass
class PageFindings:
    """What was found on the pages, by page, width and scheme."""

    problems: list[str] = field(default_factory=list)
    shifts: dict[str, float] = field(default_factory=dict)
    """Page → its largest cumulative layout shift."""


def walk_pages(
    browser: Any, pages: dict[str, str], *, cookie: tuple[str, str, str] | None = None, pictures: Path | None = None
) -> PageFindings:
    """Visit every page (name → address) at both widths in both schemes. `cookie` is its name, value and address."""
    findings = PageFindings()
    for width, rules_by_scheme in RULES.items():
        context = browser.new_context(viewport={"width": width, "height": 900}, bypass_csp=True)
        if cookie is not None:
            context.add_cookies([{"name": cookie[0], "value": cookie[1], "url": cookie[2]}])
        context.add_init_script(OBSERVE_SHIFTS)
        page = context.new_page()
        page.set_default_timeout(60_000)
        requests: list[str] = []
        page.on("request", lambda request, seen=requests: seen.append(request.url))
        page.on("pageerror", lambda error, at=width: findings.problems.append(f"{at}: {error}"))
        for name, address in pages.items():
            requests.clear()
            page.emulate_media(color_scheme="light")
            page.goto(address)
            page.wait_for_function("!document.querySelector('.htmx-request')")
            _look_at(page, name, width, findings)
            origin = address.split("/", 3)[2] if address.startswith("http") else ""
            foreign = [url for url in requests if (f"//{origin}/" not in url if origin else url.split("#")[0] != address)]
            findings.problems += [f"{name}: asks {url}" for url in foreign if not url.startswith(("data:", "blob:"))]
            if pictures is not None:
                _take_pictures(page, pictures / f"{name.replace(' ', '-')}-{width}")
            remove_repeated_rows(page)
            for scheme, rules in rules_by_scheme.items():
                page.emulate_media(color_scheme=scheme)
                findings.problems += [f"{name} {width} {scheme}: {problem}" for problem in run_axe(page, rules)]
        context.close()
    return findings


def _look_at(page: Any, name: str, width: int, findings: PageFindings) -> None:
    shift = page.evaluate("window.shifts")
    findings.shifts[name] = max(findings.shifts.get(name, 0.0), shift)
    beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    if beyond > 0:
        findings.problems.append(f"{name} {width}: {beyond} px wider than the window")
    if width > 700:
        findings.problems += [f"{name} {width}: the table {label!r} scrolls sideways" for label in page.evaluate(SCROLLING_TABLES)]


def _take_pictures(page: Any, path: Path) -> None:
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=f"{path}-{scheme}.png", full_page=True)
