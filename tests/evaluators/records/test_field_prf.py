"""Precision, recall and F1 over fields: the metric guide in numbers, both conventions, and a slow reference."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise.model.case import Case, Cases
from fieldwise.model.plan import Plan
from fieldwise.model.values import MISSING
from fieldwise.plan.evaluators import plan_config
from fieldwise.score.evaluate import score_batch
from fieldwise.summarize.state import SummaryState

ERRORS = ("omission", "hallucination", "format_error", "wrong_value")


def prf(expected: Any, actual: Any, **options: Any) -> fw.Result:
    return fw.evaluate({"type": "field_prf", **options}, expected=expected, actual=actual)


def errors(result: fw.Result) -> list[tuple[str, str]]:
    return [(error["path"], error["error_type"]) for error in result.details["errors"]]


def counts(result: fw.Result) -> tuple[int, int, int]:
    return tuple(result.metrics[name] for name in ("true_positives", "false_positives", "false_negatives"))


class TestCounting:
    @pytest.mark.parametrize(
        ("actual", "error", "fp", "fn_both", "fn_code"),
        [
            ({"b": 1}, "omission", 0, 1, 1),
            ({"a": 1, "b": 1, "c": 1}, "hallucination", 1, 0, 0),
            ({"a": "1", "b": 1}, "format_error", 1, 1, 0),
            ({"a": 2, "b": 1}, "wrong_value", 1, 1, 0),
        ],
    )
    def test_what_each_error_type_counts_as(self, actual: Any, error: str, fp: int, fn_both: int, fn_code: int) -> None:
        """metric guide: Relationship to Error Types (the table) and compute_confusion_counts (the code)"""
        table, code = prf({"a": 1, "b": 1}, actual), prf({"a": 1, "b": 1}, actual, substitution_counts="fp")
        assert {name: table.metrics[name] for name in ERRORS} == {name: int(name == error) for name in ERRORS}
        right = 2 if error == "hallucination" else 1
        assert (counts(table), counts(code)) == ((right, fp, fn_both), (right, fp, fn_code))
        assert table.metrics["false_negatives_fp"] == fn_code
        assert code.metrics["false_negatives_fp_fn"] == fn_both

    def test_the_formulas(self) -> None:
        """metric guide: Precision, Recall, F1 Score, compute_metrics"""
        expected = {"right": 1, "also": 2, "gone": 3, "kind": 4, "wrong": 5}
        result = prf(expected, {"right": 1, "also": 2, "kind": "4", "wrong": 6, "more": 7})
        assert counts(result) == (2, 3, 3)
        assert (result.metrics["precision"], result.metrics["recall"]) == (2 / 5, 2 / 5)
        assert result.metrics["f1"] == result.score == pytest.approx(0.4)
        assert (result.metrics["total_gt_fields"], result.metrics["correct_fields"]) == (5, 2)
        assert result.metrics["recall_fp"] == 2 / 3
        assert result.metrics["f1_fp"] == pytest.approx(2 * (2 / 5) * (2 / 3) / (2 / 5 + 2 / 3))

    def test_the_guides_code_is_the_other_convention(self) -> None:
        """metric guide: compute_confusion_counts (FN = omissions alone)"""
        expected, actual = {"a": 1, "b": 2, "c": 3, "d": 4}, {"a": 1, "b": 9, "c": "3", "x": 0}
        result = prf(expected, actual, substitution_counts="fp")
        assert counts(result) == (1, 3, 1)
        assert (result.metrics["precision"], result.metrics["recall"], result.score) == (1 / 4, 1 / 2, pytest.approx(1 / 3))
        assert (result.metrics["recall_fp_fn"], result.metrics["f1_fp_fn"]) == (1 / 4, 1 / 4)

    def test_true_positives_and_what_is_wrong_make_up_the_expected_fields(self) -> None:
        """metric guide: TP = total_gt_fields - omissions - format_errors - wrong_values"""
        metrics = prf({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 9, "x": 0}).metrics
        assert (
            metrics["true_positives"] == metrics["total_gt_fields"] - metrics["omission"] - metrics["format_error"] - metrics["wrong_value"]
        )

    def test_counts_are_whole_numbers(self) -> None:
        metrics = prf({"a": 1}, {"a": 1}).metrics
        assert {name for name, value in metrics.items() if type(value) is int} == {
            *("true_positives", "false_positives", "false_negatives", "false_negatives_fp", "total_gt_fields", "correct_fields"),
            *ERRORS,
        }

    def test_errors_say_where_of_which_type_and_between_what(self) -> None:
        result = prf({"a": 1, "b": [{"c": 2}]}, {"a": "x", "b": [{"c": 3}, 4]})
        assert result.details["errors"] == [
            {"path": "a", "error_type": "format_error", "expected": 1, "actual": "x"},
            {"path": "b[1]", "error_type": "hallucination", "expected": None, "actual": 4},
            {"path": "b[0].c", "error_type": "wrong_value", "expected": 2, "actual": 3},
        ]
        assert result.misses == ["a (type mismatch)", "b[1] (extra)", "b[0].c"]


class TestEdgeCases:
    def test_perfect_extraction(self) -> None:
        """metric guide: Perfect Extraction"""
        data = {"a": 1, "b": [1, {"c": "x"}], "d": {"e": True}}
        result = prf(data, data)
        assert counts(result) == (4, 0, 0)
        assert [result.metrics[name] for name in ("precision", "recall", "f1")] == [1.0, 1.0, 1.0]
        assert (result.verdict, result.details["errors"], result.hits) == ("pass", [], ["a", "b[0]", "b[1].c", "d.e"])

    @pytest.mark.parametrize("actual", [{}, None, MISSING, "no JSON"])
    def test_empty_results(self, actual: Any) -> None:
        """metric guide: Empty Results"""
        result = prf({"a": 1, "b": {"c": 2}}, actual)
        assert counts(result) == (0, 0, 2)
        assert [result.metrics[name] for name in ("precision", "recall", "f1")] == [0.0, 0.0, 0.0]
        assert result.details["flags"] == ["nothing_given"]
        assert result.status == ("scored" if actual == {} else "error")

    def test_no_ground_truth_fields(self) -> None:
        """metric guide: Division by Zero (TP + FN = 0)"""
        result = prf({"a": None}, {"a": 1})
        assert counts(result) == (0, 1, 0)
        assert (result.metrics["recall"], result.score, result.details["flags"]) == (0.0, 0.0, ["nothing_expected"])

    def test_nothing_on_either_side_is_0_and_flagged(self) -> None:
        """metric guide: Division by Zero (precision + recall = 0)"""
        result = prf({"a": None}, {"a": None})
        assert (counts(result), result.score, result.verdict) == ((0, 0, 0), 0.0, "fail")
        assert result.details["flags"] == ["nothing_given", "nothing_expected"]

    def test_everything_wrong_is_0(self) -> None:
        result = prf({"a": 1}, {"a": 2})
        assert (result.score, result.details.get("flags")) == (0.0, None)


class TestWhatIsAField:
    @pytest.mark.parametrize(
        ("expected", "actual", "outcomes"),
        [
            # an empty list or object is one leaf
            ({"a": []}, {"a": []}, []),
            ({"a": {}}, {"a": []}, [("a", "format_error")]),
            ({"a": []}, {"a": [1, 2]}, [("a", "wrong_value")]),
            ({"a": {}}, {"a": {"b": 1}}, [("a", "wrong_value")]),
            ({"a": []}, {}, [("a", "omission")]),
            ({}, {"a": [], "b": 1}, [("a", "hallucination"), ("b", "hallucination")]),
            ({}, {}, []),
            ([], [], []),
            ([], [1], [("[0]", "hallucination")]),
            ({}, [1], [("(root)", "format_error")]),
            ({"x": 1}, {"x": 1, "a": {}}, [("a", "hallucination")]),
            ({"a": [1]}, {"a": []}, [("a[0]", "omission")]),
            # null is no value
            ({"a": None, "x": 1}, {"a": None, "x": 1}, []),
            ({"a": None, "x": 1}, {"x": 1}, []),
            ({"x": 1}, {"a": None, "x": 1}, []),
            ({"a": None}, {"a": 1}, [("a", "hallucination")]),
            ({"a": None}, {"a": {"b": 1, "c": [2]}}, [("a.b", "hallucination"), ("a.c[0]", "hallucination")]),
            ({"a": 1}, {"a": None}, [("a", "omission")]),
            ({"a": {"b": 1, "c": None}}, {"a": None}, [("a.b", "omission")]),
            ({"a": {"b": 1}}, {}, [("a.b", "omission")]),
            # another kind
            ({"a": True}, {"a": 1}, [("a", "format_error")]),
            ({"a": "1"}, {"a": 1}, [("a", "format_error")]),
            ({"a": 1}, {"a": 1.0}, []),
            ({"a": 1}, {"a": {"b": 1, "c": 2}}, [("a", "format_error")]),
            ({"a": {"b": 1, "c": [2, 3]}}, {"a": 5}, [("a.b", "format_error"), ("a.c[0]", "format_error"), ("a.c[1]", "format_error")]),
            ({"a": {"b": 1}}, {"a": [1, 2, 3]}, [("a.b", "format_error")]),
            ({"a": [1, 2]}, {"a": {"b": 1}}, [("a[0]", "format_error"), ("a[1]", "format_error")]),
            ({"a": {"b": 1, "c": None}}, {"a": "text"}, [("a.b", "format_error")]),
            ({"a": {"b": None}}, {"a": "text"}, [("a", "hallucination")]),
            ({"a": [None, {"b": None}]}, {"a": {"c": 1}}, [("a.c", "hallucination")]),
            # lists by index
            ([1, 2, 3], [1, 3], [("[1]", "wrong_value"), ("[2]", "omission")]),
            ([1], [1, 2, [3]], [("[1]", "hallucination"), ("[2][0]", "hallucination")]),
            (5, 5, []),
            (5, 6, [("(root)", "wrong_value")]),
            ({"odd.key": 1}, {"odd.key": 2}, [('["odd.key"]', "wrong_value")]),
        ],
    )
    def test_leaf_by_leaf(self, expected: Any, actual: Any, outcomes: list[tuple[str, str]]) -> None:
        assert sorted(errors(prf(expected, actual))) == sorted(outcomes)

    @pytest.mark.parametrize(
        ("pattern", "left"),
        [
            ("a", ["b[0].c", "b[1].c", "b[1].d", "bc"]),
            ("b", ["a.x", "bc"]),
            ("b[*].c", ["a.x", "b[1].d", "bc"]),
            ("b[1]", ["a.x", "b[0].c", "bc"]),
            ("b*", ["a.x"]),
            ("**.c", ["a.x", "b[1].d", "bc"]),
            ("*.x", ["b[0].c", "b[1].c", "b[1].d", "bc"]),
            ("nothing", ["a.x", "b[0].c", "b[1].c", "b[1].d", "bc"]),
        ],
    )
    def test_ignored_paths_leave_numerator_and_denominator(self, pattern: str, left: list[str]) -> None:
        record = {"a": {"x": 1}, "b": [{"c": 1}, {"c": 2, "d": 3}], "bc": 4}
        same, none = prf(record, record, ignore=[pattern]), prf(record, {}, ignore=[pattern])
        more = prf({"z": 1}, {"z": 1, **record}, ignore=[pattern])
        assert sorted(same.hits) == left
        assert sorted(path for path, _ in errors(none)) == left
        assert sorted(path for path, _ in errors(more)) == left
        assert (same.metrics["total_gt_fields"], none.metrics["total_gt_fields"]) == (len(left), len(left))

    def test_rules_of_its_own_say_how_some_fields_match(self) -> None:
        fields = [
            {"path": "name", "match": "fuzzy"},
            {"path": "items[*].n", "match": "numeric_tolerance", "tolerance": 1},
            {"path": "items[0].note", "match": "ignore"},
            {"path": "address", "match": "exact"},
        ]
        expected = {"name": "Acme", "items": [{"n": 1, "note": "x"}, {"n": 5, "note": "x"}], "address": {"a": 1, "b": 2}}
        actual = {"name": "ACME", "items": [{"n": 2, "note": "y"}, {"n": 7, "note": "y"}], "address": {"a": 1, "b": 3}}
        assert errors(prf(expected, actual, fields=fields)) == [
            ("items[1].n", "wrong_value"),
            ("address", "wrong_value"),
            ("items[1].note", "wrong_value"),
        ]

    def test_a_rule_for_one_item_leaves_it_the_rules_of_every_item(self) -> None:
        fields = [{"path": "l[-1].a", "match": "fuzzy"}, {"path": "l[*].b", "match": "fuzzy"}]
        expected, actual = {"l": [{"a": "x", "b": "x"}] * 2}, {"l": [{"a": "X", "b": "X"}] * 2}
        assert errors(prf(expected, actual, fields=fields)) == [("l[0].a", "wrong_value")]

    def test_lists_of_its_own_say_how_items_find_each_other(self) -> None:
        expected, actual = {"l": [{"k": 1, "v": 1}, {"k": 2, "v": 2}]}, {"l": [{"k": 3, "v": 3}, {"k": 2, "v": 2}, {"k": 1, "v": 9}]}
        for align in ("best", {"key": "k"}):
            result = prf(expected, actual, lists={"l": align})
            assert errors(result) == [("l[+0].k", "hallucination"), ("l[0].v", "wrong_value"), ("l[+0].v", "hallucination")]

    def test_an_index_may_be_written_with_a_dot_in_an_ignored_path_too(self) -> None:
        assert prf({"l": [{"id": 1}, 5]}, {"l": [{"id": 2}, 5]}, ignore=["l.0.id"]).score == 1.0

    @pytest.mark.parametrize(("pattern", "what"), [("$.a", "write `a`"), ("a..b", "has an empty step"), ("", "must not be empty")])
    def test_an_ignored_path_that_is_none_is_refused(self, pattern: str, what: str) -> None:
        with pytest.raises(fw.ConfigError, match=what):
            prf({"a": 1}, {"a": 1}, ignore=[pattern])

    def test_an_ignored_field_does_not_decide_who_pairs(self) -> None:
        expected, actual = {"l": [{"id": 1, "v": 1}, {"id": 2, "v": 2}]}, {"l": [{"id": 1, "v": 2}, {"id": 2, "v": 1}]}
        fields = [{"path": "l[*].id", "match": "ignore"}]
        assert errors(prf(expected, actual, fields=fields, lists={"l": "best"})) == []


class TestOverCases:
    def test_macro_is_the_mean_of_cases_and_micro_pools_their_counts(self) -> None:
        """metric guide: Macro-F1 (Primary Metric), Micro-F1 (Secondary Metric)"""
        sides = [({"a": 1}, {"a": 1}), (dict.fromkeys("abcdefghi", 1), {"a": 1, "b": 2})]
        cases = Cases.of([Case(id=str(at), expected=expected, actual=actual) for at, (expected, actual) in enumerate(sides)])
        plan = Plan(name="guide", source=None, evaluators=(plan_config({"type": "field_prf"}),))
        state = SummaryState(plan.evaluators)
        state.add(score_batch(plan, cases))
        metrics = state.finish().flatten()
        f1 = 2 * (1 / 2) * (1 / 9) / (1 / 2 + 1 / 9)
        assert metrics["field_prf.macro_f1"] == pytest.approx((1 + f1) / 2)
        assert (metrics["field_prf.macro_precision"], metrics["field_prf.macro_recall"]) == (pytest.approx(0.75), pytest.approx(5 / 9))
        assert (metrics["field_prf.micro_precision"], metrics["field_prf.micro_recall"]) == (pytest.approx(2 / 3), pytest.approx(2 / 10))
        assert metrics["field_prf.micro_f1"] == pytest.approx(2 * (2 / 3) * (2 / 10) / (2 / 3 + 2 / 10))


# --- the slow reference: both sides flattened to leaves, then looked up one by one

Leaves = dict[tuple[Any, ...], Any]


def flatten(value: Any, path: tuple[Any, ...] = ()) -> Leaves:
    """Every leaf that is not null; an empty container is one."""
    if value is None or value is MISSING:
        return {}
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    leaves: Leaves = {}
    for step, inner in parts:
        leaves |= flatten(inner, (*path, step))
    return leaves if isinstance(value, dict | list) and value else {path: value}


def value_at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step, MISSING)
        elif isinstance(value, list) and isinstance(step, int):
            value = value[step] if step < len(value) else MISSING
        else:
            return MISSING
    return value


def kind_of(value: Any) -> str:
    return next(
        name
        for type_, name in ((bool, "bool"), (int | float, "number"), (str, "text"), (list, "list"), (dict, "object"))
        if isinstance(value, type_)
    )


def stopped_by(actual: Any, path: tuple[Any, ...], expected: Any) -> bool:
    """Whether something of another kind than expected stands on the way down to a path."""
    for depth in range(len(path)):
        actual_value, expected_value = value_at(actual, path[:depth]), value_at(expected, path[:depth])
        if actual_value is None or actual_value is MISSING:
            return False
        if kind_of(actual_value) != kind_of(expected_value):
            return True
    return False


def reference(expected: Any, actual: Any) -> dict[tuple[Any, ...], str]:
    """The outcome of every field."""
    ours, theirs = flatten(expected), flatten(actual)
    if expected in ({}, []) and kind_of(expected) == kind_of(actual):
        ours = {}  # an empty record has no fields, and is no field itself
        theirs = theirs if actual else {}
    outcomes: dict[tuple[Any, ...], str] = {}
    for path, value in ours.items():
        actual_value = value_at(actual, path)
        if stopped_by(actual, path, expected):
            outcomes[path] = "format_error"
        elif actual_value is None or actual_value is MISSING:
            outcomes[path] = "omission"
        elif kind_of(value) != kind_of(actual_value):
            outcomes[path] = "format_error"
        else:
            outcomes[path] = "match" if value == actual_value else "wrong_value"
    taken = [_place(actual, path, expected) for path, outcome in outcomes.items() if outcome != "omission"]
    for path in theirs:
        counted = any(path[: len(place)] == place for place in taken)  # at or below an expected leaf, or below what stands instead of it
        expected_value = value_at(expected, path)
        emptied = (
            isinstance(expected_value, dict | list)
            and len(expected_value) > 0
            and kind_of(expected_value) == kind_of(value_at(actual, path))
        )
        if not counted and not emptied:
            outcomes[path] = "hallucination"
    return outcomes


def _place(actual: Any, path: tuple[Any, ...], expected: Any) -> tuple[Any, ...]:
    """Where the counterpart of an expected leaf stands: at its path, or above it where something of another kind is."""
    ways = [path[:depth] for depth in range(len(path))]
    return next((way for way in ways if kind_of(value_at(actual, way)) != kind_of(value_at(expected, way))), path)


def rendered(path: tuple[Any, ...]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".") or "(root)"


scalars = st.none() | st.sampled_from([True, False, 0, 1, 1.0, 2, "", "a", "1"])
trees = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3), max_leaves=10
)


@given(expected=trees.filter(lambda value: value is not None and not isinstance(value, str)), actual=trees)
@settings(max_examples=400, deadline=None)
def test_it_finds_what_a_slow_reference_finds(expected: Any, actual: Any) -> None:
    if isinstance(actual, str) or actual is None:
        actual = {"a": actual}
    outcomes = {rendered(path): outcome for path, outcome in reference(expected, actual).items()}
    result = prf(expected, actual)
    assert {**dict(errors(result)), **dict.fromkeys(result.hits, "match")} == outcomes
    right, total = list(outcomes.values()).count("match"), sum(outcome != "hallucination" for outcome in outcomes.values())
    given_ = sum(outcome != "omission" for outcome in outcomes.values())
    assert result.metrics["precision"] == (right / given_ if given_ else 0.0)
    assert result.metrics["recall"] == (right / total if total else 0.0)
    assert result.metrics["total_gt_fields"] == total
    assert result.score == pytest.approx(2 * right / (given_ + total) if right else 0.0)


def test_a_path_that_cannot_be_read_is_a_miss_and_no_field() -> None:
    """structured-data spec: Malformed field path"""
    result = fw.evaluate({"type": "field_prf", "fields": ["invoice..total"]}, expected={"a": 1}, actual={"a": 1})
    assert (result.hits, result.misses, result.verdict) == (["a"], ["invoice..total (malformed path)"], "partial")
    assert (result.metrics["total_gt_fields"], result.metrics["omission"], result.score) == (1, 0, 1.0)
    assert result.details["errors"] == []


@pytest.mark.parametrize("pattern", ["rows.*.v", "rows[*].v", "rows.**", "rows.1.v", "*.*.v", "cafe\u0301", "o.*"])
def test_a_star_stands_for_a_key_or_an_item(pattern: str) -> None:
    expected, actual = (
        {"rows": [{"v": 1}, {"v": 2}], "caf\u00e9": 1, "o": {"k": 1}},
        {"rows": [{"v": 1}, {"v": 9}], "caf\u00e9": 2, "o": {"k": 2}},
    )
    left = fw.evaluate({"type": "field_prf", "ignore": [pattern]}, expected=expected, actual=actual)
    assert len(left.misses) == 2


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ({"a": 1}, {"a": 1, "l": []}),
        ({"a": 1, "l": {}}, {"a": 1}),
        ({"a": 1, "l": []}, {"a": 1, "l": None}),
        ({"a": 1, "l": []}, {"a": 1, "l": {}}),
    ],
)
def test_an_empty_container_agrees_with_nothing_only_if_asked_to(expected: Any, actual: Any) -> None:
    assert prf(expected, actual).score < 1.0
    assert prf(expected, actual, empty="absent").score == 1.0
    assert errors(prf(expected, actual, empty="absent")) == []


def test_an_empty_container_never_agrees_with_a_value() -> None:
    assert prf({"a": 1, "l": []}, {"a": 1, "l": [2]}, empty="absent").score < 1.0
    assert prf({"a": 1, "l": [2]}, {"a": 1, "l": []}, empty="absent").score < 1.0


def test_fields_without_a_rule_match_as_default_and_numbers_say() -> None:
    config = {"type": "field_prf", "default": "fuzzy", "numbers": {"match": "numeric_tolerance", "tolerance": 0.5}, "fields": ["code"]}
    expected = {"name": "Acme Corporation", "total": 10, "code": "A-1", "flag": True}
    result = fw.evaluate(config, expected=expected, actual={"name": "ACME Corporation", "total": 10.4, "code": "a-1", "flag": True})
    assert {comparison.path for comparison in result.comparisons if not comparison.passed} == {"code"}
    assert fw.evaluate({"type": "field_prf"}, expected=expected, actual=expected | {"total": 10.4}).misses == ["total"]


def test_scope_fields_counts_only_the_listed_fields() -> None:
    config = {"type": "field_prf", "scope": "fields", "fields": ["a"]}
    result = fw.evaluate(config, expected={"a": 1, "b": 2}, actual={"a": 1, "b": 3, "c": 4})
    assert (result.metrics["true_positives"], result.metrics["false_positives"], result.score) == (1, 0, 1.0)
    with pytest.raises(fw.ConfigError, match="scope"):
        fw.evaluate({"type": "field_prf", "scope": "fields"}, expected={}, actual={})


def test_empty_text_agrees_with_nothing_only_if_asked_to() -> None:
    assert prf({"a": 1, "t": ""}, {"a": 1}).metrics["omission"] == 1
    assert prf({"a": 1}, {"a": 1, "t": " "}).metrics["hallucination"] == 1
    assert prf({"a": 1, "t": ""}, {"a": 1}, empty="absent").score == 1.0
    assert prf({"a": 1}, {"a": 1, "t": " "}, empty="absent").score == 1.0
    assert prf({"a": 1, "t": "x"}, {"a": 1, "t": ""}, empty="absent").score < 1.0


@pytest.mark.parametrize("empty", [[], {}, "", " "])
def test_with_empty_absent_an_empty_value_against_a_value_is_an_omission_or_a_hallucination(empty: Any) -> None:
    invented = prf({"a": 1, "b": empty}, {"a": 1, "b": "x"}, empty="absent")
    assert errors(invented) == [("b", "hallucination")]
    lost = prf({"a": 1, "b": "x"}, {"a": 1, "b": empty}, empty="absent")
    assert errors(lost) == [("b", "omission")]


def test_texts_that_count_as_null_are_no_fields() -> None:
    config = {"type": "field_prf", "null_values": ["", "N/A"]}
    result = fw.evaluate(config, expected={"a": "", "b": 1, "c": "x"}, actual={"b": 1, "c": "n/a", "d": " "})
    assert (result.metrics["total_gt_fields"], result.metrics["omission"], result.metrics["hallucination"]) == (2, 1, 0)
    assert result.misses == ["c (null value)"]
