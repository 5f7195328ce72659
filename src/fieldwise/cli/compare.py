"""`fieldwise compare`: two or more runs over the same cases."""

from enum import StrEnum
from typing import Annotated, Optional

import typer

from fieldwise.cli._formats import Everything, TextForm, TextFormat

Base = Annotated[
    str, typer.Argument(metavar="BASE", help="The run to compare with: an id or its beginning, a tag, latest, or a baseline file.")
]
New = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Argument(metavar="RUN", help="The runs to compare with it; the latest one if left out.", show_default=False),
]


class Adjusting(StrEnum):
    """How p-values are adjusted for having looked at several numbers."""

    holm = "holm"
    bh = "bh"


Adjust = Annotated[
    Adjusting, typer.Option(help="holm: hardly ever one false alarm; bh (Benjamini-Hochberg): few false alarms among the alarms.")
]


def compare(
    base: Base,
    runs: New = None,
    adjust: Adjust = Adjusting.holm,
    form: TextForm = TextFormat.rich,
    everything: Everything = False,
) -> None:
    """Say what changed from one run to another, or to several, and whether chance could have done it.

    Cases are paired by their id. Pass or fail is tested by McNemar's exact test, scores by a permutation test; intervals come from a
    bootstrap over the cases, and fields are adjusted for their number. Several runs are compared with the base each, side by side, and
    adjusted for their number too.
    """
    from pathlib import Path

    from fieldwise.cli._console import room, show
    from fieldwise.cli._lookup import found_run, nothing_shared, same_run
    from fieldwise.report.changes_view import changes_report
    from fieldwise.report.safe import json_text
    from fieldwise.report.several_view import several_report
    from fieldwise.store.baseline import compare_with_baseline
    from fieldwise.store.run_metrics import compare_runs
    from fieldwise.summarize.compare import adjust_together

    news = list({run.id: run for run in map(found_run, runs or ["latest"])}.values())
    if Path(base).is_file():
        found = [compare_with_baseline(base, new, adjust=adjust.value) for new in news]
    else:
        pinned = found_run(base)
        if pinned.id in [new.id for new in news]:
            raise same_run(pinned.id)
        found = [compare_runs(pinned, new, adjust=adjust.value) for new in news]
    several = len(found) > 1
    if several:
        found = adjust_together(found, adjust.value)
    if form == TextFormat.json:
        typer.echo(json_text([one.to_json() for one in found] if several else found[0].to_json()))
    else:
        view = room(form, everything=everything)
        show(several_report(found, view) if several else changes_report(found[0], view), form)
    for one in found:
        if not any(compared.n for compared in one.evaluators.values()):
            raise nothing_shared(one.base, one.new)
