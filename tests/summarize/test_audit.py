"""A judge beside people, in numbers."""

from fieldwise.model.audit import JudgedCase
from fieldwise.summarize.audit import audit_judge


def judged(*verdicts: tuple[str | None, float]) -> dict[str, JudgedCase]:
    return {f"c{n}": JudgedCase(verdict=verdict, score=score) for n, (verdict, score) in enumerate(verdicts)}  # pyright: ignore[reportArgumentType]


def test_partial_is_a_label_of_its_own_where_people_use_it() -> None:
    audit = audit_judge("r", "j", judged(("pass", 1), ("partial", 0.5), ("fail", 0)), {"c0": "pass", "c1": "partial", "c2": "partial"})
    assert audit.table == {
        "pass": {"pass": 1, "partial": 0, "fail": 0},
        "partial": {"pass": 0, "partial": 1, "fail": 1},
        "fail": {"pass": 0, "partial": 0, "fail": 0},
    }
    assert (audit.partial_is_fail, audit.best) == (False, None)
    assert audit.share("partial", "partial") == 0.5
    assert audit.share("fail", "fail") is None


def test_partial_is_a_fail_where_people_do_not_use_it() -> None:
    audit = audit_judge("r", "j", judged(("pass", 1), ("partial", 0.5)), {"c0": "pass", "c1": "fail"})
    assert (audit.agreement, audit.kappa, audit.partial_is_fail) == (1.0, 1.0, True)


def test_a_case_that_the_judge_could_not_measure_is_no_disagreement() -> None:
    audit = audit_judge("r", "j", judged(("pass", 1), (None, 0), ("fail", 0), ("pass", 1)), {"c0": "pass", "c1": "pass", "c2": "fail"})
    assert (audit.n, list(audit.unjudged), audit.unlabelled) == (2, ["c1"], 1)


def test_a_better_cut_is_only_told_where_there_is_one() -> None:
    labels = {"c0": "pass", "c1": "pass", "c2": "fail", "c3": "fail"}
    strict = judged(("pass", 0.9), ("fail", 0.6), ("fail", 0.4), ("fail", 0.1))
    best = audit_judge("r", "j", strict, labels).best  # pyright: ignore[reportArgumentType]
    assert best is not None
    assert (best.pass_at, best.kappa, best.agreement) == (0.6, 1.0, 1.0)
    right = judged(("pass", 0.9), ("pass", 0.6), ("fail", 0.4), ("fail", 0.1))
    assert audit_judge("r", "j", right, labels).best is None  # pyright: ignore[reportArgumentType]
