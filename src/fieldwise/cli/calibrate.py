"""`fieldwise calibrate`: fit the score of `match: semantic` to labelled pairs."""

from pathlib import Path
from typing import Annotated

import typer

from fieldwise.cli._options import TextFormat, TextFormatOption

PairsArgument = Annotated[
    Path | None,
    typer.Argument(metavar="[PAIRS]", help="CSV or JSONL with expected, actual, same. [default: the pairs shipped with fieldwise]"),
]


def calibrate(
    pairs: PairsArgument = None,
    threshold: Annotated[
        float, typer.Option(min=0.01, max=0.99, help="The score from which a pair counts as the same, after calibration.")
    ] = 0.80,
    out: Annotated[Path | None, typer.Option(metavar="FILE.json", help="Write the calibration and its metrics to this file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite that file.")] = False,
    form: TextFormatOption = TextFormat.rich,
) -> None:
    """Calibrate the score of `match: semantic` on labelled pairs, and show its accuracy before and after.

    One half of the pairs, chosen by a hash of their text, is used for fitting; the reported metrics are those of the other half.
    """
    from fieldwise.calibration import calibrate as fit_calibration
    from fieldwise.calibration import read_pairs, read_shipped_pairs
    from fieldwise.cli._console import print_page
    from fieldwise.cli._files import require_file, write_new_files
    from fieldwise.report.audit_view import build_calibration_report
    from fieldwise.report.text_format import dump_json

    labelled_pairs = read_shipped_pairs() if pairs is None else read_pairs(require_file(pairs, "file of pairs"))
    calibration = fit_calibration(labelled_pairs, at=threshold)
    if out is not None:
        write_new_files({out: dump_json(calibration.to_json(), spaced=True) + "\n"}, force=force)
        typer.echo(f"wrote {out}", err=True)
    if form == TextFormat.json:
        typer.echo(dump_json(calibration.to_json()))
    else:
        print_page(build_calibration_report(calibration.to_json(), calibration.option()), form)
