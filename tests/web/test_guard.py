"""Who may ask for what: hosts, origins, tokens, sizes."""

import socket
import time
from typing import Any

import pytest
from starlette.testclient import TestClient

from fieldwise.model.diagnostic import ConfigError
from fieldwise.web.app import create_app
from fieldwise.web.guard import CONTENT_SECURITY_POLICY
from fieldwise.web.server import WorkerThreads
from fieldwise.web.settings import RequestLimits, Settings

TOKEN = "a-launch-token-for-tests"
KEY = "an-api-key-of-some-length"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8787",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "",
        "a@127.0.0.1",
        "127.0.0.1/x",
        "[::1",
        "169.254.169.254",
    ],
)
def test_a_name_that_was_made_to_point_here_is_refused(client: TestClient, host: str) -> None:
    answer = client.get("/api/v1/runs", headers={"host": host})
    assert answer.status_code in (400, 421)
    assert answer.json()["diagnostics"][0]["code"] in ("wrong-host", "bad-host")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8787", "localhost:8787", "LOCALHOST", "[::1]:8787", "127.0.0.2"])
def test_this_machine_goes_by_its_own_names(client: TestClient, host: str) -> None:
    assert client.get("/api/v1/runs", headers={"host": host}).status_code == 200


def test_headers_of_proxies_change_nothing(client: TestClient) -> None:
    tricks = {"x-forwarded-host": "127.0.0.1", "host": "evil.example", "x-forwarded-for": "127.0.0.1", "x-original-url": "/api/v1/health"}
    assert client.get("/api/v1/runs", headers=tricks).status_code == 421
    assert client.get("/api/v1/configuration", headers={"x-http-method-override": "PUT"}).status_code == 200


def test_two_hosts_are_one_too_many(client: TestClient) -> None:
    headers = [("host", "127.0.0.1"), ("host", "evil.example"), ("authorization", f"Bearer {TOKEN}")]
    del client.headers["authorization"]
    assert client.get("/api/v1/runs", headers=headers).status_code == 400


def test_without_a_token_only_health_answers(stranger: TestClient) -> None:
    assert stranger.get("/api/v1/health").json()["status"] == "ok"
    for address in ("/api/v1/runs", "/api/v1/openapi.json", "/api/v1/configuration", "/", "/runs"):
        answer = stranger.get(address)
        assert answer.status_code == 401, address
        assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("token", ["", "x", TOKEN[:-1], TOKEN + "x", "é", f"{TOKEN},{TOKEN}"])
def test_a_wrong_token_opens_nothing(stranger: TestClient, token: str) -> None:
    assert stranger.get("/api/v1/runs", headers={"authorization": f"Bearer {token}".encode()}).status_code == 401
    assert stranger.get("/api/v1/runs", params={"token": token}).status_code == 401
    assert stranger.get("/api/v1/runs", headers={"cookie": f"fieldwise_8787={token}".encode()}).status_code == 401


