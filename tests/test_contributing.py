"""The examples of CONTRIBUTING.md work. Its matcher is held to the laws in tests/matchers/test_laws.py."""

import re
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import fieldwise as fw
from fieldwise.ext import Context
from fieldwise.registry import CAUSES, EVALUATORS

CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"


@pytest.fixture
def imported_examples(tmp_path: Path) -> Iterator[None]:
    """Import the example of a cause and that of an evaluator, each pasted into a file, and unregister them afterwards."""
    pasted = CAUSES.specs.get("doubled_text"), EVALUATORS.specs.get("key_count")  # None unless they were pasted into the package
    blocks = re.findall(r"```python\n(.*?)```", CONTRIBUTING.read_text(encoding="utf-8"), re.DOTALL)
    for name, decorator in (("doubled_text", "@cause("), ("key_count", "@evaluator(")):
        [code] = [block for block in blocks if decorator in block]
        file = tmp_path / f"{name}.py"
        file.write_text(code, encoding="utf-8")
        spec = spec_from_file_location(f"fieldwise.contributed.{name}", file)
        assert spec is not None
        assert spec.loader is not None
        spec.loader.exec_module(module_from_spec(spec))
    yield
    CAUSES.specs.pop("doubled_text")
    EVALUATORS.specs.pop("key_count")
    if pasted[0] is not None:
        CAUSES.register(pasted[0])
    if pasted[1] is not None:
        EVALUATORS.register(pasted[1])


@pytest.mark.usefixtures("imported_examples")
def test_the_cause_explains_its_examples() -> None:
    spec = CAUSES.find("doubled_text")
    assert {example.holds for example in spec.examples} == {True, False}
    for example in spec.examples:
        assert spec.function(example.expected, example.actual, Context("", "")) is example.holds
    assert [ranked.name for ranked in CAUSES.all() if ranked.rank == spec.rank] == ["doubled_text"]


@pytest.mark.usefixtures("imported_examples")
def test_the_cause_is_tried_before_those_that_would_also_hold() -> None:
    [(_case, comparison)] = fw.diff({"vendor": "Acme"}, {"vendor": "Acme Acme"}).differences
    assert comparison.cause == "doubled_text"


@pytest.mark.usefixtures("imported_examples")
def test_the_evaluator_scores_its_example_and_reports_the_metrics_it_declares() -> None:
    spec = EVALUATORS.find("key_count")
    [example] = spec.examples
    config = {"type": "key_count", **example.options}
    result = fw.evaluate(config, expected=example.expected, actual=example.actual)
    assert (result.score, result.metrics) == (0.5, {"keys": 1})
    assert spec.metric_names(spec.options(**example.options)) == {"keys"}
    assert fw.evaluate(config, expected=example.perfect, actual=example.perfect).score == example.best
