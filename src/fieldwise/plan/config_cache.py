"""Plans of evaluator configurations, kept so that scoring one case after another compiles each configuration once."""

import marshal
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from fieldwise import registry
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.values import Json, encode_by_value
from fieldwise.plan.evaluators import plan_config

_MAX_PLANS: Final = 256


class _ReadsOutsideError(Exception):
    """The plan depends on more than the configuration."""


def plan_config_once(config: Mapping[str, Any], *, load: Callable[[str], Json]) -> PlannedEvaluator:
    """`plan_config`, with the plan of an equal configuration if there is one.

    This is safe because nothing but the key decides the plan: the configuration by value, and the state of the registry. The plan is
    compiled from a copy that is decoded from the key, so a later change of the caller's mapping cannot reach it. A configuration that
    names a file or a type to import is compiled again each time.
    """
    # `plan_config` says what is wrong with a value of another type
    encoded = encode_by_value(dict(config)) if isinstance(config, Mapping) else None  # pyright: ignore[reportUnnecessaryIsInstance]
    if encoded is None:
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
