"""Shell completion of run ids, tags, cases and fields. A store that cannot be read completes to nothing."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from fieldwise.store.run import Run

MAX_COMPLETIONS = 200


def complete_runs(context: click.Context, _parameter: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Run ids, newest first, with the name of their suite; `latest`; tags."""
    from fieldwise.store.run import open_listed_run
    from fieldwise.store.run_names import list_run_ids, read_tags, runs_folder

    root = _find_root(context)
    try:
        ids = list(reversed(list_run_ids(root)))[:MAX_COMPLETIONS]
        folder = runs_folder(root)
        names: dict[str, str] = {"latest": "the latest run"} if ids else {}
        tags = {tag: f"tag of {id}" for id in ids for tag in read_tags(folder / id)}
        for id in ids:
            if id.startswith(incomplete):
                names[id] = open_listed_run(folder / id).name
    except Exception:  # completion must never print an error into the shell
        return []
    return _select({**names, **tags}.items(), incomplete)


def complete_cases(context: click.Context, _parameter: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Ids of the cases of the run that the command line names."""
    run = _open_run(context)
    ids = [] if run is None else run.to_arrow().column("case").to_pylist()
    return _select(((id, "") for id in dict.fromkeys(ids)), incomplete)


def complete_fields(context: click.Context, _parameter: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Fields of the run that the command line names, with their rules."""
    run = _open_run(context)
    evaluators = () if run is None else run.full.evaluators.values()
    fields = {field.field: field.rule for evaluator in evaluators for field in evaluator.fields}
    return _select(fields.items(), incomplete)


def complete_tags(context: click.Context, _parameter: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Tags of runs."""
    from fieldwise.store.run_names import list_run_ids, read_tags, runs_folder

    root = _find_root(context)
    try:
        folder = runs_folder(root)
        tags = {tag: "" for id in list_run_ids(root) for tag in read_tags(folder / id)}
    except Exception:  # completion must never print an error into the shell
        return []
    return _select(tags.items(), incomplete)


def _select(names: Iterable[tuple[str, str]], incomplete: str) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    return [CompletionItem(name, help=help or None) for name, help in names if name.startswith(incomplete)][:MAX_COMPLETIONS]


def _find_root(context: click.Context) -> str | None:
    """The value of `--root`, of the command or of `fieldwise`; read from the parameters, because callbacks do not run during completion."""
    current: click.Context | None = context
    while current is not None:
        if current.params.get("root"):
            return str(current.params["root"])
        current = current.parent
    return None


def _open_run(context: click.Context) -> "Run | None":
    from fieldwise.store.run import open_run

    try:
        return open_run(_find_root(context), str(context.params.get("run") or "latest"))
    except Exception:  # completion must never print an error into the shell
        return None
