"""Runs judges: each is a generator that yields questions; an `Asker` answers them."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, runtime_checkable

from fieldwise.model.ask import Asker, Asks, Judgement, Replies, Usage
from fieldwise.model.case import Cases
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.result import Result, Results, fault_result
from fieldwise.score.guard import Crash, call_guarded
from fieldwise.specs import EvaluatorSpec

_NO_QUESTIONS: Asks = ()


@runtime_checkable
class NamesMetrics(Protocol):
    """Options that name their metrics, so that a case without output counts as 0 in the mean of each."""

    def metric_names(self) -> Collection[str]:
        """The metrics that every measured case has."""
        ...


def judge_cases(entry: EvaluatorSpec, planned: PlannedEvaluator, cases: Cases, failed: Collection[int], asker: Asker) -> Results:
    """A judge's results for a batch. No question is asked about the `failed` rows, which have no output."""
    judges = _RunningJudges(entry, planned)
    first_questions: dict[int, Asks] = {}
    for row in range(len(cases)):
        questions = _NO_QUESTIONS if row in failed else judges.start(row, cases)
        if questions:
            first_questions[row] = questions
    if first_questions:
        asker.answer(first_questions, judges.continue_with)
    metric_names = planned.config.metric_names() if isinstance(planned.config, NamesMetrics) else ()
    no_output = Result(status="error", metrics=dict.fromkeys(metric_names, 0.0))
    return Results.from_results([judges.results.get(row, no_output) for row in range(len(cases))])


class _RunningJudges:
    """The judges of a batch in progress, one per case."""

    def __init__(self, entry: EvaluatorSpec, planned: PlannedEvaluator) -> None:
        self._entry, self._planned = entry, planned
        self._judgements: dict[int, Judgement] = {}
        self._usage: dict[int, Usage] = {}
        self.results: dict[int, Result] = {}

    def start(self, row: int, cases: Cases) -> Asks:
        """The first questions about a case; none if the judge is done without asking."""
        call = call_guarded(partial(self._entry.function, cases.at(row), self._planned.config))
        if isinstance(call, Crash):
            return self._finish_with_fault(row, call)
        self._judgements[row] = call.value
        return self._advance(row, None)

    def continue_with(self, row: int, replies: Replies) -> Asks:
        """The next questions about a case, after the replies to the last ones."""
        self._usage[row] = sum((reply.usage for reply in replies), self._usage.get(row, Usage()))
        return self._advance(row, replies)

    def _advance(self, row: int, replies: Replies | None) -> Asks:
        call = call_guarded(partial(_next_questions, self._judgements[row], replies))
        if isinstance(call, Crash):
            return self._finish_with_fault(row, call)
        if isinstance(call.value, _Finished):
            self._finish(row, call.value.result)
            return _NO_QUESTIONS
        return call.value

    def _finish_with_fault(self, row: int, crash: Crash) -> Asks:
        self._finish(row, fault_result(f"{self._planned.name} crashed: {crash.message}"))
        return _NO_QUESTIONS

    def _finish(self, row: int, result: Result) -> None:
        self.results[row] = _add_usage(result, self._usage.get(row, Usage()))


class _Finished:
    """The result that a judge returned."""

    def __init__(self, result: Result) -> None:
        self.result = result


def _next_questions(judgement: Judgement, replies: Replies | None) -> "Asks | _Finished":
    """Advance a judge to its next round with at least one question, or to its result."""
    try:
        questions = next(judgement) if replies is None else judgement.send(replies)
        while not questions:
            questions = judgement.send(())
        return questions
    except StopIteration as done:
        return _Finished(done.value)


def _add_usage(result: Result, usage: Usage) -> Result:
    """Add what the questions used to a result: tokens, cost and time are metrics, and thus in the summary."""
    if not usage.calls:
        return result
    metrics: dict[str, float | bool] = {
        "tokens_in": float(usage.tokens_in),
        "tokens_out": float(usage.tokens_out),
        "latency_seconds": usage.seconds,
    }
    if usage.cost_usd is not None:
        metrics["cost_usd"] = usage.cost_usd
    details: Mapping[str, Any] = {"calls": usage.calls, "cached": usage.cached, **metrics}
    return replace(result, metrics={**result.metrics, **metrics}, details={**result.details, "usage": details})
