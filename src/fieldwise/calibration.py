"""Fits the score of `semantic` to labelled pairs, so that its usual threshold is the best cut for them.

    python -m fieldwise.calibration my_pairs.jsonl

Each line holds `expected`, `actual` and `same` (true or false). Half of the pairs, chosen by their text, is fitted; the other half is
reported on. Without a file, the pairs that fieldwise ships are used.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, TextIO, cast

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.meaning.calibration import USUAL_CUT, Curve, Quality, fit, held_out, quality
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.registry import find

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

    curve: Curve
    """For the option `calibration` of `semantic`."""
    fitted: Quality
    """On the half it was fitted to."""
    held_out: Quality
    """On the other half: what to expect of new pairs like these."""
    by_kind: Mapping[str, float]
    """The share of held-out pairs judged rightly, by kind of pair and by language, such as `kind hard_negative`."""

    def option(self) -> str:
        """The line for a suite."""
        return "calibration: " + json.dumps([list(knot) for knot in self.curve.knots])


def calibrate(pairs: Sequence[Labelled], *, at: float = USUAL_CUT) -> Calibration:
    """The map that makes `at` the best cut for these pairs, fitted on one half and measured on the other."""
    same = np.array([pair.same for pair in pairs], dtype=np.bool_)
    reported = np.array([held_out(pair.expected, pair.actual) for pair in pairs], dtype=np.bool_)
    for label, wanted in (("same: true", same), ("same: false", ~same)):
        if min(np.sum(wanted & reported), np.sum(wanted & ~reported)) < FEWEST / 2:
            what = (
                f"a calibration needs at least {FEWEST} pairs with `{label}`, about half of them in each half; there are {np.sum(wanted)}"
            )
            raise ConfigError([Diagnostic(code="too-few-pairs", what=what, fix="label more pairs; 200 of each give a steady cut")])
    raw = similarities(pairs)
    curve = fit(raw[~reported], same[~reported], at=at)
    score = curve(raw)
    return Calibration(
        curve=curve,
        fitted=quality(score[~reported], same[~reported], at=at),
        held_out=quality(score[reported], same[reported], at=at),
        by_kind=_shares([pair for pair, kept in zip(pairs, reported, strict=True) if kept], (score >= at)[reported]),
    )


def similarities(pairs: Sequence[Labelled], calibration: tuple[tuple[float, float], ...] = IDENTITY) -> NDArray[np.float64]:
    """The similarity of each pair: raw, or by a calibration. ConfigError where there is no model."""
    entry = find("matchers", "semantic")
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
    source = files("fieldwise").joinpath("data/semantic_pairs.jsonl")
    return read_pairs(source.read_text(encoding="utf-8"), "semantic_pairs.jsonl")


def read_pairs(text: str, name: str) -> list[Labelled]:
    """Labelled pairs from JSON lines; ConfigError with every line that is none."""
    pairs: list[Labelled] = []
    wrong: list[Diagnostic] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            pair = _pair(line)
            if isinstance(pair, str):
                fix = 'write {"expected": "…", "actual": "…", "same": true}'
                wrong.append(Diagnostic(code="bad-pair", what=pair, where=Where(file=name, line=number), fix=fix))
            else:
                pairs.append(pair)
    if wrong:
        raise ConfigError(wrong)
    return pairs


def _pair(line: str) -> Labelled | str:
    """A pair, or what is wrong with the line."""
    try:
        found: Any = json.loads(line)
    except ValueError as error:
        return f"this is not JSON: {error}"
    if not isinstance(found, dict):
        return "this is not an object"
    record = cast("dict[str, Any]", found)
    if not isinstance(record.get("expected"), str) or not isinstance(record.get("actual"), str):
        return "`expected` and `actual` must be text"
    if not isinstance(record.get("same"), bool):
        return "`same` must be true or false"
    return Labelled(record["expected"], record["actual"], record["same"], str(record.get("kind", "")), str(record.get("language", "")))


def report(found: Calibration, out: TextIO) -> None:
    """The map and how well it does, in words."""
    for name, measured in (("fitted half", found.fitted), ("held-out half", found.held_out)):
        numbers = f"precision {measured.precision:.3f}, recall {measured.recall:.3f}, F1 {measured.f1:.3f}, AUC {measured.auc:.3f}"
        print(f"{name}: {measured.pairs} pairs, {numbers}", file=out)
    for name, share in found.by_kind.items():
        print(f"  {name}: {share:.0%} judged rightly", file=out)
    print(f"For the field's `match: semantic`:\n  {found.option()}", file=out)


def main(arguments: Sequence[str] | None = None) -> int:
    """Calibrate on a file of pairs and print the option to write into a suite; 2 if the file or the model is not there."""
    parser = argparse.ArgumentParser(prog="fieldwise.calibration", description=calibrate.__doc__)
    parser.add_argument("pairs", type=Path, nargs="?", help="JSON lines with expected, actual, same (default: the shipped pairs)")
    parser.add_argument("--threshold", type=float, default=USUAL_CUT, help="the score that shall be the best cut (0.80)")
    options = parser.parse_args(arguments)
    try:
        pairs = read_pairs(options.pairs.read_text(encoding="utf-8"), str(options.pairs)) if options.pairs else shipped()
        report(calibrate(pairs, at=options.threshold), sys.stdout)
    except (ConfigError, OSError, UnicodeDecodeError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
