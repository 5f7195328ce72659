"""Judges per second: a model that takes 200 ms at 64 requests at a time, the same answers from the cache, and programs as judges.

    python benchmarks/judges.py [cases]

The server runs in a process of its own, and what it takes is told at the end. The ceiling of the first number is 64 / 0.2 s = 320 per
second. 64 cases go ahead, so that nobody pays for imports and connections; of three runs each, the best counts. The floor, in the same
run, is plain asyncio that writes as many bytes and takes what comes: on a busy machine it does not reach the ceiling either.
"""

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import fieldwise as fw
from fieldwise.ask.asker import open_asker
from fieldwise.model.ask import Asking, Chat, Endpoint, Message

CONCURRENCY, DELAY = 64, 0.2
CONTENT = json.dumps({"reasoning": "fine", "hits": ["a"], "misses": [], "score": 1})
REPLY = json.dumps(
    {
        "choices": [{"message": {"role": "assistant", "content": CONTENT}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20},
    }
).encode()
JUDGE = "import json, sys\nfor line in sys.stdin: json.loads(line); print('{\"score\": 1}', flush=True)"


async def serve() -> None:
    """The stub: reads a request, waits, says the same every time."""

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
                await asyncio.sleep(DELAY)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(REPLY) + REPLY)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def suite(folder: Path, cases: int, evaluator: dict[str, Any]) -> dict[str, Any]:
    """A suite of so many cases for one judge."""
    lines = (json.dumps({"id": str(n), "input": f"question {n}", "expected": "a", "actual": f"answer {n}"}) for n in range(cases))
    (folder / "cases.jsonl").write_text("\n".join(lines))
    return {"cases": str(folder / "cases.jsonl"), "evaluators": [evaluator]}


async def floor(port: int, cases: int) -> None:
    """As many requests of the same size, by hand: nothing is built, read, checked or kept."""
    body = b"x" * 1500
    request = b"POST /v1/chat/completions HTTP/1.1\r\nHost: stub\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(cases // CONCURRENCY):
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
        writer.close()

    await asyncio.gather(*(client() for _ in range(CONCURRENCY)))


def measured_floor(port: int, cases: int) -> None:
    """Run the floor, and print requests per second."""
    cases -= cases % CONCURRENCY
    started, worked = time.perf_counter(), time.process_time()
    asyncio.run(floor(port, cases))
    seconds, worked = time.perf_counter() - started, time.process_time() - worked
    print(f"{'floor: plain asyncio':<44} {cases / seconds:>9,.0f} cases/s {1e6 * worked / cases:>9,.0f} µs per request", flush=True)


def measured(title: str, cases: int, folder: Path, evaluator: dict[str, Any]) -> float:
    """Run it, and print cases per second."""
    config = suite(folder, cases, evaluator)
    started, worked = time.perf_counter(), time.process_time()
    run = fw.run(config, root=folder, chunk=cases)
    seconds, worked = time.perf_counter() - started, time.process_time() - worked
    [summary] = run.full.evaluators.values()
    assert summary.counts.scored == cases, summary.counts
    print(f"{title:<44} {cases / seconds:>9,.0f} cases/s {1e6 * worked / cases:>9,.0f} µs of our own work per case", flush=True)
    return cases / seconds


def questions(port: int, cases: int) -> None:
    """The asking alone, as a judge's questions are asked: built, sent, read, checked against a schema and committed to the cache."""
    endpoint = Endpoint(url=f"http://127.0.0.1:{port}/v1", name="stub", concurrency=CONCURRENCY)
    schema = {"type": "object", "properties": {"score": {"type": "number", "minimum": 0, "maximum": 1}}, "required": ["score"]}
    best = 0.0
    for attempt in range(3):
        asks = {
            n: (Chat(endpoint=endpoint, messages=(Message("user", f"{attempt} {n} " + "x" * 1200),), schema=schema),) for n in range(cases)
        }
        with tempfile.TemporaryDirectory() as folder, open_asker(Asking(root=folder)) as asker:
            good: list[bool] = []
            started, worked = time.perf_counter(), time.process_time()
            asker.answer(asks, lambda _, replies: good.append(replies[0].problem is None) or ())  # noqa: B023
            seconds, worked = time.perf_counter() - started, time.process_time() - worked
            assert good == [True] * cases
        best = max(best, cases / seconds)
        print(f"{'questions alone':<44} {cases / seconds:>9,.0f} cases/s {1e6 * worked / cases:>9,.0f} µs of our own work", flush=True)
    print(f"{'best':<44} {best:>9,.0f} cases/s\n", flush=True)


def thrice(title: str, cases: int, evaluator: dict[str, Any], *, asked_before: bool = False) -> None:
    """The same three times, each in a folder of its own, and the best of it."""
    found: list[float] = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            if asked_before:
                fw.run(suite(Path(folder), cases, evaluator), root=folder, chunk=cases)
            found.append(measured(title, cases, Path(folder), evaluator))
    print(f"{'best':<44} {max(found):>9,.0f} cases/s\n", flush=True)


def main(cases: int) -> None:
    """Everything, one after the other."""
    server = subprocess.Popen([sys.executable, __file__, "serve"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        url = f"http://127.0.0.1:{port}/v1"
        model = {"url": url, "name": "stub", "concurrency": CONCURRENCY}
        judge = {"type": "llm_judge", "prompt": "Is it right?", "model": model}
        program = {"type": "code_judge", "script": [sys.executable, "-c", JUDGE]}
        with tempfile.TemporaryDirectory() as folder:
            measured("the first 64, imports and connections", CONCURRENCY, Path(folder), judge)
        measured_floor(port, cases)
        questions(port, cases)
        thrice(f"llm_judge, {DELAY * 1000:.0f} ms, {CONCURRENCY} at a time", cases, judge)
        thrice("llm_judge, answers from the cache", cases, judge, asked_before=True)
    finally:
        server.kill()
        server.wait()
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"the server itself took {1e6 * (spent.ru_utime + spent.ru_stime) / (10 * cases + CONCURRENCY):,.0f} µs per request\n")
    thrice("code_judge, a process for each case", min(cases, 200), program)
    thrice("code_judge, one worker", cases, {**program, "process": {"workers": 1}})


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        asyncio.run(serve())
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
