"""Runs and cases that people name, or what there is instead."""

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.registry import nearest
from fieldwise.store.reading import StoredResult
from fieldwise.store.run import Run, listed_run, open_run
from fieldwise.store.runs import RunNotFound, find_run, run_ids


def found_run(which: str) -> Run:
    """The run with this id, beginning of an id or tag, or the latest."""
    try:
        return open_run(None, which)
    except RunNotFound as error:
        fix = "`fieldwise runs` lists them" if run_ids() else "`fieldwise demo` makes one"
        raise _problem("no-run", str(error), fix) from error


def found_folder(which: str) -> Run:
    """The same, whatever is wrong with what it stored."""
    try:
        return listed_run(find_run(None, which))
    except RunNotFound as error:
        raise _problem("no-run", str(error), "`fieldwise runs` lists them") from error


def results_of_case(run: Run, case: str, evaluator: str | None) -> list[StoredResult]:
    """What the evaluators said of a case."""
    if evaluator is not None and evaluator not in run.evaluators:
        raise _problem("no-evaluator", f"the run has no evaluator `{evaluator}`", f"it has {', '.join(run.evaluators)}")
    try:
        found = list(run.results(evaluator, case))
    except KeyError as error:
        ids = list(dict.fromkeys(run.to_arrow().column("case").to_pylist()))
        like = nearest(case, ids)
        some = f"there are {', '.join(ids[:5])}{' …' if len(ids) > 5 else ''}" if ids else "it has none: nothing was evaluated"
        fix = f"did you mean `{like}`?" if like else some
        raise _problem("no-case", f"the run {run.id} has no case `{case}`", fix) from error
    if not found:
        raise _problem("not-applicable", f"no evaluator of the run is for the case `{case}`", "see `when` in the suite")
    return found


def no_field(field: str, case: str, results: list[StoredResult]) -> ConfigError:
    """The case has no such field; which is nearest."""
    paths = list(dict.fromkeys(path for one in results for each in one.result.comparisons for path in (each.path, each.field)))
    like = nearest(field, paths)
    fix = f"did you mean `{like}`?" if like else f"there are {', '.join(paths[:8]) or 'none: its evaluators do not compare fields'}"
    return _problem("no-field", f"nothing was compared at `{field}` in the case `{case}`", fix)


def nothing_shared(base: str, new: str) -> ConfigError:
    """Two runs that have no measured case in common."""
    what = f"the runs {base} and {new} have no case in common for any evaluator, so nothing was compared"
    return _problem("nothing-shared", what, "compare runs of the same suite over cases with the same ids")


def same_run(run: str) -> ConfigError:
    """A run that was to be compared with itself."""
    fix = "name two runs: `fieldwise compare BASE NEW`; `fieldwise runs` lists them"
    return _problem("same-run", f"run {run} would be compared with itself", fix)


def no_picture(case: str) -> ConfigError:
    """There is nothing to draw."""
    return _problem("no-picture", f"the case `{case}` has no boxes to draw", "pictures are for iou_score and detection")


def _problem(code: str, what: str, fix: str) -> ConfigError:
    return ConfigError([Diagnostic(code=code, what=what, fix=fix)])
