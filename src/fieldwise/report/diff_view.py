"""What differs between two sides, field by field, with the rule each field was compared by and why that rule."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from fieldwise.model.comparison import Comparison
from fieldwise.model.diff import Diff
from fieldwise.model.result import Result
from fieldwise.report.changes import change
from fieldwise.report.diagnostics import diagnostics_section
from fieldwise.report.fields import fitting
from fieldwise.report.items import with_whole_items
from fieldwise.report.parts import BAD, DIM, NOTE, OK, TITLE, joined, plural, section, stack, text
from fieldwise.report.safe import json_text, middle, safe
from fieldwise.report.view import Show
from fieldwise.summarize.rule_text import rule_text

FEW: Final = 40
"""So many differences are all shown."""
MOST_OF_A_FIELD: Final = 3
MOST_FIELDS: Final = 40
_LONGEST_PLACE: Final = 30
Differs = tuple[str, Comparison]
"""A case and a field of it."""
Labels = Mapping[str, str]
"""Cause → its label."""
_NOT_COMPARED: Final = ("both_absent", "ignored")
_WAYS: Final = {"index": "by position", "best": "by best fit"}
_OUTCOMES: Final = {"omission": "missing", "hallucination": "not expected", "fault": "not compared"}


@dataclass(frozen=True, slots=True)
class _Field:
    """One field with its differences."""

    name: str
    rule: str
    reason: str
    compared: int
    differs: list[Differs]
    accepted: list[Differs]
    """Not equal, but matching by the rule."""


def diff_report(diff: Diff, labels: Labels, show: Show) -> RenderableType:
    """The whole report."""
    fields = _fields(diff)
    wrong = [field for field in fields if field.differs]
    count = len(diff.differences)
    accepted = sum(len(field.accepted) for field in fields)
    limit = None if show.everything or count <= FEW else MOST_OF_A_FIELD
    several = len(diff.results) > 1
    shown = wrong if show.everything else wrong[:MOST_FIELDS]
    left = wrong[len(shown) :]
    return stack(
        _headline(diff, fields, count),
        _summary(diff, labels) if count > 1 else None,
        *(_field_section(field, labels, limit, several, show) for field in shown),
        text((f"and {sum(len(field.differs) for field in left)} more in {plural(len(left), 'field')} (--all)", DIM)) if left else None,
        _accepted(fields, show, several) if accepted else None,
        _rules(diff),
        diagnostics_section(diff.diagnostics, everything=show.everything),
        _unscored(diff.results),
    )


def _fields(diff: Diff) -> list[_Field]:
    """Every field that was compared, in the order of the rules, then of appearance."""
    rules = {rule.text: rule_text(rule) for rule in diff.rules}
    compared = Counter(one.field for result in diff.results.values() for one in result.comparisons if one.outcome not in _NOT_COMPARED)
    found = {name: _field(name, diff, rules, count) for name, count in compared.items()}
    for case, result in diff.results.items():
        for one in with_whole_items(result.comparisons):
            if one.outcome in _NOT_COMPARED:
                continue
            field = found.setdefault(one.field, _field(one.field, diff, rules, 0))
            if not one.passed:
                field.differs.append((case, one))
            elif _is_other(one):
                field.accepted.append((case, one))
    order = {name: place for place, name in enumerate(rules)}
    first = {name: min((order[rule] for rule in order if rule.startswith(name)), default=len(order)) for name in found}
    return sorted(found.values(), key=lambda field: (first[field.name], len(field.name)))


def _field(name: str, diff: Diff, rules: Mapping[str, str], compared: int) -> _Field:
    whole = not compared and name.endswith("]")
    return _Field(name, "whole items" if whole else rules.get(name, ""), "" if whole else diff.reasons.get(name, ""), compared, [], [])


def _is_other(one: Comparison) -> bool:
    return type(one.expected) is not type(one.actual) or one.expected != one.actual


def _headline(diff: Diff, fields: Sequence[_Field], count: int) -> Text:
    compared = sum(field.compared for field in fields)
    records = joined((plural(len(diff.results), "record"), plural(compared, "value") + " compared"))
    if diff.same:
        return text(("✓ nothing differs", OK + TITLE), (f"  {records}", DIM))
    told = plural(count, "difference") if count else "not everything could be compared"
    return text((f"✗ {told}", BAD + TITLE), (f"  {records}", DIM))


def _summary(diff: Diff, labels: Labels) -> RenderableType:
    """How often each kind of difference was met."""
    kinds = Counter(_kind(one, labels) for _, one in diff.differences)
    return Padding(text((joined(f"{safe(kind)} {count}" for kind, count in kinds.most_common()), DIM)), (0, 0, 0, 2))


def _kind(one: Comparison, labels: Labels) -> str:
    if one.cause:
        return labels.get(one.cause, one.cause.replace("_", " "))
    return _OUTCOMES.get(one.outcome, "other value" if one.outcome == "wrong_value" else "other type")


def _field_section(field: _Field, labels: Labels, limit: int | None, several: bool, show: Show) -> RenderableType:
    count = f"{len(field.differs)} of {field.compared}" if field.compared > 1 else ""
    reason = field.reason.removeprefix("the values are ")
    rule = f"{field.rule}: {reason}" if field.rule and reason else field.rule or "nothing like it is expected"
    head = text((safe(field.name), TITLE), ("  " + joined((count, rule)), DIM), overflow="ellipsis", no_wrap=True)
    shown = field.differs[:limit]
    rows = [_row(case if several else "", one, labels, field, show) for case, one in shown]
    if len(field.differs) > len(shown):
        rows.append(text((f"and {len(field.differs) - len(shown)} more (--all)", DIM)))
    return Group(Text(), head, *(Padding(row, (0, 0, 0, 2)) for row in rows))


def _row(case: str, one: Comparison, labels: Labels, field: _Field, show: Show) -> Text:
    place = middle(safe(joined((case, "" if one.path == field.name else _below(one.path, field.name)), " ")), _LONGEST_PLACE)
    kind = _kind(one, labels)
    note = f": {one.note}" if one.note and not one.cause else ""
    note = note if len(note) < 40 else ""
    room = max((show.width - len(place) - len(kind) - len(note) - 12) // 2, 20)
    line = text((f"{place}  " if place else "", DIM), change(one, limit=room))
    if one.outcome in ("omission", "hallucination") and not one.cause:
        return line
    return text(line, ("  " + kind + note, NOTE))


def _below(path: str, field: str) -> str:
    """The part of a path that its field does not say: for `items[2].amount` of `items[*].amount` that is `[2]`."""
    start, _, end = field.partition("[*]")
    if end == "" and not field.endswith("[*]"):
        return path
    inner = path.removeprefix(start).removesuffix(end) if "[*]" not in end else path.removeprefix(start)
    return inner or path


def _accepted(fields: Sequence[_Field], show: Show, several: bool) -> RenderableType:
    """Values that are not equal but match by their rule: all of them on request, else how many."""
    count = sum(len(field.accepted) for field in fields)
    if not show.everything:
        names = joined((safe(field.name) for field in fields if field.accepted), ", ")
        shown = names if len(names) < 60 else names[:58] + "…"
        return section(f"{plural(count, 'value')} not equal but matching by the rule (--all)", text((shown, DIM)))
    rows: list[RenderableType] = []
    for field in fields:
        for case, one in field.accepted:
            place = middle(safe(joined((case if several else "", one.path), " ")), _LONGEST_PLACE)
            rows.append(
                text((place + "  ", DIM), change(one, limit=max((show.width - len(place) - 30) // 2, 20)), (f"  {field.rule}", DIM))
            )
    return section(f"{plural(count, 'value')} not equal but matching by the rule", *rows)


def _rules(diff: Diff) -> RenderableType | None:
    """Which rules were chosen, in a line, and how lists were paired."""
    if not diff.rules:
        return None
    counts = Counter(rule_text(rule) for rule in diff.rules)
    lines: list[RenderableType] = [text((joined(f"{rule}: {plural(count, 'field')}" for rule, count in counts.most_common()), DIM))]
    ways: dict[str, list[str]] = {}
    for rule in diff.lists:
        how = f"by key {rule.key}" if rule.align == "key" else _WAYS.get(rule.align, "as a set")
        why = diff.reasons.get(str(rule.path))
        ways.setdefault(how + (f", because {why}" if why else ""), []).append(str(rule.path))
    for how, paths in ways.items():
        lines.append(text((f"{fitting(paths, 60)}: paired {how}", DIM)))
    return section("Rules, chosen from the expected values", *lines)


def _unscored(results: Mapping[str, Result]) -> RenderableType | None:
    lines = [
        text(("✗ ", BAD), f"{case}: {result.reasoning or result.status}") for case, result in results.items() if result.status != "scored"
    ]
    return section("Not compared", *lines[:10], text((f"and {len(lines) - 10} more", DIM)) if len(lines) > 10 else None) if lines else None


def diff_json(diff: Diff) -> str:
    """The same for programs."""
    return json_text(
        {
            "same": diff.same,
            "differences": [{"case": case, **one.to_json()} for case, one in diff.differences],
            "rules": [{"path": rule.text, "rule": rule_text(rule), "because": diff.reasons.get(rule.text)} for rule in diff.rules],
            "lists": [{"path": str(rule.path), "align": rule.align, "because": diff.reasons.get(str(rule.path))} for rule in diff.lists],
            "diagnostics": [one.to_json() for one in diff.diagnostics],
        }
    )
