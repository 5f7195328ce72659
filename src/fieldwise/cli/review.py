"""`fieldwise review`: decide about the comparisons of a run, one at a time, in the terminal."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from fieldwise.cli._options import (
    PATH,
    DocumentedCommand,
    NumberRange,
    TextFormat,
    latest_run_argument,
    program_of,
    root_option,
    text_format_option,
)

if TYPE_CHECKING:
    from rich.text import Text

    from fieldwise.model.comparison import Comparison
    from fieldwise.study.label_studio_tasks import Annotation
    from fieldwise.study.review_queue import ReviewItem
    from fieldwise.study.review_session import ItemStatus, ReviewSession


SOURCES: Final = ("doubts", "low-confidence", "disagreements", "sample")
"""Sources of the queue."""
KEYS: Final[Mapping[str, str]] = {"e": "take_actual", "t": "type", "b": "both_right", "a": "actual_wrong", "s": "skip"}
BLIND_KEYS: Final[Mapping[str, str]] = {"1": "first_right", "2": "second_right", "b": "both_right", "t": "type", "s": "skip"}
HELP: Final = "e expected is wrong, actual is right · t VALUE type the expected value · b both are right · a actual is wrong"
BLIND_HELP: Final = "1 only A is right · 2 only B is right · b both are right · t VALUE neither: type the value"
MORE_HELP: Final = "s skip · u undo · q quit"


@click.command(cls=DocumentedCommand)
@latest_run_argument
@click.option("--source", "sources", type=click.Choice(SOURCES), multiple=True, help="What to review; repeatable. [default: all of them]")
@click.option("--blind", is_flag=True, help="Hide which side is expected and which is actual.")
@click.option("--by", metavar="NAME", help="Who decides. [default: the login name]")
@click.option("--sample", type=NumberRange(min=0, max=1), default=0.05, help="Share of the agreed values to review.")
@click.option("--lowest", type=NumberRange(min=0, max=1), default=0.1, help="Share of the values that counts as low confidence.")
@click.option("--corrections", metavar="FILE", type=PATH, help="Write corrections here. [default: beside the data]")
@click.option("--export", "export_file", metavar="FILE", type=PATH, help="Write the open comparisons as tasks of Label Studio, and stop.")
@click.option("--import", "import_file", metavar="FILE", type=PATH, help="Read the answers from annotated tasks of Label Studio, and stop.")
@text_format_option
@root_option
@click.pass_context
def review(
    context: click.Context,
    run: str,
    sources: tuple[str, ...],
    blind: bool,
    by: str | None,
    sample: float,
    lowest: float,
    corrections: Path | None,
    export_file: Path | None,
    import_file: Path | None,
    form: TextFormat,
    root: str | None,
) -> None:
    """Review the comparisons of a run: correct expected values that are wrong, accept values that are right too.

    Decisions are appended to corrections.jsonl and review.jsonl beside the data. `--format json` prints the queue without prompting.
    """
    from fieldwise.cli._lookup import open_measured_run
    from fieldwise.study.doubts import read_suspects
    from fieldwise.study.review_queue import SOURCES, QueueSelection, build_queue
    from fieldwise.study.review_session import ReviewFiles, ReviewSession, find_review_files

    _check_usage(form, export_file, import_file, blind=blind)
    program = program_of(context, root)
    stored_run = open_measured_run(run, program.root)
    chosen = {name.replace("-", "_") for name in sources}
    selection = QueueSelection(sources=tuple(name for name in SOURCES if not chosen or name in chosen), sample=sample, lowest=lowest)
    files = find_review_files(stored_run) if corrections is None else ReviewFiles.at(corrections)
    reviewer_name = by or _login_name()
    if import_file is not None:
        annotations = _read_answers(import_file, reviewer_name)
        places = [(annotation.case, annotation.path) for annotation in annotations]
        answered = build_queue(stored_run, QueueSelection(sources=("doubts",)), places)  # whatever source a task came from
        _write_answers(ReviewSession(stored_run, answered, files), annotations, import_file, form)
        return
    session = ReviewSession(stored_run, build_queue(stored_run, selection, read_suspects(stored_run)), files)
    if export_file is not None:
        _export_tasks(session, export_file)
    elif form == "json":
        click.echo(_queue_json(session))
    else:
        _Reviewer(session, reviewer_name, blind, form).work()


def _check_usage(form: TextFormat, export_file: Path | None, import_file: Path | None, *, blind: bool) -> None:
    """Raise ConfigError for options that would do nothing together."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    modes = {"--export": export_file is not None, "--import": import_file is not None, "--format json": form == "json"}
    named_modes = [name for name, is_given in modes.items() if is_given]
    problems: list[Diagnostic] = []
    if blind and named_modes:
        what = f"--blind does nothing with {named_modes[0]}, which names both sides"
        problems.append(Diagnostic(code="bad-usage", what=what, fix="omit --blind, or review on the terminal or the page"))
    if export_file is not None and import_file is not None:
        what = "--export and --import exclude each other"
        problems.append(Diagnostic(code="bad-usage", what=what, fix="import the answers, then export what is still open"))
    if problems:
        raise ConfigError(problems)


