"""`fieldwise run`: a suite applied to its cases."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from fieldwise.cli._formats import Everything, Form, Format

if TYPE_CHECKING:
    from fieldwise.model.plan import When

Suite = Annotated[Path, typer.Argument(metavar="SUITE", help="The suite's YAML file.", show_default=False)]
CASES = "Cases to use instead of the suite's; - is standard input, run:ID or run:latest those of an earlier run, as they were."
Cases = Annotated[Optional[str], typer.Option(metavar="FILE", help=CASES)]  # noqa: UP045

Tell = Callable[[int, float | None], None]
"""Told how many cases are done, and which share of all that is."""


class _Engine(StrEnum):
    local = "local"
    ray = "ray"


def run(  # noqa: PLR0917 - the options of the command are its parameters
    suite: Suite,
    cases: Cases = None,
    limit: Annotated[Optional[int], typer.Option(min=1, help="Score so many cases and no more.")] = None,  # noqa: UP045
    only: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--filter", metavar="WHICH", help="Only these cases: an id or pattern, tag:NAME or split:NAME. May be given again."),
    ] = None,
    gate: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(metavar="CONDITION", help="A further gate, such as 'fields.score >= 0.9'. May be given again."),
    ] = None,
    max_errors: Annotated[int, typer.Option(min=0, help="So many faults of the measurement are accepted.")] = 0,
    max_unscored: Annotated[int, typer.Option(min=0, help="So many results that nothing could measure are accepted.")] = 0,
    baseline: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="BASE", help="Compare with a baseline file, or with an earlier run by its id."),
    ] = None,
    budget_usd: Annotated[Optional[float], typer.Option(min=0, help="What judges may spend, in dollars.")] = None,  # noqa: UP045
    max_calls: Annotated[Optional[int], typer.Option(min=0, help="How often judges may ask a model.")] = None,  # noqa: UP045
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask models again, whatever they have answered before.")] = False,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with the last run of this suite that did not finish; what changed since is scored again."),
    ] = False,
    workers: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, help="So many processes share the work, where the data is JSONL or Parquet. [default: one for each core]"),
    ] = None,
    engine: Annotated[_Engine, typer.Option(help="Where the work is done: on this machine, or on a Ray cluster.")] = _Engine.local,
    form: Form = Format.rich,
    output: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            metavar="FILE",
            help="Write a report: .html .md .junit.xml .json .jsonl .csv .xlsx .parquet, eval-results.json; - is standard output.",
        ),
    ] = None,
    everything: Everything = False,
) -> None:
    """Score the cases of a suite and store the run."""
    from fieldwise.api import run as score
    from fieldwise.cli._exits import needed_file
    from fieldwise.cli._interrupt import remembered
    from fieldwise.cli._report import check_outputs, print_run, write_outputs
    from fieldwise.engines.choose import cores
    from fieldwise.model.ask import Asking
    from fieldwise.summarize.exit_code import INCOMPLETE, Limits

    check_outputs(output or ())
    limits = Limits(max_errors=max_errors, max_unscored=max_unscored)
    chosen = _when(only) if only else None
    with _annotated(form), _progress() as progress, remembered() as check:
        found = score(
            needed_file(suite, "suite"),
            cases=cases,
            limit=limit,
            only=chosen,
            gates=gate or (),
            limits=limits,
            progress=_checking(check, progress),
            asking=Asking(budget_usd=budget_usd, max_calls=max_calls, fresh=fresh),
            baseline=baseline,
            resume=resume,
            workers=workers or cores(),
            engine=engine.value,
        )
    print_run(found, form, everything=everything, aside="-" in (output or ()))
    write_outputs(found, output or ())
    raise typer.Exit(INCOMPLETE if found.exit_code is None else found.exit_code)


def _checking(check: Callable[[], None], progress: Tell | None) -> Tell:
    """Tell how far the work has come, if somebody looks, and stop it if somebody wants that."""

    def tell(done: int, share: float | None) -> None:
        check()
        if progress is not None:
            progress(done, share)

    return tell


def _when(filters: Sequence[str]) -> "When":
    """Which cases are wanted: any of the ids, any of the tags and any of the splits that are named."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic
    from fieldwise.model.plan import When

    named: dict[str, list[str]] = {"id": [], "tag": [], "split": []}
    for each in filters:
        kind, mark, name = each.partition(":")
        kind, name = (kind, name) if mark and kind in ("tag", "split", "id") else ("id", each)
        if not name:
            what, fix = f"the filter `{each}` names nothing", "write an id, a pattern, tag:NAME or split:NAME"
            raise ConfigError([Diagnostic(code="bad-filter", what=what, fix=fix)])
        named[kind].append(name)
    return When(id=tuple(named["id"]), tag=tuple(named["tag"]), split=tuple(named["split"]))


@contextmanager
def _annotated(form: Format) -> Generator[None]:
    """For GitHub, what is wrong with a suite stands beside its lines too."""
    from fieldwise.model.diagnostic import ConfigError

    try:
        yield
    except ConfigError as error:
        if form == Format.github:
            from fieldwise.report.github import diagnostic_annotation

            for diagnostic in error.diagnostics:
                typer.echo(diagnostic_annotation(diagnostic))
        raise


@contextmanager
def _progress() -> Generator[Tell | None]:
    """A bar on standard error while the work goes on, if somebody is looking."""
    from fieldwise.cli._console import error_console

    output = error_console()
    if not output.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.fields[done]} cases"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeRemainingColumn())
    with Progress(*columns, console=output, transient=True) as bar:
        task = bar.add_task("", total=1.0, done="0")

        def tell(done: int, share: float | None) -> None:
            bar.update(task, completed=share or 0.0, total=None if share is None else 1.0, done=f"{done:,}")

        yield tell
