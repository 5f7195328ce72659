"""The differences between two sides, field by field, with the rule each field was compared by and the reason for that rule.

An item of a list that is missing or unexpected as a whole is shown once, not once for each of its fields.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from rich.console import Group, RenderableType
from rich.text import Text

from fieldwise.model.comparison import UNCOUNTED_OUTCOMES, Comparison
from fieldwise.model.diff import Diff
from fieldwise.model.result import Result
from fieldwise.report.result_text import describe_cause
from fieldwise.report.terminal_layout import (
    BAD,
    DIM,
    NOTE,
    OK,
    TITLE,
    DisplayOptions,
    build_diagnostics_section,
    indent,
    make_section,
    stack_parts,
    styled_text,
)
from fieldwise.report.text_format import dump_json, fit_parts, format_count, join_nonempty, make_visible, truncate_middle
from fieldwise.report.value_diff import style_comparison
from fieldwise.summarize.rule_text import rule_text

_FIRST_STEP: Final = re.compile(r"[.\[]")
MAX_UNGROUPED: Final = 40
"""Up to this number of differences, all are shown."""
MAX_PER_FIELD: Final = 3
MAX_FIELDS: Final = 40
MAX_UNSCORED: Final = 10
_PATH_LENGTH: Final = 30
_NOTE_LENGTH: Final = 40
CaseComparison: TypeAlias = tuple[str, Comparison]
"""A case id and a comparison of that case."""
_ALIGNMENTS: Final = {"index": "by position", "best": "by best fit"}
_OUTCOME_WORDS: Final = {"omission": "missing", "hallucination": "not expected", "fault": "not compared"}


@dataclass(frozen=True, slots=True)
class _FieldDiff:
    """One field with its differences."""

    name: str
    rule: str
    reason: str
    compared: int
    mismatches: list[CaseComparison]
    accepted: list[CaseComparison]
    """Not equal, but matching by the rule."""


def build_diff_report(diff: Diff, display: DisplayOptions) -> RenderableType:
    """Build the whole report."""
    if not diff.has_common_field:
        return stack_parts(_build_no_common_field(diff), build_diagnostics_section(diff.diagnostics, everything=display.everything))
    fields = _group_by_field(diff)
    wrong = [field for field in fields if field.mismatches]
    count = len(diff.differences)
    limit = None if display.everything or count <= MAX_UNGROUPED else MAX_PER_FIELD
    several = len(diff.results) > 1
    shown = wrong if display.everything else wrong[:MAX_FIELDS]
    left_out = wrong[len(shown) :]
    more = None
    if left_out:
        mismatches = sum(len(field.mismatches) for field in left_out)
        more = styled_text((f"and {mismatches} more in {format_count(len(left_out), 'field')} (--all)", DIM))
    return stack_parts(
        _build_pairing(diff) if diff.pairing and diff.results else None,
        _build_headline(diff, fields, count),
        _build_kinds(diff) if count > 1 else None,
        *(_build_field_section(field, limit, several, display) for field in shown),
        more,
        _build_accepted(fields, display, several) if any(field.accepted for field in fields) else None,
        _build_rules(diff),
        build_diagnostics_section(diff.diagnostics, everything=display.everything),
        _build_unscored(diff.results),
    )


def _build_pairing(diff: Diff) -> RenderableType:
    return Group(*(styled_text((line, DIM)) for line in diff.pairing))


def _build_no_common_field(diff: Diff) -> RenderableType:
    expected: Counter[str] = Counter()
    actual: Counter[str] = Counter()
    for _, comparison in diff.differences:
        (expected if comparison.outcome == "omission" else actual)[_FIRST_STEP.split(comparison.field, 1)[0]] += 1
    lines = [
        styled_text(("✗ no field in common", BAD + TITLE)),
        styled_text(f"expected has {fit_parts(list(expected), 100)}"),
        styled_text(f"actual has {fit_parts(list(actual), 100)}"),
        *(styled_text((line, DIM)) for line in diff.pairing),
        styled_text(("name the fields that belong together: --rename EXPECTED=ACTUAL", NOTE)),
    ]
    return Group(*lines)


def _group_by_field(diff: Diff) -> list[_FieldDiff]:
    """Group the comparisons by field, in the order of the rules, then of appearance."""
    rules = {rule.text: rule_text(rule) for rule in diff.rules}
    counts: Counter[str] = Counter()
    for result in diff.results.values():
        counts.update(comparison.field for comparison in result.comparisons if comparison.outcome not in UNCOUNTED_OUTCOMES)
    fields = {name: _make_field(name, diff, rules, count) for name, count in counts.items()}
    for case, result in diff.results.items():
        for comparison in merge_whole_items(result.comparisons):
            if comparison.outcome in UNCOUNTED_OUTCOMES:
                continue
            field = fields.setdefault(comparison.field, _make_field(comparison.field, diff, rules, 0))
            if not comparison.passed:
                field.mismatches.append((case, comparison))
            elif not _is_identical(comparison):
                field.accepted.append((case, comparison))
    order = {name: place for place, name in enumerate(rules)}
    first = {name: min((order[rule] for rule in order if rule.startswith(name)), default=len(order)) for name in fields}
    return sorted(fields.values(), key=lambda field: (first[field.name], len(field.name)))


def _make_field(name: str, diff: Diff, rules: Mapping[str, str], compared: int) -> _FieldDiff:
    if not compared and name.endswith("]"):
        return _FieldDiff(name, "whole items", "", compared, [], [])
    return _FieldDiff(name, rules.get(name, ""), diff.reasons.get(name, ""), compared, [], [])


def _is_identical(comparison: Comparison) -> bool:
    return type(comparison.expected) is type(comparison.actual) and comparison.expected == comparison.actual


def _build_headline(diff: Diff, fields: Sequence[_FieldDiff], count: int) -> Text:
    compared = sum(field.compared for field in fields)
    records = join_nonempty((format_count(len(diff.results), "record"), format_count(compared, "value") + " compared"))
    if diff.same:
        return styled_text(("✓ nothing differs", OK + TITLE), (f"  {records}", DIM))
    if count:
        verdict = format_count(count, "difference")
    else:
        verdict = "not everything could be compared" if compared else "nothing could be compared"
    return styled_text((f"✗ {verdict}", BAD + TITLE), (f"  {records}", DIM))


def _build_kinds(diff: Diff) -> RenderableType:
    """Count the differences of each kind."""
    kinds = Counter(_name_kind(comparison) for _, comparison in diff.differences)
    return indent(styled_text((join_nonempty(f"{make_visible(kind)} {count}" for kind, count in kinds.most_common()), DIM)))


def _name_kind(comparison: Comparison) -> str:
    if comparison.cause:
        return describe_cause(comparison.cause).label
    return _OUTCOME_WORDS.get(comparison.outcome, "other value" if comparison.outcome == "wrong_value" else "other type")


def _build_field_section(field: _FieldDiff, limit: int | None, several: bool, display: DisplayOptions) -> RenderableType:
    count = f"{len(field.mismatches)} of {field.compared}" if field.compared > 1 else ""
    reason = field.reason.removeprefix("the values are ")
    rule = f"{field.rule}: {reason}" if field.rule and reason else field.rule or "not in the expected record"
    title = styled_text((make_visible(field.name), TITLE), ("  " + join_nonempty((count, rule)), DIM), overflow="ellipsis", no_wrap=True)
    shown = field.mismatches[:limit]
    rows = [_build_mismatch(case if several else "", comparison, field, display) for case, comparison in shown]
    if len(field.mismatches) > len(shown):
        rows.append(styled_text((f"and {len(field.mismatches) - len(shown)} more (--all)", DIM)))
    return Group(Text(), title, *(indent(row) for row in rows))


def _build_mismatch(case: str, comparison: Comparison, field: _FieldDiff, display: DisplayOptions) -> Text:
    item = "" if comparison.path == field.name else _find_item(comparison.path, field.name)
    location = truncate_middle(make_visible(join_nonempty((case, item), " ")), _PATH_LENGTH)
    kind = _name_kind(comparison)
    note = f": {comparison.note}" if comparison.note and not comparison.cause else ""
    if len(note) >= _NOTE_LENGTH:
        note = ""
    room = max((display.width - len(location) - len(kind) - len(note) - 12) // 2, 20)
    line = styled_text((f"{location}  " if location else "", DIM), style_comparison(comparison, limit=room))
    if comparison.outcome in ("omission", "hallucination") and not comparison.cause:
        return line
    return styled_text(line, ("  " + kind + note, NOTE))


def _find_item(path: str, field: str) -> str:
    """Return the part of a path that its field does not have: for `items[2].amount` of `items[*].amount` that is `[2]`."""
    start, _, end = field.partition("[*]")
    if end == "" and not field.endswith("[*]"):
        return path
    item = path.removeprefix(start) if "[*]" in end else path.removeprefix(start).removesuffix(end)
    return item or path


def _build_accepted(fields: Sequence[_FieldDiff], display: DisplayOptions, several: bool) -> RenderableType:
    """Show values that are not equal but match by their rule: all of them with `--all`, else their number and fields."""
    count = format_count(sum(len(field.accepted) for field in fields), "value")
    if not display.everything:
        names = ", ".join(make_visible(field.name) for field in fields if field.accepted)
        shown = names if len(names) < 60 else names[:58] + "…"
        return make_section(f"{count} not equal but matching by the rule (--all)", styled_text((shown, DIM)))
    rows: list[RenderableType] = []
    for field in fields:
        for case, comparison in field.accepted:
            location = truncate_middle(make_visible(join_nonempty((case if several else "", comparison.path), " ")), _PATH_LENGTH)
            change = style_comparison(comparison, limit=max((display.width - len(location) - 30) // 2, 20))
            rows.append(styled_text((location + "  ", DIM), change, (f"  {field.rule}", DIM)))
    return make_section(f"{count} not equal but matching by the rule", *rows)


def _build_rules(diff: Diff) -> RenderableType | None:
    """Show the inferred rules in a line, and how lists were paired."""
    if not diff.rules:
        return None
    counts = Counter(rule_text(rule) for rule in diff.rules)
    summary = join_nonempty(f"{rule}: {format_count(count, 'field')}" for rule, count in counts.most_common())
    lines: list[RenderableType] = [styled_text((summary, DIM))]
    paths_by_alignment: dict[str, list[str]] = {}
    for rule in diff.lists:
        alignment = f"by key {rule.key}" if rule.align == "key" else _ALIGNMENTS.get(rule.align, "as a set")
        reason = diff.reasons.get(str(rule.path))
        if reason:
            alignment += f", because {reason}"
        paths_by_alignment.setdefault(alignment, []).append(str(rule.path))
    for alignment, paths in paths_by_alignment.items():
        lines.append(styled_text((f"{fit_parts(paths, 60)}: paired {alignment}", DIM)))
    return make_section("Rules, inferred from the values of both sides", *lines)


def _build_unscored(results: Mapping[str, Result]) -> RenderableType | None:
    unscored = [(case, result) for case, result in results.items() if result.status != "scored"]
    if not unscored:
        return None
    lines = [styled_text(("✗ ", BAD), f"{case}: {result.reasoning or result.status}") for case, result in unscored[:MAX_UNSCORED]]
    more = styled_text((f"and {len(unscored) - MAX_UNSCORED} more", DIM)) if len(unscored) > MAX_UNSCORED else None
    return make_section("Not compared", *lines, more)


def render_diff_json(diff: Diff) -> str:
    """Render the diff as a JSON object."""
    return dump_json(
        {
            "same": diff.same,
            "pairing": list(diff.pairing),
            "has_common_field": diff.has_common_field,
            "differences": [{"case": case, **comparison.to_json()} for case, comparison in diff.differences],
            "rules": [{"path": rule.text, "rule": rule_text(rule), "because": diff.reasons.get(rule.text)} for rule in diff.rules],
            "lists": [{"path": str(rule.path), "align": rule.align, "because": diff.reasons.get(str(rule.path))} for rule in diff.lists],
            "diagnostics": [diagnostic.to_json() for diagnostic in diff.diagnostics],
        }
    )


_ITEM_INDEX: Final = re.compile(r"\[\+?\d+\]")
_EMPTY_SIDE: Final = {"omission": "actual_presence", "hallucination": "expected_presence"}
"""Outcome → the side that has no value at all."""


def merge_whole_items(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Replace the comparisons of an item that only one side has by one comparison of the whole item.

    >>> def lost(path, value):
    ...     return Comparison(path=path, field=path.replace("1", "*"), outcome="omission", expected=value, actual=None, similarity=0.0,
    ...                       expected_presence="present", actual_presence="missing", passed=False)
    >>> merged = merge_whole_items([lost("items[1].name", "Cake"), lost("items[1].amount", 30)])
    >>> [(comparison.path, comparison.expected) for comparison in merged]
    [('items[1]', {'name': 'Cake', 'amount': 30})]
    """
    whole_items = _find_whole_items(comparisons)
    if not whole_items:
        return list(comparisons)
    merged: list[Comparison] = []
    values: dict[str, dict[str, Any]] = {}
    for comparison in comparisons:
        item = next((prefix for prefix in _list_items(comparison.path) if prefix in whole_items), None)
        if item is None:
            merged.append(comparison)
            continue
        if item not in values:
            values[item] = {}
            merged.append(_make_item(item, comparison, values[item]))  # its value is completed by the comparisons that follow
        value = comparison.expected if comparison.outcome == "omission" else comparison.actual
        values[item][comparison.path.removeprefix(item).lstrip(".") or "value"] = value
    return merged


