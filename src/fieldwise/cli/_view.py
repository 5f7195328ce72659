"""A stored run as reports want it."""

from collections import Counter
from dataclasses import replace
from typing import Final

from fieldwise.model.summary import EvaluatorSummary
from fieldwise.report.view import Example, RunView, plain_view
from fieldwise.score.causes import describe
from fieldwise.store.run import Run

_CASES_LOOKED_AT: Final = 16
"""For examples of causes; reading a case of a large run takes a moment."""


def view_of(run: Run, *, examples: bool = True) -> RunView:
    """What reports tell of a run, with an example for each cause if they are wanted."""
    causes = {cause for one in run.full.evaluators.values() for field in one.fields for cause, _ in field.causes}
    told = {cause: describe(cause) for cause in sorted(causes)}
    return replace(plain_view(run), examples=_examples(run) if examples else {}, causes=told)


def _examples(run: Run) -> dict[str, Example]:
    """A mismatch for each of the commonest causes, looked for where the summary says that their fields are most wrong."""
    first = next((one for one in run.full.evaluators.values() if one.fields), None)
    found: dict[str, Example] = {}
    if first is None:
        return found
    seen: set[str] = set()
    for cause in _commonest(first):
        for case in _likely_cases(first, cause):
            if cause in found or len(seen) >= _CASES_LOOKED_AT:
                break
            if case not in seen:
                seen.add(case)
                _note(run, first.name, case, found)
    return found


def _note(run: Run, evaluator: str, case: str, found: dict[str, Example]) -> None:
    """Keep what this case shows of causes that have no example yet."""
    for stored in run.results(evaluator, case):
        for comparison in stored.result.comparisons:
            if comparison.cause and not comparison.passed:
                found.setdefault(comparison.cause, Example(case, comparison))


def _commonest(one: EvaluatorSummary) -> list[str]:
    totals: Counter[str] = Counter()
    for field in one.fields:
        totals.update(dict(field.causes))
    return [cause for cause, _ in sorted(totals.items(), key=lambda item: (-item[1], item[0]))]


def _likely_cases(one: EvaluatorSummary, cause: str) -> list[str]:
    """The worst cases of the fields that have this cause, those of the field with most of it first."""
    having = [(dict(field.causes)[cause], field.worst) for field in one.fields if cause in dict(field.causes)]
    return list(dict.fromkeys(case for _, worst in sorted(having, key=lambda pair: -pair[0]) for case in worst))
