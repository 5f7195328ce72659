"""Metrics of the package `ragas`: it writes the prompts and does the sums, the model is asked the way every judge asks.

So a run's limits, its cache and its budget hold for the package too, and what the model said is kept, which the package throws away.
"""

import math
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from fieldwise.model.ask import Chat, Message, Packaged, Reply, Usage
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.ports import embedder

Ask = Callable[[Chat], Awaitable[Reply]]
CLASSES: Final[Mapping[str, str]] = {
    "faithfulness": "Faithfulness",
    "answer_relevancy": "AnswerRelevancy",
    "context_precision": "ContextPrecisionWithReference",
    "context_utilization": "ContextPrecisionWithoutReference",
    "context_recall": "ContextRecall",
}
_FIX: Final = "pip install 'fieldwise[ragas]', which brings the version of ragas that is known to work, and 800 MB with it"


class _NotAnsweredError(Exception):
    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.problem)
        self.reply = reply


async def measure(packaged: Packaged, ask: Ask) -> Reply:
    """The metric's value in `data`, with every reply of the model; or why there is none: never a NaN."""
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"  # read when the package is imported; it would report its use otherwise
    try:
        import ragas.metrics.collections as metrics  # pyright: ignore
    except Exception as error:  # a version that does not fit fails in many ways
        there = "is not installed" if isinstance(error, ModuleNotFoundError) and error.name == "ragas" else f"cannot be used: {error}"
        return Reply(problem=f"the package ragas {there}", fix=_FIX, missing=True)
    said: list[Any] = []
    usage: list[Usage] = []
    metric: Any = getattr(metrics, CLASSES[packaged.metric])(**_components(packaged, ask, said, usage))
    try:
        value = float((await metric.ascore(**packaged.sample)).value)
    except _NotAnsweredError as failed:
        found = failed.reply
    except Exception as error:
        found = Reply(problem=f"ragas failed on {packaged.metric}: {str(error) or type(error).__name__}")
    else:
        found = Reply(data={"value": value, "said": said}) if math.isfinite(value) else _no_number(packaged.metric)
    total = sum(usage, Usage())
    return Reply(data=found.data, problem=found.problem, fix=found.fix, missing=found.missing, text=found.text, usage=total)


def _no_number(metric: str) -> Reply:
    return Reply(problem=f"ragas could not measure {metric} and gave NaN, most likely because the model found no statement")


def _components(packaged: Packaged, ask: Ask, said: list[Any], usage: list[Usage]) -> dict[str, Any]:
    """What the metric needs: a model, and for answer relevancy an embedding."""
    from ragas.embeddings.base import BaseRagasEmbedding  # pyright: ignore
    from ragas.llms.base import InstructorBaseRagasLLM  # pyright: ignore

    class Model(InstructorBaseRagasLLM):  # pyright: ignore
        """The suite's model."""

        def generate(self, prompt: str, response_model: Any) -> Any:
            raise NotImplementedError("this model is only asked asynchronously")

        async def agenerate(self, prompt: str, response_model: Any) -> Any:
            shape = inlined(response_model.model_json_schema())
            reply = await ask(Chat(endpoint=packaged.endpoint, messages=(Message("user", prompt),), schema=shape))
            usage.append(reply.usage)
            if reply.problem is not None:
                raise _NotAnsweredError(reply)
            said.append(reply.data)
            return response_model.model_validate(reply.data)

    class Embedding(BaseRagasEmbedding):  # pyright: ignore
        """The model on this machine."""

        def embed_text(self, text: str, **_: Any) -> list[float]:
            embed = embedder()
            if isinstance(embed, Diagnostic):
                raise _NotAnsweredError(Reply(problem=embed.what, fix=embed.fix, missing=True))
            return embed([text]).value[0].tolist()

        async def aembed_text(self, text: str, **_: Any) -> list[float]:
            return self.embed_text(text)

    return {"llm": Model(), **({"embeddings": Embedding()} if packaged.metric == "answer_relevancy" else {})}


def inlined(schema: Any, definitions: Mapping[str, Any] | None = None) -> Any:
    """A JSON Schema with its references written out.

    >>> inlined({"$defs": {"A": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/A"}}})
    {'properties': {'a': {'type': 'string'}}}
    """
    if isinstance(schema, list):
        return [inlined(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    known: Mapping[str, Any] = schema.get("$defs", {}) if definitions is None else definitions
    if "$ref" in schema:
        return inlined(known[schema["$ref"].rsplit("/", 1)[-1]], known)
    return {key: inlined(value, known) for key, value in schema.items() if key != "$defs"}
