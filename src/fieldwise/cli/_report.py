"""Print a run, or write it to files."""

import sys
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Final

from fieldwise.cli._console import display_options, error_console, print_page
from fieldwise.cli._options import Format, Program
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.summary import EvaluatorSummary
from fieldwise.report.files import SUFFIXES, find_suffix, render
from fieldwise.report.json_report import CaseResult, iterate_results_jsonl, iterate_run_json
from fieldwise.report.view import MismatchExample, RunView, plain_view
from fieldwise.score.causes import describe
from fieldwise.store.run import Run

STREAMED: Final = (".json", ".jsonl", ".csv")
"""Formats that are written result by result, in constant memory."""
EVAL_RESULTS: Final = "eval-results.json"
_MAX_EXAMPLE_CASES: Final = 16
"""Cases that are read to find examples of causes; reading a case of a large run takes milliseconds."""


def print_run(run: Run, form: Format, program: Program, *, show_all: bool = False, to_stderr: bool = False) -> None:
    """Print a run in a format; `to_stderr` leaves standard output free for results."""
    stream = sys.stderr if to_stderr else sys.stdout
    if form == Format.json:
        for chunk in iterate_run_json(load_run_view(run, examples=False), iterate_results(run)):
            stream.write(chunk)
    elif form == Format.github:
        from fieldwise.report.github import render_github

        stream.write(render_github(load_run_view(run, examples=False)))
    else:
        from fieldwise.report.terminal import build_run_report

        options = display_options(form, program, show_all=show_all, file=stream)
        print_page(build_run_report(load_run_view(run), options), form, file=stream)


def iterate_results(run: Run) -> Iterator[CaseResult]:
    """Yield every result of a run with its case and evaluator."""
    return ((stored.case, stored.evaluator, stored.result) for stored in run.results())


def check_outputs(outputs: Iterable[str]) -> None:
    """Raise ConfigError for file names without a known format, before anything runs."""
    unknown = [name for name in outputs if name != "-" and find_suffix(name) is None]
    if unknown:
        fix = f"end the name in {', '.join(SUFFIXES)}, call it {EVAL_RESULTS}, or use - for JSON lines on standard output"
        raise ConfigError(
            Diagnostic(code="unknown-format", what="the file name has no known format", where=Where(file=name), fix=fix) for name in unknown
        )


def write_outputs(run: Run, outputs: Iterable[str]) -> None:
    """Write the results to each of these files, in the format of its name."""
    for name in outputs:
        if name == "-" or Path(name).name == EVAL_RESULTS or find_suffix(name) in STREAMED:
            with _open_output(name) as file:
                for chunk in _stream_output(run, name):
                    file.write(chunk)
        else:
            _write_rendered(run, name)
        if name != "-":
            error_console().print(f"wrote {name}", style="dim")


def _write_rendered(run: Run, name: str) -> None:
    """Write a format that is rendered in memory; ConfigError if a package for it is missing."""
    try:
        content = render(run, find_suffix(name) or "")
    except ImportError as error:
        what, fix = f"this format needs a package that is not installed: {error.name}", "pip install 'fieldwise[report]'"
        raise ConfigError([Diagnostic(code="missing-package", what=what, where=Where(file=name), fix=fix)]) from error
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


@contextmanager
def _open_output(name: str) -> Generator[IO[str]]:
    if name == "-":
        yield sys.stdout
        return
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        yield file


def _stream_output(run: Run, name: str) -> Iterable[str]:
    if Path(name).name == EVAL_RESULTS:
        return [_eval_results_json(run)]
    suffix = Path(name).suffix.lower()
    if suffix == ".json":
        return iterate_run_json(load_run_view(run, examples=False), iterate_results(run))
    if suffix == ".csv":
        from fieldwise.report.tables import iterate_csv_lines

        return iterate_csv_lines(run)
    return iterate_results_jsonl(iterate_results(run))


def _eval_results_json(run: Run) -> str:
    """The results of the suite's field_prf evaluator as `per_eval` and `aggregate`."""
    from fieldwise.report.safe import dump_json
    from fieldwise.summarize.eval_results import eval_results

    names = [str(evaluator["name"]) for evaluator in run.manifest.evaluators if evaluator["type"] == "field_prf"]
    if not names:
        what, fix = f"{EVAL_RESULTS} holds the results of field_prf, which the suite does not have", "add `- {type: field_prf}`"
        raise ConfigError([Diagnostic(code="no-field-prf", what=what, where=Where(file=run.manifest.suite_file), fix=fix)])
    return dump_json(eval_results((stored.case, stored.result) for stored in run.results(names[0])), spaced=True) + "\n"


def load_run_view(run: Run, *, examples: bool = True) -> RunView:
    """The page model of a run with labels and advice of its causes, and an example of each if `examples`."""
    causes = {cause for evaluator in run.full.evaluators.values() for field in evaluator.fields for cause, _ in field.causes}
    descriptions = {cause: describe(cause) for cause in sorted(causes)}
    return replace(plain_view(run), examples=_find_examples(run) if examples else {}, causes=descriptions)


def _find_examples(run: Run) -> dict[str, MismatchExample]:
    """Find a mismatch for each of the most frequent causes, in the worst cases of the fields that have it."""
    evaluator = next((summary for summary in run.full.evaluators.values() if summary.fields), None)
    examples: dict[str, MismatchExample] = {}
    if evaluator is None:
        return examples
    read_cases: set[str] = set()
    for cause in _causes_by_frequency(evaluator):
        for case in _likely_cases(evaluator, cause):
            if cause in examples or len(read_cases) >= _MAX_EXAMPLE_CASES:
                break
            if case not in read_cases:
                read_cases.add(case)
                _add_examples(run, evaluator.name, case, examples)
    return examples


def _add_examples(run: Run, evaluator: str, case: str, examples: dict[str, MismatchExample]) -> None:
    """Add the mismatches of a case whose causes have no example yet."""
    for stored in run.results(evaluator, case):
        for comparison in stored.result.comparisons:
            if comparison.cause and not comparison.passed:
                examples.setdefault(comparison.cause, MismatchExample(case, comparison))


def _causes_by_frequency(evaluator: EvaluatorSummary) -> list[str]:
    totals: Counter[str] = Counter()
    for field in evaluator.fields:
        totals.update(dict(field.causes))
    return [cause for cause, _ in sorted(totals.items(), key=lambda item: (-item[1], item[0]))]


def _likely_cases(evaluator: EvaluatorSummary, cause: str) -> list[str]:
    """The worst cases of the fields with this cause, beginning with the field that has it most often."""
    fields = [(dict(field.causes)[cause], field.worst) for field in evaluator.fields if cause in dict(field.causes)]
    by_count = sorted(fields, key=lambda pair: -pair[0])
    return list(dict.fromkeys(case for _, worst in by_count for case in worst))
