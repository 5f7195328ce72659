"""Similarity of the output to a text, by any match: semantic, fuzzy, by words.

>>> import fieldwise as fw
>>> result = fw.evaluate({"type": "similarity", "match": "fuzzy"}, expected="Acme Corporation", actual="ACME Corporatoin")
>>> result.score, result.verdict
(0.875, 'pass')
"""

from collections.abc import Iterable
from dataclasses import field
from typing import Final

import numpy as np

from fieldwise.dataclass import dataclass
from fieldwise.evaluators.checks.text_checks import CheckTexts, blank_text_problems, expected_check_texts, quote, unique_texts
from fieldwise.model.batch import Batch
from fieldwise.model.comparison import ComparisonTable
from fieldwise.model.options import OptionProblem
from fieldwise.model.path import Path
from fieldwise.model.result import Result, Results, fault_result, unavailable_result
from fieldwise.model.rule import CompareSpec, FieldRule, Match
from fieldwise.model.values import Value
from fieldwise.registry import evaluator
from fieldwise.specs import EvaluatorExample

_FIELD: Final = "text"
"""Name of the single field of the records that hold the texts to compare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity:
    """The texts and the match."""

    match: Match = field(default_factory=lambda: Match("semantic"))
    """The match and its options: `semantic` (the default), `fuzzy`, or a mapping such as
    `{match: fuzzy, algorithm: token_set, threshold: 0.9}`."""
    value: CheckTexts | None = None
    """A text, or a list of texts of which the most similar counts; default: the expected value of the case."""
    negate: bool = False
    """The output must match none of them; the score is then 1 or 0."""

    def problems(self) -> Iterable[OptionProblem]:
        """Blank texts."""
        return blank_text_problems(self.value)


@evaluator(
    reads="case",
    needs_expected=False,
    version=1,
    metrics=("likeness", "alike"),
    examples=[
        EvaluatorExample(
            options={"match": {"match": "fuzzy", "threshold": 0.9}},
            expected="Acme Corporation",
            actual="ACME Corporatoin",
            key_order_matters=True,
        ),
        EvaluatorExample(options={"match": "fuzzy"}, perfect="ax", key_order_matters=True),
        EvaluatorExample(
            options={"match": {"match": "fuzzy", "algorithm": "token_set"}, "value": ["xx", "a é"], "negate": True},
            perfect="x",
            key_order_matters=True,
        ),
    ],
)
def similarity(batch: Batch, config: Similarity) -> Results:
    """The similarity of the output to the most similar text; the threshold of the match decides whether it passes."""
    texts_by_row = [_texts_of_case(batch, row, config) for row in range(len(batch))]
    expected: list[Value] = []
    actual: list[Value] = []
    for row, texts in enumerate(texts_by_row):
        expected += [{_FIELD: text} for text in texts]
        actual += [{_FIELD: batch.actual_texts[row]}] * len(texts)
    rule = FieldRule(path=Path((_FIELD,)), text=_FIELD, match=config.match)
    comparisons = batch.compare_records(CompareSpec(rules=(rule,)), expected, actual)
    starts = np.cumsum([0, *map(len, texts_by_row)]).tolist()
    return Results.from_results([_score_best_match(comparisons, range(starts[row], starts[row + 1]), config) for row in range(len(batch))])


def _texts_of_case(batch: Batch, row: int, config: Similarity) -> list[str]:
    return unique_texts(config.value) if config.value is not None else expected_check_texts(batch, row)


def _score_best_match(comparisons: ComparisonTable, pairs: range, config: Similarity) -> Result:
    """The result of one case, whose pairs of texts are `pairs`."""
    rows = [int(row) for pair in pairs for row in comparisons.rows_of(pair)]
    if not rows:
        return Result(status="skipped", reasoning="`similarity` has no `value`, and the case expects no text")
    faults = [comparisons.faults[row] for row in rows if row in comparisons.faults]
    if faults:
        return unavailable_result(faults[0].what, faults[0].fix) if faults[0].code == "unavailable" else fault_result(faults[0].what)
    best = max(rows, key=lambda row: (bool(comparisons.passed[row]), float(np.nan_to_num(comparisons.similarity[row]))))
    similarity = float(np.nan_to_num(comparisons.similarity[best]))
    matched = bool(comparisons.passed[best])
    passed = matched != config.negate
    reason = f"{similarity:.2f} like {quote(str(comparisons.expected[best]))}"
    if best in comparisons.note:
        reason += f"; {comparisons.note[best]}"
    label = f"{'not ' if config.negate else ''}similarity ({reason})"
    return Result(
        score=float(passed) if config.negate else similarity,
        hits=[label] if passed else [],
        misses=[] if passed else [label],
        reasoning=f"by {config.match.name}: {reason}",
        metrics={"likeness": similarity, "alike": matched},
    )
