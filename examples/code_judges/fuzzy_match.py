"""A code judge for one value: how alike are the answer and the reference?

Options in the suite become `config` here: `algorithm` (levenshtein, jaro_winkler), `threshold`, `case_sensitive`.
It needs nothing but Python, and works as a worker too: `process: {workers: 1}` sends one case a line.
"""

import json
import sys
from typing import Any


def levenshtein(one: str, other: str) -> float:
    """1 less the share of characters to change, by the longer text."""
    if not one and not other:
        return 1.0
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return 1 - row[-1] / max(len(one), len(other))


def jaro_winkler(one: str, other: str) -> float:
    """Jaro's similarity, raised for a common beginning of up to four characters."""
    if one == other:
        return 1.0
    reach = max(max(len(one), len(other)) // 2 - 1, 0)
    taken: set[int] = set()
    pairs: list[tuple[int, int]] = []
    for i, letter in enumerate(one):
        for j in range(max(0, i - reach), min(len(other), i + reach + 1)):
            if j not in taken and other[j] == letter:
                taken.add(j)
                pairs.append((i, j))
                break
    if not pairs:
        return 0.0
    in_other = [other[j] for j in sorted(taken)]
    swapped = sum(one[i] != letter for (i, _), letter in zip(pairs, in_other, strict=True)) / 2
    jaro = (len(pairs) / len(one) + len(pairs) / len(other) + (len(pairs) - swapped) / len(pairs)) / 3
    prefix = next((k for k in range(4) if one[k : k + 1] != other[k : k + 1] or k >= len(one)), 4)
    return jaro + 0.1 * prefix * (1 - jaro)


ALGORITHMS = {"levenshtein": levenshtein, "jaro_winkler": jaro_winkler}


def similarity(one: Any, other: Any, config: dict[str, Any]) -> float:
    """How alike two values are as text."""
    left, right = str(one).strip(), str(other).strip()
    if not config.get("case_sensitive", False):
        left, right = left.casefold(), right.casefold()
    return ALGORITHMS[config.get("algorithm", "levenshtein")](left, right)


def judge(case: dict[str, Any]) -> dict[str, Any]:
    """The judgement of one case."""
    config = case["config"]
    threshold = config.get("threshold", 0.85)
    score = similarity(case["reference_answer"] or "", case["candidate_answer"], config)
    said = f"similarity {score:.2f}, threshold {threshold}"
    passed = score >= threshold
    return {"score": score, "hits": [said] if passed else [], "misses": [] if passed else [said], "reasoning": said}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(judge(json.loads(line))), flush=True)
