"""Several accepted values, `{"$any": […]}`, in every evaluator of records."""

import json

import pytest

import fieldwise as fw
from fieldwise.model.values import MISSING
from fieldwise.score.columns import take_step

RECORD_EVALUATORS = [{"type": "field_accuracy"}, {"type": "field_prf"}, {"type": "json_quality", "default_text": "FUZZY"}]
each_evaluator = pytest.mark.parametrize("config", RECORD_EVALUATORS, ids=lambda config: config["type"])


def choice(*values):
    return {"$any": list(values)}


def summarize(result):
    return result.score, result.verdict, list(result.hits), list(result.misses), dict(result.metrics)


@each_evaluator
@pytest.mark.parametrize("actual", ["Acme", "Acne", "Bolt", None, 5, {"a": 1}, [1]], ids=repr)
@pytest.mark.parametrize("expected", ["Acme", None, 5, {"a": 1}, [1]], ids=repr)
def test_one_accepted_value_is_that_value(config, expected, actual):
    if config["type"] == "field_prf" and (isinstance(expected, list | dict) or (expected is None and isinstance(actual, list | dict))):
        pytest.skip("several accepted containers are one leaf")
    plain = fw.evaluate(config, expected={"x": expected, "y": 1}, actual={"x": actual, "y": 1})
    chosen = fw.evaluate(config, expected={"x": choice(expected), "y": 1}, actual={"x": actual, "y": 1})
    assert summarize(chosen) == summarize(plain)


@each_evaluator
def test_the_most_similar_accepted_value_counts(config):
    result = fw.evaluate(config, expected={"x": choice("zzz", "Bolt", 7), "y": 1}, actual={"x": "Bolt", "y": 1})
    assert not result.misses
    assert result.comparisons[0].expected == choice("zzz", "Bolt", 7)


@each_evaluator
@pytest.mark.parametrize("actual", [{"y": 1}, {"x": None, "y": 1}])
def test_null_among_them_accepts_absence_and_only_then(config, actual):
    assert not fw.evaluate(config, expected={"x": choice("a", None), "y": 1}, actual=actual).misses
    assert fw.evaluate(config, expected={"x": choice("a", "b"), "y": 1}, actual=actual).misses


@each_evaluator
def test_a_field_without_any_accepted_value_is_left_out(config):
    without = fw.evaluate(config, expected={"y": 1}, actual={"y": 1})
    for actual in ({"x": 5, "y": 1}, {"y": 1}):
        assert fw.evaluate(config, expected={"x": choice(), "y": 1}, actual=actual).score == without.score


def test_several_accepted_containers_are_one_leaf_of_field_prf():
    result = fw.evaluate({"type": "field_prf"}, expected={"x": choice([1, 2], {"a": 1})}, actual={"x": {"a": 1}})
    assert (result.metrics["total_gt_fields"], result.metrics["true_positives"]) == (1, 1)


def test_choices_inside_a_value_that_is_compared_as_a_whole_count():
    result = fw.evaluate({"type": "json_quality"}, expected={"l": [choice(1, 2), {"a": choice()}]}, actual={"l": [2, {"a": 9}]})
    assert result.hits == ["l"]


def test_rules_below_a_choice_use_the_accepted_values():
    fields = ["t.x", "l[*].y"]
    expected = {"t": choice({"x": 1}, {"x": 2}), "l": choice([{"y": 1}], [{"y": 2}, {"y": 3}])}
    result = fw.evaluate({"type": "field_accuracy", "fields": fields}, expected=expected, actual={"t": {"x": 2}, "l": [{"y": 2}, {"y": 3}]})
    assert result.score == 1.0


@pytest.mark.parametrize("align", ["best", "set", {"align": "key", "key": "k"}], ids=str)
def test_items_are_paired_by_their_accepted_values(align):
    expected = {"l": [{"k": choice("a", "b")}, {"k": "c"}]}
    config = {"type": "field_accuracy", "fields": ["l[*].k"], "lists": {"l": align}}
    if align == "set":
        config["fields"] = ["l[*]"]
        expected = {"l": [choice({"k": "a"}, {"k": "b"}), {"k": "c"}]}
    assert fw.evaluate(config, expected=expected, actual={"l": [{"k": "c"}, {"k": "b"}]}).score == 1.0


