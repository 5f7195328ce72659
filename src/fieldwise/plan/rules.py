"""Reads fieldwise's own types as people write them: field rules, list rules, matches, paths."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, get_args

from annotated_types import Ge

from fieldwise import registry
from fieldwise.model.document import Place
from fieldwise.model.path import EACH, MalformedPath, Path
from fieldwise.model.rule import Align, FieldRule, ListRule, Match
from fieldwise.plan.fields import Option, option_names
from fieldwise.plan.options import Owner, read_options, read_plain
from fieldwise.plan.review import INVALID, Reader, Review, listed, suggestion, unknown_keys
from fieldwise.plan.type_text import described, is_items, is_object, shown

RULE_OPTIONS = (
    Option(name="weight", attribute="weight", hint=Annotated[float, Ge(0)], required=False, default=1.0),
    Option(name="required", attribute="required", hint=bool, required=False, default=True),
)
"""What every rule may say, besides `path`, `match` and the options of its match."""
RULE_KEYS = ("path", "match", *(option.name for option in RULE_OPTIONS))
LIST_KEYS = ("align", "key")
USUAL_MATCHES = ("exact", "fuzzy", "numeric_tolerance")


def match_names() -> tuple[str, ...]:
    """Every match there is, the usual ones first."""
    every = registry.MATCHERS.names()
    return (*(name for name in USUAL_MATCHES if name in every), *(name for name in every if name not in USUAL_MATCHES))


def read_match(review: Review, value: Any, place: Place) -> Any:
    """A match from its name, or from a mapping with `match` and its options."""
    if isinstance(value, str):
        return _match(review, value, {}, place, place, ())
    if not is_object(value):
        review.error(place, "bad-option", f"a match must be {described(Match)}, not {shown(value)}", "write `match: exact`")
        return INVALID
    return _match(review, value.get("match", "exact"), value, (*place, "match"), place, ("match",))


def _match(review: Review, name: Any, written: Mapping[str, Any], named_at: Place, place: Place, beside: Sequence[str]) -> Any:
    try:
        entry = registry.MATCHERS.find(name) if isinstance(name, str) else None
    except KeyError:
        entry = None
    if entry is None:
        valid = match_names()
        usual = "the usual ones are `exact`, `fuzzy` and `numeric_tolerance`"
        what = f"Invalid match type: {name} (valid: {', '.join(valid)})"
        review.error(named_at, "invalid-match", what, suggestion(str(name), valid, usual))
        return INVALID
    owner = Owner(title=f"`{name}`", beside=beside, elsewhere=_other_matches)
    options = read_options(review, entry.options, written, place, owner)
    return INVALID if options is INVALID else Match(entry.name, options)


def _other_matches(key: str) -> str | None:
    having = [name for name in match_names() if key in option_names(registry.MATCHERS.find(name).options)]
    return f"it is an option of {listed(having)}: set `match`" if having else None


def read_path(review: Review, value: Any, place: Place) -> Any:
    """A path that must be well-formed."""
    text = read_plain(review, str, value, place)
    if text is INVALID:
        return INVALID
    try:
        return Path.parse(text)
    except MalformedPath as error:
        review.error(place, "malformed-path", str(error), error.fix or "write a path such as `invoice.total`")
        return INVALID


def read_field_rules(review: Review, value: Any, place: Place) -> Any:
    """The rules of an evaluator, from a list."""
    if not is_items(value):
        fix = "write a list: `- {path: invoice.total, match: exact}`"
        review.error(place, "bad-option", f"`{place[-1]}` must be a list of fields, not {shown(value)}", fix)
        return INVALID
    rules = [read_field_rule(review, item, (*place, index)) for index, item in enumerate(value)]
    repeated = _refuse_repeats(review, rules, place)
    return INVALID if repeated or any(rule is INVALID for rule in rules) else tuple(rules)


def _refuse_repeats(review: Review, rules: Sequence[Any], place: Place) -> bool:
    first: dict[Path | str, int] = {}
    before = len(review.found)
    for index, rule in enumerate(rules):
        if isinstance(rule, FieldRule):
            same = first.setdefault(rule.path or rule.text, index)
            if same != index:
                where = review.both((*place, same), (*place, index))
                what = f"`{rule.text}` has two rules ({where})"
                review.about(rule.text).error((*place, index), "repeated-field", what, "keep one of them")
    return review.failed(before)


def read_field_rule(review: Review, value: Any, place: Place) -> Any:
    """One rule, from a mapping or from a bare path."""
    if isinstance(value, str):
        value = {"path": value}
        path_at = place
    else:
        path_at = (*place, "path")
    if not is_object(value) or "path" not in value:
        what = "a field needs a `path`" if is_object(value) else f"a field must be a mapping or a path, not {shown(value)}"
        review.error(place, "bad-field", what, "write `{path: invoice.total, match: exact}`")
        return INVALID
    text = value["path"]
    review = review.about(text if isinstance(text, str) else None)
    path = _rule_path(review, text, path_at)
    given = [option for option in RULE_OPTIONS if option.name in value]
    said = {option.name: read_plain(review, option.hint, value[option.name], (*place, option.name), option) for option in given}
    match = _match(review, value.get("match", "exact"), value, (*place, "match"), place, RULE_KEYS)
    if INVALID in (path, match, *said.values()):
        return INVALID
    return FieldRule(path=path, text=text, match=match, **said)


def _rule_path(review: Review, text: Any, place: Place) -> Any:
    """The path of a rule; None with a warning where it is malformed, because such a field is a miss and not a mistake in the suite."""
    if not isinstance(text, str):
        return read_plain(review, str, text, place)
    if text.startswith("$"):
        return read_path(review, text, place)
    try:
        return Path.parse(text)
    except MalformedPath as error:
        review.warn(
            place, "malformed-path", f"{error}: every case will miss this field", error.fix or "write a path such as `invoice.total`"
        )
        return None


def read_list_rules(review: Review, value: Any, place: Place) -> Any:
    """How lists are paired, from a mapping of their paths."""
    if not is_object(value):
        fix = "write `{line_items: {align: best}}`"
        review.error(place, "bad-option", f"`{place[-1]}` must be a mapping of list paths, not {shown(value)}", fix)
        return INVALID
    rules: dict[Path, ListRule] = {}
    bad = False
    for key, written in value.items():
        rule = _list_rule(review, key, written, (*place, key))
        if isinstance(rule, ListRule) and rule.path in rules:
            review.error((*place, key), "repeated-field", f"the list `{rule.path}` is named twice", "keep one of them")
        bad = bad or rule is INVALID or rule.path in rules
        if isinstance(rule, ListRule):
            rules[rule.path] = rule
    return INVALID if bad else tuple(rules.values())


def _list_rule(review: Review, text: Any, written: Any, place: Place) -> Any:
    review = review.about(str(text))
    path = read_path(review, text, place)
    if isinstance(written, str):
        written = {"align": written}
        align_at = place
    else:
        align_at = (*place, "align")
    if not is_object(written):
        review.error(place, "bad-option", f"a list must be a mapping with `align`, not {shown(written)}", "write `{align: best}`")
        return INVALID
    before = len(review.found)
    unknown_keys(review, written, LIST_KEYS, place, "a list")
    align = _align(review, written.get("align", "key" if "key" in written else "index"), align_at)
    key = read_path(review, written["key"], (*place, "key")) if "key" in written else None
    _check_key(review, align, key, place)
    if review.failed(before) or path is INVALID:
        return INVALID
    return ListRule(path=_without_each(path), align=align, key=key)


def _align(review: Review, value: Any, place: Place) -> Any:
    valid = get_args(Align)
    if value in valid:
        return value
    what = f"`align` must be one of {listed(valid)}, not {shown(value)}"
    review.error(place, "bad-option", what, suggestion(str(value), valid, "`index` is the default"))
    return INVALID


def _check_key(review: Review, align: Any, key: Any, place: Place) -> None:
    if align == "key" and key is None:
        review.error(place, "missing-option", "`align: key` needs `key`", "add the key that items share: `{align: key, key: sku}`")
    if align not in ("key", INVALID) and key is not None:
        review.error(
            (*place, "key"),
            "bad-option",
            f"`key` is only for `align: key`, not for `align: {align}`",
            "write `align: key`, or remove `key`",
        )


def _without_each(path: Path) -> Path:
    return Path(path.steps[:-1]) if path.steps and path.steps[-1] is EACH else path


READERS: dict[Any, Reader] = {
    tuple[FieldRule, ...]: read_field_rules,
    FieldRule: read_field_rule,
    tuple[ListRule, ...]: read_list_rules,
    Match: read_match,
    Path: read_path,
}
"""How each of these annotations is read."""
