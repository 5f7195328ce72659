"""Rules inferred from values."""

from pathlib import Path as FilePath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise.api import diff_files
from fieldwise.model.path import Path
from fieldwise.model.values import MISSING
from fieldwise.plan.choose_match import choose_match
from fieldwise.plan.infer import InferredRules, RuleInference, infer_rules_from_pairs


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
        ([1 / 3], "numeric_tolerance", {"tolerance": 1e-6, "relative": True}, "more than 6 decimals: a share of 1e-06 may differ"),
        (["1,234.50", "5.00"], "numeric_tolerance", {"tolerance": 0.005, "parse": True}, "2 of 2 values read as numbers with up to 2"),
        ([1234.5, "1,234.50"], "numeric_tolerance", {"parse": True}, "read as numbers"),
        (["1,234.50", "$5"], "money", {"tolerance": 0.005}, "2 of 2 values read as amounts, 1 with a currency"),
        (["RM7.42"] * 9 + ["see below"], "money", {"tolerance": 0.005}, '9 of 10 values read as amounts (not "see below"), 9 with a'),
        (["EUR 5", "12 %"], "exact", {}, "every digit counts"),
        (["12 %", "7.5 %"], "numeric_tolerance", {"parse": True, "tolerance": 0.05}, "numbers"),
        (["00123", "10115"], "code", {}, "codes"),
        (["10115", "20095"], "exact", {}, "every digit counts"),
        (["INV-2025-001", "INV-2025-002"], "code", {}, "2 of 2 values read as codes"),
        (["R-010", "R-12"], "code", {}, "2 of 2 values read as codes"),
        (["kr-001", "kr-012"], "code", {}, "2 of 2 values read as codes"),
        (["A12345", "12345"], "code", {}, "codes"),
        (["#1719", "1720", "A-12"], "code", {}, "3 of 3 values read as codes"),
        (["Q1", "Q2", "Q3"], "code", {}, "codes"),
        (["12A", "14C"], "code", {}, "codes"),
        (["RE0012", "RE1200"], "code", {}, "codes"),
        (["DE89 3704 0044 0532 0130 00"], "code", {}, "check digit"),
        (["1.2.3", "1.10.0"], "exact", {}, "versions"),
        (["10:30", "9:15"], "datetime", {}, "2 of 2 values read as times of day"),
        (["2:30 PM", "14:30:00", "9:15"], "datetime", {}, "times of day"),
        (["3:45", "75:30"], "exact", {}, "clock"),
        (["5 kg", "250 g", 3], "quantity", {"tolerance": 0}, "3 of 3 values read as quantities"),
        (["5 m", "12 m"], "quantity", {}, "quantities"),
        (["1h 30min", "PT45M"], "duration", {}, "lengths of time"),
        (["5 min", "45 min"], "duration", {}, "2 of 2 values read as lengths of time"),
        (["5 mm", "12.5 mm"], "quantity", {}, "2 of 2 values read as quantities"),
        (["yes", "No", "Yes"], "boolean", {}, "yes or no"),
        (["FY2025 Q2", "FY2024 H1"], "exact", {}, "every digit counts"),
        (["3,980円", "12,800円"], "money", {"tolerance": 0.0}, "with a currency"),
        (["90210.0", "10001.0"], "numeric_tolerance", {"tolerance": 0.0, "parse": True}, "without decimals"),
        (["12 Main Street, Springfield", "7 Oak Avenue, Shelbyville"], "fuzzy", {}, "short text"),
        (["+1 555 123-4567 ext 12"], "exact", {}, "every digit counts"),
        (["+49 30 1234567"], "code", {}, "prefix"),
        (["a@b.org"], "exact", {}, "e-mail"),
        (["https://example.org/a"], "exact", {}, "web"),
        (["USD", "EUR"], "exact", {}, "capitals"),
        (["paid", "not_paid"], "exact", {}, "list of choices"),
        (["Paid", "Open"] * 5, "exact", {}, "repeat"),
        (["2025-03-04", "4 March 2025"], "date", {"day_first": None}, "2 of 2 values read as calendar dates"),
        (["14/03/18", "5 mars 2024"], "date", {"day_first": None}, "calendar dates"),
        (["2025-03-04"] * 9 + ["soon"], "date", {}, '9 of 10 values read as calendar dates (not "soon")'),
        ([f"2025-03-0{day}" for day in range(1, 9)] + ["soon", "later"], "exact", {}, "8 of 10 values are numbers, dates or codes"),
        (["2025-03-04T10:00", "2025-03-04"], "datetime", {}, "1 with a time of day"),
        (["2025-03-04T00:00:00", "2025-03-05T00:00:00"], "datetime", {}, "2 with a time of day"),
        (["03/04/2025", "25/04/2025"], "date", {"day_first": True}, "1 values only read day first, 0 only month first"),
        (["03/04/2025 10:30", "25/04/2025 10:30"], "datetime", {"day_first": True}, "only read day first"),
        (
            ["12 Main Street, Springfield", "7 Elm Road, Shelbyville", "Harbour Lane 3, Ogdenville"],
            "fuzzy",
            {"digits": "equal"},
            "their digits must agree",
        ),
        (["03/04/2025", "04/25/2025"], "date", {"day_first": False}, "0 values only read day first, 1 only month first"),
        (["03/04/2025", "05/06/2025"], "exact", {}, "the order of day and month is open; write `match: date` with `day_first: true`"),
        (["2025-03-04"] * 9 + ["05/06/2025"], "date", {"day_first": None}, "the order of day and month is open"),
        (["5 listopad 2024"], "exact", {}, "but `date` cannot read them: ambiguous date: `listopad` is month 10 or 11"),
        (
            ["Acme Corporation", "Northwind"],
            "fuzzy",
            {"algorithm": "levenshtein", "threshold": 0.85, "digits": "similar"},
            "names or short text",
        ),
        (["8401 BL"], "exact", {}, "every digit counts"),
        (["aws.amazon.com", "example.org/shop"], "exact", {}, "web addresses"),
        (["A-1+", "A-1", "P-2"], "exact", {}, "a sign such as `+`"),
        (["DE12 3456 7890 1234 5678 90", "DE12 3456 7890 1234 5678 91"], "code", {}, "2 of 2 values read as identifiers"),
        (["DEUTDEFF", "COBADEFFXXX", "BNPAFRPP"], "code", {}, "3 of 3 values read as identifiers"),
        (["SPRINGFIELD", "SHELBYVILLE", "OGDENVILLE"], "fuzzy", {}, "names"),
        (["03/25/2024 10:00 PM", "03/01/2024 9:00 AM"], "datetime", {"day_first": False}, "2 with a time of day"),
        (["2024-03-01 10:00 CET", "2024-03-01 10:00 PST"], "datetime", {}, "2 with a time of day"),
        (["Mon 25/03/2024", "Tue 26/03/2024"], "date", {}, "2 of 2 values read as calendar dates"),
        (["Some words in a long story. " * 10], "fuzzy", {"algorithm": "token_sort", "threshold": 0.8}, "long text"),
        (["", "  "], "exact", {}, "blank"),
        ([1, "one"], "exact", {}, "the rest is text"),
        ([1, True], "exact", {}, "several kinds: bool, number"),
        ([], "exact", {}, "no value"),
        ([float("nan"), 1.5], "numeric_tolerance", {"tolerance": 0.05}, "one decimal"),
        ([10**400, 0.5], "numeric_tolerance", {"tolerance": 0.05}, "one decimal"),
        ([1 / 3, 1 / 3 + 1e-9], "numeric_tolerance", {"tolerance": 0.0}, "differ only in the last ones"),
        ([1e15, 1e15 + 0.5], "numeric_tolerance", {"tolerance": 0.0}, "so large"),
        (["20250304"], "exact", {}, "every digit counts"),
        (["dQw4w9WgXcQ", "9bZkp7q19f0", "a1b2"], "exact", {}, "case counts"),
        (["newPass123"], "exact", {}, "case counts"),
        (["Co3O4", "Fe2O3", "CO2"], "exact", {}, "case counts"),
        (["Co3O4", "CO2", "H2O"], "code", {}, "codes"),
        (["Inv-2024-031"], "code", {}, "codes"),
        (["Inv031", "inv-001", "INV-1"], "code", {}, "codes"),
        (["0x1F", "0xA0"], "code", {}, "codes"),
        (["-0.48350000381469727", "0.25"], "numeric_tolerance", {"tolerance": 1e-6, "relative": True, "parse": True}, "a share of 1e-06"),
        (["0.12345678", "0.12345679"], "numeric_tolerance", {"tolerance": 0.0, "parse": True}, "differ only in the last ones"),
        (["1.234", "1.2340001"], "numeric_tolerance", {"tolerance": 0.0, "parse": True}, "differ only in the last ones"),
        (["1,234", "12.5"], "numeric_tolerance", {"tolerance": 0.05, "parse": True}, "one decimal"),
        (["25.000", "3.500", "25,000"], "exact", {}, "ambiguous numbers, such as `25.000` and `25,000`"),
        (["5,000", "15,000"] * 20 + ["5,00"], "numeric_tolerance", {"parse": True, "decimal": "point"}, "read as numbers"),
        (["5,000", "15,000"] * 2 + ["5,00"], "numeric_tolerance", {"parse": True, "decimal": None}, "numbers"),
        (["$5,000", "$15,000"] * 20 + ["$5,00"], "money", {"decimal": "point"}, "read as amounts"),
        (['{"unit": "celsius"}', '{"unit": "kelvin", "days": 3}', "[]"], "exact", {}, "JSON in text"),
        (["25,000"] * 9 + ["3.500"], "numeric_tolerance", {"parse": True}, "numbers"),
        (["25.000", "25,000", "1,234.50"], "numeric_tolerance", {"parse": True}, "numbers"),
        (["25.000", "25,000", 25000], "numeric_tolerance", {"parse": True}, "numbers"),
        (["five (5) years", "thirty (30) days", "2 years"], "duration", {}, "3 of 3 values read as lengths of time"),
        (["half an hour", "an hour"], "duration", {}, "lengths of time"),
        (["five hundred dollars", "$20"], "money", {}, "2 with a currency"),
        (["2024-03-05"] * 6 + ["MAR-05-24", "May-1-14", "05-OTT-2018", "2018-103"], "date", {}, "10 of 10 values read as calendar dates"),
        (["MAR-05-24", "MAR-06-24"], "code", {}, "codes"),
        ([12.5, "", " "], "numeric_tolerance", {"tolerance": 0.05, "parse": False}, "one decimal"),
        ([3, ""], "exact", {}, "whole number"),
        ([True, ""], "exact", {}, "true or false"),
        (["2025-03-04"] + [" "] * 20, "date", {}, "1 of 1 value reads as calendar dates"),
    ],
)
def test_the_match_follows_from_the_values(values: list[Any], match: str, options: dict[str, Any], why: str) -> None:
    chosen, reason = choose_match(values)
    assert (chosen.name, {name: getattr(chosen.options, name) for name in options}) == (match, options)
    assert why in reason


