"""Shared by `money`, `numeric_tolerance` and `quantity`: what a column shows about the decimal mark of `1,234` and `1.234`."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, Protocol, TypeVar

from fieldwise.kernels.numerals import DecimalMark
from fieldwise.matchers._date_survey import MIN_SHARE, count_texts

DecimalName = Literal["point", "comma"]
MARKS: Final[Mapping[DecimalName | None, DecimalMark | None]] = {None: None, "point": ".", "comma": ","}
_UNDECIDED: Final = "undecided"
NO_DECIMAL_EVIDENCE: Final = r'null|true|false|-?[0-9][0-9.eE+-]*|"[^".,]*"'
"""JSON numbers, and texts without a point or comma."""


class DecimalOptions(Protocol):
    """Options with the decimal marks of both sides."""

    @property
    def decimal(self) -> DecimalName | None: ...
    @property
    def actual_decimal(self) -> DecimalName | None: ...


OptionsT = TypeVar("OptionsT", bound=DecimalOptions)


def marks_of(config: DecimalOptions) -> tuple[DecimalMark | None, DecimalMark | None]:
    """The decimal marks of expected and of actual values."""
    return MARKS[config.decimal], MARKS[config.actual_decimal or config.decimal]


def reads_sides_apart(config: DecimalOptions) -> bool:
    """True if the same text may be another number on the other side."""
    return config.actual_decimal is not None and config.actual_decimal != config.decimal


def options_of_actual(config: OptionsT) -> OptionsT:
    """The options that actual values are read with."""
    return replace(config, decimal=config.actual_decimal, actual_decimal=None)  # pyright: ignore[reportArgumentType]


def collect_decimal_evidence(values: Sequence[Any], find_sign: Callable[[str], str]) -> Counter[str]:
    """Count the texts whose decimal mark is certain, by that mark, and those that could be read both ways."""
    evidence: Counter[str] = Counter()
    for text, count in count_texts(values).items():
        sign = find_sign(text) if "." in text or "," in text else ""
        if sign:
            evidence[sign] += count
    return evidence


def resolve_decimal(config: OptionsT, evidence: Counter[str], noun: str) -> tuple[OptionsT, str | None]:
    """The options with the decimal marks that the column decides, and what decided them."""
    if not evidence[_UNDECIDED]:
        return config, None
    decimal, sides = _decide(evidence), (_decide(evidence, "expected: "), _decide(evidence, "actual: "))
    if config.actual_decimal is None and None not in sides and sides[0] != sides[1]:
        changes = {"decimal": sides[0], "actual_decimal": sides[1]}
        how = f"a decimal {sides[0]} in expected values and a decimal {sides[1]} in actual values"
    elif decimal is not None:
        changes, how = {"decimal": decimal}, f"a decimal {decimal}"
    else:
        return config, None
    points, commas = _count_marks(evidence)
    counts = f"{commas} {noun} have a decimal comma, {points} a decimal point"
    return replace(config, **changes), f"{evidence[_UNDECIDED]} {noun} that read both ways were read with {how}: {counts}"  # pyright: ignore[reportArgumentType]


def _decide(evidence: Counter[str], side: str = "") -> DecimalName | None:
    """The decimal mark that the texts of a side show; None where they show none or contradict each other."""
    points, commas = _count_marks(evidence, side)
    if not max(points, commas) or max(points, commas) < MIN_SHARE * (points + commas):
        return None
    return "comma" if commas > points else "point"


def _count_marks(evidence: Counter[str], side: str = "") -> tuple[int, int]:
    """Texts with a decimal point and with a decimal comma."""
    points, commas = evidence[side + "."], evidence[side + ","]
    # programs write a point, so that says little about what people wrote with a comma
    return (points, commas) if points + commas else (evidence[side + "plain"], 0)
