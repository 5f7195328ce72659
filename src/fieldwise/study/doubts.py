"""Agreement between systems: as a confidence for each value, and as doubt about expected values that agreeing systems contradict."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from fieldwise.model.correction import hash_value
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.redaction import PREFIX as REDACTED_PREFIX
from fieldwise.model.values import MISSING
from fieldwise.read.records_in_text import find_record
from fieldwise.store.atomic import write_atomically
from fieldwise.store.errors import StoreError
from fieldwise.store.run import Run
from fieldwise.store.stored_json import dump_json, load_json
from fieldwise.study.label_evidence import LabelEvidence, RecordTotals, compare_check_digits, compare_with_source
from fieldwise.study.system_values import Place, SystemTable, load_systems

AGREEMENT_FILE: Final = "agreement.json"
"""In the folder of a run: the agreement of other systems with each of its values."""
SUSPECTS_FILE: Final = "doubts.json"
"""In the folder of a run: the suspect labels of its cases."""
SECONDS_PER_VALUE: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspectLabel:
    """An expected value that agreeing systems contradict."""

    case: str
    path: str
    field: str
    expected: Any
    """None if expected has no value there, or null."""
    expected_hash: str | None
    suggested: Any
    """The value that the systems agree on; None if they agree that there is none."""
    agreeing: tuple[str, ...]
    """The systems that gave it."""
    backing: tuple[str, ...]
    """The systems whose value matches the expected one."""
    systems: int
    """Number of systems that have the case."""
    cause: str | None
    """The likely cause of the difference between the two values."""
    evidence: tuple[LabelEvidence, ...]
    suspicion: float
    """The rank: share of systems against minus share for the expected value, plus the weights of the evidence."""

    def to_json(self) -> dict[str, Any]:
        """A JSON-able dict."""
        content = asdict(self)
        return {**content, "agreeing": list(self.agreeing), "backing": list(self.backing), "evidence": list(content["evidence"])}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementLevel:
    """The values with which this number of other systems agrees."""

    agreeing: int
    others: int
    values: int
    correct: int

    @property
    def accuracy(self) -> float:
        """The share of these values that are right."""
        return self.correct / self.values


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemAgreement:
    """How far other systems agree with one system, and how often it is right then."""

    name: str
    run: str
    values: int
    correct: int
    levels: tuple[AgreementLevel, ...]
    """Least agreement first."""

    @property
    def errors(self) -> int:
        """Number of wrong values."""
        return self.values - self.correct

    @property
    def to_review(self) -> tuple[int, int]:
        """The values with the least agreement that hold at least two thirds of the errors, and the errors among them."""
        values = errors = 0
        for level in self.levels:
            if errors * 3 >= self.errors * 2:
                break
            values += level.values
            errors += level.values - level.correct
        return values, errors

    def to_json(self) -> dict[str, Any]:
        """A JSON-able dict."""
        values, errors = self.to_review
        levels = [{**asdict(level), "accuracy": level.accuracy} for level in self.levels]
        review = {"values": values, "errors": errors, "minutes": round(values * SECONDS_PER_VALUE / 60)}
        return {"name": self.name, "run": self.run, "values": self.values, "correct": self.correct, "levels": levels, "review": review}


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtReport:
    """Agreement between systems, and the expected values that they doubt."""

    evaluator: str
    runs: tuple[str, ...]
    cases: int
    """Cases that at least two systems have."""
    labels: int
    """Expected values in these cases."""
    min_agreeing: int
    agreement: tuple[SystemAgreement, ...]
    suspects: tuple[SuspectLabel, ...]
    """The most suspect first."""
    confidences: tuple[dict[Place, float], ...] = ()
    """By system, the share of the other systems that agree with each of its values."""
    diagnostics: tuple[Diagnostic, ...] = ()

    def describe(self) -> str:
        """The answer in one or two sentences."""
        sentences: list[str] = []
        best = max(self.agreement, key=lambda system: system.correct / system.values if system.values else 0.0)
        values, errors = best.to_review
        if values and best.errors:
            minutes = max(1, round(values * SECONDS_PER_VALUE / 60))
            time = f"{minutes} minute{'' if minutes == 1 else 's'} at {SECONDS_PER_VALUE} s each"
            sentences.append(
                f"Review {values} of the {best.values:,} values of {best.name} ({time}) to find {errors} of its {best.errors} errors"
            )
        count = len(self.suspects)
        if count:
            first = "look at this expected value first" if count == 1 else f"look at these {count} expected values first"
            sentences.append(first)
        else:
            sentences.append(f"no expected value is contradicted by {self.min_agreeing} agreeing systems")
        text = "; ".join(sentences)
        return f"{text[0].upper()}{text[1:]}."

    def to_json(self) -> dict[str, Any]:
        """A JSON-able dict."""
        return {
            "evaluator": self.evaluator,
            "runs": list(self.runs),
            "cases": self.cases,
            "labels": self.labels,
            "min_agreeing": self.min_agreeing,
            "agreement": [system.to_json() for system in self.agreement],
            "suspects": [suspect.to_json() for suspect in self.suspects],
            "summary": self.describe(),
            "diagnostics": [diagnostic.to_json() for diagnostic in self.diagnostics],
        }


def study_doubts(runs: Sequence[Run], *, evaluator: str | None = None, min_agreeing: int | None = None) -> DoubtReport:
    """Compare several runs over the same cases, or the trials of one run.

    An expected value is suspect if at least `min_agreeing` systems agree with each other and contradict it; by default more than half of
    the systems, and at least two.
    """
    table = load_systems(runs, evaluator)
    needed = min_agreeing or max(2, len(table.systems) // 2 + 1)
    if needed > len(table.systems):
        what = f"{needed} agreeing systems are asked for, and there are {len(table.systems)}"
        raise ConfigError([Diagnostic(code="too-few-systems", what=what, fix="lower --min-agreeing, or name more runs")])
    shared = {case for case in table.cases if sum(case in system.cases for system in table.systems) > 1}
    labels = [
        place
        for place, expected in table.expected.items()
        if place[0] in shared and not expected.is_extra and expected.value is not MISSING
    ]
    confidences = [_rate_values(table, number) for number in range(len(table.systems))]
    return DoubtReport(
        evaluator=table.evaluator,
        runs=tuple(run.id for run in runs),
        cases=len(shared),
        labels=len(labels),
        min_agreeing=needed,
        agreement=tuple(_summarize_agreement(table, number) for number in range(len(table.systems))),
        suspects=tuple(_find_suspects(table, shared, needed)),
        confidences=tuple(confidences),
        diagnostics=tuple(_warn_of_redaction(table)),
    )


def _rate_values(table: SystemTable, number: int) -> dict[Place, float]:
    rated: dict[Place, float] = {}
    for place, value in table.systems[number].values.items():
        agreement = table.agreement(number, place) if value.is_present else None
        if agreement is not None:
            rated[place] = agreement
    return rated


def _summarize_agreement(table: SystemTable, number: int) -> SystemAgreement:
    system = table.systems[number]
    counts: dict[tuple[int, int], list[int]] = {}
    for place, value in system.values.items():
        others = table.count_others(number, place)
        if not value.is_present or not others:
            continue
        entry = counts.setdefault((others, len(table.agreeing[number].get(place, ()))), [0, 0])
        entry[0] += 1
        entry[1] += value.passed
    levels = [
        AgreementLevel(agreeing=agreeing, others=others, values=values, correct=correct)
        for (others, agreeing), (values, correct) in sorted(counts.items(), key=lambda item: (item[0][1] / item[0][0], item[0]))
    ]
    values, correct = sum(level.values for level in levels), sum(level.correct for level in levels)
    return SystemAgreement(name=system.name, run=system.run, values=values, correct=correct, levels=tuple(levels))


def _find_suspects(table: SystemTable, shared: set[str], needed: int) -> list[SuspectLabel]:
    totals: RecordTotals | None = None
    suspects: list[SuspectLabel] = []
    order = {case: position for position, case in enumerate(table.cases)}
    for place, expected in table.expected.items():
        if place[0] not in shared or expected.is_extra:
            continue
        group = _find_contradicting(table, place)
        if len(group) < needed:
            continue
        if totals is None:
            totals = RecordTotals(_record_of(case.expected) for case in table.cases.values())
        suspects.append(_make_suspect(table, place, group, totals))
    return sorted(suspects, key=lambda suspect: (-suspect.suspicion, order[suspect.case], suspect.path))


def _find_contradicting(table: SystemTable, place: Place) -> list[int]:
    """The largest group of systems that agree with each other and do not match the expected value."""
    against = [number for number, system in enumerate(table.systems) if place in system.values and not system.values[place].passed]
    present = [number for number in against if table.systems[number].values[place].is_present]
    largest: list[int] = []
    for number in present:
        agreeing = table.agreeing[number].get(place, set[int]())
        group = [number]
        for candidate in present:
            if candidate in agreeing and all(candidate in table.agreeing[member].get(place, ()) for member in group):
                group.append(candidate)
        largest = group if len(group) > len(largest) else largest
    absent = [number for number in against if number not in present]
    return absent if len(absent) > len(largest) else largest


def _record_of(value: Any) -> Any:
    return find_record(value).value if isinstance(value, str) else value


def _make_suspect(table: SystemTable, place: Place, group: Sequence[int], totals: RecordTotals) -> SuspectLabel:
    case, expected = table.cases[place[0]], table.expected[place]
    system_value = table.systems[group[0]].values[place]
    suggested = system_value.value if system_value.is_present else None
    having = [system for system in table.systems if place[0] in system.cases]
    backing = tuple(system.name for system in having if place in system.values and system.values[place].passed)
    observations = (
        compare_with_source(case, expected.value, suggested),
        compare_check_digits(place[1], expected.value, suggested),
        totals.compare(_record_of(case.expected), place[1], suggested),
    )
    evidence = [observation for observation in observations if observation is not None]
    # systems that agree on a value are better evidence than systems that all found nothing
    strength = (len(group) if system_value.is_present else len(group) / 2) / len(having)
    suspicion = strength - len(backing) / len(having) + sum(item.weight for item in evidence)
    return SuspectLabel(
        case=place[0],
        path=place[1],
        field=expected.field,
        expected=None if expected.value is MISSING else expected.value,
        expected_hash=hash_value(expected.value),
        suggested=suggested,
        agreeing=tuple(table.systems[number].name for number in group),
        backing=backing,
        systems=len(having),
        cause=system_value.cause,
        evidence=tuple(evidence),
        suspicion=round(suspicion, 6),
    )


def _warn_of_redaction(table: SystemTable) -> list[Diagnostic]:
    redacted = sorted(
        {value.field for value in table.expected.values() if isinstance(value.value, str) and value.value.startswith(REDACTED_PREFIX)}
    )
    if not redacted:
        return []
    what = f"the values of {', '.join(redacted)} were redacted, so they agree only where they are equal"
    return [Diagnostic(code="redacted-values", what=what, level="warning")]


# Beside the run ------------------------------------------------------------------------------------------------------------------------


def store_agreement(runs: Sequence[Run], report: DoubtReport) -> None:
    """Write the agreement and the suspect labels beside each run, where `confidence`, `policy` and `review` find them."""
    made_from = {"runs": list(report.runs), "evaluator": report.evaluator}
    for number, run in enumerate(runs):  # the first trial of a run is what it scored
        values = [[case, path, share] for (case, path), share in report.confidences[number].items()]
        _write(run, AGREEMENT_FILE, {**made_from, "values": values})
        _write(run, SUSPECTS_FILE, {**made_from, "suspects": [suspect.to_json() for suspect in report.suspects]})


def _write(run: Run, name: str, content: dict[str, Any]) -> None:
    text = dump_json(content)

    def write_text(path: Path) -> None:
        path.write_bytes(text)

    write_atomically(run.path / name, write_text)


def _load(run: Run, name: str) -> dict[str, Any] | None:
    try:
        text = (run.path / name).read_bytes()
    except FileNotFoundError:
        return None
    try:
        return load_json(text.decode())
    except ValueError as error:
        raise StoreError(f"run {run.id}: {name} is damaged: {error}; `fieldwise doubt` writes it again") from error


def read_agreement(run: Run) -> dict[Place, float] | None:
    """The share of other systems that agree with each value of a run; None if `doubt` has not compared it."""
    content = _load(run, AGREEMENT_FILE)
    return None if content is None else {(case, path): float(share) for case, path, share in content["values"]}


def require_agreement(run: Run) -> dict[Place, float]:
    """The agreement of other systems with each value; ConfigError if `doubt` has not compared the run."""
    agreement = read_agreement(run)
    if agreement is None:
        what, fix = f"run {run.id} was not compared with other systems", f"compare it first: `fieldwise doubt {run.id} RUN …`"
        raise ConfigError([Diagnostic(code="no-agreement", what=what, fix=fix)])
    return agreement


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Why an expected value is suspect, for people who decide about it."""

    suggested: Any
    """The value that other systems agree on."""
    systems: str
    """How many of them do: `2 of 3 systems`."""
    evidence: tuple[str, ...]


def read_suspicions(run: Run) -> dict[Place, Suspicion]:
    """Why the suspect expected values of a run are suspect; empty if `doubt` has not compared it."""
    content = _load(run, SUSPECTS_FILE)
    suspicions: dict[Place, Suspicion] = {}
    for suspect in () if content is None else content["suspects"]:
        systems = f"{len(suspect['agreeing'])} of {suspect['systems']} systems"
        evidence = tuple(str(entry["text"]) for entry in suspect["evidence"])
        suspicions[suspect["case"], suspect["path"]] = Suspicion(suspect["suggested"], systems, evidence)
    return suspicions


def read_suspects(run: Run) -> list[Place]:
    """The suspect expected values of a run, the most suspect first; empty if `doubt` has not compared it."""
    content = _load(run, SUSPECTS_FILE)
    return [] if content is None else [(suspect["case"], suspect["path"]) for suspect in content["suspects"]]
