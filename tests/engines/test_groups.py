"""Groups in a whole run: intervals, limits, remarks, comparison."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from fieldwise.api import compare, run
from fieldwise.cli.app import app
from fieldwise.engines.group_warnings import find_id_groups
from fieldwise.model.diagnostic import ConfigError
from fieldwise.store.baseline import compare_with_baseline, save_baseline
from fieldwise.suite_plan import compile_suite

runner = CliRunner()
SUITE = {
    "cases": "data.jsonl",
    "evaluators": [{"type": "field_accuracy", "name": "fields", "fields": ["total", "name"]}, {"type": "field_prf"}],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_cases(12, 10)
    return tmp_path


def write_cases(documents: int, pages: int, seed: int = 0, *, split: bool = False) -> None:
    """Pages of one document are right or wrong together."""
    rng = np.random.default_rng(seed)
    lines = []
    for document in range(documents):
        is_right = rng.random() < 0.6
        for page in range(pages):
            actual = {"total": page if is_right or rng.random() < 0.2 else -1, "name": "A" if rng.random() < 0.9 else "B"}
            line = {"id": f"doc{document}_p{page}", "expected": {"total": page, "name": "A"}, "actual": actual, "document": f"d{document}"}
            line["tags"] = ["scan"] if document % 2 else ["scan", "old"]
            lines.append(line | ({"split": "test" if page % 2 else "train"} if split else {}))
    Path("data.jsonl").write_text("\n".join(map(json.dumps, lines)))


def test_groups_widen_the_intervals_and_are_counted() -> None:
    alone, grouped = run(SUITE), run(SUITE | {"group": "metadata.document"})
    assert (alone.full.groups, grouped.full.groups) == (None, 12)
    for name in ("score", "pass_rate"):
        before, after = (stored.full.evaluators["fields"].metrics[name] for stored in (alone, grouped))
        assert (before.value, before.groups, after.groups) == (after.value, None, 12)
        assert after.high - after.low > 1.5 * (before.high - before.low)
    field = grouped.full.evaluators["fields"].fields[0]
    assert (field.score.n, field.score.groups) == (120, 12)
    before = alone.full.evaluators["fields"].fields[0].score
    assert field.score.high - field.score.low > 1.5 * (before.high - before.low)
    micro = grouped.full.evaluators["field_prf"].metrics["micro_f1"]
    assert (micro.n, micro.groups) == (120, 12)


def test_groups_of_one_case_are_cases() -> None:
    write_cases(40, 1)
    alone, grouped = run(SUITE), run(SUITE | {"group": "metadata.document"})
    for before, after in zip(alone.full.evaluators.values(), grouped.full.evaluators.values(), strict=True):
        intervals = {name: (metric.value, metric.low, metric.high) for name, metric in before.metrics.items()}
        # the replicates of a group follow from its name, those of a case from its id
        assert {name: pytest.approx(interval, abs=0.02) for name, interval in intervals.items() if None not in interval} == {
            name: (metric.value, metric.low, metric.high) for name, metric in after.metrics.items() if metric.low is not None
        }
        assert after.metrics["pass_rate"].low == before.metrics["pass_rate"].low
        assert after.fields[0].score.low == before.fields[0].score.low


def test_slices_count_groups_and_their_intervals_are_over_groups() -> None:
    alone, grouped = run(SUITE), run(SUITE | {"group": "metadata.document"})
    for name, cases, groups in (("tag:scan", 120, 12), ("tag:old", 60, 6)):
        for metric in ("score", "pass_rate"):
            before, after = (stored.full.evaluators["fields"].slices[name][metric] for stored in (alone, grouped))
            assert (before.value, before.n, before.groups) == (after.value, cases, None)
            assert after.groups == groups
            assert after.high - after.low > 1.5 * (before.high - before.low)
    summary = grouped.full.evaluators["fields"]
    assert summary.slices["tag:scan"]["score"] == summary.metrics["score"]  # every case has the tag
    assert summary.slices["tag:scan"]["pass_rate"] == summary.metrics["pass_rate"]


def test_every_report_states_the_groups_of_slices() -> None:
    Path("pages.eval.yaml").write_text(json.dumps(SUITE | {"group": "metadata.document"}))
    output = runner.invoke(app, ["run", "pages.eval.yaml", "--format", "plain", "--output", "report.html"])
    assert "60 in 6 groups" in output.stdout, output.output
    assert "120 cases in 12 groups" in output.stdout
    assert "in 6 groups" in Path("report.html").read_text()


@pytest.mark.parametrize("chunk", [7, 50])
def test_the_summary_does_not_depend_on_the_batches_that_cut_groups(chunk: int) -> None:
    suite = SUITE | {"group": "metadata.document"}
    assert run(suite, chunk=chunk).full == run(suite).full


def test_workers_find_the_same_groups(folder: Path) -> None:
    suite = SUITE | {"group": "metadata.document"}
    assert run(suite, workers=2).full == run(suite).full


def test_a_limit_takes_whole_groups() -> None:
    stored = run(SUITE | {"group": "metadata.document"}, limit=25)
    assert (stored.full.cases, stored.full.groups) == (20, 2)


def test_groups_resume_as_they_were() -> None:
    from fieldwise.store.errors import Interrupted

    suite = SUITE | {"group": "metadata.document"}

    def interrupt(done: int, share: float | None) -> None:
        if done >= 60:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        run(suite, chunk=20, progress=interrupt)
    resumed = run(suite, chunk=20, resume=True)
    assert resumed.full == run(suite).full
    assert any("60" in diagnostic.what for diagnostic in resumed.diagnostics)


def test_a_path_that_no_case_has_is_a_configuration_error() -> None:
    stored = run(SUITE | {"group": "metadata.documnt"})
    assert stored.exit_code == 2
    assert "unknown-group" in [diagnostic.code for diagnostic in stored.diagnostics]


def test_a_group_that_is_no_path_into_the_case_is_refused() -> None:
    for group, message in (("document", "metadata.document"), ("metadata..document", "empty step")):
        with pytest.raises(ConfigError) as caught:
            compile_suite(SUITE | {"group": group})
        assert message in str(caught.value)


def test_ids_that_look_like_parts_get_a_remark_unless_groups_are_named() -> None:
    codes = {diagnostic.code for diagnostic in run(SUITE).diagnostics}
    assert "likely-groups" in codes
    assert "likely-groups" not in {diagnostic.code for diagnostic in run(SUITE | {"group": "metadata.document"}).diagnostics}


def test_groups_of_very_different_size_get_a_remark() -> None:
    suite = SUITE | {"group": "metadata.document"}
    assert "uneven-groups" not in {diagnostic.code for diagnostic in run(suite).diagnostics}
    lines = Path("data.jsonl").read_text().splitlines()
    Path("data.jsonl").write_text("\n".join([*lines[:20], *lines[20::10]]))  # two documents of ten pages, ten of one
    [remark] = [diagnostic for diagnostic in run(suite).diagnostics if diagnostic.code == "uneven-groups"]
    assert (remark.level, remark.what) == ("info", "the 12 groups differ much in size and weigh about as much as 4 equal ones")


def test_a_group_in_two_splits_is_a_warning() -> None:
    write_cases(4, 6, split=True)
    codes = {diagnostic.code for diagnostic in run(SUITE | {"group": "metadata.document"}).diagnostics}
    assert "divided-group" in codes


def test_selecting_a_split_that_cuts_groups_is_a_warning_and_one_of_whole_groups_is_none() -> None:
    write_cases(4, 6, split=True)
    suite = SUITE | {"group": "metadata.document"}
    Path("pages.eval.yaml").write_text(json.dumps(suite))
    output = runner.invoke(app, ["run", "pages.eval.yaml", "--split", "test", "--format", "json"])
    payload = json.loads(output.stdout)
    [warning] = [note for note in payload["diagnostics"] if note["code"] == "divided-group"]
    assert "4 groups have cases in several splits" in warning["what"]
    assert payload["summary"]["cases"] == 12

    lines = [json.loads(line) for line in Path("data.jsonl").read_text().splitlines()]
    for line in lines:
        line["split"] = "test" if line["document"] in ("d0", "d3") else "train"
    Path("data.jsonl").write_text("\n".join(map(json.dumps, lines)))
    output = runner.invoke(app, ["run", "pages.eval.yaml", "--split", "test", "--format", "json"])
    payload = json.loads(output.stdout)
    assert (payload["summary"]["cases"], payload["summary"]["groups"]) == (12, 2)
    assert "divided-group" not in [note["code"] for note in payload["diagnostics"]]


@pytest.mark.parametrize(
    "ids",
    [
        [f"case-{at}" for at in range(50)],
        [str(at) for at in range(50)],
        [f"INV-2024-{at:03d}" for at in range(400, 450)],
        [f"order-{at}-{at * 7 + 100}" for at in range(50)],
        ["a-1", "b-1", "c-1", "d-1"],
        [],
    ],
)
def test_ordinary_ids_suggest_no_groups(ids: list[str]) -> None:
    assert find_id_groups(ids) is None


@pytest.mark.parametrize("pattern", ["report{}.pdf#page={}", "doc{}_p{}", "{}/{}", "scan-{} row {}"])
def test_pages_and_rows_suggest_groups(pattern: str) -> None:
    groups = find_id_groups([pattern.format(document + 1, page) for document in range(8) for page in range(1, 6)])
    assert groups is not None
    assert len(groups) == 8


def test_a_comparison_tests_by_group_also_with_a_baseline_file() -> None:
    suite = SUITE | {"group": "metadata.document"}
    base = run(suite)
    write_cases(12, 10, seed=5)
    new = run(suite)
    changes = compare(base.id, new.id)
    score = changes.change("fields.score")
    assert (score.n, score.groups, score.test) == (120, 12, "permutation by group")
    assert changes.change("fields.pass_rate").test == "permutation by group"
    from_file = compare_with_baseline(save_baseline(base, "base.json"), new).change("fields.score")
    assert from_file.p == pytest.approx(score.p)
    assert from_file.groups == 12
