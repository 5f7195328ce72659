"""Checks of the output text, each 1 or 0: contained texts, patterns, length, JSON."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, TypeAlias

import orjson
import re2

from fieldwise.dataclass import dataclass
from fieldwise.kernels.text_normalize import fold_case
from fieldwise.kernels.values import to_nfc, values_equal
from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.batch import Batch
from fieldwise.model.bounds import Ge, MinLen
from fieldwise.model.options import OptionProblem
from fieldwise.model.result import Result, Results
from fieldwise.model.values import MISSING, Value, json_kind
from fieldwise.registry import evaluator
from fieldwise.specs import EvaluatorExample

CheckTexts: TypeAlias = Annotated[str, MinLen(1)] | Annotated[tuple[Annotated[str, MinLen(1)], ...], MinLen(1)]
"""A text, or several."""
CheckMode: TypeAlias = Literal["all", "any"]
MAX_QUOTED: Final = 60
"""Longest text that hits and misses quote in full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainsCheck:
    """Texts that the output must contain."""

    value: CheckTexts | None = None
    """A text or a list of texts; default: the expected value of the case."""
    mode: CheckMode = "all"
    """With several texts: `all` must be present, or `any` one of them."""
    negate: bool = False
    """None of the texts may be present; with `mode: any`, at least one must be absent."""

    def problems(self) -> Iterable[OptionProblem]:
        """Blank texts."""
        return blank_text_problems(self.value)


@evaluator(
    reads="case",
    needs_expected=False,
    version=1,
    metrics=(),
    examples=[
        EvaluatorExample(options={"value": ["refund", "30 days"]}, actual="A refund takes 14 days.", key_order_matters=True),
        EvaluatorExample(options={"value": "x"}, perfect="x y", key_order_matters=True),
        EvaluatorExample(options={"negate": True, "value": ["xx", "2025"], "mode": "any"}, perfect="x", key_order_matters=True),
        EvaluatorExample(perfect="x y", key_order_matters=True),
    ],
)
def contains(batch: Batch, config: ContainsCheck) -> Results:
    """1 if the output contains a text, or each of several, else 0. Case-sensitive; `icontains` ignores case.

    >>> import fieldwise as fw
    >>> result = fw.evaluate({"type": "contains", "value": ["refund", "30 days"]}, actual="A refund takes 14 days.")
    >>> result.score, result.hits, result.misses
    (0.0, ['contains: "refund"'], ['contains: "30 days"'])
    """

    def holds(output: str, text: str) -> bool:
        return to_nfc(text) in to_nfc(output)

    return check_outputs(batch, "contains", config.value, holds, mode=config.mode, negate=config.negate)


@evaluator(
    reads="case",
    needs_expected=False,
    version=1,
    metrics=(),
    examples=[
        EvaluatorExample(options={"value": ["sorry", "i cannot"], "negate": True}, actual="Sorry, no.", key_order_matters=True),
        EvaluatorExample(options={"value": ["X", "é"], "mode": "any"}, perfect="ax", key_order_matters=True),
    ],
)
def icontains(batch: Batch, config: ContainsCheck) -> Results:
    """1 if the output contains a text, or each of several, ignoring case, else 0.

    >>> import fieldwise as fw
    >>> fw.evaluate({"type": "icontains", "value": "Refund"}, actual="NO REFUND").hits
    ['icontains: "Refund"']
    """

    def holds(output: str, text: str) -> bool:
        return fold_case(text) in fold_case(output)

    return check_outputs(batch, "icontains", config.value, holds, mode=config.mode, negate=config.negate)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextAlternatives:
    """Texts of which one must match."""

    value: CheckTexts | None = None
    """A text, or a list of texts of which one is enough; default: the expected value of the case."""
    ignore_case: bool = False
    """Upper and lower case are the same."""
    negate: bool = False
    """None of the texts may match."""

    def problems(self) -> Iterable[OptionProblem]:
        """Blank texts."""
        return blank_text_problems(self.value)


@evaluator(
    reads="case",
    needs_expected=False,
    version=1,
    metrics=(),
    examples=[
        EvaluatorExample(options={"value": ["Dear", "Hello"]}, actual="Dear Ms Lee", key_order_matters=True),
        EvaluatorExample(perfect="ax", key_order_matters=True),
        EvaluatorExample(options={"value": "a", "negate": True}, perfect="x", key_order_matters=True),
    ],
)
def starts_with(batch: Batch, config: TextAlternatives) -> Results:
    """1 if the output starts with a text, or with one of several, else 0. Whitespace around the output is ignored.

    >>> import fieldwise as fw
    >>> fw.evaluate({"type": "starts_with", "value": ["Dear", "regards"]}, actual=" Dear Ms Lee, … With regards ").score
    1.0
    """
    return _check_alternatives(batch, "starts_with", config, str.startswith)


