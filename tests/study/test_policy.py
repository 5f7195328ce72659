"""Policies: chosen on one half of the documents, checked on the other, and applied to single outputs."""

import json
from dataclasses import replace

import numpy as np
import pytest

import fieldwise as fw
from fieldwise.read.policy_file import load_policy
from fieldwise.study.confident_values import ConfidentValues
from fieldwise.study.policy import check_policy, choose_cut_offs, make_policy, split_documents

SUITE = {"name": "receipts", "evaluators": [{"type": "field_prf"}]}


def rich(value, confidence):
    return {"value": value, "confidence": confidence}


def draw_rows(documents: int, seed: int, *, error: float = 0.0):
    """Two fields: the total is wrong below a confidence of 0.5, and with probability `error` above; the vendor at random."""
    random = np.random.default_rng(seed)
    rows = []
    for number in range(documents):
        confidence = round(float(random.random()), 3)
        is_right = confidence >= 0.5 and random.random() >= error
        vendor = rich("A" if random.random() < 0.7 else "B", round(float(random.random()), 3))
        actual = {"total": rich(1 if is_right else 2, confidence), "vendor": vendor, "note": "x"}
        rows.append({"id": f"{seed}-{number}", "expected": {"total": 1, "vendor": "A", "note": "x"}, "actual": actual})
    return rows


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def run(root):
    return fw.run(SUITE, cases=draw_rows(900, 1), root=root)


@pytest.fixture(scope="module")
def policy(run):
    return make_policy(run, 0.03)


def test_the_cut_off_is_near_the_true_one_and_hopeless_fields_have_none(policy):
    total, vendor = policy.fields["total"], policy.fields["vendor"]
    assert 0.48 <= total.threshold <= 0.56
    assert total.bound <= 0.03
    assert total.n == 900
    assert 380 < total.accepted < 520
    assert (vendor.threshold, vendor.accepted, vendor.bound) == (None, 0, None)
    assert "note" not in policy.fields  # no value of it has a confidence


def test_the_file_has_the_published_keys_and_loads_again(policy, run, tmp_path):
    content = policy.to_json()
    assert list(content) == ["version", "max_error", "level", "fields", "made_from"]
    assert set(content["fields"]["total"]) == {"threshold", "n", "accepted", "bound"}
    assert set(content["made_from"]) == {"run", "suite", "data"}
    assert content["made_from"]["run"] == run.id
    file = tmp_path / "policy.json"
    file.write_text(json.dumps(content))
    assert load_policy(file) == load_policy(content) == load_policy(policy) == policy


@pytest.mark.parametrize(
    "content", [{}, {"version": 2}, [], {"version": 1, "fields": {"a": {}}, "max_error": 1, "level": 1, "made_from": {}}]
)
def test_what_is_no_policy_is_a_configuration_error(content):
    with pytest.raises(fw.ConfigError, match="no policy"):
        load_policy(content)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[("max_error", value) for value in (0, 1, 5, -0.1, float("nan"), "0.02", True, None)],
        *[("level", value) for value in (0, 0.4, 1, 3, -1, float("nan"), [0.95])],
        *[("fields", value) for value in ([], 3, {"total": []}, {"total": 0.5})],
        ("made_from", "run"),
        *[("fields.total.threshold", value) for value in (-0.1, 1.1, "0.5", float("inf"), True)],
        *[("fields.total.bound", value) for value in (2, "x")],
        *[("fields.total.n", value) for value in (-1, 1.5, None, "1")],
        ("fields.total.accepted", 2),
    ],
)
def test_impossible_numbers_are_a_configuration_error_that_names_the_key(key, value, tmp_path):
    content = json.loads(json.dumps(POLICY))
    *parents, last = key.split(".")
    place = content
    for parent in parents:
        place = place[parent]
    place[last] = value
    named = key if not isinstance(value, dict) else "fields.total"
    file = tmp_path / "policy.json"
    file.write_text(json.dumps(content))
    for source in (content, file):
        with pytest.raises(fw.ConfigError, match=f"`{named}"):
            fw.route({}, source)
    suite = SUITE | {"policy": str(file)}
    with pytest.raises(fw.ConfigError, match=f"`{named}"):
        fw.check(suite, cases=draw_rows(2, 1))


