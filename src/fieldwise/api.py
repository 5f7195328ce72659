"""The whole flow in a page: read cases, plan, score in batches, summarize, store. Read this first."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fieldwise.kernels.runtime import throughput_settings
from fieldwise.model.ask import Asker, Asking
from fieldwise.model.case import Case, Cases
from fieldwise.model.change import Changes
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.diff import Diff
from fieldwise.model.document import Document
from fieldwise.model.pairs import Scores
from fieldwise.model.plan import Plan, PlannedEvaluator, Source, When
from fieldwise.model.result import Result
from fieldwise.model.summary import Summary
from fieldwise.model.values import MISSING, Json, Value
from fieldwise.plan.evaluators import plan_config
from fieldwise.plan.gates import parse_gate
from fieldwise.plan.infer import Inferred
from fieldwise.plan.matches import plan_match
from fieldwise.plan.suite import build_plan
from fieldwise.read.cases import CaseReader, read_cases
from fieldwise.read.from_python import given, readable
from fieldwise.read.load import load_json
from fieldwise.read.suite import read_document
from fieldwise.registry import EVALUATORS
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.evaluate import applicable, evaluate_all, result_at, score_batch
from fieldwise.score.evaluate import evaluate as score_evaluator
from fieldwise.score.judges import lazy_asker
from fieldwise.score.matching import score_values
from fieldwise.score.rules import SAMPLE, inferred, with_inferred_rules, with_rules
from fieldwise.store.errors import Interrupted
from fieldwise.summarize.exit_code import Limits, exit_code
from fieldwise.summarize.gates import gate_diagnostics, judge_gates
from fieldwise.summarize.regressions import judge_regressions

if TYPE_CHECKING:
    from fieldwise.engines.choose import Engine
    from fieldwise.engines.run_totals import Tally
    from fieldwise.store.run import Run
    from fieldwise.store.writer import RunWriter

Progress = Callable[[int, float | None], None]
"""Told after every batch: how many cases are done, and which share of the input has been read if that is known."""


def evaluate(
    config: Mapping[str, Any],
    *,
    expected: Value = MISSING,
    actual: Value = MISSING,
    input: Json = None,
    contexts: Sequence[Json] | None = None,
    id: str = "1",
    metadata: Mapping[str, Any] | None = None,
    actuals: Sequence[Json] | None = None,
    asker: Asker | None = None,
) -> Result:
    """What one evaluator says of one case. A bad configuration raises ConfigError; data never raises.

    A judge asks `asker`; without one, a model or a program is asked as the configuration says.

    >>> evaluate({"type": "field_accuracy", "fields": ["total"]}, expected={"total": 5}, actual={"total": 7}).misses
    ['total']
    """
    if actual is MISSING and actuals:
        actual = actuals[0]
    case = Case(id=id, input=input, expected=expected, actual=actual, contexts=contexts, metadata=dict(metadata or {}), actuals=actuals)
    batch = ScoringBatch(given(case), asker)
    planned, _ = with_inferred_rules(plan_config(config, load=load_json), batch)
    return result_at(evaluate_all(planned, batch), 0)


def match(name: str, *, expected: Sequence[Json], actual: Sequence[Json], **options: Any) -> Scores:
    """A matcher on its own: how well each pair of values matches.

    >>> match("fuzzy", expected=["Acme", "Acme"], actual=["ACME", None]).value.tolist()
    [1.0, 0.0]
    """
    if len(expected) != len(actual):
        raise ValueError(f"expected has {len(expected)} values and actual {len(actual)}; give one of each for every pair")
    pairs = [(readable(one), readable(other)) for one, other in zip(expected, actual, strict=True)]
    troubles = {row: one[1] or other[1] for row, (one, other) in enumerate(pairs) if one[1] or other[1]}
    sides = ([None if row in troubles else pair[side][0] for row, pair in enumerate(pairs)] for side in (0, 1))
    found = score_values(plan_match(name, options), *sides)
    if not troubles:
        return found
    found.value[list(troubles)], found.passed[list(troubles)] = float("nan"), False
    faults = {row: Diagnostic(code="unreadable-value", what=f"a value {why}") for row, why in troubles.items()}
    return replace(found, faults={**found.faults, **faults})


def diff(expected: Value, actual: Value) -> Diff:
    """What differs between two records, by rules inferred from the values.

    >>> print(diff({"vendor": "Acme Corp", "total": 100.5}, {"vendor": "ACME Corp", "total": 1005.0}))
    total: 100.5 became 1005.0 (scale)
    """
    return _diff([given(Case(id="1", expected=expected, actual=actual))], [])


def diff_files(expected: str | Path, actual: str | Path, *, chunk: int = SAMPLE) -> Diff:
    """The same for two files or folders, case by case."""
    reader = read_cases(Source(expected=str(expected), actual=str(actual)), chunk=chunk)
    chunks = list(reader)
    return _diff(chunks, reader.diagnostics)


def _diff(chunks: Sequence[Cases], diagnostics: Sequence[Diagnostic]) -> Diff:
    batches = [ScoringBatch(cases) for cases in chunks]
    found = inferred(batches[0]) if batches else Inferred((), (), {})
    options = EVALUATORS.find("field_prf").options(fields=found.rules, lists=found.lists)
    planned = PlannedEvaluator(type="field_prf", name="diff", config=options)
    scored = ((batch, score_evaluator(planned, batch)) for batch in batches)
    results = {case: result_at(whole, row) for batch, whole in scored for row, case in enumerate(batch.cases.id)}
    troubles = [problem for cases in chunks for problems in cases.diagnostics.values() for problem in problems]
    return Diff(rules=found.rules, lists=found.lists, reasons=found.reasons, results=results, diagnostics=[*diagnostics, *troubles])


def check(
    suite: str | Path | Mapping[str, Any], *, cases: str | None = None, gates: Sequence[str] = (), root: str | Path | None = None
) -> Plan:
    """The plan of a suite; ConfigError with everything that is wrong with it. `cases` may be an earlier run: `run:latest`."""
    document = Document(value=dict(suite), text=str(suite)) if isinstance(suite, Mapping) else read_document(suite)
    folder = Path.cwd() if isinstance(suite, Mapping) else Path(suite).parent
    plan = build_plan(document, load=lambda path: load_json(folder / path), resolve=lambda path: str(folder / path))
    if cases is not None:
        plan = replace(plan, source=replace(plan.source or Source(), cases=cases, expected=None, actual=None))
    if plan.source is None or not (plan.source.cases or plan.source.expected):
        what, fix = "the suite names no cases", "add `cases: data.jsonl`, or give them on the command line with --cases"
        raise ConfigError([Diagnostic(code="no-cases", what=what, where=Where(file=plan.file), fix=fix)])
    if (plan.source.cases or "").startswith("run:"):
        from fieldwise.store.rerun import recall

        plan = recall(plan, root)
    return replace(plan, gates=(*plan.gates, *(parse_gate(text, plan.evaluators) for text in gates)))


def run(
    suite: str | Path | Mapping[str, Any],
    *,
    cases: str | None = None,
    limit: int | None = None,
    only: When | None = None,
    gates: Sequence[str] = (),
    root: str | Path | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
    chunk: int | None = None,
    asking: Asking | None = None,
    baseline: str | Path | None = None,
    resume: bool | str = False,
    begun: Callable[[str], None] | None = None,
    workers: int = 1,
    engine: "Engine" = "local",
) -> "Run":
    """Apply a suite to its cases, and store what came of it.

    `asking` says what judges may spend, and where answers are kept. `baseline` is a baseline file, or the id of a run, to compare with.
    `resume` goes on with the suite's latest unfinished run, or with the run of this id: what is stored and still true is not scored again.
    `begun` is told the run's id as soon as it has one. `chunk` is how many cases are scored together, if not as many as is best. `workers`
    processes share the work where the data can be read in pieces (JSONL and Parquet files), `engine` says where they are; what comes of it
    is the same, to the bit.
    """
    plan = check(suite, cases=cases, gates=gates, root=root)
    source = plan.source
    assert source is not None
    if resume:
        _must_be_readable_again(source)
    from fieldwise.engines import choose, run_warnings, sharding  # Arrow is loaded only to store

    chunk = chunk or choose.batch_size(plan)
    base = _base(plan, baseline, root)
    reader = read_cases(source, chunk=chunk, limit=None if only else limit)
    batches = _chosen(reader, only, limit)
    first = next(batches, None)
    plan, notes = (plan, run_warnings.nobody_fits(only, reader.diagnostics)) if first is None else with_rules(plan, first)
    again = lambda: _chosen(read_cases(source, chunk=chunk, limit=None if only else limit), only, limit)  # noqa: E731
    writing, told = _writer(root, plan, resume, again)
    try:
        asking = (asking or Asking()).within(root)
        executor = choose.choose_executor(plan, engine, workers, asking)
        with lazy_asker(asking) as asker, writing as writer:
            if begun is not None:
                begun(writer.id)
            found = (
                None if first is None else sharding.in_pieces(plan, reader, writer, executor, chunk, progress, whole=not (only or limit))
            )
            if found is None:
                found = _score(plan, [] if first is None else chain([first], batches), writer, asker, _telling(progress, reader))
            summary = _stored(writer, found)
            notes = [*plan.diagnostics, *told, *notes, *reader.diagnostics, *run_warnings.unused(plan, found, summary), *found.troubles()]
            notes += gate_diagnostics(plan.gates, summary) + run_warnings.unmeasured(
                writer.path, writer.parts, summary, everything=not (only or limit)
            )
            results = judge_gates(plan.gates, summary)
            changes = None if base is None else base(writer.draft(summary, notes))
            if changes is not None:
                notes += run_warnings.foreign(changes)
                results += judge_regressions(plan.regressions, changes)
            code = exit_code(summary, results, evaluators=plan.evaluators, diagnostics=notes, limits=limits)
            return writer.finish(summary, results, notes, code, changes)
    except KeyboardInterrupt:
        raise Interrupted(writing.id, writing.kept) from None


def _must_be_readable_again(source: Source) -> None:
    if source.cases == "-":
        what, fix = "cases from standard input cannot be read again, so the run cannot be resumed", "put them in a file"
        raise ConfigError([Diagnostic(code="cannot-resume", what=what, fix=fix)])


def _writer(
    root: str | Path | None, plan: Plan, resume: bool | str, chunks: Callable[[], Iterator[Cases]]
) -> "tuple[RunWriter, list[Diagnostic]]":
    """Where the run is stored: in a new one, or in one that goes on; and what there is to say about that."""
    from fieldwise.store.resume import resume_run
    from fieldwise.store.writer import RunWriter

    if not resume:
        return RunWriter(root, plan), []
    unfinished, note = resume_run(root, plan, resume if isinstance(resume, str) else None, chunks)
    return RunWriter(root, plan, resume=unfinished), [note]


def _score(plan: Plan, batches: Iterable[Cases], writer: "RunWriter", asker: Asker | None, tell: Callable[[int], None]) -> "Tally":
    """Score and store every case that is not stored yet, here and in order; gives what they come to."""
    from fieldwise.engines.run_totals import Tally

    tally = Tally(plan.evaluators)
    with throughput_settings():
        for batch in batches:
            for first, some in writer.left(batch, tally.cases):
                writer.write(score_batch(plan, some, first, asker))
            tally.read(batch)
            tell(tally.cases)
        writer.close()
        tally.add(writer.path, writer.parts)
    return tally


def _telling(progress: Progress | None, reader: CaseReader) -> Callable[[int], None]:
    return lambda done: progress(done, _share(reader)) if progress else None


def _stored(writer: "RunWriter", tally: "Tally") -> Summary:
    """What the run comes to. It counts only once everything is stored: complete parts must hold every case once."""
    writer.close()
    ends = [0, *(part.first + part.cases for part in writer.parts)]
    if [part.first for part in writer.parts] != ends[:-1] or ends[-1] != tally.cases:
        raise RuntimeError(f"run {writer.id}: its parts end at {ends}, and there are {tally.cases} cases")
    return tally.summary()


def compare(base: str, new: str = "latest", *, root: str | Path | None = None) -> Changes:
    """What changed from one stored run to another, over the cases that both have. Runs by id, by its beginning, or `latest`."""
    from fieldwise.store.run import open_run
    from fieldwise.store.run_metrics import compare_runs

    return compare_runs(open_run(root, base), open_run(root, new))


def _base(plan: Plan, baseline: str | Path | None, root: str | Path | None) -> "Callable[[Run], Changes] | None":
    """How to compare with the baseline, which is opened before anything runs; None where there is none."""
    from fieldwise.store.baseline import compare_with_baseline, load_baseline
    from fieldwise.store.run import open_run
    from fieldwise.store.run_metrics import compare_runs
    from fieldwise.store.runs import RunNotFound

    if baseline is None:
        if plan.regressions:
            what = "the suite has a gate on regressions, and there is no baseline"
            fix = "give one: --baseline FILE or a run; for the first, run once without this gate, then `fieldwise baseline set`"
            raise ConfigError([Diagnostic(code="no-baseline", what=what, where=Where(file=plan.file), fix=fix)])
        return None
    if Path(baseline).is_file():
        load_baseline(baseline)
        return lambda run: compare_with_baseline(baseline, run)
    try:
        pinned = open_run(root, str(baseline))
    except RunNotFound as error:
        what, fix = f"there is no baseline `{baseline}`: it is no file, and {error}", "give a baseline file, or the id of a run"
        raise ConfigError([Diagnostic(code="no-baseline", what=what, fix=fix)]) from error
    if pinned.state != "finished":
        what, fix = f"run {pinned.id} did not finish, so nothing can be compared with it", "finish it: fieldwise run SUITE --resume"
        raise ConfigError([Diagnostic(code="unfinished-run", what=what, fix=fix)])
    return lambda run: compare_runs(pinned, run)


def _chosen(reader: CaseReader, only: When | None, limit: int | None) -> Iterator[Cases]:
    """The cases to score, batch by batch."""
    left = limit
    for cases in reader:
        if only is None:
            yield cases
            continue
        rows = applicable(only, cases).tolist()[:left]
        if rows:
            yield cases.take(rows)
        if left is not None:
            left -= len(rows)
            if left <= 0:
                return


def _share(reader: CaseReader) -> float | None:
    hint = reader.size_hint
    return min(hint.read / hint.total, 1.0) if hint.total else None
