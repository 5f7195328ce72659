"""The saved configuration of response quality: field strategies, thresholds and weights, in files for version control.

`fieldwise.strategies.json` maps fields to strategies, and a suite may name it too. `fieldwise.quality.yaml` holds the rest.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, cast

import yaml

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.values import MISSING
from fieldwise.plan.evaluators import plan_config
from fieldwise.read.json_text import decode_json
from fieldwise.registry import nearest
from fieldwise.store.atomic import write_atomically

STRATEGIES_FILE: Final = "fieldwise.strategies.json"
QUALITY_FILE: Final = "fieldwise.quality.yaml"
STRATEGY_NAMES: Final = ("EXACT", "FUZZY", "SEMANTIC", "IGNORE")
THRESHOLDS: Final = {"fuzzy_threshold": 0.85, "semantic_threshold": 0.80}
WEIGHTS: Final = {"w_accuracy": 0.45, "w_completeness": 0.25, "w_hallucination": 0.15, "w_safety": 0.15}
TEXT_STRATEGIES: Final = ("SEMANTIC", "FUZZY", "EXACT")
OPTIONS: Final = (*THRESHOLDS, "default_text", "weights", "safety")
MAX_STRATEGIES: Final = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """A configuration as written; `check_configuration` validates it."""

    field_strategies: Any = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    """Thresholds, weights, `default_text` and `safety`, as far as they are set."""

    def to_evaluator(self) -> dict[str, Any]:
        """The configuration as an evaluator of a suite."""
        return {"type": "json_quality", "strategies": self.field_strategies, **self.options}

    def to_json(self) -> dict[str, Any]:
        """The configuration with the keys of the HTTP API and every default filled in."""
        weights = self.options.get("weights", {})
        return {
            "field_strategies": dict(self.field_strategies),
            **{name: self.options.get(name, default) for name, default in THRESHOLDS.items()},
            "default_text": self.options.get("default_text", TEXT_STRATEGIES[0]),
            "weights": {**WEIGHTS, **(weights if isinstance(weights, Mapping) else {})},
            **({"safety": self.options["safety"]} if self.options.get("safety") is not None else {}),
        }

    def override(self, options: Mapping[str, Any]) -> "Configuration":
        """A copy with the options of a request in place of the saved ones, option by option."""
        strategies = options.get("field_strategies")
        return Configuration(
            field_strategies=self.field_strategies if strategies is None else strategies,
            options={**self.options, **{name: options[name] for name in OPTIONS if options.get(name) is not None}},
        )


def make_configuration(options: Mapping[str, Any]) -> Configuration:
    """A configuration from the keys of the HTTP API."""
    return Configuration().override(options)


def check_configuration(configuration: Configuration) -> None:
    """Raise ConfigError with every problem, in the words of `fieldwise check`."""
    if not isinstance(configuration.field_strategies, Mapping):  # a suite may name a file here; a request may not
        what, fix = "`field_strategies` must be a mapping of fields to strategies", f'write {{"name": "{STRATEGY_NAMES[1]}"}}'
        raise ConfigError([Diagnostic(code="bad-option", what=what, fix=fix)])
    if len(configuration.field_strategies) > MAX_STRATEGIES:
        what = f"there are more than {MAX_STRATEGIES:,} field strategies"
        raise ConfigError([Diagnostic(code="too-many", what=what, fix="name fewer fields")])
    safety = configuration.options.get("safety")
    if isinstance(safety, Mapping) and isinstance(cast("Mapping[str, Any]", safety).get("words"), str):  # the name of a file, in a suite
        what, fix = "`safety.words` must be a list of words", 'write {"words": ["damn"]}'
        raise ConfigError([Diagnostic(code="bad-option", what=what, fix=fix)])
    plan_config(configuration.to_evaluator())
    weights = configuration.to_json()["weights"].values()
    if sum(weights) == 0:
        raise ConfigError([Diagnostic(code="no-weight", what="all weights are 0, so every score would be 0", fix="raise one")])


def find_problems(configuration: Configuration) -> tuple[Diagnostic, ...]:
    """Every problem of a configuration; empty if it is valid."""
    try:
        check_configuration(configuration)
    except ConfigError as error:
        return error.diagnostics
    return ()


def find_option_problems(options: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """Every problem of a configuration with the keys of the HTTP API, including unknown keys."""
    option_names = ("field_strategies", *OPTIONS)
    unknown: list[Diagnostic] = []
    for name in options:
        if name not in option_names:
            similar = nearest(name, option_names)
            fix = f"did you mean `{similar}`?" if similar else f"the options are {', '.join(option_names)}"
            unknown.append(Diagnostic(code="unknown-option", what=f"there is no option `{name}`", fix=fix))
    return (*unknown, *find_problems(make_configuration(options)))


def load_configuration(workspace: Path) -> Configuration:
    """Load the saved configuration, or the defaults if nothing was saved; ConfigError if the files are not valid."""
    strategies = _parse_strategies(_read_file(workspace / STRATEGIES_FILE), STRATEGIES_FILE)
    options = _parse_options(_read_file(workspace / QUALITY_FILE))
    configuration = Configuration(field_strategies=strategies, options=options)
    check_configuration(configuration)
    return configuration


def files_version(workspace: Path) -> str:
    """A hash of the files."""
    return sha256(b"\0".join(_read_file(workspace / name) or b"" for name in (STRATEGIES_FILE, QUALITY_FILE))).hexdigest()[:16]


def save_configuration(workspace: Path, configuration: Configuration) -> None:
    """Save a configuration; ConfigError, and nothing written, if it is not valid."""
    check_configuration(configuration)
    options = {name: value for name, value in configuration.to_json().items() if name != "field_strategies"}
    comment = f"# Thresholds and weights of response quality. Field strategies are in {STRATEGIES_FILE}.\n"
    _write_file(workspace / STRATEGIES_FILE, strategies_text(configuration))
    _write_file(workspace / QUALITY_FILE, comment + yaml.safe_dump(options, sort_keys=False))


def strategies_text(configuration: Configuration) -> str:
    """The content of the strategies file."""
    return json.dumps(dict(configuration.field_strategies), indent=2, ensure_ascii=False) + "\n"


def parse_strategies_file(content: bytes) -> dict[str, Any]:
    """Parse the content of a strategies file; ConfigError if it is not valid."""
    strategies = _parse_strategies(content, "the file")
    check_configuration(Configuration(field_strategies=strategies))
    return strategies


def _read_file(path: Path) -> bytes | None:
    """Read a file; None if it does not exist."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        what = f"the file cannot be read: {error.strerror}"
        raise ConfigError([Diagnostic(code="unreadable-file", what=what, where=Where(file=path.name))]) from error


