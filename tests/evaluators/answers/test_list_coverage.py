"""list_coverage: the items of a list, and the EF_1 metrics."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise import ConfigError, Result
from fieldwise.model.plan import When
from fieldwise.plan.evaluators import plan_config

RULES = "* Limits of Liability\n* Deductible Factor\n* Driver Discount\n* Rule C-1\n* Rule C-2: Eligibility"


def coverage(expected: Any, actual: Any, **options: Any) -> Result:
    return fw.evaluate({"type": "list_coverage", **options}, expected=expected, actual=actual)


@pytest.mark.parametrize(
    ("actual", "rules_found", "share"),
    [
        (RULES, 5, 1.0),
        ("* Limits of Liability\n* Deductible Factor\n* Driver Discount\n* Rule C-1", 4, 0.8),
        ("There are no rules", 0, 0.0),
    ],
)
def test_rules_coverage_is_rules_found_of_total_rules(actual: str, rules_found: int, share: float) -> None:
    """EF_1, interpretation: 1.0 all rules found, 0.8 80% of rules found, 0.0 no rules found."""
    result = coverage(RULES, actual, preset="ef_1")
    assert result.metrics == {"rules_found": rules_found, "total_rules": 5, "rules_coverage": share}
    assert result.score == share


def test_a_list_of_texts_is_its_items() -> None:
    result = coverage(["Driver Discount", "Limits of\nLiability"], "* driver discount\n* Towing")
    assert (result.score, result.hits, result.misses) == (0.5, ["Driver Discount"], ["Limits of Liability"])
    assert coverage(["a", "b"], ["b", "a"]).score == 1.0
    assert coverage("* a\n* b", ["b"], items="v1").score == 0.5


def test_counts_are_whole_numbers() -> None:
    metrics = coverage("* a\n* b", "* a").metrics
    assert [type(metrics[name]) for name in ("items_found", "total_items", "coverage")] == [int, int, float]


def test_rule_codes_are_found_in_prose() -> None:
    """EF_1, calculation: also checks for "Rule C-X" patterns."""
    result = coverage("Rule C-1 and Rule C-2", "The manual has rule c-1, Rules C-2, C-3 and C-4.", preset="ef_1")
    assert (result.metrics["rules_found"], result.metrics["total_rules"]) == (2, 2)
    assert result.details["extra"] == ["Rule C-3", "Rule C-4"]


def test_the_first_framework_counts_a_coded_bullet_twice() -> None:
    expected = "* Rule C-1: Eligibility\n* Driver Discount"
    actual = "* Driver Discount\nsee RULE C-1"
    assert coverage(expected, actual, preset="ef_1").metrics == {"rules_found": 2, "total_rules": 2, "rules_coverage": 1.0}
    v1 = coverage(expected, actual, preset="ef_1", items="v1")
    assert v1.metrics == {"rules_found": 2, "total_rules": 3, "rules_coverage": 2 / 3}
    assert v1.misses == ["Rule C-1: Eligibility"]


def test_the_first_framework_compares_bullets_verbatim() -> None:
    assert coverage("* Driver Discount", "* driver discount", items="v1").score == 0.0
    assert coverage("* Driver Discount", "* driver discount").score == 1.0


@pytest.mark.parametrize("options", [{"preset": "ef_1"}, {"preset": "ef_1", "items": "v1"}, {}])
def test_no_items_expected_is_zero_and_flagged(options: dict[str, str]) -> None:
    result = coverage("no list here", "* a thing", **options)
    assert (result.score, result.verdict) == (0.0, "fail")
    assert "no_items_expected" in result.details["flags"]


@pytest.mark.parametrize(
    "actual",
    [
        "- Alpha Plan\n- Beta Plan",
        "1. Alpha Plan\n2) beta plan.",
        "• **Alpha Plan**: the first\n• `Beta Plan` - the second",
        "  + [x] Alpha Plan;\n  + [ ] Beta   Plan",
        "(a) Alpha Plan\n(b) Beta Plan",
    ],
)
def test_every_usual_kind_of_list_is_read(actual: str) -> None:
    result = coverage("* Alpha Plan\n* Beta Plan", actual)
    assert (result.metrics["items_found"], result.metrics["total_items"], result.metrics["coverage"]) == (2, 2, 1.0)
    assert result.hits == ["Alpha Plan", "Beta Plan"]


def test_a_name_shared_by_two_items_names_neither() -> None:
    assert coverage("* Plan: one\n* Plan: two", "* Plan: two\n* Plan: three").misses == ["Plan: one"]


def test_misses_name_the_items() -> None:
    assert coverage(RULES, "* Deductible Factor\n* Rule C-2").misses == ["Limits of Liability", "Driver Discount", "Rule C-1"]


def test_repeated_items_count_once() -> None:
    assert coverage("* A thing\n* A thing", "* a thing").metrics["total_items"] == 1


def test_fuzzy_items_match_where_they_are_alike() -> None:
    expected, actual = "* Multi-Car Discount\n* Good Student", "* Multicar Discounts\n* Safe Driver"
    assert coverage(expected, actual).score == 0.0
    assert coverage(expected, actual, match="fuzzy").score == 0.5
    assert coverage(expected, actual, match="fuzzy", similarity=0.99).score == 0.0


def test_fuzzy_items_with_other_numbers_or_codes_do_not_match() -> None:
    assert coverage("* Territory 118\n* Rule C-1", "* Territory 117\n* Rule C-2", match="fuzzy").score == 0.0


def test_each_item_given_answers_for_one_expected() -> None:
    assert coverage("* Discount A plan\n* Discount B plan", "* Discount C plan", match="fuzzy").metrics["items_found"] == 1


def test_codes_can_follow_other_words() -> None:
    result = coverage("Form A-12 and Section 3", "form A12", code_words=["form"])
    assert (result.hits, result.metrics["total_items"]) == (["Form A-12"], 1)


def test_a_preset_is_for_the_question_it_is_named_after() -> None:
    config: Any = plan_config({"type": "list_coverage", "preset": "ef_1"}).config
    assert config.default_when() == When(id=("EF_1", "ef_1"))
    assert plan_config({"type": "list_coverage"}).config.default_when() is None  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "ef_2"}, "preset"),
        ({"items": "v1", "match": "fuzzy"}, "verbatim"),
        ({"items": "v1", "code_words": ["form"]}, "rule c-1"),
        ({"similarity": 2}, "similarity"),
    ],
)
def test_bad_options_are_refused_with_the_reason(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        coverage("a", "b", **options)


@given(st.text(alphabet="*- ab:1.\nRuleC", max_size=60), st.text(alphabet="*- ab:1.\nRuleC", max_size=60))
@settings(max_examples=100, deadline=None)
def test_any_text_has_a_coverage_and_a_list_covers_itself(expected: str, actual: str) -> None:
    for options in ({}, {"items": "v1"}, {"match": "fuzzy"}):
        assert 0.0 <= coverage(expected, actual, **options).score <= 1.0
        itself = coverage(expected, expected, **options)
        assert itself.metrics["items_found"] == itself.metrics["total_items"]


@pytest.mark.parametrize("unit", ["*", "* ", "* a\n", "rule c-1 ", "rule ", "a: ", "rule c1, c1", "- "])
def test_a_quarter_of_a_megabyte_is_read(unit: str) -> None:
    text = unit * (250_000 // len(unit))
    assert coverage(text, text).score in (0.0, 1.0)
    assert coverage(text, text, items="v1").score in (0.0, 1.0)


@pytest.mark.parametrize(
    "actual",
    [
        "* **Rule C-2:** Rating Perils",
        "Rating Perils (Rule C-2)",
        "* C-2 Rating Perils",
        "| C-2 | Rating Perils |",
        "- Rating perils (see page 3)",
        "The rules are Rating Perils and others.",
    ],
)
def test_an_item_is_known_by_its_name_with_or_without_a_code(actual: str) -> None:
    assert fw.evaluate({"type": "list_coverage"}, expected="* Rating Perils\n* Base Rates", actual=actual).score == 0.5


def test_codes_decide_where_both_sides_have_one() -> None:
    config = {"type": "list_coverage"}
    assert fw.evaluate(config, expected="* Rule C-2: Rating Perils", actual="* Rule C-3: Rating Perils").score == 0.0
    assert fw.evaluate(config, expected="* Rule C-2: Rating Perils", actual="* Rule C-2: Perils").score == 1.0
    assert fw.evaluate({**config, "match": "fuzzy"}, expected="* Rule C-2: Rating Perils", actual="* Rule C-3: Rating Perils").score == 0.0


def test_spaces_around_a_slash_do_not_count() -> None:
    actual = "* **Rule C-6:** Amount of Insurance/Deductibles"
    assert fw.evaluate({"type": "list_coverage"}, expected="* Amount of Insurance / Deductibles", actual=actual).score == 1.0


def test_where_nothing_matched_the_items_that_were_read_are_shown() -> None:
    result = fw.evaluate({"type": "list_coverage"}, expected="* Base Rates", actual="* Pool Factor")
    assert result.details["items_read"] == {"expected": ["Base Rates"], "actual": ["Pool Factor"]}
    assert "`Pool Factor`" in result.reasoning


@pytest.mark.parametrize(
    ("expected", "actual", "score"),
    [
        ("Red; Green; Blue", "Red, green and blue", 1),
        ("* Red\n* Green\n* Blue", "The colours are red, green and blue.", 1),
        ("* Red\n* Green", "rouge; green", 0.5),
        ("* Base Rates\n* Territories", "| # | Rule |\n|---|---|\n| 1 | Base Rates |\n| 2 | Territories |", 1),
        ("* Base Rates\n* Territories", "| No. | Code | Rule |\n|---|---|---|\n| 1 | C-1 | Base Rates |\n| 2 | C-2 | Territories |", 1),
        ("* Base Rates\n* Perils", "| Base Rates | 5 % |\n| Perils | 6 % |", 1),
        ("| 118 | 5 % |\n| 119 | 6 % |", "| 118 | 5 % |\n| 120 | 6 % |", 0.5),
        ("* C-1: Base Rates\n* C-2: Territories", "C-1, C-2", 1),
        ("* C-1: Base Rates\n* C-2: Territories", "Base Rates and Territories", 1),
        ("* Red", "It is not red, not at all, and never was", 0),
        ("red; green", "Redwood; greenery", 0),
    ],
)
def test_items_are_read_in_lines_and_tables(expected: str, actual: str, score: float) -> None:
    assert coverage(expected, actual).score == score


def test_an_inline_list_beside_bullets_adds_no_extra_items() -> None:
    assert coverage("* Red\n* Green", "* Red\nI saw green, yes and more").details["extra"] == []
