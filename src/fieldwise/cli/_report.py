"""Print a run, or write it to files."""

import os
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from fieldwise.cli._console import display_options, error_console, print_page
from fieldwise.cli._files import check_packages, complete_or_absent
from fieldwise.cli._options import Format, Program
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.report.files import SUFFIXES, find_suffix, render
from fieldwise.report.json_report import iterate_results_jsonl, iterate_run_json
from fieldwise.report.run_view import build_run_view
from fieldwise.store.run import Run
from fieldwise.store.stored_comparisons import StoredComparisons

STREAMED: Final = (".json", ".jsonl", ".csv")
"""Formats that are written result by result, in constant memory."""
EVAL_RESULTS: Final = "eval-results.json"


def print_run(run: Run, form: Format, program: Program, *, show_all: bool = False, to_stderr: bool = False) -> None:
    """Print a run in a format; `to_stderr` leaves standard output free for results."""
    stream = sys.stderr if to_stderr else sys.stdout
    if form == "json":
        for chunk in iterate_run_json(build_run_view(run), run.result_texts()):
            stream.write(chunk)
    elif form == "github":
        from fieldwise.report.ci_output import render_github

        stream.write(render_github(build_run_view(run)))
        write_step_summary(run)
    elif form == "agent":
        from fieldwise.report.agent_output import render_agent

        stream.write(render_agent(run, program.command))
    else:
        from fieldwise.report.terminal import build_run_report

        options = display_options(form, program, show_all=show_all, file=stream)
        print_page(build_run_report(build_run_view(run, examples=True), options), form, file=stream)


def print_cause_changes(run: Run, pack: Path, form: Format, *, to_stderr: bool = False) -> None:
    """Print how causes changed since a pack. Other formats have it among the diagnostics of the run."""
    from fieldwise.study.cause_changes import compare_causes, read_pack
    from fieldwise.study.pack_view import build_cause_changes

    if form in ("rich", "plain") and run.state == "finished":
        print_page(build_cause_changes(compare_causes(read_pack(pack), run)), form, file=sys.stderr if to_stderr else sys.stdout)


def write_step_summary(run: Run) -> None:
    """Append the run as Markdown to the summary of a GitHub step, if this is one."""
    from fieldwise.report.markdown import render_markdown

    target = os.environ.get("GITHUB_STEP_SUMMARY")
    if target:
        with Path(target).open("a", encoding="utf-8") as file:
            file.write(render_markdown(run) + "\n")


def check_outputs(outputs: Iterable[str]) -> None:
    """Raise ConfigError for file names without a known format, and for formats whose packages are missing, before anything runs."""
    outputs = tuple(outputs)
    unknown = [name for name in outputs if name != "-" and find_suffix(name) is None]
    if unknown:
        fix = f"end the name in {', '.join(SUFFIXES)}, call it {EVAL_RESULTS}, or use - for JSON lines on standard output"
        raise ConfigError(
            Diagnostic(code="unknown-format", what="the file name has no known format", where=Where(file=name), fix=fix) for name in unknown
        )
    check_packages(outputs)


def check_list_output(name: str) -> None:
    """Raise ConfigError for a file name whose format cannot hold a list of comparisons."""
    from fieldwise.report.mismatch_list import SUFFIXES as LIST_SUFFIXES
    from fieldwise.report.mismatch_list import find_list_suffix

    if name != "-" and find_list_suffix(name) is None:
        what, fix = "the file name has no known format", f"end the name in {', '.join(LIST_SUFFIXES)}"
        raise ConfigError([Diagnostic(code="unknown-format", what=what, where=Where(file=name), fix=fix)])
    check_packages([name])


def write_outputs(run: Run, outputs: Iterable[str]) -> None:
    """Write the results to each of these files, in the format of its name."""
    for name in outputs:
        if name == "-" or Path(name).name == EVAL_RESULTS or find_suffix(name) in STREAMED:
            with _open_output(name) as file:
                for chunk in _stream_output(run, name):
                    file.write(chunk)
        else:
            _write_rendered(run, name)
        if find_suffix(name) == ".csv":
            _write_mismatches_beside(run, Path(name))
        if name != "-":
            error_console().print(f"wrote {name}", style="dim")


def _write_mismatches_beside(run: Run, path: Path) -> None:
    """Write the mismatches of `x.csv` to `x.mismatches.csv`."""
    write_list(run, run.mismatches(), str(path.with_suffix(".mismatches.csv")))


def write_list(run: Run, comparisons: StoredComparisons, name: str) -> None:
    """Write comparisons to a file in the format of its name; `-` is JSON lines on standard output."""
    from fieldwise.report.mismatch_list import find_list_suffix, render_list

    if name == "-":
        for chunk in render_list(run, comparisons, ".jsonl"):
            sys.stdout.write(chunk.decode())
        return
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with complete_or_absent(path), path.open("wb") as file:
        for chunk in render_list(run, comparisons, find_list_suffix(name) or ".jsonl"):
            file.write(chunk)
    error_console().print(f"wrote {name}", style="dim")


def _write_rendered(run: Run, name: str) -> None:
    """Write a format that is rendered in memory."""
    content = _render_content(run, find_suffix(name) or "")
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with complete_or_absent(path):
        path.write_bytes(content)


def _render_content(run: Run, suffix: str) -> bytes:
    if suffix != ".html":
        return render(run, suffix)
    from fieldwise.study.html_report import render_studied_html  # loads templates and charts

    return render_studied_html(run).encode("utf-8", "backslashreplace")


@contextmanager
def _open_output(name: str) -> Generator[IO[str]]:
    if name == "-":
        yield sys.stdout
        return
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with complete_or_absent(path), path.open("w", encoding="utf-8", newline="") as file:
        yield file


def _stream_output(run: Run, name: str) -> Iterable[str]:
    if Path(name).name == EVAL_RESULTS:
        return [_eval_results_json(run)]
    suffix = Path(name).suffix.lower()
    if suffix == ".json":
        return iterate_run_json(build_run_view(run), run.result_texts())
    if suffix == ".csv":
        from fieldwise.report.files import iterate_csv_lines

        return iterate_csv_lines(run)
    return iterate_results_jsonl(run.result_texts())


def _eval_results_json(run: Run) -> str:
    """The results of the suite's field_prf evaluator as `per_eval` and `aggregate`."""
    from fieldwise.report.text_format import dump_json
    from fieldwise.summarize.eval_results import build_eval_results

    names = [str(evaluator["name"]) for evaluator in run.manifest.evaluators if evaluator["type"] == "field_prf"]
    if not names:
        raise ConfigError([describe_missing_field_prf(run.manifest.suite_file)])
    return dump_json(build_eval_results((stored.case, stored.result) for stored in run.results(names[0])), spaced=True) + "\n"


def describe_missing_field_prf(suite_file: str | None) -> Diagnostic:
    """The error for writing `eval-results.json` from a suite without `field_prf`."""
    what, fix = f"{EVAL_RESULTS} holds the results of field_prf, which the suite does not have", "add `- {type: field_prf}`"
    return Diagnostic(code="no-field-prf", what=what, where=Where(file=suite_file), fix=fix)
