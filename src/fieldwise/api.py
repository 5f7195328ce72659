"""The whole flow in a page: read cases, plan, score in batches, store, summarize. Read this first."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fieldwise.kernels.runtime import rare_garbage_collection, throughput_settings
from fieldwise.model.ask import Asker, Asking
from fieldwise.model.case import Case, Cases
from fieldwise.model.change import Changes
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.diff import Diff
from fieldwise.model.pairs import Scores
from fieldwise.model.plan import IdColumns, Plan, PlannedEvaluator, Source, When
from fieldwise.model.policy import Policy
from fieldwise.model.result import Result
from fieldwise.model.summary import GateResult, Summary
from fieldwise.model.values import MISSING, Json, Value
from fieldwise.plan.config_cache import plan_config_once
from fieldwise.plan.gates import CONFIDENCE, POLICY, skip_mutant_gates
from fieldwise.plan.needed_sides import require_sides
from fieldwise.plan.rules import plan_match
from fieldwise.plan.rules_from_types import rules_from_schema, rules_from_type
from fieldwise.read.cases import CaseReader, read_cases, require_rereadable
from fieldwise.read.corrections import check_corrections
from fieldwise.read.from_python import normalize_case, normalize_value
from fieldwise.read.given_data import MANY_RECORDS, IdsOfSides, are_many_records, list_pairs, refuse_tables
from fieldwise.read.table_files import load_json
from fieldwise.registry import CAUSES, EVALUATORS
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.column_survey import has_open_rules, make_line_filter, survey_columns, survey_match, survey_plan_columns
from fieldwise.score.evaluate import FilterMatches, evaluate_every_case, result_at, score_batch
from fieldwise.score.evaluate import evaluate as score_evaluator
from fieldwise.score.groups import assign_groups, limit_whole_groups
from fieldwise.score.inferred_rules import infer_plan_rules, infer_rules, needs_inferred_rules, with_inferred_rules
from fieldwise.score.matching import score_nullable_pairs
from fieldwise.score.redaction_survey import report_unused_redactions
from fieldwise.score.services import ReportedProblems, lazy_asker, local_services
from fieldwise.store.errors import Interrupted
from fieldwise.suite_plan import compile_suite
from fieldwise.summarize.exit_code import EMPTY_FILE, Limits, exit_code, is_invalid
from fieldwise.summarize.gates import gate_diagnostics, judge_gates, judge_regressions, regression_diagnostics

if TYPE_CHECKING:
    from fieldwise.engines.executors import Engine
    from fieldwise.engines.run_totals import RunTotals
    from fieldwise.plan.infer import InferredRules
    from fieldwise.store.run import Run
    from fieldwise.store.writer import RunWriter
    from fieldwise.study.routing import Route

Progress = Callable[[int, float | None], None]
"""Called after every batch with the number of cases done, and the share of the input that has been read if known."""


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
    """Apply one evaluator to one case. A bad configuration raises ConfigError; data never raises.

    Limits that were applied and plug-ins that crashed are in `details["diagnostics"]`. A judge asks `asker`; without one, it asks the
    model or program that the configuration names.

    >>> evaluate({"type": "field_accuracy", "fields": ["total"]}, expected={"total": 5}, actual={"total": 7}).misses
    ['total']
    """
    refuse_tables(expected, actual, "fw.evaluate")
    if actual is MISSING and actuals:
        actual = actuals[0]
    case = Case(id=id, input=input, expected=expected, actual=actual, contexts=contexts, metadata=dict(metadata or {}), actuals=actuals)
    reported = ReportedProblems()
    batch = ScoringBatch(normalize_case(case), local_services(asker, reported.add))
    planned = with_inferred_rules(plan_config_once(config, load=load_json), batch)
    [planned], _ = survey_columns((planned,), [batch])
    result = reported.attach_to(result_at(evaluate_every_case(planned, batch), 0))
    if are_many_records(expected, actual) and not _takes_items(config) and not (result.hits and _reads_lists(config, expected)):
        return replace(result, reasoning=f"{result.reasoning}; {MANY_RECORDS}".removeprefix("; "))
    return result


def _takes_items(config: Mapping[str, Any]) -> bool:
    """True for evaluators of boxes and points, whose record may be the list of items itself."""
    return "path" in getattr(EVALUATORS.find(config["type"]).options, "__dataclass_fields__", {})


def _reads_lists(config: Mapping[str, Any], expected: Any) -> bool:
    """True if a list of records is more likely one case than many: a rule or `path` says where its items are, or it has one item."""
    return "fields" in config or "path" in config or EVALUATORS.find(config["type"]).reads != "records" or len(expected) == 1


def match(name: str, *, expected: Sequence[Json], actual: Sequence[Json], **options: Any) -> Scores:
    """Apply one matcher to pairs of values. What single values leave open, such as the order of day and month, all values decide.

    >>> match("fuzzy", expected=["Acme", "Acme"], actual=["ACME", None]).value.tolist()
    [1.0, 0.0]
    """
    expected, actual = list_pairs(expected, actual)
    expected_values: list[Any] = []
    actual_values: list[Any] = []
    problems: dict[int, str] = {}
    for row, (expected_object, actual_object) in enumerate(zip(expected, actual, strict=True)):
        expected_value, expected_problem = normalize_value(expected_object)
        actual_value, actual_problem = normalize_value(actual_object)
        problem = expected_problem or actual_problem
        if problem:
            problems[row] = problem
        expected_values.append(None if problem else expected_value)
        actual_values.append(None if problem else actual_value)
    planned_match = survey_match(plan_match(name, options), expected_values, actual_values)
    scores = score_nullable_pairs(planned_match, expected_values, actual_values, local_services())
    if not problems:
        return scores
    rows = list(problems)
    scores.value[rows], scores.passed[rows] = float("nan"), False
    faults = {row: Diagnostic(code="unreadable-value", what=f"a value {problem}") for row, problem in problems.items()}
    return replace(scores, faults={**scores.faults, **faults})


def diff(expected: Value, actual: Value) -> Diff:
    """Find the differences between two records, by rules inferred from their values.

    >>> print(diff({"vendor": "Acme Corp", "total": 100.5}, {"vendor": "ACME Corp", "total": 1005.0}))
    total: 100.5 became 1005.0 (decimal point lost)
    """
    refuse_tables(expected, actual, "fw.diff")
    cases = [normalize_case(Case(id="1", expected=expected, actual=actual))]
    return _diff_chunks(cases, infer_rules(cases), [])


def diff_files(
    expected: str | Path,
    actual: str | Path,
    *,
    ids: tuple[IdColumns, IdColumns] | None = None,
    renames: Mapping[str, str] | None = None,
    chunk: int = 256,
) -> Diff:
    """Find the differences between two files or folders, case by case.

    `ids` are the columns or paths that identify the rows of each side, by default those whose values agree; `renames` maps names of
    fields in the expected file to those in the actual one.
    """
    from fieldwise.read.pairing import propose_pairing

    pairing = propose_pairing(str(expected), str(actual), ids=ids, renames=renames).with_same_names()
    source = pairing.apply_to(Source(expected=str(expected), actual=str(actual), allow_same_sides=True))
    reader = read_cases(source, chunk=chunk)
    chunks = list(reader)
    difference = _diff_chunks(chunks, infer_rules(chunks, source), reader.diagnostics)
    paired = sum(value is not MISSING for cases in chunks for value in cases.actual)
    has_common_field = bool(pairing.common_fields) or not all(pairing.own_fields)
    return replace(difference, pairing=pairing.describe(paired, len(difference.results)), has_common_field=has_common_field)


def _diff_chunks(chunks: Sequence[Cases], rules: "InferredRules", diagnostics: Sequence[Diagnostic]) -> Diff:
    CAUSES.load_plugins()  # one that cannot be imported is a problem of the installation, not of each case
    reported = ReportedProblems()
    batches = [ScoringBatch(cases, local_services(report=reported.add)) for cases in chunks]
    options = EVALUATORS.find("field_prf").options(fields=rules.rules, lists=rules.lists, ignore=rules.left_out)
    [planned], remarks = survey_columns((PlannedEvaluator(type="field_prf", name="diff", config=options),), batches)
    results: dict[str, Result] = {}
    problems = [*diagnostics, *remarks]
    for batch in batches:
        batch_results = score_evaluator(planned, batch)
        for row, case_id in enumerate(batch.cases.id):
            results[case_id] = result_at(batch_results, row)
        problems += chain.from_iterable(batch.cases.diagnostics.values())
    problems += reported.list_all()
    return Diff(rules=rules.rules, lists=rules.lists, reasons=rules.reasons, results=results, diagnostics=problems)


@rare_garbage_collection()
def run(
    suite: str | Path | Mapping[str, Any],
    *,
    cases: object = None,
    expected: object = None,
    actual: object = None,
    on: IdsOfSides | None = None,
    name: str = "",
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
    since: str | Path | None = None,
    on_start: Callable[[str], None] | None = None,
    workers: int = 1,
    engine: "Engine" = "local",
) -> "Run":
    """Apply a suite to its cases and store the results.

    `cases` replaces the suite's data: a path, `run:ID` for the cases of an earlier run, or rows in memory, which are a list or an iterator
    of records (dicts, pydantic models, dataclasses), a pandas or polars frame, a Hugging Face dataset, an Arrow table, or anything else
    with `__arrow_c_stream__`. `expected` and `actual` give the two sides separately, in the same forms; their rows are paired by the
    column `on`, a list of columns, or a pair if the sides differ, by default by `id`. `name` is shown wherever the run is.
    `asking` sets the budget of judges and the file of the answer cache. `baseline` is a baseline file, or the id of a run, to compare with.
    `resume` continues the suite's latest unfinished run, or the run of this id: cases that are stored and still valid are not scored again.
    `since` is the folder of an improvement pack: the run then states which causes shrank.
    `on_start` is called with the run's id as soon as it has one. `chunk` is the number of cases scored together; the default depends on the
    plan. `workers` processes share the work where the data can be read in shards (JSONL and Parquet files); `engine` says where they run.
    The results are bit-identical in every case.
    """
    plan = compile_suite(suite, cases=cases, expected=expected, actual=actual, on=on, gates=gates, root=root)
    plan = replace(skip_mutant_gates(plan), label=name)
    source = plan.source
    assert source is not None
    if resume:
        require_rereadable(source)
    from fieldwise.engines import executors, group_warnings, run_warnings, sharding  # loads Arrow, which only a stored run needs

    uncorrected = _find_uncorrected_cases(plan, source)
    demands = executors.find_demands(plan)
    chunk = chunk or demands.batch_size
    compare_run = _open_baseline(plan, baseline, root)
    describe_changes = _open_pack(since, plan)
    all_cases = not (only or limit)
    filters = FilterMatches(only) if only is not None else None
    reader, selected_batches = _read_selection(plan, chunk, filters, limit)
    plan, batches, notes = _read_first_batch(plan, reader, selected_batches, chunk)
    pending_writer, resume_notes = _create_writer(root, plan, resume, lambda: _read_selection(plan, chunk, filters, limit)[1])
    try:
        asking = (asking or Asking()).with_root(root)
        executor = executors.choose_executor(demands, engine, workers, asking)
        with lazy_asker(asking) as asker, pending_writer as writer:
            if on_start is not None:
                on_start(writer.id)
            totals = None
            if batches is not None:
                totals = sharding.score_in_shards(plan, reader, writer, executor, chunk, progress, all_cases=all_cases)
            if totals is None:
                totals = _score_in_order(plan, batches or (), writer, asker, lambda done: _report_progress(progress, reader, done))
            notes = [*plan.diagnostics, *resume_notes, *notes, *run_warnings.warn_of_workers(source, workers, engine), *reader.diagnostics]
            notes += run_warnings.warn_unmatched_filters(filters, reader.diagnostics, selected=totals.cases)
            notes += [*run_warnings.note_selection(only, limit), *group_warnings.warn_divided_groups(plan, filters)]
            writer.record_columns(reader.columns_seen.roles.columns)
            return _finish_run(
                plan, writer, totals, notes, compare_run, limits, describe_changes, all_cases=all_cases, uncorrected=uncorrected
            )
    except KeyboardInterrupt:
        raise Interrupted(pending_writer.id, pending_writer.case_count) from None


def run_one_case(suite: str | Path | Mapping[str, Any], *, cases: str, root: Path, asking: Asking) -> "Run":
    """Apply a suite to a file with one case and store the result, judged as `evaluate` does.

    What only the whole data can show is not checked: gates, corrections, and paths of `redact` that no record has. A rule whose path the
    expected record lacks is a warning.
    """
    from fieldwise.engines.run_warnings import warn_unused_rules
    from fieldwise.store.writer import RunWriter

    plan = replace(compile_suite(suite, cases=cases, root=root), gates=(), regressions=())
    assert plan.source is not None
    source = replace(plan.source, corrections=None)
    plan = replace(plan, source=source)
    reader, selected = _read_selection(plan, 1, None, None)
    plan, batches, notes = _read_first_batch(plan, reader, selected, 1, check_redaction=False)
    with lazy_asker(asking.with_root(root)) as asker, RunWriter(root, plan) as writer:
        totals = _score_in_order(plan, batches or (), writer, asker, lambda done: _report_progress(None, reader, done))
        summary = _summarize_stored(writer, totals)
        notes = [*plan.diagnostics, *notes, *reader.diagnostics, *totals.list_problems()]
        unused = warn_unused_rules(plan, totals, lambda: read_cases(source), all_cases=False)
        notes += [replace(note, level="warning") if note.level == "error" else note for note in unused]
        if plan.redact is not None:
            notes = [plan.redact.redact_diagnostic(note) for note in notes]
        code = exit_code(summary, (), evaluators=plan.evaluators, diagnostics=notes, limits=Limits())
        return writer.finish(summary, [], notes, code, None)


def _finish_run(
    plan: Plan,
    writer: "RunWriter",
    totals: "RunTotals",
    notes: list[Diagnostic],
    compare_run: "Callable[[Run], Changes] | None",
    limits: Limits | None,
    describe_changes: "Callable[[Run], Diagnostic] | None" = None,
    *,
    all_cases: bool,
    uncorrected: Sequence[Cases] = (),
) -> "Run":
    """Summarize the stored parts, judge the gates, compare with the baseline, decide the exit code and write the manifest."""
    from fieldwise.engines import correction_effect, field_name_warnings, group_warnings, run_warnings, unapplied_warnings

    summary, source = _summarize_stored(writer, totals), plan.source
    if source is not None and source.corrections is not None:
        effect = correction_effect.measure_corrections(plan, source.corrections, uncorrected, summary, writer.path, writer.parts)
        writer.record_corrections(effect)
    read_all = (lambda: read_cases(source)) if source is not None and source.is_rereadable else None
    rule_notes = unapplied_warnings.check_rules(plan, summary, totals, writer.path, writer.parts, read_all, all_cases=all_cases)
    notes = [*run_warnings.warn_unread_values(plan, totals), *notes, *rule_notes, *totals.list_problems()]
    limits = limits or Limits()
    notes += group_warnings.check_groups(plan, writer.path, writer.parts)
    notes += run_warnings.warn_missing_presets(plan, totals)
    notes += run_warnings.warn_absent_confidences(plan, writer.path, writer.parts)
    notes += run_warnings.warn_malformed_expected(writer.path, writer.parts, summary)
    has_gates = bool(plan.gates or plan.regressions)
    notes += run_warnings.warn_unmeasured(writer.path, writer.parts, summary, all_cases=all_cases, has_gates=has_gates)
    notes += unapplied_warnings.warn_unmeasured_members(
        plan, summary, writer.path, writer.parts, all_cases=all_cases, max_unscored=limits.max_unscored
    )
    notes = field_name_warnings.check_common_fields(plan, summary, writer.path, writer.parts, notes)
    gate_results, gate_notes = _judge_gates(plan, summary, limits, lambda: writer.build_run(summary, notes))
    notes += gate_notes
    changes = None
    if compare_run is not None:
        changes = compare_run(writer.build_run(summary, notes))
        notes += run_warnings.warn_foreign_baseline(changes, has_regressions=bool(plan.regressions))
        notes += regression_diagnostics(plan.regressions, changes, plan.evaluators)
        gate_results += judge_regressions(plan.regressions, changes, plan.evaluators)
    if describe_changes is not None:
        notes.append(describe_changes(writer.build_run(summary, notes)))
    if plan.redact is not None:
        notes = [plan.redact.redact_diagnostic(note) for note in notes]
    code = exit_code(summary, gate_results, evaluators=plan.evaluators, diagnostics=notes, limits=limits)
    if is_invalid(code, notes):
        return writer.finish_invalid(notes, code)
    return writer.finish(summary, gate_results, notes, code, changes)


def _find_uncorrected_cases(plan: Plan, source: Source) -> list[Cases]:
    """The cases that have corrections, as the data has them; ConfigError if a correction cannot be applied to them."""
    if source.corrections is None:
        return []
    if source.cases == "-":
        what, fix = "corrections cannot be applied to cases from standard input, which cannot be read again", "put the cases in a file"
        raise ConfigError([Diagnostic(code="no-corrections", what=what, where=Where(file=source.corrections.file), fix=fix)])
    uncorrected, problems = check_corrections(read_cases(replace(source, corrections=None)), source.corrections)
    if problems:
        raise ConfigError(problems if plan.redact is None else map(plan.redact.redact_diagnostic, problems))
    return uncorrected


def _open_pack(folder: str | Path | None, plan: Plan) -> "Callable[[Run], Diagnostic] | None":
    """A function that states how causes changed since a pack, which is read before anything is scored; None without a pack."""
    if folder is None:
        return None
    from fieldwise.study.cause_changes import compare_causes, read_pack, require_evaluator

    pack = read_pack(Path(folder))
    require_evaluator(pack, [planned.name for planned in plan.evaluators])
    return lambda run: compare_causes(pack, run).to_diagnostic()


def _judge_gates(plan: Plan, summary: Summary, limits: Limits, build_run: "Callable[[], Run]") -> tuple[list[GateResult], list[Diagnostic]]:
    """The results of all gates except those on regressions, and the problems of those that were not measured."""
    study_gates = [gate for gate in plan.gates if gate.evaluator in (CONFIDENCE, POLICY)]
    metric_gates = [gate for gate in plan.gates if gate not in study_gates]
    results = judge_gates(metric_gates, summary, limits.max_unscored, plan.evaluators)
    problems = gate_diagnostics(metric_gates, summary, limits.max_unscored, plan.evaluators)
    if study_gates:
        from fieldwise.study.gates import judge_study_gates

        study_results, study_problems = judge_study_gates(study_gates, build_run(), plan.policy)
        results += study_results
        problems += study_problems
    return results, problems


def _read_first_batch(
    plan: Plan, reader: CaseReader, batches: Iterator[Cases], chunk: int, *, check_redaction: bool = True
) -> tuple[Plan, Iterator[Cases] | None, list[Diagnostic]]:
    """The plan with the rules that the data decide, the batches (None if there is no case), and remarks about these rules.

    Raises ConfigError, before anything is scored or stored, if no case can be read, a needed side is in no column, or no rule can be
    inferred.
    """
    first_batch = next(batches, None)
    notes: list[Diagnostic] = []
    problems = require_sides(plan, reader.diagnostics)
    if first_batch is None:
        problems += [problem for problem in reader.diagnostics if problem.code != EMPTY_FILE]
    elif plan.source is not None:
        plan, batches, notes = _complete_rules(plan, plan.source, chain([first_batch], batches), chunk, check_redaction=check_redaction)
    errors = [problem for problem in (*problems, *notes) if problem.level == "error"]
    if errors:
        raise ConfigError(errors)
    return plan, None if first_batch is None else batches, notes


def _complete_rules(
    plan: Plan, source: Source, batches: Iterator[Cases], chunk: int, *, check_redaction: bool
) -> tuple[Plan, Iterator[Cases], list[Diagnostic]]:
    """The plan with the rules and options that the data decide, the batches to score, and remarks about these rules.

    All cases of the source are read for it, whatever is selected: once if an evaluator has no rules, once if a rule then leaves an option
    open, and once if it redacts values. Cases that cannot be read again are kept in memory.
    """
    notes: list[Diagnostic] = []
    selected: list[Cases] | None = None
    if not source.is_rereadable and (needs_inferred_rules(plan) or has_open_rules(plan)):
        selected = list(batches)
    if needs_inferred_rules(plan):
        plan, notes = infer_plan_rules(plan, read_cases(source, chunk=chunk) if selected is None else selected)
    if has_open_rules(plan):
        lines = make_line_filter(plan)
        plan, remarks = survey_plan_columns(plan, read_cases(source, chunk=chunk, keep_line=lines) if selected is None else selected)
        notes += remarks
    if plan.redact is not None and check_redaction:
        if selected is None and not source.is_rereadable:
            selected = list(batches)
        all_batches = read_cases(source, chunk=chunk) if selected is None else selected
        notes += report_unused_redactions(plan.redact.paths, all_batches, plan.file)
    return plan, batches if selected is None else iter(selected), notes


def _read_selection(plan: Plan, chunk: int, filters: FilterMatches | None, limit: int | None) -> tuple[CaseReader, Iterator[Cases]]:
    """A reader of the plan's source, and the batches of the cases that the filters and `limit` select, with their groups."""
    assert plan.source is not None
    cuts_groups = plan.group is not None and limit is not None
    row_limit = None if cuts_groups else limit
    reader = read_cases(plan.source, chunk=chunk, limit=None if filters else row_limit)
    grouped = (assign_groups(plan.group, cases) for cases in reader)
    batches = grouped if filters is None else _select_cases(grouped, filters, row_limit)
    return reader, limit_whole_groups(batches, limit) if plan.group is not None and limit is not None else batches


