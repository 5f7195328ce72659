"""`fieldwise judge-audit`: a judge's verdicts beside people's labels."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from fieldwise.cli._formats import Everything, TextForm, TextFormat

if TYPE_CHECKING:
    from fieldwise.model.audit import Audit, Judged
    from fieldwise.model.diagnostic import ConfigError
    from fieldwise.store.run import Run

BELOW = 1


def judge_audit(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's id, the beginning of one, or latest.")],
    labels: Annotated[Path, typer.Argument(metavar="LABELS", help="CSV or JSONL: the case's id, and pass, partial or fail.")],
    evaluator: Annotated[Optional[str], typer.Option(help="The judge, where the run has several evaluators.")] = None,  # noqa: UP045
    min_kappa: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(min=-1.0, max=1.0, help="Exit 1 if Cohen's kappa is below this, or cannot be told."),
    ] = None,
    form: TextForm = TextFormat.rich,
    everything: Everything = False,
) -> None:
    """Compare a judge's verdicts with what people say of the same cases: agreement, Cohen's kappa, and where they differ.

    Nothing is asked: the verdicts are those of the stored run.
    """
    from fieldwise.cli._console import room, show
    from fieldwise.cli._exits import needed_file
    from fieldwise.cli._lookup import found_run
    from fieldwise.read.labels import read_labels
    from fieldwise.report.audit_view import audit_report
    from fieldwise.report.safe import json_text
    from fieldwise.summarize.audit import audit

    stored = found_run(run)
    name = _the_evaluator(stored, evaluator)
    found = audit(stored.id, name, _judged(stored, name), read_labels(needed_file(labels, "file of labels")))
    if not found.n:
        raise _nothing_to_audit(found)
    if form == TextFormat.json:
        typer.echo(json_text(found.to_json()))
    else:
        show(audit_report(found, room(form, everything=everything)), form)
    if min_kappa is not None and (found.kappa is None or found.kappa < min_kappa):
        typer.echo(f"kappa is {'not defined' if found.kappa is None else f'{found.kappa:.3f}'}, below {min_kappa:g}", err=True)
        raise typer.Exit(BELOW)


def _judged(stored: "Run", evaluator: str) -> "dict[str, Judged]":
    """What the judge said of each case; no verdict where it could not say anything."""
    from fieldwise.model.audit import Judged

    return {
        one.case: Judged(
            verdict=one.result.verdict if one.result.status == "scored" else None,
            score=one.result.score,
            reasoning=one.result.reasoning,
        )
        for one in stored.results(evaluator)
    }


def _the_evaluator(stored: "Run", named: str | None) -> str:
    """The evaluator that is meant: the one named, or the only one."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    names = stored.evaluators
    if named in names:
        return named
    if named is None and len(names) == 1:
        return names[0]
    what = f"the run has no evaluator `{named}`" if named else "the run has several evaluators"
    fix = " or ".join(f"--evaluator {name}" for name in names)
    raise ConfigError([Diagnostic(code="no-evaluator", what=what, fix=f"say {fix}")])


def _nothing_to_audit(found: "Audit") -> "ConfigError":
    """No labelled case has a verdict."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    if found.unjudged:
        what, fix = f"{found.evaluator} has measured none of the labelled cases", "see `fieldwise explain` on why"
    else:
        what, fix = "no labelled case is in the run", f"label cases by their ids; the file names {', '.join(found.unknown[:3]) or 'none'}"
    return ConfigError([Diagnostic(code="nothing-to-audit", what=what, fix=fix)])
