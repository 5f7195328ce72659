"""Build cases from rows: one column per role, all other columns into the metadata."""

import ast
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from fieldwise.model.accepted_values import ANY
from fieldwise.model.answer_values import find_message_answer, read_answers
from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.plan import IdColumns
from fieldwise.model.values import MISSING, Value
from fieldwise.pattern import compile_on_use
from fieldwise.read.columns import ColumnRoles, fold_name, is_promptfoo_output, is_usual_side_name
from fieldwise.read.files import get_data_stem
from fieldwise.read.from_python import normalize_value
from fieldwise.read.json_text import JsonProblem, decode_json
from fieldwise.read.rows import RowBatch
from fieldwise.read.side_mapping import locate

ID_SEPARATOR: Final = "/"
"""Between the values of the columns that identify a row together. Two ids that become the same are reported as duplicates."""
_MAX_LOOKUPS: Final = 4
"""Up to this many columns, looking up each name is faster than a pass over all keys of a row."""
_WHOLE_ANSWER_NAMES: Final = ("expected_response", "expected_output", "expected", "ground_truth")
"""Names of an MLflow expectation that is the whole expected output; others are fields of a record."""
_GOLD_ANSWERS: Final = ("answers", "answers.text")
"""Names, folded, of columns that list the answers to a question each of which is right."""
_PROMPTFOO_STATUS: Final = compile_on_use(r"\[(?:PASS|FAIL|ERROR)\] (?:\(\d+\.\d+\)\s*)?")
"""What older versions of promptfoo write before an output in CSV."""
_SYNTAX_CODES: Final = ("invalid-json", "truncated-json", "invalid-csv")


def build_cases(rows: RowBatch, roles: ColumnRoles, *, keys: frozenset[str] | None = None) -> Cases:
    """The cases of these rows. `keys` are all columns that occur in them, if the caller has collected them."""
    actuals = _build_actuals(rows, roles)
    cases = Cases(
        id=list_ids(rows, roles.id_columns or roles.columns.get("id")),
        input=_get_column(rows, roles, "input", None),
        expected=_build_expected(rows, roles),
        actual=_build_actual(rows, roles, actuals),
        contexts=[None] * len(rows),
        metadata=_build_metadata(rows, roles, keys),
        tags=[()] * len(rows),
        split=[None] * len(rows),
        actuals=actuals,
        finite=rows.finite,
        mentions_value=rows.mentions_value,
        files=rows.files,
        lines=[*rows.numbers] if rows.numbering == "line" else [],
    )
    if rows.is_text_only:
        _remove_blank_sides(cases)
        _decode_answers(cases)
    _accept_gold_answers(cases, roles, rows.is_text_only)
    _warn_of_other_columns(cases, rows, roles, keys)
    if "contexts" in roles.columns:
        cases.contexts = [_parse_contexts(value, rows.is_text_only) for value in _get_column(rows, roles, "contexts", None)]
        if rows.is_text_only:
            _warn_of_malformed_lists(cases, rows, roles.columns["contexts"])
    if "tags" in roles.columns:
        cases.tags = [_parse_tags(value) for value in _get_column(rows, roles, "tags", None)]
    if "split" in roles.columns:
        cases.split = [None if value in (None, "") else str(value) for value in _get_column(rows, roles, "split", None)]
    for row, problems in rows.problems.items():
        _apply_problems(cases, rows, row, problems, roles)
    # in the order of the rows, so that the messages of a run do not depend on how its rows were shared out
    cases.diagnostics = dict(sorted(cases.diagnostics.items()))
    return cases


def locate_row(rows: RowBatch, row: int, case: str | None = None, field: str | None = None) -> Where:
    """The location of a row, for diagnostics."""
    return Where(file=rows.files[row], line=rows.numbers[row] if rows.numbering == "line" else None, case=case, field=field)


