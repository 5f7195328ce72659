"""Values that carry evidence: `{"value": 107, "confidence": 0.9}` in place of 107, or a parallel record of confidences.

An object of actual is unwrapped where its `value` is what the expected side has at that path; without a confidence, only if everything
beside the value says where it comes from. Confidences outside of 0 to 1 are left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Final, cast

import orjson

from fieldwise.dataclass import dataclass
from fieldwise.model.accepted_values import ANY
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.evidence import Evidence, EvidenceNode
from fieldwise.model.path import MalformedPath, Path, Step, value_at
from fieldwise.model.values import MISSING, Value
from fieldwise.read.records_in_text import find_record

DEFAULT_CONFIDENCES: Final = "metadata.confidences"
"""Where importers put the confidences of a record."""
_CONFIDENCE_KEYS: Final = ("confidence", "score")
_PAGE_KEYS: Final = ("page", "page_number")
_BOX_KEYS: Final = ("box", "bbox", "bounding_box")
_RICH_KEYS: Final = frozenset(("value", *_CONFIDENCE_KEYS, *_PAGE_KEYS, *_BOX_KEYS))
_SOURCE_KEYS: Final = frozenset(
    (
        *("evidence", "source", "sources", "quote", "quotes", "citation", "citations", "reason", "reasoning", "explanation", "rationale"),
        *("status", "found", "span", "spans", "start", "end", "offset", "offsets", "line", "lines", *_PAGE_KEYS, *_BOX_KEYS),
    )
)
"""What may be beside a value that has no confidence. A unit or a currency is no evidence but a part of the value."""
_PLACES: Final = ("pages", "boxes")
"""Where importers put the pages and boxes of a record, in the metadata."""
_MAX_DEPTH: Final = 100
"""Deeper values are left as they are."""


def find_rich_records(records: Sequence[Any]) -> list[int]:
    """The positions of records in which an object has a `value` and a `confidence` or `score`, or evidence."""
    if not _may_have_value_key(records):
        return []
    return [row for row, record in enumerate(records) if _may_have_value_key(record) and _has_rich_value(record)]


def _may_have_value_key(records: Any) -> bool:
    """False only if no object has the key `value`. Serializing records is twice as fast as looking at each of their values."""
    try:
        return b'"value"' in orjson.dumps(records, default=_drop_missing)
    except TypeError:  # nested too deep, or something that JSON does not have
        return True


def _drop_missing(value: Any) -> None:
    if value is not MISSING:
        raise TypeError


def _has_rich_value(record: Any) -> bool:
    pending: list[Any] = [record]
    while pending:
        value = pending.pop()
        if value.__class__ is dict:
            if "value" in value and ("confidence" in value or "score" in value or _has_evidence_only(value)):
                return True
            pending.extend(value.values())
        elif value.__class__ is list:
            pending.extend(value)
    return False


@dataclass(slots=True)
class UnwrapTotals:
    """What was found in the records of a batch."""

    unwrapped: int = 0
    """Number of objects that were replaced by their value."""
    without_confidence: int = 0
    """Number of those that had evidence but no confidence."""
    out_of_range: int = 0
    """Number of confidences that are no number from 0 to 1."""


def unwrap_record(expected: Value, actual: Value, totals: UnwrapTotals) -> tuple[Value, EvidenceNode]:
    """The actual record with plain values, and their evidence.

    >>> unwrap_record({"total": 107}, {"total": {"value": 107, "confidence": 0.9}}, UnwrapTotals())
    ({'total': 107}, {'total': Evidence(confidence=0.9, page=None, box=None)})
    """
    return _unwrap(actual, _shape_of([expected]), totals, 0)


@dataclass(slots=True)
class _Shape:
    """What the expected side has at a path, in one record or in all items of a list."""

    has_leaf: bool = False
    """A scalar, a list, or several accepted values."""
    has_object: bool = False
    has_value_key: bool = False
    """An object with the key `value`, which is then a field of the data."""
    members: dict[str, list[Any]] = field(default_factory=dict)
    items: list[Any] = field(default_factory=list)
    _below: "dict[str | None, _Shape]" = field(default_factory=dict)

    def below(self, key: str | None) -> "_Shape":
        """The shape of a member, or of all items of a list (None); computed once for all items of an actual list."""
        if key not in self._below:
            self._below[key] = _shape_of(self.items if key is None else self.members.get(key, ()))
        return self._below[key]


def _shape_of(values: Sequence[Any]) -> _Shape:
    shape = _Shape()
    for value in values:
        if isinstance(value, Mapping) and ANY not in value:
            shape.has_object = True
            shape.has_value_key = shape.has_value_key or "value" in value
            for key, member in cast("Mapping[str, Any]", value).items():
                shape.members.setdefault(key, []).append(member)
        elif value is not None and value is not MISSING:
            shape.has_leaf = True
            if isinstance(value, list):
                shape.items += cast("list[Any]", value)
    return shape


def _unwrap(value: Any, shape: _Shape, totals: UnwrapTotals, depth: int) -> tuple[Any, EvidenceNode]:
    if depth > _MAX_DEPTH:
        return value, None
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        if _is_rich(members, shape):
            totals.unwrapped += 1
            totals.without_confidence += not any(key in members for key in _CONFIDENCE_KEYS)
            plain, inner = _unwrap(members["value"], shape, totals, depth + 1)
            evidence = _read_evidence(members, totals)
            return plain, evidence if inner is None else inner
        unwrapped: dict[str, Any] = {}
        evidence_of: dict[str, Any] = {}
        for key, member in members.items():
            unwrapped[key], node = _unwrap(member, shape.below(key), totals, depth + 1)
            if node is not None:
                evidence_of[key] = node
        return unwrapped, evidence_of or None
    if isinstance(value, list):
        pairs = [_unwrap(item, shape.below(None), totals, depth + 1) for item in cast("list[Any]", value)]
        nodes = [node for _, node in pairs]
        return [item for item, _ in pairs], nodes if any(node is not None for node in nodes) else None
    return value, None


def _is_rich(members: dict[str, Any], shape: _Shape) -> bool:
    """Whether an object is a value with its evidence, and not an object of the data with fields of these names."""
    if "value" not in members or shape.has_value_key:
        return False
    has_confidence = any(key in members for key in _CONFIDENCE_KEYS)
    if shape.has_leaf:
        return has_confidence or _has_evidence_only(members)
    if not has_confidence:
        return False
    if shape.has_object:
        return isinstance(members["value"], dict) and "confidence" in members
    # nothing is expected here, so only an object that cannot be anything else counts
    confidence = _first(members, _CONFIDENCE_KEYS)
    return _RICH_KEYS.issuperset(members) and (confidence is None or read_confidence(confidence) is not None)


def _has_evidence_only(members: dict[str, Any]) -> bool:
    """Whether an object with a `value` has something beside it, and nothing but where the value comes from."""
    return len(members) > 1 and all(key == "value" or key in _SOURCE_KEYS for key in members)


def _first(members: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((members[key] for key in keys if key in members), None)


def _read_evidence(members: dict[str, Any], totals: UnwrapTotals) -> Evidence | None:
    written = _first(members, _CONFIDENCE_KEYS)
    return _make_evidence(written, _first(members, _PAGE_KEYS), _first(members, _BOX_KEYS), totals)


def _make_evidence(confidence: Any, page: Any, box: Any, totals: UnwrapTotals) -> Evidence | None:
    number = read_confidence(confidence)
    if number is None and confidence is not None:
        totals.out_of_range += 1
    evidence = Evidence(number, page if type(page) is int else None, _read_box(box))
    return None if evidence == Evidence() else evidence


def read_confidence(value: Any) -> float | None:
    """A number from 0 to 1; None for anything else.

    >>> read_confidence(1), read_confidence(98.5), read_confidence(True)
    (1.0, None, None)
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= 1 else None


