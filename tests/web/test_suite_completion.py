"""Completion of suites: what is suggested where, in block and flow style, in text that is half written."""

import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest

from fieldwise.web import suite_completion
from fieldwise.web.suite_completion import complete_suite


def suggest(text: str, paths: tuple[str, ...] = ()) -> list[str]:
    """The texts suggested at the `|` in a text."""
    cursor = text.index("|")
    completion = complete_suite(text.replace("|", ""), cursor, paths)
    return [suggestion.text for suggestion in completion.suggestions]


FIELDS = "evaluators:\n  - type: field_accuracy\n    fields:\n"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("|", ["evaluators:"]),
        ("evaluators:\n  - |", ["type: "]),
        ("evaluators:\n  - type: field_p|", ["field_prf"]),
        ("evaluators:\n  - type: field_accuracy\n    agg|\n  - type: field_prf\n", ["aggregation: "]),
        ("evaluators:\n  - type: field_accuracy\n    aggregation: |", ["weighted_average", "all_or_nothing"]),
        (f"{FIELDS}      |", ["- path: "]),
        (f"{FIELDS}      - {{path: a, match: fu|", ["fuzzy"]),
        (f"{FIELDS}      - {{path: a, match: fuzzy, alg|}}", ["algorithm: "]),
        (f"{FIELDS}      - path: a\n        match: fuzzy\n        thr|\n      - path: b\n", ["threshold: "]),
        ("evaluators:\n  - {type: field_accuracy, fields: [{path: a, match: numeric_t|}]}", ["numeric_tolerance"]),
        ("evaluators:\n  - type: field_accuracy\n    lists:\n      a: {align: |}", ["index", "best", "key", "set"]),
        ("evaluators:\n  - type: composite\n    evaluators:\n      - type: conta|", ["contains", "icontains"]),
        ("evaluators:\n  - {type: field_prf, name: f}\ngate:\n  f.s|", ['f.score: ">= 0.9"']),
    ],
)
def test_the_schema_decides_what_is_suggested(text: str, first: list[str]) -> None:
    assert suggest(text)[: len(first)] == first


def test_options_of_another_match_and_keys_that_are_there_are_not_suggested() -> None:
    suggestions = suggest(f"{FIELDS}      - {{path: a, match: numeric_tolerance, weight: 2, |}}")
    assert "tolerance: " in suggestions
    assert not {"algorithm: ", "weight: ", "match: "} & set(suggestions)


def test_a_path_is_suggested_from_the_record() -> None:
    assert suggest(f"{FIELDS}      - path: inv|", ("total", "invoice.total", "invoice.date")) == ["invoice.total", "invoice.date"]


@pytest.mark.parametrize("text", ["name: x # eval|", "name: |", "]|", "a: b: |", "evaluators:\n  - type: no_such_type\n    opt|"])
def test_nothing_is_suggested_where_nothing_can_be_known(text: str) -> None:
    assert suggest(text) == []


def test_a_word_is_replaced_as_a_whole() -> None:
    text = "evaluators:\n  - type: field_accuracy"
    completion = complete_suite(text, text.index("field") + 3)
    assert text[completion.start : completion.end] == "field_accuracy"


def test_the_schema_is_built_once_however_many_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []

    def build() -> dict[str, object]:
        built.append(1)
        time.sleep(0.05)
        return {}

    monkeypatch.setattr(suite_completion, "build_suite_schema", build)
    monkeypatch.setattr(suite_completion, "_build_once", cache(build))
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: suite_completion.get_suite_schema(), range(8)))
    assert built == [1]
