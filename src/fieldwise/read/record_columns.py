"""Find where the records, or the answers, are inside the rows of two sides."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, Final, NamedTuple, cast

from fieldwise.model.path import render_path
from fieldwise.read.case_builder import is_gold_column, list_gold_answers
from fieldwise.read.columns import USUAL_NAMES, fold_name
from fieldwise.read.document_records import ALSO_FIELDS, FILE_METADATA
from fieldwise.read.records_in_text import find_record
from fieldwise.read.side_mapping import locate, parse_steps

ID_NAMES: Final = frozenset({"id", *(name for group in USUAL_NAMES["id"] for name in group)})
"""Folded names of columns that usually identify rows."""
_SAMPLE: Final = 200
"""Number of rows that decide what a column holds."""
_MOST: Final = 0.8
_DEPTHS: Final = (2, 4)
"""Depths to which records are looked for; to the second, where the objects above have no field in common with the other side, only those
with half of the fields."""
_ROLE_NAMES: Final = {role: frozenset({role, *(name for group in groups for name in group)}) for role, groups in USUAL_NAMES.items()}
_CERTAIN_PREFIXES: Final = ("expected", "gold", "groundtruth", "correct", "actual", "model", "generated", "predict", "system", "hypothesis")
"""Beginnings of folded names that no field of a record has: `reference` or `response` may be data, `gold_answer` is not."""
_ROW_METADATA: Final = frozenset(
    (
        *("file", "files", "filename", "filepath", "path", "image", "imagepath", "imagefile", "document", "documentname", "docname", "doc"),
        *("source", "sourcefile", "url", "uri", "status", "finishreason", "annotator", "labeler", "annotatedat", "annotatedby"),
        *("inputtokens", "outputtokens", "totaltokens", "latencyms", "costusd", "raw", "rawoutput", "rawtext", "object", "index"),
    )
)
"""Names, folded, of what a row says beside its record: where the document is, and how it was read."""
_PREDICTION_WORDS: Final = ("pred", "predicted", "prediction", "hyp", "llm")
"""First or last words, folded, of a column that holds the output for a field, such as `predicted_total` and `total_pred`. Other words of a
system are those of fields too: `model_year`, `actual_delivery_date`, `date_generated`."""
_ANSWER_WORDS: Final = (*_PREDICTION_WORDS, "extracted", "generated", "model", "output", "actual", "system")
"""The same for an answer."""


def find_answers(expected: list[dict[str, Any]], actual: list[dict[str, Any]], keys: Sequence[str]) -> tuple[str, str] | None:
    """The columns of the expected and the actual answer, where the two files hold answers and not records; else None.

    An output file often repeats the columns of the expected file, the expected answer included: comparing those would be a perfect score
    that measures nothing.
    """
    expected_names, actual_names = list_fields(expected[:_SAMPLE]), list_fields(actual[:_SAMPLE])
    answers = [name for name in expected_names if fold_name(name) in _ROLE_NAMES["expected"] and _is_plain(expected, name)]
    own_names = [name for name in actual_names if name not in expected_names and _is_plain(actual, name)]
    outputs = [name for name in own_names if fold_name(name) in _ROLE_NAMES["actual"]]
    if not answers:
        return _find_repeated_answer(expected, expected_names, actual_names, own_names)
    if len(answers) != 1 or len(outputs) != 1:
        return None
    shared = {name for name in expected_names if name in actual_names} - {answers[0], *keys}
    data_fields = {name for name in shared if fold_name(name) not in _ROLE_NAMES["input"] | _ROLE_NAMES["contexts"]}
    is_certain = all(fold_name(name).startswith(_CERTAIN_PREFIXES) for name in (answers[0], outputs[0]))
    if is_certain or not (data_fields or answers[0] in actual_names):
        return answers[0], outputs[0]
    return None


def _find_repeated_answer(
    expected: list[dict[str, Any]], expected_names: Sequence[str], actual_names: Sequence[str], own_names: Sequence[str]
) -> tuple[str, str] | None:
    """The column `answer` of both files, and the column of the actual file that holds the output for it, such as `predicted_answer`."""
    answers = [name for name in expected_names if fold_name(name) == "answer" and name in actual_names and _is_plain(expected, name)]
    outputs = find_outputs(answers, own_names, _ANSWER_WORDS)
    return next(iter(outputs.items())) if len(outputs) == 1 else None


def find_outputs(fields: Sequence[str], names: Sequence[str], words: Sequence[str] = _PREDICTION_WORDS) -> dict[str, str]:
    """Field → the only one of these names that says that it holds the output for the field.

    >>> find_outputs(["total", "date", "year"], ["predicted_total", "date_pred", "model_year", "year_generated"])
    {'total': 'predicted_total', 'date': 'date_pred'}
    """
    outputs: dict[str, str] = {}
    for field in fields:
        folded = fold_name(field)
        output_names = {form for word in words for form in (f"{word}{folded}", f"{folded}{word}")}
        candidates = [name for name in names if fold_name(name) in output_names]
        if len(candidates) == 1:
            outputs[field] = candidates[0]
    return outputs


def _is_plain(rows: list[dict[str, Any]], column: str) -> bool:
    """True if most values of a column are text or numbers, or the gold answers of a question."""
    values = [row.get(column) for row in rows[:_SAMPLE]]
    is_gold = is_gold_column(column)
    plain = [value for value in values if isinstance(value, str | int | float) or (is_gold and list_gold_answers(value) is not None)]
    return len(plain) >= _MOST * len(values)


def find_records(
    expected: list[dict[str, Any]],
    actual: list[dict[str, Any]],
    keys: Sequence[str] = (),
    *,
    same_file: bool = False,
) -> tuple[str | None, str | None]:
    """Where the records are inside the rows: the choice with the most field names in common; None for the row itself.

    An object inside the rows is the record only if nothing that both sides have is left out with the rest of the row: a `vendor` with
    many fields is a part of the invoice. A file of cases has both records: of the expected file the expected one counts, of the actual
    file the actual one. A file compared with itself is compared as a whole. `keys` identify the rows of each side, and are no data.
    """
    key_names = set(map(fold_name, keys))
    chosen: tuple[str | None, str | None] = (None, None)
    for depth in _DEPTHS:
        lefts, rights = (
            [_list_names_around(rows, column) for column in _list_record_columns(rows, None if same_file else side, depth)]
            for rows, side in ((expected, "expected"), (actual, "actual"))
        )
        best = -1
        for left, right in product(lefts, rights):
            common = len(left.fields & right.fields)
            is_likely = depth == _DEPTHS[0] or 2 * common >= min(len(left.fields), len(right.fields))
            if common > best and is_likely and not _leaves_out_data(left, right, key_names):
                best, chosen = common, (left.column, right.column)
        if best > 0:
            break
    return chosen


class _NamesAround(NamedTuple):
    """The folded names of the fields of the records in a column, and of what is beside them in the rows."""

    column: str | None
    fields: set[str]
    beside: set[str]
    """Names of what is left out if these are the records."""
    steps: set[str]


def _list_names_around(rows: list[dict[str, Any]], column: str | None) -> _NamesAround:
    steps = _split_column(rows, column)
    beside = {fold_name(name) for name in list_names_beside(rows, column)}
    return _NamesAround(column, _list_folded_fields(rows, column), beside, {fold_name(step) for step in steps})


def list_names_beside(rows: list[dict[str, Any]], column: str | None) -> list[str]:
    """The names of what the rows hold beside the records in a column, on every level down to it."""
    steps = _split_column(rows, column)
    names: dict[str, None] = {}
    for depth, step in enumerate(steps):
        parent = render_path(steps[:depth]) if depth else None
        siblings = list_fields(get_record(row, parent) for row in rows[:_SAMPLE])
        names.update(dict.fromkeys(render_path((*steps[:depth], name)) if depth else name for name in siblings if name != step))
    return list(names)


def _split_column(rows: list[dict[str, Any]], column: str | None) -> tuple[str, ...]:
    if column is None:
        return ()
    return (column,) if any(column in row for row in rows[:_SAMPLE]) else tuple(map(str, parse_steps(column)))


def _leaves_out_data(left: _NamesAround, right: _NamesAround, key_names: set[str]) -> bool:
    """True if these records leave out a field that the other side has too, or one beside a column that has the same name on both sides.

    Ids, inputs, the other side of a case and what is said of a file (`file`, `usage`) are no fields; `model` or `created`, which
    records have too, only where one side has them.
    """
    shared = (left.beside & (right.fields | right.beside | right.steps)) | (right.beside & (left.fields | left.beside | left.steps))
    if not all(map(_is_no_field, shared - key_names)):
        return True
    is_same_column = left.column is not None and left.steps == right.steps
    return is_same_column and not all(_is_no_field(name) or name in ALSO_FIELDS for name in left.beside ^ right.beside)


def _is_no_field(name: str) -> bool:
    """True for the folded name of a column beside a record that no record has as a field.

    >>> [_is_no_field(name) for name in ("docid", "filename", "usage", "model", "total")]
    [True, True, True, False, False]
    """
    last = name.rsplit(".", 1)[-1]
    is_context = last in ID_NAMES or last in _ROLE_NAMES["input"] or last in _ROLE_NAMES["contexts"] or last in _ROW_METADATA
    is_side = any(_is_certain_name(last, side) for side in ("expected", "actual"))
    return is_context or is_side or (last in FILE_METADATA and last not in ALSO_FIELDS)


def _list_folded_fields(rows: list[dict[str, Any]], column: str | None) -> set[str]:
    """Folded names of the fields of the first records in a column."""
    records = [get_record(row, column) for row in rows[:_SAMPLE]]
    return {fold_name(name) for name in list_fields(records)}


def _list_record_columns(rows: list[dict[str, Any]], side: str | None, depth: int) -> list[str | None]:
    """Columns of objects with a name of this side, if the other side has one too; else the row itself and every column of objects.

    Objects inside these count too, down to this depth.
    """
    level = _list_object_paths(rows[:_SAMPLE], None)
    columns = list(level)
    for _ in range(depth - 1):
        level = [path for column in level for path in _list_object_paths(rows[:_SAMPLE], column)]
        columns += level
    if side is None:
        return [None, *columns]
    own = [name for name in columns if _is_certain_name(name, side)]
    has_other_side = any(_is_certain_name(name, "actual" if side == "expected" else "expected") for name in columns)
    return [*own] if own and has_other_side else [None, *columns]


def _list_object_paths(rows: list[dict[str, Any]], column: str | None) -> list[str]:
    """The paths of the objects in a column, or in the rows, of which most rows have one; also those that are written as JSON text."""
    first = get_record(rows[0], column) if rows else {}
    names = [*cast("dict[str, Any]", first)] if isinstance(first, dict) else []
    paths = names if column is None else [render_path((*_split_column(rows, column), name)) for name in names]
    return [path for path in paths if sum(isinstance(get_record(row, path), dict) for row in rows) >= _MOST * len(rows)]


def _is_certain_name(name: str, side: str) -> bool:
    folded = fold_name(name)
    return folded in _ROLE_NAMES[side] and folded.startswith(_CERTAIN_PREFIXES)


def get_record(row: dict[str, Any], column: str | None) -> Any:
    """The row, or what it has in a column or at a path; an object that is written as JSON text is read, also with prose around it."""
    if column is None:
        return row
    value = locate(row, column)
    if isinstance(value, str) and (value.lstrip().startswith("{") or "```" in value or value.rstrip().endswith("}")):
        record = _find_record_once(value)
        return record if isinstance(record, dict) else value
    return value


@lru_cache(maxsize=1 << 10)  # the same rows are looked at for every column, depth and side
def _find_record_once(text: str) -> Any:
    return find_record(text).value


def list_fields(records: Any) -> list[str]:
    """The names of the fields at the top of these records, in order."""
    names: dict[str, None] = {}
    for record in records:
        if isinstance(record, Mapping):
            names.update(dict.fromkeys(cast("Mapping[str, Any]", record)))
    return list(names)
