"""The records of a JSON file that is one object: a list inside it, its members by their ids, or columns of their values.

Called where JSON files become rows. An object that may be a record itself stays one: nothing is taken out of it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast

from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import Where
from fieldwise.read.columns import find_roles, fold_name, is_usual_id, is_usual_input, list_id_candidates, list_nested_names
from fieldwise.read.file_ids import strip_extension

_MIN_FILES: Final = 2
_MIN_ROWS: Final = 2
_MIN_KEYED_RECORDS: Final = 3
_MANY_KEYED_RECORDS: Final = 10
"""Numbers of members from which an object may be one of records by their ids: with names of files, numbered names, and any names."""
_CONFIDENCE_KEYS: Final = frozenset(("confidence", "score"))
_LIST_NAMES: Final = frozenset(
    (
        *("results", "predictions", "records", "documents", "docs", "rows", "cases", "examples", "samples", "outputs", "responses"),
        *("extractions", "labels", "annotations", "answers", "dataset"),
    )
)
"""Usual names of the list of records in a file, folded."""
_KEYED_NAMES: Final = frozenset(("output", "prediction", "extracted", "groundtruth"))
"""Further names of an object of records by their ids, folded; as names of a list they would be those of one record's list."""
_AMBIGUOUS_LIST_NAMES: Final = frozenset(("data", "items", "entries", "list", "values", "content"))
"""Names that records often use for a list of their own: there must be something beside it that is only said of a whole file."""
FILE_METADATA: Final = frozenset(
    (
        *(
            "model",
            "modelname",
            "modelid",
            "modelversion",
            "provider",
            "engine",
            "system",
            "systemname",
            "tool",
            "toolversion",
            "framework",
        ),
        *("version", "schemaversion", "formatversion", "apiversion", "schema", "format", "license", "author", "commit", "gitsha"),
        *("timestamp", "created", "createdat", "generated", "generatedat", "updatedat", "startedat", "finishedat", "startedon"),
        *("run", "runid", "runname", "experiment", "experimentid", "experimentname", "evalid", "batchid", "jobid"),
        *("datasetname", "datasetid", "datasetversion", "split", "task", "taskname", "prompt", "promptid", "promptname", "promptversion"),
        *("temperature", "seed", "parameters", "params", "hyperparameters", "config", "configuration", "settings", "options"),
        *("metadata", "meta", "info", "usage", "tokens", "cost", "totalcost", "latency", "duration", "durationms", "elapsed"),
        *("metrics", "summary", "stats", "statistics", "count", "numresults", "numrecords", "numdocuments", "numsamples", "totalcount"),
        *("errors", "warnings", "pagination", "nextpage", "nextpagetoken"),
    )
)
"""Names, folded, of what is said of a whole file. `date`, `name`, `total`, `status` and `id` are fields of records too."""
ALSO_FIELDS: Final = frozenset(
    (
        *("model", "engine", "system", "tool", "version", "format", "author", "license", "split", "task", "prompt", "temperature"),
        *("options", "info", "cost", "totalcost", "duration", "elapsed", "latency", "summary", "errors", "warnings"),
        *("created", "timestamp", "schema", "tokens", "parameters", "settings", "configuration", "metrics", "statistics"),
    )
)
"""Those of them that records have as well: a product has a `model` and a `cost`. Alone, they do not make an object a file of records."""


@dataclass(frozen=True, slots=True)
class DocumentRecords:
    """The records that an object holds, and how that is reported."""

    records: list[Any]
    code: str
    what: str


def find_records(document: Mapping[str, Any]) -> DocumentRecords | None:
    """The records in a JSON file that is this object; None if the object is one record or case itself."""
    name = _find_case_list(document)
    if name is not None:
        return DocumentRecords(document[name], "case-list", f"the cases are the list `{name}` of the file")
    has_inputs = any(is_usual_input(key) for key in document)
    return find_side_records(document, may_be_lists=has_inputs and _has_sides(document, all))


