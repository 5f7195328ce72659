"""Words and marks for yes and no."""

import pytest

from fieldwise.matchers.boolean import Boolean, boolean
from fieldwise.model.pairs import Pairs


@pytest.mark.parametrize(
    ("expected", "actual", "agrees"),
    [
        (True, "yes", True),
        ("Ja", "☑", True),
        (False, "[ ]", True),
        (True, 1, True),
        (False, 0.0, True),
        ("да", "non", False),
        (True, 2, False),
        (True, "maybe", False),
        (True, "☑ Yes", True),
        (False, "[x] No", True),
        (True, "☒ Nein", False),
        (True, "☐ Yes", False),
    ],
)
def test_values_agree_if_they_mean_the_same(expected: object, actual: object, agrees: bool) -> None:
    assert bool(boolean(Pairs([expected], [actual]), Boolean()).passed[0]) is agrees  # pyright: ignore[reportArgumentType]


def test_the_marks_of_a_form_reader_are_read() -> None:
    assert boolean(Pairs([True, False], ["SELECTED", "NOT_SELECTED"]), Boolean()).passed.all()
