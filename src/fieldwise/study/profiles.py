"""The same cases scored under every profile: why another tool says something else.

A profile differs from the suite's own scoring in a few options. For each comparison whose verdict differs, the option that causes it is
the one which, changed alone in the suite, gives the profile's verdict, or, changed back alone in the profile, gives the suite's.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.runtime import throughput_settings
from fieldwise.model.case import Case, Cases
from fieldwise.model.comparison import Comparison, ComparisonTable, Outcome
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.item_label import plain_item_path
from fieldwise.model.plan import Document, Plan, PlannedEvaluator
from fieldwise.model.result import Results, Status
from fieldwise.plan.profiles import (
    PROFILES,
    Profile,
    RuleSet,
    ScoringOptions,
    compile_options,
    describe_options,
    drop_irrelevant,
    list_differences,
)
from fieldwise.plan.suite import build_plan
from fieldwise.read.cases import read_cases
from fieldwise.read.suite import read_document
from fieldwise.read.table_files import load_json
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.column_survey import has_open_rules, survey_plan_columns
from fieldwise.score.evaluate import evaluate_every_case
from fieldwise.score.inferred_rules import infer_plan_rules, infer_rules, needs_inferred_rules
from fieldwise.score.services import local_services
from fieldwise.store.part_reader import decode_case, list_part_files, read_table
from fieldwise.store.run import Run
from fieldwise.study.data_check import require_readable_values, require_usable_data
from fieldwise.study.item_places import name_places
from fieldwise.summarize.exit_code import INCOMPLETE, NOTHING, PASSED

DEFAULT_SAMPLE: Final = 1_000
"""Maximum number of cases that are scored under every profile, unless all are asked for."""
_MAX_EXAMPLES: Final = 3
_BATCH: Final = 500
_UNCOUNTED, _RIGHT, _WRONG = 0, 1, 2
VERDICT_WORDS: Final = {_UNCOUNTED: "not counted", _RIGHT: "right", _WRONG: "wrong"}
_SUBSTITUTIONS: Final = (Outcome.WRONG_VALUE, Outcome.FORMAT_ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceExample:
    """One comparison whose verdict differs."""

    case: str
    path: str
    expected: Any
    actual: Any
    profile_actual: Any
    """The actual value by the profile, which may pair another item of a list."""
    own: str
    """The suite's verdict."""
    profile: str
    """The profile's verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionDifference:
    """One option in which a profile differs from the suite."""

    option: str
    own: str
    profile: str
    comparisons: int
    """Number of comparisons whose verdict differs because of this option."""
    counted_otherwise: int
    """Number of comparisons that count more or less in the profile's score because of this option, whatever their verdict."""
    score_with: float | None
    """The suite's score with this option changed alone."""
    score_without: float | None
    """The profile's score with this option changed back alone."""
    examples: Sequence[DifferenceExample] = ()

    def has_effect(self, own_score: float | None, score: float | None) -> bool:
        """Whether the option changes a verdict or a score."""
        is_same = self.score_with == own_score and self.score_without == score
        return bool(self.comparisons or self.counted_otherwise) or not is_same


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileScore:
    """The score under one profile, and what makes it differ."""

    profile: Profile
    score: float | None
    """None if the profile does not apply to these cases."""
    note: str = ""
    """Why there is no score."""
    tau: float | None = None
    """Kendall's tau-b of the order of cases with that by the suite; None if it is not defined."""
    differing: int = 0
    """Number of comparisons whose verdict differs."""
    options: Sequence[OptionDifference] = ()
    together: int = 0
    """Number of differing comparisons that no single option explains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileReport:
    """The cases under every profile."""

    name: str
    """The suite."""
    evaluator: str
    cases: int
    of_cases: int
    """Number of cases of the run; more than `cases` if they were sampled."""
    own_score: float | None
    own_options: ScoringOptions
    profiles: Sequence[ProfileScore]
    tau: Mapping[str, Mapping[str, float | None]]
    """Kendall's tau-b of the order of cases, for each pair of profiles."""
    run: str | None = None
    diagnostics: Sequence[Diagnostic] = ()
    """Problems of single cases of a suite, which could not be read."""

    @property
    def exit_code(self) -> int:
        """0 for a stored run, which was answered; for a suite, 4 if it measured nothing and 3 if a case could not be read."""
        if self.run is not None:
            return PASSED
        if self.own_score is None:
            return NOTHING
        return INCOMPLETE if self.diagnostics else PASSED


