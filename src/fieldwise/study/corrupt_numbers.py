"""Corruptions of numbers, and of amounts and quantities in text: each cause of a numeric mismatch run backwards.

A number in text keeps everything around its digits: currency, unit, decimal mark.

>>> scale_up(7.42, 0, 2), scale_up("EUR 7,42", 0, 2), lose_decimal_point("RM7.42", 0, 2), change_currency("EUR 7,42", 0, 2)
(74.2, 'EUR 74,20', 'RM742', 'USD 7,42')
"""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Final

from fieldwise.kernels.amounts import Figure, find_decimal_mark, read_figure
from fieldwise.kernels.currencies import currencies_of
from fieldwise.kernels.measures import read_quantity
from fieldwise.kernels.numbers import format_number
from fieldwise.study import corrupt_text

Numeric = int | float | str
"""A number, or a text that is one."""

_NUMERAL: Final = re.compile(r"[0-9](?:[0-9]|[.,' \u00a0\u202f](?=[0-9]))*")
_UNITS: Final = ("kg", "m", "l", "h")
_MIN_ROUNDED_DIGITS: Final = 4
_CURRENCY_PAIRS: Final = {"$": "€", "€": "$", "£": "€", "¥": "$"}
_CODE: Final = re.compile(r"[A-Z]{3}")


def change_digit(value: Numeric, pick: int, decimals: int) -> Numeric | None:
    """One digit as another one."""
    del decimals
    if isinstance(value, str):
        return corrupt_text.change_digit(value, pick)
    return _edit_digits(value, lambda digits: corrupt_text.change_digit(digits, pick))


def swap_digits(value: Numeric, pick: int, decimals: int) -> Numeric | None:
    """Two neighbouring digits that change places."""
    del decimals
    if isinstance(value, str):
        numeral = _NUMERAL.search(value)
        swapped = corrupt_text.swap_neighbours(numeral[0], pick) if numeral is not None else None
        return None if numeral is None or swapped is None else f"{value[: numeral.start()]}{swapped}{value[numeral.end() :]}"
    return _edit_digits(value, lambda digits: corrupt_text.swap_neighbours(digits, pick))


def _edit_digits(value: float, edit: Callable[[str], str | None]) -> int | float | None:
    """The number with its written digits edited; None if it then begins with a zero, which is not how numbers are written."""
    edited = edit(format_number(abs(value)))
    if edited is None or (edited[0] == "0" and not edited.startswith("0.")):
        return None
    number = int(edited) if isinstance(value, int) else float(edited)
    return -number if value < 0 else number


def scale_up(value: Numeric, pick: int, decimals: int) -> Numeric | None:
    """Ten times the number."""
    del pick, decimals
    return _change_number(value, lambda number: number * 10)


def flip_sign(value: Numeric, pick: int, decimals: int) -> Numeric | None:
    """The number with the opposite sign."""
    del pick, decimals
    if isinstance(value, str):
        figure = read_figure(value)
        if figure is None or not figure.value:
            return None
        flipped = re.sub(r"^-\s*|[()]", "", value.strip()) if figure.value < 0 else f"-{value.strip()}"
        return _if_read_as(flipped, figure, -figure.value)
    return -value if value else None


def lose_decimal_point(value: Numeric, pick: int, decimals: int) -> Numeric | None:
    """The digits of a number with decimals as a whole number."""
    del pick, decimals

    def lose(number: Decimal) -> Decimal | None:
        if number == number.to_integral_value():
            return None
        scale = max(2, -int(number.as_tuple().exponent))
        whole = number.scaleb(scale).to_integral_value()
        return whole if abs(whole) >= 100 else None

    return _change_number(value, lose, as_integer=True)


def round_off(value: Numeric, pick: int, decimals: int) -> Numeric | None:
    """The number with a decimal less, or an integer with three significant digits."""
    del pick, decimals

    def round_number(number: Decimal) -> Decimal | None:
        places = -int(number.normalize().as_tuple().exponent)
        if places > 0:
            return number.quantize(Decimal(1).scaleb(1 - places))
        digits = len(str(abs(int(number))))
        return Decimal(round(int(number), 3 - digits)) if digits >= _MIN_ROUNDED_DIGITS else None

    return _change_number(value, round_number)


def add_last_unit(value: Numeric, pick: int, decimals: int) -> Numeric | None:
    """One more in the last decimal that the field's numbers have, or that the text has: a cent, or 1."""
    del pick
    if isinstance(value, str):
        numeral = _NUMERAL.search(value)
        decimals = _count_written_decimals(value, numeral[0]) if numeral is not None else 0
    return _change_number(value, lambda number: number + Decimal(1).scaleb(-decimals))


