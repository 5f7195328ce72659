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
    return cast("Sequence[Any]", values) if isinstance(values, list | tuple) else None


def resolve_inner_choices(expected: Any, actual: Any) -> Any:
    """A list or an object without the choices inside it, for a match that compares it as a whole: the value that actual has there if it
    is accepted, else the first accepted one; what actual has where no value is accepted.

    >>> resolve_inner_choices([{"$any": [1, 2]}, {"a": {"$any": []}}], [2, {"a": 5}])
    [2, {'a': 5}]
    """
    values = accepted_values(expected)
    if values is not None:
        resolved = [resolve_inner_choices(value, actual) for value in values]
        return next((value for value in resolved if value == actual), resolved[0]) if resolved else actual
    if isinstance(expected, dict):
        members = cast("dict[str, Any]", expected)
        others: dict[str, Any] = cast("dict[str, Any]", actual) if isinstance(actual, dict) else {}
        return {key: resolve_inner_choices(value, others.get(key)) for key, value in members.items()}
    if isinstance(expected, list | tuple):
        items, other_items = cast("Sequence[Any]", expected), cast("Sequence[Any]", actual) if isinstance(actual, list | tuple) else ()
        return [resolve_inner_choices(value, other_items[at] if at < len(other_items) else None) for at, value in enumerate(items)]
    return expected


def has_empty_choice(value: object) -> bool:
    """True if a value is, or has anywhere inside, `{"$any": []}`, which accepts nothing.

    >>> has_empty_choice({"a": [{"$any": []}]}), has_empty_choice({"a": {"$any": [1]}})
    (True, False)
    """
    values = accepted_values(value)
    if values is not None and not values:
        return True
    if isinstance(value, Mapping):
        return any(has_empty_choice(inner) for inner in cast("Mapping[str, Any]", value).values())
    return isinstance(value, list | tuple) and any(has_empty_choice(inner) for inner in cast("Sequence[Any]", value))


def list_accepted(value: object) -> Sequence[Any]:
    """The accepted values; the value itself if it is the only one.

    >>> list_accepted({"$any": [1, None]}), list_accepted(1)
    ([1, None], [1])
    """
    values = accepted_values(value)
    return [value] if values is None else values
