"""The saved configuration of response quality: field strategies, thresholds and weights, in files that belong under version control.

`fieldwise.strategies.json` maps fields to strategies, and a suite may name it too. `fieldwise.quality.yaml` holds the rest.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import yaml

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.values import MISSING
from fieldwise.plan.evaluators import plan_config
from fieldwise.read.json_text import decode
from fieldwise.registry import nearest
from fieldwise.store.atomic import write_atomically

STRATEGIES: Final = "fieldwise.strategies.json"
QUALITY: Final = "fieldwise.quality.yaml"
NAMES: Final = ("EXACT", "FUZZY", "SEMANTIC", "IGNORE")
THRESHOLDS: Final = {"fuzzy_threshold": 0.85, "semantic_threshold": 0.80}
WEIGHTS: Final = {"w_accuracy": 0.45, "w_completeness": 0.25, "w_hallucination": 0.15, "w_safety": 0.15}
TEXTS: Final = ("SEMANTIC", "FUZZY", "EXACT")
OPTIONS: Final = (*THRESHOLDS, "default_text", "weights")
MOST: Final = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """What people chose. Nothing in it has been checked before `check` says so."""

    field_strategies: Any = field(default_factory=dict[str, Any])
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Thresholds, weights and `default_text`, those that are given."""

    def evaluator(self) -> dict[str, Any]:
        """It as an evaluator of a suite."""
        return {"type": "json_quality", "strategies": self.field_strategies, **self.options}

    def to_json(self) -> dict[str, Any]:
        """It in the words of the HTTP API, with every default written out."""
        weights = self.options.get("weights", {})
        return {
            "field_strategies": dict(self.field_strategies),
            **{name: self.options.get(name, default) for name, default in THRESHOLDS.items()},
            "default_text": self.options.get("default_text", TEXTS[0]),
            "weights": {**WEIGHTS, **(weights if isinstance(weights, Mapping) else {})},
        }

    def over(self, given: Mapping[str, Any]) -> "Configuration":
        """It with what a request gives in place of what was saved, option by option."""
        strategies = given.get("field_strategies")
        return Configuration(
            field_strategies=self.field_strategies if strategies is None else strategies,
            options={**self.options, **{name: given[name] for name in OPTIONS if given.get(name) is not None}},
        )


def configuration_of(given: Mapping[str, Any]) -> Configuration:
    """A configuration in the words of the HTTP API."""
    return Configuration().over(given)


def check(configuration: Configuration) -> None:
    """ConfigError with everything that is wrong with it, in the words of `fieldwise check`."""
    if not isinstance(configuration.field_strategies, Mapping):  # a suite may name a file here; a request may not
        what, fix = "`field_strategies` must be a mapping of fields to strategies", f'write {{"name": "{NAMES[1]}"}}'
        raise ConfigError([Diagnostic(code="bad-option", what=what, fix=fix)])
    if len(configuration.field_strategies) > MOST:
        raise ConfigError([Diagnostic(code="too-many", what=f"there are more than {MOST:,} field strategies", fix="name fewer")])
    plan_config(configuration.evaluator())
    weights = configuration.to_json()["weights"].values()
    if sum(weights) == 0:
        raise ConfigError([Diagnostic(code="no-weight", what="all weights are 0, so that every score would be 0", fix="raise one")])


def problems(configuration: Configuration) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with it; nothing if it can be used."""
    try:
        check(configuration)
    except ConfigError as error:
        return error.diagnostics
    return ()


def problems_of(given: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with a configuration in the words of the HTTP API."""
    known = ("field_strategies", *OPTIONS)
    unknown = [
        Diagnostic(
            code="unknown-option",
            what=f"there is no option `{name}`",
            fix=f"did you mean `{like}`?" if (like := nearest(name, known)) else f"the options are {', '.join(known)}",
        )
        for name in given
        if name not in known
    ]
    return (*unknown, *problems(configuration_of(given)))


def load(workspace: Path) -> Configuration:
    """The saved configuration, or the defaults where nothing was saved; ConfigError if what was saved cannot be used."""
    strategies = _strategies(_text(workspace / STRATEGIES), STRATEGIES)
    options = _options(_text(workspace / QUALITY))
    found = Configuration(field_strategies=strategies, options=options)
    check(found)
    return found


def version(workspace: Path) -> str:
    """What changes with every change of the files."""
    return sha256(b"\0".join(_text(workspace / name) or b"" for name in (STRATEGIES, QUALITY))).hexdigest()[:16]


def save(workspace: Path, configuration: Configuration) -> None:
    """Keep a configuration; ConfigError, and nothing written, if it cannot be used."""
    check(configuration)
    options = {name: value for name, value in configuration.to_json().items() if name != "field_strategies"}
    text = "# How response quality is measured: thresholds and weights. Field strategies are in " + STRATEGIES + ".\n"
    _write(workspace / STRATEGIES, strategies_text(configuration))
    _write(workspace / QUALITY, text + yaml.safe_dump(options, sort_keys=False))


def strategies_text(configuration: Configuration) -> str:
    """The field strategies as the file has them."""
    return json.dumps(dict(configuration.field_strategies), indent=2, ensure_ascii=False) + "\n"


def imported(content: bytes) -> dict[str, Any]:
    """Field strategies from the content of a file; ConfigError if it is none."""
    found = _strategies(content, "the file")
    check(Configuration(field_strategies=found))
    return found


def _text(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        what = f"it cannot be read: {error.strerror}"
        raise ConfigError([Diagnostic(code="unreadable-file", what=what, where=Where(file=path.name))]) from error


def _strategies(content: bytes | None, name: str) -> dict[str, Any]:
    if content is None:
        return {}
    found = decode(content)
    wrong = [Diagnostic(code=one.code, what=one.what, fix=one.fix, where=Where(file=name)) for one in found.diagnostics]
    if wrong or found.value is MISSING:
        raise ConfigError(wrong)
    if not isinstance(found.value, dict):
        what, fix = "field strategies must be a JSON object", 'write {"customer_name": "FUZZY"}'
        raise ConfigError([Diagnostic(code="bad-strategies", what=what, where=Where(file=name), fix=fix)])
    return found.value


def _options(content: bytes | None) -> dict[str, Any]:
    try:
        found: Any = yaml.safe_load(content or b"") or {}
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        what = f"it is not YAML: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
        raise ConfigError([Diagnostic(code="bad-yaml", what=what, where=Where(file=QUALITY))]) from error
    if not isinstance(found, dict):
        raise ConfigError(
            [Diagnostic(code="bad-options", what="it must be a mapping", where=Where(file=QUALITY), fix="delete or restore it")]
        )
    unknown = [str(name) for name in found if name not in OPTIONS]
    if unknown:
        told = [Diagnostic(code="unknown-option", what=f"there is no option `{name}`", where=Where(file=QUALITY)) for name in unknown]
        raise ConfigError(told)
    return found


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, lambda file: _put(file, text))


def _put(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
