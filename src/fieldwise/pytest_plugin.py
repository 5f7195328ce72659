"""fieldwise in pytest: a fixture that holds a case to an evaluator or a suite, and suites as tests, one for each case.

    def test_the_invoice_is_read(fieldwise):
        fieldwise("invoices.eval.yaml", expected=wanted, actual=read("invoice.pdf"))

With `--fieldwise`, or `fieldwise = true` in the ini file, every `*.eval.yaml` that pytest comes upon is collected too.
"""

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from fieldwise.model.diagnostic import ConfigError
from fieldwise.model.result import Result
from fieldwise.model.roots import DEFAULT_ROOT
from fieldwise.model.values import MISSING, Json, Value

if TYPE_CHECKING:
    from fieldwise.model.plan import Plan
    from fieldwise.store.run import Run

ENDINGS: Final = (".eval.yaml", ".eval.yml")
WHOLE: Final = "whole suite"
"""The test of a suite that stands for its gates, and for everything that is not about a single case."""
SHOWN: Final = 20
"""How many differences a failure shows for each evaluator."""
_LONGEST: Final = 200
Named = Sequence[tuple[str, Result]]
"""Evaluators and what they say of a case."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option and the ini setting that have suites collected."""
    group = parser.getgroup("fieldwise")
    group.addoption("--fieldwise", action="store_true", help="collect *.eval.yaml: a test for each case, and one for the whole suite")
    parser.addini("fieldwise", "collect *.eval.yaml as tests", type="bool", default=False)


class Checker:
    """What the fixture `fieldwise` is."""

    def __init__(self, root: Path) -> None:
        self._root = root

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
    ) -> Named:
        """Hold a case to a suite (its path, or a mapping with `evaluators`) or to one evaluator (a mapping with `type`).

        The test fails where one of them does not pass the case, with the misses, their causes and how to look closer.
        Gives every evaluator's name and result.
        """
        __tracebackhide__ = True
        case = {"id": id, "input": input, "contexts": contexts, "metadata": dict(metadata or {})}
        case |= {side: value for side, value in (("expected", expected), ("actual", actual)) if value is not MISSING}
        case = {role: value for role, value in case.items() if value is not None or role in ("expected", "actual")}
        suite = {"name": "pytest", "evaluators": [dict(what)]} if isinstance(what, Mapping) and "type" in what else what
        with tempfile.TemporaryDirectory(prefix="fieldwise-") as folder:
            try:
                run = self._run(suite, case, Path(folder))
            except ConfigError as error:
                raise error.with_traceback(None) from None  # what is wrong stands in the suite, not in the library
            found = [(one.evaluator, one.result) for one in run.results()]
            told = failure(id, found, f"fieldwise explain {run.id} {id}")
            if told:
                self._keep(run)
                pytest.fail(told)
        return found

    def _run(self, suite: str | Path | Mapping[str, Any], case: Mapping[str, Any], folder: Path) -> "Run":
        """The run of a suite on this one case, stored aside."""
        from fieldwise import api
        from fieldwise.model.ask import Asking

        __tracebackhide__ = True
        file = folder / "case.jsonl"
        plan = api.check(suite, cases=str(file))
        names = {} if plan.source is None else plan.source.columns
        written = {str(names.get(role, role)): _readable(role, value) for role, value in case.items()}
        file.write_text(json.dumps(written, default=str) + "\n", encoding="utf-8")
        return api.run(suite, cases=str(file), root=folder / "store", asking=Asking(root=self._root / DEFAULT_ROOT))

    def _keep(self, run: "Run") -> None:
        """Put a run where `fieldwise explain` finds it."""
        kept = self._root / DEFAULT_ROOT / "runs"
        kept.mkdir(parents=True, exist_ok=True)
        shutil.move(str(run.path), kept / run.id)


def _readable(role: str, value: Any) -> Any:
    from fieldwise.read.from_python import readable

    __tracebackhide__ = True
    found, why = readable(value)
    return pytest.fail(f"`{role}` {why}") if why else found


@pytest.fixture
def fieldwise(request: pytest.FixtureRequest) -> Checker:
    """Holds a case to a suite or an evaluator: `fieldwise(suite_or_config, expected=…, actual=…)`."""
    return Checker(request.config.rootpath)


def failure(case: str, found: Named, explain: str) -> str | None:
    """Why a case does not pass, for people; None where every evaluator passes it and at least one measured it."""
    if not found:
        return f"case {case}: no evaluator is for it, so nothing was checked"
    bad = [(name, result) for name, result in found if result.verdict != "pass" and result.status != "skipped"]
    if not bad and all(result.status == "skipped" for _, result in found):
        return f"case {case}: nothing was checked: {found[0][1].reasoning}"
    if not bad:
        return None
    return "\n".join([*(line for name, result in bad for line in _lines(case, name, result)), f"look closer: {explain}"])


