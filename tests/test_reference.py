"""The reference pages say what the code says."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from fieldwise.registry import EVALUATORS, MATCHERS

SCRIPT = Path(__file__).parents[1] / "scripts" / "reference.py"


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    spec = spec_from_file_location("reference", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_evaluator_and_every_match_has_an_example_for_its_page() -> None:
    notes = yaml.safe_load(SCRIPT.with_suffix(".yaml").read_text(encoding="utf-8"))
    assert set(EVALUATORS.names()) <= set(notes["evaluators"]), "add an example to scripts/reference.yaml"
    assert set(MATCHERS.names()) <= set(notes["matches"]), "add pairs to scripts/reference.yaml"


def test_the_pages_are_what_the_script_writes(reference: ModuleType) -> None:
    for path, text in reference.pages().items():
        assert path.read_text(encoding="utf-8") == text, f"run `{Path(sys.executable).name} scripts/reference.py`"


def test_an_example_that_fails_is_never_shown(reference: ModuleType) -> None:
    note = {"example": {"type": "field_accuracy", "fields": ["total"]}, "try": {"expected": {"total": 1}, "actual": None}}
    with pytest.raises(RuntimeError, match="the example of field_accuracy fails, and is nothing to show: the output is null"):
        list(reference._evaluator(EVALUATORS.find("field_accuracy"), note))
