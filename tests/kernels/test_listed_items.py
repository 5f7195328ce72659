"""Items of lists in answers."""

import pytest

from fieldwise.kernels.answer_text import find_list_items, find_list_items_v1


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("* Alpha\n* Beta", ["Alpha", "Beta"]),
        ("- Alpha\n  + Beta\n• Gamma", ["Alpha", "Beta", "Gamma"]),
        ("1. Alpha\n2) Beta\n(c) Gamma", ["Alpha", "Beta", "Gamma"]),
        ("* **Alpha**.\n* `Alpha`", ["Alpha"]),
        ("* Rule C-1: Eligibility", ["Rule C-1: Eligibility"]),
        ("Rules C-1, C-2 and c3 apply", ["Rule C-1", "Rule C-2", "Rule C3"]),
        ("* Rules C-1 and C-2", ["Rule C-1", "Rule C-2"]),
        ("*not a bullet* and -5 degrees", []),
        ("rule c-1x2", []),
        ("", []),
    ],
)
def test_items_are_bullets_and_codes(text: str, labels: list[str]) -> None:
    assert [item.label for item in find_list_items(text)] == labels


def test_a_code_is_the_same_with_and_without_a_hyphen() -> None:
    assert find_list_items("Rule C-1")[0].keys == find_list_items("rule c1")[0].keys


def test_a_name_before_a_colon_or_a_dash_is_a_key() -> None:
    assert find_list_items("* Driver Discount: 5%")[0].keys == ("driver discount: 5%", "driver discount")
    assert find_list_items("* Driver Discount - 5%")[0].keys[-1] == "driver discount"


def test_the_first_framework_takes_stars_verbatim_and_codes_besides() -> None:
    """EF_1, calculation: markdown list format `* Rule Name`, also "Rule C-X" patterns."""
    assert [item.label for item in find_list_items_v1("* Rule C-1 Rates \n* Other\n- no")] == ["Rule C-1 Rates", "Other", "rule c-1"]