def _select_cases(batches: Iterator[Cases], filters: FilterMatches, limit: int | None) -> Iterator[Cases]:
    """The selected cases. Beyond the limit, reads on only while a filter has matched no case yet."""
    remaining = limit
    for cases in batches:
        rows = filters.select_rows(cases)[:remaining]
        if rows:
            yield cases.take(rows)
        if remaining is not None:
            remaining -= len(rows)
            if not remaining and not filters.unmatched:
                return


def _create_writer(
    root: str | Path | None, plan: Plan, resume: bool | str, read_again: Callable[[], Iterator[Cases]]
) -> "tuple[RunWriter, list[Diagnostic]]":
    """The writer of a new run or of a resumed one, and diagnostics about what was resumed or about other runs."""
    from fieldwise.engines.run_warnings import warn_earlier_clock
    from fieldwise.store.resume import resume_run
    from fieldwise.store.writer import RunWriter

    if not resume:
        writer = RunWriter(root, plan)
        try:
            return writer, warn_earlier_clock(root, writer.id)
        except KeyboardInterrupt:
            raise Interrupted(writer.id, 0) from None
    unfinished, note = resume_run(root, plan, resume if isinstance(resume, str) else None, read_again)
    return RunWriter(root, plan, resume=unfinished), [note]


def _score_in_order(
    plan: Plan, batches: Iterable[Cases], writer: "RunWriter", asker: Asker, report_done: Callable[[int], None]
) -> "RunTotals":
    """Score and store every case that is not stored yet, in this process and in order."""
    from fieldwise.engines.run_totals import RunTotals
    from fieldwise.store.part_reader import verify_parts

    totals = RunTotals(plan.evaluators)
    services = local_services(asker, totals.report)
    if not writer.resumed_parts:
        writer.pass_parts_to(totals.add_written_part)
    with throughput_settings():
        for batch in batches:
            for first, remaining in writer.remaining_cases(batch, totals.cases):
                writer.write(score_batch(plan, remaining, first, services))
            totals.count_cases(batch)
            report_done(totals.cases)
        writer.close()
        if writer.resumed_parts:  # they lie before and between the new parts, and parts are added in order
            totals.add_stored_parts(writer.path, writer.parts)
        else:
            verify_parts(writer.path, writer.parts)  # the totals come from memory, so they hold only if the files do
    return totals


