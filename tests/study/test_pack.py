"""`fieldwise pack` and `run --from`: only cases of the chosen split, short, diverse, and paired with the next run."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import fieldwise as fw
from fieldwise.cli.app import app
from fieldwise.study.cause_changes import read_pack

CANARY = "CANARY-held-out-7391"
FILES = {"summary.md", "feedback.jsonl", "examples.jsonl", "rules.md", "pack.json"}
SUITE: dict[str, Any] = {
    "name": "receipts",
    "evaluators": [
        {
            "type": "field_accuracy",
            "name": "fields",
            "fields": ["vendor", {"path": "date", "match": "date"}, {"path": "items[*].price", "match": "numeric_tolerance"}],
        },
        {"type": "field_prf"},
    ],
}


def make_case(number: int, split: str, *, is_fixed: bool = False) -> dict[str, Any]:
    """A receipt whose vendor has the wrong case and whose first price lost its decimal point, unless it is fixed."""
    held_out = split == "test"
    vendor = f"{CANARY} {number}" if held_out else f"Shop {number} & Söhne"
    expected = {"vendor": vendor, "date": "2024-03-04", "items": [{"price": 10.5 + number}, {"price": 3.0}]}
    actual = {"vendor": vendor.upper(), "date": "2024-03-04", "items": [{"price": (10.5 + number) * 100}, {"price": 3.0}]}
    if held_out:
        expected[f"key {CANARY}"] = 1
    return {
        "id": f"{CANARY}-{number}" if held_out else f"case-{number}",
        "input": f"{CANARY} text" if held_out else f"receipt {number}",
        "expected": expected,
        "actual": expected if is_fixed else actual,
        "split": split,
    }


CASES = [make_case(number, "test" if number % 4 == 0 else "train") for number in range(40)]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs with one run."""
    folder = tmp_path_factory.mktemp("runs")
    fw.run(SUITE, cases=CASES, root=folder)
    return folder


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def pack(root: Path) -> Path:
    """The pack of the split `train`."""
    folder = root / "pack"
    result = call("pack", "latest", "-o", folder, "--split", "train", "--root", root, "--format", "json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["cases"] == 30
    assert document["files"].keys() == FILES
    return folder


def read_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_nothing_of_a_held_out_split_is_in_any_file(pack: Path) -> None:
    assert {file.name for file in pack.iterdir()} == FILES
    for file in pack.iterdir():
        assert CANARY.casefold() not in file.read_text().casefold(), file.name


def test_a_split_must_be_named_where_the_data_has_splits(root: Path, tmp_path: Path) -> None:
    result = call("pack", "latest", "-o", tmp_path / "pack", "--root", root)
    assert result.exit_code == 2
    assert "train (30)" in result.stderr
    assert "name the split to learn from: --split train" in result.stderr
    assert not (tmp_path / "pack").exists()
    misspelt = call("pack", "latest", "-o", tmp_path / "pack", "--split", "trian", "--root", root)
    assert misspelt.exit_code == 2
    assert "did you mean `train`?" in misspelt.stderr


def test_no_split_is_suggested_where_none_is_called_train(tmp_path: Path) -> None:
    cases = [{"id": name, "split": name, "expected": {"a": 1}, "actual": {"a": 2}} for name in ("dev", "test")]
    fw.run({"evaluators": [{"type": "field_accuracy", "fields": ["a"]}]}, cases=cases, root=tmp_path)
    result = call("pack", "latest", "-o", tmp_path / "pack", "--root", tmp_path)
    assert result.exit_code == 2
    assert "--split NAME, one of dev, test" in result.stderr


def test_the_summary_is_short_and_names_causes_with_advice(pack: Path) -> None:
    text = (pack / "summary.md").read_text()
    assert len(text) < 8_000
    assert "**letter case**: 30 values in 30 cases, `vendor` 30" in text
    assert "**decimal point lost**: 30 values" in text
    assert "Fold case where it carries no meaning" in text


def test_examples_are_failures_of_each_cause_from_different_cases_and_passes(pack: Path) -> None:
    examples = read_lines(pack / "examples.jsonl")
    by_cause: dict[str, list[dict[str, Any]]] = {}
    for example in examples:
        if example["kind"] == "failure":
            by_cause.setdefault(example["cause"], []).append(example)
    assert by_cause.keys() == {"letter_case", "decimal_point_lost"}
    for failures in by_cause.values():
        assert 2 <= len({example["case"] for example in failures}) == len(failures)
        assert all(example["expected"] != example["actual"] for example in failures)
    passes = [example for example in examples if example["kind"] == "pass"]
    assert passes
    assert all(example["outcome"] == "match" for example in passes)


def test_feedback_has_one_line_for_each_case_and_evaluator(pack: Path) -> None:
    lines = read_lines(pack / "feedback.jsonl")
    assert Counter(line["evaluator"] for line in lines) == {"fields": 30, "field_prf": 30}
    line = lines[0]
    assert line["fields"]["vendor"].startswith("vendor: wrong value: expected Shop")
    assert "(letter case)" in line["feedback"]


def test_redacted_values_are_in_no_file(root: Path, tmp_path: Path) -> None:
    result = call("pack", "latest", "-o", tmp_path, "--split", "train", "--redact", "vendor", "--redact", "items[*].price", "--root", root)
    assert result.exit_code == 0, result.output
    texts = "".join(file.read_text() for file in tmp_path.iterdir())
    assert "redacted:" in texts
    assert "Söhne" not in texts
    assert "SÖHNE" not in texts
    assert "1150.0" not in texts


@pytest.mark.parametrize(("path", "nearest"), [("vendr", "vendor"), ("items[*].prise", "items[*].price")])
def test_a_path_to_redact_that_no_case_has_writes_nothing(root: Path, tmp_path: Path, path: str, nearest: str) -> None:
    result = call("pack", "latest", "-o", tmp_path / "out", "--split", "train", "--redact", path, "--root", root)
    assert result.exit_code == 2
    assert f"did you mean `{nearest}`?" in result.output
    assert not (tmp_path / "out").exists()


def test_the_next_run_says_which_causes_shrank(pack: Path, root: Path, tmp_path: Path) -> None:
    fixed_vendor = [make_case(number, "train") for number in range(40) if number % 4]
    for case in fixed_vendor:
        case["actual"]["vendor"] = case["expected"]["vendor"]
    suite = tmp_path / "receipts.eval.yaml"
    suite.write_text(json.dumps(SUITE | {"cases": "cases.jsonl"}))
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in [*fixed_vendor, make_case(0, "test")]))
    result = call("--root", root, "run", suite, "--from", pack, "--split", "train", "--format", "plain")
    assert "letter case             30    0  0.000  shrank" in result.stdout
    assert "decimal point lost      30   30  1.000  no change shown" in result.stdout
    document = json.loads(call("--root", root, "run", suite, "--from", pack, "--split", "train", "--format", "json").stdout)
    assert document["summary"]["cases"] == 30
    [change] = [diagnostic for diagnostic in document["diagnostics"] if diagnostic["code"] == "cause-changes"]
    assert "letter case 30 to 0 (shrank)" in change["what"]


