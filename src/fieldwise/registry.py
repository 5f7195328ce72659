"""Matchers, evaluators, causes and judges by name. Finding one imports one file; nothing lists them.

A name is the function's and its file's: `fuzzy` is the function `fuzzy` in `matchers/fuzzy.py`. Other packages add theirs with
an entry point in the group `fieldwise.matchers`, `fieldwise.evaluators` or `fieldwise.causes`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import Any, Literal, get_type_hints, overload

Group = Literal["matchers", "evaluators", "causes", "judges"]
GROUPS: tuple[Group, ...] = ("matchers", "evaluators", "causes", "judges")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A registered function with what was read off its annotations."""

    name: str
    function: Callable[..., Any]
    options: type
    """The type of its options: a frozen dataclass."""
    extras: dict[str, Any]
    """What its decorator was given besides, such as a matcher's `grid`."""


_entries: dict[tuple[Group, str], Entry] = {}


@overload
def matcher(function: Callable[..., Any]) -> Callable[..., Any]: ...
@overload
def matcher(*, grid: Callable[..., Any] | None = None, reflexive: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...
def matcher(function: Callable[..., Any] | None = None, *, grid: Callable[..., Any] | None = None, reflexive: bool = True) -> Any:
    """Register `def name(pairs: Pairs, config: Options) -> Scores`.

    `grid(expected, actual, config)` may give the similarity of every expected with every actual value as one array; list
    alignment uses it. `reflexive=False` is for matchers such as `regex` that an equal value may fail: they see every pair,
    the others only the pairs that differ.
    """
    return _register("matchers", function, {"grid": grid, "reflexive": reflexive})


@overload
def evaluator(function: Callable[..., Any]) -> Callable[..., Any]: ...
@overload
def evaluator(
    *,
    reads: Literal["records", "text", "case"] = "records",
    needs_expected: bool = True,
    counts: tuple[str, ...] = (),
    has_output: Callable[..., bool] | None = None,
    summarize: Callable[..., Any] | None = None,
    version: int = 1,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...
def evaluator(
    function: Callable[..., Any] | None = None,
    *,
    reads: Literal["records", "text", "case"] = "records",
    needs_expected: bool = True,
    counts: tuple[str, ...] = (),
    has_output: Callable[..., bool] | None = None,
    summarize: Callable[..., Any] | None = None,
    version: int = 1,
) -> Any:
    """Register `def name(batch: Batch, config: Options) -> Results`.

    `reads` says what it needs: records (JSON is found in text), text (never parsed), or the case as it is. A case without
    an expected value is skipped unless `needs_expected` is False. Where the system gave no output at all, the evaluator sees
    MISSING (or empty text), and every metric it gives that case becomes 0 but those named in `counts`. `has_output(case, config)` is for
    evaluators of something else that the system gave, such as its contexts: True says that this is there.
    `summarize(pool)` turns what all batches put into `Results.pool` into metrics of the whole dataset.
    `version` goes up with every change of what it measures.
    """
    extras: dict[str, Any] = {"reads": reads, "needs_expected": needs_expected, "counts": counts, "has_output": has_output}
    return _register("evaluators", function, extras | {"summarize": summarize, "version": version})


@overload
def judge(function: Callable[..., Any]) -> Callable[..., Any]: ...
@overload
def judge(*, needs_expected: bool = False, version: int = 1) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...
def judge(function: Callable[..., Any] | None = None, *, needs_expected: bool = False, version: int = 1) -> Any:
    """Register `def name(case: Case, config: Options) -> Judgement`: an evaluator that looks at one case and asks questions.

    It stands among the evaluators. It never sees a case without an output: that case is the system's failure and nobody is asked.
    """
    extras = {"judge": True, "reads": "case", "needs_expected": needs_expected, "counts": ("tokens_in", "tokens_out"), "version": version}
    return _register("evaluators", function, extras)


def cause(*, rank: int, kinds: Literal["text", "number", "any"] = "any") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register `def name(expected, actual, context) -> bool`: why two values differ. Lower ranks are asked first.

    `kinds` names the pairs it is asked about: both text, both numbers, or any.
    """
    return _register("causes", None, {"rank": rank, "kinds": kinds})


def _register(group: Group, function: Callable[..., Any] | None, extras: dict[str, Any]) -> Any:
    def keep(function: Callable[..., Any]) -> Callable[..., Any]:
        hints = get_type_hints(function) if group != "causes" else {}
        options = hints.get("config", type(None))
        name = function.__name__.rstrip("_")  # `set_` for the matcher `set`
        _entries[group, name] = Entry(name=name, function=function, options=options, extras=extras)
        return function

    return keep if function is None else keep(function)


@cache
def _installed(group: Group) -> dict[str, Any]:
    return {point.name: point for point in entry_points(group=f"fieldwise.{group}")}


@cache
def names(group: Group) -> tuple[str, ...]:
    """Every name there is, without importing any."""
    package = import_module(f"fieldwise.{group}")
    own = [module.name.rstrip("_") for module in iter_modules(package.__path__) if not module.name.startswith("_")]
    return tuple(sorted({*own, *_installed(group)}))


def find(group: Group, name: str) -> Entry:
    """The entry of that name; KeyError if there is none."""
    if (group, name) not in _entries:
        if name not in names(group):
            raise KeyError(name)
        if name in _installed(group):
            loaded = _installed(group)[name].load()
            if (group, name) not in _entries:
                _register(group, loaded, {})
        else:
            _import(group, name)
    return _entries[group, name]


def is_judge(evaluator: str) -> bool:
    """Whether an evaluator asks a model or a program; one that a program made for itself does not.

    >>> is_judge("llm_judge"), is_judge("field_prf"), is_judge("nobody's")
    (True, False, False)
    """
    try:
        return bool(find("evaluators", evaluator).extras.get("judge"))
    except KeyError:
        return False


def _import(group: Group, name: str) -> None:
    try:
        import_module(f"fieldwise.{group}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"fieldwise.{group}.{name}":
            raise
        import_module(f"fieldwise.{group}.{name}_")


def nearest(name: str, valid: tuple[str, ...] | list[str]) -> str | None:
    """The valid name most like this one, if any is.

    >>> nearest("fuzy", ["exact", "fuzzy"])
    'fuzzy'
    """
    found = get_close_matches(name.casefold(), valid, n=1, cutoff=0.6)
    return found[0] if found else None
