"""Options that several commands share."""

from enum import StrEnum
from typing import Annotated

import typer


class Format(StrEnum):
    """How a report is written."""

    rich = "rich"
    plain = "plain"
    json = "json"
    github = "github"


class TextFormat(StrEnum):
    """How a page of text is written."""

    rich = "rich"
    plain = "plain"
    json = "json"


Form = Annotated[
    Format, typer.Option("--format", help="rich: with colour; plain: for logs; json: everything; github: annotations.", show_choices=True)
]
TextForm = Annotated[TextFormat, typer.Option("--format", help="rich: with colour; plain: for logs; json: for programs.")]
Everything = Annotated[bool, typer.Option("--all", help="Show everything, however long.")]
