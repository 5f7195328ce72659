"""Tables of pairs of values that were labelled by hand, one row per line of `tests/matchers/data`."""

import csv
import json
from pathlib import Path
from typing import Any, NamedTuple

import fieldwise as fw
from fieldwise.model.pairs import Pairs
from fieldwise.registry import MATCHERS

_FOLDER = Path(__file__).parents[1] / "matchers" / "data"
_OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "number": ("numeric_tolerance", {"parse": True}),
    "code:iban": ("code", {"scheme": "iban"}),
    "code:isbn": ("code", {"scheme": "isbn"}),
    "code:vat": ("code", {"scheme": "vat"}),
    "code:phone": ("code", {"scheme": "phone"}),
}
"""Match and options of the names in tables without options; another name is that of a match."""


class LabelledPair(NamedTuple):
    """Two texts, whether they are equal, and the locale that writes them so."""

    locale: str
    match: str
    expected: str
    actual: str
    equal: str


class LabelledFact(NamedTuple):
    """Two values, whether they pass, and the options as JSON."""

    match: str
    options: str
    expected: str
    actual: str
    passes: str


def read_rows(name: str) -> list[list[str]]:
    """The rows of a table; lines that start with `# ` are comments."""
    with (_FOLDER / name).open(encoding="utf-8", newline="") as file:
        lines = [line for line in file if line.strip() and not line.startswith("# ")]
    return list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def is_pair_as_labelled(pair: LabelledPair) -> bool:
    """Compare two texts by the matcher alone, without evidence from their columns."""
    name, options = _OPTIONS.get(pair.match, (pair.match, {}))
    matcher = MATCHERS.find(name)
    scores = matcher.function(Pairs([pair.expected], [pair.actual]), matcher.options(**options))
    return bool(scores.value[0]) == (pair.equal == "yes")


def is_fact_as_labelled(fact: LabelledFact) -> bool:
    options = json.loads(fact.options) if fact.options else {}
    scores = fw.match(fact.match, expected=[read_value(fact.expected)], actual=[read_value(fact.actual)], **options)
    return bool(scores.passed[0]) == (fact.passes == "yes")


def read_value(text: str) -> Any:
    """The JSON after `=`; any other text is the value itself."""
    return json.loads(text[1:]) if text.startswith("=") else text
