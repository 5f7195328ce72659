"""Where values stand in a record."""

from typing import Any

from fieldwise.model.context import Context, Contexts


def test_a_value_is_found_wherever_it_stands_in_document_order() -> None:
    record = {"a": ["Acme", {"b": "Acme"}], "c": {"odd.key": "Acme"}, "d": 12}
    assert Context("", "", record).places_of("Acme") == ["a[0]", "a[1].b", 'c["odd.key"]']


def test_numbers_are_found_by_value_and_never_as_truth() -> None:
    record = {"a": 100, "b": 100.0, "c": True, "d": 1, "e": "100"}
    context = Context("", "", record)
    assert context.places_of(100) == ["a", "b"]
    assert context.places_of("100") == ["e"]
    assert context.places_of(True) == []


def test_values_that_stand_everywhere_are_not_looked_for() -> None:
    context = Context("", "", {"a": 0, "b": 9, "c": "", "d": "x", "e": None, "f": 0.5})
    assert [context.places_of(value) for value in (0, 9, "", "x", None, [])] == [[]] * 6
    assert context.places_of(0.5) == ["f"]


def test_deep_and_plain_records_are_no_trouble() -> None:
    deep: Any = "Acme"
    for _ in range(900):
        deep = [deep]
    assert Context("", "", deep).places_of("Acme") == ["[0]" * 900]
    assert Context("", "", "Acme").places_of("Acme") == ["(root)"]
    assert Context("", "").places_of("Acme") == []


def test_mismatches_of_one_case_share_an_index() -> None:
    contexts = Contexts([0, 0, 1], lambda row: (f"p{row}", "p"), [{"a": "Acme"}, {}], [{}, {}])
    assert contexts.places(0) is contexts.places(1)
    assert contexts.places(0) is not contexts.places(2)
    assert (contexts(1).path, contexts(1).expected_record) == ("p1", {"a": "Acme"})
