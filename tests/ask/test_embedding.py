"""The shipped model: it agrees with its 32-bit source, needs no network, and never lets one text change another's vector."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fieldwise.ask import embedding
from fieldwise.ask.embedding import UNAVAILABLE, EmbeddingModel, load_embedder, provide
from fieldwise.model.diagnostic import Diagnostic

REFERENCE = [json.loads(line) for line in Path(__file__).with_name("reference_embeddings.jsonl").read_text(encoding="utf-8").splitlines()]
FOLDER = Path(embedding.__file__).parent / embedding.MODEL

OFFLINE = """
import socket, sys

def refuse(*_, **__):
    raise RuntimeError("the network was used")

socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
import fieldwise as fw

scores = fw.match("semantic", expected=["Attorney", "Attorney"], actual=["Lawyer", "Bus driver"])
print(scores.passed.tolist(), dict(scores.faults))
"""


@pytest.fixture
def model() -> EmbeddingModel:
    """A model of its own, so that no other test has filled its cache."""
    return EmbeddingModel.from_bytes((FOLDER / "model.int8.onnx").read_bytes(), (FOLDER / "vocab.txt").read_text(encoding="utf-8"), size=5)


@pytest.fixture
def _without_onnxruntime(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def missing() -> None:
        raise ImportError("No module named 'onnxruntime'")

    monkeypatch.setattr(embedding, "import_runtime", missing)
    provide.cache_clear()
    yield
    provide.cache_clear()


def test_embeddings_agree_with_those_of_the_32_bit_model(model: EmbeddingModel) -> None:
    vectors = model([reference["text"] for reference in REFERENCE]).value
    cosine = np.sum(vectors * np.array([reference["vector"] for reference in REFERENCE]), axis=1)
    assert cosine.min() > 0.985


def test_vectors_have_length_1(model: EmbeddingModel) -> None:
    vectors = model(["a", "", "two words", "x " * 2000]).value
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1, 1])


def test_a_text_has_the_same_vector_alone_and_in_a_batch(model: EmbeddingModel) -> None:
    texts = ["Net 30", "Net 60", "Payment is due", "paid", "x " * 600, "Payment was due", "发票"]
    together = model(texts).value
    for row, text in enumerate(texts):
        model.cache.clear()
        assert np.array_equal(model([text]).value[0], together[row])


def test_the_end_of_a_long_text_counts(model: EmbeddingModel) -> None:
    long = "The supplier delivers the goods on time. " * 100
    fruit, court = model([long + "Bananas are yellow.", long + "The court is in Geneva."]).value
    assert not np.array_equal(fruit, court)


def test_no_texts_give_no_vectors(model: EmbeddingModel) -> None:
    assert model([]).value.shape == (0, 384)


def test_the_cache_drops_the_least_recently_used_texts(model: EmbeddingModel) -> None:
    model(["a", "b", "c", "d", "e"])
    model(["a"])
    model(["f"])
    assert list(model.cache) == ["c", "d", "e", "a", "f"]


def test_cached_vectors_do_not_reference_their_batch(model: EmbeddingModel) -> None:
    model(["a", "b", "c"])
    assert [vector.base for vector, *_ in model.cache.values()] == [None] * 3


def test_a_text_seen_before_is_not_computed_again(model: EmbeddingModel) -> None:
    first = model(["a", "b"]).value
    blind = EmbeddingModel(None, model.vocabulary, model.cache)
    assert np.array_equal(blind(["b", "a", "b"]).value, first[[1, 0, 1]])


def test_words_outside_the_vocabulary_are_named(model: EmbeddingModel) -> None:
    assert model(["paid", "已付款"]).unread == {1: ("已", "付", "款")}


def test_the_shipped_model_is_the_one_the_script_builds() -> None:
    from hashlib import sha256

    script = Path(__file__).parents[2] / "scripts/build_semantic_model.py"
    digest = sha256((FOLDER / "model.int8.onnx").read_bytes()).hexdigest()
    assert f'MODEL_SHA256 = "{digest}"' in script.read_text(encoding="utf-8")


def test_the_model_ships_with_its_licence() -> None:
    assert "Apache License" in (FOLDER / "LICENSE").read_text(encoding="utf-8")
    assert "all-MiniLM-L6-v2" in (FOLDER / "NOTICE").read_text(encoding="utf-8")


@pytest.mark.usefixtures("_without_onnxruntime")
def test_without_onnxruntime_the_diagnostic_names_the_extra() -> None:
    problem = load_embedder()
    assert isinstance(problem, Diagnostic)
    assert problem == UNAVAILABLE
    assert (problem.code, problem.fix) == ("unavailable", "pip install 'fieldwise[semantic]'")


def test_it_works_with_the_network_cut() -> None:
    """Where the system allows it, in a network namespace of its own; sockets refuse to connect in any case."""
    cut = subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode == 0
    command = [*(["unshare", "-rn"] if cut else []), sys.executable, "-c", OFFLINE]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert completed.stdout.strip() == "[True, False] {}", completed.stderr
