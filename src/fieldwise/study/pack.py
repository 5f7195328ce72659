"""The improvement pack of a run: what the next iteration of a prompt or a schema needs, from the cases of the chosen splits only.

Nothing of another case enters a file: not its values, not its id, not the names of its fields.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.case import Case, Cases
from fieldwise.model.comparison import UNCOUNTED_OUTCOMES, Comparison
from fieldwise.model.comparison_list import ComparisonList
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.path import MalformedPath, Path
from fieldwise.model.redaction import Redaction
from fieldwise.model.result import Result
from fieldwise.registry import nearest
from fieldwise.report.feedback import feedback, feedback_by_field
from fieldwise.report.text_format import dump_json, format_value, truncate
from fieldwise.score.redaction_survey import RedactionSurvey
from fieldwise.store.arrow_tables import ArrowTable, numpy_array
from fieldwise.store.comparison_table import read_match_names
from fieldwise.store.expected_changes import hash_expected_values, shorten_hash
from fieldwise.store.part_reader import decode_case, list_part_files, read_table
from fieldwise.store.run import Run
from fieldwise.store.run_metrics import list_case_positions, list_ids_by_position, rule_fingerprints

PACK_VERSION: Final = 1
PACK_FILE: Final = "pack.json"
SUMMARY_LIMIT: Final = 8_000
"""`summary.md` is shorter than this number of characters."""
MAX_FEEDBACK_CASES: Final = 500
EXAMPLES_PER_CAUSE: Final = 4
PASSES_PER_FIELD: Final = 2
_MAX_PASSES: Final = 40
_CANDIDATES: Final = 40
"""Mismatches of a cause whose values are read, to choose the most diverse of them."""
_INPUT_LENGTH: Final = 1_000
_REDACTED_NOTE: Final = "redacted"


@dataclass(frozen=True, slots=True, kw_only=True)
class PackOptions:
    """What goes into a pack."""

    splits: Sequence[str] = ()
    """The splits whose cases are shown; required where the data has splits."""
    redact: Sequence[str] = ()
    """Paths whose values are shown as hashes."""
    evaluator: str | None = None
    """The evaluator whose comparisons are used; by default the first one that compares fields."""
    max_cases: int = MAX_FEEDBACK_CASES
    """Maximum number of cases in `feedback.jsonl`, the lowest scores first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldCount:
    """One field over the cases of the pack."""

    field: str
    match: str
    n: int
    matched: int
    causes: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackExample:
    """A wrong value, or a right one that the next iteration must keep."""

    kind: str
    """`failure` or `pass`."""
    cause: str | None
    """The cause of a failure, or its outcome where no cause is known."""
    case: str
    comparison: Comparison
    input: Any = None

    def to_json(self) -> dict[str, Any]:
        """A line of `examples.jsonl`."""
        comparison = self.comparison
        content: dict[str, Any] = {
            "kind": self.kind,
            "cause": self.cause,
            "case": self.case,
            "field": comparison.field,
            "path": comparison.path,
            "match": comparison.match,
            "outcome": comparison.outcome,
            "expected": comparison.expected,
            "actual": comparison.actual,
        }
        if comparison.note:
            content["note"] = comparison.note
        return content if self.input is None else content | {"input": self.input}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """The content of a pack, before it is written as text."""

    run: Run
    options: PackOptions
    evaluator: str
    """The evaluator that the counts and examples are from."""
    cases: Sequence[str]
    """The ids of its cases."""
    scores: Mapping[str, tuple[float, int]]
    """Evaluator → mean score over these cases, and how many of them were measured."""
    fields: Sequence[FieldCount]
    mismatches: Mapping[str, Mapping[str, int]]
    """Cause, or outcome where no cause is known → case → number of its mismatches."""
    examples: Sequence[PackExample]
    feedback: Sequence[Mapping[str, Any]]
    imperfect_cases: int
    """Number of cases that are not perfect by this evaluator; `feedback` may have fewer."""

    def to_json(self) -> dict[str, Any]:
        """The content of `pack.json`, which `run --from` reads."""
        return {
            "version": PACK_VERSION,
            "run": self.run.id,
            "suite": self.run.name,
            "evaluator": self.evaluator,
            "package": self.run.manifest.package,
            "rules": rule_fingerprints(self.run).get(self.evaluator),
            **({} if self.options.redact else {"expected": self._hash_expected()}),
            "splits": list(self.options.splits),
            "cases": list(self.cases),
            "mismatches": {cause: dict(counts) for cause, counts in self.mismatches.items()},
        }

    def _hash_expected(self) -> dict[str, str | None]:
        """What tells `run --from` that an expected value was edited. Hashes of redacted values could be guessed."""
        return {case: shorten_hash(text) for case, text in hash_expected_values(self.run, self.cases).items()}

    def write_files(self) -> dict[str, str]:
        """The text of each file, by its name."""
        from fieldwise.study.pack_text import write_rules, write_summary

        return {
            "summary.md": write_summary(self, SUMMARY_LIMIT),
            "feedback.jsonl": "".join(dump_json(line) + "\n" for line in self.feedback),
            "examples.jsonl": "".join(dump_json(example.to_json()) + "\n" for example in self.examples),
            "rules.md": write_rules(self),
            PACK_FILE: dump_json(self.to_json()) + "\n",
        }


