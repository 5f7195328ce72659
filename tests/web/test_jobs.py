"""Work that goes on while nobody waits: watched, cancelled, and taken up again by the next server."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from fieldwise.store.checksums import dump_sealed, load_sealed
from fieldwise.store.run import open_run
from fieldwise.store.run_names import add_tags
from fieldwise.web.jobs import Job, JobQueue
from fieldwise.web.library import RunLibrary
from fieldwise.web.settings import Settings

QUALITY = [{"type": "json_quality", "default_text": "EXACT"}]


def ended(client: TestClient, job: str) -> dict[str, Any]:
    for _ in range(400):
        actual = client.get(f"/api/v1/jobs/{job}").json()
        if actual["state"] not in ("waiting", "running"):
            return actual
        time.sleep(0.02)
    raise AssertionError(f"the job did not end: {actual}")


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
        for name in ("20200101-000000-abcdef", "nope"):
            unknown = client.get(f"/api/v1/jobs/{name}")
            assert (unknown.status_code, unknown.json()["diagnostics"][0]["code"]) == (404, "no-job")


def test_an_option_of_a_job_that_is_inside_another_is_named_with_its_place(make_client: Any) -> None:
    with make_client() as client:
        outside = client.post("/api/v1/jobs", json={"expected": "ok.jsonl"})
        inside = client.post("/api/v1/jobs", json={"paths": {"cases": "cases.jsonl", "actul": "x.jsonl"}})
        misspelt = client.post("/api/v1/jobs", json={"evaluatrs": []})
    assert [answer.status_code for answer in (outside, inside, misspelt)] == [422, 422, 422]
    assert outside.json()["diagnostics"][0]["fix"] == "did you mean `paths.expected`?"
    assert inside.json()["diagnostics"][0]["fix"] == "did you mean `actual`?"
    assert misspelt.json()["diagnostics"][0]["fix"] == "did you mean `evaluators`?"


def test_a_job_that_waits_can_be_cancelled(workspace: Path) -> None:
    jobs = JobQueue(Settings(root=workspace / ".fieldwise"))  # nobody works yet
    job = jobs.add("never", {"cases": str(workspace / "data" / "cases.jsonl")}, QUALITY)
    assert job is not None
    assert jobs.cancel(job.id).state == "cancelled"
    jobs.start()
    jobs.stop()
    assert jobs.get(job.id).run is None


def test_a_job_that_runs_stops_after_its_batch(workspace: Path) -> None:
    jobs = JobQueue(Settings(root=workspace / ".fieldwise"))
    jobs.start()
    job = jobs.add("long", many(workspace), QUALITY)
    while jobs.get(job.id).done == 0:
        time.sleep(0.005)
    jobs.cancel(job.id)
    while jobs.get(job.id).state == "running":
        time.sleep(0.005)
    actual = jobs.get(job.id)
    jobs.stop()
    assert (actual.state, actual.run) == ("cancelled", None)
    assert 0 < actual.done < 60_000
    assert list((workspace / ".fieldwise" / "runs").iterdir()) == []


def test_a_job_that_is_cancelled_at_any_moment_leaves_no_run(workspace: Path) -> None:
    jobs = JobQueue(Settings(root=workspace / ".fieldwise"))
    jobs.start()
    runs = workspace / ".fieldwise" / "runs"
    finished: set[str] = set()
    for step in range(15):
        job = jobs.add("short", many(workspace, 2_000), QUALITY)
        time.sleep(0.04 * step)
        was_live = jobs.cancel(job.id).state != "finished"
        end = settled(jobs, job.id)
        assert end.state == ("cancelled" if was_live else "finished")
        finished |= set() if was_live else {end.run}
        assert {path.name for path in runs.iterdir()} == finished if runs.is_dir() else not finished
    jobs.stop()


def test_a_job_that_is_cancelled_while_its_last_batch_is_stored_leaves_no_run(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = JobQueue(Settings(root=workspace / ".fieldwise"))
    score = jobs._score

    def score_and_cancel(job: Job) -> tuple[str, int]:
        outcome = score(job)
        jobs.cancel(job.id)
        return outcome

    monkeypatch.setattr(jobs, "_score", score_and_cancel)
    jobs.start()
    job = jobs.add("short", many(workspace, 10), QUALITY)
    assert (settled(jobs, job.id).state, jobs.get(job.id).run) == ("cancelled", None)
    jobs.stop()
    assert list((workspace / ".fieldwise" / "runs").iterdir()) == []


def test_a_run_that_somebody_tagged_stays_when_its_job_is_cancelled(workspace: Path) -> None:
    jobs = JobQueue(Settings(root=workspace / ".fieldwise"))
    jobs.start()
    job = jobs.add("long", many(workspace), QUALITY)
    while jobs.get(job.id).done == 0:
        time.sleep(0.005)
    run = jobs.get(job.id).run
    add_tags(workspace / ".fieldwise" / "runs" / run, ["keep"])
    jobs.cancel(job.id)
    assert settled(jobs, job.id).state == "cancelled"
    jobs.stop()
    assert [entry.id for entry in RunLibrary(workspace / ".fieldwise").list_heads() if entry.state == "interrupted"] == [run]


def many(workspace: Path, count: int = 60_000) -> dict[str, str]:
    path = workspace / "data" / "many.jsonl"
    path.write_text("".join(json.dumps({"expected": {"a": n}, "actual": {"a": n}}) + "\n" for n in range(count)))
    return {"cases": str(path)}


def settled(jobs: JobQueue, job: str) -> Job:
    for _ in range(3000):
        if jobs.get(job).state not in ("waiting", "running"):
            return jobs.get(job)
        time.sleep(0.01)
    raise AssertionError(f"the job did not end: {jobs.get(job)}")


def test_a_job_outlives_its_server(workspace: Path) -> None:
    settings = Settings(root=workspace / ".fieldwise")
    first = JobQueue(settings)
    job = first.add("again", b'{"expected": {"a": 1}, "actual": {"a": 1}}\n', QUALITY)
    path = workspace / ".fieldwise" / "jobs" / job.id / "job.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "state": "running", "done": 7}))  # as a server that was killed leaves it
    (path.parent.parent / "notes").mkdir()
    (path.parent.parent / "notes" / "job.json").write_text("{}")
    first.stop()
    second = JobQueue(settings)
    second.start()
    assert settled(second, job.id).state == "finished"
    second.stop()
    assert second.get(job.id).done == 1
    assert not list(path.parent.glob("*.jsonl"))


def test_the_next_server_goes_on_with_the_run_of_a_job_where_it_stopped(workspace: Path) -> None:
    settings = Settings(root=workspace / ".fieldwise")
    first = JobQueue(settings)
    first.start()
    job = first.add("long", many(workspace), QUALITY)
    while first.get(job.id).done < 20_000:
        time.sleep(0.005)
    first.stop()
    begun = first.get(job.id).run
    assert [run.name for run in (workspace / ".fieldwise" / "runs").iterdir()] == [begun]
    second = JobQueue(settings)
    second.start()
    done = settled(second, job.id)
    second.stop()
    assert (done.state, done.run, done.done) == ("finished", begun, 60_000)
    [note] = [entry.what for entry in open_run(settings.root, begun).diagnostics if entry.code == "resumed"]
    assert int(note.split()[1]) >= 20_000


def test_a_run_that_ended_before_its_job_could_say_so_is_not_done_again(workspace: Path) -> None:
    settings = Settings(root=workspace / ".fieldwise")
    first = JobQueue(settings)
    first.start()
    job = first.add("short", {"cases": str(workspace / "data" / "cases.jsonl")}, QUALITY)
    run = settled(first, job.id).run
    first.stop()
    path = settings.root / "jobs" / job.id / "job.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "state": "running"}))
    second = JobQueue(settings)
    second.start()
    assert settled(second, job.id).run == run
    second.stop()
    assert len(list((settings.root / "runs").iterdir())) == 1


def test_a_run_of_which_nothing_can_stand_is_replaced_not_left_behind(workspace: Path) -> None:
    settings = Settings(root=workspace / ".fieldwise")
    first = JobQueue(settings)
    first.start()
    job = first.add("long", many(workspace), QUALITY)
    while first.get(job.id).done == 0:
        time.sleep(0.005)
    first.stop()
    manifest = settings.root / "runs" / first.get(job.id).run / "manifest.json"
    manifest.write_bytes(dump_sealed({**load_sealed(manifest.read_bytes()), "package": "0.0.1"}))
    second = JobQueue(settings)
    second.start()
    done = settled(second, job.id)
    second.stop()
    assert done.state == "finished"
    assert [run.name for run in (settings.root / "runs").iterdir()] == [done.run]


def test_two_servers_of_one_store_do_not_do_the_same_job(workspace: Path) -> None:
    settings = Settings(root=workspace / ".fieldwise")
    first = JobQueue(settings)  # nobody works yet, but the job is its own
    job = first.add("mine", {"cases": str(workspace / "data" / "cases.jsonl")}, QUALITY)
    second = JobQueue(settings)
    second.start()
    second.stop()
    assert second.get(job.id) is None
    assert first.get(job.id).state == "waiting"
    first.stop()


def test_a_job_that_fails_says_why(workspace: Path) -> None:
    jobs = JobQueue(Settings(root=workspace / ".fieldwise"))
    jobs.start()
    job = jobs.add("wrong", {"cases": str(workspace / "data" / "cases.jsonl")}, [{"type": "nothing"}])
    while jobs.get(job.id).state in ("waiting", "running"):
        time.sleep(0.01)
    jobs.stop()
    actual: Job = jobs.get(job.id)
    assert actual.state == "failed"
    assert "there is no evaluator type `nothing`" in str(actual.diagnostics[0]["what"])