def _get_column(rows: RowBatch, roles: ColumnRoles, role: str, default: Any) -> list[Any]:
    name = roles.columns.get(role)
    fields = roles.fields.get(role)
    if fields is not None:
        return [{fields[column]: item for column, item in value.items() if column in fields} for value in rows.values]
    if name is None:
        return [default] * len(rows)
    values = [value.get(name, MISSING) for value in rows.values]
    if MISSING in values and "." in name:  # the path of a column inside an object
        values = [locate(value, name) for value in rows.values]
    return [default if value is MISSING else value for value in values]


def list_ids(rows: RowBatch, column: IdColumns | None) -> list[str]:
    """The ids in a column or at a path, as text; for a row without an id, its number or the name of its file."""
    if column is None:
        return [_make_id(rows, row) for row in range(len(rows))]
    if isinstance(column, tuple):
        return [_convert_id(locate_id(value, column), rows, row) for row, value in enumerate(rows.values)]
    values = [value.get(column, MISSING) for value in rows.values]
    if MISSING in values:
        values = [locate(value, column) for value in rows.values]
    return [value if type(value) is str and value else _convert_id(value, rows, row) for row, value in enumerate(values)]


def find_rows_without_id(rows: RowBatch, column: IdColumns) -> list[int]:
    """The rows that have no id in a column or at a path."""
    if isinstance(column, tuple):
        return [row for row, value in enumerate(rows.values) if locate_id(value, column) is MISSING]
    values = [value.get(column, MISSING) for value in rows.values]
    candidates = [row for row, value in enumerate(values) if value is MISSING or value is None or value == ""]
    return [row for row in candidates if locate(rows.values[row], column) in (None, MISSING, "")]


def _convert_id(value: Any, rows: RowBatch, row: int) -> str:
    if value is not None and value is not MISSING and value != "":
        return render_id(value)
    generated = _make_id(rows, row)
    # among rows that have ids, that of a line that cannot be read must not be the number that another row has as its id
    is_unreadable = row in rows.problems and not rows.values[row] and rows.numbering == "line"
    return f"line {generated}" if is_unreadable else generated


