"""Servers to test: one that is called in the same process, and one that a browser can reach, with a site to look around in."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from importlib.resources import as_file, files
from pathlib import Path
from shutil import copyfile, copytree
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

import fieldwise as fw
from fieldwise.store.run_names import add_tags
from fieldwise.web.app import create_app
from fieldwise.web.settings import RequestLimits, Settings

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
    """`make_client(limits=…, token=None)`: a client that sends the token."""

    def made(**changes: Any) -> TestClient:
        seen: dict[str, Any] = {"root": workspace / ".fieldwise", "workspace": workspace, "data": workspace / "data", "token": TOKEN}
        client = TestClient(create_app(Settings(**{**seen, **changes})), base_url="http://127.0.0.1:8787", raise_server_exceptions=False)
        client.headers["authorization"] = f"Bearer {TOKEN}"
        return client

    return made


@pytest.fixture
def client(make_client: Client) -> TestClient:
    """A server with the usual settings."""
    return make_client()


@pytest.fixture
def stranger(make_client: Client) -> TestClient:
    """The same server, without a token."""
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


SMALL = RequestLimits(body=20_000, seconds=5, workers=1, waiting=1)


HOSTILE = ["</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a\u202eb\u200bc\x00d\x1b[31m", "{{ 7 * 7 }}"]
CONTEXTS = [
    {
        "id": "manual-p2",
        "text": "The deductible in Ohio is 500 dollars. It applies once per policy year.\nGlass claims have no deductible.",
    },
    {"id": "rates-p9", "text": "Premiums are rounded to the nearest dollar. Territory 118 has a factor of 1.133."},
]


class Site:
    """A server and what is in it."""

    def __init__(self, address: str, folder: Path, runs: dict[str, str]) -> None:
        self.address = address
        self.folder = folder
        self.root = folder / ".fieldwise"
        self.runs = runs

    def pages(self) -> dict[str, str]:
        """Every kind of page, by a name."""
        first, hostile = self.runs["first"], self.runs["hostile"]
        return {
            "runs": "/runs",
            "run": f"/runs/{first}",
            "case": f"/runs/{first}/case?id=rheintal-0131",
            "compare": f"/compare?base={first}&new={self.runs['second']}",
            "configuration": "/configuration",
            "review": f"/review?run={first}",
            "long review": f"/review?run={self.runs['long']}&source=disagreements",
            "place": f"/runs/{self.runs['answers']}/case?id=q1&field=(root)",
            "test": "/test",
            "boxes": f"/runs/{self.runs['boxes']}/case?id=1",
            "answer": f"/runs/{self.runs['answers']}/case?id=q1",
            "moved": f"/runs/{self.runs['orders']}/case?id=order-000",
            "interrupted": f"/runs/{self.runs['stopped']}",
            "hostile": f"/runs/{hostile}",
            "long": f"/runs/{self.runs['long']}",
            "long case": f"/runs/{self.runs['long']}/case?" + urlencode({"id": LONG}),
            "api": "/api",
            "trend": "/runs?name=invoices&metric=fields.score",
            "not there": f"/runs/{first}/case?id=nobody",
            "hostile case": f"/runs/{hostile}/case?" + urlencode({"id": f"{HOSTILE[2]}2"}),
        }


@pytest.fixture(scope="module")
def site(serve: Callable[[Settings], str], tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A server with runs of every kind."""
    folder = tmp_path_factory.mktemp("site")
    root = folder / ".fieldwise"
    runs = {
        **_demo(folder),
        "answers": _answers(folder),
        "orders": _orders(folder),
        "stopped": _stopped(folder),
        "hostile": _hostile(folder),
        "long": _long(folder),
    }
    copytree(Path(__file__).parents[2] / "examples" / "detection", folder / "detection")
    runs["boxes"] = fw.run(folder / "detection" / "detection.eval.yaml", root=root).id
    add_tags(root / "runs" / runs["first"], ["release-1.2"])
    return Site(serve(Settings(root=root, workspace=folder, token=TOKEN, port=1)), folder, runs)


