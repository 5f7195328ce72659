"""Numbers with currencies, percent signs and units, as people write them."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.amounts import Figure, _read_figure, find_decimal_sign, read_figure  # pyright: ignore[reportPrivateUsage]

law = settings(max_examples=150, deadline=None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-12.5", -12.5),
        ("1,234.50", 1234.5),
        ("1.234,50", 1234.5),
        ("1 234,50", 1234.5),
        ("1'234.50", 1234.5),
        ("1\u202f234,50", 1234.5),
        ("1,23,456.78", 123456.78),
        ("(3.20)", -3.2),
        ("3.20-", -3.2),
        ("-$5", -5),
        ("$-5", -5),
        ("5,-", 5),
        ("€ 1.000,--", 1000),
        ("Rs. 5,000/-", 5000),
        ("12.50 CR", -12.5),
        ("12.50 DR", 12.5),
        ("Rs 5 Cr", 50_000_000),
        ("$1.2M", 1_200_000),
        ("$5 bil.", 5_000_000_000),
        ("1,2 Mio. €", 1_200_000),
        ("2 lakh", 200_000),
        ("99 cents", 0.99),
        ("½", 0.5),
        ("1½", 1.5),
        ("１２３", 123),
        ("١٬٢٣٤٫٥٠", 1234.5),
        ("壹仟贰佰元整", 1200),
        ("1万2000円", 12000),
        ("3만원", 30000),
        ("Rp 10.000", 10000),
    ],
)
def test_what_people_write_is_read(text: str, value: float) -> None:
    figure = read_figure(text)
    assert figure is not None
    assert figure.value == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "€",
        "Total: 5",
        "No. 5",
        "5th",
        "2024-01-01",
        "12/13",
        "1,2,3",
        "12,5,6",
        "1 23",
        "10,000,00",
        "$ 5 EUR",
        "NaN",
        "5-6",
        "(-5)",
        "--5",
        "1e400",
        "x" * 200,
    ],
)
def test_what_is_no_number_is_refused_as_a_whole(text: str) -> None:
    assert read_figure(text) is None


def test_one_separator_with_three_digits_follows_the_decimal_mark_and_says_that_it_was_undecided() -> None:
    assert [read_figure(text).value for text in ("1,234", "1.234")] == [1234, 1.234]  # pyright: ignore[reportOptionalMemberAccess]
    assert [read_figure(text, ",").value for text in ("1,234", "1.234")] == [1.234, 1234]  # pyright: ignore[reportOptionalMemberAccess]
    assert [read_figure(text).undecided for text in ("1,234", "1.234", "0.123", "1.234,5", "1234.567")] == [",", ".", "", "", ""]  # pyright: ignore[reportOptionalMemberAccess]


def test_units_and_percent_signs_are_named() -> None:
    assert read_figure("5 kg").units == {"kilogram"}  # pyright: ignore[reportOptionalMemberAccess]
    assert read_figure("5 m").units >= {"meter"}  # pyright: ignore[reportOptionalMemberAccess]
    assert read_figure("12 %").percent  # pyright: ignore[reportOptionalMemberAccess]


def test_millimetres_and_minutes_are_no_scales_unless_a_currency_is_named() -> None:
    for text, unit in (
        ("5 mm", "millimeter"),
        ("12.5mm", "millimeter"),
        ("5 min", "minute"),
        ("5 Min.", "minute"),
        ("5 MIN", "minute"),
        ("5 MM", "millimeter"),
    ):
        figure = read_figure(text)
        assert figure is not None
        assert (figure.value < 20, figure.units) == (True, frozenset({unit})), text
    for text, value in (("$5mm", 5_000_000), ("5 MM USD", 5_000_000), ("5 min AZN", 5000), ("5 mm EUR", 5_000_000)):
        figure = read_figure(text)
        assert figure is not None
        assert (figure.value, figure.units) == (value, frozenset()), text


def test_exponents_a_final_point_and_signs_around_a_symbol_are_read() -> None:
    texts = {"1e5": 100_000, "1.5e-3": 0.0015, "$1e3": 1000, "5.": 5, "$ (5)": -5, "($5)": -5, "01,234": 1.234}
    assert {text: read_figure(text).value for text in texts} == texts  # pyright: ignore[reportOptionalMemberAccess]


def test_integers_of_any_size_keep_their_digits() -> None:
    for text in ("123456789012345678901234567890123", "-9007199254740993", "1" * 4200, "123,456,789,012,345,678,901,234,567,890,123"):
        figure = read_figure(text)
        assert figure is not None
        assert str(figure.value) == text.replace(",", "")


def read_number(text: str) -> float | None:
    figure = read_figure(text)
    return None if figure is None else figure.value


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5", 5),
        (" 5 ", 5),
        ("+5", 5),
        ("-5", -5),
        ("- 5", -5),
        ("−5", -5),
        ("5.", 5.0),
        (".5", 0.5),
        ("1e5", 100000.0),
        ("1.5E-3", 0.0015),
        ("1,234.50", 1234.5),
        ("1,234", 1234),
        ("12,345,678", 12345678),
        ("12,34,567.50", 1234567.5),
        ("1.234", 1.234),
        ("1.234.567", 1234567),
        ("1.234,56", 1234.56),
        ("12,5", 12.5),
        ("0,123", 0.123),
        ("1234,567", 1234.567),
        ("1 234.50", 1234.5),
        ("1 234 567,89", 1234567.89),
        ("1\u202f234,50", 1234.5),
        ("1\u00a0234", 1234),
        ("1'234.50", 1234.5),
        ("1’234.50", 1234.5),
        ("$5", 5),
        ("-$5", -5),
        ("$-5", -5),
        ("US$ 5.20", 5.2),
        ("€ 1.234,56", 1234.56),
        ("5 €", 5),
        ("USD 5", 5),
        ("5 EUR", 5),
        ("100 zł", 100),
        ("(3.2)", -3.2),
        ("($5)", -5),
        ("$(5)", -5),
        ("(3.2 %)", -3.2),
        ("100.00-", -100.0),
        ("12 %", 12),
        ("12.5%", 12.5),
        ("１２３．５", 123.5),
        ("٣٫٥", 3.5),
        ("9007199254740993", 2**53 + 1),
        ("9" * 400, 10**400 - 1),
    ],
)
def test_numbers_as_people_write_them(text: str, number: float) -> None:
    assert read_number(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "abc",
        "NaN",
        "inf",
        "-",
        "$",
        "%",
        "()",
        "5(3)",
        "--5",
        "-(5)",
        "+-5",
        "1,234,56",
        "1 2",
        "1  234",
        "1,2.3,4",
        "1.5.",
        "1,",
        "2025-01-01",
        "1.1.2025",
        "12:30",
        "10²",
        "1_000",
        "0x10",
        "1e999",
        "5-3",
        "true",
        "1 234 56",
        "9" * 5000,
        "$5 each",
    ],
)
def test_what_is_not_a_number_is_none(text: str) -> None:
    assert read_number(text) is None


@given(text=st.text(alphabet="0123456789.,-+$€%() 'eE−１x", max_size=8) | st.text(max_size=5))
@settings(max_examples=500, deadline=None)
def test_any_text_gives_a_finite_number_or_none(text: str) -> None:
    parsed = read_number(text)
    assert parsed is None or (type(parsed) in {int, float} and math.isfinite(parsed))


@given(number=st.integers() | st.floats(allow_nan=False, allow_infinity=False))
@law
def test_a_number_as_python_writes_it_is_read_back(number: float) -> None:
    assert read_number(str(number)) == number


@given(number=st.integers(-(10**12), 10**12))
@law
def test_a_number_with_thousands_separators_is_read_back(number: int) -> None:
    assert read_number(f"{number:,}") == number
    assert read_number(f"{number:,}.50".replace("-", "")) == abs(number) + 0.5


def test_points_that_belong_to_no_number_are_refused() -> None:
    assert read_figure("1.2.3万") is None


@pytest.mark.parametrize(("text", "number"), [("3½", 3.5), ("1 1⁄2", 1.5), ("$2¾", 2.75), ("½", 0.5), ("5 11⁄12", 5 + 11 / 12)])
def test_fractions_are_read(text: str, number: float) -> None:
    figure = read_figure(text)
    assert figure is not None
    assert figure.value == pytest.approx(number, abs=1e-12)


@pytest.mark.parametrize("text", ["1⁄" + "9" * 5_000, "9" * 5_000 + "½", "12345678901234567½", "1⁄0"])
def test_fractions_beyond_reason_are_no_numbers(text: str) -> None:
    assert read_figure(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Rs.500", 500),
        ("kr.100", 100),
        ("S/.25", 25),
        ("Rp.25.000", 25000),
        ("Rs.1,500.00", 1500),
        ("$.99", 0.99),
        ("TEUR 12", 12000),
        ("k€ 250", 250000),
        ("5 MSEK", 5_000_000),
        ("5 tkr", 5000),
        ("US$m 5", 5_000_000),
        ("1,2 mil. Kč", 1_200_000),
        ("R$ 2 mil", 2000),
        ("₹5 लाख", 500_000),
        ("1.2 ล้านบาท", 1_200_000),
        ("£12 10p", 12.1),
        ("5元5角", 5.5),
        ("壹仟贰佰元伍角整", 1200.5),
        ("金50,000円也", 50000),
        ("▲1,500", -1500),
        ("five hundred and 25/100 dollars", 500.25),
    ],
)
def test_abbreviations_scales_and_small_units_are_read(text: str, value: float) -> None:
    figure = read_figure(text)
    assert figure is not None
    assert figure.value == value


@pytest.mark.parametrize(
    ("text", "code"), [("100 dolarów", "USD"), ("100 korun", "CZK"), ("100 долларов", "USD"), ("100 лева", "BGN"), ("P100", "PHP")]
)
def test_the_noun_of_a_currency_names_it_in_every_language(text: str, code: str) -> None:
    figure = read_figure(text)
    assert figure is not None
    assert code in figure.currencies


@pytest.mark.parametrize("text", ["12 percent", "12 pour cent", "12 procent", "百分之十二"])
def test_percent_in_words_is_a_percent_sign(text: str) -> None:
    figure = read_figure(text)
    assert figure is not None
    assert figure.percent
    assert not figure.units


@pytest.mark.parametrize(("text", "value"), [("$1,299.", 1299), ("1,299.", 1299), ("$1,299.50.", 1299.5), ("€1,299.00.", 1299)])
def test_the_point_that_ends_a_sentence_is_no_part_of_an_amount(text: str, value: float) -> None:
    figure = read_figure(text)
    assert figure is not None
    assert figure.value == value


def test_a_day_and_a_month_are_no_amount() -> None:
    assert read_figure("24.12.") is None


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("5 KG", "kilogram"),
        ("5 Kg", "kilogram"),
        ("5 MG", "milligram"),
        ("5 ML", "milliliter"),
        ("5 MM", "millimeter"),
        ("5 BAR", "bar"),
        ("5 kgs", "kilogram"),
        ("5 kN", "kilonewton"),
        ("5 m/s", "meter-per-second"),
        ("5 m²", "square-meter"),
        ("5 m2", "square-meter"),
        ("5 C", "celsius"),
        ("5 boxes", "box"),
    ],
)
def test_a_unit_is_no_scale_and_no_currency_whatever_its_letters(text: str, unit: str) -> None:
    assert read_figure(text) == Figure(5, units=frozenset({unit}))


@pytest.mark.parametrize(("text", "value"), [("5 MSEK", 5_000_000), ("5 KTL", 5000), ("$5MM", 5_000_000), ("5 MM USD", 5_000_000)])
def test_a_scale_beside_a_currency_stays_one(text: str, value: float) -> None:
    figure = read_figure(text)
    assert figure is not None
    assert figure.value == value
    assert figure.currencies


@pytest.mark.parametrize(
    ("text", "value", "code"),
    [
        ("₹50L", 5_000_000, "INR"),
        ("INR 1.5L", 150_000, "INR"),
        ("₹1.2 lakh crore", 1_200_000_000_000, "INR"),
        ("5 萬元", 50_000, "TWD"),
        ("3億ドル", 300_000_000, "USD"),
        ("minus 5 EUR", -5, "EUR"),
        ("moins 5 €", -5, "EUR"),
        ("RO 5", 5, "OMR"),
        ("LL 5", 5, "LBP"),
        ("MT 5", 5, "MZN"),
        ("hundert Euro", 100, "EUR"),
        ("one hundred twenty-three dollars and 45/100", 123.45, "USD"),
        ("Rupees five hundred only", 500, "INR"),
        ("Rupees Five Hundred and Fifty Paise only", 500.5, "INR"),
        ("USD 5.00 only", 5, "USD"),
        ("5.000,00 de euro", 5000, "EUR"),
        ("us-dollar 5", 5, "USD"),
    ],
)
def test_amounts_of_cheques_and_of_more_languages_are_read(text: str, value: float, code: str) -> None:
    figure = read_figure(text)
    assert figure is not None
    assert figure.value == value
    assert code in figure.currencies


@pytest.mark.parametrize("text", ["only", "5 only", "minus", "minus EUR", "12 A3", "X4 m2", "5 m4", "$ 5 L"])
def test_what_only_looks_like_such_an_amount_is_refused(text: str) -> None:
    assert read_figure(text) is None


def test_a_letter_that_is_a_unit_is_a_currency_where_amounts_are_read() -> None:
    figure = read_figure("12.345,67 L")
    assert figure is not None
    assert figure.units == {"liter"}
    assert figure.as_amount().currencies >= {"MDL", "HNL"}
    assert read_figure("5 l") == Figure(5, units=frozenset({"liter"}))


@given(st.integers(0, 10**12), st.text("0123456789", min_size=1, max_size=7), st.booleans(), st.sampled_from(["", "€", "€ ", "-"]))
@settings(deadline=None)
def test_the_short_way_for_a_decimal_comma_reads_what_the_long_way_reads(whole: int, decimals: str, grouped: bool, before: str) -> None:
    digits = f"{whole:,}".replace(",", ".") if grouped else str(whole)
    text = f"{before}{digits},{decimals}"
    if len(decimals) != 3:
        assert repr(read_figure(text)) == repr(_read_figure(text, None)) == repr(_read_figure(text, "."))


NAMES = st.sampled_from(["", "EUR", "JPY", "CUP", "TON", "PCS", "KWH", "XYZ"])


@given(st.integers(0, 10**12), st.text("0123456789", max_size=7), st.booleans(), NAMES | st.just("-"), NAMES | st.just("%"), st.booleans())
@settings(deadline=None)
def test_the_short_way_for_codes_and_percent_signs_reads_what_the_long_way_reads(
    whole: int, decimals: str, grouped: bool, before: str, after: str, spaced: bool
) -> None:
    digits = f"{whole:,}" if grouped else str(whole)
    space = " " if spaced else ""
    text = f"{before}{space if before != '-' else ''}{digits}{'.' if decimals else ''}{decimals}{space}{after}".strip()
    if len(decimals) != 3 and (decimals or not grouped):
        assert repr(read_figure(text)) == repr(_read_figure(text, None))


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("1.234,50 €", ","), ("€ 1,234.50", "."), ("12.50", "plain"), ("1.234", "undecided"), ("12", ""), ("v1.2,3", ""),
        ("0,125", ","), ("1234,567", ","), ("1 234,567", ","), ("-0.125", "plain"), ("€ 0.125", "."), ("JPY 1,234", ""),
    ],
)  # fmt: skip
def test_a_text_tells_what_it_shows_about_the_decimal_mark_of_its_column(text: str, sign: str) -> None:
    assert find_decimal_sign(text) == sign


def test_a_symbol_of_a_unit_is_no_scale_word() -> None:
    figure = read_figure("5 mIU")
    assert figure is not None
    assert (figure.value, figure.units) == (5, {"milliinternational-unit"})


@pytest.mark.parametrize("text", ["$..75", "$..75,333", "Rs..500"])
def test_two_points_before_a_number_are_no_abbreviation(text: str) -> None:
    assert read_figure(text) is None


@pytest.mark.parametrize(
    ("text", "value", "currency"),
    [
        ("***1,234.50***", 1234.5, None),
        ("**$5.00**", 5, "USD"),
        ("US Dollars One Thousand Only", 1000, "USD"),
        ("Rs 500/= only", 500, "INR"),
    ],
)
def test_amounts_of_cheques_are_read(text: str, value: float, currency: str | None) -> None:
    figure = read_figure(text)
    assert figure is not None
    assert figure.value == value
    assert currency is None or currency in figure.currencies


@pytest.mark.parametrize("text", ["**", "*5", "** bold **", "US team one", "hello big one"])
def test_stars_and_words_alone_are_no_amounts(text: str) -> None:
    assert read_figure(text) is None
