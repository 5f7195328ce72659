"""A judge beside people, as a page of text."""

from collections.abc import Sequence

from rich.console import RenderableType

from fieldwise.model.audit import Audit
from fieldwise.report.parts import BAD, DIM, NOTE, OK, grid, number, plural, section, stack, text
from fieldwise.report.safe import cut
from fieldwise.report.view import Show

_MOST = 12
_FEW = 50
"""With fewer cases than this, an audit says little."""
_WORDS = ((0.8, "strong"), (0.6, "fair"), (0.4, "weak"), (-1.0, "hardly more than chance"))


def audit_report(audit: Audit, show: Show) -> RenderableType:
    """Agreement, kappa, who said what how often, and the cases where they differ."""
    return stack(
        text(("judge ", DIM), audit.evaluator, ("   run ", DIM), audit.run),
        *_notes(audit, show),
        section(f"Agreement, {plural(audit.n, 'case')}", *_agreement(audit)),
        section("How often: people say ↓, the judge says →", _table(audit)),
        _disagreements(audit, show),
    )


def _notes(audit: Audit, show: Show) -> list[RenderableType]:
    told = [
        (audit.unknown, "not in the run"),
        (audit.unjudged, "not measured by the judge"),
    ]
    notes = [f"{plural(len(cases), 'label')} left out, {why}: {_named(cases, show)}" for cases, why in told if cases]
    if audit.unlabelled:
        notes.append(f"{plural(audit.unlabelled, 'case')} without a label left out")
    if audit.partial_is_fail:
        notes.append("the judge's partial counts as fail, since people only say pass and fail; `pass_at` would decide")
    if audit.n < _FEW:
        notes.append(f"{plural(audit.n, 'case')} show little; 100 and more give a steady number")
    return [text(("! ", NOTE), note) for note in notes]


def _agreement(audit: Audit) -> list[RenderableType]:
    low, high = audit.agreement_interval
    lines = grid({}, {"justify": "right"}, {}, {"no_wrap": False})
    lines.add_row(text("the same"), text(number(audit.agreement)), text((f"{low:.2f} to {high:.2f}", DIM)), text())
    if audit.kappa is None or audit.kappa_interval is None:
        lines.add_row(text("kappa"), text("–"), text(), text("not defined: everybody says the same of every case"))
    else:
        low, high = audit.kappa_interval
        word = next(word for bound, word in _WORDS if audit.kappa >= bound)
        lines.add_row(text("Cohen's kappa"), text(number(audit.kappa)), text((f"{low:.2f} to {high:.2f}", DIM)), text((word, DIM)))
    for share, told in ((audit.share("pass", "pass"), "passes what people pass"), (audit.share("fail", "fail"), "fails what people fail")):
        if share is not None:
            lines.add_row(text(f"the judge {told}"), text(number(share)), text(), text())
    parts: list[RenderableType] = [lines]
    if audit.best is not None:
        best = audit.best
        told = f"with `pass_at: {best.pass_at:g}` kappa would be {best.kappa:.3f}; found on these very cases, so try it on others"
        parts.append(text((told, OK)))
    return parts


def _table(audit: Audit) -> RenderableType:
    kinds = list(audit.table)
    lines = grid({"header": ""}, *({"header": kind, "justify": "right"} for kind in kinds), heads=True)
    for people, row in audit.table.items():
        cells = [text((f"{count:,}", OK if judge == people else BAD if count else DIM)) for judge, count in row.items()]
        lines.add_row(text(people), *cells)
    return lines


def _disagreements(audit: Audit, show: Show) -> RenderableType | None:
    if not audit.disagreements:
        return None
    shown = audit.disagreements if show.everything else audit.disagreements[:_MOST]
    names = ("case", "people", "judge", "score", "why")
    lines = grid(*({"header": name, "no_wrap": name != "why"} for name in names), heads=True)
    for one in shown:
        reason = one.reasoning if show.everything else cut(one.reasoning.replace("\n", " "), 200)
        lines.add_row(text(one.case), text(one.people), text((one.judge, BAD)), text(number(one.score)), text(reason))
    rest = len(audit.disagreements) - len(shown)
    more = text((f"and {rest:,} more: --all shows them", DIM)) if rest else None
    return section(f"They differ on {plural(len(audit.disagreements), 'case')}", lines, more)


def _named(cases: Sequence[str], show: Show) -> str:
    some = cases if show.everything else cases[:8]
    return ", ".join(some) + (f" and {len(cases) - len(some):,} more" if len(cases) > len(some) else "")
