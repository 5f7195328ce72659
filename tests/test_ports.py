"""How a matcher finds what brings it embeddings."""

import subprocess
import sys
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from fieldwise import ports
from fieldwise.ask.embedding import Embedding


def test_the_shipped_model_is_found_by_name() -> None:
    assert isinstance(ports.embedder(), Embedding)


def test_an_installed_provider_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("embedding", "builtins:dict", "fieldwise.providers")

    def points(**_: Any) -> list[EntryPoint]:
        return [point]

    monkeypatch.setattr(ports, "entry_points", points)
    assert ports.embedder() == {}


def test_finding_the_matcher_loads_neither_the_model_nor_its_runtime() -> None:
    code = "import sys; from fieldwise.registry import find; find('matchers', 'semantic'); print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"onnxruntime", "fieldwise.ask.embedding"}.isdisjoint(found.stdout.split())
