"""Names are unique and say what they hold."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "fieldwise"
VIEWS = ("report/", "web/")  # not checked yet: six such names remain


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
