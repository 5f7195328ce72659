"""code_judge: input of the program, its replies, limits and failures."""

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

import fieldwise as fw
from fieldwise import ConfigError, Result

EXAMPLES = Path(__file__).parents[3] / "examples" / "code_judges"
ECHO = 'import json, sys; print(json.dumps({"score": 1, "hits": ["read"], "reasoning": sys.stdin.read()}))'


def python(code: str, **options: Any) -> dict[str, Any]:
    return {"type": "code_judge", "script": [sys.executable, "-c", code], **options}


def judged(code: str, *, actual: Any = "an answer", expected: Any = "a reference", **options: Any) -> Result:
    return fw.evaluate(python(code, **options), expected=expected, actual=actual)


def printed(text: str, **options: Any) -> Result:
    return judged(f"print({text!r})", **options)


class TestWhatTheProgramIsTold:
    def test_unrecognised_properties_become_config(self) -> None:
        """Structured-data design, config pass-through: the stdin payload."""
        fields = [{"path": "supplier.name", "threshold": 0.85}, {"path": "importer.name", "threshold": 0.90}]
        result = fw.evaluate(
            python(ECHO, name="party_names_fuzzy", weight=2, pass_at=0.5, when={"id": "*"}, fields=fields, algorithm="levenshtein"),
            expected={"b": 1, "a": "ü"},
            actual="text stays text",
            input="What?",
            contexts=["one", "two"],
            metadata={"page": 3},
        )
        assert json.loads(result.reasoning) == {
            "candidate_answer": "text stays text",
            "reference_answer": '{"a":"ü","b":1}',
            "input": "What?",
            "contexts": ["one", "two"],
            "metadata": {"page": 3},
            "config": {"fields": fields, "algorithm": "levenshtein"},
        }

    def test_threshold_goes_to_the_script(self) -> None:
        result = judged(ECHO, threshold=0.9)
        assert json.loads(result.reasoning)["config"] == {"threshold": 0.9}
        assert result.verdict == "pass"

    def test_without_a_reference_it_is_null(self) -> None:
        result = fw.evaluate(python(ECHO), actual="an answer")
        assert json.loads(result.reasoning)["reference_answer"] is None

    def test_digits_of_large_integers_are_kept(self) -> None:
        result = judged(ECHO, expected={"n": 2**70})
        assert json.loads(result.reasoning)["reference_answer"] == '{"n":1180591620717411303424}'

    def test_it_need_not_read_its_input(self) -> None:
        assert judged("print('{\"score\": 1}')", actual="x" * 3_000_000).score == 1.0

    def test_input_larger_than_a_pipe_arrives_whole(self) -> None:
        counted = "import json, sys; n = len(json.load(sys.stdin)['candidate_answer']); print(json.dumps({'score': n == 3_000_000 and 1}))"
        assert judged(counted, actual="x" * 3_000_000).score == 1.0

    def test_a_case_without_output_is_the_systems_failure_and_runs_no_program(self, tmp_path: Path) -> None:
        trace = tmp_path / "asked"
        result = judged(f"open({str(trace)!r}, 'w'); print('{{\"score\": 1}}')", actual=None)
        assert (result.status, result.score, result.details["fault"], trace.exists()) == ("error", 0.0, "system", False)


