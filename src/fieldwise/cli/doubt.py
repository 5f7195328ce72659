"""`fieldwise doubt`: where several systems agree, and which expected values they contradict."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fieldwise.cli._completion import complete_runs
from fieldwise.cli._options import (
    DocumentedCommand,
    TextFormat,
    WholeNumber,
    argument,
    outputs_option,
    program_of,
    root_option,
    show_all_option,
    text_format_option,
)

if TYPE_CHECKING:
    from fieldwise.study.doubts import DoubtReport

_SUFFIXES = (".json", ".jsonl", ".csv")


@click.command(cls=DocumentedCommand)
@argument(
    "runs",
    metavar="RUN RUN …",
    nargs=-1,
    required=True,
    help="Runs of several systems over the same cases, or one run of several trials.",
    shell_complete=complete_runs,
)
@click.option("--evaluator", help="The evaluator whose rules compare values. [default: the first that compares records]")
@click.option(
    "--min-agreeing",
    type=WholeNumber(min=1),
    help="Systems that must contradict an expected value together. [default: more than half]",
)
@outputs_option("Write the report (.json), or the suspect labels (.jsonl .csv). Repeatable.")
@text_format_option
@show_all_option
@root_option
@click.pass_context
def doubt(
    context: click.Context,
    runs: tuple[str, ...],
    evaluator: str | None,
    min_agreeing: int | None,
    outputs: tuple[str, ...],
    form: TextFormat,
    show_all: bool,
    root: str | None,
) -> None:
    """Compare the outputs of several systems with each other: agreement as confidence, and expected values that they contradict.

    The agreement is stored beside the runs: `confidence RUN --by agreement`, `policy RUN --by agreement` and `review RUN` use it.
    """
    from fieldwise.cli._console import display_options, print_page
    from fieldwise.cli._lookup import check_evaluator, open_measured_run
    from fieldwise.report.doubt_view import build_doubt_report
    from fieldwise.report.text_format import dump_json
    from fieldwise.study.doubts import store_agreement, study_doubts

    program = program_of(context, root)
    _check_outputs(outputs)
    stored = [open_measured_run(name, program.root) for name in runs]
    check_evaluator(stored[0], evaluator)
    report = study_doubts(stored, evaluator=evaluator, min_agreeing=min_agreeing)
    store_agreement(stored, report)
    for name in outputs:
        _write_report(report, name)
    if form == "json":
        click.echo(dump_json(report.to_json()))
    else:
        print_page(build_doubt_report(report, display_options(form, program, show_all=show_all)), form)


def _check_outputs(outputs: Sequence[str]) -> None:
    from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where

    unknown = [name for name in outputs if name != "-" and Path(name).suffix.lower() not in _SUFFIXES]
    if unknown:
        what, fix = "the file name has no known format", f"end the name in {', '.join(_SUFFIXES)}"
        raise ConfigError(Diagnostic(code="unknown-format", what=what, where=Where(file=name), fix=fix) for name in unknown)


def _write_report(report: "DoubtReport", name: str) -> None:
    import csv
    from io import StringIO

    from fieldwise.cli._console import error_console
    from fieldwise.cli._files import complete_or_absent
    from fieldwise.report.text_format import dump_json, format_csv_cell, format_value, make_encodable

    suffix = Path(name).suffix.lower()
    if name == "-" or suffix == ".jsonl":
        content = "".join(dump_json(suspect.to_json()) + "\n" for suspect in report.suspects)
    elif suffix == ".json":
        content = dump_json(report.to_json(), spaced=True) + "\n"
    else:
        stream = StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(("case", "path", "expected", "suggested", "agreeing", "backing", "systems", "cause", "suspicion", "evidence"))
        for suspect in report.suspects:
            texts = (format_value(suspect.expected), format_value(suspect.suggested), " ".join(suspect.agreeing), " ".join(suspect.backing))
            evidence = "; ".join(observation.text for observation in suspect.evidence)
            cells = (suspect.case, suspect.path, *texts, suspect.systems, suspect.cause or "", suspect.suspicion, evidence)
            writer.writerow([make_encodable(format_csv_cell(cell)) for cell in cells])
        content = stream.getvalue()
    if name == "-":
        click.echo(content, nl=False)
        return
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with complete_or_absent(path):
        path.write_text(content, encoding="utf-8", newline="\n")
    error_console().print(f"wrote {name}", style="dim")
