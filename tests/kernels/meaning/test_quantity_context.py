"""What stands beside a number: sign, currency, limit."""

import pytest

from fieldwise.kernels.meaning.quantity_context import find_currency_codes, is_negated, is_same_limit, read_currencies, read_limit


@pytest.mark.parametrize(
    ("before", "is_date", "limit"),
    [
        ("up to ", False, "upper"),
        ("no more than ", False, "upper"),
        ("not until ", True, "lower"),
        ("over $", False, "lower"),
        ("ab EUR ".lower(), False, "lower"),
        ("by ", True, "upper"),
        ("a rise by ", False, ""),
        ("à partir de ", False, "lower"),
        ("valid from the ", True, "lower"),
        ("a total of ", False, ""),
        ("", False, ""),
    ],
)
def test_words_before_a_number_make_it_a_limit(before: str, is_date: bool, limit: str) -> None:
    assert read_limit(before, is_date=is_date) == limit


@pytest.mark.parametrize(
    ("before", "behind", "negative"),
    [
        ("a change of minus ", " %", True),
        ("plus or minus ", " %", False),
        ("balance: -eur ", "", True),
        ("range 5 -$", "", False),
        ("net income ($", ")", True),
        ("the deposit ($", ")", False),
        ("balance (", " shares)", False),
    ],
)
def test_signs_apart_from_their_number(before: str, behind: str, negative: bool) -> None:
    assert is_negated(before, behind) is negative


@pytest.mark.parametrize(
    ("before", "behind", "codes"),
    [
        ("us$", "", {"USD"}),
        ("fee of chf ", "", {"CHF"}),
        ("", " swiss francs", {"CHF"}),
        ("$", " cad", {"CAD"}),
        ("try ", " times", set[str]()),
        ("room ", "", set[str]()),
    ],
)
def test_currencies_beside_a_number(before: str, behind: str, codes: set[str]) -> None:
    assert read_currencies(before, behind, frozenset()) == codes


def test_a_code_that_is_a_word_counts_in_capitals_only() -> None:
    assert read_currencies("try ", "", find_currency_codes("TRY 500")) == {"TRY"}
    assert find_currency_codes("ALL 5 bags") == frozenset()


def test_words_for_the_same_limit() -> None:
    assert is_same_limit("until", "till")
    assert not is_same_limit("until", "from")
    assert not is_same_limit("red", "blue")
