"""`fieldwise diff`: compare two files or folders without a suite."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fieldwise.cli._options import ShowAllOption, TextFormat, TextFormatOption, program_of
from fieldwise.cli._pairing import IdOption, RenameOption, parse_ids, parse_renames

if TYPE_CHECKING:
    from fieldwise.model.diff import Diff


def diff(
    context: typer.Context,
    expected: Annotated[
        Path, typer.Argument(metavar="EXPECTED", help="The expected records: JSON, JSONL, CSV, Parquet, or a folder of JSON files.")
    ],
    actual: Annotated[Path, typer.Argument(metavar="ACTUAL", help="The actual records.")],
    id: IdOption = None,
    rename: RenameOption = None,
    form: TextFormatOption = TextFormat.rich,
    show_all: ShowAllOption = False,
) -> None:
    """Explain the differences between two files or folders.

    Rows are paired by --id, else by columns that identify them on both sides; the report begins with how many pair.
    Rules are inferred from the values of both sides. Exit 0 if nothing differs, 1 if something does.
    """
    from fieldwise.cli._exits import CONFIG
    from fieldwise.cli._files import require_file

    difference = _compare_paths(require_file(expected, "file"), require_file(actual, "file"), parse_ids(id), parse_renames(rename))
    if form == TextFormat.json:
        from fieldwise.report.diff_view import render_diff_json

        typer.echo(render_diff_json(difference))
    else:
        from fieldwise.cli._console import display_options, print_page
        from fieldwise.report.diff_view import build_diff_report

        print_page(build_diff_report(difference, display_options(form, program_of(context), show_all=show_all)), form)
    any_scored = any(result.status == "scored" for result in difference.results.values())
    if not any_scored and (difference.problems or not difference.differences):
        raise typer.Exit(CONFIG)  # no record could be read or paired
    raise typer.Exit(0 if difference.same else 1)


def _compare_paths(expected: Path, actual: Path, ids: tuple[str, str] | None, renames: dict[str, str]) -> "Diff":
    from fieldwise import api
    from fieldwise.read.files import get_data_suffix
    from fieldwise.read.table_files import load_json

    json_files = [path.is_file() and get_data_suffix(path) == ".json" for path in (expected, actual)]
    if all(json_files) and ids is None and not renames:
        values = load_json(expected), load_json(actual)
        if not all(map(_is_table, values)) or not _have_ids(expected, actual):
            return api.diff(*values)
    if any(json_files):
        _refuse_one_against_many(expected, actual)
    return api.diff_files(expected, actual, ids=ids, renames=renames)


def _is_table(value: Any) -> bool:
    from fieldwise.read.document_records import find_record_list

    if isinstance(value, list):
        return len(value) > 1 and all(isinstance(item, dict) for item in value)
    return find_record_list(value) is not None


def _have_ids(expected: Path, actual: Path) -> bool:
    """True if columns of both files identify their rows."""
    from fieldwise.read.pairing import propose_pairing

    return None not in propose_pairing(str(expected), str(actual)).keys


def _refuse_one_against_many(expected: Path, actual: Path) -> None:
    """Raise ConfigError if one side is a single record and the other has several."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic
    from fieldwise.read.pairing import count_records

    counts = count_records(str(expected)), count_records(str(actual))
    for (single, single_count), (many, many_count) in (
        ((expected, counts[0]), (actual, counts[1])),
        ((actual, counts[1]), (expected, counts[0])),
    ):
        if single_count is None and many_count is not None and many_count > 1:
            what = f"{single} holds one record, {many} holds {many_count:,}"
            fix = "compare files with the same records, or take the one record out of the other file"
            raise ConfigError([Diagnostic(code="one-against-many", what=what, fix=fix)])
