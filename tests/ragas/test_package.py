"""`by: package`: the real package, asking a scripted server on loopback."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_server import Say, model_server

import fieldwise as fw

pytestmark = pytest.mark.ragas

CASE = {
    "id": "1",
    "input": "Where and when was Einstein born?",
    "actual": "Einstein was born in Germany on 20 March 1879.",
    "expected": "Einstein was born in Ulm, Germany, on 14 March 1879.",
    "contexts": ["Albert Einstein (born 14 March 1879) was a German physicist.", "Bananas are yellow."],
}
METRICS = ("faithfulness", "answer_relevancy", "context_precision", "context_recall")
CLAIMS = ["Einstein was born in Germany.", "Einstein was born on 20 March 1879."]


def said(prompt: str) -> dict[str, Any]:
    """Plausible replies to the prompts of the package, chosen by the schema they ask for."""
    shape = prompt.rsplit("JSON Schema:", 1)[-1]
    if "attributed" in shape:
        return {"classifications": [{"statement": "born in Ulm", "reason": "not there", "attributed": 0}]}
    if "noncommittal" in shape:
        return {"question": CASE["input"], "noncommittal": 0}
    if '"verdict"' in shape and '"statement"' in shape:
        return {"statements": [{"statement": claim, "reason": "r", "verdict": at} for at, claim in zip((1, 0), CLAIMS, strict=True)]}
    if '"verdict"' in shape:
        return {"reason": "r", "verdict": 0 if "Bananas are yellow." in prompt.rsplit("nput", 1)[-1] else 1}
    return {"statements": CLAIMS}


def measured(folder: Path, say: Callable[[str], Any], case: dict[str, Any] = CASE, **options: Any) -> tuple[Any, int]:
    """The run, and how many questions the server was asked."""
    (folder / "cases.jsonl").write_text(json.dumps(case))

    def answer(request: dict[str, Any]) -> Say:
        reply = say(request["messages"][-1]["content"])
        return reply if isinstance(reply, Say) else Say(json.dumps(reply))

    with model_server(answer) as server:
        evaluator = {"type": "ragas", "by": "package", "model": {"url": server.url, "name": "scripted", "retries": 0}, **options}
        return fw.run({"cases": str(folder / "cases.jsonl"), "evaluators": [evaluator]}, root=folder), len(server.requests)


def only(run: Any) -> fw.Result:
    [stored] = run.results()
    return stored.result


def test_the_four_metrics_are_measured_and_what_the_model_said_is_kept(tmp_path: Path) -> None:
    run, asked = measured(tmp_path, said)
    result = only(run)
    values = {name: value for name, value in result.metrics.items() if name in METRICS}
    assert values == pytest.approx({"faithfulness": 0.5, "answer_relevancy": 1.0, "context_precision": 1.0, "context_recall": 0.0})
    assert result.misses == [
        f"faithfulness: {CLAIMS[1]}",
        "context_precision: context 2",
        "context_recall: born in Ulm",
    ]
    assert result.details["faithfulness"]["said"][1]["statements"][0] == {"statement": CLAIMS[0], "reason": "r", "verdict": 1}
    assert (asked, result.details["usage"]["calls"]) == (6, 8), "three equal questions are asked once"
    assert os.environ["RAGAS_DO_NOT_TRACK"] == "true"


def test_a_nan_of_the_package_is_an_error_with_a_reason_and_in_no_mean(tmp_path: Path) -> None:
    run, _ = measured(tmp_path, lambda _: {"statements": []}, metrics=["faithfulness"])
    assert run.full.evaluators["ragas"].counts.scored == 0
    assert run.exit_code != 0
    assert only(run).status == "error"
    assert "gave NaN" in only(run).reasoning


def test_a_server_that_fails_is_no_score(tmp_path: Path) -> None:
    run, _ = measured(tmp_path, lambda _: Say("broken", status=400), metrics=["context_recall"])
    assert run.full.evaluators["ragas"].counts.scored == 0
    assert run.exit_code != 0
    assert only(run).status in ("error", "unavailable")
    assert "400" in only(run).reasoning


def test_a_reply_of_another_shape_is_no_score(tmp_path: Path) -> None:
    run, _ = measured(tmp_path, lambda _: {"something": "else"}, metrics=["faithfulness"])
    assert run.full.evaluators["ragas"].counts.scored == 0


def test_without_a_reference_precision_is_measured_by_the_answer(tmp_path: Path) -> None:
    case = {key: value for key, value in CASE.items() if key != "expected"}
    run, _ = measured(tmp_path, said, case, metrics=["context_precision", "context_recall"])
    assert run.summary["ragas.context_precision"] == pytest.approx(1.0)
    assert run.full.evaluators["ragas"].counts.scored == 1
