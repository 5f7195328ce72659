"""Field accuracy over lists: every item of a list as one field, and how items find their counterparts."""

from typing import Any

import pytest

import fieldwise as fw


def score(expected: Any, actual: Any, *fields: Any, **options: Any) -> fw.Result:
    return fw.evaluate({"type": "field_accuracy", "fields": list(fields), **options}, expected=expected, actual=actual)


def amounts(*values: Any) -> dict[str, Any]:
    return {"line_items": [{"amount": value} for value in values]}


class TestEveryItem:
    def test_an_every_item_rule_is_one_field_with_one_weight(self) -> None:
        expected, actual = {**amounts(1, 2, 3, 4), "n": 1}, {**amounts(1, 2, 3, 9), "n": 1}
        result = score(expected, actual, {"path": "line_items[*].amount", "weight": 3}, "n")
        assert result.score == pytest.approx((3 * 0.75 + 1) / 4)
        assert result.hits == ["line_items[0].amount", "line_items[1].amount", "line_items[2].amount", "n"]
        assert (result.misses, result.reasoning) == (["line_items[3].amount"], "1/2 fields matched")

    @pytest.mark.parametrize(
        ("expected", "actual", "score_", "misses"),
        [
            ([1, 2], [1], 0.5, ["line_items[1].amount (required, missing)"]),
            ([1], [1, 2, 3], 1 / 3, ["line_items[+1].amount (extra)", "line_items[+2].amount (extra)"]),
            ([1, 2], [], 0.0, ["line_items[0].amount (required, missing)", "line_items[1].amount (required, missing)"]),
            ([], [1, 2], 0.0, ["line_items[+0].amount (extra)", "line_items[+1].amount (extra)"]),
            ([1, None], [1, None], 1.0, []),
            ([1, None], [1, 2], 0.5, ["line_items[1].amount (unexpected value)"]),
        ],
    )
    def test_the_score_is_the_mean_over_the_longer_list(self, expected: list[Any], actual: list[Any], score_: float, misses: Any) -> None:
        """evaluator design: Batch Evaluation Strategy (missing items contribute 0 over the longer list)"""
        result = score(amounts(*expected), amounts(*actual), "line_items[*].amount")
        assert (result.score, result.misses) == (pytest.approx(score_), misses)

    def test_a_lone_and_an_extra_item_are_one_place_of_the_longer_list(self) -> None:
        lists = {"line_items": {"align": "key", "key": "sku"}}
        expected = {"line_items": [{"sku": "a", "amount": 1}, {"sku": "b", "amount": 2}]}
        actual = {"line_items": [{"sku": "c", "amount": 2}, {"sku": "a", "amount": 1}]}
        result = score(expected, actual, "line_items[*].amount", lists=lists)
        assert result.score == 0.5
        assert result.misses == ["line_items[1].amount (required, missing)", "line_items[+0].amount (extra)"]

    def test_both_lists_empty_is_not_scored(self) -> None:
        assert score({"a": [], "n": 1}, {"a": [], "n": 1}, "a[*].x", "n").metrics["fields_scored"] == 1
        assert score({"a": []}, {"a": []}, "a[*].x").status == "skipped"

    @pytest.mark.parametrize(
        ("expected", "actual", "hits", "misses"),
        [
            (None, None, ["a[*].x"], []),
            (None, [], ["a[*].x"], []),
            (None, [{"x": 1}], [], ["a[*].x (unexpected value)"]),
            ([{"x": 1}], None, [], ["a[0].x (null value)"]),
            ([{"x": 1}], "text", [], ["a[0].x (type mismatch)"]),
            ([{"x": 1}], {"x": 1}, [], ["a[0].x (type mismatch)"]),
            ([{"x": None}], "text", ["a[0].x"], []),
            ([1], [1], [], []),
            ("text", [{"x": 1}], [], ["a[*].x (unexpected value)"]),
        ],
    )
    def test_no_list_on_one_side(self, expected: Any, actual: Any, hits: list[str], misses: list[str]) -> None:
        result = score({"a": expected}, {"a": actual}, "a[*].x")
        assert (result.hits, result.misses) == (hits, misses)
        assert all(repr(comparison.actual).startswith("Misfit") is False for comparison in result.comparisons)

    def test_all_items_of_a_list_that_expected_lacks_are_extra(self) -> None:
        result = score({"n": 1}, {"a": [{"x": 1}, {"x": 2}], "n": 1}, "a[*].x", "n")
        assert (result.score, result.misses) == (0.5, ["a[+0].x (extra)", "a[+1].x (extra)"])
        assert score({"n": 1}, {"a": [], "n": 1}, "a[*].x", "n").score == 1.0

    def test_ignoring_what_is_unexpected_does_not_ignore_extra_items(self) -> None:
        rule = {"path": "a[*].x", "unexpected": "ignore"}
        assert score({"n": 1}, {"a": [{"x": 1}], "n": 1}, rule, "n").score == 1.0
        assert score({"a": [{"x": 1}]}, {"a": [{"x": 1}, {"x": 2}]}, rule).misses == ["a[+1].x (extra)"]
        nested = {"path": "a[*].b[*]", "unexpected": "ignore"}
        assert score({"a": [{"c": 1}], "n": 1}, {"a": [{"b": [1]}], "n": 1}, nested, "n").score == 1.0
        assert score({"a": [], "n": 1}, {"a": [{"b": [1]}], "n": 1}, nested, "n").score == 0.5

    def test_lists_of_scalars(self) -> None:
        result = score({"tags": ["a", "b"]}, {"tags": ["a", "x", "b"]}, "tags[*]")
        assert (result.score, result.hits, result.misses) == (pytest.approx(1 / 3), ["tags[0]"], ["tags[1]", "tags[+2] (extra)"])
        assert score({"tags": ["a", "b"]}, {"tags": ["x", "b", "a"]}, "tags[*]", lists={"tags": "best"}).score == pytest.approx(2 / 3)

    def test_root_lists(self) -> None:
        result = score([{"a": 1}, {"a": 2}], [{"a": 2}, {"a": 1}], "[*].a", lists={"[*]": "best"})
        assert (result.score, result.hits) == (1.0, ["[0].a", "[1].a"])

    def test_tuples_are_lists(self) -> None:
        assert score({"a": ({"x": 1},)}, {"a": [{"x": 1}]}, "a[*].x", "a[0].x").score == 1.0


