"""`fieldwise diff`: compare two files or folders without a suite."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from fieldwise.cli._options import PATH, DocumentedCommand, TextFormat, argument, program_of, show_all_option, text_format_option
from fieldwise.cli._pairing import id_option, parse_ids, parse_renames, rename_option

if TYPE_CHECKING:
    from fieldwise.model.diagnostic import Diagnostic
    from fieldwise.model.diff import Diff
    from fieldwise.read.pairing import IdsOfRows


@click.command(cls=DocumentedCommand)
@argument("expected", type=PATH, help="The expected records: JSON, JSONL, CSV, Parquet, or a folder of JSON files.")
@argument("actual", type=PATH, help="The actual records.")
@id_option
@rename_option
@text_format_option
@show_all_option
@click.pass_context
def diff(
    context: click.Context, expected: Path, actual: Path, id: str | None, renames: tuple[str, ...], form: TextFormat, show_all: bool
) -> None:
    """Explain the differences between two files or folders.

    Rows are paired by --id, else by columns that identify them on both sides; the report begins with how many pair.
    Rules are inferred from the values of both sides. Exit 0 if nothing differs, 1 if something does.
    """
    from fieldwise.cli._exits import CONFIG
    from fieldwise.cli._files import require_file
    from fieldwise.model.diagnostic import ConfigError

    compared = _compare_paths(require_file(expected, "file"), require_file(actual, "file"), parse_ids(id), parse_renames(renames))
    difference = _with_repairs(compared)
    unused_renames = [note for note in difference.diagnostics if note.code == "unused-rename"]
    if unused_renames or _has_repeated_ids(difference):
        raise ConfigError(unused_renames or [_describe_repeated_ids(difference, actual)])
    if form == "json":
        from fieldwise.report.diff_view import render_diff_json

        click.echo(render_diff_json(difference))
    else:
        from fieldwise.cli._console import display_options, print_page
        from fieldwise.report.diff_view import build_diff_report

        print_page(build_diff_report(difference, display_options(form, program_of(context), show_all=show_all)), form)
    any_scored = any(result.status == "scored" for result in difference.results.values())
    if not any_scored and (difference.problems or not difference.differences):
        if difference.results and not difference.problems:
            files = _write_side_options(expected, actual)
            click.echo(f"only records are compared here; for plain text, write a suite: fieldwise init {files}", err=True)
        context.exit(CONFIG)  # no record could be read or paired
    context.exit(0 if difference.same else 1)


def _write_side_options(expected: Path, actual: Path) -> str:
    return f"--expected {shlex.quote(str(expected))} --actual {shlex.quote(str(actual))}"


def _has_repeated_ids(difference: "Diff") -> bool:
    return any(note.code == "duplicate-id" for note in difference.diagnostics)


def _describe_repeated_ids(difference: "Diff", actual: Path) -> "Diagnostic":
    """One diagnostic for all rows with the id of an earlier one: rows of one id cannot be told apart, so that nothing is compared."""
    from fieldwise.model.diagnostic import Diagnostic, Where

    repeated = [note for note in difference.diagnostics if note.code == "duplicate-id"]
    where = repeated[0].where if repeated[0].where.file else Where(file=str(actual))
    joint = [line for line in difference.pairing if "together identify the rows" in line]
    fix = joint[0] if joint else "name another column, --id EXPECTED=ACTUAL, or give each row its own id"
    return Diagnostic(code="duplicate-id", what=f"rows have the same id: {repeated[0].what}", where=where, fix=fix)


def _compare_paths(expected: Path, actual: Path, ids: "IdsOfRows | None", renames: dict[str, str]) -> "Diff":
    from fieldwise import api
    from fieldwise.read.files import get_data_suffix
    from fieldwise.read.imported_files import recognize_format
    from fieldwise.read.table_files import load_json

    _refuse_coco_files(expected, actual)
    json_files = [path.is_file() and get_data_suffix(path) == ".json" for path in (expected, actual)]
    if all(json_files) and ids is None and not renames:
        values = load_json(expected), _load_prediction(actual)
        is_imported = any(recognize_format(value) is not None for value in values)
        are_tables = all(map(_is_table, values))
        if not is_imported and not (_have_ids(expected, actual) if are_tables else _has_record_inside(*values, expected, actual)):
            return _with_remark_on_same_file(api.diff(*values), expected, actual)
    if any(json_files):
        _refuse_one_against_many(expected, actual)
    return _without_repeated_notes(api.diff_files(expected, actual, ids=ids, renames=renames))


def _refuse_coco_files(expected: Path, actual: Path) -> None:
    """Raise ConfigError for COCO annotations and detections: boxes are matched by their overlap, not compared value by value."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
    from fieldwise.model.plan import Source
    from fieldwise.read.coco import looks_like_coco

    if looks_like_coco(Source(expected=str(expected), actual=str(actual))):
        what = "these are COCO annotations and detections: boxes are scored by a suite, not compared as records"
        fix = f"write a suite, fieldwise init {_write_side_options(expected, actual)}, and score it with fieldwise run"
        raise ConfigError([Diagnostic(code="coco-files", what=what, where=Where(file=str(actual)), fix=fix)])


