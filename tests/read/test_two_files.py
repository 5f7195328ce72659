"""Two files with other ids, names and nesting pair without a script."""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.model.plan import Source
from fieldwise.read.cases import read_cases

GOLD = [
    {"key": "r-1", "entities": {"company": "Acme", "total": "5.00", "lines": [{"desc": "Tea"}]}},
    {"key": "r-2", "entities": {"company": "Lang", "total": "6.00", "lines": []}},
]
OUTPUT = [
    {"doc_id": "r-2", "vendor": "Lang", "total": "6.00", "items": []},
    {"doc_id": "r-1", "vendor": "Acme", "total": "9.00", "items": [{"name": "Tea"}]},
]
MAPPING = {"id": "key", "record": "entities", "rename": {"company": "vendor", "lines": "items", "lines[*].desc": "items[*].name"}}
RULES = [{"type": "field_accuracy", "fields": ["vendor", "total", "items[*].name"]}]


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def run_sides(tmp_path: Path, expected: Any, actual: Any, **cases: Any) -> fw.Run:
    return fw.run({"cases": {"expected": expected, "actual": actual, **cases}, "evaluators": RULES}, root=tmp_path / "store")


def misses(run: fw.Run) -> dict[str, list[str]]:
    return {result.case: list(result.result.misses) for result in run.results()}


def test_ids_records_and_names_of_each_side(tmp_path: Path) -> None:
    mapping = {**MAPPING, "rename": {"company": "vendor", "lines[*].desc": "items[*].name"}}
    run = run_sides(
        tmp_path,
        {"file": write(tmp_path / "gold.jsonl", GOLD), **mapping},
        {"file": write(tmp_path / "out.jsonl", OUTPUT), "id": "doc_id"},
    )
    assert misses(run) == {"r-1": ["total"], "r-2": []}
    assert run.case("r-1").expected["vendor"] == "Acme"  # pyright: ignore


def test_files_with_an_id_inside_pair_by_it(tmp_path: Path) -> None:
    for number, row in enumerate(OUTPUT):
        (tmp_path / "out").mkdir(exist_ok=True)
        (tmp_path / "out" / f"page{number}.json").write_text(json.dumps({"meta": {"doc": row["doc_id"]}, "fields": row}))
    mapping = {**MAPPING, "rename": {"company": "vendor", "lines[*].desc": "items[*].name"}}
    run = run_sides(
        tmp_path,
        {"file": write(tmp_path / "gold.jsonl", GOLD), **mapping},
        {"file": str(tmp_path / "out" / "*.json"), "id": "meta.doc", "record": "fields"},
    )
    assert misses(run) == {"r-1": ["total"], "r-2": []}


def test_record_files_have_records_and_renames_too(tmp_path: Path) -> None:
    for row in GOLD:
        (tmp_path / "gold").mkdir(exist_ok=True)
        (tmp_path / "gold" / f"{row['key']}.json").write_text(json.dumps(row))
    gold = {"file": str(tmp_path / "gold"), "record": "entities", "rename": {"company": "vendor", "lines[*].desc": "items[*].name"}}
    run = run_sides(tmp_path, gold, {"file": write(tmp_path / "out.jsonl", OUTPUT), "id": "doc_id"})
    assert misses(run) == {"r-1": ["total"], "r-2": []}


def test_join_stays_as_short_for_the_same_id_on_both_sides(tmp_path: Path) -> None:
    rows = [{"question": "q", "vendor": "a", "total": 1, "items": []}]
    expected, actual = write(tmp_path / "gold.jsonl", rows), write(tmp_path / "out.jsonl", rows)
    assert misses(run_sides(tmp_path, expected, actual, join="question")) == {"1": []}


