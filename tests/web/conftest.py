"""Servers to test: one that is called in the same process, and one that a browser can reach."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from fieldwise.web.app import create_app
from fieldwise.web.settings import Limits, Settings

TOKEN = "a-launch-token-for-tests"
EXPECTED = {
    "name": "John Smith",
    "email": "john@example.com",
    "bio": "Senior engineer with 10 years of experience...",
    "internal_id": None,
    "status": "active",
}
ACTUAL = {
    "name": "John Smyth",
    "email": "john@example.com",
    "bio": "Experienced senior engineer, 10+ years...",
    "internal_id": "abc123",
    "extra_field": "surprise",
}


@pytest.fixture
def walkthrough() -> dict[str, Any]:
    """The worked example of the response quality plan."""
    return {"expected": EXPECTED, "actual": ACTUAL}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with a folder of data in it."""
    (tmp_path / "data").mkdir()
    cases = [{"id": f"c-{number}", "expected": {"a": number, "b": "x"}, "actual": {"a": number % 3, "b": "x"}} for number in range(6)]
    (tmp_path / "data" / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    return tmp_path


Client = Callable[..., TestClient]


@pytest.fixture
def make_client(workspace: Path) -> Client:
    """`make_client(limits=…, token=None)`: whoever asks for it has the token already."""

    def made(**changes: Any) -> TestClient:
        known: dict[str, Any] = {"root": workspace / ".fieldwise", "workspace": workspace, "data": workspace / "data", "token": TOKEN}
        client = TestClient(create_app(Settings(**{**known, **changes})), base_url="http://127.0.0.1:8787", raise_server_exceptions=False)
        client.headers["authorization"] = f"Bearer {TOKEN}"
        return client

    return made


@pytest.fixture
def client(make_client: Client) -> TestClient:
    """A server with the usual settings."""
    return make_client()


@pytest.fixture
def stranger(make_client: Client) -> TestClient:
    """The same server for somebody without a token."""
    client = make_client()
    del client.headers["authorization"]
    return client


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[[Settings], str]]:
    """`serve(settings)` starts a server that a browser can reach, and gives its address."""
    import uvicorn

    started: list[tuple[Any, threading.Thread]] = []

    def serving(settings: Settings) -> str:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = uvicorn.Server(uvicorn.Config(create_app(settings), host="127.0.0.1", port=port, log_level="error", proxy_headers=False))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        started.append((server, thread))
        while not server.started:
            time.sleep(0.02)
        return f"http://127.0.0.1:{port}"

    yield serving
    for server, thread in started:
        server.should_exit = True
        thread.join(10)


SMALL = Limits(body=20_000, seconds=5, workers=1, waiting=1)