def items(*pairs: tuple[Any, Any]) -> dict[str, Any]:
    return {"items": [{"sku": sku, "n": number} for sku, number in pairs]}


class TestAlignment:
    EXPECTED = items(("a", 1), ("b", 2), ("c", 3))
    SHUFFLED = items(("c", 3), ("a", 1), ("b", 2))

    @pytest.mark.parametrize(
        ("align", "score_"), [("index", 0.0), ({"align": "key", "key": "sku"}, 1.0), ("best", 1.0), ("set", 1.0), ({"key": "sku"}, 1.0)]
    )
    def test_items_find_their_counterparts(self, align: Any, score_: float) -> None:
        assert score(self.EXPECTED, self.SHUFFLED, "items[*].sku", "items[*].n", lists={"items": align}).score == score_

    def test_best_pairs_the_most_alike(self) -> None:
        """evaluator design: Future Extensions, Hungarian matching"""
        result = score(self.EXPECTED, items(("c", 9), ("b", 2)), "items[*].sku", "items[*].n", lists={"items": "best"})
        assert result.misses == ["items[0].sku (required, missing)", "items[0].n (required, missing)", "items[2].n"]
        assert result.score == pytest.approx((2 / 3 + 1 / 3) / 2)

    def test_set_pairs_only_what_is_wholly_equal(self) -> None:
        result = score(items(("a", 1), ("b", 2)), items(("b", 2.0), ("a", 9)), "items[*].n", lists={"items": "set"})
        assert (result.hits, result.misses) == (["items[1].n"], ["items[0].n (required, missing)", "items[+1].n (extra)"])

    @pytest.mark.parametrize(("expected", "actual"), [(100, 100.0), ("e\u0301", "\u00e9"), ({"x": 1}, {"x": 1.0})])
    def test_keys_are_equal_as_exact_has_it(self, expected: Any, actual: Any) -> None:
        result = score(items(("z", 0), (expected, 1)), items((actual, 1), ("z", 0)), "items[*].n", lists={"items": {"key": "sku"}})
        assert result.score == 1.0

    def test_true_is_not_the_key_1(self) -> None:
        expected, actual = items((True, 1), (1, 2)), items((1, 2), (True, 1))
        for align in ({"key": "sku"}, "best", "set"):
            assert score(expected, actual, "items[*].sku", "items[*].n", lists={"items": align}).score == 1.0

    def test_keys_that_stand_twice_pair_in_order(self) -> None:
        expected, actual = items(("a", 1), ("a", 2), ("b", 3)), items(("b", 3), ("a", 1), ("a", 2), ("a", 4))
        result = score(expected, actual, "items[*].n", lists={"items": {"key": "sku"}})
        paired = {comparison.path: comparison.actual for comparison in result.comparisons}
        assert paired["items[2].n"] == 3
        assert sorted(paired[path] for path in ("items[0].n", "items[1].n", "items[+3].n") if path in paired) == [1, 2, 4]

    def test_an_item_without_its_key_is_like_no_other(self) -> None:
        result = score({"items": [{"n": 1}]}, {"items": [{"n": 1}]}, "items[*].n", lists={"items": {"key": "sku"}})
        assert result.misses == ["items[0].n (required, missing)", "items[+0].n (extra)"]

    def test_ignored_fields_do_not_decide_who_pairs(self) -> None:
        fields = [{"path": "items[*].sku", "match": "ignore"}, "items[*].n"]
        assert score(items(("a", 1), ("b", 2)), items(("a", 2), ("b", 1)), *fields, lists={"items": "best"}).score == 1.0

    def test_lists_in_lists_are_aligned_inside_their_counterparts(self) -> None:
        expected = {"pages": [{"no": 1, "rows": [{"v": "a"}, {"v": "b"}]}, {"no": 2, "rows": [{"v": "c"}]}]}
        actual = {"pages": [{"no": 2, "rows": [{"v": "c"}, {"v": "x"}]}, {"no": 1, "rows": [{"v": "b"}, {"v": "a"}]}]}
        lists = {"pages": {"key": "no"}, "pages[*].rows": "best"}
        result = score(expected, actual, "pages[*].rows[*].v", lists=lists)
        assert result.hits == ["pages[0].rows[0].v", "pages[0].rows[1].v", "pages[1].rows[0].v"]
        assert (result.misses, result.score) == (["pages[1].rows[+1].v (extra)"], 0.75)

    def test_each_inner_list_counts_by_its_own_longer_side(self) -> None:
        """One inner list lacks an item and another has one too many: that is two of four, not one of three."""
        expected = {"pages": [{"rows": [{"v": 1}, {"v": 2}]}, {"rows": [{"v": 3}]}]}
        actual = {"pages": [{"rows": [{"v": 1}]}, {"rows": [{"v": 3}, {"v": 4}]}]}
        result = score(expected, actual, {"path": "pages[*].rows[*].v", "weight": 2})
        assert (result.score, result.hits) == (0.5, ["pages[0].rows[0].v", "pages[1].rows[0].v"])
        assert result.misses == ["pages[0].rows[1].v (required, missing)", "pages[1].rows[+1].v (extra)"]

    def test_lists_in_lists_with_nothing_in_them_are_not_scored(self) -> None:
        pages = {"pages": [{"rows": []}, {"rows": []}], "n": 1}
        assert score(pages, pages, "pages[*].rows[*].v", "n").hits == ["n"]
        assert score([[1, 2], [3]], [[1], [3, 4]], "[*][*]").score == 0.5

    def test_what_is_in_their_lists_makes_items_alike(self) -> None:
        expected = {"pages": [{"rows": [{"v": "a"}, {"v": "b"}]}, {"rows": [{"v": "c"}, {"v": "d"}]}]}
        actual = {"pages": [{"rows": [{"v": "d"}, {"v": "c"}]}, {"rows": [{"v": "b"}, {"v": "x"}]}]}
        result = score(expected, actual, "pages[*].rows[*].v", lists={"pages": "best", "pages[*].rows": {"align": "best", "at_least": 0}})
        assert result.misses == ["pages[0].rows[0].v"]


