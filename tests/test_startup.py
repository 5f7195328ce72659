"""What the start of a command may import, instead of clocks: heavy packages are loaded where they are used."""

import json
import subprocess
import sys
from pathlib import Path

LIST_MODULES = """
import json, sys
{statement}
tables = sys.modules.get("fieldwise.kernels.locale_tables")
read = [name for name in dir(tables) if getattr(getattr(tables, name), "cache_info", None) and getattr(tables, name).cache_info().currsize]
print("\\n" + json.dumps([sorted(sys.modules), read]))
"""
COMMAND = """
from fieldwise.cli import main
sys.argv = ["fieldwise", *{arguments!r}]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""
SUITE = """
name: invoices
cases: invoices.jsonl
evaluators:
  - type: field_accuracy
    fields:
      - {path: number, match: exact}
      - {path: total, match: numeric_tolerance, tolerance: 0.01}
      - {path: vendor, match: fuzzy}
      - {path: date, match: date}
  - {type: field_prf}
gate: {field_accuracy.score: ">= 0.5"}
"""


def list_imports(statement: str) -> tuple[set[str], list[str]]:
    """The packages and modules that a statement loads in a new process, and the locale tables that it reads."""
    done = subprocess.run([sys.executable, "-c", LIST_MODULES.format(statement=statement)], capture_output=True, text=True, check=True)
    modules, tables = json.loads(done.stdout.splitlines()[-1])
    return {*modules, *(name.partition(".")[0] for name in modules)}, tables


def test_importing_the_package_loads_nothing_but_the_package() -> None:
    modules, _ = list_imports("import fieldwise")
    assert [name for name in modules if name.startswith("fieldwise.")] == []
    assert modules.isdisjoint({"numpy", "pydantic", "typing"})


def write_suite(folder: Path) -> str:
    """Write a suite and its one case; the path of the suite."""
    (folder / "invoices.eval.yaml").write_text(SUITE)
    record = {"number": "A-1", "total": 5.5, "vendor": "Acme", "date": "2024-03-01"}
    (folder / "invoices.jsonl").write_text(json.dumps({"id": "1", "expected": record, "actual": record | {"vendor": "Bolt"}}))
    return str(folder / "invoices.eval.yaml")


def test_check_loads_nothing_that_scores_stores_serves_or_draws(tmp_path: Path) -> None:
    modules, tables = list_imports(COMMAND.format(arguments=["check", write_suite(tmp_path)]))
    heavy = {
        "numpy",
        "pydantic",
        "annotated_types",
        "rapidfuzz",
        "scipy",
        "pandas",
        "polars",
        "fastapi",
        "pyarrow",
        "duckdb",
        "jinja2",
        "httpx",
        "onnxruntime",
        "multiprocessing",
        "importlib.metadata",
        "hashlib",
        "typer",
    }
    assert modules & heavy == set()
    assert modules.isdisjoint({"fieldwise.score.walk", "fieldwise.plan.infer", "fieldwise.store.run", "fieldwise.api"})
    assert tables == [], "the locale tables were read"


def test_a_run_of_one_case_does_without_the_slowest_parts_of_its_libraries(tmp_path: Path) -> None:
    modules, _ = list_imports(
        COMMAND.format(arguments=["run", write_suite(tmp_path), "--root", str(tmp_path), "--gate", "field_prf.score >= 0"])
    )
    assert "pyarrow.parquet" in modules
    assert modules.isdisjoint({"pyarrow.compute", "numpy.ma", "scipy", "asyncio", "sqlite3", "pyarrow.dataset", "typer"})
    assert modules.isdisjoint({"pydantic", "annotated_types", "multiprocessing", "importlib.metadata"})


def test_a_run_whose_scores_have_intervals_and_causes_does_without_scipy_and_generated_functions_of_arrow(tmp_path: Path) -> None:
    suite = write_suite(tmp_path)
    record = {"number": "A-1", "total": 5.5, "vendor": "Acme", "date": "2024-03-01"}
    cases = [{"id": str(at), "expected": record, "actual": record | {"vendor": "Acme" if at % 3 else "Bolt"}} for at in range(12)]
    (tmp_path / "invoices.jsonl").write_text("\n".join(map(json.dumps, cases)))
    modules, _ = list_imports(COMMAND.format(arguments=["run", suite, "--root", str(tmp_path)]))
    assert modules.isdisjoint({"scipy", "pyarrow.compute"})


RUN_AND_COMPARE = """
import fieldwise as fw
cases = [{{"id": str(at), "expected": {{"a": at}}, "actual": {{"a": at % 7}}}} for at in range(20)]
runs = [fw.run({{"evaluators": [{{"type": "field_prf"}}]}}, cases=cases, root={root!r}) for _ in range(2)]
assert fw.compare(*runs).evaluators
from fieldwise.store.run_index import load_mismatches, load_scores
assert len(load_scores(runs[0], "field_prf").score) == 20
assert len(load_mismatches(runs[0], "field_prf").case) == 13
"""


def test_runs_comparisons_and_the_index_of_pages_leave_pandas_alone(tmp_path: Path) -> None:
    modules, _ = list_imports(RUN_AND_COMPARE.format(root=str(tmp_path)))
    assert modules.isdisjoint({"pandas", "fastapi", "jinja2"})
