"""Starter suites: one with sample data, one inferred from cases."""

import glob
import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from fieldwise.cli._suggested_evaluators import ListSurvey
from fieldwise.model.accepted_values import list_accepted
from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import OTHER_ORDER, ConfigError, Diagnostic, Where
from fieldwise.model.path import EACH, Step, render_path
from fieldwise.model.path import Path as FieldPath
from fieldwise.model.plan import PRESET_EVALUATORS, IdColumns, SideMapping, Source
from fieldwise.model.rule import FieldRule, ListRule
from fieldwise.model.services import NO_SERVICES
from fieldwise.model.values import MISSING
from fieldwise.plan.infer import InferredRules
from fieldwise.plan.needed_sides import NO_COLUMN
from fieldwise.read.cases import read_cases
from fieldwise.read.columns import list_id_candidates
from fieldwise.read.files import ReadProgress, get_data_stem
from fieldwise.read.id_candidates import find_joint_id
from fieldwise.read.pairing import Pairing, list_names
from fieldwise.read.shared_columns import OTHER_IDS
from fieldwise.read.table_files import read_each
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.inferred_rules import infer_rules, is_untyped, list_unreadable_cases

SCHEMA_COMMENT = "# yaml-language-server: $schema=fieldwise.schema.json\n"
_PLAIN_SCALAR = re.compile(r"(?=.*[A-Za-z0-9])[A-Za-z_./][A-Za-z0-9_./]*")
_YAML_KEYWORDS = ("null", "true", "false", "yes", "no", "on", "off", "y", "n")
_SAMPLE = """name: invoices
cases: invoices.jsonl               # one case a line: id, expected, actual

evaluators:
  - type: field_accuracy
    name: fields
    fields:
      - {path: number, match: exact, weight: 2}
      - {path: date, match: date}
      - {path: vendor.name, match: fuzzy, threshold: 0.85}
      - {path: total, match: numeric_tolerance, tolerance: 0.01}
      - {path: "items[*].name", match: fuzzy, threshold: 0.85}
      - {path: "items[*].amount", match: numeric_tolerance, tolerance: 0.01}
    lists:
      items: {align: best}          # pair items by similarity; the default is by position
  - type: field_prf                 # precision, recall and F1 over every value
    lists:
      items: {align: best}

gate:
  fields.score: ">= 0.7"
"""
_RECORDS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"number": "A-1001", "date": "2024-03-01", "vendor": {"name": "Acme Supplies"}, "total": 120.0},
        {"number": "A-1001", "date": "1 March 2024", "vendor": {"name": "ACME Supplies"}, "total": 120.0},
    ),
    (
        {"number": "A-1002", "date": "2024-03-05", "vendor": {"name": "Bäckerei Lang"}, "total": 48.5},
        {"number": "A-1O02", "date": "2024-03-05", "vendor": {"name": "Baeckerei Lang"}, "total": 48.5},
    ),
    (
        {"number": "A-1003", "date": "2024-03-09", "vendor": {"name": "Nordwind GmbH"}, "total": 1250.0},
        {"number": "A-1003", "date": "2024-09-03", "vendor": {"name": "Nordwind GmbH"}, "total": 12.5},
    ),
]
_ITEMS = [
    [("Paper", 40.0), ("Toner", 80.0)],
    [("Bread", 18.5), ("Cake", 30.0)],
    [("Consulting", 1000.0), ("Travel", 250.0)],
]


def sample_files(folder: Path) -> dict[Path, str]:
    """Files of a suite with sample data, by path; the suite comes first."""
    lines: list[str] = []
    for number, ((expected, actual), items) in enumerate(zip(_RECORDS, _ITEMS, strict=True), 1):
        expected_items = [{"name": name, "amount": amount} for name, amount in items]
        # reversed in invoice 2, the last item missing in invoice 3
        actual_items = expected_items[::-1] if number == 2 else expected_items[: 4 - number]
        case = {
            "id": f"invoice-{number}",
            "expected": expected | {"items": expected_items},
            "actual": actual | {"items": actual_items},
        }
        lines.append(json.dumps(case, ensure_ascii=False))
    return {folder / "invoices.eval.yaml": SCHEMA_COMMENT + _SAMPLE, folder / "invoices.jsonl": "\n".join(lines) + "\n"}