def _read_box(value: Any) -> tuple[float, ...] | None:
    if not isinstance(value, list | tuple) or not value or not all(map(_is_number, cast("Sequence[Any]", value))):
        return None
    return tuple(float(number) for number in cast("Sequence[float]", value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class EvidencePaths:
    """Where a case has the parallel records of its evidence."""

    confidence: str = DEFAULT_CONFIDENCES
    """A path into the metadata or the output of a case."""

    def may_occur(self, metadata: Sequence[Mapping[str, Any]]) -> bool:
        """Whether a case may have such a record."""
        if self.confidence.startswith("actual"):
            return True
        if not any(metadata):
            return False
        names = {*_PLACES, str(Path.parse(self.confidence).steps[1])}
        return any(not names.isdisjoint(columns) for columns in metadata if columns)

    def find(self, metadata: Mapping[str, Any], actual: Value, totals: UnwrapTotals) -> EvidenceNode:
        """The evidence in the parallel records of a case."""
        steps = Path.parse(self.confidence).steps
        root: Any = actual if steps[0] == "actual" else metadata
        confidence = _as_parallel_record(value_at(root, steps[1:]), actual)
        pages, boxes = (_as_parallel_record(metadata.get(name), actual) for name in _PLACES)
        if confidence is None and pages is None and boxes is None:
            return None
        return _combine((confidence, pages, boxes), totals, 0)

    def remove_from(self, actual: Value, expected: Value) -> Value:
        """The output without the record of its confidences, if that is inside the output and no field of the data.

        >>> EvidencePaths("actual.sure").remove_from({"total": 5, "sure": {"total": 0.9}}, {"total": 5})
        {'total': 5}
        """
        root, *steps = Path.parse(self.confidence).steps
        is_inside = root == "actual" and bool(steps)
        return _without_path(actual, steps) if is_inside and value_at(expected, steps) is MISSING else actual


def _without_path(value: Any, steps: Sequence[Step]) -> Any:
    """Nested objects without the member at a path, and without objects that held nothing else; the same value if there is none."""
    if not isinstance(value, dict) or value_at(value, steps) is MISSING:
        return value
    members = cast("dict[Any, Any]", value)
    below = _without_path(members[steps[0]], steps[1:]) if len(steps) > 1 else {}
    return {**members, steps[0]: below} if below else {key: member for key, member in members.items() if key != steps[0]}


def _as_parallel_record(value: Any, actual: Value) -> Any:
    """A parallel record; keys that are paths, such as `vendor.name`, become objects, unless the record itself has such a key."""
    if isinstance(value, str):
        value = find_record(value).value
    if value is MISSING or not isinstance(value, dict):
        return value if isinstance(value, list) or _is_number(value) else None
    own_keys = cast("dict[str, Any]", actual) if isinstance(actual, dict) else {}
    record: Any = {}
    for key, member in cast("dict[str, Any]", value).items():
        steps = (key,) if key in own_keys else _parse_steps(key)
        record = _put(record, steps, member)
    return record


def _parse_steps(key: str) -> tuple[Step, ...]:
    try:
        return Path.parse(key).steps
    except MalformedPath:
        return (key,)


def _put(node: Any, steps: Sequence[Step], value: Any) -> Any:
    """Add a value to nested objects; the items of lists are members by the text of their index."""
    if not steps:
        return value
    members = cast("dict[str, Any]", node) if isinstance(node, dict) else {}
    key = str(steps[0])
    members[key] = _put(members.get(key), steps[1:], value)
    return members


def _combine(nodes: tuple[Any, Any, Any], totals: UnwrapTotals, depth: int) -> EvidenceNode:
    """Three parallel records as one of `Evidence`. A confidence may be an object with a `confidence` or `score` itself."""
    if depth > _MAX_DEPTH:
        return None
    confidence, page, box = nodes
    if isinstance(confidence, dict) and "value" not in confidence and _is_number(_first(confidence, _CONFIDENCE_KEYS)):
        members = cast("dict[str, Any]", confidence)
        return _make_evidence(_first(members, _CONFIDENCE_KEYS), _first(members, _PAGE_KEYS), _first(members, _BOX_KEYS), totals)
    if any(isinstance(node, dict) for node in nodes):
        objects = [cast("dict[str, Any]", node) if isinstance(node, dict) else {} for node in nodes]
        keys = dict.fromkeys(key for members in objects for key in members)
        combined: dict[str, EvidenceNode] = {}
        for key in keys:
            confidence, page, box = (members.get(key) for members in objects)
            combined[key] = _combine((confidence, page, box), totals, depth + 1)
        return {key: node for key, node in combined.items() if node is not None} or None
    if _is_leaf_box(box) or not any(isinstance(node, list) for node in nodes):
        return _make_evidence(confidence, page, box, totals)
    lists = [cast("list[Any]", node) if isinstance(node, list) else [] for node in nodes]
    combined_items: list[EvidenceNode] = []
    for at in range(max(map(len, lists))):
        confidence, page, box = (items[at] if at < len(items) else None for items in lists)
        combined_items.append(_combine((confidence, page, box), totals, depth + 1))
    return combined_items


def _is_leaf_box(box: Any) -> bool:
    return _read_box(box) is not None


def overlay(base: EvidenceNode, top: EvidenceNode) -> EvidenceNode:
    """Two trees of evidence as one; where both have evidence, that of `top` holds."""
    if top is None or base is None or isinstance(top, Evidence) or isinstance(base, Evidence):
        return base if top is None else top
    if isinstance(base, Mapping) and isinstance(top, Mapping):
        return {**base, **{key: overlay(base.get(key), node) for key, node in top.items()}}
    return top


def is_rich_shape(value: Any) -> bool:
    """Whether a value is an object with `value` and `confidence` or `score`."""
    return isinstance(value, Mapping) and "value" in value and any(key in value for key in _CONFIDENCE_KEYS)


def read_confidence_of(members: Mapping[str, Any]) -> float | None:
    """The confidence of such an object."""
    return read_confidence(_first(members, _CONFIDENCE_KEYS))


def find_parallel_evidence(confidences: Mapping[str, Any], record: Value) -> EvidenceNode:
    """The evidence in a record of confidences that is parallel to a record."""
    return _combine((_as_parallel_record(confidences, record), None, None), UnwrapTotals(), 0)


def describe_totals(totals: UnwrapTotals) -> list[Diagnostic]:
    """What a run says about the values of its batches; without counts, so that the batches of a run say it once."""
    notes: list[Diagnostic] = []
    if totals.without_confidence:
        what = "actual has objects with `value` and its evidence where a plain value is expected; the value was compared"
        notes.append(Diagnostic(code="unwrapped-evidence", level="info", what=what))
    if totals.unwrapped > totals.without_confidence:
        what = "actual has objects with `value` and `confidence` (or `score`) where a plain value is expected; the value was compared"
        notes.append(Diagnostic(code="unwrapped-values", level="info", what=what, fix="see how good they are: fieldwise confidence latest"))
    if totals.out_of_range:
        what, fix = "some confidences are not numbers from 0 to 1; they were left out", "divide percentages by 100"
        notes.append(Diagnostic(code="bad-confidence", level="warning", what=what, fix=fix))
    return notes