@dataclass(frozen=True, slots=True)
class SampledCases:
    """Cases to score under every profile."""

    batches: Sequence[Cases]
    total: int

    def __len__(self) -> int:
        return sum(len(cases) for cases in self.batches)


def plan_of_run(run: Run) -> Plan:
    """The plan of the suite that is stored with a run; ConfigError if it cannot be planned any more."""
    text, file = run.manifest.suite, run.manifest.suite_file
    if file is not None:
        document = read_document(text=text, file=file)
    else:  # a suite that was given in Python is stored as the text of a dict
        try:
            document = Document(value=ast.literal_eval(text), text=text)
        except (ValueError, SyntaxError, RecursionError) as error:
            what, fix = f"the suite of run {run.id} cannot be read again", "give the suite itself: fieldwise profiles SUITE"
            raise ConfigError([Diagnostic(code="no-suite", what=what, fix=fix)]) from error
    folder = Path(file).parent if file else Path.cwd()
    return build_plan(document, load=lambda path: load_json(folder / path), resolve=lambda path: str(folder / path))


def sample_run(run: Run, limit: int | None) -> SampledCases:
    """At most `limit` cases of a stored run, drawn at random."""
    total = sum(part.cases for part in run.parts)
    positions = _sample_positions(total, limit)
    cases: list[Case] = []
    for part in run.parts:
        in_part = positions[(positions >= part.first) & (positions < part.first + part.cases)]
        for file in list_part_files(part, "cases") if len(in_part) else ():
            rows = read_table(run.path, file, case=None if len(in_part) == part.cases else in_part.tolist()).to_pylist()
            cases += [decode_case(row) for row in rows]
    return SampledCases([Cases.of(cases[start : start + _BATCH]) for start in range(0, len(cases), _BATCH)], total)


def sample_cases(batches: Sequence[Cases], limit: int | None) -> SampledCases:
    """At most `limit` of these cases, drawn at random."""
    total = sum(len(cases) for cases in batches)
    positions = _sample_positions(total, limit)
    sampled: list[Cases] = []
    first = 0
    for cases in batches:
        rows = positions[(positions >= first) & (positions < first + len(cases))] - first
        if len(rows):
            sampled.append(cases if len(rows) == len(cases) else cases.take(rows.tolist()))
        first += len(cases)
    return SampledCases(sampled, total)


def _sample_positions(total: int, limit: int | None) -> NDArray[np.int64]:
    if limit is None or limit >= total:
        return np.arange(total)
    # at random, not at equal distances: data may repeat in a pattern; the same cases at every call
    return np.sort(np.random.default_rng(0).choice(total, limit, replace=False))


def compare_profiles(
    plan: Plan,
    sample: SampledCases,
    *,
    evaluator: str | None = None,
    names: Sequence[str] = (),
    run: str | None = None,
    diagnostics: Sequence[Diagnostic] = (),
) -> ProfileReport:
    """Score cases by the suite's own evaluator and under profiles, and explain every difference."""
    own = _choose_evaluator(plan, evaluator)
    own = _complete_rules(plan, own, sample)
    own_options = describe_options(own)
    assert own_options is not None  # only such an evaluator is chosen
    leaves = () if own_options.score == "answers" else infer_rules(sample.batches, plan.source).rules
    scorer = _Scorer(RuleSet(own=own, leaves=leaves), sample, own_options)
    with throughput_settings():
        base = scorer.score(own_options)
        if run is None:
            require_readable_values(replace(plan, evaluators=(own,)), [(own.name, table) for table in base.comparisons])
        chosen = [PROFILES[name] for name in names or PROFILES]
        profiles = [_compare_profile(scorer, profile, own_options, base) for profile in chosen]
        tau = _rank_agreement(
            scorer, {"own": own_options} | {entry.profile.name: entry.profile.options for entry in profiles if not entry.note}
        )
    return ProfileReport(
        name=plan.name,
        evaluator=own.name,
        cases=len(sample),
        of_cases=sample.total,
        own_score=base.score,
        own_options=own_options,
        profiles=profiles,
        tau=tau,
        run=run,
        diagnostics=diagnostics,
    )


def compare_suite_profiles(plan: Plan, limit: int | None, *, evaluator: str | None = None, names: Sequence[str] = ()) -> ProfileReport:
    """Score at most `limit` cases of a suite under profiles; ConfigError if its data has problems that `run` refuses."""
    assert plan.source is not None  # `compile_suite` refuses a suite without cases
    unreadable = require_usable_data(plan, "profiles")
    sample = sample_cases(list(read_cases(plan.source)), limit)
    return compare_profiles(plan, sample, evaluator=evaluator, names=names, diagnostics=unreadable)


