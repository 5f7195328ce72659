"""Mutation testing of suites: what survives, what would kill it, and what is not counted."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import fieldwise as fw
from fieldwise.cli.app import app
from fieldwise.model.mutation import MutationReport
from fieldwise.study.mutation import mutate_suite
from fieldwise.suite_plan import compile_suite

_RECORDS = [
    {
        "code": f"INV-2024-{number:04}",
        "total": round(100.25 + 13.37 * number, 2),
        "price": f"EUR {10 + number}.50",
        "date": f"2024-{1 + number % 9:02}-{10 + number % 3:02}",
        "terms": f"Net {10 + number} days",
        "city": ["Bonn", "Paris", "Lyon"][number % 3],
        "items": [{"sku": f"A{number}1", "amount": 12.5 + number}, {"sku": f"B{number}2", "amount": 30.75 + number}],
    }
    for number in range(8)
]


def _suite(fields: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
    return {"evaluators": [{"type": "field_accuracy", "name": "fields", "fields": fields, **options}]}


def _mutate(suite: dict[str, Any], records: list[Any] = _RECORDS, **options: Any) -> MutationReport:
    cases = [{"id": f"c{number}", "expected": record, "actual": record} for number, record in enumerate(records)]
    return mutate_suite(fw.check(suite, cases=cases), **options)


_STRICT = [
    {"path": "code"},
    {"path": "total", "match": "numeric_tolerance"},
    {"path": "price", "match": "money"},
    {"path": "date", "match": "date"},
    {"path": "terms"},
    {"path": "city"},
    {"path": "items[*].sku"},
    {"path": "items[*].amount", "match": "numeric_tolerance"},
]


@pytest.fixture(scope="module")
def blind() -> MutationReport:
    """A suite with a blind spot in each field."""
    fields = [
        {"path": "code", "match": "fuzzy", "threshold": 0.85},
        {"path": "total", "match": "numeric_tolerance", "tolerance": 5},
        {"path": "price", "match": "money", "currency": "ignore"},
        {"path": "date", "match": "fuzzy", "threshold": 0.6},
        {"path": "terms", "match": "fuzzy", "threshold": 0.8},
        {"path": "items[*].sku"},
        {"path": "items[*].amount", "match": "numeric_tolerance"},
    ]
    return _mutate(_suite(fields, lists={"items": "best"}))


def test_strict_rules_kill_every_mutant() -> None:
    report = _mutate(_suite(_STRICT))
    assert report.total.mutants > 500
    assert [(survivor.path, survivor.corruption, survivor.mutant) for survivor in report.survivors] == []
    assert report.total.share == 1.0


@pytest.mark.parametrize(
    ("field", "corruption", "fix"),
    [
        ("city", "other_value", {"path": "city", "match": "exact"}),
        ("total", "last_digit", {"path": "total", "match": "numeric_tolerance", "tolerance": 0.005}),
        ("code", "digit_changed", {"path": "code", "match": "code"}),
        ("price", "other_currency", {"path": "price", "match": "money"}),
        ("date", "day_month_swapped", {"path": "date", "match": "date"}),
        ("terms", "digit_changed", {"path": "terms", "match": "exact"}),
        ("items", "swapped", {"path": "items", "align": "index"}),
    ],
)
def test_every_planted_blind_spot_survives_and_its_fix_is_named(
    blind: MutationReport, field: str, corruption: str, fix: dict[str, Any]
) -> None:
    assert blind.cells[field, corruption].survived > 0
    by_path = [suggestion for suggestion in blind.suggestions if suggestion.rule["path"] == field]
    assert fix in [suggestion.rule for suggestion in by_path]
    best = max(by_path, key=lambda suggestion: suggestion.kills)
    assert best.kills == blind.by_field[field].survived, best
    assert best.newly_failing == 0


def test_a_field_without_any_rule_survives_in_every_way(blind: MutationReport) -> None:
    assert blind.by_field["city"].killed == 0


def test_the_counts_agree_with_each_other(blind: MutationReport) -> None:
    total = blind.total
    for counts in (blind.by_field, blind.by_corruption, blind.cells):
        assert sum(count.mutants for count in counts.values()) == total.mutants
        assert sum(count.killed for count in counts.values()) == total.killed
    assert len(blind.survivors) == total.survived


def test_a_suggestion_kills_what_it_says_when_it_is_made(blind: MutationReport) -> None:
    fields = [rule if rule["path"] != "code" else {"path": "code", "match": "code"} for rule in _STRICT if rule["path"] != "city"]
    assert _mutate(_suite([*fields, {"path": "city", "match": "exact"}])).by_field["code"].survived == 0
    suggestion = next(suggestion for suggestion in blind.suggestions if suggestion.rule["path"] == "code")
    assert suggestion.kills == blind.by_field["code"].survived


@pytest.mark.parametrize("lists", [{}, {"items": "best"}], ids=["by index", "by content"])
def test_the_kills_of_a_suggestion_for_a_list_are_the_rise_of_all_killed_mutants(lists: dict[str, Any]) -> None:
    fields: list[dict[str, Any]] = [{"path": "items[*].amount", "match": "numeric_tolerance", "tolerance": 5}]
    fields += [rule for rule in _STRICT if not rule["path"].startswith("items")]
    report = _mutate(_suite(fields, lists=lists))
    suggestions = [suggestion for suggestion in report.suggestions if suggestion.rule["path"].startswith("items[*]")]
    assert {suggestion.rule["path"] for suggestion in suggestions} >= {"items[*].sku", "items[*].amount"}
    for suggestion in suggestions:
        changed = [rule for rule in fields if rule["path"] != suggestion.rule["path"]]
        killed = _mutate(_suite([*changed, suggestion.rule], lists=lists)).total.killed
        assert suggestion.kills == killed - report.total.killed, suggestion
        assert suggestion.kills <= suggestion.survivors


def test_no_rule_is_suggested_twice(blind: MutationReport) -> None:
    rules = [str(suggestion.rule) for suggestion in blind.suggestions]
    assert len(rules) == len(set(rules))


def test_the_cost_of_a_suggestion_is_the_real_cases_that_newly_fail() -> None:
    records = [{"total": 100.25 + number} for number in range(10)]
    cases: list[dict[str, Any]] = []
    for number, record in enumerate(records):
        cases.append({"id": str(number), "expected": record, "actual": {"total": record["total"] + (1 if number < 3 else 0)}})
    suite = _suite([{"path": "total", "match": "numeric_tolerance", "tolerance": 5}])
    report = mutate_suite(fw.check(suite, cases=cases))
    assert {suggestion.newly_failing for suggestion in report.suggestions} == {3}


def test_equal_spellings_of_a_value_are_equivalent_and_letter_case_is_not() -> None:
    report = _mutate(
        _suite([{"path": "name", "match": "fuzzy"}, {"path": "n", "match": "numeric_tolerance", "parse": True}]),
        [{"name": f"Acme Works {letter}", "n": 1234.5} for letter in "abcdef"],
    )
    assert report.cells["name", "letter_case"].survived == 6
    assert report.equivalent >= 12  # white space in six names, two spellings of six numbers
    assert "number_format" not in report.by_corruption
    assert "whitespace" not in report.by_corruption


def test_the_same_seed_gives_the_same_mutants_and_another_seed_others() -> None:
    suite = _suite([{"path": "terms", "match": "fuzzy", "threshold": 0.5}])
    first, again, reseeded = (_mutate(suite, seed=seed).to_json() for seed in (1, 1, 2))
    assert first == again
    assert first["survivors"] != reseeded["survivors"]


def test_a_limit_samples_cases_and_says_so() -> None:
    report = _mutate(_suite(_STRICT), limit=4)
    assert report.cases == 4
    assert report.is_sampled
    assert any("4 of 8 cases" in note.what for note in report.diagnostics)


@pytest.mark.parametrize("align", ["index", "best", "set", {"align": "key", "key": "sku"}])
def test_values_of_items_are_killed_whatever_the_alignment(align: Any) -> None:
    fields = [{"path": "items[*].sku"}, {"path": "items[*].amount", "match": "numeric_tolerance"}]
    report = _mutate(_suite(fields, lists={"items": align}), [{"items": record["items"]} for record in _RECORDS])
    assert report.by_field["items[*].amount"].survived == 0
    assert report.by_field["items[*].sku"].survived == 0
    assert report.cells["items", "dropped"].survived == 0
    assert report.cells["items", "duplicated"].survived == 0
    assert (report.cells["items", "swapped"].survived > 0) == (align != "index")


def test_root_lists_and_accepted_alternatives_are_corrupted() -> None:
    records = [[{"a": {"$any": [f"Anna {number}", f"Anne {number}"]}, "b": number * 1000}] for number in range(1, 5)]
    cases = [{"id": str(number), "expected": record, "actual": record} for number, record in enumerate(records)]
    suite = {"evaluators": [{"type": "field_accuracy", "fields": [{"path": "[*].b"}]}]}
    report = mutate_suite(fw.check(suite, cases=cases))
    assert report.by_field["[*].b"].survived == 0
    assert report.by_field["[*].a"].killed == 0
    suite["evaluators"][0]["fields"] = [{"path": "[*].a"}]
    assert mutate_suite(fw.check(suite, cases=cases)).by_field["[*].a"].survived == 0
    first_case = [survivor for survivor in report.survivors if survivor.path == "[0].a" and survivor.case == "0"]
    assert first_case
    assert not any(survivor.mutant in ("Anna 1", "Anne 1") for survivor in first_case)


@pytest.mark.parametrize(
    ("values", "rule", "corruption", "fix"),
    [
        (["2024-03-05", "2023-07-08"], {"match": "date", "precision": "month"}, "day_shifted", {"match": "date"}),
        (["2024-03-05T10:00:00", "2024-04-06T11:30:00"], {"match": "date"}, "time_shifted", {"match": "datetime"}),
        ([100.25, 230.5], {"match": "numeric_tolerance", "tolerance": 0.1, "relative": True}, "last_digit",
         {"match": "numeric_tolerance", "tolerance": 0.005}),
        (["Acme Corp", "Beta Works"], {"match": "contains"}, "extra_text", {"match": "exact"}),
        (["Acme Corp", "Beta Works"], {"required": False}, "dropped", {"match": "exact"}),
        ([["a1", "b1"], ["c2", "d2"]], {"match": "set"}, "swapped", {"match": "exact"}),
    ],
)  # fmt: skip
def test_the_smallest_change_of_a_rule_is_suggested(values: list[Any], rule: dict[str, Any], corruption: str, fix: dict[str, Any]) -> None:
    report = _mutate(_suite([{"path": "f", **rule}]), [{"f": value} for value in values])
    assert report.cells["f", corruption].survived > 0
    assert {"path": "f", **fix} in [suggestion.rule for suggestion in report.suggestions]


def test_a_rule_that_fails_on_the_expected_values_themselves_kills_nothing_and_is_named() -> None:
    report = _mutate(_suite([{"path": "f", "match": "one_of", "values": ["early"]}]), [{"f": "soon enough"}, {"f": "quite late"}])
    assert report.by_field["f"].killed == 0
    assert any("misses in 2 expected records compared with themselves" in note.what for note in report.diagnostics)


def test_a_path_that_no_record_has_is_refused() -> None:
    with pytest.raises(fw.ConfigError, match="did you mean `code`"):
        _mutate(_suite([{"path": "cod"}]))


def test_without_outputs_the_cost_is_unknown() -> None:
    cases = [{"id": str(number), "expected": {"f": 100.5 + number}} for number in range(3)]
    report = mutate_suite(compile_suite(_suite([{"path": "f", "match": "numeric_tolerance", "tolerance": 5}]), cases=cases))
    assert [suggestion.newly_failing for suggestion in report.suggestions] == [None]


def test_a_field_that_a_correction_drops_is_not_corrupted() -> None:
    records = [{"a": {"$any": []}, "b": f"x{number}"} for number in range(3)]
    assert "a" not in _mutate(_suite([{"path": "b"}]), records).by_field


def test_a_rule_that_needs_a_model_leaves_the_result_incomplete() -> None:
    report = _mutate(_suite([{"path": "terms", "match": "fuzzy", "algorithm": "llm"}]))
    assert report.exit_code == 3
    assert any("no model or program is asked here" in note.what for note in report.diagnostics)


def test_null_and_absent_values_are_invented() -> None:
    records = [{"a": "x1", "note": None}, {"a": "x2", "note": "call back soon"}, {"a": "x3"}]
    report = _mutate(_suite([{"path": "a"}, {"path": "note", "unexpected": "ignore"}]), records)
    assert report.cells["note", "invented"].mutants == 2
    assert report.cells["note", "invented"].survived == 1
    assert {"path": "note", "match": "exact", "unexpected": "miss"} in [suggestion.rule for suggestion in report.suggestions]


def test_an_evaluator_of_every_leaf_kills_what_the_rules_leave() -> None:
    suite = _suite([{"path": "code"}])
    suite["evaluators"].append({"type": "field_prf"})
    report = _mutate(suite)
    assert report.by_evaluator["fields"].killed < report.total.killed
    assert report.total.share > 0.95
    assert _mutate(suite, only=["fields"]).total.killed == report.by_evaluator["fields"].killed


def test_redacted_values_are_not_shown() -> None:
    suite = {**_suite([{"path": "code"}]), "redact": ["terms", "items[*].sku"]}
    text = json.dumps(_mutate(suite).to_json()["survivors"])
    assert "Net 1" not in text
    assert "A11" not in text
    assert "Paris" in text


@pytest.fixture
def suite_file(tmp_path: Path) -> Path:
    lines = [json.dumps({"id": f"c{number}", "expected": record, "actual": record}) for number, record in enumerate(_RECORDS)]
    (tmp_path / "cases.jsonl").write_text("\n".join(lines))
    suite = {"cases": "cases.jsonl", **_suite([{"path": "code", "match": "fuzzy"}]), "gate": {"mutants.killed": ">= 0.9"}}
    path = tmp_path / "s.eval.yaml"
    path.write_text(json.dumps(suite))
    return path


def test_the_command_judges_its_gate_and_writes_the_contract(suite_file: Path, tmp_path: Path) -> None:
    html, copy = tmp_path / "out" / "m.html", tmp_path / "m.json"
    result = CliRunner().invoke(app, ["mutate", str(suite_file), "--format", "json", "-o", str(html), "-o", str(copy)])
    assert result.exit_code == 1, result.output
    content = json.loads(result.stdout)
    keys = {"mutants", "killed", "survived", "equivalent", "by_field", "by_corruption", "survivors", "suggestions"}
    assert keys <= content.keys()
    assert content["killed"] + content["survived"] == content["mutants"]
    assert set(content["survivors"][0]) == {"case", "path", "corruption", "expected", "mutant"}
    assert set(content["suggestions"][0]) == {"rule", "kills", "newly_failing"}
    assert content["by_field"]["city"]["killed"] == 0
    assert json.loads(copy.read_text()) == content
    page = html.read_text()
    assert "items[*].amount" in page
    assert "src=" not in page


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--gate", "mutants.killed >= 0.99"], 1, "does not hold"),
        (["--gate", "mutants.killed >= 0.01", "--limit", "3"], 1, "3 of 8 cases"),
        (["--gate", "fields.score >= 0.5"], 2, "fieldwise run"),
        (["--gate", "mutants.kill >= 0.5"], 2, "killed"),
        (["--evaluator", "field"], 2, "did you mean `fields`"),
        (["-o", "m.pdf"], 2, ".html or .json"),
    ],
)
def test_the_command_ends_with_the_code_of_its_outcome(suite_file: Path, arguments: list[str], code: int, words: str) -> None:
    result = CliRunner().invoke(app, ["mutate", str(suite_file), "--format", "plain", *arguments])
    assert (result.exit_code, words in result.output) == (code, True), result.output


def test_a_gate_that_holds_ends_with_0(suite_file: Path) -> None:
    suite_file.write_text(suite_file.read_text().replace(">= 0.9", ">= 0.01"))
    assert CliRunner().invoke(app, ["mutate", str(suite_file)]).exit_code == 0


def test_run_skips_the_gate_and_says_so(suite_file: Path, tmp_path: Path) -> None:
    run = fw.run(suite_file, root=tmp_path / "runs")
    assert run.exit_code == 0
    assert any("mutants.killed >= 0.9" in note.what and note.code == "skipped-gate" for note in run.diagnostics)


def test_a_suite_without_evaluators_of_records_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "1", "question": "q", "expected_output": "x", "answer": "y"}\n')
    path = tmp_path / "a.eval.yaml"
    path.write_text("cases: a.jsonl\nevaluators: [{type: answer_quality}]\n")
    result = CliRunner().invoke(app, ["mutate", str(path)])
    assert result.exit_code == 2
    assert "no evaluator compares records" in result.output


def test_without_a_record_there_is_nothing_to_corrupt(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "1", "expected": {}, "actual": {"a": 1}}\n')
    path = tmp_path / "a.eval.yaml"
    path.write_text("cases: a.jsonl\nevaluators: [{type: field_accuracy, fields: [{path: a, sparse: true}]}]\n")
    assert CliRunner().invoke(app, ["mutate", str(path)]).exit_code == 4


def test_without_cases_the_reason_is_not_when(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text("")
    (tmp_path / "s.eval.yaml").write_text("cases: c.jsonl\nevaluators: [{type: field_prf}]\n")
    result = CliRunner().invoke(app, ["mutate", str(tmp_path / "s.eval.yaml")])
    assert result.exit_code == 4
    assert "there are no cases" in " ".join(result.output.split())
    assert "`when`" not in result.output


def test_cases_without_a_record_are_counted_and_not_called_sampled() -> None:
    report = _mutate(_suite([{"path": "code"}]), [*_RECORDS, None])
    assert [note.what for note in report.diagnostics if note.level == "info"] == [
        "8 of 9 cases have an expected record; the others have nothing to corrupt"
    ]
    assert not report.is_sampled


def _make_list_case(number: int) -> dict[str, Any]:
    """Items in another order in cases 1 and 2; an item missing in case 3, a wrong price in case 4."""
    items = [{"name": f"{name}{number}", "price": 10 * place + number} for place, name in enumerate(["alpha", "bravo", "charlie"])]
    actual = [dict(item) for item in items]
    if number in (1, 2):
        actual.reverse()
    if number == 3:
        del actual[0]
    if number == 4:
        actual[0]["price"] = 999
    return {"id": f"c{number}", "expected": {"items": items}, "actual": {"items": actual}}


def test_the_cost_of_an_alignment_leaves_out_cases_that_fail_already() -> None:
    suite = _suite([{"path": "items[*].name"}, {"path": "items[*].price"}], lists={"items": "best"})
    report = mutate_suite(fw.check(suite, cases=[_make_list_case(number) for number in range(8)]))
    assert [(suggestion.rule, suggestion.newly_failing) for suggestion in report.suggestions] == [({"path": "items", "align": "index"}, 2)]


def _mutate_texts(texts: list[str], *rules: dict[str, Any]) -> MutationReport:
    """Texts that the system under test writes in capitals, by one evaluator for each rule."""
    cases = [{"id": text, "expected": {"text": text}, "actual": {"text": text.upper()}} for text in texts]
    evaluators = [{"type": "field_accuracy", "name": f"e{at}", "fields": [{"path": "text", **rule}]} for at, rule in enumerate(rules)]
    return mutate_suite(fw.check({"evaluators": evaluators}, cases=cases))


_NAMES = ["Bonn Harbour", "Paris Nord", "Lyon Centre", "Turin Main"]
_TERMS = ["payable within thirty days", "due on receipt of goods", "paid in advance by card", "cash on delivery only"]
_CONTAINS = {"match": "contains", "ignore_case": True}


def test_the_kills_of_a_suggestion_are_net_of_the_mutants_that_it_stops_killing() -> None:
    report, fuzzy = _mutate_texts(_NAMES, _CONTAINS), _mutate_texts(_NAMES, {"match": "fuzzy"})
    earlier, later = ({(survivor.case, survivor.corruption) for survivor in each.survivors} for each in (report, fuzzy))
    assert later - earlier, "it stops killing some"
    kills = {suggestion.rule["match"]: suggestion.kills for suggestion in report.suggestions}
    assert kills["fuzzy"] == fuzzy.total.killed - report.total.killed == len(earlier - later) - len(later - earlier)


def test_a_rule_that_stops_killing_more_than_it_kills_is_not_suggested() -> None:
    report, fuzzy = _mutate_texts(_TERMS, _CONTAINS), _mutate_texts(_TERMS, {"match": "fuzzy"})
    earlier, later = ({(survivor.case, survivor.corruption) for survivor in each.survivors} for each in (report, fuzzy))
    assert earlier - later, "it kills some"
    assert [suggestion.rule["match"] for suggestion in report.suggestions] == ["exact"]


def test_a_mutant_that_another_evaluator_kills_is_not_lost() -> None:
    report = _mutate_texts(_TERMS, _CONTAINS, _CONTAINS)
    changed = _mutate_texts(_TERMS, {"match": "fuzzy"}, _CONTAINS)
    kills = {suggestion.rule["match"]: suggestion.kills for suggestion in report.suggestions}
    assert kills["fuzzy"] == changed.total.killed - report.total.killed > 0
