"""What speaks for or against an expected value besides other systems: the source text, check digits, totals."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from fieldwise.kernels.numbers import to_number
from fieldwise.model.accepted_values import list_accepted
from fieldwise.model.case import Case
from fieldwise.model.path import EACH, ROOT, MalformedPath, Path, Step, render_path, value_at
from fieldwise.report.evidence import find_value_in_text, list_source_texts


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelEvidence:
    """One observation about an expected value and the value that systems gave instead."""

    kind: str
    """`source_text`, `check_digit` or `total`."""
    text: str
    weight: float
    """Positive if it speaks against the expected value."""


# Source text ---------------------------------------------------------------------------------------------------------------------------


def compare_with_source(case: Case, expected: Any, suggested: Any) -> LabelEvidence | None:
    """Whether the source text has one of the two values and not the other; None if it has both or neither, or there is no text."""
    texts = [source.text for source in list_source_texts(case)]
    if not texts:
        return None
    has_expected = any(_occurs(texts, value) for value in list_accepted(expected))
    has_suggested = _occurs(texts, suggested)
    if has_suggested and not has_expected:
        return LabelEvidence(kind="source_text", text="the source text has the systems' value and not the expected one", weight=1.0)
    if has_expected and not has_suggested and suggested is not None:
        return LabelEvidence(kind="source_text", text="the source text has the expected value and not the systems' one", weight=-1.0)
    if not has_expected and suggested is None:
        return LabelEvidence(kind="source_text", text="the source text does not have the expected value", weight=0.5)
    return None


def _occurs(texts: Iterable[str], value: Any) -> bool:
    return any(find_value_in_text(text, value) for text in texts)


# Check digits --------------------------------------------------------------------------------------------------------------------------


def _is_iban(code: str) -> bool:
    digits = "".join(str(int(letter, 36)) for letter in code[4:] + code[:4])
    return int(digits) % 97 == 1


def _is_gtin(code: str) -> bool:
    weighted = sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(reversed(code)))
    return weighted % 10 == 0


def _is_isbn10(code: str) -> bool:
    values = [10 if digit == "X" else int(digit) for digit in code]
    return sum(value * (10 - at) for at, value in enumerate(values)) % 11 == 0


def _is_luhn(code: str) -> bool:
    total = 0
    for at, digit in enumerate(reversed(code)):
        doubled = int(digit) * (2 if at % 2 else 1)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


_SCHEMES: Final[Sequence[tuple[str, str, str, Callable[[str], bool]]]] = (
    ("IBAN", r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", "", _is_iban),
    ("ISBN-10", r"\d{9}[\dX]", "isbn", _is_isbn10),
    ("GTIN", r"\d{8}|\d{12,14}", "isbn|ean|gtin|upc|barcode", _is_gtin),
    ("Luhn", r"\d{12,19}", "card|imei|luhn|siren|siret|account", _is_luhn),
)
"""Name, form, words of the field's name that it needs (none if the form is enough), and the test of the check digit."""


def compare_check_digits(path: str, expected: Any, suggested: Any) -> LabelEvidence | None:
    """Whether the check digit of one of the two values is right and that of the other wrong."""
    if len(list_accepted(expected)) != 1 or not isinstance(suggested, str | int) or not isinstance(expected, str | int):
        return None
    codes = [re.sub(r"[\s./-]", "", str(value)).upper() for value in (expected, suggested)]
    for name, form, words, is_valid in _SCHEMES:
        if words and not re.search(words, path.casefold()):
            continue
        if not all(re.fullmatch(form, code) for code in codes):
            continue
        expected_is_valid, suggested_is_valid = (is_valid(code) for code in codes)
        if suggested_is_valid and not expected_is_valid:
            return LabelEvidence(
                kind="check_digit",
                text=f"the check digit of the expected value is wrong ({name}), that of the systems' is right",
                weight=1.0,
            )
        if expected_is_valid and not suggested_is_valid:
            return LabelEvidence(
                kind="check_digit",
                text=f"the check digit of the expected value is right ({name}), that of the systems' is wrong",
                weight=-1.0,
            )
    return None


# Totals --------------------------------------------------------------------------------------------------------------------------------

_MIN_RECORDS: Final = 5
_MIN_SHARE: Final = 0.8
_MAX_NUMBERS: Final = 14
_SLACK: Final = 0.011
"""Amounts are rounded to cents, each of them by itself."""

