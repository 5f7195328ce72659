"""Finding matchers, evaluators and causes by name, without a list of them."""

import os
import subprocess
import sys
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from fieldwise import registry
from fieldwise.model.diagnostic import ConfigError
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


PLUGIN = """
from dataclasses import dataclass
from fieldwise.ext import Pairs, Scores, matcher

@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    pass

@matcher
def exact(pairs: Pairs, config: Options) -> Scores:
    return Scores.of([True] * len(pairs.expected))

@matcher
def mine(pairs: Pairs, config: Options) -> Scores:
    return Scores.of([True] * len(pairs.expected))
"""


def run_with_plugin(folder: Path, entry_points: str, code: str, module: str = PLUGIN) -> str:
    """What a script prints in an environment with a package `clash`; `error` is the ConfigError it raised."""
    info = folder / "clash-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: clash\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)
    (folder / "clash.py").write_text(module)
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    script = f"import fieldwise as fw\ntry:\n    {code}\nexcept fw.ConfigError as error:\n    print(error)\n"
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_plugins_that_take_names_of_builtins_are_one_config_error_naming_both_packages(tmp_path: Path) -> None:
    entry_points = """
        [fieldwise.matchers]
        exact = clash:exact
        [fieldwise.evaluators]
        contains = clash:contains
        [fieldwise.causes]
        letter_case = clash:letter_case
        [fieldwise.importers]
        promptfoo = clash:promptfoo
    """
    printed = run_with_plugin(tmp_path, dedent(entry_points), 'fw.match("fuzzy", expected=["a"], actual=["b"])')
    for noun, name in (("match", "exact"), ("evaluator", "contains"), ("cause", "letter_case"), ("importer", "promptfoo")):
        assert f"the package `clash` registers the {noun} `{name}`, which the package `fieldwise` has already" in printed


def test_a_module_that_registers_a_builtin_name_beside_its_entry_point_is_a_config_error(tmp_path: Path) -> None:
    printed = run_with_plugin(tmp_path, "[fieldwise.matchers]\nmine = clash:mine\n", 'fw.match("mine", expected=["a"], actual=["b"])')
    assert "the package `clash` registers the match `exact`, which the package `fieldwise` has already" in printed


def test_an_entry_point_that_cannot_be_imported_is_a_config_error_with_the_reason(tmp_path: Path) -> None:
    entry_points = "[fieldwise.causes]\nbroken = no_such_module:broken\n"
    printed = run_with_plugin(tmp_path, entry_points, 'fw.evaluate("field_accuracy", expected={"a": 1}, actual={"a": 2})')
    assert "the cause `broken` of the package `clash` cannot be imported" in printed
    assert "no_such_module" in printed


OTHER_NAME = PLUGIN.replace("def exact", "def other").replace("def mine", "def another")


@pytest.mark.parametrize("value", ["clash", "clash:other"])
def test_an_entry_point_that_registers_another_name_is_a_config_error(value: str, tmp_path: Path) -> None:
    code = 'fw.match("mine", expected=["a"], actual=["b"])'
    printed = run_with_plugin(tmp_path, f"[fieldwise.matchers]\nmine = {value}\n", code, OTHER_NAME)
    assert f"the package `clash` declares the match `mine`, but `{value}` does not register that name" in printed
    assert "give the entry point in the group `fieldwise.matchers` the name of its function" in printed


def test_an_entry_point_may_name_the_module_that_registers_its_function(tmp_path: Path) -> None:
    module = PLUGIN.replace("def exact", "def other")
    code = 'print(fw.match("mine", expected=["a"], actual=["b"]).value.tolist())'
    assert run_with_plugin(tmp_path, "[fieldwise.matchers]\nmine = clash\n", code, module) == "[1.0]\n"


def test_a_plugin_that_calls_sys_exit_while_it_is_imported_is_a_config_error(tmp_path: Path) -> None:
    code = 'fw.match("mine", expected=["a"], actual=["b"])'
    printed = run_with_plugin(tmp_path, "[fieldwise.matchers]\nmine = clash:mine\n", code, "import sys\nsys.exit(0)\n")
    assert "the match `mine` of the package `clash` cannot be imported: SystemExit: 0" in printed


def test_a_function_of_a_script_cannot_take_the_name_of_a_builtin() -> None:
    with pytest.raises(ConfigError, match=r"`exact`.*`fieldwise`"):

        @registry.matcher
        def exact(pairs: Pairs, config: Mine) -> Scores:
            return Scores.of([1.0] * len(pairs))

    assert registry.MATCHERS.find("exact").function.__module__ == "fieldwise.matchers.exact"
