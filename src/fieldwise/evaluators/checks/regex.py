r"""Whether a pattern, or each of several, is found in an output.

A pattern may match anywhere: write `^` and `$` for the whole output. The syntax is RE2's: no back-references and no look-around, and
in return a search takes time proportional to the text, whatever the pattern.

>>> import fieldwise as fw
>>> fw.evaluate({"type": "regex", "value": r"(?i)case #\d{4}"}, actual="Your case #0042 is open.").score
1.0
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from fieldwise.evaluators.checks._checks import Mode, Wanted, check_texts, texts_of
from fieldwise.kernels.values import nfc
from fieldwise.model.batch import Batch
from fieldwise.model.options import Problem
from fieldwise.model.result import Results
from fieldwise.registry import evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class Regex:
    """What to look for."""

    value: Wanted
    """A pattern, or a list of patterns. `(?i)` in front ignores letter case."""
    mode: Mode = "all"
    """Of several patterns: all must be found, or any one is enough."""
    negate: bool = False
    """No pattern may be found; with `mode: any`, at least one must not be."""

    def problems(self) -> Iterable[Problem]:
        """Patterns that cannot be read."""
        for pattern in texts_of(self.value):
            why = _unreadable(pattern)
            if why:
                yield (
                    "value",
                    f"the pattern `{pattern}` cannot be read: {why}",
                    "patterns have RE2 syntax: no look-around, no back-references",
                )


@evaluator(reads="text", needs_expected=False, version=1)
def regex(batch: Batch, config: Regex) -> Results:
    """1 if the patterns are found in the output, else 0."""

    def holds(output: str, pattern: str) -> bool:
        return _compiled(pattern).search(_encodable(nfc(output))) is not None

    return check_texts(batch, "regex", config.value, holds, mode=config.mode, negate=config.negate)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    return re2.compile(nfc(pattern), options)


def _unreadable(pattern: str) -> str | None:
    try:
        _compiled(pattern)
    except re2.error as error:
        said = error.args[0] if error.args else ""
        return said.decode(errors="replace") if isinstance(said, bytes) else str(said)
    return None


def _encodable(text: str) -> str:
    """The text with stray halves of surrogate pairs replaced: UTF-8 has no place for them."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
