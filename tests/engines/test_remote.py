"""Cases and runs in a store of objects: a real S3 server on this machine, and fsspec's memory."""

import gzip
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from s3fs import S3FileSystem

import fieldwise as fw
from fieldwise.model.diagnostic import ConfigError
from fieldwise.model.locations import parse_location
from fieldwise.model.remote_path import RemotePath
from fieldwise.store import lock
from fieldwise.store.delete import delete_runs, folder_size
from fieldwise.store.errors import StoreError
from fieldwise.store.in_progress import RunMonitor
from fieldwise.store.lock import RunLock, RunLocked, is_locked
from fieldwise.store.manifest import summary_to_json
from fieldwise.store.run import list_runs, open_run
from fieldwise.store.run_metrics import compare_runs
from fieldwise.store.run_names import add_tags, remove_tags
from fieldwise.suite_plan import compile_suite

NOTED = ("resumed", "not-resumed")


def run_content(run: Any, place: str) -> Any:
    """The content of a run without its id, times and paths."""
    notes = [item.to_json() for item in run.manifest.diagnostics if item.code not in NOTED]
    text = json.dumps([notes, [(item.case, item.evaluator, item.result.to_json()) for item in run.results()]])
    return summary_to_json(run.manifest.summary), run.exit_code, text.replace(place, "")


def local(many: Path) -> Any:
    return run_content(
        fw.run(json.loads(many.read_text()) | {"cases": str(many.parent / "cases.jsonl")}, root=many.parent), str(many.parent)
    )


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_from_s3_to_s3_is_the_run_on_this_machine(many: Path, bucket: RemotePath, remote: dict[str, Any], workers: int) -> None:
    run = fw.run(remote, root=f"{bucket}/{workers}", workers=workers)
    assert str(run.path).startswith(f"{bucket}/{workers}/runs/")
    assert (len(run.manifest.parts) > 3) == (workers > 1)
    assert run_content(open_run(f"{bucket}/{workers}"), str(bucket)) == local(many)
    assert not (many.parent / "s3:").exists()


