"""ragas: the four metrics by their published definitions, with every claim and verdict."""

from dataclasses import replace
from typing import Any, ClassVar

import pytest
from canned_replies import Canned, said

import fieldwise as fw
from fieldwise import ConfigError, Result
from fieldwise.model.ask import Ask, Chat, Embed, RagasMetric, Reply
from fieldwise.model.case import Case, Cases
from fieldwise.model.plan import Gate, Plan
from fieldwise.model.services import NO_SERVICES
from fieldwise.plan.evaluators import plan_config
from fieldwise.score.evaluate import score_batch
from fieldwise.summarize.gates import gate_diagnostics
from fieldwise.summarize.state import SummaryState

CASE: dict[str, Any] = {
    "input": "Where and when was Einstein born?",
    "actual": "Einstein was born in Germany on 20 March 1879.",
    "expected": "Einstein was born in Ulm, Germany, on 14 March 1879.",
    "contexts": ["Albert Einstein (born 14 March 1879) was a German physicist.", "Bananas are yellow.", "He was born in Ulm."],
}


def verdicts(*supported: bool) -> dict[str, Any]:
    return {"verdicts": [{"number": n, "reason": f"because {n}", "supported": good} for n, good in enumerate(supported, 1)]}


def scripted(**replies: Any) -> Canned:
    """Replies by what is asked for: claims, verdicts, questions, useful, vectors."""

    def reply(ask: Ask) -> Reply:
        if isinstance(ask, Embed):
            return replies["vectors"] if isinstance(replies["vectors"], Reply) else Reply(vectors=replies["vectors"])
        assert isinstance(ask, Chat)
        part = next(name for name in ("claims", "verdicts", "questions", "useful") if name in (ask.schema or {})["properties"])
        reply = replies[part]
        if callable(reply):
            reply = reply(ask.messages[-1].content)
        return reply if isinstance(reply, Reply) else said(reply)

    return Canned(reply)


def measured(metric: str, asker: Canned, **case: Any) -> Result:
    return fw.evaluate({"type": "ragas", "metrics": [metric]}, **{**CASE, **case}, asker=asker)


class TestFaithfulness:
    def test_it_is_the_share_of_claims_that_follow_from_the_contexts(self) -> None:
        """The published example: one of two claims of the answer follows from the context."""
        asker = scripted(
            claims={"claims": ["Einstein was born in Germany.", "Einstein was born on 20 March 1879."]}, verdicts=verdicts(True, False)
        )
        result = measured("faithfulness", asker)
        assert (result.score, result.metrics["faithfulness"]) == (0.5, 0.5)
        assert result.hits == ["faithfulness: Einstein was born in Germany."]
        assert result.misses == ["faithfulness: Einstein was born on 20 March 1879."]
        assert result.details["faithfulness"]["claims"][1] == {
            "claim": "Einstein was born on 20 March 1879.",
            "supported": False,
            "reason": "because 2",
        }

    def test_an_answer_that_states_nothing_is_not_measured(self) -> None:
        result = measured("faithfulness", scripted(claims={"claims": []}))
        assert (result.status, result.details["faithfulness"]["not_measured"]) == ("skipped", "the answer states nothing")

    def test_the_claims_are_judged_by_the_contexts_alone(self) -> None:
        asker = scripted(claims={"claims": ["a"]}, verdicts=verdicts(True))
        measured("faithfulness", asker)
        assert "Bananas are yellow." in asker.asked[1].messages[-1].content  # type: ignore[union-attr]
        assert CASE["expected"] not in asker.asked[1].messages[-1].content  # type: ignore[union-attr]


class TestAnswerRelevancy:
    QUESTIONS: ClassVar[Any] = {"questions": ["one?", "two?", "three?"], "noncommittal": False}

    def test_it_is_the_mean_similarity_of_the_question_to_questions_made_from_the_answer(self) -> None:
        asker = scripted(questions=self.QUESTIONS, vectors=[[1, 0], [1, 0], [0.6, 0.8], [0, 1]])
        result = measured("answer_relevancy", asker)
        assert result.score == pytest.approx((1 + 0.6 + 0) / 3)
        assert result.hits == ["answer_relevancy: one?", "answer_relevancy: two?"]
        assert asker.asked[1] == Embed(texts=(CASE["input"], "one?", "two?", "three?"))

    def test_a_noncommittal_answer_is_0(self) -> None:
        result = measured("answer_relevancy", scripted(questions={**self.QUESTIONS, "noncommittal": True}, vectors=[[1, 0]] * 4))
        assert (result.score, result.status, result.misses) == (0.0, "scored", ["answer_relevancy: noncommittal answer"])

    def test_the_question_itself_is_exactly_1_whatever_rounding_makes_of_its_vector(self) -> None:
        questions = {"questions": [CASE["input"]] * 3, "noncommittal": False}
        assert measured("answer_relevancy", scripted(questions=questions, vectors=[[0.6, 0.79]] * 4)).score == 1.0

    def test_a_blank_question_is_none(self) -> None:
        result = measured("answer_relevancy", scripted(), input=" ")
        assert (result.status, result.details["answer_relevancy"]["not_measured"]) == ("skipped", "there is no question")

    def test_opposite_vectors_are_not_below_0(self) -> None:
        assert measured("answer_relevancy", scripted(questions=self.QUESTIONS, vectors=[[1, 0], [-1, 0], [-1, 0], [-1, 0]])).score == 0.0

    def test_without_an_embedding_model_it_is_unavailable(self) -> None:
        gone = Reply(problem="no embedding model", fix="install it", missing=True)
        result = measured("answer_relevancy", scripted(questions=self.QUESTIONS, vectors=gone))
        assert (result.status, result.reasoning) == ("unavailable", "no embedding model; install it")


