"""`fieldwise compare`: two or more runs over the same cases."""

from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from fieldwise.cli._completion import complete_runs
from fieldwise.cli._options import (
    FILE_NAME,
    DocumentedCommand,
    TextFormat,
    argument,
    program_of,
    root_option,
    show_all_option,
    text_format_option,
)

if TYPE_CHECKING:
    from fieldwise.model.change import Changes
    from fieldwise.report.terminal_layout import DisplayOptions
    from fieldwise.store.run import Run
    from fieldwise.summarize.ranking import RankedComparison

Adjustment = Literal["holm", "bh"]
"""Adjustment of p-values for multiple tests."""


@click.command(cls=DocumentedCommand)
@argument(
    "base",
    help="The run to compare with: its id or the first characters of it, a tag, its `--name`, latest, or a baseline file.",
    shell_complete=complete_runs,
)
@argument("runs", metavar="[RUN]...", nargs=-1, help="The runs to compare with BASE. [default: latest]", shell_complete=complete_runs)
@click.option(
    "--adjust",
    type=click.Choice(get_args(Adjustment)),
    default="holm",
    help="Adjustment of p-values. holm: limits the chance of any false positive; bh (Benjamini-Hochberg): their share.",
)
@text_format_option
@show_all_option
@click.option("--output", "-o", metavar="FILE", type=FILE_NAME, help="Write the comparison: .md .json; - is Markdown on standard output.")
@root_option
@click.pass_context
def compare(
    context: click.Context,
    base: str,
    runs: tuple[str, ...],
    adjust: Adjustment,
    form: TextFormat,
    show_all: bool,
    output: str | None,
    root: str | None,
) -> None:
    """Compare runs of the same cases and test whether the differences are significant.

    Cases are paired by id, and tested by group if the suite names groups. One primary metric per evaluator is judged, adjusted for the
    number of evaluators; its other metrics only where that one shows a difference. Fields are adjusted for their number. Of several runs,
    every pair is tested, and all pairs are adjusted together.
    """
    from pathlib import Path

    from fieldwise.cli._console import display_options
    from fieldwise.cli._lookup import no_shared_cases_error, open_named_run
    from fieldwise.store.run_metrics import same_run_error
    from fieldwise.summarize.ranking import RankedComparison, rank_runs

    program = program_of(context, root)
    _check_output(output)
    opened: dict[str, Run] = {}
    typed = [base]
    for name in runs or ("latest",):
        run = open_named_run(name, program.root)
        if run.id not in opened:
            opened[run.id] = run
            typed.append(name)
    new_runs = list(opened.values())
    base_run = None if Path(base).is_file() else open_named_run(base, program.root)
    if base_run is not None and base_run.id in [new.id for new in new_runs]:
        raise same_run_error(base_run.id, "name two runs: `fieldwise compare BASE NEW`; `fieldwise runs` lists them")
    pairs = _compare_pairs(typed, base_run, new_runs, adjust)
    against_base = [changes for (place, _), changes in pairs.items() if place == 0]
    labels = _list_labels(against_base)
    rankings = rank_runs(labels, [against_base[0].base, *opened], pairs)
    compared = RankedComparison(labels=labels, pairs=list(pairs.values()), rankings=rankings)
    if output is not None:
        _write_output(compared, output)
    if output != "-":
        _print_comparison(compared, form, display_options(form, program, show_all=show_all))
    for change in against_base:
        if not any(evaluator.n for evaluator in change.evaluators.values()):
            raise no_shared_cases_error(change.base, change.new)


def _print_comparison(compared: "RankedComparison", form: TextFormat, options: "DisplayOptions") -> None:
    from fieldwise.cli._console import print_page
    from fieldwise.report.run_changes import build_changes_report, build_multi_run_report
    from fieldwise.report.text_format import dump_json

    if form == "json":
        click.echo(dump_json(_to_json(compared)))
    elif len(compared.pairs) > 1:
        print_page(build_multi_run_report(compared, options), form)
    else:
        print_page(build_changes_report(compared.pairs[0], options), form)


def _check_output(output: str | None) -> None:
    """Raise ConfigError for a file name that is no format for a comparison."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where

    if output is not None and output != "-" and not output.endswith((".md", ".json")):
        what, fix = "the file name has no known format", "end the name in .md or .json"
        raise ConfigError([Diagnostic(code="unknown-format", what=what, where=Where(file=output), fix=fix)])


def _write_output(compared: "RankedComparison", output: str) -> None:
    from pathlib import Path

    from fieldwise.cli._console import error_console
    from fieldwise.cli._files import complete_or_absent
    from fieldwise.report.comparison_markdown import render_comparison_markdown
    from fieldwise.report.text_format import dump_json

    if output == "-":
        click.echo(render_comparison_markdown(compared), nl=False)
        return
    content = render_comparison_markdown(compared) if output.endswith(".md") else dump_json(_to_json(compared)) + "\n"
    path = Path(output)
    path.parent.mkdir(parents=True, exist_ok=True)
    with complete_or_absent(path):
        path.write_text(content, encoding="utf-8")
    error_console().print(f"wrote {output}", style="dim")


def _to_json(compared: "RankedComparison") -> "dict[str, Any]":
    from fieldwise.report.run_changes import multi_run_to_json

    return multi_run_to_json(compared) if len(compared.pairs) > 1 else compared.pairs[0].to_json()


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
    return dict(zip(pairs, adjust_together(comparisons, adjust), strict=True))


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