def change_currency(value: Numeric, pick: int, decimals: int) -> Numeric | None:
    """Another currency beside the same amount."""
    del pick, decimals
    if not isinstance(value, str):
        return None
    figure = read_figure(value.strip())
    if figure is None:
        is_code = bool(_CODE.fullmatch(value.strip()) or value.strip() in _CURRENCY_PAIRS) and bool(currencies_of(value))
        return _other_currency(value.strip(), currencies_of(value)) if is_code else None
    if not figure.currencies:
        return None
    numeral = _NUMERAL.search(value)
    if numeral is None:
        return None
    for start, end in ((0, numeral.start()), (numeral.end(), len(value))):
        name = value[start:end].strip(" -+()\u00a0\u202f")
        if name and currencies_of(name):
            changed = value[:start] + value[start:end].replace(name, _other_currency(name, currencies_of(name))) + value[end:]
            reading = read_figure(changed)
            return changed if reading is not None and reading.currencies.isdisjoint(figure.currencies) else None
    return None


def _other_currency(name: str, codes: frozenset[str]) -> str:
    if name in _CURRENCY_PAIRS:
        return _CURRENCY_PAIRS[name]
    return "EUR" if "USD" in codes else "USD"


def drop_currency(value: Numeric, pick: int, decimals: int) -> Numeric | None:
    """The amount without its currency."""
    del pick, decimals
    figure = read_figure(value) if isinstance(value, str) else None
    if figure is None or not figure.currencies:
        return None
    numeral = _NUMERAL.search(str(value))
    return _if_read_as(numeral[0], Figure(figure.value), figure.value) if numeral is not None else None


def change_unit(value: Numeric, pick: int, decimals: int) -> Numeric | None:
    """Another unit beside the same number."""
    del pick, decimals
    quantity = read_quantity(value) if isinstance(value, str) else None
    numeral = _NUMERAL.search(value) if isinstance(value, str) else None
    if quantity is None or not quantity.units or numeral is None or not isinstance(value, str):
        return None
    tail = value[numeral.end() :]
    name = tail.strip()
    if not name:
        return None
    for unit in _UNITS:
        changed = f"{value[: numeral.end()]}{tail.replace(name, unit)}"
        reading = read_quantity(changed)
        if reading is not None and reading.units and reading.units.isdisjoint(quantity.units):
            return changed
    return None


def rewrite_number(value: Numeric, pick: int, decimals: int) -> Numeric | None:
    """The same number in another format: grouped as text, or plain where the text has more than digits."""
    del pick, decimals
    if isinstance(value, str):
        figure = read_figure(value)
        return None if figure is None or figure.units or figure.percent else format_number(figure.value)
    return f"{value:,.2f}" if value == round(value, 2) else f"{value:,}"


def write_as_text(value: Numeric, pick: int, decimals: int) -> Numeric | None:
    """A number as its plain text; text of a number as the number."""
    del pick, decimals
    if isinstance(value, str):
        return int(value) if re.fullmatch(r"[1-9][0-9]{0,15}", value) else None
    return format_number(value)


def _change_number(value: Numeric, change: Callable[[Decimal], Decimal | None], *, as_integer: bool = False) -> Numeric | None:
    """The value with its number changed, in decimal arithmetic; a text keeps everything around the number."""
    if not isinstance(value, str):
        changed = change(Decimal(format_number(value)))
        if changed is None:
            return None
        return int(changed) if isinstance(value, int) and changed == changed.to_integral_value() else float(changed)
    figure = read_figure(value)
    numeral = _NUMERAL.search(value)
    if figure is None or numeral is None:
        return None
    number = Decimal(format_number(abs(figure.value)))
    written_decimals = _count_written_decimals(value, numeral[0])
    changed = change(number)
    if changed is None:
        return None
    places = 0 if as_integer else max(written_decimals, -int(changed.as_tuple().exponent), 0)
    mark = "," if find_decimal_mark(value) == "," else "."
    text = f"{changed:.{places}f}".replace(".", mark)
    signed = float(changed) if figure.value >= 0 else -float(changed)
    return _if_read_as(f"{value[: numeral.start()]}{text}{value[numeral.end() :]}", figure, signed)


def _count_written_decimals(text: str, numeral: str) -> int:
    mark = find_decimal_mark(text)
    if not mark:
        return 0
    return len(numeral.rpartition("," if mark == "," else ".")[2])


def _if_read_as(text: str, figure: Figure, number: float) -> str | None:
    """The text, if it reads as this number with the same currency and unit; a reader may see something else in it."""
    reading = read_figure(text)
    if reading is None or abs(reading.value - number) > 1e-9 * abs(number):
        return None
    return text if reading.currencies == figure.currencies and reading.units == figure.units else None
