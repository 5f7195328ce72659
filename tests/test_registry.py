"""Finding matchers, evaluators and causes by name, without a list of them."""

import os
import subprocess
import sys
from dataclasses import dataclass, is_dataclass
from pathlib import Path

import pytest

from fieldwise import registry
from fieldwise.model.pairs import Pairs, Scores

CATALOGS = (registry.MATCHERS, registry.EVALUATORS, registry.CAUSES)
SPECS = [(catalog.package, spec) for catalog in CATALOGS for spec in catalog.all()]


@pytest.mark.parametrize(("package", "spec"), SPECS, ids=lambda value: getattr(value, "name", None))
def test_a_spec_is_named_after_its_documented_function(package: str, spec: registry.NamedSpec) -> None:
    assert spec.function.__module__.startswith(package)
    assert spec.function.__name__.rstrip("_") == spec.name
    assert spec.function.__doc__
    if isinstance(spec, registry.CauseSpec):
        assert spec.label
        assert spec.advice
    else:
        assert is_dataclass(spec.options)
        assert spec.options.__doc__


def test_names_are_sorted_and_leave_out_what_is_private() -> None:
    for catalog in CATALOGS:
        names = catalog.names()
        assert list(names) == sorted(set(names))
        assert not any(name.startswith("_") or name.endswith("_") for name in names)
    assert {"exact", "fuzzy", "numeric_tolerance", "set"} <= set(registry.MATCHERS.names())
    assert {"field_accuracy", "field_prf", "json_quality"} <= set(registry.EVALUATORS.names())


def test_a_name_that_is_not_there_is_a_key_error() -> None:
    for name in ("nothing", "_keys", "__init__", ""):
        with pytest.raises(KeyError):
            registry.MATCHERS.find(name)


def test_the_nearest_name_is_suggested() -> None:
    assert registry.nearest("fuzy", ["exact", "fuzzy"]) == "fuzzy"
    assert registry.nearest("EXACT", ["exact", "fuzzy"]) == "exact"
    assert registry.nearest("zzz", ["exact", "fuzzy"]) is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mine:
    """There is nothing to set."""


def test_a_function_is_registered_under_its_name_with_its_options() -> None:
    @registry.matcher(reflexive=False)
    def mine_(pairs: Pairs, config: Mine) -> Scores:
        return Scores.of([1.0] * len(pairs))

    try:
        spec = registry.MATCHERS.find("mine")
        assert (spec.options, spec.function, spec.grid, spec.reflexive) == (Mine, mine_, None, False)
    finally:
        registry.MATCHERS.specs.pop("mine")


def test_evaluators_say_what_they_read_and_count() -> None:
    entry = registry.EVALUATORS.find("field_prf")
    assert entry.reads == "records"
    assert entry.needs_expected is True
    assert "true_positives" in entry.counts


MATCH_EXACT = """
import fieldwise as fw
try:
    fw.match("exact", expected=["a"], actual=["b"])
except fw.ConfigError as error:
    print(error)
"""
CLASHING_PLUGIN = """
from dataclasses import dataclass
from fieldwise.ext import Pairs, Scores, matcher

@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    pass

@matcher
def exact(pairs: Pairs, config: Exact) -> Scores:
    return Scores.of([True] * len(pairs.expected))
"""


def test_a_plugin_that_takes_the_name_of_a_builtin_is_a_config_error_naming_both_packages(tmp_path: Path) -> None:
    info = tmp_path / "clash-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: clash\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[fieldwise.matchers]\nexact = clash:exact\n")
    (tmp_path / "clash.py").write_text(CLASHING_PLUGIN)
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", MATCH_EXACT], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    assert "`clash`" in done.stdout
    assert "`fieldwise`" in done.stdout
    assert "`exact`" in done.stdout
