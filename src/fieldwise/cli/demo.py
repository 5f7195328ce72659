"""`fieldwise demo`: the embedded suite, scored here and now."""

from pathlib import Path
from typing import Annotated

import typer

from fieldwise.cli._formats import Everything, Form, Format

FILES = ("invoices.eval.yaml", "invoices.jsonl", "strategies.json")


def demo(
    copy: Annotated[Path | None, typer.Option("--copy", metavar="DIR", help="Put the demo's files there to play with, and stop.")] = None,
    form: Form = Format.rich,
    everything: Everything = False,
) -> None:
    """Score 26 invoices that come with fieldwise.

    Needs no network, no key and no file of yours.
    """
    from importlib.resources import as_file, files

    with as_file(files("fieldwise") / "demo") as folder:
        if copy is not None:
            _copy(folder, copy)
            return
        from fieldwise.api import run as score
        from fieldwise.cli._report import print_run

        run = score(folder / FILES[0])
        print_run(run, form, everything=everything)
    if form in (Format.rich, Format.plain):
        _next_steps(run.full.evaluators["fields"].worst[1][0], form)
    raise typer.Exit(run.exit_code or 0)


def _next_steps(case: str, form: Format) -> None:
    from rich.console import Group
    from rich.text import Text

    from fieldwise.cli._console import show

    steps = (
        (f"fieldwise explain latest {case}", "the arithmetic of one score"),
        ("fieldwise demo --copy invoices", "the suite and its data, to change and run again"),
        ("fieldwise init --cases your.jsonl", "a suite for data of your own"),
    )
    lines = [Text.assemble(("  ", ""), (f"{command:<42}", "cyan"), (told, "dim")) for command, told in steps]
    show(Group(Text("\nTry next", "bold"), *lines), form)


def _copy(folder: Path, target: Path) -> None:
    from fieldwise.cli._write import write_new

    written = write_new({target / name: (folder / name).read_text(encoding="utf-8") for name in FILES}, force=False)
    for path in written:
        typer.echo(f"wrote {path}")
    typer.echo(f"\nnext: fieldwise run {target / FILES[0]}")