def _with_repairs(difference: "Diff") -> "Diff":
    """The difference with a remark on each thing that was done to read records out of text, and in how many of them."""
    from collections import Counter
    from dataclasses import replace

    from fieldwise.model.diagnostic import Diagnostic

    repairs = Counter(repair for result in difference.results.values() for repair in result.details.get("repairs", ()))
    remarks = [
        Diagnostic(code="repaired-json", what=f"{repair} ({count:,} of {len(difference.results):,} records)", level="info")
        for repair, count in repairs.items()
    ]
    return replace(difference, diagnostics=[*difference.diagnostics, *remarks])


def _without_repeated_notes(difference: "Diff") -> "Diff":
    """The difference without the notes on pairing: its first lines say how rows pair and where records are."""
    from dataclasses import replace

    notes = [
        note
        for note in difference.diagnostics
        if note.code not in ("joined-by-number", "rows-are-records") and not any(note.what in line for line in difference.pairing)
    ]
    return replace(difference, diagnostics=notes)


def _load_prediction(file: Path) -> Any:
    """The value of a JSON file, or its text if a record can be read out of it by the repairs that evaluators make."""
    from fieldwise.model.diagnostic import ConfigError
    from fieldwise.model.values import MISSING
    from fieldwise.read.files import ReadProgress, UnreadableFile, open_bytes
    from fieldwise.read.records_in_text import find_record
    from fieldwise.read.table_files import load_json

    try:
        return load_json(file)
    except ConfigError as error:
        try:
            with open_bytes(file, ReadProgress()) as stream:
                text = stream.read().decode("utf-8-sig", errors="replace")
        except UnreadableFile:
            raise error from None
        if find_record(text).value is MISSING:
            raise
        return text


def _with_remark_on_same_file(difference: "Diff", expected: Path, actual: Path) -> "Diff":
    from dataclasses import replace

    from fieldwise.model.plan import Source
    from fieldwise.read.paired_files import report_same_files

    remarks = report_same_files(Source(expected=str(expected), actual=str(actual), allow_same_sides=True))
    return replace(difference, diagnostics=[*difference.diagnostics, *remarks])


def _is_table(value: Any) -> bool:
    """True for a list of records, and for an object that holds one or has records by their ids."""
    from fieldwise.read.document_records import find_side_records

    if isinstance(value, list):
        return len(value) > 1 and all(isinstance(item, dict) for item in value)
    return find_side_records(value) is not None


def _have_ids(expected: Path, actual: Path) -> bool:
    """True if columns of both files identify their rows."""
    from fieldwise.read.pairing import propose_pairing

    return None not in propose_pairing(str(expected), str(actual)).keys


def _has_record_inside(expected_value: Any, actual_value: Any, expected: Path, actual: Path) -> bool:
    """True for two objects without a field in common, of which one has the record inside: the answer of a service has much around it."""
    from fieldwise.read.pairing import propose_pairing

    if not isinstance(expected_value, dict) or not isinstance(actual_value, dict):
        return False
    if not cast("dict[str, Any]", expected_value).keys().isdisjoint(cast("dict[str, Any]", actual_value)):
        return False
    pairing = propose_pairing(str(expected), str(actual))
    return bool(pairing.common_fields) and (pairing.expected.record, pairing.actual.record) != (None, None)


def _refuse_one_against_many(expected: Path, actual: Path) -> None:
    """Raise ConfigError if one side is a single record and the other has several."""
    from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
    from fieldwise.read.pairing import count_records, hold_answers

    if hold_answers(str(expected), str(actual)):
        what = "one file holds answers by the ids of the other: only records are compared here"
        fix = f"for plain answers, write a suite: fieldwise init {_write_side_options(expected, actual)}"
        raise ConfigError([Diagnostic(code="plain-answers", what=what, where=Where(file=str(actual)), fix=fix)])
    counts = count_records(str(expected)), count_records(str(actual))
    for (single, single_count), (many, many_count) in (
        ((expected, counts[0]), (actual, counts[1])),
        ((actual, counts[1]), (expected, counts[0])),
    ):
        if single_count is None and many_count is not None and many_count > 1:
            what = f"{single} holds one record, {many} holds {many_count:,}"
            fix = "compare files with the same records, or take the one record out of the other file"
            raise ConfigError([Diagnostic(code="one-against-many", what=what, fix=fix)])
