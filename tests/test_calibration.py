"""Calibration on labelled pairs, the shipped ones and others."""

import json
from collections import Counter
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import pytest

from fieldwise.calibration import LabelledPair, calibrate, read_pairs, read_shipped_pairs, similarities
from fieldwise.kernels.meaning.calibration import is_held_out
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
    assert all(record["same"] == (record["kind"] == "paraphrase") for record in records if record["round"] < 3)
    values = Counter((record["kind"], record["same"]) for record in records if record["round"] == 3)
    assert {kind for kind, _ in values} >= {"country", "currency", "language", "title", "date", "digits", "amount", "quantity", "address"}
    assert min(values.values()) >= 4


def test_the_published_map_is_the_one_fitted_on_half_of_the_shipped_pairs() -> None:
    calibration = calibrate(read_shipped_pairs())
    assert np.array(calibration.curve.knots) == pytest.approx(np.array(PUBLISHED), abs=0.01)  # versions of onnxruntime round differently
    assert calibration.held_out.precision > 0.8
    assert calibration.held_out.recall > 0.8
    assert calibration.held_out.pairs == sum(is_held_out(pair.expected, pair.actual) for pair in read_shipped_pairs())


def test_guards_tell_hard_negatives_that_the_model_cannot_tell() -> None:
    with as_file(files("fieldwise").joinpath("data/semantic_pairs_fresh.jsonl")) as fresh:
        pairs = read_pairs(fresh)
    passed = similarities(pairs, PUBLISHED) >= 0.8
    hard = [not judged for judged, pair in zip(passed, pairs, strict=True) if pair.kind == "hard_negative"]
    assert sum(hard) / len(hard) > 0.7


def test_the_map_is_measured_beside_the_published_one_on_the_same_pairs() -> None:
    calibration = calibrate(read_shipped_pairs())
    reported = np.array([is_held_out(pair.expected, pair.actual) for pair in read_shipped_pairs()])
    same = np.array([pair.same for pair in read_shipped_pairs()])
    passed = similarities(read_shipped_pairs(), PUBLISHED) >= 0.8
    assert calibration.before.pairs == calibration.held_out.pairs == reported.sum()
    assert calibration.before.precision == pytest.approx(np.mean(same[reported & passed]))
    assert calibration.better == (calibration.held_out.f1 > calibration.before.f1)


def test_pairs_are_read_from_csv_as_from_json_lines(tmp_path: Path) -> None:
    lines, table = tmp_path / "pairs.jsonl", tmp_path / "pairs.csv"
    lines.write_text('{"expected": "a, b", "actual": "c", "same": true}\n{"expected": "d", "actual": "e", "same": 0}\n')
    table.write_text('expected,actual,same\n"a, b",c,Yes\nd,e,false\n')
    assert read_pairs(lines) == read_pairs(table) == [LabelledPair("a, b", "c", True), LabelledPair("d", "e", False)]


def test_every_bad_row_is_named(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"expected": "a", "actual": "b", "same": "perhaps"}\n{"actual": "b"}\n{"expected": 1, "actual": "b", "same": true}\n')
    with pytest.raises(ConfigError) as error:
        read_pairs(file)
    assert [diagnostic.where.line for diagnostic in error.value.diagnostics] == [1, 2, 3]
    assert "`same` must be true or false" in str(error.value)
    file.write_text("not json\n[]\n")
    with pytest.raises(ConfigError) as error:
        read_pairs(file)
    assert [diagnostic.where.line for diagnostic in error.value.diagnostics] == [1, 2]


def test_a_pair_with_two_labels_is_refused_and_one_given_twice_counts_once(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text("expected,actual,same\na,b,yes\na,b,yes\n")
    assert len(read_pairs(file)) == 1
    file.write_text("expected,actual,same\na,b,yes\na,b,no\n")
    with pytest.raises(ConfigError, match=r"labelled `same: false`, and the other way at .*:2"):
        read_pairs(file)


def test_too_few_pairs_are_not_fitted() -> None:
    with pytest.raises(ConfigError, match="needs at least 20 pairs with `same: true`") as error:
        calibrate([LabelledPair("a", "b", True), LabelledPair("c", "d", False)])
    assert len(error.value.diagnostics) == 2


def test_labels_of_one_kind_alone_are_not_fitted() -> None:
    with pytest.raises(ConfigError, match=r"needs at least 20 pairs with `same: false`.*; there are 0"):
        calibrate([pair for pair in read_shipped_pairs() if pair.same])


def test_without_a_model_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    none = Diagnostic(code="unavailable", what="there is no model", fix="pip install 'fieldwise[semantic]'")
    monkeypatch.setattr("fieldwise.ask.embedding.provide", lambda: none)
    with pytest.raises(ConfigError, match=r"fieldwise\[semantic\]"):
        calibrate(read_shipped_pairs())
