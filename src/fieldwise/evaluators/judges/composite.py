"""Several evaluators as one: a weighted mean, all or nothing, or the share of members that pass; members can be required.

>>> import fieldwise as fw
>>> safe = {"type": "contains", "name": "safe", "value": "password", "negate": True, "required": True, "weight": 0}
>>> short = {"type": "length", "name": "short", "max": 20}
>>> fw.evaluate({"type": "composite", "evaluators": [safe, short]}, actual="It is hunter2.").score
1.0
>>> fw.evaluate({"type": "composite", "evaluators": [safe, short]}, actual="The password.").misses
['safe (required)', 'safe: not contains: "password"']
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.model.batch import Batch
from fieldwise.model.comparison import ComparisonTable, fill_confidences
from fieldwise.model.options import InfersRules, OptionProblem
from fieldwise.model.plan import Member
from fieldwise.model.result import EXCLUDED_BY_WHEN, Labels, Results, Status
from fieldwise.model.rule import FieldRule, ListRule
from fieldwise.registry import EVALUATORS, evaluator
from fieldwise.specs import EvaluatorExample

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
PASS: Final = 2
VERDICTS: Final = {PASS: "pass", 1: "partial", 0: "fail", -1: None}
"""Names of the codes of `Results.verdict`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Composite:
    """The members and how their scores are aggregated."""

    evaluators: tuple[Member, ...]
    """Evaluators, or names of evaluators of the suite. Each has a `weight`. With `required: true` a member must pass, with
    `required: 0.8` it must score at least 0.8; otherwise the composite scores 0, or is skipped where the member is."""
    aggregation: Literal["weighted_average", "all_or_nothing", "threshold"] = "weighted_average"
    """weighted_average: the weighted mean of the scores. all_or_nothing: 1 if every member passes, else 0. threshold: the weighted
    share of members that pass, compared with `threshold` (the same as `pass_at`)."""

    def problems(self) -> Iterable[OptionProblem]:
        """Weights that are all 0."""
        if not any(member.evaluator.weight > 0 for member in self.evaluators):
            yield "evaluators", "every member has weight 0, so there is nothing to score", "give one a weight, or leave `weight` out"

    def why_pass_at(self) -> str | None:
        """The reason that `pass_at` is required; None if it is not."""
        return (
            "`aggregation: threshold` needs `threshold`, the share of members that must pass" if self.aggregation == "threshold" else None
        )

    @property
    def fields(self) -> tuple[FieldRule, ...]:
        """The fields that the members compare."""
        return member_rules(self.evaluators)

    def needs_rules(self) -> bool:
        """True if a member needs inferred rules."""
        return any(_needs_rules(member) for member in self.evaluators)

    def with_rules(self, fields: tuple[FieldRule, ...], lists: tuple[ListRule, ...]) -> "Composite":
        """A copy with these rules for the members that have none."""
        return replace(self, evaluators=tuple(_member_with_rules(member, fields, lists) for member in self.evaluators))


def _needs_rules(member: Member) -> bool:
    config = member.evaluator.config
    return isinstance(config, InfersRules) and config.needs_rules()


def _member_with_rules(member: Member, fields: tuple[FieldRule, ...], lists: tuple[ListRule, ...]) -> Member:
    config = member.evaluator.config
    if not isinstance(config, InfersRules) or not config.needs_rules():
        return member
    return replace(member, evaluator=replace(member.evaluator, config=config.with_rules(fields, lists)))


_NOTHING_MEASURED: Final = "nothing_measured"
"""The flag of a case in which no member that counts had anything to measure."""


def _metric_names(config: Composite) -> list[str]:
    return [*(f"member.{member.evaluator.name}" for member in config.evaluators), "members_passed", "members_counted"]


