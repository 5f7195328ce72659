"""Response times of the pages and the API of a large run: of a server that has just started, and under concurrent requests.

    python benchmarks/pages.py [CASES] [--users 4] [--crowd 20] [--seconds 60]

Stores two runs of this many cases with twenty fields each, starts `fieldwise view` in its own process, and sends HTTP requests to it. For
each page, it prints the first response of the new server (wall time, and CPU time of the server), and the median and the 95th percentile
while `users` clients send requests concurrently, each starting at another page. Then `crowd` clients send requests for `seconds`. Every
response must have status 200. Wall time depends on the load of the machine; CPU time is the cost of a page.
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
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import fieldwise as fw

FIELDS = [f"field_{number:02d}" for number in range(20)]
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
MAX_PRINTED_ERRORS = 5


def generate_cases(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Generate cases with twenty fields, of which about one in forty is wrong."""
    rng = random.Random(seed)
    for number in range(count):
        expected = {name: f"{name} {number}" for name in FIELDS}
        actual = {name: (value + "x" if rng.random() < 0.025 else value) for name, value in expected.items()}
        yield {"id": f"case-{number:07d}", "expected": expected, "actual": actual, "tags": [f"tag{number % 8}"]}


def store_run(folder: Path, count: int, seed: int) -> str:
    """Store a run of this many cases, and return its id."""
    path = folder / "cases.jsonl"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(case) + "\n" for case in generate_cases(count, seed))
    suite = {"name": "large", "evaluators": [{"type": "field_accuracy", "fields": FIELDS}]}
    return fw.run(suite, cases=str(path), root=folder / ".fieldwise").id


class ViewServer:
    """`fieldwise view` in its own process."""

    def __init__(self, folder: Path, port: int, cases: int) -> None:
        self.port, self.cases = port, cases
        command = [sys.executable, "-m", "fieldwise", "view", "--no-token", "--port", str(port)]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                self.request("/api/v1/health")
            except OSError:
                time.sleep(0.1)
            else:
                return

    def request(self, address: str, connection: HTTPConnection | None = None) -> float:
        """Send a request; seconds until the whole response has arrived. `{n}` in an address is replaced by a random case number."""
        if "{n" in address:
            address = address.format(n=random.randrange(self.cases))
        open_connection = connection or HTTPConnection("127.0.0.1", self.port, timeout=120)
        started = time.perf_counter()
        open_connection.request("GET", address)
        response = open_connection.getresponse()
        body = response.read()
        seconds = time.perf_counter() - started
        if connection is None:
            open_connection.close()
        if response.status != 200:
            raise RuntimeError(f"{address}: {response.status} {body[:300]!r}")
        return seconds

    def read_cpu_seconds(self) -> float:
        """CPU seconds that the server has used (Linux)."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text()
        values = re.sub(r"^.*\) ", "", stat).split()  # without the process id and the name, which may contain spaces
        user_ticks, system_ticks = int(values[11]), int(values[12])
        return (user_ticks + system_ticks) / TICKS_PER_SECOND

    def stop(self) -> None:
        """Stop the server and wait for it."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(15)


def list_addresses(base: str, run: str, cases: int) -> dict[str, str]:
    """Addresses to request, by the name to print."""
    page, middle = f"/runs/{run}", cases // 2
    return {
        "runs": "/runs",
        "run": page,
        "heatmap, from the middle": f"{page}/heatmap?from={middle}",
        "heatmap, columns 601 on": f"{page}/heatmap?from=600",
        "cases, page 20": f"{page}/cases?offset=950",
        "cases, one field wrong": f"{page}/cases?field=field_03&outcome=wrong_value",
        "cases, one field right": f"{page}/cases?field=field_03&outcome=match",
        "cases, tag and id": f"{page}/cases?slice=tag:tag3&text=99",
        "case": f"{page}/case?id=case-{middle:07d}",
        "metrics": f"{page}/metrics",
        "compare": f"/compare?base={base}&new={run}",
        "configuration": "/configuration",
        "test": "/test",
        "API runs": "/api/v1/runs",
        "API run": f"/api/v1{page}",
        "API results": f"/api/v1{page}/results?order=score",
        "API results, page 20": f"/api/v1{page}/results?order=score&offset=950",
        "API case": f"/api/v1{page}/case?id=case-{middle + 1:07d}",
        "API compare": f"/api/v1/compare?base={base}&new={run}",
        "case, a random one": f"{page}/case?id=case-{{n:07d}}",
        "cases, a random page": f"{page}/cases?offset={{n}}",
        "heatmap, random columns": f"{page}/heatmap?from={{n}}",
        "API results, a random page": f"/api/v1{page}/results?order=score&offset={{n}}",
    }


