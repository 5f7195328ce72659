"""`fieldwise report`: write a stored run to files."""

import click

from fieldwise.cli._options import DocumentedCommand, latest_run_argument, outputs_option, program_of, root_option


@click.command(cls=DocumentedCommand)
@latest_run_argument
@outputs_option("The file to write: .html .md .junit.xml .json .jsonl .csv .xlsx .parquet", default=("report.html",))
@root_option
@click.pass_context
def report(context: click.Context, run: str, outputs: tuple[str, ...], root: str | None) -> None:
    """Write a stored run as a report: self-contained HTML, Markdown for a pull request, JUnit, a workbook …"""
    from fieldwise.cli._exits import CONFIG, INCOMPLETE
    from fieldwise.cli._lookup import open_named_run
    from fieldwise.cli._report import check_outputs, write_outputs

    check_outputs(outputs)
    stored_run = open_named_run(run, program_of(context, root).root)
    write_outputs(stored_run, outputs)
    if stored_run.state == "invalid":
        click.echo(f"run {stored_run.id} is invalid: the report has its problems and no scores", err=True)
        context.exit(CONFIG)
    if stored_run.state != "finished":
        click.echo(f"run {stored_run.id} did not finish: the report covers the results so far", err=True)
        context.exit(INCOMPLETE)
