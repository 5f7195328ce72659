"""`fieldwise policy`: which values need no review, with a bound on the errors among them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from fieldwise.cli._options import (
    FILE_NAME,
    ConfidenceSource,
    DocumentedCommand,
    NumberRange,
    TextFormat,
    confidence_source_option,
    latest_run_argument,
    outputs_option,
    program_of,
    root_option,
    text_format_option,
)
from fieldwise.model.policy import MIN_LEVEL

if TYPE_CHECKING:
    from fieldwise.model.policy import Policy
    from fieldwise.study.policy import PolicyCheck

_FAILED = 1


@click.command(cls=DocumentedCommand)
@latest_run_argument
@click.option("--max-error", type=NumberRange(min=1e-6, max=0.999999), help="Largest error to accept among accepted values, such as 0.02.")
@click.option(
    "--level", type=NumberRange(min=MIN_LEVEL, max=0.999999), default=0.95, help="Probability with which all bounds hold together."
)
@click.option("--verify", metavar="FILE", type=FILE_NAME, help="Check a policy.json on this run instead; exit 1 if it does not hold.")
@click.option("--evaluator", help="The evaluator that decides which values are correct. [default: the first with confidences]")
@confidence_source_option
@click.option("--gate", "gates", metavar="CONDITION", multiple=True, help="A gate: 'policy.holds == 1'. Repeatable.")
@outputs_option("Write the policy (.json), or a certificate of one page (.html). Repeatable.")
@text_format_option
@root_option
@click.pass_context
def policy(
    context: click.Context,
    run: str,
    max_error: float | None,
    level: float,
    verify: str | None,
    evaluator: str | None,
    by: ConfidenceSource,
    gates: tuple[str, ...],
    outputs: tuple[str, ...],
    form: TextFormat,
    root: str | None,
) -> None:
    """Choose, per field, the lowest confidence from which values need no review, with an upper bound on the error among them.

    Cut-offs are chosen on one half of the documents and checked on the other. Exits 1 if no field has a cut-off that meets --max-error.
    """
    from fieldwise.cli._files import check_suffixes
    from fieldwise.cli._lookup import check_evaluator, find_given_confidences, open_measured_run
    from fieldwise.read.policy_file import load_policy
    from fieldwise.study.policy import check_policy, make_policy

    program = program_of(context, root)
    check_suffixes(outputs, (".json", ".html"))
    level_is_given = context.get_parameter_source("level") is not ParameterSource.DEFAULT
    _check_usage(max_error, verify, gates, level_is_given=level_is_given)
    stored = open_measured_run(run, program.root)
    check_evaluator(stored, evaluator)
    if verify is None:
        assert max_error is not None
        made = make_policy(stored, max_error, level, evaluator=evaluator, confidences=find_given_confidences(stored, by))
        holds = _show_policy(made, outputs, form)
    else:
        check = check_policy(load_policy(verify), stored, evaluator=evaluator, confidences=find_given_confidences(stored, by))
        holds = _show_check(check, outputs, form)
    context.exit(0 if holds and _gates_hold(gates, holds) else _FAILED)


def _check_usage(max_error: float | None, verify: str | None, gates: Sequence[str], *, level_is_given: bool) -> None:
    """Raise ConfigError for options that would do nothing together, and for gates of other commands."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic
    from fieldwise.plan.gates import POLICY, parse_gate

    if (max_error is None) == (verify is None):
        what, fix = "give either --max-error or --verify", "fieldwise policy RUN --max-error 0.02 -o policy.json"
        raise ConfigError([Diagnostic(code="bad-usage", what=what, fix=fix)])
    if verify is not None and level_is_given:
        what, fix = "--level does nothing with --verify: the policy has its own", "omit --level, or make another policy"
        raise ConfigError([Diagnostic(code="bad-usage", what=what, fix=fix)])
    for text in gates:
        parsed = parse_gate(text)
        if parsed.evaluator == POLICY:
            parse_gate(text, ())  # its metric exists
        else:
            what, fix = f"`{parsed}` is not a gate of this command", "write 'policy.holds == 1'; others belong to `fieldwise run`"
            raise ConfigError([Diagnostic(code="bad-gate", what=what, fix=fix)])


def _gates_hold(gates: Sequence[str], holds: bool) -> bool:
    from fieldwise.plan.gates import parse_gate
    from fieldwise.summarize.gates import judge_value

    return all(judge_value(parse_gate(text, ()), float(holds)).passed for text in gates)


def _show_policy(made: "Policy", outputs: Sequence[str], form: TextFormat) -> bool:
    from fieldwise.cli._console import print_page
    from fieldwise.cli._files import write_report
    from fieldwise.report.policy_view import build_policy_report, render_certificate
    from fieldwise.report.text_format import dump_json

    for name in outputs:
        is_page = Path(name).suffix.lower() == ".html"
        write_report(name, render_certificate(made) if is_page else dump_json(made.to_json(), spaced=True) + "\n")
    if form == "json":
        click.echo(dump_json(made.to_json()))
    else:
        print_page(build_policy_report(made), form)
    return not made.accepts_nothing


def _show_check(check: "PolicyCheck", outputs: Sequence[str], form: TextFormat) -> bool:
    from fieldwise.cli._console import print_page
    from fieldwise.cli._files import write_report
    from fieldwise.report.policy_view import build_check_report, render_certificate
    from fieldwise.report.text_format import dump_json

    for name in outputs:
        is_page = Path(name).suffix.lower() == ".html"
        write_report(name, render_certificate(check.policy, check) if is_page else dump_json(check.to_json(), spaced=True) + "\n")
    if form == "json":
        click.echo(dump_json(check.to_json()))
    else:
        print_page(build_check_report(check), form)
    return check.holds