def _choose_evaluator(plan: Plan, name: str | None) -> PlannedEvaluator:
    candidates = [planned for planned in plan.evaluators if describe_options(planned) is not None]
    names = [planned.name for planned in candidates]
    if name is not None and name not in names:
        fix = f"there are {', '.join(names)}" if names else "add a field_accuracy or a field_prf"
        raise ConfigError([Diagnostic(code="no-evaluator", what=f"no evaluator of records or answers is called `{name}`", fix=fix)])
    if not candidates:
        what = "the suite has no evaluator of records or answers, so there is nothing to score under other profiles"
        raise ConfigError(
            [Diagnostic(code="no-evaluator", what=what, fix="add one of field_accuracy, field_prf, json_quality, answer_quality")]
        )
    return candidates[0] if name is None else candidates[names.index(name)]


def _complete_rules(plan: Plan, own: PlannedEvaluator, sample: SampledCases) -> PlannedEvaluator:
    """The evaluator with the rules and options that the data decide."""
    partial_plan = replace(plan, evaluators=(own,))
    for is_needed, complete in ((needs_inferred_rules, infer_plan_rules), (has_open_rules, survey_plan_columns)):
        if is_needed(partial_plan):
            partial_plan, _ = complete(partial_plan, sample.batches)
    return partial_plan.evaluators[0]


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """All cases under one set of options."""

    options: ScoringOptions
    score: float | None
    by_case: NDArray[np.float64]
    """The score of each case; NaN where it was not measured."""
    key: NDArray[np.int64]
    """Case and path of each comparison as one number, sorted."""
    label: NDArray[np.int8]
    amount: NDArray[np.float64]
    """How much the comparison counts, in the terms of this score: the similarity, or how often an error counts."""
    comparisons: Sequence[ComparisonTable | None]
    """Those of each batch."""


class _Scorer:
    """Scores the cases under sets of options, each once."""

    def __init__(self, rule_set: RuleSet, sample: SampledCases, own: ScoringOptions) -> None:
        self._rule_set, self._own = rule_set, drop_irrelevant(own)
        services = local_services()
        self._batches = [ScoringBatch(cases, services, find_causes=False) for cases in sample.batches]
        self._scored: dict[ScoringOptions, _Scored] = {}
        self.path_codes: dict[str, int] = {}

    def score(self, options: ScoringOptions) -> _Scored:
        """The cases under these options."""
        relevant = drop_irrelevant(options)
        pooled = replace(relevant, average="micro")
        if relevant not in self._scored:
            is_own = relevant in (self._own, replace(self._own, average=relevant.average))
            planned = self._rule_set.own if is_own else compile_options(relevant, self._rule_set)
            macro, micro = self._evaluate(relevant, planned)
            self._scored[replace(relevant, average="macro")], self._scored[pooled] = macro, micro
        return self._scored[relevant]

    def _evaluate(self, options: ScoringOptions, planned: PlannedEvaluator) -> tuple[_Scored, _Scored]:
        """The cases by this evaluator, averaged case by case, and pooled."""
        by_case: list[NDArray[np.float64]] = []
        totals = np.zeros(2)
        keys: list[NDArray[np.int64]] = []
        labels: list[NDArray[np.int8]] = []
        amounts: list[NDArray[np.float64]] = []
        comparisons: list[ComparisonTable | None] = []
        first = 0
        for batch in self._batches:
            results = evaluate_every_case(planned, batch)
            scores, parts = _score_cases(results, options)
            by_case.append(scores)
            totals += parts
            comparisons.append(results.comparisons)
            if results.comparisons is not None:
                key, label, amount = self._read_verdicts(results, options, first)
                keys.append(key)
                labels.append(label)
                amounts.append(amount)
            first += len(batch)
        scores = np.concatenate([np.zeros(0), *by_case])
        key = np.concatenate([np.zeros(0, dtype=np.int64), *keys])
        order = np.argsort(key, kind="stable")
        macro = float(np.nanmean(scores)) if not np.isnan(scores).all() else None
        micro = float(totals[0] / totals[1]) if totals[1] else None
        label = np.concatenate([np.zeros(0, dtype=np.int8), *labels])[order]
        amount = np.concatenate([np.zeros(0), *amounts])[order]
        scored = _Scored(replace(options, average="macro"), macro, scores, key[order], label, amount, comparisons)
        return scored, replace(scored, options=replace(options, average="micro"), score=micro)

    def _read_verdicts(
        self, results: Results, options: ScoringOptions, first: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.float64]]:
        comparisons = results.comparisons
        assert comparisons is not None
        case = comparisons.case.astype(np.int64)
        place, places = name_places(case, comparisons.path.astype(np.int64), comparisons.paths)
        codes = np.array([self.path_codes.setdefault(name, len(self.path_codes)) for name in places] or [0], dtype=np.int64)
        key = ((case + first) << 32) | codes[place]
        outcome = comparisons.outcome
        counted = ~np.isin(outcome, (Outcome.IGNORED, Outcome.FAULT))
        absent = outcome == Outcome.BOTH_ABSENT
        counted &= ~absent | (comparisons.passed if options.score == "mean" else np.zeros(len(absent), dtype=np.bool_))
        label = np.where(counted, np.where(comparisons.passed, _RIGHT, _WRONG), _UNCOUNTED).astype(np.int8)
        if options.score == "mean":
            amount = np.nan_to_num(comparisons.similarity, nan=0.0)
        else:
            counts_twice = options.score == "f1" and options.substitution_counts == "fp_fn"
            amount = np.where(np.isin(outcome, _SUBSTITUTIONS) & counts_twice, 2.0, 1.0)
        return key, label, amount

    def describe(self, key: int, base: _Scored, alternative: _Scored) -> DifferenceExample | None:
        """One comparison with the verdicts of both, by its key."""
        case, path_code = key >> 32, key & 0xFFFFFFFF
        path = next(path for path, code in self.path_codes.items() if code == path_code)
        batch, row = self._find_case(case)
        own, profile = (_find_comparison(scored.comparisons[batch], row, path) for scored in (base, alternative))
        shown = own or profile
        if shown is None:
            return None
        return DifferenceExample(
            case=self._batches[batch].cases.id[row],
            path=path,
            expected=shown.expected,
            actual=shown.actual,
            profile_actual=shown.actual if profile is None else profile.actual,
            own=_describe_verdict(base, key),
            profile=_describe_verdict(alternative, key),
        )

    def _find_case(self, case: int) -> tuple[int, int]:
        """The batch of a case, and its row there."""
        for index, batch in enumerate(self._batches):
            if case < len(batch):
                return index, case
            case -= len(batch)
        raise IndexError(case)


