"""Comparisons of one result and of a run, as one public type."""

import pytest

import fieldwise as fw

RECORDS = [{"id": n, "total": n, "tags": [n], "name": "Acme"} for n in range(3)]
OUTPUTS = [{"id": n, "total": n + (n == 2), "tags": [n], "name": {"value": "Acme", "confidence": 0.5}} for n in range(3)]
SUITE = {"name": "s", "evaluators": [{"type": "field_accuracy", "fields": ["total", "tags", "name", "absent"]}]}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> fw.Run:
    suite = {"name": "s", "evaluators": [{"type": "field_accuracy"}]}
    return fw.run(suite, expected=RECORDS, actual=OUTPUTS, on="id", root=tmp_path_factory.mktemp("runs"))


def evaluate() -> fw.Result:
    return fw.evaluate(SUITE["evaluators"][0], expected=RECORDS[2], actual=OUTPUTS[2])


def test_results_and_runs_share_one_type(run: fw.Run) -> None:
    for comparisons in (evaluate().comparisons, run.comparisons(), run.mismatches(), next(iter(run.results())).comparisons):
        assert isinstance(comparisons, fw.Comparisons)
        assert len(comparisons) == len(list(comparisons)) == comparisons.to_arrow().num_rows
        assert len(comparisons.to_pandas()) == len(comparisons.to_polars()) == len(comparisons)
    assert not isinstance([], fw.Comparisons)


def test_a_result_has_the_columns_of_a_run(run: fw.Run) -> None:
    of_run = run.comparisons(case="2")
    of_result = evaluate().comparisons
    assert set(of_run.to_arrow().column_names) - set(of_result.to_arrow().column_names) == {"case", "evaluator"}
    assert of_result.to_arrow().schema.field("expected").type == of_run.to_arrow().schema.field("expected").type


def test_values_keep_their_types_in_pandas_and_are_text_in_arrow() -> None:
    comparisons = evaluate().comparisons
    assert comparisons.to_pandas().expected.tolist()[0] == 2
    assert comparisons.to_arrow().column("expected").to_pylist()[0] == "2"
    assert comparisons.to_pandas().query("outcome == 'wrong_value'").path.tolist() == ["total"]


def test_a_result_made_by_a_plug_in_converts_its_list() -> None:
    made = fw.Result(score=1.0, comparisons=[*evaluate().comparisons])  # pyright: ignore[reportArgumentType]
    assert isinstance(made.comparisons, fw.Comparisons)
    assert fw.Result().comparisons == []
    assert fw.Result().comparisons.to_arrow().num_rows == 0
