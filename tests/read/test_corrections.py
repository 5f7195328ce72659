import json

import pytest

import fieldwise as fw
from fieldwise.model.correction import hash_line, hash_value

EVALUATORS = [{"type": "field_accuracy", "name": "fields", "fields": ["total"]}, {"type": "field_prf"}]
ROWS = [
    {"id": "a", "expected": {"total": 5}, "actual": {"total": 6}},
    {"id": "b", "expected": {"total": 7}, "actual": {"total": 7}},
]


def line(case="a", path="total", old=5, action="replace", value=6, **others):
    return json.dumps(
        {"case": case, "path": path, "expected_hash": hash_value(old), "action": action, "value": value, "by": "ann", **others}
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / "corrections.jsonl").write_text(line() + "\n")
    return tmp_path


def run_suite(source, **options):
    return fw.run({"cases": source, "evaluators": EVALUATORS}, **options)


def check_corrected(run):
    assert run.summary["fields.score"] == 1.0
    assert run.manifest.corrections.applied == 1
    assert run.manifest.corrections.scores["fields"] == {"before": 0.5, "after": 1.0}


def test_corrections_apply_to_one_file_and_to_workers(folder):
    cases = {"file": "data.jsonl", "corrections": "corrections.jsonl"}
    check_corrected(run_suite(cases))
    check_corrected(run_suite(cases, workers=2))


def test_corrections_apply_to_rows_in_memory_and_to_an_iterator(folder):
    check_corrected(run_suite({"corrections": "corrections.jsonl"}, cases=ROWS))
    check_corrected(run_suite({"corrections": "corrections.jsonl"}, cases=iter(ROWS)))
    assert ROWS[0]["expected"] == {"total": 5}


def test_corrections_apply_to_two_files_and_to_records_in_text(folder):
    for side in ("expected", "actual"):
        (folder / f"{side}.jsonl").write_text("".join(json.dumps({"id": row["id"], **row[side]}) + "\n" for row in ROWS))
    check_corrected(run_suite({"expected": "expected.jsonl", "actual": "actual.jsonl", "corrections": "corrections.jsonl"}))
    (folder / "data.csv").write_text('id,expected,actual\na,"{""total"": 5}","{""total"": 6}"\nb,"{""total"": 7}","{""total"": 7}"\n')
    check_corrected(run_suite({"file": "data.csv", "corrections": "corrections.jsonl"}))


def test_a_value_corrected_to_nan_fails_its_field_with_that_reason(folder):
    (folder / "corrections.jsonl").write_text(line(value=float("nan")) + "\n")
    evaluator = {"type": "field_accuracy", "fields": [{"path": "total", "match": "numeric_tolerance", "tolerance": 1}]}
    run = fw.run({"cases": {"file": "data.jsonl", "corrections": "corrections.jsonl"}, "evaluators": [evaluator]})
    [wrong] = run.mismatches()
    assert wrong.passed is False
    assert "NaN" in wrong.note


def test_only_the_corrections_of_selected_cases_are_counted(folder):
    from fieldwise.model.plan import When

    run = run_suite({"file": "data.jsonl", "corrections": "corrections.jsonl"}, only=When(id=("b",)))
    assert run.manifest.corrections.applied == 0
    assert run.manifest.corrections.scores["fields"] == {"before": 1.0, "after": 1.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (line(old=4), r"corrections.jsonl:1: case a: field total: it is stale"),
        (line(path="totl"), r"corrections.jsonl:1: case a: field totl: expected has no value"),
        (line(case="z"), r"corrections.jsonl:1: case z: field total: there is no such case"),
        ("{", r"corrections.jsonl:1: the line cannot be read"),
        (line(action="swap"), r"corrections.jsonl:1: case a: field total: there is no action `swap`"),
        (line(actor="x"), r"no key `actor`"),
        ('{"case": "a", "path": "total", "action": "drop"}', r"`expected_hash` is missing"),
        ('{"action": "undo", "undoes": "sha256:0"}', r"`undo` names no earlier line"),
    ],
)
def test_a_correction_that_cannot_be_applied_is_a_configuration_error(folder, text, message):
    (folder / "corrections.jsonl").write_text(text + "\n")
    with pytest.raises(fw.ConfigError, match=message):
        run_suite({"file": "data.jsonl", "corrections": "corrections.jsonl"})
    assert not fw.runs()


def test_a_missing_file_is_a_configuration_error_and_an_empty_one_is_not(folder):
    with pytest.raises(fw.ConfigError, match="there is no file"):
        run_suite({"file": "data.jsonl", "corrections": "none.jsonl"})
    (folder / "empty.jsonl").write_text("")
    assert run_suite({"file": "data.jsonl", "corrections": "empty.jsonl"}).manifest.corrections.applied == 0


def test_undo_takes_back_the_line_that_it_names(folder):
    undo = json.dumps({"action": "undo", "undoes": hash_line(line(value=9)), "by": "bob"})
    (folder / "corrections.jsonl").write_text(f"{line(value=9)}\n{undo}\n{line()}\n")
    check_corrected(run_suite({"file": "data.jsonl", "corrections": "corrections.jsonl"}))


def test_every_report_shows_how_many_corrections_were_applied_and_the_score_before_and_after(folder):
    from click.testing import CliRunner

    from fieldwise.cli.app import app

    (folder / "s.eval.yaml").write_text(
        json.dumps({"cases": {"file": "data.jsonl", "corrections": "corrections.jsonl"}, "evaluators": EVALUATORS})
    )
    outputs = [f"report.{kind}" for kind in ("html", "json", "md")]
    result = CliRunner().invoke(
        app, ["run", "s.eval.yaml", "--format", "plain", *(part for name in outputs for part in ("--output", name))]
    )
    assert result.exit_code == 0, result.output
    for text in (result.output, *((folder / name).read_text() for name in outputs)):
        assert "0.5" in text
        assert "correction" in text
    assert json.loads((folder / "report.json").read_text())["run"]["corrections"]["scores"]["fields"] == {"before": 0.5, "after": 1.0}
    (folder / "corrections.jsonl").write_text(line(old=4) + "\n")
    for command in ("run", "check"):
        assert CliRunner().invoke(app, [command, "s.eval.yaml"]).exit_code == 2


def test_a_dropped_value_is_left_out_of_the_score(folder):
    (folder / "corrections.jsonl").write_text(line(action="drop", value=None) + "\n")
    run = run_suite({"file": "data.jsonl", "corrections": "corrections.jsonl"}, gates=["field_prf.micro_f1 >= 1"])
    assert run.summary["fields.score"] == 1.0
    assert run.summary["field_prf.false_positives"] == 0


def test_compare_says_that_the_corrections_differ(folder):
    cases = {"file": "data.jsonl", "corrections": "corrections.jsonl"}
    first, same = run_suite(cases), run_suite(cases)
    (folder / "corrections.jsonl").write_text("")
    corrected = run_suite(cases)
    assert not any("corrections" in note for note in fw.compare(first, same).notes)
    assert any("corrections" in note for note in fw.compare(first, corrected).notes)


def test_the_records_of_a_run_keep_what_was_corrected_but_the_data_does_not_change(folder):
    before = (folder / "data.jsonl").read_bytes()
    run = run_suite({"file": "data.jsonl", "corrections": "corrections.jsonl"})
    assert run.case("a").expected == {"total": 6}
    assert (folder / "data.jsonl").read_bytes() == before
