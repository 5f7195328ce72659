"""Results: what an evaluator returns for one case, and for a batch of cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from enum import IntEnum
from html import escape
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, runtime_checkable

from fieldwise.dataclass import dataclass
from fieldwise.model.comparison import ComparisonTable
from fieldwise.model.comparison_list import ComparisonList
from fieldwise.model.notebook_html import COMPARISON_TITLES, MAX_ROWS, comparison_cells, render_table
from fieldwise.numpy_on_use import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Verdict = Literal["pass", "partial", "fail"]


class Status(IntEnum):
    """Whether a score is a measurement."""

    SCORED = 0
    ERROR = 1
    SKIPPED = 2
    UNAVAILABLE = 3

    @property
    def label(self) -> str:
        """The name in results and files, such as `scored`."""
        return self.name.lower()


STATUS_LABELS: Final = tuple(status.label for status in Status)
"""The label of each status, by its number."""


EXCLUDED_BY_WHEN: Final = "`when` leaves this case out"
"""The reasoning of a skipped result of a member whose own `when` excludes the case: it does not apply, which is intended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of one evaluator for one case."""

    score: float = 0.0
    """In [0, 1] for most evaluators; a measurement only if `status` is `scored`."""
    verdict: Verdict | None = None
    """`pass`, `partial` or `fail`; None if the score is not a measurement."""
    hits: Sequence[str] = ()
    """What is correct: paths, or texts."""
    misses: Sequence[str] = ()
    """What is wrong, with the reason where it is not a wrong value: `city (required, missing)`."""
    reasoning: str = ""
    """The result in one sentence."""
    status: str = "scored"
    """`scored`, `error`, `skipped` or `unavailable`."""
    metrics: Mapping[str, float | bool] = field(default_factory=dict)
    """Further numbers of the case, by name."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Evidence, as JSON values. `fault` is `system` or `ours` for an error; `flags` are counted over the run."""
    comparisons: ComparisonList = field(default_factory=ComparisonList)
    """The comparison of each field, if the evaluator compares fields; `.to_pandas()`, `.to_polars()` and `.to_arrow()` convert them."""

    def __post_init__(self) -> None:
        """Convert a plain sequence of comparisons, as plug-ins may give."""
        if self.comparisons.__class__ is not ComparisonList:
            object.__setattr__(self, "comparisons", ComparisonList(self.comparisons))

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict."""
        return {
            "score": self.score,
            "verdict": self.verdict,
            "status": self.status,
            "hits": list(self.hits),
            "misses": list(self.misses),
            "reasoning": self.reasoning,
            "metrics": dict(self.metrics),
            "details": dict(self.details),
            "comparisons": [comparison.to_json() for comparison in self.comparisons],
        }

    def _repr_html_(self) -> str:
        """HTML for notebooks: the score, and every field that is wrong."""
        return render_result_html(self)


@dataclass(frozen=True, slots=True)
class Labels:
    """A list of texts for each case, dictionary-encoded: case c has `texts[codes[offsets[c]:offsets[c + 1]]]`."""

    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    texts: Sequence[str]

    @classmethod
    def of(cls, lists: Iterable[Sequence[str]]) -> Labels:
        """Encode plain lists.

        >>> Labels.of([["a"], [], ["b", "a"]]).at(2)
        ['b', 'a']
        """
        code_of: dict[str, int] = {}
        offsets, codes = [0], list[int]()
        for texts in lists:
            codes.extend(code_of.setdefault(text, len(code_of)) for text in texts)
            offsets.append(len(codes))
        return cls(np.array(offsets, dtype=np.int64), np.array(codes, dtype=np.int32), list(code_of))

    @classmethod
    def from_masks(cls, masks: Mapping[str, NDArray[np.bool_]]) -> Labels:
        """Build labels from text → mask of the cases that have it.

        >>> Labels.from_masks({"a": np.array([True, False]), "b": np.array([True, True])}).at(0)
        ['a', 'b']
        """
        by_case = np.array(list(masks.values()), dtype=np.bool_).T
        offsets = np.concatenate([[0], np.cumsum(by_case.sum(axis=1))])
        return cls(offsets.astype(np.int64), np.nonzero(by_case)[1].astype(np.int32), list(masks))

    def at(self, case: int) -> list[str]:
        """The texts of one case."""
        codes: list[int] = self.codes[self.offsets[case] : self.offsets[case + 1]].tolist()
        return [self.texts[code] for code in codes]

    def counts(self) -> NDArray[np.int64]:
        """Number of texts of each case."""
        return self.offsets[1:] - self.offsets[:-1]


class Details(Protocol):
    """Builds the details of one case of a batch."""

    def __call__(self, row: int, /) -> Mapping[str, Any]: ...


@runtime_checkable
class EncodedDetails(Protocol):
    """Details that can also write themselves as JSON text, for a whole batch and faster than case by case."""

    def __call__(self, row: int, /) -> Mapping[str, Any]: ...

    def texts(self) -> Sequence[bytes | None]:
        """The JSON text of each case; None where the caller has to encode `self(row)`."""
        ...


@dataclass(slots=True, kw_only=True)
class Results:
    """The results of one evaluator for a batch: position i of every array is case i of that batch."""

    score: NDArray[np.float64]
    """The score of each case."""
    status: NDArray[np.uint8]
    """A `Status` for each case."""
    hits: Labels
    """What is correct, by case."""
    misses: Labels
    """What is wrong, by case."""
    reasoning: Sequence[str]
    """One sentence for each case."""
    metrics: Mapping[str, NDArray[np.float64] | NDArray[np.bool_]]
    """By name: float64 with NaN where a case has no such number, or bool."""
    details: Details
    """Builds the details of a case on demand: most are never read."""
    comparisons: ComparisonTable | None = None
    """The comparisons of the batch, if the evaluator compares fields."""
    member_comparisons: ComparisonTable | None = None
    """The comparisons of a member that the evaluator reads and does not report as its own. A run stores them unless another evaluator of
    the suite has them, to tell which fields the cases have and what matches could not read."""
    pool: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """Columns of equal length for metrics over a whole dataset, such as the ranked detections behind AP; one of them is
    `case`, the position in the batch. They are stored for every case and passed to the evaluator's `summarize` at the end."""
    verdict: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, dtype=np.int8))
    """Filled by `score/`: 2 pass, 1 partial, 0 fail, -1 none."""
    passes_without_hits: NDArray[np.bool_] | None = None
    """Cases that pass without a hit, because nothing was expected and nothing given; None for none."""
    flags: Labels | None = None
    """The `details["flags"]` of each case, which are counted over the run; None if the evaluator has no flags."""
    kinds: Mapping[str, type] = field(default_factory=dict)
    """The type of metrics that are not fractions: int for a count, bool for a yes/no metric. Their column may be float64, for NaN."""

    def __len__(self) -> int:
        return len(self.score)

    @classmethod
    def from_results(cls, results: Sequence[Result]) -> Results:
        """Build a batch from single results, for evaluators that score one case at a time.

        >>> Results.from_results([Result(score=0.5, hits=["a"], metrics={"f1": 0.5}), Result(status="skipped")]).metrics["f1"].tolist()
        [0.5, nan]
        """
        return cls(
            score=np.array([result.score for result in results], dtype=np.float64),
            status=np.array([Status[result.status.upper()] for result in results], dtype=np.uint8),
            hits=Labels.of(result.hits for result in results),
            misses=Labels.of(result.misses for result in results),
            reasoning=[result.reasoning for result in results],
            metrics=_build_metric_columns([result.metrics for result in results]),
            details=lambda row: results[row].details,
            flags=Labels.of(result.details.get("flags", ()) for result in results),
            kinds=_find_bool_metrics([result.metrics for result in results]),
        )


