"""Field rules, list rules, matches and paths, as people write them."""

import pytest

from fieldwise.model.path import Path
from fieldwise.model.rule import ListRule
from fieldwise.plan.rules import list_match_names


@pytest.fixture
def rules(plan):
    """The rules of the only evaluator."""
    return lambda fields: plan(f"evaluators:\n- type: field_accuracy\n  fields: {fields}\n").evaluators[0].config.fields


@pytest.fixture
def wrong(problem):
    """The only problem of the fields of an evaluator."""
    return lambda fields: problem(f"evaluators:\n- type: field_accuracy\n  fields: {fields}\n")


@pytest.fixture
def lists(plan):
    """The list rules of the only evaluator."""
    return lambda written: plan(f"evaluators:\n- type: field_accuracy\n  lists: {written}\n").evaluators[0].config.lists


def test_an_invalid_match_type_is_rejected_with_the_valid_ones(wrong):
    """structured-data spec: Reject invalid match type"""
    diagnostic = wrong("[{path: a, match: invalid_type}]")
    assert diagnostic.what == f"Invalid match type: invalid_type (valid: {', '.join(list_match_names())})"
    assert diagnostic.fix == "the usual ones are `exact`, `fuzzy` and `numeric_tolerance`"
    assert (diagnostic.where.line, diagnostic.where.field) == (3, "a")


def test_a_fuzzy_match_without_threshold_has_0_85(rules):
    """structured-data spec: Require threshold for fuzzy matching"""
    (rule,) = rules("[{path: vendor.name, match: fuzzy}]")
    assert rule.match.name == "fuzzy"
    assert rule.match.options.threshold == 0.85


def test_a_tolerance_that_is_no_number_is_rejected(wrong):
    """structured-data spec: Reject non-numeric tolerance values"""
    diagnostic = wrong('[{path: a, match: numeric_tolerance, tolerance: "not a number"}]')
    assert diagnostic.what == '`tolerance` must be a number ≥ 0, not the text "not a number"'
    assert diagnostic.fix == "leave it out for the default, 0.0"


@pytest.mark.parametrize(
    ("name", "meant"), [("exakt", "exact"), ("Fuzzy", "fuzzy"), ("numeric", "numeric_tolerance"), ("dates", "date"), ("ignored", "ignore")]
)
def test_a_match_type_that_is_nearly_one_gets_it_suggested(wrong, name, meant):
    assert wrong(f"[{{path: a, match: {name}}}]").fix == f"did you mean `{meant}`?"


@pytest.mark.parametrize("written", ["[a.b]", "[{path: a.b}]", "[{path: a.b, match: exact}]"])
def test_a_rule_without_a_match_is_exact(rules, written):
    (rule,) = rules(written)
    assert (rule.path, rule.text, rule.match.name, rule.weight, rule.required) == (Path.parse("a.b"), "a.b", "exact", 1.0, None)


def test_everything_written_in_a_rule_is_kept(rules):
    (rule,) = rules("[{path: a, match: date, day_first: true, weight: 2, required: false}]")
    assert (rule.match.options.formats, rule.match.options.day_first) == (None, True)
    assert (rule.weight, rule.required) == (2.0, False)


