"""Change the source at random, one small change at a time, and count the changes that the tests notice.

    python scripts/code_mutants.py [--count 60] [--seed 20261116] [--start 0] [--results FILE]

A mutant is one change inside a function of `kernels/`, `score/`, `summarize/`, `plan/gates.py`, or the checks of requests and paths in
`web/`. It dies if a test fails. Mutants that change no behaviour are listed with their reason in `scripts/equivalent_mutants.yaml` and not
counted.

The tests are collected once. One fork runs them all and records which lines each test executes (kept in `build/` until a file changes).
Each mutant gets a fork of its own, where the code of the changed function is replaced, and only the tests that execute the changed line are
run, fastest first, until one fails. Tests that start other processes see the unchanged source there, so they kill no mutant.
"""

import argparse
import ast
import contextlib
import copy
import gc
import hashlib
import importlib
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Literal

import coverage
import hypothesis
import pytest
import yaml

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "fieldwise"
TARGETS = (
    "kernels/**/*.py",
    "score/**/*.py",
    "summarize/**/*.py",
    "plan/gates.py",
    "web/guard.py",
    "web/settings.py",
    "web/case_images.py",
)
TESTS = (
    "tests/kernels",
    "tests/score",
    "tests/summarize",
    "tests/plan",
    "tests/matchers",
    "tests/causes",
    "tests/evaluators",
    "tests/web/test_guard.py",
    "tests/web/test_case_images.py",
    "src/fieldwise/kernels",
    "src/fieldwise/score",
    "src/fieldwise/summarize",
)
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.yaml")
RECORD = ROOT / "build" / "test_lines.json"
SEED = 20261116
MAX_EXAMPLES = 10
"""Examples of a Hypothesis law, enough to notice a mutant and few enough to run it for many."""
SLOW_TEST_SECONDS = 4.0
"""CPU seconds after which a test is left out."""
MUTANT_SECONDS = 20.0
"""CPU seconds of tests that a mutant must survive to count as a survivor."""

Outcome = Literal["killed", "timeout", "survived", "uncovered", "equivalent"]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one node of one file."""

    file: str
    function: str
    line: int
    node: int
    """The position of the node in a walk of the file's tree."""
    variant: int
    change: str
    ordinal: int
    """Counts equal changes of a function."""

    @property
    def key(self) -> str:
        """Identifies a mutant without line numbers, so that it stays the same when lines move."""
        suffix = f" #{self.ordinal}" if self.ordinal > 1 else ""
        return f"{self.file} {self.function}: {self.change}{suffix}"


# Changes


_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


def change_node(node: ast.AST) -> list[ast.AST]:
    """All changed forms of a node; empty for a node that is left alone."""
    return _change_statement(node) if isinstance(node, ast.stmt) else _change_expression(node)


def _change_expression(node: ast.AST) -> list[ast.AST]:
    changed: list[ast.AST] = []
    match node:
        case ast.Compare():
            changed = _change_comparison(node)
        case ast.BoolOp():
            changed = [_with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())]
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            changed = [node.operand]
        case ast.BinOp() if type(node.op) in _ARITHMETIC:
            changed = [_with(node, op=_ARITHMETIC[type(node.op)]())]
        case ast.Constant(value=bool() as value):
            changed = [ast.Constant(not value)]
        case ast.Constant(value=(int() | float()) as value):
            changed = [ast.Constant(value + 1)]
        case ast.IfExp():
            changed = [_with(node, test=ast.UnaryOp(ast.Not(), node.test))]
        case _:
            pass
    return changed


def _change_statement(node: ast.stmt) -> list[ast.AST]:
    match node:
        case ast.AugAssign():
            changed_op = [_with(node, op=_ARITHMETIC[type(node.op)]())] if type(node.op) in _ARITHMETIC else []
            return [*changed_op, ast.Pass()]
        case ast.If() | ast.While():
            return [_with(node, test=ast.UnaryOp(ast.Not(), node.test))]
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            return [_with(node, value=ast.Constant(None))]
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.Raise() | ast.Continue() | ast.Break():
            return [ast.Pass()]
        case _:
            return []


def _change_comparison(node: ast.Compare) -> list[ast.AST]:
    changed: list[ast.AST] = []
    for position, op in enumerate(node.ops):
        for replacement in _COMPARISONS[type(op)]:
            ops = [*node.ops]
            ops[position] = replacement()
            changed.append(_with(node, ops=ops))
    return changed


