"""Contexts of mismatches: where values occur in a record."""

from typing import Any

from fieldwise.model.context import Context, MismatchContexts


def test_a_value_is_found_wherever_it_stands_in_document_order() -> None:
    record = {"a": ["Acme", {"b": "Acme"}], "c": {"odd.key": "Acme"}, "d": 12}
    assert Context("", "", record).paths_with_value("Acme") == ["a[0]", "a[1].b", 'c["odd.key"]']


def test_numbers_are_found_by_value_and_never_as_truth() -> None:
    record = {"a": 1000, "b": 1000.0, "c": True, "d": 1, "e": "1000"}
    context = Context("", "", record)
    assert context.paths_with_value(1000) == ["a", "b"]
    assert context.paths_with_value("1000") == ["e"]
    assert context.paths_with_value(True) == []


def test_values_that_agree_by_chance_are_not_looked_for() -> None:
    context = Context("", "", {"a": 0, "b": 999, "c": "", "d": "x", "e": None, "f": 0.5, "g": "120", "h": 0.55, "i": 1000, "j": "0120"})
    assert [context.paths_with_value(value) for value in (0, 999, "", "x", None, [], 0.5, "120")] == [[]] * 8
    assert [context.paths_with_value(value) for value in (0.55, 1000, "0120")] == [["h"], ["i"], ["j"]]


def test_deep_and_plain_records_are_no_trouble() -> None:
    deep: Any = "Acme"
    for _ in range(900):
        deep = [deep]
    assert Context("", "", deep).paths_with_value("Acme") == ["[0]" * 900]
    assert Context("", "", "Acme").paths_with_value("Acme") == ["(root)"]
    assert Context("", "").paths_with_value("Acme") == []


def test_mismatches_of_one_case_share_an_index() -> None:
    contexts = MismatchContexts([0, 0, 1], ["a", "b", "c"], ["p"] * 3, [{"a": "Acme"}, {}], [{}, {}])
    assert contexts.at(0).value_index is contexts.at(1).value_index
    assert contexts.at(0).value_index is not contexts.at(2).value_index
    assert (contexts.at(1).path, contexts.at(1).expected_record) == ("b", {"a": "Acme"})


def test_neighbours_are_the_same_field_of_items_nearby() -> None:
    record = {"a": [{"b": [at, -at]} for at in range(6)]}
    assert list(Context("a[1].b[0]", "a[*].b[*]", record).neighbours(2)) == [0, 2, 3, -1]
    assert list(Context("a[9].b[0]", "a[*].b[*]", record).neighbours(2)) == []