def _login_name() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a process without a user name
        return "reviewer"


class _Reviewer:
    """The loop of the terminal: show a comparison, read a line, write the decision."""

    def __init__(self, session: "ReviewSession", by: str, blind: bool, form: TextFormat) -> None:
        from fieldwise.cli._console import make_console
        from fieldwise.study.doubts import read_suspicions

        self._session = session
        self._by = by
        self._blind = blind
        self._console = make_console(form)
        self._written = 0
        self._has_shown_help = False
        self._suspicions = read_suspicions(session.run)

    @property
    def _help(self) -> str:
        return f"{BLIND_HELP if self._blind else HELP} · {MORE_HELP}"

    def work(self) -> None:
        """Ask until nothing is open, or the input ends."""
        at: int | None = 0
        shown: int | None = None
        if not len(self._session.queue):
            self._console.print("nothing to review: no comparison of this run comes from these sources")
            return
        while True:
            statuses = self._session.read_status()
            at = self._session.next_open(statuses, at or 0)
            if at is None:
                break
            if at != shown:
                self._show(at, statuses)
                shown = at
            line = self._ask(f"[{'/'.join((*(BLIND_KEYS if self._blind else KEYS), 'u', 'q', '?'))}] ")
            if line is None or line in ("q", "quit"):
                break
            moved_to = self._answer(at, line)
            if moved_to is not None:
                at, shown = moved_to, None
        self._summarize()

    def _ask(self, prompt: str) -> str | None:
        """The next line of the input; None at its end."""
        self._console.print(prompt, end="")
        self._console.file.flush()
        line = sys.stdin.readline()
        if not sys.stdin.isatty():
            self._console.print(line.rstrip("\n"), markup=False)
        return line.strip() if line else None

    def _answer(self, at: int, line: str) -> int | None:
        """Do what a line says; the item to show next, or None to ask again about this one."""
        from fieldwise.study.review_session import AlreadyDecided, ReviewProblem, resolve_blind_choice

        key, _, rest = line.partition(" ")
        if key == "u":
            index = self._session.undo(self._by)
            if index is None:
                self._console.print(f"{self._by} has no decision to undo here")
                return None
            self._written -= 1
            self._console.print("undone")
            return index
        choice: Any = (BLIND_KEYS if self._blind else KEYS).get(key)
        if choice is None:
            self._console.print(self._help)
            return None
        if choice == "type" and not rest:
            rest = self._ask("value (nothing for no value): ") or ""
        item = self._session.queue.items[at]
        try:
            self._session.decide(at, resolve_blind_choice(item, choice) if self._blind else choice, by=self._by, typed=rest)
        except AlreadyDecided as error:
            self._console.print("decided meanwhile" if self._blind else str(error))
            return at
        except ReviewProblem as error:
            self._console.print(f"{error}" + (f"\n  fix: {error.fix}" if error.fix else ""))
            return None
        self._written += 1
        return at

    def _show(self, at: int, statuses: "Mapping[int, ItemStatus]") -> None:
        from rich.text import Text

        from fieldwise.study.review_queue import load_comparison
        from fieldwise.study.review_session import format_duration

        item = self._session.queue.items[at]
        progress = self._session.progress(statuses)
        done = f"{progress.done:,} of {progress.total:,} decided, about {format_duration(progress.seconds_left)} left"
        self._console.print()
        self._console.print(Text.assemble((item.path, "bold"), f" of {item.case}  ", (f"({item.source.replace('_', ' ')}; {done})", "dim")))
        comparison = load_comparison(self._session.run, item)
        for line in self._side_lines(item, comparison):
            self._console.print(line)
        for line in self._evidence_lines(item, comparison):
            self._console.print(line)
        if not self._has_shown_help:
            self._console.print(Text(self._help, "dim"))
            self._has_shown_help = True

    def _side_lines(self, item: "ReviewItem", comparison: "Comparison") -> "list[Text]":
        from rich.text import Text

        from fieldwise.report.text_format import format_value, make_visible
        from fieldwise.study.review_session import name_sides

        names = name_sides(item, blind=self._blind)
        lines: list[Text] = []
        for side in ("expected", "actual"):
            is_missing = getattr(comparison, f"{side}_presence") == "missing"
            value = "(missing)" if is_missing else make_visible(format_value(getattr(comparison, side)))
            lines.append(Text.assemble((f"  {names[side]:<9}", "dim"), value))
        if self._blind:
            return sorted(lines, key=lambda line: line.plain)
        remarks = [text for text in (comparison.cause and comparison.cause.replace("_", " "), comparison.note) if text]
        if item.confidence is not None:
            remarks.append(f"confidence {item.confidence:.2f}")
        if remarks:
            lines.append(Text(f"  {'':<9}{' · '.join(remarks)}", "dim"))
        suspicion = self._suspicions.get(item.place) if item.source == "doubts" and not item.redacted else None
        if suspicion is not None:
            said = make_visible(format_value(suspicion.suggested))
            lines += [
                Text(f"  {suspicion.systems} say {said}"),
                *(Text(f"  {make_visible(reason)}", "dim") for reason in suspicion.evidence),
            ]
        return lines

    def _evidence_lines(self, item: "ReviewItem", comparison: "Comparison") -> "list[Text]":
        from rich.text import Text

        from fieldwise.report.evidence import cut_excerpt, find_page_place, list_source_texts, mark_sources
        from fieldwise.report.text_format import make_visible
        from fieldwise.study.review_session import name_sides

        if item.redacted:
            return []
        case = self._session.run.case(item.case)
        names: dict[str, str] = {**name_sides(item, blind=self._blind), "both": "both"}
        place = find_page_place(case, comparison)
        lines = [] if place is None else [Text(f"  {'place':<9}{place.describe()}", "dim")]
        values = {side: getattr(comparison, side) for side in ("expected", "actual")}
        sources = mark_sources(case, values)
        shown: set[str] = set()
        for source in sources:
            for start, end, role in source.spans:
                if role not in shown:
                    shown.add(role)
                    before, value, after = map(make_visible, cut_excerpt(source.text, (start, end)))
                    lines.append(
                        Text.assemble((f"  {source.name}: ", "dim"), before, (value, "reverse"), after, (f"  ← {names[role]}", "dim"))
                    )
        scalars = [side for side, value in values.items() if isinstance(value, str | int | float) and not isinstance(value, bool)]
        missing = [names[side] for side in scalars if side not in shown and "both" not in shown]
        if missing and list_source_texts(case):
            lines.append(Text(f"  not in the source text: {', '.join(sorted(missing))}", "dim"))
        return lines

    def _summarize(self) -> None:
        progress = self._session.progress(self._session.read_status())
        files = self._session.files
        self._console.print()
        self._console.print(f"{progress.done:,} of {progress.total:,} decided; stored in {files.corrections} and {files.review}")
        interval = progress.undetected
        if interval is not None and not self._blind:
            share = f"{interval[0]:.1%} to {interval[1]:.1%}"
            self._console.print(f"{progress.sampled_wrong} of {progress.sampled} agreed values had a wrong expected value: {share} of all")
        if self._written > 0 and files.corrections.exists() and self._session.run.manifest.corrections is None:
            self._console.print(f"next: name them in the suite, cases: {{…, corrections: {files.corrections.name}}}, and run it again")


