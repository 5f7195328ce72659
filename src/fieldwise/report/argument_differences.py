"""The arguments in which tool calls differ, from the details of a result, as comparisons that every report can show."""

from collections.abc import Mapping
from typing import Any

from fieldwise.model.comparison import Comparison, Outcome
from fieldwise.model.result import Result


def read_argument_differences(result: Result) -> list[Comparison]:
    """A comparison for each argument that differs; empty for results of other evaluators and of runs that do not store them.

    >>> entry = {"call": "fetch", "argument": "id", "path": "[0].args.id", "expected": 7}
    >>> [(row.path, row.outcome, row.expected) for row in read_argument_differences(Result(details={"differences": [entry]}))]
    [('fetch: id', 'omission', 7)]
    """
    entries: Any = result.details.get("differences", ())
    return [_to_comparison(entry) for entry in entries if isinstance(entry, Mapping) and "call" in entry and "argument" in entry]


def _to_comparison(entry: Mapping[str, Any]) -> Comparison:
    call, argument = str(entry["call"]), str(entry["argument"])
    return Comparison(
        path=f"{call}: {argument}" if argument else call,
        field=argument,
        outcome=_find_outcome(entry).label,
        expected=entry.get("expected"),
        actual=entry.get("actual"),
        expected_presence=_describe_presence(entry, "expected"),
        actual_presence=_describe_presence(entry, "actual"),
        similarity=None,
        passed=False,
    )


def _find_outcome(entry: Mapping[str, Any]) -> Outcome:
    if "expected" not in entry:
        return Outcome.HALLUCINATION
    return Outcome.WRONG_VALUE if "actual" in entry else Outcome.OMISSION


def _describe_presence(entry: Mapping[str, Any], side: str) -> str:
    if side not in entry:
        return "missing"
    return "null" if entry[side] is None else "present"
