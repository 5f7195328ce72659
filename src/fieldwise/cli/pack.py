"""`fieldwise pack`: what the next iteration of a prompt or schema needs."""

from pathlib import Path

import click

from fieldwise.cli._options import (
    PATH,
    DocumentedCommand,
    TextFormat,
    WholeNumber,
    latest_run_argument,
    program_of,
    root_option,
    text_format_option,
)


@click.command(cls=DocumentedCommand)
@latest_run_argument
@click.option("--output", "-o", metavar="DIR", type=PATH, default=Path("pack"), help="The folder to write to.")
@click.option(
    "--split",
    "splits",
    metavar="NAME",
    multiple=True,
    help="Only cases of this split; required where the data has splits. Repeatable.",
)
@click.option("--redact", metavar="PATH", multiple=True, help="Show the values at this path as hashes. Repeatable.")
@click.option("--evaluator", help="The evaluator to take wrong values from. [default: the first that compares fields]")
@click.option("--max-cases", type=WholeNumber(min=1), default=500, help="Maximum number of cases in feedback.jsonl.")
@text_format_option
@root_option
@click.pass_context
def pack(
    context: click.Context,
    run: str,
    output: Path,
    splits: tuple[str, ...],
    redact: tuple[str, ...],
    evaluator: str | None,
    max_cases: int,
    form: TextFormat,
    root: str | None,
) -> None:
    """Write what the next prompt or schema iteration needs: summary.md, feedback.jsonl, examples.jsonl and rules.md.

    Only cases of the named splits are included; nothing of a held-out split leaks. `run --from DIR` then reports which causes shrank.
    """
    from fieldwise.cli._console import print_page
    from fieldwise.cli._files import complete_or_absent
    from fieldwise.cli._lookup import open_measured_run
    from fieldwise.report.text_format import dump_json
    from fieldwise.study.pack import PackOptions, build_pack
    from fieldwise.study.pack_view import build_pack_page, pack_to_json

    stored_run = open_measured_run(run, program_of(context, root).root)
    options = PackOptions(splits=splits, redact=redact, evaluator=evaluator, max_cases=max_cases)
    content = build_pack(stored_run, options)
    files = content.write_files()
    output.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        with complete_or_absent(output / name):
            (output / name).write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    if form == "json":
        click.echo(dump_json(pack_to_json(content, str(output), files)))
    else:
        print_page(build_pack_page(content, str(output), files), form)
