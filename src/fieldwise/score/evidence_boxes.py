"""`evidence: {iou: 0.5}`: the place of a value is scored together with the value, so that a field passes only if both hold.

Expected boxes are beside the expected values, `{"value": 107, "box": [...], "page": 1}`, or in the metadata of a case, as `expected_boxes`
and `expected_pages`. A value without an expected box is judged by the value alone, with a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from fieldwise.model.case import Cases
from fieldwise.model.comparison import ComparisonTable, Outcome
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.evidence import Evidence, EvidenceNode, evidence_below, read_box, read_place
from fieldwise.model.path import EACH, ROOT, MalformedPath, Path, Step, value_at
from fieldwise.model.rule import CompareSpec
from fieldwise.model.services import Services
from fieldwise.model.values import Value
from fieldwise.numpy_on_use import np

_SLACK: Final = 1e-9
NOT_COMPARED: Final = "expected has no box, so only the value was compared"


def scores_places(spec: CompareSpec) -> bool:
    """Whether a rule of a spec asks for the place of its values."""
    return any(rule.evidence is not None for rule in spec.rules)


def unwrap_places(spec: CompareSpec, records: Sequence[Value]) -> tuple[list[Value], dict[int, EvidenceNode]]:
    """The records with plain values where a rule asks for their place, and the places that were beside them, by case."""
    paths = [rule.path.steps for rule in spec.rules if rule.evidence is not None and rule.path is not None]
    unwrapped: list[Value] = []
    places: dict[int, EvidenceNode] = {}
    for case, record in enumerate(records):
        node: EvidenceNode = None
        for steps in paths:
            record, node_at_path = _unwrap_at(record, steps)
            node = node_at_path if node is None else _merge(node, node_at_path)
        if node is not None:
            places[case] = node
        unwrapped.append(record)
    return unwrapped, places


def _list_indexes(step: Step, size: int) -> Iterable[int]:
    """The items of a list that a step of a path chooses: all, one, or none if there is no such item."""
    if step is EACH:
        return range(size)
    return [step] if isinstance(step, int) and -size <= step < size else []


def _unwrap_at(value: Any, steps: tuple[Step, ...]) -> tuple[Any, EvidenceNode]:
    """A copy of a value with a plain value at the end of the steps, and the place that was beside it; the value itself without one."""
    if not steps:
        place = read_place(value)
        return (value, None) if place is None else (value["value"], place)
    step, rest = steps[0], steps[1:]
    if isinstance(value, list):
        items = cast("list[Any]", value)
        pairs = {index: _unwrap_at(items[index], rest) for index in _list_indexes(step, len(items))}
        if all(node is None for _, node in pairs.values()):
            return value, None
        changed = {index % len(items): pair for index, pair in pairs.items()}
        plain = [changed[index][0] if index in changed else item for index, item in enumerate(items)]
        return plain, [changed[index][1] if index in changed else None for index in range(len(items))]
    if isinstance(value, dict) and step is not EACH and str(step) in value:
        members = cast("dict[str, Any]", value)
        plain, node = _unwrap_at(members[str(step)], rest)
        return (value, None) if node is None else ({**members, str(step): plain}, {str(step): node})
    return value, None


def _merge(first: EvidenceNode, second: EvidenceNode) -> EvidenceNode:
    """Two trees as one; the rules of a spec have different paths, so no place is in both."""
    if first is None or second is None:
        return second if first is None else first
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return {**first, **{key: _merge(first.get(key), node) for key, node in second.items()}}
    if isinstance(first, list) and isinstance(second, list):
        return [_merge(left, right) for left, right in zip(first, second, strict=True)]
    return first


def compare_places(
    spec: CompareSpec, comparisons: ComparisonTable, beside: Mapping[int, EvidenceNode], cases: Cases, services: Services
) -> ComparisonTable:
    """The comparisons in which a value at the wrong place is wrong. `beside` are the places beside expected values, by case."""
    outcome, similarity, passed = comparisons.outcome.copy(), comparisons.similarity.copy(), comparisons.passed.copy()
    identical, distance = comparisons.identical.copy(), comparisons.distance.copy()
    notes, causes = dict(comparisons.note), dict(comparisons.cause)
    unplaced: set[int] = set()
    for position, rule in enumerate(spec.rules):
        if rule.evidence is None:
            continue
        for row in np.flatnonzero((comparisons.field == position) & comparisons.passed & (outcome == Outcome.MATCH)).tolist():
            case, path = int(comparisons.case[row]), str(comparisons.paths[int(comparisons.path[row])])
            expected = _find_expected_place(path, beside.get(case), cases.metadata[case])
            if len(identical):
                identical[row] = identical[row] and beside.get(case) is None  # the stored record does not have the plain value there
            if expected is None:
                unplaced.add(position)
                _add_note(notes, row, NOT_COMPARED)
                continue
            reason = _find_misplacement(expected, comparisons.page.get(row), comparisons.box.get(row), rule.evidence.iou)
            if reason:
                outcome[row], similarity[row], passed[row] = Outcome.WRONG_VALUE, 0.0, False
                causes.pop(row, None)
                _add_note(notes, row, f"the value is right, its place is not: {reason}")
                if len(distance):
                    distance[row] = np.inf  # no tolerance would make it pass
    for position in sorted(unplaced):
        field = spec.rules[position].text
        what = f"`evidence` of `{field}`: some expected values have no box, so only the value was compared"
        fix = "write `{value: …, box: […]}` in expected, or metadata.expected_boxes"
        services.report(Diagnostic(code="no-expected-box", level="warning", what=what, where=Where(field=field), fix=fix))
    return replace(
        comparisons,
        outcome=outcome,
        similarity=similarity,
        passed=passed,
        identical=identical,
        distance=distance,
        note=notes,
        cause=causes,
    )


def _add_note(notes: dict[int, str], row: int, text: str) -> None:
    notes[row] = f"{notes[row]}; {text}" if row in notes else text


def _find_expected_place(path: str, beside: EvidenceNode, metadata: Mapping[str, Any]) -> Evidence | None:
    try:
        steps = () if path == ROOT else Path.parse(path).steps
    except MalformedPath:
        return None
    node = beside
    for step in steps:
        node = evidence_below(node, step)
    if isinstance(node, Evidence):
        return node
    box = read_box(_look_up(metadata.get("expected_boxes"), steps))
    page = _look_up(metadata.get("expected_pages"), steps)
    if box is None:
        return None
    return Evidence(page=page if type(page) is int else None, box=box)


def _look_up(record: Any, steps: Sequence[Step]) -> Any:
    return value_at(record, steps) if isinstance(record, dict | list) else None


def _find_misplacement(expected: Evidence, page: int | None, box: Sequence[float] | None, minimum: float) -> str:
    """What is wrong with the place of a value; empty if nothing is."""
    actual_box = None if box is None else read_box(list(box))
    if actual_box is None:
        return "the output has no box"
    if page is not None and expected.page is not None and page != expected.page:
        return f"page {page}, and page {expected.page} is expected"
    from fieldwise.kernels.geometry import box_iou_pairs

    overlap = float(box_iou_pairs(np.array([expected.box], dtype=np.float64), np.array([actual_box], dtype=np.float64))[0])
    return "" if overlap >= minimum - _SLACK else f"box IoU {overlap:.2f}, and at least {minimum:g} is needed"
