"""answer_quality: the five answer metrics, in both versions where two exist."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise import ConfigError, Result
from fieldwise.kernels.answer_text import compile_indicators, find_indicators
from fieldwise.kernels.keywords import KeywordReader
from fieldwise.kernels.numbers_in_text import NumberLocale
from fieldwise.registry import EVALUATORS

V1 = {"keywords": "v1", "numbers": "text", "citations": "substring"}
"""The options that reproduce the first framework."""
METRICS = ("exact_match", "keyword_coverage", "number_match", "answer_completeness", "source_citation")


def quality(expected: Any, actual: Any, **options: Any) -> Result:
    return fw.evaluate({"type": "answer_quality", **options}, expected=expected, actual=actual)


def metric(name: str, expected: Any, actual: Any, **options: Any) -> float | bool:
    return quality(expected, actual, **options).metrics[name]


class TestExactMatch:
    @pytest.mark.parametrize(
        ("expected", "actual", "same"),
        [
            ("$604", "$604", True),
            ("Yes, it  does", "yes,\n it DOES ", True),
            ("Yes", "Yes.", False),
            ("604", "604.0", False),
            ("", "  ", True),
            ("Café", "cafe\u0301", True),
            ("が", "か\u3099", True),
        ],
    )
    @pytest.mark.parametrize("options", [{}, V1])
    def test_it_ignores_case_and_whitespace_and_nothing_else(self, expected: str, actual: str, same: bool, options: dict[str, str]) -> None:
        """Answer metrics, exact match: normalises lowercase and whitespace; True if identical, False otherwise."""
        assert metric("exact_match", expected, actual, **options) is same

    def test_a_correct_answer_phrased_differently_is_no_exact_match(self) -> None:
        """Answer metrics, exact match, limitation: penalises correct answers that include additional context."""
        assert metric("exact_match", "$604", "The premium is $604") is False


class TestKeywordCoverage:
    @pytest.mark.parametrize(("options", "coverage"), [({}, 1.0), (V1, 1.0)])
    def test_the_territory_example_is_covered(self, options: dict[str, str], coverage: float) -> None:
        """Answer metrics, keyword coverage, example: both contain "Territory 118" and "0.305%"."""
        expected, actual = "Territory 118 has a rate change of 0.305%", "The rate change for Territory 118 is 0.305%"
        assert metric("keyword_coverage", expected, actual, **options) == coverage

    @pytest.mark.parametrize("options", [{}, V1])
    @pytest.mark.parametrize(("actual", "coverage"), [("alpha beta gamma delta", 1.0), ("alpha beta", 0.5), ("nothing", 0.0)])
    def test_it_is_the_share_of_expected_keywords(self, actual: str, coverage: float, options: dict[str, str]) -> None:
        """Answer metrics, keyword coverage, interpretation: 1.0 all, 0.5 half, 0.0 none of the important keywords."""
        assert metric("keyword_coverage", "alpha beta gamma delta", actual, **options) == coverage

    def test_versions_differ_where_a_phrase_has_a_number(self) -> None:
        expected, actual = "Territory 118", "118 is in no territory"
        assert metric("keyword_coverage", expected, actual) == pytest.approx(2 / 3)
        assert metric("keyword_coverage", expected, actual, **V1) == 1.0

    def test_versions_differ_where_a_phrase_has_another_case(self) -> None:
        expected, actual = "The Rate Manual", "the rate manual"
        assert metric("keyword_coverage", expected, actual) == 1.0
        assert metric("keyword_coverage", expected, actual, **V1) == pytest.approx(2 / 3)

    @pytest.mark.parametrize("options", [{}, V1])
    def test_no_keyword_expected_is_one_and_flagged(self, options: dict[str, str]) -> None:
        result = quality("yes", "no idea", **options)
        assert result.metrics["keyword_coverage"] == 1.0
        assert "vacuous_keywords" in result.details["flags"]

    def test_each_missing_keyword_is_named(self) -> None:
        result = quality("Territory 118 has discounts", "Territory 117 has nothing")
        assert [miss for miss in result.misses if miss.startswith("keyword")] == [
            "keyword_coverage: territory 118",
            "keyword_coverage: 118",
            "keyword_coverage: discounts",
        ]


class TestNumberMatch:
    @pytest.mark.parametrize("options", [{}, V1])
    def test_the_premium_example_matches(self, options: dict[str, str]) -> None:
        """Answer metrics, number match, example: expected "$604", generated "The premium is $604", match 1.0."""
        assert metric("number_match", "$604", "The premium is $604", **options) == 1.0

    @pytest.mark.parametrize("options", [{}, V1])
    @pytest.mark.parametrize(("actual", "share"), [("293 and 604", 1.0), ("only 604", 0.5), ("none", 0.0)])
    def test_it_is_the_share_of_expected_numbers(self, actual: str, share: float, options: dict[str, str]) -> None:
        """Answer metrics, number match, interpretation: 1.0 all, 0.5 half, 0.0 no numeric values match."""
        assert metric("number_match", "293 to $604", actual, **options) == share

    @pytest.mark.parametrize(
        ("expected", "actual", "by_value", "as_text"),
        [
            ("604", "604.00", 1.0, 0.0),
            ("750,000", "750000", 1.0, 0.0),
            ("-0.133%", "0.133%", 0.0, 1.0),
            ("−0.133", "-0.133", 1.0, 1.0),
            ("051", "51", 1.0, 0.0),
            ("604", "1604", 0.0, 0.0),
            ("The answer is 604.", "604", 1.0, 0.0),
            ("5%", "5", 1.0, 1.0),
        ],
    )
    def test_values_and_text_disagree_where_digits_are_written_differently(
        self, expected: str, actual: str, by_value: float, as_text: float
    ) -> None:
        assert metric("number_match", expected, actual) == by_value
        assert metric("number_match", expected, actual, numbers="text") == as_text
        assert metric("number_match", expected, actual, keywords="v1") == by_value

    @pytest.mark.parametrize("options", [{}, V1])
    def test_no_number_expected_is_one_and_flagged(self, options: dict[str, str]) -> None:
        result = quality("no numbers", "1 2 3", **options)
        assert result.metrics["number_match"] == 1.0
        assert "vacuous_numbers" in result.details["flags"]

    def test_a_missing_number_is_named(self) -> None:
        assert "number_match: 604" in quality("The premium is $604.00", "The premium is $605").misses

    def test_the_locale_says_what_a_comma_is(self) -> None:
        assert metric("number_match", "1.234,56 €", "1234,56", locale="de") == 1.0
        assert metric("number_match", "1.234,56 €", "1234,56") < 1.0


class TestAnswerCompleteness:
    @pytest.mark.parametrize("options", [{}, V1])
    @pytest.mark.parametrize(
        ("expected", "actual", "completeness"),
        [
            ("alpha beta gamma delta", "alpha beta gamma delta", 1.0),
            ("alpha beta gamma delta", "alpha beta gamma delta and much more besides", 1.0),
            ("alpha beta gamma delta", "alpha beta", 0.5),
            ("alpha beta gamma delta", "of the a by", 0.5),
            ("alpha beta gamma delta", "alpha beta gamma delta".replace(" ", "-"), (0.25 + 1.0) / 2),
            ("alpha beta gamma delta", "", 0.0),
        ],
    )
    def test_it_is_the_mean_of_length_and_keyword_coverage(
        self, expected: str, actual: str, completeness: float, options: dict[str, str]
    ) -> None:
        """Answer metrics, completeness: min(generated_words / expected_words, 1.0), averaged with keyword coverage."""
        assert metric("answer_completeness", expected, actual, **options) == completeness

    @pytest.mark.parametrize("options", [{}, V1])
    def test_nothing_expected_is_complete_and_flagged(self, options: dict[str, str]) -> None:
        result = quality("", "anything", **options)
        assert result.metrics["answer_completeness"] == 1.0
        assert "vacuous_completeness" in result.details["flags"]

    def test_chinese_is_counted_in_characters(self) -> None:
        assert metric("answer_completeness", "保险费适用", "保险") == pytest.approx((2 / 5 + 1 / 4) / 2)

    def test_a_short_answer_says_how_short(self) -> None:
        assert "answer_completeness: 2 of 4 words" in quality("alpha beta gamma delta", "alpha beta").misses


class TestSourceCitation:
    @pytest.mark.parametrize("options", [{}, V1])
    @pytest.mark.parametrize(
        ("actual", "score"),
        [
            ("No citation at all", 0.0),
            ("See page 3", 1 / 3),
            ("See page 3 of the document", 2 / 3),
            ("According to page 3 of the document", 1.0),
            ("Source: Table: page, document, pdf, according to, based on, from", 1.0),
            ("page page page", 1 / 3),
        ],
    )
    def test_distinct_indicators_are_counted_up_to_three(self, actual: str, score: float, options: dict[str, str]) -> None:
        """Answer metrics, source citation: min(found_indicators / 3.0, 1.0); 0, 0.33, 0.67 and 1.0."""
        assert metric("source_citation", "x", actual, **options) == pytest.approx(score)

    @pytest.mark.parametrize(
        "indicator", ["Source: x", "Table: x", "page 1", "the document", "a.pdf", "According to x", "Based on x", "from x"]
    )
    @pytest.mark.parametrize("options", [{}, V1])
    def test_each_indicator_counts(self, indicator: str, options: dict[str, str]) -> None:
        assert metric("source_citation", "x", indicator, **options) == pytest.approx(1 / 3)

    @pytest.mark.parametrize("text", ["homepage", "documented", "pdfx", "fromage", "outsource: x"])
    def test_an_indicator_inside_another_word_counts_only_as_substring(self, text: str) -> None:
        assert metric("source_citation", "x", text) == 0.0
        assert metric("source_citation", "x", text, citations="substring") == pytest.approx(1 / 3)

    def test_markdown_and_plurals_do_not_hide_a_citation(self) -> None:
        assert metric("source_citation", "x", "**Source:** manual, pages 3-4, **Table**: 2") == 1.0

    def test_indicators_can_be_of_another_language(self) -> None:
        assert metric("source_citation", "x", "Laut Handbuch, Seite 3", indicators=["laut", "Seite", "Quelle:"]) == pytest.approx(2 / 3)

    def test_the_miss_says_what_was_found(self) -> None:
        assert "source_citation: 1 of 3 indicators (page)" in quality("x", "page 3").misses


class TestTheWhole:
    def test_the_score_is_the_mean_of_the_five(self) -> None:
        result = quality("$604", "The premium is $604")
        assert result.metrics == {
            "exact_match": False,
            "keyword_coverage": 1.0,
            "number_match": 1.0,
            "answer_completeness": 1.0,
            "source_citation": 0.0,
        }
        assert result.score == pytest.approx(3 / 5)
        assert result.hits == ["keyword_coverage", "number_match", "answer_completeness"]
        assert result.misses == ["exact_match", "source_citation: 0 of 3 indicators"]
        assert (result.verdict, result.status) == ("partial", "scored")

    def test_a_metric_without_weight_is_measured_but_neither_hit_nor_miss(self) -> None:
        result = quality("$604", "The premium is $604", weights={"exact_match": 0, "source_citation": 0})
        assert (result.score, result.verdict, result.misses) == (1.0, "pass", [])
        assert result.metrics["source_citation"] == 0.0

    def test_text_is_never_parsed(self) -> None:
        assert metric("exact_match", "604", '"604"') is False

    def test_an_answer_that_is_not_there_is_the_systems_failure(self) -> None:
        result = quality("$604", None)
        assert (result.status, result.score, result.details["fault"]) == ("error", 0.0, "system")

    def test_many_misses_are_counted_not_listed(self) -> None:
        result = quality(" ".join(f"word{chr(97 + a)}{chr(97 + b)}" for a in range(20) for b in range(20)), "nothing")
        assert "keyword_coverage: and 300 more" in result.misses
        assert len(result.details["missing_keywords"]) == 400

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (
                {
                    "weights": dict.fromkeys(
                        ["exact_match", "keyword_coverage", "number_match", "answer_completeness", "source_citation"], 0
                    )
                },
                "every weight is 0",
            ),
            ({"keywords": "v3"}, "keywords"),
            ({"citation": "words"}, "did you mean `citations`"),
            ({"weights": {"exact": 1}}, "exact_match"),
            ({"indicators": [":"]}, "no word"),
            ({"locale": "xx"}, "locale"),
        ],
    )
    def test_bad_options_are_refused_with_the_reason(self, options: dict[str, Any], message: str) -> None:
        with pytest.raises(ConfigError, match=message):
            quality("a", "b", **options)


ANSWERS = st.text(alphabet="Aabx 1.,-%$:\né中ß", max_size=30)


@given(ANSWERS, ANSWERS, st.sampled_from([{}, V1, {"locale": "de"}]))
@settings(max_examples=120, deadline=None)
def test_every_metric_stays_in_its_range_and_an_answer_matches_itself(expected: str, actual: str, options: dict[str, str]) -> None:
    result = quality(expected, actual, **options)
    assert all(0.0 <= value <= 1.0 for value in result.metrics.values())
    assert 0.0 <= result.score <= 1.0
    itself = quality(expected, expected, **options).metrics
    assert itself["exact_match"] is True
    assert itself["keyword_coverage"] == itself["number_match"] == itself["answer_completeness"] == 1.0


@pytest.mark.parametrize("unit", ["a", "1", "1,", "page ", "source", "A1 "])
@pytest.mark.parametrize("options", [{}, V1])
def test_a_quarter_of_a_megabyte_is_measured(unit: str, options: dict[str, str]) -> None:
    text = unit * (250_000 // len(unit))
    assert quality(text, text, **options).metrics["keyword_coverage"] == 1.0


def test_an_equal_answer_is_exact_and_complete_where_numbers_have_spaces() -> None:
    result = quality("118 117 euros", "118 117 euros", locale="fr")
    assert (result.metrics["exact_match"], result.metrics["answer_completeness"]) == (True, 1.0)


class TestLanguages:
    """Text in other languages gives sensible keywords and numbers."""

    @pytest.mark.parametrize(
        ("expected", "right", "wrong", "locale"),
        [
            ("Die Prämie beträgt 1.234,56 €", "Für Sie beträgt die Prämie 1234,56 Euro", "Die Prämie beträgt 1.234,57 €", "de"),
            ("保费是604元，费率变化为0.305%", "费率变化为0.305%，保费为604元", "保费是640元，费率变化为0.305%", "en"),
            ("القسط ٦٠٤ دولار والمعدل ٠٫٣٠٥٪", "القسط 604 دولار والمعدل 0.305%", "القسط ٦٤٠ دولار والمعدل ٠٫٣٠٥٪", "en"),
        ],
    )
    def test_the_same_in_other_words_is_covered_and_another_number_is_missed(
        self, expected: str, right: str, wrong: str, locale: str
    ) -> None:
        result = quality(expected, right, locale=locale)
        assert (result.metrics["keyword_coverage"], result.metrics["number_match"]) == (1.0, 1.0)
        result = quality(expected, wrong, locale=locale)
        assert result.metrics["number_match"] < 1.0
        assert [miss for miss in result.misses if miss.startswith("number_match")] in (["number_match: 1234.56"], ["number_match: 604"])


class TestManyAtOnce:
    """Answers are read in batches; nothing that is said of one may differ from what a plain reading says."""

    PIECES = (
        *("Territory", "118", "117", "Rule C-1", "0.305%", "-0.133", "$604", "604.00", "premium", "Source:", "according to", "page 3"),
        *("(3.2)", "Prämie", "保费是604元", "1.234,56", "\n", "of", "the"),
    )
    texts = st.lists(st.sampled_from(PIECES), max_size=7).map(" ".join)

    @staticmethod
    def plain(expected: str, actual: str, locale: NumberLocale) -> tuple[dict[str, float | bool], list[str], str, dict[str, Any]]:
        """Metrics, misses, reasoning and details, read one by one."""
        reader = KeywordReader(locale)
        expects, states = reader.read_expected(expected), reader.read_answer(actual)
        missing, citations = reader.find_missing(expects, states), find_indicators(actual, compile_indicators())
        missing_numbers = [number for number in expects.numbers if number not in states.atoms]
        exact = " ".join(expected.lower().split()) == " ".join(actual.lower().split())
        coverage = (len(expects) - len(missing)) / len(expects) if len(expects) else 1.0
        number_share = (len(expects.numbers) - len(missing_numbers)) / len(expects.numbers) if expects.numbers else 1.0
        completeness = (min(states.word_count / expects.word_count, 1.0) + coverage) / 2 if expects.word_count else 1.0
        short = f"{states.word_count} of {expects.word_count} words" if states.word_count < expects.word_count else "keywords are missing"
        citation_miss = f"source_citation: {len(citations)} of 3 indicators" + (f" ({', '.join(citations)})" if citations else "")
        misses = [
            *(["exact_match"] * (not exact)),
            *(f"keyword_coverage: {keyword}" for keyword in missing),
            *(f"number_match: {number}" for number in missing_numbers),
            *([f"answer_completeness: {short}"] * (completeness < 1.0)),
            *([citation_miss] * (len(citations) < 3)),
        ]
        reasoning = (
            f"{'exact; ' if exact else ''}{len(expects) - len(missing)}/{len(expects)} keywords, "
            f"{len(expects.numbers) - len(missing_numbers)}/{len(expects.numbers)} numbers, "
            f"{states.word_count}/{expects.word_count} words, {len(citations)} citations"
        )
        vacuous = {
            "vacuous_keywords": len(expects),
            "vacuous_numbers": len(expects.numbers),
            "vacuous_completeness": expects.word_count,
        }
        details = {
            "missing_keywords": missing,
            "missing_numbers": missing_numbers,
            "citations": citations,
            "words": {"expected": expects.word_count, "actual": states.word_count},
            "flags": [flag for flag, total in vacuous.items() if not total],
        }
        values = (exact, coverage, number_share, completeness, min(len(citations) / 3, 1.0))
        return dict(zip(METRICS, values, strict=True)), misses, reasoning, details

    @settings(max_examples=150, deadline=None)
    @given(st.lists(st.tuples(texts, texts), max_size=6), st.sampled_from(["en", "de", "fr"]))
    def test_a_batch_says_what_a_plain_reading_says(self, pairs: list[tuple[str, str]], locale: NumberLocale) -> None:
        entry = EVALUATORS.find("answer_quality")
        batch = SimpleNamespace(expected_texts=[pair[0] for pair in pairs], actual_texts=[pair[1] for pair in pairs])
        results = entry.function(batch, entry.options(locale=locale))
        for row, pair in enumerate(pairs):
            metrics, misses, reasoning, details = self.plain(*pair, locale)
            assert {name: column[row] for name, column in results.metrics.items()} == metrics
            assert results.score[row] == pytest.approx(sum(metrics.values()) / 5, abs=1e-15)
            assert results.hits.at(row) == [name for name in METRICS if metrics[name] == 1.0]
            assert (results.misses.at(row), results.reasoning[row], results.details(row)) == (misses, reasoning, details)

    def test_more_than_a_hundred_missing_keywords_are_counted(self) -> None:
        words = " ".join(f"word{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(120))
        misses = [miss for miss in quality(words, "none").misses if miss.startswith("keyword")]
        assert len(misses) == 101
        assert misses[-1] == "keyword_coverage: and 20 more"

    def test_many_indicators_are_counted_too(self) -> None:
        indicators = [f"sign{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(70)]
        result = quality("x", f"{indicators[0]} and {indicators[69]}", indicators=indicators)
        assert result.details["citations"] == [indicators[0], indicators[69]]


def test_squad_normalization_ignores_punctuation_and_articles() -> None:
    config = {"type": "answer_quality", "exact_match": "squad", "token_f1": True}
    result = fw.evaluate(config, expected="Eiffel Tower", actual="The Eiffel Tower.")
    assert (result.metrics["exact_match"], result.metrics["token_f1"]) == (True, 1.0)
    assert fw.evaluate({"type": "answer_quality"}, expected="Eiffel Tower", actual="The Eiffel Tower.").metrics["exact_match"] is False
    assert fw.evaluate(config, expected="in the Eiffel Tower", actual="Eiffel Tower, Paris").metrics["token_f1"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("expected", "actual", "share"),
    [("0.5", "½ cup", 1.0), ("1½", "1.5", 1.0), ("1 ½", "1.5", 1.0), ("2 ¼", "2.5", 0.0), ("42", "42abc", 0.0), ("42", "42kg", 1.0)],
)
def test_numbers_are_read_with_fractions_and_units_but_not_out_of_words(expected: str, actual: str, share: float) -> None:
    assert fw.evaluate({"type": "answer_quality"}, expected=expected, actual=actual).metrics["number_match"] == share


@pytest.mark.parametrize(
    ("expected", "actual", "share"),
    [("$1.2 million", "1,200,000 dollars", 1.0), ("$1.2 million", "$1.2 billion", 0.0), ("10 000", "10,000", 1.0), ("1e3", "1000", 1.0)],
)
def test_numbers_with_scale_words_compare_by_value(expected: str, actual: str, share: float) -> None:
    result = fw.evaluate({"type": "answer_quality"}, expected=expected, actual=actual)
    assert result.metrics["number_match"] == share
