"""CLI entry point and top-level error handling."""

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any, Final, cast

import typer
from typer.core import TyperGroup

from fieldwise.cli._exits import INTERRUPTED, exit_interrupted, report_error
from fieldwise.cli._options import Program

SHORT_HELP: Final = {
    "demo": "Score 26 invoices, or 12 answers, that ship with fieldwise.",
    "init": "Write a starter suite.",
    "run": "Score the cases of a suite and store the run.",
    "check": "Validate a suite without scoring.",
    "diff": "Explain the differences between two files or folders.",
    "compare": "Compare runs and test differences for significance.",
    "explain": "Show how a score was calculated.",
    "mismatches": "List the wrong values of a run: expected, actual, cause.",
    "mutate": "Corrupt expected values; see what the rules miss.",
    "doubt": "Compare systems; find suspect expected values.",
    "pack": "Write what the next prompt or schema iteration needs.",
    "confidence": "Measure the calibration of a run's confidences.",
    "policy": "Choose which values need no review, with a bound on their errors.",
    "profiles": "Score the same cases as other tools would.",
    "power": "State how many cases are needed to detect a drop.",
    "review": "Review comparisons one at a time; correct expected values.",
    "what-if": "Try other thresholds, tolerances and weights on a stored run.",
    "report": "Write a stored run as HTML, Markdown, JUnit, Excel …",
    "mcp": "Serve fieldwise to agents (Model Context Protocol).",
    "schema": "Print a JSON Schema (2020-12).",
    "view": "Serve the pages and the HTTP API for stored runs.",
    "calibrate": "Calibrate semantic similarity on labelled pairs.",
    "judge-audit": "Compare a judge's verdicts with human labels.",
    "runs": "List, show, tag and delete stored runs; trends.",
    "baseline": "Store a run as a baseline, in a file small enough to commit.",
}
"""One line for every command, in the order of the help. The command is the function, or the `app`, of the module of its name."""


class CommandModules(Mapping[str, Any]):
    """The commands by their names; a command is imported and built when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        """Build the command."""
        if name not in SHORT_HELP:
            raise KeyError(name)
        function = name.replace("-", "_")
        module = import_module(f"fieldwise.cli.{function}")
        commands: typer.Typer | None = getattr(module, "app", None)
        if commands is None:
            commands = typer.Typer(add_completion=False, rich_markup_mode=None)
            commands.command(name, short_help=SHORT_HELP[name])(getattr(module, function))
        command: Any = typer.main.get_command(commands)
        command.name = name
        return command

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(SHORT_HELP)

    def __len__(self) -> int:
        """The number of commands."""
        return len(SHORT_HELP)


class Commands(TyperGroup):
    """A command group that builds the command it runs, and turns exceptions into a message and an exit code."""

    def __init__(self, **options: Any) -> None:
        """A group of all commands."""
        super().__init__(**options)
        self.commands = cast("Any", CommandModules())

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 (the signature of Typer)
        """Names of the commands."""
        return list(SHORT_HELP)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 (the signature of Typer)
        """Write the commands into the help without building them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SHORT_HELP.items()))

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