def _demo(folder: Path) -> dict[str, str]:
    """The demo, and the demo made worse."""
    with as_file(files("fieldwise") / "demo") as demo:
        for name in ("invoices.jsonl", "strategies.json", "invoices.eval.yaml"):
            copyfile(demo / name, folder / name)
    first = fw.run(folder / "invoices.eval.yaml", root=folder / ".fieldwise")
    rows = [json.loads(line) for line in (folder / "invoices.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rows:
        if isinstance(row.get("actual"), dict):
            row["actual"]["currency"] = "XXX"
    _lines(folder / "invoices.jsonl", rows)
    return {"first": first.id, "second": fw.run(folder / "invoices.eval.yaml", root=folder / ".fieldwise").id}


def _lines(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def _answers(folder: Path) -> str:
    answer = "The deductible in Ohio is 500 dollars. According to Acme Insurance, glass claims cost 250 dollars."
    cases = [{"id": "q1", "input": "What is the deductible?", "expected": "500 dollars", "actual": answer, "contexts": CONTEXTS}]
    suite = {
        "name": "answers",
        "cases": _lines(folder / "answers.jsonl", cases),
        "evaluators": [{"type": "grounding", "by": "words"}, {"type": "answer_quality"}],
    }
    return fw.run(suite, root=folder / ".fieldwise").id


def _orders(folder: Path) -> str:
    """More cases than a heatmap has columns, with items that moved."""
    lines = [{"sku": "a", "n": 1}, {"sku": "b", "n": 2}, {"sku": "c", "n": 3}]
    cases: list[dict[str, Any]] = [
        {
            "id": f"order-{n:03d}",
            "expected": {"lines": lines, "total": n},
            "actual": {"lines": lines[::-1], "total": n if n % 3 else -n - 1},
            "tags": ["odd" if n % 2 else "even"],
            "split": "test",
        }
        for n in range(130)
    ]
    fields = ["total", "lines[*].sku", "lines[*].n"]
    evaluator = {"type": "field_accuracy", "fields": fields, "lists": {"lines": {"align": "best"}}}
    return fw.run(
        {"name": "orders", "cases": _lines(folder / "orders.jsonl", cases), "evaluators": [evaluator]}, root=folder / ".fieldwise"
    ).id


def _stopped(folder: Path) -> str:
    """A run that was killed."""

    def stop(done: int, share: float | None) -> None:
        raise RuntimeError("stop here")

    (folder / "nightly.eval.yaml").write_text("name: nightly\ncases: orders.jsonl\nevaluators: [{type: field_prf}]\n")
    before = {path.name for path in (folder / ".fieldwise" / "runs").iterdir()}
    with pytest.raises(RuntimeError):
        fw.run(folder / "nightly.eval.yaml", root=folder / ".fieldwise", progress=stop)
    [made] = {path.name for path in (folder / ".fieldwise" / "runs").iterdir()} - before
    return made


def _hostile(folder: Path) -> str:
    cases = [
        {
            "id": f"{text}{n}",
            "input": text,
            "expected": {text: text, "k": "v"},
            "actual": {text: "x", "k": text},
            "contexts": [text],
            "tags": [text],
        }
        for n, text in enumerate(HOSTILE)
    ]
    suite = {"name": HOSTILE[0], "cases": _lines(folder / "hostile.jsonl", cases), "evaluators": [{"type": "field_prf"}]}
    return fw.run(suite, root=folder / ".fieldwise").id


LONG = "s3://documents/" + "a1b2c3d4e5f6" * 12 + "/scanned_invoice_page_0001_of_0012_rotated_v3_final.pdf"


def _long(folder: Path) -> str:
    """Names, ids and values that have no place to break."""
    field = "a_field_name_without_any_break_in_it_" * 3
    case = {"id": LONG, "expected": {field: "x" * 300}, "actual": {field: "y" * 300}, "tags": ["t" * 80]}
    evaluator = {"type": "field_prf", "name": "an_evaluator_with_a_long_name_" * 3}
    suite = {"name": "a_suite_with_a_long_name_" * 5, "cases": _lines(folder / "long.jsonl", [case]), "evaluators": [evaluator]}
    return fw.run(suite, root=folder / ".fieldwise").id


class Visitor:
    """A window, and everything it complained about or asked for."""

    def __init__(self, browser: Any, site: Site, width: int = 1280, scheme: str = "light") -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        self.site = site
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(f"{site.address}/?token={TOKEN}")

    def go(self, path: str) -> Any:
        """The page at this address."""
        self.page.goto(self.site.address + path)
        return self.page

    def foreign(self) -> list[str]:
        """What was asked of others."""
        return [url for url in self.requests if not url.startswith((self.site.address, "data:", "blob:"))]


@pytest.fixture
def visit(browser: Any, site: Site) -> Iterator[Callable[..., Visitor]]:
    """`visit(width=, scheme=)`. A visit fails if it ends with an error or a request to another host."""
    visitors: list[Visitor] = []

    def visiting(**options: Any) -> Visitor:
        visitors.append(Visitor(browser, site, **options))
        return visitors[-1]

    yield visiting
    for visitor in visitors:
        visitor.context.close()
        assert visitor.complaints == []
        assert visitor.foreign() == []
