"""Finds the likely cause of each mismatch: the first cause by rank that holds for its two values.

>>> contexts = MismatchContexts([0], ["vendor"], ["vendor"], [{"vendor": "Acme Corp"}], [{"vendor": "ACME CORP"}])
>>> likely_causes(["Acme Corp"], ["ACME CORP"], contexts)
['letter_case']
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, filterfalse
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from fieldwise.kernels.amounts import read_figure_once
from fieldwise.kernels.dates import parse_date_readings
from fieldwise.kernels.numbers import format_number, parse_number_readings
from fieldwise.kernels.text_normalize import keep_digits_batch, keep_letters_and_digits_batch, normalize_lookalikes_batch
from fieldwise.kernels.text_shapes import find_possible_readings
from fieldwise.model.comparison import ComparisonTable, Outcome
from fieldwise.model.context import Context, MismatchContexts, TextForms
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.services import NO_SERVICES, Services
from fieldwise.model.values import Missing, Value
from fieldwise.registry import CAUSES
from fieldwise.score.guard import Crash, Success, call_guarded
from fieldwise.specs import CauseSpec, LetterEdits, LetterRelation, NumberSign, TextReading

PairKind: TypeAlias = Literal["text", "number", "mixed", "other"]
"""Two texts, two numbers, one text, anything else."""
_OTHER_KINDS: Final[tuple[PairKind, ...]] = ("mixed", "other")
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
_DIGITS: Final[tuple[TextReading, ...]] = ("digits",)
_NUMBERS_IN_TEXT: Final[tuple[TextReading, ...]] = ("digits", "numbers")
_LARGEST: Final = 1e300
"""Beyond it arithmetic overflows, and no cause compares numbers."""
_SHORT_INTEGER: Final = 1000
_MIN_MOVED: Final = 100
"""Two digits in another order are two numbers."""
_EXACT_DIGITS: Final = 15
_IS_MISMATCH: Final = np.isin(np.arange(len(Outcome)), (Outcome.WRONG_VALUE, Outcome.FORMAT_ERROR))
"""Whether both sides have a value and they differ, by outcome."""
_HALLUCINATION: Final = int(Outcome.HALLUCINATION)
_CODE_MATCH: Final = "code"
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
    paths = [*map(comparisons.paths.__getitem__, comparisons.path[mismatched].tolist())]
    fields = [*map(comparisons.fields.__getitem__, comparisons.field[mismatched].tolist())]
    matches = {field: rule.match.name for field, rule in zip(comparisons.fields, comparisons.rules, strict=True)}
    contexts = MismatchContexts(cases, paths, fields, expected, actual, matches)
    codes = _find_codes(comparisons, mismatched)
    expected_values = [*map(comparisons.compared_value if comparisons.chosen else comparisons.expected.__getitem__, rows)]
    actual_values = [*map(comparisons.actual.__getitem__, rows)]
    leaves = comparisons.expected if has_every_leaf and not _has_tuples(comparisons) else None
    causes = likely_causes(expected_values, actual_values, contexts, services, leaves, codes)
    return placeholders | {row: cause for row, cause in zip(rows, causes, strict=True) if cause != NO_CAUSE}


def _find_codes(comparisons: ComparisonTable, rows: NDArray[np.intp]) -> Container[int]:
    """The positions in `rows` of fields that hold codes by their rule."""
    code_fields = [field for field, rule in enumerate(comparisons.rules) if rule.match.name == _CODE_MATCH]
    if not code_fields:
        return ()
    return frozenset(np.flatnonzero(np.isin(comparisons.field[rows], code_fields)).tolist())


def _has_tuples(comparisons: ComparisonTable) -> bool:
    """True if an expected value is a tuple, or something else that no JSON has; no such value is identical to another."""
    if len(comparisons.identical) < len(comparisons):
        return True  # not known, so perhaps
    unequal: list[int] = np.flatnonzero(~comparisons.identical).tolist()
    return not _JSON_TYPES.issuperset(map(type, map(comparisons.expected.__getitem__, unequal)))


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
    codes: Container[int] = (),
) -> list[str]:
    """The first cause by rank that holds for each pair of values; `NO_CAUSE` if none does. `contexts` runs in parallel to the pairs.

    `leaves` are those of all expected records, where they are known. `codes` are the positions of pairs of codes: what looks like an amount
    or a unit in them is none.
    """
    candidates = _candidate_causes(CAUSES.revision)
    if codes:
        expected, actual = _codes_as_text(expected, actual, codes), _codes_as_text(actual, expected, codes)
    copied = contexts.find_copied(actual, leaves)

    def find_all(find: Callable[..., str]) -> list[str]:
        names = [NO_CAUSE] * len(expected)
        # one by one: the texts of a pair are read just before its causes are tried, while the readers remember them
        for position, candidate_causes, forms in _causes_to_try(candidates, expected, actual, copied):
            causes = filterfalse(_compares_amounts, candidate_causes) if position in codes else candidate_causes
            names[position] = find(causes, expected[position], actual[position], contexts.at(position, forms))
        return names

    call = call_guarded(lambda: find_all(_first_cause_that_holds))
    return call.value if isinstance(call, Success) else find_all(partial(_find_cause, services))  # to know what crashed


def _codes_as_text(values: Sequence[Value], opposite: Sequence[Value], codes: Container[int]) -> list[Value]:
    """The values with integers as text where both sides are codes: digits of a code count by themselves."""
    texts = list(values)
    for position, value in enumerate(values):
        if position in codes and type(value) is int and type(opposite[position]) is int:
            texts[position] = format_number(value)
    return texts


def _compares_amounts(cause: CauseSpec) -> bool:
    """True for a cause that compares what texts are worth, such as `rounding`; False for one that compares how they are written."""
    return cause.reads == "figures" or (cause.reads == "numbers" and cause.numbers is not None)


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
        return cause.kinds == "any"
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


class _PairKinds(dict[tuple[type, type], PairKind]):
    """The kind of a pair by the types of its values."""

    def __missing__(self, types: tuple[type, type]) -> PairKind:
        self[types] = _kind_of_types(*types)
        return self[types]


def _kind_of_types(expected: type, actual: type) -> PairKind:
    if expected is str and actual is str:
        return "text"
    if expected in _NUMBERS and actual in _NUMBERS:
        return "number"
    if (expected in _OTHERS or actual in _OTHERS) and not (issubclass(expected, str) or issubclass(actual, str)):
        return "other"
    return "mixed"


_PAIR_KINDS: Final = _PairKinds()


def _causes_to_try(
    candidates: _CandidateCauses, expected: Sequence[Any], actual: Sequence[Any], copied: Container[int]
) -> Iterator[tuple[int, Iterable[CauseSpec], TextForms | None]]:
    """The positions of the pairs that may have a cause, the causes to try, and the forms of two texts."""
    positions: dict[str, list[int]] = {"text": [], "number": [], "mixed": [], "other": []}
    kinds = map(_PAIR_KINDS.__getitem__, zip(map(type, expected), map(type, actual), strict=True))
    for position, kind in enumerate(kinds):
        positions[kind].append(position)
    texts = [*map(expected.__getitem__, positions["text"])], [*map(actual.__getitem__, positions["text"])]
    for position, left, right, forms in zip(positions["text"], *texts, _text_forms(*texts), strict=True):
        yield position, _causes_of_texts(candidates, left, right, forms, position in copied), forms
    for position in positions["number"]:
        causes = candidates["number", None, _number_signs(expected[position], actual[position]), position in copied]
        if causes:
            yield position, causes, None
    for kind in _OTHER_KINDS:
        for position in positions[kind]:
            causes = candidates[kind, None, (), position in copied]
            if causes:
                yield position, causes, None


def _text_forms(expected: list[str], actual: list[str]) -> Iterator[TextForms]:
    """The forms of pairs of texts."""
    letters = keep_letters_and_digits_batch(expected + actual)
    columns = letters, keep_digits_batch(letters), normalize_lookalikes_batch(letters)
    count = len(expected)
    return zip(*chain.from_iterable((column[:count], column[count:]) for column in columns), strict=True)


def _causes_of_texts(candidates: _CandidateCauses, expected: str, actual: str, forms: TextForms, is_copied: bool) -> Iterable[CauseSpec]:
    """The causes to try on two texts."""
    expected_letters, actual_letters, expected_digits, actual_digits, _, _ = forms
    has_digits = expected_digits and actual_digits  # else nothing to read
    letters: LetterRelation | None
    properties: Properties
    if not (expected.isascii() and actual.isascii()):
        letters, properties = None, ()
    elif expected_letters == actual_letters:
        if has_digits:
            return _read_if_needed(candidates, expected, actual, forms, is_copied)
        letters, properties = "same", _SAME_LETTERS
    else:
        letters, properties = _compare_letters(expected_letters, actual_letters)
    if has_digits:
        properties = (*properties, *_common_readings(expected, actual, forms))
    return candidates["text", letters, properties, is_copied]


def _read_if_needed(candidates: _CandidateCauses, expected: str, actual: str, forms: TextForms, is_copied: bool) -> Iterator[CauseSpec]:
    """The causes to try on two texts with the same letters and digits: the texts are read only if none of the first ones holds."""
    for cause in candidates["text", "same", _SAME_LETTERS, is_copied]:
        if cause.rank >= candidates.first_reading_rank:
            break
        yield cause
    readings = _common_readings(expected, actual, forms)
    for cause in candidates["text", "same", (*_SAME_LETTERS, *readings), is_copied]:
        if cause.rank >= candidates.first_reading_rank:
            yield cause


def _compare_letters(expected: str, actual: str) -> tuple[LetterRelation, tuple[LetterEdits, ...]]:
    """How the letters and digits of two ASCII texts compare that are not the same, and what makes one the other."""
    shorter, longer = len(expected), len(actual)
    relation: LetterRelation = "more"
    if shorter >= longer:
        relation = "as_many" if shorter == longer else "fewer"
        shorter, longer = longer, shorter
    limit = shorter // 5 if shorter > 10 else 2
    if longer - shorter > limit:
        return relation, ()
    edits = Levenshtein.distance(expected, actual, score_cutoff=limit)
    if edits == 1 or longer > shorter:
        return relation, (_FEW_EDITS if edits <= limit else ())
    has_moves = set(expected) == set(actual)  # another order has the same characters
    if edits <= limit:
        return relation, (_SAME_LETTERS if has_moves else _FEW_EDITS)
    return relation, (_MOVES if has_moves else ())


def _number_signs(expected: float, actual: float) -> tuple[NumberSign, ...]:
    """What two numbers are; nothing for NaN, infinities and numbers that no cause compares."""
    if not (-_LARGEST < expected < _LARGEST and -_LARGEST < actual < _LARGEST):
        return ()
    if expected == -actual:
        return "opposite", "close", "apart", "long"
    small, large = abs(expected), abs(actual)
    if small > large:
        small, large = large, small
    signs: list[NumberSign] = ["apart"] if large > 9 * small else []
    has_float = type(expected) is float or type(actual) is float
    if has_float or (large >= _MIN_MOVED and (large - small) % 9 == 0):  # the same digits in another order leave the remainder
        signs.append("moves")
    if has_float or large >= _SHORT_INTEGER:
        distance = abs(expected - actual)
        signs += ("close", "long") if distance <= 1 or distance <= 0.05 * large else ("long",)
    return tuple(signs)


def _common_readings(expected: str, actual: str, forms: TextForms) -> tuple[TextReading, ...]:
    """What two texts with digits can be read as. The readers keep what they read for the causes."""
    expected_letters, actual_letters, expected_digits, actual_digits, _, _ = forms
    have_as_many_letters = len(expected_letters) - len(expected_digits) == len(actual_letters) - len(actual_digits)
    readings: tuple[TextReading, ...] = _DIGITS if have_as_many_letters else ()
    may_be = find_possible_readings(expected)
    if may_be.number and parse_number_readings(expected) is not None and parse_number_readings(actual) is not None:
        readings = _NUMBERS_IN_TEXT
    if (
        may_be.figure
        and not _have_other_digits(expected, actual, expected_digits, actual_digits)
        and read_figure_once(expected) is not None
        and read_figure_once(actual) is not None
    ):
        readings = (*readings, "figures")
    # with day and month swapped, actual may be no date, but it has the characters of expected
    may_agree = may_be.date and (parse_date_readings(actual) is not None or set(expected) == set(actual))
    if may_agree and parse_date_readings(expected) is not None:
        readings = (*readings, "date")
    return readings


def _have_other_digits(expected: str, actual: str, expected_digits: str, actual_digits: str) -> bool:
    """True if two texts have one run of ASCII digits each, and different digits, zeros at both ends aside: then their numbers differ.

    Beyond 15 digits, different ones may be the same float.
    """
    left, right = expected_digits.strip("0"), actual_digits.strip("0")
    if left == right or len(left) > _EXACT_DIGITS or len(right) > _EXACT_DIGITS:
        return False
    return expected_digits in expected and actual_digits in actual and expected.isascii() and actual.isascii()


def _find_cause(services: Services, causes: Iterable[CauseSpec], expected: Value, actual: Value, context: Context) -> str:
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
