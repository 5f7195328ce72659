"""A model server on loopback that says what a test tells it to say."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Say:
    """What the server answers to one request."""

    content: str = '{"reasoning": "fine", "hits": ["a"], "misses": [], "score": 1}'
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    raw: bytes | None = None
    """The whole body, instead of a chat completion."""
    delay: float = 0.0
    tokens: tuple[int, int] | None = (100, 20)
    finish: str = "stop"

    def body(self) -> bytes:
        if self.raw is not None:
            return self.raw
        if self.status != 200:
            return json.dumps({"error": {"message": self.content}}).encode()
        choice = {"index": 0, "message": {"role": "assistant", "content": self.content}, "finish_reason": self.finish}
        usage = {"usage": {"prompt_tokens": self.tokens[0], "completion_tokens": self.tokens[1]}} if self.tokens else {}
        return json.dumps({"object": "chat.completion", "choices": [choice], **usage}).encode()


@dataclass(slots=True)
class ModelServer:
    """What was asked, when, and what was said."""

    say: Callable[[dict[str, Any]], Say]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    paths: list[str] = field(default_factory=list[str])
    said: list[tuple[float, str, Say]] = field(default_factory=list[tuple[float, str, Say]])
    """When a request came, the last message of it, and what was said to it."""
    at_once: int = 0
    most_at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    closing: threading.Event = field(default_factory=threading.Event)

    def answered(self) -> list[str]:
        """The last message of every request that got a chat completion."""
        return [asked for _, asked, say in self.said if say.status == 200 and say.raw is None]


@contextmanager
def model_server(say: Callable[[dict[str, Any]], Say] | Say | None = None) -> Iterator[ModelServer]:
    given = say if callable(say) else lambda _: say or Say()
    server = ModelServer(given)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            now = time.monotonic()
            with server.lock:
                server.at_once += 1
                server.most_at_once = max(server.most_at_once, server.at_once)
                say = server.say(body)
                server.requests.append(body)
                server.headers.append({name.lower(): value for name, value in self.headers.items()})
                server.paths.append(self.path)
            if say.delay:
                server.closing.wait(say.delay)
            with server.lock:
                server.at_once -= 1
            self.reply(say)
            with server.lock:
                server.said.append((now, body["messages"][-1]["content"], say))

        def reply(self, say: Say) -> None:
            data = say.body()
            head = "".join(f"{name}: {value}\r\n" for name, value in {"Content-Length": str(len(data)), **say.headers}.items())
            try:
                self.wfile.write(f"HTTP/1.1 {say.status} said\r\n{head}\r\n".encode() + data)
            except OSError:  # the other side did not wait
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 256
        daemon_threads = True
        block_on_close = False

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass

    http = Server(("127.0.0.1", 0), Handler)
    server.url = f"http://127.0.0.1:{http.server_port}/v1"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        http.shutdown()
        http.server_close()
