"""Registry of matchers, evaluators, causes and importers.

Each decorated function becomes a typed spec (`MatcherSpec`, `EvaluatorSpec`, `CauseSpec`, `ImporterSpec`) in one of four catalogs.
Looking up a name imports one file: the file of that name, or one of the catalog's shared modules, which register several names. Other
packages register theirs with an entry point in the group `fieldwise.matchers`, `.evaluators`, `.causes` or `.importers`; a clash of names
is a ConfigError.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from difflib import get_close_matches
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, get_type_hints, overload

from fieldwise.dataclass import dataclass
from fieldwise.installed_packages import may_have_entry_points
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.specs import (
    CauseExample,
    CauseSpec,
    ColumnSurvey,
    EvaluatorExample,
    EvaluatorSpec,
    Example,
    GridFunction,
    GridPreparation,
    ImporterSpec,
    LetterEdits,
    LetterRelation,
    MatcherSpec,
    Metrics,
    NamedSpec,
    NumberSign,
    Reads,
    StoredDecision,
    TextReading,
    Unbounded,
    ValueKinds,
)

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


SpecT = TypeVar("SpecT", bound=NamedSpec)


@dataclass()
class Catalog(Generic[SpecT]):
    """The specs of one kind, by name."""

    package: str
    noun: str
    shared_modules: tuple[str, ...] = ()
    """Modules of the package that register several names; imported when no file has the name."""
    fallback: Callable[[Callable[..., Any]], Any] | None = None
    """Registers an entry point's function that was not decorated."""
    specs: dict[str, SpecT] = field(default_factory=dict)
    revision: int = 0
    """Incremented with every registration: what was derived from the specs is out of date."""
    _all_specs: tuple[int, tuple[SpecT, ...]] | None = None
    """What `all` returned, and at which revision."""

    def register(self, spec: SpecT) -> None:
        """Add a spec, or replace one of the same package. ConfigError if another package has the name."""
        self._require_free_name(spec)
        self.specs[spec.name] = spec
        self.revision += 1

    def names(self) -> tuple[str, ...]:
        """Every name, sorted. Imports the shared modules only."""
        self._import_shared()
        return tuple(sorted({*self._files, *self._plugins, *self._shared_names, *self.specs}))

    def find(self, name: str) -> SpecT:
        """The spec of that name; KeyError if there is none."""
        plugin = self._plugins.get(name)
        if name not in self.specs:
            if plugin is not None:
                self._load_plugin(plugin)
            elif name in self._files:
                import_module(self._files[name])
            else:
                self._import_shared()
        return self.specs[name]

    def all(self) -> tuple[SpecT, ...]:
        """Every spec, by name."""
        if self._all_specs is None or self._all_specs[0] != self.revision:
            specs = tuple(self.find(name) for name in self.names())
            self._all_specs = (self.revision, specs)
        return self._all_specs[1]

    @cached_property  # the installed package does not change while it runs
    def _files(self) -> dict[str, str]:
        """Module by name; `set_` holds the matcher `set`. Shared and private modules have no name of their own."""
        modules = _list_modules(self.package)
        shared = {f"{self.package}.{module}" for module in self.shared_modules}
        own = {module.rpartition(".")[2]: module for module in modules if module not in shared}
        return {name.rstrip("_"): module for name, module in own.items() if not name.startswith("_")}

    @cached_property  # shared modules are imported once and register nothing later
    def _shared_names(self) -> frozenset[str]:
        """Names registered by the shared modules."""
        shared = {f"{self.package}.{module}" for module in self.shared_modules}
        return frozenset(name for name, spec in self.specs.items() if spec.function.__module__ in shared)

    def _import_shared(self) -> None:
        for module in self.shared_modules:
            import_module(f"{self.package}.{module}")

    def _load_plugin(self, plugin: EntryPoint) -> None:
        """Import the module of an entry point, which registers its functions; ConfigError if none has the entry point's name."""
        package = _distribution_of(plugin)
        try:
            loaded = plugin.load()
        except ConfigError:
            raise
        except (Exception, SystemExit) as error:  # another package may raise anything while it is imported
            what = f"the {self.noun} `{plugin.name}` of the package `{package}` cannot be imported: {type(error).__name__}: {error}"
            raise ConfigError([Diagnostic(code="plugin", what=what, fix=f"repair or uninstall `{package}`")]) from error
        is_function = callable(loaded) and hasattr(loaded, "__name__")  # an entry point may also name a module
        if plugin.name not in self.specs and self.fallback is not None and is_function:
            self.fallback(loaded)
        if plugin.name not in self.specs:
            what = f"the package `{package}` declares the {self.noun} `{plugin.name}`, but `{plugin.value}` does not register that name"
            fix = f"give the entry point in the group `{self.package}` the name of its function"
            raise ConfigError([Diagnostic(code="plugin", what=what, fix=fix)])

    def _require_free_name(self, spec: SpecT) -> None:
        """ConfigError if the name belongs to a built-in or to a function of another package.

        Entry points alone do not show it: a module may register more functions than its entry points name.
        """
        package = _top_package(spec)
        if package == "fieldwise":
            return
        registered = self.specs.get(spec.name)
        owner = self.owner_of_builtin(spec.name) or (None if registered is None else _top_package(registered))
        if owner is not None and owner != package:
            raise ConfigError([_clash(self.noun, spec.name, _distribution_of_package(owner), _distribution_of_package(package))])

    def load_plugins(self) -> None:
        """Import what other packages register here; ConfigError if that fails."""
        for name in self._plugins:
            self.find(name)

    @cached_property  # installed packages do not change while the process runs
    def _plugins(self) -> dict[str, EntryPoint]:
        """Entry points of other packages. ConfigError if a package takes the name of a built-in or of another package, in any catalog."""
        clashes = _find_clashes()
        if clashes:
            raise ConfigError(clashes)
        return {point.name: point for point in _list_entry_points() if point.group == self.package}

    def owner_of_builtin(self, name: str) -> str | None:
        """`fieldwise` if this package registers the name itself, else None."""
        if name not in self._files:
            self._import_shared()
        return "fieldwise" if name in self._files or name in self._shared_names else None


