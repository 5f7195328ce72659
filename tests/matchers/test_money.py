"""Amounts and currencies as people write them."""

import pytest

from fieldwise.matchers.money import Money, money
from fieldwise.model.pairs import Pairs


def agrees(expected: object, actual: object, **options: object) -> bool:
    return bool(money(Pairs([expected], [actual]), Money(**options)).passed[0])  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("EUR 1.234,50", "1234.50 €"),
        ("$1,234.50", "USD 1234.5"),
        ("RM7.42", 7.42),
        ("100 Kč", "CZK 100"),
        ("5,-", 5),
        ("(3.20)", -3.2),
        ("3.20-", "-3.20"),
        ("12.50 CR", -12.5),
        ("$1.2M", 1_200_000),
        ("₹1,23,456.78", 123456.78),
        ("$5", "CAD 5"),
        ("kr 100", "SEK 100"),
        ("१,२३४", 1234),
        ("5,00 € -", -5),
        ("5.00 USD -", "-5 USD"),
        ("5,00 €-", -5),
        ("5.00+", 5),
        ("5,00 € +", "5 EUR"),
        ("₹1.5 Cr", 15_000_000),
        ("₹1.5 cr", 15_000_000),
        ("DM 5", "5 DEM"),
        ("5 DM", "D-Mark 5"),
        ("$5 and 20 cents", 5.2),
        ("£5 and 20p", "£5.20"),
        ("$5/month", "$5 per month"),
        ("$5 an hour", "$5/hr"),
        ("€5/kg", "5 € pro kg"),
        ("25 ct/kWh", "0,25 €/kWh"),
        ("$9/user/month", "$9 per user per month"),
        ("$5-10/hour", "$5/hour to $10/hour"),
        ("45.00/hr", "45/hour"),
    ],
)
def test_two_spellings_of_one_amount_agree(expected: object, actual: object) -> None:
    assert agrees(expected, actual)
    assert agrees(actual, expected)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("EUR 100.00", "USD 100.00"),
        ("€5", "$5"),
        ("RM7.42", 742.0),
        ("SEK 100", "NOK 100"),
        ("5.00", "5.01"),
        (True, 1),
        ("12 %", "12"),
        ("5 kg", 5),
        ("soon", 5),
        ("50+", 50),
        ("5 Fr.-", -5),
        ("5 dm", "DEM 5"),
        ("$5 and 20 cents", "€5.20"),
        ("$5/month", "$5/year"),
        ("$5/month", "$5"),
        ("$5/month", "$6/month"),
        ("€5/kg", "$5/kg"),
        ("€5/kg", "€5/100 kg"),
        ("$9/user/month", "$9/month"),
    ],
)
def test_different_amounts_and_currencies_do_not_agree(expected: object, actual: object) -> None:
    assert not agrees(expected, actual)


def test_the_note_names_the_currencies_or_the_value_that_cannot_be_read() -> None:
    scores = money(Pairs(["EUR 1", "soon"], ["USD 1", 5]), Money())
    assert scores.notes == {0: "other currency: EUR and USD", 1: 'not an amount: "soon"'}


def test_currencies_can_be_required_ignored_or_given_a_default() -> None:
    assert not agrees("5 EUR", "5", currency="require")
    assert agrees("5 EUR", "5 USD", currency="ignore")
    assert not agrees("5 USD", "5", default_currency="EUR")
    assert agrees("5 EUR", 5, default_currency="EUR", currency="require")
    with pytest.raises(ValueError, match="no currency"):
        Money(default_currency="XQZ")


def test_the_tolerance_is_inclusive() -> None:
    assert agrees("19.99 €", "20.04 €", tolerance=0.05)
    assert not agrees("19.99 €", "20.05 €", tolerance=0.05)


def test_one_separator_with_three_digits_is_decided_by_the_decimal_option_and_noted_without_it() -> None:
    assert agrees("1.234", 1234, decimal="comma")
    assert agrees("1,234", 1.234, decimal="comma")
    assert agrees("1,234", 1234)
    assert agrees("1.234", 1.234)
    assert "set `decimal: comma`" in money(Pairs(["1.234"], [1.234]), Money()).notes[0]
    assert money(Pairs(["1.234"], [1.234]), Money(decimal="point")).notes == {}


def test_the_separator_is_noted_on_a_difference_only_if_it_explains_it() -> None:
    assert "read as grouping" in money(Pairs(["1,234"], [1.234]), Money()).notes[0]
    assert money(Pairs(["1,234"], [77]), Money()).notes == {}


def test_a_symbol_of_many_currencies_is_named_by_the_most_traded_one() -> None:
    assert money(Pairs(["$5", "5 kr"], ["€5", "€5"]), Money()).notes == {
        0: "other currency: USD or 28 others and EUR",
        1: "other currency: DKK, ISK, NOK or SEK and EUR",
    }


