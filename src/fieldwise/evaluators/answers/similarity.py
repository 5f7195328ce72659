"""How alike an output is to a text, by any match: in meaning, in spelling, by its words.

>>> import fieldwise as fw
>>> result = fw.evaluate({"type": "similarity", "match": "fuzzy"}, expected="Acme Corporation", actual="ACME Corporatoin")
>>> result.score, result.verdict
(0.875, 'pass')
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from fieldwise.evaluators.checks._checks import Wanted, blank_texts, expected_texts, quoted, texts_of
from fieldwise.model.batch import Batch
from fieldwise.model.comparison import Comparisons
from fieldwise.model.faults import fault, unavailable
from fieldwise.model.options import Problem
from fieldwise.model.path import Path
from fieldwise.model.result import Result, Results
from fieldwise.model.rule import CompareSpec, FieldRule, Match
from fieldwise.registry import evaluator

_TEXT: Final = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity:
    """What the output must be like."""

    match: Match = field(default_factory=lambda: Match("semantic"))
    """How texts are compared, and what is enough: `semantic` if left out, `fuzzy`, or a mapping such as
    `{match: fuzzy, algorithm: token_set, threshold: 0.9}`."""
    value: Wanted | None = None
    """A text, or a list of texts of which the most alike counts. Left out: what the case expects."""
    negate: bool = False
    """The output must be like none of them; the score is then 1 or 0."""

    def problems(self) -> Iterable[Problem]:
        """Blank texts."""
        return blank_texts(self.value)


@evaluator(reads="case", needs_expected=False, version=1)
def similarity(batch: Batch, config: Similarity) -> Results:
    """The likeness of the output to the text most like it; it passes where the match says that this is enough."""
    wanted = [texts_of(config.value) if config.value is not None else expected_texts(batch, row) for row in range(len(batch))]
    rows = [row for row, texts in enumerate(wanted) for _ in texts]
    texts = [text for each in wanted for text in each]
    rule = FieldRule(path=Path((_TEXT,)), text=_TEXT, match=config.match)
    found = batch.compare_records(
        CompareSpec(rules=(rule,)), [{_TEXT: text} for text in texts], [{_TEXT: batch.actual_texts[row]} for row in rows]
    )
    starts = np.cumsum([0, *map(len, wanted)]).tolist()
    return Results.from_results([_result(found, range(starts[row], starts[row + 1]), config) for row in range(len(batch))])


def _result(found: Comparisons, pairs: range, config: Similarity) -> Result:
    at = [int(index) for pair in pairs for index in found.rows_of(pair)]
    if not at:
        return Result(status="skipped", reasoning="`similarity` has no `value`, and the case expects no text")
    faults = [found.faults[index] for index in at if index in found.faults]
    if faults:
        return unavailable(faults[0].what, faults[0].fix) if faults[0].code == "unavailable" else fault(faults[0].what)
    best = max(at, key=lambda index: (bool(found.passed[index]), float(np.nan_to_num(found.similarity[index]))))
    likeness = float(np.nan_to_num(found.similarity[best]))
    good = bool(found.passed[best]) != config.negate
    why = f"{likeness:.2f} like {quoted(str(found.expected[best]))}" + (f"; {found.note[best]}" if best in found.note else "")
    label = f"{'not ' if config.negate else ''}similarity ({why})"
    return Result(
        score=float(good) if config.negate else likeness,
        hits=[label] if good else [],
        misses=[] if good else [label],
        reasoning=f"by {config.match.name}: {why}",
        metrics={"likeness": likeness, "alike": bool(found.passed[best])},
    )