def infer_suite(
    cases: Path, folder: Path, columns: Mapping[str, IdColumns] | None = None, rules: Sequence[dict[str, Any]] | None = None
) -> tuple[str, str]:
    """Infer a suite from cases; return its file name and text. ConfigError if the cases cannot be read.

    `columns` names the columns of roles, as in a suite. `rules` are those of a type; without them they are inferred.
    """
    stem = _choose_suite_name(cases)
    text = f"cases: {_yaml_scalar(_relative_path(cases, folder))}\n"
    if columns:
        text += "columns:\n" + "".join(f"  {role}: {_yaml_columns(column)}\n" for role, column in columns.items())
    source = Source(cases=str(cases), columns=dict(columns or {}))
    try:
        return f"{stem}.eval.yaml", _write_suite(stem, text, source, rules)
    except ConfigError as error:
        repeated = _describe_repeated_ids(cases) if all(problem.code == "duplicate-id" for problem in error.diagnostics) else None
        if columns or repeated is None:
            raise
        raise ConfigError([repeated]) from error


def _describe_repeated_ids(cases: Path) -> Diagnostic | None:
    """The error for ids that repeat, with the columns that identify the rows together; None if no two do."""
    rows = [row for batch in read_each([cases], None, 1024, ReadProgress(), []) for row in batch.values]
    candidates = list_id_candidates([*rows[0]]) if rows else []
    joint_id = find_joint_id(rows, candidates[0]) if len(candidates) == 1 else None
    if joint_id is None:
        return None
    count = len(rows) - len({str(row.get(joint_id[0])) for row in rows})
    what = f"{count:,} of {len(rows):,} rows have the `{joint_id[0]}` of an earlier one"
    option = shlex.quote(f"id={','.join(joint_id)}")
    fix = f"`{joint_id[0]}` and `{joint_id[1]}` together identify the rows: init --column {option}"
    return Diagnostic(code="duplicate-id", what=what, where=Where(file=str(cases)), fix=fix)


def _choose_suite_name(data: Path) -> str:
    """Name a suite after its file or folder of data; `.` and `..` have the name of the folder they stand for."""
    return get_data_stem(data if data.name not in ("", "..") else data.resolve())


def _yaml_columns(columns: IdColumns) -> str:
    return _yaml_scalar(columns) if isinstance(columns, str) else f"[{', '.join(map(_yaml_scalar, columns))}]"


@dataclass(frozen=True, slots=True)
class PairedSuite:
    """A suite inferred from a file of expected and a file of actual records."""

    file_name: str
    text: str
    paired: int
    """How many expected records have an actual one."""
    records: int
    doubts: Sequence[Diagnostic] = ()
    """Why the rows may not belong together."""
    texts: int = 0
    """How many outputs are text without a record where a record is expected, if no output has one."""


def infer_paired_suite(
    expected: Path, actual: Path, folder: Path, pairing: Pairing, rules: Sequence[dict[str, Any]] | None = None
) -> PairedSuite:
    """Infer a suite from two files, and count the records that pair."""
    source = pairing.apply_to(Source(expected=str(expected), actual=str(actual)))
    paired = count = texts = outputs = 0
    reader = read_cases(source, chunk=256)
    for cases in reader:
        count += len(cases)
        paired += sum(value is not MISSING for value in cases.actual)
        records = ScoringBatch(cases, NO_SERVICES).records
        outputs += sum(isinstance(value, dict | list) for value in records.actual)
        pairs = zip(records.expected, cases.actual, strict=True)
        texts += sum(isinstance(record, dict | list) and isinstance(output, str) for record, output in pairs)
    stem = _choose_suite_name(actual.parent if glob.has_magic(actual.name) else actual)
    text = f"cases:                              # {paired:,} of {count:,} expected records pair\n"
    reasons = {rename.expected: rename.evidence for rename in pairing.renames}
    for side, path, mapping in (("expected", expected, pairing.expected), ("actual", actual, pairing.actual)):
        text += f"  {side}:{_side_yaml(_relative_path(path, folder), mapping, reasons)}"
    suite = _write_suite(stem, text, source, rules, extra_fields=pairing.list_extra_fields())
    doubts = [diagnostic for diagnostic in reader.diagnostics if diagnostic.code in ("uneven-rows", OTHER_ORDER, OTHER_IDS)]
    return PairedSuite(f"{stem}.eval.yaml", suite, paired, count, doubts, texts=0 if outputs else texts)


