"""Values of many locales for every match, with its options: spellings that agree, and near misses that must not.

`values_with_options.tsv` was labelled and committed before it was first read and is never edited. At first 1,916 of its 2,057 rows agreed
(93 %), and no pair of different values passed that the specification tells apart. What is wrong with the table and what is not read is
listed here.
"""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import fieldwise as fw

TABLE = Path(__file__).with_name("data") / "values_with_options.tsv"
ONE_FORM = "both sides were written in one form of Unicode by mistake; rows with escapes follow at the end"
ERRORS_OF_THE_TABLE = {
    ("money", "£1,200.00", "1200 EGP"): "CLDR writes Egyptian pounds with £ as well",
    ("money", "$U 1.500", "UYU 1500"): "alone, a point before three digits is decimal",
    ("money", "12,500 DT", "TND 12.5"): "alone, a comma before three digits groups",
    ("money", '="\\u2014$5.00"', "=-5"): "a dash of any length before an amount is a minus",
    ("date", "2017-11-20", "20-11-17"): "two-digit years are read, and 20 is no month",
    ("date", "=20240305", "2024-03-05"): "a number is no date",
    ("duration", "1.5", "PT1H30M"): "a number without a unit agrees with any unit",
    ("language", "en-GB", "en-US"): "both name a region, and not the same one",
    ("duration", "P2W", "fortnight"): "a unit alone is one of it, as in `a fortnight`",
    ("duration", "PT1H30M", "hora y media"): "the article before it may be left out",
    ("quantity", "75 dpi", "75 ppi"): "dots and pixels per inch are one dimension",
    ("quantity", "1 Pfund", "500 g"): "CLDR calls the pound of 453.6 g so in German",
    ("quantity", "2 ons", "200 g"): "CLDR calls the ounce so in Dutch",
    ("quantity", "20 dag", "200 g"): "a day in the languages of the North",
    ("exact", "a b", "a b"): ONE_FORM,
    ("exact_text", "é", "é"): ONE_FORM,
    ("exact_text", '={"a": "é"}', '={"a": "é"}'): ONE_FORM,
    ("fuzzy", "Smith, John", "John Smith"): "the comma counts: 0.95",
}
"""Match, expected and actual of rows that say something else than the specification, with the reason."""
NOT_READ = {
    ("numeric_tolerance", "1/2", "=0.5"): "a fraction without a unit may be a date or a ratio",
    ("quantity", "1 Zentner", "50 kg"): "units that differ by country",
    ("language", "en", "anglický jazyk"): "inflected names",
}
"""Rows that are right and fail, with the reason."""


class OptionPair(NamedTuple):
    locale: str
    match: str
    options: str
    expected: str
    actual: str
    score: str


def read_table() -> list[OptionPair]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    return [OptionPair(*row) for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


PAIRS = read_table()
MATCHES = sorted({pair.match for pair in PAIRS})


def value_of(text: str) -> Any:
    if not text.startswith("="):
        return text
    return json.loads(text[1:]) if len(text) > 1 else None


def scores_as_labelled(pair: OptionPair) -> bool:
    options = json.loads(pair.options) if pair.options else {}
    scores = fw.match(pair.match, expected=[value_of(pair.expected)], actual=[value_of(pair.actual)], **options)
    return float(scores.value[0]) == pytest.approx(float(pair.score), abs=1e-6)


@pytest.mark.parametrize("match", MATCHES)
def test_every_row_of_the_fourth_table_scores_as_labelled_but_for_those_listed(match: str) -> None:
    wrong = {(pair.match, pair.expected, pair.actual) for pair in PAIRS if pair.match == match and not scores_as_labelled(pair)}
    listed = {key for key in (*ERRORS_OF_THE_TABLE, *NOT_READ) if key[0] == match}
    assert wrong == listed


def test_the_fourth_table_covers_every_match_that_reads_values_in_many_locales() -> None:
    rows = Counter(pair.match for pair in PAIRS)
    readers = ("money", "date", "datetime", "duration", "quantity", "numeric_tolerance", "boolean", "country", "currency", "language")
    assert min(rows[match] for match in readers) >= 120
    assert len({pair.locale for pair in PAIRS}) >= 100
