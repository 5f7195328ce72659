"""`fieldwise schema`: print a JSON Schema."""

import json
from enum import StrEnum
from typing import Annotated

import typer


class SchemaSubject(StrEnum):
    """Documents that have a schema."""

    suite = "suite"
    run = "run"


def schema(
    of: Annotated[
        SchemaSubject, typer.Option("--of", help="suite: a suite file; run: the output of `run --format json`.")
    ] = SchemaSubject.suite,
) -> None:
    """Print a JSON Schema (2020-12)."""
    if of == SchemaSubject.run:
        from fieldwise.report.json_report import build_run_schema as make_schema
    else:
        from fieldwise.plan.schema import build_suite_schema as make_schema
    typer.echo(json.dumps(make_schema(), indent=2, ensure_ascii=False))
