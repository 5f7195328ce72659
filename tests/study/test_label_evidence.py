import pytest

from fieldwise.model.case import Case
from fieldwise.study.label_evidence import RecordTotals, compare_check_digits, compare_with_source


def weight(evidence):
    return None if evidence is None else evidence.weight


@pytest.mark.parametrize(
    ("expected", "suggested", "sign"),
    [
        ("7.20", "7.65", 1),
        ("7.65", "7.20", -1),
        (7.2, 7.65, 1),
        ("7.65", "Total", None),
        ("1", "2", None),
        ({"$any": ["9", "7.65"]}, "8", -1),
    ],
)
def test_the_source_text_speaks_for_the_value_that_it_has(expected, suggested, sign):
    evidence = compare_with_source(Case(id="1", input="Total 7.65 EUR"), expected, suggested)
    assert (weight(evidence) or 0) * (sign or 1) > 0 if sign else evidence is None


def test_without_a_source_text_there_is_no_evidence():
    assert compare_with_source(Case(id="1"), "a", "b") is None


@pytest.mark.parametrize(
    ("path", "wrong", "right"),
    [
        ("payee.iban", "GB82 WEST 1234 5698 7654 23", "GB82 WEST 1234 5698 7654 32"),
        ("isbn", "978-3-16-148410-1", "978-3-16-148410-0"),
        ("isbn", "0-306-40615-3", "0-306-40615-2"),
        ("card_number", "4539578763621487", "4539578763621486"),
    ],
)
def test_a_check_digit_says_which_of_two_codes_is_wrong(path, wrong, right):
    assert weight(compare_check_digits(path, wrong, right)) == 1.0
    assert weight(compare_check_digits(path, right, wrong)) == -1.0
    assert compare_check_digits(path, right, right) is None


def test_a_number_is_not_taken_for_a_code_by_its_length_alone():
    assert compare_check_digits("order", "4006381333932", "4006381333931") is None


def make_records():
    return [
        {"subtotal": 10.0 * n, "tax": 0.8 * n, "total": 10.8 * n, "items": [{"amount": 4.0 * n}, {"amount": 6.0 * n}]} for n in range(1, 9)
    ]


def test_sums_that_most_records_satisfy_are_found_and_judge_a_value():
    totals = RecordTotals(make_records())
    assert {"total = subtotal + tax", "subtotal = sum of items[*].amount"} <= {str(identity) for identity in totals.identities}
    record = {**make_records()[0], "total": 19.8}
    assert weight(totals.compare(record, "total", 10.8)) == 1.0
    assert weight(totals.compare(make_records()[0], "total", 19.8)) == -1.0
    broken = {**make_records()[0], "items": [{"amount": 40.0}, {"amount": 6.0}]}
    assert weight(totals.compare(broken, "items[0].amount", 4.0)) == 1.0
    assert totals.compare(record, "vendor", "Acme") is None


def test_few_records_show_no_sums():
    assert not RecordTotals(make_records()[:3]).identities