def _find_comparison(comparisons: ComparisonTable | None, row: int, path: str) -> Comparison | None:
    if comparisons is None:
        return None
    by_path = {comparison.path: comparison for comparison in comparisons.of_case(row)}
    named_otherwise = (comparison for name, comparison in by_path.items() if plain_item_path(name) == path)
    return by_path.get(path) or next(named_otherwise, None)


def _describe_verdict(scored: _Scored, key: int) -> str:
    row = int(np.searchsorted(scored.key, key))
    if row >= len(scored.key) or scored.key[row] != key:
        return VERDICT_WORDS[_UNCOUNTED]
    word = VERDICT_WORDS[int(scored.label[row])]
    if scored.label[row] == _WRONG and scored.options.score == "f1":
        return f"{word}, counts {'twice' if scored.amount[row] == 2 else 'once'}"
    return f"{word} ({scored.amount[row]:.2f})" if 0 < scored.amount[row] < 1 else word


def _score_cases(results: Results, options: ScoringOptions) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The score of each case, and numerator and denominator of the pooled score."""
    is_measured = results.status == Status.SCORED
    for row in np.flatnonzero(results.status == Status.ERROR).tolist():
        is_measured[row] = results.details(row).get("fault") == "system"
    if options.score not in ("f1", "accuracy"):
        return np.where(is_measured, results.score, np.nan), np.array([results.score[is_measured].sum(), is_measured.sum()])
    if "true_positives" not in results.metrics:  # the evaluator measured no case of this batch
        return np.full(len(results), np.nan), np.zeros(2)
    right, extra = (np.nan_to_num(results.metrics[name].astype(np.float64)) for name in ("true_positives", "hallucination"))
    if options.score == "accuracy":
        total = np.nan_to_num(results.metrics["total_gt_fields"].astype(np.float64)) + extra
        share = np.divide(right, total, out=np.ones(len(total)), where=total > 0)
        return np.where(is_measured, share, np.nan), np.array([right[is_measured].sum(), total[is_measured].sum()])
    errors = sum(np.nan_to_num(results.metrics[name].astype(np.float64)) for name in ("false_positives", "false_negatives"))
    pooled = np.array([2 * right[is_measured].sum(), (2 * right + errors)[is_measured].sum()])
    return np.where(is_measured, results.score, np.nan), pooled


def _compare_profile(scorer: _Scorer, profile: Profile, own: ScoringOptions, base: _Scored) -> ProfileScore:
    if (profile.options.score == "answers") != (own.score == "answers"):
        what = "it scores answers in text, and these are records" if own.score != "answers" else "it scores records, and these are answers"
        return ProfileScore(profile=profile, score=None, note=what)
    target = profile.options
    alternative = scorer.score(target)
    options = list_differences(own, target)
    keys = np.union1d(base.key, alternative.key)
    own_label, own_amount = _align(base, keys)
    label, amount = _align(alternative, keys)
    is_same_score = own.score == target.score
    differs = _differ(own_label, own_amount, label, amount, is_same_score)
    unexplained = differs.copy()
    explained: list[OptionDifference] = []
    for option in options:
        forward = scorer.score(replace(own, **{option: getattr(target, option)}))
        backward = scorer.score(replace(target, **{option: getattr(own, option)}))
        forward_label, forward_amount = _align(forward, keys)
        backward_label, backward_amount = _align(backward, keys)
        gives = ~_differ(forward_label, forward_amount, label, amount, forward.options.score == target.score)
        restores = ~_differ(backward_label, backward_amount, own_label, own_amount, backward.options.score == own.score)
        rows = np.flatnonzero(unexplained & (gives | restores))
        unexplained[rows] = False
        examples = [scorer.describe(int(keys[row]), base, alternative) for row in rows[:_MAX_EXAMPLES].tolist()]
        explained.append(
            OptionDifference(
                option=option,
                own=getattr(own, option),
                profile=getattr(target, option),
                comparisons=len(rows),
                counted_otherwise=int(
                    _differ(label, amount, backward_label, backward_amount, backward.options.score == target.score).sum()
                ),
                score_with=forward.score,
                score_without=backward.score,
                examples=[example for example in examples if example is not None],
            )
        )
    explained.sort(key=lambda entry: -entry.comparisons)
    return ProfileScore(
        profile=profile,
        score=alternative.score,
        tau=_kendall_tau(base.by_case, alternative.by_case),
        differing=int(differs.sum()),
        options=explained,
        together=int(unexplained.sum()),
    )


def _align(scored: _Scored, keys: NDArray[np.int64]) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Labels and amounts at these keys; not counted where there is no comparison."""
    label, amount = np.full(len(keys), _UNCOUNTED, dtype=np.int8), np.zeros(len(keys))
    if len(scored.key):
        rows = np.minimum(np.searchsorted(scored.key, keys), len(scored.key) - 1)
        is_present = scored.key[rows] == keys
        label[is_present], amount[is_present] = scored.label[rows[is_present]], scored.amount[rows[is_present]]
    return label, amount


