"""Marks whose exchange changes what a text says."""

import pytest

from fieldwise.kernels.meaning.marks import compare_marks, find_operators, read_marks, refuses


@pytest.mark.parametrize(
    ("expected", "actual", "difference"),
    [
        ("[x] insured", "[ ] insured", "check marks differ: [x] / [ ]"),
        ("☐ married ☑ single", "☑ married ☐ single", "check marks differ: ☐☑ / ☑☐"),
        ("✓ approved", "❌ approved", "check marks differ: ✓ / ❌"),
        ("☒ insured", "☐ insured", "check marks differ: ☒ / ☐"),
        ("A. Müller GmbH", "B. Müller GmbH", "initials differ: A / B"),
        ("settled on T+1", "settled on T-1", "signs differ: t+1 / t-1"),
        ("a.smith@x.com", "b.smith@x.com", "mail addresses differ: a.smith@x.com / b.smith@x.com"),
        ("see acme.com", "see acme.org", "sites differ: acme.com / acme.org"),
        ("see acme.com/a", "see acme.com/b", "sites differ: acme.com/a / acme.com/b"),
        ("see www.acme.museum", "see www.acme.travel", "sites differ: acme.museum / acme.travel"),
    ],
)
def test_another_mark_is_a_difference(expected: str, actual: str, difference: str) -> None:
    assert compare_marks(read_marks(expected), read_marks(actual)) == [difference]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("☑ insured", "[X] insured"),
        ("☒ insured", "✗ insured"),
        ("☐ insured", "✗ insured"),
        ("☑ insured", "insured"),
        ("J. A. Smith", "John Adam Smith"),
        ("J. Smith", "J. Adam Smith"),
        ("John A. Smith", "J. Adam Smith"),
        ("the U.S. market", "the U.K. market"),
        ("code AB-5", "code AB 5"),
        ("from T-1 to T+1", "from T+1 to T-1"),
        ("Info@Acme.com", "info@acme.com"),
        ("https://www.acme.com/", "acme.com"),
        ("acme.com/contact", "acme.com"),
        ("It was paid.No more is due", "It was settled.No more is due"),
    ],
)
def test_the_same_marks_and_a_mark_on_one_side_are_no_difference(expected: str, actual: str) -> None:
    assert compare_marks(read_marks(expected), read_marks(actual)) == []
    assert compare_marks(read_marks(actual), read_marks(expected)) == []


@pytest.mark.parametrize(("text", "expected"), [("✗ approved", True), ("☐ insured", True), ("☑ insured", False), ("☑ a ☐ b", False)])
def test_a_single_mark_that_says_no_refuses(text: str, expected: bool) -> None:
    assert refuses(read_marks(text)) is expected


def test_hyphens_are_no_operators() -> None:
    assert find_operators("3 × 5 - 2 = 13") == ["×", "="]
