"""Apply a policy to one output: which values are accepted, and which need review."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, Final, cast

from fieldwise.model.evidence import Evidence, EvidenceNode, evidence_below
from fieldwise.model.path import EACH, MalformedPath, Path, Step, render_path
from fieldwise.model.policy import FieldPolicy, Policy
from fieldwise.read.policy_file import load_policy
from fieldwise.score.rich_values import find_parallel_evidence, is_rich_shape, read_confidence_of

_MAX_DEPTH: Final = 200


@dataclass(frozen=True, slots=True)
class Route:
    """The values of one output by what happens to them, as paths."""

    accepted: list[str]
    """Confident enough: they need no review."""
    review: list[str]
    """The others: below the cut-off of their field, without a confidence, or of a field without a cut-off."""


def route_record(
    record: Any, policy: "Policy | Mapping[str, Any] | str | FilePath", *, confidences: Mapping[str, Any] | None = None
) -> Route:
    """The values of an output that a policy accepts, and those that need a review.

    The confidences are beside the values (`{"value": 107, "confidence": 0.9}`), or in `confidences`, a record of the same shape.
    """
    rules = _Rules.of(load_policy(policy))
    route = Route([], [])
    parallel = find_parallel_evidence(confidences, record) if confidences is not None else None
    _route(record, (), rules, parallel, route, 0)
    return route


def _route(value: Any, steps: tuple[Step, ...], rules: "_Rules", parallel: EvidenceNode, route: Route, depth: int) -> None:
    field = rules.find(steps)
    if is_rich_shape(value) and not rules.has_below(steps, "value"):
        members = cast("Mapping[str, Any]", value)
        confidence = read_confidence_of(members)
        if field is None and isinstance(members["value"], Mapping | list) and members["value"]:
            inherited = parallel if confidence is None else Evidence(confidence)
            _route(members["value"], steps, rules, inherited, route, depth + 1)
            return
        _decide(steps, confidence, field, route)
        return
    is_container = isinstance(value, Mapping | list) and bool(value)
    if field is None and is_container and depth < _MAX_DEPTH:
        for step, child in _children(value):
            _route(child, (*steps, step), rules, evidence_below(parallel, step), route, depth + 1)
        return
    _decide(steps, parallel.confidence if isinstance(parallel, Evidence) else None, field, route)


def _children(value: Any) -> list[tuple[Step, Any]]:
    if isinstance(value, Mapping):
        return [(str(key), child) for key, child in cast("Mapping[Any, Any]", value).items()]
    return list(enumerate(cast("Sequence[Any]", value)))


def _decide(steps: tuple[Step, ...], confidence: float | None, field: FieldPolicy | None, route: Route) -> None:
    is_accepted = field is not None and field.threshold is not None and confidence is not None and confidence >= field.threshold
    (route.accepted if is_accepted else route.review).append(render_path(steps))


@dataclass(frozen=True, slots=True)
class _Rules:
    """The fields of a policy by their steps; `[*]` stands for any item."""

    by_steps: Mapping[tuple[Step, ...], FieldPolicy]
    prefixes: frozenset[tuple[Step, ...]]

    @classmethod
    def of(cls, policy: Policy) -> "_Rules":
        by_steps: dict[tuple[Step, ...], FieldPolicy] = {}
        for text, field in policy.fields.items():
            try:
                by_steps[Path.parse(text).steps] = field
            except MalformedPath:
                by_steps[(text,)] = field  # such as `(root)`, or a member of a composite
        return cls(by_steps, frozenset(steps[:length] for steps in by_steps for length in range(1, len(steps) + 1)))

    def find(self, steps: tuple[Step, ...]) -> FieldPolicy | None:
        """The field of a value; the rule of an item itself comes before that of all items."""
        return self.by_steps.get(steps) or self.by_steps.get(_generalize(steps))

    def has_below(self, steps: tuple[Step, ...], key: str) -> bool:
        """Whether a field is at or below a key of a value, which is then data and no wrapper."""
        return (*steps, key) in self.prefixes or (*_generalize(steps), key) in self.prefixes


def _generalize(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(EACH if isinstance(step, int) else step for step in steps)
