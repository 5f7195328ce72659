"""The values of a stored run with their confidences: which are right, how sure the system was, and which document they are from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.statistics import hash_texts
from fieldwise.model.comparison import Outcome
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.registry import nearest
from fieldwise.store.arrow_tables import GROUP_COLUMN, ArrowTable, numpy_array
from fieldwise.store.load_part import labels_from_column
from fieldwise.store.part_reader import list_part_files, read_table
from fieldwise.store.run import Run

_COLUMNS: Final = ("case", "field", "path", "outcome", "passed", "confidence")
_WITH_ACTUAL: Final = frozenset(
    outcome.label for outcome in (Outcome.MATCH, Outcome.WRONG_VALUE, Outcome.FORMAT_ERROR, Outcome.HALLUCINATION)
)
_LEFT_OUT: Final = frozenset(outcome.label for outcome in (Outcome.IGNORED, Outcome.FAULT))

GivenConfidences = Mapping[tuple[str, str], float]
"""Confidences from elsewhere, such as the agreement of several systems, by case and path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidentValues:
    """Values that a system produced, as arrays of equal length. A value with a null that has a confidence counts, too."""

    evaluator: str
    fields: Sequence[str]
    """The fields of the run, in order."""
    field: NDArray[np.int64]
    """Index into `fields`."""
    confidence: NDArray[np.float64]
    """NaN for a value without one."""
    correct: NDArray[np.float64]
    """1 for a value that passed, else 0."""
    document: NDArray[np.int64]
    """Index into `documents`."""
    documents: Sequence[str]
    """The documents, which are the groups of cases, or the cases."""
    tags: Mapping[str, NDArray[np.bool_]]
    """By tag, whether the case of a value has it."""

    def __len__(self) -> int:
        return len(self.field)

    @property
    def has_confidence(self) -> NDArray[np.bool_]:
        """True for values with a confidence."""
        return ~np.isnan(self.confidence)

    @property
    def keys(self) -> NDArray[np.uint64]:
        """A hash of each document."""
        return hash_texts(self.documents)

    def fields_with_confidence(self) -> list[int]:
        """The fields of which at least one value has a confidence."""
        return sorted({*self.field[self.has_confidence].tolist()})


def has_confidences(run: Run) -> bool:
    """Whether any value of a run has a confidence: a part without one has no such column."""
    for part in run.parts:
        for file in list_part_files(part, "comparisons"):
            if "confidence" in read_table(run.path, file, columns=lambda name: name in ("passed", "confidence")).column_names:
                return True
    return False


def load_confident_values(run: Run, evaluator: str | None = None, confidences: GivenConfidences | None = None) -> ConfidentValues:
    """The values of an evaluator of a run; by default of the first one whose comparisons have confidences.

    `confidences` take the place of the stored ones.
    """
    names = [evaluator] if evaluator is not None else list(run.evaluators)
    loaded: ConfidentValues | None = None
    for name in names:
        values = _load_evaluator(run, name, confidences)
        if values is not None and values.has_confidence.any():
            return values
        loaded = loaded if loaded is not None and len(loaded) else values or loaded
    return loaded or _build(names[0] if names else "", [], [], confidences)


@dataclass(frozen=True, slots=True)
class _PartValues:
    """The values of one part."""

    fields: list[str]
    paths: list[str]
    cases: list[str]
    groups: list[str]
    tags: list[Sequence[str]]
    passed: NDArray[np.bool_]
    confidence: NDArray[np.float64]


def _load_evaluator(run: Run, evaluator: str, confidences: GivenConfidences | None) -> ConfidentValues | None:
    parts: list[_PartValues] = []
    for part in run.parts:
        [cases_file] = list_part_files(part, "cases")
        cases: _PartCases | None = None
        for file in list_part_files(part, "comparisons", evaluator):
            if cases is None:
                cases = _read_cases(read_table(run.path, cases_file, columns=lambda name: name in ("case", "id", "tags", GROUP_COLUMN)))
            table = read_table(run.path, file, columns=lambda name: name in _COLUMNS)
            parts.append(_read_values(table, cases, has_given=confidences is not None))
    if not parts:
        return None
    fields = [field.field for field in run.fields(evaluator)]
    return _build(evaluator, fields, parts, confidences)


