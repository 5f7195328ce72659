"""What every cause is held to."""

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES
from fieldwise.score.cause_prefilter import DIGIT_SCREENS, ELSEWHERE, MIXED_SCREENS, NUMBER_SCREENS, TEXT_SCREENS, WRITTEN_SCREENS

TEXTS = st.one_of(st.text(max_size=12), st.text("ab1.-é \u00a0$%(),/", max_size=10))
NUMBERS = st.one_of(st.integers(), st.floats(), st.just(10**400))
SCALARS: st.SearchStrategy[Json] = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
VALUES: st.SearchStrategy[Json] = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(TEXTS, SCALARS, max_size=2))
BY_KIND = {"text": TEXTS, "number": NUMBERS, "any": VALUES}


@pytest.mark.parametrize("name", CAUSES.names())
def test_a_cause_says_what_it_is_and_what_to_do(name: str) -> None:
    module = sys.modules[CAUSES.find(name).function.__module__]
    assert module.LABEL
    assert module.ADVICE.endswith(".")
    screens = [module.SCREEN] if isinstance(module.SCREEN, str) else module.SCREEN
    assert set(screens) <= {*TEXT_SCREENS, *WRITTEN_SCREENS, *NUMBER_SCREENS, *DIGIT_SCREENS, *MIXED_SCREENS, ELSEWHERE}


@pytest.mark.parametrize("name", CAUSES.names())
def test_a_cause_has_a_test_file(name: str) -> None:
    assert (Path(__file__).parent / f"test_{name}.py").exists()


def test_no_two_causes_share_a_rank() -> None:
    ranks = [CAUSES.find(name).rank for name in CAUSES.names()]
    assert len(ranks) == len(set(ranks))


@pytest.mark.parametrize("name", CAUSES.names())
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_cause_answers_whatever_it_is_asked(name: str, data: st.DataObject) -> None:
    entry = CAUSES.find(name)
    values = BY_KIND[entry.kinds]
    expected, actual = data.draw(values), data.draw(values)
    assert entry.function(expected, actual, Context("a", "a", {"a": expected, "b": actual})) in (True, False)
