"""`fieldwise view`: serve the pages and the HTTP API."""

import gc
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldwise.cli._options import PATH, WholeNumber, program_of, root_option

if TYPE_CHECKING:
    from fieldwise.web.guard import Guard

API_KEY_VARIABLE = "FIELDWISE_API_KEY"
_SERVER_GC_THRESHOLD = 10_000
_PACKAGES = ("fastapi", "uvicorn", "jinja2", "python_multipart", "pygal")


@click.command
@click.option("--host", default="127.0.0.1", help="The address to listen on. An address other than loopback requires an API key.")
@click.option("--port", type=WholeNumber(min=1, max=65535), default=8787, help="The port to listen on.")
@click.option("--data", metavar="FOLDER", type=PATH, help="Allow the API to evaluate files in this folder.")
@click.option("--images", metavar="FOLDER", type=PATH, help="A folder with images of cases, in addition to the folder of the suite.")
@click.option(
    "--allow-host", "host_names", metavar="NAME", multiple=True, help="An additional host name that requests may use. Repeatable."
)
@click.option("--no-token", is_flag=True, help="Serve every user of this machine without a token.")
@click.option("--open", "open_browser", is_flag=True, help="Open the pages in a browser.")
@root_option
@click.pass_context
def view(
    context: click.Context,
    host: str,
    port: int,
    data: Path | None,
    images: Path | None,
    host_names: tuple[str, ...],
    no_token: bool,
    open_browser: bool,
    root: str | None,
) -> None:
    """Serve the pages and the HTTP API for the stored runs.

    The API key is read from FIELDWISE_API_KEY, because other users can read the command line.
    """
    import secrets

    _require_packages()
    from fieldwise.model.locations import resolve_root
    from fieldwise.web.app import create_app
    from fieldwise.web.render import warm_up
    from fieldwise.web.settings import Settings

    token = None if no_token else secrets.token_urlsafe(24)
    app = create_app(
        Settings(
            root=resolve_root(program_of(context, root).root),
            host=host,
            port=port,
            data=data,
            images=images,
            token=token,
            api_key=os.environ.get(API_KEY_VARIABLE) or None,
            names=tuple(name.lower() for name in host_names),
        )
    )
    url_host = f"[{host}]" if ":" in host else host
    address = f"http://{url_host}:{port}/" + (f"?token={token}" if token else "")
    with _bind_socket(host, port) as listener:
        warm_up()  # before the address is printed: in a thread it would slow down the first request
        click.echo(f"{address}\nOpen this address in a browser; Ctrl-C stops the server.")
        if open_browser:
            click.launch(address)
        _serve(app, listener)


def _require_packages() -> None:
    """Raise ConfigError if a package that the pages need is not installed."""
    from importlib.util import find_spec

    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        what = f"the pages need {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not installed"
        raise ConfigError([Diagnostic(code="not-installed", what=what, fix="pip install 'fieldwise[web]'")])


def _serve(app: "Guard", listener: socket.socket) -> None:
    import uvicorn

    options: dict[str, Any] = {"log_level": "warning", "proxy_headers": False, "server_header": False, "timeout_graceful_shutdown": 2}
    gc.freeze()  # what was imported stays; the garbage of requests is collected as in any long-lived process
    gc.set_threshold(_SERVER_GC_THRESHOLD)
    uvicorn.Server(uvicorn.Config(app, **options)).run(sockets=[listener])


def _bind_socket(host: str, port: int) -> socket.socket:
    """Bind the socket to listen on; ConfigError if the address is not available."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic

    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # asyncio disables Nagle's algorithm only on sockets whose protocol is IPPROTO_TCP, not 0
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        what, fix = f"cannot listen on {host} port {port}: {error.strerror or error}", "choose another port with --port"
        raise ConfigError([Diagnostic(code="cannot-listen", what=what, fix=fix)]) from error
    return listener