class TestContextPrecision:
    @pytest.mark.parametrize(
        ("useful", "score"), [("110", 1.0), ("101", (1 + 2 / 3) / 2), ("011", (1 / 2 + 2 / 3) / 2), ("001", 1 / 3), ("000", 0.0)]
    )
    def test_it_is_the_mean_precision_at_the_ranks_of_useful_contexts(self, useful: str, score: float) -> None:
        def reply(asked: str) -> dict[str, Any]:
            at = next(at for at, context in enumerate(CASE["contexts"]) if context in asked)
            return {"reason": "so", "useful": useful[at] == "1"}

        result = measured("context_precision", scripted(useful=reply))
        assert result.score == pytest.approx(score)
        assert [hit.removeprefix("context_precision: context ") for hit in result.hits] == [
            str(n) for n in (1, 2, 3) if useful[n - 1] == "1"
        ]

    def test_useful_is_judged_by_the_reference_or_the_answer_where_there_is_none(self) -> None:
        asker = scripted(useful={"reason": "so", "useful": True})
        measured("context_precision", asker)
        fw.evaluate({"type": "ragas", "metrics": ["context_precision"]}, **{k: v for k, v in CASE.items() if k != "expected"}, asker=asker)
        prompts = [ask.messages[-1].content for ask in asker.asked if isinstance(ask, Chat)]
        assert all(CASE["expected"] in prompt for prompt in prompts[:3])
        assert all(CASE["actual"] in prompt for prompt in prompts[3:])


class TestContextRecall:
    def test_it_is_the_share_of_claims_of_the_reference_that_follow_from_the_contexts(self) -> None:
        asker = scripted(claims={"claims": ["a", "b", "c", "d"]}, verdicts=verdicts(True, True, False, True))
        result = measured("context_recall", asker)
        assert (result.score, result.misses) == (0.75, ["context_recall: c"])
        assert CASE["expected"] in asker.asked[0].messages[-1].content  # type: ignore[union-attr]
        assert CASE["actual"] not in asker.asked[0].messages[-1].content  # type: ignore[union-attr]