def _find_bool_metrics(rows: Sequence[Mapping[str, float | bool]]) -> dict[str, type]:
    """Metrics that are a bool in every row that has them, as name → bool."""
    kinds: dict[str, type] = {}
    for name in _merge_names(rows):
        if all(isinstance(row[name], bool) for row in rows if name in row):
            kinds[name] = bool
    return kinds


def _build_metric_columns(rows: Sequence[Mapping[str, float | bool]]) -> dict[str, NDArray[np.float64] | NDArray[np.bool_]]:
    """Metric dicts as columns; a metric that is a bool in every row is a bool column."""
    columns: dict[str, NDArray[np.float64] | NDArray[np.bool_]] = {}
    for name in _merge_names(rows):
        values = [row.get(name, np.nan) for row in rows]
        is_bool = all(isinstance(value, bool) for value in values)
        columns[name] = np.array(values, dtype=np.bool_) if is_bool else np.array(values, dtype=np.float64)
    return columns


def _merge_names(rows: Iterable[Iterable[str]]) -> list[str]:
    """The names of all rows, merged so that the order within each row is kept, whichever row comes first.

    >>> _merge_names([["a", "d"], ["a", "b", "c", "d"]])
    ['a', 'b', 'c', 'd']
    """
    names: list[str] = []
    for row in dict.fromkeys(map(tuple, rows)):
        position = 0
        for name in row:
            if name in names:
                position = names.index(name) + 1
            else:
                names.insert(position, name)
                position += 1
    return names


MALFORMED_EXPECTED: Final = "malformed_expected"
"""Flag of a case in which some of the expected items cannot be read: they count as missed."""


def fault_result(reason: str, **details: Any) -> Result:
    """The result for a failed measurement (evaluator, judge or expected data): an error that is in no mean.

    >>> fault_result("the judge crashed").misses
    ['(evaluation error: the judge crashed)']
    """
    all_details = {**details, "fault": "ours", "reason": reason}
    return Result(status="error", misses=[f"(evaluation error: {reason})"], reasoning=reason, details=all_details)


def unavailable_result(reason: str, fix: str | None = None, **details: Any) -> Result:
    """The result where a required model or package is not available; `fix` says how to get it."""
    all_details: dict[str, Any] = {**details, "reason": reason}
    if fix:
        all_details["fix"] = fix
    return Result(status="unavailable", reasoning=f"{reason}; {fix}" if fix else reason, details=all_details)


def render_result_html(result: Result) -> str:
    """The score, the verdict, and a table of the fields that are wrong. Everything from data is escaped."""
    wrong = [
        comparison for comparison in result.comparisons if not comparison.passed and comparison.outcome not in ("both_absent", "ignored")
    ]
    verdict = f" · {result.verdict}" if result.verdict else ""
    head = f"<p><strong>{result.score:.4f}</strong>{escape(verdict)} · {escape(result.status)} · {escape(result.reasoning)}</p>"
    if wrong:
        return head + render_table(COMPARISON_TITLES, map(comparison_cells, wrong), len(wrong))
    misses = "".join(f"<li>{escape(miss)}</li>" for miss in result.misses[:MAX_ROWS])
    return head + (f"<ul>{misses}</ul>" if misses else "")
