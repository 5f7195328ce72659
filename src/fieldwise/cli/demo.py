"""`fieldwise demo`: the embedded suite, scored here and now."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fieldwise.cli._formats import Everything, Form, Format


class Which(StrEnum):
    """What there is to score."""

    invoices = "invoices"
    answers = "answers"


FILES = {
    Which.invoices: ("invoices.eval.yaml", "invoices.jsonl", "strategies.json"),
    Which.answers: ("answers.eval.yaml", "answers.jsonl"),
}
"""The suite comes first."""


def demo(
    which: Annotated[
        Which, typer.Argument(metavar="[invoices|answers]", help="Extracted records, or answers to questions.")
    ] = Which.invoices,
    copy: Annotated[Path | None, typer.Option("--copy", metavar="DIR", help="Put the demo's files there to play with, and stop.")] = None,
    form: Form = Format.rich,
    everything: Everything = False,
) -> None:
    """Score 26 invoices, or 12 answers of a RAG system, that come with fieldwise.

    Needs no network, no key and no file of yours.
    """
    from importlib.resources import as_file, files

    with as_file(files("fieldwise") / "demo") as folder:
        if copy is not None:
            _copy(folder, FILES[which], copy)
            return
        from fieldwise.api import run as score
        from fieldwise.cli._report import print_run

        run = score(folder / FILES[which][0])
        print_run(run, form, everything=everything)
    if form in (Format.rich, Format.plain):
        first = next(iter(run.full.evaluators.values()))
        _next_steps(which, first.worst[which is Which.invoices][0], form)
    raise typer.Exit(run.exit_code or 0)


def _next_steps(which: Which, case: str, form: Format) -> None:
    from rich.console import Group
    from rich.text import Text

    from fieldwise.cli._console import show
    from fieldwise.cli._program import CALLED

    steps = (
        (f"{CALLED.get()} explain latest {case}", "the arithmetic of one score"),
        (f"fieldwise demo {which} --copy mine", "its files, to change and run again"),
        ("fieldwise init --cases your.jsonl", "a suite for data of your own"),
        ("fieldwise demo answers", "twelve answers of a RAG system") if which is Which.invoices else ("fieldwise demo", "26 invoices"),
    )
    width = max(len(command) for command, _ in steps) + 3
    lines = [Text.assemble(("  ", ""), (f"{command:<{width}}", "cyan"), (told, "dim")) for command, told in steps]
    show(Group(Text("\nTry next", "bold"), *lines), form)


def _copy(folder: Path, names: tuple[str, ...], target: Path) -> None:
    from fieldwise.cli._write import write_new

    written = write_new({target / name: (folder / name).read_text(encoding="utf-8") for name in names}, force=False)
    for path in written:
        typer.echo(f"wrote {path}")
    typer.echo(f"\nnext: fieldwise run {target / names[0]}")
