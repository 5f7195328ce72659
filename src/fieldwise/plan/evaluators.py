"""An evaluator as people write it, checked: its type, its name, when it applies, its options."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, TypeAlias

from annotated_types import Ge, Le, MinLen

from fieldwise import registry
from fieldwise.model.diagnostic import ConfigError
from fieldwise.model.document import Document, Place
from fieldwise.model.options import Gated, Restricted
from fieldwise.model.plan import Member, PlannedEvaluator, When
from fieldwise.model.values import Json
from fieldwise.plan.fields import Option, option_names, pass_through
from fieldwise.plan.foreign_names import written_here
from fieldwise.plan.options import Owner, read_options, read_value
from fieldwise.plan.review import INVALID, Invalid, Reader, Review, listed, named, suggestion, unknown_keys
from fieldwise.plan.rules import READERS as RULE_READERS
from fieldwise.plan.type_text import is_items, is_object, shown

RESERVED = ("regression",)
"""Names that gates need for themselves."""

_Texts: TypeAlias = Annotated[str, MinLen(1)] | Annotated[tuple[str, ...], MinLen(1)]


def _option(name: str, hint: Any, default: Any = None) -> Option:
    return Option(name=name, attribute=name, hint=hint, required=False, default=default)


COMMON = {
    "name": _option("name", Annotated[str, MinLen(1)]),
    "weight": _option("weight", Annotated[float, Ge(0)], 1.0),
    "pass_at": _option("pass_at", Annotated[float, Ge(0), Le(1)]),
}
"""What any evaluator may carry, besides `type` and `when`."""
COMMON_KEYS = ("type", *COMMON, "when")
WHEN = {name: _option(name, hint) for name, hint in {"id": _Texts, "tag": _Texts, "split": _Texts, "contexts": bool}.items()}
"""The conditions under which an evaluator applies to a case."""


def plan_config(
    config: Mapping[str, Any], *, load: Callable[[str], Json] | None = None, resolve: Callable[[str], str] | None = None
) -> PlannedEvaluator:
    """One evaluator from a mapping that stands in no file; ConfigError with everything that is wrong with it.

    Without `load`, options cannot come from a file; without `resolve`, paths stay as they were written.
    """
    review = Review(document=Document(value=config), load=load or _no_files, resolve=resolve or str, readers=READERS)
    planned = read_evaluator(review, config, ())
    if isinstance(planned, Invalid):
        raise ConfigError(review.found)
    return planned


def _no_files(path: str) -> Json:
    raise ValueError(f"files cannot be read here; give the content of {path} itself")


def plan_evaluator(review: Review, place: Place) -> PlannedEvaluator | Invalid:
    """The evaluator at a place of a suite, or INVALID once everything that is wrong with it has been noted."""
    value = review.document.value
    for step in place:
        value = value[step]
    return _restricted(read_evaluator(review, value, place))


def _restricted(planned: PlannedEvaluator | Invalid) -> PlannedEvaluator | Invalid:
    """The evaluator as a suite has it: for the cases that its options are about, unless it says for which."""
    if isinstance(planned, PlannedEvaluator) and planned.when is None and isinstance(planned.config, Restricted):
        return replace(planned, when=planned.config.default_when())
    return planned


def read_evaluator(review: Review, written: Any, place: Place) -> PlannedEvaluator | Invalid:
    """One evaluator from a mapping."""
    before = len(review.found)
    if not is_object(written):
        fix = f"write `type: {written}`" if isinstance(written, str) else "write `{type: field_accuracy}`"
        review.error(place, "bad-evaluator", f"an evaluator must be a mapping with `type`, not {shown(written)}", fix)
        return INVALID
    entry = _entry(review, written, place)
    common = _read_common(review, written, place, entry)
    config = None if entry is None else _config(review, entry, written, place)
    why = config.why_pass_at() if isinstance(config, Gated) and "pass_at" not in common else None
    if why:
        review.error(place, "missing-option", why, "add `threshold`, such as `threshold: 0.7`")
    if entry is None or review.failed(before):
        return INVALID
    return PlannedEvaluator(type=entry.name, config=config, **{**common, "name": common.get("name", entry.name)})


def given_name(written: Any) -> str | None:
    """What an evaluator is called in gates and reports: its `name`, else its `type`."""
    name = written.get("name", written.get("type")) if is_object(written) else None
    return name if isinstance(name, str) else None


def _entry(review: Review, written: Mapping[Any, Any], place: Place) -> registry.EvaluatorSpec | None:
    valid = registry.EVALUATORS.names()
    if "type" not in written:
        review.error(place, "missing-type", "an evaluator needs a `type`", f"one of {listed(valid)}")
        return None
    name = written["type"]
    try:
        return registry.EVALUATORS.find(name)
    except (KeyError, TypeError):
        what = f"there is no evaluator type `{name}`" if isinstance(name, str) else f"`type` must be text, not {shown(name)}"
        fix = written_here(str(name), valid, _can_be_negated) or suggestion(str(name), valid)
        review.error((*place, "type"), "unknown-evaluator", what, fix)
        return None


def _can_be_negated(name: str) -> bool:
    return "negate" in option_names(registry.EVALUATORS.find(name).options)


def _threshold_is_pass_at(entry: registry.EvaluatorSpec | None) -> bool:
    """Whether `threshold` is neither an option of the evaluator nor passed on by it."""
    return entry is not None and "threshold" not in option_names(entry.options) and pass_through(entry.options) is None


def _read_common(review: Review, written: Mapping[Any, Any], place: Place, entry: registry.EvaluatorSpec | None) -> dict[str, Any]:
    read = {key: read_value(review, option.hint, written[key], (*place, key), option) for key, option in COMMON.items() if key in written}
    if isinstance(read.get("name"), str):
        _check_name(review, read["name"], (*place, "name"))
    if "when" in written:
        read["when"] = read_when(review, written["when"], (*place, "when"))
    if "threshold" in written and _threshold_is_pass_at(entry):
        at = (*place, "threshold")
        if "pass_at" in written:
            what = "`threshold` means `pass_at` here, and both are given"
            review.error(at, "repeated-option", what, "keep `pass_at`")
        read["pass_at"] = read_value(review, COMMON["pass_at"].hint, written["threshold"], at, COMMON["pass_at"])
    return read


def _check_name(review: Review, name: str, place: Place) -> None:
    if name in RESERVED:
        review.error(place, "reserved-name", f"the name `{name}` is reserved", f"choose another name, such as `{name}_check`")
    elif not re.fullmatch(r"[\w-]+", name):
        what = f"the name `{name}` has characters that gates cannot read"
        plain = re.sub(r"[^\w-]+", "_", name).strip("_") or "fields"
        fix = f"use letters, digits, `_` and `-`: `{plain}`"
        review.error(place, "bad-name", what, fix)


def _config(review: Review, entry: registry.EvaluatorSpec, written: Mapping[Any, Any], place: Place) -> Any:
    beside = (*COMMON_KEYS, "threshold") if _threshold_is_pass_at(entry) else COMMON_KEYS
    return read_options(review, entry.options, written, place, Owner(title=f"`{entry.name}`", beside=beside))


def read_when(review: Review, written: Any, place: Place) -> Any:
    """Which cases an evaluator is for, from a mapping of conditions."""
    if not is_object(written):
        fix = f"write `when: {{id: {written}}}`" if isinstance(written, str) else f"its keys: {listed(WHEN)}"
        review.error(place, "bad-option", f"`{named(place)}` must be a mapping, not {shown(written)}", fix)
        return INVALID
    before = len(review.found)
    unknown_keys(review, written, WHEN, place, "`when`")
    read = {key: read_value(review, option.hint, written[key], (*place, key), option) for key, option in WHEN.items() if key in written}
    if not written:
        review.error(place, "bad-option", "`when` names no condition", f"its keys: {listed(WHEN)}")
    if review.failed(before):
        return INVALID
    texts = {key: _texts(read[key]) for key in read if key != "contexts"}
    return When(contexts=read.get("contexts"), **texts)


REQUIRED: Any = bool | Annotated[float, Ge(0), Le(1)]
"""What `required` may be in an evaluator that is a member of another one."""


def read_members(review: Review, value: Any, place: Place) -> Any:
    """The evaluators inside another one, from a list."""
    if not is_items(value) or not value:
        fix = "write a list: `- {type: field_accuracy, name: fields}`"
        review.error(place, "bad-option", f"`{named(place)}` must be a list of evaluators, not {shown(value)}", fix)
        return INVALID
    members = [_read_member(review, item, (*place, index)) for index, item in enumerate(value)]
    names = [item if isinstance(item, str) else given_name(item) for item in value]
    for index, name in enumerate(names):
        if name is not None and name in names[:index]:
            where = review.both((*place, names.index(name)), (*place, index))
            review.error((*place, index), "repeated-name", f"two evaluators are called `{name}` ({where})", "give each a `name`")
    return INVALID if INVALID in members or len(set(names)) < len(names) else tuple(members)


def _read_member(review: Review, written: Any, place: Place) -> Any:
    required: Any = False
    if is_object(written) and "required" in written:
        option = _option("required", REQUIRED, False)
        required = read_value(review, REQUIRED, written["required"], (*place, "required"), option)
        written = {key: value for key, value in written.items() if key != "required"}
    evaluator = _of_the_suite(review, written, place) if isinstance(written, str) else read_evaluator(review, written, place)
    if isinstance(evaluator, Invalid) or required is INVALID:
        return INVALID
    return Member(evaluator=evaluator, required=required)


def _of_the_suite(review: Review, name: str, place: Place) -> PlannedEvaluator | Invalid:
    """The evaluator of the suite that has this name: a composite may name members that stand beside it."""
    beside = review.document.value.get("evaluators") if len(place) > len(("evaluators", 0, "evaluators")) else None
    others = (
        {given_name(one): at for at, one in enumerate(beside) if is_object(one) and one.get("type") != "composite"}
        if is_items(beside)
        else {}
    )
    if name not in others:
        what = f"no other evaluator of the suite is called `{name}`"
        fix = suggestion(name, filter(None, others), "write the member here: `- {type: field_accuracy, name: …}`")
        review.error(place, "unknown-member", what, fix)
        return INVALID
    apart = replace(review, found=[])  # what is wrong with it is told where it stands
    return _restricted(read_evaluator(apart, review.document.value["evaluators"][others[name]], ("evaluators", others[name])))


READERS: dict[Any, Reader] = {**RULE_READERS, tuple[Member, ...]: read_members}
"""How fieldwise's own types are read, by annotation."""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(value) if is_items(value) else (value,)
