"""A review by keyboard alone, in a browser."""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw

CASES = [
    {
        "id": f"r-{number}",
        "input": "line\n" * 200 + f"Total due {number}.50",
        "expected": {"total": number + 0.5, "name": f"n{number}"},
        "actual": {"total": number, "name": f"n{number}"},
        "metadata": {"boxes": {"total": [0.5, 0.8, 0.7, 0.85]}, "pages": {"total": 1}},
    }
    for number in range(1, 6)
]


@pytest.fixture
def folder(site: Any) -> Path:
    folder = site.folder / "review"
    folder.mkdir(exist_ok=True)
    for name in ("corrections.jsonl", "review.jsonl"):
        (folder / name).unlink(missing_ok=True)
    return folder


@pytest.fixture
def address(site: Any, folder: Path) -> str:
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES))
    suite = {"name": "review", "cases": str(folder / "cases.jsonl"), "evaluators": [{"type": "field_prf"}]}
    return f"/review?run={fw.run(suite, root=site.root).id}&source=disagreements&by=ann"


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_every_decision_is_a_key_and_nothing_needs_a_mouse(visit: Any, address: str, folder: Path) -> None:
    page = visit(width=1400).go(address)

    def press(key: str, then: str) -> None:
        page.keyboard.press(key)
        page.wait_for_selector(f"#review-item >> text={then}")

    press("e", "r-2")
    press("b", "r-3")
    press("a", "r-4")
    press("s", "r-5")
    press("u", "r-4")
    page.keyboard.press("t")
    page.keyboard.type("4.25")
    press("Enter", "r-5")
    page.keyboard.press("t")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.wait_for_selector("text=Nothing is left to review")
    assert [line["decision"] for line in _lines(folder / "review.jsonl")] == [
        "expected_wrong",
        "both_right",
        "actual_wrong",
        "skip",
        "undo",
        "expected_wrong",
        "actual_wrong",
    ]
    assert [line["value"] for line in _lines(folder / "corrections.jsonl")] == [1, 2, 4.25]
    page.reload()
    assert "Nothing is left" in page.locator("#review-item").inner_text()


def test_the_place_of_the_value_is_in_view_and_shortcuts_can_be_turned_off(visit: Any, address: str, folder: Path) -> None:
    page = visit(width=390).go(address)
    text, mark = page.locator("pre.source").bounding_box(), page.locator("pre.source mark").first.bounding_box()
    assert text["y"] <= mark["y"] <= text["y"] + text["height"]
    assert page.locator("svg.place").is_visible()
    page.uncheck("[data-keys] input")
    page.keyboard.press("a")
    page.wait_for_timeout(200)
    assert not (folder / "review.jsonl").exists()
    page.check("[data-keys] input")


def test_two_people_are_shown_different_comparisons(visit: Any, address: str, folder: Path) -> None:
    ann, bob = visit().go(address), visit().go(address.replace("by=ann", "by=bob"))
    assert ann.locator("#review-item").inner_text() != bob.locator("#review-item").inner_text()
    for page in (ann, bob):
        page.keyboard.press("a")
        page.wait_for_selector(".facts >> text=actual is wrong")
    assert {line["by"] for line in _lines(folder / "review.jsonl")} == {"ann", "bob"}


def test_a_field_of_the_heatmap_leads_to_its_place(visit: Any, address: str) -> None:
    page = visit().go(address.replace("/review?run=", "/runs/").split("&")[0])
    page.locator(".heat tbody tr", has=page.locator("th[data-field=total]")).locator("td").first.click()
    page.wait_for_selector("#place svg.place, #place mark")
    assert "field=" in page.url
