"""An evaluator: its type, name, weight, cut, cases and options."""

import pytest

import fieldwise as fw
from fieldwise import registry
from fieldwise.model.diagnostic import ConfigError
from fieldwise.model.plan import When
from fieldwise.plan.evaluators import _EQUIVALENTS, plan_config
from fieldwise.plan.rules import list_match_names


@pytest.fixture
def wrong(problem):
    """The only problem of an evaluator."""
    return lambda written: problem(f"evaluators:\n- {written}\n")


def errors(config, **arguments):
    with pytest.raises(ConfigError) as caught:
        plan_config(config, **arguments)
    return [(diagnostic.what, diagnostic.fix) for diagnostic in caught.value.diagnostics]


def test_what_is_not_written_has_its_default():
    made = plan_config({"type": "field_prf"})
    assert (made.type, made.name, made.weight, made.pass_at, made.when) == ("field_prf", "field_prf", 1.0, None, None)


def test_common_keys_are_kept():
    made = plan_config({"type": "field_prf", "name": "prf-1", "weight": 2, "pass_at": 0.9, "when": {"tag": ["de", "fr"], "contexts": True}})
    assert (made.name, made.weight, made.pass_at, made.when) == ("prf-1", 2.0, 0.9, When(tag=("de", "fr"), contexts=True))


def test_a_configuration_without_a_file_reports_everything_too():
    config = {"type": "field_accuracy", "aggregation": "all", "fields": [{"path": "a", "match": "fuzy"}], "weigth": 1}
    wrong_choice = '`aggregation` must be one of `weighted_average`, `all_or_nothing`, not the text "all"'
    assert errors(config) == [
        (f"Invalid match type: fuzy (valid: {', '.join(list_match_names())})", "did you mean `fuzzy`?"),
        (wrong_choice, 'leave it out for the default, "weighted_average"'),
        ("`field_accuracy` has no option `weigth`", "did you mean `weight`?"),
    ]


@pytest.mark.parametrize(
    ("written", "what", "fix"),
    [
        ("field_prf", 'an evaluator must be a mapping with `type`, not the text "field_prf"', "write `type: field_prf`"),
        ("{name: a}", "an evaluator needs a `type`", "`code_judge`"),
        ("{type: feild_prf}", "there is no evaluator type `feild_prf`", "did you mean `field_prf`?"),
        ("{type: [a]}", "`type` must be text, not a list", "valid here"),
        ("{type: field_prf, name: regression}", "the name `regression` is reserved", "such as `regression_check`"),
        ("{type: field_prf, name: a.b}", "the name `a.b` has characters that gates cannot read", "`a_b`"),
        ("{type: field_prf, weight: -1}", "`weight` must be a number ≥ 0, not the number -1", "the default, 1.0"),
        ("{type: field_prf, weight: .nan}", "`weight` must be a number ≥ 0, not nan", "the default, 1.0"),
        ("{type: field_prf, pass_at: 90}", "`pass_at` must be a number ≥ 0 and ≤ 1, not the number 90", "leave it out"),
        ("{type: field_prf, threshold: 90}", "`threshold` must be a number ≥ 0 and ≤ 1, not the number 90", "leave it out"),
        ("{type: field_prf, threshold: 0.9, pass_at: 0.9}", "`threshold` means `pass_at` here, and both are given", "keep `pass_at`"),
        ("{type: field_prf, when: EF_1}", '`when` must be a mapping, not the text "EF_1"', "write `when: {id: EF_1}`"),
        ("{type: field_prf, when: {}}", "`when` names no condition", "`id`, `tag`, `split`, `contexts`"),
        ("{type: field_prf, when: {tags: a}}", "`when` has no key `tags`", "did you mean `tag`?"),
        ("{type: field_prf, when: {id: 7}}", "`id` must be text that is not empty or a list that is not empty, not the number 7", '"7"'),
        ("{type: field_prf, when: {id: [a, 7]}}", "`id[1]` must be text, not the number 7", '"7"'),
        ("{type: field_prf, when: {contexts: 1}}", "`contexts` must be true or false, not the number 1", "leave it out"),
        ("{type: code_judge}", "`code_judge` needs `script`", "add `script`: text that is not empty or a list that is not empty"),
    ],
)
def test_what_is_wrong_with_an_evaluator_is_said(wrong, written, what, fix):
    diagnostic = wrong(written)
    assert (diagnostic.where.line, diagnostic.what) == (2, what)
    assert fix in diagnostic.fix


def test_threshold_means_pass_at_where_the_evaluator_has_none_of_its_own():
    assert plan_config({"type": "field_prf", "threshold": 0.9}).pass_at == 0.9


def test_threshold_of_an_evaluator_that_has_one_is_its_own():
    made = plan_config({"type": "iou_score", "path": "box", "threshold": 0.5, "pass_at": 1})
    assert (made.config.threshold, made.pass_at) == (0.5, 1.0)


