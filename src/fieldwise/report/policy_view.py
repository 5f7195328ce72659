"""Policies in words: for terminals, and as a certificate of one page."""

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from fieldwise import __version__
from fieldwise.model.policy import Policy
from fieldwise.report.html import get_environment, make_content_policy, read_static
from fieldwise.report.terminal_layout import (
    BAD,
    DIM,
    NOTE,
    OK,
    TITLE,
    WRAPPED,
    make_grid,
    make_section,
    pass_mark,
    stack_parts,
    styled_text,
)
from fieldwise.report.text_format import format_count

if TYPE_CHECKING:
    from fieldwise.study.policy import PolicyCheck


def format_share(share: float, *, up: bool = False) -> str:
    """A share as a percentage; `up` rounds an upper bound away from zero.

    >>> format_share(0.7478), format_share(0.01151, up=True), format_share(0.02)
    ('75 %', '1.2 %', '2 %')
    """
    percent = share * 100
    digits = 2
    if percent >= 1:
        digits = 0 if percent >= 10 else 1
    scaled = percent * 10**digits
    if up and abs(scaled - round(scaled)) > 1e-9:  # not a whole number with an error of rounding
        return f"{math.ceil(scaled) / 10**digits:g} %"
    return f"{round(percent, digits):g} %"


def times_in(level: float) -> str:
    """A probability in words: `19 times in 20`.

    >>> times_in(0.95), times_in(0.99), times_in(0.9)
    ('19 times in 20', '99 times in 100', '9 times in 10')
    """
    fraction = Fraction(level).limit_denominator(1000)
    return f"{fraction.numerator} times in {fraction.denominator}"


def describe_policy(policy: Policy) -> str:
    """The promise of a policy in words."""
    total = sum(field.n for field in policy.fields.values())
    if not policy.fields:
        return "No value of the run has a confidence, so no value can be accepted without review."
    if policy.accepts_nothing:
        fields, promise = format_count(len(policy.fields), "field"), f"an error of at most {format_share(policy.max_error)}"
        return (
            f"No cut-off does it: for none of {fields} do the confidences show {promise} among accepted values,"
            f" {times_in(policy.level)}."
            f" All {format_count(total, 'value')} need review."
        )
    accepting = [field for field in policy.fields.values() if field.threshold is not None]
    accepted = sum(field.accepted for field in accepting)
    expected_errors = sum(field.accepted * (field.bound or 0.0) for field in accepting)
    bound = expected_errors / accepted if accepted else policy.max_error
    return (
        f"{format_share(accepted / total)} of the values need no review; at most {format_share(bound, up=True)} of those are wrong,"
        f" {times_in(policy.level)}; {format_count(total - accepted, 'value')} of {total:,} go to review."
    )


def build_policy_report(policy: Policy) -> RenderableType:
    """Show the promise and the cut-off of each field."""
    table = make_grid(
        {"header": "field", **WRAPPED},
        *({"header": head, "justify": "right"} for head in ("accept from", "accepted", "of", "error at most")),
        heads=True,
    )
    for path, field in policy.fields.items():
        if field.threshold is None:
            cells = [styled_text(("no cut-off", BAD)), styled_text("0"), styled_text(f"{field.n:,}"), styled_text("–")]
        else:
            share = f"{field.accepted:,} ({format_share(field.accepted / field.n)})"
            bound = format_share(field.bound or 0.0, up=True)
            cells = [styled_text((f"{field.threshold:.4g}", OK)), styled_text(share), styled_text(f"{field.n:,}"), styled_text(bound)]
        table.add_row(styled_text(path), *cells)
    method = "Chosen on one half of the documents, checked on the other; all bounds hold together"
    return stack_parts(
        styled_text(("policy   run ", DIM), policy.made_from.get("run", ""), (f"   largest error {format_share(policy.max_error)}", DIM)),
        styled_text((describe_policy(policy), TITLE)),
        make_section("Fields", table) if policy.fields else None,
        styled_text((f"{method} {times_in(policy.level)}.", DIM)) if policy.fields else None,
    )


def describe_check(check: "PolicyCheck") -> str:
    """Whether a policy holds, in words."""
    verb = "holds"
    if not check.holds:
        verb = "does not hold" if check.is_measured else "is not measured"
    return f"The policy {verb} on run {check.run}."


def build_check_report(check: "PolicyCheck") -> RenderableType:
    """Show whether a policy holds, per field."""
    heads = ("accept from", "accepted", "wrong", "error at most")
    table = make_grid(
        {}, {"header": "field", **WRAPPED}, *({"header": head, "justify": "right"} for head in heads), {"no_wrap": False}, heads=True
    )
    for path, field in check.fields.items():
        bound = "–" if field.bound is None else format_share(field.bound, up=True)
        cells = (f"{field.threshold:.4g}", f"{field.accepted:,}", f"{field.errors:,}", bound, field.reason)
        table.add_row(pass_mark(field.holds), styled_text(path), *map(styled_text, cells))
    made_from = check.policy.made_from.get("run", "")
    return stack_parts(
        styled_text(("policy of run ", DIM), made_from, (f"   largest error {format_share(check.policy.max_error)}", DIM)),
        styled_text((describe_check(check), TITLE)),
        *(styled_text(("✗ ", BAD), problem) for problem in check.problems),
        *(styled_text(("! ", NOTE), f"since run {made_from}: {note}") for note in check.notes),
        make_section("Fields", table) if check.fields else None,
    )


def render_certificate(policy: Policy, check: "PolicyCheck | None" = None) -> str:
    """Render a self-contained page for people who decide: what is promised, how sure it is, and by which method."""
    script = read_static("report.js")
    template: Any = get_environment().get_template("policy.html")
    return template.render(
        promise=policy,
        sentence=describe_policy(policy),
        verdict="" if check is None else describe_check(check),
        times=times_in(policy.level),
        share=format_share,
        style=read_static("report.css"),
        script=script,
        policy=make_content_policy(script),
        version=__version__,
    )
