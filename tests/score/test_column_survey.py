"""Options that a whole column decides."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise.model.case import Case, Cases
from fieldwise.model.plan import Plan, SideMapping, Source
from fieldwise.plan.evaluators import plan_config
from fieldwise.score.column_survey import collect_evidence, make_line_filter, survey_plan_columns


def write_suite(folder: Path, rule: str, rows: list[tuple[object, object]]) -> Path:
    cases = [{"id": str(at), "expected": {"v": expected}, "actual": {"v": actual}} for at, (expected, actual) in enumerate(rows)]
    (folder / "cases.jsonl").write_bytes(b"\n".join(map(orjson.dumps, cases)))
    suite = folder / "suite.eval.yaml"
    suite.write_text(f"cases: cases.jsonl\nevaluators:\n  - {{type: field_accuracy, name: fields, fields: [{{path: v, {rule}}}]}}\n")
    return suite


def remarks(run: fw.Run) -> list[str]:
    return [note.what for note in run.diagnostics if note.code == "column-decides"]


def test_the_column_decides_the_order_of_day_and_month_in_a_match() -> None:
    dates = {"expected": ["2018-03-14", "2018-04-03"], "actual": ["14/03/2018", "03/04/2018"]}
    assert fw.match("date", **dates).value.tolist() == [1.0, 1.0]
    assert fw.match("date", expected=["2018-04-03"], actual=["03/04/2018"]).value.tolist() == [0.0]
    assert fw.match(
        "datetime", expected=["2018-03-14 10:00", "2018-04-03 11:00"], actual=["03/14/2018 10:00", "04/03/2018 11:00"]
    ).passed.all()


def test_contradicting_values_decide_nothing() -> None:
    scores = fw.match("date", expected=["2018-03-14", "2018-03-14", "2018-04-03"], actual=["14/03/2018", "03/14/2018", "03/04/2018"])
    assert scores.value.tolist() == [1.0, 1.0, 0.0]
    assert "ambiguous date" in scores.notes[2]


def test_the_column_decides_what_a_month_name_means() -> None:
    scores = fw.match("date", expected=["2024-01-09", "2024-11-05"], actual=["9 stycznia 2024", "5 listopad 2024"])
    assert scores.value.tolist() == [1.0, 1.0]


def test_the_column_decides_the_decimal_mark() -> None:
    assert fw.match("money", expected=[1234, 12.5], actual=["1.234 €", "12,50 €"]).value.tolist() == [1.0, 1.0]
    assert fw.match("money", expected=["1.234 €", "12,50 €"], actual=["1234", "12.50"]).value.tolist() == [1.0, 1.0]
    assert fw.match("money", expected=[1234], actual=["1.234 €"]).value.tolist() == [0.0]


@pytest.mark.parametrize("limit", [None, 1])
def test_a_run_surveys_all_cases_and_reports_what_they_decide(tmp_path: Path, limit: int | None) -> None:
    rows = [("2018-04-03", "03/04/2018"), *[("2018-03-14", "14/03/2018")] * 3]
    run = fw.run(write_suite(tmp_path, "match: date", rows), root=tmp_path / "runs", limit=limit)
    assert run.summary["fields.score"] == 1.0
    assert remarks(run) == ["1 dates that read both ways were read day first: 3 values only read day first, 0 only month first"]


def test_a_run_reads_nothing_twice_where_the_options_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fieldwise.api.survey_plan_columns", lambda *_: pytest.fail("surveyed"))
    run = fw.run(write_suite(tmp_path, "match: date, formats: [YYYY-MM-DD]", [("2018-04-03", "2018-04-03")]), root=tmp_path / "runs")
    assert run.summary["fields.score"] == 1.0


def test_rules_of_one_path_with_other_options_are_surveyed_each_by_itself(tmp_path: Path) -> None:
    suite = write_suite(tmp_path, "match: date", [("2018-04-03", "03/04/2018"), ("2018-03-14", "14/03/2018")])
    by_month = "  - {type: field_accuracy, name: months, fields: [{path: v, match: date, precision: month}]}\n"
    again = "  - {type: field_accuracy, name: again, fields: [{path: v, match: date}]}\n"
    suite.write_text(suite.read_text() + by_month + again)
    run = fw.run(suite, root=tmp_path / "runs")
    assert [run.summary[f"{name}.score"] for name in ("fields", "months", "again")] == [1.0, 1.0, 1.0]
    assert len(remarks(run)) == 2


def test_a_list_of_one_case_is_a_column_as_in_a_run_of_that_case() -> None:
    config = {"type": "field_accuracy", "fields": [{"path": "v[*]", "match": "date"}]}
    result = fw.evaluate(config, expected={"v": ["2018-03-14", "2018-04-03"]}, actual={"v": ["14/03/2018", "03/04/2018"]})
    assert result.misses == []
    result = fw.evaluate(config, expected={"v": ["2018-04-03"]}, actual={"v": ["03/04/2018"]})
    assert result.misses == ["v[0] (ambiguous date: 3 April or March 4; set day_first or formats)"]


def test_the_column_decides_in_a_diff() -> None:
    amounts = [{"id": "1", "x": "1.234,50 €"}, {"id": "2", "x": "1.234 €"}]
    assert fw.diff(amounts, [{"id": "1", "x": 1234.5}, {"id": "2", "x": 1234}]).same
    assert not fw.diff(amounts, [{"id": "1", "x": 1234.5}, {"id": "2", "x": 1.234}]).same


def test_list_items_are_surveyed_one_by_one(tmp_path: Path) -> None:
    suite = write_suite(tmp_path, "match: money", [(["1.234", "7,50"], ["1234,00", "7,5"])])
    suite.write_text(suite.read_text().replace("path: v,", 'path: "v[*]",'))
    run = fw.run(suite, root=tmp_path / "runs")
    assert run.summary["fields.score"] == 1.0
    assert remarks(run) == [
        "1 amounts that read both ways were read with a decimal comma: 3 amounts have a decimal comma, 0 a decimal point"
    ]


def test_cases_from_an_iterator_are_surveyed_and_scored(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "expected": {"v": "2018-04-03"}, "actual": {"v": "03/04/2018"}},
        {"id": "b", "expected": {"v": "2018-03-14"}, "actual": {"v": "14/03/2018"}},
    ]
    suite = {"evaluators": [{"type": "field_accuracy", "name": "fields", "fields": [{"path": "v", "match": "date"}]}]}
    run = fw.run(suite, cases=iter(rows), root=tmp_path / "runs")
    assert run.summary["fields.score"] == 1.0
    assert len(remarks(run)) == 1


@pytest.mark.parametrize(("match", "time"), [("date", ""), ("datetime", " 10:00")])
def test_sides_that_contradict_each_other_are_each_read_by_their_own_evidence(match: str, time: str) -> None:
    expected = [day + time for day in ("13/04/2025", "03/04/2025", "03/04/2025")]
    actual = [day + time for day in ("04/13/2025", "03/04/2025", "04/03/2025")]
    assert fw.match(match, expected=expected, actual=actual).value.tolist() == [1.0, 0.0, 1.0]


def test_a_side_without_evidence_is_read_as_the_other() -> None:
    scores = fw.match("date", expected=["13/04/2025", "03/04/2025", "03/04/2025"], actual=["2025-04-13", "03/04/2025", "04/03/2025"])
    assert scores.value.tolist() == [1.0, 1.0, 0.0]


@pytest.mark.parametrize("chunk", [None, 1])
def test_a_run_reads_sides_that_contradict_each_other_apart_and_says_so(tmp_path: Path, chunk: int | None) -> None:
    rows = [("13/04/2025", "04/13/2025"), ("03/04/2025", "03/04/2025"), ("03/04/2025", "04/03/2025")]
    run = fw.run(write_suite(tmp_path, "match: date", rows), root=tmp_path / "runs", chunk=chunk)
    assert [case.score for case in run.results("fields")] == [1.0, 0.0, 1.0]
    assert remarks(run) == [
        "4 dates that read both ways were read day first in expected values and month first in actual values: "
        "1 values only read day first, 1 only month first"
    ]


@pytest.mark.parametrize(("match", "options"), [("money", {}), ("numeric_tolerance", {"parse": True})])
def test_the_column_decides_the_decimal_mark_of_every_match_that_reads_numbers(match: str, options: dict[str, bool]) -> None:
    column = {"expected": ["1.234", "2.345,00"], "actual": [1234, 2345]}
    assert fw.match(match, **column, **options).value.tolist() == [1.0, 1.0]
    assert fw.match(match, expected=["1.234", "2.345,00"], actual=[1.234, 2345], **options).value.tolist() == [0.0, 1.0]


def test_the_column_decides_the_decimal_mark_of_quantities() -> None:
    assert fw.match("quantity", expected=["1.234 kg", "2,5 kg"], actual=["1234 kg", "2.5 kg"]).value.tolist() == [1.0, 1.0]
    assert fw.match("quantity", expected=["1,234 kg", "2,5 kg"], actual=["1.234 kg", "2.5 kg"]).value.tolist() == [1.0, 1.0]
    assert fw.match("quantity", expected=["1,250 kg", "0,125 kg"], actual=["1250 g", "125 g"]).value.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("match", "options"), [("money", {}), ("numeric_tolerance", {"parse": True})])
def test_sides_with_other_decimal_marks_are_each_read_by_their_own(match: str, options: dict[str, bool]) -> None:
    expected, actual = ["1.234 €", "12,50 €", "1.234 €"], ["1,234 €", "12.50 €", "1.234 €"]
    assert fw.match(match, expected=expected, actual=actual, **options).value.tolist() == [1.0, 1.0, 0.0]


def test_a_run_reads_each_side_with_its_own_decimal_mark_and_says_so(tmp_path: Path) -> None:
    rows = [("1.234", "1,234"), ("12,50 €", "$12.50"), ("1.234", "1.234")]
    run = fw.run(write_suite(tmp_path, "match: numeric_tolerance, parse: true", rows), root=tmp_path / "runs")
    assert [case.score for case in run.results("fields")] == [1.0, 0.0, 0.0]
    assert remarks(run) == [
        "4 numbers that read both ways were read with a decimal comma in expected values and a decimal point in actual values: "
        "1 numbers have a decimal comma, 1 a decimal point"
    ]


@pytest.mark.parametrize(
    ("rule", "value", "complete"),
    [
        ("match: money, currency: require", "5", "5 EUR"),
        ("match: money, currency: require", 5, "5 EUR"),
        ("match: datetime, zone: require", "2024-03-01T10:00", "2024-03-01T10:00Z"),
    ],
)
def test_a_run_never_passes_a_value_without_what_is_required(tmp_path: Path, rule: str, value: object, complete: str) -> None:
    run = fw.run(write_suite(tmp_path, rule, [(value, value), (complete, complete)]), root=tmp_path / "runs")
    assert [case.score for case in run.results("fields")] == [0.0, 1.0]


def filter_for(*rules: dict[str, Any], source: Source | None = None) -> Any:
    planned = plan_config({"type": "field_accuracy", "fields": list(rules)})
    return make_line_filter(Plan(name="x", evaluators=(planned,), source=source or Source(cases="cases.jsonl")))


SURVEYED = (
    {"match": "date"},
    {"match": "datetime"},
    {"match": "money"},
    {"match": "quantity"},
    {"match": "numeric_tolerance", "parse": True},
)
DATES = ["2024-03-05", "2024-13-05", "2024-03-05T10:20:00Z", "2024-03-05 10:20", "03/04/2025", "14.3.25", "5 listopad 2024", "2024/3/4"]
AMOUNTS = ["1,234", "1.234", "1.234,50 EUR", "12 kg", "1 234,5", "soon", "", "5", "-3.2", "12,5 kg"]
VALUES = st.one_of(
    st.sampled_from([*DATES, *AMOUNTS]),
    st.text(alphabet="0123456789-/.,: TZ\"'\\{}é", max_size=12),
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
)
WRAPPED = st.one_of(
    VALUES,
    st.builds(lambda value: {"value": value, "confidence": 0.5}, VALUES),
    st.builds(lambda values: {"$any": values}, st.lists(VALUES, max_size=2)),
    st.lists(VALUES, max_size=2),
)
SIDES = st.one_of(st.none(), st.builds(lambda value: {"w": {"v": value}, "v": "x"}, WRAPPED))
AS_WRITTEN = st.sampled_from([lambda side: side, json.dumps, repr, lambda side: [{"role": "assistant", "content": repr(side)}]])


@pytest.mark.parametrize("rule", SURVEYED, ids=lambda rule: rule["match"])
@given(sides=st.tuples(SIDES, SIDES), write=AS_WRITTEN, separators=st.sampled_from([(",", ":"), (", ", ": "), (" ,", " :\t")]))
def test_a_line_that_is_not_decoded_holds_no_evidence(
    rule: dict[str, Any], sides: tuple[Any, Any], write: Any, separators: tuple[str, str]
) -> None:
    case = Case(id="1", expected=sides[0], actual=write(sides[1]))
    line = json.dumps({"id": "1", "expected": case.expected, "actual": case.actual}, separators=separators, ensure_ascii=False)
    planned = plan_config({"type": "field_accuracy", "fields": [{"path": "w.v", **rule}]})
    plan = Plan(name="x", evaluators=(planned,), source=Source(cases="cases.jsonl"))
    keeps_line = make_line_filter(plan)
    assert keeps_line is not None
    if not keeps_line(line.encode()):
        evidence = collect_all_evidence(plan, case)
        assert not evidence


@pytest.mark.parametrize("rule", SURVEYED, ids=lambda rule: rule["match"])
@given(values=st.lists(WRAPPED, min_size=1, max_size=4))
def test_a_block_of_lines_is_decoded_if_one_of_its_lines_is(rule: dict[str, Any], values: list[Any]) -> None:
    lines = [json.dumps({"id": str(at), "expected": {"v": value}}, ensure_ascii=False).encode() for at, value in enumerate(values)]
    keeps_line = filter_for({"path": "v", **rule})
    assert keeps_line(b"\n".join(lines)) == any(map(keeps_line, lines))


def collect_all_evidence(plan: Plan, case: Case) -> dict[str, int]:
    """What a survey of one case counts, seen through the function that counts."""
    counted: dict[str, int] = {}

    def remember(match: Any, expected: Any, actual: Any) -> Any:
        evidence = collect_evidence(match, expected, actual)
        counted.update(evidence)
        return evidence

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fieldwise.score.column_survey.collect_evidence", remember)
        survey_plan_columns(plan, [Cases.of([case])])
    return counted


def test_lines_of_iso_dates_and_plain_numbers_are_not_decoded_for_a_survey() -> None:
    keeps_line = filter_for({"path": "date", "match": "date"}, {"path": "items[*].price", "match": "money"})
    assert not keeps_line(b'{"expected": {"date": "2024-03-05", "items": [{"price": 5.5}, {"price": null}]}, "actual": {"date": null}}')
    assert not keeps_line(b'{"expected": {"date": " 2024-03-05"}, "actual": {"date": "unknown"}}')
    assert not keeps_line(b'{"expected": {"kind": "date"}}')
    assert keeps_line(b'{"expected": {"date": "05/03/2024"}}')
    assert keeps_line('{"expected": {"date": "5 fe\u0301vrier 2024"}}'.encode())
    assert keeps_line(b'{"expected": {"items": [{"price": "1,234"}]}}')
    assert keeps_line(b'{"expected": {"date": {"value": "2024-03-05"}}}')
    assert keeps_line(rb'{"expected": {"d\u0061te": "05/03/2024"}}')
    assert keeps_line(b"{\"actual\": \"{'date': '05/03/2024'}\"}")


def test_every_line_is_decoded_where_the_file_has_other_names_than_the_rules() -> None:

    renamed = Source(cases="cases.jsonl", mappings={"actual": SideMapping(rename={"day": "date"})})
    assert filter_for({"path": "date", "match": "date"}, source=renamed) is None
    assert filter_for({"path": "größe", "match": "quantity"}) is None
