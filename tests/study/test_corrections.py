import threading

import pytest

from fieldwise.model.correction import Correction, CorrectionProblem, find_value, hash_value
from fieldwise.model.diagnostic import ConfigError
from fieldwise.read.corrections import correct_expected, parse_record
from fieldwise.study.corrections import (
    append_correction,
    find_corrections_file,
    list_lines,
    load_corrections,
    undo_correction,
)

EXPECTED = {"total": 5, "items": [{"x": number} for number in range(20)]}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "corrections.jsonl"


def correct(file, path, action, value=None, seen=None, **options):
    if seen is None:
        current, _ = correct_expected(EXPECTED, load_corrections(file), "a")
        seen = find_value(parse_record(current), path)
    correction = Correction(case="a", path=path, expected_hash=hash_value(seen), action=action, value=value, **options)
    return append_correction(file, correction, EXPECTED)


def test_a_correction_is_appended_and_applies(file):
    correct(file, path="total", action="replace", value=6, by="ann", why="read again")
    value, problems = correct_expected(EXPECTED, load_corrections(file), "a")
    assert value["total"] == 6
    assert not problems
    [(_, correction)] = list_lines(file)
    assert (correction.by, correction.why) == ("ann", "read again")
    assert correction.at


def test_undo_takes_a_correction_back_once(file):
    name = correct(file, path="total", action="replace", value=6)
    undo_correction(file, name, by="ann")
    assert not load_corrections(file).corrections
    with pytest.raises(ConfigError):
        undo_correction(file, name)
    assert file.read_bytes().count(b"\n") == 2


def test_a_decision_about_a_value_that_another_person_has_changed_is_refused(file):
    correct(file, path="total", action="replace", value=6, by="ann")
    with pytest.raises(CorrectionProblem):
        correct(file, path="total", action="replace", value=7, by="bob", seen=5)
    assert len(list_lines(file)) == 1
    correct(file, path="total", action="replace", value=7, by="bob")
    assert correct_expected(EXPECTED, load_corrections(file), "a")[0]["total"] == 7


def test_an_unknown_path_writes_nothing(file):
    with pytest.raises(CorrectionProblem):
        correct(file, path="totl.x", action="replace", value=6)
    assert not file.read_bytes()


def test_writers_at_the_same_time_lose_nothing(file):
    def write(start):
        for number in range(start, start + 10):
            correct(file, path=f"items[{number}].x", action="replace", value=-number)

    threads = [threading.Thread(target=write, args=(start,)) for start in (0, 10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    value, problems = correct_expected(EXPECTED, load_corrections(file), "a")
    assert [item["x"] for item in value["items"]] == [-number for number in range(20)]
    assert not problems


def test_the_rest_of_an_interrupted_write_is_removed_by_the_next_writer(file):
    correct(file, path="total", action="replace", value=6)
    complete = file.read_bytes()
    file.write_bytes(complete + b'{"case": "a", "pa')
    correct(file, path="items[0].x", action="drop")
    assert file.read_bytes().startswith(complete)
    assert len(list_lines(file)) == 2


def test_the_file_is_beside_the_data(tmp_path):
    assert find_corrections_file(tmp_path / "gold" / "*.json") == tmp_path / "gold" / "corrections.jsonl"
    assert find_corrections_file(tmp_path / "data.jsonl") == tmp_path / "corrections.jsonl"
    assert find_corrections_file(tmp_path) == tmp_path / "corrections.jsonl"


def test_a_run_that_applied_earlier_corrections_can_be_corrected_further(file):
    correct(file, path="total", action="replace", value=6)
    stored = {**EXPECTED, "total": 6}
    further = Correction(case="a", path="items[0].x", expected_hash=hash_value(0), action="replace", value=9)
    append_correction(file, further, stored)
    again = Correction(case="a", path="total", expected_hash=hash_value(6), action="replace", value=7)
    append_correction(file, again, stored)
    value, problems = correct_expected(EXPECTED, load_corrections(file), "a")
    assert (value["total"], value["items"][0]["x"]) == (7, 9)
    assert not problems
