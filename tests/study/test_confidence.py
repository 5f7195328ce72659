"""The study of the confidences of a stored run."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import fieldwise as fw
from fieldwise.study.confidence import study_confidence

SUITE = {"name": "receipts", "group": "metadata.document", "evaluators": [{"type": "field_prf"}]}


def draw_rows(cases: int = 120, seed: int = 3):
    random = np.random.default_rng(seed)
    rows = []
    for number in range(cases):
        confidence = float(random.random())
        is_right = random.random() < 0.4 + 0.6 * confidence
        actual = {
            "total": {"value": 1 if is_right else 2, "confidence": confidence},
            "number": {"value": number, "confidence": 0.9},
            "note": "x",
        }
        expected = {"total": 1, "number": number, "note": "x" if number % 3 else "y", "gone": 5}
        row = {"id": str(number), "expected": expected, "actual": actual, "tags": ["photo"] if number % 10 == 0 else []}
        rows.append({**row, "metadata": {"document": f"d{number // 2}"}})
    return rows


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return fw.run(SUITE, cases=draw_rows(), root=tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def report(run):
    return study_confidence(run)


def test_figures_of_a_field_are_those_of_its_values(report, run):
    stored = list(run.comparisons(field="total"))
    correct = np.array([float(comparison.passed) for comparison in stored])
    confidence = np.array([comparison.confidence for comparison in stored])
    total = report.fields["total"]
    assert (total.n, total.errors, total.documents) == (120, int((correct == 0).sum()), 60)
    assert total.auroc == pytest.approx(roc_auc_score(correct, confidence))
    assert total.brier == pytest.approx(np.mean((confidence - correct) ** 2))
    assert total.direction == ("overconfident" if confidence.mean() >= correct.mean() else "underconfident")
    assert total.auroc_interval[0] < total.auroc < total.auroc_interval[1]
    assert [caught.share for caught in total.errors_caught] == [0.05, 0.10, 0.20]


def test_too_few_errors_are_not_enough(report):
    number = report.fields["number"]
    assert (number.n, number.errors, number.accuracy) == (120, 0, 1.0)
    assert number.auroc is None
    assert number.to_json()["enough"] is False
    assert "not enough" in number.to_json()["note"]


def test_values_without_confidence_are_a_group_of_their_own(report):
    assert report.overall.n == 240
    assert report.overall.without_confidence == 120
    assert report.overall.accuracy_without == pytest.approx(80 / 120)
    assert list(report.fields) == ["number", "total"]


def test_tags_are_measured_by_themselves(report):
    assert report.tags["photo"].n == 24
    assert not report.tags["photo"].is_enough


def test_one_field_limits_everything(run):
    report = study_confidence(run, field="total")
    assert report.overall == report.fields["total"]
    with pytest.raises(fw.ConfigError, match="did you mean `total`"):
        study_confidence(run, field="totals")


def test_given_confidences_take_the_place_of_the_stored_ones(run):
    confidences = {(comparison.case, comparison.path): 0.5 for comparison in run.comparisons(field="note")}
    report = study_confidence(run, confidences=confidences)
    assert list(report.fields) == ["note"]
    assert report.fields["note"].auroc == 0.5


def test_a_run_without_confidences_has_nothing_to_measure(tmp_path):
    run = fw.run({"evaluators": [{"type": "field_prf"}]}, cases=[{"id": "1", "expected": {"a": 1}, "actual": {"a": 1}}], root=tmp_path)
    report = study_confidence(run)
    assert (report.overall.n, report.overall.without_confidence, report.fields) == (0, 1, {})


def test_gates_on_confidences_decide_the_exit_code(tmp_path):
    passing = fw.run(SUITE, cases=draw_rows(), root=tmp_path, gates=["confidence.auroc >= 0.5", "confidence.brier <= 0.9"])
    assert passing.exit_code == 0
    failing = fw.run(SUITE, cases=draw_rows(), root=tmp_path, gates=["confidence.ece <= 0.0001"])
    assert failing.exit_code == 1
    few = fw.run(SUITE, cases=draw_rows(5), root=tmp_path, gates=["confidence.auroc >= 0.5"])
    assert few.exit_code == 3
    assert "not enough" in few.gates[0].message


def test_an_unknown_metric_of_confidences_is_a_configuration_error():
    with pytest.raises(fw.ConfigError, match="`confidence` has no metric `auc`"):
        fw.check({**SUITE, "cases": "x.jsonl", "gate": {"confidence.auc": ">= 0.5"}})


def test_the_policy_gate_needs_a_policy(tmp_path):
    with pytest.raises(fw.ConfigError, match="names none"):
        fw.check({**SUITE, "cases": "x.jsonl", "gate": {"policy.holds": True}})
    with pytest.raises(fw.ConfigError, match="there is no policy"):
        fw.check({**SUITE, "cases": "x.jsonl", "policy": str(tmp_path / "no.json"), "gate": {"policy.holds": "== 1"}})
