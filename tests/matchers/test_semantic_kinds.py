"""Pairs of texts by kind (opposites, negations, swapped roles, numbers, units, dates, terms, addresses, short forms, paraphrases).

`semantic_kinds.tsv` was labelled and committed before it was first compared and is never edited. At first 9 of its 131 pairs of another
meaning passed, and 3 of its 53 pairs of the same meaning failed. `semantic_kinds_again.tsv` was written after that was mended: 22 of its 70
pairs of another meaning passed at first, all of them single terms that a closed vocabulary tells apart (kin, seasons, materials, parties).
Of `semantic_kinds_third.tsv`, 29 of 56 pairs of another meaning passed at first, and 2 of 19 of the same meaning failed.
`semantic_kinds_symbols.tsv` holds the pairs of an outside examination (symbols, signs, units and limits inside a text) and pairs like them;
the guards were mended with these in view. So they were with `semantic_kinds_fourth.tsv`: terms, possessives, plurals and units out of 684
pairs, of which 97 of 598 with another meaning passed at first and 10 of 86 with the same meaning failed.

`semantic_near_misses.tsv` is for measurement: terms and sentences of documents, of which some are judged otherwise than labelled. Its
first two parts were written before phrases were compared; `held out` was only measured. `phrases` was written during that work, `fresh`
after it.
"""

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import fieldwise as fw

DATA = Path(__file__).with_name("data")
NOT_TOLD_APART = {
    ("10 rue de la Paix", "10, r. de la Paix"): "`r.` is too short for a street",
    ("Software engineer", "Software developer"): "one word differs",
    ("dry clean only", "machine washable"): "no word of either excludes the other",
    ("Grade 10", "Grade X"): "X may be ten",
    ("British", "English"): "both are people of the United Kingdom",
    ("apartment", "flat"): "the model does not take them for synonyms",
    ("loan", "mortgage"): "a mortgage is a loan",
    ("more", "less"): "words of many phrases",
}
"""Pairs that are judged otherwise than labelled, with the reason."""


class LabelledTexts(NamedTuple):
    kind: str
    expected: str
    actual: str
    same: str


def read_pairs(name: str) -> list[LabelledTexts]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    return [LabelledTexts(*row) for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


@pytest.mark.parametrize(
    "name",
    [
        "semantic_kinds.tsv",
        "semantic_kinds_again.tsv",
        "semantic_kinds_third.tsv",
        "semantic_kinds_symbols.tsv",
        "semantic_kinds_fourth.tsv",
    ],
)
def test_every_pair_is_judged_as_labelled_but_for_those_listed(name: str) -> None:
    pairs = read_pairs(name)
    scores = fw.match("semantic", expected=[pair.expected for pair in pairs], actual=[pair.actual for pair in pairs])
    judged = zip(pairs, scores.value >= 0.8, strict=True)
    wrong = {(pair.expected, pair.actual) for pair, passed in judged if passed != (pair.same == "yes")}
    assert wrong == NOT_TOLD_APART.keys() & {(pair.expected, pair.actual) for pair in pairs}


@pytest.mark.parametrize(
    ("part", "accepted", "rejected"),
    [("development", 0.11, 0.24), ("held out", 0.07, 0.25), ("phrases", 0.12, 0.12), ("fresh", 0.02, 0.23)],
)
def test_of_the_near_misses_no_more_are_judged_wrongly_than_the_docs_say(part: str, accepted: float, rejected: float) -> None:
    pairs = [pair for pair in read_pairs("semantic_near_misses.tsv") if pair.kind == part]
    same = np.array([pair.same == "yes" for pair in pairs])
    passed = fw.match("semantic", expected=[pair.expected for pair in pairs], actual=[pair.actual for pair in pairs]).passed
    assert np.mean(passed[~same]) <= accepted
    assert np.mean(~passed[same]) <= rejected
