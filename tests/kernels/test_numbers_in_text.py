"""Numbers in running text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.numbers_in_text import find_numbers, format_number_value, is_percent, list_number_values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$604", ["604"]),
        ("604.00", ["604"]),
        ("It is 604.", ["604"]),
        ("1604 or 604.5", ["1604", "604.5"]),
        ("−0.133% and -0.133 %", ["-0.133"]),
        ("–0.133", ["-0.133"]),
        ("-$5 or $-5", ["-5"]),
        (".5 and -.5", ["0.5", "-0.5"]),
        ("750,000", ["750000"]),
        ("1,234,567.890", ["1234567.89"]),
        ("12,34,567", ["1234567"]),
        ("1,2,3", ["1", "2", "3"]),
        ("117, 118", ["117", "118"]),
        ("GRG 051", ["51"]),
        ("10-20 and 2019–2021", ["10", "20", "2019", "2021"]),
        ("version 1.2.3 of 31.12.2025", ["1.2.3", "31.12.2025"]),
        ("-0 and 0.0", ["0"]),
        ("a difference (36)", ["36"]),
        ("(3.2)", ["-3.2"]),
        ("9007199254740993", ["9007199254740993"]),
        ("٦٠٤ و ١٬٢٣٤٫٥٦", ["604", "1234.56"]),
        ("保费为６０４元", ["604"]),
        ("no digits", []),
        ("", []),
    ],
)
def test_numbers_are_read_by_value(text: str, expected: list[str]) -> None:
    assert list_number_values(text) == expected


@pytest.mark.parametrize(
    ("locale", "text", "expected"),
    [
        ("de", "1.234,56 und 3,5", ["1234.56", "3.5"]),
        ("de", "1.234", ["1234"]),
        ("de", "3.14 am 31.12.2025", ["3.14", "31.12.2025"]),
        ("en", "1.234", ["1.234"]),
        ("fr", "1 234,56 et 12 345 678", ["1234.56", "12345678"]),
        ("fr", "page 12 34", ["12", "34"]),
        ("de", "1\u202f234,5", ["1234.5"]),
        ("ch", "1'234.50 und 1’000", ["1234.5", "1000"]),
    ],
)
def test_the_locale_decides_what_separates_groups_and_decimals(locale: str, text: str, expected: list[str]) -> None:
    assert list_number_values(text, locale) == expected  # type: ignore[arg-type]


def test_numbers_inside_codes_can_be_left_out() -> None:
    assert list_number_values("Rule C-1, GRG51 and 10", in_codes=False) == ["10"]
    assert list_number_values("Rule C-1, GRG51 and 10") == ["1", "51", "10"]


@pytest.mark.parametrize(
    ("text", "percent"), [("5%", True), ("5 %", True), ("5 percent", True), ("5 Prozent", True), ("5", False), ("5 per", False)]
)
def test_a_percent_sign_or_word_after_a_number_is_seen(text: str, percent: bool) -> None:
    assert is_percent(text, next(find_numbers(text))) is percent


@given(st.integers(-(10**20), 10**20))
@settings(max_examples=60, deadline=None)
def test_an_integer_is_found_with_all_its_digits_however_it_is_grouped(number: int) -> None:
    assert (
        list_number_values(f"it is {number:,} now")
        == list_number_values(f"it is {number} now")
        == [str(number)]
        == [format_number_value(number)]
    )


@given(st.text(alphabet="0123456789.,'-–−$()%eé中 \xa0\u202f\n", max_size=60), st.sampled_from(["en", "de", "fr", "ch"]))
@settings(max_examples=150, deadline=None)
def test_any_text_has_numbers_that_are_read_again_as_themselves(text: str, locale: str) -> None:
    for number in find_numbers(text, locale):  # type: ignore[arg-type]
        assert number.value.count(".") > 1 or list_number_values(f"x {number.value}") == [number.value]


@pytest.mark.parametrize("unit", ["1", ",", "1,", "1.", "-1", "123,", "1 ", "$", "-"])
def test_a_quarter_of_a_megabyte_of_one_thing_is_read(unit: str) -> None:
    text = unit * (250_000 // len(unit))
    for locale in ("en", "de", "fr"):
        assert len(list_number_values(text, locale)) <= 3  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1 000 units", ["1000"]),
        ("1 000,50", ["1000.5"]),
        ("a loss of -$1.2 million", ["-1200000"]),
        ("1.2 billion.", ["1200000000"]),
        ("1.5bn and $5m", ["1500000000", "5000000"]),
        ("3 lakh or 2.5 Crore", ["300000", "25000000"]),
        ("1e3 and 1.5e-2", ["1000", "0.015"]),
        ("1.234,56", ["1234.56"]),
        ("1/2", ["1", "2"]),
        ("2019 100 people", ["2019", "100"]),
        ("Territory 118 750", ["118", "750"]),
        ("5 m, 401k, unit 5B", ["5", "401"]),
        ("five", []),
    ],
)
def test_scale_words_powers_and_spaces_belong_to_the_number(text: str, values: list[str]) -> None:
    assert list_number_values(text) == values


def test_a_number_of_several_words_is_found_where_it_is_written() -> None:
    text = "paid 10 000 people $1.2 million in 2019"
    assert [text[number.start : number.end] for number in find_numbers(text)] == ["10 000", "$1.2 million", "2019"]


@pytest.mark.parametrize(("text", "value"), [("2½ cups", "2.5"), ("¼ cup", "0.25")])
def test_a_fraction_in_one_character_counts(text: str, value: str) -> None:
    assert list_number_values(text) == [value]
