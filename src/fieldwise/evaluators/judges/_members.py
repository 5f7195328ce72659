"""The evaluators inside another one: what each says of every case, and their comparisons as one list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.comparison import Comparisons
from fieldwise.model.plan import Member
from fieldwise.model.result import Results, Status
from fieldwise.model.rule import FieldRule

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
PASS, VERDICTS = 2, {2: "pass", 1: "partial", 0: "fail", -1: None}


@dataclass(frozen=True, slots=True)
class Part:
    """A member with what it says of a batch."""

    member: Member
    results: Results
    passed: Flags
    measured: Flags
    """It has a score: of its own, or 0 because the system failed."""
    failed: Flags
    """The system failed: there is no output that this member could read."""
    below: Flags
    """It is required and not good enough."""

    @classmethod
    def of(cls, member: Member, results: Results) -> "Part":
        """Whose fault an error is stands in the details, which are made for those cases only."""
        failed = np.zeros(len(results), dtype=np.bool_)
        for row in np.flatnonzero(results.status == Status.ERROR).tolist():
            failed[row] = results.details(row).get("fault") == "system"
        passed, measured = results.verdict == PASS, (results.status == Status.SCORED) | failed
        return cls(member, results, passed, measured, failed, measured & _below(member.required, results.score, passed))

    @property
    def name(self) -> str:
        """What the member is called."""
        return self.member.evaluator.name

    @property
    def weight(self) -> float:
        """What its score weighs."""
        return self.member.evaluator.weight

    @property
    def needed(self) -> bool:
        """Whether there is no result without it."""
        return self.weight > 0 or self.member.required is not False

    def to_json(self, row: int) -> dict[str, Any]:
        """What it says of one case."""
        results = self.results
        details = dict(results.details(row))
        return {
            "type": self.member.evaluator.type,
            "weight": self.weight,
            **({"required": self.member.required} if self.member.required is not False else {}),
            "score": float(results.score[row]),
            "verdict": VERDICTS[int(results.verdict[row])],
            "status": Status(int(results.status[row])).label,
            "hits": results.hits.at(row),
            "misses": results.misses.at(row),
            "reasoning": results.reasoning[row],
            **({"details": details} if details else {}),
        }


def _below(required: bool | float, score: Floats, passed: Flags) -> Flags:
    if isinstance(required, bool):
        return ~passed if required else np.zeros(len(passed), dtype=np.bool_)
    return score < required - (1e-9 * required + 4 * np.spacing(required))  # the slack that `pass_at` has


def prefixed(name: str, texts: Sequence[str]) -> list[str]:
    """Texts of a member as the whole tells them.

    >>> prefixed("fields", ["invoice.total"])
    ['fields: invoice.total']
    """
    return [f"{name}: {text}" for text in texts]


def member_rules(members: Sequence[Member]) -> tuple[FieldRule, ...]:
    """The fields that members compare, under the names their comparisons have here."""
    rules: list[FieldRule] = []
    for member in members:
        for rule in getattr(member.evaluator.config, "fields", ()):
            (text,) = prefixed(member.evaluator.name, [rule.text])
            rules.append(FieldRule(path=rule.path, text=text, match=rule.match, weight=rule.weight, required=rule.required))
    return tuple(rules)


def joint_comparisons(parts: Sequence[Part]) -> Comparisons | None:
    """The comparisons of all members side by side, fields and paths under their member's name."""
    held = [(part.name, part.results.comparisons) for part in parts if part.results.comparisons is not None]
    if not held:
        return None
    every = [comparisons for _, comparisons in held]

    def column(name: str, sizes: Sequence[int] | None = None) -> NDArray[Any]:
        arrays: list[NDArray[Any]] = [getattr(one, name) for one in every]
        if sizes is None:
            return np.concatenate(arrays)
        return np.concatenate([array + np.int32(begin) for array, begin in zip(arrays, accumulate(sizes, initial=0), strict=False)])

    def by_row(name: str) -> dict[int, Any]:
        begins = accumulate(map(len, every), initial=0)
        known: list[tuple[int, Mapping[int, Any]]] = [(begin, getattr(one, name)) for one, begin in zip(every, begins, strict=False)]
        return {begin + row: value for begin, rows in known for row, value in rows.items()}

    return Comparisons(
        cases=every[0].cases,
        case=column("case"),
        field=column("field", [len(one.fields) for one in every]),
        path=column("path", [len(one.paths) for one in every]),
        outcome=column("outcome"),
        similarity=column("similarity"),
        passed=column("passed"),
        expected=list(chain.from_iterable(one.expected for one in every)),
        actual=list(chain.from_iterable(one.actual for one in every)),
        fields=[text for name, one in held for text in prefixed(name, one.fields)],
        rules=[rule for one in every for rule in one.rules],
        paths=[text for name, one in held for text in prefixed(name, one.paths)],
        cause=by_row("cause"),
        note=by_row("note"),
        faults=by_row("faults"),
        extra=column("extra"),
        lone=column("lone"),
        plain=column("plain") if all(len(one.plain) == len(one) for one in every) else np.zeros(0, dtype=np.bool_),
    )