@evaluator(
    reads="case",
    needs_expected=False,
    counts=("members_passed", "members_counted"),
    vacuous={"score": (_NOTHING_MEASURED,)},
    version=2,
    metrics=_metric_names,
    examples=[
        EvaluatorExample(
            options={
                "evaluators": [
                    {"type": "contains", "name": "safe", "value": "password", "negate": True, "required": True, "weight": 0},
                    {"type": "field_accuracy", "name": "fields", "fields": ["a", "b"], "weight": 3},
                    {"type": "length", "name": "short", "max": 40},
                ]
            },
            expected={"a": 1, "b": 2},
            actual={"a": 1, "b": 3},
            key_order_matters=True,
        ),
        EvaluatorExample(
            options={
                "evaluators": [
                    {"type": "field_accuracy", "fields": ["a", "b"], "weight": 2, "required": 0.2},
                    {"type": "field_prf", "when": {"contexts": True}},
                    {"type": "contains", "value": "xx", "negate": True, "required": True, "weight": 0},
                ]
            },
            perfect={"a": "x", "b": [1, {"c": 2.5}], "é": {"a": True, "b": None}},
            key_order_matters=True,
        ),
        EvaluatorExample(
            options={
                "aggregation": "threshold",
                "threshold": 0.5,
                "evaluators": [{"type": "is_json"}, {"type": "latency", "max": 1, "path": "metadata.relevant_ids"}, {"type": "retrieval"}],
            },
            key_order_matters=True,
        ),
        EvaluatorExample(
            options={"aggregation": "all_or_nothing", "evaluators": [{"type": "json_quality"}, {"type": "equals"}]},
            key_order_matters=True,
        ),
    ],
)
def composite(batch: Batch, config: Composite) -> Results:
    """The aggregated score of several evaluators."""
    members = [MemberResults.from_results(member, batch.evaluate(member.evaluator)) for member in config.evaluators]
    counted = [member.measured if member.weight > 0 else np.zeros(len(batch), dtype=np.bool_) for member in members]
    vetoed: BoolArray = np.logical_or.reduce([member.vetoes for member in members])
    decided = vetoed | _find_failed_rows(members, counted) if config.aggregation == "all_or_nothing" else vetoed
    status = _combine_status(members, counted, vetoed)
    for member in members:
        if member.is_indispensable(config.aggregation):
            status[member.has_nothing_to_score & (status == Status.SCORED) & ~decided] = Status.SKIPPED
    score = np.where(vetoed | (status != Status.SCORED), 0.0, _aggregate_scores(members, counted, config.aggregation))
    report = _CompositeReport(members, status, config.aggregation)
    rows = range(len(batch))
    return Results(
        score=score,
        status=status,
        hits=Labels.of(map(report.hits, rows)),
        misses=Labels.of(map(report.misses, rows)),
        reasoning=[report.reasoning(row) for row in rows],
        metrics=_measure_members(members, counted),
        details=report.details,
        comparisons=concatenate_comparisons(members),
        flags=Labels.of(map(report.flags, rows)),
    )


def _aggregate_scores(members: Sequence["MemberResults"], counted: Sequence[BoolArray], how: str) -> FloatArray:
    """The aggregated score of each case, 0 where no member counts."""
    total, weight = np.zeros(len(counted[0])), np.zeros(len(counted[0]))
    # Added member by member: a matrix product may round differently in batches of another size.
    for member, is_counted in zip(members, counted, strict=True):
        value = member.results.score if how == "weighted_average" else member.passed.astype(np.float64)
        total += np.where(is_counted, member.weight * value, 0.0)
        weight += np.where(is_counted, member.weight, 0.0)
    share: FloatArray = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0).clip(max=1.0)
    if how != "all_or_nothing":
        return share
    return np.where(_find_failed_rows(members, counted), 0.0, np.ceil(share))


def _find_failed_rows(members: Sequence["MemberResults"], counted: Sequence[BoolArray]) -> BoolArray:
    """True where a member that counts does not pass."""
    return np.logical_or.reduce([is_counted & ~member.passed for member, is_counted in zip(members, counted, strict=True)])


