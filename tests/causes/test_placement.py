"""Values taken from another field or a neighbouring item."""

import pytest

import fieldwise as fw
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

ORDER = {"items": [{"name": name, "amount": amount} for name, amount in zip("ABCDEF", (10.5, 20.5, 30.5, 40.5, 50.5, 60.5), strict=True)]}
DELIVERY = {
    "bill_to": "Acme",
    "ship_to": "Beta",
    "flag": True,
    "count": 120,
    "total": 1200,
    "code": "X",
    "items": [{"id": "p1"}, {"id": "p2"}],
}


def is_shifted(path: str, actual: object) -> bool:
    return CAUSES.find("item_shifted").function(None, actual, Context(path, "items[*].amount", ORDER))


def is_of_another_field(path: str, actual: object, field: str | None = None) -> bool:
    return CAUSES.find("value_of_another_field").function(None, actual, Context(path, field or path, DELIVERY))


@pytest.mark.parametrize("actual", [20.5, 30.5, 40.5])
def test_the_value_of_an_item_nearby_is_shifted(actual: float) -> None:
    assert is_shifted("items[0].amount", actual)


def test_the_value_of_an_item_farther_away_is_not_shifted() -> None:
    assert not is_shifted("items[0].amount", 50.5)


def test_another_field_of_a_neighbour_is_not_shifted() -> None:
    assert not is_shifted("items[0].total", 20.5)


def test_small_counts_agree_by_chance_and_are_not_shifted() -> None:
    record = {"items": [{"quantity": 12}, {"quantity": 13}]}
    assert not CAUSES.find("item_shifted").function(12, 13, Context("items[0].quantity", "items[*].quantity", record))


def test_paths_may_have_quoted_keys_or_no_item_at_all() -> None:
    item_shifted = CAUSES.find("item_shifted").function
    assert item_shifted(None, "Beta", Context('a["odd.key"][1]', "a", {"a": {"odd.key": ["Acme", "Globex", "Beta"]}}))
    assert not item_shifted(None, "Beta", Context("(root)", "(root)", ["Acme", "Beta"]))
    assert not item_shifted(None, "Beta", Context("", ""))


def test_a_value_that_is_nowhere_in_the_record_is_not_shifted() -> None:
    assert not is_shifted("items[0].amount", 99.5)


def test_in_nested_lists_only_one_index_may_differ() -> None:
    record = {"a": [{"b": [10.5, 20.5]}, {"b": [30.5, 40.5]}]}
    item_shifted = CAUSES.find("item_shifted").function
    assert item_shifted(None, 30.5, Context("a[0].b[0]", "a[*].b[*]", record))
    assert not item_shifted(None, 40.5, Context("a[0].b[0]", "a[*].b[*]", record))


def test_the_value_of_another_field_is_recognized() -> None:
    assert is_of_another_field("ship_to", "Acme")
    assert is_of_another_field("ship_to", "p2")
    assert is_of_another_field("ship_to", 1200.0)


def test_its_own_field_is_not_another_field() -> None:
    assert not is_of_another_field("bill_to", "Acme")


def test_the_same_field_of_another_item_is_not_another_field() -> None:
    assert not is_of_another_field("items[0].id", "p2", "items[*].id")


def test_values_that_agree_by_chance_are_not_of_another_field() -> None:
    assert not is_of_another_field("ship_to", True)
    assert not is_of_another_field("ship_to", 120)
    assert not is_of_another_field("ship_to", "X")


def test_a_value_that_is_nowhere_in_the_record_is_not_of_another_field() -> None:
    assert not is_of_another_field("ship_to", "Gamma")
    assert not is_of_another_field("ship_to", ["Acme"])


def causes_of_column(expected: list[Json], actual: list[Json]) -> list[str | None]:
    """The causes at the items of a list that differ."""
    records = [{"rows": [{"v": value} for value in values]} for values in (expected, actual)]
    config = {"type": "field_accuracy", "fields": [{"path": "rows[*].v", "match": "exact"}]}
    result = fw.evaluate(config, expected=records[0], actual=records[1])
    return [row.cause for row, left, right in zip(result.comparisons, expected, actual, strict=True) if left != right]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (["No", "Yes", "No"], ["No", "Yes", "Yes"]),
        (["No", "Yes"], ["No", "No"]),
        (["low", "HIGH", "medium"], ["HIGH", "HIGH", "medium"]),
        (["Taxable", "Exempt", "Taxable"], ["Taxable", "Exempt", "Exempt"]),
        (["Acme", "Globex", "Globex", "Initech", "Hooli"], ["Globex", "Globex", "Globex", "Initech", "Hooli"]),
        ([0.077, 0.025, 0.077, 0.038, 0.077, 0.025], [0.077, 0.038, 0.077, 0.038, 0.077, 0.025]),
        (["5.00", "2.50"], ["2.50", "2.50"]),
    ],
)
def test_values_of_a_small_set_and_repeated_values_are_no_evidence_of_a_shift(expected: list[Json], actual: list[Json]) -> None:
    assert causes_of_column(expected, actual) == [None]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (["Paper", "Toner"], ["Toner", "Toner"]),
        ([12.5, 17.25, 99.1, 17.25], [12.5, 99.1, 99.1, 17.25]),
        (["Blue lamp", None, None, "Red chair"], ["Red chair", None, None, "Red chair"]),
    ],
)
def test_a_value_that_one_item_has_is_shifted(expected: list[Json], actual: list[Json]) -> None:
    assert causes_of_column(expected, actual) == ["item_shifted"]


