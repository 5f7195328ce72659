"""What differs, field by field."""

import json

import fieldwise as fw
from fieldwise.report.diff_view import build_diff_report, render_diff_json
from fieldwise.report.terminal_layout import DisplayOptions, render_text

EXPECTED = {
    "number": "A-1002",
    "vendor": "Bäckerei Lang",
    "total": 1250.5,
    "items": [{"sku": "p-1", "name": "Bread", "amount": 18.5}, {"sku": "p-2", "name": "Cake", "amount": 30.0}],
}


def shown(actual: object, *, everything: bool = False) -> str:
    return render_text(build_diff_report(fw.diff(EXPECTED, actual), DisplayOptions(width=110, everything=everything)), width=110)


def test_equal_records_do_not_differ() -> None:
    assert shown(EXPECTED).startswith("✓ nothing differs  1 record")


def test_a_difference_shows_path_values_cause_rule_and_reason() -> None:
    text = shown(EXPECTED | {"number": "A-1O02"})
    assert "✗ 1 difference" in text
    assert "number  code: 2 of 2 values read as codes" in text
    assert "A-1002 → A-1O02  look-alike characters" in text


def test_a_missing_item_is_shown_once_and_not_for_each_of_its_fields() -> None:
    text = shown(EXPECTED | {"items": EXPECTED["items"][:1]})
    assert "items[*]  whole items" in text
    assert '[1]  {"sku": "p-2", "name": "Cake", "amount": 30.0} → missing' in text
    assert "items[*].name" not in text
    assert "✗ 3 differences" in text


def test_an_unexpected_value_is_labelled() -> None:
    text = shown(EXPECTED | {"confidence": 0.9})
    assert "confidence  not in the expected record" in text
    assert "not expected: 0.9" in text


def test_values_that_match_by_their_rule_are_counted_and_shown_on_request() -> None:
    spaced = EXPECTED | {"vendor": "Bäckerei Lang "}
    assert "1 value not equal but matching by the rule (--all)" in shown(spaced)
    assert '"Bäckerei Lang" → "Bäckerei Lang "' in shown(spaced, everything=True)


def test_many_differences_are_grouped_and_all_shown_on_request() -> None:
    expected = {"rows": [{"id": f"r{n}", "v": n} for n in range(60)]}
    actual = {"rows": [{"id": f"r{n}", "v": -n - 1} for n in range(60)]}
    diff = fw.diff(expected, actual)
    assert "and 57 more (--all)" in render_text(build_diff_report(diff, DisplayOptions()))
    assert "more (--all)" not in render_text(build_diff_report(diff, DisplayOptions(everything=True)))


def test_json_names_every_difference_and_every_rule() -> None:
    document = json.loads(render_diff_json(fw.diff(EXPECTED, EXPECTED | {"total": 12.5})))
    assert document["same"] is False
    assert [difference["path"] for difference in document["differences"]] == ["total"]
    assert {"path": "number", "rule": "code", "because": "2 of 2 values read as codes"} in document["rules"]


def test_markup_in_data_is_shown_as_it_is() -> None:
    text = render_text(build_diff_report(fw.diff({"a": "x [red]y[/red]"}, {"a": "[link=http://e]z[/link]"}), DisplayOptions()))
    assert "x [red]y[/red] → [link=http://e]z[/link]" in text
