"""Finding matchers, evaluators and causes by name, without a list of them."""

from dataclasses import dataclass, is_dataclass

import pytest

from fieldwise import registry
from fieldwise.model.pairs import Pairs, Scores

FILES = [(group, name) for group in registry.GROUPS if group != "judges" for name in registry.names(group)]


@pytest.mark.parametrize(("group", "name"), FILES)
def test_every_file_registers_the_function_it_is_named_after(group: registry.Group, name: str) -> None:
    entry = registry.find(group, name)
    assert entry.name == name
    assert entry.function.__name__.rstrip("_") == name
    assert entry.function.__doc__
    if group != "causes":
        assert is_dataclass(entry.options)
        assert entry.options.__doc__


def test_names_are_sorted_and_leave_out_what_is_private() -> None:
    for group in ("matchers", "evaluators", "causes"):
        names = registry.names(group)
        assert list(names) == sorted(set(names))
        assert not any(name.startswith("_") or name.endswith("_") for name in names)
    assert {"exact", "fuzzy", "numeric_tolerance", "set"} <= set(registry.names("matchers"))
    assert {"field_accuracy", "field_prf", "json_quality"} <= set(registry.names("evaluators"))


def test_a_name_that_is_not_there_is_a_key_error() -> None:
    for name in ("nothing", "_keys", "__init__", ""):
        with pytest.raises(KeyError):
            registry.find("matchers", name)


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
        entry = registry.find("matchers", "mine")
        assert (entry.options, entry.function, entry.extras) == (Mine, mine_, {"grid": None, "reflexive": False})
    finally:
        registry._entries.pop(("matchers", "mine"))  # pyright: ignore[reportPrivateUsage]


def test_evaluators_say_what_they_read_and_count() -> None:
    entry = registry.find("evaluators", "field_prf")
    assert entry.extras["reads"] == "records"
    assert entry.extras["needs_expected"] is True
    assert "true_positives" in entry.extras["counts"]
