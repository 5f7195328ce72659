"""Values as documents of many locales write them, each against another spelling of it or a value that differs.

`values_written_first.tsv` was committed before the readers existed and is never edited; what is wrong with the table itself is listed here.
`values_as_written.tsv` was written beside them.
"""

import csv
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

import fieldwise as fw

DATA = Path(__file__).with_name("data")


class WrittenPair(NamedTuple):
    locale: str
    match: str
    expected: str
    actual: str
    equal: str


def read_pairs(name: str) -> list[WrittenPair]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    return [WrittenPair(*row) for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


WRITTEN_FIRST = read_pairs("values_written_first.tsv")
WRITTEN_LATER = read_pairs("values_as_written.tsv")
ERRORS_OF_THE_TABLE = {
    ("2024-03-01T22:45:00", "3/1/2024 10:45 PM"): "ambiguous by the specification: January 3 or March 1",
    ("100 m²", "1 a"): "an are is 100 m², so they are equal",
}
"""Expected and actual of rows of the first table that say something else than the specification, with the reason."""


def agrees(pair: WrittenPair) -> bool:
    options = {"parse": True} if pair.match == "numeric_tolerance" else {}
    return bool(fw.match(pair.match, expected=[pair.expected], actual=[pair.actual], **options).passed[0])


@pytest.mark.parametrize("pair", [pair for pair in WRITTEN_FIRST if pair[2:4] not in ERRORS_OF_THE_TABLE], ids="|".join)
def test_a_value_written_before_the_readers_is_read(pair: WrittenPair) -> None:
    assert agrees(pair) == (pair.equal == "yes")


@pytest.mark.parametrize("pair", [pair for pair in WRITTEN_FIRST if pair[2:4] in ERRORS_OF_THE_TABLE], ids="|".join)
def test_an_error_of_the_first_table_is_still_one(pair: WrittenPair) -> None:
    assert agrees(pair) != (pair.equal == "yes"), ERRORS_OF_THE_TABLE[pair.expected, pair.actual]


@pytest.mark.parametrize("pair", WRITTEN_LATER, ids="|".join)
def test_a_value_as_written_is_read(pair: WrittenPair) -> None:
    assert agrees(pair) == (pair.equal == "yes")


def test_the_second_table_covers_forty_locales_every_match_and_both_answers() -> None:
    assert len(WRITTEN_LATER) >= 400
    assert len({pair.locale for pair in WRITTEN_LATER}) >= 40
    matches = Counter(pair.match for pair in WRITTEN_LATER)
    assert matches.keys() >= {"money", "date", "datetime", "duration", "quantity", "code", "boolean", "country", "currency", "language"}
    assert sum(pair.equal == "no" for pair in WRITTEN_LATER) >= 80
