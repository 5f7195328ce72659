"""Precision, recall and F1 over the fields of a record, with the kind of every error.

>>> import fieldwise as fw
>>> result = fw.evaluate({"type": "field_prf"}, expected={"a": 1, "b": 2}, actual={"a": 1, "b": 3, "c": 4})
>>> {name: round(result.metrics[name], 3) for name in ("precision", "recall", "f1", "wrong_value", "hallucination")}
{'precision': 0.333, 'recall': 0.5, 'f1': 0.4, 'wrong_value': 1, 'hallucination': 1}
"""

import re
from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Literal
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from fieldwise.evaluators.records._fields import faults_of, field_status, hit_labels, lists_without_items, miss_labels, reasoning
from fieldwise.kernels.plain_json import plain_texts
from fieldwise.model.batch import Batch
from fieldwise.model.comparison import Comparisons, Outcome
from fieldwise.model.options import Problem
from fieldwise.model.path import MalformedPath, Path
from fieldwise.model.result import Labels, Results, Status
from fieldwise.model.rule import CompareSpec, FieldRule, ListRule
from fieldwise.model.values import MISSING
from fieldwise.registry import evaluator

Numbers = NDArray[np.float64]
ERRORS = (Outcome.OMISSION, Outcome.HALLUCINATION, Outcome.FORMAT_ERROR, Outcome.WRONG_VALUE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldPrf:
    """Every leaf of either side is a field; these options say how some of them are compared."""

    fields: tuple[FieldRule, ...] = ()
    """How some fields match; the others match exactly. Every field counts once, whatever its `weight` and `required` say elsewhere."""
    lists: tuple[ListRule, ...] = ()
    """How items of lists find their counterparts; by index where nothing is said."""
    ignore: tuple[str, ...] = ()
    """Paths left out on both sides, with all that is below them. `*` stands for anything within a step, `**` for any steps."""
    substitution_counts: Literal["fp_fn", "fp"] = "fp_fn"
    """What a wrong value or a wrong kind counts as: a false positive and a false negative, or a false positive alone."""

    def problems(self) -> Iterable[Problem]:
        """Patterns that are no paths, and lists whose items no field looks at."""
        yield from lists_without_items(self.fields, self.lists, open=True)
        for text in self.ignore:
            try:
                Path.parse(text)
            except MalformedPath as error:
                yield "ignore", str(error), error.fix

    def unknown(self, fields: Collection[str]) -> Iterable[Problem]:
        """Patterns that no field of the run fits."""
        for text in self.ignore:
            pattern = re.compile(_pattern(re.sub(r"\[-?[0-9]+\]|\.[0-9]+(?=[.\[]|$)", "[*]", text)))
            if not any(map(pattern.fullmatch, fields)):
                yield "ignore", f"`ignore` names `{text}`, and no case of the run has such a field", "check how it is written"


@lru_cache(maxsize=64)
def _spec(fields: tuple[FieldRule, ...], lists: tuple[ListRule, ...]) -> CompareSpec:
    return CompareSpec(rules=fields, lists=lists, open="leaves")


COUNTS = (
    "true_positives",
    "false_positives",
    "false_negatives",
    "false_negatives_fp",
    "false_negatives_fp_fn",
    "total_gt_fields",
    "correct_fields",
    *(outcome.label for outcome in ERRORS),
)


@evaluator(counts=COUNTS)
def field_prf(batch: Batch, config: FieldPrf) -> Results:
    """F1 over fields, with precision, recall and the count of each kind of error."""
    comparisons = batch.compare(_spec(config.fields, config.lists))
    counted = counted_rows(comparisons, config.ignore)
    unreadable = np.array([rule.path is None for rule in comparisons.rules], dtype=np.bool_)[comparisons.field]
    counted &= ~unreadable  # a path that cannot be read is a miss of the suite, and no field of the record
    counts = {outcome: _count(comparisons, counted & (comparisons.outcome == outcome)) for outcome in (Outcome.MATCH, *ERRORS)}
    metrics, flags = prf_metrics(counts, config.substitution_counts)
    status, reasons = field_status(comparisons, np.ones(len(batch)))
    score = np.where(status == Status.SCORED, metrics["f1"], 0.0)
    return Results(
        score=score,
        status=status,
        hits=hit_labels(comparisons, counted),
        misses=miss_labels(comparisons, counted | unreadable),
        reasoning=reasoning(reasons, _told, counts[Outcome.MATCH], metrics["total_gt_fields"], counts[Outcome.HALLUCINATION]),
        metrics=metrics,
        details=_Details(comparisons, counted, flags, reasons),
        comparisons=comparisons,
        flags=flags,
    )


def _told(right: float, expected: float, extra: float) -> str:
    return f"{right:.0f} of {expected:.0f} expected fields are right, {extra:.0f} given that should not be"


def counted_rows(comparisons: Comparisons, ignore: Sequence[str]) -> NDArray[np.bool_]:
    """The rows that are fields: not those that are null on both sides, nor ignored ones."""
    counted = (comparisons.outcome != Outcome.BOTH_ABSENT) & (comparisons.outcome != Outcome.IGNORED)
    if ignore:
        pattern = re.compile("|".join(f"(?:{_pattern(text)})" for text in ignore))
        counted &= ~_matching(pattern, comparisons.fields)[comparisons.field]
        counted &= ~_matching(pattern, comparisons.paths)[comparisons.path]
    return counted


def _matching(pattern: re.Pattern[str], paths: Iterable[str]) -> NDArray[np.bool_]:
    return np.array([pattern.fullmatch(path) is not None for path in paths], dtype=np.bool_)


def _pattern(text: str) -> str:
    """An ignored path as a regular expression: itself and everything below it; `a.0` is `a[0]`, and `a.*` any key or item."""
    text = normalize("NFC", re.sub(r"\.(0|[1-9][0-9]*)(?=[.\[]|$)", r"[\1]", text))
    parts = re.split(r"(\[\*\]|\.?\*\*|\.\*(?=[.\[]|$)|\*)", text)
    wild = {"*": r"[^.\[\]]*", "[*]": r"\[[^\]]*\]", ".*": r"(?:\.[^.\[\]]*|\[[^\]]*\])", "**": ".*", ".**": r"[.\[].*"}
    return "".join(wild.get(part, re.escape(part)) for part in parts) + r"(?:[.\[].*)?"


def _count(comparisons: Comparisons, rows: NDArray[np.bool_]) -> Numbers:
    return np.bincount(comparisons.case[rows], minlength=comparisons.cases).astype(np.float64)


def prf_metrics(counts: dict[Outcome, Numbers], convention: str) -> tuple[dict[str, Numbers], Labels]:
    """Precision, recall, F1 and the counts behind them, by both conventions; and flags where a denominator was 0."""
    right, omitted, invented = counts[Outcome.MATCH], counts[Outcome.OMISSION], counts[Outcome.HALLUCINATION]
    wrong = counts[Outcome.FORMAT_ERROR] + counts[Outcome.WRONG_VALUE]
    false_positives = invented + wrong
    missed = {"fp_fn": omitted + wrong, "fp": omitted}
    other = "fp" if convention == "fp_fn" else "fp_fn"
    precision = ratio(right, right + false_positives)
    recall = {name: ratio(right, right + count) for name, count in missed.items()}
    metrics = {
        "precision": precision,
        "recall": recall[convention],
        "f1": harmonic_mean(precision, recall[convention]),
        "true_positives": right,
        "false_positives": false_positives,
        "false_negatives": missed[convention],
        "total_gt_fields": right + omitted + wrong,
        "correct_fields": right,
        **{outcome.label: counts[outcome] for outcome in ERRORS},
        f"recall_{other}": recall[other],
        f"f1_{other}": harmonic_mean(precision, recall[other]),
        f"false_negatives_{other}": missed[other],
    }
    none_given, none_expected = right + false_positives == 0, right + missed[convention] == 0
    return metrics, Labels.where({"nothing_given": none_given, "nothing_expected": none_expected})


def ratio(part: Numbers, whole: Numbers) -> Numbers:
    """Part over whole, 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)


def harmonic_mean(precision: Numbers, recall: Numbers) -> Numbers:
    """F1 of precision and recall, 0 where both are 0."""
    return ratio(2 * precision * recall, precision + recall)


@dataclass(frozen=True)
class _Details:
    """Every error of a case: where, of which type, what was expected and what was given."""

    comparisons: Comparisons
    counted: NDArray[np.bool_]
    flags: Labels
    reasons: dict[int, str]

    def __call__(self, case: int) -> dict[str, Any]:
        """The details of a case."""
        expected, actual = self.comparisons.expected, self.comparisons.actual
        rows, ends, places = self._errors
        errors = [
            {
                "path": self.comparisons.paths[places[at] // _KINDS],
                "error_type": _LABELS[places[at] % _KINDS],
                "expected": _shown(expected[rows[at]]),
                "actual": _shown(actual[rows[at]]),
            }
            for at in range(ends[case], ends[case + 1])
        ]
        flags = self.flags.at(case) if len(self.flags.codes) else []
        return {"errors": errors, **({"flags": flags} if flags else {}), **faults_of(self.comparisons, case, self.reasons)}

    def texts(self) -> list[bytes | None]:
        """The same as JSON text, put together from that of the values; None where it is not as simple as that."""
        rows, ends, places = self._errors
        if self.comparisons.faults or len(self.flags.codes):
            return [None] * self.comparisons.cases
        heads = self._heads({*places})
        sides = (self.comparisons.expected, self.comparisons.actual)
        written = [plain_texts([_shown(value) for value in map(side.__getitem__, rows)]) for side in sides]
        errors = [
            None if head is None or expected is None or actual is None else b'%b%b,"actual":%b}' % (head, expected, actual)
            for head, expected, actual in zip(map(heads.__getitem__, places), *written, strict=True)
        ]
        return [_errors_text(errors[start:end]) for start, end in pairwise(ends)]

    def _heads(self, places: Set[int]) -> dict[int, bytes | None]:
        """What stands before the values of an error, by its path and type, which others have too."""
        paths = plain_texts([self.comparisons.paths[place // _KINDS] for place in places])
        head = b'{"path":%b,"error_type":"%b","expected":'
        return {at: None if path is None else head % (path, _LABELS[at % _KINDS].encode()) for at, path in zip(places, paths, strict=True)}

    @cached_property
    def _errors(self) -> tuple[list[int], list[int], list[int]]:
        """The rows that are errors by case, where each case ends, and path and type of each in one number: a run asks for every case."""
        comparisons = self.comparisons
        order, offsets = comparisons.by_case()
        wrong = (self.counted & ~comparisons.passed)[order]
        rows = order[wrong]
        ends: list[int] = np.concatenate([[0], np.cumsum(wrong)])[offsets].tolist()
        places = comparisons.path[rows].astype(np.int64) * _KINDS + comparisons.outcome[rows]
        return rows.tolist(), ends, places.tolist()


_LABELS = [outcome.label for outcome in Outcome]
_KINDS = len(_LABELS)


def _errors_text(errors: list[bytes | None]) -> bytes | None:
    known = [error for error in errors if error is not None]
    return b'{"errors":[%b]}' % b",".join(known) if len(known) == len(errors) else None


def _shown(value: Any) -> Any:
    return None if value is MISSING else value
