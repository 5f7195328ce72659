"""Batches of results built by hand, and cut into smaller batches."""

from types import SimpleNamespace

import numpy as np

from fieldwise.model.batch import BatchOutcome, EvaluatorOutcome
from fieldwise.model.case import Case, Cases
from fieldwise.model.comparison import ComparisonTable, Outcome
from fieldwise.model.path import Path
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.result import Labels, Results, Status
from fieldwise.model.rule import FieldRule, Match
from fieldwise.model.values import MISSING

PRF = PlannedEvaluator(type="field_prf", name="field_prf", config=None)
TEXT = PlannedEvaluator(type="answer_quality", name="answers", config=None, pass_at=0.5)
EVALUATORS = (PRF, TEXT)
_KINDS = [Outcome.MATCH, Outcome.WRONG_VALUE, Outcome.FORMAT_ERROR, Outcome.OMISSION, Outcome.HALLUCINATION]


def rule(name, match="exact", **options):
    return FieldRule(path=Path.parse(name), text=name, match=Match(match, SimpleNamespace(**options)))


def build(n, *, fields=4, seed=0, first=0, right=0.7):
    """A run of n cases in one batch: a record evaluator with comparisons, and a text evaluator for every other case."""
    rng = np.random.default_rng(seed)
    outcomes = rng.choice(_KINDS, size=(n, fields), p=[right, *[(1 - right) / 4] * 4]).astype(np.uint8)
    cases = Cases.of([_case(first + row, outcomes[row]) for row in range(n)])
    comparisons = _comparisons(cases, outcomes, rng)
    return BatchOutcome(
        first=first,
        cases=cases,
        evaluated=[
            EvaluatorOutcome(evaluator=PRF, rows=np.arange(n), results=_prf(outcomes, comparisons)),
            EvaluatorOutcome(evaluator=TEXT, rows=np.arange(0, n, 2), results=_text(len(range(0, n, 2)), rng)),
        ],
    )


def _case(number, outcomes):
    expected = {f"f{k}": f"value {number}.{k}" for k, kind in enumerate(outcomes) if kind != Outcome.HALLUCINATION}
    actual = {f"f{k}": _given(f"value {number}.{k}", kind) for k, kind in enumerate(outcomes) if kind != Outcome.OMISSION}
    tags = ("even",) if number % 2 == 0 else ("odd", "small") if number < 10 else ()
    return Case(id=f"case-{number}", input=f"q{number}", expected=expected, actual=actual, tags=tags, split="test" if number % 3 else None)


def _given(value, kind):
    return value if kind == Outcome.MATCH else 7 if kind == Outcome.FORMAT_ERROR else value + "!"


def _comparisons(cases, outcomes, rng):
    n, fields = outcomes.shape
    field, case = np.repeat(np.arange(fields, dtype=np.int32), n), np.tile(np.arange(n, dtype=np.int32), fields)
    outcome = outcomes.T.ravel()
    similarity = np.where(outcome == Outcome.MATCH, 1.0, np.where(outcome == Outcome.WRONG_VALUE, rng.random(n * fields).round(2), 0.0))
    similarity[outcome == Outcome.OMISSION] = np.nan
    names = [f"f{k}" for k in range(fields)]
    return ComparisonTable(
        cases=n,
        case=case,
        field=field,
        path=field.copy(),
        outcome=outcome,
        similarity=similarity,
        passed=outcome == Outcome.MATCH,
        expected=[cases.expected[c].get(names[f], MISSING) for f, c in zip(field, case, strict=True)],
        actual=[cases.actual[c].get(names[f], MISSING) for f, c in zip(field, case, strict=True)],
        fields=names,
        rules=[rule(name, "fuzzy", threshold=0.85, algorithm="jaro_winkler") for name in names],
        paths=names,
        cause={int(row): ("case" if row % 3 else "whitespace") for row in np.flatnonzero(outcome == Outcome.WRONG_VALUE)},
        note={int(row): "other kind" for row in np.flatnonzero(outcome == Outcome.FORMAT_ERROR)},
        unmatched_actual=np.zeros(n * fields, dtype=np.bool_),
    )


