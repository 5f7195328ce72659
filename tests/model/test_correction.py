import hashlib
import json

import pytest

from fieldwise.model.correction import CorrectedRecord, Correction, CorrectionProblem, hash_value

RECORD = {"total": 5, "vendor": {"name": "Åcme"}, "items": [{"x": 1}, {"x": 2}, {"x": 3}]}


def make(path, action, value=None, old="unset"):
    old_value = {"total": 5, "items[1]": {"x": 2}, "items[1].x": 2, "items[2].x": 3}.get(path) if old == "unset" else old
    return Correction(case="a", path=path, expected_hash=hash_value(old_value), action=action, value=value)


def apply(*corrections, record=RECORD):
    corrected = CorrectedRecord(record)
    for correction in corrections:
        corrected.apply(correction)
    return corrected.value


def test_the_hash_is_that_of_canonical_json():
    text = json.dumps(RECORD, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hash_value(RECORD) == "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def test_replace_changes_one_value_and_leaves_the_data_alone():
    assert apply(make("total", "replace", 6))["total"] == 6
    assert RECORD["total"] == 5


def test_accept_also_collects_values_and_repeats_none():
    assert apply(make("total", "accept_also", 6), make("total", "accept_also", 7), make("total", "accept_also", 6))["total"] == {
        "$any": [5, 6, 7]
    }
    assert apply(make("total", "accept_also", True, old=1), record={"total": 1})["total"] == {"$any": [1, True]}


def test_drop_leaves_a_value_out_and_removes_a_list_item():
    assert apply(make("total", "drop"))["total"] == {"$any": []}
    assert apply(make("items[1]", "drop"), make("items[2].x", "replace", 9))["items"] == [{"x": 1}, {"x": 9}]


def test_a_later_correction_may_be_made_for_the_corrected_value():
    assert apply(make("total", "replace", 6), make("total", "replace", 7, old=6))["total"] == 7


def test_the_same_decision_twice_is_no_conflict_but_two_decisions_are():
    assert apply(make("total", "replace", 6), make("total", "replace", 6))["total"] == 6
    with pytest.raises(CorrectionProblem, match="earlier line") as problem:
        apply(make("total", "replace", 6), make("total", "replace", 7))
    assert problem.value.code == "stale-correction"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("total", "stale-correction"),
        ("totl", "unknown-correction"),
        ("items[9].x", "unknown-correction"),
        ("items[*].x", "unknown-correction"),
        ("items[+1].x", "unknown-correction"),
    ],
)
def test_a_stale_hash_and_an_unknown_path_are_problems(path, code):
    with pytest.raises(CorrectionProblem) as problem:
        apply(make(path, "replace", 1, old="other"))
    assert problem.value.code == code


def test_a_value_is_added_only_where_the_correction_says_that_there_was_none():
    added = Correction(case="a", path="vendor.city", expected_hash=None, action="replace", value="Oslo")
    assert apply(added)["vendor"] == {"name": "Åcme", "city": "Oslo"}
    accepted = Correction(case="a", path="vendor.city", expected_hash=None, action="accept_also", value="Oslo")
    assert apply(accepted)["vendor"]["city"] == {"$any": [None, "Oslo"]}
    with pytest.raises(CorrectionProblem):
        apply(Correction(case="a", path="seller.city", expected_hash=None, action="replace", value="Oslo"))


def test_the_whole_expected_value_can_be_replaced():
    assert apply(Correction(case="a", path="(root)", expected_hash=hash_value("yes"), action="replace", value="no"), record="yes") == "no"
