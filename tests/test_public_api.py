"""The public Python surface: its names and signatures are those of `tests/public_api.txt`, and the docs use nothing else.

After a deliberate change of the surface: `python tests/test_public_api.py` writes the file again; the change belongs in CHANGELOG.md.
"""

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import fieldwise as fw
import fieldwise.ext

ROOT = Path(__file__).parents[1]
RECORDED = Path(__file__).with_name("public_api.txt")
PROMISED = [
    "run",
    "evaluate",
    "diff",
    "match",
    "compare",
    "check",
    "open_run",
    "runs",
    "feedback",
    "rules_from",
    "route",
    "Run",
    "Result",
    "Comparison",
    "Comparisons",
    "Diff",
    "Changes",
    "Summary",
    "Plan",
    "Case",
    "Diagnostic",
    "ConfigError",
    "RunNotFound",
    "__version__",
]
PUBLIC_MODULES = ("fieldwise", "fieldwise.ext", "fieldwise.integrations")
IMPORT = re.compile(r"^\s*(?:from|import) (fieldwise(?:\.\w+)*)", re.MULTILINE)
PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def describe_module(module: ModuleType) -> Iterator[str]:
    """A line for each public name, each parameter of a public function, and each public attribute of a public class."""
    for name in sorted(module.__all__):
        value = getattr(module, name)
        full_name = f"{module.__name__}.{name}"
        yield full_name
        if inspect.isclass(value):
            for attribute, content in sorted(vars(value).items()):
                if not attribute.startswith("_"):
                    yield f"{full_name}.{attribute}"
                    yield from describe_parameters(f"{full_name}.{attribute}", content)
        else:
            yield from describe_parameters(full_name, value)


def describe_parameters(name: str, function: object) -> Iterator[str]:
    """Name and kind of each parameter, and whether it has a default; annotations and the values of defaults may change."""
    if not inspect.isfunction(function):
        return
    for parameter in inspect.signature(function).parameters.values():
        prefix = {parameter.KEYWORD_ONLY: "*, ", parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty else "=..."
        yield f"{name}({prefix}{parameter.name}{default})"


def describe_surface() -> list[str]:
    return [*describe_module(fw), *describe_module(fieldwise.ext)]


def is_module_level(line: str) -> bool:
    return line.removeprefix("fieldwise.ext.").removeprefix("fieldwise.").isidentifier()


def test_nothing_recorded_is_gone_and_no_name_is_public_by_accident() -> None:
    """Further attributes and optional parameters are no break; further names have to be recorded."""
    recorded, surface = set(RECORDED.read_text(encoding="utf-8").splitlines()), set(describe_surface())
    assert sorted(recorded - surface) == []
    assert sorted(filter(is_module_level, surface - recorded)) == []
    assert sorted(line for line in surface - recorded if line.endswith(")") and "=..." not in line and line.split("(")[0] in recorded) == []


def test_every_promised_name_is_exported_and_completed() -> None:
    assert set(PROMISED) <= set(fw.__all__)
    assert set(PROMISED) <= set(dir(fw))
    assert all(getattr(fw, name) is not None for name in fw.__all__)


def test_completion_shows_no_internal_name() -> None:
    assert sorted(dir(fw)) == sorted(fw.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        _ = fw.evalute  # pyright: ignore[reportAttributeAccessIssue]


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, fieldwise; print(sorted({'numpy', 'pyarrow', 'pydantic', 'typing'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, env={"PYTHONPATH": str(ROOT / "src")}, check=True
    )
    assert done.stdout.strip() == "[]"


def list_documented_code() -> list[tuple[str, str]]:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    code = [(page.name, block) for page in pages for block in PYTHON_BLOCK.findall(page.read_text(encoding="utf-8"))]
    return code + [(str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")) for file in sorted((ROOT / "examples").rglob("*.py"))]


def test_docs_and_examples_import_only_public_modules() -> None:
    internal = [
        f"{place}: {module}" for place, code in list_documented_code() for module in IMPORT.findall(code) if module not in PUBLIC_MODULES
    ]
    assert internal == []


if __name__ == "__main__":
    RECORDED.write_text("\n".join(describe_surface()) + "\n", encoding="utf-8")
