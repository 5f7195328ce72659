"""What became of each field, and why."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from fieldwise.model.summary import EvaluatorSummary, FieldSummary
from fieldwise.report.changes import change
from fieldwise.report.parts import DIM, NOTE, TITLE, colour_of, grid, interval, joined, number, section, text
from fieldwise.report.safe import cut, middle, safe, tail
from fieldwise.report.view import RunView, Show

MOST_FIELDS: Final = 40
MOST_CAUSES: Final = 6
_OUTCOMES: Final = {"omission": "omitted", "hallucination": "invented", "fault": "not compared"}


def fields_section(one: EvaluatorSummary, show: Show) -> RenderableType:
    """A table of the fields of one evaluator."""
    chosen = list(one.fields)
    left = 0
    if len(chosen) > MOST_FIELDS and not show.everything:
        left = len(chosen) - MOST_FIELDS
        weakest = sorted(chosen, key=lambda field: field.score.value)[:MOST_FIELDS]
        chosen = [field for field in chosen if field in weakest]
    layout = _Layout(show, chosen)
    table = grid(*layout.columns(), heads=True)
    for field in chosen:
        table.add_row(*layout.cells(field))
    more = text((f"and {left} more that score higher (--all)", DIM)) if left else None
    return section(f"Fields ({one.name})", table, more)


class _Layout:
    """Which columns fit the width, and how wide each may be."""

    def __init__(self, show: Show, fields: Sequence[FieldSummary]) -> None:
        self.medium, self.wide = show.width >= 92, show.width >= 116
        counts = max([len(str(field.n)) for field in fields], default=1)
        self._counts = max(counts, 2)
        names, rules = _longest(field.field for field in fields), _longest(short_rule(field.rule) for field in fields)
        self._between = max([9, *(len(interval(field.score)) for field in fields)])
        fixed = 2 + 2 * (self._counts + 2) + 7 + (self._between + 2 if self.medium else 0)
        room = show.width - fixed
        self._name = min(max(names, 5), room * 40 // 100)
        self._shorten = shortener([safe(field.field) for field in fields], self._name)
        self._rule = min(max(rules, 4), room * 24 // 100)
        self._worst = room * 19 // 100 if self.wide else 0
        self._wrong = room - self._name - self._rule - 4 - (self._worst + 2 if self.wide else 0)

    def columns(self) -> list[dict[str, Any]]:
        """What the columns are."""
        columns: list[dict[str, Any]] = [
            {"header": "field", "width": self._name},
            {"header": "rule", "width": self._rule},
            {"header": "n", "justify": "right", "width": self._counts},
            {"header": "ok", "justify": "right", "width": self._counts},
            {"header": "score", "justify": "right", "width": 5},
        ]
        if self.medium:
            columns.append({"header": "interval", "width": self._between})
        columns.append({"header": "what went wrong", "width": self._wrong})
        return [*columns, {"header": "worst cases", "width": self._worst}] if self.wide else columns

    def cells(self, field: FieldSummary) -> list[Text]:
        """One row."""
        score = field.score
        row = [
            text(self._shorten(safe(field.field), self._name)),
            text((short_rule(field.rule), DIM)),
            text(str(field.n)),
            text(str(field.matched)),
            text((number(score.value), colour_of(score.value))) if score.n else text(("–", DIM)),
        ]
        if self.medium:
            row.append(text((interval(score), DIM)))
        row.append(text(fitting(wrongs(field), self._wrong)))
        return [*row, text((fitting(field.worst, self._worst), DIM))] if self.wide else row


def shortener(names: Sequence[str], limit: int) -> Callable[[str, int], str]:
    """How these names are shortened so that they can still be told apart, if they can: most paths by their middle, else by their beginning.

    >>> names = ["balance.cash[*].value", "balance.debt[*].value"]
    >>> [shortener(names, 16)(name, 16) for name in names]
    ['…e.cash[*].value', '…e.debt[*].value']
    """
    return middle if len({middle(name, limit) for name in names}) == len(set(names)) else tail


def _longest(texts: Iterable[str]) -> int:
    return max((len(safe(each)) for each in texts), default=0)


def wrongs(field: FieldSummary) -> list[str]:
    """The causes of a field's mismatches and what else went wrong, most frequent first.

    >>> from fieldwise.model.summary import Metric
    >>> whole = {"n": 9, "expected": 9, "given": 8, "score": Metric(value=0.5, n=9), "precision": 0, "recall": 0, "f1": 0, "matched": 5}
    >>> wrongs(FieldSummary(field="a", rule="exact", outcomes={"omission": 1, "wrong_value": 3}, causes=(("scale", 2),), **whole))
    ['scale 2', 'omitted 1', 'other 1']
    """
    found = [(cause.replace("_", " "), count) for cause, count in field.causes]
    explained = sum(count for _, count in field.causes)
    found += [(word, field.outcomes[outcome]) for outcome, word in _OUTCOMES.items() if outcome in field.outcomes]
    other = field.outcomes.get("wrong_value", 0) + field.outcomes.get("format_error", 0) - explained
    found = sorted(found, key=lambda item: -item[1]) + ([("other", other)] if other > 0 else [])
    return [f"{word} {count}" for word, count in found]


def short_rule(rule: str) -> str:
    """A rule without its particulars.

    >>> short_rule("fuzzy ≥ 0.9 (levenshtein)")
    'fuzzy ≥ 0.9'
    """
    return rule.split(" (", 1)[0]


def fitting(parts: Sequence[str], width: int) -> str:
    """As many parts as there is room for, and how many more there are.

    >>> fitting(["scale 2", "omitted 1", "other 1"], 16)
    'scale 2 +2'
    """
    for count in range(len(parts), 0, -1):
        told = ", ".join(safe(part) for part in parts[:count]) + (f" +{len(parts) - count}" if count < len(parts) else "")
        if len(told) <= width:
            return told
    return safe(parts[0]) if parts else ""


def weakest_lines(evaluators: Sequence[EvaluatorSummary]) -> RenderableType:
    """For evaluators whose fields have no table of their own: which are lowest."""
    rows: list[RenderableType] = []
    for one in evaluators:
        lowest = sorted((field for field in one.fields if field.score.n), key=lambda field: field.score.value)[:4]
        told = joined((f"{safe(field.field)} {number(field.score.value)}" for field in lowest), ", ")
        rows.append(text((f"{one.name}: ", TITLE), ("lowest of " + str(len(one.fields)) + " fields: ", DIM), told))
    rows.append(text(("--all shows them all", DIM)))
    return Group(Text(), *(Padding(row, (0, 0, 0, 2)) for row in rows))


def cause_section(one: EvaluatorSummary, view: RunView, show: Show) -> RenderableType | None:
    """The commonest causes, each with an example and what to do about it."""
    totals: dict[str, int] = {}
    for field in one.fields:
        for cause, count in field.causes:
            totals[cause] = totals.get(cause, 0) + count
    if not totals:
        return None
    ranked = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    rows: list[RenderableType] = []
    for cause, count in ranked if show.everything else ranked[:MOST_CAUSES]:
        label, advice = view.causes.get(cause, (cause.replace("_", " "), ""))
        rows.append(text((f"{count:>3}  ", NOTE), (label, TITLE), _example(view, cause, show.width - len(label) - 12)))
        if advice:
            rows.append(Padding(text((advice, DIM)), (0, 0, 0, 5)))
    left = len(ranked) - MOST_CAUSES
    if left > 0 and not show.everything:
        rest = sum(count for _, count in ranked[MOST_CAUSES:])
        rows.append(text((f"and {left} more causes of {rest} mismatches (--all)", DIM)))
    return section(f"Likely causes ({one.name})", Group(*rows))


def _example(view: RunView, cause: str, room: int) -> Text:
    example = view.examples.get(cause)
    if example is None:
        return Text()
    where = cut(safe(example.comparison.path), 32)
    left = max((room - len(where) - 8) // 2, 12)
    return text(("  " + where + "  ", DIM), change(example.comparison, limit=left))