@pytest.mark.parametrize(
    ("side", "what"),
    [
        ({"id": "kee"}, "no row has `kee`, the `id` of this side"),
        ({"id": "key", "record": "entitys"}, "no row has `entitys`, the `record` of this side"),
    ],
)
def test_a_mapping_that_does_not_fit_is_an_error(side: dict[str, Any], what: str, tmp_path: Path) -> None:
    actual = {"file": write(tmp_path / "out.jsonl", OUTPUT), "id": "doc_id"}
    with pytest.raises(fw.ConfigError) as error:
        run_sides(tmp_path, {"file": write(tmp_path / "gold.jsonl", GOLD), **side}, actual)
    assert what in [note.what for note in error.value.diagnostics]


def test_a_rename_that_fits_no_record_makes_the_run_invalid(tmp_path: Path) -> None:
    actual = {"file": write(tmp_path / "out.jsonl", OUTPUT), "id": "doc_id"}
    side = {"id": "key", "record": "entities", "rename": {"compny": "vendor"}}
    run = run_sides(tmp_path, {"file": write(tmp_path / "gold.jsonl", GOLD), **side}, actual)
    what = "`compny` cannot be renamed to `vendor`: no record has it"
    fixes = {note.what: str(note.fix) for note in run.diagnostics if note.level == "error"}
    assert fixes[what].startswith("did you mean `company`?")
    assert (run.exit_code, run.state, run.summary) == (2, "invalid", {})


@pytest.mark.parametrize(
    ("expected", "what"),
    [
        ({"id": "key"}, "`expected` needs `file`"),
        ({"file": "a", "recrd": "b"}, "`expected` has no key `recrd`"),
        ({"file": "a", "rename": ["b"]}, "`rename` must be a mapping of names"),
        ({"file": "a", "rename": {"b": "c", "d": "c"}}, "two fields are renamed to `c`"),
        ({"file": "a", "rename": {"b[*].c": "d"}}, "do not have the same number of `[*]`"),
        ({"file": "a", "id": "b..c"}, "has an empty step"),
    ],
)
def test_a_bad_mapping_is_a_configuration_error(expected: Any, what: str) -> None:
    with pytest.raises(fw.ConfigError) as error:
        fw.check({"cases": {"expected": expected, "actual": "out.jsonl"}, "evaluators": RULES})
    assert what in str(error.value)


def test_join_and_an_id_of_one_side_contradict_each_other() -> None:
    cases = {"expected": {"file": "a", "id": "b"}, "actual": "c", "join": "d"}
    with pytest.raises(fw.ConfigError, match="`join` names the id of both sides"):
        fw.check({"cases": cases, "evaluators": RULES})


FENCED = 'Here it is:\n```json\n{"total": 5}\n```\n'


@pytest.mark.parametrize("suffix", [".txt", ".md", ".json"])
def test_a_folder_of_model_outputs_as_text_is_a_side(tmp_path: Path, suffix: str) -> None:
    for folder in ("gold", "out"):
        (tmp_path / folder).mkdir()
    for name in ("a", "b"):
        (tmp_path / "gold" / f"{name}.json").write_text('{"total": 5}')
        (tmp_path / "out" / f"{name}{suffix}").write_text(FENCED, encoding="utf-8-sig")
    run = fw.run(
        {
            "cases": {"expected": str(tmp_path / "gold"), "actual": str(tmp_path / "out")},
            "evaluators": [{"type": "field_accuracy", "fields": ["total"]}],
        },
        root=tmp_path / "runs",
    )
    assert run.summary["field_accuracy.score"] == 1.0
    assert run.exit_code == 0


def test_an_expected_file_that_is_not_json_stays_an_error(tmp_path: Path) -> None:
    for folder, content in (("gold", FENCED), ("out", '{"total": 5}')):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.json").write_text(content)
    source = Source(expected=str(tmp_path / "gold"), actual=str(tmp_path / "out"))
    diagnostics = [note for cases in read_cases(source) for notes in cases.diagnostics.values() for note in notes]
    assert [note.code for note in diagnostics if note.level == "error"] == ["unreadable-expected"]


