"""Global options, options shared by several commands, and arguments that the help describes."""

import math
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, get_args

import click

from fieldwise.cli._completion import complete_runs
from fieldwise.dataclass import dataclass

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Program:
    """Global options of one invocation of `fieldwise`."""

    root: str | None = None
    """Value of `--root`. None means FIELDWISE_ROOT, or `.fieldwise` if that is not set."""

    @property
    def command(self) -> str:
        """The beginning of a command that finds the same runs, for hints such as "next: …".

        >>> Program().command, Program("my runs").command
        ('fieldwise', "fieldwise --root 'my runs'")
        """
        return "fieldwise" if self.root is None else f"fieldwise --root {shlex.quote(self.root)}"


def program_of(context: click.Context, root: str | None = None) -> Program:
    """Return the global options that the command was called with; `root` is the command's own `--root`, which wins."""
    return (context.find_object(Program) or Program()) if root is None else Program(root)


# Arguments in the help: Click describes options only (before version 8.5) ----------------------------------------------------------------


class DocumentedArgument(click.Argument):
    """An argument with a description."""

    def __init__(self, declarations: Sequence[str], *, help: str, **settings: Any) -> None:
        """An argument; `settings` are those of `click.Argument`."""
        super().__init__(declarations, **settings)
        self.help = help
        self.default_text = "" if settings.get("default") is None else str(settings["default"])

    def describe(self, context: click.Context) -> tuple[str, str]:
        """Its name and its description, as rows of options are written."""
        text = self.help or ""
        if self.required:
            text += "  [required]"
        elif self.default_text:
            text += f"  [default: {self.default_text}]"
        return self.make_metavar(context), text


class DocumentedCommand(click.Command):
    """A command whose help has a section of arguments before the options."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help."""
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        arguments = [parameter.describe(ctx) for parameter in self.params if isinstance(parameter, DocumentedArgument)]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        self.format_options(ctx, formatter)


class CommandGroup(click.Group):
    """A group of documented commands, in the order of their definition."""

    command_class = DocumentedCommand

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (the signature of Click)
        """Names of the commands."""
        return list(self.commands)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is named; suggest a similar one if there is none."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            similar = get_close_matches(args[0], self.list_commands(ctx), n=1)
            if similar:
                raise click.UsageError(f"{error.message} Did you mean '{similar[0]}'?", ctx) from None
            raise


def argument(name: str, *, help: str, **settings: Any) -> Callable[[Decorated], Decorated]:
    """Decorate a command with a documented argument; `settings` are those of `click.argument`."""
    return click.argument(name, cls=DocumentedArgument, help=help, **settings)


# Types of values -------------------------------------------------------------------------------------------------------------------------


class NumberRange(click.FloatRange):
    """A number within bounds; NaN is within none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Parse the number."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


class WholeNumber(click.IntRange):
    """A whole number within bounds, with messages for people."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Parse the number."""
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{value!r} is not a whole number.", param, ctx)
        if self.min is not None and number < self.min:
            self.fail(f"{number} is too small: the minimum is {self.min:g}.", param, ctx)
        if self.max is not None and number > self.max:
            self.fail(f"{number} is too large: the maximum is {self.max:g}.", param, ctx)
        return number


PATH: Final = click.Path(path_type=Path)
FILE_NAME: Final = click.Path(readable=False, allow_dash=True)
"""The name of a file as text, which need not be one: a URL, `run:ID`, or - for a standard stream."""

Format = Literal["rich", "plain", "json", "github", "agent"]
"""Output formats of a run."""
TextFormat = Literal["rich", "plain", "json"]
"""Output formats of everything else."""
ConfidenceSource = Literal["stored", "agreement"]
"""Where the confidence of a value comes from."""

# Shared options --------------------------------------------------------------------------------------------------------------------------

confidence_source_option = click.option(
    "--by",
    type=click.Choice(get_args(ConfidenceSource)),
    default="stored",
    help="stored: the system's own confidence; agreement: the share of other systems that agree, as measured by `doubt`.",
)
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(get_args(Format)),
    default="rich",
    help="rich: with colour; plain: for logs; json: the whole run; github: annotations; agent: a summary under 4 KB of JSON.",
)
text_format_option = click.option(
    "--format",
    "form",
    type=click.Choice(get_args(TextFormat)),
    default="rich",
    help="rich: with colour; plain: for logs; json: for programs.",
)
show_all_option = click.option("--all", "show_all", is_flag=True, help="Show everything, without shortening.")
root_option = click.option("--root", metavar="LOCATION", help="Where runs are stored, as in `fieldwise --root`.")


def outputs_option(help: str, default: tuple[str, ...] = ()) -> Callable[[Decorated], Decorated]:
    """`--output FILE`, repeatable."""
    return click.option("--output", "-o", "outputs", metavar="FILE", type=FILE_NAME, multiple=True, default=default or None, help=help)


_RUN_HELP: Final = "The run: its id or the first characters of it, a tag, its `--name`, or latest."
run_argument = argument("run", help=_RUN_HELP, shell_complete=complete_runs)
latest_run_argument = argument("run", default="latest", help=_RUN_HELP, shell_complete=complete_runs)
suite_argument = argument("suite", type=PATH, help="The YAML file of the suite.")
cases_option = click.option(
    "--cases",
    metavar="FILE",
    type=FILE_NAME,
    help="Cases to use instead of the suite's; - reads standard input, run:ID or run:latest the cases of an earlier run.",
)
