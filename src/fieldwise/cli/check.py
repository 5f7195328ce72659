"""`fieldwise check`: validate a suite before it runs."""

from typing import Annotated

import typer

from fieldwise.cli._options import RootOption, ShowAllOption, TextFormat, TextFormatOption, program_of
from fieldwise.cli.run import CasesOption, SuiteArgument


def check(
    context: typer.Context,
    suite: SuiteArgument,
    cases: CasesOption = None,
    gate: Annotated[list[str] | None, typer.Option(metavar="CONDITION", help="An additional gate to check. Repeatable.")] = None,
    form: TextFormatOption = TextFormat.rich,
    show_all: ShowAllOption = False,
    root: RootOption = None,
) -> None:
    """Validate a suite without scoring: show every problem, or the cases and rules it will use."""
    from fieldwise.cli._console import display_options, print_page
    from fieldwise.cli._dry_run import survey_cases
    from fieldwise.cli._exits import CONFIG
    from fieldwise.cli._files import require_suite
    from fieldwise.report.check_view import build_check_report, render_check_json
    from fieldwise.suite_plan import check as check_suite

    program = program_of(context, root)
    survey = survey_cases(check_suite(require_suite(suite), cases=cases, gates=gate or (), root=program.root))
    if form == TextFormat.json:
        typer.echo(render_check_json(survey))
    else:
        print_page(build_check_report(survey, display_options(form, program, show_all=show_all)), form)
    raise typer.Exit(0 if survey.is_runnable else CONFIG)
