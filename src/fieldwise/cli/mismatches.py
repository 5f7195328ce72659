"""`fieldwise mismatches`: list the wrong values of a stored run."""

import click

from fieldwise.cli._completion import complete_fields
from fieldwise.cli._options import (
    FILE_NAME,
    DocumentedCommand,
    TextFormat,
    latest_run_argument,
    program_of,
    root_option,
    show_all_option,
    text_format_option,
)

field_option = click.option(
    "--field",
    metavar="FIELD",
    help="Only this field: the path of a rule or value, or of an object or list that contains it.",
    shell_complete=complete_fields,
)


@click.command(cls=DocumentedCommand)
@latest_run_argument
@field_option
@click.option("--cause", metavar="CAUSE", help="Only mismatches with this cause: its name or its label.")
@click.option("--case", metavar="ID", help="Only the case with this id.")
@click.option("--evaluator", help="Only this evaluator.")
@click.option(
    "--output", "-o", metavar="FILE", type=FILE_NAME, help="Write them to a file: .csv .xlsx .jsonl .json .parquet; - is JSON lines."
)
@text_format_option
@show_all_option
@root_option
@click.pass_context
def mismatches(
    context: click.Context,
    run: str,
    field: str | None,
    cause: str | None,
    case: str | None,
    evaluator: str | None,
    output: str | None,
    form: TextFormat,
    show_all: bool,
    root: str | None,
) -> None:
    """List the wrong values of a run: expected, actual, cause and note."""
    from fieldwise.cli._console import display_options, print_page
    from fieldwise.cli._lookup import check_comparison_filter, check_evaluator, open_measured_run
    from fieldwise.cli._report import check_list_output, write_list
    from fieldwise.registry import find_cause_name
    from fieldwise.report.mismatch_list import build_mismatches_page, mismatches_to_json

    program = program_of(context, root)
    if output is not None:
        check_list_output(output)
    stored_run = open_measured_run(run, program.root)
    check_evaluator(stored_run, evaluator)
    cause = None if cause is None else find_cause_name(cause)
    check_comparison_filter(stored_run, field, cause, case)
    selected = stored_run.mismatches(evaluator=evaluator, field=field, cause=cause, case=case)
    if output is not None:
        write_list(stored_run, selected, output)
    elif form == "json":
        for chunk in mismatches_to_json(stored_run, selected):
            click.echo(chunk, nl=False)
    else:
        print_page(build_mismatches_page(stored_run, selected, display_options(form, program, show_all=show_all)), form)
