"""The pytest plugin: what passes, what fails, and what a failure shows."""

import json
import os
import shlex
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fieldwise.cli.app import app
from fieldwise.registry import CAUSES, EVALUATORS, MATCHERS
from fieldwise.store.run import open_run

pytest_plugins = ["pytester"]

# An inner pytest run unloads the modules that it was the first to import, and with them what they registered. PyYAML would then
# exist twice, and its C extension, which is loaded once, would refer to classes of the first copy. So everything is imported here.
import_module("yaml")
for _catalog in (MATCHERS, EVALUATORS, CAUSES):
    _catalog.all()

FIELDS = {"type": "field_accuracy", "name": "fields", "fields": ["number", "total"]}
RIGHT = {"number": "A-1", "total": 5125.0}
WRONG = {"number": "A-1", "total": 5.125}


def run_pytest(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    """Run pytest with the plugin, also if an older installation of this package has no entry point for it."""
    has_entry_point = any(point.name == "fieldwise" for point in entry_points(group="pytest11"))
    return pytester.runpytest_inprocess(*(() if has_entry_point else ("-p", "fieldwise.pytest_plugin")), *options)


def write_suite(folder: Path, *cases: dict[str, Any], **more: Any) -> None:
    (folder / "data.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    suite = {"name": "s", "cases": "data.jsonl", "evaluators": [FIELDS], **more}
    (folder / "s.eval.yaml").write_text(json.dumps(suite))


def run_test(pytester: pytest.Pytester, body: str, *options: str) -> pytest.RunResult:
    """Run one test with this body."""
    pytester.makepyfile(f"def test_it(fieldwise):\n    {body}\n")
    return run_pytest(pytester, *options)


def find_command(result: pytest.RunResult) -> str:
    """The arguments of the command that a failure of the fixture prints."""
    [command] = {line.split("look closer: fieldwise ")[1] for line in result.outlines if line.startswith("E") and "look closer" in line}
    return command


class TestFixture:
    def test_a_case_that_an_evaluator_passes_passes_and_gives_the_result(self, pytester: pytest.Pytester) -> None:
        body = f"[(name, result)] = fieldwise({FIELDS}, expected={RIGHT}, actual={RIGHT}); assert (name, result.score) == ('fields', 1.0)"
        run_test(pytester, body).assert_outcomes(passed=1)
        assert not (pytester.path / ".fieldwise" / "runs").exists()

    def test_values_of_a_python_program_are_read_as_json_would_write_them(self, pytester: pytest.Pytester) -> None:
        body = "from decimal import Decimal; from types import MappingProxyType as Record; "
        body += "fieldwise({'type': 'field_accuracy', 'fields': ['a']}, expected=Record({'a': Decimal('1.50')}), actual={'a': 1.5})"
        run_test(pytester, body).assert_outcomes(passed=1)

    def test_a_record_that_contains_itself_fails_the_test_and_says_so(self, pytester: pytest.Pytester) -> None:
        result = run_test(pytester, f"record = {{}}; record['a'] = record; fieldwise({FIELDS}, expected={RIGHT}, actual=record)")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*Failed: `actual` contains itself, so it has no end"])

    def test_a_failure_shows_the_mismatch_its_cause_and_the_command_that_explains_it(self, pytester: pytest.Pytester) -> None:
        result = run_test(pytester, f"fieldwise({FIELDS}, id='inv-7', expected={RIGHT}, actual={WRONG})")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(
            [
                "*case inv-7: fields: partial, score 0.500: 1/2 fields matched*",
                "*total: wrong value: expected 5125.0, got 5.125 (scale)*",
                "*look closer: fieldwise explain * inv-7*",
            ]
        )

    def test_the_command_works(self, pytester: pytest.Pytester) -> None:
        result = run_test(pytester, f"fieldwise({FIELDS}, id='inv-7', expected={RIGHT}, actual={WRONG})")
        explained = CliRunner().invoke(app, find_command(result).split())
        assert explained.exit_code == 0, explained.output
        assert "total" in explained.stdout

    @pytest.mark.parametrize("case", ["two x", "*", "it's"])
    def test_the_command_quotes_an_id_with_characters_of_the_shell(self, pytester: pytest.Pytester, case: str) -> None:
        result = run_test(pytester, f"fieldwise({FIELDS}, id={case!r}, expected={RIGHT}, actual={WRONG})")
        explained = CliRunner().invoke(app, shlex.split(find_command(result)))
        assert explained.exit_code == 0, explained.output

    def test_runs_are_stored_where_the_variable_says(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FIELDWISE_ROOT", "elsewhere")
        result = run_test(pytester, f"fieldwise({FIELDS}, expected={RIGHT}, actual={WRONG})")
        assert "--root" not in find_command(result)
        explained = CliRunner().invoke(app, shlex.split(find_command(result)))
        assert explained.exit_code == 0, explained.output
        assert not (pytester.path / ".fieldwise").exists()

    def test_the_command_names_the_root_where_pytest_was_started_in_another_folder(self, pytester: pytest.Pytester) -> None:
        pytester.makefile(".ini", pytest="[pytest]\n")
        pytester.makepyfile(f"def test_it(fieldwise):\n    fieldwise({FIELDS}, expected={RIGHT}, actual={WRONG})\n")
        below = pytester.mkdir("below")
        os.chdir(below)
        result = run_pytest(pytester, "..")
        explained = CliRunner().invoke(app, shlex.split(find_command(result)))
        assert explained.exit_code == 0, explained.output
        assert not (below / ".fieldwise").exists()

    def test_a_suite_holds_a_case_to_all_its_evaluators(self, pytester: pytest.Pytester) -> None:
        write_suite(pytester.path, evaluators=[FIELDS, {"type": "field_prf", "pass_at": 0.4}], columns={"expected": "gold"})
        body = f"assert len(fieldwise('s.eval.yaml', expected={RIGHT}, actual={RIGHT})) == 2"
        run_test(pytester, body).assert_outcomes(passed=1)
        result = run_test(pytester, f"fieldwise('s.eval.yaml', expected={RIGHT}, actual={WRONG})")
        result.assert_outcomes(failed=1)
        assert "field_prf:" not in result.stdout.str()

    def test_an_output_that_is_missing_fails(self, pytester: pytest.Pytester) -> None:
        result = run_test(pytester, f"fieldwise({FIELDS}, expected={RIGHT})")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*case 1: fields: error: the output is null*"])

    def test_nothing_to_check_is_a_failure(self, pytester: pytest.Pytester) -> None:
        run_test(pytester, f"fieldwise({FIELDS}, actual={RIGHT})").assert_outcomes(failed=1)
        config = {**FIELDS, "when": {"tag": "nobody"}}
        result = run_test(pytester, f"fieldwise({config}, expected={RIGHT}, actual={RIGHT})")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*no evaluator applies to it*"])

    def test_a_path_in_no_expected_record_is_named(self, pytester: pytest.Pytester) -> None:
        result = run_test(pytester, f"fieldwise({ {**FIELDS, 'fields': ['numbr']} }, expected={RIGHT}, actual={RIGHT})")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*field numbr: no expected record has this field*"])

    def test_a_path_that_the_one_case_lacks_on_both_sides_is_not_scored(self, pytester: pytest.Pytester) -> None:
        fields = {**FIELDS, "fields": ["number", "total", {"path": "notes", "required": False}, "items[*].price"]}
        gate = {"fields.score": ">= 0.9", "regression": {"metric": "fields.score", "max_drop": 0.1}}
        write_suite(pytester.path, evaluators=[fields], redact=["iban"], gate=gate)
        body = f"[(_, result)] = fieldwise('s.eval.yaml', expected={RIGHT}, actual={RIGHT}); assert result.hits == ['number', 'total']"
        run_test(pytester, body).assert_outcomes(passed=1)

    def test_an_unexpected_value_at_a_path_that_expected_lacks_fails(self, pytester: pytest.Pytester) -> None:
        fields = {**FIELDS, "fields": ["number", {"path": "notes", "required": False}]}
        result = run_test(pytester, f"fieldwise({fields}, expected={RIGHT}, actual={ {**RIGHT, 'notes': 'x'} })")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*fields: partial, score 0.500*"])

    def test_a_judge_that_is_down_fails(self, pytester: pytest.Pytester) -> None:
        config = {"type": "code_judge", "script": ["no-such-program"]}
        run_test(pytester, f"fieldwise({config}, expected='x', actual='x')").assert_outcomes(failed=1)

    def test_a_bad_configuration_is_an_error_with_every_problem(self, pytester: pytest.Pytester) -> None:
        result = run_test(pytester, "fieldwise({'type': 'field_accuracy', 'feilds': ['a'], 'weight': -1}, expected={}, actual={})")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*feilds*"])
        assert "site-packages" not in result.stdout.str()
        assert "fieldwise/api.py" not in result.stdout.str()

    def test_a_test_may_expect_a_bad_configuration(self, pytester: pytest.Pytester) -> None:
        body = "import fieldwise as fw, pytest; pytest.raises(fw.ConfigError, fieldwise, {'type': 'no_such'}, expected={}, actual={})"
        run_test(pytester, body).assert_outcomes(passed=1)


class TestCollection:
    CASES = (
        {"id": "good", "expected": RIGHT, "actual": RIGHT},
        {"id": "bad[1]*", "expected": RIGHT, "actual": WRONG},
        {"id": "bad1", "expected": RIGHT, "actual": RIGHT},
    )

    def test_suites_are_not_collected_without_the_option(self, pytester: pytest.Pytester) -> None:
        write_suite(pytester.path, *self.CASES)
        assert run_pytest(pytester).ret == pytest.ExitCode.NO_TESTS_COLLECTED

    def test_each_case_is_a_test_and_so_is_the_whole(self, pytester: pytest.Pytester) -> None:
        write_suite(pytester.path, *self.CASES, gate={"fields.score": ">= 0.99"})
        result = run_pytest(pytester, "--fieldwise", "-v")
        result.assert_outcomes(passed=3, failed=1)  # without `pass_at` only the gate decides
        result.stdout.fnmatch_lines(["*s.eval.yaml::good PASSED*", "*s.eval.yaml::bad?1?* PASSED*"])
        result.stdout.fnmatch_lines(["exit code 1", "*fields.score >= 0.99 does not hold*"])

    def test_a_case_fails_below_pass_at_and_says_why(self, pytester: pytest.Pytester) -> None:
        write_suite(pytester.path, *self.CASES, evaluators=[{**FIELDS, "pass_at": 0.9}])
        result = run_pytest(pytester, "--fieldwise", "-v")
        result.assert_outcomes(passed=2, failed=2)
        result.stdout.fnmatch_lines(
            ["case bad?1?*: fields: fail*", "*: wrong value: expected *(scale)*", "look closer: fieldwise explain *"]
        )

    def test_a_case_below_pass_at_is_tolerated_where_every_gate_holds(self, pytester: pytest.Pytester) -> None:
        write_suite(pytester.path, *self.CASES, evaluators=[{**FIELDS, "pass_at": 0.9}], gate={"fields.pass_rate": ">= 0.6"})
        result = run_pytest(pytester, "--fieldwise")
        result.assert_outcomes(passed=3, xfailed=1)
        assert result.ret == 0

    def test_the_whole_suite_names_the_cases_below_pass_at(self, pytester: pytest.Pytester) -> None:
        write_suite(pytester.path, *self.CASES, evaluators=[{**FIELDS, "pass_at": 0.9}])
        result = run_pytest(pytester, "--fieldwise", "s.eval.yaml::whole suite")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["exit code 1", "fields: 1 below pass_at 0.9: bad[[]1]* (0.500)"])

    def test_a_malformed_path_fails_the_whole_suite_with_its_reason(self, pytester: pytest.Pytester) -> None:
        write_suite(pytester.path, *self.CASES, evaluators=[{**FIELDS, "fields": ["a..b", "number"]}])
        result = run_pytest(pytester, "--fieldwise")
        result.assert_outcomes(passed=3, failed=1)
        result.stdout.fnmatch_lines(["exit code 3", "*s.eval.yaml:1: field a..b: malformed path: `a..b` has an empty step*"])

    def test_a_path_in_no_expected_record_fails_the_whole_suite_and_no_case(self, pytester: pytest.Pytester) -> None:
        write_suite(pytester.path, *self.CASES, evaluators=[{**FIELDS, "fields": ["numbr", "total"]}])
        result = run_pytest(pytester, "--fieldwise")
        result.assert_outcomes(skipped=3, failed=1)
        result.stdout.fnmatch_lines(["exit code 2", "*field numbr: no expected record has this field", "*did you mean `number`?"])

    def test_a_path_in_no_expected_record_fails_a_case_that_is_run_alone(self, pytester: pytest.Pytester) -> None:
        write_suite(pytester.path, *self.CASES, evaluators=[{**FIELDS, "fields": ["numbr", "total"]}])
        result = run_pytest(pytester, "--fieldwise", "s.eval.yaml::good")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["case good: nothing was checked", "*field numbr: no expected record has this field"])

    def test_the_ini_setting_collects_suites_too(self, pytester: pytest.Pytester) -> None:
        write_suite(pytester.path, self.CASES[0])
        pytester.makeini("[pytest]\nfieldwise = true\n")
        run_pytest(pytester).assert_outcomes(passed=2)

    def test_only_the_chosen_cases_run(self, pytester: pytest.Pytester) -> None:
        write_suite(pytester.path, *self.CASES, evaluators=[{**FIELDS, "pass_at": 0.9}])
        run_pytest(pytester, "--fieldwise", "s.eval.yaml::bad[1]*").assert_outcomes(failed=1)
        assert [stored.case for stored in open_run(pytester.path / ".fieldwise").results()] == ["bad[1]*"]

    def test_a_suite_without_cases_fails(self, pytester: pytest.Pytester) -> None:
        write_suite(pytester.path)
        result = run_pytest(pytester, "--fieldwise")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*the file holds no cases*"])

    def test_a_broken_suite_is_an_error_of_collection(self, pytester: pytest.Pytester) -> None:
        write_suite(pytester.path, self.CASES[0], evaluators=[{"type": "feild_accuracy"}])
        result = run_pytest(pytester, "--fieldwise")
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["*feild_accuracy*"])
