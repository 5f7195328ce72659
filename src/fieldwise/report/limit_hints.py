"""Hints that name the limits of a run (`--max-errors`, `--max-unscored`), and where such a hint cannot help.

Called by the warnings of a run and by every report of one.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.summarize.exit_code import CONFIG, NOTHING

TOLERATE: Final = ", or tolerate them with "
"""Begins the part of a fix that names a limit."""


def remove_useless_hints(diagnostics: Sequence[Diagnostic], exit_code: int | None) -> Sequence[Diagnostic]:
    """The diagnostics without hints to a limit, if the exit code is one that no limit changes."""
    if exit_code not in (CONFIG, NOTHING):
        return diagnostics
    return [replace(diagnostic, fix=_cut_hint(diagnostic.fix)) for diagnostic in diagnostics]


def _cut_hint(fix: str | None) -> str | None:
    """
    >>> _cut_hint("correct the cause, or tolerate them with --max-errors 2")
    'correct the cause'
    """
    return None if fix is None else fix.partition(TOLERATE)[0]
