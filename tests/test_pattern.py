"""A pattern that is compiled when it is first used behaves as a compiled one."""

import re

import pytest

from fieldwise.pattern import compile_on_use


def test_methods_and_attributes_are_those_of_the_compiled_pattern() -> None:
    pattern = compile_on_use(r"(?P<word>[a-z]+)", re.IGNORECASE)
    compiled = re.compile(r"(?P<word>[a-z]+)", re.IGNORECASE)
    for _ in range(2):  # the second time, the attributes are the pattern's own
        assert pattern.fullmatch("Ab")["word"] == "Ab"
        assert pattern.sub("-", "a1B") == "-1-"
        assert [match.span() for match in pattern.finditer("a b")] == [(0, 1), (2, 3)]
        assert (pattern.pattern, pattern.flags, pattern.groupindex) == (compiled.pattern, compiled.flags, compiled.groupindex)


def test_bytes_have_patterns_too() -> None:
    assert compile_on_use(rb"\d").findall(b"a1b2") == [b"1", b"2"]


def test_a_pattern_is_compiled_once_and_not_before_its_use(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_pattern = re.compile

    def count(pattern: str, flags: int = 0) -> "re.Pattern[str]":
        compiled.append(pattern)
        return compile_pattern(pattern, flags)

    monkeypatch.setattr(re, "compile", count)
    pattern = compile_on_use("ab")
    assert compiled == []
    assert pattern.match("ab")
    assert pattern.search("cab")
    assert compiled == ["ab"]


def test_a_method_that_patterns_do_not_have_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="fullmach"):
        compile_on_use("a").fullmach  # noqa: B018
