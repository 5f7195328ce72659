"""pytest plugin: a fixture that checks one case with an evaluator or a suite, and suites collected as tests, one for each case.

    def test_the_invoice_is_read(fieldwise):
        fieldwise("invoices.eval.yaml", expected=expected_invoice, actual=read("invoice.pdf"))

With `--fieldwise`, or `fieldwise = true` in the ini file, pytest also collects every `*.eval.yaml`.
"""

import json
import os
import shlex
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pytest

from fieldwise.dataclass import dataclass
from fieldwise.model.comparison import UNCOUNTED_OUTCOMES
from fieldwise.model.diagnostic import ConfigError
from fieldwise.model.locations import DEFAULT_ROOT, ROOT_VARIABLE, is_url
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING, Json, Value
from fieldwise.report.ci_output import BELOW_PASS_AT, find_pass_at
from fieldwise.report.limit_hints import remove_useless_hints
from fieldwise.report.result_text import FIELD_STATES, describe_mismatch
from fieldwise.score.path_survey import ABSENT_PATH
from fieldwise.summarize.exit_code import FAILED, MALFORMED_PATH, PASSED, CaseTest, judge_case

if TYPE_CHECKING:
    from fieldwise.model.plan import Plan
    from fieldwise.store.run import Run

SUITE_SUFFIXES: Final = (".eval.yaml", ".eval.yml")
WHOLE_SUITE: Final = "whole suite"
"""Name of the test for the gates of a suite and for problems that are not about a single case."""
MAX_MISMATCHES: Final = 20
"""Mismatches shown for each evaluator in a failure."""
MAX_FAILED_CASES: Final = 20
"""Cases below `pass_at` that the test of the whole suite names, for each evaluator."""
_VALUE_LENGTH: Final = 200
_REASON_CODES: Final = ("not-measured", "skipped", MALFORMED_PATH)
"""Warnings that say why a run is incomplete."""
NamedResults: TypeAlias = Sequence[tuple[str, Result]]
"""Names of evaluators and their results for one case."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the ini setting that collect suites."""
    group = parser.getgroup("fieldwise")
    group.addoption("--fieldwise", action="store_true", help="collect *.eval.yaml: a test for each case, and one for the whole suite")
    parser.addini("fieldwise", "collect *.eval.yaml as tests", type="bool", default=False)


@dataclass(frozen=True, slots=True)
class RunLocation:
    """Where the plugin stores runs."""

    root: str | Path
    """The folder or URL, as `fieldwise --root` takes it."""
    command: str
    """The beginning of a command that finds these runs in the folder where pytest was started."""

    def explain(self, run: str, case: str) -> str:
        """The command that explains a case of a run."""
        return f"{self.command} explain {run} {shlex.quote(case)}"


def locate_runs(config: pytest.Config, *, local: bool = False) -> RunLocation:
    """The root that FIELDWISE_ROOT names, else `.fieldwise` in pytest's root folder; `local` leaves out a root that is a URL."""
    start = config.invocation_params.dir
    named = os.environ.get(ROOT_VARIABLE)
    if named and not is_url(named):
        return RunLocation(start / named, "fieldwise")
    if named and not local:
        return RunLocation(named, "fieldwise")
    root = config.rootpath / DEFAULT_ROOT
    is_found = not named and config.rootpath == start
    return RunLocation(root, "fieldwise" if is_found else f"fieldwise --root {shlex.quote(str(root))}")


class CaseChecker:
    """The value of the fixture `fieldwise`."""

    def __init__(self, location: RunLocation) -> None:
        self._location = location

    def __call__(
        self,
        what: str | Path | Mapping[str, Any],
        *,
        expected: Value = MISSING,
        actual: Value = MISSING,
        input: Json = None,
        contexts: Sequence[Json] | None = None,
        id: str = "1",
        metadata: Mapping[str, Any] | None = None,
    ) -> NamedResults:
        """Check a case with a suite (its path, or a mapping with `evaluators`) or with one evaluator (a mapping with `type`).

        The test fails unless every evaluator passes the case; the failure shows the mismatches, their causes and the command that explains
        them. Returns the name and the result of every evaluator.
        """
        __tracebackhide__ = True
        case = _make_case(id, expected, actual, {"input": input, "contexts": contexts, "metadata": dict(metadata or {})})
        suite = {"name": "pytest", "evaluators": [dict(what)]} if isinstance(what, Mapping) and "type" in what else what
        with tempfile.TemporaryDirectory(prefix="fieldwise-") as folder:
            try:
                run = self._run_case(suite, case, Path(folder))
            except ConfigError as error:
                raise error.with_traceback(None) from None  # the problem is in the suite, not in the library
            results = [(stored.evaluator, stored.result) for stored in run.results()]
            failure = describe_failure(id, results, self._location.explain(run.id, str(id)))
            if failure and all(result.status == "skipped" for _, result in results):
                problems = [note for note in run.diagnostics if note.level == "error" or note.code == ABSENT_PATH]
                failure = "\n".join((failure, *map(str, problems)))
            if failure:
                self._store_run(run)
                pytest.fail(failure)
        return results

    def _run_case(self, suite: str | Path | Mapping[str, Any], case: Mapping[str, Any], folder: Path) -> "Run":
        """Run a suite on this one case, stored in a temporary folder."""
        from fieldwise import api
        from fieldwise.model.ask import Asking
        from fieldwise.suite_plan import compile_suite

        __tracebackhide__ = True
        file = folder / "case.jsonl"
        plan = compile_suite(suite, cases=str(file))
        columns = {} if plan.source is None else plan.source.columns
        record = {str(columns.get(role, role)): _normalize_role(role, value) for role, value in case.items()}
        file.write_text(json.dumps(record, default=str) + "\n", encoding="utf-8")
        return api.run_one_case(suite, cases=str(file), root=folder / "store", asking=Asking(root=self._location.root))

    def _store_run(self, run: "Run") -> None:
        """Move a run to where `fieldwise explain` looks for it."""
        runs = Path(self._location.root) / "runs"
        runs.mkdir(parents=True, exist_ok=True)
        shutil.move(str(run.path), runs / run.id)


