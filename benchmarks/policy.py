"""How often the true error among accepted values exceeds the bound of a policy, over simulated datasets.

    python -P benchmarks/policy.py [DATASETS]

The values of a document are dependent: a difficulty of the document raises the error of all its fields and all items of its list, and in
one population a tenth of the documents are wrong as a whole, with high confidence. The true error of a cut-off is that of a population
of 200,000 documents.
"""

import sys
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldwise.study.confident_values import ConfidentValues
from fieldwise.study.policy import choose_cut_offs

FIELDS = ("number", "total", "vendor", "line_items[*].amount")
LIST = 3
POPULATION = 200_000


@dataclass(frozen=True)
class Population:
    """How documents and their confidences come about."""

    name: str
    documents: int
    max_error: float
    items: int
    """Largest number of items of the list."""
    dependence: float
    """How much the difficulty of a document moves the log odds of an error."""
    lost: float = 0.0
    """Share of documents of which every item is wrong, whatever the confidence."""

    def draw(self, documents: int, random: np.random.Generator) -> ConfidentValues:
        """A dataset."""
        difficulty = random.normal(size=documents)
        sizes = random.integers(1, self.items + 1, size=documents)
        is_lost = random.random(documents) < self.lost
        field = np.concatenate([np.repeat(np.arange(LIST), documents), np.full(int(sizes.sum()), LIST)])
        document = np.concatenate([np.tile(np.arange(documents), LIST), np.repeat(np.arange(documents), sizes)])
        ability = random.normal(2.5, 2.0, size=len(field)) - 0.5 * difficulty[document]
        confidence = np.round(1 / (1 + np.exp(-ability)), 3)
        log_odds = -1.0 - 1.1 * ability + self.dependence * difficulty[document] - 0.2 * field
        wrong = random.random(len(field)) < 1 / (1 + np.exp(-log_odds))
        wrong |= is_lost[document] & (field == LIST)
        names = (
            [f"document {row}" for row in random.choice(10**9, size=documents, replace=False).tolist()] if documents < POPULATION else []
        )
        return ConfidentValues(
            evaluator="fields",
            fields=FIELDS,
            field=field,
            confidence=confidence,
            correct=1.0 - wrong,
            document=document,
            documents=names,
            tags={},
        )


POPULATIONS = (
    Population("150 documents, lists of up to 10", 150, 0.15, 10, 1.0),
    Population("400 documents, lists of up to 10", 400, 0.10, 10, 1.0),
    Population("400 documents, strong dependence", 400, 0.10, 20, 2.0),
    Population("800 documents, 1 % of them lost", 800, 0.06, 10, 1.0, lost=0.01),
    Population("800 documents, 3 % of them lost", 800, 0.08, 5, 0.5, lost=0.03),
)


@dataclass(frozen=True)
class TrueErrors:
    """The true error from a confidence on, for one field."""

    levels: NDArray[np.float64]
    errors: NDArray[np.float64]

    def at(self, threshold: float) -> float:
        """The error among values of at least this confidence."""
        return float(self.errors[np.searchsorted(self.levels, threshold)])


def measure_true_errors(population: Population, random: np.random.Generator) -> dict[str, TrueErrors]:
    """The true error of every cut-off."""
    values = population.draw(POPULATION, random)
    true_errors: dict[str, TrueErrors] = {}
    for code, name in enumerate(FIELDS):
        rows = values.field == code
        levels, codes, counts = np.unique(values.confidence[rows], return_inverse=True, return_counts=True)
        wrong = np.bincount(codes, weights=1 - values.correct[rows])
        true_errors[name] = TrueErrors(levels, np.cumsum(wrong[::-1])[::-1] / np.cumsum(counts[::-1])[::-1])
    return true_errors


@dataclass
class Exceedings:
    """Counts over datasets."""

    datasets: int = 0
    exceeded: int = 0
    """Datasets in which the true error of at least one field is above its bound."""
    promised: Counter[str] | None = None
    """By field, datasets with a cut-off."""


def simulate(population: Population, datasets: int, seed: int = 0) -> Exceedings:
    """Make a policy for each of these datasets, and compare its bounds with the true errors."""
    random = np.random.default_rng(seed)
    true_errors = measure_true_errors(population, random)
    counts = Exceedings(promised=Counter())
    for _ in range(datasets):
        policies = choose_cut_offs(population.draw(population.documents, random), population.max_error, 0.95)
        promised = {name: policy for name, policy in policies.items() if policy.threshold is not None and policy.bound is not None}
        exceeded = [name for name, policy in promised.items() if true_errors[name].at(policy.threshold or 0) > (policy.bound or 0)]
        counts.datasets += 1
        counts.exceeded += bool(exceeded)
        assert counts.promised is not None
        counts.promised.update(promised.keys())
    return counts


def main() -> None:
    """Print a line for each population, and one for all."""
    datasets = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    share = datasets // len(POPULATIONS)
    total = Exceedings()
    for number, population in enumerate(POPULATIONS):
        counts = simulate(population, share, seed=number)
        total.datasets += counts.datasets
        total.exceeded += counts.exceeded
        promised = " ".join(f"{name} {(counts.promised or {}).get(name, 0) / counts.datasets:.2f}" for name in FIELDS)
        print(f"{population.name:40} exceeded {counts.exceeded:3} of {counts.datasets}   cut-off found: {promised}")
    print(f"{'all':40} exceeded {total.exceeded:3} of {total.datasets} = {total.exceeded / total.datasets:.3f}")


if __name__ == "__main__":
    main()
