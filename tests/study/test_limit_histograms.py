"""Histograms of what is compared with a threshold or a tolerance."""

import json

import fieldwise as fw
from fieldwise.study.limit_histograms import BINS, build_limit_histograms

RULES = [
    {"path": "name", "match": "fuzzy", "threshold": 0.8},
    {"path": "total", "match": "numeric_tolerance", "tolerance": 0.5},
    {"path": "binary", "match": "fuzzy", "score": "binary", "sparse": True},
    {"path": "items[*].n", "match": "numeric_tolerance", "tolerance": 1},
    "plain",
]


def test_each_limit_that_can_be_tried_has_a_histogram_of_differing_values(tmp_path):
    expected = {"name": "Acme Corp", "total": 10, "items": [{"n": 1}], "plain": "x"}
    actuals = [{"name": "Acme Corp."}, {"name": "Acme"}, {"total": 10.5}, {"total": 13}, {"total": "x"}, {}]
    cases = [{"id": str(n), "expected": expected, "actual": {**expected, **actual}} for n, actual in enumerate(actuals)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    evaluator = {"type": "field_accuracy", "name": "f", "fields": RULES, "lists": {"items": "best"}}
    (tmp_path / "s.eval.yaml").write_text(json.dumps({"cases": "cases.jsonl", "evaluators": [evaluator, {"type": "field_prf"}]}))
    name, total = build_limit_histograms(fw.run(tmp_path / "s.eval.yaml", root=tmp_path / "runs"))
    assert (name.name, name.value, name.top) == ("f.name.threshold", 0.8, 1.0)
    assert (sum(name.passed), sum(name.failed), len(name.passed)) == (1, 1, BINS)
    assert (total.name, total.value, total.top) == ("f.total.tolerance", 0.5, 5.0)
    assert (sum(total.passed), sum(total.failed), total.beyond) == (1, 1, 0)
