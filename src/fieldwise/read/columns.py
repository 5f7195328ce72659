"""Assign roles to the columns of a file: as the suite says, else by usual names."""

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import product
from typing import Any, Final, cast, get_args

from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.plan import Role, list_id_columns
from fieldwise.model.values import MISSING
from fieldwise.pattern import compile_on_use
from fieldwise.read.records_in_text import find_record
from fieldwise.read.side_mapping import locate
from fieldwise.registry import nearest

ROLES: Final[tuple[str, ...]] = get_args(Role)
_OUTPUT_NOUNS: Final = (
    "answer",
    "output",
    "response",
    "reply",
    "result",
    "value",
    "label",
    "class",
    "category",
    "text",
    "json",
    "completion",
)


def _list_side_names(adjectives: Iterable[str], *whole_names: str) -> tuple[str, ...]:
    """Folded names of columns of a side: whole names, and every adjective with every noun for an output, such as `idealanswer`."""
    return (*whole_names, *(f"{adjective}{noun}" for adjective in adjectives for noun in _OUTPUT_NOUNS))


USUAL_NAMES: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "id": (
        (
            *("caseid", "sampleid", "exampleid", "testid", "testcaseid", "questionid", "qid", "recordid", "rowid"),
            *("docid", "documentid", "itemid", "datasetitemid", "requestid", "evalid", "uid", "uuid", "key"),
        ),
    ),
    "input": (
        ("question", "prompt", "query", "userinput", "inputs", "request", "inputmessages"),
        ("questions", "prompts", "queries"),
    ),
    "expected": (
        (
            *("groundtruth", "groundtruths", "gold", "goldanswer", "goldstandard", "truth", "gt", "reference", "referenceanswer"),
            *("referenceoutput", "referenceoutputs", "expectedoutput", "expectedoutputs", "expectedanswer", "expectedresponse"),
            *("expectations", "correctanswer", "ideal", "target", "targets", "expectedmessages"),
        ),
        _list_side_names(
            ("expected", "ideal", "gold", "golden", "true", "correct", "reference", "groundtruth", "target", "desired"), "ytrue"
        ),
        ("expectedoutcome",),
        ("answers",),
    ),
    "actual": (
        ("evaluationtaskoutput.output",),
        (
            *("output", "outputs", "actualoutput", "modeloutput", "systemoutput", "prediction", "predictions", "predicted"),
            *("pred", "preds", "predictiontext"),
            *("answer", "generatedanswer", "modelanswer", "candidateanswer", "candidate", "response", "modelresponse"),
            *("completion", "generated", "generatedtext", "hypothesis", "extracted", "extraction", "aio"),
            *("taskoutput", "evaluationtaskoutput", "outputmessages"),
        ),
        _list_side_names(
            (
                "actual",
                "predicted",
                "generated",
                "model",
                "system",
                "bot",
                "chatbot",
                "llm",
                "ai",
                "agent",
                "assistant",
                "rag",
                "extracted",
            ),
            *("ypred", "modelprediction", "llmprediction"),
        ),
    ),
    "contexts": (
        ("retrievedcontexts", "retrievalcontext", "retrievedcontext", "retrieveddocuments", "retrieveddocs"),
        ("sources", "context"),
    ),
}
"""Names of columns that are recognized, folded, besides the names of the roles themselves: those of DeepEval, ragas, promptfoo, Langfuse,
LangSmith, MLflow, Braintrust, Inspect, Opik, Azure AI evaluation, AgentV and SQuAD. Names of an earlier group win over those of a later
one; several names of one group are ambiguous."""
USUAL_SIDE_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "input": ("question", "prompt"),
    "expected": ("ground_truth", "gold", "reference", "expected_output"),
    "actual": ("output", "prediction", "answer", "response"),
    "contexts": ("sources",),
}
"""The few names that are recognized where the two sides are separate files: a field `target` of a record is data."""
_NAMES_OF_RESULTS: Final = (frozenset(("testid", "target", "score")), frozenset(("evalid", "target", "score")))
"""AgentV writes these into its results: there, `target` is the system under test, not what was expected of it."""
_PROMPTFOO_OUTPUT: Final = re.compile(r"\[[^\]]+\] \S")
"""The header of an output in the CSV of promptfoo: `[provider] prompt`."""
_MODEL: Final = r"(?:gpt|chatgpt|claude|gemini|gemma|llama|mistral|mixtral|qwen|deepseek|grok)[\d.]*[a-z]{0,8}\d*"
_MODEL_OUTPUT: Final = compile_on_use(rf"(?:answers?|response|output)(?:of|by|from)?{_MODEL}|{_MODEL}(?:answers?|response|output)")
"""A folded name of a column with the outputs of one of several models: `answer_gpt4`, `llama3_response`."""
_CONTAINERS: Final[Mapping[str, tuple[str, ...]]] = {
    "input": ("input", "inputs", "item", "data", "row", "dataset", "datasetitem", "datasetitemdata"),
    "expected": ("expected", "expectations", "reference", "referenceoutputs"),
    "actual": ("output", "outputs", "evaluationtask", "evaluationtaskoutput"),
}
"""Objects that tools spread over columns: `inputs.query` (Azure AI evaluation), `reference.answer` (LangSmith), `expectations/…` (MLflow).
The first ones may hold any role, the others only their own."""
_DATASET_ITEMS: Final = ("datasetitem", "datasetitemdata")
"""Containers of an item of a dataset: an answer in them is the expected one."""
_NESTED_CONTAINERS: Final = (*_DATASET_ITEMS, "evaluationtaskoutput")
"""Containers that are looked into where they are one column of objects, as Opik writes them."""
_CONTAINER_SEPARATORS: Final = (".", "/")
SIDE_WORDS: Final[Mapping[str, frozenset[str]]] = {
    "expected": frozenset(
        ("expected", "gold", "golden", "groundtruth", "gt", "true", "truth", "reference", "ref", "target", "correct", "expectations")
    ),
    "actual": frozenset(
        (
            *("actual", "pred", "predicted", "prediction", "output", "extracted", "generated", "model", "system", "hyp", "llm", "ai"),
            *("result", "response", "detected", "outputs", "predictions"),
        )
    ),
}
"""First or last words of columns that hold one field of a side each, such as `total_gold` and `total_pred`."""
_WORD_SEPARATORS: Final = ("_", " ", "-", ".", ":", "/")
_MAX_LISTED: Final = 20
NO_COLUMNS: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """The column of each role that has one."""

    columns: Mapping[str, str] = field(default_factory=dict)
    trials: tuple[str, ...] = ()
    """The columns of several outputs, one per trial."""
    fields: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """`expected` or `actual` → column → field, if the record of that side is spread over columns such as `total_gold`."""
    ignored: frozenset[str] = frozenset()
    """Columns that are not part of a case, such as those of the opposite side in paired files."""
    id_columns: tuple[str, ...] = ()
    """The columns that identify a case together; they are part of its metadata too."""
    not_ids: Mapping[str, str] = field(default_factory=dict)
    """Column that could be the id by its name → why it is not."""

    def get_role(self, column: object) -> str | None:
        """The role of a column, if it has one."""
        if column in self.trials:
            return "actuals"
        for role, columns in self.fields.items():
            if column in columns:
                return role
        return next((role for role, name in self.columns.items() if name == column), None)

    @property
    def used(self) -> frozenset[str]:
        """Every column that does not go to the metadata."""
        return frozenset(self.columns.values()).union(self.trials, self.ignored, *self.fields.values())


