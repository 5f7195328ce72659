"""Inspect."""

import copy

from importer_samples import load_sample, read_sample

from fieldwise.read.imported_files import read_documents


def test_the_text_of_the_first_choice_is_compared_with_the_target() -> None:
    first, second, third = read_sample("inspect")
    assert (first.id, first.input, first.record, first.expected) == ("1", "Capital of France?", "Paris", "Paris")
    assert first.metadata == {"region": "Europe"}
    assert second.record == {"total": 6}
    assert second.expected == {"$any": ['{"total": 5}', '{"total": 5.0}']}
    assert third.record is None


def test_epochs_of_a_sample_have_ids_of_their_own() -> None:
    log = load_sample("inspect")
    repeated = copy.deepcopy(log["samples"][0])
    repeated["epoch"] = 2
    log["samples"].append(repeated)
    assert [record.id for record in read_documents("auto", log)] == ["1:1", "2:1", "3:1", "1:2"]