@pytest.mark.parametrize(
    ("expected", "actual", "match"),
    [
        (["RM7.42", "12.50"], [7.42, 12.5], "money"),
        ([7.42, 12.5], ["RM7.42", "RM12.50"], "money"),
        ([7.42, 12.5], ["7.42", "12.50"], "numeric_tolerance"),
        (["12345"], [12345], "numeric_tolerance"),
        (["2025-03-04"], ["2025-03-04T22:45:00"], "datetime"),
        (["2025-03-04T00:00:00", "2025-03-05T00:00:00"], ["2025-03-04T00:00:00", "2025-03-05"], "date"),
        (["2025-03-04"], ["2025-03-04T00:00:00"], "date"),
        (["2025-03-04"], ["soon"], "date"),
        (["2025-03-04"] * 8 + ["soon", "later"], ["2025-03-04"] * 10, "date"),
        (["5 kg"], ["5 g"], "quantity"),
    ],
)
def test_both_sides_decide(expected: list[Any], actual: list[Any], match: str) -> None:
    chosen, _ = choose_match(expected, actual)
    assert chosen.name == match


@pytest.mark.parametrize(
    "value",
    [
        "PO1012", "WO1013", "FR-1013", "KR-1012", "SN4711", "AB1012", "MAT-1012", "PAY-1012", "MA-1012", "LIS0012", "RM5", "EUR100",
        "FR/1012", "PO.1012", "FR:1012", "SE-2024-01", "SO-2024-01-15", "2024-NO-12", "1012MAT", "1E5", "12E3", "5M", "3B", "DEC-12",
    ],
)  # fmt: skip
def test_letters_before_an_integer_are_an_identifier(value: str) -> None:
    assert choose_match([value], [value])[0].name == "code"