class TestWhatItAnswers:
    def test_score_hits_misses_and_reasoning_are_its_own(self) -> None:
        result = printed('{"score": 0.5, "hits": ["a"], "misses": ["b"], "reasoning": "half", "extra": [1]}')
        assert (result.score, result.hits, result.misses, result.reasoning) == (0.5, ["a"], ["b"], "half")
        assert (result.verdict, result.status, result.details["judge"]) == ("partial", "scored", {"extra": [1]})

    @pytest.mark.parametrize(("score", "verdict"), [(1, "pass"), (0.5, "partial"), (0, "fail")])
    def test_a_bare_score_gets_the_verdict_it_deserves(self, score: float, verdict: str) -> None:
        """Structured-data design, migration path: the script before prints only a score."""
        assert printed(json.dumps({"score": score})).verdict == verdict

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("", "printed nothing"),
            ("fine", "not JSON: fine"),
            ("[1]", "without a `score`"),
            ('{"score": 1.5}', "1.5, not a number from 0 to 1"),
            ('{"score": NaN}', "NaN, not a number from 0 to 1"),
            ('{"score": true}', "true, not a number from 0 to 1"),
            ('{"score": "1"}', '"1", not a number from 0 to 1'),
            ('{"score": 1, "hits": "a"}', "`hits` must be a list of texts"),
            ('{"score": 1, "misses": [1]}', "`misses` must be a list of texts"),
            ('{"score": 1, "reasoning": []}', "`reasoning` must be text"),
        ],
    )
    def test_an_answer_that_is_none_is_a_fault_with_what_was_printed(self, text: str, says: str) -> None:
        result = printed(text)
        assert (result.status, result.score, result.details["fault"]) == ("error", 0.0, "ours")
        assert says in result.misses[0]
        assert result.details["stdout"].strip() == text

    def test_a_crash_is_a_fault_with_its_last_words(self) -> None:
        result = judged("raise ValueError('no such field')")
        assert result.status == "error"
        assert result.reasoning == "it ended with exit code 1: ValueError: no such field"
        assert "Traceback" in result.details["stderr"]

    @pytest.mark.parametrize(
        ("script", "says"), [("nowhere.py", "there is no script"), (["no-such-program"], "cannot start no-such-program")]
    )
    def test_a_program_that_is_not_there_is_a_fault(self, script: Any, says: str) -> None:
        result = fw.evaluate({"type": "code_judge", "script": script}, expected="a", actual="a")
        assert (result.status, says in result.reasoning) == ("error", True)

    @pytest.mark.parametrize("nested", [False, True])
    @pytest.mark.parametrize(
        ("script", "fix"),
        [("jugde.py", "did you mean `judge.py`?"), ("python judge.py", "a list: [python, judge.py]"), ("no/x.py", "relative to the suite")],
    )
    def test_a_suite_whose_script_is_not_there_is_refused_before_it_runs(self, tmp_path: Path, script: str, fix: str, nested: bool) -> None:
        (tmp_path / "judge.py").write_text("print(1)")
        (tmp_path / "cases.jsonl").write_text('{"expected": "a", "actual": "a"}')
        judge = f"{{type: code_judge, script: {script}}}"
        evaluator = f"{{type: composite, evaluators: [{judge}]}}" if nested else judge
        suite = tmp_path / "a.eval.yaml"
        suite.write_text(f"cases: cases.jsonl\nevaluators: [{evaluator}]\n")
        with pytest.raises(fw.ConfigError, match="there is no script") as caught:
            fw.check(suite)
        assert fix in str(caught.value.diagnostics[0].fix)

    @pytest.mark.parametrize("nested", [False, True])
    @pytest.mark.parametrize(
        ("script", "what", "fix"),
        [
            ("[no-such-program, a.py]", "there is no program `no-such-program` on the PATH", "install it"),
            ("[judge.py]", "there is no program `judge.py` on the PATH", "write `./judge.py`"),
            ("[./jugde.py]", "there is no program", "did you mean `judge.py`?"),
            ("[./judge.py]", "is not executable", "chmod +x judge.py"),
            ("judge.rb", "is not executable", "chmod +x judge.rb"),
        ],
    )
    def test_a_suite_whose_program_cannot_be_started_is_refused_with_its_line(
        self, tmp_path: Path, script: str, what: str, fix: str, nested: bool
    ) -> None:
        for name in ("judge.py", "judge.rb"):
            (tmp_path / name).write_text("print(1)")
        (tmp_path / "cases.jsonl").write_text('{"expected": "a", "actual": "a"}')
        judge = f"- type: code_judge\n    script: {script}\n"
        member = f"- type: composite\n    evaluators: [{{type: code_judge, script: {script}}}]\n"
        suite = tmp_path / "a.eval.yaml"
        suite.write_text(f"cases: cases.jsonl\nevaluators:\n  {member if nested else judge}")
        with pytest.raises(fw.ConfigError) as caught:
            fw.check(suite)
        (diagnostic,) = caught.value.diagnostics
        assert what in diagnostic.what
        assert fix in str(diagnostic.fix)
        assert (diagnostic.where.file, diagnostic.where.line) == (str(suite), 4)

    def test_a_program_may_be_on_the_path_or_beside_the_suite(self, tmp_path: Path) -> None:
        (tmp_path / "judge.sh").write_text("#!/bin/sh\necho '{\"score\": 1}'\n")
        (tmp_path / "judge.sh").chmod(0o755)
        (tmp_path / "cases.jsonl").write_text('{"expected": "a", "actual": "a"}')
        suite = tmp_path / "a.eval.yaml"
        judges = "{type: code_judge, name: a, script: [./judge.sh]}, {type: code_judge, name: b, script: [sh, judge.sh]}"
        suite.write_text(f"cases: cases.jsonl\nevaluators: [{judges}]\n")
        assert fw.run(suite, root=tmp_path).summary["a.score"] == fw.run(suite, root=tmp_path).summary["b.score"] == 1.0

    def test_a_file_that_cannot_be_run_says_how_to(self, tmp_path: Path) -> None:
        (tmp_path / "judge.rb").write_text("puts 1")
        result = fw.evaluate({"type": "code_judge", "script": str(tmp_path / "judge.rb")}, expected="a", actual="a")
        assert "chmod +x" in result.reasoning

    def test_a_failing_judge_fails_its_case_not_the_run(self, tmp_path: Path) -> None:
        code = "import json, sys; a = json.load(sys.stdin)['candidate_answer']; print(json.dumps({'score': 1 / len(a)}))"
        (tmp_path / "cases.jsonl").write_text('{"id": "a", "actual": "x"}\n{"id": "b", "actual": ""}\n{"id": "c", "actual": "xy"}\n')
        run = fw.run({"cases": str(tmp_path / "cases.jsonl"), "evaluators": [python(code)]}, root=tmp_path)
        counts = run.full.evaluators["code_judge"].counts
        assert (counts.scored, counts.faults, run.summary["code_judge.score"], run.exit_code) == (2, 1, 0.75, 3)


