"""`fieldwise confidence`: how far the confidences of a run can be trusted."""

from pathlib import Path

import click

from fieldwise.cli._options import (
    ConfidenceSource,
    DocumentedCommand,
    TextFormat,
    confidence_source_option,
    latest_run_argument,
    outputs_option,
    program_of,
    root_option,
    text_format_option,
)
from fieldwise.cli.mismatches import field_option


@click.command(cls=DocumentedCommand)
@latest_run_argument
@field_option
@click.option("--evaluator", help="The evaluator that decides which values are correct. [default: the first with confidences]")
@confidence_source_option
@outputs_option("Write a page: .html with charts, or .json. Repeatable.")
@text_format_option
@root_option
@click.pass_context
def confidence(
    context: click.Context,
    run: str,
    field: str | None,
    evaluator: str | None,
    by: ConfidenceSource,
    outputs: tuple[str, ...],
    form: TextFormat,
    root: str | None,
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
    check_suffixes(outputs, (".html", ".json"))
    stored = open_measured_run(run, program.root)
    check_evaluator(stored, evaluator)
    report = study_confidence(stored, evaluator=evaluator, field=field, confidences=find_given_confidences(stored, by))
    for name in outputs:
        is_page = Path(name).suffix.lower() == ".html"
        write_report(name, render_confidence_html(report) if is_page else dump_json(report.to_json(), spaced=True) + "\n")
    if form == "json":
        click.echo(dump_json(report.to_json()))
    else:
        print_page(build_confidence_report(report, display_options(form, program)), form)
