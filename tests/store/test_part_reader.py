"""Part of a run, without reading the rest."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

import fieldwise as fw
from fieldwise.store.run import Run


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The embedded invoices."""
    return fw.run(Path(fw.__file__).parent / "demo" / "invoices.eval.yaml", root=tmp_path_factory.mktemp("demo"))


def test_results_at_positions_are_those_of_the_whole_run(demo: Run) -> None:
    whole = [stored for stored in demo.results("fields") if stored.position in (3, 1, 20)]
    assert list(demo.results_at([20, 3, 1, 3], "fields")) == whole
    assert [stored.evaluator for stored in demo.results_at([5])] == demo.evaluators


def test_no_position_gives_no_result(demo: Run) -> None:
    assert list(demo.results_at([])) == []
    assert list(demo.results_at([10_000])) == []


def test_scores_have_a_row_for_each_case_with_its_position(demo: Run) -> None:
    scores = demo.scores("field_prf").to_pylist()
    stored = list(demo.results("field_prf"))
    assert [(row["case"], row["id"], row["score"], row["verdict"], row["status"]) for row in scores] == [
        (result.position, result.case, result.result.score, result.result.verdict, result.result.status) for result in stored
    ]
    assert {row["fault"] for row in scores if row["status"] == "error"} == {"system"}


def test_parquet_is_the_table_of_the_run(demo: Run, tmp_path: Path) -> None:
    (tmp_path / "run.parquet").write_bytes(demo.to_parquet())
    assert pq.read_table(tmp_path / "run.parquet").equals(demo.to_arrow())
