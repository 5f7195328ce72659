"""Expected values that the match of a rule cannot read."""

from pathlib import Path
from typing import Any

import orjson
import pytest

import fieldwise as fw
from fieldwise.model.comparison import UnreadValues
from fieldwise.model.rule import Match
from fieldwise.model.values import MISSING
from fieldwise.plan.rules import plan_match
from fieldwise.report.files import render
from fieldwise.score.unread_values import count_unread, suggest_reader


def run_rule(folder: Path, rule: str, pairs: list[tuple[Any, Any]], **options: Any) -> fw.Run:
    cases = [{"id": str(at), "expected": {"v": expected}, "actual": {"v": actual}} for at, (expected, actual) in enumerate(pairs)]
    (folder / "cases.jsonl").write_bytes(b"\n".join(map(orjson.dumps, cases)))
    suite = folder / "suite.eval.yaml"
    suite.write_text(
        "cases: cases.jsonl\nevaluators:\n"
        f"  - {{type: field_accuracy, name: fields, fields: [{{path: v, {rule}}}]}}\n"
        f"  - {{type: field_prf, fields: [{{path: v, {rule}}}]}}\n"
    )
    return fw.run(suite, root=folder / "runs", **options)


def unread_notes(run: fw.Run) -> list[tuple[str, str, str | None]]:
    return [(note.level, note.what, note.fix) for note in run.diagnostics if note.code == "unread-values"]


def test_unread_values_are_counted_with_examples_whether_or_not_they_are_equal() -> None:
    values = ["2024-01-02", "soon", "soon", "later", None, 5, "never"]
    assert count_unread(Match("date"), values) == UnreadValues(6, 5, ("soon", "later", "never"))
    assert count_unread(Match("exact"), values) is None
    assert count_unread(Match("money"), [1, 2.5]) == UnreadValues(2)


def test_numbers_are_counted_as_read_only_by_a_match_that_reads_every_number() -> None:
    assert count_unread(Match("boolean"), [1, 0, 2]) == UnreadValues(3, 1, (2,))
    assert count_unread(Match("money"), [1, 2.5, None, MISSING, "soon", True]) == UnreadValues(4, 2, ("soon", True))


def test_counts_of_batches_add_up_and_keep_the_first_examples() -> None:
    assert UnreadValues(3, 2, ("a", "b")) + UnreadValues(4, 3, ("b", "c", "d")) == UnreadValues(7, 5, ("a", "b", "c"))


@pytest.mark.parametrize("chunk", [None, 1])
def test_a_run_shows_them_once_with_the_option_that_reads_them(tmp_path: Path, chunk: int | None) -> None:
    pairs = [(7.42, 7.42), ("RM7.42", "RM7.42"), ("RM 5", 5), (8, 8)]
    run = run_rule(tmp_path, "match: numeric_tolerance", pairs, chunk=chunk)
    what = '`numeric_tolerance` can read 2 of the 4 expected values; it cannot read "RM7.42", "RM 5"'
    assert unread_notes(run) == [("warning", what, "write `match: money`")]
    assert run.exit_code == 0


def test_a_run_that_can_read_none_of_the_values_of_a_rule_exits_2(tmp_path: Path) -> None:
    run = run_rule(tmp_path, "match: date, formats: [YYYY-MM-DD]", [("20-11-17", "2017-11-20"), ("21-11-17", "2017-11-21")])
    [(level, what, fix)] = unread_notes(run)
    assert (level, fix) == ("error", "add their format to `formats`, or remove `formats`")
    assert what == '`date` can read none of the 2 expected values; it cannot read "20-11-17", "21-11-17"'
    assert run.exit_code == 2