def is_usual_id(name: str) -> bool:
    """True if a column of this name is recognized as the id.

    >>> is_usual_id("doc_id"), is_usual_id("page")
    (True, False)
    """
    folded = fold_name(name)
    return folded == "id" or any(folded in group for group in USUAL_NAMES["id"])


def is_usual_input(name: str) -> bool:
    """True if a column of this name is recognized as the input."""
    folded = fold_name(name)
    return folded == "input" or any(folded in group for group in USUAL_NAMES["input"])


def is_usual_side_name(role: str, name: str) -> bool:
    """True if a column of this name is recognized as that side.

    >>> is_usual_side_name("actual", "modelOutput"), is_usual_side_name("actual", "page")
    (True, False)
    """
    folded = fold_name(name)
    return folded == role or any(folded in group for group in USUAL_NAMES[role])


_PATH_SIGNS: Final = ".[]*"
_PATH_SIGN: Final = re.compile(r"[.\[\]*]")
"""Signs that separate the names of a path: `a.b` is not `ab`."""


def fold_name(name: str) -> str:
    """A name without case, separators, signs and the difference between snake_case and camelCase.

    >>> fold_name("expectedOutput"), fold_name("Ground-Truth"), fold_name("__expected"), fold_name("VAT %")
    ('expectedoutput', 'groundtruth', 'expected', 'vat')
    """
    folded = name.casefold()
    if folded.isalnum():
        return folded
    return "".join(character for character in folded if character.isalnum() or character in _PATH_SIGNS).rstrip(".") or folded


