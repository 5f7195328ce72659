"""What every matcher owes, whoever wrote it: the laws, over small values so that pairs collide."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.values import non_finite, same
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.values import MISSING
from fieldwise.registry import MATCHERS, MatcherSpec

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "numeric_tolerance": [{}, {"tolerance": 0.1}, {"tolerance": 0.1, "relative": True}, {"tolerance": 1, "parse": True}],
    "fuzzy": [
        {},
        {"algorithm": "jaro_winkler", "score": "binary"},
        {"algorithm": "token_sort", "normalize": False},
        {"algorithm": "token_set", "threshold": 0.0, "score": "binary"},
        {"algorithm": "token_set", "threshold": 1.0},
    ],
    "date": [{}, {"day_first": True}, {"formats": ("%d/%m/%Y", "D MMM YYYY")}],
    "regex": [{"pattern": "^a|1$"}],
    "contains": [{}, {"ignore_case": True}, {"value": "a"}],
    "one_of": [{}, {"values": ("a", 1, True)}],
}
"""The options a matcher is held to the laws with; without an entry here, its defaults."""

IRREFLEXIVE = {"pattern", "value", "values"}
"""Options that judge the actual value by something else than the expected one."""

VARIANTS = [(name, options) for name in MATCHERS.names() for options in OPTIONS.get(name, [{}])]
GRIDS = [(name, options) for name, options in VARIANTS if MATCHERS.find(name).grid]

texts = st.text(alphabet="aAb é\u0301e1.,\ud800", max_size=4) | st.sampled_from(
    ["2025-04-03", "3 APR 2025", "03/04/2025", "04/03/2025", "30/02/2025", "$1.10", "(1)", "true", "nan", "a b", "b a", "\u212b", "\u00c5"]
)
numbers = st.sampled_from(
    [
        0,
        1,
        2,
        -1,
        100,
        0.0,
        -0.0,
        1.0,
        1.1,
        0.1,
        0.9,
        2**53,
        2**53 + 1,
        float(2**53),
        10**400,
        1e308,
        -1e308,
        5e-324,
        math.nan,
        math.inf,
        -math.inf,
    ]
)
leaves = st.booleans() | numbers | texts
nested = st.recursive(
    leaves | st.none(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "e\u0301", "\u00e9"]), inner, max_size=2),
    max_leaves=4,
)
values = leaves | nested.filter(lambda value: value is not None)
rows = st.lists(st.tuples(values, values) | values.map(lambda value: (value, value)), min_size=1, max_size=12)

law = settings(max_examples=60, deadline=None)
each_matcher = pytest.mark.parametrize(("name", "options"), VARIANTS, ids=str)


def of(name: str, options: dict[str, Any]) -> tuple[MatcherSpec, Any]:
    entry = MATCHERS.find(name)
    return entry, entry.options(**options)


def score(name: str, options: dict[str, Any], pairs: list[tuple[Any, Any]]) -> Scores:
    entry, config = of(name, options)
    return entry.function(Pairs([one for one, _ in pairs], [other for _, other in pairs]), config)


def test_every_matcher_has_a_test_file() -> None:
    missing = [name for name in MATCHERS.names() if not Path(__file__).with_name(f"test_{name}.py").exists()]
    assert missing == []


@each_matcher
@given(pairs=rows)
@law
def test_scores_stay_between_0_and_1_and_an_unscored_row_says_why(name: str, options: dict[str, Any], pairs: list[tuple[Any, Any]]) -> None:
    found = score(name, options, pairs)
    assert found.value.dtype == np.float64
    assert found.passed.dtype == np.bool_
    assert len(found.value) == len(found.passed) == len(pairs)
    for row, value in enumerate(found.value.tolist()):
        assert row in found.faults if math.isnan(value) else 0.0 <= value <= 1.0
    assert all(0 <= row < len(pairs) and note for row, note in found.notes.items())


@each_matcher
@given(pairs=rows)
@law
def test_a_batch_scores_as_its_rows_do_one_by_one(name: str, options: dict[str, Any], pairs: list[tuple[Any, Any]]) -> None:
    found = score(name, options, pairs)
    single = [score(name, options, [pair]) for pair in pairs]
    assert found.value.tolist() == [one.value[0] for one in single]
    assert found.passed.tolist() == [one.passed[0] for one in single]
    assert dict(found.notes) == {row: one.notes[0] for row, one in enumerate(single) if one.notes}


@each_matcher
@given(pairs=rows, data=st.data())
@law
def test_a_shuffled_batch_gives_shuffled_scores(
    name: str, options: dict[str, Any], pairs: list[tuple[Any, Any]], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(pairs))))
    found, shuffled = score(name, options, pairs), score(name, options, [pairs[row] for row in order])
    assert shuffled.value.tolist() == [found.value[row] for row in order]
    assert shuffled.passed.tolist() == [found.passed[row] for row in order]


@each_matcher
@given(value=values)
@law
def test_a_value_matches_itself_unless_there_is_a_nan_in_it(name: str, options: dict[str, Any], value: Any) -> None:
    found = score(name, options, [(value, value)])
    if name == "ignore" or options.keys() & IRREFLEXIVE:
        assert found.value[0] in {0.0, 1.0}
    elif non_finite(value):
        assert not found.passed[0]
    else:
        assert found.value[0] == 1.0
        assert found.passed[0]


@each_matcher
def test_a_matcher_that_an_equal_value_may_fail_is_registered_as_such(name: str, options: dict[str, Any]) -> None:
    if options.keys() & IRREFLEXIVE:
        assert MATCHERS.find(name).reflexive is False
    else:
        assert score(name, options, [("x", "x")]).passed.all()


@each_matcher
def test_a_nan_never_passes_and_the_note_says_so(name: str, options: dict[str, Any]) -> None:
    pairs: list[tuple[Any, Any]] = [(1.0, math.nan), (math.nan, math.nan), (math.inf, math.inf), ([math.nan], [math.nan])]
    found = score(name, options, pairs)
    if name == "ignore":
        assert found.passed.all()
    else:
        assert not found.passed.any()
        assert found.value.tolist() == [0.0] * 4
        assert [found.notes[row] for row in range(3)] == ["NaN is not a number", "NaN is not a number", "Infinity is not a number"]
        assert 3 in found.notes


@each_matcher
def test_an_empty_batch_has_no_scores(name: str, options: dict[str, Any]) -> None:
    assert score(name, options, []).value.tolist() == []


@each_matcher
def test_depth_is_no_reason_to_crash(name: str, options: dict[str, Any]) -> None:
    deep: Any = "a"
    other: Any = "b"
    for _ in range(5000):
        deep, other = {"a": [deep]}, {"a": [other]}
    found = score(name, options, [(deep, other), (deep, "a"), (1, deep), (deep, deep)])
    assert not np.isnan(found.value).any()
    assert found.faults == {}


@each_matcher
def test_values_that_json_does_not_know_never_crash_a_matcher(name: str, options: dict[str, Any]) -> None:
    class Hostile:
        def __repr__(self) -> str:
            raise RuntimeError("no")

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("no")

        __hash__ = None  # type: ignore[assignment]

    odd = [Hostile(), object(), b"a", {1, 2}, {1: "a", None: "b"}, 1 + 2j, np.float64(1.5), np.int64(1), 10**5000]
    found = score(name, options, [(one, other) for one in odd for other in odd])
    assert not np.isnan(found.value).any()


@pytest.mark.parametrize(("name", "options"), GRIDS, ids=str)
@given(
    expected=st.lists(values | st.sampled_from([None, MISSING]), max_size=5),
    actual=st.lists(values | st.sampled_from([None, MISSING]), max_size=5),
)
@law
def test_a_grid_gives_every_pair_what_the_matcher_gives_it(
    name: str, options: dict[str, Any], expected: list[Any], actual: list[Any]
) -> None:
    entry, config = of(name, options)
    found = entry.grid(expected, actual, config)
    assert found.shape == (len(expected), len(actual))
    assert found.dtype == np.float64
    for row, one in enumerate(expected):
        for column, other in enumerate(actual):
            absent = [value is None or value is MISSING for value in (one, other)]
            wanted = float(all(absent)) if any(absent) else score(name, options, [(one, other)]).value[0]
            assert found[row, column] == wanted


@given(one=values, other=values)
@law
def test_what_exact_calls_the_same_no_tolerance_and_no_threshold_calls_different(one: Any, other: Any) -> None:
    if same(one, other):
        for name in ("exact", "numeric_tolerance", "fuzzy", "date", "set", "contains", "one_of"):
            assert score(name, {}, [(one, other)]).value[0] == 1.0