def test_a_folder_without_a_pack_is_a_configuration_error(root: Path, tmp_path: Path) -> None:
    before = len(fw.runs(root))
    suite = tmp_path / "a.eval.yaml"
    suite.write_text("cases: cases.jsonl\nevaluators: [{type: field_prf}]\n")
    (tmp_path / "cases.jsonl").write_text('{"expected": {"a": 1}, "actual": {"a": 1}}\n')
    result = call("--root", root, "run", suite, "--from", tmp_path)
    assert result.exit_code == 2
    assert "there is no pack.json" in result.stderr
    assert len(fw.runs(root)) == before


def test_a_pack_of_another_evaluator_is_refused_before_anything_is_scored(pack: Path, root: Path) -> None:
    before = len(fw.runs(root))
    with pytest.raises(fw.ConfigError, match="fields"):
        fw.run({"evaluators": [{"type": "field_prf", "name": "other"}]}, cases=CASES, root=root, since=pack)
    assert len(fw.runs(root)) == before


def test_answers_have_feedback_without_examples(tmp_path: Path) -> None:
    cases = [{"id": "q", "input": "How much?", "expected": "It costs 604 dollars", "actual": "No idea"}]
    fw.run({"evaluators": [{"type": "answer_quality"}]}, cases=cases, root=tmp_path)
    result = call("pack", "latest", "-o", tmp_path / "pack", "--root", tmp_path)
    assert result.exit_code == 0, result.output
    assert "number_match: 604" in read_lines(tmp_path / "pack" / "feedback.jsonl")[0]["feedback"]
    assert (tmp_path / "pack" / "examples.jsonl").read_text() == ""


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("mismatches", {"r21": [1]}),
        ("mismatches", {"r21": {"a": "x"}}),
        ("mismatches", [1]),
        ("expected", 3),
        ("expected", {"a": [1]}),
        ("cases", 3),
    ],
)
def test_a_pack_with_a_value_of_a_wrong_type_is_a_configuration_error(tmp_path: Path, key: str, value: Any) -> None:
    content = {"version": 1, "run": "r", "evaluator": "fields", "cases": ["a"], "mismatches": {}, "expected": {}} | {key: value}
    (tmp_path / "pack.json").write_text(json.dumps(content))
    with pytest.raises(fw.ConfigError, match=r"pack\.json"):
        read_pack(tmp_path)
