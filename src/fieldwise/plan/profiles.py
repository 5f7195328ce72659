"""Profiles: named, versioned ways of scoring, of the five seeds, of other tools, and strict and lenient.

A profile is a set of options (`ScoringOptions`). `compile_options` turns them into an evaluator; `apply_profile` applies a profile to the
evaluators that a suite writes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Final, Literal

from fieldwise.model.path import EACH, Path
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.rule import FieldRule, ListRule, Match
from fieldwise.plan.declared_options import is_list_value, is_mapping_value
from fieldwise.plan.review import Review, quote_names, suggest_name
from fieldwise.plan.rules import plan_match
from fieldwise.registry import EVALUATORS

Score = Literal["mean", "f1", "accuracy", "rqs", "answers"]
_EVALUATOR_OF: Final[Mapping[Score, str]] = {
    "mean": "field_accuracy",
    "f1": "field_prf",
    "accuracy": "field_prf",
    "rqs": "json_quality",
    "answers": "answer_quality",
}
_MATCHES_OF_NUMBERS: Final = frozenset(("numeric_tolerance", "money", "quantity", "duration"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringOptions:
    """The options in which ways of scoring differ."""

    # in the order in which differences are attributed: a difference that several options explain belongs to the most specific one
    fields: Literal["rules", "leaves"] = "rules"
    match: Literal["rules", "exact", "similar", "typed", "loose"] = "rules"
    lists: Literal["rules", "index", "best"] = "rules"
    unexpected: Literal["miss", "ignore"] = "miss"
    empty: Literal["value", "absent"] = "value"
    substitution_counts: Literal["fp_fn", "fp"] = "fp_fn"
    average: Literal["macro", "micro"] = "macro"
    score: Score = "mean"


OPTION_WORDS: Final[Mapping[str, str]] = {
    "score": "the score of a case",
    "average": "cases are averaged",
    "fields": "fields that count",
    "match": "values are compared",
    "lists": "items of lists are paired",
    "substitution_counts": "a wrong value counts",
    "empty": "an empty list or object is",
    "unexpected": "a value where expected lacks the field is",
}
VALUE_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "score": {
        "mean": "weighted mean of similarities",
        "f1": "F1 of fields",
        "accuracy": "share of fields that are right",
        "rqs": "response quality score of top-level keys",
        "answers": "mean of the answer metrics",
    },
    "average": {"macro": "case by case", "micro": "by pooling their fields"},
    "fields": {"rules": "those with a rule", "leaves": "every leaf of either side"},
    "match": {
        "rules": "by the suite's rules",
        "exact": "exactly",
        "similar": "by edit distance from 0.5",
        "typed": "numbers within 0.001, text by edit distance from 0.8",
        "loose": "numbers within 1 %, text by edit distance from 0.8",
    },
    "lists": {"rules": "as the suite says", "index": "by index", "best": "by best fit"},
    "substitution_counts": {"fp_fn": "twice (FP and FN)", "fp": "once (FP)"},
    "empty": {"value": "a value", "absent": "no value"},
    "unexpected": {"miss": "a miss", "ignore": "left out"},
}
"""Option → value → words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A named way of scoring."""

    name: str
    version: int
    """Incremented with every change of its options."""
    title: str
    options: ScoringOptions


def _list_profiles() -> Iterable[Profile]:
    def make(name: str, title: str, **options: Any) -> Profile:
        return Profile(name=name, version=1, title=title, options=ScoringOptions(**options))

    exact_leaves: dict[str, Any] = {"score": "f1", "fields": "leaves", "match": "exact"}
    yield make("seed-000", "response quality score of top-level keys", score="rqs", fields="leaves")
    yield make("seed-001", "weighted mean of the rules' similarities; extra fields do not count", unexpected="ignore")
    title = "F1 of exact leaves; a wrong value is a false positive only, as its code counts"
    yield make("seed-002", title, **exact_leaves, lists="index", substitution_counts="fp")
    yield make("seed-003", "answer metrics, for text", score="answers", fields="leaves")
    title = "weighted mean of the rules' similarities, lists by index; extra fields do not count"
    yield make("seed-004", title, lists="index", unexpected="ignore")
    yield make("strict", "F1 of exact leaves, lists by index; a wrong value counts twice", **exact_leaves, lists="index")
    pooled_leaves: dict[str, Any] = {"average": "micro", "fields": "leaves", "lists": "best", "empty": "absent"}
    title = "F1 of leaves, numbers within 1 %, similar text, lists by best fit; a wrong value counts once"
    yield make("lenient", title, score="f1", match="loose", substitution_counts="fp", fields="leaves", lists="best", empty="absent")
    title = "stickler-eval with its defaults: edit distance from 0.5; a wrong value is a false positive only"
    yield make("stickler", title, score="f1", match="similar", substitution_counts="fp", **pooled_leaves)
    title = "pass rate of ExtractBench, text by its fuzzy preset instead of its model"
    yield make("extract-bench", title, score="accuracy", match="typed", **pooled_leaves)
    title = "F1 of Google Document AI: exact values, pooled; a wrong value counts twice"
    yield make("docai", title, score="f1", match="exact", **pooled_leaves)


PROFILES: Final[Mapping[str, Profile]] = {profile.name: profile for profile in _list_profiles()}


def describe_options(planned: PlannedEvaluator) -> ScoringOptions | None:
    """The options by which an evaluator scores; None for an evaluator that is neither of records nor of answers."""
    config: Any = planned.config
    if planned.type == "field_accuracy":
        return ScoringOptions(unexpected=config.unexpected)
    if planned.type == "field_prf":
        scope: Literal["rules", "leaves"] = "rules" if config.scope == "fields" else "leaves"
        return ScoringOptions(score="f1", fields=scope, substitution_counts=config.substitution_counts, empty=config.empty)
    if planned.type == "json_quality":
        return ScoringOptions(score="rqs", fields="leaves")
    return ScoringOptions(score="answers", fields="leaves") if planned.type == "answer_quality" else None


def drop_irrelevant(options: ScoringOptions) -> ScoringOptions:
    """The same options with defaults for those without a meaning for this score, so that equal ways of scoring are equal."""
    if options.score in ("rqs", "answers"):
        return ScoringOptions(score=options.score, fields="leaves", average=options.average)
    if options.score == "mean":
        return replace(options, empty="value", substitution_counts="fp_fn")
    options = replace(options, unexpected="miss")
    return replace(options, substitution_counts="fp_fn") if options.score == "accuracy" else options


def list_differences(own: ScoringOptions, target: ScoringOptions) -> list[str]:
    """The options that differ and have a meaning for the target's way of scoring."""
    if not {"rqs", "answers"}.isdisjoint((own.score, target.score)):
        return ["score"] if own.score != target.score else []
    differing = [option.name for option in fields(ScoringOptions) if getattr(own, option.name) != getattr(target, option.name)]
    meaningless = {"unexpected"} if target.score != "mean" else {"substitution_counts", "empty"}
    if target.score == "accuracy":
        meaningless.add("substitution_counts")
    return [name for name in differing if name not in meaningless]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """The rules that options choose from."""

    own: PlannedEvaluator
    """The suite's evaluator."""
    leaves: tuple[FieldRule, ...]
    """A rule for every leaf of the data, inferred from it."""

    @property
    def rules(self) -> tuple[FieldRule, ...]:
        """The suite's own rules."""
        return getattr(self.own.config, "fields", ())

    @property
    def lists(self) -> tuple[ListRule, ...]:
        """How the suite pairs items of lists."""
        return getattr(self.own.config, "lists", ())


