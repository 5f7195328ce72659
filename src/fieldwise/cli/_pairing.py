"""Options that say how two files pair: `--id key=doc_id --rename company=vendor`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from fieldwise.model.plan import IdColumns
    from fieldwise.read.pairing import IdsOfRows

id_option = click.option(
    "--id",
    metavar="EXPECTED=ACTUAL",
    help="The columns or paths that identify the rows of each side; one name if both have it; `doc,line` if several do so together. "
    "[default: found from the data]",
)
rename_option = click.option(
    "--rename",
    "renames",
    metavar="EXPECTED=ACTUAL",
    multiple=True,
    help="A field that has another name in the actual file. Repeatable.",
)


def parse_ids(text: str | None) -> "IdsOfRows | None":
    """Parse `--id`.

    >>> parse_ids("key=doc_id"), parse_ids("id"), parse_ids("doc,line"), parse_ids(None)
    (('key', 'doc_id'), ('id', 'id'), (('doc', 'line'), ('doc', 'line')), None)
    """
    if text is None:
        return None
    expected, equals, actual = text.partition("=")
    columns = [side.split(",") for side in (expected, actual if equals else expected)]
    if not all(all(names) for names in columns) or len(columns[0]) != len(columns[1]):
        raise click.BadParameter("write --id EXPECTED=ACTUAL, such as --id key=doc_id or --id doc,line=doc_id,row", param_hint="--id")
    expected_id, actual_id = (names[0] if len(names) == 1 else tuple(names) for names in columns)
    return expected_id, actual_id


def parse_columns(texts: Sequence[str]) -> "dict[str, IdColumns]":
    """Parse every `--column`: role → column; an id may be several, `id=doc,line`."""
    columns: dict[str, IdColumns] = {}
    for text in texts:
        role, _, column = text.partition("=")
        if not role or not column:
            raise click.BadParameter("write --column ROLE=NAME, such as --column expected=gold_text", param_hint="--column")
        names = tuple(column.split(",")) if role == "id" else (column,)
        if not all(names):
            raise click.BadParameter("write --column id=NAME, or several columns: --column id=doc,line", param_hint="--column")
        columns[role] = names if len(names) > 1 else column
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
