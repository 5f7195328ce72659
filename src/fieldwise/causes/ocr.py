"""Characters that look alike in print: 0 and O, 1 and l and I, 5 and S, 8 and B, 2 and Z, rn and m, cl and d, vv and w."""

from fieldwise.kernels.text_normalize import letters_and_digits, looks
from fieldwise.kernels.written_numbers import as_number, plain
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import cause

LABEL = "look-alike characters"
ADVICE = "The source was misread: improve the scan or the OCR, or check such codes against a list or a checksum."
SCREEN = ("look alike", "other kinds")


@cause(rank=200, label=LABEL, advice=ADVICE, screens=SCREEN)
def ocr(expected: Json, actual: Json, _context: Context) -> bool:
    """Whether both look the same in print and yet are different characters."""
    one, other = _letters(expected), _letters(actual)
    return one != other and len(one) > 0 and looks(one) == looks(other)


def _letters(value: Json) -> str:
    if isinstance(value, str):
        return letters_and_digits(value)
    number = as_number(value)
    return "" if number is None else plain(number).replace(".", "")
