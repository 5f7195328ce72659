"""Acceptance policies: which values of an output need no review, and what is promised about them."""

from collections.abc import Mapping
from typing import Any, Final, cast

from fieldwise.dataclass import dataclass

POLICY_VERSION: Final = 1


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


def policy_from_json(content: Mapping[str, Any]) -> Policy:
    """Read what `Policy.to_json` wrote; KeyError, TypeError, ValueError or AttributeError if it is something else."""
    if content["version"] != POLICY_VERSION:
        raise ValueError(f"version {content['version']} instead of {POLICY_VERSION}")
    fields: dict[str, FieldPolicy] = {}
    for path, field in cast("Mapping[str, Mapping[str, Any]]", content["fields"]).items():
        threshold, bound = field["threshold"], field["bound"]
        fields[path] = FieldPolicy(
            threshold=None if threshold is None else float(threshold),
            n=int(field["n"]),
            accepted=int(field["accepted"]),
            bound=None if bound is None else float(bound),
        )
    made_from = {str(key): str(value) for key, value in content["made_from"].items()}
    return Policy(max_error=float(content["max_error"]), level=float(content["level"]), fields=fields, made_from=made_from)
