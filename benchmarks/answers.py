"""Answers per second: answer_quality's five metrics beside one or two string metrics of each peer, on the same answers in one process.

    python benchmarks/answers.py [--answers 100000] [--questions 1000] [--once 50000] [--squad FOLDER]

Four lengths of answer, because an edit distance grows with the product of both lengths and a metric over words with their sum; and two
shapes: many answers to few questions, and every question asked once, with other questions in each round, so that texts are new but for
the shortest, which cannot all differ.
What is compared is not the same: a peer computes one metric, or two, and gives a number for each answer; answer_quality computes five
and names every keyword, number and citation that is missing, in columns for a whole batch. It reads all texts of a batch together and
equal ones but once; how many differ is printed. It remembers words from batch to batch, so the first round, in which every word is new,
is given as well. Peers are called as their documentation shows, imported and made before the clock starts, on a sample, because most are
slower; one that cannot be had is named, not left out. Each figure is CPU time, the best of a few rounds taken in turns, so that a busy
machine slows everyone alike.

`ragas` and `evaluate` are in the environment of `make test-ragas`. `evaluate` loads its metrics from a hub; where that cannot be
reached, `--squad` names a folder with `squad.py` and `compute_score.py` of its repository.
"""

import argparse
import asyncio
import random
import time
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace

from fieldwise.kernels.coverage import clear_coverage_readers
from fieldwise.registry import EVALUATORS

Pairs = Sequence[tuple[str, str]]
Metric = Callable[[Pairs], object]
SAMPLE = 1_000
ROUNDS = 5
OURS = "fieldwise answer_quality (five metrics)"
FLOOR = "floor: both texts in lower case, split, compared as sets"
SUBJECTS = ("Limits of Liability", "Deductible Factor", "Driver Discount", "Protective Device Credit", "Multi-Policy Discount", "Surcharge")


def made_up(questions: int, answers: int, sentences: int, seed: int = 7) -> list[tuple[str, str]]:
    """Expected and given answers in the style of a rating manual; the given ones are reworded, in another order, sometimes wrong.

    Without sentences, they are a few words.
    """
    rng = random.Random(seed)
    if not sentences:
        amounts = [rng.randint(50, 9_999) for _ in range(questions)]
        return [(f"${amounts[at % questions]:,}", _few_words(amounts[at % questions], rng)) for at in range(answers)]
    facts = [[_fact(rng) for _ in range(sentences)] for _ in range(questions)]
    expected = [
        " ".join(f"{subject} of Territory {place} is {rate}% under Rule C-{rule}." for subject, place, rate, rule in one) for one in facts
    ]
    return [(expected[at % questions], _answer(facts[at % questions], rng)) for at in range(answers)]


def _fact(rng: random.Random) -> tuple[str, int, str, int]:
    return rng.choice(SUBJECTS), rng.randint(101, 199), f"{rng.uniform(-2, 2):.3f}", rng.randint(1, 20)


def _few_words(amount: int, rng: random.Random) -> str:
    given = amount if rng.random() > 0.2 else rng.randint(50, 9_999)
    return rng.choice([f"${given}", f"The premium is ${given:,}", f"${given:,}.00 for each term", f"{given} dollars (page {given % 90})"])


def _answer(facts: Sequence[tuple[str, int, str, int]], rng: random.Random) -> str:
    lead = rng.choice(["According to the rating manual (page 12), ", "Based on the filed document, ", "", "From the pdf: "])
    told = [
        f"Rule C-{rule} sets the {subject.lower()} for Territory {place} at {rate} %"
        for subject, place, rate, rule in facts
        if rng.random() > 0.1
    ]
    if told and rng.random() < 0.3:
        told[rng.randrange(len(told))] = f"Territory {rng.randint(101, 199)} changes by {rng.uniform(-2, 2):.3f} percent"
    rng.shuffle(told)
    return lead + "; ".join(told) + "."


