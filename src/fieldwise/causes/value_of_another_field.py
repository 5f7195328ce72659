"""The right value of another field of the same record."""

import re

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import cause

LABEL = "value of another field"
ADVICE = "Two fields were confused: say in the schema how they differ, e.g. billing against shipping address."
SCREEN = "elsewhere"
_INDEX = re.compile(r"\[\d+\]")


@cause(rank=120, label=LABEL, advice=ADVICE, screens=SCREEN)
def value_of_another_field(_expected: Json, actual: Json, context: Context) -> bool:
    """Whether actual stands in expected at another field than this one."""
    own = _INDEX.sub("[*]", context.path)
    return any(_INDEX.sub("[*]", place) not in {own, context.field} for place in context.places_of(actual))
