"""`fieldwise compare`: two or more runs over the same cases."""

from enum import StrEnum
from itertools import combinations
from typing import TYPE_CHECKING, Annotated

import typer

from fieldwise.cli._completion import complete_runs
from fieldwise.cli._options import RootOption, ShowAllOption, TextFormat, TextFormatOption, program_of

if TYPE_CHECKING:
    from fieldwise.model.change import Changes
    from fieldwise.store.run import Run

BaseArgument = Annotated[
    str,
    typer.Argument(
        metavar="BASE",
        help="The run to compare with: an id or its first characters, a tag, latest, or a baseline file.",
        autocompletion=complete_runs,
    ),
]
RunsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="RUN", help="The runs to compare with BASE. [default: latest]", show_default=False, autocompletion=complete_runs
    ),
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
    root: RootOption = None,
) -> None:
    """Compare runs of the same cases and test whether the differences are significant.

    Cases are paired by id, and tested by group if the suite names groups. One primary metric per evaluator is judged, adjusted for the
    number of evaluators; its other metrics only where that one shows a difference. Fields are adjusted for their number. Of several runs,
    every pair is tested, and all pairs are adjusted together.
    """
    from pathlib import Path

    from fieldwise.cli._console import display_options, print_page
    from fieldwise.cli._lookup import no_shared_cases_error, open_named_run, same_run_error
    from fieldwise.report.run_changes import build_changes_report, build_multi_run_report, multi_run_to_json
    from fieldwise.report.text_format import dump_json
    from fieldwise.summarize.ranking import rank_runs

    program = program_of(context, root)
    opened: dict[str, Run] = {}
    typed = [base]
    for name in runs or ["latest"]:
        run = open_named_run(name, program.root)
        if run.id not in opened:
            opened[run.id] = run
            typed.append(name)
    new_runs = list(opened.values())
    base_run = None if Path(base).is_file() else open_named_run(base, program.root)
    if base_run is not None and base_run.id in [new.id for new in new_runs]:
        raise same_run_error(base_run.id)
    pairs = _compare_pairs(typed, base_run, new_runs, adjust)
    against_base = [changes for (place, _), changes in pairs.items() if place == 0]
    options = display_options(form, program, show_all=show_all)
    if len(new_runs) > 1:
        labels = _list_labels(against_base)
        rankings = rank_runs(labels, [against_base[0].base, *opened], pairs)
        if form == TextFormat.json:
            typer.echo(dump_json(multi_run_to_json(list(pairs.values()), rankings)))
        else:
            print_page(build_multi_run_report(against_base, labels, rankings, options), form)
    elif form == TextFormat.json:
        typer.echo(dump_json(against_base[0].to_json()))
    else:
        print_page(build_changes_report(against_base[0], options), form)
    for change in against_base:
        if not any(evaluator.n for evaluator in change.evaluators.values()):
            raise no_shared_cases_error(change.base, change.new)


def _compare_pairs(typed: list[str], base_run: "Run | None", new_runs: "list[Run]", adjust: Adjustment) -> "dict[tuple[int, int], Changes]":
    """Every pair of runs, adjusted together. Position 0 is the base: a run, or the baseline file that was `typed`."""
    from fieldwise.store.baseline import compare_with_baseline
    from fieldwise.store.run_metrics import compare_runs
    from fieldwise.summarize.compare import adjust_together

    pairs = list(combinations(range(len(new_runs) + 1), 2))
    comparisons: list[Changes] = []
    for base_place, new_place in pairs:
        before, after = base_run if base_place == 0 else new_runs[base_place - 1], new_runs[new_place - 1]
        changes = compare_with_baseline(typed[0], after) if before is None else compare_runs(before, after)
        comparisons.append(_label_as_typed(changes, typed[base_place], typed[new_place]))
    return dict(zip(pairs, adjust_together(comparisons, adjust.value), strict=True))


def _label_as_typed(changes: "Changes", base: str, new: str) -> "Changes":
    """Label the runs with what the user typed, unless that is an id or `latest`; then with their own names."""
    from dataclasses import replace

    base_label = changes.base_label if _is_id(base, changes.base) else base
    new_label = changes.new_label if _is_id(new, changes.new) else new
    return replace(changes, base_label=base_label, new_label=new_label)


def _list_labels(against_base: "list[Changes]") -> list[str]:
    """A label for the base and each of the other runs; their ids if two labels are equal."""
    labels = [against_base[0].base_label or against_base[0].base, *(changes.new_label or changes.new for changes in against_base)]
    return labels if len({*labels}) == len(labels) else [against_base[0].base, *(changes.new for changes in against_base)]


def _is_id(typed: str, run: str) -> bool:
    return typed == "latest" or run.startswith(typed)
