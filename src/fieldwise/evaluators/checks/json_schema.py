"""Whether a record fits a JSON Schema, with every violation at its path.

The schema is 2020-12 unless its `$schema` names another draft. Nothing is ever fetched: a `$ref` leads into the schema itself or to a
published meta-schema. Needs the package `jsonschema`: `pip install 'fieldwise[schema]'`.

>>> import fieldwise as fw
>>> schema = {"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total", "currency"]}
>>> fw.evaluate({"type": "json_schema", "schema": schema}, actual={"total": "12"}).misses
['currency (required, missing)', 'total (not of type number)']
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fieldwise.evaluators.checks._violations import Violation, leaves, violations_of
from fieldwise.model.batch import Batch
from fieldwise.model.faults import fault, unavailable
from fieldwise.model.options import FromFile, Problem
from fieldwise.model.path import ROOT, render
from fieldwise.model.result import Result, Results
from fieldwise.model.values import MISSING, Value, kind
from fieldwise.registry import evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSchema:
    """Which schema, and how strictly it is taken."""

    schema: Annotated[Mapping[str, Any], FromFile()]
    """The JSON Schema itself, or the path of a JSON file that holds it."""
    formats: bool = False
    """Check `format` too, such as `date` and `email`; by the standard it is only a remark."""
    score: Literal["binary", "graded"] = "binary"
    """1 if the record is valid, else 0; or 1 less a share for each violation: 1 − violations / values in the record, at least 0."""

    def problems(self) -> Iterable[Problem]:
        """A schema that is none, and references that lead nowhere."""
        if not _installed():
            return
        from fieldwise.evaluators.checks._schemas import schema_problems

        for what, fix in schema_problems(self.schema):
            yield "schema", what, fix


@evaluator(reads="records", needs_expected=False, counts=("violations",), version=1)
def json_schema(batch: Batch, config: JsonSchema) -> Results:
    """1 if the record fits the schema, else 0, or graded by the number of violations."""
    if not _installed():
        missing = unavailable("the package `jsonschema` is not installed", "pip install 'fieldwise[schema]'")
        return Results.from_results([missing] * len(batch))
    from fieldwise.evaluators.checks._schemas import validator_of

    validator = validator_of(config.schema, config.formats)
    return Results.from_results([_result(validator, record, config) for record in batch.records.actual])


def _installed() -> bool:
    try:
        import jsonschema  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError:
        return False
    return True


def _result(validator: Any, record: Value, config: JsonSchema) -> Result:
    if record is MISSING:
        return Result(metrics={"valid": False})
    try:
        found = violations_of(validator, record)
    except Exception as error:  # a reference without end, or a number beyond what the package computes with
        return fault(f"the schema cannot be applied: {error or type(error).__name__}")
    metrics: dict[str, float | bool] = {"valid": not found, "violations": len(found)}
    if not found:
        good = _valid_parts(record, found)
        return Result(score=1.0, hits=good, reasoning="the record fits the schema", metrics=metrics)
    score = 0.0 if config.score == "binary" else max(0.0, 1.0 - len(found) / max(leaves(record), 1))
    return Result(
        score=score,
        hits=_valid_parts(record, found),
        misses=[f"{render(one.steps)} ({one.what})" for one in found],
        reasoning=f"{len(found)} violation{'s' if len(found) > 1 else ''} of the schema",
        metrics=metrics,
        details={"violations": [{"path": render(one.steps), "keyword": one.keyword, "what": one.what} for one in found]},
    )


def _valid_parts(record: Any, found: Iterable[Violation]) -> list[str]:
    """The top-level properties without a violation; where there are none to name, the record itself if it is valid."""
    wrong = {one.steps[0] if one.steps else ROOT for one in found}
    parts = [key for key in record if key not in wrong] if kind(record) == "object" else []
    return [render((str(key),)) for key in parts] or ([] if wrong else [ROOT])
