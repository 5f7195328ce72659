"""Registry of matchers, evaluators, causes and importers.

Each decorated function becomes a typed spec (`MatcherSpec`, `EvaluatorSpec`, `CauseSpec`, `ImporterSpec`) in one of four catalogs.
Looking up a name imports one file: the file of that name, or one of the catalog's shared modules, which register several names. Other
packages register theirs with an entry point in the group `fieldwise.matchers`, `.evaluators`, `.causes` or `.importers`; a clash of names
is a ConfigError.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, distributions, packages_distributions
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any, Generic, Literal, ParamSpec, Protocol, TypeAlias, TypeVar, get_type_hints, overload

from fieldwise.model.diagnostic import ConfigError, Diagnostic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fieldwise.model.ask import Judgement
    from fieldwise.model.batch import Batch
    from fieldwise.model.case import Case
    from fieldwise.model.context import Context
    from fieldwise.model.pairs import Measurements, Pairs, Scores
    from fieldwise.model.result import Results

Reads: TypeAlias = Literal["records", "text", "case"]
ValueKinds: TypeAlias = Literal["text", "number", "mixed", "written", "any"]
"""Pairs of two texts, of two numbers, of other or different kinds; `written`: at least one text; `any`: every pair."""
TextReading: TypeAlias = Literal["digits", "numbers", "figures", "date"]
"""What two texts must be: both with digits, and without them as many letters or both numbers; both numbers; both numbers that may name a
currency or a unit, perhaps of the same digits; expected a date."""
NumberSign: TypeAlias = Literal["opposite", "close", "apart", "long", "moves"]
"""What two numbers must be: one the negative of the other; within 5 % or 1; one over 9 times the other; not both integers below 1,000;
perhaps the same digits in another order."""
LetterRelation: TypeAlias = Literal["same", "as_many", "fewer", "more"]
"""How the letters and digits of an actual text compare with those of the expected one."""
LetterEdits: TypeAlias = Literal["few", "moves"]
"""What makes one text's letters and digits those of the other: at most two edits or a fifth of the shorter text; perhaps another order."""
MatcherFunction: TypeAlias = "Callable[[Pairs, Any], Scores]"
GridFunction: TypeAlias = "Callable[[Any, Any, Any], NDArray[np.float64]]"
PartialGrid: TypeAlias = "Callable[[slice, slice], NDArray[np.float64]]"
GridPreparation: TypeAlias = "Callable[[Any, Any, Any], PartialGrid]"
EvaluatorFunction: TypeAlias = "Callable[[Batch, Any], Results]"
JudgeFunction: TypeAlias = "Callable[[Case, Any], Judgement]"
CauseFunction: TypeAlias = "Callable[[Any, Any, Context], bool]"
Metrics: TypeAlias = "tuple[str, ...] | Callable[[Any], Iterable[str]] | None"
"""Names of the metrics an evaluator reports; a function of its options where they depend on them; None where only a run can tell.
A name that ends in `[*]` stands for a metric for each name in the data: `ap[*]` for `ap[dog]`. A judge reports `USAGE_METRICS` besides."""
USAGE_METRICS = ("tokens_in", "tokens_out", "latency_seconds", "cost_usd")
"""Metrics of every judge: what its questions used."""


