"""icontains: texts that an output must have, in capitals or not."""

from typing import Any

import pytest

import fieldwise as fw


@pytest.mark.parametrize(
    ("options", "actual", "score"),
    [
        ({"value": "Refund"}, "NO REFUND", 1.0),
        ({"value": "STRASSE"}, "in der Straße", 1.0),
        ({"value": ["a", "B"]}, "A b", 1.0),
        ({"value": ["a", "B"], "mode": "any"}, "b", 1.0),
        ({"value": "Sorry", "negate": True}, "i am SORRY", 0.0),
        ({"value": "Sorry", "negate": True}, "gladly", 1.0),
    ],
)
def test_letter_case_does_not_matter(options: dict[str, Any], actual: str, score: float) -> None:
    assert fw.evaluate({"type": "icontains", **options}, actual=actual).score == score


def test_without_value_the_expected_text_is_looked_for() -> None:
    assert fw.evaluate({"type": "icontains"}, expected="YES", actual="yes, of course").hits == ['icontains: "YES"']


def test_a_blank_text_is_refused() -> None:
    with pytest.raises(fw.ConfigError, match="blank text"):
        fw.evaluate({"type": "icontains", "value": " "}, actual="x")