def test_a_policy_is_the_same_to_the_bit_when_made_again(policy, run):
    assert make_policy(run, 0.03) == policy
    assert check_policy(policy, run).holds


def test_a_changed_figure_does_not_hold(policy, run):
    changed = replace(policy, fields={**policy.fields, "total": replace(policy.fields["total"], accepted=900)})
    check = check_policy(changed, run)
    assert not check.holds
    assert "total" in check.problems[0]


def test_a_policy_holds_on_new_documents_of_the_same_kind(policy, root):
    assert check_policy(policy, fw.run(SUITE, cases=draw_rows(900, 2), root=root)).holds


def test_a_policy_does_not_hold_where_errors_are_confident(policy, root):
    check = check_policy(policy, fw.run(SUITE, cases=draw_rows(900, 3, error=0.2), root=root))
    assert not check.holds
    assert check.is_measured
    assert "wrong" in check.fields["total"].reason


def test_too_few_documents_show_nothing(policy, root):
    check = check_policy(policy, fw.run(SUITE, cases=draw_rows(30, 4), root=root))
    assert not check.holds
    assert "too few values" in check.fields["total"].reason


def test_halves_depend_on_names_alone():
    names = [f"document {number}" for number in range(101)]
    first = dict(zip(names, split_documents(names), strict=True))
    again = dict(zip(reversed(names), split_documents(names[::-1]), strict=True))
    assert first == again
    assert sum(first.values()) in (50, 51)


def draw_clustered(documents: int, random: np.random.Generator) -> ConfidentValues:
    """Three fields of dependent values; the true error of a value is 0.12 times (1.5 - its confidence), and more in hard documents."""
    sizes = random.integers(1, 8, size=documents)
    field = np.concatenate([np.zeros(documents), np.ones(documents), np.full(int(sizes.sum()), 2)]).astype(np.int64)
    document = np.concatenate([np.arange(documents), np.arange(documents), np.repeat(np.arange(documents), sizes)])
    is_hard = random.random(documents) < 0.1
    confidence = np.round(random.random(len(field)), 2)
    rate = 0.06 * (1.5 - confidence) * np.where(is_hard, 6.0, 0.444)[document]  # mean factor 1
    wrong = random.random(len(field)) < rate
    return ConfidentValues(
        evaluator="fields",
        fields=["a", "b", "c[*]"],
        field=field,
        confidence=confidence,
        correct=1.0 - wrong,
        document=document,
        documents=[f"{random.integers(1 << 60)}" for _ in range(documents)],
        tags={},
    )


def true_error(threshold: float) -> float:
    levels = np.arange(round(threshold * 100), 101) / 100
    weights = np.where((levels == 0) | (levels == 1), 0.5, 1.0)
    return float(np.average(0.06 * (1.5 - levels), weights=weights))


def test_bounds_hold_in_simulation_with_dependent_values():
    random = np.random.default_rng(8)
    exceeded = promised = 0
    for _ in range(60):
        policies = choose_cut_offs(draw_clustered(500, random), 0.09, 0.95)
        reachable = [policy for policy in policies.values() if policy.threshold is not None]
        promised += len(reachable)
        exceeded += any(true_error(policy.threshold) > policy.bound for policy in reachable)
    assert promised > 60
    assert exceeded <= 3  # 5 % of 60


def values_of_one_field(counts):
    """Documents with one value each: `counts` are triples of number, confidence, and whether these values are right."""
    confidence = np.concatenate([np.full(number, level) for number, level, _ in counts])
    correct = np.concatenate([np.full(number, float(is_right)) for number, _, is_right in counts])
    documents = len(confidence)
    return ConfidentValues(
        evaluator="fields",
        fields=["vendor"],
        field=np.zeros(documents, dtype=np.int64),
        confidence=confidence,
        correct=correct,
        document=np.arange(documents),
        documents=[f"d{number}" for number in range(documents)],
        tags={},
    )


