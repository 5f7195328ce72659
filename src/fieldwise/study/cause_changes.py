"""Which causes shrank since a pack: mismatches of a new run against those of the pack, paired by case."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, cast

import numpy as np

from fieldwise.kernels.paired import adjust_holm, sign_flip_p_value
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.locations import Location
from fieldwise.store.expected_changes import note_edited_since
from fieldwise.store.run import Run
from fieldwise.store.run_metrics import note_changed_rules
from fieldwise.store.stored_json import load_json
from fieldwise.study.pack import PACK_FILE, PACK_VERSION, count_case_causes
from fieldwise.study.pack_text import label_of

CAUSE_CHANGES: Final = "cause-changes"
_MAX_P: Final = 0.05
_MAX_LISTED: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPack:
    """What `run --from` needs of a pack."""

    run: str
    evaluator: str
    cases: Sequence[str]
    mismatches: Mapping[str, Mapping[str, int]]
    package: str | None = None
    """The version of fieldwise that wrote it; None for a pack that has neither this nor the following."""
    rules: str | None = None
    """Fingerprint of the evaluator's rules."""
    expected: Mapping[str, str | None] = field(default_factory=dict)
    """Case → shortened hash of its expected value; empty for a pack with redacted values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseChange:
    """One cause in the cases that the pack and the new run share."""

    cause: str
    label: str
    before: int
    """Mismatches with this cause in the pack."""
    after: int
    """Mismatches with this cause in the new run."""
    fewer: int
    """Cases with fewer mismatches than before."""
    more: int
    """Cases with more mismatches than before."""
    p: float
    """p-value of a paired permutation test over the cases, adjusted for the number of causes (Holm)."""
    verdict: str
    """`shrank`, `grew` or `no change shown`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseChanges:
    """All causes since a pack."""

    pack: str
    """The run that the pack was made from."""
    new: str
    shared_cases: int
    causes: Sequence[CauseChange]
    notes: Sequence[str] = ()
    """Other reasons for a change than the system."""

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict."""
        return asdict(self)

    def to_diagnostic(self) -> Diagnostic:
        """One line for the stored run."""
        if not self.shared_cases:
            what = f"the run and the pack of run {self.pack} have no case in common, so nothing can be said about causes"
            return Diagnostic(code=CAUSE_CHANGES, level="warning", what=what, fix="run the cases of the pack: --split as for the pack")
        changed = [change for change in self.causes if change.before != change.after]
        texts = [f"{change.label} {change.before} to {change.after} ({change.verdict})" for change in changed[:_MAX_LISTED]]
        unlisted = len(self.causes) - len(texts)
        if unlisted:
            texts.append(f"{unlisted} other causes" if texts else "no cause changed")
        what = f"since the pack of run {self.pack}, {self.shared_cases} shared cases: {', '.join(texts) or 'no mismatch'}"
        return Diagnostic(code=CAUSE_CHANGES, level="warning" if self.notes else "info", what="; but ".join([what, *self.notes]))


def read_pack(folder: Location) -> StoredPack:
    """The pack in a folder; ConfigError if there is none, or if it cannot be read."""
    file = folder / PACK_FILE
    where = Where(file=str(folder))
    fix = "name a folder that `fieldwise pack RUN -o DIR` wrote"
    try:
        content = load_json(file.read_bytes())
    except OSError as error:
        raise ConfigError([Diagnostic(code="no-pack", what=f"there is no {PACK_FILE}", where=where, fix=fix)]) from error
    except ValueError as error:
        raise ConfigError([Diagnostic(code="bad-pack", what=f"{PACK_FILE} is not JSON: {error}", where=where, fix=fix)]) from error
    try:
        if content["version"] != PACK_VERSION:
            what = f"the pack has version {content['version']}, and this fieldwise reads version {PACK_VERSION}"
            raise ConfigError([Diagnostic(code="bad-pack", what=what, where=where, fix="make the pack again")])
        return StoredPack(
            run=str(content["run"]),
            evaluator=str(content["evaluator"]),
            cases=[str(case) for case in content["cases"]],
            mismatches={str(cause): _read_counts(counts, cause) for cause, counts in content["mismatches"].items()},
            package=content.get("package"),
            rules=content.get("rules"),
            expected=_read_hashes(content.get("expected", {})),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"{PACK_FILE} lacks {error}" if isinstance(error, KeyError) else f"{PACK_FILE} cannot be read: {error}"
        raise ConfigError([Diagnostic(code="bad-pack", what=what, where=where, fix=fix)]) from error


def _read_counts(counts: Any, cause: str) -> dict[str, int]:
    """Case → number of mismatches; ValueError if it is something else."""
    if not isinstance(counts, dict) or not all(type(count) is int and count >= 0 for count in cast("dict[str, Any]", counts).values()):
        raise ValueError(f"`mismatches.{cause}` must be an object of cases and numbers")
    return dict(cast("dict[str, int]", counts))


def _read_hashes(hashes: Any) -> dict[str, str | None]:
    """Case → hash of its expected value; ValueError if it is something else."""
    if not isinstance(hashes, dict) or not all(text is None or isinstance(text, str) for text in cast("dict[str, Any]", hashes).values()):
        raise ValueError("`expected` must be an object of cases and hashes")
    return dict(cast("dict[str, str | None]", hashes))


def require_evaluator(pack: StoredPack, evaluators: Sequence[str]) -> None:
    """Raise ConfigError if a suite or run has no evaluator of the pack's name."""
    if pack.evaluator not in evaluators:
        what = f"the pack counts mismatches of `{pack.evaluator}`, and there is no such evaluator"
        raise ConfigError([Diagnostic(code="no-evaluator", what=what, fix=f"there are {', '.join(evaluators)}; make a new pack")])


