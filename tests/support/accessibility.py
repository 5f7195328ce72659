"""Accessibility of a page in both colour schemes, by axe."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe

SCHEME_RULES = ("color-contrast", "link-in-text-block")
"""The rules that colours decide. All others look at the document, which is the same in both schemes."""


def list_violations(page: Any, tags: list[str] | None = None) -> list[tuple[str, str, list[Any]]]:
    """The violations (scheme, rule, nodes) of a page that was opened in the light scheme: of all rules, then in the dark scheme of those
    that colours decide. `tags` chooses the rules."""
    violations = _run_axe(page, "light", {} if tags is None else {"runOnly": tags})
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    violations += _run_axe(page, "dark", {"runOnly": {"type": "rule", "values": list(SCHEME_RULES)}})
    page.emulate_media(color_scheme="light")
    return violations


def _run_axe(page: Any, scheme: str, options: dict[str, Any]) -> list[tuple[str, str, list[Any]]]:
    violations = Axe().run(page, options=options).response["violations"]
    return [(scheme, violation["id"], [node["html"] for node in violation["nodes"]][:3]) for violation in violations]