@pytest.mark.parametrize(
    ("match", "options", "values", "fix"),
    [
        ("numeric_tolerance", {}, ["1,234.50"], "add `parse: true`"),
        ("numeric_tolerance", {}, ["5 kg"], "add `parse: true`"),
        ("numeric_tolerance", {}, ["$5"], "write `match: money`"),
        ("date", {}, ["03/04/2025"], "set `day_first`"),
        ("date", {"two_digit_years": "off"}, ["20-11-17"], "set `two_digit_years: 69`"),
        ("date", {}, ["2025-04"], "set `precision: month`"),
        ("money", {}, ["5 kg"], "write `match: quantity`"),
        ("money", {}, ["2025-04-03"], "write `match: date`"),
        ("date", {}, ["soon"], "correct the expected values, or use another match"),
        ("date", {}, ["5 listopada 2024"], "set the language of their months: `languages: [hr]` or `languages: [pl]`"),
        ("datetime", {}, ["5 listopada 2024 10:00"], "set the language of their months: `languages: [hr]` or `languages: [pl]`"),
        (
            "datetime",
            {"zone": "require"},
            ["2024-03-05 10:00"],
            "set the zone of values without one, such as `zone: {assume: Europe/Paris}`",
        ),
        ("money", {"currency": "require"}, ["5"], "set the currency of values that name none, such as `default_currency: EUR`"),
        ("date", {}, ["03/04/2025", "soon"], "set `day_first`; correct the values that it does not read"),
    ],
)
def test_the_option_that_would_read_them_is_named(match: str, options: dict[str, Any], values: list[Any], fix: str) -> None:
    assert suggest_reader(plan_match(match, options), values) == fix


@pytest.mark.parametrize(
    ("match", "value", "fix"),
    [
        ("datetime", "x", "correct the expected values, or use another match"),
        ("date", "yes", "correct the expected values, or use another match"),
        ("numeric_tolerance", "RM7.42", "write `match: money`"),
    ],
)
def test_a_few_odd_values_suggest_only_a_match_that_reads_the_others_too(match: str, value: str, fix: str) -> None:
    assert suggest_reader(plan_match(match, {}), [value], reads_most=True) == fix


def test_an_unread_expected_value_is_a_miss_with_its_reason() -> None:
    config = {"type": "field_accuracy", "fields": [{"path": "d", "match": "date"}]}
    assert fw.evaluate(config, expected={"d": "soon"}, actual={"d": "2024-01-02"}).misses == ['d (not a date: "soon")']


@pytest.mark.parametrize(
    ("rule", "expected", "actual", "outcome", "miss"),
    [
        ({"match": "numeric_tolerance", "parse": True}, "169.80", 189.8, "wrong_value", "d"),
        ({"match": "numeric_tolerance"}, "169.80", 189.8, "format_error", "d (type mismatch)"),
        ({"match": "numeric_tolerance"}, "abc", 100, "format_error", "d (type mismatch)"),
        ({"match": "money"}, "RM 5", 6, "wrong_value", "d"),
        ({"match": "quantity"}, "5 kg", 6, "wrong_value", "d"),
        ({"match": "date"}, "20250403", 20250403, "format_error", "d (type mismatch)"),
        ({"match": "exact"}, "abc", 100, "format_error", "d (type mismatch)"),
    ],
)
def test_a_value_that_was_read_and_differs_is_a_wrong_value(
    rule: dict[str, Any], expected: Any, actual: Any, outcome: str, miss: str
) -> None:
    config = {"type": "field_accuracy", "fields": [{"path": "d", **rule}]}
    result = fw.evaluate(config, expected={"d": expected}, actual={"d": actual})
    assert result.comparisons[0].outcome == outcome
    assert result.misses == [miss]


def test_reports_show_them_at_the_top(tmp_path: Path) -> None:
    run = run_rule(tmp_path, "match: numeric_tolerance", [("RM7.42", 7.42), (5, 5)])
    for suffix, first_score in ((".md", "| "), (".html", 'id="summary"')):
        head, mark, _ = render(run, suffix).decode().partition(first_score)
        assert mark
        assert "RM7.42" in head
