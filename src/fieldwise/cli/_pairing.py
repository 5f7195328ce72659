"""Options that say how two files pair: `--id key=doc_id --rename company=vendor`."""

from collections.abc import Sequence

import click

id_option = click.option(
    "--id",
    metavar="EXPECTED=ACTUAL",
    help="The columns or paths that identify the rows of each side; one name if both have it. [default: found from the data]",
)
rename_option = click.option(
    "--rename",
    "renames",
    metavar="EXPECTED=ACTUAL",
    multiple=True,
    help="A field that has another name in the actual file. Repeatable.",
)


def parse_ids(text: str | None) -> tuple[str, str] | None:
    """Parse `--id`.

    >>> parse_ids("key=doc_id"), parse_ids("id"), parse_ids(None)
    (('key', 'doc_id'), ('id', 'id'), None)
    """
    if text is None:
        return None
    expected, equals, actual = text.partition("=")
    if not expected or (equals and not actual):
        raise click.BadParameter("write --id EXPECTED=ACTUAL, such as --id key=doc_id", param_hint="--id")
    return expected, actual or expected


def parse_columns(texts: Sequence[str]) -> dict[str, str]:
    """Parse every `--column`: role → column."""
    columns: dict[str, str] = {}
    for text in texts:
        role, _, column = text.partition("=")
        if not role or not column:
            raise click.BadParameter("write --column ROLE=NAME, such as --column expected=gold_text", param_hint="--column")
        columns[role] = column
    return columns


def parse_renames(texts: Sequence[str]) -> dict[str, str]:
    """Parse every `--rename`."""
    renames: dict[str, str] = {}
    for text in texts:
        expected, _, actual = text.partition("=")
        if not expected or not actual:
            raise click.BadParameter("write --rename EXPECTED=ACTUAL, such as --rename company=vendor", param_hint="--rename")
        renames[expected] = actual
    return renames
