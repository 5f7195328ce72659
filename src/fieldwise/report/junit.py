"""A run as JUnit XML: a test suite for the gates and one for each evaluator, a test case for each case.

A case whose verdict is `fail` is a failure; a fault and a measurement that could not be made are errors, never passes; what had nothing to
score is skipped. A `partial` case passes and says what it missed. A run that did not finish, or did not measure everything, is an error
too.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape, quoteattr

from fieldwise.model.comparison import Comparison
from fieldwise.report.safe import cut, safe, safe_lines, value_text
from fieldwise.report.worst import cause_words

if TYPE_CHECKING:
    from fieldwise.store.run import Run

_MISSES: Final = 100
_VALUE: Final = 300


@dataclass(frozen=True, slots=True)
class _Test:
    """One test case: what became of it (`failure`, `error`, `skipped` or nothing), and its XML."""

    became: str
    text: str


def junit(run: "Run") -> str:
    """The whole document."""
    suites = [_suite(run, "gates", [_gate(run, gate.gate, gate.passed, gate.message) for gate in run.gates])] if run.gates else []
    suites += [_suite(run, name, list(_tests(run, name))) for name in run.evaluators]
    if run.exit_code not in (0, 1):  # its cases may all have passed, if there are any: the run has not
        suites.insert(0, _suite(run, "run", [_whole(run)]))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name={_attribute(run.name)}>\n{"".join(suites)}</testsuites>\n'


def _suite(run: "Run", name: str, tests: Sequence[_Test]) -> str:
    counted = {word: sum(test.became == kind for test in tests) for word, kind in _COUNTED.items()}
    counts = " ".join(f'{word}="{count}"' for word, count in counted.items())
    seconds = "" if run.finished is None else f' time="{(run.finished - run.started).total_seconds():.3f}"'
    head = f'<testsuite name={_attribute(name)} tests="{len(tests)}" {counts} timestamp="{run.started:%Y-%m-%dT%H:%M:%S}"{seconds}>'
    return f"{head}\n{''.join(test.text for test in tests)}</testsuite>\n"


_COUNTED: Final = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def _whole(run: "Run") -> _Test:
    what = "the run did not finish" if run.exit_code is None else f"exit code {run.exit_code}: not everything could be measured"
    text = "\n".join(str(one) for one in run.diagnostics if one.level == "error")
    return _test(run.name, "the run as a whole", "error", _element("error", what, "incomplete", text))


def _gate(run: "Run", gate: str, passed: bool, message: str) -> _Test:
    inner = "" if passed else _element("failure", message, "gate", message)
    return _test(f"{run.name}.gates", gate, "" if passed else "failure", inner)


def _tests(run: "Run", evaluator: str) -> Iterator[_Test]:
    rows = run.scores(evaluator).to_pylist()
    told = [row["case"] for row in rows if row["verdict"] != "pass"]
    found = run.results_at(told, evaluator)
    stored = next(found, None)
    for row in rows:
        if stored is None or stored.position != row["case"]:
            yield _of(run, evaluator, row, [], None)
            continue
        result, stored = stored.result, next(found, None)
        yield _of(run, evaluator, row, _explained(result.misses, result.comparisons), result.reasoning)


def _of(run: "Run", evaluator: str, row: Mapping[str, Any], missed: Sequence[str], reasoning: str | None) -> _Test:
    name, text = f"{run.name}.{evaluator}", "\n".join(missed)
    message = f"score {row['score']:.4g}: {reasoning or row['status']}"
    status = row["status"]
    if status == "unavailable" or (status == "error" and row["fault"] != "system"):
        word = "unavailable" if status == "unavailable" else "fault"
        return _test(name, row["id"], "error", _element("error", reasoning or word, word, text))
    if status == "skipped":
        return _test(name, row["id"], "skipped", f"<skipped message={_attribute(reasoning or 'nothing to score')}/>")
    if row["verdict"] == "fail":
        return _test(name, row["id"], "failure", _element("failure", message, "no output" if status == "error" else "fail", text))
    inner = f"<system-out>{_text(chr(10).join([message, *missed]))}</system-out>" if missed else ""
    return _test(name, row["id"], "", inner)


def _explained(misses: Sequence[str], comparisons: Sequence[Comparison]) -> list[str]:
    """Each miss with what was expected, what came and the likely cause, where that is known."""
    by_path = {one.path: one for one in comparisons if not one.passed}
    lines = [_line(miss, by_path.get(miss) or by_path.get(miss.rsplit(" (", 1)[0])) for miss in misses[:_MISSES]]
    return [*lines, f"and {len(misses) - _MISSES} more"] if len(misses) > _MISSES else lines


def _line(miss: str, one: Comparison | None) -> str:
    if one is None:
        return safe(miss)
    expected = "nothing" if one.expected_presence == "missing" else cut(value_text(one.expected), _VALUE)
    actual = "nothing" if one.actual_presence == "missing" else cut(value_text(one.actual), _VALUE)
    cause = f" (likely cause: {cause_words(one.cause)[0]})" if one.cause else ""
    return safe(f"{miss}: expected {expected}, got {actual}{cause}")


def _test(suite: str, name: str, became: str, inner: str) -> _Test:
    head = f"<testcase classname={_attribute(suite)} name={_attribute(name)}"
    return _Test(became, f"{head}>{inner}</testcase>\n" if inner else f"{head}/>\n")


def _element(kind: str, message: str, word: str, text: str) -> str:
    return f"<{kind} message={_attribute(message)} type={_attribute(word)}>{_text(text)}</{kind}>"


def _attribute(text: str) -> str:
    """Text in quotes, without any character that XML does not allow."""
    return quoteattr(safe(text))


def _text(text: str) -> str:
    return escape(safe_lines(text))