def infer_coco_suite(expected: Path, actual: Path, folder: Path) -> tuple[PairedSuite, str]:
    """A suite for a pair of COCO files, and what they hold, in words. ConfigError if the files cannot be read."""
    source = Source(expected=str(expected), actual=str(actual))
    reader = read_cases(source, chunk=256)
    images = predicted_images = 0
    are_captions = False
    for cases in reader:
        images += len(cases)
        predicted_images += sum(bool(predictions) and predictions is not MISSING for predictions in cases.actual)
        are_captions = are_captions or any(isinstance(predictions, str) for predictions in cases.actual)
    errors = [diagnostic for diagnostic in reader.diagnostics if diagnostic.level == "error"]
    if errors or not images:
        empty = Diagnostic(code="empty-file", what="the annotations have no images", where=Where(file=source.expected))
        raise ConfigError(errors or [empty])
    stem = get_data_stem(actual)
    text = f"{SCHEMA_COMMENT}name: {_yaml_scalar(stem)}\n"
    kind = "captions" if are_captions else "detections"
    count = f"{predicted_images:,} of {images:,} images have {kind}"
    text += f"cases:                              # COCO files: {count}\n"
    for side, path in (("expected", expected), ("actual", actual)):
        text += f"  {side}: {_yaml_scalar(_relative_path(path, folder))}\n"
    if are_captions:
        text += "\nevaluators:\n  - type: answer_quality            # against the most similar caption\n"
        text += "    token_f1: true\n    weights: {source_citation: 0}       # captions cite nothing\n"
        text += '\n# gate:\n#   answer_quality.token_f1: ">= 0.5"\n'
    else:
        text += "\nevaluators:\n  - type: detection                 # AP and AR as COCO defines them\n"
        text += '\n# gate:\n#   detection.ap: ">= 0.5"\n'
    return PairedSuite(f"{stem}.eval.yaml", text, predicted_images, images), f"COCO annotations and {kind}: {count}"


def suite_of_rules(name: str, rules: Sequence[dict[str, Any]]) -> tuple[str, str]:
    """A suite with the rules of a type and the usual place for its cases."""
    head = f"name: {_yaml_scalar(name)}\ncases: {_yaml_scalar(f'{name}.jsonl')}  # one case a line: id, expected, actual\n\nevaluators:\n"
    return f"{name}.eval.yaml", SCHEMA_COMMENT + head + _evaluators_of_rules(rules) + _GATE_COMMENT


_MAX_LABEL_LENGTH: Final = 40
_MAX_LABEL_WORDS: Final = 3
_MIN_LABELS: Final = 10
_LABEL_REPEATS: Final = 3
"""How often a label must occur on average."""
_SHORT_OUTPUTS: Final = 0.8
_MAX_ANSWER_WORDS: Final = 8
_MAX_ANSWER_LENGTH: Final = 80
_SHORT_ANSWERS: Final = 0.9
"""Length of a short answer, and the share of the answers of each side that must be short."""
_SHORT_ANSWER_OPTIONS: Final = {
    "type": "answer_quality",
    "exact_match": "squad",
    "token_f1": True,
    "weights": {"keyword_coverage": 0, "number_match": 0, "answer_completeness": 0, "source_citation": 0},
}
_GATE_COMMENT = '\n# gate:\n#   fields.score: ">= 0.9"\n'


