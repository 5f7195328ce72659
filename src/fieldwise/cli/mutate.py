"""`fieldwise mutate`: corrupt the expected values of a suite and count what its evaluators notice."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fieldwise.cli._options import (
    DocumentedCommand,
    TextFormat,
    WholeNumber,
    outputs_option,
    program_of,
    root_option,
    show_all_option,
    suite_argument,
    text_format_option,
)

if TYPE_CHECKING:
    from fieldwise.model.mutation import MutationReport


@click.command(cls=DocumentedCommand)
@suite_argument
@click.option("--limit", type=WholeNumber(min=1), help="Maximum number of cases to corrupt, sampled. [default: 1000]")
@click.option("--seed", type=int, default=0, help="Chooses the sample, and the places of corruptions.")
@click.option(
    "--evaluator",
    "evaluators",
    metavar="NAME",
    multiple=True,
    help="Only this evaluator of the suite. Repeatable. [default: all that compare records]",
)
@click.option("--gate", "gates", metavar="CONDITION", multiple=True, help="An additional gate: 'mutants.killed >= 0.95'. Repeatable.")
@text_format_option
@outputs_option("Write a report: .html with a heatmap, or .json. Repeatable.")
@show_all_option
@root_option
@click.pass_context
def mutate(
    context: click.Context,
    suite: Path,
    limit: int | None,
    seed: int,
    evaluators: tuple[str, ...],
    gates: tuple[str, ...],
    form: TextFormat,
    outputs: tuple[str, ...],
    show_all: bool,
    root: str | None,
) -> None:
    """Corrupt the expected values of a suite, one at a time, and report which corruptions its rules do not notice.

    Corruptions are the inverse of causes: digits changed, day and month swapped, currencies exchanged, values dropped, items swapped.
    Each corrupted record is scored against the original. Suggests the smallest changes of rules that would notice more, and what they cost.
    """
    from fieldwise.cli._console import display_options, print_page
    from fieldwise.cli._files import check_suffixes, require_suite
    from fieldwise.report.mutation_view import build_mutation_report
    from fieldwise.report.text_format import dump_json
    from fieldwise.study.mutation import mutate_suite, refuse_other_gates
    from fieldwise.suite_plan import compile_suite

    program = program_of(context, root)
    check_suffixes(outputs, (".html", ".json"))
    refuse_other_gates(gates)
    plan = compile_suite(require_suite(suite), gates=gates, root=program.root)
    report = mutate_suite(plan, limit=limit, seed=seed, only=evaluators)
    for name in outputs:
        _write_report(report, name)
    if form == "json":
        click.echo(dump_json(report.to_json()))
    else:
        print_page(build_mutation_report(report, display_options(form, program, show_all=show_all)), form)
    context.exit(report.exit_code)


def _write_report(report: "MutationReport", name: str) -> None:
    from fieldwise.cli._files import write_report
    from fieldwise.report.mutation_view import render_mutation_html
    from fieldwise.report.text_format import dump_json

    is_page = Path(name).suffix.lower() == ".html"
    write_report(name, render_mutation_html(report) if is_page else dump_json(report.to_json(), spaced=True) + "\n")