def _parse_strategies(content: bytes | None, file_name: str) -> dict[str, Any]:
    if content is None:
        return {}
    decoded = decode_json(content)
    where = Where(file=file_name)
    problems = [
        Diagnostic(code=diagnostic.code, what=diagnostic.what, fix=diagnostic.fix, where=where) for diagnostic in decoded.diagnostics
    ]
    if problems or decoded.value is MISSING:
        raise ConfigError(problems)
    if not isinstance(decoded.value, dict):
        what, fix = "field strategies must be a JSON object", 'write {"customer_name": "FUZZY"}'
        raise ConfigError([Diagnostic(code="bad-strategies", what=what, where=where, fix=fix)])
    return decoded.value


def _parse_options(content: bytes | None) -> dict[str, Any]:
    where = Where(file=QUALITY_FILE)
    try:
        options: Any = yaml.safe_load(content or b"") or {}
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ConfigError([Diagnostic(code="bad-yaml", what=f"the file is not valid YAML: {reason}", where=where)]) from error
    if not isinstance(options, dict):
        raise ConfigError([Diagnostic(code="bad-options", what="it must be a mapping", where=where, fix="delete or restore it")])
    unknown = [str(name) for name in options if name not in OPTIONS]
    if unknown:
        raise ConfigError([Diagnostic(code="unknown-option", what=f"there is no option `{name}`", where=where) for name in unknown])
    return options


def _write_file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, lambda temporary: _write_text(temporary, text))


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
