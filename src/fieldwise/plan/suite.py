"""Compile a suite document into a plan, or report every problem in it."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Annotated, Any, get_args

from fieldwise.model.bounds import MinLen
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.locations import is_url
from fieldwise.model.path import MalformedPath, Path
from fieldwise.model.plan import Document, Gate, IdColumns, KeyPath, Plan, PlannedEvaluator, Role, SideMapping, Source, list_id_columns
from fieldwise.model.redaction import Redaction
from fieldwise.model.values import Json
from fieldwise.plan.config_cache import plan_evaluator_once
from fieldwise.plan.cost import COST_NAME, read_cost
from fieldwise.plan.declared_options import describe_value, is_list_value, is_mapping_value
from fieldwise.plan.evaluators import OPTION_READERS, get_evaluator_name
from fieldwise.plan.gates import POLICY, EvaluatorMetrics, list_fixed_metrics, list_gate_metrics, read_gates, read_regressions
from fieldwise.plan.options import read_value
from fieldwise.plan.review import INVALID, Invalid, Review, quote_names, report_unknown_keys, suggest_name
from fieldwise.plan.rules import read_path

SUITE_KEYS = ("name", "cases", "columns", "group", "confidence", "policy", "redact", "profile", "evaluators", "cost", "gate")
GROUP_PARTS = ("metadata", "input")
"""The parts of a case that can name its group."""
CONFIDENCE_PARTS = ("metadata", "actual")
"""The parts of a case that can have a record of confidences."""
CASES_KEYS = ("file", "expected", "actual", "join", "format", "allow_same_sides", "corrections")
SIDE_KEYS = ("file", "id", "record", "rename", "format")
ROLES: tuple[str, ...] = get_args(Role)
NON_EMPTY_TEXT = Annotated[str, MinLen(1)]
_SEVERAL_COLUMNS = NON_EMPTY_TEXT | Annotated[tuple[NON_EMPTY_TEXT, ...], MinLen(1)]
COLUMN_TYPES: dict[str, Any] = dict.fromkeys(ROLES, NON_EMPTY_TEXT) | {"id": _SEVERAL_COLUMNS, "actuals": _SEVERAL_COLUMNS}
"""The type of each entry of `columns`: one column, or several that identify a case together, or for the outputs of several trials."""


def build_plan(document: Document, *, load: Callable[[str], Json], resolve: Callable[[str], str]) -> Plan:
    """The plan of a suite; ConfigError with every problem at once, in the order of lines.

    `load` reads a JSON file relative to the suite, `resolve` makes a path absolute relative to the suite's folder.
    """
    review = Review(document=document, load=load, resolve=resolve, readers=OPTION_READERS)
    suite = document.value
    if not is_mapping_value(suite):
        actual = "an empty file" if suite is None else describe_value(suite)
        what = f"a suite must be a mapping with `cases` and `evaluators`, not {actual}"
        review.add_error((), "bad-suite", what, "write `cases:` and `evaluators:`")
        raise ConfigError(review.diagnostics)
    report_unknown_keys(review, suite, SUITE_KEYS, (), "a suite")
    if "profile" in suite:
        from fieldwise.plan.profiles import apply_profile

        suite = apply_profile(review, suite)
        review = replace(review, document=replace(document, value=suite))
    name = _read_text(review, suite, "name")
    source = _read_source(review, suite)
    source = None if source is None else replace(source, places=_locate_files(review, source))
    group = _read_case_path(review, suite, "group", GROUP_PARTS, "metadata.document")
    confidence = _read_case_path(review, suite, "confidence", CONFIDENCE_PARTS, "metadata.confidences")
    policy = _read_text(review, suite, "policy")
    redact = _read_redact(review, suite)
    evaluators = _read_evaluators(review, suite)
    cost = read_cost(review, suite, evaluators) if "cost" in suite else None
    metrics = _collect_gate_metrics(suite.get("evaluators"), evaluators)
    if cost is not None:
        metrics[COST_NAME] = EvaluatorMetrics() if isinstance(cost, Invalid) else list_gate_metrics(cost)
        evaluators = [*evaluators, cost]
    gates = read_gates(review, suite["gate"], ("gate",), metrics) if "gate" in suite else ()
    regressions = read_regressions(review, suite["gate"], ("gate",), metrics) if "gate" in suite else ()
    _require_policy(review, gates, policy)
    diagnostics = _sort_by_line(review.diagnostics)
    if review.has_errors():
        raise ConfigError(diagnostics)
    return Plan(
        name=name or get_default_name(document.file),
        source=source,
        group=group,
        redact=redact,
        confidence=confidence,
        policy=None if policy is None else review.resolve(policy),
        evaluators=tuple(planned for planned in evaluators if isinstance(planned, PlannedEvaluator)),
        gates=gates,
        regressions=regressions,
        file=document.file,
        text=document.text,
        diagnostics=diagnostics,
    )


def get_default_name(file: str | None) -> str:
    """The name of a suite that does not state one: its file name without extensions.

    >>> get_default_name("evals/invoices.eval.yaml"), get_default_name("a.yml"), get_default_name(None)
    ('invoices', 'a', 'suite')
    """
    file_name = re.split(r"[/\\]", file)[-1] if file else ""
    return re.sub(r"(\.eval)?(\.ya?ml|\.json)?$", "", file_name) or "suite"


def _sort_by_line(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(sorted(diagnostics, key=lambda diagnostic: diagnostic.where.line or 0))


def _read_text(review: Review, mapping: Any, key: str, place: KeyPath = ()) -> str | None:
    text = read_value(review, NON_EMPTY_TEXT, mapping[key], (*place, key)) if key in mapping else None
    return text if isinstance(text, str) else None


def _read_redact(review: Review, suite: Any) -> Redaction | None:
    """The paths of `redact`; None if the suite has none."""
    if "redact" not in suite:
        return None
    written = suite["redact"]
    if not is_list_value(written) or not written:
        review.add_error(("redact",), "bad-option", "`redact` must be a list of paths", "write `redact: [iban, vendor.name]`")
        return None
    paths = [read_path(review, path, ("redact", place)) for place, path in enumerate(written)]
    return Redaction(tuple(path for path in paths if isinstance(path, Path)))


def _require_policy(review: Review, gates: Sequence[Gate], policy: str | None) -> None:
    if policy is None and any(gate.evaluator == POLICY for gate in gates):
        fix = "add `policy: policy.json`, which `fieldwise policy RUN -o policy.json` writes"
        review.add_error(("gate",), "no-policy", "the gate `policy.holds` needs a policy, and the suite names none", fix)


def _read_case_path(review: Review, suite: Any, key: str, parts: Sequence[str], example: str) -> str | None:
    """The path of `group` or `confidence`, such as `metadata.document`: it begins with a part of a case."""
    text = _read_text(review, suite, key)
    if text is None:
        return None
    try:
        path = Path.parse(text)
    except MalformedPath as error:
        review.add_error((key,), "malformed-path", f"`{key}`: {error}", error.fix or f"write `{key}: {example}`")
        return None
    if path.steps[0] not in parts or len(path.steps) < 2:
        what = f"`{key}: {text}` names no value of a case's {' or '.join(parts)}"
        review.add_error((key,), f"bad-{key}", what, f"did you mean `metadata.{text}`? Columns without a role are in the metadata")
        return None
    return text


def _read_source(review: Review, suite: Any) -> Source | None:
    columns = _read_columns(review, suite["columns"], ("columns",)) if "columns" in suite else {}
    _report_same_column(review, suite, columns)
    if "cases" not in suite:
        return Source(columns=columns) if columns else None
    cases, place = suite["cases"], ("cases",)
    if isinstance(cases, str) and cases:
        return Source(cases=_resolve_data_path(review, cases), columns=columns)
    if not is_mapping_value(cases):
        fix = "write a path, a pattern such as `data/*.jsonl`, or `{expected: gold/*.json, actual: predictions/*.json}`"
        if is_list_value(cases):
            fix += "; data in memory goes to `fw.run(suite, cases=…)`"
        review.add_error(place, "bad-cases", f"`cases` must be a path or a mapping, not {describe_value(cases)}", fix)
        return None
    report_unknown_keys(review, cases, CASES_KEYS, place, "`cases`")
    allow_same_sides = cases.get("allow_same_sides", False)
    if not isinstance(allow_same_sides, bool):
        what = f"`allow_same_sides` must be true or false, not {describe_value(allow_same_sides)}"
        review.add_error((*place, "allow_same_sides"), "bad-option", what, "write `allow_same_sides: true`")
    written_corrections = _read_text(review, cases, "corrections", place)
    corrections_file = None if written_corrections is None else _resolve_data_path(review, written_corrections)
    if "file" in cases:
        return replace(_read_one_file(review, cases, columns), corrections_file=corrections_file)
    if set(cases) == {"corrections"}:  # the cases come from Python or the command line
        return Source(columns=columns, corrections_file=corrections_file)
    sides = _read_two_sides(review, cases)
    if isinstance(columns.get("id"), tuple):
        what = "several columns that identify rows of two files together are not named by `columns`"
        review.add_error(("columns", "id"), "bad-option", what, "write `join: [doc, line]` under `cases`, or the `id` of each side")
    return replace(sides, columns=columns, allow_same_sides=bool(allow_same_sides), corrections_file=corrections_file)


def _locate_files(review: Review, source: Source) -> dict[str, Where]:
    """The line of the suite that names each path of data."""
    paths = {("cases", "file"): source.cases, ("cases", "expected", "file"): source.expected, ("cases", "actual", "file"): source.actual}
    document = review.document
    return {path: Where(file=document.file, line=document.line_of(place)) for place, path in paths.items() if path}


def _read_two_sides(review: Review, cases: Any) -> Source:
    """Cases whose sides are separate files. A `join` of several columns is the `id` of each side."""
    sides = {side: _read_side(review, cases, side) for side in ("expected", "actual")}
    join = _read_id(review, cases, "join", ("cases",))
    mappings: dict[str, SideMapping] = {}
    for side, (_, mapping) in sides.items():
        if join is not None and mapping.id is not None:
            what = f"`join` names the id of both sides, and `{side}` has an `id` too"
            review.add_error(("cases", side, "id"), "repeated-option", what, "keep one of the two")
        if isinstance(join, tuple):
            mapping = replace(mapping, id=join)
        if mapping != SideMapping():
            mappings[side] = mapping
    return Source(
        expected=sides["expected"][0],
        actual=sides["actual"][0],
        join=join if isinstance(join, str) else None,
        format=_read_text(review, cases, "format", ("cases",)),
        mappings=mappings,
    )


def _read_one_file(review: Review, cases: Any, columns: dict[str, Any]) -> Source:
    """Cases in one file, written as a mapping for the options beside it."""
    for key in ("expected", "actual", "join"):
        if key in cases:
            what, fix = f"`file` is for both sides together, and there is `{key}` too", "keep one of the two"
            review.add_error(("cases", key), "repeated-option", what, fix)
    file, file_format = (_read_text(review, cases, key, ("cases",)) for key in ("file", "format"))
    source_file = _resolve_data_path(review, file or "")
    return Source(cases=source_file, format=file_format, columns=columns, allow_same_sides=bool(cases.get("allow_same_sides")))


def _report_same_column(review: Review, suite: Any, columns: dict[str, Any]) -> None:
    """Report a column that is both expected and actual, unless `cases` allows it."""
    cases = suite.get("cases")
    is_allowed = is_mapping_value(cases) and cases.get("allow_same_sides") is True
    actual = columns.get("actual")
    trials = columns.get("actuals", ())
    is_same = actual is not None and actual == columns.get("expected")
    is_same = is_same or columns.get("expected") in ((trials,) if isinstance(trials, str) else tuple(trials))
    if is_same and not is_allowed:
        what = f"the column `{columns['expected']}` is both expected and actual"
        fix = "name the column of the predictions, or write `cases: {file: …, allow_same_sides: true}`"
        review.add_error(("columns", "actual" if actual is not None else "actuals"), "same-sides", what, fix)


def _read_side(review: Review, cases: Any, side: str) -> tuple[str, SideMapping]:
    """File and mapping of one side: a path or pattern, or a mapping with `file`."""
    place: KeyPath = ("cases", side)
    fix = f"write `{side}: gold/*.json`, or `{side}: {{file: gold.jsonl, id: key}}`"
    if side not in cases:
        review.add_error(("cases",), "missing-option", f"`cases` needs `{side}`", f"add `{side}:` with a path or a pattern")
        return "", SideMapping()
    written = cases[side]
    if not is_mapping_value(written):
        return _resolve_data_path(review, _read_text(review, cases, side, ("cases",)) or ""), SideMapping()
    report_unknown_keys(review, written, SIDE_KEYS, place, f"`{side}`")
    if "file" not in written:
        review.add_error(place, "missing-option", f"`{side}` needs `file`", fix)
    texts = {key: _read_text(review, written, key, place) for key in ("file", "record", "format")}
    _check_path(review, texts["record"], (*place, "record"))
    id = _read_id(review, written, "id", place)
    for path in list_id_columns(id):
        _check_path(review, path, (*place, "id"))
    rename = _read_rename(review, written["rename"], (*place, "rename")) if "rename" in written else {}
    mapping = SideMapping(id=id, record=texts["record"], rename=rename, format=texts["format"])
    return _resolve_data_path(review, texts["file"] or ""), mapping


def _read_id(review: Review, mapping: Any, key: str, place: KeyPath) -> IdColumns | None:
    """The column that identifies a row, or a list of those that do so together."""
    written = mapping.get(key)
    if not is_list_value(written):
        return _read_text(review, mapping, key, place)
    columns = tuple(read_value(review, NON_EMPTY_TEXT, column, (*place, key, index)) for index, column in enumerate(written))
    if INVALID in columns:
        return None
    if not columns or len(set(columns)) < len(columns):
        what = f"`{key}` must name different columns, not {describe_value(written)}"
        review.add_error((*place, key), "bad-option", what, f"write `{key}: [doc, line]`")
        return None
    return columns[0] if len(columns) == 1 else columns


def _read_rename(review: Review, value: Any, place: KeyPath) -> dict[str, str]:
    """Path in the file → path in the rules."""
    if not is_mapping_value(value):
        fix = "write `rename: {company: vendor}`: the name in this file, then the name in the rules"
        review.add_error(place, "bad-option", f"`rename` must be a mapping of names, not {describe_value(value)}", fix)
        return {}
    renames: dict[str, str] = {}
    for name, written in value.items():
        new_name = read_value(review, NON_EMPTY_TEXT, written, (*place, name))
        if not isinstance(name, str) or not isinstance(new_name, str):
            continue
        old_path, new_path = (_check_path(review, text, (*place, name)) for text in (name, new_name))
        if old_path and new_path and old_path.each_count != new_path.each_count:
            what = f"`{name}` and `{new_name}` do not have the same number of `[*]`"
            review.add_error((*place, name), "bad-option", what, "rename the fields of a list item by item: `items[*].a: items[*].b`")
        if new_name in renames.values():
            review.add_error((*place, name), "repeated-option", f"two fields are renamed to `{new_name}`", "keep one of them")
        renames[name] = new_name
    return renames


def _check_path(review: Review, text: str | None, place: KeyPath) -> Path | None:
    if text is None:
        return None
    path = read_path(review, text, place)
    return path if isinstance(path, Path) else None


def _resolve_data_path(review: Review, path: str) -> str:
    """A path relative to the suite; standard input, stored runs and URLs stay as they are."""
    return path if path == "-" or path.startswith("run:") or is_url(path) else review.resolve(path)


def _read_columns(review: Review, value: Any, place: KeyPath) -> dict[str, Any]:
    if not is_mapping_value(value):
        fix = "write `columns: {expected: ground_truth, actual: output}`"
        review.add_error(place, "bad-columns", f"`columns` must be a mapping of roles to column names, not {describe_value(value)}", fix)
        return {}
    columns: dict[str, Any] = {}
    for role, written in value.items():
        if role not in ROLES:
            fix = suggest_name(str(role), ROLES, f"the roles are {quote_names(ROLES)}; write `role: column`")
            review.add_error((*place, role), "unknown-role", f"there is no role `{role}`", fix)
            continue
        column = _read_id(review, value, "id", place) if role == "id" else read_value(review, COLUMN_TYPES[role], written, (*place, role))
        if column is not INVALID and column is not None:
            columns[role] = column
    return columns


def _read_evaluators(review: Review, suite: Any) -> list[PlannedEvaluator | Invalid]:
    """One entry for each written evaluator."""
    written = suite.get("evaluators")
    if not is_list_value(written) or not written:
        actual = f", not {describe_value(written)}" if "evaluators" in suite else ""
        what = f"a suite needs a list of `evaluators`{actual}"
        review.add_error(("evaluators",), "missing-evaluators", what, "write `evaluators: [{type: field_accuracy}]`")
        return []
    evaluators = [plan_evaluator_once(review, ("evaluators", index)) for index in range(len(written))]
    _report_repeated_names(review, written)
    return evaluators


def _report_repeated_names(review: Review, written: Sequence[Any]) -> None:
    first_index: dict[str, int] = {}
    for index, evaluator in enumerate(written):
        name = get_evaluator_name(evaluator)
        first = index if name is None else first_index.setdefault(name, index)
        if first == index:
            continue
        place: KeyPath = ("evaluators", index)
        what = f"two evaluators are called `{name}` ({review.describe_two_places(('evaluators', first), place)})"
        if "name" in evaluator:
            review.add_error((*place, "name"), "repeated-name", what, "give one of them another `name`")
        else:
            review.add_error(place, "repeated-name", what, f"give them a `name` each, such as `name: {name}_{index + 1}`")


def _collect_gate_metrics(written: Any, evaluators: Sequence[PlannedEvaluator | Invalid]) -> dict[str, EvaluatorMetrics]:
    """The metrics a gate may name, by evaluator; those with problems count too, with the metrics that do not depend on options."""
    metrics: dict[str, EvaluatorMetrics] = {}
    for evaluator, planned in zip(written if evaluators else (), evaluators, strict=True):
        if not is_mapping_value(evaluator) or "type" not in evaluator:
            continue
        name = get_evaluator_name(evaluator) or ""
        metrics[name] = list_gate_metrics(planned) if isinstance(planned, PlannedEvaluator) else list_fixed_metrics(evaluator["type"])
    return metrics