@pytest.mark.parametrize(
    "value", ["PO 0012", "AB 0123", "0123 AB", "RM 001", "Q 01", "PO 1012", "Day 5", "KW 12", "Q 1", "MAT 1012", "SH 1012"]
)
def test_letters_and_an_integer_apart_are_compared_exactly(value: str) -> None:
    assert choose_match([value], [value])[0].name == "exact"


@pytest.mark.parametrize(
    ("values", "match"),
    [
        (["RM7.42", "RM5"], "money"),
        (["RM5", "12.50"], "money"),
        (["EUR1,000.00"], "money"),
        (["$5"], "money"),
        (["Rs.500", "Rs500"], "money"),
        (["kr 5", "TL 5", "EUR 100"], "money"),
        (["€ 12"], "money"),
        (["100 EUR"], "money"),
        (["Kč 5", "Kč5"], "money"),
        (["TEUR 12"], "money"),
        (["US$12"], "money"),
        (["円500"], "money"),
        (["12 kg", "5kg"], "quantity"),
        (["kg 5", "kg 5,5"], "quantity"),
        (["3.5GHz"], "quantity"),
        (["90 min", "2h", "05 min"], "duration"),
        (["1h 30m", "2h"], "duration"),
        (["2h", "3h"], "code"),
        (["1.5e3", "1E5"], "numeric_tolerance"),
        (["1e-5"], "numeric_tolerance"),
        (["1.5M", "300K"], "numeric_tolerance"),
        (["2½"], "numeric_tolerance"),
        (["5万", "12万"], "numeric_tolerance"),
        (["31/III/2024", "1.XII.2024"], "date"),
        (["Mar-05-2024", "MAR-06-2024"], "date"),
        (["20240301T100000Z", "2024-03-01T10:00CET"], "datetime"),
    ],
)
def test_what_is_written_as_an_amount_a_quantity_or_a_date_stays_one(values: list[str], match: str) -> None:
    assert choose_match(values)[0].name == match


