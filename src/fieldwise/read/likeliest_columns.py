"""Which columns most likely hold a side that no usual name says: what the error about a missing side names."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final, cast

from fieldwise.model.path import render_path
from fieldwise.pattern import compile_on_use
from fieldwise.read.columns import SIDE_WORDS, ColumnRoles, is_usual_id
from fieldwise.read.rows import RowBatch

_MAX_COMPARED: Final = 200
_MOST_EQUAL: Final = 0.5
_WORDS: Final = compile_on_use(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_OUTPUT_WORDS: Final = frozenset(("answer", "answers", "outputs", "predictions", "completion", "hypothesis"))
_PREDICTION_WORDS: Final = frozenset(("pred", "preds", "predicted", "prediction", "predictions", "forecast", "estimated"))
_UNLIKELY_WORDS: Final = frozenset(
    ("id", "uuid", "timestamp", "time", "date", "created", "updated", "version", "score", "index", "idx", "status", "trace", "latency")
)
"""Words in the names of columns that tools add to the two sides."""


def order_names(names: frozenset[str], rows: RowBatch) -> list[str]:
    """Names in the order of the first row, for messages; then the others alphabetically."""
    first = [name for name in rows.values[0] if name in names]
    return [*first, *sorted(names.difference(first))]


def is_prediction(name: str) -> bool:
    """True for the name of a column of predictions; beside it, statistics call the true values `actual`."""
    return not _PREDICTION_WORDS.isdisjoint(_split_words(name))


def find_likeliest_column(rows: RowBatch, roles: ColumnRoles, missing: str) -> str | None:
    """The column without a role that most likely holds the missing side; None if every other column is an id, a time or the like.

    A value inside an object such as `input` that equals most of those of the side that is there wins; then names decide, then how much the
    values resemble those; without any resemblance, the last one is taken.
    """
    present_side = roles.columns.get("expected") or roles.columns.get("actual")
    candidates: dict[str, tuple[bool, bool, float]] = {}
    inner_columns = _list_inner_columns(rows, present_side)
    for name in [*inner_columns, *_list_free_columns(rows, roles)]:
        values = [(row, _take_inner(row, inner_columns[name]) if name in inner_columns else row.get(name)) for row in rows.values]
        pairs = [(row[present_side], value) for row, value in values[:_MAX_COMPARED] if present_side in row]
        if not pairs:
            continue
        # null against null is no resemblance
        compared = [(value, candidate) for value, candidate in pairs if value is not None and candidate is not None]
        resemblance = sum(_resemblance(*pair) for pair in compared) / len(pairs)
        is_inner = name in inner_columns
        equals_most = is_inner and sum(value == candidate for value, candidate in compared) > _MOST_EQUAL * len(pairs)
        is_likely = _has_word_of(missing, name) or not _is_unlikely(name)
        if equals_most or (is_likely and not is_inner):
            candidates[name] = (equals_most, _has_word_of(missing, name), resemblance)
    return max(reversed(candidates), key=candidates.__getitem__, default=None)


def _list_inner_columns(rows: RowBatch, present_side: str | None) -> dict[str, tuple[str, str]]:
    """Path → column and key, for the objects that the first row has beside the side that is there."""
    return {
        render_path((column, key)): (column, key)
        for column, value in rows.values[0].items()
        if isinstance(value, dict) and column != present_side
        for key in cast("dict[str, Any]", value)
    }


def _take_inner(row: dict[str, Any], place: tuple[str, str]) -> Any:
    value = row.get(place[0])
    return cast("dict[str, Any]", value).get(place[1]) if isinstance(value, dict) else None


def find_likeliest_sides(rows: RowBatch, roles: ColumnRoles) -> dict[str, str]:
    """`expected` and `actual` → the columns that most likely hold them, as far as names or equal words suggest any."""
    names = [name for name in _list_free_columns(rows, roles) if not _is_unlikely(name)]
    sides: dict[str, str] = {}
    for side in ("expected", "actual"):
        named = [name for name in names if name not in sides.values() and _has_word_of(side, name)]
        if named:
            sides[side] = named[0]
    if sides:
        return sides
    shared = {pair: _share_words(rows, *pair) for pair in combinations(names, 2)}
    best = max(shared, key=shared.__getitem__, default=None)
    return {"expected": best[0], "actual": best[1]} if best and shared[best] else {}


def _list_free_columns(rows: RowBatch, roles: ColumnRoles) -> Sequence[str]:
    names = order_names(frozenset().union(*rows.values), rows)
    return [name for name in names if name.strip() and name not in roles.used]


def _split_words(name: str) -> list[str]:
    """The words of a name in snake_case, camelCase or with separators.

    >>> _split_words("expectedMessages"), _split_words("model_answer")
    (['expected', 'messages'], ['model', 'answer'])
    """
    return [word.casefold() for word in _WORDS.findall(name)]


def _has_word_of(side: str, name: str) -> bool:
    words = SIDE_WORDS[side] | (_OUTPUT_WORDS if side == "actual" else frozenset())
    return not words.isdisjoint(_split_words(name)) and not _is_unlikely(name)


def _is_unlikely(name: str) -> bool:
    return is_usual_id(name) or not _UNLIKELY_WORDS.isdisjoint(_split_words(name))


def _share_words(rows: RowBatch, expected: str, actual: str) -> float:
    """The mean share of words that two columns have in common, of texts and objects only: equal flags and counts mean nothing."""
    kinds = (str, dict, list)
    pairs = [(row[expected], row[actual]) for row in rows.values[:_MAX_COMPARED] if expected in row and actual in row]
    shares = [_resemblance(*pair) - 1 for pair in pairs if type(pair[0]) is type(pair[1]) and isinstance(pair[0], kinds)]
    return sum(shares) / len(pairs) if pairs else 0.0


def _resemblance(value: Any, candidate: Any) -> float:
    """How much two values look like two sides of a case: 1 for the same kind, and up to 1 for the words they share."""
    words, candidate_words = (set(str(side).casefold().split()) for side in (value, candidate))
    shared = len(words & candidate_words) / max(len(words), 1)
    return (type(value) is type(candidate)) + shared
