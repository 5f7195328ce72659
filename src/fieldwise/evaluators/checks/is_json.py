"""Whether an output is JSON. An output that is no text to begin with was read from JSON, and is.

>>> import fieldwise as fw
>>> fw.evaluate({"type": "is_json"}, actual='Here you are: {"total": 12}').misses
['is_json (there is more than JSON, or the JSON is broken)']
>>> fw.evaluate({"type": "is_json", "anywhere": True}, actual='Here you are: {"total": 12}').score
1.0
"""

from dataclasses import dataclass
from typing import Any, Literal

import orjson

from fieldwise.evaluators.checks._checks import single
from fieldwise.model.batch import Batch
from fieldwise.model.result import Result, Results
from fieldwise.model.values import MISSING, Value, kind
from fieldwise.registry import evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class IsJson:
    """What counts as JSON."""

    kind: Literal["any", "object", "list"] = "any"
    """What the JSON must be."""
    anywhere: bool = False
    """JSON in a code fence, with prose around it or with a trailing comma counts too, as it does for evaluators of records."""
    negate: bool = False
    """The output must not be JSON, or not of that kind."""


@evaluator(reads="case", needs_expected=False, version=1)
def is_json(batch: Batch, config: IsJson) -> Results:
    """1 if the output is JSON, else 0."""
    return Results.from_results([_result(batch, row, config) for row in range(len(batch))])


def _result(batch: Batch, row: int, config: IsJson) -> Result:
    actual = batch.cases.actual[row]
    if not isinstance(actual, str):
        value: Any = actual
    elif config.anywhere:
        value = batch.records.actual[row]
    else:
        value = _parsed(actual)
    good, why = _judged(value, config)
    label = "not is_json" if config.negate else "is_json"
    return single(label, good != config.negate, why)


def _judged(value: Value, config: IsJson) -> tuple[bool, str]:
    if value is MISSING:
        return False, "there is no JSON" if config.anywhere else "there is more than JSON, or the JSON is broken"
    found = kind(value)
    return config.kind in ("any", found), found


def _parsed(text: str) -> Any:
    try:
        return orjson.loads(text.encode())
    except ValueError:  # half of a surrogate pair too
        return MISSING
