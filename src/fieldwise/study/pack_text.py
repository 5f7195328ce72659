"""The Markdown files of an improvement pack: the summary for people and models, and the rules in sentences."""

from collections.abc import Sequence
from inspect import getdoc
from typing import TYPE_CHECKING

from fieldwise.registry import EVALUATORS, MATCHERS
from fieldwise.report.result_text import FIELD_STATES, describe_cause
from fieldwise.report.text_format import format_count, format_number, format_value, make_visible, truncate, truncate_middle

if TYPE_CHECKING:
    from fieldwise.study.pack import FieldCount, Pack, PackExample

_VALUE_LENGTH, _PATH_LENGTH = 80, 60


def write_summary(pack: "Pack", limit: int) -> str:
    """What is wrong, most frequent causes first, and what to do; shorter than `limit` characters."""
    entries = 12
    while True:
        text = "\n".join(_list_summary_lines(pack, entries)) + "\n"
        if len(text) < limit or not entries:
            return text if len(text) < limit else truncate(text, limit - 1)
        entries -= 1


def _list_summary_lines(pack: "Pack", entries: int) -> list[str]:
    run, splits = pack.run, pack.options.splits
    wrong = sum(sum(counts.values()) for counts in pack.mismatches.values())
    compared = sum(field.n for field in pack.fields)
    chosen = f"split {', '.join(splits)}" if splits else "all cases"
    lines = [f"# Improvement pack: {_escape_prose(run.name)}", ""]
    lines += [f"Run {run.id}, {chosen}: {format_count(len(pack.cases), 'case')}. Counts are those of the evaluator `{pack.evaluator}`."]
    lines += ["", "| evaluator | mean score | cases |", "| --- | --- | --- |"]
    lines += [f"| {name} | {format_number(score)} | {n} |" for name, (score, n) in pack.scores.items()]
    if compared:
        lines += ["", f"{wrong:,} of {format_count(compared, 'value')} {'is' if wrong == 1 else 'are'} wrong."]
    if pack.mismatches:
        lines += ["", "## What to change first", ""]
        for number, cause in enumerate(list(pack.mismatches)[:entries], 1):
            lines += _describe_cause_entry(pack, number, cause)
        left_out = len(pack.mismatches) - entries
        lines += [f"{format_count(left_out, 'more cause')} in examples.jsonl."] if left_out > 0 else []
        lines += ["", "## Fields", "", "| field | match | right | likely causes |", "| --- | --- | --- | --- |"]
        lines += [_describe_field_row(field) for field in pack.fields[: 2 * entries] if field.causes]
        perfect = sum(not field.causes for field in pack.fields)
        lines += ["", f"{format_count(perfect, 'field')} without a mismatch: keep them so."] if perfect else []
    lines += ["", "## Files", ""]
    lines += [f"* feedback.jsonl: {_count_feedback(pack)}, lowest scores first"]
    lines += ["* examples.jsonl: diverse failures of each cause (`kind: failure`), and right values to keep (`kind: pass`)"]
    lines += ["* rules.md: how values are compared"]
    lines += ["* `fieldwise run SUITE --from THIS_FOLDER` then reports which causes shrank"]
    return lines


def _count_feedback(pack: "Pack") -> str:
    shown = len({line["case"] for line in pack.feedback})
    text = f"the feedback of {format_count(shown, 'case')}"
    return text if shown >= pack.imperfect_cases else f"{text} of {pack.imperfect_cases:,} that are not perfect"


def _describe_cause_entry(pack: "Pack", number: int, cause: str) -> list[str]:
    counts = pack.mismatches[cause]
    fields = sorted((field for field in pack.fields if cause in field.causes), key=lambda field: -field.causes[cause])
    named = ", ".join(f"`{truncate_middle(make_visible(field.field), _PATH_LENGTH)}` {field.causes[cause]}" for field in fields[:3])
    more = f" and {len(fields) - 3} more fields" if len(fields) > 3 else ""
    size = f"{format_count(sum(counts.values()), 'value')} in {format_count(len(counts), 'case')}"
    lines = [f"{number}. **{label_of(cause)}**: {size}, {named}{more}"]
    examples = [example for example in pack.examples if example.kind == "failure" and example.cause == cause]
    lines += [f"   e.g. {_describe_example(example)}" for example in examples[:1]]
    advice = describe_cause(cause, fields[0].match if fields else "").advice
    return [*lines, f"   {advice}"] if advice else lines


def label_of(cause: str) -> str:
    """The label of a cause, or of an outcome where no cause is known.

    >>> label_of("ocr"), label_of("omission"), label_of("wrong_value")
    ('look-alike characters', 'omission', 'wrong value, no known cause')
    """
    if cause in FIELD_STATES:
        word = FIELD_STATES[cause].word
        return f"{word}, no known cause" if cause in ("wrong_value", "format_error") else word
    return describe_cause(cause).label


def _describe_example(example: "PackExample") -> str:
    comparison = example.comparison
    expected = "missing" if comparison.expected_presence == "missing" else format_value(comparison.expected)
    actual = "missing" if comparison.actual_presence == "missing" else format_value(comparison.actual)
    shown = [_escape_prose(truncate(text, _VALUE_LENGTH)) for text in (expected, actual)]
    return f"`{truncate_middle(make_visible(comparison.path), _PATH_LENGTH)}`: expected {shown[0]}, got {shown[1]}"


def _describe_field_row(field: "FieldCount") -> str:
    causes = ", ".join(f"{label_of(cause)} {count}" for cause, count in list(field.causes.items())[:3])
    name = _escape_prose(truncate_middle(make_visible(field.field), _PATH_LENGTH))
    return f"| {name} | {field.match} | {field.matched} of {field.n} | {causes} |"


def _escape_prose(text: str) -> str:
    """Text from data on one line that ends no table cell and starts no markup."""
    return make_visible(text).replace("|", "\\|").replace("`", "'").replace("<", "&lt;")


def write_rules(pack: "Pack") -> str:
    """The evaluators and the rules of the fields that the pack's cases have, in sentences."""
    lines = ["# Rules", "", "How outputs are scored. Values in `examples.jsonl` and `feedback.jsonl` are judged by these rules.", ""]
    for entry in pack.run.manifest.evaluators:
        spec_text = _first_sentence(EVALUATORS, str(entry["type"]))
        pass_at = f" A case passes from a score of {entry['pass_at']:g}." if entry.get("pass_at") is not None else ""
        lines.append(f"* `{entry['name']}` ({entry['type']}): {spec_text}{pass_at}")
    rule_of = {field.field: field.rule for field in pack.run.fields(pack.evaluator)}
    fields = sorted(pack.fields, key=lambda field: field.field)
    if fields:
        lines += ["", f"## Fields of `{pack.evaluator}`", ""]
        lines += _describe_rules(fields, rule_of)
    return "\n".join(lines) + "\n"


def _describe_rules(fields: "Sequence[FieldCount]", rule_of: dict[str, str]) -> list[str]:
    lines: list[str] = []
    for field in fields:
        rule = rule_of.get(field.field, field.match)
        lines.append(f"* `{make_visible(field.field)}` is compared by {rule}.")
    lines += ["", "## Matches", ""]
    lines += [f"* {match}: {_first_sentence(MATCHERS, match)}" for match in sorted({field.match for field in fields if field.match})]
    return lines


def _first_sentence(catalog: object, name: str) -> str:
    """The first line of the description of a registered evaluator or match; empty if it is not installed."""
    try:
        spec = catalog.find(name)  # type: ignore[attr-defined]
    except KeyError:
        return ""
    return (getdoc(spec.function) or "").split("\n", 1)[0]
