"""Expected and actual in different places find each other."""

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.model.case import Case
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.plan import Source
from fieldwise.model.values import MISSING
from fieldwise.read.cases import read_cases
from fieldwise.read.pairing import propose_pairing


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def jsonl(path: Path, rows: list[Any]) -> Path:
    return write(path, "".join(json.dumps(row) + "\n" for row in rows))


def read(
    expected: Path, actual: Path, *, limit: int | None = None, chunk: int = 1024, **options: Any
) -> tuple[list[Case], list[Diagnostic], list[Diagnostic]]:
    reader = read_cases(Source(expected=str(expected), actual=str(actual), **options), limit=limit, chunk=chunk)
    chunks = list(reader)
    notes = [note for batch in chunks for row_notes in batch.diagnostics.values() for note in row_notes]
    return [batch.at(row) for batch in chunks for row in range(len(batch))], reader.diagnostics, notes


def codes(notes: list[Diagnostic]) -> list[str]:
    return [note.code for note in notes]


@pytest.mark.parametrize("pattern", ["", "*.json", "*.json*"])
def test_record_files_pair_by_name(tmp_path: Path, pattern: str) -> None:
    for name, value in (("a", {"x": 1}), ("b", [1, 2]), ("c", {"id": "other"})):
        write(tmp_path / "gold" / f"{name}.json", value)
    write(tmp_path / "pred" / "a.json", {"x": 2})
    write(tmp_path / "pred" / "b.json", [1])
    write(tmp_path / "pred" / "z.json", {})
    cases, diagnostics, notes = read(tmp_path / "gold" / pattern, tmp_path / "pred" / pattern)
    assert [(case.id, case.expected, case.actual) for case in cases] == [
        ("a", {"x": 1}, {"x": 2}),
        ("b", [1, 2], [1]),
        ("c", {"id": "other"}, MISSING),
    ]
    assert [(note.code, note.level, note.where.case) for note in diagnostics] == [
        ("no-actual", "warning", "c"),
        ("no-expected", "warning", "z"),
    ]
    assert notes == []


@pytest.mark.parametrize(
    ("gold", "pred"),
    [("a.gold.json", "a.pred.json"), ("a.json", "a.actual.json"), ("a.expected.json", "a.json"), ("a_gold.json", "a-prediction.json.gz")],
)
def test_an_ending_of_the_name_is_ignored_if_that_makes_a_pair(tmp_path: Path, gold: str, pred: str) -> None:
    write(tmp_path / "gold" / gold, {"x": 1})
    write(tmp_path / "pred" / pred, {"x": 2})
    cases, diagnostics, _ = read(tmp_path / "gold", tmp_path / "pred")
    assert cases == [Case(id="a", expected={"x": 1}, actual={"x": 2})]
    assert diagnostics == []


def test_folders_inside_each_other_pair_by_their_way_down(tmp_path: Path) -> None:
    for side, value in (("gold", 1), ("pred", 2)):
        for folder in ("x", "y"):
            write(tmp_path / side / folder / "a.json", {"v": value, "in": folder})
    cases, diagnostics, _ = read(tmp_path / "gold" / "**" / "*.json", tmp_path / "pred" / "**" / "*.json")
    assert [(case.id, case.actual) for case in cases] == [("x/a", {"v": 2, "in": "x"}), ("y/a", {"v": 2, "in": "y"})]
    assert diagnostics == []


def test_one_file_that_cannot_be_read_costs_one_side(tmp_path: Path) -> None:
    for name in "abc":
        write(tmp_path / "gold" / f"{name}.json", '{"x": 1, "x": 1}' if name == "b" else {"x": 1})
        write(tmp_path / "pred" / f"{name}.json", '{"x": 1, "x": 2}' if name == "a" else {"x": 1})
    (tmp_path / "pred" / "c.json").write_bytes(b"")
    cases, _, notes = read(tmp_path / "gold", tmp_path / "pred")
    assert [(note.code, note.where.case) for note in notes] == [
        ("unreadable-actual", "a"),
        ("unreadable-expected", "b"),
        ("unreadable-actual", "c"),
    ]
    assert all(note.where.file for note in notes)
    assert [(case.expected, case.actual) for case in cases] == [({"x": 1}, MISSING), (MISSING, {"x": 1}), ({"x": 1}, MISSING)]