def build_pack(run: Run, options: PackOptions) -> Pack:
    """Collect the pack of a run; ConfigError for an unknown split, evaluator or path, or if the data has splits and none is chosen."""
    redaction = _parse_redaction(run, options.redact)
    ids, chosen = _choose_cases(run, options.splits)
    evaluator = _choose_evaluator(run, options.evaluator)
    table = _MismatchTable.read(run, evaluator, chosen)
    scores, order = _read_scores(run, evaluator, chosen)
    return Pack(
        run=run,
        options=options,
        evaluator=evaluator,
        cases=[ids[position] for position in np.flatnonzero(chosen).tolist()],
        scores=scores,
        fields=table.count_fields(),
        mismatches=table.count_causes(ids),
        examples=_collect_examples(run, evaluator, table, redaction),
        feedback=_collect_feedback(run, order[: options.max_cases], redaction),
        imperfect_cases=len(order),
    )


def count_case_causes(run: Run, evaluator: str) -> tuple[list[str], dict[str, dict[str, int]]]:
    """The ids of all cases of a run, and cause → case → number of mismatches of one evaluator."""
    ids = list_ids_by_position(run)
    table = _MismatchTable.read(run, evaluator, np.ones(len(ids), dtype=np.bool_))
    return [ids[position] for position in list_case_positions(run).tolist()], table.count_causes(ids)


def _config_error(code: str, what: str, fix: str) -> ConfigError:
    return ConfigError([Diagnostic(code=code, what=what, fix=fix)])


def _parse_redaction(run: Run, paths: Sequence[str]) -> Redaction | None:
    """The paths; ConfigError for one at which no case of the run has a value, because its values would be written in clear."""
    try:
        parsed = tuple(Path.parse(path) for path in paths)
    except MalformedPath as error:
        raise _config_error("malformed-path", str(error), error.fix or "write a path such as `vendor.iban`") from error
    if not parsed:
        return None
    survey = RedactionSurvey(parsed)
    for part in run.parts:
        for file in list_part_files(part, "cases"):
            survey.add(Cases.of([decode_case(row) for row in read_table(run.path, file).to_pylist()]))
    problems = survey.list_problems()
    if problems:
        raise ConfigError(problems)
    return Redaction(parsed)


