"""fuzzy: text that is alike."""

import math
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

import fieldwise as fw
from fieldwise.matchers.fuzzy import Fuzzy, fuzzy, grid
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.rule import Match
from fieldwise.score.matching import score_pairs


def scores(expected: Any, actual: Any, **options: Any) -> Scores:
    return fuzzy(Pairs([expected], [actual]), Fuzzy(**options))


def score(expected: Any, actual: Any, **options: Any) -> float:
    return float(scores(expected, actual, **options).value[0])


def test_letter_case_costs_nothing() -> None:
    """structured-data spec: Fuzzy match succeeds above threshold (the e.g. 0.89 is 1.0 folded, 0.33 unfolded)."""
    fuzzy_scores = scores("ACME CORP", "Acme Corp", algorithm="levenshtein", threshold=0.80)
    assert fuzzy_scores.value.tolist() == [1.0]
    assert fuzzy_scores.passed.tolist() == [True]
    assert score("ACME CORP", "Acme Corp", normalize=False) == pytest.approx(1 / 3)


def test_a_common_beginning_counts_for_more_in_jaro_winkler() -> None:
    """structured-data spec: Fuzzy match with Jaro-Winkler for prefix similarity."""
    fuzzy_scores = scores("Microsoft Corporation", "Microsoft Corp", algorithm="jaro_winkler", threshold=0.85)
    assert fuzzy_scores.value[0] == pytest.approx(0.9333, abs=1e-4)
    assert fuzzy_scores.passed.tolist() == [True]
    assert fuzzy_scores.value[0] > score("Microsoft Corporation", "Microsoft Corp", algorithm="levenshtein")


def test_text_below_the_threshold_fails_and_still_gives_its_similarity() -> None:
    """structured-data spec: Fuzzy match fails below threshold."""
    fuzzy_scores = scores("Acme Corp", "XYZ Inc", threshold=0.80)
    assert 0.0 < fuzzy_scores.value[0] < 0.80
    assert fuzzy_scores.passed.tolist() == [False]


def test_the_threshold_is_0_85_unless_given() -> None:
    """structured-data spec: Require threshold for fuzzy matching (uses default threshold 0.85)."""
    assert TypeAdapter(Fuzzy).validate_python({}).threshold == 0.85


def test_one_edit_in_ten_letters_is_0_9() -> None:
    """response-quality spec: the walkthrough's "John Smith" against "John Smyth"."""
    fuzzy_scores = scores("John Smith", "John Smyth")
    assert fuzzy_scores.value[0] == pytest.approx(0.9)
    assert fuzzy_scores.passed.tolist() == [True]


@pytest.mark.parametrize(
    ("expected", "actual", "options", "expected_score"),
    [
        ("kitten", "sitting", {}, 1 - 3 / 7),
        ("", "", {}, 1.0),
        ("", "", {"algorithm": "token_set"}, 1.0),
        ("", "", {"algorithm": "jaro_winkler"}, 1.0),
        (" ", " ", {"algorithm": "token_set", "normalize": False}, 1.0),
        ("", "a", {}, 0.0),
        (" Acme\n", "acme", {}, 1.0),
        (" a", "a", {"normalize": False}, 0.5),
        ("Straße", "STRASSE", {}, 1.0),
        ("caf\u00e9", "cafe\u0301", {"normalize": False}, 1.0),
        ("CAF\u00c9", "cafe\u0301", {}, 1.0),
        ("Smith John", "john smith", {"algorithm": "token_sort"}, 1.0),
        ("Acme", "acme holdings", {"algorithm": "token_set"}, 1.0),
        (100, 100.0, {}, 1.0),
        (100, 101, {}, 2 / 3),
        (True, True, {}, 1.0),
        ([1, "A"], [1.0, "a"], {}, 1.0),
        ({"b": 1, "a": 2}, {"a": 2, "b": 1}, {}, 1.0),
    ],
)
def test_how_alike_two_values_are(expected: Any, actual: Any, options: dict[str, Any], expected_score: float) -> None:
    assert score(expected, actual, **options) == pytest.approx(expected_score)
    assert score(actual, expected, **options) == pytest.approx(expected_score)


@pytest.mark.parametrize(("expected", "actual"), [(100, "100"), (True, "true"), (True, 1), (["a"], "a"), ([], {}), ("", [])])
def test_values_of_different_kinds_are_not_alike_and_pass_no_threshold(expected: Any, actual: Any) -> None:
    for threshold in (0.0, 0.85):
        fuzzy_scores = scores(expected, actual, threshold=threshold)
        assert fuzzy_scores.value.tolist() == [0.0]
        assert fuzzy_scores.passed.tolist() == [False]


def test_the_threshold_is_inclusive_in_spite_of_binary_rounding() -> None:
    for edits in range(1, 100):
        fuzzy_scores = scores("a" * 100, "a" * (100 - edits) + "b" * edits, threshold=(100 - edits) / 100)
        assert fuzzy_scores.passed.tolist() == [True]
        assert scores("a" * 100, "a" * (100 - edits) + "b" * edits, threshold=(100 - edits) / 100 + 0.001).passed.tolist() == [False]


