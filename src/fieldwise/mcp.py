"""MCP server: `check`, `run`, `explain`, `compare` and `mismatches` as tools for agents, over standard input and output.

Answers are small: the same as `--format agent` for runs, and a limited number of rows elsewhere.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from fieldwise import api
from fieldwise.model.diagnostic import ConfigError
from fieldwise.report.agent_output import describe_problems, render_agent
from fieldwise.report.feedback import feedback
from fieldwise.report.mismatch_list import merge_evaluators, summarize_field
from fieldwise.store.errors import StoreError
from fieldwise.store.run import Run, open_run
from fieldwise.store.run_names import RunNotFound
from fieldwise.suite_check import check

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

MAX_ROWS: Final = 50
INSTRUCTIONS: Final = (
    "fieldwise scores the output of an AI system against the expected output, field by field. "
    "check validates a suite, run scores it and stores the run, mismatches and explain show what is wrong and why, compare tests two runs."
)


@dataclass(frozen=True, slots=True)
class AgentTools:
    """The tools of the server. Docstrings and types are what a client shows to its model."""

    root: str | None = None
    """Where runs are stored."""

    def check(self, suite: str, cases: str | None = None) -> dict[str, Any]:
        """Validate a suite (path of a YAML file) without scoring; lists every problem with its line and fix."""
        try:
            plan = check(suite, cases=cases, root=self.root)
        except ConfigError as error:
            return {"valid": False, "count": len(error.diagnostics), "problems": describe_problems(list(error.diagnostics))}
        return {
            "valid": True,
            "name": plan.name,
            "evaluators": [{"name": evaluator.name, "type": evaluator.type} for evaluator in plan.evaluators],
            "gates": [str(gate) for gate in plan.gates],
            "warnings": describe_problems(plan.diagnostics),
        }

    def run(self, suite: str, cases: str | None = None, limit: int | None = None, gates: list[str] | None = None) -> dict[str, Any]:
        """Score the cases of a suite and store the run: verdict, gates, worst fields with cause and advice, next command."""
        return json.loads(render_agent(api.run(suite, cases=cases, limit=limit, gates=gates or (), root=self.root)))

    def mismatches(
        self, run: str = "latest", field: str | None = None, cause: str | None = None, case: str | None = None, limit: int = MAX_ROWS
    ) -> dict[str, Any]:
        """List wrong values of a stored run: case, path, expected, actual, outcome, cause, note. Filter by field, cause or case."""
        stored = open_run(self.root, run)
        rows = stored.mismatches(field=field, cause=cause, case=case)
        shown = [{**row.to_json(), "evaluator": names} for row, names in merge_evaluators(rows)[:limit]]
        return {"run": stored.id, "count": len(rows), "mismatches": shown}

    def explain(self, run: str = "latest", case: str | None = None, field: str | None = None) -> dict[str, Any]:
        """Explain a stored run: one case (score, misses, causes and advice by evaluator), or one field over all cases."""
        stored = open_run(self.root, run)
        if case is not None:
            return {"run": stored.id, "case": case, "evaluators": _explain_case(stored, case, field)}
        rows = [row for row, _ in merge_evaluators(stored.comparisons(field=field))] if field is not None else []
        if field is None or not rows:
            raise KeyError("name a case or a field" if field is None else f"run {stored.id} compared nothing at `{field}`")
        wrong = [row.to_json() for row in rows if not row.comparison.passed]
        return {"run": stored.id, **summarize_field(field, rows), "wrong": wrong[:MAX_ROWS]}

    def compare(self, base: str, new: str = "latest") -> dict[str, Any]:
        """Compare two stored runs over the same cases, with tests of significance."""
        return api.compare(open_run(self.root, base), open_run(self.root, new)).to_json()


def build_server(root: str | None = None) -> "MCPServer":
    """The server; `root` is where runs are stored. ImportError names the package to install if it is missing."""
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError as error:
        raise ImportError("the MCP server needs mcp, which is not installed: pip install 'fieldwise[mcp]'", name="mcp") from error
    server = MCPServer("fieldwise", instructions=INSTRUCTIONS)
    tools = AgentTools(root)
    for function in (tools.check, tools.run, tools.mismatches, tools.explain, tools.compare):
        server.tool()(_with_tool_errors(function, ToolError))
    return server


def _with_tool_errors(function: Callable[..., dict[str, Any]], tool_error: type[Exception]) -> Callable[..., dict[str, Any]]:
    """The function with errors that an agent can act on; others are internal."""

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> dict[str, Any]:
        try:
            return function(*arguments, **options)
        except (ConfigError, RunNotFound, StoreError, KeyError, FileNotFoundError) as error:
            message = error.args[0] if isinstance(error, KeyError) and error.args else str(error)
            raise tool_error(str(message)) from error

    return call


def _explain_case(stored: Run, case: str, field: str | None) -> dict[str, Any]:
    """Feedback of each evaluator on a case, or its comparisons of one field."""
    explained: dict[str, Any] = {}
    for result in stored.results(case=case):
        if field is None:
            explained[result.evaluator] = feedback(result)
        else:
            chosen = [comparison for comparison in result.comparisons if field in (comparison.path, comparison.field)]
            explained[result.evaluator] = [comparison.to_json() for comparison in chosen]
    return explained


def serve(root: str | Path | None = None) -> None:
    """Serve over standard input and output until the client disconnects."""
    build_server(None if root is None else str(root)).run("stdio")
