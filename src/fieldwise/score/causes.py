"""Finds the likely cause of each mismatch: the first cause by rank that holds for its two values.

>>> contexts = MismatchContexts([0], ["vendor"], ["vendor"], [{"vendor": "Acme Corp"}], [{"vendor": "ACME CORP"}])
>>> likely_causes(["Acme Corp"], ["ACME CORP"], contexts)
['letter_case']
"""

from collections.abc import Container, Iterator, Sequence
from functools import partial
from typing import Final, Literal, TypeAlias

import numpy as np

from fieldwise.kernels.amounts import read_figure_once
from fieldwise.kernels.dates import parse_date_readings
from fieldwise.kernels.numbers import parse_number_readings
from fieldwise.kernels.text_normalize import keep_letters_and_digits_batch, remove_digits_batch
from fieldwise.model.comparison import ComparisonTable, Outcome
from fieldwise.model.context import Context, MismatchContexts
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.services import NO_SERVICES, Services
from fieldwise.model.values import Value
from fieldwise.registry import CAUSES, CauseSpec, LetterRelation, NumberSign, TextReading
from fieldwise.score.guard import Crash, Success, call_guarded

PairKind: TypeAlias = Literal["text", "number", "mixed"]
PairSign: TypeAlias = tuple[PairKind, LetterRelation | None, tuple[TextReading | NumberSign, ...], bool]
"""What decides which causes are tried: the kinds of the two values; of two ASCII texts how their letters and digits compare; what two texts
can be read as, or what two numbers are; whether actual is a distinctive value that an expected record holds."""
_NUMBERS: Final = frozenset((int, float))
_LARGEST: Final = 1e300
"""Beyond it arithmetic overflows, and no cause compares numbers."""
_SHORT_INTEGER: Final = 1000
NO_CAUSE: Final = ""
PLACEHOLDER_CAUSE: Final = "null_text"


def find_causes(
    comparisons: ComparisonTable, expected: Sequence[Value], actual: Sequence[Value], services: Services = NO_SERVICES
) -> dict[int, str]:
    """By row, the likely cause of every mismatch with a value on both sides. `expected` and `actual` are the records by case."""
    mismatched = (comparisons.outcome == Outcome.WRONG_VALUE) | (comparisons.outcome == Outcome.FORMAT_ERROR)
    rows: list[int] = np.flatnonzero(mismatched).tolist()
    placeholders = _find_placeholders(comparisons)
    if not rows:
        return placeholders
    cases: list[int] = comparisons.case[rows].tolist()
    path_codes: list[int] = comparisons.path[rows].tolist()
    field_codes: list[int] = comparisons.field[rows].tolist()
    paths = [comparisons.paths[code] for code in path_codes]
    fields = [comparisons.fields[code] for code in field_codes]
    contexts = MismatchContexts(cases, paths, fields, expected, actual)
    expected_values = [comparisons.compared_value(row) for row in rows]
    actual_values = [comparisons.actual[row] for row in rows]
    causes = likely_causes(expected_values, actual_values, contexts, services)
    return placeholders | {row: cause for row, cause in zip(rows, causes, strict=True) if cause != NO_CAUSE}


def _find_placeholders(comparisons: ComparisonTable) -> dict[int, str]:
    """By row, the cause of text such as `null` where expected has no value; of invented values no other cause is known."""
    rows: list[int] = np.flatnonzero(comparisons.outcome == Outcome.HALLUCINATION).tolist()
    candidates = [row for row in rows if isinstance(comparisons.actual[row], str)]
    if not candidates:
        return {}
    is_placeholder = CAUSES.find(PLACEHOLDER_CAUSE).function
    context = Context("", "")
    return {row: PLACEHOLDER_CAUSE for row in candidates if is_placeholder(None, comparisons.actual[row], context)}


def likely_causes(
    expected: Sequence[Value], actual: Sequence[Value], contexts: MismatchContexts, services: Services = NO_SERVICES
) -> list[str]:
    """The first cause by rank that holds for each pair of values; `NO_CAUSE` if none does. `contexts` runs in parallel to the pairs."""
    candidates = _CandidateCauses()
    copied = contexts.find_copied(actual)

    def mismatches() -> Iterator[tuple[Sequence[CauseSpec], Value, Value, Context]]:
        # a generator: the texts of a pair are read just before its causes are tried, while the readers remember them
        signs = _pair_signs(expected, actual, copied)
        return zip(map(candidates.__getitem__, signs), expected, actual, map(contexts, range(len(expected))), strict=True)

    call = call_guarded(lambda: [_first_cause_that_holds(*mismatch) for mismatch in mismatches()])
    if isinstance(call, Success):
        return call.value
    return [_find_cause(*mismatch, services) for mismatch in mismatches()]  # one by one, to know what crashed


def describe_cause(cause: str) -> tuple[str, str]:
    """The label of a cause and the advice against it.

    >>> describe_cause("letter_case")[0]
    'letter case'
    """
    spec = CAUSES.find(cause)
    return spec.label, spec.advice


