"""MCP server: `check`, `run`, `explain`, `compare` and `mismatches` as tools for agents, over standard input and output.

Answers are small: the same as `--format agent` for runs, and a limited number of rows elsewhere.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from types import new_class
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from fieldwise import api
from fieldwise.model.bounds import Ge
from fieldwise.model.diagnostic import ConfigError
from fieldwise.registry import CAUSES, find_cause_name, nearest
from fieldwise.report.agent_output import describe_problems, render_agent
from fieldwise.report.feedback import feedback
from fieldwise.report.mismatch_list import merge_evaluators, summarize_field
from fieldwise.report.text_format import dump_json
from fieldwise.store.errors import StoreError
from fieldwise.store.run import Run, open_run
from fieldwise.store.run_metrics import same_run_error
from fieldwise.store.run_names import RunNotFound
from fieldwise.store.stored_comparisons import StoredComparisons
from fieldwise.suite_check import check

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.tools import Tool

MAX_ROWS: Final = 50
RowLimit: TypeAlias = Annotated[int, Ge(1)]
"""A number of cases or rows, at least 1."""
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

    def run(self, suite: str, cases: str | None = None, limit: RowLimit | None = None, gates: list[str] | None = None) -> dict[str, Any]:
        """Score the cases of a suite and store the run: verdict, gates, worst fields with cause and advice, next command."""
        return json.loads(render_agent(api.run(suite, cases=cases, limit=limit, gates=gates or (), root=self.root)))

    def mismatches(
        self, run: str = "latest", field: str | None = None, cause: str | None = None, case: str | None = None, limit: RowLimit = MAX_ROWS
    ) -> dict[str, Any]:
        """List wrong values of a stored run: case, path, expected, actual, outcome, cause, note. Filter by field, cause or case."""
        stored = open_run(self.root, run)
        if field is not None:
            _require_field(stored, field)
        if cause is not None:
            cause = _require_cause(stored, cause)
        rows = merge_evaluators(stored.mismatches(field=field, cause=cause, case=case))
        shown = [{**row.to_json(), "evaluator": names} for row, names in rows[:limit]]
        return {"run": stored.id, "count": len(rows), "mismatches": shown}

    def explain(self, run: str = "latest", case: str | None = None, field: str | None = None) -> dict[str, Any]:
        """Explain a stored run: one case (score, misses, causes and advice by evaluator), or one field over all cases."""
        stored = open_run(self.root, run)
        if case is not None:
            return {"run": stored.id, "case": case, "evaluators": _explain_case(stored, case, field)}
        if field is None:
            raise KeyError("name a case or a field")
        comparisons = _require_field(stored, field)
        wrong = [row.to_json() for row, _ in merge_evaluators(comparisons) if not row.comparison.passed]
        return {"run": stored.id, **summarize_field(stored, field, comparisons), "wrong": wrong[:MAX_ROWS]}

    def compare(self, base: str, new: str) -> dict[str, Any]:
        """Compare two stored runs over the same cases, with tests of significance: ids, or `latest` for one of them."""
        base_run, new_run = open_run(self.root, base), open_run(self.root, new)
        if base_run.id == new_run.id:
            raise same_run_error(base_run.id, "name two different runs as `base` and `new`")
        return api.compare(base_run, new_run).to_json()


def build_server(root: str | None = None) -> "MCPServer":
    """The server; `root` is where runs are stored. ImportError names the package to install if it is missing."""
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.server.mcpserver.tools import Tool
        from mcp.types import CallToolResult, TextContent
    except ImportError as error:
        raise ImportError("the MCP server needs mcp, which is not installed: pip install 'fieldwise[mcp]'", name="mcp") from error

    def make_answer(document: dict[str, Any]) -> CallToolResult:
        text = dump_json(document)  # compact: the package itself would indent it
        return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=json.loads(text))

    methods = AgentTools(root)
    tools: list[Tool] = []
    for function in (methods.check, methods.run, methods.mismatches, methods.explain, methods.compare):
        tool = Tool.from_function(_make_tool_function(function, make_answer, ToolError))
        _refuse_unknown_arguments(tool)
        tools.append(tool)
    return MCPServer("fieldwise", instructions=INSTRUCTIONS, tools=tools)


def _refuse_unknown_arguments(tool: "Tool") -> None:
    """Make unknown arguments an error: the `mcp` package ignores them, so that a misspelt `gates` would pass every gate."""
    from pydantic import model_validator

    arg_model = tool.fn_metadata.arg_model
    names = list(arg_model.model_fields)

    def check_names(arguments: Any) -> Any:
        unknown = sorted(set(arguments) - set(names))
        if unknown:
            similar = get_close_matches(unknown[0], names, n=1, cutoff=0.75)
            hint = f"did you mean `{similar[0]}`?" if similar else f"there are {', '.join(names)}"
            raise ValueError(f"there is no argument `{unknown[0]}`; {hint}")
        return arguments

    namespace = {"__module__": __name__, "check_names": model_validator(mode="before")(check_names)}
    strict_model = new_class(arg_model.__name__, (arg_model,), {"extra": "forbid"}, lambda body: body.update(namespace))
    tool.fn_metadata.arg_model = strict_model
    tool.parameters = strict_model.model_json_schema(by_alias=True)


def _make_tool_function(
    function: Callable[..., dict[str, Any]], make_answer: Callable[[dict[str, Any]], Any], tool_error: type[Exception]
) -> Callable[..., Any]:
    """The function with its answer as the protocol has it, and with errors that an agent can act on; others are internal."""

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return make_answer(function(*arguments, **options))
        except (ConfigError, RunNotFound, StoreError, KeyError, FileNotFoundError) as error:
            message = error.args[0] if isinstance(error, KeyError) and error.args else str(error)
            raise tool_error(str(message)) from error

    return call


def _require_field(stored: Run, field: str) -> StoredComparisons:
    """The comparisons of a field; KeyError with the most similar path if there is none."""
    comparisons = stored.comparisons(field=field)
    if len(comparisons):
        return comparisons
    paths = comparisons.list_paths()
    similar = nearest(field, paths)
    hint = f"did you mean `{similar}`?" if similar else f"there are {', '.join(paths[:8]) or 'none: its evaluators compare no fields'}"
    raise KeyError(f"run {stored.id} compared nothing at `{field}`; {hint}")


def _require_cause(stored: Run, cause: str) -> str:
    """The name of a cause that is given by its name or its label.

    KeyError, with the most similar name or label, for a cause that does not exist and that no mismatch of the run has.
    """
    name, names = find_cause_name(cause), CAUSES.names()
    if name in names:
        return name
    for stored_name in (cause, name):  # of a plug-in that is not installed any more
        if len(stored.mismatches(cause=stored_name)):
            return stored_name
    similar = nearest(cause, [*names, *(spec.label for spec in CAUSES.all())])
    hint = f"did you mean `{similar}`?" if similar else f"there are {', '.join(names)}"
    raise KeyError(f"there is no cause `{cause}`; {hint}")


def _explain_case(stored: Run, case: str, field: str | None) -> dict[str, Any]:
    """Feedback of each evaluator on a case, or its comparisons of one field."""
    explained: dict[str, Any] = {}
    for result in stored.results(case=case):
        if field is None:
            explained[result.evaluator] = feedback(result)
        else:
            chosen = [comparison for comparison in result.comparisons if field in (comparison.path, comparison.field)]
            explained[result.evaluator] = [comparison.to_json() for comparison in chosen]
    if field is not None and not any(explained.values()):
        _require_field(stored, field)
        raise KeyError(f"nothing was compared at `{field}` in the case `{case}`")
    return explained


def serve(root: str | Path | None = None) -> None:
    """Serve over standard input and output until the client disconnects."""
    build_server(None if root is None else str(root)).run("stdio")
