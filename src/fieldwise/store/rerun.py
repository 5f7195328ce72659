"""The cases of an earlier run, to be scored again: questions, answers and contexts as they were, so that nothing is generated twice."""

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
"""`cases: run:latest` names an earlier run, by id, the beginning of an id, a tag, or `latest`."""


def use_stored_cases(plan: Plan, root: str | Path | None) -> Plan:
    """The plan with the cases of the run that its source names, and what they lack among its diagnostics."""
    assert plan.source is not None
    name = (plan.source.cases or "").removeprefix(RUN_PREFIX)
    try:
        run = open_run(root, name)
    except RunNotFound as error:
        fix = "`fieldwise runs` lists them; write `cases: run:ID`, or a file"
        raise ConfigError([Diagnostic(code="no-run", what=str(error), where=Where(file=plan.file), fix=fix)]) from None
    folder = parse_location(resolve_root(root)) / "recalled"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{run.id}.jsonl"
    lacking: dict[str, int] = {"actual": 0, "contexts": 0, "expected": 0}
    write_atomically(file, lambda path: _write_cases(path, run, lacking))
    return replace(plan, source=Source(cases=str(file)), diagnostics=(*plan.diagnostics, _describe_cases(run, lacking)))


def _write_cases(path: Path, run: Run, lacking: dict[str, int]) -> None:
    with path.open("wb") as file:
        for case in _read_cases(run):
            row = _encode_case(case)
            for part in lacking:
                lacking[part] += part not in row
            file.write(dump_json(row) + b"\n")


def _read_cases(run: Run) -> Iterator[Case]:
    for part in run.manifest.parts:
        for file in list_part_files(part, "cases"):
            yield from (decode_case(row) for row in read_table(run.path, file).to_pylist())


def _encode_case(case: Case) -> dict[str, Any]:
    """What there is of a case, by the names of its roles."""
    known = {"input": case.input, "contexts": case.contexts, "split": case.split, "actuals": case.actuals}
    sides = {"expected": case.expected, "actual": case.actual}
    return {
        "id": case.id,
        **{name: value for name, value in known.items() if value is not None},
        **{name: value for name, value in sides.items() if value is not MISSING},
        **({"metadata": case.metadata} if case.metadata else {}),
        **({"tags": list(case.tags)} if case.tags else {}),
    }


def _describe_cases(run: Run, lacking: dict[str, int]) -> Diagnostic:
    names = {"actual": "output", "contexts": "contexts", "expected": "expected value"}
    missing = [f"{count} have no {names[part]}" for part, count in lacking.items() if count]
    what = f"the cases are those of run {run.id}, as they were: nothing is generated again; " + (", ".join(missing) or "nothing is missing")
    return Diagnostic(code="recalled", what=what, level="warning" if lacking["actual"] else "info", where=Where())
