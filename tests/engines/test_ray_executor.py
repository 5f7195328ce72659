"""Ray: the same run on a cluster of one machine with two workers, one of which is killed, also from S3 to S3."""

import json
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from model_server import Say, model_server

import fieldwise as fw
from fieldwise.engines.executors import _get_result, _process_on_node  # pyright: ignore[reportPrivateUsage]
from fieldwise.engines.shard_worker import RunSetup, ShardTask
from fieldwise.model.ask import Asking
from fieldwise.model.diagnostic import ConfigError
from fieldwise.model.plan import Source
from fieldwise.model.remote_path import RemotePath
from fieldwise.read.columns import ColumnRoles
from fieldwise.read.shards import Shard
from fieldwise.store.manifest import summary_to_json
from fieldwise.suite_plan import compile_suite

ray: Any = pytest.importorskip("ray", reason="Ray has no wheel for this Python")


def run_content(run: Any, place: str = "") -> Any:
    """The content of a run without its id, times and the place of its data."""
    notes = [item.to_json() for item in run.manifest.diagnostics]
    text = json.dumps([notes, [(item.case, item.evaluator, item.result.to_json()) for item in run.results()]])
    return summary_to_json(run.manifest.summary), run.exit_code, text.replace(place, "")


@pytest.fixture(scope="module", autouse=True)
def cluster(server: str) -> Any:  # its workers get the address of the S3 server from the environment in which it starts
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    yield
    ray.shutdown()


def at_work() -> list[int]:
    """The processes that are running a shard."""
    pids: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if command.startswith(b"ray::_process_on_node"):
            pids.append(int(folder.name))
    return pids


def test_a_run_on_ray_with_a_worker_killed_is_the_run_of_one_process(many: Path) -> None:
    killed: list[int] = []

    def kill_one(done: int, _: float | None) -> None:
        if done > 100 and not killed and (busy := at_work()):
            os.kill(busy[0], signal.SIGKILL)
            killed.append(busy[0])

    once = fw.run(many, root=many.parent / "once")
    shared = fw.run(many, root=many.parent / "shared", engine="ray", workers=2, chunk=10, progress=kill_one)
    assert killed
    assert len(shared.manifest.parts) > 10
    assert run_content(shared) == run_content(once)


def test_names_of_files_are_relative_to_where_the_run_was_started(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(many.parent)  # the cluster began elsewhere
    once, shared = (fw.run(many.name, root=name, engine=engine, workers=2) for name, engine in (("once", "local"), ("shared", "ray")))
    assert run_content(shared) == run_content(once)


def test_a_run_on_ray_from_s3_to_s3_is_the_run_on_this_machine(many: Path, bucket: RemotePath, remote: dict[str, Any]) -> None:
    shared = fw.run(remote, root=f"{bucket}/ray", engine="ray", workers=2)
    once = fw.run(remote | {"cases": str(many.parent / "cases.jsonl")}, root=many.parent)
    assert len(shared.manifest.parts) > 3
    assert run_content(shared, str(bucket)) == run_content(once, str(many.parent))


def test_a_node_that_does_not_see_the_data_says_so(many: Path) -> None:
    source = Source(cases=str(many.parent / "gone.jsonl"))
    shard = Shard(file=str(source.cases), file_format="jsonl", start=0, stop=9, rows_before=0, first_case=0, cases=1, size=9)
    setup = RunSetup(
        plan=replace(compile_suite(many), source=source), folder=many.parent, roles=ColumnRoles(), columns=frozenset(), chunk=9
    )
    with pytest.raises(ConfigError, match=r"the node .+ does not see .+gone\.jsonl\n.*fix: put the data and the root in a folder"):
        _process_on_node(setup, ShardTask(shard=shard, number=0), None, Path("/nowhere"))


def test_what_goes_wrong_on_a_node_is_raised_as_it_was_there(many: Path) -> None:
    reference = ray.remote(_process_on_node).remote(None, None, None, Path("/nowhere"))
    with pytest.raises(AttributeError) as raised:
        _get_result(ray, reference)
    assert type(raised.value) is AttributeError


def test_judges_ask_from_one_place_so_that_limits_hold_for_all(many: Path) -> None:
    suite = json.loads(many.read_text())
    suite["cases"] = str(many.parent / "cases.jsonl")
    with model_server(Say(delay=0.05)) as server:
        model = {"url": server.url, "name": "judge-1", "concurrency": 3}
        suite["evaluators"] = [{"type": "llm_judge", "prompt": "Is it right?", "model": model}]
        run = fw.run(suite, root=many.parent / "judged", engine="ray", workers=2, asking=Asking(max_calls=40))
    [judge] = run.manifest.summary.evaluators.values()
    assert len(server.requests) == judge.counts.scored == 40
    assert server.most_at_once <= 3
    assert run.exit_code != 0


def test_data_that_cannot_be_sharded_gives_a_warning(tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text("id,expected,actual\n1,a,a\n")
    suite = {"name": "x", "cases": str(tmp_path / "cases.csv"), "evaluators": [{"type": "equals"}]}
    run = fw.run(suite, root=tmp_path, engine="ray")
    assert [item.code for item in run.manifest.diagnostics if item.level == "warning"] == ["one-piece"]
