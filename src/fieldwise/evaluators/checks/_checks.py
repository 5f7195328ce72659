"""What the checks of a text have in common: the texts they look for, and a result that is 1 or 0."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias

from annotated_types import MinLen

from fieldwise.kernels.strings import fold_case
from fieldwise.kernels.values import nfc
from fieldwise.model.batch import Batch
from fieldwise.model.options import Problem
from fieldwise.model.result import Result, Results
from fieldwise.model.values import MISSING, kind

Wanted: TypeAlias = Annotated[str, MinLen(1)] | Annotated[tuple[Annotated[str, MinLen(1)], ...], MinLen(1)]
"""A text, or several."""
Mode: TypeAlias = Literal["all", "any"]
_LONGEST: Final = 60


def texts_of(value: str | Sequence[str]) -> list[str]:
    """One text or several as a list, each once."""
    return [value] if isinstance(value, str) else list(dict.fromkeys(value))


def blank_texts(value: str | Sequence[str] | None) -> Iterable[Problem]:
    """Texts of nothing but spaces, which nearly every text has."""
    if value is not None and any(not text.strip() for text in texts_of(value)):
        yield "value", "`value` has a blank text", "write what to look for"


def quoted(text: str) -> str:
    """A text as hits and misses show it.

    >>> quoted("refund"), quoted("a" * 80)[-3:]
    ('"refund"', 'a…"')
    """
    return f'"{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"}"'


def composed(text: str, ignore_case: bool) -> str:
    """A text as it is compared: in Unicode's composed form, without letter case if asked."""
    return fold_case(text) if ignore_case else nfc(text)


def check_texts(
    batch: Batch, name: str, value: str | Sequence[str] | None, holds: Callable[[str, str], bool], *, mode: Mode, negate: bool
) -> Results:
    """Check each output against texts, those written or those the case expects. `holds(output, text)` is asked once per text."""
    results: list[Result] = []
    for row, output in enumerate(batch.actual_texts):
        wanted = texts_of(value) if value is not None else expected_texts(batch, row)
        if wanted:
            results.append(result_of(name, {text: holds(output, text) for text in wanted}, mode=mode, negate=negate))
        else:
            results.append(Result(status="skipped", reasoning=f"`{name}` has no `value`, and the case expects no text"))
    return Results.from_results(results)


def expected_texts(batch: Batch, row: int) -> list[str]:
    """The texts a case expects: those of a list of texts, else the one; none where it expects nothing, or empty text."""
    expected: Any = batch.cases.expected[row]
    if kind(expected) == "list" and expected and all(isinstance(item, str) and item.strip() for item in expected):
        return texts_of(expected)
    text = batch.expected_texts[row] if expected is not MISSING and expected is not None else ""
    return [text] if text.strip() else []


def result_of(name: str, found: Mapping[str, bool], *, mode: Mode = "all", negate: bool = False) -> Result:
    """A result from what holds. With `negate`, each must not hold; `mode` says whether all must be as asked or one is enough.

    >>> result_of("contains", {"refund": True, "sorry": True}, negate=True).misses
    ['not contains: "refund"', 'not contains: "sorry"']
    """
    label = f"not {name}" if negate else name
    good = [f"{label}: {quoted(text)}" for text, there in found.items() if there != negate]
    bad = [f"{label}: {quoted(text)}" for text, there in found.items() if there == negate]
    passed = not bad if mode == "all" else bool(good)
    why = "; ".join(good if passed else bad)
    return Result(score=float(passed), hits=good, misses=[] if passed else bad, reasoning=why if passed else f"not so: {why}")


def single(label: str, passed: bool, why: str, **metrics: float) -> Result:
    """The result of a check of one thing; `why` says what was found."""
    text = f"{label} ({why})"
    return Result(
        score=float(passed), hits=[text] if passed else [], misses=[] if passed else [text], reasoning=f"{label}: {why}", metrics=metrics
    )