def _differ(
    label: NDArray[np.int8],
    amount: NDArray[np.float64],
    other_label: NDArray[np.int8],
    other_amount: NDArray[np.float64],
    is_same_score: bool,
) -> NDArray[np.bool_]:
    """Where verdicts differ; amounts are compared only between scores of one kind."""
    differs = label != other_label
    return differs | ((label != _UNCOUNTED) & (np.abs(amount - other_amount) > 1e-9)) if is_same_score else differs


def _rank_agreement(scorer: _Scorer, options: Mapping[str, ScoringOptions]) -> dict[str, dict[str, float | None]]:
    by_case = {name: scorer.score(chosen).by_case for name, chosen in options.items()}
    agreement: dict[str, dict[str, float | None]] = {name: {} for name in by_case}
    for first, second in combinations(by_case, 2):
        agreement[first][second] = agreement[second][first] = _kendall_tau(by_case[first], by_case[second])
    return agreement


def _kendall_tau(first: NDArray[np.float64], second: NDArray[np.float64]) -> float | None:
    """Kendall's tau-b over the cases that both measured; None if either has no order."""
    from scipy.stats import kendalltau  # a quarter of a second to import

    both = ~np.isnan(first) & ~np.isnan(second)
    if both.sum() < 2:
        return None
    if first is second:
        return 1.0 if len(np.unique(first[both])) > 1 else None
    agreement: Any = kendalltau(first[both].round(12), second[both].round(12))
    return None if np.isnan(agreement.statistic) else float(agreement.statistic)
