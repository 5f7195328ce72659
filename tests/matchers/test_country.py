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
        ("🇫🇷", "France", True),
        ("FR", "🇫🇷 France", True),
        ("🇫🇷", "🇩🇪", False),
        ("🇫🇷 Germany", "France", False),
    ],
)
def test_values_agree_if_they_denote_the_same(expected: object, actual: object, agrees: bool) -> None:
    assert bool(country(Pairs([expected], [actual]), Country()).passed[0]) is agrees  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("expected", "actual", "agrees"),
    [
        ("England", "UK", True),
        ("GB", "Scotland", True),
        ("Great Britain", "Wales", True),
        ("Northern Ireland", "United Kingdom", True),
        ("England", "Angleterre", True),
        ("Schottland", "Scotland", True),
        ("England and Wales", "Wales", True),
        ("England (UK)", "GB", True),
        ("England", "Scotland", False),
        ("England", "Wales", False),
        ("Scotland", "Northern Ireland", False),
        ("Wales", "Northern Ireland", False),
        ("Schottland", "England", False),
        ("Écosse", "Pays de Galles", False),
        ("Irlanda del Norte", "Inghilterra", False),
        ("England and Wales", "Scotland", False),
        ("England (UK)", "Scotland (UK)", False),
        ("Northern Ireland", "Ireland", False),
        ("Wales", "France", False),
    ],
)
def test_nations_of_the_united_kingdom_agree_with_it_and_not_with_each_other(expected: str, actual: str, agrees: bool) -> None:
    assert bool(country(Pairs([expected], [actual]), Country()).passed[0]) is agrees
    assert bool(country(Pairs([actual], [expected]), Country()).passed[0]) is agrees
