"""Cases whose expected values differ between two runs, so that a change of their scores may come from the labels."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.statistics import hash_texts
from fieldwise.model.correction import hash_value
from fieldwise.model.redaction import PREFIX
from fieldwise.store.comparison_table import decode_value
from fieldwise.store.part_reader import list_part_files, read_table
from fieldwise.store.run import Run


def note_changed_expected(changed: int, common: int) -> list[str]:
    """A note about a comparison in which the expected values of `changed` of `common` cases differ; none if they all agree."""
    if not changed:
        return []
    return [f"the expected values of {changed} of {common} common cases differ, so a change may come from the labels"]


def note_edited_since(base: Mapping[str, str | None], run: Run) -> list[str]:
    """As `note_changed_expected`, for a base that has only shortened hashes of the expected values, by case."""
    current = hash_expected_values(run, base)
    changed = sum(base[case_id] != shorten_hash(text) for case_id, text in current.items())
    return note_changed_expected(changed, len(current))


def find_changed_expected(base: Run, base_ids: Sequence[str], new: Run, new_ids: Sequence[str]) -> list[str]:
    """The ids of the common cases whose expected values differ; the order of keys does not count."""
    base_texts = dict(zip(base_ids, _hash_expected_texts(base).tolist(), strict=True))
    suspects: set[str] = set()
    for case_id, text_hash in zip(new_ids, _hash_expected_texts(new).tolist(), strict=True):
        if base_texts.get(case_id, text_hash) != text_hash:
            suspects.add(case_id)
    if not suspects:
        return []
    base_values, new_values = hash_expected_values(base, suspects), hash_expected_values(new, suspects)
    return [case_id for case_id in new_ids if case_id in suspects and base_values[case_id] != new_values[case_id]]


def hash_expected_values(run: Run, ids: Collection[str]) -> dict[str, str | None]:
    """A hash of the expected value of each of these cases of a run, as canonical JSON; None for a case without one."""
    chosen_ids = frozenset(ids)
    return {case_id: hash_value(_mask_redacted(decode_value(text))) for case_id, text in _iterate_expected(run) if case_id in chosen_ids}


def _mask_redacted(value: Any) -> Any:
    """The value without the hashes of redacted ones, which differ from run to run."""
    if isinstance(value, str):
        return PREFIX if value.startswith(PREFIX) else value
    if isinstance(value, dict):
        return {key: _mask_redacted(inner) for key, inner in cast("dict[str, Any]", value).items()}
    return [_mask_redacted(inner) for inner in cast("list[Any]", value)] if isinstance(value, list) else value


def shorten_hash(text: str | None) -> str | None:
    """The first eight digits of a hash: enough to tell an edited value from the same one."""
    return None if text is None else text.removeprefix("sha256:")[:8]


def _iterate_expected(run: Run) -> Iterator[tuple[str, str | None]]:
    for part in run.parts:
        for file in list_part_files(part, "cases"):
            table = read_table(run.path, file, columns=["id", "expected"])
            yield from zip(table["id"].to_pylist(), table["expected"].to_pylist(), strict=True)


def _hash_expected_texts(run: Run) -> NDArray[np.uint64]:
    """A hash of the stored text of each expected value, in the order of the cases."""
    hashes: list[NDArray[np.uint64]] = []
    for part in run.parts:
        for file in list_part_files(part, "cases"):
            texts = read_table(run.path, file, columns=["expected"])["expected"].to_pylist()
            hashes.append(hash_texts([text or "" for text in texts]))
    return np.concatenate(hashes) if hashes else np.empty(0, dtype=np.uint64)
