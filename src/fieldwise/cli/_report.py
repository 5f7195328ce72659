"""A run, printed or written to files."""

import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from fieldwise.cli._console import error_console, room, show
from fieldwise.cli._formats import Format
from fieldwise.cli._view import view_of
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.report.files import SUFFIXES, render, suffix_of
from fieldwise.report.json_report import Found, results_jsonl, run_json
from fieldwise.store.run import Run

STREAMED: Final = (".json", ".jsonl", ".csv")
"""Formats that are written piece by piece, however many cases there are."""
EVAL_RESULTS: Final = "eval-results.json"


def print_run(run: Run, form: Format, *, everything: bool = False, aside: bool = False) -> None:
    """Print a run in a format; `aside` leaves standard output to others."""
    stream = sys.stderr if aside else sys.stdout
    if form == Format.json:
        for piece in run_json(view_of(run, examples=False), found_in(run)):
            stream.write(piece)
    elif form == Format.github:
        from fieldwise.report.github import github_report

        stream.write(github_report(view_of(run, examples=False)))
    else:
        from fieldwise.report.terminal import run_report

        show(run_report(view_of(run), room(form, everything=everything, file=stream)), form, file=stream)


def found_in(run: Run) -> Iterator[Found]:
    """Every result of a run with the case and the evaluator it belongs to."""
    return ((one.case, one.evaluator, one.result) for one in run.results())


def check_outputs(outputs: Iterable[str]) -> None:
    """ConfigError for files whose names do not say what to write, before anything runs."""
    bad = [name for name in outputs if name != "-" and suffix_of(name) is None]
    if bad:
        fix = f"end the name in {', '.join(SUFFIXES)}, call it {EVAL_RESULTS}, or give - for JSON lines on standard output"
        raise ConfigError(
            Diagnostic(code="unknown-format", what="the name does not say how to write results", where=Where(file=name), fix=fix)
            for name in bad
        )


def write_outputs(run: Run, outputs: Iterable[str]) -> None:
    """Write the results to each of these files, in the format that its name says."""
    for name in outputs:
        if name == "-" or Path(name).name == EVAL_RESULTS or suffix_of(name) in STREAMED:
            with _opened(name) as file:
                for piece in _content(run, name):
                    file.write(piece)
        else:
            _write_whole(run, name)
        if name != "-":
            error_console().print(f"wrote {name}", style="dim")


def _write_whole(run: Run, name: str) -> None:
    """Write a format that is made as a whole; ConfigError if a package for it is missing."""
    try:
        content = render(run, suffix_of(name) or "")
    except ImportError as error:
        what, fix = f"writing this needs a package that is not installed: {error.name}", "pip install 'fieldwise[report]'"
        raise ConfigError([Diagnostic(code="missing-package", what=what, where=Where(file=name), fix=fix)]) from error
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


@contextmanager
def _opened(name: str) -> Generator[IO[str]]:
    if name == "-":
        yield sys.stdout
        return
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        yield file


def _content(run: Run, name: str) -> Iterable[str]:
    if Path(name).name == EVAL_RESULTS:
        return [_eval_results(run)]
    ending = Path(name).suffix.lower()
    if ending == ".json":
        return run_json(view_of(run, examples=False), found_in(run))
    if ending == ".csv":
        from fieldwise.report.tables import csv_lines

        return csv_lines(run)
    return results_jsonl(found_in(run))


def _eval_results(run: Run) -> str:
    """The results of the suite's field_prf evaluator, in the keys that evaluator is known for."""
    from fieldwise.report.safe import json_text
    from fieldwise.summarize.eval_results import eval_results

    names = [str(one["name"]) for one in run.manifest.evaluators if one["type"] == "field_prf"]
    if not names:
        what, fix = f"{EVAL_RESULTS} holds the results of field_prf, which the suite does not have", "add `- {type: field_prf}`"
        raise ConfigError([Diagnostic(code="no-field-prf", what=what, where=Where(file=run.manifest.suite_file), fix=fix)])
    return json_text(eval_results((one.case, one.result) for one in run.results(names[0])), spaced=True) + "\n"
