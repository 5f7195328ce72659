"""Cost mode: `cost: {fields: {total: 40}}` in a suite, which becomes an evaluator named `cost`."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, cast

from fieldwise import registry
from fieldwise.dataclass import dataclass
from fieldwise.model.bounds import Ge, MinLen
from fieldwise.model.plan import KeyPath, Member, PlannedEvaluator
from fieldwise.plan.declared_options import describe_value, is_mapping_value
from fieldwise.plan.options import OptionOwner, read_options
from fieldwise.plan.review import INVALID, Invalid, Review, quote_names, suggest_name

COST_NAME: Final = "cost"
_FIELD_EVALUATORS: Final = ("field_accuracy", "field_prf", "json_quality", "composite")
_PLACE: Final[KeyPath] = ("cost",)
_Amount = Annotated[float, Ge(0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostOptions:
    """What wrong values cost, as a suite has it."""

    fields: Annotated[Mapping[str, _Amount], MinLen(1)]
    """Path of a field → what one wrong value of it costs."""
    default: _Amount = 0.0
    """What a wrong value of any other field costs."""
    false_accept: _Amount = 0.0
    """What a wrong value costs in addition if it is accepted without review."""
    review: _Amount = 0.0
    """What the review of one value costs, where the suite has a policy."""
    evaluator: Annotated[str, MinLen(1)] | None = None
    """The evaluator that says which values are wrong; by default the first one that compares fields."""


def read_cost(review: Review, suite: Mapping[str, Any], evaluators: Sequence[PlannedEvaluator | Invalid]) -> PlannedEvaluator | Invalid:
    """The evaluator that prices the wrong values of another one."""
    before = len(review.diagnostics)
    written = suite["cost"]
    if not is_mapping_value(written):
        what = f"`cost` must be a mapping, not {describe_value(written)}"
        review.add_error(_PLACE, "bad-option", what, "write `cost: {fields: {total: 40, vendor.name: 5}}`")
        return INVALID
    options = read_options(review, CostOptions, written, _PLACE, OptionOwner(title="`cost`"))
    member = _find_priced(review, written.get("evaluator"), evaluators)
    if any(isinstance(planned, PlannedEvaluator) and planned.name == COST_NAME for planned in evaluators):
        what = "an evaluator is called `cost`, and `cost` says what errors cost"
        review.add_error(_PLACE, "repeated-name", what, "give the evaluator a `name`, such as `name: model_cost`")
    thresholds = _read_thresholds(review, suite)
    if review.has_errors(before) or isinstance(member, Invalid):
        return INVALID
    config = registry.EVALUATORS.find("error_cost").options(
        prices=options.fields,
        evaluators=(Member(evaluator=member),),
        default=options.default,
        false_accept=options.false_accept,
        review=options.review,
        thresholds=thresholds,
    )
    for _, what, fix in config.problems():
        review.add_error((*_PLACE, "fields"), "malformed-path", what, fix)
    return INVALID if review.has_errors(before) else PlannedEvaluator(type="error_cost", name=COST_NAME, config=config, when=member.when)


def _find_priced(review: Review, name: Any, evaluators: Sequence[PlannedEvaluator | Invalid]) -> PlannedEvaluator | Invalid:
    if any(isinstance(planned, Invalid) for planned in evaluators):
        return INVALID  # its problems are reported already
    candidates = [cast("PlannedEvaluator", planned) for planned in evaluators if cast("Any", planned).type in _FIELD_EVALUATORS]
    names = [planned.name for planned in candidates]
    if not candidates:
        what = "`cost` needs an evaluator that compares fields, and the suite has none"
        review.add_error(_PLACE, "no-evaluator", what, f"add one of {quote_names(_FIELD_EVALUATORS[:2])}")
        return INVALID
    if name is None:
        return candidates[0]
    if name not in names:
        what = f"`cost` names the evaluator `{name}`, but no evaluator of that name compares fields"
        review.add_error((*_PLACE, "evaluator"), "unknown-evaluator", what, suggest_name(str(name), names))
        return INVALID
    return candidates[names.index(name)]


def _read_thresholds(review: Review, suite: Mapping[str, Any]) -> dict[str, float | None]:
    """The cut-offs of the suite's policy by field; empty without a policy. Problems of the file are reported with `policy`."""
    policy = suite.get("policy")
    if not isinstance(policy, str):
        return {}
    try:
        content = review.load(policy)
    except (OSError, ValueError):
        return {}
    fields = content.get("fields") if is_mapping_value(content) else None
    thresholds: dict[str, float | None] = {}
    if is_mapping_value(fields):
        for name, entry in fields.items():
            cut = entry.get("threshold") if is_mapping_value(entry) else None
            thresholds[str(name)] = float(cut) if isinstance(cut, int | float) else None
    return thresholds