def find_roles(
    names: Iterable[str],
    written: Mapping[str, Any],
    where: Where,
    *,
    separate_sides: bool = False,
    without_id: bool = False,
    not_ids: Mapping[str, str] = NO_COLUMNS,
) -> tuple[ColumnRoles, list[Diagnostic]]:
    """The roles of these columns, with what was recognized (info) and what cannot be decided (error).

    `written` is `columns` of the suite: role → column. `separate_sides`: the columns are those of one side only, so that fewer names are
    recognized. `without_id`: something else identifies the rows. `not_ids`: columns whose values showed that they are not the id.
    """
    present = list(names)
    columns, several, problems = _check_written_columns(present, written, where)
    trials = several.get("actuals", ())
    fields = {role: match_columns(columns[role], present) for role in ("expected", "actual") if "*" in columns.get(role, "")}
    claimed = {*columns.values(), *several.get("id", ()), *trials, *(name for names in fields.values() for name in names)}
    for role in ROLES:
        if role in written or (role == "id" and without_id):
            continue
        refused = not_ids if role == "id" else NO_COLUMNS
        candidates = _find_candidates(role, [name for name in present if name not in claimed and name not in refused], separate_sides)
        if len(candidates) > 1:
            problems.append(describe_ambiguous_columns(role, candidates, where, has_expected="expected" in columns))
        elif candidates:
            columns[role] = candidates[0]
            if candidates[0] != role:
                problems.append(note_recognized_column(candidates[0], role, where, refused))
    if not separate_sides and not trials:
        taken = {*written, *columns, *(("actual",) if "actuals" in {*columns, *written} else ())}
        free = [name for name in present if name not in {*claimed, *columns.values()}]
        patterns, qualified = _find_spread_columns(free, [role for role in ROLES if role not in taken])
        for role, candidates in qualified.items():
            if len(candidates) > 1:
                problems.append(describe_ambiguous_columns(role, candidates, where))
        fields |= {role: match_columns(pattern, present) for role, pattern in patterns.items()}
        spread = patterns | {role: candidates[0] for role, candidates in qualified.items() if len(candidates) == 1}
        columns |= spread
        problems += [note_recognized_column(column, role, where) for role, column in spread.items()]
    return ColumnRoles(columns, trials, fields, id_columns=several.get("id", ()), not_ids=not_ids), problems


def match_columns(pattern: str, names: Iterable[str]) -> dict[str, str]:
    """Column → field for the columns that a pattern such as `*_gold` matches: the field is what `*` stands for.

    >>> match_columns("gold_*", ["gold_total", "pred_total", "gold_"])
    {'gold_total': 'total'}
    """
    prefix, _, suffix = pattern.partition("*")
    fields: dict[str, str] = {}
    for name in names:
        if name.startswith(prefix) and name.endswith(suffix) and len(name) > len(prefix) + len(suffix):
            fields[name] = name[len(prefix) : len(name) - len(suffix)]
    return fields