def _queue_json(session: "ReviewSession") -> str:
    from fieldwise.report.text_format import dump_json
    from fieldwise.study.review_queue import load_comparisons

    statuses = session.read_status()
    comparisons = load_comparisons(session.run, session.queue.items)
    items: list[dict[str, Any]] = []
    for index, item in enumerate(session.queue.items):
        comparison, status = comparisons[item.place], statuses.get(index)
        items.append(
            {
                "case": item.case,
                "path": item.path,
                "evaluator": item.evaluator,
                "source": item.source,
                "expected": comparison.expected,
                "actual": comparison.actual,
                "passed": item.passed,
                "confidence": item.confidence,
                "decision": None if status is None else status.decision,
                "by": None if status is None else status.by,
                "at": None if status is None else status.at,
            }
        )
    progress = session.progress(statuses)
    return dump_json(
        {
            "run": session.run.id,
            "corrections": str(session.files.corrections),
            "review": str(session.files.review),
            "total": progress.total,
            "decided": progress.done,
            "items": items,
        },
        spaced=True,
    )


def _export_tasks(session: "ReviewSession", file: Path) -> None:
    from fieldwise.report.text_format import dump_json
    from fieldwise.study.label_studio_tasks import LABELING_CONFIG, make_task
    from fieldwise.study.review_queue import load_comparisons

    statuses = session.read_status()
    open_items = [item for index, item in enumerate(session.queue.items) if index not in statuses]
    comparisons = load_comparisons(session.run, open_items)
    cases = {id: session.run.case(id) for id in dict.fromkeys(item.case for item in open_items)}
    tasks = [
        make_task(number, session.run.id, item, comparisons[item.place], cases[item.case]) for number, item in enumerate(open_items, 1)
    ]
    file.write_text(dump_json(tasks, spaced=True) + "\n", encoding="utf-8")
    config = file.with_suffix(".xml")
    config.write_text(LABELING_CONFIG, encoding="utf-8")
    click.echo(f"{len(tasks):,} tasks in {file}; their labeling interface is in {config}")


