"""`fieldwise judge-audit`: compare a judge's verdicts with human labels."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fieldwise.cli._options import (
    PATH,
    DocumentedCommand,
    NumberRange,
    TextFormat,
    argument,
    program_of,
    root_option,
    run_argument,
    show_all_option,
    text_format_option,
)

if TYPE_CHECKING:
    from fieldwise.model.audit import Audit, JudgedCase
    from fieldwise.model.diagnostic import ConfigError
    from fieldwise.store.run import Run

KAPPA_TOO_LOW = 1
"""Exit code."""


@click.command(cls=DocumentedCommand)
@run_argument
@argument("labels", type=PATH, help="CSV or JSONL: the id of a case, and pass, partial or fail.")
@click.option("--evaluator", help="The judge; required if the run has several evaluators.")
@click.option("--min-kappa", type=NumberRange(min=-1.0, max=1.0), help="Exit 1 if Cohen's kappa is below this value or undefined.")
@text_format_option
@show_all_option
@root_option
@click.pass_context
def judge_audit(
    context: click.Context,
    run: str,
    labels: Path,
    evaluator: str | None,
    min_kappa: float | None,
    form: TextFormat,
    show_all: bool,
    root: str | None,
) -> None:
    """Compare a judge's verdicts with human labels of the same cases: agreement, Cohen's kappa, and the disagreements.

    No model is called: the verdicts are read from the stored run.
    """
    from fieldwise.cli._console import display_options, print_page
    from fieldwise.cli._files import require_file
    from fieldwise.cli._lookup import open_measured_run
    from fieldwise.read.labels import read_labels
    from fieldwise.report.audit_view import build_audit_report
    from fieldwise.report.text_format import dump_json
    from fieldwise.summarize.audit import audit_judge

    program = program_of(context, root)
    stored_run = open_measured_run(run, program.root)
    judge = _select_judge(stored_run, evaluator)
    agreement = audit_judge(stored_run.id, judge, _read_verdicts(stored_run, judge), read_labels(require_file(labels, "file of labels")))
    if not agreement.n:
        raise _nothing_to_audit_error(agreement)
    if form == "json":
        click.echo(dump_json(agreement.to_json()))
    else:
        print_page(build_audit_report(agreement, display_options(form, program, show_all=show_all)), form)
    if min_kappa is not None and (agreement.kappa is None or agreement.kappa < min_kappa):
        kappa = "not defined" if agreement.kappa is None else f"{agreement.kappa:.3f}"
        click.echo(f"kappa is {kappa}, below {min_kappa:g}", err=True)
        context.exit(KAPPA_TOO_LOW)


def _read_verdicts(stored_run: "Run", judge: str) -> "dict[str, JudgedCase]":
    """The judge's verdict of each case; None where the case was not scored."""
    from fieldwise.model.audit import JudgedCase

    return {
        stored.case: JudgedCase(
            verdict=stored.result.verdict if stored.result.status == "scored" else None,
            score=stored.result.score,
            reasoning=stored.result.reasoning,
        )
        for stored in stored_run.results(judge)
    }


def _select_judge(stored_run: "Run", name: str | None) -> str:
    """The evaluator with this name, or the only one of the run; ConfigError otherwise."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    names = stored_run.evaluators
    if name in names:
        return name
    if name is None and len(names) == 1:
        return names[0]
    what = f"the run has no evaluator `{name}`" if name else "the run has several evaluators"
    fix = " or ".join(f"--evaluator {name}" for name in names)
    raise ConfigError([Diagnostic(code="no-evaluator", what=what, fix=f"add {fix}")])


def _nothing_to_audit_error(agreement: "Audit") -> "ConfigError":
    """Error for labels of which no case has a verdict."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    if agreement.unjudged:
        what, fix = f"{agreement.evaluator} scored none of the labelled cases", "`fieldwise explain` shows why"
    else:
        labelled = ", ".join(agreement.unknown[:3]) or "none"
        what, fix = "no labelled case is in the run", f"label cases by their ids; the file names {labelled}"
    return ConfigError([Diagnostic(code="nothing-to-audit", what=what, fix=fix)])
