"""The MCP server, asked by the client of the `mcp` package."""

import asyncio
import json
import sys
from importlib.resources import as_file, files
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the MCP server needs the extra `mcp`")

from mcp import Client, StdioServerParameters

from fieldwise.mcp import build_server

SUITE = """name: small
cases: cases.jsonl
evaluators:
  - {type: field_accuracy, name: fields, fields: [number, {path: total, match: numeric_tolerance}]}
gate: {fields.score: ">= 0.9"}
"""
CASES = [
    {"id": "a", "expected": {"number": "A-1", "total": 5}, "actual": {"number": "A-1", "total": 5}},
    {"id": "b", "expected": {"number": "B-10", "total": 7}, "actual": {"number": "B-1O", "total": 7}},
]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES))
    (tmp_path / "small.eval.yaml").write_text(SUITE)
    return tmp_path / "small.eval.yaml"


def ask(server: Any, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """The answers of a server, in one session; the text of an error."""

    async def talk() -> list[Any]:
        async with Client(server) as client:
            answers: list[Any] = []
            for name, arguments in calls:
                result = await client.call_tool(name, arguments)
                text = result.content[0].text
                answers.append(f"error: {text}" if result.is_error else json.loads(text))
            return answers

    return asyncio.run(talk())


def test_a_suite_is_checked_run_and_explained(suite: Path, tmp_path: Path) -> None:
    server = build_server(str(tmp_path / "store"))
    checked, ran, wrong, case, field = ask(
        server,
        ("check", {"suite": str(suite)}),
        ("run", {"suite": str(suite)}),
        ("mismatches", {"cause": "ocr"}),
        ("explain", {"case": "b"}),
        ("explain", {"field": "total"}),
    )
    assert checked["valid"] is True
    assert (ran["verdict"], ran["exit_code"]) == ("failed", 1)
    assert wrong["mismatches"][0]["actual"] == "B-1O"
    assert "look-alike characters" in case["evaluators"]["fields"]
    assert (field["n"], field["matched"]) == (2, 2)


def test_two_runs_are_compared(suite: Path, tmp_path: Path) -> None:
    server = build_server(str(tmp_path / "store"))
    first, second = ask(server, ("run", {"suite": str(suite)}), ("run", {"suite": str(suite)}))
    [changes] = ask(server, ("compare", {"base": first["run"], "new": second["run"]}))
    assert (changes["base"], changes["new"]) == (first["run"], second["run"])


def test_errors_say_what_to_do(suite: Path, tmp_path: Path) -> None:
    suite.with_name("bad.eval.yaml").write_text("cases: cases.jsonl\nevaluators: [{type: feild_accuracy}]\n")
    server = build_server(str(tmp_path / "store"))
    checked, ran, missing = ask(
        server,
        ("check", {"suite": str(suite.with_name("bad.eval.yaml"))}),
        ("run", {"suite": str(suite.with_name("bad.eval.yaml"))}),
        ("mismatches", {"run": "2020"}),
    )
    assert checked["valid"] is False
    assert "field_accuracy" in checked["problems"][0]["fix"]
    assert ran.startswith("error: ")
    assert "feild_accuracy" in ran
    assert "no run" in missing


def test_the_command_serves_over_standard_input_and_output(suite: Path, tmp_path: Path) -> None:
    arguments = ["-m", "fieldwise", "mcp", "--root", str(tmp_path / "store")]
    server = StdioServerParameters(command=sys.executable, args=arguments, env={"PYTHONPATH": str(Path(__file__).parents[1] / "src")})
    [ran] = ask(server, ("run", {"suite": str(suite), "limit": 1}))
    assert (ran["cases"], ran["exit_code"]) == (1, 0)


def test_an_unknown_argument_is_an_error_that_names_the_nearest(suite: Path, tmp_path: Path) -> None:
    server = build_server(str(tmp_path / "store"))
    gate, split, run = ask(
        server,
        ("run", {"suite": str(suite), "gate": ["fields.score >= 0.99"]}),
        ("run", {"suite": str(suite), "split": "test"}),
        ("compare", {"base": "latest", "run": "latest"}),
    )
    assert gate.startswith("error: ")
    assert "there is no argument `gate`; did you mean `gates`?" in gate
    assert "there is no argument `split`; there are suite, cases, limit, gates" in split
    assert "there is no argument `run`" in run
    assert not (tmp_path / "store").exists()


def test_every_input_schema_allows_no_other_argument(tmp_path: Path) -> None:
    async def list_schemas() -> dict[str, Any]:
        async with Client(build_server(str(tmp_path))) as client:
            return {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}

    schemas = asyncio.run(list_schemas())
    assert set(schemas) == {"check", "run", "mismatches", "explain", "compare"}
    assert all(schema["additionalProperties"] is False for schema in schemas.values())
    assert schemas["compare"]["required"] == ["base", "new"]


def test_a_limit_below_one_is_refused(suite: Path, tmp_path: Path) -> None:
    server = build_server(str(tmp_path / "store"))
    cases, rows = ask(server, ("run", {"suite": str(suite), "limit": -3}), ("mismatches", {"limit": 0}))
    for answer in (cases, rows):
        assert answer.startswith("error: ")
        assert "limit" in answer
        assert "greater than or equal to 1" in answer
    assert not (tmp_path / "store").exists()


def test_the_answer_of_a_run_is_compact_and_below_four_kilobytes(tmp_path: Path) -> None:
    with as_file(files("fieldwise") / "demo") as demo:
        copytree(demo, tmp_path / "demo")

    async def run_demo() -> Any:
        async with Client(build_server(str(tmp_path / "store"))) as client:
            return await client.call_tool("run", {"suite": str(tmp_path / "demo" / "invoices.eval.yaml")})

    result = asyncio.run(run_demo())
    text = result.content[0].text
    assert len(text.encode()) < 4_000
    assert "\n" not in text
    assert result.structured_content == json.loads(text)
    assert len(result.structured_content["worst_fields"]) > 1


def test_a_comparison_needs_two_runs(suite: Path, tmp_path: Path) -> None:
    server = build_server(str(tmp_path / "store"))
    _, compared = ask(server, ("run", {"suite": str(suite)}), ("compare", {"base": "latest"}))
    assert compared.startswith("error: ")
    assert "new" in compared


def test_a_run_is_not_compared_with_itself(suite: Path, tmp_path: Path) -> None:
    server = build_server(str(tmp_path / "store"))
    [ran] = ask(server, ("run", {"suite": str(suite)}))
    by_name, by_id = ask(server, ("compare", {"base": "latest", "new": "latest"}), ("compare", {"base": ran["run"], "new": "latest"}))
    for answer in (by_name, by_id):
        assert f"run {ran['run']} would be compared with itself" in answer


def test_an_unknown_field_or_cause_of_mismatches_names_the_nearest(suite: Path, tmp_path: Path) -> None:
    server = build_server(str(tmp_path / "store"))
    _, field, cause, explained = ask(
        server,
        ("run", {"suite": str(suite)}),
        ("mismatches", {"field": "numbr"}),
        ("mismatches", {"cause": "orc"}),
        ("explain", {"field": "totl"}),
    )
    assert "did you mean `number`?" in field
    assert "there is no cause `orc`" in cause
    assert "did you mean `total`?" in explained


def test_mismatches_are_filtered_by_the_name_or_the_label_of_a_cause(suite: Path, tmp_path: Path) -> None:
    server = build_server(str(tmp_path / "store"))
    _, by_name, by_label, other, near, far = ask(
        server,
        ("run", {"suite": str(suite)}),
        ("mismatches", {"cause": "ocr"}),
        ("mismatches", {"cause": "Look-alike characters"}),
        ("mismatches", {"cause": "cut off"}),
        ("mismatches", {"cause": "cut of"}),
        ("mismatches", {"cause": "zzzzz"}),
    )
    assert by_name["count"] == 1
    assert by_label == by_name
    assert other["count"] == 0
    assert "there is no cause `cut of`; did you mean `cut off`?" in near
    assert "there is no cause `zzzzz`; there are " in far


def test_a_mismatch_that_two_evaluators_report_counts_once(suite: Path, tmp_path: Path) -> None:
    suite.write_text(SUITE.replace("gate:", "  - {type: field_prf}\ngate:"))
    _, wrong = ask(build_server(str(tmp_path / "store")), ("run", {"suite": str(suite)}), ("mismatches", {}))
    assert wrong["count"] == len(wrong["mismatches"]) == 1
    assert wrong["mismatches"][0]["evaluator"] == "fields, field_prf"
