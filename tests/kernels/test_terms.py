"""Countries, currencies and yes/no words by code and by name."""

import pytest

from fieldwise.kernels.terms import boolean_called, countries_called, currencies_called, whole_countries


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("DE", "DE"),
        ("deu", "DE"),
        ("276", "DE"),
        ("Germany", "DE"),
        ("Allemagne", "DE"),
        ("Federal Republic of Germany", "DE"),
        ("U.S.A.", "US"),
        ("the Netherlands", "NL"),
        ("Espana", "ES"),
        ("中国", "CN"),
        ("Kongo", "CD CG"),
        ("Atlantis", ""),
        ("", ""),
    ],
)
def test_a_country_is_known_by_code_and_name(name: str, codes: str) -> None:
    assert sorted(countries_called(name)) == codes.split()


@pytest.mark.parametrize(
    ("left", "right"), [("Slovakia", "Slovenia"), ("Niger", "Nigeria"), ("IRQ", "IRN"), ("Austria", "Australia"), ("CHE", "CHN")]
)
def test_countries_with_similar_names_are_different(left: str, right: str) -> None:
    assert countries_called(left)
    assert countries_called(right)
    assert not countries_called(left) & countries_called(right)


def test_currencies_are_known_by_code_and_name() -> None:
    assert currencies_called("Schweizer Franken") == currencies_called("CHF") == {"CHF"}
    assert not currencies_called("SEK") & currencies_called("NOK")


@pytest.mark.parametrize("word", ["Yes", "Y", "TRUE", "ja", "oui", "Sí", "SI", "да", "はい", "☑", "[x]", "[ x ]", "1"])
def test_words_and_marks_for_yes(word: str) -> None:
    assert boolean_called(word) is True


@pytest.mark.parametrize("word", ["No", "n", "false", "NEIN", "non", "нет", "否", "☐", "[ ]", "0"])
def test_words_and_marks_for_no(word: str) -> None:
    assert boolean_called(word) is False


@pytest.mark.parametrize("word", ["", "maybe", "2", "yesterday"])
def test_other_words_mean_neither(word: str) -> None:
    assert boolean_called(word) is None


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Bundesrepublik Deutschland", "DE"),
        ("República de Chile", "CL"),
        ("Oesterreich", "AT"),
        ("St. Kitts and Nevis", "KN"),
        ("Saint Lucia", "LC"),
        ("Chéquia", "CZ"),
        ("ประเทศไทย", "TH"),
        ("EL", "GR"),
        ("FRANSA", "FR"),
        ("Russische Föderation", "RU"),
        ("Fédération de Russie", "RU"),
        ("アメリカ", "US"),
        ("ABD", "US"),
        ("Weißrussland", "BY"),
    ],
)
def test_official_names_other_spellings_and_regional_names_are_known(name: str, code: str) -> None:
    assert countries_called(name) == {code}


@pytest.mark.parametrize("name", ["Republik Korea", "République du Congo"])
def test_an_official_name_whose_short_name_means_several_countries_decides_nothing(name: str) -> None:
    assert len(countries_called(name)) <= 1


def test_a_check_mark_may_be_an_emoji() -> None:
    assert boolean_called("✔️") is True


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Czech Rep.", "CZ"),
        ("Central African Rep.", "CF"),
        ("Russian Fed.", "RU"),
        ("N. Macedonia", "MK"),
        ("Lao PDR", "LA"),
        ("Chinese Taipei", "TW"),
        ("Germany (DE)", "DE"),
        ("DE - Germany", "DE"),
        ("United States of America (USA)", "US"),
    ],
)
def test_short_words_and_two_forms_of_a_country_are_read(name: str, code: str) -> None:
    assert countries_called(name) == {code}


def test_two_forms_that_disagree_denote_no_country() -> None:
    assert not countries_called("Germany (FR)")
    assert not countries_called("France - Spain")


@pytest.mark.parametrize("unit", ["a - ", "a (", "(", "rep. "])
def test_a_long_text_is_no_country_and_costs_little(unit: str) -> None:
    assert not countries_called(unit * 20_000)


@pytest.mark.parametrize(
    "name", ["UK", "GBR", "826", "Großbritannien", "Grande-Bretagne", "Gran Bretagna", "Grã-Bretanha", "Gra-Bretanha", "Royaume-Uni"]
)
def test_the_united_kingdom_shares_a_code_with_each_of_its_nations(name: str) -> None:
    assert countries_called(name) == countries_called("GB")
    for nation in ("England", "Scotland", "Wales", "Northern Ireland"):
        assert countries_called(nation) & countries_called(name)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("England", "GB-ENG"),
        ("Inglaterra", "GB-ENG"),
        ("Schottland", "GB-SCT"),
        ("İskoçya", "GB-SCT"),
        ("Pais de Gales", "GB-WLS"),
        ("ウェールズ", "GB-WLS"),
        ("Irlande du Nord", "GB-NIR"),
        ("GB-NIR", "GB-NIR"),
        ("England (UK)", "GB-ENG"),
    ],
)
def test_a_nation_of_the_united_kingdom_has_its_own_code(name: str, code: str) -> None:
    assert countries_called(name) == {code}
    assert whole_countries(countries_called(name)) == {"GB"}
