"""The commands put together, and what becomes of errors that nobody caught."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated, Any, Optional

import typer
from typer.core import TyperGroup

from fieldwise.cli import baseline, calibrate, check, compare, demo, diff, explain, init, judge_audit, report, run, runs, schema, view
from fieldwise.cli._exits import INTERRUPTED, failed
from fieldwise.cli._interrupt import leave
from fieldwise.cli._program import CALLED, with_root
from fieldwise.model.roots import ROOT_VARIABLE


class Commands(TyperGroup):
    """Commands whose errors become a message and the exit code that says what kind of error it is."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            typer.echo(f"\n{str(stop) or 'interrupted'}", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            raise typer.Exit(failed(error, debug=bool(ctx.params.get("debug")))) from None


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from fieldwise import __version__

        typer.echo(__version__)
        raise typer.Exit


@contextmanager
def _rooted(root: str) -> Generator[None]:
    """Let this command, and whatever it starts, keep runs there."""
    before = os.environ.get(ROOT_VARIABLE)
    os.environ[ROOT_VARIABLE] = root
    token = CALLED.set(with_root(root))
    try:
        yield
    finally:
        CALLED.reset(token)
        if before is None:
            del os.environ[ROOT_VARIABLE]
        else:
            os.environ[ROOT_VARIABLE] = before


@app.callback()
def fieldwise(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_print_version)] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Print the whole traceback of an internal error.")] = False,
    root: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="PLACE",
            help="Where runs are kept: a folder, or a URL such as s3://bucket/evals. [FIELDWISE_ROOT says so too; default: .fieldwise]",
        ),
    ] = None,
) -> None:
    """Score what an AI system produced against what it should have produced, field by field.

    Start with `fieldwise demo`, then `fieldwise init`. Exit codes: 0 gates passed, 1 a gate failed or something differs, 2 usage or
    configuration, 3 incomplete, 4 nothing evaluated, 70 internal error, 130 interrupted.
    """
    del debug, version
    if root is not None:
        context.with_resource(_rooted(root))


for command, told in (
    (demo.demo, "Score 26 invoices, or 12 answers, that come with fieldwise."),
    (init.init, "Write a suite to start from."),
    (run.run, "Score the cases of a suite and store the run."),
    (check.check, "Say what is wrong with a suite, or what it would do."),
    (diff.diff, "Explain what differs between two files or folders."),
    (compare.compare, "Say what changed between runs, and if chance did it."),
    (explain.explain, "Show the arithmetic of a score, to be checked by hand."),
    (report.report, "Write a stored run as HTML, Markdown, JUnit, Excel …"),
    (schema.schema, "Print a JSON Schema (2020-12)."),
    (view.view, "Serve the pages and the HTTP API for stored runs."),
    (calibrate.calibrate, "Fit `match: semantic` to labelled pairs."),
    (judge_audit.judge_audit, "Compare a judge's verdicts with people's."),
):
    app.command(short_help=told)(command)
app.add_typer(runs.app, name="runs", short_help="List, show, tag and delete stored runs; trends.")
app.add_typer(baseline.app, name="baseline")


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="backslashreplace")  # a terminal that cannot show a sign is no reason to stop
    try:
        app()
    except KeyboardInterrupt:
        leave()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            leave()
        raise
