"""Cases of a run as reports show them: ranked by score, the lowest field by field, and examples of causes.

Scores are read for all cases; results and values only for the cases that are shown.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import yaml

from fieldwise.dataclass import dataclass
from fieldwise.model.case import Case
from fieldwise.model.comparison import Comparison
from fieldwise.model.result import Result
from fieldwise.model.summary import EvaluatorSummary
from fieldwise.model.values import MISSING, Value
from fieldwise.registry import EVALUATORS
from fieldwise.report.argument_differences import read_argument_differences
from fieldwise.report.picture import draw_case_picture
from fieldwise.report.result_text import FIELD_STATES, UNMEASURED, FieldState, describe_cause, displayed_verdict
from fieldwise.report.text_format import format_value
from fieldwise.report.value_diff import MarkedSides, TextPiece, mark_comparison, mark_texts, plain_pieces

if TYPE_CHECKING:
    from fieldwise.store.run import Run

MAX_ROWS: Final = 40
"""Mismatches shown for one case."""
MAX_MISSES: Final = 60
EXAMPLE_CASES: Final = 16
"""Cases read to find examples of causes; reading a case of a large run takes a moment."""
_NOT_MISMATCHES: Final = ("match", "both_absent", "ignored")
_ROUNDING: Final = 1e-9
"""Added before a score is cut to tenths, so that 0.3 (0.29999…) counts as 0.3."""


@dataclass(frozen=True, slots=True)
class RankedCase:
    """A case with its score."""

    position: int
    """Index of the case in the run."""
    id: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSpread:
    """Distribution of the scores of one evaluator."""

    evaluator: str
    lowest: tuple[RankedCase, ...]
    bins: tuple[int, ...]
    """Number of cases that score from 0 to below 0.1, from 0.1 to below 0.2 and so on; the last bin: exactly 1."""
    measured: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MismatchRow:
    """One field of a case that does not match."""

    path: str
    rule: str
    state: FieldState
    sides: MarkedSides
    similarity: float | None
    cause: str
    """Label of the cause; empty if none was found."""
    advice: str
    note: str
    comparison: Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorVerdict:
    """The result of one evaluator for the case."""

    evaluator: str
    score: float
    verdict: str
    """`pass`, `partial` or `fail`; `fault`, `unavailable` or `skipped` if nothing was measured."""
    reasoning: str
    misses: tuple[str, ...]
    more_misses: int

    @property
    def measured(self) -> bool:
        """True if the score is a measurement."""
        return self.verdict not in UNMEASURED


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseView:
    """A case with its mismatches by the leading evaluator and the verdict of every evaluator."""

    id: str
    anchor: str
    score: float
    labels: tuple[str, ...]
    """Its split and its tags."""
    scores: tuple[EvaluatorVerdict, ...]
    rows: tuple[MismatchRow, ...]
    more_rows: int
    matched: int
    no_output: bool = False
    """True if the system gave no readable output, so that every expected value is an omission."""
    input: tuple[TextPiece, ...] | None = None
    texts: MarkedSides | None = None
    """The whole expected and actual, if no fields were compared; without marks if the rows are arguments of tool calls."""
    picture: str | None = None
    """An SVG as a data URL."""


@dataclass(frozen=True, slots=True)
class MismatchExample:
    """A mismatch that a cause explains, and its case."""

    case: str
    comparison: Comparison


def find_leading_evaluator(evaluators: Sequence[EvaluatorSummary]) -> EvaluatorSummary | None:
    """Return the evaluator whose cases are shown: the first that compares fields, else the first."""
    for evaluator in evaluators:
        if evaluator.fields:
            return evaluator
    return evaluators[0] if evaluators else None


def read_score_spread(run: "Run", evaluator: str, limit: int) -> ScoreSpread:
    """Read the scores of an evaluator; `lowest` has the `limit` lowest measured cases, equal scores in the order of the run."""
    table = run.scores(evaluator)
    if not table.num_rows:
        return ScoreSpread(evaluator=evaluator, lowest=(), bins=(0,) * 11, measured=0)
    score = table.column("score").to_numpy()
    status = np.asarray(table.column("status").to_pylist(), dtype=object)
    fault = np.asarray(table.column("fault").to_pylist(), dtype=object)
    measured = (status == "scored") | ((status == "error") & (fault == "system"))
    rows = np.flatnonzero(measured)
    position = table.column("case").to_numpy()
    lowest_rows = rows[np.lexsort((position[rows], score[rows]))][:limit]
    ids = table.column("id")
    lowest = tuple(RankedCase(int(position[row]), ids[row].as_py(), float(score[row])) for row in lowest_rows.tolist())
    tenths = np.clip((score[rows] * 10 + _ROUNDING).astype(np.int64), 0, 10)
    return ScoreSpread(evaluator=evaluator, lowest=lowest, bins=tuple(np.bincount(tenths, minlength=11).tolist()), measured=len(rows))


def build_case_views(run: "Run", leader: EvaluatorSummary, cases: Sequence[RankedCase]) -> list[CaseView]:
    """Build the views of these cases, in this order."""
    results: dict[int, dict[str, Result]] = {}
    for stored in run.results_at([case.position for case in cases]):
        results.setdefault(stored.position, {})[stored.evaluator] = stored.result
    rules = {field.field: field.rule for field in leader.fields}
    return [_build_case_view(run, case, results.get(case.position, {}), leader.name, rules) for case in cases]


def _build_case_view(run: "Run", ranked: RankedCase, results: Mapping[str, Result], leader: str, rules: Mapping[str, str]) -> CaseView:
    case = run.case(ranked.id)
    comparisons = results[leader].comparisons if leader in results else ()
    arguments = read_argument_differences(results[leader]) if leader in results else []
    mismatches = [comparison for comparison in comparisons if comparison.outcome not in _NOT_MISMATCHES] + arguments
    split = (f"split {case.split}",) if case.split else ()
    return CaseView(
        id=ranked.id,
        anchor=f"case-{ranked.position}",
        score=ranked.score,
        labels=(*split, *case.tags),
        scores=tuple(_summarize_result(name, result) for name, result in results.items()),
        rows=tuple(_build_row(comparison, rules) for comparison in mismatches[:MAX_ROWS]),
        more_rows=max(len(mismatches) - MAX_ROWS, 0),
        matched=sum(comparison.passed and comparison.outcome == "match" for comparison in comparisons),
        no_output=leader in results and results[leader].status == "error",
        input=None if case.input is None else plain_pieces(format_value(case.input)),
        texts=None if comparisons else _mark_whole_values(case.expected, case.actual, marked=not arguments),
        picture=_draw_data_url(run, case, results),
    )


def _summarize_result(evaluator: str, result: Result) -> EvaluatorVerdict:
    return EvaluatorVerdict(
        evaluator=evaluator,
        score=result.score,
        verdict=displayed_verdict(result),
        reasoning=result.reasoning,
        misses=tuple(result.misses[:MAX_MISSES]),
        more_misses=max(len(result.misses) - MAX_MISSES, 0),
    )


def _build_row(comparison: Comparison, rules: Mapping[str, str]) -> MismatchRow:
    label, advice = describe_cause(comparison.cause, rules.get(comparison.field, "")) if comparison.cause else ("", "")
    both_present = comparison.expected_presence == comparison.actual_presence == "present"
    return MismatchRow(
        path=comparison.path,
        rule=rules.get(comparison.field, ""),
        state=FIELD_STATES[comparison.outcome],
        sides=mark_comparison(comparison),
        similarity=comparison.similarity if both_present else None,
        cause=label,
        advice=advice,
        note=comparison.note or "",
        comparison=comparison,
    )


def _mark_whole_values(expected: Value, actual: Value, *, marked: bool) -> MarkedSides:
    """Both sides as a whole; `marked` is False if rows show what differs."""
    if marked and expected is not MISSING and actual is not MISSING:
        expected_pieces, actual_pieces = mark_texts(format_value(expected), format_value(actual))
        return MarkedSides(expected=expected_pieces, actual=actual_pieces)
    return MarkedSides(
        expected=None if expected is MISSING else plain_pieces(format_value(expected)),
        actual=None if actual is MISSING else plain_pieces(format_value(actual)),
    )


def _draw_data_url(run: "Run", case: Case, results: Mapping[str, Result]) -> str | None:
    """Draw the boxes of a case. The image behind them is shown only if it is inline data: a report makes no network requests."""
    image = case.metadata.get("image")
    if not (isinstance(image, str) and image.startswith("data:image/")):
        case = replace(case, metadata={name: value for name, value in case.metadata.items() if name != "image"})
    svg = draw_case_shapes(run, case, results)
    return None if svg is None else "data:image/svg+xml;base64," + b64encode(svg.encode()).decode()


def draw_case_shapes(run: "Run", case: Case, results: Mapping[str, Result]) -> str | None:
    """Draw the boxes of a case over the image named in its metadata, as SVG; None if no evaluator compared boxes."""
    for evaluator, result in results.items():
        if "pairs" not in result.details:
            continue
        config = _read_stored_options(run, evaluator)
        svg = None if config is None else draw_case_picture(case, result, config)
        if svg is not None:
            return svg
    return None


def _read_stored_options(run: "Run", evaluator: str) -> object | None:
    """Read the options of an evaluator from the stored suite; None if the suite was not a file or the evaluator is not installed."""
    evaluator_type = next((str(entry["type"]) for entry in run.manifest.evaluators if entry["name"] == evaluator), "")
    try:
        suite: Any = yaml.safe_load(run.manifest.suite)
        written = next(entry for entry in suite["evaluators"] if entry.get("name", entry["type"]) == evaluator)
        options: Any = EVALUATORS.find(evaluator_type).options
    except (yaml.YAMLError, StopIteration, KeyError, TypeError, AttributeError):
        return None
    if not (isinstance(options, type) and is_dataclass(options)):
        return None
    option_names = {field.name for field in fields(options)}
    return options(**{key: value for key, value in written.items() if key in option_names})


def find_cause_examples(run: "Run", evaluator: EvaluatorSummary) -> dict[str, MismatchExample]:
    """Find a mismatch for each of the most frequent causes, in the worst cases of the fields that have them."""
    examples: dict[str, MismatchExample] = {}
    read_cases: set[str] = set()
    for cause in _rank_causes(evaluator):
        for case in _likely_cases(evaluator, cause):
            if cause in examples or len(read_cases) >= EXAMPLE_CASES:
                break
            if case in read_cases:
                continue
            read_cases.add(case)
            for comparison in _read_explained_mismatches(run, evaluator.name, case):
                examples.setdefault(comparison.cause or "", MismatchExample(case, comparison))
    return examples


def _read_explained_mismatches(run: "Run", evaluator: str, case: str) -> Iterator[Comparison]:
    for stored in run.results(evaluator, case):
        for comparison in stored.result.comparisons:
            if comparison.cause and not comparison.passed:
                yield comparison


def count_causes(evaluator: EvaluatorSummary) -> Counter[str]:
    """Count how often each cause explains a mismatch, over all fields."""
    counts: Counter[str] = Counter()
    for field in evaluator.fields:
        counts.update(dict(field.causes))
    return counts


def _rank_causes(evaluator: EvaluatorSummary) -> list[str]:
    return [cause for cause, _ in sorted(count_causes(evaluator).items(), key=lambda item: (-item[1], item[0]))]


def _likely_cases(evaluator: EvaluatorSummary, cause: str) -> list[str]:
    """List the worst cases of the fields that have this cause, those of the field with most of it first."""
    counts = [(dict(field.causes)[cause], field.worst) for field in evaluator.fields if cause in dict(field.causes)]
    counts.sort(key=lambda pair: -pair[0])
    return list(dict.fromkeys(case for _, worst in counts for case in worst))
