"""Identifiers of digits and punctuation: phone numbers, sort codes, tax numbers.

Dates, ranges, scores, decimals, versions and clock times are digits with punctuation too, and there the punctuation is part of the value.
So a text is an identifier only by its form, and a column only if its punctuation says nothing that its digits do not say.

>>> [is_digit_code(text) for text in ("(212) 555-0123", "555-1234", "12-34-56", "2019-2020", "21-15 21-18", "1.2.3")]
[True, True, True, False, False, False]
"""

import re
from collections.abc import Iterable
from typing import Final

MIN_DIGITS, MAX_DIGITS = 6, 18
MIN_PHONE_DIGITS: Final = 7
_MAX_GROUPS: Final = 5
_MIN_DIGITS_WITH_POINTS: Final = 9
_MIN_LONG_GROUP: Final = 3
_FORM: Final = re.compile(r"\+?\(?\d+(?:[ ()./-]{1,2}\d+)+", re.ASCII)
_GROUP: Final = re.compile(r"\d+", re.ASCII)
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)", re.ASCII)
_NORTH_AMERICAN: Final = (3, 3, 4)
_LOCAL_PHONE: Final = (3, 4)
_TAX_NUMBER: Final = re.compile(r"\d{2,3}(?:\.\d{3}){2}(?:/\d{4})?-\d{1,2}", re.ASCII)
"""Of Brazil and other countries of South America: `12.345.678/0001-95`."""


def has_form_of_digit_code(text: str) -> bool:
    """True for groups of digits that may be an identifier, if the name of the field says so.

    >>> [has_form_of_digit_code(text) for text in ("020-7946-0123", "1234-5678", "9-17", "14:30:00", "5 kg")]
    [True, True, False, False, False]
    """
    if not _FORM.fullmatch(text) or text.count("(") != text.count(")"):
        return False
    return MIN_DIGITS <= sum(map(str.isdigit, text)) <= MAX_DIGITS


def is_digit_code(text: str) -> bool:
    """True for groups of digits that are an identifier by their form, rather than a date, a range, a score or a version."""
    if not has_form_of_digit_code(text):
        return False
    widths = _group_widths(text)
    if len(widths) > _MAX_GROUPS:
        return False
    if "(" in text:
        return sum(widths) >= MIN_PHONE_DIGITS
    if len(widths) == 2:
        return _are_two_groups_of_code(text, widths)
    return _are_several_groups_of_code(text, widths)


def _are_two_groups_of_code(text: str, widths: tuple[int, ...]) -> bool:
    """True for two groups that are no range: `555-1234`, `12345-6789`, `030/7654321`, not `2019-2020`, `1234-56` or `1000-15000`."""
    first, second = widths
    if first == second or first + second < MIN_PHONE_DIGITS or "." in text:
        return False
    if text[0] in "+0":
        return "/" not in text or second > 4  # 05/2024 is a month
    if "-" not in text:
        return False
    return widths == _LOCAL_PHONE or (second >= 4 if first > second else second - first >= 3)


def _are_several_groups_of_code(text: str, widths: tuple[int, ...]) -> bool:
    marks = {character for character in text if not character.isdigit()} - {"+"}
    total = sum(widths)
    if len(widths) == 3 and (widths[2] == 4 or widths[0] == 4) and max(sorted(widths)[:2]) <= 2:  # the form of a date
        return False
    if marks == {"-"}:
        return True
    if marks == {"."}:
        return total >= _MIN_DIGITS_WITH_POINTS and (widths == _NORTH_AMERICAN or text[0] == "0")
    if marks == {"/"}:
        return total > _MIN_DIGITS_WITH_POINTS and len(set(widths)) > 1
    if marks == {" "}:
        return text[0] in "+0" or len(set(widths)) > 1
    if "." in marks or "/" in marks:  # not 12-15.01.2024, 100.50-200.75 and 52.5200 13.4050
        return _TAX_NUMBER.fullmatch(text) is not None
    # spaces and hyphens: not 21-15 21-18 and 100-200 300-400
    return max(widths) >= _MIN_LONG_GROUP and not _YEAR.search(text) and sum("-" in part for part in text.split()) <= 1


def shape_of_digits(text: str) -> str:
    """The text with every digit as 9.

    >>> shape_of_digits("(212) 555-0123")
    '(999) 999-9999'
    """
    return _GROUP.sub(lambda group: "9" * len(group[0]), text)


def have_one_form(shapes: Iterable[str], *, same_marks: bool) -> bool:
    """True if all shapes with the same number of digits have groups of the same widths: then the digits alone give the groups.

    `same_marks`: the marks between the groups must be the same, too.

    >>> have_one_form(["999-9999", "(999) 9999"], same_marks=False), have_one_form(["99-999", "999-99"], same_marks=False)
    (True, False)
    """
    forms: dict[int, set[object]] = {}
    for shape in shapes:
        widths = _group_widths(shape)
        forms.setdefault(sum(widths), set()).add(shape if same_marks else widths)
    return all(len(forms_of_length) == 1 for forms_of_length in forms.values())


def digits_of(text: str) -> str:
    """The digits of a text, in order."""
    return "".join(_GROUP.findall(text))


def _group_widths(text: str) -> tuple[int, ...]:
    return tuple(len(group) for group in _GROUP.findall(text))
