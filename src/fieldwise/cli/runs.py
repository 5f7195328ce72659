"""`fieldwise runs`: what has been run here."""

from typing import Annotated

import typer

from fieldwise.cli._formats import TextForm, TextFormat


def runs(form: TextForm = TextFormat.rich, limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20) -> None:
    """List the runs stored in this folder, newest first.

    They are under .fieldwise.
    """
    from fieldwise.cli._console import room, show
    from fieldwise.report.runs_view import RunLine, runs_json, runs_table
    from fieldwise.store.run import list_runs

    found = list_runs()
    lines = [
        RunLine(id=one.id, name=one.name, started=one.started, cases=one.full.cases, scores=_scores(one.summary), exit_code=one.exit_code)
        for one in found[:limit]
    ]
    if form == TextFormat.json:
        typer.echo(runs_json(lines))
        return
    if not lines:
        typer.echo("there are no runs under .fieldwise in this folder; `fieldwise demo` makes one")
        return
    show(runs_table(lines, width=room(form).width), form)
    if len(found) > limit:
        typer.echo(f"and {len(found) - limit} older ones (--limit {len(found)})")


def _scores(summary: dict[str, float]) -> dict[str, float]:
    return {name.removesuffix(".score"): value for name, value in summary.items() if name.endswith(".score")}
