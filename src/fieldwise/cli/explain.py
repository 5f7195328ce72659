"""`fieldwise explain`: show how a score was calculated, from the stored run."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldwise.cli._completion import complete_cases, complete_fields
from fieldwise.cli._options import (
    PATH,
    DocumentedCommand,
    TextFormat,
    argument,
    program_of,
    root_option,
    run_argument,
    show_all_option,
    text_format_option,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from fieldwise.report.terminal_layout import DisplayOptions
    from fieldwise.store.part_reader import StoredResult
    from fieldwise.store.run import Run


@click.command(cls=DocumentedCommand)
@run_argument
@argument("case", required=False, help="The id of a case; without one, --field is needed.", shell_complete=complete_cases)
@argument("field", required=False, help="Show this field only.", shell_complete=complete_fields)
@click.option("--field", "over_cases", metavar="FIELD", help="Show this field, over all cases.", shell_complete=complete_fields)
@click.option("--evaluator", help="Show this evaluator only.")
@click.option("--picture", metavar="FILE.svg", type=PATH, help="Draw the boxes of the case to this file.")
@text_format_option
@show_all_option
@root_option
@click.pass_context
def explain(
    context: click.Context,
    run: str,
    case: str | None,
    field: str | None,
    over_cases: str | None,
    evaluator: str | None,
    picture: Path | None,
    form: TextFormat,
    show_all: bool,
    root: str | None,
) -> None:
    """Show how the score of a case was calculated, step by step; or one field over all cases."""
    from fieldwise.cli._console import display_options, print_page
    from fieldwise.cli._lookup import open_measured_run, read_case_results, unknown_field_error
    from fieldwise.report.result_text import result_to_json
    from fieldwise.report.terminal_layout import DIM, TITLE, stack_parts, styled_text
    from fieldwise.report.text_format import dump_json

    program = program_of(context, root)
    _check_usage(case, field, over_cases, picture)
    stored_run = open_measured_run(run, program.root)
    field = field or over_cases
    if case is None:
        _explain_over_cases(stored_run, field, evaluator, form, display_options(form, program, show_all=show_all))
        return
    results = read_case_results(stored_run, case, evaluator)
    if picture is not None:
        _draw_case(stored_run, case, results, picture)
    if field is not None:
        limited = _limit_to_field(results, field)
        if not limited:
            raise unknown_field_error(field, case, results)
        results = limited
    if form == "json":
        click.echo(dump_json([result_to_json(stored.case, stored.evaluator, stored.result) for stored in results]))
        return
    pages = _explanations(stored_run, results, field, display_options(form, program, show_all=show_all))
    print_page(stack_parts(styled_text((case, TITLE), (f"  {stored_run.name} {stored_run.id}", DIM)), *pages), form)


def _explain_over_cases(stored_run: "Run", field: str | None, evaluator: str | None, form: TextFormat, options: "DisplayOptions") -> None:
    """Show one field over all cases of the run."""
    from fieldwise.cli._console import print_page
    from fieldwise.cli._lookup import check_comparison_filter, check_evaluator, nothing_to_explain_error
    from fieldwise.report.mismatch_list import build_field_page, summarize_field
    from fieldwise.report.text_format import dump_json

    if field is None:
        raise nothing_to_explain_error()
    check_evaluator(stored_run, evaluator)
    check_comparison_filter(stored_run, field, None, None)
    comparisons = stored_run.comparisons(field=field, evaluator=evaluator)
    if form == "json":
        summary = summarize_field(stored_run, field, comparisons)
        click.echo(dump_json({"run": stored_run.id, **summary, "comparisons": [stored.to_json() for stored in comparisons]}))
    else:
        print_page(build_field_page(stored_run, field, comparisons, options), form)


def _check_usage(case: str | None, field: str | None, over_cases: str | None, picture: Path | None) -> None:
    """Raise ConfigError for arguments and options that would do nothing together."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    problems: list[Diagnostic] = []
    if field is not None and over_cases is not None:
        what = f"the field is named twice: `{field}` and --field {over_cases}"
        problems.append(Diagnostic(code="bad-usage", what=what, fix="name it once"))
    if picture is not None and case is None:
        what = "--picture draws one case, and none is named"
        problems.append(Diagnostic(code="bad-usage", what=what, fix="`fieldwise explain RUN CASE --picture FILE.svg`"))
    if problems:
        raise ConfigError(problems)


def _limit_to_field(results: "list[StoredResult]", field: str) -> "list[StoredResult]":
    """The results with the comparisons of one field, or of what is inside it; those that compare none of it are left out."""
    from fieldwise.model.comparison_list import ComparisonList
    from fieldwise.store.stored_comparisons import ComparisonFilter

    selects = ComparisonFilter(field=field).selects_path
    limited: list[StoredResult] = []
    for stored in results:
        comparisons = [comparison for comparison in stored.result.comparisons if selects(comparison.path) or selects(comparison.field)]
        if comparisons:
            limited.append(replace(stored, result=replace(stored.result, comparisons=ComparisonList(comparisons))))
    return limited


def _explanations(stored_run: "Run", results: "list[StoredResult]", field: str | None, options: "DisplayOptions") -> "list[RenderableType]":
    """One page per evaluator: about the comparisons of a field, or about the whole result."""
    from fieldwise.report.explain import explain_comparisons, explain_result

    if field is not None:
        return [explain_comparisons(stored.evaluator, stored.result, options) for stored in results]
    types = {str(evaluator["name"]): str(evaluator["type"]) for evaluator in stored_run.manifest.evaluators}
    written = read_evaluator_options(stored_run)
    return [
        explain_result(stored.evaluator, types[stored.evaluator], stored.result, written.get(stored.evaluator, {}), options)
        for stored in results
    ]


def read_evaluator_options(stored_run: "Run") -> dict[str, Mapping[str, Any]]:
    """The options of each evaluator as written in the stored suite; empty if the suite was not a file."""
    from fieldwise.model.diagnostic import ConfigError
    from fieldwise.read.suite import read_document

    try:
        suite = read_document(text=stored_run.manifest.suite, file=stored_run.manifest.suite_file).value
    except ConfigError:
        return {}
    evaluators = suite.get("evaluators", ())
    return {str(options.get("name", options.get("type"))): options for options in evaluators if isinstance(options, Mapping)}


def _draw_case(stored_run: "Run", case: str, results: "list[StoredResult]", target: Path) -> None:
    """Draw the boxes of a case by the first evaluator that compares boxes."""
    from fieldwise.cli._lookup import nothing_to_draw_error
    from fieldwise.plan.evaluators import plan_config
    from fieldwise.read.table_files import load_json
    from fieldwise.report.picture import draw_case_picture

    written = read_evaluator_options(stored_run)
    folder = Path(stored_run.manifest.suite_file or ".").parent
    for stored in results:
        options = written.get(stored.evaluator)
        if options is None or options.get("type") not in ("iou_score", "detection"):
            continue
        planned = plan_config(options, load=lambda path: load_json(folder / path))
        svg = draw_case_picture(stored_run.case(case), stored.result, planned.config)
        if svg is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(svg, encoding="utf-8")
            click.echo(f"wrote {target}", err=True)
            return
    raise nothing_to_draw_error(case)
