"""Ranking of several runs."""

from fieldwise.model.change import Change, Changes, ChangeVerdict, EvaluatorChange
from fieldwise.summarize.ranking import rank_runs


def changes(base: float, new: float, verdict: ChangeVerdict, *, lower: bool = False) -> Changes:
    numbers = {"n": 50, "low": None, "high": None, "p": 0.01, "p_adjusted": 0.01, "effect": None, "gain": None, "smallest_shown": None}
    metric = Change(name="e.score", base=base, new=new, verdict=verdict, test="permutation", lower_is_better=lower, **numbers)
    return Changes(base="", new="", evaluators={"e": EvaluatorChange(evaluator="e", n=50, metrics=[metric], primary="e.score")})


def test_runs_are_ranked_from_best_to_worst_with_the_differences_that_are_shown() -> None:
    pairs = {
        (0, 1): changes(0.80, 0.90, "better"),
        (0, 2): changes(0.80, 0.85, "no difference shown"),
        (1, 2): changes(0.90, 0.85, "worse"),
    }
    ranking = rank_runs(["a", "b", "c"], ["1", "2", "3"], pairs)["e"]
    assert [(entry.label, entry.run, entry.value) for entry in ranking] == [("b", "2", 0.90), ("c", "3", 0.85), ("a", "1", 0.80)]
    assert [entry.better_than for entry in ranking] == [("a", "c"), (), ()]
    assert [entry.worse_than for entry in ranking] == [(), ("b",), ("b",)]
    assert [entry.not_shown for entry in ranking] == [(), ("a",), ("c",)]


def test_of_a_metric_of_which_less_is_better_the_lowest_is_first() -> None:
    ranking = rank_runs(["a", "b"], ["1", "2"], {(0, 1): changes(0.8, 0.9, "worse", lower=True)})["e"]
    assert [(entry.label, entry.better_than) for entry in ranking] == [("a", ("b",)), ("b", ())]
