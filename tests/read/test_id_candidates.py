"""Several columns that could be the id: values decide between them, or the suite must."""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.plan import Source
from fieldwise.read.cases import read_cases
from fieldwise.read.id_candidates import find_repeating_ids
from fieldwise.read.shards import ShardReader, split_source

SIDES = {"expected": {"x": 1}, "actual": {"x": 1}}


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def read(source: Source, **options: Any) -> tuple[list[str], list[Diagnostic]]:
    reader = read_cases(source, **options)
    ids = [case_id for cases in reader for case_id in cases.id]
    return ids, reader.diagnostics


def list_errors(diagnostics: list[Diagnostic]) -> list[str]:
    return [diagnostic.what for diagnostic in diagnostics if diagnostic.level == "error"]


def describe_id(diagnostics: list[Diagnostic]) -> list[str]:
    return [diagnostic.what for diagnostic in diagnostics if "is read as id" in diagnostic.what]


class TestOneFile:
    def test_two_columns_that_both_identify_the_rows_ask_for_columns(self, tmp_path: Path) -> None:
        file = write(tmp_path / "c.jsonl", [{"doc_id": "1", "question_id": "9", **SIDES}, {"doc_id": "2", "question_id": "8", **SIDES}])
        ids, diagnostics = read(Source(cases=file))
        assert ids == []
        assert list_errors(diagnostics) == ["`doc_id` and `question_id` could both be id"]
        assert diagnostics[0].fix == "say which one: columns: {id: doc_id}, or `init --column id=doc_id`"
        assert read(Source(cases=file, columns={"id": "question_id"}))[0] == ["9", "8"]

    @pytest.mark.parametrize("second", ["1", None, ""])
    def test_the_only_column_with_a_value_for_each_row_is_the_id_and_the_run_says_so(self, tmp_path: Path, second: Any) -> None:
        rows = [{"doc_id": "1", "question_id": "9", **SIDES}, {"doc_id": second, "question_id": "8", **SIDES}]
        ids, diagnostics = read(Source(cases=write(tmp_path / "c.jsonl", rows)))
        assert ids == ["9", "8"]
        reason = "it does not have one value for each row"
        assert describe_id(diagnostics) == [f"the column `question_id` is read as id, not `doc_id`: {reason}"]

    def test_a_limit_does_not_change_which_column_is_the_id(self, tmp_path: Path) -> None:
        rows = [{"doc_id": "1", "question_id": str(number), **SIDES} for number in range(3)]
        assert read(Source(cases=write(tmp_path / "c.jsonl", rows)), limit=1)[0] == ["0"]

    def test_id_itself_wins(self, tmp_path: Path) -> None:
        file = write(tmp_path / "c.jsonl", [{"id": "7", "doc_id": "1", "question_id": "9", **SIDES}])
        ids, diagnostics = read(Source(cases=file))
        assert (ids, list_errors(diagnostics)) == (["7"], [])

    def test_a_shard_reads_the_id_that_the_first_rows_decided(self, tmp_path: Path) -> None:
        rows = [{"doc_id": "1", "question_id": str(number), **SIDES} for number in range(3)]
        source = Source(cases=write(tmp_path / "c.jsonl", rows))
        reader = read_cases(source)
        list(reader)
        shards = split_source(source)
        assert shards is not None
        [shard] = shards
        shard_reader = ShardReader(source, shard, reader.columns_seen.roles, frozenset(), 2)
        assert [case_id for cases in shard_reader for case_id in cases.id] == ["0", "1", "2"]

    def test_three_candidates_are_all_named(self, tmp_path: Path) -> None:
        file = write(tmp_path / "c.jsonl", [{"doc_id": "1", "question_id": "9", "uuid": "u", **SIDES}])
        assert list_errors(read(Source(cases=file))[1]) == ["`doc_id`, `question_id` and `uuid` could all be id"]

    def test_one_candidate_needs_no_evidence(self) -> None:
        assert find_repeating_ids(["doc_id", "x"], [{"doc_id": "1"}, {"doc_id": "1"}]) == {}


