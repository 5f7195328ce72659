"""The share of the items of an expected list that an answer names: "List all rating plan rules". Both sides may be lists of texts."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from fieldwise.dataclass import dataclass
from fieldwise.kernels.answer_text import ListItem, find_inline_items, find_list_items, find_list_items_v1, find_prose, has_phrase
from fieldwise.kernels.numbers_in_text import list_number_values
from fieldwise.model.batch import Batch
from fieldwise.model.bounds import Ge, Le, MinLen
from fieldwise.model.options import OptionProblem
from fieldwise.model.plan import When
from fieldwise.model.result import Result, Results
from fieldwise.model.values import json_kind
from fieldwise.registry import evaluator
from fieldwise.specs import EvaluatorExample

_MAX_PAIRS: Final = 4_000_000
"""Maximum number of pairs for fuzzy matching; longer lists are matched exactly and flagged."""
_MAX_ITEMS_READ: Final = 50
_MAX_LABEL: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ListCoverage:
    """How items are found and matched."""

    preset: Literal["ef_1"] | None = None
    """ef_1 reports rules_found, total_rules and rules_coverage."""
    items: Literal["v2", "v1"] = "v2"
    """v2: bullets, numbered lines and codes, each item once. v1: `* name` verbatim plus `rule c-1`, as in the first framework."""
    match: Literal["exact", "fuzzy"] = "exact"
    """fuzzy: similar names match too, if their numbers are the same."""
    similarity: Annotated[float, Ge(0), Le(1)] = 0.85
    """Minimum similarity of two names (1 - edit distance / longer), with `match: fuzzy`."""
    code_words: Annotated[tuple[Annotated[str, MinLen(1)], ...], MinLen(1)] = ("rule",)
    """Words before a code: `rule` finds Rule C-1."""

    def problems(self) -> Iterable[OptionProblem]:
        """Options that contradict each other."""
        if self.items == "v1" and self.match == "fuzzy":
            yield "match", "`items: v1` compares names verbatim", "leave out `match`, or `items`"
        if self.items == "v1" and self.code_words != ("rule",):
            yield "code_words", "`items: v1` looks for `rule c-1` only", "leave out `code_words`, or `items`"

    def default_when(self) -> When | None:
        """The question that the preset is named after."""
        return When(id=(self.preset.upper(), self.preset)) if self.preset else None


class _ItemMatches(NamedTuple):
    matched: list[ListItem]
    missing: list[ListItem]
    extra: list[ListItem]
    flags: list[str]


def _metric_names(config: ListCoverage) -> tuple[str, str, str]:
    if config.preset == "ef_1":
        return "rules_found", "total_rules", "rules_coverage"
    return "items_found", "total_items", "coverage"


@evaluator(
    reads="text",
    counts=("items_found", "total_items", "rules_found", "total_rules"),
    version=3,
    metrics=_metric_names,
    examples=[
        EvaluatorExample(
            expected="* Rule C-1: eligibility\n* Rule C-2: premium", actual="The rules are: Rule C-1.", key_order_matters=True
        ),
        EvaluatorExample(perfect="* one\n* two", key_order_matters=True),
    ],
)
def list_coverage(batch: Batch, config: ListCoverage) -> Results:
    """The share of the expected items that the answer names."""
    expected = map(_to_list_text, batch.cases.expected, batch.expected_texts)
    actual = map(_to_list_text, batch.cases.actual, batch.actual_texts)
    return Results.from_results([_score_answer(config, *texts) for texts in zip(expected, actual, strict=True)])


def _to_list_text(value: Any, text: str) -> str:
    """A side as text with items; a list of texts becomes one bullet per line."""
    if json_kind(value) != "list" or not value or not all(isinstance(item, str) for item in value):
        return text
    return "\n".join(f"* {' '.join(item.split())}" for item in value)


def _score_answer(config: ListCoverage, expected: str, actual: str) -> Result:
    expected_items, actual_items = _find_items(expected, config), _find_items(actual, config)
    if config.items != "v1":
        if not expected_items and config.preset is None:
            expected_items = find_inline_items(expected, config.code_words)
        actual_items += _select_inline_items(find_inline_items(actual, config.code_words, least=2), expected_items, actual_items)
    matches = _match_items(expected_items, actual_items, actual, config)
    total, matched = len(expected_items), len(matches.matched)
    coverage = matched / total if total else 0.0
    reasoning = f"{matched}/{total} items found" + (f", {len(matches.extra)} more given" if matches.extra else "")
    details = _item_details(matches, total)
    if total and not matched:
        details["items_read"] = {"expected": _list_labels(expected_items), "actual": _list_labels(actual_items)}
        reasoning += f"; read as items of the answer: {_describe_labels(actual_items)}; expected: {_describe_labels(expected_items)}"
    return Result(
        score=coverage,
        hits=[item.label for item in matches.matched],
        misses=[item.label for item in matches.missing] if total else ["(no items in the expected text)"],
        reasoning=reasoning,
        metrics=dict(zip(_metric_names(config), (float(matched), float(total), coverage), strict=True)),
        details=details,
    )


def _select_inline_items(inline: Sequence[ListItem], expected: Sequence[ListItem], actual: Sequence[ListItem]) -> list[ListItem]:
    """Items within lines: all of them where the answer has no others, else those that name an expected item and are not listed yet."""
    if not actual:
        return list(inline)
    names = {key for item in expected for key in item.keys}.difference(key for item in actual for key in item.keys)
    codes = {code for item in expected for _, code in item.codes}.difference(code for item in actual for _, code in item.codes)
    return [item for item in inline if not names.isdisjoint(item.keys) or not codes.isdisjoint(code for _, code in item.codes)]


def _list_labels(items: Sequence[ListItem]) -> list[str]:
    return [item.label for item in items[:_MAX_ITEMS_READ]]


def _describe_labels(items: Sequence[ListItem]) -> str:
    shown = ", ".join(f"`{item.label[:_MAX_LABEL]}`" for item in items[:3]) or "nothing"
    return shown + (f" and {len(items) - 3} more" if len(items) > 3 else "")


def _item_details(matches: _ItemMatches, total: int) -> dict[str, Any]:
    return {"extra": [item.label for item in matches.extra], "flags": matches.flags + ([] if total else ["no_items_expected"])}


def _find_items(text: str, config: ListCoverage) -> list[ListItem]:
    return find_list_items_v1(text) if config.items == "v1" else find_list_items(text, config.code_words)


def _match_items(expected: Sequence[ListItem], actual: Sequence[ListItem], answer: str, config: ListCoverage) -> _ItemMatches:
    pairs = _match_by_code_or_name(expected, actual)
    flags: list[str] = []
    if config.match == "fuzzy":
        taken = set(pairs.values())
        rows = [row for row, item in enumerate(expected) if row not in pairs and item.keys]
        columns = [column for column, item in enumerate(actual) if column not in taken and item.keys]
        if len(rows) * len(columns) > _MAX_PAIRS:
            flags.append("fuzzy_too_long")
        elif rows and columns:
            similar = _match_by_similarity([expected[row] for row in rows], [actual[column] for column in columns], config)
            pairs |= {rows[row]: columns[column] for row, column in similar}
    unpaired = [row for row in range(len(expected)) if row not in pairs]
    prose = find_prose(answer) if unpaired and config.items != "v1" else ""
    in_prose = {row for row in unpaired if any(has_phrase(prose, key) for key in expected[row].keys)}
    matched_actual = set(pairs.values())
    return _ItemMatches(
        [item for row, item in enumerate(expected) if row in pairs or row in in_prose],
        [item for row, item in enumerate(expected) if row not in pairs and row not in in_prose],
        [item for column, item in enumerate(actual) if column not in matched_actual],
        flags,
    )


def _match_by_code_or_name(expected: Sequence[ListItem], actual: Sequence[ListItem]) -> dict[int, int]:
    """Pairs of items with a code or a name in common, each used once. Codes decide where both sides have one."""
    columns_by_code: dict[str, list[int]] = {}
    columns_by_name: dict[str, list[int]] = {}
    for column, item in enumerate(actual):
        for _, code in item.codes:
            columns_by_code.setdefault(code, []).append(column)
        for key in item.keys:
            columns_by_name.setdefault(key, []).append(column)
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for by_code in (True, False):  # all codes first, so that no name takes an item that a later code needs
        for row, item in enumerate(expected):
            if row in pairs:
                continue
            if by_code:
                candidates = [
                    column for _, code in item.codes for column in columns_by_code.get(code, ()) if item.has_code_of(actual[column])
                ]
            else:
                named = [column for key in item.keys for column in columns_by_name.get(key, ())]
                candidates = [column for column in named if not (item.codes and actual[column].codes)]
            free = next((column for column in candidates if column not in taken), None)
            if free is not None:
                pairs[row] = free
                taken.add(free)
    return pairs


def _match_by_similarity(expected: Sequence[ListItem], actual: Sequence[ListItem], config: ListCoverage) -> list[tuple[int, int]]:
    """Pairs of similar items, each used once, with the maximum total similarity."""
    from scipy.optimize import linear_sum_assignment

    similarity = np.zeros((len(expected), len(actual)))
    for form in (0, -1):  # the whole text, then the name
        texts = [item.keys[form] for item in expected], [item.keys[form] for item in actual]
        similarity = np.maximum(
            similarity, process.cdist(*texts, scorer=Levenshtein.normalized_similarity, score_cutoff=config.similarity, dtype=np.float64)
        )
    actual_numbers = [sorted(list_number_values(item.keys[0])) for item in actual]
    for row, item in enumerate(expected):
        expected_numbers = sorted(list_number_values(item.keys[0]))
        differing = [
            column
            for column, numbers in enumerate(actual_numbers)
            if numbers != expected_numbers or (item.codes and actual[column].codes)  # codes decide where both have one
        ]
        similarity[row, differing] = 0.0  # Territory 117 is not 118
    rows, columns = linear_sum_assignment(similarity, maximize=True)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True) if similarity[row, column] > 0]
