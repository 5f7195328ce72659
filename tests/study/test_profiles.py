"""`fieldwise profiles` and `profile:` in suites: scores of other tools, and the single option behind each difference."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from scipy.stats import kendalltau

import fieldwise as fw
from fieldwise.cli.app import app
from fieldwise.plan.profiles import PROFILES

STICKLER = Path(__file__).parent / "data" / "stickler.jsonl"
NAMES = ["seed-000", "seed-001", "seed-002", "seed-003", "seed-004", "strict", "lenient", "stickler", "extract-bench", "docai"]
RULES = [
    {"path": "number"},
    {"path": "total", "match": "numeric_tolerance", "tolerance": 0.01, "weight": 2},
    {"path": "vendor", "match": "fuzzy", "threshold": 0.8},
    {"path": "items[*].price", "match": "numeric_tolerance"},
]
SUITE: dict[str, Any] = {
    "name": "orders",
    "evaluators": [
        {"type": "field_accuracy", "name": "fields", "fields": RULES},
        {"type": "field_prf"},
        {"type": "json_quality"},
    ],
}


def make_case(number: int) -> dict[str, Any]:
    """An order with errors of several kinds, depending on its number."""
    expected = {"number": f"A-{number}", "total": 10.0 + number, "vendor": "Acme Corporation", "items": [{"price": 1}, {"price": 2}]}
    actual = json.loads(json.dumps(expected))
    if number % 3 == 0:
        actual["total"] += 1
    if number % 4 == 0:
        actual["vendor"] = "ACME Corporation"
    if number % 5 == 0:
        actual["items"].reverse()
    if number % 7 == 0:
        actual["extra"] = "invented"
    if number % 11 == 0:
        del actual["number"]
    return {"id": f"order-{number}", "expected": expected, "actual": actual}


CASES = [make_case(number) for number in range(60)]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs with one run."""
    folder = tmp_path_factory.mktemp("runs")
    fw.run(SUITE, cases=CASES, root=folder)
    return folder


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def ask(root: Path, *arguments: object) -> dict[str, Any]:
    result = call("profiles", "latest", "--root", root, "--format", "json", *arguments)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def report(root: Path) -> dict[str, Any]:
    """The run under every profile, as JSON."""
    return ask(root)


def profile_of(report: dict[str, Any], name: str) -> dict[str, Any]:
    return next(entry for entry in report["profiles"] if entry["name"] == name)


def test_every_profile_has_a_name_and_a_version(report: dict[str, Any]) -> None:
    assert [entry["name"] for entry in report["profiles"]] == NAMES
    assert all(entry["version"] == 1 for entry in report["profiles"])
    assert profile_of(report, "seed-003")["score"] is None
    assert "records" in profile_of(report, "seed-003")["note"]


def test_the_table_shows_every_column_and_whole_descriptions_in_100_columns(root: Path) -> None:
    text = call("profiles", "latest", "--root", root).stdout
    head = next(line for line in text.splitlines() if line.lstrip().startswith("profile "))
    assert head.split() == ["profile", "score", "tau", "differ"]
    assert "edit distance from 0.5; a wrong value is a false positive only" in " ".join(text.split())


def test_the_seeds_have_the_scores_of_their_evaluators(report: dict[str, Any], tmp_path: Path) -> None:
    evaluators = [
        {"type": "field_prf", "name": "f", "substitution_counts": "fp"},
        {"type": "field_prf", "name": "g"},
        {"type": "json_quality"},
        {"type": "field_accuracy", "name": "ignoring", "fields": RULES, "unexpected": "ignore"},
    ]
    summary = fw.run({"evaluators": evaluators}, cases=CASES, root=tmp_path).summary
    assert profile_of(report, "seed-002")["score"] == pytest.approx(summary["f.macro_f1"], abs=1e-12)
    assert profile_of(report, "strict")["score"] == pytest.approx(summary["g.macro_f1"], abs=1e-12)
    assert profile_of(report, "seed-000")["score"] == pytest.approx(summary["json_quality.score"], abs=1e-12)
    assert profile_of(report, "seed-004")["score"] == pytest.approx(summary["ignoring.score"], abs=1e-12)


