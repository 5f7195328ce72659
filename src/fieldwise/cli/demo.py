"""`fieldwise demo`: score the suites that ship with the package."""

import shlex
from pathlib import Path
from typing import Literal, get_args

import click

from fieldwise.cli._options import (
    PATH,
    DocumentedCommand,
    Format,
    Program,
    argument,
    format_option,
    program_of,
    root_option,
    show_all_option,
)

DemoSuite = Literal["invoices", "answers", "review"]
"""The suites that ship with the package."""
REVIEW_SYSTEMS = ("alpha", "beta", "gamma")
REVIEW_SUITES = tuple(f"{name}.eval.yaml" for name in REVIEW_SYSTEMS)
REVIEW_DATA = (*(f"{name}.jsonl" for name in REVIEW_SYSTEMS), "corrections.jsonl")
REVIEW_FOLDER = Path("review-demo")
FILES: dict[DemoSuite, tuple[str, ...]] = {
    "invoices": ("invoices.eval.yaml", "invoices.jsonl", "strategies.json"),
    "answers": ("answers.eval.yaml", "answers.jsonl"),
    "review": tuple(f"review/{name}" for name in (*REVIEW_SUITES, *REVIEW_DATA)),
}
"""The suite comes first."""
MIN_DESCRIPTION_WIDTH = 30
"""Room beside the longest command that a description needs."""


@click.command(cls=DocumentedCommand)
@argument(
    "which",
    metavar="[invoices|answers|review]",
    type=click.Choice(get_args(DemoSuite)),
    default="invoices",
    help="Extracted records, answers to questions, or wrong labels.",
)
@click.option("--copy", metavar="DIR", type=PATH, help="Copy the demo's files to this folder instead.")
@format_option
@show_all_option
@root_option
@click.pass_context
def demo(context: click.Context, which: DemoSuite, copy: Path | None, form: Format, show_all: bool, root: str | None) -> None:
    """Score 26 invoices, or 12 answers of a RAG system, that ship with fieldwise.

    Needs no network, no API key and no files. `demo review` copies 40 receipts, read by three systems, to the folder `review-demo`, because
    corrections are written beside the data, and shows the expected values that the systems contradict.
    """
    from importlib.resources import as_file, files

    program = program_of(context, root)
    with as_file(files("fieldwise") / "demo") as folder:
        if copy is not None:
            _copy_files(folder, FILES[which], copy)
            return
        if which == "review":
            _show_review(folder, form, program, show_all)
            return
        from fieldwise.api import run as run_suite
        from fieldwise.cli._report import print_run

        run = run_suite(folder / FILES[which][0], root=program.root)
        print_run(run, form, program, show_all=show_all)
    if form in ("rich", "plain"):
        evaluator = next(iter(run.full.evaluators.values()))
        # the second worst invoice explains more than the worst, whose record is missing
        case = evaluator.worst[1 if which == "invoices" else 0]
        _print_next_steps(which, case[0], form, program)
    context.exit(run.exit_code or 0)


def _print_next_steps(which: DemoSuite, case: str, form: Format, program: Program) -> None:
    steps = [
        (f"{program.command} explain latest {shlex.quote(case)}", "how one score was calculated"),
        (f"fieldwise demo {which} --copy mine", "copy its files, to edit and run"),
        ("fieldwise init --cases your.jsonl", "write a suite for your own data"),
    ]
    if which == "invoices":
        steps.append(("fieldwise demo answers", "score twelve answers of a RAG system"))
        steps.append(("fieldwise demo review", "find five wrong expected values in 40 receipts"))
    else:
        steps.append(("fieldwise demo", "score 26 invoices"))
    _print_steps(steps, form)


def _print_steps(steps: list[tuple[str, str]], form: Format) -> None:
    """Print commands with what they do: beside them, or below them where the window is too narrow for both."""
    from rich.console import Group
    from rich.text import Text

    from fieldwise.cli._console import make_console, print_page
    from fieldwise.report.terminal_layout import COMMAND, DIM, TITLE, WRAPPED, build_command_line, indent, make_grid, styled_text

    title = Text("Try next", TITLE)
    longest = max(len(command) for command, _ in steps)
    if make_console(form).width < longest + MIN_DESCRIPTION_WIDTH:
        lines: list[Text] = []
        for command, description in steps:
            lines += [build_command_line("  ", command), styled_text((f"    {description}", DIM))]
        print_page(Group(Text(), title, *lines), form)
        return
    table = make_grid({}, WRAPPED)
    for command, description in steps:
        table.add_row(styled_text((f"{command} ", COMMAND)), styled_text((description, DIM)))
    print_page(Group(Text(), title, indent(table)), form)


def _copy_files(folder: Path, names: tuple[str, ...], target: Path) -> None:
    from fieldwise.cli._files import write_new_files

    copies = {target / Path(name).name: (folder / name).read_text(encoding="utf-8") for name in names}
    for path in write_new_files(copies, force=False):
        click.echo(f"wrote {path}")
    click.echo(f"\nnext: fieldwise run {target / Path(names[0]).name}")


def _show_review(folder: Path, form: Format, program: Program, show_all: bool) -> None:
    """Run the three systems of the review demo and show which expected values they doubt."""
    from fieldwise.api import run as run_suite
    from fieldwise.cli._console import display_options, error_console, print_page
    from fieldwise.report.doubt_view import build_doubt_report
    from fieldwise.report.text_format import dump_json
    from fieldwise.study.doubts import store_agreement, study_doubts

    if REVIEW_FOLDER.exists():
        error_console().print(f"{REVIEW_FOLDER} is there already, so its files and corrections are used", style="dim")
    else:
        REVIEW_FOLDER.mkdir()
        for name in FILES["review"]:
            (REVIEW_FOLDER / Path(name).name).write_bytes((folder / name).read_bytes())
    runs = [
        run_suite(REVIEW_FOLDER / suite, name=name, root=program.root) for name, suite in zip(REVIEW_SYSTEMS, REVIEW_SUITES, strict=True)
    ]
    report = study_doubts(runs)
    store_agreement(runs, report)
    if form == "json":
        click.echo(dump_json(report.to_json()))
        return
    print_page(build_doubt_report(report, display_options(form, program, show_all=show_all), proposes_next=False), form)
    first = runs[0]
    corrections = first.manifest.corrections
    score = f"{first.summary['fields.score']:.4f}" + (
        f", with {corrections.applied} corrections" if corrections and corrections.applied else ""
    )
    steps = [
        (f"{program.command} review {first.id} --source doubts", "decide about each of them, by single keys"),
        (f"{program.command} view", "the same in the browser, page Review"),
        (f"{program.command} run {REVIEW_FOLDER / REVIEW_SUITES[0]}", f"the score after your corrections (alpha now: {score})"),
    ]
    _print_steps(steps, form)
