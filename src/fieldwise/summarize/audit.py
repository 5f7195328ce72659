"""Agreement of a judge's verdicts with people's labels."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.statistics import LabelAgreement, cohen_kappa
from fieldwise.model.audit import VERDICTS, Audit, Disagreement, JudgedCase, PassAtAgreement
from fieldwise.model.result import Verdict

_ROUNDING: Final = 1e-9


def audit_judge(run: str, evaluator: str, judged: Mapping[str, JudgedCase], labels: Mapping[str, Verdict]) -> Audit:
    """Compare a judge with labels, over the cases that have both.

    If the labels are only pass and fail, a judge's `partial` counts as fail, as it does in the pass rate.
    """
    compared: dict[str, Verdict] = {}
    for case in labels:
        verdict = judged[case].verdict if case in judged else None
        if verdict is not None:
            compared[case] = verdict
    is_binary = "partial" not in labels.values()
    label_verdicts: list[Verdict] = [labels[case] for case in compared]
    judge_verdicts: list[Verdict] = [_merge_partial_into_fail(verdict) if is_binary else verdict for verdict in compared.values()]
    kinds: list[Verdict] = [kind for kind in VERDICTS if kind in (*label_verdicts, *judge_verdicts)]
    table = _count_pairs(label_verdicts, judge_verdicts, kinds)
    agreement = cohen_kappa(table)
    disagreements: list[Disagreement] = []
    for case, label, verdict in zip(compared, label_verdicts, judge_verdicts, strict=True):
        if label != verdict:
            score, reasoning = judged[case].score, judged[case].reasoning
            disagreements.append(Disagreement(case=case, people=label, judge=verdict, score=score, reasoning=reasoning))
    return Audit(
        run=run,
        evaluator=evaluator,
        n=agreement.n,
        agreement=agreement.agreement,
        agreement_interval=agreement.agreement_interval,
        kappa=agreement.kappa,
        kappa_interval=agreement.kappa_interval,
        table={kind: dict(zip(kinds, row, strict=True)) for kind, row in zip(kinds, table.tolist(), strict=True)},
        disagreements=disagreements,
        best=_find_best_pass_at(label_verdicts, [judged[case].score for case in compared], agreement) if is_binary else None,
        partial_is_fail=is_binary and any(judged[case].verdict == "partial" for case in compared),
        unjudged=[case for case in labels if case in judged and judged[case].verdict is None],
        unknown=[case for case in labels if case not in judged],
        unlabelled=sum(judged_case.verdict is not None and case not in labels for case, judged_case in judged.items()),
    )


def _merge_partial_into_fail(verdict: Verdict) -> Verdict:
    return "fail" if verdict == "partial" else verdict


def _count_pairs(labels: Sequence[Verdict], verdicts: Sequence[Verdict], kinds: Sequence[Verdict]) -> NDArray[np.int64]:
    """The contingency table of labels (rows) and verdicts (columns)."""
    table = np.zeros((len(kinds), len(kinds)), dtype=np.int64)
    for label, verdict in zip(labels, verdicts, strict=True):
        table[kinds.index(label), kinds.index(verdict)] += 1
    return table


def _find_best_pass_at(labels: Sequence[Verdict], scores: Sequence[float], current: LabelAgreement) -> PassAtAgreement | None:
    """The `pass_at` with the highest kappa, the middle one of several; None if it is no higher than the current kappa."""
    passed = np.array([label == "pass" for label in labels], dtype=np.bool_)
    score = np.array(scores, dtype=np.float64)
    candidates: list[tuple[float, LabelAgreement, float]] = []
    for pass_at in np.unique(score)[1:].tolist():
        agreement = _agreement_of_flags(passed, score >= pass_at)
        if agreement.kappa is not None:
            candidates.append((pass_at, agreement, agreement.kappa))
    if not candidates:
        return None
    highest = max(kappa for _, _, kappa in candidates)
    if highest <= (current.kappa or 0.0) + _ROUNDING:
        return None
    best = [(pass_at, agreement) for pass_at, agreement, kappa in candidates if kappa >= highest - _ROUNDING]
    pass_at, agreement = best[len(best) // 2]
    return PassAtAgreement(pass_at=pass_at, kappa=highest, agreement=agreement.agreement)


def _agreement_of_flags(labelled: NDArray[np.bool_], judged: NDArray[np.bool_]) -> LabelAgreement:
    both = int(np.sum(labelled & judged))
    only_labelled = int(np.sum(labelled & ~judged))
    only_judged = int(np.sum(~labelled & judged))
    neither = len(labelled) - both - only_labelled - only_judged
    return cohen_kappa(np.array([[both, only_labelled], [only_judged, neither]], dtype=np.int64))
