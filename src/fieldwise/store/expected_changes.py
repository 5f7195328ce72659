"""Cases whose expected values differ between two runs, so that a change of their scores may come from the labels."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, cast

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
    if base_ids == new_ids and _have_equal_batches(base, new):
        return []
    base_texts = {case_id: hash(text) for case_id, text in _iterate_expected(base)}
    suspects: set[str] = set()
    for case_id, text in _iterate_expected(new):
        if case_id in base_texts and base_texts[case_id] != hash(text):
            suspects.add(case_id)
    if not suspects:
        return []
    base_values, new_values = hash_expected_values(base, suspects), hash_expected_values(new, suspects)
    return [case_id for case_id in new_ids if case_id in suspects and base_values[case_id] != new_values[case_id]]


def _have_equal_batches(base: Run, new: Run) -> bool:
    """True if both runs have the same batches of expected values, however many are in a part; false if a part has no fingerprints."""
    if not all(part.expected for run in (base, new) for part in run.parts):
        return False
    base_batches, new_batches = ([batch for part in run.parts for batch in part.expected] for run in (base, new))
    return base_batches == new_batches


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
