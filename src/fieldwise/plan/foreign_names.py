"""Checks as other tools call them, and what to write here for the same."""

from collections.abc import Callable, Collection, Mapping
from typing import Final

_CALLED: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "contains-all": ("contains", {}),
    "contains-any": ("contains", {"mode": "any"}),
    "icontains-all": ("icontains", {}),
    "icontains-any": ("icontains", {"mode": "any"}),
    "contains-json": ("is_json", {"anywhere": "true"}),
    "word-count": ("length", {"unit": "words"}),
    "similar": ("similarity", {}),
    "levenshtein": ("similarity", {"match": "fuzzy"}),
    "llm-rubric": ("llm_judge", {"rubric": "[…]"}),
    "g-eval": ("llm_judge", {"rubric": "[…]"}),
    "factuality": ("llm_judge", {"prompt": "…"}),
    "model-graded-closedqa": ("llm_judge", {"prompt": "…"}),
    "python": ("code_judge", {"script": "check.py"}),
    "javascript": ("code_judge", {"script": "[node, check.mjs]"}),
    "context-faithfulness": ("ragas", {"metrics": "[faithfulness]"}),
    "faithfulness": ("ragas", {"metrics": "[faithfulness]"}),
    "answer-relevance": ("ragas", {"metrics": "[answer_relevancy]"}),
    "answer-relevancy": ("ragas", {"metrics": "[answer_relevancy]"}),
    "context-precision": ("ragas", {"metrics": "[context_precision]"}),
    "context-recall": ("ragas", {"metrics": "[context_recall]"}),
    "assert-set": ("composite", {"evaluators": "[…]"}),
    "tool-call-f1": ("tool_trajectory", {}),
    "tool-correctness": ("tool_trajectory", {}),
}


def written_here(name: str, valid: Collection[str], negatable: Callable[[str], bool]) -> str | None:
    """How to write a check that other tools call by this name; None where it is not known.

    >>> written_here("not-contains-any", ["contains"], lambda name: True)
    'write `{type: contains, mode: any, negate: true}`'
    """
    plain = name.lower().replace("_", "-")
    inner = plain.removeprefix("not-")
    kind, options = _CALLED.get(inner, (inner.replace("-", "_"), {}))
    negated = inner != plain
    if kind not in valid or (negated and not negatable(kind)) or (not negated and inner not in _CALLED):
        return None
    parts = {"type": kind, **options, **({"negate": "true"} if negated else {})}
    return f"write `{{{', '.join(f'{key}: {value}' for key, value in parts.items())}}}`"
