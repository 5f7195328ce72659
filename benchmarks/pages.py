"""How long the pages and the API of a large run take, from a server that has nothing in memory and from one that has.

    python benchmarks/pages.py [cases] [--users 4] [--crowd 20] [--seconds 60]

Makes two runs of that many cases with twenty fields each, starts `fieldwise view` as a process of its own, and asks it over HTTP. Prints,
for each address, the first answer of a fresh server (wall milliseconds, and CPU milliseconds of the server), and the median and the 95th
percentile while `users` ask at the same time, each for another address in turn. Then `crowd` users ask for `seconds`; every answer must
be 200. Wall time is what people wait, on whatever else the machine is doing; CPU time is what a page costs.
"""

import argparse
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import fieldwise as fw

FIELDS = [f"field_{number:02d}" for number in range(20)]
TICKS = os.sysconf("SC_CLK_TCK")


def cases(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Records of twenty fields; about one field in forty is wrong."""
    chance = random.Random(seed)
    for number in range(count):
        expected = {field: f"{field} {number}" for field in FIELDS}
        actual = {field: (value + "x" if chance.random() < 0.025 else value) for field, value in expected.items()}
        yield {"id": f"case-{number:07d}", "expected": expected, "actual": actual, "tags": [f"tag{number % 8}"]}


def stored(folder: Path, count: int, seed: int) -> str:
    """The id of a run over so many cases."""
    path = folder / "cases.jsonl"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(case) + "\n" for case in cases(count, seed))
    suite = {"name": "large", "evaluators": [{"type": "field_accuracy", "fields": FIELDS}]}
    return fw.run(suite, cases=str(path), root=folder / ".fieldwise").id


class Server:
    """A server in a process of its own."""

    def __init__(self, folder: Path, port: int, cases: int) -> None:
        self.port, self.cases = port, cases
        command = [sys.executable, "-m", "fieldwise", "view", "--no-token", "--port", str(port)]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                self.ask("/api/v1/health")
            except OSError:
                time.sleep(0.1)
            else:
                return

    def ask(self, address: str, connection: HTTPConnection | None = None) -> float:
        """Seconds until the whole answer is there, which must be 200. `{n}` in an address is another number each time."""
        address = address.format(n=random.randrange(self.cases)) if "{n" in address else address
        opened = connection or HTTPConnection("127.0.0.1", self.port, timeout=120)
        started = time.perf_counter()
        opened.request("GET", address)
        answer = opened.getresponse()
        body = answer.read()
        took = time.perf_counter() - started
        if connection is None:
            opened.close()
        if answer.status != 200:
            raise RuntimeError(f"{address}: {answer.status} {body[:300]!r}")
        return took

    def cpu(self) -> float:
        """CPU seconds that the server has used."""
        fields = re.sub(r"^.*\) ", "", Path(f"/proc/{self.process.pid}/stat").read_text()).split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def stop(self) -> None:
        """End it."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(15)


def addresses(base: str, run: str, count: int) -> dict[str, str]:
    """What is asked for, by a name."""
    at, middle = f"/runs/{run}", count // 2
    return {
        "runs": "/runs",
        "run": at,
        "heatmap, from the middle": f"{at}/heatmap?from={middle}",
        "heatmap, columns 601 on": f"{at}/heatmap?from=600",
        "cases, page 20": f"{at}/cases?offset=950",
        "cases, one field wrong": f"{at}/cases?field=field_03&outcome=wrong_value",
        "cases, one field right": f"{at}/cases?field=field_03&outcome=match",
        "cases, tag and id": f"{at}/cases?slice=tag:tag3&text=99",
        "case": f"{at}/case?id=case-{middle:07d}",
        "metrics": f"{at}/metrics",
        "compare": f"/compare?base={base}&new={run}",
        "configuration": "/configuration",
        "test": "/test",
        "API runs": "/api/v1/runs",
        "API run": f"/api/v1{at}",
        "API results": f"/api/v1{at}/results?order=score",
        "API results, page 20": f"/api/v1{at}/results?order=score&offset=950",
        "API case": f"/api/v1{at}/case?id=case-{middle + 1:07d}",
        "API compare": f"/api/v1/compare?base={base}&new={run}",
        "case, always another": f"{at}/case?id=case-{{n:07d}}",
        "cases, always another page": f"{at}/cases?offset={{n}}",
        "heatmap, always other columns": f"{at}/heatmap?from={{n}}",
        "API results, always another page": f"/api/v1{at}/results?order=score&offset={{n}}",
    }


def crowd(server: Server, asked: dict[str, str], users: int, seconds: float) -> tuple[dict[str, list[float]], list[str]]:
    """Wall times by name while so many ask, each at its own place in the list; and what went wrong."""
    times: dict[str, list[float]] = defaultdict(list)
    wrong: list[str] = []
    end = time.monotonic() + seconds

    def user(number: int) -> None:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=120)
        names = list(asked)
        place = number * len(names) // users
        while time.monotonic() < end:
            name = names[place % len(names)]
            place += 1
            try:
                times[name].append(server.ask(asked[name], connection))
            except (OSError, RuntimeError) as error:
                wrong.append(f"{name}: {error}")
                connection.close()

    threads = [threading.Thread(target=user, args=(number,)) for number in range(users)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times, wrong


def report(server: Server, asked: dict[str, str], users: int, seconds: float) -> None:
    """A line for each address."""
    cold: dict[str, tuple[float, float]] = {}
    for name, address in asked.items():
        before = server.cpu()
        cold[name] = (server.ask(address) * 1000, (server.cpu() - before) * 1000)
    before, started = server.cpu(), time.monotonic()
    times, wrong = crowd(server, asked, users, seconds)
    spent, answers = server.cpu() - before, sum(map(len, times.values()))
    print(f"| address | first, wall ms | first, CPU ms | median, {users} users | 95 % |\n| --- | ---: | ---: | ---: | ---: |")
    for name, (wall, cpu) in cold.items():
        some = sorted(each * 1000 for each in times[name])
        print(f"| {name} | {wall:,.0f} | {cpu:,.0f} | {statistics.median(some):,.0f} | {some[int(len(some) * 0.95)]:,.0f} |")
    rate = answers / (time.monotonic() - started)
    print(f"\n{users} users: {answers:,} answers, {rate:,.0f} a second, {spent / answers * 1000:.1f} ms CPU each, {len(wrong)} errors\n")


def main() -> None:
    """Make the runs, start the server, ask."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int, nargs="?", default=100_000)
    parser.add_argument("--users", type=int, default=4)
    parser.add_argument("--crowd", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--port", type=int, default=8799)
    parser.add_argument("--folder", type=Path, help="Where runs are made, or have been made already.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        known = sorted(path.name for path in folder.glob(".fieldwise/runs/*"))
        base, run = known[-2:] if len(known) > 1 else [stored(folder, options.cases, seed) for seed in (7, 8)]
        asked = addresses(base, run, options.cases)
        print(f"{options.cases:,} cases, {len(FIELDS)} fields\n")
        server = Server(folder, options.port, options.cases)
        try:
            report(server, asked, options.users, min(options.seconds, 20))
            times, wrong = crowd(server, asked, options.crowd, options.seconds)
        finally:
            server.stop()
        answers = [each * 1000 for some in times.values() for each in some]
        median = statistics.median(answers)
        print(f"{options.crowd} users for {options.seconds:g} s: {len(answers):,} answers, median {median:,.0f} ms, {len(wrong)} errors")
        for one in wrong[:5]:
            print(one)


if __name__ == "__main__":
    main()
