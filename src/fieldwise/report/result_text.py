"""Texts and dictionaries of results and comparisons. Every report, page and plug-in that shows a result uses these functions."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from fieldwise.dataclass import dataclass
from fieldwise.model.comparison import Comparison
from fieldwise.model.result import Result
from fieldwise.model.summary import EvaluatorSummary
from fieldwise.registry import CAUSES, EVALUATORS, cause_label
from fieldwise.report.text_format import format_number, format_value, truncate

ABSENT: Final = "missing"
"""Shown for a side without a value; the string "missing" is shown in quotes."""
UNMEASURED: Final = ("fault", "unavailable", "skipped")
"""Displayed verdicts of results that are not a measurement."""


@dataclass(frozen=True, slots=True)
class FieldState:
    """How a field of a case is shown: the name of its colour, its sign and its words."""

    name: str
    sign: str
    word: str


FIELD_STATES: Final = {
    state.name: state
    for state in (
        FieldState("match", "·", "match"),
        FieldState("close", "≈", "match, not identical"),
        FieldState("partly", "◐", "some items match"),
        FieldState("wrong_value", "≠", "wrong value"),
        FieldState("format_error", "T", "wrong type"),
        FieldState("omission", "−", "omission"),
        FieldState("hallucination", "+", "hallucination"),
        FieldState("fault", "!", "not compared"),
        FieldState("both_absent", "", "absent on both sides"),
        FieldState("ignored", "/", "ignored"),
        FieldState("nothing", "", "not in this case"),
    )
}
"""Every outcome, `close` (a match that is not identical), and two states of a field with several items or none."""
ERROR_OUTCOMES: Final = ("wrong_value", "format_error", "omission", "hallucination", "fault")


def field_state_name(comparison: Comparison) -> str:
    """Name the state of one comparison, a key of `FIELD_STATES`."""
    if comparison.outcome != "match":
        return comparison.outcome
    return "match" if comparison.similarity is None or comparison.similarity >= 1 else "close"


_TYPED_RULES: Final = frozenset(
    "numeric numeric_tolerance money date datetime duration quantity boolean code country currency language".split()  # noqa: SIM905
)
"""First words of the rules whose match reads a type: text matches would accept wrong values there."""


class CauseText(NamedTuple):
    """What reports say about a cause."""

    label: str
    advice: str


def describe_cause(name: str, rule: str = "") -> CauseText:
    """Look up the label and the advice of a cause; the name itself if the package that registered it is not installed.

    `rule` is the match of the field as `rule_text` writes it: where the field has the advised match already, the advice is another one.

    >>> describe_cause("date_format", "exact").advice == describe_cause("date_format", "date").advice
    False
    >>> describe_cause("typo", "money ± 0.01").advice
    'Check such values against a list, a sum or a checksum.'
    >>> describe_cause("ocr").label, describe_cause("cause_of_a_removed_plugin").label
    ('look-alike characters', 'cause of a removed plugin')
    """
    try:
        spec = CAUSES.find(name)
    except KeyError:
        return CauseText(cause_label(name), "")
    is_followed = any(rule.startswith(match.removesuffix("_tolerance")) for match in spec.advised) if rule else False
    if is_followed:
        return CauseText(spec.label, spec.advice_if_followed)
    if spec.advice_if_typed and rule.replace(",", " ").partition(" ")[0] in _TYPED_RULES:
        return CauseText(spec.label, spec.advice_if_typed)
    return CauseText(spec.label, spec.advice)


class MismatchText(NamedTuple):
    """A comparison in words. `cause` and `advice` are empty if no cause was found."""

    expected: str
    actual: str
    cause: str
    advice: str


def describe_mismatch(comparison: Comparison, limit: int) -> MismatchText:
    """Describe both sides, each in at most `limit` characters, and the likely cause."""
    label, advice = describe_cause(comparison.cause, comparison.match) if comparison.cause else ("", "")
    return MismatchText(
        expected=_format_side(comparison.expected, comparison.expected_presence, limit),
        actual=_format_side(comparison.actual, comparison.actual_presence, limit),
        cause=label,
        advice=advice,
    )


def _format_side(value: Any, presence: str, limit: int) -> str:
    return ABSENT if presence == "missing" else truncate(format_value(value), limit)


def displayed_verdict(result: Result) -> str:
    """Name the verdict a page shows.

    A result that is not a measurement shows its status: it has score 0, and its verdict would read as a failure of the system.
    """
    if result.status == "error" and result.details.get("fault") == "ours":
        return "fault"
    return result.status if result.status in UNMEASURED else result.verdict or result.status


def result_to_json(case: str, evaluator: str, result: Result) -> dict[str, Any]:
    """Convert a result to a JSON object with the case and the evaluator it belongs to."""
    return {"case": case, "evaluator": evaluator, **result.to_json()}


def describe_cost(evaluator: EvaluatorSummary) -> str:
    """The expected cost of errors per 1,000 documents with its interval; empty for evaluators that measure no cost."""
    metric = evaluator.metrics.get("per_case")
    if metric is None or evaluator.type != "error_cost":
        return ""
    interval = "" if metric.low is None or metric.high is None else f" [{1000 * max(metric.low, 0.0):,.0f} to {1000 * metric.high:,.0f}]"
    return f"{1000 * metric.value:,.0f}{interval} per 1,000 documents"


_COUNTING_WORDS: Final = {"fp_fn": "FP and FN", "fp": "FP only"}


def describe_other_counting(evaluator: EvaluatorSummary) -> str:
    """What a wrong value counts as in `field_prf`, and macro and micro F1 if it counted otherwise; empty for other evaluators."""
    for alternative, counting in (("fp", "fp_fn"), ("fp_fn", "fp")):
        macro, micro = (evaluator.metrics.get(f"{average}_f1_{alternative}") for average in ("macro", "micro"))
        if macro is not None and micro is not None:
            figures = f"macro F1 {format_number(macro.value)}, micro F1 {format_number(micro.value)} if a wrong value counts as"
            return f"substitution_counts: {counting} ({_COUNTING_WORDS[counting]}); {figures} {_COUNTING_WORDS[alternative]}"
    return ""


def maximum_score(evaluator: EvaluatorSummary) -> float:
    """Compute the score of a perfect output: 1, except for json_quality the sum of its positive weights."""
    score, normalized = evaluator.metrics.get("score"), evaluator.metrics.get("rqs_normalized")
    return min(score.value / normalized.value, 1.0) if score and normalized and normalized.value else 1.0


def describe_maximum(evaluator: EvaluatorSummary) -> str:
    """The score of a perfect output where it is below 1; empty for other evaluators."""
    maximum = maximum_score(evaluator)
    if maximum > 1.0 - 1e-6:
        return ""
    safety = " (safety is not measured and counts as 1)" if "unmeasured_safety" in evaluator.flags else ""
    return f"a perfect output scores {maximum:.3g}{safety}; rqs_normalized divides by that"


def describe_score(evaluator: EvaluatorSummary) -> str:
    """What a reader must know to interpret the score, if anything."""
    return describe_other_counting(evaluator) or describe_cost(evaluator) or describe_maximum(evaluator)


def count_metrics(evaluator_type: str) -> Sequence[str]:
    """The metrics of an evaluator type that are counts."""
    try:
        return EVALUATORS.find(evaluator_type).counts
    except LookupError:  # an evaluator of a package that is no longer installed
        return ()


def format_case_metric(value: float, *, count: bool) -> str:
    """Format a metric of one case: a share with decimals, a count without.

    >>> format_case_metric(1.0, count=False), format_case_metric(1.0, count=True), format_case_metric(True, count=False)
    ('1.000', '1', 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,.0f}" if count else format_number(float(value))