@dataclass(frozen=True, slots=True)
class _PartCases:
    row_of: dict[int, int]
    ids: list[str]
    groups: list[str]
    tags: list[Sequence[str]]


def _read_cases(table: ArrowTable) -> _PartCases:
    ids: list[str] = table.column("id").to_pylist()
    groups: list[str] = table.column(GROUP_COLUMN).to_pylist() if GROUP_COLUMN in table.column_names else ids
    labels = labels_from_column(table.column("tags"))
    tags: list[Sequence[str]] = [labels.at(row) if len(labels.codes) else () for row in range(len(ids))]
    return _PartCases({case: row for row, case in enumerate(table.column("case").to_pylist())}, ids, groups, tags)


def _read_values(table: ArrowTable, cases: _PartCases, *, has_given: bool) -> _PartValues:
    outcomes: list[str] = table.column("outcome").to_pylist()
    has_column = "confidence" in table.column_names and not has_given
    confidence = numpy_array(table.column("confidence"), np.nan) if has_column else np.full(len(outcomes), np.nan)
    has_actual = np.array([outcome in _WITH_ACTUAL for outcome in outcomes], dtype=np.bool_)
    is_counted = np.array([outcome not in _LEFT_OUT for outcome in outcomes], dtype=np.bool_)
    rows = np.flatnonzero(is_counted & (has_actual | ~np.isnan(confidence)))
    case_rows = [cases.row_of[case] for case in numpy_array(table.column("case"))[rows].tolist()]
    fields: list[str] = table.column("field").to_pylist()
    paths: list[str] = table.column("path").to_pylist() if has_given else []
    return _PartValues(
        fields=[fields[row] for row in rows.tolist()],
        paths=[paths[row] for row in rows.tolist()] if paths else [],
        cases=[cases.ids[row] for row in case_rows],
        groups=[cases.groups[row] for row in case_rows],
        tags=[cases.tags[row] for row in case_rows],
        passed=numpy_array(table.column("passed"))[rows],
        confidence=confidence[rows],
    )


def _build(evaluator: str, fields: Sequence[str], parts: Sequence[_PartValues], confidences: GivenConfidences | None) -> ConfidentValues:
    field_codes = {name: code for code, name in enumerate(fields)}
    document_codes: dict[str, int] = {}
    field: list[int] = []
    document: list[int] = []
    tags_of_value: list[Sequence[str]] = []
    confidence = [np.zeros(0)]
    for part in parts:
        field += [field_codes.setdefault(name, len(field_codes)) for name in part.fields]
        document += [document_codes.setdefault(name, len(document_codes)) for name in part.groups]
        tags_of_value += part.tags
        if confidences is None:
            confidence.append(part.confidence)
        else:
            pairs = zip(part.cases, part.paths, strict=True)
            confidence.append(np.array([confidences.get(pair, np.nan) for pair in pairs], dtype=np.float64))
    names = sorted({tag for tags in {*map(tuple, tags_of_value)} for tag in tags})
    return ConfidentValues(
        evaluator=evaluator,
        fields=list(field_codes),
        field=np.array(field, dtype=np.int64),
        confidence=np.concatenate(confidence),
        correct=np.concatenate([np.zeros(0), *(part.passed.astype(np.float64) for part in parts)]),
        document=np.array(document, dtype=np.int64),
        documents=list(document_codes),
        tags={tag: np.array([tag in tags for tags in tags_of_value], dtype=np.bool_) for tag in names},
    )


def find_field(values: ConfidentValues, field: str) -> int:
    """The index of a field; ConfigError with the most similar one if there is none."""
    if field in values.fields:
        return values.fields.index(field)
    similar = nearest(field, list(values.fields))
    field_names: Any = ", ".join(values.fields[:8]) or "none: its evaluators compare no fields"
    fix = f"did you mean `{similar}`?" if similar else f"there are {field_names}"
    raise ConfigError([Diagnostic(code="no-field", what=f"the run compared no field `{field}`", fix=fix)])