def assert_monotone(values: ConfidentValues, errors: int = 60):
    lowest = dict.fromkeys(values.fields, np.inf)
    for max_error in np.linspace(0.005, 0.6, errors).tolist():
        for path, policy in choose_cut_offs(values, max_error, 0.95).items():
            threshold = np.inf if policy.threshold is None else policy.threshold
            assert threshold <= lowest[path], (path, max_error)
            lowest[path] = threshold


def test_a_cut_off_that_holds_for_an_error_holds_for_every_larger_one():
    values = values_of_one_field([(82, 1.0, True), (23, 0.5, True), (15, 0.0, False)])
    assert choose_cut_offs(values, 0.06, 0.95)["vendor"].threshold == 0.5
    assert_monotone(values)
    random = np.random.default_rng(3)
    for _ in range(4):  # several fields that become reachable at different errors
        assert_monotone(draw_clustered(int(random.integers(20, 300)), random), errors=12)


POLICY = {
    "version": 1,
    "max_error": 0.02,
    "level": 0.95,
    "fields": {
        "total": {"threshold": 0.8, "n": 1, "accepted": 1, "bound": 0.01},
        "line_items[*].amount": {"threshold": 0.5, "n": 1, "accepted": 1, "bound": 0.01},
        "tags": {"threshold": 0.5, "n": 1, "accepted": 1, "bound": 0.01},
        "vendor.name": {"threshold": None, "n": 1, "accepted": 0, "bound": None},
        "weight.value": {"threshold": 0.5, "n": 1, "accepted": 1, "bound": 0.01},
    },
    "made_from": {"run": "r", "suite": "s", "data": "d"},
}


def test_an_error_above_one_half_can_be_accepted(root):
    rows = []
    for number in range(400):
        value = 1 if number % 5 < 2 else 2
        rows.append({"id": f"often-wrong-{number}", "expected": {"total": 1}, "actual": {"total": rich(value, 0.9)}})
    run = fw.run(SUITE, cases=rows, root=root)
    assert make_policy(run, 0.6).fields["total"].threshold is None
    total = make_policy(run, 0.7).fields["total"]
    assert (total.threshold, total.accepted) == (0.9, 400)
    assert 0.6 < total.bound <= 0.7
    assert check_policy(make_policy(run, 0.7), run).holds


def test_route_accepts_what_is_confident_enough():
    record = {
        "total": rich(107, 0.8),
        "line_items": [{"amount": rich(1, 0.5)}, {"amount": rich(2, 0.49)}, {"amount": 3}, {"sku": rich("a", 1.0)}],
        "tags": rich(["a", "b"], 0.9),
        "vendor": {"name": {"value": "Acme", "score": 1.0}},
        "weight": {"value": rich(3, 0.9), "confidence": 0.1},
        "note": None,
    }
    route = fw.route(record, POLICY)
    assert route.accepted == ["total", "line_items[0].amount", "tags", "weight.value"]
    assert route.review == [
        "line_items[1].amount",
        "line_items[2].amount",
        "line_items[3].sku",
        "vendor.name",
        "weight.confidence",
        "note",
    ]


def test_route_takes_a_parallel_record_and_a_file(tmp_path):
    file = tmp_path / "policy.json"
    file.write_text(json.dumps(POLICY))
    record = {"total": 107, "line_items": [{"amount": 1}, {"amount": 2}]}
    route = fw.route(record, file, confidences={"total": 0.79, "line_items": [{"amount": 0.7}, {"amount": 0.1}]})
    assert (route.accepted, route.review) == (["line_items[0].amount"], ["total", "line_items[1].amount"])
    assert fw.route(record, str(file)).accepted == []


def test_route_with_a_missing_file_is_a_configuration_error(tmp_path):
    with pytest.raises(fw.ConfigError, match="there is no policy"):
        fw.route({}, tmp_path / "none.json")
