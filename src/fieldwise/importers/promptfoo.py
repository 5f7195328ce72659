"""promptfoo: the file that `promptfoo eval --output results.json` (or `.jsonl`) writes."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from fieldwise.importers._rows import fold_key, parse_text
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
        expected = _take_expected(variables, row)
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
        )


def _test_number(row: Mapping[str, Any], number: int) -> Any:
    return row.get("testIdx", number)


def _read_output(row: Mapping[str, Any]) -> Any:
    response = row.get("response")
    output = response.get("output", MISSING) if isinstance(response, Mapping) else MISSING
    return None if output is MISSING else parse_text(output)


def _take_expected(variables: dict[str, Any], row: Mapping[str, Any]) -> Any:
    """The expected output; it is removed from the variables."""
    for name in list(variables):
        if fold_key(name) in _EXPECTED_VARIABLES and len(variables) > 1:
            return parse_text(variables.pop(name))
    assertions = (row.get("testCase") or {}).get("assert") or ()
    for kind in _EXPECTED_ASSERTIONS:
        for assertion in assertions:
            if isinstance(assertion, Mapping) and assertion.get("type") == kind and "value" in assertion:
                return parse_text(assertion["value"])
    return MISSING