def compare_causes(pack: StoredPack, run: Run) -> CauseChanges:
    """The change of every cause over the cases that the pack and a run share; by the pack's evaluator."""
    require_evaluator(pack, run.evaluators)
    new_ids, new_mismatches = count_case_causes(run, pack.evaluator)
    in_new = set(new_ids)
    shared = [case for case in pack.cases if case in in_new]
    changes = [_compare_cause(cause, pack, new_mismatches, shared) for cause in dict.fromkeys((*pack.mismatches, *new_mismatches))]
    changes = [change for change in changes if change.before or change.after]
    adjusted = adjust_holm([change.p for change in changes])
    judged = [_judge(change, p) for change, p in zip(changes, adjusted, strict=True)]
    judged.sort(key=lambda change: (-abs(change.before - change.after), -change.before))
    notes = [*note_changed_rules({pack.evaluator: pack.rules}, pack.package, run), *note_edited_since(pack.expected, run)]
    return CauseChanges(pack=pack.run, new=run.id, shared_cases=len(shared), causes=judged, notes=notes)


def _compare_cause(cause: str, pack: StoredPack, new_mismatches: Mapping[str, Mapping[str, int]], shared: Sequence[str]) -> CauseChange:
    before_of, after_of = pack.mismatches.get(cause, {}), new_mismatches.get(cause, {})
    before = np.array([before_of.get(case, 0) for case in shared], dtype=np.float64)
    after = np.array([after_of.get(case, 0) for case in shared], dtype=np.float64)
    return CauseChange(
        cause=cause,
        label=label_of(cause),
        before=int(before.sum()),
        after=int(after.sum()),
        fewer=int((after < before).sum()),
        more=int((after > before).sum()),
        p=sign_flip_p_value(after - before),
        verdict="",
    )


def _judge(change: CauseChange, p: float) -> CauseChange:
    verdict = "no change shown"
    if p <= _MAX_P and change.before != change.after:
        verdict = "shrank" if change.after < change.before else "grew"
    return replace(change, p=p, verdict=verdict)
