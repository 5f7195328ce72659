"""Values that must not be stored: their paths, and the keyed hash that replaces them."""

import json
import os
import re
from dataclasses import field, replace
from typing import Any, Final, cast

from fieldwise.dataclass import dataclass
from fieldwise.model.accepted_values import ANY
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.path import EACH, MalformedPath, Path, Step
from fieldwise.model.values import MISSING, Value

_HASH_LENGTH: Final = 8
PREFIX: Final = "redacted:"
_QUOTED: Final = re.compile(r'"[^\n]*|\d[\d.,]{3,}')
"""Values in a message: everything from the first quote on, which may not be closed where a value was cut, and long numbers."""
_CONFIDENCES: Final = frozenset(("confidence", "score"))
_ELLIPSIS: Final = '"\N{HORIZONTAL ELLIPSIS}"'


@dataclass(frozen=True, slots=True)
class Redaction:
    """The paths of a suite's `redact`, and a key that is made for each plan and never stored.

    Equal values have equal hashes within a run, and other hashes in another run.
    """

    paths: tuple[Path, ...]
    key: bytes = field(default_factory=lambda: os.urandom(16), repr=False)

    def hash_value(self, value: Any) -> Value:
        """The text that replaces a value; null and a missing value stay as they are."""
        if value is None or value is MISSING or (isinstance(value, str) and value.startswith(PREFIX)):
            return value
        import hmac  # 6 ms of the start-up time, and few suites redact

        text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
        return PREFIX + hmac.new(self.key, text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()[:_HASH_LENGTH]

    def redact_record(self, value: Value, at: tuple[Step, ...] = ()) -> Value:
        """A copy of a value with everything at the paths replaced; `at` is where the value is inside its record.

        >>> redaction = Redaction((Path.parse("items[*].iban"),))
        >>> redaction.redact_record({"items": [{"iban": None, "sku": 1}]})
        {'items': [{'iban': None, 'sku': 1}]}
        """
        for path in self.paths:
            value = self._replace(value, path.steps, at)
        return value

    def _replace(self, value: Any, steps: tuple[Step, ...], at: tuple[Step, ...]) -> Any:
        if not steps:
            return self.hash_value(value)
        if at:
            return self._replace(value, steps[1:], at[1:]) if _is_same_step(steps[0], at[0]) else value
        step, rest = steps[0], steps[1:]
        if isinstance(value, list):
            return [self._replace(item, rest, ()) if _is_same_step(step, place) else item for place, item in enumerate(value)]
        if isinstance(value, dict):
            name = str(step)
            members = {key: self._replace(item, rest, ()) if key == name else item for key, item in value.items()}
            return self._replace_inside(members, steps)
        return value

    def _replace_inside(self, members: dict[str, Any], steps: tuple[Step, ...]) -> dict[str, Any]:
        """The same below what a path does not name: several accepted values, and a value that has a confidence beside it."""
        if isinstance(members.get(ANY), list):
            members[ANY] = [self._replace(accepted, steps, ()) for accepted in members[ANY]]
        if "value" in members and not _CONFIDENCES.isdisjoint(members):
            members["value"] = self._replace(members["value"], steps, ())
        return members

    def redact_diagnostic(self, diagnostic: Diagnostic) -> Diagnostic:
        """A diagnostic without quoted values and numbers, if it may be about a redacted path: it names one, or no field at all."""
        field_name = diagnostic.where.field
        if field_name is not None and not self._touches(field_name):
            return diagnostic
        fix = None if diagnostic.fix is None else _QUOTED.sub(_ELLIPSIS, diagnostic.fix)
        return replace(diagnostic, what=_QUOTED.sub(_ELLIPSIS, diagnostic.what), fix=fix)

    def _touches(self, path: str) -> bool:
        """Whether a path of a rule is redacted, or contains something that is."""
        try:
            steps = Path.parse(path).steps
        except MalformedPath:
            return True
        return any(all(map(_is_same_step, pattern.steps, steps)) for pattern in self.paths)

    def covers(self, steps: tuple[Step, ...]) -> bool:
        """Whether a concrete path is redacted, or inside something that is."""
        return any(len(path.steps) <= len(steps) and all(map(_is_same_step, path.steps, steps)) for path in self.paths)


def _is_same_step(pattern: Step, step: Step) -> bool:
    """Whether a step of a path of `redact` stands for a step of a concrete path; an index stands for every item."""
    if pattern is EACH or isinstance(pattern, int):
        return isinstance(step, int) or step is EACH or str(step).lstrip("+-").isdigit()
    return str(pattern) == str(step)


def is_redacted(value: object) -> bool:
    """Whether a value, or one inside it, was replaced by its hash.

    >>> is_redacted({"iban": "redacted:5f0c2e7a"}), is_redacted(["DE12"])
    (True, False)
    """
    if isinstance(value, str):
        return value.startswith(PREFIX)
    if isinstance(value, dict):
        return any(map(is_redacted, cast("dict[str, object]", value).values()))
    return isinstance(value, list) and any(map(is_redacted, cast("list[object]", value)))