def test_a_killed_run_on_s3_goes_on_at_once_on_the_same_machine(many: Path, bucket: RemotePath, remote: dict[str, Any]) -> None:
    code = (
        "import json, os, signal, sys, fieldwise as fw, fieldwise.store.writer as writer\n"
        "writer.PART_CASES = 25\n"
        "kill = lambda done, _: os.kill(os.getpid(), signal.SIGKILL) if done >= 100 else None\n"
        "fw.run(json.loads(sys.argv[1]), root=sys.argv[2], chunk=25, progress=kill)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code, json.dumps(remote), str(bucket)], check=False, capture_output=True)
    assert ended.returncode == -signal.SIGKILL
    stopped = open_run(str(bucket))
    assert (stopped.path / "lock").exists()
    assert (stopped.state, stopped.running) == ("unfinished", False)
    run = fw.run(remote, root=str(bucket), resume=True)
    [note] = [item.what for item in run.manifest.diagnostics if item.code == "resumed"]
    assert run.id == stopped.id
    assert 25 <= int(note.split()[1]) < 200
    assert run_content(run, str(bucket)) == local(many)
    assert not (run.path / "lock").exists()


def test_two_writers_of_one_root_lose_nothing(bucket: RemotePath, remote: dict[str, Any]) -> None:
    runs: list[Any] = []
    threads = [threading.Thread(target=lambda: runs.append(fw.run(remote, root=str(bucket), limit=60))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {run.id for run in list_runs(str(bucket))} == {run.id for run in runs}
    assert len(runs) == 2
    assert all(len(list(run.results("json_quality"))) == 60 for run in list_runs(str(bucket)))


def test_only_one_of_two_has_the_lock_of_a_run(bucket: RemotePath, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = bucket / "run"
    held = RunLock(folder)
    assert is_locked(folder)
    with pytest.raises(RunLocked, match=rf"process {os.getpid()} on "):
        RunLock(folder)
    held.release()
    assert not is_locked(folder)
    RunLock(folder).release()


def test_a_lock_that_was_not_refreshed_expires_and_its_holder_gets_an_error(bucket: RemotePath, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "_SETTLE_SECONDS", 0.0)
    folder = bucket / "run"
    old = RunLock(folder)
    said = json.loads((folder / "lock").read_bytes())
    (folder / "lock").write_bytes(json.dumps(said | {"at": time.time() - lock.LEASE_SECONDS - 1}).encode())
    assert not is_locked(folder)
    new = RunLock(folder)
    with pytest.raises(StoreError, match="another process took over"):
        old.check()
    old.release()
    assert is_locked(folder)
    new.release()


def test_a_lock_is_refreshed_while_it_is_held(bucket: RemotePath, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "REFRESH_SECONDS", 0.02)
    folder = bucket / "run"
    held = RunLock(folder)
    first = json.loads((folder / "lock").read_bytes())["at"]
    deadline = time.monotonic() + 300
    while (now := json.loads((folder / "lock").read_bytes())["at"]) == first and time.monotonic() < deadline:
        time.sleep(0.02)
    held.release()
    assert now > first


def test_runs_on_s3_are_tagged_compared_asked_watched_and_deleted(bucket: RemotePath, remote: dict[str, Any]) -> None:
    root = str(bucket)
    base, new = (fw.run(remote, root=root, limit=40) for _ in range(2))
    add_tags(base.path, ["nightly", "v1"])
    assert open_run(root, "nightly").id == base.id
    assert remove_tags(base.path, ["v1", "v2"]) == ["v2"]
    assert base.tags == ("nightly",)
    assert all(item.n for item in compare_runs(base, open_run(root)).evaluators.values())
    assert base.case("c3").id == "c3"
    assert base.sql("select count(*) as n from cases").to_pylist() == [{"n": 40}]
    assert compile_suite(remote | {"cases": "run:latest"}, root=root).source.cases == f"{root}/recalled/{new.id}.jsonl"
    assert RunMonitor(root).list_unfinished() == []
    assert folder_size(base.path) > 1000
    with pytest.raises(ConfigError, match="nightly"):
        delete_runs([base])
    assert delete_runs([base], force=True) > 1000
    assert [run.id for run in list_runs(root)] == [new.id]
    assert not base.path.exists()


@pytest.mark.parametrize("name", ["cases.jsonl.gz", "cases.parquet", "folder", "glob"])
def test_cases_on_s3_are_read_in_every_form(tmp_path: Path, bucket: RemotePath, name: str) -> None:
    rows = [{"id": str(at), "expected": {"x": at}, "actual": {"x": at % 7}} for at in range(20)]
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "cases.parquet", row_group_size=6)
    (bucket / "cases.parquet").upload(tmp_path / "cases.parquet")
    (bucket / "cases.jsonl.gz").write_bytes(gzip.compress(text))
    for part, lines in (("a", text.splitlines(keepends=True)[:9]), ("b", text.splitlines(keepends=True)[9:])):
        (bucket / "many" / f"{part}.jsonl").write_bytes(b"".join(lines))
    pattern = {"folder": f"{bucket}/many", "glob": f"{bucket}/many/*.jsonl"}.get(name, f"{bucket}/{name}")
    run = fw.run({"name": "x", "cases": pattern, "evaluators": [{"type": "field_accuracy"}]}, root=tmp_path)
    assert [item.position for item in run.results()] == list(range(20))
    assert run.full.evaluators["field_accuracy"].metrics["score"].value == pytest.approx(7 / 20)
    assert run.manifest.fingerprints["cases"]


def test_pairs_on_s3_join_by_the_names_of_their_files(tmp_path: Path, bucket: RemotePath) -> None:
    for at in range(3):
        (bucket / "gold" / f"{at}.json").write_bytes(json.dumps({"x": at}).encode())
        (bucket / "out" / f"{at}_pred.json").write_bytes(json.dumps({"x": at}).encode())
    cases = {"expected": f"{bucket}/gold", "actual": f"{bucket}/out/*.json"}
    run = fw.run({"name": "x", "cases": cases, "evaluators": [{"type": "field_accuracy"}]}, root=tmp_path)
    assert (run.full.cases, run.full.evaluators["field_accuracy"].metrics["score"].value) == (3, 1.0)


def test_a_fingerprint_of_a_remote_file_changes_with_its_content(bucket: RemotePath) -> None:
    from fieldwise.store.fingerprints import fingerprint_file

    (bucket / "a").write_bytes(b"one")
    first = fingerprint_file(bucket / "a")
    (bucket / "a").write_bytes(b"two")
    assert "etag" in first
    assert fingerprint_file(bucket / "a") != first


def problems(cases: str, tmp_path: Path) -> list[Any]:
    with pytest.raises(fw.ConfigError) as raised:
        fw.run({"name": "x", "cases": cases, "evaluators": [{"type": "field_accuracy"}]}, root=tmp_path)
    return [problem for problem in raised.value.diagnostics if problem.level == "error"]


def test_a_missing_bucket_or_key_is_told_with_what_to_check(tmp_path: Path, bucket: RemotePath) -> None:
    (bucket / "cases.jsonl").write_bytes(b'{"expected": {"a": 1}, "actual": {"a": 1}}\n')
    [nowhere] = [item for item in problems("s3://nobody-has-it/cases.jsonl", tmp_path) if item.code == "no-file"]
    assert (nowhere.what, "check the address" in nowhere.fix) == ("there is no file s3://nobody-has-it/cases.jsonl", True)
    [typo] = [item for item in problems(f"{bucket}/case.jsonl", tmp_path) if item.code == "no-file"]
    assert typo.fix == f"did you mean {bucket}/cases.jsonl?"
    with pytest.raises(StoreError, match=r"no run can be stored in s3://nobody-has-it/x/runs: .*bucket does not exist"):
        fw.run({"name": "x", "cases": f"{bucket}/cases.jsonl", "evaluators": [{"type": "field_accuracy"}]}, root="s3://nobody-has-it/x")


def test_missing_credentials_are_told_with_how_to_give_them(tmp_path: Path, bucket: RemotePath, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    S3FileSystem.clear_instance_cache()
    try:
        [problem] = [item for item in problems(f"{bucket}/cases.jsonl", tmp_path) if item.code == "unreachable"]
    finally:
        S3FileSystem.clear_instance_cache()
    assert "there are no credentials" in problem.what
    assert "AWS_ACCESS_KEY_ID" in problem.fix


def test_a_key_that_the_server_does_not_know_is_told(tmp_path: Path, bucket: RemotePath, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moto.settings.INITIAL_NO_AUTH_ACTION_COUNT", 0)  # the server checks credentials from the first request
    [problem] = [item for item in problems(f"{bucket}/cases.jsonl", tmp_path) if item.code == "unreachable"]
    assert problem.fix == "check the credentials: they are unknown there, or do not allow this"


@pytest.mark.parametrize(("url", "package"), [("gs://bucket/a.jsonl", "gcsfs"), ("nothing://bucket/a.jsonl", "fsspec")])
def test_a_package_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, package: str) -> None:
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    [problem] = [item for item in problems(url, tmp_path) if item.code == "not-installed"]
    assert problem.fix.startswith("pip install 'fieldwise[remote]'")
    assert package in problem.fix


def test_a_run_in_memory_is_like_any_other(many: Path) -> None:
    run = fw.run(many, root="memory://store", limit=30)
    assert [item.id for item in list_runs("memory://store")] == [run.id]
    assert len(list(open_run("memory://store").results("json_quality"))) == 30
    assert delete_runs([run]) > 0
    assert list_runs("memory://store") == []


def test_pages_and_api_show_runs_of_a_bucket(bucket: RemotePath, remote: dict[str, Any]) -> None:
    from starlette.testclient import TestClient

    from fieldwise.web.app import create_app
    from fieldwise.web.settings import Settings

    run = fw.run(remote, root=str(bucket), limit=20)
    with TestClient(create_app(Settings(root=str(bucket))), base_url="http://127.0.0.1:8787") as client:
        assert [item["id"] for item in client.get("/api/v1/runs").json()["runs"]] == [run.id]
        page = client.get(f"/runs/{run.id}")
    assert page.status_code == 200
    assert run.id in page.text


def test_a_url_as_a_path_is_refused(many: Path) -> None:
    with pytest.raises(ConfigError, match="give the URL as text"):
        fw.run(many, root=Path("s3://evals/x"))
    assert parse_location("file:///a/b") == Path("/a/b")


def test_a_run_on_this_machine_never_loads_fsspec(many: Path) -> None:
    code = "import sys, fieldwise as fw; fw.run(sys.argv[1], root=sys.argv[2], limit=20); print('fsspec' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code, str(many), str(many.parent)], check=True, capture_output=True, text=True)
    assert ended.stdout.strip() == "False"
