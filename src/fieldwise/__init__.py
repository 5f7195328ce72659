"""Score what an AI system produced against what it should have produced, field by field."""

TYPE_CHECKING = False  # as in typing, which takes longer to import than all of this: long enough for a Ctrl-C to end in a traceback
if TYPE_CHECKING:
    from typing import Any

    from fieldwise.api import compare, diff, evaluate, match, run
    from fieldwise.model.comparison import Comparison
    from fieldwise.model.diagnostic import ConfigError, Diagnostic
    from fieldwise.model.result import Result

__version__ = "0.1.0"
__all__ = ["Comparison", "ConfigError", "Diagnostic", "Result", "__version__", "compare", "diff", "evaluate", "match", "run"]

_HOMES = {
    "Comparison": "fieldwise.model.comparison",
    "ConfigError": "fieldwise.model.diagnostic",
    "Diagnostic": "fieldwise.model.diagnostic",
    "Result": "fieldwise.model.result",
    "compare": "fieldwise.api",
    "diff": "fieldwise.api",
    "evaluate": "fieldwise.api",
    "match": "fieldwise.api",
    "run": "fieldwise.api",
}


def __getattr__(name: str) -> "Any":
    """Import a public name when it is first used, so that `import fieldwise` costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'fieldwise' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
