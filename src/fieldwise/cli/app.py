"""CLI entry point and top-level error handling."""

import sys
from importlib import import_module
from typing import Any, Final

import click

from fieldwise.cli._exits import INTERRUPTED, exit_interrupted, report_error
from fieldwise.cli._options import CommandGroup, Program

CURRENT_SHELL: Final = "$SHELL"
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
"""One line for every command, in the order of the help. The command is the object of that name in the module of that name."""


class Commands(CommandGroup):
    """The commands of `fieldwise`: imports a command when it is asked for, and turns exceptions into a message and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (the signature of Click)
        """Names of the commands."""
        return list(SHORT_HELP)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (the signature of Click)
        """Import the command; None if there is no command of this name."""
        if cmd_name not in SHORT_HELP:
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(f"fieldwise.cli.{name}"), name)
        command.short_help = SHORT_HELP[cmd_name]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 (the signature of Click)
        """Write the commands into the help without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SHORT_HELP.items()))

    def make_context(self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any) -> click.Context:
        """Parse the global options."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(INTERRUPTED) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            click.echo(f"\n{str(interrupt) or 'interrupted'}", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None
        except SystemExit as end:
            if end.code:  # the web server ends this way if it cannot start
                raise
            error = RuntimeError("a plug-in or a module of yours called sys.exit()")
            raise click.exceptions.Exit(report_error(error.with_traceback(end.__traceback__), debug=_is_debugging(ctx))) from None
        except Exception as error:
            raise click.exceptions.Exit(report_error(error, debug=_is_debugging(ctx))) from None


def _is_debugging(context: click.Context) -> bool:
    return bool(context.params.get("debug"))


def _print_version(context: click.Context, _parameter: click.Parameter, is_given: bool) -> None:
    if is_given and not context.resilient_parsing:
        from fieldwise import __version__

        click.echo(__version__)
        context.exit()


def _show_completion(context: click.Context, _parameter: click.Parameter, shell: str | None) -> None:
    if shell and not context.resilient_parsing:
        from fieldwise.cli._completion_script import render_script

        click.echo(render_script(context.command, shell))
        context.exit()


def _install_completion(context: click.Context, _parameter: click.Parameter, shell: str | None) -> None:
    if shell and not context.resilient_parsing:
        from fieldwise.cli._completion_script import install_script

        path = install_script(context.command, shell)
        click.echo(f"completion installed in {path}\nCompletion will take effect once you restart the terminal")
        context.exit()


@click.group(cls=Commands, name="fieldwise", context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version and exit.")
@click.option("--debug", is_flag=True, help="Print the full traceback of an internal error.")
@click.option(
    "--root",
    metavar="LOCATION",
    help="Where runs are stored: a folder, or a URL such as s3://bucket/evals. [default: $FIELDWISE_ROOT, else .fieldwise]",
)
@click.option(
    "--install-completion",
    metavar="[SHELL]",
    is_flag=False,
    flag_value=CURRENT_SHELL,
    expose_value=False,
    callback=_install_completion,
    help="Install completion for the current shell, or for bash, zsh or fish.",
)
@click.option(
    "--show-completion",
    metavar="[SHELL]",
    is_flag=False,
    flag_value=CURRENT_SHELL,
    expose_value=False,
    callback=_show_completion,
    help="Show completion for the current shell, to copy it or customize the installation.",
)
@click.pass_context
def app(context: click.Context, debug: bool, root: str | None) -> None:
    """Score the output of an AI system against the expected output, field by field.

    Start with `fieldwise demo`, then `fieldwise init`. Exit codes: 0 gates passed, 1 a gate failed or something differs, 2 usage or
    configuration, 3 incomplete, 4 nothing evaluated, 70 internal error, 130 interrupted.
    """
    del debug  # read by `Commands.invoke`
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
