"""Numbers in text: what is found, and which say the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.meaning.quantities import find_quantities, quantities_agree


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("24 months", "two years"),
        ("14 days", "two weeks"),
        ("30 days", "one month"),
        ("12-month", "one year"),
        ("48 hours", "2 days"),
        ("5%", "5 percent"),
        ("5 %", "five per cent"),
        ("8 %", "8 por ciento"),
        ("2/3", "2/3"),
        ("two thirds", "67 %"),
        ("half", "50%"),
        ("$1.2 million", "USD 1,200,000"),
        ("1.250,00 €", "€1,250.00"),
        ("1 000 000", "one million"),
        ("1.250", "1250"),
        ("twenty-five", "25"),
        ("two hundred and five", "205"),
        ("a dozen", "12"),
        ("twice", "2"),
        ("5th", "fifth"),
        ("2nd floor", "second floor"),
        ("Q3", "third quarter"),
        ("Q3", "第三季度"),
        ("6 pm", "18:00"),
        ("9 a.m.", "9:00"),
        ("31 December 2027", "December 31st, 2027"),
        ("2027-12-31", "31. Dezember 2027"),
        ("2027年12月31日", "2027-12-31"),
        ("两年", "24个月"),
        ("deux ans", "24 mois"),
        ("zwei Wochen", "14 Tage"),
        ("un año", "12 meses"),
        ("1.5 kg", "1500 g"),
        ("0.5 l", "500 ml"),
        ('55"', "55-inch"),
        ("Net 30", "30 days"),
        ("5 to 7 business days", "five to seven working days"),
    ],
)
def test_these_numbers_say_the_same(expected: str, actual: str) -> None:
    expected_quantities, actual_quantities = find_quantities(expected), find_quantities(actual)
    assert len(expected_quantities) == len(actual_quantities) > 0
    assert all(quantities_agree(a, b) and quantities_agree(b, a) for a, b in zip(expected_quantities, actual_quantities, strict=True))


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("5 %", "15 %"),
        ("24 months", "36 months"),
        ("30 days", "30 weeks"),
        ("30 days", "60 days"),
        ("3.2 million", "3.2 billion"),
        ("1,250.00", "12,500.00"),
        ("-5", "5"),
        ("6 am", "6 pm"),
        ("Q3", "Q4"),
        ("221B", "221A"),
        ("1 March 2024", "1 May 2024"),
        ("40 kg", "40 g"),
        ("2nd floor", "3rd floor"),
        ("两年", "三年"),
        ("5 kg", "5 km"),
        ("one year", "14 months"),
    ],
)
def test_these_numbers_differ(expected: str, actual: str) -> None:
    assert not quantities_agree(find_quantities(expected)[0], find_quantities(actual)[0])


@pytest.mark.parametrize("text", ["", "no numbers at all", "a cat and an elf", "einen Tisch", "30. Februar, vielleicht"[4:]])
def test_articles_and_plain_words_are_no_numbers(text: str) -> None:
    assert find_quantities(text) == []


def test_a_date_that_does_not_exist_is_read_as_plain_numbers() -> None:
    assert [quantity.family for quantity in find_quantities("30 February 2024")] == ["", ""]


@given(st.text(max_size=30))
@settings(deadline=None, max_examples=100)
def test_no_text_crashes_it(text: str) -> None:
    assert all(quantity.text for quantity in find_quantities(text))


@given(st.integers(min_value=0, max_value=10**12))
@settings(deadline=None, max_examples=60)
def test_digits_with_thousands_separators_are_the_plain_number(number: int) -> None:
    (plain,), (parted,) = find_quantities(str(number)), find_quantities(f"{number:,}")
    assert quantities_agree(plain, parted)


@given(st.integers(min_value=0, max_value=400), st.integers(min_value=0, max_value=400))
@settings(deadline=None, max_examples=80)
def test_agreement_is_mutual(expected: int, actual: int) -> None:
    a, b = find_quantities(f"{expected} days")[0], find_quantities(f"{actual} months")[0]
    assert quantities_agree(a, b) == quantities_agree(b, a)


def test_a_number_after_half_is_a_quantity_of_its_own() -> None:
    assert [quantity.text for quantity in find_quantities("half 20 kg")] == ["half", "20 kg"]


@pytest.mark.parametrize(("text", "is_ordinal"), [("3rd", True), ("3 rd", False)])
def test_an_ordinal_ending_follows_its_number_at_once(text: str, is_ordinal: bool) -> None:
    assert (find_quantities(text)[0].family == "ordinal") is is_ordinal


@pytest.mark.parametrize(
    ("expected", "actual", "agree"),
    [
        ("a pack of 16 oz", "a pack of 1 lb", True),
        ("due on 5 marca 2024", "due on 5 March 2024", True),
        ("3 lakh rupees", "300,000 rupees", True),
        ("3 lakh rupees", "3 crore rupees", False),
        ("12 feet", "12 inches", False),
    ],
)
def test_words_units_and_months_come_from_the_tables_of_the_matches(expected: str, actual: str, agree: bool) -> None:
    left, right = find_quantities(expected), find_quantities(actual)
    assert quantities_agree(left[0], right[0]) is agree
