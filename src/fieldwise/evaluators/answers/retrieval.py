"""Whether the right passages were retrieved, and how high they stand: precision@k, recall@k, MRR and nDCG.

A case names its relevant ids, with gains if some matter more: `metadata: {relevant_ids: [p12, p40]}` or `{p12: 3, p40: 1}`. In the cell of
a CSV file they stand as JSON, or parted by `;`. A file of relevant and retrieved ids alone, without answers, will do.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isfinite, log2
from typing import Annotated, Any, Literal, cast

from annotated_types import Ge, MinLen

from fieldwise.model.batch import Batch
from fieldwise.model.case import Case
from fieldwise.model.faults import fault
from fieldwise.model.options import Problem
from fieldwise.model.result import Result, Results
from fieldwise.registry import evaluator

_PLACES = ("contexts", "expected", "actual", "metadata", "input")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """Where ids stand in a case, and how deep to look."""

    relevant: str = "metadata.relevant_ids"
    """Where the relevant ids are: a list, or a mapping of ids to gains."""
    retrieved: str = "contexts"
    """Where the retrieved passages are, best first: ids, or objects that have one."""
    id: Annotated[str, MinLen(1)] = "id"
    """The key of the id inside an object."""
    k: Annotated[tuple[Annotated[int, Ge(1)], ...], MinLen(1)] = (5,)
    """At which depths to measure."""
    score: Literal["ndcg", "precision", "recall", "mrr"] = "ndcg"
    """Which metric is the score, at the first `k`."""

    def problems(self) -> Iterable[Problem]:
        """Places that no case has."""
        for option, place in (("relevant", self.relevant), ("retrieved", self.retrieved)):
            if place.split(".")[0] not in _PLACES or not all(place.split(".")):
                yield option, f"a case has no `{place}`", f"begin with {', '.join(_PLACES)}, such as `metadata.relevant_ids`"


def _has_retrieved(case: Case, config: Retrieval) -> bool:
    """What was retrieved can be judged before anything is made of it."""
    return bool(_places(_at(case, config.retrieved), config.id))


@evaluator(reads="case", needs_expected=False, has_output=_has_retrieved, version=2)
def retrieval(batch: Batch, config: Retrieval) -> Results:
    """Score what was retrieved for each case against the ids it names as relevant."""
    return Results.from_results([_result(batch.cases.at(row), config) for row in range(len(batch))])


def _result(case: Case, config: Retrieval) -> Result:
    named = _at(case, config.relevant)
    gains = _gains(named, config.id)
    if not gains:
        what = "no id is relevant" if named else f"the case names no relevant ids under `{config.relevant}`"
        return Result(status="skipped", reasoning=what)
    found = _places(_at(case, config.retrieved), config.id)
    if found and not any(found):
        return fault(f"no passage under `{config.retrieved}` has the key `{config.id}`; name the key of its id with the option `id`")
    first_at = {name: at for at, name in reversed(list(enumerate(found)))}
    ranked = [name for at, name in enumerate(found) if name is None or first_at[name] == at]
    metrics = _metrics(ranked, gains, config.k)
    first = config.k[0]
    relevant = [name for name in gains if name in set(ranked[:first])]
    return Result(
        score=metrics["mrr" if config.score == "mrr" else f"{config.score}_at_{first}"],
        hits=relevant,
        misses=[name for name in gains if name not in set(relevant)],
        reasoning=f"{len(relevant)}/{len(gains)} relevant ids among the first {first} of {len(ranked)}",
        metrics=metrics,
        details={
            "ranks": {name: at for at, name in enumerate(ranked, start=1) if name is not None and name in gains},
            "flags": _flags(found, ranked),
        },
    )


def _flags(found: Sequence[str | None], ranked: Sequence[str | None]) -> list[str]:
    flags = {"nothing_retrieved": not found, "repeated_ids": len(found) > len(ranked), "passages_without_id": None in found}
    return [flag for flag, holds in flags.items() if holds]


def _metrics(ranked: Sequence[str | None], gains: Mapping[str, float], depths: Iterable[int]) -> dict[str, float]:
    """Every metric of one ranking. An id counts where it first stands."""
    got = [0.0 if name is None else gains.get(name, 0.0) for name in ranked]
    ideal = sorted(gains.values(), reverse=True)
    metrics = {"mrr": next((1.0 / rank for rank, gain in enumerate(got, start=1) if gain), 0.0)}
    for k in depths:
        hits = sum(gain > 0 for gain in got[:k])
        metrics[f"precision_at_{k}"] = hits / k
        metrics[f"recall_at_{k}"] = hits / len(gains)
        metrics[f"ndcg_at_{k}"] = min(_dcg(got, k) / _dcg(ideal, k), 1.0)
    return metrics


def _dcg(gains: Sequence[float], k: int) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(islice(gains, k), start=1))


def _at(case: Case, place: str) -> Any:
    first, *keys = place.split(".")
    value: Any = getattr(case, first)
    for key in keys:
        value = cast("Mapping[str, Any]", value).get(key) if isinstance(value, Mapping) else None
    return _unpacked(value)


def _unpacked(value: Any) -> Any:
    """What a cell of a table holds: JSON, or ids parted by `;`, also where the cell was taken for the only passage."""
    if isinstance(value, list | tuple) and len(value) == 1 and isinstance(value[0], str) and ";" in value[0]:
        value = value[0]
    if not isinstance(value, str):
        return value
    if value[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return [part.strip() for part in value.split(";") if part.strip()] if ";" in value else value


def _gains(named: Any, key: str) -> dict[str, float]:
    """Relevant ids with their gains; an id of gain 0 is not relevant."""
    if isinstance(named, Mapping):
        pairs = cast("Mapping[str, Any]", named).items()
        return {str(name): float(gain) for name, gain in pairs if isinstance(gain, int | float) and isfinite(gain) and gain > 0}
    return dict.fromkeys(_ids(named, key), 1.0)


def _ids(value: Any, key: str) -> list[str]:
    """The ids in a list of ids or of objects; a single id is a list of one."""
    return [name for name in _places(value, key) if name is not None]


def _places(value: Any, key: str) -> list[str | None]:
    """The same with every place of the list, None where an object has no id: what follows it does not move up."""
    if value is None or isinstance(value, str | int | float):
        return [] if value is None or value == "" else [str(value)]
    if not isinstance(value, Sequence):
        return []
    items = (cast("Mapping[str, Any]", item).get(key) if isinstance(item, Mapping) else item for item in cast("Sequence[Any]", value))
    return [str(item) if isinstance(item, str | int) and item != "" else None for item in items]