def _combine_status(members: Sequence["MemberResults"], counted: Sequence[BoolArray], vetoed: BoolArray) -> NDArray[np.uint8]:
    """ERROR if a needed member has an evaluation error, else UNAVAILABLE if one is unavailable, SKIPPED if no member counts."""
    has_score: BoolArray = np.logical_or.reduce(list(counted)) | vetoed
    status = np.where(has_score, Status.SCORED, Status.SKIPPED).astype(np.uint8)
    only_failures = np.logical_and.reduce([member.system_failed | ~is_counted for member, is_counted in zip(members, counted, strict=True)])
    status[has_score & only_failures & ~vetoed] = Status.ERROR
    needed = [member for member in members if member.is_needed]
    for member in needed:
        status[member.results.status == Status.UNAVAILABLE] = Status.UNAVAILABLE
    for member in needed:
        status[(member.results.status == Status.ERROR) & ~member.system_failed] = Status.ERROR
    return status


def _measure_members(members: Sequence["MemberResults"], counted: Sequence[BoolArray]) -> dict[str, FloatArray]:
    scores = {f"member.{member.name}": np.where(member.measured, member.results.score, np.nan) for member in members}
    passed = sum((is_counted & member.passed).astype(np.float64) for member, is_counted in zip(members, counted, strict=True))
    return {**scores, "members_passed": np.asarray(passed), "members_counted": np.sum(counted, axis=0).astype(np.float64)}


@dataclass(frozen=True, slots=True)
class _CompositeReport:
    """Hits, misses, reasoning and details of the composite, case by case."""

    members: Sequence["MemberResults"]
    status: NDArray[np.uint8]
    aggregation: str

    def hits(self, row: int) -> list[str]:
        """The hits of the members; a member that passes without hits is a hit itself."""
        hits: list[str] = []
        for member in self.members:
            if not member.measured[row] or member.weight == 0:
                continue
            member_hits = prefix_labels(member.name, member.results.hits.at(row))
            if not member_hits and member.passed[row]:
                member_hits = [member.name]
            hits += member_hits
        return hits

    def misses(self, row: int) -> list[str]:
        """Failed required members, then the misses of the members; unless scores are averaged, a member that passes has none."""
        misses = [f"{member.name} (required)" for member in self.members if member.vetoes[row]]
        for member in self.members:
            if not member.is_needed or (self.aggregation != "weighted_average" and member.passed[row]):
                continue
            member_misses = prefix_labels(member.name, member.results.misses.at(row))
            if not member_misses and member.measured[row] and not member.passed[row]:
                member_misses = [f"{member.name} ({member.results.score[row]:.2f})"]
            misses += member_misses
        return misses

    def flags(self, row: int) -> list[str]:
        """The flags of the members."""
        flags: list[str] = []
        for member in self.members:
            if member.results.flags is not None:
                flags += prefix_labels(member.name, member.results.flags.at(row))
        counted = [member for member in self.members if member.weight > 0 and member.measured[row]]
        if counted and all(member.is_vacuous(row) for member in counted):
            flags.append(_NOTHING_MEASURED)
        return flags

    def reasoning(self, row: int) -> str:
        """The score of each member, or the reason that there is no score."""
        if self.status[row] in (Status.UNAVAILABLE, Status.ERROR) and (reason := self._no_score_reason(row)):
            return reason
        if self.status[row] == Status.SKIPPED and (reason := self._skip_reason(row)):
            return reason
        return ", ".join(f"{member.name} {self._score_or_status(member, row)}" for member in self.members)

    def _score_or_status(self, member: "MemberResults", row: int) -> str:
        return f"{member.results.score[row]:.2f}" if member.measured[row] else Status(int(member.results.status[row])).label

    def _no_score_reason(self, row: int) -> str | None:
        """The reasoning of the first needed member that has the status of the composite."""
        for member in self.members:
            same_status = member.is_needed and member.results.status[row] == self.status[row]
            if same_status and (self.status[row] != Status.ERROR or not member.system_failed[row]):
                return f"{member.name}: {member.results.reasoning[row]}"
        return None

    def _skip_reason(self, row: int) -> str | None:
        """The first member without which the composite has no score; None if every member was skipped or does not apply."""
        if not any(member.measured[row] for member in self.members):
            return None
        for member in self.members:
            if member.has_nothing_to_score[row] and member.is_indispensable(self.aggregation):
                why = "is required" if member.member.required is not False else "must pass, as every member"
                return f"`{member.name}` {why}, and was skipped: {member.results.reasoning[row]}"
        return None

    def details(self, row: int) -> Mapping[str, Any]:
        """The result of each member, and the kind of fault if there is no score."""
        details: dict[str, Any] = {"members": {member.name: member.to_json(row) for member in self.members}}
        reason = self._no_score_reason(row)
        if self.status[row] == Status.ERROR:
            details |= {"fault": "ours", "reason": reason} if reason else {"fault": "system", "reason": "no member can read the output"}
        elif self.status[row] == Status.UNAVAILABLE:
            details["reason"] = reason
        flags = self.flags(row)
        return details | ({"flags": flags} if flags else {})