def test_binary_is_1_at_the_threshold_and_0_below() -> None:
    fuzzy_scores = fuzzy(Pairs(["abcd", "abcd"], ["abcx", "abxx"]), Fuzzy(threshold=0.75, score="binary"))
    assert fuzzy_scores.value.tolist() == [1.0, 0.0]
    assert fuzzy_scores.passed.tolist() == [True, False]


def test_a_long_text_that_repeats_is_measured_once_and_scored_everywhere() -> None:
    pairs = [("a" * 100, "a" * 99 + "b"), ("c" * 100, "c" * 100)] * 3
    fuzzy_scores = fuzzy(Pairs([expected for expected, _ in pairs], [actual for _, actual in pairs]), Fuzzy())
    assert fuzzy_scores.value.tolist() == pytest.approx([0.99, 1.0] * 3)


def test_a_nan_is_like_nothing() -> None:
    nan_scores = score_pairs(Match("fuzzy", Fuzzy(threshold=0.0)), [math.nan], [math.nan])
    assert nan_scores.passed.tolist() == [False]
    assert nan_scores.notes == {0: "NaN is not a number"}


@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": "soundex"},
        {"algorithm": "Levenshtein"},
        {"threshold": 1.1},
        {"threshold": -0.1},
        {"threshold": math.nan},
        {"score": "raw"},
    ],
)
def test_options_that_do_not_exist_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Fuzzy).validate_python(options)


def test_normalize_alnum_ignores_everything_but_letters_and_digits() -> None:
    config = Fuzzy(normalize="alnum")
    assert fuzzy(Pairs(["INV 001", "A.B.", "किताब"], ["inv-001", "AB", "काताब"]), config).value.tolist()[:2] == [1.0, 1.0]
    assert fuzzy(Pairs(["किताब"], ["काताब"]), config).value[0] < 1.0
    assert fuzzy(Pairs(["INV 001"], ["inv-002"]), config).value[0] < 1.0


def test_a_limit_that_was_applied_is_in_the_result() -> None:
    expected, actual = "ab " * 40_000, "ba " * 40_000
    [note] = fw.match("fuzzy", expected=[expected], actual=[actual]).notes.values()
    assert "compared in blocks" in note
    scores = fw.match("fuzzy", expected=[expected, "x"], actual=[actual, "x"], algorithm="jaro_winkler")
    assert [fault.code for fault in scores.faults.values()] == ["text-too-long"]
    assert scores.value[1] == 1.0


def test_equal_digits_keep_similar_texts_apart() -> None:
    config = Fuzzy(digits="equal")
    expected = ["12 Main Street, Springfield", "1,250 units of paper", "Acme Corp", "Suite 4, Acme Tower"]
    actual = ["13 Main Street, Springfield", "1250 units of paper", "ACME Corp.", "Suite four, Acme Tower"]
    scores = fuzzy(Pairs(expected, actual), config)
    assert scores.passed.tolist() == [False, True, True, False]
    assert scores.value.tolist() == fuzzy(Pairs(expected, actual), Fuzzy()).value.tolist()  # the similarity still counts
    assert scores.notes[0] == "the digits differ"


def test_equal_digits_may_move_where_words_may() -> None:
    config = Fuzzy(digits="equal", algorithm="token_sort", score="binary")
    expected, actual = ["30 days, 12 months"] * 2, ["12 months, 30 days", "12 months, 31 days"]
    assert fuzzy(Pairs(expected, actual), config).value.tolist() == [1.0, 0.0]
    assert grid(expected[:1], actual, config).tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("expected", "actual", "passes"),
    [
        ("Take 12.5 mg every morning", "Take 125 mg every morning", False),
        ("Take 12,5 mg every morning", "Take 12.5 mg every morning", True),
        ("Room 1,250 on the first floor", "Room 1250 on the first floor", True),
        ("Signed on 03.04.2025 in Kiel", "Signed on 03/04/2025 in Kiel", True),
    ],
)
def test_equal_digits_have_the_decimal_point_in_the_same_place(expected: str, actual: str, passes: bool) -> None:
    assert fw.match("fuzzy", expected=[expected], actual=[actual], digits="equal").passed.tolist() == [passes]


@pytest.mark.parametrize(
    ("expected", "actual", "similarity"),
    [
        ("...", "!!!", 0.0),
        ("...", "...", 1.0),
        ("..", "...", 2 / 3),
        ("", "...", 0.0),
        ("", "", 1.0),
        ("...", "abc", 0.0),
        ("a...", "a", 1.0),
    ],
)
def test_texts_without_letters_and_digits_compare_as_they_are_written(expected: str, actual: str, similarity: float) -> None:
    assert score(expected, actual, normalize="alnum") == pytest.approx(similarity)
    assert grid([expected], [actual], Fuzzy(normalize="alnum"))[0, 0] == pytest.approx(similarity)
