"""Lists of comparisons: the mismatches of a run, and one field over all cases; as a page, as JSON and as files."""

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from shlex import quote
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from rich.console import Group, RenderableType
from rich.text import Text

from fieldwise.model.item_label import is_unmatched_path, plain_item_path
from fieldwise.report.result_text import describe_cause
from fieldwise.report.terminal_layout import (
    DIM,
    NOTE,
    TITLE,
    DisplayOptions,
    build_command_line,
    indent,
    pass_mark,
    stack_parts,
    styled_text,
)
from fieldwise.report.text_format import (
    choose_shortener,
    dump_json,
    format_count,
    format_csv_cell,
    join_nonempty,
    make_encodable,
    make_visible,
    truncate,
    truncate_middle,
)
from fieldwise.report.value_diff import style_comparison
from fieldwise.report.workbook import render_workbook

if TYPE_CHECKING:
    from fieldwise.store.run import Run
    from fieldwise.store.stored_comparisons import StoredComparison, StoredComparisons

SUFFIXES: Final = (".csv", ".xlsx", ".jsonl", ".json", ".parquet")
COLUMNS: Final = ("case", "evaluator", "field", "path", "expected", "actual", "outcome", "cause", "similarity", "note")
MAX_ROWS: Final = 100
"""Rows on a page, unless everything is shown."""
_PATH_LENGTH, _CASE_LENGTH = 40, 30
CaseShortener: TypeAlias = Callable[[str, int], str]
"""Shortens the id of a case to a number of characters."""


def build_mismatches_page(run: "Run", mismatches: "StoredComparisons", display: DisplayOptions) -> RenderableType:
    """Show mismatches by field, the field with the most of them first."""
    rows = merge_evaluators(mismatches)
    title = styled_text((run.name, TITLE), (f"  {run.id}", DIM))
    if not rows:
        return stack_parts(title, Text(), styled_text(explain_emptiness(run)))
    by_field: dict[str, list[tuple[StoredComparison, str]]] = {}
    for row in rows:
        by_field.setdefault(row[0].comparison.field, []).append(row)
    cases = len({stored.case for stored, _ in rows})
    count = f"{format_count(len(rows), 'wrong value')} in {format_count(cases, 'case')}"
    parts: list[RenderableType] = [title, styled_text((count, DIM))]
    room = len(rows) if display.everything else MAX_ROWS
    several = len({names for _, names in rows}) > 1
    shorten_case = _choose_case_shortener(rows)
    for field, field_rows in sorted(by_field.items(), key=lambda entry: -len(entry[1])):
        parts += [Text(), _build_field_head(field, [stored for stored, _ in field_rows])]
        shown = field_rows[: max(room, 3)]
        parts += [indent(_build_row(stored, field, names if several else "", shorten_case, display)) for stored, names in shown]
        room -= len(shown)
        if len(field_rows) > len(shown):
            parts.append(indent(styled_text((f"and {len(field_rows) - len(shown)} more", DIM))))
    example = rows[0][0]
    hint = f"{display.command} mismatches {run.id} --all"
    if display.everything:
        hint = f"{display.command} explain {run.id} {quote(example.case)}"
    parts += [Text(), build_command_line("next: ", hint, "  or -o wrong.xlsx")]
    return Group(*parts)


def explain_emptiness(run: "Run") -> str:
    """Say why a list of mismatches is empty."""
    without_fields = [name for name, evaluator in run.full.evaluators.items() if not evaluator.fields]
    if without_fields and len(without_fields) == len(run.full.evaluators):
        names = ", ".join(without_fields)
        return f"no evaluator of this run compares fields ({names}); `fieldwise explain {run.id} CASE` shows what a case missed"
    return "no mismatch"


def merge_evaluators(comparisons: "Iterable[StoredComparison]") -> "list[tuple[StoredComparison, str]]":
    """Rows that several evaluators have alike, once, each with the names of its evaluators.

    An unexpected value of a list item is the same row, whether its evaluator writes the item `[+1]` or, pairing by index, `[1]`.
    """
    names: dict[tuple[Any, ...], list[str]] = {}
    rows: dict[tuple[Any, ...], StoredComparison] = {}
    for stored in comparisons:
        comparison = stored.comparison
        key = (stored.case, comparison.path, comparison.outcome, comparison.cause, comparison.passed)
        if comparison.expected_presence == "missing" and "[" in comparison.path:
            value = dump_json(comparison.actual)
            place_key = (stored.case, plain_item_path(comparison.path), comparison.outcome, value, comparison.passed)
            earlier = rows.get(place_key)
            is_other_item = earlier is not None and earlier.path != comparison.path and stored.evaluator in names[place_key]
            key = key if is_other_item else place_key
        names.setdefault(key, []).append(stored.evaluator)
        earlier = rows.setdefault(key, stored)
        if is_unmatched_path(comparison.path) and not is_unmatched_path(earlier.comparison.path):
            rows[key] = stored
    return [(stored, ", ".join(names[key])) for key, stored in rows.items()]


