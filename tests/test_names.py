"""Names are unique and say what they hold; caches and keys by identity say why they are safe."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "fieldwise"
ARCHITECTURE = SOURCE.parents[1] / "docs" / "architecture.md"


@cache  # parsing 430 files takes seconds, and no test changes the trees
def parse_modules() -> dict[str, ast.Module]:
    return {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))}


def test_no_public_class_name_is_defined_twice() -> None:
    files: defaultdict[str, list[str]] = defaultdict(list)
    for file, tree in parse_modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                files[node.name].append(file)
    assert len(files) > 300
    assert {name: defined_in for name, defined_in in files.items() if len(defined_in) > 1} == {}


def test_no_variable_has_a_name_that_says_nothing() -> None:
    """`found` says how a value came about, `one` and `other` only that there are two.

    `other` is the usual name of a method's argument of the same class, and `FieldSummary.given` is a key of stored summaries.
    """
    vague = {"found", "told", "known", "given", "wanted", "one", "other", "some", "thing", "it", "them"}
    stored = {("model/summary.py", "given")}
    bound: set[tuple[str, str]] = set()
    for file, tree in parse_modules().items():
        allowed = list_operands(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in vague:
                bound.add((file, node.id))
            elif isinstance(node, ast.arg) and node.arg in vague and node not in allowed:
                bound.add((file, node.arg))
    assert bound == stored


def list_operands(tree: ast.Module) -> set[ast.arg]:
    """The arguments `other` that follow `self`."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    operands = [function.args.args[1] for function in functions if len(function.args.args) > 1 and function.args.args[0].arg == "self"]
    return {operand for operand in operands if operand.arg == "other"}


def test_every_cache_says_why_it_is_safe() -> None:
    """A comment at the decorator, or above the first of several cached properties of a class."""
    silent: list[str] = []
    caches = 0
    for file, tree in parse_modules().items():
        lines = read_lines(file)
        for owner in [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]:
            decorators = [
                decorator
                for node in owner.body
                for decorator in getattr(node, "decorator_list", [])
                if re.match(r"(functools\.)?(cache|lru_cache|cached_property)\b", ast.unparse(decorator))
            ]
            for decorator in decorators[:1] if isinstance(owner, ast.ClassDef) else decorators:
                caches += 1
                above = lines[decorator.lineno - 2].strip()
                if "#" not in lines[decorator.lineno - 1] and not above.startswith("#"):
                    silent.append(f"{file}:{decorator.lineno}")
    assert caches > 60
    assert silent == []


def test_every_key_by_identity_says_why_it_is_safe() -> None:
    """Each function or class that calls `id` speaks of ids or of identity."""
    silent: list[str] = []
    keys = 0
    for file, tree in parse_modules().items():
        lines = read_lines(file)
        for owner in tree.body:
            uses = [node for node in ast.walk(owner) if isinstance(node, ast.Call) and ast.unparse(node.func) == "id"]
            keys += len(uses)
            text = "\n".join(lines[owner.lineno - 1 : owner.end_lineno])
            if uses and not re.search(r"\b(ids|by id|by `id`|identity)\b", text, re.IGNORECASE):
                silent.append(f"{file}:{uses[0].lineno}")
    assert keys > 20
    assert silent == []


def read_lines(file: str) -> list[str]:
    return (SOURCE / file).read_text(encoding="utf-8").splitlines()


def test_every_name_in_the_walk_through_the_code_exists() -> None:
    """Names in backticks such as `score.walk.compare_records` or `guard.call_guarded`: a module, and something it defines."""
    trees = parse_modules()
    mentioned = set(re.findall(r"`((?:[a-z_]+\.)+[A-Za-z_]\w+)`", ARCHITECTURE.read_text(encoding="utf-8")))
    checked = 0
    for name in sorted(mentioned):
        module, _, defined = name.removesuffix(".py").rpartition(".")
        if name.endswith(".py"):
            assert any(file.endswith(name) for file in trees), name
            continue
        files = [file for file in trees if f"/{file}".endswith(f"/{module.replace('.', '/')}.py")]
        if files:
            checked += 1
            assert any(defined in list_definitions(trees[file]) for file in files), name
    assert checked >= 20


def test_every_function_and_class_in_the_architecture_exists() -> None:
    """Names in backticks without a module: `partition_cases`, `ComparisonTable`. Others with an underscore are options and keys."""
    names = set(re.findall(r"`([A-Za-z]+(?:_[a-z]+)+|[A-Z][a-z]+[A-Z]\w+)`", ARCHITECTURE.read_text(encoding="utf-8")))
    words = set(re.findall(r"\w+", "\n".join((SOURCE / file).read_text(encoding="utf-8") for file in parse_modules())))
    assert len(names) > 10
    assert names - words == set()


def list_definitions(tree: ast.Module) -> set[str]:
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)}
