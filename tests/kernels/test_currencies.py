"""What symbols, codes and names of currencies stand for."""

from time import process_time

import pytest

from fieldwise.kernels.currencies import currencies_of, has_minor_unit


def test_a_symbol_stands_for_every_currency_that_uses_it() -> None:
    assert {"USD", "CAD", "AUD", "MXN"} <= currencies_of("$")
    assert currencies_of("kr") == {"SEK", "NOK", "DKK", "ISK"}
    assert currencies_of("RM") == {"MYR"}
    assert currencies_of("US Dollar") >= {"USD"}
    assert not currencies_of("kg")


@pytest.mark.parametrize(
    ("text", "code"), [("HRK", "HRK"), ("kn", "HRK"), ("DEM", "DEM"), ("French franc", "FRF"), ("VEF", "VEF"), ("ANG", "ANG")]
)
def test_currencies_of_old_documents_are_known_by_their_own_code(text: str, code: str) -> None:
    assert currencies_of(text) == {code}


def test_a_withdrawn_currency_is_not_the_one_that_replaced_it() -> None:
    assert not currencies_of("VEF") & currencies_of("VES")
    assert not currencies_of("HRK") & currencies_of("EUR")


def test_a_long_run_of_digits_is_read_in_linear_time() -> None:
    text = "9" * 5_000 + "É" + "9" * 5_000
    started = process_time()
    assert not currencies_of(text)
    assert process_time() - started < 0.5  # minutes, when each digit could begin a fraction


@pytest.mark.parametrize(("text", "codes"), [("$ MXN", {"MXN"}), ("EUR €", {"EUR"}), ("EUR $", set()), ("kr EUR", set())])
def test_a_symbol_with_a_code_is_a_currency_that_both_name(text: str, codes: set[str]) -> None:
    assert currencies_of(text) == codes


def test_amounts_have_decimals_unless_every_currency_they_may_mean_has_none() -> None:
    assert has_minor_unit(frozenset())
    assert has_minor_unit(frozenset({"EUR"}))
    assert has_minor_unit(frozenset({"JPY", "CNY"}))
    assert not has_minor_unit(frozenset({"JPY"}))


@pytest.mark.parametrize(
    ("text", "code"), [("KD", "KWD"), ("BD", "BHD"), ("JD", "JOD"), ("QR", "QAR"), ("SR", "SAR"), ("COP$", "COP"), ("CLP$", "CLP")]
)
def test_abbreviations_that_cldr_does_not_print_are_known(text: str, code: str) -> None:
    assert code in currencies_of(text)


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("dollars", "MXN pesos COP"),
        ("₱", "$ dollars CUP"),
        ("сом", "RUB UZS"),
        ("сум", "RUB KGS"),
        ("R", "руб. р. BYN"),
        ("P", "руб. BYN"),
        ("korun", "SEK NOK kronor kr"),
        ("korún", "ISK"),
        ("krona", "CZK Kč"),
        ("cents", "MXN"),
    ],
)
def test_names_that_no_document_equates_share_no_currency(text: str, others: str) -> None:
    assert currencies_of(text) or text == "cents"
    assert not [other for other in others.split(" ") if currencies_of(text) & currencies_of(other)]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("dollar", "USD CAD AUD TWD"),
        ("dollár", "USD"),
        ("ポンド", "GBP"),
        ("ドル", "USD"),
        ("달러", "USD"),
        ("₱", "PHP"),
        ("сом", "KGS"),
        ("сум", "UZS"),
        ("R", "ZAR"),
        ("руб.", "RUB BYN"),
        ("korun", "CZK SKK"),
        ("kronor", "SEK NOK DKK ISK"),
        ("CFA franc", "XAF XOF"),
        ("CFA", "XAF XOF"),
        ("Bs", "BOB VES"),
        ("CDN$", "CAD"),
        ("riyals", "SAR QAR"),
        ("cedis", "GHS"),
        ("zlotych", "PLN"),
        ("GH¢", "GHS"),
    ],
)
def test_a_name_means_every_currency_that_documents_call_so(text: str, codes: str) -> None:
    assert currencies_of(text) >= set(codes.split(" "))
