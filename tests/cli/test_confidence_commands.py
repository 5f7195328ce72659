"""`fieldwise confidence` and `fieldwise policy`."""

import json

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

import fieldwise as fw
from fieldwise.cli.app import app
from fieldwise.report.confidence_view import build_confidence_report
from fieldwise.report.policy_view import build_policy_report
from fieldwise.report.terminal_layout import DisplayOptions, render_text
from fieldwise.study.confidence import study_confidence
from fieldwise.study.policy import make_policy

SUITE = {"name": "receipts", "evaluators": [{"type": "field_prf"}]}


def draw_rows(documents: int = 600, seed: int = 1):
    random = np.random.default_rng(seed)
    rows = []
    for number in range(documents):
        confidence = round(float(random.random()), 3)
        actual = {"total": {"value": 1 if confidence > 0.3 else 2, "confidence": confidence}}
        rows.append({"id": f"{seed}-{number}", "expected": {"total": 1}, "actual": actual, "tags": ["a<b"]})
    return rows


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    fw.run(SUITE, cases=draw_rows(), root=root)
    return root


def call(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_confidence_prints_figures_plots_and_a_page(root, tmp_path):
    page = tmp_path / "c.html"
    result = call("confidence", "latest", "--root", root, "--format", "plain", "-o", page)
    assert result.exit_code == 0, result.output
    for text in ("AUROC 1.000", "Reliability", "Risk and coverage", "reviewing the least confident 10 %"):
        assert text in result.output
    html = page.read_text()
    assert html.count("<svg") == 2
    assert "a&lt;b" in html
    assert "http://" not in html.replace("http://www.w3.org", "")


@pytest.mark.parametrize("width", [80, 100, 140])
def test_no_number_is_cut_and_long_names_stay_distinct_in_any_window(tmp_path, width):
    names = [f"applicant_declared_household_income_as_of_statement_date_{number}" for number in range(3)]
    random = np.random.default_rng(2)
    rows = []
    for number in range(120):
        actual = {name: {"value": int(random.random() > 0.8), "confidence": round(float(random.random()), 3)} for name in names}
        rows.append({"id": str(number), "expected": dict.fromkeys(names, 0), "actual": actual})
    fw.run({"evaluators": [{"type": "field_prf"}]}, cases=rows, root=tmp_path)
    report = study_confidence(fw.open_run("latest", root=tmp_path))
    text = render_text(build_confidence_report(report, DisplayOptions(width=width)), width=width)
    lines = [line.split() for line in text.split("Fields")[1].splitlines() if line.lstrip().startswith("applicant")]
    assert len({line[0] for line in lines}) == 3
    assert not any("…" in cell for line in lines for cell in line[1:])
    policy = make_policy(fw.open_run("latest", root=tmp_path), max_error=0.1)
    assert render_text(build_policy_report(policy), width=width).count("no cut-off") == 3


def test_confidence_as_json_has_every_figure(root):
    result = call("confidence", "--root", root, "--format", "json")
    total = json.loads(result.stdout)["fields"]["total"]
    keys = {"n", "accuracy", "mean_confidence", "ece", "ece_signed", "brier", "auroc", "auroc_interval", "risk_coverage", "errors_caught"}
    assert keys <= set(total)
    assert total["auroc"] == 1.0
    assert total["ece_signed"] == -total["ece"]  # underconfident


def test_the_schema_of_a_run_knows_confidence_page_and_box(tmp_path):
    actual = {"total": {"value": 1, "confidence": 0.5, "page": 1, "box": [0, 0, 1, 1]}}
    data, suite = tmp_path / "data.json", tmp_path / "s.eval.yaml"
    data.write_text(json.dumps([{"id": "1", "expected": {"total": 1}, "actual": actual}]))
    suite.write_text("cases: data.json\nevaluators: [{type: field_prf}]\n")
    printed = json.loads(call("run", suite, "--root", tmp_path, "--format", "json").stdout)
    assert printed["results"][0]["comparisons"][0]["confidence"] == 0.5
    jsonschema.validate(printed, json.loads(call("schema", "--of", "run").stdout))


def test_confidence_of_a_run_without_any_says_so_and_exits_0(tmp_path):
    fw.run(SUITE, cases=[{"id": "1", "expected": {"a": 1}, "actual": {"a": 1}}], root=tmp_path)
    result = call("confidence", "latest", "--root", tmp_path)
    assert result.exit_code == 0
    assert "No value of this run has a confidence" in result.output
    assert call("policy", "latest", "--root", tmp_path, "--max-error", "0.02").exit_code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("confidence", "nothing"),
        ("confidence", "latest", "--field", "totl"),
        ("confidence", "latest", "--evaluator", "x"),
        ("confidence", "latest", "-o", "c.pdf"),
        ("policy", "latest"),
        ("policy", "latest", "--max-error", "0.02", "--verify", "p.json"),
        ("policy", "latest", "--verify", "missing.json"),
        ("policy", "nothing", "--max-error", "0.02"),
        ("policy", "latest", "--max-error", "0.02", "--gate", "fields.score >= 1"),
        ("policy", "latest", "--max-error", "0.02", "--gate", "policy.hold == 1"),
        ("policy", "latest", "--verify", "p.json", "--level", "0.9"),
    ],
)
def test_what_does_not_exist_exits_2(root, arguments):
    assert call(*arguments, "--root", root).exit_code == 2


def test_a_gate_of_another_command_is_told_where_it_belongs(root):
    result = call("policy", "latest", "--max-error", "0.02", "--gate", "fields.score >= 1", "--root", root)
    assert "others belong to `fieldwise run`" in " ".join(result.output.split())


def test_a_policy_is_written_verified_and_gated(root, tmp_path):
    file, page = tmp_path / "policy.json", tmp_path / "certificate.html"
    made = call("policy", "latest", "--root", root, "--max-error", "0.03", "-o", file, "-o", page, "--gate", "policy.holds == 1")
    assert made.exit_code == 0, made.output
    assert "19 times in 20" in made.output
    policy = json.loads(file.read_text())
    assert 0.28 < policy["fields"]["total"]["threshold"] < 0.36
    assert "need no review" in page.read_text()
    verified = call("policy", "latest", "--root", root, "--verify", file, "--format", "json")
    assert (verified.exit_code, json.loads(verified.stdout)["holds"]) == (0, True)
    suite = {**SUITE, "policy": str(file), "gate": {"policy.holds": "== true"}}
    assert fw.run(suite, cases=draw_rows(600, 2), root=tmp_path).exit_code == 0
    policy["fields"]["total"]["threshold"] = 0.1
    file.write_text(json.dumps(policy))
    assert call("policy", "latest", "--root", root, "--verify", file).exit_code == 1
    failing = fw.run(suite, cases=draw_rows(600, 2), root=tmp_path)
    assert failing.exit_code == 1
    assert "accepted values are wrong" in failing.gates[0].message
    no_values = [{"id": "1", "expected": {"total": 1}, "actual": {"total": 1}}]
    assert fw.run(suite, cases=no_values, root=tmp_path).exit_code == 3


def test_a_policy_that_accepts_nothing_exits_1_and_says_so(root):
    result = call("policy", "latest", "--root", root, "--max-error", "0.0001")
    assert result.exit_code == 1
    assert "No cut-off does it" in result.output