def test_net_and_gross_amounts_differ_where_both_say_so() -> None:
    pairs = Pairs(["15 € HT", "15 € HT", "£5 incl. VAT"], ["15 € TTC", "15 €", "£5 inc VAT"])
    assert money(pairs, Money()).value.tolist() == [0, 1, 1]


def test_a_range_of_amounts_is_no_single_amount() -> None:
    pairs = Pairs(["$100-$200", "$100-200", "$100-$200"], ["$100 to $200", "$100–$200", "$100"])
    scores = money(pairs, Money())
    assert scores.value.tolist() == [1, 1, 0]
    assert scores.notes[2] == "only one side is a range"


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("MXN 5", "5 dollars"),
        ("5 Mexican pesos", "5 dollars"),
        ("5 pesos", "5 dollars"),
        ("₱5", "$5"),
        ("₱ 5", "5 dollars"),
        ("RUB 100", "100 сом"),
        ("RUB 100", "100 сум"),
        ("R5", "5 руб."),
        ("P 5", "5 руб."),
        ("SEK 5", "5 korun"),
        ("NOK 5", "5 korun"),
    ],
)
def test_currencies_of_other_countries_do_not_agree_by_their_names(expected: str, actual: str) -> None:
    assert not agrees(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [("$5", "MXN 5"), ("$5", "5 pesos"), ("CAD 5", "5 dollars"), ("MDL 12345.67", "12.345,67 L"), ("GMD 99", "99,00 D"), ("VES 5", "Bs 5")],
)
def test_a_sign_or_a_letter_stands_for_all_its_currencies(expected: str, actual: str) -> None:
    assert agrees(expected, actual)


@pytest.mark.parametrize("value", ["5", 5, "x", True, ["5"]])
def test_a_value_without_the_required_currency_never_passes(value: object) -> None:
    assert not agrees(value, value, currency="require")
    assert agrees(value, value)
    assert agrees(value, value, currency="require", default_currency="EUR")


def test_each_side_has_its_own_decimal_mark() -> None:
    options = {"decimal": "comma", "actual_decimal": "point"}
    assert agrees("1.234 €", "1,234 €", **options)
    assert not agrees("1.234 €", "1.234 €", **options)


def test_a_note_names_the_units_that_amounts_are_per() -> None:
    scores = money(Pairs(["$5/month", "$5 per hour"], ["$5/year", "$5"]), Money())
    assert scores.notes == {0: "other unit: per month and per year", 1: "other unit: per hour and per no unit"}


def test_a_negative_amount_may_say_so_in_words() -> None:
    assert agrees("negative $5", -5)
    assert not agrees("negative $5", 5)


def test_euro_cents_are_hundredths_of_a_euro() -> None:
    assert agrees("50 euro cents", "EUR 0.50")
    assert not agrees("50 euro cents", "USD 0.50")


def test_a_bound_is_part_of_an_amount() -> None:
    assert agrees(">$5", "more than $5")
    assert agrees("about $5", "approx. 5 USD")
    assert not agrees("up to $5", "$5")
    assert not agrees("up to $5", "more than $5")
    assert not agrees("up to $5", "up to €5")


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("5 American dollars", "USD 5", True),
        ("5 Korean won", "KRW 5", True),
        ("5 Emirati dirhams", "AED 5", True),
        ("5 American dollars", "CAD 5", False),
        ("5 American pesos", "USD 5", False),
        ("half a million dollars", "$500,000", True),
        ("eine halbe Million Euro", "500.000,00 EUR", True),
        ("half a million dollars", "$1,000,000", False),
        ("between $5 and $10", "$5–$10", True),
        ("from $5 to $10", "$5 to $10", True),
        ("between $5 and $10", "$5", False),
        ("from $5", "$5", False),
        ("from $5 to $10", "$10 to $5", False),
    ],
)
def test_amounts_in_words_of_people_and_ranges_in_words_are_read(expected: str, actual: str, same: bool) -> None:
    scores = money(Pairs([expected], [actual]), Money())
    assert bool(scores.value[0]) is same


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("US$ 5.00 (five dollars)", "USD 5", True),
        ("five thousand dollars ($5,000.00)", "$5,000", True),
        ("5 (five) dollars", "$5", True),
        ("€5.000,00 (fünftausend Euro)", "5000 EUR", True),
        ("$5 (six dollars)", "$5", False),
        ("$5 (five euros)", "$5", False),
        ("$5 (€5)", "$5", False),
        ("$5 (minus five dollars)", "$5", False),
    ],
)
def test_an_amount_in_figures_and_words_is_read_if_both_are_the_same(expected: str, actual: str, same: bool) -> None:
    scores = money(Pairs([expected], [actual]), Money())
    assert bool(scores.value[0]) is same
