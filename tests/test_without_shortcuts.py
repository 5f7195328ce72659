"""Caches and shortcuts change nothing: a real suite and random records have the same results without them, to the bit."""

import json
import random
from importlib.resources import as_file, files
from itertools import product
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
from shortcuts import without_shortcuts

import fieldwise as fw
from fieldwise import registry
from fieldwise.store.run import Run

CONFIGURATIONS: list[dict[str, Any]] = [
    {"type": "field_accuracy"},
    {"type": "field_accuracy", "lists": {"items": {"align": "best"}}},
    {"type": "field_prf"},
    {"type": "json_quality", "default_text": "FUZZY"},
    {"type": "answer_quality"},
    {"type": "iou_score", "threshold": 0.5},
    {"type": "tool_trajectory"},
]


def figures(run: Run) -> str:
    results = [(stored.case, stored.evaluator, stored.result.to_json()) for stored in run.results()]
    return json.dumps([run.summary, run.exit_code, results], default=str)


def demo(folder: Path) -> list[Path]:
    folder.mkdir()
    with as_file(files("fieldwise") / "demo") as source:
        for file in source.iterdir():
            if file.suffix in (".jsonl", ".json", ".yaml"):
                copyfile(file, folder / file.name)
    return [folder / "invoices.eval.yaml", folder / "answers.eval.yaml"]


def random_record(rng: random.Random) -> dict[str, Any]:
    items = [
        {"name": rng.choice(["bolt", "nut", "washer", "Bolt M4"]), "amount": rng.choice([1, 2, 2.5, 10])} for _ in range(rng.randrange(8))
    ]
    return {
        "number": f"INV-{rng.randrange(50):03}",
        "date": f"{rng.randrange(1, 29):02}/0{rng.randrange(1, 10)}/2024",
        "total": rng.choice([1, 1.0, True, None, "1,00", 12.5, float("nan")]),
        "vendor": rng.choice(["Acme Corp", "ACME CORP.", "Apex", "", " "]),
        "notes": "long text " * rng.randrange(20),
        "items": items,
        "tags": rng.sample(["a", "b", "c", "d"], rng.randrange(4)),
    }


def test_the_demo_has_the_same_results_without_any_shortcut(tmp_path: Path) -> None:
    for suite in demo(tmp_path / "demo"):
        usual = figures(fw.run(suite, root=tmp_path / "usual"))
        with without_shortcuts() as count:
            assert count > 15
            assert figures(fw.run(suite, root=tmp_path / "plain")) == usual
            assert figures(fw.run(suite, root=tmp_path / "small", chunk=3)) == usual


def score_matcher_examples(rng: random.Random) -> dict[str, Any]:
    """What every matcher that works offline makes of the values of all examples, under the options of its own."""
    specs = [spec for spec in registry.MATCHERS.all() if spec.name != "semantic"]
    values = [value for spec in specs for example in spec.examples for value in (example.expected, example.actual)]
    expected, actual = rng.sample(values, 30), rng.sample(values, 30)
    scores: dict[str, Any] = {}
    for spec in specs:
        for example in spec.examples:
            scored = fw.match(spec.name, expected=[*expected, *actual], actual=[*actual, *actual], **example.options)
            key = f"{spec.name} {json.dumps(example.options, default=str)}"
            scores[key] = (scored.value.tolist(), scored.passed.tolist(), scored.notes, sorted(scored.faults))
    return scores


def test_every_matcher_scores_the_same_without_any_shortcut() -> None:
    usual = score_matcher_examples(random.Random(3))
    with without_shortcuts():
        assert str(score_matcher_examples(random.Random(3))) == str(usual)


def score_evaluator_examples() -> dict[str, Any]:
    """What every evaluator that works offline makes of its examples, and of each side against itself."""
    results: dict[str, Any] = {}
    for spec in registry.EVALUATORS.all():
        if spec.is_judge or spec.name in ("ragas", "similarity"):
            continue
        for at, example in enumerate(spec.examples):
            sides = [value for value in (example.expected, example.actual, example.perfect) if value is not None]
            for pair in product(sides, repeat=2):
                config = {"type": spec.name, **example.options}
                key = f"{spec.name} {at} {json.dumps(pair, default=str)}"
                results[key] = fw.evaluate(config, expected=pair[0], actual=pair[1]).to_json()
    return results


def test_every_evaluator_scores_the_same_without_any_shortcut() -> None:
    usual = score_evaluator_examples()
    assert len(usual) > 50
    with without_shortcuts():
        assert str(score_evaluator_examples()) == str(usual)


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda config: json.dumps(config)[:60])
def test_random_records_have_the_same_results_without_any_shortcut(config: dict[str, Any], tmp_path: Path) -> None:
    rng = random.Random(11)
    cases = []
    for number in range(25):
        expected = random_record(rng)
        actual = {key: value if rng.random() < 0.7 else random_record(rng)[key] for key, value in expected.items() if rng.random() < 0.95}
        if rng.random() < 0.5:
            rng.shuffle(actual.get("items", []))
        cases.append({"id": str(number), "expected": expected, "actual": actual})
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    suite = {"name": "s", "cases": str(tmp_path / "c.jsonl"), "evaluators": [config, {"type": "field_prf", "name": "second"}]}
    usual = figures(fw.run(suite, root=tmp_path / "usual"))
    with without_shortcuts():
        assert figures(fw.run(suite, root=tmp_path / "plain")) == usual
