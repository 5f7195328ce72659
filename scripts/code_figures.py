"""Print figures of the source code: indicators to watch, not targets.

python scripts/code_figures.py
"""

import ast
import io
import tokenize
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
LONG_FILE = 600


def main() -> None:
    """Count over all modules of the package."""
    texts = {module_name(path): path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    nodes = [node for text in texts.values() for node in ast.walk(ast.parse(text))]
    lines = sum(len(text.splitlines()) for text in texts.values())
    functions = [node for node in nodes if isinstance(node, FUNCTIONS)]
    one_word = sum("_" not in function.name.strip("_") for function in functions)
    comments = sum(map(count_comments, texts.values()))
    comprehensions = sum(isinstance(node, COMPREHENSIONS) for node in nodes)
    ternaries = sum(isinstance(node, ast.IfExp) for node in nodes)
    importers = find_importers(texts)
    print(f"files {len(texts)}, lines {lines:,}, functions {len(functions):,}")
    print(f"one-word function names {one_word / len(functions):.0%}")
    for name, count in (("comprehensions", comprehensions), ("ternaries", ternaries), ("comments", comments)):
        print(f"{name} per 1,000 lines {1000 * count / lines:.1f}")
    print(f"modules imported by exactly one other {sum(len(names) == 1 for names in importers.values())}")
    long_files = [name for name, text in texts.items() if len(text.splitlines()) > LONG_FILE]
    print(f"files of more than {LONG_FILE} lines {len(long_files)}: {', '.join(long_files)}")


def module_name(path: Path) -> str:
    """The dotted name of a file."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def count_comments(text: str) -> int:
    """Number of comments, without directives to linters."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(token.type == tokenize.COMMENT and not token.string.startswith(("# noqa", "# pyright")) for token in tokens)


def find_importers(texts: dict[str, str]) -> dict[str, set[str]]:
    """Module → modules that import it. A package counts only if a name of its `__init__` is imported."""
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for importer, text in texts.items():
        for node in ast.walk(ast.parse(text)):
            for name in list_imports(node, texts):
                if name != importer:
                    importers[name].add(importer)
    return importers


def list_imports(node: ast.AST, modules: dict[str, str]) -> list[str]:
    """The modules of the package that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names if alias.name in modules]
    if not isinstance(node, ast.ImportFrom) or node.module not in modules:
        return []
    submodules = [f"{node.module}.{alias.name}" for alias in node.names]
    return [name if name in modules else node.module for name in submodules]


if __name__ == "__main__":
    main()
