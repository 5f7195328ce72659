"""What a report is made from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from fieldwise.model.change import Changes
from fieldwise.model.comparison import Comparison
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.summary import GateResult, Summary

if TYPE_CHECKING:
    from fieldwise.store.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """A run, as far as reports tell of it."""

    id: str
    name: str
    summary: Summary
    started: datetime
    finished: datetime | None = None
    suite_file: str | None = None
    path: str = ""
    """Where it is stored."""
    package: str = ""
    gates: Sequence[GateResult] = ()
    diagnostics: Sequence[Diagnostic] = ()
    exit_code: int | None = None
    examples: Mapping[str, "Example"] = field(default_factory=dict[str, "Example"])
    """Cause → one mismatch that it explains."""
    causes: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Cause → its label and what to do about it."""
    fingerprints: Mapping[str, str] = field(default_factory=dict[str, str])
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    changes: Changes | None = None
    """What changed from the baseline, where the run was compared with one."""


def plain_view(run: "Run") -> RunView:
    """A stored run as reports tell of it, without examples and advice, which take a look at its cases."""
    found = run.manifest
    return RunView(
        id=run.id,
        name=run.name,
        summary=run.full,
        started=run.started,
        finished=run.finished,
        suite_file=found.suite_file,
        path=str(run.path),
        package=found.package,
        gates=run.gates,
        diagnostics=run.diagnostics,
        exit_code=run.exit_code,
        fingerprints=found.fingerprints,
        environment=found.environment,
        changes=run.changes,
    )


@dataclass(frozen=True, slots=True)
class Example:
    """One mismatch and the case it was met in."""

    case: str
    comparison: Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """How much is shown, and how."""

    width: int = 100
    plain: bool = False
    """No bars, and nothing that depends on colour."""
    everything: bool = False
    """Every field of every evaluator, every slice, every diagnostic."""
    command: str = "fieldwise"
    """How fieldwise is called to find the same runs: with `--root` where that was given."""
