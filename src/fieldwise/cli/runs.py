"""`fieldwise runs`: list, show, tag and delete stored runs; plot a metric over time."""

import sys
from itertools import islice
from pathlib import Path

import click
from click.core import ParameterSource

from fieldwise.cli._completion import complete_runs, complete_tags
from fieldwise.cli._options import (
    PATH,
    CommandGroup,
    Program,
    TextFormat,
    WholeNumber,
    argument,
    latest_run_argument,
    outputs_option,
    program_of,
    root_option,
    run_argument,
    show_all_option,
    text_format_option,
)

tag_option = click.option("--tag", metavar="NAME", help="Only runs with this tag.", shell_complete=complete_tags)
suite_option = click.option("--suite", metavar="NAME", help="Only runs of the suite with this name.")
limit_option = click.option("--limit", type=WholeNumber(min=1), default=20, help="Maximum number of runs.")


@click.group(cls=CommandGroup, invoke_without_command=True)
@tag_option
@suite_option
@limit_option
@text_format_option
@root_option
@click.pass_context
def runs(context: click.Context, tag: str | None, suite: str | None, limit: int, form: TextFormat, root: str | None) -> None:
    """List the stored runs, newest first; show, tag and delete them; show the history of a metric.

    Runs are stored in .fieldwise, or in the location given by `fieldwise --root LOCATION`. A run is named by its id or the first characters
    of it, by a tag or the name of `run --name` (the latest run that has it), or by `latest`.
    """
    context.obj = program_of(context, root)
    if context.invoked_subcommand is None:
        _print_runs(context.obj, tag, suite, limit, form)
        return
    options = {"tag": "--tag", "suite": "--suite", "limit": "--limit", "form": "--format"}
    misplaced = [option for name, option in options.items() if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if misplaced:
        message = f"write {', '.join(misplaced)} after `{context.invoked_subcommand}`, if it has that option"
        raise click.BadParameter(message, param_hint=misplaced[0])


@runs.command("list")
@tag_option
@suite_option
@limit_option
@text_format_option
@root_option
@click.pass_context
def list_all(context: click.Context, tag: str | None, suite: str | None, limit: int, form: TextFormat, root: str | None) -> None:
    """List the runs, newest first; the same as `fieldwise runs`."""
    _print_runs(program_of(context, root), tag, suite, limit, form)


def _print_runs(program: Program, tag: str | None, suite: str | None, limit: int, form: TextFormat) -> None:
    from fieldwise.cli._console import display_options, print_page
    from fieldwise.report.stored_runs_view import build_runs_table, make_run_line, render_runs_json
    from fieldwise.store.run import open_listed_run
    from fieldwise.store.run_names import list_run_ids, read_tags, runs_folder

    folder = runs_folder(program.root)
    ids = [id for id in reversed(list_run_ids(program.root)) if tag is None or tag in read_tags(folder / id)]
    opened = (open_listed_run(folder / id) for id in ids)  # lazy: opening a run reads its manifest
    selected = list(islice(opened, limit)) if suite is None else [run for run in opened if run.name == suite]
    lines = [make_run_line(run) for run in selected[:limit]]
    if form == "json":
        click.echo(render_runs_json(lines))
        return
    if not lines:
        click.echo(_no_runs_message(program, tag, suite))
        return
    print_page(build_runs_table(lines, width=display_options(form, program).width), form)
    total = len(ids) if suite is None else len(selected)
    if total > len(lines):
        click.echo(f"and {total - len(lines)} older ones (--limit {total})")


def _no_runs_message(program: Program, tag: str | None, suite: str | None) -> str:
    from fieldwise.cli._lookup import NO_RUNS_FIX
    from fieldwise.store.run_names import describe_location, list_run_ids, runs_folder

    if not list_run_ids(program.root):
        return f"there are no runs in {describe_location(runs_folder(program.root))}\n  {NO_RUNS_FIX}"
    filters: list[str] = []
    if tag:
        filters.append(f"with the tag `{tag}`")
    if suite:
        filters.append(f"of the suite `{suite}`")
    return f"there is no run {' and '.join(filters)}; `fieldwise runs` lists all"


@runs.command("show", short_help="Show the configuration, results and location of a run.")
@latest_run_argument
@text_format_option
@show_all_option
@root_option
@click.pass_context
def show_run(context: click.Context, run: str, form: TextFormat, show_all: bool, root: str | None) -> None:
    """Show a run: gates, metrics, comparison with its baseline, fingerprints and location."""
    from fieldwise.cli._console import print_page
    from fieldwise.cli._lookup import open_named_run
    from fieldwise.report.stored_runs_view import StorageFacts, build_run_details, run_details_to_json
    from fieldwise.report.text_format import dump_json
    from fieldwise.store.delete import baseline_files, find_baselines_of, folder_size
    from fieldwise.store.part_reader import verify_parts

    program = program_of(context, root)
    stored_run = open_named_run(run, program.root)
    verify_parts(stored_run.path, stored_run.parts)
    storage = StorageFacts(bytes=folder_size(stored_run.path), baselines=tuple(find_baselines_of(stored_run.id, baseline_files(Path()))))
    if form == "json":
        click.echo(dump_json(run_details_to_json(stored_run, storage), spaced=True))
    else:
        print_page(build_run_details(stored_run, storage, everything=show_all, command=program.command), form)


@runs.command(short_help="Add tags to a run.")
@run_argument
@argument("names", metavar="NAME...", nargs=-1, required=True, help="Tags to add, such as release-2 or nightly.")
@click.option("--remove", is_flag=True, help="Remove these tags instead.")
@root_option
@click.pass_context
def tag(context: click.Context, run: str, names: tuple[str, ...], remove: bool, root: str | None) -> None:
    """Add tags to a run. A tag names the run in other commands and protects it from deletion."""
    from fieldwise.cli._lookup import open_named_run
    from fieldwise.model.diagnostic import ConfigError, Diagnostic
    from fieldwise.store.run_names import add_tags, remove_tags

    stored_run = open_named_run(run, program_of(context, root).root)
    try:
        missing = remove_tags(stored_run.path, names) if remove else add_tags(stored_run.path, names)
    except ValueError as error:
        raise ConfigError([Diagnostic(code="bad-tag", what=str(error))]) from error
    if missing:
        fix = f"it has {', '.join(stored_run.tags)}" if stored_run.tags else "it has none"
        raise ConfigError([Diagnostic(code="no-tag", what=f"run {stored_run.id} has no tag {', '.join(missing)}", fix=fix)])
    click.echo(f"run {stored_run.id}: {', '.join(stored_run.tags) or 'no tags'}")


@runs.command()
@argument(
    "names",
    metavar="RUN...",
    nargs=-1,
    required=True,
    help="The runs: ids or their first characters, tags, names of `run --name`, or latest.",
    shell_complete=complete_runs,
)
@click.option("--yes", "-y", is_flag=True, help="Do not ask for confirmation.")
@click.option("--force", is_flag=True, help="Also delete runs that are tagged or used by a baseline.")
@root_option
@click.pass_context
def delete(context: click.Context, names: tuple[str, ...], yes: bool, force: bool, root: str | None) -> None:
    """Delete runs permanently, after confirmation.

    A run that is being written is never deleted. A run with a tag, or one that a *.baseline.json in this folder was made from, is deleted
    only with --force.
    """
    from fieldwise.cli._lookup import open_named_run_header
    from fieldwise.store.delete import baseline_files, check_deletable, delete_runs

    root = program_of(context, root).root
    opened = [open_named_run_header(name, root) for name in names]
    doomed = list({run.id: run for run in opened}.values())
    baselines = baseline_files(Path())
    check_deletable(doomed, baselines=baselines, force=force)
    if not yes:
        for run in doomed:
            tags = f", tags: {', '.join(run.tags)}" if run.tags else ""
            click.echo(f"{run.id}  {run.name or 'unnamed'}, {run.full.cases:,} cases{tags}")
        _confirm_deletion(len(doomed))
    freed = delete_runs(doomed, baselines=baselines, force=force)
    click.echo(f"deleted {'run ' + doomed[0].id if len(doomed) == 1 else f'{len(doomed)} runs'}, {freed / 1e6:,.1f} MB")


def _confirm_deletion(count: int) -> None:
    """Ask for confirmation; exit 1 if the answer is no, ConfigError if standard input is not a terminal."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    if not _stdin_is_terminal():
        what = "nothing was deleted: confirmation needs a terminal"
        raise ConfigError([Diagnostic(code="not-agreed", what=what, fix="confirm with --yes")])
    if not click.confirm(f"delete {'this run' if count == 1 else f'these {count} runs'} permanently?"):
        click.echo("nothing was deleted")
        raise click.exceptions.Exit(1)


def _stdin_is_terminal() -> bool:
    return sys.stdin.isatty()


@runs.command()
@argument("metric", help="The metric as gates name it, such as fields.score or field_prf.macro_f1.")
@click.option("--suite", metavar="NAME", help="Only runs of the suite with this name. [default: the suite that measured it last]")
@tag_option
@click.option("--limit", type=WholeNumber(min=1), default=30, help="Maximum number of runs, newest first.")
@outputs_option("Write a page: .html with a chart, or .json. Repeatable.")
@click.option("--html", metavar="FILE", type=PATH, help="The same as `-o` with a page, whatever the name of FILE.")
@text_format_option
@root_option
@click.pass_context
def trend(
    context: click.Context,
    metric: str,
    suite: str | None,
    tag: str | None,
    limit: int,
    outputs: tuple[str, ...],
    html: Path | None,
    form: TextFormat,
    root: str | None,
) -> None:
    """Show the history of a metric over the runs of a suite, oldest first."""
    from fieldwise.cli._console import display_options, print_page
    from fieldwise.cli._files import check_suffixes, write_report
    from fieldwise.report.text_format import dump_json
    from fieldwise.report.trend import build_trend, build_trend_report, render_trend_html
    from fieldwise.store.run import list_runs

    program = program_of(context, root)
    check_suffixes(outputs, (".html", ".json"))
    candidates = [run for run in list_runs(program.root) if tag is None or tag in run.tags]
    history = build_trend(candidates, metric, suite=suite, limit=limit)
    if form == "json":
        click.echo(dump_json(history.to_json()))
    else:
        print_page(build_trend_report(history, display_options(form, program)), form)
    latest = next(run for run in candidates if run.id == history.points[-1].run)
    for name in outputs:
        is_page = Path(name).suffix.lower() == ".html"
        write_report(name, render_trend_html(history, latest.gates) if is_page else dump_json(history.to_json(), spaced=True) + "\n")
    if html is not None:
        write_report(str(html), render_trend_html(history, latest.gates))