def render_id(value: Any) -> str:
    """An id as text.

    >>> render_id(7), render_id(7.0), render_id(True)
    ('7', '7', 'true')
    """
    if isinstance(value, float) and value.is_integer():  # whole numbers are floats where a column of pandas has gaps
        return str(int(value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list | bool) else str(value)


def locate_id(row: Mapping[str, Any], column: IdColumns) -> Any:
    """The id of a row; MISSING if it has none. That of several columns is their values with `/` between them.

    >>> locate_id({"doc": "a", "line": 3}, ("doc", "line")), locate_id({"doc": "a"}, ("doc", "line")), locate_id({"id": 7}, "id")
    ('a/3', MISSING, 7)
    """
    if isinstance(column, str):
        return locate(row, column)
    values = [locate(row, name) for name in column]
    is_whole = all(value is not MISSING and value is not None and value != "" for value in values)
    return ID_SEPARATOR.join(map(render_id, values)) if is_whole else MISSING


def _make_id(rows: RowBatch, row: int) -> str:
    if rows.numbering == "file":
        return get_data_stem(Path(rows.files[row]))
    number = str(rows.ordinals[row] if rows.ordinals else rows.numbers[row])
    return f"{get_data_stem(Path(rows.files[row]))}:{number}" if rows.several_files else number


def _build_actuals(rows: RowBatch, roles: ColumnRoles) -> list[Sequence[Any] | None]:
    """The outputs of several trials, from a column each or from one column of lists."""
    if roles.trials:
        return [[value[name] for name in roles.trials if name in value] for value in rows.values]
    if "actuals" not in roles.columns:
        return [None] * len(rows)
    values = _get_column(rows, roles, "actuals", None)
    if rows.is_text_only:
        return [_parse_list_cell(value) for value in values]
    return [value if isinstance(value, list) else None for value in values]


def _build_expected(rows: RowBatch, roles: ColumnRoles) -> list[Value]:
    """The expected side of each case, without what ragas (`ground_truths`) and MLflow (`expectations`) put around an answer."""
    values = _get_column(rows, roles, "expected", MISSING)
    name = fold_name(roles.columns.get("expected", ""))
    if name == "groundtruths":
        return [_unwrap_references(value) for value in values]
    if name != "expectations":
        return values
    return [_unwrap_expectation(_parse_object_cell(value) if rows.is_text_only else value) for value in values]


def _unwrap_references(value: Any) -> Any:
    """One reference as itself, several as accepted values; anything but a list of texts as it is.

    >>> _unwrap_references(["Paris"]), _unwrap_references(["Paris", "paris, France"])
    ('Paris', {'$any': ['Paris', 'paris, France']})
    """
    if not isinstance(value, list) or not value or not all(isinstance(text, str) for text in value):
        return value
    return value[0] if len(value) == 1 else {ANY: value}


def _accept_gold_answers(cases: Cases, roles: ColumnRoles, is_text_only: bool) -> None:
    """Replace the gold answers of a question, as SQuAD and others list them, by accepted values. An output that is a list is no answer."""
    if not is_gold_column(roles.columns.get("expected")):
        return
    for row, (value, actual) in enumerate(zip(cases.expected, cases.actual, strict=True)):
        if not isinstance(actual, list):
            cases.expected[row] = read_gold_answers(value, is_text_only)


def is_gold_column(name: str | None) -> bool:
    """True for the name of a column that lists the answers to a question, each of which is right."""
    return name is not None and fold_name(name) in _GOLD_ANSWERS


def read_gold_answers(value: Any, is_text_only: bool = False) -> Any:
    """Gold answers as accepted values, none at all as an empty answer; any other value as it is.

    >>> read_gold_answers({"text": ["Paris", "Paris, France"], "answer_start": [7, 7]}), read_gold_answers([])
    ({'$any': ['Paris', 'Paris, France']}, '')
    """
    texts = list_gold_answers(decode_cell(value) if is_text_only else value)
    return value if texts is None else _unwrap_references([*dict.fromkeys(texts)]) or ""


def list_gold_answers(value: Any) -> list[str] | None:
    """The texts of gold answers, none if the question has no answer; None for other values.

    >>> list_gold_answers({"text": ["Paris"], "answer_start": [7]}), list_gold_answers([{"text": "Paris", "answer_start": 7}])
    (['Paris'], ['Paris'])
    """
    if isinstance(value, dict) and "answer_start" in value:
        value = value.get("text")
    if not isinstance(value, list):
        return None
    texts: list[str] = []
    for item in value:
        text = item.get("text") if isinstance(item, dict) and "answer_start" in item else item
        if not isinstance(text, str):
            return None
        texts.append(text)
    return texts


def _unwrap_expectation(value: Any) -> Any:
    """The whole expected answer, if it is the only expectation; several are a record of their names."""
    if isinstance(value, dict) and len(value) == 1:
        name, answer = next(iter(value.items()))
        return answer if name in _WHOLE_ANSWER_NAMES else value
    return value


def _remove_blank_sides(cases: Cases) -> None:
    """Make a side MISSING whose cell of CSV is blank: CSV cannot tell null from a value that is not there."""
    cases.expected = [MISSING if value is None else value for value in cases.expected]
    cases.actual = [MISSING if value is None else value for value in cases.actual]


def _decode_answers(cases: Cases) -> None:
    """Decode cells of CSV that are a list of messages, and pairs of cells that are an object with nothing but one text."""
    for row, sides in enumerate(zip(cases.expected, cases.actual, strict=True)):
        decoded = [decode_cell(side) for side in sides]
        if all(side is cell for side, cell in zip(decoded, sides, strict=True)):
            continue
        is_unwrapped = read_answers(*decoded) != (*decoded,)
        are_objects = all(isinstance(side, dict) for side in decoded)
        keeps = [is_unwrapped and (are_objects or find_message_answer(side) is not MISSING) for side in decoded]
        cases.expected[row], cases.actual[row] = (value if keep else cell for value, cell, keep in zip(decoded, sides, keeps, strict=True))


def decode_cell(cell: Any) -> Any:
    """The list or object that a cell of CSV holds; any other cell as it is.

    >>> decode_cell('["a", "b"]'), decode_cell("['a']"), decode_cell("[1] see there"), decode_cell("12")
    (['a', 'b'], ['a'], '[1] see there', '12')
    """
    first = cell.lstrip()[:1] if isinstance(cell, str) else ""
    if first == "[":
        items = _parse_list_cell(cell)
        return cell if items is None else items
    return _parse_object_cell(cell) if first == "{" else cell


def _parse_object_cell(cell: Any) -> Any:
    """The object that a cell of CSV holds as JSON; any other cell as it is."""
    decoded = decode_json(cell.encode(errors="replace")).value if isinstance(cell, str) and cell.lstrip().startswith("{") else None
    return decoded if isinstance(decoded, dict) else cell


def _build_actual(rows: RowBatch, roles: ColumnRoles, actuals: list[Sequence[Any] | None]) -> list[Value]:
    """The output of each case; if there are only several trials, the first of them."""
    if "actual" in roles.columns or not (roles.trials or "actuals" in roles.columns):
        values = _get_column(rows, roles, "actual", MISSING)
        if rows.is_text_only and is_promptfoo_output(roles.columns.get("actual", "")):
            return [_remove_status(value) for value in values]
        return values
    return [trials[0] if trials else MISSING for trials in actuals]


def _remove_status(cell: Any) -> Any:
    status = _PROMPTFOO_STATUS.match(cell) if isinstance(cell, str) else None
    return cell if status is None else cell[status.end() :]


def _build_metadata(rows: RowBatch, roles: ColumnRoles, keys: frozenset[str] | None) -> list[dict[str, Any]]:
    """The columns without a role, together with the content of the metadata column."""
    used = roles.used
    has_metadata_column = "metadata" in roles.columns
    if keys is not None and keys <= used and not has_metadata_column:
        return [{} for _ in rows.values]
    if keys is not None and len(keys - used) <= _MAX_LOOKUPS:
        names = sorted(keys - used)
        unused = [{name: value[name] for name in names if name in value} for value in rows.values]
    else:
        unused = [{name: item for name, item in value.items() if name not in used} for value in rows.values]
    if not has_metadata_column:
        return unused
    written = _get_column(rows, roles, "metadata", None)
    return [{**_parse_metadata(value, rows.is_text_only), **columns} for value, columns in zip(written, unused, strict=True)]


def _parse_metadata(value: Any, is_text_only: bool) -> dict[str, Any]:
    if is_text_only and isinstance(value, str):
        decoded = decode_json(value.encode(errors="replace")).value
        value = decoded if isinstance(decoded, dict) else value or None
    if value is None:
        return {}
    return value if isinstance(value, dict) else {"metadata": value}


def _parse_contexts(value: Any, is_text_only: bool) -> Sequence[Any] | None:
    if is_text_only and isinstance(value, str):
        value = _parse_list_cell(value) or value.strip() or None
    if value is None or isinstance(value, list):
        return value
    return [value]


def _looks_like_list(cell: Any) -> bool:
    return isinstance(cell, str) and cell.lstrip().startswith("[")


def _parse_list_cell(cell: Any) -> list[Any] | None:
    """The list in a cell of CSV, as JSON or as Python writes it (so does pandas); None if the cell holds anything else.

    >>> _parse_list_cell('["a"]'), _parse_list_cell("['it', \\"isn't\\"]"), _parse_list_cell("[1] see there")
    (['a'], ['it', "isn't"], None)
    """
    if not _looks_like_list(cell):
        return None
    decoded = decode_json(cell.encode(errors="replace")).value
    if isinstance(decoded, list):
        return decoded
    try:
        literal, reason = normalize_value(ast.literal_eval(cell.strip()))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return literal if isinstance(literal, list) and not reason else None


def _warn_of_malformed_lists(cases: Cases, rows: RowBatch, column: str) -> None:
    """Report cells that look like a list but are not JSON: they count as one text."""
    for row, value in enumerate(rows.values):
        cell = value.get(column)
        if _looks_like_list(cell) and _parse_list_cell(cell) is None:
            what, fix = (
                "the cell begins like a list but is neither JSON nor a Python list; it counts as one text",
                'write a JSON list: ["…", "…"]',
            )
            where = locate_row(rows, row, cases.id[row], column)
            note = Diagnostic(code="contexts-as-text", what=what, where=where, fix=fix, level="warning")
            cases.diagnostics.setdefault(row, []).append(note)


def _warn_of_other_columns(cases: Cases, rows: RowBatch, roles: ColumnRoles, keys: frozenset[str] | None) -> None:
    """Report rows that lack the column of a side but have another one with a usual name of that side, which is not read."""
    names = keys if keys is not None else frozenset[str]().union(*rows.values)
    for role in ("expected", "actual"):
        column = roles.columns.get(role)
        if column is None or role in roles.fields:
            continue
        # also where no row of this batch has the column: what is reported must not depend on where a batch ends
        unread_names = [name for name in sorted(names - roles.used) if is_usual_side_name(role, name)]
        for row, value in enumerate(rows.values if unread_names else ()):
            unread_name = next((name for name in unread_names if name in value), None)
            if unread_name is None or column in value or locate(value, column) is not MISSING:
                continue
            what = f"the row has no column `{column}`, which is read as {role}; its `{unread_name}` is not read"
            fix = f"give the column one name in all rows, or say which one it is: columns: {{{role}: {unread_name}}}"
            note = Diagnostic(code="other-column", what=what, where=locate_row(rows, row, cases.id[row]), fix=fix, level="warning")
            cases.diagnostics.setdefault(row, []).append(note)


def _parse_tags(value: Any) -> tuple[str, ...]:
    """Tags from a list, or from text separated by commas."""
    if isinstance(value, list):
        return tuple(str(tag) for tag in value)
    if value is None:
        return ()
    tags = [part.strip() for part in str(value).split(",")]
    return tuple(tag for tag in tags if tag)


def _apply_problems(cases: Cases, rows: RowBatch, row: int, problems: list[JsonProblem], roles: ColumnRoles) -> None:
    """Attach the problems of a row to its case, and remove the side that cannot be trusted."""
    notes = cases.diagnostics.setdefault(row, [])
    where = locate_row(rows, row, cases.id[row])
    for problem in problems:
        if problem.level != "error":
            notes.append(problem.to_diagnostic(where))
            continue
        side = _find_affected_side(problem, roles)
        if side in ("case", "expected"):
            cases.expected[row] = MISSING
        if side in ("case", "actual"):
            cases.actual[row] = MISSING
        what = problem.what if problem.code in _SYNTAX_CODES else f"{problem.what} ({problem.code})"
        field = problem.to_diagnostic().where.field
        place = Where(file=where.file, line=where.line, case=where.case, field=field)
        notes.append(Diagnostic(code=f"unreadable-{side}", what=what, where=place, fix=problem.fix))


def _find_affected_side(problem: JsonProblem, roles: ColumnRoles) -> str:
    """`expected` or `actual` if the problem is inside that column only, else `case`."""
    is_repeated_column = problem.code == "duplicate-key" and len(problem.steps) == 1
    role = roles.get_role(problem.steps[0]) if problem.steps and not is_repeated_column else None
    return role if role in ("expected", "actual") else "case"
