"""Fingerprints of rules."""

from dataclasses import replace

from fieldwise.evaluators.records.field_accuracy import FieldAccuracy
from fieldwise.matchers.numeric_tolerance import NumericTolerance
from fieldwise.model.path import Path
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.rule import FieldRule, Match
from fieldwise.store.fingerprints import fingerprint_rules


def fingerprint(*matches: Match) -> str:
    rules = [FieldRule(path=Path((f"v{at}",)), text=f"v{at}", match=match) for at, match in enumerate(matches)]
    return fingerprint_rules(PlannedEvaluator(type="field_accuracy", name="x", config=FieldAccuracy(fields=tuple(rules))))


def test_a_fingerprint_does_not_depend_on_which_rules_share_a_match() -> None:
    match = Match("numeric_tolerance", NumericTolerance(tolerance=1.0))
    assert fingerprint(match, match) == fingerprint(match, replace(match))


def test_options_that_python_finds_equal_have_fingerprints_of_their_own() -> None:
    by_float, by_integer = (Match("numeric_tolerance", NumericTolerance(tolerance=tolerance)) for tolerance in (1.0, 1))
    assert by_float == by_integer
    assert fingerprint(by_float, by_float) != fingerprint(by_float, by_integer)
