"""The items of a list inside an answer: bullets, numbered lines, and coded items such as `Rule C-1`.

>>> [item.label for item in items("Rules:\\n* **Driver Discount**: 5 % off\\n2. Rule C-1 Eligibility\\nSee also Rule C-2.")]
['Driver Discount: 5 % off', 'Rule C-1 Eligibility', 'Rule C-2']
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from fieldwise.kernels.keywords import fold

_BULLET = re.compile(r"[ \t]*(?:[*+•‣◦▪·–—-]|[0-9]{1,4}[.)]|\(?[a-zA-Z0-9]{1,2}\))[ \t]+(\S.*)")
_CHECKBOX = re.compile(r"\[[ xX]\][ \t]+")
_MARKUP = re.compile(r"[*_`]+")
_NAME_ENDS = re.compile(r":(?=\s)|\s[-–—]\s")
_CODE: Final = r"[A-Za-z]{1,3}-?[0-9]+[A-Za-z]?(?![\w-])"
_V1_BULLET = re.compile(r"\*\s+([^\n*]+)")
_V1_CODE = re.compile(r"rule\s+c-?\d+")


@dataclass(frozen=True, slots=True)
class Item:
    """One item: how it is shown, and every form in which another list may name it."""

    label: str
    keys: tuple[str, ...]
    coded: bool = False


def items(text: str, code_words: Sequence[str] = ("rule",)) -> list[Item]:
    """Every item of a text, each once. An item with a code is known by its code, any other by its name or its whole text."""
    code = _code_pattern(tuple(code_words))
    listed: list[str] = []
    codes: dict[str, str] = {}
    for line in text.splitlines():
        bullet = _BULLET.match(line)
        found = dict(_codes(line, code))
        for key, label in found.items():
            codes.setdefault(key, _clean(bullet[1]) if bullet and len(found) == 1 else label)
        if bullet and not found:
            listed.append(_clean(bullet[1]))
    return [*_named(listed), *(Item(label, (key,), coded=True) for key, label in codes.items())]


def items_v1(text: str) -> list[Item]:
    """As the first framework counted: lines after a star, and `rule c-1` besides, also where both are the same item."""
    bullets = dict.fromkeys(_V1_BULLET.findall(text))
    codes = dict.fromkeys(_V1_CODE.findall(text.lower()))
    return [*(Item(bullet.strip(), (bullet,)) for bullet in bullets), *(Item(code, (f"\0{code}",), coded=True) for code in codes)]


def _named(texts: Iterable[str]) -> Iterator[Item]:
    """Items without a code. What stands before a colon or a dash is a name, unless two items share it."""
    unique = {fold(text): text for text in texts if text}
    names = {whole: fold(_NAME_ENDS.split(text, maxsplit=1)[0].strip()) for whole, text in unique.items()}
    times: dict[str, int] = {}
    for name in names.values():
        times[name] = times.get(name, 0) + 1
    for whole, text in unique.items():
        name = names[whole]
        yield Item(text, tuple(dict.fromkeys([whole, name] if times[name] == 1 and name else [whole])))


def _code_pattern(code_words: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(re.escape(word) for word in code_words)
    return re.compile(rf"(?<!\w)({words})s?\s+({_CODE}(?:(?:\s*,\s*|\s+(?:and|or)\s+|\s*&\s*){_CODE})*)", re.IGNORECASE)


def _codes(line: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Key and label of every code in a line; `Rules C-1 and C-2` has two."""
    for found in pattern.finditer(line):
        for code in re.findall(_CODE, found[2]):
            yield f"{found[1]} {code}".casefold().replace("-", ""), f"{found[1].capitalize()} {code.upper()}"


def _clean(text: str) -> str:
    """Without markup, checkbox, and punctuation at the end."""
    return " ".join(_MARKUP.sub("", _CHECKBOX.sub("", text, count=1)).split()).rstrip(" .;,:")
