"""Word pieces, against what the tokenizer the model was trained with gives."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise
from fieldwise.kernels.meaning.wordpiece import encode_pieces, find_unknown_words, split_model_words, unreadable_share

MODEL = Path(fieldwise.__file__).parent / "ask/models/all-minilm-l6-v2"
VOCABULARY = {piece: number for number, piece in enumerate((MODEL / "vocab.txt").read_text(encoding="utf-8").splitlines())}
REFERENCE = [json.loads(line) for line in Path(__file__).with_name("reference_tokens.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("reference", REFERENCE, ids=lambda reference: ascii(reference["text"])[:30])
def test_pieces_are_those_of_the_reference_tokenizer(reference: dict[str, object]) -> None:
    assert encode_pieces(str(reference["text"]), VOCABULARY) == reference["ids"]


def test_the_vocabulary_is_the_one_the_model_was_trained_with() -> None:
    digest = hashlib.sha256((MODEL / "vocab.txt").read_bytes()).hexdigest()
    assert digest == "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


def test_a_mark_of_the_model_written_in_a_text_is_plain_text() -> None:
    assert VOCABULARY["[SEP]"] not in encode_pieces("a [SEP] b", VOCABULARY)


def test_words_the_vocabulary_cannot_spell_are_named_once_each() -> None:
    assert find_unknown_words("发票 and 发票", VOCABULARY) == ("发", "票")
    assert find_unknown_words("Straße", VOCABULARY) == ()


@pytest.mark.parametrize(
    ("text", "share"), [("Привет", 1.0), ("Straße", 0.0), ("合同", 0.0), ("№5 ok", 0.0), ("?!", 1.0), ("", 1.0), ("ok да", 0.5)]
)
def test_letters_spelled_one_by_one_are_blurred(text: str, share: float) -> None:
    assert unreadable_share(text, VOCABULARY) == share


@given(st.text(max_size=20))
@settings(deadline=None, max_examples=60)
def test_any_share_is_between_none_and_all(text: str) -> None:
    assert 0.0 <= unreadable_share(text, VOCABULARY) <= 1.0


@given(st.text(max_size=20))
@settings(deadline=None, max_examples=60)
def test_any_text_has_pieces_of_the_vocabulary(text: str) -> None:
    assert all(0 <= piece < len(VOCABULARY) for piece in encode_pieces(text, VOCABULARY))


@given(st.text(alphabet="abc é.,合1", max_size=12))
@settings(deadline=None, max_examples=60)
def test_letter_case_and_accents_make_no_difference(text: str) -> None:
    assert split_model_words(text) == split_model_words(text.upper())
    assert split_model_words(text) == split_model_words(text.replace("é", "e"))
