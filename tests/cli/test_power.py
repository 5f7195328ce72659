"""`fieldwise power`."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from fieldwise.cli.app import app

runner = CliRunner()
SUITE = "name: s\ncases: data.jsonl\ngroup: metadata.document\nevaluators: [{type: field_accuracy, name: fields, fields: [a, b, c]}]\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "grouped.eval.yaml").write_text(SUITE)
    (tmp_path / "plain.eval.yaml").write_text(SUITE.replace("group: metadata.document\n", ""))
    return tmp_path


def run_suite(suite: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    lines = []
    for case in range(60):
        actual = {name: 1 if rng.random() < 0.7 else 2 for name in "abc"}
        lines.append({"id": f"x{case}", "expected": {"a": 1, "b": 1, "c": 1}, "actual": actual, "document": case // 5})
    Path("data.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert runner.invoke(app, ["run", suite]).exit_code == 0


def ask(*words: str) -> dict:
    output = runner.invoke(app, ["power", *words, "--format", "json"])
    assert output.exit_code == 0, output.output
    return json.loads(output.stdout)


def test_assumed_figures_need_no_run(folder: Path) -> None:
    answer = ask("--deviation", "0.3", "--drop", "0.03")
    power = pytest.importorskip("statsmodels.stats.power", reason="needs statsmodels, a development package").TTestPower()
    assert answer["cases"] == int(np.ceil(power.solve_power(0.1, alpha=0.05, power=0.8)))
    assert answer["groups"] is None
    assert len(answer["assumptions"]) == 2


def test_groups_with_equal_cases_need_as_many_groups_as_cases(folder: Path) -> None:
    alone = ask("--deviation", "0.3", "--drop", "0.05")
    grouped = ask("--deviation", "0.3", "--drop", "0.05", "--group-size", "8", "--icc", "1")
    assert grouped["groups"] == alone["cases"]
    assert grouped["cases"] == 8 * alone["cases"]


def test_a_run_gives_its_own_variance(folder: Path) -> None:
    run_suite("plain.eval.yaml", 1)
    answer = ask("--drop", "0.05", "--correlation", "0")
    assert answer["metric"] == "fields.score"
    assert answer["measured_cases"] == 60
    assert answer["deviation"] == pytest.approx(np.sqrt(2 * 0.3 * 0.7 / 3), rel=0.25)
    assert answer["detectable"] > 0.05
    assert answer["cases"] > 60


def test_two_runs_give_the_variance_of_their_differences(folder: Path) -> None:
    run_suite("plain.eval.yaml", 1)
    run_suite("plain.eval.yaml", 2)
    first, second = (entry["id"] for entry in json.loads(runner.invoke(app, ["runs", "--format", "json"]).stdout))
    answer = ask(first, "--against", second, "--drop", "0.05")
    assert answer["assumptions"] == ["cases that the drop makes worse, besides those that differ anyway"]
    units = answer["cases"]
    power = stats.nct.sf(stats.t.ppf(0.975, units - 1), units - 1, 0.05 / answer["deviation"] * np.sqrt(units))
    assert power == pytest.approx(0.8, abs=0.01)


def test_a_grouped_run_is_asked_for_groups(folder: Path) -> None:
    run_suite("grouped.eval.yaml", 3)
    answer = ask("latest", "--drop", "0.05", "--metric", "fields.pass_rate")
    assert answer["measured_groups"] == 12
    assert answer["cases"] == 5 * answer["groups"]
    assert [row["drop"] for row in answer["table"]] == pytest.approx([0.0125, 0.025, 0.05, 0.1, 0.2])
    powers = [point["power"] for point in answer["curve"]]
    assert powers == sorted(powers)
    assert any(point["groups"] == answer["groups"] and point["power"] >= 0.8 for point in answer["curve"])


@pytest.mark.parametrize(
    "words",
    [
        ("latest", "--deviation", "0.3"),
        ("--against", "latest", "--deviation", "0.3"),
        ("--icc", "0.4"),
        ("latest", "--group-size", "10"),
        ("latest", "--against", "latest", "--correlation", "0.3"),
        ("--deviation", "0.3", "--icc", "0.4"),
    ],
)
@pytest.mark.parametrize("suite", ["plain", "grouped"])
def test_options_that_do_nothing_together_are_a_usage_error(folder: Path, suite: str, words: tuple[str, ...]) -> None:
    run_suite(f"{suite}.eval.yaml", 1)
    output = runner.invoke(app, ["power", *words])
    assert output.exit_code == 2
    assert "give either" in output.stderr or "omit" in output.stderr or "add --group-size" in output.stderr


def test_the_answer_is_a_sentence_a_table_and_a_curve(folder: Path) -> None:
    output = runner.invoke(app, ["power", "--deviation", "0.3", "--drop", "0.05", "--format", "plain"])
    assert "detect a drop of 0.05 with 80 % power at 95 % confidence" in output.stdout
    assert "Cases needed for other drops" in output.stdout
    assert "█" in output.stdout


def test_unknown_runs_and_metrics_are_usage_and_equal_values_are_not_enough(folder: Path) -> None:
    assert runner.invoke(app, ["power", "nope"]).exit_code == 2
    lines = [{"id": f"x{at}", "expected": {"a": 1, "b": 1, "c": 1}, "actual": {"a": 1, "b": 1, "c": 1}} for at in range(20)]
    Path("data.jsonl").write_text("\n".join(map(json.dumps, lines)))
    runner.invoke(app, ["run", "plain.eval.yaml"])
    assert runner.invoke(app, ["power", "--metric", "fields.nope"]).exit_code == 2
    assert runner.invoke(app, ["power", "--metric", "nope.score"]).exit_code == 2
    output = runner.invoke(app, ["power"])
    assert (output.exit_code, "not enough" in output.stdout) == (0, True)


def test_the_rise_of_a_cost_may_be_above_1_and_a_drop_of_a_score_may_not(folder: Path) -> None:
    Path("cost.eval.yaml").write_text(SUITE + "cost: {fields: {a: 40}}\n")
    run_suite("cost.eval.yaml", 1)
    answer = ask("latest", "--metric", "cost.per_case", "--drop", "5")
    assert answer["cases"] is not None
    assert [row["drop"] for row in answer["table"]] == [1.25, 2.5, 5, 10, 20]
    output = runner.invoke(app, ["power", "latest", "--metric", "fields.score", "--drop", "5"])
    assert output.exit_code == 2
    assert "`fields.score` lies between 0 and 1" in output.stderr
    assert ask("--deviation", "10", "--drop", "5")["cases"] > 30


def test_two_runs_without_a_common_case_are_a_usage_error(folder: Path) -> None:
    run_suite("plain.eval.yaml", 1)
    data = Path("data.jsonl")
    data.write_text(data.read_text().replace('"id": "x', '"id": "y'))
    runner.invoke(app, ["run", "plain.eval.yaml"])
    first, second = (entry["id"] for entry in json.loads(runner.invoke(app, ["runs", "--format", "json"]).stdout))
    output = runner.invoke(app, ["power", first, "--against", second])
    assert output.exit_code == 2
    assert "no case in common" in output.stderr


def test_a_drop_below_zero_is_refused(folder: Path) -> None:
    run_suite("plain.eval.yaml", 1)
    output = runner.invoke(app, ["power", "--metric", "fields.pass_rate", "--drop", "0.9"])
    assert output.exit_code == 2
    assert "`fields.pass_rate` can drop by" in output.output


def test_the_pass_rate_counts_as_a_share(folder: Path) -> None:
    run_suite("plain.eval.yaml", 1)
    answer = ask("--metric", "fields.pass_rate", "--drop", "0.1")
    assert answer["assumptions"][1] == "a variance that changes with the mean as that of a share does"
    run_suite("plain.eval.yaml", 2)
    first = runner.invoke(app, ["runs", "--format", "json"])
    runs = [entry["id"] for entry in json.loads(first.stdout)]
    answer = ask(runs[0], "--against", runs[1], "--metric", "fields.pass_rate", "--drop", "0.1")
    assert answer["assumptions"] == ["cases that the drop makes worse, besides those that differ anyway"]