@dataclass(frozen=True, slots=True)
class MemberResults:
    """A member with its results for a batch."""

    member: Member
    results: Results
    passed: BoolArray
    measured: BoolArray
    """True where it has a score, or 0 because the system failed."""
    system_failed: BoolArray
    """True where the system gave no output that this member can read."""
    vetoes: BoolArray
    """True where it is required and fails, which makes the composite 0."""
    has_nothing_to_score: BoolArray
    """True where it was skipped though it applies: its `when` does not exclude the case."""

    @classmethod
    def from_results(cls, member: Member, results: Results) -> "MemberResults":
        """Read the kind of fault of each error from its details, which are built for those cases only."""
        system_failed = np.zeros(len(results), dtype=np.bool_)
        for row in np.flatnonzero(results.status == Status.ERROR).tolist():
            system_failed[row] = results.details(row).get("fault") == "system"
        passed = results.verdict == PASS
        measured = (results.status == Status.SCORED) | system_failed
        vetoes = measured & _fails_requirement(member.required, results.score, passed)
        is_excluded = np.array([reasoning == EXCLUDED_BY_WHEN for reasoning in results.reasoning], dtype=np.bool_)
        has_nothing_to_score = (results.status == Status.SKIPPED) & ~is_excluded
        return cls(member, results, passed, measured, system_failed, vetoes, has_nothing_to_score)

    @property
    def name(self) -> str:
        """Name of the member."""
        return self.member.evaluator.name

    @property
    def weight(self) -> float:
        """Weight of its score."""
        return self.member.evaluator.weight

    @property
    def is_needed(self) -> bool:
        """True if the composite has no score without it."""
        return self.weight > 0 or self.member.required is not False

    def is_indispensable(self, aggregation: str) -> bool:
        """True if the composite has no score where this member was skipped: it is required, or every member must pass."""
        return self.member.required is not False or (aggregation == "all_or_nothing" and self.weight > 0)

    def is_vacuous(self, row: int) -> bool:
        """True if the score of a case is its initial value because there was nothing to measure."""
        if self.results.status[row] != Status.SCORED or self.results.flags is None:
            return False
        needed_flags = EVALUATORS.find(self.member.evaluator.type).vacuous.get("score")
        return needed_flags is not None and {*needed_flags}.issubset(self.results.flags.at(row))

    def to_json(self, row: int) -> dict[str, Any]:
        """Its result for one case."""
        results = self.results
        details = dict(results.details(row))
        return {
            "type": self.member.evaluator.type,
            "weight": self.weight,
            **({"required": self.member.required} if self.member.required is not False else {}),
            "score": float(results.score[row]),
            "verdict": VERDICTS[int(results.verdict[row])],
            "status": Status(int(results.status[row])).label,
            "hits": results.hits.at(row),
            "misses": results.misses.at(row),
            "reasoning": results.reasoning[row],
            **({"details": details} if details else {}),
        }


