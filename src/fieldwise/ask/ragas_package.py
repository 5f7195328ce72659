"""Metrics of the package `ragas`, with its prompts and formulas; requests go through the asker of the run.

Rate limits, cache and budget of the run therefore apply, and the replies of the model are returned, which the package discards.
"""

import math
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from fieldwise.ask.embedding import load_embedder
from fieldwise.model.ask import Chat, Message, RagasMetric, Reply, Usage
from fieldwise.model.diagnostic import Diagnostic

AskModel = Callable[[Chat], Awaitable[Reply]]
METRIC_CLASSES: Final[Mapping[str, str]] = {
    "faithfulness": "Faithfulness",
    "answer_relevancy": "AnswerRelevancy",
    "context_precision": "ContextPrecisionWithReference",
    "context_utilization": "ContextPrecisionWithoutReference",
    "context_recall": "ContextRecall",
}
_FIX: Final = "pip install 'fieldwise[ragas]', which installs the supported version of ragas (800 MB)"


class _UnansweredError(Exception):
    """A question of the package without an answer."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.problem)
        self.reply = reply


async def measure_ragas_metric(question: RagasMetric, ask: AskModel) -> Reply:
    """The value of the metric and every reply of the model in `data`, or the problem; never NaN."""
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"  # disables telemetry; read when the package is imported
    try:
        import ragas.metrics.collections as metrics  # pyright: ignore
    except Exception as error:  # an incompatible version fails in many ways
        state = "is not installed" if isinstance(error, ModuleNotFoundError) and error.name == "ragas" else f"cannot be used: {error}"
        return Reply(problem=f"the package ragas {state}", fix=_FIX, missing=True)
    replies: list[Any] = []
    usage: list[Usage] = []
    metric: Any = getattr(metrics, METRIC_CLASSES[question.metric])(**_build_components(question, ask, replies, usage))
    try:
        value = float((await metric.ascore(**question.sample)).value)
    except _UnansweredError as error:
        reply = error.reply
    except Exception as error:
        reply = Reply(problem=f"ragas failed on {question.metric}: {str(error) or type(error).__name__}")
    else:
        reply = Reply(data={"value": value, "said": replies}) if math.isfinite(value) else _nan_reply(question.metric)
    return replace(reply, usage=sum(usage, Usage()))


def _nan_reply(metric: str) -> Reply:
    return Reply(problem=f"ragas returned NaN for {metric}, most likely because the model found no statement")


def _build_components(question: RagasMetric, ask: AskModel, replies: list[Any], usage: list[Usage]) -> dict[str, Any]:
    """The arguments of the metric: a model, and for answer relevancy an embedding model."""
    from ragas.embeddings.base import BaseRagasEmbedding  # pyright: ignore
    from ragas.llms.base import InstructorBaseRagasLLM  # pyright: ignore

    class SuiteModel(InstructorBaseRagasLLM):  # pyright: ignore
        """The model of the suite."""

        def generate(self, prompt: str, response_model: Any) -> Any:
            raise NotImplementedError("this model supports only asynchronous calls")

        async def agenerate(self, prompt: str, response_model: Any) -> Any:
            schema = inline_references(response_model.model_json_schema())
            reply = await ask(Chat(endpoint=question.endpoint, messages=(Message("user", prompt),), schema=schema))
            usage.append(reply.usage)
            if reply.problem is not None:
                raise _UnansweredError(reply)
            replies.append(reply.data)
            return response_model.model_validate(reply.data)

    class LocalEmbedding(BaseRagasEmbedding):  # pyright: ignore
        """The embedding model on this machine."""

        def embed_text(self, text: str, **_: Any) -> list[float]:
            embed = load_embedder()
            if isinstance(embed, Diagnostic):
                raise _UnansweredError(Reply(problem=embed.what, fix=embed.fix, missing=True))
            return embed([text]).value[0].tolist()

        async def aembed_text(self, text: str, **_: Any) -> list[float]:
            return self.embed_text(text)

    return {"llm": SuiteModel(), **({"embeddings": LocalEmbedding()} if question.metric == "answer_relevancy" else {})}


def inline_references(schema: Any, definitions: Mapping[str, Any] | None = None) -> Any:
    """A JSON Schema with its references replaced by their definitions.

    >>> inline_references({"$defs": {"A": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/A"}}})
    {'properties': {'a': {'type': 'string'}}}
    """
    if isinstance(schema, list):
        return [inline_references(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    all_definitions: Mapping[str, Any] = schema.get("$defs", {}) if definitions is None else definitions
    if "$ref" in schema:
        return inline_references(all_definitions[schema["$ref"].rsplit("/", 1)[-1]], all_definitions)
    return {key: inline_references(value, all_definitions) for key, value in schema.items() if key != "$defs"}