ALMOST_JSON = [
    "{'x': 3}",
    '{"x": 3,}',
    "{x: 3}",
    '{"x": 3} // note',
    "{“x”: 3}",
    '{"x": 3, "y": "cut o',
    '```json\n{"x": 3}\n```',
]


@pytest.mark.parametrize("text", ALMOST_JSON)
def test_a_prediction_that_is_not_strict_json_is_a_text_for_the_evaluators(tmp_path: Path, text: str) -> None:
    write(tmp_path / "gold" / "c.json", {"x": 3})
    write(tmp_path / "pred" / "c.json", text)
    cases, _, notes = read(tmp_path / "gold", tmp_path / "pred")
    assert ([case.actual for case in cases], notes) == ([text], [])
    for repair, score in (("on", 1.0), ("off", 0.0)):
        suite = {
            "cases": {"expected": str(tmp_path / "gold"), "actual": str(tmp_path / "pred")},
            "evaluators": [{"type": "field_prf", "repair": repair}],
        }
        assert fw.run(suite, root=tmp_path).summary["field_prf.score"] == score


@pytest.mark.parametrize("text", ALMOST_JSON)
def test_an_expected_file_must_be_strict_json(tmp_path: Path, text: str) -> None:
    write(tmp_path / "gold" / "c.json", text)
    write(tmp_path / "pred" / "c.json", {"x": 3})
    _, _, notes = read(tmp_path / "gold", tmp_path / "pred")
    assert [(note.code, note.where.line) for note in notes] == [("unreadable-expected", 1)]


def test_a_damaged_table_of_predictions_is_an_error_with_its_line(tmp_path: Path) -> None:
    gold = jsonl(tmp_path / "gold.jsonl", [{"id": "a", "x": 1}, {"id": "b", "x": 1}])
    pred = write(tmp_path / "pred.json", '[{"id": "a", "x": 1},\n {"id": "b", "x":')
    cases, diagnostics, _ = read(gold, pred)
    assert (cases, [(note.code, note.where.line) for note in diagnostics if note.level == "error"]) == ([], [("truncated-json", 2)])


def test_two_single_records_are_one_case(tmp_path: Path) -> None:
    cases, diagnostics, _ = read(write(tmp_path / "truth.json", {"x": 1}), write(tmp_path / "result.json", {"x": 2}))
    assert cases == [Case(id="truth", expected={"x": 1}, actual={"x": 2})]
    assert diagnostics == []


@pytest.mark.parametrize("chunk", [1, 2, 1024])
def test_tables_join_by_id_in_any_order(tmp_path: Path, chunk: int) -> None:
    gold = jsonl(
        tmp_path / "gold.jsonl", [{"id": key, "question": f"q{key}", "expected": {"x": key}, "lang": "de"} for key in (1, 2, 3, 4)]
    )
    pred = jsonl(tmp_path / "pred.jsonl", [{"id": key, "output": {"x": key}, "contexts": ["c"]} for key in ("4", "3", "9", "1")])
    cases, diagnostics, _ = read(gold, pred, chunk=chunk)
    assert [(case.id, case.actual) for case in cases] == [("1", {"x": "1"}), ("2", MISSING), ("3", {"x": "3"}), ("4", {"x": "4"})]
    assert cases[0] == Case(id="1", input="q1", expected={"x": 1}, actual={"x": "1"}, contexts=["c"], metadata={"lang": "de"})
    unmatched = [("no-actual", "2", 2), ("no-expected", "9", 3)]
    assert [(note.code, note.where.case, note.where.line) for note in diagnostics if note.level == "warning"] == unmatched