def test_the_own_score_is_that_of_the_run(report: dict[str, Any], root: Path) -> None:
    assert report["evaluator"] == "fields"
    assert report["own"]["score"] == pytest.approx(fw.open_run("latest", root).summary["fields.score"], abs=1e-12)


def test_each_difference_has_the_single_option_that_causes_it(root: Path) -> None:
    report = ask(root, "--evaluator", "field_prf", "--profile", "seed-002", "--profile", "docai")
    seed = profile_of(report, "seed-002")
    wrong = 20 + 15 + 2 * 12  # totals, vendors, and two prices of each reversed list
    counting = next(cause for cause in seed["causes"] if cause["option"] == "substitution_counts")
    assert counting["comparisons"] == seed["differing"] == wrong
    assert counting["text"] == "a wrong value counts: once (FP), not twice (FP and FN)"
    assert counting["score_with"] == seed["score"]
    assert counting["examples"][0]["own"] == "wrong, counts twice"
    lists = next(cause for cause in profile_of(report, "docai")["causes"] if cause["option"] == "lists")
    assert lists["comparisons"] == 24
    assert profile_of(report, "docai")["together"] == 0


def test_rules_against_exact_values(report: dict[str, Any]) -> None:
    strict = profile_of(report, "strict")
    match = next(cause for cause in strict["causes"] if cause["option"] == "match")
    assert match["comparisons"] == 15
    assert {example["path"] for example in match["examples"]} == {"vendor"}
    fields = next(cause for cause in strict["causes"] if cause["option"] == "fields")
    assert {example["path"] for example in fields["examples"]} == {"extra"}
    assert strict["differing"] == sum(cause["comparisons"] for cause in strict["causes"]) + strict["together"]


def test_rank_agreement_is_kendalls_tau(report: dict[str, Any], tmp_path: Path) -> None:
    run = fw.run(SUITE, cases=CASES, root=tmp_path)
    scores = {name: run.scores(name).column("score").to_pylist() for name in ("fields", "field_prf")}
    expected = kendalltau([round(score, 12) for score in scores["fields"]], [round(score, 12) for score in scores["field_prf"]]).statistic
    assert profile_of(report, "strict")["tau"] == pytest.approx(expected, abs=1e-9)
    assert report["tau"]["strict"]["own"] == pytest.approx(report["tau"]["own"]["strict"], abs=1e-12)


def test_a_sample_is_said(root: Path) -> None:
    report = ask(root, "--sample", "10", "--profile", "strict")
    assert (report["cases"], report["of_cases"]) == (10, 60)
    assert "10 cases of 60" in call("profiles", "latest", "--root", root, "--sample", "10", "--format", "plain").stdout


def test_reports_are_json_or_text_and_another_format_names_them(root: Path, tmp_path: Path) -> None:
    outputs = ("-o", tmp_path / "out" / "strict.json", "-o", tmp_path / "strict.txt")
    result = call("profiles", "latest", "--root", root, "--profile", "strict", "--format", "json", *outputs)
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "out" / "strict.json").read_text()) == json.loads(result.stdout)
    assert "this suite" in (tmp_path / "strict.txt").read_text()
    refused = call("profiles", "latest", "--root", root, "-o", tmp_path / "strict.html")
    assert refused.exit_code == 2
    assert "end the name in .json or .txt" in str(refused.exception) + refused.output


