"""The demo that comes with the package."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

import fieldwise as fw
from fieldwise.store.run import Run
from fieldwise.study.mutation import mutate_suite

FOLDER = files("fieldwise") / "demo"
CASES = [json.loads(line) for line in (FOLDER / "invoices.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return fw.run(str(FOLDER / "invoices.eval.yaml"), root=tmp_path_factory.mktemp("runs"))


def test_every_amount_in_the_expected_invoices_adds_up() -> None:
    for case in CASES:
        record = case["expected"]
        assert sum(item["amount"] for item in record["line_items"]) == pytest.approx(record["subtotal"])
        assert record["subtotal"] + record["tax"] == pytest.approx(record["total"])


def test_there_are_several_languages_vendors_and_splits() -> None:
    assert {"german", "french", "english", "spanish", "italian", "dutch"} <= {tag for case in CASES for tag in case["tags"]}
    assert {case["split"] for case in CASES} == {"train", "test"}


def test_the_errors_have_many_causes(run: Run) -> None:
    causes = {cause for entry in run.full.evaluators.values() for field in entry.fields for cause, _ in field.causes}
    expected = {
        *("letter_case", "whitespace", "number_format", "date_format", "accents", "null_text", "item_shifted", "value_of_another_field"),
        *("sign", "day_month_swapped", "rounding", "scale", "truncated", "extra_text", "ocr", "transposed", "type_as_text", "word_order"),
    }
    assert expected <= causes


def test_an_output_is_missing_and_others_are_wrapped_in_text(run: Run) -> None:
    assert run.full.evaluators["fields"].counts.failures == 1
    texts = [case["actual"] for case in CASES if isinstance(case.get("actual"), str)]
    assert any(text.startswith("```json") for text in texts)
    assert any(text.startswith("Here is") for text in texts)


def test_its_gates_pass_and_nothing_is_unmeasured(run: Run) -> None:
    assert run.exit_code == 0
    assert all(gate.passed for gate in run.gates)
    assert not any(entry.counts.faults + entry.counts.unavailable for entry in run.full.evaluators.values())
    assert not run.diagnostics


def test_its_rules_notice_95_percent_of_the_corruptions_of_its_values() -> None:
    plan = fw.check(str(FOLDER / "invoices.eval.yaml"))
    assert mutate_suite(plan).total.share >= 0.95
    rules_alone = mutate_suite(plan, only=["fields"])
    assert rules_alone.total.share >= 0.95
    assert not [field for field, count in rules_alone.by_field.items() if not count.killed], "a field without a rule"


def test_the_picture_in_the_readme_loads_nothing() -> None:
    svg = (Path(__file__).parents[2] / "docs/images/demo.svg").read_text(encoding="utf-8")
    assert "font-face" not in svg
    assert "href" not in svg
    assert "@import" not in svg
