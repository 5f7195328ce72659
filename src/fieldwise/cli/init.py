"""`fieldwise init`: a suite to start from."""

import json
from pathlib import Path
from typing import Annotated, Optional

import typer

SCHEMA = "fieldwise.schema.json"


def init(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Where to write.")] = Path(),
    cases: Annotated[Optional[Path], typer.Option(metavar="FILE", help="Infer the suite from these cases.")] = None,  # noqa: UP045
    force: Annotated[bool, typer.Option("--force", help="Overwrite what is there.")] = False,
) -> None:
    """Write a suite to start from.

    Beside it goes a JSON Schema that editors complete and check the suite by.
    """
    from fieldwise.cli._exits import needed_file
    from fieldwise.cli._starter import sample, suite_from
    from fieldwise.cli._write import write_new
    from fieldwise.plan.schema import suite_schema

    if cases is None:
        files = sample(folder)
    else:
        name, content = suite_from(needed_file(cases, "file"), folder)
        files = {folder / name: content}
    suite = next(iter(files))
    files[folder / SCHEMA] = json.dumps(suite_schema(), indent=1, ensure_ascii=False) + "\n"
    keep = {path: text for path, text in files.items() if not (path.name == SCHEMA and path.exists())}  # a schema is nobody's work
    for path in write_new(files if force else keep, force=force):
        typer.echo(f"wrote {path}")
    typer.echo(f"\nnext: fieldwise check {suite}\n      fieldwise run {suite}")