def _make_case(id: str, expected: Value, actual: Value, optional: Mapping[str, Any]) -> dict[str, Any]:
    """Build the record of a case; None is a value for `expected` and `actual`, and means absent elsewhere."""
    case: dict[str, Any] = {"id": id, **{role: value for role, value in optional.items() if value is not None}}
    if expected is not MISSING:
        case["expected"] = expected
    case["actual"] = None if actual is MISSING else actual  # a case without an output is the system's failure, not a missing column
    return case


def _normalize_role(role: str, value: Any) -> Any:
    from fieldwise.read.from_python import normalize_value

    __tracebackhide__ = True
    normalized, problem = normalize_value(value)
    return pytest.fail(f"`{role}` {problem}") if problem else normalized


@pytest.fixture
def fieldwise(request: pytest.FixtureRequest) -> CaseChecker:
    """Check a case with a suite or an evaluator: `fieldwise(suite_or_config, expected=…, actual=…)`."""
    return CaseChecker(locate_runs(request.config, local=True))


def describe_failure(case: str, results: NamedResults, explain: str) -> str | None:
    """Describe why a case does not pass; None if every evaluator passes it and at least one measured it."""
    if not results:
        return f"case {case}: no evaluator applies to it, so nothing was checked"
    failed = [(name, result) for name, result in results if result.verdict != "pass" and result.status != "skipped"]
    if not failed and all(result.status == "skipped" for _, result in results):
        return f"case {case}: nothing was checked: {results[0][1].reasoning}"
    if not failed:
        return None
    return _describe_failed(case, failed, explain)


def _describe_failed(case: str, failed: NamedResults, explain: str) -> str:
    lines = [line for name, result in failed for line in _describe_result(case, name, result)]
    return "\n".join([*lines, f"look closer: {explain}"])


def _describe_result(case: str, evaluator: str, result: Result) -> Iterator[str]:
    status = f"{result.verdict}, score {result.score:.3f}" if result.status == "scored" else result.status
    yield f"case {case}: {evaluator}: {status}: {result.reasoning}"
    lines: list[str] = []
    for comparison in result.comparisons:
        if comparison.passed or comparison.outcome in UNCOUNTED_OUTCOMES:
            continue
        text = describe_mismatch(comparison, _VALUE_LENGTH)
        cause = f" ({text.cause})" if text.cause else ""
        outcome = FIELD_STATES[comparison.outcome].word
        lines.append(f"  {comparison.path}: {outcome}: expected {text.expected}, got {text.actual}{cause}")
    if not lines:
        lines = [f"  missed: {miss}" for miss in result.misses]
    yield from lines[:MAX_MISMATCHES]
    if len(lines) > MAX_MISMATCHES:
        yield f"  and {len(lines) - MAX_MISMATCHES} more"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "SuiteFile | None":
    """Collect a suite if `--fieldwise` or the ini setting is on."""
    is_enabled = parent.config.getoption("--fieldwise") or parent.config.getini("fieldwise")
    return SuiteFile.from_parent(parent, path=file_path) if is_enabled and file_path.name.endswith(SUITE_SUFFIXES) else None


