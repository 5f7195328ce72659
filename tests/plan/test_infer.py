"""Rules inferred from values."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.model.path import Path
from fieldwise.model.values import MISSING
from fieldwise.plan.infer import InferredRules, choose_match, infer_rules_from_pairs


def rules(*records: Any) -> dict[str, str]:
    return {rule.text: rule.match.name for rule in infer_rules_from_pairs([(record, MISSING) for record in records]).rules}


def lists(*pairs: tuple[Any, Any]) -> dict[str, tuple[str, str | None]]:
    return {str(rule.path): (rule.align, str(rule.key) if rule.key else None) for rule in infer_rules_from_pairs(pairs).lists}


@pytest.mark.parametrize(
    ("values", "match", "options", "why"),
    [
        ([True, False], "exact", {}, "true or false"),
        ([1, 20, 300], "exact", {}, "whole number"),
        ([1.0, 20.0], "exact", {}, "whole number"),
        ([12.5, 3.25, 7], "numeric_tolerance", {"tolerance": 0.005, "parse": False}, "up to 2 decimals"),
        ([12.5], "numeric_tolerance", {"tolerance": 0.05}, "one decimal"),
        ([1 / 3], "numeric_tolerance", {"tolerance": 1e-6, "relative": True}, "more than 6 decimals"),
        (["1,234.50", "$5"], "numeric_tolerance", {"tolerance": 0.005, "parse": True}, "written as text"),
        ([1234.5, "1,234.50"], "numeric_tolerance", {"parse": True}, "partly written as text"),
        (["00123", "10115"], "exact", {}, "codes"),
        (["INV-2025-001", "INV-2025-002"], "exact", {}, "codes"),
        (["FY2025 Q2", "FY2024 H1"], "exact", {}, "every digit counts"),
        (["+1 555 123-4567 ext 12"], "exact", {}, "every digit counts"),
        (["a@b.org"], "exact", {}, "e-mail"),
        (["https://example.org/a"], "exact", {}, "web"),
        (["USD", "EUR"], "exact", {}, "capitals"),
        (["paid", "not_paid"], "exact", {}, "list of choices"),
        (["Paid", "Open"] * 5, "exact", {}, "repeat"),
        (["2025-03-04", "4 March 2025"], "date", {"day_first": None}, "every value is a calendar date"),
        (["2025-03-04", "2025-04-04", "2025-05-04", "soon"], "date", {}, "most values"),
        (["2025-03-04", "soon"], "fuzzy", {}, "short text"),
        (["03/04/2025", "25/04/2025"], "date", {"day_first": True}, "day first"),
        (["03/04/2025", "04/25/2025"], "date", {"day_first": False}, "month first"),
        (["03/04/2025", "05/06/2025"], "exact", {}, "do not show whether"),
        (["Acme Corporation", "Northwind"], "fuzzy", {"algorithm": "levenshtein", "threshold": 0.85}, "names or short text"),
        (["Some words in a long story. " * 10], "fuzzy", {"algorithm": "token_sort", "threshold": 0.8}, "long text"),
        (["", "  "], "exact", {}, "blank"),
        ([1, "one"], "exact", {}, "several kinds"),
        ([], "exact", {}, "no value"),
        ([float("nan"), 1.5], "numeric_tolerance", {"tolerance": 0.05}, "one decimal"),
        (["20250304"], "exact", {}, "codes"),
    ],
)
def test_the_match_follows_from_the_values(values: list[Any], match: str, options: dict[str, Any], why: str) -> None:
    chosen, reason = choose_match(values)
    assert (chosen.name, {name: getattr(chosen.options, name) for name in options}) == (match, options)
    assert why in reason


def test_every_leaf_is_a_field_in_order_of_appearance() -> None:
    record = {"b": 1, "a": {"y": "USD", "x": [{"q": 1.5}, {"p": True}]}, "tags": ["red"], "odd.key": None, "none": [], "void": {}}
    assert list(rules(record, {"c": 1})) == ["b", "a.y", "a.x[*].q", "a.x[*].p", "tags[*]", '["odd.key"]', "none", "void", "c"]


def test_every_rule_has_a_reason_and_a_path_that_can_be_read_again() -> None:
    inferred = infer_rules_from_pairs([({"a": {"b c": [[1, 2], [3, 4]]}, "0": "x"}, {})])
    assert [Path.parse(rule.text) for rule in inferred.rules] == [rule.path for rule in inferred.rules]
    assert all(inferred.reasons[rule.text] for rule in inferred.rules)
    assert all(inferred.reasons[str(rule.path)] for rule in inferred.lists)


def test_null_and_empty_make_no_field_where_something_else_was_seen() -> None:
    assert rules({"a": None, "l": []}, {"a": {"b": 1}, "l": ["x y"]}) == {"a.b": "exact", "l[*]": "fuzzy"}


def test_what_was_only_null_or_empty_is_compared_exactly() -> None:
    inferred = infer_rules_from_pairs([({"a": None, "l": []}, {})])
    assert inferred.reasons == {"a": "only null was seen", "l": "the list is always empty"}


def test_plain_values_are_paired_with_the_most_alike() -> None:
    assert lists(({"tags": ["red", "blue"]}, {})) == {"tags": ("best", None)}


def test_coordinates_keep_their_order() -> None:
    assert lists(({"box": [1, 2, 30, 40]}, {}), ({"box": [5, 6, 70, 80]}, {})) == {"box": ("index", None)}
    assert lists(({"years": [1, 2]}, {}), ({"years": [5, 6, 7]}, {})) == {"years": ("best", None)}


ITEMS = [{"sku": "A-1", "n": 1}, {"sku": "B-2", "n": 2}, {"sku": "C-3", "n": 3}]


def test_items_are_paired_by_an_id_that_both_sides_have() -> None:
    assert lists(({"items": ITEMS}, {"items": ITEMS[::-1]})) == {"items": ("key", "sku")}


@pytest.mark.parametrize(
    "actual",
    [
        [{"sku": "A-1"}, {"sku": "A-1"}],
        [{"sku": "X-1"}, {"sku": "Y-2"}],
        [{"sku": "A-1"}, {"n": 2}],
        [{"sku": "A-1"}, "B-2"],
        [{"sku": ["A-1"]}, {"sku": "B-2"}],
        [],
        None,
    ],
)
def test_without_a_key_on_both_sides_items_are_paired_with_the_most_alike(actual: Any) -> None:
    assert lists(({"items": ITEMS}, {"items": actual})) == {"items": ("best", None)}


def test_a_number_that_only_counts_the_items_is_no_key() -> None:
    items = [{"line_no": 1, "text": "a b"}, {"line_no": 2, "text": "c d"}]
    assert lists(({"items": items}, {"items": items})) == {"items": ("best", None)}


def test_a_name_is_no_key_because_a_slip_in_it_would_cost_the_whole_item() -> None:
    people = [{"name": name} for name in ("Mary Smith", "John Jones", "Ann Lee", "Bob Ray")]
    assert lists(({"people": people}, {"people": people})) == {"people": ("best", None)}


def test_a_quantity_that_happens_to_be_unique_is_no_key() -> None:
    items = [{"quantity": quantity} for quantity in (3, 7, 12, 40, 55)]
    assert lists(({"items": items}, {"items": items})) == {"items": ("best", None)}


def test_lists_in_lists_have_rules_of_their_own() -> None:
    record = {"a": [{"b": [{"id": "x1"}, {"id": "x2"}]}, {"b": [{"id": "x1"}]}]}
    assert lists((record, record)) == {"a": ("best", None), "a[*].b": ("key", "id")}


def test_matches_come_from_expected_alone() -> None:
    expected = {"total": 12.5, "name": "Acme Corporation"}
    alone = infer_rules_from_pairs([(expected, MISSING)])
    assert alone.rules == infer_rules_from_pairs([(expected, {"total": "x", "name": 5, "more": 1})]).rules
    assert alone.rules == infer_rules_from_pairs([(expected, [1])]).rules


def test_records_may_be_lists_and_plain_values() -> None:
    assert rules([{"a": 1}, {"a": 2}]) == {"[*].a": "exact"}
    assert lists(([{"id": "p1"}, {"id": "p2"}], [{"id": "p2"}, {"id": "p1"}])) == {"(root)": ("key", "id")}
    assert rules("Acme Corporation") == {"(root)": "fuzzy"}


def test_nothing_to_infer_from_gives_no_rules() -> None:
    assert infer_rules_from_pairs([]) == InferredRules((), (), {})
    assert infer_rules_from_pairs([(MISSING, {"a": 1})]) == InferredRules((), (), {})


def test_deep_records_and_long_lists_are_read_without_recursion() -> None:
    deep: Any = 1.5
    for _ in range(900):
        deep = {"a": deep}
    assert [len(rule.path.steps) for rule in infer_rules_from_pairs([(deep, deep)]).rules if rule.path] == [900]
    nested: Any = "x y"
    for _ in range(900):
        nested = [nested]
    assert len(infer_rules_from_pairs([(nested, nested)]).lists) == 900
    items = [{"id": f"p{at}", "amount": at + 0.25} for at in range(2000)]
    assert lists((items, items[::-1])) == {"(root)": ("key", "id")}


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)),
    max_leaves=12,
)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(VALUES, VALUES), max_size=3))
def test_whatever_the_records_are_the_rules_are_distinct_and_the_same_each_time(pairs: list[tuple[Any, Any]]) -> None:
    inferred = infer_rules_from_pairs(pairs)
    texts = [rule.text for rule in inferred.rules]
    assert len(texts) == len(set(texts))
    assert set(texts) <= set(inferred.reasons)
    assert infer_rules_from_pairs(pairs) == inferred


def test_what_is_a_plain_value_in_places_is_one_field_and_counts_once() -> None:
    assert rules({"l": [1, {"a": 2, "b": [3]}]}) == {"l[*]": "exact"}
    assert rules({"address": "12 Elm St"}, {"address": {"city": "Bonn"}}) == {"address": "exact"}
    assert infer_rules_from_pairs([({"l": [1, [2]]}, MISSING)]).reasons["l[*]"] == "the values are partly plain and partly lists"
    assert lists(({"l": [1, [2]]}, MISSING)) == {"l": ("index", None)}


def test_null_in_the_place_of_an_object_leaves_its_fields_apart() -> None:
    assert rules({"address": None}, {"address": {}}, {"address": {"city": "Bonn"}}) == {"address.city": "fuzzy"}


def test_an_integer_beyond_the_range_of_floats_has_no_decimals() -> None:
    match, _ = choose_match([10**400, 0.5])
    assert match.name == "numeric_tolerance"
