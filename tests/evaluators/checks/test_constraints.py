"""constraints: rules between the fields of a record, and the expression language they are written in."""

from math import inf, nan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise import ConfigError, Result
from fieldwise.evaluators.checks._expression_syntax import ExpressionError, parse_expression
from fieldwise.evaluators.checks._expression_values import RecordReading, expression_holds

INVOICE: dict[str, Any] = {
    "country": "DE",
    "vat_id": "DE123",
    "currency": "EUR",
    "paid": False,
    "note": None,
    "issued": "2025-01-31",
    "due": "2025-02-28",
    "invoice": {"net": 100.1, "tax": 0.2, "total": 100.3},
    "line_items": [
        {"qty": 2, "price": 30, "amount": 60},
        {"qty": 1, "price": 40.1, "amount": 40.1},
    ],
    "odd-key": 1,
    "größe": 2,
}


def check_rules(*rules: dict[str, Any], actual: Any = INVOICE, **options: Any) -> Result:
    return fw.evaluate({"type": "constraints", "rules": list(rules), **options}, actual=actual)


def holds_for(expression: str, record: Any = INVOICE) -> bool:
    return expression_holds(parse_expression(expression), RecordReading(record))


@pytest.mark.parametrize(
    "expression",
    [
        "invoice.total == invoice.net + invoice.tax",
        "sum(line_items[*].amount) == invoice.net",
        "line_items[*].qty * line_items[*].price == line_items[*].amount",
        "line_items[*].amount > 0",
        "0 < line_items[0].qty <= 2",
        "line_items[-1].amount == 40.1",
        "line_items.0.amount == 60",
        "count(line_items) == 2 and count(line_items[*].qty) == 2",
        "count(nothing) == 0",
        "avg(line_items[*].qty) == 1.5",
        "max(line_items[*].amount, 70) == 70 and min(line_items[*].qty) == 1",
        "abs(invoice.tax - invoice.net) == 99.9",
        "issued < due",
        "due >= '2025-02-28'",
        "date(issued) == '2025-01-31T10:00:00Z'",
        "'2025-01-31T10:00:00' < '2025-01-31T12:00:00'",
        "currency in ('EUR', 'USD')",
        "currency not in ('GBP', 'CHF')",
        "country == 'DE' and (vat_id or note)",
        "not present(note) and note == null and vat_id != null",
        "present(line_items[*].qty)",
        "not paid",
        "paid == false",
        "paid != 0",
        "1 / 3 * 3 == 1",
        "-1 - -2 == 1",
        "2 + 3 * 4 == 14",
        "1e3 == 1000",
        '["odd-key"] == 1',
        "größe == 2",
        r"'it\'s' == " + '"it' + "'" + 's"',
        "1 < 2 or nothing.at.all > 1",
    ],
)
def test_expressions_that_are_true(expression: str) -> None:
    assert holds_for(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "invoice.total == 100.31",
        "line_items[*].amount > 50",
        "vat_id == 1",
        "currency == 'eur'",
        "paid",
        "nothing",
        "note",
        "present(note)",
        "country in ('FR', 1)",
        "due < issued",
        "1 == true",
    ],
)
def test_expressions_that_are_false(expression: str) -> None:
    assert not holds_for(expression)


def test_decimals_add_up_as_they_are_written() -> None:
    assert holds_for("a + b == c", {"a": 0.1, "b": 0.2, "c": 0.3})


def test_long_integers_keep_their_digits() -> None:
    assert not holds_for("a == b", {"a": 2**53, "b": 2**53 + 1})


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("total = 3", "position 7: `=`"),
        ("a && b", "position 3: `&`"),
        ("$.a == 1", "position 1: `\\$`"),
        ("a ==", r"position 5 \(`the end`\): a field, a number or a text is missing"),
        ("(a == 1", "a `\\)` is missing"),
        ("a == 1)", "a `\\)` closes nothing"),
        ("a b", r"position 3 \(`b`\): `and`, `or` or an operator is missing"),
        ("summ(a) == 1", "there is no such function"),
        ("sum(a, b) == 1", "`sum` takes one value"),
        ("present(1)", "`present` is about a field"),
        ("1 == null", "only a field can be compared with null"),
        ("a < null", "only a field can be compared with null"),
        ("a in 'x'", "`in \\(…\\)` is missing"),
        ("", "a field, a number or a text is missing"),
        ("a." + "b", None),
        ("__import__('os')", "there is no such function"),
        ("a.b()", "there is no such function"),
        ("1e9999 > a", "position 1"),
        ("(" * 50 + "1" + ")" * 50, "nested too deep"),
        ("1" + " + 1" * 200, "too long"),
        ("a[b] == 1", "position 2"),
        ("'open", "position 1: `'`"),
        ("1 < a[12345678901234567890]", "position 5: .* has an index that no list reaches"),
    ],
)
def test_a_parse_error_names_the_position(expression: str, message: str | None) -> None:
    if message is None:
        assert parse_expression(expression)
        return
    with pytest.raises(ExpressionError, match=message):
        parse_expression(expression)


