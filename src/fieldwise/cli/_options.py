"""Global options, and options shared by several commands."""

import shlex
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

from fieldwise.cli._completion import complete_runs


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


def program_of(context: typer.Context, root: str | None = None) -> Program:
    """Return the global options that the command was called with; `root` is the command's own `--root`, which wins."""
    return (context.find_object(Program) or Program()) if root is None else Program(root)


class Format(StrEnum):
    """Output formats of a run."""

    rich = "rich"
    plain = "plain"
    json = "json"
    github = "github"
    agent = "agent"


class TextFormat(StrEnum):
    """Output formats of everything else."""

    rich = "rich"
    plain = "plain"
    json = "json"


class ConfidenceSource(StrEnum):
    """Where the confidence of a value comes from."""

    stored = "stored"
    agreement = "agreement"


ConfidenceSourceOption = Annotated[
    ConfidenceSource,
    typer.Option(
        "--by", help="stored: the system's own confidence; agreement: the share of other systems that agree, as measured by `doubt`."
    ),
]
FormatOption = Annotated[
    Format,
    typer.Option(
        "--format",
        help="rich: with colour; plain: for logs; json: the whole run; github: annotations; agent: a summary under 4 KB of JSON.",
        show_choices=True,
    ),
]
TextFormatOption = Annotated[TextFormat, typer.Option("--format", help="rich: with colour; plain: for logs; json: for programs.")]
ShowAllOption = Annotated[bool, typer.Option("--all", help="Show everything, without shortening.")]
RootOption = Annotated[
    str | None, typer.Option("--root", metavar="LOCATION", help="Where runs are stored, as in `fieldwise --root`.", show_default=False)
]
RunArgument = Annotated[
    str,
    typer.Argument(metavar="RUN", help="The run: an id or its first characters, a tag, or latest.", autocompletion=complete_runs),
]