def compile_options(options: ScoringOptions, rule_set: RuleSet) -> PlannedEvaluator:
    """The evaluator that scores by these options."""
    own, evaluator_type = rule_set.own, _EVALUATOR_OF[options.score]
    if options.score in ("rqs", "answers"):
        config = own.config if own.type == evaluator_type else EVALUATORS.find(evaluator_type).options()
    elif options.score == "mean":
        config = EVALUATORS.find(evaluator_type).options(**_field_accuracy_options(options, rule_set))
    else:
        config = EVALUATORS.find(evaluator_type).options(**_field_prf_options(options, rule_set))
    return PlannedEvaluator(type=evaluator_type, name="profile", config=config, when=own.when, repair=own.repair)


def _field_accuracy_options(options: ScoringOptions, rule_set: RuleSet) -> dict[str, Any]:
    rules = rule_set.rules
    if options.fields == "leaves" or not rules:
        has_rule = {rule.path for rule in rules}
        rules = (*rules, *(leaf for leaf in rule_set.leaves if not _is_covered(leaf, has_rule)))
    if options.match != "rules":
        rules = tuple(_change_match(rule, options.match) for rule in rules)
    return {"fields": rules, "lists": _choose_lists(options, rule_set), "unexpected": options.unexpected}


def _field_prf_options(options: ScoringOptions, rule_set: RuleSet) -> dict[str, Any]:
    written: dict[str, Any] = {"substitution_counts": options.substitution_counts, "empty": options.empty}
    written["lists"] = _choose_lists(options, rule_set)
    written["ignore"] = getattr(rule_set.own.config, "ignore", ())
    if options.fields == "rules" and rule_set.rules:
        keeps = options.match == "rules"
        rules = rule_set.rules if keeps else tuple(_change_match(rule, options.match) for rule in rule_set.rules)
        return written | {"scope": "fields", "fields": rules}
    if options.match == "rules":
        return written | {"fields": rule_set.rules}
    default, numbers = find_matches(options.match)
    return written | {"default": default, "numbers": numbers}


