"""Data that a program has in memory is scored as the same data in a file."""

import json
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pydantic import BaseModel

import fieldwise as fw

ROWS = [
    {"id": "a", "expected": {"total": 1.5, "tags": ["x"]}, "actual": {"total": 1.5, "tags": ["x"]}},
    {"id": "b", "expected": {"total": 2.0, "tags": []}, "actual": {"total": 3.0, "tags": []}},
    {"id": "c", "expected": {"total": 4.0, "tags": ["y", "z"]}, "actual": {"total": 4.0, "tags": ["y"]}},
]
SUITE = {"name": "memory", "evaluators": [{"type": "field_prf"}]}


class Row(BaseModel):
    id: str
    expected: dict[str, Any]
    actual: dict[str, Any]


@dataclass
class PlainRow:
    id: str
    expected: dict[str, Any]
    actual: dict[str, Any]


class Capsule:
    """Something that speaks Arrow and nothing else."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


FORMS: dict[str, Callable[[], Any]] = {
    "list": lambda: ROWS,
    "tuple": lambda: tuple(ROWS),
    "iterator": lambda: iter(ROWS),
    "generator": lambda: (row for row in ROWS),
    "pydantic": lambda: [Row(**row) for row in ROWS],
    "dataclass": lambda: [PlainRow(**row) for row in ROWS],
    "Case": lambda: [fw.Case(**row) for row in ROWS],
    "pandas": lambda: pd.DataFrame(ROWS),
    "pandas with an index": lambda: pd.DataFrame(ROWS).set_index("id"),
    "polars": lambda: pl.DataFrame(ROWS),
    "arrow table": lambda: pa.Table.from_pylist(ROWS),
    "arrow batch": lambda: pa.RecordBatch.from_pylist(ROWS),
    "arrow reader": lambda: pa.Table.from_pylist(ROWS).to_reader(),
    "arrow stream": lambda: Capsule(pa.Table.from_pylist(ROWS)),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_scores_as_the_file(form: str, tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    in_file = fw.run(SUITE, cases=tmp_path / "cases.jsonl", root=tmp_path)
    in_memory = fw.run(SUITE, cases=FORMS[form](), root=tmp_path)
    assert in_memory.summary == in_file.summary
    assert [result.case for result in in_memory.results()] == ["a", "b", "c"]
    assert in_memory.exit_code == in_file.exit_code


class TestHuggingFaceDatasets:
    def test_rows_come_in_the_order_of_the_dataset(self, tmp_path: Path) -> None:
        datasets = pytest.importorskip("datasets", reason="a large package that only this test needs")
        dataset = datasets.Dataset.from_list(ROWS).select([2, 0])
        for data in (dataset, dataset.to_iterable_dataset()):
            run = fw.run(SUITE, cases=data, root=tmp_path)
            assert [result.case for result in run.results()] == ["c", "a"]
        with pytest.raises(fw.ConfigError, match=r"cases=data\['test'\]"):
            fw.run(SUITE, cases=datasets.DatasetDict(test=dataset), root=tmp_path)


def test_an_absent_key_of_a_pandas_cell_stays_absent(tmp_path: Path) -> None:
    rows = [{"id": "1", "expected": {"a": 1}, "actual": {"a": 1}}, {"id": "2", "expected": {"b": 2}, "actual": {"b": 2}}]
    run = fw.run(SUITE, cases=pd.DataFrame(rows), root=tmp_path)
    assert run.case("1").expected == {"a": 1}


def test_a_pandas_cell_without_a_value_is_null(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": ["1", "2"], "n": [1.0, None], "d": [pd.Timestamp("2024-01-05"), pd.NaT], "s": ["x", None]})
    run = fw.run(SUITE, expected=frame, actual=frame.copy(), root=tmp_path)
    assert run.case("2").expected == {"n": None, "d": None, "s": None}
    assert run.case("1").expected["d"].startswith("2024-01-05")  # pyright: ignore


def test_values_that_json_does_not_have_are_converted(tmp_path: Path) -> None:
    record = {"day": date(2024, 1, 5), "at": datetime(2024, 1, 5, 10, tzinfo=UTC), "price": Decimal("2.50"), "bytes": b"ab"}
    rows = [{"id": "1", "expected": record, "actual": record}]
    for data in (rows, pl.DataFrame(rows), pd.DataFrame(rows)):
        run = fw.run(SUITE, cases=data, root=tmp_path)
        assert run.summary["field_prf.macro_f1"] == 1.0
        assert run.case("1").expected["day"] == "2024-01-05"  # pyright: ignore


def test_a_value_that_json_does_not_know_is_a_problem_of_its_side_alone(tmp_path: Path) -> None:
    rows = [{"id": "1", "expected": {"a": {"b": object()}}, "actual": {"a": 1}}, *ROWS]
    run = fw.run(SUITE, cases=rows, root=tmp_path)
    [problem] = [note for note in run.diagnostics if note.level == "error"]
    assert problem.code == "unreadable-expected"
    assert problem.where.case == "1"
    assert "contains a value of the type `object`" in problem.what


def test_missing_values_of_pandas_inside_records_are_null(tmp_path: Path) -> None:
    rows = [{"id": "1", "expected": {"a": pd.NA, "b": [pd.NaT], "c": 1}, "actual": {"a": None, "b": [None], "c": 1}}]
    for data in (rows, pd.DataFrame(rows)):
        assert fw.run(SUITE, cases=data, root=tmp_path).case("1").expected == {"a": None, "b": [None], "c": 1}


EXPECTED = [{"key": 7, "vendor": "Acme", "total": 5}, {"key": 8, "vendor": "Lang", "total": 6}]
ACTUAL = [{"doc_id": 8, "vendor": "Lang", "total": 6}, {"doc_id": 7, "vendor": "Acme", "total": 9}]
TWO_FIELDS = {"evaluators": [{"type": "field_accuracy", "fields": ["vendor", "total"]}]}


class TestTwoSides:
    @pytest.mark.parametrize("wrap", [list, iter, pd.DataFrame, pl.DataFrame, pa.Table.from_pylist])
    def test_rows_pair_by_ids_with_different_names(self, wrap: Callable[[Any], Any], tmp_path: Path) -> None:
        run = fw.run(TWO_FIELDS, expected=wrap(EXPECTED), actual=wrap(ACTUAL), on=("key", "doc_id"), root=tmp_path)
        assert {result.case: result.result.misses for result in run.results()} == {"7": ["total"], "8": []}

    def test_one_name_serves_both_sides(self, tmp_path: Path) -> None:
        actual = [{"key": row["doc_id"], **row} for row in ACTUAL]
        run = fw.run(TWO_FIELDS, expected=EXPECTED, actual=actual, on="key", root=tmp_path)
        assert {result.case: result.result.misses for result in run.results()} == {"7": ["total"], "8": []}

    def test_a_side_may_be_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in EXPECTED))
        run = fw.run(TWO_FIELDS, expected=tmp_path / "gold.jsonl", actual=pl.DataFrame(ACTUAL), on=("key", "doc_id"), root=tmp_path)
        assert run.full.cases == 2

    def test_models_without_an_id_pair_by_position_and_say_so(self, tmp_path: Path) -> None:
        class Invoice(BaseModel):
            total: int

        run = fw.run({"evaluators": [{"type": "field_prf"}]}, expected=[Invoice(total=1)], actual=[{"total": 1}], root=tmp_path)
        assert run.summary["field_prf.macro_f1"] == 1.0
        assert "paired by their number" in " ".join(note.what for note in run.diagnostics)


def run_with(**data: Any) -> None:
    fw.run(SUITE, **data)


@pytest.mark.parametrize(
    ("data", "fix"),
    [
        ({"cases": 5}, "a list of records"),
        ({"cases": ["text"]}, "give dicts, pydantic models or dataclasses"),
        ({"cases": {"id": [1], "expected": [2]}}, "rows, not columns"),
        ({"cases": {"expected": 1, "actual": 1}}, "fw.evaluate scores a single case"),
        ({"cases": {"test": pa.table({"a": [1]})}}, "choose one of its splits: cases=data['test']"),
        ({"cases": pl.DataFrame(ROWS).lazy()}, "cases=frame.collect()"),
        ({"cases": pd.Series([1])}, "give a frame"),
        ({"cases": pl.Series([1])}, "a list of records"),
        ({"cases": Row}, "a list of records"),
        ({"cases": pd.DataFrame([[1, 2]], columns=["a", "a"])}, "its own name"),
        ({"cases": pa.table([[1], [2]], names=["a", "a"])}, "its own name"),
        ({"expected": ["a"], "actual": ["b"]}, "give pairs"),
        ({"expected": ROWS}, "give `actual=` too"),
        ({"cases": ROWS, "actual": ROWS}, "either `cases`, or the two sides"),
        ({"cases": ROWS, "on": "id"}, "give `expected=` and `actual=`"),
        ({"expected": ROWS, "actual": ROWS, "on": ["id", "id"]}, 'on=("key", "doc_id")'),
        ({"cases": iter(ROWS), "resume": True}, "put them in a file or a list"),
    ],
)
def test_wrong_data_is_a_configuration_error_with_the_fix(data: dict[str, Any], fix: str) -> None:
    with pytest.raises(fw.ConfigError) as error:
        run_with(**data)
    assert fix in str(error.value.diagnostics[0].fix)


def test_a_bad_row_is_a_problem_of_that_case_only(tmp_path: Path) -> None:
    run = fw.run(SUITE, cases=[*ROWS, "text"], root=tmp_path)
    assert run.full.cases == 4
    assert run.exit_code == 3


def test_workers_say_what_they_need(tmp_path: Path) -> None:
    run = fw.run(SUITE, cases=ROWS, workers=2, root=tmp_path)
    assert [note.fix for note in run.diagnostics if note.code == "one-piece"] == [
        "workers need JSONL or Parquet files: write the data to one, and give its path"
    ]


def test_no_rows_are_nothing_evaluated(tmp_path: Path) -> None:
    assert fw.run(SUITE, cases=[], root=tmp_path).exit_code == fw.run(SUITE, cases=pl.DataFrame(), root=tmp_path).exit_code == 4


def test_a_limit_reads_no_more_of_an_endless_iterator_than_it_needs(tmp_path: Path) -> None:
    def endless() -> Iterator[dict[str, Any]]:
        number = 0
        while True:
            number += 1
            yield {"id": number, "expected": {"a": 1}, "actual": {"a": 1}}

    assert fw.run(SUITE, cases=endless(), limit=5, chunk=5, root=tmp_path).full.cases == 5


def test_the_rows_of_a_frame_are_read_in_batches() -> None:
    from fieldwise.model.plan import Source
    from fieldwise.read.cases import read_cases
    from fieldwise.read.in_memory import wrap_rows

    count = 20_000
    frame = pl.DataFrame({"id": range(count), "expected": [f"text {n}" for n in range(count)], "actual": ["y"] * count})
    rows = wrap_rows(frame, "cases")
    tracemalloc.start()
    total = sum(len(cases) for cases in read_cases(Source(cases=rows.name, memory={"cases": rows})))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert total == count
    assert peak < 1_900_000, "a third of what all cases take"


def test_evaluate_given_many_records_says_to_use_run() -> None:
    config = {"type": "field_accuracy", "fields": ["total"]}
    result = fw.evaluate(config, expected=[{"total": 1}] * 20, actual=[{"total": 1}] * 20)
    assert result.status == "skipped"
    assert "fw.run(suite, expected=" in result.reasoning
    assert "fw.run" not in fw.evaluate(config, expected={"a": 1}, actual={"a": 1}).reasoning
    for evaluator in ("field_accuracy", "field_prf", "json_quality"):
        result = fw.evaluate({"type": evaluator}, expected=[{"total": 1}] * 2, actual=[{"total": 1}] * 2)
        assert result.hits
        assert "fw.run(suite, expected=" in result.reasoning


def test_evaluate_takes_a_list_for_one_case_if_its_rules_or_its_length_say_so() -> None:
    rows = [{"total": 1}] * 2
    for config in ({"type": "field_accuracy", "fields": ["[*].total"]}, {"type": "tool_trajectory"}):
        assert "fw.run" not in fw.evaluate(config, expected=rows, actual=rows).reasoning
    assert "fw.run" not in fw.evaluate({"type": "field_prf"}, expected=[{"total": 1}], actual=[{"total": 1}]).reasoning


@pytest.mark.parametrize("table", [pd.DataFrame(ROWS), pl.DataFrame(ROWS), pa.Table.from_pylist(ROWS)])
def test_evaluate_refuses_a_table(table: Any) -> None:
    with pytest.raises(fw.ConfigError, match=r"fw\.run"):
        fw.evaluate(SUITE["evaluators"][0], expected=table, actual=table)  # pyright: ignore
    with pytest.raises(fw.ConfigError, match=r"fw\.diff takes one"):
        fw.diff(table, table)


class TestIndexesOfPandas:
    FRAME = pd.DataFrame({"vendor": ["Acme", "Lang"], "total": [5, 6]}, index=["x", "y"])

    def test_an_index_that_repeats_a_column_is_left_out(self, tmp_path: Path) -> None:
        frame = self.FRAME.assign(id=["a", "b"]).set_index("id", drop=False)
        run = fw.run(TWO_FIELDS, expected=frame, actual=frame.iloc[::-1], on="id", root=tmp_path)
        assert [result.case for result in run.results()] == ["a", "b"]
        assert run.summary["field_accuracy.score"] == 1.0
        with pytest.raises(fw.ConfigError, match="different values"):
            fw.run(TWO_FIELDS, expected=frame.assign(id=["b", "a"]), actual=frame, on="id")

    def test_rows_are_not_paired_by_position_where_the_indexes_differ(self, tmp_path: Path) -> None:
        with pytest.raises(fw.ConfigError, match="rename_axis"):
            fw.run(TWO_FIELDS, expected=self.FRAME, actual=self.FRAME.iloc[::-1])
        named = self.FRAME.rename_axis("id")
        assert fw.run(TWO_FIELDS, expected=named, actual=named.iloc[::-1], on="id", root=tmp_path).summary["field_accuracy.score"] == 1.0
        assert fw.run(TWO_FIELDS, expected=self.FRAME, actual=self.FRAME.copy(), root=tmp_path).summary["field_accuracy.score"] == 1.0

    def test_columns_with_levels_are_refused(self) -> None:
        frame = pd.DataFrame([[1, 1]], columns=pd.MultiIndex.from_tuples([("expected", "a"), ("actual", "a")]))
        with pytest.raises(fw.ConfigError, match="columns have levels"):
            fw.run(SUITE, cases=frame)


class TestIds:
    def test_whole_numbers_pair_whether_a_frame_has_them_as_floats_or_not(self, tmp_path: Path) -> None:
        expected = pd.DataFrame({"id": [1, 2], "vendor": ["Acme", "Lang"], "total": [5, 6]})
        run = fw.run(TWO_FIELDS, expected=expected, actual=expected.assign(id=[1.0, 2.0]), on="id", root=tmp_path)
        assert run.summary["field_accuracy.score"] == 1.0

    def test_a_row_without_an_id_pairs_with_nothing(self, tmp_path: Path) -> None:
        expected = [{"id": 1, "vendor": "Acme", "total": 5}, {"id": None, "vendor": "Lang", "total": 6}]
        actual = [{"id": 1, "vendor": "Acme", "total": 5}, {"id": 2, "vendor": "Lang", "total": 6}]
        run = fw.run(TWO_FIELDS, expected=expected, actual=actual, on="id", root=tmp_path)
        assert [result.result.score for result in run.results()] == [1.0, 0.0]
        assert any(note.code == "no-id" for note in run.diagnostics)


def test_polars_columns_of_python_objects_are_refused() -> None:
    frame = pl.DataFrame({"id": [1], "expected": pl.Series([object()], dtype=pl.Object), "actual": ["x"]})
    with pytest.raises(fw.ConfigError, match=r"cases=frame\.to_dicts\(\)"):
        fw.run(SUITE, cases=frame)


def test_one_record_in_place_of_many_is_refused_with_the_fix() -> None:
    for row in (PlainRow(**ROWS[0]), Row(**ROWS[0])):
        with pytest.raises(fw.ConfigError, match=r"give a list: cases=\[record\]"):
            fw.run(SUITE, cases=row)


def test_frames_with_other_indexes_are_refused_without_a_warning_of_pandas() -> None:
    frame = pd.DataFrame({"total": [1, 2, 3]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(fw.ConfigError, match="their indexes differ"):
            fw.run(SUITE, expected=frame, actual=frame.iloc[::-1])


class TestTheSameObjectOnBothSides:
    """The same data as expected and as actual measures nothing."""

    ROWS: ClassVar = [{"id": 1, "left": {"x": 1}, "right": {"x": 2}}]

    @pytest.mark.parametrize("data", [ROWS, pd.DataFrame([{"id": 1, "x": 1}]), pa.table({"id": [1], "x": [1]})])
    def test_is_refused_as_the_same_file_is(self, tmp_path: Path, data: Any) -> None:
        with pytest.raises(fw.ConfigError, match="`expected` and `actual` are the same object"):
            fw.run({"evaluators": [{"type": "field_prf"}]}, expected=data, actual=data, on="id", root=tmp_path)

    def test_is_allowed_where_the_suite_says_so_or_the_records_differ(self, tmp_path: Path) -> None:
        suite: dict[str, Any] = {"cases": {"expected": "e", "actual": "a", "allow_same_sides": True}, "evaluators": [{"type": "field_prf"}]}
        assert fw.run(suite, expected=self.ROWS, actual=self.ROWS, on="id", root=tmp_path).summary["field_prf.score"] == 1.0
        suite["cases"] = {"expected": {"file": "e", "record": "left"}, "actual": {"file": "a", "record": "right"}}
        assert fw.run(suite, expected=self.ROWS, actual=self.ROWS, on="id", root=tmp_path).summary["field_prf.score"] == 0.0