def test_the_launch_address_sets_a_cookie_and_leaves_the_address_bar(stranger: TestClient) -> None:
    answer = stranger.get("/runs", params={"token": TOKEN, "name": "x"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs?name=x")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert stranger.get("/api/v1/runs").status_code == 200


def test_the_launch_address_sends_nobody_elsewhere(stranger: TestClient) -> None:
    answer = stranger.get("//evil.example/x", params={"token": TOKEN}, follow_redirects=False)
    assert not answer.headers.get("location", "/").startswith("//")


def test_an_api_key_opens_what_the_token_opens(make_client: Any) -> None:
    client = make_client(api_key=KEY)
    del client.headers["authorization"]
    assert client.get("/api/v1/runs", headers={"x-api-key": KEY}).status_code == 200
    assert client.get("/api/v1/runs", headers={"authorization": f"Bearer {KEY}"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}, {"origin": "http://127.0.0.1:9999"}],
)
def test_other_sites_change_nothing_even_without_a_token(make_client: Any, headers: dict[str, str]) -> None:
    client = make_client(token=None)
    answer = client.put("/api/v1/configuration", json={"field_strategies": {"a": "EXACT"}}, headers=headers)
    assert (answer.status_code, answer.json()["diagnostics"][0]["code"]) == (403, "other-site")
    assert client.get("/api/v1/configuration").json()["files"] == []


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "PURGE"])
@pytest.mark.parametrize("path", ["/configuration", "/test", "/api/v1/configuration", "/api/v1/jobs/a", "/api/v1/runs/latest/tags/best"])
def test_every_method_but_the_safe_ones_is_refused_to_other_sites(client: TestClient, method: str, path: str) -> None:
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}):
        answer = client.request(method, path, headers=headers)
        assert (answer.status_code, answer.json()["diagnostics"][0]["code"]) == (403, "other-site")


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_links_from_other_sites_are_followed(client: TestClient, method: str) -> None:
    assert client.request(method, "/api/v1/runs", headers={"sec-fetch-site": "cross-site"}).status_code != 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "http://[::1"])
@pytest.mark.parametrize("path", ["/api/v1/runs", "/api/v1/configuration", "/api/v1/openapi.json"])
def test_the_api_is_not_read_from_another_origin(client: TestClient, path: str, origin: str) -> None:
    answer = client.get(path, headers={"origin": origin})
    assert (answer.status_code, answer.json()["diagnostics"][0]["code"]) == (403, "other-site")
    assert client.get(path, headers={"origin": "http://127.0.0.1:8787"}).status_code == 200


def test_a_form_of_another_kind_is_not_read_as_json(client: TestClient) -> None:
    answer = client.post("/api/v1/evaluate", content='{"expected": {}}', headers={"content-type": "text/plain"})
    assert answer.status_code == 422


def test_a_request_that_is_too_large_is_refused_with_its_limit(make_client: Any) -> None:
    client = make_client(limits=RequestLimits(body=1000))
    answer = client.post("/api/v1/evaluate", json={"expected": "x" * 2000})
    assert (answer.status_code, answer.json()["diagnostics"][0]["what"]) == (413, "a request may have 1,000 bytes")

    def endless() -> Any:
        for _ in range(100):
            yield b" " * 1000

    unsaid = client.post("/api/v1/evaluate", content=endless(), headers={"content-type": "application/json"})
    assert unsaid.status_code == 413


def test_a_hundred_megabytes_are_refused_by_a_server_that_goes_on(serve: Any, tmp_path: Any) -> None:
    import httpx

    address = serve(Settings(root=tmp_path, workspace=tmp_path, token=TOKEN))
    with httpx.Client(base_url=address, headers={"authorization": f"Bearer {TOKEN}"}, timeout=60) as client:
        for content in (b"x" * 100_000_000, (b"x" * 1_000_000 for _ in range(100))):
            answer = client.post("/api/v1/evaluate", content=content, headers={"content-type": "application/json"})
            assert (answer.status_code, answer.json()["diagnostics"][0]["code"]) == (413, "too-large")
        assert client.get("/api/v1/health").json()["status"] == "ok"


@pytest.mark.parametrize("length", ["-1", "1e3", "abc", "٣"])
def test_a_length_that_is_no_number_is_refused(client: TestClient, length: str) -> None:
    answer = client.post("/api/v1/evaluate", content=b"{}", headers={"content-length": length.encode()})
    assert (answer.status_code, answer.json()["diagnostics"][0]["code"]) == (400, "bad-length")