def test_a_suite_is_scored_like_its_run(report: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES))
    (tmp_path / "orders.eval.yaml").write_text(json.dumps(SUITE | {"cases": "cases.jsonl"}))
    result = call("profiles", tmp_path / "orders.eval.yaml", "--format", "json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["profiles"] == report["profiles"]


def test_answers_have_the_profile_of_answers(tmp_path: Path) -> None:
    cases = [{"id": "q", "input": "How much?", "expected": "It costs 604 dollars", "actual": "It costs 604"}]
    fw.run({"evaluators": [{"type": "answer_quality"}]}, cases=cases, root=tmp_path)
    report = ask(tmp_path)
    assert [entry["name"] for entry in report["profiles"] if entry["score"] is not None] == ["seed-003"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such-run"], "no-such-run"),
        (["latest", "--profile", "stikler"], "did you mean `stickler`?"),
        (["latest", "--evaluator", "feilds"], "fields"),
        (["missing.eval.yaml"], "missing.eval.yaml"),
    ],
)
def test_unknown_names_exit_with_2(root: Path, arguments: list[str], message: str) -> None:
    result = call("profiles", *arguments, "--root", root)
    assert result.exit_code == 2
    assert message in result.stderr


def test_the_stickler_profile_counts_as_stickler_does() -> None:
    """`stickler.jsonl` has what stickler-eval 1.0.0 says about 300 random records."""
    options = {"default": {"match": "fuzzy", "threshold": 0.5}, "substitution_counts": "fp", "empty": "absent"}
    differing: list[dict[str, Any]] = []
    for line in STICKLER.read_text().splitlines():
        case = json.loads(line)
        metrics = fw.evaluate({"type": "field_prf", **options}, expected=case["expected"], actual=case["actual"]).metrics
        counts = {"tp": metrics["true_positives"], "fp": metrics["false_positives"], "fn": metrics["false_negatives"]}
        if counts | {"f1": pytest.approx(metrics["f1"])} != case["stickler"]:
            differing.append(case)
    assert len(differing) == 2
    assert all(float(case["actual"]["total"]).is_integer() for case in differing), "it writes 5.0 where JSON has 5"


def test_the_stickler_profile_is_made_of_these_options() -> None:
    options = PROFILES["stickler"].options
    assert (options.score, options.match, options.substitution_counts, options.empty) == ("f1", "similar", "fp", "absent")


def test_the_extract_bench_profile_judges_as_extract_bench_does() -> None:
    """`extract_bench.jsonl` has what the code of ExtractBench says about the same records, text by its fuzzy preset."""
    options = fw.check({"profile": "extract-bench"}, cases=CASES).evaluators[0].config
    written = {
        "default": {"match": "fuzzy", "threshold": 0.8},
        "numbers": {"match": "numeric_tolerance", "tolerance": 0.001, "parse": True},
        "empty": "absent",
    }
    assert fw.check({"evaluators": [{"type": "field_prf", **written}]}, cases=CASES).evaluators[0].config == options
    judged, differing = 0, list[str]()
    records = [json.loads(line) for line in STICKLER.read_text().splitlines()]
    verdicts = [json.loads(line) for line in STICKLER.with_name("extract_bench.jsonl").read_text().splitlines()]
    for case, verdict in zip(records, verdicts, strict=True):
        result = fw.evaluate({"type": "field_prf", **written}, expected=case["expected"], actual=case["actual"])
        passed = {comparison.path: comparison.passed for comparison in result.comparisons if comparison.outcome != "both_absent"}
        judged += len(passed)
        differing += [path for path, is_right in passed.items() if verdict["passed"][path] != is_right]
    assert judged == 1798
    assert len(differing) == 10
    assert not {"total", "pages"} & set(differing), "only texts, by another ratio"


def test_document_ai_counts_a_wrong_value_twice_and_pools_documents(tmp_path: Path) -> None:
    """Its definition: TP / (TP + FP) and TP / (TP + FN) over all entities; a prediction that matches no annotation is an FP."""
    cases = [
        {"id": "1", "expected": {"a": 1, "b": 2, "c": 3}, "actual": {"a": 1, "b": 9, "c": 3}},
        {"id": "2", "expected": {"a": 1}, "actual": {"a": 5, "z": 1}},
    ]
    fw.run({"evaluators": [{"type": "field_prf"}]}, cases=cases, root=tmp_path)
    true_positives, predictions, annotations = 2, 5, 4
    assert profile_of(ask(tmp_path), "docai")["score"] == pytest.approx(2 * true_positives / (predictions + annotations))


