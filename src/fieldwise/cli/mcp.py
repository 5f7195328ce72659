"""`fieldwise mcp`: an MCP server for agents."""

import click

from fieldwise.cli._options import program_of, root_option


@click.command
@root_option
@click.pass_context
def mcp(context: click.Context, root: str | None) -> None:
    """Serve check, run, explain, compare and mismatches as tools of the Model Context Protocol, over standard input and output.

    A client starts it as `fieldwise mcp`. Suites may run programs (code_judge) with the permissions of the user who starts it.
    """
    from fieldwise.mcp import serve
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    try:
        serve(program_of(context, root).root)
    except ImportError as error:
        what, fix = f"the MCP server needs a package that is not installed: {error.name}", "pip install 'fieldwise[mcp]'"
        raise ConfigError([Diagnostic(code="missing-package", what=what, fix=fix)]) from error