Numbers = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Identity:
    """A sum that most records satisfy: `total = subtotal + tax`, `total = sum of line_items[*].amount`."""

    total: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.total} = {' + '.join(f'sum of {part}' if '[*]' in part else part for part in self.parts)}"

    def holds(self, numbers: Numbers) -> bool | None:
        """True or False; None if the record lacks one of the numbers."""
        if self.total not in numbers or any(part not in numbers for part in self.parts):
            return None
        return abs(numbers[self.total] - sum(numbers[part] for part in self.parts)) <= _SLACK


class RecordTotals:
    """The sums that the expected records satisfy, found from the records themselves."""

    def __init__(self, records: Iterable[Any]) -> None:
        numbers = [dict(_list_numbers(record)) for record in records]
        self.identities = _find_identities(numbers)

    def compare(self, record: Any, path: str, suggested: Any) -> LabelEvidence | None:
        """Whether a sum holds with the expected value and not with the suggested one, or the reverse."""
        number = to_number(suggested)
        if number is None or not self.identities:
            return None
        before = dict(_list_numbers(record))
        after = dict(_list_numbers(_with_value(record, path, suggested)))
        field = _generalize(path)
        for identity in self.identities:
            if field not in (identity.total, *identity.parts):
                continue
            held, holds = identity.holds(before), identity.holds(after)
            if holds and held is False:
                return LabelEvidence(
                    kind="total", text=f"{identity} adds up with the systems' value and not with the expected one", weight=1.0
                )
            if held and holds is False:
                return LabelEvidence(
                    kind="total", text=f"{identity} adds up with the expected value and not with the systems' one", weight=-1.0
                )
        return None


def _list_numbers(record: Any) -> Iterator[tuple[str, float]]:
    """The numbers of a record by path; those of the items of a list as their sum."""
    sums: dict[str, float] = {}
    stack: list[tuple[Any, tuple[Step, ...]]] = [(record, ())]
    while stack:
        value, steps = stack.pop()
        accepted = list_accepted(value)
        if len(accepted) == 1:
            value = accepted[0]
        elif isinstance(value, dict) and "$any" in value:
            value = None  # several accepted values have no one number
        if isinstance(value, dict):
            stack += reversed([(inner, (*steps, str(key))) for key, inner in value.items()])
        elif isinstance(value, list):
            stack += reversed([(inner, (*steps, EACH)) for inner in value])
        elif steps:
            number = to_number(value)
            if number is not None:
                sums[render_path(steps)] = sums.get(render_path(steps), 0.0) + float(number)
    yield from sums.items()


def _find_identities(records: Sequence[Numbers]) -> list[Identity]:
    counts = Counter(path for record in records for path in record)
    frequent = [path for path, count in counts.most_common(_MAX_NUMBERS) if count >= _MIN_RECORDS]
    identities: list[Identity] = []
    for total in frequent:
        others = [path for path in frequent if path != total]
        for size in (1, 2, 3):
            for parts in combinations(others, size):
                identity = Identity(total, parts)
                if size == 1 and "[*]" not in parts[0]:
                    continue  # two equal fields are no sum
                if _is_law(identity, records):
                    identities.append(identity)
    return identities


def _is_law(identity: Identity, records: Sequence[Numbers]) -> bool:
    """True if most records satisfy the sum, and its parts are not simply zero."""
    held = [holds for record in records if (holds := identity.holds(record)) is not None]
    if len(held) < _MIN_RECORDS or sum(held) < _MIN_SHARE * len(held):
        return False
    telling = [record for record in records if identity.holds(record) and all(record[part] for part in identity.parts)]
    return len(telling) >= _MIN_RECORDS


def _parse(path: str) -> tuple[Step, ...]:
    try:
        return () if path == ROOT else Path.parse(path).steps
    except MalformedPath:
        return ()


def _generalize(path: str) -> str:
    return render_path(EACH if isinstance(step, int) else step for step in _parse(path))


def _with_value(record: Any, path: str, value: Any) -> Any:
    """A copy of the record with another value at a path; other parts are shared."""
    steps = _parse(path)
    if not steps:
        return value
    head, rest = steps[0], render_path(steps[1:])
    if isinstance(record, dict):
        inner = value_at(record, (head,))
        return {**record, str(head): _with_value(inner, rest, value) if len(steps) > 1 else value}
    if isinstance(record, list) and isinstance(head, int) and head < len(record):
        items = list(record)
        items[head] = _with_value(items[head], rest, value) if len(steps) > 1 else value
        return items
    return record
