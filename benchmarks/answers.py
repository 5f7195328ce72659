"""Answers per second: the five metrics of answer_quality, and one or two string metrics of each peer, on the same answers in one process.

    python benchmarks/answers.py [--answers 100000] [--questions 1000] [--once 50000] [--squad FOLDER]

Answers have four lengths, because the cost of an edit distance grows with the product of both lengths, and that of a metric over words
with their sum. They have two shapes: many answers to few questions, the same in every round; and every question asked once, with new
questions in every round. Then all texts are new, except the shortest, which cannot all be distinct.

The tools do not do the same work. A peer computes one or two metrics and returns a number for each answer; answer_quality computes five
metrics for a whole batch and names every missing keyword, number and citation. It reads equal texts of a batch once (the number of
distinct pairs is printed) and caches words between batches, so its rate in the first round, where every word is new, is printed as well.

Peers are called as their documentation shows, on a sample, because most are slower. They are imported and constructed before the time is
taken; a peer that is not available is printed with the reason. Rates are based on CPU time: the best of several rounds, with all tools in
turns, so that a busy machine slows all of them alike.

The environment of `make test-ragas` has `ragas` and `evaluate`. `evaluate` downloads its metrics from a hub; without network access,
`--squad` names a folder with `squad.py` and `compute_score.py` from its repository.
"""

import argparse
import asyncio
import random
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import NamedTuple

from fieldwise.kernels.coverage import clear_coverage_readers
from fieldwise.registry import EVALUATORS

Pairs = Sequence[tuple[str, str]]
"""Expected and actual answers."""
Metric = Callable[[Pairs], object]
PEER_SAMPLE = 1_000
"""Answers of each round that a peer scores."""
ROUNDS = 5
FIELDWISE = "fieldwise answer_quality (five metrics)"
FLOOR = "floor: both texts in lower case, split, compared as sets"
SQUAD_OF_EVALUATE = "Hugging Face evaluate squad (two metrics)"
SUBJECTS = ("Limits of Liability", "Deductible Factor", "Driver Discount", "Protective Device Credit", "Multi-Policy Discount", "Surcharge")


class RateFact(NamedTuple):
    """A rate that a rating manual states."""

    subject: str
    territory: int
    rate: str
    rule: int


def generate_answers(questions: int, answers: int, sentences: int, seed: int = 7) -> list[tuple[str, str]]:
    """Generate expected and actual answers in the style of a rating manual.

    Actual answers are reworded, in another order, and sometimes wrong. With 0 sentences, answers consist of a few words.
    """
    rng = random.Random(seed)
    pairs: list[tuple[str, str]] = []
    if not sentences:
        amounts = [rng.randint(50, 9_999) for _ in range(questions)]
        for number in range(answers):
            amount = amounts[number % questions]
            pairs.append((f"${amount:,}", _generate_short_answer(amount, rng)))
        return pairs
    facts_by_question = [[_generate_fact(rng) for _ in range(sentences)] for _ in range(questions)]
    expected_answers = [_state_facts(facts) for facts in facts_by_question]
    for number in range(answers):
        question = number % questions
        pairs.append((expected_answers[question], _reword_facts(facts_by_question[question], rng)))
    return pairs


def _generate_fact(rng: random.Random) -> RateFact:
    return RateFact(rng.choice(SUBJECTS), rng.randint(101, 199), f"{rng.uniform(-2, 2):.3f}", rng.randint(1, 20))


def _generate_short_answer(amount: int, rng: random.Random) -> str:
    if rng.random() <= 0.2:
        amount = rng.randint(50, 9_999)
    return rng.choice(
        [f"${amount}", f"The premium is ${amount:,}", f"${amount:,}.00 for each term", f"{amount} dollars (page {amount % 90})"]
    )


def _state_facts(facts: Sequence[RateFact]) -> str:
    return " ".join(f"{fact.subject} of Territory {fact.territory} is {fact.rate}% under Rule C-{fact.rule}." for fact in facts)


def _reword_facts(facts: Sequence[RateFact], rng: random.Random) -> str:
    introduction = rng.choice(["According to the rating manual (page 12), ", "Based on the filed document, ", "", "From the pdf: "])
    stated_facts = [fact for fact in facts if rng.random() > 0.1]
    statements = [
        f"Rule C-{fact.rule} sets the {fact.subject.lower()} for Territory {fact.territory} at {fact.rate} %" for fact in stated_facts
    ]
    if statements and rng.random() < 0.3:
        wrong_statement = f"Territory {rng.randint(101, 199)} changes by {rng.uniform(-2, 2):.3f} percent"
        statements[rng.randrange(len(statements))] = wrong_statement
    rng.shuffle(statements)
    return introduction + "; ".join(statements) + "."


