"""ECMA-262 patterns on RE2."""

import time

import pytest

from fieldwise.kernels.ecma_regex import compile_ecma, translate_ecma


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("^a$", "a", True),
        ("^a$", "a\n", False),
        ("^a.b$", "a\rb", False),
        ("a", "xaax", True),
        (r"^\d+$", "١٢", False),
        (r"^\s$", "\u00a0", True),
        (r"^\S$", "\u00a0", False),
        (r"^[\s\S]$", "\n", True),
        (r"^[^\s]$", "\u2003", False),
        (r"^\u00e9$", "é", True),
        (r"^\uD83D\uDE00$", "😀", True),
        (r"^\u{1F600}$", "😀", True),
        (r"^\cJ$", "\n", True),
        (r"^\p{Letter}+$", "πé", True),
        (r"^\P{Letter}+$", "π", False),
        (r"^\p{Script=Greek}+$", "π", True),
        (r"^[[]$", "[", True),
        (r"^[\]]$", "]", True),
        (r"^(?<year>\d{4})$", "2025", True),
        (r"^\A$", "A", True),
        ("é", "\ud800é", True),
    ],
)
def test_a_pattern_matches_as_in_ecma_262(pattern: str, text: str, matches: bool) -> None:
    assert compile_ecma(pattern)(text) is matches


@pytest.mark.parametrize("pattern", ["(?=a)", "(?!a)", "(?<=a)b", r"(a)\1", "(", "[", "a{2,1}", "*", "\ud800", "((a{1000}){1000}){1000}"])
def test_what_re2_cannot_express_is_refused_with_a_reason(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        compile_ecma(pattern)


@pytest.mark.parametrize("pattern", ["^(a+)+$", r"^([a-zA-Z0-9]+\.?)+@x$", "(a|aa)*c", "^(.*)*$x"])
def test_a_catastrophic_pattern_takes_linear_time(pattern: str) -> None:
    started = time.perf_counter()
    assert not compile_ecma(pattern)("a" * 100_000 + "!")
    assert time.perf_counter() - started < 2


def test_the_translation_keeps_what_both_syntaxes_share() -> None:
    for pattern in (r"^[a-z]{2,3}\.(?:com|org)$", r"\$\{x\}", r"[^\w-]+", r"\bword\b", r"\/path\/"):
        assert translate_ecma(pattern) == pattern
