"""CLI entry point and top-level error handling."""

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from fieldwise.cli import (
    baseline,
    calibrate,
    check,
    compare,
    confidence,
    demo,
    diff,
    doubt,
    explain,
    init,
    judge_audit,
    mcp,
    mismatches,
    mutate,
    pack,
    policy,
    power,
    profiles,
    report,
    review,
    run,
    runs,
    schema,
    view,
    what_if,
)
from fieldwise.cli._exits import INTERRUPTED, exit_interrupted, report_error
from fieldwise.cli._options import Program


class Commands(TyperGroup):
    """A command group that turns exceptions into a message and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            typer.echo(f"\n{str(interrupt) or 'interrupted'}", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            raise typer.Exit(report_error(error, debug=bool(ctx.params.get("debug")))) from None


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(requested: bool) -> None:
    if requested:
        from fieldwise import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def fieldwise(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Print the full traceback of an internal error.")] = False,
    root: Annotated[
        str | None,
        typer.Option(
            metavar="LOCATION",
            help="Where runs are stored: a folder, or a URL such as s3://bucket/evals. [default: $FIELDWISE_ROOT, else .fieldwise]",
        ),
    ] = None,
) -> None:
    """Score the output of an AI system against the expected output, field by field.

    Start with `fieldwise demo`, then `fieldwise init`. Exit codes: 0 gates passed, 1 a gate failed or something differs, 2 usage or
    configuration, 3 incomplete, 4 nothing evaluated, 70 internal error, 130 interrupted.
    """
    del debug, version
    context.obj = Program(root=root)


for command, short_help in (
    (demo.demo, "Score 26 invoices, or 12 answers, that ship with fieldwise."),
    (init.init, "Write a starter suite."),
    (run.run, "Score the cases of a suite and store the run."),
    (check.check, "Validate a suite without scoring."),
    (diff.diff, "Explain the differences between two files or folders."),
    (compare.compare, "Compare runs and test differences for significance."),
    (explain.explain, "Show how a score was calculated."),
    (mismatches.mismatches, "List the wrong values of a run: expected, actual, cause."),
    (mutate.mutate, "Corrupt expected values; see what the rules miss."),
    (doubt.doubt, "Compare systems; find suspect expected values."),
    (pack.pack, "Write what the next prompt or schema iteration needs."),
    (confidence.confidence, "Measure how far a run's confidences can be trusted."),
    (policy.policy, "Choose which values need no review, with a bound on their errors."),
    (profiles.profiles, "Score the same cases in the ways of other tools."),
    (power.power, "State how many cases are needed to detect a drop."),
    (review.review, "Review comparisons one at a time; correct expected values."),
    (what_if.what_if, "Try other thresholds, tolerances and weights on a stored run."),
    (report.report, "Write a stored run as HTML, Markdown, JUnit, Excel …"),
    (mcp.mcp, "Serve fieldwise to agents (Model Context Protocol)."),
    (schema.schema, "Print a JSON Schema (2020-12)."),
    (view.view, "Serve the pages and the HTTP API for stored runs."),
    (calibrate.calibrate, "Calibrate semantic similarity on labelled pairs."),
    (judge_audit.judge_audit, "Compare a judge's verdicts with human labels."),
):
    app.command(short_help=short_help)(command)
app.add_typer(runs.app, name="runs", short_help="List, show, tag and delete stored runs; trends.")
app.add_typer(baseline.app, name="baseline")


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="backslashreplace")  # escape characters that the terminal's encoding lacks
    try:
        app()
    except KeyboardInterrupt:
        exit_interrupted()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            exit_interrupted()
        raise
