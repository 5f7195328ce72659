"""Results in a notebook."""

import fieldwise as fw


def test_a_notebook_shows_the_fields_that_are_not_right() -> None:
    result = fw.evaluate({"type": "field_accuracy", "fields": ["a", "b"]}, expected={"a": 1, "b": 2}, actual={"a": 1, "b": 3})
    html = result._repr_html_()
    assert "<strong>0.5000</strong> · partial" in html
    assert ">b<" in html
    assert ">a<" not in html


def test_nothing_from_data_is_taken_for_html() -> None:
    evil = "<img src=x onerror=alert(1)>"
    html = fw.evaluate({"type": "field_prf"}, expected={evil: "x"}, actual={evil: evil})._repr_html_()
    assert "<img" not in html
    assert "&lt;img" in html


def test_long_values_and_long_lists_are_cut() -> None:
    html = fw.evaluate({"type": "field_prf"}, expected={"a": ["x" * 500] * 80}, actual={"a": ["y"] * 80})._repr_html_()
    assert "and 30 more" in html
    assert "x" * 200 not in html
