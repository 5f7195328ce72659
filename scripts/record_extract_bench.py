"""Record what ExtractBench says about the records of `stickler.jsonl`, as `extract_bench.jsonl` in tests/study/data.

Run it in an environment of its own, in a checkout of ContextualAI/extract-bench: `PYTHONPATH=src python record_extract_bench.py`. Text is
compared by its fuzzy preset: its default asks a model. Null values are left out, as its schemas declare no null.
"""

import json
import sys
import types
from pathlib import Path
from typing import Any

sys.modules.setdefault("litellm", types.ModuleType("litellm"))  # imported for models, which are not asked

from extract_bench import StructuredEvaluator, StructuredEvaluatorConfig  # noqa: E402

FOLDER = Path(__file__).parents[1] / "tests" / "study" / "data"
TEXT = {"type": "string", "evaluation_config": "string_fuzzy"}
SCHEMA = {
    "type": "object",
    "properties": {
        "number": TEXT,
        "total": {"type": "number"},
        "pages": {"type": "integer"},
        "notes": TEXT,
        "vendor": {"type": "object", "properties": {"name": TEXT, "city": TEXT}},
    },
}


def without_nulls(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}


def main() -> None:
    evaluator = StructuredEvaluator(StructuredEvaluatorConfig(metrics=[]))
    lines = []
    for line in (FOLDER / "stickler.jsonl").read_text().splitlines():
        case = json.loads(line)
        results = evaluator.evaluate(SCHEMA, without_nulls(case["expected"]), without_nulls(case["actual"]))["results"]
        passed = {}
        for path, metrics in results.items():
            name = path.replace("$.properties.", "").replace(".properties.", ".")
            [metric] = metrics.values()
            passed[name] = metric.passed
        lines.append(json.dumps({"id": case["id"], "passed": passed}))
    (FOLDER / "extract_bench.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
