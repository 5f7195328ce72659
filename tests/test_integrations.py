"""Adapters for other tools, each with the package itself where it is installed."""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.integrations import dspy_metric, emit_evaluation_events, langsmith_evaluator, mlflow_scorer

FIELDS = {"type": "field_accuracy", "name": "fields", "fields": ["vendor", "total"]}
EXPECTED = {"vendor": "Acme", "total": 5}
WRONG = {"vendor": "ACME", "total": 5}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "s.eval.yaml"
    path.write_text(json.dumps({"name": "s", "cases": "none.jsonl", "evaluators": [{**FIELDS, "weight": 3}, {"type": "field_prf"}]}))
    return path


def test_langsmith_gets_a_score_and_a_comment_for_each_evaluator(suite: Path) -> None:
    answer = langsmith_evaluator(suite)({"file": "a.pdf"}, {"output": WRONG}, EXPECTED)
    first, second = answer["results"]
    assert (first["key"], first["score"], first["value"]) == ("fields", 0.5, "partial")
    assert "letter case" in first["comment"]
    assert second["key"] == "field_prf"


def test_langsmith_reads_the_results() -> None:
    evaluation = pytest.importorskip("langsmith.evaluation", reason="needs langsmith, which is not among the development packages")
    from langsmith.schemas import Example, Run

    common: dict[str, Any] = {"id": "0190a1d2-0000-7000-8000-000000000000", "start_time": "2025-01-01T00:00:00Z"}
    run = Run(**common, name="r", run_type="chain", inputs={"q": 1}, outputs=WRONG, trace_id=common["id"])
    example = Example(id=common["id"], inputs={"q": 1}, outputs=EXPECTED, dataset_id=common["id"])
    evaluator = evaluation.run_evaluator(langsmith_evaluator(FIELDS))
    [result] = evaluator.evaluate_run(run, example)["results"]
    assert (result.key, result.score) == ("fields", 0.5)


def test_dspy_gets_a_score_and_feedback_and_a_bool_while_bootstrapping() -> None:
    dspy = pytest.importorskip("dspy", reason="needs dspy, which is not among the development packages")
    metric = dspy_metric(FIELDS)
    gold = dspy.Example(document="…", **EXPECTED).with_inputs("document")
    wrong, right = dspy.Prediction(**WRONG), dspy.Prediction(**EXPECTED)
    answer = metric(gold, wrong)
    assert answer.score == 0.5
    assert "vendor: wrong value: expected Acme, got ACME (letter case)" in answer.feedback
    assert metric(gold, wrong, trace=[]) is False
    assert metric(gold, right, trace=[]) is True
    evaluate = dspy.Evaluate(devset=[gold], metric=metric, display_progress=False, num_threads=1)
    assert float(evaluate(lambda **_: wrong).score) == 50.0


def test_mlflow_gets_feedback_with_a_rationale() -> None:
    pytest.importorskip("mlflow.genai.scorers", reason="needs mlflow, which is not among the development packages")
    scorer = mlflow_scorer(FIELDS)
    [feedback] = scorer(inputs={"q": 1}, outputs=WRONG, expectations={"expected_response": EXPECTED})
    assert (feedback.name, feedback.value) == ("fieldwise", 0.5)
    assert "letter case" in feedback.rationale


class RecordingLogger:
    """What OpenTelemetry's logger is asked to emit."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def emit(self, **event: Any) -> None:
        self.events.append(event)


@pytest.fixture
def run(tmp_path: Path) -> fw.Run:
    rows = [{"id": "a", "expected": EXPECTED, "actual": WRONG}, {"id": "b", "expected": "no record", "actual": WRONG}]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return fw.run({"name": "s", "evaluators": [FIELDS]}, cases=str(tmp_path / "c.jsonl"), root=tmp_path / "store")


def test_an_event_follows_the_convention(run: fw.Run) -> None:
    logger = RecordingLogger()
    assert emit_evaluation_events(run, logger) == 2
    scored, fault = (event["attributes"] for event in logger.events)
    assert {event["event_name"] for event in logger.events} == {"gen_ai.evaluation.result"}
    assert (scored["gen_ai.evaluation.name"], scored["gen_ai.evaluation.score.value"]) == ("fields", 0.5)
    assert scored["gen_ai.evaluation.score.label"] == "partial"
    assert (scored["fieldwise.case.id"], scored["fieldwise.run.id"]) == ("a", run.id)
    assert scored["fieldwise.evaluator.version"]
    assert "gen_ai.evaluation.score.value" not in fault
    assert fault["error.type"] == "error"


def test_the_sdk_of_opentelemetry_exports_the_events(run: fw.Run) -> None:
    export = pytest.importorskip("opentelemetry.sdk._logs.export", reason="needs opentelemetry-sdk")
    from opentelemetry.sdk._logs import LoggerProvider

    exporter, provider = export.InMemoryLogRecordExporter(), LoggerProvider()
    provider.add_log_record_processor(export.SimpleLogRecordProcessor(exporter))
    emit_evaluation_events(run, provider.get_logger("fieldwise"))
    records = [entry.log_record for entry in exporter.get_finished_logs()]
    assert [record.event_name for record in records] == ["gen_ai.evaluation.result"] * 2
    assert records[0].attributes["gen_ai.evaluation.score.value"] == 0.5


def test_a_bad_configuration_is_told_at_once() -> None:
    with pytest.raises(fw.ConfigError, match="feild_accuracy"):
        langsmith_evaluator({"type": "feild_accuracy"})
