"""`fieldwise confidence`: how far the confidences of a run can be trusted."""

from pathlib import Path
from typing import Annotated

import typer

from fieldwise.cli._options import (
    ConfidenceSource,
    ConfidenceSourceOption,
    RootOption,
    RunArgument,
    TextFormat,
    TextFormatOption,
    program_of,
)
from fieldwise.cli.mismatches import FieldOption


def confidence(
    context: typer.Context,
    run: RunArgument = "latest",
    field: FieldOption = None,
    evaluator: Annotated[
        str | None, typer.Option(help="The evaluator that decides which values are correct. [default: the first with confidences]")
    ] = None,
    by: ConfidenceSourceOption = ConfidenceSource.stored,
    output: Annotated[
        list[str] | None, typer.Option("--output", "-o", metavar="FILE", help="Write a page: .html with charts, or .json. Repeatable.")
    ] = None,
    form: TextFormatOption = TextFormat.rich,
    root: RootOption = None,
) -> None:
    """Measure how well the confidences of a run are calibrated, per field, per tag and overall.

    Calibration (ECE, Brier), ranking (AUROC), the error among accepted values, and the errors found by reviewing the least confident ones.
    """
    from fieldwise.cli._console import display_options, print_page
    from fieldwise.cli._files import check_suffixes, write_report
    from fieldwise.cli._lookup import check_evaluator, find_given_confidences, open_measured_run
    from fieldwise.report.confidence_view import build_confidence_report, render_confidence_html
    from fieldwise.report.text_format import dump_json
    from fieldwise.study.confidence import study_confidence

    program = program_of(context, root)
    check_suffixes(output or (), (".html", ".json"))
    stored = open_measured_run(run, program.root)
    check_evaluator(stored, evaluator)
    report = study_confidence(stored, evaluator=evaluator, field=field, confidences=find_given_confidences(stored, by))
    if form == TextFormat.json:
        typer.echo(dump_json(report.to_json()))
    else:
        print_page(build_confidence_report(report, display_options(form, program)), form)
    for name in output or ():
        is_page = Path(name).suffix.lower() == ".html"
        write_report(name, render_confidence_html(report) if is_page else dump_json(report.to_json(), spaced=True) + "\n")
