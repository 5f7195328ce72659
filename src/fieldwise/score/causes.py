"""Finds the likely cause of each mismatch: the first cause by rank that holds for its two values.

>>> contexts = MismatchContexts([0], ["vendor"], ["vendor"], [{"vendor": "Acme Corp"}], [{"vendor": "ACME CORP"}])
>>> likely_causes(["Acme Corp"], ["ACME CORP"], contexts)
['letter_case']
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Final, Literal, TypeAlias

import numpy as np
from rapidfuzz.distance import Levenshtein

from fieldwise.kernels.amounts import read_figure_once
from fieldwise.kernels.dates import parse_date_readings
from fieldwise.kernels.numbers import parse_number_readings
from fieldwise.kernels.text_normalize import keep_digits_batch, keep_letters_and_digits_batch
from fieldwise.model.comparison import ComparisonTable, Outcome
from fieldwise.model.context import Context, MismatchContexts
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.services import NO_SERVICES, Services
from fieldwise.model.values import Missing, Value
from fieldwise.registry import CAUSES, CauseSpec, LetterEdits, LetterRelation, NumberSign, TextReading
from fieldwise.score.guard import Crash, Success, call_guarded

PairKind: TypeAlias = Literal["text", "number", "mixed", "other"]
"""Two texts, two numbers, one text, anything else."""
Properties: TypeAlias = tuple[LetterEdits | TextReading | NumberSign, ...]
PairSign: TypeAlias = tuple[PairKind, LetterRelation | None, Properties, bool]
"""What decides which causes are tried: the kinds of the two values; of two ASCII texts how their letters and digits compare; what two texts
can be read as and how many edits they are apart, or what two numbers are; whether actual is a distinctive value that an expected record
holds."""
_NUMBERS: Final = frozenset((int, float))
_OTHERS: Final = frozenset((bool, type(None), list, dict))
_JSON_TYPES: Final = frozenset((str, Missing)) | _NUMBERS | _OTHERS
_SAME_LETTERS: Final[tuple[LetterEdits, ...]] = ("few", "moves")
_FEW_EDITS: Final[tuple[LetterEdits, ...]] = ("few",)
_MOVES: Final[tuple[LetterEdits, ...]] = ("moves",)
_LARGEST: Final = 1e300
"""Beyond it arithmetic overflows, and no cause compares numbers."""
_SHORT_INTEGER: Final = 1000
_EXACT_DIGITS: Final = 15
_IS_MISMATCH: Final = np.isin(np.arange(len(Outcome)), (Outcome.WRONG_VALUE, Outcome.FORMAT_ERROR))
"""Whether both sides have a value and they differ, by outcome."""
_HALLUCINATION: Final = int(Outcome.HALLUCINATION)
NO_CAUSE: Final = ""
PLACEHOLDER_CAUSE: Final = "null_text"


def find_causes(
    comparisons: ComparisonTable,
    expected: Sequence[Value],
    actual: Sequence[Value],
    services: Services = NO_SERVICES,
    *,
    has_every_leaf: bool = False,
) -> dict[int, str]:
    """By row, the likely cause of every mismatch with a value on both sides. `expected` and `actual` are the records by case.

    `has_every_leaf` says that every leaf of the expected records has a row, or is inside the value of one.
    """
    mismatched = _IS_MISMATCH[comparisons.outcome].nonzero()[0]
    placeholders = _find_placeholders(comparisons)
    if not len(mismatched):
        return placeholders
    rows: list[int] = mismatched.tolist()
    cases: list[int] = comparisons.case[mismatched].tolist()
    path_codes: list[int] = comparisons.path[mismatched].tolist()
    field_codes: list[int] = comparisons.field[mismatched].tolist()
    paths = [comparisons.paths[code] for code in path_codes]
    fields = [comparisons.fields[code] for code in field_codes]
    contexts = MismatchContexts(cases, paths, fields, expected, actual)
    expected_values = [comparisons.compared_value(row) for row in rows]
    actual_values = [comparisons.actual[row] for row in rows]
    leaves = comparisons.expected if has_every_leaf and not _has_tuples(comparisons) else None
    causes = likely_causes(expected_values, actual_values, contexts, services, leaves)
    return placeholders | {row: cause for row, cause in zip(rows, causes, strict=True) if cause != NO_CAUSE}


def _has_tuples(comparisons: ComparisonTable) -> bool:
    """True if an expected value is a tuple, or something else that no JSON has; no such value is identical to another."""
    if len(comparisons.identical) < len(comparisons):
        return True  # not known, so perhaps
    unequal: list[int] = np.flatnonzero(~comparisons.identical).tolist()
    return not _JSON_TYPES.issuperset([type(comparisons.expected[row]) for row in unequal])


def _find_placeholders(comparisons: ComparisonTable) -> dict[int, str]:
    """By row, the cause of text such as `null` where expected has no value; of invented values no other cause is known."""
    rows: list[int] = (comparisons.outcome == _HALLUCINATION).nonzero()[0].tolist()
    candidates = [row for row in rows if isinstance(comparisons.actual[row], str)]
    if not candidates:
        return {}
    is_placeholder = CAUSES.find(PLACEHOLDER_CAUSE).function
    context = Context("", "")
    return {row: PLACEHOLDER_CAUSE for row in candidates if is_placeholder(None, comparisons.actual[row], context)}


def likely_causes(
    expected: Sequence[Value],
    actual: Sequence[Value],
    contexts: MismatchContexts,
    services: Services = NO_SERVICES,
    leaves: Sequence[Value] | None = None,
) -> list[str]:
    """The first cause by rank that holds for each pair of values; `NO_CAUSE` if none does. `contexts` runs in parallel to the pairs.

    `leaves` are those of all expected records, where they are known.
    """
    candidates = _candidate_causes(CAUSES.revision)
    copied = contexts.find_copied(actual, leaves)

    def mismatches() -> Iterator[tuple[Iterable[CauseSpec], Value, Value, Context]]:
        # a generator: the texts of a pair are read just before its causes are tried, while the readers remember them
        causes = _causes_to_try(candidates, expected, actual, copied, contexts.letters)
        return zip(causes, expected, actual, map(contexts, range(len(expected))), strict=True)

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

    def __init__(self) -> None:
        self.by_rank = sorted(CAUSES.all(), key=lambda cause: (cause.rank, cause.name))
        self.first_reading_rank = min((cause.rank for cause in self.by_rank if cause.reads is not None), default=0)
        """Causes below this rank need not know what two texts can be read as."""

    def __missing__(self, sign: PairSign) -> Sequence[CauseSpec]:
        self[sign] = [cause for cause in self.by_rank if _applies_to(cause, sign[0]) and _may_hold(cause, sign)]
        return self[sign]


@lru_cache(maxsize=1)  # there are a few hundred signs, and a batch of one case would build its lists again
def _candidate_causes(revision: int) -> _CandidateCauses:
    """The causes to try, for a state of the registry."""
    del revision
    return _CandidateCauses()


def _applies_to(cause: CauseSpec, kind: PairKind) -> bool:
    if kind == "other":
        return cause.kinds in ("mixed", "any")
    return cause.kinds in (kind, "any") or (cause.kinds == "written" and kind != "number")


def _may_hold(cause: CauseSpec, sign: PairSign) -> bool:
    """False if the cause itself says that it holds for no pair of this sign. A pure shortcut: the function would return False."""
    kind, letters, properties, is_copied = sign
    if cause.copied and not is_copied:
        return False
    if kind == "text":
        is_far = letters is not None and (letters not in cause.letters or (cause.edits is not None and cause.edits not in properties))
        return not is_far and (cause.reads is None or cause.reads in properties)
    if kind == "number":
        return cause.numbers is None or cause.numbers in properties
    return kind == "mixed" or (cause.numbers is None and cause.reads is None)


_TextForms: TypeAlias = tuple[str, str, str, str]
"""The letters and digits of an expected and an actual text, then the digits of both."""


def _causes_to_try(
    candidates: _CandidateCauses, expected: Sequence[Value], actual: Sequence[Value], copied: Container[int], letters: dict[str, str]
) -> Iterator[Iterable[CauseSpec]]:
    """The causes to try on each pair. The letters and digits of all texts are added to `letters`."""
    texts = [(left, right) for left, right in zip(expected, actual, strict=True) if type(left) is str and type(right) is str]
    forms = _text_forms(texts, letters)
    for position, (left, right) in enumerate(zip(expected, actual, strict=True)):
        is_copied = position in copied
        if type(left) is str and type(right) is str:
            yield _causes_of_texts(candidates, left, right, next(forms), is_copied)
        elif type(left) in _NUMBERS and type(right) in _NUMBERS:
            yield candidates["number", None, _number_signs(left, right), is_copied]  # pyright: ignore[reportArgumentType]
        elif (type(left) in _OTHERS or type(right) in _OTHERS) and not (isinstance(left, str) or isinstance(right, str)):
            yield candidates["other", None, (), is_copied]
        else:
            yield candidates["mixed", None, (), is_copied]


def _text_forms(texts: Sequence[tuple[str, str]], letters: dict[str, str]) -> Iterator[_TextForms]:
    expected, actual = [expected for expected, _ in texts], [actual for _, actual in texts]
    expected_letters, actual_letters = keep_letters_and_digits_batch(expected), keep_letters_and_digits_batch(actual)
    letters.update(zip(expected, expected_letters, strict=True))
    letters.update(zip(actual, actual_letters, strict=True))
    return zip(expected_letters, actual_letters, keep_digits_batch(expected_letters), keep_digits_batch(actual_letters), strict=True)


def _causes_of_texts(candidates: _CandidateCauses, expected: str, actual: str, forms: _TextForms, is_copied: bool) -> Iterable[CauseSpec]:
    """The causes to try on two texts."""
    expected_letters, actual_letters, expected_digits, actual_digits = forms
    letters: LetterRelation | None = None
    edits: tuple[LetterEdits, ...] = ()
    if expected.isascii() and actual.isascii():
        letters = _letter_relation(expected_letters, actual_letters)
        edits = _SAME_LETTERS if letters == "same" else _find_edits(expected_letters, actual_letters)
    if not expected_digits or not actual_digits:
        return candidates["text", letters, edits, is_copied]  # nothing to read
    if letters == "same":
        return _read_if_needed(candidates, expected, actual, forms, is_copied)
    return candidates["text", letters, (*edits, *_common_readings(expected, actual, forms)), is_copied]


def _read_if_needed(candidates: _CandidateCauses, expected: str, actual: str, forms: _TextForms, is_copied: bool) -> Iterator[CauseSpec]:
    """The causes to try on two texts with the same letters and digits: the texts are read only if none of the first ones holds."""
    for cause in candidates["text", "same", _SAME_LETTERS, is_copied]:
        if cause.rank >= candidates.first_reading_rank:
            break
        yield cause
    readings = _common_readings(expected, actual, forms)
    for cause in candidates["text", "same", (*_SAME_LETTERS, *readings), is_copied]:
        if cause.rank >= candidates.first_reading_rank:
            yield cause


def _letter_relation(expected: str, actual: str) -> LetterRelation:
    if len(expected) != len(actual):
        return "more" if len(expected) < len(actual) else "fewer"
    return "same" if expected == actual else "as_many"


def _find_edits(expected: str, actual: str) -> tuple[LetterEdits, ...]:
    """What makes the letters of one ASCII text those of another."""
    shorter, longer = len(expected), len(actual)
    if shorter > longer:
        shorter, longer = longer, shorter
    limit = shorter // 5 if shorter > 10 else 2
    if longer - shorter > limit:
        return ()
    edits = Levenshtein.distance(expected, actual, score_cutoff=limit)
    if edits == 1 or longer > shorter:
        return _FEW_EDITS if edits <= limit else ()
    has_moves = sum(expected.encode()) == sum(actual.encode())  # another order has the same sum
    if edits <= limit:
        return _SAME_LETTERS if has_moves else _FEW_EDITS
    return _MOVES if has_moves else ()


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
    has_float = type(expected) is float or type(actual) is float
    if has_float or large >= _SHORT_INTEGER:
        distance = abs(expected - actual)
        signs = ["close", "long"] if distance <= 1 or distance <= 0.05 * large else ["long"]
    if large > 9 * small:
        signs.append("apart")
    if has_float or (large - small) % 9 == 0:  # the same digits in another order leave the remainder
        signs.append("moves")
    return tuple(signs)


def _common_readings(expected: str, actual: str, forms: _TextForms) -> tuple[TextReading, ...]:
    """What two texts with digits can be read as. The readers keep what they read for the causes."""
    expected_letters, actual_letters, expected_digits, actual_digits = forms
    is_ascii = expected.isascii() and actual.isascii()
    readings: list[TextReading] = []
    if parse_number_readings(expected) is not None and parse_number_readings(actual) is not None:
        readings = ["digits", "numbers"]
    elif len(expected_letters) - len(expected_digits) == len(actual_letters) - len(actual_digits):
        readings = ["digits"]
    if (
        not (is_ascii and _have_other_digits(expected, actual, expected_digits, actual_digits))
        and read_figure_once(expected) is not None
        and read_figure_once(actual) is not None
    ):
        readings.append("figures")
    if parse_date_readings(expected) is not None:
        readings.append("date")
    return tuple(readings)


def _have_other_digits(expected: str, actual: str, expected_digits: str, actual_digits: str) -> bool:
    """True if two texts have one run of ASCII digits each, and different digits, zeros at both ends aside: then their numbers differ.

    Beyond 15 digits, different ones may be the same float.
    """
    left, right = expected_digits.strip("0"), actual_digits.strip("0")
    if left == right or len(left) > _EXACT_DIGITS or len(right) > _EXACT_DIGITS:
        return False
    return expected_digits in expected and actual_digits in actual


def _find_cause(causes: Iterable[CauseSpec], expected: Value, actual: Value, context: Context, services: Services) -> str:
    """The name of the first cause that holds. A cause that crashes is reported and skipped."""
    tried = [*causes]
    call = call_guarded(partial(_first_cause_that_holds, tried, expected, actual, context))
    if isinstance(call, Success):
        return call.value
    for cause in tried:  # call each on its own, to know which one crashed
        holds = call_guarded(partial(cause.function, expected, actual, context))
        if isinstance(holds, Crash):
            what = f"the cause `{cause.name}` crashed and was skipped: {holds.message}"
            fix = f"report this to the author of `{cause.name}`"
            services.report(Diagnostic(code="cause-crashed", level="warning", what=what, fix=fix))
        elif holds.value:
            return cause.name
    return NO_CAUSE


def _first_cause_that_holds(causes: Iterable[CauseSpec], expected: Value, actual: Value, context: Context) -> str:
    for cause in causes:
        if cause.function(expected, actual, context):
            return cause.name
    return NO_CAUSE