class TestListsThatNothingLooksInto:
    """A rule for a list is never accepted and then overlooked."""

    @pytest.mark.parametrize("kind", ["field_accuracy", "field_prf"])
    def test_a_field_that_is_the_whole_list_leaves_its_items_alone(self, kind: str) -> None:
        with pytest.raises(fw.ConfigError, match="no field goes through the items of `items`") as caught:
            fw.evaluate({"type": kind, "fields": ["items"], "lists": {"items": "best"}}, expected={"items": [1]}, actual={"items": [1]})
        assert "`items[*]`" in str(caught.value)

    def test_a_list_beside_the_fields_is_a_mistake(self) -> None:
        with pytest.raises(fw.ConfigError, match="no field goes through the items of `other`"):
            score({"n": 1}, {"n": 1}, "n", lists={"other": "best"})

    def test_items_may_be_plain_values_or_lists_themselves(self) -> None:
        assert score({"tags": ["a", "b"]}, {"tags": ["b", "a"]}, "tags[*]", lists={"tags": "set"}).score == 1.0
        assert score([[1], [2]], [[2], [1]], "[*][*]", lists={"[*]": "best"}).score == 1.0

    def test_where_every_leaf_is_a_field_any_list_may_be_named(self) -> None:
        config = {"type": "field_prf", "fields": ["n"], "lists": {"tags": "best"}}
        record = {"n": 1, "tags": ["a", "b"]}
        assert fw.evaluate(config, expected=record, actual={"n": 1, "tags": ["b", "a"]}).score == 1.0
