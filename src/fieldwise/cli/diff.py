"""`fieldwise diff`: compare two files or folders without a suite."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fieldwise.cli._options import ShowAllOption, TextFormat, TextFormatOption, program_of

if TYPE_CHECKING:
    from fieldwise.model.diff import Diff


def diff(
    context: typer.Context,
    expected: Annotated[Path, typer.Argument(metavar="EXPECTED", help="The expected records: JSON, JSONL, or a folder of JSON files.")],
    actual: Annotated[Path, typer.Argument(metavar="ACTUAL", help="The actual records, in the same form.")],
    form: TextFormatOption = TextFormat.rich,
    show_all: ShowAllOption = False,
) -> None:
    """Explain the differences between two files or folders.

    Rules are inferred from the values of both sides. Exit 0 if nothing differs, 1 if something does.
    """
    from fieldwise.cli._exits import CONFIG
    from fieldwise.cli._files import require_file

    difference = _compare_paths(require_file(expected, "file"), require_file(actual, "file"))
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


def _compare_paths(expected: Path, actual: Path) -> "Diff":
    from fieldwise import api
    from fieldwise.read.files import get_data_suffix
    from fieldwise.read.table_files import load_json

    if expected.is_file() and actual.is_file() and get_data_suffix(expected) == get_data_suffix(actual) == ".json":
        return api.diff(load_json(expected), load_json(actual))
    return api.diff_files(expected, actual)