@dataclass(frozen=True, slots=True)
class LoadResult:
    """Responses to concurrent clients."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Wall seconds of each response, by the name of the address."""
    errors: list[str] = field(default_factory=list)

    def count_responses(self) -> int:
        return sum(map(len, self.times.values()))


def send_concurrently(server: ViewServer, addresses: dict[str, str], users: int, seconds: float) -> LoadResult:
    """Send requests from this many clients, each starting at another place of the list of addresses."""
    result = LoadResult()
    names = list(addresses)
    end = time.monotonic() + seconds

    def send_requests(user: int) -> None:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=120)
        position = user * len(names) // users
        while time.monotonic() < end:
            name = names[position % len(names)]
            position += 1
            try:
                result.times[name].append(server.request(addresses[name], connection))
            except (OSError, RuntimeError) as error:
                result.errors.append(f"{name}: {error}")
                connection.close()

    threads = [threading.Thread(target=send_requests, args=(user,)) for user in range(users)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return result


def report_addresses(server: ViewServer, addresses: dict[str, str], users: int, seconds: float) -> None:
    """Print for each address the first response, and the responses to concurrent clients."""
    first_responses: dict[str, tuple[float, float]] = {}
    for name, address in addresses.items():
        cpu_before = server.read_cpu_seconds()
        wall = server.request(address)
        first_responses[name] = (wall, server.read_cpu_seconds() - cpu_before)
    cpu_before, started = server.read_cpu_seconds(), time.monotonic()
    result = send_concurrently(server, addresses, users, seconds)
    cpu = server.read_cpu_seconds() - cpu_before
    print(f"| address | first, wall ms | first, CPU ms | median ms, {users} users | 95 % |\n| --- | ---: | ---: | ---: | ---: |")
    for name, (first_wall, first_cpu) in first_responses.items():
        times = sorted(result.times[name])
        median, percentile_95 = statistics.median(times), times[int(len(times) * 0.95)]
        print(f"| {name} | {first_wall * 1e3:,.0f} | {first_cpu * 1e3:,.0f} | {median * 1e3:,.0f} | {percentile_95 * 1e3:,.0f} |")
    responses = result.count_responses()
    rate = responses / (time.monotonic() - started)
    print(
        f"\n{users} users: {responses:,} responses, {rate:,.0f} per second, {cpu / responses * 1e3:.1f} ms of CPU per response, "
        f"{len(result.errors)} errors\n"
    )


def report_crowd(result: LoadResult, users: int, seconds: float) -> None:
    """Print the median over all responses, and the first errors."""
    times: list[float] = []
    for address_times in result.times.values():
        times.extend(address_times)
    median = statistics.median(times)
    print(f"{users} users for {seconds:g} s: {len(times):,} responses, median {median * 1e3:,.0f} ms, {len(result.errors)} errors")
    for error in result.errors[:MAX_PRINTED_ERRORS]:
        print(error)


def main() -> None:
    """Store the runs, start the server, and send requests."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=int, nargs="?", default=100_000, help="cases of each run")
    parser.add_argument("--users", type=int, default=4, help="concurrent clients for the times of each address")
    parser.add_argument("--crowd", type=int, default=20, help="concurrent clients for the last measurement")
    parser.add_argument("--seconds", type=float, default=60, help="duration of the last measurement")
    parser.add_argument("--port", type=int, default=8799)
    parser.add_argument("--folder", type=Path, help="folder for the runs; if it contains two or more, the last two are used")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary_folder:
        folder = options.folder or Path(temporary_folder)
        folder.mkdir(parents=True, exist_ok=True)
        run_ids = sorted(path.name for path in folder.glob(".fieldwise/runs/*"))
        if len(run_ids) < 2:
            run_ids = [store_run(folder, options.cases, seed) for seed in (7, 8)]
        base, run = run_ids[-2:]
        addresses = list_addresses(base, run, options.cases)
        print(f"{options.cases:,} cases, {len(FIELDS)} fields\n")
        server = ViewServer(folder, options.port, options.cases)
        try:
            report_addresses(server, addresses, options.users, min(options.seconds, 20))
            result = send_concurrently(server, addresses, options.crowd, options.seconds)
        finally:
            server.stop()
    report_crowd(result, options.crowd, options.seconds)


if __name__ == "__main__":
    main()
