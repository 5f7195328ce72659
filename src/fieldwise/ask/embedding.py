"""Embeddings from the model that ships with fieldwise: no network, no key, one package (`onnxruntime`).

The model is all-MiniLM-L6-v2 in int8; `scripts/build_semantic_model.py` makes it. It reads texts in windows of 254 word pieces, so
that no text is cut off.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.meaning.wordpiece import UNKNOWN, blurred, pieces, unread
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.ports import Embed, Vectors

MODEL = "models/all-minilm-l6-v2"
WIDTH = 384
WINDOW = 254
"""Word pieces the model sees at once; with the marks of beginning and end they are the 256 it was trained on."""
TOKENS_PER_CALL = 512
"""How many tokens one call of the model carries: enough to fill it, and still in the processor's cache."""
CACHED_TEXTS = 50_000
"""How many embeddings are kept, the latest used: 85 MB with short texts."""

UNAVAILABLE = Diagnostic(
    code="unavailable",
    what="semantic matching needs the package onnxruntime, which is not installed",
    fix="pip install 'fieldwise[semantic]'",
)

_Known = tuple[NDArray[np.float32], tuple[str, ...], float]
"""The vector of a text, its words without a sign, and the share of it that is spelled letter by letter."""


@cache
def provide() -> Embed | Diagnostic:
    """The shipped model, loaded once per process; a Diagnostic where onnxruntime is not installed."""
    try:
        import_runtime()
    except ImportError:
        return UNAVAILABLE
    folder = files("fieldwise.ask").joinpath(MODEL)
    return Embedding.of(folder.joinpath("model.int8.onnx").read_bytes(), folder.joinpath("vocab.txt").read_text(encoding="utf-8"))


def import_runtime() -> Any:
    """The package that runs the model; it is optional, hence imported where it is needed."""
    import onnxruntime

    return onnxruntime


@dataclass(frozen=True, slots=True)
class Embedding:
    """A model, its vocabulary, and the embeddings of the texts it saw last."""

    session: Any
    vocabulary: Mapping[str, int]
    known: OrderedDict[str, _Known] = field(default_factory=OrderedDict[str, _Known])
    size: int = CACHED_TEXTS
    lock: Lock = field(default_factory=Lock)

    @classmethod
    def of(cls, model: bytes, vocabulary: str, *, threads: int = 1, size: int = CACHED_TEXTS) -> "Embedding":
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
            found: dict[str, _Known] = {}
            for text in dict.fromkeys(texts):
                if text in self.known:
                    self.known.move_to_end(text)
                    found[text] = self.known[text]
            new = [text for text in dict.fromkeys(texts) if text not in found]
            found.update(zip(new, self._embed(new), strict=True))
            self._keep((text, found[text]) for text in new)
        value = np.stack([found[text][0] for text in texts]) if texts else np.zeros((0, WIDTH), dtype=np.float32)
        return Vectors(
            value,
            {row: found[text][1] for row, text in enumerate(texts) if found[text][1]},
            {row: found[text][2] for row, text in enumerate(texts) if found[text][2]},
        )

    def _keep(self, found: Iterable[tuple[str, _Known]]) -> None:
        for text, known in found:
            self.known[text] = known
            if len(self.known) > self.size:
                self.known.popitem(last=False)

    def _embed(self, texts: Sequence[str]) -> Iterator[_Known]:
        """Each text's vector: the mean over its tokens in all its windows, brought to length 1."""
        tokens = [pieces(text, self.vocabulary) for text in texts]
        windows = [[tuple(ids[start : start + WINDOW]) for start in range(0, len(ids) or 1, WINDOW)] for ids in tokens]
        totals: dict[tuple[int, ...], NDArray[np.float64]] = {}
        for batch in _batches(dict.fromkeys(window for own in windows for window in own)):
            totals.update(zip(batch, self._token_sums(batch), strict=True))
        sums = np.array([np.sum([totals[window] for window in own], axis=0) for own in windows]).reshape(len(texts), WIDTH)
        lengths = np.sqrt(np.sum(sums * sums, axis=1, keepdims=True))
        vectors = (sums / np.where(lengths == 0, 1, lengths)).astype(np.float32)
        missing = self.vocabulary[UNKNOWN]
        for row, ids in enumerate(tokens):
            words = unread(texts[row], self.vocabulary) if missing in ids else ()
            yield vectors[row].copy(), words, blurred(texts[row], self.vocabulary)

    def _token_sums(self, windows: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """The sum of the token vectors of windows of equal length."""
        first, last = self.vocabulary["[CLS]"], self.vocabulary["[SEP]"]
        ids = np.array([[first, *window, last] for window in windows], dtype=np.int64)
        return np.asarray(np.sum(self.session.run(["tokens"], {"ids": ids})[0], axis=1, dtype=np.float64))


def _batches(windows: Iterable[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
    """Windows of equal length together, so that nothing is padded, and no more than fit one call."""
    by_length: dict[int, list[tuple[int, ...]]] = {}
    for window in windows:
        by_length.setdefault(len(window), []).append(window)
    for length, group in sorted(by_length.items()):
        step = max(1, TOKENS_PER_CALL // (length + 2))
        for start in range(0, len(group), step):
            yield group[start : start + step]
