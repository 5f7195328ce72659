"""`fieldwise calibrate`: the score of `semantic`, fitted to one's own pairs."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from fieldwise.cli._formats import TextForm, TextFormat

Pairs = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Argument(metavar="[PAIRS]", help="CSV or JSONL with expected, actual, same; left out: the pairs that fieldwise ships."),
]


def calibrate(
    pairs: Pairs = None,
    threshold: Annotated[float, typer.Option(min=0.01, max=0.99, help="The score that shall be the best cut.")] = 0.80,
    out: Annotated[Optional[Path], typer.Option(metavar="FILE.json", help="Write map and figures there.")] = None,  # noqa: UP045
    force: Annotated[bool, typer.Option("--force", help="Overwrite that file.")] = False,
    form: TextForm = TextFormat.rich,
) -> None:
    """Fit the score of `match: semantic` to labelled pairs, and say how well it does before and after.

    Half of the pairs, chosen by a hash of their text, is fitted; the numbers to go by are those of the other half.
    """
    from fieldwise.calibration import calibrate as fit
    from fieldwise.calibration import read_pairs, shipped
    from fieldwise.cli._console import show
    from fieldwise.cli._exits import needed_file
    from fieldwise.cli._write import write_new
    from fieldwise.report.calibration_view import calibration_report
    from fieldwise.report.safe import json_text

    found = fit(shipped() if pairs is None else read_pairs(needed_file(pairs, "file of pairs")), at=threshold)
    if out is not None:
        write_new({out: json_text(found.to_json(), spaced=True) + "\n"}, force=force)
        typer.echo(f"wrote {out}", err=True)
    if form == TextFormat.json:
        typer.echo(json_text(found.to_json()))
    else:
        show(calibration_report(found.to_json(), found.option()), form)
