"""The items a geometry evaluator compares: found at a path, one or a list of them, each with the name people know it by."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fieldwise.model.path import EACH, ROOT, MalformedPath, Path, Step, render, render_step
from fieldwise.model.values import Value, kind

PathProblem = tuple[str, str, str | None]


@dataclass(frozen=True, slots=True)
class Items:
    """The items of one side of one case."""

    values: Sequence[Value]
    single: bool
    """True where the record holds one item, not a list."""


def steps_of(path: str) -> tuple[Step, ...] | None:
    """The steps of a path, none for the record itself; None if it cannot be read."""
    try:
        return Path.parse(path).steps if path and path != ROOT else ()
    except MalformedPath:
        return None


def path_problems(path: str) -> Iterator[PathProblem]:
    """What is wrong with the option `path`."""
    try:
        steps = Path.parse(path).steps if path and path != ROOT else ()
    except MalformedPath as error:
        yield "path", str(error), error.fix
        return
    if steps.count(EACH) > 1:
        yield "path", f"`{path}` has more than one `[*]`", "name the inner list by its index, or give each list an evaluator of its own"


def items(value: Any, is_one: Callable[[Any], bool]) -> Items:
    """A value as items: itself if `is_one` says so, else what the list holds."""
    if kind(value) != "list" or is_one(value):
        return Items([value], single=True)
    return Items(value, single=False)


@dataclass(frozen=True, slots=True)
class Names:
    """Names items by where they stand.

    >>> names = Names(("a", "boxes"))
    >>> names.of(2), names.extra(3), names.whole
    ('a.boxes[2]', 'a.boxes[+3]', 'a.boxes')
    >>> Names(Path.parse("pages[*].box").steps).of(1)
    'pages[1].box'
    """

    steps: tuple[Step, ...]

    @property
    def whole(self) -> str:
        """The path itself."""
        return _parts(self.steps)[0]

    def of(self, index: int, single: bool = False) -> str:
        """An expected item by its index."""
        whole, before, after = _parts(self.steps)
        return whole if single else f"{before}[{index}]{after}"

    def extra(self, index: int, single: bool = False) -> str:
        """An actual item that no expected one was paired with, by its own index."""
        whole, before, after = _parts(self.steps)
        return whole if single else f"{before}[+{index}]{after}"


@lru_cache(maxsize=256)
def _parts(steps: tuple[Step, ...]) -> tuple[str, str, str]:
    """The path, and what stands before and after the index of an item."""
    at = steps.index(EACH) if EACH in steps else len(steps)
    before, after = ("".join(map(render_step, part)) for part in (steps[:at], steps[at + 1 :]))
    return render(steps), before.removeprefix("."), after
