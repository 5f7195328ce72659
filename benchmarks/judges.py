"""Judged cases per second: a model with a latency of 200 ms and 64 concurrent requests, the same answers from the cache, and code judges.

    python benchmarks/judges.py [CASES]

The model is a stub server in its own process; its CPU time is printed at the end. The limit of the first rate is 64 / 0.2 s = 320 per
second. A first run of 64 cases is printed separately, because it includes imports and connecting. Each measurement is made three times, and
the best counts. The floor, in the same run, is plain asyncio that sends as many bytes and discards the responses: on a busy machine it does
not reach the limit either.
"""

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fieldwise as fw
from fieldwise.ask.asker import open_asker
from fieldwise.model.ask import Asking, Chat, Endpoint, Message, Reply

CONCURRENCY = 64
LATENCY = 0.2
"""Seconds before the stub server responds."""
REPEATS = 3
CONTENT = json.dumps({"reasoning": "fine", "hits": ["a"], "misses": [], "score": 1})
RESPONSE = json.dumps(
    {
        "choices": [{"message": {"role": "assistant", "content": CONTENT}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20},
    }
).encode()
SCHEMA = {"type": "object", "properties": {"score": {"type": "number", "minimum": 0, "maximum": 1}}, "required": ["score"]}
CODE_JUDGE = "import json, sys\nfor line in sys.stdin: json.loads(line); print('{\"score\": 1}', flush=True)"


async def read_http_message(reader: asyncio.StreamReader) -> None:
    """Read one request or response and discard it."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))


async def serve_stub() -> None:
    """Respond to every request with the same answer after `LATENCY`; print the port first."""

    async def handle_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await read_http_message(reader)
                await asyncio.sleep(LATENCY)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(RESPONSE) + RESPONSE)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(handle_connection, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def write_suite(folder: Path, cases: int, evaluator: dict[str, Any]) -> dict[str, Any]:
    """Write this many cases, and return a suite that scores them with one evaluator."""
    file = folder / "cases.jsonl"
    with file.open("w") as output:
        for number in range(cases):
            case = {"id": str(number), "input": f"question {number}", "expected": "a", "actual": f"answer {number}"}
            output.write(json.dumps(case) + "\n")
    return {"cases": str(file), "evaluators": [evaluator]}


def print_rate(title: str, cases: int, seconds: float, cpu: float) -> None:
    """Print cases per second, and the CPU time that this process took for each."""
    print(f"{title:<44} {cases / seconds:>9,.0f} cases/s {1e6 * cpu / cases:>9,.0f} µs of CPU per case", flush=True)


def print_best_rate(rates: Sequence[float]) -> None:
    print(f"{'best':<44} {max(rates):>9,.0f} cases/s\n", flush=True)


async def send_plain_requests(port: int, cases: int) -> None:
    """Send requests of the size of a judge's, and discard the responses."""
    body = b"x" * 1500
    request = b"POST /v1/chat/completions HTTP/1.1\r\nHost: stub\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    async def send_share() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(cases // CONCURRENCY):
            writer.write(request)
            await read_http_message(reader)
        writer.close()

    await asyncio.gather(*(send_share() for _ in range(CONCURRENCY)))


def measure_floor(port: int, cases: int) -> None:
    """Send plain requests, and print their rate."""
    cases -= cases % CONCURRENCY
    started, cpu_before = time.perf_counter(), time.process_time()
    asyncio.run(send_plain_requests(port, cases))
    print_rate("floor: plain asyncio", cases, time.perf_counter() - started, time.process_time() - cpu_before)


def measure_run(title: str, cases: int, folder: Path, evaluator: dict[str, Any]) -> float:
    """Run a suite, and print and return cases per second."""
    suite = write_suite(folder, cases, evaluator)
    started, cpu_before = time.perf_counter(), time.process_time()
    run = fw.run(suite, root=folder, chunk=cases)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu_before
    [summary] = run.full.evaluators.values()
    assert summary.counts.scored == cases, summary.counts
    print_rate(title, cases, seconds, cpu)
    return cases / seconds


def measure_runs(title: str, cases: int, evaluator: dict[str, Any], *, with_cache: bool = False) -> None:
    """Run a suite several times, each in its own folder, and print the best rate. `with_cache` fills the cache of answers before."""
    rates: list[float] = []
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory() as folder:
            if with_cache:
                fw.run(write_suite(Path(folder), cases, evaluator), root=folder, chunk=cases)
            rates.append(measure_run(title, cases, Path(folder), evaluator))
    print_best_rate(rates)


def measure_requests(port: int, cases: int) -> None:
    """Send the requests of a judge without a run: built, sent, read, validated against a schema, and written to the cache."""
    endpoint = Endpoint(url=f"http://127.0.0.1:{port}/v1", name="stub", concurrency=CONCURRENCY)
    rates = [measure_requests_once(endpoint, cases, attempt) for attempt in range(REPEATS)]
    print_best_rate(rates)


def measure_requests_once(endpoint: Endpoint, cases: int, attempt: int) -> float:
    """Send one request per case, and print and return cases per second."""
    requests: dict[int, tuple[Chat]] = {}
    for number in range(cases):
        message = Message("user", f"{attempt} {number} " + "x" * 1200)
        requests[number] = (Chat(endpoint=endpoint, messages=(message,), schema=SCHEMA),)
    is_valid: list[bool] = []

    def record_replies(_: int, replies: Sequence[Reply]) -> tuple[()]:
        is_valid.append(replies[0].problem is None)
        return ()

    with tempfile.TemporaryDirectory() as folder, open_asker(Asking(root=folder)) as asker:
        started, cpu_before = time.perf_counter(), time.process_time()
        asker.answer(requests, record_replies)
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu_before
    assert is_valid == [True] * cases
    print_rate("requests without a run", cases, seconds, cpu)
    return cases / seconds


def main(cases: int) -> None:
    """Measure the model judge and its floor, then code judges."""
    server = subprocess.Popen([sys.executable, __file__, "serve"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        model = {"url": f"http://127.0.0.1:{port}/v1", "name": "stub", "concurrency": CONCURRENCY}
        llm_judge = {"type": "llm_judge", "prompt": "Is it right?", "model": model}
        with tempfile.TemporaryDirectory() as folder:
            measure_run("first 64 cases, with imports and connecting", CONCURRENCY, Path(folder), llm_judge)
        measure_floor(port, cases)
        measure_requests(port, cases)
        measure_runs(f"llm_judge, {LATENCY * 1000:.0f} ms, {CONCURRENCY} concurrent requests", cases, llm_judge)
        measure_runs("llm_judge, answers from the cache", cases, llm_judge, with_cache=True)
    finally:
        server.kill()
        server.wait()
    # One request per case: by the floor, and in every repeat by the requests without a run, the runs, and the runs that fill the cache.
    requests = CONCURRENCY + cases + 3 * REPEATS * cases
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"CPU time of the server: {1e6 * (usage.ru_utime + usage.ru_stime) / requests:,.0f} µs per request\n")
    code_judge = {"type": "code_judge", "script": [sys.executable, "-c", CODE_JUDGE]}
    measure_runs("code_judge, one process per case", min(cases, 200), code_judge)
    measure_runs("code_judge, one worker", cases, {**code_judge, "process": {"workers": 1}})


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        asyncio.run(serve_stub())
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