def find_side_records(document: Any, *, may_be_lists: bool = False) -> DocumentRecords | None:
    """The records of one side in a JSON file that is this value; None if it is one record itself, or no object.

    `may_be_lists`: whether its names show that lists of one length are columns, also where none of them has ids.
    """
    rows = list_rows_of_columns(document, may_be_lists=may_be_lists)
    if rows:
        what = f"the file holds {len(rows):,} rows by columns: {', '.join(f'`{name}`' for name in rows[0])}"
        return DocumentRecords(rows, "rows-by-columns", what)
    name = find_record_list(document)
    if name is not None:
        what = f"the records are the list `{name}` of the file{_describe_beside(document, name)}"
        return DocumentRecords(document[name], "record-list", what)
    records = list_keyed_records(document)
    if records:
        what = f"the file is an object of {len(records):,} records by their ids (`{next(iter(document))}` …)"
        return DocumentRecords(records, "keyed-records", what)
    name = _find_keyed_member(document)
    if name is not None:
        members = document[name]
        what = f"`{name}` of the file is an object of {len(members):,} records by their ids (`{next(iter(members))}` …)"
        return DocumentRecords(list_keyed_records(members), "keyed-records", what + _describe_beside(document, name))
    return None


def _describe_beside(document: Mapping[str, Any], name: str) -> str:
    """What the object holds beside the records, in words, as the end of a sentence."""
    beside = ", ".join(f"`{key}`" for key in document if key != name)
    return f"; {beside} beside it {'are' if len(document) > 2 else 'is'} not read" if beside else ""


def find_record_list(document: Any) -> str | None:
    """The key of the list of records in an object: the only list of objects, under a usual name, beside what is said of a whole file.

    Where everything beside it may be a field of a record, or nothing is, its objects must have a column that is an id.

    >>> find_record_list({"model": "m-2", "results": [{"id": "a", "total": 5}]})
    'results'

    An object with fields of its own is a record: `{"number": "A-1", "items": [{"sku": "x"}]}`.

    >>> find_record_list({"number": "A-1", "items": [{"sku": "x"}]})
    >>> find_record_list({"model": "X100", "cost": 250, "items": [{"id": 1, "part": "bolt"}]})
    """
    name = find_only_list(document)
    if name is None:
        return None
    beside = {fold_name(key) for key in document if key != name}
    if not beside <= FILE_METADATA:
        return None
    if fold_name(name) in _LIST_NAMES:
        has_ids = bool(list_id_candidates(sorted(document[name][0]), separate_sides=True))
        return name if has_ids or not beside <= ALSO_FIELDS else None
    return name if fold_name(name) in _AMBIGUOUS_LIST_NAMES and not beside <= ALSO_FIELDS else None


def find_only_list(document: Any) -> str | None:
    """The key of the only list of objects in an object, whatever its name; None if there is none, or several."""
    if not isinstance(document, dict):
        return None
    members = cast("dict[str, Any]", document)
    lists = [key for key, value in members.items() if isinstance(value, list) and value and all(isinstance(item, dict) for item in value)]
    return lists[0] if len(lists) == 1 else None


def _find_case_list(document: Mapping[str, Any]) -> str | None:
    """The key of the only list whose objects have both sides of a case, in an object that has neither itself.

    >>> _find_case_list({"metrics": {"f1": 0.5}, "rows": [{"query": "a", "response": "b", "ground_truth": "c"}]})
    'rows'
    """
    if _has_sides(document, any):
        return None
    lists = [
        key for key, rows in document.items() if isinstance(rows, list) and rows and isinstance(rows[0], dict) and _has_sides(rows[0], all)
    ]
    return lists[0] if len(lists) == 1 else None


