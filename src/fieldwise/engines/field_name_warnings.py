"""A run whose expected and actual records have no field in common: every expected field is an omission, so that nothing was compared.

That may be the output, or a missing mapping: a run of three such cases or more exits 3.
The stored records are read only if no comparison of the run had values on both sides.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, cast

from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.locations import Location
from fieldwise.model.path import render_path
from fieldwise.model.plan import Plan, Source
from fieldwise.model.summary import EvaluatorSummary, Summary
from fieldwise.read.columns import quote_name
from fieldwise.read.records_in_text import find_record
from fieldwise.store.comparison_table import decode_value
from fieldwise.store.manifest import Part
from fieldwise.store.part_reader import list_part_files, read_table
from fieldwise.summarize.exit_code import NO_COMMON_FIELD

_MIN_CASES: Final = 3
"""Minimum number of cases: in fewer, other names may be ordinary wrong answers."""
_MAX_CASES: Final = 1_000
"""Maximum number of stored cases to read."""
_MAX_NAMED: Final = 4
_ABSENT_OUTCOMES: Final = frozenset(("omission", "hallucination", "both_absent", "ignored"))

_Record = Mapping[str, Any]


def check_common_fields(
    plan: Plan, summary: Summary, folder: Location, parts: Sequence[Part], notes: Sequence[Diagnostic]
) -> list[Diagnostic]:
    """The notes of a run, with an error if no field of an output has the name of an expected one; it replaces what reading reported."""
    if not _has_only_omissions(summary):
        return [*notes]
    from fieldwise.read.pairing import list_names
    from fieldwise.read.record_columns import list_fields

    pairs = list(islice(_load_records(folder, parts), _MAX_CASES))
    expected_names, actual_names = (list_fields(map(_drop_empty_fields, side)) for side in zip(*pairs, strict=True)) if pairs else ([], [])
    is_common = not set(expected_names).isdisjoint(list_fields(actual for _, actual in pairs))
    if len(pairs) < _MIN_CASES or not expected_names or not actual_names or is_common:
        return [*notes]
    names = [list_names(side_names, _MAX_NAMED) for side_names in (expected_names, actual_names)]
    what = f"no field in common: expected has {names[0]}, actual has {names[1]}; every expected field counts as missing"
    fix = _suggest_rename(plan.source, pairs, expected_names, actual_names)
    where = Where(file=None if plan.source is None else plan.source.actual or plan.source.cases)
    others = [note for note in notes if note.code != NO_COMMON_FIELD]
    return [*others, Diagnostic(code=NO_COMMON_FIELD, what=what, where=where, fix=fix)]


def _has_only_omissions(summary: Summary) -> bool:
    """True if evaluators compared fields, and none of the expected values has a counterpart."""
    comparing = [evaluator for evaluator in summary.evaluators.values() if evaluator.fields]
    return bool(comparing) and all(map(_omits_all, comparing)) and any(_count_omissions(evaluator) for evaluator in comparing)


def _omits_all(evaluator: EvaluatorSummary) -> bool:
    return all(_ABSENT_OUTCOMES.issuperset(summary.outcomes) for summary in evaluator.fields)


def _count_omissions(evaluator: EvaluatorSummary) -> int:
    return sum(summary.outcomes.get("omission", 0) for summary in evaluator.fields)


def _load_records(folder: Location, parts: Sequence[Part]) -> Iterator[tuple[_Record, _Record]]:
    """The stored records of cases that have one on both sides: path of a field → its value."""
    for part in parts:
        for file in list_part_files(part, "cases"):
            table = read_table(folder, file, columns=["expected", "actual"])
            for texts in zip(*(table.column(side).to_pylist() for side in ("expected", "actual")), strict=True):
                expected, actual = (_list_fields(decode_value(text)) for text in texts)
                if expected and actual:
                    yield expected, actual


def _list_fields(value: Any) -> dict[str, Any]:
    """Path → value of each field of the record that a side is, or that its text contains; none if there is no record."""
    record = find_record(value).value if isinstance(value, str) else value
    return dict(_walk_fields(record, ()))


def _drop_empty_fields(fields: _Record) -> _Record:
    """The fields that have a value; a null or empty field is no evidence of the names that a side uses."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def _walk_fields(value: Any, steps: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """The fields inside objects, down to values and lists."""
    if isinstance(value, Mapping) and value and accepted_values(cast("_Record", value)) is None:
        for key, inner in cast("_Record", value).items():
            yield from _walk_fields(inner, (*steps, key))
    elif steps:
        yield render_path(steps), value


def _suggest_rename(
    source: Source | None, pairs: Sequence[tuple[_Record, _Record]], expected_names: Sequence[str], actual_names: Sequence[str]
) -> str:
    """How to compare fields that only have another name, with the likeliest ones."""
    if source is None or source.expected is None:
        return "name the fields alike on both sides, or the columns that hold records of the same form: `columns`"
    from fieldwise.read.pairing import find_renames

    renames = find_renames(pairs, expected_names, actual_names)
    written = ", ".join(f"{quote_name(rename.actual)}: {quote_name(rename.expected)}" for rename in renames[:_MAX_NAMED])
    mapping = f"{{{written or 'name in actual: name in expected'}}}"
    evidence = f" ({renames[0].evidence})" if renames else ""
    return f"if a field only has another name, say so: cases: {{actual: {{file: …, rename: {mapping}}}}}{evidence}"