def _choose_cases(run: Run, splits: Sequence[str]) -> tuple[list[str], NDArray[np.bool_]]:
    """The ids of all cases by position, and which of them are in the splits; none where an interrupted run stored no case."""
    split_of: list[str | None] = []
    for part in run.parts:
        for file in list_part_files(part, "cases"):
            split_of += read_table(run.path, file, columns=["split"]).column("split").to_pylist()
    counts: dict[str, int] = {}
    for split in split_of:
        if split is not None:
            counts[split] = counts.get(split, 0) + 1
    listed = ", ".join(f"{name} ({count})" for name, count in counts.items())
    if counts and not splits:
        what = f"the data has splits: {listed}; a pack must not show those that are held out"
        # never the first of them: it may be the split that is held out
        option = "--split train" if "train" in counts else f"--split NAME, one of {', '.join(counts)}"
        raise _config_error("split-required", what, f"name the split to learn from: {option}")
    for name in splits:
        if name not in counts:
            similar = nearest(name, counts)
            fix = f"it has {listed}" if counts else "its cases have no split: omit --split"
            if similar:
                fix = f"did you mean `{similar}`?"
            raise _config_error("no-split", f"the run {run.id} has no split `{name}`", fix)
    ids = list_ids_by_position(run)
    chosen = np.zeros(len(ids), dtype=np.bool_)
    chosen[list_case_positions(run)] = [not splits or split in splits for split in split_of]
    return ids, chosen


def _choose_evaluator(run: Run, evaluator: str | None) -> str:
    if evaluator is not None:
        if evaluator not in run.evaluators:
            raise _config_error("no-evaluator", f"the run has no evaluator `{evaluator}`", f"it has {', '.join(run.evaluators)}")
        return evaluator
    for name in run.evaluators:
        if any(list_part_files(part, "comparisons", name) for part in run.parts):
            return name
    if not run.evaluators or not run.parts:
        raise _config_error("nothing-evaluated", f"the run {run.id} has no results", "run the suite again")
    return run.evaluators[0]