def _is_covered(leaf: FieldRule, has_rule: set[Path | None]) -> bool:
    """Whether a rule of the suite compares this leaf, or a container of it as one value."""
    steps = leaf.path.steps if leaf.path else ()
    return any(Path(steps[:size]) in has_rule for size in range(1, len(steps) + 1))


def _choose_lists(options: ScoringOptions, rule_set: RuleSet) -> tuple[ListRule, ...]:
    if options.lists == "rules":
        return rule_set.lists
    if options.lists == "index":
        return ()
    paths: dict[Path, None] = {}
    for rule in (*rule_set.rules, *rule_set.leaves):
        steps = rule.path.steps if rule.path else ()
        paths.update({Path(steps[:place]): None for place, step in enumerate(steps) if step is EACH})
    return tuple(ListRule(path=path, align="best") for path in paths)


_MATCHES: Final[Mapping[str, Mapping[str, Any]]] = {
    "exact": {},
    "similar": {"default": {"match": "fuzzy", "threshold": 0.5}},
    "typed": {
        "default": {"match": "fuzzy", "threshold": 0.8},
        "numbers": {"match": "numeric_tolerance", "tolerance": 0.001, "parse": True},
    },
    "loose": {
        "default": {"match": "fuzzy", "threshold": 0.8},
        "numbers": {"match": "numeric_tolerance", "relative_tolerance": 0.01, "parse": True},
    },
}
"""How values are compared, as a suite writes it for `field_prf`."""


@cache  # not at import: planning a match imports its matcher
def find_matches(match: str) -> tuple[Match, Match | None]:
    """The match of everything but numbers, and that of numbers (None: like everything else)."""
    planned: list[Match | None] = []
    for key in ("default", "numbers"):
        options = dict(_MATCHES[match].get(key, {}))
        planned.append(plan_match(options.pop("match"), options) if options else None)
    return planned[0] or Match(), planned[1]


def _change_match(rule: FieldRule, match: str) -> FieldRule:
    default, numbers = find_matches(match)
    return replace(rule, match=numbers if numbers is not None and rule.match.name in _MATCHES_OF_NUMBERS else default)


# Profiles in suites --------------------------------------------------------------------------------------------------------------------


def apply_profile(review: Review, suite: Mapping[str, Any]) -> Mapping[str, Any]:
    """The suite with the options of its `profile` in its evaluators, and a remark for each of them.

    An option that the suite writes itself stays. A suite without an evaluator of the profile's type gets one.
    """
    name = suite["profile"]
    profile = PROFILES.get(name) if isinstance(name, str) else None
    if profile is None:
        fix = suggest_name(str(name), PROFILES, f"there are {quote_names(PROFILES)}")
        review.add_error(("profile",), "unknown-profile", f"there is no profile `{name}`", fix)
        return suite
    evaluator_type = _EVALUATOR_OF[profile.options.score]
    written = suite.get("evaluators")
    if written is not None and not is_list_value(written):
        return suite  # reported where evaluators are read
    evaluators: list[Any] = list(written or ())
    if not any(is_mapping_value(evaluator) and evaluator.get("type") == evaluator_type for evaluator in evaluators):
        evaluators.append({"type": evaluator_type})
        _remark(review, profile, f"adds the evaluator `{evaluator_type}`")
    return {**suite, "evaluators": [_apply_to_evaluator(review, profile, evaluator, evaluator_type) for evaluator in evaluators]}


def _apply_to_evaluator(review: Review, profile: Profile, evaluator: Any, evaluator_type: str) -> Any:
    if not is_mapping_value(evaluator) or evaluator.get("type") != evaluator_type:
        return evaluator
    label = evaluator.get("name", evaluator_type)
    added: dict[str, Any] = {}
    for key, value in _suite_options(profile.options).items():
        if key not in evaluator:
            added[key] = value
            _remark(review, profile, f"sets `{label}.{key}` to {_describe(value)}")
        elif evaluator[key] != value:
            _remark(review, profile, f"would set `{label}.{key}` to {_describe(value)}; the suite writes {_describe(evaluator[key])}")
    if profile.options.lists == "best" and "lists" not in evaluator:
        _remark(review, profile, f"pairs list items by best fit: write `lists: {{PATH: best}}` in `{label}` for each list")
    return {**evaluator, **added}


def _suite_options(options: ScoringOptions) -> dict[str, Any]:
    """The options as a suite writes them."""
    if options.score == "mean":
        return {"unexpected": options.unexpected}
    if options.score not in ("f1", "accuracy"):
        return {}
    return {"substitution_counts": options.substitution_counts, "empty": options.empty, **_MATCHES.get(options.match, {})}


def _remark(review: Review, profile: Profile, what: str) -> None:
    review.add_info(("profile",), "profile", f"profile {profile.name} (version {profile.version}) {what}")


def _describe(value: Any) -> str:
    if is_mapping_value(value):
        return "`{" + ", ".join(f"{key}: {inner}" for key, inner in value.items()) + "}`"
    return f"`{value}`"
