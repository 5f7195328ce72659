"""Suites written as YAML in the tests, planned against the real registry."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.plan import Document, KeyPath, Plan
from fieldwise.plan.suite import build_plan

FILES: dict[str, Any] = {"strategies.json": {"bio": "FUZZY"}, "typo.json": {"bio": "FUZY"}}


@pytest.fixture
def document() -> Callable[[str], Document]:
    """YAML as a document with the line of every key and item."""

    def read(text: str) -> Document:
        node = yaml.compose(text)
        lines = dict(_lines(node, ()))
        return Document(value=yaml.safe_load(text), file="invoices.eval.yaml", text=text, lines=lines)

    return read


def _lines(node: Any, place: KeyPath) -> Iterator[tuple[KeyPath, int]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*place, yaml.safe_load(yaml.serialize(key)))
            yield inner, key.start_mark.line + 1
            yield from _lines(value, inner)
    if isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield (*place, index), value.start_mark.line + 1
            yield from _lines(value, (*place, index))


@pytest.fixture
def plan(document: Callable[[str], Document]) -> Callable[[str], Plan]:
    """The plan of a suite; side files come from FILES, paths resolve into /suite."""

    def load(path: str) -> Any:
        if path not in FILES:
            raise FileNotFoundError("no such file")
        return FILES[path]

    return lambda text: build_plan(document(text), load=load, resolve=lambda path: f"/suite/{path}")


@pytest.fixture
def problems(plan: Callable[[str], Plan]) -> Callable[[str], list[Diagnostic]]:
    """Every problem of a suite that cannot run."""

    def find(text: str) -> list[Diagnostic]:
        with pytest.raises(ConfigError) as caught:
            plan(text)
        return list(caught.value.diagnostics)

    return find


@pytest.fixture
def problem(problems: Callable[[str], list[Diagnostic]]) -> Callable[[str], Diagnostic]:
    """The only problem of a suite."""

    def only(text: str) -> Diagnostic:
        diagnostics = problems(text)
        assert len(diagnostics) == 1, "\n".join(map(str, diagnostics))
        return diagnostics[0]

    return only
