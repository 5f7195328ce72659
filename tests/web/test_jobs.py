"""Work that goes on while nobody waits: watched, cancelled, and taken up again by the next server."""

import json
import time
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from fieldwise.web.jobs import Job, Jobs
from fieldwise.web.settings import Settings

QUALITY = [{"type": "json_quality", "default_text": "EXACT"}]


def ended(client: TestClient, job: str) -> dict[str, Any]:
    for _ in range(400):
        found = client.get(f"/api/v1/jobs/{job}").json()
        if found["state"] not in ("waiting", "running"):
            return found
        time.sleep(0.02)
    raise AssertionError(f"the job did not end: {found}")


def test_a_job_over_cases_becomes_a_run(make_client: Any) -> None:
    with make_client() as client:
        cases = [{"expected": {"a": n}, "actual": {"a": n}} for n in range(5)]
        started = client.post("/api/v1/jobs", json={"cases": cases, "name": "night", "default_text": "EXACT"})
        assert (started.status_code, started.headers["location"]) == (202, f"/api/v1/jobs/{started.json()['id']}")
        done = ended(client, started.json()["id"])
        assert (done["state"], done["done"], done["share"]) == ("finished", 5, 1.0)
        assert client.get(f"/api/v1/runs/{done['run']}").json()["run"]["name"] == "night"
        events = client.get(f"/api/v1/jobs/{done['id']}/events")
        assert events.headers["content-type"].startswith("text/event-stream")
        assert json.loads(events.text.split("data: ")[1])["state"] == "finished"


def test_a_job_over_files_of_the_server(make_client: Any) -> None:
    with make_client() as client:
        started = client.post("/api/v1/jobs", json={"paths": {"cases": "cases.jsonl"}, "default_text": "EXACT"}).json()
        assert ended(client, started["id"])["done"] == 6
        outside = client.post("/api/v1/jobs", json={"paths": {"cases": "../x.jsonl"}})
        assert outside.status_code == 403


def test_a_job_says_what_it_is_over_once(make_client: Any) -> None:
    with make_client() as client:
        for body in ({}, {"cases": [{}], "paths": {"cases": "cases.jsonl"}}):
            answer = client.post("/api/v1/jobs", json=body)
            assert (answer.status_code, answer.json()["diagnostics"][0]["code"]) == (422, "which-cases")
        assert client.get("/api/v1/jobs/20200101-000000-abcdef").status_code == 404


def test_a_job_that_waits_can_be_cancelled(workspace: Path) -> None:
    jobs = Jobs(Settings(root=workspace / ".fieldwise"))  # nobody works yet
    job = jobs.add("never", {"cases": str(workspace / "data" / "cases.jsonl")}, QUALITY)
    assert job is not None
    assert jobs.cancel(job.id).state == "cancelled"
    jobs.start()
    jobs.stop()
    assert jobs.get(job.id).run is None


def test_a_job_that_runs_stops_after_its_batch(workspace: Path) -> None:
    lines = "".join(json.dumps({"expected": {"a": n}, "actual": {"a": n}}) + "\n" for n in range(60_000))
    (workspace / "data" / "many.jsonl").write_text(lines)
    jobs = Jobs(Settings(root=workspace / ".fieldwise"))
    jobs.start()
    job = jobs.add("long", {"cases": str(workspace / "data" / "many.jsonl")}, QUALITY)
    while jobs.get(job.id).done == 0:
        time.sleep(0.005)
    jobs.cancel(job.id)
    while jobs.get(job.id).state == "running":
        time.sleep(0.005)
    found = jobs.get(job.id)
    jobs.stop()
    assert found.state == "cancelled"
    assert 0 < found.done < 60_000


def test_a_job_outlives_its_server(workspace: Path) -> None:
    settings = Settings(root=workspace / ".fieldwise")
    first = Jobs(settings)
    job = first.add("again", b'{"expected": {"a": 1}, "actual": {"a": 1}}\n', QUALITY)
    path = workspace / ".fieldwise" / "jobs" / f"{job.id}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "state": "running", "done": 7}))  # as a server that was killed leaves it
    (path.parent / "notes.json").write_text("{}")
    second = Jobs(settings)
    second.start()
    for _ in range(400):
        if second.get(job.id).state == "finished":
            break
        time.sleep(0.02)
    second.stop()
    assert second.get(job.id).done == 1
    assert not list(path.parent.glob("*.jsonl"))


def test_a_job_that_fails_says_why(workspace: Path) -> None:
    jobs = Jobs(Settings(root=workspace / ".fieldwise"))
    jobs.start()
    job = jobs.add("wrong", {"cases": str(workspace / "data" / "cases.jsonl")}, [{"type": "nothing"}])
    while jobs.get(job.id).state in ("waiting", "running"):
        time.sleep(0.01)
    jobs.stop()
    found: Job = jobs.get(job.id)
    assert found.state == "failed"
    assert "there is no evaluator type `nothing`" in str(found.diagnostics[0]["what"])
