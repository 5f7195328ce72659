"""Replace the values of a suite's `redact` in a scored batch, before anything is stored or shown. Scores are not touched.

Values at the paths are replaced in both records, in comparisons and in details. The same texts are replaced wherever else the case has
them: input, contexts, metadata, misses, reasoning, notes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from fieldwise.dataclass import dataclass
from fieldwise.model.batch import BatchOutcome, EvaluatorOutcome
from fieldwise.model.case import Cases
from fieldwise.model.comparison import ComparisonTable, UnreadValues
from fieldwise.model.path import ROOT, MalformedPath, Path, Step
from fieldwise.model.redaction import Redaction
from fieldwise.model.result import Details, Labels, Results
from fieldwise.model.services import NO_SERVICES
from fieldwise.model.values import MISSING, Value
from fieldwise.score.batch import ScoringBatch

_MIN_TEXT: Final = 4
"""Shorter values are replaced at their paths only: elsewhere they would hit unrelated text."""
_SIDES: Final = ("expected", "actual", "value", "extracted")


def redact_outcome(redaction: Redaction | None, outcome: BatchOutcome) -> BatchOutcome:
    """The outcome without the redacted values."""
    if redaction is None or not len(outcome.cases):
        return outcome
    scrubbers = [_Scrubber(redaction, texts) for texts in _collect_texts(redaction, outcome)]
    everything = _Scrubber(redaction, set[str]().union(*(scrubber.texts for scrubber in scrubbers)))
    evaluated: list[EvaluatorOutcome] = []
    # Keyed by id: evaluators may share one ComparisonTable, which is then stored once; `outcome` keeps all of them alive here.
    comparisons: dict[tuple[int, bytes], ComparisonTable] = {}
    for entry in outcome.evaluated:
        redacted = _redact_evaluated(redaction, entry, scrubbers, everything)
        for table in ("comparisons", "member_comparisons"):
            shared: ComparisonTable | None = getattr(entry.results, table)
            if shared is None:
                continue
            key = (id(shared), entry.rows.tobytes())
            if key not in comparisons:
                comparisons[key] = _redact_comparisons(redaction, shared, [scrubbers[int(row)] for row in entry.rows])
            changed: dict[str, Any] = {table: comparisons[key]}
            redacted = replace(redacted, results=replace(redacted.results, **changed))
        evaluated.append(redacted)
    return replace(outcome, cases=_redact_cases(redaction, outcome.cases, scrubbers), evaluated=evaluated)


class _Scrubber:
    """Replaces the redacted texts of a case wherever they occur."""

    def __init__(self, redaction: Redaction, texts: set[str]) -> None:
        self.texts = texts
        self._redaction = redaction
        longest_first = sorted(texts, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if texts else None

    def scrub(self, value: Any) -> Any:
        """A copy of a JSON value without the texts."""
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self._pattern.sub(lambda match: str(self._redaction.hash_value(match[0])), value)
        if isinstance(value, Mapping):
            return {self.scrub(key): self.scrub(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.scrub(item) for item in value]
        if isinstance(value, int | float) and not isinstance(value, bool) and str(value) in self.texts:
            return self._redaction.hash_value(value)
        return value


def _collect_texts(redaction: Redaction, outcome: BatchOutcome) -> list[set[str]]:
    """For each case, the texts at the paths on either side."""
    cases = outcome.cases
    records = ScoringBatch(cases, NO_SERVICES).records
    trials = [[] if actuals is None else list(actuals) for actuals in cases.actuals]
    collected: list[set[str]] = []
    for row in range(len(cases)):
        texts: set[str] = set()
        for record in (records.expected[row], records.actual[row], *trials[row]):
            for path in redaction.paths:
                _collect_leaves(record, path.steps, texts)
        collected.append(texts)
    return collected


def _collect_leaves(value: Any, steps: tuple[Step, ...], texts: set[str]) -> None:
    if isinstance(value, list):
        for item in value:
            _collect_leaves(item, steps[1:], texts)
    elif isinstance(value, dict):
        for key, item in value.items():
            if not steps or key == str(steps[0]):
                _collect_leaves(item, steps[1:], texts)
    elif not steps and value is not None and not isinstance(value, bool) and len(str(value)) >= _MIN_TEXT:
        texts.add(str(value))


def _redact_cases(redaction: Redaction, cases: Cases, scrubbers: Sequence[_Scrubber]) -> Cases:
    records = ScoringBatch(cases, NO_SERVICES).records

    def redact_side(side: Sequence[Value], parsed: Sequence[Value]) -> list[Value]:
        return [_redact_side(redaction, scrubbers[row], value, parsed[row]) for row, value in enumerate(side)]

    def scrub(column: Sequence[Any]) -> list[Any]:
        return [None if value is None else scrubbers[row].scrub(value) for row, value in enumerate(column)]

    trials = [None if actuals is None else [redaction.redact_record(actual) for actual in actuals] for actuals in cases.actuals]
    diagnostics = {
        row: [replace(diagnostic, what=scrubbers[row].scrub(diagnostic.what)) for diagnostic in entries]
        for row, entries in cases.diagnostics.items()
    }
    return replace(
        cases,
        expected=redact_side(cases.expected, records.expected),
        actual=redact_side(cases.actual, records.actual),
        actuals=scrub(trials),
        input=scrub(cases.input),
        contexts=scrub(cases.contexts),
        metadata=scrub(cases.metadata),
        diagnostics=diagnostics,
    )


def _redact_side(redaction: Redaction, scrubber: _Scrubber, value: Value, parsed: Value) -> Value:
    """A side without the values. Of text, the record found in it is kept; text without a record is replaced as a whole."""
    if value is MISSING or value is None:
        return value
    if isinstance(value, str):
        return redaction.hash_value(value) if parsed is MISSING else scrubber.scrub(redaction.redact_record(parsed))
    return scrubber.scrub(redaction.redact_record(value))


def _redact_evaluated(
    redaction: Redaction, entry: EvaluatorOutcome, scrubbers: Sequence[_Scrubber], everything: _Scrubber
) -> EvaluatorOutcome:
    results = entry.results
    own = [scrubbers[int(row)] for row in entry.rows]
    changes: dict[str, Any] = {
        "hits": _scrub_labels(results.hits, everything),
        "misses": _scrub_labels(results.misses, everything),
        "reasoning": [own[row].scrub(text) for row, text in enumerate(results.reasoning)],
        "details": _RedactedDetails(redaction, results.details, own),
    }
    redacted: Results = replace(results, **changes)
    return replace(entry, results=redacted)


def _scrub_labels(labels: Labels, scrubber: _Scrubber) -> Labels:
    return replace(labels, texts=[scrubber.scrub(text) for text in labels.texts])


@dataclass(frozen=True, slots=True)
class _RedactedDetails:
    """Details of a case without the values."""

    redaction: Redaction
    details: Details
    scrubbers: Sequence[_Scrubber]

    def __call__(self, row: int, /) -> Mapping[str, Any]:
        return self.scrubbers[row].scrub(self._redact_entries(self.details(row)))

    def _redact_entries(self, value: Any) -> Any:
        """Replace the sides of entries that name a redacted path, such as `{path, expected, actual}`.

        All arguments of tool calls are replaced: records write them below several keys, so their path may not be that in the record.
        """
        if isinstance(value, list | tuple):
            return [self._redact_entries(item) for item in value]
        if not isinstance(value, Mapping):
            return value
        steps = _parse_steps(str(value["path"])) if isinstance(value.get("path"), str) else None
        if "argument" in value:
            value = {**value, **{side: self.redaction.hash_value(value[side]) for side in _SIDES if side in value}}
        elif steps is not None:
            sides = {side: self.redaction.redact_record(value[side], steps) for side in _SIDES if side in value}
            value = {**value, **sides}
        return {key: self._redact_entries(item) for key, item in value.items()}


def _redact_comparisons(redaction: Redaction, comparisons: ComparisonTable, scrubbers: Sequence[_Scrubber]) -> ComparisonTable:
    steps_of = [_parse_steps(path) for path in comparisons.paths]
    expected, actual, notes = list(comparisons.expected), list(comparisons.actual), dict(comparisons.note)
    for row, (path, case) in enumerate(zip(comparisons.path.tolist(), comparisons.case.tolist(), strict=True)):
        steps = steps_of[path]
        for side in (expected, actual):
            if side[row] is not MISSING:
                value = redaction.hash_value(side[row]) if steps is None else redaction.redact_record(side[row], steps)
                side[row] = scrubbers[case].scrub(value)
        if row in notes:
            if steps is None or redaction.covers(steps):
                del notes[row]  # a note may quote the value in part
            else:
                notes[row] = scrubbers[case].scrub(notes[row])
    unread = {field: _redact_examples(redaction, comparisons.fields[field], counts) for field, counts in comparisons.unread.items()}
    return replace(comparisons, expected=expected, actual=actual, note=notes, unread=unread)


def _redact_examples(redaction: Redaction, field: str, counts: UnreadValues) -> UnreadValues:
    """The expected values that a match could not read, without the redacted ones."""
    own_field = field.rpartition(": ")[2]  # without the names of members of composites; a key may have `: ` itself
    examples: tuple[Any, ...] = counts.examples
    for name in dict.fromkeys((own_field, field)):
        steps = _parse_steps(name)
        redacted = tuple(redaction.hash_value(value) if steps is None else redaction.redact_record(value, steps) for value in examples)
        if redacted != examples:
            return replace(counts, examples=redacted)
    return counts


def _parse_steps(path: str) -> tuple[Step, ...] | None:
    """The steps of a concrete path, `line_items[+2].amount` among them; None if it is malformed."""
    try:
        return () if path == ROOT else Path.parse(path.replace("[+", "[")).steps
    except MalformedPath:
        return None
