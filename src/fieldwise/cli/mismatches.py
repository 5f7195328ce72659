"""`fieldwise mismatches`: list the wrong values of a stored run."""

from typing import Annotated

import typer

from fieldwise.cli._completion import complete_fields
from fieldwise.cli._options import RootOption, RunArgument, ShowAllOption, TextFormat, TextFormatOption, program_of

FieldOption = Annotated[
    str | None,
    typer.Option(
        "--field",
        metavar="FIELD",
        help="Only this field: the path of a rule or value, or of an object or list that contains it.",
        autocompletion=complete_fields,
    ),
]


def mismatches(
    context: typer.Context,
    run: RunArgument = "latest",
    field: FieldOption = None,
    cause: Annotated[str | None, typer.Option(metavar="CAUSE", help="Only mismatches with this cause: its name or its label.")] = None,
    case: Annotated[str | None, typer.Option(metavar="ID", help="Only the case with this id.")] = None,
    evaluator: Annotated[str | None, typer.Option(help="Only this evaluator.")] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write them to a file: .csv .xlsx .jsonl .json .parquet; - is JSON lines."),
    ] = None,
    form: TextFormatOption = TextFormat.rich,
    show_all: ShowAllOption = False,
    root: RootOption = None,
) -> None:
    """List the wrong values of a run: expected, actual, cause and note."""
    from fieldwise.cli._console import display_options, print_page
    from fieldwise.cli._lookup import check_comparison_filter, check_evaluator, find_cause_name, open_measured_run
    from fieldwise.cli._report import check_list_output, write_list
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
    elif form == TextFormat.json:
        for chunk in mismatches_to_json(stored_run, selected):
            typer.echo(chunk, nl=False)
    else:
        print_page(build_mismatches_page(stored_run, selected, display_options(form, program, show_all=show_all)), form)