@dataclass(frozen=True, slots=True)
class _MismatchTable:
    """The comparisons of the chosen cases that count, as arrays."""

    case: NDArray[np.int64]
    field: NDArray[np.int64]
    passed: NDArray[np.bool_]
    cause: NDArray[np.int64]
    """Index into `causes`; meaningless where `passed`."""
    similarity: NDArray[np.float64]
    path: NDArray[np.int64]
    fields: Sequence[str]
    causes: Sequence[str]
    paths: Sequence[str]
    matches: Mapping[str, str]

    @classmethod
    def read(cls, run: Run, evaluator: str, chosen: NDArray[np.bool_]) -> "_MismatchTable":
        """The comparisons of one evaluator."""
        fields, causes, paths = _Names(), _Names(), _Names()
        columns: dict[str, list[NDArray[Any]]] = {name: [] for name in ("case", "field", "passed", "cause", "similarity", "path")}
        matches: dict[str, str] = {}
        for part in run.parts:
            for file in list_part_files(part, "comparisons", evaluator):
                table = read_table(run.path, file, columns=["case", "field", "path", "outcome", "passed", "cause", "similarity"])
                matches |= read_match_names(table)
                outcome = _encode(table, "outcome", outcomes := _Names())
                uncounted = [code for name, code in outcomes.code_of.items() if name in UNCOUNTED_OUTCOMES]
                case = numpy_array(table.column("case")).astype(np.int64)
                rows = np.flatnonzero(chosen[case] & ~np.isin(outcome, uncounted))
                selected = table.take(rows) if len(rows) < table.num_rows else table
                outcome_cause = _encode(selected, "outcome", causes)
                known_cause = _encode(selected, "cause", causes)
                columns["case"].append(case[rows])
                columns["field"].append(_encode(selected, "field", fields))
                columns["path"].append(_encode(selected, "path", paths))
                columns["passed"].append(numpy_array(selected.column("passed")))
                columns["cause"].append(np.where(known_cause >= 0, known_cause, outcome_cause))
                columns["similarity"].append(numpy_array(selected.column("similarity"), np.nan))
        joined: dict[str, NDArray[Any]] = {}
        for name, chunks in columns.items():
            joined[name] = np.concatenate([np.zeros(0, dtype=np.int64), *chunks])
        return cls(
            case=joined["case"],
            field=joined["field"],
            passed=joined["passed"].astype(np.bool_),
            cause=joined["cause"],
            similarity=joined["similarity"],
            path=joined["path"],
            fields=list(fields.code_of),
            causes=list(causes.code_of),
            paths=list(paths.code_of),
            matches=matches,
        )

    def count_fields(self) -> list[FieldCount]:
        """Every field that the chosen cases have, the most mismatches first."""
        counted = np.bincount(self.field, minlength=len(self.fields))
        matched = np.bincount(self.field[self.passed], minlength=len(self.fields))
        wrong = ~self.passed
        pairs, counts = np.unique(self.field[wrong] * max(len(self.causes), 1) + self.cause[wrong], return_counts=True)
        causes: dict[int, dict[str, int]] = {}
        most_first = np.argsort(-counts, kind="stable")
        listed: list[tuple[int, int]] = list(zip(pairs[most_first].tolist(), counts[most_first].tolist(), strict=True))
        for pair, count in listed:
            field, cause = divmod(pair, max(len(self.causes), 1))
            causes.setdefault(field, {})[self.causes[cause]] = count
        fields = [
            FieldCount(
                field=name, match=self.matches.get(name, ""), n=int(counted[code]), matched=int(matched[code]), causes=causes.get(code, {})
            )
            for code, name in enumerate(self.fields)
            if counted[code]
        ]
        return sorted(fields, key=lambda entry: entry.matched - entry.n)

    def count_causes(self, ids: Sequence[str]) -> dict[str, dict[str, int]]:
        """Cause → case → number of mismatches, the most frequent cause first."""
        wrong = ~self.passed
        cases = np.int64(len(ids) or 1)
        pairs, counts = np.unique(self.cause[wrong] * cases + self.case[wrong], return_counts=True)
        by_cause: dict[str, dict[str, int]] = {}
        listed: list[tuple[int, int]] = list(zip(pairs.tolist(), counts.tolist(), strict=True))
        for pair, count in listed:
            cause, case = divmod(pair, int(cases))
            by_cause.setdefault(self.causes[cause], {})[ids[case]] = count
        return dict(sorted(by_cause.items(), key=lambda entry: -sum(entry[1].values())))

    def pick_failures(self) -> dict[str, list[int]]:
        """Cause → rows of mismatches, spread over fields and cases."""
        picked: dict[str, list[int]] = {}
        for code, cause in enumerate(self.causes):
            rows = np.flatnonzero(~self.passed & (self.cause == code))
            if len(rows):
                picked[cause] = _spread_rows(rows, self.field, _CANDIDATES)
        return dict(sorted(picked.items(), key=lambda entry: -int((~self.passed & (self.cause == self.causes.index(entry[0]))).sum())))

    def pick_passes(self) -> list[int]:
        """Rows of right values of the fields with mismatches: the least similar ones, which break first, then others."""
        picked: list[int] = []
        wrong_count = np.bincount(self.field[~self.passed], minlength=len(self.fields))
        for code in np.argsort(-wrong_count, kind="stable").tolist():
            if not wrong_count[code] or len(picked) >= _MAX_PASSES:
                break
            rows = np.flatnonzero(self.passed & (self.field == code))
            order = np.argsort(np.nan_to_num(self.similarity[rows], nan=1.0), kind="stable")
            picked += rows[order[:PASSES_PER_FIELD]].tolist()
        return picked


class _Names:
    """Codes of texts that several tables share."""

    def __init__(self) -> None:
        self.code_of: dict[str, int] = {}

    def encode(self, names: Sequence[str]) -> NDArray[np.int64]:
        """The code of each name, and -1 after the last."""
        return np.array([*(self.code_of.setdefault(name, len(self.code_of)) for name in names), -1], dtype=np.int64)


