"""Identifiers of digits and punctuation are told from dates, ranges, scores, decimals, versions and clock times."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.model.pairs import Pairs
from fieldwise.plan.choose_match import choose_match
from fieldwise.plan.digit_codes import digits_of, have_one_form, is_digit_code
from fieldwise.registry import MATCHERS

CODES = [
    ["555-1234", "555-9876"],
    ["(212) 555-0123", "(415) 555-0199"],
    ["212.555.0123", "415.555.0199"],
    ["212 555-0123", "415 555-0199"],
    ["12-34-56", "20-00-00"],
    ["123-45-6789", "987-65-4321"],
    ["12345-6789", "54321-0987"],
    ["12-3456789", "98-7654321"],
    ["030/7654321", "040/1234567"],
    ["01.23.45.67.89", "01.44.45.67.89"],
    ["06 12 34 56 78", "06 22 34 56 78"],
    ["12/345/67890", "22/345/67891"],
    ["123.456.789-09", "123.456.780-09"],
    ["12.345.678/0001-95", "12.345.679/0001-95"],
]
OTHERS = [
    ["2024-03-05", "2024-03-06"],
    ["05.03.2024", "16.03.2024"],
    ["31/02/2024", "30/02/2024"],
    ["12-15.01.2024", "13-16.01.2024"],
    ["2024-01-02/2024-01-05", "2024-01-03/2024-01-05"],
    ["05/2024", "06/2024"],
    ["2019-2020", "2020-2021"],
    ["2019-20", "2020-21"],
    ["1000-15000", "2000-25000"],
    ["100.50-200.75", "110.50-210.75"],
    ["100-200 300-400", "100-200 300-500"],
    ["12-15", "3-7"],
    ["3-1", "2-0"],
    ["110-102", "102-110"],
    ["21-15 21-18", "21-16 21-17"],
    ["120/80", "130/85"],
    ["120/80-130/85", "120/80-130/90"],
    ["12.50", "13.75"],
    ["1234567.89", "7654321.12"],
    ["52.5200 13.4050", "52.5300 13.4060"],
    ["1.2.3", "1.10.0"],
    ["10.0.0.1", "192.168.100.100"],
    ["14:30:00", "15:30:00"],
    ["0800-1700", "0900-1800"],
    ["100 2000", "200 3000"],
    ["1000 2000 3000", "1000 2000 4000"],
    ["-123-4567", "-123-9876"],
]


@pytest.mark.parametrize("column", CODES)
def test_digits_with_punctuation_are_codes_if_the_other_side_writes_them_otherwise(column: list[str]) -> None:
    plain = [digits_of(text) for text in column]

    assert choose_match(column, plain)[0].name == "code"
    assert choose_match(plain, column)[0].name == "code"
    assert choose_match(column, column)[0].name == "exact"


@pytest.mark.parametrize("column", OTHERS)
def test_dates_ranges_scores_decimals_versions_and_times_are_no_codes(column: list[str]) -> None:
    plain = [digits_of(text) for text in column]

    assert not any(map(is_digit_code, column))
    assert choose_match(column, plain)[0].name != "code"


@pytest.mark.parametrize("name", ["phone", "phoneNumber", "home_telephone", "fax", "ssn"])
def test_the_name_of_a_field_makes_groups_of_digits_a_code(name: str) -> None:
    assert choose_match(["1234-5678"], ["1234-5678"], name)[0].name == "code"
    assert choose_match(["9-17", "10-18"], ["917", "1018"], name)[0].name == "exact"


def test_expected_values_that_differ_only_in_punctuation_stay_apart() -> None:
    assert choose_match(["555-1234", "555 1234"], ["5551234", "5551234"])[0].name == "exact"
    assert choose_match(["555-1234", "5551234"], ["5551234", "5551234"], "phone")[0].name == "exact"
    assert choose_match(["10-20-300", "100-20-30"], ["1020300", "1002030"])[0].name == "exact"


def test_one_value_that_may_be_a_range_is_no_code() -> None:
    assert choose_match(["998-1003"], ["9981003"])[0].name == "exact"


def test_digits_that_the_other_side_does_not_have_are_no_reason_for_a_code() -> None:
    assert choose_match(["12-34-56", "20-00-00"], ["123457", "300000"])[0].name == "exact"


def test_whole_numbers_of_json_are_digits() -> None:
    match, reason = choose_match(["12345-6789", "54321-0987"], [123456789, 543210987])
    assert (match.name, reason) == ("code", "4 of 4 values read as identifiers of digits")


def test_a_long_column_is_a_code_only_if_all_its_values_have_one_form() -> None:
    column = [f"555-{number}" for number in range(1000, 1400)]
    plain = [text.replace("-", "") for text in column]

    assert choose_match(column, plain)[0].name == "code"
    assert choose_match([*column, "444 1234"], [*plain, "4441234"])[0].name == "exact"


def test_more_forms_than_are_kept_are_no_one_form() -> None:
    column = [f"{'9' * left}-99-{'9' * right}" for left in range(1, 7) for right in range(1, 8)]
    assert choose_match(column, [digits_of(text) for text in column])[0].name == "exact"
    assert not have_one_form(["99-999", "999-99"], same_marks=False)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(10**9, 10**10 - 1), min_size=2, max_size=8, unique=True), st.integers(0, 9), st.integers(1, 9))
def test_another_digit_of_a_phone_number_is_never_equal(numbers: list[int], place: int, step: int) -> None:
    plain = [str(number) for number in numbers]
    column = [f"({text[:3]}) {text[3:6]}-{text[6:]}" for text in plain]
    changed = plain[0][:place] + str((int(plain[0][place]) + step) % 10) + plain[0][place + 1 :]
    match, _ = choose_match(column, [changed, *plain[1:]])
    scores = MATCHERS.find(match.name).function(Pairs([column[0]], [changed]), match.options)
    assert not scores.passed[0]
