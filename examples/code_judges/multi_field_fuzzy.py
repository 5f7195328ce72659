"""A code judge for several fields of a record, each with a threshold of its own.

    evaluators:
      - name: party_names_fuzzy
        type: code_judge
        script: ./multi_field_fuzzy.py
        fields:
          - {path: supplier.name, threshold: 0.85}
          - {path: importer.name, threshold: 0.90}
        algorithm: levenshtein

`fields` and `algorithm` are not options of `code_judge`, so the script finds them in `config`.
"""

import json
import sys
from typing import Any

from fuzzy_match import similarity


def value_at(record: Any, path: str) -> Any:
    """The value at a path such as `parties.0.name`; None where there is none."""
    for step in path.split("."):
        if isinstance(record, list) and step.isdigit() and int(step) < len(record):
            record = record[int(step)]
        elif isinstance(record, dict):
            record = record.get(step)
        else:
            return None
    return record


def judge(case: dict[str, Any]) -> dict[str, Any]:
    """The judgement of one case: the mean similarity, and which fields reach their threshold."""
    config = case["config"]
    expected, actual = json.loads(case["reference_answer"]), json.loads(case["candidate_answer"])
    hits: list[str] = []
    misses: list[str] = []
    scores: list[float] = []
    for field in config["fields"]:
        path, threshold = field["path"], field.get("threshold", 0.85)
        one, other = value_at(expected, path), value_at(actual, path)
        score = 0.0 if one is None or other is None else similarity(one, other, config)
        scores.append(score)
        (hits if score >= threshold else misses).append(f"{path} ({score:.2f}, threshold {threshold})")
    return {
        "score": sum(scores) / len(scores),
        "hits": hits,
        "misses": misses,
        "reasoning": f"{len(hits)}/{len(scores)} fields reach their threshold",
    }


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(judge(json.loads(line))), flush=True)
