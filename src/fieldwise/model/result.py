"""What an evaluator says of a case, and of a batch of cases."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from html import escape
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.comparison import Comparison, Comparisons

if TYPE_CHECKING:
    from fieldwise.model.comparison import Comparison


Verdict = Literal["pass", "partial", "fail"]
Fault = Literal["system", "ours"]


class Status(IntEnum):
    """Whether a score is a measurement."""

    SCORED = 0
    ERROR = 1
    SKIPPED = 2
    UNAVAILABLE = 3

    @property
    def label(self) -> str:
        """The name on the wire, such as `scored`."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one evaluator says of one case."""

    score: float = 0.0
    verdict: Verdict | None = None
    hits: Sequence[str] = ()
    misses: Sequence[str] = ()
    reasoning: str = ""
    status: str = "scored"
    metrics: Mapping[str, float | bool] = field(default_factory=dict[str, float | bool])
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    comparisons: Sequence[Comparison] = ()

    def to_json(self) -> dict[str, Any]:
        """A JSON-able form."""
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
        """For notebooks: the score, and every field that is not right."""
        return render_result_html(self)


@dataclass(frozen=True, slots=True)
class Labels:
    """A list of texts for each case, dictionary-encoded: case c has `texts[codes[offsets[c]:offsets[c + 1]]]`."""

    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    texts: Sequence[str]

    @classmethod
    def of(cls, lists: Iterable[Sequence[str]]) -> "Labels":
        """From plain lists.

        >>> Labels.of([["a"], [], ["b", "a"]]).at(2)
        ['b', 'a']
        """
        known: dict[str, int] = {}
        offsets, codes = [0], list[int]()
        for texts in lists:
            codes.extend(known.setdefault(text, len(known)) for text in texts)
            offsets.append(len(codes))
        return cls(np.array(offsets, dtype=np.int64), np.array(codes, dtype=np.int32), list(known))

    @classmethod
    def from_masks(cls, said: Mapping[str, NDArray[np.bool_]]) -> "Labels":
        """From the texts there are, each with the cases that have it.

        >>> Labels.from_masks({"a": np.array([True, False]), "b": np.array([True, True])}).at(0)
        ['a', 'b']
        """
        held = np.array(list(said.values()), dtype=np.bool_).T
        offsets = np.concatenate([[0], np.cumsum(held.sum(axis=1))])
        return cls(offsets.astype(np.int64), np.nonzero(held)[1].astype(np.int32), list(said))

    def at(self, case: int) -> list[str]:
        """The texts of one case."""
        return [self.texts[int(code)] for code in self.codes[self.offsets[case] : self.offsets[case + 1]]]

    def counts(self) -> NDArray[np.int64]:
        """How many texts each case has."""
        return np.diff(self.offsets)


Details = Callable[[int], Mapping[str, Any]]


