"""Names are unique and say what they hold."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "fieldwise"


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
