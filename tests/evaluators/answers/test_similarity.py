"""similarity: an output as a whole, by any match."""

from typing import Any

import pytest

import fieldwise as fw
from fieldwise.model.diagnostic import Diagnostic


def judged(expected: str | None = None, *, actual: str, **options: Any) -> fw.Result:
    sides = {} if expected is None else {"expected": expected}
    return fw.evaluate({"type": "similarity", **options}, actual=actual, **sides)


@pytest.mark.parametrize(
    ("expected", "actual", "verdict"),
    [
        ("The term is 24 months", "It runs for two years", "pass"),
        ("Revenue rose 5 %", "Revenue fell 15 %", "fail"),
        ("same text", "Same text ", "pass"),
        ("something", "", "fail"),
    ],
)
def test_by_default_it_is_meaning_that_counts(expected: str, actual: str, verdict: str) -> None:
    assert judged(expected, actual=actual).verdict == verdict


def test_the_note_of_the_match_is_told() -> None:
    [miss] = judged("Revenue rose 5 %", actual="Revenue fell 15 %").misses
    assert "numbers differ: 5 % / 15 %" in miss


@pytest.mark.parametrize(
    ("match", "score", "verdict"),
    [
        ("fuzzy", 0.875, "pass"),
        ({"match": "fuzzy", "threshold": 0.9}, 0.875, "fail"),
        ({"match": "fuzzy", "threshold": 0.9, "score": "binary"}, 0.0, "fail"),
        ("exact", 0.0, "fail"),
    ],
)
def test_any_match_will_do_and_decides_what_is_enough(match: Any, score: float, verdict: str) -> None:
    result = judged("Acme Corporation", actual="ACME Corporatoin", match=match)
    assert (result.score, result.verdict) == (score, verdict)
    assert result.metrics["likeness"] == score


def test_of_several_texts_the_most_alike_counts() -> None:
    result = judged(actual="approved", value=["rejected", "aproved"], match="fuzzy")
    assert result.hits == ['similarity (0.88 like "aproved")']


def test_negated_it_must_be_like_none() -> None:
    refusals = ["I cannot help with that", "I am unable to help"]
    refused, helped = (judged(actual=text, value=refusals, negate=True) for text in ("I can not help with that.", "The total is 604."))
    assert (refused.verdict, helped.verdict) == ("fail", "pass")
    assert (refused.score, helped.score) == (0.0, 1.0)


def test_without_a_text_there_is_nothing_to_compare_with() -> None:
    assert judged(actual="x").status == "skipped"


def test_without_a_model_it_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    none = Diagnostic(code="unavailable", what="there is no model", fix="pip install 'fieldwise[semantic]'")
    monkeypatch.setattr("fieldwise.ask.embedding.load_embedder", lambda: none)
    result = judged("a text", actual="another one")
    assert (result.status, result.verdict) == ("unavailable", None)
    assert "fieldwise[semantic]" in result.reasoning


def test_a_blank_text_is_refused() -> None:
    with pytest.raises(fw.ConfigError, match="blank text"):
        judged(actual="x", value=" ")
