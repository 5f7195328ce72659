"""Accessibility of a page, by axe."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT

COLOUR_RULES = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
LAYOUT_RULES = {"type": "rule", "values": ["target-size", "scrollable-region-focusable"]}
"""What colours and what the width decides. All other rules look at the document, which is the same at every width and in both schemes."""
_REPEATED = [
    "table[data-heatmap] tbody tr:nth-child(n+4)",
    "table[data-heatmap] tr > :nth-child(n+9)",
    "tbody tr:nth-child(n+7)",
    "details.case ~ details.case ~ details.case",
    ".calls ~ .calls",
]


def remove_repeated_rows(page: Any) -> None:
    """Remove rows like those before them: axe would take half a minute for the cells of a large heatmap."""
    page.evaluate("selectors => document.querySelectorAll(selectors).forEach((row) => row.remove())", ", ".join(_REPEATED))


def run_axe(page: Any, rules: Any = None) -> list[str]:
    """The violations of `rules`, all by default. What passes stays in the browser: of a page with 300 fields, that is megabytes."""
    options = {"resultTypes": ["violations"], **({} if rules is None else {"runOnly": rules})}
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    script = """options => axe.run(options)
        .then(results => results.violations.map(one => [one.id, one.nodes.slice(0, 2).map(node => node.html)]))"""
    return [f"{rule} {[html[:160] for html in nodes]}" for rule, nodes in page.evaluate(script, options)]


def list_violations(page: Any) -> list[str]:
    """The violations of a page that was opened in the light scheme: of all rules, then in the dark scheme of those that colours decide."""
    violations = [f"light: {violation}" for violation in run_axe(page)]
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    violations += [f"dark: {violation}" for violation in run_axe(page, COLOUR_RULES)]
    page.emulate_media(color_scheme="light")
    return violations
