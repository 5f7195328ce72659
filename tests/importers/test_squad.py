"""SQuAD."""

from typing import Any

import pytest
from importer_samples import read_sample

from fieldwise.model.values import MISSING
from fieldwise.read.imported_files import read_documents


def test_a_question_has_its_accepted_answers_and_its_paragraph() -> None:
    first, _, third = read_sample("squad")
    assert (first.id, first.input) == ("q-1", "What is the capital of Austria?")
    assert first.expected == {"$any": ["Vienna", "Vienna is the capital"]}
    assert first.contexts == ["Vienna is the capital of Austria."]
    assert first.metadata == {"title": "Cities"}
    assert third.expected == "2,850 km"


def test_a_question_without_an_answer_expects_an_empty_one() -> None:
    assert read_sample("squad")[1].expected == ""


@pytest.mark.parametrize(
    "document",
    [
        {"context": "c", "qas": [{"qid": "a", "question": "q", "answers": ["x"]}]},
        [{"context_text": "c", "qas": [{"query_id": "a", "query_text": "q", "answers": ["x"]}]}],
        {"data": [{"paragraphs": [{"context": "c", "qas": [{"id": "a", "question": "q", "answer": "x"}]}]}]},
    ],
)
def test_paragraphs_of_sets_that_follow_squad_are_read(document: Any) -> None:
    [record] = read_documents("auto", document)
    assert (record.id, record.input, record.expected, record.contexts) == ("a", "q", "x", ["c"])


def test_a_question_of_a_test_set_says_nothing_of_its_answer() -> None:
    [record] = read_documents("squad", {"data": [{"paragraphs": [{"context": "c", "qas": [{"id": "a", "question": "q"}]}]}]})
    assert record.expected is MISSING
