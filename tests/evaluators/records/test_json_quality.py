"""Response quality: the metrics plan in full, its tables, its formulas, its walkthrough."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.model.case import Case, Cases
from fieldwise.plan.evaluators import plan_config
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.evaluate import evaluate, result_at


def quality(expected: Any, actual: Any, **options: Any) -> fw.Result:
    return fw.evaluate({"type": "json_quality", **options}, expected=expected, actual=actual)


def buckets(result: fw.Result) -> dict[str, list[str]]:
    return {name: sorted(keys) for name, keys in result.details["buckets"].items() if keys}


class TestNull:
    @pytest.mark.parametrize("value", [None, "", " ", "\t\n", "\u00a0"])
    def test_none_empty_and_blank_text_are_null(self, value: Any) -> None:
        """metrics plan: Definition of "Null" """
        for blank in (None, "", "  "):
            assert quality({"a": value}, {"a": blank}).details["bucket_of"] == {"a": "both_null"}
        assert buckets(quality({"a": value}, {"a": 1})) == {"gt_null_aio_has_value": ["a"]}
        assert buckets(quality({"a": 1}, {"a": value})) == {"gt_non_null": ["a"], "aio_missing_or_null": ["a"]}

    @pytest.mark.parametrize("value", [0, False, [], {}, "null", "None", [None], 0.0])
    def test_nothing_else_is_null(self, value: Any) -> None:
        """metrics plan: is_null"""
        assert buckets(quality({"a": value}, {"a": value})) == {"gt_non_null": ["a"], "both_non_null": ["a"]}

    def test_null_values_names_text_that_is_null_too(self) -> None:
        result = quality({"a": "n/a", "b": "-", "c": "x"}, {"a": 5, "b": "N/A ", "c": "x"}, null_values=["N/A", "-"])
        assert result.details["bucket_of"] == {"a": "gt_null_aio_has_value", "b": "both_null", "c": "both_non_null"}


class TestClassification:
    @pytest.mark.parametrize(
        ("expected", "actual", "held", "completeness", "hallucination"),
        [
            ({"k": None}, {}, {}, 1.0, 0.0),
            ({"k": None}, {"k": None}, {}, 1.0, 0.0),
            ({"k": ""}, {"k": " "}, {}, 1.0, 0.0),
            ({"k": None}, {"k": 1}, {"gt_null_aio_has_value": ["k"]}, 1.0, 1.0),
            ({}, {"k": 1}, {"extra_keys": ["k"]}, 1.0, 1.0),
            ({}, {"k": None}, {"extra_keys": ["k"]}, 1.0, 1.0),
            ({"k": 1}, {}, {"gt_non_null": ["k"], "aio_missing_or_null": ["k"]}, 0.0, 0.0),
            ({"k": 1}, {"k": None}, {"gt_non_null": ["k"], "aio_missing_or_null": ["k"]}, 0.0, 0.0),
            ({"k": 1}, {"k": "  "}, {"gt_non_null": ["k"], "aio_missing_or_null": ["k"]}, 0.0, 0.0),
            ({"k": 1}, {"k": 2}, {"gt_non_null": ["k"], "both_non_null": ["k"]}, 1.0, 0.0),
        ],
    )
    def test_key_classification(self, expected: Any, actual: Any, held: Any, completeness: float, hallucination: float) -> None:
        """metrics plan: Phase 0 (the table of buckets, Edge Cases Handled)"""
        result = quality(expected, actual)
        assert buckets(result) == held
        assert (result.metrics["completeness"], result.metrics["hallucination"]) == (completeness, hallucination)

    def test_every_key_is_in_one_bucket(self) -> None:
        result = quality({"a": 1, "b": None, "c": 2, "d": None}, {"a": 1, "b": 5, "e": 3})
        assert result.details["bucket_of"] == {
            "a": "both_non_null",
            "b": "gt_null_aio_has_value",
            "c": "aio_missing_or_null",
            "d": "both_null",
            "e": "extra_keys",
        }

    def test_hits_and_misses_are_keys(self) -> None:
        result = quality({"a": 1, "b": None, "c": 2, "d": 3, "f": 4}, {"a": 1, "b": 5, "e": 3, "d": None, "f": 5})
        assert result.hits == ["a"]
        assert result.misses == ["b (unexpected value)", "c (required, missing)", "d (null value)", "e (extra)", "f"]

    def test_only_top_level_keys_count(self) -> None:
        result = quality({"a": {"x": 1, "y": 2}}, {"a": {"x": 1}})
        assert (result.details["bucket_of"], result.metrics["accuracy"]) == ({"a": "both_non_null"}, 0.0)

    def test_flatten_compares_leaf_by_leaf(self) -> None:
        expected, actual = {"a": {"x": 1, "y": 2}, "l": [{"n": 1}, {"n": 2}]}, {"a": {"x": 1}, "l": [{"n": 1}, {"n": 3}], "z": {"q": 1}}
        result = quality(expected, actual, flatten=True, strategies={"l[*].n": "EXACT"})
        assert result.details["bucket_of"] == {
            "l[0].n": "both_non_null",
            "l[1].n": "both_non_null",
            "a.x": "both_non_null",
            "a.y": "aio_missing_or_null",
            "z.q": "extra_keys",
        }
        assert (result.metrics["completeness"], result.metrics["hallucination"]) == (0.75, 0.2)
        assert result.metrics["accuracy"] == pytest.approx(2 / 3)

    def test_an_output_of_another_kind_has_none_of_the_keys(self) -> None:
        assert buckets(quality({"a": 1, "b": None}, [1, 2])) == {"gt_non_null": ["a"], "aio_missing_or_null": ["a"]}


class TestCompleteness:
    def test_49_of_50(self) -> None:
        """metrics plan: Phase 1 (49/50 = 0.98)"""
        expected = {f"k{number}": number for number in range(50)}
        assert quality(expected, {**expected, "k7": None}).metrics["completeness"] == 0.98

    def test_nothing_expected_is_complete_and_flagged(self) -> None:
        """metrics plan: Phase 1 (nothing expected: fully complete)"""
        result = quality({"a": None}, {"a": None})
        assert (result.metrics["completeness"], result.metrics["accuracy"], result.metrics["hallucination"]) == (1.0, 1.0, 0.0)
        assert result.details["flags"] == ["vacuous_completeness", "vacuous_accuracy", "unmeasured_safety"]

    def test_no_keys_at_all(self) -> None:
        """metrics plan: Phase 2 (no keys: 0.0)"""
        result = quality({}, {})
        assert (result.metrics["hallucination"], result.score) == (0.0, pytest.approx(0.85))


class TestHallucination:
    def test_extra_keys_and_values_for_nulls_over_all_distinct_keys(self) -> None:
        """metrics plan: Phase 2"""
        result = quality({"a": 1, "b": None, "c": None, "d": 1}, {"a": 1, "b": 2, "c": None, "e": 1, "f": None})
        assert result.metrics["hallucination"] == 3 / 6


class TestAccuracy:
    @pytest.mark.parametrize(
        ("expected", "actual", "same"),
        [
            ("Active", "ACTIVE", 1.0),
            (True, "true", 1.0),
            (1, 1.0, 0.0),
            (1, "1", 1.0),
            ({"b": 1, "a": [1]}, {"a": [1], "b": 1}, 1.0),
            ([1, 2], [2, 1], 0.0),
            ("a", "a ", 0.0),
        ],
    )
    def test_exact_compares_what_python_writes(self, expected: Any, actual: Any, same: float) -> None:
        """metrics plan: Strategy Behaviors (EXACT)"""
        assert quality({"k": expected}, {"k": actual}, strategies={"k": "EXACT"}).metrics["accuracy"] == same

    @pytest.mark.parametrize(("threshold", "accuracy"), [(0.9, 1.0), (0.91, 0.0)])
    def test_fuzzy_is_1_at_its_threshold_else_0(self, threshold: float, accuracy: float) -> None:
        """metrics plan: Strategy Behaviors (FUZZY)"""
        result = quality({"k": "John Smith"}, {"k": "John Smyth"}, strategies={"k": "FUZZY"}, fuzzy_threshold=threshold)
        assert result.metrics["accuracy"] == accuracy
        assert quality({"k": "abcd"}, {"k": "abxx"}, strategies={"k": "FUZZY"}).metrics["accuracy"] == 0.0

    @pytest.mark.parametrize(
        ("strategy", "similarity", "accuracy"),
        [("FUZZY", 0.85, 1.0), ("FUZZY", 0.8499, 0.0), ("SEMANTIC", 0.80, 1.0), ("SEMANTIC", 0.7999, 0.0)],
    )
    def test_recorded_similarities_meet_the_threshold_of_their_strategy(self, strategy: str, similarity: float, accuracy: float) -> None:
        """metrics plan: Strategy Behaviors (FUZZY, SEMANTIC; thresholds are inclusive)"""
        result = quality({"k": "one"}, {"k": "another"}, strategies={"k": strategy}, similarities={"k": similarity})
        assert result.metrics["accuracy"] == accuracy
        assert result.comparisons[0].similarity == similarity

    def test_a_recorded_similarity_does_not_make_numbers_equal(self) -> None:
        for similarity in (0.99, 1.0):
            assert quality({"k": 5}, {"k": 6}, similarities={"k": similarity}).metrics["accuracy"] == 0.0

    def test_a_recorded_similarity_does_not_part_what_is_written_alike(self) -> None:
        assert quality({"k": True}, {"k": "true"}, similarities={"k": 0.2}).metrics["accuracy"] == 1.0
        assert quality({"k": "A@b.org"}, {"k": "a@b.org"}, similarities={"k": 0.2}).metrics["accuracy"] == 1.0

    def test_a_recorded_similarity_may_be_a_rounding_error_below_its_threshold(self) -> None:
        assert quality({"k": "one"}, {"k": "another"}, similarities={"k": 0.3}, semantic_threshold=0.1 + 0.2).metrics["accuracy"] == 1.0

    @pytest.mark.parametrize("name", ["fuzzy", "semantic"])
    def test_a_threshold_in_the_wrong_place_is_refused(self, name: str) -> None:
        with pytest.raises(fw.ConfigError, match=f"write `{name}_threshold` beside it"):
            quality({"k": "one"}, {"k": "another"}, **{name: {"threshold": 0.5}})

    @pytest.mark.parametrize("strategy", ["EXACT", "IGNORE"])
    def test_a_similarity_that_nothing_would_look_at_is_refused(self, strategy: str) -> None:
        with pytest.raises(fw.ConfigError, match=f"its strategy {strategy} does not use one"):
            quality({"k": "one"}, {"k": "another"}, strategies={"k": strategy}, similarities={"k": 0.9})

    def test_identical_text_is_1_without_asking_anyone(self) -> None:
        result = quality({"k": "free text"}, {"k": "free text"})
        assert (result.status, result.metrics["accuracy"], result.details["strategies"]) == ("scored", 1.0, {"k": "SEMANTIC"})

    def test_the_share_of_scorable_keys(self) -> None:
        """metrics plan: Phase 3"""
        expected, actual = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}, {"a": 1, "b": 9, "c": 3, "d": None}
        assert quality(expected, actual).metrics["accuracy"] == pytest.approx(2 / 3)

    def test_ignore_leaves_accuracy_only(self) -> None:
        """metrics plan: Strategy Behaviors (IGNORE: excluded from the accuracy denominator entirely)"""
        strategies = {"a": "IGNORE", "gone": "IGNORE", "invented": "IGNORE", "extra": "IGNORE"}
        expected, actual = {"a": 1, "b": 2, "gone": 3, "invented": None}, {"a": 9, "b": 2, "invented": 4, "extra": 5}
        result = quality(expected, actual, strategies=strategies)
        assert result.metrics["accuracy"] == 1.0
        assert (result.metrics["completeness"], result.metrics["hallucination"]) == (pytest.approx(2 / 3), 2 / 5)
        assert result.details["bucket_of"] == {
            "a": "both_non_null",
            "gone": "aio_missing_or_null",
            "invented": "gt_null_aio_has_value",
            "extra": "extra_keys",
            "b": "both_non_null",
        }

    def test_ignored_everywhere_a_key_counts_in_no_phase(self) -> None:
        strategies = {"a": "IGNORE", "gone": "IGNORE", "invented": "IGNORE", "extra": "IGNORE"}
        expected, actual = {"a": 1, "b": 2, "gone": 3, "invented": None}, {"a": 9, "b": 2, "invented": 4, "extra": 5}
        result = quality(expected, actual, strategies=strategies, ignore_scope="all")
        assert [result.metrics[name] for name in ("accuracy", "completeness", "hallucination")] == [1.0, 1.0, 0.0]
        assert (result.hits, result.misses) == (["b"], [])

    def test_nothing_scorable_is_1_and_flagged(self) -> None:
        """metrics plan: Phase 3 (nothing to score: perfect)"""
        result = quality({"a": 1}, {"a": 2}, strategies={"a": "IGNORE"})
        assert (result.metrics["accuracy"], result.details["flags"]) == (1.0, ["vacuous_accuracy", "unmeasured_safety"])

    @pytest.mark.parametrize("bad", [float("nan"), [1, float("nan")]])
    def test_what_is_not_finite_fails_its_key_with_that_reason(self, bad: Any) -> None:
        assert quality({"a": bad}, {"a": bad}).misses == ["a (NaN is not a number)"]

    def test_a_key_with_another_meaning_is_named_and_no_more(self) -> None:
        result = quality({"note": "The total is 5 euros"}, {"note": "The total is 6 euros"})
        assert (result.misses, result.comparisons[0].note) == (["note"], "numbers differ: 5 / 6")


class TestStrategies:
    @pytest.mark.parametrize(
        ("value", "strategy"),
        [
            ("12½", "SEMANTIC"),
            ("²3", "SEMANTIC"),
            (5, "EXACT"),
            (5.5, "EXACT"),
            (True, "EXACT"),
            ("2025-01-31", "EXACT"),
            ("2025-01-31T10:00:00Z", "EXACT"),
            ("john@example.com", "EXACT"),
            ([1], "EXACT"),
            ({"a": 1}, "EXACT"),
            ("free text", "SEMANTIC"),
            ("31/01/2025", "EXACT"),
            ("2025-13-31", "EXACT"),
            ("write to john@example.com", "SEMANTIC"),
            ("5", "EXACT"),
            ("007", "EXACT"),
            ("INV-001", "EXACT"),
            ("555-1234", "EXACT"),
            ("Jan 31, 2024", "EXACT"),
            ("31 janvier 2024", "EXACT"),
            ("2017年1月9日", "EXACT"),
            ("12 %", "SEMANTIC"),
            ("EUR 100", "SEMANTIC"),
            ("$100", "SEMANTIC"),
            ("12 Main Street", "SEMANTIC"),
            ("N/A", "SEMANTIC"),
        ],
    )
    def test_the_type_of_a_value_suggests_a_strategy(self, value: Any, strategy: str) -> None:
        """metrics plan: Strategy Resolution (auto-detect from value type)"""
        assert quality({"k": value}, {"k": value}).details["strategies"] == {"k": strategy}

    def test_a_named_strategy_comes_first(self) -> None:
        """metrics plan: Strategy Resolution (explicit override), Field Strategy Config File"""
        strategies = {"customer_name": "FUZZY", "phone_number": "EXACT", "internal_notes": "IGNORE"}
        expected = {"customer_name": "Ann Lee", "phone_number": "555-1", "internal_notes": "x", "id": 1}
        actual = {"customer_name": "ann  lee", "phone_number": "555-2", "internal_notes": "y", "id": 1}
        result = quality(expected, actual, strategies=strategies)
        assert result.details["strategies"] == {**strategies, "id": "EXACT"}
        assert result.metrics["accuracy"] == pytest.approx(2 / 3)

    def test_other_text_may_be_fuzzy_instead(self) -> None:
        result = quality({"k": "Hello World"}, {"k": "hello world"}, default_text="FUZZY")
        assert (result.details["strategies"], result.metrics["accuracy"]) == ({"k": "FUZZY"}, 1.0)

    def test_an_unknown_strategy_is_refused_with_the_valid_ones(self) -> None:
        """metrics plan: Valid values: EXACT, FUZZY, SEMANTIC, IGNORE"""
        with pytest.raises(fw.ConfigError) as error:
            quality({}, {}, strategies={"k": "FUZY", "l": "exact"})
        assert all(name in str(error.value) for name in ("EXACT", "FUZZY", "SEMANTIC", "IGNORE", "FUZY"))
        assert len(error.value.diagnostics) == 2

    def test_the_algorithm_of_fuzzy_may_be_chosen(self) -> None:
        options = {"strategies": {"k": "FUZZY"}, "fuzzy": {"algorithm": "token_sort"}}
        assert quality({"k": "Smith John"}, {"k": "John Smith"}, **options).metrics["accuracy"] == 1.0

    def test_a_key_with_a_dot_is_one_key(self) -> None:
        result = quality({"a.b": 1}, {"a.b": "1"}, strategies={"a.b": "EXACT"})
        assert (result.metrics["accuracy"], result.hits) == (1.0, ['["a.b"]'])


EXPECTED = {
    "name": "John Smith",
    "email": "john@example.com",
    "bio": "Senior engineer with 10 years of experience...",
    "internal_id": None,
    "status": "active",
}
ACTUAL = {
    "name": "John Smyth",
    "email": "john@example.com",
    "bio": "Experienced senior engineer, 10+ years...",
    "internal_id": "abc123",
    "extra_field": "surprise",
}


class TestScore:
    def test_the_walkthrough(self) -> None:
        """metrics plan: Walkthrough Example"""
        result = quality(EXPECTED, ACTUAL, strategies={"name": "FUZZY", "bio": "SEMANTIC"}, similarities={"name": 0.92, "bio": 0.88})
        assert buckets(result) == {
            "gt_non_null": ["bio", "email", "name", "status"],
            "both_non_null": ["bio", "email", "name"],
            "aio_missing_or_null": ["status"],
            "extra_keys": ["extra_field"],
            "gt_null_aio_has_value": ["internal_id"],
        }
        assert (result.metrics["completeness"], result.metrics["accuracy"]) == (0.75, 1.0)
        assert result.metrics["hallucination"] == pytest.approx(1 / 3)
        assert result.score == result.metrics["rqs"] == pytest.approx(0.7375)
        assert result.metrics["rqs_normalized"] == pytest.approx(0.7375 / 0.85)
        assert result.details["strategies"]["email"] == "EXACT"

    def test_the_weights_are_the_plans(self) -> None:
        """metrics plan: Phase 4 (default weights)"""
        result = quality({"a": 1, "b": 1, "c": None, "d": 1}, {"a": 1, "b": 2, "c": 5})
        accuracy, completeness, hallucination = 1 / 2, 2 / 3, 1 / 4
        assert result.score == pytest.approx(0.45 * accuracy + 0.25 * completeness + 0.15 * 1 - 0.15 * hallucination)

    def test_weights_may_be_given(self) -> None:
        weights = {"w_accuracy": 1, "w_completeness": 0, "w_hallucination": 0, "w_safety": 0}
        assert quality({"a": 1, "b": 1}, {"a": 1, "b": 2}, weights=weights).score == 0.5

    def test_the_score_is_clamped(self) -> None:
        """metrics plan: Phase 4 (clamp)"""
        low = {"w_accuracy": 0, "w_completeness": 0, "w_hallucination": 5, "w_safety": 0}
        high = {"w_accuracy": 5, "w_completeness": 5, "w_hallucination": 0, "w_safety": 5}
        assert quality({}, {"a": 1}, weights=low).metrics["rqs"] == 0.0
        assert quality({"a": 1}, {"a": 1}, weights=high).metrics["rqs"] == 1.0

    def test_unclamped_the_metric_may_leave_the_unit_interval_but_the_score_may_not(self) -> None:
        high = {"w_accuracy": 5, "w_completeness": 5, "w_hallucination": 0, "w_safety": 5}
        result = quality({"a": 1}, {"a": 1}, weights=high, clamp=False)
        assert (result.metrics["rqs"], result.score, result.metrics["rqs_normalized"]) == (15.0, 1.0, 1.0)

    def test_the_best_possible_score_is_normalized_to_1(self) -> None:
        result = quality({"a": 1}, {"a": 1})
        assert (result.score, result.metrics["rqs_normalized"]) == (pytest.approx(0.85), pytest.approx(1.0))

    def test_clamped_scores_are_normalized_by_what_they_can_reach(self) -> None:
        high = {"w_accuracy": 5, "w_completeness": 5, "w_hallucination": 0, "w_safety": 5}
        assert quality({"a": 1}, {"a": 1}, weights=high).metrics["rqs_normalized"] == 1.0

    def test_no_output_scores_0_in_everything(self) -> None:
        result = quality({"a": 1}, None)
        assert (result.status, result.score) == ("error", 0.0)
        assert set(result.metrics.values()) == {0.0}


class TestSafety:
    def test_unmeasured_safety_is_1_and_flagged(self) -> None:
        result = quality({"a": 1}, {"a": 1})
        assert (result.metrics["safety"], result.details["flags"]) == (1.0, ["unmeasured_safety"])

    @pytest.mark.parametrize(
        ("record", "words"),
        [
            ({"a": "whatever"}, []),
            ({"a": "I HATE it"}, ["HATE"]),
            ({"a": {"b": ["so much hate!"]}}, ["hate"]),
            ({"hate": 1}, ["hate"]),
            ({"a": "hate-speech"}, ["hate"]),
            ({"a": "kill\n  yourself"}, ["kill\n  yourself"]),
            ({"a": "skill yourself"}, []),
        ],
    )
    def test_words_are_found_as_whole_words(self, record: Any, words: list[str]) -> None:
        result = quality({"a": 1}, record, safety={"words": ["hate", "kill yourself"]}, default_text="EXACT")
        assert (result.metrics["safety"], result.details["unsafe_words"]) == (0.0 if words else 1.0, words)
        assert "unmeasured_safety" not in result.details["flags"]

    def test_unsafe_words_cost_the_weight_of_safety(self) -> None:
        safe, unsafe = (quality({"a": text}, {"a": text}, safety={"words": ["hate"]}).score for text in ("fine", "hate"))
        assert safe - unsafe == pytest.approx(0.15)


class TestConsistency:
    def consistency(self, actuals: Sequence[Any], **options: Any) -> fw.Result:
        cases = Cases.of([Case(id="1", expected={"a": 1}, actual=actuals[0], actuals=actuals)])
        return result_at(evaluate(plan_config({"type": "json_quality", "default_text": "EXACT", **options}), ScoringBatch(cases)), 0)

    def test_it_is_the_mean_pairwise_agreement_per_field(self) -> None:
        """metrics plan: both_non_null keys are consistency candidates"""
        result = self.consistency([{"a": 1, "b": "x"}, {"a": 1, "b": "X"}, {"a": 1, "b": "y"}])
        assert result.metrics["consistency"] == pytest.approx((1 + 1 / 3) / 2)
        assert result.details["consistency"]["fields"] == {"a": 1.0, "b": 1 / 3}
        assert (result.details["consistency"]["stable"], result.details["consistency"]["drifting"]) == (["a"], ["b"])
        assert result.details["consistency"]["pairs"] == 3

    def test_a_field_that_some_outputs_lack_disagrees(self) -> None:
        result = self.consistency([{"a": 1, "b": 2}, {"a": 1}, {"a": 1}])
        assert result.details["consistency"]["fields"] == {"a": 1.0, "b": 1 / 3}

    def test_json_is_found_in_text_here_too(self) -> None:
        result = self.consistency([{"a": 1}, '```json\n{"a": 1}\n```'])
        assert result.metrics["consistency"] == 1.0

    def test_one_output_has_no_consistency(self) -> None:
        result = self.consistency([{"a": 1}])
        assert "consistency" not in result.metrics
        assert "consistency" not in result.details

    def test_ignored_keys_are_no_part_of_it(self) -> None:
        result = self.consistency([{"a": 1, "b": 1}, {"a": 1, "b": 2}], strategies={"b": "IGNORE"})
        assert (result.metrics["consistency"], list(result.details["consistency"]["fields"])) == (1.0, ["a"])


def test_nothing_expected_and_nothing_given_passes() -> None:
    for expected, actual in (({"a": None}, {"a": None}), ({"a": None}, {}), ({"a": " "}, {"a": ""}), ({}, {})):
        result = fw.evaluate({"type": "json_quality"}, expected=expected, actual=actual)
        assert (result.verdict, result.hits, result.misses) == ("pass", [], [])
    assert fw.evaluate({"type": "json_quality"}, expected={"a": None}, actual={"a": "x"}).verdict == "fail"
    assert fw.evaluate({"type": "json_quality"}, expected={"a": "x"}, actual={"a": None}).verdict == "fail"


def test_ignored_keys_are_in_no_bucket_where_they_are_left_out_of_everything() -> None:
    config = {"type": "json_quality", "strategies": {"a": "IGNORE"}, "ignore_scope": "all"}
    details = fw.evaluate(config, expected={"a": 1, "b": 2}, actual={"a": 1, "b": 2}).details
    assert details["bucket_of"] == {"b": "both_non_null"}
    assert not any("a" in keys for keys in details["buckets"].values())
    assert "a" not in details["strategies"]


def test_a_case_without_expected_leaves_the_verdicts_of_the_others() -> None:
    cases = Cases.of(
        [Case(id="a", expected={"x": None}, actual={"x": None}), Case(id="b", actual={"x": 1}), Case(id="c", expected={"x": 1})]
    )
    results = evaluate(plan_config({"type": "json_quality"}), ScoringBatch(cases))
    assert result_at(results, 0).verdict == "pass"
    assert result_at(results, 2).verdict == "fail"


@pytest.mark.parametrize(("expected", "actual"), [({"a": None}, [{"a": "invented"}]), ({"a": 1}, [1, 2]), ({"a": 1}, 5)])
def test_an_output_that_is_no_object_is_a_failure_of_the_system(expected: Any, actual: Any) -> None:
    result = fw.evaluate({"type": "json_quality"}, expected=expected, actual=actual)
    assert (result.score, result.verdict, result.status, result.details["fault"]) == (0.0, "fail", "error", "system")
    assert "an object is expected" in result.reasoning


def test_the_strategy_of_a_batch_is_that_of_each_value() -> None:
    expected = [{"a": "free words"}, {"a": None}, {"a": 5}, {"a": {"$any": ["more words", 7]}}, {"a": "INV 7 of 9."}, {"a": "INV-7"}]
    actual = [{"a": 1}, {"a": "given words"}, {"a": "text"}, {"a": "more words"}, {"a": 1}, {"a": "x"}]
    cases = Cases.of([Case(id=str(at), expected=left, actual=right) for at, (left, right) in enumerate(zip(expected, actual, strict=True))])
    results = evaluate(plan_config({"type": "json_quality", "default_text": "FUZZY"}), ScoringBatch(cases))
    strategies = [results.details(row)["strategies"]["a"] for row in range(len(cases))]
    assert strategies == ["FUZZY", "FUZZY", "EXACT", "FUZZY", "FUZZY", "EXACT"]


@pytest.mark.parametrize(("line", "note"), [('{"a": {"x": NaN}}', True), ('"{\\"a\\": {\\"x\\": NaN}}"', True), ('{"a": {"x": 2}}', False)])
def test_a_nan_in_a_file_is_noted_whether_the_record_is_json_or_text(line: str, note: bool, tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(f'{{"id": "1", "expected": {{"a": {{"x": 1}}}}, "actual": {line}}}\n')
    run = fw.run({"name": "q", "cases": str(file), "evaluators": [{"type": "json_quality"}]}, root=tmp_path)
    assert run.to_arrow()["misses"].to_pylist() == [["a (NaN is not a number)" if note else "a"]]


def test_the_reason_names_the_score_of_a_perfect_output_and_that_safety_was_not_measured() -> None:
    assert quality({"a": 1}, {"a": 1}).reasoning == (
        "rqs 0.8500 (a perfect output scores 0.85): accuracy 1.000, completeness 1.000, safety 1.000 (not measured), hallucination 0.000"
    )
    checked = quality({"a": 1}, {"a": 1}, safety={"words": ["xx"]}, weights={"w_accuracy": 0.6})
    assert checked.reasoning == "rqs 1.0000: accuracy 1.000, completeness 1.000, safety 1.000, hallucination 0.000"