def _read_answers(file: Path, by: str) -> "list[Annotation]":
    """The answers in a file of annotated tasks; ConfigError if one cannot be read."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
    from fieldwise.model.values import MISSING
    from fieldwise.read.json_text import decode_json
    from fieldwise.study.label_studio_tasks import read_annotations

    try:
        decoded = decode_json(file.read_bytes())
    except OSError as error:
        what = f"the file cannot be read: {error.strerror or error}"
        raise ConfigError([Diagnostic(code="unreadable-file", what=what, where=Where(file=str(file)))]) from error
    if decoded.value is MISSING:
        raise ConfigError(list(decoded.diagnostics) or [Diagnostic(code="unreadable-file", what="the file is not JSON")])
    annotations, problems = read_annotations(decoded.value, by)
    if problems:
        raise ConfigError([Diagnostic(code="bad-annotation", what=what, where=Where(file=str(file))) for what in problems])
    return annotations


def _write_answers(session: "ReviewSession", annotations: "list[Annotation]", file: Path, form: TextFormat) -> None:
    from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
    from fieldwise.report.text_format import dump_json
    from fieldwise.study.label_studio_tasks import apply_annotations

    written, decided, refused = apply_annotations(session, annotations)
    if form == "json":
        click.echo(dump_json({"written": written, "decided_before": decided, "refused": refused}))
    else:
        click.echo(f"{written:,} decisions written to {session.files.review}, {decided:,} had been decided before")
    if refused:
        raise ConfigError([Diagnostic(code="not-written", what=what, where=Where(file=str(file))) for what in refused])
