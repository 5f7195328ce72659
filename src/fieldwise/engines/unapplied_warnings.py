"""Diagnostics of parts of evaluators that measured nothing in a run: members of composites, and rules of `constraints`.

The stored details of the cases tell; they are read only until each part was measured once, which is usually in the first case.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Final

from fieldwise.dataclass import dataclass
from fieldwise.engines.run_totals import RunTotals
from fieldwise.engines.run_warnings import describe_unmeasured, warn_absent_item_paths, warn_unmeasured_rules, warn_unused_rules
from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic, Level, Where
from fieldwise.model.locations import Location
from fieldwise.model.options import ReadsOutputFields
from fieldwise.model.plan import Member, Plan, PlannedEvaluator
from fieldwise.model.result import EXCLUDED_BY_WHEN
from fieldwise.model.summary import Counts, Summary
from fieldwise.read.rule_lines import add_rule_lines
from fieldwise.report.limit_hints import TOLERATE
from fieldwise.score.path_survey import ABSENT_PATH
from fieldwise.store.load_part import load_details
from fieldwise.store.manifest import Part
from fieldwise.summarize.exit_code import NEVER_USED, UNMEASURED_RULE

_COMPOSITE: Final = "composite"
_CONSTRAINTS: Final = "constraints"


@dataclass(frozen=True, slots=True)
class _RuleWatch:
    """A rule of `constraints`, and the members of composites that lead to it."""

    members: tuple[str, ...]
    planned: PlannedEvaluator
    index: int
    """Position of the rule; its name may be redacted in the stored details."""

    @property
    def rule(self) -> Any:
        """The rule itself: an evaluator is found by name, so that its options have no type here."""
        options: Any = self.planned.config
        return options.rules[self.index]

    def is_applied(self, details: Mapping[str, Any]) -> bool:
        """True if the rule held or failed in a case with these details."""
        outcomes = _find_member_details(details, self.members).get("rules", ())
        return self.index < len(outcomes) and outcomes[self.index]["held"] is not None

    def reads_field(self, paths: Collection[str]) -> bool:
        """True if the rule reads one of these fields."""
        options: Any = replace(self.planned.config, rules=(self.rule,))  # pyright: ignore[reportArgumentType, reportCallIssue]
        return isinstance(options, ReadsOutputFields) and any(rule.text in paths for rule in options.output_fields())


def check_rules(
    plan: Plan,
    summary: Summary,
    totals: RunTotals,
    folder: Location,
    parts: Sequence[Part],
    read_all: Callable[[], Iterable[Cases]] | None,
    *,
    all_cases: bool,
) -> list[Diagnostic]:
    """Rules that had nothing to measure in a run. `read_all` reads the data again; None if that is not possible."""
    notes = warn_unused_rules(plan, totals, read_all, all_cases=all_cases)
    notes += warn_absent_item_paths(plan, totals, read_all, all_cases=all_cases)
    absent = _find_absent_fields(notes)
    notes += warn_unmeasured_rules(plan, summary, absent, all_cases=all_cases)
    return notes + warn_unapplied_rules(plan, summary, folder, parts, absent, all_cases=all_cases)


def _find_absent_fields(notes: Iterable[Diagnostic]) -> dict[Level, set[str]]:
    """Fields that were reported as absent, by level. Those of errors are also among those of warnings."""
    absent = [note for note in notes if note.code == ABSENT_PATH]
    errors = [note for note in absent if note.level == "error"]
    return {"warning": {note.where.field or "" for note in absent}, "error": {note.where.field or "" for note in errors}}


def warn_unapplied_rules(
    plan: Plan, summary: Summary, folder: Location, parts: Sequence[Part], absent: Mapping[Level, Collection[str]], *, all_cases: bool
) -> list[Diagnostic]:
    """Rules of `constraints` that applied to no output: an error if the run covers all cases and the rule is not `sparse`, else a warning.

    Not reported: a rule one of whose fields was reported as absent at the same level or as an error, and where no rule was checked at all.
    """
    diagnostics: list[Diagnostic] = []
    for planned in plan.evaluators:
        counts = summary.evaluators[planned.name].counts
        watches = list(_list_rules(planned, ()))
        if not watches or not counts.scored:
            continue
        for watch in _find_unapplied(watches, load_details(folder, parts, planned.name)):
            level: Level = "warning" if watch.rule.sparse or not all_cases else "error"
            if watch.reads_field(absent[level]):
                continue
            where = Where(file=plan.file, field=watch.rule.label)
            fix = "check its `if` and its paths, or write `sparse: true` if it may apply to no output" if level == "error" else None
            what = f"{planned.name}: the rule applied to no output (n = 0)"
            diagnostics.append(Diagnostic(code=UNMEASURED_RULE, level=level, what=what, where=where, fix=fix))
    return add_rule_lines(plan, diagnostics)


@dataclass(slots=True)
class _MemberWatch:
    """A member of a composite, with the names of the composites inside the evaluator that lead to it."""

    composites: tuple[str, ...]
    member: Member
    excluded: int = 0
    """Number of cases that its own `when` excludes, or that of a composite that holds it."""
    reasons: Counter[str] = field(default_factory=Counter[str])
    """Why it was skipped in the other cases."""

    @property
    def path(self) -> tuple[str, ...]:
        """Its name after those of the composites."""
        return (*self.composites, self.member.evaluator.name)

    @property
    def counts_in_score(self) -> bool:
        """False if the composite only reports its score."""
        return self.member.evaluator.weight > 0 or self.member.required is not False

    def is_measured(self, details: Mapping[str, Any]) -> bool:
        """True if a case with these details has another result than `skipped`; counts the case otherwise."""
        composite = _find_member_details(details, self.composites)
        result = composite.get("members", {}).get(self.member.evaluator.name)
        if result is None:
            self.excluded += bool(details.get("members"))  # of a composite that could not be evaluated, no member is known
        elif result["status"] != "skipped":
            return True
        elif result["reasoning"] == EXCLUDED_BY_WHEN:
            self.excluded += 1
        else:
            self.reasons[result["reasoning"]] += 1
        return False


def warn_unmeasured_members(
    plan: Plan, summary: Summary, folder: Location, parts: Sequence[Part], *, all_cases: bool, max_unscored: int
) -> list[Diagnostic]:
    """Members of composites that were skipped or do not apply in every case: an error where the same evaluator alone would be one.

    Where the cases have nothing to score, `max_unscored` may tolerate them; a member that is for no case of a selection is a warning, and
    so is one that does not count in the score.
    """
    diagnostics: list[Diagnostic] = []
    for planned in plan.evaluators:
        unmeasured: list[tuple[str, ...]] = []
        for watch in _find_unmeasured_members(planned, folder, parts):
            if any(watch.path[: len(outer)] == outer for outer in unmeasured):
                continue  # it is inside a member that is reported
            unmeasured.append(watch.path)
            diagnostics.append(_report_member(planned, watch, summary, all_cases=all_cases, max_unscored=max_unscored))
    return diagnostics


def _find_unmeasured_members(planned: PlannedEvaluator, folder: Location, parts: Sequence[Part]) -> list[_MemberWatch]:
    pending = list(_list_members(planned, ()))
    if not pending:
        return []
    for details in load_details(folder, parts, planned.name):
        pending = [watch for watch in pending if not watch.is_measured(details)]
        if not pending:
            break
    return [watch for watch in pending if watch.excluded or watch.reasons]


def _list_members(planned: PlannedEvaluator, composites: tuple[str, ...]) -> Iterator[_MemberWatch]:
    """The members of a composite, each before its own members."""
    options: Any = planned.config
    for member in options.evaluators if planned.type == _COMPOSITE else ():
        yield _MemberWatch(composites, member)
        yield from _list_members(member.evaluator, (*composites, member.evaluator.name))


def _report_member(planned: PlannedEvaluator, watch: _MemberWatch, summary: Summary, *, all_cases: bool, max_unscored: int) -> Diagnostic:
    skipped = watch.reasons.total()
    described = describe_unmeasured(Counts(not_applicable=watch.excluded, skipped=skipped))
    what = f"`{'.'.join(watch.path)}`, a member of `{planned.name}`, measured nothing: {described}"
    fix = "check its `when`, or remove it"
    is_error = all_cases
    if skipped:
        [(reason, _)] = watch.reasons.most_common(1)
        what = f"{what} ({reason})" if reason else what
        fix = f"check that the cases have what it scores{_suggest_limit(summary, skipped)}"
        is_error = skipped > max_unscored
    level: Level = "error" if is_error and watch.counts_in_score else "warning"
    return Diagnostic(code=NEVER_USED, level=level, what=what, fix=fix)


def _suggest_limit(summary: Summary, skipped: int) -> str:
    """The end of a fix that names the limit that would tolerate the skipped cases; empty if nothing at all was measured."""
    all_counts = [evaluator.counts for evaluator in summary.evaluators.values()]
    if not any(counts.scored + counts.failures for counts in all_counts):
        return ""
    unscored = sum(counts.unavailable + counts.skipped for counts in all_counts)
    return f"{TOLERATE}--max-unscored {max(skipped, unscored)}"


def _find_unapplied(watches: Sequence[_RuleWatch], all_details: Iterator[Mapping[str, Any]]) -> list[_RuleWatch]:
    pending = list(watches)
    for details in all_details:
        pending = [watch for watch in pending if not watch.is_applied(details)]
        if not pending:
            break
    return pending


def _list_rules(planned: PlannedEvaluator, members: tuple[str, ...]) -> Iterator[_RuleWatch]:
    options: Any = planned.config
    if planned.type == _CONSTRAINTS:
        for index in range(len(options.rules)):
            yield _RuleWatch(members, planned, index)
    elif planned.type == _COMPOSITE:
        for member in options.evaluators:
            yield from _list_rules(member.evaluator, (*members, member.evaluator.name))


def _find_member_details(details: Mapping[str, Any], members: Sequence[str]) -> Mapping[str, Any]:
    """The details of a member of a composite, of a member of that, and so on; empty where a case has none."""
    for name in members:
        details = details.get("members", {}).get(name, {}).get("details", {})
    return details
