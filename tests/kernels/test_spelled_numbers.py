"""Numbers spelled out in languages other than English."""

import pytest

from fieldwise.kernels.amounts import read_figure
from fieldwise.kernels.spelled_numbers import read_spelled_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("zweihundertfünf", 205),
        ("einhundertdreiundzwanzigtausendvierhundertsechsundfünfzig", 123456),
        ("zwölfhundert", 1200),
        ("honderdtweeëntwintig", 122),
        ("soixante et onze", 71),
        ("quatre-vingt-dix-neuf", 99),
        ("deux cent mille", 200000),
        ("septante-cinq", 75),
        ("mil novecientos noventa y nueve", 1999),
        ("veintidós", 22),
        ("dieciséis", 16),
        ("centotto", 108),
        ("ventuno", 21),
        ("mil, cento e um", 1101),
        ("dwieście trzydzieści", 230),
        ("dvě stě dvacet", 220),
        ("двести тысяч пять", 200005),
        ("п'ятдесят", 50),
        ("tvåhundratjugo", 220),
        ("ikiyüz elli", 250),
        ("kétszázhuszonöt", 225),
        ("UNA", 1),
    ],
)
def test_a_number_is_read_whether_its_parts_are_together_or_apart(text: str, number: int) -> None:
    assert read_spelled_number(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "zwei drei",
        "zwanzig dreißig",
        "und zwei",
        "zwei und",
        "einmal",
        "vierkant",
        "null eins",
        "cent mille mille",
        "12",
        "Acme",
        "zwei deux",
    ],
)
def test_other_words_are_no_number(text: str) -> None:
    assert read_spelled_number(text) is None


@pytest.mark.parametrize(("text", "value"), [("zweihundert Euro", 200), ("quatre-vingt-dix euros", 90), ("двести рублей", 200)])
def test_amounts_are_read_in_words_of_other_languages(text: str, value: int) -> None:
    figure = read_figure(text)
    assert figure is not None
    assert figure.value == value