def test_one_leading_zero_beside_letters_makes_the_column_no_amounts() -> None:
    assert choose_match([*(f"RM {number}" for number in range(100, 130)), "RM 001"])[0].name == "exact"


def test_an_identifier_does_not_become_a_quantity_by_what_actual_has() -> None:
    assert choose_match(["PO1012", "PO1013", "PO1014"], ["1012", "PO 1,013", "1014 PO"])[0].name == "code"
    assert choose_match(["1012", "1013"], ["FR1012", "FR1013"])[0].name == "exact"


def test_codes_that_may_be_amounts_are_compared_exactly_beside_decimals() -> None:
    match, reason = choose_match(["RM500", "RM700"], ["RM5.00", "RM700"])
    assert (match.name, reason) == ("exact", "the values are codes or amounts, where every character counts")


def test_an_amount_with_a_joined_currency_agrees_with_a_number() -> None:
    assert choose_match([5, 7], ["RM5", "RM7"])[0].name == "money"


@pytest.mark.parametrize(
    ("values", "name", "match"),
    [
        (["1.1", "1.10", "1.2"], "", "exact"),
        (["3.1", "3.10", "3.2"], "part", "exact"),
        (["1.1", "2.5", "3"], "app_version", "exact"),
        ([1.1, 1.2], "version", "exact"),
        (["12.5", "7.50", "3.25"], "price", "numeric_tolerance"),
        (["1.1", "1.10", "1.05"], "price", "numeric_tolerance"),
        ([*(f"{number}.5" for number in range(400)), "1.50"], "price", "numeric_tolerance"),
    ],
)
def test_versions_are_no_decimals(values: list[Any], name: str, match: str) -> None:
    assert choose_match(values, name=name)[0].name == match


