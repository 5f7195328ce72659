"""The services of scoring: the embedding model is found by entry point, and nothing is opened before it is needed."""

import subprocess
import sys
import warnings
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from fieldwise.ask import embedding
from fieldwise.model.ask import Ask, Asking, Asks, Command, DisabledAsker, NextAsks, Reply
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.services import NO_SERVICES
from fieldwise.score.services import lazy_asker, local_services


class _Repeat:
    """An asker that repeats each question."""

    def answer(self, first: Mapping[int, Asks], follow: NextAsks) -> None:
        for judge, asks in first.items():
            assert not follow(judge, [_repeat(ask) for ask in asks])


def _repeat(ask: Ask) -> Reply:
    assert isinstance(ask, Command)
    return Reply(text=ask.stdin)


def test_the_shipped_model_is_the_default() -> None:
    assert isinstance(local_services().load_embedder(), embedding.EmbeddingModel)


def test_an_installed_provider_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("embedding", "builtins:dict", "fieldwise.providers")

    def points(**_: Any) -> list[EntryPoint]:
        return [point]

    monkeypatch.setattr(embedding, "entry_points", points)
    embedding.find_installed_provider.cache_clear()
    assert local_services().load_embedder() == {}
    embedding.find_installed_provider.cache_clear()


def test_finding_the_matcher_loads_neither_the_model_nor_its_runtime() -> None:
    code = "import sys; from fieldwise.registry import MATCHERS; MATCHERS.find('semantic'); print(*sys.modules)"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"onnxruntime", "fieldwise.ask.embedding"}.isdisjoint(process.stdout.split())


def test_replies_come_in_the_order_of_the_questions() -> None:
    questions = [Command(argv=("echo",), stdin=text) for text in "abc"]
    assert [reply.text for reply in local_services(_Repeat()).ask(questions)] == ["a", "b", "c"]


def test_without_services_questions_and_embeddings_are_unavailable() -> None:
    [reply] = NO_SERVICES.ask([Command(argv=("echo",), stdin="a")])
    assert reply.missing
    assert isinstance(NO_SERVICES.load_embedder(), Diagnostic)


def test_a_disabled_run_has_a_disabled_asker() -> None:
    with lazy_asker(Asking(disabled=True)) as asker:
        assert isinstance(asker, DisabledAsker)


def test_diagnostics_become_warnings_unless_a_run_collects_them() -> None:
    diagnostic = Diagnostic(code="cause-crashed", level="warning", what="the cause `x` crashed")
    with pytest.warns(RuntimeWarning, match="the cause `x` crashed"):
        local_services().report(diagnostic)
    collected: list[Diagnostic] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        local_services(report=collected.append).report(diagnostic)
    assert collected == [diagnostic]
