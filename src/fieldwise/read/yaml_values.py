"""What a YAML scalar means, by YAML 1.2: fewer surprises than 1.1, where `no` is a boolean and `1:30` a number."""

import math
import re
from typing import Any, Final, NoReturn

MERGE: Final = "<<"
_INTEGER: Final = re.compile(r"[-+]?[0-9]+")
_OCTAL: Final = re.compile(r"0o[0-7]+")
_HEX: Final = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)")
_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}
_PREFIX: Final = "tag:yaml.org,2002:"
_MAX_DIGITS: Final = 4300


class BadScalar(ValueError):
    """A scalar that its tag does not fit, or whose tag is unknown."""

    def __init__(self, what: str, fix: str) -> None:
        self.fix = fix
        super().__init__(what)


def scalar(text: str, tag: str | None, *, plain: bool) -> Any:
    """The value of a scalar; quoted ones are text.

    >>> [scalar(text, None, plain=True) for text in ("1", "0o17", "1e3", "yes", "2024-01-05", "1_000", "~", "TRUE")]
    [1, 15, 1000.0, 'yes', '2024-01-05', '1_000', None, True]
    >>> scalar("1", None, plain=False)
    '1'
    """
    if tag is not None and tag != "!":
        return _tagged(text, tag)
    return _plain(text) if plain and tag is None else text


def _plain(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) <= _MAX_DIGITS else text
    if _OCTAL.fullmatch(text):
        return int(text, 8)
    if _HEX.fullmatch(text):
        return int(text, 16)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITE.fullmatch(text):
        return -math.inf if text[0] == "-" else math.inf
    return text


def _tagged(text: str, tag: str) -> Any:
    name = tag.removeprefix(_PREFIX)
    if not tag.startswith(_PREFIX) or name not in ("str", "int", "float", "bool", "null"):
        _refuse(f"the tag `{tag}` is not supported", "leave the tag out")
    if name == "str":
        return text
    value = _plain(text) if text else None
    kinds: dict[str, tuple[type, ...]] = {"int": (int,), "float": (float, int), "bool": (bool,), "null": (type(None),)}
    if not isinstance(value, kinds[name]) or (name != "bool" and isinstance(value, bool)):
        _refuse(f"`{text}` is not of the kind its tag says ({name})", "leave the tag out")
    return float(value) if name == "float" and isinstance(value, int) else value


def _refuse(what: str, fix: str) -> NoReturn:
    raise BadScalar(what, fix)
