"""grounding: whether what the AI says stands in its sources, without a model."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise import ConfigError, Result

MANUAL = """Territory 118 has a rate change of 0.305%. Territory 117 falls by -0.133%.
Rule C-4 sets the minimum premium at $50. Flood damage is not covered."""


def grounded(actual: Any, contexts: Any = (MANUAL,), **options: Any) -> Result:
    return fw.evaluate({"type": "grounding", **options}, actual=actual, contexts=list(contexts) if contexts is not None else None)


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


def test_unsupported_numbers_and_names_are_listed() -> None:
    result = grounded("Territory 118 has a rate change of 0.305%. Territory 200 has a rate change of 7%.")
    assert result.metrics["grounded_share"] == 0.5
    assert result.details["unsupported"] == {"numbers": ["200", "7"], "names": ["territory 200"]}
    assert result.metrics["supported_numbers"] == 2 / 4
    assert result.metrics["supported_names"] == 1 / 2


def test_each_sentence_shows_the_passage_it_rests_on() -> None:
    told = grounded("The minimum premium is $50.", ["Something else.", MANUAL]).details["sentences"][0]
    assert (told["source"], told["passage"]) == (1, "Rule C-4 sets the minimum premium at $50.")


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
def test_a_megabyte_is_looked_up(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert grounded(text, [text]).status in ("scored", "skipped")


def test_long_answers_and_long_sources_do_not_cost_their_product() -> None:
    source = " ".join(f"Clause {at} covers damage number {at}." for at in range(20_000))
    answer = " ".join(f"Clause {at} covers damage number {at}." for at in range(2_000))
    assert grounded(answer, [source]).score == 1.0