def test_the_cause_is_that_of_the_most_similar_value():
    result = fw.evaluate({"type": "field_prf"}, expected={"x": choice("Zebra", "Acme Corp")}, actual={"x": "ACME CORP"})
    plain = fw.evaluate({"type": "field_prf"}, expected={"x": "Acme Corp"}, actual={"x": "ACME CORP"})
    assert result.comparisons[0].cause == plain.comparisons[0].cause is not None


def test_rules_are_inferred_from_the_accepted_values():
    difference = fw.diff({"total": choice("$5.00", "$5.50"), "day": choice("2024-02-01", None)}, {"total": "USD 5.50"})
    assert difference.same
    assert [(rule.text, rule.match.name) for rule in difference.rules] == [("total", "money"), ("day", "date")]


def test_a_wrong_value_is_shown_with_all_accepted_ones():
    assert str(fw.diff({"a": choice("Acme", "Bolt")}, {"a": "Zinc"})).startswith("a: 'Acme' or 'Bolt' became 'Zinc'")


def test_a_stored_run_keeps_the_choice_in_mismatches_reports_and_explain(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from fieldwise.cli.app import app

    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": str(at), "expected": {"x": choice("Acme", "Bolt")}, "actual": {"x": actual}} for at, actual in enumerate(["Bolt", "Zinc"])
    ]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "s.eval.yaml").write_text("cases: d.jsonl\nevaluators: [{type: field_accuracy, fields: [x]}]\n")
    run = CliRunner().invoke(app, ["run", "s.eval.yaml", "--output", "r.html"])
    assert run.exit_code == 0, run.output
    [row] = fw.open_run().mismatches()
    assert row.expected == choice("Acme", "Bolt")
    assert "Acme or Bolt" in (tmp_path / "r.html").read_text()
    for command in (["mismatches", "latest"], ["explain", "latest", "1"]):
        assert "Acme or Bolt" in CliRunner().invoke(app, command).output
    assert fw.run("s.eval.yaml", cases="run:latest").summary["field_accuracy.score"] == 0.5


def test_redacted_choices_are_not_stored(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cases = [{"id": "1", "expected": {"x": choice("SECRETA", "SECRETB")}, "actual": {"x": "SECRETC"}}]
    suite = {"redact": ["x"], "evaluators": [{"type": "field_accuracy", "fields": ["x"]}]}
    run = fw.run(suite, cases=cases)
    assert "SECRET" not in str([row.expected for row in run.mismatches()])


@pytest.mark.parametrize(
    "config",
    [{"type": "answer_quality"}, {"type": "similarity", "match": "fuzzy"}, {"type": "equals"}, {"type": "contains"}],
    ids=lambda config: config["type"],
)
def test_of_several_accepted_texts_the_closest_counts(config):
    accepted = choice("It is not covered.", "The premium is $604.", None)
    chosen = fw.evaluate(config, expected=accepted, actual="The premium is $604.")
    assert summarize(chosen) == summarize(fw.evaluate(config, expected="The premium is $604.", actual="The premium is $604."))


def test_the_lists_of_several_accepted_texts_are_not_mixed():
    result = fw.evaluate({"type": "list_coverage"}, expected=choice("* apple\n* pear", "* plum\n* fig"), actual="* plum\n* kiwi")
    assert (result.score, result.hits, result.misses) == (0.5, ["plum"], ["fig"])


def test_a_text_without_any_accepted_value_is_skipped():
    assert fw.evaluate({"type": "answer_quality"}, expected=choice(), actual="x").status == "skipped"


def test_each_case_of_a_batch_has_its_own_accepted_texts(tmp_path):
    cases = [
        {"id": "a", "expected": choice("red", "green"), "actual": "green"},
        {"id": "b", "expected": "blue", "actual": "grey"},
        {"id": "c", "expected": choice("one", "two", "three"), "actual": "three"},
    ]
    run = fw.run({"evaluators": [{"type": "answer_quality"}]}, cases=cases, root=tmp_path)
    assert [result.metrics["exact_match"] for result in run.results()] == [True, False, True]


def test_an_object_with_something_else_under_the_key_is_no_choice():
    assert take_step([{"$any": "x"}, {"$any": [{"b": 1}]}], "b") == [MISSING, {"$any": [1]}]


def test_of_accepted_texts_that_are_equally_close_the_first_counts():
    result = fw.evaluate({"type": "answer_quality"}, expected=choice("Paris is old", "Rome is old"), actual="Berlin is new")
    assert result.details["missing_keywords"] == ["paris"]
