"""Answers per second: answer_quality's five metrics beside one string metric of each peer, on the same answers in one process.

    python benchmarks/answers.py [--answers 100000] [--questions 1000]

Peers are measured on a sample, because they are slower; a peer that is not installed is said to be missing, not left out. Each timing
is the best of three, taken in turns, so that a busy machine slows everyone alike.
"""

import argparse
import asyncio
import random
import time
from collections.abc import Callable, Sequence
from types import SimpleNamespace

from fieldwise.registry import find

Pairs = Sequence[tuple[str, str]]
SAMPLE = 2_000
ROUNDS = 3


def made_up(questions: int, answers: int) -> list[tuple[str, str]]:
    """Expected and given answers in the style of a rating manual: paraphrased, cut short, with wrong numbers now and then."""
    rng = random.Random(7)
    expected = [_expected(rng) for _ in range(questions)]
    return [(text := expected[at % questions], _given(text, rng)) for at in range(answers)]


def _expected(rng: random.Random) -> str:
    territory, other = rng.sample(range(101, 199), 2)
    return (
        f"Yes. Territory {territory} has a rate change of {rng.uniform(0, 2):.3f}% while Territory {other} changes by "
        f"-{rng.uniform(0, 2):.3f}%. Under Rule C-{rng.randint(1, 20)} the base rate of ${rng.randint(100, 900)} is multiplied by the "
        f"factor {rng.uniform(1, 3):.3f}, and GRG {rng.randint(1, 60):03d} exceeds the limit of {rng.randint(10, 40)} rating groups."
    )


def _given(expected: str, rng: random.Random) -> str:
    words = expected.split()
    kept = [word for word in words if rng.random() > 0.1]
    if rng.random() < 0.3:
        kept[rng.randrange(len(kept))] = str(rng.randint(1, 999))
    lead = rng.choice(["According to the rating manual (page 12), ", "Based on the filed document, ", "", "From Table: Territories, "])
    return lead + " ".join(kept)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=1_000)
    options = parser.parse_args()
    many = made_up(options.questions, options.answers)
    distinct = made_up(options.answers, options.answers)
    length = sum(len(expected) + len(actual) for expected, actual in many) / 2 / len(many)
    print(f"{options.answers:,} answers of {length:.0f} characters on average\n")
    runs: dict[str, tuple[Callable[[Pairs], object], Pairs]] = {
        f"fieldwise answer_quality, {options.questions:,} questions": (quality(), many),
        "fieldwise answer_quality, every question once": (quality(), distinct),
        "fieldwise answer_quality v1 (keywords, numbers, citations)": (quality(keywords="v1", numbers="text", citations="substring"), many),
        "floor: both texts lower-cased and split, words compared as sets": (floor, many),
    }
    for name, make in PEERS.items():
        try:
            runs[name] = (make(), many[:SAMPLE])
        except Exception as error:
            print(f"not measured: {name}: {type(error).__name__}: {error}")
    best = measured(runs)
    ours = min(best[name] for name in best if name.startswith("fieldwise answer_quality,"))
    print(f"{'':64}{'answers/s':>12}   slower of ours is")
    for name, rate in sorted(best.items(), key=lambda item: -item[1]):
        print(f"{name:64}{rate:>12,.0f}   {'' if name.startswith(('fieldwise', 'floor')) else f'{ours / rate:.1f} times as fast'}")


def measured(runs: dict[str, tuple[Callable[[Pairs], object], Pairs]]) -> dict[str, float]:
    """Answers per second, the best of a few rounds."""
    best = dict.fromkeys(runs, 0.0)
    for _ in range(ROUNDS):
        for name, (function, pairs) in runs.items():
            start = time.perf_counter()
            function(pairs)
            best[name] = max(best[name], len(pairs) / (time.perf_counter() - start))
    return best


def quality(**options: str) -> Callable[[Pairs], object]:
    """Our evaluator, in batches of 10,000."""
    entry = find("evaluators", "answer_quality")
    config = entry.options(**options)

    def run(pairs: Pairs) -> object:
        for start in range(0, len(pairs), 10_000):
            part = pairs[start : start + 10_000]
            batch = SimpleNamespace(expected_texts=[pair[0] for pair in part], actual_texts=[pair[1] for pair in part])
            entry.function(batch, config)
        return None

    return run


def floor(pairs: Pairs) -> object:
    """What any metric over words must do at least."""
    return [len(set(expected.lower().split()) & set(actual.lower().split())) for expected, actual in pairs]


def autoevals_levenshtein() -> Callable[[Pairs], object]:
    """One edit distance per answer."""
    from autoevals.string import Levenshtein

    metric = Levenshtein()
    return lambda pairs: [metric(output=actual, expected=expected) for expected, actual in pairs]


def ragas_string_similarity() -> Callable[[Pairs], object]:
    """ragas' string similarity without a model."""
    from ragas.dataset_schema import SingleTurnSample
    from ragas.metrics import NonLLMStringSimilarity

    metric = NonLLMStringSimilarity()

    async def score(pairs: Pairs) -> list[float]:
        return [await metric.single_turn_ascore(SingleTurnSample(reference=expected, response=actual)) for expected, actual in pairs]

    return lambda pairs: asyncio.run(score(pairs))


def torchmetrics_squad() -> Callable[[Pairs], object]:
    """SQuAD exact match and F1: the definition that Hugging Face `evaluate` loads from its hub, which needs a network."""
    from torchmetrics.functional.text import squad

    def run(pairs: Pairs) -> object:
        given = [{"prediction_text": actual, "id": str(at)} for at, (_, actual) in enumerate(pairs)]
        wanted = [{"answers": {"answer_start": [0], "text": [expected]}, "id": str(at)} for at, (expected, _) in enumerate(pairs)]
        return squad(given, wanted)

    return run


def evaluate_squad() -> Callable[[Pairs], object]:
    """Hugging Face `evaluate` with its squad metric."""
    from evaluate import load

    metric = load("squad")

    def run(pairs: Pairs) -> object:
        given = [{"prediction_text": actual, "id": str(at)} for at, (_, actual) in enumerate(pairs)]
        wanted = [{"answers": {"answer_start": [0], "text": [expected]}, "id": str(at)} for at, (expected, _) in enumerate(pairs)]
        return metric.compute(predictions=given, references=wanted)

    return run


PEERS: dict[str, Callable[[], Callable[[Pairs], object]]] = {
    "autoevals Levenshtein (one metric)": autoevals_levenshtein,
    "ragas NonLLMStringSimilarity (one metric)": ragas_string_similarity,
    "Hugging Face evaluate squad (two metrics)": evaluate_squad,
    "torchmetrics squad (two metrics)": torchmetrics_squad,
}

if __name__ == "__main__":
    main()