def _fails_requirement(required: bool | float, score: FloatArray, passed: BoolArray) -> BoolArray:
    if isinstance(required, bool):
        return ~passed if required else np.zeros(len(passed), dtype=np.bool_)
    return score < required - (1e-9 * required + 4 * np.spacing(required))  # the same slack as `pass_at`


def prefix_labels(name: str, texts: Sequence[str]) -> list[str]:
    """Labels of a member, prefixed with its name.

    >>> prefix_labels("fields", ["invoice.total"])
    ['fields: invoice.total']
    """
    return [f"{name}: {text}" for text in texts]


def member_rules(members: Sequence[Member]) -> tuple[FieldRule, ...]:
    """The fields that the members compare, named as in the concatenated comparisons."""
    rules: list[FieldRule] = []
    for member in members:
        for rule in getattr(member.evaluator.config, "fields", ()):
            (text,) = prefix_labels(member.evaluator.name, [rule.text])
            rules.append(FieldRule(path=rule.path, text=text, match=rule.match, weight=rule.weight, required=rule.required))
    return tuple(rules)


def concatenate_comparisons(members: Sequence["MemberResults"]) -> ComparisonTable | None:
    """The comparisons of all members, fields and paths prefixed with the name of the member; None if there are none."""
    named = [(member.name, member.results.comparisons) for member in members if member.results.comparisons is not None]
    if not named:
        return None
    tables = [comparisons for _, comparisons in named]

    def column(name: str, sizes: Sequence[int] | None = None) -> NDArray[Any]:
        """A column of all tables; codes into another column are shifted by the sizes of that column."""
        arrays: list[NDArray[Any]] = [getattr(table, name) for table in tables]
        if sizes is None:
            return np.concatenate(arrays)
        starts = accumulate(sizes, initial=0)
        return np.concatenate([array + np.int32(start) for array, start in zip(arrays, starts, strict=False)])

    def by_row(name: str) -> dict[int, Any]:
        """A mapping by row of all tables, its rows shifted by the lengths of the tables before."""
        return shift_keys(name, map(len, tables))

    def shift_keys(name: str, sizes: Iterable[int]) -> dict[int, Any]:
        """A mapping of all tables, its keys shifted by the sizes of the tables before."""
        shifted: dict[int, Any] = {}
        for table, start in zip(tables, accumulate(sizes, initial=0), strict=False):
            values: Mapping[int, Any] = getattr(table, name)
            shifted |= {start + key: value for key, value in values.items()}
        return shifted

    return ComparisonTable(
        cases=tables[0].cases,
        case=column("case"),
        field=column("field", [len(table.fields) for table in tables]),
        path=column("path", [len(table.paths) for table in tables]),
        outcome=column("outcome"),
        similarity=column("similarity"),
        passed=column("passed"),
        expected=list(chain.from_iterable(table.expected for table in tables)),
        actual=list(chain.from_iterable(table.actual for table in tables)),
        fields=[text for name, table in named for text in prefix_labels(name, table.fields)],
        rules=[rule for table in tables for rule in table.rules],
        paths=[text for name, table in named for text in prefix_labels(name, table.paths)],
        cause=by_row("cause"),
        note=by_row("note"),
        faults=by_row("faults"),
        unmatched_actual=column("unmatched_actual"),
        unmatched_expected=column("unmatched_expected"),
        confidence=np.concatenate(fill_confidences(tables)) if any(len(table.confidence) for table in tables) else np.zeros(0),
        page=by_row("page"),
        box=by_row("box"),
        unread=shift_keys("unread", [len(table.fields) for table in tables]),
        identical=column("identical") if all(len(table.identical) == len(table) for table in tables) else np.zeros(0, dtype=np.bool_),
    )
