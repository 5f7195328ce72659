"""Laws that hold for every matcher, over small values so that pairs collide.

The matcher in CONTRIBUTING.md is held to them too.
"""

import math
import re
from collections.abc import Iterator, Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.values import find_non_finite, values_equal
from fieldwise.model.pairs import Scores
from fieldwise.model.rule import Match
from fieldwise.model.values import MISSING
from fieldwise.registry import MATCHERS
from fieldwise.score.matching import score_pairs
from fieldwise.score.services import local_services
from fieldwise.specs import Example, MatcherSpec

SERVICES = local_services()
CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"


def load_contributing_example() -> MatcherSpec:
    """The matcher of CONTRIBUTING.md, pasted into a file and imported; it is not left in the registry."""
    code = re.search(r"```python\n(.*?@matcher.*?)```", CONTRIBUTING.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None, "CONTRIBUTING.md has no example of a matcher"
    with TemporaryDirectory() as folder:
        file = Path(folder) / "same_sign.py"
        file.write_text(code[1], encoding="utf-8")
        module_spec = spec_from_file_location("fieldwise.matchers.same_sign", file)
        assert module_spec is not None
        assert module_spec.loader is not None
        module_spec.loader.exec_module(module_from_spec(module_spec))
    return MATCHERS.specs.pop("same_sign")


NAMES = MATCHERS.names()
CONTRIBUTED = load_contributing_example()
SPECS = [*MATCHERS.all(), CONTRIBUTED]

MORE_OPTIONS: dict[str, list[Mapping[str, Any]]] = {
    "numeric_tolerance": [
        {"tolerance": 0.1},
        {"tolerance": 0.1, "relative": True},
        {"tolerance": 1, "parse": True},
        {"tolerance": 0.1, "relative_tolerance": 0.1},
    ],
    "fuzzy": [
        {"algorithm": "jaro_winkler", "score": "binary"},
        {"algorithm": "token_sort", "normalize": False},
        {"algorithm": "token_set", "threshold": 0.0, "score": "binary"},
        {"algorithm": "token_set", "threshold": 1.0},
    ],
    "date": [{"formats": ("%d/%m/%Y", "D MMM YYYY")}, {"precision": "month", "day_first": False}],
    "money": [{"tolerance": 1, "decimal": "comma"}],
    "datetime": [{"zone": "require"}],
    "regex": [{"pattern": "^a|1$"}],
    "contains": [{"ignore_case": True}, {"value": "a"}],
    "one_of": [{"values": ("a", 1, True)}],
}
"""Options that a matcher is tested with besides its defaults and those of its examples."""

REPLACES_EXPECTED = {"pattern", "value", "values"}
"""Options that replace the expected value."""


def list_variants() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each matcher with each of its option sets."""
    for spec in SPECS:
        variants = [*(example.options for example in spec.examples), *MORE_OPTIONS.get(spec.name, [])]
        if spec.name != "regex":  # it has no defaults
            variants.insert(0, {})
        for at, options in enumerate(variants):
            if options not in variants[:at]:
                yield spec.name, options


VARIANTS = list(list_variants())
GRIDS = [(name, options) for name, options in VARIANTS if name in NAMES and MATCHERS.find(name).grid]
EXAMPLES = [(spec.name, example) for spec in SPECS for example in spec.examples]

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


@pytest.fixture(scope="module", autouse=True)
def registered_example() -> Iterator[None]:
    before = MATCHERS.specs.get(CONTRIBUTED.name)  # there is one if the example was pasted into the package
    MATCHERS.register(CONTRIBUTED)
    yield
    MATCHERS.specs.pop(CONTRIBUTED.name)
    if before is not None:
        MATCHERS.register(before)


def match_of(name: str, options: Mapping[str, Any]) -> Match:
    return Match(name, MATCHERS.find(name).options(**options))


def may_reject_equal_values(name: str, options: Mapping[str, Any]) -> bool:
    """True if the options require what an equal value may lack, such as a currency."""
    return getattr(match_of(name, options).options, "may_reject_equal_values", False)


def score(name: str, options: Mapping[str, Any], pairs: list[tuple[Any, Any]]) -> Scores:
    """The scores of pairs. A crash of the matcher, a score outside 0 to 1 and an unscored row without a reason fail the test."""
    scores = score_pairs(match_of(name, options), [expected for expected, _ in pairs], [actual for _, actual in pairs], SERVICES)
    assert [fault for fault in scores.faults.values() if fault.code == "matcher-crashed"] == []
    assert (scores.value.dtype, scores.passed.dtype) == (np.float64, np.bool_)
    assert len(scores.value) == len(scores.passed) == len(pairs)
    for row, value in enumerate(scores.value.tolist()):
        assert row in scores.faults if math.isnan(value) else 0.0 <= value <= 1.0
    assert all(0 <= row < len(pairs) and note for row, note in scores.notes.items())
    return scores


@pytest.mark.parametrize("name", NAMES)
def test_a_matcher_has_a_test_file(name: str) -> None:
    assert Path(__file__).with_name(f"test_{name}.py").exists()


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_a_matcher_has_examples(spec: MatcherSpec) -> None:
    assert spec.examples


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_a_matcher_gives_its_examples_their_scores(name: str, example: Example) -> None:
    scores = score(name, example.options, [(example.expected, example.actual)])
    assert scores.value[0] == pytest.approx(example.score, abs=0.005)


@each_matcher
@given(choices=st.lists(values, min_size=1, max_size=3), actual=values)
@settings(max_examples=10, deadline=None)
def test_several_accepted_values_score_as_the_most_similar_one(
    name: str, options: Mapping[str, Any], choices: list[Any], actual: Any
) -> None:
    alone = score(name, options, [(choice, actual) for choice in choices])
    together = score(name, options, [({"$any": choices}, actual), ({"$any": choices[:1]}, actual)])
    measured = np.nan_to_num(alone.value, nan=-1.0)
    assert np.nan_to_num(together.value, nan=-1.0).tolist() == [measured.max(), measured[0]]
    assert together.passed[1] == alone.passed[0]
    assert together.passed[0] == alone.passed[measured == measured.max()].any()


@each_matcher
@given(pairs=rows, data=st.data())
@law
def test_a_batch_in_any_order_scores_as_its_rows_do_one_by_one(
    name: str, options: Mapping[str, Any], pairs: list[tuple[Any, Any]], data: st.DataObject
) -> None:
    row_scores = [score(name, options, [pair]) for pair in pairs]
    for order in (list(range(len(pairs))), data.draw(st.permutations(range(len(pairs))))):
        scores = score(name, options, [pairs[row] for row in order])
        assert scores.value.tolist() == [row_scores[row].value[0] for row in order]
        assert scores.passed.tolist() == [row_scores[row].passed[0] for row in order]
        assert dict(scores.notes) == {place: row_scores[row].notes[0] for place, row in enumerate(order) if row_scores[row].notes}


@each_matcher
@given(value=values)
@law
def test_a_value_matches_itself_unless_there_is_a_nan_in_it(name: str, options: Mapping[str, Any], value: Any) -> None:
    scores = score(name, options, [(value, value)])
    if name == "ignore" or options.keys() & REPLACES_EXPECTED or may_reject_equal_values(name, options):
        assert scores.value[0] in {0.0, 1.0}
    elif find_non_finite(value):
        assert not scores.passed[0]
    else:
        assert scores.value[0] == 1.0
        assert scores.passed[0]


@each_matcher
def test_a_matcher_that_an_equal_value_may_fail_is_registered_as_such(name: str, options: Mapping[str, Any]) -> None:
    if options.keys() & REPLACES_EXPECTED:
        assert MATCHERS.find(name).reflexive is False
    elif may_reject_equal_values(name, options):
        assert not score(name, options, [("x", "x")]).passed.any()
    else:
        assert score(name, options, [("x", "x")]).passed.all()


@each_matcher
def test_a_nan_never_passes_and_the_note_says_so(name: str, options: Mapping[str, Any]) -> None:
    pairs: list[tuple[Any, Any]] = [(1.0, math.nan), (math.nan, math.nan), (math.inf, math.inf), ([math.nan], [math.nan])]
    scores = score(name, options, pairs)
    if name == "ignore":
        assert scores.passed.all()
    else:
        assert not scores.passed.any()
        assert scores.value.tolist() == [0.0] * 4
        assert [scores.notes[row] for row in range(3)] == ["NaN is not a number", "NaN is not a number", "Infinity is not a number"]
        assert 3 in scores.notes


@each_matcher
def test_an_empty_batch_has_no_scores(name: str, options: Mapping[str, Any]) -> None:
    assert score(name, options, []).value.tolist() == []


@each_matcher
def test_depth_is_no_reason_to_crash(name: str, options: Mapping[str, Any]) -> None:
    deep_a: Any = "a"
    deep_b: Any = "b"
    for _ in range(2000):
        deep_a, deep_b = {"a": [deep_a]}, {"a": [deep_b]}
    scores = score(name, options, [(deep_a, deep_b), (deep_a, "a"), (1, deep_a), (deep_a, deep_a)])
    assert not np.isnan(scores.value).any()
    assert scores.faults == {}


@each_matcher
def test_values_that_json_does_not_know_never_crash_a_matcher(name: str, options: Mapping[str, Any]) -> None:
    class Hostile:
        def __repr__(self) -> str:
            raise RuntimeError("no")

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("no")

        __hash__ = None  # type: ignore[assignment]

    odd = [Hostile(), object(), b"a", {1, 2}, {1: "a", None: "b"}, 1 + 2j, np.float64(1.5), np.int64(1), 10**5000]
    scores = score(name, options, [(expected, actual) for expected in odd for actual in odd])
    assert not np.isnan(scores.value).any()


@pytest.mark.parametrize(("name", "options"), GRIDS, ids=str)
@given(
    expected=st.lists(values | st.sampled_from([None, MISSING]), max_size=5),
    actual=st.lists(values | st.sampled_from([None, MISSING]), max_size=5),
)
@law
def test_a_grid_gives_every_pair_what_the_matcher_gives_it(
    name: str, options: Mapping[str, Any], expected: list[Any], actual: list[Any]
) -> None:
    matcher = MATCHERS.find(name)
    assert matcher.grid is not None
    similarities = matcher.grid(expected, actual, matcher.options(**options))
    assert similarities.shape == (len(expected), len(actual))
    assert similarities.dtype == np.float64
    for row, left in enumerate(expected):
        for column, right in enumerate(actual):
            absent = [value is None or value is MISSING for value in (left, right)]
            similarity = float(all(absent)) if any(absent) else score(name, options, [(left, right)]).value[0]
            assert similarities[row, column] == similarity


COLUMNS_OF_TEXTS = [
    ["2025-04-03", "2025-W14-4"],
    ["2025-04-03", "2025-02-30"],
    ["2025-04-03", "03/04/2025"],
    ["٢٠٢٥-٠٤-٠٣", "2025-04-03"],
    ["2025-04-03", 20250403],
    ["20250403", "2025-04-03"],
    ["2025-W53-7", "2025-04-03"],
    ["0000-01-01", "9999-12-31"],
    ["2025-04-03", "2025-04-3 "],
]


@pytest.mark.parametrize("values", COLUMNS_OF_TEXTS, ids=str)
@pytest.mark.parametrize(
    ("name", "options"), [(name, options) for name, options in VARIANTS if name in NAMES and MATCHERS.find(name).reads_column], ids=str
)
def test_a_column_that_is_read_as_a_whole_has_only_values_that_are_read_one_by_one(
    name: str, options: Mapping[str, Any], values: list[Any]
) -> None:
    matcher = MATCHERS.find(name)
    assert matcher.reads_column is not None
    assert matcher.unread_note is not None
    config = matcher.options(**options)
    unread = [value for value in values if matcher.unread_note(value, config) is not None]
    assert not (matcher.reads_column(values, config) and unread)


@pytest.mark.parametrize(("name", "options"), [(name, options) for name, options in GRIDS if MATCHERS.find(name).prepare_grid], ids=str)
@given(
    expected=st.lists(values | st.sampled_from([None, MISSING]), max_size=6),
    actual=st.lists(values | st.sampled_from([None, MISSING]), max_size=6),
    cuts=st.tuples(*[st.integers(0, 6)] * 4),
)
@law
def test_a_prepared_grid_gives_the_part_of_the_grid_that_is_asked_for(
    name: str, options: Mapping[str, Any], expected: list[Any], actual: list[Any], cuts: tuple[int, int, int, int]
) -> None:
    matcher = MATCHERS.find(name)
    assert matcher.grid is not None
    assert matcher.prepare_grid is not None
    config = matcher.options(**options)
    rows, columns = slice(*sorted(cuts[:2])), slice(*sorted(cuts[2:]))
    part = matcher.prepare_grid(expected, actual, config)(rows, columns)
    assert part.dtype == np.float64
    np.testing.assert_array_equal(part, matcher.grid(expected, actual, config)[rows, columns])
    np.testing.assert_array_equal(part, matcher.grid(expected[rows], actual[columns], config))


@pytest.mark.parametrize(("name", "options"), GRIDS, ids=str)
@given(pairs=st.lists(st.tuples(values, values), min_size=1, max_size=40))
@law
def test_a_score_does_not_depend_on_whether_distances_are_needed(
    name: str, options: Mapping[str, Any], pairs: list[tuple[Any, Any]]
) -> None:
    match = Match(name, MATCHERS.find(name).options(**options))
    expected, actual = [left for left, _ in pairs], [right for _, right in pairs]
    without = score_pairs(match, expected, actual, needs_distance=False)
    np.testing.assert_array_equal(without.value, score_pairs(match, expected, actual).value)


@given(expected=values, actual=values)
@law
def test_pairs_that_exact_calls_equal_score_1_under_the_defaults_of_other_matchers(expected: Any, actual: Any) -> None:
    if values_equal(expected, actual):
        for name in ("exact", "numeric_tolerance", "fuzzy", "date", "set", "contains", "one_of"):
            assert score(name, {}, [(expected, actual)]).value[0] == 1.0
