"""The commands put together, and what becomes of errors that nobody caught."""

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from fieldwise.cli import baseline, calibrate, check, compare, demo, diff, explain, init, judge_audit, report, run, runs, schema, view
from fieldwise.cli._exits import INTERRUPTED, failed
from fieldwise.cli._stop import leave


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


@app.callback()
def fieldwise(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_print_version)] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Print the whole traceback of an internal error.")] = False,
) -> None:
    """Score what an AI system produced against what it should have produced, field by field.

    Start with `fieldwise demo`, then `fieldwise init`. Exit codes: 0 gates passed, 1 a gate failed or something differs, 2 usage or
    configuration, 3 incomplete, 4 nothing evaluated, 70 internal error, 130 interrupted.
    """
    del debug, version


for command in (
    demo.demo,
    init.init,
    run.run,
    check.check,
    diff.diff,
    compare.compare,
    explain.explain,
    report.report,
    schema.schema,
    view.view,
    calibrate.calibrate,
    judge_audit.judge_audit,
):
    app.command()(command)
app.add_typer(runs.app, name="runs")
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
