"""`fieldwise view`: the pages and the HTTP API."""

import os
import socket
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

KEY = "FIELDWISE_API_KEY"


def view(
    host: Annotated[str, typer.Option(help="The address to listen on. Others than this machine's need an API key.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8787,
    data: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FOLDER", help="Let the API evaluate files below this folder."),
    ] = None,
    images: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FOLDER", help="Look for images of cases below this folder, beside the folder of their suite."),
    ] = None,
    allow_host: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(metavar="NAME", help="A further name under which the server may be addressed. May be given again."),
    ] = None,
    no_token: Annotated[bool, typer.Option("--no-token", help="Let in everybody on this machine.")] = False,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the pages in a browser.")] = False,
) -> None:
    """Serve the pages and the HTTP API for the runs in this folder.

    An API key for use beyond this machine is taken from FIELDWISE_API_KEY: on the command line, others could read it.
    """
    import secrets

    _needed()
    from fieldwise.model.roots import chosen_root
    from fieldwise.web.app import create_app
    from fieldwise.web.settings import Settings

    token = None if no_token else secrets.token_urlsafe(24)
    names = tuple(name.lower() for name in allow_host or ())
    key = os.environ.get(KEY) or None
    settings = Settings(root=chosen_root(), host=host, port=port, data=data, images=images, token=token, api_key=key, names=names)
    app = create_app(settings)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/" + (f"?token={token}" if token else "")
    with _bound(host, port) as bound:
        typer.echo(f"{address}\nOpen this address in a browser; Ctrl-C stops the server.")
        if open_browser:
            typer.launch(address)
        _serve(app, bound)


def _needed() -> None:
    """ConfigError if the packages that the pages need are not there."""
    from importlib.util import find_spec

    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    missing = [name for name in ("fastapi", "uvicorn", "jinja2", "python_multipart", "pygal") if find_spec(name) is None]
    if missing:
        what = f"the pages need {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not installed"
        raise ConfigError([Diagnostic(code="not-installed", what=what, fix="pip install 'fieldwise[web]'")])


def _serve(app: Any, bound: socket.socket) -> None:
    import uvicorn

    options: dict[str, Any] = {"log_level": "warning", "proxy_headers": False, "server_header": False, "timeout_graceful_shutdown": 2}
    uvicorn.Server(uvicorn.Config(app, **options)).run(sockets=[bound])


def _bound(host: str, port: int) -> socket.socket:
    """The socket to listen on; ConfigError if it cannot be had."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, so that answers are sent at once and not gathered
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
    except OSError as error:
        what, fix = f"cannot listen on {host} port {port}: {error.strerror or error}", "choose another with --port"
        raise ConfigError([Diagnostic(code="cannot-listen", what=what, fix=fix)]) from error
    return found
