"""A suite becomes a plan, or every problem it has."""

import pytest

from fieldwise.model.diagnostic import ConfigError
from fieldwise.model.plan import Document, Gate, Source
from fieldwise.plan.suite import build_plan

GOOD = """\
name: invoices
cases: data/invoices.jsonl
columns: {expected: ground_truth, actual: output}
evaluators:
  - type: field_accuracy
    name: fields
    aggregation: all_or_nothing
    fields:
      - {path: invoice.number, match: exact, weight: 2}
      - {path: "line_items[*].amount", match: numeric_tolerance, tolerance: 0.5}
      - vendor.name
    lists: {line_items: {align: best}}
  - {type: field_prf}
  - {type: json_quality, strategies: strategies.json}
gate: {field_prf.macro_f1: ">= 0.90", fields.score: "> 0.8"}
"""

SIX_MISTAKES = """\
name: invoices
case: data/invoices.jsonl
evaluators:
  - type: field_acuracy
  - type: field_accuracy
    agregation: all_or_nothing
    fields:
      - {path: invoice.number, match: exakt}
      - path: invoice.total
        match: numeric_tolerance
        tolerance: "0.05"
gate: {field_accuracies.score: ">= 0.9"}
"""


def test_a_good_suite_becomes_a_plan(plan):
    made = plan(GOOD)
    assert made.name == "invoices"
    assert made.source == Source(cases="/suite/data/invoices.jsonl", columns={"expected": "ground_truth", "actual": "output"})
    assert [(evaluator.name, evaluator.type) for evaluator in made.evaluators] == [
        ("fields", "field_accuracy"),
        ("field_prf", "field_prf"),
        ("json_quality", "json_quality"),
    ]
    assert [rule.text for rule in made.evaluators[0].config.fields] == ["invoice.number", "line_items[*].amount", "vendor.name"]
    assert made.evaluators[2].config.strategies == {"bio": "FUZZY"}
    assert made.gates == (
        Gate(evaluator="field_prf", metric="macro_f1", operator=">=", value=0.9),
        Gate(evaluator="fields", metric="score", operator=">", value=0.8),
    )
    assert (made.file, made.text, made.diagnostics) == ("invoices.eval.yaml", GOOD, ())


def test_six_mistakes_are_six_problems_each_with_its_line_and_a_suggestion(problems):
    diagnostics = problems(SIX_MISTAKES)
    assert [(diagnostic.where.line, diagnostic.fix) for diagnostic in diagnostics] == [
        (2, "did you mean `cases`?"),
        (4, "did you mean `field_accuracy`?"),
        (6, "did you mean `aggregation`?"),
        (8, "did you mean `exact`?"),
        (11, "write it without quotes: 0.05"),
        (12, "did you mean `field_accuracy`?"),
    ]
    assert all(diagnostic.where.file == "invoices.eval.yaml" and diagnostic.level == "error" for diagnostic in diagnostics)


def test_problems_read_as_what_where_and_how_to_fix_it(problems):
    assert str(problems(SIX_MISTAKES)[4]) == (
        'invoices.eval.yaml:11: field invoice.total: `tolerance` must be a number ≥ 0, not the text "0.05"\n'
        "  fix: write it without quotes: 0.05"
    )


@pytest.mark.parametrize("key", ["regression", "description", "version"])
def test_a_key_that_no_suite_has_is_refused(problem, key):
    diagnostic = problem(f"cases: a.jsonl\nevaluators: [{{type: field_prf}}]\n{key}: 1\n")
    assert (diagnostic.code, diagnostic.where.line, diagnostic.what) == ("unknown-key", 3, f"a suite has no key `{key}`")


def test_a_misspelled_key_beside_the_right_one_suggests_the_right_one(problem):
    diagnostic = problem("cases: a.jsonl\nevaluators: [{type: field_prf}]\nevaluatrs: []\n")
    assert diagnostic.what == "a suite has no key `evaluatrs`"
    assert diagnostic.fix == "did you mean `evaluators`? It is written already: keep one of the two"