def main() -> None:
    """Measure and print a table for each length and shape."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=100_000, help="number of answers to repeated questions")
    parser.add_argument("--questions", type=int, default=1_000, help="number of distinct questions of these answers")
    parser.add_argument("--once", type=int, default=50_000, help="number of questions that are asked once, in each round")
    parser.add_argument("--squad", metavar="FOLDER", help="folder with the squad metric of Hugging Face `evaluate`")
    options = parser.parse_args()
    peers = build_peers(options.squad)
    for sentences in (0, 1, 4, 20):
        repeated = generate_answers(options.questions, options.answers, sentences)
        print_table(repeated, [repeated] * ROUNDS, options.questions, peers)
        seeds = range(100, 100 + ROUNDS)
        first_round = generate_answers(options.once, options.once, sentences, seed=seeds[0])
        rounds = (generate_answers(options.once, options.once, sentences, seed) for seed in seeds)
        print_table(first_round, rounds, options.once, peers)


def print_table(first_round: Pairs, rounds: Iterable[Pairs], questions: int, peers: dict[str, Metric]) -> None:
    """Measure fieldwise, the floor and the peers, and print their rates, the fastest first."""
    clear_coverage_readers()
    characters = sum(len(expected) + len(actual) for expected, actual in first_round) / 2 / len(first_round)
    print(
        f"\n{len(first_round):,} answers ({len(set(first_round)):,} distinct pairs) to {questions:,} questions, "
        f"{characters:.0f} characters on average"
    )
    rates = measure_rates({FIELDWISE: build_answer_quality(), FLOOR: intersect_words} | peers, rounds)
    best_rates = {name: max(rates_of_rounds) for name, rates_of_rounds in rates.items()}
    for name, rate in sorted(best_rates.items(), key=lambda item: -item[1]):
        line = f"  {name:58}{rate:>10,.0f}/s"
        if name == FIELDWISE:
            line += f"   {rates[FIELDWISE][0]:,.0f}/s in the first round"
        elif name in peers:
            line += f"   fieldwise is {best_rates[FIELDWISE] / rate:.1f} times as fast"
        print(line)


def build_peers(squad_folder: str | None) -> dict[str, Metric]:
    """Import and construct the peers; print the reason for each that is not available."""
    builders = dict(PEERS)
    if squad_folder:
        builders[SQUAD_OF_EVALUATE] = partial(build_evaluate_squad, squad_folder)
    peers: dict[str, Metric] = {}
    for name, build in builders.items():
        try:
            peers[name] = build()
        except Exception as error:
            first_line = str(error).partition("\n")[0]
            print(f"not measured: {name}: {type(error).__name__}: {first_line}")
    return peers


def measure_rates(metrics: dict[str, Metric], rounds: Iterable[Pairs]) -> dict[str, list[float]]:
    """Answers per second of CPU time, by metric and round."""
    rates: dict[str, list[float]] = {name: [] for name in metrics}
    for pairs in rounds:
        for name, score in metrics.items():
            scored_pairs = pairs if name in (FIELDWISE, FLOOR) else pairs[:PEER_SAMPLE]
            start = time.process_time()
            score(scored_pairs)
            rates[name].append(len(scored_pairs) / (time.process_time() - start))
    return rates


def build_answer_quality() -> Metric:
    """answer_quality of fieldwise, with all answers in one batch."""
    entry = EVALUATORS.find("answer_quality")
    config = entry.options()

    def score(pairs: Pairs) -> object:
        expected_texts = [expected for expected, _ in pairs]
        actual_texts = [actual for _, actual in pairs]
        return entry.function(SimpleNamespace(expected_texts=expected_texts, actual_texts=actual_texts), config)

    return score


def intersect_words(pairs: Pairs) -> object:
    """The minimum work of any metric over words."""
    return [len(set(expected.lower().split()) & set(actual.lower().split())) for expected, actual in pairs]


def build_autoevals_levenshtein() -> Metric:
    """One edit distance per answer."""
    from autoevals.string import Levenshtein

    metric = Levenshtein()
    return lambda pairs: [metric(output=actual, expected=expected) for expected, actual in pairs]


def build_ragas_string_similarity() -> Metric:
    """String similarity without a model."""
    from ragas.dataset_schema import SingleTurnSample
    from ragas.metrics import NonLLMStringSimilarity

    metric = NonLLMStringSimilarity()

    async def score(pairs: Pairs) -> list[float]:
        return [await metric.single_turn_ascore(SingleTurnSample(reference=expected, response=actual)) for expected, actual in pairs]

    return lambda pairs: asyncio.run(score(pairs))


def _build_squad(compute: Callable[..., object]) -> Metric:
    """A metric that calls `compute` with predictions and references in the format of SQuAD."""

    def score(pairs: Pairs) -> object:
        predictions = [{"prediction_text": actual, "id": str(number)} for number, (_, actual) in enumerate(pairs)]
        references = [
            {"answers": {"answer_start": [0], "text": [expected]}, "id": str(number)} for number, (expected, _) in enumerate(pairs)
        ]
        return compute(predictions, references)

    return score


def build_torchmetrics_squad() -> Metric:
    """Exact match and F1 of SQuAD."""
    from torchmetrics.functional.text import squad

    return _build_squad(squad)


def build_evaluate_squad(folder: str = "squad") -> Metric:
    """Exact match and F1 of SQuAD by Hugging Face `evaluate`, which loads its metrics from a hub or a folder."""
    from evaluate import load

    metric = load(folder)
    return _build_squad(lambda predictions, references: metric.compute(predictions=predictions, references=references))


PEERS: dict[str, Callable[[], Metric]] = {
    "autoevals Levenshtein (one metric)": build_autoevals_levenshtein,
    "ragas NonLLMStringSimilarity (one metric)": build_ragas_string_similarity,
    "torchmetrics squad (two metrics)": build_torchmetrics_squad,
    SQUAD_OF_EVALUATE: build_evaluate_squad,
}

if __name__ == "__main__":
    main()
