"""Options that say how two files pair: `--id key=doc_id --rename company=vendor`."""

from typing import Annotated

import typer

IdOption = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="EXPECTED=ACTUAL",
        help="The columns or paths that identify the rows of each side; one name if both have it. [default: found from the data]",
        show_default=False,
    ),
]
RenameOption = Annotated[
    list[str] | None,
    typer.Option("--rename", metavar="EXPECTED=ACTUAL", help="A field that has another name in the actual file. Repeatable."),
]


def parse_ids(text: str | None) -> tuple[str, str] | None:
    """Parse `--id`.

    >>> parse_ids("key=doc_id"), parse_ids("id"), parse_ids(None)
    (('key', 'doc_id'), ('id', 'id'), None)
    """
    if text is None:
        return None
    expected, equals, actual = text.partition("=")
    if not expected or (equals and not actual):
        raise typer.BadParameter("write --id EXPECTED=ACTUAL, such as --id key=doc_id", param_hint="--id")
    return expected, actual or expected


def parse_columns(texts: list[str] | None) -> dict[str, str]:
    """Parse every `--column`: role → column."""
    columns: dict[str, str] = {}
    for text in texts or ():
        role, _, column = text.partition("=")
        if not role or not column:
            raise typer.BadParameter("write --column ROLE=NAME, such as --column expected=gold_text", param_hint="--column")
        columns[role] = column
    return columns


def parse_renames(texts: list[str] | None) -> dict[str, str]:
    """Parse every `--rename`."""
    renames: dict[str, str] = {}
    for text in texts or ():
        expected, _, actual = text.partition("=")
        if not expected or not actual:
            raise typer.BadParameter("write --rename EXPECTED=ACTUAL, such as --rename company=vendor", param_hint="--rename")
        renames[expected] = actual
    return renames
