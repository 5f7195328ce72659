"""Results of parts of a batch put together again, for a batch that had to be halved."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.comparison import Comparisons
from fieldwise.model.result import Labels, Results
from fieldwise.model.rule import FieldRule


def join(parts: Sequence[Results]) -> Results:
    """Results of consecutive parts of a batch as one."""
    starts = [0, *accumulate(len(part) for part in parts)]
    homes = [(part, row) for part in parts for row in range(len(part))]
    compared = [(start, part.comparisons) for start, part in zip(starts, parts, strict=False) if part.comparisons is not None]
    return Results(
        score=np.concatenate([part.score for part in parts]),
        status=np.concatenate([part.status for part in parts]),
        hits=Labels.of(part.hits.at(row) for part, row in homes),
        misses=Labels.of(part.misses.at(row) for part, row in homes),
        reasoning=[part.reasoning[row] for part, row in homes],
        metrics=_metrics(parts),
        details=lambda row: homes[row][0].details(homes[row][1]),
        comparisons=_Joint.of(compared).comparisons(starts[-1]) if compared else None,
        pool=_pool(parts, starts),
        flags=_flags(homes),
        kinds={name: kind for part in parts for name, kind in part.kinds.items()},
    )


def _flags(homes: Sequence[tuple[Results, int]]) -> Labels | None:
    if all(part.flags is None for part, _ in homes):
        return None
    return Labels.of(part.flags.at(row) if part.flags else [] for part, row in homes)


def _metrics(parts: Sequence[Results]) -> dict[str, NDArray[Any]]:
    """The columns of all parts; NaN where a part has no such metric."""
    names = dict.fromkeys(chain.from_iterable(part.metrics for part in parts))
    return {name: np.concatenate([part.metrics.get(name, np.full(len(part), np.nan)) for part in parts]) for name in names}


def _pool(parts: Sequence[Results], starts: Sequence[int]) -> dict[str, NDArray[Any]]:
    """What the parts give to the whole dataset; cases are counted on from part to part."""
    given = [(start, part.pool) for start, part in zip(starts, parts, strict=False) if part.pool]
    names = given[0][1] if given else ()
    return {name: np.concatenate([pool[name] + start if name == "case" else pool[name] for start, pool in given]) for name in names}


def _fields(parts: Sequence[Comparisons]) -> dict[str, FieldRule]:
    """The fields of all parts in the order of a whole batch: those of the rules first, then the others by their paths."""
    # the rules of the spec are the same objects in every part; a rule that was made for a leaf is a part's own
    named = [rules[0] for rules in zip(*(part.rules for part in parts), strict=False) if all(rule is rules[0] for rule in rules)]
    fields = dict(zip(parts[0].fields, named, strict=False))
    others = {text: rule for part in parts for text, rule in zip(part.fields, part.rules, strict=True) if text not in fields}
    return fields | {text: others[text] for text in sorted(others)}


@dataclass(frozen=True, slots=True)
class _Joint:
    """Comparisons of several parts, and the order that groups their rows by field again."""

    parts: Sequence[Comparisons]
    first_case: Sequence[int]
    fields: dict[str, FieldRule]
    field: NDArray[np.int32]
    order: NDArray[np.int64]

    @classmethod
    def of(cls, parts: Sequence[tuple[int, Comparisons]]) -> "_Joint":
        """From parts with the position of their first case."""
        fields = _fields([part for _, part in parts])
        codes = {text: code for code, text in enumerate(fields)}
        field = np.concatenate([np.array([codes[text] for text in part.fields], dtype=np.int32)[part.field] for _, part in parts])
        return cls([part for _, part in parts], [start for start, _ in parts], fields, field, np.argsort(field, kind="stable"))

    def column(self, name: str, begin: Sequence[int] | None = None) -> NDArray[Any]:
        """An array of all parts; numbers that count within a part go on from `begin`."""
        arrays: list[NDArray[Any]] = [getattr(part, name) for part in self.parts]
        if begin is not None:
            arrays = [array + np.int32(start) for array, start in zip(arrays, begin, strict=False)]
        return np.concatenate(arrays)[self.order]

    def values(self, name: str) -> list[Any]:
        """A column of values."""
        every = list(chain.from_iterable(getattr(part, name) for part in self.parts))
        return [every[row] for row in self.order.tolist()]

    def by_row(self, name: str) -> dict[int, Any]:
        """What is known of some rows only."""
        place = {old: new for new, old in enumerate(self.order.tolist())}
        begins = accumulate((len(part) for part in self.parts), initial=0)
        held: list[tuple[int, dict[int, Any]]] = [(begin, getattr(part, name)) for begin, part in zip(begins, self.parts, strict=False)]
        return {place[begin + row]: value for begin, known in held for row, value in known.items()}

    def comparisons(self, cases: int) -> Comparisons:
        """All of them as one."""
        paths = list(accumulate((len(part.paths) for part in self.parts), initial=0))
        return Comparisons(
            cases=cases,
            case=self.column("case", self.first_case),
            field=self.field[self.order],
            path=self.column("path", paths),
            outcome=self.column("outcome"),
            similarity=self.column("similarity"),
            passed=self.column("passed"),
            expected=self.values("expected"),
            actual=self.values("actual"),
            fields=list(self.fields),
            rules=list(self.fields.values()),
            paths=list(chain.from_iterable(part.paths for part in self.parts)),
            cause=self.by_row("cause"),
            note=self.by_row("note"),
            faults=self.by_row("faults"),
            extra=self.column("extra"),
            lone=self.column("lone"),
            plain=self.column("plain") if all(len(part.plain) == len(part) for part in self.parts) else np.zeros(0, dtype=np.bool_),
        )