def _list_modules(package: str) -> list[str]:
    """The modules below a package, found as files: `pkgutil.walk_packages` imports every subpackage."""
    modules: list[str] = []
    for root in import_module(package).__path__:
        for folder, _, files in os.walk(root):
            prefix = package + folder[len(root) :].replace(os.sep, ".")
            modules += [f"{prefix}.{file[:-3]}" for file in files if file.endswith(".py") and file != "__init__.py"]
    return modules


@cache  # read once for all catalogs: installed packages do not change while the process runs
def _list_entry_points() -> tuple[EntryPoint, ...]:
    """Entry points for fieldwise of all installed packages."""
    if not may_have_entry_points("fieldwise."):
        return ()
    from importlib.metadata import distributions

    points: dict[str, list[EntryPoint]] = {}
    for distribution in distributions():
        if "[fieldwise." in (distribution.read_text("entry_points.txt") or ""):
            of_package = [point for point in distribution.entry_points if point.group.startswith("fieldwise.")]
            points.setdefault(distribution.name, of_package)  # a later copy on the path is not the one that is imported
    return tuple(point for of_package in points.values() for point in of_package)


def _find_clashes() -> list[Diagnostic]:
    """A problem for each entry point with the name of a built-in or of another package's entry point."""
    catalogs = {catalog.package: catalog for catalog in (MATCHERS, EVALUATORS, CAUSES, IMPORTERS)}
    owners: dict[tuple[str, str], str] = {}
    clashes: list[Diagnostic] = []
    for point in _list_entry_points():
        catalog = catalogs.get(point.group)
        if catalog is None:
            continue
        package = _distribution_of(point)
        owner = catalog.owner_of_builtin(point.name) or owners.get((point.group, point.name))
        if owner is not None and owner != package:
            clashes.append(_clash(catalog.noun, point.name, owner, package))
        owners[point.group, point.name] = package
    return clashes


