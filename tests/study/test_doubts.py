import pytest

import fieldwise as fw
from fieldwise.study.doubts import read_agreement, read_suspects, store_agreement, study_doubts

RULES = [{"path": "vendor", "match": "fuzzy"}, {"path": "total", "match": "money"}, {"path": "items[*].sku"}]
SUITE = {"evaluators": [{"type": "field_accuracy", "name": "fields", "fields": RULES, "lists": {"items": "best"}}]}


def make_rows(**changes):
    """Six cases in which the system gives what is expected, except for the values at (case, field)."""
    rows = []
    for number in range(6):
        expected = {"vendor": f"Vendor number {number}", "total": 10.0 + number, "items": [{"sku": f"A{number}"}, {"sku": f"B{number}"}]}
        actual = {**expected, **changes.get(f"c{number}", {})}
        rows.append({"id": f"c{number}", "input": f"total {17 if number == 2 else 10 + number}.00", "expected": expected, "actual": actual})
    return rows


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def runs(root):
    same = {"c2": {"total": "17.00"}}
    outputs = [
        make_rows(**same, c3={"vendor": None}, c5={"items": [{"sku": "A5"}, {"sku": "B5"}, {"sku": "NEW"}]}),
        make_rows(c2={"total": 17}, c3={"vendor": "VENDOR NUMBER 3"}, c5={"items": [{"sku": "NEW"}, {"sku": "B5"}, {"sku": "A5"}]}),
        make_rows(**same, c1={"vendor": "Somebody else"}, c4={"total": 1}),
    ]
    names = ("alpha", "beta", "gamma")
    return [fw.run(SUITE, cases=rows, name=name, root=root) for name, rows in zip(names, outputs, strict=True)]


@pytest.fixture(scope="module")
def report(runs):
    return study_doubts(runs)


def test_an_expected_value_that_agreeing_systems_contradict_is_suspect(report):
    [suspect] = report.suspects
    assert (suspect.case, suspect.path, suspect.expected, suspect.suggested) == ("c2", "total", 12.0, "17.00")
    assert suspect.agreeing == ("alpha", "beta", "gamma")
    assert not suspect.backing
    assert [evidence.kind for evidence in suspect.evidence] == ["source_text"]


def test_agreement_is_the_share_of_other_systems_with_a_matching_value(report):
    alpha, beta, gamma = report.confidences
    assert beta["c3", "vendor"] == 0.5  # alpha gave nothing; gamma agrees by the fuzzy match
    assert ("c3", "vendor") not in alpha
    assert gamma["c1", "vendor"] == 0.0
    assert alpha["c2", "total"] == 1.0
    assert alpha["c5", "items[+2].sku"] == 0.5  # beta has this item too, at another place


def test_the_levels_of_agreement_show_how_often_a_system_is_right(report):
    gamma = report.agreement[2]
    assert gamma.name == "gamma"
    assert gamma.values == sum(level.values for level in gamma.levels) == 24
    assert [(level.agreeing, level.values, level.correct) for level in gamma.levels] == [(0, 2, 0), (1, 1, 1), (2, 21, 20)]
    assert gamma.to_review == (2, 2)


def test_more_systems_can_be_required(runs, root):
    with_a_perfect_one = [*runs, fw.run(SUITE, cases=make_rows(), name="delta", root=root)]
    assert study_doubts(with_a_perfect_one, min_agreeing=3).suspects
    assert not study_doubts(with_a_perfect_one, min_agreeing=4).suspects
    with pytest.raises(fw.ConfigError, match="3 agreeing systems are asked for, and there are 2"):
        study_doubts(runs[:2], min_agreeing=3)


def test_agreement_and_suspects_are_stored_beside_each_run(runs, report):
    assert read_agreement(runs[0]) is None
    assert not read_suspects(runs[0])
    store_agreement(runs, report)
    assert read_agreement(runs[1]) == report.confidences[1]
    assert read_suspects(runs[2]) == [("c2", "total")]


def test_trials_of_one_run_are_systems(root):
    rows = [
        {"id": f"c{number}", "expected": {"total": 5}, "actuals": [{"total": 5 if number else 7}, {"total": 7 if not number else 5}]}
        for number in range(3)
    ]
    run = fw.run({"evaluators": [{"type": "field_prf"}]}, cases=rows, root=root)
    report = study_doubts([run])
    assert [system.name for system in report.agreement] == ["trial 1", "trial 2"]
    assert [(suspect.case, suspect.suggested) for suspect in report.suspects] == [("c0", 7)]


@pytest.mark.parametrize(
    "evaluator", [{"type": "field_prf"}, {"type": "json_quality", "default_text": "FUZZY"}, {"type": "field_accuracy"}], ids=str
)
def test_every_evaluator_of_records_can_compare_systems(root, evaluator):
    outputs = [make_rows(c2={"total": 17}), make_rows(c2={"total": 17})]
    runs = [fw.run({"evaluators": [evaluator]}, cases=rows, root=root) for rows in outputs]
    assert [(suspect.case, suspect.path) for suspect in study_doubts(runs).suspects] == [("c2", "total")]


def test_a_system_without_an_output_says_nothing(root):
    rows = [{**row, "actual": None} if row["id"] == "c1" else row for row in make_rows()]
    runs = [fw.run(SUITE, cases=rows, root=root) for _ in range(2)]
    assert not study_doubts(runs).suspects


def test_several_accepted_values_are_suspect_only_if_none_is_given(root):
    rows = make_rows(c2={"total": 17})
    rows[2]["expected"]["total"] = {"$any": [12, 17]}
    runs = [fw.run(SUITE, cases=rows, root=root) for _ in range(2)]
    assert not study_doubts(runs).suspects


def test_one_system_the_same_run_twice_and_no_common_case_are_errors(root, runs):
    disjoint = fw.run(SUITE, cases=[{**row, "id": f"x{row['id']}"} for row in make_rows()], root=root)
    for chosen in ([runs[0]], [runs[0], runs[0]], [runs[0], disjoint]):
        with pytest.raises(fw.ConfigError):
            study_doubts(chosen)
