"""`fieldwise what-if`: a stored run under other options."""

from typing import Annotated

import typer

from fieldwise.cli._options import RootOption, RunArgument, ShowAllOption, TextFormat, TextFormatOption, program_of


def what_if(
    context: typer.Context,
    run: RunArgument,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="EVALUATOR.FIELD.OPTION=VALUE, EVALUATOR.OPTION=VALUE or gate.METRIC='>= 0.9'."),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write the settings into the suite; comments and everything else are kept.")
    ] = False,
    form: TextFormatOption = TextFormat.rich,
    show_all: ShowAllOption = False,
    root: RootOption = None,
) -> None:
    """Recompute scores, verdicts and gates of a run under other thresholds, tolerances and weights, from what is stored.

    Nothing is matched again. What stored similarities and distances cannot decide is refused, with the reason.
    """
    from fieldwise.cli._console import display_options, print_page
    from fieldwise.cli._lookup import open_measured_run
    from fieldwise.report.text_format import dump_json
    from fieldwise.report.what_if_view import build_what_if_page
    from fieldwise.study.suite_edit import has_changed, write_settings
    from fieldwise.study.what_if import what_if as recompute

    program = program_of(context, root)
    stored_run = open_measured_run(run, program.root)
    answer = recompute(stored_run, settings or [])
    is_edited = write and has_changed(stored_run.manifest.suite_file, stored_run.manifest.suite)
    written = write_settings(stored_run.manifest.suite_file, answer.settings) if write else None
    if is_edited:
        typer.echo(f"! {written} has changed since the run: the results are those of the earlier suite; run it again", err=True)
    if form == TextFormat.json:
        typer.echo(dump_json({**answer.to_json(), "written": written}))
        return
    print_page(build_what_if_page(answer, display_options(form, program, show_all=show_all)), form)
    if written is not None:
        typer.echo(f"wrote {written}", err=True)
