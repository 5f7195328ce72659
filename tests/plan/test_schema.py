"""The JSON Schema of a suite."""

import pytest
import yaml
from jsonschema import Draft202012Validator

from fieldwise import registry
from fieldwise.plan.declared_options import read_descriptions
from fieldwise.plan.schema import build_suite_schema

GOOD = """\
name: invoices
cases: {expected: gold/*.json, actual: out/*.json}
columns: {expected: ground_truth}
evaluators:
  - type: field_accuracy
    name: fields
    weight: 2
    threshold: 0.9
    when: {id: [EF_1, EF_2], contexts: true}
    fields:
      - vendor.name
      - {path: a}
      - {path: invoice.number, match: exact, weight: 2, required: false}
      - {path: "line_items[*].amount", match: numeric_tolerance, tolerance: 0.5}
      - {path: notes, match: ignore}
      - "tags[*]"
    lists: {line_items: {align: key, key: sku}, tags: best}
  - {type: field_prf, ignore: [meta.id], pass_at: 0.5}
  - {type: json_quality, strategies: strategies.json, fuzzy: {algorithm: token_set}, default_text: EXACT}
  - {type: json_quality, name: b, strategies: {bio: FUZZY}, weights: {w_accuracy: 1}}
  - {type: similarity, match: {match: fuzzy, threshold: 0.9}}
  - {type: iou_score, path: boxes, threshold: 0.5}
  - {type: code_judge, script: [python, judge.py], anything: {goes: here}, threshold: x}
  - {type: fact_checks, facts: {no_refusal: {not: {word: "no"}}, plain: {number: 604}}}
gate: {field_prf.macro_f1: ">= 0.90", fields.score: "<1"}
"""


@pytest.fixture
def schema():
    return build_suite_schema()


@pytest.fixture
def valid(schema):
    return lambda text: Draft202012Validator(schema).is_valid(yaml.safe_load(text))


def test_the_schema_is_a_schema(schema):
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("2020-12/schema")


def test_a_good_suite_agrees_with_the_schema_and_can_be_planned(schema, plan):
    assert [error.message for error in Draft202012Validator(schema).iter_errors(yaml.safe_load(GOOD))] == []
    assert len(plan(GOOD).evaluators) == 8


@pytest.mark.parametrize(
    "text",
    [
        "cases: a.jsonl",
        "evaluators: []",
        "evaluators: [{type: field_prf}]\nregression: 1",
        "evaluators: [{name: a}]",
        "evaluators: [{type: nothing}]",
        "evaluators: [field_prf]",
        "evaluators: [{type: field_prf, agregation: x}]",
        "evaluators: [{type: field_prf, name: a.b}]",
        "evaluators: [{type: field_prf, weight: -1}]",
        "evaluators: [{type: field_prf, pass_at: '0.9'}]",
        "evaluators: [{type: field_prf, when: EF_1}]",
        "evaluators: [{type: field_prf, when: {}}]",
        "evaluators: [{type: field_prf, when: {tags: a}}]",
        "evaluators: [{type: code_judge}]",
        "evaluators: [{type: iou_score, path: a, threshold: 2}]",
        "evaluators: [{type: code_judge, anything: 1}]",
        "evaluators: [{type: json_quality, strategies: {bio: FUZY}}]",
        "evaluators: [{type: json_quality, weights: {w_acuracy: 1}}]",
        "evaluators: [{type: json_quality, fuzzy: {match: exact}}]",
        "evaluators: [{type: similarity, match: fuzy}]",
        "evaluators: [{type: similarity, match: {match: fuzzy, tolerance: 1}}]",
        "evaluators: [{type: fact_checks, facts: []}]",
        "evaluators: [{type: fact_checks, facts: {a: {not: {wrd: b}}}}]",
        "evaluators: [{type: field_accuracy, fields: [{match: exact}]}]",
        "evaluators: [{type: field_accuracy, fields: [{path: a, match: invalid_type}]}]",
        "evaluators: [{type: field_accuracy, fields: [{path: a, tolerance: 1}]}]",
        "evaluators: [{type: field_accuracy, fields: [{path: a, match: numeric_tolerance, tolerance: x}]}]",
        "evaluators: [{type: field_accuracy, fields: [{path: a, match: fuzzy, algorithm: jaro}]}]",
        "evaluators: [{type: field_accuracy, lists: {a: {align: key}}}]",
        "evaluators: [{type: field_accuracy, lists: {a: {align: best, key: b}}}]",
        "evaluators: [{type: field_accuracy, lists: {a: bets}}]",
        "cases: {expected: a}\nevaluators: [{type: field_prf}]",
        "columns: {gold: a}\nevaluators: [{type: field_prf}]",
        "evaluators: [{type: field_prf}]\ngate: {field_prf.f1: 0.9}",
        "evaluators: [{type: field_prf}]\ngate: {field_prf.f1: '=> 0.9'}",
        "evaluators: [{type: field_prf}]\ngate: {score: '>= 0.9'}",
    ],
)
def test_a_bad_suite_agrees_neither_with_the_schema_nor_with_the_plan(valid, problems, text):
    assert not valid(text)
    assert problems(text)


def test_options_are_described_by_their_docstrings(schema):
    options_type = registry.EVALUATORS.find("field_accuracy").options
    accuracy = schema["$defs"]["evaluator.field_accuracy"]
    assert accuracy["description"] == options_type.__doc__
    assert accuracy["properties"]["aggregation"] == {
        "enum": ["weighted_average", "all_or_nothing"],
        "description": read_descriptions(options_type)["aggregation"],
        "default": "weighted_average",
    }
    threshold = schema["$defs"]["match.fuzzy"]["properties"]["threshold"]
    assert {key: threshold[key] for key in ("type", "minimum", "maximum", "default")} == {
        "type": "number",
        "minimum": 0,
        "maximum": 1,
        "default": 0.85,
    }
    assert threshold["description"]


def test_every_matcher_there_is_has_its_place_in_the_schema():
    schema = build_suite_schema()
    Draft202012Validator.check_schema(schema)
    assert {"exact", "fuzzy", "numeric_tolerance"} <= set(schema["$defs"]["field"]["anyOf"][1]["properties"]["match"]["enum"])
