"""`fieldwise compare` and `fieldwise baseline`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from fieldwise.cli.app import app

runner = CliRunner()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two runs: in the newer one, one case is fixed and one broken."""
    monkeypatch.chdir(tmp_path)
    suite = "name: invoices\ncases: data.jsonl\nevaluators: [{type: field_accuracy, name: fields, fields: [total, name]}]\n"
    (tmp_path / "invoices.eval.yaml").write_text(suite)
    for wrong in ({1, 2}, {2, 3}):
        write(tmp_path, wrong)
        assert runner.invoke(app, ["run", "invoices.eval.yaml", "--format", "plain"]).exit_code == 0
    return tmp_path


def write(folder: Path, wrong: set[int]) -> None:
    lines = [
        {"id": f"c{at}", "expected": {"total": at + 1, "name": "A"}, "actual": {"total": -1 if at in wrong else at + 1, "name": "A"}}
        for at in range(20)
    ]
    (folder / "data.jsonl").write_text("\n".join(map(json.dumps, lines)))


def ids() -> list[str]:
    return [run["id"] for run in json.loads(runner.invoke(app, ["runs", "--format", "json"]).stdout)]


def test_two_runs_are_compared_case_by_case(folder: Path) -> None:
    output = runner.invoke(app, ["compare", ids()[-1], "--format", "plain"])
    assert output.exit_code == 0
    assert "fixed 1  c1" in output.stdout
    assert "broken 1  c3" in output.stdout
    assert "still broken 1  c2" in output.stdout
    assert "not enough cases" in output.stdout


def test_the_comparison_is_there_as_json(folder: Path) -> None:
    actual = json.loads(runner.invoke(app, ["compare", ids()[-1], "--format", "json"]).stdout)
    assert actual["evaluators"]["fields"]["fixed"] == ["c1"]
    assert actual["base"] == ids()[-1]


def test_a_run_that_is_not_there_is_a_matter_of_usage(folder: Path) -> None:
    output = runner.invoke(app, ["compare", "nope"])
    assert output.exit_code == 2
    assert "nope" in output.stderr