@pytest.mark.parametrize("id", ["EF_1", ["EF_1", "EF_2*"]])
def test_when_takes_one_id_or_several(id):
    assert plan_config({"type": "field_prf", "when": {"id": id, "split": "test"}}).when == When(
        id=(id,) if isinstance(id, str) else tuple(id), split=("test",)
    )


def test_two_evaluators_of_one_type_need_names(problem):
    diagnostic = problem("evaluators:\n- type: field_prf\n- type: json_quality\n- type: field_prf\n")
    assert (diagnostic.where.line, diagnostic.what) == (4, "two evaluators are called `field_prf` (lines 2 and 4)")
    assert diagnostic.fix == "give them a `name` each, such as `name: field_prf_3`"


def test_two_evaluators_of_one_name_are_an_error(problem):
    diagnostic = problem("evaluators:\n- type: field_prf\n  name: a\n- type: json_quality\n  name: a\n")
    assert (diagnostic.where.line, diagnostic.fix) == (5, "give one of them another `name`")


def test_every_other_key_of_a_code_judge_goes_to_its_script(plan):
    """Config pass-through: any unrecognised property becomes part of `config`."""
    fields = [{"path": "supplier.name", "threshold": 0.85}]
    made = plan(
        "evaluators:\n- type: code_judge\n  name: party\n  script: ./fuzzy.py\n  threshold: 0.5\n  algorithm: levenshtein\n"
        "  fields: [{path: supplier.name, threshold: 0.85}]\n  config: {a: 1}\n"
    ).evaluators[0]
    assert made.config.config == {"threshold": 0.5, "algorithm": "levenshtein", "fields": fields, "config": {"a": 1}}
    assert (made.name, made.pass_at) == ("party", None)


def test_paths_are_resolved_also_where_the_default_holds(plan):
    made = plan("evaluators: [{type: code_judge, script: judge.py}]").evaluators[0].config
    assert (made.script, made.cwd) == ("/suite/judge.py", "/suite/.")


def test_a_list_of_arguments_is_left_as_it_is(plan):
    assert plan("evaluators: [{type: code_judge, script: [python, judge.py]}]").evaluators[0].config.script == ("python", "judge.py")


def test_without_a_suite_paths_stay_as_written_and_files_cannot_be_read():
    assert plan_config({"type": "code_judge", "script": "judge.py"}).config.script == "judge.py"
    ((what, _),) = errors({"type": "json_quality", "strategies": "strategies.json"})
    assert what == "`strategies`: cannot read `strategies.json`: files cannot be read here; give the content of strategies.json itself"


def test_a_preset_names_its_cases_in_a_suite_only(plan):
    assert plan("evaluators: [{type: fact_checks, preset: ef_2}]").evaluators[0].when == When(id=("EF_2", "ef_2"))
    assert plan("evaluators: [{type: fact_checks, preset: ef_2, when: {tag: a}}]").evaluators[0].when == When(tag=("a",))
    assert plan_config({"type": "fact_checks", "preset": "ef_2"}).when is None


@pytest.mark.parametrize(
    "written", ["{type: field_prf, weight: 1.0e+308}", "{type: field_accuracy, fields: [{path: a, weight: 1.0e+200}]}"]
)
def test_a_weight_whose_sums_have_no_end_is_refused(wrong, written):
    assert "`weight` is too large to compute with: 1e+" in wrong(written).what


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("not-contains", "write `{type: contains, negate: true}`"),
        ("not_icontains_any", "write `{type: icontains, mode: any, negate: true}`"),
        ("not-is-json", "write `{type: is_json, negate: true}`"),
        ("contains-json", "write `{type: is_json, anywhere: true}`"),
        ("llm-rubric", "write `{type: llm_judge, rubric: […]}`"),
        ("similar", "write `{type: similarity}`"),
        ("starts-with", "did you mean `starts_with`?"),
        ("not-llm-rubric", "valid here"),
    ],
)
def test_the_name_of_a_check_in_another_tool_gets_its_equivalent_and_never_the_opposite(name: str, fix: str) -> None:
    with pytest.raises(fw.ConfigError) as error:
        fw.evaluate({"type": name, "value": "x"}, actual="x")
    [diagnostic] = error.value.diagnostics
    assert diagnostic.what == f"there is no evaluator type `{name}`"
    assert fix in (diagnostic.fix or "")


@pytest.mark.parametrize("name", _EQUIVALENTS)
def test_suggested_options_exist(name: str) -> None:
    evaluator_type, options = _EQUIVALENTS[name]
    declared = set(registry.EVALUATORS.find(evaluator_type).options.__dataclass_fields__)
    assert set(options) <= declared | {"script", "metrics"}
