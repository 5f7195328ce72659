"""`fieldwise profiles`: the same cases scored as other tools would."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fieldwise.cli._options import RootOption, ShowAllOption, TextFormat, TextFormatOption, program_of

if TYPE_CHECKING:
    from fieldwise.study.profiles import ProfileReport


def profiles(
    context: typer.Context,
    target: Annotated[str, typer.Argument(metavar="RUN|SUITE", help="A stored run, or the YAML file of a suite.")] = "latest",
    profile: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this profile. Repeatable.", show_default=False)] = None,
    evaluator: Annotated[
        str | None, typer.Option(help="The evaluator to compare with. [default: the first one of records or answers]")
    ] = None,
    sample: Annotated[int, typer.Option(min=0, help="Maximum number of cases, drawn at random; 0 for all.")] = 1_000,
    form: TextFormatOption = TextFormat.rich,
    output: Annotated[
        list[str] | None, typer.Option("--output", "-o", metavar="FILE", help="Write a report: .json, or .txt as printed. Repeatable.")
    ] = None,
    show_all: ShowAllOption = False,
    root: RootOption = None,
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
    check_suffixes(output or (), (".json", ".txt"))
    report = _compare(target, profile or [], evaluator, sample or None, program.root)
    if form == TextFormat.json:
        typer.echo(dump_json(report_to_json(report)))
    else:
        print_page(build_profiles_page(report, display_options(form, program, show_all=show_all)), form)
    for name in output or ():
        if Path(name).suffix.lower() == ".json":
            content = dump_json(report_to_json(report), spaced=True) + "\n"
        else:
            content = render_text(build_profiles_page(report, DisplayOptions(plain=True, everything=show_all, command=program.command)))
        write_report(name, content)


def _compare(target: str, names: list[str], evaluator: str | None, sample: int | None, root: str | None) -> "ProfileReport":
    from fieldwise.api import check
    from fieldwise.cli._lookup import open_measured_run
    from fieldwise.read.cases import read_cases
    from fieldwise.study.profiles import compare_profiles, plan_of_run, sample_cases, sample_run

    _check_names(names)
    if Path(target).suffix.lower() in (".yaml", ".yml", ".json") or Path(target).is_file():
        from fieldwise.cli._files import require_suite

        plan = check(require_suite(Path(target)), root=root)
        assert plan.source is not None  # `check` refuses a suite without cases
        return compare_profiles(plan, sample_cases(list(read_cases(plan.source)), sample), evaluator=evaluator, names=names)
    run = open_measured_run(target, root)
    return compare_profiles(plan_of_run(run), sample_run(run, sample), evaluator=evaluator, names=names, run=run.id)


def _check_names(names: list[str]) -> None:
    from fieldwise.model.diagnostic import ConfigError, Diagnostic
    from fieldwise.plan.profiles import PROFILES
    from fieldwise.plan.review import suggest_name

    unknown = [name for name in names if name not in PROFILES]
    if unknown:
        raise ConfigError(
            Diagnostic(code="unknown-profile", what=f"there is no profile `{name}`", fix=suggest_name(name, PROFILES)) for name in unknown
        )
