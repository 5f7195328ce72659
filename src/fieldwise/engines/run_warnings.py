"""Diagnostics of a finished run: rules without a field, evaluators that measured nothing, a filter or baseline that fits nothing."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from fieldwise.engines.run_totals import RunTotals
from fieldwise.model.case import Cases
from fieldwise.model.change import Changes
from fieldwise.model.diagnostic import UNREAD_VALUES, Diagnostic, Level, Where
from fieldwise.model.locations import Location
from fieldwise.model.options import NamesFields
from fieldwise.model.path import is_at_or_above_field
from fieldwise.model.plan import PRESET_EVALUATORS, Plan, PlannedEvaluator, Source, When
from fieldwise.model.result import MALFORMED_EXPECTED
from fieldwise.model.rule import FieldRule
from fieldwise.model.summary import Counts, EvaluatorSummary, Summary
from fieldwise.model.values import Json
from fieldwise.read.rule_lines import add_rule_lines
from fieldwise.registry import nearest
from fieldwise.report.limit_hints import TOLERATE
from fieldwise.score.evaluate import FilterMatches
from fieldwise.score.path_survey import (
    PathSurvey,
    list_item_paths,
    list_output_fields,
    list_written_keys,
    list_written_rules,
    report_absent_keys,
    report_absent_output_fields,
    report_absent_path,
    report_missing_fields,
)
from fieldwise.score.unread_values import suggest_reader
from fieldwise.store.errors import StoreError
from fieldwise.store.load_part import count_fault_reasons, count_flagged_cases, count_skip_reasons
from fieldwise.store.manifest import Part
from fieldwise.store.part_reader import list_part_files, read_table
from fieldwise.store.run_names import list_run_ids, started_at
from fieldwise.store.stored_json import dump_json
from fieldwise.summarize.exit_code import FOREIGN_BASELINE, NEVER_USED, UNMEASURED_RULE
from fieldwise.summarize.gates import NOTHING_MEASURED
from fieldwise.summarize.rule_text import rule_texts

MAX_EXAMPLE_LENGTH: Final = 40
MAX_SURVEYED_CASES: Final = 50_000
"""Maximum number of cases that are read a second time for a warning; `fieldwise check` counts in data of any size."""
MAX_REASONS: Final = 3
"""Maximum number of reasons that are listed for the cases an evaluator could not measure."""

_MAX_NAMED: Final = 8
"""Number of tags or splits that a fix names."""
_MAX_CLOCK_SECONDS: Final = 60
"""Clocks of machines that share a root differ by less."""


def warn_unmeasured(folder: Location, parts: Sequence[Part], summary: Summary, *, all_cases: bool, has_gates: bool) -> list[Diagnostic]:
    """Evaluators that measured no case, and why others could not measure some.

    An evaluator that is for no case leaves a run over all cases incomplete; a selection may leave it without work. So does a score that
    was vacuous in every case, unless gates say which metrics count.
    """
    diagnostics: list[Diagnostic] = []
    limits = _suggest_limits(summary)
    for name, evaluator in summary.evaluators.items():
        counts = evaluator.counts
        if counts.faults + counts.unavailable:
            fix = f"correct the cause{limits.faults}" if counts.faults else f"install or start what it needs{limits.unscored}"
            for reason, times in count_fault_reasons(folder, parts, name).most_common(MAX_REASONS):
                what = f"`{name}` could not measure {times} of {counts.cases} cases: {reason}"
                diagnostics.append(Diagnostic(code="not-measured", level="warning", what=what, fix=fix))
        has_results = counts.scored + counts.failures + counts.faults + counts.unavailable > 0
        if counts.skipped:
            reason = "it found nothing to score in them"
            if evaluator.type == "composite":  # its reasons name the member that was skipped
                [(reason, _)] = count_skip_reasons(folder, parts, name).most_common(1)
            what = f"`{name}` skipped {counts.skipped} of {counts.cases} cases: {reason}"
            if not has_results:
                what = f"`{name}` measured nothing: {describe_unmeasured(counts)}"
            diagnostics.append(
                Diagnostic(code="skipped", level="warning", what=what, fix=f"check that the cases have what it scores{limits.unscored}")
            )
        elif summary.cases and not has_results:
            what, fix = f"`{name}` measured nothing: {describe_unmeasured(counts)}", "check its `when`, or remove it"
            diagnostics.append(Diagnostic(code=NEVER_USED, level="error" if all_cases else "warning", what=what, fix=fix))
        if counts.scored and "score" not in evaluator.metrics:
            what = f"the score of `{name}` had nothing to measure in any of {counts.scored} cases"
            fix = "give cases or options that it can measure, or gate the metrics that count"
            level: Level = "warning" if has_gates else "error"
            diagnostics.append(Diagnostic(code=NOTHING_MEASURED, level=level, what=what, fix=fix))
    return diagnostics


class _LimitHints(NamedTuple):
    """The ends of fixes that name a limit."""

    faults: str = ""
    unscored: str = ""


def _suggest_limits(summary: Summary) -> _LimitHints:
    """The limits that would tolerate what was not measured, in all evaluators together; empty if nothing at all was measured."""
    all_counts = [evaluator.counts for evaluator in summary.evaluators.values()]
    if not any(counts.scored + counts.failures for counts in all_counts):
        return _LimitHints()
    faults = sum(counts.faults for counts in all_counts)
    unscored = sum(counts.unavailable + counts.skipped for counts in all_counts)
    return _LimitHints(f"{TOLERATE}--max-errors {faults}", f"{TOLERATE}--max-unscored {unscored}")


def warn_malformed_expected(folder: Location, parts: Sequence[Part], summary: Summary) -> list[Diagnostic]:
    """Evaluators that scored cases in which some expected items cannot be read; a case without any readable item is a fault."""
    diagnostics: list[Diagnostic] = []
    for name, evaluator in summary.evaluators.items():
        for flag in evaluator.flags:
            if flag != MALFORMED_EXPECTED and not flag.endswith(f": {MALFORMED_EXPECTED}"):  # a composite adds the name of its member
                continue
            if not (count := count_flagged_cases(folder, parts, name, flag)):
                continue
            what = f"`{name}` cannot read some expected items of {count} of {evaluator.counts.cases} cases: they count as missed"
            fix = f"correct the expected items that the misses of these cases name (flag `{flag}`)"
            diagnostics.append(Diagnostic(code="malformed-expected", level="warning", what=what, fix=fix))
    return diagnostics


def describe_unmeasured(counts: Counts) -> str:
    """Why an evaluator has no result: the cases that are not for it, and those with nothing to score."""
    parts: list[str] = []
    if counts.not_applicable:
        parts.append("1 case is not for it" if counts.not_applicable == 1 else f"{counts.not_applicable} cases are not for it")
    if counts.skipped:
        noun = "" if parts else " case" if counts.skipped == 1 else " cases"
        parts.append(f"{counts.skipped}{noun} {'has' if counts.skipped == 1 else 'have'} nothing to score")
    return ", ".join(parts) or "no case is for it"


def warn_absent_confidences(plan: Plan, folder: Location, parts: Sequence[Part]) -> list[Diagnostic]:
    """A warning if the suite names a record of confidences and no value of the run has one."""
    if plan.confidence is None:
        return []
    for file in (file for part in parts for file in list_part_files(part, "comparisons")):
        if "confidence" in read_table(folder, file, columns=lambda name: name in ("case", "confidence")).column_names:
            return []
    what = f"no value has a confidence at `{plan.confidence}`, which the suite names"
    fix = "check the path; the record must have the shape of the output, with a number from 0 to 1 for each value"
    return [Diagnostic(code="no-confidences", level="warning", what=what, where=Where(file=plan.file), fix=fix)]


def warn_unused_rules(
    plan: Plan, totals: RunTotals, read_all: Callable[[], Iterable[Cases]] | None, *, all_cases: bool
) -> list[Diagnostic]:
    """Rules whose field no expected record has, or some do not have; lists and names of options that no case has.

    A rule counts as used if any case of the source has its field, selected or not: `read_all` reads all of them again, unless the source
    cannot be read twice (None). An unused name of a list or an option is a warning: several suites may share its file. A price of a field
    that no rule compares is an error if the run covers all cases: the cost would be too low.
    """
    rules = [written.rule for written in list_written_rules(plan)]
    if not totals.fields.cases:
        return [] if totals.cases else _warn_absent_fields(plan, rules, read_all)
    unseen = PathSurvey(rule for rule in rules if not totals.fields.expected[rule.text])
    survey = _read_until_seen(unseen, read_all)
    absent = survey.absent
    diagnostics = [report_absent_path(plan, rule, survey) for rule in absent]
    seen_rules = [rule for rule in rules if totals.fields.expected[rule.text]]
    counted_fields = _find_counted_fields(plan)
    counted_rules = [rule for rule in seen_rules if rule.text in counted_fields]
    diagnostics += report_missing_fields(plan, counted_rules, totals.fields.expected, totals.fields.cases)
    other_rules = [rule for rule in seen_rules if rule.text not in counted_fields]
    diagnostics += _survey_sparse_rules(
        plan, [rule for rule in other_rules if totals.fields.expected[rule.text] < totals.fields.cases], read_all
    )
    reported_keys = {rule.text for rule in list_written_keys(plan)} if all_cases and read_all is not None else set[str]()
    for planned in plan.evaluators:
        for rule in getattr(planned.config, "lists", ()):
            if not is_at_or_above_field(rule.path, totals.fields.either):
                what, where = "no case of the run has this list, on either side", Where(file=plan.file, field=str(rule.path))
                fix = "check the path, or remove the rule"
                diagnostics.append(Diagnostic(code="unused-list", level="warning", what=what, where=where, fix=fix))
        if isinstance(planned.config, NamesFields):
            for _, reason, hint in planned.config.unknown(totals.fields.either | reported_keys):
                what = f"{planned.name}: {reason}"
                level: Level = "error" if planned.type == "error_cost" and all_cases else "warning"
                diagnostics.append(Diagnostic(code="unused-name", level=level, what=what, where=Where(file=plan.file), fix=hint))
    return add_rule_lines(plan, diagnostics)


def warn_absent_item_paths(
    plan: Plan, totals: RunTotals, read_all: Callable[[], Iterable[Cases]] | None, *, all_cases: bool
) -> list[Diagnostic]:
    """An error for each path of items or of their keys that no expected record of the source has, and for fields that no output has.

    The same for a key that the suite gives a strategy. Cases that a selection left out may have those fields, and would be read for
    nothing else.
    """
    output_fields = list_output_fields(plan) if all_cases else ()
    keys = [rule for rule in list_written_keys(plan) if rule.text not in totals.fields.either] if all_cases else ()
    survey = _read_until_seen(PathSurvey((), list_item_paths(plan), output_fields, keys), read_all)
    problems = [report_absent_path(plan, rule, survey) for rule in survey.absent] if survey.records else []
    if survey.has_outputs:
        problems += report_absent_output_fields(plan, survey)
    if survey.has_records:
        problems += report_absent_keys(plan, survey)
    return add_rule_lines(plan, problems)


def _warn_absent_fields(plan: Plan, rules: Sequence[FieldRule], read_all: Callable[[], Iterable[Cases]] | None) -> list[Diagnostic]:
    """Rules whose field no expected record of the source has, where a selection left no case to score."""
    survey = _read_until_seen(PathSurvey(rules), read_all)
    return add_rule_lines(plan, [report_absent_path(plan, rule, survey) for rule in survey.absent]) if survey.records else []


def _find_counted_fields(plan: Plan) -> set[str]:
    """The fields with a comparison in every case whose expected record has them, so that the comparisons count these records.

    An empty list leaves no comparison of a `[*]` rule, and `when` leaves none of the cases that it excludes.
    """
    of_all_cases = tuple(planned for planned in plan.evaluators if not _depends_on_case(planned))
    rules = [written.rule for written in list_written_rules(replace(plan, evaluators=of_all_cases))]
    return {rule.text for rule in rules if rule.path is not None and not rule.path.each_count}


def _depends_on_case(planned: PlannedEvaluator) -> bool:
    """True if `when` limits the evaluator, or a member of it, to some cases."""
    members = getattr(planned.config, "evaluators", ())
    return planned.when is not None or any(_depends_on_case(member.evaluator) for member in members)


def _survey_sparse_rules(plan: Plan, rules: Sequence[FieldRule], read_all: Callable[[], Iterable[Cases]] | None) -> list[Diagnostic]:
    """Rules whose field some expected records do not have, by reading the cases again: not every one of them has a comparison."""
    if not rules or read_all is None:
        return []
    survey = PathSurvey(rules)
    for cases in read_all():
        survey.add(cases)
        if survey.records > MAX_SURVEYED_CASES:
            return []
    return report_missing_fields(plan, rules, survey.present, survey.records)


def warn_unread_values(plan: Plan, totals: RunTotals) -> list[Diagnostic]:
    """Expected values that the match of their rule cannot read; an error if it can read none of them."""
    diagnostics: dict[str, Diagnostic] = {}
    for planned in plan.evaluators:
        unread = {key: counts for key, counts in totals.unread.get(planned.name, {}).items() if counts.unread}
        if not unread:
            continue
        rules = _list_compared_rules(planned)
        for key, counts in unread.items():
            rule = rules.get(key)
            if rule is None:
                continue
            examples = ", ".join(_quote_example(value) for value in counts.examples)
            none_read = counts.unread == counts.values
            amount = f"none of the {counts.values}" if none_read else f"{counts.values - counts.unread} of the {counts.values}"
            what = f"`{rule.match.name}` can read {amount} expected values; it cannot read {examples}"
            fix = suggest_reader(rule.match, counts.examples, reads_most=2 * counts.unread <= counts.values)
            where = Where(file=plan.file, field=rule.text)
            level = "error" if none_read else "warning"
            diagnostics.setdefault(f"{where} {what}", Diagnostic(code=UNREAD_VALUES, level=level, what=what, where=where, fix=fix))
    return add_rule_lines(plan, list(diagnostics.values()))


def _list_compared_rules(planned: PlannedEvaluator, prefix: str = "") -> dict[tuple[str, str], FieldRule]:
    """The rules of an evaluator and of its members, by the name of the field in the stored comparisons and the rule in words.

    A composite puts the name of a member before its fields; `error_cost` reads the comparisons of its member as they are.
    """
    rules: dict[tuple[str, str], FieldRule] = {}
    for member in getattr(planned.config, "evaluators", ()):
        inner = prefix if planned.type == "error_cost" else f"{prefix}{member.evaluator.name}: "
        rules |= _list_compared_rules(member.evaluator, inner)
    if planned.type != "composite":  # the `fields` of a composite are those of its members
        written_rules: Sequence[FieldRule] = getattr(planned.config, "fields", None) or ()
        texts = rule_texts(written_rules)
        rules |= {(f"{prefix}{rule.text}", text): rule for rule, text in zip(written_rules, texts, strict=True)}
    return rules


def _quote_example(value: Json) -> str:
    text = dump_json(value).decode()
    return text if len(text) <= MAX_EXAMPLE_LENGTH else f"{text[:MAX_EXAMPLE_LENGTH]}…"


def _read_until_seen(survey: PathSurvey, read_all: Callable[[], Iterable[Cases]] | None) -> PathSurvey:
    """The same survey, after reading cases until a record has each of its paths."""
    if not survey.is_complete and read_all is not None:
        for cases in read_all():
            survey.add(cases)
            if survey.is_complete:
                break
    return survey


def warn_unmeasured_rules(plan: Plan, summary: Summary, absent: Mapping[Level, Collection[str]], *, all_cases: bool) -> list[Diagnostic]:
    """Rules that measured nothing: an error if the run covers all cases and the rule is not `sparse`, else a warning.

    A field that was reported as `absent` at this level is not reported again.
    """
    measured = {name: {field.field for field in evaluator.fields if field.n} for name, evaluator in summary.evaluators.items()}
    diagnostics: list[Diagnostic] = []
    for written in list_written_rules(plan):
        rule, evaluator = written.rule, summary.evaluators[written.evaluator]
        level: Level = "warning" if rule.sparse or not all_cases else "error"
        if rule.text in absent[level] or rule.match.name == "ignore" or not evaluator.fields or not _count_measured(evaluator):
            continue
        if written.field in measured[written.evaluator]:
            continue
        what, where = "nothing was measured for this field (n = 0)", Where(file=plan.file, field=rule.text)
        fix = "check the path, or write `sparse: true` if the field may be absent"
        diagnostics.append(Diagnostic(code=UNMEASURED_RULE, level=level, what=what, where=where, fix=None if level == "warning" else fix))
    return add_rule_lines(plan, diagnostics)


def _count_measured(evaluator: EvaluatorSummary) -> int:
    return evaluator.counts.scored + evaluator.counts.failures


def warn_unmatched_filters(filters: FilterMatches | None, problems: Sequence[Diagnostic], *, selected: int) -> list[Diagnostic]:
    """A warning for each filter that matches no case, unless problems with the data explain that there are none."""
    if filters is None or (problems and not selected):
        return []
    diagnostics: list[Diagnostic] = []
    for when in filters.unmatched:
        what, fix = f"no case matches the filter `{_list_filters(when)[0]}`", _suggest_filter(when, filters)
        diagnostics.append(Diagnostic(code="unmatched-filter", level="warning", what=what, fix=fix))
    if not selected and not filters.unmatched:
        what, fix = (
            "no case matches all filters",
            "give fewer of them: a case must have one of the ids, one of the tags and one of the splits",
        )
        diagnostics.append(Diagnostic(code="unmatched-filter", level="warning", what=what, fix=fix))
    return diagnostics


def _suggest_filter(unmatched: When, filters: FilterMatches) -> str:
    """Advice on a filter of one condition: the most similar tag or split, else those that there are."""
    if unmatched.id:
        return "check the spelling: letter case counts, and ids are compared whole unless they have a `*`"
    kind, written, names = ("tag", unmatched.tag, filters.tags) if unmatched.tag else ("split", unmatched.split, filters.splits)
    if not names:
        return f"no case has a {kind}"
    closest = nearest(written[0], names)
    if closest:
        return f"did you mean `{kind}:{closest}`?"
    more = " …" if len(names) > _MAX_NAMED else ""
    return f"there are {', '.join(f'`{kind}:{name}`' for name in islice(names, _MAX_NAMED))}{more}"


def warn_earlier_clock(root: str | Path | None, run_id: str) -> list[Diagnostic]:
    """A warning if a stored run is dated after one that begins now: the clock was moved back, and `latest` names the other run."""
    try:
        newest = max(list_run_ids(root), default=run_id)
    except StoreError as error:  # the run itself needs no list of the others
        return [Diagnostic(code="earlier-clock", level="warning", what=f"{error}, so it is not known whether `latest` names this run")]
    seconds_ahead = (started_at(newest) - started_at(run_id)).total_seconds()
    if seconds_ahead < _MAX_CLOCK_SECONDS:
        return []
    what = f"the stored run {newest} is dated after this one, so `latest` names that run"
    return [Diagnostic(code="earlier-clock", level="warning", what=what, fix=f"set the clock; until then name this run: {run_id}")]


def _list_filters(when: When) -> list[str]:
    """The conditions as `--filter` takes them."""
    return [*when.id, *(f"tag:{name}" for name in when.tag), *(f"split:{name}" for name in when.split)]


def note_selection(only: When | None, limit: int | None) -> list[Diagnostic]:
    """A remark that filters or a limit chose the cases, for readers of the stored run: it covers only a part of the data."""
    chosen = [] if only is None else [f"--filter {text}" for text in _list_filters(only)]
    if limit is not None:
        chosen.append(f"--limit {limit}")
    what = f"the run covers only the cases that {', '.join(chosen)} selected"
    return [Diagnostic(code="selected-cases", level="info", what=what)] if chosen else []


def warn_missing_presets(plan: Plan, totals: RunTotals) -> list[Diagnostic]:
    """A warning about question ids that have a preset, where `answer_quality` runs without it."""
    if not any(planned.type == "answer_quality" for planned in plan.evaluators):
        return []
    used = {getattr(planned.config, "preset", None) for planned in plan.evaluators}
    missing = sorted({case_id.lower() for case_id in totals.preset_questions} - used)
    if not missing:
        return []
    what = f"the questions {', '.join(preset.upper() for preset in missing)} have checks of their own, which the suite does not use"
    written = ", ".join(f"`{{type: {PRESET_EVALUATORS[preset]}, name: {preset}, preset: {preset}}}`" for preset in missing)
    return [Diagnostic(code="unused-preset", level="warning", what=what, where=Where(file=plan.file), fix=f"add {written}")]


def warn_foreign_baseline(changes: Changes, *, has_regressions: bool) -> list[Diagnostic]:
    """An error if the baseline has no case in common with the run, so that nothing was compared.

    A warning if gates on regressions need the baseline: they are then not measured, which decides the exit code.
    """
    if any(change.n for change in changes.evaluators.values()):
        return []
    what = f"the baseline {changes.base} has no case in common with the run for any evaluator, so nothing was compared"
    level: Level = "warning" if has_regressions else "error"
    return [Diagnostic(code=FOREIGN_BASELINE, level=level, what=what, fix="give the baseline of this suite and its cases")]


def warn_of_workers(source: Source, workers: int, engine: str) -> list[Diagnostic]:
    """A warning if workers were asked for, but the cases are in memory."""
    if not source.memory or (workers == 1 and engine == "local"):
        return []
    what = "the cases are in memory, so one process did all the work"
    fix = "workers need JSONL or Parquet files: write the data to one, and give its path"
    return [Diagnostic(code="one-piece", level="warning", what=what, fix=fix)]
