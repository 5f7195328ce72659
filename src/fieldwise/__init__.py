"""Score the output of an AI system against the expected output, field by field."""

TYPE_CHECKING = False  # as in typing, which takes longer to import than all of this: long enough for a Ctrl-C to end in a traceback
if TYPE_CHECKING:
    from typing import Any

    from fieldwise.api import compare, diff, evaluate, match, open_run, route, rules_from, run, runs
    from fieldwise.model.case import Case
    from fieldwise.model.change import Changes
    from fieldwise.model.comparison import Comparison
    from fieldwise.model.comparison_list import Comparisons
    from fieldwise.model.diagnostic import ConfigError, Diagnostic
    from fieldwise.model.diff import Diff
    from fieldwise.model.plan import Plan
    from fieldwise.model.result import Result
    from fieldwise.model.summary import Summary
    from fieldwise.report.feedback import feedback
    from fieldwise.store.run import Run
    from fieldwise.store.run_names import RunNotFound
    from fieldwise.suite_check import check

__version__ = "0.1.0"
__all__ = [
    "Case",
    "Changes",
    "Comparison",
    "Comparisons",
    "ConfigError",
    "Diagnostic",
    "Diff",
    "Plan",
    "Result",
    "Run",
    "RunNotFound",
    "Summary",
    "__version__",
    "check",
    "compare",
    "diff",
    "evaluate",
    "feedback",
    "match",
    "open_run",
    "route",
    "rules_from",
    "run",
    "runs",
]

_MODULES = {
    "Case": "fieldwise.model.case",
    "Changes": "fieldwise.model.change",
    "Comparison": "fieldwise.model.comparison",
    "Comparisons": "fieldwise.model.comparison_list",
    "ConfigError": "fieldwise.model.diagnostic",
    "Diagnostic": "fieldwise.model.diagnostic",
    "Diff": "fieldwise.model.diff",
    "Plan": "fieldwise.model.plan",
    "Result": "fieldwise.model.result",
    "Run": "fieldwise.store.run",
    "RunNotFound": "fieldwise.store.run_names",
    "Summary": "fieldwise.model.summary",
    "check": "fieldwise.suite_check",
    "compare": "fieldwise.api",
    "diff": "fieldwise.api",
    "evaluate": "fieldwise.api",
    "feedback": "fieldwise.report.feedback",
    "match": "fieldwise.api",
    "open_run": "fieldwise.api",
    "route": "fieldwise.api",
    "rules_from": "fieldwise.api",
    "run": "fieldwise.api",
    "runs": "fieldwise.api",
}
"""The module that defines each public name."""


def __getattr__(name: str) -> "Any":
    """Import a public name when it is first used, so that `import fieldwise` costs next to nothing."""
    if name not in _MODULES:
        raise AttributeError(f"module 'fieldwise' has no attribute '{name}'")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_MODULES[name]), name)  # found without this function from now on
    return value


def __dir__() -> list[str]:
    """The public names, for completion; the others are internal."""
    return __all__
