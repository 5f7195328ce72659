"""`fieldwise diff`: two files or folders, no suite."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fieldwise.cli._formats import Everything, TextForm, TextFormat

if TYPE_CHECKING:
    from fieldwise.model.diff import Diff


def diff(
    expected: Annotated[Path, typer.Argument(metavar="EXPECTED", help="What should be there: JSON, JSONL, or a folder of JSON files.")],
    actual: Annotated[Path, typer.Argument(metavar="ACTUAL", help="What is there, of the same kind.")],
    form: TextForm = TextFormat.rich,
    everything: Everything = False,
) -> None:
    """Explain what differs between two files or folders.

    The rules are inferred from what is expected. Exit 0 if nothing differs, 1 if something does.
    """
    from fieldwise.cli._exits import CONFIG, needed_file

    found = _compared(needed_file(expected, "file"), needed_file(actual, "file"))
    _print(found, form, everything)
    compared = any(result.status == "scored" for result in found.results.values())
    if not compared and (found.problems or not found.differences):
        raise typer.Exit(CONFIG)  # nothing could be read or paired at all
    raise typer.Exit(0 if found.same else 1)


def _compared(expected: Path, actual: Path) -> "Diff":
    from fieldwise import api
    from fieldwise.read.files import data_suffix
    from fieldwise.read.load import load_json

    if expected.is_file() and actual.is_file() and data_suffix(expected) == data_suffix(actual) == ".json":
        return api.diff(load_json(expected), load_json(actual))
    return api.diff_files(expected, actual)


def _print(found: "Diff", form: TextFormat, everything: bool) -> None:
    from fieldwise.report.diff_view import diff_json, diff_report

    if form == TextFormat.json:
        typer.echo(diff_json(found))
        return
    from fieldwise.cli._console import room, show
    from fieldwise.score.causes import describe

    causes = {one.cause for _, one in found.differences if one.cause}
    show(diff_report(found, {cause: describe(cause)[0] for cause in causes}, room(form, everything=everything)), form)