def _lines(case: str, name: str, result: Result) -> Iterator[str]:
    how = f"{result.verdict}, score {result.score:.3f}" if result.status == "scored" else result.status
    yield f"case {case}: {name}: {how}: {result.reasoning}"
    wrong = [one for one in result.comparisons if not one.passed and one.outcome not in ("both_absent", "ignored")]
    for one in wrong[:SHOWN]:
        sides = f"expected {_shown(one.expected, one.expected_presence)}, got {_shown(one.actual, one.actual_presence)}"
        yield f"  {one.path}: {one.outcome}: {sides}{f' ({one.cause})' if one.cause else ''}"
    rest = [] if wrong else [f"  missed: {miss}" for miss in result.misses]
    yield from rest[:SHOWN]
    more = max(len(wrong), len(rest)) - SHOWN
    if more > 0:
        yield f"  and {more} more"


def _shown(value: Json, presence: str) -> str:
    if presence == "missing":
        return "nothing"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "SuiteFile | None":
    """A suite as a file of tests, if that is wanted."""
    wanted = parent.config.getoption("--fieldwise") or parent.config.getini("fieldwise")
    return SuiteFile.from_parent(parent, path=file_path) if wanted and file_path.name.endswith(ENDINGS) else None


class SuiteFile(pytest.File):
    """A suite. It runs once, when the first of its tests does, on the cases whose tests were chosen."""

    def collect(self) -> Iterable[pytest.Item]:
        """A test for each case, and one for the whole."""
        yield SuiteItem.from_parent(self, name=WHOLE)
        yield from (CaseItem.from_parent(self, name=case) for case in dict.fromkeys(self._ids()))

    def _ids(self) -> list[str]:
        from fieldwise.read.cases import read_cases

        source = self._plan.source
        assert source is not None
        return [case for cases in read_cases(source) for case in cases.id]

    @cached_property
    def _plan(self) -> "Plan":
        from fieldwise import api

        try:
            return api.check(self.path)
        except ConfigError as error:
            raise self.CollectError(str(error)) from None

    @cached_property
    def run(self) -> "Run":
        """The suite's run."""
        from fieldwise import api
        from fieldwise.model.plan import When

        store = self.config.rootpath / DEFAULT_ROOT
        chosen = [item for item in self.session.items if item.parent is self]
        whole = any(not isinstance(item, CaseItem) for item in chosen)
        only = None if whole else When(id=tuple(_literally(item.name) for item in chosen))
        return api.run(self.path, only=only, root=store)

    @cached_property
    def results(self) -> Mapping[str, Named]:
        """What every evaluator says of each case."""
        found: dict[str, list[tuple[str, Result]]] = {}
        for one in self.run.results():
            found.setdefault(one.case, []).append((one.evaluator, one.result))
        return found


def _literally(name: str) -> str:
    """A pattern that matches this id and no other.

    >>> _literally("a[1]*")
    'a[[]1][*]'
    """
    return "".join(f"[{sign}]" if sign in "[*?" else sign for sign in name)


class Missed(Exception):
    """What a test of a suite found wrong."""


class SuiteItem(pytest.Item):
    """The gates of a suite, and what is wrong with it as a whole."""

    def runtest(self) -> None:
        """Fail unless the run exits 0."""
        run = _suite_of(self).run
        if run.exit_code:
            gates = [gate.message for gate in run.gates if not gate.passed]
            problems = [str(one) for one in run.diagnostics if one.level == "error" or one.code == "not-measured"]
            raise Missed("\n".join([f"exit code {run.exit_code}", *gates, *problems, f"look closer: fieldwise report {run.id}"]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Just what is wrong."""
        return str(excinfo.value) if isinstance(excinfo.value, Missed | ConfigError) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it is."""
        return self.path, None, f"{self.path.name}: {self.name}"


class CaseItem(SuiteItem):
    """One case of a suite."""

    def runtest(self) -> None:
        """Fail unless every evaluator passes the case."""
        suite = _suite_of(self)
        told = failure(self.name, suite.results.get(self.name, ()), f"fieldwise explain {suite.run.id} {self.name}")
        if told:
            raise Missed(told)


def _suite_of(item: pytest.Item) -> SuiteFile:
    assert isinstance(item.parent, SuiteFile)
    return item.parent
