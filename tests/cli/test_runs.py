"""`fieldwise runs`."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from fieldwise.store.checksums import dump_sealed, load_sealed
from fieldwise.store.lock import RunLock

Call = Callable[..., Result]


@pytest.fixture
def ids(folder: Path, fieldwise: Call) -> list[str]:
    """The ids of three runs, newest first."""
    for _ in range(3):
        fieldwise("run", "small.eval.yaml", "--gate", "fields.score >= 0.1", "--gate", "fields.score >= 0.99")
    return [run["id"] for run in listed(fieldwise)]


def listed(fieldwise: Call, *options: str) -> list[dict[str, Any]]:
    return json.loads(fieldwise("runs", *options, "--format", "json").stdout)


def test_another_root_is_named_by_an_option_or_the_environment(folder: Path, fieldwise: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    fieldwise("--root", "memory://cli", "run", "small.eval.yaml")
    assert listed(fieldwise) == []
    [there] = json.loads(fieldwise("--root", "memory://cli", "runs", "--format", "json").stdout)
    monkeypatch.setenv("FIELDWISE_ROOT", "memory://cli")
    assert [run["id"] for run in listed(fieldwise)] == [there["id"]]
    assert "memory://cli/runs" in fieldwise("runs", "show", "--format", "plain").stdout
    assert fieldwise("runs", "delete", there["id"], "--yes").exit_code == 0
    assert fieldwise("runs").stdout.startswith("there are no runs in memory://cli")


def test_root_may_stand_before_or_behind_the_name_of_any_command(folder: Path, fieldwise: Call) -> None:
    assert fieldwise("run", "small.eval.yaml", "--root", "here").exit_code in {0, 1}
    for command in (("runs", "show", "latest"), ("runs", "list"), ("runs",), ("report", "latest"), ("mismatches", "latest")):
        assert fieldwise(*command, "--root", "here").exit_code == 0, command
        assert fieldwise("--root", "here", *command).exit_code == 0, command
    assert fieldwise("runs", "--root", "here", "show", "latest").exit_code == 0
    assert not (folder / ".fieldwise").exists()


def test_the_command_that_is_named_next_finds_the_run_in_another_root(folder: Path, fieldwise: Call) -> None:
    output = fieldwise("--root", "my runs", "run", "small.eval.yaml", "--format", "plain").stdout
    assert "next: fieldwise --root 'my runs' explain latest " in output
    output = fieldwise("--root", "my runs", "runs", "show", "--format", "plain").stdout
    assert "next: fieldwise --root 'my runs' report " in output
    output = fieldwise("--root", "my runs", "demo", "--format", "plain").stdout
    assert "fieldwise --root 'my runs' explain latest " in output.partition("Try next")[2]
    assert "next: fieldwise explain latest " in fieldwise("run", "small.eval.yaml", "--format", "plain").stdout


def test_runs_are_listed_newest_first_with_state_gates_tags_and_scores(ids: list[str], fieldwise: Call) -> None:
    assert ids == sorted(ids, reverse=True)
    fieldwise("runs", "tag", ids[1], "nightly")
    output = fieldwise("runs", "--format", "plain").stdout
    assert next(line for line in output.splitlines() if ids[1] in line).split()[-6:-4] == ["1/2", "nightly"]
    assert listed(fieldwise)[1] | {"started": ""} == {
        "id": ids[1],
        "name": "small",
        "started": "",
        "cases": 3,
        "scores": {"fields": pytest.approx(2 / 3), "field_prf": pytest.approx(2 / 3)},
        "exit_code": 1,
        "state": "finished",
        "gates": {"held": 1, "of": 2},
        "tags": ["nightly"],
        "label": "",
        "data": "cases.jsonl",
    }
    assert [run["id"] for run in listed(fieldwise, "list")] == ids


def test_the_list_can_be_narrowed(ids: list[str], fieldwise: Call) -> None:
    fieldwise("runs", "tag", ids[2], "old")
    assert [run["id"] for run in listed(fieldwise, "--tag", "old")] == [ids[2]]
    assert [run["id"] for run in listed(fieldwise, "--suite", "small", "--limit", "2")] == ids[:2]
    assert "no run with the tag `nope`" in fieldwise("runs", "--tag", "nope").stdout
    assert "and 2 older ones" in fieldwise("runs", "list", "--limit", "1").stdout


def test_where_there_is_nothing_the_next_step_is_told(folder: Path, fieldwise: Call) -> None:
    assert "`fieldwise demo` creates one" in fieldwise("runs").stdout
    output = fieldwise("runs", "show")
    assert output.exit_code == 2
    assert "`fieldwise demo` creates one" in output.stderr


def test_a_run_is_shown_by_latest_tag_or_beginning(ids: list[str], fieldwise: Call) -> None:
    fieldwise("runs", "tag", "latest", "v1")
    for which in ("latest", "v1", ids[0], ids[0][:-1]):
        output = fieldwise("runs", "show", which)
        assert output.exit_code == 0
        assert f"run {ids[0]}" in output.stdout
    assert "failed: a gate does not hold" in output.stdout
    assert "✗  fields.score >= 0.99" in output.stdout
    assert "fields.score" in output.stdout
    actual = json.loads(fieldwise("runs", "show", "v1", "--format", "json").stdout)
    assert actual["tags"] == ["v1"]
    assert actual["metrics"]["fields.score"] == pytest.approx(2 / 3)


def test_an_unfinished_run_says_how_to_go_on_and_a_running_one_that_it_runs(ids: list[str], fieldwise: Call) -> None:
    manifest = Path(".fieldwise/runs") / ids[0] / "manifest.json"
    manifest.write_bytes(dump_sealed(load_sealed(manifest.read_bytes()) | {"finished": None, "exit_code": None}))
    assert "small.eval.yaml --resume" in fieldwise("runs", "show").stdout
    assert listed(fieldwise)[0]["state"] == "unfinished"
    lock = RunLock(manifest.parent)
    assert listed(fieldwise)[0]["state"] == "running"
    assert "another process is writing it" in fieldwise("runs", "show").stdout
    lock.release()


@pytest.mark.parametrize("command", [("runs", "show"), ("report", "latest"), ("mismatches", "latest")])
def test_a_damaged_part_is_named_and_exits_3(ids: list[str], fieldwise: Call, command: tuple[str, ...]) -> None:
    for part in sorted((Path(".fieldwise/runs") / ids[0] / "parts").glob("*-results.parquet")):
        content = bytearray(part.read_bytes())
        content[len(content) // 2] ^= 1
        part.write_bytes(content)
    for part in sorted((Path(".fieldwise/runs") / ids[0] / "parts").glob("*-comparisons.parquet")):
        part.write_bytes(part.read_bytes()[:-1] + b"?")
    output = fieldwise(*command)
    assert output.exit_code == 3
    assert ".parquet: the stored file cannot be read: its checksum does not match" in output.stderr


def test_a_manifest_edited_by_hand_is_damaged(ids: list[str], fieldwise: Call) -> None:
    manifest = Path(".fieldwise/runs") / ids[0] / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"exit_code":', '"exit_code": '))
    output = fieldwise("runs", "show")
    assert output.exit_code == 3
    assert "manifest.json" in output.stderr


def test_tags_are_given_and_taken(ids: list[str], fieldwise: Call) -> None:
    assert fieldwise("runs", "tag", "latest", "a", "b").stdout == f"run {ids[0]}: a, b\n"
    assert fieldwise("runs", "tag", "a", "b", "--remove").stdout == f"run {ids[0]}: a\n"
    output = fieldwise("runs", "tag", "a", "b", "--remove")
    assert output.exit_code == 2
    assert "has no tag b" in output.stderr
    output = fieldwise("runs", "tag", "latest", "../x")
    assert output.exit_code == 2
    assert "begins with a letter" in output.stderr
    assert fieldwise("runs", "show", "aa").exit_code == 2


def test_a_tag_names_a_run_for_every_command(ids: list[str], fieldwise: Call) -> None:
    fieldwise("runs", "tag", ids[2], "first")
    assert fieldwise("compare", "first", "--format", "plain").exit_code == 0
    assert fieldwise("explain", "first", "b").exit_code == 0
    assert fieldwise("report", "first", "--output", "r.md").exit_code == 0
    assert ids[2] in Path("r.md").read_text()
    assert fieldwise("baseline", "set", "first").exit_code == 0
    assert fieldwise("run", "small.eval.yaml", "--baseline", "first").exit_code == 0


def test_nothing_is_deleted_without_a_yes(ids: list[str], fieldwise: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    output = fieldwise("runs", "delete", "latest")
    assert output.exit_code == 2
    assert "--yes" in output.stderr
    assert len(listed(fieldwise)) == 3
    monkeypatch.setattr("fieldwise.cli.runs._stdin_is_terminal", lambda: True)
    assert "nothing was deleted" in fieldwise("runs", "delete", "latest", input="n\n").stdout
    assert len(listed(fieldwise)) == 3
    assert f"deleted run {ids[0]}" in fieldwise("runs", "delete", "latest", input="y\n").stdout
    assert "deleted 2 runs" in fieldwise("runs", "delete", ids[1], ids[2], ids[2], "--yes").stdout
    assert listed(fieldwise) == []


def test_what_a_tag_or_a_baseline_keeps_is_told_before_anybody_is_asked(ids: list[str], fieldwise: Call) -> None:
    fieldwise("runs", "tag", ids[1], "keep")
    fieldwise("baseline", "set", ids[2])
    assert "small.baseline.json was made from it" in fieldwise("runs", "show", ids[2]).stdout
    output = fieldwise("runs", "delete", *ids)
    assert output.exit_code == 2
    assert "the tag keep" in output.stderr
    assert "small.baseline.json was made from it" in output.stderr
    assert len(listed(fieldwise)) == 3
    assert fieldwise("runs", "delete", *ids, "--yes", "--force").exit_code == 0
    assert listed(fieldwise) == []


def test_a_metric_is_followed_through_the_runs(ids: list[str], fieldwise: Call) -> None:
    output = fieldwise("runs", "trend", "fields.score", "--html", "out/trend.html")
    assert output.exit_code == 0
    assert [line.split()[2] for line in output.stdout.splitlines() if line.startswith("20")] == ids[::-1]
    assert Path("out/trend.html").read_text().startswith("<!doctype html>")
    assert fieldwise("runs", "trend", "fields.score", "-o", "a.html", "-o", "a.json").exit_code == 0
    assert Path("a.html").read_text() == Path("out/trend.html").read_text()
    assert [entry["run"] for entry in json.loads(Path("a.json").read_text())["runs"]] == ids[::-1]
    refused = fieldwise("runs", "trend", "fields.score", "-o", "a.pdf")
    assert refused.exit_code == 2
    assert "end the name in .html or .json" in refused.stderr
    actual = json.loads(fieldwise("runs", "trend", "field_prf.macro_f1", "--limit", "2", "--format", "json").stdout)
    assert [entry["run"] for entry in actual["runs"]] == [ids[1], ids[0]]
    unknown = fieldwise("runs", "trend", "fields.scroe")
    assert unknown.exit_code == 2
    assert "did you mean `fields.score`" in unknown.stderr


def test_a_run_of_another_version_is_listed_told_and_can_be_deleted(ids: list[str], fieldwise: Call) -> None:
    manifest = Path(".fieldwise/runs") / ids[0] / "manifest.json"
    manifest.write_bytes(dump_sealed(load_sealed(manifest.read_bytes()) | {"format": 99}))
    assert listed(fieldwise)[0]["state"] == "unreadable"
    assert "unreadable" in fieldwise("runs").stdout
    output = fieldwise("runs", "show")
    assert output.exit_code == 3
    assert "format 99" in output.stderr
    assert fieldwise("runs", "trend", "fields.score").exit_code == 0
    assert fieldwise("runs", "delete", "latest", "--yes").exit_code == 0
    assert [run["id"] for run in listed(fieldwise)] == ids[1:]


def test_an_option_of_the_list_is_not_silently_ignored_by_another_command(ids: list[str], fieldwise: Call) -> None:
    for option in (("--limit", "1"), ("--tag", "a"), ("--format", "json")):
        output = fieldwise("runs", *option, "show")
        assert output.exit_code == 2
        assert f"write {option[0]} after `show`" in output.stderr.replace("\n", " ")


def test_setting_another_baseline_says_which_it_was_before(ids: list[str], fieldwise: Call) -> None:
    assert "instead" not in fieldwise("baseline", "set", ids[1]).stdout
    assert f"instead of run {ids[1]}" in fieldwise("baseline", "set", ids[0]).stdout
    assert " UTC, 3 cases" in fieldwise("baseline", "show").stdout


def test_scores_are_seen_in_80_columns_whatever_the_tags(ids: list[str], fieldwise: Call) -> None:
    from fieldwise.report.stored_runs_view import RunLine, build_runs_table
    from fieldwise.report.terminal_layout import render_text

    fieldwise("runs", "tag", "latest", "a-rather-long-tag-of-a-release")
    now = datetime(2026, 1, 2, tzinfo=UTC)
    seen = {"name": "a-suite-with-a-long-name", "started": now, "scores": {"fields": 0.5, "field_prf": 0.25}, "gates": (1, 1)}
    lines = [
        RunLine(id=ids[0], cases=20_000, exit_code=0, tags=("a-rather-long-tag-of-a-release",), **seen),
        RunLine(id=ids[1], cases=10_240, exit_code=None, state="unfinished", **{**seen, "scores": {}}),
    ]
    for width in (80, 100, 120, 160):
        shown = render_text(build_runs_table(lines, width=width), width=width).split("\n")
        assert all(len(line) <= width for line in shown)
        assert shown[0].split()[-1] == "scores"
        assert shown[1].startswith(f"✓  {ids[0]}")
        assert "0.500" in shown[1]
        assert shown[2].startswith(f"…  {ids[1]}")


def test_a_score_has_its_name_in_100_columns_where_names_of_runs_take_room() -> None:
    from fieldwise.report.stored_runs_view import RunLine, build_runs_table
    from fieldwise.report.terminal_layout import render_text

    now = datetime(2026, 1, 2, tzinfo=UTC)
    scores = {"fields": 0.5, "field_prf": 0.25}
    lines = [
        RunLine(
            id=f"20260102-03040{number}-abcdef",
            name="rating-manual-answers",
            label=f"candidate {number}",
            started=now,
            cases=26,
            exit_code=0,
            scores=scores,
            gates=(3, 3),
        )
        for number in range(2)
    ]
    shown = render_text(build_runs_table(lines, width=100), width=100).split("\n")
    assert all("fields 0.500" in line for line in shown[1:3])


def test_the_name_of_the_only_run_is_shown(folder: Path, fieldwise: Call) -> None:
    fieldwise("run", "small.eval.yaml", "--name", "prompt 7")
    assert "prompt 7" in fieldwise("runs", "--format", "plain").stdout


def test_the_name_of_one_of_several_runs_is_shown(folder: Path, fieldwise: Call) -> None:
    for options in ((), ("--name", "prompt 7"), ()):
        fieldwise("run", "small.eval.yaml", *options)
    assert "prompt 7" in fieldwise("runs", "--format", "plain").stdout
