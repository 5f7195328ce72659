"""`fieldwise compare`: two or more runs over the same cases."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from fieldwise.cli._options import ShowAllOption, TextFormat, TextFormatOption, program_of

if TYPE_CHECKING:
    from fieldwise.model.change import Changes

BaseArgument = Annotated[
    str,
    typer.Argument(metavar="BASE", help="The run to compare with: an id or its first characters, a tag, latest, or a baseline file."),
]
RunsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="RUN", help="The runs to compare with BASE. [default: latest]", show_default=False),
]


class Adjustment(StrEnum):
    """Adjustment of p-values for multiple tests."""

    holm = "holm"
    bh = "bh"


AdjustOption = Annotated[
    Adjustment,
    typer.Option(help="Adjustment of p-values. holm: limits the chance of any false positive; bh (Benjamini-Hochberg): their share."),
]


def compare(
    context: typer.Context,
    base: BaseArgument,
    runs: RunsArgument = None,
    adjust: AdjustOption = Adjustment.holm,
    form: TextFormatOption = TextFormat.rich,
    show_all: ShowAllOption = False,
) -> None:
    """Compare one or more runs with a base run and test whether the differences are significant.

    Cases are paired by id. Pass rates are tested with McNemar's exact test, scores with a permutation test; intervals come from a
    bootstrap over the cases. P-values are adjusted for the number of fields and, with several runs, for the number of runs.
    """
    from pathlib import Path

    from fieldwise.cli._console import display_options, print_page
    from fieldwise.cli._lookup import no_shared_cases_error, open_named_run, same_run_error
    from fieldwise.report.run_changes import build_changes_report, build_multi_run_report
    from fieldwise.report.text_format import dump_json
    from fieldwise.store.baseline import compare_with_baseline
    from fieldwise.store.run_metrics import compare_runs
    from fieldwise.summarize.compare import adjust_together

    program = program_of(context)
    opened = [open_named_run(name, program.root) for name in runs or ["latest"]]
    new_runs = list({run.id: run for run in opened}.values())
    names = {run.id: name for run, name in zip(opened, runs or ["latest"], strict=True)}
    if Path(base).is_file():
        changes = [compare_with_baseline(base, new, adjust=adjust.value) for new in new_runs]
    else:
        base_run = open_named_run(base, program.root)
        if base_run.id in [new.id for new in new_runs]:
            raise same_run_error(base_run.id)
        changes = [compare_runs(base_run, new, adjust=adjust.value) for new in new_runs]
    changes = [_label_as_typed(change, base, names.get(change.new, "")) for change in changes]
    several = len(changes) > 1
    if several:
        changes = adjust_together(changes, adjust.value)
    if form == TextFormat.json:
        typer.echo(dump_json([change.to_json() for change in changes] if several else changes[0].to_json()))
    else:
        options = display_options(form, program, show_all=show_all)
        print_page(build_multi_run_report(changes, options) if several else build_changes_report(changes[0], options), form)
    for change in changes:
        if not any(evaluator.n for evaluator in change.evaluators.values()):
            raise no_shared_cases_error(change.base, change.new)


def _label_as_typed(changes: "Changes", base: str, new: str) -> "Changes":
    """Label the runs with what the user typed, unless that is an id or `latest`; then with their own names."""
    from dataclasses import replace

    base_label = changes.base_label if _is_id(base, changes.base) else base
    new_label = changes.new_label if _is_id(new, changes.new) else new
    return replace(changes, base_label=base_label, new_label=new_label)


def _is_id(typed: str, run: str) -> bool:
    return typed == "latest" or run.startswith(typed)
