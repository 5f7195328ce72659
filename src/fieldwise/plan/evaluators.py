"""Read an evaluator from a suite or from a mapping: its type, its name, the cases it applies to, its options."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, TypeAlias

from fieldwise import registry
from fieldwise.model.bounds import Ge, Le, MinLen
from fieldwise.model.diagnostic import ConfigError
from fieldwise.model.options import HasDefaultWhen, NeedsPassAt
from fieldwise.model.plan import Document, KeyPath, Member, PlannedEvaluator, Repair, When
from fieldwise.model.values import Json
from fieldwise.plan.declared_options import (
    DeclaredOption,
    describe_value,
    find_pass_through,
    is_list_value,
    is_mapping_value,
    list_option_names,
)
from fieldwise.plan.options import OptionOwner, read_options, read_value
from fieldwise.plan.review import INVALID, Invalid, OptionReader, Review, describe_place, quote_names, report_unknown_keys, suggest_name
from fieldwise.plan.rules import RULE_READERS, UNFAILABLE_OPTION, refuse_files

RESERVED_NAMES = ("regression", "mutants", "confidence", "policy", "cost")
"""Names with a meaning of their own in `gate`."""

_OneOrMoreTexts: TypeAlias = Annotated[str, MinLen(1)] | Annotated[tuple[str, ...], MinLen(1)]


def _optional(name: str, hint: Any, default: Any = None) -> DeclaredOption:
    return DeclaredOption(name=name, attribute=name, hint=hint, required=False, default=default)


COMMON_OPTIONS = {
    "name": _optional("name", Annotated[str, MinLen(1)]),
    "weight": _optional("weight", Annotated[float, Ge(0)], 1.0),
    "pass_at": _optional("pass_at", Annotated[float, Ge(0), Le(1)]),
}
"""Options of every evaluator, besides `type` and `when`."""
RECORD_OPTIONS = {"repair": _optional("repair", Repair, "on")}
"""Further options of evaluators that read records."""
WHEN_OPTIONS = {
    "id": _optional("id", _OneOrMoreTexts),
    "tag": _optional("tag", _OneOrMoreTexts),
    "split": _optional("split", _OneOrMoreTexts),
    "contexts": _optional("contexts", bool),
}
"""The conditions under which an evaluator applies to a case."""
MEMBER_REQUIRED_TYPE: Any = bool | Annotated[float, Ge(0), Le(1)]
"""The type of `required` in a member of a composite."""

_EQUIVALENTS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "contains-all": ("contains", {}),
    "contains-any": ("contains", {"mode": "any"}),
    "icontains-all": ("icontains", {}),
    "icontains-any": ("icontains", {"mode": "any"}),
    "contains-json": ("is_json", {"anywhere": "true"}),
    "word-count": ("length", {"unit": "words"}),
    "similar": ("similarity", {}),
    "levenshtein": ("similarity", {"match": "fuzzy"}),
    "llm-rubric": ("llm_judge", {"rubric": "[…]"}),
    "g-eval": ("llm_judge", {"rubric": "[…]"}),
    "factuality": ("llm_judge", {"prompt": "…"}),
    "model-graded-closedqa": ("llm_judge", {"prompt": "…"}),
    "python": ("code_judge", {"script": "check.py"}),
    "javascript": ("code_judge", {"script": "[node, check.mjs]"}),
    "context-faithfulness": ("ragas", {"metrics": "[faithfulness]"}),
    "faithfulness": ("ragas", {"metrics": "[faithfulness]"}),
    "answer-relevance": ("ragas", {"metrics": "[answer_relevancy]"}),
    "answer-relevancy": ("ragas", {"metrics": "[answer_relevancy]"}),
    "context-precision": ("ragas", {"metrics": "[context_precision]"}),
    "context-recall": ("ragas", {"metrics": "[context_recall]"}),
    "assert-set": ("composite", {"evaluators": "[…]"}),
    "tool-call-f1": ("tool_trajectory", {}),
    "tool-correctness": ("tool_trajectory", {}),
}
"""Name of a check in other tools → the evaluator and options that do the same here."""


def plan_config(
    config: Mapping[str, Any], *, load: Callable[[str], Json] | None = None, resolve: Callable[[str], str] | None = None
) -> PlannedEvaluator:
    """One evaluator from a mapping outside any file; ConfigError with everything that is wrong with it.

    Without `load`, options cannot come from a file; without `resolve`, paths stay as they are written.
    """
    review = Review(document=Document(value=config), load=load or refuse_files, resolve=resolve or str, readers=OPTION_READERS)
    planned = read_evaluator(review, config, ())
    if isinstance(planned, Invalid):
        raise ConfigError(review.diagnostics)
    return planned


def plan_evaluator(review: Review, place: KeyPath) -> PlannedEvaluator | Invalid:
    """The evaluator at a place of a suite, or INVALID with every problem in the review."""
    value = review.document.value
    for step in place:
        value = value[step]
    return apply_default_when(read_evaluator(review, value, place))


def apply_default_when(planned: PlannedEvaluator | Invalid) -> PlannedEvaluator | Invalid:
    """Restrict an evaluator of a suite to the cases that its options are made for, unless `when` is written."""
    if isinstance(planned, PlannedEvaluator) and planned.when is None and isinstance(planned.config, HasDefaultWhen):
        return replace(planned, when=planned.config.default_when())
    return planned


def read_evaluator(review: Review, written: Any, place: KeyPath) -> PlannedEvaluator | Invalid:
    """One evaluator from a mapping."""
    registry.CAUSES.load_plugins()  # every evaluator may need all causes, and one that cannot be imported must not wait for a mismatch
    before = len(review.diagnostics)
    if not is_mapping_value(written):
        fix = f"write `type: {written}`" if isinstance(written, str) else "write `{type: field_accuracy}`"
        review.add_error(place, "bad-evaluator", f"an evaluator must be a mapping with `type`, not {describe_value(written)}", fix)
        return INVALID
    spec = _find_spec(review, written, place)
    common = _read_common(review, written, place, spec)
    config = None if spec is None else _read_config(review, spec, written, place)
    reason = config.why_pass_at() if isinstance(config, NeedsPassAt) and "pass_at" not in common else None
    if reason:
        review.add_error(place, "missing-option", reason, "add `threshold`, such as `threshold: 0.7`")
    if spec is None or review.has_errors(before):
        return INVALID
    common.setdefault("name", spec.name)
    return PlannedEvaluator(type=spec.name, config=config, **common)


def get_evaluator_name(written: Any) -> str | None:
    """The name of an evaluator in gates and reports: its `name`, else its `type`; None if neither is text."""
    name = written.get("name", written.get("type")) if is_mapping_value(written) else None
    return name if isinstance(name, str) else None


def _find_spec(review: Review, written: Mapping[Any, Any], place: KeyPath) -> registry.EvaluatorSpec | None:
    if "type" not in written:
        fix = f"one of {quote_names(registry.EVALUATORS.names())}"
        review.add_error(place, "missing-type", "an evaluator needs a `type`", fix)
        return None
    name = written["type"]
    try:
        return registry.EVALUATORS.find(name)
    except (KeyError, TypeError):  # TypeError: a list or a mapping cannot be a key
        what = f"there is no evaluator type `{name}`" if isinstance(name, str) else f"`type` must be text, not {describe_value(name)}"
        fix = suggest_equivalent(str(name)) or suggest_name(str(name), registry.EVALUATORS.names())
        review.add_error((*place, "type"), "unknown-evaluator", what, fix)
        return None


def suggest_equivalent(foreign_name: str) -> str | None:
    """How to write a check that other tools call by this name; None if there is no equivalent.

    >>> suggest_equivalent("not-contains-any")
    'write `{type: contains, mode: any, negate: true}`'
    """
    name = foreign_name.lower().replace("_", "-")
    positive_name = name.removeprefix("not-")
    negated = positive_name != name
    if not negated and positive_name not in _EQUIVALENTS:
        return None
    evaluator_type, options = _EQUIVALENTS.get(positive_name, (positive_name.replace("-", "_"), {}))
    try:
        spec = registry.EVALUATORS.find(evaluator_type)
    except KeyError:
        return None
    if negated and "negate" not in list_option_names(spec.options):
        return None
    parts = {"type": evaluator_type, **options, **({"negate": "true"} if negated else {})}
    return f"write `{{{', '.join(f'{key}: {value}' for key, value in parts.items())}}}`"


def _threshold_means_pass_at(spec: registry.EvaluatorSpec | None) -> bool:
    """Whether `threshold` is neither an option of the evaluator nor passed through by it."""
    return spec is not None and "threshold" not in list_option_names(spec.options) and find_pass_through(spec.options) is None


def list_common_options(spec: registry.EvaluatorSpec | None) -> dict[str, DeclaredOption]:
    """The options of an evaluator that are not its own, besides `type` and `when`."""
    return COMMON_OPTIONS | RECORD_OPTIONS if spec is not None and spec.reads == "records" else COMMON_OPTIONS


def _read_common(review: Review, written: Mapping[Any, Any], place: KeyPath, spec: registry.EvaluatorSpec | None) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, option in list_common_options(spec).items():
        if key in written:
            values[key] = read_value(review, option.hint, written[key], (*place, key), option)
    if isinstance(values.get("name"), str):
        _check_name(review, values["name"], (*place, "name"))
    if "when" in written:
        values["when"] = read_when(review, written["when"], (*place, "when"))
    if "threshold" in written and _threshold_means_pass_at(spec):
        threshold_place = (*place, "threshold")
        if "pass_at" in written:
            what = "`threshold` means `pass_at` here, and both are given"
            review.add_error(threshold_place, "repeated-option", what, "keep `pass_at`")
        option = COMMON_OPTIONS["pass_at"]
        values["pass_at"] = read_value(review, option.hint, written["threshold"], threshold_place, option)
    if values.get("pass_at") == 0:
        key = "pass_at" if "pass_at" in written else "threshold"
        what, fix = f"with `{key}: 0` every case passes", "write the lowest score to accept, such as 0.8"
        review.add_warning((*place, key), UNFAILABLE_OPTION, what, fix)
    return values


def _check_name(review: Review, name: str, place: KeyPath) -> None:
    if name in RESERVED_NAMES:
        review.add_error(place, "reserved-name", f"the name `{name}` is reserved", f"choose another name, such as `{name}_check`")
    elif not re.fullmatch(r"[\w-]+", name):
        what = f"the name `{name}` has characters that gates cannot read"
        plain = re.sub(r"[^\w-]+", "_", name).strip("_") or "fields"
        review.add_error(place, "bad-name", what, f"use letters, digits, `_` and `-`: `{plain}`")


def _read_config(review: Review, spec: registry.EvaluatorSpec, written: Mapping[Any, Any], place: KeyPath) -> Any:
    other_keys = ("type", *list_common_options(spec), "when", *(("threshold",) if _threshold_means_pass_at(spec) else ()))
    return read_options(review, spec.options, written, place, OptionOwner(title=f"`{spec.name}`", other_keys=other_keys))


def read_when(review: Review, written: Any, place: KeyPath) -> Any:
    """The cases an evaluator applies to, from a mapping of conditions."""
    keys = f"its keys: {quote_names(WHEN_OPTIONS)}"
    if not is_mapping_value(written):
        fix = f"write `when: {{id: {written}}}`" if isinstance(written, str) else keys
        review.add_error(place, "bad-option", f"`{describe_place(place)}` must be a mapping, not {describe_value(written)}", fix)
        return INVALID
    before = len(review.diagnostics)
    report_unknown_keys(review, written, WHEN_OPTIONS, place, "`when`")
    conditions: dict[str, Any] = {}
    for key, option in WHEN_OPTIONS.items():
        if key in written:
            value = read_value(review, option.hint, written[key], (*place, key), option)
            conditions[key] = (value,) if isinstance(value, str) else value
    if not written:
        review.add_error(place, "bad-option", "`when` names no condition", keys)
    return INVALID if review.has_errors(before) else When(**conditions)


def read_members(review: Review, value: Any, place: KeyPath) -> Any:
    """The member evaluators of a composite, from a list."""
    if not is_list_value(value) or not value:
        fix = "write a list: `- {type: field_accuracy, name: fields}`"
        what = f"`{describe_place(place)}` must be a list of evaluators, not {describe_value(value)}"
        review.add_error(place, "bad-option", what, fix)
        return INVALID
    members = [_read_member(review, item, (*place, index)) for index, item in enumerate(value)]
    names = [item if isinstance(item, str) else get_evaluator_name(item) for item in value]
    for index, name in enumerate(names):
        if name is not None and name in names[:index]:
            where = review.describe_two_places((*place, names.index(name)), (*place, index))
            review.add_error((*place, index), "repeated-name", f"two evaluators are called `{name}` ({where})", "give each a `name`")
    return INVALID if INVALID in members or len(set(names)) < len(names) else tuple(members)


def _read_member(review: Review, written: Any, place: KeyPath) -> Any:
    required: Any = False
    if is_mapping_value(written) and "required" in written:
        option = _optional("required", MEMBER_REQUIRED_TYPE, False)
        required = read_value(review, option.hint, written["required"], (*place, "required"), option)
        written = {key: value for key, value in written.items() if key != "required"}
    is_name = isinstance(written, str)
    evaluator = _find_suite_evaluator(review, written, place) if is_name else read_evaluator(review, written, place)
    if isinstance(evaluator, Invalid) or required is INVALID:
        return INVALID
    return Member(evaluator=evaluator, required=required)


def _find_suite_evaluator(review: Review, name: str, place: KeyPath) -> PlannedEvaluator | Invalid:
    """The evaluator of the suite that has this name: a composite may name evaluators of the same suite as members."""
    in_suite = len(place) > len(("evaluators", 0, "evaluators"))
    written = review.document.value.get("evaluators") if in_suite else None
    index_by_name: dict[str | None, int] = {}
    for index, evaluator in enumerate(written if is_list_value(written) else ()):
        if is_mapping_value(evaluator) and evaluator.get("type") != "composite":
            index_by_name[get_evaluator_name(evaluator)] = index
    if name not in index_by_name:
        what = f"no other evaluator of the suite is called `{name}`"
        fix = suggest_name(name, filter(None, index_by_name), "write the member here: `- {type: field_accuracy, name: …}`")
        review.add_error(place, "unknown-member", what, fix)
        return INVALID
    separate_review = replace(review, diagnostics=[])  # its problems are reported once, where the suite defines it
    return plan_evaluator(separate_review, ("evaluators", index_by_name[name]))


OPTION_READERS: dict[Any, OptionReader] = {**RULE_READERS, tuple[Member, ...]: read_members}
"""Readers of fieldwise's own types, by annotation."""