def test_every_answer_carries_a_strict_policy(client: TestClient) -> None:
    for address in ("/api/v1/health", "/api/v1/nothing", "/static/app.css", "/"):
        headers = client.get(address).headers
        assert headers["content-security-policy"] == CONTENT_SECURITY_POLICY
        assert headers["x-content-type-options"] == "nosniff"
    assert "unsafe-eval" not in CONTENT_SECURITY_POLICY
    assert "script-src 'self';" in CONTENT_SECURITY_POLICY


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd", "/static/vendor/..\\..\\app.py"]
)
def test_static_files_are_only_those(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "create_app" not in answer.text


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "example.org"])
def test_a_server_for_others_needs_a_key_and_a_token(host: str) -> None:
    with pytest.raises(ConfigError) as actual:
        create_app(Settings(host=host))
    assert [entry.code for entry in actual.value.diagnostics] == ["no-key", "no-token"]
    assert create_app(Settings(host=host, api_key=KEY, token=TOKEN))


@pytest.mark.parametrize(("host", "is_accepted"), [("192.0.2.7", True), ("[2001:db8::1]:80", True), ("example.org", False)])
def test_a_server_for_others_answers_under_any_address_but_not_under_any_name(host: str, is_accepted: bool) -> None:
    client = TestClient(create_app(Settings(host="0.0.0.0", api_key=KEY, token=TOKEN)))
    assert (client.get("/", headers={"host": host}).status_code != 421) is is_accepted


def test_a_key_that_can_be_guessed_is_refused() -> None:
    with pytest.raises(ConfigError, match="fewer than 16"):
        create_app(Settings(api_key="secret"))


async def _busy() -> tuple[int, int]:
    import asyncio

    from fieldwise.web.problems import RequestProblem

    work = WorkerThreads(RequestLimits(workers=1, waiting=0, seconds=0.05))
    statuses: list[int] = []
    for _ in range(2):
        try:
            await work.run(time.sleep, 0.3)
        except RequestProblem as error:
            statuses.append(error.status_code)
            statuses.append({"too-long": 1, "busy": 2}[error.diagnostics[0].code])
    await asyncio.sleep(0.4)
    assert await work.run(lambda: 7) == 7
    work.close()
    return statuses[1], statuses[3]


def test_work_that_takes_too_long_is_given_up_and_keeps_its_place_until_it_ends() -> None:
    import asyncio

    assert asyncio.run(_busy()) == (1, 2)


@pytest.mark.parametrize(("token", "length", "status"), [(None, 10_000_000, b"401"), (TOKEN, 10_000_000_000, b"413"), ("wrong", 1, b"401")])
def test_a_refused_request_that_announces_a_body_and_sends_none_is_answered_at_once(
    serve: Any, tmp_path: Any, token: str | None, length: int, status: bytes
) -> None:
    address = serve(Settings(root=tmp_path, workspace=tmp_path, token=TOKEN)).removeprefix("http://")
    host, port = address.split(":")
    credentials = f"Authorization: Bearer {token}\r\n" if token else ""
    head = f"POST /api/v1/evaluate HTTP/1.1\r\nHost: {address}\r\n{credentials}Content-Length: {length}\r\n\r\n"
    started = time.monotonic()
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(head.encode())
        answer = b""
        while b"diagnostics" not in answer:
            answer += connection.recv(65536)
    assert answer.split(b" ")[1] == status
    assert time.monotonic() - started < 1


def test_clients_that_never_end_their_headers_do_not_keep_the_others_out(serve: Any, tmp_path: Any) -> None:
    import httpx

    address = serve(Settings(root=tmp_path, workspace=tmp_path, token=TOKEN))
    host, port = address.removeprefix("http://").split(":")
    connections = [socket.create_connection((host, int(port)), timeout=10) for _ in range(200)]
    for connection in connections:
        connection.sendall(b"POST /api/v1/evaluate HTTP/1.1\r\nHost: x\r\nX-Slow: ")
    time.sleep(2)
    for connection in connections:
        connection.sendall(b"a")
    started = time.monotonic()
    assert httpx.get(f"{address}/api/v1/health", timeout=10).status_code == 200
    assert time.monotonic() - started < 5
    for connection in connections:
        connection.close()
