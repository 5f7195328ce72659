"""Fixtures of stored runs: the demo, hostile data, many cases, boxes, answers. Makes `report_factory` importable."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.store.run import Run

sys.path.insert(0, str(Path(__file__).parent))
from report_factory import stored

EXAMPLES = Path(__file__).parents[2] / "examples"
HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    '=HYPERLINK("http://evil.example","x")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1+1",
    "]]><x>&amp;",
    "a\u202eb\u200bc\x00d\x1b[31m",
    "`|*_[x](http://evil.example)@someone",
    "{{ 7 * 7 }}{% raw %}",
]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The embedded invoices."""
    return fw.run(Path(fw.__file__).parent / "demo" / "invoices.eval.yaml", root=tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Data that tries to be markup, formulas, scripts, templates; in ids, tags, keys and values."""
    cases = [
        {"id": f"{number} {text}", "expected": {text: "x", "value": text}, "actual": {text: text, "value": text[::-1]}, "tags": [text]}
        for number, text in enumerate(HOSTILE)
    ]
    suite = "name: '<b>hostile</b> =1+1'\ncases: cases.jsonl\nevaluators:\n  - {type: field_prf}\n"
    return stored(tmp_path_factory.mktemp("hostile"), cases, suite)


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """1,000 cases of 18 fields, one value in nine wrong."""
    cases = []
    for number in range(1_000):
        expected = {f"field_{place:02d}": f"value {number * 31 + place * 7} of some length" for place in range(18)}
        wrong = {name for place, name in enumerate(expected) if (number * 7 + place * 5) % 9 == 0}
        actual = {name: text[::-1] if name in wrong else text for name, text in expected.items()}
        cases.append({"id": f"case-{number:04d}", "expected": expected, "actual": actual, "tags": [f"tag-{number % 40}"], "split": "test"})
    evaluators = "  - {type: field_accuracy}\n  - {type: field_prf}\n  - {type: json_quality, default_text: FUZZY}\n"
    suite = f"name: large\ncases: cases.jsonl\nevaluators:\n{evaluators}"
    return stored(tmp_path_factory.mktemp("large"), cases, suite)


@pytest.fixture(scope="session")
def states(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A pass, a failure, an output that is missing, nothing to score, an unreadable expected record, and a failed gate."""
    cases: list[dict[str, Any]] = [
        {"id": "right", "expected": {"a": 1, "b": 2}, "actual": {"a": 1, "b": 2}},
        {"id": "partly", "expected": {"a": 1, "b": 2}, "actual": {"a": 1, "b": 3}},
        {"id": "wrong", "expected": {"a": 1, "b": 2}, "actual": {"a": 5, "b": 6}},
        {"id": "no output", "expected": {"a": 1, "b": 2}},
        {"id": "nothing to score", "expected": {}, "actual": {"c": 1}},
        {"id": "expected is no record", "expected": "no JSON here", "actual": {"a": 1}},
    ]
    rules = "{type: field_accuracy, name: fields, fields: [{path: a}, {path: b}]}"
    suite = f"name: states\ncases: cases.jsonl\nevaluators:\n  - {rules}\ngate: {{fields.score: '>= 0.9'}}\n"
    return stored(tmp_path_factory.mktemp("states"), cases, suite)


@pytest.fixture(scope="session")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The detection example."""
    return fw.run(EXAMPLES / "detection" / "detection.eval.yaml", root=tmp_path_factory.mktemp("boxes"))


@pytest.fixture(scope="session")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The example of answers in words."""
    return fw.run(EXAMPLES / "answers" / "answers.eval.yaml", root=tmp_path_factory.mktemp("answers"))


@pytest.fixture(scope="session")
def against(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run compared with a baseline: of 24 cases with hostile names 12 are fixed, 1 is broken, 5 are still broken; 1 is new, 1 gone."""
    folder = tmp_path_factory.mktemp("against")

    def cases(wrong: set[int], which: range) -> list[dict[str, Any]]:
        names = [f"{number} {HOSTILE[number % len(HOSTILE)]}" for number in range(30)]
        return [
            {"id": names[at], "expected": {"<i>x": at, "y": "same"}, "actual": {"<i>x": -at if at in wrong else at, "y": "same"}}
            for at in which
        ]

    suite = "name: against\ncases: cases.jsonl\nevaluators:\n  - {type: field_prf}\n"
    stored(folder, cases(set(range(1, 18)), range(25)), suite)
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases({*range(1, 6), 20}, range(1, 26))))
    return fw.run(folder / "suite.eval.yaml", root=folder / "stored", baseline="latest")
