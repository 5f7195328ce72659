"""Score the cases of an earlier run again, with their stored inputs, outputs and contexts: nothing is generated again."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from fieldwise.model.case import Case
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.locations import parse_location, resolve_root
from fieldwise.model.plan import Plan, Source
from fieldwise.model.values import MISSING
from fieldwise.store.atomic import write_atomically
from fieldwise.store.part_reader import decode_case, list_part_files, read_table
from fieldwise.store.run import Run, open_run
from fieldwise.store.run_names import RunNotFound
from fieldwise.store.stored_json import dump_json

RUN_PREFIX: Final = "run:"
"""`cases: run:latest` names an earlier run by id, prefix of an id, tag, or `latest`."""


def use_stored_cases(plan: Plan, root: str | Path | None) -> Plan:
    """The plan with the cases of the run that its source names, and a diagnostic about what those cases lack."""
    assert plan.source is not None
    name = (plan.source.cases or "").removeprefix(RUN_PREFIX)
    try:
        run = open_run(root, name)
    except RunNotFound as error:
        fix = "`fieldwise runs` lists them; write `cases: run:ID`, or a file"
        raise ConfigError([Diagnostic(code="no-run", what=str(error), where=Where(file=plan.file), fix=fix)]) from None
    if run.state == "invalid":
        what, fix = f"run {run.id} is invalid: it stored no cases", f"see its problems: `fieldwise runs show {run.id}`; or score a file"
        raise ConfigError([Diagnostic(code="invalid-run", what=what, where=Where(file=plan.file), fix=fix)])
    folder = parse_location(resolve_root(root)) / "recalled"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{run.id}.jsonl"
    missing_counts: dict[str, int] = {"actual": 0, "contexts": 0, "expected": 0}
    write_atomically(file, lambda path: _write_cases(path, run, missing_counts))
    notes = [_describe_cases(run, missing_counts)]
    if plan.source.corrections is not None:
        what = "the expected values are those of the stored run, so the corrections of the suite are not applied again"
        notes.append(Diagnostic(code="corrections-unused", what=what, level="warning", fix="score the data itself to apply new ones"))
    return replace(plan, source=Source(cases=str(file)), diagnostics=(*plan.diagnostics, *notes))


def _write_cases(path: Path, run: Run, missing_counts: dict[str, int]) -> None:
    """Write the cases as JSONL; counts in `missing_counts` how many lack each role."""
    with path.open("wb") as file:
        for case in _read_cases(run):
            row = _encode_case(case)
            for role in missing_counts:
                missing_counts[role] += role not in row
            file.write(dump_json(row) + b"\n")


def _read_cases(run: Run) -> Iterator[Case]:
    for part in run.manifest.parts:
        for file in list_part_files(part, "cases"):
            yield from (decode_case(row) for row in read_table(run.path, file).to_pylist())


def _encode_case(case: Case) -> dict[str, Any]:
    """The values of a case by role, without those that it lacks."""
    row: dict[str, Any] = {"id": case.id}
    nullable = {"input": case.input, "contexts": case.contexts, "split": case.split, "actuals": case.actuals}
    row |= {role: value for role, value in nullable.items() if value is not None}
    sides = {"expected": case.expected, "actual": case.actual}
    row |= {role: value for role, value in sides.items() if value is not MISSING}
    if case.metadata:
        row["metadata"] = case.metadata
    if case.tags:
        row["tags"] = list(case.tags)
    return row


def _describe_cases(run: Run, missing_counts: dict[str, int]) -> Diagnostic:
    role_names = {"actual": "output", "contexts": "contexts", "expected": "expected value"}
    missing = [f"{count} have no {role_names[role]}" for role, count in missing_counts.items() if count]
    what = f"the cases are those of run {run.id}, as they were: nothing is generated again; " + (", ".join(missing) or "nothing is missing")
    return Diagnostic(code="recalled", what=what, level="warning" if missing_counts["actual"] else "info", where=Where())