@pytest.mark.parametrize("name", ["duration", "trackLength", "half_time_score", "aspect_ratio"])
def test_a_name_says_that_clock_times_are_no_times_of_day(name: str) -> None:
    assert choose_match(["3:45", "4:02"], ["3:45", "4:02"], name)[0].name == "exact"
    assert choose_match(["3:45", "4:02"], ["3:45", "4:02"], "departure")[0].name == "datetime"


def test_times_of_day_may_be_written_otherwise_on_the_other_side() -> None:
    expected = [{"id": n, "start": text} for n, text in enumerate(("14:30", "9:15", "18:00", "07:05"))]
    actual = [{"id": n, "start": text} for n, text in enumerate(("2:30 PM", "09:15:00", "18:01", "7:05 PM"))]
    comparisons = [item for result in fw.diff(expected, actual).results.values() for item in result.comparisons if "start" in item.path]
    assert [item.passed for item in comparisons] == [True, True, False, False]


def test_lengths_of_time_may_be_written_like_a_clock() -> None:
    assert choose_match(["30 min", "1:30", "2 h"], ["0:30", "90 min", "120"])[0].name == "duration"
    assert choose_match(["10:30", "9:15"], ["30 min", "9:15"])[0].name == "exact"


@pytest.mark.parametrize("value", ["0-306-40615-2", "0-8044-2957-X", "0 306 40615 2", "0378-5955"])
def test_a_check_digit_modulo_11_makes_a_scheme(value: str) -> None:
    assert "check digit" in choose_match([value])[1]
    assert choose_match([value[:-1] + ("3" if value[-1] != "3" else "4")])[0].name == "exact"


@pytest.mark.parametrize(
    ("expected", "actual", "percent"),
    [
        (["19 %", "7 %"], [0.19, 0.07], "share"),
        ([0.19, 0.07], ["19%", "7%"], "share"),
        (["19 %", "7 %"], [19, 7], "number"),
        (["19 %", "1 %"], [0.19, 1.5], "number"),
        (["1 %", "0 %"], [1, 0], "number"),
    ],
)
def test_percent_against_numbers_up_to_1_is_a_share(expected: list[Any], actual: list[Any], percent: str) -> None:
    chosen, _ = choose_match(expected, actual)
    assert chosen.name == "numeric_tolerance"
    assert getattr(chosen.options, "percent", None) == percent


def test_0_and_1_are_truth_values_beside_true_and_false() -> None:
    assert choose_match(["0", "1", "1"], [False, True, True])[0].name == "boolean"
    assert choose_match(["0", "1", "2"], [False, True, True])[0].name == "exact"


def test_each_side_decides_the_order_of_day_and_month_where_they_contradict_each_other() -> None:
    chosen, reason = choose_match(["03/04/2025", "25/04/2025"], ["04/25/2025"] * 5)
    assert (chosen.options.day_first, chosen.options.actual_day_first) == (True, False)  # type: ignore[attr-defined]
    assert "1 values only read day first, 5 only month first: day first in expected, month first in actual values" in reason


def test_the_expected_side_decides_the_order_of_day_and_month_where_the_actual_side_does_not() -> None:
    chosen, _ = choose_match(["03/04/2025", "25/04/2025"], ["04/25/2025", "25/04/2025"] * 5)
    assert (chosen.options.day_first, chosen.options.actual_day_first) == (True, None)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("expected", "actual"), [("$5/month", "€5/month"), ("5€/m²", "5$/m²"), ("pH7.4", "pH74"), ("f/1.8", "f/18")])
def test_a_code_rule_drops_no_currency_and_no_decimal_point(expected: str, actual: str) -> None:
    assert not fw.diff({"v": expected}, {"v": actual}).same