def _encode(table: ArrowTable, column: str, names: _Names) -> NDArray[np.int64]:
    """The code of each text of a column; -1 for null. Only names that occur get a code."""
    codes: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    for chunk in table.column(column).chunks:
        encoded = chunk.dictionary_decode().dictionary_encode() if hasattr(chunk, "dictionary") else chunk.dictionary_encode()
        codes.append(names.encode(encoded.dictionary.to_pylist())[numpy_array(encoded.indices, -1)])
    return np.concatenate(codes)


def _spread_rows(rows: NDArray[np.int64], field: NDArray[np.int64], limit: int) -> list[int]:
    """At most `limit` rows: each field in turn, its rows at equal distances so that they come from many cases."""
    by_field = [rows[field[rows] == code] for code in np.unique(field[rows]).tolist()]
    share = -(-limit // len(by_field))
    spread = [chunk[np.linspace(0, len(chunk) - 1, min(share, len(chunk))).astype(np.int64)] for chunk in by_field]
    turns: list[int] = []
    for turn in range(share):
        turns += [int(chunk[turn]) for chunk in spread if turn < len(chunk)]
    return turns[:limit]


def _read_scores(run: Run, evaluator: str, chosen: NDArray[np.bool_]) -> tuple[dict[str, tuple[float, int]], list[int]]:
    """The mean score of each evaluator over the chosen cases, and the positions of imperfect cases of one, lowest scores first."""
    scores: dict[str, tuple[float, int]] = {}
    order: list[int] = []
    for name in run.evaluators:
        table = run.scores(name)
        if not table.num_rows:
            continue
        case = numpy_array(table.column("case")).astype(np.int64)
        status, fault = table.column("status").to_pylist(), table.column("fault").to_pylist()
        is_measured = np.array(
            [case_status == "scored" or case_fault == "system" for case_status, case_fault in zip(status, fault, strict=True)],
            dtype=np.bool_,
        )
        value = numpy_array(table.column("score"))
        rows = np.flatnonzero(chosen[case] & is_measured)
        if len(rows):
            scores[name] = (float(value[rows].mean()), len(rows))
        if name == evaluator:
            is_pass = np.array([verdict == "pass" for verdict in table.column("verdict").to_pylist()], dtype=np.bool_)
            rows = np.flatnonzero(chosen[case] & ~(is_measured & is_pass & (value >= 1)))
            order = case[rows[np.argsort(value[rows], kind="stable")]].tolist()
    return scores, order


def _collect_examples(run: Run, evaluator: str, table: _MismatchTable, redaction: Redaction | None) -> list[PackExample]:
    failures, passes = table.pick_failures(), table.pick_passes()
    rows = [*passes, *(row for candidates in failures.values() for row in candidates)]
    if not rows:
        return []  # an evaluator without comparisons has no wrong values: its misses are in the feedback
    values = _load_comparisons(run, evaluator, sorted({int(table.case[row]) for row in rows}), redaction)
    inputs = {} if redaction else _load_inputs(run, {int(table.case[row]) for row in rows})
    examples: list[PackExample] = []

    def add(kind: str, cause: str | None, row: int) -> None:
        position = int(table.case[row])
        case_id, comparisons = values[position]
        comparison = comparisons.get(table.paths[int(table.path[row])])
        if comparison is not None:
            examples.append(PackExample(kind=kind, cause=cause, case=case_id, comparison=comparison, input=inputs.get(position)))

    for cause, candidates in failures.items():
        shapes = [_describe_shape(values[int(table.case[row])][1].get(table.paths[int(table.path[row])])) for row in candidates]
        for index in _pick_diverse(shapes, [int(table.field[row]) for row in candidates], [int(table.case[row]) for row in candidates]):
            add("failure", cause, candidates[index])
    for row in passes:
        add("pass", None, row)
    return examples


def _pick_diverse(shapes: Sequence[str], fields: Sequence[int], cases: Sequence[int]) -> list[int]:
    """The positions of a few candidates that repeat fields, shapes of values and cases as little as possible."""
    used: dict[tuple[str, Any], int] = {}
    picked: list[int] = []
    remaining = list(range(len(shapes)))
    while remaining and len(picked) < EXAMPLES_PER_CAUSE:
        keys = {index: (("field", fields[index]), ("shape", shapes[index]), ("case", cases[index])) for index in remaining}
        best = min(remaining, key=lambda index: tuple(used.get(key, 0) for key in keys[index]))
        for key in keys[best]:
            used[key] = used.get(key, 0) + 1
        picked.append(best)
        remaining.remove(best)
    return picked


def _describe_shape(comparison: Comparison | None) -> str:
    """Both values with letters and digits folded, so that `A-12 → A-1` and `B-77 → B-7` count as alike."""
    if comparison is None:
        return ""
    text = f"{format_value(comparison.expected)} → {format_value(comparison.actual)}"
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text[:400]))


