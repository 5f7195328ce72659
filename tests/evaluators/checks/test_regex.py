r"""regex: patterns that must be found in an output, in time proportional to its length."""

from typing import Any

import pytest

import fieldwise as fw


@pytest.mark.parametrize(
    ("options", "actual", "score"),
    [
        ({"value": r"case #\d{4}"}, "Your case #0042 is open.", 1.0),
        ({"value": r"^\d{4}$"}, "case 0042", 0.0),
        ({"value": "(?i)CASE"}, "case", 1.0),
        ({"value": [r"\d", "[a-z]"]}, "a1", 1.0),
        ({"value": [r"\d", "[a-z]"]}, "1", 0.0),
        ({"value": [r"\d", "[a-z]"], "mode": "any"}, "1", 1.0),
        ({"value": r"\b\d{16}\b", "negate": True}, "card 4111111111111111", 0.0),
        ({"value": r"\b\d{16}\b", "negate": True}, "no card", 1.0),
        ({"value": "caf\u00e9"}, "cafe\u0301", 1.0),
        ({"value": "x"}, "\ud800x", 1.0),
        ({"value": r'"a":\d'}, {"a": 1}, 1.0),
    ],
)
def test_a_table_of_outputs(options: dict[str, Any], actual: Any, score: float) -> None:
    assert fw.evaluate({"type": "regex", **options}, actual=actual).score == score


def test_a_pattern_that_explodes_elsewhere_does_not_here() -> None:
    assert fw.evaluate({"type": "regex", "value": "^(a+)+$"}, actual="a" * 100_000 + "b").score == 0.0


@pytest.mark.parametrize("pattern", ["(", r"(?=a)", r"(a)\1"])
def test_a_pattern_that_cannot_be_read_is_refused_before_anything_runs(pattern: str) -> None:
    with pytest.raises(fw.ConfigError, match="cannot be read") as raised:
        fw.evaluate({"type": "regex", "value": ["a", pattern]}, actual="x")
    assert "RE2" in str(raised.value)


def test_a_pattern_is_needed() -> None:
    with pytest.raises(fw.ConfigError, match="needs `value`"):
        fw.evaluate({"type": "regex"}, actual="x")