@pytest.mark.parametrize(
    ("written", "what", "fix"),
    [
        ("{path: a, match: numeric_tolerance, relativ: true}", "`numeric_tolerance` has no option `relativ`", "did you mean `relative`?"),
        ("{path: a, wieght: 2}", "`exact` has no option `wieght`", "did you mean `weight`?"),
        ("{path: a, tolerance: 1}", "`exact` has no option `tolerance`", ": set `match`"),
        ("{path: a, xyz: 1}", "`exact` has no option `xyz`", "valid here: `path`, `match`, `weight`, `required`"),
        ("{path: a, weight: -1}", "`weight` must be a number ≥ 0, not the number -1", "leave it out for the default, 1.0"),
        ("{path: a, weight: .inf}", "`weight` must be a number ≥ 0, not inf", "leave it out for the default, 1.0"),
        ("{path: a, weight: true}", "`weight` must be a number ≥ 0, not `true`", "leave it out for the default, 1.0"),
        ('{path: a, required: "false"}', '`required` must be true or false, not the text "false"', "write it without quotes: false"),
        ("{path: a, match: fuzzy, threshold: 85}", "`threshold` must be a number ≥ 0 and ≤ 1, not the number 85", "the default, 0.85"),
        ("{path: a, match: fuzzy, algorithm: jaro}", "`algorithm` must be one of `levenshtein`, `jaro_winkler`", "mean `jaro_winkler`?"),
        (
            "{path: a, match: date, formats: iso}",
            '`formats` must be a list that is not empty or null, not the text "iso"',
            'write a list: ["iso"]',
        ),
        ("{path: a, match: date, formats: [iso, 5]}", "`formats[1]` must be text, not the number 5", 'write it in quotes: "5"'),
        ("{path: $.a.b}", "`$.a.b` is JSONPath, which is not supported", "write `a.b`"),
        ("{path: 5}", "`path` must be text, not the number 5", 'write it in quotes: "5"'),
        ("{match: exact}", "a field needs a `path`", "write `{path: invoice.total, match: exact}`"),
        ("[a]", "a field must be a mapping or a path, not a list", "write `{path: invoice.total, match: exact}`"),
    ],
)
def test_what_is_wrong_with_a_rule_is_said(wrong, written, what, fix):
    diagnostic = wrong(f"[{written}]")
    assert what in diagnostic.what
    assert fix in diagnostic.fix


def test_rules_must_be_a_list(wrong):
    assert wrong("{a: exact}").what == "`fields` must be a list of fields, not a mapping"


def test_every_problem_of_one_rule_is_reported_at_once(problems):
    diagnostics = problems("evaluators:\n- type: field_accuracy\n  fields: [{path: total, match: exct, treshold: .3, wieght: 2}]\n")
    assert [(diagnostic.code, diagnostic.fix) for diagnostic in diagnostics] == [
        ("invalid-match", "did you mean `exact`?"),
        ("unknown-option", "did you mean `threshold`?"),
        ("unknown-option", "did you mean `weight`?"),
    ]
    assert all(diagnostic.where.field == "total" for diagnostic in diagnostics)


def test_options_of_other_matches_beside_an_invalid_match_are_accepted(wrong):
    assert wrong("[{path: total, match: fuzy, threshold: 0.5, tolerance: 1}]").code == "invalid-match"


def test_a_rule_without_a_path_reports_its_other_problems_too(problems):
    diagnostics = problems("evaluators:\n- type: field_accuracy\n  fields: [{match: exct, wieght: 2}]\n")
    assert [diagnostic.code for diagnostic in diagnostics] == ["bad-field", "invalid-match", "unknown-option"]


def test_every_problem_of_every_rule_is_found(problems):
    diagnostics = problems(
        "evaluators:\n- type: field_accuracy\n  fields:\n  - {path: a, weight: x}\n  - {path: b, match: y, required: 1}\n"
    )
    assert [(diagnostic.where.line, diagnostic.where.field) for diagnostic in diagnostics] == [(4, "a"), (5, "b"), (5, "b")]


@pytest.mark.parametrize(("first", "second"), [("items[0].a", "items.0.a"), ("a..b", "a..b"), ("a", "a")])
def test_two_rules_for_one_field_are_an_error_that_names_both_lines(problems, first, second):
    diagnostics = problems(f"evaluators:\n- type: field_accuracy\n  fields:\n  - {first}\n  - c\n  - {second}\n")
    (error,) = [diagnostic for diagnostic in diagnostics if diagnostic.level == "error"]
    assert (error.code, error.where.line) == ("repeated-field", 6)
    assert "(lines 4 and 6)" in error.what


