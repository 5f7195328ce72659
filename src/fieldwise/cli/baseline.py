"""`fieldwise baseline`: a run kept in a file, for later runs to be compared with."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Optional

import typer

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Keep a run as a baseline, in a file small enough to commit.")
File = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(
        "--file", metavar="FILE", help="The baseline's file; the suite's name with .baseline.json if left out.", show_default=False
    ),
]
RunId = Annotated[str, typer.Argument(metavar="RUN", help="The run: an id, its beginning, a tag, or latest.")]


@app.command("set")
def set_baseline(run: RunId = "latest", file: File = None) -> None:
    """Make a run the baseline."""
    from fieldwise.cli._lookup import found_run
    from fieldwise.store.baseline import load_baseline, save_baseline

    found = found_run(run)
    target = file or _default(found.name)
    before = load_baseline(target)["run"] if target.exists() else None
    path = save_baseline(found, target)
    instead = f", instead of run {before}" if before not in (None, found.id) else ""
    typer.echo(f"run {found.id} is the baseline now{instead}: {path} ({path.stat().st_size / 1000:,.0f} kB, commit it)")
    typer.echo(f"next: fieldwise run SUITE --baseline {path}")


@app.command()
def show(file: File = None) -> None:
    """Show what the baseline is."""
    from fieldwise.store.baseline import load_baseline

    path = file or _only()
    content = load_baseline(path)
    finished = f"{datetime.fromisoformat(content['finished']):%Y-%m-%d %H:%M} UTC" if content.get("finished") else "at an unknown time"
    of = f" of {content['of']:,}" if content["of"] > len(content["cases"]) else ""
    typer.echo(f"{path}: run {content['run']} of {content['name']}, finished {finished}, {len(content['cases']):,}{of} cases")
    scores = {name: value for name, value in content["summary"].items() if name.endswith(".score")}
    for name, value in scores.items():
        typer.echo(f"  {name:<{max(map(len, scores))}}  {value:.4f}")


@app.command()
def clear(file: File = None) -> None:
    """Remove the baseline's file."""
    from fieldwise.store.baseline import load_baseline

    path = file or _only()
    load_baseline(path)  # so that no other file is removed by mistake
    path.unlink()
    typer.echo(f"{path} is gone; the run it was made from is still there")


def _default(name: str) -> Path:
    safe = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in name)
    return Path(f"{safe or 'fieldwise'}.baseline.json")


def _only() -> Path:
    """The one baseline in this folder."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    found = sorted(Path().glob("*.baseline.json"))
    if len(found) == 1:
        return found[0]
    what = "there is no baseline in this folder" if not found else f"there are several baselines: {', '.join(map(str, found))}"
    fix = "make one: fieldwise baseline set" if not found else "name one with --file"
    raise ConfigError([Diagnostic(code="no-baseline", what=what, fix=fix)])