def _report_progress(progress: Progress | None, reader: CaseReader, done: int) -> None:
    if progress is not None:
        input_progress = reader.progress
        progress(done, min(input_progress.read / input_progress.total, 1.0) if input_progress.total else None)


def _summarize_stored(writer: "RunWriter", totals: "RunTotals") -> Summary:
    """The summary of a run, after a check that the stored parts hold every case once."""
    writer.close()
    ends = [0, *(part.first + part.cases for part in writer.parts)]
    if [part.first for part in writer.parts] != ends[:-1] or ends[-1] != totals.cases:
        raise RuntimeError(f"run {writer.id}: its parts end at {ends}, and there are {totals.cases} cases")
    return totals.build_summary()


def rules_from(source: type | Mapping[str, Any] | str | Path) -> list[dict[str, Any]]:
    """Field rules from a type, as in `fields` of a suite: a pydantic model, a dataclass, a JSON Schema, or the path of one.

    >>> rules_from({"properties": {"paid": {"type": "boolean"}, "total": {"type": "number"}}})
    [{'path': 'paid', 'match': 'exact'}, {'path': 'total', 'match': 'numeric_tolerance'}]
    """
    if isinstance(source, str | Path):
        schema = load_json(source)
        return rules_from_schema(schema if isinstance(schema, Mapping) else {})
    return rules_from_schema(source) if isinstance(source, Mapping) else rules_from_type(source)


