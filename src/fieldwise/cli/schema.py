"""`fieldwise schema`: the JSON Schema of what people write, or of what a run prints."""

import json
from enum import StrEnum
from typing import Annotated

import typer


class Of(StrEnum):
    """What there is a schema of."""

    suite = "suite"
    run = "run"


def schema(
    of: Annotated[Of, typer.Option("--of", help="suite: what a suite may say; run: what `run --format json` prints.")] = Of.suite,
) -> None:
    """Print a JSON Schema (2020-12)."""
    if of == Of.run:
        from fieldwise.report.json_report import run_schema as make
    else:
        from fieldwise.plan.schema import suite_schema as make
    typer.echo(json.dumps(make(), indent=2, ensure_ascii=False))
