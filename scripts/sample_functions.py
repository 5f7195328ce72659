"""Draw functions of `src/` at random and print their names and signatures, to test whether names explain themselves.

    python scripts/sample_functions.py [COUNT] [SEED]

Write down what each function does from this list alone, then open it. Also prints the share of one-word names.
"""

import ast
import random
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "fieldwise"
COUNT, SEED = 30, 20261116


def main(count: int = COUNT, seed: int = SEED) -> None:
    """Print the sample and the share of one-word names."""
    functions: list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]] = []
    for path in sorted(SOURCE.rglob("*.py")):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        file = path.relative_to(SOURCE).as_posix()
        functions += [(file, node) for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    functions.sort(key=lambda function: (function[0], function[1].lineno))
    for file, node in random.Random(seed).sample(functions, count):
        returned = ast.unparse(node.returns) if node.returns else "None"
        print(f"{file}:{node.lineno} {node.name}({ast.unparse(node.args)}) -> {returned}")
    one_word = sum("_" not in node.name.strip("_") for _, node in functions)
    print(f"{len(functions)} functions, {one_word / len(functions):.0%} with one-word names")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
