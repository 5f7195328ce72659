"""Change the source at random, one small change at a time, and count the changes that the tests notice.

    python scripts/code_mutants.py [--count 60] [--seed 20261116] [--start 0] [--results FILE]

A mutant is one change inside a function of `kernels/`, `score/`, `summarize/`, `plan/gates.py`, or the checks of requests and paths in
`web/`. It dies if a test fails. Mutants that change no behaviour are listed with their reason in `scripts/equivalent_mutants.yaml` and not
counted.

Each mutant is run against the tests nearest to its file: the test file that mirrors it, its doctests, test files that import it, then the
same for the modules that import it, and so on until the time for one mutant is used up. The tests are collected once; each mutant gets a
fork, where the code of the changed function is replaced. Tests that start other processes see the unchanged source there, so they kill no
mutant. A test that fails without the mutant, too, is left out.
"""

import argparse
import ast
import copy
import gc
import hashlib
import importlib
import json
import os
import re
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Literal

import hypothesis
import pytest
import yaml
from code_figures import find_importers, module_name

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
PACKAGES = ("kernels", "score", "summarize", "plan", "matchers", "causes", "evaluators", "web")
"""Only modules of these packages are followed when tests are chosen: the others start servers, processes and runs."""
NEAREST = {
    "fieldwise.web.settings": ("tests/web/test_guard.py",),
    "fieldwise.score.columns": ("tests/score/test_walk.py",),
    "fieldwise.score.comparison_builder": ("tests/score/test_accepted_values.py",),
}
"""Test files that belong to a module though their names do not show it."""
MAX_DISTANCE = 3
"""How many imports a test may be away from the changed file."""
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.yaml")
SEED = 20261116
MAX_EXAMPLES = 10
"""Examples of a Hypothesis law, enough to notice a mutant and few enough to run it for many."""
MUTANT_SECONDS = 20.0
"""CPU seconds of tests that a mutant must survive to count as a survivor."""
HANGING_SECONDS = 20
"""CPU seconds that one test may take beyond that before the mutant counts as one that does not end."""

Outcome = Literal["killed", "timeout", "survived", "equivalent"]


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
        case ast.Return(value=ast.expr() as value) if not _is_none_or_false(value):
            return [_with(node, value=ast.Constant(None))]
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.Raise() | ast.Continue() | ast.Break():
            return [ast.Pass()]
        case _:
            return []


def _is_none_or_false(value: ast.expr) -> bool:
    """True if returning None instead changes nothing, or nothing but the type of a result that is tested for truth."""
    return isinstance(value, ast.Constant) and (value.value is None or value.value is False)


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
    """Nodes of function bodies with the function's qualified name.

    Without annotations, defaults, decorators, texts of errors, and the `strict=True` of `zip`, which only states an invariant.
    """

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
                if isinstance(child, ast.AST) and not (isinstance(child, ast.keyword) and child.arg == "strict"):
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


# Choosing tests


class TestChooser:
    """Finds the test files of a source file, nearest first."""

    def __init__(self) -> None:
        self.texts = {module_name(path): path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
        self.importers = find_importers(self.texts)
        test_files = [path for package in PACKAGES for path in sorted((ROOT / "tests" / package).rglob("test_*.py"))]
        self.tests = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in test_files}

    def choose(self, file: str) -> list[str]:
        """Paths of test files and of modules with doctests."""
        chosen: dict[str, None] = {}
        nearest = [module_name(SOURCE / file)]
        visited = set(nearest)
        for _ in range(MAX_DISTANCE):
            for module in nearest:
                chosen.update(dict.fromkeys(self._tests_of(module)))
            importers = {importer for module in nearest for importer in self.importers[module]} - visited
            nearest = sorted(importer for importer in importers if importer.split(".")[1:2] and importer.split(".")[1] in PACKAGES)
            visited.update(nearest)
        return list(chosen)

    def _tests_of(self, module: str) -> list[str]:
        parts = module.split(".")[1:]
        mirror = "/".join(["tests", *parts[:-1], f"test_{parts[-1]}"])
        mirrored = [path for path in self.tests if path == f"{mirror}.py" or path.startswith(f"{mirror}_")]
        doctests = ["/".join(["src/fieldwise", *parts]) + ".py"] if ">>> " in self.texts[module] else []
        pattern = re.compile(rf"\b{re.escape(module)}\b")
        importing = [path for path, text in self.tests.items() if pattern.search(text)]
        importing.sort(key=lambda path: self.tests[path].count("fieldwise."))  # a test of few modules is more about this one
        return [*doctests, *mirrored, *NEAREST.get(module, ()), *importing]


# Running tests


