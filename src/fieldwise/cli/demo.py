"""`fieldwise demo`: score the suites that ship with the package."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fieldwise.cli._options import Format, FormatOption, Program, RootOption, ShowAllOption, program_of


class DemoSuite(StrEnum):
    """The suites that ship with the package."""

    invoices = "invoices"
    answers = "answers"


FILES = {
    DemoSuite.invoices: ("invoices.eval.yaml", "invoices.jsonl", "strategies.json"),
    DemoSuite.answers: ("answers.eval.yaml", "answers.jsonl"),
}
"""The suite comes first."""


def demo(
    context: typer.Context,
    which: Annotated[
        DemoSuite, typer.Argument(metavar="[invoices|answers]", help="Extracted records, or answers to questions.")
    ] = DemoSuite.invoices,
    copy: Annotated[Path | None, typer.Option("--copy", metavar="DIR", help="Copy the demo's files to this folder instead.")] = None,
    form: FormatOption = Format.rich,
    show_all: ShowAllOption = False,
    root: RootOption = None,
) -> None:
    """Score 26 invoices, or 12 answers of a RAG system, that ship with fieldwise.

    Needs no network, no API key and no files.
    """
    from importlib.resources import as_file, files

    program = program_of(context, root)
    with as_file(files("fieldwise") / "demo") as folder:
        if copy is not None:
            _copy_files(folder, FILES[which], copy)
            return
        from fieldwise.api import run as run_suite
        from fieldwise.cli._report import print_run

        run = run_suite(folder / FILES[which][0], root=program.root)
        print_run(run, form, program, show_all=show_all)
    if form in (Format.rich, Format.plain):
        evaluator = next(iter(run.full.evaluators.values()))
        # the second worst invoice explains more than the worst, whose record is missing
        case = evaluator.worst[1 if which is DemoSuite.invoices else 0]
        _print_next_steps(which, case[0], form, program)
    raise typer.Exit(run.exit_code or 0)


def _print_next_steps(which: DemoSuite, case: str, form: Format, program: Program) -> None:
    from rich.console import Group
    from rich.text import Text

    from fieldwise.cli._console import print_page

    steps = [
        (f"{program.command} explain latest {case}", "the arithmetic of one score"),
        (f"fieldwise demo {which} --copy mine", "its files, to change and run again"),
        ("fieldwise init --cases your.jsonl", "a suite for your own data"),
    ]
    if which is DemoSuite.invoices:
        steps.append(("fieldwise demo answers", "twelve answers of a RAG system"))
    else:
        steps.append(("fieldwise demo", "26 invoices"))
    width = max(len(command) for command, _ in steps) + 3
    lines = [Text.assemble(("  ", ""), (f"{command:<{width}}", "cyan"), (description, "dim")) for command, description in steps]
    print_page(Group(Text("\nTry next", "bold"), *lines), form)


def _copy_files(folder: Path, names: tuple[str, ...], target: Path) -> None:
    from fieldwise.cli._files import write_new_files

    written = write_new_files({target / name: (folder / name).read_text(encoding="utf-8") for name in names}, force=False)
    for path in written:
        typer.echo(f"wrote {path}")
    typer.echo(f"\nnext: fieldwise run {target / names[0]}")
