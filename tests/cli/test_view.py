"""`fieldwise view`: what it prints, and what it refuses."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import httpx
from click.testing import CliRunner

from fieldwise.cli.app import app


def test_it_prints_an_address_with_a_token_that_opens_the_pages(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from fieldwise.cli import main; main()", "view", "--port", str(port)]
    server = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    try:
        address = server.stdout.readline().strip()
        assert re.fullmatch(rf"http://127\.0\.0\.1:{port}/\?token=[\w-]{{32}}", address)
        with httpx.Client(transport=httpx.HTTPTransport(retries=20), follow_redirects=True) as client:
            assert client.get(f"http://127.0.0.1:{port}/runs").status_code == 401
            assert "There are no runs yet" in client.get(address).text
    finally:
        server.terminate()
        server.wait(15)


def test_it_refuses_to_be_reached_from_elsewhere_without_a_key(monkeypatch: object, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["view", "--host", "0.0.0.0"], env={"FIELDWISE_API_KEY": ""})
    assert done.exit_code == 2
    assert "there is no API key" in " ".join(done.output.split())


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = CliRunner().invoke(app, ["view", "--port", str(taken.getsockname()[1])])
    assert done.exit_code == 2
    assert "choose another port with --port" in " ".join(done.output.split())
    assert "token=" not in done.output, "the address of a server that has stopped"
