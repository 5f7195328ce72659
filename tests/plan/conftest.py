"""Small matchers and evaluators to plan with, and suites written as YAML in the tests."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
import yaml
from annotated_types import Ge, Gt, Le, MinLen

from fieldwise import registry
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.document import Document, Place
from fieldwise.model.options import FromFile, Of, PassThrough, RelativePath
from fieldwise.model.path import Path
from fieldwise.model.plan import Plan, When
from fieldwise.model.rule import FieldRule, ListRule, Match
from fieldwise.plan.suite import build_plan

FILES: dict[str, Any] = {"strategies.json": {"bio": "FUZZY"}, "typo.json": {"bio": "FUZY"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """No options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuzzy:
    algorithm: Literal["levenshtein", "jaro_winkler"] = "levenshtein"
    threshold: Annotated[float, Ge(0), Le(1)] = 0.85
    """How alike two texts must be to pass."""
    normalize: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericTolerance:
    tolerance: Annotated[float, Ge(0)] = 0.0
    relative: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Date:
    formats: tuple[str, ...] = ()
    day_first: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldAccuracy:
    """Fields, one by one."""

    fields: tuple[FieldRule, ...] = ()
    lists: tuple[ListRule, ...] = ()
    aggregation: Literal["weighted_average", "all_or_nothing"] = "weighted_average"
    """How field scores become one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldPrf:
    ignore: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    accuracy: Annotated[float, Ge(0)] = 0.5
    completeness: Annotated[float, Ge(0)] = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonQuality:
    strategies: Annotated[Mapping[str, Literal["EXACT", "FUZZY", "SEMANTIC", "IGNORE"]], FromFile()] = field(default_factory=dict)
    weights: Weights = field(default_factory=Weights)
    fuzzy: Annotated[Match, Of("fuzzy")] = field(default_factory=lambda: Match("fuzzy"))
    default: Match = field(default_factory=Match)

    def problems(self) -> Iterable[tuple[str, str, str | None]]:
        if self.weights.accuracy + self.weights.completeness == 0:
            yield "weights", "all weights are 0", "set one of them above 0"


@dataclass(frozen=True, slots=True, kw_only=True)
class IouScore:
    path: Path
    threshold: Annotated[float, Ge(0), Le(1)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeJudge:
    script: Annotated[str, RelativePath()] | tuple[str, ...]
    timeout: Annotated[float, Gt(0)] = 30.0
    folder: Annotated[str, RelativePath()] = "."
    config: Annotated[Mapping[str, Any], PassThrough()] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    word: str | None = None
    not_: "Fact | None" = None
    any_: "tuple[Fact, ...]" = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FactChecks:
    facts: Annotated[Mapping[str, Fact | str], MinLen(1)] = field(default_factory=dict)
    preset: Literal["ef_2"] | None = None

    def default_when(self) -> When | None:
        return When(id=(self.preset.upper(),)) if self.preset else None


OPTIONS: dict[registry.Group, dict[str, type]] = {
    "matchers": {"exact": Exact, "fuzzy": Fuzzy, "numeric_tolerance": NumericTolerance, "date": Date, "ignore": type(None)},
    "evaluators": {
        "field_accuracy": FieldAccuracy,
        "field_prf": FieldPrf,
        "json_quality": JsonQuality,
        "iou_score": IouScore,
        "code_judge": CodeJudge,
        "fact_checks": FactChecks,
    },
}
METRICS = {"field_prf": ("precision", "recall", "f1")}


@pytest.fixture
def catalog(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the matchers and evaluators above, whatever others there are."""
    entries = {
        (group, name): registry.Entry(
            name=name, function=lambda: None, options=options, extras={"metrics": METRICS[name]} if name in METRICS else {}
        )
        for group, named in OPTIONS.items()
        for name, options in named.items()
    }
    monkeypatch.setattr(registry, "_entries", entries)
    monkeypatch.setattr(registry, "names", lambda group: tuple(sorted(OPTIONS[group])))


@pytest.fixture
def document() -> Callable[[str], Document]:
    """YAML as a document with the line of every key and item."""

    def read(text: str) -> Document:
        node = yaml.compose(text)
        lines = dict(_lines(node, ()))
        return Document(value=yaml.safe_load(text), file="invoices.eval.yaml", text=text, lines=lines)

    return read


def _lines(node: Any, place: Place) -> Iterator[tuple[Place, int]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*place, yaml.safe_load(yaml.serialize(key)))
            yield inner, key.start_mark.line + 1
            yield from _lines(value, inner)
    if isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield (*place, index), value.start_mark.line + 1
            yield from _lines(value, (*place, index))


@pytest.fixture
def plan(catalog: None, document: Callable[[str], Document]) -> Callable[[str], Plan]:
    """The plan of a suite; side files come from FILES, paths resolve into /suite."""

    def load(path: str) -> Any:
        if path not in FILES:
            raise FileNotFoundError("no such file")
        return FILES[path]

    return lambda text: build_plan(document(text), load=load, resolve=lambda path: f"/suite/{path}")


@pytest.fixture
def problems(plan: Callable[[str], Plan]) -> Callable[[str], list[Diagnostic]]:
    """Every problem of a suite that cannot run."""

    def find(text: str) -> list[Diagnostic]:
        with pytest.raises(ConfigError) as caught:
            plan(text)
        return list(caught.value.diagnostics)

    return find


@pytest.fixture
def problem(problems: Callable[[str], list[Diagnostic]]) -> Callable[[str], Diagnostic]:
    """The only problem of a suite."""

    def only(text: str) -> Diagnostic:
        found = problems(text)
        assert len(found) == 1, "\n".join(map(str, found))
        return found[0]

    return only
