"""Records side by side: what is compared, where, and that depth and odd shapes do no harm."""

from typing import Any

import pytest

import fieldwise as fw
from fieldwise.model.path import Path
from fieldwise.model.rule import CompareSpec, FieldRule, ListRule, Match, Nulls
from fieldwise.model.values import MISSING
from fieldwise.score.columns import take, take_path
from fieldwise.score.tree import tree_of
from fieldwise.score.walk import compare_records

DEEP = 900


def rule(text: str, **said: Any) -> FieldRule:
    return FieldRule(path=Path.parse(text), text=text, **said)


def compared(spec: CompareSpec, expected: list[Any], actual: list[Any]) -> list[list[tuple[str, str]]]:
    """For each case, path and outcome of every comparison."""
    found = compare_records(spec, expected, actual)
    return [[(one.path, one.outcome) for one in found.of_case(case)] for case in range(found.cases)]


def nested(depth: int, leaf: Any, *, lists: bool = False) -> Any:
    value = leaf
    for level in range(depth):
        value = [value] if lists and level % 2 else {"k": value}
    return value


class TestDepth:
    @pytest.mark.parametrize("lists", [False, True])
    @pytest.mark.parametrize(("leaf", "score"), [(1, 1.0), (2, 0.0)])
    def test_every_leaf_is_reached_however_deep(self, lists: bool, leaf: Any, score: float) -> None:
        expected, actual = nested(DEEP, 1, lists=lists), nested(DEEP, leaf, lists=lists)
        result = fw.evaluate({"type": "field_prf"}, expected=expected, actual=actual)
        assert (result.status, result.score, len(result.comparisons)) == ("scored", score, 1)

    @pytest.mark.parametrize("lists", [False, True])
    @pytest.mark.parametrize(("leaf", "score"), [(1, 1.0), (2, 0.0)])
    def test_a_field_that_holds_it_all_is_compared(self, lists: bool, leaf: Any, score: float) -> None:
        expected, actual = {"a": nested(DEEP, 1, lists=lists)}, {"a": nested(DEEP, leaf, lists=lists)}
        for fields, align in ((["a"], {}), (["a", "l[*]"], {"l": "best"})):
            config = {"type": "field_accuracy", "fields": fields, "lists": align}
            sides = {"expected": {**expected, "l": [expected, 1]}, "actual": {**actual, "l": [2, actual]}}
            result = fw.evaluate(config, **sides)
            assert result.status == "scored"
            assert ("a" in result.hits) == bool(score)

    @pytest.mark.parametrize("lists", [False, True])
    def test_a_rule_reaches_it(self, lists: bool) -> None:
        path = str(Path(tuple("k" if level % 2 == 0 or not lists else 0 for level in reversed(range(DEEP)))))
        expected, actual = nested(DEEP, 1, lists=lists), nested(DEEP, 1.0, lists=lists)
        assert fw.evaluate({"type": "field_accuracy", "fields": [path]}, expected=expected, actual=actual).score == 1.0

    def test_lists_in_lists_in_lists_are_paired(self) -> None:
        path = "".join("[*]" if level % 2 else ".k" for level in reversed(range(200))).removeprefix(".")
        value = nested(200, 1, lists=True)
        assert fw.evaluate({"type": "field_accuracy", "fields": [path]}, expected=value, actual=value).score == 1.0

    def test_quality_of_deep_keys(self) -> None:
        for flatten in (False, True):
            config = {"type": "json_quality", "flatten": flatten}
            result = fw.evaluate(config, expected=nested(DEEP, 1), actual=nested(DEEP, 2))
            assert (result.status, result.metrics["accuracy"]) == ("scored", 0.0)


