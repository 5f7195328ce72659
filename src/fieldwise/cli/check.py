"""`fieldwise check`: validate a suite before it runs."""

from pathlib import Path

import click

from fieldwise.cli._options import (
    DocumentedCommand,
    TextFormat,
    cases_option,
    program_of,
    root_option,
    show_all_option,
    suite_argument,
    text_format_option,
)


@click.command(cls=DocumentedCommand)
@suite_argument
@cases_option
@click.option("--gate", "gates", metavar="CONDITION", multiple=True, help="An additional gate to check. Repeatable.")
@text_format_option
@show_all_option
@root_option
@click.pass_context
def check(
    context: click.Context, suite: Path, cases: str | None, gates: tuple[str, ...], form: TextFormat, show_all: bool, root: str | None
) -> None:
    """Validate a suite without scoring: show every problem, or the cases and rules it will use."""
    from fieldwise.cli._console import display_options, print_page
    from fieldwise.cli._exits import CONFIG
    from fieldwise.cli._files import require_suite
    from fieldwise.model.diagnostic import ConfigError
    from fieldwise.report.check_view import build_check_report, render_check_errors_json, render_check_json
    from fieldwise.suite_check import survey_cases
    from fieldwise.suite_plan import compile_suite

    program = program_of(context, root)
    try:
        survey = survey_cases(compile_suite(require_suite(suite), cases=cases, gates=gates, root=program.root))
    except ConfigError as error:
        if form == "json":
            click.echo(render_check_errors_json(error.diagnostics))
        raise
    if form == "json":
        click.echo(render_check_json(survey))
    else:
        print_page(build_check_report(survey, display_options(form, program, show_all=show_all)), form)
    context.exit(0 if survey.is_runnable else CONFIG)
