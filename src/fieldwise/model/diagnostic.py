"""Diagnostics: what went wrong, where, and how to fix it, from a typo in a suite to a crash in one row."""

from collections.abc import Iterable
from dataclasses import field
from typing import Literal

from fieldwise.dataclass import dataclass

Level = Literal["error", "warning", "info"]
UNREAD_VALUES = "unread-values"
"""Code of the diagnostics about expected values that a match cannot read; reports show them at the top."""
OTHER_ORDER = "other-order"
"""Code of the warning that rows which are paired by their number do not belong together, by their values."""
UNREADABLE_SIDE = "unreadable-side"
"""Code of the warning that no output of a file can be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """The location that a diagnostic refers to; parts that do not apply are None."""

    file: str | None = None
    """The file, as the user named it."""
    line: int | None = None
    """The line, counted from 1."""
    case: str | None = None
    """The id of the case."""
    field: str | None = None
    """The path of the field."""

    def __str__(self) -> str:
        """
        >>> str(Where(file="a.yaml", line=9, field="invoice.total"))
        'a.yaml:9: field invoice.total'
        """
        location = self.file or ""
        if self.line is not None:
            location = f"{location}:{self.line}" if location else f"line {self.line}"
        parts = [location, self.case and f"case {self.case}", self.field and f"field {self.field}"]
        return ": ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One problem or remark. The command line, the pages, JUnit and pytest print it alike."""

    code: str
    """A stable name in kebab case, such as `unknown-option`."""
    what: str
    """What happened, in one sentence."""
    where: Where = field(default_factory=Where)
    """The location it refers to."""
    fix: str | None = None
    """How to fix it."""
    level: Level = "error"
    """`error`, `warning` or `info`."""

    def __str__(self) -> str:
        """
        >>> print(Diagnostic(code="unknown-option", what="there is no option `relativ`",
        ...                  where=Where(file="a.yaml", line=9), fix="did you mean `relative`?"))
        a.yaml:9: there is no option `relativ`
          fix: did you mean `relative`?
        """
        location = str(self.where)
        headline = f"{location}: {self.what}" if location else self.what
        return f"{headline}\n  fix: {self.fix}" if self.fix else headline

    def to_json(self) -> dict[str, object]:
        """A flat, JSON-serializable dict without the parts that are None."""
        content = {
            "level": self.level,
            "code": self.code,
            "file": self.where.file,
            "line": self.where.line,
            "case": self.where.case,
            "field": self.where.field,
            "what": self.what,
            "fix": self.fix,
        }
        return {name: value for name, value in content.items() if value is not None}


class ConfigError(ValueError):
    """A suite or a configuration that cannot run. Carries every problem, not only the first."""

    diagnostics: tuple[Diagnostic, ...]
    """All problems, in the order of the file."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(diagnostic) for diagnostic in self.diagnostics))