def test_a_suite_without_a_name_is_called_after_its_file(plan):
    assert plan("evaluators: [{type: field_prf}]").name == "invoices"


def test_a_suite_without_cases_has_no_source(plan):
    assert plan("evaluators: [{type: field_prf}]").source is None


def test_columns_are_kept_for_cases_named_on_the_command_line(plan):
    assert plan("columns: {actual: out}\nevaluators: [{type: field_prf}]").source == Source(columns={"actual": "out"})


def test_several_outputs_of_a_case_may_have_a_column_each(plan):
    made = plan("columns: {actuals: [first, second]}\nevaluators: [{type: field_prf}]")
    assert made.source == Source(columns={"actuals": ("first", "second")})


def test_standard_input_is_not_a_path(plan):
    assert plan('cases: "-"\nevaluators: [{type: field_prf}]').source == Source(cases="-")


def test_expected_and_actual_may_stand_apart(plan):
    made = plan("cases: {expected: gold/*.json, actual: out/*.json, join: key, format: coco}\nevaluators: [{type: field_prf}]")
    assert made.source == Source(expected="/suite/gold/*.json", actual="/suite/out/*.json", join="key", format="coco")


@pytest.mark.parametrize(
    ("text", "what", "fix"),
    [
        ("cases: {expected: a.json}", "`cases` needs `actual`", "add `actual:` with a path or a pattern"),
        ("cases: {expected: a, actual: b, joins: c}", "`cases` has no key `joins`", "did you mean `join`?"),
        ("cases: [a, b]", "`cases` must be a path or a mapping, not a list", "a pattern such as `data/*.jsonl`"),
        ("cases: {expected: 1, actual: b}", "`expected` must be text that is not empty, not the number 1", 'write it in quotes: "1"'),
        ("columns: {expeced: a}", "there is no role `expeced`", "did you mean `expected`?"),
        ("columns: {expected: [a]}", "`expected` must be text that is not empty, not a list", None),
        ("columns: [a]", "`columns` must be a mapping of roles to column names, not a list", "write `columns:"),
        ("name: [a]", "`name` must be text that is not empty, not a list", None),
    ],
)
def test_what_is_wrong_with_the_head_of_a_suite_is_said(problem, text, what, fix):
    diagnostic = problem(f"{text}\nevaluators: [{{type: field_prf}}]")
    assert diagnostic.what == what
    assert diagnostic.where.line == 1
    assert fix is None or fix in diagnostic.fix


@pytest.mark.parametrize("text", ["cases: a.jsonl", "evaluators: []", "evaluators: {type: field_prf}", "evaluators:"])
def test_a_suite_needs_a_list_of_evaluators(problem, text):
    assert problem(text).code == "missing-evaluators"


@pytest.mark.parametrize("value", [None, [], "text"])
def test_a_suite_that_is_no_mapping_is_refused(value):
    with pytest.raises(ConfigError, match="a suite must be a mapping"):
        build_plan(Document(value=value), load=str, resolve=str)


def test_a_malformed_path_is_a_warning_of_the_plan(plan):
    """structured-data spec: Malformed field path"""
    made = plan("evaluators:\n  - type: field_accuracy\n    fields:\n      - path: invoice..total\n")
    (warning,) = made.diagnostics
    assert (warning.code, warning.level, warning.where.line) == ("malformed-path", "warning", 4)
    (rule,) = made.evaluators[0].config.fields
    assert (rule.path, rule.text) == (None, "invoice..total")


def test_a_suite_made_in_python_has_problems_without_lines():
    suite = {"evaluators": [{"type": "field_accuracy", "fields": ["a", "a"]}]}
    with pytest.raises(ConfigError) as caught:
        build_plan(Document(value=suite), load=str, resolve=str)
    assert str(caught.value) == "field a: `a` has two rules (`fields[0]` and `fields[1]`)\n  fix: keep one of them"


def test_an_evaluator_with_a_problem_still_counts_for_gates(problem):
    diagnostic = problem('evaluators: [{type: field_prf, ignore: "$.a"}]\ngate: {field_prf.f1: ">= 0.5"}')
    assert diagnostic.code == "bad-option"
