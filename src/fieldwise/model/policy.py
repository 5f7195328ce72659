"""Acceptance policies: which values of an output need no review, and what is promised about them."""

from collections.abc import Mapping
from typing import Any, Final, cast

from fieldwise.dataclass import dataclass

POLICY_VERSION: Final = 1
MIN_LEVEL: Final = 0.5
"""Smallest probability with which all bounds of a policy hold together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldPolicy:
    """What is accepted of one field."""

    threshold: float | None
    """Values of at least this confidence are accepted; None if no cut-off does it."""
    n: int
    """Number of values of the field in the run."""
    accepted: int
    """Number of values that the policy accepts."""
    bound: float | None
    """Upper bound on the error among accepted values; None if no cut-off does it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Which values need no review, and what is promised about them."""

    max_error: float
    level: float
    fields: Mapping[str, FieldPolicy]
    made_from: Mapping[str, str]
    """`run`: its id; `suite`: its name; `data`: a fingerprint of the data."""
    version: int = POLICY_VERSION

    @property
    def accepts_nothing(self) -> bool:
        """True if no cut-off does it for any field."""
        return all(field.threshold is None for field in self.fields.values())

    def to_json(self) -> dict[str, Any]:
        """The content of `policy.json`."""
        fields = {
            path: {"threshold": field.threshold, "n": field.n, "accepted": field.accepted, "bound": field.bound}
            for path, field in self.fields.items()
        }
        return {
            "version": self.version,
            "max_error": self.max_error,
            "level": self.level,
            "fields": fields,
            "made_from": dict(self.made_from),
        }


class MalformedPolicy(ValueError):
    """Content that is no policy; the text names the key."""


def policy_from_json(content: object) -> Policy:
    """Read what `Policy.to_json` wrote; MalformedPolicy if it is something else, or a number is out of its range."""
    version = _read_key(content, "version", "")
    if version != POLICY_VERSION:
        raise MalformedPolicy(f"version {version!r} instead of {POLICY_VERSION}")
    fields = {
        path: _field_from_json(field, f"fields.{path}.") for path, field in _read_object(_read_key(content, "fields", ""), "fields").items()
    }
    made_from = _read_object(_read_key(content, "made_from", ""), "made_from")
    max_error, level = _read_number(content, "max_error", ""), _read_number(content, "level", "")
    if not 0 < max_error < 1:
        raise MalformedPolicy(f"`max_error` must be between 0 and 1, not {max_error:g}")
    if not MIN_LEVEL <= level < 1:
        raise MalformedPolicy(f"`level` must be at least {MIN_LEVEL} and below 1, not {level:g}")
    return Policy(max_error=max_error, level=level, fields=fields, made_from={key: str(value) for key, value in made_from.items()})


def _field_from_json(content: object, place: str) -> FieldPolicy:
    n, accepted = _read_count(content, "n", place), _read_count(content, "accepted", place)
    if accepted > n:
        raise MalformedPolicy(f"`{place}accepted` is {accepted}, more than the {n} values of the field")
    threshold, bound = _read_share(content, "threshold", place), _read_share(content, "bound", place)
    return FieldPolicy(threshold=threshold, n=n, accepted=accepted, bound=bound)


def _read_object(value: object, place: str) -> dict[str, object]:
    if not isinstance(value, Mapping):
        raise MalformedPolicy(f"`{place}` must be an object")
    return {str(key): item for key, item in cast("Mapping[object, object]", value).items()}


def _read_key(content: object, key: str, place: str) -> object:
    members = _read_object(content, place.removesuffix(".") or "policy")
    if key not in members:
        raise MalformedPolicy(f"`{place}{key}` is missing")
    return members[key]


def _read_number(content: object, key: str, place: str) -> float:
    value = _read_key(content, key, place)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MalformedPolicy(f"`{place}{key}` must be a number, not {value!r}")
    return float(value)


def _read_count(content: object, key: str, place: str) -> int:
    number = _read_number(content, key, place)
    if not (number >= 0 and number.is_integer()):
        raise MalformedPolicy(f"`{place}{key}` must be a number of values, not {number:g}")
    return int(number)


def _read_share(content: object, key: str, place: str) -> float | None:
    """A number from 0 to 1; None for null."""
    if _read_key(content, key, place) is None:
        return None
    number = _read_number(content, key, place)
    if not 0 <= number <= 1:
        raise MalformedPolicy(f"`{place}{key}` must be null or from 0 to 1, not {number:g}")
    return number
