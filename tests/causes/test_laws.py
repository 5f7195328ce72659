"""Laws that hold for every cause."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES
from fieldwise.specs import CauseExample

TEXTS = st.one_of(st.text(max_size=12), st.text("ab1.-é \u00a0$%(),/", max_size=10))
NUMBERS = st.one_of(st.integers(), st.floats(), st.just(10**400))
SCALARS: st.SearchStrategy[Json] = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
VALUES: st.SearchStrategy[Json] = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(TEXTS, SCALARS, max_size=2))
READ_RECORD = ("item_shifted", "value_of_another_field")
BY_KIND = {"text": TEXTS, "number": NUMBERS, "mixed": VALUES, "written": VALUES, "any": VALUES}
EXAMPLES = [(spec.name, example) for spec in CAUSES.all() for example in spec.examples]


@pytest.mark.parametrize("name", CAUSES.names())
def test_a_cause_has_a_label_and_advice(name: str) -> None:
    spec = CAUSES.find(name)
    assert spec.label
    assert spec.advice.endswith(".")


@pytest.mark.parametrize("name", CAUSES.names())
def test_a_cause_has_examples_that_hold_and_that_do_not_unless_it_reads_the_whole_record(name: str) -> None:
    spec = CAUSES.find(name)
    assert {example.holds for example in spec.examples} == {True, False} or name in READ_RECORD


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_a_cause_explains_its_examples(name: str, example: CauseExample) -> None:
    assert CAUSES.find(name).function(example.expected, example.actual, Context("", "")) is example.holds


def test_no_two_causes_share_a_rank() -> None:
    ranks = [spec.rank for spec in CAUSES.all()]
    assert len(ranks) == len(set(ranks))


@pytest.mark.parametrize("name", CAUSES.names())
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_cause_returns_a_truth_value_for_any_pair(name: str, data: st.DataObject) -> None:
    spec = CAUSES.find(name)
    values = BY_KIND[spec.kinds]
    expected, actual = data.draw(values), data.draw(values)
    assert spec.function(expected, actual, Context("a", "a", {"a": expected, "b": actual})) in (True, False)