def _with(node: ast.AST, **fields: Any) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


# Finding and building mutants


def list_mutants(file: str) -> list[Mutant]:
    """All mutants of a file, in the order of its tree."""
    tree = ast.parse((SOURCE / file).read_text(encoding="utf-8"))
    positions = {id(node): position for position, node in enumerate(ast.walk(tree))}
    repeated: Counter[tuple[str, str]] = Counter()
    mutants: list[Mutant] = []
    for function, node in _nodes_in_functions(tree):
        for variant, changed in enumerate(change_node(node)):
            change = f"{_one_line(node)} => {_one_line(changed)}"
            repeated[function, change] += 1
            mutants.append(Mutant(file, function, node.lineno, positions[id(node)], variant, change, repeated[function, change]))
    return mutants


def _nodes_in_functions(tree: ast.AST) -> Iterator[tuple[str, Any]]:
    """Nodes of function bodies with the function's qualified name; without annotations, defaults, decorators, and texts of errors."""

    def walk(node: ast.AST, names: tuple[str, ...], inside: bool) -> Iterator[tuple[str, Any]]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside_body = inside or not isinstance(node, ast.ClassDef)
            for statement in node.body:
                yield from walk(statement, (*names, node.name), inside_body)
            return
        if inside and hasattr(node, "lineno"):
            yield ".".join(names), node
        for field, value in ast.iter_fields(node):
            if field == "annotation" or isinstance(node, ast.JoinedStr):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from walk(child, names, inside)

    yield from walk(tree, (), inside=False)


def _one_line(node: ast.AST) -> str:
    """The source of a node; of a statement with a body, its first line."""
    text = ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).splitlines()[0]
    return text if len(text) <= 120 else f"{text[:117]}..."


def build_code(mutant: Mutant) -> CodeType:
    """Compile the changed file."""
    path = SOURCE / mutant.file
    tree = ast.parse(path.read_text(encoding="utf-8"))
    node = list(ast.walk(tree))[mutant.node]
    changed = ast.copy_location(change_node(node)[mutant.variant], node)
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, field, changed)
            elif isinstance(value, list):
                value[:] = [changed if child is node else child for child in value]
    return compile(ast.fix_missing_locations(tree), str(path), "exec")


def find_functions() -> list[FunctionType]:
    """Every function of the package, however it is wrapped."""
    package = str(SOURCE)
    return [item for item in gc.get_objects() if type(item) is FunctionType and item.__code__.co_filename.startswith(package)]


def replace_code(code: CodeType, functions: list[FunctionType]) -> int:
    """Give every function that was made from the file its changed code; the number of functions that changed."""
    replacements = {(inner.co_qualname, inner.co_firstlineno): inner for inner in _inner_codes(code)}
    replaced = 0
    for function in functions:
        current = function.__code__
        changed = replacements.get((current.co_qualname, current.co_firstlineno)) if current.co_filename == code.co_filename else None
        if changed is not None and changed != current:
            function.__code__ = changed
            replaced += 1
    return replaced


def _inner_codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inner_codes(constant)


# Running tests


@dataclass(slots=True)
class LineRecord:
    """The target lines that each test executes, and its CPU seconds."""

    sources: str
    """Digest of everything but the test files: where it differs, all tests are recorded again."""
    files: dict[str, str]
    """Digests of the test files: only the tests of a changed file are recorded again."""
    seconds: dict[str, float]
    tests: dict[str, list[str]]
    """By `file:line`."""


class _TooSlow(BaseException):
    pass


