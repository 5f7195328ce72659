"""Which paths the records of all cases have, and the problems of rules whose path no expected record has."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic, Level, Where
from fieldwise.model.options import NamesKeys, ReadsItems, ReadsOutputFields
from fieldwise.model.path import EACH, Path, Step, render_path, value_at
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.model.rule import FieldRule, ListRule
from fieldwise.model.services import NO_SERVICES
from fieldwise.model.values import MISSING, Value
from fieldwise.read.rule_lines import locate_paths
from fieldwise.read.suite import read_document
from fieldwise.registry import nearest
from fieldwise.score.batch import ScoringBatch

ABSENT_PATH: Final = "unused-rule"
_MAX_PATHS: Final = 2000
"""Maximum number of paths of a side that are kept for suggestions."""
_MAX_DEPTH: Final = 20
_MAX_LISTED: Final = 5


class WrittenRule(NamedTuple):
    """A field rule that the suite writes, with the name of its evaluator."""

    evaluator: str
    rule: FieldRule
    field: str
    """Its name in the field table: a member of a composite is named before the path."""


def list_written_rules(plan: Plan) -> list[WrittenRule]:
    """The field rules that a suite writes, those of members of a composite too; without malformed paths and inferred rules."""
    return [written for planned in plan.evaluators for written in _rules_of_evaluator(planned, planned.name, "")]


def _rules_of_evaluator(planned: PlannedEvaluator, name: str, prefix: str) -> Iterator[WrittenRule]:
    members = getattr(planned.config, "evaluators", ())
    for member in members:
        yield from _rules_of_evaluator(member.evaluator, name, f"{prefix}{member.evaluator.name}: ")
    if members or planned.has_inferred_rules:  # the `fields` of a composite are those of its members
        return
    for rule in getattr(planned.config, "fields", ()):
        if isinstance(rule, FieldRule) and rule.path is not None:
            yield WrittenRule(name, rule, f"{prefix}{rule.text}")


def list_item_paths(plan: Plan) -> list[FieldRule]:
    """The paths of the items that evaluators such as `iou_score` read, and the keys that pair items, as rules for a survey."""
    return [rule for planned in plan.evaluators for rule in _item_paths_of_evaluator(planned)]


def _item_paths_of_evaluator(planned: PlannedEvaluator) -> Iterator[FieldRule]:
    for member in getattr(planned.config, "evaluators", ()):
        yield from _item_paths_of_evaluator(member.evaluator)
    if isinstance(planned.config, ReadsItems):
        path = planned.config.item_path()
        if path is not None:
            yield FieldRule(path=path, text=planned.config.path)
    for lists in getattr(planned.config, "lists", ()):
        if isinstance(lists, ListRule) and lists.align == "key" and lists.key is not None:
            key_path = Path((*lists.path.steps, EACH, *lists.key.steps))
            yield FieldRule(path=key_path, text=str(key_path))


def list_output_fields(plan: Plan) -> list[FieldRule]:
    """The fields of outputs that decide whether something is checked, as rules for a survey."""
    return [rule for planned in plan.evaluators for rule in _output_fields_of_evaluator(planned)]


def _output_fields_of_evaluator(planned: PlannedEvaluator) -> Iterator[FieldRule]:
    for member in getattr(planned.config, "evaluators", ()):
        yield from _output_fields_of_evaluator(member.evaluator)
    if isinstance(planned.config, ReadsOutputFields):
        yield from planned.config.output_fields()


def list_written_keys(plan: Plan) -> list[FieldRule]:
    """The keys that evaluators name in the suite file itself, as rules for a survey.

    Keys in a file of their own, or in the saved configuration of the server, are left out: they may serve several suites.
    """
    keys = [rule for planned in plan.evaluators for rule in _keys_of_evaluator(planned)] if plan.file else []
    if not keys:
        return []
    written = locate_paths(read_document(text=plan.text, file=plan.file))
    return [rule for rule in keys if rule.text in written]


def _keys_of_evaluator(planned: PlannedEvaluator) -> Iterator[FieldRule]:
    for member in getattr(planned.config, "evaluators", ()):
        yield from _keys_of_evaluator(member.evaluator)
    if isinstance(planned.config, NamesKeys):
        yield from planned.config.named_keys()


class PathSurvey:
    """Counts the expected records that have the path of a rule; `add` a batch of cases at a time.

    Of `output_fields` and `keys`, it notes which of them any record has, on either side.
    """

    def __init__(
        self,
        rules: Iterable[FieldRule],
        item_paths: Iterable[FieldRule] = (),
        output_fields: Iterable[FieldRule] = (),
        keys: Iterable[FieldRule] = (),
    ) -> None:
        self._item_paths = {rule.text: rule for rule in item_paths}
        self._unseen_output_fields = {(rule.text, rule.sparse): rule for rule in output_fields}
        self._unseen_keys = {rule.text: rule for rule in keys}
        self._rules = self._item_paths | {rule.text: rule for rule in rules}
        self.records = 0
        """Number of expected records."""
        self.present: Counter[str] = Counter()
        """Path of a rule → number of expected records that have it, null included."""
        self._expected_paths: dict[str, None] = {}
        self._actual_paths: dict[str, None] = {}

    def add(self, cases: Cases) -> None:
        """Add the records of a batch."""
        records = ScoringBatch(cases, NO_SERVICES).records
        for record in records.expected:
            if record is MISSING or record is None:
                continue
            self.records += 1
            for text, rule in self._rules.items():
                assert rule.path is not None
                if is_present(value_at(record, rule.path.steps)) or _accepts_path(record, rule.path.steps):
                    self.present[text] += 1
            collect_paths(record, self._expected_paths)
        for record in records.actual:
            collect_paths(record, self._actual_paths)
        both_sides = (*records.actual, *records.expected)
        for field, rule in list(self._unseen_output_fields.items()):
            if _has_any_path(both_sides, rule):
                del self._unseen_output_fields[field]
        for key, rule in list(self._unseen_keys.items()):
            if _has_any_path(both_sides, rule):
                del self._unseen_keys[key]

    @property
    def absent(self) -> list[FieldRule]:
        """The rules whose path no expected record has."""
        return [rule for text, rule in self._rules.items() if not self.present[text]]

    @property
    def has_outputs(self) -> bool:
        """True if some output has a field."""
        return bool(self._actual_paths)

    @property
    def has_records(self) -> bool:
        """True if some record has a field, on either side."""
        return bool(self._expected_paths or self._actual_paths)

    @property
    def absent_output_fields(self) -> list[FieldRule]:
        """The fields of outputs that no record has, on either side."""
        return list(self._unseen_output_fields.values())

    @property
    def absent_keys(self) -> list[FieldRule]:
        """The keys that no record has, on either side."""
        return list(self._unseen_keys.values())

    @property
    def is_complete(self) -> bool:
        """True if no further case can change what is absent."""
        return not (self.absent or self._unseen_output_fields or self._unseen_keys)

    def suggest_key(self, text: str) -> str:
        """How to fix a key that no record has."""
        close = nearest(text, [*self._expected_paths, *self._actual_paths])
        return f"did you mean `{close}`?" if close else "remove it, or move what several suites share into a JSON file of its own"

    def suggest_output_field(self, text: str) -> str:
        """How to fix a field that no record has."""
        close = nearest(text, list(self._actual_paths))
        return f"did you mean `{close}`?" if close else "check the path, or write `sparse: true` if the field may be absent everywhere"

    def suggest_path(self, text: str) -> str:
        """How to fix a path that no expected record has: the nearest path of either side, or what there is."""
        in_actual = text in self._actual_paths
        close = nearest(text, list(self._expected_paths)) or nearest(text, [path for path in self._actual_paths if path != text])
        if close:
            side = "" if close in self._expected_paths else ", which actual has"
            return f"did you mean `{close}`{side}?"
        expected = ", ".join(f"`{path}`" for path in list(self._expected_paths)[:_MAX_LISTED]) or "nothing"
        fix = f"expected has {expected}; check the path"
        if text not in self._item_paths:
            fix += ", or write `sparse: true` if the field may be absent everywhere"
        return f"actual has it, so the two sides may use different names: {fix}" if in_actual else fix


def _has_any_path(records: Iterable[Value], rule: FieldRule) -> bool:
    assert rule.path is not None
    steps = rule.path.steps
    return any(is_present(value_at(record, steps)) for record in records)


def _accepts_path(record: Any, steps: Sequence[Step]) -> bool:
    """True if one of several accepted values on the way has the path."""
    value = record
    for depth, step in enumerate(steps):
        choice = accepted_values(value)
        if choice is not None:
            return any(is_present(value_at(accepted, steps[depth:])) or _accepts_path(accepted, steps[depth:]) for accepted in choice)
        if step is EACH:
            return isinstance(value, list) and any(_accepts_path(item, steps[depth + 1 :]) for item in value)
        value = value_at(value, (step,))
        if value is MISSING:
            return False
    return False


def is_present(value: Any) -> bool:
    """True for a value, an empty list, and a list with at least one present item."""
    if isinstance(value, list):
        return not value or any(is_present(item) for item in value)
    return value is not MISSING


def collect_paths(record: Value, paths: dict[str, None]) -> None:
    """Add the paths of every object key in a record, with `[*]` for the items of lists, up to a limit."""
    stack: list[tuple[Any, tuple[Step, ...]]] = [(record, ())]
    while stack and len(paths) < _MAX_PATHS:
        value, steps = stack.pop()
        if len(steps) > _MAX_DEPTH:
            continue
        choice = accepted_values(value)
        if choice is not None and choice:
            stack += [(accepted, steps) for accepted in choice]
        elif isinstance(value, dict) and choice is None:
            for key, item in reversed(value.items()):
                stack.append((item, (*steps, str(key))))
        elif isinstance(value, list) and value and isinstance(value[0], dict | list):
            stack.append((value[0], (*steps, EACH)))
        elif steps:
            paths.setdefault(render_path(steps))


def report_absent_path(plan: Plan, rule: FieldRule, survey: PathSurvey) -> Diagnostic:
    """The problem of a rule whose path no expected record has: an error, or a warning if the rule is `sparse`."""
    where = Where(file=plan.file, field=rule.text)
    if rule.sparse:
        return Diagnostic(code=ABSENT_PATH, what="no expected record has this field", where=where, level="warning")
    return Diagnostic(code=ABSENT_PATH, what="no expected record has this field", where=where, fix=survey.suggest_path(rule.text))


def report_absent_output_fields(plan: Plan, survey: PathSurvey) -> list[Diagnostic]:
    """The problems of fields that no record has: a rule that applies to no output would be a free pass."""
    problems: dict[str, Diagnostic] = {}
    for rule in sorted(survey.absent_output_fields, key=lambda rule: rule.sparse):
        level: Level = "warning" if rule.sparse else "error"
        where, fix = Where(file=plan.file, field=rule.text), survey.suggest_output_field(rule.text)
        problem = Diagnostic(code=ABSENT_PATH, level=level, what="no case of the run has this field", where=where, fix=fix)
        problems.setdefault(rule.text, problem)
    return list(problems.values())


def report_absent_keys(plan: Plan, survey: PathSurvey) -> list[Diagnostic]:
    """The problems of keys that the suite names and no record has: the key that was meant is compared by another rule."""
    what = "no case of the run has this key"
    return [
        Diagnostic(code=ABSENT_PATH, what=what, where=Where(file=plan.file, field=rule.text), fix=survey.suggest_key(rule.text))
        for rule in survey.absent_keys
    ]


def report_missing_fields(plan: Plan, rules: Sequence[FieldRule], present: Counter[str], records: int) -> list[Diagnostic]:
    """A warning for each rule whose field some expected records do not have, with their number."""
    warnings: list[Diagnostic] = []
    for rule in {rule.text: rule for rule in rules}.values():
        missing = records - present[rule.text]
        if 0 < missing < records and not rule.sparse:
            what = f"{missing} of {records} expected records do not have this field"
            where = Where(file=plan.file, field=rule.text)
            warnings.append(Diagnostic(code="sparse-field", what=what, where=where, level="warning"))
    return warnings
