"""Judges against a real model: small, hence often wrong, but its replies are what replies look like."""

from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw

pytestmark = pytest.mark.llm

CASE = (
    '{"id": "1", "input": "What is the capital of France?", "expected": "Paris", "actual": "Paris.", "contexts": ["Paris is in France."]}\n'
)


def run(folder: Path, evaluator: dict[str, Any], url: str) -> Any:
    (folder / "cases.jsonl").write_text(CASE)
    model = {"url": url, "name": "smollm2", "max_tokens": 300, "timeout": 300}
    return fw.run({"cases": str(folder / "cases.jsonl"), "evaluators": [{**evaluator, "model": model}]}, root=folder)


@pytest.mark.parametrize(
    "evaluator",
    [
        {"type": "llm_judge", "rubric": ["names a city", {"name": "short", "description": "The answer is one word", "weight": 2}]},
        {"type": "ragas", "metrics": ["context_precision"]},
        {"type": "ragas", "metrics": ["answer_relevancy"]},
    ],
    ids=["rubric", "context_precision", "answer_relevancy"],
)
def test_a_real_model_is_understood_and_asked_once(tmp_path: Path, evaluator: dict[str, Any], model_url: str) -> None:
    first, second = (next(iter(run(tmp_path, evaluator, model_url).results())).result for _ in range(2))
    assert first.status == "scored", first.details
    assert 0.0 <= first.score <= 1.0
    assert first.metrics["tokens_in"] > 50
    assert first.metrics["tokens_out"] > 5
    assert (second.score, second.hits, second.misses, second.reasoning) == (first.score, first.hits, first.misses, first.reasoning)
    assert (first.details["usage"]["cached"], second.details["usage"]["cached"]) == (0, second.details["usage"]["calls"])


def test_a_model_that_is_cut_off_is_an_error_with_what_it_said(tmp_path: Path, model_url: str) -> None:
    evaluator = {"type": "llm_judge", "prompt": "Describe at length what the answer gets right."}
    (tmp_path / "cases.jsonl").write_text(CASE)
    model = {"url": model_url, "name": "smollm2", "max_tokens": 4, "timeout": 300}
    suite = {"cases": str(tmp_path / "cases.jsonl"), "evaluators": [{**evaluator, "model": model}]}
    result = next(iter(fw.run(suite, root=tmp_path).results())).result
    assert result.status == "error"
    assert "cut off" in result.reasoning
    assert result.details["raw_reply"]
