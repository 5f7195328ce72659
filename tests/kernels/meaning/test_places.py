"""States, provinces, Länder and nationalities."""

import pytest

from fieldwise.kernels.locale_tables import territory_codes
from fieldwise.kernels.meaning.places import is_region_code, nationalities_called, regions_called


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("West Virginia", {"US-WV"}),
        ("W. Virginia", {"US-WV"}),
        ("D.C.", {"US-DC"}),
        ("Washington", {"US-WA", "US-DC"}),
        ("Québec", {"CA-QC"}),
        ("thüringen", {"DE-TH"}),
        ("DE", {"US-DE"}),
        ("NW", {"DE-NW"}),
        ("in", set()),
        ("Paris", set()),
    ],
)
def test_regions_have_names_and_codes_in_capitals(name: str, codes: set[str]) -> None:
    assert regions_called(name) == codes


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("austrian", {"AT"}),
        ("Argentinian", {"AR"}),
        ("New Zealander", {"NZ"}),
        ("Dominican", {"DO", "DM"}),
        ("English", {"GB-ENG"}),
        ("Austria", set()),
    ],
)
def test_nationalities_have_the_codes_of_their_countries(name: str, codes: set[str]) -> None:
    assert nationalities_called(name) == codes


def test_every_nationality_is_of_a_country() -> None:
    from fieldwise.kernels.meaning import places

    codes = frozenset().union(*places._nationality_names().values())  # pyright: ignore[reportPrivateUsage]
    assert {code.partition("-")[0] for code in codes} <= {*territory_codes().values()}


def test_a_code_is_told_from_a_name() -> None:
    assert [is_region_code(text) for text in ("OR", "D.C.", "or", "Ohio")] == [True, True, False, False]