class TestExitCodes:
    @pytest.mark.parametrize(("code", "score", "verdict"), [(0, 1.0, "pass"), (1, 0.0, "fail")])
    def test_0_is_a_pass_and_1_a_fail(self, code: int, score: float, verdict: str) -> None:
        result = judged(f"print('because'); raise SystemExit({code})", process={"reply": "exit_code"})
        assert (result.score, result.verdict, result.status, result.reasoning) == (score, verdict, "scored", "because")

    def test_any_other_code_is_a_fault(self) -> None:
        assert judged("raise SystemExit(2)", process={"reply": "exit_code"}).status == "error"

    def test_silence_is_no_pass_unless_exit_codes_were_asked_for(self) -> None:
        assert judged("pass").status == "error"


class TestWorkers:
    COUNTING = "import json, os, sys\nfor line in sys.stdin: print(json.dumps({'score': 1, 'reasoning': str(os.getpid())}), flush=True)"

    def run(self, tmp_path: Path, code: str, cases: int = 20, **process: Any) -> list[Result]:
        (tmp_path / "cases.jsonl").write_text("".join(f'{{"id": "{n}", "actual": "{n}"}}\n' for n in range(cases)))
        suite = {"cases": str(tmp_path / "cases.jsonl"), "evaluators": [python(code, timeout=5, process={"workers": 1, **process})]}
        return [stored.result for stored in fw.run(suite, root=tmp_path).results()]

    def test_one_process_judges_all_cases(self, tmp_path: Path) -> None:
        results = self.run(tmp_path, self.COUNTING)
        assert len({result.reasoning for result in results}) == 1
        assert all(result.score == 1.0 for result in results)
        assert not _alive(int(results[0].reasoning))

    def test_a_worker_that_dies_costs_one_case(self, tmp_path: Path) -> None:
        code = self.COUNTING.replace("print(", "json.loads(line)['candidate_answer'] == '3' and os._exit(7); print(")
        statuses = [result.status for result in self.run(tmp_path, code, cases=6)]
        assert statuses == ["scored", "scored", "scored", "error", "scored", "scored"]

    def test_a_worker_that_says_too_much_does_not_answer_for_the_next_case(self, tmp_path: Path) -> None:
        code = 'import json, sys\nfor line in sys.stdin: print(\'{"score": 1}\\n{"score": 0}\', flush=True)'
        results = self.run(tmp_path, code, cases=3)
        assert all("more than one line" in result.reasoning for result in results)

    def test_a_worker_that_says_too_much_a_little_later_does_not_shift_the_answers(self, tmp_path: Path) -> None:
        code = (
            "import json, sys, time\nfor line in sys.stdin:\n"
            "    print(json.dumps({'score': 1, 'reasoning': 'right'}), flush=True)\n"
            "    time.sleep(0.01)\n"
            "    print(json.dumps({'score': 0, 'reasoning': 'too late'}), flush=True)\n"
        )
        results = self.run(tmp_path, code, cases=4)
        assert all("more than one line" in result.reasoning for result in results)

    def test_a_worker_that_answers_without_reading_is_not_believed(self, tmp_path: Path) -> None:
        """A question larger than a pipe shows it; the next question goes to a new process."""
        (tmp_path / "cases.jsonl").write_text("".join(json.dumps({"id": str(n), "actual": "x" * 300_000}) + "\n" for n in range(3)))
        code = "import time\nwhile True: print('{\"score\": 1}', flush=True); time.sleep(0.5)"
        suite = {"cases": str(tmp_path / "cases.jsonl"), "evaluators": [python(code, timeout=5, process={"workers": 1})]}
        results = [stored.result for stored in fw.run(suite, root=tmp_path).results()]
        assert {result.reasoning for result in results} == {"it answered before it had read the question"}

    def test_a_hostile_worker_is_contained_like_any_other_judge(self, tmp_path: Path) -> None:
        for number, (body, limits, says) in enumerate(
            (
                ("import time; time.sleep(1e6)", {}, "it took more than 1 s"),
                ("\n    while True: sys.stdout.write('x' * 10000)", {"output_kb": 64}, "it printed more than 64 kB"),
                ("x = []\n    while True: x.append(bytearray(1 << 20))", {"memory_mb": 200}, "emory"),  # by itself, or seen by us
                ("[subprocess.Popen(['sleep', '987']) for n in range(200)]; time.sleep(9)", {}, "it started more than 64 processes"),
                ("print(json.dumps({'score': 1, 'reasoning': str('SECRET_API_KEY' in os.environ)}), flush=True)", {}, "False"),
            )
        ):
            (tmp_path / str(number)).mkdir()
            (tmp_path / str(number) / "cases.jsonl").write_text('{"id": "1", "actual": "a"}\n{"id": "2", "actual": "b"}\n')
            code = f"import json, os, subprocess, sys, time\nfor line in sys.stdin:\n    {body}"
            judge = python(code, timeout=1 if "1 s" in says else 20, process={"workers": 1, "limits": limits})
            run = fw.run({"cases": str(tmp_path / str(number) / "cases.jsonl"), "evaluators": [judge]}, root=tmp_path / str(number))
            assert [says in stored.result.reasoning for stored in run.results()] == [True, True], body

    def test_exit_codes_and_workers_exclude_each_other(self) -> None:
        with pytest.raises(ConfigError, match="a worker has no exit code for each case"):
            judged("pass", process={"workers": 1, "reply": "exit_code"})


