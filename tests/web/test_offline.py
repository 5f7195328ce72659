"""What strangers send makes the server ask nobody."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from fieldwise.web.configuration import Configuration
from fieldwise.web.evaluation import evaluate_case, evaluators_from_request, run_cases


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch):
    """A server on loopback that notes whoever asks it, and a secret in the environment that must not get there."""
    monkeypatch.setenv("SECRET_OF_THE_SERVER", "do-not-send")
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(str(self.headers))
            self.send_response(500)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1", asked
    server.shutdown()


@pytest.mark.parametrize("match", [{"match": "fuzzy", "algorithm": "llm"}, {"match": "semantic", "by": "llm"}])
def test_a_match_that_asks_a_model_is_unavailable_and_sends_nothing(listener, match: dict, tmp_path) -> None:
    url, asked = listener
    rule = {"path": "a", **match, "model": {"url": url, "name": "m", "key_env": "SECRET_OF_THE_SERVER"}}
    evaluators = evaluators_from_request({"evaluators": [{"type": "field_accuracy", "fields": [rule]}]}, Configuration())
    case = {"id": "1", "expected": {"a": "one"}, "actual": {"a": "two"}}
    assert evaluate_case(case, evaluators)[0]["status"] == "unavailable"
    assert run_cases([case], evaluators, "strangers", tmp_path).exit_code != 0
    assert asked == []
