"""Closed sets of labels are compared exactly, names and addresses that repeat are not."""

import random

import pytest

from fieldwise.plan.choose_match import choose_match

LABELS = [
    "Mortgage", "Debt collection", "Checking or savings account", "Incorrect information on your report",
    "Incorrect information on her report", "Improper use of your report", "Attempts to collect debt not owed", "Problem with a lender",
    "Credit card", "Fees or interest",
]  # fmt: skip
RELATIONS = ["PersonHasPlaceOfBirth", "PersonHasPlaceOfDeath", "CompanyHasParentOrganisation", "StateSharesBorderWith"]
VENDORS = ["Northwind Traders Limited", "Acme Corporation International", "Contoso Holdings Sdn Bhd", "Fabrikam Residences and Sons"]


def draw(values: list[str], count: int) -> list[str]:
    return random.Random(7).choices(values, k=count)


def test_labels_are_compared_exactly_however_long_one_is() -> None:
    expected = draw(LABELS, 500)
    match, reason = choose_match(expected, [label.replace("on your", "on her") for label in expected])
    assert (match.name, reason) == ("exact", "10 distinct values occur 500 times, as from a list of choices")


@pytest.mark.parametrize("labels", [LABELS, RELATIONS])
def test_labels_that_resemble_each_other_need_no_actual_values(labels: list[str]) -> None:
    assert choose_match(draw(labels, 60))[0].name == "exact"


def test_a_label_of_more_than_200_characters_is_text() -> None:
    assert choose_match([*LABELS, "word " * 50] * 20)[0].name == "fuzzy"


def test_a_few_misspelled_labels_do_not_make_similar_labels_equal() -> None:
    expected = draw(LABELS, 500)
    actual = ["Chekcing or savings account", *expected[1:]]
    assert choose_match(expected, actual)[0].name == "exact"
    assert choose_match(expected, [label.replace("e", "3", 1) for label in expected])[0].name == "fuzzy"


def test_names_that_repeat_stay_similar_text_if_actual_spells_one_otherwise() -> None:
    expected = draw(VENDORS, 40)
    assert choose_match(expected, expected)[0].name == "exact"
    assert choose_match(expected, [expected[0].replace("o", "0", 1), *expected[1:]])[0].name == "fuzzy"
    assert choose_match(expected, [*expected[1:], expected[0].upper()])[0].name == "fuzzy"


def test_names_that_expected_spells_in_two_ways_are_similar_text() -> None:
    expected = draw([*VENDORS, VENDORS[0].upper()], 40)
    assert choose_match(expected, expected)[0].name == "fuzzy"


def test_names_without_actual_values_must_repeat_more_often() -> None:
    assert choose_match(VENDORS * 5)[0].name == "fuzzy"
    assert choose_match(VENDORS * 10)[0].name == "exact"


def test_answers_in_other_words_are_text() -> None:
    expected = ["The contract ends after two years", "The buyer pays all costs of delivery"] * 10
    actual = [f"In my view, answer {number} would be the best one" for number in range(20)]
    assert choose_match(expected, actual)[0].name == "fuzzy"


def test_one_frequent_value_among_many_texts_is_no_closed_set() -> None:
    texts = [f"A description of part {chr(97 + number % 26)}{chr(97 + number // 26)}" for number in range(50)]
    assert choose_match(["none was given here"] * 300 + texts)[0].name == "fuzzy"


def test_one_value_alone_is_no_closed_set() -> None:
    assert choose_match(VENDORS[:1] * 20, VENDORS[:1] * 20)[0].name == "fuzzy"
