"""The reference pages are up to date with the code."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from fieldwise.registry import CAUSES, EVALUATORS, MATCHERS

SCRIPT = Path(__file__).parents[1] / "scripts" / "reference.py"


def load_script(path: Path) -> ModuleType:
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    return load_script(SCRIPT)


def test_every_note_is_about_an_evaluator() -> None:
    notes = yaml.safe_load(SCRIPT.with_suffix(".yaml").read_text(encoding="utf-8"))
    assert set(notes) <= set(EVALUATORS.names())


def test_every_match_cause_and_evaluator_is_on_its_page(reference: ModuleType) -> None:
    pages = {path.name: text for path, text in reference.build_pages().items()}
    assert all(f"\n### {name}\n" in pages["evaluators.md"] for name in EVALUATORS.names())
    assert all(f"\n## {name}\n" in pages["matches.md"] for name in MATCHERS.names())
    assert all(f"\n## {name}\n" in pages["causes.md"] for name in CAUSES.names())


def test_the_pages_are_what_the_script_writes(reference: ModuleType) -> None:
    for path, text in reference.build_pages().items():
        assert path.read_text(encoding="utf-8") == text, f"run `{Path(sys.executable).name} scripts/reference.py`"


def test_an_example_that_fails_is_never_shown(reference: ModuleType) -> None:
    note = {"example": {"type": "field_accuracy", "fields": ["total"]}, "try": {"expected": {"total": 1}, "actual": None}}
    with pytest.raises(RuntimeError, match="the example of field_accuracy fails and cannot be shown: the output is null"):
        list(reference._write_evaluator(EVALUATORS.find("field_accuracy"), note))


def test_every_key_and_option_has_a_description() -> None:
    for path, text in load_script(SCRIPT.with_name("option_pages.py")).build_pages().items():
        undescribed = [line for line in text.splitlines() if line.startswith("|") and line.endswith("|  |")]
        assert not undescribed, f"{path.name}: {undescribed}"


def test_the_pages_of_options_are_what_their_script_writes() -> None:
    for path, text in load_script(SCRIPT.with_name("option_pages.py")).build_pages().items():
        assert path.read_text(encoding="utf-8") == text, f"run `{Path(sys.executable).name} scripts/option_pages.py`"
