"""grounding: whether the statements of an answer are supported by its sources, without a model."""

import json
from importlib.resources import files
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise import ConfigError, Result
from fieldwise.kernels.meaning.calibration import compute_auc
from fieldwise.model.diagnostic import Diagnostic

MANUAL = """Territory 118 has a rate change of 0.305%. Territory 117 falls by -0.133%.
Rule C-4 sets the minimum premium at $50. Flood damage is not covered."""


def grounded(actual: Any, contexts: Any = (MANUAL,), **options: Any) -> Result:
    return fw.evaluate(
        {"type": "grounding", "by": "words", **options}, actual=actual, contexts=list(contexts) if contexts is not None else None
    )


@pytest.mark.parametrize(
    "answer",
    [
        "The rate change of Territory 118 is 0.305 percent.",
        "The minimum premium is $50.00 under rule C-4.",
        "Flood damage is not covered.",
        "No, flood damage isn't covered.",
        "Territory 118 changes: a rate of 0.305%, while Territory 117 falls by −0.133%.",
    ],
)
def test_what_the_sources_say_is_grounded(answer: str) -> None:
    result = grounded(answer)
    assert (result.metrics["grounded_share"], result.misses) == (1.0, [])


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("The rate change of Territory 118 is 0.350%.", "number 0.35 is in no source"),
        ("The rate change of Territory 119 is 0.305%.", "`territory 119` is in no source"),
        ("Flood damage is covered.", "the source says the opposite"),
        ("The minimum premium is not $50 under Rule C-4.", "the source says the opposite"),
        ("Earthquakes need another policy.", "0% of its words in one passage"),
    ],
)
def test_what_is_made_up_is_named(answer: str, reason: str) -> None:
    result = grounded(answer)
    assert result.score == 0.0
    assert reason in result.misses[0]


DISMISSED = (
    "The season did not end well. Manning was not injured, although Denver lost 24 games. Flooding isn't covered, unlike 8.8 % hail."
)


@pytest.mark.parametrize("by", ["words", "embedding"])
@pytest.mark.parametrize("answer", ["Manning", "24", "Denver lost 24 games.", "24 games", "Manning was not injured", "8.8"])
def test_a_phrase_of_the_source_is_grounded_even_if_its_sentence_is_negated(answer: str, by: str) -> None:
    result = grounded(answer, [DISMISSED], by=by)
    assert (result.score, result.misses) == (1.0, [])


@pytest.mark.parametrize("answer", ["covered", "Flooding is covered", "injured"])
def test_a_phrase_that_the_source_negates_is_not_grounded_by_its_words(answer: str) -> None:
    result = grounded(answer, [DISMISSED])
    assert "the source says the opposite" in result.misses[0]


def test_a_phrase_is_grounded_if_one_of_its_places_does_not_negate_it() -> None:
    assert grounded("covered by the policy", ["Rain is not covered by the policy. Fire is covered by the policy."]).score == 1.0


def test_reasons_speak_of_the_source_and_the_answer() -> None:
    result = grounded("Glass claims cost 250 dollars.", ["Glass claims have no deductible."], by="embedding")
    assert "only the answer has a number: 250" in result.misses[0]
    assert "only the source is negated" in result.misses[0]


def test_unsupported_numbers_and_names_are_listed() -> None:
    result = grounded("Territory 118 has a rate change of 0.305%. Territory 200 has a rate change of 7%.")
    assert result.metrics["grounded_share"] == 0.5
    assert result.details["unsupported"] == {"numbers": ["200", "7"], "names": ["territory 200"]}
    assert result.metrics["supported_numbers"] == 2 / 4
    assert result.metrics["supported_names"] == 1 / 2


def test_each_sentence_shows_the_passage_it_rests_on() -> None:
    sentence = grounded("The minimum premium is $50.", ["Something else.", MANUAL]).details["sentences"][0]
    assert (sentence["source"], sentence["passage"]) == (1, "Rule C-4 sets the minimum premium at $50.")


def test_contexts_may_be_objects() -> None:
    assert grounded("Flood damage is not covered.", [{"id": "p1", "page_content": MANUAL}]).score == 1.0
    assert grounded("Flood damage is not covered.", [{"title": "Flood damage", "body": "it is not covered"}], support=0.5).score == 1.0


def test_the_input_may_be_the_source() -> None:
    config = {"type": "grounding", "source": "input"}
    assert fw.evaluate(config, actual="Flood damage is not covered.", input=MANUAL).score == 1.0


def test_chinese_and_german_answers_are_looked_up() -> None:
    assert grounded("保险费为604元。", ["根据手册，保险费为604元，适用于118区。"]).score == 1.0
    assert grounded("保险费为605元。", ["根据手册，保险费为604元，适用于118区。"]).score == 0.0
    assert grounded("Die Prämie beträgt 1234,56 Euro.", ["Die Prämie beträgt 1.234,56 Euro."], locale="de").score == 1.0


def test_the_values_of_a_record_must_stand_in_the_source() -> None:
    text = "Invoice INV-7 of 31 January 2025 from ACME Corp., total $1,234.50"
    record = {"number": "INV-7", "date": "2025-01-31", "vendor": {"name": "Acme Corp"}, "total": 1234.5, "paid": True, "notes": None}
    result = grounded(record | {"items": [{"sku": "X-99"}]}, [text])
    assert result.misses == ["items[0].sku (not in the source)"]
    assert result.metrics == {"grounded_share": 4 / 5, "values": 5}
    assert result.details["unsupported"] == {"items[0].sku": "X-99"}


