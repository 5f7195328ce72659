"""Languages by code, locale and name, with their scripts and regions."""

import pytest

from fieldwise.kernels.languages import LanguageVariety, agree_on_language, languages_called, varieties_called


def test_languages_are_known_by_code_and_name() -> None:
    assert languages_called("deu") == languages_called("German") == languages_called("allemand") == languages_called("de-CH") == {"de"}
    assert not languages_called("Klingonese")
    assert not languages_called("")


@pytest.mark.parametrize("name", ["English (United States)", "the English language", "английский язык", "język angielski"])
def test_languages_are_known_with_the_word_for_language_and_a_region(name: str) -> None:
    assert languages_called(name) == {"en"}


def test_norwegian_is_both_its_written_languages() -> None:
    assert languages_called("no") & languages_called("nb")
    assert languages_called("no") & languages_called("nn")
    assert not languages_called("nb") & languages_called("nn")
    assert not languages_called("Bokmål") & languages_called("Nynorsk")


@pytest.mark.parametrize("text", ["de-facto", "in-house", "no-go", "English (Klingon)", "no Spanish", "English, German", "en-", "Pt-BR-Br"])
def test_what_is_no_locale_is_no_language(text: str) -> None:
    assert not varieties_called(text)


@pytest.mark.parametrize(
    ("text", "variety"),
    [
        ("pt-BR", LanguageVariety("pt", region="BR")),
        ("PT_BR", LanguageVariety("pt", region="BR")),
        ("en_US.UTF-8", LanguageVariety("en", region="US")),
        ("es-419", LanguageVariety("es", region="419")),
        ("ar-001", LanguageVariety("ar")),
        ("de-DE-1996", LanguageVariety("de", region="DE", variant="1996")),
        ("zh-yue", LanguageVariety("yue")),
        ("sr-Latn-RS-x-own", LanguageVariety("sr", "Latn", "RS")),
        ("zh-TW", LanguageVariety("zh", "Hant", "TW", is_script_implied=True)),
        ("繁體中文", LanguageVariety("zh", "Hant")),
        ("chinois simplifié", LanguageVariety("zh", "Hans")),
        ("Chinese (Traditional, Hong Kong)", LanguageVariety("zh", "Hant", "HK")),
        ("Serbian Cyrillic", LanguageVariety("sr", "Cyrl")),
        ("Portuguese - Brazil", LanguageVariety("pt", region="BR")),
    ],
)
def test_script_region_and_variant_are_read(text: str, variety: LanguageVariety) -> None:
    assert varieties_called(text) == {variety}


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("pt-BR", "pt-PT"), ("zh-Hans", "zh-Hant"), ("zh-CN", "zh-TW"), ("en-US", "en-GB"), ("sr-Latn", "sr-Cyrl"), ("sr-RS", "sr-Latn"),
        ("British English", "American English"), ("Simplified Chinese", "Traditional Chinese"), ("Bokmål", "Nynorsk"), ("Flemish", "nl-NL"),
        ("de-1901", "de-1996"), ("zh-HK", "zh-TW"), ("es-419", "es-ES"), ("Chinese (Taiwan)", "简体中文"),
    ],
)  # fmt: skip
def test_scripts_regions_and_variants_that_both_name_must_agree(expected: str, actual: str) -> None:
    assert not agree_on_language(expected, actual)
    assert not agree_on_language(actual, expected)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("zh-CN", "zh-Hans"), ("zh-TW", "zh-Hant"), ("zh-HK", "Traditional Chinese"), ("no", "nb"), ("nn", "Norwegian"), ("pt", "por"),
        ("Portuguese", "português"), ("pt-BR", "Portuguese"), ("zh", "zh-Hant"), ("en-AU", "Australian English"),
        ("ca-valencia", "Catalan"),
    ],
)  # fmt: skip
def test_what_only_one_side_names_does_not_count(expected: str, actual: str) -> None:
    assert agree_on_language(expected, actual)
    assert agree_on_language(actual, expected)
