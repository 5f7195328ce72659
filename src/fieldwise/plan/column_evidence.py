"""What all values of one path show, on both sides: counts of signs, and a few examples. Mergeable, of bounded size.

>>> evidence = ColumnEvidence()
>>> evidence.expected.add(["EUR 100.00", "EUR 7.5", None])
>>> evidence.expected.count("currency"), evidence.expected.decimals
(2, 2)
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final

from fieldwise.kernels.amounts import find_decimal_mark, find_decimal_sign, read_figure
from fieldwise.kernels.numbers import count_decimals
from fieldwise.model.values import json_kind
from fieldwise.plan.digit_codes import shape_of_digits
from fieldwise.plan.value_signs import TERMS, Signs, signs_of

MAX_CHOICES: Final = 300
"""Number of distinct texts to keep; a column with more is no list of choices."""
MAX_CHOICE_LENGTH: Final = 200
MAX_NUMBERS: Final = 1 << 12
"""Number of distinct numbers to keep."""
MAX_DECIMALS: Final = 6
"""Numbers with more decimals were computed, not printed."""
MAX_EXAMPLES: Final = 3
MAX_SAMPLE: Final = 8
MAX_SHAPES: Final = 32
"""Number of distinct shapes of digits to keep."""
_EXAMPLE_LENGTH: Final = 40
EXAMPLE_SIGNS: Final = ("date", "number", "quantity", "duration", "scheme", "code", "digit groups", "boolean", "time of day")
"""Types of which exceptions are listed."""
_ALSO_READ: Final = {
    "quantity": frozenset({"number"}),
    "scheme": frozenset({"bank code"}),
    "code": frozenset({"bare digits"}),
    "digit groups": frozenset({"digits"}),
}
"""Type → other signs of texts that are no exceptions."""
_LARGEST: Final = 10**300
_PRINTED_DECIMALS: Final = re.compile(r"([.,])(\d+)\D*$")
_DIGITS_OF_GROUP: Final = 3


@dataclass(slots=True)
class SideEvidence:
    """What the values of one path show on one side."""

    term: str = ""
    """What the name of the path suggests: a closed vocabulary such as `country`, whose terms are only then counted, or `version`."""
    values: int = 0
    """Number of values that are not null."""
    kinds: Counter[str] = field(default_factory=Counter[str])
    """JSON kind → number of values; text without content is `blank`."""
    signs: Counter[str] = field(default_factory=Counter[str])
    decimals: int = 0
    """Most decimals of a number, as printed or as a float, but for `open_decimals`."""
    open_decimals: Counter[str] = field(default_factory=Counter[str])
    """Separator that could group or be decimal (`1,234`) → number of digits behind it."""
    decimal_signs: Counter[str] = field(default_factory=Counter[str])
    """What texts show about the decimal mark, as `find_decimal_sign` says it → number of texts."""
    fractional: int = 0
    """Number of JSON numbers that are not whole."""
    numbers: set[float] = field(default_factory=set)
    """Distinct JSON numbers, at most `MAX_NUMBERS`."""
    printed_numbers: set[float] = field(default_factory=set)
    """Distinct numbers in text, at most `MAX_NUMBERS`; both readings of `1,234`."""
    choices: dict[str, int] = field(default_factory=dict)
    """Distinct texts of up to `MAX_CHOICE_LENGTH` characters with their number, at most `MAX_CHOICES`."""
    distinct: int = 0
    """Number of distinct texts, as far as counted within batches: an upper bound."""
    unlisted: int = 0
    """Number of texts that are no choices: too long, or of too many kinds."""
    sample: list[str] = field(default_factory=list)
    """The first distinct texts, at most `MAX_SAMPLE`: the chosen rule is tried on them."""
    digit_shapes: set[str] = field(default_factory=set)
    """Distinct shapes of texts that are groups of digits (`999-9999`), at most `MAX_SHAPES`."""
    exceptions: dict[str, list[str]] = field(default_factory=dict)
    """Type → up to `MAX_EXAMPLES` texts that do not read as it."""

    def add(self, values: Iterable[Any]) -> None:
        """Count values; null is left out."""
        present = [value for value in values if value is not None]
        self.values += len(present)
        types = {*map(type, present)}
        text_types = {kind for kind in types if issubclass(kind, str)}
        number_types = {kind for kind in types if issubclass(kind, int | float) and not issubclass(kind, bool)}
        if number_types:
            self._add_numbers(Counter([value for value in present if type(value) in number_types]))
        if text_types:
            texts = present if text_types == types else [value for value in present if type(value) in text_types]
            self._add_texts(Counter(map(str.strip, texts)))
        if len(text_types) + len(number_types) < len(types):
            others = [value for value in present if type(value) not in text_types | number_types]
            self.kinds.update(map(json_kind, others))

    def count(self, sign: str) -> int:
        """Number of values with a sign; JSON numbers count as `number` and `bare number`, whole ones as `digits`, booleans as `boolean`.

        A `clear date` can be read in one way only.
        """
        if sign in ("number", "bare number"):
            return self.signs[sign] + self.kinds["number"]
        if sign == "digits" and not self.fractional:
            return self.signs[sign] + self.kinds["number"]
        if sign == "clear date":
            return self.signs["date"] - self.signs["either order"] - self.signs["open month"]
        if sign == "boolean":
            return self.signs["true"] + self.signs["false"] + self.kinds["bool"]
        return self.signs[sign]

    def merge(self, other: "SideEvidence") -> None:
        """Add the evidence of other values of the same path."""
        self.values += other.values
        self.kinds += other.kinds
        self.signs += other.signs
        self.decimals = max(self.decimals, other.decimals)
        self.open_decimals |= other.open_decimals
        self.decimal_signs += other.decimal_signs
        self.fractional += other.fractional
        self.distinct += other.distinct
        self.unlisted += other.unlisted
        for number in other.numbers:
            _add_number_to(self.numbers, number)
        for number in other.printed_numbers:
            _add_number_to(self.printed_numbers, number)
        for shape in other.digit_shapes:
            self._add_shape(shape)
        for text in other.sample:
            self._add_to_sample(text)
        for text, count in other.choices.items():
            self._add_choice(text, count)
        for sign, examples in other.exceptions.items():
            for example in examples:
                self._add_exception(sign, example)

    def _add_numbers(self, numbers: Counter[int | float]) -> None:
        """Count distinct numbers."""
        self.kinds["number"] += numbers.total()
        for number, count in numbers.items():
            _add_number_to(self.numbers, number)
            if isinstance(number, float) and not number.is_integer() and isfinite(number):
                self.fractional += count
                self.decimals = max(self.decimals, count_decimals(number))

    def _add_texts(self, texts: Counter[str]) -> None:
        """Count distinct texts without outer whitespace."""
        if "" in texts:
            self.kinds["blank"] += texts.pop("")
        if not texts:
            return
        self.kinds["string"] += texts.total()
        read_term = TERMS.get(self.term)
        open_types = [sign for sign in (*EXAMPLE_SIGNS, self.term) if sign and len(self.exceptions.get(sign, ())) < MAX_EXAMPLES]
        texts_by_signs: Counter[Signs] = Counter()  # many texts have the same signs
        for text, count in texts.items():
            signs = signs_of(text)
            texts_by_signs[signs] += count
            if read_term is not None and read_term(text):
                self.signs[self.term] += count
            if open_types:
                open_types = self._add_exceptions(text, signs, open_types)
            self._add_text(text, count, signs)
        for signs, count in texts_by_signs.items():
            for sign in signs:
                self.signs[sign] += count

    def _add_text(self, text: str, count: int, signs: Signs) -> None:
        if len(self.sample) < MAX_SAMPLE:
            self._add_to_sample(text)
        if "digit groups" in signs:
            self._add_shape(shape_of_digits(text))
        if "number" in signs:
            self._add_printed_decimals(text, count)
        if text not in self.choices:
            self.distinct += 1
        self._add_choice(text, count)

    def _add_exceptions(self, text: str, signs: Signs, types: list[str]) -> list[str]:
        """Keep a text as an example for each of the types that it does not read as; the types that lack examples then."""
        unread_types = [sign for sign in types if not _reads_as(text, signs, sign)]
        for sign in unread_types:
            self._add_exception(sign, text)
        return [sign for sign in types if len(self.exceptions.get(sign, ())) < MAX_EXAMPLES] if unread_types else types

    def _add_printed_decimals(self, text: str, count: int) -> None:
        figure = read_figure(text)
        if figure is None:
            return
        sign = find_decimal_sign(text) if "." in text or "," in text else ""
        if sign:
            self.decimal_signs[sign] += count
        _add_number_to(self.printed_numbers, figure.value)
        if figure.undecided:
            self.open_decimals[figure.undecided] = _DIGITS_OF_GROUP
            _add_number_to(self.printed_numbers, _read_otherwise(figure.value))
        else:
            self.decimals = max(self.decimals, _count_printed_decimals(text, figure.value))

    def _add_shape(self, shape: str) -> None:
        if len(self.digit_shapes) < MAX_SHAPES:
            self.digit_shapes.add(shape)

    def _add_to_sample(self, text: str) -> None:
        if len(self.sample) < MAX_SAMPLE and text not in self.sample:
            self.sample.append(text)

    def _add_choice(self, text: str, count: int) -> None:
        if text in self.choices:
            self.choices[text] += count
        elif len(self.choices) < MAX_CHOICES and len(text) <= MAX_CHOICE_LENGTH:
            self.choices[text] = count
        else:
            self.unlisted += count

    def _add_exception(self, sign: str, text: str) -> None:
        examples = self.exceptions.setdefault(sign, [])
        text = " ".join(text.split())
        if len(examples) < MAX_EXAMPLES and text not in examples:
            examples.append(text if len(text) <= _EXAMPLE_LENGTH else f"{text[:_EXAMPLE_LENGTH]}…")


@dataclass(slots=True)
class ColumnEvidence:
    """What the values of one path show, on both sides."""

    expected: SideEvidence = field(default_factory=SideEvidence)
    actual: SideEvidence = field(default_factory=SideEvidence)

    def merge(self, other: "ColumnEvidence") -> None:
        """Add the evidence of other cases."""
        self.expected.merge(other.expected)
        self.actual.merge(other.actual)


def _add_number_to(numbers: set[float], number: int | float) -> None:
    """Add a finite number, unless there are `MAX_NUMBERS`."""
    if isinstance(number, int) and abs(number) >= _LARGEST:  # it may be beyond the range of floats
        return
    if len(numbers) < MAX_NUMBERS and isfinite(number):
        numbers.add(float(number))


def _read_otherwise(number: int | float) -> int | float:
    """1.234 for 1234 and 1234 for 1.234: the other reading of a text whose separator could group or be decimal."""
    if isinstance(number, int):
        return number / 1000 if abs(number) < _LARGEST else number
    return round(number * 1000)


def _reads_as(text: str, signs: Signs, sign: str) -> bool:
    if sign == "boolean":
        return bool(signs & {"true", "false"})
    if sign in _ALSO_READ:
        return sign in signs or not signs.isdisjoint(_ALSO_READ[sign])
    if sign in TERMS:
        return bool(TERMS[sign](text))
    return sign in signs


def _count_printed_decimals(text: str, value: int | float) -> int:
    """Number of decimals of a number in text; trailing zeros count, but for `45.0`, a whole number that a program wrote.

    >>> texts = ("12.50", "1.234,5", "EUR 7", "5 cents", "45.0", "7.00", "1,00,000")
    >>> [_count_printed_decimals(text, read_figure(text).value) for text in texts]
    [2, 1, 0, 2, 0, 2, 0]
    """
    printed = _PRINTED_DECIMALS.search(text)
    mark, decimals = printed.groups() if printed is not None else ("", "")
    if decimals == "0":
        decimals = ""
    has_decimals = not isinstance(value, int) or (set(decimals) == {"0"} and find_decimal_mark(text) in (mark, "plain"))
    return max(count_decimals(value), len(decimals) if has_decimals else 0)
