"""Several accepted values in the place of one expected value: `{"$any": [1.5, "1.50", null]}`.

One field, scored against the accepted value that is most similar; null among them accepts absence. Without any value, as a dropped
correction leaves it, the field is left out of the score.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

ANY: Final = "$any"


def accepted_values(value: object) -> Sequence[Any] | None:
    """The values of `{"$any": [...]}`; None for any other value.

    >>> accepted_values({"$any": [1, None]}), accepted_values({"$any": 1}), accepted_values({"$any": [1], "b": 2})
    ([1, None], None, None)
    """
    if not isinstance(value, Mapping):
        return None
    mapping = cast("Mapping[str, Any]", value)
    if len(mapping) != 1 or ANY not in mapping:
        return None
    values = mapping[ANY]
    return values if isinstance(values, list | tuple) else None
