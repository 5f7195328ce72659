"""`fieldwise doubt` over the runs of the review demo."""

import csv
import json
import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import fieldwise as fw
from fieldwise.cli.app import app

PLANTED = {
    ("receipt-04", "total"),
    ("receipt-11", "date"),
    ("receipt-17", "iban"),
    ("receipt-25", "vendor"),
    ("receipt-34", "items[0].amount"),
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    folder = tmp_path_factory.mktemp("demo")
    with as_file(files("fieldwise") / "demo/review") as source:
        shutil.copytree(source, folder, dirs_exist_ok=True)
    names = ("alpha", "beta", "gamma")
    return folder, [fw.run(folder / f"{name}.eval.yaml", name=name, root=folder / "runs").id for name in names]


def call(folder: Path, *arguments: str) -> Any:
    return CliRunner().invoke(app, [*arguments, "--root", str(folder / "runs")])


def test_the_planted_wrong_values_come_first(demo: tuple[Path, list[str]]) -> None:
    folder, runs = demo
    result = call(folder, "doubt", *runs, "--format", "json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert {(suspect["case"], suspect["path"]) for suspect in report["suspects"][:5]} == PLANTED
    assert {evidence["kind"] for suspect in report["suspects"] for evidence in suspect["evidence"]} == {
        "source_text",
        "check_digit",
        "total",
    }
    assert report["runs"] == runs
    assert [system["name"] for system in report["agreement"]] == ["alpha", "beta", "gamma"]


@pytest.mark.parametrize("form", ["rich", "plain"])
def test_the_terminal_shows_agreement_and_suspects(demo: tuple[Path, list[str]], form: str) -> None:
    folder, runs = demo
    result = call(folder, "doubt", *runs, "--format", form)
    assert result.exit_code == 0, result.output
    for text in ("3 systems", "2 of 2", "receipt-17", "the check digit of the expected value is wrong", "review"):
        assert text in result.stdout


def test_suspects_can_be_written_to_files(demo: tuple[Path, list[str]], tmp_path: Path) -> None:
    folder, runs = demo
    names = [str(tmp_path / f"doubts.{suffix}") for suffix in ("json", "jsonl", "csv")]
    result = call(folder, "doubt", *runs, *(part for name in names for part in ("-o", name)))
    assert result.exit_code == 0, result.output
    report = json.loads(Path(names[0]).read_text())
    lines = Path(names[1]).read_text().splitlines()
    rows = list(csv.DictReader(Path(names[2]).read_text().splitlines()))
    assert len(lines) == len(rows) == len(report["suspects"])


def test_more_agreeing_systems_than_there_are_cannot_be_asked_for(demo: tuple[Path, list[str]]) -> None:
    folder, runs = demo
    result = call(folder, "doubt", *runs, "--min-agreeing", str(len(runs) + 1))
    assert result.exit_code == 2
    assert f"there are {len(runs)}" in " ".join(result.output.split())
    assert call(folder, "doubt", *runs, "--min-agreeing", str(len(runs))).exit_code == 0


@pytest.mark.parametrize("arguments", [["latest"], ["latest", "latest"], ["nothing", "latest"], ["latest", "-o", "x.pdf"]], ids=str)
def test_a_question_that_cannot_be_asked_exits_2(demo: tuple[Path, list[str]], arguments: list[str]) -> None:
    folder, _ = demo
    assert call(folder, "doubt", *arguments).exit_code == 2


def test_review_queues_the_doubts_first(demo: tuple[Path, list[str]]) -> None:
    from fieldwise.study.doubts import read_suspects
    from fieldwise.study.review_queue import QueueSelection, build_queue

    folder, runs = demo
    call(folder, "doubt", *runs)
    run = fw.open_run(runs[0], root=folder / "runs")
    queue = build_queue(run, QueueSelection(), read_suspects(run))
    assert {item.place for item in queue.items[:5]} == PLANTED
    assert queue.items[0].source == "doubts"


def test_agreement_is_a_confidence_for_confidence_and_policy(demo: tuple[Path, list[str]]) -> None:
    folder, runs = demo
    alpha_run = fw.run(folder / "alpha.eval.yaml", root=folder / "runs")
    assert call(folder, "confidence", alpha_run.id, "--by", "agreement").exit_code == 2  # nothing was compared with it
    call(folder, "doubt", *runs)
    stored, agreement = (
        json.loads(call(folder, "confidence", runs[0], "--by", by, "--format", "json").stdout) for by in ("stored", "agreement")
    )
    assert stored["overall"]["n"] == agreement["overall"]["n"] == 476
    assert stored["overall"]["auroc"] != agreement["overall"]["auroc"]
    policy = call(folder, "policy", runs[0], "--by", "agreement", "--max-error", "0.2", "--format", "json")
    assert policy.exit_code in (0, 1)
    assert set(json.loads(policy.stdout)) == {"version", "max_error", "level", "fields", "made_from"}