class MutantRunner:
    """A pytest plugin that runs mutants instead of the tests."""

    def __init__(self, mutants: list[Mutant], record: Path, results: Path | None) -> None:
        self.mutants = mutants
        self.record = record
        self.results = results
        self.outcomes: list[tuple[Mutant, Outcome, str]] = []
        self.functions: list[FunctionType] = []
        self.failed = False

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Fewer examples for laws, and none of them shrunk."""
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        for item in items:
            function = getattr(item, "obj", None)
            test = getattr(function, "__func__", function)
            if getattr(test, "is_hypothesis_test", False):
                settings = test._hypothesis_internal_use_settings
                examples = min(settings.max_examples, MAX_EXAMPLES)
                test._hypothesis_internal_use_settings = hypothesis.settings(
                    settings,
                    max_examples=examples,
                    phases=phases,
                    deadline=None,
                    database=None,
                    suppress_health_check=list(hypothesis.HealthCheck),
                )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure."""
        self.failed = self.failed or report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Record what the tests execute, then run every mutant in a fork."""
        if session.testsfailed:
            raise session.Failed(f"{session.testsfailed} errors during collection")
        for file in target_files():
            importlib.import_module("fieldwise." + file.removesuffix(".py").replace("/", ".").removesuffix(".__init__"))
        items = {item.nodeid: item for item in session.items}
        lines = self._test_lines(list(items.values()))
        equivalent = read_equivalent()
        self.functions = find_functions()
        gc.freeze()  # forks share the memory of what was imported
        for mutant in self.mutants:
            tests = [test for test in lines.tests.get(f"{mutant.file}:{mutant.line}", []) if test in items]
            started = time.monotonic()
            outcome, test = ("equivalent", "") if mutant.key in equivalent else self._run_mutant(mutant, tests, lines.seconds, items)
            self.outcomes.append((mutant, outcome, test))
            _print(f"{outcome:10} {time.monotonic() - started:5.1f} s  {mutant.file}:{mutant.line} {mutant.change}  {test}")
            if self.results:
                with self.results.open("a", encoding="utf-8") as file:
                    file.write(
                        json.dumps({"outcome": outcome, "key": mutant.key, "line": mutant.line, "tests": len(tests), "by": test}) + "\n"
                    )
        return True

    def _run_mutant(
        self, mutant: Mutant, tests: list[str], seconds: dict[str, float], items: dict[str, pytest.Item]
    ) -> tuple[Outcome, str]:
        if not tests:
            return "uncovered", ""
        mirrored = f"test_{Path(mutant.file).stem}.py"
        ranked = sorted(tests, key=lambda test: (mirrored not in test, seconds[test]))
        chosen: list[pytest.Item] = []
        total = 0.0
        for test in ranked:
            if total + seconds[test] <= MUTANT_SECONDS:
                chosen.append(items[test])
                total += seconds[test]
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            self._in_fork(mutant, chosen, int(3 * total + 20), writer)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            killer = pipe.read()
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            return "timeout", ""
        code = os.WEXITSTATUS(status)
        if code == 3:
            raise RuntimeError(f"the mutant changed no function: {mutant}")
        return ("killed", killer) if code == 1 else ("survived", "")

    def _in_fork(self, mutant: Mutant, items: list[pytest.Item], cpu_seconds: int, writer: int) -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
        signal.alarm(10 * cpu_seconds)  # a mutant that waits for ever uses no CPU
        try:
            if not replace_code(build_code(mutant), self.functions):
                os._exit(3)
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if self.failed:
                    os.write(writer, item.nodeid.encode())
                    os._exit(1)
        except BaseException:
            os.write(writer, traceback.format_exc(limit=-1).replace("\n", " ").encode())
            os._exit(1)
        os._exit(0)

    def _test_lines(self, items: list[pytest.Item]) -> LineRecord:
        """Read the record, and record anew what has changed since; in a fork, which leaves this process as it was."""
        sources = _digest([*SOURCE.rglob("*.py"), *(ROOT / "tests").rglob("conftest.py"), *(ROOT / "tests" / "support").rglob("*.py")])
        files = {path: _digest([ROOT / path]) for path in sorted({item.nodeid.partition("::")[0] for item in items})}
        record = LineRecord(**json.loads(self.record.read_text())) if self.record.exists() else LineRecord("", {}, {}, {})
        if record.sources != sources:
            record = LineRecord(sources, {}, {}, {})
        changed = {path for path, digest in files.items() if record.files.get(path) != digest}
        if not changed:
            return record
        changed_items = [item for item in items if item.nodeid.partition("::")[0] in changed]
        _print(f"recording the lines that {len(changed_items)} tests of {len(changed)} files execute")
        self.record.parent.mkdir(parents=True, exist_ok=True)
        child = os.fork()
        if child == 0:
            try:
                record.files.update(files)
                self._record(changed, changed_items, record)
                self.record.write_text(json.dumps(asdict(record)))
            except BaseException:
                traceback.print_exc(file=sys.__stderr__)
                os._exit(1)
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            raise RuntimeError("the tests could not be recorded")
        return LineRecord(**json.loads(self.record.read_text()))

    def _record(self, changed: set[str], items: list[pytest.Item], record: LineRecord) -> None:
        for line, tests in record.tests.items():
            record.tests[line] = [test for test in tests if test.partition("::")[0] not in changed]
        recorder = coverage.Coverage(data_file=None, include=[str(SOURCE / file) for file in target_files()], config_file=False)
        signal.signal(signal.SIGPROF, _raise_too_slow)
        recorder.start()
        for position, (item, following) in enumerate(zip(items, [*items[1:], None], strict=True)):
            recorder.switch_context(item.nodeid)
            record.seconds.pop(item.nodeid, None)
            self.failed = False
            started = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, SLOW_TEST_SECONDS)
            with contextlib.suppress(_TooSlow):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if not self.failed:
                    record.seconds[item.nodeid] = round(time.process_time() - started, 4)
            signal.setitimer(signal.ITIMER_PROF, 0)
            if item.nodeid not in record.seconds:
                item.session._setupstate.teardown_exact(None)  # an interrupted test left its fixtures set up
                _print(f"left out, failed or slow: {item.nodeid}")
            if position % 500 == 499:
                _print(f"  {position + 1} of {len(items)}, {time.process_time():.0f} s CPU")
        recorder.stop()
        data = recorder.get_data()
        for path in data.measured_files():
            file = Path(path).relative_to(SOURCE).as_posix()
            for line, contexts in data.contexts_by_lineno(path).items():
                tests = record.tests.setdefault(f"{file}:{line}", [])
                tests += [context for context in contexts if context in record.seconds]


def _raise_too_slow(*_: object) -> None:
    raise _TooSlow


def _print(text: str) -> None:
    print(text, file=sys.__stdout__, flush=True)


def _digest(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def target_files() -> list[str]:
    """The files that are changed, relative to the package."""
    paths = {path for pattern in TARGETS for path in SOURCE.glob(pattern)}
    return sorted(path.relative_to(SOURCE).as_posix() for path in paths)


def read_equivalent() -> dict[str, str]:
    """Keys of the equivalent mutants with the reason."""
    return yaml.safe_load(EQUIVALENT.read_text(encoding="utf-8")) or {} if EQUIVALENT.exists() else {}


def draw_mutants(count: int, seed: int, start: int = 0) -> list[Mutant]:
    """Draw mutants at random, each equally likely.

    The order is that of a digest of seed and key, so a change of one function leaves the draw from all the others as it was.
    """

    def rank(mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{seed} {mutant.key}".encode()).digest()

    mutants = [mutant for file in target_files() for mutant in list_mutants(file)]
    return sorted(mutants, key=rank)[start : start + count]


def main() -> int:
    """Run a sample and print the share that died; exit code 1 below 90 %."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--start", type=int, default=0, help="leave out so many mutants of the draw")
    parser.add_argument("--files", default="", help="of the draw, only files whose path starts so: two processes can share a sample")
    parser.add_argument("--record", type=Path, default=RECORD, help="where the lines of each test are kept")
    parser.add_argument("--key", action="append", default=[], help="run this mutant instead of a sample")
    parser.add_argument("--results", type=Path, help="append a JSON line per mutant")
    parser.add_argument("tests", nargs="*", default=TESTS)
    options = parser.parse_args()
    os.chdir(ROOT)
    if options.key:
        mutants = [mutant for file in target_files() for mutant in list_mutants(file) if mutant.key in options.key]
    else:
        mutants = draw_mutants(options.count, options.seed, options.start)
    mutants = [mutant for mutant in mutants if mutant.file.startswith(tuple(options.files.split(",")))]
    runner = MutantRunner(mutants, options.record.absolute(), options.results)
    code = pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:randomly", *options.tests], plugins=[runner])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return 2
    outcomes = Counter(outcome for _, outcome, _ in runner.outcomes)
    counted = sum(outcomes.values()) - outcomes["equivalent"]
    died = outcomes["killed"] + outcomes["timeout"]
    _print(f"{died} of {counted} died ({died / max(counted, 1):.1%}); {dict(outcomes)}")
    for mutant, outcome, _ in runner.outcomes:
        if outcome in ("survived", "uncovered"):
            _print(f"{outcome}: {mutant.key}  (line {mutant.line})")
    return 0 if died >= 0.9 * counted else 1


if __name__ == "__main__":
    sys.exit(main())
