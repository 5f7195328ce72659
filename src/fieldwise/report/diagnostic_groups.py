"""Diagnostics that say the same about several places, as one message."""

from collections.abc import Sequence
from typing import Final

from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import Diagnostic

MAX_LOCATIONS: Final = 3
"""Places that a message names unless everything is shown."""
_LEVELS: Final = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True, slots=True)
class DiagnosticGroup:
    """One message and the places that it is about."""

    first: Diagnostic
    size: int
    locations: tuple[str, ...]

    @property
    def level(self) -> str:
        """The level of all its diagnostics."""
        return self.first.level

    @property
    def shown_locations(self) -> tuple[str, ...]:
        """The first places."""
        return self.locations[:MAX_LOCATIONS]

    @property
    def more_locations(self) -> int:
        """Number of the others."""
        return max(0, len(self.locations) - MAX_LOCATIONS)


def group_diagnostics(diagnostics: Sequence[Diagnostic]) -> list[DiagnosticGroup]:
    """Group diagnostics that say the same about different locations, errors before warnings before information.

    >>> from fieldwise.model.diagnostic import Where
    >>> [group] = group_diagnostics([Diagnostic(code="x", what="no", where=Where(field=name)) for name in "abcd"])
    >>> group.shown_locations, group.more_locations
    (('field a', 'field b', 'field c'), 1)
    """
    groups: dict[tuple[str, str, str, str | None], list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        groups.setdefault((diagnostic.level, diagnostic.code, diagnostic.what, diagnostic.fix), []).append(diagnostic)
    grouped: list[DiagnosticGroup] = []
    for group in sorted(groups.values(), key=lambda group: _LEVELS[group[0].level]):
        locations = tuple(text for diagnostic in group if (text := str(diagnostic.where)))
        grouped.append(DiagnosticGroup(group[0], len(group), locations))
    return grouped