def _prf(outcomes, comparisons):
    def count(*kinds):
        return np.isin(outcomes, kinds).sum(axis=1).astype(np.float64)

    tp = count(Outcome.MATCH)
    fp = count(Outcome.WRONG_VALUE, Outcome.FORMAT_ERROR, Outcome.HALLUCINATION)
    fn = count(Outcome.WRONG_VALUE, Outcome.FORMAT_ERROR, Outcome.OMISSION)
    precision, recall = tp / np.maximum(tp + fp, 1), tp / np.maximum(tp + fn, 1)
    f1 = 2 * precision * recall / np.where(precision + recall > 0, precision + recall, 1)
    n = len(outcomes)
    status = np.zeros(n, dtype=np.uint8)
    status[4::17], status[6::17], status[8::17], status[5::13] = Status.SKIPPED, Status.UNAVAILABLE, Status.ERROR, Status.ERROR
    f1[status == Status.ERROR] = 0.0
    metrics = {
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "true_positives": tp,
        "false_positives": fp,
        "false_negatives": fn,
        "recall_fp": tp / np.maximum(tp + count(Outcome.OMISSION), 1),
        "omission": count(Outcome.OMISSION),
        "distance": np.where(tp > 1, tp * 1e6 + 0.1, np.nan),
        "perfect": tp == outcomes.shape[1],
    }
    fault = ["system" if row % 13 == 5 else "ours" for row in range(n)]
    names = comparisons.fields
    return Results(
        score=f1,
        status=status,
        hits=Labels.of([[name for name, kind in zip(names, row, strict=True) if kind == Outcome.MATCH] for row in outcomes]),
        misses=Labels.of([[name for name, kind in zip(names, row, strict=True) if kind != Outcome.MATCH] for row in outcomes]),
        reasoning=[f"{int(k)} fields" for k in tp],
        metrics=metrics,
        details=lambda row: {"fault": fault[row]} if status[row] == Status.ERROR else {"errors": [], "n": int(tp[row])},
        comparisons=comparisons,
        pool={"case": np.repeat(np.arange(n), 2), "confidence": np.repeat(f1, 2) + np.tile([0.0, 0.5], n)},
        verdict=np.where(status >= Status.SKIPPED, -1, np.where(f1 == 1, 2, np.where(f1 > 0, 1, 0))).astype(np.int8),
        flags=Labels.of([["empty"] if k == 0 else [] for k in tp]),
    )


def _text(n, rng):
    score = rng.random(n)
    return Results(
        score=score,
        status=np.zeros(n, dtype=np.uint8),
        hits=Labels.of([[]] * n),
        misses=Labels.of([["number_match: 604"]] * n),
        reasoning=[""] * n,
        metrics={"tiny": score * 1e-9, "coverage": np.where(score > 0.2, score, np.nan)},
        details=lambda row: {},
        verdict=np.where(score >= 0.5, 2, 0).astype(np.int8),
    )


def cut(outcome, start, stop):
    """The batch that holds only these cases."""
    evaluated = []
    for evaluated_outcome in outcome.evaluated:
        keep = np.flatnonzero((evaluated_outcome.rows >= start) & (evaluated_outcome.rows < stop))
        evaluated.append(
            EvaluatorOutcome(
                evaluator=evaluated_outcome.evaluator,
                rows=evaluated_outcome.rows[keep] - start,
                results=_some(evaluated_outcome.results, keep),
            )
        )
    rows = list(range(start, stop))
    return BatchOutcome(first=outcome.first + start, cases=outcome.cases.take(rows), evaluated=evaluated)


def _some(results, keep):
    new = {int(old): position for position, old in enumerate(keep)}
    pool = {}
    if results.pool:
        rows = np.flatnonzero(np.isin(results.pool["case"], keep))
        pool = {name: column[rows] for name, column in results.pool.items()}
        pool["case"] = np.array([new[int(old)] for old in pool["case"]], dtype=np.int64)
    return Results(
        score=results.score[keep],
        status=results.status[keep],
        hits=Labels.of([results.hits.at(row) for row in keep]),
        misses=Labels.of([results.misses.at(row) for row in keep]),
        reasoning=[results.reasoning[row] for row in keep],
        metrics={name: column[keep] for name, column in results.metrics.items()},
        details=lambda row: results.details(int(keep[row])),
        comparisons=None if results.comparisons is None else _compared(results.comparisons, new),
        pool=pool,
        verdict=results.verdict[keep],
        flags=None if results.flags is None else Labels.of([results.flags.at(row) for row in keep]),
    )


def _compared(whole, new):
    rows = np.array([row for row, case in enumerate(whole.case.tolist()) if case in new], dtype=np.int64)
    place = {int(old): position for position, old in enumerate(rows)}
    return ComparisonTable(
        cases=len(new),
        case=np.array([new[int(case)] for case in whole.case[rows]], dtype=np.int32),
        field=whole.field[rows],
        path=whole.path[rows],
        outcome=whole.outcome[rows],
        similarity=whole.similarity[rows],
        passed=whole.passed[rows],
        expected=[whole.expected[row] for row in rows],
        actual=[whole.actual[row] for row in rows],
        fields=whole.fields,
        rules=whole.rules,
        paths=whole.paths,
        cause={place[row]: text for row, text in whole.cause.items() if row in place},
        note={place[row]: text for row, text in whole.note.items() if row in place},
        unmatched_actual=whole.unmatched_actual[rows],
    )