def _build_field_head(field: str, rows: "Sequence[StoredComparison]") -> Text:
    causes = Counter(describe_cause(row.comparison.cause).label for row in rows if row.comparison.cause)
    texts = [f"{label} {count}" for label, count in causes.most_common(4)]
    return styled_text((truncate_middle(field, 60), TITLE), f"  {len(rows)}  ", (join_nonempty(texts), NOTE))


def _choose_case_shortener(rows: "Sequence[tuple[StoredComparison, str]]") -> CaseShortener:
    return choose_shortener(list({make_visible(stored.case) for stored, _ in rows}), _CASE_LENGTH)


def _build_row(
    stored: "StoredComparison", title: str, evaluators: str, shorten_case: CaseShortener, display: DisplayOptions
) -> RenderableType:
    """One comparison on a line; its path is left out if it is the title of the list."""
    comparison = stored.comparison
    case = shorten_case(make_visible(stored.case), _CASE_LENGTH)
    path = "" if comparison.path == title else f"{truncate_middle(make_visible(comparison.path), _PATH_LENGTH)}  "
    cause = describe_cause(comparison.cause).label if comparison.cause else ""
    why = join_nonempty([cause or comparison.outcome.replace("_", " "), comparison.note or "", evaluators])
    room = max((display.width - len(case) - len(path) - min(len(why), 40) - 10) // 2, 16)
    values = style_comparison(comparison, limit=room)
    return styled_text(pass_mark(comparison.passed), f" {case}  {path}", values, (f"  {truncate(make_visible(why), 80)}", NOTE))


def mismatches_to_json(run: "Run", mismatches: "StoredComparisons") -> Iterator[str]:
    """Yield `{run, suite, count, mismatches}` in chunks."""
    yield f'{{"run":{dump_json(run.id)},"suite":{dump_json(run.name)},"count":{len(mismatches)},"mismatches":['
    for number, stored in enumerate(mismatches):
        yield ("," if number else "") + "\n" + dump_json(stored.to_json())
    yield "\n]}\n"


def build_field_page(run: "Run", field: str, comparisons: "StoredComparisons", display: DisplayOptions) -> RenderableType:
    """Show one field over all cases: how many are right, the causes with advice, and every comparison, wrong ones first."""
    rows = merge_evaluators(comparisons)
    summary = summarize_field(run, field, comparisons)
    outcomes = join_nonempty(f"{outcome.replace('_', ' ')} {count}" for outcome, count in summary["outcomes"].items())
    parts: list[RenderableType] = [
        styled_text((field, TITLE), (f"  {run.name} {run.id}", DIM)),
        styled_text(_format_counts(summary["evaluators"]), (f"  {outcomes}", DIM)),
    ]
    parts += [indent(styled_text((f"{cause['label']} {cause['n']}", NOTE), (f"  {cause['advice']}", DIM))) for cause in summary["causes"]]
    wrong = [row for row in rows if not row[0].comparison.passed]
    right = [row for row in rows if row[0].comparison.passed]
    listed = wrong + right if display.everything else (wrong + right)[:MAX_ROWS]
    several = len({names for _, names in rows}) > 1
    shorten_case = _choose_case_shortener(listed)
    parts += [Text(), *(_build_row(stored, field, names if several else "", shorten_case, display) for stored, names in listed)]
    if len(listed) < len(rows):
        parts.append(styled_text((f"and {len(rows) - len(listed)} more (--all)", DIM)))
    return Group(*parts)


def _format_counts(counts: Sequence[Mapping[str, Any]]) -> str:
    """How many values are right; with the names of the evaluators if they do not agree.

    >>> _format_counts([{"evaluator": "a", "n": 3, "matched": 2}, {"evaluator": "b", "n": 3, "matched": 2}])
    '2 of 3 right'
    >>> _format_counts([{"evaluator": "a", "n": 3, "matched": 2}, {"evaluator": "b", "n": 3, "matched": 1}])
    '2 of 3 right (a), 1 of 3 right (b)'
    """
    names: dict[str, list[str]] = {}
    for count in counts:
        names.setdefault(f"{count['matched']} of {count['n']} right", []).append(count["evaluator"])
    if len(names) == 1:
        return next(iter(names))
    return ", ".join(f"{text} ({', '.join(evaluators)})" for text, evaluators in names.items())


def summarize_field(run: "Run", field: str, comparisons: "Iterable[StoredComparison]") -> dict[str, Any]:
    """Count a field over all cases: `{field, n, matched, outcomes, causes, evaluators}`, each cause with its label and advice.

    Evaluators may disagree on a value, so each is counted by itself in `evaluators`; the rest is of the first one that has the field, as in
    the table of the run.
    """
    by_evaluator: dict[str, list[StoredComparison]] = {}
    for stored in comparisons:
        by_evaluator.setdefault(stored.evaluator, []).append(stored)
    names = [name for name in run.evaluators if name in by_evaluator]
    rows = by_evaluator[names[0]] if names else []
    causes = Counter(row.comparison.cause for row in rows if row.comparison.cause)
    match_of = {row.comparison.cause: row.comparison.match for row in rows}
    described = [(name, count, describe_cause(name, match_of[name])) for name, count in causes.most_common()]
    return {
        "field": field,
        "n": len(rows),
        "matched": sum(row.comparison.passed for row in rows),
        "outcomes": dict(Counter(row.comparison.outcome for row in rows).most_common()),
        "causes": [{"cause": name, "label": text.label, "n": count, "advice": text.advice} for name, count, text in described],
        "evaluators": [
            {"evaluator": name, "n": len(by_evaluator[name]), "matched": sum(row.comparison.passed for row in by_evaluator[name])}
            for name in names
        ],
    }


def find_list_suffix(name: str) -> str | None:
    """The suffix that names the format of a file with comparisons; None if there is no such format."""
    return next((suffix for suffix in SUFFIXES if name.lower().endswith(suffix)), None)


def render_list(run: "Run", comparisons: "StoredComparisons", suffix: str) -> Iterator[bytes]:
    """Yield the content of a file with these comparisons, in the format of the suffix, one of `SUFFIXES`."""
    yield from _RENDERERS[suffix](run, comparisons)


def _render_csv(run: "Run", comparisons: "StoredComparisons") -> Iterator[bytes]:
    del run
    return (line.encode() for line in iterate_csv_lines(comparisons))


def iterate_csv_lines(comparisons: "StoredComparisons") -> Iterator[str]:
    """Yield the rows as CSV, line by line; causes by their labels."""
    buffer = StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(COLUMNS)
    for row in iterate_list_rows(comparisons):
        writer.writerow([make_encodable(format_csv_cell(value)) for value in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()  # the heads, if there is no row


def iterate_list_rows(comparisons: "Iterable[StoredComparison]") -> Iterator[list[Any]]:
    """Yield the values of each row for a sheet: lists and objects as JSON, causes by their labels."""
    labels: dict[str, str] = {}
    for stored in comparisons:
        row = stored.to_json()
        for side in ("expected", "actual"):
            if isinstance(row[side], dict | list | bool):
                row[side] = dump_json(row[side])
        cause = row["cause"]
        if cause:
            if cause not in labels:
                labels[cause] = describe_cause(cause).label
            row["cause"] = labels[cause]
        yield list(row.values())


def _render_jsonl(run: "Run", comparisons: "StoredComparisons") -> Iterator[bytes]:
    del run
    return (dump_json(stored.to_json()).encode() + b"\n" for stored in comparisons)


def _render_json(run: "Run", comparisons: "StoredComparisons") -> Iterator[bytes]:
    return (chunk.encode() for chunk in mismatches_to_json(run, comparisons))


def _render_xlsx(run: "Run", comparisons: "StoredComparisons") -> Iterator[bytes]:
    del run
    yield render_workbook([("mismatches", COLUMNS, iterate_list_rows(comparisons))])


def _render_parquet(run: "Run", comparisons: "StoredComparisons") -> Iterator[bytes]:
    del run
    yield comparisons.to_parquet()


_RENDERERS: "Final[dict[str, Callable[[Run, StoredComparisons], Iterator[bytes]]]]" = {
    ".csv": _render_csv,
    ".xlsx": _render_xlsx,
    ".jsonl": _render_jsonl,
    ".json": _render_json,
    ".parquet": _render_parquet,
}
