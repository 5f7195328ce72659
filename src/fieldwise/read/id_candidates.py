"""Several columns that could be the id: which of them do not identify the rows, by their values.

Called by the readers of rows and of two sides, with the first rows. Names alone do not decide between `doc_id` and `question_id`.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Final, TypeAlias

from fieldwise.kernels.values import to_nfc
from fieldwise.model.values import MISSING
from fieldwise.read.case_builder import render_id
from fieldwise.read.columns import fold_name, list_id_candidates
from fieldwise.read.side_mapping import locate

IdValues: TypeAlias = Mapping[str, frozenset[str] | None]
"""Candidate → its values; None if they repeat, or if a row has none."""
MAX_EVIDENCE_ROWS: Final = 256
"""Number of rows whose values decide: the same for every size of a batch, so that `check` and `run` decide alike."""
REPEATED: Final = "it does not have one value for each row"
UNPAIRED: Final = "its values do not pair the two sides"


def collect_id_values(rows: Sequence[Mapping[str, Any]], candidates: Sequence[str]) -> dict[str, frozenset[str] | None]:
    """The values of each candidate in these rows; rows that could not be read are empty and do not count."""
    values_by_candidate: dict[str, frozenset[str] | None] = {}
    readable = [row for row in rows if row]
    for name in candidates:
        values = [locate(row, name) for row in readable]
        texts = frozenset(to_nfc(render_id(value)) for value in values if value is not MISSING and value is not None and value != "")
        values_by_candidate[name] = texts if len(texts) == len(readable) else None
    return values_by_candidate


def find_repeating_ids(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Candidate → why it is not the id, if the values of exactly one of several candidates identify the rows; otherwise empty."""
    candidates = list_id_candidates(names)
    if len(candidates) < 2:
        return {}
    values = collect_id_values(rows, candidates)
    if sum(values[name] is not None for name in candidates) != 1:
        return {}
    return {name: REPEATED for name in candidates if values[name] is None}


def find_unpaired_ids(expected: IdValues, actual: IdValues) -> tuple[dict[str, str], dict[str, str]]:
    """For each side, candidate → why it is not the id, if exactly one pair of candidates can pair the rows; otherwise empty.

    Candidates of the same name on both sides come first: `doc_id` is not paired with `question_id` if both sides have it.
    """
    pairs = list(product(expected, actual))
    same_name = [(left, right) for left, right in pairs if fold_name(left) == fold_name(right)]
    pairs = same_name or pairs
    unique = [(left, right) for left, right in pairs if expected[left] is not None and actual[right] is not None]
    shared = [(left, right) for left, right in unique if (expected[left] or frozenset()) & (actual[right] or frozenset())]
    chosen = next((matches[0] for matches in (pairs, unique, shared) if len(matches) == 1), None)
    if chosen is None:
        return {}, {}
    return _explain_others(expected, chosen[0]), _explain_others(actual, chosen[1])


def _explain_others(values: IdValues, chosen: str) -> dict[str, str]:
    return {name: REPEATED if values[name] is None else UNPAIRED for name in values if name != chosen}


def find_joint_id(rows: Sequence[Mapping[str, Any]], id_column: str) -> tuple[str, str] | None:
    """The column of the ids that repeat, and the one that identifies the rows together with it; None if none does.

    Of several, the one with the fewest values: a system or a line, and not an answer that happens to differ.

    >>> rows = [{"qid": "q1", "arm": arm, "text": text} for arm, text in zip("aabb", "wxyz")]
    >>> rows[1]["qid"] = rows[3]["qid"] = "q2"
    >>> find_joint_id(rows, "qid")
    ('qid', 'arm')
    """
    best: str | None = None
    fewest = len(rows)
    for name in rows[0] if rows else ():
        values = [row.get(name) for row in rows]
        if name == id_column or not all(isinstance(value, str | int) and value != "" for value in values):
            continue
        count = len({str(value) for value in values})
        pairs = {(str(row.get(id_column)), str(value)) for row, value in zip(rows, values, strict=True)}
        if count < fewest and len(pairs) == len(rows):
            best, fewest = name, count
    return None if best is None else (id_column, best)