@pytest.mark.parametrize("names", [[f"bill_{n:03}" for n in range(4)], [f"r{'abcdefghijk'[n]}" for n in range(11)]])
def test_an_object_of_records_by_their_ids_is_a_table(tmp_path: Path, names: list[str]) -> None:
    gold = {name: {"vendor": f"Vendor {name}", "tax": {"amount": n}} for n, name in enumerate(names)}
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    (tmp_path / "out").mkdir()
    for name in names[1:]:
        (tmp_path / "out" / f"{name}.json").write_text(json.dumps(gold[name] | {"tokens": 5}))
    cases = {"expected": str(tmp_path / "gold.json"), "actual": str(tmp_path / "out")}
    evaluators = [{"type": "field_accuracy", "name": "fields", "fields": ["vendor", "tax.amount"]}]
    run = fw.run({"name": "s", "cases": cases, "evaluators": evaluators}, root=tmp_path / "runs")
    assert run.summary["fields.score"] == pytest.approx((len(names) - 1) / len(names))
    assert any("an object of" in problem.what for problem in run.diagnostics)


def test_an_object_of_records_by_their_ids_may_stand_beside_what_is_said_of_the_file(tmp_path: Path) -> None:
    gold = {f"doc_{number}": {"total": number} for number in range(4)}
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    cases = {"expected": str(tmp_path / "gold.json"), "actual": str(tmp_path / "out.json")}
    suite = {"cases": cases, "evaluators": [{"type": "field_prf"}]}
    (tmp_path / "out.json").write_text(json.dumps({"output": {**gold, "doc_2": {"total": 99}}, "version": "ae7ea06"}))
    run = fw.run(suite, root=tmp_path / "runs")
    assert [stored.case for stored in run.mismatches()] == ["doc_2"]
    assert any("`output` of the file is an object of 4 records" in note.what and "`version`" in note.what for note in run.diagnostics)
    (tmp_path / "out.json").write_text(json.dumps({"output": gold, "invoice_number": "A-1"}))
    assert "nothing-pairs" in {note.code for note in fw.run(suite, root=tmp_path / "runs").diagnostics}


ROWS = [{"id": f"d{n}", "vendor": f"Vendor {n}", "total": n} for n in range(4)]


@pytest.mark.parametrize(
    "document",
    [
        {"results": ROWS, "model": "m-2"},
        {"run_id": "7", "createdAt": "2026-01-02", "usage": {"tokens": 5}, "predictions": ROWS},
        {"items": ROWS, "count": 4},
        {"documents": ROWS},
    ],
)
def test_a_list_of_records_beside_what_is_said_of_the_whole_file_is_a_table(tmp_path: Path, document: dict[str, Any]) -> None:
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / "out.json").write_text(json.dumps(document))
    cases = {"expected": str(tmp_path / "gold.jsonl"), "actual": str(tmp_path / "out.json")}
    run = fw.run({"name": "s", "cases": cases, "evaluators": [{"type": "field_prf"}]}, root=tmp_path / "runs")
    assert run.summary["field_prf.score"] == 1.0
    assert run.manifest.summary.cases == 4
    [note] = [problem.what for problem in run.diagnostics if problem.code == "record-list"]
    assert next(key for key, value in document.items() if value is ROWS) in note


@pytest.mark.parametrize(
    "record",
    [
        {"number": "A-1", "items": ROWS},  # an invoice
        {"items": ROWS},
        {"results": [{"test": "iron", "value": 3}]},
        {"name": "night", "results": ROWS},
        {"model": "m-2", "results": ROWS, "errors": ROWS},
        {"model": "m-2", "wheels": ROWS},
        {"model": "m-2", "results": [1, 2]},
    ],
)
def test_a_record_with_a_list_stays_one_record(tmp_path: Path, record: dict[str, Any]) -> None:
    for name in ("gold.json", "out.json"):
        (tmp_path / name).write_text(json.dumps(record if name == "gold.json" else record | {"note": 1}))
    cases = {"expected": str(tmp_path / "gold.json"), "actual": str(tmp_path / "out.json")}
    run = fw.run({"name": "s", "cases": cases, "evaluators": [{"type": "field_prf"}]}, root=tmp_path / "runs")
    assert run.manifest.summary.cases == 1


