"""A suite becomes a plan, or every problem it has."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, get_args

from annotated_types import MinLen

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.document import Document, Place
from fieldwise.model.plan import Plan, PlannedEvaluator, Role, Source
from fieldwise.model.roots import is_url
from fieldwise.model.values import Json
from fieldwise.plan.evaluators import READERS, given_name, plan_evaluator
from fieldwise.plan.gates import read_gates, read_regressions
from fieldwise.plan.options import read_value
from fieldwise.plan.review import INVALID, Review, listed, suggestion, unknown_keys
from fieldwise.plan.type_text import is_items, is_object, shown

SUITE_KEYS = ("name", "cases", "columns", "evaluators", "gate")
CASES_KEYS = ("expected", "actual", "join", "format")
ROLES: tuple[str, ...] = get_args(Role)
TEXT = Annotated[str, MinLen(1)]
COLUMNS: dict[str, Any] = dict.fromkeys(ROLES, TEXT) | {"actuals": TEXT | Annotated[tuple[TEXT, ...], MinLen(1)]}
"""What may be written for each role: a column, or several for the outputs of several trials."""


def build_plan(document: Document, *, load: Callable[[str], Json], resolve: Callable[[str], str]) -> Plan:
    """The plan of a suite; ConfigError with every problem at once, in the order of lines.

    `load` reads a JSON file relative to the suite, `resolve` makes a path absolute relative to the suite's folder.
    """
    review = Review(document=document, load=load, resolve=resolve, readers=READERS)
    suite = document.value
    if not is_object(suite):
        what = f"a suite must be a mapping with `cases` and `evaluators`, not {shown(suite) if suite is not None else 'an empty file'}"
        review.error((), "bad-suite", what, "write `cases:` and `evaluators:`")
        raise ConfigError(review.found)
    unknown_keys(review, suite, SUITE_KEYS, (), "a suite")
    name = _read_text(review, suite, "name")
    source = _read_source(review, suite)
    evaluators = _read_evaluators(review, suite)
    types = {given_name(one) or "": str(one["type"]) for one in _items(suite.get("evaluators")) if is_object(one) and "type" in one}
    gates = read_gates(review, suite["gate"], ("gate",), types) if "gate" in suite else ()
    regressions = read_regressions(review, suite["gate"], ("gate",), types) if "gate" in suite else ()
    if review.failed(0):
        raise ConfigError(_in_order(review.found))
    return Plan(
        name=name or default_name(document.file),
        source=source,
        evaluators=evaluators,
        gates=gates,
        regressions=regressions,
        file=document.file,
        text=document.text,
        diagnostics=_in_order(review.found),
    )


def default_name(file: str | None) -> str:
    """What a suite without a name is called.

    >>> default_name("evals/invoices.eval.yaml"), default_name("a.yml"), default_name(None)
    ('invoices', 'a', 'suite')
    """
    stem = re.split(r"[/\\]", file)[-1] if file else ""
    return re.sub(r"(\.eval)?(\.ya?ml|\.json)?$", "", stem) or "suite"


def _in_order(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(sorted(found, key=lambda diagnostic: diagnostic.where.line or 0))


def _items(value: Any) -> Sequence[Any]:
    return value if is_items(value) else ()


def _read_text(review: Review, suite: Any, key: str, place: Place = ()) -> str | None:
    read = read_value(review, TEXT, suite[key], (*place, key)) if key in suite else None
    return read if isinstance(read, str) else None


def _read_source(review: Review, suite: Any) -> Source | None:
    columns = _read_columns(review, suite["columns"], ("columns",)) if "columns" in suite else {}
    if "cases" not in suite:
        return Source(columns=columns) if columns else None
    cases, place = suite["cases"], ("cases",)
    if isinstance(cases, str) and cases:
        return Source(cases=_resolved(review, cases), columns=columns)
    if not is_object(cases):
        fix = "write a path, a pattern such as `data/*.jsonl`, or `{expected: gold/*.json, actual: predictions/*.json}`"
        review.error(place, "bad-cases", f"`cases` must be a path or a mapping, not {shown(cases)}", fix)
        return None
    unknown_keys(review, cases, CASES_KEYS, place, "`cases`")
    for side in ("expected", "actual"):
        if side not in cases:
            review.error(place, "missing-option", f"`cases` needs `{side}`", f"add `{side}:` with a path or a pattern")
    read = {key: _read_text(review, cases, key, place) for key in CASES_KEYS}
    sides = {side: _resolved(review, read[side] or "") for side in ("expected", "actual")}
    return Source(**sides, join=read["join"], format=read["format"], columns=columns)


def _resolved(review: Review, path: str) -> str:
    return path if path == "-" or path.startswith("run:") or is_url(path) else review.resolve(path)


def _read_columns(review: Review, value: Any, place: Place) -> dict[str, Any]:
    if not is_object(value):
        fix = "write `columns: {expected: ground_truth, actual: output}`"
        review.error(place, "bad-columns", f"`columns` must be a mapping of roles to column names, not {shown(value)}", fix)
        return {}
    for key in value:
        if key not in ROLES:
            fix = suggestion(str(key), ROLES, f"the roles are {listed(ROLES)}; write `role: column`")
            review.error((*place, key), "unknown-role", f"there is no role `{key}`", fix)
    read = {key: read_value(review, COLUMNS[key], column, (*place, key)) for key, column in value.items() if key in ROLES}
    return {key: column for key, column in read.items() if column is not INVALID}


def _read_evaluators(review: Review, suite: Any) -> tuple[PlannedEvaluator, ...]:
    written = suite.get("evaluators")
    if not is_items(written) or not written:
        given = shown(written) if "evaluators" in suite else "nothing"
        what = f"a suite needs a list of `evaluators`, not {given}"
        review.error(("evaluators",), "missing-evaluators", what, "write `evaluators: [{type: field_accuracy}]`")
        return ()
    planned = [plan_evaluator(review, ("evaluators", index)) for index in range(len(written))]
    _refuse_same_names(review, written)
    return tuple(one for one in planned if isinstance(one, PlannedEvaluator))


def _refuse_same_names(review: Review, written: Sequence[Any]) -> None:
    first: dict[str, int] = {}
    for index, one in enumerate(written):
        name = given_name(one)
        same = index if name is None else first.setdefault(name, index)
        if same != index:
            named = "name" in one
            where = review.both(("evaluators", same), ("evaluators", index))
            what = f"two evaluators are called `{name}` ({where})"
            fix = "give one of them another `name`" if named else f"give them a `name` each, such as `name: {name}_{index + 1}`"
            review.error(("evaluators", index, "name") if named else ("evaluators", index), "repeated-name", what, fix)