def test_the_name_of_a_field_suggests_a_vocabulary() -> None:
    assert choose_match(["DE", "France"], name="billingCountry")[0].name == "country"
    assert choose_match(["EUR", "USD"], name="currency")[0].name == "currency"
    assert choose_match(["pt-BR", "de"], name="locale")[0].name == "language"
    assert choose_match(["DE", "France"], name="place")[0].name != "country"
    assert choose_match(["Bavaria", "Saxony"], name="country")[0].name == "fuzzy"


def test_evidence_over_batches_and_merged_is_the_evidence_of_all() -> None:
    pairs = [({"d": f"{day:02}/03/2025", "n": day / 4, "items": [{"sku": f"A-{day}"}, {"sku": f"B-{day}"}]}, {}) for day in range(1, 29)]
    whole = infer_rules_from_pairs(pairs)
    batches, first, second = RuleInference(), RuleInference(), RuleInference()
    for start in range(0, 28, 5):
        batches.add(pairs[start : start + 5])
    first.add(pairs[:10])
    second.add(pairs[10:])
    first.merge(second)
    assert batches.infer() == whole
    assert first.infer() == whole
    assert whole.reasons["d"] == "28 of 28 values read as calendar dates, 16 values only read day first, 0 only month first"


def test_the_name_that_pairs_two_files_gets_no_rule() -> None:
    inference = RuleInference()
    inference.add([({"id": "7", "total": 5, "vendor": {"id": "x"}}, {})])
    assert [rule.text for rule in inference.infer(left_out=["id"]).rules] == ["total", "vendor.id"]


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


def test_the_kind_of_expected_decides() -> None:
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


def test_a_value_among_lists_is_compared_by_the_rule_of_their_items() -> None:
    pairs = [({"p": ["Tea House", "Bakery Lang"]}, {"p": ["Bakery Lang", "Tea House"]}), ({"p": "Nord Wind"}, {"p": "Nord Wint"})]
    inferred = infer_rules_from_pairs(pairs)
    assert [(rule.text, rule.match.name) for rule in inferred.rules] == [("p[*]", "fuzzy")]
    assert inferred.reasons["p"].endswith("a value without a list is compared as it is")
    codes = infer_rules_from_pairs([({"p": ["INV-1", "INV-2"]}, {}), ({"p": "see the other page for it"}, {})] * 2)
    assert [rule.match.name for rule in codes.rules] == ["exact"]  # the value counts as evidence, too


def test_what_is_a_plain_value_in_places_is_one_field_and_counts_once() -> None:
    assert rules({"l": [1, {"a": 2, "b": [3]}]}) == {"l[*]": "exact"}
    assert rules({"address": "12 Elm St"}, {"address": {"city": "Bonn"}}) == {"address": "exact"}
    assert infer_rules_from_pairs([({"l": [1, [2]]}, MISSING)]).reasons["l[*]"] == "the values are partly plain and partly lists"
    assert lists(({"l": [1, [2]]}, MISSING)) == {"l": ("index", None)}


def test_numbers_of_csv_files_have_the_tolerance_of_json_numbers(tmp_path: FilePath) -> None:
    for name, number in (("gold", "-0.48350000381469727"), ("close", "-0.4835000038146972"), ("other", "-0.4836")):
        (tmp_path / f"{name}.csv").write_text(f"id,rate\na,{number}\nb,0.25\n")
    assert diff_files(tmp_path / "gold.csv", tmp_path / "close.csv").same
    assert not diff_files(tmp_path / "gold.csv", tmp_path / "other.csv").same


def test_a_number_that_a_word_repeats_is_read_as_the_matcher_reads_it() -> None:
    assert fw.diff({"term": "five (5) years"}, {"term": "5 years"}).same
    assert not fw.diff({"term": "five (5) years"}, {"term": "6 years"}).same


@pytest.mark.parametrize("value", ["dQw4w9WgXcQ", "newPass123", "Co3O4"])
def test_case_counts_in_codes_that_mix_it(value: str) -> None:
    assert not fw.diff({"v": value}, {"v": value.lower()}).same
    assert not fw.diff({"v": value}, {"v": value.upper()}).same