def test_the_parts_of_a_record_are_no_records(tmp_path: Path) -> None:
    record = {"seller": {"name": "Acme"}, "buyer": {"name": "Lang"}, "carrier": {"name": "Post"}}
    for name in ("gold.json", "out.json"):
        (tmp_path / name).write_text(json.dumps(record if name == "gold.json" else record | {"note": 1}))
    cases = {"expected": str(tmp_path / "gold.json"), "actual": str(tmp_path / "out.json")}
    run = fw.run({"name": "s", "cases": cases, "evaluators": [{"type": "field_prf"}]}, root=tmp_path / "runs")
    assert run.summary["field_prf.correct_fields"] == 3


@pytest.mark.parametrize(
    "record",
    [
        {"budget": 100, "actual": 90},
        {"prediction": "rain", "temperature": 9},
        {"gold": 3, "silver": 2},
        {"expected": "3 May", "delivered": True},
        {"actuals": 5, "plan": 6},
    ],
)
def test_fields_of_a_record_that_have_the_name_of_a_side_are_data(tmp_path: Path, record: dict[str, Any]) -> None:
    rows = [{"id": name, **record} for name in "ab"]
    run = fw.run({"evaluators": [{"type": "field_prf"}]}, expected=rows, actual=[dict(row) for row in rows], on="id", root=tmp_path)
    assert run.summary["field_prf.score"] == 1.0
    assert run.summary["field_prf.total_gt_fields"] == 2


def test_a_column_that_a_rule_names_is_data(tmp_path: Path) -> None:
    rows = [{"id": "a", "actual": "x"}]
    evaluators = [{"type": "field_accuracy", "fields": ["actual"]}]
    run = fw.run({"evaluators": evaluators}, expected=rows, actual=[dict(row) for row in rows], on="id", root=tmp_path)
    assert run.summary["field_accuracy.score"] == 1.0


def test_a_column_with_the_record_of_a_side_is_found_beside_other_columns(tmp_path: Path) -> None:
    expected, actual = [{"id": "a", "expected": {"x": 9}, "lang": "en"}], [{"id": "a", "expected": {"x": 9}, "actual": {"x": 8}, "ms": 4}]
    run = fw.run({"evaluators": [{"type": "field_prf"}]}, expected=expected, actual=actual, on="id", root=tmp_path)
    assert [(stored.expected, stored.actual) for stored in run.mismatches()] == [(9, 8)]


def test_a_record_whose_values_all_have_a_confidence_is_one_record(tmp_path: Path) -> None:
    gold = {f"field_{letter}": letter for letter in "abcdefghijkl"}
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    (tmp_path / "out.json").write_text(json.dumps({name: {"value": value, "confidence": 0.9} for name, value in gold.items()}))
    cases = {"expected": str(tmp_path / "gold.json"), "actual": str(tmp_path / "out.json")}
    run = fw.run({"name": "s", "cases": cases, "evaluators": [{"type": "field_prf"}]}, root=tmp_path / "runs")
    assert run.manifest.summary.cases == 1
    assert run.summary["field_prf.score"] == 1.0


def test_a_scalar_with_the_name_of_a_side_is_data_and_different_names_are_said(tmp_path: Path) -> None:
    expected = [{"id": number, "value": float(number)} for number in range(5)]
    actual = [{"id": number, "prediction": float(number)} for number in range(5)]
    suite: dict[str, Any] = {"evaluators": [{"type": "field_accuracy"}]}
    run = fw.run(suite, expected=expected, actual=actual, on="id", root=tmp_path)
    [note] = [note for note in run.diagnostics if note.code == "no-common-field"]
    assert "expected has `value`, actual has `prediction`" in note.what
    assert "rename: {prediction: value}" in (note.fix or "")
    sides = {"expected": {"file": "e"}, "actual": {"file": "a", "rename": {"prediction": "value"}}}
    run = fw.run({**suite, "cases": sides}, expected=expected, actual=actual, on="id", root=tmp_path)
    assert run.summary["field_accuracy.score"] == 1.0
    assert "no-common-field" not in {note.code for note in run.diagnostics}


