"""Find runs and cases by name; errors suggest what exists instead."""

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.registry import nearest
from fieldwise.store.part_reader import StoredResult
from fieldwise.store.run import Run, open_listed_run, open_run
from fieldwise.store.run_names import RunNotFound, find_run, list_run_ids


def open_named_run(name: str, root: str | None) -> Run:
    """Open the run with this id, beginning of an id or tag, or the latest."""
    try:
        return open_run(root, name)
    except RunNotFound as error:
        fix = "`fieldwise runs` lists them" if list_run_ids(root) else "`fieldwise demo` makes one"
        raise _config_error("no-run", str(error), fix) from error


def open_named_run_header(name: str, root: str | None) -> Run:
    """Open a run even if its stored results are damaged."""
    try:
        return open_listed_run(find_run(root, name))
    except RunNotFound as error:
        raise _config_error("no-run", str(error), "`fieldwise runs` lists them") from error


def read_case_results(run: Run, case: str, evaluator: str | None) -> list[StoredResult]:
    """Read the results of a case from one evaluator, or from all."""
    if evaluator is not None and evaluator not in run.evaluators:
        raise _config_error("no-evaluator", f"the run has no evaluator `{evaluator}`", f"it has {', '.join(run.evaluators)}")
    try:
        results = list(run.results(evaluator, case))
    except KeyError as error:
        raise _config_error("no-case", f"the run {run.id} has no case `{case}`", _suggest_case(run, case)) from error
    if not results:
        raise _config_error("not-applicable", f"no evaluator of the run applies to the case `{case}`", "see `when` in the suite")
    return results


def _suggest_case(run: Run, case: str) -> str:
    ids: list[str] = list(dict.fromkeys(run.to_arrow().column("case").to_pylist()))
    similar = nearest(case, ids)
    if similar:
        return f"did you mean `{similar}`?"
    if not ids:
        return "it has none: nothing was evaluated"
    return f"there are {', '.join(ids[:5])}{' …' if len(ids) > 5 else ''}"


def unknown_field_error(field: str, case: str, results: list[StoredResult]) -> ConfigError:
    """Error for a field that was not compared in a case, with the most similar path."""
    comparisons = [comparison for stored in results for comparison in stored.result.comparisons]
    paths = list(dict.fromkeys(path for comparison in comparisons for path in (comparison.path, comparison.field)))
    similar = nearest(field, paths)
    fix = f"did you mean `{similar}`?" if similar else f"there are {', '.join(paths[:8]) or 'none: its evaluators do not compare fields'}"
    return _config_error("no-field", f"nothing was compared at `{field}` in the case `{case}`", fix)


def no_shared_cases_error(base: str, new: str) -> ConfigError:
    """Error for two runs that have no measured case in common."""
    what = f"the runs {base} and {new} have no case in common for any evaluator, so nothing was compared"
    return _config_error("nothing-shared", what, "compare runs of the same suite over cases with the same ids")


def same_run_error(run: str) -> ConfigError:
    """Error for a run that would be compared with itself."""
    fix = "name two runs: `fieldwise compare BASE NEW`; `fieldwise runs` lists them"
    return _config_error("same-run", f"run {run} would be compared with itself", fix)


def nothing_to_draw_error(case: str) -> ConfigError:
    """Error for a case without boxes."""
    return _config_error("no-picture", f"the case `{case}` has no boxes to draw", "pictures are for iou_score and detection")


def _config_error(code: str, what: str, fix: str) -> ConfigError:
    return ConfigError([Diagnostic(code=code, what=what, fix=fix)])
