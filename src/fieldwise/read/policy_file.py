"""Read a policy: a file of `fieldwise policy`, or its content."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.policy import MalformedPolicy, Policy, policy_from_json


def load_policy(source: "Policy | Mapping[str, Any] | str | Path") -> Policy:
    """A policy from `policy.json`, its content, or an object; ConfigError if it is none."""
    if isinstance(source, Policy):
        return source
    file: str | None = None
    content: Any = source
    if isinstance(source, str | Path):
        file = str(source)
        try:
            content = json.loads(Path(source).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise _policy_error(f"there is no policy {file}", file, "make one: fieldwise policy RUN -o policy.json") from None
        except (OSError, ValueError, RecursionError) as error:
            raise _policy_error(f"the policy cannot be read: {error}", file, "it must be a JSON file of `fieldwise policy`") from None
    try:
        return policy_from_json(content)
    except (MalformedPolicy, OverflowError) as error:
        raise _policy_error(f"this is no policy: {error}", file, "make a new one: fieldwise policy RUN -o policy.json") from None


def _policy_error(what: str, file: str | None, fix: str) -> ConfigError:
    return ConfigError([Diagnostic(code="bad-policy", what=what, where=Where(file=file), fix=fix)])