class TestOpen:
    LEAVES = CompareSpec(open="leaves")
    KEYS = CompareSpec(open="keys")

    def test_a_case_is_compared_by_its_own_keys_and_not_by_those_of_its_neighbours(self) -> None:
        expected = [{"a": {"b": 1}}, {"a": {"c": 1}}, {"a": None}, {"a": {"b": 1}}]
        actual = [{"a": 5}, {"a": {"c": 1}}, {"a": {"d": 1}}, {"a": None}]
        assert compared(self.LEAVES, expected, actual) == [
            [("a.b", "format_error")],
            [("a.c", "match")],
            [("a.d", "hallucination")],
            [("a.b", "omission")],
        ]

    def test_records_with_few_keys_in_common_are_compared_key_by_key(self) -> None:
        records = [{f"k{row}_{key}": row for key in range(3)} for row in range(100)]
        found = compare_records(self.LEAVES, records, records)
        assert len(found) == 300
        assert found.passed.all()

    def test_fields_that_no_rule_names_are_in_the_order_of_their_paths(self) -> None:
        spec = CompareSpec(open="leaves", rules=(rule("z"),))
        found = compare_records(spec, [{"b": 1, "a": 1, "z": 1}, {"c": 1, "a": 1}], [{}, {}])
        assert list(found.fields) == ["z", "a", "b", "c"]
        assert [[found.paths[code] for code in found.path[found.rows_of(case)]] for case in (0, 1)] == [["z", "a", "b"], ["a", "c"]]

    def test_keys_are_not_gone_into(self) -> None:
        assert compared(self.KEYS, [{"a": {"b": 1}, "l": [1]}], [{"a": {"b": 2}, "l": [1]}]) == [[("a", "wrong_value"), ("l", "match")]]

    def test_a_record_that_is_none_is_one_leaf(self) -> None:
        assert compared(self.KEYS, [[1], 5], [[1], "5"]) == [[("(root)", "match")], [("(root)", "format_error")]]

    def test_null_values_reach_every_side(self) -> None:
        spec = CompareSpec(open="leaves", nulls=Nulls(blank=True, values=frozenset({"n/a"})))
        expected, actual = {"a": "", "b": "N/A", "c": " n/a ", "d": {"e": ""}}, {"a": "", "b": "n/a", "c": "x", "d": 5}
        assert compared(spec, [expected], [actual]) == [
            [("a", "both_absent"), ("b", "both_absent"), ("c", "hallucination"), ("d", "hallucination")]
        ]

    def test_rules_hold_on_the_way(self) -> None:
        rules = (rule("a", match=Match("ignore")), rule("l[*].x", match=Match("fuzzy")), rule("l[1].y", match=Match("ignore")))
        expected, actual = {"a": {"b": 1}, "l": [{"x": "A", "y": 1}] * 2}, {"a": {"b": 2}, "l": [{"x": "a", "y": 2}] * 2}
        assert compared(CompareSpec(open="leaves", rules=rules), [expected], [actual]) == [
            [("a", "ignored"), ("l[0].x", "match"), ("l[1].x", "match"), ("l[1].y", "ignored"), ("l[0].y", "wrong_value")]
        ]

    def test_a_number_as_a_key_is_found_by_a_rule_for_an_index(self) -> None:
        spec = CompareSpec(open="leaves", rules=(rule("a.0", match=Match("ignore")),))
        found = compared(spec, [{"a": {"0": 1, "00": 1}}], [{"a": {"0": 2, "00": 1}}])
        assert found == [[('a["0"]', "ignored"), ('a["00"]', "match")]]

    def test_a_key_of_five_thousand_digits_is_a_key(self) -> None:
        record = {"a": {"1" * 5000: 1}}
        assert compared(CompareSpec(open="leaves", rules=(rule("a.0"),)), [record], [record])[0][0][1] == "match"


class TestClosed:
    def test_only_what_rules_name_is_compared(self) -> None:
        assert compared(CompareSpec(rules=(rule("a.b"),)), [{"a": {"b": 1}, "c": 1}], [{"a": {"b": 1}, "c": 2}]) == [[("a.b", "match")]]

    def test_extra_items_hold_lists_of_their_own(self) -> None:
        spec = CompareSpec(rules=(rule("l[*].m[*]"),))
        assert compared(spec, [{"l": []}], [{"l": [{"m": [1, 2]}]}]) == [
            [("l[+0].m[+0]", "hallucination"), ("l[+0].m[+1]", "hallucination")]
        ]

    def test_a_list_rule_may_name_the_items(self) -> None:
        spec = CompareSpec(rules=(rule("l[*]"),), lists=(ListRule(path=Path(("l",)), align="set"),))
        assert compared(spec, [{"l": [1, 2]}], [{"l": [2, 1.0]}]) == [[("l[0]", "match"), ("l[1]", "match")]]

    def test_no_case_and_no_rule_is_no_comparison(self) -> None:
        assert len(compare_records(CompareSpec(rules=(rule("a"),)), [], [])) == 0
        assert len(compare_records(CompareSpec(), [{"a": 1}], [{"a": 1}])) == 0
        assert len(compare_records(CompareSpec(open="leaves"), [], [])) == 0


class TestColumns:
    def test_a_step_down(self) -> None:
        column = [{"a": 1}, {"a": None}, {}, None, MISSING, "text", [1], 5]
        assert take(column, "a") == [1, None, MISSING, None, MISSING, MISSING, MISSING, MISSING]

    def test_an_index_counts_from_either_end_and_is_a_key_as_well(self) -> None:
        column = [[1, 2], [], {"0": 3, "-1": 4}, None, (5, 6), "text"]
        assert take(column, 0) == [1, MISSING, 3, None, 5, MISSING]
        assert take(column, -1) == [2, MISSING, 4, None, 6, MISSING]

    def test_several_steps(self) -> None:
        assert take_path([{"a": [{"b": 1}]}, {"a": []}], ("a", 0, "b")) == [1, MISSING]


def test_a_tree_shares_common_beginnings() -> None:
    root = tree_of(CompareSpec(rules=(rule("a.b"), rule("a.c"), rule("l[*].x"), rule("l[*].m[*].y"))))
    assert list(root.children) == ["a", "l"]
    assert list(root.leaves()) == [(("a", "b"), 0), (("a", "c"), 1)]
    ((steps, below),) = root.lists()
    assert (steps, list(below.leaves()), [steps for steps, _ in below.lists()]) == (("l",), [(("x",), 2)], [("m",)])
