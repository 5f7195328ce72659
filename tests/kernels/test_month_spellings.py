"""Names of months that CLDR does not print."""

import pytest

from fieldwise.kernels.month_spellings import list_month_names, months_called


@pytest.mark.parametrize(
    ("name", "month"),
    [
        ("march", 3),
        ("mrz", 3),
        ("januarja", 1),
        ("studenog", 11),
        ("दिसम्बर", 12),
        ("tháng mười hai", 12),
        ("кві", 4),
        ("верес", 9),
        ("aout", 8),
        ("במרץ", 3),
    ],
)
def test_a_month_is_known_by_what_people_write(name: str, month: int) -> None:
    assert sorted(months_called(name)) == [month]


def test_other_words_are_no_months() -> None:
    assert months_called("soon") == {}
    assert months_called("кв") == {}


def test_the_list_holds_names_of_every_kind() -> None:
    names = set(list_month_names())

    assert {"march", "aout", "mrz", "кві"} <= names
