"""Choose the match for a column from what all its values show.

A type is chosen if at least 90 % of the values read as it; the reason lists the rest. No choice drops a part that the column uses: a column
with currencies is `money`, one with times of day `datetime`, one with units `quantity`, and text that is only partly of a type is `exact`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import ulp
from typing import Any, Final, TypeAlias, cast

from fieldwise import registry
from fieldwise.model.rule import Match
from fieldwise.model.values import Json
from fieldwise.plan.closed_sets import is_closed_set
from fieldwise.plan.column_evidence import MAX_DECIMALS, MAX_NUMBERS, MAX_SHAPES, ColumnEvidence, SideEvidence
from fieldwise.plan.decimal_marks import choose_decimal_mark, count_expected_decimals, describe_ambiguous_marks
from fieldwise.plan.digit_codes import digits_of, have_one_form
from fieldwise.plan.value_signs import TERMS, signs_of

MIN_SHARE: Final = 0.9
"""Share of the values that must read as a type."""
MIN_EXPECTED_SHARE: Final = 0.5
"""Share of the expected values that must read as a type where only both sides together reach `MIN_SHARE`."""
MAX_TYPED_SHARE_OF_TEXT: Final = 0.1
"""With more numbers, dates or codes than this in a column of text, a similar text is no longer the same value."""
NEARLY_EQUAL: Final = 1e-6
"""Relative difference that computed numbers may have."""
ROUNDING: Final = 1e-12
"""The same where there are too many numbers to see whether different ones are as close as that."""
_MIN_VALUES_FOR_CHOICES, _MIN_REPEATS_OF_CHOICES = 6, 3
_MAX_SHORT_CHOICE, _MAX_WORDS_OF_SHORT_CHOICE = 24, 2
_CERTAIN_YES_NO: Final = frozenset({"yes", "no", "true", "false"})
_TERM_WORDS: Final = {
    "country": "country", "nationality": "country", "nation": "country", "currency": "currency", "language": "language",
    "lang": "language", "locale": "language",
    "version": "version", "ver": "version", "release": "version", "revision": "version", "section": "version", "chapter": "version",
    "clause": "version", "paragraph": "version", "subsection": "version", "firmware": "version",
    **dict.fromkeys(("duration", "length", "runtime", "elapsed", "lap", "pace", "split", "ratio", "score", "odds", "verse"), "two numbers"),
    **dict.fromkeys(("phone", "telephone", "tel", "mobile", "cellphone", "fax", "ssn"), "digit groups"),
}  # fmt: skip
"""Last words of names → what the values are: terms of a closed vocabulary, numbers of versions and sections, two numbers that look like
a time of day, or identifiers of digits."""
_WEAK_NUMBERS: Final = ("weak currency", "joined currency", "weak number")
MIN_STRONG_SHARE: Final = 0.25
"""Share of plain amounts or quantities beside which `RM5` or `5A` is one too, and no code."""
_TWO_NUMBERS: Final = re.compile(r"\d+\.\d+", re.ASCII)

MatchChoice: TypeAlias = tuple[Match, str]
"""A match and the reason for it, as the end of a sentence that begins with `because`."""


def choose_match(expected: Sequence[Json], actual: Sequence[Json] = (), name: str = "") -> MatchChoice:
    """The match for a field with these values and this name, and the reason.

    >>> match, reason = choose_match(["2025-03-04", "2024-12-31"])
    >>> match.name, reason
    ('date', '2 of 2 values read as calendar dates')
    """
    evidence = new_evidence(name)
    evidence.expected.add(expected)
    evidence.actual.add(actual)
    return choose_from_evidence(evidence)


def new_evidence(name: str) -> ColumnEvidence:
    """Evidence for a path whose last part has this name; the name decides which closed vocabulary is looked for.

    >>> new_evidence("billing_country").expected.term
    'country'
    """
    words = "".join(f"_{character.lower()}" if character.isupper() else character for character in name).replace("-", "_").split("_")
    term = next((_TERM_WORDS[word] for word in reversed(words) if word in _TERM_WORDS), "")
    return ColumnEvidence(SideEvidence(term=term), SideEvidence(term=term))


def choose_from_evidence(evidence: ColumnEvidence, *, actual_is_untyped: bool = False) -> MatchChoice:
    """The match for a column with this evidence, and the reason; always one that reads expected values of the column.

    `actual_is_untyped`: the actual side comes from a format without types, such as CSV, where numbers and booleans are text.
    """
    match, reason = _choose(evidence)
    if actual_is_untyped and evidence.actual.kinds["string"]:
        match, reason = _read_texts_too(evidence, match, reason)
    note = _note_if_unread(match, evidence.expected)
    return (match, reason) if note is None else (build_match("exact"), f"{reason}, but `{match.name}` cannot read them: {note}")


def _note_if_unread(match: Match, expected: SideEvidence) -> str | None:
    """Why a match reads less than half of a few expected texts, under the options that they decide; None if it reads more.

    Words among typed values are left out: `n/a` in a column of dates.
    """
    matcher = registry.MATCHERS.find(match.name)
    sample = [text for text in expected.sample if "typed" in signs_of(text)] or expected.sample
    if matcher.unread_note is None or not sample:
        return None
    options: Any = match.options
    if matcher.column_survey is not None and matcher.column_survey.is_open(options):
        options, _ = matcher.column_survey.resolve(options, matcher.column_survey.collect(sample, options))
    notes: list[str] = []
    for count, text in enumerate(sample, 1):
        note = matcher.unread_note(text, options)
        if note is not None:
            notes.append(note)
        if count - len(notes) >= MIN_EXPECTED_SHARE * len(sample):  # reading takes up to 200 µs
            return None
    return notes[0]


def _choose(evidence: ColumnEvidence) -> MatchChoice:
    kinds = _kinds_of_values(evidence.expected)
    if not kinds:
        is_blank = evidence.expected.kinds["blank"] > 0
        return build_match("exact"), "every value is blank" if is_blank else "no value was seen"
    if kinds == {"bool"}:
        return build_match("exact"), "every value is true or false"
    if kinds == {"number"}:
        return _choose_for_numbers(evidence)
    if kinds <= {"string", "number"}:
        return _choose_for_texts(evidence)
    return build_match("exact"), f"the values are of several kinds: {', '.join(sorted(kinds))}"


def _kinds_of_values(side: SideEvidence) -> set[str]:
    """The JSON kinds of the values; blank text is no value."""
    return {kind for kind, count in side.kinds.items() if count and kind != "blank"}


def _read_texts_too(evidence: ColumnEvidence, match: Match, reason: str) -> MatchChoice:
    """For expected numbers and booleans, a match that also reads them as text."""
    kinds = _kinds_of_values(evidence.expected)
    because_untyped = "and the other side has no types, as in CSV"
    if kinds == {"bool"}:
        return build_match("boolean"), f"{reason}, {because_untyped}"
    if kinds == {"number"} and match.name == "numeric_tolerance":
        return Match(match.name, replace(cast("Any", match.options), parse=True)), f"{reason}, {because_untyped}"
    if kinds == {"number"} and match.name == "exact" and evidence.expected.term != "version":
        return build_match("numeric_tolerance", parse=True), f"{reason}, {because_untyped}"
    return match, reason


def build_match(name: str, **options: Any) -> Match:
    """A match with these options."""
    return Match(name, registry.MATCHERS.find(name).options(**options))


def _choose_for_numbers(evidence: ColumnEvidence) -> MatchChoice:
    share = _choose_share(evidence)
    if share is not None:
        return share
    if (evidence.actual.signs["currency"] + evidence.actual.signs["joined currency"]) and _reads_as(evidence, "number"):
        return _choose_money(evidence)
    if evidence.expected.term == "version":
        return build_match("exact"), "the values are versions or section numbers"
    if not evidence.expected.fractional:
        return build_match("exact"), "every value is a whole number"
    return _choose_tolerance(evidence, parse=False, reason="the values are numbers")


def _choose_tolerance(evidence: ColumnEvidence, *, parse: bool, reason: str) -> MatchChoice:
    """Half a unit of the last decimal: the most that rounding to the printed decimals can change."""
    expected = evidence.expected
    build = partial(build_match, "numeric_tolerance", **({"parse": True, **choose_decimal_mark(evidence)} if parse else {}))
    decimals = count_expected_decimals(evidence, "numeric_tolerance")
    if decimals > MAX_DECIMALS:
        has_all_numbers = max(len(expected.numbers), len(expected.printed_numbers)) < MAX_NUMBERS
        limit = NEARLY_EQUAL if has_all_numbers else ROUNDING
        if _has_close_numbers(expected, limit):
            return build(), f"{reason} with more than {MAX_DECIMALS} decimals, and some differ only in the last ones"
        return build(tolerance=limit, relative=True), f"{reason} with more than {MAX_DECIMALS} decimals: a share of {limit:g} may differ"
    if decimals == 0:
        return build(), f"{reason} without decimals"
    count = "one decimal" if decimals == 1 else f"{decimals} decimals"
    if decimals > max(expected.decimals, *expected.open_decimals.values(), 0):
        count += " (the last zero is not written)"
    tolerance = 0.5 * 10.0**-decimals
    if _has_numbers_within(expected, tolerance):
        return build(), f"{reason} with up to {count}, some so large that their last decimals are rounded"
    return build(tolerance=tolerance), f"{reason} with up to {count}: half a unit of the last one may differ"


def _has_close_numbers(expected: SideEvidence, limit: float) -> bool:
    """True if two different expected numbers would count as equal."""
    ordered = sorted(expected.numbers | expected.printed_numbers)
    if 0 in ordered and any(0 < abs(number) <= limit for number in ordered):  # the share of 0 is an absolute difference
        return True
    return any(larger - smaller <= 2 * limit * max(abs(smaller), abs(larger)) for smaller, larger in pairwise(ordered))


def _has_numbers_within(expected: SideEvidence, tolerance: float) -> bool:
    """True if two different expected numbers are within an absolute tolerance and the slack for binary rounding."""
    for smaller, larger in pairwise(sorted(expected.numbers | expected.printed_numbers)):
        limit = 1.1 * tolerance + 8 * ulp(max(abs(smaller), abs(larger)))
        if larger - smaller <= limit:
            return True
    return False


def _choose_for_texts(evidence: ColumnEvidence) -> MatchChoice:
    for choose in _TYPE_CHOICES:
        choice = choose(evidence)
        if choice is not None:
            return choice
    return _choose_text(evidence.expected)


def _choose_text(expected: SideEvidence) -> MatchChoice:
    """The match for text of no type."""
    typed = expected.signs["typed"] + expected.kinds["number"]
    if typed > MAX_TYPED_SHARE_OF_TEXT * count_values(expected):
        return build_match("exact"), f"{typed} of {count_values(expected)} values are numbers, dates or codes, and the rest is text"
    digits: dict[str, str] = {"digits": "equal"} if expected.signs["any digit"] else {}
    note = "; their digits must agree" if digits else ""
    if expected.signs["long"] * 2 >= expected.kinds["string"]:
        return build_match(
            "fuzzy", algorithm="token_sort", threshold=0.8, **digits
        ), f"the values are long text, compared by their words{note}"
    return build_match("fuzzy", **digits), f"the values are names or short text, where small typos do not matter{note}"


def count_values(side: SideEvidence) -> int:
    """Number of values that are neither null nor blank."""
    return side.values - side.kinds["blank"]


def _reads_as(evidence: ColumnEvidence, *signs: str) -> bool:
    """True if enough values have one of these signs, which exclude each other."""
    expected = sum(evidence.expected.count(sign) for sign in signs)
    if expected >= MIN_SHARE * count_values(evidence.expected):
        return True
    both = expected + sum(evidence.actual.count(sign) for sign in signs)
    return expected >= MIN_EXPECTED_SHARE * count_values(evidence.expected) and both >= MIN_SHARE * (
        count_values(evidence.expected) + count_values(evidence.actual)
    )


def _describe(evidence: ColumnEvidence, noun: str, *signs: str) -> str:
    """`694 of 700 values read as amounts (not "n/a", "see invoice")`."""
    sides = (evidence.expected, evidence.actual)
    total = sum(map(count_values, sides))
    read = sum(side.count(sign) for side in sides for sign in signs)
    sentence = f"{read} of {total} {'value reads' if total == 1 else 'values read'} as {noun}"
    if read >= total:
        return sentence
    examples: dict[str, None] = {}
    for side in sides:
        unread = [text for text in side.exceptions.get(signs[0], ()) if signs_of(text).isdisjoint(signs)]
        examples |= dict.fromkeys(f'"{text}"' for text in unread)
    shown = list(examples)[:3]
    return f"{sentence} (not {', '.join(shown)}{' …' if total - read > len(shown) else ''})" if shown else sentence


def _choose_address(evidence: ColumnEvidence) -> MatchChoice | None:
    for sign, noun in (
        ("email", "e-mail addresses"),
        ("url", "web addresses"),
        ("json", "JSON in text, whose fields are not compared one by one"),
    ):
        if _reads_as(evidence, sign):
            return build_match("exact"), f"the values are {noun}"
    return None


def _choose_date(evidence: ColumnEvidence) -> MatchChoice | None:
    expected, actual = evidence.expected, evidence.actual
    signs = ("date",)
    if expected.signs["date"] >= MIN_EXPECTED_SHARE * count_values(expected):  # beside dates, MAR-05-24 is one too
        signs = ("date", "weak date")
    if not _reads_as(evidence, *signs):
        return None
    if expected.distinct < 3 and expected.signs["compact"] == expected.signs["date"]:  # numbers such as 20250304 are more likely codes
        return None
    options, order = _choose_order(evidence)
    if "day_first" not in options and order and not _reads_as(evidence, "clear date", *signs[1:]):
        fix = "write `match: date` with `day_first: true` or `day_first: false` to compare them as dates"
        return build_match("exact"), _describe(evidence, "dates", *signs) + f"{order}; {fix}"
    if _uses_times(evidence):
        timed = sum(side.signs["time"] + side.signs["midnight"] for side in (expected, actual))
        reason = _describe(evidence, "dates", *signs) + f", {timed} with a time of day"
        return build_match("datetime", **options), reason + order
    return build_match("date", **options), _describe(evidence, "calendar dates", *signs) + order


def _uses_times(evidence: ColumnEvidence) -> bool:
    """True if times of day count: one that is not midnight, or midnight in every date; beside dates without a time it says nothing."""
    sides = [side for side in (evidence.expected, evidence.actual) if side.signs["date"]]
    return any(side.signs["time"] for side in sides) or all(side.signs["midnight"] >= side.signs["date"] for side in sides)


def _choose_order(evidence: ColumnEvidence) -> tuple[dict[str, bool], str]:
    """Whether the day comes first, by the dates that can be read in one way only, and the evidence.

    The expected side decides if it can, and the actual side for itself where it contradicts.
    """
    expected, actual = evidence.expected, evidence.actual
    if not expected.signs["either order"] + actual.signs["either order"]:
        return {}, ""
    counts = [(side.signs["day first"], side.signs["month first"]) for side in (expected, actual)]
    day_first, month_first = map(sum, zip(*counts, strict=True))
    order_evidence = f", {day_first} values only read day first, {month_first} only month first"
    order, actual_order = (_decide_order(*count) for count in counts)
    if order is not None and actual_order not in (None, order):
        names = {True: "day", False: "month"}
        how = f": {names[order]} first in expected, {names[not order]} first in actual values"
        return {"day_first": order, "actual_day_first": not order}, order_evidence + how
    order = _decide_order(day_first, month_first) if order is None else order
    if order is None:
        return {}, f"{order_evidence}: the order of day and month is open"
    return {"day_first": order}, order_evidence


def _decide_order(day_first: int, month_first: int) -> bool | None:
    """True if the day comes first in nearly all dates that can be read in one way only, False if the month does, else None."""
    decides = max(day_first, month_first) >= MIN_SHARE * (day_first + month_first) > 0
    return day_first > month_first if decides else None


def _choose_scheme(evidence: ColumnEvidence) -> MatchChoice | None:
    if not _reads_as(evidence, "scheme", "bank code"):
        return None
    return build_match("code"), _describe(evidence, "identifiers with a check digit or prefix", "scheme", "bank code")


def _choose_digit_code(evidence: ColumnEvidence) -> MatchChoice | None:
    """Groups of digits that the name of the field calls an identifier, or that the other side writes otherwise: `555-1234` and `5551234`.

    One side may have the digits alone. The digits must tell apart all that the expected texts tell apart.
    """
    expected, actual = evidence.expected, evidence.actual
    is_named = expected.term == "digit groups"
    sign = "digit groups" if is_named else "digit code"
    if not expected.signs[sign] and (is_named or not actual.signs[sign]):
        return None
    if not _reads_as(evidence, sign, "digits") or not _are_digits_enough(expected, is_named):
        return None
    if not is_named and not (_are_digits_enough(actual, is_named) and _has_same_digits(expected, actual)):
        return None
    return build_match("code"), _describe(evidence, "identifiers of digits", "digit groups", "digits")


def _are_digits_enough(side: SideEvidence, is_named: bool) -> bool:
    """True if texts of a side that differ in their punctuation differ in their digits, too."""
    keys = [digits_of(text) for text in side.choices if any(map(str.isdigit, text))]
    if len(set(keys)) < len(keys) and side.signs["digit groups"]:
        return False
    if is_named:
        return True
    return len(side.digit_shapes) < MAX_SHAPES and have_one_form(side.digit_shapes, same_marks=side.unlisted > 0)


def _has_same_digits(expected: SideEvidence, actual: SideEvidence) -> bool:
    """True if many expected texts have their digits on the other side, and at least one of them in another form."""
    forms: dict[str, set[str]] = {}
    for text in actual.choices:
        forms.setdefault(digits_of(text), set()).add(text)
    for number in actual.numbers:
        forms.setdefault(f"{number:.0f}", set()).add("")
    same = [text for text in expected.choices if digits_of(text) in forms]
    if len(same) == 1 and "999-9999" in expected.digit_shapes | actual.digit_shapes:  # one alone may be a range: 998-1003
        return False
    is_spelled_otherwise = any(forms[digits_of(text)] - {text} for text in same)
    return is_spelled_otherwise and len(same) >= MIN_EXPECTED_SHARE * len(expected.choices)


def _choose_number(evidence: ColumnEvidence) -> MatchChoice | None:
    expected, actual = evidence.expected, evidence.actual
    if not _reads_as(evidence, "number"):
        return None
    if not expected.signs["marks"]:  # digits alone
        return _choose_for_digits(evidence)
    if expected.signs["zero-led"] or _count_strong_marks(expected) < MIN_STRONG_SHARE * expected.signs["marks"]:  # R5, RM5, 1E5
        return None
    if _are_versions(evidence):
        return build_match("exact"), "the values are versions or section numbers: 1.10 follows 1.9"
    if sum(_count_currencies(side) for side in (expected, actual)):
        reads = _reads_as(evidence, "currency", "weak currency", "joined currency", "bare number")
        return _choose_money(evidence) if reads else None
    ambiguity = describe_ambiguous_marks(evidence)
    if ambiguity is not None:
        return build_match("exact"), ambiguity
    return _choose_tolerance(evidence, parse=True, reason=_describe(evidence, "numbers", "number"))


def _count_strong_marks(side: SideEvidence) -> int:
    """Number of texts that are numbers with more than digits, and are more likely numbers than codes."""
    return side.signs["marks"] - sum(side.signs[sign] for sign in _WEAK_NUMBERS)


def _count_currencies(side: SideEvidence) -> int:
    return side.signs["currency"] + side.signs["weak currency"] + side.signs["joined currency"]


def _are_versions(evidence: ColumnEvidence) -> bool:
    """True if numbers with a point are versions or section numbers: by the name of the field, or as 1.1, 1.2 and 1.10 are.

    As decimals, `1.1` and `1.10` of one column are two spellings of one number; versions have few numbers before the point, and no zero
    before their other digits (`1.05`).
    """
    expected = evidence.expected
    if expected.kinds["number"] or not _reads_as(evidence, "version", "bare digits") or not expected.signs["version"]:
        return False
    if expected.term == "version":
        return True
    if expected.unlisted:
        return False
    parts = [text.split(".") for text in expected.choices if _TWO_NUMBERS.fullmatch(text)]
    decimals: dict[str, set[str]] = {}
    for whole, fraction in parts:
        decimals.setdefault(whole, set()).add(fraction)
    if any(len(whole) > 2 or (fraction[0] == "0" and len(fraction) > 1) for whole, fraction in parts):
        return False
    if len(decimals) * 2 > len(parts):
        return False
    return any(_has_minor_ten(fractions) for fractions in decimals.values())


def _has_minor_ten(fractions: set[str]) -> bool:
    """True if one is a single digit, and another ends in zero behind other digits: 1 and 10, as no program prints decimals."""
    return any(len(fraction) == 1 for fraction in fractions) and any(len(fraction) == 2 and fraction[1] == "0" for fraction in fractions)


def _choose_share(evidence: ColumnEvidence) -> MatchChoice | None:
    """Percent on one side, and on the other numbers of which none is more than 1: `19 %` and 0.19."""
    sides = (evidence.expected, evidence.actual)
    for percents, shares in (sides, sides[::-1]):
        are_percents = percents.signs["percent"] >= MIN_SHARE * max(count_values(percents), 1)
        are_shares = shares.kinds["number"] >= MIN_SHARE * max(count_values(shares), 1) and shares.fractional
        if are_percents and are_shares and all(abs(number) <= 1 for number in shares.numbers):
            reason = f"{percents.signs['percent']} values with a percent sign, {shares.kinds['number']} numbers up to 1 on the other side"
            return build_match("numeric_tolerance", parse=True, percent="share"), reason
    return None


def _choose_money(evidence: ColumnEvidence) -> MatchChoice:
    named = _count_currencies(evidence.expected) + _count_currencies(evidence.actual)
    decimals = count_expected_decimals(evidence, "money")
    options: dict[str, Any] = {"tolerance": 0.5 * 10.0**-decimals} if 0 < decimals <= MAX_DECIMALS else {}
    return build_match("money", **options, **choose_decimal_mark(evidence)), _describe(
        evidence, "amounts", "number"
    ) + f", {named} with a currency"


def _choose_for_digits(evidence: ColumnEvidence) -> MatchChoice | None:
    """Digits alone are codes if one has a leading zero; otherwise they are numbers if JSON numbers or other spellings occur.

    0 and 1 are yes and no where the other side has true and false.
    """
    expected, actual = evidence.expected, evidence.actual
    if expected.signs["leading zero"]:
        return None
    if actual.kinds["bool"] >= MIN_SHARE * max(count_values(actual), 1) and not expected.unlisted and {*expected.choices} <= {"0", "1"}:
        return build_match("boolean"), f"the values are 0 or 1, and {actual.kinds['bool']} on the other side are true or false"
    if actual.kinds["number"] or _count_strong_marks(actual) > 0 or expected.kinds["number"]:
        return _choose_tolerance(evidence, parse=True, reason=_describe(evidence, "numbers", "number"))
    return build_match("exact"), "the values are digits, where every digit counts"


def _choose_quantity(evidence: ColumnEvidence) -> MatchChoice | None:
    expected = evidence.expected
    if expected.signs["zero-led"]:
        return None
    strong = expected.signs["quantity"] - expected.signs["weak unit"]
    is_strong = strong > 0 and strong >= MIN_STRONG_SHARE * expected.signs["quantity"]
    has_more_units = expected.signs["duration"] > expected.signs["quantity"]  # `1h 30m` is a length of time, `2h` may be a code
    if expected.signs["duration"] and (is_strong or has_more_units):
        if _reads_as(evidence, "duration"):
            return build_match("duration"), _describe(evidence, "lengths of time", "duration")
        forms = ("duration", "clock duration", "bare number")
        with_unit = expected.signs["duration"] >= MIN_EXPECTED_SHARE * count_values(expected)
        if with_unit and expected.signs["clock duration"] + evidence.actual.signs["clock duration"] and _reads_as(evidence, *forms):
            return build_match("duration"), _describe(evidence, "lengths of time", *forms)
    if not is_strong or not _reads_as(evidence, "quantity", "bare number"):
        return None
    return build_match("quantity"), _describe(evidence, "quantities", "quantity", "bare number")


def _choose_boolean(evidence: ColumnEvidence) -> MatchChoice | None:
    if not _reads_as(evidence, "boolean"):
        return None
    signs = evidence.expected.signs + evidence.actual.signs
    if not (signs["true"] and signs["false"]) and not {text.lower() for text in evidence.expected.choices} <= _CERTAIN_YES_NO:
        return None  # `ok`, `on` and `x` alone need not mean yes
    return build_match("boolean"), _describe(evidence, "yes or no", "boolean")


def _choose_term(evidence: ColumnEvidence) -> MatchChoice | None:
    term = evidence.expected.term
    if term not in TERMS or not _reads_as(evidence, term):
        return None
    nouns = {"country": "countries", "currency": "currencies", "language": "languages"}
    return build_match(term), _describe(evidence, nouns[term], term)


def _choose_time_of_day(evidence: ColumnEvidence) -> MatchChoice | None:
    """Times without a date; a name or a value (`75:30`, `30 min`) may say that they are lengths of time or scores."""
    if evidence.expected.term == "two numbers" or not _reads_as(evidence, "time of day"):
        return None
    if any(side.signs["clock"] > side.signs["time of day"] or side.signs["duration"] for side in (evidence.expected, evidence.actual)):
        return None
    return build_match("datetime"), _describe(evidence, "times of day", "time of day")


def _choose_code(evidence: ColumnEvidence) -> MatchChoice | None:
    """Letters and digits without spaces, or digits of which some have leading zeros."""
    if not evidence.expected.signs["code"] or not _reads_as(evidence, "code", "bare digits"):
        return None
    if evidence.expected.signs["code with sign"]:
        return build_match("exact"), "the values are codes, some with a sign such as `+`, `$` or a decimal point that tells them apart"
    if evidence.expected.signs["mixed case"] * 2 > evidence.expected.signs["code"]:
        return build_match("exact"), "the values are codes that mix capitals and small letters, where case counts"
    if evidence.expected.signs["joined currency"] and evidence.actual.signs["written amount"]:  # as a code, RM500 is RM5.00
        return build_match("exact"), "the values are codes or amounts, where every character counts"
    return build_match("code"), _describe(evidence, "codes", "code", "bare digits")


def _choose_strict_text(evidence: ColumnEvidence) -> MatchChoice | None:
    """Text in which every character counts."""
    for sign, reason in (
        ("version", "the values are versions or section numbers"),
        ("clock", "the values are clock times"),
        ("short with digits", "the values are short with digits, where every digit counts"),
        ("capitals", "the values are short codes in capitals"),
        ("lower word", "the values are single words in small letters, as from a list of choices"),
    ):
        if _reads_as(evidence, sign):
            return build_match("exact"), reason
    return None


def _choose_choices(evidence: ColumnEvidence) -> MatchChoice | None:
    """A few values that repeat."""
    expected = evidence.expected
    count = expected.kinds["string"]
    if count < _MIN_VALUES_FOR_CHOICES or expected.unlisted or len(expected.choices) * _MIN_REPEATS_OF_CHOICES > count:
        return None
    if all(len(text) <= _MAX_SHORT_CHOICE and len(text.split()) <= _MAX_WORDS_OF_SHORT_CHOICE for text in expected.choices):
        return build_match("exact"), "a few short values repeat, as from a list of choices"
    text_match, _ = _choose_text(expected)
    if text_match.name != "fuzzy" or not is_closed_set(evidence, text_match):
        return None
    return build_match("exact"), f"{len(expected.choices)} distinct values occur {count} times, as from a list of choices"


_TYPE_CHOICES: Final[tuple[Callable[[ColumnEvidence], MatchChoice | None], ...]] = (
    _choose_address,
    _choose_date,
    _choose_scheme,
    _choose_share,
    _choose_digit_code,
    _choose_number,
    _choose_quantity,
    _choose_boolean,
    _choose_term,
    _choose_time_of_day,
    _choose_code,
    _choose_strict_text,
    _choose_choices,
)