def _find_side_patterns(names: Sequence[str]) -> dict[str, str]:
    """`expected` and `actual` → pattern, if columns such as `total_gold` and `total_pred` are the two sides of the same fields.

    >>> _find_side_patterns(["doc", "total_gold", "total_pred", "date_gold", "date_pred"])
    {'expected': '*_gold', 'actual': '*_pred'}
    """
    patterns: dict[str, list[str]] = {"expected": [], "actual": []}
    for name in names:
        for pattern, word in _list_affixes(name):
            for role, words in SIDE_WORDS.items():
                if fold_name(word) in words and pattern not in patterns[role]:
                    patterns[role].append(pattern)
    best: dict[str, str] = {}
    most = 0
    for expected, actual in product(patterns["expected"], patterns["actual"]):
        common = _count_common_fields(expected, actual, names)
        if common > most:
            best, most = {"expected": expected, "actual": actual}, common
    return best


def _count_common_fields(expected: str, actual: str, names: Sequence[str]) -> int:
    """The number of fields that have a column of each pattern."""
    return len({*match_columns(expected, names).values()} & {*match_columns(actual, names).values()})


def _find_spread_columns(names: Sequence[str], roles: Sequence[str]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Role → pattern, and role → candidates, for the roles that are spread over columns: as records, or as parts of containers.

    Two sides with several fields in common are records, also where one of these fields has a usual name.
    """
    qualified = _find_qualified_columns(names, roles)
    patterns = _find_side_patterns(names) if {"expected", "actual"} <= {*roles} else {}
    has_both_sides = {"expected", "actual"} <= qualified.keys()
    if patterns and has_both_sides and _count_common_fields(patterns["expected"], patterns["actual"], names) == 1:
        patterns = {}
    return patterns, {role: candidates for role, candidates in qualified.items() if role not in patterns}


def _find_qualified_columns(names: Sequence[str], roles: Sequence[str]) -> dict[str, list[str]]:
    """Role → columns that are a part of a container, such as `inputs.query` for `input`; roles without any are left out.

    >>> _find_qualified_columns(["inputs.query", "inputs.ground_truth", "outputs.f1.f1_score"], ["input", "expected", "actual"])
    {'input': ['inputs.query'], 'expected': ['inputs.ground_truth']}
    """
    columns: dict[str, list[str]] = {}
    for name in names:
        role = _find_qualified_role(name)
        if role is not None and role in roles:
            columns.setdefault(role, []).append(name)
    return columns


def _find_qualified_role(name: str) -> str | None:
    """The role of a column `container.name` or `container/name`; also of `name/value`, as MLflow writes assessments."""
    for separator in _CONTAINER_SEPARATORS:
        container, mark, part = name.partition(separator)
        if not mark:
            continue
        if separator == "/" and part == "value":
            return next((role for role in ("expected", "actual") if is_usual_side_name(role, container)), None)
        names = [role for role in USUAL_NAMES if is_usual_side_name(role, part)]
        for role, containers in _CONTAINERS.items():
            if fold_name(container) not in containers or not names:
                continue
            if fold_name(container) in _DATASET_ITEMS and names[0] == "actual":
                return "expected"
            if role == "input":
                return names[0]
            return role if {"expected", "actual"} & {*names} else None
    return None


def _list_affixes(name: str) -> Iterator[tuple[str, str]]:
    """The first and the last word of a name, each with the pattern of the columns that share it.

    >>> list(_list_affixes("gold_total"))
    [('gold_*', 'gold'), ('*_total', 'total')]
    """
    for separator in _WORD_SEPARATORS:
        first, mark, _ = name.partition(separator)
        if mark and first:
            yield f"{first}{separator}*", first
            last = name.rpartition(separator)[2]
            if last:
                yield f"*{separator}{last}", last


def list_id_candidates(present: Sequence[str], *, separate_sides: bool = False) -> list[str]:
    """The columns that could be the id by their names.

    >>> list_id_candidates(["doc_id", "question_id", "x"]), list_id_candidates(["doc_id", "id"])
    (['doc_id', 'question_id'], ['id'])
    """
    return _find_candidates("id", present, separate_sides)


def find_id_column(
    present: Sequence[str], written: str | None, where: Where, not_ids: Mapping[str, str] = NO_COLUMNS
) -> tuple[str | None, list[Diagnostic]]:
    """The column that identifies the rows of one side, whose other columns are data; None if there is none."""
    if written is not None and written in present:
        return written, []
    candidates = list_id_candidates([name for name in present if name not in not_ids], separate_sides=True)
    if len(candidates) > 1:
        return None, [describe_ambiguous_columns("id", candidates, where)]
    if not candidates:
        return None, []
    return candidates[0], [] if candidates[0] == "id" else [note_recognized_column(candidates[0], "id", where, not_ids)]


def _find_candidates(role: str, free: Sequence[str], separate_sides: bool) -> list[str]:
    """The columns that may have a role: the one with its name, else those with a usual name."""
    if role in free:
        return [role]
    if role == "actual" and not separate_sides:
        outputs = [name for name in free if is_promptfoo_output(name)]
        if outputs and {"status", "score"} <= {fold_name(name) for name in free}:
            return outputs
    if role == "expected" and any({fold_name(name) for name in free} >= names for names in _NAMES_OF_RESULTS):
        free = [name for name in free if fold_name(name) != "target"]
    groups: Sequence[Sequence[str]] = ((role,), *USUAL_NAMES.get(role, ()))
    if separate_sides and role != "id":
        groups = ((role,), [fold_name(name) for name in USUAL_SIDE_NAMES.get(role, ())])
    for group in groups:
        candidates = [name for name in free if fold_name(name) in group and not (separate_sides and fold_name(name) == "key")]
        if candidates:
            return [*candidates, *_find_other_answers(candidates, free)] if role == "actual" and not separate_sides else candidates
    return [name for name in free if is_promptfoo_output(name)] if role == "actual" and not separate_sides else []


def _find_other_answers(outputs: Sequence[str], names: Sequence[str]) -> list[str]:
    """The columns `predicted_answer`, `answer_gpt4` … beside the column `answer`, which may then be the expected one."""
    if not any(fold_name(name) == "answer" for name in outputs):
        return []
    output_names = {f"{word}answer" for word in SIDE_WORDS["actual"]}
    others = [name for name in names if name not in outputs]
    return [name for name in others if fold_name(name) in output_names or _MODEL_OUTPUT.fullmatch(fold_name(name))]


def is_promptfoo_output(name: str) -> bool:
    """True for the header of a column of outputs in the CSV of promptfoo.

    >>> is_promptfoo_output("[openai:gpt-4] Extract the total"), is_promptfoo_output("answer")
    (True, False)
    """
    return _PROMPTFOO_OUTPUT.match(name) is not None


def list_nested_names(rows: Sequence[Mapping[str, Any]], columns: Iterable[str], written: Mapping[str, Any] = NO_COLUMNS) -> list[str]:
    """The paths of what is inside those columns of the rows that are containers, as objects or as their JSON text.

    `written` is `columns` of the suite: a path in it is a name, too, where a row has a value there.

    >>> list_nested_names([{"dataset_item_data": {"input": "q", "expected_output": "a"}}], ["dataset_item_data", "trace_id"])
    ['dataset_item_data.input', 'dataset_item_data.expected_output']
    """
    names: dict[str, None] = {}
    for path in [*written.values(), *list_id_columns(written.get("id"))]:
        if isinstance(path, str) and "." in path and any(locate(row, path) is not MISSING for row in rows):
            names[path] = None
    for column in columns:
        for row in rows if fold_name(column) in _NESTED_CONTAINERS else ():
            value = row.get(column)
            members = find_record(value).value if isinstance(value, str) else value
            if isinstance(members, Mapping):
                names.update(dict.fromkeys(f"{column}.{key}" for key in cast("Mapping[str, Any]", members) if not _PATH_SIGN.search(key)))
    return list(names)


def note_recognized_column(column: str, role: str, where: Where, refused: Mapping[str, str] = NO_COLUMNS) -> Diagnostic:
    """The note that a usual name was recognized, and why other columns (`refused`: column → reason) were not chosen."""
    what = f"the columns `{column}` are read as the {role} record" if "*" in column else f"the column `{column}` is read as {role}"
    what += "".join(f", not `{name}`: {reason}" for name, reason in refused.items())
    return Diagnostic(code="column-recognised", what=what, where=where, level="info")


def describe_ambiguous_columns(role: str, candidates: Sequence[str], where: Where, *, has_expected: bool = True) -> Diagnostic:
    """The error for several columns that could have the same role. Of two outputs without an expected one, `answer` may be that."""
    quoted = [f"`{name}`" for name in candidates]
    names = f"{', '.join(quoted[:-1])} and {quoted[-1]}"
    what = f"{names} could {'both' if len(candidates) == 2 else 'all'} be {role}"
    roles = {role: candidates[0]}
    lead = "say which one"
    answers = [name for name in candidates if fold_name(name) == "answer"]
    if role == "actual" and not has_expected and answers:
        output = next(name for name in candidates if name not in answers)
        roles = {"expected": answers[0], "actual": output}
        lead = "say which is which"
    columns = ", ".join(f"{role}: {quote_name(name)}" for role, name in roles.items())
    options = " ".join(f"--column {shlex.quote(f'{role}={name}')}" for role, name in roles.items())
    fix = f"{lead}: columns: {{{columns}}}, or `init {options}`"
    return Diagnostic(code="ambiguous-columns", what=what, where=Where(file=where.file), fix=fix)


def quote_name(name: str) -> str:
    """A name as YAML reads it inside `{}`: in quotes if it has signs.

    >>> quote_name("answer"), quote_name("[openai:gpt-4] p")
    ('answer', '"[openai:gpt-4] p"')
    """
    is_plain = all(character.isalnum() or character in "_-./ " for character in name) and name[:1].isalpha()
    return name if is_plain else json.dumps(name, ensure_ascii=False)


def _check_written_columns(
    present: list[str], written: Mapping[str, Any], where: Where
) -> tuple[dict[str, str], dict[str, tuple[str, ...]], list[Diagnostic]]:
    """The columns that the suite names, those of roles that have several, as far as they exist, and the problems of the others."""
    columns: dict[str, str] = {}
    several: dict[str, tuple[str, ...]] = {}
    problems: list[Diagnostic] = []
    for role, value in written.items():
        if role not in ROLES:
            problems.append(_describe_unknown_role(role, where))
            continue
        is_list = role in ("id", "actuals") and isinstance(value, list | tuple)
        names: list[Any] = list(value) if is_list else [value]
        missing = [name for name in names if name not in present and not _is_side_pattern(role, name, present)]
        problems += [_describe_unknown_column(str(name), present, where) for name in missing]
        if missing:
            continue
        if is_list:
            several[role] = tuple(names)
        else:
            columns[role] = names[0]
    return columns, several, problems


def _is_side_pattern(role: str, name: Any, present: Sequence[str]) -> bool:
    """True for `*_gold` and the like, if there are such columns."""
    return role in ("expected", "actual") and isinstance(name, str) and name.count("*") == 1 and bool(match_columns(name, present))


def _describe_unknown_role(role: str, where: Where) -> Diagnostic:
    where = Where(file=where.file, field=f"columns.{role}")
    return Diagnostic(code="unknown-role", what=f"there is no role `{role}`", where=where, fix=_suggest(role, ROLES))


def _describe_unknown_column(column: str, present: Sequence[str], where: Where) -> Diagnostic:
    what = f"there is no column `{column}`"
    return Diagnostic(code="unknown-column", what=what, where=Where(file=where.file), fix=_suggest(column, present))


def _suggest(name: str, valid: Sequence[str]) -> str:
    closest = nearest(name, list(valid))
    return f"did you mean `{closest}`?" if closest else f"there are: {', '.join(valid[:_MAX_LISTED]) or 'none'}"
