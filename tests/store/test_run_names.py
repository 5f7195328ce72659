"""Tags: names for runs that any number of processes may give at once."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fieldwise.store.run_names import RunNotFound, add_tags, find_run, is_valid_tag, read_tags, remove_tags

IDS = ("20260101-000000-000aaaa", "20260102-000000-000bbbb", "20260103-000000-000cccc")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in IDS:
        (tmp_path / "runs" / name).mkdir(parents=True)
    return tmp_path


def folder(root: Path, place: int) -> Path:
    return root / "runs" / IDS[place]


def test_tags_are_told_by_name_and_go_again(root: Path) -> None:
    add_tags(folder(root, 0), ["nightly", "a", "nightly"])
    assert read_tags(folder(root, 0)) == ("a", "nightly")
    assert remove_tags(folder(root, 0), ["a", "b"]) == ["b"]
    assert read_tags(folder(root, 0)) == ("nightly",)
    assert read_tags(folder(root, 1)) == ()


def test_no_writer_undoes_what_another_did(root: Path) -> None:
    names = [f"t{number}" for number in range(64)]
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda name: add_tags(folder(root, 0), [name, "shared"]), names))
        list(pool.map(lambda name: remove_tags(folder(root, 0), [name]), names[::2]))
    assert set(read_tags(folder(root, 0))) == {*names[1::2], "shared"}


@pytest.mark.parametrize("name", ["", "latest", "2026", "20260101-000000-000aaaa", "../up", "a/b", ".hidden", "a b", "x" * 65, "ünter"])
def test_a_name_that_could_be_something_else_is_refused_before_anything_is_written(root: Path, name: str) -> None:
    assert not is_valid_tag(name)
    with pytest.raises(ValueError, match="begins with a letter"):
        add_tags(folder(root, 0), ["good", name])
    assert read_tags(folder(root, 0)) == ()


def test_a_tag_means_the_latest_run_that_has_it(root: Path) -> None:
    add_tags(folder(root, 0), ["nightly"])
    add_tags(folder(root, 1), ["nightly"])
    assert find_run(root, "nightly") == folder(root, 1)
    assert find_run(root, "latest") == folder(root, 2)
    assert find_run(root, "20260101") == folder(root, 0)


def test_a_name_means_the_latest_run_that_has_it_unless_it_is_a_tag(root: Path) -> None:
    for place, name in enumerate(("gem", "gem", "prompt 2")):
        (folder(root, place) / "manifest.json").write_text(json.dumps({"label": name}))
    assert find_run(root, "gem") == folder(root, 1)
    assert find_run(root, "prompt 2") == folder(root, 2)
    add_tags(folder(root, 0), ["gem"])
    assert find_run(root, "gem") == folder(root, 0)
    with pytest.raises(RunNotFound, match="did you mean `prompt 2`"):
        find_run(root, "prompt 3")


def test_a_name_with_which_several_ids_begin_is_still_a_name(root: Path) -> None:
    shared = "202601"
    with pytest.raises(RunNotFound, match="give more of the id"):
        find_run(root, shared)
    (folder(root, 1) / "manifest.json").write_text(json.dumps({"label": shared}))
    assert find_run(root, shared) == folder(root, 1)


def test_a_run_that_is_not_there_is_told_with_the_nearest_name(root: Path) -> None:
    add_tags(folder(root, 0), ["nightly"])
    with pytest.raises(RunNotFound, match="did you mean `nightly`"):
        find_run(root, "nightli")
    with pytest.raises(RunNotFound, match=r"may be any of .*give more of the id"):
        find_run(root, "2026")
    with pytest.raises(RunNotFound, match="the latest: 20260101"):
        find_run(root, "xyz")