@pytest.mark.parametrize(
    ("expected", "actual", "cause"),
    [
        (4.143, 4.148, "digit_changed"),
        ("4.1430", "4.1480", "digit_changed"),
        ("JUNO 3 30 X", "JUN03 30 X", "ocr"),
        (2941, 29.41, "scale"),
        ("29.41", "2941", "decimal_point_lost"),
        (120.0, 1200.0, "item_shifted"),
        (4.143, 7.98, "item_shifted"),
        ("INV-0123", "INV-0124", "item_shifted"),
        ("Monthly maintenance of the server rack 1", "Monthly maintenance of the server rack 2", "item_shifted"),
    ],
)
def test_a_misreading_that_equals_a_neighbour_is_a_misreading(expected: Json, actual: Json, cause: str) -> None:
    assert causes_of_column([expected, actual], [actual, actual]) == [cause]


def test_a_misreading_is_a_shift_where_another_field_comes_from_the_same_item() -> None:
    rows = [{"name": "Blue lamp", "price": 4.143}, {"name": "Red chair", "price": 4.148}]
    rules = [{"path": "rows[*].name", "match": "exact"}, {"path": "rows[*].price", "match": "exact"}]
    config = {"type": "field_accuracy", "fields": rules}
    shifted = fw.evaluate(config, expected={"rows": rows}, actual={"rows": [rows[1], rows[1]]})
    assert {row.cause for row in shifted.comparisons if row.path.startswith("rows[0]")} == {"item_shifted"}
    misread = fw.evaluate(config, expected={"rows": rows}, actual={"rows": [{**rows[0], "price": 4.148}, rows[1]]})
    assert [row.cause for row in misread.comparisons if row.cause] == ["digit_changed"]


@pytest.mark.parametrize(
    ("record", "actual", "cause"),
    [
        ({"width": 4.143, "height": 4.148}, 4.148, "digit_changed"),
        ({"width": 4.143, "height": 7.98}, 7.98, "value_of_another_field"),
        ({"total": 1052.37, "net": 1002.37}, 1002.37, "value_of_another_field"),
        ({"ctc": "4400.0", "eitc": "0.0"}, "0.0", None),
        ({"ctc": "4400.0", "eitc": "$0.00"}, "$0.00", None),
        ({"first": "No", "second": "Yes"}, "Yes", None),
        ({"net": "100.00", "gross": "119.00"}, "119.00", "value_of_another_field"),
    ],
)
def test_the_first_field_with_the_value_of_the_second(record: dict[str, Json], actual: Json, cause: str | None) -> None:
    first, second = record
    config = {"type": "field_accuracy", "fields": [{"path": first, "match": "exact"}, {"path": second, "match": "exact"}]}
    result = fw.evaluate(config, expected=record, actual={**record, first: actual})
    assert result.comparisons[0].cause == cause


@pytest.mark.parametrize(
    ("path", "record"),
    [
        ("loc", {"loc": {"kind": "GET", "slots": {"place": "here"}}}),
        ("loc", {"loc": ["here", "there"]}),
        ("stops[0].loc", {"stops": [{"loc": {"place": "home"}}, {"loc": {"place": "here"}}]}),
        ("(root)", {"loc": "here"}),
    ],
)
def test_a_value_inside_the_field_is_not_of_another_field(path: str, record: Json) -> None:
    assert not CAUSES.find("value_of_another_field").function(None, "here", Context(path, path, record))


def test_a_field_whose_name_starts_alike_is_another_field() -> None:
    record = {"loc": {"place": "home"}, "location": "here"}
    assert CAUSES.find("value_of_another_field").function(None, "here", Context("loc", "loc", record))


AMOUNTS = {"net": 100, "gross": 119, "net_text": "100", "count": 119, "lines": [{"net_amount": 100, "grossAmount": "119", "tax": 19}]}


def holds_for_amounts(path: str, actual: object) -> bool:
    return CAUSES.find("value_of_another_field").function(None, actual, Context(path, path, AMOUNTS))


def test_an_amount_of_three_digits_is_the_value_of_another_amount_beside_it() -> None:
    assert holds_for_amounts("net", 119)
    assert holds_for_amounts("lines[0].net_amount", "119")


def test_short_integers_are_of_another_field_only_between_amounts_of_one_object() -> None:
    assert not holds_for_amounts("count", 100)
    assert not holds_for_amounts("net", 120)
    assert not holds_for_amounts("net", "119")
    assert not holds_for_amounts("gross", 119)
    assert not holds_for_amounts("lines[0].net_amount", 119)
    assert not holds_for_amounts("lines[0].net_amount", 19)


def test_the_net_amount_in_place_of_the_gross_one_is_named_in_a_run() -> None:
    rules = [{"path": "net", "match": "money"}, {"path": "gross", "match": "money"}]
    for net, gross in ((100, 119), (100.0, 119.0), ("100", "119")):
        result = fw.evaluate(
            {"type": "field_accuracy", "fields": rules}, expected={"net": net, "gross": gross}, actual={"net": gross, "gross": gross}
        )
        assert result.comparisons[0].cause == "value_of_another_field"
