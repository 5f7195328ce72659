"""Calibrating on labelled pairs, the shipped ones and a user's own."""

import json
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from fieldwise.calibration import Labelled, calibrate, main, read_pairs, shipped, similarities
from fieldwise.kernels.meaning.calibration import held_out
from fieldwise.matchers.semantic import PUBLISHED
from fieldwise.model.diagnostic import ConfigError, Diagnostic


def test_the_shipped_pairs_are_many_and_of_many_kinds() -> None:
    lines = files("fieldwise").joinpath("data/semantic_pairs.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    assert len(records) >= 400
    assert len({(record["expected"], record["actual"]) for record in records}) == len(records)
    kinds = Counter(record["kind"] for record in records)
    assert min(kinds["paraphrase"], kinds["hard_negative"], kinds["negative"]) >= 100
    assert len({record["language"] for record in records}) >= 5
    assert len({record["field_type"] for record in records}) >= 8
    assert all(record["same"] == (record["kind"] == "paraphrase") for record in records)


def test_the_published_map_is_the_one_fitted_on_half_of_the_shipped_pairs() -> None:
    found = calibrate(shipped())
    assert np.array(found.curve.knots) == pytest.approx(np.array(PUBLISHED), abs=0.01)  # versions of onnxruntime round differently
    assert found.held_out.precision > 0.8
    assert found.held_out.recall > 0.8
    assert found.held_out.pairs == sum(held_out(pair.expected, pair.actual) for pair in shipped())


def test_guards_tell_hard_negatives_that_the_model_cannot_tell() -> None:
    fresh = files("fieldwise").joinpath("data/semantic_pairs_fresh.jsonl").read_text(encoding="utf-8")
    pairs = read_pairs(fresh, "fresh")
    passed = similarities(pairs, PUBLISHED) >= 0.8
    hard = [not judged for judged, pair in zip(passed, pairs, strict=True) if pair.kind == "hard_negative"]
    assert sum(hard) / len(hard) > 0.7


def test_a_users_own_pairs_give_the_option_to_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = [{"expected": pair.expected, "actual": pair.actual, "same": pair.same} for pair in shipped()[::3]]
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n".join(json.dumps(pair) for pair in own), encoding="utf-8")
    assert main([str(file)]) == 0
    printed = capsys.readouterr().out
    assert "held-out half" in printed
    assert "calibration: [[0.0, 0.0], [0." in printed


def test_every_bad_line_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"expected": "a", "actual": "b", "same": "yes"}\nnot json\n[]\n{"expected": 1, "actual": "b", "same": true}\n')
    assert main([str(file)]) == 2
    message = capsys.readouterr().err
    assert [f"pairs.jsonl:{line}:" in message for line in (1, 2, 3, 4)] == [True] * 4
    assert "`same` must be true or false" in message


def test_a_file_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.jsonl")]) == 2
    assert "none.jsonl" in capsys.readouterr().err


def test_too_few_pairs_are_not_fitted() -> None:
    with pytest.raises(ConfigError, match="needs at least 20 pairs with `same: true`"):
        calibrate([Labelled("a", "b", True), Labelled("c", "d", False)])


def test_without_a_model_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    none = Diagnostic(code="unavailable", what="there is no model", fix="pip install 'fieldwise[semantic]'")
    monkeypatch.setattr("fieldwise.matchers.semantic.embedder", lambda: none)
    with pytest.raises(ConfigError, match=r"fieldwise\[semantic\]"):
        calibrate(shipped())
