"""`fieldwise calibrate`: fit the score of `match: semantic` to labelled pairs."""

from pathlib import Path

import click

from fieldwise.cli._options import PATH, DocumentedCommand, NumberRange, TextFormat, argument, text_format_option


@click.command(cls=DocumentedCommand)
@argument(
    "pairs",
    type=PATH,
    required=False,
    help="CSV or JSONL with expected, actual, same. [default: the pairs shipped with fieldwise]",
)
@click.option(
    "--threshold",
    type=NumberRange(min=0.01, max=0.99),
    default=0.80,
    help="The score from which a pair counts as the same, after calibration.",
)
@click.option("--out", metavar="FILE.json", type=PATH, help="Write the calibration and its metrics to this file.")
@click.option("--force", is_flag=True, help="Overwrite that file.")
@text_format_option
def calibrate(pairs: Path | None, threshold: float, out: Path | None, force: bool, form: TextFormat) -> None:
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
        click.echo(f"wrote {out}", err=True)
    if form == "json":
        click.echo(dump_json(calibration.to_json()))
    else:
        print_page(build_calibration_report(calibration.to_json(), calibration.option()), form)
