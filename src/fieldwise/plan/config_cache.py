"""Plans of evaluator configurations, kept so that scoring one case or suite after another compiles each configuration once."""

import marshal
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from fieldwise import registry
from fieldwise.model.plan import Document, KeyPath, PlannedEvaluator
from fieldwise.model.values import Json, encode_by_value
from fieldwise.plan.evaluators import OPTION_READERS, apply_default_when, plan_config, plan_evaluator, read_evaluator
from fieldwise.plan.review import Invalid, Review

_MAX_PLANS: Final = 256
_MAX_SUITE_PLANS: Final = 32
"""Suites may have thousands of rules."""


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


def plan_evaluator_once(review: Review, place: KeyPath) -> PlannedEvaluator | Invalid:
    """`plan_evaluator`, with the plan of an equal evaluator of any suite if that had neither problems nor remarks.

    This is safe for the reasons given in `plan_config_once`; a composite, whose members may be other evaluators of the suite, is compiled
    each time.
    """
    written = review.document.value
    for step in place:
        written = written[step]
    encoded = encode_by_value(written)
    if encoded is not None and isinstance(written, dict) and "evaluators" not in written:
        planned = _plan_without_remarks(encoded, registry.MATCHERS.revision, registry.EVALUATORS.revision)
        if planned is not None:
            return planned
    return plan_evaluator(review, place)


@lru_cache(maxsize=_MAX_SUITE_PLANS)  # safe for the reasons given in `plan_evaluator_once`
def _plan_without_remarks(encoded: bytes, *_revisions: int) -> PlannedEvaluator | None:
    written = marshal.loads(encoded)
    review = Review(document=Document(value=written), load=_refuse_path, resolve=_refuse_path, readers=OPTION_READERS)
    try:
        planned = apply_default_when(read_evaluator(review, written, ()))
    except _ReadsOutsideError:
        return None
    return None if isinstance(planned, Invalid) or review.diagnostics else planned


def _refuse_path(path: str) -> Any:
    raise _ReadsOutsideError(path)
