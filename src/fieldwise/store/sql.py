"""SQL over a stored run: DuckDB reads the run's Parquet files.

A query can read the tables of the run and nothing else: no other file, no network, no Python variable. It cannot write.
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow.parquet as pq

from fieldwise.model.locations import Location
from fieldwise.model.remote_path import RemotePath
from fieldwise.store.arrow_tables import METRIC_PREFIX, ArrowTable
from fieldwise.store.errors import StoreError, corrupt_file_error
from fieldwise.store.manifest import Part, PartFile
from fieldwise.store.part_reader import list_part_files, verify_file

COLUMNS: Final[Mapping[str, Mapping[str, str]]] = {
    "cases": {
        "case": "bigint",
        "id": "varchar",
        "tags": "varchar[]",
        "split": "varchar",
        **dict.fromkeys(("input", "expected", "actual", "contexts", "metadata"), "varchar"),
    },
    "results": {
        "case": "bigint",
        "score": "double",
        **dict.fromkeys(("verdict", "status", "fault", "reasoning"), "varchar"),
        **dict.fromkeys(("hits", "misses", "flags"), "varchar[]"),
        "details": "varchar",
    },
    "comparisons": {
        "case": "bigint",
        **dict.fromkeys(("field", "path", "outcome"), "varchar"),
        "similarity": "double",
        "passed": "boolean",
        **dict.fromkeys(("cause", "note", "expected", "actual"), "varchar"),
        "confidence": "double",
        "page": "bigint",
    },
}
"""The columns that every run has, with their SQL types; `case` is named `position` in SQL, where `case` is a keyword."""
_SETTINGS: Final = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
    "temp_directory": "",
}


def query_run(folder: Location, parts: Sequence[Part], query: str, parameters: Sequence[Any] = ()) -> ArrowTable:
    """Run one SELECT over `cases`, `results` and `comparisons`; ValueError for any other statement, StoreError for corrupt files."""
    if isinstance(folder, RemotePath):
        with TemporaryDirectory(prefix="fieldwise-") as copied:
            return query_run(_download_parts(folder, parts, Path(copied)), parts, query, parameters)
    duckdb = _import_duckdb()
    tables = {name: [(file, _resolve_file(folder, file)) for part in parts for file in list_part_files(part, name)] for name in COLUMNS}
    with duckdb.connect(":memory:", config=_SETTINGS) as connection:
        for name, files in tables.items():
            connection.execute(f"create view {name} as {_view_sql(name, files)}")
        allowed = ", ".join(_quote_text(str(path)) for files in tables.values() for _, path in files)
        connection.execute(f"set allowed_paths = [{allowed}]")
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
        try:
            _check_is_select(duckdb, connection.extract_statements(query))
            return connection.sql(query, params=list(parameters)).to_arrow_table()
        except duckdb.IOException as error:
            raise StoreError(f"the run in {folder} cannot be read: {_first_paragraph(error)}") from error
        except duckdb.Error as error:
            raise ValueError(f"the query cannot be answered: {_first_paragraph(error)}") from error


def _download_parts(folder: RemotePath, parts: Sequence[Part], to: Path) -> Path:
    """Download the files of a remote run, because DuckDB may open local files only."""
    (to / "parts").mkdir()
    for name in COLUMNS:
        for file in (file for part in parts for file in list_part_files(part, name)):
            try:
                (folder / "parts" / file.file).download(to / "parts" / file.file)
            except FileNotFoundError as error:
                raise corrupt_file_error(folder / "parts" / file.file, error) from error
    return to


def _import_duckdb() -> Any:
    try:
        return import_module("duckdb")
    except ImportError as error:
        raise ImportError("sql() needs DuckDB, which is not installed: pip install 'fieldwise[sql]'") from error


def _check_is_select(duckdb: Any, statements: Sequence[Any]) -> None:
    """Allow a single SELECT: COPY could overwrite the files that the query may read."""
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise ValueError("only one SELECT statement is allowed")


def _resolve_file(folder: Path, file: PartFile) -> Path:
    path = (folder / "parts" / file.file).resolve()
    if any(character in str(path) for character in "*?["):
        raise ValueError(f"{path}: DuckDB reads `*`, `?` and `[` in the name of a folder as a pattern; move the runs to another folder")
    try:
        verify_file(path, file)
    except FileNotFoundError as error:
        raise corrupt_file_error(path, error) from error
    return path


def _view_sql(table: str, files: Sequence[tuple[PartFile, Path]]) -> str:
    """The SELECT of a view: one SELECT for all files of an evaluator with the same columns, joined by UNION ALL."""
    groups: dict[tuple[str | None, tuple[str, ...]], list[Path]] = {}
    for file, path in files:
        names = tuple(pq.read_schema(path).names)
        for evaluator in file.evaluators or (None,):
            groups.setdefault((evaluator, names), []).append(path)
    selects = [_select_sql(table, evaluator, names, paths) for (evaluator, names), paths in groups.items()]
    return " union all by name ".join([*selects, _empty_select_sql(table)])


def _select_sql(table: str, evaluator: str | None, names: Sequence[str], paths: Sequence[Path]) -> str:
    columns = [f"{_quote_text(evaluator)} as evaluator"] if evaluator is not None else []
    columns += [f"{_quote_name(name)} as {_quote_name(alias)}" for name, alias in _column_aliases(table, names)]
    return f"select {', '.join(columns)} from read_parquet([{', '.join(_quote_text(str(path)) for path in paths)}])"


def _column_aliases(table: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The columns of a view as (stored name, name in SQL): metrics by their own names unless another column has that name."""
    for name in names:
        if name in COLUMNS[table]:
            yield name, "position" if name == "case" else name
        elif name.startswith(METRIC_PREFIX):
            plain = name.removeprefix(METRIC_PREFIX)
            yield name, name if plain in (*COLUMNS[table], "position", "evaluator") else plain


def _empty_select_sql(table: str) -> str:
    """A SELECT without rows that has the columns of every run."""
    columns = [f"null::{kind} as {'position' if name == 'case' else name}" for name, kind in COLUMNS[table].items()]
    evaluator = [] if table == "cases" else ["null::varchar as evaluator"]
    return f"select {', '.join([*evaluator, *columns])} where false"


def _quote_text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _quote_name(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'


def _first_paragraph(error: Exception) -> str:
    return str(error).split("\n\n", 1)[0].replace("\n", " ")