def test_a_plain_value_in_the_place_of_a_list_is_still_compared() -> None:
    expected = [{"id": str(number), "p": ["red wine", "old cheese"]} for number in range(9)] + [{"id": "9", "p": "see below"}]
    for actual, outcome in (("on page 7", "wrong_value"), (["see below"], "format_error"), (None, "omission")):
        differences = fw.diff(expected, [*expected[:9], {"id": "9", "p": actual}]).differences
        assert [(comparison.path, comparison.outcome) for _, comparison in differences] == [("[9].p", outcome)]


def test_blank_text_in_the_place_of_a_list_or_an_object_is_no_value() -> None:
    assert rules({"l": ""}, {"l": ["red wine"]}, {"a": " "}, {"a": {"city": "Bonn"}}) == {"l[*]": "fuzzy", "a.city": "fuzzy"}
    assert infer_rules_from_pairs([({"a": ""}, MISSING)]).reasons == {"a": "every value is blank"}


def test_null_in_the_place_of_an_object_leaves_its_fields_apart() -> None:
    assert rules({"address": None}, {"address": {}}, {"address": {"city": "Bonn"}}) == {"address.city": "fuzzy"}


def test_an_integer_beyond_the_range_of_floats_has_no_decimals() -> None:
    match, _ = choose_match([10**400, 0.5])
    assert match.name == "numeric_tolerance"


def test_only_values_that_are_not_of_the_type_are_named_as_exceptions() -> None:
    _, reason = choose_match(["DEUTDEFF", "DEUTDEFF"], ["deutdeff", "DEUTDEFFXXX"])
    assert reason == '3 of 4 values read as identifiers with a check digit or prefix (not "deutdeff")'

    _, reason = choose_match(["INV-1", "INV-2", "12", "13", "14", "INV-3", "INV-4", "INV-5", "INV-6", "see note"])
    assert reason == '9 of 10 values read as codes (not "see note")'

    _, reason = choose_match([*["90 min"] * 6, "1:30", "1:40", "2 h", "3 h", "soon"])
    assert reason == '10 of 11 values read as lengths of time (not "soon")'


@pytest.mark.parametrize(
    ("expected", "actual", "tolerance"),
    [
        (["$1,234.50", "$1,000"], [], 0.005),
        (["₹1,00,000", "₹500"], [], 0),
        (["₹1,00,000", "₹500.50"], [], 0.005),
        (["$1,000", "$2,500"], [], 0),
        (["1.234,50 €", "1.000 €"], [], 0.005),
        (["1.000 €", "2.000 €"], ["1.000,50 €"], 0),
        (["0,125 €", "7,5 €"], [], 0.0005),
        (["$1,000", "€2,50", "$7.25"], [], 0.0005),
        (["1.234", "2.345"], [], 0.0005),
    ],
)
def test_the_column_decides_whether_a_separator_shows_decimals(expected: list[Any], actual: list[Any], tolerance: float) -> None:
    options: Any = choose_match(expected, actual)[0].options
    assert options.tolerance == tolerance


@pytest.mark.parametrize(
    ("expected", "actual", "tolerance"),
    [
        ([5.5, 6.1, 7.2], [5.54, 6.1, 7.2], 0.005),
        ([5.5], [5.54], 0.005),
        (["5.5", "6.1"], ["5.54", "6.10"], 0.005),
        ([5.5, 6.1, 7.2], ["$5.54", "$6.10", "$7.20"], 0.005),
        (["$5.5"], [], 0.005),
        ([5.5, 6.1, 7.2, 8.3], [5.54, 6.13, 7.16, 8.3], 0.05),
        ([5.5, 6.1], [5.5, 6.3], 0.05),
        ([0.3, 0.7], [0.3333333, 0.6666667], 0.05),
    ],
)
def test_a_zero_that_json_does_not_write_widens_no_tolerance(expected: list[Any], actual: list[Any], tolerance: float) -> None:
    options: Any = choose_match(expected, actual)[0].options
    assert options.tolerance == tolerance


def test_an_amount_that_differs_by_cents_is_a_difference() -> None:
    assert str(fw.diff({"total": 5.5}, {"total": 5.54})) == "total: 5.5 became 5.54"
    assert fw.diff({"total": 5.5}, {"total": 5.50}).same
