"""Language: codes and names."""

import pytest

from fieldwise.matchers.language import Language, language
from fieldwise.model.pairs import Pairs
from fieldwise.plan.choose_match import choose_match


@pytest.mark.parametrize(
    ("expected", "actual", "agrees"),
    [
        ("de", "German", True),
        ("ger", "Deutsch", True),
        ("fr-CA", "French", True),
        ("Slovak", "Slovenian", False),
        ("de", "soon", False),
        ("pt-BR", "pt-PT", False),
    ],
)
def test_values_agree_if_they_denote_the_same(expected: object, actual: object, agrees: bool) -> None:
    assert bool(language(Pairs([expected], [actual]), Language()).passed[0]) is agrees  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("expected", "actual", "note"),
    [
        ("pt-BR", "Portuguese", "only one side names a region"),
        ("zh", "zh-Hant", "only one side names a script"),
        ("sr", "sr-Latn-RS", "only one side names a script and a region"),
        ("zh-CN", "zh-Hans", None),
        ("pt-BR", "pt_BR", None),
    ],
)
def test_a_note_says_what_only_one_side_names(expected: str, actual: str, note: str | None) -> None:
    scores = language(Pairs([expected], [actual]), Language())
    assert scores.passed[0]
    assert scores.notes.get(0) == note


@pytest.mark.parametrize(
    ("expected", "actual", "note"),
    [
        ("pt-BR", "pt-PT", "same language, another region"),
        ("zh-CN", "zh-TW", "same language, another script and region"),
        ("Slovak", "Slovenian", None),
    ],
)
def test_a_note_says_in_what_one_language_differs(expected: str, actual: str, note: str | None) -> None:
    scores = language(Pairs([expected], [actual]), Language())
    assert not scores.passed[0]
    assert scores.notes.get(0) == note


def test_a_column_of_locales_keeps_scripts_apart_under_an_inferred_rule() -> None:
    match, _ = choose_match(["zh-Hans", "zh-Hant", "en"], ["zh-Hant", "zh-Hant", "en"], name="language")
    assert match.name == "language"
    assert language(Pairs(["zh-Hans", "zh-Hant", "en"], ["zh-Hant", "zh-Hant", "en"]), Language()).value.tolist() == [0.0, 1.0, 1.0]
