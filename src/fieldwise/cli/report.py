"""`fieldwise report`: a stored run as a file."""

from typing import Annotated

import typer

RunId = Annotated[str, typer.Argument(metavar="RUN", help="The run: an id, its beginning, a tag, or latest.")]
Output = Annotated[
    list[str],
    typer.Option("--output", "-o", metavar="FILE", help="Where to write it: .html .md .junit.xml .json .jsonl .csv .xlsx .parquet"),
]


def report(run: RunId = "latest", output: Output = ["report.html"]) -> None:  # noqa: B006  typer reads the default, nobody changes it
    """Write a stored run as a report: one HTML file that opens anywhere, Markdown for a pull request, JUnit, a workbook …"""
    from fieldwise.cli._exits import INCOMPLETE
    from fieldwise.cli._lookup import found_run
    from fieldwise.cli._report import check_outputs, write_outputs

    check_outputs(output)
    found = found_run(run)
    write_outputs(found, output)
    if found.state != "finished":
        typer.echo(f"run {found.id} did not finish: this is what it has so far", err=True)
        raise typer.Exit(INCOMPLETE)