@dataclass(slots=True, kw_only=True)
class Results:
    """What one evaluator says of a batch: position i of every array is case i of that batch."""

    score: NDArray[np.float64]
    status: NDArray[np.uint8]
    """A `Status` each."""
    hits: Labels
    misses: Labels
    reasoning: Sequence[str]
    metrics: Mapping[str, NDArray[np.float64] | NDArray[np.bool_]]
    """By name: float64, NaN where a case has no such number; or bool."""
    details: Details
    """Made when asked for: most cases are never looked at."""
    comparisons: Comparisons | None = None
    pool: Mapping[str, NDArray[Any]] = field(default_factory=dict[str, "NDArray[Any]"])
    """Columns of equal length for metrics over a whole dataset, such as the ranked detections behind AP; one of them is
    `case`, the position in the batch. They are kept for every case and given to the evaluator's `summarize` at the end."""
    verdict: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, dtype=np.int8))
    """Filled by `score/`: 2 pass, 1 partial, 0 fail, -1 none."""
    flags: Labels | None = None
    """What each case's `details["flags"]` says, where an evaluator has it at hand; it is counted over the run."""
    kinds: Mapping[str, type] = field(default_factory=dict[str, type])
    """For metrics that are no fractions: int for a count, bool for yes or no. A column may hold them as float64, for its NaN."""

    def __len__(self) -> int:
        return len(self.score)

    @classmethod
    def from_results(cls, results: Sequence[Result]) -> "Results":
        """A batch from single results, for evaluators that look at one case at a time.

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
    """The metrics that are yes or no in every row that has them."""
    return {name: bool for name in _merge_names(rows) if all(isinstance(row[name], bool) for row in rows if name in row)}


def _build_metric_columns(rows: Sequence[Mapping[str, float | bool]]) -> dict[str, NDArray[np.float64] | NDArray[np.bool_]]:
    """Metric dicts as columns; a metric that is a bool in every row stays one."""
    columns: dict[str, NDArray[np.float64] | NDArray[np.bool_]] = {}
    for name in _merge_names(rows):
        values = [row.get(name, np.nan) for row in rows]
        flags = all(isinstance(value, bool) for value in values)
        columns[name] = np.array(values, dtype=np.bool_) if flags else np.array(values, dtype=np.float64)
    return columns


def _merge_names(rows: Iterable[Iterable[str]]) -> list[str]:
    """The names of all rows, in the order that each row has its own in, whichever row comes first.

    >>> _merge_names([["a", "d"], ["a", "b", "c", "d"]])
    ['a', 'b', 'c', 'd']
    """
    names: list[str] = []
    for row in dict.fromkeys(map(tuple, rows)):
        at = 0
        for name in row:
            if name in names:
                at = names.index(name) + 1
            else:
                names.insert(at, name)
                at += 1
    return names


def fault_result(reason: str, **details: Any) -> Result:
    """An evaluator, a judge or the expected data failed: an error of ours, in no mean.

    >>> fault_result("the judge crashed").misses
    ['(evaluation error: the judge crashed)']
    """
    found = {**details, "fault": "ours", "reason": reason}
    return Result(status="error", misses=[f"(evaluation error: {reason})"], reasoning=reason, details=found)


def unavailable_result(reason: str, fix: str | None = None, **details: Any) -> Result:
    """A model or package that is needed is not there; `fix` says how to get it."""
    found = {**details, "reason": reason, **({"fix": fix} if fix else {})}
    return Result(status="unavailable", reasoning=f"{reason}; {fix}" if fix else reason, details=found)


MAX_HTML_ROWS: Final = 50
MAX_HTML_CHARS: Final = 120
_CELL: Final = "text-align:left;padding:2px 12px 2px 0;vertical-align:top"


def render_result_html(result: "Result") -> str:
    """The score, the verdict, and a table of the fields that are not right."""
    wrong = [one for one in result.comparisons if not one.passed and one.outcome not in ("both_absent", "ignored")]
    verdict = f" · {result.verdict}" if result.verdict else ""
    head = f"<p><strong>{result.score:.4f}</strong>{escape(verdict)} · {escape(result.status)} · {escape(result.reasoning)}</p>"
    if wrong:
        return head + _render_table(wrong)
    misses = "".join(f"<li>{escape(miss)}</li>" for miss in result.misses[:MAX_HTML_ROWS])
    return head + (f"<ul>{misses}</ul>" if misses else "")


def _render_table(comparisons: "Sequence[Comparison]") -> str:
    names = "".join(f'<th style="{_CELL}">{name}</th>' for name in ("path", "outcome", "expected", "actual", "similarity", "cause"))
    rows = "".join(_render_row(one) for one in comparisons[:MAX_HTML_ROWS])
    rest = f"<p>and {len(comparisons) - MAX_HTML_ROWS} more</p>" if len(comparisons) > MAX_HTML_ROWS else ""
    return f"<table><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>{rest}"


def _render_row(one: "Comparison") -> str:
    expected = "–" if one.expected_presence == "missing" else _shorten_value(one.expected)
    actual = "–" if one.actual_presence == "missing" else _shorten_value(one.actual)
    similarity = "" if one.similarity is None else f"{one.similarity:.2f}"
    cells = (one.path, one.outcome.replace("_", " "), expected, actual, similarity, (one.cause or "").replace("_", " "))
    return "<tr>" + "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in cells) + "</tr>"


def _shorten_value(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MAX_HTML_CHARS else f"{text[:MAX_HTML_CHARS]}…"