@evaluator(
    reads="case",
    needs_expected=False,
    version=1,
    metrics=(),
    examples=[
        EvaluatorExample(options={"value": "regards", "ignore_case": True}, actual="Kind Regards", key_order_matters=True),
        EvaluatorExample(perfect="ax", key_order_matters=True),
        EvaluatorExample(options={"value": ["x", "é"], "ignore_case": True}, perfect="aX", key_order_matters=True),
    ],
)
def ends_with(batch: Batch, config: TextAlternatives) -> Results:
    """1 if the output ends with a text, or with one of several, else 0. Whitespace around the output is ignored.

    >>> import fieldwise as fw
    >>> fw.evaluate({"type": "ends_with", "value": ["Dear", "regards"]}, actual=" Dear Ms Lee, … With regards ").score
    1.0
    """
    return _check_alternatives(batch, "ends_with", config, str.endswith)


@evaluator(
    reads="case",
    needs_expected=False,
    version=2,
    metrics=(),
    examples=[
        EvaluatorExample(options={"ignore_case": True}, expected="Approved", actual=" APPROVED", key_order_matters=True),
        EvaluatorExample(perfect="ax", key_order_matters=True),
        EvaluatorExample(options={"value": "xx", "negate": True}, perfect="x", key_order_matters=True),
    ],
)
def equals(batch: Batch, config: TextAlternatives) -> Results:
    """1 if the output equals a text, or one of several, else 0. Whitespace around it is ignored; other values are compared as JSON.

    >>> import fieldwise as fw
    >>> fw.evaluate({"type": "equals", "ignore_case": True}, expected="Approved", actual=" APPROVED").score
    1.0
    >>> fw.evaluate({"type": "equals"}, expected={"a": 100}, actual={"a": 100.0}).score
    1.0
    """
    return _check_alternatives(batch, "equals", config, str.__eq__, _has_expected_value)


def _has_expected_value(batch: Batch, row: int) -> bool:
    """True if the output of a case is the expected JSON value: 100 is 100.0. False where either side is text or there are several texts."""
    expected, actual = batch.cases.expected[row], batch.cases.actual[row]
    is_text = isinstance(expected, str) or isinstance(actual, str)
    accepts_texts = accepted_values(expected) is not None or _is_text_list(expected)
    return not is_text and not accepts_texts and values_equal(expected, actual)


def _check_alternatives(
    batch: Batch,
    name: str,
    config: TextAlternatives,
    agree: Callable[[str, str], bool],
    agree_as_values: Callable[[Batch, int], bool] | None = None,
) -> Results:
    """Check `agree(output, text)` after trimming; one text is enough, or with `negate` each must fail."""
    normalize = fold_case if config.ignore_case else to_nfc

    def holds(output: str, text: str) -> bool:
        return agree(normalize(output).strip(), normalize(text).strip())

    mode: CheckMode = "all" if config.negate else "any"
    return check_outputs(batch, name, config.value, holds, mode=mode, negate=config.negate, holds_as_value=agree_as_values)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegexCheck:
    """Patterns to search for."""

    value: CheckTexts
    """A pattern or a list of patterns. A leading `(?i)` ignores case."""
    mode: CheckMode = "all"
    """With several patterns: `all` must match, or `any` one of them."""
    negate: bool = False
    """No pattern may match; with `mode: any`, at least one must not match."""

    def problems(self) -> Iterable[OptionProblem]:
        """Patterns that do not compile."""
        for pattern in unique_texts(self.value):
            reason = _compile_error(pattern)
            if reason:
                fix = "patterns have RE2 syntax: no look-around, no back-references"
                yield "value", f"the pattern `{pattern}` cannot be read: {reason}", fix


@evaluator(
    reads="text",
    needs_expected=False,
    version=1,
    metrics=(),
    examples=[
        EvaluatorExample(options={"value": r"(?i)case #\d{4}"}, actual="Your Case #0042 is open.", key_order_matters=True),
        EvaluatorExample(options={"value": "a|x"}, perfect="ax", key_order_matters=True),
        EvaluatorExample(options={"value": ["a", "é"], "negate": True}, perfect="x", key_order_matters=True),
    ],
)
def regex(batch: Batch, config: RegexCheck) -> Results:
    r"""1 if a pattern, or each of several, matches anywhere in the output, else 0.

    Use `^` and `$` to match the whole output. The syntax is RE2's, without back-references and look-around, so that the time of a search
    is proportional to the text for every pattern.

    >>> import fieldwise as fw
    >>> fw.evaluate({"type": "regex", "value": r"(?i)case #\d{4}"}, actual="Your case #0042 is open.").score
    1.0
    """

    def holds(output: str, pattern: str) -> bool:
        return _compile_pattern(pattern).search(_replace_surrogates(to_nfc(output))) is not None

    return check_outputs(batch, "regex", config.value, holds, mode=config.mode, negate=config.negate)


