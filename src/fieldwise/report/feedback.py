"""A result in a few lines, for people and for optimisers of prompts: what is wrong, why, and what to do."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from fieldwise.model.comparison import UNCOUNTED_OUTCOMES, Comparison
from fieldwise.model.result import Result
from fieldwise.report.result_text import FIELD_STATES, describe_cause, describe_mismatch
from fieldwise.report.text_format import format_number, make_visible

if TYPE_CHECKING:
    from fieldwise.store.part_reader import StoredResult

MAX_MISMATCHES: Final = 12
_VALUE_LENGTH: Final = 160


def feedback(result: "Result | StoredResult") -> str:
    """Describe a result in a few lines: the score, each wrong value with its likely cause, and advice for each cause.

    >>> import fieldwise as fw
    >>> config = {"type": "field_accuracy", "fields": ["vendor"]}
    >>> print(fw.feedback(fw.evaluate(config, expected={"vendor": "Acme"}, actual={"vendor": "ACME"})).splitlines()[1])
    - vendor: wrong value: expected Acme, got ACME (letter case)
    """
    plain = result if isinstance(result, Result) else result.result
    return "\n".join(_list_lines(plain))


def feedback_by_field(result: Result) -> dict[str, str]:
    """The feedback of each wrong value by its path, for optimisers that attribute failures to parts of a prompt."""
    texts: dict[str, str] = {}
    for comparison in result.comparisons:
        if comparison.passed or comparison.outcome in UNCOUNTED_OUTCOMES:
            continue
        advice = describe_cause(comparison.cause, comparison.match).advice if comparison.cause else ""
        texts[comparison.path] = f"{_describe_comparison(comparison)}. {advice}".rstrip(". ") + "."
    return texts


def _list_lines(result: Result) -> Iterator[str]:
    verdict = f" ({result.verdict})" if result.verdict else ""
    if result.status == "scored":
        yield f"score {format_number(result.score)}{verdict}: {make_visible(result.reasoning) or 'measured'}"
    else:
        yield f"{_describe_status(result)}: {make_visible(result.reasoning)}"
    wrong = [comparison for comparison in result.comparisons if not comparison.passed and comparison.outcome not in UNCOUNTED_OUTCOMES]
    entries = [_describe_comparison(comparison) for comparison in wrong] or [make_visible(miss) for miss in result.misses]
    yield from (f"- {entry}" for entry in entries[:MAX_MISMATCHES])
    if len(entries) > MAX_MISMATCHES:
        yield f"- and {len(entries) - MAX_MISMATCHES} more"
    advice = [describe_cause(comparison.cause, comparison.match) for comparison in wrong if comparison.cause]
    yield from (f"{text.label}: {text.advice}" for text in dict.fromkeys(advice) if text.advice)


def _describe_status(result: Result) -> str:
    if result.status == "error":
        return "no output that can be read, score 0" if result.details.get("fault") == "system" else "not measured: evaluation error"
    return f"not measured: {result.status}"


def _describe_comparison(comparison: Comparison) -> str:
    text = describe_mismatch(comparison, _VALUE_LENGTH)
    reason = text.cause or comparison.note or ""
    outcome = FIELD_STATES[comparison.outcome].word
    sentence = f"{comparison.path}: {outcome}: expected {text.expected}, got {text.actual}"
    return make_visible(f"{sentence} ({reason})" if reason else sentence)
