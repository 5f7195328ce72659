"""Language: codes and names."""

import pytest

from fieldwise.matchers.language import Language, language
from fieldwise.model.pairs import Pairs


@pytest.mark.parametrize(
    ("expected", "actual", "agrees"),
    [("de", "German", True), ("ger", "Deutsch", True), ("fr-CA", "French", True), ("Slovak", "Slovenian", False), ("de", "soon", False)],
)
def test_values_agree_if_they_denote_the_same(expected: object, actual: object, agrees: bool) -> None:
    assert bool(language(Pairs([expected], [actual]), Language()).passed[0]) is agrees  # pyright: ignore[reportArgumentType]
