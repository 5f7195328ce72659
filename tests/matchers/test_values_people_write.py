"""Values as people write them, half of them against a value that differs and must not pass.

`values_people_write.tsv` was labelled and committed before it was first read and is never edited. At first 564 of its 608 rows agreed
(93 %), and 1 of the 312 pairs of different values passed. What is wrong with the table and what is not read is listed here.
"""

from collections import Counter

import pytest
from labelled_values import LabelledPair, is_pair_as_labelled, read_rows

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


PAIRS = [LabelledPair(*row) for row in read_rows("values_people_write.tsv")]


@pytest.mark.parametrize("match", sorted({pair.match for pair in PAIRS}))
def test_every_row_of_the_third_table_is_read_as_labelled_but_for_those_listed(match: str) -> None:
    rows = [pair for pair in PAIRS if pair.match == match]
    wrong = {(pair.expected, pair.actual) for pair in rows if not is_pair_as_labelled(pair)}
    listed = (ERRORS_OF_THE_TABLE.keys() | NOT_READ.keys()) & {(pair.expected, pair.actual) for pair in rows}
    assert wrong == listed


def test_half_of_the_third_table_are_values_that_differ() -> None:
    answers = Counter(pair.equal for pair in PAIRS)
    assert len(PAIRS) >= 600
    assert answers["no"] >= answers["yes"]