@pytest.mark.parametrize("name", ["prediction", "answer", "response", "output", "reference"])
@pytest.mark.parametrize("is_text", [False, True])
def test_a_scalar_that_both_sides_have_alone_is_a_field(tmp_path: Path, name: str, is_text: bool) -> None:
    rows = [{"id": number, name: f"a {number}" if is_text else number} for number in range(5)]
    wrong = [{**row, name: "x" if is_text else 99} if row["id"] == 3 else row for row in rows]
    run = fw.run({"evaluators": [{"type": "field_prf"}]}, expected=rows, actual=wrong, on="id", root=tmp_path)
    assert [stored.field for stored in run.mismatches()] == [name]


@pytest.mark.parametrize("as_text", [False, True])
def test_a_record_under_the_name_of_a_side_is_unwrapped(tmp_path: Path, as_text: bool) -> None:
    expected = [{"id": "a", "total": 5}]
    record = {"total": 6}
    actual = [{"id": "a", "prediction": json.dumps(record) if as_text else record}]
    run = fw.run({"evaluators": [{"type": "field_prf"}]}, expected=expected, actual=actual, on="id", root=tmp_path)
    assert [(stored.expected, stored.actual) for stored in run.mismatches()] == [(5, 6)]


def test_ids_that_differ_by_a_file_extension_pair_in_a_run(tmp_path: Path) -> None:
    expected = [{"doc_id": f"x{number}.pdf", "total": number} for number in range(5)]
    actual = [{"doc_id": f"x{number}", "total": number} for number in reversed(range(5))]
    run = fw.run({"evaluators": [{"type": "field_prf"}]}, expected=expected, actual=actual, root=tmp_path)
    assert run.summary["field_prf.score"] == 1.0
    [note] = [note for note in run.diagnostics if note.code == "paired-by-stem"]
    assert "`x0.pdf` of expected is `x0` of actual" in note.what
    two_scans = [*expected, {"doc_id": "x0.png", "total": 0}]
    run = fw.run({"evaluators": [{"type": "field_prf"}]}, expected=two_scans, actual=actual, root=tmp_path)
    assert "nothing-pairs" in {note.code for note in run.diagnostics}


def _pair_ids(tmp_path: Path, expected_ids: list[object], actual_ids: list[object]) -> tuple[list[str], set[str]]:
    """The ids of the cases that have an output, and the codes of the diagnostics."""
    expected = [{"id": id, "total": number} for number, id in enumerate(expected_ids)]
    actual = [{"id": id, "total": number} for number, id in enumerate(actual_ids)]
    run = fw.run({"evaluators": [{"type": "field_prf"}]}, expected=expected, actual=actual, root=tmp_path)
    return [stored.case for stored in run.results() if stored.result.status == "scored"], {note.code for note in run.diagnostics}


def test_ids_of_which_one_side_has_lost_the_leading_zeros_pair(tmp_path: Path) -> None:
    for expected, actual in ((["007", "008", "100"], [7, 8, 100]), (["d7", "d12"], ["d0007", "d0012"])):
        cases, codes = _pair_ids(tmp_path, expected, actual)
        assert cases == expected
        assert "paired-without-zeros" in codes
    cases, codes = _pair_ids(tmp_path, ["scan-007.pdf", "scan-008.pdf"], ["scan-8", "scan-7"])
    assert cases == ["scan-007.pdf", "scan-008.pdf"]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (["007", "07"], ["7", "8"]),  # two ids of one side would become one
        (["01"], ["1"]),  # one pair shows no way of padding
        (["v1.01", "v1.02"], ["v1.1", "v1.2"]),  # decimals
        (["001", "502", "503", "504"], ["1", "602", "603", "604"]),  # most do not pair
    ],
)
def test_ids_with_leading_zeros_that_are_others_do_not_pair(tmp_path: Path, expected: list[object], actual: list[object]) -> None:
    assert "nothing-pairs" in _pair_ids(tmp_path, expected, actual)[1]


