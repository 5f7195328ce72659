"""A stored run: its summary is in memory, its results are read on demand."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Final

from fieldwise.model.case import Case
from fieldwise.model.change import Changes
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.locations import Location
from fieldwise.model.notebook_html import format_interval, render_table
from fieldwise.model.provenance import DataSource
from fieldwise.model.summary import FieldSummary, GateResult, Metric, Summary
from fieldwise.registry import cause_label
from fieldwise.store.arrow_tables import ArrowTable, encode_parquet
from fieldwise.store.checksums import load_sealed
from fieldwise.store.errors import StoreError, corrupt_file_error
from fieldwise.store.lock import is_locked
from fieldwise.store.manifest import Manifest, Part, read_manifest
from fieldwise.store.part_reader import (
    StoredResult,
    decode_case,
    find_case,
    list_part_files,
    read_flat_table,
    read_parts,
    read_results,
    read_scores_table,
    read_table,
)
from fieldwise.store.run_names import find_run, list_run_ids, read_tags, runs_folder
from fieldwise.store.stored_comparisons import ComparisonFilter, StoredComparisons

CHANGES_FILE: Final = "changes.json"


class Run:
    """A stored run, as returned by `fieldwise.run` and `fieldwise.open_run`."""

    def __init__(self, path: Location, manifest: Manifest, manifest_error: str = "") -> None:
        self.path = path
        """The run's folder."""
        self.manifest = manifest
        """Everything about the run except its cases and results."""
        self.manifest_error = manifest_error
        """Why its manifest cannot be read; empty if it can."""

    @property
    def id(self) -> str:
        """The id, such as `20261115-203801-4127f3a`."""
        return self.manifest.id

    @property
    def name(self) -> str:
        """The suite's name."""
        return self.manifest.name

    @property
    def label(self) -> str:
        """The name that the user gave to the run; empty if none was given."""
        return self.manifest.label

    @property
    def sources(self) -> tuple[DataSource, ...]:
        """Where the data came from: file, size, fingerprint of the content, mapping."""
        return self.manifest.sources

    @property
    def started(self) -> datetime:
        """When the run began."""
        return self.manifest.started

    @property
    def finished(self) -> datetime | None:
        """When the run finished; None if it did not."""
        return self.manifest.finished

    @property
    def state(self) -> str:
        """`finished` or `unfinished`; `invalid` if the data showed that the suite is wrong; `unreadable` if the manifest is."""
        if self.manifest_error:
            return "unreadable"
        if self.manifest.invalid:
            return "invalid"
        return "unfinished" if self.manifest.finished is None else "finished"

    @property
    def running(self) -> bool:
        """True if a process is writing the run now."""
        return self.manifest.finished is None and is_locked(self.path)

    @property
    def tags(self) -> tuple[str, ...]:
        """The run's tags."""
        return read_tags(self.path)

    @cached_property  # the manifest of an opened run is not read again
    def summary(self) -> dict[str, float]:
        """Every metric by its full name: `run.summary["field_prf.macro_f1"]`."""
        return self.manifest.summary.flatten()

    @property
    def full(self) -> Summary:
        """The summary with intervals, counts, fields and slices."""
        return self.manifest.summary

    @property
    def gates(self) -> tuple[GateResult, ...]:
        """The result of each gate."""
        return self.manifest.gates

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Problems and remarks of the run."""
        return self.manifest.diagnostics

    @property
    def exit_code(self) -> int | None:
        """The exit code of `fieldwise run`; None if the run did not finish."""
        return self.manifest.exit_code

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The complete parts, in the order of their cases."""
        parts = read_parts(self.path) if self.manifest.finished is None else self.manifest.parts
        return tuple(sorted(parts, key=lambda part: part.first))

    @property
    def evaluators(self) -> list[str]:
        """The names of the evaluators."""
        return [str(evaluator["name"]) for evaluator in self.manifest.evaluators]

    def results(self, evaluator: str | None = None, case: str | None = None) -> Iterator[StoredResult]:
        """The results, optionally of one evaluator or one case, in the order of the cases."""
        evaluators = self._evaluator_names(evaluator)
        if case is None:
            for part in self.parts:
                yield from read_results(self.path, part, evaluators, None)
            return
        part, position = self._find_case(case)
        yield from read_results(self.path, part, evaluators, position)

    def result_texts(self) -> Iterator[bytes]:
        """Every result as the text of a JSON object, as in `--output x.jsonl`, in the order of the cases. Faster than `results`."""
        from fieldwise.store.result_text import iterate_result_texts

        return iterate_result_texts(self.path, self.parts, self.evaluators)

    def results_at(self, positions: Sequence[int], evaluator: str | None = None) -> Iterator[StoredResult]:
        """The results of the cases at these positions of the run, in the order of the cases; reads only the row groups that hold them."""
        evaluators = self._evaluator_names(evaluator)
        for part in self.parts:
            in_part = sorted({position for position in positions if part.first <= position < part.first + part.cases})
            if in_part:
                yield from read_results(self.path, part, evaluators, in_part)

    def scores(self, evaluator: str) -> ArrowTable:
        """A pyarrow table with one row for each case of an evaluator: its position `case`, id, score, verdict, status, fault."""
        [name] = self._evaluator_names(evaluator)
        return read_scores_table(self.path, self.parts, name)

    def case(self, id: str) -> Case:
        """The case with this id; KeyError if there is none."""
        part, position = self._find_case(id)
        [file] = list_part_files(part, "cases")
        return decode_case(read_table(self.path, file, case=position).to_pylist()[0])

    def fields(self, evaluator: str | None = None) -> list[FieldSummary]:
        """The summary of each field, for one evaluator or for all that compare fields."""
        fields: list[FieldSummary] = []
        for name in self._evaluator_names(evaluator):
            if name in self.full.evaluators:
                fields += self.full.evaluators[name].fields
        return fields

    def comparisons(
        self, *, evaluator: str | None = None, field: str | None = None, cause: str | None = None, case: str | None = None
    ) -> StoredComparisons:
        """Every comparison of the run, optionally of one evaluator, field, cause or case. Iterate over them, or call `.to_pandas()`."""
        chosen = ComparisonFilter(field=field, cause=cause, case=case)
        return StoredComparisons(self.path, self.parts, self._evaluator_names(evaluator), chosen)

    def mismatches(
        self, *, evaluator: str | None = None, field: str | None = None, cause: str | None = None, case: str | None = None
    ) -> StoredComparisons:
        """Every comparison that did not pass, with expected, actual and cause: `run.mismatches(field="total").to_pandas()`."""
        chosen = ComparisonFilter(mismatches_only=True, field=field, cause=cause, case=case)
        return StoredComparisons(self.path, self.parts, self._evaluator_names(evaluator), chosen)

    @cached_property
    def changes(self) -> Changes | None:
        """The changes since the baseline that the run was compared with; None if there was none."""
        file = self.path / CHANGES_FILE
        if not file.is_file():
            return None
        try:
            return Changes.from_json(load_sealed(file.read_bytes()))
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise corrupt_file_error(file, error) from error

    def sql(self, query: str, parameters: Sequence[Any] = ()) -> ArrowTable:
        """Run a SELECT over the tables `cases`, `results` and `comparisons` and return a pyarrow table; needs DuckDB.

        A query can read this run and nothing else. Each `?` in it is replaced by the next of the parameters.
        """
        from fieldwise.store.sql import query_run

        return query_run(self.path, self.parts, query, parameters)

    def to_arrow(self) -> ArrowTable:
        """A pyarrow table with one row for each case and evaluator."""
        return read_flat_table(self.path, self.parts, self.evaluators)

    def to_parquet(self) -> bytes:
        """`to_arrow` as the content of a Parquet file."""
        return encode_parquet(self.to_arrow())

    def to_pandas(self) -> Any:
        """`to_arrow` as a pandas DataFrame."""
        _import_package("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """`to_arrow` as a polars DataFrame."""
        return _import_package("polars").from_arrow(self.to_arrow())

    def _evaluator_names(self, evaluator: str | None) -> Sequence[str]:
        if evaluator is None:
            return self.evaluators
        if evaluator not in self.evaluators:
            raise KeyError(f"run {self.id} has no evaluator `{evaluator}`; it has {', '.join(self.evaluators)}")
        return [evaluator]

    def _find_case(self, case: str) -> tuple[Part, int]:
        part_and_position = find_case(self.path, self.parts, case)
        if part_and_position is None:
            raise KeyError(f"run {self.id} has no case `{case}`")
        return part_and_position

    def __repr__(self) -> str:
        return f"<Run {self.id} {self.name!r}: {self.full.cases} cases, {self.state}>"

    def _repr_html_(self) -> str:
        return render_run_html(self.manifest)


def _import_package(package: str) -> Any:
    from importlib import import_module

    try:
        return import_module(package)
    except ImportError as error:
        raise ImportError(f"to_{package}() needs {package}, which is not installed: pip install {package}") from error


def open_run(root: str | Path | None = None, which: str = "latest") -> Run:
    """Open the run with this id, prefix of an id or tag, by default the latest; RunNotFound if there is none."""
    return _open_folder(find_run(root, which))


def list_runs(root: str | Path | None = None) -> list[Run]:
    """All runs, newest first, finished or not; a run whose manifest cannot be read has only its id."""
    return [open_listed_run(runs_folder(root) / name) for name in reversed(list_run_ids(root))]


def open_listed_run(folder: Location) -> Run:
    """The run in this folder; if its manifest cannot be read, a run with the state `unreadable`."""
    try:
        return _open_folder(folder)
    except StoreError as error:
        return Run(folder, _placeholder_manifest(folder), str(error))


def _open_folder(folder: Location) -> Run:
    try:
        return Run(folder, read_manifest(folder) or _placeholder_manifest(folder))
    except ValueError as error:
        message = f"{error}\n  read it with that version, or delete it: fieldwise runs delete {folder.name}"
        raise StoreError(message) from error


def _placeholder_manifest(folder: Location) -> Manifest:
    """The manifest of a run without one, because it stopped right after its folder was created."""
    day, time, _ = folder.name.split("-")
    return Manifest(id=folder.name, name="", started=datetime.strptime(f"{day}{time}+0000", "%Y%m%d%H%M%S%z"))


def render_run_html(manifest: Manifest) -> str:
    """HTML for notebooks: a heading, the gates, every evaluator's metrics with their intervals, and its fields, worst first."""
    state = "unfinished" if manifest.finished is None else f"exit {manifest.exit_code}"
    head = f"<p><b>{escape(manifest.name)}</b> {escape(manifest.id)}: {manifest.summary.cases} cases, {state}</p>"
    gates = "".join(f"<li>{'passed' if gate.passed else 'failed'}: {escape(gate.message)}</li>" for gate in manifest.gates)
    metrics: list[tuple[str, ...]] = []
    fields: list[tuple[str, ...]] = []
    for evaluator in manifest.summary.evaluators.values():
        metrics += [(evaluator.name, name, *_format_metric(metric)) for name, metric in evaluator.metrics.items()]
        fields += [_field_cells(evaluator.name, field) for field in sorted(evaluator.fields, key=lambda field: field.score.value)]
    metric_table = render_table(("evaluator", "metric", "value", "95 % interval", "n"), metrics, len(metrics))
    titles = ("evaluator", "field", "rule", "score", "95 % interval", "matched", "likely causes")
    field_table = render_table(titles, fields, len(fields)) if fields else ""
    return head + (f"<ul>{gates}</ul>" if gates else "") + metric_table + field_table


def _format_metric(metric: Metric) -> tuple[str, str, str]:
    return f"{metric.value:.4g}", format_interval(metric.low, metric.high), str(metric.n)


def _field_cells(evaluator: str, field: FieldSummary) -> tuple[str, ...]:
    causes = ", ".join(f"{cause_label(cause)} {count}" for cause, count in field.causes)
    score, interval, _ = _format_metric(field.score)
    return evaluator, field.field, field.rule, score, interval, f"{field.matched} of {field.n}", causes