class TestHostileJudges:
    """A misbehaving program is a fault of its case with a reason, within its time limit, and leaves no processes."""

    @pytest.fixture(autouse=True)
    def _keys(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SECRET_API_KEY", "sk-very-secret")
        monkeypatch.setenv("HARMLESS_SETTING", "yes")

    def test_200_children_are_too_many_and_are_all_ended(self, tmp_path: Path) -> None:
        code = (
            f"import subprocess, time\nfor n in range(200):\n"
            f"    p = subprocess.Popen(['sleep', '987']); open({str(tmp_path)!r} + f'/{{p.pid}}', 'w')\ntime.sleep(987)"
        )
        result = judged(code, timeout=20)
        assert result.reasoning == "it started more than 64 processes"
        pids = [int(file.name) for file in tmp_path.iterdir()]
        assert len(pids) > 64
        assert not any(map(_alive, pids))

    @pytest.mark.parametrize("stream", ["stdout", "stderr"])
    def test_printing_without_end_is_cut_off(self, stream: str) -> None:
        result = judged(f"import sys\nwhile True: sys.{stream}.write('x' * 10000)", process={"limits": {"output_kb": 64}})
        assert result.reasoning.startswith("it printed more than 64 kB")

    def test_sleeping_for_ever_ends_in_time(self) -> None:
        assert judged("import time; time.sleep(1e6)", timeout=0.3).reasoning == "it took more than 0.3 s"

    def test_ignoring_every_signal_does_not_help(self) -> None:
        code = "import signal, time\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\ntime.sleep(1e6)"
        assert judged(code, timeout=0.5).details["exit_code"] == -9

    @pytest.mark.parametrize("session", ["False", "True"])
    def test_children_left_behind_are_ended_and_the_answer_counts(self, session: str) -> None:
        code = (
            f"import subprocess\np = subprocess.Popen(['sleep', '987'], start_new_session={session})\n"
            'print(\'{"score": 1, "hits": ["%d"]}\' % p.pid)'
        )
        started = time.monotonic()
        result = judged(code, timeout=60)
        assert (result.status, result.score) == ("scored", 1.0)
        assert not _alive(int(result.hits[0]))
        assert time.monotonic() - started < 30  # it did not wait for the child that keeps the pipe open

    def test_allocating_without_end_is_stopped(self) -> None:
        code = "x = []\nwhile True: x.append(bytearray(1 << 20))"
        result = judged(code, process={"limits": {"memory_mb": 200}})
        assert result.status == "error"
        assert "MemoryError" in result.reasoning or "more than 200 MB" in result.reasoning

    def test_allocating_in_many_children_is_stopped_too(self) -> None:
        child = "x = bytearray(60 << 20); import time; time.sleep(987)"
        code = f"import subprocess, sys, time\nfor n in range(8): subprocess.Popen([sys.executable, '-c', {child!r}])\ntime.sleep(987)"
        result = judged(code, timeout=20, process={"limits": {"memory_mb": 200}})
        assert result.reasoning == "it used more than 200 MB of memory"

    def test_keys_are_not_in_its_environment(self) -> None:
        code = "import json, os; print(json.dumps({'score': 1, 'hits': sorted(os.environ)}))"
        seen = set(judged(code).hits)
        assert "PATH" in seen
        assert not seen & {"SECRET_API_KEY", "HARMLESS_SETTING"}

    def test_a_variable_is_passed_on_by_name(self) -> None:
        code = "import json, os; print(json.dumps({'score': 1, 'hits': [os.environ['HARMLESS_SETTING']]}))"
        assert judged(code, process={"env": ["HARMLESS_SETTING"]}).hits == ["yes"]

    def test_there_is_no_shell(self, tmp_path: Path) -> None:
        result = fw.evaluate({"type": "code_judge", "script": ["echo", f"$(touch {tmp_path}/pwned); ls"]}, expected="a", actual="a")
        assert "$(touch" in result.details["stdout"]
        assert not (tmp_path / "pwned").exists()


class TestExamples:
    """Structured-data design: the example scripts that are provided."""

    def test_the_suite_of_both_scripts_runs_and_passes_its_gate(self, tmp_path: Path) -> None:
        run = fw.run(EXAMPLES / "invoices.eval.yaml", root=tmp_path)
        assert run.exit_code == 0
        assert run.full.evaluators["party_names_fuzzy"].counts.scored == 3
        assert run.full.evaluators["whole_record"].counts.scored == 3

    @pytest.mark.parametrize("algorithm", ["levenshtein", "jaro_winkler"])
    def test_the_single_value_script_agrees_with_the_built_in_match(self, algorithm: str) -> None:
        script = str(EXAMPLES / "fuzzy_match.py")
        for expected, actual in [
            ("Acme Corp", "ACME CORP"),
            ("Martha", "Marhta"),
            ("Dixon", "Dicksonx"),
            ("kitten", "sitting"),
            ("a", "b"),
        ]:
            result = fw.evaluate({"type": "code_judge", "script": script, "algorithm": algorithm}, expected=expected, actual=actual)
            built_in = fw.match("fuzzy", expected=[expected], actual=[actual], algorithm=algorithm).value[0]
            assert result.score == pytest.approx(built_in, abs=1e-9), (expected, actual)

    def test_the_multi_field_script_reads_fields_and_thresholds_from_config(self) -> None:
        config = {"fields": [{"path": "supplier.name", "threshold": 0.85}, {"path": "importer.name", "threshold": 0.9}]}
        result = fw.evaluate(
            {"type": "code_judge", "script": str(EXAMPLES / "multi_field_fuzzy.py"), **config},
            expected={"supplier": {"name": "Acme Corp"}, "importer": {"name": "Globex"}},
            actual={"supplier": {"name": "ACME Corp"}, "importer": {"name": "Initech"}},
        )
        assert result.hits == ["supplier.name (1.00, threshold 0.85)"]
        assert result.misses[0].startswith("importer.name")


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except (ProcessLookupError, FileNotFoundError):
        return False


class TestMigration:
    """Structured-data design, migration path: a script before, declarative rules after."""

    PAGE = Path(__file__).parents[3] / "docs" / "migrating-from-scripts.md"

    @pytest.mark.parametrize(
        ("number", "total", "score"), [("INV-7", 1500.0, 1.0), ("INV-7", 1500.004, 1.0), ("INV-8", 1500.0, 0.5), ("INV-8", 150.0, 0.0)]
    )
    def test_the_script_and_the_rules_give_the_same_scores(self, tmp_path: Path, number: str, total: float, score: float) -> None:
        blocks = re.findall(r"```(\w+)\n(.*?)```", self.PAGE.read_text(), re.DOTALL)
        (tmp_path / "validate_fields.py").write_text(next(text for kind, text in blocks if kind == "python"))
        before, after = (yaml.safe_load(text)["evaluators"][0] for kind, text in blocks if kind == "yaml")
        before = {**before, "cwd": str(tmp_path)}
        expected, actual = {"invoice": {"number": "INV-7", "total": 1500.0}}, {"invoice": {"number": number, "total": total}}
        results = [fw.evaluate(config, expected=expected, actual=actual) for config in (before, after)]
        assert [result.score for result in results] == [score, score]
        assert [result.verdict for result in results] == [{1.0: "pass", 0.5: "partial", 0.0: "fail"}[score]] * 2