def test_ids_that_both_sides_pad_alike_pair_as_they_are(tmp_path: Path) -> None:
    cases, codes = _pair_ids(tmp_path, ["007", "008", "009"], ["009", "010", "011"])
    assert cases == ["009"]
    assert "paired-without-zeros" not in codes


def test_files_pair_by_numbers_without_leading_zeros(tmp_path: Path) -> None:
    for folder, template in (("gold", "scan_{:03d}.json"), ("out", "scan_{}.json")):
        (tmp_path / folder).mkdir()
        for number in range(8, 12):
            (tmp_path / folder / template.format(number)).write_text(json.dumps({"total": number}))
    cases = {"expected": str(tmp_path / "gold"), "actual": str(tmp_path / "out")}
    run = fw.run({"name": "s", "cases": cases, "evaluators": [{"type": "field_prf"}]}, root=tmp_path / "runs")
    assert [(stored.case, stored.result.score) for stored in run.results()] == [(f"scan_{number:03d}", 1.0) for number in range(8, 12)]


def test_a_side_by_columns_pairs_with_rows(tmp_path: Path) -> None:
    rows = [{"doc_id": f"d{number}", "total": number} for number in range(4)]
    columns = {"doc_id": [row["doc_id"] for row in reversed(rows)], "total": [row["total"] for row in reversed(rows)]}
    (tmp_path / "gold.json").write_text(json.dumps(rows))
    for output in (columns, {name: {str(row): value for row, value in enumerate(values)} for name, values in columns.items()}):
        (tmp_path / "out.json").write_text(json.dumps(output))
        cases = {"expected": str(tmp_path / "gold.json"), "actual": str(tmp_path / "out.json")}
        run = fw.run({"name": "s", "cases": cases, "evaluators": [{"type": "field_prf"}]}, root=tmp_path / "runs")
        assert [(stored.case, stored.result.score) for stored in run.results()] == [(row["doc_id"], 1.0) for row in rows]


def test_answers_by_their_ids_pair_with_rows_that_have_these_ids(tmp_path: Path) -> None:
    rows = [{"id": f"q{number}", "question": "?", "answer": f"answer {number}"} for number in range(6)]
    (tmp_path / "gold.json").write_text(json.dumps(rows))
    (tmp_path / "out.json").write_text(json.dumps({row["id"]: "wrong" if row["id"] == "q3" else row["answer"] for row in reversed(rows)}))
    cases = {"expected": str(tmp_path / "gold.json"), "actual": str(tmp_path / "out.json")}
    run = fw.run({"name": "s", "cases": cases, "evaluators": [{"type": "equals"}]}, root=tmp_path / "runs")
    assert [result.case for result in run.results() if result.result.score == 0] == ["q3"]
    assert "keyed-values" in {note.code for note in run.diagnostics}
    (tmp_path / "out.json").write_text(json.dumps({"total": "5", "vendor": "Acme"}))
    run = fw.run({"name": "s", "cases": cases, "evaluators": [{"type": "equals"}]}, root=tmp_path / "runs")
    assert "keyed-values" not in {note.code for note in run.diagnostics}


LINES = [{"doc": f"d{number // 3}", "line": number % 3 + 1, "amount": float(number)} for number in range(9)]


@pytest.mark.parametrize("on", [["doc", "line"], (["doc", "line"], ["doc", "line"]), None])
def test_two_columns_identify_rows_together_and_are_not_scored(tmp_path: Path, on: Any) -> None:
    actual = [{**row, "amount": 99.0} if row["doc"] == "d1" and row["line"] == 2 else row for row in reversed(LINES)]
    suite: dict[str, Any] = {"evaluators": [{"type": "field_prf"}]}
    if on is None:
        suite["cases"] = {
            "expected": write(tmp_path / "e.jsonl", LINES),
            "actual": write(tmp_path / "a.jsonl", actual),
            "join": ["doc", "line"],
        }
        run = fw.run(suite, root=tmp_path)
    else:
        run = fw.run(suite, expected=LINES, actual=actual, on=on, root=tmp_path)
    assert [(stored.case, stored.field) for stored in run.mismatches()] == [("d1/2", "amount")]
    assert {field.field for field in run.fields()} == {"amount"}


