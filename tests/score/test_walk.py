"""Records are walked side by side: which fields are compared, at which paths, at any depth; and when rules name every leaf."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise.model.case import Case, Cases
from fieldwise.model.comparison import ComparisonTable
from fieldwise.model.path import Path
from fieldwise.model.rule import CompareSpec, FieldRule, ListRule, Match, Nulls
from fieldwise.model.values import MISSING
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.columns import ColumnCache, take_path, take_step
from fieldwise.score.rule_tree import build_rule_tree
from fieldwise.score.walk import compare_records, rules_name_every_leaf

DEEP = 900


def rule(text: str, **options: Any) -> FieldRule:
    return FieldRule(path=Path.parse(text), text=text, **options)


def compared(spec: CompareSpec, expected: list[Any], actual: list[Any]) -> list[list[tuple[str, str]]]:
    """For each case, path and outcome of every comparison."""
    comparisons = compare_records(spec, expected, actual)
    return [[(comparison.path, comparison.outcome) for comparison in comparisons.of_case(case)] for case in range(comparisons.cases)]


def nested(depth: int, leaf: Any, *, lists: bool = False) -> Any:
    value = leaf
    for level in range(depth):
        value = [value] if lists and level % 2 else {"k": value}
    return value


@pytest.mark.parametrize(
    ("expected", "actual", "outcome"),
    [
        ({"p": "a"}, {"p": "a"}, "match"),
        ({"p": "a"}, {"p": "b"}, "wrong_value"),
        ({"p": "a"}, {"p": ["a"]}, "format_error"),
        ({"p": "a"}, {"p": None}, "omission"),
        ({"p": "a"}, {}, "omission"),
        ({"p": None}, {"p": "b"}, "hallucination"),
        ({"p": []}, {"p": "b"}, "hallucination"),
        ({}, {"p": "b"}, "hallucination"),
        ({"p": None}, {"p": None}, "both_absent"),
        ({}, {}, "both_absent"),
    ],
)
def test_a_value_without_a_list_is_compared_by_the_rule_of_the_items(expected: Any, actual: Any, outcome: str) -> None:
    spec = CompareSpec(rules=(rule("p[*]"), rule("q")))
    lists = {"p": ["x", "y"], "q": 1}
    assert compared(spec, [lists, {**expected, "q": 1}], [lists, {**actual, "q": 1}]) == [
        [("p[0]", "match"), ("p[1]", "match"), ("q", "match")],
        [("p[*]", outcome), ("q", "match")],
    ]


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
        comparisons = compare_records(self.LEAVES, records, records)
        assert len(comparisons) == 300
        assert comparisons.passed.all()

    def test_fields_that_no_rule_names_are_in_the_order_of_their_paths(self) -> None:
        spec = CompareSpec(open="leaves", rules=(rule("z"),))
        comparisons = compare_records(spec, [{"b": 1, "a": 1, "z": 1}, {"c": 1, "a": 1}], [{}, {}])
        assert list(comparisons.fields) == ["z", "a", "b", "c"]
        assert [[comparisons.paths[code] for code in comparisons.path[comparisons.rows_of(case)]] for case in (0, 1)] == [
            ["z", "a", "b"],
            ["a", "c"],
        ]

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
        outcomes = compared(spec, [{"a": {"0": 1, "00": 1}}], [{"a": {"0": 2, "00": 1}}])
        assert outcomes == [[('a["0"]', "ignored"), ('a["00"]', "match")]]

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
        assert take_step(column, "a") == [1, None, MISSING, None, MISSING, MISSING, MISSING, MISSING]

    def test_an_index_counts_from_either_end_and_is_a_key_as_well(self) -> None:
        column = [[1, 2], [], {"0": 3, "-1": 4}, None, (5, 6), "text"]
        assert take_step(column, 0) == [1, MISSING, 3, None, 5, MISSING]
        assert take_step(column, -1) == [2, MISSING, 4, None, 6, MISSING]

    def test_several_steps(self) -> None:
        assert take_path([{"a": [{"b": 1}]}, {"a": []}], ("a", 0, "b")) == [1, MISSING]


def test_a_tree_shares_common_beginnings() -> None:
    root = build_rule_tree(CompareSpec(rules=(rule("a.b"), rule("a.c"), rule("l[*].x"), rule("l[*].m[*].y"))))
    assert list(root.children) == ["a", "l"]
    assert list(root.rules_outside_lists()) == [(("a", "b"), 0), (("a", "c"), 1)]
    ((steps, below),) = root.nearest_lists()
    assert (steps, list(below.rules_outside_lists()), [steps for steps, _ in below.nearest_lists()]) == (("l",), [(("x",), 2)], [("m",)])


RULES = tuple(
    rule(text, match=Match(match))
    for text, match in (
        ("n", "exact"),
        ("vendor.name", "fuzzy"),
        ("vendor.city", "exact"),
        ("items[*].sku", "exact"),
        ("items[*].of.x", "exact"),
    )
)
BEST = CompareSpec(rules=RULES, open="leaves", lists=(ListRule(path=Path.parse("items"), align="best"),))
BY_INDEX = CompareSpec(rules=RULES, open="leaves")
WHOLE = {"n": 1, "vendor": {"name": "Acme", "city": "Ulm"}, "items": [{"sku": "a", "of": {"x": 1}}, {"sku": "b", "of": {"x": 2}}]}

leaves: st.SearchStrategy[Any] = st.sampled_from([1, 2, "a", "b", "A", None, True, [], {}, [1]])
items = st.dictionaries(st.sampled_from(["sku", "sku", "of", "more"]), leaves | st.fixed_dictionaries({"x": leaves}), max_size=3)
parties = leaves | st.dictionaries(st.sampled_from(["name", "city"]), leaves)
records = st.fixed_dictionaries(
    {"n": leaves, "vendor": parties}, optional={"items": leaves | st.lists(items | leaves, max_size=3), "more": leaves}
) | st.just(WHOLE)


def rows_by_case(comparisons: ComparisonTable) -> list[list[tuple[Any, ...]]]:
    """Every comparison without its cause, which `compare_records` does not look for."""

    def describe(row: int) -> tuple[Any, ...]:
        flags = (comparisons.unmatched_actual[row], comparisons.unmatched_expected[row], comparisons.identical[row])
        return replace(comparisons.at(row), cause=None), *map(bool, flags)

    return [[describe(row) for row in comparisons.rows_of(case).tolist()] for case in range(comparisons.cases)]


@settings(deadline=None, max_examples=300)
@given(st.lists(st.tuples(records, records), min_size=1, max_size=4), st.sampled_from([BEST, BY_INDEX]))
def test_the_rules_and_every_leaf_come_to_the_same(pairs: list[tuple[Any, Any]], spec: CompareSpec) -> None:
    batch = ScoringBatch(Cases.of([Case(id=str(at), expected=expected, actual=actual) for at, (expected, actual) in enumerate(pairs)]))
    walked = compare_records(spec, [expected for expected, _ in pairs], [actual for _, actual in pairs])
    assert rows_by_case(batch.compare(spec)) == rows_by_case(walked)


def is_covered(spec: CompareSpec, expected: Any, actual: Any) -> bool:
    return rules_name_every_leaf(spec, [WHOLE, expected], [WHOLE, actual], ColumnCache())


def test_records_that_look_as_the_rules_say_are_covered() -> None:
    fewer = WHOLE | {"items": WHOLE["items"][:1], "vendor": {"name": None}}
    assert is_covered(BEST, WHOLE, fewer)
    assert is_covered(BEST, fewer, WHOLE)
    assert is_covered(BY_INDEX, WHOLE, fewer)
    assert is_covered(BEST, WHOLE, {"n": 1})


def test_a_record_that_has_more_or_something_else_is_not_covered() -> None:
    others = [WHOLE | {"more": 1}, WHOLE | {"vendor": "Acme"}, WHOLE | {"vendor": None}, WHOLE | {"vendor": {}}, {}, None, [WHOLE], MISSING]
    others.append(WHOLE | {"items": [{"sku": "a", "of": {"x": 1, "y": 2}}]})
    assert not [record for record in others if is_covered(BEST, WHOLE, record) and record is not MISSING]
    assert not is_covered(BEST, WHOLE | {"items": []}, WHOLE)
    assert not is_covered(BY_INDEX, WHOLE | {"items": WHOLE["items"][:1]}, WHOLE)  # its extra item goes by another name


def test_rules_that_overlap_or_cannot_be_read_cover_nothing() -> None:
    vendor = FieldRule(path=Path.parse("vendor"), text="vendor")
    assert not is_covered(CompareSpec(rules=(*RULES, vendor), open="leaves"), WHOLE, WHOLE)
    assert not is_covered(CompareSpec(rules=(*RULES, FieldRule(path=None, text="a[")), open="leaves"), WHOLE, WHOLE)
    assert not is_covered(CompareSpec(rules=(*RULES, RULES[0]), open="leaves"), WHOLE, WHOLE)


def test_evaluators_that_look_at_the_same_leaves_share_their_comparisons(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--without-shortcuts"):
        pytest.skip("tests a shortcut itself")
    batch = ScoringBatch(Cases.of([Case(id="1", expected=WHOLE, actual=WHOLE)]))
    assert batch.compare(BEST) is batch.compare(CompareSpec(rules=RULES, lists=BEST.lists))


def test_fields_that_neither_side_has_are_no_leaves() -> None:
    record = WHOLE | {"vendor": {"name": "Acme"}}
    batch = ScoringBatch(Cases.of([Case(id="1", expected=record, actual=record)]))
    assert "vendor.city" not in {comparison.path for comparison in batch.compare(BEST).of_case(0)}


@pytest.mark.parametrize(
    ("expected", "actual", "outcome"),
    [
        ({"rows": None}, {"rows": [{"sku": "A"}]}, "hallucination"),
        ({"rows": None}, {"rows": []}, "both_absent"),
        ({"rows": "none"}, {"rows": [{"sku": "A"}]}, "hallucination"),
        ({}, {"rows": None}, "both_absent"),
    ],
)
def test_items_where_no_list_is_expected_are_hallucinated(expected: Any, actual: Any, outcome: str) -> None:
    result = fw.evaluate({"type": "field_accuracy", "fields": ["rows[*].sku"]}, expected=expected, actual=actual)
    assert [comparison.outcome for comparison in result.comparisons] == [outcome]