def route(record: Json, policy: "Policy | Mapping[str, Any] | str | Path", *, confidences: Mapping[str, Any] | None = None) -> "Route":
    """Apply a policy to one output: the paths of the values it accepts, and of those that need a review.

    `policy` is what `fieldwise policy` writes: the path of the file or its content. The confidences are beside the values
    (`{"value": 107, "confidence": 0.9}`), or in `confidences`, a record of the same shape. A value without one goes to review.

    >>> policy = {"version": 1, "max_error": 0.02, "level": 0.95, "made_from": {}}
    >>> policy["fields"] = {"total": {"threshold": 0.8, "n": 400, "accepted": 350, "bound": 0.017}}
    >>> route({"total": {"value": 107, "confidence": 0.9}, "vendor": "Acme"}, policy)
    Route(accepted=['total'], review=['vendor'])
    """
    from fieldwise.study.routing import route_record

    return route_record(record, policy, confidences=confidences)


def compare(base: "str | Run", new: "str | Run" = "latest", *, root: str | Path | None = None) -> Changes:
    """Compare two stored runs over the cases that both have.

    Each is a `Run`, or names one by its id, the beginning of its id, a tag, or `latest`.
    """
    from fieldwise.store.run_metrics import compare_runs

    return compare_runs(_open_if_named(base, root), _open_if_named(new, root))