class TestAllOfThem:
    REPLIES: ClassVar[Any] = {
        "claims": {"claims": ["a", "b"]},
        "verdicts": verdicts(True, False),
        "questions": {"questions": ["x", "y", "z"], "noncommittal": False},
        "vectors": [[1, 0]] * 4,
        "useful": {"reason": "so", "useful": True},
    }

    def test_the_score_is_the_mean_of_the_measured_metrics(self) -> None:
        result = fw.evaluate({"type": "ragas"}, **CASE, asker=scripted(**self.REPLIES))
        four = {name: result.metrics[name] for name in ("faithfulness", "answer_relevancy", "context_precision", "context_recall")}
        assert four == {"faithfulness": 0.5, "answer_relevancy": 1.0, "context_precision": 1.0, "context_recall": 0.5}
        assert result.score == 0.75
        assert result.metrics["tokens_in"] == 80  # 2 + 1 + 3 + 2 questions to the model

    def test_without_contexts_only_the_relevancy_is_measured_and_nothing_is_nan(self) -> None:
        result = fw.evaluate({"type": "ragas"}, **{**CASE, "contexts": None}, asker=scripted(**self.REPLIES))
        assert (result.score, result.status) == (1.0, "scored")
        assert result.details["faithfulness"]["not_measured"] == "there are no contexts"
        assert "faithfulness" not in result.metrics
        assert result.details["flags"] == ["unscored_faithfulness", "unscored_context_precision", "unscored_context_recall"]

    def test_a_gate_on_a_metric_that_most_cases_have_no_data_for_is_not_measured(self) -> None:
        planned = plan_config({"type": "ragas", "metrics": ["context_precision", "answer_relevancy"]})
        rows = [Case(id=str(n), **{**CASE, "contexts": CASE["contexts"] if n == 0 else None}) for n in range(10)]
        plan = Plan(name="s", source=None, evaluators=(planned,))
        state = SummaryState([planned])
        state.add(score_batch(plan, Cases.of(rows), services=replace(NO_SERVICES, asker=scripted(**self.REPLIES))))
        summary = state.finish()
        assert summary.evaluators["ragas"].metrics["context_precision"].n == 1
        gates = [Gate(evaluator="ragas", metric=name, operator=">=", value=0.9) for name in planned.config.metrics]
        [problem] = gate_diagnostics(gates, summary)
        assert problem.what.endswith("not measured: 9 of 10 outputs gave nothing to compute `context_precision` from")
        assert gate_diagnostics(gates, summary, max_unscored=9) == []

    def test_with_nothing_to_measure_it_is_skipped(self) -> None:
        result = fw.evaluate({"type": "ragas"}, actual="an answer", asker=scripted())
        assert (result.status, result.verdict) == ("skipped", None)
        assert "there is no question" in result.reasoning

    def test_one_metric_that_fails_fails_the_case_and_the_others_are_told(self) -> None:
        replies = {**self.REPLIES, "questions": Reply(problem="cannot be used", text="Hm.")}
        result = fw.evaluate({"type": "ragas"}, **CASE, asker=scripted(**replies))
        assert (result.status, result.score, result.details["raw_reply"]) == ("error", 0.0, "Hm.")
        assert result.metrics["faithfulness"] == 0.5
        assert result.details["answer_relevancy"] == {"not_measured": "cannot be used"}

    def test_without_a_model_it_is_unavailable_with_how_to_get_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("FIELDWISE_MODEL_URL", raising=False)
        result = fw.evaluate({"type": "ragas"}, **CASE)
        assert result.status == "unavailable"
        assert "FIELDWISE_MODEL_URL" in result.reasoning

    def test_a_system_that_gave_nothing_counts_as_0_in_every_metric(self) -> None:
        result = fw.evaluate({"type": "ragas"}, **{**CASE, "actual": None}, asker=scripted())
        assert (result.status, result.details["fault"]) == ("error", "system")
        assert set(result.metrics.values()) == {0.0}
        assert len(result.metrics) == 4

    @pytest.mark.parametrize(
        "options", [{"by": "magic"}, {"metrics": []}, {"metrics": ["faithfullness"]}, {"metrics": ["context_recall"] * 2}]
    )
    def test_what_is_not_there_is_an_error(self, options: dict[str, Any]) -> None:
        with pytest.raises(ConfigError):
            fw.evaluate({"type": "ragas", **options}, **CASE)


class TestByPackage:
    """`by: package`, without the package: what it says when it is not there, and what becomes of what it gives."""

    @staticmethod
    def measured(reply: Reply, **case: Any) -> tuple[Result, Canned]:
        asker = Canned(lambda _: reply)
        result = fw.evaluate({"type": "ragas", "by": "package", "metrics": ["faithfulness"]}, **{**CASE, **case}, asker=asker)
        return result, asker

    def test_what_the_model_said_to_the_package_is_kept(self) -> None:
        judged = [{"statement": "a", "reason": "r", "verdict": 1}, {"statement": "b", "reason": "r", "verdict": 0}]
        data: Any = {"value": 0.5, "said": [{"statements": ["a", "b"]}, {"statements": judged}]}
        result, asker = self.measured(Reply(data=data))
        assert (result.score, result.hits, result.misses) == (0.5, ["faithfulness: a"], ["faithfulness: b"])
        assert result.details["faithfulness"]["said"] == data["said"]
        [asked] = asker.asked
        assert isinstance(asked, RagasMetric)
        assert asked.sample == {"user_input": CASE["input"], "response": CASE["actual"], "retrieved_contexts": CASE["contexts"]}

    def test_nothing_is_asked_where_the_contexts_are_missing(self) -> None:
        result, asker = self.measured(Reply(), contexts=None)
        assert (result.status, asker.asked) == ("skipped", [])
        assert "there are no contexts" in result.reasoning

    def test_a_problem_is_an_error_and_no_score(self) -> None:
        result, _ = self.measured(Reply(problem="ragas could not measure faithfulness and gave NaN"))
        assert (result.status, result.metrics) == ("error", {})

    def test_without_the_package_it_is_unavailable_and_says_how_to_get_it(self) -> None:
        result = fw.evaluate({"type": "ragas", "by": "package", "metrics": ["faithfulness"]}, **CASE)
        assert result.status == "unavailable"
        assert "the package ragas is not installed" in result.reasoning
        assert "pip install 'fieldwise[ragas]'" in result.details["fix"]
