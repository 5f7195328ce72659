"""The manifest of a stored run: one JSON file, marked as finished when the run is."""

import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from fieldwise import __version__
from fieldwise.dataclass import dataclass
from fieldwise.installed_packages import find_version
from fieldwise.model.correction import AppliedCorrections
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.locations import Location
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.model.provenance import DataSource
from fieldwise.model.summary import Counts, EvaluatorSummary, FieldSummary, GateResult, Metric, Summary
from fieldwise.model.values import to_plain
from fieldwise.plan.written_rules import write_list_rules, write_rule
from fieldwise.registry import EVALUATORS
from fieldwise.store.atomic import write_atomically
from fieldwise.store.checksums import dump_sealed, is_sealed, load_sealed, sha256
from fieldwise.store.errors import corrupt_file_error
from fieldwise.store.fingerprints import fingerprint_data, fingerprint_rules
from fieldwise.store.provenance import describe_sources, sources_from_json

FORMAT: Final = 3
UNSEALED_FORMAT: Final = 2
"""The format of versions before 0.2, without checksums."""
MANIFEST_FILE: Final = "manifest.json"
INFERRED_RULES: Final = "inferred_rules"
"""Key of an evaluator's inferred rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFile:
    """One Parquet file of a part."""

    file: str
    """Its name in the folder `parts`."""
    table: str
    """`cases`, `results`, `comparisons`, `field_scores` or `pool`."""
    evaluators: tuple[str, ...] = ()
    """The evaluators it belongs to; several may share comparisons."""
    rows: int = 0
    """Number of rows."""
    bytes: int = 0
    """Size of the file."""
    checksum: str = ""
    """SHA-256 of the file; empty if it was stored by a version before 0.2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Consecutive cases of a run with their results."""

    number: int
    """Unique in the run."""
    first: int
    """Position of its first case in the run."""
    cases: int
    """Number of cases."""
    files: tuple[PartFile, ...]
    """Its tables."""
    content: str = ""
    """Fingerprint of its cases; resuming compares it with that of the current data."""
    expected: tuple[str, ...] = ()
    """Fingerprint of the expected values of each batch, for comparisons; empty if it was stored by a version before 0.2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Everything about a run except its cases and results."""

    id: str
    """The run's id."""
    name: str
    """The suite's name."""
    started: datetime
    """When the run began."""
    finished: datetime | None = None
    """When everything was written; None until then."""
    package: str = __version__
    """The version of fieldwise that wrote it."""
    label: str = ""
    """The name that the user gave to the run."""
    sources: tuple[DataSource, ...] = ()
    """Where the data came from."""
    suite_file: str | None = None
    """The suite's file name."""
    suite: str = ""
    """The suite's text."""
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    """Fingerprints of the suite and of the data files, by role."""
    evaluators: Sequence[Mapping[str, Any]] = ()
    """Type, version, name, weight, `pass_at` and fingerprint of the rules of each evaluator; its rules, if they were inferred."""
    parts: tuple[Part, ...] = ()
    """The parts of a finished run."""
    summary: Summary = field(default_factory=lambda: Summary(cases=0, evaluators={}))
    """The metrics of the run."""
    gates: tuple[GateResult, ...] = ()
    """The results of the gates."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Problems and remarks."""
    exit_code: int | None = None
    """The exit code of the run; None until it is finished."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Versions of Python, the platform and the libraries."""
    corrections: AppliedCorrections | None = None
    """The corrections of expected values that the run applied; None for none."""
    invalid: bool = False
    """True if the data showed that the suite is wrong: the run has problems, no results, and is never `latest` or a baseline."""

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict that `manifest_from_json` reads."""
        plain = {name: getattr(self, name) for name in _SCALAR_FIELDS}
        return {
            "format": FORMAT,
            **plain,
            "started": self.started.isoformat(),
            "finished": None if self.finished is None else self.finished.isoformat(),
            "label": self.label,
            "sources": [asdict(source) for source in self.sources],
            "fingerprints": dict(self.fingerprints),
            "evaluators": [dict(evaluator) for evaluator in self.evaluators],
            "parts": [asdict(part) for part in self.parts],
            "summary": summary_to_json(self.summary),
            "gates": [asdict(gate) for gate in self.gates],
            "diagnostics": [diagnostic.to_json() for diagnostic in self.diagnostics],
            "environment": dict(self.environment),
            **({"invalid": True} if self.invalid else {}),
            **({} if self.corrections is None else {"corrections": asdict(self.corrections)}),
        }


_SCALAR_FIELDS = ("id", "name", "package", "suite_file", "suite", "exit_code")


def manifest_from_json(value: Mapping[str, Any]) -> Manifest:
    """Read what `Manifest.to_json` wrote; ValueError for another format."""
    if value["format"] not in (FORMAT, UNSEALED_FORMAT):
        what = f"it is stored in format {value['format']}, and this is fieldwise {__version__}, which reads format {FORMAT}"
        raise ValueError(f"run {value['id']}: {what}")
    return Manifest(
        **{name: value[name] for name in (*_SCALAR_FIELDS, "fingerprints", "evaluators", "environment")},
        label=value.get("label", ""),
        sources=sources_from_json(value.get("sources", ())),
        started=datetime.fromisoformat(value["started"]),
        finished=None if value["finished"] is None else datetime.fromisoformat(value["finished"]),
        parts=tuple(part_from_json(part) for part in value["parts"]),
        summary=summary_from_json(value["summary"]),
        gates=tuple(gate_from_json(gate) for gate in value["gates"]),
        diagnostics=tuple(diagnostic_from_json(diagnostic) for diagnostic in value["diagnostics"]),
        invalid=value.get("invalid", False),
        corrections=AppliedCorrections(**value["corrections"]) if value.get("corrections") else None,
    )


def part_from_json(value: Mapping[str, Any]) -> Part:
    """Read a part that was written with `asdict`."""
    files = tuple(PartFile(**(file | {"evaluators": tuple(file["evaluators"])})) for file in value["files"])
    content, expected = value.get("content", ""), tuple(value.get("expected", ()))
    return Part(number=value["number"], first=value["first"], cases=value["cases"], files=files, content=content, expected=expected)


def new_manifest(run_id: str, plan: Plan, fingerprints: Mapping[str, str], started: datetime) -> Manifest:
    """The manifest of a run that begins now."""
    data_fingerprints = fingerprint_data(plan.source)
    return Manifest(
        id=run_id,
        name=plan.name,
        started=started,
        suite_file=plan.file,
        suite=plan.text,
        label=plan.label,
        sources=describe_sources(plan.source, data_fingerprints),
        fingerprints={"suite": sha256(plan.text.encode()), **data_fingerprints, **_describe_confidence(plan), **fingerprints},
        evaluators=[_describe_evaluator(planned) for planned in plan.evaluators],
        environment=describe_environment(),
    )


def _describe_confidence(plan: Plan) -> dict[str, str]:
    return {"confidence": plan.confidence} if plan.confidence else {}


def _describe_evaluator(planned: PlannedEvaluator) -> dict[str, Any]:
    try:
        spec = EVALUATORS.find(planned.type)
    except KeyError:  # an evaluator that is not registered
        spec = None
    has_own_rules = spec is not None and "fields" in spec.recomputes  # a composite has those of its members
    return {
        "type": planned.type,
        "version": None if spec is None else spec.version,
        "name": planned.name,
        "weight": planned.weight,
        "pass_at": planned.pass_at,
        "rules": fingerprint_rules(planned),
        **({INFERRED_RULES: describe_inferred_rules(planned)} if planned.has_inferred_rules and has_own_rules else {}),
    }


def describe_inferred_rules(planned: PlannedEvaluator) -> dict[str, Any]:
    """The rules of an evaluator as a suite would write them."""
    config: Any = planned.config
    return {"fields": [write_rule(rule) for rule in config.fields], "lists": write_list_rules(config.lists)}


def write_manifest(folder: Location, manifest: Manifest) -> None:
    """Write the manifest atomically."""
    write_atomically(folder / MANIFEST_FILE, lambda path: _write_bytes(path, dump_sealed(manifest.to_json())))


def _write_bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def read_manifest(folder: Location) -> Manifest | None:
    """The manifest of the run in this folder; None if the run stopped before it had one. StoreError if it is corrupt."""
    path = folder / MANIFEST_FILE
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise corrupt_file_error(path, error) from error
    try:
        content = load_sealed(text)
        if content["format"] == FORMAT and not is_sealed(text):
            raise ValueError("it has no checksum")
    except (ValueError, KeyError, RecursionError) as error:
        raise corrupt_file_error(path, error) from error
    try:
        return manifest_from_json(content)
    except (LookupError, TypeError, AttributeError) as error:
        raise corrupt_file_error(path, error) from error


def describe_environment() -> dict[str, str]:
    """Versions of Python, the platform and the libraries that can affect results."""
    environment = {"python": sys.version.split()[0], "platform": _describe_platform(), "machine": platform.machine()}
    return environment | _library_versions()


def _describe_platform() -> str:
    """What `platform.platform(terse=True)` returns; on Linux without the name of the processor, for which it would start a program."""
    if platform.system() != "Linux":
        return platform.platform(terse=True)
    return "-".join(("Linux", platform.release(), platform.machine(), "with", "".join(platform.libc_ver())))


def _library_versions() -> dict[str, str]:
    versions = {package: find_version(package) for package in ("numpy", "rapidfuzz", "scipy", "orjson", "pyarrow")}
    return {package: version for package, version in versions.items() if version is not None}


def utc_now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)


def summary_to_json(summary: Summary) -> dict[str, Any]:
    """A JSON-serializable dict that `summary_from_json` reads."""
    return to_plain(summary)


def summary_from_json(value: Mapping[str, Any]) -> Summary:
    """Read what `summary_to_json` wrote."""
    return Summary(
        cases=value["cases"],
        evaluators={name: _evaluator_summary(evaluator) for name, evaluator in value["evaluators"].items()},
        groups=value.get("groups"),
    )


def _evaluator_summary(value: Mapping[str, Any]) -> EvaluatorSummary:
    return EvaluatorSummary(
        name=value["name"],
        type=value["type"],
        counts=Counts(**value["counts"]),
        metrics=_metrics_from_json(value["metrics"]),
        fields=tuple(_field_summary(field) for field in value["fields"]),
        worst=tuple((name, score) for name, score in value["worst"]),
        flags=value["flags"],
        unscored=value.get("unscored", {}),
        slices={name: _metrics_from_json(metrics) for name, metrics in value["slices"].items()},
    )


def _metrics_from_json(value: Mapping[str, Any]) -> dict[str, Metric]:
    return {name: Metric(**metric) for name, metric in value.items()}


def _field_summary(value: Mapping[str, Any]) -> FieldSummary:
    content: dict[str, Any] = dict(value)
    content["score"] = Metric(**value["score"])
    content["causes"] = tuple((name, count) for name, count in value["causes"])
    content["worst"] = tuple(value["worst"])
    return FieldSummary(**content)


def gate_from_json(value: Mapping[str, Any]) -> GateResult:
    """Read a gate's result that was written with `asdict`."""
    return GateResult(**value)


def diagnostic_from_json(value: Mapping[str, Any]) -> Diagnostic:
    """Read a diagnostic that was written with `to_json`."""
    where = Where(file=value.get("file"), line=value.get("line"), case=value.get("case"), field=value.get("field"))
    return Diagnostic(code=value["code"], what=value["what"], where=where, fix=value.get("fix"), level=value["level"])
