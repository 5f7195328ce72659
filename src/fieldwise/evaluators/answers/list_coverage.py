"""How many items of the expected list an answer names: "List all rating plan rules". A side that is a list of texts is its items."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Le, MinLen
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from fieldwise.kernels.listed_items import ListItem, find_list_items, find_list_items_v1
from fieldwise.kernels.numbers_in_text import list_number_values
from fieldwise.model.batch import Batch
from fieldwise.model.options import OptionProblem
from fieldwise.model.plan import When
from fieldwise.model.result import Result, Results
from fieldwise.model.values import json_kind
from fieldwise.registry import evaluator

_LARGEST: Final = 4_000_000
"""So many pairs of items are compared for likeness at most; a longer list is compared exactly, and a flag says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListCoverage:
    """How items are found and matched."""

    preset: Literal["ef_1"] | None = None
    """ef_1 reports rules_found, total_rules and rules_coverage."""
    items: Literal["v2", "v1"] = "v2"
    """v2: bullets, numbered lines and codes, each item once. v1: `* name` verbatim plus `rule c-1`, as the first framework counted."""
    match: Literal["exact", "fuzzy"] = "exact"
    """fuzzy: names that are alike match too, if their numbers are the same."""
    similarity: Annotated[float, Ge(0), Le(1)] = 0.85
    """How alike two names must be (1 - edit distance / longer), with `match: fuzzy`."""
    code_words: Annotated[tuple[Annotated[str, MinLen(1)], ...], MinLen(1)] = ("rule",)
    """What stands before a code: `rule` finds Rule C-1."""

    def problems(self) -> Iterable[OptionProblem]:
        """Options that contradict each other."""
        if self.items == "v1" and self.match == "fuzzy":
            yield "match", "`items: v1` compares names verbatim", "leave out `match`, or `items`"
        if self.items == "v1" and self.code_words != ("rule",):
            yield "code_words", "`items: v1` looks for `rule c-1` only", "leave out `code_words`, or `items`"

    def default_when(self) -> When | None:
        """A preset is for the question it is named after."""
        return When(id=(self.preset.upper(), self.preset)) if self.preset else None


class _Matched(NamedTuple):
    found: list[ListItem]
    lost: list[ListItem]
    extra: list[ListItem]
    flags: list[str]


@evaluator(reads="text", counts=("items_found", "total_items", "rules_found", "total_rules"), version=2)
def list_coverage(batch: Batch, config: ListCoverage) -> Results:
    """Score each answer by the share of expected items that it names."""
    expected = map(_listed, batch.cases.expected, batch.expected_texts)
    actual = map(_listed, batch.cases.actual, batch.actual_texts)
    return Results.from_results([_result(config, *texts) for texts in zip(expected, actual, strict=True)])


def _listed(value: Any, text: str) -> str:
    """A side as text to look for items in; a list of texts has one on each line."""
    if json_kind(value) != "list" or not value or not all(isinstance(item, str) for item in value):
        return text
    return "\n".join(f"* {' '.join(item.split())}" for item in value)


def _result(config: ListCoverage, expected: str, actual: str) -> Result:
    wanted, given = _items(expected, config), _items(actual, config)
    matched = _matched(wanted, given, config)
    total, found = len(wanted), len(matched.found)
    coverage = found / total if total else 0.0
    names = ("rules_found", "total_rules", "rules_coverage") if config.preset == "ef_1" else ("items_found", "total_items", "coverage")
    return Result(
        score=coverage,
        hits=[item.label for item in matched.found],
        misses=[item.label for item in matched.lost] if total else ["(no items in the expected text)"],
        reasoning=f"{found}/{total} items found" + (f", {len(matched.extra)} more given" if matched.extra else ""),
        metrics=dict(zip(names, (float(found), float(total), coverage), strict=True)),
        details=_details(matched, total),
    )


def _details(matched: _Matched, total: int) -> dict[str, Any]:
    return {"extra": [item.label for item in matched.extra], "flags": matched.flags + ([] if total else ["no_items_expected"])}


def _items(text: str, config: ListCoverage) -> list[ListItem]:
    return find_list_items_v1(text) if config.items == "v1" else find_list_items(text, config.code_words)


def _matched(wanted: Sequence[ListItem], given: Sequence[ListItem], config: ListCoverage) -> _Matched:
    owner = {key: at for at, item in reversed(list(enumerate(given))) for key in item.keys}
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for at, item in enumerate(wanted):
        partner = next((owner[key] for key in item.keys if key in owner and owner[key] not in taken), None)
        if partner is not None:
            pairs[at] = partner
            taken.add(partner)
    flags: list[str] = []
    if config.match == "fuzzy":
        rows = [at for at, item in enumerate(wanted) if at not in pairs and not item.coded]
        columns = [at for at, item in enumerate(given) if at not in taken and not item.coded]
        if len(rows) * len(columns) > _LARGEST:
            flags.append("fuzzy_too_long")
        elif rows and columns:
            pairs |= {
                rows[row]: columns[column] for row, column in _alike([wanted[at] for at in rows], [given[at] for at in columns], config)
            }
    others = set(pairs.values())
    return _Matched(
        [item for at, item in enumerate(wanted) if at in pairs],
        [item for at, item in enumerate(wanted) if at not in pairs],
        [item for at, item in enumerate(given) if at not in others],
        flags,
    )


def _alike(wanted: Sequence[ListItem], given: Sequence[ListItem], config: ListCoverage) -> list[tuple[int, int]]:
    """Pairs of items that are alike, each used once, so that their likeness adds up to the most."""
    from scipy.optimize import linear_sum_assignment

    likeness = np.zeros((len(wanted), len(given)))
    for form in (0, -1):  # the whole text, then the name
        texts = [item.keys[form] for item in wanted], [item.keys[form] for item in given]
        likeness = np.maximum(
            likeness, process.cdist(*texts, scorer=Levenshtein.normalized_similarity, score_cutoff=config.similarity, dtype=np.float64)
        )
    numbers = [sorted(list_number_values(item.label)) for item in wanted], [sorted(list_number_values(item.label)) for item in given]
    for row, mine in enumerate(numbers[0]):
        likeness[row, [column for column, theirs in enumerate(numbers[1]) if mine != theirs]] = 0.0  # Territory 117 is not 118
    rows, columns = linear_sum_assignment(likeness, maximize=True)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True) if likeness[row, column] > 0]
