"""Drives judges: each is a generator that yields questions; an Asker brings the replies."""

from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from fieldwise.model.ask import Asker, Asking, Asks, Follow, Judgement, Nobody, Replies, Usage
from fieldwise.model.case import Cases
from fieldwise.model.faults import fault
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.result import Result, Results
from fieldwise.registry import EvaluatorSpec

_DONE: Asks = ()


@runtime_checkable
class NamesMetrics(Protocol):
    """Options that know the metrics by name, so that a case without output counts as 0 in the mean of each."""

    def metric_names(self) -> Collection[str]:
        """The metrics that every measured case has."""
        ...


def judge_cases(entry: EvaluatorSpec, planned: PlannedEvaluator, cases: Cases, failed: Collection[int], asker: Asker | None) -> Results:
    """A judge's results for a batch. Nobody is asked about the `failed` rows, which have no output.

    Without an asker, one is made for this batch alone.
    """
    driver = _Driver(entry, planned)
    first = {row: asks for row in range(len(cases)) if row not in failed and (asks := driver.start(row, cases))}
    if first:
        with _opened(None) if asker is None else nullcontext(asker) as whoever:
            whoever.answer(first, driver.follow)
    names = planned.config.metric_names() if isinstance(planned.config, NamesMetrics) else ()
    blank = Result(status="error", metrics=dict.fromkeys(names, 0.0))
    return Results.from_results([driver.results.get(row, blank) for row in range(len(cases))])


@contextmanager
def lazy_asker(asking: Asking | None = None) -> Generator[Asker]:
    """An asker for a whole run that opens nothing before the first question."""
    with ExitStack() as stack:
        if asking is not None and asking.nobody:
            yield Nobody()
            return
        yield _Lazily(lambda: stack.enter_context(_opened(asking)))


class _Lazily:
    """The asker that `make` makes, once it is needed."""

    def __init__(self, make: Callable[[], Asker]) -> None:
        self._make = make
        self._asker: Asker | None = None

    def answer(self, first: Mapping[int, Asks], follow: Follow) -> None:
        self._asker = self._asker or self._make()
        self._asker.answer(first, follow)


def _opened(asking: Asking | None) -> AbstractContextManager[Asker]:
    from fieldwise.ask.asker import open_asker  # asyncio and SQLite, which most runs never need

    return open_asker(asking)


class _Driver:
    """The judges of a batch under way."""

    def __init__(self, entry: EvaluatorSpec, planned: PlannedEvaluator) -> None:
        self._entry, self._planned = entry, planned
        self._judgements: dict[int, Judgement] = {}
        self._usage: dict[int, Usage] = {}
        self.results: dict[int, Result] = {}

    def start(self, row: int, cases: Cases) -> Asks:
        """The first questions about a case; none where the judge is done without asking."""
        try:
            self._judgements[row] = self._entry.function(cases.at(row), self._planned.config)
        except Exception as error:
            return self._crashed(row, error)
        return self._step(row, None)

    def follow(self, row: int, replies: Replies) -> Asks:
        """The next questions about a case, given the replies to the last ones."""
        self._usage[row] = sum((reply.usage for reply in replies), self._usage.get(row, Usage()))
        return self._step(row, replies)

    def _step(self, row: int, replies: Replies | None) -> Asks:
        judgement = self._judgements[row]
        try:
            asks = next(judgement) if replies is None else judgement.send(replies)
            while not asks:  # a round without questions
                asks = judgement.send(())
            return asks
        except StopIteration as done:
            self.results[row] = _with_usage(done.value, self._usage.get(row, Usage()))
            return _DONE
        except Exception as error:
            return self._crashed(row, error)

    def _crashed(self, row: int, error: Exception) -> Asks:
        crash = fault(f"{self._planned.name} crashed: {str(error) or type(error).__name__}")
        self.results[row] = _with_usage(crash, self._usage.get(row, Usage()))
        return _DONE


def _with_usage(result: Result, usage: Usage) -> Result:
    """The result with what its questions took: tokens, cost and time are metrics, and thus in the summary."""
    if not usage.calls:
        return result
    numbers: dict[str, float | bool] = {
        "tokens_in": float(usage.tokens_in),
        "tokens_out": float(usage.tokens_out),
        "latency_seconds": usage.seconds,
        **({} if usage.cost_usd is None else {"cost_usd": usage.cost_usd}),
    }
    told: Mapping[str, Any] = {"calls": usage.calls, "cached": usage.cached, **numbers}
    return replace(result, metrics={**result.metrics, **numbers}, details={**result.details, "usage": told})
