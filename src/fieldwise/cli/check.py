"""`fieldwise check`: everything wrong with a suite, before it runs."""

from typing import Annotated, Optional

import typer

from fieldwise.cli._formats import Everything, TextForm, TextFormat
from fieldwise.cli.run import Cases, Suite


def check(
    suite: Suite,
    cases: Cases = None,
    gate: Annotated[Optional[list[str]], typer.Option(metavar="CONDITION", help="A further gate to check.")] = None,  # noqa: UP045
    form: TextForm = TextFormat.rich,
    everything: Everything = False,
) -> None:
    """Say what is wrong with a suite, or what it would do."""
    from fieldwise import api
    from fieldwise.cli._console import room, show
    from fieldwise.cli._dry_run import survey
    from fieldwise.cli._exits import CONFIG, needed_file
    from fieldwise.report.check_view import check_json, check_report

    found = survey(api.check(needed_file(suite, "suite"), cases=cases, gates=gate or ()))
    if form == TextFormat.json:
        typer.echo(check_json(found))
    else:
        show(check_report(found, room(form, everything=everything)), form)
    raise typer.Exit(0 if found.fine else CONFIG)