def _distribution_of(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value


def _top_package(spec: NamedSpec) -> str:
    return spec.function.__module__.partition(".")[0]


def _distribution_of_package(package: str) -> str:
    """The installed distribution that contains a package; the package's own name if there is none, as for a script."""
    from importlib.metadata import packages_distributions

    return next(iter(packages_distributions().get(package, ())), package)


def _clash(noun: str, name: str, owner: str, newcomer: str) -> Diagnostic:
    what = f"the package `{newcomer}` registers the {noun} `{name}`, which the package `{owner}` has already"
    return Diagnostic(code="name-clash", what=what, fix=f"uninstall one of the two packages, or rename the {noun} in `{newcomer}`")


_P = ParamSpec("_P")
_R = TypeVar("_R")


def _register_matcher(function: Callable[..., Any], **declared: Any) -> None:
    options = get_type_hints(function).get("config", type(None))
    MATCHERS.register(MatcherSpec(name=_public_name(function), function=function, options=options, **declared))


def _register_evaluator(function: Callable[..., Any], **declared: Any) -> None:
    options = get_type_hints(function).get("config", type(None))
    EVALUATORS.register(EvaluatorSpec(name=_public_name(function), function=function, options=options, **declared))


def _register_cause(function: Callable[..., Any]) -> None:
    """An entry point without `@cause`: tried last, labelled by its name."""
    name = _public_name(function)
    CAUSES.register(CauseSpec(name=name, function=function, rank=10**9, label=name.replace("_", " "), advice=""))


def _public_name(function: Callable[..., Any]) -> str:
    return function.__name__.rstrip("_")  # `set_` registers the matcher `set`


MATCHERS: Catalog[MatcherSpec] = Catalog("fieldwise.matchers", "match", fallback=_register_matcher)
EVALUATORS: Catalog[EvaluatorSpec] = Catalog(
    "fieldwise.evaluators", "evaluator", shared_modules=("checks.text_checks", "checks.limits"), fallback=_register_evaluator
)
CAUSES: Catalog[CauseSpec] = Catalog(
    "fieldwise.causes", "cause", shared_modules=("text", "words", "misreadings", "numbers", "dates", "placement"), fallback=_register_cause
)
IMPORTERS: Catalog[ImporterSpec] = Catalog("fieldwise.importers", "importer")


@overload
def matcher(function: Callable[_P, _R], /) -> Callable[_P, _R]: ...
@overload
def matcher(
    *,
    grid: GridFunction | None = None,
    prepare_grid: GridPreparation | None = None,
    reflexive: bool = True,
    unread_note: Callable[[Any, Any], str | None] | None = None,
    reads_column: Callable[[Sequence[Any], Any], bool] | None = None,
    reads_text: Callable[[Any], bool] | None = None,
    column_survey: ColumnSurvey | None = None,
    stored_decision: StoredDecision | None = None,
    examples: Iterable[Example] = (),
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...
def matcher(function: Callable[..., Any] | None = None, /, **declared: Any) -> Any:
    """Register `def name(pairs: Pairs, config: Options) -> Scores`; the arguments are those of `MatcherSpec`."""

    def register(function: Callable[_P, _R]) -> Callable[_P, _R]:
        _register_matcher(function, **declared | {"examples": tuple(declared.get("examples", ()))})
        return function

    return register if function is None else register(function)


@overload
def evaluator(function: Callable[_P, _R], /) -> Callable[_P, _R]: ...
@overload
def evaluator(
    *,
    reads: Reads = "records",
    reads_scalars: bool = False,
    needs_object: bool = False,
    needs_expected: bool = True,
    counts: tuple[str, ...] = (),
    kept: tuple[str, ...] = (),
    has_output: Callable[..., bool] | None = None,
    summarize: Callable[..., Any] | None = None,
    version: int = 1,
    vacuous: Mapping[str, tuple[str, ...]] = ...,
    unscored: Mapping[str, str] = ...,
    unbounded: Unbounded = (),
    metrics: Metrics = None,
    recomputes: tuple[str, ...] = (),
    primary: str = "score",
    examples: Iterable[EvaluatorExample] = (),
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...
def evaluator(function: Callable[..., Any] | None = None, /, **declared: Any) -> Any:
    """Register `def name(batch: Batch, config: Options) -> Results`; the arguments are those of `EvaluatorSpec`."""

    def register(function: Callable[_P, _R]) -> Callable[_P, _R]:
        _register_evaluator(function, **declared | {"examples": tuple(declared.get("examples", ()))})
        return function

    return register if function is None else register(function)


@overload
def judge(function: Callable[_P, _R], /) -> Callable[_P, _R]: ...
@overload
def judge(
    *,
    needs_expected: bool = False,
    version: int = 1,
    metrics: Metrics = None,
    unscored: Mapping[str, str] = ...,
    examples: Iterable[EvaluatorExample] = (),
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...
def judge(
    function: Callable[..., Any] | None = None,
    /,
    *,
    needs_expected: bool = False,
    version: int = 1,
    metrics: Metrics = None,
    unscored: Mapping[str, str] | None = None,
    examples: Iterable[EvaluatorExample] = (),
) -> Any:
    """Register `def name(case: Case, config: Options) -> Judgement`: an evaluator that asks questions about one case.

    A judge never sees a case without an output: that case is the system's failure and costs no request. `unscored` is as for `evaluator`.
    """
    counts = ("tokens_in", "tokens_out")

    def register(function: Callable[_P, _R]) -> Callable[_P, _R]:
        declared = {"needs_expected": needs_expected, "version": version, "metrics": metrics, "examples": tuple(examples)}
        _register_evaluator(function, is_judge=True, reads="case", counts=counts, unscored=unscored or {}, **declared)
        return function

    return register if function is None else register(function)


def cause(
    *,
    rank: int,
    label: str,
    advice: str,
    advised: tuple[str, ...] = (),
    advice_if_followed: str = "",
    advice_if_typed: str = "",
    kinds: ValueKinds = "any",
    letters: tuple[LetterRelation, ...] = ("same", "as_many", "fewer", "more"),
    edits: LetterEdits | None = None,
    reads: TextReading | None = None,
    numbers: NumberSign | None = None,
    copied: bool = False,
    examples: Iterable[CauseExample] = (),
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Register `def name(expected, actual, context) -> bool`; the arguments are those of `CauseSpec`."""

    def register(function: Callable[_P, _R]) -> Callable[_P, _R]:
        name = _public_name(function)
        spec = CauseSpec(
            name=name,
            function=function,  # pyright: ignore[reportArgumentType]
            rank=rank,
            label=label,
            advice=advice,
            advised=advised,
            advice_if_followed=advice_if_followed,
            advice_if_typed=advice_if_typed,
            kinds=kinds,
            letters=letters,
            edits=edits,
            reads=reads,
            numbers=numbers,
            copied=copied,
            examples=tuple(examples),
        )
        CAUSES.register(spec)
        return function

    return register


def importer(*, label: str, recognizes: Callable[[Any], bool]) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Register `def name(document) -> Iterable[ImportedRecord]`; the arguments are those of `ImporterSpec`."""

    def register(function: Callable[_P, _R]) -> Callable[_P, _R]:
        IMPORTERS.register(ImporterSpec(name=_public_name(function), function=function, recognizes=recognizes, label=label))
        return function

    return register


def is_judge(evaluator: str) -> bool:
    """Whether an evaluator asks a model or a program; False for a name that is not registered.

    >>> is_judge("llm_judge"), is_judge("field_prf"), is_judge("unregistered")
    (True, False, False)
    """
    try:
        return EVALUATORS.find(evaluator).is_judge
    except KeyError:
        return False


def cause_label(name: str) -> str:
    """The words for a cause; its name if the package that registered it is not installed.

    >>> cause_label("ocr"), cause_label("cause_of_a_removed_plugin")
    ('look-alike characters', 'cause of a removed plugin')
    """
    try:
        return CAUSES.find(name).label
    except KeyError:
        return name.replace("_", " ")


def find_cause_name(text: str) -> str:
    """The name of a cause that is given by its name or its label.

    >>> find_cause_name("look-alike characters"), find_cause_name("letter-case")
    ('ocr', 'letter_case')
    """
    plain = text.strip().casefold()
    for spec in CAUSES.all():
        if plain in (spec.name, spec.label.casefold()):
            return spec.name
    return plain.replace("-", "_").replace(" ", "_")


def nearest(name: str, valid: Iterable[str]) -> str | None:
    """The valid name most similar to this one, if any is similar enough.

    >>> nearest("fuzy", ["exact", "fuzzy"])
    'fuzzy'
    """
    close = get_close_matches(name.casefold(), list(valid), n=1, cutoff=0.6)
    return close[0] if close else None
