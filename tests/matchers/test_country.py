"""Country: codes and names."""

import pytest

from fieldwise.matchers.country import Country, country
from fieldwise.model.pairs import Pairs


@pytest.mark.parametrize(
    ("expected", "actual", "agrees"),
    [
        ("DE", "Deutschland", True),
        ("DEU", "276", True),
        (276, "DE", True),
        ("Kongo", "CD", True),
        ("Slovakia", "Slovenia", False),
        ("SVK", "SVN", False),
        ("Niger", "Nigeria", False),
        ("Atlantis", "DE", False),
    ],
)
def test_values_agree_if_they_denote_the_same(expected: object, actual: object, agrees: bool) -> None:
    assert bool(country(Pairs([expected], [actual]), Country()).passed[0]) is agrees  # pyright: ignore[reportArgumentType]
