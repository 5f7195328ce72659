"""Groups of dependent cases."""

import pytest

from fieldwise.model.case import Case, Cases
from fieldwise.score.groups import assign_groups, limit_whole_groups


def grouped(*groups: object, start: int = 0) -> Cases:
    cases = Cases.of([Case(id=f"c{start + at}", metadata={} if group is None else {"document": group}) for at, group in enumerate(groups)])
    return assign_groups("metadata.document", cases)


def test_a_group_is_read_from_the_metadata_and_a_case_without_one_is_its_own() -> None:
    assert grouped("a", 7, None, "", "a").group == ["a", "7", "c2 (no group)", "c3 (no group)", "a"]


def test_without_a_path_there_are_no_groups() -> None:
    cases = Cases.of([Case(id="c0", metadata={"document": "a"})])
    assert assign_groups(None, cases).group == []


def test_selected_cases_keep_their_groups() -> None:
    assert grouped("a", "b", "c").take([2, 0]).group == ["c", "a"]


@pytest.mark.parametrize(
    ("limit", "ids"),
    [
        (100, ["c0", "c1", "c2", "c3", "c4", "c5", "c6"]),
        (6, ["c0", "c1", "c2", "c4", "c5"]),
        (5, ["c0", "c1", "c2", "c4", "c5"]),
        (4, ["c0", "c1", "c4"]),
        (1, ["c0", "c1", "c4"]),
    ],
)
def test_a_limit_cuts_no_group_even_if_it_continues_later(limit: int, ids: list[str]) -> None:
    """Groups: a has c0 c1 c4, b has c2 c5, c has c3 c6. The first group is taken whole, whatever the limit."""
    batches = [grouped("a", "a", "b", "c"), grouped("a", "b", "c", start=4)]
    assert [case for cases in limit_whole_groups(batches, limit) for case in cases.id] == ids