def test_runs_without_a_case_in_common_are_told_apart_from_runs_without_a_difference(folder: Path) -> None:
    lines = [{"id": f"d{at}", "expected": {"total": 1, "name": "A"}, "actual": {"total": 1, "name": "A"}} for at in range(3)]
    (folder / "data.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert runner.invoke(app, ["run", "invoices.eval.yaml", "--format", "plain"]).exit_code == 0
    output = runner.invoke(app, ["compare", ids()[-1], "--format", "json"])
    assert output.exit_code == 2
    assert "no case in common" in output.stderr
    assert json.loads(output.stdout)["evaluators"]["fields"]["n"] == 0


def test_a_baseline_is_set_shown_compared_with_and_cleared(folder: Path) -> None:
    assert "invoices.baseline.json" in runner.invoke(app, ["baseline", "set"]).stdout
    assert "20 cases" in runner.invoke(app, ["baseline", "show"]).stdout
    assert "fields" in runner.invoke(app, ["compare", "invoices.baseline.json", "--format", "plain"]).stdout
    write(folder, set(range(12)))
    gate = "gate: {regression: {metric: fields.score, max_drop: 0.05}}\n"
    (folder / "gated.eval.yaml").write_text((folder / "invoices.eval.yaml").read_text() + gate)
    run = runner.invoke(app, ["run", "gated.eval.yaml", "--baseline", "invoices.baseline.json", "--format", "plain"])
    assert run.exit_code == 1
    assert "regression of fields.score" in run.stdout
    assert runner.invoke(app, ["baseline", "clear"]).exit_code == 0
    assert not list(folder.glob("*.baseline.json"))
    assert runner.invoke(app, ["baseline", "show"]).exit_code == 2


def test_a_baseline_that_is_not_there_stops_the_run_before_it_starts(folder: Path) -> None:
    before = ids()
    output = runner.invoke(app, ["run", "invoices.eval.yaml", "--baseline", "missing.json"])
    assert output.exit_code == 2
    assert ids() == before


def test_no_other_file_is_taken_for_a_baseline(folder: Path) -> None:
    (folder / "notes.baseline.json").write_text("{}")
    assert runner.invoke(app, ["baseline", "clear"]).exit_code == 2
    assert (folder / "notes.baseline.json").exists()


def test_several_runs_stand_side_by_side(folder: Path) -> None:
    write(folder, set(range(18)))
    runner.invoke(app, ["run", "invoices.eval.yaml"])
    newest, second, first = ids()
    output = runner.invoke(app, ["compare", first, second, newest, "latest", "--format", "plain"])
    assert output.exit_code == 0
    lines = [line.split() for line in output.stdout.splitlines()]
    assert [[name] for name in (first, second, newest)] == lines[:3]
    assert ["score", "0.950", "0.950", "?", "0.000", "0.550", "▼", "-0.400"] in lines
    assert ["total", "0.900", "0.900", "?", "0.000", "0.100", "▼", "-0.800"] in lines
    assert ["broken", "1", "16"] in lines
    actual = json.loads(runner.invoke(app, ["compare", first, second, newest, "--format", "json"]).stdout)
    assert [(pair["base"], pair["new"]) for pair in actual["pairs"]] == [(first, second), (first, newest), (second, newest)]
    assert {pair["tested_metrics"] for pair in actual["pairs"]} == {3}
    ranking = actual["ranking"]["fields"]
    assert [entry["run"] for entry in ranking][2] == newest
    assert ranking[2]["better_than"] == []
    assert set(ranking[2]["worse_than"]) == {first, second}
    assert ranking[0]["not_shown"] == [ranking[1]["label"]]


def test_runs_are_labelled_by_the_names_the_user_gave(folder: Path) -> None:
    write(folder, set(range(18)))
    runner.invoke(app, ["run", "invoices.eval.yaml"])
    newest, second, first = ids()
    for run, tag in ((first, "gpt"), (second, "claude"), (newest, "small")):
        assert runner.invoke(app, ["runs", "tag", run, tag]).exit_code == 0
    output = runner.invoke(app, ["compare", "gpt", "claude", "small", "--format", "plain"]).stdout
    lines = [line.split() for line in output.splitlines()]
    assert ["gpt", first] in lines
    assert ["3", "small", "0.550", "not", "shown", "to", "be", "better", "than", "any", "other"] in lines
    assert any(line[1:] == ["gpt", "0.950", "better", "than", "small"] for line in lines)
    assert "Tested: 3 primary metrics" in output


def test_markdown_ranks_several_runs_as_json_does(folder: Path) -> None:
    write(folder, {*range(2, 16)})
    assert runner.invoke(app, ["run", "invoices.eval.yaml", "--format", "plain", "--name", "worst|<b>"]).exit_code == 0
    newest, second, first = ids()
    output = runner.invoke(app, ["compare", first, second, newest, "--output", "out/changes.md", "--format", "json"])
    assert output.exit_code == 0, output.output
    ranking = json.loads(output.stdout)["ranking"]["fields"]
    text = (folder / "out" / "changes.md").read_text()
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith(("| 1 |", "| 2 |", "| 3 |"))]
    assert [row[1].strip("`").replace("\\|", "|") for row in rows] == [entry["label"] for entry in ranking]
    assert rows[0][4].startswith("better than")
    assert rows[2][4].startswith("not shown to be better than any other")
    assert text.count("| `fields` | ❌ worse |") == 2
    assert "Tested: 3 primary metrics" in text
    assert "All pairs of runs count." in text

    piped = runner.invoke(app, ["compare", first, second, newest, "--output", "-"])
    assert piped.stdout == text
    pair = runner.invoke(app, ["compare", first, newest, "-o", "pair.json"])
    assert pair.exit_code == 0
    assert json.loads((folder / "pair.json").read_text())["base"] == first
    refused = runner.invoke(app, ["compare", first, newest, "-o", "pair.docx"])
    assert (refused.exit_code, "end the name in .md or .json" in refused.stderr) == (2, True)


def test_several_runs_are_compared_with_a_baseline_file_too(folder: Path) -> None:
    runner.invoke(app, ["baseline", "set"])
    assert runner.invoke(app, ["compare", "invoices.baseline.json", *ids()]).exit_code == 0


def test_the_adjustment_may_be_chosen(folder: Path) -> None:
    adjusted = {}
    for way in ("holm", "bh"):
        actual = json.loads(runner.invoke(app, ["compare", ids()[-1], "--adjust", way, "--format", "json"]).stdout)
        adjusted[way] = [field["p_adjusted"] for field in actual["evaluators"]["fields"]["fields"]]
    assert all(bh <= holm for bh, holm in zip(adjusted["bh"], adjusted["holm"], strict=True))
    assert runner.invoke(app, ["compare", ids()[-1], "--adjust", "none"]).exit_code == 2


def test_a_run_is_not_compared_with_itself(folder: Path) -> None:
    for words in (["latest"], ["latest", "latest"], [ids()[0], ids()[1], ids()[0]]):
        output = runner.invoke(app, ["compare", *words])
        assert output.exit_code == 2, words
        assert f"run {ids()[0]} would be compared with itself" in output.stderr
