"""Measure what corrections did to a run: its scores before and after them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fieldwise.engines.executors import find_demands
from fieldwise.model.case import Cases
from fieldwise.model.correction import AppliedCorrections, CorrectionSet
from fieldwise.model.locations import Location
from fieldwise.model.plan import Plan
from fieldwise.model.summary import Metric, Summary
from fieldwise.read.corrections import apply_corrections
from fieldwise.score.evaluate import score_batch
from fieldwise.score.groups import assign_groups
from fieldwise.store.manifest import Part
from fieldwise.store.part_reader import list_part_files, read_table
from fieldwise.summarize.state import SummaryState


def measure_corrections(
    plan: Plan, corrections: CorrectionSet, uncorrected: Sequence[Cases], summary: Summary, folder: Location, parts: Iterable[Part]
) -> AppliedCorrections:
    """Score the corrected cases of a run without and with their corrections; all other cases have the same score in both.

    `uncorrected` are the cases that have corrections, as the data has them. Evaluators that ask a model are left out.
    """
    selected_ids = _find_stored_ids(set(corrections.by_case), folder, parts)
    selected = [cases.take([row for row, case_id in enumerate(cases.id) if case_id in selected_ids]) for cases in uncorrected]
    offline = replace(
        plan, redact=None, evaluators=tuple(evaluator for evaluator in plan.evaluators if not _asks_model(plan, evaluator.name))
    )
    before = _summarize(offline, selected)
    after = _summarize(offline, [apply_corrections(cases, corrections) for cases in selected])
    scores: dict[str, dict[str, float | None]] = {}
    for evaluator in offline.evaluators:
        total = summary.evaluators[evaluator.name].metrics.get("score")
        own_before, own_after = (part.evaluators[evaluator.name].metrics.get("score") for part in (before, after))
        scores[evaluator.name] = {"before": _replace_share(total, own_after, own_before), "after": total.value if total else None}
    applied = [correction for correction in corrections.corrections if correction.case in selected_ids]
    actions = {action: sum(correction.action == action for correction in applied) for action in ("replace", "accept_also", "drop")}
    return AppliedCorrections(
        file=corrections.file,
        applied=len(applied),
        cases=len(selected_ids),
        actions={action: count for action, count in actions.items() if count},
        scores=scores,
    )


def _asks_model(plan: Plan, evaluator: str) -> bool:
    chosen = tuple(planned for planned in plan.evaluators if planned.name == evaluator)
    return find_demands(replace(plan, evaluators=chosen)).asks_models


def _find_stored_ids(ids: set[str], folder: Location, parts: Iterable[Part]) -> set[str]:
    """Those of the ids that are in the run, which may be a selection of the cases."""
    stored: set[str] = set()
    for part in parts:
        for file in list_part_files(part, "cases"):
            stored.update(read_table(folder, file, columns=["id"]).column("id").to_pylist())
    return ids & stored


def _summarize(plan: Plan, batches: Iterable[Cases]) -> Summary:
    state = SummaryState(plan.evaluators)
    for cases in batches:
        if len(cases):
            state.add(score_batch(plan, assign_groups(plan.group, cases)))
    return state.finish()


def _replace_share(total: Metric | None, removed: Metric | None, added: Metric | None) -> float | None:
    """The mean of a run after the contribution of some cases is replaced by another."""
    count, weighted = 0, 0.0
    for metric, sign in ((total, 1), (removed, -1), (added, 1)):
        if metric is not None and metric.n:
            count += sign * metric.n
            weighted += sign * metric.n * metric.value
    return min(max(weighted / count, 0.0), 1.0) if count > 0 else None
