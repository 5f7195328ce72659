"""Measure over simulated datasets how often the true error among accepted values exceeds the bound of a policy.

    python -P benchmarks/policy.py [DATASETS]

The values of a document are dependent: its difficulty raises the error of all its fields and of all items of its list. In two populations
a share of the documents is wrong as a whole, whatever the confidence. The true error of a cut-off is measured on 200,000 documents.
"""

import sys
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fieldwise.study.confident_values import ConfidentValues
from fieldwise.study.policy import choose_cut_offs

FIELDS = ("number", "total", "vendor", "line_items[*].amount")
LIST_FIELD = 3
"""Index of the field of list items; the fields before it are scalar."""
POPULATION_SIZE = 200_000
LEVEL = 0.95


@dataclass(frozen=True)
class DocumentPopulation:
    """Distribution of documents, their errors and their confidences."""

    name: str
    documents: int
    max_error: float
    max_items: int
    """Largest number of items of the list."""
    dependence: float
    """Effect of a document's difficulty on the log odds of an error."""
    lost_share: float = 0.0
    """Share of documents of which every item is wrong, whatever the confidence."""

    def draw(self, documents: int, rng: np.random.Generator) -> ConfidentValues:
        """Draw a dataset of this many documents."""
        difficulty = rng.normal(size=documents)
        list_sizes = rng.integers(1, self.max_items + 1, size=documents)
        is_lost = rng.random(documents) < self.lost_share
        field_codes = np.concatenate([np.repeat(np.arange(LIST_FIELD), documents), np.full(int(list_sizes.sum()), LIST_FIELD)])
        document = np.concatenate([np.tile(np.arange(documents), LIST_FIELD), np.repeat(np.arange(documents), list_sizes)])
        ability = rng.normal(2.5, 2.0, size=len(field_codes)) - 0.5 * difficulty[document]
        confidence = np.round(1 / (1 + np.exp(-ability)), 3)
        log_odds = -1.0 - 1.1 * ability + self.dependence * difficulty[document] - 0.2 * field_codes
        is_wrong = rng.random(len(field_codes)) < 1 / (1 + np.exp(-log_odds))
        is_wrong |= is_lost[document] & (field_codes == LIST_FIELD)
        names: list[str] = []
        if documents < POPULATION_SIZE:  # the true errors need no names
            names = [f"document {number}" for number in rng.choice(10**9, size=documents, replace=False).tolist()]
        return ConfidentValues(
            evaluator="fields",
            fields=FIELDS,
            field=field_codes,
            confidence=confidence,
            correct=1.0 - is_wrong,
            document=document,
            documents=names,
            tags={},
        )


POPULATIONS = (
    DocumentPopulation("150 documents, lists of up to 10", 150, 0.15, 10, 1.0),
    DocumentPopulation("400 documents, lists of up to 10", 400, 0.10, 10, 1.0),
    DocumentPopulation("400 documents, strong dependence", 400, 0.10, 20, 2.0),
    DocumentPopulation("800 documents, 1 % of them lost", 800, 0.06, 10, 1.0, lost_share=0.01),
    DocumentPopulation("800 documents, 3 % of them lost", 800, 0.08, 5, 0.5, lost_share=0.03),
)


@dataclass(frozen=True)
class TrueErrors:
    """True error of every cut-off of one field."""

    thresholds: NDArray[np.float64]
    errors: NDArray[np.float64]

    def at(self, threshold: float) -> float:
        """The error among values of at least this confidence."""
        return float(self.errors[np.searchsorted(self.thresholds, threshold)])


def measure_true_errors(population: DocumentPopulation, rng: np.random.Generator) -> dict[str, TrueErrors]:
    """The true errors of each field."""
    values = population.draw(POPULATION_SIZE, rng)
    true_errors: dict[str, TrueErrors] = {}
    for code, name in enumerate(FIELDS):
        rows = values.field == code
        thresholds, codes, counts = np.unique(values.confidence[rows], return_inverse=True, return_counts=True)
        wrong_counts = np.bincount(codes, weights=1 - values.correct[rows])
        wrong_from_threshold = np.cumsum(wrong_counts[::-1])[::-1]
        count_from_threshold = np.cumsum(counts[::-1])[::-1]
        true_errors[name] = TrueErrors(thresholds, wrong_from_threshold / count_from_threshold)
    return true_errors


@dataclass
class BoundTally:
    """Counts over datasets."""

    datasets: int = 0
    exceeded: int = 0
    """Datasets in which the true error of at least one field is above its bound."""
    cut_offs: Counter[str] = field(default_factory=Counter)
    """By field, datasets with a cut-off."""


def simulate(population: DocumentPopulation, datasets: int, seed: int = 0) -> BoundTally:
    """Compute a policy for each dataset, and compare its bounds with the true errors."""
    rng = np.random.default_rng(seed)
    true_errors = measure_true_errors(population, rng)
    tally = BoundTally()
    for _ in range(datasets):
        policies = choose_cut_offs(population.draw(population.documents, rng), population.max_error, LEVEL)
        is_exceeded = False
        for name, policy in policies.items():
            if policy.threshold is None or policy.bound is None:
                continue
            tally.cut_offs[name] += 1
            if true_errors[name].at(policy.threshold) > policy.bound:
                is_exceeded = True
        tally.datasets += 1
        tally.exceeded += is_exceeded
    return tally


def main() -> None:
    """Print a line for each population, and one for all."""
    datasets = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    total = BoundTally()
    for number, population in enumerate(POPULATIONS):
        tally = simulate(population, datasets // len(POPULATIONS), seed=number)
        total.datasets += tally.datasets
        total.exceeded += tally.exceeded
        shares = " ".join(f"{name} {tally.cut_offs[name] / tally.datasets:.2f}" for name in FIELDS)
        print(f"{population.name:40} exceeded {tally.exceeded:3} of {tally.datasets}   cut-off found: {shares}")
    print(f"{'all':40} exceeded {total.exceeded:3} of {total.datasets} = {total.exceeded / total.datasets:.3f}")


if __name__ == "__main__":
    main()