@lru_cache(maxsize=256)  # the same few patterns are searched in every output of a run
def _compile_pattern(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    return re2.compile(to_nfc(pattern), options)


def _compile_error(pattern: str) -> str | None:
    try:
        _compile_pattern(pattern)
    except re2.error as error:
        message = error.args[0] if error.args else ""
        return message.decode(errors="replace") if isinstance(message, bytes) else str(message)
    return None


def _replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def unique_texts(value: str | Sequence[str]) -> list[str]:
    """One text or several as a list without duplicates."""
    return [value] if isinstance(value, str) else list(dict.fromkeys(value))


def blank_text_problems(value: str | Sequence[str] | None) -> Iterable[OptionProblem]:
    """Texts of whitespace alone, which nearly every output contains."""
    if value is not None and any(not text.strip() for text in unique_texts(value)):
        yield "value", "`value` has a blank text", "write the text to look for"


def quote(text: str) -> str:
    """A text in quotes, shortened, for hits and misses.

    >>> quote("refund"), quote("a" * 80)[-3:]
    ('"refund"', 'a…"')
    """
    return f'"{text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 1] + "…"}"'


def check_outputs(
    batch: Batch,
    name: str,
    value: str | Sequence[str] | None,
    holds: Callable[[str, str], bool],
    *,
    mode: CheckMode,
    negate: bool,
    holds_as_value: Callable[[Batch, int], bool] | None = None,
) -> Results:
    """Check each output by `holds(output, text)` for every text of `value`, or of the case's expected value where `value` is None.

    In the latter case, `holds_as_value(batch, row)` is enough too: it compares the values rather than their texts.
    """
    results: list[Result] = []
    for row, output in enumerate(batch.actual_texts):
        texts = unique_texts(value) if value is not None else expected_check_texts(batch, row)
        if texts:
            is_expected_value = value is None and holds_as_value is not None and holds_as_value(batch, row)
            outcomes = {text: is_expected_value or holds(output, text) for text in texts}
            accepts_several = value is None and accepted_values(batch.cases.expected[row]) is not None
            results.append(check_result(name, outcomes, mode="any" if accepts_several and not negate else mode, negate=negate))
        else:
            results.append(Result(status="skipped", reasoning=f"`{name}` has no `value`, and the case expects no text"))
    return Results.from_results(results)


def expected_check_texts(batch: Batch, row: int) -> list[str]:
    """The texts that a case expects: the accepted ones of several (`{"$any": […]}`), the items of a list of texts, else one text;
    empty if it expects none or a blank one."""
    expected: Any = batch.cases.expected[row]
    accepted = accepted_values(expected)
    if accepted is not None:
        return unique_texts([text for text in accepted if isinstance(text, str) and text.strip()])
    if _is_text_list(expected):
        return unique_texts(expected)
    text = batch.expected_texts[row] if expected is not MISSING and expected is not None else ""
    return [text] if text.strip() else []


def _is_text_list(expected: Any) -> bool:
    """True for a list of texts, each of which is expected."""
    return json_kind(expected) == "list" and bool(expected) and all(isinstance(item, str) and item.strip() for item in expected)


def check_result(name: str, outcomes: Mapping[str, bool], *, mode: CheckMode = "all", negate: bool = False) -> Result:
    """The result of a check from what holds for each text.

    >>> check_result("contains", {"refund": True, "sorry": True}, negate=True).misses
    ['not contains: "refund"', 'not contains: "sorry"']
    """
    label = f"not {name}" if negate else name
    satisfied = [f"{label}: {quote(text)}" for text, holds in outcomes.items() if holds != negate]
    violated = [f"{label}: {quote(text)}" for text, holds in outcomes.items() if holds == negate]
    passed = not violated if mode == "all" else bool(satisfied)
    if passed:
        return Result(score=1.0, hits=satisfied, reasoning="; ".join(satisfied))
    return Result(score=0.0, hits=satisfied, misses=violated, reasoning=f"failed: {'; '.join(violated)}")


def single_check_result(label: str, passed: bool, reason: str, **metrics: float) -> Result:
    """The result of a check with one outcome; `reason` is the measured value."""
    text = f"{label} ({reason})"
    return Result(
        score=float(passed),
        hits=[text] if passed else [],
        misses=[] if passed else [text],
        reasoning=f"{label}: {reason}",
        metrics=metrics,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """Bounds on the length of the output."""

    min: Annotated[int, Ge(0)] | None = None
    """Minimum length."""
    max: Annotated[int, Ge(0)] | None = None
    """Maximum length."""
    unit: Literal["characters", "words", "lines"] = "characters"
    """Words are separated by whitespace."""
    negate: bool = False
    """The length must be outside of the bounds."""

    def problems(self) -> Iterable[OptionProblem]:
        """No bound, or bounds that exclude each other."""
        if self.min is None and self.max is None:
            yield "", "`length` has no bound", "add `min`, `max` or both"
        if self.min is not None and self.max is not None and self.min > self.max:
            yield "min", f"nothing is at least {self.min} and at most {self.max} long", "swap `min` and `max`"


@evaluator(
    reads="text",
    needs_expected=False,
    counts=("length",),
    version=1,
    metrics=("length",),
    examples=[
        EvaluatorExample(options={"max": 3, "unit": "words"}, actual="The total is 12", key_order_matters=True),
        EvaluatorExample(options={"min": 1}, perfect="x", key_order_matters=True),
        EvaluatorExample(options={"max": 3, "unit": "words"}, perfect="a b", key_order_matters=True),
    ],
)
def length(batch: Batch, config: Length) -> Results:
    """1 if the length of the output is within the bounds, else 0.

    >>> import fieldwise as fw
    >>> fw.evaluate({"type": "length", "max": 3, "unit": "words"}, actual="The total is 12").misses
    ['length (4 words, at most 3)']
    """
    return Results.from_results([_check_length(text, config) for text in batch.actual_texts])


def _check_length(text: str, config: Length) -> Result:
    size = _measure_length(text, config.unit)
    too_short = config.min is not None and size < config.min
    too_long = config.max is not None and size > config.max
    bounds: list[str] = []
    if config.min is not None:
        bounds.append(f"at least {config.min}")
    if config.max is not None:
        bounds.append(f"at most {config.max}")
    unit = config.unit.removesuffix("s") if size == 1 else config.unit
    passed = (too_short or too_long) == config.negate
    return single_check_result(check_label("length", config.negate), passed, f"{size} {unit}, {' and '.join(bounds)}", length=size)


def _measure_length(text: str, unit: str) -> int:
    if unit == "characters":
        return len(to_nfc(text))
    return len(text.split()) if unit == "words" else len(text.splitlines())


def check_label(name: str, negate: bool) -> str:
    """The label of a check in hits and misses."""
    return f"not {name}" if negate else name


@dataclass(frozen=True, slots=True, kw_only=True)
class IsJson:
    """What counts as JSON."""

    kind: Literal["any", "object", "list"] = "any"
    """The required type of the JSON value."""
    anywhere: bool = False
    """Also accept JSON in a code fence, with prose around it or with a trailing comma, as evaluators of records do."""
    negate: bool = False
    """The output must not be JSON, or not of that type."""


@evaluator(
    reads="case",
    needs_expected=False,
    version=1,
    metrics=(),
    examples=[
        EvaluatorExample(options={"kind": "object"}, actual='{"total": 12}'),
        EvaluatorExample(perfect={"a": "x", "b": [1, {"c": 2.5}], "é": {"a": True, "b": None}}),
        EvaluatorExample(options={"anywhere": True, "kind": "object"}, perfect='{"a": 1}'),
        EvaluatorExample(options={"negate": True}, perfect="x", key_order_matters=True),
    ],
)
def is_json(batch: Batch, config: IsJson) -> Results:
    """1 if the output is JSON, else 0. An output that is not text was parsed from JSON already and counts as JSON.

    >>> import fieldwise as fw
    >>> fw.evaluate({"type": "is_json"}, actual='Here you are: {"total": 12}').misses
    ['is_json (there is more than JSON, or the JSON is broken)']
    >>> fw.evaluate({"type": "is_json", "anywhere": True}, actual='Here you are: {"total": 12}').score
    1.0
    """
    return Results.from_results([_check_json(batch, row, config) for row in range(len(batch))])


def _check_json(batch: Batch, row: int, config: IsJson) -> Result:
    actual = batch.cases.actual[row]
    if not isinstance(actual, str):
        value: Any = actual
    elif config.anywhere:
        value = batch.records.actual[row]
    else:
        value = _parse_json(actual)
    is_valid, reason = _judge_json(value, config)
    return single_check_result(check_label("is_json", config.negate), is_valid != config.negate, reason)


def _judge_json(value: Value, config: IsJson) -> tuple[bool, str]:
    if value is MISSING:
        return False, "there is no JSON" if config.anywhere else "there is more than JSON, or the JSON is broken"
    actual_kind = json_kind(value)
    return config.kind in ("any", actual_kind), actual_kind


def _parse_json(text: str) -> Any:
    try:
        return orjson.loads(text.encode())
    except ValueError:  # includes UnicodeEncodeError for a lone surrogate
        return MISSING
