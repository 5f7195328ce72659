"""`fieldwise report`: write a stored run to files."""

from typing import Annotated

import typer

from fieldwise.cli._options import RootOption, RunArgument, program_of

OutputOption = Annotated[
    list[str],
    typer.Option("--output", "-o", metavar="FILE", help="The file to write: .html .md .junit.xml .json .jsonl .csv .xlsx .parquet"),
]


def report(context: typer.Context, run: RunArgument = "latest", output: OutputOption = ["report.html"], root: RootOption = None) -> None:  # noqa: B006  read only
    """Write a stored run as a report: self-contained HTML, Markdown for a pull request, JUnit, a workbook …"""
    from fieldwise.cli._exits import CONFIG, INCOMPLETE
    from fieldwise.cli._lookup import open_named_run
    from fieldwise.cli._report import check_outputs, write_outputs

    check_outputs(output)
    stored_run = open_named_run(run, program_of(context, root).root)
    write_outputs(stored_run, output)
    if stored_run.state == "invalid":
        typer.echo(f"run {stored_run.id} is invalid: the report has its problems and no scores", err=True)
        raise typer.Exit(CONFIG)
    if stored_run.state != "finished":
        typer.echo(f"run {stored_run.id} did not finish: the report covers the results so far", err=True)
        raise typer.Exit(INCOMPLETE)