class TestTwoFiles:
    EXPECTED = ({"doc_id": "1", "question_id": "8", "x": 1}, {"doc_id": "2", "question_id": "9", "x": 2})

    def read_sides(self, folder: Path, actual: list[dict[str, Any]], **options: Any) -> tuple[list[Any], list[Diagnostic]]:
        source = Source(expected=write(folder / "e.jsonl", [*self.EXPECTED]), actual=write(folder / "a.jsonl", actual), **options)
        reader = read_cases(source)
        pairs = [(case_id, value) for cases in reader for case_id, value in zip(cases.id, cases.actual, strict=True)]
        return pairs, reader.diagnostics

    def test_two_columns_that_both_pair_the_sides_ask_for_columns(self, tmp_path: Path) -> None:
        actual = [{"doc_id": "2", "question_id": "8", "x": 1}, {"doc_id": "1", "question_id": "9", "x": 2}]
        pairs, diagnostics = self.read_sides(tmp_path, actual)
        assert pairs == []
        assert list_errors(diagnostics) == ["`doc_id` and `question_id` could both be id"] * 2
        pairs, diagnostics = self.read_sides(tmp_path, actual, columns={"id": "question_id"})
        assert [case_id for case_id, _ in pairs] == ["8", "9"]
        assert list_errors(diagnostics) == []

    def test_the_only_column_with_values_in_common_is_the_id_and_the_run_says_so(self, tmp_path: Path) -> None:
        actual = [{"doc_id": "2", "question_id": "m-1", "x": 2}, {"doc_id": "1", "question_id": "m-2", "x": 1}]
        pairs, diagnostics = self.read_sides(tmp_path, actual)
        assert [(case_id, value["x"]) for case_id, value in pairs] == [("1", 1), ("2", 2)]
        assert (
            describe_id(diagnostics) == ["the column `doc_id` is read as id, not `question_id`: its values do not pair the two sides"] * 2
        )

    def test_a_column_that_only_one_side_has_is_not_the_id(self, tmp_path: Path) -> None:
        pairs, diagnostics = self.read_sides(tmp_path, [{"doc_id": "2", "x": 2}, {"doc_id": "1", "x": 1}])
        assert [(case_id, value["x"]) for case_id, value in pairs] == [("1", 1), ("2", 2)]
        assert any("not `question_id`" in what for what in describe_id(diagnostics))

    def test_join_and_the_id_of_a_side_decide(self, tmp_path: Path) -> None:
        actual = [{"doc_id": "2", "question_id": "8", "x": 1}, {"doc_id": "1", "question_id": "9", "x": 2}]
        pairs, diagnostics = self.read_sides(tmp_path, actual, join="question_id")
        assert [value["x"] for _, value in pairs] == [1, 2]
        assert list_errors(diagnostics) == []

    def test_join_decides_where_a_column_holds_the_record(self, tmp_path: Path) -> None:
        expected = write(tmp_path / "gold.jsonl", [{"doc_id": "1", "question_id": "8", "expected": {"x": 1}}])
        actual = write(tmp_path / "out.jsonl", [{"doc_id": "5", "question_id": "8", "actual": {"x": 1}}])
        ids, diagnostics = read(Source(expected=expected, actual=actual, join="question_id"))
        assert (ids, list_errors(diagnostics)) == (["8"], [])

    def test_the_names_of_files_decide_between_the_columns_of_a_table(self, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        for name in ("8", "9"):
            (tmp_path / "out" / f"{name}.json").write_text('{"x": 1}')
        source = Source(expected=write(tmp_path / "e.jsonl", [*self.EXPECTED]), actual=str(tmp_path / "out"))
        ids, diagnostics = read(source)
        assert (ids, list_errors(diagnostics)) == (["8", "9"], [])

    def test_a_run_with_an_ambiguous_id_is_a_configuration_error(self, tmp_path: Path) -> None:
        rows = [*self.EXPECTED]
        with pytest.raises(fw.ConfigError, match="could both be id"):
            fw.run({"evaluators": [{"type": "field_accuracy", "fields": ["x"]}]}, expected=rows, actual=[*rows], root=tmp_path)

    @pytest.mark.parametrize("chunk", [1, 100])
    def test_the_size_of_a_batch_does_not_change_which_column_is_the_id(self, tmp_path: Path, chunk: int) -> None:
        rows = [{"doc_id": str(number // 2), "question_id": str(number), "x": 1} for number in range(6)]
        files = write(tmp_path / "e.jsonl", rows), write(tmp_path / "a.jsonl", rows[::-1])
        assert read(Source(expected=files[0], actual=files[1]), chunk=chunk)[0] == [str(number) for number in range(6)]
        cases = write(tmp_path / "c.jsonl", [{**row, **SIDES} for row in rows])
        assert read(Source(cases=cases), chunk=chunk)[0] == [str(number) for number in range(6)]
