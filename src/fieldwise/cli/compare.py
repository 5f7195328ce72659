"""`fieldwise compare`: two runs over the same cases."""

from typing import Annotated

import typer

from fieldwise.cli._formats import Everything, TextForm, TextFormat

Base = Annotated[str, typer.Argument(metavar="BASE", help="The run to compare with: an id or its beginning, or a baseline file.")]
New = Annotated[str, typer.Argument(metavar="RUN", help="The newer run; the latest one if left out.")]


def compare(base: Base, new: New = "latest", form: TextForm = TextFormat.rich, everything: Everything = False) -> None:
    """Say what changed from one run to another, and whether chance could have done it.

    Cases are paired by their id. Pass or fail is tested by McNemar's exact test, scores by a permutation test; intervals come from a
    bootstrap over the cases, and fields are adjusted for their number (Holm).
    """
    from pathlib import Path

    from fieldwise.cli._console import room, show
    from fieldwise.cli._found import found_run
    from fieldwise.report.changes_view import changes_report
    from fieldwise.report.safe import json_text
    from fieldwise.store.baseline import compare_with_baseline
    from fieldwise.store.measured import compare_runs

    run = found_run(new)
    changes = compare_with_baseline(base, run) if Path(base).is_file() else compare_runs(found_run(base), run)
    if form == TextFormat.json:
        typer.echo(json_text(changes.to_json()))
    else:
        show(changes_report(changes, room(form, everything=everything)), form)
