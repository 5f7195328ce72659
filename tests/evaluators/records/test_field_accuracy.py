"""Field accuracy: the scenarios of the structured-data spec, the formulas of the evaluator design, the rules of paths and values."""

import math
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.model.case import Case, Cases
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.values import MISSING
from fieldwise.plan.evaluators import plan_config
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.evaluate import evaluate, result_at


def score(expected: Any, actual: Any, *fields: Any, **options: Any) -> fw.Result:
    return fw.evaluate({"type": "field_accuracy", "fields": list(fields), **options}, expected=expected, actual=actual)


def field(expected: Any, actual: Any, **rule: Any) -> fw.Result:
    """One field, `a`, by one rule."""
    return score({"a": expected}, {"a": actual}, {"path": "a", **rule})


class TestExactMatching:
    def test_exact_string_match_succeeds(self) -> None:
        """structured-data spec: Exact string match succeeds"""
        rule = {"path": "invoice.number", "match": "exact"}
        result = score({"invoice": {"number": "INV-001"}}, {"invoice": {"number": "INV-001"}}, rule)
        assert (result.score, result.hits, result.misses) == (1.0, ["invoice.number"], [])

    def test_exact_match_fails_on_mismatch(self) -> None:
        """structured-data spec: Exact match fails on mismatch"""
        rule = {"path": "invoice.number", "match": "exact"}
        result = score({"invoice": {"number": "INV-002"}}, {"invoice": {"number": "INV-001"}}, rule)
        assert (result.score, result.hits, result.misses) == (0.0, [], ["invoice.number"])

    def test_a_missing_field_is_a_miss(self) -> None:
        """structured-data spec: Handle missing fields"""
        result = score({"invoice": {"number": "INV-001"}}, {"invoice": {}}, {"path": "invoice.number", "required": True})
        assert (result.score, result.misses) == (0.0, ["invoice.number (required, missing)"])

    @pytest.mark.parametrize(
        ("expected", "actual", "same"),
        [
            (100, 100.0, True),
            (True, 1, False),
            (False, 0, False),
            (2**53 + 1, 2**53, False),
            (2**53 + 1, 2**53 + 1, True),
            (10**400, 10**400 + 1, False),
            ("a", "A", False),
            ("caf\u00e9", "cafe\u0301", True),
            ("", "", True),
            ([1, 2], [2, 1], False),
            ({"x": 1, "y": [True]}, {"y": [True], "x": 1.0}, True),
            ([1], [True], False),
            ({"x": 1}, {"x": 1, "y": None}, False),
            ([], [], True),
            ([], {}, False),
        ],
    )
    def test_exact_is_equal_in_kind_and_value(self, expected: Any, actual: Any, same: bool) -> None:
        assert field(expected, actual).score == float(same)

    @pytest.mark.parametrize("rule", [{}, {"match": "numeric_tolerance", "tolerance": 5}, {"match": "fuzzy"}])
    @pytest.mark.parametrize(("number", "name"), [(math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity")])
    def test_nan_and_infinity_fail_with_that_reason(self, number: float, name: str, rule: dict[str, Any]) -> None:
        """evaluator design: `Infinity` or `NaN` values always fail with a clear error message"""
        for expected, actual in ((number, number), (1.0, number), (number, 1.0), ([number], [number])):
            result = field(expected, actual, **rule)
            assert result.score == 0.0
            assert result.misses == [f"a ({name} is not a number)"]


class TestNumericTolerance:
    def test_absolute_tolerance_succeeds_within_threshold(self) -> None:
        """structured-data spec: Absolute tolerance succeeds within threshold"""
        assert field(100.00, 100.02, match="numeric_tolerance", tolerance=0.05, relative=False).score == 1.0

    def test_relative_tolerance_succeeds_within_percentage(self) -> None:
        """structured-data spec: Relative tolerance succeeds within percentage"""
        assert field(100.00, 101.00, match="numeric_tolerance", tolerance=0.02, relative=True).score == 1.0

    def test_numeric_tolerance_fails_outside_threshold(self) -> None:
        """structured-data spec: Numeric tolerance fails outside threshold"""
        result = field(100.00, 105.00, match="numeric_tolerance", tolerance=1.0)
        assert (result.score, result.misses) == (0.0, ["a"])

    @pytest.mark.parametrize(
        ("expected", "actual", "tolerance", "relative", "within"),
        [
            (0, 0.01, 0.02, True, True),
            (0, 0.03, 0.02, True, False),
            (-100, -101, 0.01, True, True),
            (-100, -102, 0.01, True, False),
            (1.0, 1.1, 0.1, False, True),
            (1_000_000_000.00, 1_000_000_000.99, 0.01, False, False),
            (5, 5, 0, False, True),
            (2**53, 2**53 + 1, 0, False, False),
            (0, 0, 0, True, True),
        ],
    )
    def test_numeric_tolerance_edge_cases(self, expected: float, actual: float, tolerance: float, relative: bool, within: bool) -> None:
        """evaluator design: Numeric Tolerance Comparison (0 expected is absolute; tolerances are inclusive)"""
        assert field(expected, actual, match="numeric_tolerance", tolerance=tolerance, relative=relative).score == float(within)

    def test_null_is_a_missing_value_and_not_0(self) -> None:
        """evaluator design: `null` or `undefined` are treated as a missing value, not 0"""
        rule = {"path": "a", "match": "numeric_tolerance", "tolerance": 1}
        assert score({"a": 0}, {"a": None}, rule).misses == ["a (null value)"]
        assert score({"a": 0}, {"b": 1}, rule).misses == ["a (required, missing)"]

    def test_text_is_a_type_mismatch_unless_it_may_be_parsed(self) -> None:
        assert field(100, "100", match="numeric_tolerance", tolerance=1).misses == ["a (type mismatch)"]
        assert field(100, "$100.50", match="numeric_tolerance", tolerance=1, parse=True).score == 1.0


class TestFuzzyMatching:
    def test_fuzzy_match_succeeds_above_threshold(self) -> None:
        """structured-data spec: Fuzzy match succeeds above threshold"""
        assert field("ACME CORP", "Acme Corp", match="fuzzy", algorithm="levenshtein", threshold=0.80).score == 1.0
        result = field("Acme Corp", "Acme Corp.", match="fuzzy", algorithm="levenshtein", threshold=0.80)
        assert result.score == pytest.approx(0.9)
        assert (result.hits, result.verdict, result.comparisons[0].outcome) == (["a"], "pass", "match")

    def test_fuzzy_match_with_jaro_winkler_for_prefix_similarity(self) -> None:
        """structured-data spec: Fuzzy match with Jaro-Winkler for prefix similarity"""
        result = field("Microsoft Corporation", "Microsoft Corp", match="fuzzy", algorithm="jaro_winkler", threshold=0.85)
        assert result.hits == ["a"]
        assert result.score == pytest.approx(1 - (1 - (1 + 14 / 21 + 1) / 3) * 0.6)

    def test_fuzzy_match_fails_below_threshold(self) -> None:
        """structured-data spec: Fuzzy match fails below threshold"""
        result = field("Acme Corp", "XYZ Inc", match="fuzzy", threshold=0.80)
        assert (result.misses, result.hits, result.verdict) == (["a"], [], "fail")
        assert 0.0 < result.score < 0.2

    def test_the_threshold_is_inclusive_and_defaults_to_85(self) -> None:
        """structured-data spec: Require threshold for fuzzy matching (the default is 0.85)"""
        assert field("a" * 20, "a" * 17 + "bbb", match="fuzzy").hits == ["a"]
        assert field("a" * 20, "a" * 16 + "bbbb", match="fuzzy").misses == ["a"]

    def test_a_failed_fuzzy_field_still_contributes_its_similarity(self) -> None:
        result = score({"a": "abcd", "b": 1}, {"a": "abxx", "b": 1}, {"path": "a", "match": "fuzzy"}, "b")
        assert (result.score, result.misses, result.verdict) == (0.75, ["a"], "partial")


class TestPaths:
    def test_nested_object_field_access(self) -> None:
        """structured-data spec: Nested object field access"""
        data = {"invoice": {"vendor": {"address": {"city": "Seattle"}}}}
        result = score(data, data, "invoice.vendor.address.city")
        assert (result.hits, result.comparisons[0].actual) == (["invoice.vendor.address.city"], "Seattle")

    def test_array_index_access_in_path(self) -> None:
        """structured-data spec: Array index access in path"""
        data = {"invoice": {"line_items": [{"amount": 50.00}, {"amount": 75.00}]}}
        result = score(data, data, "invoice.line_items[0].amount")
        assert (result.hits, result.comparisons[0].actual) == (["invoice.line_items[0].amount"], 50.00)

    def test_an_invalid_path_is_undefined_and_a_miss_where_required(self) -> None:
        """structured-data spec: Invalid path returns undefined"""
        expected = {"invoice": {"total": 100, "vendor": {"name": "Acme"}}}
        result = score(expected, {"invoice": {"total": 100}}, {"path": "invoice.vendor.name", "required": True})
        assert (result.misses, result.comparisons[0].actual_presence) == (["invoice.vendor.name (required, missing)"], "missing")

    def test_a_malformed_path_is_a_miss_without_an_error(self) -> None:
        """structured-data spec: Malformed field path"""
        result = score({"invoice": {"total": 1}}, {"invoice": {"total": 1}}, "invoice..total", "invoice.total")
        assert (result.score, result.hits, result.misses) == (0.5, ["invoice.total"], ["invoice..total (malformed path)"])
        assert result.status == "scored"

    def test_a_malformed_path_is_a_miss_though_its_field_is_optional(self) -> None:
        result = score({"a": 1}, {"a": 1}, {"path": "b..c", "required": False}, "a")
        assert (result.score, result.misses) == (0.5, ["b..c (malformed path)"])

    @pytest.mark.parametrize("path", [".a", "a.", "..a", "[", "a[x]"])
    def test_a_malformed_path_is_named_as_it_was_written(self, path: str) -> None:
        assert score({"a": 1}, {"a": 1}, path).misses == [f"{path} (malformed path)"]

    @pytest.mark.parametrize("path", ["items[0].amount", "items.0.amount", 'items[0]["amount"]', '["items"][0].amount'])
    def test_ways_to_write_an_index(self, path: str) -> None:
        result = score({"items": [{"amount": 5}]}, {"items": [{"amount": 5}]}, path)
        assert (result.score, result.hits) == (1.0, ["items[0].amount"])

    @pytest.mark.parametrize(
        ("path", "record", "shown"),
        [
            ("items[-1]", {"items": [1, 2, 3]}, "items[-1]"),
            ('["odd.key"]', {"odd.key": 3}, '["odd.key"]'),
            ('a["x y"].b', {"a": {"x y": {"b": 3}}}, "a.x y.b"),
            ("[0].a", [{"a": 3}], "[0].a"),
            ("[*]", [3, 3], "[0]"),
            ("a.0", {"a": {"0": 3}}, "a[0]"),
            ("a.007", {"a": {"007": 3}}, 'a["007"]'),
            ("a[*].b[*]", {"a": [{"b": [3]}]}, "a[0].b[0]"),
        ],
    )
    def test_paths_lead_to_values(self, path: str, record: Any, shown: str) -> None:
        result = score(record, record, path)
        assert (result.score, result.hits[0], result.comparisons[0].actual) == (1.0, shown, 3)

    def test_the_last_item_is_the_last_of_each_side(self) -> None:
        assert score({"a": [1, 9]}, {"a": [1, 2, 9]}, "a[-1]").hits == ["a[-1]"]
        assert score({"a": [1]}, {"a": []}, "a[-1]").misses == ["a[-1] (required, missing)"]


class TestAggregation:
    def test_weighted_average_aggregation(self) -> None:
        """structured-data spec: Weighted average aggregation"""
        fields = [{"path": "a", "weight": 1.0}, {"path": "b", "weight": 0.5}, {"path": "c", "weight": 0.8}]
        result = score({"a": 1, "b": 1, "c": 1}, {"a": 1, "b": 2, "c": 1}, *fields, aggregation="weighted_average")
        assert result.score == pytest.approx(1.8 / 2.3)
        assert [(part["field"], part["score"], part["weight"]) for part in result.details["fields"]] == [
            ("a", 1.0, 1.0),
            ("b", 0.0, 0.5),
            ("c", 1.0, 0.8),
        ]

    @pytest.mark.parametrize(("actual", "score_"), [({"a": 1, "b": 1, "c": 2}, 0.0), ({"a": 1, "b": 1, "c": 1}, 1.0)])
    def test_all_or_nothing_aggregation(self, actual: Any, score_: float) -> None:
        """structured-data spec: All-or-nothing aggregation; All-or-nothing passes when all fields match"""
        assert score({"a": 1, "b": 1, "c": 1}, actual, "a", "b", "c", aggregation="all_or_nothing").score == score_

    def test_a_fuzzy_pass_counts_as_passed_in_all_or_nothing(self) -> None:
        rule = {"path": "a", "match": "fuzzy", "threshold": 0.8}
        assert score({"a": "abcde"}, {"a": "abcdx"}, rule, aggregation="all_or_nothing").score == 1.0
        assert score({"a": "abcde"}, {"a": "abxxx"}, rule, aggregation="all_or_nothing").score == 0.0

    def test_all_weights_0_is_score_0(self) -> None:
        """evaluator design: Aggregation Strategies (a total weight of 0 is 0)"""
        result = score({"a": 1}, {"a": 1}, {"path": "a", "weight": 0})
        assert (result.score, result.status, result.verdict) == (0.0, "scored", "fail")

    def test_a_weight_of_0_leaves_the_score_to_the_others(self) -> None:
        result = score({"a": 1, "b": 1}, {"a": 2, "b": 1}, {"path": "a", "weight": 0}, "b")
        assert (result.score, result.misses) == (1.0, ["a"])

    def test_the_migration_example_scores_half_and_half(self) -> None:
        """evaluator design: Migration Path for Existing Users"""
        fields = [
            {"path": "invoice.number", "match": "exact", "weight": 0.5},
            {"path": "invoice.total", "match": "numeric_tolerance", "tolerance": 0.01, "weight": 0.5},
        ]
        expected = {"invoice": {"number": "INV-1", "total": 10.00}}
        assert score(expected, {"invoice": {"number": "INV-1", "total": 11}}, *fields, aggregation="weighted_average").score == 0.5

    def test_no_scored_field_is_skipped(self) -> None:
        result = score({"a": 1}, {"a": 1}, "b")
        assert (result.status, result.score, result.verdict, result.reasoning) == ("skipped", 0.0, None, "no field to score")

    def test_an_ignored_field_counts_for_nothing(self) -> None:
        for actual in ({"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 1}):
            result = score({"a": 1, "b": 1}, actual, "a", {"path": "b", "match": "ignore", "weight": 5})
            assert (result.score, result.hits, result.misses) == (1.0, ["a"], [])
            assert result.comparisons[1].outcome == "ignored"
        assert score({"b": 1}, {"b": 1}, {"path": "b", "match": "ignore"}).status == "skipped"


class TestResults:
    def test_structured_result_for_mixed_match(self) -> None:
        """structured-data spec: Structured result for mixed match"""
        expected = {"invoice": {"number": "1", "date": "2025-01-01", "vendor": "Acme", "total": 5}}
        actual = {"invoice": {**expected["invoice"], "total": 6}}
        result = score(expected, actual, "invoice.number", "invoice.date", "invoice.vendor", "invoice.total")
        assert (result.score, result.verdict) == (0.75, "partial")
        assert result.hits == ["invoice.number", "invoice.date", "invoice.vendor"]
        assert (result.misses, result.reasoning) == (["invoice.total"], "3/4 fields matched")
        assert (result.metrics["fields_matched"], result.metrics["fields_scored"]) == (3, 4)
        assert type(result.metrics["fields_matched"]) is int

    def test_perfect_match_result(self) -> None:
        """structured-data spec: Perfect match result"""
        result = score({"a": 1, "b": 2}, {"a": 1, "b": 2}, "a", "b")
        assert (result.score, result.verdict, result.hits, result.misses) == (1.0, "pass", ["a", "b"], [])

    @pytest.mark.parametrize(
        ("pass_at", "matched", "verdict"),
        [
            (None, 0, "fail"),
            (None, 2, "partial"),
            (None, 4, "pass"),
            (0.5, 1, "fail"),
            (0.5, 2, "pass"),
            (0.75, 3, "pass"),
            (0.76, 3, "fail"),
            (0, 0, "pass"),
            (1, 4, "pass"),
            (1, 3, "fail"),
        ],
    )
    def test_verdicts(self, pass_at: float | None, matched: int, verdict: str) -> None:
        expected = dict.fromkeys("abcd", 1)
        actual = {key: 1 if at < matched else 2 for at, key in enumerate("abcd")}
        options = {} if pass_at is None else {"pass_at": pass_at}
        assert score(expected, actual, *"abcd", **options).verdict == verdict

    def test_pass_at_forgives_binary_rounding(self) -> None:
        fields = [{"path": key, "weight": 0.1} for key in "abcdefghij"]
        expected = dict.fromkeys("abcdefghij", 1)
        assert score(expected, {**expected, "j": 2}, *fields, pass_at=0.9).verdict == "pass"

    def test_threshold_means_pass_at_here(self) -> None:
        assert score({"a": 1, "b": 1}, {"a": 1, "b": 2}, "a", "b", threshold=0.5).verdict == "pass"

    def test_only_hits_of_no_worth_are_a_fail(self) -> None:
        assert score({"a": 1, "b": 1}, {"a": 1, "b": 2}, {"path": "a", "weight": 0}, "b").verdict == "fail"


class TestConfiguration:
    def test_an_invalid_match_type_is_refused_with_the_valid_ones(self) -> None:
        """structured-data spec: Reject invalid match type"""
        with pytest.raises(fw.ConfigError, match=r"Invalid match type: invalid_type \(valid: exact, fuzzy, numeric_tolerance"):
            score({}, {}, {"path": "a", "match": "invalid_type"})

    def test_a_tolerance_that_is_no_number_is_refused(self) -> None:
        """structured-data spec: Reject non-numeric tolerance values"""
        with pytest.raises(fw.ConfigError, match="tolerance"):
            score({}, {}, {"path": "a", "match": "numeric_tolerance", "tolerance": "not a number"})

    def test_jsonpath_is_refused_with_what_to_write(self) -> None:
        with pytest.raises(fw.ConfigError, match="write `a`"):
            score({}, {}, "$.a")


class TestEdgeCases:
    def test_null_extracted_value_against_a_value(self) -> None:
        """structured-data spec: Null extracted value vs non-null expected"""
        result = score({"invoice": {"total": 100}}, {"invoice": {"total": None}}, "invoice.total")
        assert (result.score, result.misses) == (0.0, ["invoice.total (null value)"])

    def test_type_mismatch_of_string_and_number(self) -> None:
        """structured-data spec: Type mismatch (string vs number)"""
        result = score({"invoice": {"total": 100}}, {"invoice": {"total": "100"}}, {"path": "invoice.total", "match": "exact"})
        assert (result.score, result.misses) == (0.0, ["invoice.total (type mismatch)"])
        assert result.comparisons[0].outcome == "format_error"

    def test_an_optional_field_that_is_missing_does_not_affect_the_score(self) -> None:
        """structured-data spec: Optional field missing does not affect score"""
        fields = [{"path": "invoice.number", "required": True}, {"path": "invoice.notes", "required": False}]
        expected = {"invoice": {"number": "INV-001", "notes": "Rush order"}}
        for actual in ({"invoice": {"number": "INV-001"}}, {"invoice": {"number": "INV-001", "notes": None}}):
            result = score(expected, actual, *fields)
            assert (result.score, result.hits, result.misses) == (1.0, ["invoice.number"], [])

    def test_an_optional_field_that_is_there_counts(self) -> None:
        fields = ["a", {"path": "b", "required": False}]
        assert score({"a": 1, "b": 1}, {"a": 1, "b": 2}, *fields).misses == ["b"]

    def test_a_required_field_that_is_missing_fails(self) -> None:
        """structured-data spec: Required field missing fails evaluation"""
        result = score({"invoice": {"number": 1, "b": 2}}, {"invoice": {"b": 2}}, {"path": "invoice.number", "required": True}, "invoice.b")
        assert (result.score, result.misses) == (0.5, ["invoice.number (required, missing)"])

    def test_an_evaluator_never_raises_but_says_what_it_could_not_compare(self) -> None:
        """evaluator design: Error Handling Philosophy"""
        result = score({"a": 1}, {"a": {"b": object()}}, "a", "a.b")
        assert (result.score, result.status, result.details["fault"]) == (0.0, "error", "system")
        assert "of the type `object`" in result.reasoning


HIT, UNSCORED = "hit", "unscored"
NULL, VALUE = None, 5
MATRIX = [
    # expected, actual, then what becomes of the field with `required` unset, true and false
    (VALUE, VALUE, HIT, HIT, HIT),
    (VALUE, NULL, "(null value)", "(null value)", UNSCORED),
    (VALUE, MISSING, "(required, missing)", "(required, missing)", UNSCORED),
    (NULL, VALUE, "(unexpected value)", "(unexpected value)", "(unexpected value)"),
    (NULL, NULL, HIT, HIT, UNSCORED),
    (NULL, MISSING, HIT, "(required, missing)", UNSCORED),
    (MISSING, VALUE, "(unexpected value)", "(unexpected value)", "(unexpected value)"),
    (MISSING, [], UNSCORED, UNSCORED, UNSCORED),
    (MISSING, NULL, UNSCORED, UNSCORED, UNSCORED),
    (MISSING, MISSING, UNSCORED, "(required, missing)", UNSCORED),
]


class TestPresence:
    @pytest.mark.parametrize(("expected", "actual", "unset", "required", "optional"), MATRIX)
    def test_what_is_there_decides(self, expected: Any, actual: Any, unset: str, required: str, optional: str) -> None:
        records = [{"other": 1} if value is MISSING else {"other": 1, "a": value} for value in (expected, actual)]
        for said, outcome in (({}, unset), ({"required": True}, required), ({"required": False}, optional)):
            result = score(*records, {"path": "a", **said}, "other")
            assert (result.hits == ["a", "other"]) == (outcome == HIT)
            assert result.misses == ([] if outcome in (HIT, UNSCORED) else [f"a {outcome}"])
            assert result.metrics["fields_scored"] == (1 if outcome == UNSCORED else 2)

    @pytest.mark.parametrize(("expected", "actual", "unset", "required", "optional"), MATRIX)
    def test_it_decides_for_items_of_lists_too(self, expected: Any, actual: Any, unset: str, required: str, optional: str) -> None:
        records = [{"other": 1, "l": [{} if value is MISSING else {"a": value}]} for value in (expected, actual)]
        for said, outcome in (({}, unset), ({"required": True}, required), ({"required": False}, optional)):
            result = score(*records, {"path": "l[*].a", **said}, "other")
            assert (result.hits == ["l[0].a", "other"]) == (outcome == HIT)
            assert result.misses == ([] if outcome in (HIT, UNSCORED) else [f"l[0].a {outcome}"])

    def test_a_value_that_expected_lacks_is_a_hallucination(self) -> None:
        result = score({"b": 1}, {"a": 5, "b": 1}, "a", "b")
        assert (result.score, result.misses) == (0.5, ["a (unexpected value)"])
        assert [(comparison.path, comparison.outcome, comparison.actual) for comparison in result.comparisons] == [
            ("a", "hallucination", 5),
            ("b", "match", 1),
        ]

    @pytest.mark.parametrize("ignoring", [({"path": "a", "unexpected": "ignore"}, {}), ("a", {"unexpected": "ignore"})])
    def test_a_value_that_expected_lacks_can_be_ignored(self, ignoring: Any) -> None:
        rule, options = ignoring
        config = {"type": "field_accuracy", "fields": [rule, "b"], **options}
        result = fw.evaluate(config, expected={"b": 1}, actual={"a": 5, "b": 1})
        assert (result.score, result.misses, result.metrics["fields_scored"]) == (1.0, [], 1)
        assert [comparison.outcome for comparison in result.comparisons] == ["ignored", "match"]
        null = fw.evaluate(config, expected={"a": None, "b": 1}, actual={"a": 5, "b": 1})
        assert null.misses == ["a (unexpected value)"]

    def test_a_rule_takes_precedence_over_the_evaluator(self) -> None:
        rules = [{"path": "a", "unexpected": "miss"}, {"path": "c"}, "b"]
        config = {"type": "field_accuracy", "fields": rules, "unexpected": "ignore"}
        assert fw.evaluate(config, expected={"b": 1}, actual={"a": 5, "b": 1, "c": 2}).misses == ["a (unexpected value)"]

    def test_below_null_everything_is_null(self) -> None:
        assert score({"a": {"b": 1}}, {"a": None}, "a.b").misses == ["a.b (null value)"]
        assert score({"a": None}, {"a": {"b": 1}}, "a.b").misses == ["a.b (unexpected value)"]
        assert score({"a": None}, {"a": None}, "a.b").hits == ["a.b"]

    def test_below_a_scalar_nothing_is_there(self) -> None:
        assert score({"a": {"b": 1}}, {"a": "text"}, "a.b").misses == ["a.b (required, missing)"]
        assert score({"a": {"b": 1}}, {"a": [{"b": 1}]}, "a.b").misses == ["a.b (required, missing)"]


class TestJsonInText:
    @pytest.mark.parametrize(
        ("text", "repairs"),
        [
            ('{"a": 1}', None),
            ('```json\n{"a": 1}\n```', ["actual: code fence removed"]),
            ('The record is {"a": 1}, as asked.', ["actual: text around the JSON removed"]),
            ('{"a": 1,}', ["actual: trailing comma removed"]),
        ],
    )
    def test_json_is_found_in_text_and_what_was_needed_is_recorded(self, text: str, repairs: list[str] | None) -> None:
        result = score({"a": 1}, text, "a")
        assert (result.score, result.details.get("repairs")) == (1.0, repairs)

    def test_on_the_expected_side_too(self) -> None:
        result = score('```\n{"a": 1}\n```', '{"a": 1,}', "a")
        assert (result.score, result.details["repairs"]) == (1.0, ["expected: code fence removed", "actual: trailing comma removed"])


class TestFailures:
    @pytest.mark.parametrize("actual", [None, MISSING, "no JSON in here", "", '{"a": 1, "a": 2}', '{"a": '])
    def test_an_output_that_is_not_there_or_not_readable_is_the_systems_failure(self, actual: Any) -> None:
        result = score({"a": 1, "b": 2, "c": None}, actual, "a", "b", "c")
        assert (result.status, result.score, result.verdict, result.hits) == ("error", 0.0, "fail", [])
        assert result.details["fault"] == "system"
        assert [miss.split(" ")[0] for miss in result.misses] == ["a", "b"]
        assert [comparison.outcome for comparison in result.comparisons[:2]] == ["omission", "omission"]
        assert (result.metrics["fields_matched"], result.metrics["fields_scored"]) == (0, 3)
        assert result.reasoning == result.details["reason"]

    def test_expected_data_that_cannot_be_read_is_a_fault_of_ours(self) -> None:
        result = score("no JSON", {"a": 1}, "a")
        assert (result.status, result.score, result.verdict, result.details["fault"]) == ("error", 0.0, "fail", "ours")
        assert result.misses == ["(evaluation error: the expected data cannot be read: the text holds no JSON object or list)"]

    def test_nothing_expected_is_skipped(self) -> None:
        for nothing in (None, MISSING):
            assert score(nothing, {"a": 1}, "a").status == "skipped"

    @pytest.mark.parametrize(
        ("code", "fault"), [("unreadable-actual", "system"), ("unreadable-expected", "ours"), ("unreadable-case", "ours")]
    )
    def test_what_could_not_be_read_from_a_file_is_told_apart(self, code: str, fault: str) -> None:
        cases = Cases.of([Case(id="1", expected={"a": 1}, actual=MISSING if fault == "system" else {"a": 1})])
        cases.diagnostics[0] = [Diagnostic(code=code, what="line 7 is cut off")]
        evaluated = evaluate(plan_config({"type": "field_accuracy", "fields": ["a"]}), ScoringBatch(cases))
        result = result_at(evaluated, 0)
        assert (result.status, result.details["fault"], result.reasoning) == ("error", fault, "line 7 is cut off")


def test_a_value_with_another_meaning_is_the_bare_path_and_its_comparison_says_why() -> None:
    result = fw.evaluate(
        {"type": "field_accuracy", "fields": [{"path": "note", "match": "semantic"}]},
        expected={"note": "The total is 5 euros"},
        actual={"note": "The total is 6 euros"},
    )
    assert (result.misses, result.comparisons[0].note) == (["note"], "numbers differ: 5 / 6")


@pytest.mark.parametrize(
    ("match", "expected", "actual", "miss"),
    [
        ("money", "EUR 5", "USD 5", "v"),
        ("quantity", "5 kg", "5 km", "v"),
        ("date", "2024-01-01", "2024-01-02", "v"),
        ("date", "2024-01-01", "soon", 'v (not a date: "soon")'),
        ("date", "soon", "2024-01-01", 'v (not a date: "soon")'),
        ("money", "EUR 5", "soon", 'v (not an amount: "soon")'),
    ],
)
def test_a_wrong_value_is_the_bare_path_and_an_unreadable_one_has_its_reason(match: str, expected: str, actual: str, miss: str) -> None:
    config = {"type": "field_accuracy", "fields": [{"path": "v", "match": match}]}
    assert fw.evaluate(config, expected={"v": expected}, actual={"v": actual}).misses == [miss]


@pytest.mark.parametrize(
    ("expected", "actual", "score", "misses"),
    [
        ({"a": ""}, {}, 1.0, []),
        ({"a": " "}, {"a": None}, 1.0, []),
        ({"a": None}, {"a": "n/a"}, 1.0, []),
        ({"a": "N/A"}, {"a": ""}, 1.0, []),
        ({}, {"a": ""}, 1.0, []),
        ({"a": "5"}, {"a": " N/A "}, 0.5, ["a (null value)"]),
        ({"a": ""}, {"a": "7"}, 0.5, ["a (unexpected value)"]),
        ({"a": "none"}, {"a": None}, 0.5, ["a (null value)"]),
    ],
)
def test_texts_that_count_as_null_are_no_value_on_either_side(expected: Any, actual: Any, score: float, misses: list[str]) -> None:
    config = {"type": "field_accuracy", "fields": ["a", "b"], "null_values": ["", "N/A"]}
    result = fw.evaluate(config, expected=expected | {"b": 1}, actual=actual | {"b": 1})
    assert (result.score, result.misses) == (score, misses)


def test_without_null_values_blank_text_is_a_value() -> None:
    result = fw.evaluate({"type": "field_accuracy", "fields": ["a"]}, expected={"a": ""}, actual={"a": None})
    assert result.misses == ["a (null value)"]
