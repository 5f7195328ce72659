"""`fieldwise pack`: what the next iteration of a prompt or schema needs."""

from pathlib import Path
from typing import Annotated

import typer

from fieldwise.cli._options import RootOption, RunArgument, TextFormat, TextFormatOption, program_of


def pack(
    context: typer.Context,
    run: RunArgument = "latest",
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to write to.")] = Path("pack"),
    split: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only cases of this split; required where the data has splits. Repeatable.", show_default=False),
    ] = None,
    redact: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="Show the values at this path as hashes. Repeatable.", show_default=False),
    ] = None,
    evaluator: Annotated[
        str | None, typer.Option(help="The evaluator to take wrong values from. [default: the first that compares fields]")
    ] = None,
    max_cases: Annotated[int, typer.Option(min=1, help="Maximum number of cases in feedback.jsonl.")] = 500,
    form: TextFormatOption = TextFormat.rich,
    root: RootOption = None,
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
    options = PackOptions(splits=split or (), redact=redact or (), evaluator=evaluator, max_cases=max_cases)
    content = build_pack(stored_run, options)
    files = content.write_files()
    output.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        with complete_or_absent(output / name):
            (output / name).write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    if form == TextFormat.json:
        typer.echo(dump_json(pack_to_json(content, str(output), files)))
    else:
        print_page(build_pack_page(content, str(output), files), form)
