"""`fieldwise init`: write a starter suite."""

import glob
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldwise.cli._options import PATH, DocumentedCommand, argument
from fieldwise.cli._pairing import id_option, parse_columns, parse_ids, parse_renames, rename_option

if TYPE_CHECKING:
    from fieldwise.cli._starter import PairedSuite
    from fieldwise.model.diagnostic import Diagnostic
    from fieldwise.model.plan import IdColumns
    from fieldwise.read.pairing import Pairing

SCHEMA = "fieldwise.schema.json"
_CONFIDENCE_NAMES = frozenset(("confidence", "fieldconfidence", "confidencescore"))
"""Names of a record of confidences, without case, separators and a final s."""
_MAX_NAMED = 12
"""Number of fields that a line names."""


@click.command(cls=DocumentedCommand)
@argument("folder", type=PATH, default=Path(), help="The folder to write to.")
@click.option("--cases", metavar="FILE", type=PATH, help="Infer the suite from these cases.")
@click.option("--expected", metavar="FILE", type=PATH, help="Infer the suite from two files or folders: the expected side.")
@click.option("--actual", metavar="FILE", type=PATH, help="The actual side.")
@click.option(
    "--column",
    "columns",
    metavar="ROLE=NAME",
    multiple=True,
    help="The column of a role in --cases: id, input, expected, actual, contexts. Repeatable; an id may be several: id=doc,line.",
)
@id_option
@rename_option
@click.option("--schema", metavar="FILE", type=PATH, help="Take the rules from this JSON Schema.")
@click.option("--model", metavar="MODULE:CLASS", help="Take the rules from this class, such as a pydantic model.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
def init(
    folder: Path,
    cases: Path | None,
    expected: Path | None,
    actual: Path | None,
    columns: tuple[str, ...],
    id: str | None,
    renames: tuple[str, ...],
    schema: Path | None,
    model: str | None,
    force: bool,
) -> None:
    """Write a starter suite.

    With --expected and --actual, finds from the data how the two sides pair and which fields have other names, and says how many pair.
    Also writes a JSON Schema with which editors complete and validate the suite.
    """
    from fieldwise.cli._files import write_new_files
    from fieldwise.plan.schema import build_suite_schema

    rules = _read_rules(schema, model, folder)
    if (expected is not None or actual is not None) and not columns:
        files = _pair_sides(folder, cases, expected, actual, (id, renames), rules)
    elif id is not None or renames:
        raise click.BadParameter("--id and --rename need two files: --expected FILE --actual FILE", param_hint="--id / --rename")
    elif columns and cases is None:
        raise click.BadParameter("--column needs --cases FILE", param_hint="--column")
    else:
        files = _start_suite(
            folder, cases, parse_columns(columns), schema.name.split(".")[0] if schema else (model or "").rpartition(":")[2].lower(), rules
        )
    suite = next(iter(files))
    schema_file = folder / SCHEMA
    if force or not schema_file.exists():  # an existing schema is left alone and is no reason to refuse
        files[schema_file] = json.dumps(build_suite_schema(), indent=1, ensure_ascii=False) + "\n"
    for path in write_new_files(files, force=force):
        click.echo(f"wrote {path}")
    click.echo(f"\nnext: fieldwise check {suite}\n      fieldwise run {suite}")


def _read_rules(schema: Path | None, model: str | None, folder: Path) -> "list[dict[str, Any]] | None":
    from fieldwise import api
    from fieldwise.cli._files import require_file
    from fieldwise.plan.rules_from_types import import_type

    if schema is not None and model is not None:
        raise click.BadParameter("give either --schema or --model", param_hint="--schema / --model")
    if schema is not None:
        return api.rules_from(require_file(schema, "file"))
    return None if model is None else api.rules_from(import_type(model, [str(folder), ""]))


def _start_suite(
    folder: Path, cases: Path | None, columns: "dict[str, IdColumns]", name: str, rules: "list[dict[str, Any]] | None"
) -> dict[Path, str]:
    from fieldwise.cli._files import require_file
    from fieldwise.cli._starter import infer_suite, sample_files, suite_of_rules

    if cases is not None:
        file_name, content = infer_suite(require_file(cases, "file"), folder, columns, rules)
    elif rules is not None:
        file_name, content = suite_of_rules(name, rules)
    else:
        return sample_files(folder)
    return {folder / file_name: content}


def _pair_sides(
    folder: Path,
    cases: Path | None,
    expected: Path | None,
    actual: Path | None,
    mapping: tuple[str | None, tuple[str, ...]],
    rules: "list[dict[str, Any]] | None",
) -> dict[Path, str]:
    """The suite of two files, after a report of how they pair."""
    from fieldwise.cli._files import require_file
    from fieldwise.cli._starter import infer_coco_suite, infer_paired_suite
    from fieldwise.model.diagnostic import ConfigError
    from fieldwise.model.plan import Source
    from fieldwise.read.coco import looks_like_coco
    from fieldwise.read.pairing import propose_pairing

    if expected is None or actual is None or cases is not None:
        raise click.BadParameter("give --expected and --actual together, without --cases", param_hint="--expected / --actual")
    for side in (expected, actual):
        if not glob.has_magic(side.name):
            require_file(side, "file")
    ids, renames = parse_ids(mapping[0]), parse_renames(mapping[1])
    if ids is None and not renames and rules is None and looks_like_coco(Source(expected=str(expected), actual=str(actual))):
        suite, description = infer_coco_suite(expected, actual, folder)
        click.echo(description)
        return {folder / suite.file_name: suite.text}
    pairing = propose_pairing(str(expected), str(actual), ids=ids, renames=renames).with_renames()
    if not pairing.shares_ids:
        raise ConfigError([_describe_unshared_ids(pairing, actual)])
    if not pairing.has_common_fields and rules is None:
        raise ConfigError([_describe_different_fields(pairing, actual)])
    suite = infer_paired_suite(expected, actual, folder, pairing, rules)
    for line in replace(pairing, renames=()).describe(suite.paired, suite.records):
        click.echo(line)
    if rules is None:
        _report_missing_fields(pairing.list_missing_fields())
    _report_extra_fields(pairing.list_extra_fields())
    _report_equal_fields(pairing.equal_fields)
    _report_doubts(suite)
    return {folder / suite.file_name: suite.text}


def _report_doubts(suite: "PairedSuite") -> None:
    """Print that no row pairs, that no output holds a record, or why rows that are paired by number may not belong together."""
    if not suite.paired:
        click.echo("no row pairs: name the ids of both sides, --id EXPECTED=ACTUAL", err=True)
    if suite.texts:
        count = "the only actual value is text" if suite.texts == 1 else f"all {suite.texts:,} actual values are text"
        fix = "check that this is the file of the extracted records"
        click.echo(f"{count} without JSON, and records are expected: every field counts as missing; {fix}", err=True)
    for doubt in suite.doubts:
        click.echo(f"{doubt.what}; name what identifies the rows: --id EXPECTED=ACTUAL", err=True)


def _report_missing_fields(names: Sequence[str]) -> None:
    """Print the fields that no actual record has: each of them counts as an omission in every case."""
    from fieldwise.read.pairing import list_names

    if names:
        is_one = len(names) == 1
        count = (
            "one field is only in the expected file and counts"
            if is_one
            else f"{len(names)} fields are only in the expected file and count"
        )
        fix = "remove the rules of those that the system does not give; if one has another name there: --rename EXPECTED=ACTUAL"
        click.echo(f"{count} as missing in every case: {list_names(names, _MAX_NAMED)}; {fix}")


def _report_equal_fields(names: Sequence[str]) -> None:
    """Print the fields that never differ."""
    from fieldwise.read.pairing import list_names

    if names:
        fix = "if the system only repeats what it was given, remove the rules of these fields"
        click.echo(f"equal in every pair: {list_names(names, _MAX_NAMED)}; {fix}")


def _report_extra_fields(names: Sequence[str]) -> None:
    """Print the fields that only the actual file has, and how to use those that look like confidences."""
    from fieldwise.read.columns import fold_name

    if names:
        examples = ", ".join(f"`{name}`" for name in names[:4]) + (" …" if len(names) > 4 else "")
        count = "one field is" if len(names) == 1 else f"{len(names)} fields are"
        click.echo(f"{count} only in the actual file and not scored: {examples}")
    for name in names:
        if fold_name(name).removesuffix("s") in _CONFIDENCE_NAMES:
            click.echo(f"if `{name}` has the confidence of each field, add to the suite: `confidence: actual.{name}`")


def _describe_unshared_ids(pairing: "Pairing", actual: Path) -> "Diagnostic":
    from fieldwise.model.diagnostic import Diagnostic, Where

    what = f"no row pairs: {pairing.describe_ids()} has no value that both sides have"
    fix = "name the columns that identify the rows of each side: --id EXPECTED=ACTUAL"
    return Diagnostic(code="nothing-pairs", what=what, where=Where(file=str(actual)), fix=fix)


def _describe_different_fields(pairing: "Pairing", actual: Path) -> "Diagnostic":
    from fieldwise.model.diagnostic import Diagnostic, Where

    names = [", ".join(f"`{name}`" for name in fields[:4]) + (" …" if len(fields) > 4 else "") for fields in pairing.own_fields]
    what = f"no field in common: expected has {names[0]}, actual has {names[1]}"
    fix = "check that these are the two sides; if a field only has another name, say so: --rename EXPECTED=ACTUAL"
    if pairing.record_lists:
        fix = f"if the records are the list {' and '.join(pairing.record_lists)}, save that list as a file of its own; else {fix}"
    return Diagnostic(code="no-common-field", what=what, where=Where(file=str(actual)), fix=fix)
