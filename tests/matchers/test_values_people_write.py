"""Values as people write them, half of them against a value that differs and must not pass.

`values_people_write.tsv` was labelled and committed before it was first read and is never edited. At first 564 of its 608 rows agreed
(93 %), and 1 of the 312 pairs of different values passed. What is wrong with the table and what is not read is listed here.
"""

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fieldwise.matchers.boolean import Boolean, boolean
from fieldwise.matchers.code import Code, code
from fieldwise.matchers.country import Country, country
from fieldwise.matchers.currency import Currency, currency
from fieldwise.matchers.date import Date, date
from fieldwise.matchers.datetime_ import Datetime, datetime_
from fieldwise.matchers.duration import Duration, duration
from fieldwise.matchers.language import Language, language
from fieldwise.matchers.money import Money, money
from fieldwise.matchers.numeric_tolerance import NumericTolerance, numeric_tolerance
from fieldwise.matchers.quantity import Quantity, quantity
from fieldwise.model.pairs import Pairs, Scores

TABLE = Path(__file__).with_name("data") / "values_people_write.tsv"
MATCHERS: dict[str, tuple[Callable[[Pairs, Any], Scores], Any]] = {
    "money": (money, Money()),
    "number": (numeric_tolerance, NumericTolerance(parse=True)),
    "date": (date, Date()),
    "datetime": (datetime_, Datetime()),
    "duration": (duration, Duration()),
    "quantity": (quantity, Quantity()),
    "boolean": (boolean, Boolean()),
    "country": (country, Country()),
    "currency": (currency, Currency()),
    "language": (language, Language()),
    "code": (code, Code()),
    "code:iban": (code, Code(scheme="iban")),
    "code:isbn": (code, Code(scheme="isbn")),
    "code:vat": (code, Code(scheme="vat")),
    "code:phone": (code, Code(scheme="phone")),
}
ERRORS_OF_THE_TABLE = {
    ("2.5 Cr", "25000000"): "without a currency, Cr marks a credit",
    ("$12.00 / month", "$12.00"): "a price per month is no amount",
    ("approx. $500", "$500"): "about 500 is not 500",
}
"""Expected and actual of rows that say something else than the specification, with the reason."""
A_LABEL = "a label before a value is a mistake with a cause of its own, `label_included`"
NOT_READ = {
    ("Total: $88.10", "88.10"): A_LABEL,
    ("Date: 10/31/2021", "2021-10-31"): A_LABEL,
    ("#12", "12"): "a number sign marks identifiers as well",
    ("No. 12", "12"): "a number sign marks identifiers as well",
}
"""Rows that are not read, with the reason."""


class ValuePair(NamedTuple):
    locale: str
    match: str
    expected: str
    actual: str
    equal: str


def read_table() -> list[ValuePair]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    return [ValuePair(*row) for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


PAIRS = read_table()


def agrees(pair: ValuePair) -> bool:
    matcher, config = MATCHERS[pair.match]
    return bool(matcher(Pairs([pair.expected], [pair.actual]), config).value[0])


@pytest.mark.parametrize("match", MATCHERS)
def test_every_row_of_the_third_table_is_read_as_labelled_but_for_those_listed(match: str) -> None:
    rows = [pair for pair in PAIRS if pair.match == match]
    wrong = {(pair.expected, pair.actual) for pair in rows if agrees(pair) != (pair.equal == "yes")}
    listed = (ERRORS_OF_THE_TABLE.keys() | NOT_READ.keys()) & {(pair.expected, pair.actual) for pair in rows}
    assert wrong == listed


def test_half_of_the_third_table_are_values_that_differ() -> None:
    answers = Counter(pair.equal for pair in PAIRS)
    assert len(PAIRS) >= 600
    assert answers["no"] >= answers["yes"]
