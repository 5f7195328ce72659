"""`fieldwise run`: score the cases of a suite."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fieldwise.cli._options import (
    FILE_NAME,
    PATH,
    DocumentedCommand,
    Format,
    NumberRange,
    WholeNumber,
    cases_option,
    format_option,
    outputs_option,
    program_of,
    root_option,
    show_all_option,
    suite_argument,
)

if TYPE_CHECKING:
    from fieldwise.engines.executors import Engine
    from fieldwise.model.plan import When

OnProgress = Callable[[int, float | None], None]
"""Called with the number of cases done and their share of all cases, if known."""


@click.command(cls=DocumentedCommand)
@suite_argument
@cases_option
@click.option(
    "--name", metavar="NAME", default="", show_default=False, help="A name for the run, shown in reports, pages and lists of runs."
)
@click.option("--limit", type=WholeNumber(min=1), help="Maximum number of cases to score.")
@click.option(
    "--filter", "filters", metavar="FILTER", multiple=True, help="Only these cases: an id or pattern, tag:NAME or split:NAME. Repeatable."
)
@click.option("--split", "splits", metavar="NAME", multiple=True, help="Only cases of this split. Repeatable.")
@click.option("--from", "pack", metavar="DIR", type=PATH, help="Report which causes shrank since the pack in this folder.")
@click.option("--gate", "gates", metavar="CONDITION", multiple=True, help="An additional gate, such as 'fields.score >= 0.9'. Repeatable.")
@click.option("--max-errors", type=WholeNumber(min=0), default=0, help="Maximum number of evaluation errors to tolerate.")
@click.option("--max-unscored", type=WholeNumber(min=0), default=0, help="Maximum number of unscored results to tolerate.")
@click.option("--baseline", metavar="BASE", type=FILE_NAME, help="Compare with a baseline file, or with an earlier run.")
@click.option("--budget-usd", type=NumberRange(min=0), help="Maximum cost of model calls, in US dollars.")
@click.option("--max-calls", type=WholeNumber(min=0), help="Maximum number of model calls.")
@click.option("--fresh", is_flag=True, help="Ignore cached model answers.")
@click.option("--resume", is_flag=True, help="Resume the last unfinished run of this suite; cases that changed are scored again.")
@click.option("--workers", type=WholeNumber(min=1), help="Number of worker processes, for JSONL and Parquet data. [default: one per core]")
@click.option("--engine", type=click.Choice(("local", "ray")), default="local", help="Where to run: on this machine, or on a Ray cluster.")
@format_option
@outputs_option("Write a report: .html .md .junit.xml .json .jsonl .csv .xlsx .parquet, eval-results.json; - is standard output.")
@show_all_option
@click.option("--watch", is_flag=True, help="Run again when the suite or one of its files changes, until Ctrl-C.")
@root_option
@click.pass_context
def run(
    context: click.Context,
    suite: Path,
    cases: str | None,
    name: str,
    limit: int | None,
    filters: tuple[str, ...],
    splits: tuple[str, ...],
    pack: Path | None,
    gates: tuple[str, ...],
    max_errors: int,
    max_unscored: int,
    baseline: str | None,
    budget_usd: float | None,
    max_calls: int | None,
    fresh: bool,
    resume: bool,
    workers: int | None,
    engine: "Engine",
    form: Format,
    outputs: tuple[str, ...],
    show_all: bool,
    watch: bool,
    root: str | None,
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
    check_outputs(outputs)
    selection = _parse_filters([*filters, *(f"split:{split}" for split in splits)]) if filters or splits else None

    def run_once() -> int:
        with _errors_in_format(form), _progress_bar() as update_bar, watch_interrupts() as check_interrupt:
            _require_field_prf(suite, cases, outputs, program.root)
            stored_run = run_suite(
                require_suite(suite),
                cases=cases,
                name=name,
                limit=limit,
                only=selection,
                since=pack,
                gates=gates,
                limits=Limits(max_errors=max_errors, max_unscored=max_unscored),
                root=program.root,
                progress=_report_progress(check_interrupt, update_bar),
                asking=Asking(budget_usd=budget_usd, max_calls=max_calls, fresh=fresh),
                baseline=baseline,
                resume=resume,
                workers=workers or count_cores(),
                engine=engine,
            )
        try:
            print_run(stored_run, form, program, show_all=show_all, to_stderr="-" in outputs)
            if pack is not None:
                print_cause_changes(stored_run, pack, form, to_stderr="-" in outputs)
        finally:  # the files are complete also where a pipe such as `| head` closed the standard output
            write_outputs(stored_run, outputs)
        return INCOMPLETE if stored_run.exit_code is None else stored_run.exit_code

    if watch:
        _watch_suite(suite, [name for name in (cases, baseline) if name], run_once)
    context.exit(run_once())


def _require_field_prf(suite: Path, cases: str | None, outputs: Sequence[str], root: str | None) -> None:
    """Raise ConfigError, before anything is scored, if `eval-results.json` is asked for and the suite has no `field_prf`."""
    from fieldwise.cli._files import require_suite
    from fieldwise.cli._report import EVAL_RESULTS, describe_missing_field_prf
    from fieldwise.model.diagnostic import ConfigError
    from fieldwise.suite_plan import compile_suite

    if not any(Path(name).name == EVAL_RESULTS for name in outputs):
        return
    plan = compile_suite(require_suite(suite), cases=cases, root=root)
    if not any(planned.type == "field_prf" for planned in plan.evaluators):
        raise ConfigError([describe_missing_field_prf(plan.file)])


def _watch_suite(suite: Path, others: list[str], run_once: Callable[[], int]) -> None:
    """Run now and after each change, until Ctrl-C. Errors are reported and do not end it."""
    from fieldwise.cli._console import error_console
    from fieldwise.cli._exits import report_error
    from fieldwise.cli._files import require_suite
    from fieldwise.cli._watch import find_watched_files, watch_files

    if "-" in others:
        raise click.BadParameter("standard input cannot be read again; name a file", param_hint="--cases")
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
    """Print the errors of a suite on standard output too: as annotations of its lines for GitHub, else as JSON."""
    from fieldwise.model.diagnostic import ConfigError

    try:
        yield
    except ConfigError as error:
        if form == "github":
            from fieldwise.report.ci_output import format_diagnostic_annotation

            for diagnostic in error.diagnostics:
                click.echo(format_diagnostic_annotation(diagnostic))
        elif form == "agent":
            from fieldwise.report.agent_output import render_agent_errors

            click.echo(render_agent_errors(error.diagnostics, 2), nl=False)
        elif form == "json":
            from fieldwise.report.json_report import render_error_json

            click.echo(render_error_json(error.diagnostics), nl=False)
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
