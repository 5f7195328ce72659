"""`fieldwise runs`: what has been run here: listed, shown, tagged, deleted, and a metric's way through it."""

import sys
from itertools import islice
from pathlib import Path
from typing import Annotated, Optional

import typer

from fieldwise.cli._formats import Everything, TextForm, TextFormat
from fieldwise.model.roots import chosen_root

app = typer.Typer(
    rich_markup_mode=None,
    invoke_without_command=True,
    help="""List the runs stored in this folder, newest first; show, tag and delete them; see how a metric went.

    They are under .fieldwise, or where `fieldwise --root PLACE` says. Wherever a run is named, give its id, the beginning of it, a tag (the
    latest run that has it), or latest.
    """,
)
RunId = Annotated[str, typer.Argument(metavar="RUN", help="The run: an id, its beginning, a tag, or latest.")]
Tag = Annotated[Optional[str], typer.Option(metavar="NAME", help="Only runs with this tag.")]  # noqa: UP045
Suite = Annotated[Optional[str], typer.Option(metavar="NAME", help="Only runs of the suite of this name.")]  # noqa: UP045
Limit = Annotated[int, typer.Option(min=1, help="At most so many.")]


@app.callback()
def runs(context: typer.Context, tag: Tag = None, suite: Suite = None, limit: Limit = 20, form: TextForm = TextFormat.rich) -> None:
    if context.invoked_subcommand is None:
        _list(tag, suite, limit, form)
        return
    options = {"tag": "--tag", "suite": "--suite", "limit": "--limit", "form": "--format"}
    given = [option for name, option in options.items() if _was_given(context, name)]
    if given:
        raise typer.BadParameter(f"give {', '.join(given)} after `{context.invoked_subcommand}`, if it has that", param_hint=given[0])


def _was_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


@app.command("list")
def list_all(tag: Tag = None, suite: Suite = None, limit: Limit = 20, form: TextForm = TextFormat.rich) -> None:
    """List them, newest first; the same as `fieldwise runs`."""
    _list(tag, suite, limit, form)


def _list(tag: str | None, suite: str | None, limit: int, form: TextFormat) -> None:
    from fieldwise.cli._console import room, show
    from fieldwise.report.runs_view import run_line, runs_json, runs_table
    from fieldwise.store.run import listed_run
    from fieldwise.store.runs import run_ids, runs_folder
    from fieldwise.store.tags import tags_of

    named = [name for name in reversed(run_ids()) if tag is None or tag in tags_of(runs_folder(None) / name)]
    runs = (listed_run(runs_folder(None) / name) for name in named)
    found = [run for run in runs if run.name == suite] if suite is not None else list(islice(runs, limit))
    lines = [run_line(run) for run in found[:limit]]
    if form == TextFormat.json:
        typer.echo(runs_json(lines))
        return
    if not lines:
        typer.echo(_nothing(bool(run_ids()), tag, suite))
        return
    show(runs_table(lines, width=room(form).width), form)
    left = (len(named) if suite is None else len(found)) - len(lines)
    if left:
        typer.echo(f"and {left} older ones (--limit {left + len(lines)})")


def _nothing(any_run: bool, tag: str | None, suite: str | None) -> str:
    if not any_run:
        return f"there are no runs in {chosen_root()}; `fieldwise demo` makes one"
    told = " and ".join(part for part in (f"with the tag `{tag}`" if tag else "", f"of the suite `{suite}`" if suite else "") if part)
    return f"there is no run {told}; `fieldwise runs` lists all"


@app.command("show", short_help="Show what a run was, what it came to, and where it is.")
def show_run(run: RunId = "latest", form: TextForm = TextFormat.rich, everything: Everything = False) -> None:
    """Show what a run was and came to: gates, metrics, comparison with its baseline, fingerprints, where it is."""
    from fieldwise.cli._console import show
    from fieldwise.cli._lookup import found_run
    from fieldwise.cli._program import CALLED
    from fieldwise.report.run_facts import Kept, facts_json, facts_report
    from fieldwise.report.safe import json_text
    from fieldwise.store.delete import baseline_files, pinned_by, size_of

    found = found_run(run)
    kept = Kept(bytes=size_of(found.path), baselines=tuple(pinned_by(found.id, baseline_files(Path()))))
    if form == TextFormat.json:
        typer.echo(json_text(facts_json(found, kept), spaced=True))
    else:
        show(facts_report(found, kept, everything=everything, command=CALLED.get()), form)


