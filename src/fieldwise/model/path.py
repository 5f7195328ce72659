"""Paths: the location of a value inside a record.

>>> Path.parse("items[*].amount").steps
('items', <Each.ITEM: '*'>, 'amount')
>>> str(Path.parse('a.0["odd.key"]'))
'a[0]["odd.key"]'
"""

import json
import re
from collections.abc import Iterable, Sequence
from enum import Enum
from functools import lru_cache
from typing import Any, Final, Self, TypeAlias
from unicodedata import normalize

from fieldwise.dataclass import dataclass
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
    """A path that cannot be parsed; the message says why, `fix` what to write instead."""

    def __init__(self, what: str, fix: str | None = None) -> None:
        self.fix = fix
        super().__init__(what)


@dataclass(frozen=True, slots=True)
class Path:
    """The steps from the top of a record down to a value."""

    steps: tuple[Step, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `a.b`, `a[0]`, `a.0`, `a[-1]`, `a[*].b`, `["odd.key"]`, `['odd.key']`; keys are normalized to NFC, as in records.

        >>> Path.parse("invoice..total")
        Traceback (most recent call last):
            ...
        fieldwise.model.path.MalformedPath: `invoice..total` has an empty step
        """
        if text.isascii():  # keys that are identifiers, as most are, need no closer look
            keys = text.split(".")
            if all(map(str.isidentifier, keys)):
                return cls(tuple(keys))
        if text.startswith("$"):
            fix = text.removeprefix("$").removeprefix(".")
            raise MalformedPath(f"`{text}` is JSONPath, which is not supported", f"write `{fix}`" if fix else "name a field")
        text = normalize("NFC", text)
        if not text or text.endswith(".") or text.startswith(".") or ".." in _QUOTED.sub('""', text):
            raise MalformedPath(f"`{text}` has an empty step" if text else "a path must not be empty")
        steps: list[Step] = []
        position = 0
        while position < len(text):
            match = _STEP.match(text, position)
            # a key needs a dot before it, except at the start
            if match is None or (match["key"] is not None and (match["dot"] is None) != (position == 0)):
                raise MalformedPath(f"`{text}` cannot be read from `{text[position:]}` on", 'write an odd key in quotes: ["odd.key"]')
            steps.append(_parse_step(match, text))
            position = match.end()
        return cls(tuple(steps))

    def __str__(self) -> str:
        return render_path(self.steps)

    @property
    def each_count(self) -> int:
        """Number of `[*]` steps."""
        return self.steps.count(EACH)


def _parse_step(match: re.Match[str], text: str) -> Step:
    if match["each"]:
        return EACH
    if match["quoted"]:
        if match["quoted"][0] == "'":
            return match["quoted"][1:-1]
        try:
            return normalize("NFC", json.loads(match["quoted"], strict=False))
        except ValueError as error:
            raise MalformedPath(f"`{text}` has a key with a bad escape: {match['quoted']}", "write a backslash as two") from error
    if match["index"]:
        if len(match["index"]) > _MAX_INDEX_DIGITS:
            raise MalformedPath(f"`{text}` has an index that no list reaches", 'write a key in quotes: ["123"]')
        return int(match["index"])
    key = match["key"].strip() or match["key"]
    if key == "*":
        return EACH
    index = parse_index(key)
    return key if index is None else index


_MAX_INDEX_DIGITS: Final = 18
"""`int()` refuses numbers of thousands of digits, and no list is that long."""


def parse_index(key: str) -> int | None:
    """Read a key as an index: `0` in `items.0` names an item or a key. None for any other key, such as `007`.

    >>> parse_index("12"), parse_index("007"), parse_index("a")
    (12, None, None)
    """
    if not (key.isdecimal() and key.isascii()) or len(key) > _MAX_INDEX_DIGITS:
        return None
    return int(key) if key == "0" or key[0] != "0" else None


@lru_cache(maxsize=4096)  # the keys of records are few
def render_step(step: Step) -> str:
    """Write a step as it follows another one.

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
    """Write steps as a path that `Path.parse` reads; the record itself is `(root)`."""
    return "".join(map(render_step, steps)).removeprefix(".") or ROOT


def innermost_list(text: str, path: Path) -> str:
    """The innermost list that contains the value at `text`, where `path` is the path of its rule.

    >>> innermost_list("pages[0].rows[+1].v", Path.parse("pages[*].rows[*].v"))
    'pages[0].rows'
    """
    last = max((at for at, step in enumerate(path.steps) if step is EACH), default=-1)
    return text.removesuffix("".join(map(render_step, path.steps[last + 1 :]))).rpartition("[")[0]


def is_at_or_above_field(path: Path, fields: Iterable[str]) -> bool:
    """True if one of these fields is at a path or below it; an index counts as `[*]`.

    >>> is_at_or_above_field(Path.parse("pages[0].rows"), ["no", "pages[*].rows[*].v"])
    True
    """
    prefix = _generalize_indexes(path)
    for field in fields:
        field_path = _parse_or_none(field)
        if field_path is not None and _generalize_indexes(field_path)[: len(prefix)] == prefix:
            return True
    return False


def _generalize_indexes(path: Path) -> tuple[Step, ...]:
    return tuple(EACH if isinstance(step, int) else step for step in path.steps)


def _parse_or_none(text: str) -> Path | None:
    try:
        return Path(()) if text == ROOT else Path.parse(text)
    except MalformedPath:
        return None


ROOT: Final = "(root)"


def value_at(record: Value, steps: Sequence[Step]) -> Any:
    """The value at these steps, MISSING if there is none; after `[*]`, the list of the values of all items.

    >>> value_at({"pages": [{"box": 1}, {}]}, ("pages", EACH, "box"))
    [1, MISSING]
    """
    value: Any = record
    for depth, step in enumerate(steps):
        if step is EACH:
            return [value_at(item, steps[depth + 1 :]) for item in value] if json_kind(value) == "list" else MISSING
        value = _get_child(value, step)
        if value is MISSING:
            return MISSING
    return value


def _get_child(value: Any, step: Step) -> Any:
    if json_kind(value) == "object":
        return value.get(str(step), MISSING)
    if isinstance(step, int) and json_kind(value) == "list" and -len(value) <= step < len(value):
        return value[step]
    return MISSING