class _CandidateCauses(dict[PairSign, Sequence[CauseSpec]]):
    """The causes to try on pairs of a sign, by rank. Trying all of them takes four times as long."""

    def __missing__(self, sign: PairSign) -> Sequence[CauseSpec]:
        by_rank = sorted(CAUSES.all(), key=lambda cause: (cause.rank, cause.name))
        self[sign] = [cause for cause in by_rank if _applies_to(cause, sign[0]) and _may_hold(cause, sign)]
        return self[sign]


def _applies_to(cause: CauseSpec, kind: PairKind) -> bool:
    return cause.kinds in (kind, "any") or (cause.kinds == "written" and kind != "number")


def _may_hold(cause: CauseSpec, sign: PairSign) -> bool:
    """False if the cause itself says that it holds for no pair of this sign. A pure shortcut: the function would return False."""
    kind, letters, readings, is_copied = sign
    required = cause.reads if kind == "text" else cause.numbers if kind == "number" else None
    if required is not None and required not in readings:
        return False
    return (letters is None or letters in cause.letters) and (is_copied or not cause.copied)


def _pair_signs(expected: Sequence[Value], actual: Sequence[Value], copied: Container[int]) -> Iterator[PairSign]:
    """The sign of each pair."""
    texts = [(left, right) for left, right in zip(expected, actual, strict=True) if type(left) is str and type(right) is str]
    text_signs = _text_signs(texts)
    for position, (left, right) in enumerate(zip(expected, actual, strict=True)):
        is_copied = position in copied
        if type(left) is str and type(right) is str:
            letters, readings = next(text_signs)
            yield "text", letters, readings, is_copied
        elif type(left) in _NUMBERS and type(right) in _NUMBERS:
            yield "number", None, _number_signs(left, right), is_copied  # pyright: ignore[reportArgumentType]
        else:
            yield "mixed", None, (), is_copied


def _text_signs(texts: Sequence[tuple[str, str]]) -> Iterator[tuple[LetterRelation | None, tuple[TextReading, ...]]]:
    """For each two texts, how their letters and digits compare, None if one is not ASCII, and what both can be read as."""
    expected_letters = keep_letters_and_digits_batch([expected for expected, _ in texts])
    actual_letters = keep_letters_and_digits_batch([actual for _, actual in texts])
    expected_words, actual_words = remove_digits_batch(expected_letters), remove_digits_batch(actual_letters)
    columns = zip(texts, expected_letters, actual_letters, expected_words, actual_words, strict=True)
    for (expected, actual), left, right, left_words, right_words in columns:
        both_have_digits = len(left_words) < len(left) and len(right_words) < len(right)
        letters = _letter_relation(left, right) if expected.isascii() and actual.isascii() else None
        yield letters, _common_readings(expected, actual) if both_have_digits else ()


def _number_signs(expected: float, actual: float) -> tuple[NumberSign, ...]:
    """What two numbers are; nothing for NaN, infinities and numbers that no cause compares."""
    if not (-_LARGEST < expected < _LARGEST and -_LARGEST < actual < _LARGEST):
        return ()
    if expected == -actual:
        return "opposite", "close", "apart", "long"
    small, large = abs(expected), abs(actual)
    if small > large:
        small, large = large, small
    signs: list[NumberSign] = []
    if large >= _SHORT_INTEGER or type(expected) is float or type(actual) is float:
        distance = abs(expected - actual)
        signs = ["close", "long"] if distance <= 1 or distance <= 0.05 * large else ["long"]
    if large > 9 * small:
        signs.append("apart")
    return tuple(signs)


def _letter_relation(expected: str, actual: str) -> LetterRelation:
    if len(expected) != len(actual):
        return "more" if len(expected) < len(actual) else "fewer"
    return "same" if expected == actual else "as_many"


def _common_readings(expected: str, actual: str) -> tuple[TextReading, ...]:
    """What two texts with digits can be read as. The readers keep what they read for the causes."""
    readings: list[TextReading] = ["digits"]
    if parse_number_readings(expected) is not None and parse_number_readings(actual) is not None:
        readings.append("numbers")
    if read_figure_once(expected) is not None and read_figure_once(actual) is not None:
        readings.append("figures")
    if parse_date_readings(expected) is not None:
        readings.append("date")
    return tuple(readings)


def _find_cause(causes: Sequence[CauseSpec], expected: Value, actual: Value, context: Context, services: Services) -> str:
    """The name of the first cause that holds. A cause that crashes is reported and skipped."""
    call = call_guarded(partial(_first_cause_that_holds, causes, expected, actual, context))
    if isinstance(call, Success):
        return call.value
    for cause in causes:  # call each on its own, to know which one crashed
        holds = call_guarded(partial(cause.function, expected, actual, context))
        if isinstance(holds, Crash):
            what = f"the cause `{cause.name}` crashed and was skipped: {holds.message}"
            fix = f"report this to the author of `{cause.name}`"
            services.report(Diagnostic(code="cause-crashed", level="warning", what=what, fix=fix))
        elif holds.value:
            return cause.name
    return NO_CAUSE


def _first_cause_that_holds(causes: Sequence[CauseSpec], expected: Value, actual: Value, context: Context) -> str:
    for cause in causes:
        if cause.function(expected, actual, context):
            return cause.name
    return NO_CAUSE
