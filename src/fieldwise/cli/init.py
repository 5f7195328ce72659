"""`fieldwise init`: write a starter suite."""

import json
from pathlib import Path
from typing import Annotated

import typer

SCHEMA = "fieldwise.schema.json"


def init(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="The folder to write to.")] = Path(),
    cases: Annotated[Path | None, typer.Option(metavar="FILE", help="Infer the suite from these cases.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
) -> None:
    """Write a starter suite.

    Also writes a JSON Schema with which editors complete and validate the suite.
    """
    from fieldwise.cli._files import require_file, write_new_files
    from fieldwise.cli._starter import infer_suite, sample_files
    from fieldwise.plan.schema import build_suite_schema

    if cases is None:
        files = sample_files(folder)
    else:
        name, content = infer_suite(require_file(cases, "file"), folder)
        files = {folder / name: content}
    suite = next(iter(files))
    schema = folder / SCHEMA
    if force or not schema.exists():  # an existing schema is left alone and is no reason to refuse
        files[schema] = json.dumps(build_suite_schema(), indent=1, ensure_ascii=False) + "\n"
    for path in write_new_files(files, force=force):
        typer.echo(f"wrote {path}")
    typer.echo(f"\nnext: fieldwise check {suite}\n      fieldwise run {suite}")
