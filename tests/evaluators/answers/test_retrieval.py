"""retrieval: precision@k, recall@k, MRR and nDCG where cases name relevant ids."""

from math import log2
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise import ConfigError, Result


def retrieved(relevant: Any, contexts: Any, /, **options: Any) -> Result:
    return fw.evaluate({"type": "retrieval", **options}, actual="x", contexts=contexts, metadata={"relevant_ids": relevant})


def test_a_worked_example() -> None:
    result = retrieved(["a", "b"], ["x", "a", "y", "b", "z"], k=[3, 5])
    assert result.metrics == pytest.approx(
        {
            "mrr": 1 / 2,
            "precision_at_3": 1 / 3,
            "recall_at_3": 1 / 2,
            "ndcg_at_3": (1 / log2(3)) / (1 + 1 / log2(3)),
            "precision_at_5": 2 / 5,
            "recall_at_5": 1.0,
            "ndcg_at_5": (1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3)),
        }
    )
    assert result.score == result.metrics["ndcg_at_3"]
    assert (result.hits, result.misses) == (["a"], ["b"])
    assert result.details["ranks"] == {"a": 2, "b": 4}


def test_what_was_retrieved_is_judged_without_an_answer_too() -> None:
    case: dict[str, Any] = {"contexts": ["x", "a"], "metadata": {"relevant_ids": ["a"]}}
    result = fw.evaluate({"type": "retrieval"}, **case)
    assert (result.status, result.score, result.metrics["mrr"]) == ("scored", 1 / log2(3), 0.5)
    assert fw.evaluate({"type": "retrieval"}, actual=None, **case).metrics == result.metrics


def test_nothing_retrieved_and_no_answer_is_the_systems_failure() -> None:
    result = fw.evaluate({"type": "retrieval"}, metadata={"relevant_ids": ["a"]})
    assert (result.status, result.score, result.details["fault"]) == ("error", 0.0, "system")


def test_a_passage_without_an_id_keeps_its_place() -> None:
    result = retrieved(["a"], [{"text": "x"}, {"id": "a"}])
    assert (result.metrics["mrr"], result.details["ranks"], result.details["flags"]) == (0.5, {"a": 2}, ["passages_without_id"])


def test_passages_with_another_key_are_our_fault_and_not_a_bad_ranking() -> None:
    result = retrieved(["a"], [{"doc": "a"}, {"doc": "b"}])
    assert (result.status, result.details["fault"]) == ("error", "ours")
    assert "no passage under `contexts` has the key `id`" in result.reasoning


def test_a_perfect_ranking_is_one() -> None:
    assert retrieved({"a": 3, "b": 1}, [{"id": "a"}, {"id": "b"}], k=[2]).score == 1.0


def test_gains_reward_the_better_passage_first() -> None:
    assert retrieved({"a": 3, "b": 1}, ["b", "a"], k=[2]).score < 1.0
    assert retrieved({"a": 3, "b": 1, "c": 0}, ["a", "b"], k=[2]).metrics["recall_at_2"] == 1.0


def test_a_repeated_id_counts_once_and_is_flagged() -> None:
    result = retrieved(["a", "b"], ["a", "a", "a"], k=[3])
    assert result.metrics["precision_at_3"] == pytest.approx(1 / 3)
    assert result.details["flags"] == ["repeated_ids"]


def test_nothing_retrieved_is_zero_and_flagged() -> None:
    result = retrieved(["a"], [])
    assert (result.score, result.status, result.details["flags"]) == (0.0, "scored", ["nothing_retrieved"])


@pytest.mark.parametrize("relevant", [None, [], {}, {"a": 0}])
def test_a_case_that_names_no_relevant_id_is_skipped(relevant: Any) -> None:
    result = retrieved(relevant, ["a"])
    assert (result.status, result.verdict) == ("skipped", None)
    assert "relevant" in result.reasoning


def test_ids_may_stand_elsewhere() -> None:
    result = fw.evaluate(
        {"type": "retrieval", "relevant": "expected.docs", "retrieved": "actual.docs", "id": "doc", "score": "recall", "k": [1]},
        expected={"docs": [7]},
        actual={"docs": [{"doc": 7}]},
    )
    assert result.score == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [({"relevant": "metdata.ids"}, "a case has no"), ({"k": []}, "k"), ({"k": [0]}, "k"), ({"score": "map"}, "score")],
)
def test_bad_options_are_refused_with_the_reason(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        retrieved(["a"], ["a"], **options)


IDS = st.lists(st.sampled_from("abcde"), max_size=6)


@given(IDS, IDS, st.sampled_from([[1], [2, 4], [10]]))
@settings(max_examples=80, deadline=None)
def test_every_metric_stays_in_its_range(relevant: list[str], contexts: list[str], k: list[int]) -> None:
    result = retrieved(relevant, contexts, k=k)
    assert all(0.0 <= value <= 1.0 for value in result.metrics.values())


@pytest.mark.parametrize("gain", [10**400, 1.7e308, float("inf"), float("nan"), 0, -1])
def test_an_id_whose_gain_has_no_finite_sum_is_not_relevant(gain: float) -> None:
    gains = {"a": gain, "b": 2, "c": gain, "d": gain}
    assert retrieved(gains, ["a", "b"]) == retrieved({"b": 2}, ["a", "b"])


@pytest.mark.parametrize("odd", [5, "a", {"a": "high"}, {"a": float("nan")}, [None, {}, [1]], True])
def test_odd_data_never_raises(odd: Any) -> None:
    assert 0.0 <= retrieved(odd, [odd, None, {"id": None}]).score <= 1.0


class TestFilesWithoutAnswers:
    """Relevant and retrieved ids alone are enough."""

    @pytest.mark.parametrize(
        ("name", "text", "options"),
        [
            (
                "r.jsonl",
                '{"id": "a", "relevant_ids": ["p1", "p2"], "retrieved_ids": ["p2"]}',
                {"retrieved": "metadata.retrieved_ids"},
            ),
            ("r.jsonl", '{"id": "a", "relevant_ids": ["p1", "p2"], "contexts": [{"id": "p2"}, {"id": "p9"}]}', {}),
            ("r.csv", "id,relevant_ids,contexts\na,p1;p2,p2; p9\n", {}),
            ("r.csv", 'id,relevant_ids,contexts\na,"[""p1"", ""p2""]","[""p2"", ""p9""]"\n', {}),
            ("r.csv", 'id,relevant_ids,retrieved_ids\na,"{""p1"": 1, ""p2"": 1}",p2;p9\n', {"retrieved": "metadata.retrieved_ids"}),
        ],
    )
    def test_they_are_scored(self, tmp_path: Path, name: str, text: str, options: dict[str, str]) -> None:
        (tmp_path / name).write_text(text, encoding="utf-8")
        run = fw.run({"cases": str(tmp_path / name), "evaluators": [{"type": "retrieval", "k": [2], **options}]}, root=tmp_path)
        assert (run.exit_code, run.summary["retrieval.recall_at_2"], run.summary["retrieval.mrr"]) == (0, 0.5, 1.0)

    def test_other_files_without_either_side_are_refused_as_ever(self, tmp_path: Path) -> None:
        (tmp_path / "r.jsonl").write_text('{"id": "a", "note": "x"}', encoding="utf-8")
        with pytest.raises(fw.ConfigError, match="columns"):
            fw.run({"cases": str(tmp_path / "r.jsonl"), "evaluators": [{"type": "retrieval"}]}, root=tmp_path)
