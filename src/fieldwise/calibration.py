"""Fits the score of `semantic` to labelled pairs, so that its default threshold separates them best.

One half of the pairs, chosen by a hash of their texts, is used for the fit; the other half for the report. Command: `fieldwise calibrate`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.meaning.calibration import (
    DEFAULT_THRESHOLD,
    CalibrationCurve,
    CalibrationQuality,
    fit_curve,
    is_held_out,
    measure_quality,
)
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.rule import Match
from fieldwise.read.labels import TableRecord, parse_flag, read_records
from fieldwise.registry import MATCHERS
from fieldwise.score.matching import score_pairs
from fieldwise.score.services import local_services

Knots = tuple[tuple[float, float], ...]
IDENTITY: Final[Knots] = ((0.0, 0.0), (1.0, 1.0))
MIN_PAIRS: Final = 20
"""Minimum number of pairs of each label for a fit."""


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two texts and whether they mean the same."""

    expected: str
    actual: str
    same: bool
    kind: str = ""
    """The kind of pair, for the report: paraphrase, hard_negative …"""
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A fitted curve and its quality."""

    threshold: float
    """The threshold that it was fitted for."""
    curve: CalibrationCurve
    """The value for the option `calibration` of `semantic`."""
    same: int
    """Number of pairs that mean the same."""
    fitted: CalibrationQuality
    """Quality on the half that was fitted."""
    held_out: CalibrationQuality
    """Quality on the other half, an estimate for new pairs like these."""
    before: CalibrationQuality
    """Quality of the default curve of `semantic` on the other half."""
    by_kind: Mapping[str, float]
    """The share of held-out pairs judged correctly, by kind and by language, such as `kind hard_negative`."""

    @property
    def better(self) -> bool:
        """True if it is better than the default curve on the held-out pairs."""
        return self.held_out.f1 > self.before.f1

    def option(self) -> str:
        """The line for a suite."""
        return "calibration: " + json.dumps([list(knot) for knot in self.curve.knots])

    def to_json(self) -> dict[str, Any]:
        """A JSON-able form; `calibration` is the value of the option."""
        return {
            "calibration": [list(knot) for knot in self.curve.knots],
            "threshold": self.threshold,
            "pairs": self.fitted.pairs + self.held_out.pairs,
            "same": self.same,
            "better": self.better,
            "before": asdict(self.before),
            "after": asdict(self.held_out),
            "fitted": asdict(self.fitted),
            "by_kind": dict(self.by_kind),
        }


def calibrate(pairs: Sequence[LabelledPair], *, at: float = DEFAULT_THRESHOLD) -> Calibration:
    """Fit the curve that makes `at` the best threshold for these pairs: on one half, measured on the other."""
    same = np.array([pair.same for pair in pairs], dtype=np.bool_)
    held_out = np.array([is_held_out(pair.expected, pair.actual) for pair in pairs], dtype=np.bool_)
    _require_enough_pairs(same, held_out)
    raw = similarities(pairs)
    curve = fit_curve(raw[~held_out], same[~held_out], at=at)
    score, default_score = curve(raw), CalibrationCurve(_default_knots())(raw)
    held_out_pairs = [pair for pair, is_reported in zip(pairs, held_out, strict=True) if is_reported]
    return Calibration(
        threshold=at,
        curve=curve,
        same=int(np.sum(same)),
        before=measure_quality(default_score[held_out], same[held_out], at=at),
        fitted=measure_quality(score[~held_out], same[~held_out], at=at),
        held_out=measure_quality(score[held_out], same[held_out], at=at),
        by_kind=_shares_correct(held_out_pairs, (score >= at)[held_out]),
    )


def _require_enough_pairs(same: NDArray[np.bool_], held_out: NDArray[np.bool_]) -> None:
    """Raise ConfigError if one label has too few pairs in either half."""
    problems: list[Diagnostic] = []
    for label, has_label in (("same: true", same), ("same: false", ~same)):
        if min(np.sum(has_label & held_out), np.sum(has_label & ~held_out)) < MIN_PAIRS / 2:
            requirement = f"a calibration needs at least {MIN_PAIRS} pairs with `{label}`, about half of them in each half"
            what = f"{requirement}; there are {np.sum(has_label)}"
            problems.append(Diagnostic(code="too-few-pairs", what=what, fix="label more pairs; 200 of each give a steady cut"))
    if problems:
        raise ConfigError(problems)


def _default_knots() -> Knots:
    """The curve of `semantic` without the option `calibration`."""
    knots: Knots = MATCHERS.find("semantic").options().calibration
    return knots


def similarities(pairs: Sequence[LabelledPair], calibration: Knots = IDENTITY) -> NDArray[np.float64]:
    """The similarity of each pair: raw, or by a calibration. ConfigError without an embedding model."""
    options = MATCHERS.find("semantic").options(calibration=calibration)
    expected, actual = [pair.expected for pair in pairs], [pair.actual for pair in pairs]
    scores = score_pairs(Match("semantic", options), expected, actual, local_services())
    if scores.faults:
        raise ConfigError(list(dict.fromkeys(scores.faults.values())))
    return scores.value


def _shares_correct(pairs: Sequence[LabelledPair], passed: NDArray[np.bool_]) -> dict[str, float]:
    """The share of pairs whose verdict equals the label, by kind and by language."""
    correct: dict[str, list[bool]] = {}
    for pair, verdict in zip(pairs, passed, strict=True):
        is_correct = bool(verdict) == pair.same
        if pair.kind:
            correct.setdefault(f"kind {pair.kind}", []).append(is_correct)
        if pair.language:
            correct.setdefault(f"language {pair.language}", []).append(is_correct)
    return {name: float(np.mean(verdicts)) for name, verdicts in correct.items()}


def read_shipped_pairs() -> list[LabelledPair]:
    """The labelled pairs of the default calibration."""
    with as_file(files("fieldwise").joinpath("data/semantic_pairs.jsonl")) as path:
        return read_pairs(path)


def read_pairs(path: str | Path) -> list[LabelledPair]:
    """Labelled pairs from CSV or JSON lines; ConfigError with every row that is not one."""
    pairs: dict[tuple[str, str], tuple[LabelledPair, TableRecord]] = {}
    problems: list[Diagnostic] = []
    for record in read_records(path):
        pair = _parse_pair(record.value)
        if isinstance(pair, str):
            fix = 'write {"expected": "…", "actual": "…", "same": true}, or the same as columns'
            problems.append(Diagnostic(code="bad-pair", what=pair, where=record.where, fix=fix))
            continue
        first_pair, first_record = pairs.setdefault((pair.expected, pair.actual), (pair, record))
        if first_pair.same != pair.same:
            what = f"this pair is labelled `same: {str(pair.same).lower()}`, and the other way at {first_record.where}"
            problems.append(Diagnostic(code="two-labels", what=what, where=record.where, fix="agree on one label, or leave the pair out"))
    if problems:
        raise ConfigError(problems)
    return [pair for pair, _ in pairs.values()]


def _parse_pair(record: Mapping[str, Any]) -> LabelledPair | str:
    """A pair, or the problem of the row."""
    expected, actual, same = (record.get(name) for name in ("expected", "actual", "same"))
    if not isinstance(expected, str) or not isinstance(actual, str):
        return "`expected` and `actual` must be text"
    flag = parse_flag(same)
    if flag is None:
        return "`same` must be true or false"
    return LabelledPair(expected, actual, flag, str(record.get("kind") or ""), str(record.get("language") or ""))
