"""Names are unique and say what they hold."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "fieldwise"
ARCHITECTURE = SOURCE.parents[1] / "docs" / "architecture.md"
VIEWS = ("report/", "web/")  # not checked yet: six such names remain


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


def test_no_variable_is_named_by_a_participle_that_says_nothing() -> None:
    """`found` and the like say how a value came about, not what it is. `FieldSummary.given` is a key of stored summaries."""
    vague = {"found", "told", "known", "given", "wanted"}
    stored = {("model/summary.py", "given")}
    bound: set[tuple[str, str]] = set()
    for file, tree in parse_modules().items():
        for node in ast.walk(tree):
            name = (
                node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else node.arg if isinstance(node, ast.arg) else ""
            )
            if name in vague and not file.startswith(VIEWS):
                bound.add((file, name))
    assert bound == stored


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


def list_definitions(tree: ast.Module) -> set[str]:
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)}