def test_parse_errors_suggest_a_fix() -> None:
    with pytest.raises(ConfigError) as raised:
        check_rules({"check": "total = 3"}, {"check": "summ(a) == 1"}, {"if": "a &", "then": "b"})
    text = str(raised.value)
    assert "write ==" in text
    assert "did you mean `sum`?" in text
    assert "write and" in text


@given(st.text(alphabet="ab.[]*()'\" <>=!+-/0123,andornotisum", max_size=30))
@settings(max_examples=300, deadline=None)
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        handled = parse_expression(text) is not None
    except ExpressionError as error:
        handled = "position" in str(error)
    assert handled


def test_rules_that_hold_are_hits_and_the_others_misses_with_values() -> None:
    result = check_rules(
        {"name": "adds_up", "check": "invoice.total == invoice.net + invoice.tax"},
        {"name": "dates", "check": "due < issued"},
        {"name": "big_items", "check": "line_items[*].amount > 50"},
        {"name": "currency", "check": "currency in ('GBP', 'CHF')"},
    )
    assert result.hits == ["adds_up"]
    assert result.misses == [
        'dates ("2025-02-28" < "2025-01-31" is false)',
        "big_items (item 1: 40.1 > 50 is false)",
        'currency ("EUR" is not among them)',
    ]
    assert (result.score, result.verdict, result.reasoning) == (0.25, "partial", "1/4 rules hold")
    assert result.metrics == {"rules_held": 1, "rules_checked": 4}
    assert result.details["rules"][0] == {"name": "adds_up", "held": True, "why": ""}


def test_the_tolerance_is_inclusive() -> None:
    record = {"a": 10.01, "b": 10}
    assert check_rules({"check": "a == b", "tolerance": 0.01}, actual=record).score == 1.0
    assert check_rules({"check": "a == b", "tolerance": 0.009}, actual=record).score == 0.0
    assert check_rules({"check": "a <= b", "tolerance": 0.01}, actual=record).score == 1.0


def test_a_sum_must_equal_a_field_or_a_number() -> None:
    assert check_rules({"sum": "line_items[*].amount", "equals": "invoice.net"}).score == 1.0
    assert check_rules({"sum": "line_items[*].qty", "equals": 3}).score == 1.0
    wrong = check_rules({"name": "net", "sum": "line_items[*].amount", "equals": "invoice.total", "tolerance": 0.01})
    assert wrong.misses == ["net (100.1 == 100.3 is false)"]


def test_a_conditional_rule_requires_a_field() -> None:
    """structured-data spec, future extensions: if field A, then field B required."""
    rule = {"name": "vat", "if": "country == 'DE'", "then": "vat_id"}
    assert check_rules(rule).hits == ["vat"]
    assert check_rules(rule, actual={"country": "DE"}).misses == ["vat (required, missing: vat_id)"]
    assert check_rules(rule, actual={"country": "DE", "vat_id": None}).misses == ["vat (null value: vat_id)"]
    skipped = check_rules(rule, actual={"country": "FR"})
    assert (skipped.status, skipped.reasoning) == ("skipped", "no rule applies to this record")


def test_a_condition_works_with_any_rule_and_fails_where_its_field_is_absent() -> None:
    rule = {"if": "country == 'DE'", "require": ["vat_id"]}
    assert check_rules(rule).hits == ["if country == 'DE' then require vat_id"]
    assert check_rules(rule, actual={}).status == "skipped"


def test_required_fields_are_missed_one_by_one() -> None:
    result = check_rules({"require": ["country", "note", "phone", "line_items[*].sku"]})
    assert result.misses == ["note (null value)", "phone (required, missing)", "line_items[0].sku (required, missing)"]
    assert result.score == 0.0


