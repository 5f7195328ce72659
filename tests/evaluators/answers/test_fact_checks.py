"""fact_checks: declarative checks, formulas, and the EF_2 and EF_3 metrics."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise import ConfigError, Result
from fieldwise.model.plan import When
from fieldwise.plan.evaluators import plan_config

EF_2 = "Yes. Territory 118 changes by 0.305% and Territory 117 by -0.133%. GRG 51 minus GRG 15 is a difference of 36."
EF_3 = "The base rate $293 × 2.061 = $604."
V = pytest.mark.parametrize("version", ["v2", "v1"])


def facts(actual: Any, **options: Any) -> Result:
    return fw.evaluate({"type": "fact_checks", **options}, expected="anything", actual=actual)


def holds(check: dict[str, Any], actual: str, **options: Any) -> bool:
    return bool(facts(actual, facts={"it": check}, **options).metrics["it"])


class TestEf2:
    """Territory/GRG question metrics."""

    @V
    def test_all_facts_present_is_one(self, version: str) -> None:
        """EF_2, interpretation: 1.0 all facts present."""
        result = facts(EF_2, preset="ef_2", checks=version)
        assert result.metrics == {
            "has_yes": True,
            "has_territory_118": True,
            "has_territory_117": True,
            "has_rate_0_305": True,
            "has_rate_neg_0_133": True,
            "has_grg_51": True,
            "has_grg_15": True,
            "has_difference_36": True,
            "fact_score": 1.0,
        }
        assert (result.score, result.verdict, result.misses) == (1.0, "pass", [])

    @V
    def test_half_of_the_facts_is_one_half(self, version: str) -> None:
        """EF_2, overall score: fact_score is the average of all fact checks; 0.5 half of the facts present."""
        result = facts("Yes: Territory 118, 0.305%, GRG 51.", preset="ef_2", checks=version)
        assert result.metrics["fact_score"] == result.score == 0.5
        assert result.hits == ["has_yes", "has_territory_118", "has_rate_0_305", "has_grg_51"]
        assert result.misses == ["has_territory_117", "has_rate_neg_0_133", "has_grg_15", "has_difference_36"]

    @V
    def test_no_fact_is_zero(self, version: str) -> None:
        """EF_2, interpretation: 0.0 no facts present."""
        assert facts("I cannot tell.", preset="ef_2", checks=version).score == 0.0

    @V
    @pytest.mark.parametrize(
        ("fact", "answer"),
        [
            ("has_yes", "YES"),
            ("has_territory_118", "territory 118"),
            ("has_territory_117", "117 is a territory"),
            ("has_rate_0_305", "0.305%"),
            ("has_rate_neg_0_133", "-0.133%"),
            ("has_grg_51", "GRG 051"),
            ("has_grg_15", "GRG 015"),
            ("has_difference_36", "the difference is 36"),
            ("has_difference_36", "it exceeds 30"),
        ],
    )
    def test_each_fact_is_found(self, fact: str, answer: str, version: str) -> None:
        result = facts(answer, preset="ef_2", checks=version)
        assert result.metrics[fact] is True
        assert [name for name, value in result.metrics.items() if value is True] == [fact]

    @pytest.mark.parametrize(
        ("fact", "answer"),
        [
            ("has_yes", "yesterday"),
            ("has_territory_118", "territory 1180"),
            ("has_rate_0_305", "10.305%"),
            ("has_rate_0_305", "-0.305%"),
            ("has_grg_51", "GRG 151"),
            ("has_grg_15", "GRG 51 and 115"),
            ("has_difference_36", "0.36"),
            ("has_difference_36", "it exceeds 300"),
        ],
    )
    def test_a_part_of_a_word_or_number_is_no_fact(self, fact: str, answer: str) -> None:
        assert facts(answer, preset="ef_2").metrics[fact] is False

    def test_versions_differ_on_yes_near_no(self) -> None:
        answer = "Yes, note the rate."
        assert facts(answer, preset="ef_2").metrics["has_yes"] is True
        assert facts(answer, preset="ef_2", checks="v1").metrics["has_yes"] is False

    def test_a_typographic_minus_is_a_minus_by_value_only(self) -> None:
        assert facts("−0.133%", preset="ef_2").metrics["has_rate_neg_0_133"] is True
        assert facts("−0.133%", preset="ef_2", checks="v1").metrics["has_rate_neg_0_133"] is False


class TestEf3:
    """Calculation question metrics."""

    @V
    def test_a_calculation_with_the_right_result_is_correct(self, version: str) -> None:
        """EF_3: is_correct = has_604 AND NOT cannot_calculate."""
        result = facts(EF_3, preset="ef_3", checks=version)
        assert result.metrics == {
            "has_604": True,
            "has_293": True,
            "has_2_061": True,
            "has_calculation": True,
            "cannot_calculate": False,
            "is_correct": True,
        }
        assert (result.score, result.verdict) == (1.0, "pass")

    @V
    def test_the_bare_result_is_correct(self, version: str) -> None:
        """EF_3, interpretation: is_correct = True where the answer contains $604 and no error messages."""
        result = facts("$604", preset="ef_3", checks=version)
        assert (result.score, result.misses, result.verdict) == (1.0, [], "pass")
        assert result.details["absent"] == ["has_293", "has_2_061", "has_calculation", "cannot_calculate"]

    @V
    @pytest.mark.parametrize(
        "phrase",
        [
            "cannot calculate",
            "cannot compute",
            "not possible",
            "missing",
            "not available",
            "not provided",
            "unable to",
            "do not have enough",
        ],
    )
    def test_phrases_of_inability_make_it_incorrect(self, phrase: str, version: str) -> None:
        """EF_3: cannot_calculate contains phrases indicating inability to calculate; is_correct = False."""
        result = facts(f"The data is {phrase} but perhaps $604", preset="ef_3", checks=version)
        assert result.metrics["cannot_calculate"] is True
        assert (result.metrics["is_correct"], result.score, result.misses) == (False, 0.0, ["cannot_calculate"])

    @pytest.mark.parametrize(
        "phrase",
        [
            "can not calculate",
            "cannot determine",
            "can’t compute",
            "not able to",
            "impossible to",
            "insufficient information",
            "not enough data",
        ],
    )
    def test_further_phrases_of_inability_are_known(self, phrase: str) -> None:
        assert facts(f"It is {phrase}, perhaps $604", preset="ef_3").metrics["is_correct"] is False

    @V
    def test_another_result_is_incorrect(self, version: str) -> None:
        result = facts("$293 × 2.061 = $603", preset="ef_3", checks=version)
        assert (result.metrics["is_correct"], result.misses, result.verdict) == (False, ["has_604"], "fail")

    @V
    @pytest.mark.parametrize("steps", ["293 × 2.061", "293 * 2.061", "multiply 293 by 2.061", "293 multiplied by 2.061"])
    def test_calculation_steps_are_seen(self, steps: str, version: str) -> None:
        """EF_3: has_calculation shows calculation steps (×, *, "multiply")."""
        assert facts(steps, preset="ef_3", checks=version).metrics["has_calculation"] is True

    def test_a_times_sign_in_the_wrong_encoding_is_seen(self) -> None:
        assert facts("293 Ã— 2.061", preset="ef_3").metrics["has_calculation"] is True

    @pytest.mark.parametrize("answer", ["The premium is **$604**", "* bullet\n* bullet", "it is *604* now"])
    def test_markdown_stars_are_no_calculation(self, answer: str) -> None:
        assert facts(answer, preset="ef_3").metrics["has_calculation"] is False
        assert facts(answer, preset="ef_3", checks="v1").metrics["has_calculation"] is True

    @pytest.mark.parametrize("answer", ["$1604", "$604.50", "6,040"])
    def test_604_is_not_part_of_another_number(self, answer: str) -> None:
        assert facts(answer, preset="ef_3").metrics["has_604"] is False

    @pytest.mark.parametrize("answer", ["$604", "604.00", "USD604", "604 dollars", "is 604."])
    def test_604_is_604_however_it_is_written(self, answer: str) -> None:
        assert facts(answer, preset="ef_3").metrics["has_604"] is True


class TestChecks:
    @pytest.mark.parametrize(
        ("check", "actual", "expected"),
        [
            ({"word": "yes"}, "Oh YES!", True),
            ({"word": "yes"}, "yesterday", False),
            ({"word": "base  rate"}, "the base\nrate", True),
            ({"word": "can't"}, "I can’t", True),
            ({"word": "straße"}, "STRASSE", True),
            ({"number": 604}, "604.0", True),
            ({"number": 0.305}, ".305", True),
            ({"number": -0.133, "percent": True}, "−0.133 percent", True),
            ({"number": -0.133, "percent": True}, "-0.133", False),
            ({"number": 5, "percent": False}, "5% or 5", True),
            ({"number": 5, "percent": False}, "5%", False),
            ({"number": 9007199254740993}, "9007199254740992", False),
            ({"regex": "^a.c$"}, "abc", True),
            ({"regex": "(?i)ABC"}, "xabcx", True),
            ({"any": [{"word": "a"}, {"word": "b"}]}, "b", True),
            ({"all": [{"word": "a"}, {"word": "b"}]}, "b", False),
            ({"not": {"word": "a"}}, "b", True),
            ({"all": [{"any": [{"number": 1}, {"number": 2}]}, {"not": {"word": "no"}}]}, "2", True),
        ],
    )
    def test_a_check_holds_or_not(self, check: dict[str, Any], actual: str, expected: bool) -> None:
        assert holds(check, actual) is expected

    def test_numbers_are_read_in_the_locale(self) -> None:
        assert holds({"number": 1234}, "1.234 €", locale="de")
        assert not holds({"number": 1234}, "1.234 €")
        assert holds({"number": 1234.56}, "1.234,56 €")  # reads one way only

    def test_a_miss_says_what_was_looked_for(self) -> None:
        result = facts("nothing", facts={"a": {"any": [{"number": 36}, {"word": "exceeds 30"}]}})
        assert result.details["why"] == {"a": 'not found: the number 36 or the words "exceeds 30"'}

    def test_facts_need_no_expected_text(self) -> None:
        assert fw.evaluate({"type": "fact_checks", "facts": {"a": {"word": "yes"}}}, actual="yes").score == 1.0


class TestFormulas:
    def test_a_formula_may_be_the_score(self) -> None:
        options = {
            "facts": {"a": {"word": "a"}, "b": {"word": "b"}},
            "formulas": {"good": "a and not b", "best": "good or b"},
            "score": "good",
        }
        assert facts("a", **options).metrics == {"a": True, "b": False, "good": True, "best": True}
        assert (facts("a b", **options).score, facts("a b", **options).misses) == (0.0, ["b"])

    def test_facts_may_be_added_to_a_preset(self) -> None:
        result = facts(EF_3, preset="ef_3", facts={"polite": {"word": "please"}}, formulas={"fine": "is_correct and polite"}, score="fine")
        assert (result.metrics["is_correct"], result.metrics["fine"], result.misses) == (True, False, ["polite"])

    def test_the_share_of_facts_may_be_asked_of_a_preset(self) -> None:
        assert facts(EF_3, preset="ef_3", score="share of facts").metrics["fact_score"] == 0.8


def test_a_preset_is_for_the_question_it_is_named_after() -> None:
    config: Any = plan_config({"type": "fact_checks", "preset": "ef_3"}).config
    assert config.default_when() == When(id=("EF_3", "ef_3"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "nothing to check"),
        ({"preset": "ef_1"}, "preset"),
        ({"checks": "v1", "facts": {"a": {"word": "a"}}}, "needs a `preset`"),
        ({"facts": {"a": {}}}, "a check is empty"),
        ({"facts": {"a": {"word": "x", "number": 1}}}, "`word` and `number`"),
        ({"facts": {"a": {"percent": True, "word": "x"}}}, "needs a `number`"),
        ({"facts": {"a": {"wrd": "x"}}}, "did you mean `word`"),
        ({"facts": {"a": {"regex": "(?=x)"}}}, "RE2"),
        ({"facts": {"a": {"regex": "("}}}, "cannot be read"),
        ({"facts": {"a b": {"word": "x"}}}, "cannot be a name"),
        ({"facts": {"has_604": {"word": "x"}}, "preset": "ef_3"}, "defined twice"),
        ({"facts": {"a": {"word": "x"}}, "formulas": {"f": "a and bb"}}, "`f` uses `bb`"),
        ({"facts": {"has_a": {"word": "x"}}, "formulas": {"f": "has_b"}}, "did you mean `has_a`"),
        ({"facts": {"a": {"word": "x"}}, "formulas": {"f": "a and"}}, "missing after `and`"),
        ({"facts": {"a": {"word": "x"}}, "formulas": {"f": "f"}}, "not defined"),
        ({"facts": {"a": {"word": "x"}}, "score": "f"}, "there is no formula `f`"),
    ],
)
def test_bad_options_are_refused_with_the_reason(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        facts("x", **options)


@given(st.text(max_size=80), st.sampled_from(["ef_2", "ef_3"]), st.sampled_from(["v1", "v2"]))
@settings(max_examples=80, deadline=None)
def test_any_text_can_be_checked(text: str, preset: str, version: str) -> None:
    assert 0.0 <= facts(text, preset=preset, checks=version).score <= 1.0


@pytest.mark.parametrize("unit", ["a", "1", "1,", "territory ", "no", "* "])
def test_a_quarter_of_a_megabyte_is_checked(unit: str) -> None:
    text = unit * (250_000 // len(unit))
    assert facts(text, preset="ef_2").score < 1.0
    assert facts(text, preset="ef_3").score == 0.0


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_half_of_a_surrogate_pair_in_an_answer_hides_no_fact(version: str) -> None:
    result = facts("\ud800 The premium is $604 × \udfff 1", preset="ef_3", checks=version)
    assert (result.status, result.metrics["has_604"], result.metrics["has_calculation"]) == ("scored", True, True)


@pytest.mark.parametrize(
    ("answer", "cannot"),
    [
        ("The premium can't be calculated; 604 is a guess", True),
        ("I couldn't compute this; 604 may be wrong", True),
        ("I can’t reliably determine it, perhaps 604", True),
        ("The premium can be calculated: 293 × 2.061 = 604", False),
        ("There isn't enough information to compute it: 604?", True),
        ("There is not sufficient data; 604", True),
        ("I lack the information needed to calculate this. 604", True),
        ("I don't have the necessary details, perhaps 604", True),
        ("More information is needed to calculate it; 604", True),
        ("I could not find the base rate; 604", True),
        ("The calculation isn't possible. 604", True),
        ("The premium is $604, nothing is missing.", False),
        ("Premium: 604. No information is missing.", False),
        ("There is enough information: 293 × 2.061 = 604", False),
        ("The deductible does not apply, so the premium is $604.", False),
    ],
)
def test_an_answer_says_in_many_words_that_it_cannot_be_calculated(answer: str, cannot: bool) -> None:
    result = fw.evaluate({"type": "fact_checks", "preset": "ef_3"}, expected="$604", actual=answer)
    assert result.metrics["cannot_calculate"] is cannot
    assert result.metrics["is_correct"] is not cannot
