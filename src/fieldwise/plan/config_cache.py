"""Plans of evaluator configurations, kept so that scoring one case after another compiles each configuration once."""

import marshal
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from fieldwise import registry
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.values import Json
from fieldwise.plan.evaluators import plan_config

_MAX_PLANS: Final = 256
_MARSHAL_VERSION: Final = 2
"""The last version whose bytes depend on values alone; later ones also encode which strings are the same object."""


class _ReadsOutsideError(Exception):
    """The plan depends on more than the configuration."""


def plan_config_once(config: Mapping[str, Any], *, load: Callable[[str], Json]) -> PlannedEvaluator:
    """`plan_config`, with the plan of an equal configuration if there is one.

    This is safe because nothing but the key decides the plan. The key is the configuration by value: marshal accepts built-in types only,
    tells 1, 1.0 and True apart, and keeps the order of keys. The plan is compiled from a copy that is decoded from the key, so a later
    change of the caller's mapping cannot reach it. A change of the registry is a new key. A configuration that names a file or a type to
    import is compiled again each time.
    """
    try:
        encoded = marshal.dumps(dict(config), _MARSHAL_VERSION)
    except ValueError:  # an object of another type
        return plan_config(config, load=load)
    try:
        return _plan_encoded(encoded, registry.MATCHERS.revision, registry.EVALUATORS.revision)
    except _ReadsOutsideError:
        return plan_config(config, load=load)


@lru_cache(maxsize=_MAX_PLANS)  # safe for the reasons given in `plan_config_once`
def _plan_encoded(encoded: bytes, *_revisions: int) -> PlannedEvaluator:
    return plan_config(marshal.loads(encoded), load=_refuse_path, resolve=_refuse_path)


def _refuse_path(path: str) -> Any:
    raise _ReadsOutsideError(path)