class NamedSpec(Protocol):
    """What every spec has."""

    @property
    def name(self) -> str: ...
    @property
    def function(self) -> Callable[..., Any]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One pair of values and the score a matcher must give it. Shown in the reference and checked by the laws."""

    expected: Any
    actual: Any
    score: float
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseExample:
    """One pair of values that a cause must or must not explain. Shown in the reference and checked by the laws."""

    expected: Any
    actual: Any
    holds: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorExample:
    """A configuration of an evaluator. The laws run it; the first one with `expected` and `actual` is shown in the reference."""

    options: Mapping[str, Any] = field(default_factory=dict)
    expected: Any = None
    actual: Any = None
    perfect: Any = None
    """A value that scores `best` against itself; None if this configuration has no such value."""
    best: float = 1.0
    key_order_matters: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSurvey:
    """How the values of a column decide an option that is not written, such as whether day or month comes first.

    A matcher itself scores row by row under its options; what calls it surveys the column first. Evidence is counted by name, so that the
    counts of batches can be added.
    """

    is_open: Callable[[Any], bool]
    """`is_open(config)`: whether the options leave something to the column."""
    collect: Callable[[Iterable[Any], Any], Counter[str]]
    """`collect(values, config)`: the evidence in some values of either side."""
    resolve: Callable[[Any, Counter[str]], tuple[Any, str | None]]
    """`resolve(config, evidence)`: the options with what the evidence decides and a sentence that states it, or None for the sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDecision:
    """How stored measurements decide pairs again under other options, without the values."""

    options: tuple[str, ...]
    """The options that may change."""
    decide: Callable[[Measurements, Any], NDArray[np.bool_]]
    """`decide(measurements, config)`: whether each pair matches; equal to what the matcher itself finds, to the bit."""
    by: Literal["distance", "similarity"] = "distance"
    """`distance`: decides pairs with a distance, and their similarity is then 1 or 0. `similarity`: decides every pair that has one, and
    leaves it as it is."""
    obstacle: Callable[[Any, Any], str | None] | None = None
    """`obstacle(old, new)`: why stored measurements do not suffice for this change of the options; None if they do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatcherSpec:
    """A registered matcher."""

    name: str
    function: MatcherFunction
    options: type
    """Frozen dataclass of its options."""
    grid: GridFunction | None = None
    """Similarity of every expected with every actual value; used by list alignment."""
    prepare_grid: GridPreparation | None = None
    """`prepare_grid(expected, actual, config)`: reads the values of many lists once, and returns the grid of any part of them. It agrees
    with `grid`."""
    reflexive: bool = True
    """Whether equal values always match. If so, the matcher sees only pairs that differ."""
    unread_note: Callable[[Any, Any], str | None] | None = None
    """`unread_note(value, config)`: why the matcher cannot read a value; None if it can. None for a matcher that reads every value."""
    reads_text: Callable[[Any], bool] | None = None
    """`reads_text(config)`: whether text is read into what the matcher compares. A difference is then a wrong value, not a wrong type.
    Default: every matcher with `unread_note` does."""
    column_survey: ColumnSurvey | None = None
    """How a whole column decides what its options and single values leave open."""
    stored_decision: StoredDecision | None = None
    """How another threshold or tolerance can be tried on a stored run; None if that needs the matcher itself."""
    examples: tuple[Example, ...] = ()

    def compares_readings(self, config: Any) -> bool:
        """Whether the matcher compares what it reads, so that values of different types may be equal."""
        if self.reads_text is None:
            return self.unread_note is not None
        return self.reads_text(config)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorSpec:
    """A registered evaluator or judge."""

    name: str
    function: Callable[..., Any]
    """An `EvaluatorFunction`, or a `JudgeFunction` where `is_judge`."""
    options: type
    """Frozen dataclass of its options."""
    reads: Reads = "records"
    """`records`: JSON is found in text. `text`: never parsed. `case`: the case as it is."""
    reads_scalars: bool = False
    """Whether text without a JSON object or list is a record all the same: a JSON scalar, or the text itself."""
    needs_expected: bool = True
    """Whether a case without an expected value is skipped."""
    counts: tuple[str, ...] = ()
    """Metrics that are counts: whole numbers that keep their value where the system gave no output."""
    kept: tuple[str, ...] = ()
    """Further metrics that keep their value where the system gave no output, because 0 would be a good value."""
    has_output: Callable[..., bool] | None = None
    """`has_output(case, config)`: True if the system gave what this evaluator measures, such as contexts, even without `actual`."""
    summarize: Callable[..., Any] | None = None
    """`summarize(pool)`: metrics of the whole dataset from what all batches put into `Results.pool`."""
    version: int = 1
    """Incremented with every change of what it measures."""
    vacuous: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Metric → the flags that together say that it had nothing to measure in a case. The case keeps the value; means leave it out."""
    unscored: Mapping[str, str] = field(default_factory=dict)
    """Metric → the flag that says that it could not be measured though something was expected. Means leave it out, `--max-unscored`
    limits it."""
    unbounded: tuple[str, ...] = ()
    """Metrics, other than counts, that may be below 0 or above 1."""
    is_judge: bool = False
    metrics: Metrics = None
    recomputes: tuple[str, ...] = ()
    """Options whose change can be tried on a stored run: the evaluator is called again with the stored comparisons, or with the stored
    records if it compares no fields."""
    primary: str = "score"
    """The metric that decides in a comparison of runs whether the evaluator changed; the others are judged only if it did."""
    examples: tuple[EvaluatorExample, ...] = ()

    def metric_names(self, config: Any) -> frozenset[str] | None:
        """Metrics that this evaluator reports under these options; None if only a run can tell."""
        if self.metrics is None:
            return None
        declared = self.metrics(config) if callable(self.metrics) else self.metrics
        return frozenset((*declared, *USAGE_METRICS) if self.is_judge else declared)


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseSpec:
    """A registered cause: why two values differ."""

    name: str
    function: CauseFunction
    rank: int
    """Lower ranks are tried first."""
    label: str
    advice: str
    advised: tuple[str, ...] = ()
    """Matches that the advice recommends."""
    advice_if_followed: str = ""
    """The advice for a field whose match is one of `advised` already."""
    advice_if_typed: str = ""
    """The advice for a field whose match reads a type (money, date, quantity …), where `advised` are matches of text."""
    kinds: ValueKinds = "any"
    """Pairs it applies to."""
    letters: tuple[LetterRelation, ...] = ("same", "as_many", "fewer", "more")
    """Of two ASCII texts, how their letters and digits must compare; a pair that compares otherwise is not tried."""
    edits: LetterEdits | None = None
    """Of two ASCII texts, what must make the letters and digits of one those of the other; a pair that takes more is not tried."""
    reads: TextReading | None = None
    """What two texts must be; other texts are not tried, and no pair without a text that is not two numbers."""
    numbers: NumberSign | None = None
    """What two numbers must be; other numbers are not tried, and no pair without a text that is not two numbers."""
    copied: bool = False
    """True if the actual value must be a distinctive one that the expected record holds; another is not tried."""
    examples: tuple[CauseExample, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImporterSpec:
    """A registered importer: reads the files of another tool or vendor."""

    name: str
    function: Callable[..., Any]
    """`function(document) -> Iterable[ImportedRecord]`."""
    recognizes: Callable[[Any], bool]
    """Whether a parsed document looks like this format."""
    label: str


SpecT = TypeVar("SpecT", bound=NamedSpec)


@dataclass
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
        package = import_module(self.package)
        modules = [module.name for module in walk_packages(package.__path__, f"{self.package}.") if not module.ispkg]
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
        except Exception as error:  # another package may raise anything while it is imported
            what = f"the {self.noun} `{plugin.name}` of the package `{package}` cannot be imported: {type(error).__name__}: {error}"
            raise ConfigError([Diagnostic(code="plugin", what=what, fix=f"repair or uninstall `{package}`")]) from error
        if plugin.name not in self.specs and self.fallback is not None:
            self.fallback(loaded)
        if plugin.name not in self.specs:
            what = f"the package `{package}` declares the {self.noun} `{plugin.name}`, but `{plugin.value}` registers another name"
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


@cache  # read once for all catalogs: installed packages do not change while the process runs
def _list_entry_points() -> tuple[EntryPoint, ...]:
    """Entry points for fieldwise of all installed packages.

    They are parsed only where a package has some: `importlib.metadata.entry_points` parses those of every package
    each time, which took 30 ms of the start-up time with 180 packages.
    """
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
    needs_expected: bool = True,
    counts: tuple[str, ...] = (),
    kept: tuple[str, ...] = (),
    has_output: Callable[..., bool] | None = None,
    summarize: Callable[..., Any] | None = None,
    version: int = 1,
    vacuous: Mapping[str, tuple[str, ...]] = ...,
    unscored: Mapping[str, str] = ...,
    unbounded: tuple[str, ...] = (),
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
    *, needs_expected: bool = False, version: int = 1, metrics: Metrics = None, examples: Iterable[EvaluatorExample] = ()
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...
def judge(
    function: Callable[..., Any] | None = None,
    /,
    *,
    needs_expected: bool = False,
    version: int = 1,
    metrics: Metrics = None,
    examples: Iterable[EvaluatorExample] = (),
) -> Any:
    """Register `def name(case: Case, config: Options) -> Judgement`: an evaluator that asks questions about one case.

    A judge never sees a case without an output: that case is the system's failure and costs no request.
    """
    counts = ("tokens_in", "tokens_out")

    def register(function: Callable[_P, _R]) -> Callable[_P, _R]:
        declared = {"needs_expected": needs_expected, "version": version, "metrics": metrics, "examples": tuple(examples)}
        _register_evaluator(function, is_judge=True, reads="case", counts=counts, **declared)
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


def nearest(name: str, valid: Iterable[str]) -> str | None:
    """The valid name most similar to this one, if any is similar enough.

    >>> nearest("fuzy", ["exact", "fuzzy"])
    'fuzzy'
    """
    close = get_close_matches(name.casefold(), list(valid), n=1, cutoff=0.6)
    return close[0] if close else None
