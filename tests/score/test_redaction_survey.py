"""Paths to be redacted at which no case has a value."""

import json
from collections.abc import Iterator
from pathlib import Path as File
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.model.path import Path
from fieldwise.score.redaction_survey import RedactionSurvey

SUITE: dict[str, Any] = {"name": "s", "evaluators": [{"type": "field_prf"}]}
CASES = [{"id": str(number), "expected": {"name": "Acme Ltd"}, "actual": {"name": "Acme Inc"}} for number in range(300)]
RARE = [*CASES, {"id": "rare", "expected": {"name": "x", "iban": None}, "actual": {"name": "x"}}]


def problems_of(path: str, *records: Any) -> list[str]:
    survey = RedactionSurvey([Path.parse(path)])
    survey.add_records(records)
    return [f"{problem.level}: {problem.fix}" for problem in survey.list_problems()]


@pytest.mark.parametrize(
    ("path", "record"),
    [
        ("a", {"a": None}),
        ("a", {"a": {"b": 1}}),
        ("rows[*].v", {"rows": [{}, {"v": 1}]}),
        ("rows[0].v", {"rows": [{}, {"v": 1}]}),
        ("[*].v", [{"v": 1}]),
    ],
)
def test_a_path_is_used_if_one_record_has_it(path: str, record: Any) -> None:
    assert not problems_of(path, {"other": 1}, record)


def test_an_unused_path_is_an_error_with_the_nearest_path() -> None:
    assert problems_of("rows[*].ibn", {"rows": [{"iban": 1}]}) == ["error: did you mean `rows[*].iban`?"]
    assert problems_of("q", {"name": 1}) == ["error: check the spelling; the cases have `name`"]


def test_without_records_it_is_a_warning_because_text_is_replaced_as_a_whole() -> None:
    assert problems_of("q", "Paris") == ["warning: check the spelling; no case has a record"]


@pytest.mark.parametrize("one_shot", [False, True])
def test_a_run_with_an_unused_path_stores_nothing(tmp_path: File, one_shot: bool) -> None:
    cases: list[dict[str, Any]] | Iterator[dict[str, Any]] = iter(CASES) if one_shot else CASES
    with pytest.raises(fw.ConfigError, match="did you mean `name`"):
        fw.run(SUITE | {"redact": ["nmae"]}, cases=cases, root=tmp_path)
    assert not list(tmp_path.rglob("*.parquet"))
    assert not fw.runs(tmp_path)


@pytest.mark.parametrize("one_shot", [False, True])
def test_a_path_of_one_late_case_is_used(tmp_path: File, one_shot: bool) -> None:
    run = fw.run(SUITE | {"redact": ["name", "iban"]}, cases=iter(RARE) if one_shot else RARE, root=tmp_path)
    assert run.exit_code == 0
    assert run.full.cases == 301
    assert "Acme" not in json.dumps(run.case("1").expected)


def test_check_reports_it_too() -> None:
    with pytest.raises(fw.ConfigError, match="did you mean `name`"):
        fw.check(SUITE | {"redact": ["nmae"]}, cases=CASES)