def test_a_part_of_an_id_may_be_a_path_and_a_rule_may_name_it(tmp_path: Path) -> None:
    expected = [{"meta": {"doc": row["doc"]}, "line": row["line"], "amount": row["amount"]} for row in LINES]
    suite = {"evaluators": [{"type": "field_accuracy", "fields": ["line", "amount"]}]}
    run = fw.run(suite, expected=expected, actual=LINES[::-1], on=(["meta.doc", "line"], ["doc", "line"]), root=tmp_path)
    assert {field.field: field.matched for field in run.fields()} == {"line": 9, "amount": 9}


def test_a_row_without_a_part_of_its_id_pairs_with_nothing(tmp_path: Path) -> None:
    actual = [{**row, "line": None} if row["doc"] == "d0" else row for row in LINES]
    run = fw.run({"evaluators": [{"type": "field_prf"}]}, expected=LINES, actual=actual, on=["doc", "line"], root=tmp_path)
    assert run.summary["field_prf.micro_recall"] == pytest.approx(6 / 9)
    assert "actual 1 (no id)" in {note.where.case for note in run.diagnostics if note.code == "no-expected"}


def test_parts_that_become_the_same_id_are_duplicates(tmp_path: Path) -> None:
    rows = [{"doc": "a/b", "line": "c", "x": 1}, {"doc": "a", "line": "b/c", "x": 2}]
    copies = [dict(row) for row in rows]
    run = fw.run({"evaluators": [{"type": "field_prf"}]}, expected=rows, actual=copies, on=["doc", "line"], root=tmp_path)
    assert run.exit_code == 2
    assert "duplicate-id" in {note.code for note in run.diagnostics}


@pytest.mark.parametrize("on", [["doc", 1], [], ("a", "b", "c"), (["a"], ["b", "c"]), ["doc", "doc"], 5])
def test_ids_of_another_form_are_refused(on: Any) -> None:
    with pytest.raises(fw.ConfigError, match="`on` must be"):
        fw.run({"evaluators": [{"type": "field_prf"}]}, expected=LINES, actual=LINES[::-1], on=on)


@pytest.mark.parametrize("id", [[], ["doc", "doc"], ["doc", 5], {"doc": "line"}])
def test_an_id_in_a_suite_is_a_column_or_different_ones(id: Any) -> None:
    sides = {"expected": {"file": "e.jsonl", "id": id}, "actual": {"file": "a.jsonl", "id": ["doc", "line"]}}
    with pytest.raises(fw.ConfigError):
        fw.check({"cases": sides, "evaluators": [{"type": "field_prf"}]})


@pytest.mark.parametrize(
    ("column", "values", "warns"),
    [
        ("predicted_total", [1, 2, 9], True),
        ("total_pred", [1, 2, 9], True),
        ("predicted_total", [1, 2, 3], False),  # whichever of them is compared, the score is the same
        ("total_generated", [1, 2, 9], False),  # may say when or how
    ],
)
def test_a_run_warns_of_a_column_that_repeats_the_expected_values(tmp_path: Path, column: str, values: list[int], warns: bool) -> None:
    expected = [{"id": f"r{number}", "total": number} for number in (1, 2, 3)]
    actual = [{**row, column: value} for row, value in zip(expected, values, strict=True)]
    suite: dict[str, Any] = {"evaluators": [{"type": "field_accuracy", "fields": ["total"]}]}
    run = fw.run(suite, expected=expected, actual=actual, on="id", root=tmp_path)
    assert ("repeated-expected" in {note.code for note in run.diagnostics}) == warns
    renamed = suite | {"cases": {"expected": {"file": "e"}, "actual": {"file": "a", "rename": {column: "total"}}}}
    run = fw.run(renamed, expected=[*expected], actual=[{"id": row["id"], column: row[column]} for row in actual], on="id", root=tmp_path)
    assert "repeated-expected" not in {note.code for note in run.diagnostics}