def _load_comparisons(
    run: Run, evaluator: str, positions: Sequence[int], redaction: Redaction | None
) -> dict[int, tuple[str, dict[str, Comparison]]]:
    loaded: dict[int, tuple[str, dict[str, Comparison]]] = {}
    for stored in run.results_at(positions, evaluator):
        result = _redact_result(stored.result, redaction)
        loaded[stored.position] = stored.case, {comparison.path: comparison for comparison in result.comparisons}
    return loaded


def _read_cases(run: Run, positions: set[int]) -> Iterator[tuple[int, Case]]:
    for part in run.parts:
        in_part = sorted(position for position in positions if part.first <= position < part.first + part.cases)
        for file in list_part_files(part, "cases") if in_part else ():
            for row in read_table(run.path, file, case=in_part).to_pylist():
                yield row["case"], decode_case(row)


def _load_inputs(run: Run, positions: set[int]) -> dict[int, Any]:
    return {position: _shorten_input(case.input) for position, case in _read_cases(run, positions) if case.input is not None}


def _shorten_input(value: Any) -> Any:
    text = value if isinstance(value, str) else dump_json(value)
    return value if len(text) <= _INPUT_LENGTH else truncate(text, _INPUT_LENGTH)


def _collect_feedback(run: Run, positions: Sequence[int], redaction: Redaction | None) -> list[dict[str, Any]]:
    rank = {position: number for number, position in enumerate(positions)}
    lines: list[tuple[int, dict[str, Any]]] = []
    for stored in run.results_at(positions):
        result = _redact_result(stored.result, redaction)
        line = {
            "case": stored.case,
            "evaluator": stored.evaluator,
            "score": result.score,
            "verdict": result.verdict,
            "status": result.status,
            "feedback": feedback(result),
            "fields": feedback_by_field(result),
        }
        lines.append((rank[stored.position], line))
    return [line for _, line in sorted(lines, key=lambda entry: entry[0])]


def _redact_result(result: Result, redaction: Redaction | None) -> Result:
    """The result with the values at redacted paths as hashes, and without texts that may quote them."""
    if redaction is None:
        return result
    comparisons = ComparisonList(_redact_comparison(comparison, redaction) for comparison in result.comparisons)
    misses = [] if result.comparisons else [_REDACTED_NOTE for _ in result.misses]
    return replace(result, comparisons=comparisons, misses=misses)


def _redact_comparison(comparison: Comparison, redaction: Redaction) -> Comparison:
    try:
        steps = Path.parse(comparison.path.replace("[+", "[")).steps
    except MalformedPath:
        steps = None
    if steps is not None and not redaction.covers(steps):
        inner = {side: redaction.redact_record(getattr(comparison, side), steps) for side in ("expected", "actual")}
        return replace(comparison, **inner)
    hashed = {side: redaction.hash_value(getattr(comparison, side)) for side in ("expected", "actual")}
    return replace(comparison, note=_REDACTED_NOTE if comparison.note else None, **hashed)
