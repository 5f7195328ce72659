"""A judge's verdicts beside people's labels."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.agreement import Agreement, cohen
from fieldwise.model.audit import VERDICTS, Audit, Cut, Disagreement, Judged
from fieldwise.model.result import Verdict


def audit(run: str, evaluator: str, judged: Mapping[str, Judged], labels: Mapping[str, Verdict]) -> Audit:
    """How far the judge agrees with people, over the cases that both have judged.

    Where people know only pass and fail, a judge's `partial` is a fail, as it is in the pass rate.
    """
    both = [case for case in labels if case in judged and judged[case].verdict is not None]
    two = "partial" not in labels.values()
    people: list[Verdict] = [labels[case] for case in both]
    verdicts: list[Verdict] = [_as_people_would(judged[case].verdict, two) for case in both]
    kinds: list[Verdict] = [kind for kind in VERDICTS if kind in (*people, *verdicts)]
    table = _table(people, verdicts, kinds)
    found = cohen(table)
    return Audit(
        run=run,
        evaluator=evaluator,
        n=found.n,
        agreement=found.agreement,
        agreement_interval=found.agreement_interval,
        kappa=found.kappa,
        kappa_interval=found.kappa_interval,
        table={kind: dict(zip(kinds, row, strict=True)) for kind, row in zip(kinds, table.tolist(), strict=True)},
        disagreements=[
            Disagreement(case=case, people=label, judge=verdict, score=judged[case].score, reasoning=judged[case].reasoning)
            for case, label, verdict in zip(both, people, verdicts, strict=True)
            if label != verdict
        ],
        best=_best_cut(people, [judged[case].score for case in both], found) if two else None,
        partial_is_fail=two and any(judged[case].verdict == "partial" for case in both),
        unjudged=[case for case in labels if case in judged and judged[case].verdict is None],
        unknown=[case for case in labels if case not in judged],
        unlabelled=sum(one.verdict is not None and case not in labels for case, one in judged.items()),
    )


def _as_people_would(verdict: Verdict | None, two: bool) -> Verdict:
    return "fail" if verdict is None or (two and verdict == "partial") else verdict


def _table(people: Sequence[Verdict], verdicts: Sequence[Verdict], kinds: Sequence[Verdict]) -> NDArray[np.int64]:
    table = np.zeros((len(kinds), len(kinds)), dtype=np.int64)
    for label, verdict in zip(people, verdicts, strict=True):
        table[kinds.index(label), kinds.index(verdict)] += 1
    return table


def _best_cut(people: Sequence[Verdict], scores: Sequence[float], now: Agreement) -> Cut | None:
    """The cut on the scores with the highest kappa, where that is higher than now; of several, the middle one."""
    passed, score = np.array([label == "pass" for label in people], dtype=np.bool_), np.array(scores, dtype=np.float64)
    cuts = np.unique(score)[1:]
    found = [(float(cut), _at(passed, score >= cut)) for cut in cuts]
    known = [(cut, one, one.kappa) for cut, one in found if one.kappa is not None]
    if not known:
        return None
    highest = max(kappa for _, _, kappa in known)
    if highest <= (now.kappa or 0.0) + 1e-9:
        return None
    best = [(cut, one) for cut, one, kappa in known if kappa >= highest - 1e-9]
    cut, one = best[len(best) // 2]
    return Cut(pass_at=cut, kappa=highest, agreement=one.agreement)


def _at(passed: NDArray[np.bool_], judged: NDArray[np.bool_]) -> Agreement:
    both, only_people, only_judge = (int(np.sum(rows)) for rows in (passed & judged, passed & ~judged, ~passed & judged))
    return cohen(np.array([[both, only_people], [only_judge, len(passed) - both - only_people - only_judge]], dtype=np.int64))