class MutantRunner:
    """A pytest plugin that runs mutants instead of the tests."""

    def __init__(self, mutants: list[Mutant], tests: dict[str, list[str]], results: Path | None, seconds: float) -> None:
        self.mutants = mutants
        self.tests = tests
        """By source file: the files with its tests, nearest first."""
        self.results = results
        self.seconds = seconds
        self.outcomes: list[tuple[Mutant, Outcome, str]] = []
        self.functions: list[FunctionType] = []
        self.broken: dict[str, bool] = {}
        """By test: whether it fails without a mutant. Only tests that killed one are looked at."""
        self.failed = False

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Fewer examples for laws, and none of them shrunk."""
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        for item in items:
            if _is_law(item):
                test = _test_function(item)
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
        """Run every mutant in a fork."""
        if session.testsfailed:
            raise session.Failed(f"{session.testsfailed} errors during collection")
        for file in {mutant.file for mutant in self.mutants}:
            importlib.import_module(module_name(SOURCE / file))
        items: dict[str, list[pytest.Item]] = {}
        for item in sorted(session.items, key=_is_law):  # laws last: they take longer than other tests
            items.setdefault(item.nodeid.partition("::")[0], []).append(item)
        equivalent = read_equivalent()
        self.functions = find_functions()
        gc.freeze()  # forks share the memory of what was imported
        for mutant in self.mutants:
            started = time.monotonic()
            candidates = [item for path in self.tests[mutant.file] for item in items.get(path, [])]
            outcome, test = ("equivalent", "") if mutant.key in equivalent else self._run_mutant(mutant, candidates)
            self.outcomes.append((mutant, outcome, test))
            _print(f"{outcome:10} {time.monotonic() - started:5.1f} s  {mutant.file}:{mutant.line} {mutant.change}  {test}")
            if self.results:
                with self.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"outcome": outcome, "key": mutant.key, "line": mutant.line, "by": test}) + "\n")
        return True

    def _run_mutant(self, mutant: Mutant, items: list[pytest.Item]) -> tuple[Outcome, str]:
        outcome, killer = self._run_in_fork(mutant, [item for item in items if not self.broken.get(item.nodeid)])
        if outcome != "killed" or killer in self.broken:
            return outcome, killer
        suspect = [item for item in items if item.nodeid == killer]
        self.broken[killer] = bool(suspect) and self._run_in_fork(None, suspect)[0] != "survived"
        return self._run_mutant(mutant, items) if self.broken[killer] else (outcome, killer)

    def _run_in_fork(self, mutant: Mutant | None, items: list[pytest.Item]) -> tuple[Outcome, str]:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            self._run_tests(mutant, items, writer)
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

    def _run_tests(self, mutant: Mutant | None, items: list[pytest.Item], writer: int) -> None:
        """Run tests until one fails or the time is used up; ends the process."""
        limit = int(self.seconds) + HANGING_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        signal.alarm(10 * limit)  # a mutant that waits for ever uses no CPU
        started = time.process_time()
        try:
            if mutant is not None and not replace_code(build_code(mutant), self.functions):
                os._exit(3)
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if self.failed:
                    os.write(writer, item.nodeid.encode())
                    os._exit(1)
                if time.process_time() - started > self.seconds:
                    break
        except BaseException:
            os.write(writer, traceback.format_exc(limit=-1).replace("\n", " ").encode())
            os._exit(1)
        os._exit(0)


def _test_function(item: pytest.Item) -> Any:
    function = getattr(item, "obj", None)
    return getattr(function, "__func__", function)


def _is_law(item: pytest.Item) -> bool:
    """True for a test that Hypothesis runs with many examples."""
    return getattr(_test_function(item), "is_hypothesis_test", False)


def _print(text: str) -> None:
    print(text, file=sys.__stdout__, flush=True)


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
    parser.add_argument("--start", type=int, default=0, help="number of mutants of the draw to leave out")
    parser.add_argument("--files", default="", help="of the draw, only files whose path starts so: two processes can share a sample")
    parser.add_argument("--key", action="append", default=[], help="run this mutant instead of a sample")
    parser.add_argument("--seconds", type=float, default=MUTANT_SECONDS, help="CPU seconds of tests for one mutant")
    parser.add_argument("--results", type=Path, help="append a JSON line per mutant")
    options = parser.parse_args()
    os.chdir(ROOT)
    if options.key:
        mutants = [mutant for file in target_files() for mutant in list_mutants(file) if mutant.key in options.key]
    else:
        mutants = draw_mutants(options.count, options.seed, options.start)
    mutants = [mutant for mutant in mutants if mutant.file.startswith(tuple(options.files.split(",")))]
    chooser = TestChooser()
    tests = {file: chooser.choose(file) for file in {mutant.file for mutant in mutants}}
    runner = MutantRunner(mutants, tests, options.results, options.seconds)
    paths = sorted({path for chosen in tests.values() for path in chosen})
    os.nice(10)
    code = pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:randomly", *paths], plugins=[runner])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return 2
    outcomes = Counter(outcome for _, outcome, _ in runner.outcomes)
    counted = sum(outcomes.values()) - outcomes["equivalent"]
    died = outcomes["killed"] + outcomes["timeout"]
    _print(f"{died} of {counted} died ({died / max(counted, 1):.1%}); {dict(outcomes)}")
    for mutant, outcome, _ in runner.outcomes:
        if outcome == "survived":
            _print(f"{outcome}: {mutant.key}  (line {mutant.line})")
    return 0 if died >= 0.9 * counted else 1


if __name__ == "__main__":
    sys.exit(main())
