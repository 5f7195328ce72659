"""Whole values that denote one thing: they are equal only if they denote the same."""

import pytest

from fieldwise.kernels.meaning.whole_values import ValueVerdict, compare_whole_values

DIFFERENT = """SVK / SVN · IRQ / IRN · IRL / IRN · CHE / CHN · SEK / NOK · Niger / Nigeria · Slovakia / Slovenia ·
Mr / Mrs · AB-12-34 / AB-34-12 ·
555-1234 / 1234-555 · 2-1 / 1-2 · 12 Main Street / 12 Main Avenue · 12 Main Street / 12 Maine Street · 007 / 7 · 12 / 12.0 ·
1234 5678 9012 / 9012 5678 1234 · A100 / A1OO · 0.5 mg / 5 mg · 5 mg / 5 g · XJ-9 / XJ-6 · EUR 100 / USD 100 ·
A+ / A- · BBB+ / BBB · grade A+ / grade A- · Rh+ / Rh- · C# / C · <5 / >5 · < 5 mg / ≥ 5 mg · <5 / 5 · p < 0.05 / p = 0.05·
x > y / x < y · √x / x · ± x / x ·
Kansas / Arkansas · State of Virginia / State of West Virginia · Portland, OR / Portland, ME · London, ON / London, UK ·
Paris, France / Paris, Texas · Mexico / New Mexico · Austrian company / Australian company · Irish / Northern Irish ·
2024-03-05 / 2024-05-03"""
SAME = """Germany / DEU · Kongo / Republic of the Congo · EUR / Euro · Herr / Mr · 2024-01-31 / Jan 31, 2024 · AB-12-34 / AB 12 34 ·
EUR 1.234,50 / 1234.50 € · 1.5 kg / 1500 g · 24 months / two years · 12 Main Street / 12 Main St. · PO Box 12 / P.O. Box 12 ·
Bahnhofstraße 5 / Bahnhofstr. 5 · 450 Fifth Avenue, Apt 3 / 450 5th Ave, Apt 3 · 100 North Road / 100 N. Road · A+ / a+ ·
Acme Corp - / Acme Corp. · AB- / AB\u2212 ·
OR / Oregon · Portland, OR / Portland, Oregon · Washington / Washington, D.C. · Slovene / Slovenian · Korean / South Korean ·
x < y / x<y · ≤ 5 / <=5 · ± 5 mm wide / +/- 5 mm wide · <b>bold</b> / b bold b"""
OPEN = """The term is 24 months / It runs for two years · can / may · the cat / the dog · 3 pm / 15:00 · Q3 2024 / third quarter of 2024 ·
10 Downing Street / 10 Downing Street, London · net 30 / due in 30 days · Jordan Smith / Jordan ·
Oregon / USA · Portland, OR / Portland, USA · cash or card / cash in card · CASH OR CARD / CASH IN CARD · Indian / American Indian ·
grade / degree · JS / John Smith · CEO / chief executive officer · VAT / vat rates"""


CALENDAR_AND_OTHER_TERMS = """March / May · January / März · Oct / Nov · lundi / Tuesday · Spring / Winter · North / East ·
Ltd. / Inc. · GmbH / LLC · first / second · mg / mcg · year / months · square metre / square foot · PT1H40M / PT1H39M"""
SAME_TERMS = """March / März · Oct. / octobre · Montag / Monday · autumn / Fall · Limited / Ltd. · north / Norden · listopad / October ·
kg / kilograms · pcs / Stück · percent / % · VAT / value added tax · NKDA / No known drug allergies · IT / information technology ·
AB-12-34 / AB1234"""


def pairs(table: str) -> list[tuple[str, str]]:
    split = [pair.strip().split(" / ") for pair in table.split("·")]
    return [(expected.strip(), actual.strip()) for expected, actual in split]


@pytest.mark.parametrize(("expected", "actual"), [*pairs(DIFFERENT), *pairs(CALENDAR_AND_OTHER_TERMS), ("05/03/2024", "03/05/2024")])
def test_values_that_denote_different_things_differ(expected: str, actual: str) -> None:
    for left, right in ((expected, actual), (actual, expected)):
        verdict = compare_whole_values(left, right)
        assert verdict is not None
        assert not verdict.same
        assert f"{left} / {right}" in verdict.what


@pytest.mark.parametrize(
    ("expected", "actual"), [*pairs(SAME), *pairs(SAME_TERMS), ("05/03/2024", "5 March 2024"), ("05/03/2024", "3 May 2024")]
)
def test_spellings_of_one_value_are_the_same(expected: str, actual: str) -> None:
    for left, right in ((expected, actual), (actual, expected)):
        verdict = compare_whole_values(left, right)
        assert verdict is not None
        assert verdict.same


@pytest.mark.parametrize(("expected", "actual"), pairs(OPEN))
def test_the_wording_decides_what_is_no_value_of_one_type(expected: str, actual: str) -> None:
    assert compare_whole_values(expected, actual) is None
    assert compare_whole_values(actual, expected) is None


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("2017-01-12", "~12 January 2017"),
        ("until 12 January 2017", "12 January 2017"),
        ("bis zum 12. Januar 2017", "2017-01-12"),
        ("up to 5 kg", "5 kg"),
        ("circa 1900", "1900"),
        ("more than $5", "$5"),
        ("more than $5", "less than $5"),
        ("iPhone 12", "iPhone 12 Pro"),
        ("PT Acme", "PT Acme Tbk"),
        ("Acme Ltd", "Acme Holdings Ltd"),
    ],
)
def test_bounds_variants_and_companies_of_a_group_are_other_values(expected: str, actual: str) -> None:
    for verdict in (compare_whole_values(expected, actual), compare_whole_values(actual, expected)):
        assert verdict is not None
        assert not verdict.same


@pytest.mark.parametrize(
    ("expected", "actual"), [("< 5 kg", "less than 5000 g"), ("approx. $5", "about 5 USD"), ("~2017-01-12", "circa 12 January 2017")]
)
def test_two_spellings_of_a_bound_are_the_same(expected: str, actual: str) -> None:
    verdict = compare_whole_values(expected, actual)
    assert verdict is not None
    assert verdict.same


def test_the_wording_decides_between_two_bounds_of_dates() -> None:
    assert compare_whole_values("until 12 January 2017", "by 12 January 2017") is None


def test_towns_and_makes_agree_under_every_name_and_differ_from_each_other() -> None:
    assert compare_whole_values("Prague", "Praha") == ValueVerdict(True)
    assert compare_whole_values("New York", "NYC") == ValueVerdict(True)
    assert compare_whole_values("PwC", "PricewaterhouseCoopers") == ValueVerdict(True)
    assert compare_whole_values("New York", "Los Angeles") == ValueVerdict(False, "towns differ: New York / Los Angeles")
