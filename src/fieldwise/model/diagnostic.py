"""What went wrong, where, and how to fix it: one shape from a typo in a suite to a crash in one row."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

Level = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """The place a diagnostic speaks of; each part only if it is known."""

    file: str | None = None
    line: int | None = None
    case: str | None = None
    field: str | None = None

    def __str__(self) -> str:
        """
        >>> str(Where(file="a.yaml", line=9, field="invoice.total"))
        'a.yaml:9: field invoice.total'
        """
        place = self.file or ""
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        parts = [place, self.case and f"case {self.case}", self.field and f"field {self.field}"]
        return ": ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One problem, printed alike by the command line, the pages, JUnit and pytest."""

    code: str
    """A stable name in kebab case, such as `unknown-option`."""
    what: str
    where: Where = field(default_factory=Where)
    fix: str | None = None
    level: Level = "error"

    def __str__(self) -> str:
        """
        >>> print(Diagnostic(code="unknown-option", what="there is no option `relativ`",
        ...                  where=Where(file="a.yaml", line=9), fix="did you mean `relative`?"))
        a.yaml:9: there is no option `relativ`
          fix: did you mean `relative`?
        """
        place = str(self.where)
        first = f"{place}: {self.what}" if place else self.what
        return f"{first}\n  fix: {self.fix}" if self.fix else first

    def to_json(self) -> dict[str, object]:
        """A flat, JSON-able form."""
        known = {
            "level": self.level,
            "code": self.code,
            "file": self.where.file,
            "line": self.where.line,
            "case": self.where.case,
            "field": self.where.field,
            "what": self.what,
            "fix": self.fix,
        }
        return {name: value for name, value in known.items() if value is not None}


class ConfigError(ValueError):
    """A suite or a configuration that cannot run; carries every problem, not only the first."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(diagnostic) for diagnostic in self.diagnostics))
