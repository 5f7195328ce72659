"""Where a value stands inside a record.

>>> Path.parse("items[*].amount").steps
('items', <Each.ITEM: '*'>, 'amount')
>>> str(Path.parse('a.0["odd.key"]'))
'a[0]["odd.key"]'
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Self, TypeAlias
from unicodedata import normalize

from fieldwise.model.values import MISSING, Value, json_kind


class Each(Enum):
    """The type of the step `[*]`: every item of a list."""

    ITEM = "*"


EACH: Final = Each.ITEM
Step: TypeAlias = str | int | Each
"""A key, an index (from the end if negative), or every item."""

_STEP = re.compile(
    r"""\[(?P<index>-?[0-9]+)\]|\[(?P<each>\*)\]|\[(?P<quoted>"(?:[^"\\]|\\.)*"|'[^'"\\]*')\]|(?P<dot>\.)?(?P<key>[^.\[\]"]+)""",
)
_QUOTED = re.compile(r"""\["(?:[^"\\]|\\.)*"\]|\['[^'"\\]*'\]""")
_PLAIN_KEY = re.compile(r"[^.\[\]\"\s$*+](?:[^.\[\]\"]*[^.\[\]\"\s])?")


class MalformedPath(ValueError):
    """A path that cannot be read; the message says why, `fix` says what to write."""

    def __init__(self, what: str, fix: str | None = None) -> None:
        self.fix = fix
        super().__init__(what)


@dataclass(frozen=True, slots=True)
class Path:
    """The steps from the top of a record down to a value."""

    steps: tuple[Step, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `a.b`, `a[0]`, `a.0`, `a[-1]`, `a[*].b`, `["odd.key"]`, `['odd.key']`; keys are composed (NFC), as they are in records.

        >>> Path.parse("invoice..total")
        Traceback (most recent call last):
            ...
        fieldwise.model.path.MalformedPath: `invoice..total` has an empty step
        """
        if text.startswith("$"):
            fix = text.removeprefix("$").removeprefix(".")
            raise MalformedPath(f"`{text}` is JSONPath, which is not supported", f"write `{fix}`" if fix else "name a field")
        text = normalize("NFC", text)
        if not text or text.endswith(".") or text.startswith(".") or ".." in _QUOTED.sub('""', text):
            raise MalformedPath(f"`{text}` has an empty step" if text else "a path must not be empty")
        steps: list[Step] = []
        at = 0
        while at < len(text):
            found = _STEP.match(text, at)
            if found is None or (found["key"] is not None and (found["dot"] is None) != (at == 0)):
                raise MalformedPath(f"`{text}` cannot be read from `{text[at:]}` on", 'write an odd key in quotes: ["odd.key"]')
            steps.append(_parse_step(found, text))
            at = found.end()
        return cls(tuple(steps))

    def __str__(self) -> str:
        return render_path(self.steps)

    @property
    def each_count(self) -> int:
        """How many `[*]` steps it has."""
        return sum(step is EACH for step in self.steps)


def _parse_step(found: re.Match[str], text: str) -> Step:
    if found["each"]:
        return EACH
    if found["quoted"]:
        if found["quoted"][0] == "'":
            return found["quoted"][1:-1]
        try:
            return normalize("NFC", json.loads(found["quoted"], strict=False))
        except ValueError as error:
            raise MalformedPath(f"`{text}` has a key with a bad escape: {found['quoted']}", "write a backslash as two") from error
    if found["index"]:
        if len(found["index"]) > _MAX_INDEX_DIGITS:
            raise MalformedPath(f"`{text}` has an index that no list reaches", 'write a key in quotes: ["123"]')
        return int(found["index"])
    key = found["key"].strip() or found["key"]
    if key == "*":
        return EACH
    index = parse_index(key)
    return key if index is None else index


_MAX_INDEX_DIGITS: Final = 18
"""Digits; Python reads no number of thousands of digits, and no list is that long."""


def parse_index(key: str) -> int | None:
    """The index that a key is as well: `0` in `items.0` names an item or a key. None for any other key, `007` too.

    >>> parse_index("12"), parse_index("007"), parse_index("a")
    (12, None, None)
    """
    if not (key.isdecimal() and key.isascii()) or len(key) > _MAX_INDEX_DIGITS:
        return None
    return int(key) if key == "0" or key[0] != "0" else None


def render_step(step: Step) -> str:
    """A step as it stands after another one.

    >>> render_step("b"), render_step(0), render_step("odd.key")
    ('.b', '[0]', '["odd.key"]')
    """
    if step is EACH:
        return "[*]"
    if isinstance(step, int):
        return f"[{step}]"
    assert isinstance(step, str)
    if _PLAIN_KEY.fullmatch(step) and not step.isdecimal():
        return f".{step}"
    return f"[{json.dumps(step, ensure_ascii=False)}]"


def render_path(steps: Iterable[Step]) -> str:
    """Steps as a path that can be read again; the record itself is `(root)`."""
    return "".join(map(render_step, steps)).removeprefix(".") or ROOT


def innermost_list(text: str, path: Path) -> str:
    """The innermost list that a value at `text` stands in, where `path` is the rule it belongs to.

    >>> innermost_list("pages[0].rows[+1].v", Path.parse("pages[*].rows[*].v"))
    'pages[0].rows'
    """
    last = max((at for at, step in enumerate(path.steps) if step is EACH), default=-1)
    return text.removesuffix("".join(map(render_step, path.steps[last + 1 :]))).rpartition("[")[0]


def is_at_or_above_field(path: Path, fields: Iterable[str]) -> bool:
    """Whether one of these fields stands at a path or below it; an index is as good as `[*]`.

    >>> is_at_or_above_field(Path.parse("pages[0].rows"), ["no", "pages[*].rows[*].v"])
    True
    """
    wanted = _generalize_indexes(path)
    return any(_generalize_indexes(found)[: len(wanted)] == wanted for found in map(_parse_or_none, fields) if found is not None)


def _generalize_indexes(path: Path) -> tuple[Step, ...]:
    return tuple(EACH if isinstance(step, int) else step for step in path.steps)


def _parse_or_none(text: str) -> Path | None:
    try:
        return Path(()) if text == ROOT else Path.parse(text)
    except MalformedPath:
        return None


ROOT: Final = "(root)"


def value_at(record: Value, steps: Sequence[Step]) -> Any:
    """The value at these steps, MISSING if there is none; after `[*]`, the list of what each item has there.

    >>> value_at({"pages": [{"box": 1}, {}]}, ("pages", EACH, "box"))
    [1, MISSING]
    """
    at: Any = record
    for depth, step in enumerate(steps):
        if step is EACH:
            return [value_at(item, steps[depth + 1 :]) for item in at] if json_kind(at) == "list" else MISSING
        at = _get_child(at, step)
        if at is MISSING:
            return MISSING
    return at


def _get_child(value: Any, step: Step) -> Any:
    if json_kind(value) == "object":
        return value.get(str(step), MISSING)
    if isinstance(step, int) and json_kind(value) == "list" and -len(value) <= step < len(value):
        return value[step]
    return MISSING
