"""A stored run as reports want it."""

from collections.abc import Iterator
from typing import Final

from fieldwise.model.summary import EvaluatorSummary
from fieldwise.report.view import Example, RunView
from fieldwise.score.causes import describe
from fieldwise.store.run import Run

_CASES_LOOKED_AT: Final = 12
"""For examples of causes; reading a case of a large run takes a moment."""


def view_of(run: Run, *, examples: bool = True) -> RunView:
    """What reports tell of a run, with an example for each cause if they are wanted."""
    found = run.manifest
    causes = {cause for one in run.full.evaluators.values() for field in one.fields for cause, _ in field.causes}
    return RunView(
        id=run.id,
        name=run.name,
        summary=run.full,
        started=run.started,
        finished=run.finished,
        suite_file=found.suite_file,
        path=str(run.path),
        package=found.package,
        gates=run.gates,
        diagnostics=run.diagnostics,
        exit_code=run.exit_code,
        examples=_examples(run) if examples else {},
        causes={cause: describe(cause) for cause in sorted(causes)},
        fingerprints=found.fingerprints,
        environment=found.environment,
    )


def _examples(run: Run) -> dict[str, Example]:
    """A mismatch for each cause, looked for where the summary says that its field is most wrong."""
    first = next((one for one in run.full.evaluators.values() if one.fields), None)
    if first is None:
        return {}
    wanted = {cause for field in first.fields for cause, _ in field.causes}
    found: dict[str, Example] = {}
    for case in _likely_cases(first):
        if wanted <= found.keys():
            break
        for stored in run.results(first.name, case):
            for comparison in stored.result.comparisons:
                if comparison.cause and not comparison.passed:
                    found.setdefault(comparison.cause, Example(case, comparison))
    return found


def _likely_cases(one: EvaluatorSummary) -> Iterator[str]:
    by_rank = [field.worst for field in one.fields if field.causes]
    cases = dict.fromkeys(worst[rank] for rank in range(5) for worst in by_rank if rank < len(worst))
    return iter(list(cases)[:_CASES_LOOKED_AT])
