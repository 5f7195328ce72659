"""Read fieldwise's own types from a suite: field rules, list rules, matches, paths."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, get_args

from fieldwise import registry
from fieldwise.model.bounds import Ge, Le
from fieldwise.model.diagnostic import ConfigError
from fieldwise.model.path import EACH, MalformedPath, Path
from fieldwise.model.plan import Document, KeyPath
from fieldwise.model.rule import DEFAULT_AT_LEAST, Align, EvidenceRule, FieldRule, ListRule, Match
from fieldwise.model.values import encode_by_value
from fieldwise.plan.declared_options import (
    DeclaredOption,
    describe_type,
    describe_value,
    is_list_value,
    is_mapping_value,
    list_option_names,
)
from fieldwise.plan.options import OptionOwner, read_options, read_plain, read_value
from fieldwise.plan.review import (
    INVALID,
    Invalid,
    OptionReader,
    Review,
    find_closest_name,
    quote_names,
    report_unknown_keys,
    suggest_name,
)
from fieldwise.plan.rules_from_types import import_type, rules_from_schema, rules_from_type

RULE_OPTIONS = (
    DeclaredOption(name="weight", attribute="weight", hint=Annotated[float, Ge(0)], required=False, default=1.0),
    DeclaredOption(name="required", attribute="required", hint=bool, required=False, default=True),
    DeclaredOption(name="sparse", attribute="sparse", hint=bool, required=False, default=False),
    DeclaredOption(name="evidence", attribute="evidence", hint=EvidenceRule, required=False, default=None),
    DeclaredOption(name="unexpected", attribute="unexpected", hint=Literal["miss", "ignore"], required=False, default="miss"),
)
"""Options of every field rule, besides `path`, `match` and the options of its match."""
RULE_KEYS = ("path", "match", *(option.name for option in RULE_OPTIONS))
LIST_KEYS = ("align", "key", "at_least")
AT_LEAST_HINT: Any = Annotated[float, Ge(0), Le(1)]
TYPE_KEYS = ("schema", "model")
COMMON_MATCHES = ("exact", "fuzzy", "numeric_tolerance")
UNFAILABLE_OPTION = "unfailable-option"


def plan_match(name: str, options: Mapping[str, Any]) -> Match:
    """A match outside any suite, with its options checked; ConfigError with everything that is wrong with them."""
    written = {"match": name, **options}
    review = Review(document=Document(value=written), load=refuse_files, resolve=str, readers=RULE_READERS)
    match = read_match(review, written, ())
    if isinstance(match, Invalid):
        raise ConfigError(review.diagnostics)
    return match


def refuse_files(path: str) -> Any:
    """File loader for options that do not come from a suite: always an error."""
    raise ValueError(f"files cannot be read here; give the content of {path} itself")


def list_match_names() -> tuple[str, ...]:
    """Every registered match, the common ones first."""
    names = registry.MATCHERS.names()
    common = [name for name in COMMON_MATCHES if name in names]
    return (*common, *(name for name in names if name not in COMMON_MATCHES))


def read_match(review: Review, value: Any, place: KeyPath) -> Any:
    """A match from its name, or from a mapping with `match` and its options."""
    if isinstance(value, str):
        return _read_named_match(review, value, {}, name_place=place, place=place, other_keys=())
    if not is_mapping_value(value):
        what = f"a match must be {describe_type(Match)}, not {describe_value(value)}"
        review.add_error(place, "bad-option", what, "write `match: exact`")
        return INVALID
    name = value.get("match", "exact")
    return _read_named_match(review, name, value, name_place=(*place, "match"), place=place, other_keys=("match",))


def _read_named_match(
    review: Review, name: Any, written: Mapping[str, Any], *, name_place: KeyPath, place: KeyPath, other_keys: Sequence[str]
) -> Any:
    try:
        spec = registry.MATCHERS.find(name) if isinstance(name, str) else None
    except KeyError:
        spec = None
    if spec is None:
        valid = list_match_names()
        what = f"Invalid match type: {name} (valid: {', '.join(valid)})"
        fix = suggest_name(str(name), valid, "the usual ones are `exact`, `fuzzy` and `numeric_tolerance`")
        review.add_error(name_place, "invalid-match", what, fix)
        _report_options_of_no_match(review, written, place, other_keys)
        return INVALID
    before = len(review.diagnostics)
    encoded = encode_by_value((name, [(key, value) for key, value in written.items() if key not in other_keys]))
    if encoded in review.matches:
        return review.matches[encoded]
    owner = OptionOwner(title=f"`{name}`", other_keys=other_keys, explain_key=_explain_option_of_other_match)
    options = read_options(review, spec.options, written, place, owner)
    if options is INVALID:
        return INVALID
    _warn_unfailable_options(review, options, place)
    match = Match(spec.name, options)
    if encoded is not None and len(review.diagnostics) == before:
        review.matches[encoded] = match
    return match


def _warn_unfailable_options(review: Review, options: Any, place: KeyPath) -> None:
    """Warn of options under which a wrong value passes always, or where it is 0."""
    if getattr(options, "threshold", None) == 0:
        what = "with `threshold: 0` every value passes"
        review.add_warning((*place, "threshold"), UNFAILABLE_OPTION, what, "write the lowest similarity to accept, such as 0.85")
    shares = {"relative_tolerance": getattr(options, "relative_tolerance", None)}
    if getattr(options, "relative", False):
        shares["tolerance"] = options.tolerance
    for key, tolerance in shares.items():
        if isinstance(tolerance, int | float) and tolerance >= 1:
            what = f"a relative tolerance of {tolerance:g} is {tolerance:.0%} of the expected number: 0 always passes"
            review.add_warning((*place, key), UNFAILABLE_OPTION, what, f"write a share: {tolerance / 100:g} is {tolerance:g} %")


def _report_options_of_no_match(review: Review, written: Mapping[str, Any], place: KeyPath, other_keys: Sequence[str]) -> None:
    """Report the keys beside an invalid match that are an option of no match at all."""
    valid = list(other_keys)
    for name in list_match_names():
        valid += [option for option in list_option_names(registry.MATCHERS.find(name).options) if option not in valid]
    for key in written:
        if key not in valid:
            review.add_error((*place, key), "unknown-option", f"there is no option `{key}`", suggest_name(str(key), valid))


def _explain_option_of_other_match(key: str) -> str | None:
    matches = [name for name in list_match_names() if key in list_option_names(registry.MATCHERS.find(name).options)]
    return f"it is an option of {quote_names(matches)}: set `match`" if matches else None


def read_path(review: Review, value: Any, place: KeyPath) -> Any:
    """A path, which must be well-formed."""
    text = read_plain(review, str, value, place)
    if text is INVALID:
        return INVALID
    try:
        return Path.parse(text)
    except MalformedPath as error:
        review.add_error(place, "malformed-path", str(error), error.fix or "write a path such as `invoice.total`")
        return INVALID


def read_field_rules(review: Review, value: Any, place: KeyPath) -> Any:
    """The field rules of an evaluator, from a list, or from a type: `{schema: FILE}` or `{model: package.module:Class}`."""
    source = ""
    if isinstance(value, type) or (is_mapping_value(value) and _names_a_type(value)):
        value, source = _read_rules_of_type(review, value, place)
        if value is INVALID:
            return INVALID
    if source:
        review = review.for_document(Document(value=value, file=source))
    if not is_list_value(value):
        fix = "write a list: `- {path: invoice.total, match: exact}`"
        review.add_error(place, "bad-option", f"`{place[-1]}` must be a list of fields, not {describe_value(value)}", fix)
        return INVALID
    if not value:
        review.add_error(place, "no-fields", f"`{place[-1]}` is empty, so nothing would be compared", f"omit `{place[-1]}` to infer rules")
        return INVALID
    rules = [read_field_rule(review, item, (*place, index)) for index, item in enumerate(value)]
    repeated = _report_repeated_rules(review, rules, place)
    return INVALID if repeated or any(rule is INVALID for rule in rules) else tuple(rules)


def _names_a_type(written: Mapping[Any, Any]) -> bool:
    """Whether a key is, or was meant to be, `schema` or `model`."""
    return not written or any(find_closest_name(str(key), TYPE_KEYS) for key in written)


def _read_rules_of_type(review: Review, value: Any, place: KeyPath) -> tuple[Any, str]:
    """The rules that a type or schema gives, as they would be written in a list, and the name of the type."""
    written = {"model": value} if isinstance(value, type) else value
    before = len(review.diagnostics)
    report_unknown_keys(review, written, TYPE_KEYS, place, f"`{place[-1]}`")
    if review.has_errors(before):
        return INVALID, ""
    if len(written) != 1:
        fix = "write `fields: {schema: invoice.schema.json}` or `fields: {model: package.module:Invoice}`"
        review.add_error(place, "bad-option", f"`{place[-1]}` needs either `schema` or `model`", fix)
        return INVALID, ""
    [(kind, named)] = written.items()
    try:
        rules, name = _load_rules_of_type(review, kind, named)
    except ConfigError as error:
        for diagnostic in error.diagnostics:
            what = f"`{named}`: {diagnostic.what}" if isinstance(named, str) else diagnostic.what
            review.add_error((*place, kind), diagnostic.code, what, diagnostic.fix)
        return INVALID, ""
    except (OSError, ValueError) as error:
        review.add_error((*place, kind), "unreadable-file", f"cannot read `{named}`: {error}", "paths are relative to the suite")
        return INVALID, ""
    return rules, name


def _load_rules_of_type(review: Review, kind: str, named: Any) -> tuple[list[dict[str, Any]], str]:
    if kind == "schema":
        schema = review.load(named) if isinstance(named, str) else named
        if not is_mapping_value(schema):
            raise ValueError("a JSON Schema must be an object")
        return rules_from_schema(schema, check_matches=False), named if isinstance(named, str) else "schema"
    if isinstance(named, str):
        if review.load is refuse_files:
            raise ValueError("classes cannot be imported here; give the rules themselves")
        return rules_from_type(import_type(named, [review.resolve(""), ""]), check_matches=False), named
    return rules_from_type(named, check_matches=False), getattr(named, "__name__", "model")


def _report_repeated_rules(review: Review, rules: Sequence[Any], place: KeyPath) -> bool:
    first_index: dict[Path | str, int] = {}
    before = len(review.diagnostics)
    for index, rule in enumerate(rules):
        if not isinstance(rule, FieldRule):
            continue
        first = first_index.setdefault(rule.path or rule.text, index)
        if first != index:
            where = review.describe_two_places((*place, first), (*place, index))
            what = f"`{rule.text}` has two rules ({where})"
            review.for_field(rule.text).add_error((*place, index), "repeated-field", what, "keep one of them")
    return review.has_errors(before)


def read_field_rule(review: Review, value: Any, place: KeyPath) -> Any:
    """One field rule, from a mapping or from a bare path. Reports every problem of the rule, not only the first."""
    path_place: KeyPath = (*place, "path")
    if isinstance(value, str):
        value, path_place = {"path": value}, place
    fix = "write `{path: invoice.total, match: exact}`"
    if not is_mapping_value(value):
        review.add_error(place, "bad-field", f"a field must be a mapping or a path, not {describe_value(value)}", fix)
        return INVALID
    text: Any = value.get("path")
    review = review.for_field(text if isinstance(text, str) else None)
    path: Any = INVALID
    if "path" in value:
        path = _read_rule_path(review, text, path_place)
    else:
        review.add_error(place, "bad-field", "a field needs a `path`", fix)
    options: dict[str, Any] = {}
    for option in RULE_OPTIONS:
        if option.name in value:
            options[option.name] = read_value(review, option.hint, value[option.name], (*place, option.name), option)
    name = value.get("match", "exact")
    match = _read_named_match(review, name, value, name_place=(*place, "match"), place=place, other_keys=RULE_KEYS)
    if path is INVALID or match is INVALID or INVALID in options.values():
        return INVALID
    return FieldRule(path=path, text=text, match=match, **options)


def _read_rule_path(review: Review, text: Any, place: KeyPath) -> Any:
    """The path of a rule; None with a warning if it is malformed: by the specification such a field is a miss in every case."""
    if not isinstance(text, str):
        return read_plain(review, str, text, place)
    if text.startswith("$"):
        return read_path(review, text, place)
    try:
        return Path.parse(text)
    except MalformedPath as error:
        what = f"malformed path: {error}, so every case misses this field"
        review.add_warning(place, "malformed-path", what, error.fix or "write a path such as `invoice.total`")
        return None


def read_list_rules(review: Review, value: Any, place: KeyPath) -> Any:
    """The alignment of lists, from a mapping of their paths."""
    if not is_mapping_value(value):
        fix = "write `{line_items: {align: best}}`"
        review.add_error(place, "bad-option", f"`{place[-1]}` must be a mapping of list paths, not {describe_value(value)}", fix)
        return INVALID
    rules: dict[Path, ListRule] = {}
    valid = True
    for key, written in value.items():
        rule = _read_list_rule(review, key, written, (*place, key))
        if not isinstance(rule, ListRule):
            valid = False
        elif rule.path in rules:
            review.add_error((*place, key), "repeated-field", f"the list `{rule.path}` is named twice", "keep one of them")
            valid = False
        else:
            rules[rule.path] = rule
    return tuple(rules.values()) if valid else INVALID


def _read_list_rule(review: Review, text: Any, written: Any, place: KeyPath) -> Any:
    review = review.for_field(str(text))
    path = read_path(review, text, place)
    align_place: KeyPath = (*place, "align")
    if isinstance(written, str):
        written, align_place = {"align": written}, place
    if not is_mapping_value(written):
        what = f"a list must be a mapping with `align`, not {describe_value(written)}"
        review.add_error(place, "bad-option", what, "write `{align: best}`")
        return INVALID
    before = len(review.diagnostics)
    report_unknown_keys(review, written, LIST_KEYS, place, "a list")
    align = _read_align(review, written.get("align", "key" if "key" in written else "index"), align_place)
    key = read_path(review, written["key"], (*place, "key")) if "key" in written else None
    at_least = _read_at_least(review, written, align, place)
    _check_list_key(review, align, key, place)
    if review.has_errors(before) or path is INVALID:
        return INVALID
    return ListRule(path=_without_last_each(path), align=align, key=key, at_least=at_least)


def _read_at_least(review: Review, written: Mapping[Any, Any], align: Any, place: KeyPath) -> float:
    """The minimum similarity of paired items, which only `align: best` knows."""
    if "at_least" not in written:
        return DEFAULT_AT_LEAST
    option_place = (*place, "at_least")
    if align not in ("best", INVALID):
        what = f"`at_least` is only for `align: best`, not for `align: {align}`"
        review.add_error(option_place, "bad-option", what, "write `align: best`, or remove `at_least`")
    option = DeclaredOption(name="at_least", attribute="at_least", hint=AT_LEAST_HINT, required=False, default=DEFAULT_AT_LEAST)
    return read_value(review, option.hint, written["at_least"], option_place, option)


def _read_align(review: Review, value: Any, place: KeyPath) -> Any:
    valid = get_args(Align)
    if value in valid:
        return value
    what = f"`align` must be one of {quote_names(valid)}, not {describe_value(value)}"
    review.add_error(place, "bad-option", what, suggest_name(str(value), valid, "`index` is the default"))
    return INVALID


def _check_list_key(review: Review, align: Any, key: Any, place: KeyPath) -> None:
    if align == "key" and key is None:
        fix = "add the key that items share: `{align: key, key: sku}`"
        review.add_error(place, "missing-option", "`align: key` needs `key`", fix)
    if align not in ("key", INVALID) and key is not None:
        what = f"`key` is only for `align: key`, not for `align: {align}`"
        review.add_error((*place, "key"), "bad-option", what, "write `align: key`, or remove `key`")


def _without_last_each(path: Path) -> Path:
    return Path(path.steps[:-1]) if path.steps and path.steps[-1] is EACH else path


RULE_READERS: dict[Any, OptionReader] = {
    tuple[FieldRule, ...]: read_field_rules,
    FieldRule: read_field_rule,
    tuple[ListRule, ...]: read_list_rules,
    Match: read_match,
    Path: read_path,
}
"""The reader of each annotation."""
