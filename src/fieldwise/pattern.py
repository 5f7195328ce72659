"""Regular expressions that are compiled when they are first used, for the modules that every command imports.

`fieldwise check` compiled 100 of its own at import and used a few of them, which was a tenth of its start-up time.
"""

import re
from typing import Any, AnyStr, cast


def compile_on_use(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A stand-in for `re.compile(pattern, flags)`. Calling its methods takes as long as calling those of a pattern.

    >>> compile_on_use("a+").findall("aab a")
    ['aa', 'a']
    """
    return cast("re.Pattern[AnyStr]", _PatternOnUse(pattern, flags))


class _PatternOnUse:
    """Takes each attribute from the compiled pattern at its first use and keeps it."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name == "_compiled":
            value: Any = re.compile(*self._source)
        else:
            value = getattr(self._compiled, name)
        setattr(self, name, value)
        return value
