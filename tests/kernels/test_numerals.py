"""Numerals: separators, groups, digits of other scripts, Chinese and Japanese numerals."""

from decimal import Decimal

import pytest

from fieldwise.kernels.numerals import has_numeral, normalize_characters, read_numeral, simplify_decimal, split_numeral


@pytest.mark.parametrize(
    ("numeral", "value"),
    [("1 234", 1234), ("1'234.5", Decimal("1234.5")), ("1,23,456", 123456), ("壹仟贰佰", 1200), ("1万2000", 12000), ("二〇二四", 2024)],
)
def test_a_numeral_is_read(numeral: str, value: Decimal) -> None:
    assert read_numeral(numeral) == (value, "")


@pytest.mark.parametrize("numeral", ["12,3456.7", "1 23", "1.234 567", "1,2,3"])
def test_digits_in_groups_of_a_wrong_size_are_no_numeral(numeral: str) -> None:
    assert read_numeral(numeral)[0] is None


def test_a_separator_before_three_digits_is_undecided_unless_the_currency_has_no_decimals() -> None:
    assert read_numeral("1.234") == (Decimal("1.234"), ".")
    assert read_numeral("1.234", ",") == (1234, ".")
    assert read_numeral("1.234", has_minor_unit=False) == (1234, "")


def test_text_around_one_numeral_is_split_off() -> None:
    assert split_numeral("EUR 1.234,50 net") == ("EUR ", "1.234,50", " net")
    assert split_numeral("約3万円") == ("約", "3万", "円")
    assert split_numeral("5.") == ("", "5", "")
    assert split_numeral("5 of 7") is None


def test_digits_of_every_script_make_a_numeral_but_scale_words_alone_do_not() -> None:
    assert all(map(has_numeral, ("7", "٣", "五", "十")))
    assert not any(map(has_numeral, ("", "seven", "万")))


def test_characters_that_mean_the_same_become_one() -> None:
    assert normalize_characters("−１２\u202f３４５٫５") == "-12 345.5"
    assert normalize_characters("2½ %") == "2.5 %"


def test_a_whole_decimal_becomes_an_integer() -> None:
    assert [(number, type(number)) for number in map(simplify_decimal, (Decimal("3.00"), Decimal("0.5")))] == [(3, int), (0.5, float)]
