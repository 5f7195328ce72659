"""Embeddings from the model that ships with fieldwise: no network, no key, one package (`onnxruntime`).

The model is all-MiniLM-L6-v2 in int8; `scripts/build_semantic_model.py` builds it. Texts are read in windows of 254 word pieces, so
that none is truncated.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from threading import Lock
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.meaning.wordpiece import UNKNOWN, encode_pieces, find_unknown_words, unreadable_share
from fieldwise.model.ask import Embed, Reply
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.services import Embedder, Vectors

MODEL = "models/all-minilm-l6-v2"
WIDTH = 384
WINDOW = 254
"""Word pieces per window; with the start and end tokens they are the 256 of its training."""
TOKENS_PER_CALL = 512
"""Tokens per call of the model: enough to use it fully, few enough for the processor cache."""
CACHED_TEXTS = 50_000
"""Size of the cache of embeddings (least recently used are dropped): 85 MB with short texts."""

UNAVAILABLE = Diagnostic(
    code="unavailable",
    what="semantic matching needs the package onnxruntime, which is not installed",
    fix="pip install 'fieldwise[semantic]'",
)

_TextEmbedding = tuple[NDArray[np.float32], tuple[str, ...], float]
"""The vector of a text, its words outside the vocabulary, and the share that is spelled letter by letter."""


def load_embedder() -> Embedder | Diagnostic:
    """The embedding model: the entry point `embedding` in the group `fieldwise.providers` if one is installed, else the shipped model."""
    installed = find_installed_provider()
    return provide() if installed is None else cast("Embedder | Diagnostic", installed.load()())


@cache  # read once: it takes 8 ms with 200 packages, and installed packages do not change while the process runs
def find_installed_provider() -> EntryPoint | None:
    """The entry point of another package's embedding model, if one is installed."""
    return next(iter(entry_points(group="fieldwise.providers", name="embedding")), None)


@cache  # the model is read from disk and prepared once per process
def provide() -> Embedder | Diagnostic:
    """The shipped model, loaded once per process; a Diagnostic where onnxruntime is not installed."""
    try:
        import_runtime()
    except ImportError:
        return UNAVAILABLE
    folder = files("fieldwise.ask").joinpath(MODEL)
    return EmbeddingModel.from_bytes(
        folder.joinpath("model.int8.onnx").read_bytes(), folder.joinpath("vocab.txt").read_text(encoding="utf-8")
    )


def import_runtime() -> Any:
    """The optional package that runs the model."""
    import onnxruntime

    return onnxruntime


def answer_embed(ask: Embed) -> Reply:
    """The vectors of the texts of a question, or the problem if there is no embedding model."""
    embed = load_embedder()
    if isinstance(embed, Diagnostic):
        return Reply(problem=embed.what, fix=embed.fix, missing=True)
    return Reply(vectors=embed(list(ask.texts)).value)


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A model, its vocabulary, and a cache of the embeddings of recent texts."""

    session: Any
    vocabulary: Mapping[str, int]
    cache: OrderedDict[str, _TextEmbedding] = field(default_factory=OrderedDict[str, _TextEmbedding])
    size: int = CACHED_TEXTS
    lock: Lock = field(default_factory=Lock)

    @classmethod
    def from_bytes(cls, model: bytes, vocabulary: str, *, threads: int = 1, size: int = CACHED_TEXTS) -> "EmbeddingModel":
        """From the bytes of an ONNX model and the text of its vocabulary, one word piece per line."""
        runtime = import_runtime()
        options = runtime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        session = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return cls(session, {piece: number for number, piece in enumerate(vocabulary.splitlines())}, size=size)

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per text."""
        with self.lock:
            embeddings: dict[str, _TextEmbedding] = {}
            for text in dict.fromkeys(texts):
                if text in self.cache:
                    self.cache.move_to_end(text)
                    embeddings[text] = self.cache[text]
            new = [text for text in dict.fromkeys(texts) if text not in embeddings]
            embeddings.update(zip(new, self._embed(new), strict=True))
            self._add_to_cache((text, embeddings[text]) for text in new)
        value = np.stack([embeddings[text][0] for text in texts]) if texts else np.zeros((0, WIDTH), dtype=np.float32)
        return Vectors(
            value,
            {row: embeddings[text][1] for row, text in enumerate(texts) if embeddings[text][1]},
            {row: embeddings[text][2] for row, text in enumerate(texts) if embeddings[text][2]},
        )

    def _add_to_cache(self, embeddings: Iterable[tuple[str, _TextEmbedding]]) -> None:
        for text, embedding in embeddings:
            self.cache[text] = embedding
            if len(self.cache) > self.size:
                self.cache.popitem(last=False)

    def _embed(self, texts: Sequence[str]) -> Iterator[_TextEmbedding]:
        """The vector of each text: the mean over its tokens in all its windows, scaled to length 1."""
        tokens = [encode_pieces(text, self.vocabulary) for text in texts]
        windows = [[tuple(ids[start : start + WINDOW]) for start in range(0, len(ids) or 1, WINDOW)] for ids in tokens]
        totals: dict[tuple[int, ...], NDArray[np.float64]] = {}
        for batch in _batch_windows(dict.fromkeys(window for text_windows in windows for window in text_windows)):
            totals.update(zip(batch, self._token_sums(batch), strict=True))
        sums = np.array([np.sum([totals[window] for window in text_windows], axis=0) for text_windows in windows]).reshape(
            len(texts), WIDTH
        )
        lengths = np.sqrt(np.sum(sums * sums, axis=1, keepdims=True))
        vectors = (sums / np.where(lengths == 0, 1, lengths)).astype(np.float32)
        missing = self.vocabulary[UNKNOWN]
        for row, ids in enumerate(tokens):
            words = find_unknown_words(texts[row], self.vocabulary) if missing in ids else ()
            yield vectors[row].copy(), words, unreadable_share(texts[row], self.vocabulary)

    def _token_sums(self, windows: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """The sum of the token vectors of windows of equal length."""
        first, last = self.vocabulary["[CLS]"], self.vocabulary["[SEP]"]
        ids = np.array([[first, *window, last] for window in windows], dtype=np.int64)
        return np.asarray(np.sum(self.session.run(["tokens"], {"ids": ids})[0], axis=1, dtype=np.float64))


def _batch_windows(windows: Iterable[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
    """Batches of windows of equal length, so that nothing is padded, at most TOKENS_PER_CALL tokens each."""
    by_length: dict[int, list[tuple[int, ...]]] = {}
    for window in windows:
        by_length.setdefault(len(window), []).append(window)
    for length, group in sorted(by_length.items()):
        step = max(1, TOKENS_PER_CALL // (length + 2))
        for start in range(0, len(group), step):
            yield group[start : start + step]
