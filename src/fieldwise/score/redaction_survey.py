"""Paths to be redacted at which no case has a value: a misspelt path would leave the values readable."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic, Level, Where
from fieldwise.model.path import EACH, Path, Step
from fieldwise.model.services import NO_SERVICES
from fieldwise.model.values import Value
from fieldwise.registry import nearest
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.path_survey import collect_paths

_MAX_LISTED: Final = 5


class RedactionSurvey:
    """Notes which paths the records have; `add` a batch of cases or some records at a time."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._unused = list(paths)
        self._paths_of_data: dict[str, None] = {}
        self._has_records = False

    def add(self, cases: Cases) -> None:
        """Add the records of both sides of a batch."""
        if self._unused:
            records = ScoringBatch(cases, NO_SERVICES).records
            trials = [actual for actuals in cases.actuals if actuals is not None for actual in actuals]
            self.add_records((*records.expected, *records.actual, *trials))

    def add_records(self, records: Iterable[Value]) -> None:
        """Add records of either side."""
        for record in records:
            if not self._unused:
                return
            if isinstance(record, dict | list):
                self._has_records = True
                self._unused = [path for path in self._unused if not _has_path(record, path.steps)]
                collect_paths(record, self._paths_of_data)

    @property
    def is_complete(self) -> bool:
        """True if some record has each of the paths."""
        return not self._unused

    def list_problems(self, file: str | None = None) -> list[Diagnostic]:
        """An error for each path that no record has; a warning without records, because text is replaced as a whole."""
        level: Level = "error" if self._has_records else "warning"
        what = "no case has a value at this path, which is to be redacted"
        return [
            Diagnostic(
                code="unused-redaction", level=level, what=what, where=Where(file=file, field=str(path)), fix=self._suggest(str(path))
            )
            for path in self._unused
        ]

    def _suggest(self, text: str) -> str:
        close = nearest(text, self._paths_of_data)
        if close:
            return f"did you mean `{close}`?"
        listed = ", ".join(f"`{path}`" for path in list(self._paths_of_data)[:_MAX_LISTED])
        return f"check the spelling; the cases have {listed}" if listed else "check the spelling; no case has a record"


def report_unused_redactions(paths: Sequence[Path], batches: Iterable[Cases], file: str | None = None) -> list[Diagnostic]:
    """The problems of paths at which none of these cases has a value. Reads no further than needed."""
    survey = RedactionSurvey(paths)
    for cases in batches:
        survey.add(cases)
        if survey.is_complete:
            break
    return survey.list_problems(file)


def _has_path(value: Any, steps: Sequence[Step]) -> bool:
    """Whether `Redaction` would replace something here, a null included; an index stands for every item."""
    if not steps:
        return True
    step, rest = steps[0], steps[1:]
    if isinstance(value, list):
        return (step is EACH or isinstance(step, int)) and any(_has_path(item, rest) for item in cast("list[Any]", value))
    return isinstance(value, dict) and str(step) in value and _has_path(cast("dict[str, Any]", value)[str(step)], rest)
