"""SQL over a stored run."""

import json
import sys
from pathlib import Path

import pytest

import fieldwise as fw
from fieldwise.store.errors import StoreError
from fieldwise.store.run import Run, open_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Five cases, two of them wrong in `b`."""
    folder = tmp_path_factory.mktemp("it's sql")
    cases = [{"id": f"c{at}", "expected": {"a": at, "b": "x"}, "actual": {"a": at, "b": "y" if at > 2 else "x"}} for at in range(5)]
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    suite = {
        "name": "s",
        "cases": str(folder / "cases.jsonl"),
        "evaluators": [{"type": "field_accuracy", "name": "fields", "fields": ["a", "b"]}, {"type": "field_prf"}],
    }
    return fw.run(suite, root=folder / "root")


def rows(run: Run, query: str, *parameters: object) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in run.sql(query, parameters).to_pylist()]


def test_the_table_of_fields_is_a_query(run: Run) -> None:
    query = "select field, count(*), avg(passed::int) from comparisons where evaluator = ? group by field order by field"
    assert rows(run, query, "field_prf") == [("a", 5, 1.0), ("b", 5, pytest.approx(0.6))]
    assert rows(run, query, "fields") == [("a", 5, 1.0), ("b", 5, pytest.approx(0.6))]


def test_results_have_metrics_by_name_and_join_their_cases(run: Run) -> None:
    low_scores = rows(run, "select id, f1 from results join cases using (position) where evaluator = 'field_prf' and score < 1 order by id")
    assert low_scores == [("c3", 0.5), ("c4", 0.5)]
    assert rows(run, "select expected ->> '$.a' from cases where id = 'c3'") == [("3",)]


def test_it_says_what_the_summary_says(run: Run) -> None:
    [[score]] = rows(run, "select avg(score) from results where evaluator = 'field_prf'")
    assert score == pytest.approx(run.summary["field_prf.score"])


@pytest.mark.parametrize(
    "query",
    [
        "copy (select 1) to 'out.csv'",
        "explain analyze copy (select 1) to 'out.csv'",
        "create table t as select 1",
        "set threads = 1",
        "attach 'other.db'",
        "select 1; select 2",
        "",
    ],
)
def test_only_one_select_is_answered(run: Run, query: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="only one SELECT"):
        run.sql(query)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("source", ["read_csv('{}')", "read_text('{}')", "'{}'", "glob('{}*')", "secret_table"])
def test_a_query_sees_no_other_file_and_no_variable(run: Run, source: str, tmp_path: Path) -> None:
    other_file = tmp_path / "other.csv"
    other_file.write_text("a,b\n1,2\n")
    secret_table = run.to_arrow()
    assert secret_table.num_rows
    with pytest.raises(ValueError, match="cannot be answered"):
        run.sql(f"select * from {source.format(other_file)}")


def test_a_mistake_in_the_query_is_told(run: Run) -> None:
    with pytest.raises(ValueError, match='"scroe" not found'):
        run.sql("select scroe from results")


def test_a_torn_file_is_an_error_and_not_a_smaller_answer(run: Run, tmp_path: Path) -> None:
    from shutil import copytree

    copytree(run.path, tmp_path / "runs" / run.id)
    copy = open_run(tmp_path, run.id)
    file = next(copy.path.glob("parts/*-results.parquet"))
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(StoreError, match="were written"):
        copy.sql("select 1")
    file.unlink()
    with pytest.raises(StoreError, match=file.name):
        copy.sql("select 1")


def test_a_run_without_parts_has_empty_tables(tmp_path: Path) -> None:
    (tmp_path / "runs" / "20260101-000000-000aaaa").mkdir(parents=True)
    empty = open_run(tmp_path)
    assert rows(empty, "select count(*) from results join cases using (position) join comparisons using (position)") == [(0,)]


def test_without_duckdb_it_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ImportError, match=r"fieldwise\[sql\]"):
        run.sql("select 1")