def test_rows_without_a_column_for_their_side_are_the_records(tmp_path: Path) -> None:
    gold = jsonl(tmp_path / "gold.jsonl", [{"id": "a", "reference": "R1", "total": 5}])
    pred = jsonl(tmp_path / "pred.jsonl", [{"id": "a", "reference": "R1", "total": 6}])
    cases, diagnostics, _ = read(gold, pred)
    assert cases == [Case(id="a", expected={"reference": "R1", "total": 5}, actual={"reference": "R1", "total": 6})]
    assert codes(diagnostics) == ["rows-are-records", "rows-are-records"]


def test_questions_join_answers(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.csv", "question,answer\nwhat?,604\nwhy?,so\n")
    pred = write(
        tmp_path / "pred.json", [{"question": "why?", "response": "because", "sources": ["s"]}, {"question": "what?", "response": "604"}]
    )
    cases, diagnostics, _ = read(gold, pred, join="question")
    assert [(case.id, case.input, case.expected, case.actual, case.contexts) for case in cases] == [
        ("1", "what?", "604", "604", None),
        ("2", "why?", "so", "because", ["s"]),
    ]
    assert {note.level for note in diagnostics} == {"info"}


def test_columns_may_be_named_for_both_sides(tmp_path: Path) -> None:
    gold = jsonl(tmp_path / "gold.jsonl", [{"key": "a", "truth": 1, "note": "n"}])
    pred = jsonl(tmp_path / "pred.jsonl", [{"key": "a", "t1": 1, "t2": 2}])
    columns = {"id": "key", "expected": "truth", "actuals": ["t1", "t2"]}
    cases, diagnostics, _ = read(gold, pred, columns=columns)
    assert cases == [Case(id="a", expected=1, actual=1, actuals=[1, 2], metadata={"note": "n"})]
    assert diagnostics == []
    for wrong in ({"expected": "trth"}, {"id": "kee"}, {"actuals": ["t3"]}):
        cases, diagnostics, _ = read(gold, pred, columns={**columns, **wrong})
        assert cases == []
        assert "unknown-column" in codes(diagnostics)


def test_a_missing_join_column_is_an_error_with_the_nearest_name(tmp_path: Path) -> None:
    gold = jsonl(tmp_path / "gold.jsonl", [{"question": "q", "gold": 1}])
    cases, diagnostics, _ = read(gold, jsonl(tmp_path / "pred.jsonl", [{"question": "q", "output": 1}]), join="questoin")
    assert cases == []
    assert diagnostics[0].fix == "did you mean `question`?"


def test_without_ids_rows_pair_by_number_and_that_is_told(tmp_path: Path) -> None:
    gold = jsonl(tmp_path / "gold.jsonl", [{"expected": n} for n in range(3)])
    pred = jsonl(tmp_path / "pred.jsonl", [{"actual": n} for n in range(3)])
    cases, diagnostics, _ = read(gold, pred)
    assert [(case.id, case.expected, case.actual) for case in cases] == [("1", 0, 0), ("2", 1, 1), ("3", 2, 2)]
    assert codes(diagnostics) == ["joined-by-number"]
    with_ids = jsonl(tmp_path / "ids.jsonl", [{"id": "x", "actual": 1}])
    assert codes(read(gold, with_ids)[1]) == ["no-join"]


def test_nothing_that_pairs_is_an_error(tmp_path: Path) -> None:
    gold = jsonl(tmp_path / "gold.jsonl", [{"id": "a", "expected": 1}])
    _, diagnostics, _ = read(gold, jsonl(tmp_path / "pred.jsonl", [{"id": "b", "actual": 1}]))
    assert [(note.code, note.level, note.where.case) for note in diagnostics] == [
        ("nothing-pairs", "error", None),
        ("no-expected", "warning", "b"),
    ]


def test_duplicate_ids_are_an_error_on_either_side(tmp_path: Path) -> None:
    gold = jsonl(tmp_path / "gold.jsonl", [{"id": key, "expected": key} for key in "aba"])
    pred = jsonl(tmp_path / "pred.jsonl", [{"id": key, "actual": key} for key in "abb"])
    _, diagnostics, _ = read(gold, pred)
    assert [(note.code, note.where.file, note.what) for note in diagnostics] == [
        ("duplicate-id", str(gold), "line 3 has the same id as line 1: `a`"),
        ("duplicate-id", str(pred), "line 3 has the same id as line 2: `b`"),
    ]


COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


@pytest.mark.parametrize("spellings", [(COMPOSED, DECOMPOSED), (DECOMPOSED, COMPOSED)])
def test_ids_that_are_equal_in_their_composed_form_pair(tmp_path: Path, spellings: tuple[str, str]) -> None:
    expected, actual = spellings
    gold = jsonl(tmp_path / "gold.jsonl", [{"id": expected, "x": 1}])
    pred = jsonl(tmp_path / "pred.jsonl", [{"id": actual, "x": 2}])
    case = Case(id=expected, expected={"x": 1}, actual={"x": 2})
    assert read(gold, pred)[0] == [case]
    write(tmp_path / "g" / f"{expected}.json", {"x": 1})
    write(tmp_path / "p" / f"{actual}.json", {"x": 2})
    assert read(tmp_path / "g", tmp_path / "p")[0] == [case]
    assert read(gold, tmp_path / "p")[0] == [case]
    assert propose_pairing(str(gold), str(pred)).shares_ids
    _, diagnostics, _ = read(gold, jsonl(tmp_path / "twice.jsonl", [{"id": key, "x": 2} for key in spellings]))
    assert codes(diagnostics)[-1] == "duplicate-id"


def test_a_prediction_line_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    gold = jsonl(tmp_path / "gold.jsonl", [{"id": "a", "expected": 1}, {"id": "b", "expected": 1}])
    pred = write(tmp_path / "pred.jsonl", '{"id": "a", "actual": {"x": 1, "x": 2}}\n{"id": "b", "act\n')
    cases, diagnostics, notes = read(gold, pred)
    assert [case.actual for case in cases] == [MISSING, MISSING]
    assert [(note.code, note.where.case) for note in notes] == [("unreadable-actual", "a")]
    assert [(note.code, note.where.line) for note in diagnostics] == [("unreadable-actual", 2), ("no-actual", 2)]


def test_a_folder_may_pair_with_a_table(tmp_path: Path) -> None:
    write(tmp_path / "gold" / "a.json", {"x": 1})
    pred = jsonl(tmp_path / "pred.jsonl", [{"id": "a", "actual": {"x": 2}}])
    assert read(tmp_path / "gold", pred)[0] == [Case(id="a", expected={"x": 1}, actual={"x": 2})]


def test_the_limit_holds_and_leaves_the_rest_alone(tmp_path: Path) -> None:
    for side in ("gold", "pred"):
        for name in "abc":
            write(tmp_path / side / f"{name}.json", {"x": name})
    cases, diagnostics, _ = read(tmp_path / "gold", tmp_path / "pred", limit=2)
    assert [case.id for case in cases] == ["a", "b"]
    assert diagnostics == []


def test_a_side_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold" / "a.json", {"x": 1})
    assert codes(read(gold.parent, tmp_path / "nowhere")[1]) == ["no-file"]
    assert codes(list_of(Source(expected=str(gold)))) == ["no-file"]
    assert codes(read(jsonl(tmp_path / "e.jsonl", []), gold.parent)[1]) == ["empty-file"]


def list_of(source: Source) -> list[Diagnostic]:
    reader = read_cases(source)
    assert list(reader) == []
    return reader.diagnostics


QUESTIONS = {"Which rule?": "Rule C-4", "What is the premium?": "$604", "Who?": "Signe Dahl"}
ANSWERS = {"What is the premium?": "It is $604", "Which rule?": "Rule C-4", "Huh?": "No idea"}


def _written(folder: Path, form: str, *, ids: bool) -> dict[str, str]:
    """Questions and answers in files of their own, in another order, as CSV or JSONL."""
    number = {question: str(at) for at, question in enumerate([*QUESTIONS, "Huh?"], start=1)}
    sides = {
        "expected": [{"question": question, "expected_output": text} for question, text in QUESTIONS.items()],
        "actual": [{**({} if ids else {"question": question}), "answer": text} for question, text in ANSWERS.items()],
    }
    for side, keys in (("expected", QUESTIONS), ("actual", ANSWERS)):
        rows = [{**({"id": number[key]} if ids else {}), **row} for key, row in zip(keys, sides[side], strict=True)]
        with (folder / f"{side}.{form}").open("w", newline="", encoding="utf-8") as file:
            if form == "csv":
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
            else:
                file.writelines(json.dumps(row) + "\n" for row in rows)
    return {side: str(folder / f"{side}.{form}") for side in sides}


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("ids", [True, False])
def test_questions_and_answers_in_files_of_their_own_join_and_every_unmatched_row_is_reported(tmp_path: Path, form: str, ids: bool) -> None:
    """Answer metrics: questions and answers in separate files, joined by id or by question."""
    source = Source(**_written(tmp_path, form, ids=ids), join=None if ids else "question")
    reader = read_cases(source)
    [cases] = list(reader)
    assert [(case, answer) for case, answer in zip(cases.input, cases.actual, strict=True)] == [
        ("Which rule?", "Rule C-4"),
        ("What is the premium?", "It is $604"),
        ("Who?", MISSING),
    ]
    unmatched = [(note.code, note.where.case, note.what) for note in reader.diagnostics if note.level == "warning"]
    assert unmatched == [
        ("no-actual", "3", "1 expected record has no prediction"),
        ("no-expected", "4" if ids else "Huh?", "1 prediction has no expected record and is not scored"),
    ]


ROWS = [{"id": number, "x": number, "name": "Müller"} for number in range(1, 6)]
RULES: dict[str, Any] = {"evaluators": [{"type": "field_accuracy"}]}


@pytest.mark.parametrize("content", ["[]", "{}", "null"])
@pytest.mark.parametrize("side", ["expected", "actual"])
def test_a_json_file_without_records_evaluates_nothing(tmp_path: Path, content: str, side: str) -> None:
    files = {"expected": jsonl(tmp_path / "e.jsonl", ROWS), "actual": jsonl(tmp_path / "a.jsonl", ROWS[::-1])}
    files[side] = write(tmp_path / "empty.json", content)
    run = fw.run({**RULES, "cases": {name: str(file) for name, file in files.items()}}, root=tmp_path)
    assert run.exit_code == 4
    assert f"the file holds no records, only `{content}`" in {note.what for note in run.diagnostics}


def test_lines_in_utf_16_are_named_and_not_said_to_have_no_id(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes("".join(json.dumps(row) + "\n" for row in ROWS).encode("utf-16"))
    _, diagnostics, _ = read(jsonl(tmp_path / "e.jsonl", ROWS), tmp_path / "a.jsonl")
    [error] = [note for note in diagnostics if note.level == "error"]
    assert "UTF-16" in error.what


def write_latin_1(path: Path, rows: list[dict[str, Any]]) -> Path:
    lines = ["id,x,name", *(f"{row['id']},{row['x']},{row['name']}" for row in rows)]
    path.write_bytes("\n".join(lines).encode("latin-1"))
    return path


def test_a_file_of_which_no_output_can_be_read_makes_a_run_incomplete(tmp_path: Path) -> None:
    cases = {"expected": str(jsonl(tmp_path / "e.jsonl", ROWS)), "actual": str(write_latin_1(tmp_path / "a.csv", ROWS))}
    run = fw.run({**RULES, "cases": cases}, root=tmp_path)
    assert run.exit_code == 3
    assert any(note.what.startswith("no output can be read: the text has bytes that are not UTF-8") for note in run.diagnostics)
    write_latin_1(tmp_path / "a.csv", [*ROWS[:-1], {**ROWS[-1], "name": "Muller"}])
    assert fw.run({**RULES, "cases": cases}, root=tmp_path).exit_code == 0
