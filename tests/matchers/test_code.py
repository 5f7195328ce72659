"""Identifiers."""

import pytest

from fieldwise.matchers.code import Code, code
from fieldwise.model.pairs import Pairs


def agrees(expected: object, actual: object, **options: object) -> bool:
    return bool(code(Pairs([expected], [actual]), Code(**options)).passed[0])  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("INV-2024-031", "inv 2024 031"),
        ("DE 136 695 976", "DE136695976"),
        ("SW1A 1AA", "sw1a1aa"),
        ("AB+", "ab +"),
        ("INV-7-", "INV 7"),
        (12, "12"),
        ("12.345.678/0001-95", "12345678000195"),
        ("+49 40 7654321", "0049 40 7654321"),
        ("00494 07654321", "+49 (40) 765-4321"),
    ],
)
def test_case_spaces_and_punctuation_are_ignored(expected: object, actual: object) -> None:
    assert agrees(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("007", "7"),
        ("007", 7),
        ("A100", "A1OO"),
        ("INV-031", "INV-013"),
        ("AB+", "AB-"),
        ("A Rh+", "A Rh−"),
        ("AB-12-34", "AB-34-12"),
        ("-", "."),
        (True, "true"),
        ("+7", "007"),
        ("49 40 7654321", "0049 40 7654321"),
        ("+49 40 7654321", "049 40 7654321"),
        ("+49 40 7654321", "0049 40 7654322"),
        ("+A49 407654321", "00A49 407654321"),
    ],
)
def test_every_letter_and_digit_must_agree(expected: object, actual: object) -> None:
    assert not agrees(expected, actual)


def test_a_failing_check_digit_says_which_side_is_wrong() -> None:
    scores = code(Pairs(["DE89 3704 0044 0532 0130 00"], ["DE89 3704 0044 0532 0130 01"]), Code(scheme="iban"))
    assert not scores.passed[0]
    assert scores.notes[0] == 'actual: the check digit of "DE89 3704 0044 0532 0130 01" fails'


def test_phone_numbers_agree_with_and_without_their_country() -> None:
    assert agrees("+49 30 1234567", "030 1234567", scheme="phone")
    assert agrees("+49 30 1234567", "030 1234567", scheme="phone", region="DE")
    assert not agrees("+49 30 1234567", "+43 30 1234567", scheme="phone")


@pytest.mark.parametrize(
    ("expected", "actual", "region"),
    [
        ("+1 212 555 0123", "(212) 555-0123", None),
        ("+1 212 555 0123", "1-212-555-0123", None),
        ("+39 06 1234567", "06 1234567", None),
        ("+49 30 1234567", "0049 30 1234567", None),
        ("0049 30 1234567", "030 1234567", None),
        ("+91 98765 43210", "098765 43210", "IN"),
        ("030 1234567", "030/1234567", None),
        ("1234567", "123 4567", None),
        ("Tel. 1-415-555-2671", "415.555.2671", None),
    ],
)
def test_a_number_without_its_country_agrees_with_its_area_code(expected: str, actual: str, region: str | None) -> None:
    assert agrees(expected, actual, scheme="phone", region=region)
    assert agrees(actual, expected, scheme="phone", region=region)


@pytest.mark.parametrize(
    ("expected", "actual", "region"),
    [
        ("+49 30 1234567", "1234567", None),
        ("+49 30 1234567", "1234567", "DE"),
        ("+1 212 555 0123", "555-0123", None),
        ("+91 98765 43210", "008765 43210", "IN"),
        ("+39 06 1234567", "6 1234567", None),
        ("030 1234567", "1234567", None),
        ("030 1234567", "030 1234567 ext. 5", None),
        ("+49 30 1234567", "call us", None),
    ],
)
def test_a_number_without_its_area_code_is_another_number(expected: str, actual: str, region: str | None) -> None:
    assert not agrees(expected, actual, scheme="phone", region=region)
    assert not agrees(actual, expected, scheme="phone", region=region)


def test_the_forms_of_one_gtin_agree() -> None:
    pytest.importorskip("stdnum", reason="the extra `domain` is not installed")
    assert agrees("036000291452", "0036000291452", scheme="ean")
    assert agrees("00036000291452", "0 36000 29145 2", scheme="ean")
    assert not agrees("4006381333931", "4006381333948", scheme="ean")


def test_fractions_and_powers_are_no_digits() -> None:
    assert not agrees("12½", "1212")
    assert not agrees("10²", "102")
    assert agrees("12½", "12 ½")
    assert agrees("CO₂", "co2")


def test_an_isbn_of_ten_digits_is_not_one_of_thirteen_but_hyphens_do_not_count() -> None:
    assert agrees("978-0-471-11709-4", "9780471117094", scheme="isbn")


def test_a_region_without_phone_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="scheme: phone"):
        Code(region="DE")


@pytest.mark.parametrize(
    ("region", "fix"),
    [("ZZ", "such as DE, FR"), ("Germany", "did you mean `DE`"), ("UK", "did you mean `GB`"), ("de", "did you mean `DE`")],
)
def test_an_unknown_region_is_refused_with_the_codes_to_write(region: str, fix: str) -> None:
    with pytest.raises(ValueError, match=fix):
        Code(scheme="phone", region=region)


def test_a_whole_number_is_an_identifier_and_both_forms_of_an_isbn_are_one() -> None:
    assert code(Pairs([5.0, 5, 5.5], ["5", "5", "5.5"]), Code()).value.tolist() == [1.0, 1.0, 0.0]
    pytest.importorskip("stdnum", reason="the extra `domain` is not installed")
    assert code(Pairs(["978-3-16-148410-0"], ["316148410X"]), Code(scheme="isbn")).value.tolist() == [1.0]


def test_digits_of_other_scripts_are_digits_and_xxx_is_the_head_office_of_a_bank() -> None:
    assert code(Pairs(["٠١٢٣"], ["0123"]), Code()).value.tolist() == [1.0]
    pytest.importorskip("stdnum", reason="the extra `domain` is not installed")
    pairs = Pairs(["DEUTDEFF", "DEUTDEFF"], ["DEUTDEFFXXX", "DEUTDEFF500"])
    assert code(pairs, Code(scheme="bic")).value.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(("expected", "actual"), [("C#", "C++"), ("$5", "€5"), ("+5", "-5"), ("B—", "B+"), ("Rh +", "Rh −")])
def test_signs_that_differ_are_part_of_a_code(expected: str, actual: str) -> None:
    assert not agrees(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual"), [("C#", "c #"), ("B−", "B-"), ("AB+", "AB"), ("#5", "5"), ("$5", "5"), ("INV-1-", "INV-1")]
)
def test_a_sign_may_be_left_out_or_written_otherwise(expected: str, actual: str) -> None:
    assert agrees(expected, actual)