@pytest.mark.parametrize(("actual", "contexts"), [("An answer.", []), ("An answer.", None), ("Yes.", [MANUAL]), ({"a": None}, [MANUAL])])
def test_nothing_to_look_up_is_skipped(actual: Any, contexts: Any) -> None:
    assert grounded(actual, contexts).status == "skipped"


def test_a_bad_option_is_refused() -> None:
    with pytest.raises(ConfigError, match="support"):
        grounded("x", support=2)


@given(st.text(alphabet="Ab1. \nno,é中", max_size=60), st.text(alphabet="Ab1. \nno,é中", max_size=60))
@settings(max_examples=100, deadline=None)
def test_a_text_is_grounded_in_itself_and_no_text_raises(answer: str, context: str) -> None:
    assert 0.0 <= grounded(answer, [context]).score <= 1.0
    itself = grounded(context, [context])
    assert itself.status == "skipped" or itself.score == 1.0


@pytest.mark.parametrize("unit", ["a", "rate. ", "1,", "no. ", "Rate 1. ", "。", "word other\n"])
def test_a_quarter_of_a_megabyte_is_looked_up(unit: str) -> None:
    text = unit * (250_000 // len(unit))
    assert grounded(text, [text]).status in ("scored", "skipped")


def test_long_answers_and_long_sources_do_not_cost_their_product() -> None:
    source = " ".join(f"Clause {at} covers damage number {at}." for at in range(20_000))
    answer = " ".join(f"Clause {at} covers damage number {at}." for at in range(2_000))
    assert grounded(answer, [source]).score == 1.0


class TestByEmbedding:
    """By meaning, with guards for numbers, negation, opposites and names."""

    @pytest.mark.parametrize(
        "answer",
        [
            "The smallest premium under rule C-4 is fifty dollars.",
            "Damage caused by flooding is excluded.",
            "Territory 118 changes its rate by 0.305%.",
        ],
    )
    def test_a_paraphrase_is_grounded(self, answer: str) -> None:
        result = grounded(answer, by="embedding")
        assert (result.metrics["grounded_share"], result.misses) == (1.0, [])
        assert result.details["sentences"][0]["similarity"] >= 0.43

    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            ("Rule C-4 sets the minimum premium at $75.", "numbers differ"),
            ("Flood damage is covered.", "negat"),
            ("The moon is made of cheese.", "to the nearest sentence of the sources"),
        ],
    )
    def test_what_differs_is_named(self, answer: str, reason: str) -> None:
        result = grounded(answer, by="embedding")
        assert result.score == 0.0
        assert reason in result.misses[0]

    def test_the_most_similar_sentence_decides_though_others_contradict_nothing(self) -> None:
        sentence = grounded("Flood damage is covered.", by="embedding").details["sentences"][0]
        assert sentence["passage"] == "Flood damage is not covered."

    def test_unsupported_numbers_are_listed_here_too(self) -> None:
        result = grounded("Territory 118 has a rate change of 7%.", by="embedding")
        assert result.details["unsupported"]["numbers"] == ["7"]

    def test_without_the_model_it_is_unavailable_and_says_how_to_get_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        missing = Diagnostic(code="unavailable", what="onnxruntime is not installed", fix="pip install 'fieldwise[semantic]'")
        monkeypatch.setattr("fieldwise.ask.embedding.load_embedder", lambda: missing)
        result = grounded("Flood damage is covered.", by="embedding")
        assert (result.status, result.details["fix"]) == ("unavailable", "pip install 'fieldwise[semantic]'")

    @pytest.mark.parametrize(
        ("answer", "score"),
        [("退款需要14天。", 1.0), ("月亮是奶酪做的。", 0.0), ("Возврат занимает 14 дней.", 1.0), ("Луна сделана из сыра.", 0.0)],
    )
    def test_a_sentence_the_model_cannot_read_is_judged_by_its_words_and_flagged(self, answer: str, score: float) -> None:
        contexts = ["退款需要14天。", "Возврат занимает 14 дней."]
        result = fw.evaluate({"type": "grounding", "by": "embedding"}, actual=answer, contexts=contexts)
        assert (result.score, result.details["flags"]) == (score, ["unread_script"])
        assert "similarity" not in result.metrics

    def test_records_are_looked_up_as_ever(self) -> None:
        result = grounded({"premium": 50, "place": "Mars"}, by="embedding")
        assert result.misses == ["place (not in the source)"]


class TestLabelledClaims:
    """The claims that the project ships: `docs/answers.md` has the figures."""

    claims: ClassVar[list[dict[str, Any]]] = [
        json.loads(line) for line in files("fieldwise").joinpath("data/grounding_claims.jsonl").read_text(encoding="utf-8").splitlines()
    ]

    def auc(self, measure: str, **options: Any) -> float:
        measured = [grounded(claim["claim"], [claim["source"]], **options).details["sentences"][0][measure] for claim in self.claims]
        values, labels = np.array(measured), np.array([claim["supported"] for claim in self.claims])
        return compute_auc(values[labels], values[~labels])

    def test_there_are_many_and_of_several_kinds(self) -> None:
        assert len(self.claims) >= 40
        assert len({claim["kind"] for claim in self.claims if not claim["supported"]}) >= 5

    def test_meaning_with_guards_tells_them_apart_better_than_words(self) -> None:
        assert self.auc("similarity", by="embedding") > 0.75
        assert self.auc("support") < 0.5, "claims that differ in one word share the others"
