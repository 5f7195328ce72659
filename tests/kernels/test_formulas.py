"""Formulas over facts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.formulas import FormulaError, parse_formula

NAMES = ("a", "b", "c")


def trees() -> st.SearchStrategy[str]:
    """Formulas as text, valid in Python too."""
    leaf = st.sampled_from(NAMES)
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            inner.map(lambda formula: f"not {formula}"),
            inner.map(lambda formula: f"({formula})"),
            st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(" ".join),
        ),
        max_leaves=8,
    )


@given(trees(), st.tuples(st.booleans(), st.booleans(), st.booleans()))
@settings(max_examples=150, deadline=None)
def test_a_formula_means_what_it_means_in_python(text: str, flags: tuple[bool, bool, bool]) -> None:
    values = dict(zip(NAMES, flags, strict=True))
    assert parse_formula(text).evaluate(values) is bool(eval(text, {}, values))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("a b", "missing between `a` and `b`"),
        ("(a", "never closed"),
        ("a)", "closes nothing"),
        ("a and", "missing after `and`"),
        ("and a", "missing before `and`"),
        ("a and or b", "missing before `or`"),
        ("a & b", "`&` is not allowed"),
        ("()", r"missing before `\)`"),
        ("__import__('os')", "is not allowed|missing between"),
        ("a == 1", "is not allowed"),
    ],
)
def test_what_is_no_formula_is_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(FormulaError, match=message):
        parse_formula(text)


def test_brackets_may_be_deep() -> None:
    assert parse_formula("(" * 50_000 + "a" + ")" * 50_000).evaluate({"a": True})
    assert parse_formula("not " * 50_001 + "a").evaluate({"a": False})


def test_a_formula_knows_which_facts_speak_for_it_and_which_against() -> None:
    formula = parse_formula("a and not (b or not c)")
    assert (formula.true_names, formula.false_names) == ({"a", "c"}, {"b"})
    assert formula.find_blocking_names({"a": True, "b": True, "c": False}) == ["b", "c"]
    assert formula.find_blocking_names({"a": True, "b": False, "c": True}) == []
