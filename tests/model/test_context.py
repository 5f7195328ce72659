"""Contexts of mismatches: where values occur in a record."""

from typing import Any

from fieldwise.model.context import Context, MismatchContexts, is_distinctive


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


def test_text_that_reads_as_a_number_is_as_distinctive_as_the_number() -> None:
    assert not any(map(is_distinctive, ("0.0", "0,00", "-120", "(5.00)", "$19.00", "7 %", "1.1", " 0.0 ")))
    assert all(map(is_distinctive, ("12.50", "1.234", "1,200", "1,200.00", "1000", "0120", "€ 12,75", "1.2.3", "12a", "0" * 30)))


def test_answers_are_not_distinctive_in_any_case_of_letters() -> None:
    assert not any(map(is_distinctive, ("Yes", "NO", "true", "High", "n/a")))
    assert all(map(is_distinctive, ("Yes, by post", "Nora", "EUR")))


def test_columns_are_counted_once_for_each_list_and_field() -> None:
    record = {"a": [{"b": value, "c": "x"} for value in ("Acme", "Beta", "Beta", None, ["Core"])]}
    contexts = [Context(f"a[{at}].b", "a[*].b", record) for at in (1, 0)]
    assert contexts[0].has_neighbour_with("Acme", 1) is False  # two of three items share a value
    assert contexts[1].has_neighbour_with("Gamma", 3) is False
    assert Context("a[0].b", "a[*].b", {"a": [{"b": "Acme"}, {"b": "Beta"}]}).has_neighbour_with("Beta", 1)


def test_a_context_knows_the_match_of_its_rule() -> None:
    contexts = MismatchContexts([0, 0], ["a", "b"], ["a", "b"], [{}], [{}], {"a": "date"})
    assert (contexts.at(0).match, contexts.at(1).match) == ("date", "")


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