def _open_if_named(run: "str | Run", root: str | Path | None) -> "Run":
    from fieldwise.store.run import Run

    if isinstance(run, Run):
        return run
    if isinstance(run, str):  # pyright: ignore[reportUnnecessaryIsInstance] - the annotation does not stop callers
        return open_run(run, root=root)
    what, fix = f"a run cannot be given as `{type(run).__name__}`", "give a Run, or the id or tag of one, as text"
    raise ConfigError([Diagnostic(code="not-a-run", what=what, fix=fix)])


def open_run(name: str = "latest", root: str | Path | None = None) -> "Run":
    """Open a stored run by its id, the beginning of its id, a tag, or `latest`; RunNotFound if there is none.

    `root` is the folder of the runs: by default the one that FIELDWISE_ROOT names, else `.fieldwise` in the current folder.
    """
    from fieldwise.store import run

    return run.open_run(root, name)


def runs(root: str | Path | None = None) -> "list[Run]":
    """All stored runs, newest first, finished or not."""
    from fieldwise.store.run import list_runs

    return list_runs(root)


def _open_baseline(plan: Plan, baseline: str | Path | None, root: str | Path | None) -> "Callable[[Run], Changes] | None":
    """A function that compares a run with the baseline, which is opened before anything is scored; None without a baseline."""
    from fieldwise.store.baseline import compare_with_baseline, load_baseline
    from fieldwise.store.run import open_run
    from fieldwise.store.run_metrics import compare_runs
    from fieldwise.store.run_names import RunNotFound

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
        base_run = open_run(root, str(baseline))
    except RunNotFound as error:
        what, fix = f"there is no baseline `{baseline}`: it is no file, and {error}", "give a baseline file, or the id of a run"
        raise ConfigError([Diagnostic(code="no-baseline", what=what, fix=fix)]) from error
    if base_run.state == "invalid":
        what, fix = f"run {base_run.id} is invalid, so nothing can be compared with it", "give a run whose suite had no problems"
        raise ConfigError([Diagnostic(code="invalid-run", what=what, fix=fix)])
    if base_run.state != "finished":
        what, fix = f"run {base_run.id} did not finish, so nothing can be compared with it", "finish it: fieldwise run SUITE --resume"
        raise ConfigError([Diagnostic(code="unfinished-run", what=what, fix=fix)])
    return lambda run: compare_runs(base_run, run)
