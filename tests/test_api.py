"""The public names: what the page of the contract shows, run."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw


class TestEvaluate:
    def test_the_example_of_a_result(self) -> None:
        result = fw.evaluate({"type": "field_accuracy", "fields": [{"path": "a", "match": "exact"}]}, expected={"a": 1}, actual={"a": 1})
        assert (result.score, result.verdict, result.hits, result.misses) == (1.0, "pass", ["a"], [])
        assert (result.reasoning, result.status) == ("1/1 fields matched", "scored")
        (comparison,) = result.comparisons
        assert (comparison.path, comparison.outcome, comparison.expected, comparison.actual) == ("a", "match", 1, 1)
        assert (comparison.similarity, comparison.passed, comparison.cause) == (1.0, True, None)
        json.dumps(result.to_json())

    def test_null_is_a_miss_that_says_so(self) -> None:
        config = {"type": "field_accuracy", "fields": ["invoice.total"]}
        assert fw.evaluate(config, expected={"invoice": {"total": 5}}, actual={"invoice": {"total": None}}).misses == [
            "invoice.total (null value)"
        ]

    @pytest.mark.parametrize("kind", ["field_prf", "json_quality", "field_accuracy"])
    def test_a_key_that_is_no_text_is_not_overlooked(self, kind: str) -> None:
        result = fw.evaluate({"type": kind}, expected={2024: 2, "a": 1}, actual={2024: 3, "a": 1})
        assert [miss.strip('[]"') for miss in result.misses] == ["2024"]
        assert not fw.diff({2024: 2}, {2024: 3}).same

    def test_without_fields_the_rules_are_inferred(self) -> None:
        expected, actual = {"vendor": "Acme Corp", "lines": [{"n": 1}]}, {"vendor": "ACME CORP", "lines": [{"n": 2}]}
        result = fw.evaluate({"type": "field_accuracy"}, expected=expected, actual=actual)
        assert (result.status, result.misses) == ("scored", ["lines[0].n (required, missing)", "lines[+0].n (extra)"])

    def test_the_rest_of_a_case_reaches_the_evaluator(self) -> None:
        result = fw.evaluate(
            {"type": "retrieval", "k": [1]},
            contexts=[{"id": "a"}, {"id": "b"}],
            metadata={"relevant_ids": ["a"]},
            id="7",
            input="q",
            actual="x",
        )
        assert (result.status, result.score) == ("scored", 1.0)

    def test_a_case_that_when_leaves_out_is_skipped(self) -> None:
        config = {"type": "field_prf", "when": {"id": "inv-*"}}
        assert fw.evaluate(config, expected={"a": 1}, actual={"a": 1}, id="inv-7").score == 1.0
        left_out = fw.evaluate(config, expected={"a": 1}, actual={"a": 1}, id="po-7")
        assert (left_out.status, left_out.verdict, left_out.reasoning) == ("skipped", None, "`when` leaves this case out")

    def test_a_mismatch_has_its_likely_cause(self) -> None:
        result = fw.evaluate({"type": "field_prf"}, expected={"vendor": "Acme"}, actual={"vendor": "ACME"})
        assert result.comparisons[0].cause == "letter_case"

    def test_a_bad_configuration_raises_with_every_problem(self) -> None:
        with pytest.raises(fw.ConfigError) as error:
            fw.evaluate(
                {"type": "field_accuracy", "fields": [{"path": "a", "match": "fuzy"}], "agregation": "x", "weight": -1}, expected={}
            )
        assert len(error.value.diagnostics) == 3
        assert all(isinstance(diagnostic, fw.Diagnostic) for diagnostic in error.value.diagnostics)

    @pytest.mark.parametrize("config", [{}, {"type": "nothing"}, {"type": None}, {"type": "field_prf", "when": 5}])
    def test_no_configuration_is_guessed(self, config: dict[str, Any]) -> None:
        with pytest.raises(fw.ConfigError):
            fw.evaluate(config, expected={}, actual={})


class TestMatch:
    def test_a_matcher_on_its_own(self) -> None:
        assert fw.match("fuzzy", expected=["Acme"], actual=["ACME"]).value.tolist() == [1.0]
        assert fw.match("numeric_tolerance", expected=[100, 100, 0], actual=[100.5, 103, 0.5], tolerance=1).value.tolist() == [
            1.0,
            0.0,
            1.0,
        ]

    def test_an_unknown_match_or_option_is_refused(self) -> None:
        with pytest.raises(fw.ConfigError, match="Invalid match type: fuzy"):
            fw.match("fuzy", expected=["a"], actual=["a"])
        with pytest.raises(fw.ConfigError, match="tresholt"):
            fw.match("fuzzy", expected=["a"], actual=["a"], tresholt=0.5)

    def test_every_pair_needs_both_values(self) -> None:
        with pytest.raises(ValueError, match="expected has 1 values and actual 2"):
            fw.match("exact", expected=[1], actual=[1, 2])

    def test_columns_may_be_any_iterables_but_no_single_values(self) -> None:
        assert fw.match("fuzzy", expected=iter(["Acme"]), actual=("ACME",)).value.tolist() == [1.0]  # type: ignore[arg-type]
        for single in ("Acme", b"Acme", {"a": 1}, 5, None):
            with pytest.raises(ValueError, match=r"actual is one value, not a list of values: write actual=\[\.\.\.\]"):
                fw.match("fuzzy", expected=["Acme"], actual=single)  # type: ignore[arg-type]

    def test_no_pairs_are_no_scores(self) -> None:
        assert fw.match("exact", expected=[], actual=[]).value.tolist() == []


class TestDiff:
    def test_differences_are_explained(self) -> None:
        difference = fw.diff({"vendor": "Acme", "total": 100.5}, {"vendor": "Acme", "total": 1005.0})
        assert not difference.same
        assert [comparison.path for _, comparison in difference.differences] == ["total"]

    def test_what_is_the_same_says_so(self) -> None:
        difference = fw.diff({"a": [1, {"b": None}]}, {"a": [1.0, {"b": None}]})
        assert difference.same
        assert str(difference) == "nothing differs"


class TestRun:
    def suite(self, folder: Path, text: str) -> Path:
        lines = [
            {"id": "good", "expected": {"a": 1, "b": "x"}, "actual": {"a": 1, "b": "x"}},
            {"id": "bad", "expected": {"a": 1, "b": "x"}, "actual": {"a": 2, "b": "x"}},
            {"id": "none", "expected": {"a": 1, "b": "x"}},
        ]
        (folder / "cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        (folder / "s.eval.yaml").write_text(text)
        return folder / "s.eval.yaml"

    def test_a_suite_is_run_and_its_gates_judged(self, tmp_path: Path) -> None:
        text = "name: s\ncases: cases.jsonl\nevaluators:\n  - {type: field_prf}\ngate: {field_prf.macro_f1: '>= 0.4'}\n"
        run = fw.run(self.suite(tmp_path, text), root=tmp_path / "runs")
        assert run.summary["field_prf.macro_f1"] == pytest.approx((1 + 0.5 + 0) / 3)
        assert run.summary["field_prf.micro_recall"] == pytest.approx(3 / 6)
        assert run.exit_code == 0

    def test_the_size_of_batches_changes_nothing(self, tmp_path: Path) -> None:
        text = "name: s\ncases: cases.jsonl\nevaluators:\n  - {type: field_prf}\n  - {type: json_quality, default_text: EXACT}\n"
        suite = self.suite(tmp_path, text)
        whole, single = (dict(fw.run(suite, root=tmp_path / f"runs{chunk}", chunk=chunk).summary) for chunk in (256, 1))
        assert whole == pytest.approx(single)

    @pytest.mark.parametrize("kind", ["field_accuracy", "field_prf", "json_quality", "answer_quality", "is_json", "length"])
    def test_metrics_of_a_stored_result_are_those_of_evaluate_counts_and_all(self, tmp_path: Path, kind: str) -> None:
        options: dict[str, dict[str, Any]] = {"json_quality": {"default_text": "EXACT"}, "length": {"max": 20}}
        config = {"type": kind, **options.get(kind, {})}
        sides: list[tuple[Any, Any]] = [({"a": 1, "b": "x"}, {"a": 1, "c": 2}), ({"a": 1}, {"a": 1}), ({"a": 2}, {"a": "long text"})]
        lines = [json.dumps({"id": str(at), "expected": expected, "actual": actual}) for at, (expected, actual) in enumerate(sides)]
        (tmp_path / "cases.jsonl").write_text("\n".join(lines))
        run = fw.run({"name": "s", "cases": str(tmp_path / "cases.jsonl"), "evaluators": [config]}, root=tmp_path / "runs")
        stored = [{name: (type(value), value) for name, value in expected.metrics.items()} for expected in run.results()]
        said = [fw.evaluate(config, expected=expected, actual=actual, id=str(at)).metrics for at, (expected, actual) in enumerate(sides)]
        assert stored == [{name: (type(value), value) for name, value in metrics.items()} for metrics in said]

    def test_rules_are_inferred_from_all_cases_whatever_the_size_of_batches(self, tmp_path: Path) -> None:
        cases = [
            {"expected": {"day": f"2026-01-{at % 27 + 1:02}" if at < 560 else "n/a"}, "actual": {"day": "2026-01-02"}} for at in range(600)
        ]
        (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
        suite = {"name": "s", "cases": str(tmp_path / "cases.jsonl"), "evaluators": [{"type": "field_accuracy"}]}
        few, many = (fw.run(suite, root=tmp_path / f"runs{chunk}", chunk=chunk) for chunk in (256, 600))
        notes = [[note.what for note in run.manifest.diagnostics if note.code == "inferred-rule"] for run in (few, many)]
        assert notes[0] == notes[1]
        assert notes[0][0].startswith("date, because ")


def test_importing_fieldwise_costs_next_to_nothing() -> None:
    code = "import sys, fieldwise; print([name for name in ('numpy', 'scipy', 'pyarrow', 'pydantic', 'yaml') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_public_names_are_there_and_no_others() -> None:
    assert all(getattr(fw, name) is not None for name in fw.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        fw.nothing  # noqa: B018


@pytest.mark.parametrize("path", ["caf\u00e9", "cafe\u0301", '["cafe\u0301"]'])
def test_keys_are_the_same_however_their_letters_are_composed(path: str) -> None:
    composed, apart = {"caf\u00e9": 1}, {"cafe\u0301": 1}
    for expected, actual in ((composed, apart), (apart, composed), (composed, json.dumps(apart))):
        rules = {"type": "field_accuracy", "fields": [path]}
        assert fw.evaluate(rules, expected=expected, actual=actual).hits == ["caf\u00e9"]
        assert fw.evaluate({"type": "field_prf"}, expected=expected, actual=actual).score == 1.0
        assert fw.evaluate({"type": "json_quality"}, expected=expected, actual=actual).metrics["accuracy"] == 1.0


class TestStoredRuns:
    def run_once(self, folder: Path, actual: int) -> fw.Run:
        case = {"id": "1", "expected": {"a": 1}, "actual": {"a": actual}}
        (folder / "cases.jsonl").write_text(json.dumps(case) + "\n")
        suite = {"cases": str(folder / "cases.jsonl"), "evaluators": [{"type": "field_prf"}]}
        return fw.run(suite, root=folder / "store")

    def test_runs_are_listed_newest_first_and_opened_by_id(self, tmp_path: Path) -> None:
        first, second = self.run_once(tmp_path, 1), self.run_once(tmp_path, 2)
        store = tmp_path / "store"
        assert [run.id for run in fw.runs(root=store)] == [second.id, first.id]
        assert fw.open_run(root=store).id == second.id
        assert fw.open_run(first.id, root=store).summary == first.summary
        assert fw.runs(tmp_path / "nothing") == []
        with pytest.raises(fw.RunNotFound):
            fw.open_run("20200101-000000-0000000", root=store)

    def test_runs_and_ids_can_be_compared(self, tmp_path: Path) -> None:
        first, second = self.run_once(tmp_path, 1), self.run_once(tmp_path, 2)
        changes = fw.compare(first, second)
        assert changes == fw.compare(first.id, second, root=tmp_path / "store")
        assert (changes.base, changes.new) == (first.id, second.id)
        with pytest.raises(fw.ConfigError, match="give a Run"):
            fw.compare(first, {"id": second.id})  # pyright: ignore[reportArgumentType]

    def test_notebooks_show_fields_differences_and_changes(self, tmp_path: Path) -> None:
        first, second = self.run_once(tmp_path, 1), self.run_once(tmp_path, 2)
        assert "1 of 1" in first._repr_html_()
        assert "field_prf.score" in fw.compare(first, second)._repr_html_()
        page = fw.diff({"<b>": 1}, {"<b>": 2})._repr_html_()
        assert "&lt;b&gt;" in page
        assert "<b>&lt;" not in page
        assert "nothing differs" in fw.diff({"a": 1}, {"a": 1})._repr_html_()
