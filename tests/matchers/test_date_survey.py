"""Misread ISO dates are not read to survey a column; they would show nothing."""

import random

from fieldwise.kernels.calendar_moment import Moment
from fieldwise.kernels.moments import DateReading, read_moment
from fieldwise.kernels.month_spellings import list_month_names
from fieldwise.matchers._date_survey import _is_misread_iso_date  # pyright: ignore[reportPrivateUsage]

WORDS = "O l I a e i o u t h z w am pm lo th st de of m utc r g iv ii on mon 10h30 uhr".split()  # noqa: SIM905


def test_texts_with_misread_digits_are_recognized() -> None:
    assert all(map(_is_misread_iso_date, ("2O25-lO-12", "202o-09-09", "2l-10-2025", "2025-1")))
    assert not any(map(_is_misread_iso_date, ("12-mar-2025", "13-04-2025", "13/04/2O25", "5 May 2025")))


def test_what_is_not_read_shows_nothing() -> None:
    rng = random.Random(5)
    words = [*WORDS, *sorted(name for name in list_month_names() if name.isascii() and name.isalpha())[::40]]
    for _ in range(3000):
        parts = [rng.choice((str(rng.randrange(100)), str(rng.randrange(1990, 2030)), "-", rng.choice(words))) for _ in range(6)]
        text = "".join(parts)
        moment = read_moment(text, DateReading()) if _is_misread_iso_date(text) else None
        assert moment is None or (isinstance(moment, Moment) and not moment.numeric_order and not moment.month_languages)