@pytest.mark.parametrize(
    ("written", "rule"),
    [
        ("{tags: {align: set}}", ListRule(path=Path.parse("tags"), align="set")),
        ("{tags: best}", ListRule(path=Path.parse("tags"), align="best")),
        ("{'tags[*]': best}", ListRule(path=Path.parse("tags"), align="best")),
        ("{'[*]': best}", ListRule(path=Path(()), align="best")),
        ("{'orders[*].lines': {}}", ListRule(path=Path.parse("orders[*].lines"), align="index")),
        ("{tags: {align: key, key: sku}}", ListRule(path=Path.parse("tags"), align="key", key=Path.parse("sku"))),
        ("{tags: {key: sku}}", ListRule(path=Path.parse("tags"), align="key", key=Path.parse("sku"))),
    ],
)
def test_lists_are_a_mapping_of_paths_to_how_items_are_paired(lists, written, rule):
    assert lists(written) == (rule,)


@pytest.mark.parametrize(
    ("written", "what", "fix"),
    [
        ("[tags]", "`lists` must be a mapping of list paths, not a list", "write `{line_items: {align: best}}`"),
        ("{tags: bests}", '`align` must be one of `index`, `best`, `key`, `set`, not the text "bests"', "did you mean `best`?"),
        ("{tags: {align: key}}", "`align: key` needs `key`", "`{align: key, key: sku}`"),
        ("{tags: {align: best, key: sku}}", "`key` is only for `align: key`, not for `align: best`", "or remove `key`"),
        ("{tags: {algn: best}}", "a list has no key `algn`", "did you mean `align`?"),
        ("{a..b: best}", "`a..b` has an empty step", "write a path such as `invoice.total`"),
        ("{tags: 3}", "a list must be a mapping with `align`, not the number 3", "write `{align: best}`"),
        ("{tags: best, 'tags[*]': set}", "the list `tags` is named twice", "keep one of them"),
    ],
)
def test_what_is_wrong_with_a_list_is_said(problem, written, what, fix):
    diagnostic = problem(f"evaluators:\n- type: field_accuracy\n  lists: {written}\n")
    assert (diagnostic.where.line, diagnostic.what) == (3, what)
    assert fix in diagnostic.fix


def test_a_match_is_a_name_or_a_mapping(plan):
    (first, second) = plan(
        "evaluators:\n- {type: similarity, match: fuzzy}\n- {type: similarity, name: b, match: {match: fuzzy, threshold: 1}}"
    ).evaluators
    assert (first.config.match.name, first.config.match.options.threshold) == ("fuzzy", 0.85)
    assert second.config.match.options.threshold == 1.0


def test_a_match_whose_name_is_fixed_has_options_only(plan, problem):
    made = plan("evaluators: [{type: json_quality, fuzzy: {algorithm: jaro_winkler}}]").evaluators[0].config.fuzzy
    assert (made.name, made.options.algorithm) == ("fuzzy", "jaro_winkler")
    assert "fixed here" in problem("evaluators: [{type: json_quality, fuzzy: {match: exact}}]").what
    assert problem("evaluators: [{type: json_quality, fuzzy: {algoritm: x}}]").fix == "did you mean `algorithm`?"


@pytest.mark.parametrize("written", ["5", "[exact]"])
def test_a_match_of_another_kind_is_refused(problem, written):
    assert problem(f"evaluators: [{{type: similarity, match: {written}}}]").what.startswith("a match must be the name of a match")


def test_rules_share_a_match_only_if_it_is_written_identically(rules):
    written = [f"{{path: {path}, match: numeric_tolerance, tolerance: {number}}}" for path, number in (("a", 1), ("b", 1), ("c", 1.0))]
    first, same, other = [rule.match for rule in rules(f"[{', '.join(written)}]")]
    assert first is same
    assert other is not first
    assert other == first


def test_every_rule_with_a_doubtful_option_is_warned_of(plan):
    written = "[{path: a, match: fuzzy, threshold: 0}, {path: b, match: fuzzy, threshold: 0}]"
    diagnostics = plan(f"evaluators:\n- type: field_accuracy\n  fields: {written}\n").diagnostics
    assert [note.where.field for note in diagnostics if note.code == "unfailable-option"] == ["a", "b"]
