"""Fits the score of `semantic` to labelled pairs, so that its usual threshold is the best cut for them.

Half of the pairs, chosen by their text, is fitted; the other half is reported on. `fieldwise calibrate` is the command for it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.meaning.calibration import USUAL_CUT, Curve, Quality, fit, held_out, quality
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.read.records import Record, as_flag, read_records
from fieldwise.registry import MATCHERS

IDENTITY = ((0.0, 0.0), (1.0, 1.0))
FEWEST = 20
"""Pairs of each kind, same and not the same, below which nothing is fitted."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Two texts and whether they mean the same."""

    expected: str
    actual: str
    same: bool
    kind: str = ""
    """What sort of pair it is, for the report: paraphrase, hard_negative …"""
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A fitted map and how well it does."""

    threshold: float
    """The cut that it was fitted for."""
    curve: Curve
    """For the option `calibration` of `semantic`."""
    same: int
    """How many of the pairs mean the same."""
    fitted: Quality
    """On the half it was fitted to."""
    held_out: Quality
    """On the other half: what to expect of new pairs like these."""
    before: Quality
    """On the other half, with the map that `semantic` has without this one."""
    by_kind: Mapping[str, float]
    """The share of held-out pairs judged rightly, by kind of pair and by language, such as `kind hard_negative`."""

    @property
    def better(self) -> bool:
        """Whether it does better than the map that is there anyway, on pairs that neither was fitted to."""
        return self.held_out.f1 > self.before.f1

    def option(self) -> str:
        """The line for a suite."""
        return "calibration: " + json.dumps([list(knot) for knot in self.curve.knots])

    def to_json(self) -> dict[str, Any]:
        """A JSON-able form; `calibration` is the option."""
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


def calibrate(pairs: Sequence[Labelled], *, at: float = USUAL_CUT) -> Calibration:
    """The map that makes `at` the best cut for these pairs, fitted on one half and measured on the other."""
    same = np.array([pair.same for pair in pairs], dtype=np.bool_)
    reported = np.array([held_out(pair.expected, pair.actual) for pair in pairs], dtype=np.bool_)
    _check_enough(same, reported)
    raw = similarities(pairs)
    curve = fit(raw[~reported], same[~reported], at=at)
    score, before = curve(raw), Curve(_usual())(raw)
    return Calibration(
        threshold=at,
        curve=curve,
        same=int(np.sum(same)),
        before=quality(before[reported], same[reported], at=at),
        fitted=quality(score[~reported], same[~reported], at=at),
        held_out=quality(score[reported], same[reported], at=at),
        by_kind=_shares([pair for pair, kept in zip(pairs, reported, strict=True) if kept], (score >= at)[reported]),
    )


def _check_enough(same: NDArray[np.bool_], reported: NDArray[np.bool_]) -> None:
    """ConfigError where one kind of pair is too rare to be fitted and reported on."""
    wrong: list[Diagnostic] = []
    for label, wanted in (("same: true", same), ("same: false", ~same)):
        if min(np.sum(wanted & reported), np.sum(wanted & ~reported)) < FEWEST / 2:
            told = f"a calibration needs at least {FEWEST} pairs with `{label}`, about half of them in each half"
            what = f"{told}; there are {np.sum(wanted)}"
            wrong.append(Diagnostic(code="too-few-pairs", what=what, fix="label more pairs; 200 of each give a steady cut"))
    if wrong:
        raise ConfigError(wrong)


def _usual() -> tuple[tuple[float, float], ...]:
    """The map that `semantic` has without a calibration of one's own."""
    usual: tuple[tuple[float, float], ...] = MATCHERS.find("semantic").options().calibration
    return usual


def similarities(pairs: Sequence[Labelled], calibration: tuple[tuple[float, float], ...] = IDENTITY) -> NDArray[np.float64]:
    """The similarity of each pair: raw, or by a calibration. ConfigError where there is no model."""
    entry = MATCHERS.find("semantic")
    found: Scores = entry.function(
        Pairs([pair.expected for pair in pairs], [pair.actual for pair in pairs]), entry.options(calibration=calibration)
    )
    if found.faults:
        raise ConfigError(list(dict.fromkeys(found.faults.values())))
    return found.value


def _shares(pairs: Sequence[Labelled], passed: NDArray[np.bool_]) -> dict[str, float]:
    right: dict[str, list[bool]] = {}
    for pair, judged in zip(pairs, passed, strict=True):
        for name in (f"kind {pair.kind}", f"language {pair.language}"):
            if not name.endswith(" "):
                right.setdefault(name, []).append(bool(judged) == pair.same)
    return {name: float(np.mean(judged)) for name, judged in right.items()}


def shipped() -> list[Labelled]:
    """The labelled pairs that fieldwise is calibrated on."""
    with as_file(files("fieldwise").joinpath("data/semantic_pairs.jsonl")) as path:
        return read_pairs(path)


def read_pairs(path: str | Path) -> list[Labelled]:
    """Labelled pairs from CSV or JSON lines; ConfigError with every row that is none."""
    pairs: dict[tuple[str, str], tuple[Labelled, Record]] = {}
    wrong: list[Diagnostic] = []
    for record in read_records(path):
        pair = _pair(record.value)
        if isinstance(pair, str):
            fix = 'write {"expected": "…", "actual": "…", "same": true}, or the same as columns'
            wrong.append(Diagnostic(code="bad-pair", what=pair, where=record.where, fix=fix))
            continue
        first, there = pairs.setdefault((pair.expected, pair.actual), (pair, record))
        if first.same != pair.same:
            what = f"this pair is labelled `same: {str(pair.same).lower()}`, and the other way at {there.where}"
            wrong.append(Diagnostic(code="two-labels", what=what, where=record.where, fix="agree on one label, or leave the pair out"))
    if wrong:
        raise ConfigError(wrong)
    return [pair for pair, _ in pairs.values()]


def _pair(record: Mapping[str, Any]) -> Labelled | str:
    """A pair, or what is wrong with the row."""
    expected, actual, same = (record.get(name) for name in ("expected", "actual", "same"))
    if not isinstance(expected, str) or not isinstance(actual, str):
        return "`expected` and `actual` must be text"
    flag = as_flag(same)
    if flag is None:
        return "`same` must be true or false"
    return Labelled(expected, actual, flag, str(record.get("kind") or ""), str(record.get("language") or ""))
