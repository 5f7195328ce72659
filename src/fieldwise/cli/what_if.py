"""`fieldwise what-if`: a stored run under other options."""

import click

from fieldwise.cli._options import (
    DocumentedCommand,
    TextFormat,
    program_of,
    root_option,
    run_argument,
    show_all_option,
    text_format_option,
)


@click.command(cls=DocumentedCommand)
@run_argument
@click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="EVALUATOR.FIELD.OPTION=VALUE, EVALUATOR.OPTION=VALUE or gate.METRIC='>= 0.9'.",
)
@click.option("--write", is_flag=True, help="Write the settings into the suite; comments and everything else are kept.")
@text_format_option
@show_all_option
@root_option
@click.pass_context
def what_if(
    context: click.Context,
    run: str,
    settings: tuple[str, ...],
    write: bool,
    form: TextFormat,
    show_all: bool,
    root: str | None,
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
    answer = recompute(stored_run, settings)
    is_edited = write and has_changed(stored_run.manifest.suite_file, stored_run.manifest.suite)
    written = write_settings(stored_run.manifest.suite_file, answer.settings) if write else None
    if is_edited:
        click.echo(f"! {written} has changed since the run: the results are those of the earlier suite; run it again", err=True)
    if form == "json":
        click.echo(dump_json({**answer.to_json(), "written": written}))
        return
    print_page(build_what_if_page(answer, display_options(form, program, show_all=show_all)), form)
    if written is not None:
        click.echo(f"wrote {written}", err=True)