@app.command(short_help="Give names to a run, by which it can be found.")
def tag(
    run: RunId,
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="Names to give to it, such as release-2 or nightly.")],
    remove: Annotated[bool, typer.Option("--remove", help="Take the names away instead.")] = False,
) -> None:
    """Give names to a run, by which it can be found and listed, and which keep it from being deleted."""
    from fieldwise.cli._lookup import found_run
    from fieldwise.model.diagnostic import ConfigError, Diagnostic
    from fieldwise.store.tags import add_tags, remove_tags

    found = found_run(run)
    try:
        missing = remove_tags(found.path, names) if remove else add_tags(found.path, names)
    except ValueError as error:
        raise ConfigError([Diagnostic(code="bad-tag", what=str(error))]) from error
    if missing:
        has = f"it has {', '.join(found.tags)}" if found.tags else "it has none"
        raise ConfigError([Diagnostic(code="no-tag", what=f"run {found.id} has no tag {', '.join(missing)}", fix=has)])
    typer.echo(f"run {found.id}: {', '.join(found.tags) or 'no tags'}")


@app.command()
def delete(
    which: Annotated[list[str], typer.Argument(metavar="RUN", help="The runs: ids, their beginnings, tags, or latest.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Delete runs too that a tag or a baseline keeps.")] = False,
) -> None:
    """Delete runs for good, after asking.

    A run that is being written is never deleted. One with a tag, or that a *.baseline.json of this folder was made from, is kept unless you
    say --force.
    """
    from fieldwise.cli._lookup import found_folder
    from fieldwise.store.delete import baseline_files, check_deletable, delete_runs

    found = list({run.id: run for run in map(found_folder, which)}.values())
    baselines = baseline_files(Path())
    check_deletable(found, baselines=baselines, force=force)
    if not yes:
        for run in found:
            typer.echo(f"{run.id}  {run.name or 'unnamed'}, {run.full.cases:,} cases{', tags: ' + ', '.join(run.tags) if run.tags else ''}")
        _agreed(len(found))
    freed = delete_runs(found, baselines=baselines, force=force)
    typer.echo(f"deleted {'run ' + found[0].id if len(found) == 1 else f'{len(found)} runs'}, {freed / 1e6:,.1f} MB")


def _agreed(count: int) -> None:
    """Ask; ends the command if nobody is there to answer, or the answer is no."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    if not _somebody_is_there():
        raise ConfigError([Diagnostic(code="not-agreed", what="nothing was deleted: nobody is there to agree", fix="say --yes")])
    if not typer.confirm(f"delete {'this run' if count == 1 else f'these {count} runs'} for good?"):
        typer.echo("nothing was deleted")
        raise typer.Exit(1)


def _somebody_is_there() -> bool:
    return sys.stdin.isatty()


@app.command()
def trend(
    metric: Annotated[
        str, typer.Argument(metavar="METRIC", help="The metric as gates name it, such as fields.score or field_prf.macro_f1.")
    ],
    suite: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="NAME", help="Runs of the suite of this name; if left out, of the one that measured it last."),
    ] = None,
    tag: Tag = None,
    limit: Annotated[int, typer.Option(min=1, help="The latest so many.")] = 30,
    html: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Write it as a page with a chart, in one file."),
    ] = None,
    form: TextForm = TextFormat.rich,
) -> None:
    """Show how a metric went over the runs of a suite, oldest first."""
    from fieldwise.cli._console import room, show
    from fieldwise.report.safe import json_text
    from fieldwise.report.trend import trend_of
    from fieldwise.report.trend_view import trend_report
    from fieldwise.store.run import list_runs

    chosen = [run for run in list_runs() if tag is None or tag in run.tags]
    found = trend_of(chosen, metric, suite=suite, limit=limit)
    if form == TextFormat.json:
        typer.echo(json_text(found.to_json()))
    else:
        show(trend_report(found, room(form)), form)
    if html is not None:
        from fieldwise.report.trend_html import trend_html

        latest = next(run for run in chosen if run.id == found.points[-1].run)
        html.parent.mkdir(parents=True, exist_ok=True)
        html.write_text(trend_html(found, latest.gates), encoding="utf-8")
        typer.echo(f"wrote {html}", err=True)
