"""Two neighbouring characters or digits that changed places."""

from fieldwise.kernels.text_normalize import letters_and_digits
from fieldwise.kernels.written_dates import written_date
from fieldwise.kernels.written_numbers import aligned_digits, as_number
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import cause

LABEL = "neighbouring characters swapped"
ADVICE = "A slip of typing or reading: check such values against a list, a sum or a checksum."
SCREEN = ("swapped", "swapped digits")


@cause(rank=210, label=LABEL, advice=ADVICE, screens=SCREEN)
def transposed(expected: Json, actual: Json, _context: Context) -> bool:
    """Whether exchanging two neighbours makes both the same. A date is never a transposed other date: days differ by more than a slip."""
    if isinstance(expected, str) and isinstance(actual, str):
        return _is_swap(letters_and_digits(expected), letters_and_digits(actual)) and (
            written_date(expected) is None or written_date(actual) is None
        )
    if isinstance(expected, str) or isinstance(actual, str):
        return False
    one, other = as_number(expected), as_number(actual)
    if one is None or other is None or (one < 0) != (other < 0):
        return False
    return _is_swap(*aligned_digits(one, other))


def _is_swap(one: str, other: str) -> bool:
    """
    >>> _is_swap("recieve", "receive"), _is_swap("1234", "1324"), _is_swap("1234", "4231"), _is_swap("aa", "aa")
    (True, True, False, False)
    """
    if len(one) != len(other):
        return False
    for at, char in enumerate(one):
        if char != other[at]:
            return one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
    return False