def list_rows_of_columns(document: Any, *, may_be_lists: bool = False) -> list[dict[str, Any]]:
    """The rows of a table that an object holds by columns, as pandas and Hugging Face datasets write it; empty if it holds none.

    >>> list_rows_of_columns({"vendor": {"0": "Acme", "1": "Lang"}, "total": {"0": 5, "1": 6}})
    [{'vendor': 'Acme', 'total': 5}, {'vendor': 'Lang', 'total': 6}]
    >>> list_rows_of_columns({"columns": ["vendor", "total"], "index": [0], "data": [["Acme", 5]]})
    [{'vendor': 'Acme', 'total': 5}]
    >>> list_rows_of_columns({"doc_id": ["a", "b"], "total": [5, 6]})
    [{'doc_id': 'a', 'total': 5}, {'doc_id': 'b', 'total': 6}]

    A record may have lists of one length, too.

    >>> list_rows_of_columns({"names": ["Acme", "Lang"], "totals": [5, 6]})
    []
    """
    if not isinstance(document, dict) or len(document) < 2:
        return []
    members = cast("dict[str, Any]", document)
    if {"columns", "data"} <= members.keys() <= {"columns", "index", "data"}:
        return _list_rows_of_split(members["columns"], members["data"])
    values = [*members.values()]
    if all(isinstance(column, dict) for column in values):
        positions = [str(row) for row in range(len(values[0]))]
        is_table = len(positions) >= _MIN_ROWS and all([*column] == positions for column in values)
        columns = {name: [*column.values()] for name, column in members.items()} if is_table else {}
    else:
        is_table = all(isinstance(column, list) and len(column) >= _MIN_ROWS for column in values) and len({*map(len, values)}) == 1
        has_ids = is_table and any(is_usual_id(name) and _are_ids(column) for name, column in members.items())
        columns = members if is_table and (may_be_lists or has_ids) else {}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _are_ids(values: list[Any]) -> bool:
    return all(isinstance(value, str | int) for value in values) and len({*values}) == len(values)


def _list_rows_of_split(names: Any, rows: Any) -> list[dict[str, Any]]:
    """The rows of a table that is a list of names and a list of lists of values; empty if it is something else."""
    if not isinstance(names, list) or not isinstance(rows, list) or not all(isinstance(name, str) for name in cast("list[Any]", names)):
        return []
    columns = cast("list[str]", names)
    lists = [cast("list[Any]", row) for row in cast("list[Any]", rows) if isinstance(row, list)]
    if len(lists) < len(cast("list[Any]", rows)) or any(len(row) != len(columns) for row in lists) or len({*columns}) < len(columns):
        return []
    return [dict(zip(columns, row, strict=True)) for row in lists]


def list_keyed_records(document: Any) -> list[dict[str, Any]]:
    """The records of an object that holds them by their ids, each with its `id`; empty if the object is a record itself.

    It holds records if all its members are objects with fields in common and their names are numbered, or many, or those of files: parts
    of one record (`seller`, `buyer`) are neither.

    >>> list_keyed_records({f"bill_{number}": {"total": number} for number in (1, 2, 3)})[0]
    {'id': 'bill_1', 'total': 1}
    """
    if not isinstance(document, dict):
        return []
    members = cast("dict[str, Any]", document)
    are_files = len(members) >= _MIN_FILES and all(strip_extension(name) != name for name in members)
    if len(members) < _MIN_KEYED_RECORDS and not are_files:
        return []
    if not all(isinstance(member, dict) for member in members.values()):
        return []
    common_fields = set[str].intersection(*map(set, members.values()))
    if not common_fields or ("value" in common_fields and not common_fields.isdisjoint(_CONFIDENCE_KEYS)):  # one record of rich values
        return []
    are_numbered = all(any(character.isdigit() for character in name) for name in members)
    if not are_numbered and not are_files and len(members) < _MANY_KEYED_RECORDS:
        return []
    return [{"id": name, **member} for name, member in members.items()]


def _find_keyed_member(document: Any) -> str | None:
    """The key of the only member of an object that holds records by their ids, under a usual name, beside what is said of a whole file.

    >>> _find_keyed_member({"version": "2", "output": {f"doc_{number}": {"total": number} for number in (1, 2, 3)}})
    'output'
    >>> _find_keyed_member({"number": "A-1", "output": {f"doc_{number}": {"total": number} for number in (1, 2, 3)}})
    """
    if not isinstance(document, dict):
        return None
    members = cast("dict[str, Any]", document)
    names = [name for name, member in members.items() if list_keyed_records(member)]
    if len(names) != 1:
        return None
    [name] = names
    beside = {fold_name(key) for key in members if key != name}
    if not beside <= FILE_METADATA:
        return None
    if fold_name(name) in _LIST_NAMES | _KEYED_NAMES:
        return name
    return name if fold_name(name) in _AMBIGUOUS_LIST_NAMES and not beside <= ALSO_FIELDS else None


def _has_sides(row: Mapping[str, Any], quantifier: Callable[[Iterable[bool]], bool]) -> bool:
    """Whether any or all of the sides have a column in a row."""
    columns = find_roles([*row, *list_nested_names([row], row)], {}, Where())[0].columns
    return quantifier(side in columns for side in ("expected", "actual"))