def _find_whole_items(comparisons: Sequence[Comparison]) -> set[str]:
    """Find the items all of whose fields are omitted, or all of whose fields are unexpected."""
    fields: Counter[str] = Counter()
    one_sided: Counter[tuple[str, str]] = Counter()
    for comparison in comparisons:
        side = _EMPTY_SIDE.get(comparison.outcome)
        is_one_sided = side is not None and getattr(comparison, side) == "missing"
        for item in _list_items(comparison.path):
            fields[item] += 1
            if is_one_sided:
                one_sided[item, comparison.outcome] += 1
    return {item for (item, _), count in one_sided.items() if count == fields[item] > 1}


def _list_items(path: str) -> Iterator[str]:
    """Yield the list items that a path goes through, the outermost first."""
    return (path[: index.end()] for index in _ITEM_INDEX.finditer(path))


def _make_item(path: str, comparison: Comparison, value: dict[str, Any]) -> Comparison:
    omitted = comparison.outcome == "omission"
    return Comparison(
        path=path,
        field=_ITEM_INDEX.sub("[*]", path),
        outcome=comparison.outcome,
        expected=value if omitted else None,
        actual=None if omitted else value,
        expected_presence=comparison.expected_presence,
        actual_presence=comparison.actual_presence,
        similarity=0.0,
        passed=False,
        note="the whole item",
    )