def _relative_path(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()


def _side_yaml(path: str, mapping: SideMapping, reasons: Mapping[str, str]) -> str:
    if mapping == SideMapping():
        return f" {_yaml_scalar(path)}\n"
    text = f"\n    file: {_yaml_scalar(path)}\n"
    for key, value in (("id", mapping.id), ("record", mapping.record)):
        if value is not None:
            text += f"    {key}: {_yaml_columns(value)}\n"
    if mapping.rename:
        text += "    rename:\n"
        for old, new in mapping.rename.items():
            text += f"      {_yaml_scalar(old)}: {_yaml_scalar(new)}" + (f"  # {reasons[old]}" if old in reasons else "") + "\n"
    return text


def _write_suite(
    stem: str, cases_yaml: str, source: Source, rules: Sequence[dict[str, Any]] | None, *, extra_fields: Sequence[str] = ()
) -> str:
    """The text of a suite. `extra_fields` are those that no expected record has: they are not counted as hallucinations."""
    reader = read_cases(source, chunk=256)
    expected_values, records, has_contexts = _count_expected(reader)
    errors = [diagnostic for diagnostic in reader.diagnostics if diagnostic.level == "error"]
    if errors or next(iter(read_cases(source, chunk=1, limit=1)), None) is None:
        empty = Diagnostic(code="empty-file", what="the file has no cases", where=Where(file=source.cases or source.expected))
        raise ConfigError(errors or [empty])
    if not expected_values and not has_contexts:
        unreadable = list_unreadable_cases(read_cases(source, chunk=256))
        raise ConfigError(unreadable or [_describe_missing_expected(source, reader.diagnostics)])
    without_outputs = [diagnostic for diagnostic in reader.diagnostics if diagnostic.code == NO_COLUMN["actual"]]
    if without_outputs and expected_values:
        raise ConfigError([replace(diagnostic, level="error") for diagnostic in without_outputs])
    if rules is not None:
        body = _evaluators_of_rules(rules)
    elif not expected_values:
        body = _evaluators_of_contexts(source)
    else:
        are_records = 2 * records >= expected_values > 0  # a few answers that are JSON do not make answers records
        if are_records and source.cases is not None:
            _require_common_field(source)
        inferred = infer_rules(read_cases(source, chunk=256), source) if are_records else None
        body = _answer_evaluators(source) if inferred is None else _record_evaluators(inferred, extra_fields, source)
    gate = _GATE_COMMENT if "name: fields" in body else ""
    return f"{SCHEMA_COMMENT}name: {_yaml_scalar(stem)}\n{cases_yaml}\nevaluators:\n{body}{gate}"


def _require_common_field(source: Source) -> None:
    """ConfigError if the expected and actual records of a file have no field in common: every rule would count omissions only."""
    names: tuple[dict[str, None], dict[str, None]] = ({}, {})
    for cases in read_cases(source, chunk=256):
        records = ScoringBatch(cases, NO_SERVICES).records
        for expected, actual in zip(records.expected, records.actual, strict=True):
            if isinstance(expected, dict) and isinstance(actual, dict):
                names[0].update(dict.fromkeys(expected))
                names[1].update(dict.fromkeys(actual))
    if not all(names) or not names[0].keys().isdisjoint(names[1]):
        return
    what = f"no field in common: expected has {list_names([*names[0]], 4)}, actual has {list_names([*names[1]], 4)}"
    fix = "name the columns that hold records of the same form: --column expected=NAME --column actual=NAME"
    raise ConfigError([Diagnostic(code="no-common-field", what=what, where=Where(file=source.cases), fix=fix)])


def _answer_evaluators(source: Source) -> str:
    """The YAML of `answer_quality`, or of `equals` for labels, and of the presets whose questions are among the cases."""
    ids: set[str] = set()
    answers: Counter[str] = Counter()
    outputs: Counter[str] = Counter()
    for cases in read_cases(source, chunk=256):
        ids.update(cases.id)
        answers.update(str(_first_accepted(value)).strip() for value in cases.expected if value is not MISSING)
        outputs.update(str(value).strip() for value in cases.actual if value is not MISSING)
    body = "  - type: answer_quality\n"
    if _are_labels(answers, outputs):
        body = f"  - {{type: equals, name: label}}  # {answers.total():,} expected values, {len(answers):,} different ones\n"
    elif _are_short_answers(answers, outputs):
        body = f"  - {_flow_yaml(_SHORT_ANSWER_OPTIONS)}  # short answers: the score is their exact match, as SQuAD defines it\n"
    for preset, evaluator in PRESET_EVALUATORS.items():
        if not ids.isdisjoint((preset, preset.upper())):
            body += f"  - {{type: {evaluator}, name: {preset}, preset: {preset}}}  # for the question {preset.upper()}\n"
    return body


def _evaluators_of_contexts(source: Source) -> str:
    """The YAML of the evaluators that need no expected value; ConfigError if the cases have nothing that these could score."""
    has_outputs = has_relevant_ids = False
    for cases in read_cases(source, chunk=256):
        has_outputs = has_outputs or any(value is not MISSING for value in cases.actual)
        has_relevant_ids = has_relevant_ids or any("relevant_ids" in metadata for metadata in cases.metadata)
    if not has_outputs and not has_relevant_ids:
        raise ConfigError([_describe_missing_expected(source)])
    body = "  - {type: retrieval}\n" if has_relevant_ids else ""
    if has_outputs:
        body += "  - {type: grounding, by: words}  # no case says what is expected: only the contexts can be compared\n"
    return body


def _evaluators_of_rules(rules: Sequence[dict[str, Any]]) -> str:
    """The YAML of `field_accuracy` and `field_prf` with the rules of a type."""
    fields_yaml = ""
    for rule in rules:
        fields_yaml += f"      - {_flow_yaml(rule)}\n"
    return f"  - type: field_accuracy\n    name: fields\n    fields:\n{fields_yaml}  - type: field_prf\n"


def _are_labels(labels: Counter[str], outputs: Counter[str]) -> bool:
    """True for a few short texts that occur again and again, answered by short texts: classes, not answers."""
    if labels.total() < _MIN_LABELS or labels.total() < _LABEL_REPEATS * len(labels):
        return False
    short_outputs = sum(count for text, count in outputs.items() if _is_short(text))
    return all(map(_is_short, labels)) and short_outputs >= _SHORT_OUTPUTS * outputs.total()


def _is_short(text: str) -> bool:
    return len(text) <= _MAX_LABEL_LENGTH and len(text.split()) <= _MAX_LABEL_WORDS


def _are_short_answers(answers: Counter[str], outputs: Counter[str]) -> bool:
    """True if nearly all answers of both sides are names, numbers and phrases: they have few keywords, and cite no sources."""
    for texts in (answers, outputs):
        short = sum(count for text, count in texts.items() if len(text.split()) <= _MAX_ANSWER_WORDS and len(text) <= _MAX_ANSWER_LENGTH)
        if short < _SHORT_ANSWERS * texts.total() or not short:
            return False
    return True


def _count_expected(batches: Iterable[Cases]) -> tuple[int, int, bool]:
    """How many cases have an expected value, how many of these are records or text that contains JSON, and whether there are contexts."""
    present = records = 0
    has_contexts = False
    for cases in batches:
        present += sum(value is not MISSING for value in cases.expected)
        values = ScoringBatch(cases, NO_SERVICES).records.expected
        records += sum(isinstance(_first_accepted(value), dict | list) for value in values)
        has_contexts = has_contexts or any(contexts is not None for contexts in cases.contexts)
    return present, records, has_contexts


def _first_accepted(value: Any) -> Any:
    """The first of several accepted values; any other value as it is."""
    return next(iter(list_accepted(value)), value)


def _describe_missing_expected(source: Source, notes: Sequence[Diagnostic] = ()) -> Diagnostic:
    """That nothing is expected, with what the reader says of the columns."""
    file = source.cases or source.expected
    what, name_column = "no case says what is expected", "name the column that does, --column expected=NAME"
    note = next((note for note in notes if note.code == NO_COLUMN["expected"]), None)
    if note is not None:
        what, name_column = f"{what}: {note.what}", note.fix or name_column
    fix = f"{name_column}; or pair the outputs with a file that does: fieldwise init --expected FILE --actual {Path(file or 'FILE').name}"
    return Diagnostic(code="no-expected-column", what=what, where=Where(file=file), fix=fix)


def _differ_in_types(source: Source) -> bool:
    """True if one of the two sides is CSV, whose values are all text, and the other is not."""
    return is_untyped(source, "expected") != is_untyped(source, "actual")


@dataclass(frozen=True, slots=True)
class _BlankValues:
    """Empty and blank text in the records of both sides."""

    count: int
    """How many values are such text on one side and null or absent on the other."""
    blank_fields: frozenset[str]
    """Those of the extra fields that never have another value."""


def _find_blank_values(source: Source, extra_fields: Sequence[str]) -> _BlankValues:
    count = 0
    blank_fields = set(extra_fields)
    for cases in read_cases(source, chunk=256):
        records = ScoringBatch(cases, NO_SERVICES).records
        for expected, actual in zip(records.expected, records.actual, strict=True):
            if isinstance(expected, dict) and isinstance(actual, dict):
                blank_fields = {name for name in blank_fields if _is_blank(actual.get(name, ""))}
                for name in {*expected, *actual}.difference(extra_fields):
                    count += _count_blanks(expected.get(name), actual.get(name))
            elif isinstance(expected, list) and isinstance(actual, list):
                count += _count_blanks(expected, actual)
    return _BlankValues(count, frozenset(blank_fields))


def _is_blank(value: Any) -> bool:
    return isinstance(value, str) and not value.strip()


def _count_blanks(expected: Any, actual: Any) -> int:
    """How many values inside these are blank on one side and null or absent on the other. Items of lists are compared by position."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        members, actual_members = cast("dict[str, Any]", expected), cast("dict[str, Any]", actual)
        return sum(_count_blanks(members.get(name), actual_members.get(name)) for name in {*members, *actual_members})
    if isinstance(expected, list) and isinstance(actual, list):
        items = zip(cast("list[Any]", expected), cast("list[Any]", actual), strict=False)
        return sum(_count_blanks(item, actual_item) for item, actual_item in items)
    return int(_is_blank(expected) and actual is None) + int(_is_blank(actual) and expected is None)


def _record_evaluators(inferred: InferredRules, extra_fields: Sequence[str], source: Source) -> str:
    """The YAML of the evaluators of records: those that lists of boxes and of tool calls suggest, and field rules for all the rest."""
    survey = ListSurvey()
    for cases in read_cases(source, chunk=256):
        survey.add(cases)
    suggested = survey.suggest()
    body = "".join(f"  - {_flow_yaml(suggestion.options)}  # {suggestion.reason}\n" for suggestion in suggested)
    compared_paths = [steps for suggestion in suggested for steps in suggestion.left_out]
    remaining = replace(
        inferred,
        rules=tuple(rule for rule in inferred.rules if not _is_below(rule.path, compared_paths)),
        lists=tuple(rule for rule in inferred.lists if not _is_below(rule.path, compared_paths)),
    )
    if suggested and not remaining.rules:
        return body
    blanks = _find_blank_values(source, extra_fields)
    ignored = [render_path(steps) for steps in compared_paths]
    return body + _field_evaluators(remaining, extra_fields, blanks, ignored, differ_in_types=_differ_in_types(source))


def _is_below(path: FieldPath | None, places: Sequence[tuple[Step, ...]]) -> bool:
    """True if a path is one of these places or lies inside one."""
    return path is not None and any(path.steps[: len(steps)] == steps for steps in places)


def _flow_yaml(options: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{key}: {_yaml_scalar(value)}" for key, value in options.items()) + "}"


def _field_evaluators(
    inferred: InferredRules, extra_fields: Sequence[str], blanks: _BlankValues, compared_paths: Sequence[str], *, differ_in_types: bool
) -> str:
    """The YAML of `field_accuracy` and `field_prf` with inferred rules, each with its reason as a comment.

    With `extra_fields` or `differ_in_types`, both use the same rules: two files of different origin differ in types and spelling too.
    Both read empty text as null if one side has it where the other has nothing. `compared_paths` are left to other evaluators.
    """
    fields_yaml = ""
    for rule in inferred.rules:
        reason = inferred.reasons.get(rule.text, "")
        fields_yaml += f"      - {_field_rule_yaml(rule):<72}  # {reason}".rstrip(" #") + "\n"
    lists_yaml = ""
    for rule in inferred.lists:
        if rule.align != "index":
            lists_yaml += f"      {_yaml_scalar(_list_path(rule.path))}: {_list_rule_yaml(rule)}\n"
    options_yaml = f"    lists:\n{lists_yaml}" if lists_yaml else ""
    if blanks.count:
        values = "1 value is" if blanks.count == 1 else f"{blanks.count:,} values are"
        options_yaml += f'    null_values: [""]  # {values} empty text on one side, and null or absent on the other\n'
    anchor = prf_yaml = ""
    if extra_fields or differ_in_types:
        anchor = " &rules"
        prf_yaml = "    fields: *rules\n"
    ignored_names = [name for name in extra_fields if not blanks.count or name not in blanks.blank_fields]
    ignored = [_yaml_scalar(path) for path in compared_paths] + [_yaml_scalar(_escape_path(name)) for name in ignored_names]
    if ignored:
        reasons = ["another evaluator compares them"] if compared_paths else []
        reasons += ["no expected record has them"] if ignored_names else []
        prf_yaml += f"    ignore: [{', '.join(ignored)}]  # {', or '.join(reasons)}\n"
    accuracy_yaml = f"  - type: field_accuracy\n    name: fields\n    fields:{anchor}\n{fields_yaml}{options_yaml}"
    return f"{accuracy_yaml}  - type: field_prf\n{prf_yaml}{options_yaml}"


def _escape_path(name: str) -> str:
    """The path of a field at the top of a record.

    >>> _escape_path("cost_usd"), _escape_path("a.b")
    ('cost_usd', '["a.b"]')
    """
    return render_path((name,))


def _field_rule_yaml(rule: FieldRule) -> str:
    parts = [f"path: {_yaml_scalar(rule.text)}", f"match: {rule.match.name}"]
    options = rule.match.options
    if is_dataclass(options):
        for option in fields(options):
            value = getattr(options, option.name)
            default = option.default if option.default is not NO_DEFAULT else None
            if value != default and value not in ((), frozenset()):
                written = list(value) if isinstance(value, tuple | frozenset) else value
                parts.append(f"{option.name.rstrip('_')}: {_yaml_scalar(written)}")
    return "{" + ", ".join(parts) + "}"


def _list_path(path: FieldPath) -> str:
    """The path of a list in a suite: with `[*]` where the path of the list itself would be ambiguous.

    >>> [_list_path(FieldPath(steps)) for steps in (("items",), (), ("rows", EACH))]
    ['items', '[*]', 'rows[*][*]']
    """
    return str(path) if path.steps and path.steps[-1] is not EACH else render_path((*path.steps, EACH))


def _list_rule_yaml(rule: ListRule) -> str:
    return f"{{align: key, key: {_yaml_scalar(str(rule.key))}}}" if rule.align == "key" else f"{{align: {rule.align}}}"


def _yaml_scalar(value: Any) -> str:
    """A value as YAML reads it back; JSON is YAML."""
    if isinstance(value, str) and _PLAIN_SCALAR.fullmatch(value) and value.lower() not in _YAML_KEYWORDS:
        return value
    return json.dumps(value, ensure_ascii=False)
