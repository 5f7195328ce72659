"""The worst cases of a run, told field by field."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import yaml

from fieldwise.model.case import Case
from fieldwise.model.comparison import Comparison
from fieldwise.model.result import Result
from fieldwise.model.summary import EvaluatorSummary
from fieldwise.model.values import MISSING, Value
from fieldwise.registry import EVALUATORS
from fieldwise.report.heatmap import STATES, State
from fieldwise.report.lowest import Ranked
from fieldwise.report.marks import Piece, Sides, marked, plain, sides
from fieldwise.report.picture import case_picture
from fieldwise.report.safe import value_text
from fieldwise.score.causes import describe

if TYPE_CHECKING:
    from fieldwise.store.run import Run

ROWS: Final = 40
UNMEASURED: Final = ("fault", "unavailable", "skipped")
_TEXTS: Final = 60
_UNTOLD: Final = ("match", "both_absent", "ignored")


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """One field of a case that did not match."""

    path: str
    rule: str
    state: State
    sides: Sides
    similarity: float | None
    cause: str
    advice: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What one evaluator said of the case."""

    evaluator: str
    score: float
    verdict: str
    """`pass`, `partial` or `fail`; `fault`, `unavailable` or `skipped` where nothing was measured."""
    reasoning: str
    misses: tuple[str, ...]
    more_misses: int

    @property
    def measured(self) -> bool:
        """Whether its score is a measurement."""
        return self.verdict not in UNMEASURED


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseView:
    """A case as a page shows it."""

    id: str
    anchor: str
    score: float
    labels: tuple[str, ...]
    scores: tuple[Score, ...]
    rows: tuple[FieldRow, ...]
    more_rows: int
    matched: int
    no_output: bool = False
    """The system gave nothing that could be read, so that everything is an omission."""
    input: tuple[Piece, ...] | None = None
    texts: Sides | None = None
    """The whole expected and actual, where no fields were compared."""
    picture: str | None = None
    """An SVG as a data address."""


def worst_cases(run: "Run", leader: EvaluatorSummary, lowest: Sequence[Ranked]) -> list[CaseView]:
    """These cases, in this order."""
    found: dict[int, dict[str, Result]] = {}
    for stored in run.results_at([case.position for case in lowest]):
        found.setdefault(stored.position, {})[stored.evaluator] = stored.result
    rules = {field.field: field.rule for field in leader.fields}
    return [case_view(run, ranked, found.get(ranked.position, {}), leader.name, rules) for ranked in lowest]


def case_view(run: "Run", ranked: Ranked, results: Mapping[str, Result], leader: str, rules: Mapping[str, str]) -> CaseView:
    """One case: what differs by the leading evaluator, what every evaluator said."""
    case = run.case(ranked.id)
    compared = results[leader].comparisons if leader in results else ()
    differing = [one for one in compared if one.outcome not in _UNTOLD]
    return CaseView(
        id=ranked.id,
        anchor=f"case-{ranked.position}",
        score=ranked.score,
        labels=(*((f"split {case.split}",) if case.split else ()), *case.tags),
        scores=tuple(_score(name, result) for name, result in results.items()),
        rows=tuple(_row(one, rules) for one in differing[:ROWS]),
        more_rows=max(len(differing) - ROWS, 0),
        matched=sum(one.passed and one.outcome == "match" for one in compared),
        no_output=leader in results and results[leader].status == "error",
        input=None if case.input is None else plain(value_text(case.input)),
        texts=None if compared else _texts(case.expected, case.actual),
        picture=_picture(run, case, results),
    )


def _score(name: str, result: Result) -> Score:
    return Score(
        evaluator=name,
        score=result.score,
        verdict=verdict_of(result),
        reasoning=result.reasoning,
        misses=tuple(result.misses[:_TEXTS]),
        more_misses=max(len(result.misses) - _TEXTS, 0),
    )


def verdict_of(result: Result) -> str:
    """What a page calls it. A result that is no measurement has a score of 0 and may have a verdict, which would tell of a failure."""
    if result.status == "error" and result.details.get("fault") == "ours":
        return "fault"
    return result.status if result.status in UNMEASURED else result.verdict or result.status


def _row(one: Comparison, rules: Mapping[str, str]) -> FieldRow:
    label, advice = cause_words(one.cause) if one.cause else ("", "")
    return FieldRow(
        path=one.path,
        rule=rules.get(one.field, ""),
        state=STATES[one.outcome],
        sides=sides(one),
        similarity=one.similarity if one.expected_presence == one.actual_presence == "present" else None,
        cause=label,
        advice=advice,
        note=one.note or "",
    )


def cause_words(cause: str) -> tuple[str, str]:
    """The label of a cause and what to do about it; its name alone where whatever named it is no longer installed."""
    try:
        return describe(cause)
    except KeyError:
        return cause.replace("_", " "), ""


def _texts(expected: Value, actual: Value) -> Sides:
    if expected is MISSING or actual is MISSING:
        return Sides(
            expected=None if expected is MISSING else plain(value_text(expected)),
            actual=None if actual is MISSING else plain(value_text(actual)),
        )
    one, other = marked(value_text(expected), value_text(actual))
    return Sides(expected=one, actual=other)


def _picture(run: "Run", case: Case, results: Mapping[str, Result]) -> str | None:
    """The boxes of a case. An image behind them is shown only if it came as data: a report asks nobody for anything."""
    image = case.metadata.get("image")
    if not (isinstance(image, str) and image.startswith("data:image/")):
        case = replace(case, metadata={name: value for name, value in case.metadata.items() if name != "image"})
    svg = case_shapes(run, case, results)
    return None if svg is None else "data:image/svg+xml;base64," + b64encode(svg.encode()).decode()


def case_shapes(run: "Run", case: Case, results: Mapping[str, Result]) -> str | None:
    """The boxes of a case over the image that its metadata names, as SVG; None where no evaluator compared any."""
    for name, result in results.items():
        config = _config(run, name) if "pairs" in result.details else None
        svg = None if config is None else case_picture(case, result, config)
        if svg is not None:
            return svg
    return None


def _config(run: "Run", name: str) -> object | None:
    """The options of an evaluator, read again from the stored suite."""
    kind = next((str(one["type"]) for one in run.manifest.evaluators if one["name"] == name), "")
    try:
        suite: Any = yaml.safe_load(run.manifest.suite)
        written = next(one for one in suite["evaluators"] if one.get("name", one["type"]) == name)
        options: Any = EVALUATORS.find(kind).options
    except (yaml.YAMLError, StopIteration, KeyError, TypeError, AttributeError):
        return None
    if not (isinstance(options, type) and is_dataclass(options)):
        return None
    known = {field.name for field in fields(options)}
    return options(**{key: value for key, value in written.items() if key in known})
