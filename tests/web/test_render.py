"""Templates of a server that starts are those that an earlier one compiled."""

import tempfile
from pathlib import Path

import jinja2
import pytest

from fieldwise.web import render


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> jinja2.Environment:
    """An environment without loaded templates, and a temporary directory of its own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    fresh = render.get_environment().overlay(cache_size=400)
    monkeypatch.setattr(render, "get_environment", lambda: fresh)
    return fresh


def count_compiled(environment: jinja2.Environment, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many templates a server that starts compiles."""
    compiled: list[str | None] = []
    compile_template = environment.compile

    def compile_and_count(source: str, name: str | None, filename: str | None) -> object:
        compiled.append(name)
        return compile_template(source, name, filename)

    monkeypatch.setattr(environment, "compile", compile_and_count)
    assert environment.cache is not None
    environment.cache.clear()
    render.warm_up()
    return len(compiled)


def test_the_second_server_compiles_no_template(environment: jinja2.Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    assert count_compiled(environment, monkeypatch) == len(environment.list_templates(extensions=["html"]))
    assert count_compiled(environment, monkeypatch) == 0
    assert environment.bytecode_cache is None


def test_a_server_starts_without_a_writable_temporary_directory(
    environment: jinja2.Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    render.warm_up()
    assert environment.bytecode_cache is None
    assert "fieldwise" in environment.get_template("problem.html").render(here="", title="t", missing=True, diagnostics=[], ways=[])
