"""Histograms of what is compared with a threshold or a tolerance."""

import json
from dataclasses import replace

import pytest

import fieldwise as fw
from fieldwise.store.manifest import write_manifest
from fieldwise.store.run import open_run
from fieldwise.study import inferred_suite
from fieldwise.study.limit_histograms import BINS, build_limit_histograms
from fieldwise.study.what_if import what_if

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
    name, total = build_limit_histograms(fw.run(tmp_path / "s.eval.yaml", root=tmp_path / "runs")).histograms
    assert (name.name, name.value, name.top) == ("f.name.threshold", 0.8, 1.0)
    assert (sum(name.passed), sum(name.failed), len(name.passed)) == (1, 1, BINS)
    assert (total.name, total.value, total.top) == ("f.total.tolerance", 0.5, 5.0)
    assert (sum(total.passed), sum(total.failed), total.beyond) == (1, 1, 0)


def store_run(tmp_path, evaluators, cases, **options):
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    (tmp_path / "s.eval.yaml").write_text(json.dumps({"cases": "cases.jsonl", "evaluators": evaluators}))
    return fw.run(tmp_path / "s.eval.yaml", root=tmp_path / "runs", **options)


def make_orders(total_of):
    """Cases with amounts, text, dates and keyed items; the actual total is off by a tenth."""
    cases = []
    for n in range(8):
        items = [{"sku": f"A-{n}{k}", "price": k + 0.25} for k in range(2)]
        record = {"total": total_of(n), "note": f"goods of week {n} for the main office", "due": f"0{n + 1}/25/2024", "items": items}
        cases.append({"id": str(n), "expected": record, "actual": {**record, "total": round(total_of(n) + 0.1, 3)}})
    return cases


def test_inferred_rules_have_histograms_and_can_be_tried(tmp_path):
    run = store_run(tmp_path, [{"type": "field_accuracy", "name": "f"}], make_orders(lambda n: 10.5 + n))
    names = {histogram.name for histogram in build_limit_histograms(run).histograms}
    assert {"f.total.tolerance", "f.note.threshold", "f.items[*].price.tolerance"} <= names
    assert len(what_if(run, ["f.total.tolerance=0.2"]).flips) == 8


def test_list_rules_of_the_suite_are_kept_beside_inferred_rules(tmp_path):
    evaluator = {"type": "field_accuracy", "name": "f", "lists": {"items": "best"}}
    run = store_run(tmp_path, [evaluator], make_orders(lambda n: 10.5 + n))
    names = {histogram.name for histogram in build_limit_histograms(run).histograms}
    assert "f.total.tolerance" in names
    assert "f.items[*].price.tolerance" not in names


def forget_inferred_rules(run):
    """Let the run look as if a version had stored it that kept no inferred rules."""
    entries = [{key: value for key, value in entry.items() if key != "inferred_rules"} for entry in run.manifest.evaluators]
    write_manifest(run.path, replace(run.manifest, evaluators=entries))
    return open_run(run.path.parent.parent, run.id)


def test_inferred_rules_are_stored_and_not_inferred_again(tmp_path, monkeypatch):
    run = store_run(tmp_path, [{"type": "field_accuracy", "name": "f"}], make_orders(lambda n: 10.5 + n))
    again = build_limit_histograms(forget_inferred_rules(run))
    run = store_run(tmp_path, [{"type": "field_accuracy", "name": "f"}], make_orders(lambda n: 10.5 + n))
    monkeypatch.setattr(inferred_suite, "_infer_again", pytest.fail)
    assert build_limit_histograms(run) == again
    assert len(what_if(run, ["f.total.tolerance=0.2"]).flips) == 8


def test_rules_inferred_from_more_cases_than_the_run_stores_can_be_tried(tmp_path):
    cases = make_orders(lambda n: 10.5 if n < 4 else 10.123)
    run = store_run(tmp_path, [{"type": "field_accuracy", "name": "f"}], cases, limit=3)
    assert "f.total.tolerance" in {histogram.name for histogram in build_limit_histograms(run).histograms}


def test_an_older_run_over_a_part_of_the_cases_has_no_histogram(tmp_path):
    cases = make_orders(lambda n: 10.5 if n < 4 else 10.123)
    run = store_run(tmp_path, [{"type": "field_accuracy", "name": "f"}], cases, limit=3)
    study = build_limit_histograms(forget_inferred_rules(run))
    assert study.histograms == ()
    assert study.reason.startswith("The rules of `f` were inferred from other data than the run stores")


PRICES = {"path": "items[*].price", "match": "numeric_tolerance", "tolerance": 1}


@pytest.mark.parametrize(
    ("evaluator", "reason"),
    [
        ({"type": "field_accuracy", "name": "f", "fields": ["note"]}, "No rule of `f` has a threshold or a tolerance"),
        ({"type": "json_quality"}, "No evaluator of the suite has rules"),
        ({"type": "field_accuracy", "name": "f", "fields": [PRICES], "lists": {"items": "best"}}, "`align: best` pairs list items by it"),
        ({"type": "field_accuracy", "name": "f", "fields": [{"path": "note", "match": "fuzzy", "score": "binary"}]}, "`score: binary`"),
    ],
)
def test_without_a_histogram_the_one_true_reason_is_given(tmp_path, evaluator, reason):
    study = build_limit_histograms(store_run(tmp_path, [evaluator], make_orders(lambda n: 10.5 + n)))
    assert study.histograms == ()
    assert reason in study.reason


def test_a_schema_that_is_gone_is_the_reason_for_no_histogram(tmp_path):
    (tmp_path / "schema.json").write_text(json.dumps({"type": "object", "properties": {"total": {"type": "number"}}}))
    run = store_run(tmp_path, [{"type": "field_accuracy", "fields": {"schema": "schema.json"}}], make_orders(lambda n: 10.5 + n))
    (tmp_path / "schema.json").unlink()
    assert "schema.json" in build_limit_histograms(run).reason
