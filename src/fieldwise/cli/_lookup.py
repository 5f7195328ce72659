"""Find runs and cases by name; errors suggest what exists instead."""

from typing import Final

import click

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.registry import CAUSES, nearest
from fieldwise.store.part_reader import StoredResult
from fieldwise.store.run import Run, open_listed_run, open_run
from fieldwise.store.run_names import RunNotFound, find_run, list_run_ids

NO_RUNS_FIX: Final = "change to the folder in which they were stored, or name it: `--root FOLDER/.fieldwise`; `fieldwise demo` creates one"


def open_named_run(name: str, root: str | None) -> Run:
    """Open the run with this id, beginning of an id or tag, or the latest."""
    try:
        return open_run(root, name)
    except RunNotFound as error:
        fix = "`fieldwise runs` lists them" if list_run_ids(root) else NO_RUNS_FIX
        raise _config_error("no-run", str(error), fix) from error


def open_measured_run(name: str, root: str | None) -> Run:
    """Open a run that has scores. An invalid run is refused: "no mismatch" would be true of it and mean nothing."""
    run = open_named_run(name, root)
    if run.state == "invalid":
        raise _config_error(
            "invalid-run", f"run {run.id} is invalid: it has no scores", f"see its problems: `fieldwise runs show {run.id}`"
        )
    if run.state != "finished":
        click.echo(f"run {run.id} did not finish: only the results so far are used", err=True)
    return run


def open_named_run_header(name: str, root: str | None) -> Run:
    """Open a run even if its stored results are damaged."""
    try:
        return open_listed_run(find_run(root, name))
    except RunNotFound as error:
        fix = "`fieldwise runs` lists them" if list_run_ids(root) else NO_RUNS_FIX
        raise _config_error("no-run", str(error), fix) from error


def read_case_results(run: Run, case: str, evaluator: str | None) -> list[StoredResult]:
    """Read the results of a case from one evaluator, or from all."""
    check_evaluator(run, evaluator)
    try:
        results = list(run.results(evaluator, case))
    except KeyError as error:
        raise _config_error("no-case", f"the run {run.id} has no case `{case}`", _suggest_case(run, case)) from error
    if not results:
        raise _config_error("not-applicable", f"no evaluator of the run applies to the case `{case}`", "see `when` in the suite")
    return results


def check_evaluator(run: Run, evaluator: str | None) -> None:
    """Raise ConfigError for an evaluator that the run does not have."""
    if evaluator is not None and evaluator not in run.evaluators:
        raise _config_error("no-evaluator", f"the run has no evaluator `{evaluator}`", f"it has {', '.join(run.evaluators)}")


def find_given_confidences(run: Run, by: str) -> dict[tuple[str, str], float] | None:
    """The agreement of other systems where it is asked for; None where the stored confidences count."""
    from fieldwise.study.doubts import require_agreement

    return require_agreement(run) if by == "agreement" else None


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


def check_comparison_filter(run: Run, field: str | None, cause: str | None, case: str | None) -> None:
    """Raise ConfigError for a field, cause or case that the run does not have, all of them at once."""
    problems: list[Diagnostic] = []
    if field is not None:
        comparisons = run.comparisons(field=field)
        if not len(comparisons):
            paths = comparisons.list_paths()
            similar = nearest(field, paths)
            fix = (
                f"did you mean `{similar}`?" if similar else f"there are {', '.join(paths[:8]) or 'none: its evaluators compare no fields'}"
            )
            problems.append(Diagnostic(code="no-field", what=f"the run {run.id} compared nothing at `{field}`", fix=fix))
    if cause is not None and cause not in CAUSES.names() and not len(run.mismatches(cause=cause)):
        similar = nearest(cause, CAUSES.names())
        fix = f"did you mean `{similar}`?" if similar else "docs/causes.md lists them"
        problems.append(Diagnostic(code="no-cause", what=f"there is no cause `{cause}`", fix=fix))
    if case is not None and not has_case(run, case):
        problems.append(Diagnostic(code="no-case", what=f"the run {run.id} has no case `{case}`", fix=_suggest_case(run, case)))
    if problems:
        raise ConfigError(problems)


def has_case(run: Run, case: str) -> bool:
    """Whether a run has a case with this id."""
    try:
        run.case(case)
    except KeyError:
        return False
    return True


def no_shared_cases_error(base: str, new: str) -> ConfigError:
    """Error for two runs that have no measured case in common."""
    what = f"the runs {base} and {new} have no case in common for any evaluator, so nothing was compared"
    return _config_error("nothing-shared", what, "compare runs of the same suite over cases with the same ids")


def nothing_to_explain_error() -> ConfigError:
    """Error for `explain` without a case and without a field."""
    return _config_error(
        "nothing-to-explain", "name a case or a field", "`fieldwise explain RUN CASE` or `fieldwise explain RUN --field F`"
    )


def nothing_to_draw_error(case: str) -> ConfigError:
    """Error for a case without boxes."""
    return _config_error("no-picture", f"the case `{case}` has no boxes to draw", "pictures are for iou_score and detection")


def _config_error(code: str, what: str, fix: str) -> ConfigError:
    return ConfigError([Diagnostic(code=code, what=what, fix=fix)])
