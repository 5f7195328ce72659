"""Ranking quality of retrieved passages: precision@k, recall@k, MRR and nDCG.

A case names its relevant ids, optionally with gains: `metadata: {relevant_ids: [p12, p40]}` or `{p12: 3, p40: 1}`. A cell of a CSV file
holds them as JSON, or separated by `;`. Cases need no answers.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from math import log2
from typing import Annotated, Any, Final, Literal, cast

from fieldwise.dataclass import dataclass
from fieldwise.model.batch import Batch
from fieldwise.model.bounds import Ge, MinLen
from fieldwise.model.case import Case
from fieldwise.model.options import OptionProblem
from fieldwise.model.result import Result, Results, fault_result
from fieldwise.registry import evaluator
from fieldwise.specs import EvaluatorExample

_CASE_PARTS = ("contexts", "expected", "actual", "metadata", "input")
_MAX_GAIN: Final = 1e300
"""Sums of gains stay finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """Paths of the ids in a case, and the depths."""

    relevant: str = "metadata.relevant_ids"
    """Path of the relevant ids: a list, or a mapping of ids to gains."""
    retrieved: str = "contexts"
    """Path of the retrieved passages, best first: ids, or objects with an id."""
    id: Annotated[str, MinLen(1)] = "id"
    """Key of the id in an object."""
    k: Annotated[tuple[Annotated[int, Ge(1)], ...], MinLen(1)] = (5,)
    """The depths k at which to measure."""
    score: Literal["ndcg", "precision", "recall", "mrr"] = "ndcg"
    """The metric that becomes the score, at the first `k`."""

    def problems(self) -> Iterable[OptionProblem]:
        """Paths that no case has."""
        for option, path in (("relevant", self.relevant), ("retrieved", self.retrieved)):
            keys = path.split(".")
            if keys[0] not in _CASE_PARTS or not all(keys):
                yield option, f"a case has no `{path}`", f"begin with {', '.join(_CASE_PARTS)}, such as `metadata.relevant_ids`"


def _has_retrieved(case: Case, config: Retrieval) -> bool:
    """True if the case has passages: they are evaluated even without an answer."""
    return bool(_ids_by_rank(_read_path(case, config.retrieved), config.id))


def _metric_names(config: Retrieval) -> list[str]:
    return ["mrr", *(f"{name}_at_{k}" for k in config.k for name in ("precision", "recall", "ndcg"))]


@evaluator(
    reads="case",
    needs_expected=False,
    has_output=_has_retrieved,
    version=2,
    metrics=_metric_names,
    examples=[EvaluatorExample(key_order_matters=True), EvaluatorExample(options={"k": [3], "score": "recall"}, key_order_matters=True)],
)
def retrieval(batch: Batch, config: Retrieval) -> Results:
    """A ranking metric of the retrieved passages against the relevant ids of the case."""
    return Results.from_results([_score_case(batch.cases.at(row), config) for row in range(len(batch))])


def _score_case(case: Case, config: Retrieval) -> Result:
    relevant_value = _read_path(case, config.relevant)
    gains = _read_gains(relevant_value, config.id)
    if not gains:
        what = "no id is relevant" if relevant_value else f"the case names no relevant ids under `{config.relevant}`"
        return Result(status="skipped", reasoning=what)
    retrieved = _ids_by_rank(_read_path(case, config.retrieved), config.id)
    if retrieved and not any(retrieved):
        return fault_result(f"no passage under `{config.retrieved}` has the key `{config.id}`; name the key of its id with the option `id`")
    ranked = _drop_repeated(retrieved)
    metrics = _measure_ranking(ranked, gains, config.k)
    depth = config.k[0]
    top = set(ranked[:depth])
    hits = [name for name in gains if name in top]
    return Result(
        score=metrics["mrr" if config.score == "mrr" else f"{config.score}_at_{depth}"],
        hits=hits,
        misses=[name for name in gains if name not in top],
        reasoning=f"{len(hits)}/{len(gains)} relevant ids among the first {depth} of {len(ranked)}",
        metrics=metrics,
        details={
            "ranks": {name: rank for rank, name in enumerate(ranked, start=1) if name is not None and name in gains},
            "flags": _flags(retrieved, ranked),
        },
    )


def _drop_repeated(retrieved: Sequence[str | None]) -> list[str | None]:
    """The ids by rank without repetitions; every passage without an id stays."""
    seen: set[str] = set()
    ranked: list[str | None] = []
    for name in retrieved:
        if name is None or name not in seen:
            ranked.append(name)
        if name is not None:
            seen.add(name)
    return ranked


def _flags(retrieved: Sequence[str | None], ranked: Sequence[str | None]) -> list[str]:
    flags = {
        "nothing_retrieved": not retrieved,
        "repeated_ids": len(retrieved) > len(ranked),
        "passages_without_id": None in retrieved,
    }
    return [flag for flag, holds in flags.items() if holds]


def _measure_ranking(ranked: Sequence[str | None], gains: Mapping[str, float], depths: Iterable[int]) -> dict[str, float]:
    """Every metric of one ranking."""
    ranked_gains = [0.0 if name is None else gains.get(name, 0.0) for name in ranked]
    ideal = sorted(gains.values(), reverse=True)
    metrics = {"mrr": next((1.0 / rank for rank, gain in enumerate(ranked_gains, start=1) if gain), 0.0)}
    for k in depths:
        hits = sum(gain > 0 for gain in ranked_gains[:k])
        metrics[f"precision_at_{k}"] = hits / k
        metrics[f"recall_at_{k}"] = hits / len(gains)
        metrics[f"ndcg_at_{k}"] = min(_dcg(ranked_gains, k) / _dcg(ideal, k), 1.0)
    return metrics


def _dcg(gains: Sequence[float], k: int) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(islice(gains, k), start=1))


def _read_path(case: Case, path: str) -> Any:
    part, *keys = path.split(".")
    value: Any = getattr(case, part)
    for key in keys:
        value = cast("Mapping[str, Any]", value).get(key) if isinstance(value, Mapping) else None
    return _unpack_cell(value)


def _unpack_cell(value: Any) -> Any:
    """Parse the cell of a table: JSON, or ids separated by `;`, also where the cell was read as the only passage."""
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


def _read_gains(relevant: Any, key: str) -> dict[str, float]:
    """Relevant ids with their gains; an id is not relevant if its gain is not above 0 or not a finite number."""
    if isinstance(relevant, Mapping):
        pairs = cast("Mapping[str, Any]", relevant).items()
        return {str(name): float(gain) for name, gain in pairs if isinstance(gain, int | float) and 0 < gain <= _MAX_GAIN}
    return dict.fromkeys((name for name in _ids_by_rank(relevant, key) if name is not None), 1.0)


def _ids_by_rank(value: Any, key: str) -> list[str | None]:
    """The ids in a list of ids or of objects; None where an object has no id, so that later ranks stay."""
    if value is None or isinstance(value, str | int | float):
        return [] if value is None or value == "" else [str(value)]
    if not isinstance(value, Sequence):
        return []
    items = (cast("Mapping[str, Any]", item).get(key) if isinstance(item, Mapping) else item for item in cast("Sequence[Any]", value))
    return [str(item) if isinstance(item, str | int) and item != "" else None for item in items]
