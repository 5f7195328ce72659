"""`fieldwise run`: score the cases of a suite."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fieldwise.cli._options import Format, FormatOption, RootOption, ShowAllOption, program_of

if TYPE_CHECKING:
    from fieldwise.model.plan import When

SuiteArgument = Annotated[Path, typer.Argument(metavar="SUITE", help="The YAML file of the suite.", show_default=False)]
CASES_HELP = "Cases to use instead of the suite's; - reads standard input, run:ID or run:latest the cases of an earlier run."
CasesOption = Annotated[str | None, typer.Option(metavar="FILE", help=CASES_HELP)]

OnProgress = Callable[[int, float | None], None]
"""Called with the number of cases done and their share of all cases, if known."""


class _Engine(StrEnum):
    local = "local"
    ray = "ray"


def run(
    context: typer.Context,
    suite: SuiteArgument,
    cases: CasesOption = None,
    name: Annotated[
        str, typer.Option(metavar="NAME", help="A name for the run, shown in reports, pages and lists of runs.", show_default=False)
    ] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of cases to score.")] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--filter", metavar="FILTER", help="Only these cases: an id or pattern, tag:NAME or split:NAME. Repeatable."),
    ] = None,
    split: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only cases of this split. Repeatable.", show_default=False)
    ] = None,
    pack: Annotated[
        Path | None,
        typer.Option("--from", metavar="DIR", help="Report which causes shrank since the pack in this folder.", show_default=False),
    ] = None,
    gate: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help="An additional gate, such as 'fields.score >= 0.9'. Repeatable."),
    ] = None,
    max_errors: Annotated[int, typer.Option(min=0, help="Maximum number of evaluation errors to tolerate.")] = 0,
    max_unscored: Annotated[int, typer.Option(min=0, help="Maximum number of unscored results to tolerate.")] = 0,
    baseline: Annotated[str | None, typer.Option(metavar="BASE", help="Compare with a baseline file, or with an earlier run.")] = None,
    budget_usd: Annotated[float | None, typer.Option(min=0, help="Maximum cost of model calls, in US dollars.")] = None,
    max_calls: Annotated[int | None, typer.Option(min=0, help="Maximum number of model calls.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ignore cached model answers.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume the last unfinished run of this suite; cases that changed are scored again.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Number of worker processes, for JSONL and Parquet data. [default: one per core]"),
    ] = None,
    engine: Annotated[_Engine, typer.Option(help="Where to run: on this machine, or on a Ray cluster.")] = _Engine.local,
    form: FormatOption = Format.rich,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write a report: .html .md .junit.xml .json .jsonl .csv .xlsx .parquet, eval-results.json; - is standard output.",
        ),
    ] = None,
    show_all: ShowAllOption = False,
    watch: Annotated[bool, typer.Option("--watch", help="Run again when the suite or one of its files changes, until Ctrl-C.")] = False,
    root: RootOption = None,
) -> None:
    """Score the cases of a suite and store the run."""
    from fieldwise.api import run as run_suite
    from fieldwise.cli._exits import watch_interrupts
    from fieldwise.cli._files import require_suite
    from fieldwise.cli._report import check_outputs, print_cause_changes, print_run, write_outputs
    from fieldwise.engines.executors import count_cores
    from fieldwise.model.ask import Asking
    from fieldwise.summarize.exit_code import INCOMPLETE, Limits

    program = program_of(context, root)
    outputs = output or ()
    check_outputs(outputs)
    selection = _parse_filters([*(only or ()), *(f"split:{name}" for name in split or ())]) if only or split else None

    def run_once() -> int:
        with _errors_in_format(form), _progress_bar() as update_bar, watch_interrupts() as check_interrupt:
            stored_run = run_suite(
                require_suite(suite),
                cases=cases,
                name=name,
                limit=limit,
                only=selection,
                since=pack,
                gates=gate or (),
                limits=Limits(max_errors=max_errors, max_unscored=max_unscored),
                root=program.root,
                progress=_report_progress(check_interrupt, update_bar),
                asking=Asking(budget_usd=budget_usd, max_calls=max_calls, fresh=fresh),
                baseline=baseline,
                resume=resume,
                workers=workers or count_cores(),
                engine=engine.value,
            )
        print_run(stored_run, form, program, show_all=show_all, to_stderr="-" in outputs)
        if pack is not None:
            print_cause_changes(stored_run, pack, form, to_stderr="-" in outputs)
        write_outputs(stored_run, outputs)
        return INCOMPLETE if stored_run.exit_code is None else stored_run.exit_code

    if watch:
        _watch_suite(suite, [name for name in (cases, baseline) if name], run_once)
    raise typer.Exit(run_once())


def _watch_suite(suite: Path, others: list[str], run_once: Callable[[], int]) -> None:
    """Run now and after each change, until Ctrl-C. Errors are reported and do not end it."""
    from fieldwise.cli._console import error_console
    from fieldwise.cli._exits import report_error
    from fieldwise.cli._files import require_suite
    from fieldwise.cli._watch import find_watched_files, watch_files

    if "-" in others:
        raise typer.BadParameter("standard input cannot be read again; name a file", param_hint="--cases")
    require_suite(suite)

    def run_reporting_errors() -> int:
        try:
            return run_once()
        except Exception as error:
            return report_error(error, debug=False)

    def announce(exit_code: int, files: list[Path]) -> None:
        count = f"{len(files)} file" if len(files) == 1 else f"{len(files)} files"
        error_console().print(f"exit code {exit_code}; watching {count}, Ctrl-C ends it", style="dim")

    watch_files(run_reporting_errors, lambda: find_watched_files(suite, others), announce)


def _report_progress(check_interrupt: Callable[[], None], update_bar: OnProgress | None) -> OnProgress:
    """Return a callback that updates the progress bar, if there is one, and raises KeyboardInterrupt after Ctrl-C."""

    def on_progress(done: int, share: float | None) -> None:
        check_interrupt()
        if update_bar is not None:
            update_bar(done, share)

    return on_progress


def _parse_filters(filters: Sequence[str]) -> "When":
    """Parse `--filter` values: a case passes with any of the ids, any of the tags and any of the splits."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic
    from fieldwise.model.plan import When

    names: dict[str, list[str]] = {"id": [], "tag": [], "split": []}
    for text in filters:
        kind, colon, name = text.partition(":")
        if not colon or kind not in names:  # an id may contain a colon
            kind, name = "id", text
        if not name:
            what, fix = f"the filter `{text}` is empty", "write an id, a pattern, tag:NAME or split:NAME"
            raise ConfigError([Diagnostic(code="bad-filter", what=what, fix=fix)])
        names[kind].append(name)
    return When(id=tuple(names["id"]), tag=tuple(names["tag"]), split=tuple(names["split"]))


@contextmanager
def _errors_in_format(form: Format) -> Generator[None]:
    """Print the errors of a suite on standard output too: as annotations of its lines for GitHub, as JSON for agents."""
    from fieldwise.model.diagnostic import ConfigError

    try:
        yield
    except ConfigError as error:
        if form == Format.github:
            from fieldwise.report.ci_output import format_diagnostic_annotation

            for diagnostic in error.diagnostics:
                typer.echo(format_diagnostic_annotation(diagnostic))
        elif form == Format.agent:
            from fieldwise.report.agent_output import render_agent_errors

            typer.echo(render_agent_errors(error.diagnostics, 2), nl=False)
        raise


@contextmanager
def _progress_bar() -> Generator[OnProgress | None]:
    """Show a progress bar on standard error; yield None if that is not a terminal."""
    from fieldwise.cli._console import error_console

    output = error_console()
    if not output.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.fields[done]} cases"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeRemainingColumn())
    with Progress(*columns, console=output, transient=True) as bar:
        task = bar.add_task("", total=1.0, done="0")

        def update_bar(done: int, share: float | None) -> None:
            bar.update(task, completed=share or 0.0, total=None if share is None else 1.0, done=f"{done:,}")

        yield update_bar