def main() -> None:
    """Measure and print a table for each length and shape."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--once", type=int, default=50_000, help="how many questions are asked once in each round")
    parser.add_argument("--squad", help="a folder with the squad metric of Hugging Face `evaluate`")
    options = parser.parse_args()
    peers = available(options.squad)
    for sentences in (0, 1, 4, 20):
        pairs = made_up(options.questions, options.answers, sentences)
        shown(pairs, [pairs] * ROUNDS, options.questions, peers)
        others = (made_up(options.once, options.once, sentences, seed) for seed in range(100, 100 + ROUNDS))
        shown(made_up(options.once, options.once, sentences, seed=100), others, options.once, peers)


def shown(pairs: Pairs, rounds: Iterable[Pairs], questions: int, peers: dict[str, Metric]) -> None:
    """Measure everyone and print a table; `pairs` are those of the first round."""
    clear_coverage_readers()
    length = sum(len(expected) + len(actual) for expected, actual in pairs) / 2 / len(pairs)
    print(f"\n{len(pairs):,} answers ({len(set(pairs)):,} differ) to {questions:,} questions, {length:.0f} characters on average")
    rates = measured({OURS: quality(), FLOOR: floor} | peers, rounds)
    best = {name: max(each) for name, each in rates.items()}
    for name, rate in sorted(best.items(), key=lambda item: -item[1]):
        more = f"   ours is {best[OURS] / rate:.1f} times that" if name in peers else ""
        print(f"  {name:58}{rate:>10,.0f}/s" + (f"   {rates[OURS][0]:,.0f}/s in the first round" if name == OURS else more))


def available(squad: str | None) -> dict[str, Metric]:
    """The peers that are installed; the others are named with the reason."""
    found: dict[str, Metric] = {}
    for name, make in PEERS.items():
        try:
            found[name] = evaluate_squad(squad) if squad and make is evaluate_squad else make()
        except Exception as error:
            print(f"not measured: {name}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
    return found


def measured(runs: dict[str, Metric], rounds: Iterable[Pairs]) -> dict[str, list[float]]:
    """Answers per second in each round."""
    rates = {name: list[float]() for name in runs}
    for pairs in rounds:
        for name, function in runs.items():
            some = pairs if name in (OURS, FLOOR) else pairs[:SAMPLE]
            start = time.process_time()
            function(some)
            rates[name].append(len(some) / (time.process_time() - start))
    return rates


def quality() -> Metric:
    """Our evaluator, all answers in one batch."""
    entry = EVALUATORS.find("answer_quality")
    config = entry.options()

    def run(pairs: Pairs) -> object:
        return entry.function(SimpleNamespace(expected_texts=[one for one, _ in pairs], actual_texts=[other for _, other in pairs]), config)

    return run


def floor(pairs: Pairs) -> object:
    """What any metric over words must do at least."""
    return [len(set(expected.lower().split()) & set(actual.lower().split())) for expected, actual in pairs]


def autoevals_levenshtein() -> Metric:
    """One edit distance per answer."""
    from autoevals.string import Levenshtein

    metric = Levenshtein()
    return lambda pairs: [metric(output=actual, expected=expected) for expected, actual in pairs]


def ragas_string_similarity() -> Metric:
    """String similarity without a model."""
    from ragas.dataset_schema import SingleTurnSample
    from ragas.metrics import NonLLMStringSimilarity

    metric = NonLLMStringSimilarity()

    async def score(pairs: Pairs) -> list[float]:
        return [await metric.single_turn_ascore(SingleTurnSample(reference=expected, response=actual)) for expected, actual in pairs]

    return lambda pairs: asyncio.run(score(pairs))


def _squad(compute: Callable[..., object]) -> Metric:
    def run(pairs: Pairs) -> object:
        given = [{"prediction_text": actual, "id": str(at)} for at, (_, actual) in enumerate(pairs)]
        wanted = [{"answers": {"answer_start": [0], "text": [expected]}, "id": str(at)} for at, (expected, _) in enumerate(pairs)]
        return compute(given, wanted)

    return run


def torchmetrics_squad() -> Metric:
    """SQuAD exact match and F1."""
    from torchmetrics.functional.text import squad

    return _squad(squad)


def evaluate_squad(folder: str = "squad") -> Metric:
    """The same in Hugging Face `evaluate`, which loads its metrics from a hub or a folder."""
    from evaluate import load

    metric = load(folder)
    return _squad(lambda given, wanted: metric.compute(predictions=given, references=wanted))


PEERS: dict[str, Callable[[], Metric]] = {
    "autoevals Levenshtein (one metric)": autoevals_levenshtein,
    "ragas NonLLMStringSimilarity (one metric)": ragas_string_similarity,
    "torchmetrics squad (two metrics)": torchmetrics_squad,
    "Hugging Face evaluate squad (two metrics)": evaluate_squad,
}

if __name__ == "__main__":
    main()
