"""The whole flow in a page: read cases, plan, score in batches, summarize, store."""

from collections.abc import Mapping, Sequence
from typing import Any

from fieldwise.model.case import Case, Cases
from fieldwise.model.pairs import Scores
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING, Json, Value
from fieldwise.plan.evaluators import plan_config
from fieldwise.plan.matches import plan_match
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.evaluate import evaluate as score_evaluator
from fieldwise.score.evaluate import result_at
from fieldwise.score.matching import score_values


def evaluate(
    config: Mapping[str, Any],
    *,
    expected: Value = MISSING,
    actual: Value = MISSING,
    input: Json = None,
    contexts: Sequence[Json] | None = None,
    id: str = "1",
    metadata: Mapping[str, Any] | None = None,
) -> Result:
    """What one evaluator says of one case. A bad configuration raises ConfigError; data never raises.

    >>> evaluate({"type": "field_accuracy", "fields": ["total"]}, expected={"total": 5}, actual={"total": 7}).misses
    ['total']
    """
    planned = plan_config(config)
    case = Case(id=id, input=input, expected=expected, actual=actual, contexts=contexts, metadata=dict(metadata or {}))
    batch = ScoringBatch(Cases.of([case]))
    return result_at(score_evaluator(planned, batch), 0)


def match(name: str, *, expected: Sequence[Json], actual: Sequence[Json], **options: Any) -> Scores:
    """A matcher on its own: how well each pair of values matches.

    >>> match("fuzzy", expected=["Acme", "Acme"], actual=["ACME", None]).value.tolist()
    [1.0, 0.0]
    """
    if len(expected) != len(actual):
        raise ValueError(f"expected has {len(expected)} values and actual {len(actual)}; give one of each for every pair")
    return score_values(plan_match(name, options), list(expected), list(actual))
