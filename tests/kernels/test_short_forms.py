"""Short forms of words in names and addresses."""

import pytest

from fieldwise.kernels.short_forms import find_street_names, find_street_words, shorten


@pytest.mark.parametrize(
    ("long", "short"),
    [
        ("742 Evergreen Terrace", "742 Evergreen Ter."),
        ("Acme Corporation", "ACME Corp"),
        ("19 Second Avenue, Floor 4", "19 2nd Ave, Fl. 4"),
        ("P.O. Box 12", "PO Box 12"),
        ("Königstraße 7", "Königstr. 7"),
        ("12 Main Street", "12 Main Str."),
        ("Platz der Republik 1", "Pl. der Republik 1"),
        ("Plaza Mayor 1", "Pl. Mayor 1"),
        ("10 Park Place", "10 Park Pl."),
        ("Article 5", "Art. 5"),
        ("Invoice number 5", "Invoice Nr. 5"),
    ],
)
def test_a_short_form_is_the_same_word(long: str, short: str) -> None:
    assert shorten(long) == shorten(short)


def test_kinds_and_names_of_streets() -> None:
    assert find_street_words(shorten("12 Main Street")) != find_street_words(shorten("12 Main Avenue"))
    assert find_street_names(shorten("12 Main Street")) != find_street_names(shorten("12 Maine Street"))


def test_a_street_word_without_a_number_is_no_address() -> None:
    assert find_street_words(shorten("Drive to the close of the road")) == frozenset()


def test_an_english_place_is_no_plaza_and_an_article_without_number_no_art() -> None:
    assert shorten("10 Park Pl.") != shorten("10 Park Plaza")
    assert shorten("an article") != shorten("an art")
