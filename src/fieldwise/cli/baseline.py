"""`fieldwise baseline`: store a run in a file to compare later runs with."""

from datetime import datetime
from pathlib import Path

import click

from fieldwise.cli._options import PATH, CommandGroup, latest_run_argument, program_of, root_option

file_option = click.option("--file", metavar="FILE", type=PATH, help="The baseline file. [default: the suite's name with .baseline.json]")


@click.group(cls=CommandGroup)
def baseline() -> None:
    """Store a run as a baseline, in a file small enough to commit."""


@baseline.command("set")
@latest_run_argument
@file_option
@root_option
@click.pass_context
def set_baseline(context: click.Context, run: str, file: Path | None, root: str | None) -> None:
    """Make a run the baseline."""
    from fieldwise.cli._lookup import open_named_run
    from fieldwise.store.baseline import load_baseline, save_baseline

    stored = open_named_run(run, program_of(context, root).root)
    target = file or _default_file(stored.name)
    previous = load_baseline(target)["run"] if target.exists() else None
    path = save_baseline(stored, target)
    replaced = f", instead of run {previous}" if previous not in (None, stored.id) else ""
    click.echo(f"run {stored.id} is now the baseline{replaced}: {path} ({path.stat().st_size / 1000:,.0f} kB, commit it)")
    click.echo(f"next: fieldwise run SUITE --baseline {path}")


@baseline.command()
@file_option
def show(file: Path | None) -> None:
    """Show the run, date and scores of the baseline."""
    from fieldwise.store.baseline import load_baseline

    path = file or _only_baseline_file()
    content = load_baseline(path)
    finished = f"{datetime.fromisoformat(content['finished']):%Y-%m-%d %H:%M} UTC" if content.get("finished") else "at an unknown time"
    of = f" of {content['of']:,}" if content["of"] > len(content["cases"]) else ""
    click.echo(f"{path}: run {content['run']} of {content['name']}, finished {finished}, {len(content['cases']):,}{of} cases")
    scores = {name: value for name, value in content["summary"].items() if name.endswith(".score")}
    for name, value in scores.items():
        click.echo(f"  {name:<{max(map(len, scores))}}  {value:.4f}")


@baseline.command()
@file_option
def clear(file: Path | None) -> None:
    """Delete the baseline file."""
    from fieldwise.store.baseline import load_baseline

    path = file or _only_baseline_file()
    load_baseline(path)  # raises for a file that is no baseline, so that it is not deleted by mistake
    path.unlink()
    click.echo(f"deleted {path}; the run it was made from is still stored")


def _default_file(suite_name: str) -> Path:
    safe_name = "".join(char if char.isalnum() or char in "-_." else "-" for char in suite_name)
    return Path(f"{safe_name or 'fieldwise'}.baseline.json")


def _only_baseline_file() -> Path:
    """The only baseline file in the current folder; ConfigError if there is none, or more than one."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    files = sorted(Path().glob("*.baseline.json"))
    if len(files) == 1:
        return files[0]
    if files:
        what, fix = f"there are several baselines: {', '.join(map(str, files))}", "choose one with --file"
    else:
        what, fix = "there is no baseline in this folder", "make one: fieldwise baseline set"
    raise ConfigError([Diagnostic(code="no-baseline", what=what, fix=fix)])
