"""Acceptance policies: per field the lowest confidence from which values need no review, with a bound on the errors among them.

The documents of a run are divided in two halves. One half puts the cut-offs in an order, the one with the lowest bound first; the other
checks them in that order and stops at the first whose bound is too high, so that checking several costs nothing (fixed-sequence
testing). The probability that some promise is wrong is shared among the fields that are checked. Where a document has one value of the
field, the bound is exact (Clopper–Pearson); for the items of lists it allows for documents that are wrong as a whole (Gaffke's bound).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.error_bounds import clustered_upper_bound, effective_documents, upper_bounds
from fieldwise.kernels.statistics import hash_texts
from fieldwise.model.policy import FieldPolicy, Policy
from fieldwise.store.errors import StoreError
from fieldwise.store.provenance import with_content_hash
from fieldwise.store.run import Run, open_run
from fieldwise.store.run_metrics import note_changed_rules, rule_fingerprints
from fieldwise.store.run_names import RunNotFound
from fieldwise.study.confident_values import ConfidentValues, GivenConfidences, load_confident_values

_WORTH_CHECKING: Final = 0.5
"""A field without a cut-off of such a bound on the proposing half, or of `max_error` if that is larger, is not checked, and takes no
share of the error probability."""


def make_policy(
    run: Run, max_error: float, level: float = 0.95, *, evaluator: str | None = None, confidences: GivenConfidences | None = None
) -> Policy:
    """The policy of a run: for each field with confidences the lowest cut-off whose bound holds."""
    values = load_confident_values(run, evaluator, confidences)
    return Policy(max_error=max_error, level=level, fields=choose_cut_offs(values, max_error, level), made_from=describe_origin(run))


def describe_origin(run: Run) -> dict[str, str]:
    """Run, suite and data of a policy."""
    sources = with_content_hash(run.sources, (part.content for part in run.parts))  # data in memory have none until a run is finished
    return {"run": run.id, "suite": run.name, "data": " ".join(source.hash for source in sources if source.hash)}


def choose_cut_offs(values: ConfidentValues, max_error: float, level: float) -> dict[str, FieldPolicy]:
    """The cut-off of each field with confidences. The error probability is shared among the fields that have something to check.

    Neither the shares nor the order in which cut-offs are checked depend on a `max_error` of at most 0.5, so a larger one only checks more
    of them: a cut-off that holds for an error holds for every larger one.
    """
    first_half = split_documents(values.documents)
    fields = {code: _FieldValues.of(values, values.field == code) for code in values.fields_with_confidence()}
    candidates = {code: field.in_half(first_half).list_cut_offs() for code, field in fields.items()}
    worth_checking = max(_WORTH_CHECKING, max_error)
    checked = [code for code, cut_offs in candidates.items() if min(_bounds(cut_offs, level), default=1.0) <= worth_checking]
    corrected_level = 1 - (1 - level) / max(len(checked), 1)
    policies: dict[str, FieldPolicy] = {}
    for code, field in fields.items():
        n = int((values.field == code).sum())
        proposed = _propose(candidates[code], corrected_level) if code in checked else []
        policies[values.fields[code]] = _check_proposed(field, ~first_half, proposed, n, max_error, corrected_level)
    return policies


def _bounds(cut_offs: "Sequence[_CutOff]", level: float) -> list[float]:
    """A bound on the error from each cut-off on, with documents as units: near enough for an order, and computed at once."""
    errors, n = np.array([cut_off.errors for cut_off in cut_offs]), np.array([cut_off.n for cut_off in cut_offs])
    return upper_bounds(errors, n, level).tolist()


def _propose(cut_offs: "Sequence[_CutOff]", level: float) -> list[float]:
    """Cut-offs to check: the one with the lowest bound, then lower ones in the order of their bounds.

    One that has a lower cut-off with a bound at most as high is left out: the lower one accepts more and promises as much.
    """
    proposed: list[float] = []
    lowest_bound = np.inf
    for cut_off, bound in zip(cut_offs, _bounds(cut_offs, level), strict=True):
        if bound < lowest_bound:
            lowest_bound = bound
            proposed.append(cut_off.threshold)
    return proposed[::-1]


def _check_proposed(
    field: "_FieldValues", checking_half: NDArray[np.bool_], proposed: Sequence[float], n: int, max_error: float, level: float
) -> FieldPolicy:
    """The last of the proposed cut-offs before one whose bound on the checking half is too high."""
    checking = field.in_half(checking_half)
    policy = FieldPolicy(threshold=None, n=n, accepted=0, bound=None)
    for threshold in proposed:
        bound = checking.bound_from(threshold, level)
        if bound > max_error:
            break
        policy = FieldPolicy(threshold=threshold, n=n, accepted=int((field.confidence >= threshold).sum()), bound=bound)
    return policy


def split_documents(documents: Sequence[str]) -> NDArray[np.bool_]:
    """For each document, whether it is in the half that proposes cut-offs. The halves differ by at most one document.

    They depend on the names of the documents alone, not on their order.
    """
    keys = hash_texts([f"policy {name}" for name in documents])
    names = np.array(documents, dtype=object)
    order = sorted(range(len(documents)), key=lambda row: (int(keys[row]), names[row]))
    is_first = np.zeros(len(documents), dtype=np.bool_)
    is_first[order[::2]] = True
    return is_first


_MAX_LEVELS: Final = 200


@dataclass(frozen=True, slots=True)
class _CutOff:
    """A candidate, with the effective numbers of errors and values from it on."""

    threshold: float
    errors: float
    n: float


@dataclass(frozen=True, slots=True)
class _FieldValues:
    """The values of one field that have a confidence."""

    confidence: NDArray[np.float64]
    wrong: NDArray[np.float64]
    document: NDArray[np.int64]

    @classmethod
    def of(cls, values: ConfidentValues, chosen: NDArray[np.bool_]) -> "_FieldValues":
        rows = chosen & values.has_confidence
        return cls(values.confidence[rows], 1 - values.correct[rows], values.document[rows])

    def in_half(self, half: NDArray[np.bool_]) -> "_FieldValues":
        rows = half[self.document]
        return _FieldValues(self.confidence[rows], self.wrong[rows], self.document[rows])

    def levels(self) -> NDArray[np.float64]:
        """The distinct confidences, lowest first; a selection of them if there are many."""
        levels = np.unique(self.confidence)
        if len(levels) > _MAX_LEVELS:
            levels = np.unique(np.quantile(self.confidence, np.linspace(0, 1, _MAX_LEVELS), method="lower"))
        return levels

    def list_cut_offs(self) -> list[_CutOff]:
        """Every candidate, lowest first."""
        cut_offs: list[_CutOff] = []
        for threshold in self.levels().tolist():
            sizes, errors = self.documents_from(threshold)
            share = effective_documents(sizes) / float(sizes.sum())
            cut_offs.append(_CutOff(threshold, float(errors.sum()) * share, float(sizes.sum()) * share))
        return cut_offs

    def bound_from(self, threshold: float, level: float) -> float:
        """The upper bound on the error among values of at least this confidence."""
        return clustered_upper_bound(*self.documents_from(threshold), level)

    def documents_from(self, threshold: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The numbers of values of at least this confidence, and of errors among them, of each document that has any."""
        rows = self.confidence >= threshold
        documents = self.document[rows]
        sizes, errors = np.bincount(documents), np.bincount(documents, weights=self.wrong[rows])
        return sizes[sizes > 0].astype(np.float64), errors[sizes > 0].astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldCheck:
    """Whether a field's part of a policy holds on a run."""

    threshold: float
    accepted: int
    errors: int
    bound: float | None
    """The upper bound on this run; None if it has no such values."""
    holds: bool
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyCheck:
    """Whether a policy holds on a run."""

    policy: Policy
    run: str
    fields: Mapping[str, FieldCheck]
    problems: tuple[str, ...] = ()
    """What makes the policy as a whole not hold."""
    is_measured: bool = True
    """False if the run has no value that the policy accepts."""
    notes: tuple[str, ...] = ()
    """What the verdict may come from besides the system."""

    @property
    def holds(self) -> bool:
        """True if every field holds, and something was measured."""
        return self.is_measured and not self.problems and all(field.holds for field in self.fields.values())

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict."""
        fields = {
            path: {
                "threshold": field.threshold,
                "accepted": field.accepted,
                "errors": field.errors,
                "bound": field.bound,
                "holds": field.holds,
            }
            | ({"reason": field.reason} if field.reason else {})
            for path, field in self.fields.items()
        }
        return {
            "run": self.run,
            "holds": self.holds,
            "measured": self.is_measured,
            "problems": list(self.problems),
            "notes": list(self.notes),
            "max_error": self.policy.max_error,
            "level": self.policy.level,
            "fields": fields,
            "made_from": dict(self.policy.made_from),
        }


def check_policy(policy: Policy, run: Run, *, evaluator: str | None = None, confidences: GivenConfidences | None = None) -> PolicyCheck:
    """Check a policy on a run.

    On the run it was made from, everything is computed again and must be equal to the bit. On another run, its cut-offs are given, so
    every document counts, unless the data are the same: then only those count that did not propose the cut-offs.
    """
    values = load_confident_values(run, evaluator, confidences)
    origin = describe_origin(run)
    is_same_run = policy.made_from.get("run") == run.id
    is_same_data = is_same_run or (bool(origin["data"]) and policy.made_from.get("data") == origin["data"])
    counted = ~split_documents(values.documents) if is_same_data else np.ones(len(values.documents), dtype=np.bool_)
    accepting = {path: field for path, field in policy.fields.items() if field.threshold is not None}
    risk = (1 - policy.level) / max(len(accepting), 1)
    checks = {path: _check_field(values, path, field, counted, policy.max_error, risk) for path, field in accepting.items()}
    problems: list[str] = []
    if is_same_run:
        again = choose_cut_offs(values, policy.max_error, policy.level)
        if again != dict(policy.fields):
            changed = [path for path in {**again, **policy.fields} if again.get(path) != policy.fields.get(path)]
            problems.append(f"made again from run {run.id}, it is not the same: {', '.join(changed[:5])}")
    if not accepting:
        problems.append("it accepts nothing, so that it promises nothing")
    return PolicyCheck(
        policy=policy,
        run=run.id,
        fields=checks,
        problems=tuple(problems),
        is_measured=any(check.bound is not None for check in checks.values()),
        notes=() if is_same_run else tuple(_note_other_rules(policy, run)),
    )


def _note_other_rules(policy: Policy, run: Run) -> list[str]:
    """A note for each evaluator with other rules than in the run that the policy was made from, if that run is still stored."""
    origin = policy.made_from.get("run")
    if not origin:
        return []
    try:
        made_from = open_run(str(run.path.parent.parent), origin)
    except (RunNotFound, StoreError):
        return []
    return note_changed_rules(rule_fingerprints(made_from), made_from.manifest.package, run)


def _check_field(
    values: ConfidentValues, path: str, field: FieldPolicy, counted: NDArray[np.bool_], max_error: float, risk: float
) -> FieldCheck:
    assert field.threshold is not None
    in_field = values.field == values.fields.index(path) if path in values.fields else np.zeros(len(values), dtype=np.bool_)
    of_field = _FieldValues.of(values, in_field).in_half(counted)
    is_accepted = of_field.confidence >= field.threshold
    accepted, errors = int(is_accepted.sum()), int(of_field.wrong[is_accepted].sum())
    if not accepted:
        reason = "the run has no value of this field that the policy accepts"
        return FieldCheck(threshold=field.threshold, accepted=0, errors=0, bound=None, holds=False, reason=reason)
    bound = of_field.bound_from(field.threshold, 1 - risk)
    holds = bound <= max_error
    reason = "" if holds else _explain_failure(accepted, errors, max_error)
    return FieldCheck(threshold=field.threshold, accepted=accepted, errors=errors, bound=bound, holds=holds, reason=reason)


def _explain_failure(accepted: int, errors: int, max_error: float) -> str:
    if errors / accepted > max_error:
        return f"{errors} of {accepted} accepted values are wrong"
    return f"{errors} of {accepted} accepted values are wrong, which is too few values to show it"