def test_an_absent_field_is_a_miss_unless_the_rule_is_for_when_it_is_present() -> None:
    rule = {"name": "r", "check": "discount < invoice.net"}
    assert check_rules(rule).misses == ["r (required, missing: discount)"]
    assert check_rules({**rule, "when_present": True}).status == "skipped"
    assert check_rules({"name": "r", "check": "note == 'x'"}).misses == ["r (null value: note)"]
    assert check_rules({"name": "r", "check": "line_items[*].sku == 'x'"}).misses == ["r (required, missing: line_items[0].sku)"]


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        ("currency + 1 == 2", '"EUR" is not a number'),
        ("paid + 1 == 2", "false is not a number"),
        ("currency < 3", '"EUR" is no number and no date'),
        ("3 < currency", '"EUR" is no number and no date'),
        ("3 < '2025-01-31'", '3 is a number and "2025-01-31" a date'),
        ("invoice > 3", "an object is no number and no date"),
        ("'03/04/2025' < due", '"03/04/2025" is an ambiguous date'),
        ("invoice.net / 0 == 1", "a number cannot be divided by 0"),
        ("bad > 1", "NaN is not a number"),
        ("worse > 1", "Infinity is not a number"),
        ("line_items[*].qty == others[*]", "2 and 1 items cannot be paired"),
    ],
)
def test_values_that_cannot_be_compared_fail_the_rule_and_say_why(check: str, reason: str) -> None:
    record = {**INVOICE, "bad": nan, "worse": inf, "others": [1]}
    assert check_rules({"name": "r", "check": check}, actual=record).misses == [f"r ({reason})"]


def test_a_rule_item_by_item_over_no_items_does_not_apply() -> None:
    result = check_rules({"check": "line_items[*].amount > 0"}, {"check": "count(line_items) == 0"}, actual={"line_items": []})
    assert (result.score, result.metrics["rules_checked"]) == (1.0, 1)


def test_numbers_written_as_text_are_parsed_only_with_the_option() -> None:
    record = {"total": "1,234.50", "net": 1000, "tax": "$234.50"}
    rule = {"name": "r", "check": "total == net + tax"}
    assert check_rules(rule, actual=record).misses == ['r ("$234.50" is not a number)']
    assert check_rules(rule, actual=record, parse=True).score == 1.0


def test_weights_share_the_score() -> None:
    assert check_rules({"check": "paid", "weight": 3}, {"check": "not paid"}).score == 0.25
    assert check_rules({"check": "not paid", "weight": 0}).score == 0.0


def test_records_are_found_in_text_and_no_record_is_the_systems_failure() -> None:
    assert check_rules({"check": "a == 1"}, actual='```json\n{"a": 1}\n```').score == 1.0
    failed = check_rules({"name": "r", "check": "not present(a)"}, actual="sorry")
    assert (failed.status, failed.score, failed.misses) == ("error", 0.0, ["r (no output)"])
    assert failed.metrics == {"rules_held": 0, "rules_checked": 1}


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"name": "empty"}, "a rule is empty"),
        ({"check": "a", "require": ["b"]}, "a rule has `check` and `require`"),
        ({"then": "a"}, "`then` needs `if`"),
        ({"sum": "a[*]"}, "`sum` and `equals` belong together"),
        ({"check": "a", "equals": 1}, "`sum` and `equals` belong together"),
        ({"require": ["a + b"]}, "`a \\+ b` is not a path"),
        ({"check": "a", "tolerance": -1}, "`tolerance` must be a number ≥ 0"),
        ({"chek": "a"}, "did you mean `check`"),
    ],
)
def test_bad_rules_are_refused(rule: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        check_rules(rule)


def test_two_rules_of_one_name_are_refused_and_so_are_none() -> None:
    with pytest.raises(ConfigError, match="two rules are called `a`"):
        check_rules({"check": "a"}, {"check": "b", "name": "a"})
    with pytest.raises(ConfigError, match="`rules` must be"):
        check_rules()


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        (2**53 + 1, 2**53, "9007199254740993 == 9007199254740992 is false"),
        (10**50 + 1, 10**50, f"{10**50 + 1} == {10**50} is false"),
        (0.1 + 0.2, 0.3, "0.30000000000000004 == 0.3 is false"),
        (1e15 + 0.5, 10**15, "1000000000000000.5 == 1000000000000000 is false"),
        (10**50, 1, "1e+50 == 1 is false"),
    ],
)
def test_numbers_that_differ_are_shown_with_the_digits_that_tell_them_apart(left: float, right: float, reason: str) -> None:
    result = fw.evaluate({"type": "constraints", "rules": [{"name": "same", "check": "a == b"}]}, actual={"a": left, "b": right})
    assert result.misses == [f"same ({reason})"]


@pytest.mark.parametrize(("value", "score"), [(True, 1.0), ("", 1.0), (0, 1.0), (False, 0.0), (None, 0.0)])
def test_a_bare_path_after_then_must_have_a_value_other_than_false(value: Any, score: float) -> None:
    assert check_rules({"if": "a", "then": "b"}, actual={"a": 1, "b": value}).score == score
