"""`fieldwise profiles`: the same cases scored as other tools would."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fieldwise.cli._options import (
    DocumentedCommand,
    TextFormat,
    WholeNumber,
    argument,
    outputs_option,
    program_of,
    root_option,
    show_all_option,
    text_format_option,
)

if TYPE_CHECKING:
    from fieldwise.study.profiles import ProfileReport


@click.command(cls=DocumentedCommand)
@argument("target", metavar="[RUN|SUITE]", default="latest", help="A stored run, or the YAML file of a suite.")
@click.option("--profile", "names", metavar="NAME", multiple=True, help="Only this profile. Repeatable.")
@click.option("--evaluator", help="The evaluator to compare with. [default: the first one of records or answers]")
@click.option("--sample", type=WholeNumber(min=0), default=1_000, help="Maximum number of cases, drawn at random; 0 for all.")
@text_format_option
@outputs_option("Write a report: .json, or .txt as printed. Repeatable.")
@show_all_option
@root_option
@click.pass_context
def profiles(
    context: click.Context,
    target: str,
    names: tuple[str, ...],
    evaluator: str | None,
    sample: int,
    form: TextFormat,
    outputs: tuple[str, ...],
    show_all: bool,
    root: str | None,
) -> None:
    """Score the same cases under every profile, and name the option that makes each verdict differ.

    Profiles: seed-000 to seed-004, strict, lenient, stickler, extract-bench, docai. A suite uses one with `profile: NAME`.
    """
    from fieldwise.cli._console import display_options, print_page
    from fieldwise.cli._files import check_suffixes, write_report
    from fieldwise.report.terminal_layout import DisplayOptions, render_text
    from fieldwise.report.text_format import dump_json
    from fieldwise.study.profiles_view import build_profiles_page, report_to_json

    program = program_of(context, root)
    check_suffixes(outputs, (".json", ".txt"))
    report = _compare(target, names, evaluator, sample or None, program.root)
    for name in outputs:
        if Path(name).suffix.lower() == ".json":
            content = dump_json(report_to_json(report), spaced=True) + "\n"
        else:
            content = render_text(build_profiles_page(report, DisplayOptions(plain=True, everything=show_all, command=program.command)))
        write_report(name, content)
    if form == "json":
        click.echo(dump_json(report_to_json(report)))
    else:
        print_page(build_profiles_page(report, display_options(form, program, show_all=show_all)), form)
    context.exit(report.exit_code)


def _compare(target: str, names: Sequence[str], evaluator: str | None, sample: int | None, root: str | None) -> "ProfileReport":
    from fieldwise.cli._lookup import open_measured_run
    from fieldwise.study.profiles import compare_profiles, compare_suite_profiles, plan_of_run, sample_run
    from fieldwise.suite_plan import compile_suite

    _check_names(names)
    if Path(target).suffix.lower() in (".yaml", ".yml", ".json") or Path(target).is_file():
        from fieldwise.cli._files import require_suite

        plan = compile_suite(require_suite(Path(target)), root=root)
        return compare_suite_profiles(plan, sample, evaluator=evaluator, names=names)
    run = open_measured_run(target, root)
    return compare_profiles(plan_of_run(run), sample_run(run, sample), evaluator=evaluator, names=names, run=run.id)


def _check_names(names: Sequence[str]) -> None:
    from fieldwise.model.diagnostic import ConfigError, Diagnostic
    from fieldwise.plan.profiles import PROFILES
    from fieldwise.plan.review import suggest_name

    unknown = [name for name in names if name not in PROFILES]
    if unknown:
        raise ConfigError(
            Diagnostic(code="unknown-profile", what=f"there is no profile `{name}`", fix=suggest_name(name, PROFILES)) for name in unknown
        )
