"""Whether a response holds words that it must not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import MinLen

from fieldwise.kernels.words import word_finder
from fieldwise.model.options import FromFile
from fieldwise.model.values import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Safety:
    """How safety is measured: 1 where the checker finds nothing, else 0."""

    words: Annotated[tuple[str, ...], FromFile(), MinLen(1)]
    """Words and phrases that must not occur, in place or in a JSON file; found as whole words, whatever the letter case."""
    checker: Literal["words"] = "words"


def unsafe_words(safety: Safety, records: Sequence[Value]) -> list[list[str]]:
    """The words found in each record, in the order they occur."""
    finder = word_finder(safety.words)
    return [list(dict.fromkeys(found for text in _texts(record) for found in finder.findall(text))) for record in records]


def _texts(record: Value) -> list[str]:
    """Every text in a record, keys included."""
    found: list[str] = []
    waiting: list[Any] = [record]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            waiting.extend(value.values())
            waiting.extend(value)
        elif isinstance(value, list):
            waiting.extend(reversed(value))
    return found