class SuiteFile(pytest.File):
    """A suite. It runs once in each process, when its first test runs there, on the cases whose tests were selected."""

    def collect(self) -> Iterable[pytest.Item]:
        """Yield a test for the whole suite and one for each case."""
        yield SuiteItem.from_parent(self, name=WHOLE_SUITE)
        yield from (CaseItem.from_parent(self, name=case) for case in dict.fromkeys(self._read_case_ids()))

    def _read_case_ids(self) -> list[str]:
        from fieldwise.read.cases import read_cases

        source = self._plan.source
        assert source is not None
        return [case for cases in read_cases(source) for case in cases.id]

    # Cached because all tests of the suite share one plan and one run; pytest makes a new SuiteFile for every session.
    @cached_property
    def _plan(self) -> "Plan":
        from fieldwise.suite_plan import compile_suite

        try:
            return compile_suite(self.path)
        except ConfigError as error:
            raise self.CollectError(str(error)) from None

    @property
    def _selected(self) -> list[pytest.Item]:
        return [item for item in self.session.items if item.parent is self]

    @property
    def is_whole(self) -> bool:
        """True if the test of the whole suite is selected, so that all cases run."""
        return any(not isinstance(item, CaseItem) for item in self._selected)

    @cached_property
    def location(self) -> RunLocation:
        """Where the run is stored."""
        return locate_runs(self.config)

    @cached_property
    def run(self) -> "Run":
        """The run of the selected cases."""
        from fieldwise import api
        from fieldwise.model.plan import When

        only = None if self.is_whole else When(id=tuple(_escape_pattern(item.name) for item in self._selected))
        return api.run(self.path, only=only, root=self.location.root)

    @cached_property
    def results(self) -> Mapping[str, NamedResults]:
        """Case → results of every evaluator."""
        by_case: dict[str, list[tuple[str, Result]]] = {}
        for stored in self.run.results():
            by_case.setdefault(stored.case, []).append((stored.evaluator, stored.result))
        return by_case


def _escape_pattern(name: str) -> str:
    """Make a pattern that matches only this id.

    >>> _escape_pattern("a[1]*")
    'a[[]1][*]'
    """
    return "".join(f"[{character}]" if character in "[*?" else character for character in name)


class SuiteFailure(Exception):
    """A test of a suite failed; the message is the whole report."""


class SuiteItem(pytest.Item):
    """The gates of a suite, and problems of the suite as a whole."""

    def runtest(self) -> None:
        """Fail unless the run exits 0."""
        suite = _get_suite(self)
        if suite.run.exit_code:
            raise SuiteFailure("\n".join(_describe_suite_failure(suite)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the message without a traceback."""
        return str(excinfo.value) if isinstance(excinfo.value, SuiteFailure | ConfigError) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Name the suite and the test in the report."""
        return self.path, None, f"{self.path.name}: {self.name}"


class CaseItem(SuiteItem):
    """One case of a suite."""

    def runtest(self) -> None:
        """Fail if the case is below the `pass_at` of an evaluator, or if it was not measured and the run does not tolerate that."""
        suite = _get_suite(self)
        results = suite.results.get(self.name, ())
        tests = [(name, result, judge_result(suite.run, name, result)) for name, result in results]
        failed = [(name, result) for name, result, test in tests if test in ("failed", "error")]
        if failed:
            raise SuiteFailure(_describe_failed(self.name, failed, suite.location.explain(suite.run.id, self.name)))
        tolerated = [f"{name}: score {result.score:.3f}" for name, result, test in tests if test == "tolerated"]
        if tolerated:
            pytest.xfail(f"{BELOW_PASS_AT}: {', '.join(tolerated)}")
        if all(test == "skipped" for *_, test in tests):
            reason = results[0][1].reasoning if results else "no evaluator applies to the case"
            if suite.run.exit_code in (PASSED, FAILED):
                pytest.skip(reason)
            if suite.is_whole:  # the test of the whole suite fails, and says why
                pytest.skip(f"nothing was checked: see {WHOLE_SUITE}")
            raise SuiteFailure("\n".join((f"case {self.name}: nothing was checked", *_describe_suite_failure(suite))))


def _describe_suite_failure(suite: SuiteFile) -> Iterator[str]:
    """Say why the run of a suite does not exit 0: gates, cases below `pass_at`, and problems of the suite."""
    run = suite.run
    yield f"exit code {run.exit_code}"
    yield from (gate.message for gate in run.gates if not gate.passed)
    if not run.gates:
        yield from _list_failed_cases(suite)
    for diagnostic in remove_useless_hints(run.diagnostics, run.exit_code):
        if diagnostic.level == "error" or diagnostic.code in _REASON_CODES:
            yield str(diagnostic)
    yield f"look closer: {suite.location.command} report {run.id}"


def _list_failed_cases(suite: SuiteFile) -> Iterator[str]:
    """One line for each evaluator with failed cases, the first of which it names."""
    failed: dict[str, list[str]] = {}
    for case, results in suite.results.items():
        for name, result in results:
            if judge_result(suite.run, name, result) == "failed":
                failed.setdefault(name, []).append(f"{case} ({result.score:.3f})")
    for name, cases in failed.items():
        more = f" and {len(cases) - MAX_FAILED_CASES} more" if len(cases) > MAX_FAILED_CASES else ""
        pass_at = find_pass_at(suite.run, name)
        yield f"{name}: {len(cases)} below pass_at {pass_at:g}: {', '.join(cases[:MAX_FAILED_CASES])}{more}"


def judge_result(run: "Run", evaluator: str, result: Result) -> CaseTest:
    """Judge a result of a run as a test, as JUnit does."""
    return judge_case(
        status=result.status,
        verdict=result.verdict,
        fault=result.details.get("fault"),
        pass_at=find_pass_at(run, evaluator),
        exit_code=run.exit_code,
        has_gates=bool(run.gates),
    )


def _get_suite(item: pytest.Item) -> SuiteFile:
    assert isinstance(item.parent, SuiteFile)
    return item.parent
