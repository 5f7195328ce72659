"""`fieldwise schema`: print a JSON Schema."""

import json

import click


@click.command
@click.option(
    "--of",
    type=click.Choice(("suite", "run")),
    default="suite",
    help="suite: a suite file; run: the output of `run --format json`.",
)
def schema(of: str) -> None:
    """Print a JSON Schema (2020-12)."""
    if of == "run":
        from fieldwise.report.json_report import build_run_schema as make_schema
    else:
        from fieldwise.plan.schema import build_suite_schema as make_schema
    click.echo(json.dumps(make_schema(), indent=2, ensure_ascii=False))
