"""promptfoo: the file that `promptfoo eval --output results.json` (or `.jsonl`) writes."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from fieldwise.importers._rows import fold_key, list_rows, parse_text
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.imported import ImportedRecord
from fieldwise.model.values import MISSING
from fieldwise.registry import importer

_EXPECTED_VARIABLES: Final = frozenset(
    map(fold_key, ("expected", "expected_output", "ground_truth", "reference", "reference_answer", "target", "answer", "gold", "ideal"))
)
_CONTEXT_VARIABLES: Final = frozenset(("context", "contexts"))
_EXPECTED_ASSERTIONS: Final = (
    "equals",
    "is-json-equal",
    "similar",
    "factuality",
    "model-graded-factuality",
    "levenshtein",
    "rouge-n",
    "bleu",
)
"""Assertions whose value is the expected output, the strictest first."""
_VARIABLE: Final = re.compile(r"\{\{-?\s*(?P<name>\w+)\s*-?\}\}")
_TEMPLATE: Final = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_UNRENDERED: Final = Diagnostic(
    code="unrendered-template",
    what="the expected value is a template that the variables of the test do not fill, so there is none",
    fix="write the results with a version of promptfoo that stores rendered values, or add a variable `expected`",
    level="warning",
)


def _find_results(document: Any) -> list[Mapping[str, Any]]:
    """The results of a JSON file, or the lines of a JSONL file."""
    if isinstance(document, Mapping) and _is_result(document):
        return [document] if "testIdx" in document or "promptIdx" in document else []
    outer = document.get("results") if isinstance(document, Mapping) else None
    rows = outer.get("results") if isinstance(outer, Mapping) else outer
    if isinstance(document, list) and document and all(map(_find_results, document)) and all(map(_is_result, document)):
        rows = document
    return [row for row in rows if _is_result(row)] if isinstance(rows, list) else []


def _is_result(row: Any) -> bool:
    return isinstance(row, Mapping) and "vars" in row and ("response" in row or "error" in row or "testCase" in row)


def _take_contexts(variables: dict[str, Any]) -> list[Any] | None:
    """Remove the contexts from the variables: one list of them, or a variable for each; None if there are none."""
    contexts = [variables.pop(name) for name in list(variables) if fold_key(name) in _CONTEXT_VARIABLES]
    if not contexts:
        return None
    return contexts[0] if isinstance(contexts[0], list) else contexts


@importer(label="promptfoo", recognizes=lambda document: bool(_find_results(document)))
def promptfoo(document: Any) -> Iterator[ImportedRecord]:
    """One record for each output. Expected is a variable such as `expected`, or the value of an `equals` or `similar` assertion."""
    rows = _find_results(document)
    tests = Counter(_test_number(row, number) for number, row in enumerate(rows))
    for number, row in enumerate(rows):
        test = _test_number(row, number)
        variables = dict(row.get("vars") or {})
        expected, is_unrendered = _take_expected(variables, row)
        contexts = _take_contexts(variables)
        provider = row.get("provider") or {}
        name = provider.get("label") or provider.get("id") if isinstance(provider, Mapping) else provider
        id = str(test) if tests[test] == 1 else f"{test}:{row.get('promptIdx', 0)}:{name}"
        yield ImportedRecord(
            id=id,
            record=_read_output(row),
            expected=expected,
            input=next(iter(variables.values())) if len(variables) == 1 else variables or None,
            contexts=contexts,
            metadata={"provider": name} if name else {},
            diagnostics=(_UNRENDERED,) if is_unrendered else (),
        )


def _test_number(row: Mapping[str, Any], number: int) -> Any:
    return row.get("testIdx", number)


def _read_output(row: Mapping[str, Any]) -> Any:
    response = row.get("response")
    output = response.get("output", MISSING) if isinstance(response, Mapping) else MISSING
    return None if output is MISSING else parse_text(output)


def _take_expected(variables: dict[str, Any], row: Mapping[str, Any]) -> tuple[Any, bool]:
    """The expected output, and whether only templates that cannot be filled hold one; a variable with it is removed from the variables."""
    for name in list(variables):
        if fold_key(name) in _EXPECTED_VARIABLES and len(variables) > 1:
            return parse_text(variables.pop(name)), False
    assertions = (row.get("testCase") or {}).get("assert") or ()
    is_unrendered = False
    for kind in _EXPECTED_ASSERTIONS:
        for assertion in assertions:
            if isinstance(assertion, Mapping) and assertion.get("type") == kind and "value" in assertion:
                value = _render_value(assertion, variables, row)
                if value is not MISSING:
                    return parse_text(value), False
                is_unrendered = True
    return MISSING, is_unrendered


def _render_value(assertion: Mapping[str, Any], variables: Mapping[str, Any], row: Mapping[str, Any]) -> Any:
    """The value of an assertion as promptfoo compared it; MISSING if it has a template that the variables do not fill."""
    grading = row.get("gradingResult")
    for result in (grading, *list_rows(grading, "componentResults")) if isinstance(grading, Mapping) else ():
        metadata = result.get("metadata")
        rendered = metadata.get("renderedAssertionValue") if isinstance(metadata, Mapping) else None
        if rendered is not None and result.get("assertion") == assertion:
            return rendered
    return _fill_templates(assertion["value"], variables)


def _fill_templates(value: Any, variables: Mapping[str, Any]) -> Any:
    """The value with each plain `{{name}}` in its texts replaced; MISSING if another template is left over.

    >>> _fill_templates({"city": "{{capital}}"}, {"capital": "Paris"}), _fill_templates("{{capital | upper}}", {"capital": "Paris"})
    ({'city': 'Paris'}, MISSING)
    """
    if isinstance(value, Mapping):
        members = {key: _fill_templates(member, variables) for key, member in value.items()}
        return MISSING if MISSING in members.values() else members
    if isinstance(value, list):
        items = [_fill_templates(item, variables) for item in value]
        return MISSING if MISSING in items else items
    if not isinstance(value, str):
        return value
    template = _VARIABLE.fullmatch(value.strip())
    if template and isinstance(variables.get(template["name"]), list | Mapping):
        return variables[template["name"]]
    is_filled = all(_is_scalar(variables.get(match["name"])) for match in _VARIABLE.finditer(value))
    if not is_filled or _TEMPLATE.search(_VARIABLE.sub("", value)):
        return MISSING
    return _VARIABLE.sub(lambda match: _render_scalar(variables[match["name"]]), value)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _render_scalar(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