def test_extract_bench_is_the_share_of_fields_that_pass(tmp_path: Path) -> None:
    cases = [
        {
            "id": "1",
            "expected": {"name": "Acme Corporation", "rate": 0.5, "count": 3, "flag": True, "gone": "x", "none": None},
            "actual": {"name": "Acme Corporatoin", "rate": 0.5009, "count": 4, "flag": True, "none": None},
        }
    ]
    fw.run({"evaluators": [{"type": "field_prf"}]}, cases=cases, root=tmp_path)
    assert profile_of(ask(tmp_path), "extract-bench")["score"] == pytest.approx(3 / 5)


# In suites -----------------------------------------------------------------------------------------------------------------------------


def test_a_suite_with_a_profile_needs_no_evaluators(tmp_path: Path) -> None:
    run = fw.run({"profile": "seed-002"}, cases=CASES, root=tmp_path)
    explicit = fw.run({"evaluators": [{"type": "field_prf", "substitution_counts": "fp"}]}, cases=CASES, root=tmp_path)
    assert run.summary == explicit.summary
    remarks = [note.what for note in run.diagnostics if note.code == "profile"]
    assert "profile seed-002 (version 1) sets `field_prf.substitution_counts` to `fp`" in remarks


def test_what_the_suite_writes_wins_over_the_profile_and_is_said() -> None:
    suite = {"profile": "seed-002", "evaluators": [{"type": "field_prf", "substitution_counts": "fp_fn"}]}
    plan = fw.check(suite, cases=CASES)
    config: Any = plan.evaluators[0].config
    assert config.substitution_counts == "fp_fn"
    assert any("the suite writes `fp_fn`" in note.what for note in plan.diagnostics)


@pytest.mark.parametrize("name", NAMES)
def test_every_profile_is_valid_in_a_suite(name: str) -> None:
    plan = fw.check({"profile": name}, cases=CASES)
    assert len(plan.evaluators) == 1


def test_an_unknown_profile_suggests_the_nearest() -> None:
    with pytest.raises(fw.ConfigError) as error:
        fw.check({"profile": "seed-02"}, cases=CASES)
    assert "did you mean `seed-002`?" in str(error.value)


def test_the_profiles_command_and_the_suite_agree(report: dict[str, Any], tmp_path: Path) -> None:
    summary = fw.run(
        {"profile": "stickler", "evaluators": [{"type": "field_prf", "lists": {"items": "best"}}]}, cases=CASES, root=tmp_path
    ).summary
    assert profile_of(report, "stickler")["score"] == pytest.approx(summary["field_prf.micro_f1"], abs=1e-12)


@pytest.mark.parametrize("evaluator", ["field_accuracy", "field_prf", "json_quality"])
@pytest.mark.parametrize("expected", [None, "{bad"], ids=["null", "broken"])
def test_where_no_case_is_measurable_a_run_is_answered_and_a_suite_exits_4(tmp_path: Path, evaluator: str, expected: Any) -> None:
    case = {"id": "1", "expected": expected, "actual": {"a": 1}}
    (tmp_path / "cases.jsonl").write_text(json.dumps(case) + "\n")
    fields = {"fields": ["a"]} if evaluator == "field_accuracy" else {}
    suite = tmp_path / "s.eval.yaml"
    suite.write_text(json.dumps({"cases": "cases.jsonl", "evaluators": [{"type": evaluator, **fields}]}))
    fw.run(suite, root=tmp_path / "store")
    for target, code in (("latest", 0), (suite, 4)):
        done = call("profiles", target, "--root", tmp_path / "store", "--format", "plain")
        assert (done.exit_code, "nothing measured" in done.stdout) == (code, True), done.output


def test_a_suite_without_cases_exits_4(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text("")
    suite = tmp_path / "s.eval.yaml"
    suite.write_text("cases: cases.jsonl\nevaluators: [{type: field_prf}]\n")
    done = call("profiles", suite)
    assert done.exit_code == 4
    assert "nothing measured" in done.stdout
