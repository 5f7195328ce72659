"""Calendar dates in text."""

import pytest

from fieldwise.kernels.dates import parse_date_readings, spell_iso_date


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("2025-03-04", ((2025, 3, 4),)),
        ("20250304", ((2025, 3, 4),)),
        ("4 March 2025", ((2025, 3, 4),)),
        ("Tue, 4 Mar 2025", ((2025, 3, 4),)),
        ("4th of March, 2025", ((2025, 3, 4),)),
        ("4 de marzo de 2025", ((2025, 3, 4),)),
        ("4-Mar-25", ((2025, 3, 4),)),
        ("04.03.2025", ((2025, 3, 4), (2025, 4, 3))),
        ("31/12/99", ((1999, 12, 31),)),
        ("31/12/69", ((1969, 12, 31),)),
        ("31/12/68", ((2068, 12, 31),)),
        ("2025-3", ((2025, 3, 0),)),
        ("29/02/2024", ((2024, 2, 29),)),
        ("May 2025", ((2025, 5, 0),)),
    ],
)
def test_a_date_is_read_with_every_day_it_may_be(text: str, readings: tuple[tuple[int, int, int], ...]) -> None:
    parsed = parse_date_readings(text)
    assert parsed is not None
    assert parsed.readings == readings


@pytest.mark.parametrize(
    "text", ["", "30/02/2025", "29/02/2025", "2025-13-01", "2025-01-2025", "Q1 2025", "Page 4 2025", "12:30", "x" * 50]
)
def test_other_text_has_no_date_readings(text: str) -> None:
    assert parse_date_readings(text) is None


def test_the_time_of_day_is_kept_unless_it_says_nothing() -> None:
    times = [
        parsed.time for text in ("2025-03-04T00:00:00Z", "2025-03-04 09:30:00", "2025-03-04 9:30") if (parsed := parse_date_readings(text))
    ]
    assert times == ["", "9:30", "9:30"]


def test_a_date_is_written_in_many_ways() -> None:
    spellings = spell_iso_date("2025-01-31")
    assert {"2025-01-31", "31 January 2025", "Jan 31 2025", "31.01.2025", "01/31/2025", "31/1/2025", "2025年1月31日"} <= set(spellings)
    assert spell_iso_date("2025-02-30") == spell_iso_date("soon") == []


@pytest.mark.parametrize("time", ["5:30 pm", "17:30", "17:30 UTC"])
def test_a_time_of_day_with_at_most_one_word_leaves_the_date_as_it_is(time: str) -> None:
    readings = parse_date_readings(f"03/04/2024 {time}")
    assert readings is not None
    assert (readings.readings, readings.time) == (((2024, 4, 3), (2024, 3, 4)), "17:30")
